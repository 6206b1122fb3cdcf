"""Reports: what they tell, in which words, and that every run has one."""

from __future__ import annotations

import json
import math
import re
import sys
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advice_worlds import ADVISED, AdviceEntry, fixed_advice
from boolean_worlds import BOOLEAN_ENTRIES, BooleanEntry, boolean_world
from littlestone import Auto, Record, certify, experts, report, run, streams
from littlestone.boolean import DecisionListLearner
from littlestone.comparators import best_convex
from littlestone.errors import (
    MissingPackageError,
    NobodyLeftWarning,
    ParameterError,
    UnrealizableWarning,
)
from littlestone.linear import (
    AdaGrad,
    KernelPerceptron,
    MulticlassPerceptron,
    Perceptron,
)
from littlestone.reporting import Report
from littlestone.reporting._charts import Chart
from littlestone.reporting._page import page_of
from littlestone.reporting._story import Story, story_of
from littlestone.reporting._text import area, bars, text_of
from tries import some, tried
from worlds import ENTRIES, Entry, fixed_world

MAIL = [({"cheap": 1, "pills": 1}, True), ({"lunch": 1, "today": 1}, False)] * 10


def advised(rounds: int = 400, n: int = 15) -> tuple[Any, Any]:
    """Return what experts say, and what happens; expert 2 is near to it."""
    rng = np.random.default_rng(5)
    F = rng.random((rounds, n))
    return F, np.clip(F[:, 2] + rng.normal(0, 0.02, rounds), 0, 1)


def chart(story: Story, title: str) -> Chart:
    return next(each for each in story.charts if each.title == title)


# The weights of experts -------------------------------------------------------


@given(st.integers(1, 700), st.integers(1, 9), st.integers(1, 12))
@tried(0.5)
def test_the_weight_curve_is_what_the_experts_weighed(
    rounds: int, n: int, told: int
) -> None:
    F, y = advised(rounds, n) if n > 2 else (np.eye(n)[[0] * rounds], np.ones(rounds))
    record = run(experts.ExponentialWeights(0.5), streams.advice(F, y))
    curve = record.weight_curve(told)
    assert curve is not None
    assert curve.rounds == tuple(point.rounds for point in record.curve)
    slow = experts.ExponentialWeights(0.5)
    weighed = {}
    for at, (row, outcome) in enumerate(zip(F.tolist(), y.tolist(), strict=True)):
        slow.learn_one(row, outcome)
        weighed[at + 1] = np.asarray(slow.weights_)
    whole = np.array([weighed[at] for at in curve.rounds])
    order = np.argsort(-whole.sum(axis=0), kind="stable")[:told]
    assert list(curve.weights) == order.tolist()
    for who, weights in curve.weights.items():
        assert weights == tuple(whole[:, who].tolist())
    if told >= n:
        assert curve.others is None
    else:
        rest = 1 - whole[:, order].sum(axis=1)
        assert curve.others == pytest.approx(rest, abs=1e-12)


def test_a_large_crowd_is_kept_by_its_heaviest() -> None:
    rng = np.random.default_rng(1)
    n, rounds = 2_000, 300
    F = rng.random((rounds, n))
    y = F[:, 1234]
    record = run(experts.ExponentialWeights(0.5), streams.advice(F, y))
    kept = [look.shares for look in record.trail.looks.values()]
    assert all(shares and len(shares.weights) == 780 for shares in kept)
    curve = record.weight_curve(3)
    assert curve is not None
    assert next(iter(curve.weights)) == 1234
    assert record.weights is not None
    assert curve.weights[1234][-1] == record.weights[1234]
    assert curve.others is not None
    for at, rest in enumerate(curve.others):
        named = sum(weights[at] for weights in curve.weights.values())
        assert named + rest == pytest.approx(1)
    slow = experts.ExponentialWeights(0.5)
    for at, (row, outcome) in enumerate(zip(F, y, strict=True)):
        slow.learn_one(row, outcome)
        if at + 1 in curve.rounds:
            place = curve.rounds.index(at + 1)
            for who, weights in curve.weights.items():
                missing = slow.weights_[who] - weights[place]
                assert 0 <= missing <= 1 / 391


