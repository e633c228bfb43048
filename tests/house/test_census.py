"""The census: what its tracer says of small classes, and what is stored."""

import csv
import json
import re
import zipfile

import numpy as np
import pytest

from attention_scale.explain import FAMILIES
from bookkit import stored
from experiments.census import agreement, census, take, validation
from experiments.census.wheel import Wheel

CLASS = """
class ToyAttention(nn.Module):
    def __init__(self, config: ToyConfig):
        super().__init__()
        self.config = config
        self.head_dim = config.hidden_size // config.num_attention_heads
        self.wide = config.hidden_size
        self.factor = config.factor
        self.cap = config.cap
        self.tau = nn.Parameter(torch.ones(1))
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.q_norm = ToyRMSNorm(self.head_dim)
        self.k_norm = ToyRMSNorm(self.head_dim)

    def forward(self, hidden_states, attention_mask=None, position_ids=None):
        q, k = self.q_proj(hidden_states), self.k_proj(hidden_states)
        {body}
        return weights
"""
SCORES = "scores = q @ k.transpose(-1, -2)"
SOFTMAX = "weights = torch.softmax(scores, dim=-1)"
CONFIG = """
class ToyConfig(PreTrainedConfig):
    hidden_size: int = 768
    num_attention_heads: int = 12
    factor: float = 0.5
    cap: float | None = None
    use_norm: bool = False
"""


@pytest.fixture(scope="module")
def newest():
    """Return the columns of the census, of the newest release alone."""
    data = stored.read("census")
    here = data["version"] == data.pop("provenance")["told"]["newest"]
    return {name: column[here] for name, column in data.items()}


@pytest.fixture
def label(tmp_path):
    """Return the row of a class whose forward has these lines, or None."""

    def row(*lines):
        text = CLASS.replace("{body}", "\n        ".join(lines))
        path = tmp_path / "toy.whl"
        folder = "transformers/models/toy"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(f"{folder}/modeling_toy.py", text)
            wheel.writestr(f"{folder}/configuration_toy.py", CONFIG)
        rows = census.rows(Wheel(path))
        assert len(rows) <= 1
        return rows[0] if rows else None

    return row


@pytest.mark.parametrize(
    ("line", "scale", "alpha"),
    [
        ("scores = scores / math.sqrt(self.head_dim)", "1/sqrt(d)", 1 / 8),
        ("scores = scores * q.shape[-1] ** -0.5", "1/sqrt(d)", None),
        ("scores = scores / self.head_dim", "1/d", 1 / 64),
        ("scores = scores", "1", 1),
        ("scores = scores * self.factor", "config", 0.5),
        ("scores = scores / self.wide**0.5", "1/sqrt(width)", 768**-0.5),
        ("scores = scores / (self.head_dim / 2) ** 0.5", "1.41/sqrt(d)",
         32**-0.5),
        ("scores = scores * self.tau", "learned", None),
        (
            "scores = scores * torch.log(position_ids + 1.0) / 8.0",
            "per position",
            None,
        ),
    ],
)  # fmt: skip
def test_scale(label, line, scale, alpha):
    row = label(SCORES, line, SOFTMAX)
    assert row["scale"] == scale
    found = float(row["alpha"]) if row["alpha"] else None
    assert found == (alpha and pytest.approx(alpha, rel=1e-5))


def test_a_scale_on_q_and_k_is_one_scale(label):
    row = label(
        "q, k = q * self.head_dim**-0.25, k * self.head_dim**-0.25",
        SCORES,
        SOFTMAX,
    )
    assert (row["scale"], row["place"]) == ("1/sqrt(d)", "q+k")


def test_a_kernel_without_a_scale_divides(label):
    row = label("weights = F.scaled_dot_product_attention(q, k, k)")
    assert row["scale"] == "1/sqrt(d)"


def test_a_norm_of_q_and_k(label):
    both = label("q, k = self.q_norm(q), self.k_norm(k)", SCORES, SOFTMAX)
    one = label("q = self.q_norm(q)", SCORES, SOFTMAX)
    before = label("k = self.k_proj(self.k_norm(hidden_states))",
                   SCORES, SOFTMAX)  # fmt: skip
    assert (both["qknorm"], both["qknorm_on"]) == ("RMS", 1)
    assert one["qknorm"] == before["qknorm"] == ""


