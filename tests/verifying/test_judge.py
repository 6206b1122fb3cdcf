"""The judge: what it accepts, what it finds, and that nothing escapes it."""

from __future__ import annotations

import gzip
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from certificates import made, sealed, vector
from data import data_file
from littlestone import Certificate, linear, streams, theorems, verify
from littlestone.errors import CertificateError, LineError, ParameterError
from littlestone.theorems._rounding import sqrt_up
from littlestone.verifying import PROOFS, Verdict, as_number, as_text
from littlestone.verifying.twins import TWINS
from tries import tried

STREAM: list[tuple[Any, Any]] = [
    ({"c": 1.0}, True),  # a tie: it tells the two ways to update apart
    ({"a": 1.0, "b": 2.0}, False),
    ({"a": 2.0, "b": -1.0}, True),
    ({"a": 1.0}, True),
    ({"a": 0.5, "b": 3.0}, False),
]
ROWS: list[list[float]] = [
    [0.0, 0.0, 1.0],
    [1, 2, 0],
    [2, -1, 0],
    [1, 0, 0],
    [0.5, 3, 0],
]
LABELS = [True, False, True, True, False]


def separable() -> Certificate:
    """Return a certificate that no other witness and no smaller number would fit.

    The updates are (1, 2), no, and (1, 0), yes: only u = (1, -1) has margin 1 on both
    and a length of sqrt 2.
    """
    two, five = Fraction(2), Fraction(5)
    numbers = {"radius": sqrt_up(five), "margin": 1, "norm": sqrt_up(two)}
    u = vector({"a": 1, "b": -1})
    return made(linear.Perceptron(), STREAM, "PERC-SEP", u, numbers)


def by_columns() -> Certificate:
    stream = list(zip(ROWS, LABELS, strict=True))
    numbers = {"radius": 3, "margin": 1, "norm": 1.5}
    u = vector({0: 1, 1: -1})
    return made(linear.Perceptron(), stream, "PERC-SEP", u, numbers)


def deviating() -> Certificate:
    numbers = {"radius": 3, "margin": 1, "deviation_norm": 4}
    u = vector({"a": Fraction(3, 5), "b": Fraction(-4, 5)})
    return made(linear.Perceptron(), STREAM, "PERC-FS", u, numbers)


def passive() -> Certificate:
    numbers = {"radius": 3, "aggressiveness": 1, "norm": 2, "hinge": 9}
    u = vector({"a": 1, "b": -1})
    return made(linear.PassiveAggressive(), STREAM, "PA1", u, numbers)


def balanced() -> Certificate:
    learner = linear.BalancedWinnow(0.05, scale=3)
    numbers = {"features": 3, "margin": 1, "deviation": 4, "rate": 0.05, "scale": 3}
    u = vector({"a": Fraction(1, 2), "b": Fraction(-1, 2)})
    return made(learner, STREAM, "BWIN-ANY", u, numbers)


def second_order() -> Certificate:
    numbers = {"margin": 1, "deviation": 9, "energy": 99, "log_det": 99}
    u = vector({"a": 1, "b": -1})
    learner = linear.SecondOrderPerceptron(diagonal=False)
    return made(learner, STREAM, "SOP", u, numbers)


def kernel() -> Certificate:
    numbers = {"radius": 3, "margin": 1, "deviation": 9}
    u = {"kind": "expansion", "terms": [[1, "-1/3"]]}
    return made(linear.KernelPerceptron(), STREAM, "PERC-TD", u, numbers)


def winnow() -> Certificate:
    stream = [({"a": 1.0}, True), ({"b": 1.0}, False), ({"a": 1.0, "b": 1.0}, True)]
    learner = linear.Winnow.for_disjunction(3)
    numbers = {"features": 3, "relevant": 1}
    return made(learner, stream, "WIN2-DISJ", vector({"a": 1}), numbers)


MAKERS = [separable, deviating, passive, balanced, second_order, kernel]
makers = pytest.mark.parametrize("maker", MAKERS)


