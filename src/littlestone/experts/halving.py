"""Halving: the majority of the experts that were never wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import NobodyLeftWarning, ParameterError, refusal
from littlestone.experts._base import ExpertLearner, SaysLabels
from littlestone.learner import warn
from littlestone.learner.advice import as_advice
from littlestone.learner.by_expert import ByExpert
from littlestone.learner.parameters import truth, whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from littlestone.experts._parameters import Experts
    from littlestone.learner.advice import Advice
    from littlestone.learner.moment import Moment

__all__ = ["Halving", "PackedAdvice"]

_BITS = 64


@dataclass(frozen=True, eq=False)
class PackedAdvice:
    """Yes and no of many experts, a bit each: bit i of a row is expert i.

    Made by `PackedAdvice.of` from labels, or of rows packed by `numpy.packbits` with
    `bitorder="little"`, whose length is then a multiple of 8 bytes.

    Attributes
    ----------
    rows
        Rounds × words of 64 bits, or rounds × bytes.
    experts
        How many experts there are.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.experts import PackedAdvice
    >>> packed = PackedAdvice.of(np.array([[True, False, True]]))
    >>> packed.rows.tolist(), packed.experts
    ([[5]], 3)
    """

    rows: NDArray[Any]
    experts: int

    def __post_init__(self) -> None:
        rows = np.ascontiguousarray(self.rows)
        if rows.ndim != 2 or rows.dtype not in (np.uint8, np.uint64):  # noqa: PLR2004 - rounds and words
            raise ParameterError(
                f"rows must be a matrix of uint8 or uint64, got {rows.ndim} "
                f"dimensions of {rows.dtype}",
                owner="PackedAdvice",
            )
        if rows.dtype == np.uint8:
            spare = -rows.shape[1] % 8
            rows = np.pad(rows, ((0, 0), (0, spare))) if spare else rows
            rows = rows.view(np.uint64)
        experts = whole("PackedAdvice", "experts", self.experts, 1)
        if rows.shape[1] != -(-experts // _BITS):
            raise ParameterError(
                f"{rows.shape[1]} words must hold just the experts, got "
                f"{self.experts!r}",
                owner="PackedAdvice",
            )
        object.__setattr__(self, "rows", rows)

    @classmethod
    def of(cls, votes: Any) -> PackedAdvice:
        """Pack rounds × experts of labels; no expert may sleep."""
        advice = as_advice(votes)
        if advice.may_sleep:
            raise ParameterError(
                "no expert may sleep, got one that does", owner="PackedAdvice"
            )
        said = _votes("PackedAdvice", advice, advice.names)
        return cls(_packed(said), said.shape[1])

    def __len__(self) -> int:
        return len(self.rows)


def _votes(
    owner: str, advice: Advice, names: Iterable[Any] | None
) -> NDArray[np.bool_]:
    """Return which experts say yes, or refuse what is not a label."""
    values = advice.values
    if values.ndim != 2:  # noqa: PLR2004 - a third is for distributions
        raise ParameterError("experts must predict labels", owner=owner)
    if values.dtype == np.bool_:
        return values
    wrong = (values != 0) & (np.abs(values) != 1)
    if advice.may_sleep:
        wrong &= ~np.isnan(values)
    if wrong.any():
        row, at = (int(k) for k in np.argwhere(wrong)[0])
        raise refusal(
            "expert_label",
            owner=owner,
            row=row,
            feature=at if names is None else [*names][at],
            value=float(values[row, at]),
        )
    said: NDArray[np.bool_] = values == 1
    return said


def _packed(votes: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(votes, axis=1, bitorder="little")


class Halving(SaysLabels, ExpertLearner):
    r"""Follow the majority of the experts that were never wrong; drop those that are.

    Every mistake drops at least half of those left, hence the name. They are kept as a
    set of bits, 64 to a word. A tied vote says yes. With priors each expert counts as
    its prior, and a mistake drops at least half of the priors left.

    Once no expert is left, which `restart=False` reports by a `NobodyLeftWarning`, it
    says yes to everything.

    Parameters
    ----------
    restart
        Start again with all experts when none is left.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, the first advice tells.
    keep_losses
        Count everyone's mistakes, for `losses_` and `regret_`. A large crowd is played
        faster without.

    Attributes
    ----------
    alive_
        The experts that were never wrong, or not since the last restart.
    living_
        How many they are.
    restarts_
        How often it has started again.
    weights_
        An equal weight for everyone alive, or by prior; they sum to one.
    losses_
        The mistakes of each expert while awake.
    loss_
        The mistakes of the learner itself.
    regret_
        How many mistakes more than each expert, on the rounds on which it was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `HALV`: if some of $N$ experts is never wrong, at most $\lfloor \lg N \rfloor$
    mistakes. `HALV-R` with `restart`: if the best errs $m$ times, at most $(m + 1)
    (\lfloor \lg N \rfloor + 1) - 1$. Both if no expert sleeps. With priors $\lg(1 /
    \mathrm{prior})$ takes the place of $\lg N$, and restarts cost what the lightest
    expert has.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1023/A:1022869011914

    Examples
    --------
    >>> from littlestone.experts import Halving
    >>> learner = Halving()
    >>> learner.play_one({"ann": True, "bob": False, "cyd": False}, True)
    False
    >>> learner.alive_
    ['ann']
    """

    _native: _core.Halving
    _votes = True
    _erred: bool = False

    def __init__(
        self,
        restart: bool = False,
        *,
        experts: Experts = None,
        keep_losses: bool = True,
    ) -> None:
        owner = type(self).__name__
        self.restart = truth(owner, "restart", restart)
        self.experts = experts
        self.keep_losses = truth(owner, "keep_losses", keep_losses)
        self._native = _core.Halving(
            owner, restart=self.restart, keep_losses=self.keep_losses
        )
        self._recruit(experts)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.HALV_R,) if self.restart else (theorems.HALV,)

    def rivals(
        self,
        losses: NDArray[np.float64],
        own: NDArray[np.float64],  # noqa: ARG002 - what it lost itself is no matter
    ) -> Any:
        """Return the position of the expert that bounds the mistakes best."""
        lightest = 1.0 if self._equal or self._priors is None else self._priors.min()
        return self._cheapest(losses, math.log(2) - math.log(lightest))

    def known_at(self, moment: Moment) -> dict[str, theorems.Number]:
        """Return also the smallest prior, if priors differ."""
        known = super().known_at(moment)
        if "prior" in known and self._priors is not None:
            known["lightest"] = float(self._priors.min())
        return known

    @property
    def alive_(self) -> list[Any]:
        """The experts that were never wrong, or not since the last restart."""
        alive = self._alive()
        return [name for name, lives in zip(self.experts_, alive, strict=True) if lives]

    @property
    def living_(self) -> int:
        """How many experts are alive."""
        return self._native.living

    @property
    def restarts_(self) -> int:
        """How often it has started again."""
        return self._native.restarts

    @property
    def weights_(self) -> ByExpert:
        """The share of every expert alive, equal without priors; of all if none is."""
        alive = self._alive()
        if not alive.any():
            alive[:] = True
        if self._equal or self._priors is None:
            return ByExpert(self._names, alive / int(np.count_nonzero(alive)))
        left = np.where(alive, self._priors, 0.0)
        return ByExpert(self._names, left / math.fsum(left.tolist()))

    @property
    def loss_(self) -> float:
        """The mistakes of the learner itself."""
        return float(self._native.mistakes)

    @property
    def last_loss_(self) -> float:
        """Whether the latest round was a mistake."""
        return float(self._erred)

    @property
    def keeps_losses_(self) -> bool:
        """Whether it counts everyone's mistakes."""
        return self.keep_losses

    @property
    def losses_(self) -> ByExpert:
        """The mistakes of each expert while awake."""
        self._check_books()
        return super().losses_

    @property
    def own_losses_(self) -> ByExpert:
        """The mistakes of the learner while each expert was awake."""
        self._check_books()
        return super().own_losses_

    def _check_books(self) -> None:
        if not self.keep_losses:
            raise ParameterError(
                "losses are counted with keep_losses=True only", owner="Halving"
            )

    def _alive(self) -> NDArray[np.bool_]:
        alive = np.empty(self._native.size, dtype=np.bool_)
        self._native.alive(alive)
        return alive

    def save_state(self) -> dict[str, Any]:
        """Return the experts, which of them are alive, and their losses."""
        return super().save_state() | {"erred": self._erred}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        super().load_state(state)
        self._erred = bool(state["erred"])

    def _begin(self, names: list[Any] | None, priors: NDArray[np.float64]) -> None:
        given = priors.tolist() if np.ptp(priors) > 0 else []
        self._native.begin(len(priors), names, given)

    def join(self, expert: Hashable = None, prior: float | None = None) -> Self:
        """Let one more expert join, with the weight of every expert alive.

        Parameters
        ----------
        expert
            The name; of experts known by their position the next is meant.
        prior
            Not taken: a newcomer counts as much as the others.
        """
        if prior is not None or not self._equal:
            what = "a new one" if prior is None else f"the prior {prior!r}"
            raise ParameterError(
                f"all experts begin alike if one joins, got {what}", owner="Halving"
            )
        return super().join(expert)

    def _join(self, expert: Hashable, share: float) -> None:  # noqa: ARG002 - everyone alive weighs the same
        self._native.join(expert)

    def _predict_one(self, x: Any) -> bool:
        return self._native.predict_one(x)

    def _play_one(self, x: Any, y: Any) -> bool:
        before, mistakes = self.living_, self._native.mistakes
        predicted = self._native.play_one(x, y)
        self._erred = self._native.mistakes > mistakes
        self._report(before)
        return predicted

    def _report(self, before: int) -> None:
        if before > 0 and self.living_ == 0:
            warn(
                f"Halving: every expert has been wrong after {self.updates_} rounds; "
                "from now on it says yes",
                NobodyLeftWarning,
            )

    def _bits(
        self, advice: Advice | PackedAdvice
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64] | None]:
        """Return votes and which experts are awake, in words of 64 bits."""
        if isinstance(advice, PackedAdvice):
            if self._native.size == 0:
                self._start(None, advice.experts)
            if advice.experts != self._native.size:
                raise refusal(
                    "experts",
                    owner="Halving",
                    feature=self._native.size,
                    value=advice.experts,
                )
            return advice.rows, None
        advice = self._met(advice)
        votes = _votes("Halving", advice, self._names)
        size, awake = votes.shape[1], None
        if advice.may_sleep:
            awake = PackedAdvice(_packed(~np.isnan(advice.values)), size).rows
        return PackedAdvice(_packed(votes), size).rows, awake

    def play(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        awake: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Play the rounds in order; they may also be `PackedAdvice`."""
        if not isinstance(X, PackedAdvice):
            return super().play(X, y, sample_weight, awake=awake)
        if sample_weight is not None or awake is not None:
            raise ParameterError(
                "packed advice takes neither sample_weight nor awake", owner="Halving"
            )
        outcomes = self.as_outcomes(y, len(X))
        predictions = np.empty(len(X), dtype=np.bool_)
        self.play_advice(X, outcomes, predictions, np.empty(len(X)), range(len(X)))
        return predictions

    def predict(self, X: Any, *, awake: ArrayLike | None = None) -> NDArray[Any]:
        """Predict each round, also of `PackedAdvice`; change nothing."""
        if not isinstance(X, PackedAdvice):
            return super().predict(X, awake=awake)
        if awake is not None:
            raise ParameterError("packed advice takes no awake", owner="Halving")
        return (self if self._native.size else self.clone())._predict(X)  # noqa: SLF001 - of a copy of its own

    def _predict(self, advice: Advice | PackedAdvice) -> NDArray[np.bool_]:
        votes, awake = self._bits(advice)
        predictions = np.empty(len(votes), dtype=np.bool_)
        self._native.predict(votes, awake, predictions)
        return predictions

    def play_advice(
        self,
        advice: Advice | PackedAdvice,
        outcomes: NDArray[Any],
        predictions: NDArray[Any],
        losses: NDArray[np.float64],
        rounds: range,
    ) -> None:
        """Play some of the rounds, as `run` does, block by block."""
        with self._meeting():
            votes, awake = self._bits(advice)
        before = self.living_
        self._native.play(
            votes, awake, outcomes, predictions, rounds.start, rounds.stop
        )
        played = slice(rounds.start, rounds.stop)
        if awake is not None and not self._slept:
            there = np.unpackbits(awake[played].view(np.uint8)).sum()
            self._slept = bool(there < len(rounds) * self._native.size)
        losses[played] = predictions[played] != outcomes[played]
        if len(rounds):
            self._erred = bool(losses[rounds.stop - 1])
        self._report(before)
