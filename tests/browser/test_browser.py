"""The built pages in a real browser, from a server and from a folder."""

import re
from urllib.parse import quote

import pytest
from look import IN_MARGIN, LOADED_FONTS, NEXT_FRAMES, WIDE
from pages import is_chapter
from window import DESKTOP, LAID, MISFITS, PHONE, SCRIPTED, open_page

# Of each kind one; all pages are looked at from a folder (look.py).
SERVED = [
    "index.html",
    "search.html",
    "book/scorecard.html",
    "notebooks/06-annealed-and-quenched.html",
]
# What a reader opens at the end of a chapter.
FURTHER = "details.further > summary"
# The browser itself hides the details that a reader has not opened.
PARAGRAPHS = "p:not(details:not(.further) p, :empty)"
# How many elements there are, and how many of them are in sight.
VISIBLE = """
selector => {
  const all = Array.from(document.querySelectorAll(selector));
  const seen = e => e.checkVisibility({visibilityProperty: true});
  return [all.length, all.filter(seen).length];
}
"""
# As with a browser whose reader allows no cookies.
NO_STORAGE = """
Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("access denied", "SecurityError"); },
});
"""
# Names in the code of tables, and those that stand on two lines.
CODE_NAMES = """
document.querySelectorAll("article table code").length
"""
BROKEN_NAMES = """
() => {
  const broken = [];
  for (const code of document.querySelectorAll("article table code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text; (text = texts.nextNode());) {
      for (const {0: name, index} of text.data.matchAll(/\\w+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + name.length);
        const lines = Array.from(range.getClientRects(), box => box.top);
        if (new Set(lines).size > 1) broken.push(name);
      }
    }
  }
  return broken;
}
"""
MOVING = """
() => Array.from(document.querySelectorAll("*")).filter(e => {
  const {animationName, transitionDuration} = getComputedStyle(e);
  return animationName !== "none" || /[1-9]/.test(transitionDuration);
}).map(e => e.outerHTML.slice(0, 100))
"""
# Equations that overflow without being in the tab order, or the reverse.
WRONG_TAB_STOPS = """
() => Array.from(document.querySelectorAll(".equation"))
  .filter(e => !e.closest("details:not([open])"))
  .filter(e => (e.scrollWidth > e.clientWidth + 1)
    !== e.hasAttribute("tabindex")).length
"""


def faults_of(browser, addresses):
    """Return what goes wrong on pages, by their address."""
    found = {}
    with open_page(browser) as page:
        for address in addresses:
            page.faults.clear()
            page.goto(address)
            page.evaluate(SCRIPTED)
            if page.faults:
                found[address] = list(page.faults)
    return found


def test_pages_are_quiet_on_a_server(browser, site, serve):
    """No page asks another host for anything, and none reports an error."""
    root = serve(site)
    assert faults_of(browser, [f"{root}/{name}" for name in SERVED]) == {}


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


def test_a_misfit_would_be_seen(browser):
    """The test above sees what scrolls sideways and what is cut."""
    wide = "<article><p style='width: 400px'>too wide</p></article>"
    with open_page(browser, viewport=PHONE) as page:
        page.set_content(wide)
        assert "HTML" in page.evaluate(MISFITS)
        page.set_content(f"<main style='overflow: hidden'>{wide}</main>")
        assert page.evaluate(MISFITS) == ["ARTICLE", "MAIN"]


def test_pages_need_no_scripts(browser, site):
    """Without scripts, text, formulas and solutions are there to read."""
    # The harder case: the system is dark, and no script can tell the page.
    options = {"java_script_enabled": False, "color_scheme": "dark"}
    with open_page(browser, **options) as page:
        for name in filter("search.html".__ne__, SERVED):
            page.goto(f"{site.as_uri()}/{name}")
            # what folds opens without a script too; by keyboard, as a font
            # that comes late may move the line from under the mouse
            for summary in page.locator(FURTHER).all():
                summary.press("Enter")
            formulas = "math:not(details:not(.further) *)"
            for part in ("h1", PARAGRAPHS, formulas, ".solution .cell"):
                count, seen = page.evaluate(VISIBLE, f"article {part}")
                assert seen == count, (name, part)
                assert count or not is_chapter(name), (name, part)