@makers
def test_what_is_sound_is_accepted(maker: Callable[[], Certificate]) -> None:
    certificate = maker()
    alone, full = verify(certificate), verify(certificate, STREAM)
    assert alone
    assert full
    assert alone.wrong is full.wrong is None
    assert alone.checked == full.checked[: len(alone.checked)]
    assert full.checked[-1] == "the proof"
    assert "rounds" in full.checked
    assert "rounds" not in alone.checked
    assert str(full).startswith("Accepted: the theorem, its numbers, the bound, that")


def test_a_path_will_do(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    separable().save(path)
    assert verify(path, STREAM)
    assert verify(str(path))
    path.write_text("{}")
    with pytest.raises(CertificateError, match="certificate.json"):
        verify(path)


# However the stream is handed in.


def test_streams_of_every_shape_are_the_same_stream() -> None:
    certificate = by_columns()
    matrix = np.array(ROWS)
    sparse = sp.csr_matrix(matrix)
    columns = [[0, 1, 2], [0, 1, 2]]
    shapes: list[Any] = [
        list(zip(ROWS, LABELS, strict=True)),
        list(zip(matrix, [1, -1, 1, 1, -1], strict=True)),
        list(zip(matrix.astype(np.float32), np.array(LABELS), strict=True)),
        [
            ({j: v for j, v in enumerate(r) if v}, y)
            for r, y in zip(ROWS, LABELS, strict=True)
        ],
        [((columns[0], r), y) for r, y in zip(ROWS, LABELS, strict=True)],
        [(sparse[i], y) for i, y in enumerate(LABELS)],
        streams.arrays(matrix, LABELS),
        streams.arrays(sparse, LABELS),
        iter([(r, float(y)) for r, y in zip(ROWS, LABELS, strict=True)]),
    ]
    for stream in shapes:
        verdict = verify(certificate, stream)
        assert verdict, verdict


def test_the_path_of_a_stream_is_refused(tmp_path: Path) -> None:
    for path in ("a.svm", tmp_path):
        with pytest.raises(ParameterError, match=r"got the path .*streams\.open can"):
            verify(separable(), path)  # type: ignore[arg-type]  # to be refused


def test_a_file_will_do(tmp_path: Path) -> None:
    lines = ["+1 2:1", "-1 0:1 1:2", "+1 0:2 1:-1", "+1 0:1", "-1 0:0.5 1:3"]
    path = tmp_path / "stream.svm.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert verify(by_columns(), streams.svmlight(path))
    path.write_bytes(gzip.compress(b"+1 3:x"))
    with pytest.raises(LineError):
        verify(by_columns(), streams.svmlight(path))


def test_several_passes() -> None:
    numbers = {"radius": 3, "margin": 1, "norm": 1.5}
    u = vector({"a": 1, "b": -1})
    certificate = made(linear.Perceptron(), STREAM, "PERC-SEP", u, numbers, passes=3)
    assert verify(certificate, STREAM)
    assert verify(certificate, iter(STREAM))
    assert not verify(replace(certificate, passes=2), STREAM)
    assert not verify(replace(certificate, passes=2**62), STREAM)
    assert not verify(replace(certificate, passes=2**62), [])


def test_an_endless_stream_is_not_read_to_its_end() -> None:
    def endless() -> Iterator[Any]:
        for t in itertools.count():
            yield {"t": float(t)}, True

    wrong = verify(separable(), endless()).wrong
    assert wrong == "rounds must be more than 5: the stream is longer"


@pytest.mark.parametrize(
    ("example", "wrong"),
    [
        (({"a": float("nan")}, True), "feature 'a' must be a finite number, got nan"),
        (({"a": float("inf")}, True), "feature 'a' must be a finite number, got inf"),
        (({"a": "1"}, True), "feature 'a' must be a number, got '1'"),
        (({"a": 1.0}, 2), "a label must be True/1 or False/0/-1, got 2"),
        (({"a": 1.0}, "yes"), "a label must be True/1 or False/0/-1, got 'yes'"),
        (({"a": 1.0}, None), "a label must be True/1 or False/0/-1, got None"),
        ((([1, 1], [2.0, 3.0]), True), "each feature must appear once"),
        ((([1], [2.0, 3.0]), True), ""),
        (({1.5: 1.0}, True), ""),
        (({-1: 1.0}, True), ""),
        (("text", True), ""),
        ((7, True), ""),
        ((object(), True), ""),
    ],
)
def test_examples_that_cannot_be_played_are_named(example: Any, wrong: str) -> None:
    verdict = verify(separable(), [STREAM[0], example, *STREAM[2:]])
    assert str(verdict.wrong).startswith("round 1: it cannot be played: ")
    assert wrong in str(verdict.wrong)


# What is wrong is found, and named.


@makers
def test_another_stream_is_told_by_its_digest(maker: Callable[[], Certificate]) -> None:
    certificate = maker()
    swapped = [STREAM[1], STREAM[0], *STREAM[2:]]
    louder = [*STREAM[:-1], ({"a": 0.5, "b": 3.5}, False)]
    renamed = [({"d": 1.0}, True), *STREAM[1:]]
    turned = [({"c": 1.0}, False), *STREAM[1:]]
    for other in (swapped, louder, renamed, turned, STREAM[:-1], []):
        wrong = verify(certificate, other).wrong
        assert wrong == "digest must be that of the stream"


def leaves(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through the places of plain data."""
    if isinstance(plain, (dict, list)):
        for key in plain if isinstance(plain, dict) else range(len(plain)):
            yield from leaves(plain[key], (*path, key))
    yield path


def put(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return plain data with another value at a place."""
    if not path:
        return value
    copy = dict(plain) if isinstance(plain, dict) else list(plain)
    copy[path[0]] = put(plain[path[0]], path[1:], value)
    return copy


def at(plain: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        plain = plain[key]
    return plain


def flips(value: Any) -> list[Any]:
    """Return values of the same kind that differ, and some of other kinds."""
    if isinstance(value, str):
        made = [value + "x", "margin", None, "7/5", as_text(1e300)]
        try:
            number = as_number(value)
        except CertificateError:
            return [*made, value[:-1] + ("1" if value.endswith("0") else "0")]
        # Nearer ones may be safe, and round to the same bound.
        near = (number + TINY, number - TINY, -number, 2 * number)
        return made + [as_text(each) for each in near]
    if isinstance(value, int):
        return [value + 1, value - 1, 2 * value + 7, not value, None, str(value)]
    if isinstance(value, list):
        return [[], value[:-1], [*value, *value], None]
    return ["1", 1, False, {}] if value is None else [{}, None]


TINY = Fraction(1, 10**12)
ANY: dict[str, Any] = {
    "learner": {"name": "X", "parameters": {}},
    "passes": 1,
    "rounds": 0,
    "mistakes": 0,
    "updates": 0,
    "digest": "sha256:" + 64 * "0",
    "theorem": "X",
    "counts": "X",
    "counted_exact": "0",
    "witness": {"kind": "none"},
    "numbers_exact": {},
    "bound_exact": "0",
}


def test_tampering_with_any_field_and_any_witness_entry_is_caught() -> None:
    plain = json.loads(separable().to_json())
    del plain["seal"]
    assert verify(Certificate.from_json(sealed(plain)), STREAM)
    tried = set()
    for path in leaves(plain):
        for value in flips(at(plain, path)):
            if value == at(plain, path) or not path:
                continue
            other = put(plain, path, value)
            try:
                certificate = Certificate.from_json(sealed(other))
            except CertificateError:
                continue
            if certificate == separable():
                continue
            verdict = verify(certificate, STREAM)
            assert not verdict, (path, value)
            assert verdict.wrong
            tried.add(path[0])
    assert tried >= plain.keys() - {"format", "others"}


def test_numbers_are_safe_or_refused_also_when_the_bound_is_made_to_fit() -> None:
    """A forger who computes the bound anew can only make it larger."""
    certificate = separable()
    true = {name: as_number(text) for name, text in certificate.numbers_exact.items()}
    for name, number in true.items():
        for factor in (Fraction(1, 2), 1 - TINY, 1 + TINY, Fraction(3, 2)):
            stated = {**true, name: number * factor}
            forged = replace(
                certificate,
                numbers_exact={each: as_text(other) for each, other in stated.items()},
                bound_exact=as_text(theorems.PERC_SEP.bound(**stated)),
            )
            verdict = verify(forged, STREAM)
            looser = (factor > 1) == (name != "margin")
            assert bool(verdict) == looser, (name, factor, verdict)
            assert looser or name in str(verdict.wrong)


def test_other_theorems_are_told_and_not_proved() -> None:
    told = {"PERC-TD": {"bound": as_text(1e9), "reason": None}}
    assert verify(replace(separable(), others_exact=told), STREAM)
    better = {"PERC-TD": {"bound": "1", "reason": None}}
    assert "better" in str(verify(replace(separable(), others_exact=better)).wrong)
    for name in ("PERC-SEP", "MADE-UP"):
        odd = {name: {"bound": None, "reason": "none"}}
        assert "others must be other" in str(
            verify(replace(separable(), others_exact=odd)).wrong
        )


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"theorem": "MADE-UP"}, "theorem must be a known one"),
        ({"theorem": "perc-sep"}, "theorem must be a known one"),
        ({"theorem": "HALV"}, "HALV must be a theorem that can be replayed for Percep"),
        ({"theorem": "VOTE-FS"}, "must be a theorem that can be replayed"),
        ({"theorem": "PERC-TD"}, "numbers must be radius, margin, deviation"),
        ({"counts": "mistakes"}, "counts must be 'updates', got 'mistakes'"),
        ({"counted_exact": "1"}, "counted must be 2, got 1"),
        ({"updates": None}, "updates must be stated"),
        ({"bound_exact": "10"}, "bound must be 0x1.4"),
        ({"bound_exact": as_text(10.0)}, "bound must be 0x1.4"),
        ({"numbers_exact": {}}, "numbers must be radius, margin, norm, got none"),
        ({"witness": {"kind": "none"}}, "witness must be of kind vector, got none"),
        ({"witness": vector({"a": 1}, 1)}, "witness: bias must be null"),
        ({"learner": {"name": "Nobody", "parameters": {}}}, "replayed for Nobody"),
        (
            {"learner": {"name": "Perceptron", "parameters": {}}},
            "learner: parameters must be update, normalize, bias, got none",
        ),
        (
            {
                "learner": {
                    "name": "Perceptron",
                    "parameters": {"update": 1, "normalize": False, "bias": 0.0},
                }
            },
            "learner: update must be one that the learner takes, got 1",
        ),
    ],
)
def test_the_first_thing_that_is_wrong_is_named(
    change: dict[str, Any], wrong: str
) -> None:
    verdict = verify(replace(separable(), **change))
    assert not verdict
    assert wrong in str(verdict.wrong)
    assert str(verdict).startswith(f"Rejected: {verdict.wrong}. Right before that: ")


