"""Witnesses for learners that weigh forecasters: the expert they are compared with.

The learner's plain twin replays the run, as the judge will, and the judge's own ledger
adds up all losses exactly. So the numbers stated are those that the judge finds,
rounded to doubles on the safe side.

Any expert is a witness. The best one has the smallest slack between what is counted and
the bound; if experts sleep, so that each is compared on its own rounds, it is the one
with the largest regret. For Fixed Share a sequence of experts is the witness: each
switch adds the same to the bound, so the best sequence is a shortest path.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.errors import LittlestoneError, ParameterError, PremiseError
from littlestone.theorems import Condition
from littlestone.theorems._rounding import float_up
from littlestone.verifying import PROOFS, Certificate, Digest, Unsound
from littlestone.verifying._reading import read_example, read_label
from littlestone.verifying.proofs._forecast import DRIFT, Case, Forecast, known_loss
from littlestone.verifying.twins import TWINS
from littlestone.witnesses._candidate import Candidate, needs_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from littlestone.running import Record
    from littlestone.theorems import Theorem
    from littlestone.verifying.proofs.sequences import Rounds

__all__ = ["SEARCHES", "Found"]

_Witness = dict[str, Any]

_MOST = 32  # experts to try
_DRIFTS = (DRIFT, DRIFT * 2**20)  # by which a prior may be stated lower


class Found(list[Candidate]):
    """Candidates, and why other theorems have none."""

    def __init__(
        self, candidates: Iterable[Candidate], reasons: dict[str, str]
    ) -> None:
        super().__init__(candidates)
        self.reasons = reasons


def _search(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    """Return the theorems that apply to a run, all with the same witness."""
    if stream is None:
        raise needs_stream(record, "to read the advice again")
    parameters = _written(record)
    proofs = {
        theorems.get(theorem): proof
        for (name, theorem), proof in PROOFS.items()
        if name == record.learner.name and not theorem.startswith("MIX-")
    }
    ledger = _played(record, parameters, stream, next(iter(proofs.values())))
    if not ledger.rounds:
        raise PremiseError(
            "there must be rounds, or there is nothing to compare", owner="certify"
        )
    best: Found | None = None
    for each in _witnesses(record, parameters, ledger, witness):
        found = _evaluated(Case(parameters, each, ledger), proofs)
        if best is None or (found and (not best or _slack(found[0]) < _slack(best[0]))):
            best = found
    if not best:
        given = {} if best is None else best.reasons
        reasons = "; ".join(f"{name}: {why}" for name, why in given.items())
        raise PremiseError(
            f"some theorem must apply to the run: {reasons}", owner="certify"
        )
    return best


def _written(record: Record) -> dict[str, Any]:
    """Return the parameters as a certificate reads them back."""
    given = record.learner.parameters
    if not known_loss(given["loss"]):
        raise ParameterError(
            "the loss must have a name, so that the certificate can state it, got "
            f"{given['loss']!r}",
            owner="certify",
        )
    # A certificate reads back what it writes.
    blank = Certificate(
        learner={"name": record.learner.name, "parameters": given},
        passes=1,
        rounds=0,
        mistakes=0,
        updates=0,
        digest="sha256:" + 64 * "0",
        theorem="",
        counts="",
        counted_exact="0",
        witness={"kind": "none"},
        numbers_exact={},
        bound_exact="0",
    )
    return dict(blank.learner["parameters"])


def _played(record: Record, parameters: dict[str, Any], stream: Any, proof: Any) -> Any:
    """Replay the run, and return the ledger of all losses."""
    digest, ledger = Digest("advice", record.outcome), proof.open()
    twin = TWINS[record.learner.name](**parameters)
    for x, y in _rounds(stream, record.passes):
        try:
            example, label = read_example("advice", x), read_label(record.outcome, y)
            digest.add(example, label)
            ledger.add(twin.play(example, label), twin)
        except (Unsound, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ParameterError(
                f"the stream must be that of the record: {error}",
                owner="certify",
                where=f"round {ledger.rounds}",
            ) from None
    if str(digest) != record.digest:
        raise ParameterError(
            "the stream must be that of the record, got another digest",
            owner="certify",
        )
    return ledger


def _rounds(stream: Any, passes: int) -> Iterator[tuple[Any, Any]]:
    for _ in range(passes):
        yield from stream


def _slack(candidate: Candidate) -> Fraction:
    return Fraction(candidate.bound) - Fraction(candidate.counted or 0)


def _candidate(
    theorem: Theorem, case: Case, numbers: Mapping[str, Any], counted: float
) -> Candidate:
    return Candidate.of(theorem, lambda: dict(case.witness), numbers, counted)


def _evaluated(case: Case, proofs: Mapping[Theorem, Any]) -> Found:
    """Return the candidates with a witness, the smallest slack first."""
    found, reasons = [], {}
    for theorem, proof in proofs.items():
        made: type[Forecast] = proof
        try:
            numbers = made.stated(made.measure(case))
            counted = float_up(made.count(case).high)
            candidate = _candidate(theorem, case, numbers, counted)
            for drift in _DRIFTS if "prior" in numbers else ():
                # Against an expert without loss the bound is nearly attained, and the
                # rounded predictions may exceed it, most of all those of a chance near
                # 0. A prior may be stated lower than it is: if slightly lower is
                # enough, the theorem still applies.
                if _slack(candidate) >= 0:
                    break
                lower = {**numbers, "prior": Fraction(numbers["prior"]) * (1 - drift)}
                again = _candidate(theorem, case, lower, counted)
                candidate = again if _slack(again) >= 0 else candidate
        except (Unsound, LittlestoneError) as error:
            # The reason is listed under the theorem, which need not name itself.
            reasons[theorem.id] = getattr(error, "what", str(error))
            continue
        if Condition.ASLEEP in theorem.needs and not case.ledger.sleepy:
            reasons[theorem.id] = "no expert sleeps, so EWA and its kin say the same"
        elif math.isfinite(candidate.bound):
            found.append(candidate)
    return Found(sorted(found, key=_slack), reasons)


# Experts ----------------------------------------------------------------------------


def _witnesses(
    record: Record, parameters: dict[str, Any], ledger: Any, given: Any
) -> list[_Witness]:
    """Return the witnesses to try."""
    of_sequences = record.learner.name == "FixedShare"
    if given is not None:
        return [_given(ledger, given, of_sequences=of_sequences)]
    if of_sequences:
        return [_best_sequence(parameters, ledger)]
    accounts = ledger.accounts
    best = sorted(accounts, key=lambda n: -accounts[n].behind.high)
    many = 1 if ledger.sleepy else _MOST
    return [{"kind": "expert", "expert": name} for name in best[:many]]


def _given(ledger: Any, witness: Any, *, of_sequences: bool) -> _Witness:
    """Return the user's witness: an expert, or pairs of round and expert."""
    if (
        of_sequences
        and not isinstance(witness, str)
        and witness not in (*ledger.accounts,)
    ):
        pairs = witness.items() if isinstance(witness, Mapping) else witness
        try:
            switches = [(int(t), expert) for t, expert in pairs]
        except (TypeError, ValueError):
            raise ParameterError(
                f"a sequence must be pairs of round and expert, got {witness!r}",
                owner="certify",
            ) from None
    else:
        switches = [(0, witness)]
    for t, expert in switches:
        if isinstance(expert, (Mapping, Sequence)) and not isinstance(expert, str):
            known = False
        else:
            known = expert in ledger.accounts
        if not known:
            raise ParameterError(
                "a witness must be one of the experts, "
                f"{', '.join(map(repr, list(ledger.accounts)[:8]))}, got {expert!r}",
                owner="certify",
            )
        if not 0 <= t < ledger.rounds:
            raise ParameterError(
                f"a sequence must switch in rounds from 0 to {ledger.rounds - 1}, "
                f"got {t}",
                owner="certify",
            )
    if not switches or switches[0][0] != 0:
        raise ParameterError(
            f"a sequence must begin with round 0, got {witness!r}", owner="certify"
        )
    if of_sequences:
        return {"kind": "sequence", "switches": switches}
    return {"kind": "expert", "expert": witness}


