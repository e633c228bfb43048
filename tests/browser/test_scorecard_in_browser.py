"""The scorecard can be filtered, by words and by verdict."""

from window import PHONE, SCRIPTED, open_page

from bookkit import ledger, notebooks

SHOWN = ".claim-card:not([hidden])"


def test_the_filter_leaves_what_is_asked_for(browser, site):
    """By words and by verdict."""
    claims = ledger.read_claims(notebooks.ROOT)
    refuted = [id for id in claims if claims[id]["verdict"] == "refuted"]
    with open_page(browser) as page:
        page.goto((site / "book/scorecard.html").as_uri())
        page.evaluate(SCRIPTED)
        cards = page.locator(SHOWN)
        assert cards.count() == len(claims)
        page.get_by_label("Verdict").select_option("refuted")
        first = "cards => cards.map(c => c.querySelector('a').textContent)"
        assert cards.evaluate_all(first) == refuted
        page.get_by_label("Find").fill("zeppelin")
        assert cards.count() == 0
        assert page.get_by_role("status").inner_text() == (
            f"0 of {len(claims)} claims."
        )
        assert not page.get_by_role(
            "heading", name="Chapter 1"
        ).first.is_visible()
        assert page.faults == []


def test_a_link_to_a_hidden_claim_shows_it(browser, site):
    with open_page(browser) as page:
        page.goto((site / "book/errata.html").as_uri())
        page.evaluate(SCRIPTED)
        page.get_by_label("Find").fill("zeppelin")
        card = page.locator(".claim-card").first
        card.wait_for(state="hidden")
        id = card.get_attribute("id")
        page.evaluate("id => { location.hash = id; }", id)
        card.wait_for()
        assert page.faults == []


def test_nothing_moves_when_the_filter_comes(browser, site):
    """Its place is kept, and its fields are high enough for a finger."""
    with open_page(browser, viewport=PHONE) as page:
        first = page.locator("claim-filter ~ section h2").first
        # As long as the scripts are on their way.
        page.route("**/*.js*", lambda route: route.abort())
        page.goto((site / "book/scorecard.html").as_uri())
        before = first.bounding_box()["y"]
        page.unroute_all()
        page.reload()
        page.evaluate(SCRIPTED)
        assert abs(first.bounding_box()["y"] - before) < 1
        for field in page.locator(".claim-fields :is(input, select)").all():
            assert field.bounding_box()["height"] >= 35


def test_near_misses_are_a_link_away(browser, site):
    """A line of the scorecard leads to the claim, which opens."""
    claims = ledger.read_claims(notebooks.ROOT)
    with open_page(browser) as page:
        page.goto((site / "book/scorecard.html").as_uri())
        page.evaluate(SCRIPTED)
        page.locator(".claim-line a", has_text="dot-variance").first.click()
        count = len(claims["dot-variance"][ledger.NEAR_MISSES])
        card = page.locator("#scorecard-dot-variance")
        misses = card.locator(".near-miss")
        assert misses.count() == count and not misses.first.is_visible()
        card.get_by_text(f"{count} near misses").click()
        assert misses.first.is_visible()
        assert page.faults == []


def test_a_question_can_be_sent_as_an_address(browser, site):
    with open_page(browser) as page:
        address = (site / "book/scorecard.html").as_uri()
        page.goto(f"{address}?verdict=corrected&claim=scores")
        page.evaluate(SCRIPTED)
        cards = page.locator(SHOWN)
        assert 0 < cards.count() < len(ledger.read_claims(notebooks.ROOT))
        for text in cards.all_text_contents():
            assert "corrected" in text and "scores" in text.lower()
