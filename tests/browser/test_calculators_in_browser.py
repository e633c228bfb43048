"""The calculators and the small explorables in a real browser."""

import re
from functools import partial

import numpy as np
import pytest
from window import (
    MISFITS,
    PHONE,
    numbers,
    open_page,
    readings,
    swipe,
    wait_for_address,
)

import attention_row
import cosine_window
from attention_scale import rules
from attention_scale.added import averages_with
from attention_scale.length import entropy_invariant_scale, margin_scale
from attention_scale.observe import dead_share_bound
from attention_scale.quenched import averages
from attention_scale.softmax import softmax


@pytest.fixture(scope="module")
def calculators(site):
    """Return the address of the page with both calculators."""
    return (site / "book" / "choose-a-scale.html").as_uri()


def check_model(page, n, alpha, cap=None, sink=None):
    """Compare what is read of a new model with the library's numbers."""
    read = readings(page, "scale-calculator")
    row = averages_with(
        n, alpha, cap=cap or np.inf, sink=-np.inf if sink is None else sink
    )
    most = np.log(n + (sink is not None))
    expected = {
        "α, spread of the logits": alpha,
        "αc = √(2 log n)": np.sqrt(2 * np.log(n)),
        "effective keys": 1 / row.collision,
        "mean gradient": row.gradient_norm,
        "bias of a sigmoid": np.log(n) + alpha**2 / 2,
    }
    if sink is not None:
        expected["mean weight of the sink"] = 100 * row.sink
    elif not cap:
        expected["dead rows, at most"] = 100 * dead_share_bound(n, alpha)
    (entropy,) = [name for name in read if name.startswith("entropy")]
    assert numbers(entropy) == [pytest.approx(most, rel=1e-3)]
    expected[entropy] = row.entropy
    for name, value in expected.items():
        text = read[name].replace(",", "")
        if text.startswith("below"):
            assert value < numbers(text)[0]
        else:
            # what four digits leave; per cent have three
            digits = 5.1e-3 if "%" in text else 5.1e-4
            assert numbers(text)[0] == pytest.approx(value, rel=digits), name
    return read


def test_new_model_by_address_and_keys(open_explorable, calculators):
    """What is written in the fields, or in the address, is answered."""
    page = open_explorable(f"{calculators}?width=8192&cap=50&n=131072")
    check_model(page, 131_072, 8192 * 0.02**2, cap=50)
    field = page.get_by_label("soft cap")
    field.fill("")
    check_model(page, 131_072, 8192 * 0.02**2)
    page.get_by_label("width of the model").fill("1024")
    page.get_by_label("sd of the weights").fill("0.05")
    page.get_by_label("logit of a sink").fill("12.5")
    check_model(page, 131_072, 1024 * 0.05**2, sink=12.5)
    wait_for_address(page, cap=None, width="1024", sd="0.05", sink="12.5")
    page.get_by_label("queries and keys").select_option("norm")
    check_model(page, 131_072, 1.0, sink=12.5)
    assert page.get_by_label("width of the model").is_disabled()
    # What is out of range is said, and what was typed stays.
    keys = page.get_by_label("keys n", exact=True)
    keys.fill("9e99")
    keys.blur()
    assert keys.input_value() == "9e99"
    answer = page.locator("scale-calculator .calculator-answer")
    assert answer.inner_text() == "keys n: from 2 to 10¹², not 9e99."
    assert keys.get_attribute("aria-invalid") is not None
    keys.fill("32k")
    check_model(page, 32_768, 1.0, sink=12.5)
    assert answer.inner_text().startswith("Keep √d: under QK-norm")
    assert "of 32,768 keys" in answer.inner_text()
    status = page.locator("scale-calculator [role=status]")
    page.locator("scale-calculator").get_by_text("Reset").click()
    check_model(page, 8192, 4096 * 0.02**2)
    assert page.get_by_label("width of the model").input_value() == "4096"
    wait_for_address(page, width=None, n=None, start=None, sd=None)
    assert page.evaluate("location.search + location.hash") == ""
    page.wait_for_function(
        "said => said.textContent.startsWith('Keep √d: your logits start"
        " with a spread of 1.638')",
        arg=status.element_handle(),
    )
    assert page.faults == []


