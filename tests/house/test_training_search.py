"""The search for a learning rate does not stop at an edge of its grid."""

import pytest

from experiments.training.search import SEEDS, next_runs, rate_of, seeded_means


def loss(power, seed, best):
    """Return a loss that is least at a best power, the same for each seed."""
    return (power - best) ** 2 + 0.01 * seed


def searched(best, guess=None, seeds=SEEDS):
    """Return the losses of a whole search."""
    losses = {}
    while runs := next_runs(losses, guess, seeds):
        losses[runs[0]] = loss(*runs[0], best)
        assert len(losses) < 40
    return losses


@pytest.mark.parametrize("best", [-6.2, -1, 0.4, 3, 7.3])
@pytest.mark.parametrize("guess", [None, 3])
def test_ends_with_seeds_at_the_best_inside_the_grid(best, guess):
    losses = searched(best, guess)
    powers = {power for power, _ in losses}
    means = seeded_means(losses)
    found = min(means, key=means.get)
    assert abs(found - best) <= 0.5
    assert min(powers) < found < max(powers)


def test_a_full_search_has_seeds_beside_the_best():
    means = seeded_means(searched(2.2))
    assert set(means) == {1, 2, 3}


def test_a_rate_whose_one_seed_ends_below_the_best_mean_gets_seeds_too():
    losses = {(2, 0): 2.1, (3, 0): 2.0, (4, 0): 2.05}
    assert next_runs(losses, 3) == [(3, 1), (3, 2)]
    losses |= {(3, 1): 2.2, (3, 2): 2.2}
    assert next_runs(losses, 3) == [(4, 1), (4, 2)]
    losses |= {(4, 1): 2.05, (4, 2): 2.05}  # the best mean, at an edge
    assert next_runs(losses, 3) == [(5, 0)]
    assert next_runs(losses | {(5, 0): 2.06}, 3) == []


def test_a_run_that_diverged_is_not_the_best():
    losses = {(0, 0): float("nan"), (2, 0): 2.0, (4, 0): 2.1}
    assert next_runs(losses) == [(1, 0), (3, 0)]


def test_rates_are_powers_of_two():
    assert rate_of(3) == pytest.approx(0.008)
