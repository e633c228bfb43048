"""The ledger: every claim of the book, held to the cell that decides it.

book/claims.yml lists the claims; the cell that decides one carries the tag
claim:<id>. The build stops when the two disagree, or when a cell that is
tagged checks nothing. In the built page a deciding cell has the anchor
claim-<id>, for {ref}`text <claim-...>`, and a line that links to its row of
the scorecard, which the directives `scorecard` and `sources` make. The
directive `errata` lists the claims of an article that the book changed.
"""

import ast
import sys
from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import notebooks  # noqa: E402  (tools/notebooks.py, on the path just now)

CLAIMS = "book/claims.yml"
SOURCES = "book/sources.yml"
CLAIM_FIELDS = ("id", "source", "statement", "verdict", "where")
# What an article says, and where, and what it changes for a reader.
CLAIM_DETAILS = ("article", "reader")
SOURCE_FIELDS = ("id", "title")
SOURCE_DETAILS = ("original", "author", "published", "url")  # if known
VERDICTS = ("proved", "measured", "corrected", "refuted")
CHANGED = ("corrected", "refuted")  # of an article: then the errata say why
OWN = "own"

# What in attention_scale.checks raises when a claim is false.
VERBS = {"prove", "refute", "close_to", "agrees_with", "rules_out"}


class LedgerError(Exception):
    """A ledger that cannot be read, and why."""


# The files


def read_entry(node, where, required, optional):
    """Return one entry of a list, every value as it is written."""
    if not isinstance(node, yaml.MappingNode):
        raise LedgerError(f"{where}: not an entry with fields")
    entry = {}
    for key, value in node.value:
        if key.value in entry:
            raise LedgerError(f"{where}: two fields {key.value}")
        if key.value not in (*required, *optional):
            raise LedgerError(f"{where}: unknown field {key.value}")
        if not isinstance(value, yaml.ScalarNode) or not value.value.strip():
            raise LedgerError(f"{where}: {key.value} is not a text")
        entry[key.value] = value.value.strip()
    for field in required:
        if field not in entry:
            raise LedgerError(f"{where}: no field {field}")
    return entry


def name_of(node):
    """Name an entry in a message, before it is known to be sound."""
    fields = node.value if isinstance(node, yaml.MappingNode) else []
    ids = [value.value for key, value in fields if key.value == "id"]
    return f"line {node.start_mark.line + 1}" + (f", {ids[0]}" if ids else "")