def test_longer_texts_by_address_and_keys(open_explorable, calculators):
    """The table has each law's factor, scale and entropy."""
    page = open_explorable(f"{calculators}?scale=2&base=4096&longer=banana")

    def check(scale, n_0, n, weight):
        kept = entropy_invariant_scale(n, scale, n_0) / scale
        root = np.sqrt(rules.log_length(n, n_0))
        key = margin_scale(n, weight, 1) / margin_scale(n_0, weight, 1)
        expected = [
            key, kept, rules.log_length(n, n_0), root, rules.yarn(n, n_0),
            rules.llama4(n, n_0), rules.qwen(n, n_0), 1,
        ]  # fmt: skip
        rows = page.locator("length-calculator .explorable tbody tr").all()
        for row, factor in zip(rows, expected, strict=True):
            found = [float(t) for t in row.locator("td").all_inner_texts()]
            entropy = averages(n, scale * factor).entropy
            values = [factor, scale * factor, entropy]
            assert found[0] == pytest.approx(values[0], abs=5.01e-4)
            assert found[1:] == pytest.approx(values[1:], abs=5.01e-3)

    check(2, 4096, 131_072, 0.5)
    page.get_by_label("what the head does").select_option("key")
    page.get_by_label("weight of the key").fill("0.9")
    page.get_by_label("used on n keys").fill("8192")
    check(2, 4096, 8192, 0.9)
    answer = page.locator("length-calculator .calculator-answer")
    assert "keeps the weight 0.9" in answer.inner_text()
    assert "At twice the trained length" in answer.inner_text()
    wait_for_address(page, kind="key", weight="0.9", longer="8192")
    page.get_by_label("used on n keys").fill("4096")
    assert "change nothing" in answer.inner_text()
    code = page.locator("length-calculator .calculator-code").inner_text()
    assert "alpha_0, weight = 2, 0.9" in code
    assert page.faults == []


def test_calculators_on_a_phone(open_explorable, calculators):
    """They fit, and their fields can be hit."""
    page = open_explorable(calculators, viewport=PHONE, has_touch=True)
    for element in ["html", ".explorable-table"]:
        assert page.locator(element).first.evaluate(
            "element => element.scrollWidth <= element.clientWidth"
        ), element
    for control in page.locator(
        ".explorable :is(input, button, select)"
    ).all():
        assert control.bounding_box()["height"] >= 24
    assert page.faults == []


def test_row_of_the_front_page(open_explorable, site):
    """By address, by keys and by its steps; it says what it shows."""
    page = open_explorable(f"{(site / 'index.html').as_uri()}?n=256&alpha=2")

    def check(n, alpha):
        p = softmax(attention_row.scores(n), alpha)
        said = page.locator(".row-sentence").inner_text()
        words = 1 / (p**2).sum()
        number = f"{words:.1f}" if words < 9.95 else f"{words:,.0f}"
        best = f"{100 * p.max():.{0 if p.max() >= 0.0995 else 1}f}%"
        assert said == (
            f"Of {n:,} words about {number} share the attention;"
            f" the best has {best}."
        )
        assert page.locator("attention-row rect").count() == min(n, 256)

    check(256, 2)
    page.get_by_label("divide by less").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    check(256, 2.2)
    wait_for_address(page, alpha="2.2", n="256")
    page.get_by_label("longer text").focus()
    page.keyboard.press("End")
    check(8192, 2.2)
    for name, n, alpha in [
        ("√(2 log n)", 128, 3.1), ("no division", 128, 8),
        ("a longer text", 8192, 1), ("divide by √d", 128, 1),
    ]:  # fmt: skip
        button = page.get_by_role("button", name=name, exact=True)
        button.click()
        check(n, alpha)
        assert button.get_attribute("aria-pressed") == "true"
    wait_for_address(page, alpha=None, n=None)
    assert page.faults == []


