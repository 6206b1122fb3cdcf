"""The judge's room: standard library, theorems, and plain twins of the learners."""

from littlestone.verify._digest import Digest

__all__ = ["Digest"]
