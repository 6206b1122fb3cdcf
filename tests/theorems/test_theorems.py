"""The theorems give the numbers worked by hand, rounded up and never down."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import PremiseError
from littlestone.theorems._rounding import ceil_log, float_up, ln_bounds, sqrt_up

positive = st.fractions(Fraction(1, 10**6), 10**6)


@pytest.mark.parametrize(
    ("identifier", "numbers", "bound"),
    [
        ("PERC-SEP", {"radius": 1, "margin": 0.5}, 4.0),
        ("PERC-SEP", {"radius": 3, "margin": 2, "norm": 4}, 36.0),
        ("PERC-TD", {"radius": 1, "margin": 0.5, "deviation": 0}, 4.0),
        ("PERC-TD", {"radius": 3, "margin": 1, "deviation": 4}, 16.0),  # (3 + 5)/2
        ("PERC-HINGE", {"radius": 3, "margin": 1, "hinge": 4}, 17.0),
        ("PERC-FS", {"radius": 3, "margin": 0.5, "deviation_norm": 1}, 64.0),
        ("WIN1", {"features": 24, "relevant": 3}, 31.0),  # 2 * 3 * 5 + 1
        ("WIN1", {"features": 1024, "relevant": 5}, 101.0),
        ("WIN1", {"features": 1, "relevant": 1}, 1.0),
        (
            "WIN1",  # 3 * 2 * ceil(log_3 27) + 54/27
            {"features": 54, "relevant": 2, "threshold": 27, "promotion": 3},
            20.0,
        ),
        # delta = 1: u = S (1 + log_1.5 2.25) = 9, N = 3 * 9 / 2.25 = 12
        (
            "WIN2-SEP",
            {"features": 9, "weight": 3, "gap": 1, "threshold": 2.25},
            2.5 * 9 + 12,
        ),
        # beta = 5/4, kappa = 3/8, N = 5, u = (2 + 5/2) / (3/8) = 12
        (
            "WIN2-SEP",
            {"features": 1, "weight": 2, "gap": 0.5, "threshold": 1},
            2.25 * 12 + 5,
        ),
    ],
)
def test_numbers_worked_by_hand(
    identifier: str, numbers: dict[str, float], bound: float
) -> None:
    found = theorems.get(identifier).bound(**numbers)
    assert bound <= found <= bound * (1 + 1e-15)


@given(positive, positive, positive)
def test_without_deviation_every_form_is_the_separable_one(
    radius: Fraction, margin: Fraction, norm: Fraction
) -> None:
    numbers = {"radius": radius, "margin": margin}
    expected = theorems.PERC_SEP.bound(**numbers)
    assert theorems.PERC_TD.bound(**numbers, deviation=0) == expected
    assert theorems.PERC_HINGE.bound(**numbers, hinge=0) == expected
    assert theorems.PERC_FS.bound(**numbers, deviation_norm=0) == expected
    assert (
        theorems.PERC_SEP.bound(radius=radius * norm, margin=margin * norm) == expected
    )


@given(positive, positive, positive)
def test_total_deviation_is_never_worse_than_hinge(
    radius: Fraction, margin: Fraction, deviation: Fraction
) -> None:
    td = theorems.PERC_TD.bound(radius=radius, margin=margin, deviation=deviation)
    hinge = theorems.PERC_HINGE.bound(
        radius=radius, margin=margin, hinge=deviation / margin
    )
    assert td <= math.nextafter(hinge, math.inf)


@given(st.integers(1, 500), st.integers(1, 20), st.sampled_from([0.1, 0.5, 1.0]))
def test_winnow_is_never_worse_than_the_figure_of_1988(
    n: int, s: int, gap: float
) -> None:
    littlestone = 8 * n / (gap**2 * n) + (5 / gap + 14 * math.log(n) / gap**2) * s
    ours = theorems.WIN2_SEP.bound(features=n, weight=s, gap=gap, threshold=n)
    assert ours <= littlestone * (1 + 1e-12)


@pytest.mark.parametrize(
    ("identifier", "numbers", "message"),
    [
        ("PERC-SEP", {"radius": 1, "margin": 0}, "margin must exceed 0, got 0"),
        ("PERC-SEP", {"radius": -1, "margin": 1}, "radius must be at least 0, got -1"),
        (
            "PERC-SEP",
            {"radius": math.nan, "margin": 1},
            "radius must be a finite number",
        ),
        (
            "PERC-TD",
            {"radius": 1, "margin": 1, "deviation": -1},
            "deviation must be at",
        ),
        (
            "WIN1",
            {"features": 0, "relevant": 1},
            "features must be a whole number above",
        ),
        ("WIN1", {"features": 2, "relevant": 3}, "relevant must be at most features"),
        (
            "WIN2-SEP",
            {"features": 2, "weight": 1, "gap": 0.5, "threshold": 1, "promotion": 2},
            r"promotion must be below 1/\(1 - gap\) = 2, got 2",
        ),
        (
            "WIN2-SEP",
            {"features": 2, "weight": 1, "gap": 0, "threshold": 1},
            r"gap must lie in \(0, 1\], got 0",
        ),
        (
            "WIN2-SEP",
            {"features": 2, "weight": 1, "gap": 1, "threshold": 1, "smallest": 0},
            r"smallest must lie in \(0, 1\]",
        ),
    ],
)
def test_premises_that_cannot_hold(
    identifier: str, numbers: dict[str, float], message: str
) -> None:
    with pytest.raises(PremiseError, match=message):
        theorems.get(identifier).bound(**numbers)


# Rounding -------------------------------------------------------------------------


@given(positive)
def test_roots_are_rounded_up(number: Fraction) -> None:
    root = sqrt_up(number)
    assert number <= root**2 <= number * (1 + Fraction(1, 10**30))


@given(st.fractions(-(10**6), 10**6))
def test_floats_are_rounded_up_to_the_next(number: Fraction) -> None:
    up = float_up(number)
    assert Fraction(math.nextafter(up, -math.inf)) < number <= Fraction(up)


@given(positive)
def test_logarithms_are_enclosed(number: Fraction) -> None:
    low, high = ln_bounds(number)
    getcontext().prec = 80
    quotient = Decimal(number.numerator) / Decimal(number.denominator)
    assert low <= Fraction(quotient.ln()) <= high
    assert high - low < Fraction(1, 10**50)


@given(st.fractions(Fraction(1001, 1000), 20), st.fractions(Fraction(1, 100), 10**4))
def test_the_whole_logarithm_is_exact(base: Fraction, number: Fraction) -> None:
    j = ceil_log(base, number)
    assert base**j >= number
    assert j == 0 or base ** (j - 1) < number


def test_a_bound_too_large_for_a_float_is_infinite() -> None:
    assert theorems.PERC_SEP.bound(radius=1e300, margin=1e-300) == math.inf


def test_whole_numbers_of_numpy_do_not_overflow() -> None:
    numbers: dict[str, Any] = {"radius": np.int64(2**40), "margin": np.float32(1)}
    assert theorems.PERC_SEP.bound(**numbers) == 2.0**80
    numbers = {"best": np.int64(1), "experts": np.int64(2), "beta": 0.5}
    true = theorems.WM.bound(best=1, experts=2, beta=0.5)
    assert theorems.WM.bound(**numbers) == true
