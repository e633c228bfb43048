"""The lines of chapter 8 that put a factor on queries, in PyTorch."""

import json
import math
import re
from pathlib import Path

import pytest
import torch

CHAPTER = (
    Path(__file__).parents[2] / "notebooks" / "08-entropy-invariance.ipynb"
)


@pytest.fixture
def recipe():
    """Return a function that runs the lines, and what they define."""
    cells = json.loads(CHAPTER.read_text("utf-8"))["cells"]
    text = "\n".join(
        "".join(cell["source"])
        for cell in cells
        if cell["cell_type"] == "markdown"
    )
    (lines,) = re.findall(r"```python\n(.*?)```", text, re.S)
    (assigned,) = re.findall(r"^factor = .*\n", lines, re.M)

    def run(query, keys, values, factor=None):
        names = {"query": query, "keys": keys, "values": values}
        code = lines
        if factor is not None:
            names["factor"] = factor
            code = lines.replace(assigned, "")
        exec(compile(code, str(CHAPTER), "exec"), names)
        return names

    return run


def attention(query, keys, values, factors):
    """Return causal attention, query by query, each with its factor."""
    outputs = []
    for i, factor in enumerate(factors):
        seen = keys[..., : i + 1, :]
        logits = (
            factor * seen @ query[..., i, :, None] / query.shape[-1] ** 0.5
        )
        weights = torch.softmax(logits, dim=-2)
        outputs.append((weights * values[..., : i + 1, :]).sum(dim=-2))
    return torch.stack(outputs, dim=-2)


def test_a_factor_multiplies_the_logits(recipe):
    torch.manual_seed(0)
    tensors = torch.randn(3, 1, 2, 6, 8, dtype=torch.float64)
    column = recipe(*tensors)["by_position"](tensors[0], trained=4)
    by_position = [max(1, math.log(n) / math.log(4)) for n in range(1, 7)]
    for factor, factors in [(1.03, [1.03] * 6), (column, by_position)]:
        torch.testing.assert_close(
            recipe(*tensors, factor)["output"],
            attention(*tensors, factors),
        )


def test_a_chunk_after_cached_keys_gets_the_output_of_its_place(recipe):
    torch.manual_seed(1)
    query, keys, values = torch.randn(3, 1, 2, 6, 8, dtype=torch.float64)
    by_position = recipe(query, keys, values)["by_position"]
    whole = recipe(query, keys, values, by_position(query, trained=4))
    chunk = query[..., 4:, :]
    factor = by_position(chunk, trained=4, start=4)
    output = whole["attention"](
        factor * chunk, keys, values, torch.ones(2, 6).tril(4).bool()
    )
    torch.testing.assert_close(output, whole["output"][..., 4:, :])
    aligned_with_the_first_keys = recipe(chunk, keys, values, factor)["output"]
    assert not torch.allclose(output, aligned_with_the_first_keys)


def test_a_factor_keeps_the_type_of_the_queries(recipe):
    query = torch.ones(1, 1, 6, 8, dtype=torch.bfloat16)
    column = recipe(query, query, query)["by_position"](query)
    for factor in (None, 1.03, column):
        output = recipe(query, query, query, factor)["output"]
        assert output.dtype == query.dtype
