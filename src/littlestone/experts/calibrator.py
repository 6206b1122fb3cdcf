"""A calibrator: scores become probabilities, and the best way is found online."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import ParameterError
from littlestone.experts.fixed_share import FixedShare
from littlestone.learner import as_labels
from littlestone.learner.advice import Advice
from littlestone.learner.listening import Listening
from littlestone.learner.packing import check
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Calibrator"]

# What a squashed score is multiplied by, for a probability between 1e-7 and 1 - 1e-7.
SCALES = (1.0, 2.0, 4.0, 8.0, 16.0)


class Calibrator(Listening):
    r"""Turn scores into the probability of a yes, online, with a theorem.

    In each round there is a score from each of some sources, such as the members of
    `Auto`. A score $s$, squashed to $z = s/(1 + |s|)$, is read as the probability
    $1/(1 + e^{-az})$ for each scale $a$ of 1, 2, 4, 8 and 16. The score itself, between
    -16 and 16, is read as the log odds that it is if its source learns by the logistic
    loss. Each of these six readings of a source is an expert, charged by log loss, and
    `FixedShare` mixes them.

    A probability lies between $1/(1 + e^{16})$, about 1e-7, and 1 less that: so no
    round costs more than 16, and no mistake rules an expert out for ever.

    Parameters
    ----------
    sources
        How many scores there are in a round.
    alpha
        The part of its weight that every expert gives away after a round: the share of
        rounds in which the best expert changes.

    Attributes
    ----------
    rule_
        The `FixedShare` inside, with the weights and losses of the experts; expert
        $k n + j$ reads source $j$ of $n$ with scale $k$, or as log odds if $k$ is 5.
    loss_
        The log loss so far.

    Guarantees
    ----------
    `FS-XC`: the log loss is at most that of any sequence of readings with $s$
    switches, plus $(s + 1) \ln 6n + s \ln(1/\alpha) + (T - s - 1) \ln(1/(1 - \alpha))$
    for $n$ sources and $T$ rounds.

    References
    ----------
    Herbster, Warmuth (1998), Tracking the best expert, Machine Learning 32:151-178,
    https://doi.org/10.1023/A:1007424614876

    Examples
    --------
    A score that is right three times in four, whatever its size:

    >>> from littlestone.experts import Calibrator
    >>> calibrator = Calibrator(sources=1)
    >>> said = calibrator.play([[9.0], [9.0], [9.0], [9.0]] * 50, [1, 1, 1, 0] * 50)
    >>> float(said[-1].round(2))
    0.71
    """

    def __init__(self, sources: int, alpha: float = 0.001) -> None:
        self.sources = whole("Calibrator", "sources", sources, low=1)
        self.alpha = alpha
        self.rule_ = self._rule(len(SCALES) + 1)

    def _rule(self, readings: int) -> FixedShare:
        size = self.sources * readings
        return FixedShare(eta=1.0, alpha=self.alpha, loss="log", experts=size)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its log loss."""
        return (theorems.FS_XC,)

    @property
    def loss_(self) -> float:
        """The log loss so far."""
        return self.rule_.loss_

    def predict(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of a yes in each round; change nothing."""
        advice = self._read(scores)
        if not len(advice):
            return np.empty(0)
        said: NDArray[np.float64] = self.rule_.predict(advice)
        return said

    def play(self, scores: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Play rounds in order; return the probability that each had before its label.

        Parameters
        ----------
        scores
            A row a round, and a column a source.
        y
            The label of each round.
        """
        advice = self._read(scores)
        labels = as_labels(y, len(advice)).astype(np.float64)
        said = np.empty(len(advice))
        losses = np.empty(len(advice))
        self.rule_.play_advice(advice, labels, said, losses, range(len(advice)))
        if self._heard is not None:
            self._heard.append(said)
        return said

    def _read(self, scores: ArrayLike) -> Advice:
        """Return the probabilities that the experts read from scores."""
        # A copy of our own: another thread may change what was checked.
        given = np.array(scores, dtype=np.float64, order="C")
        fits = given.ndim == 2 and given.shape[1] == self.sources  # noqa: PLR2004 - rounds and sources
        if not fits or not np.isfinite(given).all():
            raise ParameterError(
                f"scores must be finite, a row a round and {self.sources} in each, got "
                f"{scores!r}",
                owner="Calibrator",
            )
        squashed = given / (1.0 + np.abs(given))
        exponents = [-scale * squashed for scale in SCALES]
        if len(self.rule_.experts_) > self.sources * len(SCALES):
            exponents.append(np.clip(-given, -SCALES[-1], SCALES[-1]))
        odds = np.concatenate(exponents, axis=1)
        _core.exponentials(odds.reshape(-1))
        return Advice(1.0 / (1.0 + odds), None, False)

    def save_state(self) -> dict[str, Any]:
        """Return what it has learned, as arrays."""
        return self.rule_.save_state()

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        priors = np.asarray(state["priors"])
        if priors.shape == (self.sources * len(SCALES),):
            self.rule_ = self._rule(len(SCALES))  # the first models read no log odds
        size = len(self.rule_.experts_)
        self.rule_.load_state(state)
        check(
            "Calibrator", len(self.rule_.experts_) == size, "a weight for each expert"
        )
