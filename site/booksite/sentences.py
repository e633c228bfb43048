"""The page of the articles' statements: what became of each, and where.

The directive `sentences` shows book/sentences.yml by article and place, each
statement with its verdict, the reason, and links to the cells that decide it.
"""

from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from bookkit import ledger, sentences
from booksite.scorecard import chip, link, short_name

FILTER = '<claim-filter class="claim-filter" of="statements"></claim-filter>'


def counted(listed):
    """Return how many statements there are of each verdict, as a sentence."""
    verdicts = [sentence.verdict for sentence in listed]
    parts = ", ".join(
        f"{verdicts.count(v)} {v}" for v in sentences.VERDICTS if v in verdicts
    )
    return f"{len(listed)} statements: {parts}."


def mark(verdict):
    """Return a verdict, for the eye."""
    if verdict in ledger.VERDICTS:
        return chip(verdict)
    name = f"verdict-{verdict.replace(' ', '-')}"
    return nodes.inline(verdict, verdict, classes=[name])


class Sentences(SphinxDirective):
    """All statements of the articles, by article and place."""

    def written(self, text):
        """Return text with its formulas."""
        return self.state.inline_text(text, self.lineno)[0]

    def card(self, sentence):
        """Return one statement."""
        docname = self.env.docname
        line = nodes.paragraph("", "", classes=["claim-head"])
        line += mark(sentence.verdict)
        for claim in sentence.claims:
            line += [nodes.Text(" "), link(docname, f"claim-{claim}", claim)]
        says = nodes.paragraph("", "", *self.written(sentence.says))
        if sentence.because:
            says += nodes.Text(" ")
            reason = self.written(sentence.because)
            says += nodes.inline("", "", *reason, classes=["sentence-reason"])
        return nodes.container("", line, says, classes=["claim-card"])

    def place(self, name, listed):
        """Return the statements of one place in an article."""
        head = nodes.rubric("", name)
        head["heading-level"] = 3
        return nodes.container("", head, *map(self.card, listed))

    def run(self):
        """Return the counts, the filter, and a section for each article."""
        root = Path(self.env.srcdir)
        for file in (ledger.CLAIMS, ledger.SOURCES, sentences.SENTENCES):
            self.env.note_dependency(str(root / file))
        listed, sources = sentences.read(root), ledger.read_sources(root)
        found = [
            nodes.paragraph("", counted(listed)),
            nodes.raw("", FILTER, format="html"),
        ]
        for id in dict.fromkeys(s.source for s in listed):
            of_source = [s for s in listed if s.source == id]
            title = sources[id]["title"]
            name = f"{short_name(sources[id]).capitalize()}: {title}"
            section = nodes.section(ids=[f"sentences-of-{id}"])
            section += nodes.title(name, name)
            section += nodes.paragraph("", counted(of_source))
            for place, here in groupby(of_source, lambda s: s.place):
                section += self.place(place, here)
            found.append(section)
        return found


def setup(app):
    """Add the directive."""
    app.add_directive("sentences", Sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