def test_an_option_that_is_off(label):
    row = label(
        "if self.config.use_norm:",
        "    q, k = self.q_norm(q), self.k_norm(k)",
        SCORES,
        SOFTMAX,
    )
    assert (row["qknorm"], row["qknorm_on"]) == ("RMS", 0)


def test_a_cap_counts_where_it_is_on(label):
    off = label(SCORES, "if self.cap is not None:",
                "    scores = torch.tanh(scores / self.cap) * self.cap",
                SOFTMAX)  # fmt: skip
    on = label(SCORES, "scores = torch.tanh(scores / 30.0) * 30.0", SOFTMAX)
    assert (off["softcap"], on["softcap"]) == (0, 1)
    assert off["scale"] == on["scale"] == "1"


@pytest.mark.parametrize(
    ("softmax", "fp32"),
    [
        ("torch.softmax(scores, dim=-1)", 0),
        ("torch.softmax(scores, dim=-1, dtype=torch.float32)", 1),
        ("torch.softmax(scores.float(), dim=-1)", 1),
        ("torch.softmax(scores.float(), dim=-1, dtype=q.dtype)", 0),
    ],
)
def test_32_bits_unless_the_softmax_casts_back(label, softmax, fp32):
    row = label(SCORES, f"weights = {softmax}")
    assert row["fp32"] == fp32


def test_own_type_is_no_cast_back(label):
    row = label(SCORES, "scores = scores.to(torch.float32)",
                "weights = F.softmax(scores, dim=-1, dtype=scores.dtype)",
                )  # fmt: skip
    assert row["fp32"] == 1


@pytest.mark.parametrize(
    ("lines", "bias"),
    [
        (["scores = scores + attention_mask"], 0),
        (["scores = scores + self.k_proj(hidden_states)"], 1),
        (["scores = scores - scores.amax(dim=-1, keepdim=True)"], 0),
        (
            [
                "if self.config.use_norm:",
                "    scores = scores + self.k_proj(hidden_states)",
            ],
            0,
        ),
    ],
)
def test_a_bias_is_added_by_default_and_is_no_mask(label, lines, bias):
    assert label(SCORES, *lines, SOFTMAX)["bias"] == bias


@pytest.mark.parametrize(
    ("mask", "bias"), [("attention_mask", 0), ("attn_bias", 1)]
)
def test_a_bias_may_be_the_mask_of_a_kernel(label, mask, bias):
    kernel = "F.scaled_dot_product_attention"
    row = label(
        "attn_bias = self.k_proj(hidden_states)",
        f"weights = {kernel}(q, k, k, attn_mask={mask})",
    )
    assert row["bias"] == bias


def test_what_is_no_attention(label):
    """A router has a softmax, and no product of two tensors."""
    assert label("weights = torch.softmax(q, dim=-1)") is None
    assert label(SCORES, "weights = scores") is None


def test_every_correction_has_a_reason():
    text = (take.HERE / "hand.json").read_text("utf-8")
    hand = json.loads(text)
    reasons = [entry["why"] for part in ("set", "add")
               for entry in hand[part].values()]  # fmt: skip
    reasons += hand["leave_out"].values()
    assert all(len(reason) > 15 for reason in reasons)
    changed = stored.read("census")["by_hand"] == "1"
    assert changed.sum() == len(hand["set"]) + len(hand["add"])


def test_every_difference_has_a_reason(newest):
    """Of read and measured, by class and column, and no other has one."""
    columns = (newest[name] for name in ("model", "cls", "differs"))
    apart = {
        (f"{model}.{cls}", column)
        for model, cls, names in zip(*columns, strict=True)
        for column in names.split()
    }
    told = {
        (name, column)
        for name, columns in take.decisions()["differ"].items()
        for column in columns
    }
    assert apart == told


def test_every_model_that_was_not_met_has_a_reason(newest):
    """And no other has one."""
    met = newest["model"][newest["m_scale"] != ""]
    missing = {*newest["model"].tolist()} - {*met}
    reasons = take.decisions()["not_run"]
    assert missing == set(reasons)
    assert all(len(reason) > 15 for reason in reasons.values())


