"""A learner's parameters as a certificate states them, and the learner again."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

from littlestone import auto, boolean, conformal, experts, linear, maps
from littlestone.auto import STACKS, multiclass_pool, pool, pools
from littlestone.errors import PremiseError
from littlestone.experts import Restarting
from littlestone.maps import Map, Mapped
from littlestone.verifying.twins.auto import sums

if TYPE_CHECKING:
    from collections.abc import Collection

    from littlestone.running import Record

__all__ = [
    "behind",
    "made_again",
    "restarted",
    "stated",
    "stated_learner",
    "stated_members",
    "stated_players",
    "stated_team",
]


def stated(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as plain values of Python, equal to those the learner uses.

    Learners read whatever is a number as a float and whatever lists classes in its
    order. Certificates hold no NumPy values, and the judge reads no others.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> from littlestone.certifying._parameters import stated
    >>> stated({"promotion": Fraction(3, 2), "threshold": np.int64(3)})
    {'promotion': 1.5, 'threshold': 3}
    >>> stated({"classes": ["x", "y"], "range": np.array([0.0, 2.0])})
    {'classes': ('x', 'y'), 'range': (0.0, 2.0)}
    """
    return {name: _STATED.get(name, _plain)(each) for name, each in parameters.items()}


def stated_learner(learner: Any) -> tuple[str, dict[str, Any]]:
    """Return the learner within another as its class and parameters.

    Examples
    --------
    >>> from littlestone.certifying._parameters import stated_learner
    >>> from littlestone.linear import Perceptron
    >>> stated_learner(Perceptron())[0]
    'Perceptron'
    """
    if isinstance(learner, tuple):  # it is stated already
        name, given = learner
        return name, given
    name, given = _stated_member(learner)
    if not hasattr(linear, name) and not hasattr(boolean, name):
        raise PremiseError(
            "copies that start anew must be of a linear learner or one of rules to be "
            f"certified, got those of {name}",
            owner="certify",
        )
    return name, given


