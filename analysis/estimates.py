# SPDX-License-Identifier: GPL-3.0-or-later
"""One figure of a condition from its repeats: from one number of each by an estimator, or a quantile of all their values. Pure."""
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import inf, isfinite, isnan, nan, nextafter
from re import escape, finditer

from analysis import figures, spreads
from analysis.figures import Figure, Sample, Statistic
from analysis.numbers import exp, log, most, over, sqrt, total
from analysis.samples import Run
from analysis.spreads import BOOTSTRAP_FROM, REPEATS, Interval, ShareRuns

GIVEN = ('-', 'ends', 'ends+above', 'range')  # estimators of columns whose figure an extractor gives
MEDIAN_ORDERED = 5  # values from which on a median has order statistics


@dataclass(frozen=True, slots=True)
class Draws:
    """Of the bootstrap: how many, and its seed."""
    n: int
    seed: int


# --- estimators of one number of each repeat ----------------------------------------------------------------------

def of_values(value: float, values: Sequence[float], interval: Interval | None = None) -> Figure:
    low, high = interval or spreads.NONE
    return replace(figures.estimate(value, low, high), both=(values[0], values[1]) if len(values) == 2 else (nan, nan))


def containing(interval: Interval | None, value: float) -> Interval | None:
    """The interval of a related figure, widened to include the figure itself."""
    return (min(interval[0], value), max(interval[1], value)) if interval else None


def above_zero(interval: Interval | None) -> Interval | None:
    return (max(0.0, interval[0]), interval[1]) if interval else None


def mean(values: Sequence[float], draws: Draws) -> Figure:
    return of_values(total(values) / len(values), values)


def change(values: Sequence[float], draws: Draws) -> Figure:
    """The mean of numbers that may be negative."""
    return of_values(total(values) / len(values), values, spreads.mean_interval(values, draws.n, draws.seed))


def positive_mean(values: Sequence[float], draws: Draws) -> Figure:
    """Student's t, from ten repeats the bootstrap; no end below 0."""
    return of_values(total(values) / len(values), values, above_zero(spreads.mean_interval(values, draws.n, draws.seed)))


def mean_by_logs(values: Sequence[float], draws: Draws) -> Figure:
    """The mean; below ten repeats with t on logarithms, widened to include the mean."""
    interval = spreads.t_logs(values) if len(values) < BOOTSTRAP_FROM else None
    value = total(values) / len(values)
    return of_values(value, values, containing(interval, value)) if interval else positive_mean(values, draws)


def geometric_mean(values: Sequence[float], draws: Draws) -> Figure:
    """Of numbers above 0; t on logarithms."""
    value = total(map(log, values)) / len(values)
    return of_values(exp(value) if isfinite(value) else nan, values, spreads.t_logs(values) if isfinite(value) else None)


def mean_share(whole: float) -> Callable[[Sequence[float], Draws], Figure]:
    """The mean of shares of `whole`: Student's t on logits, so that no end leaves 0 to the whole, widened to include the mean. A
    share at an end has no logit: it stands half as far from it as the nearest other share. Equal shares have no interval: they say
    nothing of their spread."""
    def estimate(values: Sequence[float], draws: Draws) -> Figure:
        value = total(values) / len(values)
        half = min([whole / 2, *(end for v in values if (end := min(v, whole - v)) > 0)]) / 2
        shares = [min(max(v, half), whole - half) for v in values]
        interval = spreads.t_mean([log(over(s, whole - s)) for s in shares]) if len(set(values)) > 1 else None
        ends = (whole / (1 + exp(-interval[0])), whole / (1 + exp(-interval[1]))) if interval else None
        return of_values(value, values, containing(ends, value))
    return estimate


def median(values: Sequence[float], draws: Draws) -> Figure:
    return of_values(spreads.quantile(values, 0.5), sorted(values))


