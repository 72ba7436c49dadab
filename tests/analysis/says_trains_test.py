# SPDX-License-Identifier: GPL-3.0-or-later
"""Words and figures of made-up rows of trains of keys (stalls, schedulers, calibrate), and of several runs."""
import re

import pytest
from made_up import Said, has, lacks, level, row

from analysis import page

# --- stalls -------------------------------------------------------------------------------------------------------

LIGHT = {'app': 'light', 'protocol': 'vnc', 'keys': 475, 'overloaded': 0}


@pytest.mark.parametrize('n, held, words', [(1, 103.3, 'typed keys differ**'), (4, 103.3, 'no difference shown'),
                                            (4, 103.8, 'typed keys differ**')])
def test_stalls_held_and_typed_keys_are_compared_by_a_test_of_the_difference(n, held, words):
    """Ten repeats, half an interval is 2: t(9) = 2.262 errors of 0.884. The difference is 2.6 errors of its own for 103.3: t(18) is
    2.10 for one condition, 2.77 for four."""
    rows = [row(LIGHT, level('mean_stall_ms', 100, 98, 102), level('hold_mean_stall_ms', held, held - 2, held + 2),
                sinks=sinks, repeats=10)
            for sinks in range(n)]
    has(Said('stalls', rows).one('held-light'), words)


def test_stalls_the_finding_gives_the_number_of_overloaded_repeats_and_the_largest_backlog():
    def overloaded(repeats):
        base = {**LIGHT, **level('late_share_percent', 0, 0, 2), 'repeats': 5}
        return Said('stalls', [row(base, sinks=5, overloaded=repeats, backlog_per_s=1.04, backlog_max_per_s=5.2),
                               row(base, sinks=10)])

    some = overloaded(1)
    has(some.verdict(), '5 CPU hogs in 1 of 5 repeats')
    has(some.one('late-light'), '5 CPU hogs in 1 of 5 repeats')
    has(some.verdict() + some.one('late-light'), '5.2 a second')
    lacks(overloaded(5).verdict() + overloaded(5).one('late-light'), 'repeats')


def late_rows(change):
    """Of vnc and x11, both late with 5 and 10 CPU hogs."""
    rows = []
    for protocol in ('vnc', 'x11'):
        for sinks in (0, 5, 10, 20):
            late = 50 if sinks else 0
            one = change({**LIGHT, 'protocol': protocol, 'sinks': sinks,
                          **level('late_share_percent', late, max(late - 5, 0), late + 2)})
            if one:
                rows.append(row(one))
    return Said('stalls', rows).one('late-light')


def test_stalls_with_n_hogs_and_more_only_if_the_application_is_late_at_each_higher_load():
    has(late_rows(lambda r: r), 'With 5 CPU hogs and more: vnc and x11.')
    has(late_rows(lambda r: r if r['protocol'] == 'x11' or r['sinks'] < 10 else None), 'With 5 CPU hogs: vnc.',
        'With 5 CPU hogs and more: x11.')
    unmeasured = late_rows(lambda r: {'app': 'light', 'protocol': 'vnc', 'sinks': 10, 'repeats': 0}
                           if (r['protocol'], r['sinks']) == ('vnc', 10) else r)
    in_time = late_rows(lambda r: r | level('late_share_percent', 0, 0, 2) if (r['protocol'], r['sinks']) == ('vnc', 20) else r)
    for said in (unmeasured, in_time):
        has(said, 'With 5 CPU hogs: vnc.', 'With 5 CPU hogs and more: x11.')


def test_stalls_a_share_that_is_the_same_over_each_protocol_is_no_range():
    has(late_rows(lambda r: r), '50 % (95 % CI 45 to 52 %) over each.')
    has(late_rows(lambda r: {**r, 'late_share_percent_high': 52 + (r['protocol'] == 'x11')}), 'over vnc and 50 %')


@pytest.mark.parametrize('columns, words, alone', [
    (level('late_share_percent', 1, 0, 4), 'between 3 and 10', 'good:'), ({}, '10 CPU hogs or fewer', 'unsure:'),
    (level('late_share_percent', 4, 2, 6), '10 CPU hogs or fewer', 'unsure:')])
