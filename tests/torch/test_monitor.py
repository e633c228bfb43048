"""What `monitor` and `rescaled` do to models, against eager in float64.

In an environment of its own: `make test-torch`. The models are tiny, and
random by a seed, with weights large enough for rows to differ.
"""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest
import torch
import transformers
import zoo
from torch.nn.attention.bias import causal_lower_right

import attention_scale.torch
from attention_scale.observe import row_statistics
from attention_scale.torch import monitor, rescaled

attention = torch.nn.functional.scaled_dot_product_attention

TINY = {
    "vocab_size": 97,
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "eos_token_id": None,
}
FAMILIES = {
    "llama": {},
    "qwen3": {},
    "gemma2": {"sliding_window": 40, "query_pre_attn_scalar": 16},
    "gpt_oss": {
        "num_local_experts": 2,
        "num_experts_per_tok": 1,
        "sliding_window": 48,
    },
}
# softcaps and sinks are eager's alone
SDPA = ["llama", "qwen3"]
BOTH = [(name, "eager") for name in FAMILIES] + [
    (name, "sdpa") for name in SDPA
]
EACH = pytest.mark.parametrize("name, function", BOTH)
N = 96


def model_of(name, function, dtype=torch.float32):
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(name, **TINY | FAMILIES[name])
    model = transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation=function
    )
    for parameter_name, parameter in model.named_parameters():
        if parameter_name.endswith("sinks"):
            torch.nn.init.normal_(parameter)
    return model.to(dtype).eval()


