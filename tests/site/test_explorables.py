"""The arithmetic of the explorables against the library."""

import platform
import re
from collections import Counter
from pathlib import Path

import lxml.html
import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.special import expit, lambertw
from scipy.stats import kstest, norm

import added_row
import attention_row
import cosine_window
import dot_walk
import geometric_mean
import head_words
import length_laws
import longer_factor
import row_hill
import row_trade
import row_turns
import sampling_order
import share_number
import softmax_jacobian
import start_map
import stored_row
import training_film
from attention_scale import annealed, rules
from attention_scale.added import averages_with
from attention_scale.entropy import collision
from attention_scale.length import entropy_invariant_scale, margin_scale
from attention_scale.observe import dead_share_bound
from attention_scale.precision import E4M3, rounded
from attention_scale.quenched import averages
from attention_scale.softmax import gradient_norm, softmax
from bookkit import stored
from bookkit.figures import COLOURS, to_svg
from bookkit.notebooks import STORED_ON

ROOT = Path(__file__).parents[2]
EXACT = 1e-9
# Names at the top of a script; all scripts of a page share them.
NAMES = re.compile(r"^(?:function|class|const|let|var) (\w+)", re.MULTILINE)


def test_settings_are_read_with_care(script):
    """A number out of range is brought in; what is none is not taken."""
    for text, expected in [
        ("2.5", 2.5), ("-1", 0), ("1e9", 8), ("", 1), ("x", 1), (None, 1),
        ("NaN", 1), ("Infinity", 1), (" 3 ", 3),
    ]:  # fmt: skip
        assert script("readNumber", text, 0, 8, 1) == expected


def test_colours_are_those_of_the_figures():
    """The style sheet repeats the palette, in both themes."""
    css = (ROOT / "site/assets/explorables.css").read_text(encoding="utf-8")
    light, dark = css.split('html[data-theme="dark"]')
    colours = COLOURS | {"negative": softmax_jacobian.NEGATIVE}
    for name, (in_light, in_dark) in colours.items():
        assert f"--{name}: {in_light};" in light
        assert f"--{name}: {in_dark};" in dark


def test_names_of_scripts_are_their_own():
    """No script replaces a function of another: they share one scope."""
    folder = ROOT / "site" / "explorables"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.js")]
    names = Counter(name for text in texts for name in NAMES.findall(text))
    assert names["softmax"] == 1
    assert {name for name, count in names.items() if count > 1} == set()


def test_lambert_w_and_the_published_curve_are_the_library_s(script):
    """The approximation and its optimum, from 2 keys to a million million."""
    rng = np.random.default_rng(0)
    counts = [*range(2, 20), *np.geomspace(20, 1e12, 60).round()]
    counts += (10 ** rng.uniform(0.4, 12, 100)).round().tolist()
    for n in map(int, counts):
        star = script("annealedOptimum", n)
        assert star == pytest.approx(annealed.optimal_scale(n), rel=EXACT)
        edge = np.sqrt(np.log(n))  # where it passes 0: absolute there
        for alpha in [0, 0.01, star, edge, *rng.uniform(0, 2.1 * edge, 5)]:
            assert script("annealedGradientNorm", n, alpha) == pytest.approx(
                annealed.gradient_norm(n, alpha), rel=EXACT, abs=EXACT
            )
    for x in [0, 1e-9, 0.1, 1, np.e, 1e6, 1e150]:
        expected = lambertw(x).real
        assert script("lambertW", x) == pytest.approx(expected, rel=EXACT)


def test_keys_of_the_slider_are_whole(script):
    """Each step of the slider shows another number of keys."""
    keys = script("keysOfSlider")
    assert keys[0] == 2 and keys[-1] == 10**9
    assert all(isinstance(n, int) for n in keys)
    assert (np.diff(keys) > 0).all()
    assert {2**k for k in range(1, 30)} <= set(keys)


def test_interpolation_is_exact_for_a_polynomial(script):
    """Six points give back a polynomial of degree 5, at the ends as well."""
    rng = np.random.default_rng(1)
    xs = np.sort(rng.uniform(-1, 3, 9))
    polynomial = np.polynomial.Polynomial(rng.standard_normal(6))
    # 1e-6: the ends are extrapolated, over points that may lie close
    for x in [*xs, -1.1, 3.1, *rng.uniform(-1, 3, 20)]:
        found = script(
            "interpolateBySix", xs.tolist(), polynomial(xs).tolist(), x
        )
        assert found == pytest.approx(polynomial(x), rel=1e-6, abs=1e-6)


def mean_log_of_two(alpha):
    """Return E log(1 - Σp²) of two keys, which one gap decides."""

    def integrand(gap):
        log_cosh = np.logaddexp(alpha * gap / 2, -alpha * gap / 2)
        return (np.log(2) - 2 * log_cosh) * norm.pdf(gap, scale=np.sqrt(2))

    return integrate.quad(integrand, -14, 14, epsabs=1e-12, limit=200)[0]


def mean_log_of_three(alpha):
    """Return E log(1 - Σp²) of three keys, which two differences decide."""
    # the trapezoid rule; half the step changes it by less than 1e-8
    u = np.linspace(-9, 9, 401)
    weights = norm.pdf(u) * (u[1] - u[0])
    a, b = u[:, np.newaxis] / np.sqrt(2), u / np.sqrt(6)
    scores = np.stack(np.broadcast_arrays(a + b, b - a, -2 * b), axis=-1)
    p = np.sort(softmax(scores, alpha), axis=-1)
    # pairs of weights: 1 - Σp² without cancellation
    pairs = p[..., 2] * (p[..., 0] + p[..., 1]) + p[..., 0] * p[..., 1]
    return weights @ np.log(2 * pairs) @ weights


@pytest.mark.parametrize(
    ("n", "exact"), [(2, mean_log_of_two), (3, mean_log_of_three)]
)
def test_geometric_mean_of_two_and_three_keys(script, n, exact):
    """Where the geometric mean is known exactly, the table has it."""
    error = script("() => GEOMETRIC_MEAN.standardError")
    for b in [0.01, 0.33, 0.77, 1, 1.13, 1.62, 2]:
        alpha = b * np.sqrt(2 * np.log(n))
        found = np.log(script("geometricGradientNorm", n, alpha) / alpha)
        assert abs(found - exact(alpha)) < 4 * error


def test_geometric_mean_between_the_points_of_the_table(script):
    """Other rows at other n and scales say the same, to plotting accuracy."""
    error = script("() => GEOMETRIC_MEAN.standardError")
    b = np.array([0.12, 0.43, 0.98, 1.51, 1.93])
    for n in [10, 45, 61, 350, 3_000, 52_000, 2 * 10**6, 4 * 10**8]:
        assert n not in script("() => GEOMETRIC_MEAN.keys")
        at_c = np.sqrt(2 * np.log(n))
        rows = geometric_mean.mean_logs(n, b, seeds=range(100, 104))
        found = [
            np.log(script("geometricGradientNorm", n, a) / a) for a in b * at_c
        ]
        # twice the error of a difference, with half as many points here
        np.testing.assert_allclose(found, rows.mean(axis=0), atol=3 * error)


def test_rows_of_the_geometric_mean_have_the_exact_mean():
    """On the rows of the table the mean of 1 - Σp² is the exact average."""
    for n in [3, 59, 60, 61, 512, 10**5, 10**9]:
        scores = geometric_mean.largest(n, geometric_mean.points(0))
        alphas = np.array([0.3, 1, 2]) * np.sqrt(2 * np.log(n))
        found = [geometric_mean.impurity(n, scores, a).mean() for a in alphas]
        exact = 1 - averages(n, alphas).collision
        # they miss it by 5e-5; as many random rows would by 4e-3
        np.testing.assert_allclose(found, exact, atol=2e-4)