def test_stalls_what_cannot_be_told_is_neither_yes_nor_no(columns, words, alone):
    """The row below the one that is late: a figure that is unknown, or an interval across the limit."""
    first, second = row(LIGHT, columns, sinks=2), row(LIGHT, level('late_share_percent', 50, 45, 55), sinks=10)
    has(Said('stalls', [first, second]).one('late-light'), words)
    has(Said('stalls', [first]).one('late-light'), alone)


@pytest.mark.parametrize('settings, named', [({}, True), ({'on': 'attach:vnc://host:1'}, False)])
def test_stalls_a_range_of_late_keys_points_to_the_reference_application_only_in_a_session_of_the_lab(settings, named):
    said = (Said('stalls', [row(LIGHT, sinks=0, late_share_percent_from=2, late_share_percent_to=8)],
                 {'settings': settings}).one('late-light'))
    has(said, 'unsure: ')
    if named:
        has(said, 'only a range. The reference application')
    else:
        lacks(said, '--app heavy')


def left(*rows):
    return Said('stalls', [row(LIGHT, r) for r in rows]).one('probe')


@pytest.mark.parametrize('columns, there, absent', [
    ({'lateness_max_us': 1000}, ('good: ', 'Each key left within 1 ms'), 'one by one'),
    ({'lateness_max_us': 1001}, ('good: ',), 'Each key'), ({'lateness_max_us': 10001}, ('unsure: ',), 'good: '),
    # a key that waits for the answer before: only what this machine adds to that is late, and only if over 10 ms
    ({'lateness_max_us': 1005000, 'left_late_max_ms': 0}, (
        'good: ', 'Each key at a fixed rate left within 1 ms of its due time.',
        'No key that goes one by one is known to have left over 10 ms'), 'bad'),
    ({'lateness_max_us': 1005000, 'left_late_max_ms': 12}, (
        'unsure: ', 'Each key at a fixed rate left within 1 ms', 'one by one, the latest left 12.0 ms after its turn'), 'good: ')])
def test_stalls_each_key_left_in_time_only_if_the_latest_did(columns, there, absent):
    said = left({'sinks': 0, 'lateness_max_us': 80}, {'sinks': 5, 'lateness_max_us': 80, **columns})
    has(said, *there)
    lacks(said, absent)


def test_stalls_keys_one_by_one_have_no_due_time_and_99_percent_are_not_each():
    lacks(left({'sinks': 0, 'lateness_max_us': 80, 'left_late_max_ms': 0}), 'Each key', 'latest key')
    has(left({'sinks': 0, 'lateness_max_us': 3116}, {'sinks': 5, 'lateness_max_us': 3116, 'left_late_max_ms': 0}),
        'latest key at a fixed rate left 3.1 ms after its due time')
    assert left({'sinks': 0, 'lateness_p99_us': 80}) == ''


@pytest.mark.parametrize('protocols, more, own', [
    (['vnc'], {}, 'own error ± 0.242 ms from pixels (calibrated 2026-12-01); '),
    (['vnc'], {'quick': True}, ' (calibrated 2026-12-01) (quick); '),
    (['x11'], {}, 'not calibrated on this machine (thinprobe calibrate); '), (['vnc', 'x11'], {}, '')])
def test_stalls_before_the_first_cell_the_error_of_the_probe_on_the_only_path_and_the_idle_noise_are_told(protocols, more, own):
    """No update in 12 s: below 3 / 12 a second, with 95 % confidence (the rule of three)."""
    path = {'path': 'vnc-refecho', 'probe': 'patch', 'error_ms': 0.2419, **more}
    facts = {'calibration': {'started': '2026-12-01T10:00:00Z', 'paths': [path]}, 'settings': {'protocols': protocols},
             'chain': {'latency_p50_ms': 0.0151, 'lateness_max_us': 1234567}, 'idle': {'light': {'updates': 0, 'seconds': 12}}}
    said = Said('stalls', run=facts)
    told, noise = said.analysis.begun(said.run)
    assert told.endswith('by itself 0.015 ms and ? % of a CPU, keys at most 1234567 us late') and own in told
    assert told.count('calibrated') == bool(own) and noise == 'idle noise: light 0 updates in 12 s (below 0.25/s)'


