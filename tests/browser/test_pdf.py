"""The book on paper: all of it is bound, a few pages are printed."""

import os
import re
import unicodedata
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pypdf
import pytest

import pdf

ROOT = Path(__file__).parents[2]
# The shortest chapter has all that others have, and more than it's long.
PRINTED = ["notebooks/05-gradient-maximal-scale", "book/references"]
FOOT = 62  # points: what is lower on a page is its number
FORMULA = (
    '<div class="math"><div class="equation" style="overflow: auto">'
    "<math><mi>{}</mi></math></div></div>"
)


@pytest.fixture(scope="module")
def book(site):
    """Return configuration, contents and pages of the book."""
    return pdf.read(ROOT, site)


@pytest.fixture(scope="module")
def bound(book, site):
    """Return the book as one page, and its contents."""
    return pdf.bind(*book, site)


def excerpt(config, toc, pages, chosen):
    """Return a book of the first page and the chosen ones."""
    chapters = [
        {
            **part,
            "chapters": [c for c in part["chapters"] if c["file"] in chosen],
        }
        for part in toc["parts"]
    ]
    toc = {**toc, "parts": [part for part in chapters if part["chapters"]]}
    chosen = [toc["root"], *chosen]
    others = "|".join(Path(n).name for n in pages.keys() - set(chosen))
    link = re.compile(rf'href="[^":]*(?:{others})\.html[^"]*"')
    elsewhere = 'href="https://example.org/"'
    return config, toc, {n: link.sub(elsewhere, pages[n]) for n in chosen}


@pytest.fixture(scope="module")
def few(book):
    """Return the book of a few pages."""
    return excerpt(*book, PRINTED)


class Printed(NamedTuple):
    """A PDF, the texts and the feet of its pages, and its contents."""

    reader: pypdf.PdfReader
    texts: list
    feet: list
    contents: list

    def page_of(self, bookmark):
        """Return the index of the page that a bookmark leads to."""
        return self.reader.get_destination_page_number(bookmark)


def read_text(page):
    """Return the text of a page without spaces, and the words at its foot."""
    words = []

    def visit(text, transformation, matrix, font, size):
        height = transformation[5] + matrix[5] * transformation[3]
        if height < FOOT and text.strip():
            words.append(text.strip())

    return squeezed(page.extract_text(visitor_text=visit)), words


@pytest.fixture(scope="module")
def printed(few, site, browser, tmp_path_factory):
    """Return the PDF of a few pages, read back."""
    path = tmp_path_factory.mktemp("pdf") / "book.pdf"
    pdf.make(browser, *few, site, path)
    assert os.listdir(path.parent) == ["book.pdf"]
    reader = pypdf.PdfReader(path)
    texts, feet = zip(*map(read_text, reader.pages), strict=True)
    return Printed(reader, texts, feet, pdf.bind(*few, site)[1])


