"""The command line: one command a file."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; end with 0, or 2 and one line on what was wrong."""
    from littlestone.cli._app import app
    from littlestone.errors import LittlestoneError

    try:
        app(prog_name="littlestone")
    except LittlestoneError as error:
        sys.stderr.write(f"littlestone: {error}\n")
        raise SystemExit(2) from None
    except BrokenPipeError:
        # Whoever read us has gone; what is still to be written has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
