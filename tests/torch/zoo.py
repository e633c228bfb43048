"""Model types of transformers, small and random, and modules of PyTorch.

    python tests/torch/zoo.py

prints the table of the page *Look at your own model*.
"""

import contextlib
import functools
import warnings
from time import process_time

import numpy as np
import torch
import transformers
from torch.overrides import TorchFunctionMode

from attention_scale.torch import monitor

N = 48  # tokens: rows of more and of fewer than 32 keys
# Settings that make any model small, by their values: each takes those it has.
SMALL = {
    101: "vocab_size vocab_size_per_layer_input",
    32: "hidden_size d_model n_embd dim embedding_size word_embed_proj_dim "
    "projection_dim moe_intermediate_size shared_expert_intermediate_size "
    "image_size",
    48: "intermediate_size ffn_dim d_ff d_inner hidden_dim encoder_ffn_dim "
    "decoder_ffn_dim max_source_positions",
    2: "num_hidden_layers num_layers num_decoder_layers encoder_layers "
    "decoder_layers n_layer n_layers num_key_value_heads num_experts "
    "num_local_experts n_routed_experts eos_token_id",
    4: "num_attention_heads num_heads n_head n_heads encoder_attention_heads "
    "decoder_attention_heads rotary_dim patch_size",
    8: "head_dim d_kv num_mel_bins",
    128: "max_position_embeddings n_positions max_target_positions",
    40: "sliding_window",
    1: "num_experts_per_tok bos_token_id",
    0.2: "initializer_range",
    0: "pad_token_id",
}
SMALL = {
    name: value for value, names in SMALL.items() for name in names.split()
} | {"hidden_dropout": 0.0, "use_cache": False}
HYBRID = {
    "layer_types": ["linear_attention", "full_attention"],
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}
LATENT = {
    "num_key_value_heads": 4,
    "head_dim": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 8,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
}
TEXTS = (
    "albert bert bloom codegen cohere2 ctrl deberta deberta-v2 deepseek_v3 "
    "distilbert electra falcon gemma2 gemma3_text gpt2 gpt_neo gpt_neox "
    "gpt_oss gptj granite llama longformer mistral mixtral modernbert mpt "
    "olmo2 opt phi3 qwen2 qwen3 qwen3_next rwkv smollm3 stablelm starcoder2 "
    "xlnet"
)
TEXTS = set(TEXTS.split())
TWO_TEXTS = {"bart", "pegasus", "t5", "umt5"}
IMAGES = {"beit", "dinov2", "siglip_vision_model", "swin", "vit"}
SOUNDS = {"hubert", "wav2vec2", "whisper"}
TYPES = TEXTS | TWO_TEXTS | IMAGES | SOUNDS
# type: settings that it has alone, or in another way
OWN = {
    "bloom": {"hidden_size": 32},
    "ctrl": {"dff": 48},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["p2c"]},
    "deepseek_v3": LATENT,
    "falcon": {"new_decoder_architecture": False},
    "gemma2": {"query_pre_attn_scalar": 16},
    "gemma3_text": {"query_pre_attn_scalar": 16},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "granite": {"attention_multiplier": 0.2},
    "hubert": {"num_conv_pos_embeddings": 16, "conv_dim": [16] * 7},
    "longformer": {"attention_window": 8},
    "modernbert": {"local_attention": 16},
    "qwen3_next": HYBRID,
    "rwkv": {"attention_hidden_size": 32},
    "swin": {"embed_dim": 16, "depths": [2], "num_attention_heads": [4]},
    "wav2vec2": {"num_conv_pos_embeddings": 16, "conv_dim": [16] * 7},
}


def built(model_type, implementation):
    """Return a small random model in float64, and what it takes."""
    blank = transformers.CONFIG_MAPPING[model_type]()
    settings = {
        name: value
        for name, value in SMALL.items()
        if hasattr(blank, name)
        and not isinstance(getattr(blank, name), list | tuple)
        and not isinstance(getattr(type(blank), name, None), property)
    }
    config = transformers.AutoConfig.for_model(
        model_type, **settings | OWN.get(model_type, {})
    )
    torch.manual_seed(0)
    try:
        model = transformers.AutoModel.from_config(
            config, attn_implementation=implementation
        )
    except ValueError as error:
        if "does not support" in str(error):
            return None, None
        raise
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("sinks"):
                parameter.normal_()
    if hasattr(config, "num_experts_per_tok"):
        model.set_experts_implementation("eager")  # others have no float64
    return model.double().eval(), given(model_type)


