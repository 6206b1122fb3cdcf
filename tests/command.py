"""The command line called in this process, as if it were one of its own.

To start Python and load the library takes a second; here that is done once.
"""

from __future__ import annotations

import functools
import io
import signal
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout

import pytest
import typer.main

from littlestone.cli import main
from littlestone.logs import LOG

__all__ = ["call"]

# Typer makes the commands anew for each call, which takes longer than most calls.
_get_command = functools.cache(typer.main.get_command)


def call(*words: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Call `littlestone` with these words, and return what came of it."""
    arguments = ["littlestone", *map(str, words)]
    out, err = io.StringIO(), io.StringIO()
    fed = io.TextIOWrapper(io.BytesIO((stdin or "").encode()))
    pipes = signal.getsignal(signal.SIGPIPE)
    level, handlers = LOG.level, LOG.handlers[:]  # which `serve` changes
    with (
        pytest.MonkeyPatch.context() as here,
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        here.setattr(typer.main, "get_command", _get_command)
        here.setattr(sys, "argv", arguments)
        here.setattr(sys, "stdin", fed)
        here.setenv("COLUMNS", "200")  # a wide terminal, so that no help is folded
        warnings.resetwarnings()  # which pytest makes exceptions
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            main()
        except SystemExit as done:
            code = done.code
        finally:
            signal.signal(signal.SIGPIPE, pipes)
            LOG.setLevel(level)
            LOG.handlers[:] = handlers
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
