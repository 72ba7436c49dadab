# SPDX-License-Identifier: GPL-3.0-or-later
"""Is what a page would say of figures so? Each claim by itself, from the figures as the tables have them. Pure.

A claim that lacks what it needs, such as an interval, is UNTOLD; so is one of ends the wrong way round.
"""
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil, fabs, floor, inf, isfinite, isinf, isnan, log, nan, sqrt
from typing import BinaryIO, NamedTuple

from analysis import numbers, special, tables
from analysis.tables import BadLine

UNTOLD, HOLDS, FAILS = range(3)  # words of claims
SAME, LESS, CONTRARY, NOTHING = range(4)  # words of rules
LEVEL = 0.95
BEYOND = 10  # so many values must lie beyond a percentile
NEAR = 0.1  # an interval that ends so near to a whole number does not exclude it
ROUNDED = 1e-9  # rounding error of a quotient, in percent, which does not count
STRAIGHT = 0.98
BENT = 0.01  # chance that points of a straight line are said to bend
POINTS_LEAST = 3
COLUMNS = ('kind', 'share', 'from', 'to', 'low', 'high', 'repeats', 'from_b', 'to_b', 'low_b', 'high_b', 'repeats_b',
           'of', 'rule', 'part', 'says', 'some', 'whole')
NEEDED = 12


class Figure(NamedTuple):
    """start and end: twice the number, or the ends of a range (to infinity: a lower bound); low and high: its interval. NaN: none.
    repeats: how many it is made from, or how many events; 0: not known. Of two repeats, low and high are their values."""
    start: float = nan
    end: float = nan
    low: float = nan
    high: float = nan
    repeats: int = 0

    def is_number(self) -> bool:
        return self.start == self.end

    def is_reversed(self) -> bool:
        """Ends of a range or an interval the wrong way round: a mistake, of which nothing follows."""
        return self.start > self.end or self.low > self.high

    def ends(self) -> tuple[float, float]:
        """Its interval, or what is known of it without one."""
        return self.start if isnan(self.low) else self.low, self.end if isinf(self.end) or isnan(self.high) else self.high


def number(value: float, repeats: int = 0) -> Figure:
    return Figure(value, value, repeats=repeats)


class Answer(NamedTuple):
    word: int = UNTOLD
    value: float = nan
    low: float = nan
    high: float = nan


class Claim(NamedTuple):
    """share: claims that are to hold together, all of them, with 95 % confidence. Of a rule of a figure of a paper: the figure
    (from 1; 0: of none), its rule, the condition of the rule, the word that it says; one claim of the condition is enough; what
    the paper varied was run in full."""
    kind: str
    share: int
    a: Figure
    b: Figure = Figure()
    of: int = 0
    rule: int = 0
    part: int = 0
    says: int = 0
    some: int = 0
    whole: int = 0


def beyond(share: int) -> float:
    """The level of one side of an interval that so many claims share (Bonferroni)."""
    return 1 - (1 - LEVEL) / 2 / share


def compare_ends(a: tuple[float, float], b: tuple[float, float]) -> Answer:
    return Answer(HOLDS if a[0] > b[1] else FAILS if a[1] <= b[0] else UNTOLD)


# --- intervals of figures -----------------------------------------------------------------------------------------

def shared_ends(f: Figure, share: int) -> tuple[float, float]:
    """For as many claims as share the level: each side is longer as that of Student's t is, or that of the normal law where the
    number of repeats is not known."""
    low, high = f.ends()
    by = (special.t_quantile(f.repeats - 1, beyond(share)) / special.t_quantile(f.repeats - 1, beyond(1)) if f.repeats > 1
          else special.normal_quantile(beyond(share)) / special.normal_quantile(beyond(1)))
    return f.start - by * (f.start - low) if low < f.start else low, f.end + by * (high - f.end) if high > f.end else high


def widen_side(f: Figure, side: float, middle: float, share: int) -> float:
    """One side of the interval, for as many claims as share it; where the number of repeats is not known, that of two."""
    freedom = max(1, f.repeats - 1)
    by = special.t_quantile(freedom, beyond(share))
    return middle + (side - middle) * (by if f.repeats == 2 else by / special.t_quantile(freedom, beyond(1)))


