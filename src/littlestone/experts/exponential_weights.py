"""Exponential weights: the weighted mean of the advice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from littlestone import theorems
from littlestone.experts._rates import RatedLearner
from littlestone.learner.parameters import positive, truth, whole
from littlestone.losses import Loss, as_loss

if TYPE_CHECKING:
    from littlestone.experts._parameters import Experts, LossSpec, Range

__all__ = ["ExponentialWeights", "bounds_of"]


class ExponentialWeights(RatedLearner):
    r"""Predict the mean of the advice, weighted by $e^{-\eta L}$, $L$ an expert's loss.

    Also known as Hedge. Losses so far are kept in twice the usual precision and weights
    relative to the best, so that neither many rounds nor a huge loss do harm. An expert
    that sleeps keeps its share. With `loss="zero-one"` the label that weighs more is
    said, and the loss is the weight of the experts that were wrong.

    Parameters
    ----------
    eta
        The rate, above 0; `tuned` and `for_horizon` find a good one.
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    gradient
        Charge experts by the slope of the loss at the learner's own prediction: then it
        competes with the best mixture of experts, not only with the best of them.
    range
        What losses may be, `(low, high)`: they are rescaled to $[0, 1]$, and one
        outside is refused. If not given, what the theorem needs: $[0, 1]$, and for log
        loss anything from 0 up; nothing is checked or rescaled with `gradient`. An
        infinite end is only checked, without rescaling.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, they are taken from the first advice.

    Attributes
    ----------
    weights_
        The weight of each expert; they sum to one.
    losses_
        What each expert has lost while awake.
    loss_
        What the learner itself has lost.
    regret_
        What the learner has lost more than each expert while that one was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    For convex losses in $[0, 1]$ and $N$ experts, of which the best loses $L^*$, `EWA`:
    a loss of at most $(\eta L^* + \ln N) / (1 - e^{-\eta})$; `EWA-TUNED` with the
    rate of `tuned`: $L^* + \ln N + \sqrt{2 L^* \ln N}$; `EWA-T` with that of
    `for_horizon`: $L^* + \sqrt{T \ln N / 2}$ after $T$ rounds. `EWA-XC` where
    $e^{-\eta \ell}$ is concave: $L^* + \ln N / \eta$. `SLEEP`,
    `SLEEP-T` and `SLEEP-XC`: the same on the rounds on which an expert is awake.

    References
    ----------
    Vovk (1990), Aggregating strategies, Conference on Learning Theory 371-386.
    Freund, Schapire (1997), A decision-theoretic generalization of on-line learning and
    an application to boosting, Journal of Computer and System Sciences 55:119-139,
    https://doi.org/10.1006/jcss.1997.1504

    Examples
    --------
    >>> from littlestone.experts import ExponentialWeights
    >>> learner = ExponentialWeights(eta=0.5, loss="square")
    >>> learner.predict_one({"ann": 1.0, "bob": 1.0, "cyd": 1.0})
    1.0
    >>> for advice, y in [({"ann": 0.0, "bob": 1.0}, 1), ({"ann": 0.0, "bob": 1.0}, 1)]:
    ...     learner.learn_one(advice, y)
    >>> round(learner.weights_["bob"], 4), learner.best_expert_
    (0.7311, 'bob')
    """

    def __init__(
        self,
        eta: float = 0.5,
        loss: LossSpec = "square",
        *,
        gradient: bool = False,
        range: Range = None,  # noqa: A002 - what it is
        experts: Experts = None,
    ) -> None:
        owner = type(self).__name__
        rate = positive(owner, "eta", eta)
        self.eta = eta
        self.loss = loss
        self.gradient = truth(owner, "gradient", gradient)
        self.range = range
        self.experts = experts
        self._make(
            "exponential",
            (rate,),
            loss=loss,
            gradient=gradient,
            range=range,
            bounds=bounds_of(loss, gradient=gradient),
            experts=experts,
        )

    @classmethod
    def tuned(cls, best_loss: float, n: int, **parameters: Any) -> Self:
        r"""Return a learner for experts the best of which will lose about `best_loss`.

        Its rate is $\ln(1 + \sqrt{2 \ln N / L^*})$, as `EWA-TUNED` asks for.

        Parameters
        ----------
        best_loss
            $L^*$, above 0, of losses in $[0, 1]$; too large a guess is safe.
        n
            How many experts there are.
        **parameters
            The others of `ExponentialWeights`.

        Examples
        --------
        >>> from littlestone.experts import ExponentialWeights
        >>> round(ExponentialWeights.tuned(best_loss=20.0, n=8).eta, 4)
        0.3757
        """
        best = positive(cls.__name__, "best_loss", best_loss)
        return cls(
            math.log1p(math.sqrt(2 * _log(cls.__name__, n) / best)), **parameters
        )

    @classmethod
    def for_horizon(cls, T: int, n: int, **parameters: Any) -> Self:
        r"""Return a learner for a known number of rounds.

        Its rate is $\sqrt{8 \ln N / T}$, as `EWA-T` asks for.

        Parameters
        ----------
        T
            How many rounds there will be.
        n
            How many experts there are.
        **parameters
            The others of `ExponentialWeights`.

        Examples
        --------
        >>> from littlestone.experts import ExponentialWeights
        >>> round(ExponentialWeights.for_horizon(T=1000, n=8).eta, 4)
        0.129
        """
        rounds = whole(cls.__name__, "T", T, low=1)
        return cls(math.sqrt(8 * _log(cls.__name__, n) / rounds), **parameters)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its loss."""
        sleeping = (theorems.SLEEP, theorems.SLEEP_T, theorems.SLEEP_XC)
        return (
            theorems.EWA,
            theorems.EWA_T,
            theorems.EWA_XC,
            theorems.EWA_TUNED,
            *sleeping,
        )


def _log(owner: str, n: int) -> float:
    """Return ln N; of at least two, for one alone needs no rate but must have one."""
    return math.log(max(2, whole(owner, "n", n, low=1)))


def bounds_of(loss: Any, *, gradient: bool) -> tuple[float, float]:
    """Return what losses must be for the theorems of exponential weights to hold."""
    if gradient:
        return -math.inf, math.inf
    charged = as_loss(loss)
    return (0.0, math.inf) if charged.name == "log" else (0.0, max(1.0, _high(charged)))


def _high(charged: Loss) -> float:
    return charged.high if math.isfinite(charged.high) else 1.0
