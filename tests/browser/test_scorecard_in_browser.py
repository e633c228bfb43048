"""The scorecard can be filtered, by words and by verdict."""

from window import PHONE, SCRIPTED, open_page

from bookkit import ledger, notebooks

SHOWN = ".claim-card:not([hidden])"


def test_the_filter_leaves_what_is_asked_for(browser, site):
    """By words and by verdict; a link to a hidden claim shows it."""
    claims = ledger.read_claims(notebooks.ROOT)
    refuted = [id for id in claims if claims[id]["verdict"] == "refuted"]
    with open_page(browser) as page:
        page.goto((site / "book/scorecard.html").as_uri())
        page.evaluate(SCRIPTED)
        cards = page.locator(SHOWN)
        assert cards.count() == len(claims)
        page.get_by_label("Verdict").select_option("refuted")
        assert cards.evaluate_all("all => all.map(card => card.id)") == [
            f"scorecard-{id}" for id in refuted
        ]
        page.get_by_label("Find").fill("zeppelin")
        assert cards.count() == 0
        assert page.get_by_role("status").inner_text() == (
            f"0 of {len(claims)} claims."
        )
        assert not page.get_by_role(
            "heading", name="Chapter 1"
        ).first.is_visible()
        page.evaluate("location.hash = 'scorecard-dot-variance'")
        page.locator("#scorecard-dot-variance").wait_for()
        assert cards.count() == len(claims)
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


def test_near_misses_open_where_something_is_found(browser, site):
    """They are folded; the filter opens those that have what is asked for."""
    claims = ledger.read_claims(notebooks.ROOT)
    with open_page(browser) as page:
        page.goto((site / "book/scorecard.html").as_uri())
        page.evaluate(SCRIPTED)
        card = page.locator("#scorecard-dot-variance")
        miss = card.get_by_text("That is the standard deviation")
        count = len(claims["dot-variance"][ledger.NEAR_MISSES])
        assert card.locator("summary").inner_text() == f"{count} near misses"
        assert not miss.is_visible()
        find = page.get_by_label("Find")
        find.fill("that is the standard deviation")
        assert miss.is_visible()
        find.fill("dot-variance")
        assert card.is_visible() and not miss.is_visible()
        # What every fold is called is said by no claim.
        find.fill("near misses")
        assert page.locator(SHOWN).count() < len(claims) / 10
        assert page.faults == []


def test_a_question_can_be_sent_as_an_address(browser, site):
    with open_page(browser) as page:
        address = (site / "book/scorecard.html").as_uri()
        page.goto(f"{address}?verdict=corrected&claim=source")
        page.evaluate(SCRIPTED)
        cards = page.locator(SHOWN)
        assert 0 < cards.count() < len(ledger.read_claims(notebooks.ROOT))
        for text in cards.all_inner_texts():
            assert "corrected" in text and "source" in text.lower()
