# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed networks against GNU Octave's queueing package and a published table; single queues against sums and Erlang's tables."""
from math import inf, log

import pytest

from analysis import queue_models as models
from analysis.queue_models import Network

PAPER = (0.05, 0.04, 0.03)


@pytest.mark.parametrize('n, z, x, q, u', [
    (1, 10, 0.0988142292490119, 0.0118577075098814, 0.00494071146245059),
    (10, 1, 8.51691108020794, 1.48308891979206, 0.425845554010397),
    (100, 10, 9.80039651990453, 1.99603480095466, 0.490019825995227),
    (100, 5, 18.0062624988499, 9.96868750575028, 0.900313124942497),
    (200, 10, 18.6408957733344, 13.591042266656, 0.93204478866672),
    (400, 10, 20, 200, 1), (400, 20, 19.0746131040038, 18.5077379199244, 0.953730655200189),
    (600, 30, 19.2599044597197, 22.2028662084086, 0.962995222985986),
    (1000, 50, 19.4400582451465, 27.9970877426759, 0.972002912257324), (1000, 10, 20, 800, 1),
])
def test_exact_is_what_octave_says(n, z, x, q, u):
    # octave --eval 'pkg load queueing; format long; [U R Q X] = qncsmva(N, [.05 .04 .03], [1 1 1], [1 1 1], Z), sum(Q)'
    p = models.solve_exact(Network(PAPER), [n], z)[n]
    assert (p.rate, p.queue(), p.used[0]) == pytest.approx((x, q, u), rel=1e-9)


TABLE_1 = [
    (100, 10, 10.00, 9.80, 2.01, 0.20), (200, 10, 20.00, 18.46, 15.37, 1.54), (400, 10, 40.00, 19.95, 200.52, 20.05),
    (600, 10, 60.00, 19.98, 400.17, 40.02), (800, 10, 80.00, 19.99, 600.09, 60.01), (1000, 10, 100.00, 19.99, 800.05, 80.01),
    (100, 5, 20.00, 17.80, 11.02, 2.20), (400, 20, 20.00, 18.93, 21.38, 1.07), (600, 30, 20.00, 19.14, 25.95, 0.86),
    (800, 40, 20.00, 19.26, 29.78, 0.74), (1000, 50, 20.00, 19.34, 33.15, 0.66),
]


@pytest.mark.parametrize('tolerance, within', [(1e-3, 0.005 + 1e-9), (0, 0.015)])
@pytest.mark.parametrize('n, z, nz, rate, q, qz', TABLE_1)
def test_table_1_is_schweitzers(n, z, nz, rate, q, qz, tolerance, within):
    # Brady & Gunther 2003/2016: to its last digit where the approximation ends as early as theirs did, within 0.01 where it does
    # not
    p = models.solve_schweitzer(Network(PAPER, 0, tolerance), n, z)
    assert (p.rate, p.queue(), p.queue() / z) == pytest.approx((rate, q, qz), abs=within)
    assert n / z == pytest.approx(nz, abs=0.005)


@pytest.mark.parametrize('method', models.METHODS)
def test_laws_hold_and_bounds_are_not_passed(method):
    net = Network(PAPER, 0.02)
    for n, p in models.solve(net, method, range(1, 400, 7), 8).items():
        assert p.queue() + p.rate * 8 == pytest.approx(n, abs=1e-6)  # N = Q + lambda Z
        assert sum(p.queues) + p.rate * 0.02 == pytest.approx(p.queue(), abs=1e-6)  # those at a station, and those in the delay
        assert p.rate <= net.bound_rate(n, 8) * (1 + 1e-9) and p.r_s >= net.bound_s(n, 8) * (1 - 1e-9)


@pytest.mark.parametrize('method', models.METHODS)
def test_one_user_never_waits_and_nobody_asks_nothing(method):
    p = models.solve(Network(PAPER), method, [1], 0.38)[1]
    assert (p.r_s, p.rate) == pytest.approx((0.12, 2), abs=1e-12)
    p = models.solve(Network(PAPER), method, [0], 1)[0]
    assert (p.rate, p.queue(), p.r_s) == (0, 0, pytest.approx(0.12))


def test_loads_in_one_pass_are_those_one_by_one():
    together = models.solve_exact(Network(PAPER), [300, 10, 150, 10], 8)
    assert together == {n: models.solve_exact(Network(PAPER), [n], 8)[n] for n in (10, 150, 300)}


def test_erlangs_formulas():
    # Erlang's own tables: B(10, 5) = 0.018385, and by hand B(2, 1) = (1/2) / (1 + 1 + 1/2)
    assert models.erlang_b(2, 1) == pytest.approx(0.2, abs=1e-15)
    assert models.erlang_b(10, 5) == pytest.approx(0.018384570, abs=1e-9)
    assert models.erlang_b(5, 0) == 0 and models.erlang_b(0, 0) == 1
    assert models.erlang_c(1, 0.7) == pytest.approx(0.7, abs=1e-15)  # M/M/1: a request waits with probability rho
    assert models.erlang_c(2, 1) == pytest.approx(1 / 3, abs=1e-15)
    assert models.erlang_c(3, 3) == 1


@pytest.mark.parametrize('servers', [1, 2, 5])
def test_open_queues_are_birth_and_death(servers):
    # sums over the states of the process, cut where nothing is left
    rate, p, states, queue, waits = 0.8 * servers / 0.05, 1.0, 0.0, 0.0, 0.0
    for k in range(3000):
        states, queue, waits = states + p, queue + k * p, waits + p * (k >= servers)
        p *= rate * 0.05 / min(k + 1, servers)
    e = models.open_queue(rate, 0.05, servers)
    assert e.steady and (e.queue, e.waits, e.r_s) == pytest.approx((queue / states, waits / states, queue / states / rate),
                                                                   abs=1e-9)
    assert e.used == pytest.approx(0.8, abs=1e-12)


def test_the_quantile_of_one_server_is_exponential():
    # R of M/M/1 is exponential with mean S / (1 - rho)
    assert models.open_quantile(18, 0.05, 1, 0.95) == pytest.approx(0.5 * log(20), abs=1e-9)
    assert models.open_quantile(0.001, 0.05, 4, 0.5) == pytest.approx(0.05 * log(2), abs=1e-6)
    assert models.open_quantile(40, 0.05, 1, 0.5) == inf


def test_too_much_is_no_steady_state():
    e = models.open_queue(30, 0.05, 1)
    assert not e.steady and e.rate == pytest.approx(20, abs=1e-12) and e.r_s == inf


def test_the_repairman_is_a_closed_network():
    # M/M/1/N/N is a closed network of one station
    for n, p in models.solve_exact(Network([0.05]), range(1, 61, 3), 1.3).items():
        e = models.closed_queue(n, 1.3, 0.05)
        assert (e.rate, e.r_s) == pytest.approx((p.rate, p.r_s), rel=1e-9) and e.queue + e.rate * 1.3 == pytest.approx(n, rel=1e-9)
