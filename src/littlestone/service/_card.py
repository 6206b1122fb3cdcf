"""What is known about a served model: for people, for the page and for metrics."""

from __future__ import annotations

import heapq
import json
import math
from typing import TYPE_CHECKING, Any

from littlestone.display.learned import learned
from littlestone.errors import printable
from littlestone.service._served import DELAYS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.service._ledger import Row
    from littlestone.service._served import ServedModel

__all__ = ["card", "event", "state"]

_TOP = 12  # weights, experts or features to show


def state(model: ServedModel) -> dict[str, Any]:
    """Return the counts of a model, and its bound."""
    record = model.recorder.record()
    facts: dict[str, Any] = {
        "seq": model.ledger.seq,
        "at": model.ledger.at,
        "rounds": record.rounds,
        "mistakes": record.mistakes,
        "updates": record.updates,
        "open": model.open,
        "held": len(model.held),
        "expired": model.expired,
        "late": record.late,
        "outstanding": model.recorder.late_book.outstanding,
        "pairs": model.recorder.late_book.pairs,
        "bound": record.bound,
        "bound_of": record.bound_of,
        "theorem": record.theorem,
        "vacuous": record.vacuous,
        "tautological": record.tautological,
        "exceeded": record.exceeded,
        "loss": record.loss,
        "regret": record.regret,
        "best_expert": record.best_expert,
        "weights": _heaviest(record.weights),
        "delays": model.delays,
    }
    return {name: _finite(value) for name, value in facts.items()}


def card(model: ServedModel) -> dict[str, Any]:
    """Return all there is to say about a model."""
    known = learned(model.learner, _TOP)
    record = model.recorder.record()
    return state(model) | {
        "learner": type(model.learner).__name__,
        "parameters": {
            name: _plain(value)
            for name, value in model.learner.get_params(deep=False).items()
        },
        "outcome": model.recorder.outcome.value,
        "late_rule": model.late,
        "forms": list(model.forms),
        "head": model.ledger.hash.hex(),
        "ttl": model.policy.ttl,
        "hold": model.policy.hold,
        "declared": model.setting["declare"],
        "theorems": [theorem.id for theorem in model.learner.guarantees],
        "rule": printable(known.rule),
        "top": [(each.name, each.weight) for each in known.largest],
        "curve": [
            [p.rounds, p.mistakes, _finite(p.bound), p.loss, p.regret]
            for p in record.curve
        ],
        "delay_seconds": list(DELAYS),
    }


def event(model: ServedModel, row: Row) -> dict[str, Any]:
    """Return what a reader of events learns of a row."""
    facts: dict[str, Any] = {
        "seq": row.seq,
        "kind": row.kind,
        "id": row.id,
        "at": row.at,
    }
    said = json.loads(row.said)
    if row.kind == "predict":
        facts |= {name: said[name] for name in ("prediction", "score") if name in said}
    elif row.kind in ("label", "default"):
        facts |= {"label": json.loads(row.body or b"null"), **said}
        if said.get("mistake") and (served := model.served(row.id or "")) is not None:
            facts |= {"prediction": served[1], "weighed": _weighed(model, served[0])}
    return facts


def _weighed(model: ServedModel, x: Any) -> list[tuple[str, float]]:
    """Return the features that weigh most in an example."""
    weights = getattr(model.learner, "weights_", None)
    if weights is None or not isinstance(x, dict):
        return []
    if model.recorder.outcome.value != "label":
        return []
    by_feature = (
        (str(name), float(value) * float(weights.get(name, 0.0)))
        for name, value in x.items()
        if isinstance(value, (bool, int, float))
    )
    largest = heapq.nlargest(5, by_feature, key=lambda pair: abs(pair[1]))
    return [(printable(name), part) for name, part in largest if part]


def _heaviest(weights: Mapping[Any, float] | None) -> list[tuple[str, float]] | None:
    if weights is None:
        return None
    largest = heapq.nlargest(_TOP, weights.items(), key=lambda pair: pair[1])
    return [(printable(str(name)), float(weight)) for name, weight in largest]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    """Return a parameter as JSON has it, or in words."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else repr(value)
