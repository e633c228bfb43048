"""Figures: labels that can be read on a phone, in light and dark."""

import re

from window import PHONE, open_page

from bookkit import figures

WIDTHS = """
() => Array.from(document.querySelectorAll("article figure img"))
  .map(image => image.clientWidth)
"""
# Matplotlib draws a letter in hundredths of the size of its font. A box is
# somewhat larger than the letters in it: their corners may meet.
FAULTS = """
([least, corner]) => {
  const edge = document.querySelector("svg").getBoundingClientRect();
  const faults = [];
  const seen = [];
  for (const label of document.querySelectorAll("g[id^=text_]")) {
    if (!label.querySelector("use")) continue;
    const name = Array.from(label.childNodes)
      .filter(node => node.nodeType === Node.COMMENT_NODE)
      .map(node => node.data.trim()).join(" / ");
    const {fill} = getComputedStyle(label.querySelector("use"));
    if (fill === "rgb(0, 0, 0)") faults.push(`${name} is black`);
    for (const line of label.querySelectorAll(":scope > g")) {
      const {a, b} = line.getScreenCTM();
      const high = 100 * Math.hypot(a, b);
      if (high < least) faults.push(`${name}: ${high.toFixed(1)} pixels`);
    }
    const box = label.getBoundingClientRect();
    if (box.left < edge.left || box.right > edge.right
        || box.top < edge.top || box.bottom > edge.bottom) {
      faults.push(`${name} is cut`);
    }
    for (const [other, it] of seen) {
      const wide = Math.min(box.right, it.right) - Math.max(box.left, it.left);
      const high = Math.min(box.bottom, it.bottom) - Math.max(box.top, it.top);
      if (Math.min(wide, high) > corner) faults.push(`${name} on ${other}`);
    }
    seen.push([name, box]);
  }
  return faults;
}
"""
CORNER = 3  # pixels
SIZE = re.compile(rb'width="[\d.]+pt" height="[\d.]+pt"')
LEAST = 11  # pixels


def faults_of(page, svg):
    """Return what cannot be read of a figure on a phone."""
    text = SIZE.sub(b'width="%d"' % PHONE["width"], svg, count=1)
    text = text[text.index(b"<svg") :].decode()
    page.set_content(f"<body style='margin: 0'>{text}</body>")
    return page.evaluate(FAULTS, [LEAST - 0.01, CORNER])


def test_figures_are_as_wide_as_a_phone(browser, chapters):
    """So the next test may look at them alone."""
    # Without scripts what moves is a picture, and solutions are open.
    still = {"viewport": PHONE, "java_script_enabled": False}
    with open_page(browser, **still) as page:
        page.goto(chapters[2].as_uri())
        assert {*page.evaluate(WIDTHS)} == {PHONE["width"]}


def test_labels_can_be_read_on_a_phone(browser, chapters, pages):
    """In all chapters: 11 pixels high, whole, apart, and in the ink."""
    images = {
        path.parent / image.get("src"): image.get("alt")
        for path in chapters
        for image in pages[path].iterfind(".//article//figure//img")
    }
    assert len(images) > 2 * len(chapters)
    with open_page(browser, viewport=PHONE) as page:
        found = {
            alt: faults
            for svg, alt in images.items()
            if (faults := faults_of(page, svg.read_bytes()))
        }
    assert found == {}


def test_what_cannot_be_read_would_be_found(browser):
    """Words that are small, black on either paper, cut, or on each other."""
    figure, ax = figures.subplots()
    for x, text, options in [
        (0.1, "small", {"size": 10}),
        (0.3, "black", {"color": "black"}),
        (0.5, "one", {}),
        (0.52, "other", {}),
        (1.02, "cut", {"in_layout": False}),
    ]:
        figures.label(ax, x, 0.5, text, **options)
    with open_page(browser, viewport=PHONE) as page:
        svg = figures.to_svg(figure).encode()
        assert faults_of(page, svg) == [
            "small: 10.0 pixels",
            "black is black",
            "other on one",
            "cut is cut",
        ]
