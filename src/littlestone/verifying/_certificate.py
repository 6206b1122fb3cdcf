"""A certificate: a theorem applied to a run, to be saved, sent and verified."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from littlestone import theorems
from littlestone.concepts import Concept
from littlestone.display.markup import block, facts, table
from littlestone.display.words import NONE, TAUTOLOGICAL, VACUOUS, clipped, counted
from littlestone.errors import CertificateError, LittlestoneError, printable
from littlestone.outputs import replacing
from littlestone.theorems._rounding import float_down, float_up
from littlestone.verifying import _parts as parts
from littlestone.verifying._digest import format_of
from littlestone.verifying._mixtures import weighted
from littlestone.verifying._numbers import (
    as_number,
    as_text,
    brief,
    readable,
    rounded,
    short,
)
from littlestone.verifying.twins import outcome_of, spread_of

if TYPE_CHECKING:
    from fractions import Fraction
    from os import PathLike

    from littlestone.outcome import Outcome
    from littlestone.theorems import Theorem

__all__ = ["FORMAT", "SCOPES", "Certificate", "text_of"]

FORMAT = 1
_ORDERLESS = 2  # the format of certificates that hold for every order
SCOPES = ("run", "stream")

_HOLDS_FOR = {"run": "this run", "stream": "every order of the rounds"}
_CONSTANT = ("always", "never")  # the texts of rules that say the same of all
_EXACT = "_exact"  # ends the names of attributes that are exact, as in the file
_MOST_ROWS = 100  # of shards and epochs that are shown
_MOST_BYTES = 1 << 26  # of a file; a million weights take less


_RULES = (
    "Such a bound grows with the features, or with the rounds that no rule gets right; "
    "a learner that weighs features, such as Perceptron, has bounds by margins."
)
# Why the bounds of a family of theorems say nothing, and what may.
_REMEDIES = {
    **dict.fromkeys(("CONJ", "DISJ", "kCNF", "kDNF", "DL"), _RULES),
    "BWIN": (
        "If features have very different sizes, the rate that suits the largest hardly "
        "moves the weights of others: standardize them."
    ),
}


@dataclass(frozen=True)
class Certificate:
    """A theorem applied to a run, with the witness that makes it apply.

    The file is JSON. It holds every number exactly, as text, and errs on the safe side:
    a radius is at least the true one, a margin at most. The attributes that end in
    `_exact` are these texts; those without it, such as `bound`, are plain numbers. The
    file ends with a seal, the SHA-256 of the rest. The seal detects damage; `verify`
    detects forgery.

    Attributes
    ----------
    learner
        `name` and `parameters`.
    passes, rounds, mistakes, updates
        What was played, and the result; `updates` may be None.
    loss, expected_mistakes
        The result of learners that are charged by a loss or that draw; None for others.
    digest
        The digest of the stream as it was played.
    theorem, counts
        The id of the theorem, and what it bounds.
    counted
        The number that is bounded.
    witness
        What makes the theorem apply to this run: a mapping with a `kind`.
    numbers
        The numbers that the theorem takes, by name.
    bound
        The bound for these numbers.
    others
        The bounds of other theorems: mappings with `bound` and whether it is `vacuous`,
        or with None and a `reason`. They are reported, not proved.
    scope
        `"run"` if the witness was measured on the rounds that changed the learner;
        `"stream"` if on all rounds: then the bound holds for every order of them.
    shards
        How a cluster played the stream; None for one machine. A mapping with the
        `rounds` and the digests of the shards in order, and for each of the epochs,
        which `passes` counts, the `mistakes` and `updates` of each shard and the
        `weights` with which it was mixed; `mixes`, how often in an epoch.
    format
        The number of the format, 1; for the scope `"stream"` it is 2.

    Examples
    --------
    >>> from littlestone import Certificate
    >>> certificate = Certificate(
    ...     learner={"name": "Perceptron", "parameters": {}},
    ...     passes=1,
    ...     rounds=2,
    ...     mistakes=1,
    ...     updates=1,
    ...     digest="sha256:" + 64 * "0",
    ...     theorem="PERC-SEP",
    ...     counts="updates",
    ...     counted_exact="1",
    ...     witness={"kind": "vector", "entries": [["a", "-1"]], "bias": None},
    ...     numbers_exact={"radius": "1", "margin": "1/3", "norm": "1/3"},
    ...     bound_exact="0x1.0000000000000p+0",
    ... )
    >>> certificate.counted, certificate.bound, certificate.holds, certificate.slack
    (1, 1.0, True, 0.0)
    >>> certificate.numbers["margin"], certificate.numbers_exact["margin"]
    (0.33333333333333337, '1/3')
    >>> Certificate.from_json(certificate.to_json()) == certificate
    True
    """

    learner: Mapping[str, Any]
    passes: int
    rounds: int
    mistakes: int
    updates: int | None
    digest: str
    theorem: str
    counts: str
    counted_exact: str
    witness: Mapping[str, Any]
    numbers_exact: Mapping[str, str]
    bound_exact: str
    loss_exact: str | None = None
    expected_mistakes_exact: str | None = None
    others_exact: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    scope: str = "run"
    shards: Mapping[str, Any] | None = None
    format: int = FORMAT

    def __post_init__(self) -> None:
        _check("scope", self.scope in SCOPES, "'run' or 'stream'", self)
        known = type(self.format) is int and self.format in (FORMAT, _ORDERLESS)
        _check("format", known, "1 or 2", self)
        object.__setattr__(
            self, "format", FORMAT if self.scope == "run" else _ORDERLESS
        )
        for name in ("passes", "rounds", "mistakes", "updates"):
            value = getattr(self, name)
            least = 1 if name == "passes" else 0
            fine = type(value) is int and least <= value < 2**63
            fine = fine or (name == "updates" and value is None)
            _check(name, fine, f"a whole number from {least} on", self)
        for name in ("theorem", "counts"):
            _check(name, type(getattr(self, name)) is str, "a text", self)
        fine = format_of(self.digest) is not None
        _check("digest", fine, "sha256-tree: and 64 digits", self)
        for name in ("counted", "bound", "loss", "expected_mistakes"):
            value = getattr(self, name + _EXACT)
            if value is not None or name in ("counted", "bound"):
                parts.number(name, value)
        for name, made in (
            ("learner", parts.learner(self.learner)),
            ("witness", parts.witness(self.witness)),
            ("numbers_exact", parts.numbers(self.numbers_exact)),
            ("others_exact", parts.others(self.others_exact)),
            ("shards", parts.shards(self.shards, self.passes)),
        ):
            object.__setattr__(self, name, made)

    @property
    def outcome(self) -> Outcome:
        """What its learner predicts."""
        return outcome_of(self.learner["name"], self.learner["parameters"])

    @property
    def bound(self) -> float:
        """The bound, rounded up to a float; a lower bound is rounded down."""
        return rounded(self.bound_exact, up=not self._lower)

    @property
    def counted(self) -> float:
        """The number that is bounded: an int, or a float rounded towards the bound."""
        return readable(self.counted_exact, up=not self._lower)

    @property
    def loss(self) -> float | None:
        """The loss of the learner, rounded up; None if it is not charged by a loss."""
        return None if self.loss_exact is None else rounded(self.loss_exact)

    @property
    def expected_mistakes(self) -> float | None:
        """The expected mistakes, rounded up; None if the learner does not draw."""
        text = self.expected_mistakes_exact
        return None if text is None else rounded(text)

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers that the theorem takes: ints, or floats rounded up."""
        return {name: readable(text) for name, text in self.numbers_exact.items()}

    @property
    def others(self) -> dict[str, dict[str, Any]]:
        """The bounds of other theorems, rounded as `bound` is; they are not proved."""
        return {
            name: {
                "bound": None
                if other["bound"] is None
                else rounded(other["bound"], up=not self._lower),
                "reason": other["reason"],
                "vacuous": self._says_nothing(name, other["bound"]),
            }
            for name, other in self.others_exact.items()
        }

    @property
    def holds(self) -> bool:
        """Whether what was counted is within the bound."""
        return self._room >= 0

    @property
    def vacuous(self) -> bool:
        """Whether the bound says nothing about this run.

        It is not below the rounds; or, of a loss or regret, not below the rounds times
        the range of losses; or, of an error probability, not below one half, which a
        coin has. A regret to weights says nothing either, if it lets the
        learner lose as much as weights of 0 do; where that is not known, if it is no
        less than all that the learner lost.
        """
        if self._says_nothing(self.theorem, self.bound_exact):
            return True
        to_weights = self.witness["kind"] in ("vector", "classes")
        if self.counts != "regret" or not to_weights or self.loss_exact is None:
            return False
        bound, lost = as_number(self.bound_exact), as_number(self.loss_exact)
        zero = self._lost_by_zero()
        if math.isinf(zero):
            return bound >= lost
        return lost - as_number(self.counted_exact) + bound >= zero

    def _lost_by_zero(self) -> float:
        """Return what weights of 0 lose, as far as the certificate shows it."""
        given = self.learner["parameters"]
        if "class_weight" in given:
            return math.inf
        loss = given.get("loss")
        named = loss if isinstance(loss, str) else ""  # a forgery may have anything
        each = {"logistic": math.log(2), "hinge": 1.0}.get(named, math.inf)
        if self.witness["kind"] == "classes":
            each = math.log(max(1, len(self.witness["vectors"])))
        elif self.learner["name"] == "AIOLI":
            each = math.log(2)
        return self.rounds * each

    @property
    def loss_share(self) -> float | None:
        """What the witness loses of the rounds it was measured on, H/U, or None.

        A witness of 0 loses 1 on each of them. Measured on the updates, a share near 1
        says no more than the mistakes themselves.
        """
        theorem = _known(self.theorem)
        measured = self.rounds if self.scope == "stream" else self.updates
        if theorem is None or not measured or not self._has_numbers(theorem):
            return None
        numbers = {name: as_number(text) for name, text in self.numbers_exact.items()}
        share = theorem.loss_share(numbers, measured)
        return None if share is None else float_up(share)

    @property
    def tautological(self) -> bool:
        """Whether the witness says no more than the mistakes: see `loss_share`.

        So does a concept with exceptions that always says the same: it is a witness for
        any stream, and every mistake on the other label is an exception.
        """
        theorem = _known(self.theorem)
        if self.scope != "run" or theorem is None or not self._has_numbers(theorem):
            return False
        numbers = {name: as_number(text) for name, text in self.numbers_exact.items()}
        if "exceptions" in numbers and (
            numbers.get("blocks") == 1 or self.witness.get("text") in _CONSTANT
        ):
            return True
        return theorem.is_tautological(numbers, self.updates)

    def _has_numbers(self, theorem: Theorem) -> bool:
        """Return whether the theorem has all its numbers: in a forgery it may not."""
        return theorem.numbers.keys() <= self.numbers_exact.keys()

    @property
    def emptiness(self) -> str:
        """Why the bound says nothing, in words; empty if it says something."""
        if self.vacuous:
            return VACUOUS
        return TAUTOLOGICAL if self.tautological else ""

    @property
    def slack(self) -> float:
        """How far what was counted is from the bound; below 0 if it does not hold."""
        return float_down(self._room)

    @property
    def _room(self) -> Fraction:
        room = as_number(self.bound_exact) - as_number(self.counted_exact)
        return -room if self._lower else room

    @property
    def _lower(self) -> bool:
        theorem = _known(self.theorem)
        return theorem is not None and theorem.lower

    def _says_nothing(self, name: str, bound: str | None) -> bool:
        theorem = _known(name)
        if theorem is None or bound is None:
            return False
        spread = spread_of(self.learner["name"], self.learner["parameters"])
        scale = self.numbers.get("scale", math.inf)  # the largest difference of losses
        shards = self.shards  # of which each counts with its share
        rounds = self.rounds if shards is None else weighted(shards)["weighted rounds"]
        return theorem.is_vacuous(as_number(bound), rounds, min(scale, spread))

    def to_json(self) -> str:
        """Return the text of the file: one field per line, the seal last."""
        plain = self._plain()
        plain["seal"] = _seal(plain)
        lines = (f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in plain.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the text of a file; refuse anything that `to_json` does not write."""
        try:
            plain = json.loads(
                text,
                object_pairs_hook=_once,
                parse_constant=_no_number,
                parse_float=_no_number,
            )
            return cls._made(plain)
        except RecursionError:
            raise CertificateError("a certificate must not be nested deeply") from None
        except MemoryError:
            raise CertificateError("a certificate must fit into memory") from None
        except (TypeError, ValueError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"a certificate must be JSON: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file; an older one stays until it is complete."""
        with replacing(path) as file:
            file.write(self.to_json().encode("ascii"))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a certificate from a file."""
        try:
            return cls.from_json(text_of(path))
        except CertificateError as error:
            error.where = str(path)
            raise
        except (OSError, ValueError) as error:
            raise CertificateError(
                f"a certificate must be a file that can be read: {error}",
                where=str(path),
            ) from None

    def __str__(self) -> str:
        name = self._played()
        told = " ".join(
            [
                f"{name} played {counted(self.rounds, 'round')}"
                + self._passes()
                + f", with {self.result}.",
                self._promise(),
                *self._remedy(),
                *self._premised(),
                f"The witness is {parts.described(self.witness)}"
                + "".join(
                    f"{', with ' if i == 0 else ', '}{name} = {brief(text)}"
                    for i, (name, text) in enumerate(self.numbers_exact.items())
                )
                + ".",
                *self._measured(),
                *self._rest(),
                f"The stream is {self.digest[:24]}….",
            ]
        )
        return printable(told)

    def _played(self) -> str:
        """Return the learner with its parameters, of which the long ones are cut."""
        given = self.learner["parameters"].items()
        shown = ", ".join(f"{name}={_parameter(value)}" for name, value in given)
        return f"{self.learner['name']}({shown})"

    def _remedy(self) -> list[str]:
        """Return why a bound says nothing, and what may, where that is known."""
        family = self.theorem.partition("-")[0] if self.emptiness else ""
        return [_REMEDIES[family]] if family in _REMEDIES else []

    def _passes(self) -> str:
        """Return how often and where the stream was played, in words."""
        if self.shards is None:
            return f" in {self.passes} passes" if self.passes > 1 else ""
        many = counted(len(self.shards["rounds"]), "shard")
        times = self.shards.get("mixes", 1)
        often = f", mixed {times} times an epoch" if times > 1 else ""
        return f" in {counted(self.passes, 'epoch')} over {many}{often}"

    def _repr_html_(self) -> str:
        rows = [
            ("learner", self._played()),
            ("rounds", f"{self.rounds:,}{self._passes()}"),
            (self._seen, brief(self.counted_exact)),
            ("bound", brief(self.bound_exact)),
            ("witness", str(self.witness["kind"])),
            ("holds for", _HOLDS_FOR[self.scope]),
            *((name, brief(text)) for name, text in self.numbers_exact.items()),
            ("stream", clipped(self.digest, 20)),
        ]
        others = [
            (name, NONE if other["bound"] is None else brief(other["bound"]))
            for name, other in self.others_exact.items()
        ]
        return block(
            f"{self.theorem} {'holds' if self.holds else 'DOES NOT HOLD'}"
            + (f", but is {self.emptiness}" if self.emptiness else ""),
            facts(rows),
            table(("others", "not proved here"), others),
            table(
                ("epoch", "shard", "mistakes", "updates", "weight"), self._played_by()
            ),
        )

    def _played_by(self) -> list[tuple[str, ...]]:
        """Return what each shard did in each epoch, if they are few."""
        epochs = self.shards["epochs"] if self.shards is not None else []
        counts = ("mistakes", "updates", "weights")
        rows = [
            (str(number), str(shard), *(f"{count:,}" for count in found))
            for number, epoch in enumerate(epochs, 1)
            for shard, found in enumerate(zip(*map(epoch.get, counts), strict=True), 1)
        ]
        return rows if len(rows) <= _MOST_ROWS else []

    @property
    def result(self) -> str:
        """What came of the run, in words: its loss, or its mistakes and updates."""
        if self.loss_exact is not None and self.outcome.charged:
            return f"a loss of {brief(self.loss_exact)}"  # numbers are rarely exact
        mistakes = counted(self.mistakes, "mistake")
        if self.updates is None:
            return mistakes
        return f"{mistakes} and {counted(self.updates, 'update')}"

    def _promise(self) -> str:
        side = "at least" if self._lower else "at most"
        theorem = _known(self.theorem)
        statement = "" if theorem is None else f" ({theorem.statement})"
        were = "was" if self.counts.endswith(("loss", "regret")) else "were"
        bound, counted = brief(self.bound_exact), brief(self.counted_exact)
        told = f"{side} {bound} {self.counts}, and there {were} {counted}"
        if self._seen != self.counts:
            told = (
                f"an {self.counts} of {side} {bound}, and the {self._seen} is {counted}"
            )
        promise = f"{self.theorem}{statement} promises {told}"
        if self.holds and self.emptiness:
            return f"{promise}: it holds, but it is {self.emptiness}."
        if self.holds:
            return f"{promise}: it holds, with {brief(as_text(self._room))} to spare."
        return (
            f"{promise}: IT DOES NOT HOLD. A premise of the theorem is broken, or "
            "there is a bug."
        )

    @property
    def _seen(self) -> str:
        """What was counted, which is not yet the probability of an error."""
        risk = self.counts == "error probability"
        return "share of mistakes" if risk else self.counts

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Premises that no stream shows, so that `verify` cannot check them.

        They are those of a bound on the errors to come, that of a fitted rule: how the
        examples were drawn, and that the class of rules was chosen before.
        """
        theorem = _known(self.theorem)
        if theorem is None or theorem.counts != "error probability":
            return ()
        return theorem.premises[:2]

    def _premised(self) -> list[str]:
        if not self.unchecked:
            return []
        needs = ", and that ".join(self.unchecked)
        trust = f"It takes on trust that {needs}."
        return [f"{trust} It fails with a probability of at most delta."]

    def _measured(self) -> list[str]:
        """Say which rounds the witness was measured on, and what it loses of them."""
        share = self.loss_share
        lost = "" if share is None else f"loses {share:.2f} of the rounds"
        if self.scope == "run":
            return [f"It {lost} that changed the learner (H/U)."] if lost else []
        orders = "It was measured on all rounds, so the bound is one for every order"
        return [f"{orders}, and {lost}." if lost else f"{orders}."]

    def _rest(self) -> list[str]:
        said = [
            f"{name} says {brief(other['bound'])}"
            + ", which is vacuous" * self._says_nothing(name, other["bound"])
            if other["bound"] is not None
            else f"{name} says nothing ({other['reason']})"
            for name, other in self.others_exact.items()
        ]
        if not said:
            return []
        told = f"Others, not proved here: {'; '.join(said)}."
        alike = [
            name
            for name, other in self.others_exact.items()
            if other["bound"] is not None
            and (theorem := _known(name)) is not None
            and (theorem.counts, theorem.lower) == (self.counts, False)
        ]
        if not alike or self._lower:
            return [told]
        many = f"the smallest of {1 + len(alike)} bounds on {self.counts}"
        return [f"{self.theorem} has {many} here.", told]

    def _plain(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        plain = {"format": self.format} | {
            entry.name.removesuffix(_EXACT): getattr(self, entry.name)
            for entry in fields(self)
            if entry.name != "scope" or self.scope != "run"  # as in format 1
        }
        if self.shards is None:  # as before there were any
            del plain["shards"]
        plain["learner"] = {
            "name": self.learner["name"],
            "parameters": {
                name: parts.encoded(name, value)
                for name, value in self.learner["parameters"].items()
            },
        }
        return plain

    @classmethod
    def _made(cls, plain: Any) -> Self:
        if not isinstance(plain, dict):
            raise CertificateError("a certificate must be a JSON object")
        made = plain.get("format", FORMAT)
        known = type(made) is int and made in (FORMAT, _ORDERLESS)
        _check("format", known, "1 or 2", plain)
        attributes = {e.name.removesuffix(_EXACT): e.name for e in fields(cls)}
        if made == FORMAT:
            del attributes["scope"]
        names = {"format": "", **attributes, "seal": ""}
        if "shards" not in plain:
            del names["shards"]
        elif plain["shards"] is None:
            raise CertificateError("shards must be left out if there are none")
        parts.exactly("a certificate", plain, names)
        if plain.pop("seal") != _seal(plain):
            raise CertificateError(
                "seal must be that of the certificate, which was changed or damaged"
            )
        learner = plain["learner"]
        if isinstance(learner, dict) and isinstance(learner.get("parameters"), dict):
            given = learner["parameters"].items()
            read = {name: parts.decoded(name, value) for name, value in given}
            plain["learner"] = {**learner, "parameters": read}
        whole = cls(**{attributes[name]: value for name, value in plain.items()})
        _check("scope", whole.format == made, "'stream' in format 2", whole)
        return whole


def _known(theorem: str) -> Theorem | None:
    """Return a theorem by its id, if there is one."""
    try:
        return theorems.get(theorem)
    except (KeyError, LittlestoneError):
        return None


def text_of(path: str | PathLike[str]) -> str:
    """Return the text of a file, if it is not too long for a certificate."""
    with Path(path).open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise CertificateError(
            f"a certificate must have at most {_MOST_BYTES:,} bytes, got more"
        )
    return raw.decode()


def _seal(plain: dict[str, Any]) -> str:
    """Return the SHA-256 of the JSON with sorted keys and no spaces."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise CertificateError(f"a name must not be repeated, got {short(twice)} twice")
    return made


def _no_number(text: str) -> NoReturn:
    raise CertificateError(
        f"numbers must be whole, or written in quotes, got {short(text)}"
    )


def _parameter(value: Any) -> str:
    """Return a parameter in a few words: of many members, some of the names."""
    few = 3
    if isinstance(value, Concept):
        return f"<{clipped(str(value), 300)}>"
    committee = isinstance(value, Mapping) and "members" in value
    value = value["members"] if committee else value
    if not isinstance(value, Mapping) or (len(value) <= few and not committee):
        return short(value)
    names = ", ".join(short(name, 30).strip("'") for name in islice(value, few))
    more = f" and {len(value) - few} more" if len(value) > few else ""
    return f"<{len(value)}: {names}{more}>"


def _check(name: str, fine: bool, what: str, made: Any) -> None:
    if not fine:
        value = made[name] if isinstance(made, dict) else getattr(made, name)
        raise CertificateError(f"{name} must be {what}, got {short(value)}")
