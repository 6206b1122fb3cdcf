"""Options for the learner: which one, and its parameters."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from littlestone.catalogue import Reads
from littlestone.cli._complete import learners
from littlestone.cli._groups import ADVICE, LEARNER, RULE, Group, names_of, options_in
from littlestone.cli._learners import (
    LEARNERS,
    Form,
    Kernel,
    Mode,
    Update,
    as_class_weight,
    as_loss,
    as_range,
    make_learner,
    parameters_of,
    unknown,
)
from littlestone.cli._maps import mapped, restarting, with_intervals
from littlestone.errors import ParameterError, did_you_mean
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from littlestone.catalogue import Entry
    from littlestone.learner import Learner

__all__ = ["LearnerOptions", "options_of"]


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(Group):
    """The learner, and its parameters.

    Examples
    --------
    >>> from littlestone.cli._learner_options import LearnerOptions
    >>> LearnerOptions.parse("winnow:threshold=50,promotion=1.5").make()
    Winnow(threshold=50.0, promotion=1.5, eliminate=False)
    >>> LearnerOptions.of("arow", {"r": "2", "full": "true"}).make()
    AROW(r=2.0, diagonal=False, bias=0.0)
    """

    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            "-l",
            metavar="NAME",
            help="The learner. Its options may follow the name, as in "
            "winnow:threshold=50,promotion=1.5. With auto, a file of three or more "
            "classes is played by multiclass-auto.",
            autocompletion=learners,
        ),
    ] = "auto"
    bias: Annotated[
        float | None,
        typer.Option(
            help="Value of a constant feature; 0 for none.", rich_help_panel=LEARNER
        ),
    ] = None
    update: Annotated[
        Update | None,
        typer.Option(
            help="perceptron: learn from mistakes, or from ties too.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize/--no-normalize",
            help="perceptron: scale examples to length 1. ada-grad: scale each feature "
            "by its largest value so far, unless --no-normalize.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    strict: Annotated[
        bool | None,
        typer.Option(
            "--strict",
            help="perceptron: say yes only above 0, so that a tie is a no.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    kernel: Annotated[
        Kernel | None,
        typer.Option(help="kernel-perceptron: the kernel.", rich_help_panel=LEARNER),
    ] = None
    degree: Annotated[
        int | None,
        typer.Option(help="Degree of the polynomial kernel.", rich_help_panel=LEARNER),
    ] = None
    gamma: Annotated[
        float | None,
        typer.Option(
            help="Scale of the polynomial and the Gaussian kernel.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    offset: Annotated[
        float | None,
        typer.Option(help="Offset of the polynomial kernel.", rich_help_panel=LEARNER),
    ] = None
    budget: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron: the most examples to keep.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            help="kernel-perceptron, randomized-weighted-majority: for random draws.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    aggressiveness: Annotated[
        float | None,
        typer.Option(
            "--aggressiveness",
            "-C",
            help="passive-aggressive: the largest step.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="passive-aggressive: the form of the step.", rich_help_panel=LEARNER
        ),
    ] = None
    r: Annotated[
        float | None,
        typer.Option(
            "--r",
            help="second-order-perceptron, arow: the damping.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    full: Annotated[
        bool | None,
        typer.Option(
            "--full",
            help="second-order-perceptron, arow: use a full matrix.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            help="winnow: score from which it says yes; often the number of features.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    promotion: Annotated[
        float | None,
        typer.Option(
            help="winnow: factor for the weights of a missed yes.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    eliminate: Annotated[
        bool | None,
        typer.Option(
            "--eliminate",
            help="winnow: a wrong yes sets the weights to 0.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    rate: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow, gradient-descent, ada-grad, ftrl, "
            "exponentiated-gradient: the learning rate.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    scale: Annotated[
        float | None,
        typer.Option(
            help="balanced-winnow: largest absolute value of a feature. coin-betting: "
            "of a gradient; found out by default.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    l1: Annotated[
        float | None,
        typer.Option(
            "--l1",
            help="ftrl: what weights cost; larger for sparser models.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    l2: Annotated[
        float | None,
        typer.Option(
            "--l2", help="ftrl: what their squares cost.", rich_help_panel=LEARNER
        ),
    ] = None
    a: Annotated[
        float | None,
        typer.Option(
            "--a",
            help="vovk-azoury-warmuth, aioli: how much the length of weights counts.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    reach: Annotated[
        float | None,
        typer.Option(
            help="aioli: scores up to which its quadratics are below the loss.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL:WEIGHT",
            help="With logistic or hinge loss: how often a label counts, as in yes:10.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    wealth: Annotated[
        float | None,
        typer.Option(
            help="coin-betting: what the features of an example share at first.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            help="k-cnf, k-dnf, decision-list: most literals in a clause or term.",
            rich_help_panel=RULE,
        ),
    ] = None
    monotone: Annotated[
        bool | None,
        typer.Option(
            "--monotone",
            help="conjunction, disjunction: without negations.",
            rich_help_panel=RULE,
        ),
    ] = None
    loss: Annotated[
        str | None,
        typer.Option(
            help="logistic, hinge, square, absolute, poisson, pinball:0.9 or huber:1 "
            "from features; of experts square, absolute, percentage, log, brier, "
            "zero-one or pinball:0.9.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    loss_range: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="LOW,HIGH",
            help="Range of the losses; hedge and fixed-share need it.",
            rich_help_panel=ADVICE,
        ),
    ] = None
    interval: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,HIGH",
            help="aggregating-algorithm: where numbers lie, for the square loss.",
            rich_help_panel=ADVICE,
        ),
    ] = None
    gradient: Annotated[
        bool | None,
        typer.Option(
            "--gradient",
            help="Use the slope of the loss, to compete with the best mixture.",
            rich_help_panel=ADVICE,
        ),
    ] = None
    eta: Annotated[
        float | None,
        typer.Option(
            help="hedge, fixed-share: the learning rate.", rich_help_panel=ADVICE
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            help="fixed-share: the share that is redistributed.", rich_help_panel=ADVICE
        ),
    ] = None
    whose: Annotated[
        Form | None,
        typer.Option(
            "--form",
            help="ml-poly, ml-prod, boa: opera's or the published form.",
            rich_help_panel=ADVICE,
        ),
    ] = None
    beta: Annotated[
        float | None,
        typer.Option(
            help="weighted-majority: factor for the weight of a wrong expert.",
            rich_help_panel=ADVICE,
        ),
    ] = None
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="randomized-weighted-majority: share of the weight lost by a mistake.",
            rich_help_panel=ADVICE,
        ),
    ] = None
    restart: Annotated[
        bool | None,
        typer.Option(
            "--restart",
            help="halving: start again when no expert is left.",
            rich_help_panel=ADVICE,
        ),
    ] = None

    member: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="committee, auto and multiclass-auto: a member, as --learner takes "
            "it; repeat it for others.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    narrow: Annotated[
        int | None,
        typer.Option(
            help="auto, multiclass-auto: how many features a full matrix may have.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    clip: Annotated[
        float | None,
        typer.Option(
            help="committee: how far from 0 and 1 probabilities are kept with log "
            "loss; 1e-6 by default.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    combine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="committee: the learner that weighs the members, such as ada-hedge; "
            "weighted-majority by default.",
            rich_help_panel=LEARNER,
        ),
    ] = None

    restarting: Annotated[
        bool | None,
        typer.Option(
            "--restarting",
            help="Let copies of the learner start anew, for concepts that change.",
            rich_help_panel=LEARNER,
        ),
    ] = None
    map: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="MAP",
            help="Change the features first: standardized, fourier:300, quadratic, "
            "quadratic:18 (hashed into 2^18 columns) or crossed:a*b. Repeat it for "
            "several in order; columns of different scales need standardized before "
            "fourier.",
            rich_help_panel=LEARNER,
        ),
    ] = None

    intervals: Annotated[
        float | None,
        typer.Option(
            metavar="LEVEL",
            help="Put intervals around the forecasts of a learner of numbers, such "
            "that the share LEVEL of the outcomes is inside, whatever comes.",
            rich_help_panel=LEARNER,
        ),
    ] = None

    @property
    def entry(self) -> Entry:
        """The name of the learner."""
        return LEARNERS[self.learner]

    def make(self, *, in_a_word: bool = False) -> Learner:
        """Return the learner; `in_a_word` says how errors name its options."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        del given["learner"]
        maps, again = given.pop("map"), given.pop("restarting")
        level = given.pop("intervals")
        # The learners have other names for these, or want them in another form.
        full, loss = given.pop("full"), given.pop("loss")
        given |= {
            "C": given.pop("aggressiveness"),
            "diagonal": None if full is None else not full,
            "loss": None if loss is None else as_loss(loss),
            "range": as_range("--range", given.pop("loss_range")),
            "interval": as_range("--interval", given.pop("interval")),
            "form": given.pop("whose"),
            "class_weight": as_class_weight(
                given.pop("class_weight"), many=self.entry.outcome is Outcome.CLASS
            ),
            self._teams: self._members(given.pop("member")),
            "rule": self._rule(given.pop("combine")),
        }
        learner = make_learner(self.entry, given, in_a_word=in_a_word)
        learner = mapped(restarting(learner) if again else learner, maps)
        return learner if level is None else with_intervals(learner, level)

    @property
    def _teams(self) -> str:
        """What the learner calls its members."""
        return "members" if "members" in parameters_of(self.entry) else "learners"

    def _members(self, words: list[str] | None) -> dict[str, Learner] | None:
        """Return the members of a committee by the words that name them."""
        if not words:
            if self.learner == _COMMITTEE:
                raise ParameterError(
                    "a committee must have members, such as --member perceptron "
                    "--member arow, got none"
                )
            return None
        if len(set(words)) < len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise ParameterError(f"each member must be given once, got {twice!r} twice")
        return {word: self._alone(word, "--member") for word in words}

    def _rule(self, word: str | None) -> Learner | None:
        return None if word is None else self._alone(word, "--combine")

    @classmethod
    def _alone(cls, word: str, option: str) -> Learner:
        """Return one learner from its word; a committee has none inside."""
        told = cls.parse(word)
        if told.learner == _COMMITTEE:
            raise ParameterError(f"{option} must be another learner, got {word!r}")
        return told.make(in_a_word=True)

    @classmethod
    def given(cls, **options: Any) -> Self:
        """Combine the options behind the learner's name with the others."""
        learner = options.pop("learner")
        told = cls.parse(learner)
        others = {place: value for place, value in options.items() if value is not None}
        for parameter in options_in(LearnerOptions):
            place = parameter.name
            if place in others and getattr(told, place) is not None:
                raise ParameterError(
                    f"--{names_of(parameter)[0]} must be given once, got it also in "
                    f"--learner {learner}"
                )
        return replace(told, **others)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a learner from `name:option=value,option=value`.

        An option that is true or false needs no value, as in `perceptron:normalize`.
        """
        name, _, rest = text.partition(":")
        given = {}
        # A comma before a number is part of a value, as in range=0,1.
        for part in re.split(r",(?=\s*[a-zA-Z])", rest) if rest else []:
            option, equals, value = part.partition("=")
            if option.strip() in given:
                raise ParameterError(
                    f"each option of {name.strip()} must be given once, got "
                    f"{option.strip()!r} twice; several values of one are joined by "
                    "+, as in committee:member=perceptron+arow"
                )
            given[option.strip()] = value.strip() if equals else "true"
        return cls.of(name.strip(), given)

    @classmethod
    def of(cls, name: str, given: Mapping[str, str]) -> Self:
        """Read a learner from its name and its options, as on the command line.

        Parameters
        ----------
        name
            That of `--learner`.
        given
            Texts by the names of the options, without dashes.
        """
        places = _places(cls)
        if name not in LEARNERS:
            raise unknown("a learner", name, LEARNERS)
        found: dict[str, Any] = {"learner": name}
        for option, text in given.items():
            place, kind = places.get(option, ("", str))
            if place in ("", "learner"):
                near = did_you_mean(option, options_of(LEARNERS[name]))
                raise ParameterError(f"{option!r} is not an option of {name}{near}")
            found[place] = _read(option, text, kind)
        return cls(**found)


_COMMITTEE = "committee"

# The parameters whose names differ from those of the options.
_RENAMED = {
    "member": "learners",
    "combine": "rule",
    "aggressiveness": "C",
    "full": "diagonal",
    "loss_range": "range",
    "whose": "form",
}


def options_of(entry: Entry) -> list[str]:
    """Return the options of a learner, as they are written after its name.

    Examples
    --------
    >>> from littlestone.catalogue import entry_of
    >>> from littlestone.cli._learner_options import options_of
    >>> options_of(entry_of("PassiveAggressive"))
    ['bias', 'C', 'mode', 'restarting', 'map']
    """
    taken = {*parameters_of(entry)}
    if "members" in taken:
        taken.add(_RENAMED["member"])
    if entry.reads is Reads.FEATURES:
        taken |= {"map", "restarting"}
    if entry.outcome in (None, Outcome.NUMBER):
        taken.add("intervals")
    return [
        names_of(parameter)[-1]
        for parameter in options_in(LearnerOptions)
        if _RENAMED.get(parameter.name, parameter.name) in taken
    ]


def _places(group: type) -> dict[str, tuple[str, type]]:
    """Return the field and the type of each option of a group, by its name."""
    found = {}
    for parameter in options_in(group):
        kind = typing.get_args(parameter.annotation)[0]
        plain = [each for each in typing.get_args(kind) if each is not NoneType]
        for name in names_of(parameter):
            found[name] = (parameter.name, plain[0] if plain else kind)
    return found


_TRUTHS = {
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


def _read(option: str, text: str, kind: type) -> Any:
    """Return the value of an option from its text."""
    if kind == list[str]:
        return text.split("+")  # as in committee:member=perceptron+arow
    try:
        return _TRUTHS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}
        among = wanted.get(kind)
        if among is None and issubclass(kind, StrEnum):
            among = f"one of {', '.join(kind)}"
        raise ParameterError(
            f"{option} must be {among or 'text'}, got {text!r}"
        ) from None
