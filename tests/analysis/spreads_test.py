# SPDX-License-Identifier: GPL-3.0-or-later
"""Intervals against SciPy 1.17 (the calls stand beside the values) and closed forms."""
from math import hypot, isnan, nan, sqrt

import pytest

from analysis import figures, spreads
from analysis.spreads import ShareRuns


def near(value, within):
    return pytest.approx(value, abs=within, rel=0)


def test_p_of_the_t_test():
    """Student's t with 4 degrees of freedom: F(t) = 1/2 + 3/8 u (1 - u^2 / 12), u = t / sqrt(1 + t^2 / 4)"""
    t = 1.1 / (sqrt((2.1 ** 2 + 0.9 ** 2 + 1.9 ** 2 + 0.1 ** 2 + 0.6 ** 2) / 4) / sqrt(5))
    u = t / sqrt(1 + t * t / 4)
    assert spreads.t_test([-1, 2, 3, 1, 0.5]) == near(2 * (0.5 - 0.375 * u * (1 - u * u / 12)), 1e-9)
    assert spreads.t_test([2, 2, 2]) == 0 and spreads.t_test([0, 0]) == 1 and isnan(spreads.t_test([-1]))


def test_t_is_scipys():
    """st.t.interval(0.95, n - 1, loc=a.mean(), scale=st.sem(a)); of logarithms: np.exp of the same on np.log([20, 25, 80])"""
    assert spreads.t_mean([9.4, 9.9, 11.2, 10.1, 9.7]) == (near(9.206045641654122, 1e-9), near(10.913954358345878, 1e-9))
    assert spreads.t_logs([20, 25, 80]) == (near(5.38217558, 1e-6), near(217.31121145, 1e-5))


def test_no_interval_from_too_little():
    for values in ([12, 18], [3], [], [3, nan, 4], [3, nan]):
        assert spreads.t_mean(values) is None
    assert spreads.t_logs([3, 0, 4]) is None and spreads.share(0, 0) is None and spreads.share(2, 1) is None


@pytest.mark.parametrize('hits, n, low, high', [
    (3, 100, 0.006229971538306227, 0.08517605297428028), (50, 100, 0.39832112950330095, 0.6016788704966991),
    (0, 285, 0, 0.01045629021842065), (285, 285, 0.9895437097815794, 1), (0, 3, 0, 0.6315968501359612), (0, 1, 0, 0.95),
    (1, 1, 0.05, 1),
])
def test_share_is_clopper_and_pearsons(hits, n, low, high):
    """st.binomtest(k, n).proportion_ci(0.95, 'exact') inside; at the edges one-sided: 1 - 0.05 ** (1 / n)"""
    assert spreads.share(hits, n) == (near(low, 1e-9), near(high, 1e-9))


def test_rate_is_garwoods():
    """st.chi2.ppf(0.95, 2 * (k + 1)) / 2"""
    assert [spreads.poisson_high(k) for k in (0, 1, 10)] == [near(v, 1e-9) for v in (2.9957322735539895, 4.743864518390577,
                                                                                    16.962219235721903)]


def test_bca_from_given_replicates():
    """Nothing is random: z0 = -0.13692622576, a = -0.10730920383, ends by
    np.percentile(rep, 100 * st.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))); expanded: z = 2.7764451052 sqrt(5 / 4)"""
    replicates, without = [(k * 37 % 101) ** 2 / 100 for k in range(101)], [10, 12, 9, 30, 11]
    assert spreads.bca(20, replicates, without, False) == (near(0.00223703990075934, 1e-6), near(84.16511618930251, 1e-6))
    assert spreads.bca(20, replicates, without, True) == (near(1.6419392240285546e-07, 1e-9), near(96.57760839034866, 1e-5))
    assert spreads.bca(20, [1, nan], without, False) is None and spreads.bca(20, [1, 2], [3], False) is None


