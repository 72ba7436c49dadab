# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution functions and quantiles that the standard library lacks. Pure.

Incomplete beta and gamma functions by continued fractions and series (DLMF, https://dlmf.nist.gov, 8.17.22, 8.7.1 and 8.9.2, the
fractions by Lentz's method); quantiles by bisection, to the last digits of a double. Held against SciPy in tests."""
from collections.abc import Callable
from functools import lru_cache
from math import erfc, exp, fabs, inf, lgamma, log, log1p, nan, sqrt

TINY = 1e-300
CLOSE = 1e-16


def fraction(term: Callable[[int], tuple[float, float]], first: float) -> float:
    """first + a1 / (b1 + a2 / (b2 + ...)), where term(n) is (an, bn), by Lentz's method."""
    value = first or TINY
    c, d = value, 0.0
    for n in range(1, 100000):
        a, b = term(n)
        d = b + a * d
        c = b + a / c
        d = 1 / (d or TINY)
        c = c or TINY
        value *= c * d
        if fabs(c * d - 1) < CLOSE:
            break
    return value


def beta_share(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function I_x(a, b)."""
    if not 0 < x < 1:
        return nan if x != x else 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)

    def term(n: int) -> tuple[float, float]:
        m = n // 2
        if n % 2:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0

    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front / fraction(term, 1.0)


def gamma_upper(a: float, x: float) -> float:
    """The regularized upper incomplete gamma function Q(a, x)."""
    if x <= 0:
        return 1.0
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-17:
            n += 1
            term *= x / n
            total += term
        return 1 - front * total
    return front / fraction(lambda n: (-n * (n - a), x + 2 * n + 1 - a), x + 1 - a)


def invert(falls: Callable[[float], bool], low: float, high: float) -> float:
    """The least x in low..high for which falls(x) is false, if it is true below; to neighbouring doubles, or 1e-16 of x."""
    while True:
        middle = (low + high) / 2
        if not low < middle < high or high - low <= CLOSE * fabs(middle):
            return high if fabs(high) < inf else middle
        if falls(middle):
            low = middle
        else:
            high = middle


@lru_cache(maxsize=4096)
def beta_quantile(p: float, a: float, b: float) -> float:
    return 0.0 if p <= 0 else 1.0 if p >= 1 else invert(lambda x: beta_share(x, a, b) < p, 0.0, 1.0)


def normal_upper(z: float) -> float:
    return erfc(z / sqrt(2)) / 2


@lru_cache(maxsize=4096)
def normal_quantile(p: float) -> float:
    if not 0 < p < 1:
        return -inf if p <= 0 else inf
    if p < 0.5:
        return invert(lambda z: normal_upper(-z) < p, -40.0, 0.0)
    return invert(lambda z: normal_upper(z) > 1 - p, -1e-300, 40.0)


def t_upper(freedom: float, t: float) -> float:
    """The chance that Student's t is larger."""
    if t == 0:
        return 0.5
    square = t * t
    near = beta_share(square / (freedom + square), 0.5, freedom / 2) if square < freedom else \
        1 - beta_share(freedom / (freedom + square), freedom / 2, 0.5)
    tail = (1 - near) / 2 if square < freedom else beta_share(freedom / (freedom + square), freedom / 2, 0.5) / 2
    return tail if t > 0 else 1 - tail


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, p: float) -> float:
    if not 0 < p < 1:
        return nan if p != p else -inf if p <= 0 else inf
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -t_quantile(freedom, 1 - p) if p > 1e-3 else -upper_t(freedom, p)
    return upper_t(freedom, 1 - p)


def upper_t(freedom: float, tail: float) -> float:
    high = 1.0
    while t_upper(freedom, high) > tail:
        high *= 2
    return invert(lambda t: t_upper(freedom, t) > tail, 0.0, high)


def chi_squared_upper(freedom: float, x: float) -> float:
    return gamma_upper(freedom / 2, x / 2)


@lru_cache(maxsize=4096)
def chi_squared_quantile(freedom: float, p: float) -> float:
    if freedom <= 0:
        return 0.0
    high = freedom + 10.0
    while 1 - chi_squared_upper(freedom, high) < p:
        high *= 2
    return invert(lambda x: 1 - chi_squared_upper(freedom, x) < p, 0.0, high)


def binomial_at_most(hits: int, n: int, p: float) -> float:
    """The chance of at most so many hits among n."""
    return 1.0 if hits >= n else beta_share(1 - p, n - hits, hits + 1) if hits >= 0 else 0.0
