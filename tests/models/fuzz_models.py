"""Corrupt model files by the million: each is refused, or loads the same learner.

Some corruptions have their digest made right again, to get at the checks inside: what
then loads is a learner, if another one, and must play on without a crash. Whoever calls
this does so in a process of its own, since a crash would end it:

    python tests/models/fuzz_models.py 1000000 [--seed SEED]

The corruptions are new ones each time, unless the seed is given.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import random
import re
import resource
import secrets
import struct
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import saved
from damage import damaged
from littlestone.errors import LittlestoneError, ModelError
from littlestone.models._file import parse
from littlestone.models._models import unpacked, write_model
from littlestone.models._runs import check_run
from littlestone.models._runs import run as run_in_file
from littlestone.running import run as go_on

MOST_MEMORY = 3 << 30
PATIENCE = 600  # seconds for 500 files, also on a busy machine
ODD = [
    *(b"0", b"-1", b"1e999", b"null", b"true", b'""', b"[]", b"{}", b'"a"', b"NaN"),
    *(b"4294967296", b"18446744073709551615", b"1.5", b"-0", b"1" * 30),
]
NUMBERS = [
    *(0.0, -0.0, -1.0, 0.5, 1.0, 2.0, 3.0, 2.0**24, 2.0**32, 2.0**53, 1e18, 1e300),
    *(float("inf"), float("-inf"), float("nan"), 5e-324),
]
DIGEST = re.compile(rb'"digest":"sha256:([0-9a-f]{64})"')


def models() -> list[tuple[saved.Saved, bytes]]:
    """Return files of every kind of learner, in the middle of their rounds."""
    found: list[tuple[saved.Saved, bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        for one in saved.every():
            learner, _ = one.played(0, len(one.rounds) // 2)
            path = Path(folder) / "m.lst"
            write_model(learner, path)
            if len(found) % 3 == 0:
                half = one.rounds[: len(one.rounds) // 2]
                run_in_file(one.make(), half, path, keep="updates")
            found.append((one, path.read_bytes()))
    return found


def parted(raw: bytes) -> tuple[bytes, bytes]:
    """Return the header and the numbers of a file."""
    (size,) = struct.unpack("<Q", raw[:8])
    return raw[8 : 8 + size], raw[8 + size :]


def signed(header: bytes, numbers: bytes) -> bytes:
    """Return a file whose digest is right, whatever else is not."""
    found = DIGEST.search(header)
    if found is None:
        return struct.pack("<Q", len(header)) + header + numbers
    first, last = found.span(1)
    header = header[:first] + b"0" * 64 + header[last:]
    raw = struct.pack("<Q", len(header)) + header + numbers
    digest = hashlib.sha256(raw).hexdigest().encode()
    return raw[: 8 + first] + digest + raw[8 + last :]


def _values(header: bytes, draw: random.Random) -> bytes:
    """Change a number or a text somewhere in the header, or in the JSON inside it."""
    places = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?|true|false|null", header))
    if not places:
        return header
    place = draw.choice(places)
    new = draw.choice(ODD).replace(b'"', rb"\"")
    if draw.random() < 0.5:
        new = str(draw.randrange(100)).encode()
    return header[: place.start()] + new + header[place.end() :]


def _structure(header: bytes, draw: random.Random) -> bytes:  # noqa: C901 - ways
    """Change the tree that the header is: leave out, rename, exchange."""
    tree = json.loads(header)
    inner = draw.choice(["parameters", "state", "run", "outer"])
    part = tree if inner == "outer" else json.loads(tree["__metadata__"][inner])
    nodes: list[Any] = []

    def walk(node: Any) -> None:
        if isinstance(node, (dict, list)) and node:
            nodes.append(node)
            for child in node.values() if isinstance(node, dict) else node:
                walk(child)

    walk(part)
    if not nodes:
        return header
    node = draw.choice(nodes)
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key, odd = draw.choice(keys), json.loads(draw.choice([b"0", b"[]", b"{}", b'"a"']))
    choice = draw.randrange(4)
    if choice == 0:
        del node[key]
    elif choice == 1:
        node[key] = odd
    elif choice == 2:
        node[key] = (
            draw.choice(nodes) if draw.random() < 0.5 else node[draw.choice(keys)]
        )
    elif isinstance(node, dict):
        node[draw.choice(["$int", "$again", "$array", "x", *keys])] = node.pop(key)
    else:
        node.append(node[key])
    try:
        if inner != "outer":
            tree["__metadata__"][inner] = json.dumps(part)
        return json.dumps(tree, separators=(",", ":")).encode()
    except ValueError:  # it contains itself now
        return header


def meant(raw: bytes, other: bytes, draw: random.Random) -> bytes:
    """Return a file with nonsense inside and a digest that is right."""
    header, numbers = parted(raw)
    for _ in range(draw.choice((1, 1, 2, 5))):
        kind = draw.randrange(6)
        if kind == 0:
            header = _values(header, draw)
        elif kind == 1:
            try:
                header = _structure(header, draw)
            except (KeyError, TypeError, ValueError):  # already too far gone
                continue
        elif kind == 2 and len(numbers) >= 8:
            at = draw.randrange(len(numbers) // 8) * 8
            new = struct.pack("<d", draw.choice(NUMBERS))
            numbers = numbers[:at] + new + numbers[at + 8 :]
        elif kind == 3 and numbers:
            numbers = damaged(numbers, parted(other)[1] or b"0", draw)
        elif kind == 4 and len(numbers) >= 8:
            at = draw.randrange(len(numbers) // 8) * 8
            new = struct.pack("<Q", draw.choice([0, 1, 2, 3, 2**24, 2**32, 2**64 - 1]))
            numbers = numbers[:at] + new + numbers[at + 8 :]
        elif header:
            at = draw.randrange(len(header))
            header = header[:at] + bytes([draw.randrange(256)]) + header[at + 1 :]
    return signed(header, numbers)


class Nowhere:
    """Saves nothing of a run that resumes."""

    every = 1 << 40

    def __init__(self, resumed: Any) -> None:
        self.resumed = resumed

    def save(self, learner: Any, state: dict[str, Any], /) -> None:
        """Forget it."""


def play(one: saved.Saved, learner: Any, of_run: Any) -> str:
    """Let a learner that should not be play on, and look at it."""
    half = len(one.rounds) // 2
    try:
        if of_run is not None:
            check_run(of_run)
            told = one.rounds[: half + 3]
            record = go_on(learner, told, keep="updates", checkpoint=Nowhere(of_run))
            repr(record.curve)
            return "went on"
        one.played(half, half + 4, learner)
        for name in ("weights_", "concept_", "unrealizable_", "losses_", "supports_"):
            repr(getattr(learner, name, None))
        learner.save_state()
    except LittlestoneError as error:
        return type(error).__name__
    except (ArithmeticError, LookupError, TypeError, ValueError, MemoryError) as error:
        return type(error).__name__
    return "played on"


def main(count: int, seed: int) -> None:
    """Corrupt so many files."""
    sys.stderr.write(f"{count:,} corruptions, --seed {seed}\n")
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    faulthandler.enable()
    files = models()
    found: Counter[str] = Counter()
    for number in range(count):
        draw = random.Random(f"{seed} {number}")  # noqa: S311 - to be drawn again
        one, raw = draw.choice(files)
        other = draw.choice(files)[1]
        right = draw.random() < 0.6
        bad = (meant if right else damaged)(raw, other, draw)
        if number % 500 == 0:
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            sys.stderr.write(f"\r{number}")
        try:
            learner, of_run = unpacked(*parse(bad))
        except ModelError as error:
            found["signed and refused" if right else "refused"] += 1
            if "\n" in str(error)[:1]:
                raise
            continue
        except BaseException:
            sys.stderr.write(f"\nseed {seed}, number {number}: {one}\n")
            raise
        if bad == raw:
            found["not changed"] += 1
            continue
        if not right:
            raise AssertionError(
                f"seed {seed}, number {number}: {one}: loaded silently"
            )
        found[f"signed and loaded: {play(one, learner, of_run)}"] += 1
    faulthandler.cancel_dump_traceback_later()
    sys.stdout.write(json.dumps({"corruptions": count, **found}, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    given = parser.parse_args()
    main(given.count, given.seed)
