"""Fetch Temml and the fonts of the site, with npm and from Debian.

    python site/vendor.py

Temml writes MathML while the book is built; the fonts are what browsers set
formulas and text in. Running this again changes nothing. Needs npm, and a
Debian or Ubuntu for the font of formulas.
"""

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from functools import partial
from pathlib import Path

from bookkit.npm import download

HERE = Path(__file__).parent
PROVENANCE = "PROVENANCE.txt"
SUMS = "\nSHA-256 sums of the files here:\n"

TEMML = "0.13.5"
FONTS = "fonts-lmodern"
FROM_TEMML = {
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
OF_TEMML = """\
Temml {version}, the npm package temml@{version}, MIT licence (LICENSE), and
Latin Modern Math 1.959 of the GUST e-foundry, from Debian's package
{fonts}, GUST Font Licence (GUST-FONT-LICENSE.txt).
Fetched by site/vendor.py. Nothing is changed here; the build cuts the font to
the signs of the book, mends it, and calls the result Scale Math
(site/booksite/fonts.py).
"""

STIX = "5.3.0"
FROM_STIX = {"package/LICENSE": "LICENSE"} | {
    f"package/files/{name}": name
    for name in (
        "stix-two-text-latin-400-normal.woff2",
        "stix-two-text-latin-400-italic.woff2",
        "stix-two-text-latin-600-normal.woff2",
        "stix-two-text-greek-400-normal.woff2",
        "stix-two-text-greek-600-normal.woff2",
    )
}
OF_STIX = """\
STIX Two Text of the STIX Fonts Project, as the npm package
@fontsource/stix-two-text@{version} has it, SIL Open Font Licence 1.1
(LICENSE). Fetched by site/vendor.py. Nothing is changed here; the build cuts
the fonts to the signs of the book and calls the result Scale Text
(site/booksite/fonts.py).
"""


def files_of_npm(package, version, wanted, folder):
    """Return name and content of what is kept of an npm package."""
    with tarfile.open(download(package, version, folder)) as archive:
        return {
            name: archive.extractfile(member).read()
            for member, name in wanted.items()
        }


def files_of_debian(folder):
    """Return the package of the font, and name and content of its files."""
    run = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
    run(["apt-get", "download", FONTS])
    (package,) = folder.glob(f"{FONTS}_*.deb")
    run(["dpkg-deb", "--extract", package, "."])
    return package.stem, {
        name: (folder / path).read_bytes()
        for path, name in FROM_DEBIAN.items()
    }


def replace(target, header, files):
    """Replace a folder by files, and say whence they are, with their sums."""
    sums = [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"
        for name in sorted(files)
    ]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for name, content in files.items():
        (target / name).write_bytes(content)
    text = header + SUMS + "".join(sums)
    (target / PROVENANCE).write_text(text, encoding="utf-8")
    print(f"{target} is new")


def main():
    """Replace both folders by the wanted files and their sums."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        temml = files_of_npm("temml", TEMML, FROM_TEMML, folder)
        fonts, math = files_of_debian(folder)
        package = "@fontsource/stix-two-text"
        stix = files_of_npm(package, STIX, FROM_STIX, folder)
    header = OF_TEMML.format(version=TEMML, fonts=fonts)
    replace(HERE / "temml", header, temml | math)
    replace(HERE / "stix", OF_STIX.format(version=STIX), stix)


if __name__ == "__main__":
    main()
