"""How soon a page can be read on a slow phone, by default and as we build it.

    python benchmarks/pages.py [page ...]

A chapter and the front page, or the pages that are named (such as
notebooks/01-variance-of-a-dot-product), as Jupyter Book builds them by
default and as `make book` has built them. Chromium loads them from a server
that compresses, over a line of 1.6 Mbit/s with 150 ms of latency and with a
processor four times slower than this one, in turns, and then another page of
the same book. Medians, and half of the rounds. Needs npm, for the MathJax that
the default asks a server of others for; here it comes from the same server as
everything else.
"""

import gzip
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright
from rounds import row, spread

from bookkit.browser import launch
from bookkit.npm import download

ROOT = Path(__file__).parents[1]

PARTS = ["attention_scale", "book", "bookkit", "notebooks", "site", "index.md"]
ROUNDS = 5
PAGES = ["notebooks/08-entropy-invariance", "index"]
PHONE = {"width": 412, "height": 823}
LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}
SLOWER = 4
# of each figure: the budget, and its unit
BUDGETS = {
    "bytes": (150, " kB"),
    "bytes, next page": (80, " kB"),
    "style sheets": (40, " kB"),
    "fonts": (60, " kB"),
    "requests": (6, ""),
    "elements": (15_000, ""),
    "first paint": (1.5, " s"),
    "first screen": (2.0, " s"),
    "all mathematics": (4.0, " s"),
    "shift": (0, ""),  # of the window
    "shift, scrolled": (0, ""),
}
WIDTHS = (17, 26, 26, 22, 12)

TOC = """\
format: jb-book
root: index
chapters:
"""
DEFAULT = """\
title: The Scale of Attention
only_build_toc_files: true
bibtex_bibfiles: [book/references.bib]
execute: {execute_notebooks: "off"}
parse:
  myst_enable_extensions: [amsmath, attrs_block, attrs_inline, colon_fence,
    deflist, dollarmath, smartquotes, substitution]
sphinx:
  extra_extensions: [sphinx_proof, sphinx_exercise]
  config: {mathjax_path: mathjax/tex-mml-chtml.js}
"""

# Watches a page from its first moment. A formula is ready when it is MathML,
# or MathJax has set it, it is laid out, and no font is still on its way.
WATCH = """
window.seen = {shift: 0};
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  window.seen.shift += entry.value;
})).observe({type: "layout-shift", buffered: true});
const ready = math => math.querySelector("math, mjx-container")
  && math.checkVisibility({contentVisibilityAuto: true});
const watch = () => {
  const painted = performance.getEntriesByName("first-contentful-paint")[0];
  const fonts = document.fonts.status === "loaded";
  window.seen.painted = painted?.startTime;
  if (painted && fonts && !window.seen.first) {
    const formulas = document.querySelectorAll("article .math");
    let below = false, pending = false;
    for (const formula of formulas) {
      if (formula.getBoundingClientRect().top > innerHeight) {
        below = true;
        break;
      }
      pending ||= !ready(formula);
    }
    if (below && !pending) window.seen.first = performance.now();
  }
  if (window.seen.first && fonts && document.readyState !== "loading") {
    // Those in solutions that are shut are not meant to be seen.
    const formulas = [...document.querySelectorAll("article .math")];
    if (formulas.every(f => ready(f) || !f.checkVisibility())) {
      window.seen.all = performance.now();
    }
  }
  if (!window.seen.all) requestAnimationFrame(watch);
};
requestAnimationFrame(watch);
"""
SCROLL = """
async () => {
  const step = innerHeight * 0.9;
  while (scrollY + innerHeight < document.documentElement.scrollHeight - 1) {
    scrollBy({top: step, behavior: "instant"});
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  }
  await new Promise(done => setTimeout(done, 200));
  return window.seen;
}
"""


class CompressingHandler(SimpleHTTPRequestHandler):
    """Serves files as a server of the web does: compressed, in one line."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        """Say nothing between the lines of the table."""

    def send_head(self):
        """Send the head of a compressed file and return its content."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return None
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix in {".html", ".css", ".js", ".svg"}:
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        return io.BytesIO(content)


