"""What is seen of PyTorch's own modules, and how a forward pass stays as is.

The first tries of a stranger, and what a trainer does: autocast,
checkpointing, compiled code, caches, masks of each kind.
"""

import copy
import inspect
import math
import warnings

import numpy as np
import pytest
import torch
from test_monitor import Plain, model_of, tokens
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from attention_scale.observe import row_statistics
from attention_scale.torch import monitor, rescaled

WIDTH, HEADS, N = 32, 4, 40


def entropy_of(weights):
    """Return the mean entropy of weights (batch, heads, queries, keys)."""
    p = weights.detach().double().numpy()
    rows = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(-1)
    seen = (p > 0).sum(-1)
    # of rows with 32 keys where there are any
    rows = np.where(seen >= 32, rows, np.nan)
    return np.nanmean(rows, axis=(0, 2))


def drawn(batch=3, n=N, seed=0, width=WIDTH):
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(batch, n, width, generator=generator)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("function", ["sdpa", "eager"])
def test_autocast(dtype, function):
    model, ids = model_of("llama", function), tokens()
    with torch.autocast("cpu", dtype), torch.no_grad():
        plain = model(input_ids=ids).logits
        with monitor(model, rows=None) as report:
            assert torch.equal(model(input_ids=ids).logits, plain)
    with monitor(model, rows=None) as full, torch.no_grad():
        model(input_ids=ids)
    assert report.unseen == {}
    # logits of size 5 in eight bits, or in eleven
    np.testing.assert_allclose(report.alpha.value, full.alpha.value, rtol=0.03)
    assert np.isfinite(report.dead.value).all()


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"batch_first": False},
        {"kdim": 8, "vdim": 12},
        {"add_bias_kv": True},
        {"add_zero_attn": True},
        {"bias": False},
    ],
    ids=str,
)
def test_multihead_attention(how, train, need_weights):
    torch.manual_seed(0)
    module = nn.MultiheadAttention(
        WIDTH, HEADS, **{"batch_first": True} | how
    ).train(train)
    x = drawn()
    y, z = (drawn(width=8), drawn(width=12)) if "kdim" in how else (x, x)
    mask = torch.ones(N, N, dtype=torch.bool).triu(1)
    padding = torch.zeros(3, N, dtype=torch.bool)
    padding[1, 36:] = True
    if not module.batch_first:
        x = y = z = x.transpose(0, 1)
    given = {"attn_mask": mask, "key_padding_mask": padding}
    with torch.no_grad():
        plain, _ = module(x, y, z, need_weights=need_weights, **given)
        with monitor(module, rows=None) as report:
            seen, _ = module(x, y, z, need_weights=need_weights, **given)
        # what enters its own softmax, by its own weights
        _, weights = module.train()(
            x, y, z, average_attn_weights=False, **given
        )
    assert torch.equal(seen, plain)
    assert report.layers == ["MultiheadAttention"]
    assert report.unseen == {}
    np.testing.assert_allclose(
        report[0].entropy.value, entropy_of(weights), rtol=1e-5
    )


def encoder(norm_first=False):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 48, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # norm_first takes no nested tensors
        return nn.TransformerEncoder(layer, 2)


@pytest.mark.filterwarnings("ignore:.*nested tensors")
@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("padded", [True, False])
def test_the_encoder_on_its_fast_path_and_off_it(train, norm_first, padded):
    """Where the fast path is taken, padded places come out as zeros."""
    model = encoder(norm_first).train(train)
    x, padding = drawn(), torch.zeros(3, N, dtype=torch.bool)
    padding[1, 35:] = padded
    given = {"src_key_padding_mask": padding} if padded else {}
    with torch.no_grad():
        plain = model(x, **given)
        with monitor(model, rows=None) as report:
            assert torch.equal(model(x, **given), plain)
        if padded and not train and not norm_first:
            assert (plain[1, 35:] == 0).all()
        assert report.layers == ["layers.0.self_attn", "layers.1.self_attn"]
        first = model.layers[0]
        y = first.norm1(x) if norm_first else x
        _, weights = first.self_attn.train()(
            y, y, y, key_padding_mask=padding, average_attn_weights=False
        )
    if padded and not train and not norm_first:
        weights[1, :, 35:] = 0  # it does not have them
    np.testing.assert_allclose(
        report[0].entropy.value, entropy_of(weights), rtol=1e-5
    )


