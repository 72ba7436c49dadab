# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of blocks of two variants, a and b, as differences of their starts; and of two runs, as differences of their repeats.

A block is one measurement of one variant; two blocks in a row, one of each, are a pair; the pairs of a start were measured while
neither variant was started anew."""
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import fabs, hypot, inf, isfinite, isnan, log, log1p, nan
from typing import BinaryIO, NamedTuple

from analysis import sequential, tables
from analysis.ieee import exp_less_1, ln
from analysis.sequential import Difference, Moments
from analysis.special import t_quantile
from analysis.tables import BadLine

VARIANTS = ('a', 'b')
COLUMNS = ('start', 'pair', 'variant', 'cell', 'metric', 'unit', 'better', 'value', 'disturbed')
POOLED = ('from', 'to', 'low', 'high', 'repeats', 'variant', 'cell', 'metric', 'why')
ROUNDING = 1e-9
REPEATS_LEAST = 3
PER_MS = {'ms': 1.0, 'us': 1000.0, 's': 0.001}


class Value(NamedTuple):
    """Of one block; low, high: ends of a range, or twice the number; NaN: not known. allowed: disturbed, and used all the same."""
    start: int
    pair: int
    variant: str
    low: float
    high: float
    disturbed: bool
    allowed: bool
    is_range: bool
    line: int

    def number(self) -> float:
        """NaN of a range."""
        return nan if self.is_range else self.low


@dataclass(frozen=True, slots=True)
class Pooled:
    """A figure of all repeats of a run together: the ends of a range, or twice the number; its interval; why there is no number."""
    start: float = nan
    end: float = nan
    low: float = nan
    high: float = nan
    repeats: int = 0
    why: str | None = None

    def is_known(self) -> bool:
        return self.repeats > 0 and not isnan(self.start)


@dataclass(slots=True)
class Series:
    """One metric of one cell, as the table names it, and what was compared of it."""
    cell: str
    metric: str
    unit: str
    higher_is_better: bool
    values: list[Value] = field(default_factory=list)  # by start, pair and variant, each once
    pooled: dict[str, Pooled] = field(default_factory=lambda: {v: Pooled() for v in VARIANTS})
    why: str | None = None  # why not compared, and of which run; None: of none
    lacks: str | None = None
    aside: bool = False  # not compared for want of an interval; by the numbers alone B is not worse by the effect
    relative: bool = False  # differences are of logarithms
    effect: float = 0.0
    typical: dict[str, float] = field(default_factory=lambda: {v: 0.0 for v in VARIANTS})  # medians of undisturbed pairs
    iqr: float = 0.0  # of those of a
    pairs: int = 0  # that count
    lost: int = 0  # that have a value missing
    ranged: int = 0  # that count, in which a value is a range
    disturbed: int = 0
    known: dict[str, int] = field(default_factory=lambda: {v: 0 for v in VARIANTS})  # undisturbed blocks with a value
    unknown: dict[str, int] = field(default_factory=lambda: {v: 0 for v in VARIANTS})
    constant: bool = False  # all values are equal
    copied: bool = False  # of two runs: the cell's first metric, and each metric has the values of a in b, too
    same_as: 'Series | None' = None  # an earlier metric of the cell that has the same values everywhere
    difference: Difference | None = None
    decision: sequential.Decision = sequential.Decision()
    more: int | None = None  # starts, or repeats of each run, until it is decided


@dataclass(slots=True)
class Blocks:
    series: list[Series]
    blocks: list[Value]  # the blocks themselves, without values
    throughout: bool  # disturbed in two starts or more, and no pair was undisturbed

    def count(self, variant: str = '') -> int:
        return sum(variant in ('', b.variant) for b in self.blocks)

    def disturbed(self, variant: str = '') -> int:
        return sum(b.disturbed and variant in ('', b.variant) for b in self.blocks)

    def allowed(self, variant: str = '') -> int:
        return sum(b.allowed and variant in ('', b.variant) for b in self.blocks)


# --- reading ------------------------------------------------------------------------------------------------------

def finite(text: str) -> float:
    """A number as strtod() takes it. ValueError: none, or infinite."""
    value = float(text) if re.fullmatch(r'\s*[+-]?[\d.]+([eE][+-]?\d+)?', text, re.ASCII) else nan
    if not isfinite(value):
        raise ValueError
    return value


def read_value(text: str) -> tuple[float, float, bool]:
    """A number, or FROM..TO."""
    if not text:
        return nan, nan, False
    first, dots, last = text.partition('..')
    low = finite(first)
    high = finite(last) if dots else low
    if low > high:
        raise ValueError
    return low, high, bool(dots)


def read_rows(stream: BinaryIO) -> Iterator[tuple[Value, list[str]]]:
    for line, cells in tables.read_schema(stream, 'blocks/1', COLUMNS, len(COLUMNS)):
        text = [cell or '' for cell in cells]
        try:
            start, pair, disturbed = (tables.count(cell) for cell in (text[0], text[1], text[8]))
            if start is None or pair is None or disturbed not in (0, 1, 2) or text[2] not in VARIANTS:
                raise ValueError
            low, high, is_range = read_value(text[7])
            if text[4] and text[6] not in ('', 'lower', 'higher'):
                raise ValueError
        except ValueError:
            raise BadLine('', line) from None
        yield Value(start, pair, text[2], low, high, disturbed == 1, disturbed == 2, is_range, line), text


def place(value: Value) -> tuple[int, int, str]:
    return value.start, value.pair, value.variant


class SecondRow(BadLine):
    """A second row of the same start, pair, variant, cell and metric."""


def sort_values(values: list[Value]) -> None:
    values.sort(key=place)
    for a, b in zip(values, values[1:]):
        if place(a) == place(b):
            raise SecondRow('', max(a.line, b.line))


def read(stream: BinaryIO) -> Blocks:
    """A table of blocks/1, whose rows may come in any order. Rows without a metric count the blocks."""
    found: dict[tuple[str, str], Series] = {}
    blocks: list[Value] = []
    for value, text in read_rows(stream):
        if not text[4]:
            blocks.append(value)
            continue
        series = found.setdefault((text[3], text[4]), Series(text[3], text[4], text[5], text[6] == 'higher'))
        if series.unit != text[5] or series.higher_is_better != (text[6] == 'higher'):
            raise BadLine('', value.line)
        series.values.append(value)
    for values in (blocks, *(s.values for s in found.values())):
        sort_values(values)
    measured = [b for b in blocks if b.start]  # (0: of a start that failed)
    calm = any(place(a)[:2] == place(b)[:2] and not a.disturbed and not b.disturbed for a, b in zip(blocks, blocks[1:]))
    throughout = bool(measured) and measured[0].start != blocks[-1].start and not calm
    return Blocks(list(found.values()), blocks, throughout)


# --- blocks in turns ----------------------------------------------------------------------------------------------

def sorted_quantile(values: Sequence[float], q: float) -> float:
    """Of type 7."""
    if not values:
        return nan
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[low + 1] - values[low]) if low + 1 < len(values) else values[-1]


def describe(s: Series, of: dict[str, list[float]]) -> bool:
    """Sets medians and IQR of values that count, of which each variant has one. Returns whether all are above 0."""
    ordered = {v: sorted(of[v]) for v in VARIANTS}
    for v in VARIANTS:
        s.typical[v] = sorted_quantile(ordered[v], 0.5)
    s.constant = len({*ordered['a'], *ordered['b']}) == 1
    s.iqr = sorted_quantile(ordered['a'], 0.75) - sorted_quantile(ordered['a'], 0.25)
    return ordered['a'][0] > 0 and ordered['b'][0] > 0


class Effect(NamedTuple):
    """Smallest change of interest: as a share of a's value; of times, in ms (0: as a share); of shares in percent, in points."""
    relative: float
    time_ms: float
    points: float


