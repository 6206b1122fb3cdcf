"""Theorems about learners of Boolean rules.

A literal is a feature or its negation, a term a conjunction of literals, a clause a
disjunction. n counts the features, k bounds the size of a clause or term, and
N_k = sum of C(n, i) 2^i for i = 0..k is the number of terms of at most k literals, the
empty one included. All numbers are whole, so nothing is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from littlestone.errors import PremiseError
from littlestone.theorems._premises import count, whole
from littlestone.theorems._shares import of_exceptions
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CONJ",
    "CONJ_EXC",
    "CONJ_LB",
    "CONJ_MONO",
    "CONSISTENT",
    "CONSISTENT_LB",
    "DISJ",
    "DISJ_EXC",
    "DISJ_LB",
    "DISJ_MONO",
    "DL",
    "DL_BLOCKS",
    "DL_EXC",
    "KCNF",
    "KCNF_EXC",
    "KDNF",
    "KDNF_EXC",
    "SOA",
    "SOA_LB",
]

_LITTLESTONE = (
    "Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine "
    "Learning 2:285-318, https://doi.org/10.1007/BF00116827"
)
_VALIANT = (
    "Valiant (1984), A theory of the learnable, Communications of the ACM "
    "27:1134-1142, https://doi.org/10.1145/1968.1972; " + _LITTLESTONE
)
_RIVEST = (
    "Rivest (1987), Learning decision lists, Machine Learning 2:229-246, "
    "https://doi.org/10.1007/BF00058680; Nevo, El-Yaniv (2002), On online learning of "
    "decision lists, Journal of Machine Learning Research 3:271-301"
)


def _choices(features: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield i and C(n, i), for i from 0 to k and no further than n."""
    ways = 1
    for size in range(min(features, most) + 1):
        yield size, ways
        ways = ways * (features - size) // (size + 1)


def _features(features: Number) -> Fraction:
    return whole("features", features)


def _all_literals(*, features: Number) -> Fraction:
    return _features(features) + 1


def _positive_literals(*, features: Number) -> Fraction:
    return _features(features)


def _lower(*, features: Number, negations: Number = False) -> Fraction:
    return _features(features) + bool(negations)


def _clauses(*, features: Number, k: Number) -> Fraction:
    n, most = int(_features(features)), int(whole("k", k))
    # The first mistake leaves, of the 2^i clauses on i features, 2^i - 1.
    kept = sum(ways * (2**i - 1) for i, ways in islice(_choices(n, most), 1, None))
    return Fraction(1 + kept)


def _levels(*, features: Number, k: Number, length: Number) -> Fraction:
    n, most = int(_features(features)), int(whole("k", k))
    rules = 2 * sum(ways << i for i, ways in _choices(n, most))
    size = whole("length", length)
    if size > rules:
        raise PremiseError(
            f"length must be at most the number of rules, {rules}, got {length!r}"
        )
    return (rules - size) * size + size * (size - 1) / 2


def _blocks(
    *, features: Number, k: Number, blocks: Number, saved: Number = 0
) -> Fraction:
    n, most = int(_features(features)), int(whole("k", k))
    terms = sum(ways << i for i, ways in _choices(n, most))
    bound = terms * (2 * whole("blocks", blocks) - 1) - count("saved", saved)
    if bound < 0:
        raise PremiseError(
            f"saved must be at most {bound + count('saved', saved)}, got {saved!r}"
        )
    return bound


def _levels_except(
    *,
    features: Number,
    k: Number,
    blocks: Number,
    exceptions: Number,
    displaced: Number,
    saved: Number = 0,
) -> Fraction:
    missed, moved = count("exceptions", exceptions), count("displaced", displaced)
    if moved > missed:
        raise PremiseError(
            f"displaced must be at most exceptions, got {displaced!r} and "
            f"{exceptions!r}"
        )
    fitting = _blocks(features=features, k=k, blocks=blocks, saved=saved)
    n, most = int(_features(features)), int(whole("k", k))
    terms = sum(ways << i for i, ways in _choices(n, most))
    # With one block, rules with its label err only where the list does.
    climbing = terms if blocks == 1 else 2 * terms
    return fitting + climbing * moved + missed


def _literals_except(*, features: Number, exceptions: Number) -> Fraction:
    return _all_literals(features=features) + count("exceptions", exceptions)


def _clauses_except(*, features: Number, k: Number, exceptions: Number) -> Fraction:
    return _clauses(features=features, k=k) + count("exceptions", exceptions)


def _one_by_one(*, concepts: Number) -> Fraction:
    return whole("concepts", concepts) - 1


def _dimension(*, dimension: Number) -> Fraction:
    return count("dimension", dimension)


CONJ = Theorem(
    id="CONJ",
    statement="at most n + 1 mistakes, and some streams attain that",
    latex=r"M \leq n + 1",
    premises=(
        "the labels are those of a conjunction of literals over n features",
        (
            "the learner starts with all 2n literals and drops, on a missed yes, those "
            "that are false"
        ),
    ),
    counts="mistakes",
    reference=_VALIANT,
    tight="ConjunctionAdversary attains it, with negations: CONJ-LB.",
    formula=_all_literals,
)