def given(model_type):
    """Return the arguments of a model's forward."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(3, 101, (2, N), generator=generator)
    if model_type in TEXTS:
        return {"input_ids": ids}
    if model_type in TWO_TEXTS:
        return {"input_ids": ids, "decoder_input_ids": ids[:, :40]}
    if model_type in IMAGES:
        pixels = torch.randn(2, 3, 32, 32, generator=generator)
        return {"pixel_values": pixels.double()}
    if model_type == "whisper":
        sound = torch.randn(2, 8, 2 * N, generator=generator)
        return {"input_features": sound.double(), "decoder_input_ids": ids}
    sound = torch.randn(2, 16_000, generator=generator)
    return {"input_values": sound.double()}


class Softmaxes(TorchFunctionMode):
    """Keeps what goes into each softmax, by the module that runs it."""

    def __init__(self, model):
        super().__init__()
        self.found, self.running = {}, []
        self.hooks = []
        for name, module in model.named_modules():
            self.hooks += [
                module.register_forward_pre_hook(
                    lambda *_, name=name, module=module: self.running.append(
                        (name, module)
                    )
                ),
                module.register_forward_hook(
                    lambda *_: self.running.pop() and None
                ),
            ]

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if "softmax" in getattr(function, "__name__", "") and self.running:
            # the innermost that has parts: no dropout, no softmax of its own
            name = next(
                (
                    name
                    for name, module in reversed(self.running)
                    if any(module.children())
                ),
                "",
            )
            x = args[0] if args else kwargs["input"]
            self.found.setdefault(name, []).append(x.detach().double())
        return function(*args, **kwargs or {})

    def close(self):
        """Take the hooks off."""
        for hook in self.hooks:
            hook.remove()


@torch.no_grad()
def softmaxes(model, arguments):
    """Return what goes into the softmaxes of attention, by module's name."""
    mode = Softmaxes(model)
    with mode:
        model(**arguments)
    mode.close()
    return {
        name: calls
        for name, calls in mode.found.items()
        if calls[0].ndim >= 3 and "att" in name.lower()
    }


def statistics(calls, sink):
    """Return statistics of rows that go into a softmax, all written out."""
    rows = [[] for _ in range(calls[0].shape[1])]
    for x in calls:
        for head in range(x.shape[1]):
            rows[head] += list(x[:, head].flatten(0, 1).numpy())
    found = {name: [] for name in ("alpha", "entropy", "keys", "largest")}
    found |= {"sink": []} if sink else {}
    for head in rows:
        beside = [row[-1] if sink else -np.inf for row in head]
        kept = [row[:-1] if sink else row for row in head]
        kept = [row[row > -9000] for row in kept]
        found["largest"].append(max(row.max() for row in kept if row.size > 1))
        enough = 32 if sum(row.size >= 32 for row in kept) > 1 else 2
        which = [i for i, row in enumerate(kept) if row.size >= enough]
        kept = [kept[i] for i in which]
        log_z = [np.logaddexp.reduce(row) for row in kept]
        p = [np.exp(row - z) for row, z in zip(kept, log_z, strict=True)]
        found["alpha"].append(np.mean([row.std() for row in kept]))
        found["entropy"].append(
            np.mean([-(q[q > 0] * np.log(q[q > 0])).sum() for q in p])
        )
        found["keys"].append(1 / np.mean([(q**2).sum() for q in p]))
        if sink:
            odds = np.exp(np.array(log_z) - [beside[i] for i in which])
            found["sink"].append(np.mean(1 / (1 + odds)))
    return {name: np.array(values) for name, values in found.items()}


def difference(report, layer, wanted):
    """Return how far a layer's numbers are from those wanted, relatively.

    Where the model has a sink, it takes the largest from its logits.
    """
    of = report[layer]
    found = {
        "alpha": of.alpha.value,
        "entropy": of.entropy.value,
        "keys": of.effective_keys.value,
    }
    if "sink" in wanted:
        found["sink"] = of.sink_weight.value
    else:
        found["largest"] = of.largest_logit
    return max(
        np.max(np.abs(found[name] / wanted[name] - 1)) for name in found
    )


@functools.cache
def tried(model_type, implementation):
    """Return what the monitor made of a model, or None if there is none.

    Its report; the names of the modules that give rows to a softmax in eager
    mode; and the largest difference from those rows.
    """
    model, arguments = built(model_type, implementation)
    if model is None:
        return None
    eager, _ = built(model_type, "eager")
    eager.load_state_dict(model.state_dict())
    wanted = softmaxes(eager, arguments)
    with torch.no_grad(), monitor(model, rows=None) as report:
        model(**arguments)
    errors = [0.0]
    for name, calls in wanted.items():
        if name in report.layers:
            heads = report[name].largest_logit.size
            calls = [x.reshape(-1, heads, *x.shape[-2:]) for x in calls]
            written = statistics(calls, sink=model_type == "gpt_oss")
            errors.append(difference(report, name, written))
    return report, set(wanted), max(errors)


def cost(model_type, implementation):
    """Return the milliseconds that a call costs more at the default."""
    model, arguments = built(model_type, implementation)
    times = []
    for watched in (False, True) * 4:
        start = process_time()
        how = monitor(model) if watched else contextlib.nullcontext()
        with torch.no_grad(), how as report:
            model(**arguments)
        times.append(process_time() - start)
    more = np.median(times[3::2]) - np.median(times[2::2])
    return 1e3 * more / max(len(report.layers), 1)


def line(model_type):
    """Return a line of the table: type, seen, unseen, and by how much off."""
    seen, unseen, errors = [], set(), []
    for implementation in ("sdpa", "eager"):
        found = tried(model_type, implementation)
        if found is not None:
            report, wanted, error = found
            assert wanted <= {*report.layers, *report.unseen}
            seen.append(f"{implementation} {len(report.layers)}")
            unseen |= set(report.unseen.values())
            total = len({*report.layers, *report.unseen})
            errors.append(error)
    right = f"{max(errors):.0e}" if report.layers else ""
    return f"| `{model_type}` | {total} | {', '.join(seen)} | {right}"


def main():
    """Print the table of the page, and what each type costs."""
    transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for model_type in sorted(TYPES):
        of = "eager" if "sdpa" not in line(model_type) else "sdpa"
        print(f"{line(model_type)} | {cost(model_type, of):.1f} |")


if __name__ == "__main__":
    main()
