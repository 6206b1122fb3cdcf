"""Say something on the terminal."""

from __future__ import annotations

import typer

from littlestone.errors import printable

__all__ = ["say"]


def say(text: str, *, nl: bool = True, err: bool = False) -> None:
    r"""Print a text in which nothing is obeyed by a terminal but line breaks.

    Examples
    --------
    >>> from littlestone.cli._say import say
    >>> say("pills\x1b[2J")
    pills\x1b[2J
    """
    typer.echo(printable(text, lines=True), nl=nl, err=err)
