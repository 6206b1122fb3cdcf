"""Certificates of learners of rules: a concept that fits, or the proof of none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from boolean_worlds import BOOLEAN_ENTRIES, COLUMNS, BooleanEntry
from data import data_file
from littlestone import Certificate, certify, run, streams, theorems, verify
from littlestone.adversaries import (
    ConjunctionAdversary,
    DisjunctionAdversary,
    SingletonAdversary,
    TreeAdversary,
)
from littlestone.boolean import (
    ConjunctionLearner,
    ConsistentLearner,
    DecisionListLearner,
    DisjunctionLearner,
    KCNFLearner,
    KDNFLearner,
    StandardOptimalLearner,
    VersionSpaceLearner,
)
from littlestone.certifying import _rules
from littlestone.concepts import (
    KDNF,
    Conjunction,
    DecisionList,
    Disjunction,
    FiniteClass,
    Halfspace,
    Literal,
)
from littlestone.errors import (
    NoConsistentConcept,
    ParameterError,
    PremiseError,
    UnrealizableWarning,
)
from littlestone.linear import BalancedWinnow
from littlestone.verifying import as_number
from littlestone.verifying.proofs.rules import blocks_of
from rules import conjunctions, decision_lists, disjunctions, kcnfs, kdnfs
from tries import tried

pytestmark = pytest.mark.filterwarnings(
    "ignore::littlestone.errors.UnrealizableWarning"
)

MUSHROOMS = "agaricus/agaricus-lepiota.csv.gz"

Stream = list[tuple[dict[Any, int], bool]]

# Those that follow a rule: what weighs terms takes any witness, and has its own tests.
RULES = [entry for entry in BOOLEAN_ENTRIES if hasattr(entry.made, "concept_")]
every = pytest.mark.parametrize("entry", RULES, ids=str)


def certified(learner: Any, stream: Stream, **given: Any) -> Certificate:
    """Play a stream, certify the run, and have it judged."""
    record = run(learner.clone(), stream, keep="updates")
    certificate = certify(record, stream=stream, **given)
    assert certificate.holds
    for verdict in (verify(certificate), verify(certificate, stream)):
        assert verdict.accepted, verdict.wrong
    return certificate


def numbers(certificate: Certificate) -> dict[str, int]:
    return {
        name: int(as_number(text)) for name, text in certificate.numbers_exact.items()
    }


# Streams that are drawn.

COLUMN = st.integers(0, 3)
EXAMPLES = st.lists(st.sets(COLUMN, max_size=4), max_size=15)


def targets(entry: BooleanEntry) -> st.SearchStrategy[Any]:
    """Draw a concept of the learner's class."""
    made: Any = entry.made
    if isinstance(made, DecisionListLearner):
        return decision_lists(COLUMN).filter(lambda rule: rule.k <= made.k)
    if isinstance(made, KCNFLearner):
        return kcnfs(COLUMN).filter(lambda rule: rule.k <= made.k)
    if isinstance(made, KDNFLearner):
        return kdnfs(COLUMN).filter(lambda rule: rule.k <= made.k)
    if made.monotone:
        form = Conjunction if isinstance(made, ConjunctionLearner) else Disjunction
        return st.sets(COLUMN).map(lambda some: form(*some))
    return (
        conjunctions(COLUMN)
        if isinstance(made, ConjunctionLearner)
        else (disjunctions(COLUMN))
    )


@every
@tried(0.5)
@given(data=st.data())
def test_the_judge_accepts_what_is_certified(
    entry: BooleanEntry, data: st.DataObject
) -> None:
    target = data.draw(targets(entry))
    shown = [dict.fromkeys(x, 1) for x in data.draw(EXAMPLES)]
    met = {column for x in shown for column in x}
    # Over one feature there are six rules: no theorem speaks of a longer list.
    assume(entry.closed or len(met) > 1 or getattr(target, "size", 0) <= 6)
    stream = [(x, target(x)) for x in shown]
    learned = certified(entry.made, stream)
    mine = certified(entry.made, stream, witness=target)
    assert mine.witness["text"] == str(target)
    record = run(entry.made.clone(), stream, keep="updates")
    assert mine == certify(record, str(target), stream=stream)
    if not {"length", "blocks"} & set(mine.numbers):  # what a list is charged for
        assert learned.bound == mine.bound
    expected = COLUMNS if entry.closed else len(met)
    if not entry.closed and learned.theorem == "CONJ-MONO":
        expected += 1
    assert numbers(learned)["features"] == max(1, expected)


