"""A model card in Markdown: what a model is, what it has learned, what is proved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.display.words import counted
from littlestone.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.models._card import ModelCard

__all__ = ["markdown_of"]


def markdown_of(card: ModelCard) -> str:
    """Return a model card in Markdown."""
    return "\n\n".join(_parts(card)) + "\n"


def _parts(card: ModelCard) -> Iterator[str]:
    tags = f"- online-learning\n- {card.learner}"
    yield f"---\nlibrary_name: littlestone\ntags:\n{tags}\n---"
    yield f"# {card.learner}"
    counts = [] if card.rounds is None else [counted(card.rounds, "round")]
    learned = " and ".join([*counts, counted(card.updates, "update")])
    yield f"An online learner of littlestone, after {learned}."
    if card.run is not None:
        rounds, mistakes = card.run["rounds"], card.run["mistakes"]
        yield (
            f"It was saved by a run that stopped after {counted(rounds, 'round')} with "
            f"{counted(mistakes, 'mistake')}."
        )
    if card.parameters:
        yield "## Parameters"
        yield _table(("name", "value"), _codes(card.parameters.items()))
    if card.reading is not None:
        yield "## How its data was read"
        options = {"format": card.reading.format, **card.reading.options}
        yield _table(("option", "value"), _codes(options.items()))
    if card.features is not None or card.rule or card.experts:
        yield "## What it has learned"
    if card.features is not None:
        yield f"It knows {counted(card.features, 'feature')}."
    if card.rule:
        yield f"```\n{printable(card.rule, lines=True)}\n```"
    for title, weights in (("feature", card.largest), ("expert", card.experts)):
        if weights:
            rows = [(_code(w.name), f"{w.weight:.6g}") for w in weights]
            yield _table((title, "weight"), rows)
    if card.guarantees:
        yield "## What is proved about it"
        rows = [(name, theorems.get(name).statement) for name in card.guarantees]
        yield _table(("theorem", "says"), [(name, _prose(says)) for name, says in rows])
        yield (
            "A theorem bounds a run from the learner's first round on. `littlestone "
            "certify` states the bound for a file, and `littlestone verify` checks it."
        )
    yield "## The file"
    facts = {"bytes": f"{card.size:,}", "format": card.format, "digest": card.digest}
    yield _table(("fact", "value"), _codes(facts.items()))
    yield "`littlestone.models.load` loads it; it holds no code."


def _codes(pairs: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
    return [
        (name, _code(value if isinstance(value, str) else repr(value)))
        for name, value in pairs
    ]


def _code(text: str) -> str:
    """Return a text as code that fits a cell of a table."""
    shown = _cell(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{space}{shown}{space}{fence}" if shown else ""


def _cell(text: str) -> str:
    """Return a text for a cell of a table, in code."""
    return printable(text).replace("|", r"\|")


def _prose(text: str) -> str:
    """Return a text for a cell of a table, in which nothing is emphasised."""
    return re.sub(r"([\\`*_<|])", r"\\\1", printable(text))


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [head, ("---", "---"), *rows]
    return "\n".join(f"| {name} | {value} |" for name, value in lines)