def test_stalls_a_response_time_and_stalls_below_their_own_resolution_are_shown_as_bounds():
    """Of an error of 30 ms; of √2 times the spread; of two errors over a train of 55 s with 20 updates a second."""
    facts = {'calibration': {'paths': [{'path': 'vnc-refecho', 'probe': 'patch', 'error_ms': 30, 'spread_ms': 20}]},
             'settings': {'protocols': ['vnc'], 'seconds': 55}}
    names = ('latency_p99_ms', 'mean_positive_stall_ms', 'mean_stall_ms')
    said = Said('stalls', [row(LIGHT, dict.fromkeys(names, ms), updates_per_s=20) for ms in (0.01, 50)], facts)
    shown = page.grid(said.analysis.resolve(said.run), page.Labels(), page.View('made', 'summary', 'Made', ' '.join(names)), False)
    assert shown.rows == [['<30.0', '<28.3', '<0.05'], ['50.0', '50.0', '50.0']]


def test_stalls_the_line_of_fair_sharing_begins_to_rise_where_it_does_also_between_two_loads():
    """Of 10 ms a key and 50 ms between keys: beyond 4 hogs."""
    rows = [row(app='heavy', protocol='vnc', sinks=sinks, cost_ms=10, period_ms=50, fair_stall_ms=fair, mean_stall_ms=fair)
            for sinks, fair in ((2, 0), (5, 10))]
    fair = [curve for curve in Said('stalls', rows).curves('mean-stall') if curve.title.startswith('fair')]
    assert [[(place.x, place.y) for place in curve.rows] for curve in fair] == [[(2, 0), (4, 0), (5, 10)]]


# --- schedulers ---------------------------------------------------------------------------------------------------

HEAVY = {'app': 'heavy', 'sinks': 5, 'cost_ms': 10, 'keys': 100, 'overloaded': 0, 'part': 'table'}


def settings(*rows, **tables):
    run = {'settings': {'loads': [5], 'costs_ms': [10], 'length_load': {'sinks': 5}}}
    return Said('schedulers', [row(r) for r in rows], run, **tables)


def test_schedulers_only_measured_settings_help_do_not_help_or_lose_protection():
    default = {**HEAVY, 'setting': 'default', 'load_share_percent': 50, **level('latency_p50_ms', 140, 130, 150)}
    lacks(settings(default).verdict(), 'No setting')
    said = settings(default, {**default, 'setting': 'nice-19', **level('latency_p50_ms', 120, 15, 200)})
    has(said.verdict() + said.one('remedies'), 'surely makes')
    lacks(said.verdict() + said.one('remedies'), 'Hardly any effect')
    length = {**default, 'part': 'length'}
    lacks(settings({**length, 'latency_p50_ms': 15}, {**length, 'cost_ms': 200, 'latency_p50_ms': 210}).one('length'),
          'lose the protection')
    has(settings({**length, 'latency_p50_ms': 15}, {**length, 'cost_ms': 200, 'latency_p50_ms': 900}).one('length'),
        'lose the protection')


@pytest.mark.parametrize('late, there, absent', [
    ({'late_share_percent': 4}, ('1 setting makes',), ' late'),
    (level('late_share_percent', 0, 0, 9), ('1 setting makes',), 'No setting'),
    (level('late_share_percent', 4, 0.5, 14), ('No setting tried',), '1 setting makes'),
    ({'late_share_percent': 30}, ('No setting tried', '30 % late, by default 12 %'), '1 setting makes'),
    ({'late_share_percent_from': 4, 'late_share_percent_to': 49}, ('No setting tried', '4 to 49 % late, by default 12 %'),
     '1 setting makes')])
def test_schedulers_with_many_late_keys_a_fast_median_is_not_nearly_as_fast(late, there, absent):
    """Of a setting with a median of 15 ms, where near is 20 ms."""
    said = settings({**HEAVY, 'setting': 'default', 'late_share_percent': 12, 'latency_p50_ms': 90},
                    {**HEAVY, 'setting': 'nice-19', 'latency_p50_ms': 15, **late},
                    compare=[{'part': 'table', 'app': 'heavy', 'sinks': 5, 'cost_ms': 10, 'setting': 'nice-19', 'ratio': 0.17,
                              'verdict': 'better'}])
    text = said.verdict() + said.one('remedies') + said.one('tested')
    has(text, *there)
    lacks(text, absent)


