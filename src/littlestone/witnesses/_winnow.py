r"""Witnesses for Winnow: nonnegative weights with a gap.

`WIN2-SEP` is, up to a constant, the ratio of $G \sum_i \mu_i + (1 - \delta) N$ and
$\kappa = 1 - (1 - \delta)\beta$. Dividing $\mu$ and $t = 1 - \delta$ by $\kappa$
gives a linear program: minimise $G \sum_i \mu_i + N t$ with $\mu \cdot x \ge 1 + \beta
t$ on every missed yes and $\mu \cdot x \le t$ on every false alarm.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.theorems._rounding import float_down
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import LOST, Examples, add_up, vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["linear_program", "winnow"]

# How many rows enter a linear program at a time, and how often.
_ROWS = 400
_LARGEST = 200_000  # values in one with a slack for each row
_TURNS = 40
# The promotion of WIN2-DISJ.
_DISJUNCTION = Fraction(3, 2)


def winnow(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    mu: Mapping[Feature, float] | None = None,
    *,
    passes: int | None = None,
) -> list[Candidate]:
    """Return the bounds on Winnow's mistakes, the smallest first.

    Where no nonnegative weights separate the mistakes, `WIN2-SLACK` counts by how much
    the best miss. SciPy finds the best ones, and without it only disjunctions are
    tried.

    Parameters
    ----------
    kept
        The examples of the updates, or of all rounds for a bound in every order.
    parameters
        The parameters of the learner.
    mu
        Weights to use in place of a search.
    passes
        None for a linear program; otherwise only disjunctions are tried.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import winnow
    >>> from littlestone.linear import Winnow
    >>> stream = [({"a": 1, "c": 1}, True), ({"c": 1}, False), ({"b": 1}, True)] * 9
    >>> record = run(Winnow(threshold=3, eliminate=True), stream, keep="updates")
    >>> record.mistakes, winnow(record.examples, record.learner.parameters)
    (3, [Candidate(WIN1: 9)])
    """
    examples = Examples.of(kept, passes=passes)
    every = kept.changed is not None
    common = {
        "features": max(len(kept.features), 1),
        "threshold": parameters["threshold"],
        "promotion": parameters["promotion"],
    }
    found: list[Candidate] = []
    if not every:
        found += _without_slack(examples, kept.features, parameters, mu, common)
    if not parameters["eliminate"] and len(examples) and passes is None:
        times = 1 if every else 2
        loose = _slack(examples, mu, common, kept.features, times=times)
        found += loose
        if mu is None and not every and any(c.repeats(len(kept)) for c in loose):
            most = LOST * len(kept) / (1 + float(parameters["promotion"]))
            found += _slack(examples, mu, common, kept.features, times=1, most=most)
    best: dict[tuple[str, bool], Candidate] = {}
    for candidate in sorted(found, key=lambda candidate: candidate.bound):
        best.setdefault((candidate.theorem.id, candidate.repeats(len(kept))), candidate)
    return list(best.values())


def _without_slack(
    examples: Examples,
    features: tuple[Feature, ...],
    parameters: Mapping[str, Any],
    mu: Mapping[Feature, float] | None,
    common: Mapping[str, Any],
) -> list[Candidate]:
    """Return the bounds for weights that separate the examples."""
    if examples.rows(examples.signs > 0).some_empty:
        return []  # no weights say yes to an empty row
    given = None
    if not len(examples):
        given = np.zeros(0)
    elif mu is not None:
        given = np.array([float(mu.get(name, 0.0)) for name in features])
    chosen = _relevant(examples, given)
    found = []
    if chosen is not None:
        found += _disjunctive(chosen, parameters, features)
    if parameters["eliminate"]:
        return found
    tried = [chosen, given]
    if given is None and examples.passes is None:
        theta, beta = float(common["threshold"]), float(common["promotion"])
        tried.append(_program(examples, theta, beta))
    for weights in tried:
        if weights is not None:
            found += _gap(examples, weights, common, features)
            found += _k_of_r(examples, weights, common, features)
    return found


def _relevant(examples: Examples, given: Floats | None) -> Floats | None:
    """Return a mask of features whose disjunction is the label, or None."""
    if not (examples.values == 1).all():
        return None
    chosen = disjunction(examples) if given is None else given
    if chosen is None or set(chosen[chosen != 0].tolist()) != {1.0}:
        return None
    said = examples.scores(chosen)[1] > 0
    return chosen if (said == (examples.signs > 0)).all() else None


def _disjunctive(
    chosen: Floats, parameters: Mapping[str, Any], features: tuple[Feature, ...]
) -> list[Candidate]:
    theta, beta = parameters["threshold"], parameters["promotion"]
    witness = vector(chosen, features, constant=False)
    relevant = int(chosen.sum())
    if parameters["eliminate"]:
        numbers = {
            "features": len(features),
            "relevant": relevant,
            "threshold": theta,
            "promotion": beta,
        }
        return [Candidate.of(theorems.WIN1, witness, numbers)]
    if Fraction(beta) != _DISJUNCTION or Fraction(theta).denominator != 1:
        return []
    if theta < len(features):
        return []
    numbers = {"features": int(theta), "relevant": relevant}
    return [Candidate.of(theorems.WIN2_DISJ, witness, numbers)]


def disjunction(examples: Examples) -> Floats | None:
    """Return few features such that each yes has one and no other row has any, or None.

    Greedily choose the feature that covers most rows not covered yet; then drop those
    that the others make redundant.
    """
    rows = np.repeat(np.arange(len(examples)), np.diff(examples.offsets))
    yes = examples.signs > 0
    allowed = np.ones(examples.width, dtype=np.bool_)
    allowed[examples.columns[~yes[rows]]] = False
    useful = allowed[examples.columns] & yes[rows]
    columns, rows = examples.columns[useful], rows[useful]
    open_rows = yes.copy()
    chosen: list[int] = []
    while open_rows.any():
        counts = np.bincount(columns[open_rows[rows]], minlength=examples.width)
        column = int(np.argmax(counts))
        if not counts[column]:
            return None
        chosen.append(column)
        open_rows[rows[columns == column]] = False
    mask = np.zeros(examples.width)
    mask[chosen] = 1.0
    covered = np.bincount(rows, weights=mask[columns], minlength=len(examples))
    for column in chosen:
        its = rows[columns == column]
        if (covered[its] > 1).all():
            mask[column] = 0.0
            covered[its] -= 1
    return mask if mask.any() else None


def _slack(
    examples: Examples,
    given: Mapping[Feature, float] | None,
    common: Mapping[str, Any],
    features: tuple[Feature, ...],
    *,
    times: int,
    most: float | None = None,
) -> list[Candidate]:
    """Evaluate `WIN2-SLACK`, for which any weights will do.

    For a gap, the best weights are those of a linear program; of many rounds, the best
    for every so many of them. They miss no more than `most`, if that is given.
    """
    beta = float(common["promotion"])
    growth = _growth(
        float(common["threshold"]), beta, float(examples.values.min(initial=1.0))
    )
    best: Candidate | None = None
    for level in (0.0, 0.25 / beta):
        if given is not None:
            mu = np.array([max(float(given.get(name, 0.0)), 0.0) for name in features])
        else:
            solved = _slack_program(examples, growth, level, times, most)
            if solved is None:
                break
            mu = solved
        low, high = examples.scores(mu)
        yes = examples.signs > 0
        gap = float_down(1 - Fraction(level))
        missed = np.where(yes, 1.0 - low, high - (1 - gap))
        missed = np.nextafter(np.maximum(missed, 0.0), math.inf) * (missed > 0)
        numbers = dict(common) | {
            "weight": add_up(mu),
            "gap": gap,
            "smallest": min(float(examples.values.min(initial=1.0)), 1.0),
            "slack": add_up(missed) * (1 + 2.0**-40),
        }
        witness = vector(mu, features, constant=False)
        found = Candidate.of(theorems.WIN2_SLACK, witness, numbers)
        if best is None or found.bound < best.bound:
            best = found
    return [] if best is None else [best]


def _slack_program(
    examples: Examples, growth: float, level: float, times: int, most: float | None
) -> Floats | None:
    """Return weights that minimise growth times their sum and what they miss.

    They miss no more than `most` altogether, if that is given.
    """
    try:
        from scipy import optimize, sparse  # noqa: PLC0415 - only where it is needed
    except ImportError:
        return None
    whole, examples = len(examples), examples.at_most(_LARGEST)
    table = examples.signed(sparse)
    m, n = table.shape
    limits = [-sparse.hstack([table, sparse.identity(m)])]
    levels = -np.where(examples.signs > 0, 1.0, -level)
    if most is not None:
        limits.append(sparse.csr_matrix(np.append(np.zeros(n), np.ones(m))))
        levels = np.append(levels, most * m / whole)
    answer = optimize.linprog(
        np.append(np.full(n, growth), np.full(m, times * whole / m)),
        A_ub=sparse.vstack(limits).tocsr(),
        b_ub=levels,
        bounds=(0, None),
        method="highs",
        options={"time_limit": 5.0},
    )
    return None if answer.x is None else np.asarray(answer.x[:n], dtype=np.float64)


def _growth(theta: float, beta: float, smallest: float) -> float:
    """Return G of the theorem, precisely enough for a search."""
    ln_beta = math.log(beta)
    return math.log(theta) / ln_beta + max(
        1.0, smallest + math.log(1 / smallest) / ln_beta
    )


def _program(examples: Examples, theta: float, beta: float) -> Floats | None:
    """Return the best weights, up to their scale, or None."""
    smallest = float(examples.values.min(initial=1.0))
    n = examples.width
    costs = np.full(n + 1, _growth(theta, beta, smallest))
    costs[n] = beta / (beta - 1) * n / theta
    # As mu.x - (beta t or t) >= (1 or 0), with the signs of a no reversed.
    yes = examples.signs > 0
    solution = linear_program(
        examples,
        costs,
        np.where(yes, -beta, 1.0)[:, np.newaxis],
        np.where(yes, 1.0, 0.0),
    )
    return None if solution is None else solution[:n]


def linear_program(
    examples: Examples, costs: Floats, extra: Floats, levels: Floats
) -> Floats | None:
    """Return the cheapest z >= 0 with y x.z + extra.z >= level on each row, or None.

    The first entries of z belong to the columns, the last ones to `extra`. Rows are
    added as they are violated, so that many rows need not cost much. Also None if SciPy
    is not installed, or takes too long.
    """
    try:
        from scipy import optimize, sparse  # noqa: PLC0415 - only where it is needed
    except ImportError:
        return None
    parts = [examples.signed(sparse), sparse.csr_matrix(extra)]
    table = sparse.hstack(parts).tocsr()
    inside = np.zeros(len(examples), dtype=np.bool_)
    inside[: _ROWS // 2] = inside[-_ROWS // 2 :] = True
    z: Floats | None = None
    for _ in range(_TURNS):
        answer = optimize.linprog(
            costs,
            A_ub=-table[inside],
            b_ub=-levels[inside],
            bounds=(0, None),
            method="highs",
            options={"time_limit": 5.0},
        )
        if answer.status != 0:
            return None
        z = np.asarray(answer.x, dtype=np.float64)
        missing = levels - table @ z
        missing[inside] = 0.0
        worst = np.argsort(-missing)[:_ROWS]
        worst = worst[missing[worst] > 1e-7]  # noqa: PLR2004 - as close as HiGHS comes
        if not len(worst):
            break
        inside[worst] = True
    return z


def _gap(
    examples: Examples,
    weights: Floats,
    common: Mapping[str, Any],
    features: tuple[Feature, ...],
) -> list[Candidate]:
    """Scale weights so that a yes scores at least 1, and evaluate `WIN2-SEP`.

    `WIN2-GAP` says the same for the gap that the promotion is meant for, if that is
    left.
    """
    if (weights < 0).any():
        return []
    yes = examples.signs > 0
    mu = np.where(weights > 1e-12 * weights.max(initial=0.0), weights, 0.0)
    reaching = examples.rows(yes).reaching(mu)
    if reaching is None:
        return []
    mu = reaching
    most = float(examples.scores(mu)[1][~yes].max(initial=0.0))
    gap = min(float_down(1 - Fraction(max(most, 0.0))), 1.0)
    if not (1 - Fraction(gap)) * Fraction(common["promotion"]) < 1 or gap <= 0:
        return []
    numbers = dict(common) | {
        "weight": add_up(mu),
        "gap": gap,
        "smallest": min(float(examples.values.min(initial=1.0)), 1.0),
    }
    witness = vector(mu, features, constant=False)
    found = [Candidate.of(theorems.WIN2_SEP, witness, numbers)]
    meant = 2 * (Fraction(numbers.pop("promotion")) - 1)
    if meant <= Fraction(gap):
        numbers |= {"level": 1, "gap": meant}
        found.append(Candidate.of(theorems.WIN2_GAP, witness, numbers))
    return found


def _k_of_r(
    examples: Examples,
    weights: Floats,
    common: Mapping[str, Any],
    features: tuple[Feature, ...],
) -> list[Candidate]:
    """Evaluate `WIN2-KOFR` for the k that the promotion is meant for, if there is one.

    The relevant features are those of at least half of the largest weight. What they
    say leaves the gap of `WIN2-GAP` too.
    """
    k = 1 / (2 * (Fraction(common["promotion"]) - 1))
    theta = Fraction(common["threshold"])
    if k.denominator > 1 or theta.denominator > 1 or theta < common["features"]:
        return []
    most = float(weights.max(initial=0.0))
    chosen = np.where(weights >= most / 2, 1.0, 0.0) if most > 0 else np.zeros(0)
    if not k <= chosen.sum() or not (examples.values == 1).all():
        return []
    reached = examples.scores(chosen)[1] >= float(k)
    if (reached != (examples.signs > 0)).any():
        return []
    numbers = {"features": int(theta), "relevant": int(chosen.sum()), "k": int(k)}
    witness = vector(chosen, features, constant=False)
    found = [Candidate.of(theorems.WIN2_KOFR, witness, numbers)]
    return found + _gap(examples, chosen, common, features)
