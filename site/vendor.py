"""Fetch Temml and the fonts of the site, with npm.

    python site/vendor.py

Temml writes MathML while the book is built; the fonts are what browsers set
formulas and text in. Running this again changes nothing. Needs npm.
"""

import hashlib
import shutil
import tarfile
import tempfile
from pathlib import Path

from bookkit.npm import download

HERE = Path(__file__).parent
PROVENANCE = "PROVENANCE.txt"
SUMS = "\nSHA-256 sums of the files here:\n"

TEMML = "0.13.5"
FROM_TEMML = {
    "package/LICENSE": "LICENSE",
    "package/dist/temml.min.js": "temml.min.js",
}
OF_TEMML = """\
Temml {version}, the npm package temml@{version}, MIT licence (LICENSE).
Fetched by site/vendor.py. Nothing is changed here.
"""

STIX = "5.3.0"
FROM_STIX = {
    "stix-two-math": ["stix-two-math-latin-400-normal.woff2"],
    "stix-two-text": [
        "stix-two-text-latin-400-normal.woff2",
        "stix-two-text-latin-400-italic.woff2",
        "stix-two-text-latin-600-normal.woff2",
    ],
}
OF_STIX = """\
STIX Two Text and STIX Two Math of the STIX Fonts Project, as the npm packages
@fontsource/stix-two-text@{version} and @fontsource/stix-two-math@{version}
have them, SIL Open Font Licence 1.1 (LICENSE). Fetched by site/vendor.py.
Nothing is changed here; the build cuts the fonts to the signs of the book,
mends that of formulas, and calls the results Scale Text and Scale Math
(site/booksite/fonts.py).
"""


def files_of_npm(package, version, wanted, folder):
    """Return name and content of what is kept of an npm package."""
    with tarfile.open(download(package, version, folder)) as archive:
        return {
            name: archive.extractfile(member).read()
            for member, name in wanted.items()
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
        stix = {}
        for package, names in FROM_STIX.items():
            wanted = {"package/LICENSE": "LICENSE"}
            wanted |= {f"package/files/{name}": name for name in names}
            stix |= files_of_npm(
                f"@fontsource/{package}", STIX, wanted, folder
            )
    replace(HERE / "temml", OF_TEMML.format(version=TEMML), temml)
    replace(HERE / "stix", OF_STIX.format(version=STIX), stix)


if __name__ == "__main__":
    main()
