"""Every argument that is a number: what is refused, and in which words."""

import datetime
import decimal
import fractions
import functools
import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import attention_scale
from attention_scale import (
    added,
    annealed,
    arguments,
    distributions,
    entropy,
    explain,
    length,
    observe,
    precision,
    quenched,
    rules,
    softmax,
)

P, SCORES = [0.5, 0.25, 0.25], [1.0, 0.0, -2.0]
# of every function of the library: arguments that it takes, all numbers
CALLS = {
    softmax.softmax: {"scores": SCORES, "scale": 1},
    softmax.log_softmax: {"scores": SCORES, "scale": 1},
    softmax.log_partition: {"scores": SCORES, "scale": 1},
    softmax.jacobian: {"p": P, "scale": 1},
    softmax.gradient_norm: {"p": P, "scale": 1},
    softmax.vjp: {"p": P, "upstream": SCORES, "scale": 1},
    entropy.shannon: {"p": P},
    entropy.collision: {"p": P},
    entropy.complement: {"p": P},
    entropy.renyi: {"p": P, "order": 2},
    entropy.tsallis: {"p": P, "order": 2},
    entropy.normalize: {"p": P, "entropy": 1},
    distributions.cosine: {"d": 8},
    annealed.gradient_norm: {"n": 8, "scale": 1},
    annealed.optimal_scale: {"n": 8},
    quenched.averages: {"n": 8, "scale": 1, "tolerance": 1e-9},
    quenched.averages_at_real_n: {"n": 8.5, "scale": 1, "tolerance": 1e-9},
    length.entropy_invariant_scale: {
        "n": 20, "base_scale": 1, "base_length": 8, "tolerance": 1e-9},
    length.margin_scale: {"n": 8, "probability": 0.5, "margin": 1},
    added.averages_with: {
        "n": 8, "scale": 1, "cap": 5, "sink": 1, "tolerance": 1e-9},
    precision.rounded: {"x": SCORES},
    precision.stored_weights: {"n": 8, "scale": 1, "offset": 8, "seen": 4},
    observe.dead_share_bound: {"n": 8, "scale": 1},
    observe.effective_keys: {"lse": 2, "lse_2": 3},
    observe.largest_logit: {"lse": 2, "lse_k": 3, "k": 2},
    rules.beam: {"n": 8},
    rules.infoscale: {"n": 8, "d": 64, "base_length": 512},
} | {
    getattr(rules, name): {"n": 8, "base_length": 512}
    for name in ("log_length", "qwen", "longrope")
} | {
    getattr(rules, name): {"n": 8, "base_length": 512, "slope": 0.1}
    for name in ("llama4", "ministral", "inkling", "yarn")
}  # fmt: skip
# what is no number: arguments that are checked beside each function's tests
OTHERS = {
    "distribution": distributions.STANDARD_NORMAL,
    "format": precision.E4M3,
}
# and functions of tensors and of configurations, which have tests of theirs
NO_NUMBERS = {observe.row_statistics, observe.factor, explain.explain}
ARGUMENTS = [(call, name) for call, known in CALLS.items() for name in known]
EACH = pytest.mark.parametrize(
    "call, name", ARGUMENTS, ids=lambda x: getattr(x, "__qualname__", x)
)
SINGLE = {"order", "tolerance", "k"}
# functions of one point, of which each argument is a number
OF_NUMBERS = {distributions.cosine, precision.stored_weights}
SIGNED = {"scores", "upstream", "x", "sink", "offset", "lse", "lse_2", "lse_k"}
MAY_BE_NONE = {(precision.stored_weights, "seen")}
MAY_BE_INFINITE = {
    (entropy.renyi, "order", np.inf),
    (added.averages_with, "cap", np.inf),
    (added.averages_with, "sink", -np.inf),
    (precision.rounded, "x", np.inf),
    (precision.rounded, "x", -np.inf),
}

