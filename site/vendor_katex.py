"""Fetch KaTeX with npm and keep the few files of it that the book needs.

    python site/vendor_katex.py [VERSION]

Running it again with the same version changes nothing.
"""

import hashlib
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from bookkit.npm import download

VERSION = "0.19.1"
TARGET = Path(__file__).parent / "katex"
PROVENANCE = "PROVENANCE.txt"
KEEP = (
    r"LICENSE|dist/katex\.min\.(js|css)|dist/fonts/.*\.woff2"
    r"|dist/contrib/copy-tex\.min\.js"
)
OLD_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)')
HEADER = """\
KaTeX {version}, the npm package katex@{version}, MIT licence (see LICENSE).
Fetched by site/vendor_katex.py from the tarball with the SHA-256 sum
{tarball}
One change: katex.min.css names the woff2 fonts only.

SHA-256 sums of the files here:
"""


def wanted_files(tarball):
    """Yield the path below site/katex and the content of each kept file."""
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            name = member.name.removeprefix("package/")
            if re.fullmatch(KEEP, name):
                content = archive.extractfile(member).read()
                yield re.sub(r"^dist/(contrib/)?", "", name), content


def only_woff2(css):
    """Drop the older font formats, which no browser of today asks for."""
    text, count = OLD_FONTS.subn("", css.decode())
    if not count:
        sys.exit("KaTeX has changed: its style sheet names no older fonts.")
    return text.encode()


def sha256(content):
    """Return the SHA-256 sum as it stands in PROVENANCE.txt."""
    return hashlib.sha256(content).hexdigest()


def vendor(version, tarball, target):
    """Replace the target folder by the wanted files and their sums."""
    files = dict(wanted_files(tarball))
    files["katex.min.css"] = only_woff2(files["katex.min.css"])
    lines = [f"{sha256(files[name])}  {name}\n" for name in sorted(files)]
    header = HEADER.format(
        version=version, tarball=sha256(tarball.read_bytes())
    )
    files[PROVENANCE] = (header + "".join(lines)).encode()
    shutil.rmtree(target, ignore_errors=True)
    for name, content in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def main():
    """Download the asked version and put it in place."""
    version = sys.argv[1] if len(sys.argv) > 1 else VERSION
    with tempfile.TemporaryDirectory() as folder:
        vendor(version, download("katex", version, Path(folder)), TARGET)
    print(f"katex@{version} is in {TARGET}")


if __name__ == "__main__":
    main()
