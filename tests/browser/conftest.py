"""What the tests that open pages share: a browser, and a server."""

import contextlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from look import faults_of_page
from pages import built_pages
from playwright.sync_api import sync_playwright
from window import LAID, ONLY_EXPLORABLE, open_page

from bookkit.browser import launch


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
                page.wait_for_selector(
                    ".explorable :is(dd, .row-sentence, tbody tr)",
                    state="attached",
                )
                page.wait_for_selector(LAID)
            return page

        yield start


@pytest.fixture(scope="session")
def serve():
    """Return a function that serves a folder and tells its address."""
    servers = []

    def start(folder, kind=SimpleHTTPRequestHandler):
        handler = partial(kind, directory=folder)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
