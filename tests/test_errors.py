"""What an error carries, and how its message is made of that."""

from __future__ import annotations

import pickle

import pytest

from littlestone import errors, run, streams
from littlestone.errors import Hint, LittlestoneError, ParameterError, PremiseError
from littlestone.experts import ExponentialWeights
from littlestone.linear import Winnow
from littlestone.theorems import get

SKIP = Hint("unlabelled", "skip", "leaves it out")


def test_a_message_is_made_of_where_who_what_hints_and_rounds() -> None:
    error = LittlestoneError(
        "a line must have a label",
        owner="vw",
        where="mail.vw:3",
        hints=[SKIP, Hint("positive", does="names the label that means yes")],
        rounds=1,
    )
    assert str(error) == (
        "mail.vw:3: vw: a line must have a label; unlabelled='skip' leaves it out, "
        "positive= names the label that means yes; 1 round played"
    )
    assert repr(error) == f"LittlestoneError({str(error)!r})"
    assert error.message(lambda hint: hint.argument).endswith(
        "label; unlabelled, positive; 1 round played"
    )


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, LittlestoneError)
    ],
)
def test_every_error_survives_a_pickle(kind: type[LittlestoneError]) -> None:
    error = kind("it must hold", owner="Winnow", where="row 3", rounds=3, hints=[SKIP])
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
    # Some libraries, such as tblib, change how exceptions are pickled to this.
    assert type(kind.__new__(kind)) is kind  # type: ignore[call-overload]


def test_learners_name_themselves() -> None:
    with pytest.raises(ParameterError) as caught:
        Winnow(threshold=2, promotion=1)
    assert caught.value.owner == "Winnow"
    assert caught.value.what == "promotion must exceed 1, got 1"
    assert str(caught.value) == "Winnow: promotion must exceed 1, got 1"


def test_what_the_core_refuses_has_an_owner_and_hints() -> None:
    learner = ExponentialWeights(1.0, range=(0, 1))
    with pytest.raises(LittlestoneError) as caught:
        run(learner, streams.advice([[0.0, 1.0]], [9.0]))
    assert caught.value.owner == "ExponentialWeights"
    assert caught.value.hints == (Hint("range", does="declares another range"),)


def test_a_theorem_names_itself() -> None:
    with pytest.raises(PremiseError, match="^PERC-SEP: margin must exceed 0, got 0$"):
        get("PERC-SEP").bound(radius=1, margin=0)
