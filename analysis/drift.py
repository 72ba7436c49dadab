# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a figure of a session grow as time goes by? With a stated rate of false alarms, also where one looks after every block.
Pure.

A value is the figure of a block of time; blocks follow each other. Neighbouring blocks are correlated, so no test counts them as
independent. At a look the blocks so far are two halves of PAIRS batches each; three one-sided tests share the level, with two
fifths, two fifths and a fifth of it:
    halves  batch i of the second half less batch i of the first (the pairs of Cox and Stuart 1955) is one value, and the values
            have a t test with PAIRS - 1 degrees of freedom. With the number of batches fixed, it holds for any correlation that
            is short beside a batch (Ibragimov and Mueller 2010). Steady growth adds to no value's spread.
    end     each of the last END batches against the first BEFORE, with the spread of those (Chow 1960), the larger p-value of
            both: a late step. Batches between may be on either side of it.
    begin   the first 1, 2, 4 ... blocks against all later windows of as many, with the spread of those: an early step, which
            makes the pairs differ and is soon a small part of the first half. The smallest p-value, times their number. The
            window after the first is left out, so that one of these sizes has only blocks before the step in the first, and only
            blocks after it in all others.
No spread is taken as smaller than what rounding may hide: of values that are equal to the last digit nothing is known of it.
Batches are means of neighbouring blocks, and grow: looks are after 16 b blocks for b = 3, 4, 5 ... 20, from there on a tenth
larger each. Look k spends 5 alpha / ((k + 4) (k + 5)) of the level (Lan and DeMets 1983), so that all looks together keep it
(Boole), whenever the session ends. At each look the figures share it by Holm's (1979) method.

