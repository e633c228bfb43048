"""The numerical verbs: `close_to`, and estimates that carry their error."""

import reprlib
import sys
from dataclasses import dataclass
from numbers import Real
from typing import SupportsFloat

import numpy as np

from bookkit.checks.verdicts import (
    Disagreement,
    SampleTooSmall,
    Verdict,
)


def close_to(value, reference, to):
    """Check that numbers equal a reference within an absolute tolerance.

    Parameters
    ----------
    value, reference : numbers or arrays that broadcast.
    to : the largest absolute difference allowed, positive.

    Returns
    -------
    Verdict
        With the largest difference found.

    Raises
    ------
    Disagreement : some difference is larger, or not a number.
    TypeError : an argument is not of the kind above.
    ValueError : `to` is not positive, shapes do not fit, or nothing is
        compared.
    """
    to = _positive_number(to, "to")
    value, reference = _real(value, "value"), _real(reference, "reference")
    try:
        # not numbers, inf - inf among them, are no agreement
        with np.errstate(all="ignore"):
            gap = np.abs(value - reference)
    except ValueError:
        raise ValueError(
            f"reference: shape {reference.shape}; it should broadcast with "
            f"the value's, {value.shape}"
        ) from None
    if gap.size == 0:
        raise ValueError("value: nothing to compare")
    worst = float(np.max(gap))
    if not worst <= to:
        raise Disagreement(
            f"the largest difference is {worst:.3g}, more than {to:.3g}"
        )
    # the exact size of a rounding error is the machine's, not the book's
    one = gap.size == 1
    shown = to_unit(reference.item(), to) if one else f"{gap.size:,} values"
    return Verdict(f"Computed ✓ {shown}, to within {to:g}")


SMALLEST_SAMPLE = 100


LARGEST_SHARE = 0.25


LARGEST_SAMPLE = 1e70


