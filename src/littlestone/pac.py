"""How many examples suffice, and online learners turned into PAC learners.

Everything here is about examples that are drawn independently from one distribution.
The risk of a hypothesis is the chance that it errs on one more of them.

- `sample_size` tells how many examples a consistent learner needs, for a class such as
  `Conjunctions(n)` or `DecisionLists(n, k)`.
- `convert` plays an online learner on a stream until its hypothesis can be promised to
  have a small risk.
- `risk_bound` tells what a run that is over says about the risk.
- `estimate` tells what mistakes on fresh examples say about the risk.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from littlestone import theorems
from littlestone.boolean import StandardOptimalLearner, VersionSpaceLearner
from littlestone.display import Shown
from littlestone.errors import ParameterError, PremiseError, StreamError
from littlestone.learner import as_label
from littlestone.parameters import truth, whole
from littlestone.running import run
from littlestone.theorems import sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.rows import Example
    from littlestone.running import Plays, Record

__all__ = [
    "KCNF",
    "KDNF",
    "ConceptClass",
    "Conjunctions",
    "Conversion",
    "DecisionLists",
    "Disjunctions",
    "Estimate",
    "Finite",
    "Promise",
    "RiskBound",
    "Survivor",
    "convert",
    "estimate",
    "risk_bound",
    "sample_size",
]


# Classes -----------------------------------------------------------------------------

# Beyond this logarithm a number of concepts is not written out.
_WRITTEN = 10_000


class ConceptClass(ABC):
    """A class of concepts, by how many there are.

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
        """Rationals below and above the natural logarithm of the number of concepts."""

    @property
    @abstractmethod
    def formula(self) -> str:
        """The number of concepts, as one writes it."""

    @property
    @abstractmethod
    def mistake_bound(self) -> int:
        """How many mistakes the online learner of this class makes at most."""

    @property
    def size(self) -> int | None:
        """The number of concepts; None where it has thousands of digits."""
        return None if self.log_size[1] > _WRITTEN else self._size()

    @abstractmethod
    def _size(self) -> int: ...


@dataclass(frozen=True)
class Conjunctions(ConceptClass):
    """Conjunctions over n features: each stands as it is, negated, or not at all.

    Parameters
    ----------
    n
        How many features there are.
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
        """Rationals below and above the natural logarithm of the number of concepts."""
        return sizes.ln_conjunctions(self.n, monotone=self.monotone)

    @property
    def formula(self) -> str:
        """The number of concepts, as one writes it."""
        return "2^n" if self.monotone else "3^n + 1"

    @property
    def mistake_bound(self) -> int:
        """How many mistakes elimination makes: n + 1, or n without negations."""
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
        How many features there are.
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
        How many features there are.
    k
        How many literals a clause has at most.

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
        """Rationals below and above the natural logarithm of the number of concepts."""
        return sizes.ln_normal_forms(self.n, self.k)

    @property
    def formula(self) -> str:
        """The number of concepts, as one writes it."""
        return "2^(C(n,1) 2 + ... + C(n,k) 2^k)" if self.k > 1 else "2^(2n)"

    @property
    def mistake_bound(self) -> int:
        """How many mistakes elimination makes: 1 + sum C(n,i) (2^i - 1)."""
        return int(theorems.KCNF.formula(features=self.n, k=self.k))

    def _size(self) -> int:
        return 1 << (sizes.terms(self.n, self.k) - 1)  # the empty clause is no clause

    def __str__(self) -> str:
        return f"{self.k}-{type(self).__name__[1:]}s over {_features(self.n)}"


@dataclass(frozen=True)
class KDNF(KCNF):
    """Disjunctions of terms of 1 to k literals over n features: as many as k-CNFs.

    Parameters
    ----------
    n
        How many features there are.
    k
        How many literals a term has at most.

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
        How many features there are.
    k
        How many literals a rule tests at most.

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
        """Rationals below and above the natural logarithm of the number of concepts."""
        return sizes.ln_decision_lists(self.n, self.k)

    @property
    def formula(self) -> str:
        """The number of concepts, as one writes it."""
        return "n! 4^n" if self.k == 1 else "N! 4^N, N terms of at most k literals"

    @property
    def mistake_bound(self) -> int:
        """How many mistakes the levels algorithm makes, however long the list is.

        That is (2 N - L) L + L (L - 1) / 2 with N terms and L rules, the default
        included: at most n + 1 for k = 1, and N otherwise.
        """
        # A rule on a feature that was tested before fires never, or always.
        longest = self.n + 1 if self.k == 1 else sizes.terms(self.n, self.k)
        bound = theorems.DL.formula(features=self.n, k=self.k, length=longest)
        return int(bound)

    def _size(self) -> int:
        tests = self.n if self.k == 1 else sizes.terms(self.n, self.k)
        return math.factorial(tests) << (2 * tests)

    def __str__(self) -> str:
        return f"{self.k}-decision lists over {_features(self.n)}"


