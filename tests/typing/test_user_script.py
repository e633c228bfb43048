"""What a type checker says of a reader's own program."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".mypy_cache/strict"
PROGRAM = """
import numpy as np

from attention_scale.observe import row_statistics
from attention_scale.torch import AttentionLogger, monitor


def look(model: object) -> float:
    with monitor(model) as report:  # type: ignore[arg-type,unused-ignore]
        pass
    found = row_statistics(np.ones((1, 40, 4)), np.ones((1, 40, 4)))
    spread = float(report.alpha.value[0, 0] + found.alpha.value[0])
    return spread + float(report["layer"].largest_logit[0])


def numbers(logger: AttentionLogger) -> dict[str, float]:
    return logger.step()
"""
WRONG = {
    "report.alpha.": "report.alpha0.",
    "found.alpha.": "found.alfa.",
    ".largest_logit": ".largest",
    "logger.step()": "logger.read()",
}


def test_a_misspelt_column_is_found(tmp_path):
    """By mypy --strict, which finds no fault where there is none."""
    (tmp_path / "right.py").write_text(PROGRAM)
    for i, (right, wrong) in enumerate(WRONG.items()):
        (tmp_path / f"wrong_{i}.py").write_text(PROGRAM.replace(right, wrong))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "."]
        + ["--ignore-missing-imports", "--no-error-summary"]
        + ["--config-file=", "--cache-dir", str(CACHE)],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        encoding="utf-8",
    )
    said = done.stdout.splitlines()
    assert [line for line in said if line.startswith("right.py")] == []
    for i, wrong in enumerate(WRONG.values()):
        name = wrong.strip(".()").split(".")[-1]
        found = [line for line in said if line.startswith(f"wrong_{i}")]
        assert any(f'has no attribute "{name}"' in line for line in found)
