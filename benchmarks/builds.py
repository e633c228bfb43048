"""How long the book takes to build, and its notebooks to run.

All of it in a copy, which is thrown away. A cold build starts from nothing, a
warm one finds nothing changed. Every notebook runs in a fresh kernel, alone;
then all of them, once, as `make execute` runs them, on all cores.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rounds import row, seconds, spread

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

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


def print_times(name, rounds):
    """Print one line."""
    row(WIDTHS, [name, spread(rounds, " s")])
    sys.stdout.flush()  # the next line may take a minute


def main():
    """Time builds, each notebook, and all notebooks together."""
    with tempfile.TemporaryDirectory() as name:
        book = Path(name)
        copy_book(book)
        cold, warm = [], []
        for _ in range(ROUNDS):
            shutil.rmtree(book / "_build", ignore_errors=True)
            cold.append(seconds(build, book))
            warm.append(seconds(build, book))
        print(f"Medians of {ROUNDS} rounds, and between what half lie.")
        print_times("make book, cold", cold)
        print_times("make book, nothing changed", warm)
        chapters = notebooks.chapters(book)
        for path in chapters:
            alone = [seconds(notebooks.execute, path) for _ in range(ROUNDS)]
            print_times(path.stem, alone)
        together = [
            seconds(notebooks.in_parallel, notebooks.execute, chapters)
        ]
        print_times("all notebooks, on all cores, once", together)


if __name__ == "__main__":
    main()
