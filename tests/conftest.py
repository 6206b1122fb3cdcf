"""How the tests run: the same on every machine, busy or not.

By default each property is tried on eight examples, which are the same everywhere:
`make test` may not fail on the next machine alone, and more of the same would show no
more. `make soak` explores: it takes a fresh seed, tries 500, and prints how to replay a
failure. It also runs what is marked `soak`: long variants of what a quick test shows.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from pytest import TerminalReporter  # noqa: PT013 - a type

from data import skipped

_COMMON = settings(
    database=None,  # an example that failed once would come first on that machine
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("littlestone", _COMMON, max_examples=8, derandomize=True)
settings.register_profile("thorough", _COMMON, max_examples=500, print_blob=True)
settings.load_profile("littlestone")

# Hypothesis also draws constants that it finds in modules imported so far, if it takes
# them for the user's own. That depends on which tests ran before, and on where the
# checkout is.
providers._get_local_constants = lambda: providers._local_constants  # noqa: SLF001


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, Any, Any]:
    """Look for doctests in the library and in the pages, not in the tests."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave what is marked `soak` to `make soak`."""
    if config.getoption("--hypothesis-profile") != "thorough":
        long = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]


def pytest_collection_finish() -> None:
    """Let Python look for garbage among what is made from now on only."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how many tests were skipped for want of which data."""
    reports = terminalreporter.stats.get("skipped", [])
    if line := skipped(str(report.longrepr) for report in reports):
        terminalreporter.write_line(line)
