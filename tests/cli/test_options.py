"""Options are declared once, and one learner can be written in one word."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pytest

from command import call
from littlestone.cli._groups import with_options
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._maps import as_map
from littlestone.cli._options import Files, Passes, ReadingOptions
from littlestone.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("perceptron", LearnerOptions(learner="perceptron")),
        ("perceptron:", LearnerOptions(learner="perceptron")),
        ("perceptron:normalize", LearnerOptions(learner="perceptron", normalize=True)),
        ("perceptron:strict", LearnerOptions(learner="perceptron", strict=True)),
        (
            "perceptron:normalize=no,bias=1",
            LearnerOptions(learner="perceptron", normalize=False, bias=1.0),
        ),
        (
            "winnow:threshold=50,promotion=1.5",
            LearnerOptions(learner="winnow", threshold=50.0, promotion=1.5),
        ),
        (
            "passive-aggressive:C=0.1,mode=II",
            LearnerOptions.of(
                "passive-aggressive", {"aggressiveness": "0.1", "mode": "II"}
            ),
        ),
        (
            "boa:range=-1,4,loss=pinball:0.25,form=published",
            LearnerOptions.of(
                "boa", {"loss": "pinball:0.25", "form": "published", "range": "-1,4"}
            ),
        ),
        ("k-dnf: k=3", LearnerOptions(learner="k-dnf", k=3)),
    ],
)
def test_a_learner_is_written_in_one_word(text: str, expected: LearnerOptions) -> None:
    assert LearnerOptions.parse(text) == expected
    assert repr(expected.make()) == repr(LearnerOptions.parse(text).make())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "a learner must be one of auto, perceptron, .* got 'nobody'"),
        ("winnow:threshold=x", "threshold must be a number, got 'x'"),
        ("k-dnf:k=1.5", "k must be a whole number, got '1.5'"),
        ("perceptron:normalize=maybe", "must be true or false, got 'maybe'"),
        ("perceptron:update=never", "must be one of mistake, margin, got 'never'"),
        ("perceptron:nonsense=1", "'nonsense' is not an option of perceptron"),
        ("perceptron:learner=winnow", "'learner' is not an option of perceptron"),
        ("perceptron:loss_range=0,1", "'loss_range' is not an option"),
    ],
)
def test_what_is_wrong_with_a_word_is_told(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        LearnerOptions.parse(text)


def test_options_that_the_learner_has_not_are_refused_when_it_is_made() -> None:
    with pytest.raises(ParameterError, match="--bias is not an option of winnow"):
        LearnerOptions.parse("winnow:threshold=2,bias=1").make()
    with pytest.raises(ParameterError, match="--learner winnow needs --threshold"):
        LearnerOptions.parse("winnow").make()


def test_a_command_gets_every_option_once_and_the_groups_made() -> None:
    seen: list[object] = []

    @with_options
    def command(
        files: Files,
        reading: ReadingOptions,
        chosen: LearnerOptions,
        passes: Passes = 1,
    ) -> None:
        seen.extend((files, reading, chosen, passes))

    names = list(inspect.signature(command).parameters)
    kinds: tuple[Any, ...] = (Files, ReadingOptions, LearnerOptions)
    groups = [field.name for kind in kinds for field in fields(kind)]
    assert sorted(names) == sorted([*groups, "passes"])
    assert names[:8] == [
        *("file", "data", "learner", "form"),
        *("positive", "hash_bits", "passes", "on_error"),
    ]
    command(file=["a"], positive="spam", learner="arow:r=2", passes=3)
    assert seen == [
        Files(file=["a"]),
        ReadingOptions(positive="spam"),
        LearnerOptions(learner="arow", r=2.0),
        3,
    ]


def test_a_column_to_be_crossed_may_have_any_number_of_digits() -> None:
    with pytest.raises(ParameterError, match=r"a column must be below 2\*\*32"):
        as_map(f"crossed:{'9' * 5000}*a")


@pytest.mark.parametrize("command", ["run", "certify", "report"])
def test_a_second_learner_is_not_dropped(command: str) -> None:
    done = call(command, "mail.svm", "-l", "perceptron", "-l", "arow")
    assert done.returncode == 2
    assert done.stderr == (
        "littlestone: --learner must be given once; littlestone race plays several "
        "learners (see --help)\n"
    )
    done = call(command, "mail.svm", "--positive", "spam", "--positive", "phish")
    assert done.stderr == "littlestone: --positive must be given once (see --help)\n"