def test_who_has_no_experts_has_no_weight_curve() -> None:
    assert run(Perceptron(), MAIL).weight_curve() is None
    assert run(experts.Halving(keep_losses=False), [([1, 0], 1)]).weight_curve() is None
    assert run(experts.Halving(), []).weight_curve() is None
    with pytest.raises(ParameterError, match="experts must be a whole number above 0"):
        run(experts.Halving(), []).weight_curve(0)


def test_one_who_joins_weighs_nothing_before() -> None:
    learner = experts.WeightedMajority(experts=["a", "b"])

    def join(_: object) -> None:
        if len(learner.experts_) == 2:
            learner.join("c")

    # Turns end after 1,024 rounds at the latest, earlier where time has passed.
    votes = [({"a": True, "b": False}, True)] * 1024
    record = run(learner, [*votes, ({"a": 1, "b": 1, "c": 1}, True)], observe=join)
    curve = record.weight_curve()
    assert curve is not None
    newcomer = curve.weights["c"]
    joined = next(at for at, weight in enumerate(newcomer) if weight)
    assert joined > 0
    assert all(newcomer[joined:])
    for weights in zip(*curve.weights.values(), strict=True):
        assert sum(weights) == pytest.approx(1)


# What is told -----------------------------------------------------------------


def test_a_run_in_words() -> None:
    learner = Perceptron()
    record = run(learner, MAIL, keep="updates")
    story = story_of(record, certificate=certify(record), learner=learner)
    assert story.headline == (
        "Perceptron played 20 rounds and made 1 mistake (5.00%). "
        "PERC-SEP promises at most 1 update on this stream, as certified."
    )
    assert story.holds
    assert story.certificate == ("The certificate holds", str(certify(record)))
    assert dict(story.facts)["Stream"] == record.digest
    assert chart(story, "The largest weights").bars == (("lunch", -1.0), ("today", -1))
    lines = chart(story, "Mistakes against the bound").lines
    assert [line.name for line in lines] == [
        "mistakes",
        "certified bound on updates (PERC-SEP)",
    ]
    assert lines[0].values == (0.0,) + (1.0,) * 19


def test_numbers_in_words() -> None:
    F, y = advised(100, 15)
    record = run(experts.AdaHedge(range=(0, 1)), streams.advice(F, y))
    story = story_of(record, comparators=(best_convex(F, y),))
    assert re.fullmatch(
        r"AdaHedge lost [\d.]+ in 100 rounds \([\d.]+ a round\)\. That is [\d.]+ more "
        r"than expert 2, the best expert\. ADAHEDGE-?\w* promises a regret of at most "
        r"[\d.]+, without hindsight\.",
        story.headline,
    )
    assert [each.title for each in story.charts] == [
        "Loss",
        "Mean loss",
        "Regret to the best expert",
        "Regret to each expert and comparator",
        "Weights of the experts",
    ]
    regrets = chart(story, "Regret to each expert and comparator")
    assert [name for name, _ in regrets.bars][:2] == [
        "best convex combination",
        "expert 2",
    ]
    assert len(regrets.bars) == 13
    assert "The 3 that are not shown did worse" in regrets.says
    stack = chart(story, "Weights of the experts")
    assert stack.lines[-1].name == "all others"
    for at in range(len(stack.rounds)):
        assert sum(line.values[at] or 0 for line in stack.lines) == pytest.approx(1)
    loss, best = chart(story, "Loss").lines
    assert record.expert_losses is not None
    assert loss.values[-1] == pytest.approx(record.loss)
    assert best.values[-1] == pytest.approx(record.expert_losses[2])


