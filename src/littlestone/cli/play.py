"""`littlestone play`: a learner against an adversary, round by round."""

from __future__ import annotations

import ast
import inspect
import json as json_format
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.catalogue import Reads, of_games
from littlestone.cli._complete import players
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.adversaries import Adversary
    from littlestone.learner import Learner
    from littlestone.running import Record
    from littlestone.theorems import Theorem

__all__ = ["play"]


# Those that can be named: they say yes or no.
PLAYERS = of_games()


class Opponent(StrEnum):
    """The adversaries that can be named."""

    PERCEPTRON = "perceptron"
    HALVING = "halving"
    ALTERNATING = "alternating"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    SINGLETON = "singleton"
    TREE = "tree"
    RANDOM_EXPERTS = "random-experts"


# What each adversary is made of, and what it is if nothing is said.
_OPTIONS: dict[Opponent, dict[str, Any]] = {
    Opponent.PERCEPTRON: {"gamma": Fraction(1, 4)},
    Opponent.HALVING: {"bits": 4},
    Opponent.ALTERNATING: {"rounds": 15},
    Opponent.CONJUNCTION: {"n": 8, "negations": False},
    Opponent.DISJUNCTION: {"n": 8, "negations": False},
    Opponent.SINGLETON: {"size": 8},
    Opponent.TREE: {"n": 15},
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
            help="Who learns: " + ", ".join(PLAYERS) + ".",
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
            help="Who asks and answers: " + ", ".join(Opponent) + ".",
            rich_help_panel=_GAME,
        ),
    ] = Opponent.PERCEPTRON,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the learner, such as bias=1; may be given again. What "
            "is not set fits the adversary: winnow has a threshold of as many as there "
            "are features, cover the right horizon.",
            rich_help_panel=_GAME,
        ),
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option(
            help="perceptron: the margin, taken exactly, such as 0.1 or 1/10.",
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
            help="alternating, random-experts: how many rounds.",
            rich_help_panel=_ADVERSARY,
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n",
            help="conjunction, disjunction: features; random-experts: experts; tree: "
            "numbers, between which thresholds are searched.",
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
            help="random-experts: what the coins start from.",
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
    """Set a learner against an adversary, and watch what nobody can avoid.

    An adversary asks, hears the prediction, and only then answers: mostly the opposite.
    Yet it plays fair, and names a fixed choice that has fared well. So what it forces
    is a lower bound for every learner. What the learner's own theorem promises for
    this adversary is shown beside it; exits with 1 if that is exceeded.

    The Perceptron attains its bound, 1/gamma^2:

        littlestone play --learner perceptron --adversary perceptron --gamma 1/5

    Halving pays one mistake a bit, and so does everybody:

        littlestone play --learner halving --adversary halving --bits 6

        littlestone play --learner winnow --adversary halving --bits 6

    Following any rule that fits is no good, following the majority of them is:

        littlestone play --learner consistent --adversary singleton --size 32

        littlestone play --learner version-space --adversary singleton --size 32

    Coins do not listen; the best of many coins is lucky:

        littlestone play -l weighted-majority -a random-experts --n 64 --rounds 400
    """
    given = {"gamma": gamma, "bits": bits, "rounds": rounds, "n": n, "size": size}
    given |= {"negations": negations, "seed": seed}
    opponent = _adversary(adversary, given)
    if opponent.rounds > _MOST_ROUNDS:
        raise ParameterError(
            f"a game must have at most {_MOST_ROUNDS:,} rounds, got {opponent.rounds:,}"
        )
    game = _played(_learner(learner, opponent, parameters or []), opponent)
    typer.echo(json_format.dumps(game.facts()) if json else game.text(every=every))
    raise typer.Exit(0 if game.holds else 1)


def _adversary(name: Opponent, given: dict[str, Any]) -> Adversary:
    """Make the adversary from the options that were given."""
    from littlestone import adversaries

    made = dict(_OPTIONS[name])
    for option, value in given.items():
        if value is None:
            continue
        if option not in made:
            raise ParameterError(f"--{option} is no option of {name.value}")
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
    """Says yes from a number on."""

    least: int

    def __call__(self, x: Mapping[str, int]) -> bool:
        return x["x"] >= self.least

    def __str__(self) -> str:
        return f"x >= {self.least}"


def _thresholds(n: int) -> Adversary:
    from littlestone.adversaries import TreeAdversary
    from littlestone.parameters import whole

    numbers = range(whole("play", "--n", n, low=1))
    concepts = [_Threshold(least) for least in (*numbers, n)]
    return TreeAdversary(concepts, [{"x": number} for number in numbers])


def _learner(name: str, adversary: Adversary, parameters: list[str]) -> Learner:
    """Make a learner that fits the adversary, apart from what was set."""
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
    """Return the parameters of a learner that depend on the game."""
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
                f"--learner {name} needs a finite class, which --adversary "
                "singleton and tree have"
            )
        made = {"concepts": adversary.concepts}
        if name == "standard-optimal":
            shown = [{column: 1} for column in adversary.features or ()]
            made["domain"] = getattr(adversary, "domain", shown)
        return made
    return {}


