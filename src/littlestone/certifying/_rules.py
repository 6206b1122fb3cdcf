"""Witnesses for learners of rules: a concept of their class that fits the rounds.

The bound does not depend on the concept, except for decision lists, where fewer rules
give a smaller bound. So the witness is the learned concept, or a shorter one that
fits. Where none fits, what elimination learns is still right on every round of one
label, and its mistakes on the other are few if its exceptions are: it has the fewest of
all concepts that are right on these rounds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import boolean, theorems
from littlestone.boolean._exceptions import cheapest_terms
from littlestone.boolean._fit import literals_of
from littlestone.boolean._table import read
from littlestone.concepts import (
    KCNF,
    KDNF,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    Literal,
)
from littlestone.errors import (
    ExampleError,
    NoConsistentConcept,
    ParameterError,
    PremiseError,
)
from littlestone.outcome import Outcome
from littlestone.verifying import twins
from littlestone.verifying._reading import read_example, read_label
from littlestone.verifying.proofs.rules import FORMS, blocks_of, known_rules, saving
from littlestone.witnesses._candidate import Candidate, needs_stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from littlestone.running import Record
    from littlestone.theorems import Theorem

    Examples = list[tuple[dict[Any, float], bool]]

__all__ = [
    "SEARCHES",
    "finite_class",
    "lists_of_few_blocks",
    "rule",
    "weighed_terms",
]

_LISTS = 32  # of one literal, that are tried with exceptions
_LARGEST = 4_000_000  # features times rounds, in a search for lists of few blocks

_FORMS: dict[str, type[Concept]] = {
    "ConjunctionLearner": Conjunction,
    "DisjunctionLearner": Disjunction,
    "KCNFLearner": KCNF,
    "KDNFLearner": KDNF,
    "DecisionListLearner": DecisionList,
}


def rule(
    record: Record,
    witness: Concept | str | None = None,
    stream: Iterable[tuple[Any, Any]] | None = None,
) -> list[Candidate]:
    """Return the bound of a learner of rules, if some concept fits.

    Parameters
    ----------
    record
        The record of the run.
    witness
        A concept to use in place of the learned one, or its text.
    stream
        The stream, to read again: the concept must also fit the rounds that changed
        nothing, which the record does not hold. Not needed if every round changed the
        learner.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.boolean import ConjunctionLearner
    >>> from littlestone.certifying._rules import rule
    >>> stream = [({"a": 1, "b": 1}, True), ({"a": 1}, True), ({"b": 1}, False)]
    >>> record = run(ConjunctionLearner(), stream, keep="updates")
    >>> [candidate] = rule(record, stream=stream)
    >>> record.mistakes, candidate, candidate.witness["text"]
    (2, Candidate(CONJ: 3), 'a')
    """
    form = _FORMS[record.learner.name]
    examples = _read(record, stream)
    learner = _born(record)
    for _ in range(record.passes):
        for x, y in examples:
            learner.learn_one(x, y)
    theorem, other, *_ = learner.guarantees
    features = len(learner.features_)
    numbers = {"features": max(features, 1)}
    if hasattr(learner, "k"):
        numbers["k"] = int(learner.k)
    try:
        if witness is None:
            _realizable(record)
            concept = _shortest(learner, form, examples)
        else:
            concept = _given(form, witness)
            _fits(concept, examples)
    except PremiseError as refused:
        if form is DecisionList:
            lists = None if witness is None else [concept]
            return _lists_with_exceptions(record, examples, numbers, lists, refused)
        concept = learner.concept_ if witness is None else concept
        missed = _exceptions(concept, examples, form in (Conjunction, KCNF))
        return [
            _candidate(other, concept, numbers | {"exceptions": missed * record.passes})
        ]
    if form is DecisionList:
        lists = [concept]
        if witness is None and learner.k:
            lists += lists_of_few_blocks(examples)
        return _by_length_and_blocks(learner, lists, numbers)
    if theorem is theorems.CONJ_MONO and learner.features is None:
        numbers["features"] = features + 1  # all features never met count as one
    return [_candidate(theorem, concept, numbers)]


def _exceptions(concept: Concept, examples: Examples, kept: bool) -> int:
    """Count the rounds that a concept gets wrong, if all have the other label."""
    wrong = [(at, y) for at, (x, y) in enumerate(examples) if concept(x) is not y]
    for at, y in wrong:
        if y is kept:
            raise PremiseError(
                f"the witness must be right on every {'yes' if kept else 'no'}, but is "
                f"wrong in round {at}",
                owner="certify",
            )
    return len(wrong)


def _lists_with_exceptions(
    record: Record,
    examples: Examples,
    numbers: dict[str, int],
    lists: list[Any] | None,
    refused: PremiseError,
) -> list[Candidate]:
    """Return the least bound of decision lists that are wrong on some mistakes.

    Without given lists, those are the one that was learned, some that ask for one
    literal, and, if none of these says anything, the two that always say the same. It
    is refused if there are more rules than a plain twin can play.
    """
    learner, twin = (
        _born(record),
        twins.DecisionListLearner(**record.learner.parameters),
    )
    moves: list[tuple[dict[Any, float], bool, Any, set[Any]]] = []
    try:
        for x, y in examples * record.passes:
            true = sorted(x, key=lambda name: (isinstance(name, str), name))
            twin.meet(name for name in true if x[name])
            if learner.play_one(x, y) is not y:  # other rounds move nothing
                twin.play(x, y)
                (term, label), met = twin.moved, set(twin.features)
                moves.append((x, y, (frozenset(term), label), met))
    except ValueError:
        raise refused from None
    if lists is None:
        constant = [DecisionList([], default=each) for each in (False, True)]
        lists = [*constant, learner.concept_]
        lists += _lists_of_one([(x, y) for x, y, *_ in moves]) if learner.k else []
    found = []
    for concept in lists:
        missed = moved = 0
        rules = [
            (frozenset((one.feature, one.positive) for one in term.literals), label)
            for term, label in [*concept.rules, (Conjunction(), concept.default)]
            if term != Conjunction.never()
        ]
        for x, y, rule, met in moves:
            if concept(x) is not y:
                missed += 1
                moved += rule in known_rules(rules, met)
        more = {"exceptions": missed, "displaced": moved}
        own = _of_blocks(learner, concept)
        found.append(_candidate(theorems.DL_EXC, concept, numbers | own | more))

    def worth(one: Candidate) -> tuple[bool, float]:
        empty = (
            one.numbers["blocks"] == 1
            or one.theorem.is_tautological(one.numbers, len(moves))
            or one.theorem.is_vacuous(one.bound, record.rounds)
        )
        return empty, one.bound

    return [min(found, key=worth)]


def _lists_of_one(mistakes: Examples) -> list[DecisionList]:
    """Return the lists of one literal that get the fewest mistakes wrong.

    Examples
    --------
    >>> from littlestone.certifying._rules import _lists_of_one
    >>> mistakes = [({"a": 1}, True), ({"b": 1}, False), ({"a": 1, "b": 1}, True)]
    >>> for concept in _lists_of_one(mistakes)[:2]:
    ...     print(concept)
    if a then yes, else no
    if not a then no, else yes
    """
    yes = sum(y for _, y in mistakes)
    held: dict[Any, list[int]] = {}
    for x, y in mistakes:
        for feature, value in x.items():
            if value:
                held.setdefault(feature, [0, 0])[y] += 1
    # Of "if the feature then yes, else no", and of the opposite.
    wrong = {feature: no + yes - both for feature, (no, both) in held.items()}
    rules = [(missed, feature, True) for feature, missed in wrong.items()]
    rules += [(len(mistakes) - missed, name, False) for missed, name, _ in rules]
    return [
        DecisionList(
            [(Literal(feature, positive), label is positive)], label is not positive
        )
        for _, feature, label in sorted(rules, key=lambda rule: rule[0])[:_LISTS]
        for positive in (True, False)
    ]


def lists_of_few_blocks(examples: Examples) -> list[DecisionList]:
    """Return lists of single literals with the fewest blocks, one for each first label.

    A block takes all examples that literals can tell from those of the other label, so
    no other list is ahead of it.

    Examples
    --------
    >>> from littlestone.certifying._rules import lists_of_few_blocks
    >>> shown = [({"a": 1, "b": 1}, True), ({"b": 1}, False), ({}, True)]
    >>> print(lists_of_few_blocks(shown)[0])
    if a then yes, else if not b then yes, else no
    """
    names = [*dict.fromkeys(name for x, _ in examples for name, v in x.items() if v)]
    if not 0 < len(names) * len(examples) <= _LARGEST:
        return []
    column = {name: j for j, name in enumerate(names)}
    table = np.zeros((len(examples), 2 * len(names)), dtype=np.bool_)
    for row, (x, _) in zip(table, examples, strict=True):
        row[[column[name] for name, value in x.items() if value]] = True
    table[:, len(names) :] = ~table[:, : len(names)]
    labels = np.array([y for _, y in examples], dtype=np.bool_)
    found = (_greedily(table, labels, names, first) for first in (True, False))
    return [concept for concept in found if concept is not None]


def _greedily(
    table: NDArray[np.bool_], labels: NDArray[np.bool_], names: list[Any], first: bool
) -> DecisionList | None:
    """Return a list of few blocks, or None if no list of single literals fits."""
    left, label, idle = np.ones(len(labels), dtype=np.bool_), first, 0
    rules: list[tuple[Any, bool]] = []
    while (left & (labels != label)).any():
        allowed = ~table[left & (labels != label)].any(axis=0)
        idle += 1
        while True:
            here = left & (labels == label)
            covered = table[here].sum(axis=0) * allowed
            best = int(covered.argmax())
            if not covered[best]:
                break
            idle = 0
            negated, at = divmod(best, len(names))
            rules.append((Literal(names[at], not negated), label))
            left &= ~table[:, best]
        if idle > 1:
            return None
        label = not label
    return DecisionList(rules, default=label)


def _by_length_and_blocks(
    learner: Any, lists: list[Any], numbers: dict[str, int]
) -> list[Candidate]:
    """Return the two bounds for decision lists that fit, the smaller first."""
    found = [_candidate(theorems.DL, lists[0], numbers | {"length": lists[0].size})]
    for concept in lists:
        blocks = numbers | _of_blocks(learner, concept)
        found.append(_candidate(theorems.DL_BLOCKS, concept, blocks))
    best: dict[str, Candidate] = {}
    for candidate in sorted(found, key=lambda candidate: candidate.bound):
        best.setdefault(candidate.theorem.id, candidate)
    return list(best.values())


def _of_blocks(learner: Any, concept: Any) -> dict[str, int]:
    """Return the blocks of a list, and what its rules save."""
    blocks = blocks_of(concept)
    known = set(learner.features_)
    rules: dict[Any, int] = {}
    named = [*concept.rules, (Conjunction(), concept.default)]
    for (term, label), block in zip(named, blocks, strict=True):
        parts = frozenset((one.feature, one.positive) for one in term.literals)
        if term != Conjunction.never() and {feature for feature, _ in parts} <= known:
            rules.setdefault((parts, label), block)
    saved = sum(saving(block, blocks[-1]) for block in rules.values())
    return {"blocks": blocks[-1], "saved": saved}


def weighed_terms(
    record: Record,
    witness: Concept | str | None = None,
    stream: Iterable[tuple[Any, Any]] | None = None,
) -> list[Candidate]:
    """Return the bound of a learner that weighs terms, for the best k-DNF found.

    Any k-DNF is a witness: what it gets wrong is counted. Without a given one, terms
    are added as long as the bound falls.

    Parameters
    ----------
    record
        The record of the run.
    witness
        A k-DNF to use in place of a search, or its text.
    stream
        Not needed.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.boolean import WinnowDNF
    >>> from littlestone.certifying._rules import weighed_terms
    >>> stream = [({"a": 1}, True), ({"b": 1}, False)] * 40 + [({"a": 1}, False)]
    >>> record = run(WinnowDNF(1, features=["a", "b"]), stream, keep="updates")
    >>> [candidate] = weighed_terms(record)
    >>> record.mistakes, candidate, candidate.witness["text"]
    (3, Candidate(WIN2-DNF: 8), 'never')
    """
    del stream
    learner = _born(record)
    mistakes = _mistakes(record, learner.features_)
    known = dict(learner.known_)
    if learner.features is None and mistakes:
        known["features"] = max(1, len(mistakes[-1][1]))
    if witness is None:
        concept: Any = _cheapest(mistakes, known)
    else:
        concept = _given(KDNF, witness)
    parts = [
        [(literal.feature, literal.positive) for literal in term.literals]
        for term in concept.terms
    ]
    missed = 0
    for true, met, y in mistakes:
        held = sum(
            all(f in met and (f in true) is positive for f, positive in part)
            for part in parts
        )
        missed += not held if y else held
    known |= {"relevant": len(parts), "deviation": missed}
    return [_candidate(theorems.WIN2_DNF, concept, known)]


def _mistakes(
    record: Record, declared: Iterable[Any]
) -> list[tuple[frozenset[Any], frozenset[Any], bool]]:
    """Return what is true in each mistake, the features met by then, and the label."""
    found, met = [], frozenset(declared)
    for x, y in record.examples or ():
        true = frozenset(feature for feature, value in x.items() if value)
        met |= true
        found.append((true, met, bool(y)))
    return found


def _cheapest(
    mistakes: list[tuple[frozenset[Any], frozenset[Any], bool]],
    known: dict[str, Any],
) -> KDNF:
    """Add the term that lowers the bound most, as long as one does."""
    price = 1 + math.log(known["threshold"]) / math.log(known["promotion"])
    labels = [y for _, _, y in mistakes]
    rows = [dict.fromkeys(true, 1) for true, _, _ in mistakes]
    if not any(rows) or sum(labels) <= price:
        return KDNF()
    table = read("certify", rows, labels, None)
    chosen = cheapest_terms(table, int(known["k"]), 1.0, each=price, again=True)
    return KDNF(*(Conjunction(*literals_of(table, term)) for term in chosen))


def finite_class(
    record: Record, witness: Concept | None = None, stream: object = None
) -> list[Candidate]:
    """Return the bound of a learner of a finite class, if some concept fits.

    Parameters
    ----------
    record
        The record of the run. It holds the rounds that dropped a concept, so the
        concepts that are left fit all rounds.
    witness
        A concept to use in place of the first one that fits.
    stream
        Not needed.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.boolean import VersionSpaceLearner
    >>> from littlestone.certifying._rules import finite_class
    >>> from littlestone.concepts import FiniteClass
    >>> learner = VersionSpaceLearner(FiniteClass.conjunctions(["a", "b"]))
    >>> record = run(learner, [({"a": 1}, True), ({"b": 1}, False)], keep="updates")
    >>> [candidate] = finite_class(record)
    >>> record.mistakes, candidate, candidate.witness["text"]
    (1, Candidate(HALV: 3), 'not b')
    """
    del stream
    name, concepts = record.learner.name, record.learner.parameters["concepts"]
    for concept in concepts:
        if type(concept) not in FORMS.values():
            raise ParameterError(
                f"each concept of {name} must be one of littlestone.concepts, so "
                f"that the certificate can state it, got {concept!r}",
                owner="certify",
            )
    _realizable(record)
    learner = _born(record)
    for x, y in record.examples or ():
        learner.learn_one(x, y)
    concept = learner.concept_
    if witness is not None:
        concept = witness
        if reason := learner.why(concept):
            raise PremiseError(
                f"the witness must fit every round: {reason}", owner="certify"
            )
    theorem, known = learner.guarantees[0], _born(record).known_
    numbers = {name: known[name] for name in theorem.numbers if name in known}
    return [_candidate(theorem, concept, numbers)]


def _candidate(
    theorem: Theorem, concept: Concept, numbers: dict[str, int]
) -> Candidate:
    def write() -> dict[str, Any]:
        made = type(concept).__name__
        return {"kind": "concept", "class": made, "text": str(concept)}

    return Candidate.of(theorem, write, numbers)


def _born(record: Record) -> Any:
    return getattr(boolean, record.learner.name)(**record.learner.parameters)


def _realizable(record: Record) -> None:
    if record.unrealizable is not None:
        raise PremiseError(
            f"some concept of the class of {record.learner.name} must fit every "
            f"round, got none since round {record.unrealizable}",
            owner="certify",
        )


def _read(record: Record, stream: Iterable[tuple[Any, Any]] | None) -> Examples:
    """Return the rounds of one pass."""
    kept = record.examples
    if stream is None and kept is not None and len(kept) == record.rounds:
        return [kept.example(at) for at in range(len(kept) // record.passes)]
    if stream is None:
        raise needs_stream(
            record, "to check the concept on the rounds that changed nothing"
        )
    examples = [
        (read_example("features", x), read_label(Outcome.LABEL, y)) for x, y in stream
    ]
    if len(examples) * record.passes != record.rounds:
        raise ParameterError(
            "the stream must be that of the record, and readable again, with "
            f"{record.rounds} rounds in {record.passes} passes, got {len(examples)} "
            "in one",
            owner="certify",
        )
    return examples


def _given(form: type[Concept], witness: Any) -> Concept:
    """Return a concept of the learner's class."""
    concept = form.parse(witness) if isinstance(witness, str) else witness
    if type(concept) is not form:
        raise ParameterError(
            f"the witness must be a {form.__name__}, got {witness!r}", owner="certify"
        )
    return concept