def test_the_latest_rounds_are_counted_alone() -> None:
    rng = np.random.default_rng(2)
    wrong = rng.random(1_600) < np.linspace(0.6, 0.0, 1_600)
    # Who has learned nothing says yes to it, whatever it is told.
    learner = experts.FollowTheMajority()
    record = run(learner, [(None, bool(label)) for label in wrong])
    rates = chart(story_of(record), "Mistake rate")
    far, recent = rates.lines
    assert recent.name == "in the latest 80 rounds"
    assert record.mistake_rounds is not None
    missed = np.zeros(1_601)
    missed[record.mistake_rounds + 1] = 1
    counts = np.cumsum(missed)
    for at, share, lately in zip(rates.rounds, far.values, recent.values, strict=True):
        assert share == counts[at] / at
        assert (lately is None) == (at < 80)
        if lately is not None:
            # A window is as long as the curve's points allow, and no shorter.
            spans = [s for s in (0, *rates.rounds) if s <= at - 80]
            assert lately == pytest.approx(
                (counts[at] - counts[spans[-1]]) / (at - spans[-1])
            )


def test_a_bound_far_away_squashes_nothing() -> None:
    known = {"margin": 0.1, "radius": 2}
    story = story_of(run(Perceptron(), MAIL, declare=known))
    drawn = chart(story, "Mistakes against the bound")
    assert drawn.ceiling == pytest.approx(1.1)
    assert "Far above the plot, the bound (PERC-SEP) is 400" in drawn.says
    assert "bound (PERC-SEP), above the plot</li>" in page_of(story)
    near = story_of(run(Perceptron(), MAIL, declare={"margin": 1, "radius": 2}))
    assert chart(near, "Mistakes against the bound").ceiling is None


def test_what_is_broken_is_said_loudly() -> None:
    record = run(Perceptron(), MAIL, keep="updates")
    broken = replace(certify(record), bound_exact="1/2")
    story = story_of(record, certificate=broken)
    assert story.holds is False
    assert "THE CERTIFICATE DOES NOT HOLD: PERC-SEP is exceeded" in story.headline
    page = page_of(story)
    assert '<p class="headline loud">' in page
    assert '<section class="words broken">' in page
    assert "THE CERTIFICATE DOES NOT HOLD" in text_of(story)
    beyond = run(Perceptron(), MAIL, declare={"margin": 9, "radius": 2})
    assert beyond.exceeded
    assert story_of(beyond).holds is False
    assert "THE BOUND IS EXCEEDED: PERC-SEP" in story_of(beyond).headline


def test_the_same_promise_is_told_once() -> None:
    votes = [([True, False, True], True), ([True, True, False], True)]
    record = run(experts.Halving(), votes, digest=True)
    story = story_of(record, certificate=certify(record))
    assert story.headline.count("HALV promises at most 1 mistake") == 1
    assert [name for name, _, _ in story.figures] == [
        "Rounds",
        "Mistakes",
        "Regret",
        "Certified",
    ]
    names = [line.name for line in chart(story, "Mistakes against the bound").lines]
    assert names == ["mistakes", "bound (HALV)", "best expert so far"]


def test_the_best_member_of_auto_is_drawn() -> None:
    record = run(Auto(), streams.arrays([[1.0, 0.5], [0.5, 1.0]] * 40, [1, 0] * 40))
    rival = next(
        line for line in story_of(record).charts[0].lines if line.role == "rival"
    )
    assert rival.values[-1] == record.mistakes - (record.regret or 0)


def test_a_rule_is_told_in_words() -> None:
    stream = [({"odor=foul": 1}, True), ({"odor=none": 1}, False)] * 3
    learner = DecisionListLearner()
    story = story_of(run(learner, stream), learner=learner)
    assert story.rule == (str(learner.concept_),)
    assert f"  {learner.concept_}\n" in text_of(story)


