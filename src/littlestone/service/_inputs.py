"""What comes as JSON, as the learner takes it, and what it says, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.catalogue import Reads, entry_of
from littlestone.errors import ExampleError, FeatureError, LabelError, ParameterError
from littlestone.learner import as_label
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.labels import label_reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.streams._reading import Reading

__all__ = ["FORMS", "Inputs"]

FORMS = ("features", "advice", "text", "row")
"""How an example may come; one of them in each request."""


class Inputs:
    """Reads examples and labels for one learner.

    Parameters
    ----------
    learner
        The learner.
    reading
        How the stream was read that it has learned from, if the model file says.
    most
        The most features, or experts, that an example may have.

    Examples
    --------
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.service._inputs import Inputs
    >>> inputs = Inputs(Perceptron())
    >>> inputs.example({"features": {"cheap": 1}})
    {'cheap': 1}
    >>> inputs.label(0), inputs.label(False)
    (False, False)
    """

    def __init__(
        self, learner: Any, reading: Reading | None = None, *, most: int = 100_000
    ) -> None:
        self._reading, self._most = reading, most
        self._outcome = outcome_of(learner)
        self._read = label_reader(learner)
        # Examples are those of the forecaster that intervals are put around.
        reader = getattr(learner, "forecaster", None) or learner
        entry = entry_of(type(reader).__name__)
        if entry is None:
            raise ParameterError(
                f"the learner must be one of littlestone, got {learner!r}",
                owner="serve",
            )
        self._advised = entry.reads is Reads.ADVICE
        self._numbered = reading is not None and reading.format == "svmlight"
        positive = None if reading is None else reading.options.get("positive")
        several = isinstance(positive, (list, tuple))
        self._yes = list(positive) if several else [positive]  # type: ignore[arg-type]  # just asked
        self.named = self._outcome is Outcome.LABEL and positive is not None
        self._no = None if reading is None else reading.no
        self.forms = self._forms()
        # The most features of an example that is taken as it came.
        self.most_plain = 0 if self._numbered or self._advised else most

    def _forms(self) -> tuple[str, ...]:
        """Return the forms in which examples may come."""
        if self._advised:
            return ("advice",)
        if self._reading is None:
            return ("features",)
        tables = ("csv", "parquet", "arrow")
        raw = "row" if self._reading.format in tables else "text"
        return ("features", raw)

    def example(self, given: Mapping[str, Any]) -> Any:
        """Return the example of a request, such as `{"features": {...}}`."""
        [(form, value)] = given.items()
        if form not in self.forms:
            raise ExampleError(
                f"an example must have {' or '.join(self.forms)}, got {form!r:.80}"
            )
        if form in ("text", "row"):
            assert self._reading is not None  # noqa: S101 - or it has no such form
            return self._reading.features(value)
        if len(value) > self._most:
            raise FeatureError(
                f"an example must have at most {self._most} {form}, got {len(value)}"
            )
        if not self._numbered:
            return value
        return {_column(name): number for name, number in value.items()}

    def label(self, given: Any) -> Any:
        """Return a label as the learner takes it; refuse one that it would refuse.

        Yes and no are truth values, however they are written.
        """
        if isinstance(given, (dict, list)) or given is None:
            raise LabelError(f"a label must be a single value, got {given!r:.80}")
        if self._outcome is not Outcome.LABEL:
            self._read(given)
            return given
        if self.named and isinstance(given, str):
            if given in self._yes:
                return True
            if self._no is None or given == self._no:
                return False
        return as_label(given)

    @staticmethod
    def same(one: Any, other: Any) -> bool:
        """Return whether two labels are one; the number 1 and the text "1" are not."""
        kinds = {isinstance(each, bool) for each in (one, other)}
        return len(kinds) == 1 and bool(one == other)

    def shown(self, said: Any) -> Any:
        """Return a prediction by the name that people know it by."""
        if not self.named or not isinstance(said, bool):
            return said
        if said:
            return self._yes[0]
        return f"not {self._yes[0]}" if self._no is None else self._no


def _column(name: str) -> int:
    if not (name.isascii() and name.isdigit()):
        raise FeatureError(
            f"a feature must be the number of a column, got {name!r:.80}"
        )
    return int(name)