@pytest.mark.parametrize(
    "width, height", [(1440, 900), (820, 1180), (390, 844), (360, 740)]
)
def test_the_row_is_on_the_first_screen(browser, site, width, height):
    """All of it; and what stood for it was in the same place."""
    size = {"width": width, "height": height}
    with open_page(browser, viewport=size) as page:
        page.goto((site / "index.html").as_uri())
        page.wait_for_selector(".row-panel")
        for name in ("√(2 log n)", "no division", "a longer text"):
            page.get_by_role("button", name=name, exact=True).click()
            box = page.locator(".row-panel").bounding_box()
            assert box["y"] + box["height"] <= height
            assert page.evaluate(MISFITS) == []


def test_window_of_cosines(open_explorable, site):
    """By address, by keys, by mouse, and typed."""
    chapter = site / "notebooks" / "07-cosine-scores.html"
    page = open_explorable(f"{chapter.as_uri()}?d=128&weight=0.9&n=2.5")

    def check(n, d, weight, c=0.5):
        right = cosine_window.of_right_key(n, d, weight, c)
        low = cosine_window.least(n, weight)
        high = cosine_window.freezing(n, d)
        read = list(readings(page, "cosine-window").values())
        assert read == [
            f"{low:.2f}",
            f"{high:.1f}",
            f"{np.sqrt(2 * d * np.log(n)):.1f}",
            "none" if np.isnan(right) else f"{right:.1f}",
            f"{low / np.sqrt(d):.2f} to {high / np.sqrt(d):.2f}",
        ]

    check(100, 128, 0.9)  # fewer keys are brought in
    page.locator("cosine-window input").first.focus()
    page.keyboard.press("ArrowRight")
    check(100, 181, 0.9)
    page.locator("cosine-window").get_by_text("Reset").click()
    check(100_000, 512, 0.5)
    fields = page.locator("cosine-window input[type=number]")
    for field, own in zip(
        fields.all(), ("96", "50257.4", "", "0.7"), strict=True
    ):
        field.fill(own)
        field.press("Enter")
    check(50_257, 96, 0.5, 0.7)  # nothing typed changes nothing
    fields.nth(1).fill("1e9")
    fields.nth(1).press("Tab")
    check(10**6, 96, 0.5, 0.7)
    assert fields.nth(1).input_value() == "1000000"
    page.locator("cosine-window").get_by_text("Reset").click()
    plot = page.locator("cosine-window svg").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] - 14, plot["y"] + 60)
    check(10**6, 512, 0.5)
    assert page.faults == []


def test_map_of_starts(open_explorable, site):
    """By address, typed, and by a click that sets both numbers."""
    chapter = site / "notebooks" / "02-initialization.html"
    page = open_explorable(f"{chapter.as_uri()}?width=4096")

    def read():
        return list(readings(page, "start-map").values())

    assert read() == ["1.6", "0.016", "49%"]  # Llama's default
    page.locator("start-map").get_by_text("Reset").click()
    assert read() == ["0.31", "0.036", "14%"]
    for field, own in zip(
        page.locator("start-map input[type=number]").all(),
        ("2048", "0.0221"),
        strict=True,
    ):
        field.fill(own)
        field.press("Enter")
    assert read()[0] == "1"
    plot = page.locator("start-map svg").first.bounding_box()
    page.mouse.click(plot["x"] + 53, plot["y"] + 15)  # narrow, and large
    wait_for_address(page, width="129", std="0.098")
    assert page.faults == []


def test_rows_turn(open_explorable, site):
    """What a row's curve shows, and that it turns at a scale of its own."""
    chapter = site / "notebooks" / "05-gradient-maximal-scale.html"
    page = open_explorable(f"{chapter.as_uri()}?row=5&alpha=30")
    read = partial(readings, page, "row-turns")
    assert read()["turned at"] == "not yet"
    page.locator("#row-turns-row").press("ArrowLeft")
    assert read()["turned at"] == "2.4"
    page.locator("row-turns").get_by_text("Reset").click()
    assert read()["turned at"] == "not yet"
    assert float(read()["gradient"]) == pytest.approx(1, abs=0.02)
    page.locator("#row-turns-alpha").press("End")
    assert read()["turned at"] == "17"
    assert page.faults == []