OF_ANOTHER_KIND = st.one_of(
    st.none(),
    st.booleans(),
    st.text(),
    st.binary(),
    st.complex_numbers(),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.dictionaries(st.text(), st.floats()),
    st.sampled_from(
        [
            np.float16(1),
            np.array([1, "2"], object),
            np.timedelta64(3, "s"),
            np.longdouble(1),
            np.ma.array([0.5, 0.5]),
            np.ma.array([3, 4], mask=[True, False]),
            [True],
            ["1", "2"],
            [1, None],
            [fractions.Fraction(1, 2), decimal.Decimal(1)],
            [datetime.date(2024, 1, 1)],
            np.float64,
            range,
        ]
    ),
)


def called(call, known):
    """Return what a call returns, with what it needs beside numbers."""
    parameters = inspect.signature(call).parameters
    others = {n: x for n, x in OTHERS.items() if n in parameters}
    return call(**known | others)


def refused(call, name, value, error):
    """Return what the call says of an argument, the others being good."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(error) as refusal:
            called(call, CALLS[call] | {name: value})
    assert refusal.type is error
    message = str(refusal.value)
    assert message.startswith(f"{name}: ")
    assert " should " in message
    return message


def test_the_table_has_every_function_and_every_number():
    modules = [getattr(attention_scale, m) for m in attention_scale.__all__]
    public = [getattr(m, name) for m in modules for name in m.__all__]
    # these get what their callers have checked
    internal = {"name_of", "nodes", "remainder", "spread", "steepness"}
    functions = {
        call
        for call in public
        if inspect.isfunction(call) and call.__name__ not in internal
    }
    assert functions == CALLS.keys() | NO_NUMBERS
    for call, known in CALLS.items():
        parameters = set(inspect.signature(call).parameters)
        assert parameters - OTHERS.keys() == set(known)
        called(call, known)


@EACH
def test_every_argument_is_looked_at(call, name):
    """By the one validator, whose own tests follow."""
    if (call, name) not in MAY_BE_NONE:
        assert "None; it" in refused(call, name, None, TypeError)
    assert "'64'; it should" in refused(call, name, "64", TypeError)
    assert "NaN; it should" in refused(call, name, np.nan, ValueError)
    ragged = refused(call, name, [[1.0], [0.5, 0.5]], ValueError)
    assert "its rows differ in length" in ragged
    if name in SINGLE or call in OF_NUMBERS:
        message = refused(call, name, [2.0, 3.0], ValueError)
        assert "shape (2,); it should be a single number" in message
        message = refused(call, name, [True], TypeError)
        assert "it should be a single number" in message


@EACH
def test_numbers_without_sense_are_refused_as_they_were_given(call, name):
    rows = name in {"p", "scores", "upstream", "x"}
    for value in np.inf, -np.inf:
        if (call, name, value) not in MAY_BE_INFINITE:
            given = [value] * 3 if rows else value
            message = refused(call, name, given, ValueError)
            assert "inf" in message or "negative" in message
    if name not in SIGNED:
        given = [-0.25, 1.0, 0.25] if rows else -0.25
        message = refused(call, name, given, ValueError)
        assert message.startswith(f"{name}: -0.25")


@given(value=OF_ANOTHER_KIND)
def test_what_is_no_number_is_a_type_error(value):
    with pytest.raises(TypeError, match="^x: .*; it should be a"):
        arguments.array("x", value)


@pytest.mark.parametrize(
    "value, error, words",
    [
        (None, TypeError, "None; it should be a"),
        ([True, False], TypeError, r"\[True, False\]; it should be a"),
        (np.float16([1, 2]), TypeError, "an array of float16; it should be a"),
        (np.ma.array([1, 2]), TypeError, "a masked array; it should be a"),
        ([0.5, np.nan, 0.5], ValueError, "NaN at index 1; it should"),
        ([[0.5], [np.nan]], ValueError, r"NaN at index \(1, 0\); it should"),
        (10**400, ValueError, "a whole number of more than 308 digits"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_is_no_number_is_shown(value, error, words):
    with pytest.raises(error, match=f"^x: {words}"):
        arguments.array("x", value)


def of_arrays(function):
    """Try every function that takes arrays of numbers of keys."""
    calls = [c for c in CALLS if "n" in CALLS[c] and c not in OF_NUMBERS]
    return pytest.mark.parametrize(
        "call", calls, ids=lambda call: call.__qualname__
    )(function)


@of_arrays
def test_every_entry_is_that_of_its_own_arguments(call):
    known = {n: x for n, x in CALLS[call].items() if n not in SINGLE}
    many = {n: x * np.array([1, 1.25, 1.5]) for n, x in known.items()}
    many["n"] = known["n"] + np.array([[0], [1]])
    kept = {name: values.copy() for name, values in many.items()}
    last = {name: values.flat[-1] for name, values in many.items()}
    shape = (2, 3 if len(known) > 1 else 1)
    for distribution in stats.norm(), stats.uniform(), stats.poisson(3):
        if "distribution" in inspect.signature(call).parameters:
            call = functools.partial(call, distribution=distribution)
        found, one = np.array(call(**many)), np.array(call(**last))
        assert found.shape == (*one.shape, *shape)
        # a step of the sums may be that of the whole array
        np.testing.assert_allclose(found[..., -1, -1], one, rtol=1e-10)
        none = call(**known | {"n": np.zeros((0, 1)) + 9})
        assert np.array(none).shape == (*one.shape, 0, 1)
    for name, values in many.items():
        np.testing.assert_array_equal(values, kept[name])


@of_arrays
def test_kinds_of_numbers_change_nothing(call):
    known = CALLS[call]
    wanted = call(**known)
    for kind in np.int16, np.float32, np.array:
        others = {
            name: kind(value) if isinstance(value, int) else value
            for name, value in known.items()
        }
        assert call(**others) == wanted


def test_numbers_of_any_whole_kind_are_taken():
    wanted = rules.llama4(2.0**60)
    for n in 2**60, np.uint64(2**60), np.array(2**60), np.float32(2**60):
        assert rules.llama4(n) == wanted
    assert rules.log_length([2, 10**20])[1] == rules.log_length(1e20)


def test_whole_numbers_that_float64_rounds_are_no_scores():
    for whole in 2**60, -(2**60), 10**30:
        with pytest.raises(ValueError, match=r"^scores: .* beyond 2\*\*53"):
            softmax.softmax([whole, 0])


def test_a_tolerance_finer_than_floats_is_refused():
    """The sums round by about 1e-14, and would call that met by chance."""
    for call in quenched.averages, length.entropy_invariant_scale:
        for tolerance in 1e-14, 1e-16, 1e-300:
            message = refused(call, "tolerance", tolerance, ValueError)
            assert "finite and at least 1e-13" in message
        call(**CALLS[call] | {"tolerance": 1e-13})


def test_a_limit_that_is_missed_is_not_what_was_reached():
    """An error of 1.02e-10 is not told as 1e-10."""
    assert arguments.above(1.02e-10) == "1.1e-10"
    assert arguments.above(1e-10) == "1e-10"
    assert arguments.above(9.99e-7) == "1e-06"
    with pytest.raises(ValueError, match=r"are known to 2\.\de-06 only"):
        quenched.averages(64, 1, stats.triang(0.3), 1e-13)


@pytest.mark.parametrize(
    "call, scale",
    [
        (quenched.averages, "scale"),
        (length.entropy_invariant_scale, "base_scale"),
    ],
)
def test_no_message_shows_an_infinity_that_nobody_gave(call, scale):
    known = CALLS[call] | {"distribution": stats.norm(scale=10)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"^{scale}: 1e.308, ") as refusal:
            call(**known | {scale: 1e308})
        with pytest.raises(ValueError, match="standard deviation .* from 1e-"):
            call(**known | {"distribution": stats.uniform(scale=1e152)})
    assert "inf" not in str(refusal.value)


def test_results_beyond_floats_are_infinite_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert softmax.log_partition([1e308, 0], 1e308) == np.inf
        found = softmax.vjp([0.5, 0.5], [1e308, -1e308], 1e308)
        assert found.tolist() == [np.inf, -np.inf]
        for rule in rules.llama4, rules.yarn:
            message = refused(rule, "slope", 1e308, ValueError)
            assert "at most 1e+100" in message
            assert np.isfinite(rule(1e150, 2, 1e100))
        message = refused(length.margin_scale, "margin", 1e-308, ValueError)
        assert "positive and finite, from 1e-300" in message