def choose_scale(s: Series, effect: Effect, positive: bool) -> None:
    """A share in percent is compared in points; other metrics by ratio (a time in ms if the effect is a time); those that may be 0 or
    negative, and times of which the lesser median is below 1 ms, by difference, in shares of a's median, of times at least 1 ms."""
    relative, per_ms = effect.relative or 0.1, PER_MS.get(s.unit, 0.0)
    is_time = per_ms > 0 and effect.time_ms > 0
    # times below 1 ms are compared by difference: the ratio of two stalls of nearly 0 says nothing
    s.relative = positive and s.unit != '%' and not is_time and min(s.typical.values()) >= per_ms
    if s.relative:
        s.effect = log1p(relative)
    elif s.unit == '%':
        s.effect = effect.points
    else:
        s.effect = per_ms * effect.time_ms if is_time else fabs(s.typical['a']) * relative
    if not s.relative and not is_time:
        s.effect = max(s.effect, per_ms)
    if not s.effect > 0:  # a is 0
        s.effect = relative


class Pair(NamedTuple):
    start: int
    low: dict[str, float]
    high: dict[str, float]


def collect_pairs(s: Series) -> list[Pair]:
    pairs = []
    for (start, _), values in groupby(s.values, key=lambda v: (v.start, v.pair)):
        of = {v.variant: v for v in values}
        if any(v.disturbed for v in of.values()):
            s.disturbed += 1
        elif len(of) < 2 or any(isnan(v.low) for v in of.values()):
            s.lost += 1
        else:
            s.ranged += any(v.low < v.high for v in of.values())
            pairs.append(Pair(start, {v: of[v].low for v in VARIANTS}, {v: of[v].high for v in VARIANTS}))
    return pairs