def _fits(concept: Concept, examples: Examples) -> None:
    """Raise if a concept does not fit."""
    for number, (x, y) in enumerate(examples):
        try:
            said = concept(x)
        except ExampleError as error:
            raise ParameterError(
                f"the witness must answer: {error}", owner="certify"
            ) from None
        if said is not y:
            raise PremiseError(
                f"the witness must fit every round, but says {'no' if y else 'yes'} "
                f"in round {number}",
                owner="certify",
            )


def _shortest(learner: Any, form: type[Concept], examples: Examples) -> Concept:
    """Return the learned concept, or a shorter one that fits."""
    wrong = next(
        (at for at, (x, y) in enumerate(examples) if learner.predict_one(x) != y), None
    )
    if form in (Conjunction, Disjunction) or not examples:
        if wrong is None:
            return learner.concept_  # type: ignore[no-any-return]  # every learner of rules has one
        # If any concept fits all rounds, then so does the one that elimination learns.
        raise PremiseError(
            f"some {form.__name__} must fit every round, got none: the "
            f"learned one is wrong in round {wrong}",
            owner="certify",
        )
    fit: Any = {
        KCNF: boolean.fit_kcnf,
        KDNF: boolean.fit_kdnf,
        DecisionList: boolean.fit_decision_list,
    }[form]
    X, y = zip(*examples, strict=True)
    try:
        found: Concept = fit(X, y, learner.k)
    except NoConsistentConcept as error:
        raise PremiseError(
            f"some {form.__name__} must fit every round: {error}", owner="certify"
        ) from None
    except ParameterError:  # too many terms to fit at once
        if wrong is not None:
            raise
        found = learner.concept_
    learned = learner.concept_
    return learned if wrong is None and learned.size < found.size else found


SEARCHES: dict[str, Any] = dict.fromkeys(_FORMS, rule) | {"WinnowDNF": weighed_terms}
SEARCHES |= dict.fromkeys(
    ("ConsistentLearner", "VersionSpaceLearner", "StandardOptimalLearner"), finite_class
)
