# SPDX-License-Identifier: GPL-3.0-or-later
"""Known demands come back from rows that a model made by hand, and least squares is what a pocket calculator says."""
import random
from math import exp, inf, isnan, nan, sqrt

import pytest

from analysis import demands, least_squares
from analysis.observed import Observed, Row


def estimate(rows, resources=(), **how):
    return demands.estimate(Observed(rows, list(resources)), **how)


def test_busy_times_are_a_line_through_the_origin():
    # U = D X through the origin, D = sum(U) / sum(X) = .61 / 60. Residuals .00833 -.01333 .005, over 1 - X / sum(X) (5/6 4/6 3/6)
    # .01 -.02 .01: t(2) = 4.302653 of sqrt(.0006) / 60 each side
    rows = [Row(rate=x, used=[u]) for x, u in ((10, 0.11), (20, 0.19), (30, 0.31))]
    d = estimate(rows, ['cpu'])
    assert len(d.stations) == 1 and d.response_rows == 0
    assert d.stations[0].value == pytest.approx(0.61 / 60, abs=1e-12)
    assert d.stations[0].high - d.stations[0].low == pytest.approx(2 * 4.302652730 * sqrt(6e-4) / 60, abs=1e-9)
    one = estimate(rows[:1], ['cpu'])  # one row tells a demand and no interval
    assert one.stations[0].value == pytest.approx(0.011, abs=1e-12) and isnan(one.stations[0].low) and isnan(one.stations[0].high)


def one_station(n, z, demand, delay):
    """One station and N users, by the recursion written out: R(n) = D (1 + Q(n - 1))."""
    q = r = 0
    for i in range(1, n + 1):
        r = demand * (1 + q)
        q = i / (r + delay + z) * r
    return r + delay


def test_a_station_and_a_delay_come_back_from_response_times():
    rows = [Row(n=n, z_s=2, r_s=one_station(n, 2, 0.04, 0.025)) for n in (1, 5, 10, 20, 40, 60)]
    d = estimate(rows)
    assert (d.stations[0].value, d.delay.value) == pytest.approx((0.04, 0.025), abs=1e-6)
    assert d.stations[0].low <= d.stations[0].value <= d.stations[0].high
    # the first four alone foretell the fifth and the sixth, beyond the knee
    d = estimate(rows, first=4)
    for row, p in zip(rows[4:], demands.predict(d.net(), 'exact', rows[4:])):
        assert p.r_s == pytest.approx(row.r_s, rel=1e-3)


@pytest.mark.parametrize('delay', [0, 0.05])
def test_an_open_stream_tells_too(delay):
    # R = D0 + D / (1 - X D) of an open stream; no delay is found where there is none
    d = estimate([Row(rate=x, r_s=0.012 / (1 - x * 0.012) + delay) for x in (10, 25, 40, 55, 70)])
    assert (d.stations[0].value, d.delay.value) == pytest.approx((0.012, delay), abs=1e-6)


def test_intervals_hold_what_they_say():
    # errors of 2 % at random: of 200 sets, the true demand lies in the 95 % interval of most
    draw, held = random.Random(7), 0
    for _ in range(200):
        d = estimate([Row(n=n, z_s=1, r_s=one_station(n, 1, 0.03, 0) * exp(draw.gauss(0, 0.02))) for n in range(5, 45, 5)],
                     delay=False)
        held += d.stations[0].low <= 0.03 <= d.stations[0].high
    assert 180 <= held <= 199


@pytest.mark.parametrize('alike', [False, True])
def test_intervals_of_busy_times_hold_too(alike):
    # where busy times are off by a share of themselves, as those of equally many requests are, and where all are off by as much
    draw, held = random.Random(8), 0
    for _ in range(500):
        rows = [Row(rate=x, used=[0.04 * x + draw.gauss(0, 0.01 if alike else 0.0012 * x)]) for x in range(3, 27, 3)]
        station = estimate(rows, ['cpu']).stations[0]
        held += station.low <= 0.04 <= station.high
    assert 460 <= held <= 493


def test_what_the_rows_cannot_tell_is_refused():
    with pytest.raises(demands.Unknown):
        estimate([Row(rate=1), Row()], stations=3)
    rows = [Row(rate=1, r_s=0.1, used=[nan]), Row(rate=2, r_s=0.1, used=[nan])]
    with pytest.raises(demands.Unknown, match='--stations'):
        estimate(rows, stations=3)
    with pytest.raises(demands.Unknown, match='u_'):  # a busy time that is never there
        estimate(rows, ['cpu'], stations=3)


def test_demands_that_rows_do_not_tell_apart_have_no_interval():
    # four times the same row: any shares of its 100 ms between two stations and a delay would do
    d = estimate([Row(n=1, z_s=1, rate=0.9, r_s=0.1)] * 4, stations=2)
    assert len(d.stations) == 2
    assert all(isnan(e.low) and isnan(e.high) for e in (*d.stations, d.delay))


def test_the_largest_load_is_the_last_below_the_limit():
    net = demands.Network([0.05], 0.02)
    most = demands.most_users(net, 'exact', 0.2, nan, 1, 1e7)
    assert one_station(int(most), 1, 0.05, 0.02) <= 0.2 < one_station(int(most) + 1, 1, 0.05, 0.02)
    assert demands.most_users(net, 'exact', 0.01, nan, 1, 1e7) == 0
    assert demands.most_users(demands.Network([1e-9]), 'exact', 1, nan, 100, 1000) == inf
    # an M/M/1 of 50 ms and a delay of 20 ms: 200 ms where 0.05 / (1 - 0.05 x) = 0.18
    assert demands.most_rate(net, 0.2) == pytest.approx((1 - 0.05 / 0.18) / 0.05, rel=1e-9)


def test_least_squares_is_the_line_of_a_pocket_calculator():
    # y = a + b x through (0, 1), (1, 2), (2, 4): b = 1.5, a = 5/6; (J'J)^-1 of the columns 1 and x: 5/6 -1/2; -1/2 1/2
    x, y = [0.0, 1.0, 2.0], [1.0, 2.0, 4.0]
    assert least_squares.solve_linear([[1.0] * 3, x], y) == pytest.approx([5 / 6, 1.5])
    fit = least_squares.minimize(lambda v: [v[0] + v[1] * a - b for a, b in zip(x, y)], [3.0, -1.0], 100)
    assert fit.values == pytest.approx([5 / 6, 1.5], abs=1e-8)
    gram = least_squares.invert_gram([[1.0] * 3, x])
    assert gram[0] == pytest.approx([5 / 6, -1 / 2]) and gram[1] == pytest.approx([-1 / 2, 1 / 2])
    assert least_squares.invert_gram([x, [2 * v for v in x]]) is None
