"""The explorables in a real browser: seen, moved, and left alone."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from window import PHONE, numbers, readings, wait_for_address

import geometric_mean
from attention_scale import annealed, quenched, rules
from attention_scale.length import entropy_invariant_scale
from attention_scale.quenched import averages
from booksite.explorables import ALONE, ELEMENTS


@pytest.mark.parametrize("name", sorted({*ELEMENTS} - ALONE))
def test_a_picture_stands_for_what_moves(open_explorable, paths, name):
    """On paper, and where scripts are off; with them it is out of sight."""
    (path, *_) = [p for p in paths if f"<{name} " in p.read_text("utf-8")]
    text = path.read_text("utf-8")
    place = re.search(rf'<{name} [^>]*id="([^"]+)"', text)[1]
    address = f"{path.as_uri()}#{place}"  # opens the fold that it is in
    still = open_explorable(address, java_script_enabled=False)
    assert still.locator(f"{name} :is(img, table)").first.is_visible()
    assert still.locator(".explorable").count() == 0
    page = open_explorable(address)
    panel = page.locator(f"{name} > .explorable")
    picture = page.locator(f"{name} > .explorable-static")
    assert panel.is_visible() and not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible() and not panel.is_visible()


# The published optimum and the true curve


@pytest.fixture(scope="module")
def chapter_6(site):
    """Return the address of chapter 6, in its folder."""
    name = "notebooks/06-annealed-and-quenched.html"
    return (site / name).as_uri()


def check_three_curves(page, n, b):
    """Compare all readings with the library's numbers."""
    read = readings(page, "optimum-curve")
    at_c = np.sqrt(2 * np.log(n))
    star, alpha = float(annealed.optimal_scale(n)), b * at_c
    exact = quenched.averages(n, np.array([star, alpha])).gradient_norm
    published = annealed.gradient_norm(n, np.array([star, alpha]))
    log = geometric_mean.mean_logs(n, [b, 1.0, 1.02, 1.04, 1.06])
    log = log.mean(axis=0)
    grid = np.array([1.0, 1.02, 1.04, 1.06])
    cubic = np.polynomial.Polynomial.fit(grid, np.log(grid) + log[1:], 3)
    optimum = min(cubic.deriv().roots().real, key=lambda x: abs(x - 1.03))
    expected = {
        "αc = √(2 log n)": [at_c],
        "published optimum α*": [star, star / at_c],
        "geometric optimum": [optimum * at_c, optimum],
        "published at α*": [published[0]],
        "exact mean at α*": [exact[0]],
        "published / exact at α*": [published[0] / exact[0]],
        f"published at {alpha:.2f}": [published[1]],
        f"exact mean at {alpha:.2f}": [exact[1]],
        f"geometric mean at {alpha:.2f}": [alpha * np.exp(log[0])],
    }
    assert list(read) == list(expected)
    for name, values in expected.items():
        if values[0] < 0:
            assert read[name] == "below 0"
        else:
            # half a unit of the last digit, and the table's own error
            found = numbers(read[name])
            assert found == pytest.approx(values, abs=0.006), name
    ratio = "published / exact at α*"
    assert numbers(read[ratio]) == pytest.approx(expected[ratio], abs=6e-4)


def test_three_curves_by_address_keyboard_and_mouse(
    open_explorable, chapter_6
):
    """What the address, the keys and the mouse set is what is read."""
    page = open_explorable(f"{chapter_6}?n=8192&b=1.5#explore-optimum")
    check_three_curves(page, 8192, 1.5)

    keys, scale = page.locator("optimum-curve input").all()
    keys.focus()
    page.keyboard.press("ArrowRight")
    check_three_curves(page, 9742, 1.5)
    assert keys.get_attribute("aria-valuetext") == "9,742"
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    wait_for_address(page, n="9742", b="1.47")
    status = page.locator("optimum-curve [role=status]").inner_text()
    assert status.startswith("For 9742 keys the published optimum is 2.56")
    link = page.locator("optimum-curve").get_by_text("Link to")
    address = urlsplit(link.get_attribute("href"))
    assert parse_qs(address.query) == {"n": ["9742"], "b": ["1.47"]}
    assert address.fragment == "explore-optimum"

    page.locator("optimum-curve").get_by_text("Reset").click()
    check_three_curves(page, 512, 0.4)
    wait_for_address(page, n=None, b=None)

    # along the slider, to its end; in the middle nothing lies over it
    keys.evaluate("input => input.scrollIntoView({block: 'center'})")
    box = keys.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 20, y, steps=4)
    page.mouse.up()
    check_three_curves(page, 10**9, 0.4)

    # in the plot: the middle is alpha_c
    plot = page.locator("optimum-curve svg").bounding_box()
    y = plot["y"] + 100
    page.mouse.move(plot["x"] + 60, y)
    page.mouse.down()
    page.mouse.move(plot["x"] + (52 + plot["width"] - 14) / 2, y, steps=4)
    page.mouse.up()
    assert float(scale.input_value()) == pytest.approx(1, abs=0.02)
    assert page.faults == []


