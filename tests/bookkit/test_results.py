"""The map of results knows what the proofs refer to."""

import pytest

from bookkit import notebooks, results


@pytest.fixture(scope="module")
def listed():
    return results.results_of(notebooks.ROOT)


def test_every_theorem_is_on_the_map(listed):
    written = sum(
        cell.source.count("{prf:theorem}") + cell.source.count("{prf:coroll")
        for path in notebooks.chapters(notebooks.ROOT)
        for cell in notebooks.read(path).cells
        if cell.cell_type == "markdown"
    )
    assert len(listed) == written > 80


def test_every_theorem_has_its_proof(listed):
    unproved = [r.label for r in listed.values() if len(r.proofs) != 1]
    assert unproved == ["cor-futures"]  # of which the theorem says it all


@pytest.mark.parametrize(
    ("label", "rests_on"),
    [
        ("thm-stein", ["thm-jacobian", "thm-derivatives"]),  # right below it
        ("thm-freezing", ["thm-stein"]),  # in a section of its own
        ("thm-square-root", ["thm-laplace"]),  # which begins with Of
        ("thm-slow", ["thm-lambert"]),  # by a formula
        ("thm-dot", ["thm-product"]),  # by a section
    ],
)
def test_a_proof_says_what_it_rests_on(listed, label, rests_on):
    assert listed[label].rests_on == rests_on


def test_nothing_rests_on_itself(listed):
    def below(label, seen=()):
        assert label not in seen
        for other in listed[label].rests_on:
            below(other, (*seen, label))

    for label in listed:
        below(label)


@pytest.mark.parametrize(
    ("label", "held"),
    [
        ("thm-jacobian", "machine"),
        ("thm-freezing", "prose"),
        ("thm-stored", "measured"),
    ],
)
def test_the_map_says_how_a_result_is_held(listed, label, held):
    assert listed[label].held == held
