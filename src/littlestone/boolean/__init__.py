"""Learners whose hypothesis is a rule that a person can read."""

from littlestone.boolean._reasons import Dropped, Shown, Unrealizable

__all__ = ["Dropped", "Shown", "Unrealizable"]
