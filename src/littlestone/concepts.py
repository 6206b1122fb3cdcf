"""Concepts: fixed rules that could be the truth, as values."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Feature"]

# A name, or the number of a column.
Feature: TypeAlias = str | int
