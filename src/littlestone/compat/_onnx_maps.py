"""Maps as the first nodes of an ONNX graph, in plain operators and float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learner.packing import unpacked_features
from littlestone.learner.parameters import whole
from littlestone.maps import Fourier, Mapped, Quadratic, Standardized
from littlestone.verifying.twins.maps import CROSSED, product_of
from littlestone.verifying.twins.maps import Crossed as CrossedTwin
from littlestone.verifying.twins.maps import Fourier as FourierTwin
from littlestone.verifying.twins.maps import Quadratic as QuadraticTwin

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["add_maps", "given_columns"]

# sin(2 pi q)/q as a polynomial of q^2: see cpp/include/littlestone/math/cosine.hpp.
_SINE = (
    *(0.10089695501646812, -0.7177337921413454, 3.8199280942271643),
    *(-15.0946416761179, 42.058693925428685, -76.70585975282492),
    *(81.60524927607362, -41.341702240399755, 6.283185307179586),
)


def given_columns(learner: Mapped, features: Any) -> list[str | int]:
    """Return the columns of the input of a mapped learner."""
    if isinstance(features, (int, np.integer)) and not isinstance(features, bool):
        return list(range(whole("export", "features", features, low=1)))
    columns = [] if features is None or isinstance(features, str) else list(features)
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError(
            "features must be given for a learner behind a map, one or more and each "
            f"once, got {features!r} for {learner!r}",
            owner="export",
        )
    return columns


def add_maps(
    graph: Any, X: str, learner: Mapped, columns: Sequence[str | int]
) -> tuple[str, list[str | int]]:
    """Add the nodes of the maps; return what they make, and the mapped features."""
    names = list(columns)
    states = learner.save_state()["map"]
    for step, state in zip(learner.map.steps, states, strict=True):
        if isinstance(step, Fourier):
            X, names = _fourier(graph, X, step, names)
        elif isinstance(step, Standardized):
            X, names = _standardized(graph, X, step, state, names)
        else:
            X, names = _products(graph, X, step, names)
    return X, names


def _fourier(
    graph: Any, X: str, step: Fourier, names: list[str | int]
) -> tuple[str, list[str | int]]:
    twin = FourierTwin(**step.get_params())
    twin(dict.fromkeys(names, 1.0))  # draws the frequencies
    frequencies = np.array([twin.frequencies[name] for name in names])
    sums = graph.add("MatMul", X, graph.constant(frequencies))
    turn = 0.15915494309189535
    if step.width is None:
        zero = graph.add("Equal", X, graph.constant(0.0))
        ones = graph.add("Where", zero, graph.constant(0.0), graph.constant(1.0))
        count = graph.add("ReduceSum", ones, graph.constant([1]))
        # Without any value the sums are 0 as well, whatever they are divided by.
        least = graph.add("Max", count, graph.constant(1.0))
        scale = graph.add("Div", graph.constant(turn), graph.add("Sqrt", least))
    else:
        scale = graph.constant(np.full(step.dim, turn / float(step.width)))
    turns = graph.add("Add", graph.add("Mul", sums, scale), graph.constant(twin.phases))
    # The part of a turn, and the sine of a quarter less it.
    half = graph.add("Floor", graph.add("Add", turns, graph.constant(0.5)))
    part = graph.add("Abs", graph.add("Sub", turns, half))
    q = graph.add("Sub", graph.constant(0.25), part)
    y = graph.add("Mul", q, q)
    p = graph.constant(_SINE[0])
    for coefficient in _SINE[1:]:
        p = graph.add("Add", graph.add("Mul", p, y), graph.constant(coefficient))
    # One number a column: runtimes fuse a single factor into a product of matrices,
    # and round it to float32 then.
    size = graph.constant(np.full(step.dim, np.sqrt(2.0 / step.dim)))
    waves = graph.add("Mul", size, graph.add("Mul", q, p))
    return waves, list(range(step.dim))


def _standardized(
    graph: Any, X: str, step: Standardized, state: Any, names: list[str | int]
) -> tuple[str, list[str | int]]:
    seen = float(state["numbers"][0])
    features = unpacked_features("Mapped", state["features"])
    moments = dict(
        zip(features, state["numbers"][1:].reshape(-1, 3).tolist(), strict=True)
    )
    missing = [feature for feature in features if feature not in set(names)]
    if missing and step.center:
        raise ParameterError(
            f"features must include all that were met, got none of {missing[:3]!r}",
            owner="export",
        )
    kept = np.array([_settled(moments.get(name), seen) for name in names])
    mean, square = graph.constant(kept[:, 0]), graph.constant(kept[:, 1])
    count = graph.constant(seen + 1.0)
    before = graph.add("Sub", X, mean)
    mean = graph.add("Add", mean, graph.add("Div", before, count))
    after = graph.add("Sub", X, mean)
    square = graph.add("Add", square, graph.add("Mul", before, after))
    deviation = graph.add("Sqrt", graph.add("Div", square, count))
    still = graph.add("Equal", deviation, graph.constant(0.0))
    divisor = graph.add("Where", still, graph.constant(1.0), deviation)
    made = graph.add("Div", after if step.center else X, divisor)
    made = graph.add("Where", still, graph.constant(0.0), made)
    if step.center:
        # A feature that was never met is 0 unless the example has it.
        fresh = np.array([name not in moments for name in names])
        absent = graph.add("Equal", X, graph.constant(0.0))
        unmet = graph.add("And", absent, graph.constant(fresh))
        made = graph.add("Where", unmet, graph.constant(0.0), made)
    return made, names


def _settled(moments: list[float] | None, seen: float) -> tuple[float, float]:
    """Return the mean and squares of a feature, with the zeros since it came last."""
    if moments is None:
        return 0.0, 0.0
    count, mean, square = moments
    if seen > count:
        share = (seen - count) / seen
        square += mean * mean * (count * share)
        mean -= mean * share
    return mean, square


def _products(
    graph: Any, X: str, step: Any, names: list[str | int]
) -> tuple[str, list[str | int]]:
    """Add products of two columns, as the twin names them."""
    alone: Any
    if isinstance(step, Quadratic):
        quadratic = QuadraticTwin(step.bits)
        pairs = [(a, b) for k, a in enumerate(names) for b in names[k:]]
        products = [quadratic.product(*pair) for pair in pairs]
        alone = quadratic
    else:
        alone = CrossedTwin(())
        pairs = list(CrossedTwin(step.pairs).products(names))
        products = [product_of(*pair, CROSSED) for pair in pairs]
    made: list[str | int] = [next(iter(alone({name: 1.0}))) for name in names]
    if not pairs:
        return X, made
    places = {name: at for at, name in enumerate(names)}
    sides = [
        graph.add(
            "Gather", X, graph.constant(np.array([places[n] for n in side])), axis=1
        )
        for side in zip(*pairs, strict=True)
    ]
    return graph.add("Concat", X, graph.add("Mul", *sides), axis=1), made + products
