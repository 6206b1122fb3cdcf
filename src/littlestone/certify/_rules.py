"""Witnesses for learners of Boolean rules: the concept that is true of the stream."""

from __future__ import annotations

from typing import Any

__all__ = ["SEARCHES"]

SEARCHES: dict[str, Any] = {}
