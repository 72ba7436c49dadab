# SPDX-License-Identifier: GPL-3.0-or-later
"""Words on made-up rows of replays: verdict and findings say no more than the rows do."""
import pytest
from made_up import Said, has, level, row

NO_RATIO = {'ratio_low': None, 'ratio_high': None}


def replayed(b=None, a=None, stem='cpuspeed', floor_ms=10, **settings):
    """The setting "at b" beside the base "at a"."""
    rows = [row({'setting': 'a', 'says': 'at a', 'p50_ms': 20, 'points': 0, 'slower': 0, 'faster': 0, 'failed': 0, 'missing': 0},
                a or {}),
            row({'setting': 'b', 'says': 'at b', 'points': 70, 'slower': 0, 'faster': 0, 'failed': 0, 'missing': 0},
                level('total_ratio', 1, 0.995, 1.005), level('ratio', 1, 0.9, 1.1), b or {})]
    points = [{'setting': 'b', 'input': 1, 'kind': 'key', 'ratio': 1.5, 'base_ms': 100, 'latency_ms': ms} for ms in (150, 151)]
    return Said(stem, rows, {'settings': {'base': 'a', 'threshold_ms': 150, **settings}, 'protocol': {'floor_ms': floor_ms}},
                points=points)


def ids(said):
    return {text.split(' ')[0] for text in said.all()}


def texts(said):
    return '\n'.join(said.all())


def test_responses_have_changed_from_a_tenth_of_them_on_and_later_than_the_limit_is_more_than_it():
    assert {'hidden', 'most-grown'} <= ids(replayed({'slower': 7}))
    assert 'unchanged' in ids(replayed({'slower': 6}))
    assert 'unchanged' in ids(replayed()) and 'most-grown' not in ids(replayed())  # none takes at least 1.5 times as long
    has(texts(replayed()), 'Of 2 responses found at both, 1 take over 150 ms, instead of 0.')
    has(texts(replayed({'slower': 6})), 'fewer than a tenth of the responses change much')
    # seven of 70 took longer, the median response did not
    has(texts(replayed({'slower': 7, **level('total_ratio', 1.2, 1.1, 1.3)})), 'Total time and some of the responses change')


def test_one_replay_hides_nothing_surely_and_a_single_response_that_took_longer_is_bad_only_if_responses_do():
    has(replayed({'slower': 7, 'ratio': 1.3}).verdict(), 'at most 1 % from that with at a, but')
    has(replayed({'slower': 7, 'total_ratio_low': None, 'total_ratio_high': None}).verdict(),
        'at most 1 % from that with at a (no interval), but')
    for ratio, verdict in ((level('ratio', 1.3, 1.1, 1.5), 'bad'), (level('ratio', 1.3, 0.9, 1.7), 'unsure'),
                           ({'ratio': 1.3, **NO_RATIO}, 'unsure')):
        has(replayed({'slower': 7, 'faster': 1, **ratio}).one('most-grown'), f'{verdict}: ')


def test_responses_that_change_both_ways_have_not_changed_surely_and_a_total_time_with_a_wide_interval_is_not_the_same():
    """Noise makes as many responses faster as slower: of seven, 5 and 2 by it in 45 of 100 cases, 7 and 0 in 2 (binom.cdf)."""
    for moved in ({'slower': 5, 'faster': 2}, {'slower': 4, 'faster': 4}):
        assert 'noisy' in ids(replayed(moved))
        has(replayed(moved).verdict(), 'cannot tell whether a setting changes responses')
        found = ids(replayed({**moved, **level('total_ratio', 1.2, 1.1, 1.3)}))
        assert 'total-noisy' in found and 'shown' not in found
    # without an interval, as of one replay, the surplus counts
    assert 'hidden' in ids(replayed({'slower': 8, 'faster': 1, **NO_RATIO}))
    assert 'noisy' in ids(replayed({'slower': 4, 'faster': 4, **NO_RATIO}))
    # all responses by a little: the interval of their ratio tells
    assert 'hidden' in ids(replayed({'slower': 5, 'faster': 2, **level('ratio', 1.3, 1.1, 1.5)}))
    found = ids(replayed({'slower': 9, **level('total_ratio', 1.004, 0.93, 1.08)}))
    assert 'untold' in found and 'hidden' not in found


@pytest.mark.parametrize('floor_ms, p50_ms, is_named', [(10, 20, True), (22, 20, True), (9.9, 20, False), (22.1, 20, False),
                                                        (None, 20, False),
                                                       (10, None, False)])
def test_a_wait_that_is_in_each_response_is_named_from_half_of_the_median_on_if_it_is_no_longer_than_that(floor_ms, p50_ms,
                                                                                                          is_named):
    said = replayed(a={'p50_ms': p50_ms}, floor_ms=floor_ms)
    assert any('server-floor' in text or 'floor' in text.split(' ')[0] for text in said.all()) == is_named


@pytest.mark.parametrize('columns, verdict', [({}, 'none'), ({'load_reads_per_s': 105}, 'none'), ({'value': None}, 'none'),
                                              ({'load_reads_per_s': 94.9}, 'unsure'), ({'load_reads_per_s': 105.1}, 'unsure'),
                                              ({'load_reads_per_s': None}, '')])
def test_a_load_is_as_asked_for_within_a_twentieth_and_a_setting_without_a_rate_has_none_to_keep(columns, verdict):
    said = replayed({'value': 100, 'load_reads_per_s': 95, **columns}).one('load')
    assert said.startswith(f'{verdict}: ') if verdict else not said


@pytest.mark.parametrize('tau, most, verdict', [((0.1, 0, 0.2), 4, 'good'), ((0.1, 0, 0.2), 4.1, 'unsure'),
                                                ((0.1, 0, 0.2), None, 'good'),
                                                ((0.7, 0.6, 0.8), 4, 'none'), ((0.1, None, None), 4, 'unsure')])
def test_iosched_a_device_is_overfull_only_above_its_limit_and_orders_differ_only_by_intervals_that_lie_apart(tau, most, verdict):
    """Of the second, beside 0.9 (0.8 to 1); most in the device, of 4."""
    said = replayed({'in_device_p90': most, 'waiting_mean': 9, **level('tau', *tau)},
                    {'in_device_p90': most, 'waiting_mean': 9, **level('tau', 0.9, 0.8, 1)}, 'iosched', takes=4)
    has(said.one('order'), f'{verdict}: ')
