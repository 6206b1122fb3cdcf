"""Every theorem is found, says what it is in words and LaTeX, and how tight it is."""

from __future__ import annotations

import inspect
import math
import re
from collections import deque
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser

import latex
import saved
from littlestone import theorems
from littlestone.errors import ParameterError, PremiseError
from littlestone.linear import Perceptron, Winnow
from littlestone.theorems import DELAY, PERC_LB, WIN2_LEMMA, Condition, Theorem
from littlestone.theorems._numbers import _MEANINGS, _SOURCES

every = pytest.mark.parametrize(
    "theorem", theorems.all(), ids=lambda theorem: theorem.id
)


# Found -------------------------------------------------------------------------------


def test_every_exported_theorem_is_found_by_its_id() -> None:
    exported = [getattr(theorems, name) for name in theorems.__all__]
    known = [thing for thing in exported if isinstance(thing, Theorem)]
    assert len(known) == len(theorems.all()) == len(set(theorems.all()))
    for name in theorems.__all__:
        if isinstance(theorem := getattr(theorems, name), Theorem):
            assert theorems.get(name) is theorem
            assert theorems.get(theorem.id) is theorem
            assert theorems.get(theorem.id.lower()) is theorem
            assert name == theorem.id.upper().replace("-", "_")


def test_the_order_is_always_the_same() -> None:
    assert theorems.all() is theorems.all()
    first = [theorem.id for theorem in theorems.all()][:5]
    assert first == ["PERC-SEP", "PERC-TD", "PERC-HINGE", "PERC-FS", "PERC-BIAS"]


@pytest.mark.parametrize(
    ("identifier", "near"),
    [("PERC-FX", "PERC-FS"), ("halvng", "HALV"), ("KNCF", "kCNF"), ("EWAT", "EWA-T")],
)
def test_an_unknown_theorem_names_those_near_to_it(identifier: str, near: str) -> None:
    with pytest.raises(ParameterError, match=rf"such as .*\b{near}\b") as caught:
        theorems.get(identifier)
    assert f"got {identifier!r}" in str(caught.value)
    assert "COVER-PHI" not in str(caught.value)


@pytest.mark.parametrize("identifier", ["NOVIKOFF", "", 3, None])
def test_where_nothing_is_near_all_are_named(identifier: Any) -> None:
    known = "PERC-SEP, PERC-TD, .*, "
    with pytest.raises(ParameterError, match=f"one of {known}.* got {identifier!r}$"):
        theorems.get(identifier)


# What it says of itself --------------------------------------------------------------


@every
def test_each_theorem_says_what_it_is(theorem: Theorem) -> None:
    assert theorem.premises
    assert theorem.counts in theorem.statement
    assert re.search(r"\((19|20)\d\d\), ", theorem.reference)
    assert str(theorem) == f"{theorem.id}: {theorem.statement}"


@every
@pytest.mark.soak  # test_site.py writes them as MathML, and below they are computed
def test_the_formula_can_be_drawn(theorem: Theorem) -> None:
    MathTextParser("path").parse(f"${theorem.latex}$")  # ValueError if it is not LaTeX


@every
def test_the_formula_says_what_it_bounds(theorem: Theorem) -> None:
    assert "$" not in theorem.latex
    equal = theorem.statement.startswith("exactly")
    relation = "=" if equal else r"\geq" if theorem.lower else r"\leq"
    # How many examples suffice is said in whichever way is usual.
    assert theorem.counts == "examples" or f" {relation} " in theorem.latex


@every
def test_every_number_is_explained(theorem: Theorem) -> None:
    names = inspect.signature(theorem.formula).parameters
    assert list(theorem.numbers) == list(names)
    for name, what in theorem.numbers.items():
        assert what == what.strip() != ""
        missing = names[name].default is None and name not in {"experts", "prior"}
        missing &= name not in {"size", "log_size"}  # one of which is enough
        assert not missing or what.endswith(("unless given", "if not")), what
    with pytest.raises(TypeError):
        theorem.numbers["radius"] = "x"  # type: ignore[index]  # it cannot be changed


def test_nothing_is_explained_that_nobody_takes() -> None:
    taken = {
        f"{name} {theorem.id}" for theorem in theorems.all() for name in theorem.numbers
    }
    for key in _MEANINGS | _SOURCES:
        name, _, family = key.partition(" ")
        assert any(one.startswith(f"{name} {family}") for one in taken), key


