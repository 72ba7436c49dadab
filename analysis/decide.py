# SPDX-License-Identifier: GPL-3.0-or-later
"""Is what a page would say of figures so? Each claim by itself, from the figures as the tables have them. Pure.

A claim that lacks what it needs, such as an interval, cannot be told; nor can one of ends the wrong way round. Rules of figures of
papers, and limits, are made of such claims."""
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil, fabs, floor, inf, isinf, isnan, log, log1p, nan, sqrt
from typing import NamedTuple

from analysis.ieee import exp_less_1, least, ln, most, quotient
from analysis.special import binomial_at_most, chi_squared_quantile, normal_quantile, t_quantile

LEVEL = 0.95
UPPER = (1 + LEVEL) / 2
BEYOND = 10  # so many values must lie beyond a percentile
NEAR = 0.1  # an interval that ends so near to a whole number does not exclude it
ROUNDED = 1e-9  # rounding error of a quotient, in percent, which does not count
STRAIGHT = 0.98  # share of the variance that a straight line explains

UNTOLD, HOLDS, FAILS = 'cannot tell', 'holds', 'fails'
SAME, LESS, CONTRARY, NOT_TOLD = 'as then', 'as then, smaller', 'no longer', 'cannot tell'
WORDS = (SAME, LESS, CONTRARY)


@dataclass(frozen=True, slots=True)
class Ends:
    """A figure: start = end, or the ends of a range (end infinite: a lower bound); low and high: its interval. NaN: none.
    repeats: how many it is made from, or how many events; 0: not known."""
    start: float = nan
    end: float = nan
    low: float = nan
    high: float = nan
    repeats: int = 0

    def is_number(self) -> bool:
        return self.start == self.end


class Told(NamedTuple):
    """What is said of a claim; NaN: not known."""
    word: str = UNTOLD
    value: float = nan
    low: float = nan
    high: float = nan


class Asked(NamedTuple):
    """A claim: its figures, in percent its tolerance (`off`), and how many claims are to hold together with 95 % confidence."""
    a: Ends
    b: Ends
    share: int = 1
    percent: float = nan


def shared(share: int) -> float:
    """Two-sided 95 %, for as many claims together (Bonferroni): the upper quantile's p."""
    return 1 - (1 - LEVEL) / 2 / share


def known_ends(f: Ends) -> tuple[float, float]:
    """Its interval, or what is known of it without one."""
    return f.start if isnan(f.low) else f.low, f.end if isinf(f.end) or isnan(f.high) else f.high


def shared_ends(f: Ends, share: int) -> tuple[float, float]:
    """The same for as many claims as share the level: each side is longer as that of Student's t is, or that of the normal law
    where the number of repeats is not known."""
    low, high = known_ends(f)
    p, freedom = shared(share), f.repeats - 1.0
    by = t_quantile(freedom, p) / t_quantile(freedom, UPPER) if f.repeats > 1 else normal_quantile(p) / normal_quantile(UPPER)
    return (f.start - by * (f.start - low) if low < f.start else low, f.end + by * (high - f.end) if high > f.end else high)


def variance(f: Ends) -> float:
    return ((f.high - f.low) / 2 / t_quantile(f.repeats - 1.0, UPPER)) ** 2


def compare_means(c: Asked) -> tuple[float, float, float]:
    """Welch's (1947) t test of two intervals over repeats, on logarithms where all ends are above 0: value, low, high."""
    first, a, b = c.a, c.a, c.b
    logs = least(a.low, b.low) > 0 and least(a.start, b.start) > 0
    if logs:
        a, b = (Ends(ln(f.start), ln(f.end), ln(f.low), ln(f.high), f.repeats) for f in (a, b))
    part = variance(a), variance(b)
    total, more = sum(part), b.start - a.start
    freedom = total * total / (part[0] ** 2 / (a.repeats - 1) + part[1] ** 2 / (b.repeats - 1)) if total > 0 else 1.0
    # degrees of freedom rounded down: the interval is never too narrow for it
    half = t_quantile(max(1.0, floor(freedom + 1e-9)) if not isnan(freedom) else 1.0, shared(c.share)) * sqrt(total) \
        if not isnan(total) else nan
    changes = more, more - half, more + half
    value, low, high = (first.start * exp_less_1(change) for change in changes) if logs else changes
    return value, low, high


