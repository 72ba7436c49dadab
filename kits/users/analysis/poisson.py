# SPDX-License-Identifier: GPL-3.0-or-later
"""Do arrivals come from a Poisson process? Five tests and one verdict (docs/queueing.md), and rows for a plot of them. Pure.

Given the first and the last arrival, the arrivals between them are independent and uniformly distributed (for a Poisson process of
any rate): the p-value of each test follows from that, whatever the rate. Holm's correction (1979) combines the tests: it rejects at
most a share LEVEL of true Poisson processes.

Times recorded in whole ticks: for a Poisson process, arrivals are spread uniformly within a tick, so each time is moved to a random
place in its tick, which is exact for a Poisson process and hides only patterns shorter than a tick. Where a tick is longer than
half the mean gap, gaps are mostly random numbers: then only counts and the periodogram are tested."""
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import exp, expm1, fabs, floor, lgamma, log, log1p, nan, sqrt
from operator import add
from typing import NamedTuple

from analysis.gap_nulls import Nulls, distance, spread_of
from analysis.special import chi_squared_upper
from analysis.spectrum import powers
from analysis.splitmix import fractions

LEVEL = 0.05
FEWEST = 50  # least number of gaps for a verdict
BAND = 1.96  # half-width of the 95 % band around a CoV of 1, times sqrt(n)
TESTS = ('cov', 'ks', 'dispersion', 'lag1', 'periodogram')
ROUNDING = 1e-9  # share by which equal powers differ
PER_INTERVAL = 10.0  # mean number of arrivals in an interval
INTERVALS = 10  # fewest
FREQUENCIES = 2 ** 20  # most
BROKEN = 0.02  # share of arrivals that are ties, beyond those by chance, for a warning
BREAK = 0.25  # share of the whole time that one gap takes, for a warning
MARKS = 200  # most arrivals that are drawn as points
GAP_BINS = 25  # of gaps, from 0 to five times the mean gap
GAP_BIN = 0.2
COUNTS = 10000  # most arrivals in an interval that are drawn
PLOT = ('kind', 'x', 'y', 'expected', 'low', 'high')


class Tick(NamedTuple):
    """How times were recorded, and how they are counted."""
    ns: int  # resolution of the times; 1: exact
    interval_ns: int = 0  # length of the intervals in which arrivals are counted; 0: ten arrivals on average


@dataclass(frozen=True, slots=True)
class Verdict:
    n: int  # gaps
    ties: int = 0  # gaps of 0 as recorded: arrivals in the same tick as the arrival before
    ties_expected: float = 0.0  # by chance, for so many arrivals and ticks
    longest_s: float = 0.0  # the longest gap
    gaps_told: bool = True  # gaps are known: ticks are short enough
    span_s: float = nan  # from first to last arrival; NaN: all in one tick
    mean_s: float = nan
    sd_s: float = nan
    cov: float = nan  # these three: NaN if gaps are not known
    lag1: float = nan
    ks: float = nan
    interval_s: float = nan
    intervals: int = 0
    dispersion: float = nan  # variance over mean of the counts; NaN: fewer than ten intervals
    peak: float = nan  # largest power of the periodogram (mean 1)
    peak_period_s: float = nan
    frequencies: int = 0
    p: dict[str, float] = field(default_factory=dict)  # of each test that was made
    p_joint: float = nan  # smallest p-value times the number of tests
    rejected: tuple[str, ...] = ()  # tests that reject a Poisson process, by Holm's method
    told: bool = False  # there is a verdict
    poisson: bool = False  # no test rejects
    doubt_ns: int = 0  # no verdict, because the clock may have had these steps


def spread_times(times_ns: Iterable[int], tick_ns: int, seed: int) -> list[int]:
    """Each time moved to a random place within its tick, in ascending order."""
    if tick_ns <= 1:
        return sorted(times_ns)
    return sorted(time + int(share * tick_ns) for time, share in zip(times_ns, fractions(seed)))


# --- the tests ----------------------------------------------------------------------------------------------------

