"""Short inputs for a model, from the names of what its forward takes."""

import inspect

import torch

from experiments.census.small import nested

TOKENS = 16
LONG = 1024


def number(config, *names, default=None, kind=int):
    """The first of some fields that a configuration, or one inside it, has."""
    for part in nested(config):
        for name in names:
            value = getattr(part, name, None)
            if isinstance(value, kind) and not isinstance(value, bool):
                return value
    return default


def side(value):
    """The last of several numbers, or the number."""
    return value[-1] if isinstance(value, (list, tuple)) else value


def tokens(config):
    """Sixteen different tokens; more where short texts are another case."""
    vocabulary = number(config, "vocab_size", default=2048)
    sparse = getattr(config, "attention_type", "") == "block_sparse"
    start, n = (
        (100, LONG if sparse else TOKENS) if vocabulary > 120 else (2, TOKENS)
    )
    return torch.arange(n)[None] % max(vocabulary - start - 2, 1) + start


def grid_positions():
    """Places of sixteen patches in a square."""
    axes = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
    return torch.stack(axes, -1).reshape(1, TOKENS, 2)


def beside(config, height, width):
    """What models ask for beside their main input, by its name."""
    grid = torch.tensor([[1, 4, 4]])
    size = number(config, "hidden_size", "d_model", "n_embd", default=64)
    encoder = number(
        config,
        "encoder_hidden_size",
        "cross_attention_hidden_size",
        default=size,
    )
    return {
        **dict.fromkeys(["grid_thw", "image_grid_thw"], grid),
        **dict.fromkeys(["grid_hws", "image_grid_hws"], grid[:, 1:]),
        **dict.fromkeys(
            ["pixel_position_ids", "image_position_ids"], grid_positions()
        ),
        "spatial_shapes": torch.tensor([[4, 4]]),
        "pixel_attention_mask": torch.ones(1, TOKENS, dtype=torch.long),
        "image_sizes": torch.tensor([[height, width]]),
        "bbox": torch.zeros(1, TOKENS, 4, dtype=torch.long),
        "attention_mask": torch.ones(1, TOKENS, dtype=torch.long),
        "encoder_hidden_states": torch.randn(1, TOKENS, encoder),
        "input_features_mask": torch.ones(1, 64, dtype=torch.bool),
        "query_embeds": torch.randn(1, TOKENS, size),
        "input_boxes": torch.tensor([[[10.0, 10.0, 50.0, 50.0]]]),
        "input_points": torch.tensor([[[[20.0, 20.0]]]]),
        "feature_lens": torch.tensor([64]),
        "codebook_idx": 1,
        "merge_sizes": torch.tensor([2]),
        "target_sizes": torch.tensor([[14, 14]]),
        "protein_input_ids": torch.arange(4, 4 + TOKENS)[None],
        "protein_attention_mask": torch.ones(1, TOKENS, dtype=torch.long),
        "audio_mel_mask": torch.zeros(1, 64, dtype=torch.bool),
    }


def frame(config):
    """Channels, height, width and patch of a model's images."""
    size = number(
        config,
        "image_size",
        "input_size",
        "img_size",
        default=224,
        kind=(int, list, tuple),
    )
    channels = number(
        config,
        "num_channels",
        "in_channels",
        "in_chans",
        default=3,
        kind=(int, list, tuple),
    )
    channels = channels[0] if isinstance(channels, (list, tuple)) else channels
    sizes = [size, size] if isinstance(size, int) else (list(size) * 2)[-2:]
    patch = side(
        number(config, "patch_size", default=16, kind=(int, list, tuple))
    )
    return channels, *sizes, patch


def images(config):
    """Yield images and films of the forms that models take."""
    channels, height, width, patch = frame(config)
    frames = number(config, "num_frames", "frames_per_clip", default=4)
    deep = side(
        number(
            config,
            "temporal_patch_size",
            "tubelet_size",
            default=2,
            kind=(int, list, tuple),
        )
    )
    yield 1, channels, height, width
    yield 1, channels, 224, 224
    yield 1, 3, 224, 224
    yield 1, frames, channels, height, width
    yield 1, 2, channels, height, width
    yield 1, channels, frames, height, width
    yield 1, TOKENS, channels * patch * patch
    yield TOKENS, channels * deep * patch * patch
    yield TOKENS, channels * patch * patch
    yield TOKENS, channels, patch, patch
    yield TOKENS, channels * deep, patch, patch
    yield 1, channels, 512, 512
    yield 1, 4, 3, 336, 336
    yield 1, 3, 48, 320


def bands(config):
    """How many bands the spectrum of a sound has."""
    return number(
        config,
        "num_mel_bins",
        "feature_size",
        "input_feat_per_channel",
        "num_mel_band",
        "num_mel_bands",
        "input_channels",
        "input_dim",
        "feature_projection_input_dim",
        default=80,
    )