@dataclass(frozen=True)
class Finite(ConceptClass):
    """Any finite class, by its number of concepts.

    Parameters
    ----------
    concepts
        How many concepts there are.

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
        """Rationals below and above the natural logarithm of the number of concepts."""
        return sizes.ln_finite(self.concepts)

    @property
    def formula(self) -> str:
        """The number of concepts, as one writes it."""
        return "|H|"

    @property
    def mistake_bound(self) -> int:
        """How many mistakes halving makes: lg |H|, rounded down."""
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
    r"""Return how many examples suffice for a learner over a finite class.

    After so many, with probability at least $1 - \delta$, whichever consistent concept
    the learner returns has a risk of at most $\varepsilon$ (`PAC-FINITE`). If none need
    be consistent, the concept with the fewest mistakes has a risk within $\varepsilon$
    of the least in the class (`PAC-AGNOSTIC`).

    Parameters
    ----------
    cls
        The class: `Conjunctions(n)`, `Disjunctions(n)`, `KCNF(n, k)`, `KDNF(n, k)`,
        `DecisionLists(n, k)` or `Finite(size)`.
    epsilon, delta
        The risk, and the chance to fail; both between 0 and 1.
    agnostic
        Whether the class may hold no consistent concept.

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
            f"sample_size: cls must be a class such as Conjunctions(n), got {cls!r}"
        )
    agnostic = truth("sample_size", "agnostic", agnostic)
    theorem = theorems.PAC_AGNOSTIC if agnostic else theorems.PAC_FINITE
    chances = _chances("sample_size", epsilon, delta)
    return math.ceil(theorem.formula(log_size=cls.log_size[1], **chances))


def _chances(owner: str, epsilon: float, delta: float) -> dict[str, Any]:
    return {
        "epsilon": _chance(owner, "epsilon", epsilon),
        "delta": _chance(owner, "delta", delta),
    }


def _chance(owner: str, name: str, value: Any) -> Any:
    try:
        sound = 0 < value < 1
    except TypeError:
        sound = False
    if not sound:
        raise ParameterError(f"{owner}: {name} must lie between 0 and 1, got {value!r}")
    # Theorems know no numbers but Python's own.
    return value if isinstance(value, (float, Fraction)) else float(value)


# Conversions -------------------------------------------------------------------------


@dataclass(frozen=True)
class Promise(Shown):
    """What is promised of a hypothesis, and by which theorem.

    Attributes
    ----------
    epsilon, delta
        The risk is at most epsilon, with probability at least 1 - delta.
    theorem
        The theorem that says so.
    examples
        How many examples it took.

    Examples
    --------
    >>> from littlestone import theorems
    >>> from littlestone.pac import Promise
    >>> print(Promise(0.05, 0.01, theorems.MB2PAC_SURVIVE, 1234))
    with probability at least 0.99 the risk is at most 0.05 (MB2PAC-SURVIVE, 1,234 examples)
    """  # noqa: E501 - a promise is one line

    epsilon: float
    delta: float
    theorem: theorems.Theorem
    examples: int

    def __str__(self) -> str:
        return (
            f"with probability at least {_complement(self.delta)} the risk is at most "
            f"{self.epsilon} ({self.theorem.id}, {_examples(self.examples)})"
        )


