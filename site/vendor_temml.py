"""Fetch Temml with npm, and the font of formulas from Debian.

    python site/vendor_temml.py

Temml writes MathML while the book is built; the font is what browsers set it
in. Running this again changes nothing. Needs npm, and a Debian or Ubuntu for
the font.
"""

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from functools import partial
from pathlib import Path

from bookkit.npm import download

TEMML = "0.13.5"
TARGET = Path(__file__).parent / "temml"
PROVENANCE = "PROVENANCE.txt"
FONTS = "fonts-lmodern"
FROM_NPM = {
    "package/LICENSE": "LICENSE",
    "package/dist/temml.min.js": "temml.min.js",
}
FROM_DEBIAN = {
    "usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf": (
        "latinmodern-math.otf"
    ),
    "usr/share/texmf/doc/fonts/lm-math/GUST-FONT-LICENSE.txt": (
        "GUST-FONT-LICENSE.txt"
    ),
}
HEADER = """\
Temml {version}, the npm package temml@{version}, MIT licence (LICENSE), and
Latin Modern Math 1.959 of the GUST e-foundry, from Debian's package
{fonts}, GUST Font Licence (GUST-FONT-LICENSE.txt).
Fetched by site/vendor_temml.py. Nothing is changed here; the build cuts the
font to the signs of the book, mends it, and calls the result Scale Math
(site/extensions/fonts.py).

SHA-256 sums of the files here:
"""


def files_of_temml(folder):
    """Return name and content of what is kept of the npm package."""
    with tarfile.open(download("temml", TEMML, folder)) as archive:
        return {
            name: archive.extractfile(member).read()
            for member, name in FROM_NPM.items()
        }


def files_of_font(folder):
    """Return the package of the font, and name and content of its files."""
    run = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
    run(["apt-get", "download", FONTS])
    (package,) = folder.glob(f"{FONTS}_*.deb")
    run(["dpkg-deb", "--extract", package, "."])
    return package.stem, {
        name: (folder / path).read_bytes()
        for path, name in FROM_DEBIAN.items()
    }


def main():
    """Replace the target folder by the wanted files and their sums."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = files_of_temml(folder)
        fonts, more = files_of_font(folder)
    files |= more
    sums = [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"
        for name in sorted(files)
    ]
    header = HEADER.format(version=TEMML, fonts=fonts)
    files[PROVENANCE] = (header + "".join(sums)).encode()
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir()
    for name, content in files.items():
        (TARGET / name).write_bytes(content)
    print(f"temml@{TEMML} and {fonts} are in {TARGET}")


if __name__ == "__main__":
    main()