def sounds(config):
    """Yield waves and spectra of the forms that models take."""
    height = bands(config)
    longest = number(config, "max_source_positions", default=100)
    length = number(config, "max_length", default=64)
    yield 1, 4000
    yield 1, 1, 4000
    yield 1, height, longest * 2
    yield 1, 64, height
    yield 1, height, 64
    yield 1, length, height
    yield 1, 64, 128
    yield 1, 64, 160
    yield 1, 64, 320
    yield 1, 64, 560
    yield 1, 1, 64, height
    yield 1, 1, 1001, 64
    yield 1, 64, 2 * height
    yield 1, height, 200
    yield 1, 200, height
    yield 64, height
    yield height, 64


def series(config, names):
    """Yield time series, with what belongs to them."""
    length = number(config, "context_length", default=TOKENS)
    lags = number(config, "lags_sequence", default=[0], kind=list) or [0]
    features = number(config, "num_time_features", default=0)
    ahead = number(config, "prediction_length", default=8)
    channels = number(config, "num_input_channels", "input_size", default=1)
    for shape in (
        (1, length + max(lags)),
        (1, length + max(lags), channels),
        (1, length),
        (1, length, channels),
    ):
        known = {
            "past_values": torch.randn(*shape),
            "past_time_features": torch.randn(1, shape[1], features),
            "past_observed_mask": torch.ones(*shape),
            "future_values": torch.randn(1, ahead),
            "future_time_features": torch.randn(1, ahead, features),
            "static_categorical_features": torch.zeros(1, 1, dtype=torch.long),
        }
        yield {k: v for k, v in known.items() if k in names}
    yield {"past_values": [torch.randn(64)]} | (
        {"freq": [0]} if "freq" in names else {}
    )


SOUNDS = (
    "input_features",
    "input_values",
    "audio_values",
    "audio_features",
    "audio_mel",
    "features",
)
STATES = (
    "flattened_patches",
    "inputs_embeds",
    "hidden_states",
    "input_embeds",
    "inputs",
)


def pictures(model, names):
    """Names of what takes pictures or films."""
    main = getattr(model, "main_input_name", "input_ids")
    main = main if isinstance(main, str) else main[0]
    found = (main, "pixel_values", "pixel_values_videos")
    return [n for n in found if n in names and "pixel" in n][:1]


def entry(model):
    """What is called: a model's forward, or what encodes where it has none."""
    own = type(model).forward is not torch.nn.Module.forward
    return model if own else getattr(model, "encode", model)


def tries(model):
    """Yield arguments for a model's forward, the likeliest first."""
    config = model.config
    called = entry(model)
    called = model.forward if called is model else called
    names = inspect.signature(called).parameters
    if type(model).__name__ in FORMS:
        yield FORMS[type(model).__name__](config)
    ids = tokens(config)
    fixed = {"use_cache": False} if "use_cache" in names else {}
    if "decoder_input_ids" in names:
        fixed["decoder_input_ids"] = ids.clone()
    extra = beside(config, *frame(config)[1:3])
    asked = {
        name
        for name, p in names.items()
        if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD
    }
    need = fixed | {k: v for k, v in extra.items() if k in asked}
    able = need | {k: v for k, v in extra.items() if k in names}
    if not getattr(config, "add_cross_attention", False):
        able.pop("encoder_hidden_states", None)
    able.pop("attention_mask", None)
    text = {"input_ids": ids} if "input_ids" in names else {}
    if text:
        beside_text = ("bbox", "encoder_hidden_states", "protein_input_ids")
        yield text | need | {k: able[k] for k in beside_text if k in able}
        yield text | need
    for name, shape in forms(model, names):
        for more in (need, able):
            yield (
                (text if "pixel" in name or "input_ids" in asked else {})
                | more
                | {name: torch.randn(*shape)}
            )
    if "past_values" in names:
        yield from series(config, names)
    if text:
        yield text | able


def forms(model, names):
    """Yield what a model may take in numbers, by name and shape."""
    config = model.config
    for name in pictures(model, names):
        for shape in images(config):
            yield name, shape
    for name in SOUNDS:
        if name in names:
            for shape in sounds(config):
                yield name, shape
    width = number(
        config, "hidden_size", "d_model", "n_embd", "embed_dim", default=64
    )
    for name in STATES:
        if name in names:
            yield name, (1, TOKENS, width)
            yield name, (TOKENS, width)
            yield name, (1, TOKENS, bands(config))
            for shape in images(config):
                yield name, shape


def codes(config):
    """Tokens of nine codebooks, which speech is written in."""
    return {
        "input_ids": tokens(config),
        "decoder_input_ids": torch.arange(9 * TOKENS).reshape(1, TOKENS, 9),
        "use_cache": False,
    }