def test_optimum_of_the_geometric_mean(script):
    """It comes down from 1.05 to 1.02 alpha_c, as chapter 6 says."""

    def slope_of_two(alpha):
        return 1 - alpha * integrate.quad(
            lambda gap: gap * np.tanh(alpha * gap / 2)
            * norm.pdf(gap, scale=np.sqrt(2)), -12, 12)[0]  # fmt: skip

    exact = optimize.brentq(slope_of_two, 0.5, 3)
    # the slope has an error of some 1e-4, and falls by 1.7 per unit of b
    assert script("geometricOptimum", 2) == pytest.approx(exact, rel=5e-4)
    keys = np.array(script("keysOfSlider"))
    optima = [script("geometricOptimum", int(n)) for n in keys]
    b = optima / np.sqrt(2 * np.log(keys))
    assert (np.diff(b) < 2e-4).all()
    assert b[0] == pytest.approx(1.050, abs=1e-3)
    assert b[-1] == pytest.approx(1.023, abs=1e-3)
    for n in [2, 512, 10**9]:
        at_c = np.sqrt(2 * np.log(n))
        scales = np.linspace(0.9 * at_c, 1.2 * at_c, 301)
        best = max(scales, key=lambda a: script("geometricGradientNorm", n, a))
        there = script("geometricOptimum", n)
        assert abs(there - best) <= scales[1] - scales[0]


def test_what_is_said_of_the_three_curves(script):
    """Their order, their ends, and the numbers in the text around them."""
    for n in map(int, script("keysOfSlider")[::5]):
        at_c = script("freezingScale", n)
        assert at_c == pytest.approx(np.sqrt(2 * np.log(n)), rel=EXACT)
        alphas = np.linspace(0, 2 * at_c, 30)
        mean = [script("meanGradientNorm", n, a) for a in alphas]
        geometric = [script("geometricGradientNorm", n, a) for a in alphas]
        published = [script("annealedGradientNorm", n, a) for a in alphas]
        slack = 2e-4  # of the geometric mean
        assert np.less_equal(mean, np.minimum(alphas, at_c)).all()
        assert np.less_equal(geometric, np.multiply(mean, 1 + slack)).all()
        assert np.less_equal(published, np.add(mean, EXACT)).all()
        assert (np.diff(mean) > 0).all()
        assert 0.4 < script("annealedOptimum", n) / at_c < 0.65

    def ratio(n, alpha):
        return script("annealedGradientNorm", n, alpha) / script(
            "meanGradientNorm", n, alpha
        )

    # "22%", as the chapter says
    assert ratio(2, script("annealedOptimum", 2)) == pytest.approx(
        0.778, abs=5e-4
    )
    assert 0.97 < ratio(10**9, script("annealedOptimum", 10**9)) < 0.98
    at_c = script("freezingScale", 512)
    for alpha in np.linspace(0.01, 0.4, 9) * at_c:
        mean = script("meanGradientNorm", 512, alpha)
        for curve in ("annealedGradientNorm", "geometricGradientNorm"):
            assert script(curve, 512, alpha) == pytest.approx(mean, rel=2e-3)


def test_table_of_the_geometric_mean_is_what_the_tool_makes(script):
    """The stored table belongs to the program beside it."""
    table = script("() => GEOMETRIC_MEAN")
    assert table["keys"] == geometric_mean.key_counts()
    assert table["b"] == pytest.approx(geometric_mean.B.tolist())
    assert table["standardError"] < 1e-4
    # every eighth scale of two rows; the sums may be rounded otherwise
    for i in (4, 13):
        b = geometric_mean.B[::8]
        fresh = geometric_mean.mean_logs(table["keys"][i], b).mean(axis=0)
        np.testing.assert_allclose(table["meanLog"][i][::8], fresh, atol=6e-6)


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != STORED_ON,
    reason="figures are stored on Linux x86-64; they differ elsewhere",
)
@pytest.mark.parametrize(
    ("draw", "stored"),
    [
        (added_row.draw, added_row.FILE),
        (attention_row.draw, attention_row.FILE),
        (geometric_mean.draw, geometric_mean.FIGURE),
        (dot_walk.draw, dot_walk.FILE),
        (head_words.draw, head_words.FIGURE),
        (length_laws.draw, length_laws.FILE),
        (longer_factor.draw, longer_factor.FIGURE),
        (row_hill.draw, row_hill.FILE),
        (row_trade.draw, row_trade.FILE),
        (row_turns.draw, row_turns.FILE),
        (start_map.draw, start_map.FILE),
        (stored_row.draw, stored_row.FILE),
        (cosine_window.draw, cosine_window.FILE),
        (sampling_order.draw, sampling_order.FILE),
        (share_number.draw, share_number.FILE),
        (training_film.draw, training_film.FIGURE),
    ],
    ids=[
        "added",
        "row",
        "optima",
        "walks",
        "heads",
        "laws",
        "longer",
        "hill",
        "trade",
        "turns",
        "starts",
        "stored",
        "window",
        "sampling",
        "share",
        "film",
    ],
)
def test_figure_is_what_the_tool_draws(draw, stored):
    """The figure that stands for an explorable is not older than it."""
    assert stored.read_text(encoding="utf-8") == to_svg(draw())


def rows_to_try():
    """Return lengths and scales: the corners of the table, and at random."""
    rng = np.random.default_rng(0)
    # short rows, where only some points of the table are whole numbers, and
    # long ones; all scales, and those where the averages bend
    n = np.concatenate(
        [np.arange(2, 22), np.exp(rng.uniform(np.log(2), np.log(1e12), 100))]
    ).round()
    freezing = np.sqrt(2 * np.log(n))
    b = np.where(
        np.arange(n.size) % 2,
        rng.uniform(0, 8, n.size),
        rng.uniform(0.5, 1.3, n.size),
    )
    corners = [(n, b) for n in (2, 1e12) for b in (0, 1e-3, 0.9, 8)]
    cases = [*zip(n, b * freezing, strict=True)]
    cases += [
        (n, b * (1 - 1e-15) * np.sqrt(2 * np.log(n))) for n, b in corners
    ]
    return np.array(cases)


def test_stored_averages_are_those_of_the_library(script):
    """The table is right between its points, not only at them."""
    cases = rows_to_try()
    exact = averages(*cases.T)
    found = np.array(
        [
            script(
                "(...c) => [meanGradientNorm(...c), meanEntropy(...c)]", *case
            )
            for case in cases.tolist()
        ]
    ).T
    np.testing.assert_allclose(found[0], exact.gradient_norm, rtol=EXACT)
    np.testing.assert_allclose(found[1], exact.entropy, rtol=EXACT)


def test_outside_of_the_tables_no_number_is_made_up(script):
    """JSON writes NaN as null."""
    for n, alpha in [(10**10, 3), (1, 0), (512, -0.1), (512, 7.1)]:
        assert script("geometricGradientNorm", n, alpha) is None
    assert script("geometricOptimum", 10**10) is None
    for n, alpha in [(1, 1), (1.9, 1), (1.1e12, 1), (512, -0.1), (512, 29)]:
        assert script("meanGradientNorm", n, alpha) is None
        assert script("meanEntropy", n, alpha) is None


