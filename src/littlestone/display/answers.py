"""Answers and labels in words: the baseline, the figures, the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.display.words import clipped, counted
from littlestone.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.metrics import Auc, Chances, Confusion, Coverage, Errors

__all__ = [
    "answer",
    "baseline",
    "by_class",
    "figures",
    "inside",
    "likely",
    "matrix",
    "measured",
    "off_by",
    "order",
]


def answer(label: object) -> str:
    """Return an answer as people read it.

    Examples
    --------
    >>> from littlestone.display.answers import answer
    >>> answer(True), answer("rose")
    ('yes', 'rose')
    """
    if isinstance(label, bool):
        return "yes" if label else "no"
    return clipped(printable(str(label)), 24)


def baseline(confusion: Confusion) -> str:
    """Return the mistakes of the commoner answer, so far and in hindsight."""
    rounds = max(1, confusion.rounds)
    so_far, known = confusion.baseline, confusion.hindsight
    return (
        f"{so_far:,} ({so_far / rounds:.4%}) by the commoner answer so far; {known:,} "
        f"({known / rounds:.4%}) by {answer(confusion.commoner)} in hindsight"
    )


def order(confusion: Confusion) -> str | None:
    """Return that the labels seem to be sorted; None if they do not.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.display.answers import order
    >>> from littlestone.linear import Perceptron
    >>> stream = [([1.0], True)] * 60 + [([2.0], False)] * 60
    >>> print(order(run(Perceptron(), stream).confusion))
    the label changes 1 time, in a random order about 60 times: a stream sorted by label makes few mistakes whatever is learned
    >>> order(run(Perceptron(), [*stream[:1], *stream[-1:]] * 60).confusion)
    """  # noqa: E501 - a message is one line
    if not confusion.seems_sorted:
        return None
    changes = counted(confusion.changes or 0, "time")
    return (
        f"the label changes {changes}, in a random order about "
        f"{confusion.usual_changes:,.0f} times: a stream sorted by label makes few "
        "mistakes whatever is learned"
    )


def off_by(errors: Errors) -> str:
    """Return how far predicted numbers are off.

    Examples
    --------
    >>> from littlestone.display.answers import off_by
    >>> from littlestone.metrics import Errors
    >>> off_by(Errors(10, 1.5, 2.0, -0.25, 0.75))
    'MAE 1.5, RMSE 2, mean error -0.25, R2 0.75'
    """
    share = "" if errors.explained is None else f", R2 {errors.explained:.4g}"
    share += "".join(f", {name} {lost:.4g}" for name, lost in errors.pinballs.items())
    return (
        f"MAE {errors.mean_absolute:.6g}, RMSE {errors.root_mean_square:.6g}, mean "
        f"error {errors.mean:.3g}{share}"
    )


def inside(coverage: Coverage) -> str:
    """Return how often outcomes were inside their intervals.

    Examples
    --------
    >>> from littlestone.display.answers import inside
    >>> from littlestone.metrics import Coverage
    >>> inside(Coverage(200, 21, 0.9, 1.5))
    '89.50% of outcomes inside, asked 90%; mean width 1.5'
    >>> inside(Coverage(200, 21, 0.9, 1.5, 10.0)).partition("; ")[0]
    '89.50% of outcomes inside, asked 90%, and by ACI within 5.00% of it'
    """
    by = ""
    if coverage.off is not None:
        by = f", and by ACI within {coverage.off:.2%} of it"
        by += " (vacuous: says nothing yet)" * coverage.vacuous
    return (
        f"{coverage.share:.2%} of outcomes inside, asked {100 * coverage.level:.4g}%"
        f"{by}; mean width {coverage.mean_width:.6g}"
    )


def likely(chances: Chances) -> str:
    """Return how good probabilities are.

    Examples
    --------
    >>> from littlestone.display.answers import likely
    >>> from littlestone.metrics import Bin, Chances
    >>> likely(Chances(4, 0.5, 0.2, (Bin(4, 0.5, 0.25),)))
    'log loss 0.5, Brier 0.2, off by 25.00% on average'
    """
    lost = f"log loss {chances.log_loss:.5g}"
    if chances.brier is None:
        return lost
    off = f"off by {chances.calibration_error:.2%} on average"
    return f"{lost}, Brier {chances.brier:.5g}, {off}"


def measured(record: Any) -> Iterator[tuple[str, str]]:
    """Yield what else to say of a record: its order, probabilities, numbers.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.display.answers import measured
    >>> from littlestone.linear import CoinBetting
    >>> list(measured(run(CoinBetting("square"), [([1.0], 2.0)])))
    [('Errors', 'MAE 2, RMSE 2, mean error -2')]
    """
    if record.confusion is not None and (told := order(record.confusion)) is not None:
        yield "Order", told
    if record.chances is not None:
        yield "Probabilities", likely(record.chances)
    if record.errors is not None:
        yield "Errors", off_by(record.errors)
    if record.coverage is not None:
        yield "Intervals", inside(record.coverage)


def figures(confusion: Confusion, auc: Auc | None = None) -> str:
    """Return precision, recall, F1, balanced error, and the area if it is known."""
    of = "" if confusion.binary else f", means of {len(confusion.by_class):,} classes"
    area = ""
    if auc is not None:
        off = f" (off by at most {auc.error:.1g})" if auc.error else ""
        area = f", AUC {auc.value:.2%}{off}"
    return (
        f"precision {confusion.precision:.2%}, recall {confusion.recall:.2%}, F1 "
        f"{confusion.f1:.2%}, balanced error {confusion.balanced_error:.2%}{area}{of}"
    )


def matrix(confusion: Confusion, most: int = 12) -> list[tuple[str, ...]] | None:
    """Return the confusion matrix as rows of text under their heading.

    None if there is no matrix, or it has more classes.

    Examples
    --------
    >>> from littlestone.display.answers import matrix
    >>> from littlestone.metrics import ByClass, Confusion
    >>> classes = ByClass("a", 2, 1, 1), ByClass("b", 1, 2, 1)
    >>> matrix(Confusion(classes, ((1, 1), (0, 1)), 1, binary=False))
    [('label', 'said a', 'said b'), ('a', '1', '1'), ('b', '0', '1')]
    """
    if confusion.counts is None or not 0 < len(confusion.by_class) <= most:
        return None
    names = [answer(label) for label in confusion.classes]
    rows: list[tuple[str, ...]] = [("label", *(f"said {name}" for name in names))]
    for name, counts in zip(names, confusion.counts, strict=True):
        rows.append((name, *(f"{count:,}" for count in counts)))
    return rows


def by_class(confusion: Confusion, most: int = 12) -> list[tuple[str, ...]]:
    """Return the figures of the commonest classes as rows under their heading."""
    rows: list[tuple[str, ...]] = [
        ("class", "rounds", "said", "precision", "recall", "F1")
    ]
    for each in sorted(confusion.by_class, key=lambda each: -each.rounds)[:most]:
        shares = (f"{x:.2%}" for x in (each.precision, each.recall, each.f1))
        counts = (f"{each.rounds:,}", f"{each.said:,}")
        rows.append((answer(each.label), *counts, *shares))
    return rows