@every
def test_every_number_comes_from_somewhere(theorem: Theorem) -> None:
    assert theorem.sources.keys() == theorem.numbers.keys()
    assert {*theorem.sources.values()} <= {"known", "declared", "hindsight"}
    with pytest.raises(TypeError):
        theorem.sources["radius"] = "known"  # type: ignore[index]  # it cannot be changed


def test_a_name_may_come_from_elsewhere_in_another_theorem() -> None:
    found = [theorems.get(name).sources for name in ("WIN1", "PERC-BIAS", "WIN2-KOFR")]
    assert [found[0]["threshold"], found[1]["threshold"]] == ["known", "declared"]
    assert [theorems.KDNF.sources["k"], found[2]["k"]] == ["known", "declared"]
    assert theorems.BOA.sources["growth"] == "hindsight"


NEEDED = {
    Condition.AWAKE: "ADAHEDGE-FIRST EWA EWA-T EWA-TUNED EWA-XC FS FS-XC HALV HALV-R "
    "MIX-EWA RWM RWM-TUNED WM WM-FLOOR WM-FLOOR-START",
    Condition.ASLEEP: "SLEEP SLEEP-T SLEEP-XC",
    Condition.CHARGED: "EWA EWA-TUNED SLEEP",
    Condition.CURVED: "EWA-XC FS-XC SLEEP-XC",
    Condition.UNIT: "BOA-PUB ML-PROD-PUB",
    Condition.TUNED: "EWA-TUNED RWM-TUNED",
    Condition.CLASSES: "MCPA-ORDER MCPA-SEP MCPA-STEPS MCPA1 MCPA2 MCPERC-RMS "
    "MCPERC-SEP MCPERC-TD",
}


@pytest.mark.parametrize("condition", Condition)
def test_a_condition_is_needed_where_a_premise_says_so(condition: Condition) -> None:
    found = {theorem.id for theorem in theorems.all() if condition in theorem.needs}
    assert found == set(NEEDED[condition].split())


@pytest.mark.parametrize("one", saved.every(), ids=str)
def test_what_a_learner_knows_no_theorem_leaves_to_hindsight(one: saved.Saved) -> None:
    learner, _ = one.played(0, len(one.rounds))
    for theorem in learner.guarantees:
        left = {name for name, at in theorem.sources.items() if at == "hindsight"}
        assert left.isdisjoint(learner.known_)
        assert theorem.needs <= {*Condition}
    assert learner.unmet_ <= {*Condition}


@every
def test_how_tight_it_is_is_a_sentence(theorem: Theorem) -> None:
    if theorem.tight:
        assert theorem.tight[0].isupper()
        assert theorem.tight.endswith(".")
        known = {other.id for other in theorems.all()} - {theorem.id}
        named = re.findall(r"\b[A-Zk][A-Z0-9]*(?:-[A-Z]+)*\b", theorem.tight)
        for word in named:
            assert word in known | set("ABCDEHNSXk") | {"TD"}, word


@every
def test_a_lower_bound_and_the_upper_one_name_each_other(theorem: Theorem) -> None:
    if theorem.lower and theorem.id != "FTM-LB":
        named = theorem.tight.split(": ")[1].rstrip(".")
        for other in re.findall(r"[A-Z]+(?:-[A-Z]+)*", named):
            assert theorem.id in theorems.get(other).tight


# The formulas that LaTeX spells out differently --------------------------------------


@given(st.integers(1, 9), st.integers(0, 9), st.integers(0, 90))
def test_k_of_r_is_what_its_latex_says(k: int, more: int, idle: int) -> None:
    r, n = k + more, k + more + idle
    growth = 1 + math.log(n) / math.log1p(1 / (2 * k))
    u = 2 * k / (k + 1) * (r * growth + (k - 1) * (2 * k + 1))
    expected = (2 + 1 / (2 * k)) * u + 2 * k + 1
    bound = theorems.WIN2_KOFR.bound(features=n, relevant=r, k=k)
    assert bound == pytest.approx(expected)


# PERC-LB, WIN2-LEMMA, DELAY ----------------------------------------------------------


