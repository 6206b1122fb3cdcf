"""What a model file holds, for people to read, and how two of them differ."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.display import Displayed
from littlestone.display.learned import Weight, learned, weights_of
from littlestone.display.words import counted
from littlestone.models._file import FORMAT, read
from littlestone.models._markdown import markdown_of
from littlestone.models._models import read_model, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.learner import Learner
    from littlestone.streams import Reading

__all__ = ["ModelCard", "ModelDiff", "Weight", "diff", "inspect"]


@dataclass(frozen=True)
class ModelCard(Displayed):
    """What a model file holds; made by `inspect`.

    Attributes
    ----------
    path, size, digest, format
        The file, its bytes, its digest and the number of its format.
    learner
        The name of the learner.
    parameters
        What it was made with.
    updates, rounds
        How many rounds have changed it, and from how many it has learned; None if it
        does not count them.
    features
        How many features it weighs or has met; None for a learner without features.
    largest
        The largest weights by size, of features.
    experts
        The largest weights of experts.
    rule
        What it has learned, in words; empty if there are none.
    run
        The `rounds` and `mistakes` of the unfinished run that wrote the file; None if
        there is none.
    reading
        How its stream was read; None if the file does not say.
    guarantees
        The ids of the theorems about the learner.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn_one({"cheap": 1, "pills": 2}, False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     models.save(learner, f"{folder}/mail.lst")
    ...     card = models.inspect(f"{folder}/mail.lst")
    >>> card.learner, card.updates, card.features
    ('Perceptron', 1, 2)
    >>> card.largest[0]
    Weight(feature='pills', weight=-2.0, label=None)
    """

    path: str
    size: int
    digest: str
    format: int
    learner: str
    parameters: dict[str, Any]
    updates: int
    rounds: int | None
    features: int | None
    largest: tuple[Weight, ...]
    experts: tuple[Weight, ...]
    rule: str
    run: dict[str, Any] | None
    reading: Reading | None
    guarantees: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; only the parameters may hold other objects.

        Examples
        --------
        >>> import tempfile
        >>> from littlestone import models
        >>> from littlestone.experts import FollowTheMajority
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     models.save(FollowTheMajority(), f"{folder}/majority.lst")
        ...     models.inspect(f"{folder}/majority.lst").to_dict()["rule"]
        'yes and no came equally often'
        """
        told = dict(vars(self))
        for name in ("largest", "experts"):
            told[name] = [weight._asdict() for weight in told[name]]
        told["guarantees"] = list(self.guarantees)
        told["reading"] = None if self.reading is None else self.reading.to_dict()
        return told

    def to_markdown(self) -> str:
        r"""Return a model card in Markdown, to be stored beside the file.

        Examples
        --------
        >>> import tempfile
        >>> from littlestone import models
        >>> from littlestone.linear import Perceptron
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     models.save(Perceptron(), f"{folder}/mail.lst")
        ...     card = models.inspect(f"{folder}/mail.lst").to_markdown()
        >>> print(card.split("\n\n")[1])
        # Perceptron
        """
        return markdown_of(self)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        given = ", ".join(f"{name}={v!r}" for name, v in self.parameters.items())
        yield f"{self.learner}({given})"
        yield f"  file      {self.path}, {self.size:,} bytes, format {self.format}"
        yield f"  digest    {self.digest}"
        counts = [] if self.rounds is None else [counted(self.rounds, "round")]
        yield "  learned   " + ", ".join([*counts, counted(self.updates, "update")])
        if self.run is not None:
            yield (
                f"  run       stopped after {counted(self.run['rounds'], 'round')} "
                f"with {counted(self.run['mistakes'], 'mistake')}; --resume continues"
            )
        if self.reading is not None:
            options = (f"{name}={v!r}" for name, v in self.reading.options.items())
            yield "  read as   " + ", ".join([self.reading.format, *options])
        if self.features is not None:
            yield f"  features  {self.features:,}"
        if self.rule:
            yield "  rule      " + self.rule.replace("\n", "\n            ")
        for title, weights in (("weights", self.largest), ("experts", self.experts)):
            if weights:
                yield f"  largest {title}"
                wide = max(len(weight.name) for weight in weights)
                for weight in weights:
                    yield f"    {weight.name:<{wide}}  {weight.weight: .6g}"


@dataclass(frozen=True)
class ModelDiff(Displayed):
    """How two model files differ; made by `diff`.

    Attributes
    ----------
    facts
        Each fact that differs, with its value in the first and in the second.
    weights
        The weights that differ most: `(feature, first, second, label)`.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     models.save(learner, f"{folder}/before.lst")
    ...     learner.learn_one({"pills": 2}, False)
    ...     models.save(learner, f"{folder}/after.lst")
    ...     print(models.diff(f"{folder}/before.lst", f"{folder}/after.lst"))
    updates   0 | 1
    features  0 | 1
    largest changes of weights
      pills  0 | -2
    """

    facts: dict[str, tuple[Any, Any]]
    weights: tuple[tuple[Weight, Weight], ...]

    def __bool__(self) -> bool:
        return bool(self.facts or self.weights)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON.

        Examples
        --------
        >>> from littlestone.models import ModelDiff
        >>> ModelDiff({"updates": (0, 1)}, ()).to_dict()
        {'facts': {'updates': [0, 1]}, 'weights': []}
        """
        changes = [
            {
                "feature": a.feature,
                "label": a.label,
                "first": a.weight,
                "second": b.weight,
            }
            for a, b in self.weights
        ]
        facts = {name: list(pair) for name, pair in self.facts.items()}
        return {"facts": facts, "weights": changes}

    def __str__(self) -> str:
        if not self:
            return "no difference"
        wide = max(map(len, self.facts), default=0)
        lines = [f"{name:<{wide}}  {a} | {b}" for name, (a, b) in self.facts.items()]
        if self.weights:
            lines.append("largest changes of weights")
            wide = max(len(a.name) for a, _ in self.weights)
            lines += [
                f"  {a.name:<{wide}}  {a.weight:.6g} | {b.weight:.6g}"
                for a, b in self.weights
            ]
        return "\n".join(lines)


def inspect(path: str | Path, *, top: int = 20) -> ModelCard:
    """Return what a model file holds, to be printed.

    Parameters
    ----------
    path
        A model file; it is checked as `load` does.
    top
        How many of the largest weights to show.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.boolean import ConjunctionLearner
    >>> learner = ConjunctionLearner(features=["a", "b", "c"])
    >>> learner.learn_one({"a": 1, "c": 1}, True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     models.save(learner, f"{folder}/rule.lst")
    ...     models.inspect(f"{folder}/rule.lst").rule
    'a and not b and c'
    """
    learner, run = read_model(path)
    return _card(path, learner, run, top)


def diff(first: str | Path, second: str | Path, *, top: int = 20) -> ModelDiff:
    """Return how two model files differ, to be printed.

    Parameters
    ----------
    first, second
        The files.
    top
        How many of the weights that differ most to show.

    Examples
    --------
    >>> import tempfile
    >>> from littlestone import models
    >>> from littlestone.experts import FollowTheMajority
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     models.save(FollowTheMajority(), f"{folder}/a.lst")
    ...     print(models.diff(f"{folder}/a.lst", f"{folder}/a.lst"))
    no difference
    """
    (a, a_run), (b, b_run) = read_model(first), read_model(second)
    cards = _card(first, a, a_run, 0), _card(second, b, b_run, 0)
    facts: dict[str, tuple[Any, Any]] = {}
    for name in ("learner", "updates", "rounds", "features", "rule", "run"):
        pair = getattr(cards[0], name), getattr(cards[1], name)
        if pair[0] != pair[1]:
            facts[name] = pair
    given = cards[0].parameters, cards[1].parameters
    for name in {**given[0], **given[1]}:
        shown = [repr(these[name]) if name in these else "-" for these in given]
        if shown[0] != shown[1]:
            facts[name] = (shown[0], shown[1])
    known = [{(w.label, w.feature): w for w in weights_of(one)} for one in (a, b)]
    changes = (
        (known[0].get(key, Weight(key[1], 0.0, key[0])), known[1].get(key))
        for key in {**known[0], **known[1]}
    )
    pairs = [(x, y or x._replace(weight=0.0)) for x, y in changes]
    largest = heapq.nlargest(
        top,
        (pair for pair in pairs if pair[0].weight != pair[1].weight),
        key=lambda pair: abs(pair[0].weight - pair[1].weight),
    )
    return ModelDiff(facts, tuple(largest))


def _card(
    path: str | Path, learner: Learner, run: dict[str, Any] | None, top: int
) -> ModelCard:
    told = read(path)[0]
    return ModelCard(
        path=str(path),
        size=Path(path).stat().st_size,
        digest=told["digest"],
        format=FORMAT,
        learner=type(learner).__name__,
        parameters=learner.get_params(deep=False),
        **learned(learner, top)._asdict(),
        run=None if run is None or run.get("over") else _progress(run),
        reading=reading(path),
        guarantees=tuple(theorem.id for theorem in learner.guarantees),
    )


def _progress(run: dict[str, Any]) -> dict[str, Any]:
    return {name: run.get(name) for name in ("rounds", "mistakes")}
