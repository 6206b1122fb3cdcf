"""Weights of classes: how often the rounds of each count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from littlestone.errors import LabelError, ParameterError
from littlestone.learner.parameters import positive

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["checked_class_weight", "without_none"]


def checked_class_weight(
    owner: str, given: Mapping[Any, float] | None, read: Callable[[Any], Any]
) -> dict[Any, float]:
    """Return the weight of each class that has one, or refuse what is none.

    Examples
    --------
    >>> from littlestone.learner import as_label
    >>> from littlestone.linear._class_weights import checked_class_weight
    >>> checked_class_weight("AdaGrad", {1: 5, 0: 0.5}, as_label)
    {True: 5.0, False: 0.5}
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"class_weight must map labels to numbers above 0, got {given!r}",
            owner=owner,
        )
    found: dict[Any, float] = {}
    for label, weight in given.items():
        try:
            known = read(label)
        except LabelError as error:
            raise ParameterError(
                f"class_weight must map labels to numbers above 0, got {label!r}",
                owner=owner,
            ) from error
        if known in found:
            raise ParameterError(
                f"class_weight must have each label once, got {given!r}", owner=owner
            )
        found[known] = positive(owner, f"class_weight of {label!r}", weight)
    return found


def without_none(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters without class weights that are None.

    So learners without them read, and are saved and certified, as they were before.
    """
    if parameters.get("class_weight") is None:
        parameters.pop("class_weight", None)
    return parameters
