"""Linear learners as ONNX graphs, to predict without Python.

A graph takes rows of numbers, `X`, and gives each row's `label` and `score`, which are
those of `predict` and `decision_function`; learners with probabilities also give the
`probability` of a yes, and learners of numbers a `prediction` in place of a label. It
is made of plain operators in float64, as the learners are: those of ONNX for linear
classifiers have float32 weights, which would change labels. Only the order of summation
is the runtime's own, so a score may differ in its last bits, and a label where a score
is 0 up to them. `CoinBetting` weighs values beyond the largest that it has learned from
less; its graph weighs them as all others.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.compat._onnx_maps import add_maps, given_columns
from littlestone.errors import MissingPackageError, ParameterError
from littlestone.learner.parameters import whole
from littlestone.linear import (
    AIOLI,
    FTRL,
    AdaGrad,
    MulticlassAdaGrad,
    MulticlassSecondOrder,
    Perceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    VovkAzouryWarmuth,
)
from littlestone.linear._base import LinearLearner
from littlestone.linear._multiclass import MulticlassLearner
from littlestone.maps import Mapped
from littlestone.outcome import Outcome
from littlestone.outputs import replacing

try:
    import onnx
    from onnx import checker, helper, numpy_helper
except ImportError:
    raise MissingPackageError(
        "it needs onnx, which is not installed: pip install 'littlestone[onnx]'",
        owner="littlestone.compat.onnx",
    ) from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["export"]

# Old enough for nearly every runtime.
_OPSET, _IR_VERSION = 17, 8
_TYPES = {"float64": onnx.TensorProto.DOUBLE, "float32": onnx.TensorProto.FLOAT}
_LARGEST_WEIGHT = 1e250  # beyond it, Balanced Winnow scales weights before summing
_MOST_BYTES = 2**31 - 2**20  # which a graph can hold


def export(
    learner: Any,
    path: str | Path | None = None,
    *,
    features: int | Sequence[str | int] | None = None,
    dtype: Literal["float64", "float32"] = "float64",
) -> onnx.ModelProto:
    """Return an ONNX graph that predicts what a learner does, and write it to a file.

    The graph refuses nothing: NaN, and values that a learner such as `Winnow` would
    refuse, are scored too. Its `metadata_props` hold the learner, its parameters, the
    features in the order of the columns, and the classes.

    Parameters
    ----------
    learner
        A learner of `littlestone.linear` that scores by weights, or a fitted classifier
        of `littlestone.compat.sklearn` around one; the graph then gives its labels. Or
        one behind a map, which becomes part of the graph; `features` must be given.
    path
        The file to write, if any.
    features
        The columns of `X`: how many, or their names and column numbers in order.
        By default the columns that the learner has met, and after them the names that
        have a weight, in the order of `weights_`; for a classifier those of its rows.
    dtype
        The type of `X`. Sums are float64 in any case.

    Raises
    ------
    ParameterError
        If the learner does not score by weights, as `KernelPerceptron`,
        `VotedPerceptron`, `AIOLI` and learners of rules do not, or a feature with a
        weight is not among the columns.

    Examples
    --------
    >>> import numpy, onnxruntime
    >>> from littlestone.compat.onnx import export
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron(bias=1.0)
    >>> learner.learn_one({"cheap": 1.0, "pills": 2.0}, False)
    >>> graph = export(learner, features=["pills", "cheap", "friend"])
    >>> session = onnxruntime.InferenceSession(graph.SerializeToString())
    >>> X = numpy.array([[1.0, 0.0, 0.0], [-2.0, 1.0, 5.0]])
    >>> [each.tolist() for each in session.run(None, {"X": X})]
    [[False, True], [-3.0, 2.0]]
    """
    before: list[Mapped] = []
    while isinstance(learner, Mapped):
        before.append(learner)
        learner = learner.learner_
    within = getattr(learner, "learner_", learner)
    if dtype not in _TYPES:
        raise ParameterError(
            f"dtype must be 'float64' or 'float32', got {dtype!r}", owner="export"
        )
    scores_by_weights = isinstance(within, (LinearLearner, MulticlassLearner))
    apart = VotedPerceptron, VovkAzouryWarmuth, AIOLI
    if not scores_by_weights or isinstance(within, apart):
        raise ParameterError(
            "a learner must score by one weight a feature to be exported, got "
            f"{within!r}",
            owner="export",
        )
    graph = _Graph()
    X = graph.add("Cast", "X", to=_TYPES["float64"])
    columns = (
        given_columns(before[0], features)
        if before
        else _columns(learner, within, features)
    )
    mapped = columns
    for each in before:
        X, mapped = add_maps(graph, X, each, mapped)
    scores = _scores(graph, X, within, mapped, getattr(learner, "scale_", 1.0))
    say = _say_one_of_many if isinstance(within, MulticlassLearner) else _say_yes_or_no
    say = _say_number if within.outcome is Outcome.NUMBER else say
    classes, width = say(graph, scores, learner)
    if getattr(within, "gives_chances", False) and within.outcome is Outcome.CLASS:
        graph.add("Softmax", _of_known(graph, scores, learner), output="probability")
    elif getattr(within, "gives_chances", False):
        fading = graph.add("Exp", graph.add("Neg", "score"))
        below = graph.add("Add", fading, graph.constant(1.0))
        graph.add("Reciprocal", below, output="probability")
    made = helper.make_model(
        graph.made(_TYPES[dtype], len(columns), classes, width),
        producer_name="littlestone",
        producer_version=version("littlestone"),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    told = {
        "learner": type(within).__name__,
        "parameters": json.dumps(within.get_params(), default=repr),
        "features": json.dumps(columns),
        "classes": json.dumps(classes.tolist()),
    }
    if before:
        told["map"] = " | ".join(repr(each.map) for each in before)
    helper.set_model_props(made, told)
    checker.check_model(made, full_check=True)
    if path is not None:
        with replacing(path) as file:
            file.write(made.SerializeToString())
    return made


def _columns(learner: Any, within: Any, features: Any) -> list[str | int]:
    """Return the columns of the input."""
    weights = within.weights_
    if isinstance(within, MulticlassLearner):
        weights = dict.fromkeys(f for row in weights.values() for f in row)
    if learner is not within:
        if features is not None:
            raise ParameterError(
                "features must be None for a classifier, which has its own columns, "
                f"got {features!r}",
                owner="export",
            )
        numbers = np.arange(learner.n_features_in_)
        columns: list[Any] = getattr(learner, "feature_names_in_", numbers).tolist()
    elif features is None:
        names = [feature for feature in weights if isinstance(feature, str)]
        if names and getattr(within, "initial_weight", 0.0) != 0.0:
            raise ParameterError(
                "features must be given, as those never learned from have a weight "
                f"too, got None for {within!r}",
                owner="export",
            )
        columns = [*range(within.coef_.shape[-1]), *names]
    elif isinstance(features, (int, np.integer)):
        columns = list(range(whole("export", "features", features, low=1)))
    else:
        columns = [] if isinstance(features, str) else list(features)
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError(
            f"features must be one or more, each once, got {features!r}", owner="export"
        )
    known = set(columns)
    missing = [feature for feature in weights if feature not in known]
    if missing:
        raise ParameterError(
            f"features must include all with a weight, got none of {missing[:3]!r}",
            owner="export",
        )
    return columns


class _Graph:
    """A graph in the making."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def add(self, kind: str, *inputs: str, output: str = "", **settings: Any) -> str:
        """Add a node, and return the name of its output."""
        name = output or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **settings))
        return name

    def constant(self, values: Any) -> str:
        """Add numbers or labels, and return their name."""
        name = f"constant_{len(self._constants)}"
        array = np.asarray(values)
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def made(
        self, kind: int, columns: int, classes: NDArray[Any], width: int | None
    ) -> onnx.GraphProto:
        """Return the graph; scores have one column a class if there is a width."""
        shape: list[str | int] = ["rows"] if width is None else ["rows", width]
        given = {name for node in self._nodes for name in node.output}
        many = any(node.op_type == "Softmax" for node in self._nodes)
        number = _TYPES["float64"]
        outputs: dict[str, tuple[Any, Any]] = {
            "label": (helper.np_dtype_to_tensor_dtype(classes.dtype), ["rows"]),
            "prediction": (number, ["rows"]),
            "score": (number, shape),
            "probability": (number, ["rows", *([len(classes)] if many else [])]),
        }
        return helper.make_graph(
            self._nodes,
            "littlestone",
            [helper.make_tensor_value_info("X", kind, ["rows", columns])],
            [
                helper.make_tensor_value_info(name, *of)
                for name, of in outputs.items()
                if name in given
            ],
            self._constants,
        )


