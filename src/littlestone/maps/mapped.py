"""A learner behind a map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.errors import ExampleError, ParameterError
from littlestone.learner import Learner, RoundLearner, one_by_one
from littlestone.learner.packing import alike, check, copied
from littlestone.learner.rows import as_rows, is_mappings, single_rows
from littlestone.maps._map import Map, as_map, located

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from littlestone import _core
    from littlestone.learner.rows import Example
    from littlestone.outcome import Outcome
    from littlestone.theorems import Condition, Number, Theorem

__all__ = ["Mapped"]

# What a learner has that is charged by a loss, or gives probabilities.
_OF_SOME = frozenset(
    {
        *("calibrator_", "charges_rows", "gives_chances", "last_loss_", "listening"),
        *("loss", "loss_", "predict_proba", "predict_proba_one", "probability_one"),
        *("scores_rows", "weighs_rounds", "weights_of"),
    }
)


class Mapped(RoundLearner[Any]):
    """Change the features by a map, then learn.

    Each example is mapped, and the learner predicts and learns from what the map has
    made. The map is part of the model: it is saved, certified and exported with the
    learner, and `verify` replays it.

    Parameters
    ----------
    learner
        A newborn learner of features; a copy of it learns.
    map
        One of `littlestone.maps`, or several in a list or joined by `|`.

    Attributes
    ----------
    learner_
        The learner behind the map, with what it has learned. Its weights are those of
        mapped features.
    updates_
        How many rounds have changed it.

    Guarantees
    ----------
    Those of the learner, on the mapped examples: radius, margin and comparator are in
    the space that the map makes. `Standardized` says what that means for it.

    References
    ----------
    Those of the learner and of the map.

    Examples
    --------
    No halfspace says which points are within the unit circle, but one of products does:

    >>> from littlestone.linear import Perceptron
    >>> from littlestone.maps import Mapped, Quadratic
    >>> learner = Mapped(Perceptron(bias=1.0), Quadratic())
    >>> circle = [([0.5, 0.5], True), ([2.0, 0.0], False), ([0.0, 2.0], False)]
    >>> for x, y in circle * 10:
    ...     learner.learn_one(x, y)
    >>> learner.predict_one([0.1, 0.2]), learner.predict_one([-2.0, -2.0])
    (True, False)
    """

    def __init__(self, learner: Learner, map: Map | Sequence[Map]) -> None:  # noqa: A002 - what it is
        if not isinstance(learner, Learner) or hasattr(learner, "play_advice"):
            raise ParameterError(
                f"learner must be a learner of features, got {learner!r}",
                owner="Mapped",
            )
        if not learner.newborn_:
            raise ParameterError(
                "learner must be newborn, got one that has learned; "
                "learner.clone() is newborn",
                owner="Mapped",
            )
        self.learner = learner
        self.map = as_map("Mapped", map)
        self.learner_: Any = learner.clone()
        self._begun = self.map.begin()
        self._rounds = 0

    # What the learner is ----------------------------------------------------------

    @property
    def outcome(self) -> Outcome:
        """What the learner predicts."""
        return self.learner_.outcome  # type: ignore[no-any-return]

    @property
    def guarantees(self) -> tuple[Theorem, ...]:
        """The theorems of the learner."""
        return self.learner_.guarantees  # type: ignore[no-any-return]

    @property
    def conservative(self) -> bool:
        """Whether only a mistake changes it: not if the map learns from each round."""
        learns = any(step.learns for step in self.map.steps)
        return self.learner_.conservative and not learns

    @property
    def known_(self) -> dict[str, Number]:
        """The numbers of its theorems that the learner knows."""
        return self.learner_.known_  # type: ignore[no-any-return]

    @property
    def unmet_(self) -> frozenset[Condition]:
        """The conditions that the learner does not meet."""
        return self.learner_.unmet_  # type: ignore[no-any-return]

    @property
    def updates_(self) -> int:
        """How many rounds have changed the learner since birth."""
        return self.learner_.updates_  # type: ignore[no-any-return]

    @property
    def newborn_(self) -> bool:
        """Whether it is still as it was at birth."""
        return self._rounds == 0 and self.learner_.newborn_

    @property
    def weights_(self) -> Any:
        """The weights of the mapped features."""
        return self.learner_.weights_

    @property
    def classes_(self) -> Any:
        """The classes known, if it learns classes."""
        return self.learner_.classes_

    def __getattr__(self, name: str) -> Any:
        """Return what only learners with a loss or probabilities have."""
        within = self.__dict__.get("learner_")
        if within is None or name not in _OF_SOME:
            raise AttributeError(f"Mapped has no {name!r}")
        found = getattr(within, name)
        if name in ("predict_proba_one", "probability_one"):
            return lambda x: found(self._begun.one(x, learn=False))
        if name == "predict_proba":
            return lambda X: self._asked(X, name, self._chances_one, np.array)
        return found

    def _chances_one(self, x: Example) -> list[float]:
        return list(self.predict_proba_one(x).values())

    # One example ------------------------------------------------------------------

    def predict_one(self, x: Example) -> Any:
        """Predict the label of one example; change nothing."""
        return self.learner_.predict_one(self._begun.one(x, learn=False))

    def score_one(self, x: Example) -> Any:
        """Return the score of one example; change nothing."""
        return self.learner_.score_one(self._begun.one(x, learn=False))

    @property
    def _weighs(self) -> bool:
        return getattr(self.learner_, "weighs_rounds", False)

    def _as_weights(self, sample_weight: ArrayLike, length: int) -> NDArray[Any]:  # type: ignore[override]  # as its learner
        return self.learner_._as_weights(sample_weight, length)  # type: ignore[no-any-return]  # noqa: SLF001 - of one of its own kind

    def play_one(self, x: Example, y: Any, sample_weight: float = 1) -> Any:
        """Predict, then learn; return what was predicted.

        The learner behind the map takes a weight that multiplies losses, if it can.
        """
        if sample_weight == 1 or not self._weighs:
            return super().play_one(x, y, sample_weight)  # type: ignore[arg-type]  # it refuses others
        return self._taught(
            x, lambda mapped: self.learner_.play_one(mapped, y, sample_weight)
        )

    def _round(self, x: Example, label: Any) -> Any:
        return self._taught(x, lambda mapped: self.learner_.play_one(mapped, label))

    def play_scored_one(self, x: Example, y: Any) -> Any:
        """Play one round; return the score, or scores, that the example had before."""

        def teach(mapped: Example) -> Any:
            score = self.learner_.score_one(mapped)
            self.learner_.learn_one(mapped, y)
            return score

        return self._taught(x, teach)

    def _taught(self, x: Example, teach: Callable[[Example], Any]) -> Any:
        mapped = self._begun.one(x)
        try:
            said = teach(mapped)
        except ExampleError:
            self._begun.undo()
            raise
        self._rounds += 1
        return said

    # Blocks -----------------------------------------------------------------------

    def _play(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        **notes: NDArray[Any],
    ) -> None:
        if repeats is not None and self._weighs:
            notes, repeats = {**notes, "weights": repeats}, None

        def play(mapped: Any, at: int, to: int) -> None:
            more = () if changed is None else (changed[at:to],)
            noted = {name: each[at:to] for name, each in notes.items()}
            self.learner_.play_rows(
                mapped, labels[at:to], predictions[at:to], 0, to - at, *more, **noted
            )

        def play_one(at: int) -> None:
            before = self.updates_
            counts = notes.get("weights", repeats)
            times = 1 if counts is None else counts[at].item()
            x, label = rows.row(at), labels[at : at + 1].tolist()[0]
            if "scores" in notes:
                notes["scores"][at] = self.score_one(x)
            predictions[at] = self.play_one(x, label, times)
            if changed is not None:
                changed[at] = self.updates_ > before
            if "losses" in notes:
                notes["losses"][at] = self.last_loss_

        blocks = repeats is None and hasattr(self.learner_, "play_rows")
        self._through(rows, first, last, play if blocks else None, play_one)

    def play_scored(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        scores: NDArray[np.float64],
        first: int,
        last: int,
    ) -> None:
        """Play some rows of a block, and write the score that each had before."""

        def play(mapped: Any, at: int, to: int) -> None:
            self.learner_.play_scored(
                mapped, labels[at:to], predictions[at:to], scores[at:to], 0, to - at
            )

        def play_one(at: int) -> None:
            x = rows.row(at)
            scores[at] = self.score_one(x)
            predictions[at] = self.play_one(x, bool(labels[at]))

        self._through(rows, first, last, play, play_one)

    def play_numbered(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        wanted: NDArray[np.int32],
        said: NDArray[np.int32],
        first: int,
        last: int,
        classes: list[Hashable],
        scores: NDArray[np.float64],
    ) -> None:
        """Play some rows whose classes are numbered, as a learner of classes does.

        `scores` begin with those of the first row.
        """

        def play(mapped: Any, at: int, to: int) -> None:
            here, room = slice(at, to), scores[at - first : to - first]
            self.learner_.play_numbered(
                mapped, wanted[here], said[here], 0, to - at, classes, scores=room
            )

        def play_one(at: int) -> None:
            found = self.play_scored_one(rows.row(at), classes[wanted[at]])
            given = list(found.values())
            scores[at - first, : len(given)] = given
            said[at] = np.argmax(given) if given else -1

        self._through(rows, first, last, play, play_one)

    def _through(
        self,
        rows: _core.Rows,
        first: int,
        last: int,
        play: Callable[[Any, int, int], None] | None,
        play_one: Callable[[int], None],
    ) -> None:
        """Play rows of a block, some at a time, or one by one if that cannot be."""
        at = first
        while at < last:
            to = self._begun.end(rows, at, last)
            if play is not None and self._played(rows, at, to, first, play):
                at = to
                continue
            for row in range(at, to):
                try:
                    play_one(row)
                except ExampleError as error:
                    located(error, row, first)
                    raise
            at = to

    def _played(
        self,
        rows: _core.Rows,
        at: int,
        to: int,
        first: int,
        play: Callable[[Any, int, int], None],
    ) -> bool:
        """Map some rows and play them; False if no block can hold what was made."""
        begun = self._begun
        begun.mark()
        mapped = begun.block(rows, at, to, learn=True)
        if mapped.rows is None:
            begun.undo()
            return False
        try:
            if mapped.count:
                play(mapped.rows, at, at + mapped.count)
        except ExampleError as error:
            done = error.rounds or 0
            begun.undo()
            begun.block(rows, at, at + done, learn=True)
            self._rounds += done
            located(error, at + done, first)
            raise
        self._rounds += mapped.count
        if mapped.refuse is not None:
            mapped.refuse(at + mapped.count, first)
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict each row; change nothing."""
        return self._asked(X, "predict", self.predict_one, self._array)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score of each row; change nothing."""
        return self._asked(X, "decision_function", self._scores_one, np.array)

    def _scores_one(self, x: Example) -> Any:
        score = self.score_one(x)
        return list(score.values()) if isinstance(score, Mapping) else score

    def _asked(
        self,
        X: Any,
        method: str,
        ask_one: Callable[[Example], Any],
        joined: Callable[[list[Any]], NDArray[Any]],
    ) -> NDArray[Any]:
        if is_mappings(X) or not hasattr(self.learner_, "play_rows"):
            return joined(one_by_one(ask_one, single_rows(X)))
        rows = as_rows(X)
        parts: list[NDArray[Any]] = []
        at = 0
        while at < len(rows):
            to = self._begun.end(rows, at, len(rows))
            mapped = self._begun.block(rows, at, to, learn=False)
            try:
                if mapped.rows is None:
                    singly = map(rows.row, range(at, to))
                    parts.append(joined(one_by_one(ask_one, singly)))
                else:
                    parts.append(getattr(self.learner_, method)(mapped.rows))
            except ExampleError as error:
                located(error, at + (error.row or 0), 0)
                raise
            if mapped.rows is not None and mapped.refuse is not None:
                mapped.refuse(at + mapped.count, 0)
            at = to
        if not parts:  # the learner knows the shape of an answer to no rows
            return getattr(self.learner_, method)(X)  # type: ignore[no-any-return]
        return np.concatenate(parts)

    # Parameters and state ---------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments it was made with.

        With `deep` also those of the learner, as `learner__r`.
        """
        given: dict[str, Any] = {"learner": self.learner, "map": self.map}
        if deep:
            inner = self.learner.get_params()
            given.update({f"learner__{name}": each for name, each in inner.items()})
        return given

    def set_params(self, **parameters: Any) -> Self:
        """Make this learner anew, some arguments changed; it forgets all it knew."""
        given = self.get_params(deep=False)
        inner = {}
        for name, value in parameters.items():
            owner, nested, within = name.partition("__")
            if nested and owner == "learner":
                inner[within] = value
            elif name in given:
                given[name] = value
            else:
                raise ParameterError(
                    "a parameter must be one of learner, map or learner__..., got "
                    f"{name!r}",
                    owner="Mapped",
                )
        if inner:
            given["learner"] = given["learner"].clone().set_params(**inner)
        newborn = type(self)(**given)
        self.__dict__.clear()
        self.__dict__.update(newborn.__dict__)
        return self

    def clone(self) -> Self:
        """Return a newborn learner with the same parameters."""
        return type(self)(**self.get_params(deep=False))

    def save_state(self) -> dict[str, Any]:
        """Return the learner, and what the map has learned."""
        return {
            "learner": self.learner_,
            "map": self._begun.save(),
            "rounds": self._rounds,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        learner = state["learner"]
        sound = alike(learner, self.learner)
        check("Mapped", sound, "the learner that it was made with")
        self.learner_ = copied(learner, self.learner)  # a copy must not share it
        self._begun.load(state["map"])
        self._rounds = int(state["rounds"])

    def __repr__(self) -> str:
        return f"Mapped({self.learner!r}, {self.map!r})"
