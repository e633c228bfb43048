"""A fingerprint changes with what runs, and with nothing else."""

import pytest

from bookkit import fingerprints
from bookkit.fingerprints import code_of, imports_of, modules_of

CODE = '''\
"""A module."""

import math  # for pi


class Circle:
    """Round."""

    name = """not
    a # docstring"""

    def area(self, r):
        """Return the area."""
        return math.pi * r**2  # as Archimedes knew
'''


def test_comments_docstrings_and_blank_lines_do_not_count():
    kept = code_of(CODE)
    assert "Archimedes" not in kept and "Return" not in kept
    assert "Round" not in kept and "A module" not in kept
    assert 'name = """not\n    a # docstring"""' in kept
    assert kept == code_of(kept)


@pytest.mark.parametrize(
    "old, new",
    [("r**2", "r**3"), ("not\n", "now\n"), ("math.pi", "math.e")],
)
def test_code_and_texts_that_are_used_count(old, new):
    assert code_of(CODE.replace(old, new)) != code_of(CODE)


BESIDE = """\
def f(): 'As α ‖ β'; return {}

class C: '''Two
    lines'''; x = {}  # so
"""


@pytest.mark.parametrize("changed", [(4, 5), (3, 6)])
def test_code_beside_a_docstring_counts(changed):
    first = code_of(BESIDE.format(3, 5))
    assert first != code_of(BESIDE.format(*changed))
    other_words = BESIDE.replace("As", "If").replace("Two", "Three")
    assert first == code_of(other_words.format(3, 5))


def test_imports_are_found_wherever_they_are():
    source = (
        "import a.b\nfrom c import d\n\ndef f():\n    from e.f import g\n    "
    )
    names = {"a.b", "c", "c.d", "e.f", "e.f.g"}
    assert {*imports_of(source + "return g")} == names
    assert [*imports_of("%matplotlib inline")] == []


@pytest.fixture
def root(tmp_path):
    """Return a book whose module one uses two, which uses one again."""
    folder = tmp_path / "attention_scale"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("from attention_scale import two\n")
    (folder / "two.py").write_text("import attention_scale.one, numpy\n")
    (folder / "three.py").write_text("3\n")
    return tmp_path


@pytest.mark.parametrize(
    "source",
    [
        "from attention_scale import one",
        "import attention_scale.one",
        "from attention_scale.one import anything",
    ],
)
def test_modules_are_those_that_are_reached(root, source):
    names = [f"attention_scale{end}" for end in ("", ".one", ".two")]
    assert [*modules_of(source, root)] == names


def test_two_fingerprints_tell_what_differs(root):
    source = "from attention_scale import one, three"
    before = {"modules": fingerprints.of_code(source, root)}
    (root / "attention_scale/two.py").write_text("import numpy\n")
    (root / "attention_scale/three.py").unlink()
    after = {"modules": fingerprints.of_code(source, root)}
    assert fingerprints.changed_modules(before, after) == [
        "attention_scale.three",
        "attention_scale.two",
    ]


def test_data_that_is_read_counts(root):
    """A chapter is run again when an experiment was."""
    folder = root / "book" / "data"
    folder.mkdir(parents=True)
    (folder / "heads.npz").write_bytes(b"before")
    source = 'from bookkit import stored\nx = stored.read("heads")["x"]\n'
    before = {"modules": fingerprints.of_code(source, root)}
    (folder / "heads.npz").write_bytes(b"after")
    after = {"modules": fingerprints.of_code(source, root)}
    assert fingerprints.changed_modules(before, after) == [
        "book/data/heads.npz"
    ]
