"""The learners that the command line can name, and their options."""

from __future__ import annotations

import inspect
import math
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from littlestone.catalogue import entry_of, of_files
from littlestone.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.catalogue import Entry
    from littlestone.learner import Learner

__all__ = [
    "LEARNERS",
    "LOSSES",
    "Form",
    "Kernel",
    "Mode",
    "Update",
    "as_class_weight",
    "as_loss",
    "as_range",
    "entry_for",
    "make_learner",
    "option_of",
    "parameters_of",
    "unknown",
]


# The learners that can play a file, by name.
LEARNERS = of_files()
_FEW = 2  # learners that an error names

LOSSES = (
    "square",
    "absolute",
    "percentage",
    "log",
    "brier",
    "zero-one",
    "logistic",
    "hinge",
    "poisson",
)


class Form(StrEnum):
    """The form of ML-Poly, ML-Prod and BOA."""

    OPERA = "opera"
    PUBLISHED = "published"


class Update(StrEnum):
    """When a Perceptron updates."""

    MISTAKE = "mistake"
    MARGIN = "margin"


class Mode(StrEnum):
    """How far a passive-aggressive step goes."""

    I = "I"  # noqa: E741 - the name of the algorithm
    II = "II"
    NONE = "none"


class Kernel(StrEnum):
    """The kernels of the command line."""

    LINEAR = "linear"
    POLYNOMIAL = "polynomial"
    GAUSSIAN = "gaussian"


# The options of parameters with another name.
_OPTIONS = {
    "C": "-C",
    "diagonal": "--full",
    "learners": "--member",
    "rule": "--combine",
}

_HINTS = {
    "threshold": "; the number of features is usual",
    "k": ", how many literals a clause or term may have",
}


def entry_for(class_name: str) -> Entry | None:
    """Return the learner of a class, if it can play a file."""
    entry = entry_of(class_name)
    return None if entry is None else LEARNERS.get(entry.name)


def option_of(parameter: str) -> str:
    """Return the option of a learner's parameter."""
    return _OPTIONS.get(parameter, f"--{parameter}")


def unknown(what: str, name: str, known: Iterable[str]) -> ParameterError:
    """Return the error for a name that is not known: with those like it, or all.

    Examples
    --------
    >>> from littlestone.cli._learners import unknown
    >>> print(unknown("a learner", "percptron", ["perceptron", "winnow"]))
    a learner must have a known name, got 'percptron': did you mean perceptron?
    >>> print(unknown("a learner", "svm", ["perceptron", "winnow"]))
    a learner must be one of perceptron, winnow, got 'svm'
    """
    listed = list(known)
    near = did_you_mean(name, listed)
    must = "have a known name" if near else f"be one of {', '.join(listed)}"
    return ParameterError(f"{what} must {must}, got {name!r}{near}")


def parameters_of(entry: Entry) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a learner's class."""
    return inspect.signature(entry.load()).parameters


def make_learner(
    entry: Entry, given: dict[str, Any], *, in_a_word: bool = False
) -> Learner:
    """Return the learner with these options; `in_a_word` says how errors name them."""
    known = parameters_of(entry)
    parameters = {key: value for key, value in given.items() if value is not None}
    for key in parameters:
        if key not in known:
            option = option_of(key)
            option = option.lstrip("-") if in_a_word else option
            others = [name for name, e in LEARNERS.items() if key in parameters_of(e)]
            but = f", but of {' and '.join(others)}" * (0 < len(others) <= _FEW)
            raise ParameterError(f"{option} is not an option of {entry.name}{but}")
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in parameters:
            hint = _HINTS.get(key, "")
            needs = f"--learner {entry.name} needs --{key}{hint}"
            if in_a_word:
                needs = f"{entry.name} needs {entry.name}:{key}=NUMBER{hint}"
            raise ParameterError(needs)
    if parameters.get("mode") is Mode.NONE:
        parameters["mode"] = None
    plain = {
        key: value.value if isinstance(value, StrEnum) else value
        for key, value in parameters.items()
    }
    return entry.load()(**plain)


def as_loss(given: str) -> Any:
    """Return the loss that an option names, such as pinball:0.9 or huber:1."""
    from littlestone import losses

    name, _, level = given.partition(":")
    if name not in ("pinball", "huber"):
        if given not in LOSSES:
            raise unknown("--loss", given, (*LOSSES, "pinball:0.9", "huber:1"))
        return given
    made = losses.pinball if name == "pinball" else losses.huber
    needs = (
        "its level, as in pinball:0.9"
        if name == "pinball"
        else "its delta, as in huber:1"
    )
    try:
        return made(float(level))
    except ValueError:
        raise ParameterError(f"--loss {name} needs {needs}, got {given!r}") from None


def loss_in_words(loss: Any) -> str:
    """Return a loss as `--loss` names it.

    Examples
    --------
    >>> from littlestone.cli._learners import as_loss, loss_in_words
    >>> loss_in_words("square"), loss_in_words(as_loss("pinball:0.50"))
    ('square', 'pinball:0.5')
    """
    from littlestone import losses

    known = losses.as_loss(loss)
    level = known.tau or known.delta
    return known.name if level is None else f"{known.name}:{level!r}"


def as_class_weight(given: list[str] | None, *, many: bool) -> dict[Any, float] | None:
    """Return the weights of labels, each written LABEL:WEIGHT.

    Examples
    --------
    >>> from littlestone.cli._learners import as_class_weight
    >>> as_class_weight(["yes:10", "0:0.5"], many=False)
    {True: 10.0, False: 0.5}
    >>> as_class_weight(["3:2", "cat:5"], many=True)
    {3: 2.0, 'cat': 5.0}
    """
    if given is None:
        return None
    found: dict[Any, float] = {}
    for word in given:
        text, colon, weight = word.rpartition(":")
        label: Any = _TRUTHS.get(text.lower())
        if many:
            label = int(text) if re.fullmatch(r"-?[0-9]+", text) else text
        try:
            number = float(weight)
        except ValueError:
            number = math.nan
        if not colon or label is None or label in found or not 0 < number < math.inf:
            labels = "a class" if many else "yes or no"
            raise ParameterError(
                f"--class-weight must be {labels} and a number above 0, each label "
                f"once, as in {'3' if many else 'yes'}:10, got {word!r}"
            )
        found[label] = number
    return found


_TRUTHS = {"yes": True, "1": True, "+1": True, "true": True} | {
    "no": False,
    "0": False,
    "-1": False,
    "false": False,
}


def as_range(option: str, given: str | None) -> tuple[float, float] | None:
    """Return the two numbers of an option that is written LOW,HIGH, if it is given."""
    if given is None:
        return None
    try:
        low, high = (float(end) for end in given.split(","))
    except ValueError:
        raise ParameterError(
            f"{option} must be two numbers, LOW,HIGH, got {given!r}"
        ) from None
    return low, high