def _scores(
    graph: _Graph, X: str, learner: Any, columns: list[str | int], scale: float
) -> str:
    """Add the nodes that compute the scores, rows × classes."""
    second = isinstance(learner, (SecondOrderPerceptron, MulticlassSecondOrder))
    if second and learner.diagonal:
        own = graph.add("Mul", X, X)  # an example counts in its own score
        each = []
        for cells in _second_order_cells(learner):
            kept = np.array([cells.get(feature, (0.0, 0.0)) for feature in columns])
            above = graph.add("Mul", X, graph.constant(kept[:, 0]))
            below = graph.add("Add", own, graph.constant(kept[:, 1] + learner.r))
            shares = graph.add("Div", above, below)
            each.append(graph.add("ReduceSum", shares, graph.constant([1])))
        scores = graph.add("Concat", *each, axis=1)
    else:
        if (
            isinstance(learner, (AdaGrad, FTRL, MulticlassAdaGrad))
            and learner.normalize
        ):
            # A value beyond the largest so far counts as the largest.
            cells = dict(learner._native.cells())  # noqa: SLF001 - as above
            most = np.array([cells.get(f, (0.0,))[-1] for f in columns])
            X = graph.add("Min", X, graph.constant(most))
            X = graph.add("Max", X, graph.constant(-most))
        weights = _weights(learner, columns) / scale
        scores = graph.add("MatMul", X, graph.constant(weights))
    if isinstance(learner, Perceptron) and learner.normalize:
        squares = graph.add("Mul", X, X)
        length = graph.add("Sqrt", graph.add("ReduceSum", squares, graph.constant([1])))
        zero = graph.add("Equal", length, graph.constant(0.0))
        length = graph.add("Where", zero, graph.constant(1.0), length)
        scores = graph.add("Div", scores, length)
    begin = learner.score_one({})
    first = list(begin.values()) if isinstance(begin, dict) else [begin]
    return graph.add("Add", scores, graph.constant(first))


