# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as text for people: three significant digits (two below 1), commas between thousands, a suitable unit. Pure.

NaN and infinities give -; there is no negative zero."""
from collections.abc import Sequence
from math import fabs, floor, isfinite, log10

from analysis.figures import Figure

LATE_MS = 100.0  # a key is late from here, where nothing else is asked for: `perception` of data/thresholds.tsv


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


def in_unit(value: float, units: Sequence[tuple[float, str]]) -> str:
    """In the largest unit in which it is at least 1, of these in ascending order."""
    if not isfinite(value):
        return '-'
    factor, name = next((u for u in reversed(units[1:]) if rounded(fabs(value) / u[0]) >= 1), units[0])
    return f'{number(value / factor)} {name}'


def time(ns: float) -> str:
    """412 ns, 31 µs, 5.20 ms, 10.0 s, 12 min 4 s, 3 h 20 min"""
    if fabs(ns) < 0.5:
        return '0 s'
    if not 119.5e9 <= fabs(ns) < 1e18:
        return in_unit(ns, ((1, 'ns'), (1e3, 'µs'), (1e6, 'ms'), (1e9, 's')))
    s = int(fabs(ns) / 1e9 + 0.5)
    return ('-' if ns < 0 else '') + (f'{s // 60} min {s % 60} s' if s < 7200 else f'{s // 3600} h {s % 3600 // 60} min')


def figure(f: Figure, unit: float = 1) -> str:
    """Divided by `unit`: 12.5; 12.5 to 201; >812 (censored, or a range without a known late end); - if absent."""
    if not f.is_known():
        return '-'
    if f.is_range() and not f.above:
        return f'{number(f.start / unit)} to {number(f.end / unit)}'
    return ('>' if f.above else '') + number((f.start if f.is_range() else f.value) / unit)


# --- numbers of reports: as many decimals as make sense to read; None gives the empty text -------------------------

def fixed(value: float | None, decimals: int) -> str:
    """With so many decimals, halves away from 0; no negative zero."""
    if value is None:
        return ''
    scaled = fabs(value) * 10.0 ** decimals
    n = int(scaled) + (scaled - int(scaled) >= 0.5)
    digits = str(n).rjust(decimals + 1, '0')
    return ('-' if value < 0 < n else '') + (digits if not decimals else f'{digits[:-decimals]}.{digits[-decimals:]}')


def trimmed(text: str) -> str:
    return text.rstrip('0').removesuffix('.') if '.' in text else text


def short(value: float | None) -> str:
    """1.5  12.0  152  0.25  0.0031"""
    if value is None:
        return ''
    size = fabs(value)
    if size >= 99.95:
        return fixed(value, 0)
    if size >= 0.995 or not value:
        return fixed(value, 1)
    return fixed(value, 2) if size >= 0.0095 else trimmed(fixed(value, 4))


def plain(value: float | None) -> str:
    """A setting: 10, 2.5"""
    return '' if value is None else fixed(value, 0) if value == floor(value) else trimmed(fixed(value, 3))


def percent(value: float | None) -> str:
    if value is None:
        return ''
    if value == floor(value):
        return fixed(value, 0)
    return '99.9' if 99.95 <= value < 100 else fixed(value, 2 if fabs(value) < 0.1 else 1)


def thousands(value: float) -> str:
    digits = fixed(value, 0)
    return ','.join(reversed([digits[max(0, end - 3):end] for end in range(len(digits), 0, -3)]))


def plural(value: float, one: str, many: str = '') -> str:
    return f'{thousands(value)} {one if value == 1 else many or one + "s"}'


def and_list(words: list[str]) -> str:
    return f'{", ".join(words[:-1])} and {words[-1]}' if len(words) > 1 else ''.join(words)


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def with_unit(value: float | None, unit: str) -> str:
    if value is None:
        return 'unknown'
    if unit == '%':
        return f'{percent(value)} %'
    if unit == 'ms' and fabs(value) >= 9950:
        return f'{short(value / 1000)} s'
    return short(value) + (unit if unit in ('', '/s') else f' {unit}')


def unit_of(column: str) -> str:
    """The unit that the end of a column's name says."""
    parts = column.split('_')
    if len(parts) < 2:
        return ''
    if parts[-1] == 'percent':
        return '%'
    if parts[-2:] == ['per', 's']:
        return '/s'
    return parts[-1] if parts[-1] in ('ms', 's', 'us', 'bytes', 'kib', 'mib') else ''