@dataclass(frozen=True, repr=False)
class Estimate:
    """A statistic of a sample, with its standard error.

    Attributes
    ----------
    name : what was estimated.
    value, standard_error : numbers, or arrays of one shape.
    size : number of independent samples behind each value.
    largest_share : share of the single most extreme sample in the sum that
        the standard error is made of; near 1, it is that sample's alone.
    least_error : a standard error below this says nothing: what it leaves
        out (rounding, or the error of the sample's own mean) is as large.

    The samples must be independent. That is for who draws them to see to;
    dot products that share a query, say, are not.
    """

    name: str
    value: np.ndarray
    standard_error: np.ndarray
    size: int
    largest_share: np.ndarray
    least_error: np.ndarray

    def agrees_with(self, theory, to, sigmas=4, rather_than=None):
        """Check a theory against the sample.

        Parameters
        ----------
        theory : number or array, what the value should be.
        to : the precision claimed, in the units of the value: `sigmas`
            standard errors must be no more than this. So a theory that is
            off by more than twice `to` is found out.
        sigmas : how many standard errors of difference are put down to
            chance, from 2 to 6; at 4, large samples turn one true theory in
            16,000 away, samples of a few hundred a few times as many.
        rather_than : what the nearest wrong theory says, with n + 1 for n,
            say: at one value at least it must be more than `sigmas` standard
            errors away. Try n small, where the two differ most.

        Returns
        -------
        Verdict

        Raises
        ------
        Disagreement : the difference is larger, or not a number; that comes
            first, since also a small sample can tell a theory to be wrong.
        SampleTooSmall : the sample does not tell `theory` from `rather_than`;
            or it has fewer than 100 values, one of them
            makes up a quarter of the standard error's sum, the standard
            error is below `least_error`, or `sigmas` of them exceed `to`.
        TypeError : an argument is not of the kind above.
        ValueError : `to` is not positive, `sigmas` not from 2 to 6, or
            `theory` has another shape than the values.
        """
        to = _positive_number(to, "to")
        sigmas = _sigmas(sigmas)
        self._must_be_sound()
        distance = self._distance(theory)
        if not np.all(distance <= sigmas):
            raise Disagreement(
                f"{self}: the claim is {_briefs(theory)}, "
                f"{np.max(distance):.3g} standard errors away "
                f"(at most {sigmas:g})"
            )
        reach = sigmas * np.max(self.standard_error)
        if reach > to:
            raise SampleTooSmall(
                f"{self.name}: {sigmas:g} standard errors are {reach:.3g}, "
                f"more than the precision {to:.3g} that is claimed; with "
                f"{self.size:,} samples it takes about "
                f"{(reach / to) ** 2:.2g} times as many"
            )
        if rather_than is not None:
            apart = np.max(self._distance(rather_than))
            if not apart > sigmas:
                raise SampleTooSmall(
                    f"{self.name}: {_briefs(rather_than)} is only "
                    f"{apart:.3g} standard errors away, so the sample does "
                    f"not tell {_briefs(theory)} from it"
                )
        return self._verdict(
            self._line(),
            "claimed",
            theory,
            f"at most {sigmas:g} standard errors away, which is {reach:.2g}",
        )

    def rules_out(self, theory, sigmas=4):
        """Check that a wrong theory is told from the sample.

        Parameters
        ----------
        theory : number or array, what the value is not.
        sigmas : how many standard errors it must at least be away.

        Returns
        -------
        Verdict

        Raises
        ------
        Disagreement : the theory is nearer than that somewhere.
        SampleTooSmall : as in `agrees_with`, precision aside.
        TypeError, ValueError : as in `agrees_with`.
        """
        sigmas = _sigmas(sigmas)
        self._must_be_sound()
        distance = self._distance(theory)
        if not np.all(distance > sigmas):
            raise Disagreement(
                f"{self}: {_briefs(theory)} is only {np.min(distance):.3g} "
                f"standard errors away, so it is not ruled out"
            )
        wrong = brief(theory) if np.ndim(theory) == 0 else "those claimed"
        return self._verdict(
            f"{self._line()}, not {wrong}",
            "ruled out",
            theory,
            f"more than {sigmas:g} standard errors away",
        )

    def _distance(self, theory):
        theory = _real(theory, "theory")
        if not np.all(np.isfinite(theory)):
            raise Disagreement(f"{self}: theory is {_briefs(theory)}")
        if theory.shape not in ((), np.shape(self.value)):
            raise ValueError(
                f"theory: {theory.shape} values for {np.shape(self.value)} "
                f"estimates of {self.name}"
            )
        return np.abs(self.value - theory) / self.standard_error

    def _must_be_sound(self):
        if self.size < SMALLEST_SAMPLE:
            raise SampleTooSmall(
                f"{self.name}: {self.size} samples; under {SMALLEST_SAMPLE} "
                "the standard error itself is a guess"
            )
        if not np.all(self.largest_share < LARGEST_SHARE):
            raise SampleTooSmall(
                f"{self.name}: one of {self.size:,} samples carries "
                f"{np.max(self.largest_share):.0%} of the standard error; "
                "the tail is too heavy for this sample"
            )
        if not np.all(self.standard_error > self.least_error):
            raise SampleTooSmall(
                f"{self.name}: the samples hardly differ; the standard error "
                "of this statistic would leave out more than it counts"
            )

    def _shown(self):
        """The values, each with its error."""
        pairs = zip(
            np.ravel(self.value), np.ravel(self.standard_error), strict=True
        )
        return [with_error(*pair) for pair in pairs]

    def _line(self):
        shown = self._shown()
        if len(shown) > 1:
            return f"Measured ✓ {len(shown):,} values"
        return f"Measured ✓ {shown[0]}"

    def _verdict(self, line, role, theory, demand):
        """The verdict, with a line for each value as text and as a table."""
        distances = np.ravel(self._distance(theory))
        claims = np.broadcast_to(_real(theory, "theory"), np.shape(self.value))
        rows = [
            (shown, brief(claim), f"{distance:.1f}")
            for shown, claim, distance in zip(
                self._shown(), np.ravel(claims), distances, strict=True
            )
        ]
        heads = ("measured", role, "standard errors away")
        lines = [heads, (":--",) * 3, *rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        text = "\n".join(
            f"{shown}; {role} {claim}, {away} standard errors away"
            for shown, claim, away in rows
        )
        behind = f"{self.name}: {self.size:,} samples; demanded: {demand}"
        return Verdict(line, f"{text}\n{behind}", f"{table}\n\n{behind}.")

    def __repr__(self):
        # a comma stands in large numbers, and a name may end in a number
        shown = "; ".join(self._shown())
        return f"{self.name}: {shown} ({self.size:,} samples)"

    def _repr_markdown_(self):
        return str(self)


def sample_mean(samples, axis=-1, name="mean"):
    """Estimate the mean of independent samples.

    Parameters
    ----------
    samples : array; independent along `axis`.
    axis : the axis of the samples, the last one unless told.
    name : what to call the estimate.

    Returns
    -------
    Estimate
        With standard error s / sqrt(N).

    Raises
    ------
    TypeError : samples are not real numbers, or axis is no whole number.
    ValueError : fewer than two samples, one that is not finite, or no such
        axis.
    """
    samples = _samples(samples, axis)
    size = samples.shape[-1]
    mean = samples.mean(-1)
    squares = (samples - mean[..., None]) ** 2
    error = np.sqrt(squares.sum(-1) / (size - 1) / size)
    rounding = 1e-13 * np.abs(mean)
    return Estimate(name, mean, error, size, _largest_share(squares), rounding)


def sample_variance(samples, axis=-1, name="variance"):
    """Estimate the variance of independent samples, about their own mean.

    Parameters
    ----------
    samples : array; independent along `axis`.
    axis : the axis of the samples, the last one unless told.
    name : what to call the estimate.

    Returns
    -------
    Estimate
        Unbiased (divided by N - 1). The standard error is that of the mean
        of the squared deviations: sqrt((m4 - m2^2) / N), with the second and
        fourth central moments of the sample; it needs no normality, but a
        finite fourth moment.

    Raises
    ------
    TypeError : samples are not real numbers, or axis is no whole number.
    ValueError : fewer than two samples, one that is not finite, or no such
        axis.
    """
    samples = _samples(samples, axis)
    size = samples.shape[-1]
    squares = (samples - samples.mean(-1, keepdims=True)) ** 2
    variance = squares.sum(-1) / (size - 1)
    spread = (squares - squares.mean(-1, keepdims=True)) ** 2
    error = np.sqrt(spread.sum(-1) / (size - 1) / size)
    # the squared error of the mean, of the order of variance / size, is
    # not in it; it rules where the samples lie all as far from the mean
    left_out = 8 * variance / size
    return Estimate(
        name, variance, error, size, _largest_share(spread), left_out
    )


def _samples(samples, axis):
    samples = np.atleast_1d(_real(samples, "samples"))
    if not isinstance(axis, int):
        raise TypeError(f"axis: {axis!r}; it should be a whole number")
    if not -samples.ndim <= axis < samples.ndim:
        raise ValueError(
            f"axis: {axis}; samples of {samples.ndim} axes have none of that "
            "number"
        )
    samples = np.moveaxis(samples, axis, -1)
    if samples.shape[-1] < 2:
        raise ValueError(
            f"samples: {samples.shape[-1]} along axis {axis}; a standard "
            "error needs two"
        )
    if not np.all(np.isfinite(samples)):
        raise ValueError("samples: some are NaN or infinite")
    if np.any(np.abs(samples) > LARGEST_SAMPLE):
        raise ValueError(
            f"samples: {np.abs(samples).max():.3g} in size; their fourth "
            f"powers should be floats, so at most {LARGEST_SAMPLE:g}"
        )
    return samples


def _real(values, argument):
    """An array of floats, when nothing is lost in making it one."""
    should = "it should be real numbers, alone or in an array"
    if np.ma.isMaskedArray(values):
        raise TypeError(f"{argument}: a masked array; {should}")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{argument}: its rows differ in length; they should be equally "
            "long"
        ) from None
    # SymPy's numbers and mpmath's arrive as objects
    if array.dtype.kind in "biuf" or (
        array.dtype.kind == "O"
        and all(isinstance(entry, SupportsFloat) for entry in array.flat)
    ):
        try:
            return array.astype(float)
        except OverflowError:
            should = "it should be numbers that a float can hold"
            raise ValueError(
                f"{argument}: {reprlib.repr(values)}; {should}"
            ) from None
        except (TypeError, ValueError):
            pass  # a symbol, or a number that is not real
    raise TypeError(f"{argument}: {reprlib.repr(values)}; {should}")


