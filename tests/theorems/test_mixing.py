"""The bounds of mixing are those of one machine, for weighted sums."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from littlestone import theorems
from littlestone.errors import PremiseError
from littlestone.theorems import MIX_BWIN, MIX_EWA, MIX_PA, MIX_PERC


def test_numbers_by_hand() -> None:
    assert MIX_PERC.bound(radius=2, margin=1) == 4
    assert MIX_PERC.bound(radius=2, margin=2, norm=3) == 9
    # 2 K - 3 <= sqrt(K) has its end at K = 9/4.
    assert MIX_PERC.bound(radius=1, margin=2, deviation=3) == 2.25
    assert MIX_EWA.bound(eta=2, prior=1, rounds=Fraction(3), scale=2) == 3
    assert MIX_EWA.bound(eta=1, experts=5) == pytest.approx(math.log(5))


def test_they_agree_with_the_theorems_of_one_machine() -> None:
    shared = {"radius": 1.5, "margin": 0.25, "deviation": 2.5}
    assert MIX_PERC.bound(**shared) == theorems.PERC_TD.bound(**shared)
    assert MIX_PERC.bound(radius=1.5, margin=0.25, norm=3) == theorems.PERC_SEP.bound(
        radius=1.5, margin=0.25, norm=3
    )
    pa = {"radius": 1.5, "norm": 2.0}
    assert MIX_PA.bound(**pa) == theorems.PA_SEP.bound(**pa)
    pa |= {"aggressiveness": 0.5}
    assert MIX_PA.bound(**pa, hinge=3) == theorems.PA1.bound(**pa, hinge=3)
    assert MIX_PA.bound(**pa) == theorems.PA1.bound(**pa, hinge=0)
    assert MIX_PA.bound(**pa, hinge_squares=3) == theorems.PA2.bound(
        **pa, hinge_squares=3
    )
    balanced = {"features": 9, "margin": 0.5, "rate": 0.25, "scale": 1.5}
    assert MIX_BWIN.bound(**balanced) == theorems.BWIN_ANY.bound(
        **balanced, deviation=0
    )
    assert MIX_EWA.bound(eta=0.5, experts=3, rounds=100) == theorems.EWA_T.bound(
        eta=0.5, experts=3, rounds=100
    )


def test_steps_without_a_limit_bear_no_loss() -> None:
    with pytest.raises(PremiseError, match="hinge must be 0"):
        MIX_PA.bound(radius=1, norm=1, hinge=2)


def test_weighted_rounds_need_not_be_whole() -> None:
    whole = MIX_EWA.bound(eta=1, experts=2, rounds=4)
    assert MIX_EWA.bound(eta=1, experts=2, rounds=Fraction(7, 2)) < whole
