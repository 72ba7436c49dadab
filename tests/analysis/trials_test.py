# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a cell over the trials that were judged alike, on numbers worked out by hand."""
from math import isnan, nan, sqrt

import pytest

from analysis import trials
from analysis.samples import Run
from analysis.trials import Trial

RUN = Run('run', 'paging', {}, 5, 1, 100.0)


def trial(repeat, group, ms, above=False, size=nan):
    out = Trial(repeat, 1, group)
    out.put('key_ms', ms, above)
    out.put('bytes', size, False)
    return out


def figure(of, name):
    return dict(trials.by_name(RUN, of, ('out', 'in'), ('key_ms', 'bytes'), [name])).get(name)


def test_trials_are_pooled_by_what_they_were():
    of = [trial(1, 'out', 100, size=1000), trial(1, 'out', 300, size=3000), trial(1, 'out', 5000, True), trial(1, 'in', 2, size=0)]
    expected = {'out.n': 3, 'out+in.n': 4, 'out.key_ms.min': 100, 'out.key_ms.mean': 1800, 'out.key_ms.median': 300,
                'out.key_ms.max': 5000, 'out.key_ms.above': 1, 'out.bytes.n': 2, 'out.bytes.mean': 2000, 'in.key_ms.p50': 2}
    assert {name: figure(of, name).value for name in expected} == expected
    assert figure(of, 'out.bytes.sd').value == pytest.approx(sqrt(2) * 1000)
    assert [figure(of, f'out.key_ms.{name}').above for name in ('max', 'mean', 'median')] == [True, True, False]
    p50 = figure(of, 'out.key_ms.p50')
    assert p50.low < 300 and isnan(p50.high) and not p50.above  # it is among the lower bounds


def test_trials_that_are_alike_within_repeats_are_not_independent():
    """Four trials that are alike in each of five repeats tell as much as five: the least and the largest of five hold the median
    with 94 %. Repeats that are alike leave the order statistics of all: ranks 6 to 15 and more."""
    alike = figure([trial(r, 'out', 100 * r + i) for r in range(1, 6) for i in range(4)], 'out.key_ms.p50')
    assert (alike.value, alike.low, alike.high) == (301.5, 101.5, 501.5)
    mixed = figure([trial(r, 'out', 100 + 5 * i + r) for r in range(1, 6) for i in range(4)], 'out.key_ms.p50')
    assert 104 < mixed.low <= 106.5 and 114.5 <= mixed.high < 117


def test_without_trials_counts_are_0_and_the_rest_is_unknown():
    of = [trial(1, 'out', 100)]
    assert figure(of, 'in.n').value == figure(of, 'in.key_ms.above').value == 0
    assert isnan(figure(of, 'in.key_ms.min').value) and isnan(figure(of, 'in.key_ms.p50').value)


@pytest.mark.parametrize('name', ['', 'out', 'out.', 'out.key_ms', 'out.key_ms.mode', 'none.n', 'out.nothing.mean', 'out+none.n'])
def test_what_is_no_figure_is_refused(name):
    assert figure([], name) is None