@dataclass(frozen=True)
class Conversion(Shown):
    """A hypothesis with a promise.

    Attributes
    ----------
    concept
        The hypothesis as a concept; None where the learner's is none.
    weights
        The hypothesis as weights by feature; None for a learner without `weights_`.
    learner
        The learner that says what the hypothesis says: `predict_one`, `predict`.
    examples
        How many examples were used.
    mistakes
        How many mistakes the learner made, and so how often it learned.
    promise
        What is promised; prints as a sentence.

    Examples
    --------
    >>> from littlestone.boolean import ConsistentLearner
    >>> from littlestone.pac import convert
    >>> learner = ConsistentLearner([lambda x: True, lambda x: x > 4])
    >>> done = convert(learner, [(3, False), (7, True)] * 50, epsilon=0.1, delta=0.1)
    >>> done.concept(5), done.mistakes, done.examples
    (True, 1, 31)
    """

    concept: Any
    weights: dict[Any, float] | None
    learner: Any
    examples: int
    mistakes: int
    promise: Promise

    def __str__(self) -> str:
        shown = self.learner if self.concept is None else self.concept
        return f"{shown}\n{self.promise}"


def convert(
    learner: Plays,
    stream: Iterable[tuple[Example, object]],
    epsilon: float,
    delta: float,
    *,
    method: Literal["survive", "fast"] = "survive",
    mistakes: int | None = None,
) -> Conversion:
    r"""Turn an online learner into a PAC learner.

    The learner is played on examples drawn independently from one distribution, and
    learns **only where it errs**. That makes every learner conservative: its hypothesis
    changes with a mistake and with nothing else. A bound on its mistakes that holds for
    every order of the examples still holds.

    - `"survive"` stops when one hypothesis has survived
      $s = \lceil\ln((M+1)/\delta)/\varepsilon\rceil$ examples in a row; that takes at
      most $(M+1)s$.
    - `"fast"` learns on a number of examples that grows like $M/\varepsilon$, keeps a
      copy of every hypothesis, and chooses the one with the fewest mistakes on fresh
      ones. The numbers are the smallest by exact binomial tails: see
      `theorems.fast_sizes`.

    The promise does not rest on the bound $M$: whoever makes more mistakes than that is
    found out, and refused with a `PremiseError`.

    Parameters
    ----------
    learner
        A learner of labels; it goes on from what it has learned so far, from other
        examples.
    stream
        Examples drawn independently from one distribution; read only as far as needed.
    epsilon, delta
        The risk, and the chance to fail; both between 0 and 1.
    method
        `"survive"` or `"fast"`.
    mistakes
        The bound $M$, fixed before the examples came. Learners of `boolean` that were
        told their features or concepts know one.

    Examples
    --------
    Two features, of which the first decides:

    >>> import random
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.pac import convert
    >>> coin = random.Random(7)
    >>> draws = [(coin.random() < 0.5, coin.random() < 0.5) for _ in range(1000)]
    >>> stream = [({"a": a, "b": b, "one": 1}, a) for a, b in draws]
    >>> done = convert(Perceptron(), stream, epsilon=0.05, delta=0.01, mistakes=12)
    >>> print(done.promise)
    with probability at least 0.99 the risk is at most 0.05 (MB2PAC-SURVIVE, 160 examples)
    >>> done.weights
    {'a': 2.0, 'b': -1.0, 'one': -1.0}
    """  # noqa: E501 - a promise is one line
    chances = _chances("convert", epsilon, delta)
    if method not in ("survive", "fast"):
        raise ParameterError(
            f"convert: method must be 'survive' or 'fast', got {method!r}"
        )
    if getattr(learner, "outcomes_are", "labels") == "numbers":
        raise ParameterError(
            "convert: a learner must predict labels, got one that predicts numbers: "
            f"{learner!r}"
        )
    bound = _bound(learner, mistakes)
    convert_by = _survive if method == "survive" else _fast
    return convert_by(learner, iter(stream), chances, bound)


