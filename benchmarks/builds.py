"""How long the book takes to build, and its notebooks to run.

All of it in a copy, which is thrown away. A cold build starts from nothing, a
warm one finds nothing changed. The notebooks run as `make execute` runs them:
each in a fresh kernel, and as many at once as there are cores.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rounds import row, seconds, spread

from bookkit import notebooks

ROOT = Path(__file__).parents[1]

ROUNDS = 3
BUILD = ["build", ".", "-W", "-n", "--keep-going", "--quiet"]  # of make book
WIDTHS = (36, 30)


def copy_book(folder):
    """Copy what git has or would take."""
    command = ["git", "ls-files", "-z", "--cached", "--others"]
    listing = subprocess.run(
        [*command, "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def build(book):
    """Build the book of a folder, or end with what it said."""
    program = Path(sys.executable).with_name("jupyter-book")
    done = subprocess.run(
        [program, *BUILD], cwd=book, capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        sys.exit(f"The book could not be built:\n{done.stdout}{done.stderr}")


def run(path):
    """Time one notebook."""
    return seconds(notebooks.fresh, path)


def print_times(name, rounds):
    """Print one line."""
    row(WIDTHS, [name, spread(rounds, " s")])
    sys.stdout.flush()  # the next lines may take minutes


def main():
    """Time builds, each notebook, and all notebooks together."""
    with tempfile.TemporaryDirectory() as name:
        book = Path(name)
        copy_book(book)
        print(f"Medians of {ROUNDS} rounds, and what half of them lie between")
        cold, warm = [], []
        for _ in range(ROUNDS):
            shutil.rmtree(book / "_build", ignore_errors=True)
            cold.append(seconds(build, book))
            warm.append(seconds(build, book))
        print_times("make book, cold", cold)
        print_times("make book, nothing changed", warm)
        chapters = notebooks.chapters(book)
        each, together = [], []

        def run_all():
            each.append(notebooks.in_parallel(run, chapters))

        for _ in range(ROUNDS):
            together.append(seconds(run_all))
        for path, times in zip(chapters, zip(*each, strict=True), strict=True):
            print_times(path.stem, times)
        print_times("all notebooks", together)


if __name__ == "__main__":
    main()