def median_interval(values: Sequence[float], draws: Draws) -> Figure:
    """t on logarithms from three repeats, order statistics from five."""
    values = sorted(values)
    value = spreads.quantile_of_sorted(values, 0.5)
    interval = None
    if len(values) >= REPEATS:
        near = containing(spreads.t_logs(values), value) if len(values) < MEDIAN_ORDERED else None
        interval = near or spreads.order_statistics(values, len(values), 0.5)
    return of_values(value, values, interval)


def chance(values: Sequence[float], draws: Draws) -> Figure:
    """The smallest p-value times the number of p-values (Bonferroni), at most 1."""
    return figures.exact(min(1.0, min(values) * len(values)))


def band(values: Sequence[float], draws: Draws) -> Figure:
    """Pooled half-width of bands 1/sqrt(n)."""
    return figures.exact(over(1, sqrt(total(over(1, v * v) for v in values))))


def plain(function: Callable[[Sequence[float]], float]) -> Callable[[Sequence[float], Draws], Figure]:
    return lambda values, draws: figures.exact(float(function(values)))


Estimate = Callable[[Sequence[float], Draws], Figure]
# of the numbers that are known, of at least one repeat
ESTIMATORS: dict[str, Estimate] = {
    'mean': mean, 'mean+ci': positive_mean, 'percent+ci': mean_share(100), 'unit+ci': mean_share(1), 'change+ci': change,
    'logmean+ci': mean_by_logs, 'geomean+ci': geometric_mean, 'median': median, 'median+ci': median_interval,
    'sum': plain(total), 'max': plain(max), 'min': plain(min), 'first': plain(lambda v: v[0]), 'last': plain(lambda v: v[-1]),
    'same': plain(lambda v: nan),  # of texts only: that of all repeats, or "mixed"
    'count': plain(len), 'unknown': plain(len), 'true': plain(lambda v: sum(x != 0 for x in v)),
    'false': plain(lambda v: sum(x == 0 for x in v)), 'chance': chance, 'chance+holm': chance, 'band': band,
    'share+ci': plain(lambda v: nan),  # of two counts of each repeat: share_of_counts()
}
COUNTING = ('count', 'true', 'false')  # known also where no repeat has the number


def share_of_counts(values: Sequence[float], totals: Sequence[float]) -> Figure:
    """Percent: the sum of the numbers over the sum of the totals, with its exact interval."""
    pairs = [(v, t) for v, t in zip(values, totals) if isfinite(v) and isfinite(t)]
    hits, n = total(v for v, _ in pairs), total(t for _, t in pairs)
    if not n > 0 or not 0 <= hits <= n:
        return Figure()
    interval = spreads.share(int(hits), int(n))
    return figures.estimate(100 * hits / n, 100 * interval[0], 100 * interval[1]) if interval else Figure()


def estimate(name: str, values: Sequence[float], draws: Draws, totals: Sequence[float] = ()) -> Figure:
    """The figure of one number of each repeat (NaN: not known); its `repeats` is how many are known."""
    known = [v for v in values if isfinite(v)]
    if name == 'share+ci':
        f = share_of_counts(values, totals)
    elif name == 'unknown':
        f = figures.exact(float(len(values) - len(known)))
    elif known:
        f = ESTIMATORS[name](known, draws)
    else:
        f = figures.exact(0.0) if name in COUNTING else Figure()
    return replace(f, repeats=len(known))


def of_run(run: Run, name: str, values: Sequence[float]) -> Figure:
    """With the run's number of draws, and its seed."""
    return estimate(name, values, Draws(run.draws, run.seed))


# --- quantiles of the values of all repeats -----------------------------------------------------------------------

APART = 0.3  # chance that runs which are alike are taken as apart: high, as a false alarm only costs width
# Runs whose shares of values beyond the median vary this many times more than those of runs that are alike: a tail of which each
# run has too few values is that of the slowest runs, of which there are too few.
FAR = 10
PARTS = 255  # most edges of parts whose numbers are bytes
UNTOLD = 100  # an interval that ends beyond so many times the figure says nothing: three runs that differ by a factor


