"""Find a browser for the tests and the PDF, or install one.

    python -m bookkit.browser

The browser is the one that CHROMIUM names, or Chromium or Chrome on the PATH,
or Playwright's own, which is installed where there is no other.
"""

import os
import shutil
import subprocess
import sys

NAMES = ["chromium", "google-chrome"]


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


def main():
    """Install Playwright's browser where there is no other."""
    if find_browser() is None:
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        if subprocess.run(command, check=False).returncode:
            sys.exit(
                "No browser could be installed. Install Chromium or Chrome,"
                " or set CHROMIUM to the path of one."
            )


if __name__ == "__main__":
    main()