def _second_order_cells(learner: Any) -> list[dict[str | int, Any]]:
    """Return the sums that features are scored by, for each class or for yes."""
    native = learner._native  # noqa: SLF001 - what is scored by
    if isinstance(learner, SecondOrderPerceptron):
        return [dict(native.cells())]
    # Classes share the numbers of features; one whose last are new has fewer cells.
    met = native.features()
    return [
        dict(zip(met, block["columns.cells"], strict=False))
        for block in native.blocks()
    ]


def _weights(learner: Any, columns: list[str | int]) -> NDArray[np.float64]:
    """Return the weights, features × classes."""
    many = isinstance(learner, MulticlassLearner)
    rows = list(learner.weights_.values()) if many else [dict(learner.weights_)]
    rest = 0.0 if many else learner.initial_weight
    if len(columns) * len(rows) * 8 > _MOST_BYTES:
        raise ParameterError(
            f"the weights must take less than 2**31 bytes, got {len(columns)} "
            f"features and {len(rows)} rows of weights",
            owner="export",
        )
    weights = np.array([[row.get(f, rest) for row in rows] for f in columns])
    if np.abs(weights).max(initial=0.0) > _LARGEST_WEIGHT:
        raise ParameterError(
            f"weights must be at most {_LARGEST_WEIGHT:g} in size, got "
            f"{np.abs(weights).max():g}",
            owner="export",
        )
    return weights


def _say_yes_or_no(
    graph: _Graph, scores: str, learner: Any
) -> tuple[NDArray[Any], int | None]:
    score = graph.add("Squeeze", scores, graph.constant([1]), output="score")
    strict = getattr(getattr(learner, "learner_", learner), "strict", False)
    at_least = "Greater" if strict else "GreaterOrEqual"
    yes = graph.add(at_least, score, graph.constant(0.0))
    number = graph.add("Cast", yes, to=onnx.TensorProto.INT64)
    classes = _labels(getattr(learner, "classes_", np.array([False, True])).tolist())
    graph.add("Gather", graph.constant(classes), number, output="label")
    return classes, None


def _say_number(
    graph: _Graph, scores: str, learner: Any
) -> tuple[NDArray[Any], int | None]:
    within = getattr(learner, "learner_", learner)
    score = graph.add("Squeeze", scores, graph.constant([1]), output="score")
    link = "Exp" if within.loss == "poisson" else "Identity"
    graph.add(link, score, output="prediction")
    return np.empty(0), None


def _say_one_of_many(
    graph: _Graph, scores: str, learner: Any
) -> tuple[NDArray[Any], int | None]:
    within = getattr(learner, "learner_", learner)
    known = list(within.classes_)
    best = graph.add("ArgMax", scores, axis=1, keepdims=0)  # of equals the first
    graph.add("Gather", graph.constant(_labels(known)), best, output="label")
    if within is learner:
        graph.add("Identity", scores, output="score")
        return _labels(known), len(known)
    classes = learner.classes_.tolist()  # in their order, not as they were met
    places = [known.index(label) for label in classes]
    if len(places) == 2:  # noqa: PLR2004 - one score decides between two
        no, yes = (
            graph.add("Gather", scores, graph.constant(place), axis=1)
            for place in places
        )
        graph.add("Sub", yes, no, output="score")
        return _labels(classes), None
    graph.add("Gather", scores, graph.constant(places), axis=1, output="score")
    return _labels(classes), len(places)


def _of_known(graph: _Graph, scores: str, learner: Any) -> str:
    """Return the scores in the order of the classes that the graph gives."""
    within = getattr(learner, "learner_", learner)
    if within is learner:
        return scores
    known = list(within.classes_)
    places = [known.index(label) for label in learner.classes_.tolist()]
    return graph.add("Gather", scores, graph.constant(places), axis=1)


def _labels(labels: list[Any]) -> NDArray[Any]:
    """Return labels as a graph can give them."""
    for kind, dtype in ((str, object), (bool, bool), (int, np.int64), (float, float)):
        if labels and all(type(label) is kind for label in labels):
            return np.array(labels, dtype=dtype)
    raise ParameterError(
        f"classes must be all texts or all numbers of one type, got {labels!r}",
        owner="export",
    )
