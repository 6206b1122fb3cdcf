"""`littlestone inspect`: look into a model file, or a certificate."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli._groups import OUTPUT
from littlestone.cli._options import Json
from littlestone.cli._say import say
from littlestone.errors import CertificateError, ModelError, ParameterError

__all__ = ["inspect"]


def inspect(
    model: Annotated[
        str, typer.Argument(help="A model file, as run --save writes it.")
    ],
    other: Annotated[
        str | None,
        typer.Option("--diff", metavar="MODEL", help="Show how this one differs."),
    ] = None,
    top: Annotated[int, typer.Option(help="How many weights to show.", min=0)] = 20,
    card: Annotated[
        bool,
        typer.Option(
            "--card", help="Print a model card in Markdown.", rich_help_panel=OUTPUT
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Show what a model file holds: learner, parameters, rule, largest weights.

    The file is checked first: its digest, and that it holds a learner. A certificate is
    shown in words.

    For example:

        littlestone inspect mail.lst

        littlestone inspect mail.lst --top 50 --json

        littlestone inspect monday.lst --diff tuesday.lst

        littlestone inspect mail.lst --card > mail.md
    """
    from littlestone import models

    if card and (json or other is not None):
        raise ParameterError("--card must be given without --json and --diff")
    if other is not None:
        _say(models.diff(model, other, top=top), json=json)
        return
    try:
        found: Any = models.inspect(model, top=top)
    except ModelError:
        found = None if card else _certificate(model)
        if found is None:
            raise
    if card:
        say(found.to_markdown(), nl=False)
    else:
        _say(found, json=json)


def _certificate(path: str) -> Any:
    """Return the certificate in a file, if it holds one."""
    from littlestone.verifying import Certificate

    try:
        if not Path(path).is_file():  # a pipe would block, a device never end
            return None
        with Path(path).open("rb") as file:
            if file.read(1) != b"{":
                return None
        return Certificate.load(path)
    except (CertificateError, ParameterError, OSError):
        return None


def _say(told: Any, *, json: bool) -> None:
    if json and hasattr(told, "to_json"):
        say(told.to_json())
    elif json:
        say(json_format.dumps(told.to_dict(), default=repr))
    else:
        say(str(told))