def _survive(
    learner: Any,
    stream: Iterator[tuple[Example, object]],
    chances: dict[str, Any],
    bound: int,
) -> Conversion:
    length = theorems.survival_length(bound, **chances)
    cautious = _Cautious(learner, bound)
    record = run(cautious, _until(cautious, length, stream))
    if cautious.survived < length:
        left = bound - cautious.mistakes
        more = left * length + length - cautious.survived
        raise _ended(record.rounds, more)
    return _converted(
        learner, theorems.MB2PAC_SURVIVE, chances, record.rounds, cautious.mistakes
    )


def _until(
    cautious: _Cautious, length: int, stream: Iterator[tuple[Example, object]]
) -> Iterator[tuple[Example, object]]:
    """Yield examples until one hypothesis has survived so many."""
    while cautious.survived < length:
        try:
            example = next(stream)
        except StopIteration:
            return
        yield example


def _fast(
    learner: Any,
    stream: Iterator[tuple[Example, object]],
    chances: dict[str, Any],
    bound: int,
) -> Conversion:
    first = theorems.learning_size(bound, **chances)
    cautious = _Cautious(learner, bound, keep=True)
    learned = run(cautious, islice(stream, first)).rounds
    if learned < first:
        more = first - learned + theorems.choosing_size(bound, **chances)
        raise _ended(learned, more)
    # Given what was learned, the examples to come are fresh: so the hypotheses that
    # there are count, not those that there might have been.
    second = theorems.choosing_size(cautious.mistakes, **chances)
    jury = _Jury(cautious.hypotheses)
    judged = run(jury, islice(stream, second)).rounds
    if judged < second:
        raise _ended(learned + judged, second - judged)
    chosen = jury.best()
    return _converted(
        chosen, theorems.MB2PAC_FAST, chances, learned + judged, cautious.mistakes
    )


class _Cautious:
    """Learns only where it errs, and counts what its hypothesis has survived."""

    def __init__(self, learner: Any, bound: int, *, keep: bool = False) -> None:
        self._learner = learner
        self._bound = bound
        self.any_labels = getattr(learner, "any_labels", False)
        self.mistakes = 0
        self.survived = 0
        self.hypotheses: list[Any] = [deepcopy(learner)] if keep else []
        self._keep = keep

    def predict_one(self, x: Example) -> Any:
        return self._learner.predict_one(x)

    def learn_one(self, x: Example, y: Any) -> None:
        self._learner.learn_one(x, y)

    def play_one(self, x: Example, y: Any) -> Any:
        said = _said(self._learner, x)
        if said == y:
            self.survived += 1
            return said
        if self.mistakes == self._bound:
            raise PremiseError(
                f"convert: {type(self._learner).__name__} must make at most "
                f"{self._bound:,} mistakes, got one more"
            )
        self._learner.learn_one(x, y)
        self.mistakes += 1
        self.survived = 0
        if self._keep:
            self.hypotheses.append(deepcopy(self._learner))
        return said


class _Jury:
    """Counts the mistakes of each hypothesis; none of them learns."""

    def __init__(self, hypotheses: list[Any]) -> None:
        self._hypotheses = hypotheses
        self._mistakes = [0] * len(hypotheses)
        self.any_labels = getattr(hypotheses[0], "any_labels", False)

    def predict_one(self, x: Example) -> Any:
        return self.best().predict_one(x)

    def learn_one(self, x: Example, y: Any) -> None:
        for at, hypothesis in enumerate(self._hypotheses):
            self._mistakes[at] += _said(hypothesis, x) != y

    def play_one(self, x: Example, y: Any) -> Any:
        self.learn_one(x, y)
        return y

    def best(self) -> Any:
        """Return the one with the fewest mistakes, the latest of equals."""
        fewest = min(self._mistakes)
        last = len(self._mistakes) - 1 - self._mistakes[::-1].index(fewest)
        return self._hypotheses[last]


def _said(learner: Any, x: Example) -> Any:
    """Return the label that a learner predicts; silence means no."""
    said = learner.predict_one(x)
    if getattr(learner, "any_labels", False):
        return said
    return said is not None and as_label(said)


def _bound(learner: Any, mistakes: int | None) -> int:
    """Return the bound on the mistakes that was given, or that the learner knows."""
    if mistakes is None:
        mistakes = _known_bound(learner)
    if mistakes is None:
        raise ParameterError(
            "convert: mistakes must be given for a learner that knows no bound on its "
            f"own, got {learner!r}"
        )
    return whole("convert", "mistakes", mistakes, high=2**256)