def test_words_that_heads_see(open_explorable, site):
    """By address, by a click on a word, by keys; the page shows where."""
    chapter = site / "notebooks" / "13-trained-heads.html"
    page = open_explorable(f"{chapter.as_uri()}?head=2")
    read = partial(readings, page, "head-words")
    darkest = """
      () => [...document.querySelectorAll(".head-page span")]
        .map(span => [+span.style.getPropertyValue("--seen"), span.innerText])
        .sort((a, b) => b[0] - a[0])[0]
    """
    in_view = """
      () => {
        const [page, word] = [".head-page", ".head-page span:nth-of-type(115)"]
          .map(name => document.querySelector(name).getBoundingClientRect());
        return word.top > page.top && word.bottom < page.bottom;
      }
    """
    assert read()["looks most at"].startswith("Bing (378 back), 3")
    assert page.evaluate(darkest)[1] == "Bing"
    assert page.evaluate(in_view)
    page.locator(".head-page .head-reads", has_text="her").click()
    assert read()["looks most at"].startswith("Bing (386 back), 3")
    page.locator("#head-words-head").press("ArrowRight")
    wait_for_address(page, head=None, row="3")
    assert read()["looks most at"].startswith("ied (1 back), 6")
    page.locator("#head-words-factor").press("Home")
    assert read()["keys used, 1/Σp²"] == "500"  # all the same
    assert page.faults == []


def test_dot_products_in_the_making(open_explorable, site):
    """By address and by keys: the weights at d, divided or not."""
    chapter = site / "notebooks" / "01-variance-of-a-dot-product.html"
    page = open_explorable(f"{chapter.as_uri()}?d=128")

    def best():
        read = readings(page, "dot-walk")
        return numbers(read["the best key gets"])[0]

    assert readings(page, "dot-walk")["√d"] == "11.3"
    undivided = best()
    page.locator("#dot-walk-power").press("ArrowRight")
    divided = best()
    page.locator("#dot-walk-power").press("ArrowRight")
    assert undivided > 50 > divided > best()
    assert best() < 5
    page.locator("#dot-walk-draw").press("End")
    wait_for_address(page, d="128", power="1", draw="20")
    assert page.faults == []


def test_factor_in_a_longer_text(open_explorable, site):
    """By address, to what was tried; by keys; the task decides."""
    chapter = site / "notebooks" / "14-longer-than-trained.html"
    page = open_explorable(f"{chapter.as_uri()}?tokens=4000&factor=2.9")
    read = partial(readings, page, "longer-factor")
    assert read()["least, of those tried"] == "at 2.83"
    assert float(read()["loss"]) < 0.6 < float(read()["without a factor"])
    page.locator("#longer-factor-task").press("ArrowRight")
    wait_for_address(page, task="1", tokens="4096", factor="2.8284")
    assert float(read()["loss"]) > float(read()["without a factor"])
    page.locator("longer-factor").get_by_text("Reset").click()
    assert read()["log n / log n₀"] == "1.00"
    assert page.faults == []


def test_row_in_eight_bits(open_explorable, site):
    """By address and by keys: the offset lifts the row above the floor."""
    chapter = site / "notebooks" / "11-low-precision.html"
    page = open_explorable(f"{chapter.as_uri()}?alpha=2.6")
    read = partial(readings, page, "stored-row")
    assert numbers(read()["weight lost"])[0] > 10
    page.locator("#stored-row-offset").press("End")
    assert read()["the largest is stored as"] == "2⁸"
    lost = numbers(read()["weight lost"])[0]
    assert lost < 1
    page.locator("#stored-row-draw").press("ArrowRight")
    assert numbers(read()["weight lost"])[0] not in (0, lost)
    page.locator("#stored-row-sink").press("ArrowRight")
    assert read()["the sink is stored as"] == "2⁸"
    page.locator("stored-row").get_by_text("Reset").click()
    assert read()["weight lost"] == "below 0.01%"
    assert page.faults == []


