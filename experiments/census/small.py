"""Default configurations made small, in what no attention reads: layers,
vocabulary, experts, and the hidden size of feed-forward blocks in wide models.
"""

import re

import torch
from torch import nn
from transformers import PreTrainedConfig, ResNetConfig

LAYERS = re.compile(
    r"^(num|n)_?(\w+_)?(layers?|blocks)$|^\w+_layers$|^depth$|^layers$"
)
NO_LAYERS = re.compile(
    r"conv|shared|dense|mtp|nextn|every|period|skip|feature|adapter|feat|"
    r"classifier|drop|norm|mlp|proj|upsampl|post_|duration|energy|pitch|"
    r"no_rope|window|speech_decoder_(pre|post)net|hidden_groups"
)
HIDDEN = re.compile(
    r"intermediate_size|ffn_dim|d_ff$|ffn_size|d_inner|n_inner|ffn_hidden"
)
EXPERTS = re.compile(
    r"^(num_|n_)?(local_|routed_)?experts$|^moe_num_experts$|^zero_expert_num$"
)
CHOSEN = re.compile(
    r"experts_per_tok|moe_topk|moe_k$|^top_k_experts$|experts_per_token"
)
EVERY = re.compile(
    r"interval|every|period|pattern|_step|group_size|frequency|no_rope"
)
MOST_LAYERS = 8
DEPTHS = ("depths", "num_layers", "layers_per_block", "num_blocks")
MISSING = {  # no default to build a model from
    "prediction_length": 8,
    "context_length": 16,
    "vocab_size": 2048,
    "n_routed_experts": 8,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "vocabulary_map": {"<image>": 4},
}
FULL = {"full_attention": {"rope_type": "default", "rope_theta": 10_000.0}}
SECTIONS = {
    "rope_type": "default",
    "rope_theta": 10_000.0,
    "mrope_section": [16, 24, 24],
}
INCOMPLETE = {  # defaults from which a class cannot be built or run
    "BambaConfig": {"attn_layer_indices": [1]},  # none attends by default
    "DbrxAttentionConfig": {"rope_theta": 10_000.0, "clip_qkv": 1e9},
    "CohereCompassTextConfig": {"rope_parameters": FULL},
    "DiffusionGemmaTextConfig": {
        "num_experts": 8,
        "top_k_experts": 2,
        "moe_intermediate_size": 256,
    },
    "Glm4vMoeTextConfig": {"head_dim": 128},
    "Glm4vTextConfig": {"rope_parameters": SECTIONS},
    "GlmImageTextConfig": {"rope_parameters": SECTIONS},
    "GraniteMoeHybridConfig": {  # none attends by default
        "layer_types": ["linear_attention", "full_attention"] * 16
    },
    "Lfm2MoeConfig": {"layer_types": ["conv", "full_attention"] * 16},
    "XmodConfig": {"default_language": "en_XX"},
    "MoonshineStreamingConfig": {"num_key_value_heads": 8},
    "PatchTSMixerConfig": {"self_attn": True},  # none by default
    "Step3p7TextConfig": {"sliding_window": 512},
    "VJEPA2Config": {"frames_per_clip": 4},
    "ZambaConfig": {
        "layers_block_type": ["linear_attention", "hybrid", "hybrid"],
        "num_hidden_layers": 3,
    },
    "Zamba2Config": {
        "layers_block_type": ["linear_attention", "hybrid"],
        "hybrid_layer_ids": [1],
        "num_hidden_layers": 2,
    },
}
VOCABULARY = 2048
DRAWN = 100_003  # numbers of a large tensor that are drawn; the rest repeats


def nested(config, depth=0):
    """Yield a configuration and those inside it."""
    yield config
    if depth < 4:
        for value in list(vars(config).values()):
            if isinstance(value, PreTrainedConfig):
                yield from nested(value, depth + 1)


def assign(config, name, value):
    """Set a field, unless the configuration refuses it."""
    try:
        setattr(config, name, value)
    except (AttributeError, TypeError, ValueError, NotImplementedError):
        return


def small(config, least=2):
    """Return a configuration with so many layers of each kind, or as many as
    it needs to have each kind of layer that it lists or counts.
    """
    add_backbone(config)
    for part in nested(config):
        for name, value in MISSING.items():
            if getattr(part, name, 0) is None:
                assign(part, name, value)
        _heads(part)
        for name, value in INCOMPLETE.get(type(part).__name__, {}).items():
            assign(part, name, value)
    for part in nested(config):
        layers, most = {}, max([least, *_periods(part)])
        for name, value in list(vars(part).items()):
            if isinstance(value, bool):
                continue
            if isinstance(value, int):
                if LAYERS.search(name) and not NO_LAYERS.search(name):
                    layers[name] = value
                else:
                    _number(part, name, value)
            elif name in DEPTHS and _whole(value):
                fewer = type(value)(min(v, most) for v in value)
                assign(part, name, fewer)
        _layers(part, {k: v for k, v in layers.items() if v > most}, most)
    return config


