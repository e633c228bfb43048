"""The attention classes of a wheel, one row each."""

import ast
import copy
import hashlib
import re

from experiments.census.configurations import configurations
from experiments.census.labels import facts
from experiments.census.tracer import Tracer
from experiments.census.wheel import Module, Wheel

MODELS = "transformers/models"


def folders(wheel: Wheel) -> dict[str, list[str]]:
    """Models and their files with PyTorch code. Before version 4 all models lie in one folder."""
    found: dict[str, list[str]] = {}
    for path in wheel.names:
        new = re.fullmatch(rf"{MODELS}/(\w+)/modeling_(?!tf_|flax_)(\w+)\.py", path)
        old = re.fullmatch(r"transformers/modeling_(?!tf_|flax_)(\w+)\.py", path)
        if new:
            found.setdefault(new[1], []).append(path)
        elif old and old[1] not in ("utils", "outputs", "auto", "encoder_decoder") and not new:
            found.setdefault(old[1], []).append(path)
    modern = any(path.startswith(MODELS + "/bert") for path in wheel.names)
    return {k: v for k, v in found.items() if not modern or v[0].startswith(MODELS)}


def configuration_of(tracer: Tracer, known: dict[str, dict], cls: str) -> tuple[str, dict]:
    """The configuration class of an attention class: by annotation, else by the longest common beginning."""
    for _, node in tracer.lineage():
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                for argument in statement.args.args:
                    text = ast.unparse(argument.annotation) if argument.annotation is not None else ""
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
    """A digest of a class without its docstrings and without the names that tell its model."""
    node = copy.deepcopy(node)
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
                inner.body = body[1:] or [ast.Pass()]
    stem = re.match(r"[A-Z][a-z0-9]*", node.name)
    text = re.sub(r"\b[A-Z]\w*(Attention|Config|Norm|Embedding|Attn|Model|Conv\w*)\w*\b", r"X\1", ast.unparse(node))
    if stem:
        text = text.replace(stem[0], "X").replace(stem[0].lower(), "x")
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def root(wheel: Wheel, model: str, cls: str) -> str:
    """The end of the chain of bases through the `modular_*.py` files."""
    for _ in range(12):
        module = wheel.module(f"{MODELS}/{model}/modular_{model}.py")
        if module is None or cls not in module.classes:
            break
        bases = [ast.unparse(base) for base in module.classes[cls].bases]
        origin = module.imports.get(bases[0]) if bases else None
        if bases and bases[0] in module.classes and bases[0] != cls:
            cls = bases[0]
            continue
        if origin is None or not origin[0].startswith(MODELS) or "Attention" not in origin[1] + cls:
            break
        model, cls = origin[0].split("/")[2], origin[1]
    return f"{model}.{cls}"


def rows(wheel: Wheel) -> list[dict]:
    """One row for each class of the wheel in which a softmax of a product of two traced tensors was seen."""
    found = []
    for model, paths in folders(wheel).items():
        known = configurations(wheel, paths[0].rsplit("/", 1)[0])
        for path in paths:
            module: Module = wheel.module(path)
            for name in module.classes:
                row = row_of(wheel, module, model, name, known)
                if row:
                    found.append(row)
    return found


def rotary_of(module: Module) -> str:
    """The code of the rotary embeddings of a file."""
    classes = [node for name, node in module.classes.items() if "Rotary" in name]
    return "\n".join(map(ast.unparse, classes))


def row_of(wheel: Wheel, module: Module, model: str, name: str, known: dict) -> dict | None:
    node = module.classes[name]
    tracer = Tracer(wheel, module, name)
    forward = tracer.method("forward")
    if forward is None or re.search(r"PreTrainedModel|Model$", " ".join(ast.unparse(b) for b in node.bases)):
        return None
    own = {s.name for s in node.body if isinstance(s, ast.FunctionDef)}
    if not own:
        return None
    config_name, config = configuration_of(tracer, known, name)
    tracer.config = config
    tracer.run()
    if not tracer.events:
        return None
    return {
        "model": model,
        "cls": name,
        "line": node.lineno,
        "config": config_name,
        **facts(tracer.events, tracer.attributes),
        "rope_factor": int("attention_scaling" in rotary_of(module)),
        "softmaxes": len({e.line for e in tracer.events}),
        "digest": digest(node),
        "root": root(wheel, model, name),
    }
