"""Pages in Firefox and in WebKit: quiet, legible, wide enough, and moving."""

import contextlib
import json
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from engines import Firefox, WebKit
from pages import SITE
from window import DESKTOP, LAID, MISFITS, PHONE, SCRIPTED

# A page of each kind, and what one sets on it.
PAGES = {
    "index.html": "attention-row input",
    "book/choose-a-scale.html": "scale-calculator input",
    "book/scorecard.html": "claim-filter input",
    "notebooks/03-softmax-jacobian.html": ".softmax-keys input",
    "notebooks/07-cosine-scores.html": "cosine-window input",
}
# Stands before all other scripts of a page, and hears what they meet.
LISTENER = b"""<head><script>
  window.faults = [];
  addEventListener("error", ({target, message}) => faults.push(
    message ?? `${target.src || target.href} has not arrived`), true);
  addEventListener("unhandledrejection", event => faults.push(event.reason));
  console.error = (...words) => faults.push(words.join(" "));
</script>"""
UNTIL = """(async () => {
  for (const start = performance.now(); !(%s);) {
    if (performance.now() > start + 20_000) throw Error("waited in vain");
    await new Promise(done => setTimeout(done, 20));
  }
})()"""
# Formulas in sight that take no room.
EMPTY = """Array.from(document.querySelectorAll("article math"))
  .filter(math => math.textContent && math.checkVisibility())
  .map(math => [math, math.getBoundingClientRect()])
  .filter(([, {width, height}]) => width < 2 || height < 2)
  .map(([math]) => math.outerHTML)"""
FONTS = """document.fonts.ready.then(() => Array.from(document.fonts)
  .filter(font => font.status === "loaded").map(font => font.family).join())"""
# What a page says of its setting.
SAID = """Array.from(document.querySelectorAll(
  ".explorable-readings, .row-sentence, claim-filter [role=status]"))
  .map(part => part.textContent).join()"""
UNCOVERED = """(control => {
  control.scrollIntoView({block: "center"});
  const {x, y, width, height} = control.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === control;
})(%s)"""
TO_CONTROL = """(() => {
  const control = document.querySelector(%r);
  control.scrollIntoView({block: "center"});
  control.focus();
  control.select?.();
  const {x, y, width, height} = control.getBoundingClientRect();
  return {x, y, width, height, kind: control.type};
})()"""
LEFT = "\ue012"
# A finger, as the page hears of it: kinds of event, with where, in shares of
# the width and in pixels below the middle.
FINGER = """(([selector, steps]) => {
  const part = document.querySelector(selector);
  const {x, y, width, height} = part.getBoundingClientRect();
  for (const [kind, share, below] of steps) {
    const clientX = x + share * width, clientY = y + height / 2 + below;
    const finger = {pointerType: "touch", buttons: 1, bubbles: true};
    part.dispatchEvent(kind === "touchend" ? new Event(kind, {bubbles: true})
      : new PointerEvent(kind, {...finger, clientX, clientY}));
  }
})(%s)"""
TOUCH_ACTIONS = """Array.from(document.querySelectorAll(
  ".explorable input[type=range], .explorable-plot"))
  .map(part => getComputedStyle(part).touchAction)"""


class Listening(SimpleHTTPRequestHandler):
    """Serves the site with the listener in each page."""

    def do_GET(self):
        """Answer; a page is sent from memory."""
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html":
            return super().do_GET()
        page = path.read_bytes().replace(b"<head>", LISTENER, 1)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


@pytest.fixture(scope="module")
def root(serve):
    """Return the address at which the site listens to itself."""
    return serve(SITE, Listening)


@pytest.fixture(scope="module", params=[Firefox, WebKit])
def engine(request):
    """Start a browser, or skip its tests and say what is missing."""
    with contextlib.ExitStack() as stack:
        try:
            browser = request.param(stack)
        except FileNotFoundError as error:
            pytest.skip(str(error))
        yield browser


def until(engine, condition):
    """Wait until a condition holds in the page."""
    engine.evaluate(UNTIL % condition)


def visit(engine, address, size=DESKTOP):
    """Open a page, and wait until its scripts have run and it stands still."""
    engine.resize(**size)
    engine.open(address)
    until(engine, "document.readyState === 'complete'")
    engine.evaluate(f"({SCRIPTED})()")
    until(engine, f"document.querySelector({LAID!r})")


