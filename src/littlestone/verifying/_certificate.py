"""A certificate: a theorem held against a run, fit to be saved, sent and verified."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from littlestone import concepts, theorems
from littlestone.display.markup import block, facts, table
from littlestone.display.words import NONE, clipped, counted
from littlestone.errors import CertificateError, LittlestoneError
from littlestone.verifying.twins import outcome_of
from littlestone.verifying.twins._losses import Pinball, kind_of

if TYPE_CHECKING:
    from os import PathLike

    from littlestone.outcome import Outcome

__all__ = ["FORMAT", "Certificate", "as_number", "as_ratios", "as_text", "brief"]

FORMAT = 1

# Python reads no more digits than that unless it is told to.
_MOST_DIGITS = 4000
_TEXT = re.compile(
    r"-?[0-9]{1,4000}(/[0-9]{1,4000})?|-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}"
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def as_text(number: float | Fraction) -> str:
    """Write a number exactly: `12`, `3/4`, or a double as `0x1.8p+1`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying import as_text
    >>> as_text(12), as_text(Fraction(3, 4)), as_text(0.1)
    ('12', '3/4', '0x1.999999999999ap-4')
    """
    if isinstance(number, float):
        if not math.isfinite(number):
            raise CertificateError(f"a number must be finite, got {number!r}")
        return float(number).hex()
    value = Fraction(number)
    longest = max(abs(value.numerator), value.denominator)
    if longest >= 10**_MOST_DIGITS:
        raise CertificateError(
            f"a number must have at most {_MOST_DIGITS} digits, got more"
        )
    return str(value)


def as_number(text: str) -> Fraction:
    """Read what `as_text` writes, and nothing else.

    Examples
    --------
    >>> from littlestone.verifying import as_number
    >>> as_number("3/4"), as_number("0x1.8000000000000p+1")
    (Fraction(3, 4), Fraction(3, 1))
    >>> as_number("0.75")
    Traceback (most recent call last):
    littlestone.errors.CertificateError: a number must be written as '12', '3/4' or '0x1.8000000000000p+1', got '0.75'
    """  # noqa: E501 - a message is one line
    if type(text) is str and _TEXT.fullmatch(text):
        try:
            number = float.fromhex(text) if "x" in text else Fraction(text)
            if as_text(number) == text:  # there is one way to write a number
                return Fraction(number)
        except (ArithmeticError, CertificateError):
            pass
    raise CertificateError(
        "a number must be written as '12', '3/4' or '0x1.8000000000000p+1', got "
        f"{_short(text)}"
    )


def as_ratios(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Read many, each as a whole number over another, which is quick for doubles.

    Examples
    --------
    >>> from littlestone.verifying._certificate import as_ratios
    >>> as_ratios(["3/4", "0x1.8000000000000p+1"])
    [(3, 4), (3, 1)]
    """
    try:
        numbers = [*map(float.fromhex, texts)]
        if [*map(float.hex, numbers)] == texts:  # there is one way to write a number
            return [*map(float.as_integer_ratio, numbers)]
    except (OverflowError, TypeError, ValueError):
        pass
    return [as_number(text).as_integer_ratio() for text in texts]


