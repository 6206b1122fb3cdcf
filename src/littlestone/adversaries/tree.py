"""SOA-LB: the Littlestone dimension of a class is what every learner must pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from littlestone.adversaries._base import Numbered, said
from littlestone.errors import ParameterError
from littlestone.learner import as_label
from littlestone.theorems import SOA_LB, Theorem
from littlestone.theorems.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TreeAdversary"]


class TreeAdversary(Numbered):
    r"""Walk down a tree that the class shatters, with a label against the prediction.

    The root of the tree is an example that splits the class into two parts, each
    of which shatters a tree one less deep. Whatever the prediction is, the label is the
    other one, and the concepts that fit shatter what is left of the tree. At its end
    some concept fits all labels.

    Parameters
    ----------
    concepts
        The class: functions of an example that say yes or no.
    domain
        The examples that may be shown. Of several that would do, the first is.

    Attributes
    ----------
    rounds, forces
        $\mathrm{Ldim}(H)$, and so many mistakes does every learner make.
    theorem, numbers
        `SOA-LB`, and the number it takes.
    best_
        Mistakes of the best concept: always 0.
    concept_
        The first concept of the class that fits all answers so far.

    Guarantees
    ----------
    `SOA-LB`: every deterministic learner makes exactly $\mathrm{Ldim}(H)$ mistakes, and
    one concept makes none. `littlestone.boolean.StandardOptimalLearner` never makes
    more against every learner.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    Thresholds on the numbers 0 to 6 are searched by bisection:

    >>> from littlestone import run
    >>> from littlestone.adversaries import TreeAdversary
    >>> from littlestone.boolean import StandardOptimalLearner
    >>> thresholds = [lambda x, k=k: x >= k for k in range(8)]
    >>> adversary = TreeAdversary(thresholds, range(7))
    >>> run(StandardOptimalLearner(thresholds, range(7)), adversary).mistakes
    3
    >>> [adversary.concept_(x) for x in range(7)]
    [False, False, False, False, False, False, False]
    """

    def __init__(
        self, concepts: Sequence[Callable[[Any], Any]], domain: Sequence[Any]
    ) -> None:
        self.concepts, self.domain = tuple(concepts), tuple(domain)
        for name in ("concepts", "domain"):
            if not getattr(self, name):
                raise ParameterError(
                    f"{name} must not be empty, got ()", owner="TreeAdversary"
                )
        if any(x is None for x in self.domain):
            raise ParameterError(
                "domain must hold examples, got None, which says that all are played",
                owner="TreeAdversary",
            )
        self._yes = [
            sum(as_label(says(x)) << i for i, says in enumerate(self.concepts))
            for x in self.domain
        ]
        self._trees = Trees(self._yes, len(self.concepts))
        self._all = (1 << len(self.concepts)) - 1
        self.rounds = self._trees.dimension(self._all)
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return SOA_LB

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `dimension`."""
        return {"dimension": self.rounds}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: one a round."""
        return self.rounds

    @property
    def features(self) -> Sequence[Any] | None:
        """What the domain is made of, in order of meeting; None if not of features."""
        if all(isinstance(x, Mapping) for x in self.domain):
            return tuple(dict.fromkeys(feature for x in self.domain for feature in x))
        plain = all(
            isinstance(x, Sequence) and not isinstance(x, (str, bytes))
            for x in self.domain
        )
        widths = {len(x) for x in self.domain} if plain else set()
        return range(widths.pop()) if len(widths) == 1 else None

    @property
    def best_(self) -> int:
        """Mistakes of the best concept: none, as `concept_` has been right."""
        return 0

    @property
    def concept_(self) -> Callable[[Any], Any]:
        """The first concept of the class that fits all answers so far."""
        return self.concepts[(self._left & -self._left).bit_length() - 1]

    comparator_ = concept_

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._left = self._all

    def _root(self, at: int) -> int:
        """Return the number of the example of round `at`."""
        found = self._trees.root(self._left, self.rounds - at)
        assert found is not None, "what is left shatters what is left"  # noqa: S101 - a theorem
        return found

    def _example(self, at: int) -> Any:
        return self.domain[self._root(at)]

    def _label(self, at: int, prediction: Any) -> bool:
        label = not said(prediction)
        yes = self._yes[self._root(at)]
        self._left &= yes if label else ~yes
        return label
