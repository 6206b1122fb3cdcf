"""The second-order proofs: what the learned geometry allows.

For the exact sum v of y x over the updates and the exact matrix A, u.v is at least
gamma M - TD, and at most the root of u'Au times v'A^-1 v. The theorem's bound on
v'A^-1 v is where rounding could hide, so it is checked. In diagonal form all is exact
except logarithms, which are rounded up; for a full matrix see `_matrices`.

`AROW-DIAG` follows the squared distance of the mean to u, in the learned metric: the
mean is the run's own, the metric is exact. As the mean is rounded, the check allows
`passive_aggressive.ROUNDING` of the bound.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.theorems._rounding import ln_bounds
from littlestone.verifying.proofs._exact import (
    CONSTANT,
    Combination,
    Direction,
    dot,
    square,
)
from littlestone.verifying.proofs._matrices import Damped
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real, truth
from littlestone.verifying.proofs._spans import up
from littlestone.verifying.proofs._vectors import direction_of, with_constant
from littlestone.verifying.proofs.passive_aggressive import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PROOFS"]

_NONE = Fraction(0)


class SecondOrderProof(Proof):
    """The base of the three theorems."""

    kinds = ("vector",)
    schemas = ({"r": above_zero, "diagonal": truth, "bias": real},)

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.r = Fraction(parameters["r"])
        self.bias = float(parameters["bias"])
        self.u = self.direction(witness)
        self.mistakes = 0
        self.losses = Fraction(0)

    def direction(self, witness: Mapping[str, Any]) -> Direction:
        """Return u."""
        return direction_of(witness, self.bias)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the mistakes."""
        if counts["mistakes"] != self.mistakes:
            raise Unsound(f"mistakes must be {self.mistakes}")


class _Matrix(SecondOrderProof):
    """The base of the theorems that follow v and A."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.diagonal = self.parameters["diagonal"]
        self.v = Combination()
        self.D: dict[Any, Fraction] = {}  # the sums of the squares of each feature
        self.examples: list[tuple[Fraction, Mapping[Any, float]]] = []
        self.scores = Fraction(0)  # the sum of the squares of u.x

    def add(self, x: Mapping[Any, float], sign: float) -> None:
        """Add an example to v, unless its sign is 0, and to A."""
        self.v.add(sign, x)
        self.scores += self.u.dot(x) ** 2
        if self.diagonal:
            for name, value in x.items():
                self.D[name] = self.D.get(name, Fraction(0)) + Fraction(value) ** 2
        else:
            self.examples.append((Fraction(sign), x))

    def check(self, more: int) -> None:
        """Check the energy, ln det A, and the bound on v'A^-1 v."""
        energy = self.r * self.u.square + self.scores
        if self.diagonal:
            energy = sum(
                (u**2 * (self.r + self.D.get(n, 0)) for n, u in self.u.numbers.items()),
                Fraction(0),
            )
        self.at_least("energy", energy, "u'Au for the witness")
        log_det, spread = self._of_diagonal() if self.diagonal else self._of_matrix()
        self.at_least("log_det", log_det, "ln det(A/r), rounded up")
        if spread > self.numbers["log_det"] + more:
            raise Unsound(
                "v'A^-1 v must be at most what the theorem says: the run's rounding "
                "broke the proof"
            )

    def _of_diagonal(self) -> tuple[Fraction, Fraction]:
        """Return ln det(A/r) and v'A^-1 v, or slightly more."""
        log_det = spread = Fraction(0)
        sums = self.v.numbers
        for name, squares in self.D.items():
            log_det += ln_bounds(1 + squares / self.r)[1]
            spread += sums[name] ** 2 / (self.r + squares)
        return log_det, spread

    def _of_matrix(self) -> tuple[Fraction, Fraction]:
        """Return ln det(A/r) and v'A^-1 v, or slightly more."""
        if not self.examples:
            return Fraction(0), Fraction(0)
        sums = self.v.numbers
        rows = [x for _, x in self.examples]
        if len(sums) > len(rows):  # from the inner products of the examples
            gram = [[_product(x, z) for z in rows] for x in rows]
            K = Damped(gram, self.r)
            return K.log_det(), K.energy([sign for sign, _ in self.examples])
        A = Damped(_grown(rows, [*sums]), self.r)
        return A.log_det(), A.inverse_form(list(sums.values()))


