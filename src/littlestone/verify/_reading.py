"""What the judge makes of examples, whoever hands them in."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

from littlestone.verify.proofs import Unsound
from littlestone.verify.twins import ADVISED, OF_CLASSES, OF_NUMBERS

__all__ = ["read_example", "read_label"]


def read_label(name: str, y: Any) -> Any:
    """Return a label as the learner takes it: a truth value, a class or a number.

    Examples
    --------
    >>> from littlestone.verify._reading import read_label
    >>> read_label("Perceptron", -1), read_label("MulticlassPerceptron", -1)
    (False, -1)
    """
    if hasattr(y, "item"):
        y = y.item()  # of NumPy
    if name in OF_CLASSES or isinstance(y, bool):
        return y
    if name in OF_NUMBERS:
        return y if isinstance(y, str) else _finite("the label", y)
    if y in (1, 0, -1):
        return y == 1
    raise Unsound(f"a label must be True/1 or False/0/-1, got {y!r:.80}")


def read_example(name: str, x: Any) -> dict[Any, Any]:
    """Return an example as a mapping, features of value 0 left out.

    Examples
    --------
    >>> from littlestone.verify._reading import read_example
    >>> read_example("Perceptron", [0.5, 0]), read_example("Halving", [True, False])
    ({0: 0.5}, {0: True, 1: False})
    >>> read_example("Perceptron", ([7, 3], [1, 2]))
    {7: 1.0, 3: 2.0}
    """
    entries: Iterable[tuple[Any, Any]]
    if isinstance(x, Mapping):
        entries = x.items()
    elif hasattr(x, "indices") and hasattr(x, "data"):  # one row of SciPy's
        entries = zip(x.indices.tolist(), x.data.tolist(), strict=True)
    elif isinstance(x, tuple) and len(x) == 2 and all(map(_is_row, x)):  # noqa: PLR2004 - a pair
        entries = zip(*x, strict=True)
    else:
        entries = enumerate(() if x is None else x)
    advice, made, count = name in ADVISED, {}, 0
    for key, given in entries:
        value = _value(key, given) if advice else _finite(f"feature {key!r:.80}", given)
        count += 1
        made[key if isinstance(key, str) else operator.index(key)] = value
    if len(made) < count:
        raise Unsound("each feature may stand once")
    return made if advice else {key: value for key, value in made.items() if value}


def _is_row(x: Any) -> bool:
    return hasattr(x, "__len__") and not isinstance(x, str)


def _finite(what: str, given: Any) -> float:
    number = float(given)
    if not math.isfinite(number):
        raise Unsound(f"{what} must be a finite number, got {given!r:.80}")
    return number


def _value(expert: Any, given: Any) -> Any:
    """Return what an expert advises: a truth value, a number or a distribution."""
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, (list, tuple)):
        return [_finite(f"expert {expert!r:.80}", each) for each in given]
    return (
        given if isinstance(given, bool) else _finite(f"expert {expert!r:.80}", given)
    )
