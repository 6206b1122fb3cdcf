"""Maps, restarts and intervals, as the command line writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.cli._learners import unknown
from littlestone.errors import ParameterError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from littlestone.learner import Learner
    from littlestone.maps import Map

__all__ = [
    "MAPS",
    "as_map",
    "check_columns",
    "mapped",
    "restarting",
    "with_intervals",
]


def mapped(learner: Learner, words: list[str] | None) -> Learner:
    """Put a learner behind the maps that words name, in order.

    Examples
    --------
    >>> from littlestone.cli._maps import mapped
    >>> from littlestone.linear import Perceptron
    >>> mapped(Perceptron(), ["standardized", "fourier:300"]).map
    Standardized(center=True) | Fourier(width=None, dim=300, seed=0)
    """
    if not words:
        return learner
    from littlestone.maps import Mapped

    maps = [as_map(word) for word in words]
    try:
        return Mapped(learner, maps[0] if len(maps) == 1 else maps)
    except ParameterError as error:
        raise ParameterError(f"--map: {error.what}") from None


def restarting(learner: Learner) -> Learner:
    """Return a learner whose copies start anew.

    Examples
    --------
    >>> from littlestone.cli._maps import restarting
    >>> from littlestone.linear import Perceptron
    >>> restarting(Perceptron()).shortest
    64
    """
    from littlestone.experts import Restarting

    try:
        return Restarting(learner)
    except ParameterError as error:
        raise ParameterError(f"--restarting: {error.what}") from None


def with_intervals(learner: Learner, level: float) -> Learner:
    """Put intervals around the forecasts of a learner.

    Examples
    --------
    >>> from littlestone.cli._maps import with_intervals
    >>> from littlestone.linear import VovkAzouryWarmuth
    >>> with_intervals(VovkAzouryWarmuth(), 0.8).level
    0.8
    """
    from littlestone.conformal import Adaptive

    if learner.outcome is not Outcome.NUMBER:
        raise ParameterError(
            "--intervals is for learners of numbers, such as vovk-azoury-warmuth, or "
            f"coin-betting and ml-poly with --loss square, got {learner!r:.80}"
        )
    try:
        return Adaptive(learner, level)
    except ParameterError as error:
        raise ParameterError(f"--intervals: {error.what}") from None


def as_map(word: str) -> Map:
    """Return the map that a word names, such as fourier:300.

    Examples
    --------
    >>> from littlestone.cli._maps import as_map
    >>> as_map("fourier:dim=50,width=2.5")
    Fourier(width=2.5, dim=50, seed=0)
    >>> as_map("crossed:town*kind,0*3")
    Crossed(pairs=(('town', 'kind'), (0, 3)))
    """
    from littlestone import maps

    name, _, rest = word.partition(":")
    if name not in MAPS:
        raise unknown("--map", name, MAPS)
    if name == "crossed":
        return maps.Crossed([_pair(text) for text in rest.split(",")])
    first, kinds = MAPS[name]
    given: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        option, equals, text = part.partition("=")
        if not equals:
            option, text = first, part
        if option not in kinds or option in given:
            known = ", ".join(kinds)
            raise ParameterError(
                f"--map {name} takes each of {known} once, got {part!r}"
            )
        try:
            given[option] = kinds[option](text)
        except (KeyError, ValueError):
            raise ParameterError(
                f"--map {name}: {option} must be readable, got {text!r}"
            ) from None
    made: Map = getattr(maps, name.capitalize())(**given)
    return made


def check_columns(words: Iterable[str], bits: int) -> None:
    """Refuse maps that cannot cross 2^bits hashed columns: by name, or too many.

    Examples
    --------
    >>> from littlestone.cli._maps import check_columns
    >>> check_columns(["standardized", "crossed:0*3"], 18)
    """
    for word in words:
        name, _, rest = word.partition(":")
        groups = [each for pair in rest.split(",") for each in pair.split("*")]
        if name == "crossed" and not all(map(str.isdecimal, groups)):
            raise ParameterError(
                f"--map {word} crosses features by name, so it must be given without "
                "-b, which leaves columns without names; --map quadratic:18 hashes "
                "all products"
            )
        if word == "quadratic" and bits > _MOST_BITS:
            raise ParameterError(
                f"--map quadratic must be given with -b {_MOST_BITS} or less, got "
                f"{bits}; --map quadratic:{bits} hashes the products too"
            )


def _pair(text: str) -> tuple[str | int, str | int]:
    left, star, right = text.partition("*")
    if not star or not left or not right:
        raise ParameterError(
            f"--map crossed needs pairs, as in crossed:town*kind, got {text!r}"
        )
    return _group(left), _group(right)


def _group(text: str) -> str | int:
    if len(text) > _LONGEST and text.isdecimal():
        raise ParameterError(f"--map crossed: a column must be below 2**32, got {text}")
    return int(text) if text.isdecimal() else text


_LONGEST = len(str(2**32))
_MOST_BITS = 16  # of columns whose products have numbers below 2^32


_TRUTHS = {
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}

# For each map the option that may be given without its name, and how to read each.
MAPS: dict[str, tuple[str, dict[str, Callable[[str], Any]]]] = {
    "fourier": ("dim", {"dim": int, "width": float, "seed": int}),
    "standardized": ("center", {"center": lambda text: _TRUTHS[text.lower()]}),
    "quadratic": ("bits", {"bits": int}),
    "crossed": ("", {}),
}
