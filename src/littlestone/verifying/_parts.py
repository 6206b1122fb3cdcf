"""The parts of a certificate, each checked as it is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from littlestone import concepts
from littlestone.errors import CertificateError
from littlestone.verifying._digest import format_of
from littlestone.verifying._numbers import (
    Entries,
    as_doubles,
    as_number,
    as_text,
    short,
)
from littlestone.verifying.twins._losses import Huber, Pinball, kind_of

__all__ = [
    "decoded",
    "described",
    "encoded",
    "entries",
    "exactly",
    "learner",
    "number",
    "numbers",
    "others",
    "shards",
    "witness",
]


def exactly(owner: str, given: Any, names: Iterable[str]) -> None:
    """Refuse a mapping whose names are not exactly these."""
    if not isinstance(given, Mapping):
        raise CertificateError(f"{owner} must be a mapping, got {short(given)}")
    for name in names:
        if name not in given:
            raise CertificateError(f"{owner} must have {name!r}")
    for name in given:
        if name not in names:
            raise CertificateError(f"{owner} must not have {short(name)}")


def number(name: str, value: Any) -> str:
    return _texts(name, [value])[0]


def _texts(owner: str, given: list[Any]) -> list[str]:
    """Return the texts, if all are numbers."""
    try:
        if as_doubles(given) is None:
            for text in given:
                as_number(text)
    except CertificateError as error:
        raise CertificateError(f"{owner}: {error.what}") from None
    return given


def learner(given: Any) -> dict[str, Any]:
    exactly("learner", given, ("name", "parameters"))
    name, parameters = given["name"], given["parameters"]
    if type(name) is not str:
        raise CertificateError(f"learner must have a text as name, got {short(name)}")
    if not isinstance(parameters, Mapping) or not all(
        type(each) is str for each in parameters
    ):
        raise CertificateError(
            f"learner must have a mapping as parameters, got {short(parameters)}"
        )
    # Any kind of sequence is read back as the same tuple.
    read = {n: decoded(n, encoded(n, v)) for n, v in parameters.items()}
    return {"name": name, "parameters": read}


def numbers(given: Any) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(type(name) is str for name in given):
        raise CertificateError(f"numbers must be a mapping, got {short(given)}")
    return {name: number(f"numbers: {name}", text) for name, text in given.items()}


def others(given: Any) -> dict[str, dict[str, str | None]]:
    if not isinstance(given, Mapping) or not all(type(name) is str for name in given):
        raise CertificateError(f"others must be a mapping, got {short(given)}")
    for name, other in given.items():
        exactly(f"others: {name}", other, ("bound", "reason"))
        if other["bound"] is not None:
            number(f"others: {name}", other["bound"])
        complete = (
            other["reason"] is None if other["bound"] else type(other["reason"]) is str
        )
        if not complete:
            raise CertificateError(f"others: {name} must have a bound or a reason")
    return {name: dict(other) for name, other in given.items()}


def shards(given: Any, epochs: int) -> dict[str, Any] | None:
    """Return how a cluster played, if all shards have all numbers."""
    if given is None:
        return None
    # The first certificates of clusters do not say how often shards were mixed.
    said = ("mixes",) if isinstance(given, Mapping) and "mixes" in given else ()
    exactly("shards", given, ("rounds", "digests", "epochs", *said))
    rounds, digests, played = given["rounds"], given["digests"], given["epochs"]
    _counts("shards: rounds", rounds)
    many = len(rounds)
    if (
        not isinstance(digests, (list, tuple))
        or len(digests) != many
        or not all(format_of(each) is not None for each in digests)
    ):
        raise CertificateError(f"shards must have {many} digests, got {short(digests)}")
    if not isinstance(played, (list, tuple)) or len(played) != epochs:
        raise CertificateError(f"shards must have {epochs} epochs, got {short(played)}")
    names = ("mistakes", "updates", "weights")
    for each in played:
        exactly("shards: an epoch", each, names)
        for name in names:
            _counts(f"shards: {name}", each[name], many)
    mixes = given.get("mixes", 1)
    if type(mixes) is not int or not 1 <= mixes <= max(many, 1):
        raise CertificateError(
            f"shards: mixes must be from 1 to {many}, got {short(mixes)}"
        )
    return {
        "rounds": list(rounds),
        "digests": list(digests),
        "epochs": [{name: list(each[name]) for name in names} for each in played],
        **dict.fromkeys(said, mixes),
    }


def _counts(owner: str, given: Any, many: int | None = None) -> None:
    fine = isinstance(given, (list, tuple)) and all(
        type(each) is int and 0 <= each < 2**63 for each in given
    )
    if not fine or not given or len(given) != (many or len(given)):
        raise CertificateError(
            f"{owner} must be one whole number from 0 on for each shard, got "
            f"{short(given)}"
        )


def witness(given: Any) -> dict[str, Any]:
    kind = given.get("kind") if isinstance(given, Mapping) else None
    if type(kind) is not str or kind not in _KINDS:
        raise CertificateError(
            f"witness must have a kind, one of {', '.join(_KINDS)}, got {short(given)}"
        )
    exactly("witness", given, ("kind", *_KINDS[kind]))
    return {"kind": kind} | {
        name: read(f"witness: {name}", given[name])
        for name, read in _KINDS[kind].items()
    }


def _name(owner: str, given: Any) -> str | int:
    """Return the name or number of a feature, an expert, a class or a round."""
    if type(given) is str or (type(given) is int and -(2**63) <= given < 2**64):
        return given
    raise CertificateError(f"{owner} must be a name or number, got {short(given)}")


def _alike(names: list[Any]) -> bool:
    """Return whether all are texts, or all are numbers, as in most witnesses."""
    kinds = {*map(type, names)}
    return kinds <= {str} or (
        kinds == {int} and min(names) >= -(2**63) and max(names) < 2**64
    )


def _pairs(
    owner: str, given: Any, name: Callable[[str, Any], str | int] = _name
) -> list[tuple[Any, Any]]:
    """Return pairs whose first parts are distinct names or whole numbers."""
    if (
        not isinstance(given, (list, tuple))
        or not all(issubclass(kind, (list, tuple)) for kind in {*map(type, given)})
        or not {*map(len, given)} <= {2}
    ):
        raise CertificateError(f"{owner} must be pairs, got {short(given)}")
    pairs = [*map(tuple, given)]
    firsts = [first for first, _ in pairs]
    if name is not _name or not _alike(firsts):
        for first in firsts:
            name(owner, first)
    if len(set(firsts)) < len(pairs):
        raise CertificateError(f"{owner} must not repeat a name, got one twice")
    return pairs


def entries(owner: str, given: Any, doubles: list[float] | None = None) -> Entries:
    """Return pairs of names and numbers; the texts of known doubles are not read."""
    if type(given) is Entries:
        return given
    pairs = _pairs(owner, given)
    try:
        return Entries.of(pairs, doubles)
    except CertificateError as error:
        raise CertificateError(f"{owner}: {error.what}") from None


def _rounds(owner: str, given: Any) -> tuple[tuple[str | int, Any], ...]:
    pairs = _pairs(owner, given)
    if not all(type(number) is int and number >= 0 for number, _ in pairs):
        raise CertificateError(f"{owner} must name rounds, got {short(given)}")
    return tuple(pairs)


def _switches(owner: str, given: Any) -> tuple[tuple[str | int, str | int], ...]:
    return tuple((t, _name(owner, who)) for t, who in _rounds(owner, given))


def _terms(owner: str, given: Any) -> tuple[tuple[str | int, str], ...]:
    pairs = _rounds(owner, given)
    _texts(owner, [text for _, text in pairs])
    return pairs


def _constant(owner: str, given: Any) -> str | None:
    return None if given is None else number(owner, given)


def _class(owner: str, given: Any) -> str | int:
    """Return a class, which may also be a truth value."""
    return given if type(given) is bool else _name(owner, given)


def _vectors(owner: str, given: Any) -> tuple[tuple[str | int, Any], ...]:
    made = []
    for name, vector in _pairs(owner, given, _class):
        exactly(owner, vector, ("entries", "bias"))
        read = entries(owner, vector["entries"])
        bias = _constant(owner, vector["bias"])
        made.append((name, {"entries": read, "bias": bias}))
    return tuple(made)


def _text(owner: str, given: Any) -> str:
    if type(given) is not str:
        raise CertificateError(f"{owner} must be a text, got {short(given)}")
    return given


_KINDS: dict[str, dict[str, Any]] = {
    "vector": {"entries": entries, "bias": _constant},
    "classes": {"vectors": _vectors},
    "expansion": {"terms": _terms},
    "expert": {"expert": _name},
    "sequence": {"switches": _switches},
    "concept": {"class": _text, "text": _text},
    "none": {},
}


def described(witness: Mapping[str, Any]) -> str:
    """Describe a witness for people."""
    shown = {name: value for name, value in witness.items() if name != "kind"}
    if witness["kind"] == "concept":
        shown["text"] = short(witness["text"], 300)
    size = {name: len(value) for name, value in shown.items() if _is_many(value)}
    return {
        "vector": "a vector of {entries} entries",
        "classes": "a vector for each of {vectors} classes",
        "expansion": "a sum over {terms} examples",
        "expert": "the expert {expert!r}",
        "sequence": "a sequence of {switches} experts",
        "concept": "the {class} {text}",
        "none": "not needed",
    }[witness["kind"]].format(**{**shown, **size})


def _is_many(value: Any) -> bool:
    return isinstance(value, tuple)


def encoded(name: str, value: Any) -> Any:
    """Return a parameter as JSON: values that JSON lacks are objects of one name."""
    if hasattr(value, "tolist") and not isinstance(value, (str, float)):
        value = value.tolist()  # a NumPy value
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
        level = {"pinball": "tau", "huber": "delta"}.get(kind)
        plain = {kind: getattr(value, level).hex()} if level else kind
    elif isinstance(value, concepts.Concept):
        plain = {"concept": [type(value).__name__, str(value)]}
    elif isinstance(value, Mapping):
        pairs = value.items()
        plain = {"map": [[_name(name, k), encoded(name, v)] for k, v in pairs]}
    elif isinstance(value, (list, tuple, range, concepts.FiniteClass)):
        plain = [encoded(name, each) for each in value]
    else:
        raise CertificateError(
            f"learner: {name} must be a number, a text, a truth value, a concept, "
            f"None, or made of those, got {short(value)}"
        )
    return plain


def decoded(name: str, plain: Any) -> Any:
    """Return a parameter from JSON."""
    if plain is None or isinstance(plain, (bool, str, int)):
        return plain
    if isinstance(plain, list):
        return tuple(decoded(name, each) for each in plain)
    tag: str = ""
    value: Any = None
    if len(plain) == 1:
        [(tag, value)] = plain.items()
    if tag == "map":
        pairs = _pairs(f"learner: {name}", value)
        return {key: decoded(name, each) for key, each in pairs}
    try:
        if tag == "fraction":
            return as_number(value)
        if tag == "concept":
            made, text = value
            return _CONCEPTS[made].parse(text)
        if tag in ("double", "pinball", "huber"):
            number = float.fromhex(value)
            if number.hex() == value and not math.isnan(number):
                losses = {"pinball": Pinball, "huber": Huber}
                return losses[tag](number) if tag in losses else number
    except (ArithmeticError, LookupError, TypeError, ValueError):
        pass
    raise CertificateError(f"learner: {name} must be readable, got {short(plain)}")


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
