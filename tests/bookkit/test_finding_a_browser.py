"""A browser is found where it is, brought where it can be, or asked for."""

import os
import shutil
import sys

import pytest

from bookkit import browser

POSIX = pytest.mark.skipif(os.name != "posix", reason="programs are scripts")
# An apt that has the package chromium, and notes what it is asked.
APT = """#!/bin/sh
echo "$@" >> "{folder}/asked"
[ "$1" = update ] || ln -s "{true}" "{folder}/chromium"
"""


@pytest.fixture
def empty(monkeypatch, tmp_path):
    """Return the one folder on the PATH; no browser is anywhere."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))
    return tmp_path


def test_a_browser_can_be_named(monkeypatch, empty):
    """CHROMIUM names a program; else one is looked for on the PATH."""
    assert browser.find_browser() is None
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert browser.find_browser() == sys.executable
    monkeypatch.setenv("CHROMIUM", str(empty / "none"))
    with pytest.raises(SystemExit, match="none, which is no program"):
        browser.find_browser()


@POSIX
def test_where_none_is_to_be_had_one_line_says_so(monkeypatch, empty):
    assert not browser.is_there()
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(sys, "executable", shutil.which("false", path="/bin"))
    with pytest.raises(SystemExit, match="^No browser .* CHROMIUM [^\n]*$"):
        browser.main()


@POSIX
def test_root_asks_debian_when_playwright_has_none(monkeypatch, empty):
    true, false = (shutil.which(n, path="/bin") for n in ("true", "false"))
    apt = empty / "apt-get"
    apt.write_text(APT.format(folder=empty, true=true))
    apt.chmod(0o755)
    for name in "sh", "ln":
        (empty / name).symlink_to(shutil.which(name, path="/bin"))
    monkeypatch.setattr(sys, "executable", false)
    monkeypatch.setattr(os, "getuid", lambda: 0)
    browser.main()
    asked = (empty / "asked").read_text().splitlines()
    assert asked[0] == "update" and asked[1].endswith(" chromium")
    assert browser.find_browser() == str(empty / "chromium")
    browser.main()  # nothing more is asked
    assert (empty / "asked").read_text().splitlines() == asked