class SecondOrder(_Matrix):
    """`SOP`."""

    learners = ("SecondOrderPerceptron",)
    names = ("margin", "deviation", "energy", "log_det")
    orderless = True

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only mistakes matter
        """Add a mistake."""
        if not (changed or self.every):
            return
        self.mistakes += changed
        x = with_constant(x, self.bias)
        self.add(x, (1.0 if y else -1.0) if changed else 0.0)
        score = self.u.dot(x)
        short = self.numbers["margin"] - (score if y else -score)
        self.losses += max(Fraction(0), short)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums."""
        super().close(counts)
        self.at_least("deviation", self.losses, "the shortfall from the margin")
        self.check(0)


class SecondOrdered(_Matrix):
    """`SOP-ORDER`: what each round may cost, whatever was added before it."""

    learners = ("SecondOrderPerceptron",)
    names = ("price", "potential", "owed", "portion")
    orderless = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.diagonal:
            raise Unsound("learner: diagonal must be True")
        if not (self.numbers["price"] > 0 and 0 < self.numbers["portion"] <= 1):
            raise Unsound("price must exceed 0, and portion too, up to 1")
        self.weights = {n: u**2 for n, u in self.u.numbers.items()}
        self.whole: dict[Any, Fraction] = {}  # D over all rounds
        # What u gains by each round, and the squares of its features.
        self.kept: list[tuple[Fraction, dict[Any, Fraction]]] = []

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only mistakes change it
        """Keep the round; add a mistake."""
        if not (changed or self.every):
            return
        x = with_constant(x, self.bias)
        squares = {name: Fraction(value) ** 2 for name, value in x.items()}
        length = Fraction(0)
        for name, value in squares.items():
            self.whole[name] = self.whole.get(name, Fraction(0)) + value
            length += self.weights.get(name, 0) * value
        score = self.u.dot(x)
        self.kept.append(((score if y else -score) - length / 2, squares))
        if changed:
            self.mistakes += 1
            self.add(x, 1.0 if y else -1.0)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the potential, what the rounds may cost, and v'A^-1 v of the run."""
        super().close(counts)
        portion, price = self.numbers["portion"], self.numbers["price"]
        inverse, growth = {}, Fraction(0)
        for name, squares in self.whole.items():
            grown = self.r + portion * squares
            inverse[name] = up(1 / grown)
            growth += up(ln_bounds(grown / self.r)[1] + self.r / grown - 1)
        start = (self.r * self.u.square + growth) / 2
        self.at_least("potential", start, "(r |u|^2 + K)/2")
        owed = Fraction(0)
        for gain, row in self.kept:
            spread = sum((v * inverse[n] for n, v in row.items()), Fraction(0))
            owed += max(Fraction(0), 1 - price * (gain - spread / 2))
        self.at_least("owed", owed, "what the rounds may cost")
        log_det, spread = self._of_diagonal()
        if spread > log_det:
            raise Unsound(
                "v'A^-1 v must be at most what the theorem says: the run's rounding "
                "broke the proof"
            )


class _Arow(SecondOrderProof):
    """The base of the two forms of AROW."""

    learners = ("AROW",)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Add an update, or a mistake without one."""
        if not changed and said == y:
            return
        x = with_constant(x, self.bias)
        if not changed and square(x):
            raise Unsound("a mistake must change the learner: rounding prevented it")
        self.mistakes += said != y
        score = self.u.dot(x)
        self.lose(max(Fraction(0), 1 - (score if y else -score)))
        if changed:
            self.move(x, y, said == y, twin)

    @abstractmethod
    def lose(self, loss: Fraction) -> None:
        """Take the loss of u."""

    @abstractmethod
    def move(self, x: Mapping[Any, float], y: bool, right: bool, twin: Any) -> None:
        """Take an update."""


class Arow(_Arow, _Matrix):
    """`AROW`."""

    names = ("energy", "log_det", "hinge", "margin_updates")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.diagonal:
            raise Unsound(
                "learner: diagonal must be False; AROW-DIAG is for the diagonal form"
            )
        self.within = 0

    def lose(self, loss: Fraction) -> None:
        """Add up."""
        self.losses += loss

    def move(self, x: Mapping[Any, float], y: bool, right: bool, twin: Any) -> None:  # noqa: ARG002 - v and A are exact
        """Add the example to v and A."""
        self.within += right
        self.add(x, 1.0 if y else -1.0)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums."""
        super().close(counts)
        self.at_least("hinge", self.losses, "the total hinge loss")
        what = "the number of updates without a mistake"
        self.equal("margin_updates", Fraction(self.within), what)
        self.check(self.within)


