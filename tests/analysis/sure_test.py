# SPDX-License-Identifier: GPL-3.0-or-later
"""When a percentile is known, open, or told by no number of keys."""
from analysis import figures, sure
from analysis.figures import Figure, Statistic


def interval(half):
    return figures.estimate(100, 100 - half, 100 + half)


def test_known_at_two_looks_in_a_row():
    narrow, wide, bare, few = interval(15), interval(25), figures.exact(100), figures.absent('too few')
    uneven = figures.estimate(100, 85, 125)
    pairs = [(narrow, narrow), (narrow, wide), (narrow, bare), (wide, narrow), (uneven, uneven), (bare, narrow), (few, few)]
    assert [sure.state(now, before, 0.2) for now, before in pairs] == ['known', 'once', 'once', 'wide', 'wide', 'bare', 'few']


def test_more_keys_do_not_tell_a_range():
    f = [interval(5), figures.between(Statistic(12), Statistic(212)), figures.absent('overloaded'),
         figures.bounded(Statistic(10000, True)),
         Figure(), Figure()]
    assert sure.count_open(f, f, 0.2) == {
        'open': 0, 'why': '', 'untold': 'a range in 1 condition, overloaded in 1, a lower bound in 1, not measured in 2'}


def test_the_worst_condition_says_why():
    f = [interval(30), interval(5), interval(40)]
    assert sure.count_open(f, f, 0.2) == {'open': 2, 'why': '± 40 %', 'untold': ''}
    f[0] = figures.absent('too few')
    assert sure.count_open(f, f, 0.2)['why'] == 'too few keys'