def _best_sequence(parameters: dict[str, Any], ledger: Rounds) -> _Witness:
    """Return the sequence of experts whose losses and switches cost least."""
    names = list(ledger.accounts)
    blank = math.inf  # of an expert asleep, to which no theorem applies
    table = np.array(
        [
            [
                float(played.charges[n].middle) if n in played.charges else blank
                for n in names
            ]
            for played in ledger.kept
        ]
    )
    case = Case(parameters, {}, ledger)
    size, share = len(names), parameters["alpha"]
    price = math.log(size) + math.log(1 / share) + math.log1p(-share)
    path = _shortest(table, price / float(case.rate))
    switches = [(t, names[i]) for t, i in enumerate(path) if t == 0 or i != path[t - 1]]
    return {"kind": "sequence", "switches": switches}


def _shortest(table: Any, price: float) -> list[int]:
    """Return the column to take in each row, if changing columns has a price."""
    rounds, size = table.shape
    came = np.zeros((rounds, size), dtype=np.int64)
    every = np.arange(size)
    cost = table[0].copy()
    for t in range(1, rounds):
        first = int(np.argmin(cost))
        other = np.full(size, first)
        if size > 1:  # the best other one, for the best one itself
            rest = cost.copy()
            rest[first] = math.inf
            other[first] = int(np.argmin(rest))
        moved = cost[other] + price if size > 1 else np.full(size, math.inf)
        came[t] = np.where(moved < cost, other, every)
        cost = np.minimum(moved, cost) + table[t]
    path = [int(np.argmin(cost))]
    for t in range(rounds - 1, 0, -1):
        path.append(int(came[t, path[-1]]))
    return path[::-1]


SEARCHES: dict[str, Any] = {
    name: _search for (name, _), proof in PROOFS.items() if issubclass(proof, Forecast)
}
