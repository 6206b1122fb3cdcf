"""Every learner says truly whether only mistakes change it; records keep updates."""

from __future__ import annotations

import itertools
import pickle
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from advice_worlds import ADVISED, fixed_advice
from boolean_worlds import (
    BOOLEAN_ENTRIES,
    COLUMNS,
    BooleanEntry,
    boolean_world,
    boolean_worlds,
)
from littlestone import boolean, experts, linear, run, streams
from littlestone.boolean._base import BooleanLearner
from littlestone.boolean._finite import FiniteClassLearner
from littlestone.concepts import Conjunction, Literal
from littlestone.errors import NobodyLeftWarning, UnrealizableWarning
from littlestone.learner import Learner
from littlestone.linear._base import NativeLearner
from littlestone.linear._charged import ChargedLearner
from littlestone.linear._multiclass import MulticlassLearner
from tries import some, tried
from worlds import ENTRIES, Entry, World, fixed_world, worlds

every_linear = pytest.mark.parametrize("entry", ENTRIES, ids=str)
every_boolean = pytest.mark.parametrize("entry", BOOLEAN_ENTRIES, ids=str)


@pytest.fixture(autouse=True)
def _they_may_give_up() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NobodyLeftWarning)
        warnings.simplefilter("ignore", UnrealizableWarning)
        yield


# Who is checked ---------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A learner, whether it is conservative, and rounds to try it on."""

    made: Learner
    conservative: bool
    rounds: tuple[tuple[Any, Any], ...]

    def __str__(self) -> str:
        return repr(self.made)[:60]


# Those that change only when they err; all others change on some round they got right.
CONSERVATIVE: tuple[type[Learner], ...] = (
    linear.Perceptron,
    linear.KernelPerceptron,
    linear.SecondOrderPerceptron,
    linear.Winnow,
    linear.BalancedWinnow,
    linear.MulticlassPerceptron,
    BooleanLearner,
)

_CLASS = [
    Conjunction(*(Literal(i, s) for i, s in enumerate(of) if s is not None))
    for of in itertools.product((None, True, False), repeat=3)
]
_CUBE = list(itertools.product((0, 1), repeat=3))


def _played() -> Iterator[Played]:
    for entry in ENTRIES:
        world = fixed_world(entry)
        margin = getattr(entry.made, "update", "mistake") == "margin"
        yield Played(
            entry.made,
            isinstance(entry.made, CONSERVATIVE) and not margin,
            tuple(zip(world.X, world.y.tolist(), strict=True)),
        )
    for advised in ADVISED:
        votes = fixed_advice(advised)
        rounds = list(zip(votes.rows(), votes.outcomes(), strict=True))
        # A number is rarely hit, but for one on which everybody agrees.
        rounds += [([y] * votes.F.shape[1], y) for y in advised.outcomes]
        yield Played(advised.made, conservative=False, rounds=tuple(rounds))
    yeses = tuple((None, t % 3 > 0) for t in range(30))
    for counting in (experts.FollowTheMajority(), experts.Cover(30)):
        yield Played(counting, conservative=False, rounds=yeses)
    chances = tuple(([[0.4, 0.6], [0.9, 0.1]], t % 2) for t in range(9))
    yield Played(experts.AggregatingAlgorithm(), conservative=False, rounds=chances)
    bits = tuple((x, bool(x[1]) and not x[2]) for x in _CUBE * 3)
    members = experts.Committee([linear.Perceptron(), experts.FollowTheMajority()])
    yield Played(members, conservative=False, rounds=bits)
    again = experts.Restarting(linear.AROW(), shortest=5)
    yield Played(again, conservative=False, rounds=bits)
    finite: tuple[Learner, ...] = (
        boolean.ConsistentLearner(_CLASS),
        boolean.VersionSpaceLearner(_CLASS),
        boolean.StandardOptimalLearner(_CLASS, _CUBE),
    )
    for learner in finite:
        yield Played(learner, conservative=False, rounds=bits)
    world = boolean_world()
    for rule in BOOLEAN_ENTRIES:
        rounds = list(zip(world.X, world.y.tolist(), strict=True))
        yield Played(rule.made, conservative=True, rounds=tuple(rounds))


PLAYED = list(_played())
PROBES = (np.random.default_rng(5).random((200, COLUMNS)) < 0.4).astype(np.float64)
every = pytest.mark.parametrize("played", PLAYED, ids=str)


def test_every_exported_learner_is_listed() -> None:
    exported = {
        thing
        for room in (linear, experts, boolean)
        for thing in (getattr(room, name) for name in room.__all__)
        if isinstance(thing, type) and issubclass(thing, Learner)
    }
    assert exported == {type(played.made) for played in PLAYED}


def knowledge(learner: Any) -> Any:
    """Return all that a learner knows; not what it has merely met."""
    if isinstance(learner, FiniteClassLearner):
        return learner.version_space_, learner.updates_
    if isinstance(learner, BooleanLearner):
        # A feature that is met changes how the rule is written, and nothing it says.
        said = learner.predict(PROBES).tolist()
        return learner.updates_, learner.unrealizable_, said
    if isinstance(learner, (NativeLearner, MulticlassLearner)):
        native: Any = learner._native  # noqa: SLF001 - whose names may be met, not learned
        if hasattr(native, "blocks"):  # one learner a class
            learned = [(b["columns.cells"], b["rule"]) for b in native.blocks()]
            return pickle.dumps((learned, native.updates))
        return pickle.dumps((native.cells(), native.state, native.updates))
    return pickle.dumps(learner)