def read_list(root, file, required, optional=()):
    """Return the entries of a YAML list by id."""
    try:
        # Nodes, because values would turn the source 000 into the number 0
        # and keep only the last of two equal fields.
        listing = yaml.compose((root / file).read_text("utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise LedgerError(f"{file}: {error}") from None
    if not isinstance(listing, yaml.SequenceNode):
        raise LedgerError(f"{file}: not a list")
    entries = {}
    for node in listing.value:
        where = f"{file}, {name_of(node)}"
        entry = read_entry(node, where, required, optional)
        if entry["id"] in entries:
            raise LedgerError(f"{where}: a second entry of this id")
        entries[entry["id"]] = entry
    return entries


def read_sources(root):
    """Return the sources by id."""
    return read_list(root, SOURCES, SOURCE_FIELDS, SOURCE_DETAILS)


def read_claims(root):
    """Return the claims by id."""
    claims = read_list(root, CLAIMS, CLAIM_FIELDS, CLAIM_DETAILS)
    allowed = {"verdict": VERDICTS, "source": tuple(read_sources(root))}
    for claim in claims.values():
        for field, values in allowed.items():
            if claim[field] not in values:
                raise LedgerError(
                    f"{CLAIMS}, {claim['id']}: {field} {claim[field]} is none"
                    f" of {', '.join(values)}"
                )
        if reason := unfair(claim):
            raise LedgerError(f"{CLAIMS}, {claim['id']}: {reason}")
    return claims


def unfair(claim):
    """Return what an entry lacks for the errata, or has and should not."""
    told = [field for field in CLAIM_DETAILS if field in claim]
    if claim["source"] == OWN:
        return f"our own, but it has {told[0]}" if told else None
    missing = [field for field in CLAIM_DETAILS if field not in claim]
    if missing and (told or claim["verdict"] in CHANGED):
        return f"{claim['verdict']}, of an article, and has no {missing[0]}"
    return None


# Claims and cells


def called_verb(node):
    """Return the verb that a piece of syntax calls, or None."""
    if not isinstance(node, ast.Call):
        return None
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name if name in VERBS else None


def checks_in(source):
    """Yield the name of every verb or assertion in code, in no order."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert):
            yield "assert"
        elif verb := called_verb(node):
            yield verb


def is_vacuous(test):
    """Tell whether a test cannot depend on anything that was computed."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(is_vacuous, values))
        case ast.BoolOp(values=values):
            return all(map(is_vacuous, values))
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Lambda():
            return True
    return not any(isinstance(part, ast.Name) for part in ast.walk(test))


def surely_run(node):
    """Return the parts of a piece of syntax that run whenever it does."""
    match node:
        case ast.Module() | ast.For():
            return node.body
        case ast.BoolOp():
            return node.values[:1]
        case ast.IfExp():
            return [node.test]
        case ast.Lambda() | ast.GeneratorExp():
            return []
        case ast.Expr() | ast.Assign() | ast.keyword() | ast.expr():
            return ast.iter_child_nodes(node)
    return []  # a function, a branch, a try: perhaps, perhaps not


def checks_something(node):
    """Tell whether code surely runs a verb or an assertion of substance."""
    if isinstance(node, ast.Assert):
        return not is_vacuous(node.test)
    if called_verb(node):
        return True
    return any(map(checks_something, surely_run(node)))


def indecision(cell):
    """Return why a cell decides nothing, or None."""
    if cell.cell_type != "code":
        return "is not code"
    try:
        module = ast.parse(cell.source)
    except SyntaxError:
        return "is not plain Python"
    if not checks_something(module):
        return (
            "decides nothing: it needs an assertion, or one of"
            f" {', '.join(sorted(VERBS))}, that runs whatever happens"
        )
    return None if cell.outputs else "has no output; run `make execute`"


def deciding_cells(root):
    """Yield every tag of a claim as notebook, cell and claim."""
    for path in notebooks.chapters(root):
        for cell in notebooks.read(path).cells:
            for claim in notebooks.claims_of(cell.metadata):
                yield path, cell, claim


def problems(root):
    """Return where claims and cells disagree: nothing, if they don't."""
    try:
        claims = read_claims(root)
    except LedgerError as error:
        return [str(error)]
    found, decided = [], set()
    for path, cell, claim in deciding_cells(root):
        place = notebooks.place(path, cell)
        if reason := indecision(cell):
            found.append(f"{place}: {reason}")
        if claim not in claims:
            found.append(f"{place}: {CLAIMS} has no claim {claim}")
        elif path != root / claims[claim]["where"]:
            where = claims[claim]["where"]
            found.append(
                f"{place}: by {CLAIMS}, {claim} is decided in {where}"
            )
        decided.add((claim, path))
    for claim, entry in claims.items():
        if (claim, root / entry["where"]) not in decided:
            found.append(
                f"{CLAIMS}, {claim}: no cell of {entry['where']}"
                f" has the tag claim:{claim}"
            )
    return found


def hold(app, env, docnames):
    """Stop the build unless the ledger agrees with the notebooks."""
    if found := problems(Path(app.srcdir)):
        raise ExtensionError("The ledger is wrong.\n" + "\n".join(found))


# The pages


def link(docname, label, text):
    """Return a reference to a label anywhere in the book."""
    return addnodes.pending_xref(
        "",
        nodes.inline(text, text),
        refdomain="std",
        reftype="ref",
        refdoc=docname,
        reftarget=label,
        refexplicit=True,
        refwarn=True,
    )


def make_target(env, node, label, title):
    """Let a node be referred to by a label."""
    node["ids"].append(label)
    std = env.get_domain("std")
    std.note_hyperlink_target(label, env.docname, label, title)


def short_name(source):
    """Return what the book calls a source."""
    return "this book" if source["id"] == OWN else f"source {source['id']}"


def chip(verdict):
    """Return a verdict, for the eye."""
    return nodes.inline(verdict, verdict, classes=[f"verdict-{verdict}"])


def badge(docname, claim):
    """Return the line under a cell that decides a claim."""
    line = nodes.paragraph(classes=["claim-badge"])
    line += nodes.Text("Decides ")
    line += link(docname, f"scorecard-{claim['id']}", claim["id"])
    line += nodes.Text(": ")
    line += chip(claim["verdict"])
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
    env.note_dependency(str(root / CLAIMS))
    claims = read_claims(root)
    anchored = set()
    for cell, ids in cells:
        badges = [badge(env.docname, claims[claim]) for claim in ids]
        after = cell.parent.index(cell) + 1
        cell.parent[after:after] = badges
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


class Scorecard(SphinxDirective):
    """The table of all claims, each with a link to its deciding cell."""

    def row(self, claim, source, checks):
        """Return the row of one claim."""
        docname = self.env.docname
        statement, _ = self.state.inline_text(claim["statement"], self.lineno)
        names = ", ".join(sorted(checks))
        cells = (
            [link(docname, f"claim-{claim['id']}", claim["id"])],
            statement,
            [chip(claim["verdict"]), nodes.inline(names, names)],
            [link(docname, f"source-{claim['source']}", short_name(source))],
        )
        row = nodes.row()
        row += [nodes.entry("", nodes.paragraph("", "", *c)) for c in cells]
        make_target(self.env, row, f"scorecard-{claim['id']}", claim["id"])
        return row

    def run(self):
        """Return the count of verdicts and the table."""
        root = Path(self.env.srcdir)
        claims, sources = read_claims(root), read_sources(root)
        read = {claim["where"] for claim in claims.values()}
        for file in (CLAIMS, SOURCES, *sorted(read)):
            self.env.note_dependency(str(root / file))
        checks = {id: set() for id in claims}
        for _, cell, id in deciding_cells(root):
            checks[id].update(checks_in(cell.source))
        rows = [
            self.row(claim, sources[claim["source"]], checks[id])
            for id, claim in claims.items()
        ]
        titles = ("Claim", "Statement", "Verdict", "Source")
        return [
            nodes.paragraph("", summary(claims)),
            table(titles, rows, ["scorecard"]),
        ]


def summary(claims):
    """Return how many claims there are of each verdict, as a sentence."""
    verdicts = [claim["verdict"] for claim in claims.values()]
    counts = [(verdicts.count(verdict), verdict) for verdict in VERDICTS]
    parts = ", ".join(f"{n} {verdict}" for n, verdict in counts if n)
    plural = "" if len(claims) == 1 else "s"
    return f"{len(claims)} claim{plural}: {parts}."


class Errata(SphinxDirective):
    """What the book changed in one article; without one, a count of all."""

    optional_arguments = 1

    def paragraph(self, text, *label):
        """Return a paragraph that begins with what it is, if that is said."""
        written, _ = self.state.inline_text(text, self.lineno)
        strong = [nodes.strong("", part) for part in label]
        return nodes.paragraph("", "", *strong, *written)

    def item(self, claim):
        """Return the entry of one claim."""
        term = nodes.term(
            "",
            "",
            link(self.env.docname, f"claim-{claim['id']}", claim["id"]),
            nodes.Text(" "),
            chip(claim["verdict"]),
        )
        body = nodes.definition(
            "",
            self.paragraph(claim["statement"]),
            self.paragraph(claim["article"], "In the article. "),
            self.paragraph(claim["reader"], "For a reader. "),
        )
        make_target(self.env, term, f"errata-{claim['id']}", claim["id"])
        return nodes.definition_list_item("", term, body)

    def run(self):
        """Return the count of verdicts, and the claims with their errata."""
        root = Path(self.env.srcdir)
        for file in (CLAIMS, SOURCES):
            self.env.note_dependency(str(root / file))
        claims = {
            name: claim
            for name, claim in read_claims(root).items()
            if claim["source"] != OWN
            and claim["source"] in (self.arguments or [claim["source"]])
        }
        count = nodes.paragraph("", summary(claims))
        if not self.arguments:
            return [count]
        items = [self.item(c) for c in claims.values() if "article" in c]
        return [count, nodes.definition_list("", *items)]


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
        self.env.note_dependency(str(root / SOURCES))
        items = [self.item(s) for s in read_sources(root).values()]
        return [nodes.bullet_list("", *items)]


def setup(app):
    """Check the ledger before anything is read, then show it."""
    app.connect("env-before-read-docs", hold)
    app.connect("doctree-read", mark_cells)
    app.add_directive("scorecard", Scorecard)
    app.add_directive("sources", Sources)
    app.add_directive("errata", Errata)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