def test_resamples_are_those_of_the_mersenne_twister():
    """The first outputs of mt19937ar.c after init_genrand(5489) (the C++ standard's default seed; its 10,000th is 4123659995)."""
    weights = spreads.resamples(1, 10000, 5489)
    assert weights == [(1,)] * 10000
    first = [3499211612, 581869302, 3890346734, 3586334585, 545404204, 4161255391, 3922919429, 949333985, 2715962298, 1323567403]
    drawn = [n // (0xffffffff // 10) for n in first]
    assert spreads.resamples(10, 1, 5489)[0] == tuple(drawn.count(k) for k in range(10))


def test_bootstrap_is_scipys_within_chance():
    """st.bootstrap((x,), np.mean, n_resamples=999999, method='BCa'): 3.5333 to 7.0917; expanded it is wider."""
    skewed = [3.1, 2.7, 4.9, 3.3, 8.2, 2.9, 3.6, 5.1, 2.5, 3.0, 12.4, 4.2]
    low, high = spreads.bootstrap_mean(skewed, 2000, 1)
    assert 3.1 < low < 3.5333 and 7.0917 < high < 8.5
    assert spreads.mean_interval(skewed, 2000, 1) == (low, high) == spreads.bootstrap_mean(skewed, 2000, 1)
    assert spreads.mean_interval(skewed[:9], 2000, 3) == spreads.t_mean(skewed[:9])
    assert spreads.bootstrap_mean([7] * 10, 500, 1) == (7, 7)


def test_of_a_slope():
    """A textbook's: slope 0.6, residual sum of squares 2.4, so its standard error is sqrt(2.4 / 3 / 10); t(3) 3.18245."""
    line = spreads.fit([1, 2, 3, 4, 5], [2, 4, 5, 4, 5])
    half = 3.182446 * sqrt(0.08)
    assert spreads.slope_interval(line) == (near(0.6 - half, 1e-5), near(0.6 + half, 1e-5))
    for x, y in (([1, 2], [2, 4]), ([2] * 5, [2, 4, 5, 4, 5]), ([1, 2, nan], [2, 4, 5])):
        assert spreads.slope_interval(spreads.fit(x, y)) is None


def test_of_where_a_line_reaches_a_level():
    """2.2 + 0.6 x reaches 4 at 3, the mean of x, and 3.4 at 2. t(8) is 2.306004; at an end the line is t(8) errors off the
    level."""
    line = spreads.fit([1, 2, 3, 4, 5] * 2, [2, 4, 5, 4, 5] * 2)
    f, l = spreads.line_reaches(line, 4), spreads.line_reaches(line, 3.4)
    assert f.value == near(3, 1e-9) and f.low < 3 < f.high and l.value == near(2, 1e-9)
    for end in (f.low, f.high):
        assert 0.6 * abs(end - 3) == near(2.306004 * sqrt(0.06 + 0.03 * (end - 3) ** 2), 1e-5)
    assert 0.6 * abs(l.low - 2) == near(2.306004 * sqrt(0.06 + 0.03 * (l.low - 3) ** 2), 1e-5)
    assert 2 - l.low > l.high - 2  # farther away from the points the line is known less well
    exact = spreads.line_reaches(spreads.fit([1, 2, 3, 4], [3, 5, 7, 9]), 6)
    assert (exact.value, exact.low, exact.high) == (near(2.5, 1e-9), near(2.5, 1e-6), near(2.5, 1e-6))


def test_no_place_where_a_line_reaches_a_level():
    x, y = [1, 2, 3, 4, 5], [2, 4, 5, 4, 5]
    for line, level in ((spreads.fit(x, y), 4), (spreads.fit(x, x[::-1]), 3), (spreads.fit(x[:2], y[:2]), 3)):
        assert isnan(spreads.line_reaches(line, level).value)


def test_a_published_line():
    """Anscombe's first set (1973): slope 0.5001, intercept 3.0001."""
    line = spreads.fit([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5], [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68])
    assert (line.slope, line.start) == (near(0.5001, 5e-5), near(3.0001, 5e-5))
    none = spreads.fit([4, 4], [1, 2])
    assert isnan(none.slope) and isnan(none.start) and isnan(spreads.fit([], []).slope)


def test_ranks_of_a_median():
    """Of nine values 2 and 8 hold the median with 96.1 %, 3 and 7 with 82.0 % (binomial)."""
    nine = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    low, high = spreads.order_statistics(nine, 9, 0.5)
    assert 2 < low < 3 and low + high == near(10, 1e-9)
    assert spreads.order_statistics(sorted(nine * 2), 9, 0.5)[0] == near(low, 0.6)
    assert spreads.order_statistics(nine, 4, 0.5) is None  # all of four lie on one side with 12.5 %
    assert spreads.order_statistics(nine, 9, 0.7) is None  # all of nine lie below with 4 %


def test_the_tail_of_runs_that_scatter_is_known_less_well_upward():
    """By arithmetic from t(4) = 2.776445, z = 1.644854 and chi-squared with 4 degrees of freedom: 11.143287 and 0.484419."""
    assert spreads.spread_tail(0.95, 5, 0.5, 2) == (near(-0.505099, 1e-6), near(0.844267, 1e-6))
    assert spreads.spread_tail(0.95, 5, 0.5, 0.4)[0] == near(-hypot(0.5, 0.4), 1e-6)  # no nearer than the median
    assert spreads.spread_tail(0.05, 5, 0.5, -2) == (near(-0.844267, 1e-6), near(0.505099, 1e-6))
    assert spreads.spread_tail(0.5, 5, 0.5, 0) == (near(-0.5, 1e-9), near(0.5, 1e-9))


@pytest.mark.parametrize('y, bends', [
    ([12, 13, 52, 53, 92, 93, 312, 313], True), ([12, 13, 52, 53, 92, 93, 162, 163], False),
    ([12, 13, 52, 53, 92, 93, 167, 168], False), ([12, 130, 52, 170, 92, 210, 162, 480], False),
])
def test_points_that_lie_on_no_line(y, bends):
    """One round trip up to 80 ms and two at 150 are no line; a straight one that scatters as much is."""
    assert spreads.line_bends([0, 0, 40, 40, 80, 80, 150, 150], y, 0) == bends


def test_one_point_of_each_cannot_bend():
    assert not spreads.line_bends([0, 40, 150], [0, 40, 300], 0) and not spreads.line_bends([], [], 0)
    assert not spreads.line_bends([0, 0, 40, 40, 80, 80, 150, 150], [9, 9.1, 8, 8.1, 9, 9.1, 9, 9.1], 1)


@pytest.mark.parametrize('p, ratio, low, high, word', [
    (nan, 3, 2.9, 3.1, 'too few runs'), (0.001, 3, 2.9, 3.1, 'worse'), (0.001, 0.5, 0.4, 0.6, 'better'),
    (0.2, 1.1, 0.9, 1.3, 'no difference shown'), (0.2, 1.1, 0.6, 1.9, 'too noisy'),
])
def test_verdicts_need_five_pairs(p, ratio, low, high, word):
    assert spreads.ratio_word(figures.estimate(ratio, low, high), p) == word


def test_holm():
    """R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")"""
    assert spreads.adjust_holm([0.01, nan, 0.04, 0.03, 0.005])[::2] == [near(0.03, 1e-12), near(0.06, 1e-12), near(0.02, 1e-12)]
    assert isnan(spreads.adjust_holm([0.01, nan])[1]) and spreads.adjust_holm([]) == []


def test_runs_of_hits():
    share = ShareRuns(1.0)
    share.add_repeat(bytes([1, 1, 0, 1, 0, 0, 0]))
    assert (share.hits, share.n, share.runs(False), share.runs(True)) == ([3], [7], (10, 3), (5, 2))


@pytest.mark.parametrize('repeats, low, high', [
    ([(2, 193), (0, 195), (5, 190)], 0.0039959, 0.1139889), ([(0, 195), (0, 195), (1, 194)], 0.0002986, 0.0735679),
    ([(20, 175), (30, 165), (10, 185), (25, 170), (22, 173)], 0.0777396, 0.1698894),
    ([(100, 95), (3, 192), (190, 5)], 0.1794029, 0.7992731),
    ([(60, 3900), (62, 3940), (58, 3950), (61, 4000)], 0.0129597, 0.0176521)])
def test_shares_of_repeats_that_differ(repeats, low, high):
    """By SciPy, on a grid of 4000 angles t and 600 fourth roots g, with mu = sin^2 t, rho = g^4, a = mu (1 - rho) / rho, and b the
    same of 1 - mu: sum(betaln(a + k, b + m) - betaln(a, b) for k, m in repeats) + 3 log1p(-rho). (The nodes are few.)"""
    found = spreads.beta_binomial(repeats)
    assert found == (pytest.approx(low, rel=0.1, abs=5e-4), pytest.approx(high, rel=0.1))
