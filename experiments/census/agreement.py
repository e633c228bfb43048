"""What was measured, class by class, beside what was read.

An event of a run belongs to the innermost class around it that is a row of
the census. A class may be met in several models and layers; its own model's
runs count where there are any.
"""

from collections import defaultdict

import numpy as np

from bookkit import stored

CLOSE = 1e-3  # of a factor; the numbers themselves agree to 1e-6
NORMS = {
    "normalize": "L2",
    "length": "RMS",
    "LlamaRMSNorm": "RMS",
}
COMPARED = ("scale", "qknorm", "softcap", "sink", "bias", "fp32")


def kind_of(name):
    """The kind of a norm by the name of its module or function."""
    if name in NORMS:
        return NORMS[name]
    for word, kind in (
        ("L2", "L2"),
        ("Clip", "clip"),
        ("RMS", "RMS"),
        ("LayerNorm", "LayerNorm"),
        ("layer_norm", "LayerNorm"),
        ("rms_norm", "RMS"),
        ("RmsNorm", "RMS"),
    ):
        if word in name:
            return kind
    return name


def by_class(events, names):
    """Events of each row of the census, by its name."""
    found = defaultdict(list)
    for event in events:
        inside = [o for o in event["owners"] if o in names]
        if inside:
            found[inside[-1]].append(event)
    for name, several in found.items():
        own = [e for e in several if e["run"] == name.split(".")[0]]
        found[name] = own or several
    return dict(found)


def factor(event):
    """What multiplies q.k, without a rotation's factor."""
    return event["q"] * event["k"] * event["scores"]


def label(event):
    """One event's scale in the words of the census."""
    if event["learned"]:
        return "learned"
    if event["position"]:
        return "per position"
    alpha, d = factor(event), event["d"]
    for name, value in (("1/sqrt(d)", d**-0.5), ("1", 1.0), ("1/d", 1 / d)):
        if abs(alpha / value - 1) < CLOSE:
            return name
    return f"{alpha * d**0.5:.3g}/sqrt(d)"


def summary(events):
    """The measured columns of a class."""
    labels = sorted({label(e) for e in events})
    alphas = sorted({float(f"{factor(e):.6g}") for e in events})
    sizes = sorted({int(e["d"]) for e in events})
    norms = {
        kind_of(e["query_norm"].split("/")[0])
        for e in events
        if e["query_norm"] and e["key_norm"]
    }
    known = {e["dtype16"] for e in events if e["dtype16"]}
    turns = {round(e["turn"], 4) for e in events}
    return {
        "m_scale": " | ".join(labels),
        "m_alpha": " | ".join(f"{a:g}" for a in alphas),
        "m_d": " | ".join(map(str, sizes)),
        "m_turn": f"{max(turns):g}" if turns != {1.0} else "",
        "m_qknorm": "/".join(sorted(norms)),
        "m_softcap": max(e["cap"] for e in events),
        "m_sink": max(e["sink"] for e in events),
        "m_bias": max(e["bias"] for e in events),
        "m_fp32": int("float32" in known) if known else "",
        "m_whole": events[0]["owners"][0],
    }


def agrees(row, column, events):
    """Whether one column of a row says what was measured; None where the
    reading has no number or the kernel was fused.
    """
    seen = row if "m_scale" in row else row | summary(events)
    if column == "scale":
        return _same_scale(row, events)
    if column == "qknorm":
        on = row["qknorm"] if str(row["qknorm_on"]) != "0" else ""
        return on == seen["m_qknorm"]
    if column == "fp32" and seen["m_fp32"] == "":
        return None
    return str(row[column]) == str(seen[f"m_{column}"])


def _same_scale(row, events):
    read, alpha = row["scale"], row["alpha"]
    said = {label(e) for e in events}
    if read in ("learned", "per position"):
        return said == {read}
    if said & {"learned", "per position"}:
        return False
    if read.startswith("1/sqrt(d)") and "config" not in read:
        expected = [e["d"] ** -0.5 for e in events]
    elif alpha != "":
        expected = [float(alpha)] * len(events)
    else:
        return None
    return all(
        abs(factor(e) / x - 1) < CLOSE
        for e, x in zip(events, expected, strict=True)
    )


def starts_of(starts, found):
    """The spread of the logits in the first layer of each class."""
    result = {}
    for name, events in found.items():
        around = {owner for e in events for owner in e["owners"]}
        own = [s for s in starts if s[1] == name]
        near = [s for s in starts if s[1] in around]
        for run, _, _, spread in own or near:
            if run == events[0]["run"] and np.isfinite(spread):
                result[name] = spread
                break
    return result


def times_root(row, events):
    """The scale times the root of d, at the default configuration: measured
    where the class was met, else as it was read.
    """
    if events:
        said = {label(e): e for e in events}
        words = {k for k in said if k in ("learned", "per position")}
        numbers = {
            round(factor(e) * e["d"] ** 0.5, 4)
            for k, e in said.items()
            if k not in words
        }
        return " | ".join(
            [*(f"{x:g}" for x in sorted(numbers)), *sorted(words)]
        )
    if row["scale"].startswith("1/sqrt(d)") and row["scale"] in (
        "1/sqrt(d)",
        "1/sqrt(d) x YaRN",
    ):
        return "1"
    if row["alpha"] != "" and row["head_dim"] != "":
        return f"{float(row['alpha']) * float(row['head_dim']) ** 0.5:.5g}"
    return row["scale"] if row["scale"] in ("learned", "per position") else ""


def load():
    """Events and starts of the release that was measured."""
    data = stored.read("census-measured")
    size = len(data["run"])
    columns = [
        k
        for k, v in data.items()
        if k != "provenance" and not k.startswith(("start_", "type_"))
    ]
    events = [{c: data[c][i].item() for c in columns} for i in range(size)]
    for event in events:
        event["owners"] = event["owners"].split(">")
    parts = (
        data[f"start_{c}"].tolist() for c in ("run", "class", "layer", "sd")
    )
    return events, list(zip(*parts, strict=True))


def joined(rows, differ, not_run):
    """Rows with what was measured beside what was read, and for columns in
    which they differ what was decided.

    `differ` has, by class and column, why both may stand, and `not_run`, by
    model, why it was not met; a correction of what was read is in the rows
    already.
    """
    events, starts = load()
    names = {f"{row['model']}.{row['cls']}": row for row in rows}
    found = by_class(events, names)
    spread = starts_of(starts, found)
    for name, row in names.items():
        met = found.get(name, [])
        row["default"] = times_root(row, met)
        row["decided"] = not_run.get(row["model"], "")
        if met:
            row |= summary(met)
            row["m_start"] = f"{spread[name]:.4g}" if name in spread else ""
            alike = {c: agrees(row, c, met) for c in COMPARED}
            apart = [c for c in COMPARED if alike[c] is False]
            why = differ.get(name, {})
            row["compared"] = " ".join(
                c for c in COMPARED if alike[c] is not None
            )
            row["differs"] = " ".join(apart)
            row["decided"] = "; ".join(why[c] for c in apart if c in why)
    return rows
