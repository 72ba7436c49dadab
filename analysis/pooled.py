# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares two runs by the figures of all their repeats together, where single repeats have none: a 95 % value needs 200 keys,
and five repeats of 95 keys have it together only. Pure.

The interval of the difference is made from the two 95 % intervals (Zou and Donner 2008), by its wider side; at another level it
is as much wider as a Student's t of the run with fewer repeats. Of ranges, the ends that are nearest to each other count, and
only where they differ by the whole effect.
"""
from collections.abc import Iterable, Sequence
from math import fabs, hypot, inf, isnan, nan
from typing import BinaryIO

from analysis import numbers, special, tables
from analysis.blocks import A, B, NEITHER, Effect, Pooled, Series, Table, choose_scale
from analysis.sequential import REPEATS_LEAST, Figure
from analysis.tables import BadLine

ROUNDING = 1e-9
COLUMNS = ('from', 'to', 'low', 'high', 'repeats', 'variant', 'cell', 'metric', 'why')


def read(stream: BinaryIO, t: Table) -> None:
    """Reads a table of the schema pooled/1 into the series of the table."""
    place(tables.read_schema(stream, 'pooled/1', COLUMNS, len(COLUMNS)), t)


def place(rows: Iterable[tuple[int, Sequence[str | None]]], t: Table) -> None:
    """Rows with their lines, each in the order of COLUMNS, into the series of the table."""
    places = {(s.cell, s.metric): s for s in t.series}
    for line, cells in rows:
        try:
            start, end, low, high = (tables.strtod(cell) if cell else nan for cell in cells[:4])
            repeats = tables.count(cells[4]) or 0
        except ValueError:
            raise BadLine('', line) from None
        variant, cell, metric, why = (c or '' for c in cells[5:])
        s = places.get((cell, metric))
        if s:
            s.pooled[variant == 'b'] = Pooled(start, inf if isnan(end) and not isnan(start) else end, low, high, repeats, why)


def is_aside(s: Series, effect: Effect) -> bool:
    """Of numbers that lack an interval, as a percentile of too few keys, nothing can be told. Is B not worse by them alone?"""
    a, b = s.pooled
    if not a.is_number() or not b.is_number() or a.repeats < REPEATS_LEAST or b.repeats < REPEATS_LEAST:
        return False
    s.typical = [a.start, b.start]
    choose_scale(s, effect, a.start > 0 and b.start > 0)
    more = numbers.log(numbers.over(b.start, a.start)) if s.relative else b.start - a.start
    return (-more if s.higher_is_better else more) < s.figure.effect


def logs(p: Pooled) -> Pooled:
    return Pooled(numbers.log(p.start), numbers.log(p.end), numbers.log(p.low), numbers.log(p.high), p.repeats)


def compare_known(s: Series, effect: Effect) -> str | None:
    """Compares them, or returns why not."""
    a, b = s.pooled
    up, exact, n = b.start >= a.end, a.is_number() and b.is_number(), min(a.repeats, b.repeats)
    if not up and not b.end <= a.start:
        return 'range'
    if isnan(a.low + a.high + b.low + b.high) or n < REPEATS_LEAST:
        return 'no interval'
    s.typical = [a.end, b.start] if up else [a.start, b.end]
    choose_scale(s, effect, a.low > 0 and b.low > 0)
    if s.relative:
        a, b = logs(a), logs(b)
    mean = b.start - a.end if up else b.end - a.start
    if not exact and fabs(mean) < s.figure.effect:
        return 'range'
    down_side, up_side = hypot(b.start - b.low, a.high - a.end), hypot(b.high - b.end, a.start - a.low)
    half = numbers.most((down_side, up_side)) if exact else down_side if up else up_side
    half = 0.0 if half < ROUNDING else half
    if half == 0 and mean != 0:
        return 'no spread'
    s.figure = Figure(s.figure.effect, n=n, mean=mean, freedom=n - 1, error=half / special.t_quantile(n - 1, 0.975))
    s.constant = False
    s.pairs = n
    s.known, s.unknown = [p.repeats for p in s.pooled], [0, 0]
    return None


def compare_series(s: Series, effect: Effect) -> None:
    """Says why not, if A or B has it or should have it. A percentile of too few keys is in no table; B is not worse than what was
    overloaded."""
    a, b = (p.is_known() for p in s.pooled)
    lacks = A if b else B
    why = s.pooled[lacks].why
    if a and b:
        s.why = compare_known(s, effect)
        s.aside = s.why == 'no interval' and is_aside(s, effect)
    elif a:
        s.why = why or 'not measured'
    elif why and why != 'too few' and not (b and why == 'overloaded'):
        s.why = why
    s.lacks = NEITHER if a and b else lacks


def lacks_spread(s: Series) -> bool:
    """All repeats of A have one value and all of B another: a share of 0 and of 100 %, of which the pooled intervals know more."""
    return s.figure.freedom > 0 and not s.figure.error > 0 and all(p.is_known() for p in s.pooled)


def compare(t: Table, effect: Effect) -> None:
    """After blocks.compare_runs(): compares the series that it could not decide by repeats. Sets `why` and `lacks` of those that
    a run has, or should have, and that cannot be compared."""
    for s in t.series:
        if not s.constant and (s.figure.n < REPEATS_LEAST or lacks_spread(s)):
            compare_series(s, effect)


def hold_share(s: Series) -> bool:
    """Of two runs whose values are all the same: are they a share that the intervals of both hold within the effect? These take
    stalls, not keys, as independent."""
    a, b = s.pooled
    return (s.constant and s.unit == '%' and all(p.is_known() and p.is_number() and not isnan(p.low + p.high) for p in s.pooled)
            and max(a.high, b.high) - min(a.low, b.low) < s.figure.effect)
