"""Where the data sets are, for tests and benchmarks alike.

They are in the folder that the environment variable `LITTLESTONE_DATA` names, or else
in `../shared/data` beside this checkout. A test whose data are missing is skipped, and
the last lines of a run count those tests by data set. `unittest.SkipTest` serves here
because pytest understands it, and the benchmarks have no pytest.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from unittest import SkipTest

__all__ = ["FOLDER", "data_file", "skipped"]

_BESIDE = Path(__file__).parents[2] / "shared" / "data"
FOLDER = Path(os.environ.get("LITTLESTONE_DATA") or _BESIDE)

_REASON = re.compile(r"the data set (\S+) is missing: ")


def data_file(name: str) -> Path:
    """Return the path of "set/file", or skip the test that needs it."""
    path = FOLDER / name
    if not path.exists():
        kind = name.partition("/")[0]
        raise SkipTest(f"the data set {kind} is missing: there is no {path}")
    return path


def skipped(reasons: Iterable[str]) -> str:
    """Return a line that counts the tests skipped for want of data, or nothing."""
    found = map(_REASON.search, reasons)
    missing = Counter(match[1] for match in found if match)
    if not missing:
        return ""
    sets = ", ".join(f"{name} {times}" for name, times in sorted(missing.items()))
    return (
        f"{missing.total()} tests skipped for want of data ({sets}); "
        "set LITTLESTONE_DATA to the folder that has them"
    )
