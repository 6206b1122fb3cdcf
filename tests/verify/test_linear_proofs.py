"""The proofs of linear learners, on runs with witnesses measured exactly."""

from __future__ import annotations

from certificates import made, vector
from littlestone import verify
from littlestone.linear import Perceptron


def test_the_perceptrons_worst_case_is_accepted_and_leaves_nothing_to_spare() -> None:
    stream = [({i: 1.0}, False) for i in range(16)]
    u = vector(dict.fromkeys(range(16), -0.25))
    numbers = {"radius": 1, "margin": 0.25, "norm": 1}
    certificate = made(Perceptron(), stream, "PERC-SEP", u, numbers)
    assert certificate.slack == 0
    verdict = verify(certificate, stream)
    assert verdict, verdict
    assert verdict.checked[-1] == "the proof"
