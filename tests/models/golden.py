"""Golden files: models of each version, kept for ever, and how they go on.

    python tests/models/golden.py tests/golden/FOLDER

writes those of this version; a folder that was released is never written again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import saved
from littlestone import models
from littlestone.models._values import Packer, Unpacker

ROUNDS = 12  # that are kept beside a model


def told(learner: Any) -> dict[str, str]:
    """Return what a learner tells of itself, as text."""
    names = [
        *("updates_", "weights_", "concept_", "losses_", "supports_", "classes_"),
        "terms_",
        *("unrealizable_", "expected_mistakes_", "regret_", "features_"),
        *("alpha_", "misses_", "mean_width_"),
    ]
    return {
        name: repr(getattr(learner, name)) for name in names if hasattr(learner, name)
    }


def make(folder: Path) -> None:
    """Write one model of each learner, and how it goes on."""
    folder.mkdir(parents=True)
    done = set()
    for one in saved.every():
        name = type(one.make()).__name__
        if name in done:
            continue
        done.add(name)
        at = max(1, len(one.rounds) // 2)
        learner, _ = one.played(0, at)
        models.save(learner, folder / f"{name}.lst")
        before = told(learner)
        rounds = one.rounds[at : at + ROUNDS]
        learner, said = one.played(at, at + ROUNDS, learner)
        text = [s.hex() if isinstance(s, bytes) else repr(s) for s in said]
        facts = {
            "rounds": Packer().pack("rounds", rounds),
            "said": text,
            "before": before,
            "after": told(learner),
        }
        (folder / f"{name}.json").write_text(json.dumps(facts, indent=1) + "\n")


def rounds_of(facts: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return the rounds that stand beside a model."""
    found: list[tuple[Any, Any]] = Unpacker({}).unpack(facts["rounds"])
    return found


if __name__ == "__main__":
    make(Path(sys.argv[1]))
