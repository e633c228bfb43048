"""Bind the pages of the built book into one PDF.

    python site/pdf.py

1. The article of each page of _build/html gets anchors that no other page
   has, and loses what only a screen needs (`article`).
2. A cover, the contents and all articles become one page (`bind`).
3. A browser opens it, and makes smaller what is too wide (`open_book`).
4. It prints the page again until the contents have the right numbers
   (`print_book`).
5. The PDF gets bookmarks and properties (`finish`).

Sphinx has a builder for one page, singlehtml, but it gives sections of the
same name the same anchor, so that links lead into another chapter, and
sphinx-exercise breaks it. Bound like this, paper has what the site has, down
to the number of every equation.
"""

import sys
from collections import Counter
from copy import deepcopy
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import lxml.html
import pikepdf
import yaml
from playwright.sync_api import sync_playwright

from bookkit.browser import launch

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
STYLE = ROOT / "site" / "assets" / "pdf.css"
SCRIPT = ROOT / "site" / "assets" / "pdf.js"
PDF = ROOT / "_build" / "pdf" / "the-scale-of-attention.pdf"
WIDTH = 657  # of the text in CSS pixels: A4 less the margins in book.css
SMALLEST = 0.75  # of the normal size, for what is wider than the text
ROMAN = ("I", "II", "III", "IV", "V", "VI")
LICENCES = "Text and figures: CC BY 4.0. Code: MIT."
HEADINGS = ("h1", "h2", "h3", "h4", "h5")
TOP = 841  # points: where a link leads to when its title begins a page
PRINTS = 5
PATIENCE = 120_000  # milliseconds for a whole book on a busy machine


class BindingError(Exception):
    """A book that cannot be bound, and why."""


class Title(NamedTuple):
    """A line of the contents: 0 for a part, 1 a chapter, 2 a section."""

    level: int
    text: str
    html: str
    target: str


def anchor(name, fragment):
    """Return the anchor, in the bound page, of one in a page of the site."""
    return f"{name}/{fragment}" if fragment else name


def link(name, address, names):
    """Return where a link of a page leads to in the bound page."""
    url = urlsplit(address)
    if url.scheme or url.netloc:
        return address
    page = name
    if url.path:
        path = PurePosixPath(name).parent / unquote(url.path)
        page = normpath(path).removesuffix(".html")
    if page not in names:
        raise BindingError(f"{name}: {address} is no page of the book")
    return "#" + anchor(page, unquote(url.fragment))


def file(name, address, site):
    """Return the address, for the bound page, of a file of the site."""
    path, _, query = address.partition("?")
    path = site / PurePosixPath(name).parent / unquote(path)
    return f"{path.resolve().as_uri()}?{query}"


def outer(element, with_tail=False):
    """Return an element as HTML."""
    return lxml.html.tostring(element, encoding="unicode", with_tail=with_tail)


def inner(element):
    """Return as HTML what is in an element."""
    children = (outer(child, with_tail=True) for child in element)
    return escape(element.text or "") + "".join(children)


def move_anchors(section):
    """Move the anchors of a section, if it has a title, into the title.

    A section can begin at the foot of the page before its title.
    """
    heading = next(section.iterchildren(HEADINGS), None)
    if heading is None:
        return
    heading.set("id", section.attrib.pop("id"))
    for label in list(heading.itersiblings("span", preceding=True)):
        label.tail, heading.text = heading.text, None
        heading.insert(0, label)


def article(name, page, names, site):
    """Return the article of a page as it goes into the bound page."""
    (tree,) = page.find_class("bd-article")
    for button in tree.find_class("headerlink"):
        button.drop_tree()
    # What folds at the end of a chapter is a section like any other.
    for fold in tree.find_class("further"):
        fold.find("summary").drop_tag()
        fold.drop_tag()
    for section in tree.iterfind(".//section[@id]"):
        move_anchors(section)
    for formula in tree.xpath(".//*[@data-tex]"):
        # In a PDF a formula is a heap of signs; screen readers and searches
        # get its TeX.
        for math in formula.iter("math"):
            math.set("aria-hidden", "true")
        tex = lxml.html.Element("span", {"class": "tex"})
        tex.text, formula.text = formula.attrib.pop("data-tex"), None
        formula.insert(0, tex)
    for details in tree.iter("details"):
        details.set("open", "")
    for figure in tree.iter("figure"):
        # In a PDF a figure is what has words in its place: the picture alone.
        figure.set("role", "group")
    for image in tree.iter("img"):
        # A picture that the browser has yet to fetch is not printed.
        image.attrib.pop("loading", None)
        image.set("src", file(name, image.get("src"), site))
    for element in tree.iterfind(".//*[@id]"):
        element.set("id", anchor(name, element.get("id")))
    for element in list(tree.iterfind(".//a[@download]")):
        # A file to download stays behind; its name is still in the text.
        element.drop_tag()
    for element in tree.iterfind(".//*[@href]"):
        element.set("href", link(name, element.get("href"), names))
    tree.set("id", name)
    return tree


