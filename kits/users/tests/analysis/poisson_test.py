# SPDX-License-Identifier: GPL-3.0-or-later
"""Of true Poisson processes one in twenty is rejected, of others (nearly) all; Lilliefors' and Stephens' published values;
ticks."""
import random
from dataclasses import replace
from functools import lru_cache
from math import erfc, exp, isfinite, isnan, log, sqrt

import pytest

from analysis import gap_nulls, poisson
from analysis.poisson import Tick, Verdict

GAPS = 500
S = 1000000000
simulate = lru_cache(gap_nulls.simulate)


def judge(times, tick=1, nulls=None):
    return poisson.test_all(poisson.spread_times(times, tick, 5), Tick(tick), nulls)


def arrivals(gap, gaps=GAPS):
    """Gaps of mean 1 become arrivals 10 ms apart on average."""
    t, out = 0.0, []
    for _ in range(gaps + 1):
        out.append(int(t * 1e7))
        t += gap()
    return out


@pytest.mark.parametrize('tick, sets, least, most, gaps_told, tests', [
    (1, 1000, 28, 75, True, 5), (1000000, 300, 6, 28, True, 5), (100000000, 500, 12, 40, False, 2)])
def test_one_in_twenty_poisson_processes_is_rejected(tick, sets, least, most, gaps_told, tests):
    # exact; a tick of a tenth of the mean gap; of ten of them
    draw, rejected = random.Random(tick), 0
    for _ in range(sets):
        v = judge([time - time % tick for time in arrivals(lambda: draw.expovariate(1))], tick, simulate(GAPS))
        assert v.gaps_told == gaps_told and len(v.p) == tests and (v.ties > 0 or tick == 1)
        rejected += not v.poisson
    assert least <= rejected <= most


def batches(draw):
    """Five at a time."""
    while True:
        yield from (0.001, 0.001, 0.001, 0.001, 5 * draw.expovariate(1))


def over_and_over(_):
    """The quantiles of the exponential distribution over and over: CoV near 1, in the same order."""
    while True:
        for place in (3, 17, 8, 0, 12, 19, 5, 10, 1, 14, 7, 16, 2, 18, 9, 4, 13, 6, 15, 11):
            yield -log(1 - (place + 0.5) / 20) / 0.9660


def like_the_last(draw):
    """Exponential gaps, CoV 1, of which each is like the one before."""
    z = 0.0
    while True:
        z = 0.6 * z + 0.8 * draw.gauss(0, 1)
        yield -log(max(0.5 * erfc(z / sqrt(2)), 1e-300))


def each(gap):
    return lambda draw: iter(lambda: gap(draw), None)


# Of the last three, the coefficient of variation alone would let most pass; neighbours that are alike make it vary more.
@pytest.mark.parametrize('gaps, cov_passes', [
    (each(lambda draw: 1.0), 0), (each(lambda draw: 2 * draw.random()), 0), (each(lambda draw: draw.gammavariate(4, 0.25)), 0),
    # nine of ten are short: CoV^2 = 2 (.9 .2^2 + .1 8.2^2) - 1
    (each(lambda draw: draw.expovariate(1) * (0.2 if draw.random() < 0.9 else 8.2)), 0), (batches, 0),
    # CoV 1 by design: gaps a (share 1 - w) and b (share w) with (1 - w) a + w b = 1, variance w (1 - w) (b - a)^2 = 1
    (each(lambda draw: 3.0 if draw.random() < 0.2 else 0.5), 42), (over_and_over, 42), (like_the_last, 30),
], ids=['constant', 'uniform', 'Erlang-4', 'hyperexponential', 'batches', 'two points', 'over and over', 'like the last'])
def test_others_are_rejected(gaps, cov_passes):
    draw, passed = random.Random(10), 0
    source = gaps(draw)
    for _ in range(50):
        v = judge(arrivals(lambda: next(source)), nulls=simulate(GAPS))
        assert v.told and not v.poisson
        passed += v.p['cov'] > 0.05
    assert passed >= cov_passes


