"""Batch fits in which no literal is negated, against all rules of a few features."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from littlestone.boolean import (
    fit_conjunction,
    fit_disjunction,
    fit_kcnf,
    fit_kdnf,
)
from littlestone.errors import NoConsistentConcept, ParameterError

N = 4
FITS: dict[tuple[str, int], Any] = {
    ("and", 1): fit_conjunction,
    ("or", 1): fit_disjunction,
    ("and", 2): lambda X, y, **more: fit_kcnf(X, y, 2, **more),
    ("or", 2): lambda X, y, **more: fit_kdnf(X, y, 2, **more),
}


def fitting(X: Any, y: Any, outer: str, k: int) -> bool:
    """Return whether some monotone rule fits, by trying the largest one."""
    inner, whole = (np.all, np.any) if outer == "or" else (np.any, np.all)
    parts = [
        inner(X[:, list(some)] == 1, axis=1)
        for size in range(k + 1)
        for some in itertools.combinations(range(N), size)
    ]
    # Of the parts that are right wherever the other label is, take all.
    kept = [p for p in parts if (not p[~y].any() if outer == "or" else p[y].all())]
    said = whole(np.array(kept), axis=0) if kept else np.full(len(y), outer == "and")
    return bool((said == y).all())


@pytest.mark.parametrize(("outer", "k"), FITS)
@pytest.mark.parametrize("shorten", [True, False])
def test_a_monotone_rule_is_found_wherever_there_is_one(
    outer: str, k: int, shorten: bool
) -> None:
    draw, fit = np.random.default_rng(4), FITS[outer, k]
    found = none = 0
    for _ in range(150):
        X = draw.integers(0, 2, size=(int(draw.integers(1, 7)), N))
        y = draw.random(len(X)) < 0.5
        if fitting(X, y, outer, k):
            rule = fit(X, y, monotone=True, shorten=shorten)
            assert [rule(dict(enumerate(x))) for x in X] == y.tolist()
            assert "not" not in str(rule)
            found += 1
            continue
        with pytest.raises(NoConsistentConcept, match="monotone") as caught:
            fit(X, y, monotone=True, shorten=shorten)
        examples: Any = caught.value.examples
        rows = [example.round for example in examples]
        assert not fitting(X[rows], y[rows], outer, k)
        for spared in rows:  # none of them can be spared
            fewer = [row for row in rows if row != spared]
            assert fitting(X[fewer], y[fewer], outer, k)
        none += 1
    assert min(found, none) > 10


def test_what_is_not_monotone_is_not_the_answer() -> None:
    X, y = [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "c": 1}], [1, 1, 0]
    assert str(fit_conjunction(X, y)) == "not c"
    with pytest.raises(NoConsistentConcept, match="no monotone conjunction fits"):
        fit_conjunction(X, y, monotone=True)
    with pytest.raises(ParameterError, match="monotone"):
        fit_conjunction(X, y, monotone="yes")  # type: ignore[arg-type]
