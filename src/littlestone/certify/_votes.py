"""Witnesses for learners that vote, count or draw: the expert they are held to."""

from __future__ import annotations

from typing import Any

__all__ = ["SEARCHES"]

SEARCHES: dict[str, Any] = {}
