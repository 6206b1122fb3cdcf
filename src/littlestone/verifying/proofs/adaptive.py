"""The proofs about learners that find their own rates.

The numbers of the theorems, such as squares of regrets, variances and jumps, are
measured exactly on the stream and the predictions. At the end the potential is checked:
the gaps of AdaHedge, the squares of ML-Poly, the products of ML-Prod and BOA. Gaps and
products are doubles of the run, so they may be slightly off; what is counted may not.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.theorems._rounding import (
    exp_bounds,
    float_up,
    ln_bounds,
    sqrt_up,
)
from littlestone.verifying.proofs._forecast import CHARGED, DRIFT, Forecast
from littlestone.verifying.proofs._ledger import Regrets, Variances, width_of
from littlestone.verifying.proofs._proof import Proof, Unsound, real

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.verifying.proofs._forecast import Case
    from littlestone.verifying.proofs._ledger import Ledger, Round
    from littlestone.verifying.proofs._spans import Span

__all__ = ["PROOFS"]

_ONE = Fraction(1)
_EULER = Fraction(2718281828, 10**9)  # no more than e
_PROD_JUMP = Fraction(3, 2)
_BOA_JUMP = Fraction(1675, 1000)
_POLY_GROWTH = Fraction(506, 100)


class _Adaptive(Forecast):
    """The base of these proofs: keeps the twin for after its last round."""

    def __init__(self, *given: Any) -> None:
        self.twin: Any = None
        super().__init__(*given)

    def follow(self, played: Round, twin: Any) -> None:  # noqa: ARG002 - only the end counts
        """Keep the twin."""
        self.twin = twin

    @property
    def alone(self) -> bool:
        """Whether there is only one expert, to which there is no regret."""
        return len(self.ledger.accounts) == 1


class Hedged(_Adaptive):
    """`ADAHEDGE`: the regret is at most twice the gaps, which are bounded."""

    learners = ("AdaHedge",)
    schemas = (CHARGED,)
    names: ClassVar[tuple[str, ...]] = ("variance", "experts", "scale")
    optional: ClassVar[tuple[str, ...]] = ("prior",)
    sides: ClassVar[Mapping[str, int]] = {
        "variance": 1,
        "experts": 0,
        "scale": 1,
        "prior": -1,
        "best": 1,
        "lowest": -1,
        "highest": 1,
    }

    @staticmethod
    def open() -> Ledger:
        """Return an empty ledger."""
        return Variances()

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return what was measured; the prior only if priors differ."""
        ledger = case.ledger
        share = {} if case.equal else {"prior": case.prior}
        apart = max(each.spread for each in ledger.accounts.values())
        # A rounded average may lie slightly outside of the advice. If all experts
        # agree, or all but one sleep, nothing else would make up for that.
        return share | {
            "variance": ledger.variance,
            "experts": Fraction(len(ledger.accounts)),
            "scale": apart + ledger.beyond,
        }

    def settle(self, counted: Span) -> None:
        """Check that the gaps bound the regret, and the variances the gaps."""
        if self.case.equal and "prior" in self.numbers:
            raise Unsound("prior must not be stated, as the priors are equal")
        if self.alone:
            return
        ledger: Any = self.ledger
        low, size = ln_bounds(Fraction(len(ledger.accounts)))
        gap = Fraction(self.twin.gap.value()) * width_of(self.twin.low, self.twin.high)
        largest = max(
            max(each.largest, -each.smallest) for each in ledger.accounts.values()
        )
        room = DRIFT * ledger.rounds * (largest + _reach(self.twin) + gap)
        times = 1 + ln_bounds(1 / self.case.prior)[1] / low
        if counted.low > times * (gap + room):
            raise Unsound("the regret must be at most twice the gaps")
        scale = max(each.spread for each in ledger.accounts.values())
        most = sqrt_up(ledger.variance * size)
        if gap > most + scale * (Fraction(2, 3) * size + 1) + room:
            raise Unsound("the gaps must be at most what the variances allow")


def _reach(twin: Any) -> Fraction:
    """Return the size of the advice, which adds to rounding."""
    if twin.gradient or any(isinstance(f, list) for f in twin.heard.values()):
        return _ONE
    return Fraction(max(abs(f) for f in twin.heard.values()))


