"""One text file through Vowpal Wabbit and through `littlestone run`: outputs and times.

    python examples/from_vowpal_wabbit.py [--lines 200000]

A file of made-up visits is written, one a line, each with a tag. Both commands are then
given the same options, in processes of their own: one pass that saves a model and the
predictions, and a test of that model on another file.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from side_by_side import Done, race, tell, times

VOWPAL_WABBIT = ("vowpalwabbit", "--binary", "--loss_function", "hinge")
LITTLESTONE = ("littlestone", "run", "-l", "averaged-perceptron:bias=1")
TOWNS = ("ulm", "bonn", "jena", "kiel", "trier", "celle", "gotha", "lindau")


def visits(lines: int, seed: int) -> Iterator[str]:
    """Yield visits; who stays long, or comes from one of two towns, mostly buys."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    for number in range(lines):
        town, pages = draw.choice(TOWNS), draw.randrange(1, 30)
        seen = {int(200 * draw.random()) for _ in range(12)}
        bought = town in TOWNS[:2] or (pages > 20 and 7 not in seen)
        if draw.random() < 0.02:
            bought = not bought
        articles = " ".join(f"no{article}" for article in seen)
        yield (
            f"{1 if bought else -1} 'visit{number} |who town:{town} "
            f"pages:{pages / 30:.3f} |what {articles}\n"
        )


@dataclass(frozen=True)
class Said:
    """What a command has predicted, and how many of its predictions were wrong."""

    tags: list[str]
    wrong: int


def call(command: tuple[str, ...], folder: Path, *options: str) -> None:
    """Run a command in a folder; end with what it says if it fails."""
    words = [sys.executable, "-m", *command, *options]
    done = subprocess.run(  # noqa: S603 - the words are our own
        words, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)


def read(folder: Path, data: str, predictions: str) -> Said:
    """Hold predictions against the labels of a file: 1 is yes, -1 and 0 are no."""
    tags, wrong = [], 0
    with (folder / data).open() as told, (folder / predictions).open() as said:
        for line, prediction in zip(told, said, strict=True):
            number, _, tag = prediction.strip().partition(" ")
            tags.append(tag)
            wrong += (float(number) > 0) != line.startswith("1")
    return Said(tags, wrong)


def learns(command: tuple[str, ...], folder: Path) -> Callable[[], None]:
    """Return what learns from monday.vw, and saves a model and what it predicted."""
    options = ("-d", "monday.vw", "-f", f"{command[0]}.model", "-p", command[0])
    return lambda: call(command, folder, *options, "--quiet")


def tests(command: tuple[str, ...], folder: Path) -> Callable[[], None]:
    """Return what tests that model on tuesday.vw."""
    # A model brings its parameters along, here and in Vowpal Wabbit.
    bare = command[:2] if command is LITTLESTONE else command[:1]
    options = ("-d", "tuesday.vw", "-i", f"{command[0]}.model", "-p", command[0])
    return lambda: call(bare, folder, "-t", *options, "--quiet")


JOBS = {"monday.vw": learns, "tuesday.vw": tests}


def both(folder: Path, lines: int, repeats: int) -> dict[str, list[Done]]:
    """Write the files, and do both jobs both ways."""
    found = {}
    for seed, (day, job) in enumerate(JOBS.items()):
        (folder / day).write_text("".join(visits(lines, seed)))
        ways = (VOWPAL_WABBIT, LITTLESTONE)
        done = race(*(job(command, folder) for command in ways), repeats=repeats)
        found[job.__name__] = [
            Done(read(folder, day, command[0]), way.seconds)
            for command, way in zip(ways, done, strict=True)
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=200_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        jobs = both(Path(folder), asked.lines, repeats=3)
    for title, (before, after) in jobs.items():
        same = "yes" if before.output.tags == after.output.tags else "no"
        tell(
            f"{title}: {asked.lines:,} lines",
            "Vowpal Wabbit",
            {
                "wrong predictions": (before.output.wrong, after.output.wrong),
                "a line each, with the same tags": (same, same),
            }
            | times(before, after),
        )


if __name__ == "__main__":
    main()
