# SPDX-License-Identifier: GPL-3.0-or-later
"""Is B better than A, worse, or not different by a size that matters? With a stated rate of false alarms, however often one
looks. Pure.

A value is the difference of B and A in one start of both (the mean of its pairs of blocks). The order of the variants alternates:
starts 2k - 1 and 2k are of opposite order, so that what only the order makes cancels in their mean.

Against a given mean one bets on the side on which the next value lies. The stake depends on the distance of the value, and on the
scatter of those before. Where each value is as likely on the one side of the mean as at the same distance on the other, given
those before, no bet is worth anything, whatever the shape of the law: with the bet h(x) odd and below 1, the product of 1 + h(x)
is a martingale (de la Pena 1999; Ramdas et al. 2020, "Admissible anytime-valid sequential inference must rely on nonnegative
martingales", section 5). So it ever exceeds 1 / alpha with a probability of at most alpha (Ville 1939), and the means against
which it is below are an interval that holds at all looks together. The stake is tanh(m x / s^2), the best one for normal values
with a mean of m and a standard deviation of s: m is half of the effect, the least that is told, or s where that is less. Where
the scatter is large stakes are small, as rare large values to the other side may still come.

Three quarters of the money is bet on starts, a quarter on pairs of starts, in which an effect of the order cancels. With such an
effect starts lie on both sides in turns; then the part of starts is no martingale, but by simulation it loses
(docs/ab-error-rates.md). The shares, and where skew counts, were chosen by simulation of the laws in bench/ab_rates.py.

A value of which only a range is known counts by the end that is worst for the bet. At the same stakes, the money is then no more
than with the true value, whose place in the range is free, so that what holds of it still holds.

Two runs that were not measured in turns have no starts in common: each has its repeats. Then it is Welch's (1947) t test, for one
look.
"""
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, fabs, inf, log, log1p, nan, sqrt, tanh
from typing import NamedTuple

from analysis import numbers, special

REPEATS_LEAST = 3  # of each of two runs: no verdict with fewer
OPEN, LOWER, HIGHER, SAME = range(4)  # decisions
VALUES_MOST = 10000
STAKE_MOST = 0.95  # largest stake, as a share of the money: one wrong value does not lose all
PAIRS_SHARE = 0.25  # share of the money that is bet on pairs of starts
SCATTER_GUESS = 0.3  # in effects, with the weight of one value: before there are any
LOG_STARTS, LOG_PAIRS = log(1 - PAIRS_SHARE), log(PAIRS_SHARE)
SIDES = (-1, 1)


@dataclass(slots=True)
class Moments:
    """Mean, and sum of squared deviations from it."""
    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        off = value - self.mean
        self.n += 1
        self.mean += off / self.n
        self.squares += off * (value - self.mean)

    def sd(self) -> float:
        """0 below two values."""
        return sqrt(self.squares / (self.n - 1)) if self.n > 1 else 0.0


@dataclass(slots=True)
class Bets:
    """The values that one player bets on, each by its end that is worst for the side (1: above a mean; -1: below it), with what the
    stake is made from: the least of scatter and half of the effect, and the scatter's square."""
    side: int
    effect: float
    seen: list[tuple[float, float, float]] = field(default_factory=list)
    before: Moments = field(default_factory=Moments)
    kept: dict[float, tuple[int, float]] = field(default_factory=dict)  # by mean: how many values, and their sum

    def add(self, middle: float, half: float) -> None:
        value, n, guess = middle - self.side * half, self.before.n, SCATTER_GUESS * self.effect
        s = sqrt((self.before.squares + guess * guess) / max(n, 1))
        self.seen.append((value, min(s, self.effect / 2), s * s))
        self.before.add(value)

    def log_money(self, mean: float, keep: bool) -> float:
        """Natural logarithm of the money, of 1 at first. keep: it is asked for again when there are more values."""
        done, total = self.kept.get(mean, (0, 0.0))
        total = bet(self.seen[done:] if done else self.seen, mean, self.side, total)
        if keep:
            self.kept[mean] = len(self.seen), total
        return total


def bet(seen: Sequence[tuple[float, float, float]], mean: float, side: int, total: float = 0.0) -> float:
    for value, m, square in seen:
        total += log1p(STAKE_MOST * tanh(side * (value - mean) * m / square))
    return total


