"""The standard optimal algorithm: no learner can guarantee fewer mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.boolean._finite import FiniteClassLearner, as_concepts, ask, read
from littlestone.errors import ExampleError, ParameterError
from littlestone.theorems.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from littlestone.boolean._finite import Point

__all__ = ["StandardOptimalLearner", "littlestone_dimension"]


def _points(owner: str, concepts: Any, domain: Any) -> dict[Hashable, int]:
    """Return for each example of the domain which concepts say yes to it."""
    concepts = as_concepts(owner, concepts)
    if not hasattr(domain, "__iter__") or isinstance(domain, (str, bytes)):
        raise ParameterError(
            f"domain must be the examples that may come, got {domain!r}", owner=owner
        )
    found: dict[Hashable, int] = {}
    for x in domain:
        point = read(owner, x)
        if point.key not in found:
            found[point.key] = ask(owner, concepts, range(len(concepts)), point.x)
    if not found:
        raise ParameterError(
            "domain must hold at least one example, got none", owner=owner
        )
    return found


def littlestone_dimension(
    concepts: Sequence[Callable[[Any], Any]], domain: Sequence[Any]
) -> int:
    r"""Return the Littlestone dimension of a finite class on a finite domain.

    That is the depth of the deepest tree of examples that the class shatters: an
    example is shown, then another, which may depend on the label, and so on, and every
    sequence of labels along a branch is that of a concept. It is the number of mistakes
    that the best deterministic learner can guarantee, and at most $\lg |H|$.

    It is found by recursion, with subsets of the class as bits, and every subset looked
    at once. A thousand concepts on 16 examples take a fraction of a second; with many
    more of both, time and memory may grow with the number of subsets that examples can
    single out.

    Parameters
    ----------
    concepts
        The class: functions of an example that say yes or no. Some that say the same
        on the whole domain count as one.
    domain
        The examples that may come.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    Thresholds can be searched by bisection, singletons only one by one; but one of
    them says yes so seldom that a single mistake tells which.

    >>> from littlestone.boolean import littlestone_dimension
    >>> thresholds = [lambda x, k=k: x >= k for k in range(17)]
    >>> littlestone_dimension(thresholds, range(16))
    4
    >>> singletons = [lambda x, k=k: x == k for k in range(16)]
    >>> littlestone_dimension(singletons, range(16))
    1
    """
    points = _points("littlestone_dimension", concepts, domain)
    size = len(concepts)
    return Trees(points.values(), size).dimension((1 << size) - 1)


class StandardOptimalLearner(FiniteClassLearner):
    r"""Say what leaves more to learn, should it be wrong no longer.

    The concepts never wrong so far are split by what they say. The side with the larger
    Littlestone dimension is followed, yes if they are equal. Both cannot have the
    dimension of the whole, or the whole would have one more; so a mistake leaves a
    smaller dimension, and the dimension of the class bounds the mistakes. A tree of
    an adversary can lead every learner down to that depth, so none can guarantee fewer.

    A round looks the example up. The dimensions are found as they are needed and kept:
    see `littlestone_dimension` for what that costs.

    Parameters
    ----------
    concepts
        The class: a sequence of functions of an example that say yes or no, such as a
        `littlestone.concepts.FiniteClass`.
    domain
        The examples that may come; others are refused. Every concept is evaluated on
        each at construction.

    Attributes
    ----------
    concept_
        The first of the concepts left, in the order given. What is predicted need not
        be a concept of the class; it is this one as soon as one is left alone.
    version_space_
        The concepts that were never wrong.
    dimension_
        The Littlestone dimension of the concepts left: how many mistakes it may still
        make.
    updates_
        How many rounds have dropped a concept.
    rounds_
        How many rounds it has learned from.
    unrealizable_
        None, or the round since which no concept fits, with examples that together
        rule all of them out. There is one warning. The learner continues with the
        concepts it had: an example that none of them fits is not learned from.

    Guarantees
    ----------
    `SOA`: if a concept of the class is never wrong, at most $\mathrm{Ldim}(H)$
    mistakes. `SOA-LB`: every deterministic learner can be made to err as often (see
    `littlestone.adversaries.TreeAdversary`).

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    Of eight singletons most say no, and one mistake tells which is the truth:

    >>> from littlestone.boolean import StandardOptimalLearner
    >>> singletons = [lambda x, k=k: x == k for k in range(8)]
    >>> learner = StandardOptimalLearner(singletons, range(8))
    >>> learner.dimension_
    1
    >>> [learner.play_one(x, x == 5) for x in (0, 3, 5, 5)]
    [False, False, False, True]
    >>> learner.dimension_, learner.concept_(5)
    (0, True)
    """

    def __init__(
        self, concepts: Sequence[Callable[[Any], Any]], domain: Sequence[Any]
    ) -> None:
        super().__init__(concepts)
        self.domain = domain
        self._points = _points(type(self).__name__, concepts, domain)
        self._trees = Trees(self._points.values(), len(self._class))

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes, from above and from below."""
        return theorems.SOA, theorems.SOA_LB

    @property
    def known_(self) -> dict[str, theorems.Number]:
        """The dimension of the whole class; nothing once no concept fits."""
        known = super().known_
        whole = (1 << len(self._class)) - 1
        return known | {"dimension": self._trees.dimension(whole)} if known else known

    @property
    def dimension_(self) -> int:
        """The Littlestone dimension of the concepts that were never wrong."""
        return self._trees.dimension(self._left)

    def _says(self, yes: int, no: int) -> bool:
        return self._trees.dimension(yes) >= self._trees.dimension(no)

    def _answers(self, point: Point) -> int:
        yes = self._points.get(point.key)
        if yes is None:
            raise ExampleError(
                f"an example must be one of the domain, got {point.x!r}",
                owner=type(self).__name__,
            )
        return yes
