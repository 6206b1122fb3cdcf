"""The live bound by a witness of the first rounds: true for all, and the same again."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from littlestone import _core, models, run, streams
from littlestone.errors import FeatureError, ParameterError
from littlestone.linear import (
    AROW,
    BalancedWinnow,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from littlestone.running.early import EarlyWitness
from littlestone.running.hindsight import Hindsight
from littlestone.theorems import BWIN_ANY, PA_ORDER, PERC_TD, WIN2_SLACK
from littlestone.witnesses import EARLY, Early, Lost

if TYPE_CHECKING:
    from pathlib import Path

LEARNERS = [
    Perceptron(),
    Perceptron(bias=1),
    Perceptron(bias=0.5, normalize=True),
    PassiveAggressive(C=0.5, bias=1),
    PassiveAggressive(C=0.5, mode="II"),
    Winnow(threshold=8, promotion=1.5),
    BalancedWinnow(0.1, bias=0.25),
]
Examples = list[tuple[dict[str, float], bool]]


def examples(rounds: int) -> Examples:
    """Return rounds of a disjunction of two of eight features, some of them wrong."""
    draw = np.random.default_rng(23)
    made: Examples = []
    for _ in range(rounds):
        chosen = draw.choice(8, size=draw.integers(1, 5), replace=False)
        x = {f"f{at}": float(draw.choice([0.25, 1.0, 0.7])) for at in chosen}
        made.append((x, ("f0" in x or "f1" in x) != (draw.random() < 1 / 14)))
    return made


def written(made: Examples, path: Path, *, columns: bool = False) -> Any:
    """Return the examples as a stream that reads them from a file."""
    lines = []
    for x, y in made:
        cells = sorted(x.items())
        if columns:
            row = " ".join(f"{int(name[1:]) + 1}:{value!r}" for name, value in cells)
            lines.append(f"{1 if y else -1} {row}")
        else:
            row = " ".join(f"{name}:{value!r}" for name, value in cells)
            lines.append(f"{1 if y else -1} | {row}")
    path.write_text("\n".join(lines) + "\n")
    return (streams.svmlight if columns else streams.vw)(path)


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[EarlyWitness]:
    """Search early, keep hardly an update, and return what was searched."""
    found: list[EarlyWitness] = []
    begin = EarlyWitness.__init__

    def begun(self: EarlyWitness, learner: Any) -> None:
        begin(self, learner)
        found.append(self)

    monkeypatch.setattr(EarlyWitness, "__init__", begun)
    monkeypatch.setattr(EarlyWitness, "FIRST", 128)
    monkeypatch.setattr(Hindsight, "FREE_KEPT", 100.0)
    monkeypatch.setattr(Hindsight, "SHARE", 0.0)
    return found


def bounds(record: Any) -> list[tuple[int, float]]:
    """Return the rounds at which there is a bound, with it."""
    return [(p.rounds, p.bound) for p in record.curve if p.bound is not None]


def exactly(learner: Any, early: Early, made: Examples) -> list[Fraction]:
    """Return what a vector loses on examples, in exact numbers, by levels."""
    parameters = learner.get_params(deep=False)
    weights = dict(
        zip(early.features, map(Fraction, early.weights.tolist()), strict=True)
    )
    bias = Fraction(parameters.get("bias", 0))
    sums = [Fraction(0)] * len(early.levels)
    for x, y in made:
        cells = {name: Fraction(value) for name, value in x.items()}
        score = sum(
            (weights.get(n, Fraction(0)) * v for n, v in cells.items()), Fraction(0)
        )
        square = sum((v * v for v in cells.values()), Fraction(0))
        if parameters.get("normalize"):
            score, square = score / Fraction(math.sqrt(square)), Fraction(1)
        score += Fraction(early.at_constant) * bias
        margin = score if y else -score
        for at, (yes, no) in enumerate(early.levels):
            level = Fraction(yes if y else no)
            if isinstance(learner, PassiveAggressive):
                sums[at] += cost(parameters, level, 1 - margin, square + bias**2)
            else:
                sums[at] += max(Fraction(0), level - margin)
    return sums


def cost(
    parameters: Any, price: Fraction, short: Fraction, square: Fraction
) -> Fraction:
    """Return the most that a round may cost, by trying many losses of the learner.

    A loss l takes a step t of l/(|x|^2 + 1/(2C)), or at most C, and lowers the
    potential by t(2l - t|x|^2 - 2h). Between these losses it is a parabola.
    """
    C = Fraction(parameters["C"])
    second = parameters["mode"] == "II"
    whole = square + 1 / (2 * C) if second else square
    tried = [Fraction(k, 4) for k in range(13)]
    tried += [min(max(short, Fraction(0)), C * square), C * square, short]
    tried.append(short * whole / (2 * whole - square))  # where a parabola turns
    worst = Fraction(0)
    for loss in tried:
        if loss >= 0:
            step = loss / whole if second else min(C, loss / whole)
            gain = step * (2 * loss - step * square - 2 * short)
            worst = max(worst, (loss >= 1) - price * gain)
    return worst


def total(found: EarlyWitness) -> tuple[Early, dict[int, Lost]]:
    """Return the witness, and what it lost by rounds."""
    early, lost = found._early, found._lost  # noqa: SLF001 - what is tested
    assert early is not None
    return early, lost


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_losses_are_those_of_all_rounds_and_never_less(
    learner: Any, tmp_path: Path, made: list[EarlyWitness]
) -> None:
    played = examples(600)
    record = run(learner.clone(), written(played, tmp_path / "s.vw"), live=True)
    early, lost = total(made[0])
    assert set(lost) == {128, 256, 512, 600}
    for at in (128, 256):
        for charged, exact in zip(
            lost[at].sums, exactly(learner, early, played[:at]), strict=True
        ):
            least = exact * (1 - Fraction(1, 2**44))  # what adding up has rounded
            assert least <= Fraction(charged) <= exact * (1 + Fraction(1, 10**6))
    theorem = made[0].theorem
    assert theorem in (PERC_TD, PA_ORDER, WIN2_SLACK, BWIN_ANY)
    assert record.theorem == theorem.id
    assert record.mistakes <= (record.bound or 0) < record.rounds
    assert not record.emptiness
    assert record.witnessed
    assert all(p.mistakes <= (p.bound or p.rounds) for p in record.curve)
    assert {at for at, _ in bounds(record)} >= {128, 256, 512, 600}


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_columns_and_names_have_the_same_bounds(learner: Any, tmp_path: Path) -> None:
    played = examples(600)
    names = written(played, tmp_path / "s.vw")
    columns = written(played, tmp_path / "s.svm", columns=True)
    of_names = run(learner.clone(), names, live=True)
    of_columns = run(learner.clone(), columns, live=True)
    # The search goes through features in the order in which they are met.
    assert bounds(of_names) == bounds(of_columns) != []


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("until", [100, 333])
def test_a_run_that_resumes_has_the_same_bounds(
    learner: Any, until: int, tmp_path: Path
) -> None:
    played = examples(600)
    whole = run(learner.clone(), written(played, tmp_path / "s.vw"), live=True)
    options: dict[str, Any] = {"checkpoint_every": 50, "live": True}
    begun, path = written(played[:until], tmp_path / "b.vw"), tmp_path / "m.lst"
    models.run(learner.clone(), begun, path, **options)
    again = models.run(
        learner.clone(),
        written(played, tmp_path / "s.vw"),
        path,
        resume=True,
        **options,
    )
    assert bounds(again) == bounds(whole) != []
    assert again.bound == whole.bound


@pytest.mark.parametrize("until", [100, 200, 450])
def test_many_words_are_charged_up_to_a_number_of_values(
    until: int, tmp_path: Path, made: list[EarlyWitness], monkeypatch: Any
) -> None:
    played, learner = examples(600), Perceptron(bias=1)
    values = sum(len(x) for x, _ in played[:128])
    monkeypatch.setattr(EarlyWitness, "MOST", 300 * values // 128 + 1)
    monkeypatch.setattr(EarlyWitness, "FEW", 0.0)
    path = tmp_path / "m.lst"
    options: dict[str, Any] = {"checkpoint_every": 50, "live": True}
    whole = written(played, tmp_path / "s.vw")
    record = run(learner.clone(), whole, live=True)
    models.run(
        learner.clone(), written(played[:until], tmp_path / "b.vw"), path, **options
    )
    again = models.run(learner.clone(), whole, path, resume=True, **options)
    assert bounds(record)[-1][0] == 256
    assert bounds(again) == bounds(record)
    assert record.bound is None
    assert {each._rounds for each in (made[0], made[-1])} == {300}  # noqa: SLF001 - what is tested


@pytest.mark.parametrize("learner", [Perceptron(), PassiveAggressive(C=0.5)], ids=str)
def test_what_promises_nothing_and_will_not_is_not_charged_to_the_end(
    learner: Any,
    tmp_path: Path,
    made: list[EarlyWitness],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(5)
    noise = [(x, bool(draw.random() < 0.5)) for x, _ in examples(1000)]
    stream = written([*examples(128), *noise], tmp_path / "noise.svm", columns=True)
    whole = run(learner.clone(), stream, live=True)  # it is too short to give up
    assert whole.bound is not None
    assert whole.bound > len(noise)
    monkeypatch.setattr(EarlyWitness, "FAIR", 256)
    record = run(learner.clone(), stream, live=True)
    assert record.bound is None
    assert made[-1].save()["over"]
    assert bounds(record) == [each for each in bounds(whole) if each[0] <= 256]
    # What still gains on the rounds is not given up.
    fair = written(examples(1200), tmp_path / "fair.svm", columns=True)
    assert run(learner.clone(), fair, live=True).bound is not None


@pytest.mark.parametrize(
    ("bounds", "over"),
    [
        ((70.0, 140.0), True),
        ((64.0, 128.0), True),
        ((63.0, 127.0), False),  # it is not vacuous
        ((90.0, 130.0), False),  # it will not be for ever
        ((None, 140.0), False),
        ((70.0, None), False),
    ],
)
def test_what_is_given_up_is_vacuous_and_gains_nothing(
    bounds: tuple[float | None, float | None],
    over: bool,
    tmp_path: Path,
    made: list[EarlyWitness],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: dict[int, Any] = {
        at: each and (each, {}) for at, each in zip((64, 128), bounds, strict=True)
    }
    monkeypatch.setattr(EarlyWitness, "FAIR", 128)
    monkeypatch.setattr(EarlyWitness, "found", lambda _, at: told.get(at))
    run(Perceptron(), written(examples(130), tmp_path / "s"), live=True)
    assert made[-1].save()["over"] == over


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("many", [True, False])
def test_columns_and_few_words_are_charged_to_the_end(
    columns: bool, many: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EarlyWitness, "MOST", 1)
    monkeypatch.setattr(EarlyWitness, "FEW", 0.0 if many else 100.0)
    stream = written(examples(600), tmp_path / "s", columns=columns)
    record = run(Perceptron(bias=1), stream, live=True)
    assert (record.bound is None) == (many and not columns)
    assert bounds(record)[-1][0] == (128 if many and not columns else 600)


def test_rows_that_are_refused_are_not_charged(
    tmp_path: Path, made: list[EarlyWitness]
) -> None:
    played = examples(400)
    bad: Examples = [({"f0": 7.0}, False), *played[:300], ({"f1": 9.0}, True)]
    learner = BalancedWinnow(0.2)  # refuses values above 1
    record = run(
        learner.clone(),
        written([*bad, *played[300:]], tmp_path / "s.vw"),
        live=True,
        on_error="skip",
    )
    plain = run(learner.clone(), written(played, tmp_path / "t.vw"), live=True)
    assert record.refused
    assert bounds(record) == bounds(plain) != []
    assert total(made[0])[1] == total(made[1])[1]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_learner_that_charges_learns_and_predicts_as_without(learner: Any) -> None:
    draw = np.random.default_rng(7)
    X = np.where(draw.random((5000, 8)) < 0.5, draw.random((5000, 8)), 0.0)
    y = (X[:, 0] > 0.4) ^ (draw.random(5000) < 0.1)
    weights = draw.random(8).tolist()
    names = [*"abcdefgh"]
    columns: list[str | int] = list(range(8))
    for rows, features in (
        (_core.dense(X), columns),
        (_core.named(X, names), list[str | int](names)),
    ):
        alone, witness = (
            _core.Losses(features, weights, [(0.5, 0.25)]) for _ in range(2)
        )
        plain, charging = learner.clone(), learner.clone()
        said, expected = np.empty(5000, np.bool_), np.empty(5000, np.bool_)
        plain.play_rows(rows, y, expected, 0, 5000)
        for first, last in ((0, 3), (3, 3000), (3000, 5000)):
            charging.play_rows(rows, y, said, first, last, witness=witness)
        alone.add(rows, y, 0, 5000)
        assert said.tolist() == expected.tolist()
        assert charging.weights_ == plain.weights_
        assert witness.sums() == alone.sums()
        assert witness.largest() == alone.largest() > 0


def test_rows_before_one_that_is_refused_are_charged() -> None:
    rows = _core.dense(np.array([[1.0], [1.0], [9.0], [1.0]]))
    losses = _core.Losses([0], [0.0], [(1.0, 1.0)])
    with pytest.raises(FeatureError, match="row 2"):
        BalancedWinnow(0.1).play_rows(
            rows, np.ones(4, np.bool_), np.empty(4, np.bool_), 0, 4, witness=losses
        )
    assert losses.sums() == pytest.approx([2.0])


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_learner_that_is_asked_row_by_row_has_the_same_bounds(
    learner: Any, tmp_path: Path
) -> None:
    stream = written(examples(600), tmp_path / "s.vw")
    asked = run(learner.clone(), stream, live=True, metrics=["auc"])
    assert bounds(asked) == bounds(run(learner.clone(), stream, live=True)) != []


def test_winnows_weights_are_scaled_with_their_levels(
    tmp_path: Path, made: list[EarlyWitness]
) -> None:
    played, learner = examples(256), Winnow(threshold=8, promotion=1.5)
    run(learner.clone(), written(played, tmp_path / "s.vw"), live=True)
    early, lost = total(made[0])
    parameters = learner.get_params(deep=False)
    for at, (yes, no) in enumerate(early.levels):
        numbers = EARLY["Winnow"].numbers(early, parameters, lost[256], at)
        scaled = early._replace(weights=early.weights / yes, levels=((1.0, no / yes),))
        assert float(numbers["slack"]) == pytest.approx(
            float(exactly(learner, scaled, played)[0])
        )
        assert float(numbers["weight"]) == pytest.approx(scaled.weights.sum())
        assert float(numbers["gap"]) == pytest.approx(1 + no / yes)


def test_several_passes_charge_every_round(
    tmp_path: Path, made: list[EarlyWitness]
) -> None:
    played = examples(200)
    run(Perceptron(), written(played, tmp_path / "s.vw"), live=True, passes=2)
    early, lost = total(made[0])
    twice = exactly(Perceptron(), early, played * 2)
    assert float(twice[1]) == pytest.approx(lost[400].sums[1])


def test_there_is_none_in_memory_nor_for_what_has_no_search(
    tmp_path: Path, made: list[EarlyWitness]
) -> None:
    played = examples(300)
    X = np.array([[x.get(f"f{at}", 0.0) for at in range(8)] for x, _ in played])
    y = np.array([label for _, label in played])
    for stream in (streams.arrays(X, y), played):
        assert run(Perceptron(), stream, live=True).bound is None
    stream = written(played, tmp_path / "s.vw")
    assert run(AROW(), stream, live=True).bound is None
    assert not EarlyWitness.knows(Winnow(threshold=8, eliminate=True))
    assert run(Perceptron(), stream).bound is None
    assert len(made) <= 1


def test_a_stream_without_a_witness_is_given_up(
    tmp_path: Path, made: list[EarlyWitness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EarlyWitness, "LATEST", 256)
    path = tmp_path / "empty.svm"
    path.write_text("1\n-1\n" * 200)  # no features at all
    record = run(Perceptron(), streams.svmlight(path), live=True)
    assert record.rounds == 400
    assert made[0]._over  # noqa: SLF001 - what is tested
    played = examples(300)
    monkeypatch.setattr(EarlyWitness, "LARGEST", 10)
    run(Perceptron(), written(played, tmp_path / "s.vw"), live=True)
    assert made[1]._over  # noqa: SLF001 - what is tested


@pytest.mark.parametrize("name", ["weights", "levels", "lost", "facts", "features"])
def test_a_damaged_witness_is_refused(
    name: str, tmp_path: Path, made: list[EarlyWitness]
) -> None:
    run(PassiveAggressive(), written(examples(300), tmp_path / "s.vw"), live=True)
    saved = made[0].save()
    again = EarlyWitness(PassiveAggressive())
    again.restore(saved)
    assert again.save().keys() == saved.keys()
    damaged = {
        "weights": saved["weights"][:-1],
        "levels": saved["levels"][:, :1],
        "lost": [[True, *part[1:]] for part in saved["lost"]],
        "facts": {"potential": "1"},
        "features": {k: v[:-1] for k, v in saved["features"].items()},
    }[name]
    with pytest.raises(ParameterError, match="saved state is invalid"):
        EarlyWitness(PassiveAggressive()).restore(saved | {name: damaged})


@pytest.mark.parametrize("damage", ["labels", "columns", "ends"])
def test_damaged_first_rounds_are_refused(
    damage: str, tmp_path: Path, made: list[EarlyWitness]
) -> None:
    run(Perceptron(), written(examples(100), tmp_path / "s.vw"), live=True)
    saved = made[0].save()
    EarlyWitness(Perceptron()).restore(saved)
    worse = saved[damage] + 1 if damage == "columns" else saved[damage][:-1]
    with pytest.raises(ParameterError, match="first rounds"):
        EarlyWitness(Perceptron()).restore(saved | {damage: worse})


def test_margins_too_small_for_the_rate_give_no_bound() -> None:
    search, parameters = EARLY["BalancedWinnow"], {"rate": 0.5, "scale": 1, "bias": 0}
    lost = Lost(100, [2.0, 3.0], 1.0, 1.0, 8)
    small, large = (0.01, 0.01), (0.5, 0.5)  # the premise: rate < 2 margin / scale^2
    early = Early(("a",), np.ones(1), 0.0, (small, large), {})
    found = search.smallest(early, parameters, lost)
    assert found is not None
    assert found[1]["margin"] == large[0]
    lost = lost._replace(sums=[2.0])
    assert search.smallest(early._replace(levels=(small,)), parameters, lost) is None


def test_losses_beyond_all_numbers_give_no_bound() -> None:
    losses = _core.Losses([0, 1], [1e200, -1e200], [(1.0, 1.0)])
    rows = _core.dense(np.array([[1e200, 1e200], [0.0, 0.0]]))
    losses.add(rows, np.array([True, False]), 0, 2)
    assert losses.sums() == [math.inf]


def test_far_columns_and_features_met_later_are_known() -> None:
    far, late = 2**31, 2**30
    losses = _core.Losses([3, far], [2.0, 5.0], [(0.0, 0.0)], counts=True, sizes=True)
    columns = np.array([3, far, late, 7, 3], dtype=np.int64)
    offsets = np.array([0, 2, 4, 5], dtype=np.int64)
    values = np.array([1.0, 1.0, 0.5, 0.0, 0.25])
    rows = _core.csr(offsets, columns, values, far + 1)
    losses.add(rows, np.zeros(3, np.bool_), 0, 3)
    assert losses.sums()[0] == pytest.approx(2 + 5 + 2 * 0.25)
    assert (losses.met(), losses.smallest()) == (3, 0.25)  # a 0 is not there
    assert losses.features() == [3, far, late]
    with pytest.raises(ValueError, match="one weight for each feature"):
        _core.Losses([1], [], [(1.0, 1.0)])
