"""Queries and keys of PyTorch's own modules of attention.

`nn.MultiheadAttention` keeps them to itself, and on the fast path of the
encoder's layers no function of Python's is called. They are projected again,
as the module does it.
"""

import functools
import inspect
from typing import Any

import torch
from torch import nn
from torch.nn import functional


@functools.cache
def _signature(function):
    """Return a function's signature."""
    return inspect.signature(function)


def _bound(function, *args, **kwargs):
    """Return the arguments of a call by name, with those left out."""
    known = _signature(function).bind(*args, **kwargs)
    known.apply_defaults()
    return dict(known.arguments)


def has_fast_path(module: nn.Module) -> bool:
    """Tell whether a module runs other code if PyTorch's functions are met."""
    if isinstance(module, nn.TransformerEncoder):
        return isinstance(module.layers[0], nn.TransformerEncoderLayer)
    return _is(module, nn.MultiheadAttention) or _is_layer(module)


def _is_layer(module):
    """Tell whether a module does what PyTorch's own encoder layer does."""
    return _is(module, nn.TransformerEncoderLayer) and _is(
        module.self_attn, nn.MultiheadAttention
    )


def _is(module, kind):
    """Tell whether a module does what PyTorch's own does."""
    return isinstance(module, kind) and type(module).forward is kind.forward


def calls_of(
    module: nn.Module, args: Any, kwargs: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Return calls that only the module can tell: their names, arguments."""
    if not (_is(module, nn.MultiheadAttention) or _is_layer(module)):
        return []
    known = _bound(type(module).forward, module, *args, **kwargs)
    if _is_layer(module):
        return [("self_attn", _of_layer(module, known))]
    return [("", _of_module(module, known))]


def _of_layer(layer, known):
    """Return the arguments of the attention of a layer on the fast path."""
    x, padding = known["src"], known["src_key_padding_mask"]
    nested = x.is_nested
    if nested:
        lengths = [len(text) for text in x.unbind()]
        x = torch.nested.to_padded_tensor(x, 0.0)
        places = torch.arange(x.shape[1], device=x.device)
        padding = places >= torch.tensor(lengths, device=x.device)[:, None]
    if layer.norm_first:
        norm = layer.norm1
        x = functional.layer_norm(
            x, norm.normalized_shape, norm.weight, norm.bias, norm.eps
        )
    return _of_module(
        layer.self_attn,
        {
            "query": x,
            "key": x,
            "value": x,
            "key_padding_mask": padding,
            "attn_mask": known["src_mask"],
        },
    ) | {"no_queries": padding if nested else None}


def _of_module(module, known):
    """Return what a module gives to `multi_head_attention_forward`."""
    query, key, value = (known[name] for name in ("query", "key", "value"))
    if module.batch_first and query.ndim == 3:
        same = key is query
        query = query.transpose(0, 1)
        key = query if same else key.transpose(0, 1)
    return {
        "query": query,
        "key": key,
        "value": value,
        "num_heads": module.num_heads,
        "in_proj_weight": module.in_proj_weight,
        "in_proj_bias": module.in_proj_bias,
        "bias_k": module.bias_k,
        "add_zero_attn": module.add_zero_attn,
        "key_padding_mask": known["key_padding_mask"],
        "attn_mask": known["attn_mask"],
        "use_separate_proj_weight": not module._qkv_same_embed_dim,
        "q_proj_weight": module.q_proj_weight,
        "k_proj_weight": module.k_proj_weight,
        "static_k": None,
    }


def arguments(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the arguments of `multi_head_attention_forward` by name."""
    return _bound(functional.multi_head_attention_forward, *args, **kwargs)


def _weights(known):
    """Return the weights of queries and keys, and their biases."""
    width = known["query"].shape[-1]
    if known["use_separate_proj_weight"]:
        query, key = known["q_proj_weight"], known["k_proj_weight"]
        width = query.shape[0]
    else:
        query, key = known["in_proj_weight"].split(width)[:2]
    biases = known["in_proj_bias"]
    biases = (None, None) if biases is None else biases.split(width)[:2]
    return (query, biases[0]), (key, biases[1])


def projected(known: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return queries, keys (batch, heads, n, d), and a mask of those seen."""
    heads = known["num_heads"]
    of_query, of_key = _weights(known)
    query = functional.linear(_batched(known["query"]), *of_query)
    key = functional.linear(_batched(known["key"]), *of_key)
    if known["bias_k"] is not None:
        key = torch.cat([key, known["bias_k"].expand(-1, key.shape[1], -1)])
    # (n, batch, width) to (batch, heads, n, d)
    query, key = (
        x.unflatten(-1, (heads, -1)).permute(1, 2, 0, 3) for x in (query, key)
    )
    if known["static_k"] is not None:
        key = known["static_k"].unflatten(0, (-1, heads))
    if known["add_zero_attn"]:
        key = functional.pad(key, (0, 0, 0, 1))
    return query, key, _mask(known, query, key)


def _batched(x):
    """Return (n, batch, width) of what may have no batch."""
    return x.unsqueeze(1) if x.ndim == 2 else x


def _mask(known, query, key):
    """Return what is masked for queries or as padding, both in one."""
    batch, heads = query.shape[:2]
    mask, padding = known["attn_mask"], known["key_padding_mask"]
    if mask is not None and mask.ndim == 3:
        mask = mask.unflatten(0, (batch, heads))
    if padding is not None:
        padding = padding.reshape(batch, 1, 1, -1)
    added = torch.zeros((), device=query.device)
    absent = known.get("no_queries")
    if absent is not None:
        absent = absent[:, None, :, None].expand(-1, -1, -1, key.shape[2])
    for one in (mask, padding, absent):
        if one is not None:
            more = key.shape[2] - one.shape[-1]  # keys that the module added
            one = functional.pad(one, (0, more))
            if one.dtype == torch.bool:
                one = torch.zeros_like(one, dtype=torch.float32).masked_fill(
                    one, -torch.inf
                )
            added = added + one
    return added if added.ndim else None


def with_query(known: dict[str, Any], query: Any) -> Any:
    """Call the function with other queries than it would project."""
    of_query, of_key = _weights(known)
    width = of_query[0].shape[0]
    value = known["v_proj_weight"]
    if not known["use_separate_proj_weight"]:
        value = known["in_proj_weight"].split(width)[2]
    biases = known["in_proj_bias"]
    if biases is not None:
        biases = torch.cat([torch.zeros_like(biases[:width]), biases[width:]])
    # (batch, heads, n, d) to (n, batch, width), through a weight of one
    query = query.permute(2, 0, 1, 3).flatten(-2)
    if known["query"].ndim == 2:
        query = query.squeeze(1)
    return functional.multi_head_attention_forward(
        **known
        | {
            "query": query,
            "in_proj_weight": None,
            "in_proj_bias": biases,
            "use_separate_proj_weight": True,
            "q_proj_weight": torch.eye(
                width, dtype=query.dtype, device=query.device
            ),
            "k_proj_weight": of_key[0],
            "v_proj_weight": value,
        }
    )
