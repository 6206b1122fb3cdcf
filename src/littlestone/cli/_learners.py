"""The learners that the command line can name, and their options."""

from __future__ import annotations

import inspect
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.learner import Learner

__all__ = [
    "Form",
    "Kernel",
    "LearnerName",
    "Mode",
    "Update",
    "as_loss",
    "as_range",
    "make_learner",
    "option_of",
    "parameters_of",
]


class LearnerName(StrEnum):
    """The learners that can be named: linear, then of rules, then of experts."""

    PERCEPTRON = "perceptron"
    AVERAGED_PERCEPTRON = "averaged-perceptron"
    VOTED_PERCEPTRON = "voted-perceptron"
    KERNEL_PERCEPTRON = "kernel-perceptron"
    PASSIVE_AGGRESSIVE = "passive-aggressive"
    SECOND_ORDER_PERCEPTRON = "second-order-perceptron"
    AROW = "arow"
    WINNOW = "winnow"
    BALANCED_WINNOW = "balanced-winnow"
    MULTICLASS_PERCEPTRON = "multiclass-perceptron"
    MULTICLASS_PASSIVE_AGGRESSIVE = "multiclass-passive-aggressive"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    K_CNF = "k-cnf"
    K_DNF = "k-dnf"
    DECISION_LIST = "decision-list"
    HEDGE = "hedge"
    EXPONENTIAL_WEIGHTS = "exponential-weights"
    ADA_HEDGE = "ada-hedge"
    FIXED_SHARE = "fixed-share"
    ML_POLY = "ml-poly"
    ML_PROD = "ml-prod"
    BOA = "boa"
    HALVING = "halving"
    WEIGHTED_MAJORITY = "weighted-majority"
    FLOOR_WEIGHTED_MAJORITY = "floor-weighted-majority"
    RANDOMIZED_WEIGHTED_MAJORITY = "randomized-weighted-majority"

    @property
    def room(self) -> str:
        """The module of its class: linear, boolean or experts."""
        names = list(LearnerName)
        at = names.index(self)
        if at >= names.index(LearnerName.HEDGE):
            return "experts"
        return "boolean" if at >= names.index(LearnerName.CONJUNCTION) else "linear"

    @property
    def takes_advice(self) -> bool:
        """Whether it follows experts."""
        return self.room == "experts"

    @property
    def class_name(self) -> str:
        """The name of the class."""
        if self is LearnerName.HEDGE:
            return "ExponentialWeights"
        short = {"arow": "AROW", "boa": "BOA", "ml": "ML", "cnf": "CNF", "dnf": "DNF"}
        words = self.value.split("-")
        name = "".join(short.get(word, word.capitalize()) for word in words)
        return name + "Learner" if self.room == "boolean" else name


class Form(StrEnum):
    """Whose form of ML-Poly, ML-Prod and BOA."""

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
    """The kernels that can be named."""

    LINEAR = "linear"
    POLYNOMIAL = "polynomial"
    GAUSSIAN = "gaussian"


# What the command line calls a parameter, where that is not its name.
_OPTIONS = {"C": "-C", "diagonal": "--full"}

_HINTS = {
    "threshold": "; the number of features is usual",
    "k": ", how many literals a clause or term may have",
}


def option_of(parameter: str) -> str:
    """Return what the command line calls a parameter of a learner."""
    return _OPTIONS.get(parameter, f"--{parameter}")


def parameters_of(name: LearnerName) -> Mapping[str, inspect.Parameter]:
    """Return what the class of a learner takes."""
    cls = getattr(import_module(f"littlestone.{name.room}"), name.class_name)
    return inspect.signature(cls).parameters


def make_learner(
    name: LearnerName, given: dict[str, Any], *, in_a_word: bool = False
) -> Learner:
    """Make the learner from the options that were given, apart or in a word."""
    cls = getattr(import_module(f"littlestone.{name.room}"), name.class_name)
    known = inspect.signature(cls).parameters
    parameters = {key: value for key, value in given.items() if value is not None}
    for key in parameters:
        if key not in known:
            option = option_of(key)
            option = option.lstrip("-") if in_a_word else option
            raise ParameterError(f"{option} is no option of {name.value}")
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in parameters:
            hint = _HINTS.get(key, "")
            needs = f"--learner {name.value} needs --{key}{hint}"
            if in_a_word:
                needs = f"{name.value} needs {name.value}:{key}=NUMBER{hint}"
            raise ParameterError(needs)
    if parameters.get("mode") is Mode.NONE:
        parameters["mode"] = None
    plain = {
        key: value.value if isinstance(value, StrEnum) else value
        for key, value in parameters.items()
    }
    return cls(**plain)  # type: ignore[no-any-return]  # found by its name


def as_loss(given: str) -> Any:
    """Return the loss that an option names, such as pinball:0.9."""
    from littlestone import losses

    name, _, level = given.partition(":")
    if name != "pinball":
        return losses.as_loss(given) and given
    try:
        return losses.pinball(float(level))
    except ValueError:
        raise ParameterError(
            f"--loss pinball needs its level, as in pinball:0.9, got {given!r}"
        ) from None


def as_range(given: str) -> tuple[float, float]:
    """Return the two numbers of a range that is written LOW,HIGH."""
    try:
        low, high = (float(end) for end in given.split(","))
    except ValueError:
        raise ParameterError(
            f"--range must be two numbers, LOW,HIGH, got {given!r}"
        ) from None
    return low, high
