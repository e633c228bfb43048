"""What the traced factors amount to."""

import re

from experiments.census.symbols import Value, literal, power, text_of, times

HEAD = (
    r"head_dim|head_size|d_head|dim_head|dim_per_head|per_head|kv_channels|"
    r"d_kv|value_proj_dim|last_dim|head_width|attention_size|"
    r"hidden_size_per|qk_dim|size_head|head_hidden|attn_dim$|^dim_k|d_k$|"
    r"_d_qk|key_dim|c_hidden|hdim"
)
HEADS = (
    r"n_heads?$|num_heads|num_.*heads?|n_head|heads$|num_.*attention_heads|"
    r"nhead|_heads_|n_attn_heads"
)
WIDTH = (
    r"hidden_size|embed_dim|d_model|n_embd|hidden_dim|emb_dim|width|dim$|"
    r"dim_out$|cin$|channels|hidden_sizes|embed_size|inner_dim|proj_dim|"
    r"all_head|hidden_features|decoder_hidden|mid_channels|latents"
)


def product(ops: tuple) -> Value:
    """The product of the factors that are multiplied by default, without what
    stands before or after a tanh.
    """
    kept, caps = [], set()
    for i, op in enumerate(ops):
        if op.what == "tanh" and op.by_default:
            caps |= {
                j
                for j in (i - 1, i + 1)
                if 0 <= j < len(ops) and ops[j].what == "times"
            }
    for i, op in enumerate(ops):
        if op.what == "times" and op.by_default and i not in caps:
            kept.append(op.detail)
    total = literal(1.0)
    for factor in kept:
        total = times(total, factor)
    return total


def roles(number: Value) -> tuple[dict, float]:
    """The powers of a factor, by what its names mean: d, heads, width, YaRN,
    or their own name.
    """
    powers: dict = {}
    for name, exponent in number.powers:
        bare = name.removeprefix("config.")
        if "YaRN" in name or "mscale" in name:
            role = "YaRN"
        elif re.search(r"layer_?id|layer_number|layer_index", name):
            role = "layer"
        elif "log" in name and "position" in name:
            role = "position"
        elif re.search(r"downsample_rate|shrink_ratio", bare):
            role = "rate"
        elif re.search(HEAD, bare) and not re.search(
            "scalar|multiplier", bare
        ):
            role = "d"
        elif re.search(HEADS, bare):
            role = "heads"
        elif re.search(WIDTH, bare):
            role = "width"
        elif bare == "size":
            role = "tokens"
        else:
            role = name
        powers[role] = powers.get(role, 0.0) + exponent
    shared = (
        min(powers.get("width", 0.0), -powers.get("heads", 0.0), key=abs)
        if "heads" in powers
        else 0.0
    )
    if (
        shared
        and powers.get("width", 0.0) == shared
        and -powers["heads"] == shared
    ):
        powers["d"] = powers.get("d", 0.0) + shared
        del powers["width"], powers["heads"]
        if powers.get("rate") == -shared:
            del powers["rate"]
    return {role: p for role, p in powers.items() if p}, number.coefficient


def scale_label(event, dimensions: list | None = None) -> str:
    """The scale of one softmax; `dimensions` are what the class calls the size
    of a head.
    """
    everything = (*event.query, *event.key, *event.scores)
    active = [op for op in everything if op.by_default]
    if any(op.what == "position" for op in active):
        return "per position"
    if any(op.what == "learned" for op in active):
        return "learned"
    total = literal(1.0)
    for ops in (event.query, event.key, event.scores):
        total = times(total, product(ops))
    for dimension in dimensions or []:
        root = power(dimension, -0.5)
        same = dimension.powers and root.powers == total.powers
        if same and abs(total.coefficient / root.coefficient - 1) < 1e-9:
            return "1/sqrt(d)"
    powers, coefficient = roles(total)
    yarn = powers.pop("YaRN", 0.0)
    suffix = " x YaRN" if yarn else ""
    gates = sorted(
        {
            op.detail
            for op in active
            if op.what == "gate" and op in event.scores
        }
    )
    if "position" in powers:
        return "per position"
    if not powers:
        return (
            "1" if abs(coefficient - 1) < 1e-9 else f"{coefficient:g}"
        ) + suffix
    named = {
        k: v
        for k, v in powers.items()
        if k not in ("d", "heads", "width", "tokens", "layer")
    }
    d = powers.get("d", 0.0)
    if set(powers) == {"d"}:
        name = {-0.5: "1/sqrt(d)", -1.0: "1/d", -0.25: "d^-1/4"}.get(
            d, f"d^{d:g}"
        )
        if abs(coefficient - 1) > 1e-9:
            name = f"{coefficient:.3g}" + name.removeprefix("1")
        return name + suffix
    if named and set(powers) - set(named) <= {"d"}:
        return ("1/sqrt(d) x config" if d == -0.5 else "config") + suffix
    if set(powers) == {"width"} and powers["width"] == -0.5:
        return "1/sqrt(width)" + suffix
    if set(powers) == {"heads"}:
        return "1/sqrt(heads)" + suffix
    if set(powers) == {"d", "layer"}:
        return "per layer"
    if set(powers) == {"tokens"}:
        return "1/sqrt(tokens)"
    return "other: " + text_of(total) + str(gates)


