"""Bind the pages of the built book into one PDF.

    python tools/pdf.py

The articles of _build/html become one page, and a browser prints it. Sphinx
has a builder for one page, singlehtml, but it gives sections of the same name
the same anchor, so that links lead into another chapter, and sphinx-exercise
breaks it. Bound like this, paper has what the site has, down to the number
of every equation.
"""

import re
import sys
from html import escape
from pathlib import Path, PurePosixPath
from posixpath import normpath
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pikepdf
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

from browser import launch

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
STYLE = ROOT / "site" / "assets" / "pdf.css"
PDF = ROOT / "_build" / "pdf" / "the-scale-of-attention.pdf"
WIDTH = 657  # of the text in CSS pixels: A4 less the margins in book.css
SMALLEST = 0.75  # of the normal size, for what is wider than the text
ROMAN = ("I", "II", "III", "IV", "V", "VI")
LICENCES = "Text and figures: CC BY 4.0. Code: MIT."

STYLE_SHEET = re.compile(
    r'<link (?=[^>]*rel="stylesheet")[^>]*href="([^"]*)"[^>]*>'
)
ADDRESS = re.compile(r'(?<= )(id|href|src)="([^"]*)"')
# The anchors of a section, which stand before its title.
ANCHORS = re.compile(
    r'(<section\b[^>]*) id="([^"]*)">((?:\s*<span[^>]*></span>)*)\s*<(h[1-5])>'
)
HEADING = re.compile(r"<h([1-5])")
TITLE = re.compile(r'<h([12])[^>]* id="([^"]*)"[^>]*>(.*?)</h\1>', re.DOTALL)
LABEL = re.compile(r'<span id="[^"]*"></span>')
# Chromium prints no MathML. Screen readers and searches get the TeX instead.
MATHML = re.compile(
    r'<span class="katex-mathml">.*?<annotation[^>]*>(.*?)</annotation>'
    r".*?</math></span>",
    re.DOTALL,
)
HEADERLINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)

# Makes what is wider than the text smaller, or breaks it where that is not
# enough; returns what is wider still.
FIT = """
smallest => {
  const parts = "div.math > .equation, .pst-scrollable-table-container, pre";
  for (const box of document.querySelectorAll(parts)) {
    const normal = parseFloat(getComputedStyle(box).fontSize);
    const shrink = () => {
      let size = 1;
      while (box.scrollWidth > box.clientWidth + 1 && size > smallest) {
        size -= 0.02;
        box.style.fontSize = `${size * normal}px`;
      }
      return size > smallest;
    };
    if (!shrink()) {
      box.classList.add("broken");
      box.style.fontSize = "";
      shrink();
    }
  }
  const edge = document.body.getBoundingClientRect().right + 1;
  const all = document.querySelectorAll("body :not(.katex *, .tex)");
  return Array.from(all)
    .filter(part => part.getBoundingClientRect().right > edge
      || (part.matches(parts) && part.scrollWidth > part.clientWidth + 1))
    .map(part => `${part.tagName} ${part.textContent.trim().slice(0, 60)}`);
}
"""
NUMBER = """
numbers => document.querySelectorAll(".book-contents a").forEach(
  (link, i) => { link.lastElementChild.textContent = numbers[i]; })
"""
# Lets a short last section take the solution before it onto its page.
ACCOMPANY = """
targets => targets.forEach(target => {
  const section = document.getElementById(target).closest("section");
  const before = section.previousElementSibling?.lastElementChild;
  if (section.getBoundingClientRect().height < 200 && before)
    before.style.breakBefore = "page";
})
"""
TOP = 841  # points: where a link leads to when its title begins a page
PRINTS = 5


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


def styles(name, html, site):
    """Return the links of a page to its style sheets."""
    return [
        f'<link rel="stylesheet" href="{file(name, address, site)}">'
        for address in STYLE_SHEET.findall(html)
    ]


def article(name, html, names, site):
    """Return the article of a page, its anchors made the page's own."""

    def translate(match):
        kind, value = match.groups()
        if kind == "id":
            value = anchor(name, value)
        elif kind == "href":
            value = link(name, value, names)
        else:
            value = file(name, value, site)
        return f'{kind}="{value}"'

    _, _, text = html.partition('<article class="bd-article">')
    text, _, _ = text.rpartition("</article>")
    text = HEADERLINK.sub("", text)
    # A section can begin at the foot of the page before its title.
    text = ANCHORS.sub(r'\1><\4 id="\2">\3', text)
    text = MATHML.sub(r'<span class="tex">\1</span>', text)
    text = text.replace("<details", "<details open")
    # In a PDF a figure is what has words in its place: the picture alone.
    text = text.replace("<figure", '<figure role="group"')
    # A picture that the browser has yet to fetch is not printed.
    text = text.replace(' loading="lazy"', "")
    return ADDRESS.sub(translate, text)


