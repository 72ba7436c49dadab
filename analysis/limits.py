# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a figure keep to a limit in each condition? Pure.

A figure is a number, a range or a lower bound, mostly with an interval. It holds only where both ends of the interval, and of the
range, keep to the limit, and breaks it only where neither does. Or, if range_breaks is set, a range or bound breaks it where its
far end does, whatever its interval. If only one end of an interval is known, the other may be anywhere.
"""
from dataclasses import dataclass, field
from math import inf, isfinite, isnan, nan
from typing import BinaryIO, NamedTuple

from analysis import numbers, tables
from analysis.tables import BadLine

# RANGE: of the figure itself only a range or a bound is known, and one end of it keeps to the limit; OPEN: so does one end of the
# interval
HOLDS, BROKEN, OPEN, RANGE, ABSENT = range(5)
COLUMNS = ('limit', 'op', 'bound', 'from', 'to', 'low', 'high')


class Figure(NamedTuple):
    """Ends of the range, or twice the number (to infinity: a lower bound); the interval. NaN: none."""
    start: float = nan
    end: float = nan
    low: float = nan
    high: float = nan


@dataclass(slots=True)
class Limit:
    op: str  # <, <=, >, >=
    bound: float
    range_breaks: bool = False
    doubt: bool = False  # it cannot hold
    words: list[int] = field(default_factory=list)  # of each figure
    figures: list[Figure] = field(default_factory=list)

    def add(self, f: Figure) -> None:
        self.words.append(judge(self, f))
        self.figures.append(f)

    def keeps(self, value: float) -> bool:
        if value == self.bound:
            return self.op[1:] == '='
        return value < self.bound if self.op[0] == '<' else value > self.bound

    def nearest(self, *without: int) -> int | None:
        """The number, from 0, of the figure next to breaking it, without those of these words."""
        chosen = [(f, i) for i, (f, word) in enumerate(zip(self.figures, self.words)) if word not in without]
        if not chosen:
            return None
        if self.op[0] == '<':
            return max(chosen, key=lambda one: (one[0].end, one[0].start))[1]
        return min(chosen, key=lambda one: (one[0].start, one[0].end))[1]

    def doubtful(self) -> int | None:
        return self.nearest(HOLDS, BROKEN, ABSENT)

    def leans_to_break(self) -> bool:
        """Of `doubtful`: without its interval it breaks the limit."""
        at = self.doubtful()
        return at is not None and not self.keeps(self.figures[at].end if self.op[0] == '<' else self.figures[at].start)

    def conclude(self) -> int:
        """HOLDS, BROKEN or OPEN."""
        if BROKEN in self.words or (self.range_breaks and RANGE in self.words):
            return BROKEN
        return HOLDS if not self.doubt and self.words and set(self.words) == {HOLDS} else OPEN


def judge(l: Limit, f: Figure) -> int:
    if isnan(f.start):
        return ABSENT
    if f.start > f.end or f.low > f.high:  # of ends the wrong way round nothing follows
        return OPEN
    low = -inf if isnan(f.low) and not isnan(f.high) else f.low
    high = inf if isnan(f.high) and not isnan(f.low) else f.high
    start, end = l.keeps(f.start), l.keeps(f.end)
    least, most = l.keeps(numbers.least((f.start, low))), l.keeps(numbers.most((f.end, high)))
    if l.range_breaks and f.start != f.end and not start and not end:
        return BROKEN
    if least == most:
        return HOLDS if least else BROKEN
    return RANGE if start != end else OPEN


def read_limit(op: str, text: str) -> Limit:
    bound = tables.strtod(text)
    if not isfinite(bound) or op not in ('<', '<=', '>', '>='):
        raise ValueError
    return Limit(op, bound)


def read(stream: BinaryIO, range_breaks: bool, doubt: bool) -> list[Limit]:
    """A table of limits/1, the rows of a limit (from 0) below each other."""
    out: list[Limit] = []
    for line, cells in tables.read_schema(stream, 'limits/1', COLUMNS, len(COLUMNS)):
        number, op, bound, *figure = (c or '' for c in cells)
        try:
            at, limit = tables.count(number), read_limit(op, bound)
            f = Figure(*(tables.strtod(cell) if cell else nan for cell in figure))
            if at is None or at > len(out) or (at < len(out) and (out[at].op, out[at].bound) != (limit.op, limit.bound)):
                raise ValueError
        except ValueError:
            raise BadLine('', line) from None
        if at == len(out):
            limit.range_breaks, limit.doubt = range_breaks, doubt
            out.append(limit)
        out[at].add(f._replace(end=inf) if isnan(f.end) else f)
    return out
