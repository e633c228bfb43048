"""The explorables in a real browser: by mouse, touch, keys and address."""

import numpy as np
import pytest
from bs4 import BeautifulSoup
from window import DESKTOP, MISFITS, PHONE, readings, swipe

from attention_scale import entropy, softmax

SOFTMAX = "notebooks/03-softmax-jacobian.html"
ELEMENT = "softmax-jacobian"
# How far the point lies from the curve, in pixels.
POINT_OFF_CURVE = """
svg => {
  const point = svg.querySelector("circle.role-theory");
  const [x, y] = ["cx", "cy"].map(name => Number(point.getAttribute(name)));
  const line = svg.querySelector("polyline.role-theory").points;
  return Math.min(...Array.from(line, p => Math.hypot(p.x - x, p.y - y)));
}
"""
WIDTHS = """
sliders => sliders.map(e => e.getBoundingClientRect().width).filter(Boolean)
"""


def softmax_readings(scores, scale):
    """Return what the library says, as the explorable shows it."""
    p = softmax.softmax(scores, scale)
    best, second = sorted(scores, reverse=True)[:2]
    collision = entropy.collision(p)
    most = np.log(len(scores))
    return {
        "gradient norm ½‖J‖₁": f"{softmax.gradient_norm(p, scale):.3f}",
        "gap of the best, αΔ": f"{scale * (best - second):.3f}",
        "largest weight": f"{p.max():.3f}",
        f"entropy, of log n = {most:.3f} nats": f"{entropy.shannon(p):.3f}",
        "Σp²": f"{collision:.3f}",
        "effective keys, 1/Σp²": f"{1 / collision:.2f}",
    }


@pytest.fixture
def softmax_page(site, open_explorable):
    """Open chapter 3 from its folder, as chapter 4 links to it."""
    html = (site / "notebooks/04-temperature.html").read_bytes()
    page = BeautifulSoup(html, "html.parser")
    link = page.select_one("article a[href*='#explore-softmax']")["href"]
    address = f"{site.as_uri()}/notebooks/{link}"
    return open_explorable(address, viewport=DESKTOP)


def test_softmax_shows_what_the_address_says(softmax_page):
    """The setting of a link is shown, changed by keys, and written again."""
    page, scores = softmax_page, np.random.default_rng(5).standard_normal(12)
    scores = scores.round(1)
    shown = page.locator(ELEMENT)
    assert readings(page, ELEMENT) == softmax_readings(scores, 1)
    matrix = softmax.jacobian(softmax.softmax(scores))
    cells = shown.locator("td[aria-label]")
    found = cells.evaluate_all("cells => cells.map(c => c.ariaLabel)")
    found = np.array([float(text.replace("−", "-")) for text in found])
    # two decimals are shown
    np.testing.assert_allclose(found, matrix.ravel(), atol=0.005 + 1e-9)

    # The curve stands at hundredths of a decade; the link promises a maximum.
    norms = []
    shown.get_by_label("scale α").focus()
    for alpha in [1.1, 1.3, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 2.8]:
        page.keyboard.press("ArrowRight")
        read = readings(page, ELEMENT)
        assert read == softmax_readings(scores, alpha)
        norms.append(float(read["gradient norm ½‖J‖₁"]))
        assert shown.locator("svg").evaluate(POINT_OFF_CURVE) < 2
    assert np.argmax(norms) == 7

    key = shown.get_by_label("score of key 2", exact=True)
    key.focus()
    page.keyboard.press("ArrowUp")
    scores[1] += 0.1
    assert readings(page, ELEMENT) == softmax_readings(scores, 2.8)
    assert key.get_attribute("aria-valuetext").startswith("−1.2, weight 0.0")
    page.wait_for_url("**/*scores=-0.8+-1.2*")
    assert shown.get_by_role("link").get_attribute("href") == page.url
    assert "scores=-0.8+-1.2+-0.2+" in page.url
    assert "2.8" in shown.locator("p[role=status]").inner_text()

    shown.locator("td[tabindex='0']").focus()  # row 2, column 1
    page.keyboard.press("ArrowRight")
    assert "weight 2 rises" in shown.locator(".softmax-entry").inner_text()

    shown.get_by_role("button", name="Reset").click()
    start = [1, 0.5, 0.2, 0, -0.3, -0.6]
    assert readings(page, ELEMENT) == softmax_readings(start, 1)
    page.wait_for_url(f"**/{SOFTMAX}")
    assert page.faults == []


def test_softmax_by_mouse(softmax_page):
    """A score follows the mouse; a preset sets them all."""
    page = softmax_page
    shown = page.locator(ELEMENT)
    shown.get_by_role("button", name="Reset").click()
    key = shown.get_by_label("score of key 1", exact=True)
    key.scroll_into_view_if_needed()
    box = key.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + box["width"], y, steps=4)
    page.mouse.up()
    assert key.input_value() == "3"
    assert readings(page, ELEMENT)["gap of the best, αΔ"] == "2.500"
    shown.get_by_role("button", name="Two tied").click()
    assert key.input_value() == "1"
    assert readings(page, ELEMENT)["gap of the best, αΔ"] == "0.000"


def test_softmax_by_touch(site, open_explorable, serve):
    """A score follows a finger across, and lets one that scrolls pass."""
    page = open_explorable(
        f"{serve(site)}/{SOFTMAX}?alpha=x&n=-&scores=1+x",
        viewport=PHONE, has_touch=True, is_mobile=True,
    )  # fmt: skip
    shown = page.locator(ELEMENT)
    start = [1, 0.5, 0.2, 0, -0.3, -0.6]
    assert readings(page, ELEMENT) == softmax_readings(start, 1)

    shown.get_by_label("keys n").fill("12")
    widths = shown.locator("input").evaluate_all(WIDTHS)
    assert len(widths) == 14 and min(widths) >= 24
    assert page.evaluate(MISFITS) == []
    key = shown.get_by_label("score of key 12")
    key.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    swipe(page, key, key.bounding_box()["width"], 0)
    assert key.input_value() == "3"
    assert page.evaluate("scrollY") == before
    swipe(page, key, 0, -200)
    page.wait_for_function("top => scrollY > top + 100", arg=before)
    assert key.input_value() == "3"
    assert page.faults == []