def test_schedulers_an_overloaded_default_is_reported_and_the_other_settings_are_still_judged():
    said = settings({**HEAVY, 'repeats': 6, 'setting': 'default', 'overloaded': 1},
                    {**HEAVY, 'repeats': 6, 'setting': 'rr', 'latency_p50_ms': 15, 'late_share_percent': 0},
                    {**HEAVY, 'repeats': 6, 'setting': 'idle', 'latency_p50_ms': 95, 'late_share_percent': 9})
    text = '\n'.join((said.verdict(), said.one('default'), said.one('remedies')))
    has(text, '1 of 6', 'bad:', '1 setting makes')
    lacks(text, 'not measured', 'idle')


# --- calibrate ----------------------------------------------------------------------------------------------------

def probe(**columns):
    said = Said('calibrate', [row({'path': 'x11', 'probe': 'patch', 'delay': 'all', 'keys': 9}, columns)])
    return f'{said.verdict()}\n{said.one("x11-patch")}'


def test_calibrate_the_paths_on_which_the_probe_is_accurate_are_named():
    has(probe(offset_ms=0.1, sd_ms=0.1), 'on x11.')


def test_calibrate_a_probe_that_does_not_see_the_answers_to_one_key_in_twenty_is_not_accurate():
    has(probe(offset_ms=0.1, sd_ms=0.1, keys=95, lost=5), 'is accurate', 'good:')
    said = probe(offset_ms=0.1, sd_ms=0.1, keys=94, lost=6)
    has(said, 'bad:', '6 of 100 keys')
    lacks(said, 'is accurate')


@pytest.mark.parametrize('error', [{'offset_ms': -5, 'sd_ms': 0.1}, {'offset_ms': 5, 'sd_ms': 0.1}, {'sd_ms': 0.1},
                                   {'offset_ms': 0.1}])
def test_calibrate_a_probe_that_sees_answers_early_or_whose_error_is_not_known_is_not_accurate(error):
    has(probe(**error), 'x11', 'bad:')
    lacks(probe(**error), 'is accurate')


# --- several runs -------------------------------------------------------------------------------------------------

TWO = {'runs': [{'name': 'a'}, {'name': 'b'}]}


@pytest.mark.parametrize('stem', ['animation', 'cache', 'capacity', 'paging', 'protocols', 'schedulers', 'stalls', 'wan'])
def test_a_setting_that_differs_is_left_out_of_title_setup_and_labels_with_no_default_in_its_place(stem):
    rows = [row(protocol=p, app='heavy', sinks=0, cost_ms=5, swap='file') for p in ('vnc/a', 'vnc/b')]
    said = Said(stem, rows, {**TWO, 'settings': {'protocols': ['vnc/a', 'vnc/b'], 'apps': ['heavy']},
                             'differs': {'costs_ms': {'a': [5], 'b': [7]}}})
    labels = said.analysis.labels(said.run)
    for text in (said.analysis.title(said.run), said.analysis.setup(said.run), str(labels.heading), str(labels.value)):
        assert not re.search(r'None|null|\? |of  |each of run|[^0-9]1?0 ms|reference application', text)


def test_loads_and_costs_of_schedulers_are_those_of_each_run():
    rows = [row(level('latency_p50_ms', ms, ms, ms), protocol=p, sinks=sinks, cost_ms=cost, setting='default', part='table',
                app='heavy', keys=9, overloaded=0) for p, sinks, cost, ms in (('vnc/a', 10, 10, 111), ('vnc/b', 20, 30, 222))]
    said = Said('schedulers', rows, {**TWO, 'settings': {'protocols': ['vnc/a', 'vnc/b'], 'full_costs_ms': [10]},
                                     'differs': {'loads': {'a': [10], 'b': [20]}, 'costs_ms': {'a': [10], 'b': [30]}}}).verdict()
    has(said, 'vnc/a: Only the default was measured: its median response is 111 ms',
        'vnc/b: Only the default was measured: its median response is 222 ms')


def test_a_cache_s_frames_are_those_of_each_run():
    """5.6 million pixels of the banner, of 10 x 10 and 1000 x 1000 each."""
    rows = [row(protocol=p, draw='image', verdict='size', places=100) for p in ('vnc/a', 'vnc/b')]
    said = Said('cache', rows, {**TWO, 'differs': {'size': {'a': '10x10', 'b': '1000x1000'}}}).of('banner')
    has(said, 'fits, by its pixels, into the cache of vnc/b; exceeds the cache of vnc/a (0 % of it fits)')
