"""What the tests of the built site share: its pages and a browser."""

import contextlib
import json
import threading
from pathlib import Path

import lxml.html
import pytest
from look import faults_of_page
from playwright.sync_api import sync_playwright
from py_mini_racer import MiniRacer
from window import LAID, ONLY_EXPLORABLE, SITE, built_pages, open_page

from bookkit.browser import launch
from bookkit.serve import start_server

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built book."""
    assert built_pages()
    return SITE


@pytest.fixture(scope="session")
def paths():
    """Return the paths of all pages."""
    return [*built_pages().values()]


@pytest.fixture(scope="session")
def pages(paths):
    """Return the parsed pages, by their path."""
    return {path: lxml.html.parse(path).getroot() for path in paths}


@pytest.fixture(scope="session")
def chapters(paths):
    """Return the paths of the pages that are made from notebooks."""
    return [path for path in paths if path.parent.name == "notebooks"]


@pytest.fixture(scope="session")
def browser():
    """Start the browser once; it can reach this computer only."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def look(browser):
    """Return a function that tells what is wrong on a page, by its place."""
    with open_page(browser) as page:
        paths = built_pages()
        yield lambda name: faults_of_page(page, name, paths[name])


@pytest.fixture
def open_explorable(browser):
    """Return a function that opens an address and waits for the figure."""
    with contextlib.ExitStack() as stack:

        def start(address, **options):
            page = stack.enter_context(open_page(browser, **options))
            page.add_init_script(ONLY_EXPLORABLE)
            page.goto(address)
            if options.get("java_script_enabled", True):
                # Scripts come when the page can be read.
                page.wait_for_selector(".explorable dd", state="attached")
                page.wait_for_selector(LAID)
            return page

        yield start


@pytest.fixture(scope="session")
def serve():
    """Return a function that serves a folder and tells its address."""
    servers = []

    def start(folder):
        server = start_server(folder, port=0)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()


@pytest.fixture(scope="module")
def script():
    """Return a function that calls an expression of the explorables."""
    with MiniRacer() as engine:
        folder = ROOT / "site" / "explorables"
        for path in sorted(folder.glob("*.js")):
            engine.eval(path.read_text(encoding="utf-8"))

        def call(function, *arguments):
            listed = ", ".join(json.dumps(a) for a in arguments)
            return json.loads(
                engine.eval(f"JSON.stringify(({function})({listed}))")
            )

        yield call
