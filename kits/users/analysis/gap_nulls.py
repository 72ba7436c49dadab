# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of gaps (times between arrivals), in any unit, and how they vary for a Poisson process. Pure.

Null distributions are simulated, since textbook formulas hold only for very many arrivals. Coefficient of variation and lag-1
correlation of n exponential gaps, times sqrt(n): from DRAWS sets of up to GAPS gaps; for larger n, their distance from the normal
distribution shrinks with sqrt(n) (Edgeworth's expansion). Kolmogorov-Smirnov distance from the exponential distribution with the
sample's own mean (Lilliefors 1969), in the modification of Stephens (1974), which hardly depends on n: from sets of up to KS_GAPS
gaps. The seed is always the same, so the same data give the same verdict."""
from bisect import bisect_left
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, islice
from math import dist, expm1, log, nan, sqrt
from operator import add, truediv
from typing import NamedTuple

from analysis.special import normal_quantile
from analysis.splitmix import DIGITS, numbers

DRAWS = 5000
GAPS = 2000
KS_GAPS = 200
SEED = 20050718


class Spread(NamedTuple):
    mean: float
    sd: float  # of a sample (n - 1); NaN of one gap
    cov: float  # coefficient of variation, sd / mean; NaN if all gaps are 0
    lag1: float  # correlation of each gap with the next; 0 if all gaps are equal


def spread_of(gaps: Sequence[float]) -> Spread:
    n = len(gaps)
    mean = reduce(add, gaps, 0.0) / n
    off = [gap - mean for gap in gaps]
    squares = reduce(add, (d * d for d in off), 0.0)
    products = reduce(add, (a * b for a, b in zip(off, islice(off, 1, None))), 0.0)
    sd = sqrt(squares / (n - 1)) if n > 1 else nan
    return Spread(mean, sd, sd / mean if mean > 0 else nan, products / squares if squares > 0 else 0.0)


def distance(gaps: Sequence[float], mean: float) -> float:
    """Kolmogorov-Smirnov distance of ascending gaps: the largest one between the share of gaps up to t and 1 - exp(-t / mean)."""
    n = len(gaps)
    shares = [-expm1(-gap / mean) for gap in gaps]
    return max(max((i / n - p for i, p in enumerate(shares, 1)), default=0.0), max((p - i / n for i, p in enumerate(shares)),
                                                                                   default=0.0))


def scale_distance(ks: float, n: int) -> float:
    """Stephens' modification for the exponential distribution with an estimated mean."""
    return (ks - 0.2 / n) * (sqrt(n) + 0.26 + 0.5 / sqrt(n))


def rescale(values: list[float], sets_of: int, n: int) -> list[float]:
    """Simulated values from sets of so many gaps, in ascending order, as they were of sets of n gaps."""
    values, part = sorted(values), sqrt(sets_of / n)
    if sets_of >= n:
        return values
    normal = [normal_quantile((i + 0.5) / DRAWS) for i in range(DRAWS)]
    return [z + (value - z) * part for value, z in zip(values, normal)]


class Nulls(NamedTuple):
    """Ascending; cov - 1 and lag1 are multiplied by sqrt(n). p-values are never below 1 / DRAWS."""
    n: int
    cov: list[float]
    lag1: list[float]
    ks: list[float]

    def cov_p(self, cov: float) -> float:
        return two_sided_p(self.cov, (cov - 1) * sqrt(self.n))

    def lag1_p(self, lag1: float) -> float:
        return two_sided_p(self.lag1, lag1 * sqrt(self.n))

    def ks_p(self, ks: float) -> float:
        return upper_p(self.ks, scale_distance(ks, self.n))


def upper_p(values: list[float], value: float) -> float:
    return (DRAWS - bisect_left(values, value) + 1) / (DRAWS + 1)


def two_sided_p(values: list[float], value: float) -> float:
    return min(1.0, 2 * min(upper_p(values, value), (bisect_left(values, value) + 1) / (DRAWS + 1)))


def simulate(n: int) -> Nulls:
    """For n >= 2 gaps. A gap is -log(u), where u is uniform; means and distances are of log(u 2^53), which differs by a constant
    and its sign: sums of squares and products are those of the gaps."""
    some, of_ks, top = min(n, GAPS), min(n, KS_GAPS), DIGITS * log(2)
    lefts = range(of_ks, 0, -1)
    draws, whole = numbers(SEED), 2 ** DIGITS
    cov, lag1, ks = [], [], []
    for _ in range(DRAWS):
        logs = [log(whole - k) for k in islice(draws, some)]
        mean = sum(logs) / some
        squares = dist(logs, [mean] * some) ** 2
        ends = squares - ((logs[0] - mean) ** 2 + (logs[-1] - mean) ** 2) / 2
        cov.append((sqrt(squares / (some - 1)) / (top - mean) - 1) * sqrt(some))
        lag1.append((ends - dist(logs[1:], logs[:-1]) ** 2 / 2) / squares * sqrt(some))
        gaps = [top - v for v in logs[:of_ks]]
        # ascending gaps differ by exponential ones of these means, and have the same sum (Renyi 1953)
        ks.append(scale_distance(distance(list(accumulate(map(truediv, gaps, lefts))), sum(gaps) / of_ks), of_ks))
    return Nulls(n, rescale(cov, some, n), rescale(lag1, some, n), sorted(ks))
