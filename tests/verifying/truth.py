"""Whether what an accepted certificate says is true, without asking the judge again.

A certificate is implied by an honest one about the same learner and the same rounds if
its bound is no better. Otherwise the learner that it states is played, in other orders
too if it speaks of all orders, and must keep within the bound.
"""

from __future__ import annotations

import operator
import random
from functools import reduce
from typing import Any

import littlestone
from littlestone import Certificate, boolean, experts, linear, maps, run, theorems
from littlestone.verifying import Late

__all__ = ["truth_of"]

_ORDERS = 5
_STATED = ("learner", "passes", "rounds", "mistakes", "updates", "digest", "theorem")
_COUNTED = {"mistakes": "mistakes", "updates": "updates"}


def truth_of(given: Certificate, honest: Certificate, stream: list[Any]) -> str:
    """Return how it is known to be true, or "not known"; fail if it is false."""
    if _implied(given, honest):
        return "implied"
    if not _is_plain(given, stream):
        return "not known"
    learner = _made(given.learner["name"], given.learner["parameters"])
    record = run(learner, stream, passes=given.passes)
    for name in ("rounds", "mistakes", "updates"):
        assert getattr(given, name) in {None, getattr(record, name)}, name
    _keeps(given, record)
    chance = random.Random(0)  # noqa: S311 - no secret
    for _ in range(_ORDERS if given.scope == "stream" else 0):
        order = chance.sample(stream, len(stream))
        _keeps(given, run(learner.clone(), order, passes=given.passes))
    return "played"


def _implied(given: Certificate, honest: Certificate) -> bool:
    same = all(getattr(given, each) == getattr(honest, each) for each in _STATED)
    lower = theorems.get(given.theorem).lower
    no_better = given.bound <= honest.bound if lower else given.bound >= honest.bound
    kept = given.counted >= honest.counted
    return same and no_better and kept and given.scope in {"run", honest.scope}


def _is_plain(given: Certificate, stream: list[Any]) -> bool:
    """Return whether the learner can be made here and played as it is."""
    late = any(isinstance(x, Late) for x, _ in stream)
    return given.shards is None and not late and given.counts in _COUNTED


def _made(name: str, given: Any) -> Any:
    """Return a learner by its name and its parameters, with those inside it."""
    rooms = (linear, experts, boolean, littlestone)
    kind = next(getattr(room, name) for room in rooms if hasattr(room, name))
    parameters = dict(given)
    if "members" in parameters:
        members = parameters["members"].items()
        parameters["members"] = {each: _made(*stated) for each, stated in members}
    if "learner" in parameters:
        parameters["learner"] = _made(*parameters["learner"])
    steps = parameters.pop("map", ())
    learner = kind(**parameters)
    if not steps:
        return learner
    chain = (getattr(maps, step)(**dict(its)) for step, its in steps)
    return maps.Mapped(learner, reduce(operator.or_, chain))


def _keeps(given: Certificate, record: Any) -> None:
    counted = getattr(record, _COUNTED[given.counts])
    # Where no class is known, nothing can be said, and theorems do not count that.
    if (
        given.counts == "mistakes"
        and given.learner["parameters"].get("classes", 0) is None
    ):
        counted -= 1
    lower = theorems.get(given.theorem).lower
    assert counted >= given.bound if lower else counted <= given.bound, counted
