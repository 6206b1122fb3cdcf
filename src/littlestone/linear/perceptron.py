"""The Perceptron: add up the examples you got wrong."""

from __future__ import annotations

from typing import Any, Literal

from littlestone import _core, theorems
from littlestone.errors import ParameterError
from littlestone.learner.parameters import finite, truth
from littlestone.linear._base import AdditiveLearner, BiasedLearner

__all__ = ["GUARANTEES", "Perceptron"]

_ROUNDED = 2.0**-50  # by how much rounding can make an example longer than 1

# The theorems on updates for every learner that learns as the Perceptron does.
GUARANTEES = (
    theorems.PERC_SEP,
    theorems.PERC_TD,
    theorems.PERC_HINGE,
    theorems.PERC_FS,
    theorems.PERC_BIAS,
    theorems.PERC_GAP,
    theorems.PERC_RMS,
)


class Perceptron(AdditiveLearner, BiasedLearner):
    r"""The Perceptron: add the examples you missed, subtract the false alarms.

    One weight a feature, each starting at 0. With $y_t \in \{-1, +1\}$ it says

    $$\hat y_t = +1 \iff w_t \cdot x_t \ge 0,$$

    and a round that goes wrong adds the example on the side it belongs to:
    $w_{t+1} = w_t + y_t x_t$.

    Parameters
    ----------
    update
        `"mistake"` updates when the prediction was wrong, `"margin"` when
        $y_t (w_t \cdot x_t) \le 0$, so on a correct tie as well.
    normalize
        Scale each example to length 1 first; a zero example stays as it is.
    bias
        The value of a constant feature appended to each example, after scaling; 0 for
        none.
    strict
        Say yes only if $w_t \cdot x_t > 0$, so that a tie is a no, which scores the
        double next below 0. The theorems hold either way.

    Attributes
    ----------
    weights_
        The weights by feature; a feature not listed weighs 0.
    coef_
        The weights of the column-numbered features, dense.
    intercept_
        What the constant feature adds to every score.
    updates_
        How many rounds have changed the weights.

    Guarantees
    ----------
    `PERC-SEP`, `PERC-TD`, `PERC-HINGE`, `PERC-FS`: if some $u$ separates the examples
    with margin $\gamma$, at most $\|u\|^2 R^2/\gamma^2$ updates; otherwise as many
    more as the examples that fall short of the margin account for. `PERC-BIAS` and
    `PERC-GAP` say the same of a threshold, for the value of the constant feature.
    `PERC-RMS` has the mean length of examples in the place of $R$.

    References
    ----------
    Novikoff (1962), On convergence proofs on perceptrons, Symposium on the Mathematical
    Theory of Automata 12:615-622. Freund, Schapire (1999), Large margin classification
    using the perceptron algorithm, Machine Learning 37:277-296,
    https://doi.org/10.1023/A:1007662407062

    Examples
    --------
    It says yes until it has learned otherwise; the second example changes it:

    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.play_one({"cheap": 1, "pills": 1}, True)
    True
    >>> learner.play_one({"dear": 1, "pills": 2}, False)
    True
    >>> learner.weights_
    {'pills': -2.0, 'dear': -1.0}
    >>> learner.predict_one({"pills": 1})
    False

    With `strict` it says no until it has learned otherwise:

    >>> Perceptron(strict=True).predict_one({"cheap": 1})
    False
    """

    def __init__(
        self,
        *,
        update: Literal["mistake", "margin"] = "mistake",
        normalize: bool = False,
        bias: float = 0.0,
        strict: bool = False,
    ) -> None:
        if not isinstance(update, str) or update not in ("mistake", "margin"):
            raise ParameterError(
                f"update must be 'mistake' or 'margin', got {update!r}",
                owner="Perceptron",
            )
        value = finite("Perceptron", "bias", bias)
        self.update = update
        self.normalize = normalize
        self.bias = bias
        self.strict = strict
        self._native = _core.perceptron(
            type(self).__name__,
            on_margin=update == "margin",
            normalize=truth("Perceptron", "normalize", normalize),
            strict=truth("Perceptron", "strict", strict),
            bias=value,
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, `strict` only if it is set.

        So learners without it read, and are saved and certified, as they were before.
        """
        parameters = super().get_params(deep)
        if not self.strict:
            del parameters["strict"]
        return parameters

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what it knows; it depends on `update`."""
        return self.update == "mistake"

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """Its bias; with `normalize`, also how long examples are."""
        return super().known_ | ({"radius": 1 + _ROUNDED} if self.normalize else {})

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its updates, and so its mistakes."""
        return GUARANTEES
