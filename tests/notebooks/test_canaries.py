"""Canaries: in a copy of the real book, one false claim must stop everything.

Each canary changes one constant in one deciding cell of a real chapter, and
both `pytest --nbval` and the build must fail there. Without the change both
pass, or the failures would show nothing: a copy without a false cell is
built here, and nbval runs the chapters themselves.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bookkit import ledger, notebooks

# chapter, deciding cell, what it says, something false instead
CHAPTER = "01-variance-of-a-dot-product"
CANARIES = [
    (CHAPTER, "dot-variance", "sigma_k: 1", "sigma_k: 2"),
    (CHAPTER, "dims-check", "agrees_with(1,", "agrees_with(1.2,"),
]
BUILD = ["jupyter-book", "build", "."]
STRICT = ["-W", "-n", "--keep-going"]


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


def replace(path, old, new):
    """Replace what stands exactly once in a file."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def copy(tmp_path):
    """Return a fresh copy of the book."""
    return copy_book(tmp_path / "book")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return a copy whose first claim has another verdict, and its build."""
    root = copy_book(tmp_path_factory.mktemp("whole") / "book")
    claim, entry = next(iter(ledger.read_claims(root).items()))
    other = next(v for v in ledger.VERDICTS if v != entry["verdict"])
    claims = root / "book" / "claims.yml"
    text = claims.read_text("utf-8")
    verdict = re.compile(rf"(id: {claim}\n(?:.*\n)*?  verdict: )\w+")
    claims.write_text(verdict.sub(rf"\g<1>{other}", text, count=1), "utf-8")
    return root, run(root, *BUILD, *STRICT), (claim, other)


@pytest.fixture(params=CANARIES, ids=lambda canary: canary[1])
def canary(request, copy):
    """Return a copy with one false claim, its chapter, and the cell."""
    name, cell_id, old, new = request.param
    path = copy / "notebooks" / f"{name}.ipynb"
    nb = notebooks.read(path)
    cells = notebooks.code_cells(nb)
    (index,) = [i for i, cell in enumerate(cells) if cell.id == cell_id]
    cell = cells[index]
    assert notebooks.claims_of(cell.metadata)
    assert cell.source.count(old) == 1
    cell.source = cell.source.replace(old, new)
    path.write_text(notebooks.text_of(nb), "utf-8")
    return copy, path, cell, index


def test_a_copy_with_nothing_false_builds(built):
    _, result, _ = built
    assert result.returncode == 0, result.stdout


def test_nbval_fails_at_the_false_claim(canary):
    root, path, _, index = canary
    result = run(root, "pytest", "--nbval", "-x", f"notebooks/{path.name}")
    assert result.returncode == 1
    failed = re.findall(r"^FAILED (\S+::Cell \d+)", result.stdout, re.M)
    assert failed == [f"notebooks/{path.name}::Cell {index}"]


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != notebooks.STORED_ON,
    reason="figures are compared where they were drawn",
)
def test_nbval_fails_at_another_figure(copy):
    path = copy / "notebooks" / "05-gradient-maximal-scale.ipynb"
    nb = notebooks.read(path)
    cells = notebooks.code_cells(nb)
    (index,) = [i for i, cell in enumerate(cells) if cell.id == "fig-rows"]
    (output,) = cells[index].outputs
    svg = output.data["image/svg+xml"]
    output.data["image/svg+xml"] = svg.replace("#1f2328", "#1f2329", 1)
    path.write_text(notebooks.text_of(nb), "utf-8")
    result = run(copy, "pytest", "--nbval", "-x", f"notebooks/{path.name}")
    failed = re.findall(r"^FAILED (\S+::Cell \d+)", result.stdout, re.M)
    assert failed == [f"notebooks/{path.name}::Cell {index}"]


def test_build_fails_at_the_false_claim(canary):
    root, path, cell, _ = canary
    # Strict or plain, the build stops; one canary for each.
    options = STRICT if cell.id == CANARIES[0][1] else []
    result = run(root, *BUILD, *options)
    assert result.returncode != 0
    assert notebooks.place(path, cell) in result.stdout
    assert not (root / f"_build/html/notebooks/{path.stem}.html").exists()


def test_build_fails_when_a_claim_has_no_cell(copy):
    claims = copy / "book" / "claims.yml"
    text = claims.read_text("utf-8")
    text = re.sub("id: .*", "id: not-decided", text, count=1)
    claims.write_text(text, "utf-8")
    result = run(copy, *BUILD)
    assert result.returncode != 0
    assert "claims.yml, not-decided: no cell" in result.stdout


def page(root, name):
    """Return a built page."""
    path = (root / "_build/html" / name).with_suffix(".html")
    return path.read_text("utf-8")


def test_scorecard_leads_to_every_deciding_cell(built):
    root, _, _ = built
    scorecard = page(root, "book/scorecard")
    for claim, entry in ledger.read_claims(root).items():
        chapter = entry["where"].replace(".ipynb", ".html")
        assert f'href="../{chapter}#claim-{claim}"' in scorecard
        assert f'id="claim-{claim}"' in page(root, entry["where"])
        assert f'id="scorecard-{claim}"' in scorecard


def test_a_verdict_reaches_scorecard_and_chapter(built):
    root, _, (claim, verdict) = built
    row = page(root, "book/scorecard").split(f'id="scorecard-{claim}"')[1]
    assert f'"verdict-{verdict}"' in row.split("</tr>")[0]
    where = ledger.read_claims(root)[claim]["where"]
    cell = page(root, where).split(f'id="claim-{claim}"')[1]
    badge = cell.split('class="claim-badge"')[1].split("</p>")[0]
    assert f'"verdict-{verdict}"' in badge


# The last one, because it changes the copy.
def test_build_fails_on_a_broken_formula(built):
    root, _, _ = built
    with (root / "index.md").open("a", encoding="utf-8") as page:
        page.write("\n$\\frac{1$\n")
    result = run(root, *BUILD, *STRICT)
    assert result.returncode != 0
    assert re.search(r"index\.md:.*\\frac\{1", result.stdout)
