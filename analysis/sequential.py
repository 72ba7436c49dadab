# SPDX-License-Identifier: GPL-3.0-or-later
"""Is B better than A, worse, or not different by a size that matters? With a stated rate of false alarms, however often one looks. Pure.

A value is the difference of B and A in one start of both (the mean of its pairs of blocks). The order of the variants alternates:
starts 2k - 1 and 2k are of opposite order, so that what only the order makes cancels in their mean.

Against a given mean one bets on the side on which the next value lies. The stake depends on the distance of the value, and on the
scatter of those before. Where each value is as likely on the one side of the mean as at the same distance on the other, given those
before, no bet is worth anything, whatever the shape of the law: with the bet h(x) odd and below 1, the product of 1 + h(x) is a
martingale (de la Pena 1999; Ramdas et al. 2020, "Admissible anytime-valid sequential inference must rely on nonnegative
martingales", section 5). So it ever exceeds 1 / alpha with a probability of at most alpha (Ville 1939), and the means against which
it is below are an interval that holds at all looks together. The stake is tanh(m x / s^2), the best one for normal values with a
mean of m and a standard deviation of s: m is half of the effect, the least that is told, or s where that is less. Where the scatter
is large stakes are small, as rare large values to the other side may still come.

Three quarters of the money is bet on starts, a quarter on pairs of starts, in which an effect of the order cancels. With such an
effect starts lie on both sides in turns; then the part of starts is no martingale, but by simulation it loses
(docs/ab-error-rates.md). The shares, and where skew counts, were chosen by simulation of the laws in bench/ab_rates.

A value of which only a range is known counts by the end that is worst for the bet. At the same stakes, the money is then no more
than with the true value, whose place in the range is free, so that what holds of it still holds.

Two runs that were not measured in turns have no starts in common: each has its repeats. Then it is Welch's (1947) t test, for one
look."""
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import fabs, inf, log, log1p, nan, sqrt, tanh

from analysis.ieee import exponential, quotient
from analysis.special import t_upper

REPEATS_LEAST = 3  # of each of two runs: no verdict with fewer
VALUES_MOST = 10000
STAKE_MOST = 0.95  # largest stake, as a share of the money: one wrong value does not lose all
PAIRS_SHARE = 0.25  # share of the money that is bet on pairs of starts
SCATTER_GUESS = 0.3  # in effects, with the weight of one value: before there are any

OPEN, LOWER, HIGHER, SAME = 'open', 'lower', 'higher', 'same'


@dataclass(slots=True)
class Moments:
    """Number, mean and sum of squared deviations of values, one added after the other (Welford 1962)."""
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
class Difference:
    """What is known of one difference. effect: the smallest of interest; weight: its share of alpha is this of the sum of all.
    freedom above 0: of two runs, where error is the standard error of the mean."""
    effect: float
    weight: float = 1.0
    all: Moments = field(default_factory=Moments)
    values: list[float] = field(default_factory=list)  # of starts; of a range the middle
    halves: list[float] = field(default_factory=list)  # half the width of a range
    pairs: list[float] = field(default_factory=list)  # means of two starts of opposite order
    pair_halves: list[float] = field(default_factory=list)
    wide: float = 0.0  # mean of half the widths
    last: int = 0  # number of the last start
    error: float = 0.0
    freedom: float = 0.0
    runs: int = 0  # repeats of the run with fewer

    def count(self) -> int:
        return self.runs if self.freedom > 0 else self.all.n

    def add(self, start: int, low: float, high: float) -> None:
        """The difference of this start is between these; starts in ascending order."""
        half = (high - low) / 2
        middle = low + half
        if self.values and start % 2 == 0 and self.last == start - 1:
            self.pair_halves.append((self.halves[-1] + half) / 2)
            self.pairs.append((self.values[-1] + middle) / 2)
        self.last = start
        self.wide += (half - self.wide) / (self.all.n + 1)
        self.values.append(middle)
        self.halves.append(half)
        self.all.add(middle)


