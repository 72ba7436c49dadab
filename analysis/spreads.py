# SPDX-License-Identifier: GPL-3.0-or-later
"""95 % confidence intervals over runs, regression lines and adjusted p-values. Pure.

An interval is (low, high), or None where the data allow none. Fewer than REPEATS runs have none: with two, Student's t is 12.7
standard errors, and the two values say more."""
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from math import fabs, hypot, inf, isfinite, isnan, lgamma, nan, pi, sin
from random import Random

from analysis import figures, special
from analysis.figures import Figure
from analysis.numbers import average, exp, log, over, power, sqrt, total

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
REPEATS = 3  # that an interval needs
PAIRS = 5  # that a p-value of a ratio needs
BOOTSTRAP_FROM = 10  # runs from which on the bootstrap is not too narrow
BEND = 0.1  # as a share of what a line rises: points that are farther off lie on no line
TAIL_MOST = 0.035  # chance that a quantile lies beyond the largest value, where that is taken as the end of its interval
SHARE_APART = 0.2  # chance that repeats which are alike are taken as apart, of a share
NODES = 48  # of a posterior
CORRELATIONS = [((i + 0.5) / 16) ** 4 for i in range(16)]  # with equal chances under Beta(1/4, 1)
RARELY = 3  # and under Beta(1/4, 4) with those of (1 - rho)^3
NOT_COMPARABLE = 'not comparable'
Interval = tuple[float, float]
NONE = (nan, nan)


# --- of means -----------------------------------------------------------------------------------------------------

@lru_cache(1000)
def t_wide(freedom: int) -> float:
    """Quantile of Student's t for both ends of the interval."""
    return special.t_quantile(freedom, 1 - TAIL)


def deviation(values: Sequence[float]) -> float:
    middle, n = average(values), len(values)
    return sqrt(average((v - middle) ** 2 for v in values) * (n / (n - 1)))


def standard_error(values: Sequence[float]) -> float:
    return deviation(values) / sqrt(len(values)) if len(values) > 1 else nan


def t_mean(values: Sequence[float]) -> Interval | None:
    """Of the mean: mean +- t(n - 1) s / sqrt(n)."""
    if len(values) < REPEATS:
        return None
    middle, half = average(values), t_wide(len(values) - 1) * standard_error(values)
    return (middle - half, middle + half) if isfinite(half) else None


def t_logs(values: Sequence[float]) -> Interval | None:
    """Of the geometric mean of skewed values above 0: Student's t on their logarithms."""
    found = t_mean([log(v) for v in values])
    return (exp(found[0]), exp(found[1])) if found else None


def t_test(values: Sequence[float]) -> float:
    """Two-sided p-value of a mean of 0: 0 where all values are equal and not 0, 1 where all are 0; NaN below two finite values."""
    middle, error = average(values), standard_error(values)
    if not error > 0:
        return nan if isnan(error) else float(middle == 0)
    return 2 * special.t_upper(len(values) - 1, fabs(middle) / error)


def spread_tail(q: float, runs: int, half: float, distance: float) -> Interval:
    """How far the quantile q of all values may lie from what was found: `half` is half the interval of the mean of the runs' own
    quantiles, but runs that scatter also move the tail away from the median (by `distance`). Of normal values within runs (sigma)
    and of normal runs (tau) the quantile lies z sqrt(sigma^2 + tau^2) off; tau^2 has the interval of a variance (chi-squared), and
    both errors are joined as by Zou & Donner (2008)."""
    freedom, distance = runs - 1, fabs(distance)
    variance = (special.normal_quantile(q) * half / t_wide(freedom)) ** 2 * runs
    near, far = (hypot(half, sqrt(max(0.0, distance ** 2 + variance * (freedom / special.chi_squared_quantile(freedom, p) - 1)))
                       - distance)
                 for p in (1 - TAIL, TAIL))
    return (-far, near) if q < 0.5 else (-near, far)  # below the median the far end is the lower one


# --- of quantiles -------------------------------------------------------------------------------------------------

def quantile_of_sorted(values: Sequence[float], p: float) -> float:
    """Of type 7 (Hyndman & Fan 1996). NaN: no value."""
    if not values:
        return nan
    at = p * (len(values) - 1)
    low = int(at)
    return values[low] if low == len(values) - 1 else (1 - (at - low)) * values[low] + (at - low) * values[low + 1]