def classes(learner: Any, columns: int) -> FiniteClass:
    """Return all rules that a learner of literals may follow."""
    if isinstance(learner, DisjunctionLearner):
        if learner.monotone:
            return FiniteClass.monotone_disjunctions(columns)
        return FiniteClass.disjunctions(columns)
    if not learner.monotone:
        return FiniteClass.conjunctions(columns)
    some = FiniteClass.monotone_conjunctions(columns)
    if learner.features is not None:
        return some
    return FiniteClass([*some, Conjunction.never()])  # one nobody has met is false


@pytest.mark.parametrize("features", [None, 3])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("kind", [ConjunctionLearner, DisjunctionLearner])
@tried(1.5)
@given(
    rounds=st.lists(
        st.tuples(st.sets(st.integers(0, 2), max_size=3), st.booleans()), max_size=8
    )
)
def test_a_run_is_certified_with_exceptions_exactly_if_no_concept_fits(
    kind: type[Any], monotone: bool, features: int | None, rounds: Any
) -> None:
    learner = kind(monotone=monotone, features=features)
    stream = [(dict.fromkeys(x, 1), y) for x, y in rounds]
    try:
        classes(learner, 3).consistent(stream)
    except NoConsistentConcept:
        assert certified(learner, stream).theorem.endswith("-EXC")
    else:
        assert not certified(learner, stream).theorem.endswith("-EXC")


@tried(1.5)
@given(
    st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.booleans()), max_size=12),
    st.sampled_from([None, ("a", "b", "c")]),
    st.sampled_from([1, 2]),
    st.sampled_from(
        [
            "no",
            "yes",
            "if not a then yes, else no",
            "if a then no, else if not b then yes, else no",
        ]
    ),
)
def test_any_list_is_a_witness_of_decision_lists_with_exceptions(
    rounds: Any, features: Any, k: int, text: str
) -> None:
    learner = DecisionListLearner(k, features=features)
    stream = [(dict.fromkeys(x, 1), y) for x, y in rounds]
    record = run(learner, stream, keep="updates")
    certificate = certify(record, DecisionList.parse(text), stream=stream)
    assert certificate.theorem in ("DL", "DL-BLOCKS", "DL-EXC")
    assert record.mistakes <= certificate.bound
    assert verify(certificate, stream).accepted


def noisy_list(rounds: int) -> Any:
    """Return examples of "if a then yes, else no", every seventh wrong."""
    seen = [
        {name: 1 for bit, name in enumerate("abc") if at >> bit & 1}
        for at in range(rounds)
    ]
    return [(x, ("a" in x) ^ (at % 7 == 0)) for at, x in enumerate(seen)]


def test_decision_lists_with_exceptions_have_a_bound_below_the_rounds() -> None:
    stream = noisy_list(200)
    certificate = certified(DecisionListLearner(), stream)
    assert certificate.theorem == "DL-EXC"
    assert certificate.mistakes <= certificate.bound < 200
    assert certificate.numbers["exceptions"] >= certificate.numbers["displaced"] > 0


def test_a_concept_that_always_says_the_same_is_called_tautological() -> None:
    stream = noisy_list(200)
    with pytest.warns(UnrealizableWarning):
        record = run(DecisionListLearner(), stream, keep="updates")
    constant = certify(record, "yes", stream=stream)
    assert constant.theorem == "DL-EXC"
    assert constant.tautological
    assert "tautological" in str(constant)
    assert verify(constant, stream).accepted
    # One of the stream's own rules has more to say, though its bound is larger.
    found = certify(record, stream=stream)
    assert not found.emptiness
    assert found.bound > constant.bound
    share = found.numbers["exceptions"] / record.mistakes
    assert found.loss_share == pytest.approx(share)
    assert share < 0.5
    with pytest.warns(UnrealizableWarning):
        record = run(ConjunctionLearner(), stream, keep="updates")
    always = certify(record, stream=stream)
    assert always.witness["text"] == "always"
    assert always.emptiness.startswith("tautological")


def test_a_list_that_is_wrong_on_nearly_all_mistakes_is_called_tautological() -> None:
    assert theorems.DL_EXC.is_tautological({"exceptions": 9}, 10)
    assert not theorems.DL_EXC.is_tautological({"exceptions": 8}, 10)


