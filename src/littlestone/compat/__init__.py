"""Façades for those who come from another package: its names, our learners."""

from littlestone.compat import opera

__all__ = ["opera"]