def quantile(values: Sequence[float], p: float) -> float:
    return quantile_of_sorted(sorted(values), p)


def rank_below(q: float, n: float, chance: float) -> float:
    """The rank below which the quantile q of the law lies with that chance, of n independent values; from 0 to n + 1, not whole."""
    return special.invert(lambda rank: 1 - special.beta_share(q, rank, n + 1 - rank) < chance, 0.0, n + 1)


def at_rank(values: Sequence[float], rank: float) -> float:
    k = int(min(rank, len(values)))
    return values[k - 1] + (rank - k) * (values[k] - values[k - 1]) if k < len(values) else values[-1]


def order_statistics(values: Sequence[float], independent: float, q: float) -> Interval | None:
    """Of quantile q of sorted values that tell as much as `independent` independent ones, for any distribution: their order
    statistics, interpolated to the level (Hutson 1999). At the ends of the sample it may hold a little less, 93 %: the median of
    five values lies between the least and the largest with 93.75 %."""
    low, high = rank_below(q, independent, TAIL), rank_below(q, independent, 1 - TAIL)
    each = (len(values) + 1) / (independent + 1)
    if (low < 1 and power(1 - q, independent) > TAIL_MOST) or (high > independent and power(q, independent) > TAIL_MOST):
        return None
    return at_rank(values, max(low, 1.0) * each), at_rank(values, min(high, independent) * each)


# --- by the bootstrap ---------------------------------------------------------------------------------------------

