# SPDX-License-Identifier: GPL-3.0-or-later
"""queue: a published table to its last digit, think times that follow the users, demands that come back from rows, refusals in one
line."""
import json
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

from analysis import queue
from made_up import ended, refusal

PLOT = Path(__file__).resolve().parents[2] / 'plots/queue.gp'
MODELS = ('mva', 'mm1', 'mmm', 'mm1n', 'users', 'fit')


@pytest.fixture(name='said')
def in_folder(tmp_path, monkeypatch, capfd):
    """The program, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return partial(ended, capfd, 'queue')


@pytest.fixture(name='result')
def in_json(said):
    return lambda *words, status=0: json.loads(said(*words, '--format', 'json', status=status).out)['result']


def table(name, head, *rows):
    Path(name).write_text('\n'.join('\t'.join(str(cell) for cell in row) for row in (head.split(), *rows)) + '\n')
    return name


PAPER = '''1800 0.85 199.72 0.98 9.5460 0.51 95.97 191.43 286.89 382.35 477.81
1830 1.67 199.99 1.00 19.0380 1.00 191.38 381.76 572.14 762.52 952.90
1900 2.53 199.05 1.01 28.0740 1.52 282.26 563.00 843.74 1124.48 1405.22
1930 3.59 199.44 1.01 36.1560 2.16 363.72 725.28 1086.84 1448.40 1809.96
2000 5.81 199.71 1.03 46.5360 3.49 468.85 934.21 1399.57 1864.93 2330.29
2030 15.66 200.14 1.08 70.8180 9.40 717.58 1425.76 2133.94 2842.12 3550.30
2100 40.33 199.49 1.17 95.4960 24.20 979.16 1934.12 2889.08 3844.04 4799.00'''


def test_tables_3_and_4_of_brady_and_gunther(result):
    # Table 3: Q, N and CoV from lambda, R, Z, mean and standard deviation; Table 4: pages and web users
    table('runs.tsv', 'run n z_ms lambda r_ms mean_ms sd_ms', *((run, 200, *cells) for run, *cells in (
        (1800, 12500, 15.91, 53.17, 62.81, 61.75), (1830, 6250, 31.73, 52.74, 31.52, 31.59),
        (1900, 4200, 46.79, 54.06, 21.37, 21.54), (1930, 3250, '60.26', 59.64, '16.60', 16.78),
        (2000, 2500, 77.56, 74.97, 12.89, 13.22),
        (2030, 1563, 118.03, 132.67, 8.47, 9.12), (2100, 1000, 159.16, 253.38, 6.28, 7.37))))
    got = result('users', 'runs.tsv', '-z', '10s:50s:10s', '--pages', '9:15')['rows']
    assert '\n'.join(f'{r["run"]} {r["q"]:.2f} {r["n_calculated"]:.2f} {r["cov"]:.2f} {r["lambda_pages"]:.4f} {r["q_pages"]:.2f} '
                     + ' '.join(f'{web["users"]:.2f}' for web in r['web']) for r in got) == PAPER


def test_fit_finds_the_demands_with_which_mva_made_the_rows(result):
    made = result('mva', '--demand', '40ms,15ms', '--delay', '25ms', '-n', '1,10,20,30,40,50,60,80', '-z', '2s')['rows']
    table('rows.tsv', 'n z_s r_ms', *((r['n'], r['z_s'], 1000 * r['r_s']) for r in made))
    got = result('fit', 'rows.tsv', '--stations', 2, '--first', 6, '--threshold', '500ms', '-n', 100, '--rows', 'plot.tsv')
    assert got['demands'][0]['demand_s'] == pytest.approx(0.04, abs=1e-4) and len(got['rows']) == 8
    assert all(abs(r['off_percent']) < 1 for r in got['rows']) and [r['fitted'] for r in got['rows']] == [True] * 6 + [False] * 2
    assert got['foretold'][0]['n'] == 100
    assert 40 < got['threshold']['users'] < 80  # R of 60 users is below it and of 80 above
    kinds = [line.split('\t')[1] for line in Path('plot.tsv').read_text().splitlines()]
    assert [kinds.count(kind) for kind in ('measured', 'later', 'fit', 'model')] == [6, 2, 8, 1]


def test_a_forecast_has_an_interval_from_those_of_the_demands_and_of_wide_ones_cannot_tell(result, said):
    # demand 50 ms, delay 20 ms: 19 users stay below 200 ms
    rows = [(r['n'], r['z_s'], 1000 * r['r_s'] * (1 + 0.01 * (r['n'] * 7 % 3 - 1)))
            for r in result('mva', '--demand', '50ms', '--delay', '20ms', '-n', '1,2,3,4,6,8', '-z', '1s')['rows']]
    table('rows.tsv', 'n z_s r_ms', *rows)
    table('far.tsv', 'n z_s r_ms', *rows[:3])
    most = result('fit', 'rows.tsv', '--threshold', '200ms')['threshold']
    assert 10 < most['users_low'] < 19 < most['users_high'] < 30
    assert re.search(r'19 \(.*extrapolation from 1 to 8', ' '.join(said('fit', 'rows.tsv', '--threshold', '200ms').out.split()))
    most = result('fit', 'far.tsv', '--threshold', '200ms')['threshold']
    assert most['users_low'] <= 19 <= most['users_high'] and most['users_high'] > 4 * most['users_low']
    assert said('fit', 'far.tsv', '--threshold', '200ms').out.lower().startswith('cannot tell')


def test_busy_times_give_demands_by_the_utilization_law(result):
    table('rows.tsv', 'lambda r_ms u_gov1 u_gov2', (10, 30, 0.1, 0.05), (20, 31, 0.2, 0.1), (40, 34, 0.4, 0.2))
    got = result('fit', 'rows.tsv', '--threshold', '50ms')
    # 50 ms less what nobody waits for, at D1 / (1 - .01 x) + D2 / (1 - .005 x)
    x, delay = got['threshold']['rate'], got['delay']['delay_s']
    assert got['threshold'].get('users') is None and delay > 0
    assert delay + 0.01 / (1 - 0.01 * x) + 0.005 / (1 - 0.005 * x) == pytest.approx(0.05, abs=1e-6)
    assert [(d['name'], d['demand_s']) for d in got['demands']] == [('gov1', 0.01), ('gov2', 0.005)]


def draw(rows, figure):
    return subprocess.run(['gnuplot', '-c', PLOT, rows, 'out.svg', figure], capture_output=True, text=True, check=False,
                          env={'LC_ALL': 'C.UTF-8', 'PATH': '/usr/bin:/bin'})


def test_the_asymptote_of_the_response_time_begins_at_minus_z_and_each_figure_is_drawn(said):
    if not shutil.which('gnuplot'):
        pytest.skip('gnuplot is not installed')
    said('mva', '--demand', '50ms,40ms,30ms', '-n', '100,200:1000:200', '-z', '10s', '--rows', 'held-z.tsv')
    # N S_max - Z, by hand: 5 - 10, 10 - 10, 20 - 10 ... 50 - 10
    head, *rows = (line.split('\t') for line in Path('held-z.tsv').read_text().splitlines())
    assert [row[head.index('r_asymptote_s')] for row in rows] == ['-5', '0', '10', '20', '30', '40']
    said('mva', '--demand', '50ms,40ms,30ms', '-n', '130,500,2000', '--users-per-second', '20', '--rows', 'held-nz.tsv')
    drawn = {}
    for figure in ('held-nz/rate', 'held-nz/line', 'held-nz/principle', 'held-z/rate', 'held-z/response', 'held-z/line',
                   'held-z/load'):
        rows, name = figure.split('/')
        done = draw(f'{rows}.tsv', name)
        assert not re.search('undefined|invalid|empty|error|warning', done.stderr, re.IGNORECASE), done.stderr
        drawn[figure] = Path('out.svg').read_text()
        assert '</svg>' in drawn[figure]
    assert all(f'>N = {n}<' in drawn['held-nz/line'] for n in (130, 500, 2000))
    assert 'N/Z): 20 a second' in drawn['held-nz/principle']
    done = draw('held-z.tsv', 'principle')
    assert done.returncode and '--users-per-second' in done.stderr
    shutil.copy('held-z.tsv', "a'$(touch ran)'.tsv")
    done = draw("a'$(touch ran)'.tsv", '')
    assert done.returncode == 1 and 'a quote in the name' in done.stderr and not Path('ran').exists()


@pytest.mark.parametrize('times, last, last_of_several', [
    ('10s,30s', '302', '30,200'), ('10s:50s:10s', '502', '50,200'), ('10s:1000s:10s', '10,000', '1,000,000')])
def test_of_many_think_times_the_text_gives_only_the_first_and_last(said, times, last, last_of_several):
    table('loads.tsv', 'run lambda r_ms', *((f'load-{n}', f'{n}000.5', 150) for n in range(1, 7)))
    single = said('users', '--rate', 10, '--response', '200ms', '-z', times).out
    several = said('users', 'loads.tsv', '-z', times).out
    # lambda (R + Z): 10 (0.2 + 10), 1000.5 (0.15 + 10), and of the last
    assert re.search(' 102$', single, re.MULTILINE) and re.search(f' {last}$', single, re.MULTILINE)
    assert re.search(f'^load-1 .* 10,200 .*{last_of_several}$', several, re.MULTILINE)
    for text in (single, several):
        assert text.count('\n') <= 8 and max(map(len, text.splitlines())) <= 80
    assert times != '10s:50s:10s' or len(re.findall(' [1-5]02$', single, re.MULTILINE)) == 5


def test_a_few_think_times_have_a_column_each(said):
    table('loads.tsv', 'run lambda r_ms', ('load-1', 1000.5, 150), ('load-2', 2000.5, 150))
    assert re.search('^load-1 .* 10,200 +20,200 +30,200$', said('users', 'loads.tsv', '-z', '10s,20s,30s').out, re.MULTILINE)


def test_an_option_is_refused_with_a_model_that_its_help_does_not_name(capfd):
    values, n = {'method': 'exact', 'pages': '1:2', 'column': 'r_s', 'rows': 'x'}, 0
    options = [option for option in queue.OPTIONS if option.of]
    assert any(option.name == 'think-time' for option in options)
    for option in options:
        value = values.get(option.name, '1s' if option.kind == 'time' or 'TIME' in option.meta else '1')
        for model in sorted({*MODELS} - {*option.of.split(', ')}):
            words = [model, f'--{option.name}', *([value] if option.takes_value() else [])]
            assert f'--{option.name} does not belong to queue {model} ' in refusal(capfd, 'queue', *words)
            n += 1
    assert n >= 60


@pytest.mark.parametrize('words', [
    '', 'erlang', 'mva --demand 50ms -n 10', 'mva --demand 50ms -n 10 -z 1s --users-per-second 3',
    'mva --demand 50ms -n 10.5 -z 1s', 'mva --demand 0 -n 10 -z 1s', 'mva --demand 5 -n 10:1:1 -z 1s',
    'mva --demand -5ms,40ms -n 10 -z 1s',
    'users --rate 5 --response 1ms -z -1s', 'mm1 --rate 5 --service 1ms -n 3', 'mmm --rate 5 --service 1ms',
    'users --rate 5 --response 1ms'])
def test_words_that_cannot_be_are_refused(capfd, words):
    refusal(capfd, 'queue', *words.split())


@pytest.mark.parametrize('model, head, rows, why', [
    ('fit', 'lambda u_cpu', '0 0.1/0 0.1', ''), ('fit', 'n z_s r_ms', '1 1 5/2 1 x', 'line 3'), ('fit', 'r_ms u_cpu', '5 71', ''),
    ('fit', 'r_ms r_s', '5 71', ''), ('fit', 'lambda u_cpu u_cpu', '1 0.1 0.2/2 0.2 0.4', ''), ('users', 'a b', '', '')])
def test_rows_that_cannot_be_are_refused(said, capfd, model, head, rows, why):
    table('bad.tsv', head, *(row.split() for row in rows.split('/') if row))
    assert why in refusal(capfd, 'queue', model, 'bad.tsv', status=1)
    refusal(capfd, 'queue', 'fit', 'missing.tsv', status=1)


def test_one_server_at_90_percent_an_entry_of_an_erlang_c_table_and_the_machine_repairman(result, said):
    one = result('mm1', '--rate', 18, '--service', '50ms')['rows'][0]
    assert (one['r_s'], one['q'], one['waits']) == (0.5, 9, 0.9) and 'blocked' not in one  # nobody is
    assert result('mmm', '--rate', 20, '--service', '50ms', '--servers', 2)['rows'][0]['blocked'] == 0.2
    done = said('mm1', '--rate', '18,25', '--service', '50ms', '--format', 'json', status=3)
    assert done.err.count('\n') == 1 and '25 requests' in done.err
    steady, not_steady = json.loads(done.out)['result']['rows']
    assert steady['steady'] and not_steady['steady'] is False and not_steady['r_s'] is None
    assert '25 requests a second come, 20 at most' in not_steady['note']
    repairman = partial(result, 'mm1n', '--service')
    one = repairman('50ms', '-n', 1, '-z', '0.95s')['rows'][0]
    assert (one['x'], one['r_s']) == (1, 0.05)
    # a think time of eleven days takes no digits off a response time of a millisecond; saturation takes none off the other end
    one = repairman('1ms', '-n', 1, '-z', '1000000s')['rows'][0]
    assert (one['r_s'], one['w_s']) == (0.001, 0)
    one = repairman('50ms', '-n', 100000, '-z', '10s')['rows'][0]
    assert (one['x'], one['r_s'], one['u']) == (20, 4990, [1])


def test_rows_of_every_model_have_the_same_keys_and_think_times_can_follow_the_users(result):
    got = result('mva', '--demand', '50ms,40ms,30ms', '-n', '100,200', '--users-per-second', 20, '--method', 'schweitzer')
    assert all(r['nz'] == 20 and r['z_s'] == r['n'] / 20 and r['q_exact'] > 0 for r in got['rows']) and len(got['rows']) == 2
    assert got['bounds']['x_most'] == 20
    keys = {'n', 'z_s', 'nz', 'lambda', 'q', 'qz', 'r_s', 'x', 'u'}
    closed = result('mva', '--demand', '50ms,40ms', '-n', '10,20', '-z', '1s')['rows']
    assert all(keys <= set(r) for r in closed + result('mm1n', '--service', '50ms', '-n', 10, '-z', '1s')['rows'])
    assert len(closed[0]['u']) == 2 and closed[0]['lambda'] == closed[0]['x']
    assert closed[0]['u'][0] == pytest.approx(closed[0]['x'] * 0.05, abs=1e-8)
    one = result('mmm', '--rate', 5, '--service', '50ms', '--servers', 2)['rows'][0]
    assert (one['lambda'], one['x'], one['u'], one.get('note')) == (5, 5, [0.125], None) and {'q', 'r_s'} <= set(one)
    web = result('users', '--rate', 159.16, '--response', '253.38ms', '-z', '30s', '--pages', '9:15')['rows'][0]['web']
    assert web[0]['think_s'] == 30


@pytest.fixture(name='fit')
def fit_rows(result):
    def fit(head, *rows, status=0):
        return result('fit', table('rows.tsv', head, *rows), status=status)
    return fit


def test_fit_says_what_the_rows_do_not_determine(fit):
    got = fit('n z_s r_ms', (10, 2, 100), (10, 2, 100))  # twice the same
    assert got['demands'][0]['low_s'] is None and 'do not determine' in got['note']
    got = fit('n z_s r_ms', (100, 1, 9000), (200, 1, 19000), (300, 1, 29000))  # saturation alone: the demand, but no delay
    assert got['demands'][0]['demand_s'] == pytest.approx(0.1, abs=1e-6)
    assert got['delay']['low_s'] is None and 'saturation' in got['note']
    got = fit('lambda u_cpu', (10, 0.5))
    assert got['demands'][0]['demand_s'] == 0.05 and 'too few' in got['note']
    got = fit('lambda u_cpu', (10, 0.5), (12, 0.61), (14, 0.69))
    assert got.get('note') is None and got['demands'][0]['low_s'] < 0.05 < got['demands'][0]['high_s']


def test_fit_says_where_no_demands_make_the_rows(fit, said):
    # faster with more users; 35 ms each, 40 times a second: 1.4 s in a second
    assert 'mean nothing' in fit('n z_s r_ms', (10, 2, 100), (20, 2, 80), (30, 2, 60), (40, 2, 40), status=3)['note']
    got = fit('lambda u_cpu', (10, 0.5), (20, 0.95), (40, 1.0), status=3)
    assert got['demands'][0]['low_s'] == 0 and 'mean nothing' in got['note']
    # one response of twenty is below the demand of 50 ms; the others are those of M/M/1
    got = fit('lambda r_s u_cpu', (0.5, 0.0325, 0.025), *((x / 2, 0.05 / (1 - x / 40), x / 40) for x in range(1, 20)), status=3)
    assert got['error_percent'] < 20 and 'mean nothing' in got['note']
    done = said('fit', 'rows.tsv', '--threshold', '200ms', status=3)
    assert 'which do not fit' in done.out + done.err
    assert 'stay below' not in done.out and 'The model is off' not in done.out


def test_rows_of_which_not_all_users_asked_are_named(result, said):
    head = 'n z_s lambda r_s'
    whole = [(r['n'], 1, r['lambda'], r['r_s'])
             for r in result('mva', '--demand', '50ms', '-n', '2:16:2', '-z', '1s')['rows']]
    said('fit', table('whole.tsv', head, *whole))
    said('users', 'whole.tsv')
    said('fit', table('half.tsv', head, *((2 * n, *rest) for n, *rest in whole)), '--first', 7, status=3)
    assert 'not all of them asked' in said('users', 'half.tsv', status=3).err
    # two rows of eight: each by its number, or by its run
    two = [(2 * n if i in (2, 5) else n, *rest) for i, (n, *rest) in enumerate(whole)]
    assert 'row 3, 6' in said('users', table('two.tsv', head, *two), status=3).err
    named = [(f'load-{row[0]}', *row) for row in two]
    assert 'row load-12, load-24' in said('users', table('named.tsv', f'run {head}', *named), status=3).err
    many = [*named, *((f'{0:050}-{n}', 9, 1, 1, 1) for n in range(1, 41))]
    assert re.search(r'load-12.*\.\.\.', said('users', table('many.tsv', f'run {head}', *many), status=3).err)
