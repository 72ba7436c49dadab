# SPDX-License-Identifier: GPL-3.0-or-later
"""judge: verdicts and exit statuses of tables written by hand. (The rules: blocks_test.py, drift_test.py, decide_test.py.)"""
import json
from functools import partial
from math import sin
from pathlib import Path

import pytest

from made_up import ended, refusal

HEAD = 'schema start pair variant cell metric unit better value disturbed'
P50, P90 = 'latency_p50_ms', 'latency_p90_ms'


@pytest.fixture(name='said')
def in_folder(tmp_path, monkeypatch, capfd):
    """The program, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return partial(ended, capfd, 'judge')


@pytest.fixture(name='result')
def in_json(said):
    return lambda status, *words: json.loads(said(*words, '--json', status=status).out)['result']


@pytest.fixture(name='refused')
def refused_words(said, capfd):
    return lambda status, *words: refusal(capfd, 'judge', *words, status=status)


def write(name, rows, head=HEAD, schema='blocks/1'):
    lines = ['\t'.join(head.split()), *('\t'.join((schema, *map(str, row))) for row in rows)]
    Path(name).write_text('\n'.join(lines) + '\n')
    return name


def blocks(starts, a, b, disturbed=0, metric=P50, unit='ms', better='lower', cell='vnc 0'):
    """A table in which B - A is exactly that, up to 0.2 to both sides in turns; the first `disturbed` starts were disturbed."""
    return [(s, p, v, *of, int(s <= disturbed)) for s in range(1, starts + 1) for p in (1, 2)
            for v, value in (('a', a), ('b', b + (0.2 if s % 2 else -0.2)))
            for of in ((('',) * 5), (cell, metric, unit, better, f'{value:.3f}'))]


def changed(rows, when, **to):
    """Rows of values for which `when` is true, with other cells."""
    names = HEAD.split()[1:]
    return [tuple(to.get(name, cell) for name, cell in zip(names, row)) if row[4] and when(*row[:3]) else row for row in rows]


@pytest.mark.parametrize('a, b, status, word', [(10, 12, 5, 'worse'), (12, 10, 0, 'better'),
                                                (10, 10.1, 0, 'no difference of that size')])
def test_each_verdict_has_its_status(result, a, b, status, word):
    assert result(status, write('blocks.tsv', blocks(12, a, b)))['verdict'] == word


def test_two_starts_decide_nothing_and_a_rate_that_is_lower_is_worse(result, said):
    got = result(3, write('blocks.tsv', blocks(2, 10, 12)))
    assert got['verdict'] == 'not decided' and got['open'] == 1 and got['more_starts'] > 0
    assert got['metrics_decided'][0].get('low') is None
    said(write('blocks.tsv', blocks(12, 12, 10, better='higher')), status=5)


def test_of_too_many_disturbed_blocks_nothing_is_said_and_of_few_their_pairs_are_left_out(result):
    got = result(3, write('blocks.tsv', blocks(12, 10, 12, 5)))
    assert got['verdict'] == 'too noisy' and len(got['disturbed']) == 20
    assert got['disturbed'][0] == {'start': 1, 'pair': 1, 'variant': 'a', 'used': False}
    assert max(one['start'] for one in got['disturbed']) == 5
    one = result(5, write('blocks.tsv', blocks(12, 10, 12, 3)))['metrics_decided'][0]
    assert (one['starts'], one['pairs_disturbed']) == (9, 6)


@pytest.mark.parametrize('when, value, status, verdict, lacks, ranged', [
    (8, '0.19..1.4', 5, 'worse', None, 4), (2, '', 3, 'not decided', 'a', 0), (2, '0.2..40', 3, 'not decided', None, 16)])
def test_a_range_of_a_faster_a_does_not_hide_a_slower_b_and_what_a_lacks_leaves_it_open(result, when, value, status, verdict, lacks,
                                                                                        ranged):
    # in some starts A is known as a range, or not at all, as a server with too much to do leaves it
    rows = changed(blocks(16, 0.2, 6.3), lambda s, p, v: s % when == 0 and v == 'a', value=value)
    one = result(status, write('blocks.tsv', rows), '--effect', '3ms')['metrics_decided'][0]
    assert (one['verdict'], one.get('lacks_values'), one['pairs_ranged']) == (verdict, lacks, ranged)
    assert status != 5 or one['pairs'] == 32


@pytest.mark.parametrize('value', ['2..1', '1..', '..2', '1..x', '1..2..3'])
def test_what_is_no_range_is_refused(refused, value):
    refused(1, write('blocks.tsv', changed(blocks(2, 10, 12), lambda s, p, v: v == 'a', value=value)))


def test_values_that_only_one_variant_lacks_are_no_merit_of_it(said, result):
    rows = blocks(12, 12, 10)
    for status, of in ((0, rows), (0, changed(rows, lambda s, p, v: s % 4 == 0 and v == 'a', value='')),
                       (3, changed(rows, lambda s, p, v: s % 4 == 0 and v == 'b', value='')),
                       (3, changed(blocks(12, 10, 10.1), lambda s, p, v: s % 4 == 0 and v == 'a', value=''))):
        said(write('some.tsv', of), status=status)
    # B was not measured in another condition at all
    other = [row for row in blocks(12, 12, 10, cell='vnc 1') if row[2] == 'a' and row[4]]
    got = result(3, write('some.tsv', rows + other))
    assert got['metrics_decided'][0]['verdict'] == 'better'
    assert got['one_sided'] == [{'cell': 'vnc 1', 'metric': P50, 'only': 'a'}]


def runs(cell, metric, a, b, unit='ms'):
    """Rows of two runs, a repeat for each of the values in words; -: none."""
    values = [(v, value.replace('-', '')) for v, of in (('a', a), ('b', b)) for value in of.split()]
    return [(1, n, v, cell, metric, unit, 'lower', value, 0) for n, (v, value) in enumerate(values, 1)]


def pooled(name, *rows):
    """variant cell metric from to low high repeats why; _: nothing"""
    return write(name, [row.replace('_', '').split(' ') for row in rows], 'schema variant cell metric from to low high repeats why',
                 'pooled/1')


def test_two_runs_by_welchs_t_test(result):
    write('blocks.tsv', runs('c', 'stall_ms', '10.1 9.8 10.4 10.0', '11.9 12.6 12.1'))
    one = result(5, 'blocks.tsv', '--runs', '--effect', '1ms')['metrics_decided'][0]
    # scipy.stats.ttest_ind(b, a, equal_var=False): p = 0.001885, interval 1.4019 to 2.8481
    assert one['p'] == pytest.approx(0.001885, abs=1e-5)
    assert (one['change'], one['low'], one['high']) == pytest.approx((2.1250, 1.4019, 2.8481), abs=0.001)


def test_of_b_too_few_values_is_not_decided(result):
    write('blocks.tsv', runs('light', 'p95_ms', '10 11 12 10 11', '10 11 12 10 11') +
          runs('heavy', 'p95_ms', '20 21 22 20 21', '90 - - - -'))
    got = result(3, 'blocks.tsv', '--runs')
    assert got['verdict'] == 'not decided' and got['too_few'] == [{'cell': 'heavy', 'metric': 'p95_ms'}]


def test_of_nothing_but_one_value_only_a_share_of_many_keys_holds(said, result, refused):
    refused(1, write('blocks.tsv', runs('light', 'late', '0 0 0', '0 0 0')), '--runs')
    got = result(3, 'blocks.tsv', '--runs', '--metrics', 'late')
    assert got['verdict'] == 'not decided' and got['the_same'] == [] and got['metrics_decided'][0].get('low') is None
    # both hold it within a point, but not where one may have up to 6 %, or a range
    words = [write('share.tsv', runs('light', 'late', '0 0 0', '0 0 0', '%')), '--runs', '--metrics', 'late']
    said(*words, status=3)
    for b in ('b light late 0 0 0 6 3 _', 'b light late 0 20 0 0.4 3 _'):
        said(*words, '--pooled', pooled('pooled.tsv', 'a light late 0 0 0 0.4 3 _', b), status=3)
    got = result(0, *words, '--pooled', pooled('pooled.tsv', *(f'{v} light late 0 0 0 0.4 3 _' for v in 'ab')))
    assert got['verdict'] == 'no difference of that size' and got['the_same'] == [{'cell': 'light', 'metric': 'late'}]


def test_repeats_without_any_spread_are_told_apart_by_the_intervals_of_all_keys(said, refused):
    # none of A's keys was late and all of B's
    words = [write('apart.tsv', runs('light', 'late', '0 0 0', '100 100 100', '%')), '--runs']
    said(*words, status=3)
    for status, b in ((5, 'b light late 100 100 97 100 3 _'), (3, 'b light late 100 100 _ _ 3 _')):
        said(*words, '--pooled', pooled('pooled.tsv', 'a light late 0 0 0 0.4 3 _', b), status=status)
    # the line that is none is named
    wrong = pooled('wrong.tsv', 'a light late 0 0 0 0.4 3 _', 'b light of late 0 0 0 0.4 3 _')
    assert 'wrong.tsv, line 3' in refused(1, *words, '--pooled', wrong)


def test_what_lacks_an_interval_is_set_aside_where_it_is_not_worse_and_was_not_asked_for(said, result):
    none = '- - - - -'
    write('light.tsv', runs('light', 'p50', '20 21 20 21 20', '20 21 20 20 21') + runs('light', 'p99', none, none))
    words = ['light.tsv', '--runs', '--pooled']
    a = 'a light p99 30 30 28 33 5 _'
    got = result(0, *words, pooled('pooled.tsv', a, 'b light p99 31 31 _ _ 5 _'))
    assert got['not_judged'] == [{'cell': 'light', 'metric': 'p99'}] and got['not_compared'] == []
    said(*words, 'pooled.tsv', '--metrics', 'p50,p99', status=3)
    got = result(3, *words, pooled('pooled.tsv', a, 'b light p99 36 36 _ _ 5 _'))
    assert got['not_judged'] == [] and [one['metric'] for one in got['not_compared']] == ['p99']


def test_overloaded_since_is_worse(said, result):
    write('blocks.tsv', runs('light', 'p50', '20 21 20 21 20', '20 21 20 20 21') +
          runs('heavy', 'p50', '40 41 42 40 41', '- - - - -'))
    words = ['blocks.tsv', '--runs', '--pooled']
    got = result(5, *words, pooled('pooled.tsv', 'b heavy p50 _ _ _ _ 5 overloaded'))
    assert got['verdict'] == 'worse' and got['overloaded'] == [{'cell': 'heavy', 'metric': 'p50'}] and got['one_sided'] == []
    said(*words, 'pooled.tsv', '--doubt', 'why', status=3)
    said(*words, pooled('pooled.tsv', 'b heavy p50 _ _ _ _ 5 failed'), status=3)


def test_a_metric_of_which_in_turns_only_one_of_a_pair_has_a_value(result):
    # p90 is three times as long
    p90 = [row for row in blocks(12, 10, 30, metric='p90') if row[4] and row[0] % 2 == (row[2] == 'a')]
    got = result(3, write('blocks.tsv', blocks(12, 12, 10) + p90))
    assert got['verdict'] == 'not decided' and got['too_few'] == [{'cell': 'vnc 0', 'metric': 'p90'}]


def test_one_value_everywhere_says_nothing_where_nothing_else_was_asked_for(said, result, refused):
    same = changed(blocks(12, 10, 10), lambda *_: True, value=0)
    write('blocks.tsv', same + [row for row in blocks(12, 10, 10.1, metric=P90) if row[4]])
    got = result(3, 'blocks.tsv', '--metrics', P50)
    assert [(one['metric'], one['verdict']) for one in got['metrics_decided']] == [(P50, 'not decided')]
    said('blocks.tsv', '--metrics', f'{P50},{P90}')
    refused(1, write('same.tsv', same))


def test_times_in_us_are_held_against_an_effect_in_ms_and_other_metrics_do_not_count(said, result):
    said(write('blocks.tsv', blocks(12, 10, 12, unit='us')), '--effect', '1ms')
    write('blocks.tsv', runs('light', 'wait', '10 11 12 10', '10 11 12 10') + runs('light', 'p95', '10 11 12 10', '10 11 12 10'))
    got = result(3, 'blocks.tsv', '--runs', '--metrics', 'p95')
    assert [one['metric'] for one in got['metrics_decided']] == ['p95']


def test_better_in_one_metric_while_another_may_be_worse_is_not_decided_and_names_both(said, result):
    p90 = [row[:7] + (f'{float(row[7]) + (4 if row[2] == "b" and row[0] % 3 else 0):.3f}', 0)
           for row in blocks(12, 12, 10, metric=P90) if row[4]]
    rows = blocks(12, 12, 10) + p90
    assert said(write('blocks.tsv', rows), status=3).out.startswith(
        'better: vnc 0 latency p50 ms; not decided: vnc 0 latency p90 ms\n')
    said('blocks.tsv', '--metrics', P50)
    # blocks that are used although they were disturbed
    write('allowed.tsv', [(*row[:8], 2) for row in rows])
    done = json.loads(said('allowed.tsv', '--metrics', P50, '--json').out)
    assert done['result']['provisional'] and done['result']['verdict'] == 'better' and done['summary'].startswith('provisional: ')


# --- sessions -----------------------------------------------------------------------------------------------------

def session(n, growth, fall=0, metric='floor_ms'):
    """A floor of 10 ms that grows by `growth`; with `fall` it falls back after so many blocks."""
    fall = fall or n
    return [row for i in range(1, n + 1) for row in (
        (i, 1, 'a', '', metric, 'ms', '', f'{10 * (1 + 0.01 * sin(37 * i) + growth * (i % fall) / fall):.4f}', 0),
        (i, 1, 'a', '', 'again', 'packets', '', int(i % 7 == 0), 0))]


@pytest.mark.parametrize('n, growth, fall, status, word', [
    (200, 0.6, 201, 5, 'slower'), (200, 0, 201, 0, 'not slower'), (200, 1, 101, 3, 'comes and goes'),
    (50, 0.6, 51, 3, 'not decided')])
def test_each_verdict_of_a_session_has_its_status(result, n, growth, fall, status, word):
    assert result(status, write('session.tsv', session(n, growth, fall)), '--drift', '60s')['verdict'] == word


def test_growth_by_the_hour_and_the_metrics_that_are_asked_for(said, result, refused):
    # 6 ms in 200 minutes
    got = result(5, write('session.tsv', session(200, 0.6, 201)), '--drift', '60s')
    assert got['moved_first'] == 'floor_ms' and 1.6 < got['figures'][0]['per_hour'] < 2 and got['figures'][0]['since_s'] < 1200
    said('session.tsv', '--drift', '60s', '--effect', '9ms')
    # the floor stays, the median grows
    median = [row for row in session(200, 0.6, metric='median_ms') if row[4] != 'again']
    write('session.tsv', session(200, 0) + median)
    said('session.tsv', '--drift', '60s')
    said('session.tsv', '--drift', '60s', '--metrics', 'floor_ms,median_ms', status=5)
    refused(1, 'session.tsv', '--drift', '60s', '--metrics', 'floor_ms,late_percent')


def test_a_session_whose_end_has_no_figure_is_not_decided_and_no_number_is_refused(said, refused):
    said(write('session.tsv', changed(session(200, 0), lambda s, p, v: s > 195, value='')), '--drift', '60s', status=3)
    refused(1, write('session.tsv', changed(session(200, 0), lambda s, p, v: s == 195, value='inf')), '--drift', '60s')
    refused(1, write('session.tsv', session(5, 0)), '--drift', '60s')


# --- refusals -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('status, words, why', [
    (2, 'blocks.tsv --effect 10', '--effect 10: a share such as 10%, or a time such as 5ms'),
    (1, f'blocks.tsv --metrics {P50},nothing', 'blocks.tsv: no metric nothing'), (1, 'units.tsv', 'a metric of two units'),
    (1, 'better.tsv', ''), (1, 'blocks.tsv --drift 60s', ''), (1, 'other.tsv', 'other.tsv'),
    (2, 'blocks.tsv --drift 60s --runs', ''), (2, 'blocks.tsv --criteria p95:100ms --limits', ''),
    (2, 'blocks.tsv --limits --pooled blocks.tsv', ''),
    (2, 'blocks.tsv --warmup 3', 'drift'), (2, '--starts 3 --most 4', 'criteria'), (2, 'blocks.tsv --criteria p95:100', ''),
    (2, 'blocks.tsv --criteria apdex:85', ''), (1, 'blocks.tsv --criteria p95:100ms', ''), (2, 'claims --claims --limits', '')])
def test_a_wrong_table_or_option_is_named(refused, status, words, why):
    rows = blocks(3, 10, 12)
    write('blocks.tsv', rows)
    write('units.tsv', [*rows[:-1], (*rows[-1][:5], 's', *rows[-1][6:])])
    write('better.tsv', blocks(3, 10, 12, better='Higher'))
    write('claims', [], CLAIMS)
    Path('other.tsv').write_text('nonsense\n')
    assert why in refused(status, *words.split())


CLAIMS = 'schema kind share from to low high repeats from_b to_b low_b high_b repeats_b'


@pytest.mark.parametrize('row', ['other 1 1 1 0 2 5', 'off_x 1 1 1 0 2 5', 'none 0 0 0 0 5 5', 'none 1 x 0 0 5 5',
                                 'none 1 0 0 0 5 2.5'])
def test_what_is_no_claim_is_named(refused, row):
    write('claims', [(*(cell.replace('_', ' ') for cell in row.split()), *[''] * 5)], CLAIMS, 'claims/1')
    assert 'line 2' in refused(1, 'claims', '--claims')


def claims(*rows):
    """Of each: is VALUE above 5? VALUE OF RULE PART SAYS SOME WHOLE"""
    of = [row.split() for row in rows]
    return write('claims', [('above', 1, value, value, '', '', '', 5, 5, '', '', '', *rest) for value, *rest in of],
                 f'{CLAIMS} of rule part says some whole', 'claims/1')


def test_claims_of_rules_decide_figures(result):
    assert result(0, write('none', [], CLAIMS), '--claims')['claims'] == []
    got = result(0, claims('1 1 1 1 0 1 1', '9 1 1 1 0 1 1', '9 1 1 2 0 0 1', '9 1 2 1 0 0 1', '9 7 1 1 2 0 1', '9 3 1 1 1 0 1'),
                 '--claims')
    assert [(one['of'], one['verdict']) for one in got['figures']] == [(1, 'as then'), (7, 'no longer'), (3, 'as then, smaller')]


@pytest.mark.parametrize('rows', [
    '9 1 1 1 0 1 1,9 2 1 1 0 0 1,1 1 1 1 0 1 1', '9 1 1 1 0 1 1,9 1 2 1 0 0 1,1 1 1 1 0 1 1',
    '9 1 1 1 0 0 1,9 1 1 2 0 0 1,9 1 1 1 0 0 1', '9 1 1 1 0 1 1,1 1 1 1 0 0 1', '9 1 1 1 0 0 1,9 1 1 2 2 0 1',
    '9 1 1 1 0 0 1,9 1 2 1 0 0 0'])
def test_claims_of_a_rule_that_do_not_stand_together_are_refused_not_read_as_other_rules(refused, rows):
    assert f'line {rows.count(",") + 2}' in refused(1, claims(*rows.split(',')), '--claims')


# --- a search -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('rows, status, next_, not_measured, users, beyond', [
    # a measurement without a figure was not measured, and breaks nothing; nor is it asked for for ever; a lower bound is a figure
    ('1 50 50,1 50 50,2 - -', 3, 2, 1, None, 0), ('1 50 50,1 50 50,2 - -,2 - -,2 - -', 3, None, 3, 1, None),
    ('1 50 50,1 50 50,2 - 200,2 - 200', 0, None, 0, 1, 2)])
def test_a_measurement_without_a_figure(result, rows, status, next_, not_measured, users, beyond):
    of = [row.replace('-', '').split(' ') for row in rows.split(',')]
    write('tries.tsv', [(n, 1, p95, start, '', '', p95, '', '', '', '') for n, p95, start in of],
          'schema users try p95_ms p95_from_ms apdex apdex_to all_p95_ms all_apdex own_percent ended resource', 'capacity-try/1')
    got = result(status, 'tries.tsv', '--criteria', 'p95:100ms', '--most', 2)
    limit = got['limits'][0]
    assert (got.get('next'), got['not_measured']) == (next_, not_measured)
    assert users is None or limit['users'] == users
    assert beyond is None or limit['beyond'] == beyond
    assert not_measured != 3 or limit['reached'] is False
