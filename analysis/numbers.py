# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic of IEEE 754 where Python raises an error: what is not known is NaN, and goes on as such. Pure."""
import math
from collections.abc import Iterable
from math import copysign, inf, isnan, nan


def over(a: float, b: float) -> float:
    """a / b; by 0 an infinity, 0 / 0 is NaN."""
    if b:
        return a / b
    return nan if not a or isnan(a) else copysign(inf, a) * copysign(1, b)


def log(x: float) -> float:
    return math.log(x) if x > 0 else -inf if x == 0 else nan


def log1p(x: float) -> float:
    return math.log1p(x) if x > -1 else -inf if x == -1 else nan


def exp(x: float) -> float:
    return math.exp(x) if not x > 709 else expm1(x) + 1


def expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return inf


def sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 else nan


def power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return inf
    except ValueError:  # 0 to a power below 0, or a root of a number below 0
        return inf if x == 0 else nan


def least(values: Iterable[float], none: float = nan) -> float:
    """The least of those that are known."""
    return min((v for v in values if not isnan(v)), default=none)


def most(values: Iterable[float], none: float = nan) -> float:
    return max((v for v in values if not isnan(v)), default=none)


def nearest(x: float) -> int:
    """The nearest whole number, halves away from 0."""
    return int(math.floor(abs(x) + 0.5)) * (-1 if x < 0 else 1)


def average(values: Iterable[float]) -> float:
    """The mean, as a running one: equal values have themselves as their mean. NaN: no value."""
    result, n = 0.0, 0
    for n, value in enumerate(values, 1):
        result += (value - result) / n
    return result if n else nan


def total(values: Iterable[float]) -> float:
    """The sum, from the first on."""
    result = 0.0
    for value in values:
        result += value
    return result