class ArowOrdered(_Arow, _Matrix):
    """`AROW-ORDER`: ridge regression on all rounds."""

    names = ("r", "norm", "residual", "log_det")
    orderless = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.diagonal:
            raise Unsound("learner: diagonal must be False")
        self.equal("r", self.r, "the learner's")
        self.covers("norm", self.u.square, "the length of the witness")
        self.within = 0
        self.rows: list[Mapping[Any, float]] = []

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Keep every round; add an update."""
        super().round(x, y, said, changed, twin)
        if self.every or changed or said != y:
            x = with_constant(x, self.bias)
            score = self.u.dot(x)
            self.losses += (1 - (score if y else -score)) ** 2
            self.rows.append(x)

    def lose(self, loss: Fraction) -> None:
        """Do nothing: all rounds count, not only those with a loss."""

    def move(self, x: Mapping[Any, float], y: bool, right: bool, twin: Any) -> None:  # noqa: ARG002 - the exact matrix is followed
        """Add an update."""
        self.within += right
        self.add(x, 1.0 if y else -1.0)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums over all rounds, and v'A^-1 v of the run."""
        super().close(counts)
        self.at_least("residual", self.losses, "the sum of (1 - y u.x)^2")
        names = list(dict.fromkeys(name for x in self.rows for name in x))
        if len(names) > len(self.rows):
            gram = [[_product(x, z) for z in self.rows] for x in self.rows]
        else:
            gram = _grown(self.rows, names)
        whole = Damped(gram, self.r).log_det() if gram else _NONE
        self.at_least("log_det", whole, "ln det(I + sum of xx'/r), rounded up")
        log_det, spread = self._of_matrix()
        if spread > log_det + self.within:
            raise Unsound(
                "v'A^-1 v must be at most what the theorem says: the run's rounding "
                "broke the proof"
            )