def test_encoder_and_decoder_are_told_apart_by_name():
    torch.manual_seed(0)
    model = nn.Transformer(WIDTH, HEADS, 1, 2, 48, batch_first=True)
    with monitor(model) as report:
        model(drawn(), drawn(n=36))
    assert report.layers == [
        "encoder.layers.0.self_attn",
        "decoder.layers.0.self_attn",
        "decoder.layers.0.multihead_attn",
        "decoder.layers.1.self_attn",
        "decoder.layers.1.multihead_attn",
    ]
    near = report.near.value
    assert np.isnan(near[[2, 4]]).all()
    assert np.isfinite(near[[0, 1, 3]]).all()


@pytest.mark.parametrize("train", [True, False])
def test_factors_reach_multihead_attention(train):
    torch.manual_seed(0)
    module = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).train(train)
    x, factors = drawn(), np.array([[0.5, 1.0, 2.0, 3.0]])
    with torch.no_grad():
        with rescaled(module, factors):
            scaled, _ = module(x, x, x)
        with torch.no_grad():
            rows = torch.as_tensor(factors[0]).float().repeat_interleave(8)
            module.in_proj_weight[:WIDTH] *= rows[:, None]
            module.in_proj_bias[:WIDTH] *= rows
        wanted, _ = module(x, x, x)
    torch.testing.assert_close(scaled, wanted)


def test_a_head_of_nan_does_not_look_calm():
    model = model_of("llama", "sdpa")
    with torch.no_grad():
        model.model.layers[1].self_attn.q_proj.weight[:16] = torch.nan
    with monitor(model) as report, torch.no_grad():
        model(input_ids=tokens())
    assert report.nonfinite[0].tolist() == [0, 0, 0, 0]
    assert report.nonfinite[1].tolist() == [64, 0, 0, 0]
    assert np.isnan(report.dead.value[1, 0])
    line = repr(report).splitlines()[2]
    assert line.endswith("nan         64")
    assert str(report.advice()).startswith("64 rows have NaN or infinite")


def test_sixteen_tokens_are_described():
    model = model_of("llama", "sdpa")
    with monitor(model) as report, torch.no_grad():
        model(input_ids=tokens(n=16))
    assert np.isfinite(report.alpha.value).all()
    assert np.isfinite(report.dead.value).all()
    assert "rows of fewer than 32 keys only, in all layers" in repr(report)


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointed_rows_are_seen_once(reentrant):
    class Checkpointed(Plain):
        def forward(self, x):
            return checkpoint(super().forward, x, x, use_reentrant=reentrant)

    model = nn.Sequential(Checkpointed(), Checkpointed())
    x = torch.randn(2, 4, N, 8, requires_grad=True)
    with monitor(model, rows=None) as report:
        model(x).sum().backward()
    assert report.layers == ["0", "1"]
    assert (report.rows == 2 * N).all()


@pytest.mark.parametrize("in_place", [True, False])
def test_compiled_code_runs_compiled_and_is_named(in_place):
    model, ids = model_of("llama", "sdpa"), tokens()
    calls = []

    def backend(graph, inputs):
        calls.append(len(graph.graph.nodes))
        return graph.forward

    torch.compiler.reset()
    compiled = model
    if in_place:
        model.compile(backend=backend)
    else:
        compiled = torch.compile(model, backend=backend)
    with torch.no_grad():
        plain = compiled(input_ids=ids).logits
        before = len(calls)
        with monitor(compiled) as report:
            assert torch.equal(compiled(input_ids=ids).logits, plain)
        compiled(input_ids=ids)
        assert len(calls) == before  # nothing was compiled again
        assert report.layers == []
        assert "2 of 2 attention modules were not seen" in repr(report)
        assert "uncompile=True" in repr(report)
        with monitor(compiled, uncompile=True) as report:
            compiled(input_ids=ids)
        assert report.layers == [
            "model.layers.0.self_attn",
            "model.layers.1.self_attn",
        ]
        assert len(calls) == before


def test_a_cache_with_room_to_spare():
    """A token at a time has the rows of the whole text, and their places."""
    model, ids = model_of("llama", "sdpa"), tokens(1, 70)
    how = {
        "max_new_tokens": 30,
        "do_sample": False,
        "cache_implementation": "static",
    }
    plain = model.generate(ids, **how)
    with monitor(model, rows=None, near=16) as report:
        assert torch.equal(model.generate(ids, **how), plain)
    with monitor(model, rows=None, near=16) as whole, torch.no_grad():
        model(input_ids=plain[:, :-1])
    assert report.unseen == {}
    for name in "near", "entropy", "alpha":
        np.testing.assert_allclose(
            getattr(report, name).value,
            getattr(whole, name).value,
            rtol=1e-4,
        )
    assert (report.rows == whole.rows).all()