def titles(tree):
    """Return the titles of a page and of its sections."""
    found = []
    for heading in tree.iter("h1", "h2"):
        shown = deepcopy(heading)
        for label in shown.xpath("span[@id]"):
            label.drop_tree()
        # In plain text, a formula is its TeX.
        text = shown.xpath(".//text()[not(ancestor::math)]")
        found.append(
            Title(
                int(heading.tag[1]),
                " ".join("".join(text).split()),
                inner(shown),
                heading.get("id"),
            )
        )
    return found


def names_of(chapter):
    """Yield the name of a chapter's page, and of those below it."""
    yield chapter["file"]
    for below in chapter.get("sections", []):
        for path in sorted(ROOT.glob(f"{below['glob']}.md")):
            yield path.relative_to(ROOT).with_suffix("").as_posix()


def parts(toc):
    """Yield the caption and the names of the pages of every part."""
    yield None, [toc["root"]]
    numerals = iter(ROMAN)
    for part in toc["parts"]:
        caption = part["caption"]
        if part.get("numbered"):
            caption = f"Part {next(numerals)}: {caption}"
        yield caption, [n for c in part["chapters"] for n in names_of(c)]


def bind(config, toc, pages, site):
    """Return the book as one page, and its contents."""
    contents, articles, feet, sheets = [], [], [], {}
    for caption, names in parts(toc):
        for name in names:
            page = lxml.html.document_fromstring(pages[name])
            for address in page.xpath("//link[@rel='stylesheet']/@href"):
                sheets[file(name, address, site)] = None
            tree = article(name, page, pages, site)
            found = titles(tree)
            (title,) = (title.text for title in found if title.level == 1)
            feet.append(title.replace('"', r"\""))
            if caption:
                put_into_part(tree)
            if caption and name == names[0]:
                contents.append(Title(0, caption, escape(caption), name))
                tree.insert(0, part_line(caption))
            contents += found
            articles.append(tree)
    check_links(articles, contents)
    return page_of(config, sheets, feet, contents, articles), contents


def put_into_part(tree):
    """Have screen readers put the titles of an article below its part's."""
    for heading in tree.iter(HEADINGS):
        heading.set("aria-level", str(int(heading.tag[1]) + 1))


def part_line(caption):
    """Return the title of a part, to stand before its first chapter's."""
    line = lxml.html.Element("p", {"class": "part", "role": "heading"})
    line.set("aria-level", "1")
    line.text = caption
    return line


def page_of(config, sheets, feet, contents, articles):
    """Return the bound page as HTML."""
    title, author = escape(config["title"]), escape(config["author"])
    links = "".join(
        f'<link rel="stylesheet" href="{address}">' for address in sheets
    )
    rules = "".join(
        f'@page foot-{i} {{ @bottom-left {{ content: "{foot}" }} }}'
        for i, foot in enumerate(feet)
    )
    lines = "".join(
        f'<li class="level-{t.level}"><a href="#{t.target}">'
        f"<span>{t.html}</span><span></span></a></li>"
        for t in contents
    )
    body = "".join(
        f'<div style="page: foot-{i}">{outer(tree)}</div>'
        for i, tree in enumerate(articles)
    )
    return f"""<!DOCTYPE html>
<html lang="{config["sphinx"]["config"]["language"]}" data-theme="light">
<head>
<meta charset="utf-8">
<title>{title}</title>
{links}
<style>{STYLE.read_text("utf-8")}{rules}</style>
</head>
<body class="bound">
<header>
<p class="title">{title}</p>
<p>{author}</p>
<p class="licence">© {config["copyright"]} {author}. {LICENCES}</p>
</header>
<nav class="book-contents"><h1>Contents</h1><ul>{lines}</ul></nav>
<main>{body}</main>
</body>
</html>
"""