def test_entropy_invariant_scale(script):
    """The scale is as exact as the entropy and the slope allow."""
    rng = np.random.default_rng(1)
    n = np.exp(rng.uniform(np.log(2), np.log(1e9), 30)).round()
    base = rng.uniform(0.25, 6, n.size)
    n_0 = np.exp(rng.uniform(np.log(64), np.log(1e6), n.size)).round()
    goal = averages(n_0, base).entropy
    none = goal >= np.log(n)
    assert 2 < none.sum() < 15
    for case in zip(n[none], base[none], n_0[none], strict=True):
        assert script("invariantScale", *map(float, case)) is None
    exact = entropy_invariant_scale(n[~none], base[~none], n_0[~none])
    found = [
        script("invariantScale", *map(float, case))
        for case in zip(n[~none], base[~none], n_0[~none], strict=True)
    ]
    # dH/dalpha = -alpha Var_p(s), and the two entropies have errors of 1e-9
    step = 1e-4 * exact
    slope = -(
        averages(n[~none], exact + step).entropy
        - averages(n[~none], exact - step).entropy
    ) / (2 * step)
    allowed = EXACT * exact + 2 * EXACT * goal[~none] / slope
    assert (np.abs(np.array(found) - exact) <= allowed).all()
    # never more than what a reading shows, by far
    np.testing.assert_allclose(found, exact, rtol=1e-6)


# The laws of growth

FACTORS = {
    "logLengthFactor": rules.log_length,
    "rootLengthFactor": lambda n, n_0: np.sqrt(rules.log_length(n, n_0)),
    "qwenFactor": rules.qwen,
    "llama4Factor": rules.llama4,
    "yarnFactor": rules.yarn,
}


def lengths_and_bases():
    """Return pairs: a grid with the steps of Llama 4, and at random."""
    rng = np.random.default_rng(2)
    pairs = [
        (n, n_0)
        for n_0 in (64, 8192, 1_048_576)
        for n in (2, 63, n_0 - 1, n_0, n_0 + 1, 3 * n_0 - 1, 3 * n_0, 2**30)
    ]
    ends = np.log([[1, 64], [1e9, 1e6]])
    drawn = np.exp(rng.uniform(*ends, (200, 2))).round()
    return np.concatenate([pairs, drawn])


@pytest.mark.parametrize("name", FACTORS)
def test_rules_of_growth_are_those_of_the_library(script, name):
    """Each rule, with its own parameters and the length of the base."""
    pairs = lengths_and_bases()
    found = script(f"pairs => pairs.map(p => {name}(...p))", pairs.tolist())
    # where the factor is 0, of one key, it is 0 in both
    np.testing.assert_allclose(found, FACTORS[name](*pairs.T), rtol=1e-14)


@pytest.mark.parametrize(
    "n, base, n_0",
    [
        (131_072, 1.0, 8192),
        (4_000, 1.0, 8192),  # where no scale keeps 8.5 nats
        (8192, 2.75, 8192),
        (2**30, 6.0, 64),  # the largest scales of all sliders
        (2**30, 0.25, 2**20),
        (64, 6.0, 2**20),
    ],
)
def test_laws_at_a_length(script, n, base, n_0):
    """Factor, scale and entropy of all laws, as Python has them."""
    exact, *found = script("lawsAtLength", n, base, n_0)
    kept = averages(n_0, base).entropy
    if kept >= np.log(n):
        assert exact == {"factor": None, "scale": None, "entropy": None}
    else:
        scale = entropy_invariant_scale(n, base, n_0)
        # the two entropies of 1e-9 over a slope: see above
        assert exact["scale"] == pytest.approx(scale, rel=1e-7)
        assert exact["factor"] == pytest.approx(scale / base, rel=1e-7)
        assert exact["entropy"] == pytest.approx(kept, rel=EXACT)
    labels = script("() => LENGTH_RULES.map(rule => rule.label)")
    expected = {
        "fixed": 1.0,
        "√ log n": FACTORS["rootLengthFactor"](n, n_0),
        "Llama 4": rules.llama4(n, n_0),
        "Qwen": rules.qwen(n, n_0),
        "log n": rules.log_length(n, n_0),
        "YaRN": rules.yarn(n, n_0),
    }
    assert labels == list(expected)
    for law, factor in zip(found, expected.values(), strict=True):
        entropy = averages(n, base * factor).entropy
        assert law["factor"] == pytest.approx(factor, rel=EXACT)
        assert law["scale"] == pytest.approx(base * factor, rel=EXACT)
        assert law["entropy"] == pytest.approx(entropy, rel=EXACT)


def test_the_closest_rules(script):
    """The chapter's winners, for its bases; equal rules are both named."""
    closest = (
        "(n, a, m) => closestRules(lawsAtLength(n, a, m), meanEntropy(m, a))"
    )
    for base, names in [
        (1, ["YaRN"]),
        (2.75, ["Qwen", "log n"]),
        (3.5, ["Llama 4"]),
        (6, ["√ log n"]),
    ]:
        found = script(closest, 131_072, base, 8192)
        kept = averages(8192, base).entropy
        misses = [
            abs(averages(131_072, base * f).entropy - kept)
            for f in [1.0, *(f(131_072, 8192) for f in FACTORS.values())]
        ]
        assert found["names"] == names
        assert found["miss"] == pytest.approx(min(misses), abs=1e-7)


def test_lengths_to_draw(script):
    """Whole, rising, with both ends, the base and where the law begins."""
    for base, kept in [(8192, 8.511), (64, 3.2), (2**20, 13.8), (8192, 1.7)]:
        n = np.array(script("lengthsToDraw", 64, 2**23, base, kept))
        assert (n == n.round()).all() and (np.diff(n) > 0).all()
        assert n[0] == 64 and n[-1] == 2**23
        assert base in n and (base == 64 or base - 1 in n)
        assert np.diff(np.log(n)).max() < 0.14
        first = np.floor(np.exp(kept)) + 1
        assert first < 64 or first in n


def test_labels_move_apart_and_no_further_than_they_must(script):
    """The least squares of all moves, found by another way."""
    assert script("spread", [10, 50, 30], 15) == [10, 50, 30]
    assert script("spread", [20, 10, 15], 10) == [25, 5, 15]
    assert script("spread", [1, 2, 90], 10, 0, 95) == [0, 10, 90]
    assert script("spread", [93, 94, 95], 10, 0, 95) == [75, 85, 95]
    rng = np.random.default_rng(3)
    for _ in range(20):
        wanted = rng.uniform(0, 200, 6)
        found = np.array(script("spread", wanted.tolist(), 15, 20, 190))
        order = np.argsort(wanted)
        assert (np.diff(found[order]) > 15 - EXACT).all()
        assert found.min() > 20 - EXACT and found.max() < 190 + EXACT
        best = optimize.minimize(
            lambda y, to=wanted[order]: ((y - to) ** 2).sum(),
            20 + 15.0 * np.arange(6),
            bounds=[(20, 190)] * 6,
            constraints={"type": "ineq", "fun": lambda y: np.diff(y) - 15},
        )
        # the solver's own accuracy
        np.testing.assert_allclose(found[order], best.x, atol=1e-3)


# The calculators


def test_upper_tail_of_the_normal_distribution(script):
    """Where the series ends and the fraction begins, and far out."""
    x = [-8.0, -3.1, -3, -2.9, -1, 0, 0.1, 1, 2.999, 3, 3.1, 8, 20]
    found = [script("upperTail", value) for value in x]
    np.testing.assert_allclose(found, norm.sf(x), rtol=1e-12)


def mean_largest(n):
    """Return the mean of the largest of n normal scores, by quadrature."""
    m = np.linspace(-9, 17, 100_001)
    density = np.exp((n - 1) * norm.logcdf(m)) * n * norm.pdf(m)
    return integrate.trapezoid(m * density, m)


