"""Numbers while a model trains: which, when, and of all ranks."""

import sys

import pytest
import torch
from test_monitor import model_of, tokens
from torch import distributed, multiprocessing, nn

from attention_scale.torch import AttentionLogger, monitor

NAMES = {"alpha", "entropy", "effective_keys", "dead", "largest", "nonfinite"}


def step(model, ids):
    """Take a step of training."""
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def test_every_few_steps_there_are_numbers():
    model, ids = model_of("llama", "sdpa").train(), tokens()
    logger = AttentionLogger(model, every=3, rows=None)
    seen = []
    for i in range(7):
        with monitor(model, rows=None) as report:
            step(model, ids)
        assert "forward" in vars(model) or i % 3
        numbers = logger.step()
        seen.append(bool(numbers))
        if numbers:
            layers = report.layers
            assert set(numbers) == {
                f"attention/{layer}/{name}"
                for layer in layers
                for name in NAMES
            }
            assert {type(value) for value in numbers.values()} == {float}
            assert numbers[f"attention/{layers[1]}/alpha"] == pytest.approx(
                report.alpha.value[1].mean()
            )
            assert numbers[f"attention/{layers[1]}/largest"] == (
                report.largest_logit[1].max()
            )
    assert seen == [True, False, False, True, False, False, True]
    # between looks the model is as it was
    assert not any("forward" in vars(module) for module in model.modules())


def test_losses_are_the_same_to_the_last_bit():
    ids = tokens()
    losses = []
    for watched in (False, True):
        model = model_of("llama", "sdpa").train()
        logger = AttentionLogger(model, every=2)
        if not watched:
            logger.close()
        losses.append([])
        for _ in range(4):
            losses[-1].append(step(model, ids))
            if watched:
                logger.step()
    assert losses[0] == losses[1]


def test_evaluation_is_not_counted():
    model, ids = model_of("llama", "sdpa").train(), tokens()
    logger = AttentionLogger(model, every=1, rows=None)
    model.eval()
    with torch.no_grad():
        model(input_ids=3 + ids // 50)
    model.train()
    step(model, ids)
    numbers = logger.step()
    again = AttentionLogger(model_of("llama", "sdpa").train(), 1, rows=None)
    step(again.model, ids)
    assert numbers == again.step()


def test_what_rises_is_told_and_what_is_not_seen_is_counted():
    model = model_of("llama", "sdpa").train()
    model.compile(backend="eager")
    logger = AttentionLogger(model, every=1)
    model(input_ids=tokens())
    assert logger.step() == {"attention/unseen": 2.0}
    assert "compiled" in logger.unseen["model.layers.0.self_attn"]
    x = torch.randn(4, 40, 16)
    model = nn.MultiheadAttention(16, 2, batch_first=True)
    logger = AttentionLogger(model, every=1, prefix="net")
    for factor in 1, 30:
        model(factor * x, factor * x, x)
        numbers = logger.step()
    assert "net/MultiheadAttention/largest" in numbers
    words = str(logger.advice())
    assert "The largest logit rises" in words
    assert "QK-norm" in words and "QK-clip" in words


def rank(number, place, results):
    """Look at a text of its own in each process."""
    distributed.init_process_group(
        "gloo", init_method=f"file://{place}", rank=number, world_size=2
    )
    model = model_of("llama", "sdpa").train()
    logger = AttentionLogger(model, every=1, rows=None)
    model(input_ids=tokens()[number : number + 1])
    results.put((number, logger.step()))
    distributed.destroy_process_group()


@pytest.mark.skipif(sys.platform == "win32", reason="gloo by a file")
def test_ranks_are_joined(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    processes = [
        context.Process(target=rank, args=(i, tmp_path / "place", results))
        for i in range(2)
    ]
    for process in processes:
        process.start()
    found = [results.get() for _ in processes]
    for process in processes:
        process.join()
    assert found[0][1] == found[1][1]
    model = model_of("llama", "sdpa").train()
    logger = AttentionLogger(model, every=1, rows=None)
    model(input_ids=tokens())
    for name, value in logger.step().items():
        assert found[0][1][name] == pytest.approx(value, rel=1e-5), name


@pytest.mark.parametrize("every", [0, -1, 2.5, True])
def test_wrong_arguments_are_named(every):
    with pytest.raises(ValueError, match=f"^every: {every}; it should be a"):
        AttentionLogger(nn.Identity(), every)
    with pytest.raises(TypeError, match="^model: int; it should be"):
        AttentionLogger(5)


def test_modes_of_others_come_and_go():
    """What lies on PyTorch's stack of modes is there only while it runs."""
    model = nn.MultiheadAttention(16, 2, batch_first=True)
    x = torch.randn(2, 40, 16)
    with torch.device("cpu"):
        logger = AttentionLogger(model, every=1)
    with torch.device("cpu"):
        model(x, x, x)
        assert logger.step()
    with torch.device("meta"):
        pass
    model(x, x, x)
    assert logger.step()
