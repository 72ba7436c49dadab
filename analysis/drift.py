# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a figure of a session grow as time goes by? With a stated rate of false alarms, also where one looks after every block. Pure.

A value is the figure of a block of time; blocks follow each other. Neighbouring blocks are correlated, so no test counts them as
independent. At a look the blocks so far are two halves of PAIRS batches each; three one-sided tests share the level, with two fifths,
two fifths and a fifth of it:
    halves  batch i of the second half less batch i of the first (the pairs of Cox and Stuart 1955) is one value, and the values have
            a t test with PAIRS - 1 degrees of freedom. With the number of batches fixed, it holds for any correlation that is short
            beside a batch (Ibragimov and Mueller 2010). Steady growth adds to no value's spread.
    end     each of the last END batches against the first BEFORE, with the spread of those (Chow 1960), the larger p-value of both: a
            late step. Batches between may be on either side of it.
    begin   the first 1, 2, 4 ... blocks against all later windows of as many, with the spread of those: an early step, which makes
            the pairs differ and is soon a small part of the first half. The smallest p-value, times their number. The window after
            the first is left out, so that one of these sizes has only blocks before the step in the first, and only blocks after it
            in all others.
No spread is taken as smaller than what rounding may hide: of values that are equal to the last digit nothing is known of it. Batches
are means of neighbouring blocks, and grow: looks are after 16 b blocks for b = 3, 4, 5 ... 20, from there on a tenth larger each.
Look k spends 5 alpha / ((k + 4) (k + 5)) of the level (Lan and DeMets 1983), so that all looks together keep it (Boole), whenever the
session ends. At each look the figures share it by Holm's (1979) method.

