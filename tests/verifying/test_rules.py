"""The proofs of learners of rules: nothing escapes the judge, and their twins count."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolean_worlds import BOOLEAN_ENTRIES, COLUMNS, BooleanEntry, boolean_worlds
from certificates import made, sealed
from littlestone import Certificate, boolean, certify, run, theorems, verify
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
from littlestone.concepts import Conjunction, FiniteClass
from littlestone.errors import CertificateError, LittlestoneError
from littlestone.verifying import PROOFS, Unsound, as_number, as_text
from littlestone.verifying.proofs.rules import FORMS
from littlestone.verifying.twins import TWINS, decision_list
from tries import tried
from worlds import World

pytestmark = pytest.mark.filterwarnings(
    "ignore::littlestone.errors.UnrealizableWarning"
)

Stream = list[tuple[dict[Any, Any], bool]]

FOUR: list[dict[Any, Any]] = [{"a": 1, "b": 1}, {"a": 1}, {"b": 1}, {}]
CUBE = list(product((0, 1), repeat=2))


def labelled(concept: Callable[[Any], bool]) -> Stream:
    """Return all examples over two features with the labels of a concept."""
    return [(x, concept(x)) for x in FOUR]


def witness(text: str, kind: str = "Conjunction") -> dict[str, str]:
    return {"kind": "concept", "class": kind, "text": text}


AND_NOT = labelled(lambda x: bool(x.get("a") and not x.get("b")))
EITHER = labelled(lambda x: bool(x.get("a") or not x.get("b")))
ALIKE = labelled(lambda x: x.get("a") == x.get("b"))
LISTED = labelled(lambda x: bool(x.get("a") or not x.get("b"))) * 3
SINGLES: Stream = [({0: 1}, False), ({1: 1}, False), ({2: 1}, True), ({}, False)]
POINTS: Stream = [
    ({0: 0, 1: 1}, False),
    ({0: 1, 1: 0}, True),
    ({0: 1, 1: 1}, True),
    ({}, False),
]
PLAIN = (Conjunction(0), Conjunction(1), Conjunction(), Conjunction(0, 1))

# Learners with streams, witnesses, theorems and numbers that were found by hand.
CASES: list[tuple[Any, Any, str, dict[str, str], dict[str, int]]] = [
    (
        ConjunctionLearner(features=["a", "b"]),
        AND_NOT,
        "CONJ",
        witness("a and not b"),
        {"features": 2},
    ),
    (ConjunctionLearner(), AND_NOT, "CONJ", witness("a and not b"), {"features": 2}),
    (
        ConjunctionLearner(monotone=True),
        labelled(lambda x: bool(x.get("a") and x.get("b"))),
        "CONJ-MONO",
        witness("a and b"),
        {"features": 3},
    ),
    (
        DisjunctionLearner(),
        EITHER,
        "DISJ",
        witness("a or not b", "Disjunction"),
        {"features": 2},
    ),
    (
        DisjunctionLearner(monotone=True, features=("b", "c", "a")),
        [({"c": 1}, False), *labelled(lambda x: bool(x.get("a") or x.get("b")))],
        "DISJ-MONO",
        witness("a or b", "Disjunction"),
        {"features": 3},
    ),
    (
        KCNFLearner(2),
        ALIKE,
        "kCNF",
        witness("(a or not b) and (not a or b)", "KCNF"),
        {"features": 2, "k": 2},
    ),
    (
        KDNFLearner(2, features=("a", "b")),
        ALIKE,
        "kDNF",
        witness("(a and b) or (not a and not b)", "KDNF"),
        {"features": 2, "k": 2},
    ),
    (
        DecisionListLearner(),
        LISTED,
        "DL",
        witness("if a then yes, else if b then no, else yes", "DecisionList"),
        {"features": 2, "k": 1, "length": 3},
    ),
    (
        ConsistentLearner(tuple(map(Conjunction, range(3)))),
        SINGLES,
        "CONSISTENT",
        witness("x2"),
        {"concepts": 3},
    ),
    (VersionSpaceLearner(PLAIN), POINTS, "HALV", witness("x0"), {"experts": 4}),
    (
        StandardOptimalLearner(PLAIN, CUBE),
        POINTS,
        "SOA",
        witness("x0"),
        {"dimension": 2},
    ),
]
cases = pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case[2]}-{type(case[0]).__name__}"
)


def stated(case: Any) -> Certificate:
    learner, stream, theorem, of, numbers = case
    return made(learner, stream, theorem, of, numbers)


@cases
def test_what_is_sound_is_accepted(case: Any) -> None:
    certificate = stated(case)
    assert certificate.mistakes > 0
    for verdict in (verify(certificate), verify(certificate, case[1])):
        assert verdict.accepted, verdict.wrong


def test_every_theorem_of_a_learner_of_rules_has_its_proof() -> None:
    learners: list[Any] = [entry.made for entry in BOOLEAN_ENTRIES]
    learners += [case[0] for case in CASES]
    seen = set()
    for learner in learners:
        name = type(learner).__name__
        assert TWINS[name].__name__ == name
        for theorem in learner.guarantees:
            # What everybody must suffer is proved by a game, not by a run.
            assert ((name, theorem.id) in PROOFS) != theorem.lower
            seen.add(theorem.id)
    assert {case[2] for case in CASES} <= seen


# Tampering.


def leaves(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(plain, (dict, list)):
        for key in plain if isinstance(plain, dict) else range(len(plain)):
            yield from leaves(plain[key], (*path, key))
    yield path


def at(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plain = plain[key]
    return plain


def put(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(plain) if isinstance(plain, dict) else list(plain)
    copy[path[0]] = put(plain[path[0]], path[1:], value)
    return copy


TEXTS = ["a", "never", "always", "x0", "x1", "not x1", "x0 and x1", "yes"]


def flips(value: Any) -> list[Any]:
    """Return other values in the place of one."""
    if isinstance(value, str):
        last = "1" if value.endswith("0") else "0"
        return [
            value + "x",
            value[:-1],
            value[:-1] + last,
            value.replace("a", "b"),
            "2",
            "5",
            *TEXTS,
        ]
    if isinstance(value, bool):
        return [not value, 1, None]
    if isinstance(value, int):
        return [value + 1, value - 1, 40, -1, True, None, str(value)]
    if isinstance(value, list):
        return [[], value[:-1], value[::-1], [*value, *value], value[:1] * 3, 2]
    return [1, 2, 3, False, "a", ["a"], ["a", "b"]] if value is None else [{}, None]


def truth_of(certificate: Certificate, stream: Any) -> Certificate | None:
    """Return the certificate that a run of the learner named gives, if it can."""
    try:
        learner = getattr(boolean, certificate.learner["name"])(
            **certificate.learner["parameters"]
        )
        record = run(learner, stream, keep="updates")
        concept = FORMS[certificate.witness["class"]].parse(certificate.witness["text"])
        # Without the theorem, the run chooses the one with the smallest bound.
        return certify(record, concept, stream=stream, theorem=certificate.theorem)
    except (LittlestoneError, KeyError, AttributeError):
        return None


@cases
def test_tampering_is_caught_unless_what_was_written_is_true(case: Any) -> None:
    stream, certificate = case[1], stated(case)
    plain = json.loads(certificate.to_json())
    del plain["seal"]
    tried, alone = set(), set()
    for path in leaves(plain):
        for value in flips(at(plain, path)):
            if not path or value == at(plain, path):
                continue
            try:
                other = Certificate.from_json(sealed(put(plain, path, value)))
            except CertificateError:
                continue
            if other == certificate:
                continue
            if not verify(other):
                alone.add(path[0])
            if not verify(other, stream):
                tried.add(path[0])
            elif path[0] not in ("learner", "witness", "others"):
                pytest.fail(f"{path} may be {value!r}")
            else:
                assert other == truth_of(other, stream), (path, value)
    assert tried >= plain.keys() - {"format", "others", "loss", "expected_mistakes"}
    arithmetic = {"learner", "theorem", "counts", "counted", "witness", "numbers"}
    assert alone >= {*arithmetic, "bound"}


@cases
def test_numbers_must_be_true_also_when_the_bound_is_made_to_fit(case: Any) -> None:
    certificate = stated(case)
    theorem = theorems.get(certificate.theorem)
    for name, text in certificate.numbers_exact.items():
        for change in (-1, 1, 5):
            numbers = {
                each: as_number(t) for each, t in certificate.numbers_exact.items()
            }
            numbers[name] = as_number(text) + change
            try:
                bound = as_text(theorem.bound(**numbers))
            except LittlestoneError:
                continue
            forged = replace(
                certificate,
                numbers_exact={
                    each: as_text(number) for each, number in numbers.items()
                },
                bound_exact=bound,
            )
            wrong = str(verify(forged, case[1]).wrong)
            assert f"{name} must be " in wrong or "does not hold" in wrong


@cases
def test_each_round_must_fit(case: Any) -> None:
    """A label is turned, and what can be is made to agree with it."""
    learner, stream, theorem, of, numbers = case
    for turned in range(len(stream)):
        other = [(x, y != (t == turned)) for t, (x, y) in enumerate(stream)]
        forged = made(learner, other, theorem, of, numbers)
        verdict = verify(forged, other)
        if verify(forged):
            says = "no" if other[turned][1] is False else "yes"
            assert (
                verdict.wrong
                == f"round {turned}: the witness must say {says}, like the label"
            )
        assert not verdict


# What is wrong is named.


@pytest.mark.parametrize(
    ("number", "change", "wrong"),
    [
        (0, {"witness": witness("a and not b", "KCNF")}, "must be a Conjunction, got"),
        (0, {"witness": witness("a or b")}, "witness must be readable: Conjunction: "),
        (0, {"witness": witness("not b and a")}, "must be written as 'a and not b'"),
        (0, {"witness": {"kind": "none"}}, "witness must be of kind concept, got none"),
        (2, {"witness": witness("a and not b")}, "witness must have no negations"),
        (4, {"witness": witness("always", "Disjunction")}, "cannot make this rule"),
        (9, {"witness": witness("x3")}, "witness must be one of the concepts"),
        (9, {"witness": witness("x0", "Rule")}, "witness must be a Conjunction or"),
    ],
)
def test_what_is_wrong_is_named(
    number: int, change: dict[str, Any], wrong: str
) -> None:
    verdict = verify(replace(stated(CASES[number]), **change))
    assert wrong in str(verdict.wrong)


@pytest.mark.parametrize(
    ("number", "parameters", "wrong"),
    [
        (0, {"monotone": True}, "learner: monotone must be False"),
        (2, {"monotone": False}, "learner: monotone must be True"),
        (2, {"monotone": 1}, "learner: monotone must be one that the learner takes"),
        (0, {"features": ("a", "a")}, "learner: features must be one that"),
        (0, {"features": ()}, "learner: features must be one that"),
        (0, {"features": 0}, "learner: features must be one that"),
        (0, {"features": 2**40}, "features must be the number declared"),
        (6, {"k": 0}, "learner: k must be one that the learner takes"),
        (6, {"k": 3}, "k must be the learner's, 3, got 2"),
        (8, {"concepts": ()}, "learner: concepts must be one that"),
        (8, {"concepts": (1, 2, 3)}, "learner: concepts must be one that"),
        (10, {"domain": ()}, "learner: domain must be one that"),
        (10, {"domain": (1, 2)}, "the dimension must be found"),
        (10, {"domain": ((0, 0), (1, 1))}, "dimension must be the dimension"),
    ],
)
def test_parameters_must_be_the_learners(
    number: int, parameters: dict[str, Any], wrong: str
) -> None:
    certificate = stated(CASES[number])
    name, given_ = certificate.learner["name"], certificate.learner["parameters"]
    other = {"name": name, "parameters": {**given_, **parameters}}
    assert wrong in str(verify(replace(certificate, learner=other)).wrong)


def test_a_monotone_conjunction_is_never_true_only_of_features_nobody_has_met() -> None:
    no: Stream = [({"a": 1}, False)]
    never = witness("never")
    unmet = ConjunctionLearner(monotone=True)
    assert verify(made(unmet, no, "CONJ-MONO", never, {"features": 2}), no)
    declared = ConjunctionLearner(monotone=True, features=["a"])
    forged = made(declared, no, "CONJ-MONO", never, {"features": 1})
    assert "cannot make this rule" in str(verify(forged, no).wrong)


def test_examples_must_be_the_learners() -> None:
    half: Stream = [({"a": 1, "b": 1}, False), ({"a": 0.5}, True)]
    unknown: Stream = [({"a": 1, "b": 1}, False), ({"a": 1, "c": 1}, True)]
    for stream, wrong in (
        (half, "round 1: feature 'a' must be 0 or 1, got 0.5"),
        (unknown, "round 1: feature 'c' must be one that was declared"),
    ):
        # The learner refuses them, so the forger must play for it.
        open_learner = ConjunctionLearner()
        forged = made(
            open_learner,
            [(dict.fromkeys(x, 1), y) for x, y in stream],
            "CONJ",
            witness("a and not b"),
            {"features": 2},
        )
        digest = made(
            boolean.ConsistentLearner([Conjunction()]),
            [(x, y) for x, y in stream],
            "CONSISTENT",
            witness("always"),
            {"concepts": 1},
        ).digest
        learner = {"name": "ConjunctionLearner", "parameters": CASES[0][0].get_params()}
        assert verify(
            replace(forged, digest=digest, learner=learner), stream
        ).wrong == (wrong)


def test_the_domain_is_all_that_the_dimension_speaks_of() -> None:
    # On one point of two the class says less.
    concepts = (Conjunction(0), Conjunction())
    stream: Any = [((1, 0), True), ((0, 1), True)]
    learner = StandardOptimalLearner(concepts, CUBE)
    honest = made(learner, stream, "SOA", witness("always"), {"dimension": 1})
    assert verify(honest, stream)
    small = {
        "name": "StandardOptimalLearner",
        "parameters": {"concepts": concepts, "domain": ((1, 0),)},
    }
    numbers = {"dimension": "0"}
    forged = replace(
        honest, learner=small, numbers_exact=numbers, bound_exact=as_text(0.0)
    )
    assert honest.mistakes == 0
    wrong = verify(forged, stream).wrong
    assert wrong == "round 1: an example must be one of the domain"


# The judge is not kept busy.


def test_work_that_takes_too_long_is_refused() -> None:
    case = CASES[6]
    certificate = stated(case)
    parameters = {"k": 33, "features": ("a", "b")}
    learner = {"name": "KDNFLearner", "parameters": parameters}
    numbers = {"features": "2", "k": "33"}
    bound = as_text(theorems.KDNF.bound(features=2, k=33))
    forged = replace(
        certificate, learner=learner, numbers_exact=numbers, bound_exact=bound
    )
    assert verify(forged).wrong == "learner: k must be at most 32 to be judged"
    # Lessons of which no 18 features are part, and 2^18 ways to choose them.
    lessons: Stream = [({f"a{i}": 1, f"b{i}": 1}, False) for i in range(25)]
    learner = {"name": "KDNFLearner", "parameters": {"k": 18, "features": None}}
    forged = replace(
        certificate,
        rounds=26,
        learner=learner,
        numbers_exact={"features": "50", "k": "18"},
        bound_exact=as_text(theorems.KDNF.bound(features=50, k=18)),
    )
    wrong = str(verify(forged, [*lessons, ({}, True)]).wrong)
    assert wrong == (
        "round 25: it cannot be played: there must be fewer clauses of 18 literals"
    )


def test_lists_of_too_many_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_list, "_MOST", 2_000)
    certificate = stated(CASES[7])
    learner = {"name": "DecisionListLearner", "parameters": {"k": 9, "features": None}}
    forged = replace(
        certificate,
        learner=learner,
        numbers_exact={"features": "30", "k": "9", "length": "3"},
        bound_exact=as_text(theorems.DL.bound(features=30, k=9, length=3)),
    )
    wrong = str(verify(forged, [(dict.fromkeys(range(30), 1), True)]).wrong)
    assert wrong == "round 0: it cannot be played: there must be at most 2,000 rules"


# The twins.


@pytest.mark.parametrize("entry", BOOLEAN_ENTRIES, ids=str)
@tried(0.5)
@given(data=st.data())
def test_twins_count_the_updates(entry: BooleanEntry, data: st.DataObject) -> None:
    small = entry.closed and isinstance(entry.made, DecisionListLearner)
    world: World = data.draw(boolean_worlds(COLUMNS if entry.closed else 4))
    learner: Any = entry.made.clone()
    twin = TWINS[type(learner).__name__](**learner.get_params())
    for x, y in world.examples()[: 5 if small else 30]:
        assert learner.play_one(x, y) == twin.play(x, y)
        assert learner.updates_ == twin.updates


@tried(1.5)
@given(rounds=st.lists(st.tuples(st.sampled_from(CUBE), st.booleans()), max_size=9))
def test_twins_of_finite_classes_count_the_updates(rounds: Any) -> None:
    concepts = FiniteClass.conjunctions(2)
    learners: list[Any] = [
        ConsistentLearner(concepts),
        VersionSpaceLearner(concepts),
        StandardOptimalLearner(concepts, CUBE),
    ]
    for learner in learners:
        twin = TWINS[type(learner).__name__](**learner.get_params())
        for x, y in rounds:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert learner.play_one(x, y) == twin.play(x, y)
            assert learner.updates_ == twin.updates


def test_twins_do_not_list_what_is_declared() -> None:
    for kind in ("ConjunctionLearner", "DisjunctionLearner"):
        for monotone in (False, True):
            learner: Any = getattr(boolean, kind)(monotone=monotone, features=10**5)
            twin = TWINS[kind](monotone=monotone, features=2**32)
            for x, y in (({7: 1}, True), ({}, True), ({9: 1}, False), ({7: 1}, True)):
                assert learner.play_one(x, y) == twin.play(x, y)


# What no twin does, were it not for a bug: they are swapped, or have played before.


def proof_of(number: int) -> Any:
    """Return the proof of a case, to be told rounds by hand."""
    learner, _, theorem, of, numbers = CASES[number]
    exact = {name: Fraction(value) for name, value in numbers.items()}
    made_for = PROOFS[type(learner).__name__, theorem]
    return made_for(learner.get_params(), of, exact)


def test_a_mistake_must_leave_half_of_the_concepts() -> None:
    proof = proof_of(9)
    twin = TWINS["ConsistentLearner"](PLAIN)
    x, y = {0: 1.0}, True
    said = twin.play(x, y)
    proof.round(x, y, said, True, twin)
    with pytest.raises(Unsound, match="a mistake must rule out as much as"):
        proof.round(x, y, not y, True, twin)  # nothing has changed since


def test_rules_of_the_list_must_stay_low() -> None:
    twin = TWINS["DecisionListLearner"]()
    for x, y in [({"a": 1}, False), ({"a": 1}, True)] * 9:  # which no list says
        twin.play(x, y)
    other = ((("b", True),), True)
    for levels, wrong in (
        (twin.levels, "rule 1 must not climb above level 1"),
        ({other: 5}, "no rule may climb above level 4"),
        ({((), True): 4}, "rule 3 must not climb above level 3"),
    ):
        proof = proof_of(7)
        proof.met, proof.levels = {"a", "b"}, levels
        with pytest.raises(Unsound, match=wrong):
            proof.close({})
    proof.levels = {other: 4, ((), True): 3}
    proof.close({})


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from(["", "a", "Halfspace", "x0 >= 1", "never", "DL", "SOA", "HALV"]),
    st.floats(allow_nan=False).map(lambda x: {"double": x.hex()}),
    st.just([]),
    st.just({}),
    st.just({"map": [["a", 1]]}),
    st.just({"concept": ["Halfspace", "x0 >= 1/2"]}),
    st.just([[0, 1], {"map": [[0, 1]]}, [[0], [1]]]),
)


@tried(5)
@given(data=st.data())
def test_nothing_but_verdicts_comes_out_whatever_goes_in(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES))
    plain = json.loads(stated(case).to_json())
    for _ in range(data.draw(st.integers(1, 3))):
        places = [path for path in leaves(plain) if path and path[0] != "seal"]
        plain = put(plain, data.draw(st.sampled_from(places)), data.draw(VALUES))
    try:
        certificate = Certificate.from_json(sealed(plain))
    except CertificateError:
        return
    for stream in (None, case[1]):
        verdict = verify(certificate, stream)
        assert verdict.accepted == (verdict.wrong is None)