def test_a_certificate_that_does_not_hold_is_rejected_for_that() -> None:
    certificate = replace(separable(), updates=11, counted_exact="11")
    assert "does not hold: PERC-SEP allows at most 10" in str(verify(certificate).wrong)


def test_numbers_for_which_the_theorem_says_nothing_are_rejected() -> None:
    numbers = separable().numbers_exact
    wrong = verify(replace(separable(), numbers_exact={**numbers, "margin": "0"})).wrong
    assert "margin must exceed 0" in str(wrong)
    huge = {**numbers, "radius": as_text(Fraction(10) ** 3999)}
    assert "bound must be inf" in str(
        verify(replace(separable(), numbers_exact=huge)).wrong
    )


def test_a_promotion_next_to_one_does_not_keep_the_judge_busy() -> None:
    parameters = {"threshold": 1e300, "promotion": 1 + 2.0**-52, "eliminate": True}
    certificate = Certificate(
        **{
            **ANY,
            "learner": {"name": "Winnow", "parameters": parameters},
            "theorem": "WIN1",
            "counts": "mistakes",
            "witness": vector({"a": 1}),
            "numbers_exact": {
                "features": "1",
                "relevant": "1",
                "threshold": as_text(1e300),
                "promotion": as_text(1 + 2.0**-52),
            },
        }
    )
    assert "further above 1" in str(verify(certificate).wrong)


