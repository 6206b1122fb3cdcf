"""Declared numbers in the terms of each theorem, for the learners it is about."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from littlestone import theorems
from littlestone.theorems import Theorem

LONGER = [
    theorem
    for theorem in theorems.all()
    if "radius" in theorem.numbers and theorem.id not in {"PERC-BIAS", "PERC-GAP"}
]


@pytest.mark.parametrize("theorem", LONGER, ids=lambda theorem: theorem.id)
def test_a_constant_feature_makes_examples_longer(theorem: Theorem) -> None:
    declared = {"radius": 3, "margin": 1}
    fitted = theorem.fit({"bias": 4.0}, declared)
    assert fitted is not None
    assert 5 < fitted["radius"] < 5 + 1e-14
    assert fitted["margin"] == 1
    assert theorem.fit({"bias": 0.0}, declared) == declared
    assert theorem.fit({}, declared) == declared


@pytest.mark.parametrize("theorem", LONGER, ids=lambda theorem: theorem.id)
def test_scaled_examples_have_no_room_for_a_constant_feature(theorem: Theorem) -> None:
    assert theorem.fit({"radius": 1.0, "bias": 0.0}, {"margin": 1}) == {"margin": 1}
    assert theorem.fit({"radius": 1.0, "bias": 0.5}, {"margin": 1}) is None


WINNOW = {"threshold": 9, "promotion": 1.25}
BALANCED = {"rate": 0.125, "scale": 2.0, "bias": 0.0}
BIASED = {"rate": 0.125, "scale": 2.0, "bias": 2.0}


@pytest.mark.parametrize(
    ("name", "known", "declared", "fitted"),
    [
        # The radius stays that of examples without the constant feature.
        ("PERC-BIAS", {"bias": 2.0}, {"radius": 3}, {"radius": 3}),
        ("PERC-BIAS", {"bias": 2.0, "radius": 1.0}, {}, None),
        # The constant feature takes the place of the radius.
        ("PERC-GAP", {"bias": -4.0}, {"radius": 3}, {"radius": 4}),
        ("PERC-GAP", {"bias": 2.0}, {"radius": 3}, None),
        ("PERC-GAP", {"bias": 2.0}, {}, None),
        ("PERC-GAP", {"bias": 2.0, "radius": 1.0}, {"radius": 1}, None),
        # Promotion 1 + gap/(2 level), and threshold n where the formula takes none.
        ("WIN2-DISJ", {**WINNOW, "promotion": 1.5}, {"features": 9}, {"features": 9}),
        ("WIN2-DISJ", {**WINNOW, "promotion": 1.5}, {"features": 8}, None),
        ("WIN2-DISJ", WINNOW, {"features": 9}, None),
        ("WIN2-KOFR", WINNOW, {"features": 9, "k": 2}, {"features": 9, "k": 2}),
        ("WIN2-KOFR", WINNOW, {"features": 9, "k": 1}, None),
        ("WIN2-KOFR", WINNOW, {"features": 9}, None),
        ("WIN2-GAP", WINNOW, {"level": 2, "gap": 1}, {"level": 2, "gap": 1}),
        ("WIN2-GAP", WINNOW, {"level": 1, "gap": 0.5}, {"level": 1, "gap": 0.5}),
        ("WIN2-GAP", WINNOW, {"level": 2, "gap": 2}, None),
        ("WIN2-GAP", WINNOW, {"level": 2}, None),
        # The rate is margin/(norm X^2), a quarter of that for a gap.
        ("BWIN-SEP", BALANCED, {"margin": 0.5}, {"margin": 0.5}),
        ("BWIN-SEP", BALANCED, {"margin": 1, "norm": 2}, {"margin": 1, "norm": 2}),
        ("BWIN-SEP", BALANCED, {"margin": 0.6}, None),
        ("BWIN-SEP", BIASED, {"margin": 0.5, "features": 3}, {"features": 4}),
        ("BWIN-ANY", BALANCED, {"features": 3}, {"features": 3}),
        ("BWIN-ANY", BIASED, {"features": 3}, {"features": 4}),
        ("BWIN-GAP", BIASED, {"gap": 2, "features": 3}, {"features": 3}),
        ("BWIN-GAP", BIASED, {"gap": Fraction(2)}, {"gap": 2}),
        ("BWIN-GAP", BIASED, {"gap": 1}, None),
        ("BWIN-GAP", BALANCED, {"gap": 2}, None),
    ],
)
def test_a_theorem_fits_the_learners_it_is_about(
    name: str,
    known: Mapping[str, Any],
    declared: Mapping[str, Any],
    fitted: Mapping[str, Any] | None,
) -> None:
    expected = None if fitted is None else {**declared, **fitted}
    assert theorems.get(name).fit(known, declared) == expected
