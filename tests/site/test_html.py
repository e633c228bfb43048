"""The built pages, read as files."""

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import lxml.html
import yaml

ROOT = Path(__file__).parents[2]
# What a browser fetches by itself; links that a reader follows are not here.
RESOURCES = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
NOT_FETCHED = {"canonical", "index", "license", "next", "prev", "search"}
HIDDEN = {"code", "pre", "script"}
RAW_TEX = re.compile(r"\$[^$\n]+\$|\\\(|\\\[|\\begin\{")
FILE_NAME = re.compile(r"^\S+\.(svg|png|jpe?g|webp|gif)$")


def parse(html):
    """Return the tree of a page."""
    return lxml.html.document_fromstring(html)


def foreign_resources(page):
    """Return the addresses on other hosts that a page makes one fetch."""
    addresses = [
        tag.get(RESOURCES[tag.tag])
        for tag in page.iter(*RESOURCES)
        if tag.get(RESOURCES[tag.tag])
        and not NOT_FETCHED & set(tag.get("rel", "").split())
    ]
    scripts = " ".join(page.xpath("//script/text()"))
    addresses += re.findall(r"https?://[^\s\"']+", scripts)
    return [a for a in addresses if urlsplit(a).netloc]


def foreign_in_css(css):
    """Return the addresses on other hosts that a style sheet names."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    named = re.findall(r"url\(\s*[\"']?([^\"')]+)", css)
    named += re.findall(r"@import\s+[\"']([^\"']+)", css)
    return [address for address in named if urlsplit(address).netloc]


def words(tag):
    """Return the text of a tag without formulas and code."""
    if not isinstance(tag.tag, str) or tag.tag in HIDDEN:
        return ""
    if "math" in tag.classes:
        return ""
    inside = (words(child) + (child.tail or "") for child in tag)
    return (tag.text or "") + "".join(inside)


def ids(page):
    """Return all anchors of a page, each as often as it occurs."""
    return page.xpath("//@id")


def broken_links(pages):
    """Return the links within the site that lead to nothing."""
    anchors = {path: set(ids(page)) for path, page in pages.items()}
    broken = []
    for path, page in pages.items():
        for address in page.xpath("//a/@href"):
            link = urlsplit(address)
            if link.scheme or link.netloc:
                continue
            target = (path.parent / unquote(link.path)).resolve()
            target = target if link.path else path
            known = anchors.get(target, set())
            if not target.exists() or (
                link.fragment and unquote(link.fragment) not in known
            ):
                broken.append((path.name, address))
    return broken


def test_every_page_of_the_contents_exists(site):
    """A chapter that the contents name is there to read."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    named = [c["file"] for part in toc["parts"] for c in part["chapters"]]
    missing = [
        name
        for name in [toc["root"], *named]
        if not (site / f"{name}.html").exists()
    ]
    assert missing == []


def test_nothing_comes_from_elsewhere(site, pages):
    """Pages and style sheets name no file on another host."""
    found = {p.name: foreign_resources(page) for p, page in pages.items()}
    for path in site.rglob("*.css"):
        found[path.name] = foreign_in_css(path.read_text(encoding="utf-8"))
    assert {name: urls for name, urls in found.items() if urls} == {}


def test_what_comes_from_elsewhere_would_be_seen():
    """The two searches above find what they are for."""
    page = parse(
        '<script src="//cdn.example/x.js"></script>'
        '<link rel="stylesheet" href="https://cdn.example/x.css">'
        '<img src="pictures/a.png"><a href="https://example.org">a link</a>'
        '<script>const thebe = "https://cdn.example/thebe.js";</script>'
    )
    assert sorted(foreign_resources(page)) == [
        "//cdn.example/x.js",
        "https://cdn.example/thebe.js",
        "https://cdn.example/x.css",
    ]
    css = "@import 'https://a.example/b.css'; i {background: url(//c.example)}"
    assert len(foreign_in_css(css)) == 2
    assert foreign_in_css("i {background: url(data:image/svg+xml,x)}") == []


def test_pictures_have_words_and_a_size(pages):
    """Each picture says what it shows, and keeps its place on the page."""
    for path, page in pages.items():
        for image in page.xpath("//article//img"):
            alt = image.get("alt", "").strip()
            assert alt, (path.name, image.get("src"))
            assert not FILE_NAME.match(alt), (path.name, alt)
            assert image.get("width") and image.get("height"), path.name


def test_no_item_of_a_list_runs_into_a_paragraph(pages):
    """As it does in a source after a formula that has ended the list."""
    run_in = {
        path.name: paragraph.text_content()
        for path, page in pages.items()
        for paragraph in page.xpath("//article//p")
        if re.search(r"\n\d\. [A-Z]", paragraph.text_content())
    }
    assert run_in == {}


def test_figures_have_captions(pages):
    """Each figure says what there is to see."""
    for path, page in pages.items():
        for figure in page.xpath("//article//figure"):
            captions = [words(c).strip() for c in figure.iter("figcaption")]
            assert captions and all(captions), (path.name, figure.get("id"))


