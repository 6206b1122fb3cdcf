"""The façade for opera: its printed digits, its rules, and what is refused."""

from __future__ import annotations

import copy
import gzip
import math
import pickle
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import opera_rules as reference
from data import data_file
from littlestone import losses
from littlestone.compat import _calibration, _plots
from littlestone.compat.opera import Mixture, MLEwa, Oracle, oracle
from littlestone.errors import ExampleError, MissingPackageError, ParameterError
from tries import some, tried

MODELS = ("MLpol", "MLprod", "MLewa", "BOA", "EWA", "FS")
FIXED: dict[str, dict[str, float]] = {
    "EWA": {"eta": 1e-3},
    "FS": {"eta": 1e-3, "alpha": 0.05},
}

Floats = NDArray[np.float64]

every_model = pytest.mark.parametrize("model", MODELS)
both_ways = pytest.mark.parametrize("gradient", [True, False])


def frame_of(name: str) -> pd.DataFrame:
    path = data_file(name)
    with gzip.open(path, "rt") as file:
        return pd.read_csv(file)


def electric_load() -> tuple[pd.Series, pd.DataFrame]:
    frame = frame_of("opera-electric-load/opera_experts.csv.gz")
    return frame["y"], frame[["gam", "ar", "gbm"]]


def regional_load() -> tuple[Floats, pd.DataFrame]:
    frame = frame_of("opera-regional-load/regional_experts.csv.gz")
    return frame["y"].to_numpy(), frame.drop(columns=["date", "y"])


def rounds(T: int = 40, n: int = 3, seed: int = 7) -> tuple[Floats, Floats]:
    """Draw outcomes near 100, and experts of unlike quality."""
    draw = np.random.default_rng(seed)
    y = 100 + draw.normal(0, 3, T)
    noise = draw.normal(0, 1, (T, n)) * np.arange(1, n + 1)
    return y, y[:, np.newaxis] + noise + np.linspace(-1, 2, n)


def asleep(F: Floats) -> Floats:
    """Let expert i sleep in round t when t + 2i is a multiple of 5."""
    sleepy = F.copy()
    for t, i in np.ndindex(*F.shape):
        if (t + 2 * i) % 5 == 0:
            sleepy[t, i] = math.nan
    return sleepy


def is_printed(text: str, value: float) -> bool:
    """Tell whether a value, rounded as printed, gives the printed text."""
    printed = Decimal(text)
    last = Decimal(1).scaleb(printed.as_tuple().exponent)  # type: ignore[arg-type]  # finite
    return Decimal(value).quantize(last, rounding=ROUND_HALF_EVEN) == printed


def rmse(said: Any, y: Any) -> float:
    return math.sqrt(np.mean(np.square(np.asarray(said) - np.asarray(y))))


def mape(said: Any, y: Any) -> float:
    return float(np.mean(np.abs(np.asarray(said) - np.asarray(y)) / np.asarray(y)))


# As published -----------------------------------------------------------------

TABLE = """
EWA    T            1479.908305    .019988598 .51692945 .48289627 .00017428
EWA    F            1510.830021    .020704372 .99594271 .00405729 5.5e-12
EWA    F eta=1e-8   1496.67722616  -          .67266440750 .30986502196 .01747057053
EWA    F eta=1e-7   1476.98113681  -          .9995699151 .0004300849 1.4e-16
EWA    F eta=1e-6   1505.54674041  -          1 2.2e-34 2.8e-159
BOA    T            1500.625517    .020147607 .728124300 .215614107 .056261593
BOA    F            1492.486882    .020295642 .940966339 .051597105 .007436557
MLpol  T            1457.476154    .019206088 .57711427 .42288573 0
MLpol  F            1499.057815    .020366208 1 0 0
MLprod T            1507.073064    .020269415 .703404898 .244501856 .052093246
MLprod F            1491.231968    .020242512 .981339841 .015406530 .003253630
MLewa  T            1469.587299    .019279086 .662254938 .258435975 .079309087
MLewa  F            1476.946436    .019858949 .899834787 .077521423 .022643790
FS     T            1431.414556    .018382128 .491864334 .487389302 .020746364
FS     F            1446.118888    .018965460 .758138647 .237485969 .004375384
"""


@pytest.mark.parametrize("line", TABLE.strip().splitlines(), ids=lambda s: s[:20])
def test_every_row_of_operas_table(line: str) -> None:
    model, gradient, *rest = line.split()
    parameters = None
    if rest[0].startswith("eta="):
        parameters = {"eta": float(rest.pop(0)[4:])}
    y, experts = electric_load()
    mixture = Mixture(
        y, experts, model, loss_gradient=gradient == "T", parameters=parameters
    )
    assert is_printed(rest[0], rmse(mixture.prediction, y))
    assert rest[1] == "-" or is_printed(rest[1], mape(mixture.prediction, y))
    for printed, coefficient in zip(rest[2:], mixture.coefficients, strict=True):
        # The printed row sums to 1.000000001: this digit was rounded twice.
        if (model, gradient, printed) == ("MLprod", "F", ".981339841"):
            assert coefficient == pytest.approx(float(printed), abs=1e-9)
        else:
            assert is_printed(printed, coefficient), coefficient
    assert mixture.loss == pytest.approx(rmse(mixture.prediction, y) ** 2)


