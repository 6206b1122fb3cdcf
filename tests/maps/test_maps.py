"""Maps do what they say, as their twins do, and leave nothing of a refused example."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import Auto, certify, models, run, streams, theorems, verify
from littlestone.adversaries import PerceptronAdversary
from littlestone.conformal import Adaptive
from littlestone.errors import (
    CertificateError,
    ExampleError,
    FeatureError,
    ModelError,
    ParameterError,
    PremiseError,
)
from littlestone.experts import Committee, Halving, Restarting, WeightedMajority
from littlestone.learner.rows import as_rows
from littlestone.linear import (
    AROW,
    AdaGrad,
    CoinBetting,
    KernelPerceptron,
    MulticlassAdaGrad,
    MulticlassPerceptron,
    Perceptron,
    Winnow,
)
from littlestone.maps import (
    Chain,
    Crossed,
    Fourier,
    Map,
    Mapped,
    Quadratic,
    Standardized,
)
from littlestone.verifying.twins.maps import MAPS, mapping_of

WRONG: Any = 3
EVERY: list[Map] = [
    Fourier(dim=5),
    Fourier(2.5, 4, seed=9),
    Standardized(),
    Standardized(center=False),
    Quadratic(),
    Quadratic(bits=3),
    Crossed([("a", "b"), ("b", "b"), (0, 3), ("a", 70000)]),
    Crossed([(0, 1)]) | Standardized() | Fourier(dim=6),
]
every = pytest.mark.parametrize("chosen", EVERY, ids=repr)
NAMES = ["a", "b=x", "b=y", "a^long name of a feature", "é", "bc", 0, 3, 70000, 90000]
VALUES = [-2.5, 0.0, -0.0, 0.1, 1.0, 3e5, 1e-7]

examples = st.lists(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=6),
    max_size=9,
)


def rows(size: int = 80, width: int = 4) -> tuple[Any, Any]:
    """Return rows of which some values are 0, and labels that no halfspace gives."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(size, width)) * [1.0, 100.0, 0.01, 5.0]
    X[rng.random(X.shape) < 0.3] = 0.0
    return X, X[:, 0] * X[:, 1] > 0


# What the maps say ------------------------------------------------------------------


def test_products_of_columns_and_of_names() -> None:
    assert Quadratic().apply([2.0, 0.0, 3.0]) == {
        1: 2.0,
        6: 3.0,
        2: 4.0,
        7: 6.0,
        9: 9.0,
    }
    made = Quadratic().apply({"b": 2.0, 4: 3.0, "a": 5.0})
    assert list(made) == ["b", 15, "a", "b*b", "4*b", "a*b", 20, "4*a", "a*a"]
    assert made["a*b"] == 10.0


def test_the_numbers_of_products_are_all_there_are_and_differ() -> None:
    made = Quadratic().apply([1.0] * 7)
    assert sorted(made) == list(range(1, 36))


def test_buckets_of_products_keep_the_sum() -> None:
    made = Quadratic(bits=1).apply([2.0, 3.0])
    assert set(made) <= {0, 1}
    assert sum(made.values()) == 2 + 3 + 4 + 6 + 9


def test_groups_are_crossed() -> None:
    x = {"a=x": 2.0, "b": 3.0, "b^y": 5.0, "ab": 7.0, "a": 11.0}
    made = Crossed([("a", "b")]).apply(x)
    products = {k: v for k, v in made.items() if k not in x}
    assert products == {"a=x*b": 6.0, "a=x*b^y": 10.0, "a*b": 33.0, "a*b^y": 55.0}
    within = Crossed([("b", "b")]).apply(x)
    assert {k: v for k, v in within.items() if k not in x} == {
        "b*b": 9.0,
        "b*b^y": 15.0,
        "b^y*b^y": 25.0,
    }


