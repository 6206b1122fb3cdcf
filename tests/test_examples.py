"""The examples run, and what they claim holds."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data import data_file
from littlestone import certify
from scripts import script

example = script("examples/winnow_against_perceptron.py")
trump = script("examples/trump_approval.py")
m3 = script("examples/m3_forecasts.py")
mushrooms = script("examples/mushrooms.py")
votes = script("examples/votes.py")
splice = script("examples/splice.py")
opera = script("examples/from_opera.py")
side_by_side = script("examples/side_by_side.py")
many_files = script("examples/many_files.py")

sparse_target = cache(example.sparse_target)
dense_target = cache(example.dense_target)


# The page on Winnow and the Perceptron prints the same table.
@pytest.mark.soak
def test_winnow_wins_on_a_sparse_target_and_its_bound_says_so() -> None:
    results = example.compare(sparse_target())
    mistakes = {name: mistakes for name, (mistakes, _) in results.items()}
    perceptron = min(mistakes["Perceptron()"], mistakes["Perceptron(bias=1)"])
    assert 3 * mistakes["Winnow"] < perceptron
    assert mistakes["Winnow"] < mistakes["BalancedWinnow"] < perceptron
    winner_has_the_smallest_bound_and_all_bounds_hold(results, "Winnow")


@pytest.mark.soak
def test_the_perceptron_wins_on_a_dense_target_and_its_bound_says_so() -> None:
    results = example.compare(dense_target())
    winner_has_the_smallest_bound_and_all_bounds_hold(results, "Perceptron(bias=0)")


@pytest.mark.soak
def test_both_targets_say_yes_and_no_often() -> None:
    for world in (sparse_target(), dense_target()):
        yes = 0
        for row in world.rows[::20]:
            score = sum(world.target.get(j, 0) * x for j, x in row.items())
            yes += score > world.threshold
        assert 0.4 < 20 * yes / len(world.rows) < 0.6


def winner_has_the_smallest_bound_and_all_bounds_hold(
    results: dict[str, tuple[int, float]], winner: str
) -> None:
    assert min(results, key=lambda name: results[name][0]) == winner
    assert min(results, key=lambda name: results[name][1]) == winner
    assert all(mistakes <= bound for mistakes, bound in results.values())


def test_45_files_are_learned_and_certified(
    capsys: pytest.CaptureFixture[str],
) -> None:
    many_files.main(mails=4, workers=0)
    told = capsys.readouterr().out
    assert "45 shards: at most 45 times the bound of one machine" in told
    assert "Accepted: " in told


# Experts ------------------------------------------------------------------------

APPROVAL = "trump-approval/trump_approval.csv.gz"
M3 = "m3-forecasts/m3_forecasts.csv.gz"


def test_learners_that_follow_pollsters_keep_their_bounds(tmp_path: Path) -> None:
    results, weights = trump.compare(*trump.read(data_file(APPROVAL)))
    distances = {"you_gov": 1.1106, "ipsos": 1.3757, "gallup": 1.3994}
    distances |= {"rasmussen": 1.4726, "morning_consult": 2.3914}
    for name, distance in {**distances, "the plain mean": 0.6619}.items():
        assert results[name].off == pytest.approx(distance, abs=5e-5)
    bounded = {name for name, result in results.items() if result.bound is not None}
    assert bounded == set(weights)
    assert all(results[name].regret <= results[name].bound for name in bounded)
    assert min(results, key=lambda name: results[name].off) == "MLPoly, gradient"
    picture = tmp_path / "weights.svg"
    trump.draw(picture, weights)
    assert "<svg" in picture.read_text()


@pytest.mark.soak
def test_learners_that_follow_forecasts_keep_their_bounds(tmp_path: Path) -> None:
    contest = m3.read(data_file(M3))
    asleep = np.isnan(contest.values).sum(axis=0)
    slept = {name: n for name, n in zip(contest.methods, asleep, strict=True) if n}
    assert slept == {"AAM1": 5262, "AAM2": 5262}
    percents = {"THETA": 13.05, "ForecastPro": 13.23, "AutoBox2": 14.46, "AAM1": 14.62}
    off = np.nanmean(contest.percent(contest.advice.T).T, axis=0)
    for name, percent in percents.items():
        assert off[contest.methods.index(name)] == pytest.approx(percent, abs=5e-3)
    contest = m3.Forecasts(  # the learners play every 25th round
        contest.methods,
        *(part[::25] for part in (contest.values, contest.actual)),
        *(part[::25] for part in (contest.origin, contest.unit)),
    )
    results, weights = m3.compare(contest)
    for name, shares in weights.items():
        assert results[name].regret <= results[name].bound
        assert not shares[np.isnan(contest.values)].any()
        assert shares.sum(axis=1) == pytest.approx(1)
    picture = tmp_path / "weights.png"
    m3.draw(picture, contest.methods, weights)
    assert picture.read_bytes().startswith(b"\x89PNG")


# Rules --------------------------------------------------------------------------

MUSHROOMS = "agaricus/agaricus-lepiota.csv.gz"
VOTES = "vote/house-votes-84.csv.gz"
SPLICE = "splice/splice.csv.gz"


@pytest.mark.soak
def test_rules_for_mushrooms_fit_and_are_learned_within_their_bounds() -> None:
    shown = mushrooms.read(data_file(MUSHROOMS))
    assert mushrooms.published(shown) == [120, 48, 8, 0]
    shown = shown[::5]
    rules = mushrooms.fit(shown)
    learned = mushrooms.learn(shown, rules["1-decision list"].size)
    assert len(learned) == 4
    assert all(line.mistakes <= line.bound for line in learned.values())


@pytest.mark.soak  # three seconds; those of test_fit.py are quicker
def test_the_rules_for_mushrooms_are_those_of_the_page() -> None:
    shown = mushrooms.read(data_file(MUSHROOMS))
    rules = mushrooms.fit(shown)
    assert {name: rule.size for name, rule in rules.items()} == {
        "1-decision list": 15,
        "2-decision list": 6,
        "2-CNF": 18,
        "2-DNF": 9,
        "3-DNF": 8,
    }
    assert all(rule(x) is y for rule in rules.values() for x, y in shown)
    assert all(type(rule).parse(str(rule)) == rule for rule in rules.values())
    assert str(rules["3-DNF"]) == (
        "(bruises=t and habitat=l) or (gill-size=n and stalk-surface-below-ring=y) or "
        "(not odor=a and not odor=l and not odor=n) or spore-print-color=r"
    )


def test_votes_need_two_literals_a_rule() -> None:
    members = votes.read(data_file(VOTES))
    result = votes.explore(members)
    assert result.left is not None
    assert result.record.unrealizable == result.left.round
    assert len(result.proof) == 10
    assert all(result.rule(x) is y for x, y in members)


@pytest.mark.parametrize(("kind", "missed", "alarms"), [("EI", 8, 206), ("IE", 4, 516)])
def test_what_is_known_of_junctions_holds_of_nearly_all(
    kind: str, missed: int, alarms: int
) -> None:
    places = splice.read(data_file(SPLICE), kind)
    result = splice.explore(places, splice.KNOWN[kind])
    assert (result.missed, result.alarms) == (missed, alarms)
    # Half of what a learner that says no to everything would make, and less.
    assert result.mistakes["2-CNF"] < result.junctions / 2
    assert result.left["2-decision list"] is None
    assert result.left["2-CNF"] is not None


# From elsewhere -----------------------------------------------------------------


def beside(peer: str, name: str) -> Any:
    """Return the script that does a job with a peer too, where that is installed."""
    pytest.importorskip(peer, reason=f"the peer {peer} is not installed")
    return script(f"examples/{name}.py")


def test_scikit_learns_perceptron_is_ours_to_the_last_bit() -> None:
    side = beside("sklearn", "from_scikit_learn")
    X, y = side.digits()
    # The first round is a tie: it must be learned from, whatever its label.
    for labels in (1 - y, y):
        before, after = side.one_pass(X, labels, repeats=1)
        assert before.output == after.output
    # Their intercept learns a hundred times slower from sparse rows; ours does not.
    sparse, ours = side.one_pass(side.csr_matrix(X), y, repeats=1)
    assert ours.output == after.output
    assert sparse.output[-1] != before.output[-1]
    before, after = side.row_by_row(X[:150], y[:150], repeats=1)
    record = after.output
    assert record.mistakes - (0 in record.mistake_rounds) == before.output
    certificate = certify(record)
    assert certificate.holds


def test_rivers_perceptron_is_ours_but_for_ties() -> None:
    side = beside("river", "from_river")
    for name, (theirs, ours) in side.PAIRS.items():
        before, after = side.validate(theirs, ours, side.websites(), repeats=1)
        (mistakes, river), (record, learner) = before.output, after.output
        most = 0 if name == "Perceptron" else 1e-12
        assert side.furthest(river.weights, learner.weights_) <= most
        assert record.rounds == 1250
        assert abs(record.mistakes - mistakes) <= 1  # the first round is a tie


def test_vowpal_wabbit_and_we_do_one_job(tmp_path: Path) -> None:
    side = beside("vowpalwabbit", "from_vowpal_wabbit")
    jobs = side.both(tmp_path, lines=600, repeats=1)
    for before, after in jobs.values():
        assert before.output.tags == after.output.tags
        assert after.output.tags == [f"visit{number}" for number in range(600)]
        # To say no always is wrong in more than 200 of them.
        assert max(before.output.wrong, after.output.wrong) < 200


def test_opera_prints_what_we_say() -> None:
    frame = opera.read(data_file("opera-electric-load/opera_experts.csv.gz"))
    for model, mixture in opera.mixtures(frame).items():
        distance, weights = opera.OPERA[model]
        said = opera.root(mixture.prediction, frame["y"])
        assert said == pytest.approx(distance, abs=5e-7)
        assert mixture.coefficients == pytest.approx(weights, abs=5e-9)
        assert opera.guarantees(mixture)


def test_what_is_done_side_by_side_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    before, after = side_by_side.race(
        lambda: said.append("theirs"), lambda: said.append("ours"), repeats=2
    )
    assert said == ["theirs", "ours"] * 2
    side_by_side.tell("a job", "peer", side_by_side.times(before, after))
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.split() == ["a", "job", "peer", "littlestone"]


@pytest.mark.parametrize("module", [trump, m3, mushrooms, votes, splice, opera])
def test_without_the_data_there_is_a_message(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n3\n")
    for path, words in [(tmp_path / "absent.csv", "exist"), (other, "must")]:
        monkeypatch.setattr(sys, "argv", ["example", str(path)])
        with pytest.raises(SystemExit) as stopped:
            module.main()
        assert str(path) in str(stopped.value)
        assert words in str(stopped.value)
