"""Whether a learner that has learned before knows the features of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any

from littlestone.display.learned import weights_of
from littlestone.errors import UnknownFeaturesWarning
from littlestone.learner._learner import warn
from littlestone.learner.rows import as_rows, column_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone import _core
    from littlestone.streams import Block

__all__ = ["Familiarity", "rows_to_predict", "strangers_expected"]

_EXAMPLES = 100
_ENTRIES = 10_000
_FEW = 0.1  # of all entries
_SHOWN = 3


def rows_to_predict(learner: Any, X: Any) -> _core.Rows:
    """Return the rows of a matrix or frame; warn if the columns of a frame are unknown.

    Examples
    --------
    >>> import pandas, warnings
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn_one({"amount": 2.0, "age": 41.0}, False)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     said = learner.predict(pandas.DataFrame({"amt": [2.0]}))
    >>> print(caught[0].message)
    none of the features of the frame is known to Perceptron: it has 'amt'; Perceptron knows 'amount', 'age'
    """  # noqa: E501 - a message is one line
    rows = as_rows(X)
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names, looking = column_names(X), Familiarity.of(learner)
        if names and looking is not None:
            looking.frame(names)
    return rows


_EXPECTED: ContextVar[bool] = ContextVar("strangers are expected", default=False)


@contextmanager
def strangers_expected() -> Iterator[None]:
    """Look at no examples: a part of a stream may have features of its own.

    Examples
    --------
    >>> from littlestone.learner.familiar import Familiarity, strangers_expected
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn_one({"amount": 2.0}, False)
    >>> with strangers_expected():
    ...     print(Familiarity.of(learner))
    None
    """
    token = _EXPECTED.set(True)
    try:
        yield
    finally:
        _EXPECTED.reset(token)


class Familiarity:
    """Looks at the first examples of a stream, and warns if few features are known.

    A model that shares no feature with a stream predicts the same label for all of it:
    columns may have been renamed, or the file read with other options.

    Examples
    --------
    >>> import warnings
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn_one({"amount": 2.0, "age": 41.0}, False)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     record = run(learner, [({"amt": 2.0, "years": 7.0}, False)], learn=False)
    >>> print(caught[0].message)
    none of the features of the first example is known to Perceptron: it has 'amt', 'years'; Perceptron knows 'amount', 'age'
    """  # noqa: E501 - a message is one line

    def __init__(self, learner: Any, *, learns: bool = False) -> None:
        self._learner, self._learns = learner, learns
        features = getattr(learner, "features_", None)
        self._features = None if features is None else dict.fromkeys(features)
        self._left = _EXAMPLES
        self._entries = self._familiar = 0
        self._known: dict[Any, bool] = {}

    @classmethod
    def of(cls, learner: Any, *, learns: bool = False) -> Familiarity | None:
        """Return what looks at a stream for a learner; None if there is no need.

        One that learns is warned of only after enough examples: those that come one
        by one may each have features of their own.
        """
        knows = hasattr(learner, "knows") or hasattr(learner, "features_")
        knows = knows and not _EXPECTED.get()
        return cls(learner, learns=learns) if knows and not learner.newborn_ else None

    def block(self, block: Block) -> Familiarity | None:
        """Look at some rows of a block; return None if that is enough."""
        for row in range(block.first, min(block.last, block.first + self._left)):
            if self.example(block.rows.row(row)) is None:
                return None
        return self

    def examples(self, examples: Iterable[Any]) -> Iterator[Any]:
        """Yield pairs of an example and its label, and look at the first of them."""
        looking: Familiarity | None = self
        for example in examples:
            if looking is not None and example is not None:
                looking = looking.example(example[0])
            yield example
        if looking is not None:
            looking.end()

    def example(self, x: Any) -> Familiarity | None:
        """Look at one example; return None if that is enough."""
        if not isinstance(x, Mapping):
            return None
        self._look(feature for feature, value in islice(x.items(), _ENTRIES) if value)
        self._left -= 1
        if self._left and self._entries < _ENTRIES:
            return self
        self.end()
        return None

    def frame(self, names: Iterable[str]) -> None:
        """Look at the columns of a frame, and warn if few of them are known."""
        self._look(islice(names, _ENTRIES))
        self._warn("of the frame", "it has")

    def _look(self, features: Iterable[Any]) -> None:
        for feature in features:
            known = self._known.get(feature)
            if known is None:
                known = self._known[feature] = self._knows(feature)
            self._entries += 1
            self._familiar += known

    def _knows(self, feature: Any) -> bool:
        if self._features is not None:
            return feature in self._features
        known: bool = self._learner.knows(feature)
        return known

    def end(self) -> None:
        """Warn if few of the features are known."""
        if self._learns and self._left:
            return
        seen = _EXAMPLES - self._left
        if seen == 1:
            self._warn("of the first example", "it has")
        else:
            self._warn(f"of the first {seen} examples", "they have")

    def _warn(self, whose: str, has: str) -> None:
        if self._familiar >= _FEW * self._entries:
            return
        name = type(self._learner).__name__
        strangers = [feature for feature, known in self._known.items() if not known]
        friends = self._features
        if friends is None:
            # The members of a committee know the same features.
            members = getattr(self._learner, "members_", {0: self._learner})
            weights = islice(weights_of(next(iter(members.values()))), _ENTRIES)
            friends = dict.fromkeys(weight.feature for weight in weights)
        if not friends:  # it has learned nothing to compare the stream with
            return
        few = "none" if not self._familiar else f"only {sum(self._known.values()):,}"
        many = (
            f"the {len(self._known):,} features" if self._familiar else "the features"
        )
        warn(
            f"{few} of {many} {whose} is known to {name}: {has} {_shown(strangers)}; "
            f"{name} knows {_shown(friends)}",
            UnknownFeaturesWarning,
        )


def _shown(features: Any) -> str:
    some = [repr(each) for each in islice(features, _SHOWN + 1)]
    return ", ".join(some[:_SHOWN]) + (", …" if len(some) > _SHOWN else "")