def _known_bound(learner: Any) -> int | None:
    """Return the bound on its mistakes that a learner was born with, if any."""
    known = {theorem.id for theorem in getattr(learner, "guarantees", ())}
    concepts, features = (
        getattr(learner, name, None) for name in ("concepts", "features")
    )
    if concepts is not None:
        return _bound_of_concepts(learner, known, len(concepts))
    if features is not None:  # otherwise more may come
        n = features if isinstance(features, int) else len(features)
        return _bound_of_features(learner, known, n)
    return None


def _bound_of_concepts(learner: Any, known: set[str], size: int) -> int | None:
    if "SOA" in known:
        return int(theorems.SOA.formula(dimension=learner.dimension_))
    if "CONSISTENT" in known:
        return int(theorems.CONSISTENT.formula(concepts=size))
    return Finite(size).mistake_bound if "HALV" in known else None


def _bound_of_features(learner: Any, known: set[str], n: int) -> int | None:
    if known & {"CONJ", "DISJ"}:
        return Conjunctions(n).mistake_bound
    if known & {"CONJ-MONO", "DISJ-MONO"}:
        return Conjunctions(n, monotone=True).mistake_bound
    if known & {"kCNF", "kDNF"}:
        return KCNF(n, learner.k).mistake_bound
    return DecisionLists(n, learner.k).mistake_bound if "DL" in known else None


def _concept(learner: Any) -> Any:
    """Return the hypothesis of a learner as a concept, if it is one."""
    # A majority, or a choice by dimensions, is the first concept left only if that is
    # the last one as well.
    polled = isinstance(learner, (VersionSpaceLearner, StandardOptimalLearner))
    if polled and len(learner.version_space_) > 1:
        return None
    return getattr(learner, "concept_", None)


def _converted(
    learner: Any,
    theorem: theorems.Theorem,
    chances: dict[str, Any],
    examples: int,
    mistakes: int,
) -> Conversion:
    weights = getattr(learner, "weights_", None)
    return Conversion(
        concept=_concept(learner),
        weights=None if weights is None else dict(weights),
        learner=learner,
        examples=examples,
        mistakes=mistakes,
        promise=Promise(**chances, theorem=theorem, examples=examples),
    )


def _ended(examples: int, more: int) -> StreamError:
    return StreamError(
        f"convert: the stream must not end before the promise can be made, got "
        f"{_examples(examples)}; up to {more:,} more may be needed"
    )


def _examples(number: int) -> str:
    return f"{number:,} example{'' if number == 1 else 's'}"


def _complement(delta: float) -> str:
    """Write 1 - delta as people do, whatever floats make of it."""
    if isinstance(delta, Fraction):
        return str(1 - delta)
    return str(1 - Decimal(str(delta)))


def _up(number: float, digits: int = 4) -> str:
    """Write a number to a few digits that are never less than it is."""
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(number)
    return f"{float(rounded):.{digits}g}"


def _down(number: float) -> str:
    """Write a number from 0 on to a few digits that are never more than it is."""
    return _up(-number).removeprefix("-")


# Runs that are over ------------------------------------------------------------------


@dataclass(frozen=True)
class Survivor:
    """A hypothesis of a run, and how long it survived.

    Attributes
    ----------
    before
        How many mistakes came before it: 0 for the one the run began with.
    first
        The round it was first in use, counted from 0.
    survived
        How many rounds it survived.
    risk
        What its risk is at most.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.pac import risk_bound
    >>> record = run(Perceptron(), [({"a": 1}, False)] * 100)
    >>> last = risk_bound(record, delta=0.1).last
    >>> last.before, last.first, last.survived, round(last.risk, 5)
    (1, 1, 99, 0.04051)
    """

    before: int
    first: int
    survived: int
    risk: float