@dataclass(frozen=True)
class _Promise:
    """What a theorem of the learner says of this game, known without hindsight."""

    theorem: Theorem
    bound: float
    counted: float

    @property
    def holds(self) -> bool:
        return self.counted <= self.bound


@dataclass(frozen=True)
class _Game:
    """A game that has been played."""

    adversary: Adversary
    record: Record
    rounds: list[tuple[Any, bool, bool]]  # example, prediction, label
    promise: _Promise | None

    @property
    def holds(self) -> bool:
        return self.promise is None or self.promise.holds

    def facts(self) -> dict[str, Any]:
        """Return the game as plain data, fit for JSON."""
        record, adversary = self.record, self.adversary
        promise = self.promise and {
            "theorem": self.promise.theorem.id,
            "counts": self.promise.theorem.counts,
            "bound": self.promise.bound,
            "counted": self.promise.counted,
            "holds": self.promise.holds,
        }
        forces = adversary.forces
        return {
            "learner": str(record.learner),
            "adversary": repr(adversary),
            "theorem": adversary.theorem and adversary.theorem.id,
            "rounds": record.rounds,
            "mistakes": record.mistakes,
            "updates": record.updates,
            "forces": int(forces) if forces == int(forces) else float(forces),
            "best": adversary.best_,
            "comparator": _comparator(adversary),
            "bound": promise,
            "game": [
                {"example": _plain(x), "prediction": said, "label": label}
                for x, said, label in self.rounds
            ],
        }

    def text(self, *, every: bool) -> str:
        """Return the game as it is shown, the same on a terminal and in a pipe."""
        record, adversary = self.record, self.adversary
        lines = [
            f"learner    {_short(str(record.learner), 66)}",
            f"adversary  {_short(_name(adversary), 66)}",
            "",
            *self._table(every=every),
            "",
            *_plot([said != label for _, said, label in self.rounds]),
            "",
            f"mistakes   {record.mistakes:,} in {_count(record.rounds, 'round')}",
            f"forced     {self._forced()}",
        ]
        if self.promise is not None:
            promise = self.promise
            kind = promise.theorem.counts
            what = "" if kind == "mistakes" else f", got {promise.counted:,.6g}"
            lines.append(
                f"bound      {'at most' if promise.holds else 'EXCEEDED:'} "
                f"{promise.bound:,.6g} {kind} by {promise.theorem.id}{what}"
            )
        lines.append(
            f"best       {_short(_comparator(adversary), 44)}: "
            f"{_count(adversary.best_, 'mistake')}"
        )
        return "\n".join(lines)

    def _forced(self) -> str:
        adversary, forces = self.adversary, self.adversary.forces
        theorem = adversary.theorem
        everybody = f"{float(forces):,.10g} of everybody who draws no lots"
        if theorem is None:
            return everybody
        if theorem.lower:
            told = int(theorem.bound(**adversary.numbers))
            if told == forces:
                return f"{everybody}, by {theorem.id}"
            # The one theorem about a kind of learner, not about all.
            return f"{everybody}, {told:,} of the consistent learner by {theorem.id}"
        regret = getattr(adversary, "regret", 0.0)
        return (
            f"{float(forces):,.6g} of everybody on average, "
            f"{regret:,.6g} more than the best expert"
        )

    def _table(self, *, every: bool) -> list[str]:
        """Return a line a round, or the first and the last of many."""
        rows = [
            f"{at:5}  {_short(_words(x), 32):32}  {_yes(said):8}  {_yes(label):5}  "
            f"{'mistake' if said != label else ''}".rstrip()
            for at, (x, said, label) in enumerate(self.rounds)
        ]
        if not every and len(rows) > _FIRST + _LAST + 1:
            left = len(rows) - _FIRST - _LAST
            rows = [*rows[:_FIRST], f"       ... {left:,} more ...", *rows[-_LAST:]]
        return [f"{'round':5}  {'example':32}  {'predicts':8}  truth", *rows]


