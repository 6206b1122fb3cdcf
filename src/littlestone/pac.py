"""How many examples suffice, and online learners turned into PAC learners."""

from __future__ import annotations

__all__: list[str] = []
