# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of figures of rows."""
import pytest
from analysis.amounts import differ, near
from analysis.decide import FAILS, HOLDS, UNTOLD


def x(value=None, low=None, high=None, repeats=5, name='x_ms', **more):
    figure = {'': value, '_low': low, '_high': high, **{f'_{key}': v for key, v in more.items()}}
    return {'repeats': repeats, **{name + key: v for key, v in figure.items() if v is not None}}


# Reference: scipy.stats.ttest_ind_from_stats on logarithms, degrees of freedom rounded down; the values are geometric means of
# 9.3 9.5 9.6 9.4 9.7 and 9.8 9.9 10.4 9.7 10.1 with their t intervals; then -3 1 2 and 20 30 44, not on logarithms.
A, B = x(9.49894723, 9.30463125, 9.69732126), x(9.97694421, 9.64079936, 10.32480938)
RANGE = x(None, 10.8, 12.4, **{'from': 11, 'to': 12})


@pytest.mark.parametrize('a, b, share, low, high, word', [
    (A, B, 1, 0.1322192, 0.8361889, HOLDS),  # though their intervals overlap
    (A, B, 3, 0.0162270, 0.9621766, HOLDS), (A, B, 10, -0.1239217, 1.1185615, FAILS),
    (x(0, -6.572410607728428, 6.572410607728428, 3), x(31.333333333333332, 1.3859911333432926, 61.280675533323375, 3), 1, 0.6732634,
     61.9934032, HOLDS),
    # ranges are apart if their intervals do not touch
    (A, RANGE, 1, 1.1026787, 3.0953687, HOLDS), (A, x(None, 8.8, 12.4, **{'from': 9, 'to': 12}), 1, -0.8973213, 3.0953688, FAILS),
    (A, RANGE, 10, 0.6978941, 3.6992484, HOLDS),  # of one of ten pairs, by t.ppf(1 - 0.025 / 10, 4) / t.ppf(0.975, 4)
    # so is a lower bound by its interval; its number alone is no end of one
    (A, x(11, 10, above=1), 1, 0.3026787, None, HOLDS), (A, x(11, 9.6, above=1), 1, -0.0973213, None, FAILS),
    (A, x(11, above=1), 1, None, None, UNTOLD),
    # two repeats have no interval, and ranges of one have none
    (x(repeats=None, **{'from': 1, 'to': 2}), x(repeats=None, **{'from': 8, 'to': 9}), 1, None, None, UNTOLD),
    (A, x(20, repeats=2), 1, None, None, UNTOLD), (x(10, 9.9, 10.1, 2), x(20, 19.9, 20.1, 2), 1, None, None, UNTOLD)])
def test_two_figures_by_a_t_test_from_their_means_and_intervals(a, b, share, low, high, word):
    answer = differ(a, b, 'x_ms', share)
    assert answer.word == word
    for got, want in ((answer.low, low), (answer.high, high)):
        assert not abs(got) < 1e300 if want is None else got == pytest.approx(want, abs=1e-5)


def test_the_interval_of_a_percentile_is_of_all_keys():
    # as a t interval of three repeats it would be told apart
    assert differ(x(9.5, 9.3, 9.7, 3, 'p50_ms'), x(9.9, 9.68, 10.12, 3, 'p50_ms'), 'p50_ms').word == FAILS


@pytest.mark.parametrize('number, figure, is_near', [(40, 46, True), (40, 50, False), (-40, -46, True), (-40, -32, True),
                                                     (-40, -50, False), (-100, -100, True)])
def test_near_a_number_is_as_far_on_both_sides_of_it_also_below_0(number, figure, is_near):
    assert near(x(figure), 'x_ms', number, 0.1, 5) is is_near  # within a tenth and 5
