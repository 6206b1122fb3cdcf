"""The pytest plugin: `duel` and `adversary`, for tests of your own learners.

It is loaded wherever littlestone is installed, and imports nothing before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.adversaries import Adversary
    from littlestone.running import Record

__all__ = ["adversary", "duel"]

# Those of `littlestone.testing.adversaries`, known before it is imported.
_NAMES = (
    "perceptron",
    "halving",
    "alternating",
    "conjunction",
    "conjunction-negations",
    "disjunction",
    "disjunction-negations",
    "singleton",
    "tree",
    "random-experts",
)


@pytest.fixture
def duel() -> Callable[..., Record]:
    """Play a learner against an adversary: `littlestone.testing.duel`."""
    from littlestone.testing import duel  # noqa: PLC0415 - only tests that ask wait

    return duel


@pytest.fixture(params=_NAMES)
def adversary(request: pytest.FixtureRequest) -> Adversary:
    """Each of `littlestone.testing.adversaries`: the test runs once for each."""
    from littlestone.testing import adversaries  # noqa: PLC0415 - loaded when used

    return adversaries()[request.param]