@pytest.mark.parametrize("n", [2, 128, 8192, 10**12])
def test_largest_score_and_dead_rows(script, n):
    """The limit of the mean gradient, and the library's bound."""
    assert script("meanLargest", n) == pytest.approx(
        mean_largest(n), rel=EXACT
    )
    for alpha in [0.05, 1, 3, 8, 64]:
        assert script("deadShareBound", n, alpha) == pytest.approx(
            dead_share_bound(n, alpha), rel=EXACT
        )
    assert script("deadShareBound", n, 0) == 0


# cap and sink, or none
ADDED = [(None, None), (20, None), (None, 3.0), (5, 8.0), (50, 27.0)]
ROW = "(n, a, cap, sink) => exactRow(n, a, cap ?? Infinity, sink ?? -Infinity)"


@pytest.mark.parametrize("n", [2, 10, 8192, 10**12])
def test_rows_behind_caps_and_with_sinks(script, n):
    """All averages, from flat rows to those of a few keys."""
    for alpha in np.array([0, 0.3, 0.9, 1.1, 2.5]) * np.sqrt(2 * np.log(n)):
        for cap, sink in ADDED:
            found = script(ROW, n, float(alpha), cap, sink)
            exact = averages_with(
                n,
                alpha,
                cap=cap or np.inf,
                sink=-np.inf if sink is None else sink,
            )
            # what is nearly 0 has absolute errors: in units of a row's most
            for name, value, unit in [
                ("meanScore", exact.mean_score, 1e-3),
                ("collision", exact.collision, 0),
                ("entropy", exact.entropy, 1),
                ("gradientNorm", exact.gradient_norm, 0),
                ("sink", exact.sink, 0),
            ]:
                assert found[name] == pytest.approx(
                    value, rel=EXACT, abs=EXACT * unit
                ), (name, alpha, cap, sink)


MODEL = {"start": "weights", "width": 4096, "sd": 0.02, "d": 128, "n": 8192}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"start": "norm", "d": 64, "n": 131_072},
        {"start": "fan", "cap": 50},
        {"width": 768, "sd": 0.06, "sink": 9.5},
        {"width": 8192, "cap": 20, "sink": 4},
    ],
    ids=str,
)
def test_what_is_said_of_a_new_model(script, changed):
    """Each number, from the library or from the chapter's formula."""
    state = MODEL | {"cap": "", "sink": ""} | changed
    found = script("newModel", state)
    n, d = state["n"], state["d"]
    cap = state["cap"] or np.inf
    sink = -np.inf if state["sink"] == "" else state["sink"]
    alpha = state["width"] * state["sd"] ** 2
    alpha = alpha if state["start"] == "weights" else 1
    row = averages_with(n, alpha, cap=cap, sink=sink)
    free = averages_with(n, alpha, sink=sink)
    kappa = max(y / np.cosh(y) ** 2 for y in np.linspace(0.7, 0.8, 100_001))
    expected = {
        "alpha": alpha,
        "critical": np.sqrt(2 * np.log(n)),
        "onCosines": alpha * np.sqrt(d),
        "keys": 1 / row.collision,
        "entropy": row.entropy,
        "gradient": row.gradient_norm,
        "partOfLimit": row.gradient_norm / mean_largest(n),
        "dead": dead_share_bound(n, alpha),
        "roomyCap": 2 / kappa * np.log(n),
        "sinkWeight": row.sink,
        "sigmoidBias": -np.log(n) - alpha**2 / 2,
    }
    if np.isfinite(cap):
        expected["ceiling"] = np.sqrt(1 + kappa * cap)
        assert found["lostToCap"] == pytest.approx(
            1 - row.gradient_norm / free.gradient_norm, abs=EXACT
        )
    if np.isfinite(sink):
        expected["oddsAgainstSink"] = n * np.exp(alpha**2 / 2 - sink)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=EXACT), name
    needed = (mean_largest(n) + norm.isf(0.01)) ** 2 / (4 * np.log(2)) - 10
    assert found["offset"] == max(0, np.ceil(needed))
    # the lines to copy are about the same rows
    names = {}
    exec(script("pythonOfModel", state, found), names)  # noqa: S102
    assert 1 / names["row"].collision == pytest.approx(
        found["keys"], rel=EXACT
    )


def test_beyond_what_is_computed_there_is_no_number(script):
    """JSON writes NaN as null."""
    found = script("newModel", MODEL | {"sd": 0.2, "cap": "", "sink": ""})
    assert found["alpha"] == pytest.approx(163.84)
    assert found["keys"] is found["entropy"] is found["gradient"] is None


HEADS = [
    {"scale": 2.75, "base": 8192, "n": 131_072, "weight": 0.5},
    {"scale": 1.0, "base": 512, "n": 10**6, "weight": 0.9},
    {"scale": 6.0, "base": 65_536, "n": 4096, "weight": 0.2},
    {"scale": 0.3, "base": 4096, "n": 1000, "weight": 0.5},
]


@pytest.mark.parametrize("head", HEADS, ids=str)
def test_factors_for_a_trained_head(script, head):
    """Each law, the scale and the entropy; and the lines to copy."""
    scale, n_0, n, weight = head.values()
    found = script("factorsOfHead", head)
    names = script("() => TRAINED_LAWS.map(law => law.name)")
    expected = {
        "keep one key": margin_scale(n, weight, 1)
        / margin_scale(n_0, weight, 1),
        "keep the entropy": None,
        "log n / log n₀": rules.log_length(n, n_0),
        "√(log n / log n₀)": np.sqrt(rules.log_length(n, n_0)),
        "YaRN": rules.yarn(n, n_0),
        "Llama 4": rules.llama4(n, n_0),
        "Qwen, LongRoPE": rules.longrope(n, n_0),
        "change nothing": 1,
    }
    if averages(n_0, scale).entropy < np.log(n):
        kept = entropy_invariant_scale(n, scale, n_0)
        expected["keep the entropy"] = kept / scale
    assert names == list(expected)
    for law, factor in zip(found, expected.values(), strict=True):
        if factor is None:
            assert law == {"factor": None, "scale": None, "entropy": None}
            continue
        entropy = averages(n, scale * factor).entropy
        assert law["factor"] == pytest.approx(factor, rel=EXACT)
        assert law["scale"] == pytest.approx(scale * factor, rel=EXACT)
        assert law["entropy"] == pytest.approx(entropy, rel=EXACT)
    program = script("head => pythonOfHead(head, factorsOfHead(head))", head)
    exec(program, lines := {})  # noqa: S102
    for line in program.splitlines():
        code, _, number = line.partition("  # ")
        if number:
            value = eval(code, lines)  # noqa: S307
            assert value == pytest.approx(float(number), abs=5.01e-4)


NUMBER = {"label": "x", "min": 0, "max": 8, "value": 2}
KEYS = {"label": "keys", "min": 2, "max": 10**6, "value": 8, "whole": True}
EMPTY = NUMBER | {"value": ""}
CHOICE = {"value": "a", "options": {"a": "A", "b": "B"}}


@pytest.mark.parametrize(
    "field, text, value",
    [
        (NUMBER, "3.5", 3.5),
        (NUMBER, "0,02", 0.02),
        (NUMBER, " 1e-3 ", 1e-3),
        (KEYS, "131,072", 131_072),
        (KEYS, "131 072", 131_072),
        (KEYS, "131_072", 131_072),
        (KEYS, "32k", 32_768),
        (KEYS, "3.4", 3),
        (EMPTY, "", ""),
        (EMPTY, None, ""),
        (EMPTY, "3", 3),
        (CHOICE, "b", "b"),
        (CHOICE, "toString", "a"),
    ],
)
def test_a_field_takes_a_number_as_people_write_it(script, field, text, value):
    assert script("readField", field, text) == {"value": value}