def test_what_moves_a_rule_moves_those_that_forbid_features_not_met_yet() -> None:
    # Until b is met, "not b" is always so: the first mistake moves that rule too.
    stream: Stream = [({}, False), ({"b": 1}, False)]
    record = run(DecisionListLearner(), stream, keep="updates")
    certificate = certify(record, "if not b then yes, else no", stream=stream)
    assert certificate.theorem == "DL-EXC"
    assert certificate.numbers["displaced"] == certificate.numbers["exceptions"] == 1
    assert verify(certificate, stream).accepted


@pytest.mark.parametrize("name", ["exceptions", "displaced", "blocks"])
def test_fewer_exceptions_than_a_list_has_are_refused(name: str) -> None:
    stream = noisy_list(60)
    with pytest.warns(UnrealizableWarning):
        record = run(DecisionListLearner(), stream, keep="updates")
    certificate = certify(record, "if a then yes, else no", stream=stream)
    assert certificate.theorem == "DL-EXC"
    numbers = {n: int(v) for n, v in certificate.numbers.items()}
    numbers[name] -= 1
    forged = replace(
        certificate,
        numbers_exact={n: str(v) for n, v in numbers.items()},
        bound_exact=theorems.DL_EXC.bound(**numbers).hex(),
    )
    assert name in str(verify(forged, stream).wrong)


# Finite classes.

CUBE = list(product((0, 1), repeat=2))


def finite(concepts: Any) -> Iterator[Any]:
    yield ConsistentLearner(concepts)
    yield VersionSpaceLearner(concepts)
    yield StandardOptimalLearner(concepts, CUBE)
    yield StandardOptimalLearner(concepts, [dict(enumerate(x)) for x in CUBE])


CLASSES = [
    FiniteClass.conjunctions(2),
    list(FiniteClass.decision_lists(2)),
    (Halfspace({0: 1, 1: -0.5}, 0.25), Conjunction(1), KDNF(Conjunction(0, 1))),
]


@pytest.mark.parametrize("concepts", CLASSES, ids=len)
@tried(0.5)
@given(rounds=st.lists(st.tuples(st.sampled_from(CUBE), st.booleans()), max_size=6))
def test_finite_classes_are_certified_exactly_if_a_concept_fits(
    concepts: Any, rounds: Any
) -> None:
    stream = [(dict(enumerate(x)), y) for x, y in rounds]
    try:
        fit = FiniteClass(concepts).consistent(stream)
    except NoConsistentConcept:
        fit = None
    for learner in finite(concepts):
        record = run(learner, stream, keep="updates")
        if fit is None:
            match = f"got none since round {record.unrealizable}"
            with pytest.raises(PremiseError, match=match):
                certify(record)
            continue
        certificate = certify(record)
        assert certificate.witness["text"] == str(fit[0])
        for rows in (stream, rounds):  # however an example is written
            verdict = verify(certificate, rows)
            assert verdict.accepted, verdict.wrong
        assert certify(record, fit[-1]).witness["text"] == str(fit[-1])


# What adversaries force, and no more.


def game(learner: Any, adversary: Any) -> Certificate:
    certificate = certify(run(learner, adversary, keep="updates"))
    verdict = verify(certificate)
    assert verdict.accepted, verdict.wrong
    return certificate


@pytest.mark.parametrize("n", [1, 2, 7])
def test_adversaries_leave_no_slack_to_elimination(n: int) -> None:
    games: list[tuple[Any, Any]] = [
        (
            ConjunctionLearner(monotone=True, features=n),
            ConjunctionAdversary(n),
        ),
        (ConjunctionLearner(features=n), ConjunctionAdversary(n, negations=True)),
        (KCNFLearner(1, features=n), ConjunctionAdversary(n, negations=True)),
        (
            DisjunctionLearner(monotone=True, features=n),
            DisjunctionAdversary(n),
        ),
        (DisjunctionLearner(features=n), DisjunctionAdversary(n, negations=True)),
        (KDNFLearner(1, features=n), DisjunctionAdversary(n, negations=True)),
    ]
    for learner, adversary in games:
        certificate = game(learner, adversary)
        assert certificate.mistakes == adversary.forces
        assert certificate.slack == 0