def test_gaps(v: Verdict, gaps: list[float], nulls: Nulls | None) -> Verdict:
    f = spread_of(gaps)
    v = replace(v, mean_s=f.mean, sd_s=f.sd)
    if not v.gaps_told:
        return v
    ks = distance(sorted(gaps), f.mean)
    p = {'cov': nulls.cov_p(f.cov), 'ks': nulls.ks_p(ks), 'lag1': nulls.lag1_p(f.lag1)} if nulls else {}
    return replace(v, cov=f.cov, lag1=f.lag1, ks=ks, p=p)


class Window(NamedTuple):
    """Arrivals, in ns from `begin`, that are uniformly distributed up to `span` if the process is Poisson."""
    times: list[int]
    begin: int
    span: int


def select_window(times: list[int], tick_ns: int, gaps_told: bool) -> Window:
    """The arrivals between the first and the last; if ticks hold several arrivals, those of all ticks except the first and the
    last, which the log has only in part."""
    begin, end, inside = times[0], times[-1], times[1:-1]
    if not gaps_told:
        begin, end = (begin // tick_ns + 1) * tick_ns, end // tick_ns * tick_ns
        inside = inside[bisect_left(inside, begin):]
        inside = inside[:bisect_left(inside, end)]
    return Window([time - begin for time in inside], begin, end - begin)


def counts_in(times: Sequence[int], width: float, intervals: int) -> Counter[int]:
    """How many of the ascending times are in each interval; those without one are left out."""
    if intervals < len(times):
        ends = [bisect_left(times, width * (i + 1)) for i in range(intervals)]
        return Counter({i: b - a for i, (a, b) in enumerate(zip([0, *ends], ends)) if b > a})
    places = (int(time / width) for time in times)
    return Counter(i for place, time in zip(places, times)  # (a quotient may be rounded up or down to the next)
                   if (i := place + (time >= width * (place + 1)) - (time < width * place)) < intervals)


def test_counts(v: Verdict, w: Window, tick: Tick) -> Verdict:
    """The counts in intervals of equal length: chi-squared (Cochran 1954), two-sided: twice the smaller tail."""
    width = float(tick.interval_ns) or max(PER_INTERVAL * w.span / (len(w.times) + 1), 3.0 * tick.ns)
    v = replace(v, interval_s=width / 1e9)
    n = floor(w.span / width)
    if n < INTERVALS:
        return v
    counts = counts_in(w.times, width, n)
    total, squares = float(counts.total()), float(sum(count * count for count in counts.values()))
    v = replace(v, intervals=n)
    if not total:
        return v
    dispersion = (squares - total * total / n) / (n - 1) / (total / n)
    upper = chi_squared_upper(n - 1, (n - 1) * dispersion)
    return replace(v, dispersion=dispersion, p={**v.p, 'dispersion': min(1.0, 2 * min(upper, 1 - upper))})


def rayleigh_p(z: float, n: float) -> float:
    """The probability of a power of at least z for n random directions (Rayleigh; Greenwood & Durand 1955)."""
    if z * z > n:  # the series holds for small z / n; elsewhere exp(-z), which is hardly ever exceeded
        return exp(-z)
    p = exp(-z) * (1 + (2 * z - z * z) / (4 * n) - (24 * z - 132 * z * z + 76 * z * z * z - 9 * z * z * z * z) / (288 * n * n))
    return min(1.0, max(p, 0.0))


def test_periodogram(v: Verdict, w: Window, tick: Tick) -> Verdict:
    n = len(w.times)
    frequencies = min(n + 1, FREQUENCIES)
    if tick.ns > 1:
        frequencies = min(frequencies, int(w.span / (2.0 * tick.ns)))
    if frequencies < 2 or w.span <= 0 or not n:
        return v
    bins = 4
    while bins < 4 * (frequencies + 1):
        bins *= 2
    counts = [0] * bins
    for time in w.times:
        counts[min(int(time / w.span * bins), bins - 1)] += 1
    power = [value / n for value in powers(counts, frequencies)]
    peak = max(power[1:])
    k = next(k for k, value in enumerate(power) if k and value >= peak * (1 - ROUNDING))  # of equal ones the longest period
    p = -expm1(frequencies * log1p(-min(rayleigh_p(peak, n), 1 - 1e-16)))
    return replace(v, frequencies=frequencies, peak=peak, peak_period_s=w.span / 1e9 / k, p={**v.p, 'periodogram': p})


def decide(v: Verdict) -> Verdict:
    """Holm's method: the smallest p-value is compared with level / m, the next with level / (m - 1), until one is larger."""
    if v.n < FEWEST or not v.p:
        return v
    ranked = sorted(v.p, key=lambda name: (v.p[name], TESTS.index(name)))
    scaled = [v.p[name] * (len(ranked) - i) for i, name in enumerate(ranked)]
    hits = next((i for i, p in enumerate(scaled) if p > LEVEL), len(ranked))
    return replace(v, told=True, poisson=not hits, p_joint=min(1.0, scaled[0]),
                   rejected=tuple(sorted(ranked[:hits], key=TESTS.index)))


def test_all(times_ns: list[int], tick: Tick, nulls: Nulls | None) -> Verdict:
    """Of times in ascending order, already spread within ticks. `nulls`: for so many gaps; None: below FEWEST."""
    n = max(len(times_ns) - 1, 0)
    if not n or times_ns[n] // tick.ns == times_ns[0] // tick.ns:
        return Verdict(n, ties=n, ties_expected=float(n), gaps_told=False)
    if n < 2:
        gap = (times_ns[1] - times_ns[0]) / 1e9
        return Verdict(n, span_s=gap, mean_s=gap)
    gaps = [(b - a) / 1e9 for a, b in zip(times_ns, times_ns[1:])]
    span_s = (times_ns[n] - times_ns[0]) / 1e9
    marks = times_ns if tick.ns == 1 else [time // tick.ns for time in times_ns]
    # of n balls thrown into m boxes, n + m expm1(-n / m) are not the first in their box
    ticks = max(span_s * 1e9 / tick.ns, 1.0)
    v = Verdict(n, sum(a == b for a, b in zip(marks, marks[1:])), n + ticks * expm1(-n / ticks), max(gaps), span_s=span_s,
                gaps_told=tick.ns <= 1 or tick.ns / 1e9 * 2 * n <= span_s)
    v = test_gaps(v, gaps, nulls if n >= FEWEST else None)
    w = select_window(times_ns, tick.ns, v.gaps_told)
    return decide(test_periodogram(test_counts(v, w, tick), w, tick))


def withdrawn(v: Verdict, step_ns: int) -> Verdict:
    """No verdict: a rejection may be the clock's, whose steps may be of this length."""
    return replace(v, told=False, rejected=(), doubt_ns=step_ns)


# --- in words -----------------------------------------------------------------------------------------------------

def hint(v: Verdict) -> str | None:
    """A warning if the log itself looks broken: far more ties than by chance, or one gap that is a large part of the whole time."""
    if v.n < FEWEST:
        return None
    if v.ties - v.ties_expected > max(BROKEN * v.n, 6 * sqrt(v.ties_expected + 1)):
        return (f'{v.ties} of {v.n + 1} arrivals bear the time of the one before, of which chance makes {v.ties_expected:.0f}: '
                'written down in batches, or by a clock in longer steps (--tick)?')
    # the longest of n gaps is about log(n) times the mean
    if v.longest_s > BREAK * v.span_s and v.longest_s > v.mean_s * (log(v.n) + 12):
        return (f'one gap of {v.longest_s:.6g} s is {100 * v.longest_s / v.span_s:.0f} % of all the time: a break, two logs in '
                'one, or a clock that was set?')
    return None


def verdict_text(v: Verdict) -> str:
    """The verdict, with its error band."""
    if not v.told:
        if v.doubt_ns:
            return (f"no verdict: all times are whole multiples of {v.doubt_ns / 1e6:g} ms, the arrivals' own or the clock's; "
                    '--tick says which')
        if v.n < FEWEST:
            return f'no verdict: {v.n} gaps, at least {FEWEST} are needed'
        return 'no verdict: none of the tests can be made of arrivals that are so close together'
    band = BAND / sqrt(v.n)
    figure = (f'CoV {v.cov:.3f} {"within" if fabs(v.cov - 1) <= band else "outside"} 1 +- {band:.3f}' if v.gaps_told
              else 'told by counts alone: ticks are longer than half a gap')
    if v.poisson:
        return f'as a Poisson process: {figure}, none of {len(v.p)} tests rejects at {100 * LEVEL:g} % (Holm)'
    skewed = {'cov', 'dispersion'} & set(v.rejected)
    how = '' if not skewed else ', too regular' if (v.cov if v.gaps_told else v.dispersion) < 1 else ', too bursty'
    return f'not a Poisson process{how}: {figure}, rejected by {", ".join(v.rejected)} at {100 * LEVEL:g} % (Holm)'


# --- rows for a plot ----------------------------------------------------------------------------------------------

PlotRow = tuple[str, float, float, float, float, float]


def plot_row(kind: str, x: float, y: float = nan, expected: float = nan, low: float = nan, high: float = nan) -> PlotRow:
    return kind, x, y, expected, low, high


def gap_rows(times_ns: list[int], v: Verdict) -> Iterator[PlotRow]:
    """The distribution of gaps beside the exponential one."""
    seen = Counter(floor((b - a) / 1e9 / (GAP_BIN * v.mean_s)) for a, b in zip(times_ns, times_ns[1:]))
    for b in range(GAP_BINS):
        low = GAP_BIN * b
        yield plot_row('gap', (low + GAP_BIN / 2) * v.mean_s * 1000, seen[b] / v.n, exp(-low) - exp(-low - GAP_BIN))


def poisson_share(count: int, mean: float) -> float:
    """The probability of exactly so many events."""
    return exp(count * log(mean) - mean - lgamma(count + 1)) if mean > 0 else 0.0 if count else nan


def count_rows(times_ns: list[int], v: Verdict) -> Iterator[PlotRow]:
    """The counts in each interval that is drawn, and their distribution beside Poisson's. Bins are half a standard deviation of it
    wide, at least one count."""
    width = v.interval_s * 1e9
    drawn = times_ns[min(v.n, MARKS - 1)] - times_ns[0]
    counts = counts_in([time - times_ns[0] for time in times_ns[1:v.n]], width, v.intervals)
    for i in range(min(v.intervals, floor(drawn / width) + 2) if v.intervals else 0):
        if width * (i + 1) <= drawn:
            yield plot_row('tally', (i + 0.5) * width / 1e6, counts[i])
    if not v.intervals:
        return
    seen, mean = Counter(counts.values()), reduce(add, (count / v.intervals for count in counts.values()), 0.0)
    seen[0] = v.intervals - len(counts)
    most = max([count for count in seen if count < COUNTS])
    step = int(max(1, sqrt(mean) / 2))
    for c in range(0, min(most + 2, COUNTS), step):
        inside = range(c, min(c + step, COUNTS))
        yield plot_row('count', c + (step - 1) / 2, reduce(add, (seen[i] / v.intervals for i in inside), 0.0),
                       reduce(add, (poisson_share(i, mean) for i in inside), 0.0))
    yield plot_row('interval', v.interval_s * 1000)


def plot_rows(times_ns: list[int], v: Verdict) -> Iterator[PlotRow]:
    """The first arrivals, gaps and counts, of times in ascending order."""
    for time in times_ns[:min(v.n + 1, MARKS)]:
        yield plot_row('arrival', (time - times_ns[0]) / 1e6)
    if v.mean_s > 0 and v.gaps_told:
        yield from gap_rows(times_ns, v)
    yield from count_rows(times_ns, v)