def norm_kind(cls: str) -> str:
    """RMS, LayerNorm, L2 or the name of the class."""
    if "RMS" in cls or cls in ("T5LayerNorm",):
        return "RMS"
    if "L2" in cls:
        return "L2"
    if "LayerNorm" in cls:
        return "LayerNorm"
    return cls


TELLING = {"times", "learned", "position", "norm", "tanh", "sink", "gate"}


def facts(events: list, attributes: dict) -> dict:
    """The labels of a class, of its softmaxes that happen by default where
    there are such.
    """
    usual = [e for e in events if e.by_default] or events
    named = [
        v
        for k, v in attributes.items()
        if re.search(r"head_(dim|size)$|_head_size$", k)
    ]
    dimensions = [v for v in named if v.kind == "number"]
    labels = list(dict.fromkeys(scale_label(e, dimensions) for e in usual))
    eager = [e for e in usual if e.via == "softmax"] or usual
    query = [op for e in usual for op in e.query]
    key = [op for e in usual for op in e.key]
    scores = [op for e in usual for op in e.scores]
    norms_q = [op for op in query if op.what == "norm"]
    norms_k = [op for op in key if op.what == "norm"]
    norms = norms_q + norms_k
    both = bool(norms_q) and bool(norms_k)
    place = []
    for name, ops in (("q", query), ("k", key), ("scores", scores)):
        if any(
            op.what in ("times", "learned", "position")
            and op.by_default
            and _tells(op)
            for op in ops
        ):
            place.append(name)
    if any(e.via == "MultiheadAttention" for e in usual):
        place = ["library"]
    alphas = {_alpha(e) for e in usual}
    alpha = alphas.pop() if len(alphas) == 1 else None
    return {
        "scale": " | ".join(labels),
        "alpha": "" if alpha is None else f"{alpha:.6g}",
        "place": "+".join(place),
        "qknorm": "/".join(sorted({norm_kind(str(op.detail)) for op in norms}))
        if both
        else "",
        "qknorm_on": int(any(op.by_default for op in norms)) if both else "",
        "softcap": int(
            any(op.what == "tanh" and op.by_default for op in scores)
        ),
        "sink": int(any(op.what == "sink" for op in scores)),
        "bias": int(any(op.what == "bias" and op.by_default for op in scores)),
        "fp32": int(
            any(
                op.what == "fp32" and op.by_default
                for e in eager
                for op in (*e.scores, *e.query)
            )
        ),
        "factors": _factors({"q": query, "k": key, "scores": scores}),
    }


def _factors(places: dict) -> str:
    """All that was done to q, k and the scores, with its line."""
    said = (
        f"{where}:{op.line} {_said(op)}" + ("" if op.by_default else " (off)")
        for where, ops in places.items()
        for op in ops
        if op.what in TELLING and _tells(op)
    )
    return "; ".join(dict.fromkeys(said))


def _alpha(event) -> float | None:
    """The scale as a number, where the default configuration gives it."""
    total = literal(1.0)
    for ops in (event.query, event.key, event.scores):
        if any(
            op.what in ("learned", "position") and op.by_default for op in ops
        ):
            return None
        total = times(total, product(ops))
    known = isinstance(total.const, (int, float)) and not isinstance(
        total.const, bool
    )
    return float(total.const) if known and total.const > 0 else None


def _tells(op) -> bool:
    return not (
        op.what == "times"
        and not op.detail.powers
        and op.detail.coefficient == 1
    )


def _said(op) -> str:
    if op.what == "times":
        return text_of(op.detail)
    return f"{op.what} {op.detail}".strip()


__all__ = ["facts", "norm_kind", "power", "roles", "scale_label"]