def test_pages_need_no_storage(browser, site):
    """A browser that stores nothing runs all scripts, and hears no error."""
    with open_page(browser, color_scheme="dark") as page:
        page.add_init_script(NO_STORAGE)
        page.goto(f"{site.as_uri()}/notebooks/03-softmax-jacobian.html")
        page.evaluate(SCRIPTED)
        page.wait_for_selector(".explorable dd")
        assert page.locator("html").get_attribute("data-theme") == "dark"
        page.locator(".theme-switch-button").first.click()
        assert page.locator("html").get_attribute("data-theme") == "light"
        assert page.faults == []


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
    """Who copies a formula gets its TeX, and the full stop behind it."""
    with open_page(browser) as page:
        page.goto(chapters[0].as_uri())
        page.evaluate(SCRIPTED)
        for place in ["article [data-tex]", "article [data-tex]:has(.held)"]:
            formula = page.locator(place).first
            copied = formula.evaluate("""formula => {
              getSelection().selectAllChildren(formula);
              const clipboardData = new DataTransfer();
              document.dispatchEvent(
                new ClipboardEvent("copy", {clipboardData}));
              return clipboardData.getData("text/plain");
            }""")
            _, tex, behind = copied.split("$")
            assert tex == formula.get_attribute("data-tex")
            assert bool(behind) == ("held" in place)


def test_search_leads_to_the_place(browser, site, serve):
    """From a server and from a folder, by words, numbers and signs."""
    chapter_6 = "notebooks/06-annealed-and-quenched.html"
    with open_page(browser) as page:
        for root, question, found in [
            (serve(site), "theorem 6.2", f"{chapter_6}#thm-freezing"),
            (site.as_uri(), "freezing", f"{chapter_6}#thm-freezing"),
            (site.as_uri(), "dead rows", "book/glossary.html#term-Dead-row"),
            (site.as_uri(), "LongRoPE", "08-entropy-invariance.html#which-do"),
            (site.as_uri(), "softcap", "10-added-to-the-scores.html#a-cap"),
            (site.as_uri(), "α_c", f"{chapter_6}#"),
            (site.as_uri(), "⟨s⟩", "notebooks/04-temperature.html#"),
        ]:
            page.goto(f"{root}/search.html?q={quote(question)}")
            page.locator(f".found-places a[href*='{found}']").first.wait_for()
            if question == "softcap":
                best = page.locator(".found-places a").first
                assert found in best.get_attribute("href")
            marks = page.locator("mark").all_inner_texts()
            assert marks or question == "theorem 6.2"
        # as one writes; each place is where its link leads
        page.get_by_role("searchbox").first.fill("theorem 6.2")
        page.locator(".found-places a").first.click()
        page.wait_for_url("**#thm-freezing")
        theorem = page.locator("#thm-freezing")
        page.wait_for_selector(LAID)
        assert theorem.bounding_box()["y"] < 740
        assert page.faults == []


def test_what_lies_in_the_margin_would_be_seen(browser):
    """Two notes on each other, and one that is cut by the screen."""
    box = "position: absolute; width: 9em; height: 4em; top: {}px; left: {}px"
    html = '<article style="padding-right: 8em">' + "".join(
        f'<small class="source-note" style="{box.format(y, x)}">{y}</small>'
        for y, x in [(10, 1300), (40, 1300), (300, 1400)]
    )
    with open_page(browser, viewport=WIDE) as page:
        page.set_content(html)
        assert page.evaluate(IN_MARGIN) == ["10 on 40", "300"]