def test_standardized_values_by_hand() -> None:
    stream = [({"a": 4.0}, 0), ({"b": 2.0}, 0), ({"a": 2.0, "b": 2.0}, 0)]
    _, second, third = (x for x, _ in Standardized().examples(stream))
    assert second == {"b": 1.0, "a": -1.0}  # means 1 and 2, deviations 1 and 2
    assert third["a"] == 0.0 if "a" in third else True
    assert third["b"] == pytest.approx((2 - 4 / 3) / math.sqrt(8 / 9))
    scaled = [x for x, _ in Standardized(center=False).examples(stream)]
    assert scaled[1] == {"b": 2.0}
    assert scaled[2]["a"] == pytest.approx(2 / math.sqrt(8 / 3))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_no_standardized_value_is_larger_than_its_round_allows(
    values: list[float],
) -> None:
    stream = [([value], 0) for value in values]
    for t, (x, _) in enumerate(Standardized().examples(stream)):
        assert all(abs(value) <= math.sqrt(t) * (1 + 1e-6) for value in x.values())


def test_means_and_deviations_are_those_of_numpy() -> None:
    X, _ = rows()
    begun = Standardized().begin()
    made = [begun.one(x) for x in X][-1]
    expected = (X[-1] - X.mean(axis=0)) / X.std(axis=0)
    assert [made[j] for j in range(4)] == pytest.approx(expected)


def test_products_of_waves_are_about_the_kernel() -> None:
    fourier = Fourier(1.5, 4000, seed=2)
    rng = np.random.default_rng(3)
    for _ in range(10):
        x, z = rng.normal(size=(2, 3))
        kernel = math.exp(-((x - z) @ (x - z)) / (2 * 1.5**2))
        mapped = zip(fourier.apply(x).values(), fourier.apply(z).values(), strict=True)
        assert sum(a * b for a, b in mapped) == pytest.approx(kernel, abs=0.06)


def test_the_usual_width_is_the_root_of_the_number_of_values() -> None:
    x = [1.0, 0.0, 2.0, -1.0, 0.5]
    assert Fourier(dim=7).apply(x) == Fourier(2.0, 7).apply(x)


@pytest.mark.parametrize("width", [None, 0.7])
def test_mapped_examples_are_short(width: float | None) -> None:
    for x in ([], [1e300], [3.0, -4.0, 1e-300]):
        made = Fourier(width, 50).apply(x)
        assert sum(value * value for value in made.values()) <= 2.0 + 1e-12


def test_seeds_and_features_decide_the_waves() -> None:
    made = [Fourier(1.0, 3, seed=s).apply({f: 1.0}) for s in (0, 1) for f in ("a", 0)]
    assert len({tuple(each.values()) for each in made}) == 4


def test_maps_are_joined_and_compared() -> None:
    chain = Quadratic() | Standardized() | Fourier(dim=2)
    assert chain == Chain([Quadratic(), Chain([Standardized(), Fourier(dim=2)])])
    assert chain != Standardized() | Quadratic() | Fourier(dim=2)
    with pytest.raises(TypeError):
        Quadratic() | WRONG


# What the twins say -----------------------------------------------------------------


@every
@given(stream=examples)
def test_native_and_twin_agree_bit_for_bit(
    chosen: Map, stream: list[dict[Any, float]]
) -> None:
    begun = chosen.begin()
    twins = mapping_of(
        [(type(step).__name__, step.get_params()) for step in chosen.steps]
    )
    for x in stream:
        made = begun.one(x)
        expected = {name: value for name, value in x.items() if value}
        for twin in twins:
            expected = twin(expected)
        found = dict(enumerate(made)) if isinstance(made, list) else made
        assert bits(found) == bits(expected)


def bits(x: dict[Any, float]) -> list[tuple[Any, str]]:
    return [(name, value.hex()) for name, value in x.items()]


def test_every_map_has_a_twin() -> None:
    assert {type(step).__name__ for each in EVERY for step in each.steps} == set(MAPS)


# One example, a row or a block ------------------------------------------------------


def learners(chosen: Map) -> list[Mapped]:
    return [
        Mapped(AROW(bias=0.5), chosen),
        Mapped(KernelPerceptron("gaussian"), chosen),
        Mapped(AROW(diagonal=False), chosen),
    ]


