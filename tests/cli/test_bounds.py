"""The calculator computes what the theorems say, for each of them."""

from __future__ import annotations

import inspect
import json
import re
from fractions import Fraction
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from command import call
from littlestone import theorems
from littlestone.cli._app import app
from littlestone.cli.bounds import _number, bounds
from littlestone.errors import ParameterError, PremiseError
from littlestone.theorems import Theorem

COMMAND = typer.main.get_command(app)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a call prints; what it refuses is raised."""
    COMMAND.main(["bounds", *words], standalone_mode=False)
    return capsys.readouterr().out


# Numbers that every theorem takes, whatever it says. Those it does not know are left.
PLAIN: dict[str, object] = {
    "radius": 1,
    "margin": 1,
    "norm": 1,
    "deviation": 1,
    "hinge": 1,
    "deviation_norm": 1,
    "threshold": 1,
    "bias": 1,
    "gap": 1,
    "weight": 1,
    "level": 1,
    "scale": 1,
    "square": 9,
    "squares": 1,
    "growth": 1,
    "energy": 1,
    "log_det": 1,
    "drift": 1,
    "variance": 1,
    "beta": "1/2",
    "eta": "1/4",
    "epsilon": "1/4",
    "delta": "1/20",
    "share": "0.1",
    "rate": "1/8",
    "promotion": "1.5",
    "experts": 8,
    "best": 20,
    "rounds": 50,
    "features": 6,
    "relevant": 2,
    "k": 2,
    "length": 3,
    "concepts": 9,
    "dimension": 3,
    "size": 9,
    "ones": 20,
    "pairs": 2,
    "phi": "0.5",
    "switches": 2,
    "lowest": 5,
    "highest": 45,
    "budget": 9,
    "aggressiveness": "0.5",
    "hinge_squares": 2,
    "r": 1,
    "margin_updates": 1,
    "delay": 2,
    "updates": 9,
    "promotions": 4,
    "mistakes": 3,
    "before": 3,
    "survived": 9,
    "mean_radius": 1,
    "mean_scale": 1,
    "slack": 1,
    "steps": 2,
    "mean_loss": "1/4",
    "gained": "1/2",
    "gain": 1,
    "exceptions": 2,
    "blocks": 3,
    "saved": 4,
    "examples": 50,
    "wealth": 4,
    "bets": 10,
    "l1": "0.5",
    "l2": "0.25",
    "entropy": 3,
    "jumps": 2,
    "a": 1,
    "spread": 5,
    "excess": "0.5",
    "price": 2,
    "potential": 3,
    "owed": 4,
    "grown": "0.25",
    "portion": "0.25",
    "residual": 5,
}
SPECIAL: dict[str, dict[str, object]] = {
    "DL-EXC": {"exceptions": 2, "displaced": 1},
    "WIN2-LEMMA": {"promotion": 2},
    "KPERC-BUDGET": {"norm": "0.5"},
    "MCAROW-STEPS": {"steps": 6, "mean_loss": "1/4", "gained": 1, "gain": "1/2"},
    "RESTART": {"pieces": 3, "batches": 16},
    "WM-RESTART": {"pieces": 3, "batches": 16, "copy_beta": "0.5"},
    "ACI": {"level": "0.9"},  # a share
}


def numbers_of(theorem: Theorem) -> dict[str, str]:
    known = inspect.signature(theorem.formula).parameters
    chosen = {name: PLAIN[name] for name in known if name in PLAIN}
    for name in ("first", "start", "heaviest", "ties", "prior"):
        if name in known and known[name].default is None:
            chosen.pop(name, None)
    chosen |= SPECIAL.get(theorem.id, {})
    return {name: str(number) for name, number in chosen.items()}


@pytest.mark.parametrize("theorem", theorems.all(), ids=lambda theorem: theorem.id)
def test_every_theorem_is_computed(
    theorem: Theorem, capsys: pytest.CaptureFixture[str]
) -> None:
    given = numbers_of(theorem)
    words = [f"--{name.replace('_', '-')}={number}" for name, number in given.items()]
    facts = json.loads(told(capsys, *words, theorem.id, "--json"))
    expected = {name: Fraction(number) for name, number in given.items()}
    assert facts["bound"] == theorem.bound(**expected)
    assert Fraction(facts["rational"]) == theorem.formula(**expected)
    assert facts["numbers"] == {n: str(x) for n, x in expected.items()}
    assert (facts["id"], facts["latex"]) == (theorem.id, theorem.latex)
    assert facts["premises"] == list(theorem.premises)
    assert facts["takes"] == dict(theorem.numbers)
    words = [word for n, x in given.items() for word in (f"--{n.replace('_', '-')}", x)]
    shown = told(capsys, theorem.id, *words)
    last = shown.splitlines()[-1]
    assert theorem.counts in last
    assert ("at least" in last) == theorem.lower
    figures = re.findall(r"[\d.]+(?:e[+-]?\d+)?", last)
    assert float(figures[0]) == theorem.bound(**expected)


@pytest.mark.parametrize("theorem", theorems.all(), ids=lambda theorem: theorem.id)
def test_without_numbers_every_theorem_is_told(
    theorem: Theorem, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = told(capsys, theorem.id.lower())
    flat = re.sub(r"\s+", " ", shown)
    assert shown.startswith(f"{theorem.id}  ")
    for part in (theorem.statement, *theorem.premises, theorem.reference):
        assert part in flat
    assert theorem.tight in flat
    for name, what in theorem.numbers.items():
        assert f"--{name.replace('_', '-')} {what}" in flat
    assert all(len(line) <= 88 or " " not in line.strip() for line in shown.split("\n"))
    assert told(capsys, "--latex", theorem.id) == theorem.latex + "\n"
    assert "bound" not in json.loads(told(capsys, theorem.id, "--json"))


def test_the_command_prints_the_bound() -> None:
    done = call("bounds", "PERC-SEP", "--radius", 1, "--margin", "1/3")
    assert done.returncode == 0
    assert done.stdout.endswith("\nat most 9 updates\n")
    assert re.search(r"^--margin  1/3  gamma", done.stdout, re.MULTILINE)
    assert re.search(
        r"^--norm    1    \|u\|.*; 1 unless given$", done.stdout, re.MULTILINE
    )


def test_the_id_may_come_last_and_values_may_be_negative() -> None:
    numbers = ("--threshold", -3, "--bias=-1", "--radius", 1)
    done = call("bounds", "--margin", "0.1", *numbers, "perc_bias")
    assert done.stdout.endswith("\nat most 2000 updates\n")


def test_all_theorems_are_listed() -> None:
    lines = call("bounds", "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [t.id for t in theorems.all()]
    assert [line.split(maxsplit=1)[1] for line in lines] == [
        theorem.statement for theorem in theorems.all()
    ]
    facts = json.loads(call("bounds", "--list", "--json").stdout)
    assert [one["tight"] for one in facts] == [t.tight for t in theorems.all()]
    assert theorems.PERC_TD.latex in call("bounds", "--list", "--latex").stdout


def test_mistakes_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "WM", "--best", "10", "--experts", "1000")
    assert shown.endswith("\nat most 48.10597673548538 mistakes, so 48\n")
    shown = told(capsys, "PA-SEP", "--radius", "3/2", "--norm", "1")
    assert shown.endswith("\nat most 2.25 mistakes, so 2\n")
    shown = told(capsys, "EWA-XC", "--eta", "1/2", "--experts", "3")
    assert shown.endswith("\nregret at most 2.1972245773362196\n")
    words = ("--epsilon", "0.1", "--delta", "0.05", "--size", "9")
    shown = told(capsys, "PAC-FINITE", *words)  # 10 ln 180
    assert shown.endswith("\n51.92956850890211 examples suffice, so 52\n")
    shown = told(capsys, "COVER", "--rounds", "10", "--ones", "3")
    assert shown.endswith("\nexactly 4.23046875 expected mistakes\n")


def test_a_bound_beyond_the_floats_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    words: tuple[str, ...] = ("kCNF", "--features", "5000", "--k", "5000")
    exact = 1 + 3**5000 - 2**5000
    assert told(capsys, *words).endswith(
        "\nat most 4.0389976297871554E+2385 mistakes\n"
    )
    assert exact // 10**2369 < 40389976297871554 <= exact // 10**2369 + 1
    facts = json.loads(told(capsys, *words, "--json"))
    assert facts["bound"] is None
    assert int(facts["rational"]) == exact
    # Python writes no more than 4300 decimal digits.
    words = ("PERC-SEP", "--radius", "1e3000", "--margin", "1e-3000")
    assert told(capsys, *words).endswith(
        "\nat most 1.0000000000000000E+12000 updates\n"
    )
    top, bottom = json.loads(told(capsys, *words, "--json"))["rational"].split("/")
    assert (int(top, 16), int(bottom, 16)) == (10**12000, 1)


def test_yes_or_no_may_stand_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--negations"], ["--negations", "1"], ["--negations=1"]):
        shown = told(capsys, "CONJ-LB", *words, "--features", "9")
        assert shown.endswith("\nat least 10 mistakes\n")
    shown = told(capsys, "CONJ-LB", "--negations", "0", "--features", "9")
    assert shown.endswith("\nat least 9 mistakes\n")


# Numbers as they are written ---------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", Fraction(3)),
        ("-3", Fraction(-3)),
        ("+.5", Fraction(1, 2)),
        ("2.", Fraction(2)),
        ("0.1", Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("2.5E2", Fraction(250)),
        ("-22/7", Fraction(-22, 7)),
        ("0x1.8p-1", Fraction(3, 4)),
        ("1e5000", Fraction(10) ** 5000),
    ],
)
def test_numbers_are_exact(text: str, value: Fraction) -> None:
    number = _number("margin", text)
    assert number == value
    assert repr(number) == text


@given(st.fractions())
def test_every_fraction_is_read_back(value: Fraction) -> None:
    assert _number("margin", str(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back(value: float) -> None:
    assert _number("margin", value.hex()) == Fraction(value)
    assert float(_number("margin", repr(value))) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "nan",
        "inf",
        "1/0",
        "1/-2",
        "1//2",
        "1_000",
        "1 2",
        "1e",
        "1e9999999999",
        "0x1p99999",
        "1" * 1001,
        "٣",
    ],
)
def test_senseless_numbers(text: str) -> None:
    with pytest.raises(ParameterError, match="--margin must be a number, such as 3"):
        _number("margin", text)


# What is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["PERC-SEPP"], "such as PERC-SEP, .*, got 'PERC-SEPP'"),
        ([], "a theorem must be named, such as PERC-SEP; --list shows them all"),
        (
            ["HALV", "WM"],
            "only one theorem may be named, got 'HALV' and 'WM'; a number",
        ),
        (["PERC-SEP", "--radius", "1"], "PERC-SEP needs --margin as well"),
        (["PERC-FS", "--margin", "1"], "needs --radius and --deviation-norm as well"),
        (
            ["HALV", "--margin", "1"],
            "--margin is not one of the numbers of HALV, --experts, --pr",
        ),
        (["HALV", "--experts"], "--experts must be a number, .* got nothing"),
        (["HALV", "--experts", "2", "--experts=3"], "--experts must be given once"),
        (["HALV", "--list"], "--list takes nothing else, got \\['HALV'\\]"),
        (["PERC-SEP", "--radius=1", "--margin=0.0"], "margin must exceed 0, got 0.0$"),
        (["HALV", "--experts", "5/2"], "whole number above 0, got 5/2$"),
    ],
)
def test_bad_words_are_told(words: list[str], message: str) -> None:
    with pytest.raises((ParameterError, PremiseError), match=message):
        identifier_and_bound(words)


def identifier_and_bound(words: list[str]) -> Any:
    listed = "--list" in words
    rest = [word for word in words if word != "--list"]
    return bounds(rest, every=listed)


def test_bad_words_end_with_2_and_one_line() -> None:
    done = call("bounds", "PERC-SEP", "--radius", 1, "--margin", 0)
    assert done.returncode == 2
    assert done.stderr == "littlestone: bounds: margin must exceed 0, got 0\n"
    assert not done.stdout


def test_the_help_shows_how_to_ask() -> None:
    shown = call("bounds", "--help").stdout
    assert "littlestone bounds PERC-SEP --radius 1 --margin 1/3" in shown
    assert all(option in shown for option in ("--list", "--latex", "--json"))
