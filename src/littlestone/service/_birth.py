"""The first row of a ledger: the learner that it begins with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from littlestone.models._file import parse
from littlestone.models._models import reading_in, write_model
from littlestone.running.late import LateRule, check_rule
from littlestone.service._strict import dumps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.learner import Learner
    from littlestone.service._ledger import Ledger
    from littlestone.streams._reading import Reading
    from littlestone.theorems import Number

__all__ = ["born", "now", "reading_of"]


def born(
    ledger: Ledger,
    learner: Learner,
    *,
    reading: Reading | None = None,
    late: LateRule = "relearn",
    declare: Mapping[str, Number] | None = None,
    at: int | None = None,
) -> None:
    """Begin a ledger with a learner."""
    check_rule(learner, late)
    draft = ledger.path.with_name(f".{ledger.path.name}.birth")
    try:
        write_model(learner, draft, read=reading)
        body = draft.read_bytes()
    finally:
        draft.unlink(missing_ok=True)
    known = {k: float(v) for k, v in (declare or {}).items()}
    # Ledgers from before answers had calibrated probabilities are replayed without.
    said = {"late": late, "declare": known, "calibrated": True}
    with ledger.commit():
        ledger.append("birth", None, body, dumps(said).decode(), at or now())


def now() -> int:
    """Return the time in microseconds since 1970."""
    return time.time_ns() // 1_000


def reading_of(model: bytes) -> Reading | None:
    """Return how the stream was read that a model file has learned from."""
    metadata, _ = parse(model)
    return reading_in(metadata)