def widened(f: Figure, share: int) -> Figure:
    """With the interval of as many claims together. Of two repeats, low and high are their values."""
    if isnan(f.low) or (share == 1 and f.repeats != 2):
        return f
    # a lower bound has one side
    middle = (f.low + f.high) / 2 if not isnan(f.high) and (f.repeats == 2 or f.start != f.end) else f.start
    return f._replace(low=widen_side(f, f.low, middle, share), high=widen_side(f, f.high, middle, share))


def wide_ends(f: Figure, share: int) -> tuple[float, float]:
    return widened(f, share).ends()


def chi_squared_quantile(freedom: float, p: float) -> float:
    """Where freedom is above 2000 by the cube of Wilson and Hilferty (1931), which is off by a hundred-thousandth at most."""
    if freedom <= 2000:
        return special.chi_squared_quantile(freedom, p)
    part = 2 / (9 * freedom)
    root: float = 1 - part + special.normal_quantile(p) * sqrt(part)
    return freedom * root * root * root


def rate_ends(f: Figure, share: int) -> tuple[float, float]:
    """Of a rate by its repeats, or else by its events the exact ones of a Poisson count (Garwood 1936). A rate without either is
    known."""
    wide, events = widened(f, share), f.repeats
    if not isnan(wide.low) or not isnan(wide.high) or not f.is_number() or events < 1:
        return wide.ends()
    tail = (1 - LEVEL) / 2 / share
    return (f.start * chi_squared_quantile(2 * events, tail) / (2 * events),
            f.start * chi_squared_quantile(2 * events + 2, 1 - tail) / (2 * events))


# --- kinds --------------------------------------------------------------------------------------------------------

def variance(f: Figure) -> float:
    error = (f.high - f.low) / 2 / special.t_quantile(f.repeats - 1, beyond(1))
    return error * error


def logs(f: Figure) -> Figure:
    return Figure(numbers.log(f.start), numbers.log(f.end), numbers.log(f.low), numbers.log(f.high), f.repeats)


def compare_means(first: Figure, second: Figure, share: int) -> tuple[float, float, float]:
    """By how much the second mean is more, and the interval, by Welch's (1947) t test."""
    use_logs = numbers.least((first.low, second.low)) > 0 and numbers.least((first.start, second.start)) > 0
    a, b = (logs(first), logs(second)) if use_logs else (first, second)
    parts, more = (variance(a), variance(b)), b.start - a.start
    total, freedom = sum(parts), 1.0
    if total > 0:
        freedom = numbers.over(total * total, parts[0] * parts[0] / (a.repeats - 1) + parts[1] * parts[1] / (b.repeats - 1))
    # degrees of freedom rounded down: the interval is never too narrow for it
    freedom = max(1, floor(freedom + 1e-9)) if isfinite(freedom) else 1
    half = special.t_quantile(freedom, beyond(share)) * sqrt(total)
    value, low, high = (first.start * numbers.expm1(m) if use_logs else m for m in (more, more - half, more + half))
    return value, low, high


def differs(a: Figure, b: Figure, share: int) -> Answer:
    """The second figure is another than the first; value, low and high: by how much it is more. By Welch's (1947) t test of the two
    intervals over repeats, on logarithms where all ends are above 0. Ranges, lower bounds, and figures without a number of repeats
    differ only where their intervals, at this claim's share, do not touch. FAILS: they are not shown to; so are means of repeats of
    which neither has any spread: nothing is known of it."""
    means = a.is_number() and b.is_number() and a.repeats > 0 and b.repeats > 0
    if isnan(a.low) or isnan(b.low):  # the number of a lower bound is no end of an interval
        return Answer()
    if means and (a.repeats < 3 or b.repeats < 3):  # two have no interval of theirs
        return Answer()
    if means:
        value, low, high = compare_means(a, b, share)
    else:
        first, second = shared_ends(a, share), shared_ends(b, share)
        value, low, high = nan, second[0] - first[1], second[1] - first[0]
    if isnan(low) or isnan(high):
        return Answer(UNTOLD, value, low, high)
    return Answer(HOLDS if (low > 0 or high < 0) and not (means and low == high) else FAILS, value, low, high)


