"""Canaries: in a book of one chapter, one false claim must stop everything.

The chapter is the beginning of a real one, with a proof from behind its fold;
its claims, the settings, the extensions and the library are the book's own. A
canary changes one constant in one deciding cell, and both `pytest --nbval` and
the build must fail there. Without the change both pass, or the failures would
show nothing: the sound book is built here, and nbval fails at no other cell.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bookkit import execute, ledger, notebooks

CHAPTER = "notebooks/01-variance-of-a-dot-product.ipynb"
# What is kept: all before the end of the first, and the second and third.
LAST_CELL, MEASURED = "text-theorem", ("text-onehot-check", "onehot-50")
PROOF = "text-sum-general", "dot-variance"
# deciding cell, what it says, something false instead
CANARIES = [
    ("onehot-50", "agrees_with(0.125,", "agrees_with(0.135,"),
    ("dot-variance", "sigma_k: 1", "sigma_k: 2"),
]
FIGURE = "fig-onehot"
CARDS = f"book/claims/{Path(CHAPTER).stem}"
PAGES = ["book/scorecard.md", f"{CARDS}.md", "book/references.md"]
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
OTHER = re.compile(r"\(\d\d-[\w-]+\.ipynb\)")
BUILD = ["jupyter-book", "build", "."]
STRICT = ["-W", "-n", "--keep-going"]
DRAWN_HERE = (platform.system(), platform.machine()) == notebooks.STORED_ON


def copy_book(destination):
    """Copy what git has or would take, and nothing else."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"]
        + ["--cached", "--others", "--exclude-standard"],
        cwd=notebooks.ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    for name in listing.stdout.split("\0"):
        source = notebooks.ROOT / name
        if source.is_file():
            target = destination / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return destination


