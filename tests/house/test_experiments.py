"""What experiments stored is small, says what made it, and is not stale."""

import numpy as np
import pytest

from bookkit import stored
from experiments import store
from experiments.trained import sources

STORED = sorted(path.stem for path in stored.FOLDER.glob("*.npz"))


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A repository with one experiment of two files, and what it stored."""
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setattr(stored, "FOLDER", tmp_path / "book" / "data")
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "a.py").write_text('"""Docs."""\nfrom experiments import b\n')
    (folder / "b.py").write_text("SIZE = 3  # why three\n")
    (tmp_path / "text.txt").write_text("words")
    inputs = {"text.txt": store.sha256(tmp_path / "text.txt"), "far": "0"}
    store.write("a", {"x": np.arange(3)}, folder / "a.py", {"n": 3}, inputs)
    return tmp_path


@pytest.mark.parametrize("name", STORED)
def test_stored_data_is_that_of_the_scripts(name):
    """Run the experiment again, as CONTRIBUTING says, where this fails."""
    assert store.stale(name) == []
    assert (stored.FOLDER / f"{name}.npz").stat().st_size <= store.LARGEST
    assert stored.read(name)["provenance"]["versions"]["python"]


@pytest.mark.parametrize(
    "name", [name for name in STORED if name.startswith("trained-")]
)
def test_trained_heads_read_what_would_be_brought_today(name):
    """Each package and each text, to the last bit."""
    noted = stored.read(name)["provenance"]["inputs"]
    weights = {"trained-encoder": ["encoder"]}.get(name, ["decoder"])
    today = sources.inputs(*sources.SECOND if "second" in name else weights)
    assert today.items() <= noted.items()
    others = (sources.PACKAGES | sources.SECOND).values()
    strange = {file for _, file, _ in others} - today.keys()
    assert not strange & noted.keys()


def test_another_text_is_refused(monkeypatch):
    """The novel is brought and read here; one letter more is not it."""
    sources.text.cache_clear()
    novel = sources.text("prose")
    assert novel.startswith("PRIDE AND PREJUDICE")
    monkeypatch.setattr(sources, "prose", lambda: novel + "s")
    sources.text.cache_clear()
    with pytest.raises(ValueError, match="the text prose: its sha256 is"):
        sources.text("prose")
    sources.text.cache_clear()


def test_what_was_written_can_be_read(room):
    """Arrays come back, and the same call writes the same bytes."""
    found = stored.read("a")
    assert found["x"].tolist() == [0, 1, 2]
    noted = found["provenance"]
    assert [*noted["scripts"]] == ["experiments/a.py", "experiments/b.py"]
    before = (stored.FOLDER / "a.npz").read_bytes()
    program = room / "experiments" / "a.py"
    arrays = {"x": np.arange(3)}
    store.write("a", arrays, program, {"n": 3}, noted["inputs"])
    assert (stored.FOLDER / "a.npz").read_bytes() == before


def test_words_about_code_may_change(room):
    """Neither comments nor docstrings make data stale."""
    folder = room / "experiments"
    (folder / "a.py").write_text('"""New."""\n\nfrom experiments import b\n')
    (folder / "b.py").write_text("SIZE = (\n    3\n)\n")
    assert store.stale("a") == []


@pytest.mark.parametrize(
    "path, text",
    [
        ("experiments/b.py", "SIZE = 4\n"),
        ("experiments/a.py", "SIZE = 3\n"),
        ("text.txt", "other words"),
    ],
)
def test_a_change_is_found(room, path, text):
    """Of a module that is imported, of the program, of an input."""
    (room / path).write_text(text)
    assert path in store.stale("a")


def test_too_much_is_refused(room):
    """Nothing larger than 500 kB is kept."""
    noise = np.random.default_rng(0).random(100_000)
    with pytest.raises(ValueError, match="at most 500,000"):
        store.write("b", {"x": noise}, room / "experiments" / "a.py", {})
    assert not (stored.FOLDER / "b.npz").exists()