def test_experts_alone_and_equal_weights() -> None:
    y, experts = electric_load()
    uniform = Mixture(y, experts).uniform()
    assert is_printed("1560.170", rmse(uniform, y))
    assert is_printed(".0197524", mape(uniform, y))
    printed = {"gam": "1479.796", "ar": "1697.604", "gbm": "2334.390"}
    shares = {"gam": ".0201522", "ar": ".0245759", "gbm": ".0288353"}
    for name, text in printed.items():
        alone = Mixture(y, experts[[name]])
        assert is_printed(text, rmse(alone.prediction, y))
        assert is_printed(shares[name], mape(alone.prediction, y))


def test_the_summary_of_operas_readme() -> None:
    y, experts = electric_load()
    assert repr(Mixture(y, experts).summary()).splitlines() == [
        "Aggregation rule: MLpol",
        "Loss function: square loss",
        "Gradient trick: True",
        "Coefficients:",
        "   gam     ar  gbm",
        " 0.577  0.423    0",
        "",
        "Number of experts: 3",
        "Number of observations: 112",
        "",
        "         rmse    mape",
        "MLpol    1460  0.0192",
        "Uniform  1560  0.0198",
    ]


def test_the_oracles_of_operas_readme() -> None:
    y, experts = electric_load()
    best = oracle(y, experts, model="expert")
    assert best.coefficients.tolist() == [1.0, 0.0, 0.0]
    assert best.rmse is not None
    assert is_printed("1479.796", best.rmse)
    assert f"{mape(best.prediction, y):.3g}" == "0.0202"
    convex = oracle(y, experts)
    assert convex.rmse is not None
    assert is_printed("1442.43", convex.rmse)
    shown = [f"{weight:.3g}" for weight in convex.coefficients]
    assert shown == ["0.719", "0.201", "0.0799"]
    assert f"{mape(convex.prediction, y):.3g}" == "0.0193"
    assert convex.loss == pytest.approx(convex.rmse**2)
    linear = oracle(y, experts, model="linear")
    assert linear.loss < convex.loss < best.loss
    shifting = oracle(y, experts, model="shifting")
    assert shifting.loss.shape == (112,)
    assert shifting.loss[0] == pytest.approx(best.loss)
    assert (np.diff(shifting.loss) <= 0).all()
    assert shifting.coefficients is shifting.prediction is shifting.rmse is None


def test_opera_pythons_boa_is_another_algorithm() -> None:
    y, experts = electric_load()
    mixture = Mixture(y[:100], experts[:100], "BOA")
    said, _, weights = reference.play(
        reference.BOA(3),
        experts[:100].to_numpy(),
        y[:100].to_numpy(),
        reference.LOSSES["square"],
        gradient=True,
    )
    assert mixture.coefficients == pytest.approx(weights, rel=1e-10)
    assert mixture.prediction == pytest.approx(said, rel=1e-12)
    theirs = [0.76757951, 0.15823262, 0.07418788]  # as its notebook prints them
    assert abs(mixture.coefficients - theirs).max() > 0.01


# Against the formulas -----------------------------------------------------------


def assert_as_in_the_formulas(
    model: str,
    y: Floats,
    F: Floats,
    loss_type: Any,
    loss: tuple[reference.Charge, reference.Charge],
    *,
    gradient: bool,
    eta: float = 1e-3,
) -> Mixture:
    numbers = {name: 0.05 if name == "alpha" else eta for name in FIXED.get(model, {})}
    mixture = Mixture(
        y,
        F,
        model,
        loss_type=loss_type,
        loss_gradient=gradient,
        parameters=numbers or None,
    )
    rule = reference.RULES[model](F.shape[1], **numbers)
    said, weights, after = reference.play(rule, F, y, loss, gradient=gradient)
    assert mixture.prediction == pytest.approx(said, rel=1e-9)
    assert mixture.weights == pytest.approx(weights, rel=1e-6, abs=1e-9)
    assert mixture.coefficients == pytest.approx(after, rel=1e-6, abs=1e-9)
    return mixture


@every_model
@both_ways
@pytest.mark.parametrize("name", ["square", "absolute", "percentage"])
def test_the_rules_are_those_of_the_formulas(
    model: str, gradient: bool, name: str
) -> None:
    y, F = rounds()
    loss = reference.LOSSES[name]
    assert_as_in_the_formulas(model, y, F, name, loss, gradient=gradient)