def test_adversaries_leave_no_slack_to_learners_of_a_class() -> None:
    singletons = SingletonAdversary(9)
    first = game(ConsistentLearner(singletons.concepts), singletons)
    assert (first.mistakes, int(first.slack)) == (8, 0)
    majority = game(VersionSpaceLearner(singletons.concepts), singletons)
    assert (majority.mistakes, int(majority.slack)) == (1, 2)
    concepts, domain = FiniteClass.conjunctions(3), list(product((0, 1), repeat=3))
    tree = game(
        StandardOptimalLearner(concepts, domain), TreeAdversary(concepts, domain)
    )
    assert (tree.mistakes, int(tree.slack), numbers(tree)) == (4, 0, {"dimension": 4})
    # All functions of two points: each mistake halves them.
    every_one = FiniteClass.decision_lists(1)
    halved = game(VersionSpaceLearner(every_one), TreeAdversary(every_one, [[0], [1]]))
    assert (halved.mistakes, int(halved.slack)) == (2, 0)


# By hand.


def test_a_decision_list_by_hand() -> None:
    truth = DecisionList.parse("if a then yes, else if b then no, else yes")
    shown: list[dict[Any, int]] = [{}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}]
    stream = [(x, truth(x)) for x in shown]
    certificate = certified(DecisionListLearner(), stream * 4)
    # The last rule can ask for "not b": five terms, a block of two rules, which save 2
    # each, and one of the default: 5 * 3 - 4.
    assert certificate.theorem == "DL-BLOCKS"
    turned = "if a then yes, else if not b then yes, else no"
    assert str(DecisionList.parse(certificate.witness["text"])) == turned
    assert numbers(certificate) == {"features": 2, "k": 1, "blocks": 2, "saved": 4}
    assert as_number(certificate.bound_exact) == 11
    # As it was, three blocks of one rule each, which save 2, 2 and 0: 5 * 5 - 4.
    given = certified(DecisionListLearner(), stream * 4, witness=truth)
    assert numbers(given) == {"features": 2, "k": 1, "blocks": 3, "saved": 4}
    assert as_number(given.bound_exact) == 21
    # Ten rules, of which three are the list's: 7 * 3 + 3 * 2 / 2.
    by_length = certified(DecisionListLearner(), stream * 4, theorem="DL")
    assert numbers(by_length) == {"features": 2, "k": 1, "length": 3}
    assert as_number(by_length.bound_exact) == 24
    assert certificate.mistakes == 5
    longer = DecisionList([*truth.rules, (Conjunction("a"), False)], default=True)
    lengthened = certified(DecisionListLearner(), stream, witness=longer, theorem="DL")
    assert numbers(lengthened) == {"features": 2, "k": 1, "length": 4}


def test_a_disjunction_of_five_of_twenty_is_a_list_of_two_blocks() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((1000, 20)) < 0.15
    stream = [
        ({int(j): 1 for j in np.flatnonzero(row)}, bool(row[:5].any())) for row in rows
    ]
    certificate = certified(DecisionListLearner(features=20), stream)
    # 41 terms; five rules save 2 each: 41 * 3 - 10.
    assert numbers(certificate) == {"features": 20, "k": 1, "blocks": 2, "saved": 10}
    assert certificate.bound == 113
    by_length = certified(DecisionListLearner(features=20), stream, theorem="DL")
    assert by_length.bound == 471


@pytest.mark.parametrize("seed", range(12))
def test_no_list_has_fewer_blocks_than_the_one_that_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.random(8) < 0.5
    rules = [
        (Literal(int(rng.integers(6)), bool(rng.random() < 0.5)), bool(label))
        for label in labels[1:]
    ]
    truth = DecisionList(rules, default=bool(labels[0]))
    rows: list[Any] = [{j: 1 for j in range(6) if i >> j & 1} for i in range(64)]
    stream = [(x, truth(x)) for x in rows]
    found = _rules.lists_of_few_blocks(stream)
    assert found
    for concept in found:
        assert all(concept(x) is y for x, y in stream)
    fewest = min(blocks_of(concept)[-1] for concept in found)
    assert fewest <= blocks_of(truth)[-1]
    certificate = certified(DecisionListLearner(), stream, theorem="DL-BLOCKS")
    assert certificate.numbers["blocks"] == fewest
    # The label of one example exchanged, on both sides of it: no list is left.
    assert not _rules.lists_of_few_blocks([*stream, (rows[0], not stream[0][1])])


def test_the_list_that_was_learned_is_used_where_it_is_shorter() -> None:
    stream: Stream = [({"a": 1}, True), ({}, True), ({"b": 1}, True)]
    certificate = certified(DecisionListLearner(), stream)
    assert certificate.witness["text"] == "yes"