def above(a: Figure, b: Figure, share: int) -> Answer:
    """The first figure is more than the second, wherever both are between their ends: the interval's, a range's, or without them
    the number; FAILS: it is at most as much. A lower bound has no upper end."""
    return compare_ends(wide_ends(a, share), wide_ends(b, share))


def rate(a: Figure, b: Figure, share: int) -> Answer:
    """As above, of rates or coefficients of variation: without an interval it is that of chance, where `repeats` counts events; a
    coefficient of variation of as many random gaps varies nearly as much; without events it is known."""
    return compare_ends(rate_ends(a, share), rate_ends(b, share))


def within(a: Figure, b: Figure, share: int) -> Answer:
    """The first figure is between the ends of the second, whatever it is between its own; FAILS: wholly beyond one."""
    (low, high), (least, most) = wide_ends(a, share), wide_ends(b, share)
    return Answer(HOLDS if low >= least and high <= most else FAILS if low > most or high < least else UNTOLD)


def off(a: Figure, b: Figure, percent: float, share: int) -> Answer:
    """The first figure, of 0 or more, is within so many percent of the second; value, low and high: by how many it is off;
    numbers have no low and high."""
    (a_low, a_high), (b_low, b_high) = wide_ends(a, share), wide_ends(b, share)
    most, value = percent + ROUNDED, nan
    if a.is_number() and b.is_number() and b.start > 0:
        value = 100 * (a.start / b.start - 1)
    if not (a_low <= a_high and 0 < b_low <= b_high):
        return Answer(UNTOLD, value)
    low, high = 100 * (max(a_low, 0) / b_high - 1), 100 * (a_high / b_low - 1)
    word = HOLDS if low >= -most and high <= most else FAILS if low > most or high < -most else UNTOLD
    return Answer(word, value, low, high) if low < high else Answer(word, value)


def times(a: Figure, b: Figure, share: int) -> Answer:
    """The first figure is so many times the second one, value; low and high: from the near ends of both intervals to the far
    ends. A lower bound has no high. The second one must be a number above 0."""
    if not (a.is_number() or isinf(a.end)) or not b.is_number() or not b.start > 0:
        return Answer()
    value = a.start / b.start
    if not b.low > 0:
        return Answer(HOLDS, value)
    low, high = a.low / (b.low if a.low < 0 else b.high), a.high / (b.high if a.high < 0 else b.low)
    return Answer(HOLDS, value, low, nan if isinf(a.end) else high)


def share_of(a: Figure, b: Figure, share: int) -> Answer:
    """So many events (start) of all (repeats) are another share, value in percent, than the second figure; FAILS: by the exact test
    (Clopper & Pearson 1934) they are not shown to be another."""
    n, p, tail = a.repeats, b.start / 100, (1 - LEVEL) / 2 / share
    if n < 1 or not a.is_number() or not b.is_number() or not (0 <= a.start <= n and 0 <= p <= 1):
        return Answer()
    hits = floor(a.start + 0.5)
    if 0 < p < 1:
        stated = special.binomial_at_most(hits, n, p) >= tail and special.binomial_at_most(n - hits, n, 1 - p) >= tail
    else:
        stated = hits == p * n
    return Answer(FAILS if stated else HOLDS, 100 * hits / n)


def none(a: Figure, b: Figure, share: int) -> Answer:
    """Nothing of a share in percent was seen; high: the bound that its one-sided interval has at this claim's share."""
    if a.start != 0 or not a.is_number() or not 0 <= a.high <= 100:
        return Answer()
    times_longer = log((1 - LEVEL) / share) / log(1 - LEVEL)
    return Answer(HOLDS, high=-100 * numbers.expm1(times_longer * numbers.log1p(-a.high / 100)))


def whole(a: Figure, b: Figure, share: int) -> Answer:
    """A slope is a whole number, the value; FAILS: its interval has none, or (value 0) is below one."""
    if not a.is_number() or isnan(a.low + a.high) or a.high - a.low >= 1:
        return Answer()
    n = float(floor(fabs(a.start) + 0.5)) * (-1 if a.start < 0 else 1) if isfinite(a.start) else a.start
    value = 0.0 if a.high < 1 - NEAR else n
    if a.high < 1 - NEAR or (n >= 1 and (a.low > n + NEAR or a.high < n - NEAR)):
        return Answer(FAILS, value)
    return Answer(HOLDS if n >= 1 and fabs(a.start - n) <= 0.25 else UNTOLD, value)