def add_starts(s: Series, pairs: Iterable[Pair]) -> None:
    """As many starts of each order, but for one: where those of one order are disturbed more often, the others wait for the next that
    are not, or what the order makes would not cancel."""
    def change(b: float, a: float) -> float:
        return log(b / a) if s.relative else b - a

    assert s.difference
    of: tuple[list[tuple[int, float, float]], list[tuple[int, float, float]]] = ([], [])
    for start, group in groupby(pairs, key=lambda p: p.start):
        low = high = 0.0
        n = 0
        for p in group:
            low += change(p.low['b'], p.high['a'])
            high += change(p.high['b'], p.low['a'])
            n += 1
        of[start % 2].append((start, low / n, high / n))
    both = min(len(of[0]), len(of[1]))
    for one, other in zip(of[0], of[1]):
        for number, low, high in sorted((one, other)):
            s.difference.add(number, low, high)
    if len(of[0]) != len(of[1]):
        s.difference.add(*(of[0] if len(of[0]) > both else of[1])[both])


def count_known(t: Blocks, s: Series, runs: bool) -> None:
    """A block that has no row of the metric does not know it, either. runs: nor is a range known."""
    for v in VARIANTS:
        blocks = max(sum(b.variant == v and not b.disturbed for b in t.blocks), sum(x.variant == v and not x.disturbed for x in s.values))
        s.known[v] = sum(x.variant == v and not x.disturbed and not isnan(x.number() if runs else x.low) for x in s.values)
        s.unknown[v] = blocks - s.known[v]


def poorer(s: Series) -> str | None:
    """The variant of which more than a twentieth more of the blocks have no value. A percentile is not known where keys had no answer,
    so what is known of this variant is its better part."""
    share = {v: s.unknown[v] / (s.known[v] + s.unknown[v]) if s.known[v] else 1.0 for v in VARIANTS}
    if fabs(share['a'] - share['b']) <= 0.05:
        return None
    return 'a' if share['a'] > share['b'] else 'b'


def calmer(t: Blocks) -> str | None:
    """The variant of which fewer blocks were disturbed and used all the same, by more than chance has it (one-sided, 8 %: a doubt too
    many costs a decision)."""
    more = t.allowed('b') - t.allowed('a')
    return None if more * more <= 2 * t.allowed() else 'a' if more > 0 else 'b'


