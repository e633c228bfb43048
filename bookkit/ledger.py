"""The ledger: every claim of the book, held to the cell that decides it.

book/claims.yml lists the claims; the cell that decides one carries the tag
claim:<id>. `problems` says where the two disagree, where a tagged cell checks
nothing, and where a verdict is not what the cell's verbs decide. Each claim
has near misses, which `near_misses` runs: false neighbours of its statement,
as changes of the deciding cell.
"""

import re
from functools import cache

import yaml

from bookkit import notebooks
from bookkit.cells import PROVING, VERBS, checks_in, indecision

# The parser in C, where it is there, is twelve times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CLAIMS = "book/claims.yml"
SOURCES = "book/sources.yml"
CLAIM_FIELDS = ("id", "source", "statement", "verdict", "where")
# What an article says, and where, and what it changes for a reader.
CLAIM_DETAILS = ("article", "reader")
# Where the proof is prose: the label of its theorem.
IN_WORDS = "in_words"
NEAR_MISSES = "near_misses"
# What is false; which words of the statement it denies, as they stand there;
# what to replace in the deciding cell and by what; why it is false; and the
# cell, where several decide or one before them is changed.
MISS_FIELDS = ("says", "words", "replace", "by", "because")
MISS_DETAILS = ("cell",)
SOURCE_FIELDS = ("id", "title")
SOURCE_DETAILS = ("original", "author", "published", "url")  # if known
VERDICTS = ("proved", "measured", "corrected", "refuted")
CHANGED = ("corrected", "refuted")  # of an article: then the errata say why
OWN = "own"
LABEL = re.compile(r"^:label: *(\S+)", re.MULTILINE)
# What a cell must call for a verdict: one of these at least.
DECIDING = {
    "proved": PROVING,
    "measured": VERBS - PROVING,
    "corrected": VERBS,
    "refuted": VERBS,
}


class LedgerError(Exception):
    """A ledger that cannot be read, and why."""


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
        if key.value == NEAR_MISSES:
            entry[key.value] = read_near_misses(value, where)
            continue
        if not isinstance(value, yaml.ScalarNode) or not value.value.strip():
            raise LedgerError(f"{where}: {key.value} is not a text")
        entry[key.value] = value.value.strip()
    for field in required:
        if field not in entry:
            raise LedgerError(f"{where}: no field {field}")
    return entry


def read_near_misses(node, where):
    """Return the near misses of a claim; `replace` and `by` as written."""
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise LedgerError(f"{where}: {NEAR_MISSES} is not a list")
    return [
        read_entry(
            miss,
            f"{where}, near miss {number}",
            MISS_FIELDS,
            MISS_DETAILS,
        )
        for number, miss in enumerate(node.value, start=1)
    ]


def name_of(node):
    """Name an entry in a message, before it is known to be sound."""
    fields = node.value if isinstance(node, yaml.MappingNode) else []
    ids = [value.value for key, value in fields if key.value == "id"]
    return f"line {node.start_mark.line + 1}" + (f", {ids[0]}" if ids else "")


@cache
def composed(text):
    """Return the node of a YAML text."""
    return yaml.compose(text, Loader=LOADER)


def compose(root, file):
    """Return the nodes of a YAML list."""
    try:
        # Nodes, because values would turn the source 000 into the number 0
        # and keep only the last of two equal fields.
        listing = composed((root / file).read_text("utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise LedgerError(f"{file}: {error}") from None
    if not isinstance(listing, yaml.SequenceNode):
        raise LedgerError(f"{file}: not a list")
    return listing.value


def read_list(root, file, required, optional=()):
    """Return the entries of a YAML list by id."""
    entries = {}
    for node in compose(root, file):
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
    details = (*CLAIM_DETAILS, IN_WORDS, NEAR_MISSES)
    claims = read_list(root, CLAIMS, CLAIM_FIELDS, details)
    allowed = {"verdict": VERDICTS, "source": tuple(read_sources(root))}
    for claim in claims.values():
        for field, values in allowed.items():
            if claim[field] not in values:
                raise LedgerError(
                    f"{CLAIMS}, {claim['id']}: {field} {claim[field]} is none"
                    f" of {', '.join(values)}"
                )
        if reason := unfair(claim) or misquoted(claim):
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


def misquoted(claim):
    """Return which near miss denies words that the statement lacks, if any."""
    for number, miss in enumerate(claim.get(NEAR_MISSES, []), start=1):
        words = miss["words"]
        count = claim["statement"].count(words)
        if count != 1:
            return (
                f"near miss {number} denies {words!r}, which the statement "
                f"says {count} times; it should be once"
            )
    return None


def deciding_cells(root):
    """Yield every tag of a claim as notebook, cell and claim."""
    for path in notebooks.chapters(root):
        for cell in notebooks.read(path).cells:
            for claim in notebooks.claims_of(cell.metadata):
                yield path, cell, claim


def untied(claim, checks, labels):
    """Return why a verdict is not what the claim's cells decide, or None.

    Parameters
    ----------
    claim : entry of the ledger.
    checks : set of the verbs and assertions of its deciding cells.
    labels : the labels of its notebook.
    """
    theorem = claim.get(IN_WORDS)
    if theorem and claim["verdict"] != "proved":
        return f"{claim['verdict']}, but {IN_WORDS} is for proofs"
    if theorem:
        return None if theorem in labels else f"no label {theorem}"
    wanted = DECIDING[claim["verdict"]]
    if checks & wanted:
        return None
    return (
        f"{claim['verdict']}, but no deciding cell calls one of "
        f"{', '.join(sorted(wanted))}"
    )


def labels_of(path):
    """Return the labels of a notebook's theorems and other boxes."""
    cells = notebooks.read(path).cells
    prose = [c.source for c in cells if c.cell_type == "markdown"]
    return {*LABEL.findall("\n".join(prose))}


def problems(root):
    """Return where claims and cells disagree: nothing, if they don't."""
    try:
        claims = read_claims(root)
    except LedgerError as error:
        return [str(error)]
    found, decided = [], {}
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
        else:
            checks = decided.setdefault(claim, set())
            checks.update(() if reason else checks_in(cell.source))
    labels = {path: labels_of(path) for path in notebooks.chapters(root)}
    for claim, entry in claims.items():
        where = f"{CLAIMS}, {claim}"
        if claim not in decided:
            found.append(
                f"{where}: no cell of {entry['where']}"
                f" has the tag claim:{claim}"
            )
        elif reason := untied(
            entry, decided[claim], labels[root / entry["where"]]
        ):
            found.append(f"{where}: {reason}")
        if NEAR_MISSES not in entry:
            found.append(f"{where}: no near miss")
    return found


def summary(claims):
    """Return how many claims there are of each verdict, as a sentence."""
    verdicts = [claim["verdict"] for claim in claims.values()]
    counts = [(verdicts.count(verdict), verdict) for verdict in VERDICTS]
    parts = ", ".join(f"{n} {verdict}" for n, verdict in counts if n)
    plural = "" if len(claims) == 1 else "s"
    return f"{len(claims)} claim{plural}: {parts}."