def test_the_period_of_a_beat_is_found():
    # a beat each 100 ms with jitter, among as many at random
    draw = random.Random(50)
    times = [int(1e8 * (i // 2) + 2e6 * draw.random() if i % 2 else 1e11 * draw.random()) for i in range(2001)]
    v = judge(times, nulls=simulate(2000))
    assert 'periodogram' in v.rejected and v.peak_period_s == pytest.approx(0.1, abs=1e-3)


def superposed(draw, users, gaps):
    """Users whose think times are uniform from 0 to 12.5 s, in the steady state: the first one's rest has density (1 - t / 12.5) 2
    / 12.5."""
    times = []
    for _ in range(users):
        t = 12.5 * (1 - sqrt(1 - draw.random()))
        while t < 6.25 * (gaps + gaps / 4 + 40) / users:
            times.append(int(t * 1e9))
            t += 12.5 * draw.random()
    assert len(times) > gaps
    return sorted(times)[:gaps + 1]


@pytest.mark.parametrize('users, gaps, least, most', [(50, 1000, 0, 8), (200, 2000, 0, 8), (1, 200, 40, 40)])
def test_many_uniform_users_are_nearly_a_poisson_process_and_one_is_none(users, gaps, least, most):
    draw = random.Random(60)
    assert least <= sum(not judge(superposed(draw, users, gaps), nulls=simulate(gaps)).poisson for _ in range(40)) <= most


def test_critical_values_are_the_published_ones():
    # Stephens 1974, table 1A of the exponential distribution with an unknown mean, of (D - 0.2/n)(sqrt(n) + 0.26 + 0.5/sqrt(n));
    # Lilliefors 1969: of n = 20, 0.234 at 5 %, and for large n 1.06 / sqrt(n)
    many = simulate(1000)
    for value, p, within in ((0.990, 0.10, 0.018), (1.094, 0.05, 0.010), (1.308, 0.01, 0.004)):
        assert many.ks_p(value / (sqrt(1000) + 0.26 + 0.5 / sqrt(1000)) + 0.2 / 1000) == pytest.approx(p, abs=within)
    assert simulate(20).ks_p(0.234) == pytest.approx(0.05, abs=0.012)
    assert many.ks_p(1.06 / sqrt(1000)) == pytest.approx(0.05, abs=0.012)


def test_figures_by_hand():
    # gaps 1 2 3: mean 2, sd 1; lag one: (-1 x 0 + 0 x 1) / 2 = 0. Of 1 1 4 4: mean 2.5, products 2.25 - 2.25 + 2.25, squares 9
    f = gap_nulls.spread_of([1, 2, 3])
    assert (f.cov, f.lag1) == pytest.approx((0.5, 0), abs=1e-15)
    f = gap_nulls.spread_of([1, 1, 4, 4])
    assert (f.sd, f.lag1) == pytest.approx((sqrt(3), 0.25), abs=1e-15)
    assert gap_nulls.distance([log(2)], 1) == pytest.approx(0.5, abs=1e-15)  # half of the exponential gaps are shorter than log 2


def test_simulated_figures_are_those_of_the_gaps_themselves():
    # the first set of 60, one by one
    nulls = simulate(60)
    state, gaps = gap_nulls.SEED, []
    for _ in range(60):
        state = (state + 0x9e3779b97f4a7c15) % 2 ** 64
        z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9 % 2 ** 64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2 ** 64
        gaps.append(-log(1 - ((z ^ z >> 31) >> 11) / 2 ** 53))
    f = gap_nulls.spread_of(gaps)
    for values, value in ((nulls.cov, (f.cov - 1) * sqrt(60)), (nulls.lag1, f.lag1 * sqrt(60))):
        assert min(abs(v - value) for v in values) < 1e-9 and len(values) == gap_nulls.DRAWS and values == sorted(values)


def test_constant_arrivals_by_hand():
    # no variance, so no dispersion; all directions alike at one cycle a gap, so that power is all n
    v = judge(arrivals(lambda: 1.0, 400), nulls=simulate(400))
    assert (v.cov, v.mean_s) == pytest.approx((0, 0.01), abs=1e-12)
    assert v.dispersion == pytest.approx(0, abs=0.03)  # the first arrival is in no interval
    assert v.peak == pytest.approx(399, abs=60)  # binned: sin(pi/4)/(pi/4) squared at the worst
    assert v.peak_period_s == pytest.approx(0.01, abs=1e-6)


def test_the_verdict_in_words():
    p = dict.fromkeys(poisson.TESTS, 0.5)
    v = Verdict(100, cov=1.5, told=True, p=p, rejected=('cov', 'dispersion'))
    assert poisson.verdict_text(v) == ('not a Poisson process, too bursty: CoV 1.500 outside 1 +- 0.196, rejected by cov, '
                                       'dispersion at 5 % (Holm)')
    assert poisson.verdict_text(Verdict(100, cov=1.1, told=True, poisson=True, p=p)) == (
        'as a Poisson process: CoV 1.100 within 1 +- 0.196, none of 5 tests rejects at 5 % (Holm)')


@pytest.mark.parametrize('p, rejected', [([0.01, 0.5, 0.012, 0.5, 0.5], ('cov', 'dispersion')), ([0.011] + [0.5] * 4, ()),
                                         ([0.01] + [0.02] * 4, ('cov',)), ([0.001] * 5, poisson.TESTS)])
def test_holm_stops_at_the_first_that_is_not_small_enough(p, rejected):
    v = poisson.decide(Verdict(100, p=dict(zip(poisson.TESTS, p))))
    assert v.rejected == rejected and v.poisson == (not rejected) and v.p_joint == pytest.approx(5 * min(p))


def test_ties_by_chance_are_no_hint():
    # of 300 in 100 ticks chance leaves 100 exp(-3) ticks empty: 300 - 100 + 5 are not the first in theirs
    v = Verdict(300, ties=210, ties_expected=205, span_s=100, mean_s=1 / 3, longest_s=2)
    assert poisson.hint(v) is None
    assert '295 of 301 arrivals bear the time of the one before, of which chance makes 205' in poisson.hint(replace(v, ties=295))
    assert 'one gap of 30 s is 30 % of all the time' in poisson.hint(replace(v, longest_s=30))
    assert poisson.hint(replace(v, longest_s=30, n=20)) is None
    draw = random.Random(71)
    times = [0, *(int(100 * draw.random()) * S for _ in range(299)), 100 * S - 1]
    v = judge(times, S)
    assert v.ties_expected == pytest.approx(300 - 100 * (1 - exp(-3)), abs=1) and 195 <= v.ties <= 215


def test_few_get_no_verdict():
    draw = random.Random(70)
    v = judge(arrivals(lambda: draw.expovariate(1), 20))
    assert not v.told and isnan(v.p_joint) and isfinite(v.cov) and 'no verdict' in poisson.verdict_text(v)
    v = judge([0] * 201)  # all at once, and not because they were too few
    assert not v.told and not v.poisson and 'are needed' not in poisson.verdict_text(v)


def test_counts_are_the_same_however_many_intervals_there_are():
    draw = random.Random(72)
    times = sorted(draw.randrange(10 ** 6) for _ in range(200))
    for width, intervals in ((1e5, 10), (999.0, 1000), (7.0, 142857), (0.1, 10 ** 7)):
        counts = poisson.counts_in(times, width, intervals)
        assert counts.total() == sum(time < width * intervals for time in times)
        assert all(counts[i] == sum(width * i <= time < width * (i + 1) for time in times) for i in list(counts)[:20])
