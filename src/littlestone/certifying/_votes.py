"""Witnesses for learners that vote, count or draw: the expert they are compared with.

Any expert is a witness, and the best is easily found, as the record has the losses of
all. Learners that look at labels alone need none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.adversaries import Adversary
from littlestone.certifying._parameters import restarted
from littlestone.certifying._restarting import best_cut
from littlestone.errors import FeatureError, ParameterError, PremiseError
from littlestone.experts import Halving
from littlestone.running import run
from littlestone.streams import Stream
from littlestone.theorems._rounding import float_down
from littlestone.verifying.proofs.labels import LONGEST
from littlestone.verifying.twins._team import COPIED
from littlestone.witnesses._candidate import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from littlestone.running import Record
    from littlestone.theorems import Theorem
    from littlestone.theorems._rounding import Number

__all__ = ["SEARCHES", "with_experts"]

_NEAR = 1e-13  # how close epsilon is to the best one, which is not a double


class _Crowd:
    """The experts of a run: their names, priors and mistakes."""

    def __init__(self, record: Record, stream: Any) -> None:
        record = _with_losses(record, stream)
        losses = record.expert_losses or {}
        if not losses:
            raise PremiseError(
                f"{record.learner.name} must have experts, got none",
                owner="certify",
            )
        self.owner = record.learner.name
        self.names = list(losses)
        experts = record.learner.parameters.get("experts", ())
        self.named = experts is not None
        self.mistakes: NDArray[np.float64] = np.fromiter(losses.values(), np.float64)
        self.priors: NDArray[np.float64] | None = None
        if isinstance(experts, Mapping):
            priors = np.fromiter(experts.values(), np.float64)
            self.priors = priors if np.ptp(priors) > 0 else None
        if "experts" in record.learner.parameters:
            self._refuse_newcomers(experts)
        self._refuse_sleepers(record)

    def _refuse_newcomers(self, experts: Any) -> None:
        if experts is None:
            return
        began = len(experts) if hasattr(experts, "__len__") else int(experts)
        if began != len(self.names):
            raise PremiseError(
                f"all experts of {self.owner} must be present from the start, got "
                f"{began} at first and {len(self.names)} in the end",
                owner="certify",
            )

    def _refuse_sleepers(self, record: Record) -> None:
        """Refuse experts that slept while the learner was charged."""
        beside = np.fromiter((record.regrets or {}).values(), np.float64)
        asleep = int(np.count_nonzero(beside + self.mistakes != record.mistakes))
        if asleep:
            raise self.slept(f"got {asleep} that slept")

    def slept(self, got: str) -> PremiseError:
        """Return what to raise about experts that slept."""
        return PremiseError(
            f"the theorems of {self.owner} need every expert awake in every round "
            f"that costs something, {got}",
            owner="certify",
        )

    def look(self, stream: Any, *, draws: bool = False) -> None:
        """Refuse sleepers that only the stream shows, if there is one to read.

        That is an expert asleep in the first round, unless all were named at birth;
        and, for learners that draw, an expert asleep while another is wrong.
        """
        if stream is None or isinstance(stream, Adversary):
            return
        for t, (x, y) in enumerate(stream):
            if len(x) < len(self.names):
                wrong = any((vote == 1) != (y == 1) for vote in dict(x).values())
                if (t == 0 and not self.named) or (draws and wrong):
                    raise self.slept(f"got some that sleep in round {t}")
            if not draws:
                return

    def best(self, witness: Any, price: float = 1.0) -> int:
        """Return the position of the witness, or of the best expert.

        A mistake costs `price`, the logarithm of the share of weight that it leaves.
        """
        if witness is not None:
            if not isinstance(witness, (str, int)) or witness not in self.names:
                raise ParameterError(
                    f"the witness must be one of the experts, got {witness!r}",
                    owner="certify",
                )
            return self.names.index(witness)
        cost = self.mistakes * price
        if self.priors is not None:
            cost -= np.log(self.priors)
        return int(np.argmin(cost))

    def share(self, at: int) -> dict[str, Number]:
        """Return the number of experts, or the expert's share or slightly less."""
        if self.priors is None:
            return {"experts": len(self.names)}
        whole = math.nextafter(math.fsum(self.priors.tolist()), math.inf)
        share = Fraction(float(self.priors[at])) / Fraction(whole)
        return {"prior": float_down(share)}

    def count(self, at: int) -> int:
        """Return the mistakes of an expert."""
        return int(self.mistakes[at])

    def candidate(self, theorem: Theorem, at: int, **numbers: Number) -> Candidate:
        """Return a candidate with an expert as witness."""
        name = self.names[at]
        name = name if isinstance(name, str) else int(name)
        witness = {"kind": "expert", "expert": name}
        return Candidate.of(theorem, lambda: witness, numbers)


