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


MEANS = [  # what the name of a factor means
    ("YaRN", r"YaRN|mscale"),
    ("layer", r"layer_?id|layer_number|layer_index"),
    ("rate", r"downsample_rate|shrink_ratio"),
    ("d", rf"^(?!.*(?:scalar|multiplier)).*(?:{HEAD})"),
    ("heads", HEADS),
    ("width", WIDTH),
    ("tokens", r"^size$"),
]
ROOTS = {-0.5: "1/sqrt(d)", -1.0: "1/d", -0.25: "d^-1/4"}


def product(ops: tuple) -> Value:
    """The product of the factors that are multiplied by default, without what
    stands before or after a tanh.
    """
    caps = {
        j
        for i, op in enumerate(ops)
        if op.what == "tanh" and op.by_default
        for j in (i - 1, i + 1)
    }
    total = literal(1.0)
    for i, op in enumerate(ops):
        if op.what == "times" and op.by_default and i not in caps:
            total = times(total, op.detail)
    return total


def whole(event) -> Value:
    """The product of all factors on q, k and scores."""
    query, key, scores = map(product, event.places)
    return times(times(query, key), scores)


def roles(number: Value) -> dict:
    """The powers of a factor, by what its names mean: d, heads, width, YaRN,
    or their own name.
    """
    powers: dict = {}
    for name, exponent in number.powers:
        bare = name.removeprefix("config.")
        role = next((r for r, said in MEANS if re.search(said, bare)), name)
        powers[role] = powers.get(role, 0.0) + exponent
    width, heads = powers.get("width", 0.0), powers.get("heads", 0.0)
    if width and width == -heads:  # the width over heads is d
        powers["d"] = powers.get("d", 0.0) + width
        del powers["width"], powers["heads"]
        if powers.get("rate") == -width:
            del powers["rate"]
    return {role: p for role, p in powers.items() if p}


def scale_label(event, dimensions: list) -> str:
    """The scale of one softmax; `dimensions` are what the class calls the size
    of a head.
    """
    active = [op for ops in event.places for op in ops if op.by_default]
    for what, label in (("position", "per position"), ("learned", "learned")):
        if any(op.what == what for op in active):
            return label
    total = whole(event)
    for dimension in dimensions:
        root = power(dimension, -0.5)
        same = dimension.powers and root.powers == total.powers
        if same and abs(total.coefficient / root.coefficient - 1) < 1e-9:
            return "1/sqrt(d)"
    powers, coefficient = roles(total), total.coefficient
    suffix = " x YaRN" if powers.pop("YaRN", 0.0) else ""
    plain = abs(coefficient - 1) < 1e-9
    if not powers:
        return ("1" if plain else f"{coefficient:g}") + suffix
    kinds, d = set(powers), powers.get("d", 0.0)
    if kinds == {"d"}:
        name = ROOTS.get(d, f"d^{d:g}")
        number = "" if plain else f"{coefficient:.3g}"
        return number + (name if plain else name.removeprefix("1")) + suffix
    named = kinds - {"d", "heads", "width", "tokens", "layer"}
    if named and kinds - named <= {"d"}:
        return ("1/sqrt(d) x config" if d == -0.5 else "config") + suffix
    if powers == {"width": -0.5}:
        return "1/sqrt(width)" + suffix
    if kinds == {"heads"}:
        return "1/sqrt(heads)" + suffix
    if kinds == {"d", "layer"}:
        return "per layer"
    if kinds == {"tokens"}:
        return "1/sqrt(tokens)"
    gates = {op.detail for op in event.scores if op.what == "gate"}
    return "other: " + text_of(total) + str(sorted(gates))


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
FACTORS = ("times", "learned", "position")


def facts(events: list, attributes: dict) -> dict:
    """The labels of a class, of its softmaxes that happen by default where
    there are such.
    """
    usual = [e for e in events if e.by_default] or events
    dimensions = [
        v
        for k, v in attributes.items()
        if re.search(r"head_(dim|size)$|_head_size$", k) and v.kind == "number"
    ]
    labels = dict.fromkeys(scale_label(e, dimensions) for e in usual)
    eager = [e for e in usual if e.via == "softmax"] or usual
    query, key, scores = (
        [op for ops in several for op in ops]
        for several in zip(*(e.places for e in usual), strict=True)
    )
    places = {"q": query, "k": key, "scores": scores}
    norms = [[op for op in ops if op.what == "norm"] for ops in (query, key)]
    both = norms[0] + norms[1] if all(norms) else []
    alphas = {_alpha(e) for e in usual}
    alpha = alphas.pop() if len(alphas) == 1 else None

    def happens(what: str, ops) -> int:
        return int(any(op.what == what and op.by_default for op in ops))

    return {
        "scale": " | ".join(labels),
        "alpha": "" if alpha is None else f"{alpha:.6g}",
        "place": _place(usual, places),
        "qknorm": "/".join(sorted({norm_kind(str(op.detail)) for op in both})),
        "qknorm_on": happens("norm", both) if both else "",
        "softcap": happens("tanh", scores),
        "sink": int(any(op.what == "sink" for op in scores)),
        "bias": happens("bias", scores),
        "fp32": happens(
            "fp32", [o for e in eager for o in e.scores + e.query]
        ),
        "factors": _factors(places),
    }


def _place(events: list, places: dict) -> str:
    """What the factors multiply."""
    if any(e.via == "MultiheadAttention" for e in events):
        return "library"
    return "+".join(
        name
        for name, ops in places.items()
        if any(
            op.what in FACTORS and op.by_default and _tells(op) for op in ops
        )
    )


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
    active = {op.what for ops in event.places for op in ops if op.by_default}
    const = whole(event).const
    known = isinstance(const, (int, float)) and not isinstance(const, bool)
    if active & {"learned", "position"} or not known:
        return None
    return float(const) if const > 0 else None


def _tells(op) -> bool:
    one = op.what == "times" and not op.detail.powers
    return not (one and op.detail.coefficient == 1)


def _said(op) -> str:
    if op.what == "times":
        return text_of(op.detail)
    return f"{op.what} {op.detail}".strip()
