# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as text for people: three significant digits (two below 1), commas between thousands, a suitable unit. Pure.

NaN and infinities give -; there is no negative zero."""
from math import fabs, floor, isfinite, log10

from analysis.figures import Figure


def rounded(value: float) -> float:
    """Rounded to the digits that are printed, so that unit and decimals are chosen for what is read."""
    return float(f'{value:.{1 if fabs(value) < 0.9995 else 2}e}')


def number(value: float) -> str:
    """0.69  9.98  12.3  412  1,230"""
    if not isfinite(value) or fabs(value) >= 1e18:
        return '-'
    value = rounded(value)
    size = fabs(value)
    if size < 1e-9:
        return '0'
    decimals = (2 if size < 10 else 1 if size < 100 else 0) if size >= 1 else 1 - floor(log10(size) + 1e-9)
    return f'{value:,.{min(decimals, 9)}f}'


def count(value: int) -> str:
    return f'{value:,d}'


def counted(value: int, noun: str) -> str:
    """1 run, 48,212 runs"""
    return f'{value:,d} {noun}{"" if value == 1 else "s"}'


def figure(f: Figure, unit: float = 1) -> str:
    """Divided by `unit`: 12.5; 12.5 to 201; >812 (censored, or a range without a known late end); - if absent."""
    if not f.is_known():
        return '-'
    if f.is_range() and not f.above:
        return f'{number(f.start / unit)} to {number(f.end / unit)}'
    return ('>' if f.above else '') + number((f.start if f.is_range() else f.value) / unit)