def test_three_curves_by_touch_and_with_nonsense(open_explorable, chapter_6):
    """A finger sets the scale; an address that makes no sense does not."""
    page = open_explorable(
        f"{chapter_6}?n=banana&b=99#explore-optimum",
        viewport=PHONE,
        has_touch=True,
    )
    check_three_curves(page, 512, 2)
    plot = page.locator("optimum-curve svg")
    plot.scroll_into_view_if_needed()
    width = plot.bounding_box()["width"]
    plot.tap(position={"x": 52 + (width - 66) / 4, "y": 120})
    scale = page.locator("#optimum-curve-b")
    b = float(scale.input_value())
    assert b == pytest.approx(0.5, abs=0.03)
    check_three_curves(page, 512, b)
    for control in page.locator("optimum-curve :is(input, button)").all():
        assert control.bounding_box()["height"] >= 24
    assert page.faults == []


# The laws of growth


@pytest.fixture(scope="module")
def chapter_8(site):
    """Return the address of chapter 8, in its folder."""
    name = "notebooks/08-entropy-invariance.html"
    return (site / name).as_uri()


def check_laws(page, n, base, n_0=8192):
    """Compare the table and the readings with the library's numbers."""
    read = readings(page, "length-laws")
    kept = float(averages(n_0, base).entropy)
    assert numbers(read["entropy to keep"]) == [pytest.approx(kept, abs=0.006)]
    rows = page.locator("length-laws tbody tr").all()
    shown = {
        row.locator("th").inner_text().strip(): row.locator(
            "td"
        ).all_inner_texts()
        for row in rows
    }
    root = np.sqrt(rules.log_length(n, n_0))
    factors = {
        "Fixed scale": 1,
        "√(log n / log n₀)": root,
        "Llama 4": rules.llama4(n, n_0),
        "Qwen": rules.qwen(n, n_0),
        "log n / log n₀": rules.log_length(n, n_0),
        "YaRN": rules.yarn(n, n_0),
    }
    if kept < np.log(n):
        scale = entropy_invariant_scale(n, base, n_0)
        factors = {"Exact": scale / base} | factors
    else:
        assert shown.pop("Exact") == ["none", "none", "none"]
    assert list(shown) == list(factors)
    for name, factor in factors.items():
        entropy = averages(n, base * factor).entropy
        expected = [factor, base * factor, entropy]
        # half a unit of the last digit
        found = [float(text) for text in shown[name]]
        assert found == pytest.approx(expected, abs=0.00501), name
    caption = page.locator("length-laws caption").inner_text()
    assert caption == f"At n = {n:,}; entropy in nats"


