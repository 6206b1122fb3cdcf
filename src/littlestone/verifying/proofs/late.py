"""The proof of `DELAY-SERVED`, for the Perceptron.

Let W be the exact sum of the examples added, and W_t what it was when t was served.
Then |W|^2 is Q and twice the sum of y_t W_t.x_t, which is not above 0 as t was a
mistake: apart from rounding, so |W|^2 <= Q is checked. With gamma M - D <= W.u the
bound follows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying.proofs._exact import square
from littlestone.verifying.proofs._proof import Proof, Unsound
from littlestone.verifying.proofs._vectors import with_constant
from littlestone.verifying.proofs.perceptron import Weighed, scaled

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]


class Served(Weighed):
    """`DELAY-SERVED`."""

    learners = ("Perceptron",)
    schemas: ClassVar[Any] = Weighed.schemas[:2]
    names = ("square", "margin", "deviation", "norm")
    unit = False
    late = True
    orderless = False  # Q is of the run: which mistakes were made, and in what order

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.parameters["update"] != "mistake":
            raise Unsound("learner: update must be 'mistake'")
        self.q = Fraction(0)
        self.before: dict[int, Fraction] = {}  # W_t.x_t of mistakes t that wait

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - of all proofs
        """Serve what was asked for, then add a mistake."""
        for number, asked in twin.served:
            self.before[number] = self.w.dot(self._full(asked))
        if not changed:
            return
        self.updates += 1
        full, sign = self._full(x), 1 if y else -1
        now = self.w.dot(full)
        self.q += square(full) + 2 * sign * (now - self.before.pop(twin.number))
        self.w.add(float(sign), full)
        margin = sign * self.u.dot(full)
        self.total += max(Fraction(0), self.numbers["margin"] - margin)

    def _full(self, x: Mapping[Any, float]) -> Mapping[Any, float]:
        x = scaled(x) if self.parameters["normalize"] else x
        return with_constant(x, self.bias)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums."""
        for name in ("updates", "mistakes"):
            if counts[name] != self.updates:
                raise Unsound(f"{name} must be {self.updates}, got {counts[name]}")
        self.at_least("square", self.q, "Q")
        self.at_least("deviation", self.total, "the shortfall from the margin")
        if self.w.square > self.q:
            raise Unsound(
                "|w|^2 must be at most Q for the exact sum w of the mistakes: the "
                "run's rounding broke the proof"
            )


PROOFS: dict[str, type[Proof]] = {"DELAY-SERVED": Served}
