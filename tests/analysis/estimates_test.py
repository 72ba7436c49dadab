# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimators against closed formulas; figures of small trains of keys against NumPy and SciPy (calls beside the values) or a
pencil."""
from array import array
from math import exp, hypot, isnan, log, nan, sqrt

import pytest

from analysis import estimates, key_figures
from analysis.estimates import ESTIMATORS, Draws, Pool, pool_quantile
from analysis.key_figures import Train
from analysis.samples import Keys

T2 = 4.302652730  # Student's t, 97.5 %, two degrees of freedom
MS = 1000000


def near(value, within=1e-9):
    return pytest.approx(value, abs=within, rel=0)


def estimate(name, values, totals=()):
    return estimates.estimate(name, values, Draws(500, 1), totals)


def test_means():
    f = estimate('mean+ci', [99, nan, 101, 100])
    assert (f.value, f.low, f.high, f.repeats) == (near(100), near(100 - T2 / sqrt(3), 1e-6), near(100 + T2 / sqrt(3), 1e-6), 3)
    assert isnan(estimate('mean', [99, 101, 100]).low) and isnan(f.both[0])
    f = estimate('mean+ci', [99, nan, 101])  # two values say more than their interval
    assert isnan(f.low) and f.both == (99, 101)
    assert estimate('mean+ci', [0, 1, 2]).low == 0 and estimate('change+ci', [0, 1, 2]).low == near(1 - T2 / sqrt(3), 1e-6)


def test_skewed_means():
    """20 22 24.2 are ln(1.1) apart; 1, 10 and 100 ln 10: their geometric mean is 10."""
    f, factor = estimate('logmean+ci', [20, 22, 24.2]), exp(T2 * log(1.1) / sqrt(3))
    assert (f.value, f.low, f.high) == (near(66.2 / 3), near(22 / factor, 1e-5), near(22 * factor, 1e-5))
    f = estimate('logmean+ci', [1, 1, 1000])
    assert f.low <= f.value <= f.high
    f, factor = estimate('geomean+ci', [100, 1, 10]), exp(T2 * log(10) / sqrt(3))
    assert (f.value, f.low * factor, f.high) == (near(10), near(10, 1e-5), near(10 * factor, 1e-3))
    assert isnan(estimate('geomean+ci', [1, 0, 10]).value) and isnan(estimate('geomean+ci', [100, 1]).low)


def test_shares():
    """On logits: 90, 50 and 10 % are ln 9, 0 and -ln 9. No end leaves 0 to 100 %."""
    f = estimate('percent+ci', [90, 50, 10])
    assert (f.value, f.low, f.high) == (near(50), near(100 / (1 + exp(T2 * log(9) / sqrt(3))), 1e-6), near(100 - f.low, 1e-6))
    assert estimate('unit+ci', [0.9, 0.5, 0.1]).low == near(f.low / 100)
    f = estimate('percent+ci', [99.8, 100, 99.6])
    assert 90 < f.low < f.value < f.high < 100 and isnan(estimate('percent+ci', [100, 100, 100]).low)
    f = estimate('share+ci', [0, nan, 0], [60, 7, 40])
    assert (f.value, f.low, f.high) == (0, 0, near(100 * (1 - 0.05 ** 0.01), 1e-6))  # none of 100, one-sided


def test_medians():
    """Logarithms of base 2: 1, 2 and 3, whose standard error is 1/sqrt(3). Of eleven, order statistics 2 and 10 hold the median
    with 98.8 %, 3 and 9 with 93.5 % (binomial)."""
    f = estimate('median+ci', [8, 2, 4])
    assert (f.value, f.low, f.high) == (near(4), near(2 ** (2 - T2 / sqrt(3)), 1e-5), near(2 ** (2 + T2 / sqrt(3)), 1e-5))
    assert estimate('median', [4, 1, 3, 2]).value == 2.5 and isnan(estimate('median+ci', [4, 1]).low)
    f = estimate('median+ci', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000])
    assert 2 < f.low < 3 and 9 < f.high < 10
    f = estimate('median+ci', [1, 2, 3, 4, 5])
    assert (f.low, f.high) == (1, 5)
    f = estimate('median+ci', [7] * 12)
    assert (f.low, f.high) == (7, 7)


@pytest.mark.parametrize('name, value', [('sum', 9), ('max', 5), ('min', 0), ('first', 3), ('last', 1), ('count', 4),
                                         ('unknown', 1), ('true', 3), ('false', 1)])
def test_plain(name, value):
    assert estimate(name, [3, 0, nan, 5, 1]).value == value


def test_chances_and_bands():
    assert estimate('chance', [0.02, 0.5]).value == near(0.04) and estimate('chance', [0.5]).value == 0.5
    assert estimate('band', [0.5, 0.5]).value == near(1 / sqrt(8))  # 4 and 4 together


@pytest.mark.parametrize('name', ESTIMATORS)
def test_nothing(name):
    f = estimate(name, [])
    assert f.value == 0 if name in ('count', 'unknown', 'true', 'false') else isnan(f.value)
    assert isnan(f.low) and isnan(f.high) and not f.above


# --- pools --------------------------------------------------------------------------------------------------------

def pooled(runs, each, shift, step, q):
    """Values of `runs` runs: in run r from 1 + r * shift on, in the order of `step` (1: ascending)."""
    return pool_quantile(Pool([[1 + i * step % each + r * shift for i in range(each)] for r in range(runs)], kind='keys'), q, 1)


def test_a_tail_has_the_order_statistics_of_all_values():
    """np.percentile(list(range(1, 201)) * 5, 95) is 190.05. Of 1,000 values 50 lie beyond, by the binomial distribution 36 to 64 of
    them in 95 %: of the value at rank 950 +- 14, a fifth."""
    f, apart = pooled(5, 200, 0, 37, 0.95)
    assert not apart and (f.value, f.low, f.high) == (near(190.05), near(190 - 14 / 5, 1), near(190 + 14 / 5, 1))


def test_values_beyond_in_one_run_are_few():
    f, _ = pooled(3, 200, 0, 1, 0.95)  # three stalls of ten keys
    assert isnan(f.low) and f.value == near(190.05)


def test_runs_apart_are_what_is_independent():
    """Own values 180.1, 280.1, 380.1: 4.3027 standard errors of their logarithms; and the tail, z = 1.2816 deviations off, has the
    interval of their variance (chi-squared with 2 degrees of freedom: -2 log(1 - p))."""
    f, apart = pooled(3, 200, 100, 37, 0.9)
    sd, d = 0.375529, log(f.value / pooled(3, 200, 100, 37, 0.5)[0].value)
    t, spread = 4.302653 * sd / sqrt(3), 1.2815516 ** 2 * sd * sd
    assert apart
    assert log(f.high / f.value) == near(hypot(t, sqrt(d * d + spread * (-1 / log(0.975) - 1)) - d), 1e-3)
    assert log(f.value / f.low) == near(hypot(t, d - sqrt(max(0, d * d - spread * (1 + 1 / log(0.025))))), 1e-3)
    assert isnan(pooled(3, 200, 1000, 37, 0.9)[0].low)  # up to more than a hundred times as long
    assert isnan(pooled(3, 50, 1000, 37, 0.9)[0].low)  # too few keys in a run alone, and in all


# --- keys ---------------------------------------------------------------------------------------------------------

def trains(*bases):
    """Of 20 keys: key k of a train is answered base + k ms after it was due."""
    out = []
    for base in bases:
        due = [(1000000 + 50 * k) * MS for k in range(20)]
        answer = [d + (base + k) * MS for k, d in enumerate(due)]
        columns = (due, [d + 1000 * (k + 1) for k, d in enumerate(due)], answer, answer, [0] * 20, [0] * 20, range(1, 21))
        out.append(Train(Keys(*(array('q', c) for c in columns)), False, len(out) + 1))
    return out


def give_up(train, key, ms):
    """Nothing was there `ms` after the key was due."""
    train.keys.answer[key] = train.keys.high[key] = 0
    train.keys.censored[key] = train.keys.due[key] + ms * MS


def figures_of(t):
    return key_figures.estimate(t, 40 * MS)


def test_three_runs():
    """np.percentile(all, 50); times and over the square root of the quotient of the ends of the t interval of the logs of the runs'
    own medians, 10.5831342 and 65.14064828. One stall of nine keys: 9 of 60 keys at 0.85 (2 / 1) 81 / 9 - 0.15 times the variance
    of single keys: (0, 0, 9) of 20 each, over 15.15, by SciPy as in spreads_test.py."""
    e = figures_of(trains(10, 14, 30))
    p50, late, by = e.of['p50'], e.of['late'], sqrt(65.14064828 / 10.5831342)
    assert e.keys == 60 and (e.interval, e.late_interval) == ('t', 'exact')
    assert (p50.value, p50.low, p50.high) == (near(26.5), near(26.5 / by, 1e-5), near(26.5 * by, 1e-5))
    assert e.of['p90'].why == 'too few' and isnan(e.of['p90'].value)  # six keys beyond it
    assert e.of['max'].value == near(49) and isnan(e.of['max'].low) and e.of['lateness.max'].value == near(20)
    assert (late.value, late.low, late.high) == (near(15), near(1.1966, 0.1), near(63.7762, 0.2))
    assert not e.late_end['p50'].is_known() and not e.late_end['late'].is_known()


def test_one_run_and_none_have_no_interval():
    e = figures_of(trains(10))
    assert e.of['p50'].value == near(19.5) and e.of['late'].value == 0 and e.interval == 'none'
    assert all(isnan(f.low) and isnan(f.high) for f in e.of.values())
    assert all(isnan(f.value) for f in figures_of([]).of.values())


def test_two_runs_have_two_values():
    t = trains(10, 30)
    e = figures_of(t)
    assert e.of['p50'].both == (near(19.5), near(39.5)) and e.of['late'].both == (0, near(45))
    assert isnan(e.of['p50'].low) and isnan(e.of['max'].both[0]) and isnan(e.of['p90'].both[0])
    t[1].keys.ranged = True
    t[1].keys.high = array('q', [a + 500 * MS for a in t[1].keys.answer])
    p50 = figures_of(t).of['p50']
    assert p50.is_range() and isnan(p50.both[0])  # a range has no two values


@pytest.mark.parametrize('base, value, low, high', [
    (10, 0, 0, 39.3037766), (50, 100, 60.6962234, 100),  # 1 - 0.05 ** (1 / 6): sixty keys, ten in half a second
    # three stalls of ten keys: (10, 10, 10) of 20 each, over 0.5 (4 / 3) 300 / 30 - 0.5
    (31, 50, 21.524, 78.476),
])
def test_stalls_are_what_is_independent(base, value, low, high):
    e = figures_of(trains(base, base, base))
    late = e.of['late']
    assert e.late_interval == 'exact' and (late.value, late.low, late.high) == (near(value), near(low, 0.1), near(high, 0.1))


def test_a_key_without_echo_stays_in():
    t = trains(10, 14, 30)
    for k in range(10, 20):  # half of the last run
        give_up(t[2], k, 1000)
    e = figures_of(t)
    # the ninth of those was below 40 ms before
    assert (e.keys, e.censored) == (60, 10) and e.of['late'].value == near(100 * 10 / 60)
    assert e.of['p50'].value == near(26.5) and not e.of['p50'].above
    assert isnan(e.of['p50'].low)  # the last run's own median is only "later than"
    assert e.of['max'].value == near(1000) and e.of['max'].above


def test_a_key_given_up_early_may_be_late():
    """"No echo by 20 ms" may have come at 30 ms or at 50: late by the late end of the range only."""
    t = trains(10, 10)
    for train in t:
        give_up(train, 0, 20)
    late = figures_of(t).of['late']
    assert isnan(late.value) and (late.start, late.end) == (0, near(5)) and figures_of(t).late_end['late'].value == near(5)


def test_ranges_have_two_ends():
    t = trains(10, 10)
    for train in t:
        train.keys.ranged = True
        for k in range(0, 20, 2):
            train.keys.high[k] += 100 * MS
    e = figures_of(t)
    p50, late = e.of['p50'], e.of['late']
    assert e.ranged_keys == 20 and isnan(p50.value) and isnan(late.value)
    # 11 13 .. 29 twice, then 110 112 .. 128 twice: between 29 and 110
    assert (p50.start, p50.end) == (near(19.5), near(69.5)) and (late.start, late.end) == (0, near(50))
    assert e.late_end['p50'].value == near(69.5) and e.of['max'].end == near(128)


def test_overload_hides_percentiles_and_nothing_else():
    t = trains(10, 14, 30)
    t[1].overloaded = True
    e = figures_of(t)
    for name in ('p50', 'p90', 'p95', 'p99', 'max', 'sent.p50'):
        assert not e.of[name].is_known() and e.of[name].why == 'overloaded' and not e.late_end[name].is_known()
    assert e.of['late'].value == near(15) and e.of['lateness.max'].value == near(20)
    assert list(key_figures.curve(t, False, 1000)) == []


def test_runs_that_are_alike_are_pooled():
    """Of a run one stall of ten keys lies beyond the median. Twelve such runs tell as much of the median as 0.5 (13 / 12) 10 - 0.5
    times fewer keys: order statistics 1 + 13.2 and 1 + 34.2 of 48 (binomial, as of n = 48) are near."""
    e = figures_of(trains(*[10] * 12))
    p50 = e.of['p50']
    assert e.interval == 'exact' and (p50.value, p50.low, p50.high) == (near(19.5), near(16, 1.01), near(23, 1.01))


def test_the_curve_keeps_its_ends():
    t = trains(10, 10)
    give_up(t[1], 19, 1000)
    points = list(key_figures.curve(t, False, 1000))
    assert len(points) == 39 and points[0] == (10, near(1 / 40)) and points[38] == (29, near(39 / 40))  # one had no echo: never 1
    few = list(key_figures.curve(t, False, 5))
    assert len(few) == 5 and few[0][0] == 10 and few[4][0] == 29 and few == sorted(few)
