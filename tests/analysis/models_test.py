# SPDX-License-Identifier: GPL-3.0-or-later
"""Published rules on hand-made samples."""
from math import isnan, nan

import pytest

from analysis import models
from analysis.models import Answer

LIMITS = {
    'perception': 100.0, 'crisp': 150.0, 'noticeable': 1000.0, 'annoying': 2000.0, 'unacceptable': 5000.0, 'apdex_target': 100.0,
    'apdex_tolerating': 4.0, 'apdex_excellent': 0.94, 'apdex_good': 0.85, 'apdex_fair': 0.7, 'apdex_poor': 0.5,
    'wu_expected': 100.0, 'wu_beta': 2.0, 'vsimax_base_samples': 15.0, 'vsimax_base_dropped': 2.0, 'vsimax_samples': 5.0,
    'vsimax_per_user': 0.4, 'vsimax_trim': 0.05, 'vsimax_margin': 1000.0,
}


def answers(*ms):
    return [Answer(v, v) for v in ms]


TEN = answers(50, 100, 101, 150, 400, 401, 1000, 2100, 5000, 9000)


def test_classes_of_ranges():
    # a latency between 50 ms and 9 s may be of each class, one between 400 and 1000 ms of two
    shares = models.tolia([Answer(50, 50), Answer(50, 9000), Answer(400, 1000), Answer(9000, 9000)], LIMITS)
    assert [least for least, _ in shares] == [0.25, 0, 0, 0, 0.25]
    assert [most for _, most in shares] == [0.5, 0.5, 0.5, 0.25, 0.5]


def test_late_share_and_classes_by_hand():
    assert models.late_share(TEN, True, 100) == 0.8
    assert models.tolia(TEN, LIMITS) == [(v, v) for v in (0.3, 0.3, 0.1, 0.1, 0.2)]
    assert isnan(models.late_share([], True, 100))


def test_apdex_by_hand():
    assert models.apdex(TEN, True, LIMITS) == (2, 3, 5, 0.35)
    failed = [Answer(50, 50, failed=True), *TEN[1:]]  # soon, but with an error
    assert models.apdex(failed, True, LIMITS)[:3] == (1, 3, 6)


@pytest.mark.parametrize('score, word', [(0.35, 'unacceptable'), (0.85, 'good'), (0.9349, 'good'), (0.9351, 'excellent'),
                                         (0.4949, 'unacceptable'), (0.4951, 'poor'), (nan, None)])
def test_words_are_of_hundredths(score, word):
    assert models.apdex_word(LIMITS, score) == word


def test_halves_go_up_whatever_they_are_in_binary():
    for half in range(5, 1000, 10):
        assert models.round_apdex(half / 1000) == pytest.approx((half + 5) / 1000, abs=1e-12)


def test_felt_delay_by_hand():
    # (.001 .05 .3 .301 .9 2 4.9 8.9)^2
    total, mean = models.felt_delay(TEN, True, LIMITS)
    assert total == pytest.approx(1e-6 + 0.0025 + 0.09 + 0.090601 + 0.81 + 4 + 24.01 + 79.21, abs=1e-9)
    assert mean == pytest.approx(10.8213102, abs=1e-6)
    assert models.felt_delay([Answer(0, 5000, later=True)], True, LIMITS)[0] > 1e300


def test_vsimax_by_hand():
    # 200 samples, one more user each ten; latency 500 ms, and from 15 users on 1,600 ms; the shortest two are dropped
    ms = [500.0 if i < 140 else 1600.0 for i in range(200)]
    ms[3:5] = [1.0, 2.0]
    samples = [Answer(0, v, users=1 + i // 10) for i, v in enumerate(ms)]
    # at 15 users 11 samples are averaged, nine of them after the trim: over 1500 takes nine long ones of nine (8: 1477.8), so ten
    # of eleven; the tenth of them is the last with 15 users
    assert models.vsimax(samples, True, LIMITS) == (500, 1500, 1600, True, True, 15)
    short = models.vsimax(samples[:140], True, LIMITS)
    assert not short.reached and short.users == 14
    assert not models.vsimax([Answer(0, a.late_ms) for a in samples], True, LIMITS).known
    assert isnan(models.vsimax(samples[:14], True, LIMITS).base)


def test_vsimax_of_sixty_users():
    # The documentation's example: of 60 users 5 + 24 samples are averaged, less one at either end. Of 40 samples 20 take 500 ms and
    # 20 take 2,000: the last 29 but one are 10 and 19 of them, less one each: (9 x 500 + 18 x 2000) / 27 = 1500, not over the limit
    # of 500 + 1000; the last 29 are 9 and 20: 42000 / 27. (Its 31, less two at either end, would not be over it by then.)
    samples = [Answer(0, 500 if i < 20 else 2000, users=60) for i in range(40)]
    before, at = models.vsimax(samples[:39], True, LIMITS), models.vsimax(samples, True, LIMITS)
    assert before.known and not before.reached and before.last == 1500
    assert at.reached and at.last == pytest.approx(42000 / 27) and at.limit == 1500


def test_constants_have_a_source_and_a_range():
    rows = [(i, [name, '5', f'source of {name}']) for i, name in enumerate(models.CONSTANTS, 2)]
    assert models.read_limits(rows).source['wu'] == 'source of wu_beta'
    for name, value in (('crisp', '-1'), ('crisp', 'x'), ('crisp', '1e400')):
        with pytest.raises(models.BadLine, match=name):
            models.read_limits([(2, [name, value, ''])])
    with pytest.raises(models.BadLine, match='perception'):
        models.read_limits(rows[1:])


@pytest.mark.parametrize('value, nearest', [(0.49999999999999994, 0), (0.5, 1), (-2.5, -3), (4503599627370497.0, 4503599627370497)])
def test_halves_are_rounded_away_from_zero_and_nothing_else(value, nearest):
    assert models.half_away(value) == nearest