def differs(c: Asked) -> Told:
    """The second figure is another than the first; value, low and high: by how much it is more. Ranges, lower bounds, and figures
    without a number of repeats differ only where their intervals, at this claim's share, do not touch. FAILS: they are not shown
    to; so are means of repeats of which neither has any spread."""
    a, b = c.a, c.b
    means = a.is_number() and b.is_number() and a.repeats > 0 and b.repeats > 0
    bare = isnan(a.low) or isnan(b.low)
    if (isnan(a.low) and not isinf(a.end)) or (isnan(b.low) and not isinf(b.end)) or (bare and isinf(a.end) and isinf(b.end)):
        return Told()
    if means and (a.repeats < 3 or b.repeats < 3):  # two have no interval of theirs
        return Told()
    value = nan
    if means:
        value, low, high = compare_means(c)
    else:
        first, second = shared_ends(a, c.share), shared_ends(b, c.share)
        low, high = second[0] - first[1], second[1] - first[0]
    if isnan(low) or isnan(high):
        return Told(UNTOLD, value, low, high)
    return Told(HOLDS if (low > 0 or high < 0) and not (means and low == high) else FAILS, value, low, high)


def widen_side(f: Ends, side: float, middle: float, share: int) -> float:
    """One side of the interval, for as many claims as share it; where the number of repeats is not known, that of two."""
    freedom = max(1.0, f.repeats - 1.0)
    by = t_quantile(freedom, shared(share))
    return middle + (side - middle) * (by if f.repeats == 2 else by / t_quantile(freedom, UPPER))


def widened(f: Ends, share: int) -> Ends:
    """With the interval of as many claims together. Of two repeats, low and high are their values."""
    if isnan(f.low) or (share == 1 and f.repeats != 2):
        return f
    # a lower bound has one side
    middle = (f.low + f.high) / 2 if not isnan(f.high) and (f.repeats == 2 or f.start != f.end) else f.start
    return replace(f, low=widen_side(f, f.low, middle, share), high=widen_side(f, f.high, middle, share))


def wide_ends(f: Ends, share: int) -> tuple[float, float]:
    return known_ends(widened(f, share))


def compare_ends(a: tuple[float, float], b: tuple[float, float]) -> Told:
    return Told(HOLDS if a[0] > b[1] else FAILS if a[1] <= b[0] else UNTOLD)


def above(c: Asked) -> Told:
    """The first figure is more than the second, wherever both are between their ends: the interval's, a range's, or without them
    the number; FAILS: it is at most as much. A lower bound has no upper end."""
    return compare_ends(wide_ends(c.a, c.share), wide_ends(c.b, c.share))


def chi_squared(freedom: float, p: float) -> float:
    """Above 2000 degrees by the cube of Wilson and Hilferty (1931), which is off by a hundred-thousandth at most."""
    part = 2 / (9 * freedom)
    return chi_squared_quantile(freedom, p) if freedom <= 2000 else freedom * (1 - part + normal_quantile(p) * sqrt(part)) ** 3


def rate_ends(f: Ends, share: int) -> tuple[float, float]:
    """The interval of a rate: of its repeats, or of its events. A rate without either is known."""
    wide, tail, events = widened(f, share), (1 - LEVEL) / 2 / share, float(f.repeats)
    if isnan(wide.low) and isnan(wide.high) and f.is_number() and f.repeats >= 1:
        wide = replace(wide, low=f.start * chi_squared(2 * events, tail) / (2 * events),
                       high=f.start * chi_squared(2 * events + 2, 1 - tail) / (2 * events))
    return known_ends(wide)