@every_model
@both_ways
@pytest.mark.parametrize("name", ["square", "absolute"])
def test_sleepers_have_no_regret(model: str, gradient: bool, name: str) -> None:
    y, F = rounds()
    loss = reference.LOSSES[name]
    sleepy = asleep(F)
    mixture = assert_as_in_the_formulas(
        model, y, sleepy, name, loss, gradient=gradient, eta=0.01
    )
    assert (mixture.weights[np.isnan(sleepy)] == 0).all()
    assert mixture.weights.sum(axis=1) == pytest.approx(np.ones(len(y)))
    numbers = {k: 0.05 if k == "alpha" else 0.01 for k in FIXED.get(model, {})} or None
    told = Mixture(
        y,
        F,
        model,
        loss_type=name,
        loss_gradient=gradient,
        awake=~np.isnan(sleepy),
        parameters=numbers,
    )
    assert told.prediction.tolist() == mixture.prediction.tolist()


# rmse and the next weights on the electric load with sleepers, of a prototype.
SLEEPING = """
MLpol  T 1522.223191103 .55711375379 .44288624621 0
MLpol  F 1608.524614343 1 0 0
MLprod T 1573.453434955 .78573453932 .18187844265 .032387018034
MLprod F 1575.970861328 .99916426965 .00078406884066 .000051661513244
MLewa  T 1553.999932799 .61057648353 .32158897882 .067834537659
MLewa  F 1572.979566813 .52915480747 .42672250545 .044122687081
EWA    T 1578.056998787 .45379027623 .40797857261 .13823115115
EWA    F 1571.319693592 .52914942526 .42395546532 .046895109415
"""


@pytest.mark.parametrize("line", SLEEPING.strip().splitlines(), ids=lambda s: s[:8])
def test_sleepers_on_the_electric_load(line: str) -> None:
    model, gradient, *numbers = line.split()
    y, experts = electric_load()
    mixture = Mixture(
        y,
        asleep(experts.to_numpy()),
        model,
        loss_gradient=gradient == "T",
        parameters={"eta": 1e-8} if model == "EWA" else None,
    )
    assert rmse(mixture.prediction, y) == pytest.approx(float(numbers[0]), rel=1e-12)
    expected = [float(number) for number in numbers[1:]]
    # Rounding grows: of MLprod's smallest weights eight digits are sure.
    assert mixture.coefficients == pytest.approx(expected, rel=2e-8)


def test_fixed_share_with_fixed_numbers_on_the_electric_load() -> None:
    y, experts = electric_load()
    for gradient, expected in [
        (True, [1414.353027100, 0.58312080497, 0.40075718583, 0.016122009196]),
        (False, [1432.284515809, 0.82281256751, 0.17150068391, 0.0056867485732]),
    ]:
        mixture = Mixture(
            y,
            experts,
            "FS",
            loss_gradient=gradient,
            parameters={"eta": 1e-7, "alpha": 0.01},
        )
        found = [rmse(mixture.prediction, y), *mixture.coefficients]
        assert found == pytest.approx(expected, rel=1e-9)


def test_only_sleepers_regretted() -> None:
    # Expert 0 alone is regretted, and sleeps: the others share equally.
    F = np.array([[1.0, 5.0, 5.0], [math.nan, 4.0, 8.0]])
    mixture = Mixture([1.0, 1.0], F, "MLpol")
    assert mixture.weights[1].tolist() == [0.0, 0.5, 0.5]
    assert mixture.prediction[1] == 6.0
    # Expert 1 weighs next to nothing, but is alone.
    F = np.array([[0.0, 1.0]] * 50 + [[math.nan, 1.0]])
    mixture = Mixture(np.zeros(51), F, "EWA", parameters={"eta": 100.0})
    assert mixture.weights[-1].tolist() == [0.0, 1.0]


@both_ways
@pytest.mark.parametrize(
    ("model", "tau"),
    [
        *((model, 0.9) for model in ("MLpol", "MLprod", "MLewa", "BOA", "EWA", "FS")),
        ("MLpol", 0.5),
        ("EWA", 0.1),
    ],
)
def test_pinball_losses_of_the_regional_load(
    model: str, gradient: bool, tau: float
) -> None:
    y, experts = regional_load()
    assert experts.shape == (398, 65)
    y = y[: 200 if model == "MLpol" else 60]
    mixture = assert_as_in_the_formulas(
        model,
        y,
        experts.to_numpy()[: len(y)],
        {"name": "pinball", "tau": tau},
        reference.pinball(tau),
        gradient=gradient,
        eta=1e-4,
    )
    value = losses.pinball(tau).value
    assert mixture.loss == pytest.approx(np.mean(value(mixture.prediction, y)))


@both_ways
def test_calibrated_pinball_losses_of_the_regional_load(gradient: bool) -> None:
    y, experts = regional_load()
    F, y = experts.to_numpy()[:60], y[:60]
    mixture = Mixture(
        y,
        F,
        "EWA",
        loss_type={"name": "pinball", "tau": 0.9},
        loss_gradient=gradient,
    )
    loss = reference.pinball(0.9)
    said, weights, _ = reference.calibrated(F, y, loss, gradient=gradient)
    assert mixture.prediction == pytest.approx(said, rel=1e-9)
    assert mixture.coefficients == pytest.approx(weights, rel=1e-6, abs=1e-9)