def _largest_share(terms):
    total = terms.sum(-1)
    return terms.max(-1) / np.where(total > 0, total, 1)


def _positive_number(value, argument):
    if not isinstance(value, Real):
        raise TypeError(f"{argument}: {value!r}; it should be a number")
    if not 0 < value <= sys.float_info.max:
        raise ValueError(
            f"{argument}: {reprlib.repr(value)}; it should be positive, and "
            "one that a float can hold"
        )
    return float(value)


def _sigmas(value):
    if not isinstance(value, Real):
        raise TypeError(f"sigmas: {value!r}; it should be a number")
    if not 2 <= value <= 6:
        raise ValueError(f"sigmas: {value!r}; it should be from 2 to 6")
    return float(value)


def with_error(value, error):
    """A value to the second digit of its standard error."""
    if not 0 < error < np.inf:
        return f"{value:.4g} ± {error:.2g}"
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{value:,.{digits}f} ± {error:,.{digits}f}"


def to_unit(number, to):
    """A number to the digit of which a tolerance is half a unit, or four."""
    digits = int(np.ceil(-np.log10(2 * to) - 1e-9))
    return brief(round(float(number), digits) + 0.0)  # never -0


def brief(number):
    """A number in four digits, a large one to the unit."""
    number = float(number)
    return f"{number:,.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"


def _briefs(theory):
    return ", ".join(brief(number) for number in np.ravel(theory))