@dataclass(frozen=True)
class RiskBound(Shown):
    """What a run says about the risk of its hypotheses.

    Attributes
    ----------
    best
        The hypothesis with the smallest bound; None where the learner may change
        without a mistake, or the record does not tell.
    last
        The learner as the run has left it; None likewise.
    mean
        What the risk is at most on average over the hypotheses that were in use, each
        as often as it was: the risk of one drawn from them by the round.
    delta
        The chance that this fails: for `best` and `last` together, and for `mean`.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import VotedPerceptron
    >>> from littlestone.pac import risk_bound
    >>> record = run(VotedPerceptron(), [({"a": 1}, False)] * 100)
    >>> print(risk_bound(record, delta=0.1))
    with probability at least 0.9 the risk is at most
      0.1173 for one drawn from all rounds (MB2PAC-MEAN)
    """

    best: Survivor | None
    last: Survivor | None
    mean: float
    delta: float

    def __str__(self) -> str:
        sure = _complement(self.delta)
        lines = [f"with probability at least {sure} the risk is at most"]
        if self.last is not None and self.best is not None:
            best, last = self.best, self.last
            lines.append(
                f"  {_up(last.risk)} for the learner as it is, which survived the last "
                f"{last.survived:,} rounds (MB2PAC-RUN)"
            )
            if best.survived:
                until = best.first + best.survived - 1
                lines.append(
                    f"  {_up(best.risk)} for the hypothesis of rounds {best.first:,} "
                    f"to {until:,} (MB2PAC-RUN)"
                )
        lines.append(f"  {_up(self.mean)} for one drawn from all rounds (MB2PAC-MEAN)")
        return "\n".join(lines)


# What these would answer may change on a round without a mistake, and the numbers of
# mistakes and updates need not tell: averages grow, members learn, concepts drop out,
# and a mistake on nothing at all hides an update for too small a margin.
_RESTLESS = frozenset(
    {
        "AROW",
        "AveragedPerceptron",
        "Committee",
        "Halving",
        "MulticlassPassiveAggressive",
        "PassiveAggressive",
        "StandardOptimalLearner",
        "VersionSpaceLearner",
        "VotedPerceptron",
    }
)


def risk_bound(record: Record, delta: float) -> RiskBound:
    r"""Tell what a run that is over says about the risk.

    The examples must have been drawn independently from one distribution, and played
    once. Two theorems speak:

    - `MB2PAC-RUN`: a hypothesis that came after $i$ mistakes and survived $s$ rounds
      has a risk of at most $1 - (\delta/((i+1)(i+2)))^{1/s}$, all of them at once. So
      the best may be picked after the fact. It needs a learner that changes only with a
      mistake: no more updates than mistakes in the record, no answer by an average or
      a vote, and no update for a small margin.
    - `MB2PAC-MEAN`: the mean risk over the $T$ rounds is at most
      $M/T + \sqrt{\ln(1/\delta)/2T}$, for every learner and whether or not some concept
      fits. The number of rounds must have been chosen before.

    Parameters
    ----------
    record
        The record of the run.
    delta
        The chance to fail, between 0 and 1, for either statement.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.pac import risk_bound
    >>> record = run(Perceptron(), [({"a": 1}, False)] + 999 * [({"a": 1}, False)])
    >>> print(risk_bound(record, delta=0.01))
    with probability at least 0.99 the risk is at most
      0.006383 for the learner as it is, which survived the last 999 rounds (MB2PAC-RUN)
      0.006383 for the hypothesis of rounds 1 to 999 (MB2PAC-RUN)
      0.04899 for one drawn from all rounds (MB2PAC-MEAN)
    """
    chance = _chance("risk_bound", "delta", delta)
    if record.of_numbers:
        raise ParameterError(
            f"risk_bound: a record must be of labels, got one of numbers: {record!r}"
        )
    if record.passes > 1:
        raise ParameterError(
            f"risk_bound: each example must be played once, got {record.passes} passes"
        )
    if record.rounds == 0:
        raise ParameterError("risk_bound: a record must have rounds, got none")
    mean = theorems.MB2PAC_MEAN.bound(
        mistakes=record.mistakes, rounds=record.rounds, delta=chance
    )
    survivors = _survivors(record, chance)
    if not survivors:
        return RiskBound(None, None, mean, delta)
    best = min(survivors, key=lambda survivor: survivor.risk)
    return RiskBound(best, survivors[-1], mean, delta)


