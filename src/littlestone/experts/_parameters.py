"""Parameters that several learners with experts take, and their checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any, TypeAlias

import numpy as np

from littlestone.errors import Given, ParameterError
from littlestone.losses import Loss

__all__ = [
    "Experts",
    "Limits",
    "LossSpec",
    "Range",
    "are_names",
    "as_prior",
    "as_range",
    "between",
    "bounds_of",
    "form_of",
    "is_name",
    "logarithm",
]

# How many experts there are; or their names; or their names with their priors.
Experts: TypeAlias = int | Sequence[Hashable] | Mapping[Any, float] | None
Limits: TypeAlias = tuple[float, float]
Range: TypeAlias = Limits | None
LossSpec: TypeAlias = str | Loss | Callable[[Any, Any], Any]

_PUBLISHED = Given("form", "published")


def between(owner: str, name: str, value: object, low: float, high: float) -> float:
    """Return a parameter that must lie strictly between two numbers, as a float."""
    number = value if isinstance(value, (int, float, np.number)) else math.nan
    if not low < number < high:
        raise ParameterError(
            f"{name} must lie between {low:g} and {high:g}, got {value!r}", owner=owner
        )
    return float(number)


def form_of(owner: str, form: object) -> bool:
    """Return whether a form is opera's and not the published one."""
    if form not in ("opera", "published"):
        raise ParameterError(
            f"form must be 'opera' or 'published', got {form!r}", owner=owner
        )
    return form == "opera"


def bounds_of(
    owner: str,
    form: str,
    *,
    gradient: bool,
    range: Range,  # noqa: A002 - as learners call it
) -> Limits:
    """Return the range of losses of a form, if none is given."""
    if form == "opera":
        return -math.inf, math.inf
    if gradient and range is None:
        raise ParameterError(
            "{form} with {gradient} needs the range of slope times advice, got none",
            given=(_PUBLISHED, Given("gradient", value=True)),
            owner=owner,
        )
    if range is not None and not all(map(math.isfinite, as_range(owner, range))):
        raise ParameterError(
            f"{{form}} needs a finite range, got {range!r}",
            given=(_PUBLISHED,),
            owner=owner,
        )
    return 0.0, 1.0


def logarithm(number: float) -> float:
    """Return the natural logarithm, correct to the last bit on every machine."""
    return float(Context(prec=40).ln(Decimal(number)))


def as_range(owner: str, given: Any, *, name: str = "range") -> Limits:
    """Return a parameter that must be two numbers, the smaller one first."""
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise ParameterError(
            f"{name} must be a pair of numbers (low, high), low below high, got "
            f"{given!r}",
            owner=owner,
        )
    return low, high


def is_name(expert: object) -> bool:
    """Return whether this can be the name of an expert."""
    try:
        hash(expert)
    except TypeError:
        return False
    return True


def are_names(experts: list[Any]) -> bool:
    """Return whether these can be names of experts, all distinct."""
    return all(map(is_name, experts)) and len(set(experts)) == len(experts)


def as_prior(owner: str, prior: object) -> float:
    if isinstance(prior, (int, float, np.number)) and 0 < prior < math.inf:
        return float(prior)
    raise ParameterError(f"a prior must exceed 0, got {prior!r}", owner=owner)
