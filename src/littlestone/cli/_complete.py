"""Shell completion: learners with their options, and theorems."""

from __future__ import annotations

__all__ = ["learners", "players", "theorems"]


def learners(begun: str) -> list[str]:
    """Return the learners with this prefix, or after a colon their options.

    Examples
    --------
    >>> from littlestone.cli._complete import learners
    >>> learners("winn")
    ['winnow', 'winnow-dnf']
    >>> learners("winnow:threshold=5,pro")
    ['winnow:threshold=5,promotion=']
    """
    from littlestone.cli._learner_options import options_of
    from littlestone.cli._learners import LEARNERS

    name, colon, options = begun.partition(":")
    if not colon:
        return [name for name in LEARNERS if name.startswith(begun)]
    if name not in LEARNERS:
        return []
    before, comma, last = options.rpartition(",")
    fixed = f"{name}:{before}{comma}"
    return [
        f"{fixed}{option}="
        for option in options_of(LEARNERS[name])
        if option.startswith(last)
    ]


def players(begun: str) -> list[str]:
    """Return the learners of games with this prefix.

    Examples
    --------
    >>> from littlestone.cli._complete import players
    >>> players("co")
    ['conjunction', 'consistent', 'cover']
    """
    from littlestone.catalogue import of_games

    return [name for name in of_games() if name.startswith(begun)]


def theorems(begun: str) -> list[tuple[str, str]]:
    """Return the theorems with this prefix, in either case, and what they bound.

    Examples
    --------
    >>> from littlestone.cli._complete import theorems
    >>> [name for name, _ in theorems("perc-s")]
    ['perc-sep']
    """
    from littlestone.theorems import all as every

    # Shells offer only words that begin as typed.
    ids = {
        theorem.id.lower() if begun.islower() else theorem.id: theorem
        for theorem in every()
    }
    return [(name, it.counts) for name, it in ids.items() if name.startswith(begun)]