def stated_members(
    given: Mapping[str, Any], names: Collection[Any] | None = None
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the members of `Auto` or `MulticlassAuto`, as classes and parameters.

    Those of the pool are stated too, as another version may have another pool, and a
    saved model those of an earlier one, which a record names.

    Examples
    --------
    >>> from littlestone.certifying._parameters import stated_members
    >>> stated_members({"members": None, "bias": 0.0})["averaged-perceptron"]
    ('AveragedPerceptron', {'bias': 0.0})
    """
    members = given["members"]
    if members is None:
        many = "classes" in given
        every = (
            multiclass_pool(given["bias"], given["classes"])
            if many
            else pools(given["bias"])
        )
        if names is None:
            names = every if many else pool()
        members = {name: every[name] for name in names if name in every}
    found = {
        name: each if isinstance(each, tuple) else _stated_member(each)
        for name, each in members.items()
    }
    return dict(sorted(found.items(), key=lambda pair: "map" in pair[1][1]))


def stated_team(
    given: Mapping[str, Any], names: Collection[Any] | None = None
) -> dict[str, Any]:
    """Return the parameters of `Auto` or `MulticlassAuto`, and what members it has.

    Examples
    --------
    >>> from littlestone.certifying._parameters import stated_team
    >>> stated_team({"members": None, "bias": 0.0})["summed"]
    True
    """
    members = stated_members(given, names)
    # Those of the first certificates had one stack, and said nothing of it.
    known = sums(len(members)) if names is None else STACKS[1] in names
    second = {"summed": True} if "classes" not in given and known else {}
    return {**given, "members": members, **second}


def stated_players(named: Mapping[Any, Any]) -> dict[Any, tuple[str, dict[str, Any]]]:
    """Return the members of a committee, as classes and parameters.

    Examples
    --------
    >>> from littlestone.certifying._parameters import stated_players
    >>> from littlestone.linear import AROW
    >>> stated_players({"a": AROW()})
    {'a': ('AROW', {'r': 1.0, 'diagonal': True, 'bias': 0.0})}
    """
    made = {}
    for name, each in named.items():
        kind, given = _stated_member(each)
        made[name] = kind, stated_team(given) if kind == "Auto" else given
    return made


def _stated_member(member: Any) -> tuple[str, dict[str, Any]]:
    """Return the class and parameters of a learner, with the map if it has one."""
    if isinstance(member, Restarting):
        given = {**member.get_params(), "learner": stated_learner(member.learner)}
        return "Restarting", stated(given)
    if not isinstance(member, Mapped):
        return type(member).__name__, stated(member.get_params())
    kind, given = _stated_member(member.learner)
    return kind, behind(member.map, given)


def behind(chosen: Map, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a learner, and the map before it, as certificates do.

    A map is stated by the names and parameters of its steps, in order. Those of a
    learner that is behind a map already follow it.

    Examples
    --------
    >>> from littlestone.certifying._parameters import behind
    >>> from littlestone.maps import Quadratic, Standardized
    >>> inner = behind(Quadratic(), {"bias": 0.0})
    >>> [name for name, _ in behind(Standardized(), inner)["map"]]
    ['Standardized', 'Quadratic']
    """
    steps = ((type(step).__name__, stated(step.get_params())) for step in chosen.steps)
    return {**given, "map": (*steps, *given.get("map", ()))}


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # an array or a number of NumPy, a series of pandas
        value = value.tolist()
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    if isinstance(value, (Real, Decimal)) and not isinstance(value, int):
        return float(value)
    return value


def _bias(value: Any) -> Any:
    """Return the constant feature, of which True means 1."""
    value = _plain(value)
    return int(value) if isinstance(value, bool) else value


def _classes(value: Any) -> Any:
    """Return the classes in the order in which the learner met them."""
    return None if value is None else tuple(map(_plain, value))


def _shares(value: Any) -> Any:
    """Return a table of shares, of which fractions are used exactly."""
    if not isinstance(value, (list, tuple)):
        return _plain(value)
    return tuple(s if isinstance(s, Fraction) else _plain(s) for s in value)


def _class_weight(value: Any) -> Any:
    """Return the weights of classes as pairs; those of yes and no by their labels."""
    pairs = value.items() if isinstance(value, Mapping) else value
    return tuple((_plain(label), float(weight)) for label, weight in pairs)


_STATED = {
    "bias": _bias,
    "classes": _classes,
    "phi": _shares,
    "class_weight": _class_weight,
}


def _member(kind: str, **given: Any) -> Any:
    """Return the learner within another that a certificate states."""
    steps = given.pop("map", None)
    if "class_weight" in given:  # which is stated as pairs
        given["class_weight"] = dict(given["class_weight"])
    learner = (
        restarted(given)
        if kind == "Restarting"
        else getattr(linear if hasattr(linear, kind) else boolean, kind)(**given)
    )
    if steps is None:
        return learner
    return Mapped(learner, [getattr(maps, name)(**inner) for name, inner in steps])


def restarted(parameters: Mapping[str, Any]) -> Restarting:
    """Return newborn copies that start anew, as stated.

    Examples
    --------
    >>> from littlestone.certifying._parameters import restarted
    >>> stated = {"learner": ("AROW", {"r": 2.0}), "shortest": 8, "beta": 0.5}
    >>> restarted(stated).learner
    AROW(r=2.0, diagonal=True, bias=0.0)
    """
    name, given = parameters["learner"]
    return Restarting(**{**parameters, "learner": _member(name, **given)})


def made_again(record: Record) -> Any:
    """Return a newborn learner with the parameters that a record states.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._parameters import made_again
    >>> from littlestone.linear import AROW
    >>> made_again(run(AROW(r=2.0), [([1.0], True)]))
    AROW(r=2.0, diagonal=True, bias=0.0)
    """
    name, given = record.learner.name, record.learner.parameters
    if name in auto.TEAMS:
        members = {
            member: _member(kind, **inner)
            for member, (kind, inner) in given["members"].items()
        }
        given = {part: each for part, each in given.items() if part != "summed"}
        return auto.TEAMS[name](**{**given, "members": members})
    if name == "Restarting":
        return restarted(given)
    rooms = (linear, experts, boolean, conformal)
    room = next(room for room in rooms if hasattr(room, name))
    return getattr(room, name)(**given)
