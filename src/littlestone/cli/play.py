"""`littlestone play`: a learner against an adversary, round by round."""

from __future__ import annotations

import ast
import inspect
import json as json_format
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.catalogue import Reads, of_games
from littlestone.cli._complete import players
from littlestone.cli._game_bounds import Opponent
from littlestone.cli._say import say
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.adversaries import Adversary
    from littlestone.learner import Learner

__all__ = ["play"]


# Learners that say yes or no.
PLAYERS = of_games()


# The options of each adversary, and their defaults.
_OPTIONS: dict[Opponent, dict[str, Any]] = {
    Opponent.PERCEPTRON: {"gamma": Fraction(1, 4)},
    Opponent.HALVING: {"bits": 4},
    Opponent.ALTERNATING: {"rounds": 15},
    Opponent.CONJUNCTION: {"n": 8, "negations": False},
    Opponent.DISJUNCTION: {"n": 8, "negations": False},
    Opponent.SINGLETON: {"size": 8},
    Opponent.TREE: {"n": 15},
    Opponent.THRESHOLD: {"rounds": 32},
    Opponent.SHRINKING: {"rounds": 32},
    Opponent.RANDOM_EXPERTS: {"n": 8, "rounds": 64, "seed": 0},
}
_MOST_ROUNDS = 1_000_000
_GAME = "The game"
_ADVERSARY = "Of an adversary"


def play(
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME",
            help="The learner: " + ", ".join(PLAYERS) + ".",
            autocompletion=players,
            rich_help_panel=_GAME,
        ),
    ] = "perceptron",
    adversary: Annotated[
        Opponent,
        typer.Option(
            "--adversary",
            "-a",
            metavar="NAME",
            help="The adversary: " + ", ".join(Opponent) + ".",
            rich_help_panel=_GAME,
        ),
    ] = Opponent.PERCEPTRON,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the learner, such as bias=1; repeat it for more. The "
            "defaults suit the adversary: the threshold of winnow is the number of "
            "features, the horizon of cover the number of rounds.",
            rich_help_panel=_GAME,
        ),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(
            help="perceptron: the margin, such as 0.1 or 1/10, exactly.",
            rich_help_panel=_ADVERSARY,
        ),
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(
            help="halving: there are 2^bits experts.", rich_help_panel=_ADVERSARY
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            help="alternating, random-experts, shrinking, threshold: how many rounds.",
            rich_help_panel=_ADVERSARY,
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            help="conjunction, disjunction: features; random-experts: experts; tree: "
            "numbers, with a threshold between any two.",
            rich_help_panel=_ADVERSARY,
        ),
    ] = None,
    negations: Annotated[
        bool | None,
        typer.Option(
            "--negations",
            help="conjunction, disjunction: features may be negated.",
            rich_help_panel=_ADVERSARY,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            help="singleton: how many singletons.", rich_help_panel=_ADVERSARY
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="random-experts: the seed of the coins.",
            rich_help_panel=_ADVERSARY,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show every round, however many there are.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the whole game as JSON.")
    ] = False,
) -> None:
    """Play a learner against an adversary, which forces mistakes from any learner.

    An adversary shows an example, sees the prediction, and only then gives the label:
    mostly the opposite. Yet it is consistent: it names a fixed choice that has done
    well. So the mistakes it forces are a lower bound for every learner. The bound of
    the learner's own theorem is shown too; the exit code is 1 if it is exceeded.

    The Perceptron attains its bound, 1/gamma^2:

        littlestone play --learner perceptron --adversary perceptron --gamma 1/5

    Halving makes one mistake per bit, and so does every learner:

        littlestone play --learner halving --adversary halving --bits 6

        littlestone play --learner winnow --adversary halving --bits 6

    Following some rule that fits is costly, following their majority is not:

        littlestone play --learner consistent --adversary singleton --size 32

        littlestone play --learner version-space --adversary singleton --size 32

    Without a margin there is no bound, not even for a threshold on a line:

        littlestone play -l perceptron --set bias=1 -a threshold --rounds 50

    Coins cannot be predicted, but the best of many coins is lucky:

        littlestone play -l weighted-majority -a random-experts --n 64 --rounds 400
    """
    from littlestone.cli._game import Game

    given = {"gamma": gamma, "bits": bits, "rounds": rounds, "n": n, "size": size}
    given |= {"negations": negations, "seed": seed}
    opponent = _adversary(adversary, given)
    if opponent.rounds > _MOST_ROUNDS:
        raise ParameterError(
            f"a game must have at most {_MOST_ROUNDS:,} rounds, got {opponent.rounds:,}"
        )
    game = Game.played(_learner(learner, opponent, parameters or []), opponent)
    say(json_format.dumps(game.facts()) if json else game.text(every=every))
    raise typer.Exit(0 if game.holds else 1)