def has_equal_numbers(a: Sequence[float], b: Sequence[float]) -> bool:
    return len(a) == len(b) and all(x == y or (isnan(x) and isnan(y)) for x, y in zip(a, b))


def find_twin(t: Blocks, s: Series) -> Series | None:
    """An earlier metric of the same cell that has the same values, so that it is not tested twice."""
    for k in t.series[:next(i for i, x in enumerate(t.series) if x is s)]:
        if ((k.cell, k.unit, k.higher_is_better) == (s.cell, s.unit, s.higher_is_better) and k.pairs
                and has_equal_numbers([x for v in s.values for x in v[3:5]], [x for v in k.values for x in v[3:5]])):
            return k
    return None


def compare(t: Blocks, effect: Effect) -> None:
    """Adds the differences of all starts to all series."""
    for s in t.series:
        count_known(t, s, False)
        pairs = collect_pairs(s)
        s.pairs = len(pairs)
        s.difference = Difference(0.0)
        if pairs:
            positive = describe(s, {v: [p.low[v] + (p.high[v] - p.low[v]) / 2 for p in pairs] for v in VARIANTS})
            s.constant = s.constant and not s.ranged
            choose_scale(s, effect, positive and all(p.low[v] > 0 for p in pairs for v in VARIANTS))
            s.difference.effect = s.effect
            add_starts(s, pairs)
        s.same_as = find_twin(t, s)


# --- two runs -----------------------------------------------------------------------------------------------------

def moments(s: Series, values: Iterable[float]) -> Moments:
    """Of logarithms where differences are."""
    out = Moments()
    for value in values:
        out.add(ln(value) if s.relative else value)
    return out


def compare_runs(t: Blocks, effect: Effect) -> None:
    """Two runs, whose repeats are blocks of their own: a pair's number only names a repeat. Repeats that were disturbed do not
    count."""
    for s in t.series:
        count_known(t, s, True)
        of: dict[str, list[float]] = {v: [] for v in VARIANTS}
        for value in s.values:
            s.disturbed += value.disturbed
            s.lost += not value.disturbed and isnan(value.number())
            if not value.disturbed and not isnan(value.number()):
                of[value.variant].append(value.number())
        s.pairs = min(map(len, of.values()))
        s.difference = Difference(0.0)
        if s.pairs > 1:
            choose_scale(s, effect, describe(s, of))
            s.difference = sequential.of_runs(s.effect, moments(s, of['a']), moments(s, of['b']))
        s.same_as = find_twin(t, s)
    find_copies(t)


def find_copies(t: Blocks) -> None:
    """Two measurements do not agree to the last digit in all figures of all repeats, unless none of them has any spread."""
    for cell in dict.fromkeys(s.cell for s in t.series):
        of_cell = [s for s in t.series if s.cell == cell]
        equal = all(has_equal_numbers(*([x.number() for x in s.values if x.variant == v] for v in VARIANTS)) for s in of_cell)
        of_cell[0].copied = equal and any(s.pairs > 1 and not s.constant for s in of_cell)


# --- figures of all repeats together, where single repeats lack them ----------------------------------------------

def read_pooled(stream: BinaryIO, t: Blocks) -> None:
    """A table of pooled/1."""
    of = {(s.cell, s.metric): s for s in t.series}
    for line, cells in tables.read_schema(stream, 'pooled/1', POOLED, len(POOLED)):
        text = [cell or '' for cell in cells]
        try:
            start, end, low, high = (float(cell) if cell else nan for cell in text[:4])
            repeats = tables.count(text[4])
        except ValueError:
            raise BadLine('', line) from None
        series = of.get((text[6], text[7]))
        if series:
            series.pooled['b' if text[5] == 'b' else 'a'] = Pooled(
                start, inf if isnan(end) and not isnan(start) else end, low, high, repeats or 0, text[8])


