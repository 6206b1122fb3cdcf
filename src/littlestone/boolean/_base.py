"""What learners of Boolean rules share: their features, lessons and proofs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone.boolean._reasons import Shown, Unrealizable
from littlestone.concepts import Conjunction, Disjunction, Literal
from littlestone.errors import FeatureError, ParameterError, UnrealizableWarning
from littlestone.learner import RowLearner, as_times, one_by_one, warn
from littlestone.learner.familiar import rows_to_predict
from littlestone.learner.packing import (
    check,
    is_array,
    packed_features,
    unpacked_features,
)
from littlestone.learner.parameters import whole
from littlestone.learner.rows import Example, is_mappings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.concepts import Feature
    from littlestone.learner.moment import Looks
    from littlestone.theorems import Number

__all__ = ["BooleanLearner", "as_literals", "as_universe", "check_terms"]

_MOST_COLUMNS = 2**32
_MOST_TERMS = 2**32


def as_universe(
    owner: str, features: Any
) -> tuple[int | tuple[Feature, ...] | None, list[Feature] | None]:
    """Return `features` as a learner stores it, and the features it declares.

    Examples
    --------
    >>> from littlestone.boolean._base import as_universe
    >>> as_universe("ConjunctionLearner", 3)
    (3, [0, 1, 2])
    >>> as_universe("ConjunctionLearner", ["a", "b"])
    (('a', 'b'), ['a', 'b'])
    """
    if features is None:
        return None, None
    if isinstance(features, (int, np.integer)):
        number = whole(owner, "features", features, low=1, high=_MOST_COLUMNS + 1)
        return number, list(range(number))
    if isinstance(features, (str, bytes)) or not isinstance(features, Iterable):
        raise ParameterError(
            f"features must be a number of columns, or names, got {features!r}",
            owner=owner,
        )
    if isinstance(features, (set, frozenset)):  # ties are broken by the order
        raise ParameterError(
            f"features must have an order, got {features!r}", owner=owner
        )
    declared = tuple(_as_feature(owner, feature) for feature in features)
    if not declared:
        raise ParameterError("features must name at least one, got none", owner=owner)
    if len(set(declared)) < len(declared):
        twice = next(f for f, count in Counter(declared).items() if count > 1)
        raise ParameterError(
            f"features must name each once, got {twice!r} twice", owner=owner
        )
    # A tuple is stored as it is: scikit-learn's clone compares by identity.
    kept = features if type(features) is tuple and features == declared else declared
    return kept, list(declared)


def _as_feature(owner: str, feature: Any) -> Feature:
    if isinstance(feature, str):
        return str(feature)
    sound = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
    if not sound or not 0 <= feature < _MOST_COLUMNS:
        raise ParameterError(
            "each of features must be a name or a column number below 2**32, got "
            f"{feature!r}",
            owner=owner,
        )
    return int(feature)


def check_terms(owner: str, what: str, k: int, features: int) -> None:
    """Refuse more clauses or terms of at most k literals than can be kept.

    Examples
    --------
    >>> from littlestone.boolean._base import check_terms
    >>> check_terms("KCNFLearner", "clause", 2, 300)
    >>> check_terms("KCNFLearner", "clause", 3, 10_000)
    Traceback (most recent call last):
    littlestone.errors.ParameterError: KCNFLearner: there must be at most 2**32 clauses of at most k literals, but k = 3 and 10000 features make 1333133360001
    """  # noqa: E501 - a message is one line
    needed = 0
    for size in range(min(k, features) + 1):
        needed += math.comb(features, size) << size
        if needed > _MOST_TERMS**2:
            break  # a larger number would say no more
    if needed > _MOST_TERMS:
        more = "more than " if needed > _MOST_TERMS**2 else ""
        raise ParameterError(
            f"there must be at most 2**32 {what}s of at most k literals, but k = {k} "
            f"and {features} features make {more}{needed}",
            owner=owner,
        )


def as_literals(
    owner: str, what: Any, kind: type[Conjunction | Disjunction]
) -> tuple[Literal, ...]:
    """Return the literals of a clause or term, however it is written.

    Examples
    --------
    >>> from littlestone.boolean._base import as_literals
    >>> from littlestone.concepts import Disjunction
    >>> as_literals("KCNFLearner", "a or not b", Disjunction)
    (Literal('a'), ~Literal('b'))
    """
    if isinstance(what, str):
        return kind.parse(what).literals
    if isinstance(what, kind):
        return what.literals
    if isinstance(what, np.integer):
        what = int(what)
    if isinstance(what, (Literal, int)):
        return kind(what).literals
    if isinstance(what, Iterable) and not isinstance(what, (Conjunction, Disjunction)):
        return kind(*what).literals
    raise ParameterError(
        f"why() takes a Literal, a {kind.__name__}, literals or their text, got "
        f"{what!r}",
        owner=owner,
    )


def _part(state: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): part
        for name, part in state.items()
        if name.startswith(prefix)
    }


def _lessons(
    owner: str, state: Mapping[str, Any], prefix: str
) -> dict[str, NDArray[Any]]:
    """Return the arrays of lessons, or refuse what is not one."""
    kinds = {
        "rounds": np.uint64,
        "labels": np.uint8,
        "ends": np.uint64,
        "features": np.uint32,
    }
    parts = {name: state[prefix + name] for name in kinds}
    sound = all(is_array(parts[name], kind) for name, kind in kinds.items())
    check(owner, sound, "lessons as arrays")
    return parts


class BooleanLearner(RowLearner[np.bool_]):
    """A learner of two labels from features that are true or false.

    A feature that an example does not name is false in it, and so is one that has not
    appeared yet: a learner that sees a new feature knows that it was false so far, and
    its bound counts all features seen. It adds a feature when an example that it learns
    from has it true; new ones in the same example are added columns first, then
    names, each in order. So the way an example is written makes no difference.

    A subclass checks its parameters, makes its native rule, and shows what it has
    learned: its `concept_` if that is a rule.
    """

    takes_looks: ClassVar[bool] = True  # while it plays
    _native: _core.Boolean
    _class: ClassVar[str]  # what its concepts are called, for messages

    @property
    def features_(self) -> tuple[Feature, ...]:
        """The features it has seen, in order of appearance."""
        return tuple(self._native.features)

    @property
    def rounds_(self) -> int:
        """How many examples it has learned from since birth."""
        return self._native.rounds

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes what this learner knows."""
        return True

    @property
    def known_(self) -> dict[str, Number]:
        """How many features there are, or were seen; nothing once no concept fits."""
        native = self._native
        return {} if native.ruled_out else self.known_of(len(native.features))

    def known_of(self, features: int) -> dict[str, Number]:
        """Return what is known while it has so many features and some concept fits."""
        return {"features": max(1, features)}

    @property
    def updates_(self) -> int:
        """How many rounds have changed this learner since birth."""
        return self._native.updates

    @property
    def unrealizable_(self) -> Unrealizable | None:
        """The proof that no concept of the class fits, or None while it knows none."""
        found = self._native.unrealizable
        if found is None:
            return None
        return Unrealizable(found[0], tuple(Shown(*shown) for shown in found[1]))

    def predict_one(self, x: Example) -> bool:
        """Predict the label of one example; change nothing."""
        return self._native.predict_one(x)

    def learn_one(self, x: Example, y: object, sample_weight: int = 1) -> None:
        """Learn from one example and its label, `sample_weight` times over."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Example, y: object, sample_weight: int = 1) -> bool:
        """Predict, then learn; return what was predicted."""
        known = self._native.ruled_out
        predicted = self._native.play_one(x, y, as_times(sample_weight))
        self._tell(known=known)
        return predicted

    def _play(  # noqa: PLR0917 - what the native call takes
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        looks: Looks | None = None,
    ) -> None:
        known = self._native.ruled_out
        at = () if looks is None else (first + looks.after, looks.room())
        try:
            self._native.play(
                rows, labels, predictions, repeats, first, last, changed, *at
            )
        finally:
            self._tell(known=known)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Predict the label of each row; change nothing."""
        if is_mappings(X):
            return np.array(one_by_one(self.predict_one, X), dtype=np.bool_)
        rows = rows_to_predict(self, X)
        predictions = np.empty(len(rows), dtype=np.bool_)
        self._native.predict(rows, predictions)
        return predictions

    def _tell(self, *, known: bool) -> None:
        """Warn, once in its life, that no concept is left."""
        if known or not self._native.ruled_out:
            return
        proof = self.unrealizable_
        assert proof is not None  # noqa: S101 - there is one as soon as all are ruled out
        warn(
            f"{type(self).__name__}: no {self._class} fits what was shown up to round "
            f"{proof.round}; unrealizable_ says why, and it continues as it can",
            UnrealizableWarning,
        )

    def _number(self, feature: Feature) -> int:
        """Return the native number of a feature that has been seen."""
        number = self._native.number(feature)
        if number is None:
            error = FeatureError(
                f"a feature must have been seen, got {feature!r}",
                owner=type(self).__name__,
            )
            error.feature = feature
            raise error
        return number

    def save_state(self) -> dict[str, Any]:
        """Return the features seen, the examples that taught it something, the rule."""
        features, rounds, updates, lessons, proof, rule = self._native.state()
        packed = {f"features.{k}": v for k, v in packed_features(features).items()}
        shown = {f"lessons.{k}": v for k, v in lessons.items()}
        state: dict[str, Any] = {"rounds": rounds, "updates": updates, "proof": None}
        if proof is not None:
            last = {f"last.{k}": v for k, v in proof[2].items()}
            which = np.array(proof[1], dtype=np.uint64)
            state["proof"] = {"round": proof[0], "lessons": which} | last
        return state | packed | shown | {"rule": np.array(rule, dtype=np.uint64)}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner = type(self).__name__
        proof = state["proof"]
        if proof is not None:
            which = proof["lessons"]
            check(owner, is_array(which, np.uint64), "a proof")
            last = _lessons(owner, proof, "last.")
            proof = (proof["round"], which.tolist(), last)
        rule = state["rule"]
        check(owner, is_array(rule, np.uint64), "a rule")
        self._native.restore(
            unpacked_features(owner, _part(state, "features.")),
            state["rounds"],
            state["updates"],
            _lessons(owner, state, "lessons."),
            proof,
            rule.tolist(),
        )

    def join_state(self, state: Mapping[str, Any]) -> None:
        """Learn what another learner was taught by a later part of the stream.

        For rules that drop what an example contradicts: this learner becomes what it
        would be if it had played that part itself, except for mistakes that its own
        state would have caused there.
        """
        owner = type(self).__name__
        self._native.join(
            unpacked_features(owner, _part(state, "features.")),
            state["rounds"],
            _lessons(owner, state, "lessons."),
        )
