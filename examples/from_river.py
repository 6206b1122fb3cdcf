"""Progressive validation with River and with littlestone: outputs and times.

    python examples/from_river.py

The examples are the websites of River's own Phishing, as mappings from name to number:
`run` takes them as they are. First comes the Perceptron, then the passive-aggressive
learner without an intercept, since River's treats that in another way.
"""

from collections.abc import Mapping
from typing import Any

from river import datasets, evaluate, linear_model, metrics

from littlestone import Record, run
from littlestone.linear import PassiveAggressive, Perceptron
from side_by_side import Done, race, tell, times

Examples = list[tuple[dict[str, float], bool]]


def websites() -> Examples:
    """Return the examples, read once."""
    return list(datasets.Phishing())


def validate(
    theirs: Any, ours: Any, examples: Examples, repeats: int
) -> tuple[Done, Done]:
    """Validate both; return mistakes or the record, and the learner."""

    def before() -> tuple[int, Any]:
        learner = theirs.clone()
        counts = metrics.ConfusionMatrix()
        evaluate.progressive_val_score(examples, learner, counts)
        return int(counts.total_false_positives), learner

    def after() -> tuple[Record, Any]:
        learner = ours.clone()
        return run(learner, examples), learner

    return race(before, after, repeats)


def furthest(theirs: Mapping[str, float], ours: Mapping[str, float]) -> float:
    """Return by how much two learners differ in the weight they differ most in."""
    names = {*theirs, *ours}
    return max(abs(theirs.get(name, 0.0) - ours.get(name, 0.0)) for name in names)


PAIRS = {
    "Perceptron": (
        linear_model.Perceptron(),
        Perceptron(update="margin", bias=1.0),
    ),
    "passive-aggressive": (
        linear_model.PAClassifier(C=1.0, mode=1, learn_intercept=False),
        PassiveAggressive(C=1.0, mode="I"),
    ),
}


def main() -> None:
    examples = websites()
    for name, (theirs, ours) in PAIRS.items():
        before, after = validate(theirs, ours, examples, repeats=5)
        mistakes, river = before.output
        record, learner = after.output
        distance = furthest(river.weights, learner.weights_)
        tell(
            f"{name}, {len(examples):,} examples",
            "River",
            {
                "mistakes": (mistakes, record.mistakes),
                "updates": ("does not tell", record.updates),
                "weights differ by at most": (distance, distance),
            }
            | times(before, after),
        )


if __name__ == "__main__":
    main()