What grew and fell back, as a saw does, is no drift: the mean of an eighth as many blocks as were there when growth was told came
back to less than half of it. Looks then go on as before.
"""
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isnan, nan, sqrt
from typing import NamedTuple

from analysis import special
from analysis.sequential import Moments

PAIRS = 8
END = 2
BEFORE = 12
BATCH = 3  # blocks of the first look's batches
BATCHES = 2 * PAIRS
BLOCKS_LEAST = BATCHES * BATCH  # no verdict with fewer
UNKNOWN = 10  # "does not grow" needs figures of all but one block in so many
LAST = 2  # and a figure of at least one of the last so many blocks
WINDOWS = 4
OPEN, NONE, GROWS, RETURNS = range(4)  # words
SHARES = {'halves': 0.4, 'end': 0.4, 'begin': 0.2}  # of the level of a look


class Test(NamedTuple):
    """By how much the figure grew since it was at the level `start`, and the p-value of no growth."""
    growth: float = 0.0
    start: float = 0.0
    p: float = 1.0


class Look(NamedTuple):
    tests: dict[str, Test]
    error: float  # standard error of the growth of the halves
    p: float  # of all tests; 1: a batch is not known


@dataclass(slots=True)
class Figure:
    """values: of each block after the warm-up, NaN: not known; effect: smallest growth of interest, > 0. Then by decide():"""
    values: Sequence[float]
    effect: float
    rounding: float = 0.0  # standard deviation of a block that its digits may hide: half of the smallest step between two values
    word: int = OPEN
    told: int = 0  # blocks after which the growth was told; 0: it was not, or fell back
    told_by: str | None = None  # the test that told it
    returned: int = 0  # blocks after which it had fallen back; 0: never
    p: float = nan  # of the last look, for all tests; not adjusted for several looks and figures
    change: float = nan  # second half less first, at the last look; NaN: there was none
    low: float = nan  # its interval: the level of all looks and figures together
    high: float = nan
    before: float = nan  # mean of the first BEFORE batches
    end: float = nan  # last batches less `before`
    # growth shows, at no stated rate: at the last look, unless `high` is below effect; or the first or the last blocks (1, 2,
    # 4 ...) are apart from all others, of all blocks, by effect or more; or it might: too many blocks are not known
    shows: bool = False
    windows: dict[int, list[Moments]] = field(default_factory=dict)  # by size: of all but two, with those before


def mean(values: Sequence[float]) -> float:
    """Of the values that are known."""
    total = sum(values)
    if not isnan(total):
        return total / len(values) if values else nan
    known = [v for v in values if not isnan(v)]
    return sum(known) / len(known) if known else nan


def standard_deviation(values: Sequence[float]) -> float:
    middle = mean(values)
    return sqrt(sum((v - middle) * (v - middle) for v in values) / (len(values) - 1))


def p_above(middle: float, error: float, freedom: int) -> float:
    if error > 0:
        return special.t_upper(freedom, middle / error)
    return 0.5 if middle == 0 else float(middle < 0)


def find_rounding(values: Sequence[float]) -> float:
    """Half of the smallest step between two values: the digits that they are given with hide a spread up to this. 0: no two
    differ."""
    known = sorted({v for v in values if not isnan(v)})
    return min((b - a for a, b in zip(known, known[1:])), default=0.0) / 2


def add_window(so_far: Moments, window: Sequence[float]) -> Moments:
    one = mean(window)
    if isnan(one):
        return so_far
    out = Moments(so_far.n, so_far.mean, so_far.squares)
    out.add(one)
    return out


def others_than_first(f: Figure, blocks: int, size: int) -> Moments:
    """All windows of the size among the first blocks, but for the first two. Looks ask for more and more of them."""
    known = f.windows.setdefault(size, [Moments()])
    n = max(0, blocks // size - 2)
    while len(known) <= n:
        start = (len(known) + 1) * size
        known.append(add_window(known[-1], f.values[start:start + size]))
    return known[n]


def others_than_last(f: Figure, blocks: int, size: int) -> Moments:
    out = Moments()
    for start in range(blocks - 3 * size, -1, -size):
        out = add_window(out, f.values[start:start + size])
    return out


def window_test(f: Figure, blocks: int, size: int, at_end: bool, hopeless: float = inf) -> Test:
    """The first window of `size` blocks, or the last one, against all others but its neighbour, by the spread of those (Chow
    1960). p is 1 with fewer than WINDOWS others, without growth, and where it is surely not below `hopeless`."""
    one = mean(f.values[blocks - size:blocks] if at_end else f.values[:size])
    others = (others_than_last if at_end else others_than_first)(f, blocks, size)
    growth = one - others.mean if at_end else others.mean - one
    p, n = 1.0, others.n
    if n >= WINDOWS and growth > 0:
        error = max(sqrt(others.squares / (n - 1)), f.rounding / sqrt(size)) * sqrt(1 + 1 / n)
        if not error > 0 or special.normal_upper(growth / error) < hopeless:  # (whose tails are thinner than those of Student's)
            p = p_above(growth, error, n - 1)
    return Test(growth, others.mean if at_end else one, p)


def window_sizes(blocks: int) -> list[int]:
    return [2 ** k for k in range(64) if (WINDOWS + 2) * 2 ** k <= blocks]


def begin_test(f: Figure, blocks: int) -> Test:
    """The first windows of 1, 2, 4 ... blocks: the one of the smallest p, which counts for all."""
    best = Test()
    sizes = window_sizes(blocks)
    for size in sizes:
        one = window_test(f, blocks, size, False, best.p)
        best = one if one.p < best.p else best
    return best._replace(p=min(1.0, best.p * len(sizes)))


def take_look(f: Figure, batch: int) -> Look:
    """Looks at the first BATCHES * batch blocks."""
    rounding = f.rounding / sqrt(batch)
    means = [mean(f.values[i * batch:(i + 1) * batch]) for i in range(BATCHES)]
    by_pair = [b - a for a, b in zip(means, means[PAIRS:])]
    growth = mean(by_pair)
    error = max(standard_deviation(by_pair), rounding * sqrt(2)) / sqrt(PAIRS)
    start = mean(means[:BEFORE])
    spread = max(standard_deviation(means[:BEFORE]), rounding) * sqrt(1 + 1 / BEFORE)
    late = means[-END:]
    unknown = any(map(isnan, means))
    if unknown:
        return Look({'halves': Test(nan, mean(means[:PAIRS])), 'end': Test(nan, start), 'begin': begin_test(f, BATCHES * batch)},
                    error, 1.0)
    tests = {'halves': Test(growth, mean(means[:PAIRS]), p_above(growth, error, PAIRS - 1)),
             'end': Test(mean(late) - start, start, max(p_above(m - start, spread, BEFORE - 1) for m in late)),
             'begin': begin_test(f, BATCHES * batch)}
    return Look(tests, error, min(1.0, *(tests[name].p / share for name, share in SHARES.items())))


def find_return(values: Sequence[float], start: int, window: int, level: float) -> int:
    """The number of blocks from `start` on after which the mean of the last `window` was below `level`; 0: never."""
    total, known = 0.0, 0
    for i in range(start, len(values)):
        leaves = nan if i < start + window else values[i - window]
        total += (0 if isnan(values[i]) else values[i] - level) - (0 if isnan(leaves) else leaves - level)
        known += isnan(leaves) - isnan(values[i])
        if i + 1 >= start + window and known > 0 and total < 0:
            return i + 1
    return 0


def tell_growth(f: Figure, look: Look, level: float, batch: int) -> None:
    """The figure's growth is told by the tests that have a p of at most `level`; by the largest, unless it is too small to
    matter."""
    most, by = Test(), 'halves'
    for name, test in look.tests.items():
        if test.p <= level * SHARES[name] and test.growth > most.growth:
            most, by = test, name
    looked = BATCHES * batch
    if f.told or most.growth < f.effect / 2 or f.returned > looked:
        return
    back = find_return(f.values, looked, END * batch, most.start + most.growth / 2)
    if back:
        f.returned = back
    else:
        f.told, f.told_by = looked, by


def look_together(figures: Sequence[Figure], batch: int, alpha: float) -> None:
    looks = [take_look(f, batch) for f in figures]
    for f, look in zip(figures, looks):
        f.p, f.change = look.p, look.tests['halves'].growth
        f.high = f.change + special.t_quantile(PAIRS - 1, 1 - alpha / len(figures)) * look.error
        f.low = 2 * f.change - f.high
        f.end, f.before = look.tests['end'].growth, look.tests['end'].start
    for left, (f, look) in zip(range(len(figures), 0, -1), sorted(zip(figures, looks), key=lambda pair: pair[1].p)):
        if look.p > alpha / left:
            break
        tell_growth(f, look, alpha / left, batch)


def ends_as_before(f: Figure, looked: int) -> bool:
    """Whether the end, with the blocks after the last look, which was after `looked`, shows no growth of interest."""
    n = max(len(f.values) - looked, looked * END // BATCHES)
    return f.end < f.effect / 2 and mean(f.values[len(f.values) - n:]) - f.before < f.effect / 2


def unknown(values: Sequence[float]) -> int:
    return sum(map(isnan, values))


def shows_growth(f: Figure, alpha: float) -> bool:
    """Whether growth shows at the last look, or a step of interest near the begin or the end: one test at `alpha` is enough. It
    may be in blocks that are not known."""
    blocks = len(f.values)
    last = f.values[blocks - blocks // 8:]
    if (UNKNOWN * unknown(f.values) > blocks or UNKNOWN * unknown(last) > blocks // 8
            or (blocks >= LAST and unknown(f.values[-LAST:]) == LAST)):
        return True
    if f.p <= alpha and not f.high < f.effect:
        return True
    tests = (window_test(f, blocks, size, at_end, alpha) for size in window_sizes(blocks) for at_end in (False, True))
    return any(test.growth >= f.effect and test.p <= alpha for test in tests)


def choose_word(f: Figure, looked: int) -> int:
    if f.told or f.returned:
        return GROWS if f.told else RETURNS
    return NONE if f.high < f.effect and not f.shows and ends_as_before(f, looked) else OPEN


def decide(figures: Sequence[Figure], alpha: float) -> None:
    """Decides figures of the same blocks together, after every block. A figure
        GROWS    where growth of at least effect / 2 was told at a look and has not fallen back since;
        RETURNS  where it was told, and fell back;
        NONE     where neither is, the upper bound of `change` is below effect, the end of the session, also after the last look, is
                 less than half of effect above `before`, and `shows` is not set;
        OPEN     otherwise."""
    blocks = len(figures[0].values) if figures else 0
    for f in figures:
        f.rounding = find_rounding(f.values)
    k, batch, looked = 1, BATCH, 0
    while BATCHES * batch <= blocks:
        look_together(figures, batch, alpha * 5 / ((k + 4) * (k + 5)))
        looked = BATCHES * batch
        batch = batch + 1 if batch < 20 else batch * 11 // 10
        k += 1
    for f in figures:
        f.shows = shows_growth(f, alpha)
        f.word = choose_word(f, looked)


def combine(figures: Sequence[Figure]) -> int:
    """What figures that are judged together say of the session: that one grows; that one came back; nothing, unless the first
    does not grow, and of no other growth shows."""
    word = figures[0].word
    for f in figures:
        if f.word == GROWS:
            return GROWS
        if f.word == RETURNS:
            word = RETURNS
        elif f.shows and word == NONE:
            word = OPEN
    return word


class Begin(NamedTuple):
    """The first block that is higher; growth: of a step its height, of a bend the growth of one block."""
    block: int = 0
    step: bool = False
    growth: float = 0.0


def find_begin(values: Sequence[float]) -> Begin:
    """Where growth begins, by least squares: a step, or a bend into a straight line, whichever is nearer to the values."""
    best, most, middle = Begin(), 0.0, mean(values)
    all_known = len(values) - unknown(values)
    n = sx = sxx = sy = sxy = 0.0
    # x is 1 (step), or 1, 2, 3 ... (bend) from `start` on: each block that is added raises that of those after it by 1
    for start in range(len(values) - 1, 0, -1):
        sxx += 2 * sx + n
        sx += n
        sxy += sy
        if isnan(values[start]):
            continue
        n, sx, sxx = n + 1, sx + 1, sxx + 1
        sy += values[start] - middle
        sxy += values[start] - middle
        for step, x, xx, xy in ((True, n, n, sy), (False, sx, sxx, sxy)) if n < all_known else ():
            # of y = a + growth * x; sums of y are of all values, with a mean of 0
            growth = all_known * xy / (all_known * xx - x * x)
            if growth > 0 and growth * xy > most:
                best, most = Begin(start, step, growth), growth * xy
    return best