def _survivors(record: Record, delta: float) -> list[Survivor]:
    """Return the hypotheses of a run that can be the best, and the last one."""
    if (
        record.mistake_rounds is None
        or record.updates is None
        or record.updates > record.mistakes
        or record.learner.name in _RESTLESS
    ):
        return []
    ends = [*record.mistake_rounds.tolist(), record.rounds]
    survivors: list[Survivor] = []
    first = longest = 0
    for before, end in enumerate(ends):
        survived = end - first
        # A later one is only better if it survived longer than all before.
        if survived > longest or end == record.rounds:
            risk = theorems.MB2PAC_RUN.bound(
                before=before, survived=survived, delta=delta
            )
            survivors.append(Survivor(before, first, survived, risk))
            longest = max(longest, survived)
        first = end + 1
    return survivors


# Estimates ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate(Shown):
    """An interval around a risk.

    Attributes
    ----------
    low, high
        The exact interval.
    hoeffding, exact
        The intervals of Hoeffding and of Clopper and Pearson; each holds the risk with
        probability at least 1 - delta.
    delta
        The chance to fail.

    Examples
    --------
    >>> from littlestone.pac import estimate
    >>> found = estimate(0, n=100, delta=0.05)
    >>> found.low, round(found.high, 5)
    (0.0, 0.03622)
    """

    low: float
    high: float
    hoeffding: tuple[float, float]
    exact: tuple[float, float]
    delta: float

    def __str__(self) -> str:
        return (
            f"with probability at least {_complement(self.delta)} the risk is between "
            f"{_down(self.low)} and {_up(self.high)} (EST-EXACT)"
        )


def estimate(p_hat: float | Fraction, n: int, delta: float) -> Estimate:
    """Tell what a share of mistakes on fresh examples says about the risk.

    Parameters
    ----------
    p_hat
        The share of the examples on which the hypothesis erred: a whole number of
        mistakes over `n`, as `mistakes / n` or `Fraction(mistakes, n)`.
    n
        How many examples there were.
    delta
        The chance to fail, between 0 and 1.

    Examples
    --------
    >>> from littlestone.pac import estimate
    >>> found = estimate(3 / 200, n=200, delta=0.05)
    >>> print(found)
    with probability at least 0.95 the risk is between 0.003104 and 0.04321 (EST-EXACT)
    >>> [round(limit, 4) for limit in found.hoeffding]
    [0.0, 0.111]
    """
    chance = _chance("estimate", "delta", delta)
    examples = whole("estimate", "n", n, low=1)
    mistakes = _mistakes(p_hat, examples)
    share = Fraction(mistakes, examples)
    radius = Fraction(theorems.EST.bound(examples=examples, delta=chance))
    hoeffding = _outward(
        max(share - radius, Fraction(0)), min(share + radius, Fraction(1))
    )
    exact = _outward(*theorems.clopper_pearson(mistakes, examples, chance))
    return Estimate(*exact, hoeffding=hoeffding, exact=exact, delta=delta)


def _mistakes(p_hat: Any, examples: int) -> int:
    """Return the whole number of mistakes that a share stands for."""
    try:
        mistakes = round(Fraction(p_hat) * examples)
    except (TypeError, ValueError, OverflowError):
        mistakes = -1
    if not 0 <= mistakes <= examples:
        raise ParameterError(f"estimate: p_hat must lie in [0, 1], got {p_hat!r}")
    # A share of 7/100 is no float; the float next to it is what division gives.
    if p_hat not in (Fraction(mistakes, examples), mistakes / examples):
        raise ParameterError(
            "estimate: p_hat must be a whole number of mistakes over n, such as "
            f"{mistakes}/{examples}, got {p_hat!r}"
        )
    return mistakes


def _outward(low: Fraction, high: Fraction) -> tuple[float, float]:
    """Return floats around an interval."""
    below, above = float(low), float(high)
    if Fraction(below) > low:
        below = math.nextafter(below, -math.inf)
    if Fraction(above) < high:
        above = math.nextafter(above, math.inf)
    return below, above
