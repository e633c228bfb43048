"""The table of the census in a real browser: asked by name, and left alone."""

import pytest
from window import DESKTOP, MISFITS, PHONE, open_page

import census_table


@pytest.fixture(scope="module")
def rows():
    """Return the rows of the census, as the page has them."""
    head, *lines = (line.split("|") for line in census_table.lines())
    return [dict(zip(head, line, strict=True)) for line in lines]


@pytest.fixture(scope="module")
def chapter(site):
    """Return the address of the chapter with the table, in its folder."""
    [path] = site.glob("notebooks/*-in-production.html")
    return path.as_uri()


def shown(page):
    """Return the models and classes that the table shows."""
    cells = page.locator("census-table tbody tr").evaluate_all(
        "rows => rows.map(r => [...r.cells].map(c => c.innerText))"
    )
    return [tuple(row[0].split(" : ")[0].split()) for row in cells]


def status(page):
    """Return what the table says of itself."""
    return page.locator("census-table [role=status]").inner_text()


def test_a_name_leaves_its_rows(open_explorable, chapter, rows):
    """Typed by keys: its classes; one unknown: that; cleared: all again."""
    page = open_explorable(chapter)
    start = shown(page)
    assert len(start) == 25
    assert status(page).startswith(f"{len(rows)} of {len(rows)} classes; ")

    page.get_by_role("searchbox", name="Model").focus()
    page.keyboard.type("gpt_oss")
    expected = [
        (row["model"], row["cls"])
        for row in rows
        if "gpt_oss" in f"{row['model']} {row['cls']}".lower()
    ]
    assert expected
    assert shown(page) == expected
    assert status(page) == f"{len(expected)} of {len(rows)} classes."
    page.wait_for_url("**?model=gpt_oss#explore-census")

    page.keyboard.type("zzz")
    assert shown(page) == []
    assert status(page).startswith(f"None of the {len(rows)} classes")

    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    assert shown(page) == start
    page.wait_for_url("**-in-production.html#explore-census")
    assert page.faults == []


def test_scale_and_norm_by_keys_and_by_address(open_explorable, chapter, rows):
    """All fields are reached by Tab; a link shows what its sender saw."""
    page = open_explorable(chapter)
    page.get_by_role("searchbox", name="Model").focus()
    page.keyboard.type("qwen3")
    page.keyboard.press("Tab")
    select = page.locator("select[name=scale]")
    for _ in range(select.locator("option").count()):
        if select.input_value() != "1/sqrt(d)":
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expected = [
        (row["model"], row["cls"])
        for row in rows
        if "qwen3" in f"{row['model']} {row['cls']}".lower()
        and row["scale"] == "1/sqrt(d)"
        and row["qknorm"]
    ]
    assert expected
    assert shown(page) == expected
    page.keyboard.press("Tab")
    table = page.get_by_role("region", name="Classes found")
    assert table.evaluate("it => it === document.activeElement")
    page.wait_for_url("**?model=qwen3&scale=*&norm=1#explore-census")

    assert shown(open_explorable(page.url)) == expected
    other = open_explorable(f"{chapter}?scale=none&model=bert_generation")
    assert other.locator("select[name=scale]").input_value() == ""
    assert {model for model, _ in shown(other)} == {"bert_generation"}
    assert page.faults == []


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_no_column_is_cut(open_explorable, chapter, viewport):
    """The table scrolls down only, on a phone and on a desk."""
    page = open_explorable(chapter, viewport=viewport)
    panel = page.locator("census-table .explorable")
    assert panel.bounding_box()["width"] <= viewport["width"]
    rows = page.locator(".census-rows")
    assert rows.evaluate("it => it.scrollWidth <= it.clientWidth")
    assert page.evaluate(MISFITS) == []
    assert page.faults == []


def test_without_scripts_the_file_remains(browser, chapter, site, rows):
    """The text says what is missing, and the link leads to the whole table."""
    with open_page(browser, java_script_enabled=False) as page:
        page.goto(chapter)
        assert "Where scripts run" in page.locator("census-table").inner_text()
        link = page.get_by_role("link", name="census.csv")
        address = link.evaluate("it => it.getAttribute('href')")
        file = (site / "notebooks" / address).resolve()
        assert len(file.read_text("utf-8").splitlines()) == len(rows) + 1
        assert page.faults == []
