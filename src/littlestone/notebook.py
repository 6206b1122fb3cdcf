"""How things look in a notebook: small tables, readable on light and on dark ground.

Text is escaped, colours are those of the page, and nothing is loaded or run.
"""

from __future__ import annotations

import math
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any

from littlestone.advising import Counsel
from littlestone.concepts import Concept
from littlestone.learner import Learner
from littlestone.models._card import learned
from littlestone.reporting._words import (
    NONE,
    clipped,
    counted,
    figure,
    rule_lines,
    whole_or_figure,
)
from littlestone.running import Record
from littlestone.running.race import Race
from littlestone.running.ranking import columns, ranked
from littlestone.theorems import Theorem
from littlestone.verifying import Certificate, Verdict
from littlestone.verifying._certificate import brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from littlestone.running import Point

__all__ = ["html"]

_TOP = 8  # weights that are shown
_MOST_PARTS = 1_000_000  # of a rule that is worked out to be shown: half a second
_WIDE, _HIGH = 240, 48  # of a sparkline
_HEADROOM = 4  # a bound beyond so many times what was counted is out of sight


@singledispatch
def html(thing: Any) -> str:
    """Return a thing as a notebook shows it: a small table, or else what it prints.

    Examples
    --------
    >>> from littlestone.concepts import Disjunction
    >>> from littlestone.notebook import html
    >>> "<pre" in html(Disjunction("a", "b")), "a or b" in html(Disjunction("a", "b"))
    (True, True)
    """
    return _block(type(thing).__name__, _written(str(thing)))


# Pieces -------------------------------------------------------------------------


def _block(title: str, *parts: str, beside: str = "") -> str:
    """Return a title, what stands beside it, and parts that are HTML already."""
    beside = f" {_words(beside)}" if beside else ""
    head = f"<div><strong>{_words(title)}</strong>{beside}</div>"
    return f'<div class="littlestone">{head}{"".join(parts)}</div>'


def _words(text: str, most: int = 300) -> str:
    """Return a text as HTML, shortened if it is long, with nothing in it unseen."""
    seen = (
        each if each.isprintable() or each == "\n" else ascii(each)[1:-1]
        for each in clipped(text, most)
    )
    return escape("".join(seen), quote=True)


def _written(text: str, most: int = 2000) -> str:
    """Return a text in its own lines."""
    style = "white-space: pre-wrap; margin: 0.3em 0"
    return f'<pre style="{style}">{_words(text, most)}</pre>'


