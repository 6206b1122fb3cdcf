"""No certificate keeps the judge busy: too much work is refused, at once."""

from __future__ import annotations

import json
import random
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certificates import made, sealed, vector
from command import call
from forgeable import forgeable
from littlestone import (
    Auto,
    Certificate,
    boolean,
    certify,
    experts,
    linear,
    run,
    theorems,
    verify,
)
from littlestone.errors import CertificateError, PremiseError, WorkError
from littlestone.maps import Fourier, Mapped, Quadratic, Standardized
from littlestone.theorems._rounding import ceil_log
from littlestone.verifying import MOST_WORK, _work, as_number, as_text
from tries import some
from verifying.fuzz_certificates import judge
from verifying.truth import truth_of

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*/certificates/*.json"))
CERTIFICATES = [path for path in GOLDEN if ".stream" not in path.name]
STREAM: list[tuple[Any, Any]] = [({"a": 1.0}, True), ({"b": 1.0}, False)]
SECONDS = 10  # also on a busy machine; what is refused takes milliseconds


def separable(passes: int = 1, stream: Any = STREAM) -> Certificate:
    numbers = {"radius": 1, "margin": 1, "norm": Fraction(3, 2)}
    u = vector({"a": 1, "b": -1})
    return made(linear.Perceptron(), stream, "PERC-SEP", u, numbers, passes=passes)


def forged(certificate: Certificate, **changes: Any) -> Certificate:
    """Return the certificate, changed, with the bound that its numbers have."""
    plain = {**json.loads(certificate.to_json()), **changes}
    exact = {name: as_number(text) for name, text in plain["numbers"].items()}
    plain["bound"] = as_text(theorems.get(plain["theorem"]).bound(**exact))
    return Certificate.from_json(sealed(plain))


# What is honest --------------------------------------------------------------


@pytest.mark.parametrize("path", CERTIFICATES, ids=lambda path: path.stem)
def test_an_honest_certificate_takes_a_hundredth_of_what_is_allowed(path: Path) -> None:
    beside = path.with_name(f"{path.stem}.stream.json").read_text()
    stream = [tuple(each) for each in json.loads(beside)]
    assert verify(path, stream, most_work=0)
    assert verified_at_once(path, stream, most_work=MOST_WORK // 100)


def verified_at_once(given: Any, stream: Any, most_work: int = 0) -> bool:
    """Verify with a hundredth of what is allowed."""
    with pytest.MonkeyPatch.context() as here:
        here.setattr(_work, "_FOLD", 1)
        return bool(verify(given, stream, most_work=most_work))


@pytest.mark.parametrize("passes", [2, 3, 20, 100])
def test_several_passes_take_a_hundredth_of_what_is_allowed(passes: int) -> None:
    stream = STREAM * 5
    assert verified_at_once(separable(passes, stream), stream)


def test_a_pass_beyond_the_hundredth_counts_a_hundredfold() -> None:
    stream = STREAM * 10
    assert verify(separable(199, stream), stream, most_work=0)
    with pytest.raises(WorkError):
        verify(separable(250, stream), stream, most_work=0)


@pytest.mark.parametrize("degree", [2, 5])
@pytest.mark.parametrize("passes", [1, 3])
def test_kernels_take_a_hundredth_of_what_is_allowed(degree: int, passes: int) -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    stream = []
    for _ in range(40):
        x = {f"x{j}": chance.gauss(0, 1) for j in range(2)}
        stream.append((x, x["x0"] * x["x1"] > 0))
    certificate = kernel(stream, passes=passes, degree=degree)
    assert verified_at_once(certificate, stream)


def test_many_passes_over_few_examples_are_within_the_default() -> None:
    certificate = separable(passes=2000)
    assert verify(certificate, STREAM)
    with pytest.raises(WorkError, match="at most 10 steps"):
        verify(certificate, STREAM, most_work=10)


# What is hostile -------------------------------------------------------------


def refused(
    certificate: Certificate, stream: Any = None, most_work: int = MOST_WORK
) -> None:
    begun = time.perf_counter()
    with pytest.raises(WorkError, match=f"must take at most {most_work:,} steps"):
        verify(certificate, stream, most_work=most_work)
    assert time.perf_counter() - begun < SECONDS


def test_fractions_of_thousands_of_digits_are_refused() -> None:
    entries = {f"x{i}": Fraction(1, 10**3900 + 2 * i + 1) for i in range(178)}
    refused(forged(separable(), witness=vector(entries)))


def test_a_milliard_passes_are_refused_after_the_first() -> None:
    refused(forged(separable(), passes=10**9, rounds=2 * 10**9), STREAM)


@pytest.mark.parametrize("count", [10**6, 2**24])
def test_experts_that_do_not_advise_are_refused(count: int) -> None:
    learner = experts.WeightedMajority(0.5, experts=2)
    stream = [({0: True}, True), ({1: True}, False)]
    numbers = {"best": 1, "experts": 2, "beta": Fraction(1, 2)}
    witness = {"kind": "expert", "expert": 0}
    honest = made(learner, stream, "WM", witness, numbers)
    plain = json.loads(honest.to_json())
    plain["learner"]["parameters"]["experts"] = count
    plain["numbers"]["experts"] = str(count)
    refused(forged(honest, learner=plain["learner"], numbers=plain["numbers"]), stream)


def kernel(stream: Any, passes: int = 1, **parameters: Any) -> Certificate:
    learner = linear.KernelPerceptron("polynomial", update="margin", **parameters)
    record = run(learner, stream, keep="updates", passes=passes)
    return certify(record)


def test_what_a_kernel_compares_is_work() -> None:
    honest = kernel([({"a": 1.0}, True), ({"b": 1.0}, False)])
    # The same point with both labels: everything is kept, and compared with the rest.
    stream: list[tuple[Any, Any]] = [({"a": 1.0}, k % 2 == 0) for k in range(9_000)]
    refused(forged(honest, rounds=9_000), stream)
    steep = kernel(STREAM, degree=64)
    assert verify(steep, STREAM, most_work=0)
    refused(forged(steep, rounds=9_000), stream)


def test_what_an_honest_kernel_compares_is_allowed() -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    stream = []
    for _ in range(150):
        x = {f"x{j}": chance.gauss(0, 1) for j in range(3)}
        stream.append((x, sum(map(abs, x.values())) > 2))
    certificate = kernel(stream, degree=2)
    assert len(certificate.witness["terms"]) > 20
    assert verify(certificate, stream, most_work=0)

    noise = [({"a": chance.gauss(0, 1)}, chance.random() < 0.5) for _ in range(1000)]
    record = run(linear.VotedPerceptron(), noise, keep="updates")
    assert record.mistakes > 400
    assert verify(certify(record), noise, most_work=0)


# A map, and what a forger may put in its place.
MAPS: dict[str, tuple[Any, list[tuple[str, dict[str, Any]]]]] = {
    "a wide map": (Fourier(dim=4), [("Fourier", {"dim": 2**16})]),
    "a wide one inside": (
        Fourier(dim=4),
        [("Fourier", {"dim": 2**14}), ("Fourier", {"dim": 1})],
    ),
    "many maps": (Fourier(dim=4), [("Fourier", {"dim": 2**12})] * 500),
    "pairs of pairs": (Quadratic(bits=20), [("Quadratic", {})] * 6),
}


@pytest.mark.parametrize("name", MAPS)
def test_what_a_map_makes_is_work(name: str) -> None:
    usual, steps = MAPS[name]
    stream: Any = [({"a": 1.0, "b": 1 + k / 9}, k % 3 > 0) for k in range(9)]
    record = run(Mapped(linear.Perceptron(), usual), stream, keep="updates")
    honest = certify(record, stream=stream)
    assert verified_at_once(honest, stream)
    learner = json.loads(honest.to_json())["learner"]
    [[_, stated]] = learner["parameters"]["map"]
    learner["parameters"]["map"] = [
        [kind, {"map": [*(dict(stated["map"]) | given).items()]}]
        for kind, given in steps
    ]
    # Many maps are refused while they are made, whatever is to be played.
    played = [] if name == "many maps" else stream
    refused(forged(honest, learner=learner), played, most_work=10_000)


def test_maps_of_usual_size_are_allowed_however_long_the_stream() -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    names = [f"x{j}" for j in range(8)]
    stream = [({name: chance.gauss(0, 1) for name in names}, True) for _ in range(3)]
    twice = Quadratic() | Quadratic(bits=16)
    for usual in (Fourier(dim=1024), twice, Standardized(center=True)):
        record = run(Mapped(linear.Perceptron(), usual), stream, keep="updates")
        assert verified_at_once(certify(record, stream=stream), stream)


def test_members_of_a_committee_are_work() -> None:
    stream: Any = [({"a": 1.0, "b": k / 4}, k % 3 > 0) for k in range(8)]
    honest = certify(run(Auto(), stream, keep="updates"))
    assert verify(honest, stream, most_work=0)
    learner = json.loads(honest.to_json())["learner"]
    fourier = {"map": [["width", None], ["dim", 2**12], ["seed", 0]]}
    usual = [["update", "mistake"], ["normalize", False], ["bias", 0]]
    behind = {"map": [*usual, ["map", [["Fourier", fourier]]]]}
    members = learner["parameters"]["members"]["map"]
    members += [[f"m{k}", ["Perceptron", behind]] for k in range(100)]
    numbers = json.loads(honest.to_json())["numbers"]
    numbers["experts"] = str(int(numbers["experts"]) + 100)
    certificate = forged(honest, learner=learner, numbers=numbers)
    refused(certificate, stream, most_work=10_000)


NARROW = [({"a": 1.0, "b": (k % 5 - 2) / 4}, k % 5 < 2) for k in range(10)]
FULL: dict[str, tuple[Any, list[Any]]] = {
    "AROW": (linear.AROW(1.0, diagonal=False), [False, True]),
    "SOP": (linear.SecondOrderPerceptron(1.0, diagonal=False), [False, True]),
    "AIOLI": (linear.AIOLI(), [False, True]),
    "VAW": (linear.VovkAzouryWarmuth(), [0.0, 1.0]),
    "classes": (linear.MulticlassAROW(diagonal=False), ["no", "yes"]),
}
each_full = pytest.mark.parametrize("name", some(FULL))


def dense(width: int, says: Any) -> Any:
    names = [f"x{j}" for j in range(width)]
    return [
        ({n: (k + j) % 7 / 7 for j, n in enumerate(names)}, says[k % 2])
        for k in range(6)
    ]


@each_full
def test_full_matrices_of_usual_size_are_allowed(name: str) -> None:
    learner, says = FULL[name]
    stream = dense(40, says)
    assert verified_at_once(certify(learner, stream), stream)


@each_full
def test_a_full_matrix_of_a_wide_stream_is_work(name: str) -> None:
    learner, says = FULL[name]
    honest = certify(learner, [(x, says[y]) for x, y in NARROW])
    # What one example has met costs in the next one too, which is small.
    wide = ({f"x{j}": 1.0 for j in range(600)}, says[0])
    stream = [wide, *(({f"y{k}": 1.0}, says[0]) for k in range(98))]
    refused(forged(honest, rounds=99), stream, most_work=1000)


@pytest.mark.parametrize("kind", some(["Perceptron", "AROW", "AdaGrad"]))
def test_classes_that_do_not_occur_are_work(kind: str) -> None:
    learner = getattr(linear, f"Multiclass{kind}")()
    stream = [(x, "uv"[y]) for x, y in NARROW]
    honest = json.loads(certify(learner, stream).to_json())
    honest["learner"]["parameters"]["classes"] = [f"c{k}" for k in range(9_000)]
    text = Certificate.from_json(sealed(honest))
    refused(forged(text), stream, most_work=1000)


def test_terms_that_a_small_example_has_are_work() -> None:
    learner = boolean.WinnowDNF(k=2, features=8)
    stream: Any = [({k % 3: 1.0}, k % 3 == 0) for k in range(9)]
    honest = certify(learner, stream)
    assert verified_at_once(honest, stream)
    plain = json.loads(honest.to_json())
    plain["learner"]["parameters"]["features"] = 600
    plain["numbers"]["features"] = "600"
    certificate = forged(honest, learner=plain["learner"], numbers=plain["numbers"])
    refused(certificate, stream, most_work=1000)


def test_rules_and_experts_that_are_many_are_allowed() -> None:
    names = [f"w{j}" for j in range(400)]
    texts = [dict.fromkeys(names[k::40], 1.0) for k in range(80)]
    stream = [(x, "w1" in x or "w7" in x) for x in texts]
    assert verified_at_once(certify(boolean.DecisionListLearner(), stream), stream)
    awake: Any = [(dict.fromkeys(names[k::100], k % 2), k % 3 / 2) for k in range(50)]
    learner = experts.ExponentialWeights(0.1, loss="absolute", experts=names)
    assert verified_at_once(certify(learner, awake), awake)


@pytest.mark.parametrize("count", [10**9, 10**30])
def test_features_beyond_counting_take_no_time(count: int) -> None:
    learner = boolean.KCNFLearner(k=1, features=2)
    stream = [({0: 1.0, 1: 1.0}, True), ({1: 1.0}, False)]
    witness = {"kind": "concept", "class": "KCNF", "text": "x0"}
    honest = made(learner, stream, "kCNF", witness, {"features": 2, "k": 1})
    assert verify(honest, stream)
    plain = json.loads(honest.to_json())
    plain["learner"]["parameters"]["features"] = count
    plain["numbers"]["features"] = str(count)
    begun = time.perf_counter()
    certificate = forged(honest, learner=plain["learner"], numbers=plain["numbers"])
    assert not verify(certificate, [({"name": 1.0}, True), *stream[1:]])
    assert time.perf_counter() - begun < SECONDS


def test_a_base_near_one_takes_no_time() -> None:
    near = 1 + Fraction(1, 10**9)
    assert ceil_log(near, Fraction(16)) == 2772588724
    assert ceil_log(Fraction(3, 2), Fraction(3, 2) ** 7) == 7
    assert ceil_log(Fraction(3, 2), Fraction(3, 2) ** 7 + Fraction(1, 10**99)) == 8
    with pytest.raises(PremiseError, match="a base must exceed 1"):
        ceil_log(1 + Fraction(1, 10**3900), Fraction(16))


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(CertificateError, match="at most 67,108,864 bytes, got more"):
        Certificate.load("/dev/zero")


def test_a_name_twice_among_many_is_found_quickly() -> None:
    names = [*map(str, range(100_000)), "99999"]
    text = "{" + ",".join(f'"{name}":0' for name in names) + "}"
    begun = time.perf_counter()
    with pytest.raises(CertificateError, match="got '99999' twice"):
        Certificate.from_json(text)
    assert time.perf_counter() - begun < SECONDS


# At the command line ---------------------------------------------------------


def test_the_command_line_names_its_option(tmp_path: Path) -> None:
    path, file = tmp_path / "c.json", tmp_path / "c.jsonl"
    file.write_text('{"a": 1, "y": true}\n{"b": 1, "y": false}\n')
    separable(passes=2000).save(path)
    words = ("verify", path, file, "--label", "y", "-q")
    done = call(*words, "--most-work", 10)
    assert (done.returncode, done.stdout) == (2, "")
    assert "at most 10 steps of work" in done.stderr
    assert done.stderr.endswith("; --most-work allows more\n")
    assert call(*words).returncode == 0


# By chance -------------------------------------------------------------------


def test_mutated_certificates_get_a_verdict_or_one_of_our_errors() -> None:
    found = judge(100, seed=1, step=20)  # a few makers; `make soak` has them all
    assert found["rejected"]
    assert found["CertificateError"]
    assert found["implied"] + found["played"] + found["not known"] == found["accepted"]


@pytest.mark.soak
def test_the_certificates_that_forgers_begin_with_are_honest() -> None:
    assert {each["theorem"] for _, each, _ in forgeable()} >= {
        *("MIX-EWA", "MCPA-ORDER", "DELAY-SERVED", "RESTART", "SOA", "ACI", "kCNF-EXC")
    }
    for name, plain, stream in forgeable():
        honest = Certificate.from_json(sealed(plain))
        assert verify(honest, stream), name
        assert truth_of(honest, honest, stream) == "implied"


def test_learners_inside_a_learner_have_parameters_that_they_take() -> None:
    stream: Any = [({"a": 1.0, "b": k / 4}, k % 3 > 0) for k in range(8)]
    honest = certify(experts.Restarting(linear.AROW(), shortest=2), stream)
    learner = json.loads(honest.to_json())["learner"]
    learner["parameters"]["learner"][1]["map"][1][1] = 2
    wrong = verify(forged(honest, learner=learner), stream).wrong
    assert wrong == "learner: AROW must have parameters that it takes"