def test_several_passes_and_iterators() -> None:
    truth = KDNF.parse("(a and b) or c")
    names = ("a", "b", "c")
    stream = [
        ({name: 1 for name, bit in zip(names, bits, strict=True) if bit}, truth_of)
        for bits in product((0, 1), repeat=3)
        for truth_of in [truth(dict(zip(names, bits, strict=True)))]
    ]
    for learner in (KDNFLearner(2), DecisionListLearner(2)):
        record = run(learner.clone(), stream, passes=3, keep="updates")
        certificate = certify(record, stream=iter(stream))
        assert certificate.passes == 3
        verdict = verify(certificate, iter(stream))
        assert verdict.accepted, verdict.wrong
        bare = run(learner.clone(), stream, passes=3)
        assert certify(bare, stream=stream) == certificate


def test_columns_and_names_are_told_apart() -> None:
    stream: Stream = [
        ({"x4": 1, "not 4": 1}, True),
        ({4: 1, "x4": 1}, False),
        ({"x4": 1}, True),
        ({}, False),
    ]
    certificate = certified(ConjunctionLearner(), stream)
    assert Conjunction.parse(certificate.witness["text"]) == Conjunction(
        "x4", ~Literal(4)
    )
    assert Certificate.from_json(certificate.to_json()) == certificate


def test_it_reads_well(tmp_path: Path) -> None:
    stream: Stream = [({"a": 1}, True), ({"a": 1, "b": 1}, False), ({}, False)]
    told = str(certified(ConjunctionLearner(), stream))
    assert "The witness is the Conjunction 'a and not b', with features = 2." in told
    concepts = FiniteClass.conjunctions(4)
    record = run(VersionSpaceLearner(concepts), [], keep="updates")
    certificate = certify(record)
    assert len(str(certificate)) < 600
    assert "VersionSpaceLearner(concepts=(Conjunction(), " in str(certificate)
    certificate.save(tmp_path / "certificate.json")
    assert verify(tmp_path / "certificate.json", []).accepted
    wide: Stream = [(dict.fromkeys(range(500), 1), True)]
    assert len(str(certified(ConjunctionLearner(), wide))) < 900


# A real file.


@pytest.mark.parametrize(
    ("learner", "rows"),
    [(KDNFLearner(1), 500), (KDNFLearner(2), 600), (DecisionListLearner(), 600)],
    ids=repr,
)
def test_mushrooms(learner: Any, rows: int) -> None:
    path = data_file(MUSHROOMS)
    whole = streams.csv(path, label="class", positive="p", literals=True)
    stream: Any = [example for example, _ in zip(whole, range(rows), strict=False)]
    certificate = certified(learner, stream)
    assert 0 < certificate.mistakes < 100
    assert len(certificate.witness["text"]) < 500


def test_no_disjunction_tells_all_mushrooms_apart() -> None:
    path = data_file(MUSHROOMS)
    stream = streams.csv(path, label="class", positive="p", literals=True)
    for learner in (KDNFLearner(1), DisjunctionLearner()):
        record = run(learner, stream, keep="updates")
        assert record.unrealizable == 4364
        certificate = certify(record, stream=stream)
        assert certificate.theorem.endswith("-EXC")
        assert record.mistakes <= certificate.bound < record.rounds


# What is refused.


def at_least(threshold: int) -> Callable[[Any], bool]:
    return lambda x: x[0] >= threshold


def test_what_is_refused() -> None:
    stream: Stream = [({"a": 1}, True), ({"a": 1}, True), ({}, False)]
    record = run(ConjunctionLearner(), stream, keep="updates")
    with pytest.raises(ParameterError, match="ConjunctionLearner needs the stream"):
        certify(record)
    others: list[Any] = [stream[:2], stream * 2, iter([])]
    for other in others:
        with pytest.raises(ParameterError, match="the stream must be that of the"):
            certify(record, stream=other)
    with pytest.raises(
        PremiseError, match="right on every yes, but is wrong in round 0"
    ):
        certify(record, Conjunction("b"), stream=stream)
    with pytest.raises(ParameterError, match="the witness must be a Conjunction, got"):
        certify(record, Disjunction("a"), stream=stream)
    with pytest.raises(ParameterError, match="Conjunction: expected"):
        certify(record, "a or b", stream=stream)
    with pytest.raises(PremiseError, match="DISJ must have a witness"):
        certify(record, stream=stream, theorem="DISJ")
    mono = run(ConjunctionLearner(monotone=True), stream, keep="updates")
    with pytest.raises(PremiseError, match="witness must have no negations"):
        certify(mono, "a and not b", stream=stream)
    two = run(KDNFLearner(1), stream, keep="updates")
    with pytest.raises(PremiseError, match="at most k = 1 literals together, got 2"):
        certify(two, "(a and not b)", stream=stream)


