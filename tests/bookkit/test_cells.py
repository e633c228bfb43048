"""What a cell reads, binds and changes, and so which cells must run."""

import pytest

from bookkit.cells import names_in, needed_for


@pytest.mark.parametrize(
    "source, binds, changes, reads",
    [
        ("x = y + 1", "x", "x", "y"),
        ("x, (y, z) = f(w)", "x y z", "x y z", "f w"),
        ("x += y", "", "x", "x y"),
        ("x[0] = y", "", "x", "x y"),
        ("x.y = z", "", "x", "x z"),
        ("x.append(y)", "", "x", "x y"),
        ("x.change(y)", "", "x", "x y"),
        ("y = x.mean()", "y", "y", "x"),
        ("for x in xs:\n    seen.add(x)", "", "seen x", "seen xs"),
        ("y = x.setdefault(z, 1)", "y", "x y", "x z"),
        ("y = next(x)", "y", "x y", "next x"),
        ("np.copyto(x, y)", "", "x", "np x y"),
        ("figures.label(x, y)", "", "x", "figures x y"),
        ("f(x)", "", "", "f x"),
        ("rng.normal(size=n)", "", "rng", "rng n"),
        ("import a.b as c", "", "c", ""),
        ("[x for x in xs if x > y]", "", "", "xs y"),
        ("x = y\nx + z", "x", "x", "y z"),
        ("x[0] = y\nx = z", "x", "x", "x y z"),
        ("x = y\nx += x", "x", "x", "y"),
        ("for x in xs:\n    y = x", "", "x y", "xs"),
        ("for x in xs:\n    y = x\nx", "", "x y", "xs"),
        ("for x in f(x):\n    y = x", "", "x y", "f x"),
        ("if x:\n    y = x\ny", "", "y", "x y"),
        ("def f(x, n=m):\n    y = x + z\n    return y", "f", "f", "m z"),
        ("def f():\n    return f() + x\nx = f()", "f x", "f x", "f x"),
        ("f = lambda x: x + y", "f", "f", "y"),
    ],
)
def test_names(source, binds, changes, reads):
    found = tuple(" ".join(sorted(names)) for names in names_in(source))
    expected = (binds, changes, reads)
    assert found == tuple(" ".join(sorted(e.split())) for e in expected)


CELLS = [
    ("imports", "import numpy as np"),
    ("x", "x = np.ones(3)"),
    ("figure", "fig, ax = subplots()\nax.plot(x)"),
    ("change", "x[0] = 2"),
    ("y", "y = x.sum()"),
    ("claim", "assert y == 4"),
    ("again", "x = np.zeros(3)"),
    ("other", "assert (x == 0).all()"),
    ("last", "z = y"),
]


@pytest.mark.parametrize(
    "wanted, needed",
    [
        ({"claim"}, {"imports", "x", "change", "y"}),
        ({"other"}, {"imports", "again"}),
        ({"figure"}, {"imports", "x"}),
        ({"imports"}, set()),
        ({"claim", "y"}, {"imports", "x", "change", "y"}),
    ],
)
def test_cells_that_must_run(wanted, needed):
    assert needed_for(wanted, CELLS) == needed