@pytest.mark.parametrize(
    ("margin", "bound"),
    [(1, 1), (0.5, 4), (Fraction(1, 10), 100), (0.1, 99), (Fraction(2, 3), 2), (2, 0)],
)
def test_unit_vectors_by_hand(margin: Fraction, bound: int) -> None:
    # The float 0.1 is more than 1/10, so that the hundredth vector is one too many.
    assert PERC_LB.bound(margin=margin) == bound
    assert PERC_LB.formula(margin=margin) <= theorems.PERC_SEP.formula(
        radius=1, margin=margin
    )


def test_demotions_by_hand() -> None:
    # beta/(beta - 1) = 3, so 3 * 6/9 + 3/2 * 4
    numbers: dict[str, Any] = {"features": 6, "threshold": 9, "promotion": 1.5}
    assert WIN2_LEMMA.bound(**numbers, promotions=4) == 8
    with pytest.raises(PremiseError, match="promotions must be a whole number, got 1"):
        WIN2_LEMMA.bound(**numbers, promotions=1.5)


@given(
    st.integers(1, 6),
    st.floats(1, 8),
    st.sampled_from([1.25, 1.5, 2.0, 4.0]),
    st.integers(0, 2**32),
)
def test_demotions_never_exceed_the_lemma(
    n: int, threshold: float, promotion: float, seed: int
) -> None:
    # Labels against the prediction, so that every round changes the weights.
    rng = np.random.default_rng(seed)
    learner = Winnow(threshold=threshold, promotion=promotion)
    promotions = demotions = 0
    for _ in range(60):
        x = {i: rng.choice([0.0, 0.25, 0.5, 1.0]) for i in range(n)}
        said = learner.predict_one(x)
        if not said and not any(x.values()):
            continue
        label = not said if rng.random() < 0.9 else said
        learner.learn_one(x, label)
        promotions += label and not said
        demotions += said and not label
        assert demotions <= WIN2_LEMMA.bound(
            features=n,
            promotions=promotions,
            threshold=threshold,
            promotion=promotion,
        )


def delayed(stream: list[tuple[dict[int, float], bool]], waits: list[int]) -> int:
    """Return the Perceptron's mistakes when waits[t] more predictions come first."""
    learner, waiting, mistakes = Perceptron(), deque[Any](), 0
    for t, (x, y) in enumerate(stream):
        mistakes += learner.predict_one(x) != y
        waiting.append((t + waits[t], x, y))
        for item in [item for item in waiting if item[0] <= t]:
            waiting.remove(item)
            if learner.predict_one(item[1]) != item[2]:
                learner.learn_one(item[1], item[2])
    return mistakes


@given(st.integers(0, 4), st.integers(0, 2**32))
def test_late_labels_cost_no_more_than_the_bound(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(80, 3)), 2)
    u = np.array([0.6, 0.8, 0.0])
    X = X[np.abs(X @ u) > 0.5]
    stream = [(dict(enumerate(x.tolist())), bool(x @ u > 0)) for x in X]
    waits = rng.integers(0, k + 1, size=len(stream)).tolist()
    updates = theorems.PERC_SEP.bound(
        radius=float(np.linalg.norm(X, axis=1).max()) * (1 + 1e-9), margin=0.5
    )
    assert delayed(stream, waits) <= DELAY.bound(delay=k, updates=updates)


@pytest.mark.parametrize("k", [0, 1, 5])
def test_unit_vectors_shown_again_and_again_attain_the_bound(k: int) -> None:
    n = 9
    # A new vector is a yes at first: the label no, k + 1 times before the first comes.
    stream = [({i: 1.0}, False) for i in range(n) for _ in range(k + 1)]
    bound = DELAY.bound(delay=k, updates=PERC_LB.bound(margin=Fraction(1, 3)))
    assert delayed(stream, [k - t % (k + 1) for t in range(len(stream))]) == bound


# How tight, where nothing else tests it ----------------------------------------------


def test_alternating_labels_approach_the_total_deviation() -> None:
    learner, rounds = Perceptron(), 10_000
    for t in range(rounds):
        learner.learn_one({0: 1.0}, t % 2 == 1)
    # u = 1 and gamma = 1: a yes falls short by nothing, a no by 2.
    numbers: dict[str, Any] = {"radius": 1, "margin": 1}
    total = theorems.PERC_TD.bound(**numbers, deviation=rounds)
    assert learner.updates_ == rounds
    assert 0.98 * total < rounds <= total
    assert theorems.PERC_HINGE.bound(**numbers, hinge=rounds) == 2 * rounds + 1


