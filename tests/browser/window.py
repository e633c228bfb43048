"""What the tests in a real browser share: a page, and what to ask it."""

import contextlib
import re
from urllib.parse import urlsplit

import numpy as np

PATIENCE = 120_000  # milliseconds, on a machine with much else to do
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
# Scripts come when the page can be read, and those of what moves when it is
# near; a page without any is done.
SCRIPTED = """
async () => {
  await window.scripted;
  window.near?.();
  await window.moving;
}
"""
# Nothing moves any more: all blocks are laid out (far-blocks.js).
LAID = "html[data-laid]"
# An explorable needs nothing of its page but room to scroll; the rest, which
# is looked at elsewhere (look.py), would be laid out for every setting.
ONLY_EXPLORABLE = """
document.addEventListener("DOMContentLoaded", () => {
  const them = [...document.querySelectorAll("[id^='explore-']")];
  for (const block of document.querySelectorAll("article section > *")) {
    // the contents lead there
    if (block.matches("section, details")) continue;
    if (!them.some(it => block.contains(it))) block.remove();
  }
  document.querySelector("article").style.padding = "100vh 0";
});
"""
# What holds the article, from inside out, and is too narrow for it.
MISFITS = """
() => {
  const narrow = [];
  const article = document.querySelector("article");
  for (let e = article; e; e = e.parentElement) {
    if (e.scrollWidth > e.clientWidth + 1) narrow.push(e.tagName);
  }
  return narrow;
}
"""


@contextlib.contextmanager
def open_page(browser, **options):
    """Open an empty page and list on it what goes wrong."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.faults = faults = []

    def check_request(request):
        host = urlsplit(request.url).hostname
        if host not in (None, "", "127.0.0.1"):
            faults.append(f"a request to {host}")

    def check_response(response):
        if response.status >= 400:
            faults.append(f"{response.status} for {response.url}")

    def check_console(message):
        if message.type == "error":
            faults.append(f"console: {message.text}")

    # Nothing but this computer answers, whatever a page asks for.
    context.route(
        lambda url: urlsplit(url).hostname not in (None, "", "127.0.0.1"),
        lambda route: route.abort(),
    )
    page.on("request", check_request)
    page.on("response", check_response)
    page.on("console", check_console)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield page
    context.close()


def readings(page, element):
    """Return what an explorable reads, as text by name."""
    terms = page.locator(f"{element} dt").all_inner_texts()
    values = page.locator(f"{element} dd").all_inner_texts()
    plain = [text.replace("\xa0", " ") for text in terms + values]
    return dict(zip(plain[: len(terms)], plain[len(terms) :], strict=True))


def numbers(text):
    """Return the numbers in a text."""
    return [float(number) for number in re.findall(r"\d+\.?\d*", text)]


def wait_for_address(page, **expected):
    """Wait until the address says this; None: it says nothing."""
    page.wait_for_function(
        """wanted => {
          const has = new URLSearchParams(location.search);
          return Object.entries(wanted).every(([k, v]) => has.get(k) === v);
        }""",
        arg=expected,
    )


def swipe(page, target, dx, dy):
    """Draw a finger over an element, from a third of its width."""
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind, *places):
        points = [{"x": x + dx * p, "y": y + dy * p} for p in places]
        event = {"type": kind, "touchPoints": points}
        touch.send("Input.dispatchTouchEvent", event)

    send("touchStart", 0)
    for place in np.linspace(0, 1, 16)[1:]:
        send("touchMove", place)
        page.wait_for_timeout(16)
    send("touchEnd")