class ArowDiagonal(_Arow):
    """`AROW-DIAG`."""

    names = ("radius", "r", "norm", "hinge_squares", "drift")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.parameters["diagonal"]:
            raise Unsound("learner: diagonal must be True; AROW is for a full matrix")
        self.equal("r", self.r, "the learner's")
        self.covers("norm", self.u.square, "the length of the witness")
        self.means: dict[Any, Fraction] = {}
        self.metric: dict[Any, Fraction] = {}
        self.drift = self.progress = Fraction(0)

    def lose(self, loss: Fraction) -> None:
        """Add up the squares."""
        self.losses += loss**2

    def move(self, x: Mapping[Any, float], y: bool, right: bool, twin: Any) -> None:  # noqa: ARG002 - the mean is enough
        """Follow the distance of the mean to u."""
        self.covers("radius", square(x), "the length of each example")
        for name, value in x.items():
            u = self.u.numbers.get(name, Fraction(0))
            metric = self.metric.get(name, Fraction(1))
            before = self.means.get(name, Fraction(0)) - u
            mean = Fraction(twin.means[twin if name is CONSTANT else name])
            after, grown = mean - u, Fraction(value) ** 2 / self.r
            self.progress += metric * (before**2 - after**2)
            self.drift += grown * after**2
            self.means[name], self.metric[name] = mean, metric + grown

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums, and that the mistakes have gained what they must."""
        super().close(counts)
        self.at_least("hinge_squares", self.losses, "the squares of the hinge losses")
        self.at_least("drift", self.drift, "the drift of the metric")
        worth = self.numbers["radius"] ** 2 + self.r
        start = self.numbers["norm"] ** 2 + self.numbers["drift"]
        lost = self.numbers["hinge_squares"] / self.r
        short = self.mistakes - worth * (self.progress + lost)
        if short > ROUNDING * worth * (start + lost):  # the mean is rounded
            raise Unsound(
                "each mistake must bring the mean closer to the witness: the run's "
                "rounding broke the proof"
            )


class ArowSteps(_Arow):
    """`AROW-STEPS`: the mean is the run's own, the metric is exact.

    An update that moves the mean by p in the metric L lowers the distance to u by
    2 L p.u - L p.(2 mean + p). Without rounding L p = tau y x; what the run's rounding
    adds to L p.u is counted as a loss of u.
    """

    names = ("norm", "drift", "steps", "mean_loss", "gained", "gain")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.parameters["diagonal"]:
            raise Unsound("learner: diagonal must be True; AROW is for a full matrix")
        self.covers("norm", self.u.square, "the length of the witness")
        self.means: dict[Any, Fraction] = {}
        self.metric: dict[Any, Fraction] = {}
        self.drift = self.steps = self.gained = self.won = Fraction(0)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Also count a mistake on a zero example, as a step of 1 with loss 1."""
        if not changed and said != y:
            self.steps += 1
            self.won += 2
        self.step = Fraction(twin.step) if changed else Fraction(1)
        super().round(x, y, said, changed, twin)

    def lose(self, loss: Fraction) -> None:
        """Add up."""
        self.losses += self.step * loss

    def move(self, x: Mapping[Any, float], y: bool, right: bool, twin: Any) -> None:
        """Follow the distance of the mean to u."""
        pulled, gain = Fraction(0), 2 * self.step
        for name, value in x.items():
            u = self.u.numbers.get(name, Fraction(0))
            metric = self.metric.get(name, Fraction(1))
            before = self.means.get(name, Fraction(0))
            mean = Fraction(twin.means[twin if name is CONSTANT else name])
            moved = metric * (mean - before)
            pulled += moved * u
            gain -= moved * (mean + before)
            grown = Fraction(value) ** 2 / self.r
            self.drift += grown * (mean - u) ** 2
            self.means[name], self.metric[name] = mean, metric + grown
        score = self.u.dot(x)
        self.losses -= pulled - self.step * (score if y else -score)
        self.steps += self.step
        if right:
            self.gained += gain
        else:
            self.won += gain

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums."""
        super().close(counts)
        self.at_least("drift", self.drift, "the drift of the metric")
        self.at_most("steps", self.steps, "the sum of the steps")
        what = "the mean loss of the witness, weighted by the steps"
        if self.numbers["steps"]:
            self.at_least("mean_loss", self.losses / self.numbers["steps"], what)
        elif self.losses > 0:
            raise Unsound("steps must exceed 0")
        self.at_most("gained", self.gained, "what updates without a mistake gained")
        if self.mistakes:
            least = self.won / self.mistakes
            self.at_most("gain", least, "what a mistake gained on average")


def _grown(
    rows: Sequence[Mapping[Any, float]], names: Sequence[Any]
) -> list[list[Fraction]]:
    """Return the sum of xx', by features."""
    places = {name: at for at, name in enumerate(names)}
    sums: list[dict[int, Fraction]] = [{} for _ in names]
    for x in rows:
        exact = [(places[name], Fraction(value)) for name, value in x.items()]
        for i, left in exact:
            row = sums[i]
            for j, right in exact:
                if j <= i:
                    row[j] = row.get(j, _NONE) + left * right
    return [
        [sums[max(i, j)].get(min(i, j), _NONE) for j in range(len(names))]
        for i in range(len(names))
    ]


def _product(x: Mapping[Any, float], z: Mapping[Any, float]) -> Fraction:
    return dot((value, z[name]) for name, value in x.items() if name in z)


PROOFS: dict[str, type[Proof]] = {
    "SOP": SecondOrder,
    "SOP-ORDER": SecondOrdered,
    "AROW": Arow,
    "AROW-DIAG": ArowDiagonal,
    "AROW-STEPS": ArowSteps,
    "AROW-ORDER": ArowOrdered,
}
