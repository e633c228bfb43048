"""Which models are text models, by the library's own lists of what they do."""

import ast
import re

from experiments.census.census import folders
from experiments.census.wheel import Module, Wheel

AUTO = "transformers/models/auto/modeling_auto.py"
# Lists of models that read text.
TEXT = (
    "CAUSAL_LM",
    "MASKED_LM",
    "SEQ_TO_SEQ_CAUSAL_LM",
    "SEQUENCE_CLASSIFICATION",
    "QUESTION_ANSWERING",
    "TOKEN_CLASSIFICATION",
    "TEXT_ENCODING",
)
# What a forward takes that is no text.
MORE = re.compile(
    r"pixel|image|visual|video|audio|speech|input_(features|values)|bbox"
)


def lists(wheel: Wheel) -> dict[str, set[str]]:
    """Classes by what they are for: `MODEL_FOR_<what>_MAPPING_NAMES`."""
    found = {}
    for name, node in wheel.module(AUTO).constants.items():
        what = re.fullmatch(r"MODEL_FOR_(\w+)_MAPPING_NAMES", name)
        if what:
            found[what[1]] = {
                inner.value
                for inner in ast.walk(node)
                if isinstance(inner, ast.Constant)
                and isinstance(inner.value, str)
            }
    return found


def texts(wheel: Wheel) -> set[str]:
    """The models that are in a list for text, and take nothing else."""
    known = lists(wheel)
    text = set().union(*(known[name] for name in TEXT))
    found = set()
    for model, paths in folders(wheel).items():
        modules = [wheel.module(path) for path in paths]
        classes = {name for module in modules for name in module.classes}
        taken = {name for module in modules for name in taken_by(module)}
        if classes & text and not any(map(MORE.search, taken)):
            found.add(model)
    return found


def taken_by(module: Module) -> set[str]:
    """Names of what the forwards of a file take."""
    return {
        argument.arg
        for node in module.classes.values()
        for function in node.body
        if isinstance(function, ast.FunctionDef) and function.name == "forward"
        for argument in function.args.args
    }
