"""Groups of options that commands share, and how a command gets them.

A command takes a group of options as a parameter of that type, and a single option as a
parameter of its own. `with_options` gives the command the signature that Typer reads,
with every option of a group, and makes the groups when it is called.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache, wraps
from typing import Any, Self

__all__ = [
    "ADVICE",
    "CLUSTER",
    "LATE",
    "LEARNER",
    "MODELS",
    "OUTPUT",
    "RULE",
    "TEXT",
    "TOKENS",
    "Group",
    "names_of",
    "options_in",
    "with_options",
]

MODELS = "Models and checkpoints"
OUTPUT = "What is written and shown"
CLUSTER = "On many cores or machines"
LEARNER = "For linear learners"
RULE = "For learners of rules"
TEXT = "For text, CSV, Vowpal Wabbit text and JSON Lines"
ADVICE = "For learners that follow experts"
LATE = "For labels that come late, or never"
TOKENS = "For serve token add"

# Their order in the help; the command's own options come first.
_PANELS = (None, MODELS, LATE, TOKENS, OUTPUT, CLUSTER, TEXT, LEARNER, RULE, ADVICE)
_FIRST = (
    "certificate",
    "model",
    "file",
    "data",
    "learner",
    "form",
    "positive",
    "hash_bits",
    "passes",
    "on_error",
)


class Group:
    """Options that belong together: a dataclass with a field for each of them."""

    @classmethod
    def given(cls, **options: Any) -> Self:
        """Return the group, from the options of the command line."""
        return cls(**options)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the groups among its parameters.

    Examples
    --------
    >>> import inspect
    >>> from littlestone.cli._groups import with_options
    >>> from littlestone.cli._learner_options import LearnerOptions
    >>> from littlestone.cli._options import Files
    >>> @with_options
    ... def greet(files: Files, chosen: LearnerOptions) -> None:
    ...     print(files, chosen.make())
    >>> list(inspect.signature(greet).parameters)[:4]
    ['file', 'data', 'learner', 'bias']
    >>> greet(file=["mail.svm"], learner="perceptron", bias=1.0)
    mail.svm Perceptron(update='mistake', normalize=False, bias=1.0)
    """
    hints = typing.get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[type[Group], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, Group):
            own = options_in(hints[name])
            groups[name] = (hint, [each.name for each in own])
            parameters += own
        else:
            made = inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=parameter.default,
                annotation=hint,
            )
            parameters.append(made)

    @wraps(command)
    def called(**options: Any) -> None:
        for name, (group, places) in groups.items():
            given = {place: options.pop(place) for place in places if place in options}
            options[name] = group.given(**given)
        command(**options)

    parameters.sort(key=_place)
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # as inspect reads it
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


@cache
def options_in(group: type[Any]) -> list[inspect.Parameter]:
    """Return the options of a group."""
    hints = typing.get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty
            if field.default is MISSING
            else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _declared(parameter: inspect.Parameter) -> Any:
    """Return the declaration of an option for Typer."""
    return typing.get_args(parameter.annotation)[1]


def names_of(parameter: inspect.Parameter) -> list[str]:
    """Return the names of an option, without dashes."""
    option = _declared(parameter)
    # Typer stores the first name as the default until it reads the declaration.
    declared = (option.default, *(option.param_decls or ()))
    # What follows a slash, as in --normalize/--no-normalize, is its opposite.
    names = [
        name.partition("/")[0].lstrip("-") for name in declared if isinstance(name, str)
    ]
    return names or [parameter.name.replace("_", "-")]


def _place(parameter: inspect.Parameter) -> tuple[int, int]:
    """Return the position of an option in the help."""
    panel = _PANELS.index(_declared(parameter).rich_help_panel)
    name = parameter.name
    return panel, _FIRST.index(name) if name in _FIRST else len(_FIRST)
