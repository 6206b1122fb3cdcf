"""Certificates: what they hold, how they are written, and what is no certificate."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates import made, sealed, vector
from littlestone import Certificate, certify, linear
from littlestone.concepts import Conjunction, Disjunction, FiniteClass
from littlestone.errors import CertificateError, LittlestoneError
from littlestone.outcome import Outcome
from littlestone.verifying import as_number, as_text
from littlestone.verifying._numbers import as_ratios
from littlestone.verifying.twins._losses import Pinball

STREAM = [({"a": 1.0, 7: 0.5}, True), ({"b": 1.0}, False), ({"a": 1.0}, True)]
NUMBERS = {"radius": 1, "margin": 1, "norm": 1}


def one() -> Certificate:
    learner = linear.Perceptron()
    return made(learner, STREAM, "PERC-SEP", vector({"b": -1}), NUMBERS)


def plain() -> dict[str, Any]:
    text: dict[str, Any] = json.loads(one().to_json())
    return text


# Numbers.


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_are_written_exactly(number: float) -> None:
    assert as_number(as_text(number)) == Fraction(number)
    assert float.fromhex(as_text(number)).hex() == number.hex()


@given(st.fractions() | st.integers())
def test_fractions_are_written_exactly(number: Fraction) -> None:
    assert as_number(as_text(number)) == number


@pytest.mark.parametrize(
    "text",
    [
        "", " 1", "1 ", "+1", "01", "-0", "2/4", "1/0", "1/-2", "1.5", "1e5", "0x1p+1",
        "0x1.8p+1", "0X1.8000000000000p+1", "inf", "nan", "0x1.0000000000000p+2000",
        "0x1.8000000000000p-1023", "0x1.8000000000000p+01", "0x1.8000000000000p+1 ",
        "²", "\u0661", "1_000", "9" * 4001, "1/" + "9" * 4001, "0b1", None, 1, 1.5,
        True, ["1"], {"1": 1},
    ],
)  # fmt: skip
def test_a_number_is_written_in_one_way_only(text: Any) -> None:
    with pytest.raises(CertificateError, match="a number must be written as"):
        as_number(text)
    for among in ([text], [as_text(0.1), text], ["3/4", text]):
        with pytest.raises(CertificateError, match="a number must be written as"):
            as_ratios(among)


@given(st.lists(st.fractions() | st.floats(allow_nan=False, allow_infinity=False)))
def test_many_numbers_are_read_as_each_is(numbers: list[Any]) -> None:
    texts = [as_text(number) for number in numbers]
    assert as_ratios(texts) == [as_number(t).as_integer_ratio() for t in texts]


def test_numbers_that_cannot_be_written() -> None:
    with pytest.raises(CertificateError, match="finite"):
        as_text(float("inf"))
    with pytest.raises(CertificateError, match="at most 4000 digits"):
        as_text(Fraction(1, 10**4000))


# The file.


def test_a_certificate_comes_back_as_it_was(tmp_path: Path) -> None:
    certificate = replace(
        one(),
        others_exact={
            "PERC-TD": {"bound": as_text(2.5), "reason": None},
            "PERC-GAP": {"bound": None, "reason": "there is no constant feature"},
        },
    )
    assert Certificate.from_json(certificate.to_json()) == certificate
    path = tmp_path / "certificate.json"
    certificate.save(path)
    assert Certificate.load(path) == certificate
    assert Certificate.load(str(path)).to_json() == path.read_text(encoding="ascii")


@pytest.mark.parametrize(
    ("name", "parameters", "outcome"),
    [
        ("Perceptron", {}, Outcome.LABEL),
        ("MulticlassPerceptron", {}, Outcome.CLASS),
        ("FixedShare", {"loss": "square"}, Outcome.NUMBER),
        ("FixedShare", {"loss": "zero-one"}, Outcome.LABEL),
        ("FixedShare", {"loss": Pinball(0.25)}, Outcome.NUMBER),
        ("AggregatingAlgorithm", {"loss": "log"}, Outcome.DISTRIBUTION),
        ("Guesser", {}, Outcome.LABEL),
    ],
)
def test_a_certificate_says_what_its_learner_predicts(
    name: str, parameters: Any, outcome: Outcome
) -> None:
    learner = {"name": name, "parameters": parameters}
    certificate = replace(one(), learner=learner)
    assert certificate.outcome is outcome
    # The file does not hold it, so that files of any age say it alike.
    assert "outcome" not in json.loads(certificate.to_json())


@pytest.mark.parametrize(
    "value",
    [
        None, True, 0, -3, 0.1, float("inf"), "a", "0x1.8p+0", Fraction(1, 3), (1, "a"),
        ((1, 2), (0.5,)), {"ann": 0.25, 3: 1}, {}, (), Disjunction("a", 3),
        (Conjunction("a"), Disjunction("b")),
    ],
    ids=repr,
)  # fmt: skip
def test_parameters_come_back_with_their_kinds(value: Any) -> None:
    certificate = replace(one(), learner={"name": "X", "parameters": {"p": value}})
    read = Certificate.from_json(certificate.to_json()).learner["parameters"]["p"]
    assert read == value
    assert type(read) is type(value)


def test_parameters_of_numpy_are_plain() -> None:
    given = {"r": np.float64(0.5), "n": np.int64(3), "experts": np.array(["a", "b"])}
    certificate = replace(one(), learner={"name": "X", "parameters": given})
    read = certificate.learner["parameters"]
    assert read == {"r": 0.5, "n": 3, "experts": ("a", "b")}
    assert [type(each) for each in read.values()] == [float, int, tuple]
    several = FiniteClass.monotone_disjunctions(2)
    certificate = replace(one(), learner={"name": "X", "parameters": {"c": several}})
    assert certificate.learner["parameters"]["c"] == tuple(several)


@pytest.mark.parametrize("value", [print, object(), float("nan"), b"a", {1.5: 1}, 1j])
def test_parameters_that_are_no_plain_data_are_refused(value: Any) -> None:
    with pytest.raises(CertificateError, match="p"):
        replace(one(), learner={"name": "X", "parameters": {"p": value}})


def test_witnesses_of_every_kind_come_back() -> None:
    for witness in (
        {"kind": "vector", "entries": (("a", "1/2"), (3, "-1")), "bias": "1"},
        {
            "kind": "classes",
            "vectors": ((1, {"entries": (("a", "1"),), "bias": None}),),
        },
        {"kind": "expansion", "terms": ((0, "1"), (5, "-1/2"))},
        {"kind": "expert", "expert": "ann"},
        {"kind": "sequence", "switches": ((0, "ann"), (4, 2))},
        {"kind": "concept", "class": "Disjunction", "text": "a or b"},
        {"kind": "none"},
    ):
        certificate = replace(one(), witness=witness)
        assert certificate.witness == witness
        assert Certificate.from_json(certificate.to_json()) == certificate
        assert "The witness is" in str(certificate)


def test_the_paragraph_says_what_a_person_wants_to_know() -> None:
    text = str(one())
    for part in (
        "Perceptron(update='mistake', normalize=False, bias=0.0) played 3 rounds",
        "with 1 mistake and 1 update.",
        "PERC-SEP",
        "promises at most 1 updates, and there were 1: it holds, with 0 to spare.",
        "a vector of 1 entries, with radius = 1, margin = 1, norm = 1.",
        "The stream is sha256-tree:",
    ):
        assert part in text, text
    others = {
        "PERC-TD": {"bound": "5/2", "reason": None},
        "PERC-GAP": {"bound": None, "reason": "no bias"},
    }
    text = str(replace(one(), others_exact=others))
    assert "PERC-TD says 2.5; PERC-GAP says nothing (no bias)." in text


def test_what_does_not_hold_says_so_loudly() -> None:
    certificate = replace(one(), counted_exact="2")
    assert not certificate.holds
    assert certificate.slack == -1
    assert "IT DOES NOT HOLD" in str(certificate)
    lower = replace(one(), theorem="HALV-LB", counts="mistakes", counted_exact="2")
    assert lower.holds
    assert lower.slack == 1
    assert "at least" in str(lower)


# What people compare and print.


@pytest.mark.parametrize("theorem", ["PERC-TD", "PERC-FS"])
def test_a_margin_of_0_is_printed_as_well(theorem: str) -> None:
    numbers = {"radius": "1", "margin": "0", "deviation": "1", "deviation_norm": "1"}
    forged = plain() | {"theorem": theorem, "numbers": numbers, "updates": 2}
    certificate = Certificate.from_json(sealed(forged))
    assert theorem in str(certificate)
    assert certificate.loss_share is None
    assert not certificate.tautological


def test_numbers_are_ints_and_floats_rounded_against_us() -> None:
    others = {
        "PERC-TD": {"bound": "5/2", "reason": None},
        "PERC-GAP": {"bound": None, "reason": "no bias"},
    }
    certificate = replace(
        one(),
        counted_exact="1/3",
        bound_exact="2/3",
        loss_exact=as_text(0.1),
        expected_mistakes_exact="1/3",
        numbers_exact={"radius": "2", "margin": as_text(0.5), "norm": "1/3"},
        others_exact=others,
    )
    third, two_thirds = Fraction(1, 3), Fraction(2, 3)
    assert type(certificate.bound) is float
    assert two_thirds <= Fraction(certificate.bound) < two_thirds + Fraction(1, 2**52)
    assert third <= Fraction(certificate.counted) < third + Fraction(1, 2**53)
    assert 0 <= third - Fraction(certificate.slack) < Fraction(1, 2**53)
    assert (certificate.loss, certificate.expected_mistakes) == (
        0.1,
        certificate.counted,
    )
    assert repr(certificate.numbers["radius"]) == "2"
    assert repr(certificate.numbers["margin"]) == "0.5"
    assert certificate.numbers_exact["norm"] == "1/3"
    assert certificate.others == {
        "PERC-TD": {"bound": 2.5, "reason": None, "vacuous": False},
        "PERC-GAP": {"bound": None, "reason": "no bias", "vacuous": False},
    }
    assert f"{certificate.counted:.2f} of {certificate.bound:.2f}" == "0.33 of 0.67"


def test_a_lower_bound_is_rounded_down() -> None:
    lower = replace(one(), theorem="HALV-LB", counted_exact="2/3", bound_exact="1/3")
    assert lower.holds
    assert Fraction(lower.bound) < Fraction(1, 3)
    assert Fraction(lower.counted) < Fraction(2, 3)
    assert Fraction(lower.slack) < Fraction(1, 3)


@given(st.fractions(), st.fractions(), st.sampled_from(["PERC-SEP", "HALV-LB"]))
def test_what_holds_holds_also_as_it_is_printed(
    counted: Fraction, bound: Fraction, theorem: str
) -> None:
    certificate = replace(
        one(),
        theorem=theorem,
        counted_exact=as_text(counted),
        bound_exact=as_text(bound),
    )
    low, high = sorted((counted, bound))
    assert certificate.holds == (counted == (high if theorem == "HALV-LB" else low))
    if certificate.holds:
        assert certificate.slack >= 0
        assert (certificate.counted >= certificate.bound) or theorem == "PERC-SEP"
        assert (certificate.counted <= certificate.bound) or theorem == "HALV-LB"
    else:
        assert certificate.slack < 0


def test_a_number_too_large_for_a_float_is_infinite() -> None:
    huge = replace(one(), bound_exact="1" + "0" * 400, counted_exact="1" + "0" * 399)
    assert huge.bound == float("inf")
    assert huge.counted == 10**399
    assert huge.holds


# What is no certificate.


def refused(text: Any, match: str) -> None:
    with pytest.raises(CertificateError, match=match):
        Certificate.from_json(text)


def test_what_is_no_json_object_is_refused() -> None:
    refused("", "must be JSON")
    refused("[]", "must be a JSON object")
    refused("null", "must be a JSON object")
    refused('{"a": NaN}', "whole, or written in quotes, got 'NaN'")
    refused('{"a": -Infinity}', "whole, or written in quotes")
    refused('{"a": 1.5}', "whole, or written in quotes")
    refused('{"a": 1e400}', "whole, or written in quotes")
    refused('{"a": 1, "a": 2}', "must not be repeated, got 'a' twice")
    refused('{"a": ' + "9" * 5000 + "}", "must be JSON")
    refused("[" * 10**5, "nested deeply|must be JSON")
    refused('{"a":' * 10**5, "nested deeply|must be JSON")
    refused(None, "must be JSON")


def test_a_format_that_is_not_known_is_refused_first() -> None:
    for other in (3, 0, True, "1", None):
        text = plain() | {"format": other, "news": 1}
        refused(sealed(text), "format must be 1 or 2")


def test_fields_that_are_missing_or_unknown_are_named() -> None:
    for name in plain():
        text = plain()
        del text[name]
        refused(json.dumps(text), f"a certificate must have '{name}'")
    refused(json.dumps(plain() | {"news": 1}), "must not have 'news'")


def test_any_change_breaks_the_seal() -> None:
    for name, value in plain().items():
        for other in changed(value):
            refused(json.dumps(plain() | {name: other}), "format|seal|scope")


def changed(value: Any) -> list[Any]:
    """Return values that differ a little, one part at a time."""
    if isinstance(value, dict):
        return [{**value, k: other} for k, v in value.items() for other in changed(v)]
    if isinstance(value, list):
        parts = [
            [*value[:i], other, *value[i + 1 :]]
            for i, v in enumerate(value)
            for other in changed(v)
        ]
        return [*parts, [*value, *value]] if value else [[0]]
    if isinstance(value, str):
        return [value + "1", value[:-1], None]
    if isinstance(value, bool) or value is None:
        return [not value, "1"]
    return [value + 1, -1 - value, str(value), [value]]


WRONG: dict[str, list[Any]] = {
    "learner": [
        None, [], {}, {"name": 1, "parameters": {}}, {"name": "X", "parameters": []},
        {"name": "X"}, {"name": "X", "parameters": {}, "more": 1},
        {"name": "X", "parameters": {"p": {"double": "1.5"}}},
        {"name": "X", "parameters": {"p": {"double": "nan"}}},
        {"name": "X", "parameters": {"p": {"double": 1}}},
        {"name": "X", "parameters": {"p": {"fraction": "2/4"}}},
        {"name": "X", "parameters": {"p": {"concept": ["Concept", "a"]}}},
        {"name": "X", "parameters": {"p": {"concept": ["Disjunction", ")"]}}},
        {"name": "X", "parameters": {"p": {"concept": ["Disjunction"]}}},
        {"name": "X", "parameters": {"p": {"concept": [[], "a"]}}},
        {"name": "X", "parameters": {"p": {"map": [["a", 1], ["a", 2]]}}},
        {"name": "X", "parameters": {"p": {"map": [[1]]}}},
        {"name": "X", "parameters": {"p": {"map": 3}}},
        {"name": "X", "parameters": {"p": {"other": 1}}},
        {"name": "X", "parameters": {"p": {}}},
        {"name": "X", "parameters": {"p": {"double": "0x1.8p+1", "map": []}}},
    ],
    "passes": [0, -1, True, "1", None, 2**63],
    "rounds": [-1, True, "1", None, 2**63],
    "mistakes": [-1, False, "1", None],
    "updates": [-1, True, "1"],
    "digest": ["", "sha256:", "md5:" + "0" * 64, "sha256:" + "G" * 64, None, 5],
    "theorem": [None, 5, ["PERC-SEP"]],
    "counts": [None, 5],
    "counted": [None, 1, "1.0", "x"],
    "bound": [None, 1, "1.0", "inf"],
    "loss": [1, "1.0", True],
    "expected_mistakes": [1, "1.0", True],
    "numbers": [None, [], {"radius": 1}, {"radius": None}, {"radius": "1.5"}],
    "others": [
        None, [], {"PERC-TD": "1"}, {"PERC-TD": {}},
        {"PERC-TD": {"bound": None, "reason": None}},
        {"PERC-TD": {"bound": "1", "reason": "x"}},
        {"PERC-TD": {"bound": 1, "reason": None}},
        {"PERC-TD": {"bound": None, "reason": "x", "more": 1}},
    ],
    "shards": [
        None, [], 5, {}, {"rounds": [1], "digests": [], "epochs": []},
        {"rounds": [1], "digests": ["sha256:" + "0" * 64], "epochs": []},
        {"rounds": [], "digests": [], "epochs": [{}]},
        {"rounds": [-1], "digests": ["sha256:" + "0" * 64], "epochs": [{}]},
        {"rounds": [True], "digests": ["sha256:" + "0" * 64], "epochs": [{}]},
        {
            "rounds": [1], "digests": ["sha256:" + "0" * 64],
            "epochs": [{"mistakes": [1], "updates": [1, 2], "weights": [1]}],
        },
    ],
    "witness": [
        None, [], {}, {"kind": "magic"}, {"kind": ["vector"]}, {"kind": "vector"},
        {"kind": "none", "more": 1},
        {"kind": "vector", "entries": {}, "bias": None},
        {"kind": "vector", "entries": [["a"]], "bias": None},
        {"kind": "vector", "entries": [["a", 1]], "bias": None},
        {"kind": "vector", "entries": [["a", "1"], ["a", "1"]], "bias": None},
        {"kind": "vector", "entries": [[True, "1"]], "bias": None},
        {"kind": "vector", "entries": [[None, "1"]], "bias": None},
        {"kind": "vector", "entries": [[2**64, "1"]], "bias": None},
        {"kind": "vector", "entries": [], "bias": 1},
        {"kind": "classes", "vectors": {}},
        {"kind": "classes", "vectors": [["a", {"entries": []}]]},
        {"kind": "classes", "vectors": [["a", []]]},
        {"kind": "expansion", "terms": [["a", "1"]]},
        {"kind": "expansion", "terms": [[-1, "1"]]},
        {"kind": "expert", "expert": None},
        {"kind": "expert", "expert": [1]},
        {"kind": "sequence", "switches": [[0, None]]},
        {"kind": "sequence", "switches": [["a", "b"]]},
        {"kind": "concept", "class": 1, "text": "a"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_fields_of_the_wrong_kind_are_named(name: str) -> None:
    for value in WRONG[name]:
        with pytest.raises(CertificateError, match=name):
            Certificate.from_json(sealed(plain() | {name: value}))


def test_every_field_has_its_wrong_kinds() -> None:
    names = {field.name.removesuffix("_exact") for field in fields(Certificate)}
    assert WRONG.keys() | {"format", "scope"} == names


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.json", tmp_path):
        with pytest.raises(CertificateError, match=str(path)):
            Certificate.load(path)
    path = tmp_path / "bytes.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CertificateError, match="bytes.json"):
        Certificate.load(path)
    path.write_text("{}")
    with pytest.raises(CertificateError, match="bytes.json: a certificate must have"):
        Certificate.load(path)
    assert issubclass(CertificateError, LittlestoneError)
    assert issubclass(CertificateError, ValueError)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "entries", "bias", "name", "double", "map", "a"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(name=st.sampled_from(sorted(WRONG)), value=JSON)
def test_whatever_stands_there_it_is_read_or_refused(name: str, value: Any) -> None:
    text = plain() | {name: value}
    try:
        certificate = Certificate.from_json(sealed(text))
    except CertificateError:
        return
    assert Certificate.from_json(certificate.to_json()) == certificate
    assert str(certificate)


@given(st.text() | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_whatever_the_text_is_it_is_refused(text: str) -> None:
    with pytest.raises(CertificateError):
        Certificate.from_json(text)


@given(st.integers(0), st.integers(0, 127))
def test_one_byte_more_or_less_is_refused_or_nothing(at: int, byte: int) -> None:
    text = one().to_json()
    i = at % len(text)
    for other in (text[:i] + chr(byte) + text[i + 1 :], text[:i] + text[i + 1 :]):
        try:
            read = Certificate.from_json(other)
        except CertificateError:
            continue
        assert read == one()  # a space that was another


@pytest.mark.parametrize("loss", [{"map": []}, [], 7, {"pinball": (0.5).hex()}])
def test_a_certificate_with_any_loss_as_parameter_is_shown(loss: Any) -> None:
    stream = [({"a": 1.0}, True), ({"b": 1.0}, False)]
    changed = json.loads(certify(linear.AdaGrad(), stream).to_json())
    changed["learner"]["parameters"]["loss"] = loss
    forged = Certificate.from_json(sealed(changed))
    assert "ADAGRAD" in str(forged)
    assert type(forged.vacuous) is bool
