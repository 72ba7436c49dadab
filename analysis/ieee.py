# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic of IEEE 754 where Python raises: a division by 0, a logarithm of 0, an overflow give infinities or NaN. Pure."""
import math
from math import copysign, inf, isnan, nan


def divide(a: float, b: float) -> float:
    if b:
        return a / b
    return nan if isnan(a) or not a else copysign(inf, a) * copysign(1, b)


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


def least(a: float, b: float) -> float:
    """The lesser of the two that are known."""
    return a if a <= b or isnan(b) else b


def most(a: float, b: float) -> float:
    return a if a >= b or isnan(b) else b
