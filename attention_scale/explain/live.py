"""What a model says itself: its modules, and one call of it.

Needs PyTorch, and to ask a model type for its modules transformers.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch

from attention_scale.explain.explanation import Applied
from attention_scale.torch.calls import Call, Watch
from attention_scale.torch.modules import innermost

TOKENS = 16
NORM = re.compile(r"^(q|query)_?(layer_?)?norm$|^norm_q$")
QUERY = re.compile(r"^(q|query|q_lin|wq)(_proj|_b_proj)?$|^q_b_proj$")
KEY_NORM = re.compile(r"^(k|key)_?(layer_?)?norm$|^norm_k$")
KEY = re.compile(r"^(k|key|k_lin|wk)(_proj)?$")


def applied(
    model: torch.nn.Module, inputs: Mapping[str, Any] | None = None
) -> Applied | None:
    """Return what a call multiplies logits by, or None if none is met.

    The norms of queries and keys, as softmax gets them, over those that the
    projections (or their norms) gave: rotations leave them alone, and a
    factor on cos and sin, or on the query, does not. The model is one of
    transformers, or has modules of the usual names.
    """
    if inputs is None:
        inputs = _tokens(model)
    reader, training = _Reader(model), model.training
    model.eval()
    try:
        with (
            reader.hooked(),
            Watch(model, reader, uncompile=True).on(),
            torch.no_grad(),
        ):
            model(**inputs)
    finally:
        model.train(training)
    return reader.found()


def _tokens(model):
    """Return a few random tokens, as the arguments of a call."""
    name = getattr(model, "main_input_name", "input_ids")
    if name != "input_ids":
        raise ValueError(
            f"inputs: missing; it should have {name}, which this model takes"
        )
    config = model.config
    if hasattr(config, "get_text_config"):
        config = config.get_text_config()
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(
        3, max(config.vocab_size, 4), (2, TOKENS), generator=generator
    ).to(next(model.parameters()).device)
    if getattr(config, "is_encoder_decoder", False):
        return {"input_ids": ids, "decoder_input_ids": ids}
    return {"input_ids": ids}


class _Reader:
    """Notes the norms of queries and keys, before and in each call."""

    reads = False

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model
        self.before: dict[str, dict[str, Any]] = defaultdict(dict)
        self.factors: dict[str, list[float]] = defaultdict(list)
        self.known: set[str] = set()
        self.scales: set[float] = set()
        self.rope = 1.0
        self.qk_norm = False

    @contextmanager
    def hooked(self) -> Iterator[None]:
        """Watch the modules that project, norm and rotate."""
        with ExitStack() as stack:

            def hook(module, function):
                stack.enter_context(module.register_forward_hook(function))

            for name, module in self.model.named_modules():
                layer, _, last = name.rpartition(".")
                if QUERY.match(last) or NORM.match(last):
                    hook(module, self._keeps(layer, "query"))
                if KEY.match(last) or KEY_NORM.match(last):
                    hook(module, self._keeps(layer, "key"))
                self.qk_norm = self.qk_norm or bool(NORM.match(last))
                if "rotary" in type(module).__name__.lower():
                    hook(module, self._turns)
            yield

    def _keeps(self, layer, side):
        """Return a hook that keeps what a projection gives, or its norm."""

        def keep(module, _, output):
            if isinstance(output, torch.Tensor):
                self.before[layer][side] = output.float()

        return keep

    def _turns(self, module, _, output):
        """Note by how much a rotation also lengthens."""
        if isinstance(output, tuple) and len(output) == 2:
            cos, sin = (values.float() for values in output)
            if cos.shape == sin.shape:
                self.rope = float((cos**2 + sin**2).median())

    def called(self, call: Call) -> None:
        """Note what a call is given."""
        query, key = call.query.float(), call.key.float()
        scale = call.scale
        if scale is None:
            scale = query.shape[-1] ** -0.5
        self.scales.add(float(np.float32(scale)))
        before = self.before.get(call.layer, {})
        if {"query", "key"} <= before.keys():
            self.known.add(call.layer)
            for x, side in (query, "query"), (key, "key"):
                scale *= _rms(x) / _rms(before[side])
        else:
            scale *= self.rope
        self.factors[call.layer].append(float(scale))

    def missed(self, layer: str, reason: str) -> None:
        """A call that is not met has no numbers."""

    def found(self) -> Applied | None:
        """Return what was applied, over the layers."""
        # where a layer's projections are known, it says more than a guess
        names = self.known or set(self.factors)
        if not names:
            return None
        layers = [float(np.median(self.factors[name])) for name in names]
        return Applied(
            factor=float(np.median(layers)),
            lowest=min(layers),
            highest=max(layers),
            scale=self.scales.pop() if len(self.scales) == 1 else np.nan,
            rope_factor=self.rope,
            layers=len(names),
            qk_norm=self.qk_norm,
        )


def _rms(x):
    """Return the root of the mean square of all components."""
    return float(x.square().mean().sqrt())


def asked(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the modules of a model type say, made without weights.

    Empty where transformers does not know it, or its modules name no scale.
    """
    import transformers

    if known.get("model_type") not in transformers.CONFIG_MAPPING:
        return {}
    try:
        config = transformers.AutoConfig.for_model(**known)
        with torch.device("meta"):
            model = transformers.AutoModel.from_config(config)
    except Exception:  # of whatever a type asks for that is not there
        return {}
    names = {module: name for name, module in model.named_modules()}
    attention = innermost(names)
    scales = {
        float(module.scaling)
        for module in attention
        if isinstance(getattr(module, "scaling", None), float)
    }
    if len(scales) != 1:
        return {}
    dimensions = {
        module.head_dim
        for module in attention
        if isinstance(getattr(module, "head_dim", None), int)
    }
    amplitudes = {
        float(module.attention_scaling)
        for module in names
        if hasattr(module, "attention_scaling")
    }
    return {
        "scale": scales.pop(),
        "d": dimensions.pop() if len(dimensions) == 1 else None,
        "amplitude": amplitudes.pop() if len(amplitudes) == 1 else None,
        "qk_norm": any(
            NORM.match(name)
            for module in attention
            for name, _ in module.named_children()
        ),
        "source": f"the modules of transformers {transformers.__version__}, "
        f"models/{known['model_type']}",
    }
