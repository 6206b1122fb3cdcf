"""How often a property is tried, compared with others."""

from __future__ import annotations

from hypothesis import settings

__all__ = ["tried"]


def tried(times: float) -> settings:
    """Try a property so many times as often as others, in `make soak` as well."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))
