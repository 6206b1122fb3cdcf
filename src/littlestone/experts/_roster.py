"""The experts of a learner: given at first, met in the first round, or joined later."""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.errors import ParameterError, refusal
from littlestone.experts._parameters import as_prior, between, is_name
from littlestone.learner import Learner
from littlestone.learner.advice import Advice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.experts._parameters import Experts

__all__ = ["Roster"]

_SMALLEST = sys.float_info.min  # smaller doubles have fewer digits


class Roster(Learner):
    """A learner that has experts, and knows them by name or by position."""

    experts: Experts
    _native: _core.Forecaster | _core.Halving
    _names: dict[Any, int] | None  # where each expert is, in order
    _familiar: object = None  # names of advice that are those of the experts
    _priors: NDArray[np.float64] | None = None  # as at the beginning
    _equal: bool = True  # whether the priors are equal
    _votes: bool = False  # whether it votes by priors as given: shares would round

    @property
    def experts_(self) -> list[Any]:
        """The experts, by name, or by position if they have no names."""
        size = self._native.size
        return list(range(size)) if self._names is None else list(self._names)

    def join(self, expert: Hashable = None, prior: float | None = None) -> Self:
        """Add an expert, with this share of the weight.

        Parameters
        ----------
        expert
            The name; not needed if experts are known by their position.
        prior
            The share of the weight that the expert starts with, between 0 and 1; by
            default an equal share. The others shrink in proportion. `MLPoly`, `MLProd`
            and `BOA`, which weigh by regrets, multiply the expert's weight by it.
        """
        owner = type(self).__name__
        size = self._native.size
        if size == 0:
            raise ParameterError(
                "an expert can only join others, got none yet; list the first in "
                "`experts`",
                owner=owner,
            )
        if self._names is None:
            if expert not in (None, size):
                raise ParameterError(
                    f"experts are known by position, so the next must be {size}, got "
                    f"{expert!r}",
                    owner=owner,
                )
        elif expert is None or not is_name(expert) or expert in self._names:
            raise ParameterError(
                f"a new expert must have a name of its own, got {expert!r}", owner=owner
            )
        share = 1 / (size + 1) if prior is None else prior
        between(owner, "prior", share, 0, 1)
        if share < _SMALLEST:
            raise ParameterError(
                f"prior must be at least {_SMALLEST:.3g}, got {share!r}", owner=owner
            )
        self._join(expert, float(share))
        if self._names is not None:
            self._names[expert] = size
            self._familiar = None
        return self

    @abstractmethod
    def _join(self, expert: Hashable, share: float) -> None:
        """Add an expert natively."""

    @abstractmethod
    def _begin(self, names: list[Any] | None, priors: NDArray[np.float64]) -> None:
        """Start with these experts natively."""

    def _recruit(self, experts: Experts) -> None:
        """Start with the experts of the constructor, if there are any."""
        self._names = None
        owner = type(self).__name__
        if experts is None:
            return
        if isinstance(experts, (int, np.integer)) and not isinstance(experts, bool):
            if experts < 1:
                raise ParameterError(
                    f"there must be at least one expert, got {experts!r}", owner=owner
                )
            self._start(None, int(experts))
        elif isinstance(experts, Mapping):
            given = [*experts.values()]
            priors = np.array([as_prior(owner, prior) for prior in given])
            self._start(list(experts), len(experts), priors)
        elif getattr(experts, "ndim", 0) == 1:  # an array, or the columns of a frame
            names = np.asarray(experts).tolist()
            self._start(names, len(names))
        elif isinstance(experts, Sequence) and not isinstance(experts, (str, bytes)):
            self._start(list(experts), len(experts))
        else:
            raise ParameterError(
                "experts must be a number, names, or names with priors, got "
                f"{experts!r}",
                owner=owner,
            )

    def _start(
        self,
        names: list[Any] | None,
        size: int,
        priors: NDArray[np.float64] | None = None,
    ) -> None:
        owner = type(self).__name__
        if size == 0:
            raise ParameterError(
                "there must be at least one expert, got none", owner=owner
            )
        unfit = next((name for name in names or () if not is_name(name)), None)
        if unfit is not None:
            raise ParameterError(
                f"the name of an expert must be hashable, got {unfit!r}", owner=owner
            )
        if names is not None and len(set(names)) < size:
            times = Counter(names)
            twice = next(name for name in names if times[name] > 1)
            raise ParameterError(
                f"each expert must appear once, got {twice!r} twice", owner=owner
            )
        # The sum is rounded once, as NumPy's order of summation may change.
        if priors is None:
            equal = 1 / size
            starts = shares = np.full(size, equal / (size * equal))
        else:
            try:
                total = math.fsum(priors.tolist())
            except OverflowError:
                raise ParameterError(
                    "priors must have a finite sum, got more", owner=owner
                ) from None
            shares = priors / total
            # A power of two scales the sum to 1 or slightly more, without rounding.
            exact = np.ldexp(priors, 1 - math.frexp(total)[1])
            starts = exact if self._votes else shares
        if shares.min() < _SMALLEST:
            raise ParameterError(
                f"the share of every expert must be at least {_SMALLEST:.3g}, got "
                f"{shares.min():.3g}",
                owner=owner,
            )
        self._begin(names, starts)
        self._names = (
            None if names is None else {name: k for k, name in enumerate(names)}
        )
        self._priors = shares
        self._equal = not np.ptp(shares)

    def _meet(self, x: Any) -> None:
        """Start with the experts of the first advice."""
        names: list[Any] | None = None
        if hasattr(x, "keys"):
            names = [*x.keys()]  # iterating over a pandas Series gives its values
            size = len(names)
        elif type(x) in (list, tuple):
            size = len(x)
        elif hasattr(x, "__len__") and not isinstance(x, (str, bytes, set, frozenset)):
            try:
                size = sum(1 for _ in x)  # its length may be a lie
            except TypeError:
                raise refusal("advice", owner=type(self).__name__, value=x) from None
        else:
            raise refusal("advice", owner=type(self).__name__, value=x)
        if size == 0:
            raise refusal("asleep", owner=type(self).__name__)
        self._start(names, size)

    def _met(self, advice: Advice) -> Advice:
        """Return advice in the order of the experts; the first advice names them."""
        size = advice.values.shape[1]
        if advice.names is not None and advice.names is self._familiar:
            return advice
        names = None if advice.names is None else list(advice.names)
        if self._native.size == 0:
            self._start(names, size)
            return advice
        if names is not None and names != self.experts_:
            return self._sorted(advice, names)
        if size != self._native.size:
            raise refusal(
                "experts",
                owner=type(self).__name__,
                feature=self._native.size,
                value=size,
            )
        self._familiar = advice.names
        return advice

    def _sorted(self, advice: Advice, names: list[Any]) -> Advice:
        known = self._names
        if known is None:
            known = {at: at for at in range(self._native.size)}
        for name in names:
            if name not in known:
                raise refusal("stranger", owner=type(self).__name__, feature=name)
        shape = (len(advice), self._native.size, *advice.values.shape[2:])
        values = np.full(shape, np.nan)
        values[:, [known[name] for name in names]] = advice.values
        sleepy = advice.may_sleep or len(names) < self._native.size
        return Advice(
            values, None if self._names is None else tuple(self._names), sleepy
        )
