# SPDX-License-Identifier: GPL-3.0-or-later
"""score: the numbers come from the table, each with its source; logs of keys and of JMeter; refusals in one line. What it reads is
of others: whatever a table holds, it is latencies, or one reason with its line."""
import io
import json
import random
from functools import partial
from pathlib import Path

import pytest

from analysis import score
from analysis.command import parse
from analysis.tables import BadLine
from made_up import ended, refusal

TABLE = Path(__file__).resolve().parents[2] / 'data/thresholds.tsv'

SEEDS = [
    b'due_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tearliest_ns\tusers\n'
    b'1000\t1001\t5000\t\t\t0\t\t1\n2000\t2001\t\t\t900000\t0\t\t1\n3000\t3001\t9000\t9900\t\t1\t3500\t2\n',
    b'timeStamp,elapsed,success,allThreads,responseMessage\n'
    b'1,100,true,1,"a, ""b"""\n2,50,false,2,Number of samples in transaction : 3\n',
    b'latency_ms\n1\n2.5\n1e3\n',
]
OPTIONS = ([], [], [], ['--column', 'latency_ms'], ['--unit', 's'], ['--users', 'users'], ['--from', '1500'])


def mutated(draw, data):
    data = bytearray(data)
    for _ in range(draw.randint(1, 2)):
        at = draw.randrange(len(data) + 1)
        piece = draw.choice([b'\t', b',', b'"', b'\n', b'\r', b'-', b'9' * 20, b'e', b'nan', b'\xff', b'\x00', b'',
                             data[:draw.randint(0, 40)]])
        data[at:at + draw.randint(0, 4)] = piece
    return bytes(data)


def test_mutants_are_read_or_refused_with_a_reason():
    draw, read = random.Random(1), 0
    for _ in range(4000):
        given = parse(draw.choice(OPTIONS), 'score SAMPLES', '', score.OPTIONS)
        data = mutated(draw, draw.choice(SEEDS))
        try:
            samples = score.read_samples(io.BytesIO(data), given)
        except BadLine as bad:
            assert str(bad), data
            continue
        read += 1
        assert all(0 <= a.early_ms <= a.late_ms or a.later for a in samples.answers), data
        for name in score.MODELS if samples.answers else ():
            score.RULES[name](samples, {constant: 1.0 for constant in score.models.CONSTANTS})
    assert 400 < read < 3600


def test_transactions_are_known_by_the_words_of_their_message():
    table = ('timeStamp,elapsed,responseMessage\n1,5,"Number of samples in transaction : 3, number of failing samples : 0"\n'
             '2,5,Number of samples in transaction : 0\n3,5,OK\n')
    samples = score.read_samples(io.BytesIO(table.encode()), parse([], 'score SAMPLES', '', score.OPTIONS))
    assert (len(samples.answers), samples.transactions) == (3, 1)


