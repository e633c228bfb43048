"""One look at a page of the book: that it fits, and what axe finds on it."""

from axe_playwright_python.base import AXE_SCRIPT
from window import DESKTOP, MISFITS, PHONE, SCRIPTED, is_chapter

WIDTHS = [1280, 768, 360]
FORMULA_FONT = "Scale Math"
LOADED_FONTS = """
async () => {
  await document.fonts.ready;
  return Array.from(document.fonts)
    .filter(font => font.status === "loaded")
    .map(font => font.family.replaceAll('"', ""));
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
# A formula becomes its TeX, which has the same place and is one piece; blocks
# far below are laid out at once, and what is shut is opened.
PREPARE = """
() => {
  for (const formula of document.querySelectorAll("[data-tex]")) {
    const [first, ...rest] = formula.querySelectorAll("math");
    rest.forEach(math => math.remove());
    first.replaceWith(formula.dataset.tex);
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


def unfit(page, name):
    """Return what a page lacks, and where it is cut or scrolls sideways."""
    found = []
    pictures = page.evaluate(PICTURE_WIDTHS)
    if not all(pictures):
        found.append("a picture has not arrived")
    if is_chapter(name) and not pictures:
        found.append("a chapter without a picture")
    if is_chapter(name) and FORMULA_FONT not in page.evaluate(LOADED_FONTS):
        found.append("a chapter without the font of formulas")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        if misfits := page.evaluate(MISFITS):
            found.append(f"at {width} pixels it is too wide for {misfits}")
    page.set_viewport_size(DESKTOP)
    return found


def faults_of_page(page, name, path, known):
    """Return what is wrong on a page: what it says, its fit, and to axe.

    The page is opened as a file. What is known are the looks of text that
    have been judged, on any page; those that are new are added.
    """

    def audit(setting, **what):
        found, known[:] = page.evaluate(AUDIT, what | {"known": known})
        return [f"{setting}: {fault}" for fault in found]

    page.faults.clear()
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.goto(path.as_uri())
    page.evaluate(SCRIPTED)
    found = list(page.faults) + unfit(page, name)
    page.evaluate(AXE_SCRIPT)
    page.evaluate(PREPARE)
    found += audit("light", contrast=True)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme='dark']")
    found += audit("dark", contrast=True)
    page.evaluate(PLAIN_CODE)
    found += audit("any colours", rules=True)
    page.set_viewport_size(PHONE)
    page.evaluate(NEXT_FRAMES)
    return found + audit("on a phone", layout=True)
