"""Decision lists: rules on levels, and a rule that errs moves one level up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import _core, theorems
from littlestone.boolean._base import BooleanLearner, as_universe, check_terms
from littlestone.boolean._reasons import Dropped, Shown
from littlestone.concepts import Conjunction, DecisionList, Literal
from littlestone.errors import ParameterError
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.concepts import Feature

__all__ = ["DecisionListLearner"]


class DecisionListLearner(BooleanLearner):
    r"""Learn "if a then yes, else if not b and c then no, else yes".

    A rule is a term of at most $k$ literals and a label. All rules start on level 1.
    Those whose term is true in an example fire, and the one on the lowest level
    predicts; of several there, the one whose term comes first, yes before no. Only a
    mistake changes it: the rule that was wrong moves one level up. So the learner is at
    any time a decision list, its levels from the bottom up.

    Terms are in the order in which their features appeared: the empty one first, then
    by the last feature, itself before its negation, then by the rest.

    A feature that has not been seen was false so far. When it appears, a rule that asks
    for it starts on level 1. A rule that forbids it would have fired whenever the rule
    without that literal has; it takes over the level, and the reason, of that rule.

    Whether any list fits is looked at each time the mistakes have doubled, and when a
    rule climbs above level $N_k + 1$: then no list fits all the examples that were
    mistakes. There is one warning. The learner continues as before, rules moving up,
    but keeps no further examples.

    Parameters
    ----------
    k
        How many literals a term may have, at least 1.
    features
        How many columns there are, or the names of all features: others that are true
        are then refused. By default features are added as they appear.

    Attributes
    ----------
    concept_
        The rule it follows now: a `littlestone.concepts.DecisionList`, without what
        can never decide.
    features_
        The features seen, in order of appearance.
    rounds_
        How many examples it has learned from.
    updates_
        How many of them changed it.
    unrealizable_
        Examples that prove that no k-decision list fits, or None. Its round is the
        first mistake that no list fits together with those before it, though it is
        noticed later.

    Guarantees
    ----------
    `DL`: on a stream labelled by a k-decision list of $L$ rules, the default included,
    at most $(2 N_k - L) L + L (L - 1)/2$ mistakes, where $N_k = \sum_{i=0}^k \binom ni
    2^i$ is the number of terms over the $n$ features seen.

    Notes
    -----
    A level with many rules keeps two bits a term, one with few lists them. A round goes
    through the terms that are true in the example, 64 at a time, and stops at the first
    rule: for $k = 2$ and 200 features, 160,802 rules, that takes about a microsecond.
    There may be $2^{32}$ terms. To look whether a list fits goes through all terms, as
    often as the list needs rules at most; since the mistakes double in between, that is
    a few microseconds a mistake for the same rules.

    References
    ----------
    Rivest (1987), Learning decision lists, Machine Learning 2:229-246,
    https://doi.org/10.1007/BF00058680

    Nevo, El-Yaniv (2002), On online learning of decision lists, Journal of Machine
    Learning Research 3:271-301

    Examples
    --------
    The truth is "if a then yes, else if b then no, else yes":

    >>> from littlestone import run
    >>> from littlestone.boolean import DecisionListLearner
    >>> from littlestone.concepts import DecisionList
    >>> truth = DecisionList.parse("if a then yes, else if b then no, else yes")
    >>> examples = [{}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}]
    >>> learner = DecisionListLearner()
    >>> run(learner, [(x, truth(x)) for x in examples], passes=4).mistakes
    5
    >>> print(learner.concept_)
    if a then yes, else if b then no, else yes
    """

    _class: ClassVar[str] = "k-decision list"

    def __init__(
        self, k: int = 1, *, features: int | Iterable[Feature] | None = None
    ) -> None:
        owner = type(self).__name__
        most = whole(owner, "k", k, low=1)
        self.k = k
        self.features, declared = as_universe(owner, features)
        check_terms(owner, "term", most, 0 if declared is None else len(declared))
        self._native = _core.decision_list(owner, k=most, features=declared)

    def known_of(self, features: int) -> dict[str, theorems.Number]:
        """Return the features there are, or were seen, and k."""
        return super().known_of(features) | {"k": int(self.k)}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        return theorems.DL, theorems.DL_BLOCKS, theorems.DL_EXC

    @property
    def concept_(self) -> DecisionList:
        """The rule it follows now, over the features seen.

        Rules that can never decide are left out: those whose term is covered by the
        terms before it, and those at the end that say what the default says.
        """
        features = self._native.features
        *rules, (_, default) = self._native.rules()
        while rules and rules[-1][1] is default:
            rules.pop()
        return DecisionList(
            [
                (Conjunction(*(Literal(features[c >> 1], c & 1 == 0) for c in term)), y)
                for term, y in rules
            ],
            default,
        )

    def level_(self, rule: Any) -> int:
        """Return the level of a rule, counted from 1.

        Parameters
        ----------
        rule
            A pair of a term and a label, or text such as `"if a and not x7 then yes"`.

        Examples
        --------
        >>> from littlestone.boolean import DecisionListLearner
        >>> learner = DecisionListLearner(features=["a", "b"])
        >>> learner.learn_one({"a": 1}, False)
        >>> learner.level_("if always then yes"), learner.level_(("a", True))
        (2, 1)
        """
        return self._native.standing(*self._codes(_as_rule(rule)))[0]

    def why(self, rule: Any) -> Dropped | None:
        """Tell which example moved a rule up last; None if none has.

        Examples that came after no list fitted any more are not kept, so they are not
        told.

        Parameters
        ----------
        rule
            A pair of a term and a label, or text such as `"if a and not x7 then yes"`.

        Returns
        -------
        Dropped or None
            `what` is the rule as text.

        Examples
        --------
        >>> from littlestone.boolean import DecisionListLearner
        >>> learner = DecisionListLearner(features=["a", "b"])
        >>> learner.learn_one({"a": 1}, False)
        >>> print(learner.why("if always then yes"))
        if always then yes: dropped in round 0, labelled no: a
        """
        term, label = _as_rule(rule)
        _, lesson = self._native.standing(*self._codes((term, label)))
        if lesson is None:
            return None
        what = f"if {term} then {'yes' if label else 'no'}"
        return Dropped(what, Shown(*self._native.lesson(lesson)))

    def _codes(self, rule: tuple[Conjunction, bool]) -> tuple[list[int], bool]:
        """Return a rule as the native core knows it."""
        term, label = rule
        codes = sorted(
            2 * self._number(literal.feature) + (not literal.positive)
            for literal in term.literals
        )
        different = len({code >> 1 for code in codes})
        if term == Conjunction.never() or not different == len(codes) <= self.k:
            raise ParameterError(
                f"the term of a rule must have at most {self.k} literals of "
                f"different features, got {str(term)!r}",
                owner=type(self).__name__,
            )
        return codes, label


def _as_rule(rule: Any) -> tuple[Conjunction, bool]:
    """Return the term and the label of a rule, however it is written."""
    if not isinstance(rule, str):
        return DecisionList([rule], default=False).rules[0]
    parsed = DecisionList.parse(f"{rule}, else no").rules
    if len(parsed) != 1:
        raise ParameterError(
            f"one rule must be given, got {rule!r}", owner="DecisionListLearner"
        )
    return parsed[0]