def test_what_is_refused_of_finite_classes() -> None:
    rows = [([1], True), ([0], False)]
    plain = run(VersionSpaceLearner([at_least(0), at_least(1)]), rows, keep="updates")
    with pytest.raises(ParameterError, match="must be one of littlestone.concepts"):
        certify(plain)
    concepts = FiniteClass.conjunctions(1)
    record = run(VersionSpaceLearner(concepts), rows, keep="updates")
    with pytest.raises(PremiseError, match="not x0: dropped in round 0"):
        certify(record, Conjunction(~Literal(0)))
    with pytest.raises(ParameterError, match="one of the concepts"):
        certify(record, Conjunction(7))
    many = run(ConsistentLearner([Conjunction(0)] * 10_001), rows, keep="updates")
    with pytest.raises(PremiseError, match="at most 10,000 concepts to be judged"):
        certify(many)


def test_a_contradiction_that_nobody_noticed_is_found() -> None:
    # A no that was got right is forgotten, and so is the contradiction.
    stream: Stream = [({"a": 1}, False), ({"a": 1}, True)]
    record = run(ConjunctionLearner(), stream, keep="updates")
    assert record.unrealizable is None
    assert certify(record, stream=stream).theorem == "CONJ-EXC"
    # Whether a list fits is looked at when the mistakes have doubled: not with three.
    three: Stream = [({}, False), ({"a": 1}, True), ({}, True)]
    listed = run(DecisionListLearner(), three, keep="updates")
    assert (listed.mistakes, listed.unrealizable) == (3, None)
    assert certify(listed, stream=three).theorem == "DL-EXC"
    with pytest.warns(UnrealizableWarning):
        told = run(ConjunctionLearner(), stream * 2, keep="updates")
    certificate = certify(told, stream=stream * 2)
    assert (certificate.theorem, certificate.numbers["exceptions"]) == ("CONJ-EXC", 2)
    assert verify(certificate, stream * 2).accepted
    fewer = replace(certificate, numbers_exact={"features": "1", "exceptions": "1"})
    bound = theorems.CONJ_EXC.bound(features=1, exceptions=1)
    forged = verify(replace(fewer, bound_exact=bound.hex()), stream * 2)
    assert "exceptions must be at least" in str(forged.wrong)
    with pytest.raises(PremiseError, match="must be right on every yes"):
        certify(told, "not a", stream=stream * 2)


def test_a_list_is_certified_by_its_blocks() -> None:
    rng = np.random.default_rng(3)
    stream: Stream = []
    for bits in rng.integers(0, 2, size=(60, 6)).tolist():
        x = {f"f{i}": 1 for i, bit in enumerate(bits) if bit}
        stream.append((x, "f0" in x or "f1" in x or "f2" in x))
    certificate = certify(DecisionListLearner(), stream)
    assert certificate.theorem == "DL-BLOCKS"
    assert certificate.bound < certificate.others["DL"]["bound"]
    assert verify(certificate, stream).accepted
    for name, more in (("saved", 2), ("blocks", -1)):
        numbers = {n: int(text) for n, text in certificate.numbers_exact.items()}
        numbers[name] += more
        forged = replace(
            certificate,
            numbers_exact={n: str(value) for n, value in numbers.items()},
            bound_exact=theorems.DL_BLOCKS.bound(**numbers).hex(),
        )
        assert f"{name} must be" in str(verify(forged, stream).wrong)


def test_a_bound_that_says_nothing_says_why_and_what_may() -> None:
    rounds = [({f"w{t}": 1, f"v{t}": 1}, t % 2 == 0) for t in range(8)]
    found = certify(ConjunctionLearner(), rounds)
    assert found.vacuous
    assert "grows with the features" in str(found)
    assert "Perceptron, has bounds by margins" in str(found)
    short = certify(ConjunctionLearner(), [({"a": 1}, True), ({"b": 1}, False)] * 9)
    assert not short.emptiness
    assert "by margins" not in str(short)
    sizes = [({"a": 1e6 * (-1) ** (t // 2), "b": 1.0}, t % 2 == 0) for t in range(20)]
    scaled = certify(BalancedWinnow(1e-13, scale=1e6), sizes)
    assert scaled.emptiness
    assert "standardize them" in str(scaled)