def test_formulas_are_rendered(pages, chapters):
    """No TeX is left in the text, and every chapter has formulas."""
    for path, page in pages.items():
        for article in page.iter("article"):
            assert RAW_TEX.findall(words(article)) == [], path.name
    assert chapters
    for path in chapters:
        assert pages[path].xpath("//article//math"), path.name


def test_sources_stand_behind_their_citations(pages, chapters):
    """Once in a paragraph, with a link, and only for the eye."""
    notes = [n for p in chapters for n in pages[p].iter("small")]
    assert len(notes) > 100
    assert {note.get("class") for note in notes} == {"source-note"}
    for note in notes:
        assert note.get("aria-hidden") == "true"
        (link,) = note.iterfind("a")
        assert link.get("href").startswith(("https://", "../book/scorecard"))
        assert link.get("tabindex") == "-1"
        block = next(note.iterancestors("p", "li"))
        same = [n for n in block.iter("small") if words(n) == words(note)]
        assert len(same) == 1
    cited = "".join(words(note) for note in notes)
    assert "Hurley and Rickard, 2009, Comparing Measures" in cited
    assert "Henry et al., 2020, Query-Key Normalization for" in cited


def test_raw_formulas_would_be_seen():
    """The search for TeX finds it in text, and lets code and formulas be."""
    assert RAW_TEX.findall(words(parse("<p>so $x^2$ and \\(y\\)</p>")))
    quiet = "<p>5 $ <code>$x$</code> <b class='math'>\\(y\\)</b></p>"
    assert RAW_TEX.findall(words(parse(quiet))) == []


def test_a_page_knows_whether_it_has_a_list_of_contents(pages):
    """Before the list itself arrives, or the text would move for it."""
    for path, page in pages.items():
        wide = 'dataset.wide = ""' in path.read_text("utf-8")
        contents = page.xpath("//*[contains(@class, 'bd-sidebar-secondary')]")
        assert wide == (not contents), path


def test_links_lead_somewhere(pages):
    """Every link within the book finds its page and its anchor."""
    assert broken_links(pages) == []


def test_broken_links_would_be_seen(tmp_path):
    """The search for broken links finds a wrong page and a wrong anchor."""
    path = tmp_path / "page.html"
    html = (
        '<h1 id="top"><a href="#top"></a><a href="#no"></a>'
        '<a href="page.html#top"></a><a href="none.html"></a></h1>'
    )
    path.write_text(html)
    links = [href for _, href in broken_links({path: parse(html)})]
    assert links == ["#no", "none.html"]


def untold(claims, page):
    """Return the claims of articles that the errata owe and do not tell."""
    owed = {
        claim["id"]
        for claim in claims
        if claim["source"] != "own"
        and (
            claim["verdict"] in ("corrected", "refuted") or "article" in claim
        )
    }
    entries = page.xpath(
        "//*[starts-with(@id, 'errata-')][.//a[contains(@href, '#claim-')]]"
    )
    return owed - {
        entry.get("id").removeprefix("errata-") for entry in entries
    }


def test_errata_tell_what_was_changed(site, pages):
    claims = yaml.safe_load((ROOT / "book" / "claims.yml").read_text("utf-8"))
    assert untold(claims, pages[site / "book" / "errata.html"]) == set()


def test_what_the_errata_leave_out_would_be_seen():
    claims = [
        {"id": name, "source": source, "verdict": verdict}
        for name, source, verdict in [
            ("told", "000", "refuted"),
            ("left", "000", "corrected"),
            ("bare", "000", "corrected"),
            ("held", "000", "proved"),
            ("ours", "own", "corrected"),
        ]
    ]
    told = '<p id="errata-told"><a href="#claim-told">told</a></p>'
    assert untold(claims, parse(told + '<p id="errata-bare"></p>')) == {
        "left",
        "bare",
    }


def test_anchors_are_unique(pages):
    """No anchor occurs twice on a page."""
    for path, page in pages.items():
        twice = [name for name, n in Counter(ids(page)).items() if n > 1]
        assert twice == [], path.name


def test_heads_of_tables_have_words(pages):
    """A formula alone heads no column: not all hear it as text."""
    for path, page in pages.items():
        for head in page.xpath("//article//th"):
            assert words(head).strip(), (path.name, head.text_content())


LINKED = """//div[@id and (contains(@class, 'proof ')
  or contains(@class, 'exercise ') or @class = 'claim-card')]"""


def test_theorems_exercises_and_claims_link_to_themselves(pages):
    """A reader can copy the address of what he wants to send."""
    found = 0
    for path, tree in pages.items():
        for box in tree.xpath(LINKED):
            link = "./p[1]/a[contains(@class, 'headerlink')]/@href"
            if box[0].tag == "p":
                assert box.xpath(link)[-1:] == [f"#{box.get('id')}"], path
                found += 1
    assert found > 450


def test_a_claim_in_its_chapter_links_to_itself(pages):
    links = [
        link
        for tree in pages.values()
        for link in tree.xpath(
            "//p[contains(@class, 'claim-badge')]"
            "/a[contains(@class, 'headerlink')]/@href"
        )
    ]
    assert len(links) > 300
    assert all(link.startswith("#claim-") for link in links)
