# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures: one number of a measurement, as exactly as the data give it. Pure."""
from dataclasses import dataclass, replace
from math import fabs, floor, inf, isnan, nan, sqrt
from typing import NamedTuple

SAME = 0.01  # ends that differ by no more than this share are one number to a reader


class Statistic(NamedTuple):
    """A number, or (`above`) a lower bound of it because of censored values; NaN: not known."""
    value: float
    above: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """Exactly one of: exact (value = start = end); a range (value NaN, start < end); censored (`above`: only a lower bound is
    known, end infinite, and value NaN where the bound is itself a range's early end); absent (all NaN, with `why` or without).
    low and high are the ends of its 95 % confidence interval, NaN where there is none."""
    value: float = nan
    start: float = nan
    end: float = nan
    low: float = nan
    high: float = nan
    above: bool = False
    repeats: int = 0  # numbers that it is made of; 0: not known
    why: str | None = None
    both: tuple[float, float] = (nan, nan)  # of two repeats, which have no interval, the two numbers

    def is_known(self) -> bool:
        return not isnan(self.start)

    def is_range(self) -> bool:
        """Also a range without a known late end."""
        return self.is_known() and isnan(self.value)


    def at_least(self) -> float:
        """The least that it can be; NaN: absent."""
        return self.start

    def at_most(self) -> float:
        return inf if self.above else self.end


def exact(value: float) -> Figure:
    return Figure(value, value, value)


def absent(why: str | None = None) -> Figure:
    return Figure(why=why)


def estimate(value: float, low: float, high: float) -> Figure:
    """An exact figure, and the ends of its interval (NaN: none)."""
    return Figure(value, value, value, low, high)


def bounded(statistic: Statistic) -> Figure:
    """Exact, or censored where the statistic is a lower bound."""
    return between(statistic, statistic)


def between(early: Statistic, late: Statistic, resolution: float = 0) -> Figure:
    """The figure whose true value lies between two statistics of the same data: by the earliest, and by the latest possible times.
    Ends that differ by at most 1 % or `resolution` give an exact figure, the late end."""
    if isnan(early.value) or isnan(late.value):
        return Figure()
    same = late.value - early.value <= max(SAME * fabs(late.value), resolution)
    return Figure(late.value if same else nan, late.value if same else early.value, inf if late.above else late.value,
                  above=late.above, why=None if same else 'range')


def joined(early: Figure, late: Figure) -> Figure:
    """The range of two figures with intervals: `low` is that of the early one, `high` that of the late one."""
    f = between(Statistic(early.value, early.above), Statistic(late.value, late.above))
    return replace(f, low=early.low, high=late.high, repeats=early.repeats, why=f.why if f.is_known() else early.why,
                   both=late.both if not isnan(f.value) and not f.above else f.both)


def between_ends(one: float, other: float) -> Figure:
    """A figure that is exact only where its ends are equal."""
    return exact(one) if not one != other or isnan(one) or isnan(other) else Figure(nan, min(one, other), max(one, other))


class Sample(NamedTuple):
    """Values in a unit of the caller, in ascending order; a censored one stands with its lower bound, the least in `censored`."""
    values: list[int]
    censored: float = inf


def quantile(sample: Sample, p: float) -> Statistic:
    """Linear interpolation between order statistics at (n - 1) p (Hyndman & Fan 1996, type 7: what R, NumPy and GSL print). Among
    censored values the order statistic of the bounds is a lower bound of the true one."""
    values = sample.values
    if not values:
        return Statistic(nan)
    at = (len(values) - 1) * p
    low = floor(at)
    value = float(values[low])
    if low + 1 < len(values):
        value += (at - low) * (float(values[low + 1]) - float(values[low]))
    upper = low + 1 if at > low and low + 1 < len(values) else low  # the upper neighbour counts too, if interpolation uses it
    return Statistic(value, values[upper] >= sample.censored)


def maximum(sample: Sample) -> Statistic:
    return Statistic(quantile(sample, 1).value, sample.censored < inf)


def mean(sample: Sample) -> Statistic:
    result = 0.0
    for n, value in enumerate(sample.values, 1):  # a running mean avoids a loss of digits
        result += (float(value) - result) / n
    return Statistic(result if sample.values else nan, sample.censored < inf)


def minimum(sample: Sample) -> Statistic:
    return quantile(sample, 0)


def deviation(sample: Sample) -> Statistic:
    """Standard deviation (n - 1). NaN below two values, and with censored ones: the true spread may be less or more."""
    if len(sample.values) < 2 or sample.censored < inf:
        return Statistic(nan)
    middle, squares = mean(sample).value, 0.0
    for value in sample.values:
        squares += (value - middle) ** 2
    return Statistic(sqrt(squares / (len(sample.values) - 1)))


def supports(n: int, p: float) -> bool:
    """Whether n values are enough for quantile p: ten beyond a tail quantile, any for p up to 0.75."""
    return n > 0 if p <= 0.75 else n * (1 - p) >= 10 - 1e-9
