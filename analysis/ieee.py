# SPDX-License-Identifier: GPL-3.0-or-later
"""Arithmetic as IEEE 754 has it, where Python would raise: what is not a number stays one (NaN), and decides nothing. Pure."""
from math import copysign, exp, expm1, inf, isnan, log, log1p, nan


def ln(x: float) -> float:
    return log(x) if x > 0 else -inf if x == 0 else nan


def ln1p(x: float) -> float:
    return log1p(x) if x > -1 else -inf if x == -1 else nan


def exp_less_1(x: float) -> float:
    return expm1(x) if x < 709 else x if isnan(x) else inf


def exponential(x: float) -> float:
    return exp(x) if x < 709 else x if isnan(x) else inf


def quotient(a: float, b: float) -> float:
    if b:
        return a / b
    return nan if not a or isnan(a) else copysign(inf, a) * copysign(1, b)


def least(a: float, b: float) -> float:
    """The smaller one; of one that is not a number the other."""
    return b if isnan(a) or b < a else a


def most(a: float, b: float) -> float:
    return b if isnan(a) or b > a else a
