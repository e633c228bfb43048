"""Find a browser for the tests, or install one, and print where it is.

python -m bookkit.browser
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

NAMES = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
]
PLACES = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
]
# No word to its maker, nothing fetched beside the page.
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
HELP = (
    "No browser was found, and none could be installed. Install Chromium or"
    " Chrome, or set CHROMIUM to the path of one."
)


def is_root():
    """Tell whether we are root; on Windows nobody is."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def launch(playwright, path):
    """Start the browser at the path, without a window."""
    # Chromium's sandbox does not work for root.
    flags = FLAGS + (["--no-sandbox"] if is_root() else [])
    return playwright.chromium.launch(executable_path=path, args=flags)


def works(path):
    """Tell whether the browser at the path really shows a page."""
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, path)
            page = browser.new_page()
            page.goto("data:text/html,<p>It works</p>")
            text = page.inner_text("p")
            browser.close()
            return text == "It works"
    except Error:
        return False


def installed_browsers():
    """Yield the paths of the browsers that seem to be there."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from filter(os.path.exists, PLACES)
    yield from filter(os.path.exists, [playwright_browser()])


def playwright_browser():
    """Return the path where Playwright keeps the Chromium it downloads."""
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def install_with_playwright():
    """Let Playwright download its Chromium."""
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    subprocess.run(command, stdout=sys.stderr, check=False)


def install_with_apt():
    """Install the package of Debian and its kin, if we may."""
    if not shutil.which("apt-get"):
        return
    # -n: rather fail than ask for a password.
    sudo = [] if is_root() else ["sudo", "-n"]
    if sudo and not shutil.which("sudo"):
        return
    for command in (["update"], ["install", "-y", "chromium"]):
        subprocess.run(
            [*sudo, "apt-get", "-q", *command], stdout=sys.stderr, check=False
        )


def find_browser():
    """Return the path of the first browser here that works, or None."""
    if path := os.environ.get("CHROMIUM"):
        if not Path(path).exists():
            sys.exit(f"CHROMIUM is set to {path}, which does not exist.")
        if not works(path):
            sys.exit(f"CHROMIUM is set to {path}, which shows no page.")
        return path
    return next(filter(works, installed_browsers()), None)


def ensure_browser():
    """Return the path of a working browser; install one where none is."""
    for install in (None, install_with_playwright, install_with_apt):
        if install:
            print(f"No browser yet: {install.__doc__}", file=sys.stderr)
            install()
        if path := find_browser():
            return path
    return None


def main():
    """Print the path of a browser that works."""
    path = ensure_browser()
    if path is None:
        sys.exit(HELP)
    print(path)


if __name__ == "__main__":
    main()