# Calibration ----------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize("model", ["EWA", "FS"])
@pytest.mark.parametrize("sleepy", some([True, False]))
@pytest.mark.parametrize(
    ("prior", "grid"), [(None, None), ((0.7, 0.2, 0.1), (0.01, 1.0, 0.1))]
)
def test_calibration_is_that_of_the_formulas(
    model: str, gradient: bool, sleepy: bool, prior: Any, grid: Any
) -> None:
    y, F = rounds(30)
    F = asleep(F) if sleepy else F
    alphas = (0.0,) if model == "EWA" else (1e-4, 1e-3, 1e-2, 1e-1)
    mixture = Mixture(
        y,
        F,
        model,
        loss_gradient=gradient,
        coefficients="Uniform" if prior is None else prior,
        parameters=None if grid is None else {"grid.eta": grid},
    )
    said, weights, etas = reference.calibrated(
        F,
        y,
        reference.LOSSES["square"],
        gradient=gradient,
        alphas=alphas,
        grid=grid,
        prior=None if prior is None else np.array(prior),
    )
    assert mixture.prediction == pytest.approx(said, rel=1e-10)
    assert mixture.coefficients == pytest.approx(weights, rel=1e-7, abs=1e-12)
    assert mixture.parameters["grid.eta"][-1] == pytest.approx(etas[-1])
    used = mixture.parameters["eta"]
    assert len(used) == 30
    assert set(used[1:]) <= set(mixture.parameters["grid.eta"])
    assert ("alpha" in mixture.parameters) == (model == "FS")
    assert mixture.learner is not None


def test_other_grids_and_factors() -> None:
    y, F = rounds(20)
    parameters = {"grid_eta": [0.1], "grid_alpha": [0.01, 0.2], "gamma": 3.0}
    mixture = Mixture(y, F, "FS", parameters=parameters)
    said, weights, etas = reference.calibrated(
        F,
        y,
        reference.LOSSES["square"],
        gradient=True,
        alphas=(0.01, 0.2),
        grid=[0.1],
        gamma=3.0,
    )
    assert mixture.prediction == pytest.approx(said, rel=1e-10)
    assert mixture.coefficients == pytest.approx(weights, rel=1e-7)
    assert mixture.parameters["grid.eta"] == pytest.approx(etas)


def test_rates_stay_numbers_when_equal_weights_are_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # All rates do as well, so the smallest is followed and smaller ones are added.
    monkeypatch.setattr(_calibration, "_SMALLEST", 1e-20)  # soon reached
    y = np.linspace(1, 2, 60)
    F = np.column_stack([y + 1, y - 1])
    mixture = Mixture(y, F, "EWA", loss_type="absolute", loss_gradient=False)
    etas = mixture.parameters["grid.eta"]
    assert 1e-20 < etas[0] < 1e-18
    assert mixture.prediction == pytest.approx(y)


def test_a_single_expert_is_followed() -> None:
    y, F = rounds(10, 1)
    for model in MODELS:
        mixture = Mixture(y, F, model)
        assert mixture.prediction == pytest.approx(F[:, 0])
        assert mixture.coefficients.tolist() == [1.0]


# The same however it comes -----------------------------------------------------------


@every_model
@both_ways
@pytest.mark.parametrize("fixed", some([True, False]))
@pytest.mark.parametrize("sleepy", [True, False])
def test_one_by_one_is_the_same_as_at_once(
    model: str, gradient: bool, fixed: bool, sleepy: bool
) -> None:
    y, F = rounds(25)
    F = asleep(F) if sleepy else F
    parameters = FIXED.get(model) if fixed else None
    at_once = Mixture(y, F, model, loss_gradient=gradient, parameters=parameters)
    one_by_one = Mixture(model=model, loss_gradient=gradient, parameters=parameters)
    in_parts = Mixture(
        y[:10], F[:10], model, loss_gradient=gradient, parameters=parameters
    )
    for t in range(len(y)):
        foretold = one_by_one.predict(F[t])
        one_by_one.update(F[t], y[t])
        assert foretold == pytest.approx(one_by_one.prediction[t : t + 1], rel=1e-14)
    in_parts.update(F[10:], y[10:])
    for other in (one_by_one, in_parts):
        assert other.prediction.tolist() == at_once.prediction.tolist()
        assert other.weights.tolist() == at_once.weights.tolist()
        assert other.coefficients.tolist() == at_once.coefficients.tolist()
        assert np.array_equal(other.experts, at_once.experts, equal_nan=True)
        assert other.y.tolist() == y.tolist()
        assert other.loss == at_once.loss


@every_model
def test_frames_names_and_order(model: str) -> None:
    y, F = rounds(12)
    frame = pd.DataFrame(F, columns=["a", "b", "c"])
    plain = Mixture(y, F, model)
    assert plain.names_experts == ["X1", "X2", "X3"]
    named = Mixture(pd.Series(y[:6]), frame[:6], model.lower())
    assert named.names_experts == named.experts_names == ["a", "b", "c"]
    named.update(frame[["c", "a", "b"]][6:11], pd.DataFrame(y[6:11]))
    named.update(frame.iloc[11], y[11])
    assert named.prediction.tolist() == plain.prediction.tolist()
    upright = Mixture(pl.Series(y), pl.DataFrame(F, schema=["a", "b", "c"]), model)
    assert upright.prediction.tolist() == plain.prediction.tolist()
    mappings = Mixture(y, frame.to_dict("records"), model.upper())
    assert mappings.prediction.tolist() == plain.prediction.tolist()