def run(root, program, *arguments):
    """Run one of this environment's programs in a copy of the book."""
    return subprocess.run(
        [Path(sys.executable).with_name(program), *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def write(path, nb):
    """Store a notebook as it is."""
    path.write_text(notebooks.text_of(nb), "utf-8")


def write_claims(root, claims):
    """Store a ledger of these claims."""
    text = yaml.safe_dump([*claims.values()], allow_unicode=True)
    (root / ledger.CLAIMS).write_text(text, "utf-8")


def number_of(nb, cell_id):
    """Return which of the code cells a cell is, as nbval counts them."""
    return [cell.id for cell in notebooks.code_cells(nb)].index(cell_id)


def make_false(nb, cell_id, old, new):
    """Change one constant in a deciding cell, and return the cell."""
    cell = notebooks.code_cells(nb)[number_of(nb, cell_id)]
    assert notebooks.claims_of(cell.metadata)
    assert cell.source.count(old) == 1
    cell.source = cell.source.replace(old, new)
    return cell


def parts(nb):
    """Return the cells that are kept, and the others."""
    ids = [cell.id for cell in nb.cells]
    kept = {*ids[: ids.index(LAST_CELL) + 1]}
    for first, last in (MEASURED, PROOF):
        kept |= {*ids[ids.index(first) : ids.index(last) + 1]}
    return (
        [cell for cell in nb.cells if cell.id in kept],
        [cell for cell in nb.cells if cell.id not in kept],
    )


def cut(root):
    """Keep a part of the chapter; return the labels of the rest."""
    nb = notebooks.read(root / CHAPTER)
    nb.cells, others = parts(nb)
    rest = "\n".join(cell.source for cell in others)
    for cell in nb.cells:
        if cell.cell_type == "markdown":  # of other chapters there is none
            cell.source = OTHER.sub("(../index.md)", cell.source)
    write(root / CHAPTER, nb)
    return LABEL.findall(rest)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Return the folder of the book of one chapter, executed."""
    root = copy_book(tmp_path_factory.mktemp("sound") / "book")
    for path in notebooks.chapters(root):
        if path != root / CHAPTER:
            path.unlink()
    # The front page has what the part refers to and is cut away.
    stubs = [f"\n({label})=\n## {label}\n" for label in cut(root)]
    (root / "index.md").write_text("# One chapter\n" + "".join(stubs))
    chapters = [{"file": page} for page in [CHAPTER, *PAGES]]
    toc = {"format": "jb-book", "root": "index", "chapters": chapters}
    (root / "_toc.yml").write_text(yaml.safe_dump(toc))
    decided = {claim for _, _, claim in ledger.deciding_cells(root)}
    claims = ledger.read_claims(root)
    write_claims(root, {id: claims[id] for id in claims if id in decided})
    assert execute.update(root / CHAPTER)
    return root


@pytest.fixture
def copy(sound, tmp_path):
    """Return the folder of a copy of the book of one chapter."""
    return shutil.copytree(sound, tmp_path / "book")


@pytest.fixture(scope="module")
def built(sound, tmp_path_factory):
    """Return a copy whose first claim has another verdict, and its build."""
    root = shutil.copytree(sound, tmp_path_factory.mktemp("built") / "book")
    claims = ledger.read_claims(root)
    entry = next(iter(claims.values()))
    assert entry["verdict"] == "proved" and entry["source"] != ledger.OWN
    entry |= {"verdict": "corrected", "article": "So.", "reader": "Nothing."}
    write_claims(root, claims)
    return root, run(root, *BUILD, *STRICT), entry


@pytest.mark.skipif(
    not DRAWN_HERE, reason="elsewhere figures differ in some bytes"
)
def test_a_fresh_run_stores_what_the_chapter_has(sound):
    fresh = notebooks.read(sound / CHAPTER)
    nb = notebooks.read(notebooks.ROOT / CHAPTER)
    nb.cells, _ = parts(nb)
    assert notebooks.code_cells(fresh) == notebooks.code_cells(nb)


def test_the_book_of_one_chapter_builds(built):
    _, result, _ = built
    assert result.returncode == 0, result.stdout


def test_nbval_fails_at_false_claims_and_at_another_figure(copy):
    path = copy / CHAPTER
    nb = notebooks.read(path)
    wrong = [number_of(nb, cell_id) for cell_id, _, _ in CANARIES]
    for canary in CANARIES:
        make_false(nb, *canary)
    if DRAWN_HERE:
        wrong = [number_of(nb, FIGURE), *wrong]
        (output,) = notebooks.code_cells(nb)[wrong[0]].outputs
        svg = output.data["image/svg+xml"]
        assert "#1f2328" in svg
        output.data["image/svg+xml"] = svg.replace("#1f2328", "#1f2329", 1)
    write(path, nb)
    result = run(copy, "pytest", "--nbval", CHAPTER)
    failed = re.findall(r"^FAILED (\S+::Cell \d+)", result.stdout, re.M)
    assert failed == [f"{CHAPTER}::Cell {number}" for number in wrong]


def test_build_fails_at_the_false_claim(copy):
    """The plain build stops, so the strict one does."""
    path = copy / CHAPTER
    nb = notebooks.read(path)
    cell = make_false(nb, *CANARIES[0])
    write(path, nb)
    result = run(copy, *BUILD)
    assert result.returncode != 0
    assert notebooks.place(path, cell) in result.stdout
    page = (copy / "_build/html" / CHAPTER).with_suffix(".html")
    assert not page.exists()


def test_build_fails_when_a_claim_has_no_cell(copy):
    claims = ledger.read_claims(copy)
    next(iter(claims.values()))["id"] = "not-decided"
    write_claims(copy, claims)
    result = run(copy, *BUILD)
    assert result.returncode != 0
    assert "claims.yml, not-decided: no cell" in result.stdout


def page(root, name):
    """Return a built page."""
    path = (root / "_build/html" / name).with_suffix(".html")
    return path.read_text("utf-8")


def test_a_verdict_reaches_scorecard_and_chapter(built):
    root, _, entry = built
    claim, verdict = entry["id"], entry["verdict"]
    card = page(root, CARDS).split(f'id="scorecard-{claim}"')[1]
    assert f'"verdict-{verdict}"' in card.split('class="claim-card')[0]
    cell = page(root, CHAPTER).split(f'id="claim-{claim}"')[1]
    badge = cell.split('class="claim-badge"')[1].split("</p>")[0]
    assert f"{CARDS}.html#scorecard-{claim}" in badge