@pytest.fixture(name='said')
def in_folder(tmp_path, monkeypatch, capfd):
    """The program, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return partial(ended, capfd, 'score')


@pytest.fixture(name='result')
def in_json(said):
    return lambda *words: json.loads(said(*words, '--format', 'json').out)['result']


@pytest.fixture(name='refused')
def refused_words(said, capfd):
    return lambda status, *words: refusal(capfd, 'score', *words, status=status)


def write(name, head, rows, sep='\t', end='\n'):
    Path(name).write_text(''.join(sep.join(map(str, row)) + end for row in (head.split(), *rows)), newline='')
    return name


def ms(*values):
    return [(value,) for value in values]


def test_latency_is_answer_minus_due_time_without_warm_up_and_an_unanswered_key_counts_as_a_lower_bound(result):
    due = {i: 965232609878500 + i * 50000000 for i in range(1, 13)}
    write('a b.tsv', 'schema key due_ns sent_ns answer_ns answer_high_ns censored_ns skipped', [
        ('keys/1', i, d, d, *([d + (40 if i % 4 else 160) * 10 ** 6] * 2 if i < 12 else ['', '']),
         '' if i < 12 else d + 6 * 10 ** 9, int(i < 3)) for i, d in due.items()])
    got = result('a b.tsv')
    # ten are left: two of 160 ms, seven of 40, one later than six seconds
    assert (got['samples'], got['passed_over'], got['later_than'], got['perception']['late_percent']) == (10, 2, 1, 30)
    assert [got['tolia'][f'{name}_percent'] for name in ('crisp', 'noticeable', 'unusable')] == [70, 20, 10]
    assert (got['apdex']['score'], got['apdex']['rating']) == (0.8, 'fair')
    assert got['wu']['felt_s'] is None and got['wu']['above']['felt_s'] == 6.02 and got['vsimax']['reached'] is None
    assert all(len(got[name]['source']) > 10 for name in ('perception', 'tolia', 'apdex', 'wu', 'vsimax'))


def test_the_threshold_sets_the_limit_for_late_keys_and_changes_no_other_rule(result):
    got = result(write('a.tsv', 'latency_ms', ms(50, 100, 150, 151)))['perception']
    assert (got['threshold_ms'], got['late_percent']) == (100, 50)
    got = result('a.tsv', '--threshold', '150ms')
    assert (got['perception']['threshold_ms'], got['perception']['late_percent']) == (150, 25)
    assert (got['apdex']['target_ms'], got['apdex']['score']) == (100, 0.75)


def test_only_keys_due_in_a_time_with_mean_and_interpolated_quantiles_also_as_lower_bounds(result, refused):
    write('keys.tsv', 'schema due_ns answer_ns censored_ns skipped', [('keys/1', *row, 0) for row in (
        (1000, 9000000, ''), (2000, 10002000, ''), (3000, 20003000, ''), (4000, '', 40004000), (5000, 9000000, ''))])
    # 10, 20 and more than 40 ms: 20 + 0.9 x 20
    got = result('keys.tsv', '--from', 2000, '--to', 4000)
    assert (got['samples'], got['passed_over'], got['later_than']) == (3, 2, 1)
    assert got['latency_ms'] == {'mean': None, 'p50': 20, 'p95': None, 'max': None,
                                 'above': {'mean': 23.333, 'p95': 38, 'max': 40}}
    assert 'due_ns' in refused(1, write('ms.tsv', 'r_ms', ms(1)), '--from', 1)


def ranges(name, early, late=None):
    """200 keys, answered from early to late."""
    due = [965232609878500 + i * 50000000 for i in range(1, 201)]
    return write(name, 'schema due_ns answer_ns answer_high_ns censored_ns skipped', [
        ('keys/1', d, d + early * 10 ** 6, *((d + late * 10 ** 6, '') if late else ('', d + 5 * 10 ** 9)), 0) for d in due])


def test_samples_that_are_ranges_give_ranges_and_a_rating_only_if_both_ends_agree(said, result):
    done = json.loads(said(ranges('wide.tsv', 20, 900), '--format', 'json').out)
    got = done['result']
    assert got['ranged'] == 200 and got['latency_ms']['p50'] is None
    assert got['latency_ms']['range']['p95'] == {'from': 20, 'to': 900}
    assert got['perception']['late_percent'] is None and got['perception']['range']['late_percent'] == {'from': 0, 'to': 100}
    assert got['apdex']['score'] is None and got['apdex']['range']['score'] == {'from': 0, 'to': 1}
    assert got['apdex']['rating'] == 'cannot tell' and got['apdex']['satisfied'] == 0
    assert got['wu']['range']['felt_s']['to'] == 160 and 'ranges' in done['summary']
    out = said('wide.tsv').out
    assert '20.0 to 900 ms' in out and 'cannot tell' in out
    # both ends are fast: the figure is a range, but the rating is certain
    got = result(ranges('fast.tsv', 20, 60))
    assert (got['apdex']['score'], got['apdex']['rating'], got['latency_ms']['p50']) == (1, 'excellent', None)
    head, row = (line.split('\t') for line in said('fast.tsv', '--tsv').out.splitlines())
    assert row[head.index('apdex.score')] == '1.0000'
    # without a late end no sample counts as satisfied
    got = result(ranges('open.tsv', 20))
    assert got['later_than'] == 200 and got['latency_ms']['range']['p50'] == {'from': 20, 'to': None}
    assert got['apdex']['rating'] == 'cannot tell'


def test_a_key_that_was_sent_late_or_never_is_a_range_from_earliest_ns(result):
    write('keys.tsv', 'schema due_ns sent_ns answer_ns answer_high_ns censored_ns skipped earliest_ns', [
        ('keys/1', 1000000000, 1180000000, 1200000000, 1200000000, '', 0, 1050000000),
        ('keys/1', 2000000000, '', '', '', 9000000000, 0, 2000000000)])
    got = result('keys.tsv')
    assert (got['ranged'], got['later_than']) == (2, 1) and got['latency_ms']['range']['p50'] == {'from': 25, 'to': None}
    assert got['perception']['range']['late_percent'] == {'from': 0, 'to': 100}


def test_keys_without_an_answer_give_ranges_and_rows_without_a_latency_are_reported_with_their_line(said, result, refused):
    # 60 of 100 keys answered after 10 ms; of 40 it is only known that they were sent, 1 ms late
    write('keys.tsv', 'schema due_ns sent_ns answer_ns censored_ns skipped', [
        ('keys/1', i * 10 ** 6, (i + 1) * 10 ** 6, '' if i > 60 else (i + 10) * 10 ** 6, '', 0) for i in range(1, 101)])
    got = result('keys.tsv')
    assert (got['samples'], got['passed_over'], got['later_than'], got['apdex']['rating']) == (100, 0, 40, 'cannot tell')
    assert got['apdex']['range']['score'] == {'from': 0.6, 'to': 1}
    assert got['perception']['range']['late_percent'] == {'from': 0, 'to': 40}
    # answered or later, and no column of late ends
    got = result(write('open.tsv', 'schema due_ns answer_ns censored_ns', [('keys/1', 0, 10000000, 900000000)]))
    assert got['later_than'] == 1 and got['latency_ms']['range']['p50'] == {'from': 10, 'to': None}
    # no answers and no end of waiting
    refused(1, write('blind.tsv', 'schema due_ns sent_ns answer_ns', [('keys/1', 5, 5, ''), ('keys/1', 6, 6, '')]))
    done = said(write('gaps.tsv', 'latency_ms user', [(5, 'a'), ('', 'b'), (7, 'c'), ('', 'd')]), '--format', 'json')
    assert '2 rows' in done.err and 'line 3' in done.err
    got = json.loads(done.out)['result']
    assert (got['samples'], got['passed_over']) == (2, 2)


def test_vsimax_is_unknown_if_it_depends_on_samples_without_an_answer(result):
    # 20 users: 13 samples each time; the last ten of 40 are answered after 500 ms, or known only to be later
    for later, reached, users in ((False, False, 20), (True, None, None)):
        seconds = [10 ** 9 * i for i in range(1, 41)]
        rows = [(s, *(('', s + 500000000) if later and s > 30 * 10 ** 9 else (s + 500000000, '')), 20) for s in seconds]
        got = result(write('a.tsv', 'due_ns answer_ns censored_ns users', rows), '--model', 'vsimax')
        assert (got['vsimax']['reached'], got['vsimax']['users'], got['later_than']) == (reached, users, 10 * later)


def jtl(step):
    """20 users, 40 operations of half a second; of the last thirty, step - 1 of step failed at once."""
    bad = [i >= 30 and i % step for i in range(60)]
    return [(1700000000000 + i * 1000, 5 if b else 500, 'false' if b else 'true', 20) for i, b in enumerate(bad)]


def test_vsimax_is_unknown_if_it_depends_on_failed_samples_or_if_rows_are_not_in_order_of_time(said, result):
    def vsimax(rows):
        write('a.jtl', 'timeStamp elapsed success allThreads', rows, ',')
        return result('a.jtl', '--model', 'vsimax')
    good = jtl(1)
    assert [vsimax(good)['vsimax'][key] for key in ('reached', 'users')] == [False, 20]
    assert [vsimax(good[::-1])['vsimax'][key] for key in ('reached', 'users')] == [None, None]
    # one in a hundred changes nothing: it is trimmed off
    got = vsimax([*good[:38], (good[38][0], 5, 'false', 20), *good[39:]])['vsimax']
    assert (got['reached'], got['users'], got['base_ms']) == (False, 20, 500)
    got = vsimax(jtl(3))
    assert got['failed'] == 20 and [got['vsimax'][key] for key in ('reached', 'users', 'base_ms')] == [None, None, 500]
    assert '20 of 60 samples failed' in said('a.jtl').out


@pytest.mark.parametrize('unit, values', [('s', (2.007, 8.028, 8.029)), ('ns', (2007000000, 8028000000, 8029000000))])
def test_a_latency_exactly_at_the_threshold_is_rated_the_same_in_every_unit(result, unit, values):
    write('a.tsv', f'r_{unit}', ms(*values))
    got = result('a.tsv', '--column', f'r_{unit}', '--model', 'apdex', '--target', '2007ms')['apdex']
    assert (got['satisfied'], got['tolerating'], got['frustrated']) == (1, 1, 1)


def test_elapsed_and_all_threads_of_jmeters_results_and_numbers_of_another_table(result):
    write('a.jtl', 'timeStamp elapsed label threadName allThreads', [
        (1700000000000 + i * 1000, 500 if i < 140 else 1600, '"a, b"', 't', 1 + i // 10) for i in range(200)], ',')
    got = result('a.jtl', '--model', 'vsimax')
    assert got['vsimax']['reached'] and (got['vsimax']['users'], got['vsimax']['base_ms']) == (15, 500) and 'apdex' not in got
    # a larger margin is never reached
    rows = [line.split('\t') for line in TABLE.read_text().splitlines()]
    Path('other.tsv').write_text(''.join('\t'.join([*row[:2], '5000', *row[3:]] if row[1:2] == ['vsimax_margin'] else row) + '\n'
                                         for row in rows))
    got = result('a.jtl', '--model', 'vsimax', '--thresholds', 'other.tsv')['vsimax']
    assert (got['reached'], got['users']) == (False, 20)
    got = result('a.jtl', '--model', 'apdex', '--target', '500ms')['apdex']
    assert (got['score'], got['rating']) == (0.85, 'good')
    assert result('a.jtl', '--model', 'wu', '--expected', '600ms', '--beta', 2)['wu']['felt_s'] == 60


def test_a_score_is_printed_as_what_its_rating_belongs_to(said):
    # 169 of 200 satisfied: 0.845; from 0.85 on the rating is good
    write('half.tsv', 'r_ms', ms(*[50] * 169, *[500] * 31))
    out = said('half.tsv', '--column', 'r_ms', '--model', 'apdex', '--target', '100ms').out
    assert ' 0.85 ' in out.partition('Apdex')[2] and 'good' in out


def test_jmeters_results_with_byte_order_mark_and_crlf_and_failed_requests_count_as_frustrated(result):
    write('a.jtl', '\ufefftimeStamp elapsed label success', [
        (1700000000000 + i * 1000, 50 if i < 8 else 200, '"a\nb"', 'false' if i < 2 else 'true') for i in range(10)], ',', '\r\n')
    got = result('a.jtl')
    apdex = got['apdex']
    # six are satisfied, two tolerate, two failed: (6 + 1) / 10
    assert (got['samples'], got['failed'], got['perception']['late_percent']) == (10, 2, 20)
    assert [apdex[key] for key in ('satisfied', 'tolerating', 'frustrated', 'score', 'rating')] == [6, 2, 2, 0.7, 'fair']
    assert apdex['few_samples']


def test_where_every_sample_may_be_in_several_classes_no_class_is_named_that_none_can_be_in(said):
    write('ranges.tsv', 'schema key due_ns sent_ns skipped answer_ns answer_high_ns censored_ns', [
        ('keys/1', i, i * 10 ** 9, i * 10 ** 9, 0, i * 10 ** 9 + 400000000, (i + 6) * 10 ** 9, '') for i in range(1, 201)])
    assert 'noticeable to unusable' in said('ranges.tsv').out.partition('Tolia')[2].partition('\n')[0]


def test_what_is_no_latency_is_refused(said, result, refused):
    # a time without the time at which it was due, unless --column says so; more ns than 64 bits hold
    refused(1, write('clock.tsv', 'schema key answer_ns', [('keys/1', 1, 123000000000000)]))
    assert result('clock.tsv', '--column', 'answer_ns')['latency_ms']['max'] == 123000000
    refused(1, write('long.tsv', 'latency_ms', ms(5, '1e13')))
    refused(1, write('a.tsv', 'latency_ms', []))
    refused(1, write('a.tsv', 'latency_ms success', [(5, 'no')]))
    assert 'line 3' in refused(1, write('a.tsv', 'latency_ms', ms(5, -1)))
    said(write('twice.tsv', 'latency_ms note note', [(5, '', '')]))  # nothing is read from these
    assert 'named users' in refused(1, write('twice.tsv', 'latency_ms users users note note', [(5, 1, 9, '', '')]))


def test_wrong_words_are_refused(said, refused):
    refused(2)
    refused(1, 'missing.tsv')
    refused(1, write('a.tsv', 'wait', ms(5)))
    refused(1, 'a.tsv', '--column', 'wait')
    words = ['a.tsv', '--column', 'wait', '--unit', 'ms']
    refused(1, *words, '--users', 'who')
    said(*words)
    Path('less.tsv').write_text(''.join(line for line in TABLE.read_text().splitlines(True) if 'apdex_poor' not in line))
    assert 'apdex_poor' in refused(1, *words, '--thresholds', 'less.tsv')