What grew and fell back, as a saw does, is no drift: the mean of an eighth as many blocks as were there when growth was told came back
to less than half of it. Looks then go on as before."""
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan, sqrt
from typing import NamedTuple

from analysis.special import t_quantile, t_upper

PAIRS, END, BEFORE = 8, 2, 12
BATCHES = 2 * PAIRS
WINDOWS = 4
FIRST_BATCH = 3  # blocks of the first look's batches
BLOCKS_LEAST = BATCHES * FIRST_BATCH  # no verdict with fewer
UNKNOWN = 10  # "does not grow" needs figures of all but one block in so many
LAST = 2  # and a figure of at least one of the last so many blocks
SHARES = {'halves': 0.4, 'end': 0.4, 'begin': 0.2}  # of the level of a look

OPEN, NONE, GROWS, RETURNS = 'not decided', 'does not grow', 'grows', 'comes and goes'


@dataclass(slots=True)
class Growth:
    """What is decided of a figure, whose values are of each block after the warm-up (NaN: not known); effect: smallest growth of
    interest. told, returned: blocks after which it was told, or had fallen back. change: second half less first at the last look
    (NaN: there was none), with the interval at the level of all looks and figures together; end: last batches less `before`, the
    mean of the first. shows: growth shows, at no stated rate, or might."""
    values: Sequence[float]
    effect: float
    rounding: float = 0.0  # standard deviation of a block that its digits may hide
    word: str = OPEN
    told: int = 0
    told_by: str | None = None
    returned: int = 0
    p: float = nan
    change: float = nan
    low: float = nan
    high: float = nan
    before: float = nan
    end: float = nan
    shows: bool = False


def known_mean(values: Sequence[float]) -> float:
    known = [v for v in values if not isnan(v)]
    total = 0.0
    for value in known:
        total += value
    return total / len(known) if known else nan


def deviation(values: Sequence[float]) -> float:
    mean = known_mean(values)
    return sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))


def p_above(mean: float, error: float, freedom: int) -> float:
    return t_upper(float(freedom), mean / error) if error > 0 else 0.5 if mean == 0 else float(mean < 0)


def find_rounding(values: Sequence[float]) -> float:
    """Half of the smallest step between two values. 0: no two differ."""
    known = sorted(v for v in values if not isnan(v))
    smallest = min((b - a for a, b in zip(known, known[1:]) if b > a), default=inf)
    return smallest / 2 if isfinite(smallest) else 0.0


class Test(NamedTuple):
    """By how much the figure grew since it was at the level `start`, and the p-value of no growth."""
    growth: float = 0.0
    start: float = 0.0
    p: float = 1.0


def test_window(values: Sequence[float], rounding: float, size: int, at_end: bool) -> Test:
    """The first window of `size` blocks, or the last one, against all others but its neighbour, by the spread of those (Chow 1960). p
    is 1 with fewer than WINDOWS others."""
    blocks = len(values)
    mean = squares = 0.0
    n = 0
    one = known_mean(values[blocks - size:] if at_end else values[:size])
    for k in range(2 * size, blocks - size + 1, size):
        begin = blocks - k - size if at_end else k
        other = known_mean(values[begin:begin + size])
        if isnan(other):
            continue
        n += 1
        off = other - mean
        mean += off / n
        squares += off * (other - mean)
    growth, start = (one - mean, mean) if at_end else (mean - one, one)
    if n < WINDOWS or isnan(one):
        return Test(growth, start)
    error = max(sqrt(squares / (n - 1)), rounding / sqrt(size)) * sqrt(1 + 1 / n)
    return Test(growth, start, p_above(growth, error, n - 1))


def window_sizes(blocks: int) -> list[int]:
    return [2 ** i for i in range(64) if (WINDOWS + 2) * 2 ** i <= blocks]


def test_begin(values: Sequence[float], rounding: float) -> Test:
    """The first windows of 1, 2, 4 ... blocks: the one of the smallest p, which counts for all."""
    sizes = window_sizes(len(values))
    best = Test()
    for size in sizes:
        t = test_window(values, rounding, size, False)
        best = t if t.p < best.p else best
    return best._replace(p=min(1.0, best.p * len(sizes)))


class Look(NamedTuple):
    tests: dict[str, Test]
    error: float  # standard error of the growth of `halves`
    p: float  # of all tests; 1: a batch is not known


def take_look(g: Growth, batch: int) -> Look:
    """At the first BATCHES * batch blocks."""
    rounding = g.rounding / sqrt(batch)
    means = [known_mean(g.values[i * batch:(i + 1) * batch]) for i in range(BATCHES)]
    begin = test_begin(g.values[:BATCHES * batch], g.rounding)
    first, before = known_mean(means[:PAIRS]), known_mean(means[:BEFORE])
    if isnan(sum(means)):
        return Look({'halves': Test(nan, first, nan), 'end': Test(nan, before, nan), 'begin': begin}, nan, 1.0)
    pairs = [means[PAIRS + i] - means[i] for i in range(PAIRS)]
    growth, end = known_mean(pairs), known_mean(means[BATCHES - END:]) - before
    error = max(deviation(pairs), rounding * sqrt(2)) / sqrt(PAIRS)
    spread = max(deviation(means[:BEFORE]), rounding) * sqrt(1 + 1 / BEFORE)
    tests = {
        'halves': Test(growth, first, p_above(growth, error, PAIRS - 1)),
        'end': Test(end, before, max(p_above(mean - before, spread, BEFORE - 1) for mean in means[BATCHES - END:])),
        'begin': begin,
    }
    return Look(tests, error, min(1.0, *(t.p / SHARES[name] for name, t in tests.items())))


def find_return(values: Sequence[float], start: int, window: int, level: float) -> int:
    """The number of blocks from `start` on after which the mean of the last `window` was below `level`; 0: never."""
    total, known = 0.0, 0
    for i in range(start, len(values)):
        leaves = nan if i < start + window else values[i - window]
        total += (0 if isnan(values[i]) else values[i] - level) - (0 if isnan(leaves) else leaves - level)
        known += (not isnan(values[i])) - (not isnan(leaves))
        if i + 1 >= start + window and known > 0 and total < 0:
            return i + 1
    return 0


def tell_growth(g: Growth, look: Look, level: float, batch: int) -> None:
    """The figure's growth is told by the tests that have a p of at most `level`; by the largest, unless it is too small to matter."""
    most, by = Test(), 'halves'
    for name, t in look.tests.items():
        if t.p <= level * SHARES[name] and t.growth > most.growth:
            most, by = t, name
    if g.told or most.growth < g.effect / 2 or g.returned > BATCHES * batch:
        return
    back = find_return(g.values, BATCHES * batch, END * batch, most.start + most.growth / 2)
    if back:
        g.returned = back
    else:
        g.told, g.told_by = BATCHES * batch, by