def same(said: Any, label: Any) -> bool:
    """Tell whether a round was no mistake, as a record does."""
    likeliest = np.argmax(said) if np.ndim(said) else said
    return bool(likeliest == label)


def changed_though_right(learner: Any, rounds: Any) -> list[int]:
    """Return the rounds without a mistake that changed what the learner knows."""
    found = []
    for t, (x, y) in enumerate(rounds):
        before = knowledge(learner)
        if same(learner.play_one(x, y), y) and knowledge(learner) != before:
            found.append(t)
    return found


# Conservative -----------------------------------------------------------------


@every
def test_conservative_learners_change_only_by_mistakes_and_others_do_not(
    played: Played,
) -> None:
    assert played.made.conservative is played.conservative
    found = changed_though_right(played.made.clone(), played.rounds)
    # A number that is hit exactly leaves most losses without a slope.
    hit = isinstance(played.made, ChargedLearner) and played.made.outcome.charged
    assert hit or (not found) is played.conservative


@every_linear
@tried(0.5)
@given(data=st.data())
def test_conservative_learners_change_only_by_mistakes_in_any_world(
    entry: Entry, data: st.DataObject
) -> None:
    if entry.made.conservative:
        world = data.draw(worlds(entry.values))
        assert not changed_though_right(entry.made.clone(), world.examples())


@every_boolean
@tried(0.5)
@given(world=boolean_worlds())
def test_rules_change_only_by_mistakes_in_any_world(
    entry: BooleanEntry, world: World
) -> None:
    learner: Any = entry.made.clone()
    for x, y in world.examples():
        before, concept = knowledge(learner), getattr(learner, "concept_", None)
        met = learner.features_
        if learner.play_one(x, y) == y:
            assert knowledge(learner) == before
            same = getattr(learner, "concept_", None) == concept
            assert learner.features_ != met or same


@every
def test_a_learner_is_newborn_until_its_first_round_that_counts(played: Played) -> None:
    learner: Any = played.made.clone()
    assert learner.newborn_
    before = knowledge(learner)
    for x, y in played.rounds:
        learner.play_one(x, y)
        assert learner.newborn_ or knowledge(learner) != before or learner.rounds_
    assert not learner.newborn_
    assert not pickle.loads(pickle.dumps(learner)).newborn_  # noqa: S301 - our own bytes
    assert learner.set_params().newborn_


# What records keep ------------------------------------------------------------


def feeds(world: World, folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield the same world in every way a stream can be read."""
    yield "dense", streams.arrays(world.X, world.y)
    yield "single", streams.arrays(world.X.astype(np.float32), world.y)
    X = sp.csr_array(world.X)
    yield "sparse", streams.arrays(X, world.y)
    wide = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], 2**31 - 1))
    yield "wide", streams.arrays(wide, world.y)
    yield "mappings", world.examples()
    yield "rows", list(zip(world.X, world.y, strict=True))
    path = folder / "world.svm"
    lines = [
        f"{int(y)} " + " ".join(f"{j}:{v!r}" for j, v in x.items())
        for x, y in world.examples()
    ]
    path.write_text("\n".join(lines) + "\n")
    yield "svmlight", streams.svmlight(path)
    names = [f"f{j:02}" for j in range(world.X.shape[1])]  # in the order of columns
    yield "frame", streams.arrays(pd.DataFrame(world.X, columns=names), world.y)


def singles(world: World) -> World:
    """Return the world with values that single precision holds."""
    return World(world.X.astype(np.float32).astype(np.float64), world.y)


@pytest.mark.parametrize("entry", some(ENTRIES, 2), ids=str)
def test_the_record_keeps_the_examples_of_updates(entry: Entry, tmp_path: Path) -> None:
    check_kept(entry.made, singles(fixed_world(entry)), tmp_path)


@every_boolean
def test_the_record_keeps_the_lessons_of_rules(
    entry: BooleanEntry, tmp_path: Path
) -> None:
    check_kept(entry.made, boolean_world(), tmp_path, named=not entry.closed)


def check_kept(made: Any, world: World, folder: Path, *, named: bool = True) -> None:
    """Play the world in every way; the record keeps the rounds that change updates_."""
    examples = world.examples()
    learner = made.clone()
    updates = []
    for t, (x, y) in enumerate(examples):
        before = learner.updates_
        learner.learn_one(x, y)
        if learner.updates_ > before:
            updates.append(t)
    digests = set()
    # Each learner is fed in half of the ways, and its neighbour in the others.
    entries: list[Any] = [*ENTRIES, *BOOLEAN_ENTRIES]
    mine = [entry.made for entry in entries].index(made) % 2
    for name, stream in [*feeds(world, folder)][mine::2]:
        if name == "frame" and not named:
            continue
        record = run(made.clone(), stream, keep="updates")
        kept = record.examples
        assert kept is not None
        assert record.fresh
        assert kept.rounds.tolist() == updates
        assert record.updates == len(kept) == len(updates)
        if made.conservative:
            assert record.mistake_rounds is not None
            assert set(updates) <= set(record.mistake_rounds.tolist())
        shown: list[Any] = list(kept)
        if name == "frame":
            assert kept.features[0] == f"f{next(iter(examples[updates[0]][0])):02}"
            shown = [({int(f[1:]): v for f, v in x.items()}, y) for x, y in shown]
        else:
            digests.add(record.digest)
        assert [(list(x.items()), y) for x, y in shown] == [
            (list(examples[t][0].items()), examples[t][1]) for t in updates
        ]
    assert len(digests) == 1
