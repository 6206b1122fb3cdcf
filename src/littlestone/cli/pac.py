"""`littlestone pac`: how many examples suffice."""

from __future__ import annotations

import json as json_format
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlestone.cli._say import say
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.pac import ConceptClass

__all__ = ["pac"]


class ClassName(StrEnum):
    """The classes of the command line."""

    CONJUNCTIONS = "conjunctions"
    DISJUNCTIONS = "disjunctions"
    K_CNF = "k-cnf"
    K_DNF = "k-dnf"
    DECISION_LISTS = "decision-lists"
    FINITE = "finite"


class Method(StrEnum):
    """How an online learner is turned into a PAC learner."""

    SURVIVE = "survive"
    FAST = "fast"


# The options of each class; all but finite need --n.
_OPTIONS = {
    ClassName.CONJUNCTIONS: {"n", "monotone"},
    ClassName.DISJUNCTIONS: {"n", "monotone"},
    ClassName.K_CNF: {"n", "k"},
    ClassName.K_DNF: {"n", "k"},
    ClassName.DECISION_LISTS: {"n", "k"},
    ClassName.FINITE: {"size"},
}


def pac(
    epsilon: Annotated[
        float, typer.Option(help="The largest probability of a mistake.")
    ],
    delta: Annotated[float, typer.Option(help="The probability of failure.")],
    name: Annotated[
        ClassName | None,
        typer.Argument(
            metavar="CLASS",
            help="The class to learn: " + ", ".join(ClassName) + ".",
            show_default=False,
        ),
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", help="The number of features.")
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            help="The most literals of a clause, a term or a condition; 1 by default "
            "for decision lists.",
        ),
    ] = None,
    monotone: Annotated[
        bool | None,
        typer.Option("--monotone", help="Conjunctions, disjunctions: no negations."),
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="finite: the number of concepts.")
    ] = None,
    agnostic: Annotated[
        bool,
        typer.Option(
            "--agnostic", help="No concept may fit; come within epsilon of the best."
        ),
    ] = False,
    method: Annotated[
        Method | None,
        typer.Option(help="Convert an online learner instead, by this method."),
    ] = None,
    mistakes: Annotated[
        int | None,
        typer.Option(
            help="The mistake bound of the online learner; by default that of the "
            "learner of CLASS."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute how many examples suffice to learn a class, or to convert a learner.

    With probability 1 - delta, mistakes then have probability at most epsilon.

    How many examples make a consistent decision list trustworthy?

        littlestone pac decision-lists --n 22 --epsilon .05 --delta .01

    And with noise, to come close to the best of the class?

        littlestone pac k-dnf --n 22 --k 2 --epsilon .1 --delta .01 --agnostic

    How many does the online learner of conjunctions need, once converted?

        littlestone pac conjunctions --n 22 --method fast --epsilon .1 --delta .1

    And any online learner with at most 40 mistakes?

        littlestone pac --mistakes 40 --method survive --epsilon .05 --delta .01
    """
    for option, value in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < value < 1:
            raise ParameterError(f"--{option} must lie between 0 and 1, got {value}")
    cls = None
    if name is not None:
        cls = _class(name, {"n": n, "k": k, "monotone": monotone, "size": size})
    if method is None and mistakes is None:
        if cls is None:
            raise ParameterError(
                "CLASS or --mistakes must be given, got neither; CLASS is one of "
                + ", ".join(ClassName)
            )
        facts, words = _sample(cls, epsilon, delta, agnostic=agnostic)
    else:
        if agnostic:
            raise ParameterError("--agnostic is not an option of a conversion")
        facts, words = _conversion(cls, epsilon, delta, method, mistakes)
    if json:
        say(json_format.dumps(facts))
    else:
        say("\n".join(f"{word:9} {text}" for word, text in words.items()))


def _class(name: ClassName, given: dict[str, Any]) -> ConceptClass:
    """Return the class with these options."""
    from littlestone import pac as classes

    options = {key: value for key, value in given.items() if value is not None}
    for key in options:
        if key not in _OPTIONS[name]:
            raise ParameterError(f"--{key} is not an option of {name.value}")
    needed = {"n"}
    if name is ClassName.FINITE:
        needed = {"size"}
    elif name in (ClassName.K_CNF, ClassName.K_DNF):
        needed = {"n", "k"}
    for key in sorted(needed - options.keys(), reverse=True):
        raise ParameterError(f"{name.value} needs --{key}")
    if name is ClassName.FINITE:
        return classes.Finite(options["size"])
    made = {
        ClassName.CONJUNCTIONS: classes.Conjunctions,
        ClassName.DISJUNCTIONS: classes.Disjunctions,
        ClassName.K_CNF: classes.KCNF,
        ClassName.K_DNF: classes.KDNF,
        ClassName.DECISION_LISTS: classes.DecisionLists,
    }[name]
    return made(**options)  # type: ignore[no-any-return]  # one of them


def _sample(
    cls: ConceptClass, epsilon: float, delta: float, *, agnostic: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    from littlestone import theorems
    from littlestone.pac import sample_size

    examples = sample_size(cls, epsilon, delta, agnostic=agnostic)
    theorem = theorems.PAC_AGNOSTIC if agnostic else theorems.PAC_FINITE
    logarithm = float(cls.log_size[1])
    facts = {
        "class": str(cls),
        "size": cls.formula,
        "log_size": logarithm,
        "epsilon": epsilon,
        "delta": delta,
        "theorem": theorem.id,
        "examples": examples,
    }
    words = {
        "class": str(cls),
        "size": f"|H| = {cls.formula}, ln |H| = {logarithm:,.6g}",
        "theorem": str(theorem),
        "examples": f"{examples:,}",
    }
    return facts, words


def _conversion(
    cls: ConceptClass | None,
    epsilon: float,
    delta: float,
    method: Method | None,
    mistakes: int | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    from littlestone import theorems
    from littlestone.learner.parameters import whole

    if mistakes is None:
        if cls is None:
            raise ParameterError("--method needs CLASS or --mistakes, got neither")
        mistakes = cls.mistake_bound
    else:
        whole("pac", "--mistakes", mistakes)
    bound = {"mistakes": mistakes, "epsilon": epsilon, "delta": delta}
    if method is Method.FAST:
        theorem = theorems.MB2PAC_FAST
        first, second = theorems.fast_sizes(**bound)  # type: ignore[arg-type]  # numbers
        examples = first + second
        sizes = {"learn_from": first, "choose_by": second}
        told = (
            f"{examples:,}: {first:,} to learn from and {second:,} to choose by, by "
            "exact binomial tails"
        )
    else:
        theorem = theorems.MB2PAC_SURVIVE
        examples = int(theorem.formula(**bound))
        length = theorems.survival_length(**bound)
        sizes = {"survive": length}
        told = f"at most {examples:,}, until a hypothesis survives {length:,} in a row"
    facts = {**bound, "theorem": theorem.id, "examples": examples, **sizes}
    words = {
        "mistakes": f"at most {mistakes:,}",
        "theorem": str(theorem),
        "examples": told,
    }
    if cls is not None:
        facts = {"class": str(cls), **facts}
        words = {"class": str(cls), **words}
    return facts, words