class FirstOrder(Hedged):
    """`ADAHEDGE-FIRST`."""

    names = ("best", "lowest", "highest", "experts", "scale")
    optional = ()

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the loss of the witness, and the extreme losses."""
        ledger = case.ledger
        if ledger.sleepy:
            raise Unsound("no expert may sleep")
        if not case.equal:
            raise Unsound("the priors must be equal")
        best = case.account.lost
        numbers = super().measure(case)
        del numbers["variance"]
        return numbers | {
            "best": best.high,
            "lowest": ledger.lowest.low,
            "highest": best.high + (ledger.highest - best).high,
        }

    @classmethod
    def stated(cls, measured: Mapping[str, Fraction]) -> dict[str, float | Fraction]:
        """Round the best loss first, so that the highest stays as far above it."""
        numbers = super().stated(measured)
        above = measured["highest"] - measured["best"]
        return numbers | {"highest": float_up(Fraction(numbers["best"]) + above)}

    def settle(self, counted: Span) -> None:
        """Also check that the largest losses are far enough above the best."""
        ledger: Any = self.ledger
        above = (ledger.highest - self.case.account.lost).high
        if self.numbers["highest"] - self.numbers["best"] < above:
            raise Unsound(
                "highest must be at least as far above best as on this stream"
            )
        super().settle(counted)


class _Regretting(_Adaptive):
    """The base of proofs about regrets, in units of the range."""

    sides: ClassVar[Mapping[str, int]] = {
        "squares": 1,
        "rounds": 0,
        "experts": 0,
        "scale": 1,
        "first": -1,
        "jumps": 1,
        "growth": 1,
        "prior": -1,
        "heaviest": 1,
    }
    forms: ClassVar[tuple[str, ...]] = ("opera", "published")

    @staticmethod
    def open() -> Ledger:
        """Return an empty ledger."""
        return Regrets()

    def check_parameters(self) -> None:
        """Check that the learner's form is the theorem's."""
        if self.parameters["form"] not in self.forms:
            raise Unsound(f"learner: form must be {' or '.join(self.forms)}")
        limits = self.parameters["range"] or (0, 1)
        unknown = self.parameters["gradient"] and self.parameters["range"] is None
        if self.parameters["form"] == "published" and (
            unknown or not all(map(real, limits))
        ):
            raise Unsound("learner: range must be given and finite for this form")

    @classmethod
    def count(cls, case: Case) -> Span:
        """Return the regret in the learner's units."""
        return case.account.regret

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the numbers that all of these theorems take."""
        ledger = case.ledger
        if case.parameters["form"] not in cls.forms:
            raise Unsound(f"the form must be {' or '.join(cls.forms)}")
        if case.parameters["form"] == "published" and ledger.scale > 1 + DRIFT:
            raise Unsound("no regret may exceed 1, in units of the range")
        every = {
            "squares": case.account.squares.high,
            "rounds": Fraction(ledger.rounds),
            "experts": Fraction(len(ledger.accounts)),
            "prior": case.prior,
        }
        return {name: every[name] for name in cls.names if name in every}

    def settle(self, counted: Span) -> None:  # noqa: ARG002 - the potential is the same for all
        """Check that the potential is as low as the theorem says."""
        if not self.alone and self.potential() > self.most() * (1 + DRIFT):
            raise Unsound(
                "the potential must stay as low as the theorem says: the weights are "
                "not those of the theorem"
            )

    @abstractmethod
    def potential(self) -> Fraction:
        """Return the potential, or slightly less."""

    @abstractmethod
    def most(self) -> Fraction:
        """Return the largest potential allowed."""


_SCHEMAS = ({"form": lambda value: value in ("opera", "published"), **CHARGED},)


class Polynomial(_Regretting):
    """`ML-POLY`: squared regrets over sums of squares grow like a logarithm."""

    learners = ("MLPoly",)
    schemas = _SCHEMAS
    names = ("squares", "rounds", "scale", "prior")
    optional = ("first",)

    def check_parameters(self) -> None:
        """Check that the first scale is stated if it was not known."""
        super().check_parameters()
        if self.parameters["form"] == "published":
            self.equal("scale", _ONE, "the width of the range")
        if ("first" in self.numbers) == (self.parameters["form"] == "published"):
            raise Unsound("first must be stated for opera's form, and for it alone")

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Also return the first and the largest regret; 1 if there is none."""
        numbers, ledger = super().measure(case), case.ledger
        if case.parameters["form"] == "published":
            return numbers | {"scale": _ONE}
        if ledger.begun and not ledger.first:
            raise Unsound(_VAGUE)
        scale = ledger.scale or _ONE
        return numbers | {"scale": scale, "first": ledger.first or scale}

    def potential(self) -> Fraction:
        """Return the exact potential of the regrets."""
        ledger: Any = self.ledger
        over = self.numbers["scale"] ** 2
        shares = ledger.priors(self.parameters)
        return sum(
            (
                shares[name] * each.regret.low**2 / (over + each.squares.high)
                for name, each in ledger.accounts.items()
                if each.regret.low > 0
            ),
            Fraction(0),
        )

    def most(self) -> Fraction:
        """Return 1 + ln(1 + T) + 5.06 ln(E/E1)."""
        scale = self.numbers["scale"]
        grown = ln_bounds(scale / self.numbers.get("first", scale))[1]
        rounds = ln_bounds(1 + self.numbers["rounds"])[1]
        return 1 + rounds + _POLY_GROWTH * grown


