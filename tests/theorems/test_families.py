"""Each family of theorems by hand: numbers, premises, and one form against another."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import PremiseError
from littlestone.theorems import Number

positive = st.fractions(Fraction(1, 10**6), 10**6)
small = st.fractions(Fraction(1, 100), 100)


_LISTED = {"features": 20, "k": 1, "exceptions": 3, "displaced": 1}


def _just_above(found: float, expected: Decimal) -> bool:
    """Tell whether a bound is the float at or next above a number of many digits."""
    above, below = Decimal(found), Decimal(math.nextafter(found, -math.inf))
    slack = expected * Decimal(10) ** -40
    return below <= expected + slack and expected - slack <= above


@pytest.fixture(autouse=True)
def many_digits() -> None:
    getcontext().prec = 60


# Each formula at numbers that come out even, worked by hand.
@pytest.mark.parametrize(
    ("identifier", "numbers", "bound"),
    [
        (
            "PERC-BIAS",
            {"radius": 3, "margin": 0.5, "threshold": -3, "bias": 2},
            (1 + 9 / 4) * (9 + 4) * 4,
        ),
        ("PERC-BIAS", {"radius": 3, "margin": 1, "threshold": 0, "bias": -4}, 9 + 16),
        ("PERC-GAP", {"radius": 3, "gap": 2}, 16 * 9 / 4),
        ("PERC-GAP", {"radius": 3, "gap": 2, "norm": 0.5}, 9),
        ("PA-SEP", {"radius": 3, "norm": 0.5}, 2.25),
        (
            "PA1",
            {"radius": 2, "aggressiveness": 0.5, "norm": 3, "hinge": 7},
            4 * (9 + 7),  # R^2 = 4, 1/C = 2
        ),
        (
            "PA1",
            {"radius": 2, "aggressiveness": 0.125, "norm": 3, "hinge": 4},
            8 * (9 + 1),  # R^2 = 4, 1/C = 8
        ),
        (
            "PA2",
            {"radius": 2, "aggressiveness": 0.25, "norm": 3, "hinge_squares": 14},
            (4 + 2) * (9 + 7),
        ),
        (
            "WIN2-SLACK",  # n = theta, so N = 3; G = 1 + ln 1/ln 1.5 = 1; kappa = 1
            {
                "features": 1,
                "weight": 2,
                "gap": 1,
                "threshold": 1,
                "promotion": 1.5,
                "slack": 4,
            },
            2.5 * (2 + 4) + 3,
        ),
        ("DL-BLOCKS", {"features": 20, "k": 1, "blocks": 2, "saved": 10}, 113),
        ("DL-BLOCKS", {"features": 1, "k": 1, "blocks": 1}, 3),
        # N = 1 + 2n = 41 terms: 3 * 41 - 10, then 82 for a move and 1 an exception.
        ("DL-EXC", {**_LISTED, "blocks": 2, "saved": 10}, 113 + 82 + 3),
        ("DL-EXC", {**_LISTED, "blocks": 1}, 41 * 2 + 3),
        ("CONJ-EXC", {"features": 3, "exceptions": 2}, 6),
        ("DISJ-EXC", {"features": 3, "exceptions": 0}, 4),
        ("kCNF-EXC", {"features": 2, "k": 2, "exceptions": 5}, 1 + 2 + 3 + 5),
        ("kDNF-EXC", {"features": 2, "k": 1, "exceptions": 5}, 1 + 2 + 5),
        (
            "PERC-RMS",  # ((2 + sqrt(4 + 12))/2)^2
            {"mean_radius": 2, "margin": 1, "deviation": 3},
            9,
        ),
        (
            "PA-STEPS",
            {"norm": 3, "steps": 4, "mean_loss": 0.5, "gained": 1, "gain": 0.25},
            (9 + 4 - 1) * 4,
        ),
        (
            "MCPA-STEPS",
            {"norm": 1, "steps": 4, "mean_loss": 1, "gained": 0, "gain": 3},
            3,
        ),
        (
            "AROW-STEPS",
            {
                "norm": 3,
                "drift": 2,
                "steps": 4,
                "mean_loss": 0.5,
                "gained": 1,
                "gain": 0.25,
            },
            (9 + 2 + 4 - 1) * 4,
        ),
        (
            "MCAROW-STEPS",
            {
                "norm": 3,
                "drift": 2,
                "steps": 4,
                "mean_loss": 0.5,
                "gained": 1,
                "gain": 0.25,
                "strangers": 2,
            },
            (9 + 2 + 4 - 1) * 4 + 2,
        ),
        (
            "MCAROW",
            {"energy": 4, "log_det": 2, "hinge": 5, "margin_updates": 7},
            6 + 5 - 7,
        ),
        (
            "MCSOP",
            {
                "margin": 0.5,
                "deviation": 1,
                "energy": 8,
                "log_det": 2,
                "strangers": 3,
            },
            (1 + 4) * 2 + 3,
        ),
        (
            "MCPERC-RMS",  # as MCPERC-TD
            {"mean_radius": 2, "margin": 1, "deviation": 6},
            18,
        ),
        (
            "SOP",
            {"margin": 0.5, "deviation": 1, "energy": 8, "log_det": 2},
            (1 + 4) * 2,
        ),
        (
            "AROW",
            {"energy": 4, "log_det": 2, "hinge": 5, "margin_updates": 7},
            6 + 5 - 7,
        ),
        ("AROW", {"energy": 9, "log_det": 4, "hinge": 0, "margin_updates": 0}, 6),
        (
            "AROW-DIAG",
            {"radius": 3, "r": 2, "norm": 4, "hinge_squares": 6, "drift": 1},
            (9 + 2) * (16 + 3 + 1),
        ),
        ("OGD", {"rate": 0.5, "squares": 12, "norm": 2}, 4 + 3),
        ("ADAGRAD", {"drift": 6, "energy": 4}, 5),
        ("MCADAGRAD", {"drift": 6, "energy": 4}, 5),
        ("AIOLI", {"a": 1, "norm": 2, "gain": 3, "excess": 0.5}, 5.5),
        ("COIN", {"wealth": 4, "bets": 10, "excess": 0.5}, 14.5),
        (
            "FTRL-L1",
            {
                "rate": 1,
                "l1": 2,
                "l2": 1,
                "size": 3,
                "norm": 2,
                "drift": 4,
                "energy": 6,
            },
            6 + 4 + 5,
        ),
        ("EG", {"rate": 0.5, "entropy": 2, "jumps": 1}, 6),
        ("VAW", {"a": 0.5, "norm": 2, "spread": 3}, 5),
        ("ACI", {"level": 0.75, "rate": 0.25}, 4),
        ("MCPERC-SEP", {"radius": 3, "margin": 2}, 2 * 9 / 4),
        ("MCPERC-SEP", {"radius": 3, "margin": 2, "norm": 4}, 72),
        (
            "MCPERC-TD",  # ((sqrt 8 + sqrt 32)/2)^2 = (3 sqrt 2)^2
            {"radius": 2, "margin": 1, "deviation": 6},
            18,
        ),
        ("MCPA-SEP", {"radius": 3, "norm": 0.5}, 4.5),
        (
            "MCPA1",
            {"radius": 2, "aggressiveness": 0.5, "norm": 3, "hinge": 7},
            8 * (9 + 7),  # 2 R^2 = 8, 1/C = 2
        ),
        (
            "MCPA1",
            {"radius": 2, "aggressiveness": 0.0625, "norm": 3, "hinge": 8},
            16 * (9 + 1),  # 2 R^2 = 8, 1/C = 16
        ),
        (
            "MCPA2",
            {"radius": 2, "aggressiveness": 0.25, "norm": 3, "hinge_squares": 14},
            (8 + 2) * (9 + 7),
        ),
        (
            "KPERC-BUDGET",  # R |u| = 1, sqrt(B) = 4
            {"radius": 2, "budget": 16, "norm": 0.5, "hinge": 5},
            (5 + 4) / (1 - 1 / 4),
        ),
        ("KPERC-BUDGET", {"radius": 0, "budget": 1, "norm": 7, "hinge": 3}, 3),
        (
            "VOTE-FS",
            {"rounds": 7, "radius": 3, "margin": 0.5, "deviation_norm": 1},
            2 / 8 * 64,
        ),
    ],
)
def test_numbers_worked_by_hand(
    identifier: str, numbers: dict[str, float], bound: float
) -> None:
    assert theorems.get(identifier).bound(**numbers) == bound


@pytest.mark.parametrize(
    ("identifier", "numbers", "message"),
    [
        (
            "PERC-BIAS",
            {"radius": 1, "margin": 1, "threshold": 1, "bias": 0},
            "bias must not be 0, got 0",
        ),
        ("PERC-GAP", {"radius": 1, "gap": 0}, "gap must exceed 0, got 0"),
        ("PERC-GAP", {"radius": 1, "gap": 1, "norm": -1}, "norm must be at least 0"),
        (
            "WIN2-DISJ",
            {"features": 2, "relevant": 3},
            "relevant must be at most features, got 3 of 2",
        ),
        (
            "WIN2-KOFR",
            {"features": 2, "relevant": 3, "k": 1},
            "relevant must be at most features, got 3 of 2",
        ),
        (
            "WIN2-KOFR",
            {"features": 4, "relevant": 2, "k": 3},
            "k must be at most relevant, got 3 of 2",
        ),
        (
            "WIN2-KOFR",
            {"features": 4, "relevant": 2, "k": 1.5},
            "k must be a whole number above 0, got 1.5",
        ),
        (
            "WIN2-GAP",
            {"features": 4, "weight": 2, "level": 1, "gap": 1.5},
            "gap must be at most level = 1, got 1.5",
        ),
        (
            "WIN2-GAP",
            {"features": 4, "weight": 2, "level": 0, "gap": 1},
            "level must exceed 0, got 0",
        ),
        (
            "WIN2-GAP",
            {"features": 4, "weight": -1, "level": 1, "gap": 1},
            "weight must be at least 0, got -1",
        ),
        ("BWIN-SEP", {"features": 0, "margin": 1}, "features must be a whole number"),
        ("BWIN-SEP", {"features": 2, "margin": 0}, "margin must exceed 0, got 0"),
        ("BWIN-SEP", {"features": 2, "margin": 1, "norm": 0}, "norm must exceed 0"),
        ("BWIN-GAP", {"features": 2, "gap": 1, "scale": 0}, "scale must exceed 0"),
        (
            "BWIN-ANY",
            {"features": 2, "margin": 1, "deviation": 0, "rate": 0.5, "scale": 2},
            r"rate must be below 2 margin/scale\^2 = 0.5, got 0.5",
        ),
        (
            "BWIN-ANY",
            {"features": 2, "margin": 1, "deviation": 0, "rate": 0},
            "rate must exceed 0, got 0",
        ),
        (
            "PA1",
            {"radius": 1, "aggressiveness": 0, "norm": 1, "hinge": 0},
            "aggressiveness must exceed 0, got 0",
        ),
        (
            "MCPA2",
            {"radius": 1, "aggressiveness": 1, "norm": 1, "hinge_squares": -1},
            "hinge_squares must be at least 0, got -1",
        ),
        (
            "SOP",
            {"margin": 1, "deviation": 0, "energy": -1, "log_det": 1},
            "energy must be at least 0, got -1",
        ),
        (
            "AROW",
            {"energy": 1, "log_det": 1, "hinge": 0, "margin_updates": 0.5},
            "margin_updates must be a whole number, got 0.5",
        ),
        (
            "AROW",  # sqrt(1 (1 + 8)) - 8
            {"energy": 1, "log_det": 1, "hinge": 0, "margin_updates": 8},
            "margin_updates must be at most .*, as in every run, got 8",
        ),
        (
            "AROW-DIAG",
            {"radius": 1, "r": 0, "norm": 1, "hinge_squares": 0, "drift": 0},
            "r must exceed 0, got 0",
        ),
        (
            "KPERC-BUDGET",
            {"radius": 2, "budget": 4, "norm": 1, "hinge": 0},
            r"budget must exceed \(radius norm\)\^2 = 4, got 4",
        ),
        (
            "KPERC-BUDGET",
            {"radius": 1, "budget": 1.5, "norm": 1, "hinge": 0},
            "budget must be a whole number above 0, got 1.5",
        ),
        (
            "VOTE-FS",
            {"rounds": 0, "radius": 1, "margin": 1, "deviation_norm": 0},
            "rounds must be a whole number above 0, got 0",
        ),
    ],
)
def test_premises_that_cannot_hold(
    identifier: str, numbers: dict[str, float], message: str
) -> None:
    with pytest.raises(PremiseError, match=message):
        theorems.get(identifier).bound(**numbers)


# For each theorem numbers that are legal, those that raise the bound when doubled, and
# those that lower it. The others are whole or have no direction.
LEGAL: dict[str, tuple[dict[str, float], str, str]] = {
    "PERC-BIAS": (
        {"radius": 2, "margin": 0.5, "threshold": 1, "bias": 3},
        "radius threshold",
        "margin",
    ),
    "PERC-GAP": ({"radius": 2, "gap": 0.5, "norm": 3}, "radius norm", "gap"),
    "WIN2-DISJ": ({"features": 9, "relevant": 2}, "features relevant", ""),
    "WIN2-KOFR": ({"features": 9, "relevant": 4, "k": 2}, "features relevant k", ""),
    "WIN2-GAP": (
        {"features": 9, "weight": 4, "level": 2, "gap": 0.5, "smallest": 0.25},
        "features weight",
        "gap smallest",
    ),
    "WIN2-DNF": (
        {
            "features": 9,
            "k": 2,
            "relevant": 2,
            "threshold": 40,
            "promotion": 1.5,
            "deviation": 3,
        },
        "features k relevant deviation",
        "",
    ),
    "BWIN-SEP": (
        {"features": 9, "margin": 0.5, "scale": 2, "norm": 3},
        "features scale norm",
        "margin",
    ),
    "BWIN-ANY": (
        {"features": 9, "margin": 1, "deviation": 4, "rate": 0.25, "scale": 1},
        "features deviation scale",
        "margin",
    ),
    "BWIN-GAP": (
        {"features": 9, "gap": 0.5, "scale": 2, "norm": 3},
        "features scale norm",
        "gap",
    ),
    "PA-SEP": ({"radius": 2, "norm": 3}, "radius norm", ""),
    "PA1": (
        {"radius": 2, "aggressiveness": 0.5, "norm": 3, "hinge": 4},
        "radius norm hinge",
        "",
    ),
    "PA2": (
        {"radius": 2, "aggressiveness": 0.5, "norm": 3, "hinge_squares": 4},
        "radius norm hinge_squares",
        "",
    ),
    "PERC-RMS": (
        {"mean_radius": 2, "margin": 0.5, "deviation": 3},
        "mean_radius deviation",
        "margin",
    ),
    "BWIN-RMS": (
        {"features": 9, "margin": 1, "deviation": 4, "rate": 0.25, "mean_scale": 1},
        "features deviation mean_scale",
        "margin",
    ),
    "MCPERC-RMS": (
        {"mean_radius": 2, "margin": 0.5, "deviation": 3},
        "mean_radius deviation",
        "margin",
    ),
    "PA-ORDER": (
        {"price": 2, "potential": 3, "owed": 4},
        "price potential owed",
        "",
    ),
    "MCPA-ORDER": (
        {"price": 2, "potential": 3, "owed": 4},
        "price potential owed",
        "",
    ),
    "BWIN-ORDER": (
        {"price": 2, "potential": 3, "owed": 4},
        "price potential owed",
        "",
    ),
    "BWIN-STEPS": (
        {"price": 2, "potential": 3, "grown": 1, "owed": 4},
        "price potential grown owed",
        "",
    ),
    "SOP-ORDER": (
        {"price": 2, "potential": 3, "owed": 4, "portion": 0.5},
        "price potential owed",
        "",
    ),
    "AROW-ORDER": (
        {"r": 2, "norm": 3, "residual": 4, "log_det": 5},
        "r norm residual log_det",
        "",
    ),
    "PA-STEPS": (
        {"norm": 3, "steps": 4, "mean_loss": 0.5, "gained": 1, "gain": 0.25},
        "norm steps mean_loss",
        "gained gain",
    ),
    "MCPA-STEPS": (
        {"norm": 3, "steps": 4, "mean_loss": 0.5, "gained": 1, "gain": 0.25},
        "norm steps mean_loss",
        "gained gain",
    ),
    "RESTART": (
        {"best": 20, "pieces": 3, "batches": 100, "beta": 0.5},
        "best pieces batches",
        "",
    ),
    "WM-RESTART": (
        {"best": 20, "pieces": 3, "batches": 100, "beta": 0.8, "experts": 13},
        "best pieces batches experts",
        "",
    ),
    "MCSOP": (
        {
            "margin": 0.5,
            "deviation": 1,
            "energy": 8,
            "log_det": 2,
            "strangers": 1,
        },
        "deviation energy log_det strangers",
        "margin",
    ),
    "MCAROW": (
        {
            "energy": 40,
            "log_det": 2,
            "hinge": 5,
            "margin_updates": 7,
            "strangers": 1,
        },
        "energy log_det hinge strangers",
        "",
    ),
    "MCAROW-STEPS": (
        {
            "norm": 3,
            "drift": 2,
            "steps": 4,
            "mean_loss": 0.5,
            "gained": 1,
            "gain": 0.25,
            "strangers": 1,
        },
        "norm drift steps mean_loss strangers",
        "gained gain",
    ),
    "AROW-STEPS": (
        {
            "norm": 3,
            "drift": 2,
            "steps": 4,
            "mean_loss": 0.5,
            "gained": 1,
            "gain": 0.25,
        },
        "norm drift steps mean_loss",
        "gained gain",
    ),
    "SOP": (
        {"margin": 0.5, "deviation": 1, "energy": 3, "log_det": 2},
        "deviation energy log_det",
        "margin",
    ),
    "AROW": (
        {"energy": 9, "log_det": 2, "hinge": 5, "margin_updates": 3},
        "energy log_det hinge",
        "",
    ),
    "AROW-DIAG": (
        {"radius": 2, "r": 3, "norm": 2, "hinge_squares": 4, "drift": 1},
        "radius norm hinge_squares drift",
        "",
    ),
    "MCPERC-SEP": ({"radius": 2, "margin": 0.5, "norm": 3}, "radius norm", "margin"),
    "MCPERC-TD": (
        {"radius": 2, "margin": 0.5, "deviation": 3},
        "radius deviation",
        "margin",
    ),
    "MCPA-SEP": ({"radius": 2, "norm": 3}, "radius norm", ""),
    "MCPA1": (
        {"radius": 2, "aggressiveness": 0.5, "norm": 3, "hinge": 4},
        "radius norm hinge",
        "",
    ),
    "MCPA2": (
        {"radius": 2, "aggressiveness": 0.5, "norm": 3, "hinge_squares": 4},
        "radius norm hinge_squares",
        "",
    ),
    "KPERC-BUDGET": (
        {"radius": 2, "budget": 40, "norm": 1.5, "hinge": 4},
        "radius norm hinge",
        "",
    ),
    "VOTE-FS": (
        {"rounds": 9, "radius": 2, "margin": 0.5, "deviation_norm": 1},
        "radius deviation_norm",
        "margin rounds",
    ),
}


@pytest.mark.parametrize("identifier", LEGAL)
def test_the_bound_moves_the_right_way(identifier: str) -> None:
    theorem, (numbers, up, down) = theorems.get(identifier), LEGAL[identifier]
    bound = theorem.bound(**numbers)
    for name in up.split():
        assert theorem.bound(**{**numbers, name: 2 * numbers[name]}) > bound
    for name in down.split():
        assert theorem.bound(**{**numbers, name: 2 * numbers[name]}) < bound


@pytest.mark.parametrize("identifier", LEGAL)
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_every_number_must_be_finite(identifier: str, bad: float) -> None:
    theorem, (numbers, _, _) = theorems.get(identifier), LEGAL[identifier]
    for name in numbers:
        with pytest.raises(PremiseError, match=f": {name} must be a finite number"):
            theorem.bound(**{**numbers, name: bad})


# What one form says of another --------------------------------------------------------


@given(positive, positive, positive)
def test_two_classes_joined_are_one_perceptron_with_twice_the_square(
    radius: Fraction, margin: Fraction, deviation: Fraction
) -> None:
    numbers = {"radius": radius, "margin": margin}
    separable = theorems.MCPERC_SEP.bound(**numbers)
    assert theorems.MCPERC_TD.bound(**numbers, deviation=0) == separable
    # sqrt(2) lies between 1.4142 and 1.4143
    found = theorems.MCPERC_TD.formula(**numbers, deviation=deviation)
    low, high = (
        theorems.PERC_TD.formula(
            radius=Fraction(factor) * radius, margin=margin, deviation=deviation
        )
        for factor in ("1.4142", "1.4143")
    )
    assert low < found < high


@given(positive, positive, positive)
def test_without_loss_every_step_size_is_the_separable_one(
    radius: Fraction, norm: Fraction, aggressiveness: Fraction
) -> None:
    numbers = {"radius": radius, "norm": norm}
    for separable, first, second in (
        (theorems.PA_SEP, theorems.PA1, theorems.PA2),
        (theorems.MCPA_SEP, theorems.MCPA1, theorems.MCPA2),
    ):
        bound = separable.formula(**numbers)
        large = max(1 / radius**2, aggressiveness)  # so that 1/C <= R^2
        assert first.formula(**numbers, aggressiveness=large, hinge=0) == bound
        loose = second.formula(**numbers, aggressiveness=large, hinge_squares=0)
        assert bound < loose <= bound * 3 / 2


@given(positive, positive, positive)
def test_a_threshold_of_zero_costs_only_the_longer_examples(
    radius: Fraction, margin: Fraction, bias: Fraction
) -> None:
    found = theorems.PERC_BIAS.formula(
        radius=radius, margin=margin, threshold=0, bias=bias
    )
    longer = theorems.PERC_SEP.formula(radius=bias, margin=margin)
    assert found == theorems.PERC_SEP.formula(radius=radius, margin=margin) + longer


@given(positive, positive, st.integers(-100, 100))
def test_a_gap_is_never_better_than_its_own_threshold(
    radius: Fraction, gap: Fraction, percent: int
) -> None:
    # Both classes occur, so a vector of length 1 has its threshold within the radius.
    tight = theorems.PERC_BIAS.bound(
        radius=radius, margin=gap / 2, threshold=radius * percent / 100, bias=radius
    )
    assert tight <= theorems.PERC_GAP.bound(radius=radius, gap=gap)


@given(st.integers(1, 1000), small, small, small)
def test_balanced_winnow_without_deviation_at_the_best_rate_is_separable(
    features: int, margin: Fraction, scale: Fraction, norm: Fraction
) -> None:
    best = margin / scale**2
    numbers: dict[str, Number] = {"features": features, "scale": scale}

    def any_rate(rate: Fraction) -> float:
        return theorems.BWIN_ANY.bound(**numbers, margin=margin, deviation=0, rate=rate)

    separable = theorems.BWIN_SEP.bound(**numbers, margin=margin * norm, norm=norm)
    assert any_rate(best) == separable
    assert any_rate(best * Fraction(9, 10)) > separable < any_rate(best * 11 / 10)
    longer = theorems.BWIN_SEP.bound(
        features=features + 1, scale=scale, margin=margin / 4
    )
    assert theorems.BWIN_GAP.bound(**numbers, gap=margin) == longer


@given(st.integers(1, 10**6), st.integers(1, 50), st.integers(1, 50))
def test_winnow_targets_go_by_the_one_formula(n: int, r: int, k: int) -> None:
    r = min(n, r)
    k = min(r, k)
    by_count = theorems.WIN2_KOFR.bound(features=n, relevant=r, k=k)
    numbers = {"features": n, "threshold": n}
    assert by_count == theorems.WIN2_SEP.bound(
        **numbers, weight=Fraction(r, k), gap=Fraction(1, k)
    )
    assert by_count == theorems.WIN2_GAP.bound(features=n, weight=r, level=k, gap=1)
    disjunction = theorems.WIN2_DISJ.bound(features=n, relevant=r)
    assert disjunction == theorems.WIN2_KOFR.bound(features=n, relevant=r, k=1)
    # kappa = (1 + 1/k)/(2k) and N = 2k + 1 for beta = 1 + 1/(2k) and theta = n
    kappa, large_n = (1 + 1 / k) / (2 * k), 2 * k + 1
    growth = 1 + math.log(n) / math.log1p(1 / (2 * k))
    u = (r / k * growth + (1 - 1 / k) * large_n) / kappa
    expected = (2 + 1 / (2 * k)) * u + large_n
    assert by_count == pytest.approx(expected, rel=1e-12)


@given(st.integers(1, 30), st.integers(1, 20), st.integers(1, 20), st.integers(1, 8))
def test_winnow_with_a_gap_takes_threshold_and_smallest(
    n: int, weight: int, level: int, eighths: int
) -> None:
    numbers = {"features": n, "threshold": 2, "smallest": 0.125}
    gap = Fraction(level * eighths, 8)
    found = theorems.WIN2_GAP.bound(**numbers, weight=weight, level=level, gap=gap)
    assert found == theorems.WIN2_SEP.bound(
        **numbers, weight=Fraction(weight, level), gap=Fraction(eighths, 8)
    )


@given(small, small, small, st.integers(1, 100))
def test_a_budget_costs_more_than_none(
    radius: Fraction, norm: Fraction, hinge: Fraction, extra: int
) -> None:
    budget = math.floor((radius * norm) ** 2) + extra
    numbers = {"radius": radius, "norm": norm, "hinge": hinge}
    found = theorems.KPERC_BUDGET.bound(**numbers, budget=budget)
    # M <= H + R |u| sqrt(M) without a budget, and the bound solves M = H + a (M + B).
    a = float(radius * norm) / math.sqrt(budget)
    assert found >= float(hinge)
    assert found == pytest.approx(float(hinge) + a * (found + budget), rel=1e-6)


# Rounding -----------------------------------------------------------------------------


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


@given(st.integers(1, 10**9), small, small, small)
def test_balanced_winnow_is_rounded_up(
    features: int, margin: Fraction, scale: Fraction, norm: Fraction
) -> None:
    found = theorems.BWIN_SEP.bound(
        features=features, margin=margin, scale=scale, norm=norm
    )
    factor = 2 * (norm * scale / margin) ** 2
    getcontext().prec = 80
    logarithm = Decimal(2 * features).ln()
    assert _just_above(found, _decimal(factor) * logarithm)
    rational = theorems.BWIN_SEP.formula(
        features=features, margin=margin, scale=scale, norm=norm
    )
    assert rational > factor * Fraction(logarithm)


@given(st.integers(1, 10**9), st.integers(1, 100))
def test_the_disjunction_bound_is_rounded_up(n: int, r: int) -> None:
    r = min(n, r)
    found = theorems.WIN2_DISJ.bound(features=n, relevant=r)
    growth = 1 + Decimal(n).ln() / Decimal("1.5").ln()
    assert _just_above(found, Decimal("2.5") * r * growth + 3)


@given(small, small, small, small)
def test_second_order_bounds_are_rounded_up(
    margin: Fraction, deviation: Fraction, energy: Fraction, log_det: Fraction
) -> None:
    found = theorems.SOP.bound(
        margin=margin, deviation=deviation, energy=energy, log_det=log_det
    )
    root = _decimal(energy * log_det).sqrt()
    assert _just_above(found, (_decimal(deviation) + root) / _decimal(margin))
    found = theorems.AROW.bound(
        energy=energy + 3, log_det=log_det, hinge=deviation, margin_updates=3
    )
    root = _decimal((energy + 3) * (log_det + 3)).sqrt()
    assert _just_above(found, root + _decimal(deviation) - 3)


@given(small, small, small)
def test_the_multiclass_root_is_rounded_up(
    radius: Fraction, margin: Fraction, deviation: Fraction
) -> None:
    found = theorems.MCPERC_TD.bound(radius=radius, margin=margin, deviation=deviation)
    square = _decimal(2 * radius**2)
    root = (square + _decimal(4 * margin * deviation)).sqrt()
    expected = ((square.sqrt() + root) / _decimal(2 * margin)) ** 2
    assert _just_above(found, expected)


@given(small, small, small, st.integers(1, 100))
def test_the_budget_bound_is_rounded_up(
    radius: Fraction, norm: Fraction, hinge: Fraction, extra: int
) -> None:
    budget = math.floor((radius * norm) ** 2) + extra
    found = theorems.KPERC_BUDGET.bound(
        radius=radius, budget=budget, norm=norm, hinge=hinge
    )
    r, root = _decimal(radius * norm), Decimal(budget).sqrt()
    assert _just_above(found, (_decimal(hinge) + r * root) / (1 - r / root))


def test_a_budget_just_large_enough_still_has_a_bound() -> None:
    # R |u| = 1 - 2^-300: its root rounded up would leave nothing to divide by.
    tiny = Fraction(1, 2**300)
    found = theorems.KPERC_BUDGET.formula(radius=1 - tiny, budget=1, norm=1, hinge=0)
    assert found == (1 - tiny) / tiny