@pytest.mark.parametrize(
    "field, text, fault",
    [
        (NUMBER, "9", "x: from 0 to 8, not 9"),
        (NUMBER, "−5", "x: from 0 to 8, not −5"),
        (NUMBER, "banana", "x: from 0 to 8, not banana"),
        (NUMBER, "", "x: from 0 to 8"),
        (KEYS, "1", "keys: from 2 to 10⁶, not 1"),
        (EMPTY, "NaN", "x: from 0 to 8, not NaN"),
    ],
)
def test_a_field_says_what_it_should_be(script, field, text, fault):
    assert script("readField", field, text) == {"fault": fault}


@pytest.mark.parametrize(
    "n, alpha", [(8192, 1), (8192, 6), (2**20, 3), (128, 20)]
)
def test_mean_sum_of_a_row_through_a_sigmoid(script, n, alpha):
    bias = -np.log(n) - alpha**2 / 2
    expected, _ = integrate.quad(
        lambda s: n * norm.pdf(s) * expit(alpha * s + bias),
        -12, 12, limit=500, epsabs=0, epsrel=1e-11,
    )  # fmt: skip
    found = script("meanSigmoidSum", n, alpha, bias)
    assert found == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("n", [2, 128, 8192, 10**9])
def test_at_the_freezing_scale_a_sigmoid_s_row_sums_to_one_half(script, n):
    """There n exp(-α²/2) is 1, and what is left is E σ(-αs)."""
    alpha = np.sqrt(2 * np.log(n))
    found = script("meanSigmoidSum", n, alpha, -np.log(n) - alpha**2 / 2)
    assert found == pytest.approx(0.5, rel=EXACT)


@pytest.mark.parametrize(
    "n, share, least, most",
    [
        (1024, 0.5, 0.97, 1), (8192, 0.5, 0.97, 1), (2**20, 0.5, 0.97, 1),
        (8192, 0.7, 0.905, 0.915), (8192, 6 / 4.2450, 0.075, 0.085),
    ],
)  # fmt: skip
def test_the_range_of_a_sigmoid_s_bias(script, n, share, least, most):
    """As Choose a scale has it."""
    alpha = share * np.sqrt(2 * np.log(n))
    found = script("meanSigmoidSum", n, alpha, -np.log(n) - alpha**2 / 2)
    assert least <= found <= most


@pytest.mark.parametrize("n, bits", [(8192, 6), (8192, 4), (131_072, 8)])
def test_what_rows_beside_a_sink_lose_in_few_bits(script, n, bits):
    """Against rows that are drawn: within four standard errors."""
    sink = np.log(n) + 0.5
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((40, n))
    weights = np.exp(logits - sink)
    lost = np.where(rounded(2.0**bits * weights, E4M3) == 0, weights, 0)
    shares = lost.sum(1) / (1 + weights.sum(1))
    error = shares.std(ddof=1) / np.sqrt(shares.size)
    share = averages_with(n, 1.0, sink=sink).sink
    found = script("lostBesideSink", 1, sink, share, bits)
    # The mean of a ratio is not the ratio of means: a thousandth of it.
    assert found == pytest.approx(shares.mean(), abs=4 * error + 1e-3 * found)


def test_the_least_offset_beside_a_sink(script):
    """6 bits do at 8192 keys; at 131,072 eight are too few: JSON's null."""
    for n, bits in [(8192, 6), (131_072, None)]:
        sink = np.log(n) + 0.5
        assert script("offsetBesideSink", 1, sink, 0.5) == bits


# The row of the front page


@pytest.mark.parametrize("n, alpha", [(8, 0), (128, 1), (128, 8), (8192, 3.1)])
def test_the_row_of_the_front_page(script, n, alpha):
    """Its scores are those of the figure; its numbers the library's."""
    scores = attention_row.scores(n)
    assert script("rowScores", n) == pytest.approx(scores, rel=EXACT)
    p = softmax(scores, alpha)
    found = script("rowNumbers", n, alpha)
    assert found["weights"] == pytest.approx(p, rel=EXACT)
    assert found["best"] == pytest.approx(p.max(), rel=EXACT)
    assert found["words"] == pytest.approx(1 / (p**2).sum(), rel=EXACT)
    norm_of = gradient_norm(p, alpha)
    assert found["gradient"] == pytest.approx(norm_of, rel=EXACT, abs=EXACT)
    assert found["turning"] == pytest.approx(np.sqrt(2 * np.log(n)), rel=EXACT)


def test_what_stands_for_the_row_says_the_same(script, site):
    """The caption of its figure has the numbers of the explorable."""
    page = lxml.html.parse(site / "index.html").getroot()
    (caption,) = page.xpath("//attention-row//figcaption")
    said = caption.text_content()
    for alpha, words in [(1, "about 48 words"), (3.1, "about 4 share")]:
        found = script("rowNumbers", 128, alpha)
        assert words in said and f"{found['words']:.0f}" in words
    for alpha in (1, 3.1, 8):
        best = script("rowNumbers", 128, alpha)["best"]
        assert f"{100 * best:.0f}%" in said


@pytest.mark.parametrize(
    "alpha, text",
    [(1, "√d"), (2, "√d × 0.5"), (8, "nothing"), (0.5, "√d × 2")],
)
def test_what_the_row_is_divided_by(script, alpha, text):
    assert script("divisorText", alpha) == text


def test_numbers_as_one_reads_and_writes_them(script):
    for x, text in [
        (131_072, "131_072"), (8192, "8192"), (0.02, "0.02"), (1.5, "1.5"),
    ]:  # fmt: skip
        assert script("pythonNumber", x) == text
    for x, text in [
        (0, "0"), (12345.6, "12,346"), (1.23456, "1.235"),
        (5e-5, "below 0.0001"),
    ]:  # fmt: skip
        assert script("fourDigits", x) == text
    for x, text in [(0, "0%"), (0.123456, "12.3%"), (1e-9, "below 0.01%")]:
        assert script("percent", x) == text


# The window of a scale on cosines


@pytest.mark.parametrize("d", [16, 24, 128, 512, 2048])
def test_ends_of_the_window(script, d):
    """Where random keys freeze, and what a weight needs at least."""
    for n in (100, 1024, 100_000, 10**6):
        beta = cosine_window.freezing(n, d)
        assert script("cosineFreezing", n, d) == pytest.approx(beta, rel=EXACT)
        mean, slope = script("cosineLogMean", beta, d)
        assert mean == pytest.approx(cosine_window.log_mean(beta, d), rel=1e-8)
        assert slope == pytest.approx(cosine_window.slope(beta, d), rel=EXACT)
        for weight in (0.05, 0.5, 0.99):
            assert script("leastCosineScale", n, weight) == pytest.approx(
                cosine_window.least(n, weight), rel=EXACT
            )
            for c in (0.2, 0.5, 1):
                lead = np.log((n - 1) * weight / (1 - weight))
                found = script("rightKeyScale", n, d, weight, c)
                if c**2 < 2 * lead / d:
                    assert found is None or np.isnan(found)
                    continue
                # the smaller root of the mean log-odds, to second order
                assert found * c - found**2 / (2 * d) == pytest.approx(
                    lead, rel=1e-9
                )
                assert 0 < found <= c * d
                by_python = cosine_window.of_right_key(n, d, weight, c)
                assert found == pytest.approx(by_python, rel=EXACT)
        # within its search: the formula is near, from above or below
        formula = d * n ** (2 / d) * np.sqrt(1 - n ** (-2 / d))
        assert script("cosineFreezingFormula", n, d) == pytest.approx(
            formula, rel=EXACT
        )
        assert beta == pytest.approx(formula, rel=0.03)


