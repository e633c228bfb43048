"""Sweeps: the same everywhere, and taken up where they stopped."""

import functools
import linecache
import os
import re
import time
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from scipy import stats

from attention_scale.distributions import cosine
from bookkit import sweeps
from bookkit.sweeps import sweep

PAGE = Path(__file__).parents[2] / "book/larger-sweeps.md"
GRID = {
    "n": [3, 50],
    "scores": [stats.norm(), cosine(64)],
    "seed": range(6),
}


def drawn(n, scores, seed):
    """Return a mean that depends on every bit of a row."""
    return scores.rvs(n, random_state=np.random.default_rng(seed)).mean()


def process(seed):
    """Return this process, after time enough for another to take part."""
    time.sleep(0.1)
    return os.getpid()


def noted(log, x, factor=2):
    """Note the call in a file."""
    with open(log, "a") as file:
        print(x, file=file)
    return factor


def stopping(log, seed, stop):
    """Note the call in a file; at the fourth seed stop, if there is a file."""
    with open(log, "a") as file:
        print(seed, file=file)
    if seed == 3 and os.path.exists(stop):
        raise {"error": OSError, "stop": KeyboardInterrupt}[Path(stop).name]
    return seed


def refuse(function, point):
    """Stand in the way of any computation."""
    raise AssertionError(f"computed again: {point}")


class Log:
    """A file of calls."""

    def __init__(self, path):
        self.path = str(path)

    def calls(self):
        """Return the calls that were noted since this was last asked."""
        file = Path(self.path)
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return sorted(lines)


@pytest.fixture
def log(tmp_path):
    """Return a file of calls, without one."""
    return Log(tmp_path / "log")


