"""The engine-free core: play a block, and merge states. Both are pure.

A state is the bytes of a model file. The same state and block give the same bytes on
every machine, so that a task may run twice, anywhere, in any order.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from littlestone.catalogue import Reads, entry_of
from littlestone.cluster._exact import EXACT, merged
from littlestone.cluster._mixing import MIXED, mixed
from littlestone.cluster._travel import arrived, begun, learner_of, packed, sent
from littlestone.errors import (
    EmptyStreamError,
    ParameterError,
    UnknownLabelWarning,
    UnrealizableWarning,
)
from littlestone.learner.familiar import strangers_expected
from littlestone.outcome import Outcome
from littlestone.running import run
from littlestone.verifying import Digest
from littlestone.verifying.twins import reads_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.cluster._shards import Shard
    from littlestone.learner import Learner
    from littlestone.running import KeptExamples

__all__ = ["Tally", "kind_of", "merge", "other_for", "play_block", "reason_against"]

_OTHERS = (
    "play the stream on one machine, or race learners, one a task: cluster.race and "
    "cluster.search keep the order of the stream"
)
_REASONS = {
    "AROW": "its theorem has a determinant, of which nothing is proved under mixing",
    "SecondOrderPerceptron": (
        "its theorem has a determinant, of which nothing is proved under mixing"
    ),
    "Auto": "it weighs its members by all rounds in order",
    "MulticlassAuto": "it weighs its members by all rounds in order",
    "AdaHedge": "its rate depends on the order of all rounds",
    "DecisionListLearner": "the levels of its rules depend on the order of all rounds",
    "KernelPerceptron": "the mean of two expansions keeps all examples of both",
    "VotedPerceptron": "its votes count the rounds that each vector survived",
}


@dataclass(frozen=True)
class Tally:
    """What came of one shard in one epoch.

    Attributes
    ----------
    shard
        The name of the shard.
    rounds, mistakes, updates
        What was played, and the result.
    loss
        The learner's loss; None for a learner without a loss.
    seconds
        How long it took, with reading.
    bytes
        How many bytes came back.
    digest
        The SHA-256 of the shard's examples; None if it was not asked for.
    examples
        The examples of the updates, if they were asked for.
    skipped
        Why the shard was skipped; None if it was played.
    """

    shard: str
    rounds: int = 0
    mistakes: int = 0
    updates: int = 0
    loss: float | None = None
    seconds: float = 0.0
    bytes: int = 0
    digest: str | None = None
    examples: KeptExamples | None = None
    refused: int = 0
    skipped: str | None = None


def kind_of(learner: Learner) -> Literal["exact", "mixed"]:
    """Return how shards of a learner become one; refuse it if there is no theorem.

    Examples
    --------
    >>> from littlestone.cluster._core import kind_of
    >>> from littlestone.linear import AROW, Perceptron
    >>> kind_of(Perceptron())
    'mixed'
    >>> kind_of(AROW())
    Traceback (most recent call last):
    littlestone.errors.ParameterError: cluster: shards of AROW cannot be mixed, as its theorem has a determinant, of which nothing is proved under mixing; those of AveragedPerceptron can; play the stream on one machine, or race learners, one a task: cluster.race and cluster.search keep the order of the stream
    """  # noqa: E501 - a message is one line
    if (why := reason_against(learner)) is not None:
        name, other = type(learner).__name__, other_for(learner)
        can = f"those of {other} can; " if other else ""
        raise ParameterError(
            f"shards of {name} cannot be mixed, as {why}; {can}{_OTHERS}",
            owner="cluster",
        )
    return "exact" if type(learner) in EXACT else "mixed"


def reason_against(learner: Learner) -> str | None:
    """Return why shards of a learner cannot become one; None if they can.

    Examples
    --------
    >>> from littlestone.cluster._core import reason_against
    >>> from littlestone.linear import AROW
    >>> reason_against(AROW())
    'its theorem has a determinant, of which nothing is proved under mixing'
    """
    if type(learner) in EXACT or type(learner) in MIXED:
        return None
    return _REASONS.get(type(learner).__name__, "no theorem covers it")


def other_for(learner: Learner) -> str | None:
    """Return a class whose shards become one, and that reads the same; None if none do.

    Examples
    --------
    >>> from littlestone.cluster._core import other_for
    >>> from littlestone.experts import AdaHedge
    >>> from littlestone.linear import AROW, MulticlassPerceptron
    >>> other_for(AROW()), other_for(AdaHedge()), other_for(MulticlassPerceptron())
    ('AveragedPerceptron', 'ExponentialWeights', None)
    """
    entry, outcome = entry_of(type(learner).__name__), learner.outcome
    reads = Reads.FEATURES if entry is None else entry.reads
    if reads is Reads.ADVICE:
        return "ExponentialWeights" if outcome.charged else "WeightedMajority"
    rows = reads in {Reads.FEATURES, Reads.LITERALS}
    return "AveragedPerceptron" if rows and outcome is Outcome.LABEL else None


def play_block(
    state: bytes, block: Shard, *, keep: str = "nothing"
) -> tuple[bytes, Tally]:
    """Play a block from a state; return the state after it, and what came of it.

    Parameters
    ----------
    state
        The bytes of a model file.
    block
        The shard to play.
    keep
        `"updates"` keeps the examples that changed the learner, and takes the digest of
        the shard, as a certificate needs.

    Returns
    -------
    tuple
        The state after the block, or what has changed if that is smaller: `merge`
        takes both. And the tally.

    Examples
    --------
    >>> from littlestone.cluster import merge, play_block
    >>> from littlestone.cluster._shards import shards_of
    >>> from littlestone.cluster._travel import learner_of, packed
    >>> from littlestone.linear import Perceptron
    >>> begun = packed(Perceptron())
    >>> one, two = shards_of([({"a": 1.0}, False), ({"b": 1.0}, False)], shards=2)
    >>> played = [play_block(begun, block) for block in (one, two)]
    >>> [tally.mistakes for _, tally in played]
    [1, 1]
    >>> learner_of(merge([state for state, _ in played], [1, 1], begun)).weights_
    {'a': -0.5, 'b': -0.5}
    """
    started = time.perf_counter()
    learner = learner_of(state)
    before = begun(learner)
    certified = keep == "updates"
    options: dict[str, Any] = {"keep": "nothing"}
    if certified and not hasattr(learner, "play_advice"):
        options["keep"] = "updates"
    elif certified:
        options["digest"] = True
    try:
        with warnings.catch_warnings(), strangers_expected():
            # The merged learner knows better whether a concept fits.
            warnings.simplefilter("ignore", UnrealizableWarning)
            # Another shard may have the label that means yes.
            warnings.simplefilter("ignore", UnknownLabelWarning)
            record = run(learner, block.open(learner), **options)
    except EmptyStreamError:
        nothing = Digest(reads_of(type(learner).__name__), learner.outcome)
        return state, Tally(block.name, digest=str(nothing) if certified else None)
    after = sent(before, learner)
    return after, Tally(
        block.name,
        record.rounds,
        record.mistakes,
        record.updates or 0,
        record.loss,
        time.perf_counter() - started,
        len(after),
        record.digest,
        record.examples,
    )


def merge(
    states: Sequence[bytes],
    weights: Sequence[int] | None = None,
    base: bytes | None = None,
) -> bytes:
    """Return one state from those of shards, in the order of the shards.

    Parameters
    ----------
    states
        What `play_block` returned.
    weights
        For learners that are mixed: how much each state counts, as whole numbers of
        which only the ratios matter. Equal ones by default.
    base
        For learners that are mixed: the state with which all shards began. Learners
        that merge exactly begin with a newborn.

    Examples
    --------
    >>> from littlestone.cluster import merge
    >>> from littlestone.cluster._travel import learner_of, packed
    >>> from littlestone.experts import FollowTheMajority
    >>> shards = FollowTheMajority(), FollowTheMajority()
    >>> for learner, labels in zip(shards, ([True, False], [False, False])):
    ...     for y in labels:
    ...         learner.learn_one(None, y)
    >>> learner_of(merge([packed(learner) for learner in shards])).lead_
    -2
    """
    if not states:
        raise ParameterError(
            "there must be at least one state, got none", owner="merge"
        )
    if base is None:
        newborn = learner_of(states[0]).clone()
        base = packed(newborn)
        if kind_of(newborn) == "exact":
            taught = [arrived(None, state) for state in states if state != base]
            return packed(merged(newborn, taught))
    first = learner_of(base)
    shares = [1] * len(states) if weights is None else list(weights)
    if len(shares) != len(states) or not all(
        type(share) is int and share >= 0 for share in shares
    ):
        raise ParameterError(
            "weights must be one whole number from 0 on for each state, got "
            f"{weights!r}",
            owner="merge",
        )
    before = begun(first)
    return packed(mixed(first, [arrived(before, state) for state in states], shares))
