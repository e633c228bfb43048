"""The map of results: which theorem rests on which, and how each is held.

The directive `results-map` draws the results of `bookkit.results` that are
tied to another one as a list in reading order, with an arc from each to what
it rests on, and names the others below. The list says what the arcs show, so
they are for the eye alone.
"""

from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from bookkit import ledger, notebooks, results
from booksite.scorecard import link

STEP = 10  # of a row, in units of the drawing
REACH = 6  # how much farther an arc bends for each row that it passes
WIDEST = 96
SAYS = {
    "machine": "proved by the machine, or in the steps that a claim names",
    "prose": "proved in words; the machine checks parts",
    "measured": "proved in words; a cell beside it measures",
}


def tied(listed):
    """Return the results that rest on another one, or bear one."""
    bearing = {label for r in listed.values() for label in r.rests_on}
    return [r for r in listed.values() if r.rests_on or r.label in bearing]


def arc(above, below):
    """Return the path between two rows, as SVG writes it."""
    start, end = (STEP * (row + 0.5) for row in (above, below))
    bend = 100 - min(WIDEST, 24 + REACH * (below - above))
    return f"M100,{start} C{bend},{start} {bend},{end} 100,{end}"


def drawing(shown):
    """Return the arcs of a list of results, in SVG."""
    row = {result.label: i for i, result in enumerate(shown)}
    arcs = "".join(
        f'<path class="held-{other.held} from-{row[result.label]}'
        f' to-{row[other.label]}"'
        f' d="{arc(*sorted((row[result.label], row[other.label])))}"/>'
        for result in shown
        for other in shown
        if other.label in result.rests_on
    )
    return (
        f'<svg viewBox="0 0 100 {STEP * len(shown)}" aria-hidden="true"'
        f' preserveAspectRatio="none">{arcs}</svg>'
    )


def lit(count):
    """Return the style that lights the arcs of the row that is looked at."""
    rules = (
        f".results-map:has(li:nth-child({i + 1}):is(:hover, :focus-within))"
        f" :is(.from-{i}, .to-{i}) {{ opacity: 1; stroke-width: 3; }}"
        for i in range(count)
    )
    return f"<style>{''.join(rules)}</style>"


class ResultsMap(SphinxDirective):
    """The results that are tied to others, as a map, and the rest."""

    def title_of(self, result):
        """Return the link to a result, behind its mark."""
        mark = nodes.inline("", "", classes=["mark-of", f"held-{result.held}"])
        said = nodes.inline(
            "", f"({result.held}) ", classes=["visually-hidden"]
        )
        title, _ = self.state.inline_text(result.title, self.lineno)
        number = link(self.env.docname, result.label)
        return [mark, said, number, nodes.Text(" "), *title]

    def row(self, result):
        """Return the row of a result: its name, and what it rests on."""
        line = nodes.paragraph("", "", *self.title_of(result))
        if result.rests_on:
            rests = nodes.inline("", "rests on ", classes=["rests-on"])
            for n, label in enumerate(result.rests_on):
                rests += [nodes.Text(", ")] * bool(n)
                rests += link(self.env.docname, label)
            line += [nodes.Text(" "), rests]
        return nodes.list_item("", line)

    def legend(self, listed):
        """Return what the marks mean, and how many results have each."""
        lines = nodes.bullet_list(classes=["results-legend"])
        for kind in results.HELD:
            count = sum(r.held == kind for r in listed.values())
            line = nodes.paragraph()
            line += nodes.inline("", "", classes=["mark-of", f"held-{kind}"])
            line += nodes.strong("", kind)
            line += nodes.Text(f" ({count}): {SAYS[kind]}")
            lines += nodes.list_item("", line)
        return lines

    def alone(self, listed, shown):
        """Return the results that are tied to no other, by chapter."""
        rest = [r for r in listed.values() if r not in shown]
        section = nodes.section(ids=["results-alone"])
        title = "Results that stand by themselves"
        section += nodes.title(title, title)
        for chapter, found in groupby(rest, lambda r: r.chapter):
            items = nodes.bullet_list(classes=["results-alone"])
            for result in found:
                line = nodes.paragraph("", "", *self.title_of(result))
                items += nodes.list_item("", line)
            head = nodes.rubric("", f"Chapter {int(chapter[:2])}")
            head["heading-level"] = 3
            section += [head, items]
        return section

    def run(self):
        """Return the counts, the legend, the map, and the other results."""
        root = Path(self.env.srcdir)
        for path in notebooks.chapters(root):
            self.env.note_dependency(str(path))
        self.env.note_dependency(str(root / ledger.CLAIMS))
        listed = results.results_of(root)
        shown = tied(listed)
        rows = nodes.bullet_list("", *map(self.row, shown))
        says = (
            f"{len(listed)} results, of which"
            f" {sum(bool(r.rests_on) for r in listed.values())} rest on others"
            f" by the words of their proofs."
        )
        picture = drawing(shown) + lit(len(shown))
        whole = nodes.container("", classes=["results-map"])
        whole += [nodes.raw("", picture, format="html"), rows]
        return [
            nodes.paragraph("", says),
            self.legend(listed),
            whole,
            self.alone(listed, shown),
        ]


def setup(app):
    """Add the directive."""
    app.add_directive("results-map", ResultsMap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