def plain(html):
    """Return the text of a heading, where a formula is its TeX."""
    tree = BeautifulSoup(html, "html.parser")
    for formula in tree.select(".katex"):
        formula.replace_with(formula.select_one(".tex").get_text())
    return " ".join(tree.get_text().split())


def titles(text):
    """Return the titles of a page and of its sections."""
    return [
        Title(int(level), plain(html), LABEL.sub("", html), target)
        for level, target, html in TITLE.findall(text)
    ]


def parts(toc):
    """Yield the caption and the names of the pages of every part."""
    yield None, [toc["root"]]
    numerals = iter(ROMAN)
    for part in toc["parts"]:
        caption = part["caption"]
        if part.get("numbered"):
            caption = f"Part {next(numerals)}: {caption}"
        yield caption, [chapter["file"] for chapter in part["chapters"]]


def bind_part(caption, articles):
    """Yield the contents and the text of every page of a part."""
    for name, text in articles.items():
        contents, part = titles(text), ""
        if caption:
            # For screen readers, chapters stand below their part.
            text = HEADING.sub(
                lambda m: f'<h{m[1]} aria-level="{int(m[1]) + 1}"', text
            )
        if caption and name == next(iter(articles)):
            contents.insert(0, Title(0, caption, escape(caption), name))
            part = (
                '<p class="part" role="heading" aria-level="1">'
                f"{escape(caption)}</p>"
            )
        yield contents, f'<article class="bd-article" id="{name}">{part}{text}'


def bind(config, toc, pages, site):
    """Return the book as one page, and its contents."""
    contents, body, feet, sheets = [], [], [], {}
    for caption, names in parts(toc):
        articles = {n: article(n, pages[n], pages, site) for n in names}
        for name in names:
            sheets |= dict.fromkeys(styles(name, pages[name], site))
        for found, text in bind_part(caption, articles):
            contents += found
            foot = f"foot-{len(body)}"
            title = next(t.text for t in found if t.level == 1)
            title = title.replace('"', r"\"")
            feet.append(
                f'@page {foot} {{ @bottom-left {{ content: "{title}" }} }}'
            )
            body.append(f'<div style="page: {foot}">{text}</article></div>')
    title, author = escape(config["title"]), escape(config["author"])
    lines = "".join(
        f'<li class="level-{t.level}"><a href="#{t.target}">'
        f"<span>{t.html}</span><span></span></a></li>"
        for t in contents
    )
    html = f"""<!DOCTYPE html>
<html lang="{config["sphinx"]["config"]["language"]}" data-theme="light">
<head>
<meta charset="utf-8">
<title>{title}</title>
{"".join(sheets)}
<style>{STYLE.read_text("utf-8")}{"".join(feet)}</style>
</head>
<body class="bound">
<header>
<p class="title">{title}</p>
<p>{author}</p>
<p class="licence">© {config["copyright"]} {author}. {LICENCES}</p>
</header>
<nav class="book-contents"><h1>Contents</h1><ul>{lines}</ul></nav>
<main>{"".join(body)}</main>
</body>
</html>
"""
    check_links(html)
    return html, contents


def check_links(html):
    """Raise an error when a link leads nowhere, or to one of two places."""
    found = ADDRESS.findall(html)
    anchors = [value for kind, value in found if kind == "id"]
    if twice := {a for a in anchors if anchors.count(a) > 1}:
        raise BindingError(f"two places of one name: {sorted(twice)}")
    links = {v for kind, v in found if kind == "href" and v[0] == "#"}
    if broken := links - {"#" + a for a in anchors}:
        raise BindingError(f"links to nothing: {sorted(broken)}")


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
    page.emulate_media(media="print", color_scheme="light")
    page.goto(source.as_uri())
    page.evaluate("document.fonts.ready")
    if found := page.evaluate(FIT, SMALLEST):
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
        page.evaluate(NUMBER, found)
        page.evaluate(ACCOMPANY, alone(contents, on_top))
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