_VAGUE = "a regret must differ clearly from 0, and one is too close to it"


class _Products(_Regretting):
    """Proofs that follow the run's weights, without their rates."""

    schemas = _SCHEMAS

    @abstractmethod
    def logarithms(self) -> list[float]:
        """Return the logarithms of the weights."""

    def potential(self) -> Fraction:
        """Return the mean of the weights under the priors, or slightly less."""
        shares = self.ledger.priors(self.parameters).values()
        total = Fraction(0)
        for share, logarithm in zip(shares, self.logarithms(), strict=True):
            number = Fraction(logarithm)
            below = exp_bounds(-abs(number))
            total += share * (1 / below[1] if number > 0 else below[0])
        return total


class Products(_Products):
    """`ML-PROD`."""

    learners = ("MLProd",)
    names = ("squares", "rounds", "experts", "scale", "jumps", "prior")
    forms = ("opera",)

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Also return the largest regret, and the jumps."""
        jumps = Fraction(case.ledger.prod_jumps)
        return super().measure(case) | {"scale": case.ledger.scale, "jumps": jumps}

    def logarithms(self) -> list[float]:
        """Return the logarithms of the products."""
        return list(self.twin.products)

    def most(self) -> Fraction:
        """Return 1.5^(J + 1) (1 + ln F)."""
        scale = self.numbers["scale"]
        size = ln_bounds(self.numbers["experts"])[1]
        fall = max(
            2 * scale * sqrt_up(size), sqrt_up(1 + self.numbers["rounds"] * scale**2)
        )
        # The jumps counted, because any number may be stated.
        ledger: Any = self.ledger
        jumps: int = ledger.prod_jumps
        return _PROD_JUMP ** (jumps + 1) * (1 + ln_bounds(fall)[1])


class PublishedProducts(_Products):
    """`ML-PROD-PUB`."""

    learners = ("MLProd",)
    names = ("squares", "rounds", "experts", "prior")
    forms = ("published",)

    def logarithms(self) -> list[float]:
        """Return the logarithms of the products."""
        return list(self.twin.products)

    def most(self) -> Fraction:
        """Return 1 + G."""
        size = ln_bounds(self.numbers["experts"])[0]
        return _grown((1 + self.numbers["rounds"]) / size)


class Bernstein(_Products):
    """`BOA`."""

    learners = ("BOA",)
    names = ("squares", "growth", "jumps", "prior")
    forms = ("opera",)

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Also return how the squares have grown, and the jumps."""
        ledger = case.ledger
        if ledger.vague:
            raise Unsound(_VAGUE)
        jumps = Fraction(ledger.boa_jumps)
        return super().measure(case) | {"growth": ledger.growth, "jumps": jumps}

    def logarithms(self) -> list[float]:
        """Return the logarithms of the exponentials."""
        return _tilted(self.twin)

    def most(self) -> Fraction:
        """Return 1.675^(J + 1) (1 + ln(G)/2)."""
        grown = 1 + ln_bounds(self.numbers["growth"])[1] / 2
        ledger: Any = self.ledger
        jumps: int = ledger.boa_jumps
        return _BOA_JUMP ** (jumps + 1) * grown


class PublishedBernstein(_Products):
    """`BOA-PUB`."""

    learners = ("BOA",)
    names = ("squares", "rounds", "prior", "heaviest")
    forms = ("published",)

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Also return the largest prior."""
        shares = case.ledger.priors(case.parameters)
        return super().measure(case) | {"heaviest": max(shares.values())}

    def logarithms(self) -> list[float]:
        """Return the logarithms of the exponentials."""
        return _tilted(self.twin)

    def most(self) -> Fraction:
        """Return 1 + G."""
        size = ln_bounds(1 / self.numbers["heaviest"])[0]
        if not size > 0:
            raise Unsound("heaviest must be below 1 if there are several experts")
        return _grown(self.numbers["rounds"] / size)


def _tilted(twin: Any) -> list[float]:
    pairs = zip(twin.rates, twin.sums, strict=True)
    return [eta * total.value() for eta, total in pairs]


def _grown(fall: Fraction) -> Fraction:
    return 1 + ln_bounds(max(fall / 4, _ONE))[1] / (2 * _EULER)


PROOFS: dict[str, type[Proof]] = {
    "ADAHEDGE": Hedged,
    "ADAHEDGE-FIRST": FirstOrder,
    "ML-POLY": Polynomial,
    "ML-PROD": Products,
    "ML-PROD-PUB": PublishedProducts,
    "BOA": Bernstein,
    "BOA-PUB": PublishedBernstein,
}