def percentile(a: Figure, b: Figure, share: int) -> Answer:
    """Of the share `start`; value: values that have ten beyond it; high: independent values by which both ends of its interval
    are order statistics (Hahn & Meeker 1991)."""
    p = a.start
    if not 0 < p < 1:
        return Answer()
    ends = numbers.over(log((1 - LEVEL) / 2), log(max(p, 1 - p)))
    return Answer(HOLDS, ceil(BEYOND / (1 - p) - 1e-6), high=ceil(ends) if isfinite(ends) else ends)


KINDS: dict[str, Callable[[Figure, Figure, int], Answer]] = {
    'differs': differs, 'above': above, 'rate': rate, 'within': within, 'times': times, 'share': share_of,
    'none': none, 'whole': whole, 'percentile': percentile}


def is_of_line(c: Claim) -> bool:
    return c.kind.startswith('line ')


def judge(c: Claim) -> Answer:
    """Of a claim of one of these kinds; "off PERCENT" has a number. A line's points are judged by lines(). ValueError: of no
    kind."""
    if is_of_line(c):
        return Answer()
    reversed_ = c.a.is_reversed() or c.b.is_reversed()
    if c.kind.startswith('off '):
        percent = tables.strtod(c.kind[3:])
        if not 0 <= percent < inf:
            raise ValueError
        return Answer() if reversed_ else off(c.a, c.b, percent, c.share)
    if c.kind not in KINDS:
        raise ValueError
    return Answer() if reversed_ else KINDS[c.kind](c.a, c.b, c.share)


# --- lines --------------------------------------------------------------------------------------------------------

def curvature(points: Sequence[tuple[float, float]], slope: float, squares: float) -> float:
    """The p-value of no bend: the t test of the square that is added to the line of least squares, which leaves these squares. 1:
    too few points."""
    n, (x, y) = len(points), (sum(of) / len(points) for of in zip(*points))
    xx = sum((px - x) ** 2 for px, _ in points)
    third = sum((px - x) ** 3 for px, _ in points) / xx
    bends = [((px - x) ** 2 - xx / n - third * (px - x), py - y - slope * (px - x)) for px, py in points]
    size, along = sum(u * u for u, _ in bends), sum(u * v for u, v in bends)
    if n < POINTS_LEAST + 1 or not size > 0:
        return 1
    left = squares - along * along / size
    return 2 * special.t_upper(n - 3, sqrt(along * along / size / (left / (n - 3)))) if left > 0 else float(along == 0)


def line_through(points: Sequence[tuple[float, float]]) -> Callable[[float], Answer]:
    """The line of least squares. Of an x: value, the line's y there; low, R squared; high, how far the farthest point is off. It
    is straight where R squared is 0.98 or more, and its slope is surely not 0 (t test, 5 %); FAILS: R squared is less, and a square
    added to it surely makes the line bend (t test, 1 %, as is tested for lack of fit in spreads.line_bends). Else nothing is told:
    points that scatter are neither. UNTOLD: fewer than three points, or all of one x or one y."""
    n = len(points)
    x, y = (sum(of) / n for of in zip(*points)) if n else (nan, nan)
    xx, xy, yy = (sum(of) for of in zip(*(((px - x) * (px - x), (px - x) * (py - y), (py - y) * (py - y)) for px, py in points))) \
        if n else (0, 0, 0)
    if n < POINTS_LEAST or not (xx > 0 and yy > 0):
        return lambda at: Answer()
    slope, straight = xy / xx, xy * xy / xx / yy
    farthest = max(fabs(py - y - slope * (px - x)) for px, py in points)
    squares = sum((py - y - slope * (px - x)) ** 2 for px, py in points)
    rises = straight >= 1 or 2 * special.t_upper(n - 2, sqrt(straight * (n - 2) / (1 - straight))) < 1 - LEVEL
    word = UNTOLD
    if straight >= STRAIGHT:
        word = HOLDS if rises else UNTOLD
    elif curvature(points, slope, squares) < BENT:
        word = FAILS
    return lambda at: Answer(word, y + slope * (at - x), straight, farthest)