def test_freezing_of_cosines_is_the_saddle_of_their_density(script):
    """Found another way: by integrals over the density."""
    d, n = 128, 16_384
    c = np.linspace(-1, 1, 200_001)
    beta = script("cosineFreezing", n, d)
    tilted = (1 - c**2) ** ((d - 3) / 2) * np.exp(beta * (c - 1))
    mass = integrate.trapezoid(tilted, c)
    plain = integrate.trapezoid((1 - c**2) ** ((d - 3) / 2), c)
    slope = integrate.trapezoid(c * tilted, c) / mass
    mean = np.log(mass / plain) + beta
    assert beta * slope - mean == pytest.approx(np.log(n), rel=1e-9)


# What a scale buys and costs


def test_trade_of_score_and_entropy(script):
    """Its numbers are the library's, and the chapter's sentences hold."""
    scores = script("() => TRADED_SCORES")
    assert scores == row_trade.SCORES.tolist()
    for alpha in (0, 0.25, 1, 3.3, 8):
        found = script("tradeAt", scores, alpha)
        mean, entropy = row_trade.trade(alpha)
        weights = softmax(row_trade.SCORES, alpha)
        np.testing.assert_allclose(found["weights"], weights, rtol=EXACT)
        np.testing.assert_allclose(found["mean"], mean, rtol=EXACT, atol=EXACT)
        np.testing.assert_allclose(found["entropy"], entropy, rtol=EXACT)
        back = script("scaleOfMean", scores, float(mean))
        assert back == pytest.approx(alpha, abs=1e-5)
    # "at the scale 1 it is 0.87", and mat turns where it is 0.5
    assert script("tradeAt", scores, 1)["mean"] == pytest.approx(
        0.868, abs=5e-4
    )
    assert script("scaleOfMean", scores, 0.5) == pytest.approx(0.521, abs=5e-4)
    # past the ends of the curve
    assert script("scaleOfMean", scores, -1) < 1e-8
    assert script("scaleOfMean", scores, 2) > 8 - 1e-8


# Temperature and sampling


def sampled(scores, temperature, k, top_p, min_p, first):
    """Return the weights of a sampler, token by token."""
    p = softmax(scores, 1 / temperature if first else 1.0)
    kept = [*range(min(k, len(p)))]
    share, total, nucleus = 0.0, sum(p[i] for i in kept), []
    for i in kept:
        if nucleus and share / total >= top_p - 1e-12:
            break
        nucleus.append(i)
        share += p[i]
    kept = [i for i in nucleus if p[i] >= min_p * p[0]]
    result = np.zeros(len(p))
    result[kept] = p[kept] if first else p[kept] ** (1 / temperature)
    return result / result.sum()


def test_samplers_in_both_orders(script):
    """What is kept, and the weights, for all kinds of cut-offs."""
    scores = np.array(script("() => SAMPLED_SCORES"))
    assert (np.diff(scores) < 0).all()
    assert scores.tolist() == sampling_order.SCORES.tolist()
    rng = np.random.default_rng(6)
    for _ in range(200):
        state = {
            "temperature": float(2 ** rng.uniform(-3, 3)),
            "k": int(rng.integers(1, 11)),
            "topP": float(rng.uniform(0.05, 1)),
            "minP": float(rng.uniform(0, 0.5)),
        }
        found = script("bothOrders", scores.tolist(), state)
        for p, first in zip(found, (True, False), strict=True):
            expected = sampled(scores, *state.values(), first)
            np.testing.assert_allclose(p, expected, rtol=EXACT)


def test_top_k_alone_commutes_and_top_p_does_not(script):
    """As the chapter's theorem says, and as its text says of the panel."""
    scores = script("() => SAMPLED_SCORES")
    for T in (0.2, 1.5, 8):
        top_k = {"temperature": T, "k": 4, "topP": 1, "minP": 0}
        first, last = script("bothOrders", scores, top_k)
        np.testing.assert_allclose(first, last, rtol=EXACT)
    start = {"temperature": 2, "k": 10, "topP": 0.8, "minP": 0}
    found = np.array(script("bothOrders", scores, start))
    np.testing.assert_allclose(found, sampling_order.both_orders(), rtol=EXACT)
    assert (found > 0).sum(axis=1).tolist() == [5, 3]
    same = script("bothOrders", scores, start | {"temperature": 1})
    np.testing.assert_allclose(*same, rtol=EXACT)


# The film of training


def test_the_film_is_the_stored_runs(script):
    """Each number, run by run, from what the experiment stored."""
    data = stored.read("training-starts")
    table = script("() => TRAINING_FILM")
    names = list(data["head_numbers"])
    plain = np.all(
        [
            data[name] == value
            for name, value in [
                ("size", "small"),
                ("place", "score"),
                ("variant", "plain"),
            ]
        ],
        axis=0,
    )
    shown = 0
    for start, scenes in table["runs"].items():
        for scene in scenes:
            gaps, dead, spread = [], [], []
            for i in np.flatnonzero(plain):
                here = data["start"][i], data["rate"][i]
                if here != pytest.approx((float(start), scene["rate"])):
                    continue
                (usual,) = np.flatnonzero(
                    plain
                    & (data["start"] == 1)
                    & np.isclose(data["rate"], 0.008)
                    & (data["seed"] == data["seed"][i])
                )
                gaps.append(data["losses"][i] - data["losses"][usual])
                dead.append(data["heads"][i, :, 1:, 0, names.index("dead")])
                spread.append(data["heads"][i, :, 1:, 0, names.index("alpha")])
                assert table["steps"] == data["looked_at"][i].tolist()
            shown += len(gaps)
            assert scene["seeds"] == len(gaps)
            # half a unit of the last digit that is stored
            for name, values, half in [
                ("gap", np.mean(gaps, axis=0), 6e-5),
                ("dead", np.mean(dead, axis=(0, 2)), 6e-5),
                ("spread", np.mean(spread, axis=(0, 2)), 6e-4),
            ]:
                np.testing.assert_allclose(scene[name], values, atol=half)
            if len(gaps) > 1:
                error = np.std(gaps, axis=0, ddof=1) / np.sqrt(len(gaps))
                np.testing.assert_allclose(scene["error"], error, atol=6e-5)
    assert shown == plain.sum()


def test_the_film_knows_the_best_rates(script):
    """Those of chapter 12's table of the nine starts."""
    best = script("() => TRAINING_FILM.best")
    starts = 2.0 ** np.arange(-4, 5)
    rates = [best[f"{start:g}"] for start in starts]
    assert rates == [0.032] * 2 + [0.016] + [0.008] * 3 + [0.004] * 3
    data = stored.read("training-starts")
    for start, rate in zip(starts, rates, strict=True):
        losses = {
            tried: data["loss"][training_film.runs_of(data, start, tried)]
            for tried in np.unique(
                data["rate"][training_film.runs_of(data, start)]
            )
        }
        means = {tried: loss.mean() for tried, loss in losses.items()}
        assert min(means, key=means.get) == pytest.approx(rate)


def test_the_slider_of_rates_reaches_each_that_was_tried(script):
    """Step by step from either end, and never stands still."""
    for start, scenes in script("() => TRAINING_FILM.runs").items():
        tried = [scene["rate"] for scene in scenes]
        for way, ends in [(2, tried), (0.5, tried[::-1])]:
            met = [ends[0]]
            while met[-1] != ends[-1]:
                asked = met[-1] * way
                found = script("filmRate", float(start), asked, met[-1])
                assert found != met[-1]
                met.append(found)
            assert met == ends


