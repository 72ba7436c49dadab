# SPDX-License-Identifier: GPL-3.0-or-later
"""How a decision of judge, and what it is between, are said: compare, gate and ab. Pure."""
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from math import fabs, floor, log10
from typing import Any

Decision = Mapping[str, Any]
Decided = dict[str, Any]  # the result of judge


def rounded(value: float) -> float:
    """As jq and JavaScript do: halves away from 0."""
    return floor(fabs(value) + 0.5) * (-1.0 if value < 0 else 1.0)


def number_text(value: float) -> str:
    return str(int(value)) if value == int(value) and fabs(value) < 1e17 else repr(value)


def plain(value: float | None) -> str:
    """Three digits; below 1 two, however small."""
    if value is None:
        return '?'
    size = fabs(value)
    scale = 1.0 if size >= 100 or not value else 10.0 if size >= 10 else 100.0 if size >= 1 else 10.0 ** (1 - floor(log10(size)))
    return number_text(rounded(value * scale) / scale)


def with_unit(text: str, unit: str) -> str:
    return text if unit in ('', '-') else f'{text} {unit}'


def without_unit(metric: str) -> str:
    return re.sub('_(ms|us|percent)$|(?<!_per)_s$', '', metric)


def name(of: Decision) -> str:
    cell = f'{of["cell"]}: ' if of['cell'] else ''
    return cell + without_unit(of['metric']).replace('_', ' ')


def signed(value: float | None) -> str:
    return ('+' if value is not None and value > 0 else '') + plain(value)


def change(of: Decision) -> str:
    return with_unit(signed(of['change']), of['change_unit'])


def interval(of: Decision) -> str:
    return 'unknown' if of['low'] is None else f'{signed(of["low"])} to {signed(of["high"])}'


def left_out(rows: Iterable[Decision], reason: Callable[[Decision], str]) -> list[tuple[str, str]]:
    """(name, reason) of what is not compared: one for all metrics of a cell, but for those of another reason."""
    def key(row: Decision) -> tuple[str, str]:
        return row['cell'], reason(row)

    out = []
    for (cell, why), group in groupby(sorted(rows, key=key), key=key):
        metrics = [without_unit(row['metric']) for row in group]
        text = f'{len(metrics)} metrics' if len(metrics) > 4 else ', '.join(metrics)
        out.append((name({'cell': cell, 'metric': text}), why))
    return out


def why_not(row: Decision, a: str, b: str) -> str:
    return f'{row["why"]}' + (f' in {a if row["of"] == "a" else b}' if row.get('of') else '')


def cells(rows: Iterable[Decision]) -> str:
    return ', '.join(sorted({row['cell'] for row in rows}))


# --- variants of ab -----------------------------------------------------------------------------------------------

def in_tree(text: str) -> str:
    """A file, and the options and programs of a variant, seen from the tree of its revision."""
    return re.sub(r'.*/thinprobe-ab\.[^/]*/[ab]/', '', text, count=1)


def variant(of: Mapping[str, Any]) -> str:
    parts = [of.get(key) for key in ('options', 'server', 'client', 'root')] + [str(of.get('commit') or '')[:12]]
    return ' '.join(in_tree(part) for part in parts if part and isinstance(part, str)) or 'as it is'
