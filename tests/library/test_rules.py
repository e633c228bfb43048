"""Published rules, against their code written out for one position."""

import inspect
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_scale import rules

# Positions are counted from 0, as the models do: n = p + 1.
POSITIONS = st.floats(0, 8).map(lambda power: round(10**power) - 1)
LENGTHS = st.integers(2, 200_000)
# each logarithm, quotient and power rounds, and log n doesn't pass 19
ROUNDING = 1e-14


def bert4keras(p, base_length=512):
    """Return its factor from 16 keys on, where it has a floor."""
    return math.log(p + 1) / math.log(base_length)


def qwen(p, base_length=8192):
    """Return the table's entry for i = p + 1."""
    i = p + 1
    return math.log(i, base_length) if i > base_length else 1


def llama4(p, base_length=8192, slope=0.1):
    return math.log(math.floor((p + 1) / base_length) + 1) * slope + 1


def ministral(p, base_length=16384, slope=0.1):
    return 1 + slope * math.log(1 + math.floor(p / base_length))


def inkling(p, base_length=128_000, slope=0.1):
    return 1 + slope * math.log(max((p + 1) / base_length, 1))


def beam(p):
    return (1 + (p + 1) / 2048) ** 0.1


def yarn_on_queries_and_keys(p, base_length=4096, slope=0.1):
    """Return mscale, which multiplies both cos and sin."""
    scale = (p + 1) / base_length
    return 1 if scale <= 1 else slope * math.log(scale) + 1


def longrope_on_queries_and_keys(p, base_length=4096):
    factor = (p + 1) / base_length
    if factor <= 1:
        return 1
    return math.sqrt(1 + math.log(factor) / math.log(base_length))


def infoscale(p, d=64, base_length=512):
    longest = math.sqrt(1 - (p + 1) ** (-2 / d))
    return longest / math.sqrt(1 - base_length ** (-2 / d))


# The published code of each rule: of a position and the rule's arguments.
CODE = {
    "log_length": bert4keras,
    "qwen": qwen,
    "llama4": llama4,
    "ministral": ministral,
    "inkling": inkling,
    "beam": beam,
    "yarn": lambda *known, **more: (
        yarn_on_queries_and_keys(*known, **more) ** 2
    ),
    "longrope": lambda *known, **more: (
        longrope_on_queries_and_keys(*known, **more) ** 2
    ),
    "infoscale": infoscale,
}
DRAWN = {
    "base_length": st.integers(2, 200_000),
    "slope": st.floats(0, 2),
    "d": st.integers(1, 512),
}


def test_every_rule_has_its_published_code():
    """A rule that nobody published has no place in the library."""
    functions = {
        name
        for name, value in vars(rules).items()
        if inspect.isfunction(value)
        and value.__module__ == rules.__name__
        and not name.startswith("_")
    }
    assert functions == set(rules.__all__) == set(CODE)


@pytest.mark.parametrize("name", rules.__all__)
@given(POSITIONS, st.data())
def test_rules_are_as_published(name, p, data):
    rule = getattr(rules, name)
    arguments = {
        argument: data.draw(DRAWN[argument], argument)
        for argument in inspect.signature(rule).parameters
        if argument != "n"
    }
    # 1 - n^(-2/d), above 0.002 from two keys on, loses digits in the code
    rounding = 1e-12 if name == "infoscale" else ROUNDING
    for known in arguments, {}:
        np.testing.assert_allclose(
            rule(p + 1, **known), CODE[name](p, **known), rtol=rounding
        )


# rule, its arguments, the value to the digits of the sources
PUBLISHED = [
    ("log_length", (64,), "0.667"),
    ("qwen", (32767, 2048), "1.364"),
    ("qwen", (32767,), "1.154"),
    ("llama4", (1048576,), "1.4860"),
    ("llama4", (10_000_000,), "1.7107"),
    ("ministral", (262144,), "1.2773"),
    ("ministral", (1048576, 8192), "1.4852"),
    ("beam", (131072,), "1.5181"),
    ("beam", (1048576,), "1.8664"),
    ("yarn", (131072,), "1.8133"),
    ("yarn", (131072, 32768), "1.2965"),
    ("yarn", (131072, 8192, 0.07), "1.4258"),
    ("longrope", (131072,), "1.41667"),
    ("infoscale", (32768,), "1.2515"),
    ("infoscale", (131072, 64, 4096), "1.1601"),
]


@pytest.mark.parametrize("rule, arguments, digits", PUBLISHED)
def test_published_values(rule, arguments, digits):
    decimals = len(digits.split(".")[1])
    found = getattr(rules, rule)(*arguments)
    assert abs(found - float(digits)) <= 0.5 * 10.0**-decimals


def test_steps_stand_where_the_published_code_has_them():
    for base_length in 8192, 16384, 7:
        at = base_length * np.arange(1, 50)
        before, after = (
            rules.llama4(at - 1, base_length),
            rules.llama4(at, base_length),
        )
        # the 8192nd key counts for Llama 4, one more is needed by Ministral
        assert (before < after).all()
        assert (rules.ministral(at, base_length) == before).all()
        assert (rules.ministral(at + 1, base_length) == after).all()
    assert rules.llama4(8191) == rules.ministral(16384) == 1


@pytest.mark.parametrize(
    "rule",
    [rules.qwen, rules.inkling, rules.yarn, rules.longrope],
    ids=lambda rule: rule.__name__,
)
def test_up_to_the_base_nothing_changes(rule):
    below = rule(np.arange(1, 1001), 1000)
    assert below.tolist() == [1] * 1000
    above = rule(np.arange(1000, 3000), 1000)
    assert (np.diff(above) > 0).all()


@pytest.mark.parametrize("n", [2, 600, 1e6, 1e150])
def test_infoscale_is_the_root_of_the_logarithm_in_many_dimensions(n):
    # (1 - exp(-x)) / x is 1 to x / 2, here x = 2 log(n) / d < 1e-9
    np.testing.assert_allclose(
        rules.infoscale(n, 10**12, 512) ** 2,
        rules.log_length(n, 512),
        rtol=1e-9,
    )


LENGTH_RULES = {
    name: getattr(rules, name) for name in rules.__all__ if name != "beam"
}
LENGTH_RULES["infoscale"] = lambda n, m=512: rules.infoscale(n, 64, m)


@pytest.mark.parametrize(
    "rule", [*LENGTH_RULES.values(), rules.beam], ids=[*LENGTH_RULES, "beam"]
)
def test_any_length_is_accepted_without_a_warning(rule):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rule([1, 2, 10**9, 10**20, 1e150])
    assert (np.diff(found) >= 0).all()
    assert np.isfinite(found).all()


@pytest.mark.parametrize("rule", LENGTH_RULES.values(), ids=LENGTH_RULES)
def test_counts_that_are_none_are_refused(rule):
    for n in 0, 2.5:
        with pytest.raises(ValueError, match=f"^n: {n}; it should be a whole"):
            rule(n)
    for length in 1, 2.5:
        with pytest.raises(ValueError, match=f"^base_length: {length}; .* 2"):
            rule(9, length)
    with pytest.raises(ValueError, match="^n, base_length.*: their shapes"):
        rule([2, 3], [4, 5, 6])
