"""The built pages in a real browser, from a server and from a folder."""

import contextlib
from urllib.parse import urlsplit

import pytest

PHONE = {"width": 360, "height": 740}
WIDTHS = [1280, 768, 360]
# Everything that a reader reads; code is coloured, and a test of its own.
TEXT = (
    "article :is(h1, h2, h3, p, a, li, td, th, figcaption, pre),"
    " .claim-badge, [class^='verdict-'], .eqno, nav a"
)
CODE = "article pre span"
# The browser itself hides the details that a reader has not opened.
PARAGRAPHS = "p:not(details p, :empty)"

# The lowest contrast (WCAG 2) between the text of the elements that a
# selector finds and what is painted behind it.
LOWEST_CONTRAST = """
selector => {
  const context = document.createElement("canvas").getContext("2d");
  const known = new Map();
  const rgba = color => {
    if (!known.has(color)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      known.set(color, context.getImageData(0, 0, 1, 1).data);
    }
    return known.get(color);
  };
  const luminance = color => {
    const [r, g, b] = Array.from(rgba(color).slice(0, 3), value => {
      const c = value / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (rgba(color)[3] > 127) return color;
    }
    return "white";
  };
  const seen = Array.from(document.querySelectorAll(selector))
    .filter(e => e.checkVisibility({visibilityProperty: true})
      && e.textContent.trim());
  const contrasts = seen.map(e => {
    const pair = [getComputedStyle(e).color, behind(e)].map(luminance);
    const [dark, light] = pair.sort((a, b) => a - b);
    return [(light + 0.05) / (dark + 0.05), e.textContent.slice(0, 60)];
  });
  return contrasts.sort((a, b) => a[0] - b[0])[0] ?? [21, "no such text"];
}
"""
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"
# What holds the article, from inside out, and is too narrow for it.
MISFITS = """
() => {
  const narrow = [];
  const article = document.querySelector("article");
  for (let e = article; e; e = e.parentElement) {
    if (e.scrollWidth > e.clientWidth + 1) narrow.push(e.tagName);
  }
  return narrow;
}
"""
LOADED_FONTS = """
async () => {
  await document.fonts.ready;
  return Array.from(document.fonts)
    .filter(font => font.status === "loaded").map(font => font.family);
}
"""
PICTURE_WIDTHS = """
() => Promise.all(Array.from(document.querySelectorAll("article img"),
  async image => {
    image.loading = "eager";
    await image.decode().catch(() => null);
    return image.naturalWidth;
  }))
"""
# Equations that overflow without being in the tab order, or the reverse.
WRONG_TAB_STOPS = """
() => Array.from(document.querySelectorAll(".equation"))
  .filter(e => (e.scrollWidth > e.clientWidth + 1)
    !== e.hasAttribute("tabindex")).length
"""


@pytest.fixture(params=["http", "file"])
def addresses(request, site, pages, serve):
    """Return the addresses of all pages, from a server or a folder."""
    if request.param == "file":
        return [path.as_uri() for path in pages]
    root = serve(site)
    return [f"{root}/{path.relative_to(site).as_posix()}" for path in pages]


