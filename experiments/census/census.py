"""The attention classes of a wheel, one row each."""

import ast
import hashlib
import re

from experiments.census.configurations import configurations, defaults
from experiments.census.labels import facts
from experiments.census.tracer import Tracer
from experiments.census.wheel import Module, Wheel

MODELS = "transformers/models"
MAY_ATTEND = re.compile(r"softmax|attention|attn|matmul_qk|qk", re.IGNORECASE)
SIZES = {
    "width": ("hidden_size", "d_model", "n_embd", "embed_dim", "dim"),
    "heads": (
        "num_attention_heads",
        "n_head",
        "n_heads",
        "num_heads",
        "encoder_attention_heads",
    ),
    "head_dim": ("head_dim", "d_kv", "attention_head_dim"),
    "sigma": ("initializer_range", "init_std"),
    "positions": (
        "max_position_embeddings",
        "n_positions",
        "max_source_positions",
    ),
}


def folders(
    wheel: Wheel, package: str = "transformers"
) -> dict[str, list[str]]:
    """Models and their files. Before version 4 the files of all models lie in
    one folder.
    """
    found: dict[str, list[str]] = {}
    if package == "mlx_lm":
        for path in wheel.names:
            model = re.fullmatch(r"mlx_lm/models/(\w+)\.py", path)
            if model and f"{model[1]}" not in (
                "__init__",
                "base",
                "cache",
                "switch_layers",
                "rope_utils",
            ):
                found[model[1]] = [path]
        return found
    if package == "timm":
        for path in wheel.names:
            module = re.fullmatch(r"timm/(models|layers)/(\w+)\.py", path)
            if module and not module[2].startswith("_"):
                found[
                    ("layers." if module[1] == "layers" else "") + module[2]
                ] = [path]
        return found
    for path in wheel.names:
        new = re.fullmatch(
            rf"{MODELS}/(?:deprecated/)?(\w+)/modeling_(?!tf_|flax_)(\w+)\.py",
            path,
        )
        old = re.fullmatch(
            r"transformers/modeling_(?!tf_|flax_)(\w+)\.py", path
        )
        if new:
            found.setdefault(new[1], []).append(path)
        elif old and old[1] not in (
            "utils",
            "outputs",
            "auto",
            "encoder_decoder",
        ):
            found.setdefault(old[1], []).append(path)
    modern = any(path.startswith(MODELS + "/bert/") for path in wheel.names)
    return {
        k: v for k, v in found.items() if not modern or v[0].startswith(MODELS)
    }


def configuration_of(
    tracer: Tracer, known: dict[str, dict], cls: str
) -> tuple[str, dict]:
    """The configuration class of an attention class: by annotation, else by
    the longest common beginning.
    """
    for _, node in tracer.lineage():
        for statement in node.body:
            if (
                isinstance(statement, ast.FunctionDef)
                and statement.name == "__init__"
            ):
                for argument in statement.args.args:
                    text = (
                        ast.unparse(argument.annotation)
                        if argument.annotation is not None
                        else ""
                    )
                    for name in re.findall(r"\w+Config\b", text):
                        if name in known:
                            return name, known[name]
    stems = {name: name.removesuffix("Config") for name in known}
    fits = [name for name, stem in stems.items() if cls.startswith(stem)]
    if fits:
        best = max(fits, key=len)
        return best, known[best]
    if len(known) == 1:
        return next(iter(known.items()))
    return "", {}


def digest(node: ast.ClassDef) -> str:
    """A digest of a class without its docstrings and without the names that
    tell its model.
    """
    node = ast.parse(ast.unparse(node)).body[0]
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        match body:
            case [ast.Expr(value=ast.Constant(value=str())), *rest]:
                inner.body = rest or [ast.Pass()]
    stem = re.match(r"[A-Z][a-z0-9]*", node.name)
    text = re.sub(
        r"\b[A-Z]\w*(Attention|Config|Norm|Embedding|Attn|Model|Conv\w*)\w*\b",
        r"X\1",
        ast.unparse(node),
    )
    if stem:
        text = text.replace(stem[0], "X").replace(stem[0].lower(), "x")
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def ancestors(wheel: Wheel, module: Module, model: str, cls: str) -> list[str]:
    """The class and those that it is derived from, one after another, as the
    `modular_*.py` files have it.
    """
    path, chain = module.name, [f"{model}.{cls}"]
    for _ in range(12):
        told = wheel.module(path.replace("/modeling_", "/modular_"))
        if "/modeling_" not in path or told is None or cls not in told.classes:
            break
        bases = [ast.unparse(base) for base in told.classes[cls].bases]
        origin = told.imports.get(bases[0]) if bases else None
        if bases and bases[0] in told.classes and bases[0] != cls:
            cls = bases[0]
        elif (
            origin is None
            or not origin[0].startswith(MODELS)
            or not re.search("Attention|Attn", origin[1] + cls)
        ):
            break
        else:
            path, cls = origin
            model = path.split("/")[2]
        chain.append(f"{model}.{cls}")
    return chain