class OddAttention(nn.Module):
    """Its logits have a shape that says no number of heads."""

    def forward(self, x):
        return functional.softmax(x @ x.transpose(-1, -2), dim=-1) @ x


def test_nothing_is_raised_inside_a_forward(monkeypatch):
    """Whatever goes wrong in looking is said, and the pass goes on."""
    model, ids = model_of("llama", "sdpa"), tokens()

    def fails(*_):
        raise ZeroDivisionError("an error\nof two lines")

    monkeypatch.setattr("attention_scale.torch.looks.look", fails)
    with monitor(model) as report, torch.no_grad():
        model(input_ids=ids)
    assert set(report.unseen.values()) == {"ZeroDivisionError: an error"}
    monkeypatch.undo()
    monkeypatch.setattr("attention_scale.torch.multihead.calls_of", fails)
    model = nn.MultiheadAttention(WIDTH, HEADS)
    with monitor(model) as report:
        model(drawn(), drawn(), drawn())
    assert report.unseen == {
        "MultiheadAttention": "ZeroDivisionError: an error"
    }
    monkeypatch.undo()
    model = nn.Sequential(OddAttention())
    with monitor(model) as report:
        model(drawn())
    assert "1 of 1 attention module was not seen: 0: ValueError" in repr(
        report
    )
    # a model that raises does so as before, and the next pass is seen
    model = model_of("llama", "sdpa")
    with monitor(model) as report, torch.no_grad():
        with pytest.raises(IndexError):
            model(input_ids=ids + 1000)
        model(input_ids=ids)
    assert len(report.layers) == 2
    assert report.unseen == {}


