"""Search for rules that fit a table, and for the rows that rule all of them out.

Literals are numbers: of n features, literal i says that feature i is true, literal
n + i that it is false. A term is a tuple of literals in ascending order, so terms
compare by the features' order, what is true before what is false.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.boolean._table import packed, unpacked
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from littlestone.boolean._table import Table

__all__ = [
    "Counts",
    "Term",
    "Worth",
    "all_pure_terms",
    "covering_terms",
    "decision_rules",
    "distinct",
    "monotone_rivals",
    "rivals",
    "shrunk",
    "work_of",
]

Term: TypeAlias = tuple[int, ...]
# What terms are worth, given how many rows labelled yes and no they cover.
Worth: TypeAlias = "Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]"

# How often a row may be compared with a term to shrink the examples that rule out all
# lists: some seconds.
_MOST_WORK = 5 * 10**9
# What choosing the rules costs beside counting, in rows.
_RULES_COST = 300
# How many bytes the counts of terms may take: 8 GiB.
_MOST_BYTES = 1 << 33
# How many cells of a matrix are turned into floats at a time.
_MOST_CELLS = 1 << 25


def covering_terms(
    table: Table, k: int, rows: int, *, monotone: bool = False
) -> tuple[list[Term], int]:
    """Cover every yes by terms of at most k literals that no row labelled no satisfies.

    Of the table, these rows count alone.

    The term that covers most is taken first, of equals that with fewest literals, of
    these the first; in the end a term is dropped where the others do without it. With
    `monotone` no literal is negated.
    Return the terms, and the rows labelled yes that no such term covers.
    """
    if not table.no & rows:
        return [()], 0
    held = dict(distinct(table, rows))
    if monotone:
        held = {at: true for at, true in held.items() if at < len(table.true)}
    yes = table.yes & rows
    waiting = [
        (-gain.bit_count(), len(term), term)
        for term, gain in _shortest_pure_terms(yes, rows ^ yes, held, k)
    ]
    covered = 0
    for _, _, term in waiting:
        covered |= table.satisfying(term)
    if yes & ~covered:
        return [], yes & ~covered

    heapq.heapify(waiting)
    missing, chosen = yes, []
    while missing:
        promised, size, term = heapq.heappop(waiting)
        gain = table.satisfying(term) & missing
        # What a term gains can only shrink, so the first whose gain is confirmed wins.
        if gain.bit_count() == -promised:
            chosen.append(term)
            missing &= ~gain
        elif gain:
            heapq.heappush(waiting, (-gain.bit_count(), size, term))
    return _needed({term: table.satisfying(term) & rows for term in chosen}), 0


def _shortest_pure_terms(
    yes: int, no: int, held: dict[int, int], k: int
) -> Iterator[tuple[Term, int]]:
    """Yield terms of 1 to k literals that cover rows labelled yes only, and the rows.

    A term is not made longer if that cannot cover more.
    """
    literals = list(held.items())

    def longer(term: Term, rows: int, first: int) -> Iterator[tuple[Term, int]]:
        for at in range(first, len(literals)):
            literal, true = literals[at]
            both = rows & true
            if not both & yes:
                continue
            wrong = both & no
            if not wrong:
                yield (*term, literal), both
            elif len(term) + 1 < k and wrong != rows & no:
                # The literal rules something out, so others may do the rest.
                yield from longer((*term, literal), both, at + 1)

    return longer((), yes | no, 0)


def all_pure_terms(table: Table, k: int, *, monotone: bool = False) -> Iterator[Term]:
    """Yield all terms of 1 to k literals that no row labelled no satisfies."""
    count, everything, no = len(table.true), table.everything, table.no
    held = [*table.true, *(everything ^ rows for rows in table.true)]
    for size in range(1, min(k, count) + 1):
        for features in itertools.combinations(range(count), size):
            either = (0,) if monotone else (0, count)
            for signs in itertools.product(either, repeat=size):
                term = tuple(map(sum, zip(features, signs, strict=True)))
                rows = no
                for literal in term:
                    rows &= held[literal]
                if not rows:
                    yield tuple(sorted(term))


def rivals(table: Table, row: int, k: int, rows: int) -> int:
    """Return some of these rows that satisfy every term that `row`, a yes, satisfies.

    They are labelled no. Each term of at most k literals that `row` satisfies is
    satisfied by one of them; if any one of them were left out, some would not be.
    None of them may equal `row`.
    """
    everything, no = table.everything, table.no & rows
    agreeing = {
        (true if true >> row & 1 else everything ^ true) & no for true in table.true
    }
    agreeing.discard(no)  # what all rows agree on separates none
    candidates = np.flatnonzero(unpacked([no], len(table.numbers))[0])
    by_feature = unpacked(sorted(agreeing), len(table.numbers))[:, candidates]
    agree, firsts = np.unique(by_feature.T, axis=0, return_index=True)
    candidates = candidates[firsts]

    # It is enough to look at the longest terms, each known by its features.
    width = agree.shape[1]
    size = min(k, width)
    flat = itertools.chain.from_iterable(itertools.combinations(range(width), size))
    terms = np.fromiter(flat, np.intp).reshape(-1, size)
    waiting = [
        (-math.comb(int(features), size), int(candidate), at)
        for at, (features, candidate) in enumerate(
            zip(agree.sum(axis=1), candidates, strict=True)
        )
    ]
    heapq.heapify(waiting)
    missing, chosen = terms, []
    while len(missing):
        promised, candidate, at = heapq.heappop(waiting)
        hit = agree[at][missing].all(axis=1)
        gain = int(hit.sum())
        if gain == -promised:
            chosen.append(at)
            missing = missing[~hit]
        elif gain:
            heapq.heappush(waiting, (-gain, candidate, at))

    hits = np.array([agree[at][terms].all(axis=1) for at in chosen])
    times = hits.sum(axis=0)
    found = 0
    for at, hit in zip(chosen, hits, strict=True):
        if (times[hit] > 1).all():
            times -= hit
        else:
            found |= 1 << int(candidates[at])
    return found


def monotone_rivals(table: Table, row: int, k: int, rows: int) -> int:
    """Do what `rivals` does, for terms in which no literal is negated."""
    here = [at for at, true in enumerate(table.true) if true >> row & 1]
    common = table.no & rows
    for at in here:
        common &= table.true[at]
    if common:  # one of them has all that the yes has
        return common & -common
    features = tuple(table.features[at] for at in here)
    true = tuple(table.true[at] for at in here)
    return rivals(replace(table, features=features, true=true), row, k, rows)


def decision_rules(
    table: Table, k: int, rows: int
) -> tuple[list[tuple[Term, bool]], bool, int]:
    """Find a list of rules with terms of at most k literals that fits some rows.

    Each rule covers the most of the remaining rows that a term with one label among
    them can, of equals that with fewest literals, of these the first. In the end a rule
    is dropped where the later ones do without it. Return the rules, the default, and
    the rows that are stuck, 0 if the list fits.
    """
    k = min(k, len(table.true))  # a longer term would name a feature twice
    rules, remaining = _literal_rules(table, rows) if k == 1 else _rules(table, k, rows)
    default = not remaining or bool(remaining & table.yes)
    if default and remaining & table.no:
        return [], default, remaining
    covers = [table.satisfying(term) & rows for term, _ in rules]
    return _needed_rules(rows, rules, covers, default), default, 0


def _rules(table: Table, k: int, rows: int) -> tuple[list[tuple[Term, bool]], int]:
    """Choose the rules of a list, and return the rows that they leave."""
    part = table.only(rows)
    held = dict(distinct(part, part.everything))
    remaining, rules = part.everything, []
    if part.yes and part.no and held:
        counts = Counts(part, held, k)
        while (term := counts.best()) is not None:
            covered = part.satisfying(term) & remaining
            label = bool(covered & part.yes)
            rules.append((term, label))
            remaining &= ~covered
            if not (remaining & part.yes and remaining & part.no):
                break
            counts.remove(covered, label)
    return rules, part.placed(remaining)


_LEFT_OUT = 2


def _literal_rules(table: Table, rows: int) -> tuple[list[tuple[Term, bool]], int]:
    """Choose the rules of a list of single literals, all of it natively."""
    offsets, columns = table.entries
    there, yes = unpacked([rows, table.yes], len(table.numbers))
    labels = np.where(there, yes, _LEFT_OUT).astype(np.uint8)
    found = _core.literal_rules(offsets, columns, labels, len(table.true))
    rules: list[tuple[Term, bool]] = [((literal,), label) for literal, label in found]
    (remaining,) = packed((labels != _LEFT_OUT)[np.newaxis])
    return rules, remaining


def pure(yes: NDArray[Any], no: NDArray[Any]) -> NDArray[Any]:
    """Return how many rows a term covers, 0 if they have different labels."""
    covered: NDArray[Any] = np.where((yes > 0) & (no > 0), 0, yes + no)
    return covered


class Counts:
    """How many of the remaining rows of each label satisfy each term.

    Single literals are counted by what is true in the rows. The rows that satisfy two
    are counted for all pairs at once, by a product of matrices of zeros and ones, and
    so for each prefix of k - 2 literals. A row is
    counted once and, when a rule covers it, once taken off: the cost does not follow
    the number of rules. Literals may repeat, which makes a term shorter.
    """

    def __init__(self, table: Table, held: dict[int, int], k: int) -> None:
        self._literals, self._table, self._pairs = list(held), table, k > 1
        self._numbers = np.array(self._literals, dtype=np.intp)
        if self._pairs:
            self._true = unpacked(held.values(), len(table.numbers)).T.copy()
        # Up to these counts, and the ranks made of them, floats are exact.
        few = len(table.numbers) * (k + 1) < 1 << np.finfo(np.float32).nmant
        self._type = np.float32 if few else np.float64
        self._steps = k + 1
        count = len(self._literals)
        # The sizes of the terms, and the counts of yes and no.
        needed = 3 * np.dtype(self._type).itemsize * _cells(count, k)
        if needed > _MOST_BYTES:
            raise ParameterError(
                f"to count all terms must take at most {_MOST_BYTES} bytes, but k = "
                f"{k} and {count} different literals need {needed}",
                owner="fit_decision_list",
            )
        self._prefixes = list(
            itertools.combinations_with_replacement(range(count), max(k - 2, 0))
        )
        self._sizes = [self._size(prefix) for prefix in self._prefixes]
        self._counts = [
            [np.zeros_like(sizes) for sizes in self._sizes] for _ in (False, True)
        ]
        self._add(table.no, False, 1)
        self._add(table.yes, True, 1)

    def remove(self, rows: int, label: bool) -> None:
        """Take rows of one label off."""
        self._add(rows, label, -1)

    def best(self, worth: Worth = pure) -> Term | None:
        """Return the term that is worth most, of equals the shortest; None if none is.

        By default a term is worth what it covers if that is of one label.
        """
        highest, found = 0.0, None
        for at, sizes in enumerate(self._sizes):
            value = worth(self._counts[True][at], self._counts[False][at])
            rank = np.where(value > 0, value * self._steps - sizes, 0)
            first = int(rank.argmax())  # of equals the first
            if rank.flat[first] > highest:
                highest, found = float(rank.flat[first]), (at, first)
        if found is None:
            return None
        at, first = found
        prefix = self._prefixes[at]
        places = np.unravel_index(first, self._sizes[at].shape)
        chosen = {*prefix, *(int(place) + max(prefix, default=0) for place in places)}
        return tuple(sorted(self._literals[place] for place in chosen))

    def _size(self, prefix: tuple[int, ...]) -> NDArray[Any]:
        """Return how many literals each term has that begins with a prefix."""
        first = max(prefix, default=0)
        places = np.arange(first, len(self._literals))
        fresh = ~np.isin(places, prefix)
        if not self._pairs:
            return fresh.astype(self._type)
        both = np.add.outer(fresh, fresh, dtype=self._type)
        sizes: NDArray[Any] = both - np.diag(fresh) + len(set(prefix))
        return sizes.astype(self._type)

    def _add(self, rows: int, label: bool, times: int) -> None:
        if not self._pairs:
            positive = self._table.frequencies(rows)
            either = np.concatenate([positive, rows.bit_count() - positive])
            self._counts[label][0] += times * either[self._numbers].astype(self._type)
            return
        chosen = self._table.places(rows)
        most = max(_MOST_CELLS // len(self._literals), 1)
        for first in range(0, len(chosen), most):
            true = self._true[chosen[first : first + most]]
            numbers: NDArray[Any] = true.astype(self._type)
            for at, prefix in enumerate(self._prefixes):
                part = numbers
                if prefix:
                    satisfied = true[:, list(prefix)].all(axis=1)
                    part = numbers[satisfied, max(prefix) :]
                if times > 0:
                    self._counts[label][at] += part.T @ part
                else:
                    self._counts[label][at] -= part.T @ part


def _cells(literals: int, k: int) -> int:
    """Return how many terms `Counts` counts, those of repeated literals included."""
    if k <= 2:  # noqa: PLR2004 - no prefix
        return literals * literals if k > 1 else literals
    # By the last literal of the prefix of k - 2: how many prefixes end in it.
    return sum(
        math.comb(last + k - 3, k - 3) * (literals - last) ** 2
        for last in range(literals)
    )


def shrunk(table: Table, k: int, rows: int, work: int = _MOST_WORK) -> int:
    """Leave out some of the rows that no list fits, as long as none fits the others.

    If the work suffices, none of the rows that are left can be spared.
    """
    left = table.places(rows)
    size = max(len(left) // 2, 1)
    while size:
        first = 0
        while first < len(left) and work > 0:
            mask = np.zeros((1, len(table.numbers)), dtype=np.bool_)
            mask[0, left[:first]] = mask[0, left[first + size :]] = True
            (fewer,) = packed(mask)
            _, _, stuck = decision_rules(table, k, fewer)
            work -= work_of(table, k, fewer)
            if stuck:
                out, left = left[first], table.places(stuck)
                first = int(np.searchsorted(left, out))
            else:
                first += size
        size //= 2
    (fewer,) = packed(np.isin(np.arange(len(table.numbers)), left)[np.newaxis])
    return fewer


def work_of(table: Table, k: int, rows: int) -> int:
    """Return what one search for a list costs."""
    return (rows.bit_count() + _RULES_COST) * math.comb(2 * len(table.true), k)


def distinct(table: Table, rows: int) -> list[tuple[int, int]]:
    """Return the literals with those of the rows, of equals the first.

    Literals that are always or never true make no term better.
    """
    first: dict[int, int] = {}
    for literal, true in enumerate(table.true):
        first.setdefault(true & rows, literal)
    for literal, true in enumerate(table.true, len(table.true)):
        first.setdefault(rows & ~true, literal)
    return [
        (literal, held)
        for held, literal in sorted(first.items(), key=lambda pair: pair[1])
        if held not in (0, rows)
    ]


def _needed(covers: dict[Term, int]) -> list[Term]:
    """Drop terms that the others do without, those that cover least first."""
    for term in sorted(covers, key=lambda term: (covers[term].bit_count(), term)):
        others = 0
        for other, rows in covers.items():
            if other != term:
                others |= rows
        if not covers[term] & ~others:
            del covers[term]
    return list(covers)


def _needed_rules(
    rows: int, rules: list[tuple[Term, bool]], covers: list[int], default: bool
) -> list[tuple[Term, bool]]:
    """Drop each rule whose rows the later ones get right without it."""
    reached, hits = rows, []
    for covered in covers:
        hits.append(covered & reached)
        reached &= ~covered
    kept = []
    said_yes = rows if default else 0  # by the rules that come later
    for rule, covered, hit in reversed(list(zip(rules, covers, hits, strict=True))):
        label = rule[1]
        if hit & (~said_yes if label else said_yes):
            kept.append(rule)
            said_yes = said_yes | covered if label else said_yes & ~covered
    return kept[::-1]