def run_as_a_cell(code, name, variables):
    """Run code that is in no file, as a notebook does."""
    lines = code.splitlines(keepends=True)
    linecache.cache[name] = len(code), None, lines, name
    exec(compile(code, name, "exec"), variables)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Run the code of the appendix; return its variables and its folder."""
    if "CI" not in os.environ:
        pytest.skip("a cluster is slow to start: it does so in CI")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    variables = {"__name__": "__main__"}
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("LOKY_MAX_CPU_COUNT", "2")
        for index, block in enumerate(blocks):
            run_as_a_cell(block, f"<page {index}>", variables)
    yield variables, folder
    variables["client"].shutdown()


def test_a_side_for_each_axis_in_their_order():
    c, a, b = [1, 2], range(3), np.array([4, 5, 6, 7])
    found = sweep(lambda a, b, c: 100 * a + 10 * b + c, c=c, a=a, b=b)
    c, a, b = np.ix_(c, a, b)
    assert found.shape == (2, 3, 4)
    np.testing.assert_array_equal(found, 100 * a + 10 * b + c)


def test_results_that_are_arrays_add_their_sides():
    def matrix(x, y):
        return [[x, y, 0], [x * y, 0.5, 1]]

    found = sweep(matrix, x=[2, 3, 4], y=[7])
    assert found.shape == (3, 1, 2, 3)
    np.testing.assert_array_equal(found[2, 0], matrix(4, 7))


def test_results_that_are_no_numbers_make_objects():
    found = sweep(lambda n: (Log(n), "text"), n=[3, 4])
    assert found.shape == (2, 2)
    assert isinstance(found[1, 0], Log) and found[1, 0].path == "4"
    assert found[0, 1] == "text"


def test_numbers_of_numpy_arrive_as_those_of_python():
    for values in np.array([3, 4]), [np.int64(3), np.int64(4)]:
        kinds = sweep(lambda n: type(n).__name__, n=values)
        assert kinds.tolist() == ["int", "int"]
    assert sweep(lambda x: type(x).__name__, x=np.array([0.5])) == ["float"]


def test_without_a_word_it_stays_in_this_process():
    assert (sweep(process, seed=range(3)) == os.getpid()).all()


def test_two_processes_find_the_same_bits():
    here = sweep(drawn, **GRID)
    assert np.unique(here).size == here.size == 24
    with parallel_config(n_jobs=2):
        others = np.unique(sweep(process, seed=range(12)))
        there = sweep(drawn, **GRID)
    assert len(others) == 2 and os.getpid() not in others
    np.testing.assert_array_equal(there, here)
    backwards = GRID | {"seed": GRID["seed"][::-1]}
    np.testing.assert_array_equal(sweep(drawn, **backwards)[..., ::-1], here)


def test_the_page_runs_on_a_cluster_of_two_workers(page):
    variables, _ = page
    assert len(np.unique(variables["here"])) == 48
    with parallel_config(backend="dask"):
        workers = np.unique(sweep(process, seed=range(12)))
    assert len(workers) == 2 and os.getpid() not in workers
    addresses = variables["client"].scheduler_info()["workers"]
    assert all(a.startswith("tcp://127.0.0.1:") for a in addresses)


def test_what_a_cluster_found_is_known_here(page):
    """Though workers don't know a function's source, nor its module."""
    variables, folder = page
    known = {"folder": folder / "kept", **variables["grid"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeps, "_call", refuse)
        found = sweep(variables["geometric_mean"], **known)
    np.testing.assert_array_equal(found, variables["here"])


@pytest.mark.parametrize(
    "name, error", [("error", OSError), ("stop", KeyboardInterrupt)]
)
def test_an_interrupted_sweep_computes_what_is_not_there(
    name, error, log, tmp_path
):
    stop = tmp_path / name
    stop.touch()
    axes = {"log": [log.path], "seed": range(6), "stop": [str(stop)]}
    folder = tmp_path / "kept"
    with pytest.raises(error):
        sweep(stopping, folder=folder, **axes)
    assert log.calls() == ["0", "1", "2", "3"]
    stop.unlink()
    found = sweep(stopping, folder=folder, **axes)
    assert log.calls() == ["3", "4", "5"]
    np.testing.assert_array_equal(found, [[[s] for s in range(6)]])
    np.testing.assert_array_equal(
        sweep(stopping, folder=folder, **axes), found
    )
    assert log.calls() == []


def test_a_sweep_that_grows_computes_what_is_new(log, tmp_path):
    sweep(noted, folder=tmp_path, log=[log.path], x=[1, 2])
    assert log.calls() == ["1", "2"]
    with parallel_config(n_jobs=2):
        sweep(noted, folder=tmp_path, x=[0, 1, 2, 3], log=[log.path])
    assert log.calls() == ["0", "3"]
    sweep(noted, folder=tmp_path, log=[log.path], x=range(4), factor=[2])
    assert log.calls() == []  # 2 is the default
    sweep(noted, folder=tmp_path, log=[log.path], x=[1], factor=[3])
    assert log.calls() == ["1"]


def coin(chance):
    """Return a distribution that differs from others in its values alone."""
    return stats.rv_discrete(values=([0, 1], [1 - chance, chance]))()


def test_distributions_and_numbers_are_known_again(log, tmp_path):
    def count(*values):
        sweep(noted, folder=tmp_path, log=[log.path], x=list(values))
        return len(log.calls())

    assert count(stats.norm(), cosine(64), coin(0.5), (1, cosine(3)), 7) == 5
    np.random.random(3)  # noqa: NPY002  frozen distributions hold its state
    used = cosine(64)
    used.rvs(3)
    assert count(stats.norm(), used, coin(0.5), (1, cosine(3))) == 0
    assert count(np.int64(7)) == 0
    assert count(cosine(65), coin(0.4), (1, cosine(4)), stats.norm(1)) == 4


def test_a_changed_function_is_another(tmp_path):
    def found(number):
        variables = {"__name__": "__main__"}
        code = f"def f(x):\n    return {number} * x\n"
        run_as_a_cell(code, f"<cell {number}>", variables)
        return sweep(variables["f"], folder=tmp_path, x=[1, 2]).tolist()

    assert [found(3), found(4), found(3)] == [[3, 6], [4, 8], [3, 6]]


def test_an_error_says_where():
    def fails(n, scores):
        return 1 / (n - 3)

    with pytest.raises(ZeroDivisionError) as caught:
        sweep(fails, n=[2, 3], scores=[cosine(5)])
    note = "at n=3, scores=beta(2.0, 2.0, loc=-1, scale=2)"
    assert caught.value.__notes__ == [note]


def test_joblib_says_how_far_it_is_when_asked(capfd):
    sweep(process, seed=range(2))
    assert capfd.readouterr() == ("", "")
    with parallel_config(verbose=10):
        sweep(process, seed=range(3))
    assert "Done   3 out of   3" in capfd.readouterr().err


def around(n):
    """Return a function that uses a variable of this one."""

    def inner(x):
        return n + x

    return inner


RNG = np.random.default_rng(0)
BAD = {
    "no axis": ((drawn, {}), ValueError, "axes: there are none; name"),
    "not a function": (("drawn", {"n": [1]}), TypeError, "function: 'drawn'"),
    "a number": ((abs, {"n": 3}), TypeError, "n: 3; an axis should be a li"),
    "a text": ((abs, {"n": "12"}), TypeError, "n: '12'; an axis should be"),
    "an iterator": ((abs, {"n": iter([1])}), TypeError, "n: <list_iterator"),
    "a set": ((abs, {"n": {1, 2}}), TypeError, "n: {1, 2}; an axis"),
    "a matrix": ((abs, {"n": np.eye(2)}), TypeError, r"n: shape \(2, 2\)"),
    "an array of no side": ((abs, {"n": np.ones(())}), TypeError, "n: shape"),
    "nothing": ((abs, {"n": []}), ValueError, r"n: \[\]; .* at least one"),
    "no vector": ((abs, {"n": np.ones(0)}), ValueError, "n: array.* one val"),
    "another name": (
        (drawn, {"n": [1], "scores": [1], "sead": [1]}),
        TypeError,
        r"axes: n, scores, sead; .* function\(n, scores, seed\): .*'seed'",
    ),
    "one too many": (
        (drawn, {"n": [1], "scores": [1], "seed": [1], "d": [1]}),
        TypeError,
        r"axes: n, .* function\(n, scores, seed\): .*'d'",
    ),
    "a generator": (
        (process, {"seed": [RNG]}),
        TypeError,
        "seed: Generator.*depend on the order of the points: give seeds",
    ),
    "an old generator": (
        (process, {"seed": [(1, np.random.RandomState(0))]}),
        TypeError,
        r"seed: \(1, RandomState.*give seeds",
    ),
    "results of two shapes": (
        (lambda n: np.zeros(n), {"n": [2, 3]}),
        ValueError,
        r"function: results of shapes \(2,\) and \(3,\); they should be",
    ),
}


@pytest.mark.parametrize("arguments, error, reason", BAD.values(), ids=BAD)
def test_bad_arguments_are_refused(arguments, error, reason):
    function, axes = arguments
    with pytest.raises(error, match=f"^{reason}"):
        sweep(function, **axes)


UNKNOWN = {
    "a lambda": lambda x: x,
    "an object": functools.partial(noted, "log"),
    "one that uses another's variables": around(3),
}


@pytest.mark.parametrize("function", UNKNOWN.values(), ids=UNKNOWN)
def test_results_that_cannot_be_known_again_are_not_kept(function, tmp_path):
    with pytest.raises(TypeError, match="^folder: results of .* known again"):
        sweep(function, folder=tmp_path, x=[1])


def test_a_function_without_source_is_not_kept(tmp_path):
    variables = {}
    exec("def f(n):\n    return n", variables)
    assert sweep(variables["f"], n=[1]) == [1]
    with pytest.raises(ValueError, match="^folder: the source of .* unknown"):
        sweep(variables["f"], folder=tmp_path, n=[1])