def is_aside(s: Series, effect: Effect) -> bool:
    """Of numbers that lack an interval, as a percentile of too few keys, nothing can be told. Is B not worse by them alone?"""
    a, b = s.pooled['a'], s.pooled['b']
    if a.start != a.end or b.start != b.end or a.repeats < REPEATS_LEAST or b.repeats < REPEATS_LEAST:
        return False
    s.typical = {'a': a.start, 'b': b.start}
    choose_scale(s, effect, a.start > 0 and b.start > 0)
    more = log(b.start / a.start) if s.relative else b.start - a.start
    return (-more if s.higher_is_better else more) < s.effect


def compare_known(s: Series, effect: Effect) -> str | None:
    """Compares them, or returns why not."""
    a, b = s.pooled['a'], s.pooled['b']
    up, is_exact, n = b.start >= a.end, a.start == a.end and b.start == b.end, min(a.repeats, b.repeats)
    if not up and not b.end <= a.start:
        return 'range'
    if isnan(a.low + a.high + b.low + b.high) or n < REPEATS_LEAST:
        return 'no interval'
    s.typical = {'a': a.end if up else a.start, 'b': b.start if up else b.end}
    choose_scale(s, effect, a.low > 0 and b.low > 0)
    if s.relative:
        a, b = (Pooled(ln(p.start), ln(p.end), ln(p.low), ln(p.high), p.repeats, p.why) for p in (a, b))
    mean = b.start - a.end if up else b.end - a.start
    if not is_exact and fabs(mean) < s.effect:
        return 'range'
    down_side, up_side = hypot(b.start - b.low, a.high - a.end), hypot(b.high - b.end, a.start - a.low)
    half = max(down_side, up_side) if is_exact else down_side if up else up_side
    half = 0.0 if half < ROUNDING else half
    if half == 0 and mean != 0:
        return 'no spread'
    s.difference = Difference(s.effect, all=Moments(n, mean), runs=n, freedom=n - 1.0, error=half / t_quantile(n - 1.0, 0.975))
    s.constant, s.pairs = False, n
    for v in VARIANTS:
        s.known[v], s.unknown[v] = s.pooled[v].repeats, 0
    return None


def compare_pooled_of(s: Series, effect: Effect) -> None:
    """Says why not, if a or b has it or should have it. A percentile of too few keys is in no table; B is not worse than what was
    overloaded."""
    a, b = s.pooled['a'].is_known(), s.pooled['b'].is_known()
    lacks = 'a' if b else 'b'
    why = s.pooled[lacks].why
    if a and b:
        s.why = compare_known(s, effect)
        s.aside = s.why == 'no interval' and is_aside(s, effect)
    elif a:
        s.why = why or 'not measured'
    elif why and why != 'too few' and not (b and why == 'overloaded'):
        s.why = why
    s.lacks = None if a and b else lacks


def lacks_spread(s: Series) -> bool:
    """All repeats of a have one value and all of b another: a share of 0 and of 100 %, of which the pooled intervals know more."""
    d = s.difference
    return bool(d and d.freedom > 0 and not d.error > 0 and all(s.pooled[v].is_known() for v in VARIANTS))


def compare_pooled(t: Blocks, effect: Effect) -> None:
    for s in t.series:
        if not s.constant and (not s.difference or s.difference.count() < REPEATS_LEAST or lacks_spread(s)):
            compare_pooled_of(s, effect)


def pooled_hold_share(s: Series) -> bool:
    a, b = s.pooled['a'], s.pooled['b']
    return (s.constant and s.unit == '%' and a.is_known() and b.is_known() and a.start == a.end and b.start == b.end
            and max(a.high, b.high) - min(a.low, b.low) < s.effect and not isnan(a.low + a.high + b.low + b.high))


def said_change(s: Series, difference: float) -> float:
    """A difference as it is said: of logarithms as a change in percent."""
    return 100 * exp_less_1(difference) if s.relative else difference

