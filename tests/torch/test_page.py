"""The lines of the page *Look at your own model*, on a tiny random model.

The page shows what they print of a published one, which is too large to ship.
"""

import re
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

import attention_scale

PAGE = Path(__file__).parents[2] / "book" / "look-at-your-model.md"
TEXT = "one two three four five six seven eight nine ten " * 30


def save_a_tiny_model(folder):
    """Write what from_pretrained reads, as a hub would give it."""
    words = sorted(set(TEXT.split()))
    table = {word: i for i, word in enumerate(["<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(table, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(table),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)


def test_the_lines_of_the_page_run(tmp_path, monkeypatch, capsys):
    first, second = re.findall(
        r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S
    )
    assert len([line for line in first.splitlines() if line]) <= 12
    save_a_tiny_model(tmp_path / "model")
    (tmp_path / "text.txt").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    lines = re.sub(r'name = ".*?"', 'name = "model"', first)
    assert lines != first
    known = {}
    exec(compile(lines, str(PAGE), "exec"), known)
    printed = capsys.readouterr().out
    table = re.search(r"^layer  heads .*$", PAGE.read_text("utf-8"), re.M)[0]
    assert printed.splitlines()[0] == table
    assert known["report"].alpha.value.shape == (2, 4)
    exec(compile(second, str(PAGE), "exec"), known)
    assert torch.isfinite(known["loss"])


def test_what_is_tested_here_is_the_wheel():
    """Not the checkout, which lacks what a wheel may have left out."""
    place = Path(attention_scale.__file__).resolve()
    assert PAGE.parents[1] / "attention_scale" not in place.parents
    assert place.with_name("py.typed").exists()
