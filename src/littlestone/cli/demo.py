"""`littlestone demo`: what the library does, in a minute, on made-up data."""

from __future__ import annotations

import json as json_format
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from littlestone.cli._say import say
from littlestone.errors import MissingPackageError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from littlestone.learner import Learner
    from littlestone.running import Batch, Record
    from littlestone.running.bounds import Standing
    from littlestone.verifying import Certificate

__all__ = ["demo"]

_SEED = 1988
_LOOKS = {
    "odor": ["none", "almond", "foul"],
    "spores": ["black", "brown", "green"],
    "cap": ["white", "brown"],
    "habitat": ["woods", "grass", "leaves"],
}


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where to write the certificate and the report.",
        ),
    ] = Path("demo"),
    serve: Annotated[
        bool,
        typer.Option(
            "--serve",
            help="Show the service instead: two weeks of traffic with late labels, "
            "live in the browser.",
        ),
    ] = False,
    seconds: Annotated[
        float,
        typer.Option(help="--serve: how many seconds the two weeks take.", min=1),
    ] = 120,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show in a minute what this library does, on made-up data.

    It classifies a stream within a bound, lets an adversary reach a bound exactly,
    combines experts, learns and prints a rule, and makes, verifies and forges a
    certificate. The certificate and a report are written to a folder.

    The exit code is 1 if a bound or a check fails: that would be a bug.

    For example:

        littlestone demo

        littlestone demo --output /tmp/demo --json

        littlestone demo --serve
    """
    import numpy as np

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            f"--output must be a folder that can be made, got {str(output)!r}: "
            f"{error.strerror}"
        ) from None
    if serve:
        from littlestone.cli._serve_demo import serve_demo

        stays = sys.stdout is not None and sys.stdout.isatty()
        with tempfile.TemporaryDirectory() as scratch:
            raise typer.Exit(serve_demo(Path(scratch), seconds, stays=stays))
    story = _Story(aloud=not json, folder=output)
    rng = np.random.default_rng(_SEED)
    with tempfile.TemporaryDirectory() as scratch:
        _classify(story, rng, Path(scratch) / "mail.svm")
        _duel(story)
        _combine(story, rng)
        _learn_a_rule(story, rng, Path(scratch) / "mushrooms.csv")
        _certify(story, rng, Path(scratch) / "plane.svm")
    holds = all(fact["holds"] for fact in story.facts)
    if json:
        facts = {"holds": holds, "facts": story.facts, "files": story.files}
        say(json_format.dumps(facts))
    else:
        story.say(
            f"\nAll {len(story.facts)} promises were kept."
            if holds
            else "\nA PROMISE WAS BROKEN, which must never happen. Please report it."
        )
    raise typer.Exit(0 if holds else 1)


@dataclass
class _Story:
    """What is printed, and the facts that must hold."""

    aloud: bool
    folder: Path
    facts: list[dict[str, Any]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def say(self, text: str = "") -> None:
        if self.aloud:
            say(text)

    def begin(self, title: str, text: str) -> None:
        """Begin a chapter."""
        first = "" if not self.facts else "\n"
        self.say(f"{first}{title}\n{'-' * len(title)}\n{text}\n")

    def keep(self, what: str, *, holds: bool, **numbers: Any) -> None:
        """Note a fact; say so loudly if it does not hold."""
        self.facts.append({"what": what, "holds": holds} | numbers)
        if not holds:
            self.say(f"  THIS DOES NOT HOLD: {what} {numbers}")

    def bounded(self, record: Record) -> None:
        """Note that a record has a bound, and is within it."""
        self.keep(
            f"{record.learner.name} stays within {record.theorem}",
            holds=record.bound is not None and not record.exceeded,
            rounds=record.rounds,
            mistakes=record.mistakes,
            bound=record.bound,
            bound_of=record.bound_of,
        )

    def left(self, path: Path) -> None:
        """Note a file that was written."""
        self.files.append(str(path))


# 1. A stream ------------------------------------------------------------------------


def _classify(story: _Story, rng: np.random.Generator, path: Path) -> None:
    from littlestone import race, run, streams
    from littlestone.linear import PassiveAggressive, Perceptron, Winnow

    rows, features, relevant = 30_000, 5_000, 5
    story.begin(
        "1. A stream, and a promise",
        f"Here are {rows:,} messages of 25 words each, out of {features:,} words. "
        f"{relevant} of the words\nmean spam, but which ones is not known. Winnow "
        "reads a message, predicts spam or not,\nand then gets the label. Before the "
        "first message its theorem says how often it can be\nwrong, whatever the "
        "messages are:",
    )
    _write_messages(rng, path, (rows, features, relevant))
    stream = streams.svmlight(path)
    known = {"features": features, "relevant": relevant}
    winnow = Winnow(threshold=features, eliminate=True)
    moments = _Moments()
    record = run(winnow, stream, declare=known, observe=moments)
    for rounds, mistakes, _, stood in moments:
        story.say(
            f"  after {rounds:6,} messages  {mistakes:3} mistakes, at most "
            f"{stood.bound:.0f}"
        )
    story.bounded(record)
    story.say("\nThree learners race over the same file, which is read only once:\n")
    others = {
        "Winnow": Winnow(threshold=features, eliminate=True),
        "Perceptron": Perceptron(bias=1.0),
        "PassiveAggressive": PassiveAggressive(bias=1.0),
    }
    ranking = race(others, stream)
    story.say("\n".join(f"  {line}" for line in str(ranking).splitlines()))
    story.keep(
        "a race repeats what was run alone",
        holds=ranking["Winnow"].mistakes == record.mistakes,
        mistakes={name: each.mistakes for name, each in ranking.items()},
    )


class _Moment(NamedTuple):
    """The state of a run after some of its rounds."""

    rounds: int
    mistakes: int
    loss: float
    standing: Standing


@dataclass
class _Moments:
    """Keeps the state of a run after a few of its rounds, and at the end."""

    rounds: tuple[int, ...] = (16, 128, 1_024)
    found: list[_Moment] = field(default_factory=list)
    last: _Moment | None = None

    def __call__(self, batch: Batch) -> None:
        # Read it now: a batch is valid only until the next one.
        for rounds in self.rounds:
            if batch.first < rounds <= batch.first + len(batch):
                self.found.append(self._seen(batch, rounds - batch.first - 1))
        self.last = self._seen(batch, len(batch) - 1)

    @staticmethod
    def _seen(batch: Batch, at: int) -> _Moment:
        lost = 0.0 if batch.losses is None else batch.loss_through(at)
        rounds = batch.first + at + 1
        return _Moment(rounds, batch.mistakes_through(at), lost, batch.standing(at))

    def __iter__(self) -> Iterator[_Moment]:
        yield from self.found
        if self.last is not None:
            yield self.last


def _write_messages(
    rng: np.random.Generator, path: Path, sizes: tuple[int, int, int]
) -> None:
    """Write sets of words; the label is yes if a relevant word is among them."""
    import numpy as np

    rows, features, relevant = sizes
    words = rng.integers(relevant, features, size=(rows, 25))
    spam = rng.integers(2, size=rows) == 1
    words[spam, 0] = rng.integers(relevant, size=int(spam.sum()))
    with path.open("w") as file:
        for row, label in zip(words, spam.tolist(), strict=True):
            text = " ".join(f"{word + 1}:1" for word in np.unique(row).tolist())
            file.write(f"{1 if label else -1} {text}\n")


# 2. An adversary --------------------------------------------------------------------


def _duel(story: _Story) -> None:
    from fractions import Fraction

    from littlestone import run
    from littlestone.adversaries import HalvingAdversary, PerceptronAdversary
    from littlestone.experts import Halving
    from littlestone.linear import Perceptron

    story.begin(
        "2. An adversary",
        "Could the bound be smaller? An adversary sees each prediction and gives the "
        "opposite\nlabel, but keeps the premises of the theorem:",
    )
    halving = HalvingAdversary(10)
    plane = PerceptronAdversary(Fraction(1, 10))
    margin = {"radius": 1, "margin": Fraction(1, 10)}
    duels: list[tuple[Learner, Any, dict[str, Any], str]] = [
        (Halving(experts=halving.experts), halving, {}, "1,024 experts, one right"),
        (Perceptron(), plane, margin, "a margin of one tenth"),
    ]
    for learner, adversary, known, premise in duels:
        record = run(learner, adversary, declare=known)
        story.say(
            f"  {record.learner.name:10}  {premise:24}  {record.mistakes:3} mistakes, "
            f"at most {record.bound:.0f}"
        )
        story.bounded(record)
        story.keep(
            f"{type(adversary).__name__} reaches {record.theorem}",
            holds=record.mistakes == record.bound,
        )
    story.say("\nBoth bounds are reached exactly: no theorem can have smaller ones.")


# 3. Experts -------------------------------------------------------------------------


def _combine(story: _Story, rng: np.random.Generator) -> None:
    import numpy as np

    from littlestone import run, streams
    from littlestone.experts import ExponentialWeights

    hours = 2_400
    story.begin(
        "3. Experts",
        "Four forecasters predict how much power a town will need, hour by hour. Which "
        "one\nshould you follow? All of them, with weights that are learned. The "
        "regret is how much\nmore this loses than the best of the four, which is known "
        "only in hindsight:",
    )
    hour = np.arange(hours + 24)
    demand = 0.5 + 0.3 * np.sin(hour / 24 * 2 * np.pi)
    demand += rng.normal(0, 0.04, len(hour))
    demand = demand.clip(0, 1)
    truth = demand[24:]
    forecasts = {
        "an hour ago": demand[23:-1],
        "a day ago": demand[:-24],
        "the average": np.full(hours, 0.5),
        "the sage": (truth + rng.normal(0, 0.05, hours)).clip(0, 1),
    }
    learner = ExponentialWeights(range=(0, 1), experts=tuple(forecasts))
    advice = np.stack(list(forecasts.values()), axis=1)
    named = [dict(zip(forecasts, row, strict=True)) for row in advice.tolist()]
    moments = _Moments()
    record = run(learner, zip(named, truth.tolist(), strict=True), observe=moments)
    for rounds, _, loss, stood in moments:
        story.say(
            f"  after {rounds:5,} hours  loss {loss:5.2f}, regret "
            f"{stood.regret:+.2f}, at most {stood.bound:.2f}"
        )
    weights = sorted((record.weights or {}).items(), key=lambda item: -item[1])
    told = ", ".join(f"{name} {weight:.0%}" for name, weight in weights)
    story.say(f"\n  weights at the end: {told}")
    story.bounded(record)
    # A matrix of forecasts gives the same as hour by hour.
    whole = ExponentialWeights(range=(0, 1), experts=len(forecasts))
    again = run(whole, streams.advice(advice, truth))
    story.keep(
        "a matrix is played as its rows are",
        holds=again.loss == record.loss,
        loss=record.loss,
    )


# 4. A rule --------------------------------------------------------------------------


def _learn_a_rule(story: _Story, rng: np.random.Generator, path: Path) -> None:
    from littlestone import run
    from littlestone.boolean import DecisionListLearner
    from littlestone.concepts import DecisionList
    from littlestone.streams import csv

    truth = DecisionList.parse(
        "if odor=foul then yes, else if spores=green then yes, "
        "else if not cap=white then no, else if habitat=leaves then yes, else no"
    )
    rows = 5_000
    story.begin(
        "4. A rule in words",
        f"A table of {rows:,} mushrooms: odor, spores, cap, habitat. Is it poisonous? "
        "The learned\nrule can be read:",
    )
    drawn = {name: rng.choice(values, rows) for name, values in _LOOKS.items()}
    with path.open("w") as file:
        print(*drawn, "poisonous", sep=",", file=file)
        for row in zip(*drawn.values(), strict=True):
            named = zip(drawn, row, strict=True)
            label = truth({f"{name}={value}": 1 for name, value in named})
            print(*row, "yes" if label else "no", sep=",", file=file)
    stream = csv(path, label="poisonous", positive="yes", literals=True)
    learner = DecisionListLearner()
    known = {"features": len(stream.feature_names()), "length": truth.size}
    record = run(learner, stream, declare=known)
    story.say("    " + ",\n    else".join(str(learner.concept_).split(", else")))
    story.say(
        f"\n  {record.mistakes} mistakes, at most {record.bound:.0f}; none "
        f"since mushroom {_since(record):,}"
    )
    story.bounded(record)
    story.keep(
        "the rule fits every mushroom",
        holds=all(learner.concept_(x) == y for x, y in stream),
        rule=str(learner.concept_),
    )


def _since(record: Record) -> int:
    """Return the round, counted from 1, of the last mistake."""
    rounds = record.mistake_rounds
    return int(rounds[-1]) + 1 if rounds is not None and len(rounds) else 0


# 5. A certificate -------------------------------------------------------------------


def _certify(story: _Story, rng: np.random.Generator, path: Path) -> None:
    from dataclasses import replace

    from littlestone import certify, run, streams, verify
    from littlestone.linear import Perceptron

    story.begin(
        "5. A certificate",
        "You need not believe any of this. A certificate says which theorem held on "
        "which\nstream, with a witness. Anyone who has the stream can check it with "
        "independent code,\nin exact fractions:",
    )
    _write_plane(rng, path, rows=2_000, features=12)
    stream = streams.svmlight(path)
    learner = Perceptron()
    record = run(learner, stream, keep="updates")
    certificate = certify(record, stream=stream)
    saved = story.folder / "certificate.json"
    certificate.save(saved)
    story.left(saved)
    story.say(_wrapped(str(certificate)))
    story.keep("the certificate holds", holds=certificate.holds)
    verdict = verify(saved, stream)
    story.say(f"\nIt is in {saved}. Checked against the stream:\n\n{_wrapped(verdict)}")
    story.keep("the certificate is accepted", holds=verdict.accepted)

    claimed = certificate.mistakes - 1
    forged = replace(
        certificate, mistakes=claimed, updates=claimed, counted_exact=str(claimed)
    )
    lie = story.folder / "forged.json"
    forged.save(lie)
    story.left(lie)
    verdict = verify(lie, stream)
    story.say(
        f"\nA forgery claims one mistake less, in {lie}, with a valid seal.\n"
        f"Checked against the stream:\n\n{_wrapped(verdict)}"
    )
    story.keep("the forgery is rejected", holds=not verdict.accepted)
    _report(story, record, certificate, learner)


def _wrapped(text: object) -> str:
    return textwrap.fill(str(text), 84, initial_indent="  ", subsequent_indent="  ")


def _write_plane(
    rng: np.random.Generator, path: Path, *, rows: int, features: int
) -> None:
    """Write examples no closer than a margin to a random plane."""
    import numpy as np

    u = rng.normal(size=features)
    u /= np.linalg.norm(u)
    X = np.round(rng.normal(size=(4 * rows, features)), 3)
    scores = X @ u
    wide = np.flatnonzero(np.abs(scores) >= np.quantile(np.abs(scores), 0.2))[:rows]
    with path.open("w") as file:
        for x, score in zip(X[wide].tolist(), scores[wide].tolist(), strict=True):
            text = " ".join(f"{j}:{value:g}" for j, value in enumerate(x, 1))
            file.write(f"{1 if score > 0 else -1} {text}\n")


def _report(
    story: _Story, record: Record, certificate: Certificate, learner: Learner
) -> None:
    """Write a page about the certified run, if Plotly is installed."""
    from littlestone import report

    path = story.folder / "report.html"
    title = "The certified run of the demo"
    page = report(record, certificate=certificate, learner=learner, title=title)
    try:
        page.save(path)
    except MissingPackageError as error:
        story.say(f"\nNo report was made: {error}")
        return
    story.left(path)
    story.say(f"\nA report of the run is in {path}; open it in any browser.")
