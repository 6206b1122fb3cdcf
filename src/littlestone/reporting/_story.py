"""The content of a report, however it is shown."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone import __version__, theorems
from littlestone.concepts._lines import rule_lines
from littlestone.display.answers import baseline, by_class, figures, matrix, measured
from littlestone.display.words import (
    NONE,
    clipped,
    counted,
    figure,
    whole_or_figure,
)
from littlestone.errors import LittlestoneError, ParameterError, printable
from littlestone.reporting._charts import Chart, Line, Table, Values
from littlestone.reporting._quality import quality_charts, quality_tables

if TYPE_CHECKING:
    from littlestone.comparators import Comparator
    from littlestone.running import Point, Record
    from littlestone.verifying import Certificate

__all__ = ["MOST", "Story", "story_of"]

MOST = 12
"""How many experts are shown by name; the rest are lumped together."""

_WEIGHTS = 20  # the largest are shown
_ROWS = 12  # of the table of the curve
_RECENT = 20  # the last 1/20 of the rounds are recent
_PARTS = 24  # of a rule
_FAR = 8  # a bound this many times the count is off the plot
_EARLY = 0.05  # of the rounds, before a rate means much
_NAME = 24  # characters of a name in a plot
_ALIKE = 1e-6  # relative difference between two sums of the same losses


@dataclass(frozen=True)
class Story:
    """The content of a report.

    Attributes
    ----------
    title, headline
        The title, and how the run went, in two or three sentences.
    holds
        Whether all bounds hold; None if there are none, or none says anything.
    figures
        The few numbers that matter most: a name, the number, and a remark.
    certificate
        The heading and the text of the certificate; None without one.
    note
        A sentence shown in place of a certificate.
    rule
        The rule that was learned, part by part; None for a learner without one.
    charts, tables
        The plots, and the numbers.
    facts
        What was run, by name.
    """

    title: str
    headline: str
    holds: bool | None
    figures: tuple[tuple[str, str, str], ...]
    certificate: tuple[str, str] | None
    note: str | None
    rule: tuple[str, ...] | None
    charts: tuple[Chart, ...]
    tables: tuple[Table, ...]
    facts: tuple[tuple[str, str], ...]


def story_of(
    record: Record,
    *,
    certificate: Certificate | None = None,
    learner: Any = None,
    comparators: tuple[Comparator, ...] = (),
    title: str | None = None,
    note: str | None = None,
) -> Story:
    """Return the content of a report."""
    if certificate is not None:
        _check_certificate(certificate, record)
    for comparator in comparators:
        if comparator.rounds != record.rounds:
            raise ParameterError(
                f"a comparator must be of the same {record.rounds:,} rounds, got one "
                f"of {comparator.rounds:,}",
                owner="report",
            )
    _check_learner(learner, record)
    teller = _Teller(record, certificate, learner, comparators)
    return Story(
        title=printable(record.learner.name if title is None else str(title)),
        headline=teller.headline(),
        holds=teller.holds(),
        figures=tuple(teller.figures()),
        certificate=teller.certified(),
        note=note,
        rule=teller.rule(),
        charts=tuple(teller.charts()),
        tables=tuple(teller.tables()),
        facts=tuple(teller.facts()),
    )


def _check_certificate(certificate: Certificate, record: Record) -> None:
    """Refuse the certificate of another run."""
    both: list[tuple[str, Any, Any]] = [
        ("learner", record.learner.name, certificate.learner["name"]),
        ("rounds", record.rounds, certificate.rounds),
        ("mistakes", record.mistakes, certificate.mistakes),
    ]
    if record.digest is not None:
        both.append(("digest", record.digest, certificate.digest))
    for name, own, its in both:
        if own != its:
            raise ParameterError(
                f"the certificate must be that of the run, whose {name} is {own!r}, "
                f"got one whose {name} is {its!r}",
                owner="report",
            )


def _check_learner(learner: Any, record: Record) -> None:
    """Refuse a learner that is not the one that played."""
    if learner is not None and type(learner).__name__ != record.learner.name:
        raise ParameterError(
            f"learner must be the {record.learner.name} that played, got "
            f"{clipped(repr(learner))}",
            owner="report",
        )


@dataclass(frozen=True)
class _Teller:
    """Writes the parts of a report."""

    record: Record
    certificate: Certificate | None
    learner: Any
    comparators: tuple[Comparator, ...]

    # In words -----------------------------------------------------------------

    def holds(self) -> bool | None:
        """Return whether all bounds hold, or None if none says anything."""
        if self.certificate is not None and not self.certificate.holds:
            return False
        if self.record.exceeded:
            return False
        live = self.record.bound is not None and not self.record.emptiness
        proved = self.certificate is not None and not self.certificate.emptiness
        return True if live or proved else None

    def headline(self) -> str:
        record = self.record
        name, rounds = record.learner.name, counted(record.rounds, "round")
        if record.outcome.charged and record.loss is not None:
            mean = record.loss / max(1, record.rounds)
            told = f"{name} lost {figure(record.loss)} in {rounds}"
            sentences = [f"{told} ({figure(mean)} a round)."]
        else:
            made = counted(record.mistakes, "mistake")
            sentences = [f"{name} played {rounds} and made {made} ({record.rate:.2%})."]
        if record.expected_mistakes is not None:
            expected = figure(float(record.expected_mistakes))
            sentences.append(f"Over its random draws, {expected} were expected.")
        if record.regret is not None:
            by = figure(abs(record.regret))
            more = "more" if record.regret >= 0 else "less"
            best = clipped(_name(record.best_expert), _NAME)
            sentences.append(f"That is {by} {more} than {best}, the best expert.")
        if record.bound is not None and not self._told_twice():
            sentences.append(self._live())
        if record.unrealizable is not None:
            since = f"{record.unrealizable:,}"
            sentences.append(f"No concept of its class fits since round {since}.")
        if self.certificate is not None:
            sentences.append(self._proved(self.certificate))
        return " ".join(sentences)

    def _told_twice(self) -> bool:
        """Return whether the certificate repeats the bound without hindsight."""
        record, certificate = self.record, self.certificate
        return (
            certificate is not None
            and certificate.theorem == record.theorem
            and not record.exceeded
            and figure(certificate.bound) == figure(record.bound)
        )

    def _live(self) -> str:
        record = self.record
        promise = _promise(record.bound or 0.0, str(record.bound_of))
        if record.exceeded:
            return (
                f"THE BOUND IS EXCEEDED: {record.theorem} promises {promise}, so a "
                "premise is broken."
            )
        how = "by the best witness found" if record.witnessed else "without hindsight"
        idle = f", which is {record.emptiness}" if record.emptiness else ""
        return f"{record.theorem} promises {promise}, {how}{idle}."

    def _proved(self, certificate: Certificate) -> str:
        if not certificate.holds:
            return (
                f"THE CERTIFICATE DOES NOT HOLD: {certificate.theorem} is exceeded, so "
                "a premise is broken, or there is a bug."
            )
        side = "least" if self._lower else "most"
        promise = _promise(certificate.bound, certificate.counts, side)
        on = (
            "this stream"
            if certificate.scope == "run"
            else "every order of this stream"
        )
        told = f"{certificate.theorem} promises {promise} on {on}, as certified"
        empty = certificate.emptiness
        return told + (f"; but that is {empty}." if empty else ".")

    @property
    def _lower(self) -> bool:
        if self.certificate is None:
            return False
        try:
            return theorems.get(self.certificate.theorem).lower
        except LittlestoneError:
            return False

    def certified(self) -> tuple[str, str] | None:
        if self.certificate is None:
            return None
        heading = "THE CERTIFICATE DOES NOT HOLD"
        if self.certificate.holds:
            empty = self.certificate.emptiness
            idle = f", but is {empty}" if empty else ""
            heading = f"The certificate holds{idle}"
        return heading, str(self.certificate)

    def rule(self) -> tuple[str, ...] | None:
        concept = getattr(self.learner, "concept_", None)
        return None if concept is None else tuple(rule_lines(concept, _PARTS))

    # In numbers ---------------------------------------------------------------

    def figures(self) -> Iterator[tuple[str, str, str]]:
        record = self.record
        passes = f"in {record.passes} passes" if record.passes > 1 else ""
        yield "Rounds", f"{record.rounds:,}", passes
        if record.outcome.charged and record.loss is not None:
            mean = record.loss / max(1, record.rounds)
            yield "Loss", figure(record.loss), f"{figure(mean)} a round"
        else:
            yield "Mistakes", f"{record.mistakes:,}", f"{record.rate:.2%} of the rounds"
        if record.regret is not None:
            best = clipped(_name(record.best_expert), _NAME)
            yield "Regret", figure(record.regret), f"to {best}"
        elif record.updates is not None:
            yield "Updates", f"{record.updates:,}", "rounds that changed it"
        if record.bound is not None and not self._told_twice():
            what = str(record.bound_of)
            most = whole_or_figure(record.bound, what)
            empty = record.emptiness.partition(":")[0]
            idle = f", {empty}" if empty else ""
            yield "Bound", most, f"on {what}, by {record.theorem}{idle}"
        if self.certificate is not None:
            what = self.certificate.counts
            most = whole_or_figure(self.certificate.bound, what)
            empty = self.certificate.emptiness.partition(":")[0]
            idle = f", {empty}" if empty else ""
            yield "Certified", most, f"{what}, by {self.certificate.theorem}{idle}"

    def facts(self) -> Iterator[tuple[str, str]]:
        record = self.record
        given = record.learner.parameters
        yield "Learner", record.learner.name
        told = ", ".join(f"{name}={value!r}" for name, value in given.items())
        yield "Parameters", clipped(told, 600) or "none"
        yield "Stream", record.digest or "no digest"
        yield "Rounds", f"{record.rounds:,}"
        yield "Passes", f"{record.passes:,}"
        if record.confusion is not None and record.confusion.rounds:
            yield "Baseline", baseline(record.confusion)
            yield "Metrics", figures(record.confusion, record.auc)
        yield from measured(record)
        if record.updates is not None:
            yield "Updates", f"{record.updates:,}"
        if record.weights is not None:
            yield "Experts", f"{len(record.weights):,}"
        yield "Bound without hindsight", self._theorem(record.theorem)
        yield "Made by", f"littlestone {__version__}"

    def _theorem(self, name: str | None) -> str:
        if name is None:
            return "none"
        return f"{name}: {theorems.get(name).statement}"

    def tables(self) -> Iterator[Table]:
        record = self.record
        if record.regrets and record.expert_losses and record.weights:
            ranked = heapq.nsmallest(
                MOST,
                record.regrets,
                key=lambda who: -record.regrets[who],  # type: ignore[index]  # there are some
            )
            rows = tuple(
                (
                    clipped(_name(who), 2 * _NAME),
                    figure(record.expert_losses[who]),
                    figure(record.regrets[who]),
                    f"{record.weights[who]:.1%}",
                )
                for who in ranked
            )
            left = len(record.regrets) - len(ranked)
            more = f", the best {len(ranked)} of {len(record.regrets):,}"
            yield Table(
                "The experts" + (more if left else ""),
                ("Expert", "Loss", "Regret to it", "Weight at the end"),
                rows,
            )
        yield from _answers(record)
        yield from quality_tables(record)
        if record.curve:
            yield self._course()

    def _course(self) -> Table:
        """Return some points of the curve."""
        record = self.record
        curve = record.curve
        last = len(curve) - 1
        parts = min(last, _ROWS - 1)
        at = sorted({round(i * last / max(1, parts)) for i in range(parts + 1)})
        columns: dict[str, Any] = {"Round": lambda p: f"{p.rounds:,}"}
        if not record.outcome.charged:
            columns["Mistakes"] = lambda p: f"{p.mistakes:,}"
            columns["Rate so far"] = lambda p: f"{p.mistakes / p.rounds:.2%}"
        if any(point.loss is not None for point in curve):
            columns["Loss"] = lambda p: figure(p.loss)
        if any(point.regret is not None for point in curve):
            columns["Regret"] = lambda p: figure(p.regret)
        if any(point.bound is not None for point in curve):
            what = str(record.trail.promises.counts)
            columns[f"Bound on {what}"] = lambda p: (
                NONE if p.bound is None else whole_or_figure(p.bound, what)
            )
        rows = (tuple(tell(curve[i]) for tell in columns.values()) for i in at)
        return Table("The course of the run", tuple(columns), tuple(rows))

    # In plots -----------------------------------------------------------------

    def charts(self) -> Iterator[Chart]:
        if self.record.curve:
            yield self._counted()
            yield self._rate()
            if any(point.regret is not None for point in self.record.curve):
                yield self._regret()
        if self.record.regrets or self.comparators:
            yield self._regrets()
        yield from quality_charts(self.record)
        yield from self._stack()
        yield from self._largest()

    def _counted(self) -> Chart:
        """Draw the mistakes, or the loss, with what bounds them."""
        record = self.record
        curve = record.curve
        own: Values
        if record.outcome.charged:
            what, own = "loss", tuple(point.loss for point in curve)
            bounding: tuple[str, ...] = ("loss",)
        else:
            what, own = "mistakes", tuple(float(point.mistakes) for point in curve)
            bounding = ("mistakes", "expected mistakes", "updates")
        lines = [Line(what, own), *self._bounds(bounding), *self._rival()]
        title = what.capitalize()
        if any(line.role in ("bound", "certified") for line in lines):
            title += " against the bound"
        says = (
            "The total loss so far" if record.outcome.charged else "All mistakes so far"
        )
        return _lines(title, f"{says}, round by round.", what, curve, lines)

    def _rival(self) -> Iterator[Line]:
        """Yield the best expert's loss, if it is the learner's less the regret."""
        record = self.record
        if record.loss is None or record.regret is None or not record.expert_losses:
            return
        theirs = record.expert_losses[record.best_expert]
        scale = max(1.0, abs(record.loss))
        if abs(record.loss - record.regret - theirs) > _ALIKE * scale:
            return  # some expert slept
        if not record.outcome.charged and record.loss != record.mistakes:
            return  # the loss is not in mistakes
        own = (p.loss if record.outcome.charged else p.mistakes for p in record.curve)
        values = tuple(
            None if lost is None or p.regret is None else max(0.0, lost - p.regret)
            for lost, p in zip(own, record.curve, strict=True)
        )
        yield Line("best expert so far", values, "rival")

    def _bounds(self, what: tuple[str, ...]) -> Iterator[Line]:
        """Yield the live and the certified bound, if they are of such a count."""
        record, certificate = self.record, self.certificate
        curve = record.curve
        counts = record.trail.promises.counts
        if counts in what and any(point.bound is not None for point in curve):
            told = f" on {counts}" if counts != what[0] else ""
            by = f" ({record.theorem})" if record.theorem else ""
            name = f"bound{told}{by}"
            yield Line(name, tuple(point.bound for point in curve), "bound")
        if certificate is None or self._lower or self._told_twice():
            return
        if certificate.counts in what:
            told = f" on {certificate.counts}" if certificate.counts != what[0] else ""
            name = f"certified bound{told} ({certificate.theorem})"
            yield Line(name, (certificate.bound,) * len(curve), "certified")

    def _rate(self) -> Chart:
        """Draw the mistakes or the loss per round, so far and recently."""
        record = self.record
        numbers = record.outcome.charged
        curve = record.curve
        totals = [
            float((point.loss or 0.0) if numbers else point.mistakes) for point in curve
        ]
        far = tuple(t / p.rounds for t, p in zip(totals, curve, strict=True))
        lines = [Line("so far", far)]
        window = record.rounds // _RECENT
        if window >= _RECENT:
            name = f"in the latest {window:,} rounds"
            lines.append(Line(name, _recent(curve, totals, window), "recent"))
        title = "Mean loss" if numbers else "Mistake rate"
        rate = "loss a round" if numbers else "mistakes a round"
        says = "Each mistake was counted before the learner saw the label."
        if numbers:
            says = "Each loss was charged before the learner saw the outcome."
        # The rates of the first rounds are extreme, and would squash the rest.
        early = _EARLY * record.rounds
        known = [
            (point.rounds, value)
            for line in lines
            for point, value in zip(curve, line.values, strict=True)
            if value is not None
        ]
        later = max(value for rounds, value in known if rounds >= early)
        ceiling = None
        if later > 0 and max(value for _, value in known) > 2 * later:
            ceiling = 1.6 * later
            says += " The first rounds are off the plot."
        return Chart(
            "lines",
            title,
            says,
            rate,
            tuple(point.rounds for point in curve),
            tuple(lines),
            ceiling=ceiling,
            percent=not numbers,
        )

    def _regret(self) -> Chart:
        curve = self.record.curve
        own = Line("regret", tuple(point.regret for point in curve))
        says = (
            "How much more the learner lost than the expert that was best so far; "
            "below 0 it did better."
        )
        lines = [own, *self._bounds(("regret",))]
        return _lines("Regret to the best expert", says, "regret", curve, lines)

    def _regrets(self) -> Chart:
        record = self.record
        regrets = record.regrets or {}
        bars = [
            (_KINDS[each.kind], record.loss - each.loss)
            for each in self.comparators
            if record.loss is not None
        ]
        ranked = heapq.nsmallest(MOST, regrets, key=lambda who: -regrets[who])
        bars += [(_name(who), regrets[who]) for who in ranked]
        more = len(regrets) - len(ranked)
        rest = f" The {more:,} that are not shown did worse." if more > 0 else ""
        return Chart(
            "bars",
            "Regret to each expert" + (" and comparator" if self.comparators else ""),
            "How much more the learner lost than each of them, over the rounds in "
            f"which that one was awake.{rest}",
            "regret",
            bars=tuple((clipped(name, _NAME), value) for name, value in bars),
        )

    def _stack(self) -> Iterator[Chart]:
        curve = self.record.weight_curve(MOST)
        if curve is None or len(curve.rounds) < 2:  # noqa: PLR2004 - a line has two ends
            return
        lines = [
            Line(clipped(_name(who), _NAME), weights)
            for who, weights in curve.weights.items()
        ]
        says = "The share of each expert in what the learner predicts."
        if curve.others is not None:
            lines.append(Line("all others", curve.others, "rival"))
            many = len(self.record.weights or ()) - len(curve.weights)
            says += f" The other {many:,} are lumped together."
        yield Chart(
            "stack",
            "Weights of the experts",
            says,
            "weight",
            curve.rounds,
            tuple(lines),
            percent=True,
        )

    def _largest(self) -> Iterator[Chart]:
        """Yield the largest weights of a learner that is linear."""
        weights = getattr(self.learner, "weights_", None)
        if not isinstance(weights, Mapping) or not weights or self.record.weights:
            return
        flat = list(_flat(weights))
        top = heapq.nsmallest(_WEIGHTS, flat, key=lambda pair: -abs(pair[1]))
        if not top:
            return
        more = len(flat) - len(top)
        sign = "Above 0 speaks for yes, below 0 for no."
        if any(isinstance(each, Mapping) for each in weights.values()):
            sign = "Above 0 speaks for the class, below 0 against it."
        elif all(weight >= 0 for _, weight in flat):
            sign = "The larger, the more a feature speaks for yes."
        rest = f" {more:,} more are smaller." if more else ""
        yield Chart(
            "bars",
            "The largest weights",
            f"{sign}{rest}",
            "weight",
            bars=tuple((clipped(name, _NAME), weight) for name, weight in top),
        )


def _answers(record: Record) -> Iterator[Table]:
    """Yield how each class was predicted, and which answers were given instead."""
    confusion = record.confusion
    if confusion is None or not confusion.rounds:
        return
    head, *rows = by_class(confusion, MOST)
    yield Table("By class", tuple(map(_titled, head)), tuple(rows))
    if (whole := matrix(confusion, MOST)) is not None:
        head, *rows = whole
        yield Table("The answers to each label", tuple(map(_titled, head)), tuple(rows))


def _titled(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


_KINDS = {
    "expert": "best expert",
    "convex": "best convex combination",
    "linear": "best linear combination",
    "shifting": "best sequence",
}


def _promise(bound: float, what: str, side: str = "most") -> str:
    """Return a bound in words, with what it bounds."""
    told = whole_or_figure(bound, what)
    if what in ("regret", "loss"):
        return f"a {what} of at {side} {told}"
    one = told == "1" and what.endswith("s")
    return f"at {side} {told} {what[:-1] if one else what}"


def _name(who: Any) -> str:
    """Return the name of an expert."""
    return f"expert {who}" if isinstance(who, int) else printable(str(who))


def _flat(weights: Mapping[Any, Any]) -> Iterator[tuple[str, float]]:
    """Yield the weights by name, with the class before it if there are several."""
    for key, weight in weights.items():
        if isinstance(weight, Mapping):
            for name, each in weight.items():
                yield printable(f"{key}: {_feature(name)}"), float(each)
        else:
            yield _feature(key), float(weight)


def _feature(name: Any) -> str:
    return f"feature {name}" if isinstance(name, int) else printable(str(name))


def _recent(curve: tuple[Point, ...], totals: list[float], window: int) -> Values:
    """Return the rates over the last `window` rounds; None while there are fewer."""
    rounds, sums = [0, *(point.rounds for point in curve)], [0.0, *totals]
    found: list[float | None] = []
    since = 0  # the latest point that is at least a window ago
    for now, total in zip(rounds[1:], totals, strict=True):
        while rounds[since + 1] <= now - window:
            since += 1
        passed = now - rounds[since]
        found.append(None if passed < window else (total - sums[since]) / passed)
    return tuple(found)


def _lines(
    title: str, says: str, scale: str, curve: tuple[Point, ...], lines: list[Line]
) -> Chart:
    """Return a plot of lines, cut off below a bound that is far away."""
    own = [v for line in lines if _near(line) for v in line.values if v is not None]
    highest = max(own, default=0.0)
    reach = highest - min([0.0, *own])
    bounds = {
        line.name: max(v for v in line.values if v is not None)
        for line in lines
        if not _near(line)
    }
    beyond = {name: bound for name, bound in bounds.items() if bound > _FAR * reach > 0}
    ceiling = None
    if beyond:
        ceiling = 1.1 * max([highest, *(bounds[n] for n in bounds.keys() - beyond)])
        told = (f"the {n} is {whole_or_figure(b, scale)}" for n, b in beyond.items())
        says += f" Far above the plot, {' and '.join(told)} at its highest."
    rounds = tuple(point.rounds for point in curve)
    return Chart("lines", title, says, scale, rounds, tuple(lines), ceiling=ceiling)


def _near(line: Line) -> bool:
    return line.role not in ("bound", "certified")
