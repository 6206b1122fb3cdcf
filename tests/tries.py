"""How often a property is tried, compared with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["often", "some", "tried"]


def often(cases: Iterable[Any], quick: Callable[[Any], bool]) -> list[Any]:
    """Mark the other cases `soak`: they show again what the quick ones show."""
    return [c if quick(c) else pytest.param(c, marks=pytest.mark.soak) for c in cases]


def some(cases: Iterable[Any], step: int = 3) -> list[Any]:
    """Mark all but each third case `soak`: each shows it for another learner."""
    return [
        pytest.param(c, marks=pytest.mark.soak) if k % step else c
        for k, c in enumerate(cases)
    ]


def tried(times: float) -> settings:
    """Try a property so many times as often as others, in `make soak` as well."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))