_FIRST, _LAST = 12, 4


def _played(learner: Learner, adversary: Adversary) -> _Game:
    from littlestone.running import run

    predictions: list[bool] = []
    newborn = learner.clone()
    record = run(
        learner,
        adversary,
        observe=lambda batch: predictions.extend(batch.predictions.tolist()),
    )
    # An adversary answers the same predictions alike, so the game can be seen again.
    adversary.restart()
    rounds = [(adversary.ask(), said, adversary.answer(said)) for said in predictions]
    return _Game(adversary, record, rounds, _promise(newborn, adversary, record))


def _promise(learner: Learner, adversary: Adversary, record: Record) -> _Promise | None:
    """Return the smallest of the bounds whose numbers the adversary commits to."""
    found: list[_Promise] = []
    for theorem in learner.guarantees:
        rule = _RULES.get(theorem.id)
        numbers = None if rule is None else rule(learner, adversary)
        if numbers is None:
            continue
        counted: Any = {
            "updates": record.updates,
            "expected mistakes": record.expected_mistakes,
        }.get(theorem.counts, record.mistakes)
        found.append(_Promise(theorem, theorem.bound(**numbers), float(counted)))
    return min(found, key=lambda promise: promise.bound, default=None)


def _is(adversary: Adversary, *names: Opponent) -> bool:
    kind = type(adversary).__name__.removesuffix("Adversary").lower()
    return kind in [name.value.replace("-", "") for name in names]


def _margin(learner: Any, adversary: Any) -> dict[str, Any] | None:
    linear = getattr(learner, "kernel", "linear") == "linear"
    if not _is(adversary, Opponent.PERCEPTRON) or not linear:
        return None
    if getattr(learner, "bias", 0) != 0:
        return None
    return {"radius": 1, **adversary.numbers}


def _winnow(learner: Any, adversary: Any) -> dict[str, Any] | None:
    # No more features than there are can matter.
    if not _is(adversary, Opponent.DISJUNCTION) or adversary.negations:
        return None
    n = adversary.n
    shared = {"threshold": learner.threshold, "promotion": learner.promotion}
    if learner.eliminate:
        return {"features": n, "relevant": n, **shared}
    return {"features": n, "weight": n, "gap": 1, **shared}


def _halving(learner: Any, adversary: Any) -> dict[str, Any] | None:
    if hasattr(learner, "concepts"):
        return {"experts": len(learner.concepts)}
    perfect = _is(adversary, Opponent.HALVING)
    return {"experts": adversary.experts} if perfect else None