def test_classes_stand_before_their_features() -> None:
    learner = MulticlassPerceptron()
    record = run(learner, [({"a": 1}, "red"), ({"a": 1}, "blue"), ({7: 1}, "red")])
    largest = chart(story_of(record, learner=learner), "The largest weights")
    assert ("blue: a", 1.0) in largest.bars
    assert "speaks for the class" in largest.says


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"learner": KernelPerceptron()}, "learner must be the Perceptron that played"),
        (
            {"certificate": certify(run(Perceptron(), MAIL[:4], keep="updates"))},
            "that of the run, whose rounds is 20, got one whose rounds is 4",
        ),
        (
            {"comparators": [best_convex([[1.0, 0.0]], [1.0])]},
            "a comparator must be of the same 20 rounds, got one of 1",
        ),
    ],
)
def test_what_is_of_another_run_is_refused(told: dict[str, Any], message: str) -> None:
    record = run(Perceptron(), MAIL)
    with pytest.raises(ParameterError, match=message):
        report(record, **told)


def test_a_certificate_of_another_stream_is_refused() -> None:
    other = [({"x": 1, "pills": 1}, True), ({"y": 1, "today": 1}, False)] * 10
    certificate = certify(run(Perceptron(), other, keep="updates"))
    with pytest.raises(ParameterError, match="whose digest is"):
        report(run(Perceptron(), MAIL, digest=True), certificate=certificate)


# Every run has one ------------------------------------------------------------


class _Balanced(HTMLParser):
    """Reads a page, and notes what is opened and never closed."""

    EMPTY = frozenset({"meta", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        del tag, attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["script"]:
            self.text += data


def check(record: Record, learner: Any) -> None:
    """Hold what a report tells against the record, in every medium."""
    made = report(record, learner=learner)
    story = made.story
    read = _Balanced()
    # All but Plotly itself, which takes a while to read.
    start = made.html.index("<script>/**")
    end = made.html.index('<script type="application/json"')
    page = made.html[:start] + made.html[end:]
    read.feed(page)
    assert not read.open
    for name, value, more in story.figures:
        for part in (name, value, more):
            assert part in read.text
    told = re.search(r'id="charts">(.*?)</script>', page)
    assert told is not None
    assert len(json.loads(told[1])) == len(story.charts)
    assert story.title in made.text
    for each in story.charts:
        assert each.title in made.text
        for line in each.lines:
            assert len(line.values) == len(each.rounds)
    if record.curve:
        first = story.charts[0].lines[0].values[-1]
        whole = record.loss if record.outcome.charged else record.mistakes
        assert first == pytest.approx(whole)


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_every_linear_learner_has_a_report(entry: Entry) -> None:
    world = fixed_world(entry, rows=60)
    learner = entry.made.clone()
    check(run(learner, zip(world.X, world.y, strict=True)), learner)


@pytest.mark.parametrize("entry", BOOLEAN_ENTRIES, ids=str)
def test_every_learner_of_rules_has_a_report(entry: BooleanEntry) -> None:
    world = boolean_world(rows=60)
    learner = entry.made.clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrealizableWarning)
        check(run(learner, zip(world.X, world.y, strict=True)), learner)


@pytest.mark.parametrize("entry", ADVISED, ids=str)
def test_every_learner_with_advice_has_a_report(entry: AdviceEntry) -> None:
    world = fixed_advice(entry, rounds=60)
    learner = entry.made.clone()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NobodyLeftWarning)
        check(run(learner, streams.advice(world.F, world.y)), learner)


def test_a_stranger_and_an_empty_run_have_one() -> None:
    class Stranger:
        def predict_one(self, _: object) -> bool:
            return True

        def learn_one(self, *_: object) -> None: ...

    stranger = Stranger()
    check(run(stranger, MAIL), stranger)
    check(run(Perceptron(), []), Perceptron())
    check(run(experts.MLPoly(), []), experts.MLPoly())


# In each medium ---------------------------------------------------------------


def test_a_notebook_shows_a_report_in_a_frame() -> None:
    made = report(run(Perceptron(), MAIL), title="Mail")
    assert isinstance(made, Report)
    assert repr(made) == "Report('Mail': 2 plots)"
    frame = made._repr_html_()
    assert frame.startswith('<iframe title="Mail" srcdoc="&lt;!DOCTYPE html&gt;')
    assert frame.endswith("</iframe>")
    assert '"' not in frame.split('srcdoc="')[1].split('" style=')[0]