def test_number_and_share(open_explorable, site):
    """By address and by keys: what one law keeps, the other does not."""
    chapter = site / "notebooks" / "09-concentration.html"
    page = open_explorable(f"{chapter.as_uri()}?n=65536")
    read = partial(readings, page, "share-number")
    assert read()["α fixed"] == "24,112 of 65,536, 37%"
    assert read()["α ∝ log n"] == "6.5 of 65,536, 0.01%"
    page.locator("#share-number-n").press("Home")
    assert read()["α ∝ log n"] == "6.7 of 16, 42%"
    page.locator("share-number").get_by_text("Reset").click()
    assert "of 512" in read()["α fixed"]
    assert page.faults == []


WIDTHS = """
() => [...document.querySelectorAll("sampling-order .softmax-bars i")]
  .map(bar => bar.clientWidth)
"""


def test_weights_of_samplers_are_bars(open_explorable, site):
    """As long as the weights beside them; of either order, ten."""
    chapter = site / "notebooks" / "04-temperature.html"
    page = open_explorable(f"{chapter.as_uri()}#explore-sampling")
    bars = page.locator("sampling-order .softmax-bars span")
    texts = bars.all_inner_texts()
    weights = [float(text) if text != "–" else 0 for text in texts]
    widths = page.evaluate(WIDTHS)
    assert len(widths) == 20
    assert sum(weights[:10]) == pytest.approx(1, abs=0.03)
    longest = widths[0] / weights[0]
    assert longest > 100  # a whole bar
    assert widths == pytest.approx(
        [longest * weight for weight in weights], abs=0.02 * longest
    )


def test_a_scale_trades_entropy_for_score(open_explorable, site):
    """By address, by keys, typed, and by a click on the curve."""
    chapter = site / "notebooks" / "04-temperature.html"
    page = open_explorable(f"{chapter.as_uri()}?alpha=0.4")
    read = partial(readings, page, "row-trade")
    assert read()["would gain from more"] == "cat, mat"
    page.locator("#row-trade-alpha").press("End")
    assert read()["would gain from more"] == "cat"
    field = page.locator("row-trade input[type=number]")
    field.fill("1")
    field.press("Enter")
    assert read()["mean score"] == "0.87"
    page.locator("row-trade").get_by_text("Reset").click()
    assert read()["entropy"] == "1.61 nats"
    plot = page.locator("row-trade svg").bounding_box()
    page.mouse.click(plot["x"] + plot["width"] - 15, plot["y"] + 100)
    wait_for_address(page, alpha="8")
    assert page.faults == []


def test_order_of_sampling(open_explorable, site):
    """By address and by keys."""
    chapter = site / "notebooks" / "04-temperature.html"
    page = open_explorable(f"{chapter.as_uri()}?topP=1&k=3#explore-sampling")
    read = readings(page, "sampling-order")
    assert read["tokens kept, T first"] == read["tokens kept, T last"] == "3"
    assert read["drawn otherwise"] == "0.0%"
    page.locator("sampling-order").get_by_text("Reset").click()
    read = readings(page, "sampling-order")
    assert [*read.values()][:2] == ["5", "3"]
    page.locator("sampling-order input").first.focus()
    page.keyboard.press("Home")
    assert readings(page, "sampling-order")["tokens kept, T first"] == "1"
    wait_for_address(page, temperature="0.125", k=None)
    status = page.locator("sampling-order [role=status]").inner_text()
    assert re.match(r"At the temperature 0\.13 1 tokens are kept", status)
    assert page.faults == []


def test_the_plot_of_softmax_sets_the_scale(open_explorable, site):
    """A click in the curve of chapter 3, between 0.1 and 100."""
    chapter = site / "notebooks" / "03-softmax-jacobian.html"
    page = open_explorable(chapter.as_uri())
    plot = page.locator("softmax-jacobian svg.explorable-plot")
    plot.evaluate("e => e.scrollIntoView({block: 'center'})")
    box = plot.bounding_box()
    middle = (52 + box["width"] - 14) / 2
    page.mouse.click(box["x"] + middle, box["y"] + 100)
    alpha = page.locator("#softmax-jacobian-alpha")
    assert float(alpha.get_attribute("aria-valuetext")) == pytest.approx(
        10**0.5, rel=0.05
    )