def test_what_moves_comes_when_it_is_near(browser, chapters):
    """Its script waits until the reader is three screens away from it."""
    low = {"width": 1280, "height": 400}
    with open_page(browser, viewport=low) as page:
        page.goto(chapters[8].as_uri())
        page.evaluate("window.scripted")
        page.wait_for_selector(LAID, state="attached")
        moves = "Boolean(customElements.get('share-number'))"
        assert not page.evaluate(moves)
        page.locator("share-number").scroll_into_view_if_needed()
        page.wait_for_selector(".explorable dd")
        assert page.evaluate(moves) and page.faults == []


def test_a_link_into_the_end_of_a_chapter_opens_it(browser, chapters):
    """Without a script; and on paper all of it stands there."""
    with open_page(browser, java_script_enabled=False) as page:
        page.goto(chapters[2].as_uri())
        exercise = page.locator("#ex-two-keys")
        assert not exercise.is_visible()
        page.emulate_media(media="print")
        assert exercise.is_visible()
        page.emulate_media(media="screen")
        page.goto(f"{chapters[2].as_uri()}#ex-two-keys")
        exercise.wait_for()


MARKED = ".page-toc a[aria-current]"


def test_the_list_of_contents_follows_the_reader(browser, chapters):
    """From where a link leads to, and on; its mark is in sight."""
    with open_page(browser, viewport={"width": 1280, "height": 500}) as page:
        page.goto(f"{chapters[5].as_uri()}#thm-freezing")
        page.evaluate(SCRIPTED)
        page.wait_for_selector(LAID, state="attached")
        marked = page.locator(MARKED)
        marked.get_by_text("The mean gradient has no maximum").wait_for()
        page.locator(FURTHER).click()
        page.locator("#heavy-tails").evaluate("e => e.scrollIntoView()")
        marked.get_by_text("Heavy tails").wait_for()
        box = marked.bounding_box()
        assert 0 <= box["y"] < 500 - box["height"]
        # The list is a dialog on a phone.
        page.set_viewport_size(PHONE)
        page.locator("#heavy-tails").evaluate("e => e.scrollIntoView()")
        page.evaluate(NEXT_FRAMES)
        page.locator("#heavy-tails").evaluate("e => e.scrollIntoView()")
        page.evaluate(NEXT_FRAMES)  # in which the mark follows
        page.mouse.click(PHONE["width"] - 28, 28)
        in_sight = page.locator("dialog[open] a[aria-current]:focus")
        in_sight.get_by_text("Heavy tails").wait_for()
        assert 0 < in_sight.bounding_box()["y"] < PHONE["height"]
        page.keyboard.press("Escape")
        page.evaluate("scrollTo(0, 0)")
        marked.wait_for(state="detached")
        assert page.faults == []


def test_search_does_not_find_everything(browser, site):
    """A word that the book does not have gives no place."""
    with open_page(browser) as page:
        page.goto(f"{site.as_uri()}/search.html?q=zeppelin")
        page.get_by_text("No place in the book").wait_for()
        assert page.locator(".found-places li").count() == 0


def test_names_in_tables_stay_whole(browser, site):
    """Code in a table ends a line between two names, not within one."""
    with open_page(browser, viewport=PHONE) as page:
        page.goto((site / "book" / "notation.html").as_uri())
        page.wait_for_selector(LAID)
        assert page.evaluate(CODE_NAMES) > 50
        assert page.evaluate(BROKEN_NAMES) == []


def test_a_chapter_on_paper_and_its_buttons(browser, chapters):
    """The title keeps its number; each copy button has a name of its own."""
    with open_page(browser) as page:
        page.goto(chapters[3].as_uri())
        page.evaluate(SCRIPTED)
        page.locator(FURTHER).click()
        buttons = page.locator("button.copybtn")
        names = buttons.evaluate_all("all => all.map(e => e.ariaLabel)")
        assert len(names) > 20 and len({*names}) == len(names)
        shown = page.get_by_role("button", name="Show solution to Exercise 4.")
        names = shown.evaluate_all("all => all.map(e => e.ariaLabel)")
        assert len(names) >= 5 and len({*names}) == len(names)
        # Not even a page that may not ask for the clipboard says no.
        page.evaluate("delete Navigator.prototype.clipboard")
        buttons.nth(2).dispatch_event("click")
        page.wait_for_selector(".copybtn.success", state="attached")
        code = page.locator("div.highlight pre").nth(2)
        copied = page.evaluate("String(getSelection())")
        assert copied.strip() == code.inner_text().strip()
        page.emulate_media(media="print")
        (title,) = page.locator("h1:visible").all_inner_texts()
        assert title.startswith("4. The scale is a temperature")