def default_book(folder, pages):
    """Build pages as Jupyter Book does by itself; missing links are no harm.

    Returns the folder of the built pages.
    """
    for name in PARTS:
        source, target = ROOT / name, folder / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, target)
    toc = TOC + "".join(
        f"  - file: {page}\n" for page in pages if page != "index"
    )
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    (folder / "_config.yml").write_text(DEFAULT, encoding="utf-8")
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, "build", folder, "--quiet"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    html = folder / "_build" / "html"
    if not (html / f"{pages[0]}.html").exists():
        sys.exit(f"The book could not be built:\n{done.stderr}")
    add_mathjax(html, folder)
    return html


def add_mathjax(html, folder):
    """Put the MathJax of the default beside its pages."""
    archive = download("mathjax", "3.2.2", folder)
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    shutil.copytree(folder / "package" / "es5", html / "_static" / "mathjax")


def serve(html):
    """Serve a folder; return the address."""

    def handler(*args):
        return CompressingHandler(*args, directory=str(html))

    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def noted(devtools):
    """Return tables that fill with the kinds and sizes of what is loaded."""
    kinds, sizes = {}, {}

    def note_kind(event):
        # What stands in the page or its styles is no request; a style sheet
        # of ours has nothing but fonts.
        address = event["response"]["url"]
        if not address.startswith("data:"):
            kind = "Font" if "typeface" in address else event["type"]
            kinds[event["requestId"]] = kind

    devtools.on("Network.responseReceived", note_kind)
    devtools.on(
        "Network.loadingFinished",
        lambda event: sizes.update(
            {event["requestId"]: event["encodedDataLength"]}
        ),
    )
    return kinds, sizes


def load(browser, address, following):
    """Load a page on a slow line, and the next; return what was seen."""
    context = browser.new_context(
        viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True
    )
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", LINE)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    kinds, sizes = noted(devtools)
    page.add_init_script(WATCH)
    page.goto(address, wait_until="load", timeout=120_000)
    page.wait_for_function("window.seen.all", timeout=120_000)
    page.wait_for_timeout(500)
    shift = page.evaluate("window.seen.shift")

    def weights():
        text = [key for key, kind in kinds.items() if kind != "Image"]
        return [sizes.get(key, 0) / 1000 for key in text]

    first = weights()
    styles, fonts = (
        sum(sizes.get(key, 0) for key, kind in kinds.items() if kind == wanted)
        / 1000
        for wanted in ("Stylesheet", "Font")
    )
    elements = page.evaluate("document.querySelectorAll('*').length")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    seen = page.evaluate(SCROLL)
    page.goto(following, wait_until="load", timeout=120_000)
    page.wait_for_function("window.seen.all", timeout=120_000)
    page.wait_for_timeout(500)
    both = weights()
    context.close()
    return {
        "bytes": sum(first),
        "bytes, next page": sum(both) - sum(first),
        "style sheets": styles,
        "fonts": fonts,
        "requests": len(first),
        "elements": elements,
        "first paint": seen["painted"] / 1000,
        "first screen": seen["first"] / 1000,
        "all mathematics": seen["all"] / 1000,
        "shift": shift,
        "shift, scrolled": seen["shift"] - shift,
    }


def table(page, default, ours):
    """Print what was measured, the ratios, and the budgets."""
    print(f"\n{page}")
    row(WIDTHS, ["", "by default", "this book", "ratio", "budget"])
    for name, (budget, unit) in BUDGETS.items():
        columns = [
            [seen[name] for seen in rounds] for rounds in (default, ours)
        ]
        cells = [spread(column, unit) for column in columns]
        ratio = "-"
        if all(columns[1]):
            ratio = spread([a / b for a, b in zip(*columns, strict=True)])
        within = round(median(columns[1]), 3) <= budget
        verdict = f"{budget} {'kept' if within else 'MISSED'}"
        row(WIDTHS, [name, *cells, ratio, verdict])


def main():
    """Build the default, load the pages of both in turns, print tables."""
    pages = sys.argv[1:] or PAGES
    ours = ROOT / "_build" / "html"
    if not (ours / "index.html").exists():
        sys.exit("Run `make book` first.")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        default = default_book(Path(name), pages)
        addresses = {"default": serve(default), "ours": serve(ours)}
        browser = launch(driver)
        for page in pages:
            seen = {book: [] for book in addresses}
            others = (other for other in pages if other != page)
            following = next(others, page)
            for _ in range(ROUNDS):
                for book, address in addresses.items():
                    both = [f"{address}/{p}.html" for p in (page, following)]
                    seen[book].append(load(browser, *both))
            table(page, *seen.values())
        browser.close()


if __name__ == "__main__":
    main()