def test_the_columns_of_awake_are_told_by_name() -> None:
    y, F = rounds(12)
    frame = pd.DataFrame(F, columns=["a", "b", "c"])
    awake = pd.DataFrame(~np.isnan(asleep(F)), columns=["a", "b", "c"])
    plain = Mixture(y, asleep(F), "BOA")
    named = Mixture(y, frame, "BOA", awake=awake[["b", "c", "a"]].astype(int))
    assert named.prediction.tolist() == plain.prediction.tolist()
    assert named.awake.tolist() == named.awakes.tolist() == awake.to_numpy().tolist()
    with pytest.raises(ParameterError, match="awake must have the columns"):
        Mixture(y, frame, awake=awake.rename(columns={"a": "z"}))


def test_who_is_left_out_sleeps() -> None:
    mixture = Mixture([1.0, 2.0], [{"a": 1.0, "b": 3.0}, {"a": 2.0, "b": 1.0}])
    mixture.update({"b": 5.0}, 5.0)
    assert mixture.weights[-1].tolist() == [0.0, 1.0]
    assert mixture.predict({"a": 7.0}).tolist() == [7.0]
    mixture.update([1.0, 2.0], 1.5, awake=[1, 0])
    assert mixture.awake[-1].tolist() == [True, False]
    with pytest.raises(ParameterError, match=r"among \['a', 'b'\], got 'z'"):
        mixture.update({"z": 1.0}, 1.0)


def test_fields_of_both_worlds() -> None:
    y, F = rounds(8)
    mixture = Mixture(y, F, "EWA", parameters={"eta": 0.01}, quiet=False)
    assert mixture.Y.tolist() == mixture.targets.tolist() == mixture.y.tolist()
    assert mixture.predictions.tolist() == mixture.prediction.tolist()
    assert mixture.w.tolist() == mixture.coefficients.tolist()
    assert mixture.parameters == {"eta": 0.01}
    assert mixture.weights[0].tolist() == pytest.approx([1 / 3] * 3)
    assert mixture.prediction == pytest.approx((mixture.weights * F).sum(axis=1))
    assert mixture.learner is not None
    assert mixture.learner.experts_ == ["X1", "X2", "X3"]
    mixture.update(np.empty((0, 3)), [])
    assert repr(mixture) == (
        "Mixture(model='EWA', loss_type='square', loss_gradient=True, rounds=8)"
    )
    assert str(mixture).startswith("Aggregation rule: EWA\n")
    unborn = Mixture()
    assert unborn.coefficients == "Uniform"
    assert unborn.names_experts is None
    assert unborn.learner is None
    assert unborn.prediction.shape == unborn.y.shape == unborn.uniform().shape == (0,)
    assert math.isnan(unborn.loss)
    assert "unknown" in repr(unborn.summary())
    assert unborn.predict([[1.0, 3.0]]).tolist() == [2.0]
    assert unborn.names_experts is None  # predicting changes nothing


@every_model
def test_predicting_changes_nothing(model: str) -> None:
    y, F = rounds(12)
    mixture, other = Mixture(y[:6], F[:6], model), Mixture(y[:6], F[:6], model)
    expected = F[6:] @ mixture.coefficients
    assert mixture.predict(F[6:]) == pytest.approx(expected)
    sleepy = asleep(F)[6:]
    weights = np.where(np.isnan(sleepy), 0.0, mixture.coefficients)
    some = weights.sum(axis=1) > 0
    said = np.nansum(weights * np.nan_to_num(sleepy), axis=1)[some]
    assert mixture.predict(sleepy)[some] == pytest.approx(
        said / weights.sum(axis=1)[some]
    )
    mixture.update(F[6:], y[6:])
    other.update(F[6:], y[6:])
    assert mixture.prediction.tolist() == other.prediction.tolist()


def test_what_was_cannot_be_changed() -> None:
    y, F = rounds(8)
    given = F.copy()
    mixture = Mixture(y, given, "EWA")
    given[:] = 0.0
    assert mixture.experts.tolist() == F.tolist()
    with pytest.raises(ValueError, match="read-only"):
        mixture.experts[0, 0] = 1.0
    mixture.coefficients[0] = 5.0
    assert mixture.coefficients.sum() == pytest.approx(1)


@every_model
def test_copies_go_their_own_way(model: str) -> None:
    y, F = rounds(16)
    mixture = Mixture(y[:8], F[:8], model)
    twins = [copy.deepcopy(mixture), pickle.loads(pickle.dumps(mixture))]  # noqa: S301 - our own
    mixture.update(F[8:], y[8:])
    for twin in twins:
        assert len(twin.y) == 8
        twin.update(F[8:], y[8:])
        assert twin.prediction.tolist() == mixture.prediction.tolist()