def mix_money(starts: float, pairs: float) -> float:
    """Natural logarithm of the money of both games."""
    starts, pairs = LOG_STARTS + starts, LOG_PAIRS + pairs
    return max(starts, pairs) + log1p(exp(-fabs(starts - pairs)))


def make_bets(effect: float) -> dict[int, Bets]:
    return {side: Bets(side, effect) for side in SIDES}


@dataclass(slots=True)
class Figure:
    """The differences of one metric, and what is decided of them. Of two runs (freedom > 0): the difference of their means.

    effect: smallest difference of interest, > 0; weight: its share of alpha is this of the sum of all."""
    effect: float
    weight: float = 1.0
    moments: Moments = field(default_factory=Moments)
    values: list[float] = field(default_factory=list)  # of a range the middle
    halves: list[float] = field(default_factory=list)  # half the width
    wide: float = 0.0  # mean of half the widths
    last: int = 0  # number of the last start
    n: int = 0
    mean: float = 0.0
    starts: dict[int, Bets] = field(default_factory=dict)
    pairs: dict[int, Bets] = field(default_factory=dict)  # two starts of opposite order
    error: float = 0.0  # of two runs: standard error of the mean (0: nothing is known of it)
    freedom: float = 0.0  # and degrees of freedom
    # by decide()
    word: int = OPEN
    p: float = 0.0  # valid at any look; not adjusted for several figures
    level: float = 0.0  # of the interval: that of the figure's step of Holm's method
    each: float = 0.0  # alpha of one of the figures
    not_less: bool = False  # lower by the effect is excluded
    not_more: bool = False

    def add(self, start: int, low: float, high: float | None = None) -> None:
        """The difference of start number `start`, in ascending order; or the ends of a range."""
        half = 0.0 if high is None else (high - low) / 2
        middle = low + half
        if not self.starts:
            self.starts, self.pairs = make_bets(self.effect), make_bets(self.effect)
        if self.n and start % 2 == 0 and self.last == start - 1:
            for bets in self.pairs.values():
                bets.add((self.values[-1] + middle) / 2, (self.halves[-1] + half) / 2)
        for bets in self.starts.values():
            bets.add(middle, half)
        self.last = start
        self.values.append(middle)
        self.halves.append(half)
        self.moments.add(middle)
        self.n, self.mean = self.moments.n, self.moments.mean
        self.wide += (half - self.wide) / self.n

    def sd(self) -> float:
        return self.moments.sd()


def set_runs(f: Figure, a: Moments, b: Moments) -> None:
    """The values of two runs. Both need two."""
    parts = [m.sd() * m.sd() / m.n for m in (a, b)]
    total = sum(parts)
    f.n, f.mean, f.error = min(a.n, b.n), b.mean - a.mean, sqrt(total)
    squares = parts[0] * parts[0] / (a.n - 1) + parts[1] * parts[1] / (b.n - 1)
    f.freedom = numbers.over(total * total, squares) if total > 0 else a.n + b.n - 2


def log_money(f: Figure, mean: float, side: int) -> float:
    """Natural logarithm of the money, of 1 at first, of who bets that starts are above `mean` (side 1), or below (-1)."""
    keep = mean in (0, f.effect, -f.effect)
    return mix_money(*(bets[side].log_money(mean, keep) if bets else 0.0 for bets in (f.starts, f.pairs)))


def one_sided_p(f: Figure, mean: float, side: int) -> float:
    """p-value against `mean`: what is seen lies above it (side 1), or below (-1)."""
    if f.freedom > 0:  # no spread on both sides: nothing is known of it
        return special.t_upper(f.freedom, side * (f.mean - mean) / f.error) if f.n >= REPEATS_LEAST and f.error > 0 else 1.0
    return min(1.0, numbers.exp(-log_money(f, mean, side)))


def value_p(f: Figure) -> float:
    return min(1.0, 2 * min(one_sided_p(f, 0, 1), one_sided_p(f, 0, -1)))


