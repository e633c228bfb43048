"""Find a browser for the tests that open pages and for the PDF.

    python -m bookkit.browser

The browser is the one that CHROMIUM names, or Chromium or Chrome on the PATH,
or Playwright's own. Where there is none, Playwright's is installed, or, by
root where apt is, that of Debian.
"""

import os
import shutil
import subprocess
import sys

from playwright.sync_api import sync_playwright

NAMES = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
]


def find_browser():
    """Return the path of a browser, or None for Playwright's own."""
    if named := os.environ.get("CHROMIUM"):
        if shutil.which(named) is None:
            sys.exit(f"CHROMIUM is set to {named}, which is no program.")
        return named
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright):
    """Start the browser without a window.

    Playwright has it send no word to its maker, and leaves out the sandbox,
    which does not work for root.
    """
    return playwright.chromium.launch(executable_path=find_browser())


def is_there():
    """Tell whether a browser can be started as things are."""
    if find_browser():
        return True
    with sync_playwright() as playwright:
        return os.path.exists(playwright.chromium.executable_path)


def ways():
    """Yield the commands that may bring a browser, each a list of steps."""
    yield [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if hasattr(os, "getuid") and os.getuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "--yes", "--no-install-recommends"]
        yield [["apt-get", "update"], [*install, "chromium"]]


def bring():
    """Install a browser the first way that succeeds; return whether one did.

    What the installers say would be many lines about things that are not
    needed once another way is found.
    """
    quiet = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
    }
    for steps in ways():
        if any(subprocess.run(step, **quiet).returncode for step in steps):
            continue
        if is_there():
            return True
    return False


def main():
    """Find a browser or bring one; where none is to be had, say so."""
    if not is_there() and not bring():
        sys.exit(
            "No browser is to be had here, so no page was opened: install "
            "Chromium or Chrome, or set CHROMIUM to the path of one."
        )


if __name__ == "__main__":
    main()