@every
def test_all_ways_to_play_give_the_same_bits(chosen: Map) -> None:
    X, y = rows()
    for learner in learners(chosen):
        by_one = learner.clone()
        said = [by_one.play_one(x, t) for x, t in zip(X, y, strict=True)]
        names = learner.clone()
        in_mappings = names.play([dict(enumerate(x.tolist())) for x in X], y)
        blocks = learner.clone()
        in_blocks = [*blocks.play(X[:33], y[:33]), *blocks.play(X[33:], y[33:])]
        sparse = learner.clone()
        in_csr = sparse.play(sp.csr_matrix(X), y)
        dicts = learner.clone()
        run(dicts, list(zip(map(dict, map(enumerate, X.tolist())), y, strict=True)))
        assert said == in_mappings.tolist() == in_blocks == in_csr.tolist()
        scores = [
            each.decision_function(X).tobytes()
            for each in (by_one, names, blocks, sparse, dicts)
        ]
        assert len(set(scores)) == 1
        one = by_one.score_one(X[7])
        assert by_one.decision_function(X)[7] == one


@every
def test_names_in_frames_and_files_give_the_same_bits(
    chosen: Map, tmp_path: Any
) -> None:
    X, y = rows(40)
    names = ["a", "b=x", "b=y", "é"]
    path = tmp_path / "t.vw"
    lines = [
        f"{1 if label else -1} | "
        + " ".join(f"{n}:{v!r}" for n, v in zip(names, x, strict=True) if v)
        for x, label in zip(X.tolist(), y, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    learner = Mapped(AROW(), chosen)
    from_file = learner.clone()
    run(from_file, streams.vw(path))
    for x, label in zip(X.tolist(), y, strict=True):
        learner.learn_one(dict(zip(names, x, strict=True)), label)
    asked = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    assert (
        from_file.decision_function(asked).tobytes()
        == learner.decision_function(asked).tobytes()
    )


def test_names_and_columns_may_come_in_turn() -> None:
    learner, other = (Mapped(Perceptron(), Standardized()) for _ in range(2))
    X, y = rows(12)
    learner.learn_one({"a": 2.0}, True)
    other.learn_one({"a": 2.0}, True)
    said = learner.play(X, y)  # now every example has a name and columns
    assert said.tolist() == [other.play_one(x, t) for x, t in zip(X, y, strict=True)]
    assert learner.predict(X).tolist() == [other.predict_one(x) for x in X]
    assert learner.decision_function(X).tolist() == [other.score_one(x) for x in X]


def test_classes_and_weights() -> None:
    X, y = rows(30)
    learner = Mapped(MulticlassPerceptron(), Quadratic())
    said = learner.play(X, y.astype(str))
    assert said[0] is None
    assert set(learner.classes_) == {"True", "False"}
    assert learner.weights_["True"]
    assert learner.decision_function(X).shape == (30, 2)
    assert learner.predict(X[:3]).tolist() == [learner.predict_one(x) for x in X[:3]]


@every
def test_predicting_changes_nothing(chosen: Map) -> None:
    X, y = rows(20)
    learner, asked = (Mapped(Perceptron(), chosen) for _ in range(2))
    for x, label in zip(X, y, strict=True):
        asked.predict_one({"new": 3.0, **dict(enumerate(x))})
        asked.predict(X)
        assert learner.play_one(x, label) == asked.play_one(x, label)
    assert (
        learner.decision_function(X).tobytes() == asked.decision_function(X).tobytes()
    )


@every
def test_a_weight_is_so_many_rounds(chosen: Map) -> None:
    X, y = rows(30)
    weights = np.arange(30) % 3
    learner, other = (Mapped(Perceptron(), chosen) for _ in range(2))
    learner.play(X, y, weights)
    for x, label, times in zip(X, y, weights, strict=True):
        for _ in range(times):
            other.learn_one(x, label)
    assert (
        learner.decision_function(X).tobytes() == other.decision_function(X).tobytes()
    )


# What the theorem says --------------------------------------------------------------


@pytest.mark.parametrize("chosen", [EVERY[i] for i in (0, 2, 4, 7)], ids=repr)
@pytest.mark.parametrize("learner", [Perceptron(), AROW(), AROW(diagonal=False)])
def test_runs_are_certified_and_verified(chosen: Map, learner: Any) -> None:
    X, y = rows(40)
    stream = streams.arrays(X, y)
    mapped = Mapped(learner, chosen)
    certificate = certify(mapped, stream, passes=2)
    assert certificate.holds
    assert verify(certificate, stream).accepted
    record = run(mapped, stream, passes=2)
    assert certify(record, stream=stream) == certificate
    assert certify(mapped, list(stream), passes=2) == certificate
    assert type(certificate).from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize(
    "learner",
    [AROW(), Restarting(AROW(), shortest=8), Auto({"a": AdaGrad()})],
    ids=repr,
)
def test_maps_within_maps_are_certified_as_those_joined(learner: Any) -> None:
    X, y = rows(40)
    stream = streams.arrays(X, y)
    outer, inner = Standardized(), Quadratic()
    nested = Mapped(Mapped(learner, inner), outer)
    certificate = certify(nested, stream, passes=2)
    assert certificate == certify(Mapped(learner, outer | inner), stream, passes=2)
    assert verify(certificate, stream).accepted
    assert certify(run(nested, stream, passes=2), stream=stream) == certificate
    members = {"n": nested.clone(), "p": Perceptron()}
    committee = Committee(members, WeightedMajority())
    assert verify(certify(committee, stream), stream).accepted


def test_what_the_judge_cannot_play_is_not_certified_behind_a_map() -> None:
    X, y = rows(20)
    numbers = streams.arrays(X, X[:, 0], outcome="number")
    labels = streams.arrays(X, y)
    twice = Committee({"r": Restarting(Auto()), "p": Perceptron()}, WeightedMajority())
    assert verify(certify(twice, labels), list(twice.advice(labels))).accepted
    for inner, stream in ((Adaptive(CoinBetting("square")), numbers), (twice, labels)):
        with pytest.raises(PremiseError, match="put the map before these"):
            certify(Mapped(inner, Standardized()), stream)
    around = Adaptive(Mapped(CoinBetting("square"), Standardized()))
    found = certify(around, numbers)
    assert verify(found, list(around.forecasts(numbers))).accepted


def test_a_target_of_products_is_found_within_its_bound() -> None:
    rng = np.random.default_rng(1)
    X = np.sign(rng.normal(size=(400, 5)))
    y = X[:, 0] * X[:, 1] > 0
    certificate = certify(
        Mapped(Perceptron(), Crossed([(0, 1)])),
        streams.arrays(X, y),
        theorem="PERC-SEP",
    )
    assert certificate.mistakes <= certificate.bound <= 6.01
    plain = certify(Perceptron(), streams.arrays(X, y))
    assert plain.mistakes > 50


A_FEW = [101.0, 2.0, 100.0, 101.0, 100.0, 10.0, 2.0, 3.0, 3.0]
OF_THEM = [1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
YES = (2, 3)
WORSE = (8, 1, 5, 2, 0, 3, 7, 4, 6)  # another order


def test_no_bound_for_every_order_is_behind_a_map_that_learns() -> None:
    rounds = zip(A_FEW, OF_THEM, strict=True)
    stream = [({"a": a, "b": b}, t in YES) for t, (a, b) in enumerate(rounds)]
    learner = Mapped(Perceptron(), Standardized())
    # As if the mapped examples were the same in every order.
    mapped = list(Standardized().examples(stream))
    found = certify(Perceptron(), mapped, scope="stream", theorem="PERC-RMS")
    worse = [stream[t] for t in WORSE]
    assert run(learner, worse).mistakes == 8 > found.bound
    for chosen in (Standardized(), Quadratic() | Standardized(center=False)):
        with pytest.raises(PremiseError, match="no bound for every order"):
            certify(Mapped(Perceptron(), chosen), stream, scope="stream")
    certificate = certify(learner, stream)
    assert certificate.scope == "run"
    forged = replace(
        found,
        learner=certificate.learner,
        digest=certificate.digest,
    )
    assert "scope must be 'run'" in str(verify(forged).wrong)
    assert "scope must be 'run'" in str(verify(forged, stream).wrong)
    assert certify(Mapped(Perceptron(), Quadratic()), stream, scope="stream").holds


def test_an_adversary_attains_the_bound_behind_a_map() -> None:
    # These products are never there, so a map changes nothing but the columns.
    adversary = PerceptronAdversary(Fraction(1, 10))
    record = run(Mapped(Perceptron(), Crossed([("a", "b")])), adversary)
    assert record.mistakes == 100
    assert theorems.PERC_SEP.bound(radius=1, margin=Fraction(1, 10)) == 100


@pytest.mark.parametrize(
    "forged",
    [
        (("Fourier", {"width": None, "dim": 5, "seed": 1}),),
        (("Quadratic", {"bits": None}),),
        (),
    ],
)
def test_a_certificate_of_another_map_is_rejected(forged: Any) -> None:
    X, y = rows(30)
    stream = streams.arrays(X, y)
    found = certify(Mapped(Perceptron(), Fourier(dim=5)), stream)
    parameters = {**found.learner["parameters"], "map": forged}
    changed = type(found)(
        **{
            **{name: getattr(found, name) for name in found.__dataclass_fields__},
            "learner": {"name": "Perceptron", "parameters": parameters},
        }
    )
    assert not verify(changed, stream).accepted


@pytest.mark.parametrize(
    "steps",
    [
        3,
        (("Guess", {}),),
        (("Fourier", {"width": -1.0, "dim": 5, "seed": 1}),),
        (("Fourier", {"width": None, "dim": 10**9, "seed": 1}),),
        (("Quadratic", {"bits": 60}),),
        (("Standardized", {"center": 1}),),
        (("Crossed", {"pairs": ((0, 1), (1, 0))}),),
    ],
)
def test_the_judge_refuses_maps_that_nobody_has(steps: Any) -> None:
    X, y = rows(10)
    found = certify(Perceptron(), streams.arrays(X, y))
    parameters = {**found.learner["parameters"], "map": steps}
    fields = {name: getattr(found, name) for name in found.__dataclass_fields__}
    learner = {"name": "Perceptron", "parameters": parameters}
    try:
        forged = type(found)(**{**fields, "learner": learner})
    except CertificateError:
        return
    verdict = verify(forged, streams.arrays(X, y))
    assert not verdict.accepted


# Models -----------------------------------------------------------------------------


@every
def test_a_saved_learner_continues_as_if_it_had_not_been(
    chosen: Map, tmp_path: Any
) -> None:
    X, y = rows()
    learner = Mapped(AROW(bias=1.0), chosen)
    learner.play(X[:40], y[:40])
    models.save(learner, tmp_path / "m.lst")
    loaded: Any = models.load(tmp_path / "m.lst")
    assert repr(loaded) == repr(learner)
    assert loaded.play(X[40:], y[40:]).tolist() == learner.play(X[40:], y[40:]).tolist()
    assert (
        loaded.decision_function(X).tobytes() == learner.decision_function(X).tobytes()
    )


def test_a_state_that_no_map_has_saved_is_refused() -> None:
    learner = Mapped(Perceptron(), Standardized())
    learner.learn_one({"a": 1.0}, False)
    for wrong in (
        [-1.0, 1.0, 0.0, 0.0],
        [1.0],
        [1.0, 2.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, -3.0],
        [],
    ):
        state = learner.save_state()
        state["map"][0]["numbers"] = np.array(wrong)
        with pytest.raises((ModelError, ValueError)):
            Mapped(Perceptron(), Standardized()).load_state(state)
    state = {**learner.save_state(), "learner": AROW()}
    with pytest.raises(ParameterError, match="the learner that it was made with"):
        Mapped(Perceptron(), Standardized()).load_state(state)


# What is refused --------------------------------------------------------------------


@every
def test_a_refused_example_leaves_nothing(chosen: Map) -> None:
    X, y = rows(20)
    learner, other = (Mapped(Perceptron(), chosen) for _ in range(2))
    bad = X.copy()
    bad[12, 2] = math.nan
    with pytest.raises(
        FeatureError, match=r"row 12: .*feature 2 .*nan; 12 rounds"
    ) as e:
        learner.play(bad, y)
    assert e.value.rounds == e.value.row == 12
    with pytest.raises(FeatureError, match="feature 'a'"):
        learner.play_one({"a": math.inf, 3: 1.0}, True)
    other.play(X[:12], y[:12])
    assert learner.play(X[12:], y[12:]).tolist() == other.play(X[12:], y[12:]).tolist()
    assert (
        learner.decision_function(X).tobytes() == other.decision_function(X).tobytes()
    )
    with pytest.raises(FeatureError, match="row 12"):
        learner.predict(bad)


def test_what_the_learner_refuses_the_map_forgets() -> None:
    X = np.array([[1.0, 3.0], [3.0, 3.0], [1.0, 2.0], [2.0, 1.0]])
    learner = Mapped(Winnow(threshold=2), Standardized())
    with pytest.raises(FeatureError, match=r"row 2: Winnow: .*\[0, 1\].*2 rounds"):
        learner.play(X, [1, 0, 1, 1])
    before = learner.save_state()["map"][0]["numbers"].tolist()
    assert before[0] == 2.0
    with pytest.raises(FeatureError, match="Winnow"):
        learner.learn_one(X[2], True)
    assert learner.save_state()["map"][0]["numbers"].tolist() == before


def test_values_too_large_for_a_map() -> None:
    for chosen in (Quadratic(), Quadratic(bits=2), Standardized(), Fourier(1.0)):
        learner = Mapped(Perceptron(), chosen)
        learner.learn_one([1.0, 1.0], True)
        with pytest.raises(ExampleError, match="mapped values must be finite numbers"):
            learner.learn_one([1.7e308, 1.7e308], True)


def test_the_first_row_that_cannot_be_predicted_is_named() -> None:
    learner = Mapped(Perceptron(), Crossed([(0, 1)]))
    learner.learn_one([1e200, 1.0], False)
    X = np.ones((5000, 2))
    X[4500] = [1e200, 0.0]  # for the learner
    X[4600, 0] = math.nan  # for the map
    named = [{"a": x, 1: y} for x, y in X[4500:4601].tolist()]
    for ask in (learner.predict, learner.decision_function):
        with pytest.raises(ExampleError, match="row 4500: Perceptron: the score"):
            ask(X)
        with pytest.raises(FeatureError, match=r"row 100: Crossed: .*feature 'a'"):
            ask(named)
    with pytest.raises(ExampleError, match="row 4500: Perceptron: the score"):
        learner.play(X, [True] * len(X))


@pytest.mark.parametrize(
    "chosen", [Quadratic(), Quadratic(bits=2), Standardized(), Fourier(dim=4)], ids=repr
)
def test_rows_before_one_that_is_too_large_are_learned_as_one_by_one(
    chosen: Map,
) -> None:
    X, y = rows(20)
    learner, other = (Mapped(AROW(bias=1.0), chosen) for _ in range(2))
    X[12] = 1.7e308
    with pytest.raises(ExampleError, match="row 12: .* 12 rounds"):
        learner.play(X, y)
    for x, label in zip(X[:12], y[:12], strict=True):
        other.learn_one(x, label)
    assert learner.weights_ == other.weights_
    assert learner.updates_ == other.updates_ > 0


def test_too_many_features() -> None:
    with pytest.raises(FeatureError, match="2048 features .* got 2048"):
        Quadratic().apply([1.0] * 2049)
    with pytest.raises(FeatureError, match="4096 features can be centered, got 4096"):
        Standardized().apply([1.0] * 4097)
    assert Standardized(center=False).apply([1.0] * 4097) == {}
    with pytest.raises(FeatureError, match="column numbers must lie within"):
        Quadratic().apply({100_000: 1.0})
    with pytest.raises(FeatureError, match="appear once"):
        Crossed([("a", "b")]).apply({"a*b": 1.0, "a": 1.0, "b": 1.0})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Fourier(0.0), "Fourier: width must exceed 0, got 0.0"),
        (lambda: Fourier(dim=0), "Fourier: dim must be a whole number of at least 1"),
        (lambda: Fourier(dim=70000), "Fourier: dim must be below 65537, got 70000"),
        (lambda: Fourier(seed=-1), "Fourier: seed must be a whole number"),
        (
            lambda: Standardized(center=WRONG),
            "Standardized: center must be True or False",
        ),
        (lambda: Quadratic(bits=25), "Quadratic: bits must be below 25, got 25"),
        (lambda: Crossed([]), r"Crossed: pairs must be pairs .* got \[\]"),
        (lambda: Crossed([WRONG]), "Crossed: pairs must be pairs"),
        (lambda: Crossed([("a", -1)]), "Crossed: pairs must be pairs"),
        (lambda: Crossed([("a", "b"), ("b", "a")]), "pairs must differ"),
        (lambda: Chain([]), "Chain: maps must be maps in a list"),
        (
            lambda: Mapped(Perceptron(), WRONG),
            "Mapped: map must be one of littlestone.maps",
        ),
        (
            lambda: Mapped(WRONG, Quadratic()),
            "Mapped: learner must be a learner of features",
        ),
        (lambda: Mapped(Halving(), Quadratic()), "a learner of features, got Halving"),
        (
            lambda: Mapped(Perceptron().fit([[1.0]], [0]), Quadratic()),
            "Mapped: learner must be newborn",
        ),
        (
            lambda: Mapped(Perceptron(), Quadratic()).set_params(r=1),
            "Mapped: a parameter must be one of learner, map or learner__",
        ),
    ],
)
def test_what_cannot_be_made(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_parameters_are_read_and_set() -> None:
    learner: Any = Mapped(AROW(r=2.0), [Standardized(), Quadratic()])
    assert learner.get_params()["learner__r"] == 2.0
    learner.set_params(learner__r=3.0, map=Quadratic())
    assert learner.learner.r == 3.0
    assert learner.map == Quadratic()
    assert learner.clone().get_params(deep=False) == learner.get_params(deep=False)
    with pytest.raises(AttributeError, match="fixed at birth"):
        learner.map = Fourier()


def test_what_cannot_be_certified() -> None:
    learner = Mapped(Perceptron(), Quadratic())
    with pytest.raises(ParameterError, match="must play a stream to be certified"):
        certify(learner, PerceptronAdversary(0.5))
    with pytest.raises(ParameterError, match="needs the stream"):
        certify(run(learner, [([1.0], 0)]))


@every
def test_scores_are_those_before_each_round(chosen: Map) -> None:
    X, y = rows(30)
    learner, other = (Mapped(AROW(), chosen) for _ in range(2))
    said, scores = np.empty(30, dtype=bool), np.empty(30)
    learner.play_scored(as_rows(X), y, said, scores, 0, 30)
    expected = []
    for x, label in zip(X, y, strict=True):
        expected.append(other.score_one(x))
        other.learn_one(x, label)
    assert scores.tolist() == expected
    assert said.tolist() == (scores >= 0).tolist()


def test_answers_to_no_rows_have_the_shape_of_others() -> None:
    for learner in (AdaGrad(), MulticlassAdaGrad(classes=["a", "b", "c"]), Auto()):
        mapped, none = Mapped(learner, Standardized()), np.zeros((0, 4))
        for ask in ("predict", "decision_function", "predict_proba"):
            expected = getattr(learner, ask)(none).shape
            assert getattr(mapped, ask)(none).shape == expected


def test_losses_and_probabilities_are_those_behind_the_map() -> None:
    X, y = rows()
    record = run(Mapped(AdaGrad(), Quadratic()), streams.arrays(X, y))
    learner = Mapped(AdaGrad(), Quadratic())
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn_one(x, label)
    assert record.chances is not None
    assert record.loss == learner.loss_
    assert record.chances.log_loss == pytest.approx(learner.loss_ / len(y))
    both = learner.predict_proba(X[:3])
    assert both.tolist() == [list(learner.predict_proba_one(x).values()) for x in X[:3]]
    assert learner.probability_one(X[0]) == both[0, 1]
    tested = run(learner, streams.arrays(X, y), learn=False)
    assert tested.chances is not None
    assert not hasattr(Mapped(Perceptron(), Quadratic()), "gives_chances")


def test_a_few_rows_are_mapped_at_a_time_if_one_of_them_is_wide() -> None:
    X = sp.csr_matrix(np.vstack([np.eye(1, 1500), np.ones((40, 1500))]))
    for chosen in (Quadratic(), Crossed([("a", "b")])):
        assert chosen.begin().end(as_rows(X), 0, 41) == 1
    crossed = Crossed([(0, 1)])
    assert crossed.begin().end(as_rows(X), 0, 41) == 41


def test_groups_with_too_many_products_are_refused() -> None:
    learner = Mapped(Perceptron(), Crossed([("a", "a")]))
    with pytest.raises(FeatureError, match="as many products of groups"):
        learner.learn_one({f"a={k}": 1.0 for k in range(2049)}, True)
    assert learner.newborn_


def test_a_chain_is_not_endless() -> None:
    assert len(Chain([Quadratic(bits=24)] * 64).steps) == 64
    with pytest.raises(ParameterError, match="at most 64, got 65"):
        Chain([Chain([Quadratic()] * 64), Quadratic()])
