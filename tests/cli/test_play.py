"""`littlestone play` shows a game, what was forced, and what was promised."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from command import call
from littlestone import run
from littlestone.adversaries import (
    AlternatingAdversary,
    HalvingAdversary,
    RandomExperts,
)
from littlestone.catalogue import Reads
from littlestone.cli._game import Game
from littlestone.cli._game_bounds import Opponent, Promise
from littlestone.cli.play import PLAYERS
from littlestone.experts import Cover, Halving, WeightedMajority
from littlestone.theorems import HALV

GAME = """\
learner    Halving(restart=False, experts=None, keep_losses=True)
adversary  HalvingAdversary(bits=3)

round  example                           predicts  truth
    0  01010101                          yes       no     mistake
    1  00110011                          yes       no     mistake
    2  00001111                          yes       no     mistake

mistakes so far
3 |  █
  | ██
  |███
0 +---
   3 rounds

mistakes   3 in 3 rounds
forced     3 from every learner without random draws, by HALV-LB
bound      at most 3 mistakes by HALV
best       expert 0: 0 mistakes
"""
HALVING = ("-l", "halving", "-a", "halving", "--bits", "3")


def played(*words: str) -> subprocess.CompletedProcess[str]:
    return call("play", *words)


def test_a_game_is_shown_round_by_round() -> None:
    assert played(*HALVING).stdout == GAME


def test_a_terminal_is_shown_what_a_pipe_is() -> None:
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "littlestone", "play", *HALVING]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "40"}
    subprocess.run(words, stdout=slave, check=True, env=environment)
    os.close(slave)
    shown = b""
    while not shown.endswith(b"best       expert 0: 0 mistakes\r\n"):
        shown += os.read(master, 4096)
    os.close(master)
    assert shown.decode().replace("\r\n", "\n") == GAME


def facts(*words: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(played(*words, "--json").stdout)
    return told


def test_json_holds_the_whole_game() -> None:
    told = facts("--gamma", "1/2", "--set", "update=margin")
    assert told == {
        "learner": "Perceptron(update='margin', normalize=False, bias=0.0)",
        "adversary": "PerceptronAdversary(gamma=Fraction(1, 2))",
        "theorem": "PERC-LB",
        "rounds": 4,
        "mistakes": 4,
        "updates": 4,
        "forces": 4,
        "best": 0,
        "comparator": "-x0 -x1 -x2 -x3",
        "bound": {
            "theorem": "PERC-SEP",
            "counts": "updates",
            "bound": 4.0,
            "counted": 4.0,
            "holds": True,
        },
        "game": [
            {"example": {str(i): 1.0}, "prediction": True, "label": False}
            for i in range(4)
        ],
    }


def test_a_margin_is_what_was_written() -> None:
    assert facts("--gamma", "0.1")["rounds"] == 100  # as a float it has 99


BOUNDS = [
    # learner, adversary, its theorem, the bound, the mistakes; all worked by hand
    ("perceptron", "perceptron --gamma 0.3", "PERC-SEP", 100 / 9, 11),
    ("kernel-perceptron", "perceptron", "PERC-SEP", 16, 16),
    ("halving", "halving --bits 5", "HALV", 5, 5),
    ("halving --set restart=True", "halving", "HALV-R", 4, 4),
    ("weighted-majority", "halving", "WM", 9.6380, 4),  # 4/lg(4/3)
    ("floor-weighted-majority", "halving", "WM-FLOOR-START", 20.763, 4),  # 4/lg(8/7)
    ("follow-the-majority", "alternating --rounds 9", "FTM", 9, 9),
    ("conjunction", "conjunction --n 5 --negations", "CONJ", 6, 6),
    ("conjunction --set monotone=True", "conjunction --n 5", "CONJ-MONO", 5, 5),
    ("disjunction", "disjunction --n 5 --negations", "DISJ", 6, 6),
    ("k-cnf --set k=1", "conjunction --n 5 --negations", "kCNF", 6, 6),
    ("k-dnf", "disjunction --n 3", "kDNF", 13, 3),  # 1 + 3 + 3 * 3
    ("winnow --set eliminate=True", "disjunction --n 8", "WIN1", 49, 8),  # 2*8*3 + 1
    ("consistent", "singleton --size 9", "CONSISTENT", 8, 8),
    ("version-space", "singleton --size 9", "HALV", 3, 1),
    ("standard-optimal", "singleton --size 9", "SOA", 1, 1),
    ("standard-optimal", "tree --n 15", "SOA", 4, 4),
    ("version-space", "tree --n 15", "HALV", 4, 4),
]


@pytest.mark.parametrize("game", BOUNDS, ids=lambda game: f"{game[0]}, {game[1]}")
def test_the_bound_is_that_of_the_learner_in_this_game(
    game: tuple[str, str, str, float, int],
) -> None:
    learner, adversary, theorem, bound, made = game
    told = facts("-l", *learner.split(), "-a", *adversary.split())
    assert told["mistakes"] == made
    assert told["bound"]["theorem"] == theorem
    assert told["bound"]["bound"] == pytest.approx(bound, rel=1e-4)
    assert told["bound"]["holds"]


@pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning")
@pytest.mark.parametrize(
    ("learner", "adversary"),
    [
        ("perceptron --set bias=1", "perceptron"),  # the examples are longer
        ("perceptron", "conjunction"),
        ("kernel-perceptron --set kernel=gaussian", "perceptron"),
        ("halving", "random-experts"),  # no expert is perfect
        ("randomized-weighted-majority", "halving"),  # it hears the draws
        ("cover", "alternating"),
        ("conjunction --set monotone=True", "conjunction --negations"),
        ("conjunction", "disjunction"),
    ],
)
def test_where_nothing_is_promised_no_bound_is_shown(
    learner: str, adversary: str
) -> None:
    words = ("-l", *learner.split(), "-a", *adversary.split())
    assert facts(*words)["bound"] is None
    assert "\nbound " not in played(*words).stdout


def test_coins_are_held_against_the_best_expert() -> None:
    words = ("-a", "random-experts", "--n", "6", "--rounds", "40", "--seed", "5")
    adversary = RandomExperts(6, 40, seed=5)
    record = run(WeightedMajority(), adversary)
    told = facts("-l", "weighted-majority", *words)
    assert told["mistakes"] == record.mistakes
    assert told["best"] == adversary.best_
    assert told["comparator"] == f"expert {adversary.best_expert_}"
    assert told["forces"] == 20
    told = facts("-l", "randomized-weighted-majority", *words)
    assert told["bound"]["counts"] == "expected mistakes"
    assert told["bound"]["counted"] != told["mistakes"]


def test_long_games_are_shortened_unless_all_is_asked_for() -> None:
    words = ("-l", "follow-the-majority", "-a", "alternating", "--rounds", "200")
    shown = played(*words).stdout
    assert "       ... 184 more ...\n  196  (nothing)" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert played(*words, "--all").stdout.count("(nothing)") == 200


def test_every_learner_meets_an_adversary_it_can_play() -> None:
    others = {Reads.ADVICE: Opponent.HALVING, Reads.POINTS: Opponent.TREE}
    for name, entry in PLAYERS.items():
        against = others.get(entry.reads, Opponent.DISJUNCTION)
        told = facts("-l", name, "-a", against.value)
        assert told["mistakes"] == told["forces"] == told["rounds"]


def test_every_adversary_is_met() -> None:
    for opponent in Opponent:
        told = facts("-l", "follow-the-majority", "-a", opponent.value)
        assert told["rounds"] == len(told["game"]) > 0


def test_who_draws_lots_is_shown_as_it_drew() -> None:
    told = facts("-l", "cover", "-a", "alternating", "--rounds", "30")
    said: list[bool] = []
    run(
        Cover(30),
        AlternatingAdversary(30),
        observe=lambda batch: said.extend(batch.predictions.tolist()),
    )
    assert [one["prediction"] for one in told["game"]] == said


def test_a_bound_that_is_exceeded_is_told_loudly() -> None:
    game = Game.played(Halving(), HalvingAdversary(3))
    assert game.holds
    # No learner of ours exceeds its bound, so a false one has to stand in.
    broken = replace(game, promise=Promise(HALV, 2.0, 3.0))
    assert not broken.holds
    assert "bound      EXCEEDED: 2 mistakes by HALV" in broken.text(every=False)


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("--bits 3", "play: --bits is not an option of perceptron"),
        ("-a halving --gamma 1/2", "play: --gamma is not an option of halving"),
        ("-a halving --negations", "play: --negations is not an option of halving"),
        ("--gamma half", "play: --gamma must be a number such as 0.1 or 1/10"),
        ("--gamma 1/0", "play: --gamma must be a number such as 0.1 or 1/10"),
        ("--gamma 2", "PerceptronAdversary: gamma must exceed 0 and be at most 1"),
        ("--gamma 1e-9", "play: a game must have at most 1,000,000 rounds, got 1,000,"),
        ("-a halving --bits 0", "bits must be a whole number from 1 to 24, got 0"),
        ("-a tree --n 0", "play: --n must be a whole number of at least 1, got 0"),
        ("--set bias", "play: --set must be NAME=VALUE, with the name one of update"),
        ("--set bise=1", "update, normalize, bias, strict, got 'bise=1'"),
        ("--set bias=x", "Perceptron: bias must be a finite number, got 'x'"),
        ("-l hedge", "play: --learner must be one of auto, perceptron,"),
        ("-l consistent", "play: --learner consistent needs a finite class, from"),
        ("-l halving -a alternating", "round 0: "),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words: str, wrong: str) -> None:
    done = played(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert wrong in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_examples_of_the_help_work() -> None:
    shown = played("--help").stdout
    lines = [line.strip(" │") for line in shown.splitlines()]
    commands = [line for line in lines if line.startswith("littlestone play ")]
    assert len(commands) == 7
    for words in commands:
        assert played(*words.split()[2:]).returncode == 0
