r"""Witnesses for the Perceptron.

With $v = u/\gamma$, a bound of the Perceptron adds $R^2\|v\|^2$ to what the examples
lose by falling short of $y\,v \cdot x \ge 1$. The rounds that count are the updates,
and then $v = 0$ turns `PERC-TD` and `PERC-FS` into the number of updates, on any
stream: the smallest possible bound, and a useless one. So the search minimises their
sum form, in which a loss counts twice,

$$R^2 \|v\|^2 + 2 \sum_t \max(0, 1 - y_t\,v \cdot x_t), \qquad
2 R^2 \|v\|^2 + 2 \sum_t \max(0, 1 - y_t\,v \cdot x_t)^2,$$

the first being `PERC-HINGE`, and then evaluates the theorems unchanged. Both sums are
convex, and the best $v$ is found up to a known gap. `PERC-SEP` takes the largest
margin.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.theorems._rounding import float_down
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    hinge_up,
    of_length_one,
    on_average,
    root_up,
    size_up,
    squares_up,
    vector,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["best_of", "perceptron", "placed"]

# The search for a margin ends where PERC-SEP would exceed PERC-HINGE this many times.
_USELESS = 1e4
# By how much a vector with a threshold may do better than PERC-SEP says.
_THRESHOLD = 4.0
# How a search over all rounds begins, and how often it takes turns.
_START = 1.0
_TURNS = 6


def perceptron(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    u: Mapping[Feature | None, float] | None = None,
    *,
    passes: int | None = None,
    thorough: bool = True,
) -> list[Candidate]:
    """Return the bounds on the updates of a Perceptron, the smallest first.

    Parameters
    ----------
    kept
        The examples of the updates, or of all rounds for bounds in every order.
    parameters
        The parameters of the learner, which adds examples as the Perceptron does.
    u
        A vector to use in place of a search; the entry of the constant feature is
        under None.
    passes
        How often to go through the examples; None for as often as it is worth. With so
        many, only `PERC-HINGE` and what follows from its vector is searched for.
    thorough
        Whether to search for the largest margin even where, among many examples, it
        cannot give the smallest bound that says something.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import perceptron
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1.0}, False), ({"b": 1.0}, False), ({"c": 1.0}, True)]
    >>> record = run(Perceptron(), stream, keep="updates")
    >>> found = perceptron(record.examples, record.learner.parameters)
    >>> record.updates, found[0]
    (2, Candidate(PERC-SEP: 2))
    """
    bias = float(parameters.get("bias", 0.0))
    normalize = bool(parameters.get("normalize", False))
    examples = Examples.of(kept, bias=bias, normalize=normalize, passes=passes)
    features, constant = kept.features, bool(bias)
    every = kept.changed is not None
    if not len(examples):
        numbers = {"radius": 0.0, "margin": 1.0, "norm": 0.0}
        nothing = vector(np.zeros(0), (), constant=False)
        return [Candidate.of(theorems.PERC_SEP, nothing, numbers)]
    found: list[Candidate] = []
    given = None if u is None else placed(u, features, constant=constant)
    radius = examples.radius
    if every and given is None:
        found += _in_every_order(examples, features, constant)
    else:
        for squares in (False,) if passes else (False, True):
            v = given
            if v is None:
                v = _softest(examples, squares=squares)
            found += _deviating(examples, v, squares, features, constant, every=every)
    if passes:
        return best_of(found)
    least = 0.0
    if found:
        least = radius / math.sqrt(_USELESS * max(c.bound for c in found))
    useful = 0.0
    if not (thorough or examples.few):
        said = [c.bound for c in found if every or not c.repeats(len(kept))]
        more = _THRESHOLD if constant else 1.0
        useful = radius / math.sqrt(more * min(said, default=math.inf))
    v = examples.separator(least, useful)[0] if given is None else given
    found += _separating(examples, v, features, constant)
    if constant:
        plain = Examples.of(kept, normalize=normalize)
        found += _threshold(plain, v, bias, features)
    return best_of(found)


def best_of(found: Iterable[Candidate]) -> list[Candidate]:
    """Return the best candidate of each theorem, the smallest bound first."""
    best: dict[str, Candidate] = {}
    for candidate in found:
        name = candidate.theorem.id
        if name not in best or candidate.bound < best[name].bound:
            best[name] = candidate
    return sorted(best.values(), key=lambda candidate: candidate.bound)


def placed(
    u: Mapping[Feature | None, float], features: tuple[Feature, ...], *, constant: bool
) -> Floats:
    """Return the user's vector, column by column.

    Features that occur in no update are left out: they only make the vector longer.
    """
    v = np.array([float(u.get(feature, 0.0)) for feature in features])
    return np.append(v, float(u.get(None, 0.0))) if constant else v


def _softest(examples: Examples, *, squares: bool) -> Floats:
    """Return v that minimises the sum form."""
    if not examples.radius:  # all examples are zeros, so any vector is fine
        return np.zeros(examples.width)
    price = examples.price
    if squares:
        return examples.soft(square=price / 2)[0]
    return examples.soft(hinge=price)[0]


def _deviating(
    examples: Examples,
    v: Floats,
    squares: bool,
    features: tuple[Feature, ...],
    constant: bool,
    *,
    every: bool,
) -> list[Candidate]:
    """Evaluate the theorems that any vector satisfies, at the best margin for it."""
    u = of_length_one(v)
    if u is None:
        u = np.zeros(examples.width)
    margins, radius = examples.margins(u), examples.radius
    scale = _core.best_scale(margins, radius, squares)
    margin = 1 / scale if scale > 0 else math.inf
    if not 0 < margin < math.inf:  # nothing is better than v = 0: stay near it
        margin = max(radius, 1.0)
    witness = vector(u, features, constant=constant)
    return _at_margin(examples, margins, margin, witness, every=every)


def _at_margin(
    examples: Examples,
    margins: Floats,
    margin: float,
    witness: Callable[[], dict[str, Any]],
    *,
    every: bool,
) -> list[Candidate]:
    """Evaluate the theorems that any vector of length 1 satisfies."""
    short = fall_short(margin, margins)
    total = add_up(short)
    root = root_up(squares_up(short))
    if not math.isfinite(total + root):
        return []
    numbers = {"radius": examples.radius, "margin": margin}
    found = [
        Candidate.of(theorem, witness, numbers | {name: value})
        for theorem, name, value in (
            (theorems.PERC_HINGE, "hinge", hinge_up(total, margin)),
            (theorems.PERC_TD, "deviation", total),
            (theorems.PERC_FS, "deviation_norm", root),
        )
    ]
    numbers = {"margin": margin, "deviation": total}
    return found + on_average(
        theorems.PERC_RMS,
        witness,
        numbers,
        "mean_radius",
        examples.squares,
        every=every,
    )


def _in_every_order(
    examples: Examples, features: tuple[Feature, ...], constant: bool
) -> list[Candidate]:
    r"""Search on all rounds, where $v = 0$ is no way out, for the bound itself.

    With $a = R\|v\|$ and $H$ the losses, it is the $B$ with $B - H = a \sqrt B$. Where
    it is least, $v$ also minimises $H + \lambda \|v\|^2/2$ with
    $\lambda = R \sqrt B/\|v\|$: take turns.
    """
    radius = examples.radius
    if not radius:
        return []
    found: list[Candidate] = []
    price = _START * examples.price
    for _ in range(_TURNS):
        v = examples.soft(hinge=price)[0]
        u = of_length_one(v)
        if u is None:
            break
        length = size_up(v)
        witness = vector(u, features, constant=constant)
        here = _at_margin(
            examples, examples.margins(u), 1 / length, witness, every=True
        )
        if not here:
            break
        found += here
        best = min(here, key=lambda candidate: candidate.bound)
        large = float(best.numbers.get("mean_radius", radius))
        price = length / (math.sqrt(best.bound) * large)
    return found


def _separating(
    examples: Examples, v: Floats, features: tuple[Feature, ...], constant: bool
) -> list[Candidate]:
    margin = float(examples.margins(v).min())
    if not (0 < margin < math.inf):
        return []
    numbers = {"radius": examples.radius, "margin": margin, "norm": size_up(v)}
    witness = vector(v, features, constant=constant)
    return [Candidate.of(theorems.PERC_SEP, witness, numbers)]


def _threshold(
    plain: Examples, v: Floats, bias: float, features: tuple[Feature, ...]
) -> list[Candidate]:
    """Evaluate the theorems that treat the constant feature separately."""
    u = of_length_one(v[:-1])
    if u is None:
        return []
    low, high = plain.scores(u)
    yes = plain.signs > 0
    above = float(low[yes].min(initial=math.inf))
    below = float(high[~yes].max(initial=-math.inf))
    witness = vector(u, features, constant=False)
    found = []
    length = math.sqrt(float(v[:-1] @ v[:-1]))
    tried = {-float(v[-1]) * bias / length if length else 0.0}
    if math.isfinite(above - below):
        tried.add((above + below) / 2)
    for threshold in tried:
        b = Fraction(threshold) if math.isfinite(threshold) else Fraction(0)
        sides = [Fraction(above) - b] if yes.any() else []
        sides += [b - Fraction(below)] if not yes.all() else []
        margin = float_down(min(sides))
        if margin > 0:
            numbers = {
                "radius": plain.radius,
                "margin": margin,
                "threshold": float(b),
                "bias": bias,
            }
            found.append(Candidate.of(theorems.PERC_BIAS, witness, numbers))
    if plain.radius <= abs(bias) and yes.any() and not yes.all() and above > below:
        gap = float_down(Fraction(above) - Fraction(below))
        numbers = {"radius": abs(bias), "gap": gap, "norm": size_up(u)}
        found.append(Candidate.of(theorems.PERC_GAP, witness, numbers))
    return found
