"""What the symbolic verbs say is one line that opens."""

import pytest

from bookkit import notebooks

VERBS = "prove", "refute"
CHAPTERS = [path.stem for path in notebooks.chapters(notebooks.ROOT)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_proofs_by_machine_fold(site, pages, chapter):
    """No verdict of a proof stands open, and each fold has its formula."""
    page = pages[site / f"notebooks/{chapter}.html"]
    outputs = page.find_class("cell_output")
    words = [b.text for o in outputs for b in o.iterfind(".//p/strong")]
    assert not {"Proved", "Refuted"} & {*words}
    folds = [f for o in outputs for f in o.find_class("verdict-fold")]
    # chapters that only measure have none
    source = (notebooks.ROOT / f"notebooks/{chapter}.ipynb").read_text("utf-8")
    assert bool(folds) == any(f'"{verb}(' in source for verb in VERBS)
    assert all(f.find("summary") is not None for f in folds)
    assert all(f.find_class("math") for f in folds)
