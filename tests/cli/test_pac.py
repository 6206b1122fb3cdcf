"""`littlestone pac` prints sizes, their theorem, and one line on what is wrong."""

from __future__ import annotations

import json
import subprocess

import pytest

from command import call
from littlestone import pac, theorems

CHANCES = ("--epsilon", ".05", "--delta", ".01")


def told(*words: str) -> subprocess.CompletedProcess[str]:
    return call("pac", *words)


def test_decision_lists_are_told_in_words() -> None:
    done = told("decision-lists", "--n", "22", *CHANCES)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "class     1-decision lists over 22 features",
        "size      |H| = n! 4^n, ln |H| = 78.9697",
        f"theorem   {theorems.PAC_FINITE}",
        "examples  1,672",
    ]


@pytest.mark.parametrize(
    ("words", "cls"),
    [
        ("conjunctions --n 9", pac.Conjunctions(9)),
        ("conjunctions --n 9 --monotone", pac.Conjunctions(9, monotone=True)),
        ("disjunctions --n 9", pac.Disjunctions(9)),
        ("k-cnf --n 9 --k 2", pac.KCNF(9, 2)),
        ("k-dnf --n 9 --k 3", pac.KDNF(9, 3)),
        ("decision-lists --n 1000000 --k 3", pac.DecisionLists(10**6, 3)),
        ("finite --size 1000", pac.Finite(1000)),
    ],
)
def test_json_has_the_sizes_of_the_library(words: str, cls: pac.ConceptClass) -> None:
    for option in ("", "--agnostic"):
        done = told(*words.split(), *option.split(), *CHANCES, "--json")
        facts = json.loads(done.stdout)
        agnostic = bool(option)
        assert facts["examples"] == pac.sample_size(cls, 0.05, 0.01, agnostic=agnostic)
        assert facts["class"] == str(cls)
        assert facts["theorem"] == ("PAC-AGNOSTIC" if agnostic else "PAC-FINITE")


def test_conversions_are_told_too() -> None:
    first, second = theorems.fast_sizes(23, 0.05, 0.01)
    words = ("conjunctions", "--n", "22", "--method", "fast", *CHANCES)
    shown = told(*words).stdout
    assert f"examples  {first + second:,}: {first:,} to learn from and" in shown
    assert json.loads(told(*words, "--json").stdout)["choose_by"] == second
    # --mistakes alone means survivors: s = 20 ln 4100 = 166.4, and 41 * 167
    shown = told("--mistakes", "40", *CHANCES).stdout
    assert "examples  at most 6,847, until a hypothesis survives 167 in a row" in shown


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("decision-lists", "pac: decision-lists needs --n"),
        ("k-cnf --n 3", "pac: k-cnf needs --k"),
        ("finite", "pac: finite needs --size"),
        ("finite --size 3 --n 3", "pac: --n is not an option of finite"),
        ("k-dnf --n 3 --k 1 --monotone", "pac: --monotone is not an option of k-dnf"),
        ("conjunctions --n 0", "Conjunctions: n must be a whole number of at least 1"),
        ("", "pac: CLASS or --mistakes must be given, got neither"),
        ("--method fast", "pac: --method needs CLASS or --mistakes, got neither"),
        ("--mistakes -1", "pac: --mistakes must be a whole number of at least 0"),
        ("--mistakes 3 --agnostic", "pac: --agnostic is not an option of a conversion"),
        ("--epsilon 1", "pac: --epsilon must lie between 0 and 1, got 1.0"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words: str, wrong: str) -> None:
    done = told(*CHANCES, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert wrong in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_unknown_class_names_the_known_ones() -> None:
    done = told("nonsense", *CHANCES)
    assert done.returncode == 2
    assert "'nonsense' is not one of 'conjunctions', 'disjunctions'," in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_examples_of_the_help_work() -> None:
    shown = told("--help").stdout
    lines = [line.strip(" │") for line in shown.splitlines()]
    commands = [line for line in lines if line.startswith("littlestone pac ")]
    assert len(commands) == 4
    for command in commands:
        assert told(*command.split()[2:]).returncode == 0