def skewed_zero(values: Sequence[float], moments: Moments, effect: float) -> float | None:
    """Could the skew of starts that scatter by more than 0.7 effects make the difference? Where rare large values to one side are
    made up for by many small ones to the other, the mean of a few is mostly on that other side. So 0 is moved there by Johnson's
    (1978) correction of t. None: they scatter less."""
    n, mean, variance = moments.n, moments.mean, moments.sd() * moments.sd()
    if variance < effect * effect / 2:
        return None
    side = -1 if mean < 0 else 1
    cubes = sum((v - mean) * (v - mean) * (v - mean) / n for v in values)
    return side * max(0.0, -side * cubes) * (1 / (6 * variance * n) + mean * mean / (3 * variance * variance))


def is_skew_enough(f: Figure, level: float) -> bool:
    """To make the difference."""
    zero = None if f.freedom > 0 else skewed_zero(f.values, f.moments, f.effect)
    return zero is not None and one_sided_p(f, zero, -1 if f.mean < 0 else 1) > level / 2


def choose_word(f: Figure, told: bool, each: float, level: float) -> None:
    f.each, f.level = each, level
    f.not_less = f.mean > -f.effect and one_sided_p(f, -f.effect, 1) <= each / 2
    f.not_more = f.mean < f.effect and one_sided_p(f, f.effect, -1) <= each / 2
    f.word = OPEN
    if f.not_less and f.not_more:
        f.word = SAME
    elif told and fabs(f.mean) - f.wide >= f.effect / 2 and not is_skew_enough(f, level):
        f.word = LOWER if f.mean < 0 else HIGHER


def decide(figures: Sequence[Figure], alpha: float) -> None:
    """Decides the figures together. Differences are told from 0 by Holm's (1979) weighted step-down method, so that one or more
    of them is told wrongly with a probability of at most alpha at any look; the same holds for "same", by Bonferroni. A figure is
    SAME if its interval is within -effect .. effect, however surely it is not 0; LOWER or HIGHER if it is told from 0 (moved by
    the skew, where starts scatter by more than 0.7 effects), and its mean, at the near ends of ranges, is at least effect / 2;
    otherwise OPEN. So each is decided when its interval is no wider than the effect."""
    for f in figures:
        f.p = value_p(f)
    total = left = float(sum(f.weight for f in figures))
    waiting = list(figures)
    while waiting:
        best = min(waiting, key=lambda f: f.p / f.weight)
        if best.p > alpha * best.weight / left:
            break
        waiting = [f for f in waiting if f is not best]
        choose_word(best, True, alpha * best.weight / total, alpha * best.weight / left)
        left -= best.weight
    for f in waiting:
        choose_word(f, False, alpha * f.weight / total, alpha * f.weight / left)


def reach(f: Figure, side: int) -> float:
    """The end of the interval of the mean at f.level, as a distance from it; infinite: no end is known yet."""
    near, far = 0.0, f.effect
    while one_sided_p(f, f.mean + side * far, -side) > f.level / 2:
        near, far = far, 2 * far
        if far > 1e9 * f.effect:
            return inf
    for _ in range(50):
        middle = (near + far) / 2
        if one_sided_p(f, f.mean + side * middle, -side) > f.level / 2:
            near = middle
        else:
            far = middle
    return far


# --- how many more ------------------------------------------------------------------------------------------------

class Play(NamedTuple):
    """A player's bets on all values, and the logarithms of the money after 0, 1, 2 ... of them: who bets against 0, and against the
    effect on the other side."""
    seen: list[tuple[float, float, float]]
    against: dict[float, list[float]]


def play(side: int, effect: float, middles: Sequence[float], halves: Sequence[float]) -> Play:
    """The same as Bets.add() and log_money() for each value, in one loop: thousands are foreseen."""
    seen, zero, edge = [], [0.0], [0.0]
    at, guess, edge_mean = 0.0, SCATTER_GUESS * effect * (SCATTER_GUESS * effect), -side * effect
    squares = money = money_edge = 0.0
    for n, (middle, half) in enumerate(zip(middles, halves)):
        value = middle - side * half
        s = sqrt((squares + guess) / (n if n > 1 else 1))
        m, square = s if s < effect / 2 else effect / 2, s * s
        seen.append((value, m, square))
        money += log1p(STAKE_MOST * tanh(side * value * m / square))
        money_edge += log1p(STAKE_MOST * tanh(side * (value - edge_mean) * m / square))
        zero.append(money)
        edge.append(money_edge)
        off = value - at
        at += off / (n + 1)
        squares += off * (value - at)
    return Play(seen, {0.0: zero, edge_mean: edge})


