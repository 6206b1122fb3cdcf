"""Rules with exceptions: the fewest rows that a rule of a class must get wrong.

To find the fewest is hard in general. So rules are guessed greedily, and their
exceptions tried again one by one. From below, rows that together rule out every rule of
the class are a conflict: one of them is an exception. Conflicts without a common row
need one exception each, and if there are few, all ways to resolve them are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.boolean import _search
from littlestone.boolean._fit import literals_of
from littlestone.boolean._table import read
from littlestone.concepts import (
    KCNF,
    KDNF,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
)
from littlestone.concepts._kinds import RuleKind
from littlestone.display import Displayed
from littlestone.errors import NoConsistentConcept, ParameterError
from littlestone.learner.parameters import whole
from littlestone.theorems import PAC_OCCAM
from littlestone.theorems.sizes import ln_lists_of, ln_rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from littlestone.boolean._reasons import Shown
    from littlestone.boolean._search import Term
    from littlestone.boolean._table import Table
    from littlestone.concepts import Feature

__all__ = ["Fit", "FitsSoFar", "RuleKind", "cheapest_terms", "fit_rule"]

# How much a row of the wrong label counts against a row of the right one.
_PRICES = (1.0, 2.0, 4.0, 16.0, 64.0)
# How many fits a conflict of lists may take to become small.
_SHRINKING = 32


class FitsSoFar(NamedTuple):
    """How far the search of `fit_rule` has come.

    Attributes
    ----------
    fits, budget
        How many fits were made, and how many may be made.
    exceptions
        How many exceptions the best rule has so far; None before there is one.

    Examples
    --------
    >>> from littlestone.boolean import fit_rule
    >>> found = fit_rule([[0], [1], [1]], [0, 1, 0], observe=print, budget=9)
    FitsSoFar(fits=1, budget=9, exceptions=None)
    FitsSoFar(fits=2, budget=9, exceptions=None)
    FitsSoFar(fits=3, budget=9, exceptions=1)
    FitsSoFar(fits=4, budget=9, exceptions=1)
    FitsSoFar(fits=5, budget=9, exceptions=1)
    FitsSoFar(fits=6, budget=9, exceptions=1)
    FitsSoFar(fits=7, budget=9, exceptions=1)
    """

    fits: int
    budget: int
    exceptions: int | None


@dataclass(frozen=True)
class Fit(Displayed):
    """A rule, and the examples that it gets wrong.

    Attributes
    ----------
    concept
        The rule.
    exceptions
        The examples whose label the rule does not give; `round` is the row.
    at_least
        Every rule of the class has at least so many exceptions.
    rows
        How many examples there were.
    log_size
        The logarithm of the number of rules that are as long, as `error_bound` takes
        it.
    kind, k, features
        The class: what its rules are called, the most literals of a clause or term, and
        the number of features.

    Examples
    --------
    >>> from littlestone.boolean import fit_rule
    >>> X = [{"wings": 1, "eggs": 1}, {"wings": 1}, {"eggs": 1}, {}, {"wings": 1}]
    >>> print(fit_rule(X, [1, 1, 0, 0, 0], "conjunction"))
    wings
    1 exception of 5, and no conjunction has fewer:
      round 4, labelled no: wings
    """

    concept: Concept
    exceptions: tuple[Shown, ...]
    at_least: int
    rows: int
    log_size: float
    kind: str
    k: int
    features: int

    @property
    def proved(self) -> bool:
        """Whether no rule of the class has fewer exceptions; if not, the best found."""
        return len(self.exceptions) == self.at_least

    def error_bound(self, delta: float = 0.05) -> float:
        """Return a bound on the probability that the rule errs on one more example.

        It is `PAC-OCCAM`: if the rows were drawn independently, and the features chosen
        before, it holds with probability 1 - delta, whatever the labels are. Shorter
        rules have smaller bounds, since there are fewer of them. `certify(fit, stream)`
        makes a certificate of it.

        Parameters
        ----------
        delta
            The probability that the bound fails.

        Examples
        --------
        >>> from littlestone.boolean import fit_rule
        >>> X, y = [[1, 0], [0, 1]] * 200, [1, 0] * 199 + [0, 0]
        >>> found = fit_rule(X, y, "disjunction")
        >>> len(found.exceptions), round(found.error_bound(), 3)
        (1, 0.021)
        """
        return PAC_OCCAM.bound(
            mistakes=len(self.exceptions),
            examples=self.rows,
            delta=delta,
            log_size=self.log_size,
        )

    def __str__(self) -> str:
        count = len(self.exceptions)
        lines = [str(self.concept)]
        if not count:
            return f"{lines[0]}\nno exception in {self.rows:,} rows"
        best = (
            f"and no {self.kind} has fewer"
            if self.proved
            else f"the best found; every {self.kind} has at least {self.at_least:,}"
        )
        plural = "" if count == 1 else "s"
        lines.append(f"{count:,} exception{plural} of {self.rows:,}, {best}:")
        return "\n".join([*lines, *(f"  {shown}" for shown in self.exceptions)])


def fit_rule(
    X: Any,
    y: ArrayLike,
    kind: str = "decision-list",
    k: int = 1,
    *,
    features: int | Iterable[Feature] | None = None,
    exceptions: int | None = None,
    budget: int = 300,
    observe: Callable[[FitsSoFar], object] | None = None,
) -> Fit:
    """Find a rule with few exceptions, and say whether any rule has fewer.

    The other functions find a rule that fits every example, or prove that there is
    none. This one tolerates wrong labels: it names each example that its rule gets
    wrong.

    Parameters
    ----------
    X, y, features
        The examples, as `fit_conjunction` takes them.
    kind
        The class: `"conjunction"`, `"disjunction"`, `"k-cnf"`, `"k-dnf"` or
        `"decision-list"`.
    k
        The most literals of a clause or term; 1 for conjunctions and disjunctions.
    exceptions
        The most exceptions allowed; any number if it is not given.
    budget
        How many times rules may be fitted to a part of the rows. More may find a better
        rule, or prove that there is none.
    observe
        Called with `FitsSoFar` after each fit. If it returns True, the search ends with
        the best rule so far.

    Returns
    -------
    Fit
        The rule, its exceptions, and how many every rule of the class has at least.

    Raises
    ------
    NoConsistentConcept
        If the best rule found has more than the exceptions allowed. Its `examples` are
        those of that rule.

    Examples
    --------
    >>> from littlestone.boolean import fit_rule
    >>> X = [[a, b] for a in (0, 1) for b in (0, 1)] * 3
    >>> print(fit_rule(X, [0, 1, 0, 0] * 2 + [0, 1, 0, 1], k=1))
    if not x1 then no, else if not x0 then yes, else no
    1 exception of 12, and no 1-decision list has fewer:
      round 11, labelled yes: x0, x1
    """
    owner = "fit_rule"
    chosen = _kind(owner, kind)
    k = whole(owner, "k", k, low=1)
    if k > 1 and chosen in (RuleKind.CONJUNCTION, RuleKind.DISJUNCTION):
        raise ParameterError(f"k must be 1 for a {chosen}, got {k}", owner=owner)
    most = None if exceptions is None else whole(owner, "exceptions", exceptions)
    table = read(owner, X, y, features)
    budget = whole(owner, "budget", budget, low=1)
    search = _Search(_CLASSES[chosen](table, k), budget, observe)
    family = search.family
    try:
        rule, wrong, at_least = search.run()
    except ParameterError as error:  # too many terms for the memory
        error.owner = owner
        raise
    rows = table.places(wrong).tolist()
    found = Fit(
        family.concept(rule),
        tuple(table.shown(row) for row in rows),
        at_least,
        len(table.numbers),
        family.log_size(rule),
        family.name(chosen),
        k,
        len(table.true),
    )
    if most is not None and len(rows) > most:
        refused = NoConsistentConcept(
            f"no {found.kind} with at most {most} exceptions was found: the best of "
            f"{budget} fits has {len(rows)}, and every one has at least {at_least}",
            owner=owner,
        )
        refused.examples = found.exceptions
        raise refused
    return found


def _kind(owner: str, kind: str) -> RuleKind:
    try:
        return RuleKind(kind)
    except ValueError:
        known = ", ".join(repr(str(each)) for each in RuleKind)
        raise ParameterError(
            f"kind must be one of {known}, got {kind!r}", owner=owner
        ) from None


class _Terms:
    """Disjunctions of terms; by De Morgan, conjunctions of clauses as well."""

    dual = False

    def __init__(self, table: Table, k: int) -> None:
        self.table, self.k = table, k
        self.seen = table.dual() if self.dual else table
        self.held = dict(_search.distinct(self.seen, self.seen.everything))

    def fit(self, rows: int) -> tuple[list[Term] | None, int]:
        """Return terms that fit these rows, or None, and the yes rows they miss."""
        terms, missing = _search.covering_terms(self.seen, self.k, rows)
        return (None, missing) if missing else (terms, 0)

    def conflict(self, rows: int, missing: int) -> tuple[int, int]:
        """Return rows of which one is an exception, and what it cost to find them."""
        found = self.seen.contradiction(rows)
        if not found:
            row = (missing & -missing).bit_length() - 1
            found = 1 << row | _search.rivals(self.seen, row, self.k, rows)
        return found, 1

    def wrong(self, terms: list[Term]) -> int:
        """Return the rows that terms get wrong."""
        said = 0
        for term in terms:
            said |= self.seen.satisfying(term)
        return said ^ self.seen.yes

    def guesses(self) -> Iterator[int]:
        """Yield rows that could be the exceptions."""
        yield from (self.seen.no, self.seen.yes)
        if not self.held:
            return
        for price in _PRICES:
            terms = cheapest_terms(self.seen, self.k, price)
            yield self.wrong(terms)

    def concept(self, terms: list[Term]) -> Concept:
        """Return the rule that terms make."""
        parts = [tuple(literals_of(self.table, term)) for term in terms]
        if self.k == 1 and self.short:
            kind = Conjunction if self.dual else Disjunction
            if () in parts:
                return Conjunction.never() if self.dual else Disjunction.always()
            return kind(*(literal for part in parts for literal in part))
        if self.dual:
            return KCNF(*(Disjunction(*part) for part in parts))
        return KDNF(*(Conjunction(*part) for part in parts))

    short = False  # whether the parts are literals

    def log_size(self, terms: list[Term]) -> float:
        """Return the logarithm of the number of rules with so many terms."""
        return ln_rules_of(len(self.table.true), self.k, len(terms))

    def name(self, kind: RuleKind) -> str:
        """Return what a rule of this class is called."""
        return str(kind) if self.short else f"{self.k}-{str(kind)[2:].upper()}"


class _Clauses(_Terms):
    dual = True


class _ShortTerms(_Terms):
    short = True


class _ShortClauses(_Clauses):
    short = True


_Rules = tuple[list[tuple["Term", bool]], bool]


class _Lists:
    """Decision lists."""

    def __init__(self, table: Table, k: int) -> None:
        self.table, self.k = table, k
        self.held = dict(_search.distinct(table, table.everything))

    def fit(self, rows: int) -> tuple[_Rules | None, int]:
        """Return a list that fits these rows, or None, and the rows that are stuck."""
        rules, default, stuck = _search.decision_rules(self.table, self.k, rows)
        return (None, stuck) if stuck else ((rules, default), 0)

    def conflict(self, _: int, stuck: int) -> tuple[int, int]:
        """Return rows of which one is an exception, and what it cost to find them."""
        found = self.table.contradiction(stuck)
        if found:
            return found, 1
        work = _SHRINKING * _search.work_of(self.table, self.k, stuck)
        return _search.shrunk(self.table, self.k, stuck, work), _SHRINKING

    def wrong(self, rules: _Rules) -> int:
        """Return the rows that a list gets wrong."""
        table, (listed, default) = self.table, rules
        left, said = table.everything, 0
        for term, label in listed:
            rows = table.satisfying(term) & left
            said |= rows if label else 0
            left &= ~rows
        said |= left if default else 0
        return said ^ table.yes

    def guesses(self) -> Iterator[int]:
        """Yield rows that could be the exceptions."""
        yield from (self.table.no, self.table.yes)
        if not self.held:
            return
        for price in _PRICES[1:]:
            yield self.wrong(self._greedy(price))

    def _greedy(self, price: float) -> _Rules:
        """Choose the rule that covers most, less what it gets wrong times a price."""
        table = self.table

        def worth(yes: NDArray[Any], no: NDArray[Any]) -> NDArray[Any]:
            gain: NDArray[Any] = np.maximum(yes, no) - price * np.minimum(yes, no)
            return gain

        k = min(self.k, len(table.true))
        counts = _search.Counts(table, self.held, k)
        left, rules = table.everything, []
        while left & table.yes and left & table.no:
            term = counts.best(worth)
            if term is None:
                break
            rows = table.satisfying(term) & left
            yes, no = rows & table.yes, rows & table.no
            rules.append((term, yes.bit_count() > no.bit_count()))
            counts.remove(yes, True)
            counts.remove(no, False)
            left &= ~rows
        return rules, (left & table.yes).bit_count() >= (left & table.no).bit_count()

    def concept(self, rules: _Rules) -> Concept:
        """Return the list."""
        listed, default = rules
        return DecisionList(
            [(Conjunction(*literals_of(self.table, t)), label) for t, label in listed],
            default,
        )

    def log_size(self, rules: _Rules) -> float:
        """Return the logarithm of the number of lists of this length."""
        return ln_lists_of(len(self.table.true), self.k, len(rules[0]))

    def name(self, kind: RuleKind) -> str:  # noqa: ARG002 - there is one kind of lists
        """Return what a rule of this class is called."""
        return f"{self.k}-decision list"


_CLASSES: dict[RuleKind, type[Any]] = {
    RuleKind.CONJUNCTION: _ShortClauses,
    RuleKind.DISJUNCTION: _ShortTerms,
    RuleKind.K_CNF: _Clauses,
    RuleKind.K_DNF: _Terms,
    RuleKind.DECISION_LIST: _Lists,
}


class _Search:
    """The search for few exceptions, within a budget of fits."""

    def __init__(
        self,
        family: Any,
        budget: int,
        observe: Callable[[FitsSoFar], object] | None = None,
    ) -> None:
        self.family, self.budget = family, budget
        self._allowed, self._observe = budget, observe
        self.everything: int = family.table.everything
        self.rule: Any = None
        self.wrong = 0

    def run(self) -> tuple[Any, int, int]:
        """Return the best rule, the rows it gets wrong, and the fewest there can be."""
        at_least = self._disjoint()
        if at_least:
            for guess in sorted(set(self.family.guesses()), key=_size_then_value):
                # Whatever the budget, there is a rule in the end.
                self._try(self.everything & ~guess, free=self.rule is None)
            self._improve()
        while at_least < self.wrong.bit_count() and self.budget > 0:
            if self._resolved(self.everything, at_least):
                break
            at_least += self.budget > 0
        return self.rule, self.wrong, min(at_least, self.wrong.bit_count())

    def _try(self, rows: int, *, free: bool = False) -> int:
        """Fit some rows; keep a better rule; return the rows that no rule fits."""
        if self.budget <= 0 and not free:
            return -1
        rule, missing = self.family.fit(rows)
        if rule is not None:
            wrong = self.family.wrong(rule)
            if self.rule is None or wrong.bit_count() < self.wrong.bit_count():
                self.rule, self.wrong = rule, wrong
        self._spend(1)
        return int(missing) if rule is None else 0

    def _spend(self, fits: int) -> None:
        """Take fits off the budget; all of it if the observer has seen enough."""
        self.budget -= fits
        if self._observe is None:
            return
        made = min(self._allowed - self.budget, self._allowed)
        found = None if self.rule is None else self.wrong.bit_count()
        if self._observe(FitsSoFar(made, self._allowed, found)) is True:
            self.budget = min(self.budget, 0)

    def _improve(self) -> None:
        """Try each exception again: perhaps a rule fits it with all the others."""
        tried = 0
        while (left := self.wrong & ~tried) and self.budget > 0:
            row = left & -left
            tried |= row
            self._try(self.everything & ~self.wrong | row)

    def _conflict(self, rows: int, missing: int) -> int:
        found, cost = self.family.conflict(rows, missing)
        self._spend(cost)
        return int(found)

    def _disjoint(self) -> int:
        """Count conflicts without a common row; half of the budget may go there."""
        rows, count, reserve = self.everything, 0, self.budget // 2
        while self.budget > reserve:
            missing = self._try(rows, free=True)
            if not missing:
                break
            rows &= ~self._conflict(rows, missing)
            count += 1
        return count

    def _resolved(self, rows: int, exceptions: int) -> bool:
        """Return whether some rule fits these rows but for so many exceptions."""
        missing = self._try(rows)
        if missing <= 0:
            return not missing
        if not exceptions:
            return False
        conflict = self._conflict(rows, missing)
        while conflict:
            row = conflict & -conflict
            conflict ^= row
            if self._resolved(rows & ~row, exceptions - 1):
                return True
            if self.budget <= 0:
                return False
        return False


def cheapest_terms(
    table: Table, k: int, price: float, *, each: float = 0.0, again: bool = False
) -> list[Term]:
    """Choose terms as long as one covers more yes rows than it costs.

    A row labelled no costs the price, for every term that covers it with `again`; a
    term itself costs `each`.
    """

    def worth(yes: NDArray[Any], no: NDArray[Any]) -> NDArray[Any]:
        gain: NDArray[Any] = yes - price * no - each
        return gain

    held = dict(_search.distinct(table, table.everything))
    counts = _search.Counts(table, held, min(k, len(table.true)))
    chosen: list[Term] = []
    left = table.everything
    while (term := counts.best(worth)) is not None:
        rows = table.satisfying(term) & left
        chosen.append(term)
        taken = rows & table.yes if again else rows
        counts.remove(taken & table.yes, True)
        counts.remove(taken & table.no, False)
        left &= ~taken
    return chosen


def _size_then_value(rows: int) -> tuple[int, int]:
    return rows.bit_count(), rows
