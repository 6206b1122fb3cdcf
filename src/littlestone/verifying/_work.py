"""How much work the judge may do, so that no certificate can keep it busy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.errors import CertificateError, Hint, WorkError
from littlestone.verifying._numbers import as_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.verifying._certificate import Certificate

__all__ = ["MOST_WORK", "Work"]

MOST_WORK = 10**6

_FOLD = 100  # an honest certificate may take so many times the work that it should
_PASSES = 100  # as many are allowed their work; each further one counts a hundredfold
_FREE = 8192  # steps in maps and members, for each number of an example
_LOOKED_AT = ("priors", "names", "levels", "left")  # the parts of twins
_BITS = 1024  # numbers that share so short a denominator take one step


class Work:
    """Counts the steps of the judge, and refuses too many.

    To handle one number of the certificate or of an example is one step; for numbers
    with long denominators it is more, as the time grows with the square. Each number
    that is given allows a hundred steps. Learners that compare an example with all that
    they have kept take as many steps for each of these, and each update that the
    certificate admits allows a hundred times as many. A second pass, and every further
    one up to the hundredth, allows what the first did; beyond that a pass takes a hundred
    times the steps of the first and allows nothing. Maps, full matrices, and learners with
    many classes, experts, rules or members `spend` steps that the size of an example does
    not show: up to 8192 of these for each number of the example, as it was before the map,
    are allowed in each round. So only a certificate
    that takes far more work than its size and the stream suggest needs the further steps
    of `most`.

    Examples
    --------
    >>> from littlestone.verifying._work import Work
    >>> work = Work(1000)
    >>> work.allow(2)
    >>> work.take(1200)
    >>> work.take(1)
    Traceback (most recent call last):
    littlestone.errors.WorkError: a certificate must take at most 1,000 steps of work more than its size and the stream suggest, got one that takes more; most_work= allows more
    """  # noqa: E501 - a message is one line

    def __init__(self, most: int = MOST_WORK) -> None:
        self._most = self._left = most
        self._each = 1  # the steps for one number
        self._rounds = self._numbers = 0  # of the first pass
        self._paid = False
        self._given = 0  # the size of the latest example
        self._free = _FOLD * _FREE  # while the twin is made
        self._updates = self._kept = 0  # examples that a learner keeps
        self._terms = self._degree = 0  # of a witness with a kernel

    def read(self, given: Certificate) -> None:
        """Take the work for the numbers of a certificate, and for all its experts."""
        parts = (given.numbers_exact, given.witness, given.learner["parameters"])
        numbers = [number for part in parts for number in _numbers(part)]
        self._each = (1 + _shared_bits(numbers) // _BITS) ** 2
        self.allow(len(numbers))
        experts = given.learner["parameters"].get("experts")
        self._updates = min(given.updates or 0, given.rounds)
        self._terms = len(given.witness.get("terms", ()))
        if given.learner["parameters"].get("kernel") == "polynomial":
            degree = given.learner["parameters"].get("degree")
            self._degree = degree if type(degree) is int else 0
        # Twin and proof each have a number for every expert.
        self.take(len(numbers) + (2 * experts if type(experts) is int else 0))

    def passes(
        self, stream: Iterable[tuple[Any, Any]], given: Certificate
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the examples of all passes; after the first, take the work of all."""
        for number in range(given.passes):
            yield from stream
            if not self._rounds:  # and so it will be in all other passes
                return
            if number == 0:
                further = -(-given.rounds // self._rounds)  # others are not played
                further = min(given.passes - 1, further)
                usual = min(further, _PASSES - 1)
                self.allow(self._numbers * usual)
                self.take(self._numbers * (usual + _FOLD * (further - usual)))
                self._paid = True
        # The proof compares all that was kept, and all terms; an honest witness has no
        # more of these.
        if self._terms:
            self.allow((2 * self._kept) ** 2 * (1 + self._degree))
            self.take((self._terms + self._kept) ** 2 * (1 + self._degree))

    def begin(self, x: Any) -> None:
        """Begin a round, with the example as it is before any map."""
        self._given = _size(x)
        self._free = _FREE * self._given

    def spend(self, steps: int) -> None:
        """Take work of a round that the size of its example does not show."""
        self._free -= steps
        if self._free < 0:
            beyond, self._free = -self._free, 0
            self.take(beyond)

    def round(self, x: Any, twin: Any, *, mapped: bool = False) -> None:
        """Take the work of a round, unless that of its pass is taken already."""
        kept = _kept(twin)
        self._kept = kept or 0
        if self._paid:
            return
        wide = size = _size(x)
        if mapped:
            self.spend(wide)
            size = self._given
        # Twins look at each expert, rule or concept, or at what they kept.
        self.spend(max(len(getattr(twin, name, ())) for name in _LOOKED_AT))
        takes = size
        self.allow(size)
        if kept is not None:
            takes += kept * (wide + self._degree)
            self.allow(self._updates * (wide + self._degree))
        self.take(takes)
        self._rounds, self._numbers = self._rounds + 1, self._numbers + takes

    def allow(self, numbers: int) -> None:
        """Allow the work for so many more numbers."""
        self._left += _FOLD * numbers

    def take(self, numbers: int) -> None:
        """Take the work for so many numbers; refuse if that is too much."""
        self._left -= numbers * self._each
        if self._left < 0:
            raise WorkError(
                f"a certificate must take at most {self._most:,} steps of work more "
                "than its size and the stream suggest, got one that takes more",
                hints=[Hint("most_work", does="allows more")],
            )


def _size(x: Any) -> int:
    return 1 + (len(x) if isinstance(x, Mapping) else 1)


def _kept(twin: Any) -> int | None:
    """Return with how many examples a twin compares each, if it is such a twin."""
    kept = getattr(twin, "kept", getattr(twin, "changes", None))
    return None if kept is None else len(kept)


def _numbers(part: Any) -> Iterator[Fraction]:
    """Yield the exact numbers in a part of a certificate."""
    if isinstance(part, str):
        try:
            yield as_number(part)
        except CertificateError:
            return  # a name
    elif isinstance(part, float):
        yield Fraction(part if math.isfinite(part) else 0)
    elif isinstance(part, (int, Fraction)):
        yield Fraction(part)
    elif isinstance(part, Mapping):
        for name, value in part.items():
            yield from _numbers(value if name != "kind" else None)
    elif isinstance(part, (list, tuple)):
        for each in part:
            yield from _numbers(each)


def _shared_bits(numbers: Iterable[Fraction]) -> int:
    """Return at most how many bits these numbers take over a common denominator."""
    twos = longest = 0
    odd: set[int] = set()
    for number in numbers:
        below = number.denominator
        power = (below & -below).bit_length() - 1
        twos = max(twos, power)
        odd.add(below >> power)
        longest = max(longest, number.numerator.bit_length() - below.bit_length())
    return twos + longest + sum(each.bit_length() for each in odd)