@lru_cache(8)
def resamples(runs: int, draws: int, seed: int) -> list[tuple[int, ...]]:
    """How often each run is drawn, of so many draws of all runs. The generator is the Mersenne Twister as its authors seed it
    (Matsumoto & Nishimura 2002), so that the same data give the same interval as before."""
    state = [seed & 0xffffffff or 4357]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + i) & 0xffffffff)
    source = Random()
    source.setstate((3, (*state, 624), None))
    scale = 0xffffffff // runs
    out = []
    for _ in range(draws):
        weights = [0] * runs
        for _ in range(runs):
            while (k := source.getrandbits(32) // scale) >= runs:
                pass
            weights[k] += 1
        out.append(tuple(weights))
    return out


def skewness(values: Sequence[float]) -> float:
    middle, sd = average(values), deviation(values)
    return average(over(v - middle, sd) ** 3 for v in values)


def bca(value: float, replicates: Sequence[float], without: Sequence[float], expanded: bool) -> Interval | None:
    """Bias-corrected and accelerated bootstrap over whole runs (Efron 1987; Efron & Tibshirani 1993, ch. 14), from the figure of
    all runs, its replicates, and its values without one of the runs each. expanded (Hesterberg 2015): with the quantiles of
    Student's t times sqrt(n / (n - 1)) in place of the normal ones, as resamples of n runs vary less than n runs do."""
    runs, draws = len(without), len(replicates)
    if not isfinite(value) or not draws or runs < 2 or not isfinite(average(replicates) + average(without)):
        return None
    wide = t_wide(runs - 1) * sqrt(runs / (runs - 1)) if expanded else special.normal_quantile(1 - TAIL)
    replicates = sorted(replicates)
    # ties count half: figures on a grid (shares of 100 keys) have many; the share is kept off 0 and 1
    below = sum(1 if r < value else 0.5 if r == value else 0 for r in replicates)
    bias = special.normal_quantile(min(max(below, 0.5), draws - 0.5) / draws)
    a = -skewness(without) * runs / (6 * (runs - 1) ** 1.5)
    a = a if isfinite(a) else 0  # NaN: all values without one run are equal
    low, high = (quantile_of_sorted(replicates, special.normal_upper(-(bias + z / (1 - a * z))))
                 for z in (bias - wide, bias + wide))
    return low, high


def bootstrap_mean(values: Sequence[float], draws: int, seed: int) -> Interval | None:
    runs = len(values)

    def mean(weights: Sequence[int]) -> float:
        return total(w * v for w, v in zip(weights, values)) / sum(weights)
    replicates = [mean(weights) for weights in resamples(runs, draws, seed)]
    without = [mean([int(k != i) for k in range(runs)]) for i in range(runs)]
    return bca(mean([1] * runs), replicates, without, True)


def mean_interval(values: Sequence[float], draws: int, seed: int) -> Interval | None:
    """Of the mean over runs: with fewer than BOOTSTRAP_FROM Student's t, with more the expanded bootstrap."""
    return t_mean(values) if len(values) < BOOTSTRAP_FROM else bootstrap_mean(values, draws, seed)


# --- of lines and ratios ------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Line:
    """The least-squares line through n points, and the covariances of start and slope (NaN: fewer than three points)."""
    n: int
    start: float
    slope: float
    start_variance: float
    covariance: float
    slope_variance: float


def fit(x: Sequence[float], y: Sequence[float]) -> Line:
    n = len(x)
    mean_x, mean_y = average(x), average(y)
    spread = average((a - mean_x) ** 2 for a in x)
    slope = over(average((a - mean_x) * (b - mean_y) for a, b in zip(x, y)), spread)
    off = total((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y)) / (n - 2) if n > 2 else nan
    return Line(n, mean_y - slope * mean_x, slope, off * over(1 + over(mean_x ** 2, spread), n), over(-off * mean_x, n * spread),
                over(off, n * spread))


def slope_interval(line: Line) -> Interval | None:
    """slope +- t(n - 2) times its standard error. Needs three points and two different x."""
    half = t_wide(line.n - 2) * sqrt(line.slope_variance) if line.n > 2 else nan
    return (line.slope - half, line.slope + half) if isfinite(half) else None


def line_reaches(line: Line, level: float) -> Figure:
    """The x at which the line of the means reaches `level`, with the interval of Fieller (1954): where the band of the line holds
    it. Absent with fewer than three points, or where the slope is not surely above 0."""
    t2 = t_wide(line.n - 2) ** 2 if line.n > 2 else nan
    squares = line.slope ** 2 - t2 * line.slope_variance
    if not (line.slope > 0 and squares > 0):
        return Figure()
    rise = level - line.start
    at, middle = rise / line.slope, (line.slope * rise + t2 * line.covariance) / squares
    half = sqrt(max(0.0, middle ** 2 - (rise ** 2 - t2 * line.start_variance) / squares))
    return figures.estimate(at, min(at, middle - half), max(at, middle + half))


def f_quantile(p: float, a: float, b: float) -> float:
    """Of the F distribution with a and b degrees of freedom."""
    x = special.beta_quantile(p, a / 2, b / 2)
    return over(b * x, a * (1 - x))


def line_bends(x: Sequence[float], y: Sequence[float], least_slope: float) -> bool:
    """Whether the points, several for each x, lie on no straight line: the mean of those with one x is off it by more than a tenth
    of the rise from the least x to the largest of its slope, or of `least_slope` if that is more, and by more than their scatter
    explains (F test of lack of fit, 1 %)."""
    if not x:
        return False
    line, groups = fit(x, y), set(x)
    means = {a: total(b for c, b in zip(x, y) if c == a) / sum(c == a for c in x) for a in groups}
    off = [fabs(means[a] - line.start - line.slope * a) for a in x]
    free, within = len(x) - len(groups), total((b - means[a]) ** 2 for a, b in zip(x, y))
    return (len(groups) > 2 and free > 0 and max(off) > BEND * max(fabs(line.slope), least_slope) * (max(x) - min(x))
            and total(v * v for v in off) / (len(groups) - 2) > within / free * f_quantile(0.99, len(groups) - 2, free))


def paired_ratio(ratios: Sequence[float]) -> tuple[Figure, float]:
    """Geometric mean of ratios of paired values, with its interval (t on logarithms), and the p-value of a ratio of 1, NaN below
    PAIRS pairs."""
    logs = [log(r) for r in ratios]
    low, high = t_mean(logs) or NONE
    return figures.estimate(exp(average(logs)), exp(low), exp(high)), nan if len(ratios) < PAIRS else t_test(logs)


def ratio_word(ratio: Figure, p: float) -> str:
    """The verdict on a ratio. too noisy: the upper end of the interval is more than twice the lower one."""
    if not isfinite(p):
        return 'too few runs'
    if ratio.at_least() < 1 < ratio.at_most():
        return NOT_COMPARABLE
    if p < 1 - LEVEL:
        return 'better' if ratio.at_most() < 1 else 'worse'
    return 'too noisy' if ratio.high > 2 * ratio.low else 'no difference shown'


def adjust_holm(p: Sequence[float]) -> list[float]:
    """The finite p-values adjusted by Holm's (1979) step-down method; the others NaN."""
    order = sorted((i for i, v in enumerate(p) if isfinite(v)), key=lambda i: p[i])
    out, largest = [nan] * len(p), 0.0
    for left, i in zip(range(len(order), 0, -1), order):
        largest = out[i] = max(largest, min(1.0, left * p[i]))
    return out


# --- of shares ----------------------------------------------------------------------------------------------------

def share(k: float, n: float) -> Interval | None:
    """Exact, of k of n independent events (Clopper & Pearson 1934), in 0..1; the numbers need not be whole. At 0 and at n it is
    one-sided (the other end is certain): no hits of n give about 3/n, the rule of three."""
    if not n > 0 or not 0 <= k <= n:
        return None
    tail = TAIL if 0 < k < n else 1 - LEVEL
    return (special.beta_quantile(tail, k, n - k + 1) if k > 0 else 0.0,
            special.beta_quantile(1 - tail, k + 1, n - k) if k < n else 1.0)


BITS = bytes.maketrans(b'\0\1', b'10'), bytes.maketrans(b'\0\1', b'01')  # digits of base 2: 1 where the flag is 0, or 1
ROUNDS = 32  # that take less time than a search for the runs


def squared_runs(ones: int) -> tuple[int, int]:
    """Of the runs of 1 in a number of base 2: the sum of their squared lengths, and the longest. A round makes each run one
    shorter; the square of a length is twice the sum of the numbers up to it, less itself."""
    squares, shorter = -ones.bit_count(), 0
    while ones and shorter < ROUNDS:
        squares += 2 * ones.bit_count()
        ones &= ones >> 1
        shorter += 1
    left = list(map(len, re.findall('1+', f'{ones:b}'))) if ones else []
    return squares + sum(n * (n + 1) for n in left), shorter + max(left, default=0)


@dataclass(slots=True)
class ShareRuns:
    """Events that come in runs (late keys in stalls): of each repeat, how many are hits, how many there are, and the events in
    their order, 1 for each hit, 0 for each other."""
    stated: float  # length of a run that is assumed where there is none
    hits: list[float] = field(default_factory=list)
    n: list[float] = field(default_factory=list)
    least: float = 0  # the variance over that of independent events is at least this
    flags: list[bytes | bytearray] = field(default_factory=list)
    found: dict[bool, tuple[float, float]] = field(default_factory=dict)  # what runs() gives, by `of_hits`

    def add_repeat(self, flags: bytes | bytearray) -> None:
        self.n.append(len(flags))
        self.hits.append(flags.count(1))
        self.flags.append(flags)

    def runs(self, of_hits: bool) -> tuple[float, float]:
        """Of the runs of hits, or of misses, within repeats: the sum of their squared lengths, and the longest."""
        if of_hits not in self.found:
            each = [squared_runs(int(flags.translate(BITS[of_hits]) or b'0', 2)) for flags in self.flags]
            self.found[of_hits] = sum(squares for squares, _ in each), max((longest for _, longest in each), default=0)
        return self.found[of_hits]


def run_effect(p: float, n: float, squares: float, stated: float) -> float:
    """How many events of a share p count as one, where they come in runs (docs/method.md, "Late shares"): from 1 to n. squares: of
    the lengths of the runs of the rarer kind; `stated` where there is none."""
    rare = min(p, 1 - p)
    return min(max((1 - rare) * squares / (n * rare) - rare if rare > 0 else stated, 1.0), n)


def runs_effect(s: ShareRuns) -> float:
    """The variance of the share over that of as many independent events: that of runs that begin at random (an alternating renewal
    process; Cox 1962). One more run as long as the longest is among the squares: a few runs tell too little of it. NaN below
    REPEATS repeats."""
    n = total(s.n)
    if len(s.n) < REPEATS or not n > 0:
        return nan
    p = total(s.hits) / n
    squares, longest = s.runs(p <= 0.5)  # of the rarer kind
    return max(s.least, run_effect(p, n, squares + longest ** 2, s.stated))


def apart(s: ShareRuns, effect: float, chance: float) -> float:
    """Where repeats differ by more than this effect allows (chi-squared, with this chance where they are alike): how many times as
    much; otherwise 0."""
    p, freedom = total(s.hits) / total(s.n), len(s.n) - 1
    chi = total((h - m * p) ** 2 / (m * p * (1 - p) * effect) for h, m in zip(s.hits, s.n) if m > 0) if 0 < p < 1 else 0.0
    limit = special.chi_squared_quantile(freedom, 1 - chance) if chance > 0 else inf
    return chi / freedom if chi > limit else 0.0


def share_effect(s: ShareRuns, chance: float) -> tuple[float, float]:
    """runs_effect(); where repeats are apart(), the variance between them, widened by Student's t for their number. And that."""
    effect = runs_effect(s)
    times = apart(s, effect, chance) if isfinite(effect) else 0.0
    wide = t_wide(len(s.n) - 1) / special.normal_quantile(1 - TAIL) if times else 1.0
    return effect * times * wide ** 2 if times else effect, times


def log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def mean_weights(repeats: Sequence[tuple[float, float]], angles: Sequence[float]) -> list[float]:
    """How likely each mean sin^2(angle) of the shares of repeats is, by (hits, others) of each: a beta law of shares, over all
    correlations of two events of one repeat."""
    logs = []
    for rho in CORRELATIONS:
        size = (1 - rho) / rho
        for angle in angles:
            a = sin(angle) ** 2 * size
            b = size - a
            likely = total(log_beta(a + k, b + m) for k, m in repeats) - len(repeats) * log_beta(a, b)
            logs.append(likely + RARELY * log(1 - rho))
    top = max(logs)
    weights = [exp(v - top) for v in logs]
    return [total(weights[i::len(angles)]) for i in range(len(angles))]


def middles(low: float, high: float) -> list[float]:
    return [low + (high - low) * (i + 0.5) / NODES for i in range(NODES)]


def beta_binomial(repeats: Sequence[tuple[float, float]]) -> Interval:
    """Of the mean of shares that differ between repeats: 95 % of the posterior of a beta-binomial law, in which the mean and the
    correlation within repeats have beta laws (Lee & Sabavala 1987, Journal of Business & Economic Statistics 5:357): of the mean
    Jeffreys' Beta(1/2, 1/2), of the correlation Beta(1/4, 4), which is mostly near 0."""
    low, high = 0.0, pi / 2
    for _ in range(3):  # nearer and nearer
        angles = middles(low, high)
        weights = mean_weights(repeats, angles)
        there = [i for i, w in enumerate(weights) if w > 1e-6 * max(weights)]
        half = (high - low) / NODES / 2
        low, high = max(0.0, angles[there[0]] - 3 * half), min(pi / 2, angles[there[-1]] + 3 * half)
    sums, all_ = list(accumulate(weights)), total(weights)

    def at(chance: float) -> float:
        i = bisect_left(sums, chance * all_)
        return float(sin(angles[i] + half - 2 * half * over(sums[i] - chance * all_, weights[i])) ** 2)
    return at(TAIL), at(1 - TAIL)


def independent_share(s: ShareRuns) -> tuple[Interval | None, bool]:
    """Of the share of hits: the exact interval of as many independent events as make the same variance (Korn & Graubard 1998); and
    whether repeats differ by more than stalls explain (with a chance of 20 % where they do not)."""
    effect, times = share_effect(s, SHARE_APART)
    return share(total(s.hits) / effect, total(s.n) / effect) if isfinite(effect) else None, times > 0


def clustered_share(s: ShareRuns) -> tuple[Interval | None, bool]:
    """Of events of which some hit, and some do not: as independent_share(), with shares of repeats that differ. By the number of
    independent events alone, intervals of repeats that differ hold 50 to 85 %."""
    effect = runs_effect(s)
    if not isfinite(effect) or not 0 < total(s.hits) < total(s.n):
        return independent_share(s)
    return beta_binomial([(k / effect, (m - k) / effect) for k, m in zip(s.hits, s.n)]), apart(s, effect, SHARE_APART) > 0


def share_excludes(s: ShareRuns, chance: float, value: float, low: bool) -> bool:
    """Is the share above what its interval allows? Or (low) below? With 2.5 % on each side."""
    effect, _ = share_effect(s, chance)
    if not isfinite(effect):
        return False
    hits, n = total(s.hits), total(s.n)
    k = hits / effect
    if low:
        return k > 0 and special.beta_share(value, k, n / effect - k + 1) < TAIL
    return hits < n and special.beta_share(1 - value, n / effect - k, k + 1) < TAIL


def poisson_high(events: float) -> float:
    """Upper 95 % bound (one-sided; Garwood 1936) of a Poisson rate after `events` events in a window of length 1: none give 3.0."""
    return special.chi_squared_quantile(2 * (events + 1), LEVEL) / 2