@dataclass(slots=True)
class Pool:
    """The values of several runs (repeats), in the order in which they came; of each, those that are lower bounds.
    kind: plain (may be 0 or less), keys (latencies), replays (latencies of the same inputs in each run: only runs are independent).
    stall: how many values come during a stall that may have been missed."""
    runs: list[list[int]]
    bounds: list[list[int]] = field(default_factory=list)
    stall: float = 0
    kind: str = 'plain'
    own: list[Sample] = field(init=False)
    all: Sample = field(init=False)
    real: list[list[float]] = field(init=False)
    edges: list[float] = field(init=False)  # between parts of all values
    parts: list[bytes] = field(init=False)  # of each run, in which part each value is
    places: dict[int, list[list[int]]] = field(default_factory=dict)  # of each part that was looked at, where its values are

    def __post_init__(self) -> None:
        bounds = self.bounds or [[] for _ in self.runs]
        self.own = [Sample(sorted(run), min(bound, default=inf)) for run, bound in zip(self.runs, bounds)]
        self.all = Sample(sorted(chain.from_iterable(s.values for s in self.own)), min((s.censored for s in self.own), default=inf))
        self.real = [list(map(float, run)) for run in self.runs]
        self.edges = sorted(set(map(float, self.all.values[::len(self.all.values) // PARTS + 1])))
        self.parts = [bytes(map(partial(bisect_right, self.edges), run)) for run in self.real]

    def shares_above(self, value: float, least: float = 0) -> ShareRuns:
        """The values above `value`, repeat by repeat. Only those in its own part of the values need be compared."""
        share = ShareRuns(max(self.stall, 1.0), least=least)
        own = bisect_right(self.edges, value)
        is_above = bytes(part > own for part in range(256))
        if own not in self.places:
            self.places[own] = [[found.start() for found in finditer(escape(bytes([own])), parts)] for parts in self.parts]
        for run, parts, places in zip(self.real, self.parts, self.places[own]):
            flags = bytearray(parts.translate(is_above))
            for place in places:
                flags[place] = run[place] > value
            share.add_repeat(flags)
        return share

    def longest(self) -> int:
        return max(map(len, self.runs), default=0)


def effect_of_runs(pool: Pool, q: float) -> tuple[float, float, ShareRuns]:
    """The effect of runs (runs_effect()) on the share of values above a quantile, and how far repeats are apart. Within a stall
    some keys lie above it and some below, so that one stall makes many runs: it is whole at a lower one."""
    above, least = 1 - q, 0.0
    while above <= 0.25:
        above *= 2
    while above > (1 - q) * 0.75:
        share = pool.shares_above(figures.quantile(pool.all, 1 - above).value, least)
        if above < 1.5 * (1 - q) or share.runs(True)[1] < pool.longest():  # a whole repeat above is no stall
            least = share.least = spreads.runs_effect(share)
        above /= 2
    return least, spreads.share_effect(share, APART)[1], share


def quantile_end(pool: Pool, q: float, chance: float, least: float, low: bool) -> float | None:
    """The lowest value above which the share 1 - q of all may lie, by the interval of that share; or the highest."""
    values = pool.all.values
    near, far = int((len(values) - 1) * q), 0 if low else len(values) - 1
    limit = middle = far
    while True:
        at = float(values[middle])
        # what is known to be above a bound lies above it
        share = pool.shares_above(nextafter(at, 0) if low and at >= pool.all.censored else at, least)
        if spreads.share_excludes(share, chance, 1 - q, low):
            far = middle
        else:
            near = middle
        if near == limit:
            return None
        middle = (near + far) // 2
        if middle in (near, far):
            return float(values[far])


def quantile_interval(pool: Pool, q: float, chance: float, least: float) -> Interval | None:
    low = quantile_end(pool, q, chance, least, True)
    high = None if low is None else quantile_end(pool, q, chance, least, False)
    return None if low is None or high is None else (low, high)


def own_interval(pool: Pool, own: Sequence[float], q: float, logs: bool, value: float) -> Interval | None:
    """From the quantiles of the runs alone, about that of all: own quantiles of few values lie lower on average."""
    found = spreads.t_logs(own) if logs else spreads.t_mean(own)
    if not found:
        return None
    middle = figures.quantile(pool.all, 0.5).value
    half = log(over(found[1], found[0])) / 2 if logs else (found[1] - found[0]) / 2
    low, high = spreads.spread_tail(q, len(own), half, log(over(value, middle)) if logs else value - middle)
    return (value * exp(low), value * exp(high)) if logs else (value + low, value + high)


def apartness(pool: Pool) -> float:
    """How far runs are apart in the middle: those that lie wholly on one side of it, by as much as is too far."""
    _, far, middle = effect_of_runs(pool, 0.5)
    return FAR if middle.runs(True)[1] >= pool.longest() else far


def least_end(pool: Pool, q: float) -> float:
    """The lower end of the interval of a quantile of which only a lower bound is known; NaN: none."""
    if pool.kind == 'replays' or apartness(pool) >= FAR:
        return nan
    # (at the quantile itself all values may be one bound, so that runs seem alike)
    low = quantile_end(pool, q, APART, effect_of_runs(pool, q)[0], True)
    return nan if low is None else low


def find_interval(pool: Pool, q: float, own: Sequence[float], alone: bool, value: float) -> tuple[Interval | None, bool]:
    """And whether runs differ by more than stalls explain."""
    if pool.kind == 'replays':
        found = own_interval(pool, own, q, True, value)
        return found if found and found[1] <= UNTOLD * value else None, True
    far = 0.0 if alone else apartness(pool)
    least, differ, _ = effect_of_runs(pool, q)
    found = quantile_interval(pool, q, APART if differ > 0 and not alone else 0, least) if far < FAR else None
    apart = differ > 0 or (found is None and q <= 0.5)  # each run knows its median, however long its stalls are
    runs = own_interval(pool, own, q, pool.kind != 'plain', value) if apart and alone else None
    if runs:
        found = (min(found[0], runs[0]), max(found[1], runs[1])) if found else runs
        if pool.kind != 'plain' and not found[1] <= UNTOLD * value:
            found = None
    return found, apart


def pool_quantile(pool: Pool, q: float, unit: float) -> tuple[Figure, bool]:
    """The quantile (type 7) of all values, divided by `unit`, if there are enough values for it, with its interval: the values
    above which the share 1 - q may lie, by the interval of that share, in the order in which they came, and with a stall that was
    missed. Where runs differ by more than stalls explain (the second value), it holds the interval of Student's t of their own
    quantiles (of latencies: of the logarithms), where each has enough values for it. No interval where values are too few or runs
    too far apart, for the largest value (q = 1), nor where values that are lower bounds reach it: of a lower bound there is the
    lower end alone."""
    n, runs = len(pool.all.values), len(pool.runs)
    own = [figures.quantile(s, q) for s in pool.own]
    alone = runs > 0 and q < 1 and all(not s.above and figures.supports(len(run), q) for s, run in zip(own, pool.runs))
    enough = q >= 1 or figures.supports(n, q)
    found = (figures.maximum(pool.all) if q >= 1 else figures.quantile(pool.all, q)) if enough else Statistic(nan)
    f = figures.absent('too few') if isnan(found.value) and n else figures.bounded(Statistic(found.value / unit, found.above))
    both = (own[0].value / unit, own[1].value / unit) if runs == 2 and alone and not f.above else (nan, nan)
    interval, apart = None, pool.kind == 'replays'
    if isfinite(found.value) and not found.above and q < 1 and runs >= REPEATS:
        interval, apart = find_interval(pool, q, [s.value for s in own], alone, found.value)
    if interval and not interval[1] < pool.all.censored:
        interval = None  # an end that lies among lower bounds is not known
    low, high = (most([interval[0] / unit, 0.0]), interval[1] / unit) if interval else spreads.NONE
    if found.above and q < 1 and runs >= REPEATS:
        low = least_end(pool, q) / unit
    return replace(f, repeats=runs, low=low, high=high, both=both), apart