def test_length_laws_by_address_keyboard_and_mouse(open_explorable, chapter_8):
    """What the address, the keys and the mouse set is what is read."""
    page = open_explorable(f"{chapter_8}?scale=2.75&n=1000000")
    check_laws(page, 1_000_000, 2.75)

    scale, keys = page.locator("length-laws input").all()
    scale.focus()
    page.keyboard.press("ArrowRight")
    check_laws(page, 1_000_000, 2.8)
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert keys.get_attribute("aria-valuetext") == "8,388,608"
    wait_for_address(page, n="8388608", scale="2.8")
    check_laws(page, 2**23, 2.8)
    status = page.locator("length-laws [role=status]").inner_text()
    assert re.match(
        r"A factor of 1\.\d\d keeps \d\.\d\d nats at 8,388,608 keys\. "
        r"Closest: \S.*, which misses by 0\.\d\d nats\.$",
        status,
    )

    page.locator("length-laws").get_by_text("Reset").click()
    check_laws(page, 131_072, 1.0)
    wait_for_address(page, n=None, scale=None)
    # what the caption of the figure says of this setting
    assert readings(page, "length-laws")["entropy to keep"] == "8.51 nats"

    # in the plot: the middle, between 64 and 8,388,608 keys
    plot = page.locator("length-laws .explorable-plot").first
    plot.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    plot = plot.bounding_box()
    y = plot["y"] + 100
    page.mouse.move(plot["x"] + 80, y)
    page.mouse.down()
    page.mouse.move(plot["x"] + (52 + plot["width"] - 62) / 2, y, steps=4)
    page.mouse.up()
    n = round(2 ** float(keys.input_value()))
    # the slider has steps of an eighth of a doubling
    assert np.log2(n) == pytest.approx(14.5, abs=0.1)
    found = page.locator("length-laws caption").inner_text()
    check_laws(page, int(re.sub(r"\D", "", found)), 1.0)
    assert page.faults == []


def test_length_laws_by_touch_and_with_nonsense(open_explorable, chapter_8):
    """A finger sets n; an address that makes no sense does not."""
    page = open_explorable(
        f"{chapter_8}?scale=-3&n=1e99",
        viewport=PHONE,
        has_touch=True,
    )
    check_laws(page, 2**23, 0.25)  # each brought in, or left alone
    plot = page.locator("length-laws .explorable-plot").last
    plot.scroll_into_view_if_needed()
    plot.tap(position={"x": 54, "y": 120})  # at the left, where none is
    found = page.locator("length-laws caption").inner_text()
    n = int(re.sub(r"\D", "", found))
    assert 64 <= n < 100
    check_laws(page, n, 0.25)
    for control in page.locator("length-laws :is(input, button)").all():
        assert control.bounding_box()["height"] >= 24
    # the page does not scroll sideways, nor does the table need to
    for element in ["html", ".explorable-table"]:
        assert page.locator(element).evaluate(
            "element => element.scrollWidth <= element.clientWidth"
        ), element
    assert page.faults == []


# What is added to the scores


def test_a_sink_and_sigmoids_are_brought_back(open_explorable, site):
    """By buttons, by keys and by the address."""
    chapter = site / "notebooks" / "10-added-to-the-scores.html"
    page = open_explorable(f"{chapter.as_uri()}?cap=20")

    def read():
        sink, total, *_ = readings(page, "added-row").values()
        return sink, total

    assert read() == ("50.0%", "0.999")
    page.get_by_role("button", name="32 times the text").click()
    assert read() == ("3.0%", "32.0")
    law = page.get_by_role("button", name="what the law asks")
    assert not law.is_visible()  # before the reader has tried
    page.locator("#added-row-shift").press("ArrowRight")
    law.click()
    wait_for_address(page, cap="20", n="131072", shift="3.5")
    assert read() == ("50.9%", "0.966")
    page.locator("#added-row-shift").press("ArrowLeft")
    assert read() == ("48.4%", "1.07")
    page.locator("added-row").get_by_text("Reset").click()
    assert read() == ("50.0%", "0.999")
    assert page.faults == []


# A row and its hill


def test_the_hill_leaves_the_keys(open_explorable, site):
    """By buttons, by keys and by the address."""
    chapter = site / "notebooks" / "06-annealed-and-quenched.html"
    page = open_explorable(f"{chapter.as_uri()}?row=3")

    def read():
        numbers = readings(page, "row-hill")
        return numbers["best score"], numbers["weight of the best"]

    assert read() == ("3.95", "5.1%")
    page.get_by_role("button", name="2 αc").click()
    wait_for_address(page, row="3", alpha="8.5")
    assert read() == ("3.95", "94%")
    by_hill = readings(page, "row-hill")["gradient by the hill"]
    assert by_hill == "below 0"
    page.locator("#row-hill-row").press("ArrowRight")
    assert read()[0] == "3.36"
    page.locator("row-hill").get_by_text("Reset").click()
    assert read() == ("3.71", "3.4%")
    assert page.faults == []