@pytest.mark.parametrize(
    "how, words",
    [
        ({"rows": 1}, "rows: 1; it should be a whole number from 2"),
        ({"rows": "all"}, "rows: 'all'; it should be"),
        ({"sink": "last"}, "sink: 'last'; it should be 'first'"),
        ({"near": 0}, "near: 0; it should be a whole number"),
    ],
)
def test_arguments_are_checked_on_entry(how, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        monitor(nn.Identity(), **how).__enter__()


def test_logits_that_a_module_writes_out_are_seen():
    class HandmadeAttention(nn.Module):
        def __init__(self):
            super().__init__()
            self.n_head, self.c_attn = 4, nn.Linear(WIDTH, 3 * WIDTH)

        def forward(self, x):
            q, k, v = (
                part.unflatten(-1, (4, -1)).transpose(1, 2)
                for part in self.c_attn(x).chunk(3, -1)
            )
            scores = q @ k.transpose(-1, -2) / math.sqrt(8)
            mask = torch.ones(N, N, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(mask, -torch.inf)
            self.query, self.key = q, k
            return (scores.softmax(-1) @ v).transpose(1, 2).flatten(-2)

    torch.manual_seed(0)
    model = nn.Sequential(HandmadeAttention(), nn.Softmax(dim=-1))
    with monitor(model, rows=None) as report, torch.no_grad():
        model(drawn())
    wanted = row_statistics(
        model[0].query.numpy(), model[0].key.numpy(), causal=True, rows=None
    )
    assert report.layers == ["0"]
    np.testing.assert_allclose(
        report[0].alpha.value, wanted.alpha.value, rtol=1e-5
    )
    np.testing.assert_array_equal(report[0].keys, wanted.keys)
    with (
        pytest.warns(UserWarning, match="1 attention modules ran without"),
        rescaled(model, 2.0),
        torch.no_grad(),
    ):
        model(drawn())


@pytest.mark.filterwarnings("ignore:flex_attention called without torch")
@pytest.mark.parametrize("shared", [True, False])
def test_flex_attention(shared):
    from torch.nn.attention import flex_attention as flex

    block_mask = flex.create_block_mask(
        lambda b, h, q, k: q >= k, None, None, N, N, device="cpu"
    )

    def alibi(score, b, h, q, k):
        return score + (k - q) * 2.0**-h

    class Flexible(nn.Module):
        def forward(self, query, key):
            return flex.flex_attention(
                query,
                key,
                key,
                score_mod=alibi,
                block_mask=block_mask if shared else None,
                scale=0.3,
                enable_gqa=shared,
            )

    generator = torch.Generator().manual_seed(0)
    query = torch.randn(2, 4, N, 8, generator=generator)
    key = torch.randn(2, 2 if shared else 4, N, 8, generator=generator)
    model = Flexible()
    plain = model(query, key)
    with monitor(model, rows=None) as report:
        assert torch.equal(model(query, key), plain)
    places = np.arange(N)
    bias = (places - places[:, None]) * 2.0 ** -np.arange(4)[:, None, None]
    wanted = row_statistics(
        query.numpy(),
        key.numpy(),
        scale=0.3,
        causal=shared,
        mask=bias,
        rows=None,
    )
    assert report.layers == ["Flexible"]
    with rescaled(model, 2.0):
        twice = model(query, key)
    torch.testing.assert_close(twice, model(2 * query, key))
    np.testing.assert_allclose(
        report[0].entropy.value, wanted.entropy.value, rtol=1e-5
    )


def test_flex_attention_of_transformers():
    sdpa, ids = model_of("llama", "sdpa"), tokens(1)
    model = model_of("llama", "flex_attention")
    torch.compiler.reset()
    with torch.no_grad():
        with monitor(sdpa, rows=None) as wanted:
            sdpa(input_ids=ids)
        with monitor(model, rows=None) as report:
            model(input_ids=ids)
    assert report.unseen == {}
    np.testing.assert_allclose(
        report.entropy.value, wanted.entropy.value, rtol=1e-4
    )


@pytest.mark.filterwarnings("ignore:1 attention modules ran without")
@pytest.mark.parametrize("model_type", ["whisper", "qwen3_next"])
def test_layers_have_one_number(model_type):
    """In models of two stacks, and where only some layers attend."""
    import zoo

    model, given = zoo.built(model_type, "sdpa")
    asked = []

    def one(layer, heads, positions):
        asked.append(layer)
        return 1.0 + layer

    with torch.no_grad():
        with monitor(model, rows=None) as plain:
            model(**given)
        with rescaled(model, one):
            model(**given)
        n = len(plain.layers)
        assert asked == list(range(n))
        table = np.ones((n, 4))
        table[0] = 2.0
        for factor in (table, {plain.layers[0]: 2.0}):
            with monitor(model, rows=None) as report, rescaled(model, factor):
                model(**given)
            np.testing.assert_allclose(
                report[0].alpha.value, 2 * plain[0].alpha.value, rtol=1e-6
            )
    if n > 1:
        with (
            pytest.raises(ValueError, match="^factor: 1 layers; it should ha"),
            rescaled(model, np.ones((1, 4))),
            torch.no_grad(),
        ):
            model(**given)


def test_memory_is_bounded_and_can_be_cleared():
    model = Plain()
    x = torch.randn(1, 2, N, 8)
    with monitor(model) as report:
        for _ in range(30):
            model(x, x)
        kept = report[0].keys.shape
        assert (report[0].rows == 30 * N).all()
        assert kept == (2, 256)
        report.clear()
        assert report.layers == []
        model(x, x)
    assert (report[0].rows == N).all()


def test_wrappers_leave_names_alone():
    """Of a model on several machines, or compiled."""
    inner = nn.Sequential(nn.MultiheadAttention(WIDTH, HEADS))
    outer = nn.Module()
    outer.module = inner
    outer.forward = lambda x: inner[0](x, x, x)
    with monitor(outer) as report:
        outer(drawn())
    assert report.layers == ["0"]


def test_a_model_keeps_its_signature_and_the_wrappers_of_others():
    model, ids = model_of("llama", "sdpa"), tokens()
    wanted = inspect.signature(model.forward)
    with monitor(model):
        assert inspect.signature(model.forward) == wanted
        before = model.forward

        def around(*args, **kwargs):
            return before(*args, **kwargs)

        model.forward = around
    assert model.forward is around
    with torch.no_grad():
        assert model(input_ids=ids).logits.shape[:2] == ids.shape


def test_copies_that_are_made_meanwhile_are_their_own(tmp_path):
    """An average of weights, or a checkpoint of the whole module."""
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(8, 8)), torch.ones(1, 8)
    with monitor(model):
        copied = copy.deepcopy(model)
        torch.save(model, tmp_path / "model.pt")
    stored = torch.load(tmp_path / "model.pt", weights_only=False)
    with torch.no_grad():
        wanted = model(x)
        model[0].weight.zero_()
        for one in copied, stored:
            assert torch.equal(one(x), wanted)
            one[0].weight.zero_()
            assert torch.equal(one(x), model(x))


def test_a_model_can_be_traced():
    model, x = Plain(), torch.randn(1, 2, N, 8)
    plain = torch.jit.trace(model, (x, x)).graph
    with monitor(model) as report:
        traced = torch.jit.trace(model, (x, x)).graph
    assert len([*traced.nodes()]) == len([*plain.nodes()])
    assert "it is being traced" in repr(report)