@pytest.mark.parametrize("ending", some([".svg", ".png"]))
def test_drawings(tmp_path: Path, ending: str) -> None:
    F, y = advised(50)
    names = ["$x^2$", "_hidden", "a\nb", *map(str, range(12))]
    stream = [
        (dict(zip(names, row, strict=True)), o) for row, o in zip(F, y, strict=True)
    ]
    record = run(experts.ExponentialWeights(0.5), stream)
    path = tmp_path / f"run{ending}"
    report(record, title="A $title").save(path)
    starts = {".png": b"\x89PNG", ".svg": b"<?xml"}
    assert path.read_bytes().startswith(starts[ending])
    if ending == ".png":
        from matplotlib.image import imread  # noqa: PLC0415 - slow to load

        pixels = imread(path)[..., :3]
        assert pixels.shape[1] == 1080
        bytes_ = (pixels * 255).round().astype(np.int64)
        colors = set(np.unique(bytes_ @ [1 << 16, 1 << 8, 1]).tolist())
        assert {0x1F5FA8, 0xCCD2D9, 0xC4622D} <= colors  # a layer, the rest, a bar


@pytest.mark.parametrize(
    ("package", "name"), [("plotly", "run.html"), ("matplotlib", "run.png")]
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str, name: str
) -> None:
    for module in (package, "plotly.offline"):
        monkeypatch.setitem(sys.modules, module, None)
    made = report(run(Perceptron(), MAIL))
    with pytest.raises(MissingPackageError, match=r"pip install 'littlestone\["):
        made.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    if package == "plotly":
        with pytest.raises(MissingPackageError, match="a page needs Plotly"):
            made.html  # noqa: B018 - to ask is the test


FLOATS = st.one_of(
    st.floats(-1e9, 1e9), st.integers(0, 9).map(float), st.just(math.inf)
)


@given(
    st.lists(FLOATS, min_size=1, max_size=60),
    st.lists(st.none() | FLOATS, max_size=60),
    st.none() | st.floats(0.1, 1e9),
)
def test_every_plot_fits_a_terminal(
    values: list[float], bound: list[float | None], ceiling: float | None
) -> None:
    *plot, axis, below = area(values, 1_000, bound=bound, ceiling=ceiling)
    assert 1 <= len(plot) <= 8
    margin = axis.index("+")
    assert axis[margin:] == "+" + "-" * len(values)
    for line in plot:
        assert line[margin] == "|"
        assert len(line) <= margin + 1 + len(values)
    assert below.strip() == "1,000 rounds"


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_columns_are_as_high_as_their_values(values: list[int]) -> None:
    *plot, axis, _ = area([float(value) for value in values], 7)
    left = axis.index("+") + 1
    top = max(values)
    for at, value in enumerate(values):
        column = [line[left:].ljust(len(values))[at] for line in reversed(plot)]
        eighths = sum(" ▁▂▃▄▅▆▇█".index(cell) for cell in column)
        expected = 8 * len(plot) * value / max(1, top)
        assert abs(eighths - expected) <= 0.5 or (eighths == 1 and value > 0)


@given(st.lists(st.tuples(st.text("abc ", max_size=40), FLOATS), max_size=5))
def test_bars_fit_a_terminal(told: list[tuple[str, float]]) -> None:
    lines = bars(told)
    assert len(lines) == len(told)
    assert all(len(line) <= 79 for line in lines)


def test_the_calibration_curve_is_a_table() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    record = run(AdaGrad(), (X, rng.random(400) < 1 / (1 + np.exp(-X[:, 0]))))
    assert record.chances is not None
    tables = {table.title: table for table in report(record).story.tables}
    table = tables["Calibration: what was said, and what came"]
    assert len(table.rows) == len(record.chances.bins)
    assert table.rows[0][0] == "0% to 10%"
    assert table.rows[-1][1] == f"{record.chances.bins[-1].rounds:,}"
