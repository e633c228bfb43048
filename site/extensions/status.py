"""The status page: what the site was built from, what it checks, how fast.

The directive `status` makes a table: `versions`, `checks`, `claims` or
`runs`. What is counted stands in book/status.md. The page is read again when
a notebook, the ledger, a version or the commit is another one.
"""

import platform
import subprocess
import tomllib
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

import scorecard
from bookkit import fingerprints, ledger, notebooks
from bookkit.cells import checks_in, solutions

PAGE = "book/status"
PACKAGES = (
    "numpy",
    "scipy",
    "sympy",
    "matplotlib",
    "jupyter-book",
    "sphinx",
)
CHECKS = {
    "Proofs": ("prove",),
    "Measurements": ("agrees_with",),
    "Comparisons": ("close_to",),
    "Refutations": ("refute", "rules_out"),
    "Assertions": ("assert",),
}
EXERCISES = "Exercises"


class Chapter(NamedTuple):
    """What the tables say of a notebook; seconds are None until it's run."""

    path: Path
    cells: int
    checks: Counter
    seconds: int | None


def versions(root):
    """Return the versions that a site is built with, and the commit."""
    book = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    found = {
        "The Scale of Attention": book["project"]["version"],
        "commit": commit(root),
        "Python": platform.python_version(),
    }
    return found | {name: version(name) for name in PACKAGES}


def commit(root):
    """Return what git calls the state of a folder, if git knows it."""
    try:
        done = subprocess.run(
            # Named, so that no repository around the folder is asked.
            ["git", f"--git-dir={root / '.git'}", f"--work-tree={root}"]
            + ["describe", "--always", "--dirty=, and changes"],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
        )
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def count_checks(nb):
    """Count where verbs are called, or something is asserted, and exercises.

    Exercises are those whose solutions are checked.
    """
    found = Counter()
    for cell in notebooks.code_cells(nb):
        found.update(checks_in(cell.source))
    counted = Counter(
        {
            title: sum(found[v] for v in verbs)
            for title, verbs in CHECKS.items()
        }
    )
    counted[EXERCISES] = sum(solutions(nb).values())
    return counted


def read_chapter(path):
    """Return what the tables say of a notebook."""
    nb = notebooks.read(path)
    root = notebooks.root_of(path)
    run = fingerprints.read_record(root).get(
        fingerprints.name_in_record(path, root), {}
    )
    count = len(notebooks.code_cells(nb))
    return Chapter(path, count, count_checks(nb), run.get("seconds"))


def duration(seconds):
    """Write a number of seconds, or that nobody measured it."""
    return "not measured" if seconds is None else f"{seconds} s"


def total(numbers):
    """Return a sum, or None where one of the numbers is not known."""
    numbers = list(numbers)
    return None if None in numbers else sum(numbers)


class Status(SphinxDirective):
    """A table of the status page."""

    required_arguments = 1

    def run(self):
        """Return the table that the argument names."""
        tables = {
            "versions": self.versions,
            "checks": self.checks,
            "claims": self.claims,
            "runs": self.runs,
        }
        return [tables[directives.choice(self.arguments[0], [*tables])]()]

    @property
    def root(self):
        """Return the folder of the book."""
        return Path(self.env.srcdir)

    def chapters(self):
        """Return the chapters; they are read once for the page."""
        read = self.env.temp_data
        if "status" not in read:
            paths = notebooks.chapters(self.root)
            for path in paths:
                self.env.note_dependency(str(path))
            read["status"] = [read_chapter(path) for path in paths]
        return read["status"]

    def link(self, chapter):
        """Return a link to a chapter, with its number."""
        name = chapter.path.relative_to(self.root).with_suffix("").as_posix()
        link = addnodes.pending_xref(
            "",
            nodes.inline(name, name),
            refdomain="std",
            reftype="doc",
            refdoc=self.env.docname,
            reftarget=f"/{name}",
            refexplicit=False,
            refwarn=True,
        )
        number = int(chapter.path.stem.split("-")[0])
        return [nodes.Text(f"{number}. "), link]

    def table(self, titles, rows):
        """Return a table with a row for each chapter, and their sum."""
        heads = [self.link(chapter) for chapter in self.chapters()]
        heads += [[nodes.Text("All chapters")]]
        return table(["Chapter", *titles], heads, rows)

    def versions(self):
        """Return the table of what the site was built with."""
        found = versions(self.root)
        heads = [[nodes.Text(name)] for name in found]
        return table(
            ["Built with", "Version"], heads, [[v] for v in found.values()]
        )

    def checks(self):
        """Return the table of what the cells check."""
        counts = [chapter.checks for chapter in self.chapters()]
        counts += [sum(counts, Counter())]
        titles = [*CHECKS, EXERCISES]
        return self.table(titles, [[c[t] for t in titles] for c in counts])

    def claims(self):
        """Return the table of what is decided."""
        self.env.note_dependency(str(self.root / ledger.CLAIMS))
        decided = Counter(
            (self.root / claim["where"], claim["verdict"])
            for claim in ledger.read_claims(self.root).values()
        )
        rows = [
            [decided[chapter.path, verdict] for verdict in ledger.VERDICTS]
            for chapter in self.chapters()
        ]
        rows = [[*row, sum(row)] for row in rows]
        rows += [[sum(column) for column in zip(*rows, strict=True)]]
        titles = [verdict.capitalize() for verdict in ledger.VERDICTS]
        return self.table([*titles, "Claims"], rows)

    def runs(self):
        """Return the table of run times."""
        self.env.note_dependency(str(self.root / fingerprints.RECORD))
        chapters = self.chapters()
        cells = sum(chapter.cells for chapter in chapters)
        seconds = total(chapter.seconds for chapter in chapters)
        rows = [[c.cells, duration(c.seconds)] for c in chapters]
        return self.table(
            ["Code cells", "Run time"], [*rows, [cells, duration(seconds)]]
        )


def table(titles, heads, rows):
    """Return a table of numbers, each row of which has a head."""
    lines = []
    for head, cells in zip(heads, rows, strict=True):
        line = nodes.row("", nodes.entry("", nodes.paragraph("", "", *head)))
        line += [nodes.entry("", nodes.paragraph("", str(c))) for c in cells]
        lines.append(line)
    return scorecard.table(titles, lines, ["status"])


def outdated(app, env, added, changed, removed):
    """Have the page read again when a version or the commit is another."""
    if PAGE not in env.found_docs:
        return []
    before = getattr(env, "status_versions", None)
    env.status_versions = versions(Path(app.srcdir))
    return [PAGE] if env.status_versions != before else []


def setup(app):
    """Show the tables, and keep them true."""
    app.connect("env-get-outdated", outdated)
    app.add_directive("status", Status)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