CONJ_MONO = Theorem(
    id="CONJ-MONO",
    statement="at most n mistakes, and some streams attain that",
    latex=r"M \leq n",
    premises=(
        "the labels are those of a conjunction of some of n features, none negated",
        (
            "the learner starts with all n features, known from the start, and drops, "
            "on a missed yes, those that are false"
        ),
    ),
    counts="mistakes",
    reference=_VALIANT,
    tight="ConjunctionAdversary attains it: CONJ-LB.",
    formula=_positive_literals,
)

DISJ = Theorem(
    id="DISJ",
    statement="at most n + 1 mistakes, and some streams attain that",
    latex=r"M \leq n + 1",
    premises=(
        "the labels are those of a disjunction of literals over n features",
        (
            "the learner starts with all 2n literals and drops, on a false alarm, "
            "those that are true"
        ),
    ),
    counts="mistakes",
    reference=_VALIANT,
    tight="DisjunctionAdversary attains it, with negations: DISJ-LB.",
    formula=_all_literals,
)

DISJ_MONO = Theorem(
    id="DISJ-MONO",
    statement="at most n mistakes, and some streams attain that",
    latex=r"M \leq n",
    premises=(
        "the labels are those of a disjunction of some of n features, none negated",
        (
            "the learner starts with all n features, known from the start, and drops, "
            "on a false alarm, those that are true"
        ),
    ),
    counts="mistakes",
    reference=_VALIANT,
    tight="DisjunctionAdversary attains it: DISJ-LB.",
    formula=_positive_literals,
)

KCNF = Theorem(
    id="kCNF",
    statement="at most 1 + sum over i = 1..k of C(n, i)(2^i - 1) mistakes",
    latex=r"M \leq 1 + \sum_{i=1}^{k} \binom{n}{i} (2^i - 1)",
    premises=(
        (
            "the labels are those of a conjunction of clauses of at most k literals "
            "over n features"
        ),
        (
            "the learner starts with all clauses of 1 to k literals and drops, on a "
            "missed yes, those that are false"
        ),
    ),
    counts="mistakes",
    reference=_VALIANT,
    tight="For k = 1 it is CONJ, which ConjunctionAdversary attains.",
    formula=_clauses,
)

KDNF = Theorem(
    id="kDNF",
    statement="at most 1 + sum over i = 1..k of C(n, i)(2^i - 1) mistakes",
    latex=r"M \leq 1 + \sum_{i=1}^{k} \binom{n}{i} (2^i - 1)",
    premises=(
        (
            "the labels are those of a disjunction of terms of at most k literals over "
            "n features"
        ),
        (
            "the learner starts with all terms of 1 to k literals and drops, on a "
            "false alarm, those that are true"
        ),
    ),
    counts="mistakes",
    reference=_VALIANT,
    tight="For k = 1 it is DISJ, which DisjunctionAdversary attains.",
    formula=_clauses,
)

DL = Theorem(
    id="DL",
    statement="at most (2 N_k - L) L + L(L - 1)/2 mistakes",
    latex=(
        r"M \leq (2 N_k - L) L + \frac{L (L - 1)}{2}, \quad N_k = \sum_{i=0}^{k} "
        r"\binom{n}{i} 2^i"
    ),
    premises=(
        (
            "the labels are those of a decision list of L rules, the default included, "
            "whose terms have at most k literals over n features"
        ),
        (
            "all 2 N_k rules start at level 1, a rule that fires at the lowest level "
            "predicts, and if it is wrong it moves one level up"
        ),
    ),
    counts="mistakes",
    reference=_RIVEST,
    tight=(
        "A list that tests one feature after another, with alternating labels, reaches "
        "0.69 of it with ten features."
    ),
    formula=_levels,
)

DL_BLOCKS = Theorem(
    id="DL-BLOCKS",
    statement=(
        "at most N_k (2 D - 1) - S mistakes, where D is the number of blocks of equal "
        "labels in the list, the default included, and S what its own rules save: "
        "2 ceil((D - j)/2) for each rule of block j"
    ),
    latex=(r"M \leq N_k (2 D - 1) - S, \quad N_k = \sum_{i=0}^{k} \binom{n}{i} 2^i"),
    premises=(
        (
            "the labels are those of a decision list whose rules, the default "
            "included, form D blocks of equal labels, and whose terms have at most k "
            "literals over n features"
        ),
        (
            "all 2 N_k rules start at level 1, a rule that fires at the lowest level "
            "predicts, and if it is wrong it moves one level up"
        ),
    ),
    counts="mistakes",
    reference=_RIVEST,
    tight=(
        "A list that tests one feature after another, with alternating labels, reaches "
        "0.71 of it with ten features."
    ),
    formula=_blocks,
)

