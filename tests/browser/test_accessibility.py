"""Who does not see, or has no mouse, can use the site."""

import json

import pytest
from look import AUDIT, AXE_SCRIPT, JOINED, PALE, faults_of_page
from pages import built_pages, is_chapter
from window import DESKTOP, PHONE, SCRIPTED, open_page

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

SEEN = f"() => ({FOCUS})().seen"
FOCUSED = "e => e === document.activeElement"


CLAIMS = [name for name in built_pages() if name.startswith("book/claims/")]


@pytest.mark.parametrize(
    "name",
    [n for n in built_pages() if not is_chapter(n) and n not in CLAIMS],
)
def test_nothing_is_wrong(look, name):
    """It is quiet, fits, and axe finds nothing: light, dark, on a phone."""
    assert look(name) == []


def test_nothing_is_wrong_with_any_claim(browser):
    """The pages of claims, as one."""
    first, *others = (built_pages()[name] for name in CLAIMS)
    texts = json.dumps([path.read_text("utf-8") for path in others])
    with open_page(browser) as page:
        page.add_init_script(JOINED % texts)
        assert faults_of_page(page, CLAIMS[0], first) == []
        assert page.locator("h1").count() == len(CLAIMS) > 10


def test_axe_would_find_something(browser):
    """The test above sees faults of structure, of words and of colour."""
    with open_page(browser) as page:
        page.set_content(
            "<html lang=en><title>T</title><main><h1>One</h1><h3>Three</h3>"
            "<img src='data:,'><p>A link <a href='#' style='color: #00f;"
            " text-decoration: none'>in a text</a> of more words.</main>"
        )
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate(AUDIT, "rules")
    for rule in ("heading-order", "image-alt", "link-in-text-block"):
        assert any(fault.startswith(rule) for fault in found)


# Pieces of text on white, and whether they are too pale, as axe says.
SHADES = {
    "color: #777": True,  # 4.48 to 1
    "color: #767676": False,
    "color: #949494; font-size: 24px": False,
    "color: #959595; font-size: 24px": True,
    "color: #949494; font-size: 19px; font-weight: 700": False,
    "color: #fff; background: #767676": False,
    "color: #fff; background: rgb(0 0 0 / 50%)": True,
    "opacity: 0.5": True,
    "color: #777; visibility: hidden": False,
    "color: color-mix(in srgb, #000 50%, #fff)": True,
}


def test_pale_text_would_be_seen_and_axe_agrees(browser):
    """On the edge of what is readable, on other papers, and half clear."""
    with open_page(browser) as page:
        for style, pale in SHADES.items():
            page.set_content(
                "<html lang=en><title>T</title><body style='background: #fff'>"
                f"<main><h1>One</h1><p style='{style}'>text</p></main>"
            )
            page.evaluate(AXE_SCRIPT)
            axe = page.evaluate(
                "axe.run({runOnly: ['color-contrast']})"
                ".then(found => found.violations.length)"
            )
            assert len(page.evaluate(PALE)) == axe == pale, style


def test_keyboard_walk(browser, site):
    """The tab key visits all that can be pressed, in sight and marked."""
    with open_page(browser, viewport=DESKTOP) as page:
        page.goto((site / "index.html").as_uri())
        page.evaluate(SCRIPTED)
        stops = []
        page.keyboard.press("Tab")
        while (stop := page.evaluate(FOCUS)) and len(stops) < 200:
            if not stop["seen"]:
                page.wait_for_function(SEEN)  # the skip link slides in
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
        assert field.evaluate(FOCUSED)
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
        mode = page.get_by_role("button", name="Color mode")
        mode.focus()
        before = page.get_attribute("html", "data-mode")
        page.keyboard.press("Enter")
        assert page.get_attribute("html", "data-mode") != before
        assert mode.evaluate(FOCUSED)
        assert page.faults == []


def test_a_slash_searches_unless_it_is_written(browser, site):
    """In a field it is text, and other keys with it are the browser's."""
    with open_page(browser) as page:
        page.goto((site / "index.html").as_uri())
        page.evaluate(SCRIPTED)
        field = page.locator("dialog[open] input[type='search']")
        page.keyboard.press("Alt+/")
        assert not field.is_visible()
        page.keyboard.press("/")
        field.wait_for()
        page.keyboard.type("1/2")
        assert field.input_value() == "1/2"
        assert page.faults == []


def test_menus_of_a_phone(browser, site):
    """Menus and search open and shut by key, which is then where it was."""
    with open_page(browser, viewport=PHONE) as page:
        page.goto((site / "notebooks/05-gradient-maximal-scale.html").as_uri())
        page.evaluate(SCRIPTED)
        for name, inside in [
            ("Contents of the book", "1. Why √d"),
            ("Contents of this page", "Exercises"),
            ("Search", None),
        ]:
            dialog = page.locator("dialog[open]")
            button = page.get_by_role("button", name=name, exact=True)
            button.focus()
            page.keyboard.press("Enter")
            dialog.wait_for()
            if inside:
                dialog.get_by_role("link", name=inside).first.wait_for()
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog[open]", state="detached")
            assert button.evaluate(FOCUSED), name
