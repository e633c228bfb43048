"""Means of polynomials in independent random variables, in exact algebra."""

import sympy as sp

__all__ = ["mean", "variance"]


def mean(polynomial, moments):
    """Mean of a polynomial in independent random variables.

    Parameters
    ----------
    polynomial : SymPy expression, a polynomial in the variables; anything
        else in it is a constant.
    moments : {variable: [1, E[v], E[v²], ...]}, exact.

    Returns
    -------
    SymPy expression
        Monomial by monomial, the product of the variables' moments.

    Raises
    ------
    ValueError : there is no variable, the expression is no polynomial in
        them, or a moment that is needed is missing.

    Source: chapter 1.
    """
    if not moments:
        raise ValueError("moments: there is no variable")
    try:
        terms = sp.Poly(polynomial, *moments).terms()
    except sp.PolynomialError:
        names = ", ".join(map(str, moments))
        raise ValueError(
            f"polynomial: {polynomial} is no polynomial in {names}"
        ) from None
    total = sp.S.Zero
    for powers, coefficient in terms:
        for (variable, known), power in zip(
            moments.items(), powers, strict=True
        ):
            if power >= len(known):
                raise ValueError(
                    f"moments: {variable} needs its moment of order {power}; "
                    f"the list ends at {len(known) - 1}"
                )
            coefficient *= known[power]
        total += coefficient
    return total


def variance(polynomial, moments):
    """Variance of a polynomial in independent random variables.

    Parameters, errors : as `mean`; the square needs twice the order.

    Returns
    -------
    SymPy expression
        The mean of the square less the square of the mean.

    Source: chapter 1.
    """
    square = mean(sp.expand(polynomial**2), moments)
    return square - mean(polynomial, moments) ** 2