def lines(claims: Sequence[Claim]) -> dict[int, Answer]:
    """Of the claims that are points of lines (also of those without a y, which are no points), by their place."""
    out: dict[int, Answer] = {}
    for kind in {c.kind for c in claims if is_of_line(c)}:
        of = [i for i, c in enumerate(claims) if c.kind == kind]
        # (a range, or a lower bound, is no point)
        points = [(claims[i].a.start, claims[i].b.start) for i in of if claims[i].a.is_number() and claims[i].b.is_number()]
        line = line_through(points)
        out |= {i: line(claims[i].a.start) for i in of}
    return out


# --- rules of papers ----------------------------------------------------------------------------------------------

def condition_holds(claims: Sequence[Claim], of_lines: Mapping[int, Answer]) -> bool:
    """A claim of each row that it picks, which must all hold, or some of them, which then share the 5 % (Bonferroni)."""
    some = claims[0].some > 0
    held = [(of_lines.get(id(c)) or judge(c._replace(share=len(claims) if some else 1))).word == HOLDS for c in claims]
    return any(held) if some else all(held)


def rules(claims: Sequence[Claim]) -> tuple[int, int]:
    """Does a figure of a paper come out as then? What its rules say, by claims of figures of runs, of which those of a condition
    stand together, and these of a rule; and the word whose rules hold. SAME: what the paper found, in direction and size; LESS:
    in direction, or not under all conditions; CONTRARY: surely not.

    A rule says a word where all of its conditions hold. A word is said where all rules that say it hold. Where the runs lack what
    the paper varied, SAME is LESS, and CONTRARY is not told; nor is anything where SAME or LESS holds, and CONTRARY."""
    said: dict[int, bool] = {}
    of_lines = {id(claims[i]): answer for i, answer in lines(claims).items()}
    for _, group in groupby(claims, key=lambda c: (c.rule, c.part)):
        of = list(group)
        said[of[0].says] = said.get(of[0].says, True) and condition_holds(of, of_lines)
    word = next((w for w in (SAME, LESS, CONTRARY) if said.get(w)), NOTHING)
    if word < CONTRARY and said.get(CONTRARY):
        return NOTHING, NOTHING
    if claims and not claims[0].whole:
        return {SAME: (LESS, SAME), CONTRARY: (NOTHING, NOTHING)}.get(word, (word, word))
    return word, word


# --- the table ----------------------------------------------------------------------------------------------------

def read_number(cell: str | None) -> float:
    value = tables.strtod(cell) if cell else nan
    if cell and not isfinite(value):
        raise ValueError
    return value


def read_figure(cells: Sequence[str | None]) -> Figure:
    start, end, low, high = map(read_number, cells[:4])
    return Figure(start, inf if isnan(end) and not isnan(start) else end, low, high, tables.count(cells[4]) or 0)


def read_place(cell: str | None) -> int:
    """0: there is no such column."""
    value = 0 if cell is None else tables.count(cell)
    if value is None:
        raise ValueError
    return value


def read_claim(cells: Sequence[str | None]) -> Claim:
    share = tables.count(cells[1])
    of, rule, part, says, some, whole_run = map(read_place, cells[12:])
    if not share or says > CONTRARY:
        raise ValueError
    return Claim(cells[0] or '', share, read_figure(cells[2:7]), read_figure(cells[7:12]), of, rule, part, says, some, whole_run)


def is_in_order(c: Claim, last: Claim | None, seen: set[int]) -> bool:
    """Do the claims of a figure stand together, its rules and their parts in ascending order, with one word for each? Others would
    count as a rule of their own."""
    if not last or last.of != c.of:
        return c.of not in seen
    if last.rule != c.rule:
        return last.whole == c.whole and last.rule < c.rule
    return (last.whole == c.whole and last.says == c.says
            and (last.part < c.part or (last.part == c.part and last.some == c.some)))


def read(stream: BinaryIO) -> Iterator[tuple[Claim, Answer]]:
    """The claims of a table of claims/1, and what is decided of each, but of the points of lines."""
    last, seen = None, set[int]()
    for line, cells in tables.read_schema(stream, 'claims/1', COLUMNS, NEEDED):
        try:
            c = read_claim(cells)
            if c.of and not is_in_order(c, last, seen):
                raise ValueError
            yield c, judge(c)
        except ValueError:
            raise BadLine('', line) from None
        seen.add(c.of)
        last = c
