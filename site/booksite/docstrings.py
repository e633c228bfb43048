"""The library's docstrings, written for a terminal, as a page shows them.

Sections become definition lists, names between backquotes code. A section is
a title with dashes below; it ends at the first blank line.
"""

import re

DASHES = re.compile(r"-{3,}$")
ITEM = re.compile(r"(\w+(?:, \w+)*|array \([^)]*\)) : (.*)")

SENTENCES = {"Parameters, errors"}  # : as another function's


def shown(lines):
    """Return the lines of a docstring in reStructuredText."""
    result, example = [], False
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if DASHES.match(following):
            result += [f"**{line}**", ""]
        elif DASHES.match(line):
            continue
        elif not line.strip():
            result.append("")
            example = False
        elif example or line.startswith(">>>"):
            result.append(line)
            example = True
        elif (item := ITEM.match(line)) and item[1] not in SENTENCES:
            result += [f"``{item[1]}``", f"    {words(item[2])}"]
        else:
            result.append(words(line))
    return result


def words(text):
    """Return a line whose backquotes mean code, and whose stars nothing."""
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    return text.replace("*", r"\*").replace("|", r"\|")


def process(app, what, name, thing, options, lines):
    """Replace a docstring by what is shown of it."""
    lines[:] = shown(lines)


def leave_out(app, what, name, thing, skip, options):
    """Leave out the fields of tuples: the docstring of the class has them."""
    of = getattr(thing, "__doc__", "") or ""
    return True if of.startswith("Alias for field number") else None


def setup(app):
    """Have autodoc ask us for each docstring."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-skip-member", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
