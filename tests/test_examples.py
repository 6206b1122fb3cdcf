"""The examples run, and what they claim holds."""

from __future__ import annotations

from scripts import script

example = script("examples/winnow_against_perceptron.py")


def test_winnow_wins_on_a_sparse_target_and_its_bound_says_so() -> None:
    results = example.compare(example.sparse_target())
    mistakes = {name: mistakes for name, (mistakes, _) in results.items()}
    perceptron = min(mistakes["Perceptron()"], mistakes["Perceptron(bias=1)"])
    assert 3 * mistakes["Winnow"] < perceptron
    assert mistakes["Winnow"] < mistakes["BalancedWinnow"] < perceptron
    winner_has_the_smallest_bound_and_all_bounds_hold(results, "Winnow")


def test_the_perceptron_wins_on_a_dense_target_and_its_bound_says_so() -> None:
    results = example.compare(example.dense_target())
    winner_has_the_smallest_bound_and_all_bounds_hold(results, "Perceptron(bias=0)")


def test_both_targets_say_yes_and_no_often() -> None:
    for world in (example.sparse_target(), example.dense_target()):
        yes = 0
        for row in world.rows:
            score = sum(world.target.get(j, 0) * x for j, x in row.items())
            yes += score > world.threshold
        assert 0.4 < yes / len(world.rows) < 0.6


def winner_has_the_smallest_bound_and_all_bounds_hold(
    results: dict[str, tuple[int, float]], winner: str
) -> None:
    assert min(results, key=lambda name: results[name][0]) == winner
    assert min(results, key=lambda name: results[name][1]) == winner
    assert all(mistakes <= bound for mistakes, bound in results.values())
