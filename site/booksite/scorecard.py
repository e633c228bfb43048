"""The pages of the ledger: scorecard, errata and sources.

The build stops when claims and cells disagree (`bookkit.ledger`). In the
built page a deciding cell has the anchor claim-<id>, for
{ref}`text <claim-...>`, and a line that links to the claim's card, beside it
where there is room (book.css). The directive `claims` makes the cards of one
chapter, with the near misses; `scorecard` lists all claims, in a line each,
and `sources` where they come from; `errata` has cards for claims of the
articles that the book changed.
"""

import ast
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from bookkit import ledger, notebooks
from bookkit.cells import COMPUTING, PROVING, VERBS, called_verb, checks_in

FILTER = '<claim-filter class="claim-filter"></claim-filter>'
CARDS = "book/claims"  # a page for each chapter, of the same name
COMPUTED = "computed"
DEEDS = {
    **dict.fromkeys(VERBS, "measured"),
    **dict.fromkeys(COMPUTING, COMPUTED),
    **dict.fromkeys(PROVING, "proved"),
    "refute": "by a counterexample",
}


def hold(app, env, docnames):
    """Stop the build unless the ledger agrees with the notebooks."""
    root = Path(app.srcdir)
    if found := ledger.problems(root):
        raise ExtensionError("The ledger is wrong.\n" + "\n".join(found))
    for claim in ledger.read_claims(root).values():
        page = f"{CARDS}/{Path(claim['where']).stem}"
        if page not in env.found_docs:
            raise ExtensionError(
                f"{page}.md is missing, the page of {claim['where']}'s"
                " claims: copy another's, and change the number."
            )


def link(docname, label, text=None):
    """Return a reference to a label of the book, or by number to a theorem."""
    return addnodes.pending_xref(
        "",
        nodes.inline(text or label, text or label),
        refdomain="std" if text else "prf",
        reftype="ref",
        refdoc=docname,
        reftarget=label,
        refexplicit=text is not None,
        refwarn=True,
    )


def link_page(docname, page, text=None):
    """Return a reference to a page of the book, by its title unless told."""
    return addnodes.pending_xref(
        "",
        nodes.inline(text or page, text or page),
        refdomain="std",
        reftype="doc",
        refdoc=docname,
        reftarget=page,
        refexplicit=text is not None,
        refwarn=True,
    )


def make_target(env, node, label, title):
    """Let a node be referred to by a label."""
    node["ids"].append(label)
    std = env.get_domain("std")
    std.note_hyperlink_target(label, env.docname, label, title)


def short_name(source):
    """Return what the book calls a source."""
    return (
        "this book" if source["id"] == ledger.OWN else f"source {source['id']}"
    )


def chip(verdict):
    """Return a verdict, for the eye."""
    return nodes.inline(verdict, verdict, classes=[f"verdict-{verdict}"])


def deed(cell):
    """Return what a cell does for its claims, by what it shows at its end."""
    (source, *_) = cell.findall(nodes.literal_block)
    verbs = [
        ((node.lineno, node.col_offset), verb)
        for node in ast.walk(ast.parse(source.astext()))
        if (verb := called_verb(node))
    ]
    return DEEDS[max(verbs)[1]] if verbs else COMPUTED


def badge(docname, claim, deed):
    """Return the line of a cell that decides a claim."""
    verdict = claim["verdict"]
    changed = verdict in {"corrected", "refuted"}
    says = f"an article’s claim, {verdict}" if changed else f"checked: {deed}"
    line = nodes.paragraph(classes=["claim-badge"])
    line += link(docname, f"scorecard-{claim['id']}", says)
    line += nodes.Text(f" ({claim['id']})")
    here = f"claim-{claim['id']}"
    line += nodes.reference("", "#", refid=here, classes=["headerlink"])
    return line


def mark_cells(app, doctree):
    """Give every deciding cell its anchors and its badges."""
    cells = [
        (node, notebooks.claims_of(node["cell_metadata"]))
        for node in doctree.findall(nodes.container)
        if node.get("nb_element") == "cell_code"
    ]
    if not any(ids for _, ids in cells):
        return
    env, root = app.env, Path(app.srcdir)
    env.note_dependency(str(root / ledger.CLAIMS))
    claims = ledger.read_claims(root)
    anchored = set()
    for cell, ids in cells:
        badges = ids and [
            badge(env.docname, claims[claim], deed(cell)) for claim in ids
        ]
        if badges:
            cell += nodes.container("", *badges, classes=["claim-badges"])
        for claim in ids:
            if claim not in anchored:
                make_target(env, cell, f"claim-{claim}", claim)
                anchored.add(claim)


