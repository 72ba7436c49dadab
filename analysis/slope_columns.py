# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows: for each protocol, how the median latency of single keys grows with the round trip time measured by ping, on links without
loss: a least-squares line through a point for each repeat of each cell, with Student's t interval of the slope. There is a row
where round trip times were set apart (by APART_MS, and more than the pings of one setting scatter). A line also needs an interval,
the median of every repeat as one number, and medians that lie on it; otherwise the row says why there is none. late_from_ms: the
round trip time from which on the line is above the run's threshold, if one between those that were set.
Parameters: protocol, rtt_ms, loss_percent, keys_per_s (0: single keys); cell.json: parameters.ping_ms (if missing: rtt_ms)."""
from collections.abc import Iterator, Sequence
from math import isfinite, nan

from analysis import figures, key_figures, spreads
from analysis.columns import Extractor, Kept, Written
from analysis.figures import Figure
from analysis.key_figures import NS_PER_MS
from analysis.numbers import over, sqrt, total
from analysis.samples import Cell, Repeat, Run, number

APART_MS = 10.0
Point = tuple[float, float]  # ms of the ping, and of the median latency (NaN: not one number)


def read(repeat: Repeat) -> Point | None:
    """None: no single keys without loss."""
    if repeat.cell.number('loss_percent') > 0 or repeat.cell.number('keys_per_s') > 0:
        return None
    median = key_figures.median_ns(key_figures.read_train(repeat))
    return (number(repeat.json, 'parameters.ping_ms', repeat.cell.number('rtt_ms')),
            nan if median.above else median.value / NS_PER_MS)


def why_no_line(x: Sequence[float], y: Sequence[float], at: Sequence[float]) -> str:
    return ('no exact median' if not all(map(isfinite, y)) else 'too few points' if not spreads.slope_interval(spreads.fit(x, y))
            else 'its medians lie on no straight line' if spreads.line_bends(at, y, 1) else '')


def protocol_row(first: Cell, cells: list[Cell], kept: Kept) -> Written | None:
    points = [(cell.number('rtt_ms'), *p) for cell in cells for p in kept[cell.index] if p]
    settings = [(cell.number('rtt_ms'), [p[0] for p in kept[cell.index] if p]) for cell in cells]
    there = [(rtt, pings) for rtt, pings in settings if pings]
    scatter = max((max(pings) - min(pings) for _, pings in there), default=0.0)
    least, most = min((rtt for rtt, _ in there), default=nan), max((rtt for rtt, _ in there), default=nan)
    if not (most - least >= APART_MS and most - least > scatter):
        return None
    at, x, y = ([p[i] for p in points] for i in range(3))
    why, line = why_no_line(x, y, at), spreads.fit(x, y)
    late = Figure() if why else spreads.line_reaches(line, first.run.threshold_ms)
    squares = nan if why else total((b - line.start - line.slope * a) ** 2 for a, b in zip(x, y))
    return Written(first, {
        'protocol': first.need('protocol'), 'points': float(len(x)),
        'slope': Figure() if why else figures.estimate(line.slope, *(spreads.slope_interval(line) or spreads.NONE)),
        'slope_why': why, 'late_from_ms': late if least <= late.value <= most else Figure(), 'start_ms': nan if why else line.start,
        'spread_ms': sqrt(over(squares, len(x) - 2))}, False)


def write(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        if cell.is_first('protocol'):
            row = protocol_row(cell, [c for c in run.cells if c.need('protocol') == cell.need('protocol')], kept)
            yield from [row] if row else []


EXTRACTOR = Extractor(read=read, tables={'': write})
