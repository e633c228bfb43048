"""Run every model type of transformers, and note what each attention does.

    python -m experiments.census.measure [model ...]

(in an environment with requirements.txt)

Each model is built from its default configuration, made small, and run whole
on a short input: followed (`follow.py`), looked at by the library's monitor,
and followed again in 16 bits. What was found is a file for each model in
_build/census; models that have theirs are left out, so that it may be stopped
and started again. When all have, book/data/census-measured.npz is written.
"""

import gc
import glob
import importlib
import inspect
import json
import os
import signal
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "critical", "HF_HUB_OFFLINE": "1"}
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers import PreTrainedModel  # noqa: E402

from attention_scale.torch import monitor  # noqa: E402
from experiments import store  # noqa: E402
from experiments.census.follow import Follow, name_of  # noqa: E402
from experiments.census.inputs import entry, number, tries  # noqa: E402
from experiments.census.small import draw_less, small  # noqa: E402

MODELS = Path(transformers.__file__).parent / "models"
FOLDER = Path("_build/census") / transformers.__version__
LARGEST = 1.3e9  # parameters
SECONDS = 60  # of a processor, for one model
MOST_CLASSES = 3
WIDE = 2560  # a hidden size from which a model may be too large


class Late(BaseException):
    """A model took too long."""


@contextmanager
def limited(seconds):
    """Raise Late after so many seconds of the processor."""

    def late(*_):
        raise Late

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def classes_of(module):
    """The models of a file: one of each configuration first, plain ones."""
    found = [
        c
        for _, c in inspect.getmembers(module, inspect.isclass)
        if issubclass(c, PreTrainedModel)
        and c.__module__ == module.__name__
        and "PreTrained" not in c.__name__
        and getattr(c, "config_class", None) is not None
    ]
    found.sort(
        key=lambda c: (
            "For" in c.__name__,
            not c.__name__.endswith("Model"),
            len(c.__name__),
        )
    )
    first = {c.config_class: c for c in found[::-1]}.values()
    return sorted(found, key=lambda c: c not in first)


def configured(cls, decoder):
    config = small(cls.config_class())
    if decoder:
        config.is_decoder = config.add_cross_attention = True
    return config


def check_size(cls, config):
    """Refuse a model of too many parameters."""
    try:
        with torch.device("meta"):
            model = cls._from_config(config, attn_implementation="eager")
    except Exception:
        return  # it cannot be built without numbers
    size = sum(p.numel() for p in model.parameters())
    if size > LARGEST:
        raise MemoryError(f"{size / 1e9:.1f}e9 parameters")


def built(cls, decoder=False):
    """A model from its small default configuration, or as a decoder that
    looks at an encoder, where the configuration has that choice.
    """
    config = configured(cls, decoder)
    if number(config, "hidden_size", "d_model", default=0) >= WIDE:
        check_size(cls, config)
        config = configured(cls, decoder)
    torch.manual_seed(0)
    model = cls._from_config(config, attn_implementation="eager")
    return model.eval().float()


def said(error):
    """An error in one line."""
    return f"{type(error).__name__}: {str(error).strip()[:160]}"


def run(model, found):
    """Follow a model on the first input that it takes; tell whether one."""
    why = []
    for kwargs in tries(model):
        follow = Follow()
        try:
            with torch.no_grad(), follow:
                entry(model)(**kwargs)
        except Exception as error:
            why.append(said(error))
            continue
        found["events"] += follow.events
        look(model, kwargs, found)
        model.float()
        return True
    told = [*dict.fromkeys(why)] or ["no input by a known name"]
    found["errors"].append(
        f"{type(model).__name__}: {' / '.join(told[:2] + told[2:][-2:])}"
    )
    return False


def look(model, kwargs, found):
    """The spread of the logits, by the library's monitor, and the types of
    the softmax in 16 bits.
    """
    try:
        with torch.no_grad(), monitor(model, rows=32) as report:
            entry(model)(**kwargs)
        for layer in report.layers:
            alpha = np.asarray(report[layer].alpha.value)
            part = type(model.get_submodule(layer)) if layer else type(model)
            found["starts"].append(
                [name_of(part), layer, float(np.sqrt(np.mean(alpha**2)))]
            )
    except Exception as error:
        found["errors"].append(
            f"{type(model).__name__}: monitor {said(error)}"
        )
    try:
        follow = Follow()
        with torch.no_grad(), follow:
            entry(model.to(torch.bfloat16))(**_halved(kwargs))
        for event in follow.events:
            found["types"].append([event["owners"], event["dtype"]])
    except Exception as error:
        found["errors"].append(f"{type(model).__name__}: bf16 {said(error)}")


def _halved(kwargs):
    return {
        k: v.bfloat16()
        if isinstance(v, torch.Tensor) and v.is_floating_point()
        else v
        for k, v in kwargs.items()
    }


