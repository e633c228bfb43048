"""Who does not see, or has no mouse, can use the site."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from window import DESKTOP, PHONE, SCRIPTED, built_pages, open_page

# A formula becomes its TeX, which has the same place and is one piece; blocks
# far below are laid out at once, and what is shut is opened.
PREPARE = """
() => {
  for (const formula of document.querySelectorAll(".katex")) {
    formula.textContent = formula.querySelector("annotation").textContent;
  }
  document.querySelectorAll("details").forEach(e => { e.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(e =>
    e.classList.remove("toggle-hidden"));
  const style = document.createElement("style");
  style.textContent = "* { content-visibility: visible !important;"
    + " transition: none !important }";
  document.head.append(style);
}
"""
# Once its colours have been judged, code need not stand in pieces either.
PLAIN_CODE = """
() => {
  for (const code of document.querySelectorAll("pre")) {
    code.textContent = code.textContent;
  }
}
"""
# A box learns after the layout that it is too wide.
NEXT_FRAMES = """
() => new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(done)))
"""
# Contrast is a matter of colours and size, and slow to find out; so of all
# text that looks the same, on this page or another, one piece is asked. What
# axe asks beside contrast does not know colours; and of the article, which is
# the same in every width, only what depends on the layout is asked again.
AUDIT = """
async ({rules, contrast, layout, known = []}) => {
  const found = [];
  const run = async (where, options) => {
    const {violations} = await axe.run(where,
      {resultTypes: ["violations"], ...options});
    for (const {id, nodes} of violations) {
      found.push(`${id}: ${nodes[0].html.slice(0, 200)}`);
    }
  };
  const others = {rules: {"color-contrast": {enabled: false}}};
  if (rules) await run(document, others);
  if (layout) {
    await run({exclude: ["article > *"]}, others);
    await run(document, {runOnly: ["scrollable-region-focusable"]});
  }
  if (contrast) {
    const looks = new Map();
    const papers = new Map([[null, ""]]);
    const paper = e => {
      if (!papers.has(e)) {
        const own = getComputedStyle(e).backgroundColor;
        const clear = own === "rgba(0, 0, 0, 0)";
        papers.set(e, clear ? paper(e.parentElement) : own);
      }
      return papers.get(e);
    };
    const texts = document.createTreeWalker(document.body, 4);
    for (let text; (text = texts.nextNode());) {
      const e = text.parentElement;
      if (!text.data.trim() || e.tagName === "SCRIPT") continue;
      const {color, fontSize, fontWeight, opacity} = getComputedStyle(e);
      // Large text may be paler (WCAG 2: 18 points, or 14 and bold).
      const large = parseFloat(fontSize) >= (fontWeight < 700 ? 24 : 18.66);
      const look = [color, large, opacity, paper(e)].join();
      if (known.includes(look) || looks.has(look)) continue;
      if (e.checkVisibility({visibilityProperty: true})) looks.set(look, e);
    }
    const include = [...looks.values()];
    if (include.length) await run({include}, {runOnly: ["color-contrast"]});
    known = [...known, ...looks.keys()];
  }
  return [found, known];
}
"""
# Whether what has the focus is in sight and marked.
FOCUS = """
() => {
  const e = document.activeElement;
  if (e === document.body) return null;
  const {top, bottom, left, right} = e.getBoundingClientRect();
  const style = getComputedStyle(e);
  const ring = parseFloat(style.outlineWidth) > 0
    && style.outlineStyle !== "none";
  return {
    name: e.getAttribute("aria-label") ?? e.textContent.trim(),
    seen: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    marked: ring || style.boxShadow !== "none",
  };
}
"""


@pytest.fixture(scope="module")
def audited(browser):
    """Return a page for all audits, and a list of the looks they judged."""
    with open_page(browser) as page:
        yield page, []


# A page is audited by any worker that has time.
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=name, marks=pytest.mark.xdist_group(name))
        for name, path in built_pages().items()
    ],
)
def test_axe_finds_nothing(audited, path):
    """No violation, light, dark, or 360 pixels wide.

    The page is opened as a file, and asks no other host for anything.
    """
    page, known = audited
    page.faults.clear()
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.goto(path.as_uri())
    page.evaluate(SCRIPTED)
    assert page.faults == []
    page.evaluate(AXE_SCRIPT)
    page.evaluate(PREPARE)

    def audit(**what):
        found, known[:] = page.evaluate(AUDIT, what | {"known": known})
        return found

    assert audit(contrast=True) == [], "light"
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme='dark']")
    assert audit(contrast=True) == [], "dark"
    page.evaluate(PLAIN_CODE)
    assert audit(rules=True) == []
    page.set_viewport_size(PHONE)
    page.evaluate(NEXT_FRAMES)
    assert audit(layout=True) == [], "on a phone"


def test_axe_would_find_something(browser):
    """The test above sees faults of structure, of words and of colour."""
    with open_page(browser) as page:
        page.set_content(
            "<html lang=en><title>T</title><main><h1>One</h1><h3>Three</h3>"
            "<img src='data:,'><p style='color: #999'>pale</p></main>"
        )
        page.evaluate(AXE_SCRIPT)
        what = {"rules": True, "contrast": True}
        found, _ = page.evaluate(AUDIT, what)
    for rule in ("heading-order", "image-alt", "color-contrast"):
        assert any(fault.startswith(rule) for fault in found)


def test_keyboard_walk(browser, site):
    """The tab key visits all that can be pressed, in sight and marked."""
    with open_page(browser, viewport=DESKTOP) as page:
        page.goto((site / "index.html").as_uri())
        page.evaluate(SCRIPTED)
        stops = []
        page.keyboard.press("Tab")
        while (stop := page.evaluate(FOCUS)) and len(stops) < 200:
            if not stop["seen"]:
                page.wait_for_timeout(300)  # the skip link slides in
                stop = page.evaluate(FOCUS)
            stops.append(stop)
            page.keyboard.press("Tab")
        assert [s for s in stops if not (s["seen"] and s["marked"])] == []
        names = [stop["name"] for stop in stops]
        assert names[0] == "Skip to main content"
        assert len(stops) < 200  # there is no trap
        chapters = [name for name in names if name[:2] in ("1.", "9.")]
        assert len(chapters) == 2
        for name in ("Color mode", "The Scale of Attention"):
            assert name in names


def test_skip_link_and_keys(browser, site):
    """One key leads past the menus, another to the search and back."""
    with open_page(browser, viewport=DESKTOP) as page:
        page.goto((site / "index.html").as_uri())
        page.evaluate(SCRIPTED)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**#main-content")
        page.keyboard.press("Control+k")
        field = page.locator("dialog[open] input[type='search']")
        field.wait_for()
        assert field.evaluate("e => e === document.activeElement")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
        mode = page.get_by_role("button", name="Color mode")
        mode.focus()
        before = page.get_attribute("html", "data-mode")
        page.keyboard.press("Enter")
        assert page.get_attribute("html", "data-mode") != before
        assert page.faults == []


def test_menus_of_a_phone(browser, site):
    """Both menus open and shut by key; shut, they are out of the way."""
    with open_page(browser, viewport=PHONE) as page:
        page.goto((site / "notebooks/05-gradient-maximal-scale.html").as_uri())
        page.evaluate(SCRIPTED)
        for name, inside in [
            ("Contents of the book", "1. Why √d"),
            ("Contents of this page", "Exercises"),
        ]:
            link = page.locator("dialog").get_by_role("link", name=inside)
            page.get_by_role("button", name=name).focus()
            page.keyboard.press("Enter")
            link.first.wait_for()
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog[open]", state="detached")
