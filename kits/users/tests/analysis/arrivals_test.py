# SPDX-License-Identifier: GPL-3.0-or-later
"""arrivals: the same requests in every kind of log give the same figures; warm-up and cool-down; coarse clocks; rows for plots."""
import csv
import gzip
import json
import random
import re
import shutil
import statistics
import subprocess
from datetime import datetime, timezone
from functools import cache, partial
from pathlib import Path

import pytest

from analysis import arrivals, gap_nulls
from made_up import ended, refusal

S = 10 ** 9
START = 1700000000 * S
simulate = cache(gap_nulls.simulate)
PLOT = Path(__file__).resolve().parents[2] / 'plots/arrivals.gp'


@pytest.fixture(name='said')
def in_folder(tmp_path, monkeypatch, capfd):
    """The program, in a folder of its own; of as many gaps, what chance makes is simulated once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrivals, 'simulate', simulate)
    return partial(ended, capfd, 'arrivals')


@pytest.fixture(name='judge')
def in_json(said):
    return lambda *words: json.loads(said(*words, '--format', 'json').out)['result']


@pytest.fixture(name='refused')
def refused_words(said, capfd):
    return lambda status, *words: refusal(capfd, 'arrivals', *words, status=status)


def write(name, *lines, end='\n'):
    Path(name).write_text(''.join(f'{line}{end}' for line in lines), newline='')
    return name


def make_times(kind, n, mean_ms):
    """Exponential or constant gaps: ns."""
    draw, t, out = random.Random(2003), float(START), []
    for _ in range(n + 1):
        out.append(int(t))
        t += draw.expovariate(1 / (mean_ms * 1e6)) if kind == 'exponential' else mean_ms * 1e6
    return out


def dated(ms, form):
    """%ms: the milliseconds."""
    return datetime.fromtimestamp(ms // 1000, timezone.utc).strftime(form.replace('%ms', f'{ms % 1000:03}'))


def test_figures_are_those_of_the_gaps_and_the_verdicts_are_right(judge):
    for kind in ('exponential', 'constant'):
        times = make_times(kind, 500, 10)
        got = judge(write(f'{kind}.tsv', 'start_ns', *times))
        gaps = [(b - a) / 1e6 for a, b in zip(times, times[1:])]
        assert got['n'] == 500
        assert (got['mean_ms'], got['sd_ms']) == pytest.approx((statistics.mean(gaps), statistics.stdev(gaps)), abs=1e-3)
    assert got['poisson'] is False and got['cov'] < 0.01 and 'too regular' in got['verdict']
    got = judge('exponential.tsv')
    assert got['poisson'] and 0.9 < got['cov'] < 1.1 and got['cov_low'] < 1 < got['cov_high'] and got['tests'] == 5
    assert got['rejected_by'] == [] and 'as a Poisson process' in got['verdict']


def test_of_times_in_steps_random_ones_are_not_rejected_for_the_clock_and_regular_ones_are(judge):
    for kind in ('exponential', 'constant'):
        write(f'{kind}.tsv', 'start_ns', *(t // 10 ** 7 * 10 ** 7 for t in make_times(kind, 500, 20)))
    got = judge('exponential.tsv')
    assert got['poisson'] is None and got['rejected_by'] == [] and '10 ms' in got['verdict']
    assert judge('exponential.tsv', '--tick', '10ms')['poisson'] is True
    assert judge('exponential.tsv', '--tick', '1ms')['poisson'] is False
    assert judge('constant.tsv')['poisson'] is False


def test_jtl_combined_log_format_and_a_table_of_the_same_requests_give_the_same_figures(judge, said):
    times = make_times('exponential', 800, 3000)  # a third of a request a second
    table = judge(write('a.tsv', 'start_ns', *times))
    assert table['tick_ms'] == 1e-6 and table['ties'] == 0
    write('a.jtl', 'timeStamp,elapsed,label,responseCode,threadName',
          *(f'{t // 10 ** 6},17,"Home, jpg",200,Traffic 1-{i % 7}' for i, t in enumerate(times)))
    got = judge('a.jtl', '--sources', 'threadName')
    assert got['tick_ms'] == 1 and got['sources'] == 7 == got['by_sources'][-1]['sources'] and got['gaps_told'] and got['poisson']
    assert got['n'] == table['n'] and got['cov'] == pytest.approx(table['cov'], abs=0.001)
    assert got['mean_ms'] == pytest.approx(table['mean_ms'], abs=0.01)
    write('a.log', *(f'10.0.0.{i % 5} - frank [{dated(t // S * 1000 - 7 * 3600000, "%d/%b/%Y:%H:%M:%S -0700")}] "GET /a HTTP/1.1" '
                     '200 2326 "http://x/[y]" "Mozilla (X11)"' for i, t in enumerate(times)))
    done = json.loads(said('a.log', '--format', 'json').out)
    got = done['result']
    assert got['tick_ms'] == 1000 and got['gaps_told'] and got['ties'] > 100 and got['poisson'] and got['n'] == table['n']
    assert got['cov'] == pytest.approx(table['cov'], abs=0.05) and got['mean_ms'] == pytest.approx(table['mean_ms'], abs=1)
    assert done['settings']['input_format'] == 'clf'


def test_warm_up_cool_down_and_unselected_rows_are_excluded(judge):
    # 100 s
    rows = [f'{1000 + i * 100}\t{i % 4}\t{"odd" if i % 2 else "even"}' for i in range(1001)]
    write('a.tsv', 'sent_ms\tuser\twhat', *rows)
    got = judge('a.tsv', '--column', 'sent_ms', '--warmup', '20s,30s')
    assert got['arrivals'] == 501 and 49.9 < got['span_s'] < 50.1
    assert judge('a.tsv', '--column', 'sent_ms', '--warmup', '1m')['arrivals'] == 401
    got = judge('a.tsv', '--column', 'sent_ms', '--where', 'what=odd', '--where', 'user=1')
    assert got['arrivals'] == 250 and got['passed_over'] == 751 and got['mean_ms'] == pytest.approx(400, abs=0.01)
    # in any order
    random.Random(1).shuffle(rows)
    got = judge(write('b.tsv', 'sent_ms\tuser\twhat', *rows), '--column', 'sent_ms', '--tick', '1ns')
    assert (got['cov'], got['mean_ms']) == (0, 100)


def draw(rows, svg='out.svg'):
    if not shutil.which('gnuplot'):
        pytest.skip('gnuplot is not installed')
    done = subprocess.run(['gnuplot', '-c', PLOT, rows, svg], capture_output=True, text=True, check=True)
    assert not re.search('undefined|invalid|empty|error', done.stderr, re.IGNORECASE), done.stderr
    return Path(svg).read_text()


def plot_rows(file):
    with open(file, encoding='utf-8') as stream:
        return list(csv.DictReader(stream, delimiter='\t'))


def test_shares_for_a_plot_add_up_to_1_and_it_is_drawn(judge, said):
    write('a b.tsv', 'start_ns\tuser', *(f'{t}\t{i % 20}' for i, t in enumerate(make_times('exponential', 2000, 10), 1)))
    judge('a b.tsv', '--sources', 'user', '--rows', 'rows.tsv')
    rows = plot_rows('rows.tsv')

    def total(kind, column):
        return sum(float(row[column]) for row in rows if row['kind'] == kind)
    third, fourth = list(rows[0])[3:5]
    assert 0.98 < total('gap', third) <= 1.000001 and 0.99 < total('gap', fourth) < 1
    assert total('count', third) == pytest.approx(1, abs=0.001) and 0.98 < total('count', fourth) <= 1.000001
    kinds = [row['kind'] for row in rows]
    assert kinds.count('sources') >= 8 and kinds.count('arrival') == 200
    svg = draw('rows.tsv')
    assert '</svg>' in svg and 'arrivals in 96.9 ms' in svg  # ten of them on average, of 2,000 in 19.4 s
    # whole seconds of twenty requests each have no gaps to show, three arrivals no intervals
    said(write('seconds.tsv', 'time_s', *(t // S for t in make_times('exponential', 2000, 50))), '--rows', 'seconds.rows')
    said(write('few.tsv', 'time_s', 1, 2, 5), '--rows', 'few.rows')
    assert 'too long to tell' in draw('seconds.rows') and 'too few intervals' in draw('few.rows')


def test_200_marks_are_the_same_for_the_same_seed_and_their_counts_and_distances_agree(judge, said):
    got = judge('--sample', 200, '--seed', 3, '--interval', '10ms', '--rows', 'ruler.tsv')
    assert got['arrivals'] == 200 and got['n'] == 199 and 0.9 < got['span_s'] < 1 and got['poisson']
    rows = plot_rows('ruler.tsv')
    mark = [float(r['x']) for r in rows if r['kind'] == 'arrival']
    assert len(mark) == 200 and mark == sorted(mark) and mark[0] == 0
    gap = [b - a for a, b in zip(mark, mark[1:])]
    assert (statistics.mean(gap), statistics.stdev(gap)) == pytest.approx((got['mean_ms'], got['sd_ms']), abs=1e-4)
    # thrown evenly: so far from the diagonal comes one sample in a hundred (Kolmogorov)
    assert max(abs(m / mark[-1] - i / 199) for i, m in enumerate(mark)) < 1.63 / 200 ** 0.5
    # marks in each centimetre, but for the first and the last one, which bound them
    counts = [sum(10 * i <= m < 10 * (i + 1) for m in mark[1:-1]) for i in range(int(mark[-1] / 10))]
    assert [int(r['y']) for r in rows if r['kind'] == 'tally'] == counts
    share = {float(r['x']): float(r['y']) for r in rows if r['kind'] == 'count'}
    assert all(abs(share[c] - counts.count(c) / len(counts)) < 1e-6 for c in range(max(counts) + 1)), share
    assert got['dispersion'] == pytest.approx(statistics.variance(counts) / statistics.mean(counts), abs=0.02)
    assert 'arrivals in 10 ms' in draw('ruler.tsv')
    for seed, same in ((3, True), (4, False)):
        said('--sample', 200, '--seed', seed, '--interval', '10ms', '--rows', 'again.tsv')
        assert (Path('again.tsv').read_text() == Path('ruler.tsv').read_text()) == same


def test_sources_are_added_in_the_order_of_their_names_with_digits_as_numbers(judge, said):
    write('a.tsv', 'time_s\tuser', '0.5\tu 10', '0.6\tu 10', *(f'{i}\tu 9' for i in range(1, 6)), '5.5\tu 10', '9\tv 1')
    got = judge('a.tsv', '--sources', 'user')
    first = got['by_sources'][0]
    assert got['sources'] == 3 and first['sources'] == 1 and first['cov'] < 0.1
    assert [one['n'] for one in got['by_sources']] == [4, 7, 8]
    # 1 ± 1.96/√8
    assert re.search(r'^ +3 +[0-9.]+/s +[0-9.]+ +0\.31 to 1\.69$', said('a.tsv', '--sources', 'user').out, re.MULTILINE)


def test_common_log_format_with_brackets_quotes_answers_without_a_size_and_time_zones(judge):
    write('access.log', r'::1 - - [10/Oct/2000:13:55:36 -0700] "GET /\"a b\" HTTP/1.0" 200 -',
          '[::1]:80 - - [10/Oct/2000:13:55:37 -0700] "GET / HTTP/1.0" 200',
          '::1 - fr[an]k [10/Oct/2000:23:55:38 +0300] "GET [ ]" 200 1',
          '10.0.0.1 - - [11/Oct/2000:02:25:46 +0530] "GET /[11/Oct/2000:02:25:39 +0530]" 304 -')
    got = judge('access.log')
    # whole seconds, each spread within its own: 10 s from the first to the last, give or take one
    assert got['arrivals'] == 4 and 9 < got['span_s'] < 11
    assert judge(write('empty.tsv', '', 'start_ns', 5, 900))['arrivals'] == 2  # a line of nothing before the header


@pytest.mark.parametrize('unit', ['s', 'ns'])
def test_with_equal_times_no_rate_no_coefficient_of_variation_no_verdict_on_poisson(judge, said, unit):
    # in steps of a second too, in which random places would make a span
    got = judge(write('equal.tsv', f'time_{unit}', *[1700000000] * 60))
    assert got['arrivals'] == 60 and got['ties'] == 59
    assert [got[key] for key in ('span_s', 'rate_per_s', 'cov', 'poisson')] == [None] * 4
    assert not re.search('CoV|Poisson|inf|nan', said('equal.tsv').out)


def test_with_few_arrivals_no_verdict(judge, said):
    write('sources.tsv', 'time_s\tuser', *['1.5\ta'] * 3)
    got = judge('sources.tsv', '--tick', '1ns', '--sources', 'user')
    assert all(one['cov'] is None and one['cov_low'] is None for one in got['by_sources'])
    got = judge(write('two.tsv', 'time_s', 1.5, 2.25), '--tick', '1ns')
    assert (got['arrivals'], got['span_s'], got['cov'], got['poisson']) == (2, 0.75, None, None)
    assert 'no verdict' in got['verdict']
    out = said('two.tsv').out
    assert 'no verdict' in out and 'CoV' not in out and 'Poisson' not in out


def test_the_range_of_a_coefficient_of_variation_does_not_begin_below_0(judge, said):
    # two gaps of 1 and 3 s: CoV sqrt(2) / 2, and 1.96 / sqrt(2) is 1.3859
    write('few.tsv', 'time_s\tuser', '1\ta', '2\ta', '5\ta')
    got = judge('few.tsv', '--tick', '1ns', '--sources', 'user')
    for one in (got, got['by_sources'][0]):
        assert (one['cov'], one['cov_low'], one['cov_high']) == (pytest.approx(0.707107, abs=2e-6), 0,
                                                                 pytest.approx(2.093036, abs=2e-5))
    assert ' 0.00 to 2.39' in said('few.tsv', '--tick', '1ns', '--sources', 'user').out


def test_a_row_without_a_time_is_reported_and_a_column_name_that_occurs_twice_is_refused(said, refused):
    write('a.tsv', 'time_s\tuser\tuser', '1\ta\tb', '\ta\tb', '3\ta\tb')
    done = said('a.tsv', '--format', 'json')
    got = json.loads(done.out)['result']
    assert '1 row ' in done.err and (got['arrivals'], got['passed_over']) == (2, 1)
    assert 'named user' in refused(1, 'a.tsv', '--sources', 'user')
    refused(1, 'a.tsv', '--where', 'user=a')


def test_what_cannot_be_read_is_refused_in_one_line(said, refused):
    refused(2)
    refused(1, 'missing.log')
    refused(1, write('one.tsv', 'start_ns', 5))
    assert 'line 4' in refused(1, write('bad.tsv', 'start_ns', 5, 900, 'x'))
    write('bad.tsv', 'when', 5, 900)
    for status, words in ((1, ''), (1, '--column when'), (1, '--column when --unit s --where a=b'), (2, '--warmup 2x'),
                          (2, '--where ab'), (2, '--sample 200'), (1, '--column when --unit s --warmup 1d')):
        refused(status, 'bad.tsv', *words.split())
    refused(2, '--sample', 1)
    assert '--where' in refused(2, '--sample', 200, '--where', 'a=b')
    said('bad.tsv', '--column', 'when', '--unit', 's')


def known(got):
    return [got[key] for key in ('n', 'mean_ms', 'cov', 'p')]


def test_jmeters_separators_dates_and_transactions_and_the_w3cs_log(judge):
    ms = [t // 10 ** 6 for t in make_times('exponential', 400, 500)]
    head = 'timeStamp,elapsed,responseMessage,threadName'
    transaction = '"Number of samples in transaction : {}, number of failing samples : 0"'
    plain = [head, *(f'{t},5,OK,t' for t in ms)]
    wanted = known(judge(write('plain.jtl', *plain)))
    for separator in '|;\t':
        assert known(judge(write('other.jtl', *(line.replace(',', separator) for line in plain)))) == wanted
    dates = [dated(t, '%Y-%m-%d %H:%M:%S.%ms') for t in ms]
    assert known(judge(write('dates', *dates))) == wanted
    assert known(judge(write('dates.jtl', head, *(f'{date.replace("-", "/")},5,OK,t' for date in dates)))) == wanted
    rows = [line for row in plain[1:] for line in (row, row.replace('OK', transaction.format(1)))]
    got = judge(write('transactions.jtl', head, *rows))
    assert known(got) == wanted and got['transactions'] == got['passed_over'] == 401
    # "Generate parent sample": no other rows
    got = judge(write('parents.jtl', head, *(row.replace('OK', transaction.format(3)) for row in plain[1:])))
    assert known(got) == wanted and got['transactions'] == 0
    clf = write('ms.log', *(f'h - - [{dated(t, "%d/%b/%Y:%H:%M:%S.%ms +0000")}] "GET /" 200 1' for t in ms))
    assert known(judge(clf)) == wanted
    w3c = ['#Version: 1.0', '#Fields: date time c-ip', *(f'{date} h' for date in dates[:200]), '#Fields: date time x c-ip',
           *(f'{date} x h' for date in dates[200:])]
    got = judge(write('w3c.log', *w3c, end='\r\n'), '--where', 'c-ip=h')
    assert known(got) == wanted and got['tick_ms'] == 1


@pytest.mark.parametrize('line, why', [('{{"msec": {0}, "a": "b"}}', 'jq -r .TIME FILE'), ('https {1}T{2}Z app "GET, x"', 'awk '),
                                       ('{1} {2} INFO x, y', 'awk ')])
def test_json_and_words_are_refused_with_a_command(refused, line, why):
    ms = range(START // 10 ** 6, START // 10 ** 6 + 9000, 1000)
    lines = [line.format(t, *dated(t, '%Y-%m-%d %H:%M:%S.%ms').split(' ')) for t in ms]
    assert why in refused(1, write('x.log', *lines))


def test_byte_order_marks_line_ends_also_in_labels_empty_lines_no_header_any_order(judge, refused, monkeypatch, said):
    ms = [t // 10 ** 6 for t in make_times('exponential', 400, 50)]
    head = 'timeStamp,elapsed,label,threadName'
    plain = [head, *(f'{t},5,a,t{i % 3}' for i, t in enumerate(ms, 1))]
    wanted = known(judge(write('plain.jtl', *plain)))
    lines = [f'{line}\r\n' + '\r\n' * (i % 50 == 0) for i, line in enumerate(plain, 1)]
    assert known(judge(write('windows.jtl', '\ufeff' + ''.join(lines), end=''))) == wanted
    labels = [f'{t},5,"one, ""two""\r\nand 1234567890123,7,x,y",t' for t in ms]
    assert known(judge(write('labels.jtl', head, *labels))) == wanted
    write('headless.jtl', *plain[1:])
    for words in ((), ('--sources', '4'), ('--where', '2=5')):
        got = judge('headless.jtl', *words)
        assert known(got) == wanted and got['tick_ms'] == 1 and got.get('sources') in (None, 0, 3)
    assert judge('headless.jtl', '--sources', '4')['sources'] == 3
    # the same numbers and nothing else
    assert known(judge(write('ms', *ms), '--column', '1', '--unit', 'ms')) == wanted
    assert '--column' in refused(1, 'ms')
    refused(1, 'headless.jtl', '--sources', 'threadName')
    Path('plain.jtl.gz').write_bytes(gzip.compress(Path('plain.jtl').read_bytes()))
    assert 'zcat' in refused(1, 'plain.jtl.gz')
    assert 'XML' in refused(1, write('old.jtl', '<?xml version="1.0"?>', '<testResults>'))


def test_a_log_whose_zone_changes_in_the_middle_with_lines_in_the_order_in_which_requests_ended(judge):
    seconds = [1700000000 + 3 * i for i in range(1, 402)]
    winter, summer = ([f'h - - [{dated(1000 * (t + shift), f"%d/%b/%Y:%H:%M:%S {zone}")}] "GET /" 200 1' for t in seconds]
                      for shift, zone in ((0, '+0000'), (3600, '+0100')))
    got = judge(write('both.log', *winter[200:], *summer[:200]))
    assert got['n'] == 400 and 1190 < got['span_s'] < 1210


def test_a_log_in_a_pipe():
    text = ''.join(f'{t}\n' for t in ['start_ns', *make_times('exponential', 400, 50)])
    done = subprocess.run([Path(__file__).resolve().parents[4] / 'bin/arrivals', '-', '--format', 'json'], input=text, text=True,
                          capture_output=True, check=True)
    assert json.loads(done.stdout)['result']['n'] == 400