def tiles(config):
    """Four tiles of a picture, as Mllama cuts it."""
    size = number(config, "image_size", default=448)
    return {
        "pixel_values": torch.randn(1, 1, 4, 3, size, size),
        "aspect_ratio_ids": torch.ones(1, 1, dtype=torch.long),
        "aspect_ratio_mask": torch.ones(1, 1, 4, dtype=torch.long),
    }


def context(config):
    """States that a resampler looks at."""
    size = number(config, "hidden_size", default=64)
    return {
        "context": torch.randn(1, TOKENS, size),
        "attention_mask": torch.ones(1, TOKENS, dtype=torch.long),
    }


def looked_at(config):
    """Tokens and the states of a picture for attention across."""
    return {
        "input_ids": tokens(config),
        "cross_attention_states": torch.randn(1, TOKENS, config.hidden_size),
        "use_cache": False,
    }


def pictured(config):
    """Tokens beside a picture that they all may look at."""
    return {
        "input_ids": tokens(config),
        "pixel_values": torch.randn(1, 1, 3, 224, 224),
        "image_attention_mask": torch.ones(1, TOKENS, 1, dtype=torch.long),
        "use_cache": False,
    }


def seen_objects(config):
    """Tokens beside objects that a detector saw."""
    return {
        "input_ids": tokens(config),
        "visual_feats": torch.randn(1, TOKENS, config.visual_feat_dim),
        "visual_pos": torch.rand(1, TOKENS, 4),
    }


def shown(config):
    """A picture beside another with its mask."""
    size = frame(config)[2]
    names = ("pixel_values", "prompt_pixel_values", "prompt_masks")
    return {name: torch.randn(1, 3, size, size) for name in names}


def heard(config):
    """A wave beside its spectrum."""
    return {
        "input_values": torch.randn(1, 1, 320 * TOKENS),
        "input_features": torch.randn(1, TOKENS, 160),
    }


def spectrum(config):
    """A spectrum of two whole windows, all of it valid."""
    length = 4 * config.n_window
    return {
        "input_features": torch.randn(1, config.num_mel_bins, length),
        "input_features_mask": torch.ones(1, length, dtype=torch.long),
    }


def drafted(config):
    """Tokens to be drafted, after what another model made of some."""
    layers = len(config.target_layer_ids)
    states = torch.randn(1, TOKENS, layers * config.hidden_size)
    return {
        "noise_embeds": torch.randn(1, config.block_size, config.hidden_size),
        "context_hidden_states": states,
        "use_cache": False,
    }


def detected(config):
    """What a detector sees, beside classes and a task in words."""
    levels = zip(config.vision_features_channels, (32, 16, 8), strict=True)
    words = torch.randn(TOKENS, 1, config.class_embed_dim)
    return {
        "vision_features": [torch.randn(1, c, n, n) for c, n in levels],
        "class_features": words,
        "task_features": words.clone(),
        "task_mask": torch.ones(1, TOKENS, dtype=torch.long),
    }


def task(config):
    """A picture beside a task in words."""
    return {
        "pixel_values": torch.randn(1, 3, 224, 224),
        "task_inputs": torch.arange(config.task_seq_len)[None] + 100,
    }


def filmed(config):
    """Tokens beside a film of one picture."""
    size = config.max_img_size
    return {
        "input_ids": tokens(config),
        "pixel_values": torch.randn(1, 1, 3, size, size),
    }


def strip(config):
    """Sixteen patches of a picture, side by side."""
    size = config.patch_size
    return {
        "pixel_values": torch.randn(1, 3, size, size * TOKENS),
        "target_sizes": torch.tensor([[4, 4]]),
    }


def queried(config):
    """Queries, and the states of a picture that they look at."""
    states = torch.randn(1, TOKENS, config.encoder_hidden_size)
    return {
        "query_embeds": torch.randn(1, TOKENS, config.hidden_size),
        "encoder_hidden_states": states,
    }


def line(config):
    """A line of writing."""
    return {"pixel_values": torch.randn(1, 3, 96, 320)}


FORMS = {
    "Blip2QFormerModel": queried,
    "DiaModel": codes,
    "LxmertModel": seen_objects,
    "SegGptModel": shown,
    "IdeficsModel": pictured,
    "Idefics2PerceiverResampler": context,
    "MllamaTextModel": looked_at,
    "MiniCPMV4_7VisionModel": strip,
    "MllamaVisionModel": tiles,
    "MuseGlimmerAssistantModel": drafted,
    "NeuCodecModel": heard,
    "OmDetTurboDecoder": detected,
    "OneFormerModel": task,
    "PPOCRV5MobileRecForTextRecognition": line,
    "Qwen3ASREncoder": spectrum,
    "TvpModel": filmed,
    "Xcodec2Model": heard,
}
