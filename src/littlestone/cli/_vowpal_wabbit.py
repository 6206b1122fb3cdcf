"""Words of Vowpal Wabbit's command line: translated, left out, or refused by name."""

from __future__ import annotations

import re
from pathlib import Path

from littlestone.errors import ParameterError

__all__ = ["WITH_CONSTANT", "refused", "translated", "without_idle"]

# Options that change nothing here, and those of them that take a value.
_IDLE = ("-c", "--cache", "-k", "--kill_cache", "--holdout_off")
_IDLE_WITH_VALUE = ("--cache_file",)

_PAIR = 2  # namespaces that -q crosses
_PAIRS = "--learner kernel-perceptron --kernel polynomial learns from pairs of features"
_STEPS = "--rate sets the steps of ada-grad and ftrl, and coin-betting needs none"
_SCORES = "littlestone predict MODEL FILE --scores writes scores"
_UNCLIPPED = "predictions are as the learner makes them"
_CLASSES = "--learner multiclass-auto tells classes apart without counting them"

# Options that are refused, and the nearest thing here.
_NEAREST = {
    "--adaptive": "--learner ada-grad has a rate for each feature",
    "--audit": "littlestone inspect MODEL shows the weights",
    "--bfgs": "every learner here learns line by line",
    "--binary": "--predictions writes 1 and 0 anyway",
    "--bit_precision": "it is --hash-bits, or -b",
    "--csoaa": _CLASSES,
    "--cubic": _PAIRS,
    "--daemon": "-p - answers each line of standard input",
    "--ect": _CLASSES,
    "--final_regressor": "it is --save, or -f",
    "--ftrl_alpha": "--rate sets the steps of --learner ftrl",
    "--ftrl_beta": "--rate sets the steps of --learner ftrl",
    "--initial_regressor": "it is --load, or -i",
    "--invert_hash": "littlestone inspect MODEL shows the weights by name, without -b",
    "--learning_rate": _STEPS,
    "--max_prediction": _UNCLIPPED,
    "--min_prediction": _UNCLIPPED,
    "--ngram": "--ngrams makes pairs of words from --format text",
    "--nn": "--learner kernel-perceptron is not linear",
    "--normalized": "--learner ada-grad is, and --no-normalize turns it off",
    "--oaa": _CLASSES,
    "--pistol": "--coin bets on gradients without a rate too",
    "--power_t": _STEPS,
    "--random_seed": "no linear learner here draws; --seed is for those that do",
    "--raw_predictions": _SCORES,
    "-r": _SCORES,
    "--readable_model": "littlestone inspect MODEL shows the weights",
    "--save_resume": "--save with --checkpoint-every holds the whole run",
    "--sgd": "--learner gradient-descent has one rate for all features",
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


# What Vowpal Wabbit calls the losses.
_LOSSES = {
    "squared": "square",
    "classic": "square",
    "logistic": "logistic",
    "hinge": "hinge",
    "poisson": "poisson",
    "quantile": "pinball",
}
_LEARNERS = {"--coin": "coin-betting", "--ftrl": "ftrl"}
_WITH_VALUE = (
    "--interactions",
    "--link",
    "--loss_function",
    "--quadratic",
    "--quantile_tau",
)
# The learners that have a constant feature unless told otherwise.
WITH_CONSTANT = (
    "ada-grad",
    "aioli",
    "auto",
    "coin-betting",
    "exponentiated-gradient",
    "ftrl",
    "gradient-descent",
    "multiclass-ada-grad",
    "multiclass-auto",
    "vovk-azoury-warmuth",
)


def translated(words: list[str]) -> list[str]:
    """Return the words as they are written here, where they mean the same.

    Examples
    --------
    >>> from littlestone.cli._vowpal_wabbit import translated
    >>> translated(["a.vw", "--loss_function", "logistic", "--coin", "--noconstant"])
    ['a.vw', '--loss', 'logistic', '--learner', 'coin-betting', '--bias', '0']
    >>> translated(["a.vw", "-q", "ab"])
    ['a.vw', '--map', 'crossed:a*b']
    >>> translated(["a.vw", "--ftrl"])  # whose loss there is the squared one
    ['a.vw', '--loss', 'square', '--learner', 'ftrl']
    """
    kept, said = _taken(words)
    told, loads = _learner_in(kept), _has(kept, "-i", "--load")
    loss = said.get("--loss_function")
    usual = not loads and not _has(kept, "--loss")  # a model has its own
    if loss is None and "learner" in said and usual:
        loss = "squared"
    if loss is not None:
        kept += ["--loss", _loss(loss, said.get("--quantile_tau", "0.5"))]
    if "--link" in said:
        kept += _link(said["--link"], loss, loads=loads)
    named = bool(told or not loss or loads)
    learner = said.get("learner", None if named else "ada-grad")
    if learner is not None:
        kept += ["--learner", learner]
    if "--noconstant" in said and _has(kept, "--member"):
        raise ParameterError(
            "--noconstant must be said of each member, as in --member ada-grad:bias=0"
        )
    # A model has a constant or none, and must have none.
    if "--noconstant" in said and (
        loads or (learner or told or "auto") in WITH_CONSTANT
    ):
        kept += ["--bias", "0"]
    return kept


def _has(words: list[str], *names: str) -> bool:
    return any(word.partition("=")[0] in names for word in words)


def _loss(name: str, tau: str) -> str:
    """Return what a loss is called here."""
    if name not in _LOSSES:
        raise ParameterError(
            f"--loss_function must be one of {', '.join(_LOSSES)}, got {name!r}; "
            "--loss has others"
        )
    named = _LOSSES[name]
    return f"{named}:{tau}" if named == "pinball" else named


def _link(name: str, loss: str | None, *, loads: bool) -> list[str]:
    """Return the words for what becomes of scores."""
    if name == "logistic":
        return ["--probabilities"]
    # Predictions are e to the power of the score with the loss poisson, else the score.
    if name == "poisson" and loss != "poisson" and not loads:
        raise ParameterError(
            f"--link poisson must come with --loss_function poisson, got {loss}"
        )
    if name not in ("identity", "poisson"):
        raise ParameterError(
            f"--link must be identity, logistic or poisson, got {name!r}"
        )
    return []


def _taken(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the words that stay, pairs as maps, and what the others say."""
    kept: list[str] = []
    said: dict[str, str] = {}
    at = 0
    while at < len(words):
        word, after = words[at], "".join(words[at + 1 : at + 2])
        name, equals, value = word.partition("=")
        takes = name in _WITH_VALUE or (word == "-q" and _is_pair(after))
        if takes and not equals:
            value, at = after, at + 1
        if name in ("--link", "--loss_function", "--quantile_tau"):
            said[name] = value
        elif takes or re.fullmatch(r"-q..", word):
            kept += _crossed(value or word[2:])
        elif word in _LEARNERS:
            said["learner"] = _LEARNERS[word]
        elif word == "--noconstant":
            said[word] = ""
        else:
            kept.append(word)
        at += 1
    return kept, said


def _learner_in(words: list[str]) -> str | None:
    """Return the learner that words name, without its options."""
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in ("--learner", "-l"):
            told = value if equals else "".join(words[at + 1 : at + 2])
            return told.partition(":")[0]
    return None


def _crossed(pair: str) -> list[str]:
    """Return the map that crosses two namespaces, each named by a letter."""
    if pair == "::":  # every namespace with every other
        return ["--map", "quadratic"]
    if len(pair) != _PAIR or ":" in pair:
        raise ParameterError(
            "-q and --interactions must be a pair of namespaces, as in ab, or :: for "
            f"all pairs, got {pair!r}"
        )
    return ["--map", f"crossed:{pair[0]}*{pair[1]}"]


def refused(words: list[str]) -> str | None:
    """Return what is wrong if words are Vowpal Wabbit's alone; None if they are not.

    Examples
    --------
    >>> from littlestone.cli._vowpal_wabbit import refused
    >>> refused(["a.vw", "--oaa", "10"])  # doctest: +ELLIPSIS
    '--oaa of Vowpal Wabbit is not offered: --learner multiclass-auto ...
    >>> refused(["a.vw", "--passes", "3"])
    """
    for at, word in enumerate(words):
        name, after = word.partition("=")[0], "".join(words[at + 1 : at + 2])
        if name in _NEAREST:
            return f"{name} of Vowpal Wabbit is not offered: {_NEAREST[name]}"
        if word == "-l" and re.fullmatch(r"[0-9.eE+-]+", after):
            return f"-l is --learner here: {_STEPS}"
    return None


def _is_pair(word: str) -> bool:
    """Return whether a word is a pair of namespaces, not a file."""
    return re.fullmatch(r"[\w:]{2}", word) is not None and not Path(word).exists()