def _best(_: Any, adversary: Any) -> dict[str, Any] | None:
    if not _is(adversary, Opponent.HALVING, Opponent.RANDOM_EXPERTS):
        return None
    return {"best": adversary.best_, "experts": len(adversary.features)}


def _majority(learner: Any, adversary: Any) -> dict[str, Any] | None:
    numbers = _best(learner, adversary)
    return None if numbers is None else {**numbers, "beta": learner.beta}


def _randomized(learner: Any, adversary: Any) -> dict[str, Any] | None:
    # Its theorem speaks of labels that do not hear the draws.
    if not _is(adversary, Opponent.RANDOM_EXPERTS):
        return None
    return {**(_best(learner, adversary) or {}), "epsilon": learner.epsilon}


def _constants(_: Any, adversary: Any) -> dict[str, Any] | None:
    labels = _is(adversary, Opponent.ALTERNATING)
    return {"best": adversary.best_} if labels else None


def _of_rules(
    name: Opponent,
) -> Callable[[Any, Any], dict[str, Any] | None]:
    def rule(learner: Any, adversary: Any) -> dict[str, Any] | None:
        monotone = getattr(learner, "monotone", False)
        if not _is(adversary, name) or (monotone and adversary.negations):
            return None
        k = getattr(learner, "k", None)
        return {"features": adversary.n} | ({} if k is None else {"k": k})

    return rule


_RULES: dict[str, Callable[[Any, Any], dict[str, Any] | None]] = {
    "PERC-SEP": _margin,
    "WIN1": _winnow,
    "WIN2-SEP": _winnow,
    "HALV": _halving,
    "HALV-R": _best,
    "WM": _majority,
    "WM-FLOOR-START": _best,
    "RWM": _randomized,
    "FTM": _constants,
    "CONJ": _of_rules(Opponent.CONJUNCTION),
    "CONJ-MONO": _of_rules(Opponent.CONJUNCTION),
    "DISJ": _of_rules(Opponent.DISJUNCTION),
    "DISJ-MONO": _of_rules(Opponent.DISJUNCTION),
    "kCNF": _of_rules(Opponent.CONJUNCTION),
    "kDNF": _of_rules(Opponent.DISJUNCTION),
    "CONSISTENT": lambda learner, _: {"concepts": len(learner.concepts)},
    "SOA": lambda learner, _: {"dimension": learner.dimension_},
}


_WIDTH = 60  # columns of a plot


def _plot(wrong: list[bool]) -> list[str]:
    """Draw the mistakes so far against the rounds."""
    from littlestone.reporting._text import area

    counts, total = [0], 0
    for mistake in wrong:
        total += mistake
        counts.append(total)
    columns = min(_WIDTH, len(wrong))
    ends = [len(wrong) * (at + 1) // columns for at in range(columns)]
    return ["mistakes so far", *area([counts[end] for end in ends], len(wrong))]


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _yes(label: bool) -> str:
    return "yes" if label else "no"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _name(adversary: Adversary) -> str:
    if _is(adversary, Opponent.TREE):
        return f"TreeAdversary of thresholds between {len(adversary.domain)} numbers"  # type: ignore[attr-defined]  # a tree has one
    return repr(adversary)


def _words(x: Any) -> str:
    """Return an example in a few characters."""
    if not isinstance(x, Mapping):
        return "".join("1" if vote else "0" for vote in x[:64])
    told = (
        f"x{key}" if isinstance(key, int) else f"{key}={value}"
        for key, value in x.items()
    )
    return " ".join(told) or "(nothing)"


def _comparator(adversary: Adversary) -> str:
    """Return the fixed choice that fares well, in words."""
    choice = adversary.comparator_
    if isinstance(choice, Mapping):
        return " ".join(f"{'+' if y > 0 else '-'}x{j}" for j, y in choice.items())
    return f"expert {choice}" if isinstance(choice, int) else str(choice)


def _plain(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {str(key): value for key, value in x.items()}
    return [int(vote) for vote in x]
