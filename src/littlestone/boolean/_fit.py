"""Rules from a batch: a concept that fits all examples, or the examples that forbid it.

Each function passes the examples to the search as sets of rows, and says in the words
of concepts, or of an exception, what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.boolean import _search
from littlestone.boolean._base import check_terms
from littlestone.boolean._table import read
from littlestone.concepts import (
    KCNF,
    KDNF,
    Conjunction,
    DecisionList,
    Disjunction,
    Literal,
)
from littlestone.errors import NoConsistentConcept
from littlestone.learner.parameters import truth, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike

    from littlestone.boolean._search import Term
    from littlestone.boolean._table import Table
    from littlestone.concepts import Feature

__all__ = [
    "fit_conjunction",
    "fit_decision_list",
    "fit_disjunction",
    "fit_kcnf",
    "fit_kdnf",
    "literals_of",
]

# How many row numbers a message names.
_MOST_NAMED = 6


def fit_conjunction(
    X: Any,
    y: ArrayLike,
    *,
    features: int | Iterable[Feature] | None = None,
    shorten: bool = True,
    monotone: bool = False,
) -> Conjunction:
    """Find a conjunction of literals that fits all examples.

    A literal survives if it is true in every example labelled yes. If an example
    labelled no satisfies all that survive, no conjunction fits.

    Parameters
    ----------
    X
        The examples: a matrix, a CSR matrix, a frame, or a sequence of rows or of
        mappings from feature to value. Each value is 0 or 1; a feature that a mapping
        does not name is false.
    y
        The labels.
    features
        All the features there are: a number of columns, or names. Without it they are
        the columns of X, or those that the mappings name, in the order of meeting.
    shorten
        Whether to keep just a few literals that rule out every example labelled no:
        each time the literal that rules out most, of equals the first, positive ones
        before negated ones. Otherwise all that survive are kept.
    monotone
        Whether no literal may be negated. An answer without `monotone` may have negated
        literals even where a monotone one fits.

    Returns
    -------
    Conjunction
        A conjunction that fits. Without any yes it is `Conjunction.never()`.

    Raises
    ------
    NoConsistentConcept
        If no conjunction fits. Its `examples` alone rule them all out, and none of
        them can be spared: a no, and for each literal that it falsifies a yes that does
        so too.

    Examples
    --------
    >>> from littlestone.boolean import fit_conjunction
    >>> X = [{"wings": 1, "feathers": 1}, {"wings": 1}, {"wings": 1, "feathers": 1}]
    >>> print(fit_conjunction(X, [1, 0, 1]))
    feathers
    >>> print(fit_conjunction(X, [1, 0, 1], shorten=False))
    feathers and wings
    >>> X = [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "c": 1}]
    >>> print(fit_conjunction(X, [1, 1, 0]))
    not c
    >>> fit_conjunction(X, [1, 1, 0], monotone=True)
    Traceback (most recent call last):
    littlestone.errors.NoConsistentConcept: fit_conjunction: no monotone conjunction fits the 3 examples: 2 of them rule out all, rows 0 and 2
    """  # noqa: E501 - a message is one line
    owner = "fit_conjunction"
    table = read(owner, X, y, features)
    clauses = _clauses(owner, "conjunction", table, 1, shorten, monotone=monotone)
    if () in clauses:
        return Conjunction.never()
    return Conjunction(*(literal for term in clauses for literal in term))


def fit_disjunction(
    X: Any,
    y: ArrayLike,
    *,
    features: int | Iterable[Feature] | None = None,
    shorten: bool = True,
    monotone: bool = False,
) -> Disjunction:
    """Find a disjunction of literals that fits all examples.

    A literal survives if it is false in every example labelled no. If an example
    labelled yes satisfies none that survive, no disjunction fits.

    Parameters
    ----------
    X, y, features
        The examples, as `fit_conjunction` takes them.
    shorten
        Whether to keep just a few literals that cover every example labelled yes: each
        time the literal that covers most, of equals the first, positive ones before
        negated ones. Otherwise all that survive are kept.
    monotone
        Whether no literal may be negated.

    Returns
    -------
    Disjunction
        A disjunction that fits. Without any no it is `Disjunction.always()`.

    Raises
    ------
    NoConsistentConcept
        If no disjunction fits. Its `examples` alone rule them all out, and none of
        them can be spared.

    Examples
    --------
    >>> from littlestone.boolean import fit_disjunction
    >>> print(fit_disjunction([[1, 0, 0], [0, 1, 1], [0, 0, 1]], [1, 1, 0]))
    x0 or x1
    """
    owner = "fit_disjunction"
    table = read(owner, X, y, features)
    terms = _terms(owner, "disjunction", table, 1, shorten, monotone=monotone)
    if () in terms:
        return Disjunction.always()
    return Disjunction(*(literal for term in terms for literal in term))


def fit_kcnf(
    X: Any,
    y: ArrayLike,
    k: int,
    *,
    features: int | Iterable[Feature] | None = None,
    shorten: bool = True,
    monotone: bool = False,
) -> KCNF:
    """Find a conjunction of clauses of at most k literals that fits all examples.

    A clause survives if it is true in every example labelled yes. If an example
    labelled no satisfies all that survive, no such rule fits.

    With `shorten` the time follows the clauses that do not separate some yes and some
    no apart, at most all N of them: half a microsecond each for 10,000 examples.

    Parameters
    ----------
    X, y, features
        The examples, as `fit_conjunction` takes them.
    k
        The most literals a clause may have.
    shorten
        Whether to keep just a few clauses that rule out every example labelled no: each
        time the clause that rules out most, of equals that with fewest literals, of
        these the first. Otherwise all that survive are kept: there may be many.
    monotone
        Whether no literal may be negated.

    Returns
    -------
    KCNF
        A rule that fits. Without any yes it is the empty clause, which is never true.

    Raises
    ------
    NoConsistentConcept
        If no such rule fits. Its `examples` alone rule them all out, and none of them
        can be spared.

    Examples
    --------
    >>> from littlestone.boolean import fit_kcnf
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> print(fit_kcnf(X, [0, 1, 1, 0], k=2))
    (x0 or x1) and x2
    """
    owner = "fit_kcnf"
    k = whole(owner, "k", k, low=1)
    table = read(owner, X, y, features)
    check_terms(owner, "clause", k, len(table.true))
    clauses = _clauses(owner, f"{k}-CNF", table, k, shorten, monotone=monotone)
    return KCNF(*(Disjunction(*clause) for clause in clauses))


def fit_kdnf(
    X: Any,
    y: ArrayLike,
    k: int,
    *,
    features: int | Iterable[Feature] | None = None,
    shorten: bool = True,
    monotone: bool = False,
) -> KDNF:
    """Find a disjunction of terms of at most k literals that fits all examples.

    A term survives if it is false in every example labelled no. If an example labelled
    yes satisfies none that survive, no such rule fits.

    With `shorten` the time follows the terms that cover both some yes and some no, at
    most all N of them: half a microsecond each for 10,000 examples.

    Parameters
    ----------
    X, y, features
        The examples, as `fit_conjunction` takes them.
    k
        The most literals a term may have.
    shorten
        Whether to keep just a few terms that cover every example labelled yes: each
        time the term that covers most, of equals that with fewest literals, of these
        the first. Otherwise all that survive are kept: there may be many.
    monotone
        Whether no literal may be negated.

    Returns
    -------
    KDNF
        A rule that fits. Without any no it is the empty term, which is always true.

    Raises
    ------
    NoConsistentConcept
        If no such rule fits. Its `examples` alone rule them all out, and none of them
        can be spared: a yes, and for each term that it satisfies a no that does so too.

    Examples
    --------
    >>> from littlestone.boolean import fit_kdnf
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(fit_kdnf(X, [1, 0, 0, 1], k=2))
    (x0 and x1) or (not x0 and not x1)
    >>> try:
    ...     fit_kdnf(X, [1, 0, 0, 1], k=1)
    ... except ValueError as error:
    ...     for example in error.examples:
    ...         print(example)
    round 0, labelled yes: nothing is true
    round 1, labelled no: x1
    round 2, labelled no: x0
    """
    owner = "fit_kdnf"
    k = whole(owner, "k", k, low=1)
    table = read(owner, X, y, features)
    check_terms(owner, "term", k, len(table.true))
    terms = _terms(owner, f"{k}-DNF", table, k, shorten, monotone=monotone)
    return KDNF(*(Conjunction(*term) for term in terms))


def fit_decision_list(
    X: Any,
    y: ArrayLike,
    k: int = 1,
    *,
    features: int | Iterable[Feature] | None = None,
) -> DecisionList:
    """Find a decision list with terms of at most k literals that fits all examples.

    Each rule takes the term that covers the most of the remaining examples, all of them
    of one label, of equals that with fewest literals, of these the first. If there is
    no such term while both labels remain, no list fits. In the end each rule goes that
    the later ones do without.

    For k = 1 the time follows the features that are true in the examples. Longer terms
    are counted by products of matrices: L^2 m operations for k = 2, where L
    is the number of different literals and m the number of examples, and about
    L^k m 2 / k! beyond. The counts take 12 bytes for each of these L^k 2 / k! terms;
    more than 8 GiB are refused.

    Parameters
    ----------
    X, y, features
        The examples, as `fit_conjunction` takes them.
    k
        The most literals a term may have.

    Returns
    -------
    DecisionList
        A list that fits. Without any examples it says yes.

    Raises
    ------
    NoConsistentConcept
        If no such list fits. Its `examples` alone rule them all out. As many as a
        few seconds allow are left out; if that is enough, none can be spared.

    Examples
    --------
    >>> from littlestone.boolean import fit_decision_list
    >>> X = [[1, 1], [1, 0], [0, 1], [0, 0]]
    >>> print(fit_decision_list(X, [0, 0, 1, 0]))
    if x0 then no, else if x1 then yes, else no
    >>> fit_decision_list(X, [1, 0, 0, 1])
    Traceback (most recent call last):
    littlestone.errors.NoConsistentConcept: fit_decision_list: no 1-decision list fits the 4 examples: 4 of them rule out all, rows 0, 1, 2 and 3
    """  # noqa: E501 - a message is one line
    owner = "fit_decision_list"
    k = whole(owner, "k", k, low=1)
    table = read(owner, X, y, features)
    rules, default, stuck = _search.decision_rules(table, k, table.everything)
    if stuck:
        rows = table.contradiction(table.everything)
        fewer = table.only(rows or _search.shrunk(table, k, stuck))
        raise _refused(owner, f"{k}-decision list", table, fewer)
    return DecisionList(
        [(Conjunction(*literals_of(table, term)), label) for term, label in rules],
        default,
    )


def _clauses(
    owner: str, kind: str, table: Table, k: int, shorten: bool, *, monotone: bool
) -> list[tuple[Literal, ...]]:
    """Return clauses that together fit: by De Morgan, the terms of the dual table."""
    return _terms(owner, kind, table, k, shorten, monotone=monotone, dual=True)


def _terms(
    owner: str,
    kind: str,
    table: Table,
    k: int,
    shorten: bool,
    *,
    monotone: bool,
    dual: bool = False,
) -> list[tuple[Literal, ...]]:
    """Return terms of which at least one is true in each yes, and none in a no."""
    shorten = truth(owner, "shorten", shorten)
    seen = table.dual() if dual else table
    monotone = truth(owner, "monotone", monotone)
    terms, missing = _search.covering_terms(seen, k, seen.everything, monotone=monotone)
    if missing:
        rows = seen.contradiction(seen.everything)
        if not rows:
            row = (missing & -missing).bit_length() - 1
            rivals = _search.monotone_rivals if monotone else _search.rivals
            rows = 1 << row | rivals(seen, row, k, seen.everything)
        kind = f"monotone {kind}" if monotone else kind
        raise _refused(owner, kind, table, table.only(rows))
    if not shorten and () not in terms:
        terms = list(_search.all_pure_terms(seen, k, monotone=monotone))
    return [tuple(literals_of(table, term)) for term in terms]


def literals_of(table: Table, term: Term) -> Iterator[Literal]:
    """Return the literals behind the numbers of a term."""
    count = len(table.features)
    for literal in term:
        yield Literal(table.features[literal % count], positive=literal < count)


def _refused(owner: str, kind: str, table: Table, fewer: Table) -> NoConsistentConcept:
    """Make the exception: which class, how many examples, and which of them."""
    examples = tuple(fewer.shown(row) for row in range(len(fewer.numbers)))
    error = NoConsistentConcept(
        f"no {kind} fits the {len(table.numbers)} examples: {len(examples)} of them "
        f"rule out all, {_named(fewer.numbers)}",
        owner=owner,
    )
    error.examples = examples
    return error


def _named(rows: Sequence[int]) -> str:
    """Return row numbers in words, not too many."""
    if len(rows) > _MOST_NAMED:
        return f"rows {', '.join(map(str, rows[:_MOST_NAMED]))}, …"
    return f"rows {', '.join(map(str, rows[:-1]))} and {rows[-1]}"
