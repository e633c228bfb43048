"""The lines of the page *Look at your own model*, on a tiny random model.

The page shows what they print of a published one, which is too large to ship.
"""

import re
from pathlib import Path

import pytest
import torch
import transformers
import zoo
from tokenizers import Tokenizer, models, pre_tokenizers

import attention_scale

PAGE = Path(__file__).parents[2] / "book" / "look-at-your-model.md"
WORDS = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", WORDS, re.S)
TEXT = "one two three four five six seven eight nine ten " * 30


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Write what from_pretrained reads, as a hub would give it, and a text."""
    words = sorted(set(TEXT.split()))
    table = {word: i for i, word in enumerate(["<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(table, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>"
    ).save_pretrained(tmp_path / "model")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(table),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = transformers.LlamaForCausalLM(config)
    model.save_pretrained(tmp_path / "model")
    (tmp_path / "text.txt").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return model


def block(words):
    """Return the only lines of the page in which words stand."""
    (lines,) = [lines for lines in BLOCKS if words in lines]
    return lines


def run(lines, **known):
    """Run lines of the page, and return what they define."""
    exec(compile(lines, str(PAGE), "exec"), known)
    return known


def batches(n=3):
    ids = torch.randint(0, 11, (2, 40), generator=torch.Generator())
    return [{"input_ids": ids, "labels": ids}] * n


def test_look_once(tiny, capsys):
    lines = re.sub(r'name = ".*?"', 'name = "model"', BLOCKS[0])
    assert lines != BLOCKS[0]
    known = run(lines)
    printed = capsys.readouterr().out
    head = printed.splitlines()[0].split()
    assert re.search(r"^layer .*$", WORDS, re.M)[0].split() == head
    explained = {*re.findall(r"`([^`\n]+)`", WORDS)}
    own = {"heads", "keys", "seen", "[min,", "max]"}
    assert set(head) - own <= explained
    assert "Most likely nothing is to be done" in printed
    assert known["report"].alpha.value.shape == (2, 4)
    known = run(block("rescaled"), **known)
    assert torch.isfinite(known["loss"])


def test_the_loop(tiny, capsys):
    optimizer = torch.optim.SGD(tiny.train().parameters(), 0.1)

    def update():
        optimizer.step()
        optimizer.zero_grad()

    run(block("in batches"), model=tiny, batches=batches(), update=update)
    printed = capsys.readouterr().out
    assert printed.count("attention/model.layers.1.self_attn/largest") == 1


def test_the_trainer_of_transformers(tiny, tmp_path):
    pytest.importorskip("accelerate")
    known = run("from attention_scale.torch import AttentionLogger")
    trainer = transformers.Trainer(
        tiny,
        transformers.TrainingArguments(
            tmp_path / "out",
            max_steps=2,
            report_to=[],
            use_cpu=True,
            bf16=True,
            gradient_checkpointing=True,
            disable_tqdm=True,
            logging_strategy="no",
            save_strategy="no",
        ),
        train_dataset=[
            {name: x[0] for name, x in batch.items()} for batch in batches(16)
        ],
    )
    lines = block("TrainerCallback")
    assert len([x for x in lines.splitlines() if x.startswith("    ")]) <= 10
    run(lines, trainer=trainer, **known)
    trainer.train()
    logged = [
        entry
        for entry in trainer.state.log_history
        if "attention/model.layers.0.self_attn/alpha" in entry
    ]
    assert [entry["step"] for entry in logged] == [1]


@pytest.mark.filterwarnings("ignore")
def test_lightning(tiny, tmp_path):
    lightning = pytest.importorskip("lightning")
    known = run("from attention_scale.torch import AttentionLogger")
    lines = block("from lightning")
    assert len([x for x in lines.splitlines() if x.startswith("    ")]) <= 10
    known = run(lines, **known)

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = tiny

        def training_step(self, batch, _):
            return self.net(**batch).loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    from lightning.pytorch.loggers import CSVLogger

    trainer = lightning.Trainer(
        max_steps=3,
        accelerator="cpu",
        callbacks=[known["LogAttentionToo"]()],
        logger=CSVLogger(tmp_path),
        log_every_n_steps=1,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(
        Module().train(),
        torch.utils.data.DataLoader(batches(), batch_size=None),
    )
    (table,) = tmp_path.rglob("metrics.csv")
    first, *rows = table.read_text().splitlines()
    assert "attention/net.model.layers.0.self_attn/entropy" in first
    assert len(rows) == 1


def test_a_port(tiny, capsys):
    run(block("print(explain"), model=tiny)
    printed = capsys.readouterr().out
    assert "configured in all" in printed
    assert "actually applied" in printed
    for line in re.search(r"^llama, 64 .*?```", WORDS, re.M | re.S)[
        0
    ].splitlines()[:-1]:
        start = line[:22].strip()
        assert (
            start.split(",")[0] in printed
            or "RoPE" in line
            or ("look at" in line)
        )


def test_exact_numbers():
    query, key = torch.randn(2, 1, 2, 40, 8, generator=torch.Generator())
    known = run(block("row_entropy"), query=query, key=key)
    assert known["entropy"].shape == (1, 2, 40)
    assert (known["lower"] <= known["upper"] + 1e-5).all()


@pytest.mark.parametrize("model_type", sorted(zoo.TYPES))
def test_the_table_of_types(model_type):
    """What it says is seen; the milliseconds are those of some machine."""
    (said,) = re.findall(rf"^\| `{model_type}` \|.*$", WORDS, re.M)
    found = zoo.line(model_type).split(" | ")
    *seen, off, _ = said.removesuffix(" |").split(" | ")
    assert seen == found[: len(seen)]
    # a digit of rounding is another on another processor
    assert (off.strip() == "") == (found[-1].strip() == "")
    assert not off.strip() or float(off) < 1e-6


def test_the_table_has_all_types():
    (count,) = re.findall(r"^```\{admonition\} (\d+) types", WORDS, re.M)
    table = re.findall(r"^\| `\w[\w-]*` \| \d+ \|", WORDS, re.M)
    assert int(count) == len(table) == len(zoo.TYPES)


def test_what_is_tested_here_is_the_wheel():
    """Not the checkout, which lacks what a wheel may have left out."""
    place = Path(attention_scale.__file__).resolve()
    assert PAGE.parents[1] / "attention_scale" not in place.parents
    assert place.with_name("py.typed").exists()
