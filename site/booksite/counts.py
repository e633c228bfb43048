"""What the cells of the chapters check, counted when the site is built.

The directive `counts` makes one table: for each chapter the calls of the
verbs by their kind, the exercises whose solutions are checked, the claims
and their near misses. What is counted stands beside it, in
book/how-to-check-us.md.
"""

from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from bookkit import ledger, notebooks
from bookkit.cells import COMPUTING, PROVING, checks_in, solutions
from booksite import scorecard

CHECKS = {
    "Proofs": PROVING - {"refute"},
    "Measurements": {"agrees_with"},
    "Comparisons": COMPUTING,
    "Refutations": {"refute", "rules_out"},
    "Assertions": {"assert"},
}
EXERCISES, CLAIMS, NEAR_MISSES = "Exercises", "Claims", "Near misses"
TITLES = [*CHECKS, EXERCISES, CLAIMS, NEAR_MISSES]


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


class Counts(SphinxDirective):
    """The table, with a row for each chapter and their sum."""

    def link(self, name):
        """Return a link to a chapter, with its number."""
        link = scorecard.link_page(self.env.docname, f"/{name}")
        number = int(Path(name).stem.split("-")[0])
        return [nodes.Text(f"{number}. "), link]

    def run(self):
        """Return the table."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / ledger.CLAIMS))
        decided, denied = Counter(), Counter()
        for claim in ledger.read_claims(root).values():
            decided[claim["where"]] += 1
            denied[claim["where"]] += len(claim[ledger.NEAR_MISSES])
        heads, rows = [], []
        for path in notebooks.chapters(root):
            self.env.note_dependency(str(path))
            where = path.relative_to(root)
            counted = count_checks(notebooks.read(path))
            counted[CLAIMS] = decided[where.as_posix()]
            counted[NEAR_MISSES] = denied[where.as_posix()]
            heads.append(self.link(where.with_suffix("").as_posix()))
            rows.append(counted)
        heads.append([nodes.Text("All chapters")])
        rows.append(sum(rows, Counter()))
        lines = []
        for head, counted in zip(heads, rows, strict=True):
            cells = [head, *([nodes.Text(str(counted[t]))] for t in TITLES)]
            entries = [
                nodes.entry("", nodes.paragraph("", "", *cell))
                for cell in cells
            ]
            lines.append(nodes.row("", *entries))
        return [scorecard.table(["Chapter", *TITLES], lines, ["counts"])]


def setup(app):
    """Show the table."""
    app.add_directive("counts", Counts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