def test_a_large_margin_makes_freund_and_schapire_count_rounds() -> None:
    scores = np.array([0.5, -0.75, 0.25, 1.0, -1.0])
    gamma = 1e6
    deviation = math.sqrt(float(((gamma - scores) ** 2).sum()))
    bound = theorems.PERC_FS.bound(radius=1, margin=gamma, deviation_norm=deviation)
    assert bound == pytest.approx(len(scores), rel=1e-5)


def test_unit_vectors_force_a_quarter_of_the_gap_and_nearly_all_of_a_threshold() -> (
    None
):
    n = 64
    for bias in (1.0, 0.125):
        learner = Perceptron(bias=bias)
        labels = set()
        for i in range(n):
            label = not learner.predict_one({i: 1.0})
            learner.learn_one({i: 1.0}, label)
            labels.add(label)
        assert learner.updates_ == n
        assert labels == {False, True}
        bound = theorems.PERC_BIAS.bound(radius=1, margin=0.125, threshold=0, bias=bias)
        assert bound == n * (1 + bias**2)
    assert theorems.PERC_GAP.bound(radius=1, gap=0.25) == 4 * n


# The LaTeX says what the formula computes --------------------------------------------

NUMBERS: dict[str, float] = {
    "owed": 7,
    "portion": 0.25,
    "potential": 3,
    "price": 1.5,
    "residual": 6,
    "a": 0.75,
    "aggressiveness": 0.375,
    "before": 3,
    "best": 20,
    "batches": 100,
    "beta": 0.375,
    "bias": 2,
    "blocks": 4,
    "budget": 40,
    "concepts": 9,
    "delay": 2,
    "delta": 0.0625,
    "deviation": 3,
    "deviation_norm": 1.25,
    "dimension": 3,
    "drift": 1.75,
    "energy": 9,
    "epsilon": 0.3125,
    "eta": 0.3125,
    "examples": 50,
    "displaced": 2,
    "exceptions": 6,
    "experts": 9,
    "bets": 3.5,
    "entropy": 2.5,
    "excess": 0.5,
    "features": 7,
    "first": 0.75,
    "gain": 0.625,
    "gained": 1.125,
    "gap": 0.375,
    "grown": 2,
    "growth": 5,
    "highest": 45,
    "hinge": 4,
    "hinge_squares": 2.5,
    "jumps": 1,
    "k": 2,
    "l1": 0.25,
    "l2": 0.5,
    "length": 3,
    "level": 2.5,
    "log_det": 2,
    "lowest": 5,
    "margin": 0.75,
    "margin_updates": 2,
    "mean_loss": 0.875,
    "mean_radius": 1.25,
    "mean_scale": 0.75,
    "mistakes": 3,
    "norm": 1.5,
    "ones": 20,
    "pairs": 4,
    "phi": 0.25,
    "pieces": 3,
    "promotion": 1.25,
    "promotions": 4,
    "r": 3,
    "radius": 2.5,
    "rate": 0.125,
    "relevant": 3,
    "rounds": 50,
    "saved": 5,
    "scale": 1.125,
    "share": 0.125,
    "size": 9,
    "slack": 3.5,
    "smallest": 0.125,
    "square": 30,
    "spread": 1.75,
    "squares": 30,
    "steps": 5.5,
    "strangers": 2,
    "survived": 9,
    "switches": 2,
    "threshold": 3,
    "ties": 3,
    "updates": 9.5,
    "variance": 30,
    "wealth": 6,
    "weight": 2.25,
}

# Other numbers, so that each side of a maximum or minimum is the one that counts.
OTHERS: list[dict[str, float]] = [
    {},
    {
        "aggressiveness": 0.0625,
        "delta": 0.5,
        "mistakes": 1,
        "ones": 2,
        "rate": 1 / 128,
        "rounds": 3,
        "scale": 9,
        "smallest": 1,
        "squares": 2,
        "ties": 60,
    },
    {"mistakes": 30, "rounds": 4000, "squares": 900},
]