EVENT = {
    "run": "toy", "owners": ["toy.ToyModel", "toy.ToyAttention"],
    "q": 1.0, "k": 1.0, "scores": 0.25, "turn": 1.0, "d": 16,
    "learned": 0, "position": 0, "cap": 0, "sink": 0, "bias": 0,
    "query_norm": "", "key_norm": "", "dtype16": "float32",
}  # fmt: skip
READ = {
    "scale": "1/sqrt(d)", "alpha": "", "head_dim": "16", "qknorm": "",
    "qknorm_on": "", "softcap": 0, "sink": 0, "bias": 0, "fp32": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("read", "measured", "column", "same"),
    [
        ({}, {}, "scale", True),
        ({}, {"q": 0.5}, "scale", False),
        ({"scale": "config", "alpha": "0.25"}, {}, "scale", True),
        ({"scale": "config", "alpha": "1"}, {}, "scale", False),
        ({"scale": "config"}, {}, "scale", None),
        ({"scale": "learned"}, {"learned": 1}, "scale", True),
        ({}, {"learned": 1}, "scale", False),
        ({"qknorm": "RMS", "qknorm_on": "0"}, {}, "qknorm", True),
        ({"qknorm": "RMS", "qknorm_on": "1"}, {}, "qknorm", False),
        ({"bias": 1}, {}, "bias", False),
        ({}, {"dtype16": ""}, "fp32", None),
        ({}, {"dtype16": "bfloat16"}, "fp32", False),
    ],
)
def test_when_read_and_measured_agree(read, measured, column, same):
    events = [EVENT | measured]
    assert agreement.agrees(READ | read, column, events) is same


@pytest.mark.parametrize(
    ("events", "default"),
    [
        ([], "1"),
        ([{}], "1"),
        ([{"scores": 1.0}], "4"),
        ([{}, {"position": 1}], "1 | per position"),
        ([{"learned": 1}], "learned"),
    ],
)
def test_the_scale_at_default(events, default):
    met = [EVENT | event for event in events]
    assert agreement.times_root(READ, met) == default


def test_an_event_belongs_to_its_own_models_class():
    """And to the innermost class that is a row."""
    other = EVENT | {"run": "other"}
    names = {"toy.ToyAttention": None, "toy.ToyModel": None}
    found = agreement.by_class([other, EVENT], names)
    assert found == {"toy.ToyAttention": [EVENT]}


LABELS = {
    "gpt2": "1/sqrt(d)",
    "head": "1/sqrt(d)",
    "inverse": "1/d",
    "latent": "1/sqrt(d) x YaRN",
    "mpt": "1/sqrt(d)",
    "multiplier": "config",
    "one": "1",
    "query_pre": "config",
}


@pytest.mark.parametrize("name", sorted({f.name for f in FAMILIES.values()}))
def test_explain_and_the_census_agree(newest, name):
    """Of the class in which the line stands that `explain` names."""
    family = FAMILIES[name]
    here = newest["model"] == name
    lines = newest["line"][here].astype(int)
    line = int(re.match(r"\d+", family.line)[0])
    at = np.flatnonzero(here)[lines == lines[lines < line].max()][0]
    row = {key: newest[key][at] for key in ("scale", "qknorm", "qknorm_on")}
    grows = {"per position", "by layer"}
    scales = grows if family.grows else {LABELS[family.scale]}
    assert row["scale"] in scales
    assert bool(row["qknorm"]) == bool(family.norm)
    if isinstance(family.norm, tuple):
        assert row["qknorm_on"] == str(int(family.norm[1]))


def test_the_sample_is_the_draw(newest):
    """Fifty classes of all, by chance."""
    pairs = np.transpose([newest["model"], newest["cls"]])
    drawn = validation.sample([*map(tuple, pairs.tolist())])
    assert drawn == [(r["model"], r["cls"]) for r in validation.readings()]


def test_parents_lead_to_the_root(newest):
    names = np.char.add(np.char.add(newest["model"], "."), newest["cls"])
    parent = dict(zip(names, newest["parent"], strict=True))
    for name, root in zip(names, newest["root"], strict=True):
        while parent[name]:
            name = parent[name]
        assert name == root


def test_the_table_for_readers_is_the_census(newest):
    text = (stored.FOLDER / "census.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == newest["model"].size
    for name in take.COLUMNS:
        column = np.array([row[name] for row in rows])
        assert (column == newest[name]).all()