def table(titles, rows, classes):
    """Return a table with a head."""
    group = nodes.tgroup(cols=len(titles))
    group += [nodes.colspec(colwidth=1) for _ in titles]
    cells = [nodes.entry("", nodes.paragraph(text, text)) for text in titles]
    group += nodes.thead("", nodes.row("", *cells))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=classes)


def bar(claims):
    """Return a bar of how many claims there are of each verdict, in HTML."""
    verdicts = [claim["verdict"] for claim in claims.values()]
    parts = "".join(
        f'<span class="verdict-{verdict}" style="flex-grow: {count}">'
        f"{count}</span>"
        for verdict in ledger.VERDICTS
        if (count := verdicts.count(verdict))
    )
    # the sentence above it says the same
    return f'<div class="verdict-bar" aria-hidden="true">{parts}</div>'


class Claims(SphinxDirective):
    """The claims of the chapter that the page is named after."""

    def written(self, text):
        """Return a text of the ledger as nodes."""
        return self.state.inline_text(text, self.lineno)[0]

    def near_miss(self, miss):
        """Return a near miss: what is false, and why."""
        line = nodes.paragraph(classes=["near-miss"])
        for label, text in [("False: ", "says"), (" Why: ", "because")]:
            line += [nodes.strong("", label), *self.written(miss[text])]
        return line

    def card(self, claim, source, checks):
        """Return the card of one claim."""
        docname, id = self.env.docname, claim["id"]
        head = nodes.paragraph(classes=["claim-head"])
        head += link(docname, f"claim-{id}", id)
        head += [nodes.Text(" "), chip(claim["verdict"]), nodes.Text(" ")]
        grounds = nodes.inline(classes=["claim-grounds"])
        grounds += nodes.Text(" · ".join(sorted(checks)))
        if theorem := claim.get(ledger.IN_WORDS):
            grounds += [nodes.Text(" · "), link(docname, theorem)]
        grounds += nodes.Text(" · ")
        label = f"source-{claim['source']}"
        grounds += link(docname, label, short_name(source))
        head += grounds
        misses = claim[ledger.NEAR_MISSES]
        name = f"{len(misses)} near miss{'es' * (len(misses) > 1)}"
        opening = f"<details><summary>{name}</summary>"
        card = nodes.container(classes=["claim-card"])
        statement = self.written(claim["statement"])
        card += [
            head,
            nodes.paragraph("", "", *statement),
            nodes.raw("", opening, format="html"),
            *map(self.near_miss, misses),
            nodes.raw("", "</details>", format="html"),
        ]
        make_target(self.env, card, f"scorecard-{id}", id)
        return card

    def run(self):
        """Return the cards."""
        root = Path(self.env.srcdir)
        where = f"notebooks/{Path(self.env.docname).name}.ipynb"
        for file in (ledger.CLAIMS, ledger.SOURCES, where):
            self.env.note_dependency(str(root / file))
        sources = ledger.read_sources(root)
        claims = [
            claim
            for claim in ledger.read_claims(root).values()
            if claim["where"] == where
        ]
        if not claims:
            raise self.error(f"{ledger.CLAIMS} has no claim of {where}")
        checks = {claim["id"]: set() for claim in claims}
        for _, cell, id in ledger.deciding_cells(root):
            if id in checks:
                checks[id].update(checks_in(cell.source))
        return [
            self.card(claim, sources[claim["source"]], checks[claim["id"]])
            for claim in claims
        ]


