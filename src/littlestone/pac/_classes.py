"""Classes of concepts, and how many examples it takes to learn them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from littlestone import theorems
from littlestone.errors import ParameterError
from littlestone.learner.parameters import truth, whole
from littlestone.pac._chances import as_chances
from littlestone.theorems import sizes

if TYPE_CHECKING:
    from fractions import Fraction

# A number of concepts with a larger logarithm is not computed.
_WRITTEN = 10_000


class ConceptClass(ABC):
    """A class of concepts, described by its size.

    Examples
    --------
    >>> from littlestone.pac import Conjunctions
    >>> small, large = Conjunctions(3), Conjunctions(10**6)
    >>> small.size, large.size
    (28, None)
    >>> round(float(large.log_size[1]), 3)
    1098612.289
    """

    @property
    @abstractmethod
    def log_size(self) -> tuple[Fraction, Fraction]:
        """Rational bounds below and above the natural logarithm of the size."""

    @property
    @abstractmethod
    def formula(self) -> str:
        """The formula for the number of concepts."""

    @property
    @abstractmethod
    def mistake_bound(self) -> int:
        """The most mistakes that the online learner of this class makes."""

    @property
    def size(self) -> int | None:
        """The number of concepts; None if it has thousands of digits."""
        return None if self.log_size[1] > _WRITTEN else self._size()

    @abstractmethod
    def _size(self) -> int: ...


@dataclass(frozen=True)
class Conjunctions(ConceptClass):
    """Conjunctions over n features: each appears as it is, negated, or not at all.

    Parameters
    ----------
    n
        The number of features.
    monotone
        Whether no feature is negated.

    Examples
    --------
    >>> from littlestone.pac import Conjunctions, sample_size
    >>> print(Conjunctions(10))
    conjunctions over 10 features
    >>> sample_size(Conjunctions(10), epsilon=0.1, delta=0.05)
    140
    """

    n: int
    monotone: bool = False

    def __post_init__(self) -> None:
        owner = type(self).__name__
        whole(owner, "n", self.n, low=1)
        truth(owner, "monotone", self.monotone)

    @property
    def log_size(self) -> tuple[Fraction, Fraction]:
        return sizes.ln_conjunctions(self.n, monotone=self.monotone)

    @property
    def formula(self) -> str:
        return "2^n" if self.monotone else "3^n + 1"

    @property
    def mistake_bound(self) -> int:
        """The most mistakes of elimination: n + 1, or n without negations."""
        theorem = theorems.CONJ_MONO if self.monotone else theorems.CONJ
        return int(theorem.formula(features=self.n))

    def _size(self) -> int:
        return 1 << self.n if self.monotone else int(3**self.n) + 1

    def __str__(self) -> str:
        kind = "monotone " if self.monotone else ""
        return f"{kind}{type(self).__name__.lower()} over {_features(self.n)}"


@dataclass(frozen=True)
class Disjunctions(Conjunctions):
    """Disjunctions over n features: as many as there are conjunctions.

    Parameters
    ----------
    n
        The number of features.
    monotone
        Whether no feature is negated.

    Examples
    --------
    >>> from littlestone.pac import Disjunctions
    >>> print(Disjunctions(10, monotone=True))
    monotone disjunctions over 10 features
    >>> Disjunctions(10, monotone=True).size
    1024
    """


@dataclass(frozen=True)
class KCNF(ConceptClass):
    """Conjunctions of clauses of 1 to k literals over n features.

    Parameters
    ----------
    n
        The number of features.
    k
        The most literals in a clause.

    Examples
    --------
    >>> from littlestone.pac import KCNF
    >>> print(KCNF(10, 3))
    3-CNFs over 10 features
    >>> KCNF(10, 3).size == 2 ** (20 + 180 + 960)
    True
    """

    n: int
    k: int

    def __post_init__(self) -> None:
        whole(type(self).__name__, "n", self.n, low=1)
        whole(type(self).__name__, "k", self.k, low=1)

    @property
    def log_size(self) -> tuple[Fraction, Fraction]:
        return sizes.ln_normal_forms(self.n, self.k)

    @property
    def formula(self) -> str:
        return "2^(C(n,1) 2 + ... + C(n,k) 2^k)" if self.k > 1 else "2^(2n)"

    @property
    def mistake_bound(self) -> int:
        """The most mistakes of elimination: 1 + sum C(n,i) (2^i - 1)."""
        return int(theorems.KCNF.formula(features=self.n, k=self.k))

    def _size(self) -> int:
        return 1 << (sizes.terms(self.n, self.k) - 1)  # without the empty clause

    def __str__(self) -> str:
        return f"{self.k}-{type(self).__name__[1:]}s over {_features(self.n)}"


@dataclass(frozen=True)
class KDNF(KCNF):
    """Disjunctions of terms of 1 to k literals over n features: as many as k-CNFs.

    Parameters
    ----------
    n
        The number of features.
    k
        The most literals in a term.

    Examples
    --------
    >>> from littlestone.pac import KDNF
    >>> print(KDNF(10, 3))
    3-DNFs over 10 features
    >>> KDNF(10, 3).mistake_bound  # 1 + 10 + 45 * 3 + 120 * 7
    986
    """


@dataclass(frozen=True)
class DecisionLists(ConceptClass):
    """Decision lists over n features whose rules test terms of at most k literals.

    Parameters
    ----------
    n
        The number of features.
    k
        The most literals that a rule tests.

    Examples
    --------
    >>> from littlestone.pac import DecisionLists, sample_size
    >>> print(DecisionLists(22))
    1-decision lists over 22 features
    >>> sample_size(DecisionLists(22), epsilon=0.05, delta=0.01)
    1672
    """

    n: int
    k: int = 1

    def __post_init__(self) -> None:
        whole(type(self).__name__, "n", self.n, low=1)
        whole(type(self).__name__, "k", self.k, low=1)

    @property
    def log_size(self) -> tuple[Fraction, Fraction]:
        return sizes.ln_decision_lists(self.n, self.k)

    @property
    def formula(self) -> str:
        return "n! 4^n" if self.k == 1 else "N! 2^N, N terms of at most k literals"

    @property
    def longest(self) -> int:
        """The most rules that a list needs, including the default."""
        # A rule on a feature that was tested before never fires, or always.
        return self.n + 1 if self.k == 1 else sizes.terms(self.n, self.k)

    @property
    def mistake_bound(self) -> int:
        """The most mistakes of the levels algorithm, for a list of any length.

        That is (2 N - L) L + L (L - 1) / 2 with N terms and L rules, including the
        default: L is at most n + 1 for k = 1, and N otherwise.
        """
        bound = theorems.DL.formula(features=self.n, k=self.k, length=self.longest)
        return int(bound)

    def _size(self) -> int:
        if self.k == 1:
            return math.factorial(self.n) << (2 * self.n)
        terms = sizes.terms(self.n, self.k)
        return math.factorial(terms) << terms

    def __str__(self) -> str:
        return f"{self.k}-decision lists over {_features(self.n)}"


@dataclass(frozen=True)
class Finite(ConceptClass):
    """Any finite class, described by its number of concepts.

    Parameters
    ----------
    concepts
        The number of concepts.

    Examples
    --------
    >>> from littlestone.pac import Finite, sample_size
    >>> sample_size(Finite(1000), epsilon=0.1, delta=0.05)  # 10 ln 20,000 = 99.03
    100
    >>> sample_size(Finite(1000), epsilon=0.1, delta=0.05, agnostic=True)
    2120
    """

    concepts: int

    def __post_init__(self) -> None:
        whole("Finite", "concepts", self.concepts, low=1, high=10**_WRITTEN)

    @property
    def log_size(self) -> tuple[Fraction, Fraction]:
        return sizes.ln_finite(self.concepts)

    @property
    def formula(self) -> str:
        return "|H|"

    @property
    def mistake_bound(self) -> int:
        """The most mistakes of halving: lg |H|, rounded down."""
        return int(theorems.HALV.formula(experts=self.concepts))

    @property
    def size(self) -> int:
        """The number of concepts."""
        return self.concepts

    def _size(self) -> int:
        return self.concepts

    def __str__(self) -> str:
        one = self.concepts == 1
        return f"a class of {self.concepts:,} concept{'' if one else 's'}"


def _features(n: int) -> str:
    return f"{n:,} feature{'' if n == 1 else 's'}"


def sample_size(
    cls: ConceptClass, epsilon: float, delta: float, *, agnostic: bool = False
) -> int:
    r"""Return how many examples are enough to learn a finite class.

    With that many examples, and probability at least $1 - \delta$, every concept of the
    class that is consistent with them has a risk of at most $\varepsilon$
    (`PAC-FINITE`). In the agnostic case no concept need be consistent, and the one with
    the fewest mistakes has a risk within $\varepsilon$ of the smallest in the class
    (`PAC-AGNOSTIC`).

    Parameters
    ----------
    cls
        The class: `Conjunctions(n)`, `Disjunctions(n)`, `KCNF(n, k)`, `KDNF(n, k)`,
        `DecisionLists(n, k)` or `Finite(size)`.
    epsilon, delta
        The risk, and the probability of failure; both between 0 and 1.
    agnostic
        Whether the class may contain no consistent concept.

    Examples
    --------
    >>> from littlestone.pac import DecisionLists, sample_size
    >>> sample_size(DecisionLists(22), epsilon=0.05, delta=0.01)
    1672
    >>> sample_size(DecisionLists(10**6, k=3), epsilon=0.05, delta=0.01) > 10**20
    True
    """
    if not isinstance(cls, ConceptClass):
        raise ParameterError(
            f"cls must be a class such as Conjunctions(n), got {cls!r}",
            owner="sample_size",
        )
    agnostic = truth("sample_size", "agnostic", agnostic)
    theorem = theorems.PAC_AGNOSTIC if agnostic else theorems.PAC_FINITE
    chances = as_chances("sample_size", epsilon, delta)
    return math.ceil(theorem.formula(log_size=cls.log_size[1], **chances))
