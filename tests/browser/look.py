"""One look at a page of the book: that it fits, and what axe finds on it."""

from axe_playwright_python.base import AXE_SCRIPT
from pages import is_chapter
from window import DESKTOP, LAID, MISFITS, PHONE, SCRIPTED

WIDTHS = [1280, 768, 360, 320]
WIDE = {"width": 1440, "height": 900}
FORMULA_FONT = "Scale Math"
# Pages of one kind are looked at as one: others' sections stand in the first
# before any script has run.
JOINED = """
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector("article");
  for (const text of %s) {
    const page = new DOMParser().parseFromString(text, "text/html");
    article.append(...page.querySelector("article").children);
  }
});
"""
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
# Of what stands in the margin (verdicts, sources, and what is wide): what lies
# on something else, and what is cut.
IN_MARGIN = """
() => {
  document.querySelectorAll(".toggle-hidden").forEach(e =>
    e.classList.remove("toggle-hidden"));
  const article = document.querySelector("article");
  if (!article) return [];  // the page of the search
  const {paddingRight} = getComputedStyle(article);
  const edge = article.getBoundingClientRect().right;
  const column = edge - parseFloat(paddingRight);
  const things = [...document.querySelectorAll(
    ".source-note, .claim-badges, .explorable, .math > .equation,"
    + " .pst-scrollable-table-container, div.highlight, .output")]
    .map(e => [e, e.getBoundingClientRect()])
    .filter(([e, box]) => box.width && box.right > column + 1);
  const name = e => e.textContent.trim().slice(0, 40) || e.className;
  const met = [];
  things.forEach(([one, a], i) => things.slice(i + 1).forEach(([two, b]) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 1 && !one.contains(two)) {
      met.push([name(one), name(two)]);
    }
  }));
  const cut = things.filter(([, box]) => box.right > edge + 1)
    .map(([e]) => name(e));
  return [...met.map(pair => pair.join(" on ")), ...cut];
}
"""
# Sources stand in the margin or not at all.
NOTES = """
() => [...document.querySelectorAll(".source-note")]
  .some(note => note.checkVisibility())
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
    + " transition: none !important; animation: none !important }";
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
# What axe asks beside contrast does not know colours; and of the article,
# which is the same in every width, only what depends on the layout is asked
# again.
# A link in a text must differ by more than a colour: to weigh the colours too
# took axe half of its time.
# From a folder it may not load styles a second time by itself.
AUDIT = """
async what => {
  const found = [];
  const run = async (where, options) => {
    const {violations} = await axe.run(where,
      {resultTypes: ["violations"], preload: false, ...options});
    for (const {id, nodes} of violations) {
      found.push(`${id}: ${nodes[0].html.slice(0, 200)}`);
    }
  };
  const others = {
    rules: {"color-contrast": {enabled: false}},
    checks: {"link-in-text-block": {enabled: false}},
  };
  if (what === "rules") await run(document, others);
  else {
    await run({exclude: ["article > *"]}, others);
    await run(document, {runOnly: ["scrollable-region-focusable"]});
  }
  return found;
}
"""
# The contrast of all text to what is behind it (WCAG 2, 1.4.3). axe finds it
# out by where each piece of text lies, twenty times as slowly.
PALE = """
() => {
  const bytes = text => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    const unit = text.startsWith("color(") ? 255 : 1;
    return [r * unit, g * unit, b * unit, a];
  };
  const over = ([r, g, b, a], below) =>
    [r, g, b].map((value, i) => value * a + below[i] * (1 - a));
  const light = rgb => {
    const [r, g, b] = rgb.map(value => value / 255).map(value =>
      value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = new Map([[null, {paper: [255, 255, 255], shown: 1}]]);
  const ground = e => {
    if (!behind.has(e)) {
      const {paper, shown} = ground(e.parentElement);
      const style = getComputedStyle(e);
      behind.set(e, {
        paper: over(bytes(style.backgroundColor), paper),
        shown: shown * style.opacity,
      });
    }
    return behind.get(e);
  };
  const seen = new Set();
  const pale = [];
  const texts = document.createTreeWalker(document.body, 4);
  for (let text; (text = texts.nextNode());) {
    const e = text.parentElement;
    if (seen.has(e) || !text.data.trim() || e.closest("script, svg")) continue;
    seen.add(e);
    const {color, fontSize, fontWeight} = getComputedStyle(e);
    const {paper, shown} = ground(e);
    const [r, g, b, a] = bytes(color);
    const [dark, bright] = [light(over([r, g, b, a * shown], paper)),
      light(paper)].sort((one, other) => one - other);
    // Large text may be paler: 18 points, or 14 and bold.
    const large = parseFloat(fontSize) >= (fontWeight < 700 ? 24 : 18.66);
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast >= (large ? 3 : 4.5) || !shown) continue;
    if (!e.checkVisibility({visibilityProperty: true})) continue;
    pale.push(`color-contrast ${contrast.toFixed(2)}: `
      + e.outerHTML.slice(0, 200));
  }
  return pale;
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
    # What is not laid out yet is never too wide.
    page.wait_for_selector(LAID, state="attached")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        if misfits := page.evaluate(MISFITS):
            found.append(f"at {width} pixels it is too wide for {misfits}")
        if page.evaluate(NOTES):
            found.append(f"at {width} pixels sources stand in the text")
    page.set_viewport_size(WIDE)
    found += [f"in the margin: {what}" for what in page.evaluate(IN_MARGIN)]
    return found


def faults_of_page(page, name, path):
    """Return what is wrong on a page: what it says, its fit, and to axe.

    The page is opened as a file.
    """

    def all_of(setting, faults):
        return [f"{setting}: {fault}" for fault in faults]

    page.faults.clear()
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.goto(path.as_uri())
    page.evaluate(SCRIPTED)
    found = list(page.faults) + unfit(page, name)
    page.evaluate(AXE_SCRIPT)
    page.evaluate(PREPARE)
    found += all_of("light", page.evaluate(PALE))
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme='dark']")
    found += all_of("dark", page.evaluate(PALE))
    page.evaluate(PLAIN_CODE)
    found += all_of("any colours", page.evaluate(AUDIT, "rules"))
    page.set_viewport_size(PHONE)
    page.evaluate(NEXT_FRAMES)
    return found + all_of("on a phone", page.evaluate(AUDIT, "layout"))
