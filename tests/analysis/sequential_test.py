# SPDX-License-Identifier: GPL-3.0-or-later
"""The money of bets against what a few lines compute from the formula. (Rates of verdicts: tests/scenes/ab.tsv.)"""
from itertools import product
from math import exp, isinf, log

import pytest

from analysis import sequential
from analysis.sequential import Figure, Moments


def figure(effect, values):
    f = Figure(effect)
    for start, value in enumerate(values, 1):
        f.add(start, *(value if isinstance(value, tuple) else (value,)))
    return f


@pytest.mark.parametrize('values, known', [
    ([0.12, 0.05, 0.21, -0.02, 0.09], [2.003050195516, -7.031537560028, -1.819205528744, 2.875986271221, 3.028759504045]),
    ([0.12, (0.05, 0.11), (0.15, 0.21), -0.02, 0.09], [1.876477288741, -7.208548336753, -3.135831393922, 3.054267709557,
                                                       3.050899011007])])
def test_the_money_is_that_of_the_formula(values, known):
    f = figure(0.1, values)
    said = [sequential.log_money(f, mean, side) for mean, side in ((0, 1), (0, -1), (0.1, 1), (-0.1, 1), (0.3, -1))]
    assert said == pytest.approx(known, abs=1e-9)


def test_of_a_symmetric_law_the_money_stays_one_on_average():
    money = []
    for signs in product((-1, 1), repeat=8):
        f = Figure(1.0)
        for i, (sign, size) in enumerate(zip(signs, (3, 0.1, 7, 7, 0.02, 1, 30, 2))):
            f.add(2 * i + 1, sign * size)
        money.append(exp(sequential.log_money(f, 0, 1)))
    assert sum(money) / len(money) == pytest.approx(1, abs=1e-12)


def test_the_interval_ends_where_the_money_reaches_the_level():
    f = figure(1.0, [2.1, 1.9, 2.2, 1.7])
    sequential.decide([f], 0.05)
    assert isinf(sequential.reach(f, -1))
    f = figure(1.0, [2.1, 1.9, 2.2, 1.7, 2, 2.1, 2.3, 1.8, 2.2])
    sequential.decide([f], 0.05)
    assert f.word == sequential.HIGHER
    assert sequential.log_money(f, f.mean - sequential.reach(f, -1), 1) == pytest.approx(log(40), abs=1e-6)


def test_what_more_starts_would_decide():
    f = figure(1.0, [0.9, 1.2, 0.9])
    sequential.decide([f], 0.05)
    assert f.word == sequential.OPEN and sequential.more_needed(f) == 3
    assert sequential.starts_needed(1, 1e-6, 1, 0.05) == 6 and sequential.starts_needed(1, 1000, 1, 0.05) is None


def test_two_runs_without_any_spread_say_nothing():
    f = Figure(0.1)
    sequential.set_runs(f, Moments(3, 16.7), Moments(3, 33.3))
    sequential.decide([f], 0.05)
    assert f.word == sequential.OPEN and isinf(sequential.reach(f, 1))
