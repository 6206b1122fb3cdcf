"""A game between a learner and an adversary: as it was played, in words and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from littlestone.cli._game_bounds import Opponent, Promise, is_one, promised
from littlestone.display.words import counted

if TYPE_CHECKING:
    from littlestone.adversaries import Adversary
    from littlestone.learner import Learner
    from littlestone.running import Record

__all__ = ["Game"]

_FIRST, _LAST = 12, 4  # rounds of a long game that are shown
_WIDTH = 60  # columns of a plot


@dataclass(frozen=True)
class Game:
    """A game that has been played."""

    adversary: Adversary
    record: Record
    rounds: list[tuple[Any, bool, bool]]  # example, prediction, label
    promise: Promise | None

    @classmethod
    def played(cls, learner: Learner, adversary: Adversary) -> Self:
        """Play a game."""
        from littlestone.running import run

        predictions: list[bool] = []
        fresh = learner.clone()
        record = run(
            learner,
            adversary,
            observe=lambda batch: predictions.extend(batch.predictions.tolist()),
        )
        # An adversary answers the same predictions in the same way, so replay them.
        adversary.restart()
        rounds = [
            (adversary.ask(), each, adversary.answer(each)) for each in predictions
        ]
        return cls(adversary, record, rounds, promised(fresh, adversary, record))

    @property
    def holds(self) -> bool:
        return self.promise is None or self.promise.holds

    def facts(self) -> dict[str, Any]:
        """Return the game as plain data for JSON."""
        record, adversary = self.record, self.adversary
        promise = self.promise and {
            "theorem": self.promise.theorem.id,
            "counts": self.promise.theorem.counts,
            "bound": self.promise.bound,
            "counted": self.promise.counted,
            "holds": self.promise.holds,
        }
        forces = adversary.forces
        return {
            "learner": str(record.learner),
            "adversary": repr(adversary),
            "theorem": adversary.theorem and adversary.theorem.id,
            "rounds": record.rounds,
            "mistakes": record.mistakes,
            "updates": record.updates,
            "forces": int(forces) if forces == int(forces) else float(forces),
            "best": adversary.best_,
            "comparator": _comparator(adversary),
            "bound": promise,
            "game": [
                {"example": _plain(x), "prediction": said, "label": label}
                for x, said, label in self.rounds
            ],
        }

    def text(self, *, every: bool) -> str:
        """Return the game in words, the same on a terminal and in a pipe."""
        record, adversary = self.record, self.adversary
        lines = [
            f"learner    {_short(str(record.learner), 66)}",
            f"adversary  {_short(_name(adversary), 66)}",
            "",
            *self._table(every=every),
            "",
            *_plot([said != label for _, said, label in self.rounds]),
            "",
            f"mistakes   {record.mistakes:,} in {counted(record.rounds, 'round')}",
            f"forced     {self._forced()}",
        ]
        if self.promise is not None:
            promise = self.promise
            kind = promise.theorem.counts
            what = "" if kind == "mistakes" else f", got {promise.counted:,.6g}"
            lines.append(
                f"bound      {'at most' if promise.holds else 'EXCEEDED:'} "
                f"{promise.bound:,.6g} {kind} by {promise.theorem.id}{what}"
            )
        lines.append(
            f"best       {_short(_comparator(adversary), 44)}: "
            f"{counted(adversary.best_, 'mistake')}"
        )
        return "\n".join(lines)

    def _forced(self) -> str:
        adversary, forces = self.adversary, self.adversary.forces
        theorem = adversary.theorem
        everybody = f"{float(forces):,.10g} from every learner without random draws"
        if theorem is None:
            return everybody
        if theorem.lower:
            told = int(theorem.bound(**adversary.numbers))
            if told == forces:
                return f"{everybody}, by {theorem.id}"
            # This theorem is about one kind of learner, not about all.
            return f"{everybody}, {told:,} from the consistent one by {theorem.id}"
        regret = getattr(adversary, "regret", 0.0)
        return (
            f"{float(forces):,.6g} from every learner on average, "
            f"{regret:,.6g} more than the best expert"
        )

    def _table(self, *, every: bool) -> list[str]:
        """Return a line for each round, or the first and the last of many."""
        rows = [
            f"{at:5}  {_short(_words(x), 32):32}  {_yes(said):8}  {_yes(label):5}  "
            f"{'mistake' if said != label else ''}".rstrip()
            for at, (x, said, label) in enumerate(self.rounds)
        ]
        if not every and len(rows) > _FIRST + _LAST + 1:
            left = len(rows) - _FIRST - _LAST
            rows = [*rows[:_FIRST], f"       ... {left:,} more ...", *rows[-_LAST:]]
        return [f"{'round':5}  {'example':32}  {'predicts':8}  truth", *rows]


def _plot(wrong: list[bool]) -> list[str]:
    """Draw the mistakes so far, round by round."""
    from littlestone.reporting._text import area

    counts, total = [0], 0
    for mistake in wrong:
        total += mistake
        counts.append(total)
    columns = min(_WIDTH, len(wrong))
    ends = [len(wrong) * (at + 1) // columns for at in range(columns)]
    return ["mistakes so far", *area([counts[end] for end in ends], len(wrong))]


def _yes(label: bool) -> str:
    return "yes" if label else "no"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _name(adversary: Adversary) -> str:
    if is_one(adversary, Opponent.TREE):
        return f"TreeAdversary of thresholds between {len(adversary.domain)} numbers"  # type: ignore[attr-defined]  # a tree has one
    return repr(adversary)


def _words(x: Any) -> str:
    """Return an example in a few characters."""
    if not isinstance(x, Mapping):
        return "".join("1" if vote else "0" for vote in x[:64])
    told = (
        f"x{key}" if isinstance(key, int) else f"{key}={value}"
        for key, value in x.items()
    )
    return " ".join(told) or "(nothing)"


def _comparator(adversary: Adversary) -> str:
    """Return the fixed choice that does well, in words."""
    choice = adversary.comparator_
    if isinstance(choice, Mapping):
        return " ".join(f"{'+' if y > 0 else '-'}x{j}" for j, y in choice.items())
    return f"expert {choice}" if isinstance(choice, int) else str(choice)


def _plain(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {str(key): value for key, value in x.items()}
    return [int(vote) for vote in x]
