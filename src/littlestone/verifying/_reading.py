"""How the judge reads examples, in any of their forms."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError
from littlestone.outcome import Outcome
from littlestone.verifying._digest import entries, number_of
from littlestone.verifying.proofs import Unsound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.verifying.twins import Reads

__all__ = ["play", "read_example", "read_label", "refuse_path"]


def play(twin: Any, x: Any, y: Any, weight: float) -> Any:
    """Play a round with a twin, which may have to count more or less than once.

    Examples
    --------
    >>> from littlestone.verifying._reading import play
    >>> from littlestone.verifying.twins import TWINS
    >>> twin = TWINS["GradientDescent"](loss="square", rate=0.5, bias=0.0)
    >>> play(twin, {"a": 1.0}, 2.0, 0.5), twin.own
    (0.0, 2.0)
    """
    if weight == 1:
        return twin.play(x, y)
    if not hasattr(twin, "counts"):
        raise Unsound(f"a weight must be 1 for this learner, got {weight!r}")
    return twin.play(x, y, weight)


def read_label(outcome: Outcome, y: Any) -> Any:
    """Return a label as the learner takes it: a truth value, a number or a class.

    Examples
    --------
    >>> from littlestone.outcome import Outcome
    >>> from littlestone.verifying._reading import read_label
    >>> read_label(Outcome.LABEL, -1), read_label(Outcome.NUMBER, True)
    (False, 1.0)
    """
    if hasattr(y, "item"):
        y = y.item()  # a NumPy value
    if outcome is Outcome.CLASS or (outcome.charged and isinstance(y, str)):
        return y
    if outcome.charged:
        return _finite("the outcome", float(y))
    if not isinstance(y, (bool, int, float)) or y not in (1, 0, -1):
        raise Unsound(f"a label must be True/1 or False/0/-1, got {y!r:.80}")
    return y == 1


def read_example(of: Reads, x: Any) -> Any:
    """Return an example as a mapping; features of value 0 are left out.

    Anything that is neither a mapping nor a row is returned unchanged.

    Examples
    --------
    >>> from littlestone.verifying._reading import read_example
    >>> read_example("features", [0.5, 0]), read_example("advice", [True, False])
    ({0: 0.5}, {0: True, 1: False})
    >>> read_example("features", ([7, 3], [1, 2]))
    {7: 1.0, 3: 2.0}
    """
    if x is None:
        return {}
    if isinstance(x, (str, bool, int, float)):
        return x
    by_name = isinstance(x, Mapping) or hasattr(x, "keys")
    given: Iterable[tuple[Any, Any]] = (
        entries(x) if by_name or of == "features" else enumerate(x)
    )
    made, count = {}, 0
    for name, value in given:
        key = name if isinstance(name, str) else operator.index(name)
        made[key] = _advised(key, value) if of == "advice" else _feature(key, value)
        count += 1
    if len(made) < count:
        raise Unsound("each feature must appear once")
    return made if of == "advice" else {key: v for key, v in made.items() if v}


def _feature(feature: Any, value: Any) -> float:
    number = value if type(value) is float else number_of(feature, value)
    return _finite("feature", number, feature)


def _advised(expert: Any, says: Any) -> Any:
    """Return an expert's advice: a truth value, a number or a distribution."""
    says = says.tolist() if hasattr(says, "tolist") else says
    if isinstance(says, Mapping):  # a distribution over named outcomes
        says = list(says.values())
    if isinstance(says, (list, tuple)):
        return [_finite("expert", float(each), expert) for each in says]
    return says if isinstance(says, bool) else _finite("expert", float(says), expert)


def _finite(what: str, number: float, whose: Any = "") -> float:
    if not math.isfinite(number):
        raise Unsound(f"{what} {whose!r:.80} must be a finite number, got {number!r}")
    return number


def refuse_path(stream: object) -> None:
    """Refuse the name of a file where its examples are needed.

    Examples
    --------
    >>> from littlestone.verifying._reading import refuse_path
    >>> refuse_path("mail.svm")
    Traceback (most recent call last):
    littlestone.errors.ParameterError: verify: a stream must be examples, got the path 'mail.svm', which littlestone.streams.open can read
    """  # noqa: E501 - a message is one line
    if isinstance(stream, (str, os.PathLike)):
        raise ParameterError(
            f"a stream must be examples, got the path {os.fspath(stream)!r}, which "
            "littlestone.streams.open can read",
            owner="verify",
        )
