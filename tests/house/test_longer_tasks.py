"""The tasks of chapter 14 are what it says they are."""

import numpy as np
import pytest

from experiments.longer import tasks

KINDS = {"find": 1, "average": 8, "few": 8, "share": 32}


@pytest.mark.parametrize("kind, matching", KINDS.items())
def test_answers_are_means_of_what_matches(kind, matching):
    """Of tokens of the type asked for, up to the row's own."""
    n = 64 if kind == "average" else 256
    rng = np.random.default_rng(0)
    tokens, answers, match = tasks.draw(rng, kind, n, 3, noisy=True)
    key, value, question = np.split(tokens, [tasks.M, tasks.M + 1], axis=2)
    assert match[:, -1].sum(-1).max() <= matching
    assert not match[:, np.triu(np.ones((n, n), bool), 1)].any()
    mean = (match @ value)[..., 0] / match.sum(-1)
    np.testing.assert_allclose(answers, mean, atol=1e-6)
    cosine = question @ key.swapaxes(1, 2) / tasks.M
    assert cosine[match].mean() > 0.7
    assert abs(cosine[~match].mean()) < 0.05


def test_keys_of_exact_tasks_are_what_is_asked_for():
    """A question is the key that it matches, and no other."""
    tokens, _, match = tasks.draw(
        np.random.default_rng(1), "find", 64, 2, noisy=False
    )
    key, question = tokens[..., : tasks.M], tokens[..., tasks.M + 1 :]
    cosine = question @ key.swapaxes(1, 2) / tasks.M
    np.testing.assert_allclose(cosine[match], 1, atol=1e-5)
    assert (cosine[~match] < 0.99).all()


def test_noise_has_the_log_likelihood_that_it_claims():
    """Cosines have a random direction's density times exp(kappa c)."""
    rng = np.random.default_rng(2)
    towards = tasks.direction(rng, (20_000,))
    drawn = (tasks.scattered(rng, towards) * towards).sum(-1)
    c = (tasks.direction(rng, (400_000,)) * towards[0]).sum(-1)
    weights = np.exp(tasks.KAPPA * (c - 1))
    effective = weights.sum() ** 2 / (weights**2).sum()
    mean = weights @ c / weights.sum()
    error = drawn.std() * (1 / 20_000 + 1 / effective) ** 0.5
    assert effective > 100
    assert abs(drawn.mean() - mean) < 4 * error