class Scorecard(SphinxDirective):
    """All claims by chapter, in a line each, which leads to its card."""

    def line(self, claim):
        """Return the line of one claim; `lighten` makes its formulas text."""
        statement, _ = self.state.inline_text(claim["statement"], self.lineno)
        line = nodes.paragraph()
        label = f"scorecard-{claim['id']}"
        line += link(self.env.docname, label, claim["id"])
        line += [nodes.Text(" "), chip(claim["verdict"]), nodes.Text(" ")]
        line += statement
        return nodes.container("", line, classes=["claim-card", "claim-line"])

    def chapter(self, where, claims):
        """Return the section of one chapter."""
        name = Path(where).stem
        page = f"/{CARDS}/{name}"
        title = f"Chapter {int(name.partition('-')[0])}"
        section = nodes.section(ids=[f"claims-of-{name.partition('-')[2]}"])
        section += nodes.title(title, title)
        count = f"{len(claims)} claims, with their near misses"
        lead = nodes.paragraph()
        lead += link_page(self.env.docname, page, count)
        section += [lead, *map(self.line, claims)]
        return section

    def run(self):
        """Return the count of verdicts, the filter, and all claims."""
        root = Path(self.env.srcdir)
        claims = ledger.read_claims(root)
        self.env.note_dependency(str(root / ledger.CLAIMS))
        by_chapter = {c["where"]: [] for c in claims.values()}
        for claim in claims.values():
            by_chapter[claim["where"]].append(claim)
        return [
            nodes.paragraph("", ledger.summary(claims)),
            nodes.raw("", bar(claims), format="html"),
            nodes.raw("", FILTER, format="html"),
            *(self.chapter(w, by_chapter[w]) for w in sorted(by_chapter)),
        ]


class Errata(SphinxDirective):
    """The claims of articles that it names; without one, a count of all."""

    has_content = True

    def paragraph(self, text, *label):
        """Return a paragraph that begins with what it is, if that is said."""
        written, _ = self.state.inline_text(text, self.lineno)
        strong = [nodes.strong("", part) for part in label]
        return nodes.paragraph("", "", *strong, *written)

    def card(self, claim, source):
        """Return the card of one claim."""
        docname = self.env.docname
        head = nodes.paragraph(classes=["claim-head"])
        head += link(docname, f"claim-{claim['id']}", claim["id"])
        head += [nodes.Text(" "), chip(claim["verdict"]), nodes.Text(" ")]
        head += link(docname, f"source-{claim['source']}", short_name(source))
        card = nodes.container(classes=["claim-card"])
        card += [
            head,
            self.paragraph(claim["reader"], "For a reader. "),
            self.paragraph(claim["statement"]),
            self.paragraph(claim["article"], "In the article. "),
        ]
        make_target(self.env, card, f"errata-{claim['id']}", claim["id"])
        return card

    def run(self):
        """Return the cards, or the counts and the filter."""
        root = Path(self.env.srcdir)
        for file in (ledger.CLAIMS, ledger.SOURCES):
            self.env.note_dependency(str(root / file))
        claims, sources = ledger.read_claims(root), ledger.read_sources(root)
        if self.content:
            told = [claims[id] for id in " ".join(self.content).split()]
            return [self.card(c, sources[c["source"]]) for c in told]
        theirs = {
            id: claim
            for id, claim in claims.items()
            if claim["source"] != ledger.OWN
        }
        return [
            nodes.paragraph("", ledger.summary(theirs)),
            nodes.raw("", bar(theirs), format="html"),
            nodes.raw("", FILTER, format="html"),
        ]


class Sources(SphinxDirective):
    """The list of the articles that the claims come from."""

    def item(self, source):
        """Return the item of one source."""
        line = nodes.paragraph()
        line += nodes.strong("", short_name(source))
        line += nodes.Text(": ")
        title = nodes.Text(source["title"])
        if "url" in source:
            title = nodes.reference("", "", title, refuri=source["url"])
        line += title
        if original := source.get("original"):
            line += nodes.Text(" (")
            # The class becomes the attribute lang, for screen readers.
            line += nodes.inline("", original, classes=["language-zh"])
            line += nodes.Text(")")
        for detail in ("author", "published"):
            if detail in source:
                line += nodes.Text(f", {source[detail]}")
        item = nodes.list_item("", line)
        make_target(self.env, item, f"source-{source['id']}", source["title"])
        return item

    def run(self):
        """Return the list."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / ledger.SOURCES))
        items = [self.item(s) for s in ledger.read_sources(root).values()]
        return [nodes.bullet_list("", *items)]


def setup(app):
    """Check the ledger before anything is read, then show it."""
    app.connect("env-before-read-docs", hold)
    app.connect("doctree-read", mark_cells)
    app.add_directive("scorecard", Scorecard)
    app.add_directive("claims", Claims)
    app.add_directive("sources", Sources)
    app.add_directive("errata", Errata)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
