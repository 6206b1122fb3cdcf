"""Words of Vowpal Wabbit's command line: those that change nothing, those to refuse."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["refused", "without_idle"]

# Options that change nothing here, and those of them that take a value.
_IDLE = ("-c", "--cache", "-k", "--kill_cache", "--holdout_off", "--noconstant")
_IDLE_WITH_VALUE = ("--cache_file",)

_PAIRS = "--learner kernel-perceptron --kernel polynomial learns from pairs of features"
_STEPS = "the learner sets its steps: see -C of passive-aggressive, --r of arow"
_CLASSES = "--learner multiclass-perceptron tells classes apart without counting them"

# Options that are refused, and the nearest thing here.
_NEAREST = {
    "--adaptive": "--learner arow has a rate for each feature",
    "--audit": "littlestone inspect MODEL shows the weights",
    "--bfgs": "every learner here learns line by line",
    "--binary": "--predictions writes 1 and 0 anyway",
    "--bit_precision": "it is --hash-bits, or -b",
    "--csoaa": _CLASSES,
    "--cubic": _PAIRS,
    "--daemon": "-p - answers each line of standard input",
    "--ect": _CLASSES,
    "--final_regressor": "it is --save, or -f",
    "--ftrl": "--learner arow has a rate for each feature",
    "--initial_regressor": "it is --load, or -i",
    "--interactions": _PAIRS,
    "--invert_hash": "littlestone inspect MODEL shows the weights by name, without -b",
    "--l1": "--learner winnow keeps few weights large",
    "--l2": "--learner passive-aggressive -C bounds each step",
    "--learning_rate": _STEPS,
    "--link": "mistakes are counted, and --predictions writes labels",
    "--loss_function": "the learner decides: hinge is --learner passive-aggressive, "
    "quantile --loss pinball:0.9 of a learner that follows experts",
    "--ngram": "--ngrams makes pairs of words from --format text",
    "--nn": "--learner kernel-perceptron is not linear",
    "--oaa": _CLASSES,
    "--power_t": _STEPS,
    "--quadratic": _PAIRS,
    "--random_seed": "no linear learner here draws; --seed is for those that do",
    "--raw_predictions": "--predictions writes labels",
    "--readable_model": "littlestone inspect MODEL shows the weights",
    "--save_resume": "--save with --checkpoint-every holds the whole run",
    "--sgd": "--learner perceptron is the plainest",
    "--testonly": "it is --test-only, or -t",
}


def without_idle(words: list[str]) -> list[str]:
    """Return the words without those that change nothing here.

    Examples
    --------
    >>> from littlestone.cli._vowpal_wabbit import without_idle
    >>> without_idle(["-d", "a.vw", "-c", "-k", "--cache_file", "a.cache"])
    ['-d', 'a.vw']
    """
    kept: list[str] = []
    given = iter(words)
    for word in given:
        if word in _IDLE_WITH_VALUE:
            next(given, None)
        elif word not in _IDLE and word.partition("=")[0] not in _IDLE_WITH_VALUE:
            kept.append(word)
    return kept


def refused(words: list[str]) -> str | None:
    """Return what is wrong if words are Vowpal Wabbit's alone; None if they are not.

    Examples
    --------
    >>> from littlestone.cli._vowpal_wabbit import refused
    >>> refused(["a.vw", "--oaa", "10"])  # doctest: +ELLIPSIS
    '--oaa of Vowpal Wabbit is not offered: --learner multiclass-perceptron ...
    >>> refused(["a.vw", "--passes", "3"])
    """
    for at, word in enumerate(words):
        name, after = word.partition("=")[0], "".join(words[at + 1 : at + 2])
        if name in _NEAREST:
            return f"{name} of Vowpal Wabbit is not offered: {_NEAREST[name]}"
        if re.fullmatch(r"-q..", word) or (word == "-q" and _is_pair(after)):
            return f"-q is --quiet here, and pairs are not offered: {_PAIRS}"
        if word == "-l" and re.fullmatch(r"[0-9.eE+-]+", after):
            return f"-l is --learner here, and rates are not offered: {_STEPS}"
    return None


def _is_pair(word: str) -> bool:
    """Return whether a word is a pair of namespaces, not a file."""
    return re.fullmatch(r"[\w:]{2}", word) is not None and not Path(word).exists()
