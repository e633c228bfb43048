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
OWN_START = re.compile(r"q_proj|query|qkv|c_attn|in_proj|to_q\b|Attention")
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


FILES = {  # where a package has its models, each file a model
    "mlx_lm": r"mlx_lm/models/(?!(?:__init__|base|cache|switch_layers"
    r"|rope_utils)\.py)(\w+)\.py",
    "timm": r"timm/(?:models|(layers))/(?!_)(\w+)\.py",
    "transformers": rf"{MODELS}/(?:deprecated/)?(\w+)/"
    r"modeling_(?!tf_|flax_)\w+\.py",
}
FLAT = (  # before version 4 the files of all models lie in one folder
    r"transformers/modeling_(?!tf_|flax_|(?:utils|outputs|auto"
    r"|encoder_decoder)\.py)(\w+)\.py"
)


def folders(
    wheel: Wheel, package: str = "transformers"
) -> dict[str, list[str]]:
    """Models and their files."""
    pattern = FILES[package]
    if package == "transformers" and not wheel.has(MODELS + "/bert/"):
        pattern = f"{pattern}|{FLAT}"
    found: dict[str, list[str]] = {}
    for path in wheel.names:
        file = re.fullmatch(pattern, path)
        if file:
            name = ".".join(filter(None, file.groups()))
            found.setdefault(name, []).append(path)
    return found


def configuration_of(
    tracer: Tracer, known: dict[str, dict], cls: str
) -> tuple[str, dict]:
    """The configuration class of an attention class: by annotation, else by
    the longest common beginning.
    """
    named = [
        name
        for _, node in tracer.lineage()
        for statement in node.body
        if isinstance(statement, ast.FunctionDef)
        and statement.name == "__init__"
        for argument in statement.args.args
        if argument.annotation is not None
        for name in re.findall(
            r"\w+Config\b", ast.unparse(argument.annotation)
        )
    ]
    fits = [
        name for name in known if cls.startswith(name.removesuffix("Config"))
    ]
    fits.sort(key=len, reverse=True)
    only = list(known) if len(known) == 1 else []
    for name in [*named, *fits, *only]:
        if name in known:
            return name, known[name]
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
    found, known = [], {}
    for model, paths in folders(wheel, package).items():
        if package == "transformers":
            known = configurations(wheel, paths[0])
        for path in paths:
            module: Module = wheel.module(path)
            if package == "mlx_lm":
                names = (n for n in module.classes if n.endswith("Args"))
                known = {n: defaults(wheel, module, n) for n in names}
            traced = (
                row_of(wheel, module, model, name, known)
                for name in module.classes
            )
            found += filter(None, traced)
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
    turned = any(
        op.what == "rope"
        for event in tracer.events
        for op in (*event.query, *event.key)
    )
    factor = "attention_scaling" in rotary_of(module)
    return (
        described(wheel, module, model, name)
        | {"config": config_name}
        | sizes(config)
        | facts(tracer.events, tracer.attributes)
        | {"rope_factor": int(factor and turned)}
        | {"softmaxes": len(tracer.events)}
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
        "own_start": int(bool(OWN_START.search(starts_of(module)))),
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
