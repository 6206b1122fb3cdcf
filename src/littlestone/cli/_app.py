"""The app that the commands belong to."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.cli import demo, run

__all__ = ["app"]

app = typer.Typer(
    help="Online learning with guarantees you can check.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("demo")(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"littlestone {version('littlestone')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Online learning with guarantees you can check."""
