"""The command line: each command has its own file."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]

_INTERRUPTED = 130  # the convention of shells: 128 plus the number of the signal


def main() -> None:
    """Run the command line; exit with 0, or with 2 and one line on what is wrong."""
    try:
        import typer

        from littlestone.cli._app import app
    except KeyboardInterrupt:
        raise SystemExit(_wrong("interrupted", _INTERRUPTED)) from None

    if hasattr(signal, "SIGPIPE"):  # end quietly when the reader of a pipe stops
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if hasattr(sys.stdout, "reconfigure"):  # a terminal may lack some characters
        sys.stdout.reconfigure(errors="replace")
    words = sys.argv[1:] or ["--help"]
    try:
        code = app(words, prog_name="littlestone", standalone_mode=False) or 0
        if code == _INTERRUPTED:
            raise typer.Abort  # noqa: TRY301 - handled once, below
    except (typer.Abort, KeyboardInterrupt):  # the latter while commands are made
        code = _wrong("interrupted", _INTERRUPTED)
    except Exception as error:
        # Bad usage, in whichever class this version of Typer has for it.
        if not hasattr(error, "format_message"):
            raise
        code = _wrong(f"{error.format_message()} (see --help)")
    raise SystemExit(code)


def _wrong(what: str, code: int = 2) -> int:
    if sys.stderr is not None:
        line = " ".join(what.splitlines())
        sys.stderr.write(f"littlestone: {line}\n")
    return code