def seen(found):
    """The classes around all softmaxes that were met."""
    return {owner for event in found["events"] for owner in event["owners"]}


def attentions(module):
    """The classes of a file that look as if they attended."""
    return {
        name_of(c)
        for _, c in inspect.getmembers(module, inspect.isclass)
        if c.__module__ == module.__name__
        and issubclass(c, torch.nn.Module)
        and ("Attention" in c.__name__ or "Attn" in c.__name__)
        and not issubclass(c, PreTrainedModel)
    }


def measured(module, found):
    """Build and run models of a file until all its attentions were met; at
    last as decoders, for attention to an encoder.
    """
    classes = classes_of(module)
    tasks = [(cls, False) for cls in classes[:MOST_CLASSES]]
    tasks += [
        (cls, True)
        for cls in classes[:1]
        if hasattr(cls.config_class(), "add_cross_attention")
    ]
    for cls, decoder in tasks:
        if found["events"] and not attentions(module) - seen(found):
            return
        try:
            model = built(cls, decoder)
        except Exception as error:
            found["errors"].append(f"{cls.__name__}: build {said(error)}")
            continue
        found["built"].append(cls.__name__)
        run_with_parts(model, module, found)
        del model
        gc.collect()


def run_with_parts(model, module, found):
    """Run a model, and the models inside it that its input does not reach."""
    if run(model, found):
        found["ran"].append(type(model).__name__)
    tried = {type(model)}
    for part in list(model.modules()):
        kind = type(part)
        if not attentions(module) - seen(found):
            return
        if (
            isinstance(part, PreTrainedModel)
            and kind not in tried
            and name_of(kind) not in seen(found)
        ):
            tried.add(kind)
            if run(part.float(), found):
                found["ran"].append(kind.__name__)


def distinct(entries):
    """Entries without repetitions."""
    return [*{json.dumps(e, sort_keys=True): e for e in entries}.values()]


def main(names):
    """Measure models, and store each as it comes."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw_less()
    torch.set_num_threads(1)
    files = glob.glob(f"{MODELS}/*/modeling_*.py")
    for name in names or sorted({Path(f).parent.name for f in files}):
        path = FOLDER / f"{name}.json"
        if path.exists() and not names:
            continue
        keys = ("built", "ran", "events", "starts", "types", "errors")
        found = {key: [] for key in keys}
        for file in sorted(MODELS.glob(f"{name}/modeling_*.py")):
            try:
                with limited(SECONDS):
                    place = f"transformers.models.{name}.{file.stem}"
                    measured(importlib.import_module(place), found)
            except (Late, Exception) as error:
                found["errors"].append(said(error))
        for key in ("events", "types", "starts"):
            found[key] = distinct(found[key])
        path.write_text(json.dumps(found, indent=1), "utf-8")
        gc.collect()
    if not names:
        keep(FOLDER)


TEXTS = ("run", "owners", "via", "query_norm", "key_norm", "dtype16")
NUMBERS = ("q", "k", "scores", "turn", "ratio")
WHOLE = (
    *("d", "learned", "position", "uneven", "gate", "cap", "sink", "bias"),
    "rotated",
)


def gathered(folder):
    """The events, starts and troubles of all models in a folder."""
    events, starts, runs = [], [], []
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        types = {}
        for owners, dtype in found["types"]:
            types.setdefault(tuple(owners), set()).add(dtype)
        for event in found["events"]:
            known = types.get(tuple(event["owners"]), set()) - {""}
            wide = "float32" if "float32" in known else min(known, default="")
            events.append(
                event
                | {"run": path.stem, "dtype16": wide}
                | {"owners": ">".join(event["owners"])}
            )
        starts += [(path.stem, *start) for start in found["starts"]]
        runs.append(
            (path.stem, len(found["built"]), len(found["ran"]),
             (found["errors"] or [""])[0][:120])
        )  # fmt: skip
    return events, starts, runs


def keep(folder):
    """Store what was measured as book/data/census-measured.npz."""
    events, starts, runs = gathered(folder)
    arrays = {name: np.array([e[name] for e in events]) for name in TEXTS}
    for name in NUMBERS:
        values = [np.nan if e[name] is None else e[name] for e in events]
        arrays[name] = np.array(values, float)
    for name in WHOLE:
        arrays[name] = np.array([e[name] for e in events], np.int32)
    for i, name in enumerate(("run", "class", "layer", "sd")):
        arrays[f"start_{name}"] = np.array([start[i] for start in starts])
    for i, name in enumerate(("model", "built", "ran", "trouble")):
        arrays[f"type_{name}"] = np.array([run[i] for run in runs])
    store.write(
        "census-measured",
        arrays,
        program=__file__,
        told={"release": transformers.__version__, "seed": 0},
        packages=("numpy", "torch", "transformers"),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