@contextlib.contextmanager
def open_page(browser, **options):
    """Open an empty page and list on it what goes wrong."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.faults = faults = []

    def check_request(request):
        host = urlsplit(request.url).hostname
        if host not in (None, "", "127.0.0.1"):
            faults.append(f"a request to {host}")

    def check_response(response):
        if response.status >= 400:
            faults.append(f"{response.status} for {response.url}")

    def check_console(message):
        if message.type == "error":
            faults.append(f"console: {message.text}")

    # Nothing but this computer answers, whatever a page asks for.
    context.route(
        lambda url: urlsplit(url).hostname not in (None, "", "127.0.0.1"),
        lambda route: route.abort(),
    )
    page.on("request", check_request)
    page.on("response", check_response)
    page.on("console", check_console)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield page
    context.close()


def faults_of(browser, addresses):
    """Return what goes wrong on pages, by their address."""
    found = {}
    with open_page(browser) as page:
        for address in addresses:
            page.faults.clear()
            page.goto(address)
            page.evaluate(LOADED_FONTS)
            if page.faults:
                found[address] = list(page.faults)
    return found


def test_pages_are_quiet(browser, addresses):
    """No page asks another host for anything, and none reports an error."""
    assert faults_of(browser, addresses) == {}


def test_loud_pages_would_be_heard(browser, tmp_path):
    """The test above hears requests, messages, errors and missing files."""
    path = tmp_path / "page.html"
    path.write_text(
        '<img src="https://cdn.example/x.png"><script>'
        'console.error("a message"); throw Error("an error")</script>'
    )
    (faults,) = faults_of(browser, [path.as_uri()]).values()
    heard = " ".join(faults)
    assert "a request to cdn.example" in heard
    assert "console: a message" in heard
    assert "error: an error" in heard


def test_pages_fit_the_window(browser, pages):
    """No page scrolls sideways, and nothing is cut."""
    with open_page(browser) as page:
        bad = {}
        for path in pages:
            page.goto(path.as_uri())
            page.evaluate(LOADED_FONTS)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 740})
                if faults := page.evaluate(MISFITS):
                    bad[path.name, width] = faults
        assert bad == {}


def test_a_misfit_would_be_seen(browser):
    """The test above sees what scrolls sideways and what is cut."""
    wide = "<article><p style='width: 400px'>too wide</p></article>"
    with open_page(browser, viewport=PHONE) as page:
        page.set_content(wide)
        assert "HTML" in page.evaluate(MISFITS)
        page.set_content(f"<main style='overflow: hidden'>{wide}</main>")
        assert page.evaluate(MISFITS) == ["ARTICLE", "MAIN"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible(browser, pages, scheme):
    """Light or dark as the reader's system, text stands out from paper."""
    with open_page(browser, color_scheme=scheme) as page:
        for path in pages:
            page.goto(path.as_uri())
            assert page.get_attribute("html", "data-theme") == scheme
            paper = page.evaluate(BACKGROUND)
            is_dark = int(paper.split("(")[1].split(",")[0]) < 64
            assert is_dark == (scheme == "dark"), (path.name, paper)
            for selector in (TEXT, CODE):
                contrast, text = page.evaluate(LOWEST_CONTRAST, selector)
                assert contrast >= 4.5, (path.name, text)
        page.set_content("<article><p style='color: #999'>pale</p></article>")
        assert page.evaluate(LOWEST_CONTRAST, TEXT)[0] < 3


def test_pages_need_no_scripts(browser, pages):
    """Without scripts, text, formulas and solutions are there to read."""
    # The harder case: the system is dark, and no script can tell the page.
    options = {"java_script_enabled": False, "color_scheme": "dark"}
    with open_page(browser, **options) as page:
        for path, tree in pages.items():
            if path.name == "search.html":
                continue
            page.goto(path.as_uri())
            article = page.locator("article")
            assert article.locator("h1").first.is_visible(), path.name
            for selector in (PARAGRAPHS, ".katex-html", ".solution .cell"):
                expected = len(tree.select(f"article {selector}"))
                found = article.locator(selector).filter(visible=True)
                assert found.count() == expected, (path.name, selector)


def test_a_chapter_shows_formulas_and_figures(browser, pages, chapters):
    """KaTeX's fonts and all pictures of a chapter really arrive."""
    with open_page(browser) as page:
        for path in chapters:
            page.goto(path.as_uri())
            assert "KaTeX_Main" in page.evaluate(LOADED_FONTS), path.name
            formula = page.locator("article .katex-html").first
            assert formula.bounding_box()["width"] > 5
            widths = page.evaluate(PICTURE_WIDTHS)
            assert len(widths) == len(pages[path].select("article img"))
            assert all(widths), path.name


def test_wide_equations_take_the_focus(browser, chapters):
    """Only equations that overflow are in the order of the tab key."""
    with open_page(browser, viewport=PHONE) as page:
        page.goto(chapters[0].as_uri())
        page.evaluate(LOADED_FONTS)
        # Those far below are laid out, and asked, a moment later.
        page.wait_for_function(f"({WRONG_TAB_STOPS})() === 0")
        box = page.locator(".equation").first
        box.evaluate("box => { box.style.flex = '0 0 10px'; }")
        page.wait_for_selector(".equation[tabindex='0'][aria-label]")


def test_formulas_are_copied_as_tex(browser, chapters):
    """Who copies a formula gets its TeX."""
    with open_page(browser) as page:
        page.goto(chapters[0].as_uri())
        copied = page.evaluate("""() => {
          const formula = document.querySelector("article .katex");
          getSelection().selectAllChildren(formula);
          const clipboardData = new DataTransfer();
          document.dispatchEvent(new ClipboardEvent("copy", {clipboardData}));
          const tex = formula.querySelector("annotation").textContent;
          return [clipboardData.getData("text/plain"), tex];
        }""")
        assert copied[0].strip("$") == copied[1]


def test_search_finds_a_chapter(browser, site, serve):
    """The search page works from a server and from a folder."""
    for root in (serve(site), site.as_uri()):
        with open_page(browser) as page:
            page.goto(f"{root}/search.html?q=variance")
            page.wait_for_selector("#search-results li a")