# How the symbols with which `numbers` begins are written in LaTeX.
GREEK = "Phi rho alpha beta gamma delta epsilon eta theta"
LATEX = {name: rf"\{name}" for name in GREEK.split()} | {
    "epsilon": r"\varepsilon",
    "phi(y)": r"\varphi(y_1, \ldots, y_n)",
    "TD": r"\mathrm{TD}",
    "Ldim(H)": r"\mathrm{Ldim}(H)",
    "|u|": r"\|u\|",
    "|u|_1": r"\|u\|_1",
    "|U|": r"\|U\|",
    "H2": "H_2",
    "E1": "E_1",
    "L-": "L^-",
    "L+": "L^+",
    "V": "V_i",
}
MORE = {  # symbols of the formula for numbers that `numbers` tells without one
    "log_det": r"\Lambda",
    "grown": r"\ln Z",
    "energy": "E",
    "ties": "z",
    "prior": "p_i",
    "drift": r"\sum_t \sum_i \frac{x_{t,i}^2 (\mu_{t,i} - u_i)^2}{r}",
}
PART = {  # and where one theorem writes it otherwise
    ("WIN2-GAP", "weight"): r"\sum_i w_i",
    ("WIN2-LEMMA", "promotions"): "u",
    ("EWA", "best"): "L_i",
    ("SLEEP", "best"): "L_i",
    ("EWA-TUNED", "best"): "L^*",
    ("ADAHEDGE-FIRST", "best"): "L^*",
    ("ADAHEDGE", "variance"): "V",
    ("WM-FLOOR", "best"): "m_I",
    ("ADAGRAD", "drift"): "P",
    ("MCADAGRAD", "drift"): "P",
    ("FTRL-L1", "drift"): "P",
    ("FTRL-L1", "l1"): r"\lambda_1",
    ("FTRL-L1", "l2"): r"\lambda_2",
}
LEFT_OUT = {"start", "heaviest", "lightest", "prior", "log_size", "negations"}
# Their formula is a sentence, and other tests compare them with binomial tails; or it
# is that of two or three theorems, with which test_restarting.py and test_mixing.py
# compare it.
APART = {"EST-EXACT", "PAC-OCCAM", "MIX-PA", "WM-RESTART"}


def symbols(
    theorem: Theorem, chosen: dict[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return numbers that the theorem takes, and the same by their symbols."""
    sleeping = theorem.id.startswith("SLEEP")
    numbers, known = {}, {}
    for name, what in theorem.numbers.items():
        if sleeping and name == "experts":
            continue
        if name in LEFT_OUT and not (sleeping and name == "prior"):
            continue
        number = 0.0625 if name == "prior" else (NUMBERS | chosen)[name]
        number = 0.75 if theorem.id == "ACI" and name == "level" else number
        symbol = what.split(",")[0].split(";")[0]
        symbol = MORE.get(name, LATEX.get(symbol, symbol))
        numbers[name] = number
        known[PART.get((theorem.id, name), symbol)] = number
    return numbers, known


@every
@pytest.mark.parametrize("chosen", OTHERS, ids=("first", "small", "large"))
def test_the_latex_says_what_the_formula_computes(
    theorem: Theorem, chosen: dict[str, float]
) -> None:
    if theorem.id in APART:
        return
    numbers, known = symbols(theorem, chosen)
    known["e"] = math.e
    if theorem.id == "WIN1":
        numbers["threshold"] = known[r"\theta"] = 5
    if theorem.id == "COVER":
        n = int(numbers["rounds"])
        walks = [abs(n - 2 * k) * math.comb(n, k) for k in range(n + 1)]
        known[r"\mathbb{E} |S_n|"] = sum(walks) / 2**n
    if theorem.id == "BOA-PUB":
        known["P"] = 1 / numbers["experts"]
    if theorem.id == "WIN2-GAP":  # N and G are those of WIN2-SEP
        delta = numbers["gap"] / numbers["level"]
        promoted = known | {r"\beta": 1 + delta / 2, "x": numbers["smallest"]}
        for letter in "NG":
            part = re.search(rf"{letter} = (.*?)(, \\quad|$)", theorems.WIN2_SEP.latex)
            assert part is not None
            known[letter] = latex.value_of(part[1], promoted)
    expected = latex.bound_of(theorem.latex, known)
    assert theorem.bound(**numbers) == pytest.approx(expected, rel=1e-9)