class Future(NamedTuple):
    """A figure with values to come."""
    figure: Figure
    middles: list[float]
    halves: list[float]
    starts: dict[int, Play]
    pairs: dict[int, Play]


def foresee(f: Figure, mean: float, sd: float, n: int) -> Future:
    """n values, if those to come are of this mean and sd. They are on both sides two by two, so that the means of pairs scatter,
    too."""
    low, high = mean - sd, mean + sd
    middles = f.values + [high if i & 2 else low for i in range(f.n, n)]
    halves = f.halves + [f.wide] * (n - f.n)
    pairs = [[(a + b) / 2 for a, b in zip(of[::2], of[1::2])] for of in (middles, halves)]
    return Future(f, middles, halves, {side: play(side, f.effect, middles, halves) for side in SIDES},
                  {side: play(side, f.effect, *pairs) for side in SIDES})


def foreseen_p(of: Future, n: int, mean: float, side: int) -> float:
    """one_sided_p() after n values."""
    starts, pairs = of.starts[side], of.pairs[side]
    if mean in starts.against:
        money = mix_money(starts.against[mean][n], pairs.against[mean][n // 2])
    else:
        money = mix_money(bet(starts.seen[:n], mean, side), bet(pairs.seen[:n // 2], mean, side))
    return min(1.0, numbers.exp(-money))


def is_decided(of: Future, n: int, each: float) -> bool:
    """choose_word() after n values."""
    effect, moments, wide = of.figure.effect, Moments(), 0.0
    for i, middle in enumerate(of.middles[:n]):
        moments.add(middle)
        wide += (of.halves[i] - wide) / (i + 1)
    mean, side = moments.mean, -1 if moments.mean < 0 else 1
    if (-effect < mean < effect and foreseen_p(of, n, -effect, 1) <= each / 2 and foreseen_p(of, n, effect, -1) <= each / 2):
        return True
    if not fabs(mean) - wide >= effect / 2 or 2 * min(foreseen_p(of, n, 0.0, 1), foreseen_p(of, n, 0.0, -1)) > each:
        return False
    zero = skewed_zero(of.middles[:n], moments, effect)
    return zero is None or foreseen_p(of, n, zero, side) <= each / 2


def is_decided_of_runs(f: Figure, n: int, each: float) -> bool:
    times = n / f.n
    ahead = Figure(f.effect, n=n, mean=f.mean, error=f.error / sqrt(times), freedom=f.freedom * times)
    choose_word(ahead, value_p(ahead) <= each, each, each)
    return ahead.word != OPEN


def count_needed(f: Figure, mean: float, sd: float, each: float) -> int | None:
    future = foresee(f, mean, sd, f.n)

    def decided(n: int) -> bool:
        nonlocal future
        if f.freedom > 0:
            return is_decided_of_runs(f, n, each)
        if len(future.middles) < n:
            future = foresee(f, mean, sd, n)
        return is_decided(future, n, each)

    few, n = f.n, f.n + 1
    while n <= VALUES_MOST and not decided(n):
        few = n
        n += n - f.n
    if n > VALUES_MOST:
        return None
    while n - few > 1:
        middle = few + (n - few) // 2
        if decided(middle):
            n = middle
        else:
            few = middle
    return n


def more_needed(f: Figure) -> int | None:
    """Further starts, or repeats of each run, until an open figure is decided, if mean and sd stay. None: over 10,000."""
    n = count_needed(f, f.mean, f.sd(), f.each)
    return None if n is None else n - f.n


def starts_needed(difference: float, sd: float, effect: float, alpha: float) -> int | None:
    """Starts by which a difference is decided that scatters by `sd`. None: over 10,000."""
    return count_needed(Figure(effect), difference, sd, alpha)


def scatter_most(starts: int, effect: float, alpha: float) -> float:
    """The largest scatter at which so many starts decide a difference of the effect; NaN: they decide nothing."""
    low, high = 1e-3 * effect, 100 * effect
    if (starts_needed(effect, low, effect, alpha) or inf) > starts:
        return nan
    for _ in range(12):
        middle = sqrt(low * high)
        if (starts_needed(effect, middle, effect, alpha) or inf) > starts:
            high = middle
        else:
            low = middle
    return low