def _heads(config):
    """Fill in sizes of heads that a class takes from elsewhere."""
    known = vars(config)
    heads, width = (
        known.get(name) for name in ("num_attention_heads", "hidden_size")
    )
    if type(heads) is int and type(width) is int:
        if known.get("head_dim", 0) is None:
            assign(config, "head_dim", width // heads)
        if known.get("num_key_value_heads", 0) is None:
            assign(config, "num_key_value_heads", heads)


def _periods(config):
    """Every how many layers another kind comes, where a field says it."""
    for name, value in vars(config).items():
        if name.endswith("block_types") and isinstance(value, (list, tuple)):
            yield min(len(value), MOST_LAYERS)
        number = type(value) is int and 1 < value <= MOST_LAYERS
        if number and EVERY.search(name):
            yield value


def _whole(value):
    """Whether a field is a list of whole numbers."""
    return isinstance(value, (list, tuple)) and all(
        type(v) is int for v in value
    )


def add_backbone(config):
    """Put a network of convolutions, which attends to nothing, in place of
    one of another library.
    """
    for part in nested(config):
        old = getattr(part, "backbone_config", None)
        if "timm" in getattr(old, "model_type", ""):
            stages = len(getattr(old, "out_indices", None) or [4])
            names = [f"stage{i}" for i in range(1, 5)][-min(stages, 4) :]
            assign(part, "backbone_config", ResNetConfig(out_features=names))


def _number(config, name, value):
    """Make one number of a configuration smaller."""
    wide = max(getattr(config, "hidden_size", 0) or 0, 0) >= 1536
    if "num_kv_shared_layers" in name:
        assign(config, name, 0)
    elif "vocab" in name and not re.search("type|visual|codebook", name):
        assign(config, name, min(value, VOCABULARY))
    elif wide and HIDDEN.search(name) and value > 512:
        assign(config, name, 256)
    elif EXPERTS.search(name):
        assign(config, name, min(value, 8))
    elif CHOSEN.search(name):
        assign(config, name, min(value, 2))
    elif name in ("n_group", "topk_group", "num_expert_group"):
        assign(config, name, 1)
    elif re.search(r"token_(id|index)x?$", name) and value >= VOCABULARY - 48:
        ids = sorted(n for n in vars(config) if re.search("token_(id|in)", n))
        assign(config, name, VOCABULARY - 48 + ids.index(name) % 48)


def _layers(config, layers, most):
    """Keep one layer of each kind, and the lists that name the kinds."""
    if not layers:
        return
    total = max(layers.values())
    lists = {
        k: v
        for k, v in vars(config).items()
        if isinstance(v, (list, tuple)) and len(v) == total
    }
    words = [
        v
        for v in lists.values()
        if all(isinstance(x, (str, int, bool)) for x in v)
    ]
    kinds, kept = set(), []
    for i in range(total):
        kind = tuple(str(v[i]) for v in words)
        if kind not in kinds and len(kept) < 6:
            kinds.add(kind)
            kept.append(i)
    kept = sorted({*kept, *range(min(most, total))})
    for name, value in lists.items():
        assign(config, name, type(value)(value[i] for i in kept))
    for name, value in layers.items():
        assign(config, name, len(kept) if value == total else min(value, most))


def draw_less():
    """Let large weights repeat a block of random numbers: as random to a
    product, and many times faster.
    """
    for name in ("normal_", "uniform_"):
        setattr(torch.Tensor, name, _repeating(getattr(torch.Tensor, name)))
    for kind in (nn.Linear, nn.Embedding):
        kind.reset_parameters = _unless_large(kind.reset_parameters)
    cut = nn.init.trunc_normal_

    def cut_less(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
        if tensor.numel() > 3 * DRAWN:
            return tensor.data.normal_(mean, std)
        return cut(tensor, mean, std, a, b)

    nn.init.trunc_normal_ = cut_less
    import transformers.initialization as own

    for value in vars(own).values():
        if isinstance(value, dict) and "trunc_normal_" in value:
            value["trunc_normal_"] = cut_less


def _repeating(old):
    def draw(self, *args, **kwargs):
        n = self.numel()
        if n < 3 * DRAWN or not self.is_contiguous() or self.is_meta:
            return old(self, *args, **kwargs)
        block = old(self.new_empty(DRAWN), *args, **kwargs)
        flat, whole = self.data.view(-1), n // DRAWN * DRAWN
        flat[:whole].view(-1, DRAWN).copy_(block)
        flat[whole:] = block[: n - whole]
        return self

    return draw


def _unless_large(old):
    def reset(self):
        if self.weight.numel() < 3 * DRAWN:
            old(self)

    return reset