def test_what_moves_first_in_the_film(script):
    """At the usual rate a sharp start's rows die before its loss is behind."""
    moved = script("() => whatMoves(filmScene(4, 0.008))")
    assert moved["spread"] == 0 < moved["dead"] < moved["loss"]
    usual = script("() => whatMoves(filmScene(1, 0.008))")
    assert usual == {"spread": None, "dead": None, "loss": None}
    never = script("passesFrom", [0, 5, 9], [True, True, False])
    assert never is None
    assert script("passesFrom", [0, 5, 9], [True, False, True]) == 9
    assert script("passesFrom", [0, 5, 9], [True, True, True]) == 0


# What is added to the scores


@pytest.mark.parametrize(
    ("n", "alpha", "shift", "cap"),
    [
        (128, 0.5, -4, 2),
        (4_096, 1, 0, 50),
        (131_072, 2, 5, 20),
        (131_072, 6, 20, 100),
    ],
)
def test_what_is_added_is_the_library_s(script, n, alpha, shift, cap):
    """The sink, the sum of the sigmoids, and the gradient behind a cap."""
    state = {"n": n, "alpha": alpha, "shift": shift, "cap": cap}
    found = script("addedNumbers", state)
    logit = added_row.LOGIT + shift
    with_sink = averages_with(n, float(alpha), sink=logit)
    behind = averages_with(n, float(alpha), cap=cap)
    total = (
        n
        * integrate.quad(
            lambda s: norm.pdf(s) * expit(alpha * s - logit),
            -10,
            12,
            points=[logit / alpha] if logit < 12 * alpha else None,
            epsabs=0,
            epsrel=1e-12,
            limit=200,
        )[0]
    )
    assert found == pytest.approx(
        {
            "sink": with_sink.sink,
            "sum": total,
            "behind": behind.gradient_norm,
            "free": averages(n, float(alpha)).gradient_norm,
        },
        rel=EXACT,
    )


@pytest.mark.parametrize("n", [128, 131_072])
@pytest.mark.parametrize("alpha", [0.5, 2])
def test_the_law_brings_the_mean_odds_back(script, n, alpha):
    """The shift that is asked for keeps n exp(alpha²/2 - logit) at 1."""
    logit = added_row.LOGIT + script("neededShift", n, alpha)
    assert n * np.exp(alpha**2 / 2 - logit) == pytest.approx(1, rel=EXACT)


# A row and its hill


@pytest.mark.parametrize("seed", [1, 12, 20])
@pytest.mark.parametrize("n", [16, 131_072])
def test_a_row_is_normal_and_in_order(script, n, seed):
    """Its scores, by the test of Kolmogorov and Smirnov."""
    row = np.array(script("(n, k) => [...normalRow(n, k)]", n, seed))
    assert row.size == n and (np.diff(row) <= 0).all()
    assert kstest(row, norm.cdf).pvalue > 0.001
    others = script("(n, k) => [...normalRow(n, k)]", n, seed + 1)
    assert abs(np.corrcoef(row, others)[0, 1]) > 0.9  # both are in order
    assert row[0] != others[0]


@pytest.mark.parametrize("alpha", [0, 1, 4.2, 10])
def test_what_the_hill_shows_is_the_library_s(script, alpha):
    """Weights by score, and the gradients of the row and of the hill."""
    row = np.array(script("(n, k) => [...normalRow(n, k)]", 8_192, 3))
    found = script("(s, a) => hillNumbers(s, a)", row.tolist(), alpha)
    p = softmax(row, float(alpha))
    bins = script("() => HILL_BINS")
    edges = bins["low"] + bins["width"] * np.arange(bins["count"] + 1)
    shares, _ = np.histogram(row, edges, weights=p)
    assert found.pop("bins") == pytest.approx(shares.tolist(), abs=1e-12)
    assert found == pytest.approx(
        {
            "best": p.max(),
            "collision": collision(p),
            "gradient": gradient_norm(p, float(alpha)),
            "annealed": annealed.gradient_norm(8_192, float(alpha)),
        },
        rel=EXACT,
    )


def test_no_row_of_the_slider_has_a_score_outside_the_bins(script):
    extremes = script(
        "() => Array.from({ length: 20 }, (_, k) => normalRow(2 ** 17, k + 1))"
        ".flatMap(row => [row[0], row.at(-1)])"
    )
    bins = script("() => HILL_BINS")
    assert min(extremes) > bins["low"]
    assert max(extremes) < bins["low"] + bins["width"] * bins["count"]


# Rows that turn


def test_rows_turn_where_the_library_says(script):
    """The rows of the script are those of the figure, with their curves."""
    curves = row_turns.gradients()
    for row, (seed, curve) in enumerate(
        zip(row_turns.SEEDS, curves, strict=True), start=1
    ):
        scores = row_turns.normal_row(row_turns.KEYS, seed)
        assert script("turningRow", row) == pytest.approx(
            scores.tolist(), abs=1e-12
        )
        drawn = np.array(script("k => turningCurve(turningRow(k)).curve", row))
        np.testing.assert_allclose(drawn[:, 0], row_turns.SCALES, rtol=EXACT)
        np.testing.assert_allclose(drawn[:, 1], curve, rtol=1e-7)
        top = script("k => turningCurve(turningRow(k)).top", row)
        assert top[1] == pytest.approx(curve.max(), rel=EXACT)


def test_what_chapter_5_says_of_the_rows():
    """Row 4 turns first, row 5 last; three with close best scores late."""
    tops = row_turns.SCALES[row_turns.gradients().argmax(axis=1)]
    assert tops.argmin() == 3 and tops[3] == pytest.approx(2.4, abs=0.05)
    assert tops.argmax() == 4 and tops[4] == pytest.approx(33, abs=0.5)
    assert tops.min() > annealed.optimal_scale(row_turns.KEYS)
    rows = [row_turns.normal_row(row_turns.KEYS, s) for s in row_turns.SEEDS]
    leads = [row[0] - row[1] for row in rows]
    assert {*np.argsort(leads)[:3]} == {*np.argsort(tops)[3:]}


# The map of starts


def test_the_map_has_the_models_of_its_figure(script):
    """Widths and weights, to three digits, and the start of each."""
    models = script("() => STARTS")
    assert [name for name, *_ in models] == [*start_map.STARTS][:4] + [
        "Llama",
        *[*start_map.STARTS][5:],
    ]
    for (_, width, std), (own_width, own_std, *_) in zip(
        models, start_map.STARTS.values(), strict=True
    ):
        assert width == own_width and std == pytest.approx(own_std, rel=1e-3)
        assert script("startSpread", width, std) == pytest.approx(
            width * std**2, rel=EXACT
        )
    assert script("() => TYPICAL") == pytest.approx(
        norm.isf((np.arange(12) + 0.5) / 12).tolist(), abs=0.005
    )


# What heads see


def test_the_page_is_what_the_heads_read(script):
    """Weights to half a step of a logit, and the keys that a row uses."""
    table = script("() => HEAD_WORDS")
    assert table["words"] == head_words.words()
    assert [*map(tuple, table["heads"])] == [*map(tuple, head_words.heads())]
    for head, place in enumerate(head_words.heads()):
        for row, last in enumerate(head_words.ROWS):
            scores = head_words.logits(place, last)
            below = np.array(script("lettersBelow", table["below"][head][row]))
            kept = scores - scores.max() > -17
            assert abs(below - scores + scores.max())[kept].max() < 0.101
            p = softmax(scores)
            found = np.array(script("headWeights", head, row, 1))
            np.testing.assert_allclose(
                found[p > 1e-4], p[p > 1e-4], rtol=np.expm1(0.1) + 0.04
            )
            assert 1 / collision(found) == pytest.approx(
                1 / collision(p), rel=0.04
            )