# Whatever is handed in, a verdict or a CertificateError comes out.

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from(
        ["", "mistake", "linear", "II", "vector", "none", "expansion", "PERC-TD", "PA1"]
    ),
    st.fractions().map(as_text),
    st.floats(allow_nan=False).map(lambda x: {"double": x.hex()}),
    st.floats(allow_nan=False, allow_infinity=False).map(as_text),
    st.just([]),
    st.just({}),
    st.just({"map": [["a", 1]]}),
)


@tried(10)
@given(data=st.data())
def test_nothing_else_comes_out_whatever_goes_in(data: st.DataObject) -> None:
    maker = data.draw(st.sampled_from([*MAKERS, winnow]))
    plain = json.loads(maker().to_json())
    for _ in range(data.draw(st.integers(1, 3))):
        places = [path for path in leaves(plain) if path and path[0] != "seal"]
        plain = put(plain, data.draw(st.sampled_from(places)), data.draw(VALUES))
    try:
        certificate = Certificate.from_json(sealed(plain))
    except CertificateError:
        return
    for stream in (None, STREAM):
        verdict = verify(certificate, stream)
        assert isinstance(verdict, Verdict)
        assert verdict.accepted == (verdict.wrong is None)
        assert str(verdict)


# The room.


def test_the_judge_stands_alone() -> None:
    script = "import sys; from littlestone.verifying import *; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    ours = {name.split(".")[1] for name in loaded if name.startswith("littlestone.")}
    # Only the standard library is behind display and outputs.
    alone = {"verifying", "theorems", "concepts", "errors", "outcome"}
    assert ours == alone | {"display", "outputs", "weighted"}
    assert "numpy" not in loaded


