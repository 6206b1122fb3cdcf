"""Online learners turned into PAC learners."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from littlestone import theorems
from littlestone.boolean import (
    DecisionListLearner,
    StandardOptimalLearner,
    VersionSpaceLearner,
)
from littlestone.display import Displayed
from littlestone.errors import ParameterError, PremiseError, StreamError
from littlestone.learner import Learner, as_label
from littlestone.learner.parameters import whole
from littlestone.outcome import Outcome, outcome_of
from littlestone.pac._chances import as_chances, complement
from littlestone.pac._classes import DecisionLists
from littlestone.running import run
from littlestone.running.bounds import live_bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.learner.rows import Example
    from littlestone.running import Plays


@dataclass(frozen=True)
class Promise(Displayed):
    """A bound on the risk of a hypothesis, and its theorem.

    Attributes
    ----------
    epsilon, delta
        The risk is at most epsilon, with probability at least 1 - delta.
    theorem
        The theorem that proves it.
    examples
        How many examples were used.

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
            f"with probability at least {complement(self.delta)} the risk is at most "
            f"{self.epsilon} ({self.theorem.id}, {_examples(self.examples)})"
        )


@dataclass(frozen=True)
class Conversion(Displayed):
    """A hypothesis with a bound on its risk.

    Attributes
    ----------
    concept
        The hypothesis as a concept; None if it is not one.
    weights
        The hypothesis as weights by feature; None for a learner without `weights_`.
    learner
        A learner that predicts as the hypothesis does: `predict_one`, `predict`.
    examples
        How many examples were used.
    mistakes
        How many mistakes the learner made, and so how often it learned.
    promise
        The bound on its risk; prints as a sentence.

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

    The learner plays examples drawn independently from one distribution, and learns
    **only from its mistakes**. That makes every learner conservative: its hypothesis
    changes only with a mistake. A bound on its mistakes that holds for every order of
    the examples still holds.

    - `"survive"` stops when one hypothesis has survived
      $s = \lceil\ln((M+1)/\delta)/\varepsilon\rceil$ examples in a row; that takes at
      most $(M+1)s$ examples.
    - `"fast"` learns from a number of examples that grows like $M/\varepsilon$, keeps a
      copy of every hypothesis, and chooses the one with the fewest mistakes on fresh
      examples. The sample sizes are the smallest that exact binomial tails allow: see
      `theorems.fast_sizes`.

    The result does not rely on the bound $M$: a learner that makes more mistakes is
    refused with a `PremiseError`.

    Parameters
    ----------
    learner
        A learner of labels. It may have learned before, from other examples.
    stream
        Examples drawn independently from one distribution; read only as far as needed.
    epsilon, delta
        The risk, and the probability of failure; both between 0 and 1.
    method
        `"survive"` or `"fast"`.
    mistakes
        The bound $M$, chosen before seeing the examples. Learners of `boolean` that were
        given their features or concepts know one.

    Examples
    --------
    Two features; the first one is the label:

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
    chances = as_chances("convert", epsilon, delta)
    if method not in ("survive", "fast"):
        raise ParameterError(
            f"method must be 'survive' or 'fast', got {method!r}", owner="convert"
        )
    if outcome_of(learner).charged:
        raise ParameterError(
            "a learner must predict labels, got one that predicts numbers: "
            f"{learner!r}",
            owner="convert",
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
    # The next examples are independent of what was learned, so the number of
    # hypotheses that there are counts, not the number that there might have been.
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
    """Learns only from mistakes, and counts the examples its hypothesis survived."""

    def __init__(self, learner: Any, bound: int, *, keep: bool = False) -> None:
        self._learner = learner
        self._bound = bound
        self.outcome = outcome_of(learner)
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
                f"{type(self._learner).__name__} must make at most {self._bound:,} "
                "mistakes, got one more",
                owner="convert",
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
        self.outcome = outcome_of(hypotheses[0])

    def predict_one(self, x: Example) -> Any:
        return self.best().predict_one(x)

    def learn_one(self, x: Example, y: Any) -> None:
        for at, hypothesis in enumerate(self._hypotheses):
            self._mistakes[at] += _said(hypothesis, x) != y

    def play_one(self, x: Example, y: Any) -> Any:
        self.learn_one(x, y)
        return y

    def best(self) -> Any:
        """Return the hypothesis with the fewest mistakes; of equals the latest."""
        fewest = min(self._mistakes)
        last = len(self._mistakes) - 1 - self._mistakes[::-1].index(fewest)
        return self._hypotheses[last]


def _said(learner: Any, x: Example) -> Any:
    """Return the label that a learner predicts; no prediction counts as no."""
    said = learner.predict_one(x)
    if outcome_of(learner) is Outcome.CLASS:
        return said
    return said is not None and as_label(said)


def _bound(learner: Any, mistakes: int | None) -> int:
    """Return the given bound on the mistakes, or the one that the learner knows."""
    if mistakes is None:
        mistakes = _known_bound(learner)
    if mistakes is None:
        raise ParameterError(
            "mistakes must be given for a learner that knows no bound of its own, "
            f"got {learner!r}",
            owner="convert",
        )
    return whole("convert", "mistakes", mistakes, high=2**256)


def _known_bound(learner: Any) -> int | None:
    """Return the bound on its mistakes that follows from a learner's parameters."""
    given = (getattr(learner, name, None) for name in ("concepts", "features"))
    if not isinstance(learner, Learner) or all(each is None for each in given):
        return None  # more may come
    if isinstance(learner, StandardOptimalLearner):  # it may have learned before
        return int(theorems.SOA.formula(dimension=learner.dimension_))
    newborn, declared = learner.clone(), {}
    if isinstance(newborn, DecisionListLearner):
        features = int(newborn.known_["features"])
        declared["length"] = DecisionLists(features, newborn.k).longest
    found = live_bound(newborn, declared)
    return None if found is None else int(found.bound)


def _concept(learner: Any) -> Any:
    """Return the hypothesis of a learner as a concept, if it is one."""
    # What these learners predict is a single concept only once one is left.
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
        f"the stream must have more examples, got {_examples(examples)}; up to "
        f"{more:,} more may be needed",
        owner="convert",
    )


def _examples(number: int) -> str:
    return f"{number:,} example{'' if number == 1 else 's'}"
