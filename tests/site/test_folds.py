"""What the symbolic verbs say is one line that opens."""

import pytest
from bs4 import BeautifulSoup

from bookkit import notebooks

VERBS = "prove", "refute"
CHAPTERS = [path.stem for path in notebooks.chapters(notebooks.ROOT)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_proofs_by_machine_fold(site, chapter):
    """No verdict of a proof stands open, and each fold has its formula."""
    page = BeautifulSoup(
        (site / f"notebooks/{chapter}.html").read_bytes(), "lxml"
    )
    outputs = page.select(".cell_output")
    words = [p.get_text() for o in outputs for p in o.select("p > strong")]
    assert not {"Proved", "Refuted"} & set(words)
    folds = page.select(".cell_output details.verdict-fold")
    # chapters that only measure have none
    source = (notebooks.ROOT / f"notebooks/{chapter}.ipynb").read_text("utf-8")
    assert bool(folds) == any(f'"{verb}(' in source for verb in VERBS)
    assert all(fold.summary and fold.select_one(".math") for fold in folds)