def look_together(all_: Sequence[Growth], batch: int, alpha: float) -> None:
    looks = [take_look(g, batch) for g in all_]
    for g, look in zip(all_, looks):
        g.p = look.p
        g.change = look.tests['halves'].growth
        g.high = g.change + t_quantile(PAIRS - 1.0, 1 - alpha / len(all_)) * look.error
        g.low = 2 * g.change - g.high
        g.end, g.before = look.tests['end'].growth, look.tests['end'].start
    waiting = list(range(len(all_)))
    while waiting:
        best = min(waiting, key=lambda i: (looks[i].p, i))
        level = alpha / len(waiting)
        if looks[best].p > level:
            break
        tell_growth(all_[best], looks[best], level, batch)
        waiting.remove(best)


def ends_as_before(g: Growth, looked: int) -> bool:
    """Whether the end, with the blocks after the last look, which was after `looked`, shows no growth of interest."""
    n = max(len(g.values) - looked, looked * END // BATCHES)
    return g.end < g.effect / 2 and known_mean(g.values[len(g.values) - n:]) - g.before < g.effect / 2


def unknown(values: Sequence[float]) -> int:
    return sum(map(isnan, values))


def shows_growth(g: Growth, alpha: float) -> bool:
    """Whether growth shows at the last look, or a step of interest near the begin or the end: one test at `alpha` is enough. It may be
    in blocks that are not known."""
    values, blocks = g.values, len(g.values)
    eighth = values[blocks - blocks // 8:]
    if (UNKNOWN * unknown(values) > blocks or UNKNOWN * unknown(eighth) > len(eighth)
            or (blocks >= LAST and unknown(values[-LAST:]) == LAST)):
        return True
    if g.p <= alpha and not g.high < g.effect:
        return True
    return any(t.growth >= g.effect and t.p <= alpha for size in window_sizes(blocks)
               for t in (test_window(values, g.rounding, size, at_end) for at_end in (False, True)))


def decide(all_: Sequence[Growth], alpha: float) -> None:
    """Decides figures of the same blocks together, after every block. A figure GROWS if growth of at least effect / 2 was told at a
    look and has not fallen back since; RETURNS if it was told, and fell back; NONE if neither, the upper bound of `change` is below
    effect, the end of the session, also after the last look, is less than half of effect above `before`, and growth does not show;
    else it is OPEN."""
    blocks, looked, batch, k = len(all_[0].values), 0, FIRST_BATCH, 1
    for g in all_:
        g.rounding = find_rounding(g.values)
    while BATCHES * batch <= blocks:
        look_together(all_, batch, alpha * 5 / ((k + 4) * (k + 5)))
        looked = BATCHES * batch
        batch = batch + 1 if batch < 20 else batch * 11 // 10
        k += 1
    for g in all_:
        g.shows = shows_growth(g, alpha)
        if g.told or g.returned:
            g.word = GROWS if g.told else RETURNS
        else:
            g.word = NONE if g.high < g.effect and not g.shows and ends_as_before(g, looked) else OPEN


def combine(all_: Sequence[Growth]) -> str:
    """What figures that are judged together say of the session: that one grows; that one came back; nothing, unless the first does
    not grow, and of no other growth shows."""
    word = all_[0].word
    for g in all_:
        if g.word == GROWS:
            return GROWS
        if g.word == RETURNS:
            word = RETURNS
        elif g.shows and word == NONE:
            word = OPEN
    return word


class Begin(NamedTuple):
    block: int = 0  # the first that is higher
    step: bool = False
    growth: float = 0.0  # of a step its height, of a bend the growth of one block


def find_begin(values: Sequence[float]) -> Begin:
    """Where growth begins, by least squares: a step, or a bend into a straight line, whichever is nearer to the values."""
    best, most = Begin(), 0.0
    mean, total = known_mean(values), len(values) - unknown(values)
    n = sx = sxx = sy = sxy = 0.0

    def fit(x: float, xx: float, xy: float, block: int, step: bool) -> None:
        """Of y = a + growth * x over all values, whose mean is 0. Keeps the best."""
        nonlocal best, most
        growth = total * xy / (total * xx - x * x)
        if growth > 0 and growth * xy > most:
            best, most = Begin(block, step, growth), growth * xy

    # x is 1 (step), or 1, 2, 3 ... (bend) from `block` on: each block that is added raises that of those after it by 1
    for block in range(len(values) - 1, 0, -1):
        sxx += 2 * sx + n
        sx += n
        sxy += sy
        if isnan(values[block]):
            continue
        n, sx, sxx = n + 1, sx + 1, sxx + 1
        sy += values[block] - mean
        sxy += values[block] - mean
        if n < total:
            fit(n, n, sy, block, True)
            fit(sx, sxx, sxy, block, False)
    return best
