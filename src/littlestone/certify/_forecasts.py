"""Witnesses for learners that weigh forecasters: the expert they are held to."""

from __future__ import annotations

from typing import Any

__all__ = ["SEARCHES"]

SEARCHES: dict[str, Any] = {}
