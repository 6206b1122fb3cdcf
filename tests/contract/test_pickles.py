"""Every learner's pickle tells what it has learned, and nothing of how it is hashed."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys

import saved

SCRIPT = "from contract.test_pickles import digests; print(*digests())"


def digests() -> list[str]:
    """Return a digest of the pickle of each learner after its rounds."""
    return [
        hashlib.sha256(pickle.dumps(one.played(0, 60)[0])).hexdigest()
        for one in saved.every()
    ]


def test_equal_learners_have_equal_pickles_wherever_names_are_hashed() -> None:
    # Strings are hashed differently in every process, unless told how.
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", SCRIPT]
    elsewhere = subprocess.check_output(command, text=True, env=os.environ | env)
    assert digests() == elsewhere.split()


def test_a_copy_has_the_same_pickle() -> None:
    for one in saved.every():
        told = pickle.dumps(one.played(0, 60)[0])
        assert pickle.dumps(pickle.loads(told)) == told, one  # noqa: S301 - our own bytes
