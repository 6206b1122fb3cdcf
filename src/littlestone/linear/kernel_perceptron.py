"""The kernel Perceptron: keep the examples you got wrong, and compare."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from littlestone import _core, theorems
from littlestone.errors import ExampleError, ParameterError, in_row, refusal
from littlestone.learner import as_label
from littlestone.learner.parameters import finite, positive
from littlestone.linear._base import AdditiveLearner

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone.learner.rows import Example

__all__ = ["KernelPerceptron"]

Features: TypeAlias = dict[str | int, float]
KernelFunction: TypeAlias = Callable[[Mapping[Any, float], Mapping[Any, float]], float]

_KERNELS = ("linear", "polynomial", "gaussian")
_MOST_DEGREES = 64


class KernelPerceptron(AdditiveLearner):
    r"""The kernel Perceptron: add up the kernel with each example you got wrong.

    It keeps the examples $x_s$ of its mistakes and says

    $$\hat y_t = +1 \iff \sum_s y_s K(x_s, x_t) \ge 0,$$

    which is the Perceptron in the space of the kernel: with the linear kernel, the
    Perceptron itself. Kernels are `"linear"`, $x \cdot z$; `"polynomial"`, $(\gamma\,x
    \cdot z + c)^d$; `"gaussian"`, $\exp(-\gamma \|x - z\|^2)$; or any function of two
    mappings from feature to value, zeros left out. The named ones are computed natively
    for all kept examples in one sweep, a function is called for each.

    Parameters
    ----------
    kernel
        One of the names, or a function.
    degree
        $d$, for the polynomial kernel.
    gamma
        $\gamma$, for the polynomial and the Gaussian kernel.
    offset
        $c$, for the polynomial kernel; at least 0.
    update
        `"mistake"` updates when the prediction was wrong, `"margin"` on a correct tie
        as well.
    budget
        How many examples to keep at most; None for all of them. When the budget is
        full, an example drawn at random makes way for the new one.
    seed
        What the random choices start from.

    Attributes
    ----------
    supports_
        The examples kept, each a pair of label and mapping from feature to value.
    updates_
        How many rounds have added an example.

    Guarantees
    ----------
    Without a budget `PERC-SEP`, `PERC-TD`, `PERC-HINGE` and `PERC-FS`, where $R^2$ is
    the largest $K(x, x)$ and $\|u\|^2 = c^\top K c$ for $u = \sum_j c_j K(x_j,
    \cdot)$. With a budget of B `KPERC-BUDGET`: the expected number of mistakes is at
    most $(H + R \|u\| \sqrt B)/(1 - R \|u\|/\sqrt B)$, H being the hinge loss of $u$,
    for every $u$ with $R\|u\| < \sqrt B$.

    References
    ----------
    Aizerman, Braverman, Rozonoer (1964), Theoretical foundations of the potential
    function method in pattern recognition learning, Automation and Remote Control
    25:821-837. Cavallanti, Cesa-Bianchi, Gentile (2007), Tracking the best hyperplane
    with a simple budget perceptron, Machine Learning 69:143-167,
    https://doi.org/10.1007/s10994-007-5003-0

    Examples
    --------
    Exclusive or, which no line separates:

    >>> from littlestone.linear import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False]
    >>> learner = KernelPerceptron("gaussian", gamma=2.0)
    >>> for _ in range(3):
    ...     said = learner.play(X, y)
    >>> said.tolist()
    [False, True, True, False]
    >>> len(learner.supports_)
    4
    """

    def __init__(
        self,
        kernel: Literal["linear", "polynomial", "gaussian"] | KernelFunction = "linear",
        *,
        degree: int = 3,
        gamma: float = 1.0,
        offset: float = 1.0,
        update: Literal["mistake", "margin"] = "mistake",
        budget: int | None = None,
        seed: int = 0,
    ) -> None:
        owner = type(self).__name__
        if not callable(kernel) and not _named(kernel, _KERNELS):
            raise ParameterError(
                f"kernel must be {', '.join(map(repr, _KERNELS))} or a function, got "
                f"{kernel!r}",
                owner="KernelPerceptron",
            )
        width = positive("KernelPerceptron", "gamma", gamma)
        start = finite("KernelPerceptron", "offset", offset)
        if start < 0:
            raise ParameterError(
                "offset must be at least 0, or the polynomial is no kernel, got "
                f"{offset!r}",
                owner="KernelPerceptron",
            )
        if not _named(update, ("mistake", "margin")):
            raise ParameterError(
                f"update must be 'mistake' or 'margin', got {update!r}",
                owner="KernelPerceptron",
            )
        self.kernel = kernel
        self.degree = _whole("degree", degree, 1, _MOST_DEGREES)
        self.gamma = gamma
        self.offset = offset
        self.update = update
        self.budget = None if budget is None else _whole("budget", budget, 1, 2**31)
        self.seed = _whole("seed", seed, 0, 2**64 - 1)
        self._native = (
            _Called(owner, kernel, update == "margin", self.budget, self.seed)  # type: ignore[assignment]  # speaks as _core.Linear does
            if callable(kernel)
            else _core.kernel_perceptron(
                owner,
                kernel=kernel,
                gamma=width,
                offset=start,
                degree=self.degree,
                on_margin=update == "margin",
                budget=self.budget,
                seed=self.seed,
            )
        )

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what it knows; it depends on `update`."""
        return self.update == "mistake"

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its updates, or on a budget its mistakes."""
        if self.budget is not None:
            return (theorems.KPERC_BUDGET,)
        return (
            theorems.PERC_SEP,
            theorems.PERC_TD,
            theorems.PERC_HINGE,
            theorems.PERC_FS,
            theorems.PERC_RMS,
        )

    @property
    def supports_(self) -> list[tuple[bool, Features]]:
        """The examples kept, each a pair of label and mapping from feature to value."""
        if isinstance(self._native, _Called):
            return [(sign > 0, dict(x)) for sign, x in self._native.kept]
        features = {int(cell[0]): name for name, cell in self._native.cells()}
        numbers = iter(self._native.state[3:])
        return [
            (
                sign > 0,
                {features[int(next(numbers))]: next(numbers) for _ in range(int(size))},
            )
            for sign, size in zip(numbers, numbers, strict=False)
        ]

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        if isinstance(self._native, _Called):
            self._native.load(state)
        else:
            super().load_state(state)


def _named(value: object, names: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in names


def _whole(name: str, value: object, least: int, most: int) -> int:
    if not isinstance(value, bool):
        with suppress(TypeError):
            number = operator.index(value)  # type: ignore[arg-type]  # that is asked
            if least <= number <= most:
                return number
    raise ParameterError(
        f"{name} must be a whole number from {least} to {most}, got {value!r}",
        owner="KernelPerceptron",
    )


class _Called:
    """The rule with a kernel that is a Python function; speaks as the native one."""

    def __init__(
        self,
        owner: str,
        kernel: KernelFunction,
        on_margin: bool,
        budget: int | None,
        seed: int,
    ) -> None:
        self._owner, self._kernel = owner, kernel
        self._on_margin, self._budget = on_margin, budget
        self._random = _core.SplitMix(seed)
        self._reader = _core.ExampleReader(owner)
        self.kept: list[tuple[float, Features]] = []
        self.updates = 0
        self.width = 0

    def predict_one(self, x: Example) -> bool:
        return self.score_one(x) >= 0

    def score_one(self, x: Example) -> float:
        return self._score(self._reader.read(x))

    def learn_one(self, x: Example, y: object) -> None:
        self.play_one(x, y)

    def add_one(self, x: Example, y: object) -> None:
        example = self._reader.read(x)
        self._score(example)  # or refuse it
        self._keep(1.0 if as_label(y) else -1.0, example)

    def play_one(self, x: Example, y: object, times: int = 1) -> bool:
        label = as_label(y)
        return self._play(self._reader.read(x), times, label=label)

    def play(  # noqa: PLR0917 - as the native one
        self,
        rows: _core.Rows,
        labels: NDArray[np.bool_],
        predictions: NDArray[np.bool_],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
    ) -> None:
        for t in range(first, last):
            before = self.updates
            x = self._reader.read_row(rows, t, first)
            times = 1 if repeats is None else int(repeats[t])
            try:
                predictions[t] = self._play(x, times, label=bool(labels[t]))
            except ExampleError as error:
                in_row(error, t, t - first)
                raise
            if changed is not None:
                changed[t] = self.updates > before

    def score(
        self, rows: _core.Rows, scores: NDArray[np.float64], first: int, last: int
    ) -> None:
        for t in range(first, last):
            x = self._reader.read_row(rows, t, first)
            try:
                scores[t] = self._score(x)
            except ExampleError as error:
                in_row(error, t, t - first)
                raise

    def save(self) -> dict[str, Any]:
        return {
            "random": self._random.state,
            "kept": list(self.kept),
            "updates": self.updates,
            "width": self.width,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._random = _core.SplitMix(state["random"])
        self.kept = state["kept"]
        self.updates, self.width = state["updates"], state["width"]

    def _score(self, x: Features) -> float:
        total = 0.0
        for sign, kept in self.kept:
            total += sign * finite(
                self._owner, "what a kernel returns", self._kernel(kept, x)
            )
        if not math.isfinite(total):
            raise refusal("overflow", owner=self._owner)
        return total

    def _play(self, x: Features, times: int, *, label: bool) -> bool:
        score = self._score(x)
        predicted = score >= 0
        # A function that fails on a repetition must leave none of them behind.
        before = self.save() if times > 1 else None
        try:
            for again in range(times):
                if again:
                    score = self._score(x)
                wrong = (score >= 0) != label
                if not (wrong or (self._on_margin and score == 0)):
                    break
                self._keep(1.0 if label else -1.0, x)
        except BaseException:
            if before is not None:
                self.load(before)
            raise
        return predicted

    def _keep(self, sign: float, x: Features) -> None:
        self.updates += 1
        if self._budget is None or len(self.kept) < self._budget:
            self.kept.append((sign, x))
        else:
            self.kept[self._random.below(self._budget)] = (sign, x)