@tried(1.5)
@given(st.data(), st.sampled_from(MODELS), st.booleans(), st.booleans())
def test_predictions_are_weighted_means(
    data: Any, model: str, gradient: bool, fixed: bool
) -> None:
    n = data.draw(st.integers(1, 4))
    number = st.floats(-1e3, 1e3, width=32)
    row = st.lists(number, min_size=n, max_size=n)
    F = np.array(data.draw(st.lists(row, min_size=1, max_size=8)))
    mask = st.lists(st.booleans(), min_size=n, max_size=n).filter(any)
    size = len(F)
    awake = np.array(data.draw(st.lists(mask, min_size=size, max_size=size)))
    y = np.array(data.draw(st.lists(number, min_size=size, max_size=size)))
    parameters = FIXED.get(model) if fixed else None
    mixture = Mixture(
        y, F, model, loss_gradient=gradient, awake=awake, parameters=parameters
    )
    assert (mixture.weights >= 0).all()
    assert (mixture.weights[~awake] == 0).all()
    assert mixture.weights.sum(axis=1) == pytest.approx(np.ones(size))
    means = (mixture.weights * F).sum(axis=1)
    assert mixture.prediction == pytest.approx(means, rel=1e-9, abs=1e-6)
    assert mixture.coefficients.sum() == pytest.approx(1)


# Losses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("mse", losses.SQUARE),
        ("MAE", losses.ABSOLUTE),
        ("mape", losses.PERCENTAGE),
        ({"name": "square"}, losses.SQUARE),
        ({"name": "pinball", "tau": 0.9}, losses.pinball(0.9)),
        ({"name": "pinball"}, losses.pinball(0.5)),
        ("pinball", losses.pinball(0.5)),
        (losses.pinball(0.2), losses.pinball(0.2)),
    ],
)
def test_losses_by_their_names(theirs: Any, ours: losses.Loss) -> None:
    assert Mixture(loss_type=theirs).loss_type == ours


def test_tau_may_stand_among_the_parameters() -> None:
    mixture = Mixture(loss_type="pinball", parameters={"tau": 0.9})
    assert mixture.loss_type == losses.pinball(0.9)


@every_model
@both_ways
def test_a_loss_of_your_own(model: str, gradient: bool) -> None:
    def value(p: float, y: float) -> float:
        return (p - y) ** 2

    def slope(p: float, y: float) -> float:
        return 2 * (p - y)

    y, F = rounds(15)
    own = Mixture(
        y, F, model, loss_type=value, loss_gradient=slope if gradient else False
    )
    named = Mixture(y, F, model, loss_gradient=gradient)
    assert own.prediction == pytest.approx(named.prediction, rel=1e-12)
    assert own.loss == pytest.approx(named.loss)
    # A slope may also be given for a loss that has a name.
    if gradient:
        both = Mixture(y, F, model, loss_gradient=slope)
        assert both.prediction == pytest.approx(named.prediction, rel=1e-12)
    best = oracle(y, F, loss_type=value, model="expert")
    assert best.loss == pytest.approx(oracle(y, F, model="expert").loss)


# Oracles ----------------------------------------------------------------------------


def test_oracles_of_other_losses_and_sleepers() -> None:
    y, F = rounds(20)
    for kind in ("expert", "convex", "linear", "shifting"):
        best = oracle(y, F, kind, loss_type={"name": "pinball", "tau": 0.9})
        assert isinstance(best, Oracle)
        assert best.names_experts == ["X1", "X2", "X3"]
        assert kind in repr(best)
    plain = oracle(y, F, "linear")
    held = oracle(y, F, "linear", lambda_=1e6)
    assert abs(held.coefficients).sum() < abs(plain.coefficients).sum()
    sleepy = asleep(F)
    best = oracle(y, F, "expert", awake=~np.isnan(sleepy))
    means = np.nanmean((sleepy - y[:, np.newaxis]) ** 2, axis=0)
    assert best.loss == pytest.approx(means.min())
    assert best.rmse == pytest.approx(math.sqrt(means.min()))
    frame = pd.DataFrame(F, columns=["a", "b", "c"])
    assert oracle(pd.Series(y), frame).names_experts == ["a", "b", "c"]


# Refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "OGD"}, "one that is implemented; BOA and MLpol.*got 'OGD'"),
        ({"model": "ridge"}, "one that is implemented; oracle.*got 'ridge'"),
        ({"model": "FTRL"}, "one that is implemented; EWA is.*got 'FTRL'"),
        ({"model": "ada"}, "model must be one of 'EWA', 'FS', .*, got 'ada'"),
        ({"model": [[1, 0]]}, r"model must be one of .*, got \[\[1, 0\]\]"),
        ({"loss_type": "msle"}, "loss_type must be 'square', .*, got 'msle'"),
        ({"loss_type": {"name": "mse", "tau": 0.5}}, "loss_type must be"),
        ({"loss_type": {"name": "pinball", "tau": 2}}, "tau must lie between 0 and 1"),
        ({"loss_type": 3}, "loss_type must be .*, got 3"),
        ({"loss_type": losses.LOG}, "a loss of numbers, got losses.LOG"),
        ({"loss_type": lambda p, y: p - y}, "needs loss_gradient.*, got True"),
        ({"loss_gradient": "yes"}, "loss_gradient must be True or False, got 'yes'"),
        ({"parameters": {"eta": 1}}, "parameters of MLpol are none, got 'eta'"),
        (
            {"model": "EWA", "parameters": {"averaged": True}},
            "parameters of EWA are eta, gamma, grid.eta, got 'averaged'",
        ),
        ({"model": "EWA", "parameters": {"eta": -1}}, "eta must exceed 0, got -1"),
        ({"model": "EWA", "parameters": {"gamma": 1}}, "gamma must exceed 1, got 1.0"),
        ({"model": "FS", "parameters": {"eta": 1}}, "eta and alpha together"),
        (
            {"model": "FS", "parameters": {"eta": 1, "alpha": 1}},
            "alpha must lie between 0 and 1, got 1.0",
        ),
        (
            {"model": "FS", "parameters": {"grid.alpha": [0.1, 3]}},
            "alpha must lie between 0 and 1, got 3.0",
        ),
        (
            {"model": "EWA", "parameters": {"grid.eta": []}},
            r"grid.eta must be a list of numbers, got \[\]",
        ),
        ({"coefficients": "even"}, "coefficients must be 'Uniform' or numbers"),
        ({"model": "BOA", "coefficients": [0, 1]}, "numbers above 0"),
        ({"coefficients": [1, 2]}, "MLpol must be 'Uniform'.*experts.MLPoly"),
        ({"model": "MLprod", "coefficients": [1, 2]}, "experts.MLProd takes priors"),
        ({"quiet": "no"}, "quiet must be True or False, got 'no'"),
        ({"y": [1.0]}, "y and experts must be given together.*got no experts"),
        ({"experts": [[1.0]]}, "y and experts must be given together.*got no y"),
        (
            {"y": [1.0], "experts": [[1.0]], "model": "BOA", "coefficients": [1, 2]},
            "coefficients must be one for each of 1 experts, got 2",
        ),
    ],
)
def test_arguments_that_make_no_sense(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Mixture(**arguments)


def test_equal_coefficients_are_uniform() -> None:
    y, F = rounds(5)
    same = Mixture(y, F, coefficients=[2, 2, 2])
    assert same.prediction.tolist() == Mixture(y, F).prediction.tolist()


@every_model
@pytest.mark.parametrize(
    ("new_experts", "new_y", "message"),
    [
        ([[1.0, 2.0, math.inf]], [1.0], "row 0: expert 2 must predict a finite"),
        ([[math.nan] * 3], [1.0], "row 0: at least one expert must be awake"),
        ([[1.0, 2.0]], [1.0], "Mixture: .* each of 3 experts, got 2"),
        ([[1.0, 2.0, 3.0]], [math.nan], "row 0: an outcome must be a finite number"),
        ([[1.0, 2.0, 3.0]], [1.0, 2.0], "one outcome for each of 1 rows"),
        ([[1.0, 2.0, 3.0]], np.ones((1, 2)), "y must be one outcome a round"),
        ([[[1.0], [2.0], [3.0]]], [1.0], "experts must predict numbers"),
    ],
)
def test_a_refused_block_changes_nothing(
    model: str, new_experts: Any, new_y: Any, message: str
) -> None:
    y, F = rounds(10)
    mixture = Mixture(y, F, model)
    before = mixture.coefficients.tolist()
    with pytest.raises(ValueError, match=message):
        mixture.update(new_experts, new_y)
    assert mixture.coefficients.tolist() == before
    assert len(mixture.y) == 10


def test_half_awake_is_refused() -> None:
    with pytest.raises(ParameterError, match="awake must be truth values, or 0 and 1"):
        Mixture([1.0], [[1.0, 2.0]], awake=[[1.0, 0.5]])


@every_model
@pytest.mark.parametrize("first", [0, 4])
def test_a_round_refused_on_the_way(model: str, first: int) -> None:
    """Rounds before it are kept, and what comes later is as if it had not been."""
    y, F = rounds(12)
    mixture = Mixture(model=model, loss_type="percentage")
    if first:
        mixture.update(F[:first], y[:first])
    bad = y.copy()
    bad[6] = 0.0
    with pytest.raises(ExampleError, match=f"row {6 - first}: .*{6 - first} rounds"):
        mixture.update(F[first:], bad[first:])
    assert len(mixture.y) == 6
    mixture.update(F[6:], y[6:])
    whole = Mixture(y, F, model, loss_type="percentage")
    assert mixture.prediction.tolist() == whole.prediction.tolist()
    assert mixture.coefficients.tolist() == whole.coefficients.tolist()


@pytest.mark.parametrize("model", ["EWA", "FS"])
@pytest.mark.parametrize("call", [1, 9, 200])
def test_a_loss_that_fails_midway_leaves_no_candidate_ahead(
    model: str, call: int
) -> None:
    left = math.inf

    def value(p: float, y: float) -> float:
        nonlocal left
        left -= 1
        if left == 0:
            raise ValueError("out of order")
        return abs(p - y)

    y, F = rounds(12)
    mixture = Mixture(model=model, loss_type=value, loss_gradient=False)
    mixture.update(F[:5], y[:5])
    left = call
    with pytest.raises(ValueError, match="out of order") as caught:
        mixture.update(F[5:], y[5:])
    left = math.inf
    played = len(mixture.y)
    if isinstance(caught.value, ExampleError):
        assert caught.value.row == caught.value.rounds == played - 5
    mixture.update(F[played:], y[played:])
    whole = Mixture(y, F, model, loss_type=value, loss_gradient=False)
    assert mixture.prediction.tolist() == whole.prediction.tolist()


@every_model
def test_a_refused_first_round_leaves_nobody_behind(model: str) -> None:
    mixture = Mixture(model=model, loss_type="percentage")
    with pytest.raises(ExampleError, match="row 0: .*must not be 0"):
        mixture.update([[1.0, 2.0]], [0.0])
    assert mixture.names_experts is None
    mixture.update([[1.0, 2.0, 3.0]], [2.0])
    assert mixture.prediction.tolist() == pytest.approx([2.0])


def test_oracles_that_make_no_sense() -> None:
    y, F = rounds(5)
    with pytest.raises(ParameterError, match="oracle: model must be .*, got 'best'"):
        oracle(y, F, "best")  # type: ignore[arg-type]  # that is the test
    with pytest.raises(ValueError, match="finite number"):
        oracle(y, asleep(F), "linear")


# Drawings ---------------------------------------------------------------------------


def test_what_is_drawn() -> None:
    y, F = rounds(20)
    mixture = Mixture(y, asleep(F), "BOA")
    labels, parts = _plots.weights_of(mixture, max_experts=2)
    assert labels[-1] == "others"
    assert parts.sum(axis=1) == pytest.approx(np.ones(20))
    labels, parts = _plots.weights_of(mixture)
    assert sorted(labels) == ["X1", "X2", "X3"]
    means = _plots.losses_of(mixture)
    assert means["BOA"] == pytest.approx(mixture.loss)
    assert means["X1"] == pytest.approx(np.nanmean((asleep(F)[:, 0] - y) ** 2))
    assert list(means.values()) == sorted(means.values())
    lines = _plots.lines_of(mixture)
    assert lines["BOA"][-1] == pytest.approx((y - mixture.prediction).sum())
    assert set(lines) == {"X1", "X2", "X3", "BOA", "Uniform"}


def test_drawing_needs_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    y, F = rounds(5)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"littlestone\[plots\]"):
        Mixture(y, F).plot_mixture()
    with pytest.raises(ParameterError, match="plot_type must be .*, got 'pie'"):
        Mixture(y, F).plot_mixture("pie")
    with pytest.raises(ParameterError, match="max_experts must be a whole number"):
        Mixture(y, F).plot_mixture(max_experts=0)
    with pytest.raises(ParameterError, match="rounds to draw, got none"):
        Mixture().plot_mixture()