def press(engine, key):
    """Press a key."""
    strokes = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
    engine.perform({"type": "key", "id": "keys", "actions": strokes})


def drag(engine, x, y, to_x):
    """Press the mouse at one place, and let go beside it."""

    def move(x):
        return {"type": "pointerMove", "x": int(x), "y": int(y)}

    down = {"type": "pointerDown", "button": 0}
    up = {"type": "pointerUp", "button": 0}
    steps = [move(x), down, move((x + to_x) / 2), move(to_x), up]
    engine.perform({"type": "pointer", "id": "mouse", "actions": steps})


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_can_be_set(engine, root, name):
    """It reports nothing, fits at both widths, and answers keys and mouse."""
    visit(engine, f"{root}/{name}")
    if engine.evaluate("document.querySelectorAll('article math').length"):
        assert "Scale Math" in engine.evaluate(FONTS)
    for size, digit in (DESKTOP, "9"), (PHONE, "8"):
        engine.resize(**size)
        assert engine.evaluate(f"({MISFITS})()") == []
        assert engine.evaluate(EMPTY) == []
        before = engine.evaluate(SAID)
        box = engine.evaluate(TO_CONTROL % PAGES[name])
        press(engine, LEFT if box["kind"] == "range" else digit)
        until(engine, f"({SAID}) !== {before!r}")
        if box["kind"] == "range":
            before = engine.evaluate(SAID)
            control = f"document.querySelector({PAGES[name]!r})"
            # When a window gets narrow the list of chapters slides away.
            until(engine, UNCOVERED % control)
            box = engine.evaluate(TO_CONTROL % PAGES[name])
            y = box["y"] + box["height"] / 2
            middle = box["x"] + box["width"] / 2
            drag(engine, middle, y, box["x"] + box["width"])
            until(engine, f"{control}.value === {control}.max")
            assert engine.evaluate(SAID) != before
    assert engine.evaluate("faults") == []


def test_what_a_finger_sets(engine, root):
    """Across a plot it sets; down it does not, nor does it move a slider.

    The drivers of these browsers have no finger, so what is tested is what
    the page asks the browser for, and what it does with the events of one.
    That the browser scrolls then is tested in Chromium alone.
    """
    visit(engine, f"{root}/notebooks/07-cosine-scores.html", PHONE)
    actions = engine.evaluate(TOUCH_ACTIONS)
    assert len(actions) > 2 and {*actions} == {"pan-y"}

    def finger(selector, *steps):
        """Move one; return whether the page then says something else."""
        before = engine.evaluate(SAID)
        engine.evaluate(FINGER % json.dumps([selector, steps]))
        engine.evaluate("new Promise(requestAnimationFrame)")
        return engine.evaluate(SAID) != before

    down = [["pointerdown", 0.7, 0], ["pointermove", 0.7, 40]]
    across = [["pointerdown", 0.2, 0], ["pointermove", 0.7, 5]]
    taken = [["pointercancel", 0.7, 80], ["touchend", 0.7, 80]]
    assert not finger("cosine-window svg", *down, *taken)
    assert finger("cosine-window svg", *across, ["pointerup", 0.8, 5])
    # As a browser does, which sets a slider where a finger comes down.
    engine.evaluate("""(() => {
      const slider = document.querySelector("cosine-window input");
      slider.addEventListener("pointermove", () => {
        slider.value = slider.max;
        slider.dispatchEvent(new Event("input", {bubbles: true}));
      });
    })()""")
    assert not finger("cosine-window input", *down, *taken)
    assert finger("cosine-window input", *across, ["pointerup", 0.8, 5])


def test_a_fault_would_be_heard(engine, root):
    """The listener hears errors, messages and what does not arrive."""
    engine.open(f"{root}/index.html")
    engine.evaluate("""(() => {
      setTimeout(() => { throw Error("thrown"); });
      console.error("said");
      document.body.append(Object.assign(new Image(), {src: "/none.png"}));
      Promise.reject("rejected");
    })()""")
    until(engine, "faults.length >= 4")
    heard = " ".join(engine.evaluate("faults"))
    for word in ["thrown", "said", "none.png", "rejected"]:
        assert word in heard