def of_runs(effect: float, a: Moments, b: Moments) -> Difference:
    """The difference of two runs, each of two repeats at least."""
    part = [m.sd() * m.sd() / m.n for m in (a, b)]
    total = sum(part)
    freedom = total * total / (part[0] * part[0] / (a.n - 1) + part[1] * part[1] / (b.n - 1)) if total > 0 else a.n + b.n - 2.0
    n = min(a.n, b.n)
    return Difference(effect, all=Moments(n, b.mean - a.mean), error=sqrt(total), freedom=freedom, runs=n)


def bet(middles: Sequence[float], halves: Sequence[float], mean: float, side: int, effect: float) -> float:
    """Logarithm of the money, 1 at first, of a player who bets that each value is above `mean` (side 1) or below it (-1). Of a range
    the end counts that is worst for the player."""
    before, total, guess = Moments(), 0.0, SCATTER_GUESS * effect
    for i, (middle, half) in enumerate(zip(middles, halves)):
        s = sqrt((before.squares + guess * guess) / (i if i > 1 else 1))
        value = middle - side * half
        total += log1p(STAKE_MOST * tanh(side * (value - mean) * min(s, effect / 2) / (s * s)))
        before.add(value)
    return total


def log_money(d: Difference, mean: float, side: int) -> float:
    """The same of starts and pairs of starts together."""
    starts = log(1 - PAIRS_SHARE) + bet(d.values, d.halves, mean, side, d.effect)
    pairs = log(PAIRS_SHARE) + bet(d.pairs, d.pair_halves, mean, side, d.effect)
    return max(starts, pairs) + log1p(exponential(-fabs(starts - pairs)))


def one_sided_p(d: Difference, mean: float, side: int) -> float:
    """Against `mean`: what is seen lies above it (side 1), or below (-1)."""
    if d.freedom > 0:  # no spread on both sides: nothing is known of it
        return t_upper(d.freedom, side * (d.all.mean - mean) / d.error) if d.count() >= REPEATS_LEAST and d.error > 0 else 1.0
    return min(1.0, exponential(-log_money(d, mean, side)))


def value_p(d: Difference) -> float:
    return min(1.0, 2 * min(one_sided_p(d, 0, 1), one_sided_p(d, 0, -1)))


def is_skew_enough(d: Difference, level: float) -> bool:
    """Could the skew of starts that scatter by more than 0.7 effects make the difference? Where rare large values to one side are
    made up for by many small ones to the other, the mean of a few is mostly on that other side. So 0 is moved there by Johnson's
    (1978) correction of t."""
    sd, mean, n = d.all.sd(), d.all.mean, d.all.n
    variance = sd * sd
    side = -1 if mean < 0 else 1
    if d.freedom > 0 or variance < d.effect * d.effect / 2:
        return False
    cubes = 0.0
    for value in d.values:
        cubes += (value - mean) ** 3 / n
    moved = max(0.0, -side * cubes) * (1 / (6 * variance * n) + mean * mean / (3 * variance * variance))
    return one_sided_p(d, side * moved, side) > level / 2


@dataclass(frozen=True, slots=True)
class Decision:
    """word: SAME if the interval is within -effect .. effect, however surely it is not 0; LOWER or HIGHER if it is told from 0 (moved
    by the skew, where starts scatter by more than 0.7 effects), and the mean, at the near ends of ranges, is at least effect / 2;
    else OPEN. So each is decided when its interval is no wider than the effect. not_less, not_more: lower, or higher, by the
    effect is excluded. level: of this figure's step of Holm's method; each: alpha of one of the figures."""
    word: str = OPEN
    p: float = nan
    level: float = nan
    each: float = nan
    not_less: bool = False
    not_more: bool = False


