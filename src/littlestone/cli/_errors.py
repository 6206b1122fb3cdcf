"""Errors as the command line words them: in its own name, with its own options."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from typer.models import OptionInfo

from littlestone.errors import Given, Hint, LittlestoneError

__all__ = ["options_of", "spelled", "worded"]

# Arguments that are not options here, by their value, and what takes their place.
_INSTEAD: dict[str, dict[object, str]] = {
    "stream": {None: "a FILE that can be read twice"},
    "outcome": {
        "class": "--learner multiclass-auto",
        "number": "--learner vovk-azoury-warmuth",
    },
}


def worded(error: LittlestoneError, command: Callable[..., Any]) -> str:
    """Return the message of an error, for someone who called this command.

    An error that names neither owner nor place, or the function `run` that commands
    call, is the command's own.

    Examples
    --------
    >>> from littlestone.cli._errors import worded
    >>> from littlestone.cli.run import run
    >>> from littlestone.errors import Given, Hint, ParameterError
    >>> print(worded(ParameterError("--eta must be a number, got 'a'"), run))
    run: --eta must be a number, got 'a'
    >>> hint = Hint("missing", "leave out", "leaves it out")
    >>> print(worded(ParameterError("a cell must be there", hints=[hint]), run))
    run: a cell must be there; --missing leave-out leaves it out
    >>> form = Given("form", "published")
    >>> print(worded(ParameterError("{form} needs a range", given=[form]), run))
    run: --form published needs a range
    """
    if error.owner in {"", "run"} and not error.where:
        error.owner = command.__name__
    options = options_of(command)
    return error.message(
        partial(spelled, options=options), partial(_named, options=options)
    )


def _named(given: Given, options: frozenset[str]) -> str:
    """Return an argument as an option, if the command has it."""
    option = f"--{given.argument.replace('_', '-')}"
    if option not in options:
        return str(given)
    return option if given.value is True else f"{option} {given.value}"


def spelled(hint: Hint, options: frozenset[str]) -> str:
    """Return a hint in terms of the options that a command has.

    An option of learners that is not among them is written behind a learner's name, as
    `race` takes it.

    Examples
    --------
    >>> from littlestone.cli._errors import spelled
    >>> from littlestone.errors import Hint
    >>> hint = Hint("range", does="declares another range")
    >>> spelled(hint, frozenset({"--range"}))
    '--range declares another range'
    >>> spelled(hint, frozenset())
    "range= behind the learner's name declares another range"
    """
    if hint.argument in _INSTEAD:
        return f"{_INSTEAD[hint.argument][hint.value]} {hint.does}"
    option = f"--{hint.argument.replace('_', '-')}"
    if option not in options:
        return f"{hint.argument}= behind the learner's name {hint.does}"
    value = hint.value
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={each}" for key, each in value.items())
    written = "" if value is None else f" {value}".replace("leave out", "leave-out")
    return f"{option}{written} {hint.does}"


def options_of(command: Callable[..., Any]) -> frozenset[str]:
    """Return the options of a command, with their dashes.

    Examples
    --------
    >>> from littlestone.cli._errors import options_of
    >>> from littlestone.cli.inspect import inspect
    >>> sorted(options_of(inspect))
    ['--card', '--diff', '--json', '--top']
    """
    names: set[str] = set()
    for name, hint in typing.get_type_hints(command, include_extras=True).items():
        for declared in typing.get_args(hint)[1:]:
            if not isinstance(declared, OptionInfo):
                continue
            # Typer stores the first name as the default until it reads it.
            given = (getattr(declared, "default", None), *(declared.param_decls or ()))
            # A switch may be declared with its opposite: --normalize/--no-normalize.
            own = {each.partition("/")[0] for each in given if isinstance(each, str)}
            names |= own or {f"--{name.replace('_', '-')}"}
    return frozenset(names)