def rate(c: Asked) -> Told:
    """As above, of rates or coefficients of variation: without an interval it is that of chance, where `repeats` counts events, the
    exact one of a Poisson count (Garwood 1936); a coefficient of variation of as many random gaps varies nearly as much."""
    return compare_ends(rate_ends(c.a, c.share), rate_ends(c.b, c.share))


def off(c: Asked) -> Told:
    """The first figure, of 0 or more, is within so many percent of the second; value, low and high: by how many it is off."""
    a, b, limit = wide_ends(c.a, 1), wide_ends(c.b, 1), c.percent + ROUNDED
    value = 100 * (c.a.start / c.b.start - 1) if c.a.is_number() and c.b.is_number() and c.b.start > 0 else nan
    if not (a[0] <= a[1] and 0 < b[0] <= b[1]):
        return Told(UNTOLD, value)
    low, high = 100 * (quotient(most(a[0], 0), b[1]) - 1), 100 * (a[1] / b[0] - 1)
    word = HOLDS if low >= -limit and high <= limit else FAILS if low > limit or high < -limit else UNTOLD
    return Told(word, value, low, high) if low < high else Told(word, value)


def within(c: Asked) -> Told:
    """The first figure is between the ends of the second, whatever it is between its own; FAILS: wholly beyond one."""
    a, b = wide_ends(c.a, c.share), wide_ends(c.b, c.share)
    return Told(HOLDS if a[0] >= b[0] and a[1] <= b[1] else FAILS if a[0] > b[1] or a[1] < b[0] else UNTOLD)


def times(c: Asked) -> Told:
    """The first figure is so many times the second one, a number above 0; low and high: from the near ends of both intervals to the
    far ends. A lower bound has no high."""
    a, b = c.a, c.b
    if not (a.is_number() or isinf(a.end)) or not b.is_number() or not b.start > 0:
        return Told()
    value = a.start / b.start
    if not b.low > 0:
        return Told(HOLDS, value)
    return Told(HOLDS, value, quotient(a.low, b.low if a.low < 0 else b.high),
                nan if isinf(a.end) else quotient(a.high, b.high if a.high < 0 else b.low))


def share(c: Asked) -> Told:
    """So many events (start) of all (repeats) are another share, value in percent, than the second figure; FAILS: by the exact test
    (Clopper & Pearson 1934) they are not shown to be another."""
    f, n, p, tail = c.a, c.a.repeats, c.b.start / 100, (1 - LEVEL) / 2 / c.share
    if n < 1 or not f.is_number() or not c.b.is_number() or not (0 <= f.start <= n and 0 <= p <= 1):
        return Told()
    hits = floor(f.start + 0.5)
    if 0 < p < 1:
        as_stated = binomial_at_most(hits, n, p) >= tail and binomial_at_most(n - hits, n, 1 - p) >= tail
    else:
        as_stated = hits == p * n
    return Told(FAILS if as_stated else HOLDS, 100 * hits / n)


def none(c: Asked) -> Told:
    """Nothing of a share in percent was seen; high: the bound that its one-sided interval has at this claim's share."""
    f = c.a
    if f.start != 0 or not f.is_number() or not 0 <= f.high <= 100:
        return Told()
    by = log((1 - LEVEL) / c.share) / log(1 - LEVEL)
    return Told(HOLDS, high=-100 * exp_less_1(by * log1p(-f.high / 100)) if f.high < 100 else 100.0)


def whole(c: Asked) -> Told:
    """A slope is a whole number, the value; FAILS: its interval has none, or (value 0) is below one."""
    f = c.a
    if not f.is_number() or isnan(f.low + f.high) or f.high - f.low >= 1:
        return Told()
    n = float(floor(fabs(f.start) + 0.5)) * (-1 if f.start < 0 else 1)
    below = f.high < 1 - NEAR
    fails = below or (n >= 1 and (f.low > n + NEAR or f.high < n - NEAR))
    return Told(FAILS if fails else HOLDS if n >= 1 and fabs(f.start - n) <= 0.25 else UNTOLD, 0.0 if below else n)