def rows(wheel: Wheel, package: str = "transformers") -> list[dict]:
    """One row for each class of the wheel in which a softmax of a product of
    two traced tensors was seen.
    """
    found = []
    for model, paths in folders(wheel, package).items():
        known = (
            configurations(wheel, paths[0])
            if package == "transformers"
            else {}
        )
        for path in paths:
            module: Module = wheel.module(path)
            fields = known
            if package == "mlx_lm":
                names = [
                    name for name in module.classes if name.endswith("Args")
                ]
                fields = {
                    name: defaults(wheel, module, name) for name in names
                }
            for name in module.classes:
                row = row_of(wheel, module, model, name, fields)
                if row:
                    found.append(row)
    wheel.forget()
    return sorted(
        found, key=lambda row: (row["model"], row["line"], row["cls"])
    )


def rotary_of(module: Module) -> str:
    """The code of the rotary embeddings of a file."""
    classes = [
        node for name, node in module.classes.items() if "Rotary" in name
    ]
    return "\n".join(map(ast.unparse, classes))


def row_of(
    wheel: Wheel, module: Module, model: str, name: str, known: dict
) -> dict | None:
    """The row of a class, or None where it is no attention."""
    node = module.classes[name]
    tracer = Tracer(wheel, module, name)
    entry = next(
        (e for e in ("forward", "__call__") if tracer.method(e)), None
    )
    bases = " ".join(ast.unparse(base) for base in node.bases)
    own = any(isinstance(s, ast.FunctionDef) for s in node.body)
    if entry is None or not own or re.search(r"PreTrainedModel|Model$", bases):
        return None
    if not any(MAY_ATTEND.search(m.source(c)) for m, c in tracer.lineage()):
        return None
    config_name, config = configuration_of(tracer, known, name)
    tracer.config = config
    tracer.run(entry)
    if not tracer.events:
        return None
    return (
        described(wheel, module, model, name)
        | {"config": config_name}
        | sizes(config)
        | (
            facts(tracer.events, tracer.attributes)
            | {
                "rope_factor": int(
                    "attention_scaling" in rotary_of(module)
                    and any(
                        op.what == "rope"
                        for event in tracer.events
                        for op in (*event.query, *event.key)
                    )
                ),
                "softmaxes": len(tracer.events),
            }
        )
    )


def described(wheel: Wheel, module: Module, model: str, name: str) -> dict:
    """What a row says of a class whatever it computes."""
    node = module.classes[name]
    chain = ancestors(wheel, module, model, name)
    return {
        "model": model,
        "cls": name,
        "line": node.lineno,
        "digest": digest(node),
        "parent": chain[1] if len(chain) > 1 else "",
        "root": chain[-1],
        "own_start": int(
            bool(
                re.search(
                    r"q_proj|query|qkv|c_attn|in_proj|to_q\b|Attention",
                    starts_of(module),
                )
            )
        ),
    }


def starts_of(module: Module) -> str:
    """The code by which a file draws its first weights."""
    methods = [
        statement
        for node in module.classes.values()
        for statement in node.body
        if isinstance(statement, ast.FunctionDef)
        and statement.name in ("_init_weights", "init_weights")
    ]
    return "\n".join(map(ast.unparse, methods))


def sizes(config: dict) -> dict:
    """Width, heads, head dimension, sd of the first weights, and positions of
    a default configuration.
    """
    found = {"low_rank": int("kv_lora_rank" in config)}
    renamed = config.get("attribute_map", {})
    for size, names in SIZES.items():
        values = [config.get(renamed.get(name, name)) for name in names]
        numbers = [
            v
            for v in values
            if isinstance(v, (int, float)) and not isinstance(v, bool)
        ]
        found[size] = numbers[0] if numbers else ""
    if not found["head_dim"] and found["width"] and found["heads"]:
        found["head_dim"] = found["width"] / found["heads"]
    return found