def squeezed(text):
    """Return a text without spaces and ligatures, which are the font's."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def flat(outline, level=0):
    """Yield all bookmarks in order, with their level."""
    for item in outline:
        if isinstance(item, list):
            yield from flat(item, level + 1)
        else:
            yield level, item


def structure(node):
    """Yield the elements of the structure of a PDF, from a node on."""
    node = node.get_object()
    if isinstance(node, list):
        for child in node:
            yield from structure(child)
    elif isinstance(node, dict):
        if "/S" in node:
            yield node
        if "/K" in node:
            yield from structure(node["/K"])


def resources(holder, kind):
    """Yield the fonts or the like of a page, and of what is drawn on it."""
    own = holder.get("/Resources", {})
    for item in own.get(kind, {}).values():
        yield item.get_object()
    for form in own.get("/XObject", {}).values():
        yield from resources(form.get_object(), kind)


def is_embedded(font):
    """Tell whether a PDF brings the letters of a font."""
    if font["/Subtype"] == "/Type3":
        return bool(font["/CharProcs"])
    (descendant,) = font.get("/DescendantFonts", [font])
    descriptor = descendant.get_object().get("/FontDescriptor", {})
    return bool({"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor))


def test_the_whole_book_is_bound(book, bound):
    """Every page is there, with its titles, pictures and formulas."""
    _, toc, pages = book
    html, contents = bound
    assert re.findall(r'<article class="bd-article" id="(.*?)"', html) == [
        *pages
    ]
    texts = [page.partition("<article")[2] for page in pages.values()]
    texts = [text.rpartition("</article>")[0] for text in texts]
    for mark in ("<img ", '"math ', '"eqno"', 'class="solution', "<table"):
        expected = sum(text.count(mark) for text in texts)
        bound_here = html.partition("<main>")[2].count(mark)
        assert bound_here == expected > 10, mark
    levels = [title.level for title in contents]
    assert levels.count(0) == len(toc["parts"])
    assert levels.count(1) == len(pages)
    assert levels.count(2) == sum(text.count("<h2>") for text in texts)
    captions = [title.text for title in contents if title.level == 0]
    numbered = [part["caption"] for part in toc["parts"] if "numbered" in part]
    assert f"Part I: {numbered[0]}" in captions
    assert captions[0] == toc["parts"][0]["caption"]
    assert captions[-1] == toc["parts"][-1]["caption"]


def test_a_link_to_nothing_is_an_error(few, site):
    """Neither a lost page nor a lost anchor goes unseen."""
    config, toc, pages = few
    for address, name in [("lost.html", "index"), ("#lost", "index")]:
        spoilt = pages[name].replace(
            "</article>", f'<a href="{address}"></a></article>'
        )
        with pytest.raises(pdf.BindingError, match="lost"):
            pdf.bind(config, toc, {**pages, name: spoilt}, site)


def test_the_whole_book_fits_the_paper(bound, browser, tmp_path):
    """Nothing is wider than the text, once long equations are mended."""
    path = tmp_path / "book.html"
    path.write_text(bound[0], "utf-8")
    page = pdf.open_book(browser, path)
    assert page.evaluate("document.fonts.check('12px Scale Math')")
    assert page.evaluate(
        "Array.from(document.images).every(image => image.naturalWidth)"
    )
    page.close()


def test_what_does_not_fit_is_an_error(browser, tmp_path):
    """A formula that is a little too long shrinks; another is an error."""
    path = tmp_path / "book.html"
    path.write_text(FORMULA.format("x" * 80), "utf-8")
    pdf.open_book(browser, path).close()
    path.write_text(FORMULA.format("x" * 300), "utf-8")
    with pytest.raises(pdf.BindingError, match="DIV xxx"):
        pdf.open_book(browser, path)
    path.write_text("<p style='width: 700px'>A paragraph</p>", "utf-8")
    with pytest.raises(pdf.BindingError, match="P A paragraph"):
        pdf.open_book(browser, path)


def test_a_book_that_does_not_fit_leaves_nothing(few, site, browser, tmp_path):
    """Neither a PDF nor what it would have been made from."""
    config, toc, pages = few
    wide = '<p style="width: 700px">A paragraph</p></article>'
    spoilt = pages["index"].replace("</article>", wide)
    path = tmp_path / "pdf" / "book.pdf"
    with pytest.raises(pdf.BindingError, match="P A paragraph"):
        pdf.make(browser, config, toc, {**pages, "index": spoilt}, site, path)
    assert os.listdir(path.parent) == []


def test_bookmarks_lead_to_their_titles(printed):
    """Parts, chapters and sections are there, in order and nested."""
    expected, depth = [], 1
    for title in printed.contents:
        depth = 0 if title.level == 0 else depth  # the first has no part
        expected.append((title.level - depth, title.text))
    found = list(flat(printed.reader.outline))
    assert [(level, item.title) for level, item in found] == expected
    for _, item in found:
        text = printed.texts[printed.page_of(item)]
        assert squeezed(item.title) in text, item.title


def test_contents_name_the_pages(printed):
    """The numbers in the contents are those at the foot of the pages."""
    first = printed.page_of(printed.reader.outline[0])
    lines = ""
    for title, (_, item) in zip(
        printed.contents, flat(printed.reader.outline), strict=True
    ):
        number = printed.page_of(item) + 1 if title.level else ""
        lines += f"{squeezed(title.text)}{number}"
    assert lines in "".join(printed.texts[1:first])
    assert printed.feet[0] == []
    for number, words in enumerate(printed.feet[1:], start=2):
        assert str(number) in words
    assert "References" in printed.feet[-1]


def test_properties(printed):
    """The PDF says what it is, in which language, and opens its bookmarks."""
    reader = printed.reader
    assert reader.metadata.title == "The Scale of Attention"
    assert reader.metadata.author == "The authors of The Scale of Attention"
    assert reader.root_object["/Lang"] == "en"
    assert reader.root_object["/PageMode"] == "/UseOutlines"
    for page in reader.pages:
        size = [round(side * 25.4 / 72) for side in page.mediabox[2:]]
        assert size == [210, 297]


def test_screen_readers_can_read_it(printed):
    """It is tagged: titles have their level, pictures words, formulas TeX."""
    root = printed.reader.root_object
    assert root["/MarkInfo"]["/Marked"]
    elements = list(structure(root["/StructTreeRoot"]))
    kinds = [element["/S"] for element in elements]
    levels = [title.level for title in printed.contents]
    chapters = 1 + levels.index(0)  # what stands before the first part
    front = levels[: chapters - 1]
    titles = 1 + front.count(1) + levels.count(0)  # 1: of the contents
    assert kinds.count("/H1") == titles
    below = levels[chapters:].count(1) + front.count(2)
    assert kinds.count("/H2") == below
    assert {"/Table", "/TH", "/L", "/Link", "/Code"} < set(kinds)
    pictures = [e for e in elements if e["/S"] == "/Figure"]
    assert pictures
    assert all(len(picture["/Alt"]) > 40 for picture in pictures)
    assert any(r"\sqrt" in text for text in printed.texts)


def test_letters_and_pictures_are_sharp(printed):
    """All fonts are in the file, and no picture is made of pixels."""
    pages = printed.reader.pages
    fonts = [font for page in pages for font in resources(page, "/Font")]
    assert all(map(is_embedded, fonts))
    # that of formulas: Chromium keeps its outlines, and not its name
    assert any(font["/Subtype"] == "/Type3" for font in fonts)
    drawn = [item for page in pages for item in resources(page, "/XObject")]
    assert "/Image" not in {item["/Subtype"] for item in drawn}


def test_links_lead_somewhere(printed):
    """A link leads to a place in the book, or to the open web."""
    places = printed.reader.named_destinations
    notes = [
        note.get_object()
        for page in printed.reader.pages
        for note in page.get("/Annots", [])
    ]
    inside = [note["/Dest"] for note in notes if "/Dest" in note]
    outside = [note["/A"]["/URI"] for note in notes if "/A" in note]
    assert len(inside) > 30 and len(outside) > 30
    assert len(inside) + len(outside) == len(notes)
    assert set(inside) <= places.keys()
    for address in outside:
        url = urlsplit(address)
        assert url.scheme in ("http", "https")
        assert re.search(r"\.[a-z]+$", url.hostname)


def test_solutions_are_open(printed):
    """What the site hides until asked for is printed, and no button."""
    text = "".join(printed.texts)
    assert "SolutiontoExercise5.1" in text
    assert "figures.subplots(" in text  # only in cells that are shut
    assert "codecellsource" not in text