def _with_losses(record: Record, stream: Any) -> Record:
    """Return a record with the losses of each expert."""
    if record.expert_losses or record.learner.parameters.get("keep_losses", True):
        return record
    if stream is None:
        raise ParameterError(
            "the record must have the losses of each expert, got none: write "
            "certify(record, stream=stream), or use Halving(keep_losses=True)",
            owner="certify",
        )
    learner = Halving(**{**record.learner.parameters, "keep_losses": True})
    again = run(learner, stream, passes=record.passes, keep="nothing", digest=True)
    if again.digest != record.digest:
        raise ParameterError("the stream must be that of the record", owner="certify")
    return again


def _halving(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    crowd = _Crowd(record, stream)
    crowd.look(stream)
    least = {} if crowd.priors is None else crowd.share(int(np.argmin(crowd.priors)))
    # A restart costs as much as the lightest expert may.
    price = math.log(2) - math.log(least.get("prior", 1.0))
    at = crowd.best(witness, price)
    if record.learner.parameters["restart"]:
        numbers: dict[str, Number] = {"best": crowd.count(at), **crowd.share(at)}
        if least:
            numbers["lightest"] = least["prior"]
        return [crowd.candidate(theorems.HALV_R, at, **numbers)]
    if crowd.count(at):
        raise PremiseError(
            f"HALV needs an expert that is never wrong, got {crowd.names[at]!r}, "
            f"wrong {crowd.count(at)} times",
            owner="certify",
        )
    return [crowd.candidate(theorems.HALV, at, **crowd.share(at))]


def _majority(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    crowd = _Crowd(record, stream)
    crowd.look(stream)
    beta = float(record.learner.parameters["beta"])
    at = crowd.best(witness, -math.log(beta))
    best = crowd.count(at)
    return [
        crowd.candidate(theorems.WM, at, best=best, beta=beta, **crowd.share(at)),
    ]


def _followed_members(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    found = _majority(record, witness, None)
    members = record.learner.parameters["members"]
    drifting = (name for name, (kind, _) in members.items() if kind == "Restarting")
    if stream is not None and witness is not None and witness == next(drifting, None):
        learner = restarted(members[witness][1])
        learner.limit_features(COPIED)
        try:
            write, cut = best_cut(learner, stream, record.passes)
        except FeatureError:  # the member was dropped
            return found
        numbers = {**found[0].numbers, **cut, "beta": found[0].numbers["beta"]}
        numbers["copy_beta"] = cut["beta"]
        found.append(Candidate.of(theorems.WM_RESTART, write, numbers))
    return found


def _floored(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    crowd = _Crowd(record, stream)
    crowd.look(stream)
    at = crowd.best(witness, math.log(2))
    best, share = crowd.count(at), crowd.share(at)
    return [
        crowd.candidate(theorem, at, best=best, **share)
        for theorem in (theorems.WM_FLOOR_START, theorems.WM_FLOOR)
    ]


def _drawn(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    crowd = _Crowd(record, stream)
    crowd.look(stream, draws=True)
    # What a mistake really costs: 1 - epsilon is rounded to a double.
    epsilon = 1 - (1 - float(record.learner.parameters["epsilon"]))
    if not epsilon:
        raise PremiseError(
            "RWM needs an epsilon that makes a weight smaller, got "
            f"{record.learner.parameters['epsilon']!r}",
            owner="certify",
        )
    at = crowd.best(witness, -math.log1p(-epsilon))
    best, share = crowd.count(at), crowd.share(at)
    found = [crowd.candidate(theorems.RWM, at, best=best, epsilon=epsilon, **share)]
    # The number of mistakes to which epsilon is tuned.
    start = abs(math.log(*share.values()))
    square = float(record.learner.parameters["epsilon"]) ** 2
    tuned = round(start / square)
    exactly = abs(tuned * square - start) < _NEAR * start
    if exactly and tuned >= max(best, 4 * start):
        found.append(crowd.candidate(theorems.RWM_TUNED, at, best=tuned, **share))
    return found


# Labels alone -----------------------------------------------------------------------


def _labels(record: Record, witness: Any) -> list[bool]:
    """Return the labels of a run, which needs no witness."""
    if witness is not None:
        raise ParameterError(
            f"{record.learner.name} takes no witness, got {witness!r}", owner="certify"
        )
    labels: list[bool] = record.examples.labels.tolist()  # type: ignore[union-attr]  # checked by certify
    return labels


def _without(theorem: Theorem, **numbers: Number) -> Candidate:
    return Candidate.of(theorem, lambda: {"kind": "none"}, numbers)


def _cover(record: Record, witness: Any, _: Any) -> list[Candidate]:
    labels = _labels(record, witness)
    horizon, phi = (record.learner.parameters[name] for name in ("horizon", "phi"))
    theorem = theorems.COVER if phi is None else theorems.COVER_PHI
    if callable(phi):
        raise ParameterError(
            "phi must be a table of numbers, as a certificate cannot hold functions, "
            f"got {phi!r}",
            owner="certify",
        )
    if horizon > LONGEST:
        raise ParameterError(
            f"horizon must be at most {LONGEST}, as a certificate has no room for "
            f"more digits, got {horizon}",
            owner="certify",
        )
    if record.rounds != horizon:
        raise PremiseError(
            f"{theorem.id} is about the whole horizon, {horizon} rounds, got "
            f"{record.rounds}",
            owner="certify",
        )
    ones = sum(labels)
    if phi is None:
        return [_without(theorem, rounds=horizon, ones=ones)]
    share = phi[ones].item() if hasattr(phi[ones], "item") else phi[ones]
    return [_without(theorem, rounds=horizon, phi=share)]


def _followed(record: Record, witness: Any, _: Any) -> list[Candidate]:
    labels = _labels(record, witness)
    ties = yes = 0
    for t, label in enumerate(labels):
        ties += 2 * yes == t
        yes += label
    best = min(yes, len(labels) - yes)
    found = [_without(theorems.FTM, best=best, ties=ties)]
    if record.mistakes == record.rounds:
        found.append(_without(theorems.FTM_LB, rounds=record.rounds))
    return found


def with_experts(record: Record, stream: Any) -> Record:
    """Return the record of a learner that names its experts, if some slept at first.

    A table has a column for each expert, so the learner met them all; the first round
    of the stream alone does not show those asleep.
    """
    met = record.learner.parameters.get("experts", ()) is not None
    if met or not isinstance(stream, Stream) or not stream.of_advice:
        return record
    block = next(iter(stream.blocks()), None)
    if block is None or stream.of_mappings:
        return record
    names = block.rows.names or range(block.rows.values.shape[1])
    if len(block.rows.row(block.first)) == len(names):
        return record
    parameters = {**record.learner.parameters, "experts": list(names)}
    named = replace(record.learner, parameters=parameters)
    return replace(record, learner=named)


SEARCHES: dict[str, Callable[[Record, Any, Any], list[Candidate]]] = {
    "Auto": _followed_members,
    "MulticlassAuto": _followed_members,
    "Halving": _halving,
    "WeightedMajority": _majority,
    "FloorWeightedMajority": _floored,
    "RandomizedWeightedMajority": _drawn,
    "Cover": _cover,
    "FollowTheMajority": _followed,
}