def tokens(batch=2, n=N, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(1, 97, (batch, n), generator=generator)


def padded():
    """Return tokens of which one text is shorter, padded on the left."""
    ids, mask = tokens(), torch.ones(2, N, dtype=torch.long)
    ids[0, :30], mask[0, :30] = 0, 0
    return {"input_ids": ids, "attention_mask": mask}


@torch.no_grad()
def logits(model, **given):
    return model(**given).logits


@EACH
@pytest.mark.parametrize("given", [{"input_ids": tokens()}, padded()])
def test_recording_changes_no_logit(name, function, given):
    """Also of a padded text, where a wrong mask gives others and no error."""
    model = model_of(name, function)
    before = logits(model, **given)
    with monitor(model) as report:
        during = logits(model, **given)
    after = logits(model, **given)
    assert torch.equal(during, before)
    assert torch.equal(after, before)
    assert len(report.layers) == 2


@EACH
def test_statistics_are_those_of_eager_in_float64(name, function):
    """Of a text and a padded one together, against each by itself."""
    given = padded()
    model = model_of(name, function)
    with monitor(model, rows=None) as report:
        logits(model, **given)
    exact = model_of(name, "eager").double()
    if name == "gpt_oss":
        exact.set_experts_implementation("eager")  # the other has no float64
    ids = given["input_ids"]
    texts = [
        zoo.softmaxes(exact, {"input_ids": x}) for x in (ids[:1, 30:], ids[1:])
    ]
    for layer in report.layers:
        calls = [call for text in texts for call in text[layer]]
        wanted = zoo.statistics(calls, sink=name == "gpt_oss")
        # float32 has 1e-7 of logits up to 50: 5e-6 of a weight, and a few
        # times that of an entropy of 0.5
        assert zoo.difference(report, layer, wanted) < 3e-5


@EACH
def test_generation_with_a_cache_is_unchanged(name, function):
    model = model_of(name, function)
    given = {"input_ids": tokens(1, 40), "max_new_tokens": 8}
    plain = model.generate(**given, do_sample=False)
    with monitor(model) as report:
        watched = model.generate(**given, do_sample=False)
    assert torch.equal(watched, plain)
    # a token at a time sees all keys before it, but for a window
    keys = report[1].keys[0]
    assert keys[np.isfinite(keys)].max() == 47
    # and one pass over the whole text sees the same rows
    with monitor(model, rows=None) as whole:
        logits(model, input_ids=plain[:, :-1])
    for found, wanted in zip(
        (report[1].entropy.value, report[1].sink_weight.value),
        (whole[1].entropy.value, whole[1].sink_weight.value),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@EACH
def test_bfloat16_is_looked_at_in_single_precision(name, function):
    model = model_of(name, function, torch.bfloat16)
    given = {"input_ids": tokens()}
    before = logits(model, **given)
    with monitor(model) as report:
        assert torch.equal(logits(model, **given), before)
    full = model_of(name, function)
    with monitor(full) as wanted:
        logits(full, **given)
    # queries and keys have eight bits: logits of size 5 are off by 2%
    np.testing.assert_allclose(
        report[0].alpha.value, wanted[0].alpha.value, rtol=0.03
    )


@EACH
@pytest.mark.parametrize("factor", [0.5, 1.25])
def test_rescaling_is_another_scale(name, function, factor):
    model, given = model_of(name, function), padded()
    before = logits(model, **given)
    with rescaled(model, factor):
        scaled = logits(model, **given)
    assert torch.equal(logits(model, **given), before)
    for module in model.modules():
        if hasattr(module, "scaling"):
            module.scaling *= factor
    # a query is rounded once more than a scale
    torch.testing.assert_close(
        scaled, logits(model, **given), rtol=1e-3, atol=1e-3
    )
    assert (scaled - before).abs().max() > 0.01


def test_factors_are_those_of_layer_head_and_position():
    model, ids = model_of("llama", "sdpa"), tokens(1)
    asked = []

    def grows(layer, heads, positions):
        asked.append((layer, heads.shape, positions.copy()))
        return 1 + 0.1 * layer + 0.01 * heads + positions / 50

    with rescaled(model, grows), monitor(model, rows=None) as report:
        logits(model, input_ids=ids)
    assert [layer for layer, *_ in asked] == [0, 1]
    assert asked[0][1] == (4, 1)
    assert asked[0][2].ravel().tolist() == list(range(N))
    # token by token with a cache: the same factors
    with rescaled(model, grows):
        whole = logits(model, input_ids=ids)
        with torch.no_grad():
            first = model(input_ids=ids[:, :50], use_cache=True)
            cache, rest = first.past_key_values, [first.logits]
            for i in range(50, N):
                step = model(
                    input_ids=ids[:, i : i + 1], past_key_values=cache
                )
                rest.append(step.logits)
    # float32, in another order, through factors of up to 3
    torch.testing.assert_close(torch.cat(rest, 1), whole, rtol=1e-3, atol=1e-3)
    assert report.alpha.value.shape == (2, 4)


def test_monitor_outside_of_a_rescaling_sees_what_softmax_gets():
    model, ids = model_of("llama", "sdpa"), tokens()
    with monitor(model) as plain:
        logits(model, input_ids=ids)
    with monitor(model) as report, rescaled(model, 2.0):
        logits(model, input_ids=ids)
    np.testing.assert_allclose(
        report[0].alpha.value, 2 * plain[0].alpha.value, rtol=1e-5
    )


class Plain(torch.nn.Module):
    """A layer that calls PyTorch's function, grouped or not."""

    def __init__(self, **how):
        super().__init__()
        self.how = how

    def forward(self, query, key):
        return attention(query, key, key, **self.how)


WHOLE, LAST = (2, 4, 80, 8), (2, 4, 50, 8)


@pytest.mark.parametrize(
    "of_query, of_key, how, known",
    [
        (WHOLE, WHOLE, {}, {}),
        (WHOLE, (2, 2, 80, 8), {"enable_gqa": True}, {}),
        (WHOLE, (2, 1, 80, 8), {}, {}),
        (WHOLE, (1, 4, 80, 8), {}, {}),
        (WHOLE, WHOLE, {"scale": -0.5}, {"scale": -0.5}),
        (
            WHOLE[1:],
            WHOLE[1:],
            {"is_causal": True, "scale": 1},
            {"causal": True, "scale": 1},
        ),
        # PyTorch's first query is at the first key
        (LAST, WHOLE, {"is_causal": True}, {"mask": np.tri(50, 80) > 0}),
        (
            LAST,
            WHOLE,
            {"attn_mask": causal_lower_right(50, 80)},
            {"causal": True},
        ),
    ],
)
def test_any_call_of_the_function_is_seen(of_query, of_key, how, known):
    generator = torch.Generator().manual_seed(2)
    query = torch.randn(of_query, generator=generator)
    key = torch.randn(of_key, generator=generator)
    model = torch.nn.Sequential(torch.nn.Identity())
    model.add_module("inner", Plain(**how))
    before = model.inner(query, key)
    with monitor(model, rows=None) as report:
        assert torch.equal(model.inner(query, key), before)
        attention(query, query, query)  # somebody else's
    assert report.layers == ["inner"]
    wanted = row_statistics(query.numpy(), key.numpy(), rows=None, **known)
    for name in "alpha", "entropy", "effective_keys":
        np.testing.assert_allclose(
            getattr(report[0], name).value,
            getattr(wanted, name).value,
            rtol=1e-5,
        )
    with rescaled(model, 2.0):
        twice = model.inner(query, key)
    torch.testing.assert_close(
        twice, attention(2 * query, key, key, **how), rtol=1e-4, atol=1e-5
    )


def test_a_text_of_one_token_has_no_rows():
    model = model_of("llama", "sdpa")
    with monitor(model) as report:
        logits(model, input_ids=tokens(1, 1))
    assert report.layers == []


def test_gradients_pass_and_randomness_stays():
    torch.manual_seed(0)
    model = Plain(is_causal=True, dropout_p=0.5)
    query = torch.randn(1, 2, 64, 8, requires_grad=True)
    torch.manual_seed(1)
    model(query, query).sum().backward()
    plain, query.grad = query.grad.clone(), None
    torch.manual_seed(1)
    with monitor(model):
        model(query, query).sum().backward()
    assert torch.equal(query.grad, plain)


def test_a_kernel_of_another_is_seen_through_or_named():
    """One that calls PyTorch's function, and one that calls nothing known."""
    from transformers import AttentionInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    model = model_of("llama", "sdpa")
    before = logits(model, input_ids=tokens())
    with monitor(model) as wanted:
        logits(model, input_ids=tokens())

    def opaque(module, query, key, value, *_, **__):
        return query.transpose(1, 2).contiguous(), None

    for function in sdpa_attention_forward, opaque:
        AttentionInterface.register("other_kernel", function)
        try:
            model.set_attn_implementation("other_kernel")
            with monitor(model) as report:
                logits(model, input_ids=tokens())
            # a factor reaches any of them
            with rescaled(model, 1.5):
                logits(model, input_ids=tokens())
        finally:
            AttentionInterface._global_mapping.pop("other_kernel")
        if function is opaque:
            assert report.layers == []
            assert "2 of 2 attention modules were not seen" in repr(report)
            assert "it runs other_kernel, of which nothing" in repr(report)
        else:
            assert report.unseen == {}
            assert (report.alpha.value == wanted.alpha.value).all()
    # and everything is as it was
    model.set_attn_implementation("sdpa")
    assert torch.equal(logits(model, input_ids=tokens()), before)


def test_reports_show_arrays_tables_and_maps():
    model = model_of("qwen3", "sdpa")
    with monitor(model, sink="first") as report:
        assert "no rows seen" in repr(report)
        logits(model, input_ids=tokens())
    lines = repr(report).splitlines()
    assert len(lines) == 3
    assert len({len(line) for line in lines[1:]}) == 1
    assert report["model.layers.1.self_attn"] is report[1]
    assert report.largest_logit.shape == (2, 4)
    assert (report.sink_weight.value > 0).all()
    pytest.importorskip("matplotlib").use("agg")
    axes = report.heat_map("entropy")
    assert axes.images[0].get_array().shape == (2, 4)


@pytest.mark.parametrize(
    "factor, words",
    [
        (np.ones(3), r"factor: shape \(3,\); it should be a number"),
        (np.inf, "factor: not finite in layer 0"),
        (lambda *_: np.ones(7), r"factor: shape \(7,\) in layer 0, .*; it"),
    ],
)
def test_wrong_factors_are_named(factor, words):
    model = model_of("llama", "sdpa")
    with (
        pytest.raises(ValueError, match=f"^{words}"),
        rescaled(model, factor),
    ):
        logits(model, input_ids=tokens())


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="^model: int; it should be a torch"):
        monitor(5).__enter__()


MODULES = [
    name for _, name, _ in pkgutil.iter_modules(attention_scale.torch.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name):
    module = importlib.import_module(f"attention_scale.torch.{name}")
    found = doctest.testmod(module, extraglobs={"np": np, "torch": torch})
    assert not found.failed


def test_public_functions_have_examples():
    for name in attention_scale.torch.__all__:
        # what these show, the functions do that return them
        if name not in ("Report", "Largest"):
            assert ">>>" in getattr(attention_scale.torch, name).__doc__