def percentile(c: Asked) -> Told:
    """Of the share `start`; value: values that have ten beyond it; high: independent values by which both ends of its interval are
    order statistics (Hahn & Meeker 1991)."""
    p = c.a.start
    if not 0 < p < 1:
        return Told()
    return Told(HOLDS, float(ceil(BEYOND / (1 - p) - 1e-6)), high=float(ceil(log((1 - LEVEL) / 2) / log(max(p, 1 - p)))))


KINDS: dict[str, Callable[[Asked], Told]] = {
    'differs': differs, 'above': above, 'rate': rate, 'within': within, 'off': off, 'times': times, 'share': share, 'none': none,
    'whole': whole, 'percentile': percentile,
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a table. Of a rule: of which figure of a paper (`of`; 0: of none), its rule, and condition (`part`) of the rule, each
    from 1 on; the word it says; whether one claim of the condition is enough; whether what the paper varied was run in full."""
    kind: str
    asked: Asked
    of: int = 0
    rule: int = 0
    part: int = 0
    says: int = 0
    some: bool = False
    whole: bool = False


def is_reversed(f: Ends) -> bool:
    """A mistake, of which nothing follows."""
    return f.start > f.end or f.low > f.high


def kind_of(kind: str) -> tuple[Callable[[Asked], Told] | None, float]:
    """The function that decides claims of a kind such as "off 5", and its percentage; None: a line. ValueError: no such kind."""
    if kind.startswith('line '):
        return None, nan
    word, _, rest = kind.partition(' ')
    percent = float(rest) if rest else nan
    if word not in KINDS or (word == 'off') != (0 <= percent < inf) or (rest == '') != (' ' not in kind):
        raise ValueError
    return KINDS[word], percent


def decide(claim: Claim) -> Told:
    """What is said of a claim by itself: of a point of a line nothing."""
    function, percent = kind_of(claim.kind)
    asked = claim.asked._replace(percent=percent)
    return function(asked) if function and not is_reversed(asked.a) and not is_reversed(asked.b) else Told()


def decide_line(points: Sequence[tuple[float, float]]) -> list[Told]:
    """Are these points on a straight line? Of each the value that the line has there, its share of the variance (low), and the largest
    distance (high). Points of which something is not known do not count."""
    known = [(x, y) for x, y in points if not isnan(x + y)]
    if len(known) < 3:
        return [Told()] * len(points)
    mean_x, mean_y = (sum(v) / len(known) for v in zip(*known))
    xx = sum((x - mean_x) ** 2 for x, _ in known)
    yy = sum((y - mean_y) ** 2 for _, y in known)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in known)
    if not (xx > 0 and yy > 0):
        return [Told()] * len(points)
    slope, straight = xy / xx, xy * xy / xx / yy
    far = max(fabs(y - mean_y - slope * (x - mean_x)) for x, y in known)
    length = max(x for x, _ in known) - min(x for x, _ in known)
    word = HOLDS if straight >= STRAIGHT else FAILS if fabs(slope) * length >= 2 * far else UNTOLD
    return [Told(word, mean_y + slope * (x - mean_x), straight, far) for x, _ in points]


def decide_all(claims: Sequence[Claim]) -> list[Told]:
    """What is said of each claim of a table; of points of one line together."""
    told = [decide(c) for c in claims]
    for kind in dict.fromkeys(c.kind for c in claims if c.kind.startswith('line ')):
        at = [i for i, c in enumerate(claims) if c.kind == kind]
        for i, one in zip(at, decide_line([(claims[i].asked.a.start, claims[i].asked.b.start) for i in at])):
            told[i] = one
    return told


def condition_holds(claims: Sequence[Claim]) -> bool:
    some = claims[0].some
    held = [decide(replace(c, asked=c.asked._replace(share=len(claims) if some else 1))).word == HOLDS for c in claims]
    return any(held) if some else all(held)


def decide_rules(claims: Sequence[Claim]) -> tuple[str, str]:
    """Does a figure of a paper come out as then? The word, and the word whose rules hold, by the claims of its rules.

    A rule says a word where all of its conditions hold. A condition is a claim of each row that it picks, which must all hold, or
    some of them, which then share the 95 %. A word is said where all rules that say it hold. Where the runs lack what the paper
    varied, SAME is LESS, and CONTRARY is not told; nor is anything where SAME or LESS holds, and CONTRARY."""
    said: dict[int, bool] = {}
    for _, condition in groupby(claims, key=lambda c: (c.rule, c.part)):
        group = list(condition)
        said[group[0].says] = condition_holds(group) and said.get(group[0].says, True)
    number = next((n for n in range(len(WORDS)) if said.get(n)), len(WORDS))
    word = (*WORDS, NOT_TOLD)[number]
    if number < 2 and said.get(2):
        return NOT_TOLD, NOT_TOLD
    if claims and not claims[0].whole:
        return (LESS, word) if word == SAME else (NOT_TOLD, NOT_TOLD) if word == CONTRARY else (word, word)
    return word, word


# --- limits -------------------------------------------------------------------------------------------------------

KEEPS, BROKEN, OPEN, RANGE, ABSENT = 'holds', 'broken', 'open', 'range', 'absent'
LIMIT_WORDS = (KEEPS, BROKEN, OPEN, RANGE, ABSENT)


@dataclass(frozen=True, slots=True)
class Limit:
    """op: <, <=, > or >=; range_breaks: a range or bound breaks it where its far end does, whatever its interval; doubt: it cannot
    hold."""
    op: str
    bound: float
    range_breaks: bool = False
    doubt: bool = False

    def is_kept(self, value: float) -> bool:
        return self.op.endswith('=') if value == self.bound else value < self.bound if self.op[0] == '<' else value > self.bound

    def badness(self, f: Ends) -> tuple[float, float]:
        return (f.end, f.start) if self.op[0] == '<' else (-f.start, -f.end)


def judge_figure(limit: Limit, f: Ends) -> str:
    """It holds only where both ends of the interval, and of the range, keep to the limit, and breaks it only where neither does. If
    only one end of an interval is known, the other may be anywhere. RANGE: of the figure itself only a range or a bound is known,
    and one end of it keeps to the limit; OPEN: so does one end of the interval."""
    if isnan(f.start):
        return ABSENT
    low = -inf if isnan(f.low) and not isnan(f.high) else f.low
    high = inf if isnan(f.high) and not isnan(f.low) else f.high
    start, end = limit.is_kept(f.start), limit.is_kept(f.end)
    lower, upper = limit.is_kept(least(f.start, low)), limit.is_kept(most(f.end, high))
    if limit.range_breaks and f.start != f.end and not start and not end:
        return BROKEN
    if lower == upper:
        return KEEPS if lower else BROKEN
    return RANGE if start != end else OPEN


class Kept(NamedTuple):
    """Of a limit: the word of each figure; its verdict; the figures next to breaking it, of all, and of those of RANGE and OPEN;
    whether the latter, without its interval, breaks it."""
    words: list[str]
    verdict: str
    worst: int | None
    doubtful: int | None
    leans_to_break: bool


def judge_limit(limit: Limit, figures: Sequence[Ends]) -> Kept:
    words = [judge_figure(limit, f) for f in figures]

    def worst(which: Sequence[int]) -> int | None:
        return max(which, key=lambda i: (limit.badness(figures[i]), -i)) if which else None

    doubtful = worst([i for i, word in enumerate(words) if word in (RANGE, OPEN)])
    if BROKEN in words or (limit.range_breaks and RANGE in words):
        verdict = BROKEN
    else:
        verdict = KEEPS if not limit.doubt and words and all(word == KEEPS for word in words) else OPEN
    leans = doubtful is not None and not limit.is_kept(figures[doubtful].end if limit.op[0] == '<' else figures[doubtful].start)
    return Kept(words, verdict, worst([i for i, word in enumerate(words) if word != ABSENT]), doubtful, leans)