DL_EXC = Theorem(
    id="DL-EXC",
    statement=(
        "at most N_k (2 D - 1) - S + 2 N_k F + E mistakes, where the list gets E of "
        "the mistakes wrong as well, F of which move a rule of the list up; with one "
        "block, N_k (1 + F) + E"
    ),
    latex=(
        r"M \leq N_k (2 D - 1) - S + 2 N_k F + E, \quad N_k = \sum_{i=0}^{k} "
        r"\binom{n}{i} 2^i"
    ),
    premises=(
        (
            "the list, whose rules, the default included, form D blocks of equal "
            "labels, has terms of at most k literals over n features"
        ),
        (
            "all 2 N_k rules start at level 1, a rule that fires at the lowest level "
            "predicts, and if it is wrong it moves one level up"
        ),
    ),
    counts="mistakes",
    reference=_RIVEST,
    tight="With E = 0 it is DL-BLOCKS.",
    formula=_levels_except,
    share=of_exceptions,
)

_ELIMINATES = (
    "the learner starts with everything and drops, on such a mistake, what the example "
    "contradicts; other mistakes change nothing"
)


def _except(theorem: Theorem, kept: str, other: str, formula: Any) -> Theorem:
    """Return the theorem of a learner that eliminates, with exceptions."""
    promised = theorem.statement.partition(" mistakes")[0]
    return Theorem(
        id=f"{theorem.id}-EXC",
        statement=f"{promised} + E mistakes, where E counts the rounds that the "
        f"concept gets wrong, all of them {other}",
        latex=theorem.latex.replace(", \\quad", " + E, \\quad", 1)
        if ", \\quad" in theorem.latex
        else f"{theorem.latex} + E",
        premises=(
            f"a concept of the class is right on every {kept}, maybe not each {other}",
            _ELIMINATES,
        ),
        counts="mistakes",
        reference=theorem.reference,
        tight=f"With E = 0 it is {theorem.id}.",
        formula=formula,
    )


CONJ_EXC = _except(CONJ, "yes", "no", _literals_except)
DISJ_EXC = _except(DISJ, "no", "yes", _literals_except)
KCNF_EXC = _except(KCNF, "yes", "no", _clauses_except)
KDNF_EXC = _except(KDNF, "no", "yes", _clauses_except)

CONSISTENT = Theorem(
    id="CONSISTENT",
    statement="at most |H| - 1 mistakes",
    latex=r"M \leq |H| - 1",
    premises=(
        "the labels are those of a concept of the finite class H",
        "the learner follows a concept of H that was never wrong so far",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="SingletonAdversary attains it: CONSISTENT-LB.",
    formula=_one_by_one,
)

CONSISTENT_LB = Theorem(
    id="CONSISTENT-LB",
    statement=(
        "at least |H| - 1 mistakes for the learner that follows the first concept "
        "never wrong so far"
    ),
    latex=r"M \geq |H| - 1",
    premises=(
        "H holds the singletons: concept i says yes to point i and to no other",
        "points 0 to |H| - 2 are shown in this order, and the label is always no",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="It makes no more: CONSISTENT.",
    formula=_one_by_one,
    lower=True,
)

SOA = Theorem(
    id="SOA",
    statement="at most Ldim(H) mistakes",
    latex=r"M \leq \mathrm{Ldim}(H)",
    premises=(
        "the labels are those of a concept of the class H",
        (
            "the learner predicts the label for which the concepts never wrong so far "
            "have the larger Littlestone dimension"
        ),
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="TreeAdversary attains it: SOA-LB.",
    formula=_dimension,
)

SOA_LB = Theorem(
    id="SOA-LB",
    statement="at least Ldim(H) mistakes for every deterministic learner",
    latex=r"M \geq \mathrm{Ldim}(H)",
    premises=(
        (
            "the examples follow a tree of depth Ldim(H) that H shatters, and the "
            "label is the opposite of the prediction"
        ),
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="The standard optimal algorithm makes no more: SOA.",
    formula=_dimension,
    lower=True,
)

CONJ_LB = Theorem(
    id="CONJ-LB",
    statement=(
        "at least n mistakes for every deterministic learner, while a conjunction "
        "of some of the n features is never wrong; n + 1 if it may negate features"
    ),
    latex=r"M \geq n, \quad M \geq n + 1\ \mathrm{with\ negations}",
    premises=(
        (
            "each of n rounds shows all features but one, another each time, and the "
            "label is the opposite of the prediction; with negations, one round more"
        ),
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="Elimination makes no more: CONJ-MONO, and with negations CONJ.",
    formula=_lower,
    lower=True,
)

DISJ_LB = Theorem(
    id="DISJ-LB",
    statement=(
        "at least n mistakes for every deterministic learner, while a disjunction "
        "of some of the n features is never wrong; n + 1 if it may negate features"
    ),
    latex=r"M \geq n, \quad M \geq n + 1\ \mathrm{with\ negations}",
    premises=(
        (
            "each of n rounds shows a single feature, another each time, and the label "
            "is the opposite of the prediction; with negations, one round more"
        ),
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="Elimination makes no more: DISJ-MONO, and with negations DISJ.",
    formula=_lower,
    lower=True,
)
