# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of blocks of two variants, A and B, as differences of their starts; or as two runs. Pure.

A block is one measurement of one variant; two blocks in a row, one of each, are a pair; the pairs of a start were measured while
neither variant was started anew.
"""
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from math import fabs, isfinite, isnan, log1p, nan
from operator import attrgetter
from typing import BinaryIO, NamedTuple

from analysis import numbers, tables
from analysis.sequential import Figure, Moments, set_runs
from analysis.tables import BadLine

A, B, NEITHER = range(3)  # variants
COLUMNS = ('start', 'pair', 'variant', 'cell', 'metric', 'unit', 'better', 'value', 'disturbed')
UNITS_PER_MS = {'ms': 1.0, 'us': 1000.0, 's': 0.001}
WRONG = 'not a table of blocks/1, a value not finite, disturbed not 0, 1 or 2, better not lower or higher, or a metric of two units'
SECOND = 'a second row of this block and metric; are these tables of two measurements?'


class Block(NamedTuple):
    """What a block is, or its figure of a metric. low, high: the ends of a range, or twice the value; NaN: not known."""
    start: int
    pair: int
    variant: int
    low: float
    high: float
    ranged: bool
    disturbed: bool
    allowed: bool  # disturbed, and used all the same
    line: int  # of the table

    def value(self) -> float:
        return nan if self.ranged else self.low

    def place(self) -> tuple[int, int, int]:
        return self.start, self.pair, self.variant


class Pooled(NamedTuple):
    """A figure of all repeats of a run together, NaN: not known; the ends of a range, or twice the number; its interval."""
    start: float = nan
    end: float = nan
    low: float = nan
    high: float = nan
    repeats: int = 0
    why: str | None = None  # there is no number; None: no row

    def is_known(self) -> bool:
        return self.repeats > 0 and not isnan(self.start)

    def is_number(self) -> bool:
        return self.start == self.end


@dataclass(slots=True, eq=False)
class Series:
    """One metric of one cell, as the table names it."""
    cell: str
    metric: str
    unit: str
    higher_is_better: bool = False
    values: list[Block] = field(default_factory=list)  # by start, pair and variant, each once
    pooled: list[Pooled] = field(default_factory=lambda: [Pooled(), Pooled()])
    why: str | None = None  # by pooled.compare(): why not compared
    lacks: int = 0  # and of which run; NEITHER: of none
    aside: bool = False  # not compared for want of an interval; by the numbers alone B is not worse by the effect
    # by compare()
    relative: bool = False  # differences are of logarithms
    typical: list[float] = field(default_factory=lambda: [0.0, 0.0])  # medians of the values of undisturbed pairs
    iqr: float = 0.0  # interquartile range of those of A
    pairs: int = 0  # that count
    lost: int = 0  # that have a value missing
    disturbed: int = 0  # of which a block was disturbed
    ranged: int = 0  # that count, in which a value is a range
    known: list[int] = field(default_factory=lambda: [0, 0])  # undisturbed blocks with a value (or range, if in turns)
    unknown: list[int] = field(default_factory=lambda: [0, 0])  # and without one
    constant: bool = False  # all values are equal
    copied: bool = False  # of two runs: the cell's first metric, and each metric has the values of A in B, too
    same_as: 'Series | None' = None  # an earlier metric of the cell that has the same values everywhere
    figure: Figure = field(default_factory=lambda: Figure(0.0))
    hopeless: bool = False  # by verdict.reach(): more starts would not decide it, either


@dataclass(slots=True)
class Table:
    series: list[Series] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)  # the blocks themselves
    of: list[int] = field(default_factory=lambda: [0, 0])  # number of blocks
    disturbed_of: list[int] = field(default_factory=lambda: [0, 0])  # that other programs disturbed
    allowed_of: list[int] = field(default_factory=lambda: [0, 0])  # and that are used all the same
    throughout: bool = False  # disturbed so in two starts or more, and no pair was undisturbed

    @property
    def disturbed(self) -> int:
        return sum(self.disturbed_of)

    @property
    def allowed(self) -> int:
        return sum(self.allowed_of)


class Effect(NamedTuple):
    """The smallest change of interest."""
    relative: float = 0.0  # as a share of A's value (0.1 for 10 %); 0: `time_ms` of times
    time_ms: float = 0.0  # 0: relative
    points: float = 0.0  # of shares in percent: in points


# --- the table ----------------------------------------------------------------------------------------------------

def read_finite(text: str) -> float:
    value = tables.strtod(text)
    if not isfinite(value):
        raise ValueError
    return value


def read_value(text: str) -> tuple[float, float, bool]:
    """A number, or FROM..TO; nothing."""
    low, dots, high = text.partition('..')
    if not dots:
        value = read_finite(text) if text else nan
        return value, value, False
    ends = read_finite(low), read_finite(high)
    if ends[0] > ends[1]:
        raise ValueError
    return *ends, True


def read_block(cells: Sequence[str | None], line: int) -> Block:
    start, pair, disturbed = (tables.count(cells[i]) for i in (0, 1, 8))
    variant = cells[2]
    if start is None or pair is None or disturbed not in (0, 1, 2) or variant not in ('a', 'b'):
        raise ValueError
    return Block(start, pair, A if variant == 'a' else B, *read_value(cells[7] or ''), disturbed == 1, disturbed == 2, line)


def read_series(cells: Sequence[str | None], table: dict[tuple[str, str], Series]) -> Series:
    cell, metric, unit, better = (c or '' for c in cells[3:7])
    s = table.get((cell, metric))
    if not s:
        s = table[cell, metric] = Series(cell, metric, unit, better == 'higher')
    if (better and not s.higher_is_better and better != 'lower') or s.unit != unit or s.higher_is_better != (better == 'higher'):
        raise ValueError
    return s


def sort(values: list[Block]) -> None:
    """BadLine, with the line of the second row of one block."""
    values.sort(key=lambda v: v[:3])
    for a, b in pairwise(values):
        if a.place() == b.place():
            raise BadLine(SECOND, max(a.line, b.line))


def count_disturbed(t: Table) -> None:
    for b in t.blocks:
        t.of[b.variant] += 1
        t.disturbed_of[b.variant] += b.disturbed
        t.allowed_of[b.variant] += b.allowed
    starts = {b.start for b in t.blocks} - {0}  # (0: of a start that failed)
    t.throughout = len(starts) > 1 and not any(a.start == b.start and a.pair == b.pair and not a.disturbed and not b.disturbed
                                               for a, b in pairwise(t.blocks))


def read(stream: BinaryIO) -> Table:
    """A table of the schema blocks/1, whose rows may come in any order."""
    return make(tables.read_schema(stream, 'blocks/1', COLUMNS, len(COLUMNS)))


def make(rows: Iterable[tuple[int, Sequence[str | None]]]) -> Table:
    """Of rows with their lines, each in the order of COLUMNS."""
    out = Table()
    series: dict[tuple[str, str], Series] = {}
    for line, cells in rows:
        try:
            block = read_block(cells, line)
            (read_series(cells, series).values if cells[4] else out.blocks).append(block)  # rows without a metric count the block
        except ValueError:
            raise BadLine('', line) from None
    out.series = list(series.values())
    finish(out)
    return out


def finish(t: Table) -> None:
    """Puts the rows in order, and counts."""
    for values in (t.blocks, *(s.values for s in t.series)):
        sort(values)
    count_disturbed(t)


# --- what both comparisons share ----------------------------------------------------------------------------------

def quantile(values: Sequence[float], q: float) -> float:
    """Quantile of type 7 of sorted values."""
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[low + 1] - values[low]) if low + 1 < len(values) else values[-1]


def describe(s: Series, a: Sequence[float], b: Sequence[float]) -> bool:
    """Sets medians and IQR of values of A and B. Returns whether all are above 0."""
    a, b = sorted(a), sorted(b)
    s.typical = [quantile(a, 0.5), quantile(b, 0.5)]
    s.constant = a[0] == a[-1] == b[0] == b[-1]
    s.iqr = quantile(a, 0.75) - quantile(a, 0.25)
    return a[0] > 0 and b[0] > 0


def choose_scale(s: Series, effect: Effect, positive: bool) -> None:
    """Sets `relative` and the effect of the figure; positive: all values are above 0. A share in percent is compared in points;
    other metrics by ratio (a time in ms if the effect is a time); those that may be 0 or negative, and times of which the lesser
    median is below 1 ms, by difference, in shares of A's median, of times at least 1 ms: the ratio of two stalls of nearly 0 says
    nothing."""
    relative, per_ms = effect.relative if effect.relative > 0 else 0.1, UNITS_PER_MS.get(s.unit, 0.0)
    time = per_ms > 0 and effect.time_ms > 0
    s.relative = positive and s.unit != '%' and not time and numbers.least(s.typical) >= per_ms
    size = (log1p(relative) if s.relative else effect.points if s.unit == '%'
            else per_ms * effect.time_ms if time else fabs(s.typical[A]) * relative)
    if not s.relative and not time:
        size = numbers.most((size, per_ms))
    s.figure.effect = size if size > 0 else relative  # (A is 0)


def count_known(t: Table, s: Series, of: Callable[[Block], float]) -> None:
    """A block that has no row of the metric does not know it, either."""
    for v in (A, B):
        blocks = sum(b.variant == v and not b.disturbed for b in t.blocks)
        rows = [of(b) for b in s.values if b.variant == v and not b.disturbed]
        s.known[v] = sum(not isnan(value) for value in rows)
        s.unknown[v] = max(blocks, len(rows)) - s.known[v]


def poorer(s: Series) -> int:
    """The variant of which more than a twentieth more of the blocks have no value; NEITHER. A percentile is not known where keys
    had no answer, so what is known of this variant is its better part."""
    a, b = (unknown / (known + unknown) if known else 1.0 for known, unknown in zip(s.known, s.unknown))
    return NEITHER if fabs(a - b) <= 0.05 else A if a > b else B


def calmer(t: Table) -> int:
    """The variant of which fewer blocks were disturbed and used all the same, by more than chance has it (one-sided, 8 %: a doubt
    too many costs a decision); NEITHER."""
    more = t.allowed_of[B] - t.allowed_of[A]
    return NEITHER if more * more <= 2 * t.allowed else A if more > 0 else B


def same(a: float, b: float) -> bool:
    return a == b or (isnan(a) and isnan(b))


def find_twin(earlier: Sequence[Series], s: Series) -> Series | None:
    """An earlier metric of the same cell that has the same values, so that it is not tested twice."""
    for k in earlier:
        if (k.cell == s.cell and k.unit == s.unit and len(k.values) == len(s.values) and k.pairs
                and k.higher_is_better == s.higher_is_better
                and all(x.place() == y.place() and same(x.low, y.low) and same(x.high, y.high)
                        for x, y in zip(s.values, k.values))):
            return k
    return None


# --- in turns -----------------------------------------------------------------------------------------------------

class Pair(NamedTuple):
    start: int
    a: Block
    b: Block

    def ends(self, relative: bool) -> tuple[float, float]:
        """Of the difference of B and A: its lower and its upper end."""
        pairs = (self.b.low, self.a.high), (self.b.high, self.a.low)
        low, high = (numbers.log(numbers.over(b, a)) if relative else b - a for b, a in pairs)
        return low, high


def collect_pairs(s: Series) -> list[Pair]:
    """The pairs that count, in order. Counts the others."""
    out: list[Pair] = []
    for _, group in groupby(s.values, key=attrgetter('start', 'pair')):
        of = {block.variant: block for block in group}
        a, b = of.get(A), of.get(B)
        if any(block.disturbed for block in of.values()):
            s.disturbed += 1
        elif not a or not b or isnan(a.low) or isnan(b.low):
            s.lost += 1
        else:
            s.ranged += a.low < a.high or b.low < b.high
            out.append(Pair(a.start, a, b))
    return out


def add_starts(s: Series, pairs: Sequence[Pair]) -> None:
    """As many starts of each order, but for one: where those of one order are disturbed more often, the others wait for the next
    that are not, or what the order makes would not cancel."""
    waiting: list[list[tuple[int, float, float]]] = [[], []]
    for start, group in groupby(pairs, key=attrgetter('start')):
        ends = [pair.ends(s.relative) for pair in group]
        waiting[start % 2].append((start, sum(low for low, _ in ends) / len(ends), sum(high for _, high in ends) / len(ends)))
    even, odd = waiting
    for two in zip(even, odd):
        for one in sorted(two):
            s.figure.add(*one)
    few = min(len(even), len(odd))
    for one in [*even[few:few + 1], *odd[few:few + 1]]:
        s.figure.add(*one)


def compare_series(s: Series, effect: Effect) -> None:
    pairs = collect_pairs(s)
    s.pairs = len(pairs)
    if not pairs:
        return
    both = [pair.a for pair in pairs], [pair.b for pair in pairs]
    middles = ([block.low + (block.high - block.low) / 2 for block in of] for of in both)
    positive = describe(s, *middles) and all(p.a.low > 0 and p.b.low > 0 for p in pairs)
    s.constant = s.constant and not s.ranged
    choose_scale(s, effect, positive)
    add_starts(s, pairs)


def compare(t: Table, effect: Effect) -> None:
    """Adds the differences of all starts to the figures of all series."""
    for i, s in enumerate(t.series):
        count_known(t, s, lambda block: block.low)
        compare_series(s, effect)
        s.same_as = find_twin(t.series[:i], s)


# --- two runs -----------------------------------------------------------------------------------------------------

def moments(values: Sequence[float], relative: bool) -> Moments:
    """Of logarithms where differences are."""
    out = Moments()
    for value in values:
        out.add(numbers.log(value) if relative else value)
    return out


def compare_runs_of(s: Series, effect: Effect) -> None:
    values: list[list[float]] = [[], []]
    for block in s.values:
        lost = isnan(block.value())
        s.disturbed += block.disturbed
        s.lost += not block.disturbed and lost
        if not block.disturbed and not lost:
            values[block.variant].append(block.value())
    s.pairs = min(map(len, values))
    if s.pairs > 1:
        choose_scale(s, effect, describe(s, *values))
        set_runs(s.figure, *(moments(sorted(of), s.relative) for of in values))


def has_equal_values(s: Series) -> bool:
    """Whether A and B have the same values in the same order."""
    a, b = ([block.value() for block in s.values if block.variant == v] for v in (A, B))
    return len(a) == len(b) and all(map(same, a, b))


def find_copies(t: Table) -> None:
    """Two measurements do not agree to the last digit in all figures of all repeats, unless none of them has any spread."""
    cells: dict[str, list[Series]] = {}
    for s in t.series:
        cells.setdefault(s.cell, []).append(s)
    for of in cells.values():
        of[0].copied = all(map(has_equal_values, of)) and any(s.pairs > 1 and not s.constant for s in of)


def compare_runs(t: Table, effect: Effect) -> None:
    """Compares two runs, A and B, whose repeats are blocks of their own: a pair's number only names a repeat. Repeats that were
    disturbed do not count, and ranges are not known."""
    for i, s in enumerate(t.series):
        count_known(t, s, Block.value)
        compare_runs_of(s, effect)
        s.same_as = find_twin(t.series[:i], s)
    find_copies(t)
