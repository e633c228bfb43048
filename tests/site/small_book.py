"""A small book of its own, for tests of what happens when one is built."""

import json
import subprocess
import sys

from bs4 import BeautifulSoup


def build(folder, files):
    """Build the book of these files; return Sphinx's result and its pages."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    html = folder / "_html"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
    result = subprocess.run(
        [*command, folder, html],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return result, html


def read(path):
    """Return the tree of a page."""
    return BeautifulSoup(path.read_bytes(), "lxml")


def notebook(*cells):
    """Return a notebook of these cells, as text."""
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python", "pygments_lexer": "python"},
    }
    return json.dumps(
        {
            "cells": cells,
            "metadata": metadata,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
