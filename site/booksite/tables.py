"""Tables that can be read: numbers point under point, heads where they help.

HTML aligns a number at its end, not at its point. So in a column of numbers
each cell says how much narrower than the others it is behind the point, in
halves of a digit, and the style sheet keeps that room free (book.css).
"""

import re

NUMBER = re.compile(
    r"[+\-−]?(?P<whole>\d[\d,]*)"
    r"(?P<rest>(?:\.\d+)?(?:(?:\s×\s10)?[⁻⁰¹²³⁴-⁹]+)?"
    r"(?:\s±\s\d+(?:\.\d+)?)?(?:\s?[%×s])?)"
)
NOTHING = {"", "–", "—", "inf", "nan"}
# A power of ten, as Python writes it.
POWER = re.compile(r"(\d(?:\.\d+)?)e([+-])0*(\d+)")
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
HYPHEN = re.compile(r"^-(?=\d)")
SLASH = re.compile(r"/(?=\S)")
# What is not a digit, in halves of one.
WIDTHS = dict.fromkeys("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", 1) | {
    ".": 1,
    " ": 1,
    "\xa0": 1,
    "-": 1,
    "+": 3,
    "±": 3,
    "%": 3,
    "×": 3,
}


def width_of(text):
    """Return the width of text in halves of a digit, in the book's face."""
    return sum(WIDTHS.get(sign, 2) for sign in text)


def columns_of(table):
    """Yield the cells of each column: that of the head, and the others."""
    rows = [row.xpath("td|th") for row in table.xpath(".//tr")]
    if len({len(row) for row in rows}) == 1:
        for head, *cells in zip(*rows, strict=True):
            yield head, cells


def align(head, cells):
    """Align a column of numbers at their points; leave others as they are."""
    texts = [cell.text_content().strip() for cell in cells]
    found = [NUMBER.fullmatch(text) for text in texts]
    blank = [text in NOTHING for text in texts]
    if all(blank) or not all(map(max, map(bool, found), blank)):
        return
    behind = [width_of(number["rest"]) if number else 0 for number in found]
    head.set("class", "head text-right")
    for cell, number, width in zip(cells, found, behind, strict=True):
        cell.set("class", "text-right")
        if number and width < max(behind):
            cell.set("style", f"--after:{max(behind) - width}")
        for line in cell.iter("td", "p"):
            line.text = line.text and HYPHEN.sub("−", line.text.lstrip())


def written(power):
    """Return a power of ten as people write it: 10¹², 2.5 × 10⁻⁷."""
    digits, sign, exponent = power.groups()
    raised = "⁻" * (sign == "-") + exponent.translate(RAISED)
    return f"10{raised}" if digits == "1" else f"{digits} × 10{raised}"


def name_cells(table):
    """Tell cells the heads that a phone shows before them."""
    for head, cells in [*columns_of(table)][2:]:
        for cell in cells:
            if cell.text_content().strip() not in NOTHING:
                cell.set("data-head", head.text_content().strip())


def finish_tables(tree):
    """Align the numbers of all tables, and name the cells of the widest.

    In a head no line ends within 1/Σp² or α = 1.
    """
    for table in tree.iter("table"):
        for head in table.xpath(".//th//p"):
            if head.text:
                head.text = SLASH.sub("/\u2060", head.text)
                head.text = head.text.replace(" = ", "\u00a0=\u00a0")
        if "notation" in table.get("class", "").split():
            name_cells(table)
        for line in table.xpath(".//td[not(.//code)]//p | .//td[not(*)]"):
            line.text = line.text and POWER.sub(written, line.text)
        for head, cells in columns_of(table):
            align(head, cells)