def test_the_judge_is_short() -> None:
    judge = Path(theorems.__file__).parents[1] / "verifying" / "_judge.py"
    assert len(judge.read_text().splitlines()) < 320


def test_every_learner_has_a_twin_and_every_theorem_of_a_linear_one_its_proof() -> None:
    # These bound what is expected over draws, of which a run is one.
    unproved = {("VotedPerceptron", "VOTE-FS"), ("KernelPerceptron", "KPERC-BUDGET")}
    for name in linear.__all__:
        assert TWINS[name].__name__ == name
    for learner in (
        *(linear.Perceptron(), linear.AveragedPerceptron(), linear.VotedPerceptron()),
        *(linear.KernelPerceptron(), linear.KernelPerceptron(budget=3)),
        *(linear.PassiveAggressive(mode=mode) for mode in (None, "I", "II")),
        *(linear.SecondOrderPerceptron(), linear.AROW(), linear.AROW(diagonal=False)),
        *(linear.Winnow(threshold=2), linear.Winnow(threshold=2, eliminate=True)),
        *(linear.BalancedWinnow(1.0), linear.MulticlassPerceptron()),
        *(linear.MulticlassPassiveAggressive(mode=mode) for mode in (None, "I", "II")),
    ):
        for theorem in learner.guarantees:
            key = type(learner).__name__, theorem.id
            assert (key in PROOFS) != (key in unproved), key


def test_a_real_stream_is_judged() -> None:
    file = streams.svmlight(data_file("a9a/a9a.train.svm.gz"))
    stream = list(itertools.islice(file, 500))
    numbers = {"radius": 4, "margin": Fraction(1, 10), "deviation_norm": 9}
    names = dict.fromkeys(range(1, 14), Fraction(1, 4))
    learner = linear.Perceptron()
    certificate = made(learner, stream, "PERC-FS", vector(names), numbers)
    verdict = verify(certificate, stream)
    assert verdict, verdict