def check_links(articles, contents):
    """Raise an error when a link leads nowhere, or to one of two places."""
    anchors = Counter(
        tag.get("id") for tree in articles for tag in tree.xpath(".|.//*[@id]")
    )
    if twice := sorted(a for a, count in anchors.items() if count > 1):
        raise BindingError(f"two places of one name: {twice}")
    links = {f"#{title.target}" for title in contents}
    for tree in articles:
        links.update(tree.xpath(".//@href[starts-with(., '#')]"))
    if broken := sorted(links - {f"#{a}" for a in anchors}):
        raise BindingError(f"links to nothing: {broken}")


def places(book):
    """Return where the links of a PDF lead to: page and point, by name."""
    return {
        unquote(name.removeprefix("/")): place
        for name, place in book.Root.Dests.items()
    }


def survey(path, contents):
    """Return the number of every title's page, and who begins a page."""
    with pikepdf.open(path) as book:
        numbers = {p.objgen: n for n, p in enumerate(book.pages, start=1)}
        named = places(book)
        found = [named[title.target] for title in contents]
        return (
            [numbers[place[0].objgen] for place in found],
            [place[3] >= TOP for place in found],
        )


def alone(contents, on_top):
    """Return the last sections of chapters that begin a page."""
    after = [title.level for title in contents[1:]] + [0]
    return [
        title.target
        for title, top, level in zip(contents, on_top, after, strict=True)
        if top and title.level == 2 and level < 2
    ]


def open_book(browser, source):
    """Open the bound page as it will be printed, everything in its width."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
    page.set_default_timeout(PATIENCE)
    page.emulate_media(media="print", color_scheme="light")
    page.goto(source.as_uri())
    page.evaluate("document.fonts.ready")
    page.add_script_tag(path=SCRIPT)
    if found := page.evaluate("fit", SMALLEST):
        raise BindingError("too wide for a page:\n" + "\n".join(found))
    return page


def print_book(browser, source, contents, path):
    """Print the bound page."""
    page = open_book(browser, source)
    found = None
    for _ in range(PRINTS):
        page.pdf(
            path=path,
            prefer_css_page_size=True,
            print_background=True,
            tagged=True,
        )
        # Only the print tells on which page a title is; the contents want it.
        before, (found, on_top) = found, survey(path, contents)
        if found == before:
            page.close()
            return
        page.evaluate("number", found)
        page.evaluate("accompany", alone(contents, on_top))
    raise BindingError("the numbers in the contents keep moving the pages")


def outline(contents, found):
    """Return the bookmarks, nested as parts, chapters and sections."""
    top, last = [], {}
    for title in contents:
        item = pikepdf.OutlineItem(title.text, found[title.target])
        above = [last[n] for n in range(title.level) if n in last]
        (above[-1].children if above else top).append(item)
        last = {n: i for n, i in last.items() if n < title.level}
        last[title.level] = item
    return top


def finish(printed, contents, config, path):
    """Write the PDF with bookmarks and properties, and less than half as big.

    The browser can write bookmarks, but loses the space where a title breaks.
    """
    with pikepdf.open(printed) as book:
        with book.open_outline() as bookmarks:
            bookmarks.root.extend(outline(contents, places(book)))
        book.Root.PageMode = pikepdf.Name.UseOutlines
        book.docinfo["/Author"] = config["author"]
        book.docinfo["/Creator"] = "Jupyter Book"
        with book.open_metadata(set_pikepdf_as_editor=False) as metadata:
            metadata.load_from_docinfo(book.docinfo)
        book.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def make(browser, config, toc, pages, site, path):
    """Make the PDF of the pages, which are given as HTML by their name."""
    html, contents = bind(config, toc, pages, site)
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as folder:
        source, printed = Path(folder, "book.html"), Path(folder, "print.pdf")
        source.write_text(html, "utf-8")
        print_book(browser, source, contents, printed)
        finish(printed, contents, config, path)


def read(root, site):
    """Return the book's configuration, contents and built pages."""
    config, toc = (
        yaml.safe_load((root / name).read_text("utf-8"))
        for name in ("_config.yml", "_toc.yml")
    )
    names = [name for _, names in parts(toc) for name in names]
    pages = {
        name: (site / f"{name}.html").read_text("utf-8") for name in names
    }
    return config, toc, pages


def main():
    """Bind and print the book."""
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright)
            make(browser, *read(ROOT, SITE), SITE, PDF)
            browser.close()
    except BindingError as error:
        sys.exit(f"error: {error}")
    print(f"The book is in {PDF.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