@dataclass(frozen=True)
class Certificate:
    """A theorem held against a record, with the witness that makes it speak.

    Numbers are written exactly, as `as_text` does. They are stated on the safe side: a
    radius is no less than the true one, a margin no more. The file is JSON, and ends
    with a seal, the SHA-256 of the rest: it tells of damage, not of forgery, which is
    for `verify` to find.

    Attributes
    ----------
    learner
        `name` and `parameters`.
    passes, rounds, mistakes, updates
        What was played, and what came of it; `updates` may be None.
    loss, expected_mistakes
        The same for learners that are charged or that draw; None for others.
    digest
        Of the stream as it was played.
    theorem, counts
        The id, and what the theorem bounds.
    counted
        The number that is bounded.
    witness
        What the theorem is held against the run with: a mapping with a `kind`.
    numbers
        The theorem's own, by name.
    bound
        What the theorem promises for these numbers, rounded to a double.
    others
        What other theorems promise: mappings with `bound`, or None and a `reason`.
        They are told, not proved.
    format
        The number of the format, 1.

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
    ...     counted="1",
    ...     witness={"kind": "vector", "entries": [["a", "-1"]], "bias": None},
    ...     numbers={"radius": "1", "margin": "1", "norm": "1"},
    ...     bound="0x1.0000000000000p+0",
    ... )
    >>> certificate.holds, certificate.slack
    (True, Fraction(0, 1))
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
    counted: str
    witness: Mapping[str, Any]
    numbers: Mapping[str, str]
    bound: str
    loss: str | None = None
    expected_mistakes: str | None = None
    others: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    format: int = FORMAT

    def __post_init__(self) -> None:
        _check("format", type(self.format) is int and self.format == FORMAT, "1", self)
        for name in ("passes", "rounds", "mistakes", "updates"):
            value = getattr(self, name)
            least = 1 if name == "passes" else 0
            fine = type(value) is int and least <= value < 2**63
            fine = fine or (name == "updates" and value is None)
            _check(name, fine, f"a whole number from {least} on", self)
        for name in ("theorem", "counts"):
            _check(name, type(getattr(self, name)) is str, "a text", self)
        fine = type(self.digest) is str and bool(_DIGEST.fullmatch(self.digest))
        _check("digest", fine, "sha256: and 64 digits", self)
        for name in ("counted", "bound", "loss", "expected_mistakes"):
            value = getattr(self, name)
            if value is not None or name in ("counted", "bound"):
                _number(name, value)
        for name, made in (
            ("learner", _learner(self.learner)),
            ("witness", _witness(self.witness)),
            ("numbers", _numbers(self.numbers)),
            ("others", _others(self.others)),
        ):
            object.__setattr__(self, name, made)

    @property
    def outcome(self) -> Outcome:
        """What its learner predicts."""
        return outcome_of(self.learner["name"], self.learner["parameters"])

    @property
    def holds(self) -> bool:
        """Whether what was counted is within the bound."""
        return self.slack >= 0

    @property
    def slack(self) -> Fraction:
        """How far what was counted is from the bound; below 0 if it does not hold."""
        room = as_number(self.bound) - as_number(self.counted)
        return -room if self._lower else room

    @property
    def _lower(self) -> bool:
        try:
            return theorems.get(self.theorem).lower
        except (KeyError, LittlestoneError):
            return False

    def to_json(self) -> str:
        """Return the text of the file, a field a line, the seal last."""
        plain = self._plain()
        plain["seal"] = _seal(plain)
        lines = (f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in plain.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the text of a file; refuse what is not as `to_json` writes it."""
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
        except (TypeError, ValueError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"a certificate must be JSON: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file."""
        Path(path).write_text(self.to_json(), encoding="ascii", newline="\n")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a certificate from a file."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except CertificateError as error:
            error.where = str(path)
            raise
        except (OSError, ValueError) as error:
            raise CertificateError(
                f"a certificate must be a file that can be read: {error}",
                where=str(path),
            ) from None

    def __str__(self) -> str:
        given = self.learner["parameters"].items()
        told = ", ".join(f"{name}={_short(value)}" for name, value in given)
        name = f"{self.learner['name']}({told})"
        return " ".join(
            [
                f"{name} played {counted(self.rounds, 'round')}"
                + (f" in {self.passes} passes" if self.passes > 1 else "")
                + f", with {self._outcome()}.",
                self._promise(),
                f"The witness is {_described(self.witness)}"
                + "".join(
                    f"{', with ' if i == 0 else ', '}{name} = {brief(text)}"
                    for i, (name, text) in enumerate(self.numbers.items())
                )
                + ".",
                *self._rest(),
                f"The stream is {self.digest[:19]}….",
            ]
        )

    def _repr_html_(self) -> str:
        given = self.learner["parameters"].items()
        told = ", ".join(f"{name}={value!r}" for name, value in given)
        rows = [
            ("learner", f"{self.learner['name']}({told})"),
            ("rounds", f"{self.rounds:,}"),
            (self.counts, brief(self.counted)),
            ("bound", brief(self.bound)),
            ("witness", str(self.witness["kind"])),
            *((name, brief(number)) for name, number in self.numbers.items()),
            ("stream", clipped(self.digest, 20)),
        ]
        others = [
            (name, NONE if other["bound"] is None else brief(other["bound"]))
            for name, other in self.others.items()
        ]
        return block(
            f"{self.theorem} {'holds' if self.holds else 'DOES NOT HOLD'}",
            facts(rows),
            table(("others", "not proved here"), others),
        )

    def _outcome(self) -> str:
        if self.loss is not None and self.expected_mistakes is None:
            return f"a loss of {brief(self.loss)}"  # no number is ever quite right
        told = counted(self.mistakes, "mistake")
        if self.updates is None:
            return told
        return f"{told} and {counted(self.updates, 'update')}"

    def _promise(self) -> str:
        side = "at least" if self._lower else "at most"
        try:
            statement = f" ({theorems.get(self.theorem).statement})"
        except (KeyError, LittlestoneError):
            statement = ""
        were = "was" if self.counts in ("loss", "regret") else "were"
        promise = (
            f"{self.theorem}{statement} promises {side} {brief(self.bound)} "
            f"{self.counts}, and there {were} {brief(self.counted)}"
        )
        if self.holds:
            return f"{promise}: it holds, with {brief(as_text(self.slack))} to spare."
        return (
            f"{promise}: IT DOES NOT HOLD. A premise of the theorem is broken, or "
            "there is a bug."
        )

    def _rest(self) -> list[str]:
        told = [
            f"{theorem} says {brief(other['bound'])}"
            if other["bound"] is not None
            else f"{theorem} says nothing ({other['reason']})"
            for theorem, other in self.others.items()
        ]
        return [f"Others, not proved here: {'; '.join(told)}."] if told else []

    def _plain(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        plain = {"format": self.format} | {
            entry.name: getattr(self, entry.name) for entry in fields(self)
        }
        plain["learner"] = {
            "name": self.learner["name"],
            "parameters": {
                name: _encoded(name, value)
                for name, value in self.learner["parameters"].items()
            },
        }
        return plain

    @classmethod
    def _made(cls, plain: Any) -> Self:
        if not isinstance(plain, dict):
            raise CertificateError("a certificate must be a JSON object")
        if "format" in plain:
            made = plain["format"]
            _check("format", type(made) is int and made == FORMAT, "1", plain)
        names = ["format", *(entry.name for entry in fields(cls)), "seal"]
        _exactly("a certificate", plain, dict.fromkeys(names))
        if plain.pop("seal") != _seal(plain):
            raise CertificateError(
                "seal must be that of the certificate, which was changed or damaged"
            )
        learner = plain["learner"]
        if isinstance(learner, dict) and isinstance(learner.get("parameters"), dict):
            given = learner["parameters"].items()
            read = {name: _decoded(name, value) for name, value in given}
            plain["learner"] = {**learner, "parameters": read}
        return cls(**plain)


def _seal(plain: dict[str, Any]) -> str:
    """Return the digest of the JSON with sorted keys and no spaces."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CertificateError(f"a name must stand once, got {_short(twice)} twice")
    return made


def _no_number(text: str) -> NoReturn:
    raise CertificateError(
        f"numbers must be whole, or written in quotes, got {_short(text)}"
    )


def _check(name: str, fine: bool, what: str, made: Any) -> None:
    if not fine:
        value = made[name] if isinstance(made, dict) else getattr(made, name)
        raise CertificateError(f"{name} must be {what}, got {_short(value)}")


def _exactly(owner: str, given: Any, names: Iterable[str]) -> None:
    """Refuse a mapping that has not just these names."""
    if not isinstance(given, Mapping):
        raise CertificateError(f"{owner} must be a mapping, got {_short(given)}")
    for name in names:
        if name not in given:
            raise CertificateError(f"{owner} must have {name!r}")
    for name in given:
        if name not in names:
            raise CertificateError(f"{owner} must not have {_short(name)}")


def _number(name: str, value: Any) -> str:
    return _texts(name, [value])[0]


def _texts(owner: str, given: list[Any]) -> list[str]:
    """Return the texts of numbers."""
    try:
        as_ratios(given)
    except CertificateError as error:
        raise CertificateError(f"{owner}: {error.what}") from None
    return given


def _learner(given: Any) -> dict[str, Any]:
    _exactly("learner", given, ("name", "parameters"))
    name, parameters = given["name"], given["parameters"]
    if type(name) is not str:
        raise CertificateError(f"learner must have a text as name, got {_short(name)}")
    if not isinstance(parameters, Mapping) or not all(
        type(each) is str for each in parameters
    ):
        raise CertificateError(
            f"learner must have a mapping as parameters, got {_short(parameters)}"
        )
    # What is written and read again is the same, whatever kind of sequence was given.
    read = {n: _decoded(n, _encoded(n, v)) for n, v in parameters.items()}
    return {"name": name, "parameters": read}


def _numbers(given: Any) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(type(name) is str for name in given):
        raise CertificateError(f"numbers must be a mapping, got {_short(given)}")
    return {name: _number(f"numbers: {name}", text) for name, text in given.items()}


def _others(given: Any) -> dict[str, dict[str, str | None]]:
    if not isinstance(given, Mapping) or not all(type(name) is str for name in given):
        raise CertificateError(f"others must be a mapping, got {_short(given)}")
    for name, other in given.items():
        _exactly(f"others: {name}", other, ("bound", "reason"))
        if other["bound"] is not None:
            _number(f"others: {name}", other["bound"])
        told = (
            other["reason"] is None if other["bound"] else type(other["reason"]) is str
        )
        if not told:
            raise CertificateError(f"others: {name} must have a bound or a reason")
    return {name: dict(other) for name, other in given.items()}


def _witness(given: Any) -> dict[str, Any]:
    kind = given.get("kind") if isinstance(given, Mapping) else None
    if type(kind) is not str or kind not in _KINDS:
        raise CertificateError(
            f"witness must have a kind, one of {', '.join(_KINDS)}, got {_short(given)}"
        )
    _exactly("witness", given, ("kind", *_KINDS[kind]))
    return {"kind": kind} | {
        name: read(f"witness: {name}", given[name])
        for name, read in _KINDS[kind].items()
    }


def _name(owner: str, given: Any) -> str | int:
    """Return the name or number of a feature, an expert, a class or a round."""
    if type(given) is str or (type(given) is int and -(2**63) <= given < 2**64):
        return given
    raise CertificateError(f"{owner} must be a name or number, got {_short(given)}")


def _pairs(
    owner: str, given: Any, name: Callable[[str, Any], str | int] = _name
) -> list[tuple[Any, Any]]:
    """Return pairs whose first parts are names or whole numbers, each once."""
    if not isinstance(given, (list, tuple)) or not all(
        isinstance(pair, (list, tuple)) and len(pair) == 2  # noqa: PLR2004 - a pair
        for pair in given
    ):
        raise CertificateError(f"{owner} must be pairs, got {_short(given)}")
    pairs = [(name(owner, first), second) for first, second in given]
    if len({first for first, _ in pairs}) < len(pairs):
        raise CertificateError(f"{owner} must name each once, got one twice")
    return pairs


def _entries(owner: str, given: Any) -> tuple[tuple[str | int, str], ...]:
    pairs = _pairs(owner, given)
    _texts(owner, [text for _, text in pairs])
    return tuple(pairs)


def _rounds(owner: str, given: Any) -> tuple[tuple[str | int, Any], ...]:
    pairs = _pairs(owner, given)
    if not all(type(number) is int and number >= 0 for number, _ in pairs):
        raise CertificateError(f"{owner} must name rounds, got {_short(given)}")
    return tuple(pairs)


def _switches(owner: str, given: Any) -> tuple[tuple[str | int, str | int], ...]:
    return tuple((t, _name(owner, who)) for t, who in _rounds(owner, given))


def _terms(owner: str, given: Any) -> tuple[tuple[str | int, str], ...]:
    pairs = _rounds(owner, given)
    _texts(owner, [text for _, text in pairs])
    return pairs


def _constant(owner: str, given: Any) -> str | None:
    return None if given is None else _number(owner, given)


def _class(owner: str, given: Any) -> str | int:
    """Return a class, which may also be a truth value."""
    return given if type(given) is bool else _name(owner, given)


def _vectors(owner: str, given: Any) -> tuple[tuple[str | int, Any], ...]:
    made = []
    for name, vector in _pairs(owner, given, _class):
        _exactly(owner, vector, ("entries", "bias"))
        entries = _entries(owner, vector["entries"])
        bias = _constant(owner, vector["bias"])
        made.append((name, {"entries": entries, "bias": bias}))
    return tuple(made)


def _text(owner: str, given: Any) -> str:
    if type(given) is not str:
        raise CertificateError(f"{owner} must be a text, got {_short(given)}")
    return given


_KINDS: dict[str, dict[str, Any]] = {
    "vector": {"entries": _entries, "bias": _constant},
    "classes": {"vectors": _vectors},
    "expansion": {"terms": _terms},
    "expert": {"expert": _name},
    "sequence": {"switches": _switches},
    "concept": {"class": _text, "text": _text},
    "none": {},
}


def _described(witness: Mapping[str, Any]) -> str:
    """Describe a witness for people."""
    told = {name: value for name, value in witness.items() if name != "kind"}
    if witness["kind"] == "concept":
        told["text"] = _short(witness["text"], 300)
    size = {name: len(value) for name, value in told.items() if _is_many(value)}
    return {
        "vector": "a vector of {entries} entries",
        "classes": "a vector for each of {vectors} classes",
        "expansion": "a sum over {terms} examples",
        "expert": "the expert {expert!r}",
        "sequence": "a sequence of {switches} experts",
        "concept": "the {class} {text}",
        "none": "not needed",
    }[witness["kind"]].format(**{**told, **size})


def _is_many(value: Any) -> bool:
    return isinstance(value, tuple)


def _encoded(name: str, value: Any) -> Any:
    """Return a parameter as JSON: what is no plain value is an object of one name."""
    if hasattr(value, "tolist") and not isinstance(value, (str, float)):
        value = value.tolist()  # of NumPy
    plain: Any
    if value is None or isinstance(value, (bool, str)):
        plain = value
    elif isinstance(value, int):
        plain = int(value)
    elif isinstance(value, float) and not math.isnan(value):
        plain = {"double": float(value).hex()}
    elif isinstance(value, Fraction):
        plain = {"fraction": as_text(value)}
    elif kind := kind_of(value):
        plain = {"pinball": value.tau.hex()} if kind == "pinball" else kind
    elif isinstance(value, concepts.Concept):
        plain = {"concept": [type(value).__name__, str(value)]}
    elif isinstance(value, Mapping):
        pairs = value.items()
        plain = {"map": [[_name(name, k), _encoded(name, v)] for k, v in pairs]}
    elif isinstance(value, (list, tuple, range, concepts.FiniteClass)):
        plain = [_encoded(name, each) for each in value]
    else:
        raise CertificateError(
            f"learner: {name} must be a number, a text, a truth value, a concept, "
            f"None, or made of those, got {_short(value)}"
        )
    return plain


def _decoded(name: str, plain: Any) -> Any:
    """Return a parameter from JSON."""
    if plain is None or isinstance(plain, (bool, str, int)):
        return plain
    if isinstance(plain, list):
        return tuple(_decoded(name, each) for each in plain)
    tag: str = ""
    value: Any = None
    if len(plain) == 1:
        [(tag, value)] = plain.items()
    if tag == "map":
        pairs = _pairs(f"learner: {name}", value)
        return {key: _decoded(name, each) for key, each in pairs}
    try:
        if tag == "fraction":
            return as_number(value)
        if tag == "concept":
            made, text = value
            return _CONCEPTS[made].parse(text)
        if tag in ("double", "pinball"):
            number = float.fromhex(value)
            if number.hex() == value and not math.isnan(number):
                return number if tag == "double" else Pinball(number)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        pass
    raise CertificateError(f"learner: {name} must be readable, got {_short(plain)}")


_CONCEPTS: dict[str, type[concepts.Concept]] = {
    kind.__name__: kind
    for kind in (
        concepts.Conjunction,
        concepts.Disjunction,
        concepts.KCNF,
        concepts.KDNF,
        concepts.DecisionList,
        concepts.Halfspace,
    )
}


def brief(text: str | None) -> str:
    """Write a number for people.

    Examples
    --------
    >>> from littlestone.verifying._certificate import brief
    >>> brief("1200"), brief("1/3")
    ('1,200', '0.333333')
    """
    number = as_number(text or "0")
    if number.denominator == 1 and abs(number) < 10**15:
        return f"{number.numerator:,}"
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return "a huge number"


def _short(value: object, most: int = 60) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # too deep, or too many digits
        text = f"something of type {type(value).__name__}"
    return text if len(text) <= most else text[:most] + "…"
