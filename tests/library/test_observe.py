"""Statistics of rows, against all rows written out in float64."""

import functools
import itertools
import re
import subprocess
import sys
import tracemalloc
from collections import defaultdict

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import norm

from attention_scale import entropy
from attention_scale.length import entropy_invariant_scale
from attention_scale.observe import (
    dead_share_bound,
    effective_keys,
    factor,
    largest_logit,
    row_statistics,
)
from attention_scale.observe.sums import RowSums
from attention_scale.quenched import averages
from attention_scale.softmax import log_partition, softmax

BATCH, HEADS, OF_KEYS, D = 2, 4, 2, 8
LIBRARIES = {"numpy": np.asarray, "strict": array_api_strict.asarray}
EACH = pytest.mark.parametrize("library", LIBRARIES)


def drawn(n_queries, n_keys, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    query = 2 * rng.standard_normal((BATCH, HEADS, n_queries, D))
    key = rng.standard_normal((BATCH, OF_KEYS, n_keys, D))
    return query.astype(dtype), key.astype(dtype)


def by_brute_force(
    query, key, scale, seen, cap=None, added=0.0, sink=None, near=64
):
    """Return each statistic and its error, from the whole matrix."""
    query, key = query.astype(np.float64), key.astype(np.float64)
    key = np.repeat(key, HEADS // OF_KEYS, axis=1)
    x = scale * np.einsum("bhqd,bhkd->bhqk", query, key)
    if cap:
        x = cap * np.tanh(x / cap)
    x = x + added
    seen = np.broadcast_to(seen, x.shape)
    offset = x.shape[3] - x.shape[2]
    rows = defaultdict(lambda: [[] for _ in range(HEADS)])
    for b, h, q in np.ndindex(x.shape[:3]):
        counts = seen[b, h, q].copy()
        if sink is None:
            beside = -np.inf
        elif sink == "first":
            beside = x[b, h, q, 0] if counts[0] else -np.inf
            counts[0] = False
        else:
            beside = sink[h]
        row = x[b, h, q, counts]
        if row.size < 2:
            continue
        p = np.exp(row - row.max())
        p /= p.sum()
        all_ = np.exp(np.append(row, beside) - row.max())
        place = np.flatnonzero(counts)
        values = {
            "alpha": row.std(),
            "entropy": -(p * np.log(p)).sum(),
            "collision": (p**2).sum(),
            "top_logit": row.max(),
            "dead": float(1 - (p**2).sum() < 0.01),
            "sink_weight": all_[-1] / all_.sum(),
            "near": p[np.abs(place - q - offset) < near].sum(),
        }
        for name, value in values.items():
            rows[name][h].append(value)
    found = {}
    for name, heads in rows.items():
        values = np.array(heads)
        found[name] = (
            values.mean(-1),
            values.std(-1, ddof=1) / np.sqrt(values.shape[-1]),
        )
    return found


def check(found, wanted):
    """Compare, the effective keys by the mean of Σp²."""
    collision, error = wanted.pop("collision")
    wanted["effective_keys"] = 1 / collision, error / collision**2
    for name, (value, error) in wanted.items():
        statistic = getattr(found, name)
        # float32 inside has 1e-7, on logits of size 10
        np.testing.assert_allclose(
            statistic.value, value, rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(
            statistic.standard_error, error, rtol=1e-4, atol=1e-6
        )


def causal(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@EACH
@pytest.mark.parametrize("sink", [None, "first", [0.5, -1.0, 3.0, 0.0]])
@pytest.mark.parametrize("cap", [None, 2.0])
def test_statistics_are_those_of_all_rows(library, sink, cap):
    query, key = drawn(20, 33)
    to = LIBRARIES[library]
    found = row_statistics(
        to(query),
        to(key),
        causal=True,
        sink=to(np.array(sink)) if isinstance(sink, list) else sink,
        cap=cap,
        near=7,
        least_keys=2,
    )
    seen = causal(20, 33)
    check(
        found,
        by_brute_force(query, key, D**-0.5, seen, cap, 0.0, sink, near=7),
    )
    assert found.keys.shape == (HEADS, BATCH * 20)
    assert found.keys.max() == 33 - (sink == "first")


@EACH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_masks_of_both_kinds(library, dtype):
    query, key = drawn(9, 40, dtype=dtype)
    rng = np.random.default_rng(1)
    to = LIBRARIES[library]
    seen = rng.random((BATCH, 1, 9, 40)) < 0.7
    bias = rng.standard_normal((HEADS, 1, 40)).astype(dtype)
    for scale in 0.3, -0.3:
        found = row_statistics(
            to(query), to(key), scale=scale, mask=to(seen), least_keys=2
        )
        check(found, by_brute_force(query, key, scale, seen))
    # the least float as often stands for -inf
    for low in -np.inf, np.finfo(dtype).min:
        added = np.where(seen, bias, dtype(low))
        found = row_statistics(
            to(query), to(key), scale=0.3, mask=to(added), least_keys=2
        )
        check(found, by_brute_force(query, key, 0.3, seen, added=bias))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("low", [-1e4, -9984, -32752, -6e4])
def test_an_added_number_of_ten_thousand_masks(dtype, low):
    """As libraries write it, and as bfloat16 has it; a bias of 9000 is one."""
    query, key = drawn(9, 40, dtype=dtype)
    seen = np.random.default_rng(1).random((9, 40)) < 0.7
    wanted = by_brute_force(query, key, D**-0.5, seen)
    check(
        row_statistics(
            query, key, mask=np.where(seen, 0, low).astype(dtype), least_keys=2
        ),
        wanted,
    )
    added = np.where(seen, 0, -9000).astype(dtype)
    biased = row_statistics(query, key, mask=added, least_keys=2)
    assert (biased.alpha.value > 1000).all()
    assert (biased.keys == 40).all()


def test_rows_that_are_not_finite_are_counted():
    """A head of NaN, one with an infinite query, and two that are fine."""
    query, key = drawn(20, 40)
    plain = row_statistics(query, key)
    query[:, 0], query[1, 1, 5] = np.nan, np.inf
    found = row_statistics(query, key)
    assert found.nonfinite.tolist() == [40, 1, 0, 0]
    assert found.rows.tolist() == [0, 39, 40, 40]
    assert np.isnan(found.dead.value).tolist() == [True, True, False, False]
    assert np.isnan(found.alpha.value).tolist() == [True] + 3 * [False]
    np.testing.assert_array_equal(
        found.entropy.value[2:], plain.entropy.value[2:]
    )
    assert re.search("^head .* nonfinite\n.* 40\n.* 1\n.* 0\n", repr(found))
    # where a key is masked it may hold anything
    key[:, :, 7] = np.nan
    mask = np.arange(40) != 7
    hidden = row_statistics(query, key, mask=mask)
    assert hidden.nonfinite.tolist() == [40, 1, 0, 0]


def test_the_first_key_is_the_first_that_is_seen():
    """Behind padding on the left, of another length in each text."""
    query, key = drawn(40, 40)
    real = np.ones((BATCH, 1, 1, 40), bool)
    real[0, ..., :6] = False
    seen = causal(40, 40) & real
    found = row_statistics(query, key, mask=seen, sink="first", least_keys=2)
    apart = [
        row_statistics(
            query[i : i + 1, :, skip:],
            key[i : i + 1, :, skip:],
            causal=True,
            sink="first",
            least_keys=2,
        )
        for i, skip in enumerate((6, 0))
    ]
    for name in "sink_weight", "alpha", "entropy":
        wanted = np.average(
            [getattr(one, name).value for one in apart],
            axis=0,
            weights=[32, 38],
        )
        np.testing.assert_allclose(
            getattr(found, name).value, wanted, rtol=1e-10
        )


@pytest.mark.parametrize("static", [False, True])
def test_near_is_of_the_place_in_the_text(static):
    """One query after cached keys, whose room may be larger than they."""
    query, key = drawn(60, 60)
    whole = row_statistics(query, key, causal=True, near=7, rows=None)
    steps = []
    for i in range(31, 60):
        room = 64 if static else i + 1
        keys = np.zeros((BATCH, OF_KEYS, room, D))
        keys[:, :, : i + 1] = key[:, :, : i + 1]
        steps.append(
            row_statistics(
                query[:, :, i : i + 1],
                keys,
                mask=np.arange(room) <= i if static else None,
                near=7,
                least_keys=2,
            ).near.value
        )
    np.testing.assert_allclose(np.mean(steps, axis=0), whole.near.value)


def test_short_rows_have_what_can_be_said_of_them():
    query, key = drawn(16, 16)
    found = row_statistics(query, key, causal=True, rows=None)
    check(
        row_statistics(query, key, causal=True, rows=None, least_keys=2),
        by_brute_force(query, key, D**-0.5, causal(16, 16)),
    )
    assert found.too_short
    assert np.isfinite(found.alpha.value).all()
    assert np.isnan(found.normal.entropy).all()
    assert not row_statistics(*drawn(40, 40)).too_short


def test_batches_are_broadcast():
    query, key = drawn(20, 40)
    one = row_statistics(query, key[:1])
    both = row_statistics(query, np.repeat(key[:1], BATCH, axis=0))
    np.testing.assert_array_equal(one.entropy.value, both.entropy.value)
    shared = row_statistics(query[:1], key)
    assert shared.keys.shape == (HEADS, BATCH * 20)


@pytest.mark.parametrize("batch, rows", [(3, 10), (100, 64), (2, 4), (40, 3)])
def test_about_as_many_rows_are_drawn_as_asked(batch, rows):
    """Of the whole batch: how many texts there are costs no more."""
    query = np.random.default_rng(0).standard_normal((batch, 1, 50, 4))
    found = row_statistics(query, query, rows=rows)
    assert rows <= found.rows[0] < rows + 16


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
@settings(max_examples=25)
def test_sums_of_calls_are_those_of_all_rows(cuts):
    rng = np.random.default_rng(sum(cuts))
    names = [*RowSums.NAMES, "nonfinite"]
    found = {name: rng.standard_normal((2, sum(cuts))) for name in names}
    found["nonfinite"] = rng.integers(0, 2, (2, sum(cuts)))
    found["keys"] = rng.integers(0, 60, (2, sum(cuts)))
    whole, parts = RowSums(), RowSums()
    whole.add(found)
    for i, j in itertools.pairwise(np.cumsum([0, *cuts])):
        parts.add({name: values[:, i:j] for name, values in found.items()})
    for name in RowSums.NAMES:
        np.testing.assert_allclose(
            parts.mean(name), whole.mean(name), rtol=1e-9, atol=1e-12
        )
    np.testing.assert_array_equal(parts.nonfinite, whole.nonfinite)
    np.testing.assert_array_equal(parts.largest, whole.largest)
    for some, every in zip(parts.keys, whole.keys, strict=True):
        known = every[np.isfinite(every)]
        np.testing.assert_array_equal(some[np.isfinite(some)], known)


def test_rows_are_drawn_by_the_seed_and_say_how_uncertain_they_are():
    rng = np.random.default_rng(0)
    query, key = rng.standard_normal((2, 1, 2000, 16))
    full = row_statistics(query, key, rows=2000)
    off = []
    for seed in range(40):
        found = row_statistics(query, key, rows=50, seed=seed)
        off.append(
            (found.entropy.value - full.entropy.value)
            / found.entropy.standard_error
        )
    # 40 draws: the spread of their errors is known to 11%, so to three of it
    assert 0.66 < np.sqrt(np.mean(np.square(off))) < 1.34
    again = row_statistics(query, key, rows=50, seed=seed)
    assert again.entropy.value == found.entropy.value


def test_no_matrix_of_all_rows_is_made():
    n = 4096
    query, key = np.random.default_rng(0).standard_normal(
        (2, 1, n, 4), np.float32
    )
    tracemalloc.start()
    row_statistics(query, key, rows=32)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * n * n / 4


def test_blocks_of_rows_change_nothing(monkeypatch):
    query, key = drawn(40, 40)
    whole = row_statistics(query, key, causal=True)
    monkeypatch.setattr("attention_scale.observe.case.AT_ONCE", 3000)
    blocks = row_statistics(query, key, causal=True)
    np.testing.assert_allclose(
        blocks.entropy.value, whole.entropy.value, rtol=1e-12
    )


def test_rows_of_few_keys_are_left_out():
    query, key = drawn(100, 100)
    found = row_statistics(query, key, causal=True)
    assert found.keys.min() == 32
    one = np.zeros((100, 100), bool)
    one[:, 0] = True
    empty = row_statistics(query, key, mask=one)
    assert np.isnan(empty.entropy.value).all()
    assert np.isnan(empty.largest_logit).all()
    assert np.isnan(empty.normal.entropy).all()
    assert "nan" in repr(empty)


def test_normal_rows_are_the_exact_averages():
    rng = np.random.default_rng(0)
    alphas = np.linspace(0.2, 6, 30)  # of so many heads that it interpolates
    query = alphas[:, None, None] * rng.standard_normal((30, 200, 64))
    key = rng.standard_normal((30, 200, 64))
    for few in slice(0, 30, 7), slice(None):
        found = row_statistics(query[few], key[few], causal=True)
        n, alpha = found.keys[1], found.alpha.value[1]
        wanted = averages(n, alpha, tolerance=1e-8)
        np.testing.assert_allclose(
            found.normal.entropy[1], wanted.entropy.mean(), rtol=1e-5
        )
        np.testing.assert_allclose(
            found.normal.effective_keys[1],
            1 / wanted.collision.mean(),
            rtol=1e-4,
        )
        np.testing.assert_allclose(
            found.normal.alpha_c[1], np.sqrt(2 * np.log(n)).mean()
        )


def test_random_rows_have_what_normal_rows_have():
    rng = np.random.default_rng(3)
    query, key = rng.standard_normal((2, 1, 2000, 256))
    found = row_statistics(2 * query, key, rows=500)
    # rows of one set of keys are not independent: twice the usual four
    off = found.entropy.value - found.normal.entropy
    assert abs(off) < 8 * found.entropy.standard_error
    assert found.alpha.value == pytest.approx(2, abs=0.02)


def test_the_table_has_a_line_for_each_head():
    query, key = drawn(40, 40)
    lines = repr(row_statistics(query, key)).splitlines()
    assert len(lines) == 1 + HEADS
    assert lines[0].split()[:4] == ["head", "alpha", "/alpha_c", "H"]
    assert len({len(line) for line in lines}) == 1


def head_of(n, spread, seed=0):
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((2, 1, n, 64))
    return spread * query, key


def test_the_factor_gives_back_the_entropy_of_the_last_keys():
    n, base = 512, 64
    query, key = head_of(n, 2.0)
    found = factor(query, key, base, rows=n, causal=True)
    x = query[0] @ key[0].T / 8
    rows = range(n - n // 8 - 1, n)
    full = [
        entropy.shannon(softmax(x[i, : i + 1], found.value[0])) for i in rows
    ]
    last = [entropy.shannon(softmax(x[i, i + 1 - base : i + 1])) for i in rows]
    assert np.mean(full) == pytest.approx(np.mean(last), abs=1e-7)
    law = entropy_invariant_scale(n - n // 16, x.std(), base) / x.std()
    assert found.law[0] == pytest.approx(law, rel=0.02)
    # normal rows: the law and the solution agree
    assert abs(found.value - found.law) < 8 * found.standard_error + 0.01


def test_the_factor_gives_back_the_weight_of_the_best_key():
    n, base = 512, 64
    query, key = head_of(n, 0.3, seed=1)
    query, key = query[:, :2], 0.1 * key
    # one key stands out, near the end
    key[0, -5] = query[0, 0] * 0.5
    query = np.repeat(query[:, :1], 2, axis=1)
    found = factor(query, key, base, keep="margin")
    x = query[0, 0] @ key[0].T / 8
    best = np.argmax(x[-base:]) - base
    assert softmax(x, found.value[0])[best] == pytest.approx(
        softmax(x[-base:])[best], rel=1e-7
    )
    assert found.law[0] > 1


def test_a_factor_that_no_scale_gives_is_not_a_number():
    key = np.zeros((1, 64, 4))
    key[0, ::2] = 1
    found = factor(np.ones((1, 64, 4)), key, 2)
    # half of the keys tie: no scale leaves less than log 32
    assert np.isnan(found.value[0])


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=30),
    st.sampled_from([1.5, 2.0, 16.0, 128.0]),
)
@settings(max_examples=50)
def test_two_sums_bound_the_largest_logit(row, k):
    x = np.array(row)
    lower, upper = largest_logit(log_partition(x), log_partition(x, k), k)
    slack = 1e-12 * max(1, np.abs(x).max())
    assert lower <= x.max() + slack
    assert upper >= x.max() - slack


def test_the_bounds_are_as_wide_as_said():
    x = 3 * np.random.default_rng(0).standard_normal((200, 8192))
    lse = log_partition(x)
    for k, width in (2, 1.7), (16, 0.14), (128, 0.016):
        lower, upper = largest_logit(lse, log_partition(x, k), k)
        # four standard errors of 200 rows, whose widths vary by a third
        assert (upper - lower).mean() == pytest.approx(width, rel=0.1)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=30))
@settings(max_examples=50)
def test_effective_keys_are_those_of_the_weights(row):
    found = effective_keys(log_partition(row), log_partition(row, 2.0))
    wanted = 1 / entropy.collision(softmax(row))
    assert found == pytest.approx(wanted, rel=1e-11)


Q, K = np.ones((2, 40, 4)), np.ones((1, 40, 4))
# what is given beside the queries and keys above, or in their place
WRONG = [
    ({"query": Q.astype(int)}, "query: an array of int64"),
    ({"query": Q[0, 0]}, r"query: shape \(4,\), key: shape"),
    ({"key": K[..., :3]}, "query: shape .* should be alike"),
    ({"key": np.ones((3, 40, 4))}, "query: .* divide"),
    ({"key": K[:, :1]}, "query: .* at least two keys"),
    ({"key": K[:, :9], "causal": True}, "query: .* as many"),
    ({"scale": np.inf}, "scale: inf; it should be fin"),
    ({"cap": 0}, "cap: 0; it should be positive"),
    ({"mask": np.ones((40, 40), int)}, "mask: an array of int64; .* booleans"),
    ({"mask": Q}, r"mask: shape \(2, 40, 4\); it"),
    ({"sink": "last"}, "sink: 'last'; it should"),
    ({"sink": np.ones(3)}, r"sink: shape \(3,\)"),
    ({"rows": 1}, "rows: 1; it should be a whole"),
    ({"rows": "all"}, "rows: 'all'; .* or None for"),
]


@pytest.mark.parametrize("given, words", WRONG, ids=[w for _, w in WRONG])
def test_wrong_arguments_are_named(given, words):
    error = TypeError if "an array of int" in words else ValueError
    for call in row_statistics, functools.partial(factor, n=2):
        with pytest.raises(error, match=f"^{words}"):
            call(**{"query": Q, "key": K} | given)


@pytest.mark.parametrize(
    "call, arguments, words",
    [
        (factor, (Q, K, 4, "mean"), "keep: 'mean'; it should be 'ent"),
        (factor, (Q, K, 1), "n: 1; it should be a whole"),
        (factor, (Q, K, 40), "n: 40; it should be a whole"),
        (factor, (Q, K, 2.5), "n: 2.5; it should be a whole"),
        (largest_logit, (1, 2, 1), "k: 1; it should be above 1"),
        (largest_logit, (1, 3, 2), "lse_k: 3; it should be at most k"),
        (dead_share_bound, (1, 1), "n: 1; .* from 2"),
        (dead_share_bound, (1e13, 1), "n: .*; it should be at most 1e12"),
    ],
)
def test_numbers_out_of_range_are_named(call, arguments, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        call(*arguments)


def test_arrays_of_two_libraries_are_refused():
    with pytest.raises(TypeError, match="should be arrays of one library"):
        row_statistics(array_api_strict.asarray(Q), K)


def test_numpy_needs_no_other_library():
    program = (
        "import sys; sys.modules['array_api_compat'] = None\n"
        "import numpy as np\n"
        "from attention_scale.observe import row_statistics\n"
        "q = np.random.default_rng(0).standard_normal((1, 64, 8))\n"
        "row_statistics(q, q)\n"
        "class Other: dtype = shape = None\n"
        "try: row_statistics(Other(), q)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "pip install 'attention-scale[observe]'" in done.stdout


@pytest.mark.parametrize("n", [2, 128, 8192, 10**12])
def test_bound_of_dead_rows_is_its_integral(n):
    """By adaptive quadrature, at scales where few rows die and where most."""
    gaps = 2 * np.arccosh(1 / np.sqrt(0.02))
    alphas = np.array([0.5, 2.0, 8.0, 64.0])
    assert dead_share_bound(n, 0.0) == 0

    def chance(m, alpha):
        log_others = (n - 1) * norm.logcdf(m - gaps / alpha)
        return n * norm.pdf(m) * np.exp(log_others)

    for alpha, found in zip(alphas, dead_share_bound(n, alphas), strict=True):
        at = np.linspace(-9, 37, 93)
        exact = sum(
            integrate.quad(chance, *ends, args=(alpha,), epsrel=1e-12)[0]
            for ends in itertools.pairwise(at)
        )
        assert found == pytest.approx(exact, rel=1e-10)


def test_fewer_rows_are_dead_than_the_bound_says():
    """Never more, to four standard errors, and not far fewer."""
    rng = np.random.default_rng(5)
    alphas = 2.0 ** np.arange(2, 6.5, 0.5)
    for n in (128, 1024):
        scores = np.sort(rng.standard_normal((4_000, n)))[:, -100:]
        dead = np.array(
            [entropy.collision(softmax(scores, a)) > 0.99 for a in alphas]
        )
        bound = dead_share_bound(n, alphas)
        error = np.sqrt(bound / 4_000)
        assert (dead.mean(axis=1) < bound + 4 * error).all()
        excess = bound - dead.mean(axis=1)
        assert (excess < 0.032 + 4 * error).all()
        assert (excess < 0.05 * bound + 4 * error)[alphas >= 32].all()
    # it is a bound, not the share
    assert (excess > 0.01).any()