def test_normal_keys_are_those_of_the_library(script):
    """Between the points of the table as well, for rows of 492 keys."""
    for spread in (0, 0.1, 0.95, 2.57, 4.4, 9, 12):
        wanted = 1 / averages(head_words.SHOWN, spread).collision
        assert script("normalKeys", spread) == pytest.approx(
            float(wanted), rel=0.01
        )


def test_what_chapter_13_says_of_the_page():
    """Layer 7 looks at the same few, far back; layer 12 at the last words."""
    far, near = head_words.heads()[1:3]
    weights = [softmax(head_words.logits(far, row)) for row in head_words.ROWS]
    best = {*weights[0].argsort()[-4:]}
    for row, p in zip(head_words.ROWS, weights, strict=True):
        assert {*p.argsort()[-4:]} == best
        assert p[[*best]].sum() > 0.6
        assert min(row - head_words.FIRST - i for i in best) > 100
        assert softmax(head_words.logits(near, row))[-10:].sum() > 0.75


# Dot products in the making


def test_walks_are_sums_of_products(script):
    """Of normal numbers, by numpy; their scores at a few dimensions."""
    steps = script("() => LONGEST_WALK")
    query = np.array(script("(n, k) => [...normalDraws(n, k)]", steps, 3))
    keys = np.array(
        script("(n, k) => [...normalDraws(n, k)]", 40 * steps, 23)
    ).reshape(40, steps)
    assert kstest(keys.ravel(), norm.cdf).pvalue > 0.001
    sums = np.array(script("walkSums", 3))
    np.testing.assert_allclose(
        sums[:, 1:], np.cumsum(query * keys, axis=1), atol=1e-12
    )
    assert (sums[:, 0] == 0).all()
    for d, power in [(2, 0), (64, 0.5), (steps, 1)]:
        assert script("walkScores", sums.tolist(), d, power) == pytest.approx(
            (keys[:, :d] @ query[:d] / d**power).tolist(), rel=1e-9
        )


def test_what_chapter_1_says_of_the_walks(script):
    """Each of the twenty: a few keys, alike at every d, and equal."""
    best = {}
    for power in (0, 0.5, 1):
        for d in (16, 128):
            scores = [
                script(
                    "(k, d, p) => walkScores(walkSums(k), d, p)", k, d, power
                )
                for k in range(1, 21)
            ]
            best[power, d] = softmax(np.array(scores)).max(axis=1)
    assert best[0, 128].mean() > 0.8 > best[0, 16].mean()
    assert best[0.5, 128].mean() == pytest.approx(
        best[0.5, 16].mean(), rel=0.25
    )
    assert best[1, 128].max() < 0.05 < best[0.5, 128].min()


# The loss in a longer text


def test_losses_in_longer_texts_are_those_measured(script):
    """By task and length, with the best of the factors that were tried."""
    data = stored.read("longer-tasks")
    assert script("() => LONGER_FACTOR.factors") == pytest.approx(
        data["factors"].tolist(), rel=1e-4
    )
    loss = list(data["numbers"]).index("loss")
    for name, task in longer_factor.TASKS.items():
        wanted = data[f"{task} none constant"][..., loss].mean(axis=0)
        for n, own in zip(data["lengths"].tolist(), wanted, strict=True):
            found = script("longerLosses", name, n)
            assert found == pytest.approx(own.tolist(), abs=1e-4)
            best = script("longerBest", found)
            assert best == pytest.approx(
                data["factors"][own.argmin()], rel=1e-4
            )


def test_what_chapter_14_says_of_the_losses(script):
    """One curve at 64 tokens; two valleys, and neither at the logarithm."""
    few, share = (
        np.array(script("longerLosses", name, 64)) for name in ("few", "share")
    )
    assert abs(few - share).max() < 0.08
    best = [
        script("k => longerBest(longerLosses(k, 4096))", name)
        for name in longer_factor.TASKS
    ]
    assert best == pytest.approx([2.83, 1.41, 1.19], abs=0.01)


# A row that is stored in eight bits


@pytest.mark.parametrize("offset", [0, 3, 8])
@pytest.mark.parametrize("alpha", [0.1, 2.6, 6])
def test_what_is_lost_is_what_the_format_rounds_to_0(script, alpha, offset):
    """The weight by bits, what is lost of it, and how many keys."""
    row = np.array(script("(n, k) => [...normalRow(n, k)]", 8_192, 1))
    found = script("storedNumbers", row.tolist(), alpha, offset)
    weights = np.exp(alpha * (row - row.max()))
    gone = rounded(2.0**offset * weights, E4M3) == 0
    assert found["keys"] == gone.mean()
    assert found["lost"] == pytest.approx(
        weights[gone].sum() / weights.sum(), rel=EXACT, abs=1e-300
    )
    assert sum(found["bins"]) == pytest.approx(1, rel=EXACT)
    bits = script("() => STORED_BITS")
    below = round((bits["floor"] - bits["low"]) / bits["width"])
    assert sum(found["bins"][:below]) == pytest.approx(
        found["lost"], rel=EXACT, abs=1e-300
    )


@pytest.mark.parametrize(("alpha", "offset"), [(1, 0), (1, 8), (2.6, 4)])
def test_what_is_lost_behind_a_sink(script, alpha, offset):
    """With mean odds of 1, of the weight of the sink and the keys together."""
    row = np.array(script("(n, k) => [...normalRow(n, k)]", 8_192, 2))
    found = script("storedNumbers", row.tolist(), alpha, offset, 1)
    weights = np.exp(alpha * row - alpha**2 / 2) / len(row)
    gone = rounded(2.0**offset * weights, E4M3) == 0
    assert found["keys"] == gone.mean() > 0
    assert found["lost"] == pytest.approx(
        weights[gone].sum() / (1 + weights.sum()), rel=EXACT
    )
    assert sum(found["bins"]) == pytest.approx(1, rel=EXACT)


def test_the_figure_of_stored_rows_rounds_as_the_library():
    """What stands left of its line is what e4m3 stores as 0."""
    row = np.random.default_rng(4).standard_normal(stored_row.KEYS)
    for alpha, said in [(1, 0), (2.6, 0.23), (5, 0.09)]:
        _, weights, lost = stored_row.lost(row, alpha)
        gone = rounded(weights / weights.max(), E4M3) == 0
        assert lost == pytest.approx(weights[gone].sum(), rel=EXACT)
        assert lost == pytest.approx(said, abs=0.005)


# How many keys, and which share


def test_effective_numbers_are_exact(script):
    """Of both laws, at every size of the figure, and at other scales."""
    for law, (scales, _) in zip(
        ("fixed", "log"), share_number.laws().values(), strict=True
    ):
        at_512 = scales[5]
        for n, scale, wanted in zip(
            share_number.SIZES.tolist(),
            scales,
            share_number.numbers(scales),
            strict=True,
        ):
            assert script("scaleOfLaw", law, n, at_512) == pytest.approx(
                scale, rel=EXACT
            )
            # 1 - (1 - Σp²) keeps nine digits of 1
            assert script("effectiveNumber", n, scale) == pytest.approx(
                wanted, rel=1e-9 * wanted + 1e-9
            )


def test_what_chapter_9_says_of_number_and_share():
    """The logarithm keeps the number, and points lie on the lines."""
    (fixed, _), (log, _) = share_number.laws().values()
    kept = share_number.numbers(log)
    assert kept.min() > 6 and kept.max() < 10
    assert share_number.numbers(fixed)[-1] / 65_536 > 0.36
    for scales in (fixed, log):
        for k in share_number.DRAWN:
            seen = share_number.simulated(share_number.SIZES[k], scales[k])
            wanted = 1 / share_number.numbers(scales)[k]
            assert abs(seen.value - wanted) < 4 * seen.standard_error