@pytest.mark.parametrize("what", ["input[type=range]", "svg.explorable-plot"])
def test_a_swipe_that_scrolls_sets_nothing(open_explorable, site, what):
    """Up over a slider or a plot the page moves; across, the number."""
    chapter = site / "notebooks" / "07-cosine-scores.html"
    page = open_explorable(chapter.as_uri(), viewport=PHONE, has_touch=True)
    before = readings(page, "cosine-window")
    target = page.locator(f"cosine-window {what}").first
    target.evaluate("e => e.scrollIntoView({block: 'center'})")
    top = page.evaluate("scrollY")
    swipe(page, target, 0, -150)
    page.wait_for_function("top => scrollY > top + 50", arg=top)
    assert readings(page, "cosine-window") == before
    slider = page.locator("#cosine-window-d")
    assert slider.input_value() == "9"
    swipe(page, target, 60, 0)
    assert readings(page, "cosine-window") != before


def test_a_setting_that_is_loaded_again_keeps_its_place(browser, serve, site):
    """The explorable is where it was on the screen, as it was set."""
    address = f"{serve(site)}/notebooks/07-cosine-scores.html"
    with open_page(browser, viewport=PHONE) as page:
        page.goto(address)
        slider = page.locator("#cosine-window-d")
        slider.wait_for()
        page.wait_for_selector("html[data-laid]")
        slider.evaluate("e => e.scrollIntoView({block: 'center'})")
        slider.focus()
        page.keyboard.press("ArrowLeft")
        wait_for_address(page, d="362")
        place = slider.bounding_box()["y"]
        page.reload()
        slider.wait_for()
        page.wait_for_selector("html[data-laid]")
        assert slider.get_attribute("aria-valuetext") == "362"
        # no further than the header, below which its panel is put
        assert slider.bounding_box()["y"] == pytest.approx(place, abs=224)


def test_film_of_training(open_explorable, site):
    """By address and by keys: starts, and the rates that were tried."""
    chapter = site / "notebooks" / "12-training.html"
    page = open_explorable(f"{chapter.as_uri()}?start=3&rate=0.003&step=333")
    outputs = page.locator("training-film output").all_inner_texts()
    assert outputs == ["4", "0.004", "340"]  # the nearest that were looked at
    page.locator("training-film").get_by_text("Reset").click()
    read = readings(page, "training-film")
    assert read["spread apart from"] == "step 0"
    assert read["dead rows from"] == "not yet"
    start, rate, step = page.locator("training-film input").all()
    step.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    read = readings(page, "training-film")
    assert read["dead rows (usual)"] == "44% (10%)"
    assert read["dead rows from"] == "step 60"
    start.focus()
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    assert readings(page, "training-film")["loss above usual"] == "+0.000"
    rate.focus()
    page.keyboard.press("Home")  # over 0.002, which was not tried with 1
    texts = page.locator("training-film output").all_inner_texts()
    assert texts[1] == "0.001"
    page.keyboard.press("ArrowRight")
    texts = page.locator("training-film output").all_inner_texts()
    assert texts[1] == "0.004"
    step.focus()
    page.keyboard.press("End")
    wait_for_address(page, start="1", rate="0.004", step="500")
    status = page.locator("training-film [role=status]").inner_text()
    assert re.match(r"Start 1 at the rate 0\.004, step 500", status)
    assert page.faults == []


def test_the_film_plays_and_stops(open_explorable, site):
    """From the first step to the last; a hand stops it; some want no film."""
    chapter = (site / "notebooks" / "12-training.html").as_uri()
    page = open_explorable(chapter)
    film = page.locator("training-film")
    play = film.get_by_role("button", name="Play")
    step = film.locator("output").nth(2)
    assert step.inner_text() == "20"
    play.click()
    film.get_by_role("button", name="Stop").wait_for()
    page.wait_for_function(
        "() => document.querySelectorAll('training-film output')[2]"
        ".textContent === '500'"
    )
    play.wait_for()
    play.click()
    film.get_by_role("button", name="Stop").click()
    stopped = step.inner_text()
    assert int(stopped) < 500
    page.wait_for_timeout(800)
    assert step.inner_text() == stopped
    assert page.faults == []
    page = open_explorable(chapter, reduced_motion="reduce")
    assert page.get_by_role("button", name="Play").count() == 0