CUT = """
() => [...document.querySelectorAll(
  ".equation, .pst-scrollable-table-container, pre")]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => box.textContent)
"""


@pytest.mark.parametrize("number", [1, 10])
def test_paper_cuts_nothing(browser, chapters, number):
    """On A4 with its margins the longest formulas of all break."""
    paper = {"width": 658, "height": 900}  # 174 mm
    with open_page(browser, viewport=paper) as page:
        page.goto(chapters[number - 1].as_uri())
        page.evaluate(SCRIPTED)
        page.emulate_media(media="print")
        assert page.evaluate(CUT) == []
        # No line of the longest would fit: it has several.
        high = "all => Math.max(...all.map(e => e.clientHeight))"
        assert page.locator(".equation").evaluate_all(high) > 60


def test_nothing_moves_for_who_wants_no_motion(browser, chapters):
    """Where the system asks for it, no part fades or slides."""
    with open_page(browser, reduced_motion="reduce") as page:
        page.goto(chapters[2].as_uri())
        page.evaluate(SCRIPTED)
        page.wait_for_selector(".explorable dd", state="attached")
        assert page.evaluate(MOVING) == []


LIGHT_ON_PAPER = """
() => addEventListener("beforeprint", () => {
  const {color} = getComputedStyle(document.querySelector("article p"));
  window.printed = [document.documentElement.dataset.theme, color];
})
"""


def test_paper_is_white_for_who_reads_in_the_dark(browser, site):
    """And afterwards the screen is dark again."""
    with open_page(browser, color_scheme="dark") as page:
        page.goto((site / "book/glossary.html").as_uri())
        page.evaluate(SCRIPTED)
        page.evaluate(LIGHT_ON_PAPER)
        page.pdf()
        theme, color = page.evaluate("window.printed")
        assert theme == "light"
        assert max(map(int, re.findall(r"\d+", color))) < 128
        page.wait_for_selector("html[data-theme='dark']")


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_a_title_is_there_before_the_styles(browser, site, chapters, size):
    """Alone, and it begins where it will when they have come."""
    styles = []

    def wait(route):
        styles.append(route)

    for path in site / "index.html", chapters[0]:
        with open_page(browser, viewport=size) as page:
            page.route("**/*.css*", wait)
            page.goto(path.as_uri(), wait_until="commit")
            title = page.locator("article h1")
            title.wait_for()
            before = title.bounding_box()
            seen = page.locator("body").inner_text()
            assert seen.strip() == title.inner_text()
            while styles:
                styles.pop().continue_()
            page.evaluate(SCRIPTED)
            after = title.bounding_box()
            assert after["x"] == pytest.approx(before["x"], abs=1)
            assert after["y"] == pytest.approx(before["y"], abs=1)


SHIFTS = """
window.shifted = 0;
new PerformanceObserver(list => {
  for (const shift of list.getEntries()) window.shifted += shift.value;
}).observe({type: "layout-shift", buffered: true});
"""


def test_nothing_jumps_while_a_page_arrives(browser, site, chapters):
    """The text stays where it was first seen, on the second visit too."""
    pages = [site / "index.html", chapters[5]]
    with open_page(browser) as page:
        page.add_init_script(SHIFTS)
        for path in 2 * pages:
            page.goto(path.as_uri())
            page.evaluate(SCRIPTED)
            page.wait_for_selector(LAID, state="attached")
            # Lighthouse calls 0.1 good; a line of text that moves is 0.01.
            assert page.evaluate("window.shifted") < 0.01, path