def choose_word(d: Difference, p: float, told: bool, each: float, level: float) -> Decision:
    mean = d.all.mean
    not_less = mean > -d.effect and one_sided_p(d, -d.effect, 1) <= each / 2
    not_more = mean < d.effect and one_sided_p(d, d.effect, -1) <= each / 2
    word = OPEN
    if not_less and not_more:
        word = SAME
    elif told and fabs(mean) - d.wide >= d.effect / 2 and not is_skew_enough(d, level):
        word = LOWER if mean < 0 else HIGHER
    return Decision(word, p, level, each, not_less, not_more)


def decide_all(all_: Sequence[Difference], alpha: float) -> list[Decision]:
    """Decides figures together. Differences are told from 0 by Holm's (1979) weighted step-down method, so that one or more of them
    is told wrongly with a probability of at most alpha at any look; the same holds for "same", by Bonferroni."""
    p = [value_p(d) for d in all_]
    weights = [d.weight if d.weight > 0 else 1.0 for d in all_]
    total = left = 0.0
    for weight in weights:
        total += weight
    left = total
    decisions: dict[int, Decision] = {}
    waiting = list(range(len(all_)))
    while waiting:
        best = min(waiting, key=lambda i: (quotient(p[i], weights[i]), i))
        if p[best] > alpha * weights[best] / left:
            break
        waiting.remove(best)
        decisions[best] = choose_word(all_[best], p[best], True, alpha * weights[best] / total, alpha * weights[best] / left)
        left -= weights[best]
    for i in waiting:
        decisions[i] = choose_word(all_[i], p[i], False, alpha * weights[i] / total, alpha * weights[i] / left)
    return [decisions[i] for i in range(len(all_))]


def reach(d: Difference, level: float, side: int) -> float:
    """The interval of the mean at this level, as a distance from it; infinite: no end is known yet."""
    near, far, mean = 0.0, d.effect, d.all.mean
    while one_sided_p(d, mean + side * far, -side) > level / 2:
        near, far = far, far * 2
        if far > 1e9 * d.effect:
            return inf
    for _ in range(50):
        middle = (near + far) / 2
        if one_sided_p(d, mean + side * middle, -side) > level / 2:
            near = middle
        else:
            far = middle
    return far


def is_decided_with(d: Difference, n: int, mean: float, sd: float, each: float) -> bool:
    """With n values, if those to come are of this mean and sd? They are on both sides two by two, so that the means of pairs scatter,
    too."""
    if d.freedom > 0:
        by = n / d.runs
        following = replace(d, all=replace(d.all, n=n), runs=n, error=d.error / sqrt(by), freedom=d.freedom * by)
    else:
        following = Difference(d.effect)
        for i in range(n):
            middle = d.values[i] if i < len(d.values) else mean + (sd if i & 2 else -sd)
            half = d.halves[i] if i < len(d.values) else d.wide
            following.add(i + 1, middle - half, middle + half)
    p = value_p(following)
    return choose_word(following, p, p <= each, each, each).word != OPEN


def first_true(few: int, is_enough: Callable[[int], bool]) -> int | None:
    """The least n above `few` that is enough, if each after it is, too. None: over VALUES_MOST."""
    begin, n = few, few + 1
    while n <= VALUES_MOST and not is_enough(n):
        few, n = n, n + n - begin
    if n > VALUES_MOST:
        return None
    while n - few > 1:
        middle = few + (n - few) // 2
        few, n = (few, middle) if is_enough(middle) else (middle, n)
    return n


def more_needed(d: Difference, each: float) -> int | None:
    """Further starts, or repeats of each run, until an open figure is decided, if mean and sd stay. None: over VALUES_MOST."""
    n = first_true(d.count(), lambda m: is_decided_with(d, m, d.all.mean, d.all.sd(), each))
    return None if n is None else n - d.count()


def starts_needed(difference: float, sd: float, effect: float, alpha: float) -> int | None:
    """Starts by which a difference is decided that scatters by `sd`. None: over VALUES_MOST."""
    return first_true(0, lambda n: is_decided_with(Difference(effect), n, difference, sd, alpha))


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