@pytest.mark.parametrize("kind", ["plot_weight", "avg_loss", "cumul_res"])
def test_it_draws(kind: str) -> None:
    figure = pytest.importorskip("matplotlib.figure", reason="Matplotlib is not here")
    y, F = rounds(20)
    axes = figure.Figure().subplots()
    drawn = Mixture(y, F).plot_mixture(kind, ax=axes, title="Load")
    assert drawn is axes
    assert axes.get_title() == "Load"


def test_it_draws_on_axes_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    plt = pytest.importorskip("matplotlib.pyplot", reason="Matplotlib is not here")
    y, F = rounds(20)
    axes = Mixture(y, F).plot_mixture()
    assert axes.get_title() == "Weights of the experts"
    plt.close(axes.figure)


# MLEwa ------------------------------------------------------------------------------


def test_mlewa_is_a_learner_without_a_theorem() -> None:
    learner = MLEwa(loss="absolute", gradient=True)
    assert learner.guarantees == ()
    assert learner.get_params() == {
        "loss": "absolute",
        "gradient": True,
        "range": None,
        "experts": None,
    }
    y, F = rounds(30)
    said = learner.play(F, y)
    expected, _, weights = reference.play(
        reference.MLewa(3), F, y, reference.LOSSES["absolute"], gradient=True
    )
    assert said == pytest.approx(expected)
    assert np.asarray(learner.weights_) == pytest.approx(weights)
    again = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own
    assert again.weights_ == learner.weights_
    assert learner.clone().updates_ == 0
    assert learner.expected_mistakes_ is None
    votes = MLEwa(loss="zero-one", experts=["a", "b"])
    votes.learn_one({"a": True, "b": False}, y=True)
    assert votes.expected_mistakes_ == 0.5