def _paragraph(text: str) -> str:
    return f'<p style="margin: 0.3em 0">{_words(text, 2000)}</p>'


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and values."""
    return _table((), [*rows])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, its first column a name."""
    left = 'style="text-align: left"'
    names = "".join(f'<th scope="col" {left}>{_words(name)}</th>' for name in head)
    lines = [
        f'<tr><th scope="row" {left}>{_words(row[0])}</th>'
        + "".join(f"<td {left}>{_words(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    ]
    if not lines:
        return ""
    top = f"<thead><tr>{names}</tr></thead>" if names else ""
    return f'<table style="color: inherit">{top}<tbody>{"".join(lines)}</tbody></table>'


def _sparkline(points: Sequence[Point], what: str) -> str:
    """Return how a run went: what was counted, and dashed below what it had to stay."""
    counts = [float(getattr(point, what) or 0) for point in points]
    bounds = [point.bound for point in points]
    known = [bound for bound in bounds if bound is not None and math.isfinite(bound)]
    most = max(counts, default=0.0)
    low = min(0.0, *counts)
    room = low + _HEADROOM * max(most - low, 1.0)
    top = max(most, min(max(known, default=0.0), room)) or 1.0
    last = points[-1].rounds

    def line(values: Iterable[float | None]) -> str:
        return " ".join(
            f"{_WIDE * point.rounds / last:.1f},"
            f"{_HIGH - (_HIGH - 2) * (value - low) / (top - low) - 1:.1f}"
            for point, value in zip(points, values, strict=True)
            if value is not None and math.isfinite(value)
        )

    told = f"{what} in {counted(last, 'round')}: {figure(counts[-1])}"
    if bounds[-1] is not None:
        told += f", at most {figure(bounds[-1])}"
    drawn = 'fill="none" stroke="currentColor" stroke-width="1.5"'
    return (
        f'<svg role="img" aria-label="{_words(told)}" width="{_WIDE}" height="{_HIGH}" '
        f'viewBox="0 0 {_WIDE} {_HIGH}"><title>{_words(told)}</title>'
        f'<polyline {drawn} points="{line(counts)}"/>'
        f'<polyline {drawn} stroke-dasharray="4 3" opacity="0.6" '
        f'points="{line(bounds)}"/></svg>'
    )


# Learners and runs --------------------------------------------------------------


@html.register
def _(learner: Learner) -> str:
    short = _parts_at_most(learner) <= _MOST_PARTS
    found = learned(learner, _TOP, rule=short)
    rounds = [] if found.rounds is None else [counted(found.rounds, "round")]
    rows = [("learned", ", ".join([*rounds, counted(found.updates, "update")]))]
    if found.features is not None:
        rows.append(("features", f"{found.features:,}"))
    rule = found.rule if short else "long; print(learner.concept_) tells it"
    weights = [
        (
            clipped(str(each.feature), 60),
            *([] if each.label is None else [clipped(str(each.label), 60)]),
            f"{each.weight:.6g}",
        )
        for each in found.largest or found.experts
    ]
    who = "feature" if found.largest else "expert"
    of_class = (
        ("class",) if weights and len(weights[0]) > len(("name", "weight")) else ()
    )
    return _block(
        repr(learner),
        _facts(rows),
        _written(rule, 600) if rule else "",
        _table((who, *of_class, "weight"), weights),
        _table(("theorem", "promises"), _statements(learner.guarantees)),
    )


def _parts_at_most(learner: Any) -> int:
    """Return how many parts a learner's rule may have."""
    features, k = getattr(learner, "features_", ()), getattr(learner, "k", 1)
    return math.comb(len(features), min(k, len(features))) << k


def _statements(guarantees: Iterable[Theorem]) -> list[tuple[str, str]]:
    return [(theorem.id, theorem.statement) for theorem in guarantees]


@html.register
def _(record: Record) -> str:
    what = "mistakes"
    if record.bound_of == "regret":
        what = "regret"
    elif record.of_numbers:
        what = "loss"
    line = _sparkline(record.curve, what) if record.rounds else ""
    return _block(str(record.learner), _facts(_happened(record)), line)


def _happened(record: Record) -> Iterator[tuple[str, str]]:
    """Yield what a record tells."""
    yield "rounds", f"{record.rounds:,}"
    if not record.of_numbers:
        yield "mistakes", f"{record.mistakes:,} ({record.rate:.2%})"
    if record.expected_mistakes is not None:
        yield "expected mistakes", figure(float(record.expected_mistakes))
    if record.loss is not None:
        yield "loss", figure(record.loss)
    if record.regret is not None:
        yield "regret", f"{figure(record.regret)} to {record.best_expert!r}"
    if record.updates is not None:
        yield "updates", f"{record.updates:,}"
    if record.bound is not None and record.bound_of is not None:
        most = f"{whole_or_figure(record.bound, record.bound_of)} {record.bound_of}"
        if record.exceeded:
            most += f": EXCEEDED, so a premise of {record.theorem} is broken"
        yield f"at most ({record.theorem})", most
    if record.unrealizable is not None:
        yield "no concept fits", f"since round {record.unrealizable:,}"
    if record.digest is not None:
        yield "stream", clipped(record.digest, 20)


@html.register
def _(race: Race) -> str:
    places = ranked(race.places)
    staying = [place for place in places if place.left is None]
    cells = columns(staying)
    gone = (
        _paragraph(f"{p.name} left after {counted(p.rounds, 'round')}: {p.left}")
        for p in places[len(staying) :]
    )
    rows = [[cell(place) for cell in cells.values()] for place in staying]
    return _block("Race", _table([*cells], rows), *gone)


# Theorems and certificates ------------------------------------------------------


@html.register
def _(theorem: Theorem) -> str:
    rows = [("says", theorem.statement)]
    rows += [("if", premise) for premise in theorem.premises]
    rows += [(name, what) for name, what in theorem.numbers.items()]
    rows += [("tight", theorem.tight)] if theorem.tight else []
    side = "a lower" if theorem.lower else "an upper"
    beside = f"{side} bound on {theorem.counts}"
    return _block(
        theorem.id, _facts(rows), _paragraph(theorem.reference), beside=beside
    )


@html.register
def _(certificate: Certificate) -> str:
    given = certificate.learner["parameters"].items()
    told = ", ".join(f"{name}={value!r}" for name, value in given)
    rows = [
        ("learner", f"{certificate.learner['name']}({told})"),
        ("rounds", f"{certificate.rounds:,}"),
        (certificate.counts, brief(certificate.counted)),
        ("bound", brief(certificate.bound)),
        ("witness", str(certificate.witness["kind"])),
        *((name, brief(number)) for name, number in certificate.numbers.items()),
        ("stream", clipped(certificate.digest, 20)),
    ]
    others = [
        (name, NONE if other["bound"] is None else brief(other["bound"]))
        for name, other in certificate.others.items()
    ]
    says = "holds" if certificate.holds else "DOES NOT HOLD"
    return _block(
        f"{certificate.theorem} {says}",
        _facts(rows),
        _table(("others", "not proved here"), others),
    )


@html.register
def _(verdict: Verdict) -> str:
    rows = [("right", each) for each in verdict.checked]
    rows += [] if verdict.wrong is None else [("wrong", verdict.wrong)]
    return _block("Accepted" if verdict.accepted else "Rejected", _facts(rows))


# Rules and advice ---------------------------------------------------------------


@html.register
def _(concept: Concept) -> str:
    return _block(type(concept).__name__, _written("\n".join(rule_lines(concept))))


@html.register
def _(counsel: Counsel) -> str:
    rows = [
        (
            trial.name,
            NONE if trial.mistakes is None else f"{trial.mistakes:,}",
            NONE if trial.bound is None else figure(trial.bound),
            trial.theorem or NONE,
            trial.reason or "",
        )
        for trial in counsel.trials
    ]
    head = ("learner", "mistakes", "at most", "theorem", "")
    return _block(
        f"Use {counsel.choice}",
        _table(head, rows),
        *(_paragraph(reason) for reason in counsel.reasons),
    )