def _adversary(name: Opponent, given: dict[str, Any]) -> Adversary:
    """Return the adversary with these options."""
    from littlestone import adversaries

    made = dict(_OPTIONS[name])
    for option, value in given.items():
        if value is None:
            continue
        if option not in made:
            raise ParameterError(f"--{option} is not an option of {name.value}")
        made[option] = value
    if isinstance(made.get("gamma"), str):
        made["gamma"] = _fraction(made["gamma"])
    if name is Opponent.TREE:
        return _thresholds(made["n"])
    words = name.value.split("-")
    title = "".join(word.capitalize() for word in words)
    suffix = "" if name is Opponent.RANDOM_EXPERTS else "Adversary"
    return getattr(adversaries, title + suffix)(**made)  # type: ignore[no-any-return]  # found by its name


def _fraction(text: str) -> Fraction:
    with suppress(ValueError, ZeroDivisionError):
        return Fraction(text)
    raise ParameterError(f"--gamma must be a number such as 0.1 or 1/10, got {text!r}")


@dataclass(frozen=True)
class _Threshold:
    """Says yes to a number and all above it."""

    least: int

    def __call__(self, x: Mapping[str, int]) -> bool:
        return x["x"] >= self.least

    def __str__(self) -> str:
        return f"x >= {self.least}"


def _thresholds(n: int) -> Adversary:
    from littlestone.adversaries import TreeAdversary
    from littlestone.learner.parameters import whole

    numbers = range(whole("play", "--n", n, low=1))
    concepts = [_Threshold(least) for least in (*numbers, n)]
    return TreeAdversary(concepts, [{"x": number} for number in numbers])


def _learner(name: str, adversary: Adversary, parameters: list[str]) -> Learner:
    """Return a learner with these parameters; defaults suit the adversary."""
    if name not in PLAYERS:
        raise ParameterError(
            f"--learner must be one of {', '.join(PLAYERS)}, got {name!r}"
        )
    cls = PLAYERS[name].load()
    made = _fitted(name, adversary)
    known = inspect.signature(cls).parameters
    for text in parameters:
        key, found, value = text.partition("=")
        if not found or key not in known:
            raise ParameterError(
                f"--set must be NAME=VALUE, with the name one of {', '.join(known)}, "
                f"got {text!r}"
            )
        made[key] = _value(value)
    return cls(**made)


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _fitted(name: str, adversary: Adversary) -> dict[str, Any]:
    """Return the parameters that depend on the game."""
    width = max(1, len(adversary.features or ()))
    if name == "winnow":
        return {"threshold": width}
    if name == "balanced-winnow":
        return {"rate": 1 / width}
    if name == "cover":
        return {"horizon": max(1, adversary.rounds)}
    if name in ("k-cnf", "k-dnf"):
        return {"k": 2}
    if PLAYERS[name].reads is Reads.POINTS:
        if not hasattr(adversary, "concepts"):
            raise ParameterError(
                f"--learner {name} needs a finite class, from --adversary singleton "
                "or tree"
            )
        made = {"concepts": adversary.concepts}
        if name == "standard-optimal":
            shown = [{column: 1} for column in adversary.features or ()]
            made["domain"] = getattr(adversary, "domain", shown)
        return made
    return {}
