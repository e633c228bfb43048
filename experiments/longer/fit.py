"""Adam, with a rate that warms up and then falls to zero in a line."""

import time

import torch

BETAS, WARM_UP = (0.9, 0.99), 0.1  # the share of the steps that warm up


def fit(model, batch_loss, steps, rate, told=None):
    """Train a model, and return the loss of each step.

    Parameters
    ----------
    model : torch.nn.Module
    batch_loss : function of nothing that draws a batch and returns its loss.
    steps : of Adam.
    rate : the largest.
    told : function of (step, losses so far), called once a second.
    """
    adam = torch.optim.Adam(model.parameters(), lr=rate, betas=BETAS)
    losses, second = [], time.monotonic()
    for step in range(steps):
        loss = batch_loss()
        adam.zero_grad()
        loss.backward()
        for group in adam.param_groups:
            group["lr"] = rate * min(
                (step + 1) / (WARM_UP * steps),
                (steps - step) / steps / (1 - WARM_UP),
            )
        adam.step()
        losses.append(loss.item())
        if told is not None and time.monotonic() - second > 1:
            second = time.monotonic()
            told(step + 1, losses)
    return losses
