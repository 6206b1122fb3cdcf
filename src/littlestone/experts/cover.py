"""Cover's learner: as many expected mistakes on a sequence as you have chosen."""

from __future__ import annotations

import hashlib
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone import theorems
from littlestone.errors import ExampleError, ParameterError
from littlestone.experts._chances import Chances, Counts, Leaves, Tails, scaled
from littlestone.learner import Learner, as_label, as_times
from littlestone.learner.packing import check
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Cover"]

Phi: TypeAlias = Sequence[Any] | Callable[[tuple[int, ...]], Any]

_MOST_SHARES = 2**15  # so many numbers take a second in each round
_SHARE_BITS = 2**28  # of all the numbers, over one denominator
_MOST_BITS = 20  # a function of whole sequences is called for at most 2**20 of them
_MOST_ROUNDS = 2**24
_HALF = Fraction(1, 2)


class Cover(Learner):
    r"""Predict a binary sequence of known length by imagining coin flips for its rest.

    It looks at no features: `x` may be None, `{}` or anything else. At a round after
    which $m$ are left, with $k$ ones so far, let $B$ be the ones in $m$ coin flips. It
    says yes with probability

    $$q = \tfrac12 + \tfrac12 \big(P[k + B \ge \tfrac n2]
    - P[k + B \le \tfrac n2 - 1]\big),$$

    the chance that ones win if the rest is left to chance. With $\phi$ of your own it
    is $q = \frac12 + \frac n2 (\Phi(0) - \Phi(1))$, where $\Phi(b)$ is the mean of
    $\phi$ over coin flips for the rest, after the bit $b$ in this round.

    All is computed with whole numbers and fractions, and the draw is compared exactly.
    It depends on the seed and the number of the round alone.

    Parameters
    ----------
    horizon
        $n$, how many rounds there are at most, up to $2^{24}$. One more is refused.
    phi
        The share of mistakes to aim for, by sequence: None for the share of the rarer
        label and as little more as there has to be; $n + 1$ numbers, by the number of
        ones, for a horizon of at most $2^{15}$; or a function of a tuple of bits, for a
        horizon of at most 20, which is called for all $2^n$ at construction. Its mean
        over all sequences must be 1/2 exactly, and two sequences that differ in one bit
        may differ by $1/n$ at most. A round costs a few operations on numbers of $n$
        bits for None, $n$ for numbers.
    seed
        What the draws start from.

    Attributes
    ----------
    probability_
        The probability of saying yes in the next round, a `Fraction`.
    expected_mistakes_
        The expected number of mistakes so far, a `Fraction`.
    updates_
        How many labels it has counted.

    Guarantees
    ----------
    `COVER`: on every sequence of length $n$ the expected number of mistakes is exactly
    $n \min(\hat p, 1 - \hat p) + \frac12 \mathbb E |S_n|$, where $\hat p$ is the share
    of ones and $S_n$ the sum of $n$ signs $\pm 1$ drawn at random. `COVER-PHI`: with
    $\phi$ of your own it is exactly $n \phi(y)$. The sequence may be any, but must not
    depend on the draws: an adversary that sees a prediction before it answers can
    force more mistakes than expected.

    References
    ----------
    Cover (1965), Behavior of sequential predictors of binary sequences, Transactions of
    the Fourth Prague Conference on Information Theory, 263-272

    Examples
    --------
    Two rounds, both no. The first is a fair coin; then ones can no longer win, but they
    can still draw level, which counts:

    >>> from littlestone.experts import Cover
    >>> learner = Cover(horizon=2)
    >>> learner.probability_
    Fraction(1, 2)
    >>> learner.learn_one(None, False)
    >>> learner.probability_
    Fraction(0, 1)
    >>> learner.learn_one(None, False)
    >>> learner.expected_mistakes_  # 2 min(0, 1) + E|S_2|/2
    Fraction(1, 2)

    A share of mistakes that is half the share of ones and 1/4 more:

    >>> learner = Cover(horizon=2, phi=[0.25, 0.5, 0.75])
    >>> learner.learn_one(None, True)
    >>> learner.learn_one(None, True)
    >>> learner.expected_mistakes_
    Fraction(3, 2)
    """

    def __init__(self, horizon: int, phi: Phi | None = None, seed: int = 0) -> None:
        rounds = _whole("horizon", horizon, 1)
        if rounds > _MOST_ROUNDS:
            raise ParameterError(
                f"horizon must be at most {_MOST_ROUNDS:,}, got {horizon!r}; a round "
                "counts with whole numbers of so many bits",
                owner="Cover",
            )
        self.horizon = rounds
        self.phi = phi
        self.seed = _whole("seed", seed, 0)
        self._chances = _chances(rounds, phi)
        self._told = 0
        self._ones = 0
        self._wrong = 0  # expected mistakes, over scale * 2**horizon

    def save_state(self) -> dict[str, Any]:
        """Return what it has counted, and the chances of the rounds to come."""
        return {
            "told": self._told,
            "ones": self._ones,
            "wrong": self._wrong,
            "chances": {
                name: getattr(self._chances, name) for name in self._chances.saved
            },
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        told, wrong, chances = state["told"], state["wrong"], state["chances"]
        ones = whole("Cover", "ones", state["ones"])
        check("Cover", ones <= told <= self.horizon and wrong >= 0, "rounds")
        over = told == self.horizon
        sound = _could_be(self._chances, chances, told, ones, over=over)
        check("Cover", sound, "chances")
        most = (told * self._chances.scale) << self.horizon
        check("Cover", wrong <= most, "a count of mistakes")
        vars(self._chances).update(chances)
        self._told, self._ones, self._wrong = told, ones, wrong

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem on its expected mistakes."""
        return (theorems.COVER if self.phi is None else theorems.COVER_PHI,)

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """The horizon, and how many ones there are, or what phi is, in the best case.

        Whatever is still to come makes no expected mistake undone. So those so far are
        at most those of any sequence that continues this one. Of a function
        of sequences the best case is not known.
        """
        left = self.horizon - self._told
        if self.phi is None:  # all that come are the rarer label's opposite
            ones = min(self._ones, self._told - self._ones)
            return {"rounds": self.horizon, "ones": ones}
        if callable(self.phi):
            return {}
        most = self._ones + left + 1
        shares = [_exact(share) for share in self.phi[self._ones : most]]
        return {"rounds": self.horizon, "phi": min(s for s in shares if s is not None)}

    @property
    def probability_(self) -> Fraction:
        """The probability of saying yes in the next round; there must be one."""
        self._refuse_beyond_the_horizon(1)
        return Fraction(self._chances.numerator, self._whole())

    def probability_one(self, x: Any) -> float:  # noqa: ARG002 - it does not look
        """Return the probability of saying yes to an example; see `probability_`."""
        return float(self.probability_)

    @property
    def expected_mistakes_(self) -> Fraction:
        """The expected number of mistakes so far."""
        return Fraction(self._wrong, self._chances.scale << self.horizon)

    @property
    def updates_(self) -> int:
        """How many labels it has counted."""
        return self._told

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Say yes with the probability `probability_`; the same when called again."""
        self._refuse_beyond_the_horizon(1)
        return _drawn_below(
            self._chances.numerator, self._whole(), seed=self.seed, at=self._told
        )

    def learn_one(self, x: Any, y: object, sample_weight: int = 1) -> None:  # noqa: ARG002 - it does not look
        """Count the label, as that of `sample_weight` rounds."""
        label = as_label(y)
        times = as_times(sample_weight)
        self._refuse_beyond_the_horizon(times)
        for _ in range(times):
            yes, flips = self._chances.numerator, self._chances.flips
            wrong = self._whole() - yes if label else yes
            self._wrong += wrong << (self.horizon - flips)
            self._chances.tell(label)
            self._told += 1
            self._ones += label

    def _whole(self) -> int:
        return self._chances.scale << self._chances.flips

    def _refuse_beyond_the_horizon(self, rounds: int) -> None:
        if self._told + rounds > self.horizon:
            raise ExampleError(
                f"there must be at most horizon = {self.horizon} rounds, got "
                f"{rounds} more after {self._told}",
                owner="Cover",
            )


def _could_be(
    born: Chances, saved: Mapping[str, Any], told: int, ones: int, *, over: bool
) -> bool:
    """Return whether the chances at birth can have become those that were saved.

    After the last round they are no chances any more.
    """
    if saved.keys() != set(born.saved):
        return False
    numbers = dict(saved)
    for name in {"drops", "values"} & saved.keys():
        values = numbers.pop(name)
        whole_numbers = all(type(value) is int for value in values)
        if not whole_numbers or len(values) > len(vars(born)[name]):
            return False
    if not all(type(number) is int for number in numbers.values()):
        return False
    flips = numbers["flips"]
    if not -1 <= flips <= born.flips or any(
        numbers[name] != getattr(born, name)
        for name in {"scale", "horizon"} & {*numbers}
    ):
        return False
    most = born.scale << max(flips, 0)
    if isinstance(born, Tails) and not (
        flips == born.flips - told
        and numbers["needed"] == born.needed - ones
        and 0 <= numbers["term"] <= most
    ):
        return False
    return over or 0 <= numbers["numerator"] <= most


def _drawn_below(numerator: int, denominator: int, *, seed: int, at: int) -> bool:
    """Tell whether a number drawn from [0, 1) lies below a fraction.

    The hash yields the binary digits of the number, as many as it takes to decide, so
    that the probability is the fraction and not a rounded one.
    """
    digits = hashlib.shake_128(f"littlestone Cover {seed} {at}".encode())
    bits = 128
    while True:
        drawn = int.from_bytes(digits.digest(bits // 8), "big")
        if (drawn + 1) * denominator <= numerator << bits:
            return True
        if drawn * denominator >= numerator << bits:
            return False
        bits *= 2


def _chances(horizon: int, phi: Phi | None) -> Chances:
    """Check phi, and return the chances it leads to."""
    if phi is None:
        return Tails(horizon)
    if callable(phi):
        if horizon > _MOST_BITS:
            raise ParameterError(
                f"horizon must be at most {_MOST_BITS} for phi of whole sequences, "
                f"got {horizon}",
                owner="Cover",
            )
        sequences = itertools.product((0, 1), repeat=horizon)
        values, scale = _shares((bits, phi(bits)) for bits in sequences)
        _refuse_unstable_sequences(values, scale, horizon)
        _refuse_mean(Fraction(sum(values), scale << horizon))
        return Leaves(values, scale, horizon)
    given = phi.tolist() if hasattr(phi, "tolist") else phi
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise ParameterError(
            f"phi must be None, a sequence of numbers or a function, got {phi!r}",
            owner="Cover",
        )
    if len(given) != horizon + 1:
        raise ParameterError(
            f"phi must hold horizon + 1 = {horizon + 1} numbers, one for each number "
            f"of ones, got {len(given)}",
            owner="Cover",
        )
    if horizon > _MOST_SHARES:
        raise ParameterError(
            f"horizon must be at most {_MOST_SHARES:,} for phi of numbers, got "
            f"{horizon}",
            owner="Cover",
        )
    values, scale = _shares(enumerate(given))
    total, ways = 0, 1
    for ones, value in enumerate(values):
        if ones and abs(value - values[ones - 1]) * horizon > scale:
            before, after = given[ones - 1], given[ones]
            _refuse_stability(horizon, f"{ones - 1} ones", before, f"{ones}", after)
        total += ways * value
        ways = ways * (horizon - ones) // (ones + 1)
    _refuse_mean(Fraction(total, scale << horizon))
    return Counts(values, scale)


def _shares(values: Iterable[tuple[object, Any]]) -> tuple[list[int], int]:
    """Return the numerators of phi's values over one denominator."""
    shares = []
    for place, value in values:
        share = _exact(value)
        if share is None or not 0 <= share <= 1:
            of = f"{place} ones" if isinstance(place, int) else f"{place}"
            raise ParameterError(
                f"phi must be a number from 0 to 1, got {value!r} for {of}",
                owner="Cover",
            )
        shares.append(share)
    common, bits = 1, _SHARE_BITS // len(shares)
    for denominator in {share.denominator for share in shares}:
        common = math.lcm(common, denominator)
        if common.bit_length() > bits:
            raise ParameterError(
                "phi must be numbers with a common denominator of at most "
                f"{bits:,} bits, got more",
                owner="Cover",
            )
    return scaled(shares)


def _exact(value: Any) -> Fraction | None:
    """Return the rational that a number is, or None."""
    if hasattr(value, "item"):  # NumPy's numbers would overflow inside a fraction
        value = value.item()
    if not isinstance(value, (str, bytes)):
        with suppress(TypeError, ValueError, OverflowError):
            return Fraction(value)
    return None


def _refuse_unstable_sequences(values: list[int], scale: int, horizon: int) -> None:
    # Objects, not machine numbers, so that nothing overflows.
    exact = np.array(values, dtype=object)
    for flipped in (1 << place for place in range(horizon)):
        pairs = exact.reshape(-1, 2, flipped)
        far = np.argwhere(abs(pairs[:, 0] - pairs[:, 1]) * horizon > scale)
        if len(far):
            index = int(far[0, 0]) * 2 * flipped + int(far[0, 1])
            (first, before), (second, after) = (
                (tuple(map(int, f"{at:0{horizon}b}")), Fraction(values[at], scale))
                for at in (index, index + flipped)
            )
            _refuse_stability(horizon, f"{first}", before, f"{second}", after)


def _refuse_stability(
    horizon: int, first: str, before: object, second: str, after: object
) -> None:
    raise ParameterError(
        f"phi must change by at most 1/horizon = 1/{horizon} with one bit, got "
        f"{before!s} for {first} and {after!s} for {second}",
        owner="Cover",
    )


def _refuse_mean(mean: Fraction) -> None:
    if mean != _HALF:
        raise ParameterError(
            f"the mean of phi over all sequences must be exactly 1/2, got {mean!s}",
            owner="Cover",
        )


def _whole(name: str, value: object, least: int) -> int:
    if not isinstance(value, bool):
        with suppress(TypeError):
            number = operator.index(value)  # type: ignore[arg-type]  # that is asked
            if number >= least:
                return number
    raise ParameterError(
        f"{name} must be a whole number of at least {least}, got {value!r}",
        owner="Cover",
    )
