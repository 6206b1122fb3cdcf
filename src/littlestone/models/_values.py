"""Values as JSON and arrays: parameters, states, and learners inside learners."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone import concepts, losses, maps
from littlestone.catalogue import entry_of
from littlestone.concepts import Concept, FiniteClass, Literal
from littlestone.errors import LittlestoneError, ModelError
from littlestone.learner import Learner
from littlestone.losses import Loss
from littlestone.maps import Map

__all__ = ["Packer", "Unpacker", "learner_class"]

_PLAIN = 2**63
# What a small file could ask for, in features that are only counted and in terms; each
# takes some memory, which a learner needs from birth.
_MOST_FEATURES = 2**22
_MOST_TERMS = 2**30
_EACH_EXPERT = 8  # bytes in the file, of its prior
_DEEPEST = 64  # learners within learners, lists within lists


def learner_class(name: str) -> type[Learner] | None:
    """Return the learner of littlestone that has this name, if there is one.

    Examples
    --------
    >>> from littlestone.models._values import learner_class
    >>> learner_class("Winnow")
    <class 'littlestone.linear.winnow.Winnow'>
    """
    entry = entry_of(name)
    return None if entry is None else entry.load()


class Packer:
    """Turns values into JSON, and arrays that are stored beside it.

    Examples
    --------
    >>> import json
    >>> import numpy as np
    >>> from littlestone.models._values import Packer
    >>> packer = Packer()
    >>> json.dumps(packer.pack("state", {"a": (1, 2.5), "w": np.zeros(3)}))
    '{"a": {"$tuple": [1, 2.5]}, "w": {"$array": "state/w"}}'
    >>> packer.arrays
    {'state/w': array([0., 0., 0.])}
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self._met: dict[int, int] = {}
        self._kept: list[Learner] = []  # so that no other object gets its identity

    def learner(self, where: str, learner: Learner) -> dict[str, Any]:
        """Return the name, the parameters and the state of a learner."""
        name = type(learner).__name__
        if learner_class(name) is not type(learner):
            raise ModelError(
                f"{where}: a learner must be one of littlestone to be saved, "
                f"got {learner!r}"
            )
        self._met[id(learner)] = len(self._met)
        self._kept.append(learner)
        path = "" if where == name else f"{where}/"
        before = len(self.arrays)
        given = {
            key: self.pack(f"{path}parameters/{key}", _listed(value))
            for key, value in learner.get_params(deep=False).items()
        }
        saved = learner.save_state()
        _check_features(learner.get_params(deep=False), saved)
        state = self.pack(f"{path}state", saved)
        for key, array in [*self.arrays.items()][before:]:
            _check(_finite(array), f"{key} must have finite numbers to be saved", array)
        return {"learner": name, "parameters": given, "state": state}

    def pack(self, where: str, value: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 - a case a kind
        """Return a value as JSON can hold it; `where` names it."""
        if value is None or isinstance(value, (bool, np.bool_)):
            return None if value is None else bool(value)
        if isinstance(value, (int, np.integer)):
            number = int(value)
            return number if abs(number) < _PLAIN else {"$int": hex(number)}
        if isinstance(value, (float, np.floating)):
            real = float(value)
            return real if math.isfinite(real) else {"$float": repr(real)}
        if isinstance(value, str):
            return str(value)
        if isinstance(value, np.ndarray):
            self.arrays[where] = value
            return {"$array": where}
        if isinstance(value, list):
            return [self.pack(f"{where}/{at}", item) for at, item in enumerate(value)]
        if isinstance(value, tuple):
            return {"$tuple": self.pack(where, list(value))}
        if isinstance(value, range):
            return {"$range": [value.start, value.stop, value.step]}
        if isinstance(value, (frozenset, set)):
            raise ModelError(f"{where} must have an order to be saved, got {value!r}")
        if isinstance(value, Mapping):
            return self._mapping(where, value)
        if isinstance(value, Fraction):
            return {"$fraction": [hex(value.numerator), hex(value.denominator)]}
        if isinstance(value, Learner):
            if id(value) in self._met:
                return {"$again": self._met[id(value)]}
            return {"$learner": self.learner(where, value)}
        if isinstance(value, Loss):
            return self._loss(where, value)
        if isinstance(value, Map):
            return self._map(where, value)
        if isinstance(value, FiniteClass):
            return {"$class": self.pack(where, list(value))}
        if _concept_class(type(value).__name__) is type(value):
            return {"$concept": [type(value).__name__, str(value)]}
        raise ModelError(
            f"{where} must be made of plain values, learners or concepts of "
            f"littlestone to be saved, got {value!r}"
            + ("; a function cannot be" if callable(value) else "")
        )

    def _mapping(self, where: str, value: Mapping[Any, Any]) -> Any:
        if all(isinstance(key, str) and key[:1] != "$" for key in value):
            return {key: self.pack(f"{where}/{key}", v) for key, v in value.items()}
        pairs = [[key, item] for key, item in value.items()]
        return {"$pairs": self.pack(where, pairs)}

    def _loss(self, where: str, loss: Loss) -> Any:
        made = _loss_of(loss.name, loss.tau or loss.delta)
        if made != loss:
            raise ModelError(
                f"{where} must be a loss of littlestone to be saved, got {loss!r}; a "
                "function cannot be"
            )
        return {"$loss": [loss.name, loss.tau or loss.delta]}

    def _map(self, where: str, given: Map) -> Any:
        name = type(given).__name__
        if _map_class(name) is not type(given):
            raise ModelError(
                f"{where} must be a map of littlestone to be saved, got {given!r}"
            )
        return {"$map": [name, self.pack(where, given.get_params())]}


class Unpacker:
    """Turns the output of a `Packer` back into values, and refuses anything else.

    Examples
    --------
    >>> from littlestone.models._values import Unpacker
    >>> Unpacker({}).unpack({"$tuple": [1, {"$float": "-inf"}]})
    (1, -inf)
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._arrays = dict(arrays)
        self._odd: str | None = None  # an array with what no learner has learned
        self._size = sum(array.nbytes for array in arrays.values())
        self._met: list[Learner | None] = []
        self._depth = 0

    def unused(self) -> list[str]:
        """Return the arrays that nothing has asked for."""
        return list(self._arrays)

    def learner(self, card: Any) -> Learner:
        """Make the learner that a card describes."""
        _check(
            isinstance(card, dict)
            and card.keys() == {"learner", "parameters", "state"}
            and isinstance(card["parameters"], dict),
            "a learner must have a name, parameters and a state",
            card,
        )
        name = card["learner"]
        kind = learner_class(name) if isinstance(name, str) else None
        if kind is None:
            raise ModelError(f"the learner must be one of littlestone, got {name!r}")
        at = len(self._met)
        self._met.append(None)
        given = {key: self.unpack(value) for key, value in card["parameters"].items()}
        # Before anything is allocated: a small file must not take much memory.
        _check_features(given, {})
        experts = _counted(given.get("experts"))
        _check(
            experts * _EACH_EXPERT <= self._size,
            "a file must have a prior for each expert",
            experts,
        )
        learner = _made(kind, given)
        state = self.unpack(card["state"])
        _check(isinstance(state, dict), "a state must have names", state)
        _check_features(given, state)
        try:
            learner.load_state(state)
        except ModelError:
            raise
        except LittlestoneError as error:
            raise ModelError(error.what, owner=error.owner) from error
        except Exception as error:
            # Whatever it was: this learner cannot have saved such a state.
            raise ModelError(
                f"saved state is invalid: {type(error).__name__}: {error}", owner=name
            ) from error
        if self._odd is not None:
            raise ModelError(
                f"array {self._odd!r} must have finite numbers, got others", owner=name
            )
        self._met[at] = learner
        return learner

    def unpack(self, packed: Any) -> Any:
        """Return the value that was packed."""
        self._depth += 1
        _check(self._depth <= _DEEPEST, "values must not be nested so deep", "deeper")
        try:
            return self._unpack(packed)
        finally:
            self._depth -= 1

    def _unpack(self, packed: Any) -> Any:
        if isinstance(packed, list):
            return [self.unpack(item) for item in packed]
        if not isinstance(packed, dict):
            return packed
        tag = next((key for key in packed if key[:1] == "$"), None)
        if tag is None:
            return {key: self.unpack(value) for key, value in packed.items()}
        read = _READERS.get(tag)
        _check(read is not None and len(packed) == 1, "a value must be known", tag)
        try:
            return read(self, packed[tag])  # type: ignore[misc]  # just checked
        except ModelError:
            raise
        except LittlestoneError as error:
            raise ModelError(error.what, owner=error.owner) from error
        except (
            AttributeError,
            ArithmeticError,
            LookupError,
            MemoryError,
            RecursionError,
            TypeError,
            ValueError,
        ) as error:
            raise ModelError(f"saved {tag[1:]} is invalid: {error}") from error

    def _array(self, name: Any) -> Any:
        _check(
            isinstance(name, str) and name in self._arrays,
            "an array must exist",
            name,
        )
        array = self._arrays.pop(name)
        if not _finite(array):
            self._odd = name
        return array

    def _again(self, at: Any) -> Learner:
        sound = type(at) is int and 0 <= at < len(self._met)
        found: Learner | None = self._met[at] if sound else None
        if found is None:
            raise ModelError(f"a learner must come before references to it, got {at!r}")
        return found

    def _concept(self, told: Any) -> Any:
        name, text = told
        kind = _concept_class(name)
        _check(kind is not None, "a concept must be one of littlestone", name)
        return kind.parse(text)  # type: ignore[union-attr]  # just checked

    def _map(self, told: Any) -> Any:
        name, parameters = told
        kind = _map_class(name)
        _check(kind is not None, "a map must be one of littlestone", name)
        return kind(**self.unpack(parameters))  # type: ignore[misc]  # just checked

    def _pairs(self, told: Any) -> Any:
        pairs = [self.unpack(pair) for pair in told]
        found = {key: value for key, value in pairs}  # noqa: C416 - each must be a pair
        _check(len(found) == len(pairs), "a key must appear once", pairs)
        return found


def _concept_class(name: str) -> type[Concept | Literal] | None:
    found = getattr(concepts, name) if name in concepts.__all__ else None
    written = isinstance(found, type) and issubclass(found, (Concept, Literal))
    return found if written else None


def _map_class(name: Any) -> type[Map] | None:
    found = getattr(maps, name) if name in maps.__all__ else None
    written = isinstance(found, type) and issubclass(found, Map)
    return found if written and found is not Map else None


def _listed(value: Any) -> Any:
    """Return arrays that are parameters as lists, which mean the same."""
    if isinstance(value, np.ndarray) or hasattr(value, "to_numpy"):
        return value.tolist()
    return value


def _check(sound: bool, what: str, got: Any) -> None:
    if not sound:
        shown = repr(got)
        raise ModelError(f"{what}, got {shown[:200]}")


def _counted(declared: Any) -> int:
    """Return how many features or experts are declared by their number alone."""
    if isinstance(declared, range):
        return max(0, -(-(declared.stop - declared.start) // declared.step))
    return int(declared) if isinstance(declared, (int, np.integer)) else 0


def _finite(array: Any) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def _check_features(parameters: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Refuse more features, or terms made of them, than a model may have."""
    declared = parameters.get("features")
    count = _counted(declared)
    _check(
        count <= _MOST_FEATURES,
        f"a model must declare at most {_MOST_FEATURES:,} features by their number",
        count,
    )
    met = np.size(state.get("features.kinds", ()))
    features = max(count, met, len(declared) if isinstance(declared, tuple) else 0)
    terms, most = 0, parameters.get("k")
    for size in range(min(most, features) + 1 if isinstance(most, int) else 0):
        terms += math.comb(features, size) << size
        if terms > _MOST_TERMS:
            raise ModelError(
                f"a model must have at most {_MOST_TERMS:,} terms of up to {most} "
                f"literals, got more with {features:,} features"
            )


def _made(kind: type[Learner], given: dict[str, Any]) -> Learner:
    try:
        return kind(**given)
    except LittlestoneError as error:
        raise ModelError(error.what, owner=error.owner) from error
    except Exception as error:
        raise ModelError(
            f"saved parameters are invalid: {error}", owner=kind.__name__
        ) from error


def _loss_of(name: Any, tau: Any) -> Loss | None:
    try:
        if name == "pinball":
            return losses.pinball(tau)
        if name == "huber":
            return losses.huber(tau)
        return losses.as_loss(name) if tau is None else None
    except (LittlestoneError, TypeError):
        return None


def _known_loss(_: Unpacker, told: Any) -> Loss:
    name, tau = told
    loss = _loss_of(name, tau)
    _check(loss is not None, "a loss must be one of littlestone", told)
    return loss  # type: ignore[return-value]  # just checked


def _float(_: Unpacker, told: Any) -> float:
    _check(told in ("inf", "-inf", "nan"), "a number must be one", told)
    return float(told)


def _range(_: Unpacker, told: Any) -> range:
    found = range(*told)
    count = _counted(found)
    _check(
        count <= _MOST_FEATURES,
        f"a range must have at most {_MOST_FEATURES:,} members",
        count,
    )
    return found


_READERS = {
    "$int": lambda _, told: int(told, 16),
    "$float": _float,
    "$array": Unpacker._array,  # noqa: SLF001 - of the class itself
    "$tuple": lambda self, told: tuple(self.unpack(told)),
    "$range": _range,
    "$pairs": Unpacker._pairs,  # noqa: SLF001
    "$fraction": lambda _, told: Fraction(int(told[0], 16), int(told[1], 16)),
    "$learner": Unpacker.learner,
    "$again": Unpacker._again,  # noqa: SLF001
    "$loss": _known_loss,
    "$class": lambda self, told: FiniteClass(self.unpack(told)),
    "$concept": Unpacker._concept,  # noqa: SLF001
    "$map": Unpacker._map,  # noqa: SLF001
}
