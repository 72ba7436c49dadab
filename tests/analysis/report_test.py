# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports: the same result as JSON, TSV and text; a file is whole, or as it was."""
import errno
import json
import os
from math import inf, nan

import pytest

from analysis import figures, report, words
from analysis.command import Given, Stop, Usage
from analysis.figures import Figure, Sample, Statistic
from analysis.report import Report, real


def made(path=None, **values):
    out = Report('tool', Given({'output': path, **values}))
    out.settings = {'file': 'a "b"\x1b\udcff'}
    out.result = {'n': 3, 'rate': real(1 / 3, 4), 'zero': real(-0.0001, 2), 'none': real(nan, 1), 'yes': True,
                  'rows': [{'a': 1, 'b': {'c': real(2, 1)}}, {'a': 2, 'd': 'x\ty'}], 'empty': [], 'shares': [1, 2, None]}
    return out


def test_json_has_decimals_and_no_control_bytes():
    text = report.json_text(made().tree(), 0)
    assert '"rate": 0.3333' in text and '"zero": 0.00' in text and '\x1b' not in text
    tree = json.loads(text)
    assert list(tree)[:5] == ['schema', 'tool', 'version', 'started', 'host']
    assert tree['settings']['file'] == 'a "b"\x1b\ufffd' and tree['result']['none'] is None and tree['result']['empty'] == []
    same = json.dumps(tree, indent=1, ensure_ascii=False).replace('0.0,', '0.00,')
    same = same.replace('\x1b', '\\u001b').replace('\\t', '\\u0009')
    assert text == same


def test_tsv_is_the_main_table_or_the_result_as_one_row():
    out = made()
    out.main_table = 'rows'
    assert out.tsv() == 'schema\ta\tb.c\td\nthinprobe.tool/1\t1\t2.0\t\nthinprobe.tool/1\t2\t\tx y\n'
    out.main_table, out.columns = 'empty', ['a', 'b']
    assert out.tsv() == 'schema\ta\tb\n'
    del out.result['rows'], out.result['shares'], out.result['empty']
    out.main_table, out.columns = None, []
    assert out.tsv() == 'schema\tn\trate\tzero\tnone\tyes\nthinprobe.tool/1\t3\t0.3333\t0.00\t\ttrue\n'


def test_text_has_warnings_first_and_words_are_never_cut():
    out = made()
    out.say('The answer ' + 'is long ' * 12)
    out.warn('careful')
    lines = out.text(80).splitlines()
    assert lines[0] == '! careful' and max(map(len, lines)) <= 80 and lines[2].startswith('  ')
    assert json.loads(report.json_text(out.tree(), 0))['summary'] == 'careful'
    assert made(detail='quiet').text(80) == '' and 'rate' in made().text(80)


def test_a_long_table_shows_first_last_and_worst():
    out = made()
    table = out.table('lr', 'name', 'value')
    for i in range(40):
        table.row(f'r{i}', str(i), rank=100 if i == 7 else i)
    text = out.text(80)
    assert all(f'r{i} ' in text for i in (0, 7, 39)) and '5 of 40 rows' in text
    assert 'r20 ' in report.table_text(table, True, 80)


def test_what_stands_for_figures_that_are_no_number():
    row = {'p50': figures.exact(2), 'p90': Figure(nan, 1, 3), 'p99': Figure(4, 4, inf, above=True), 'max': Figure(why='too few')}
    assert report.figures(row, 1) == {'p50': '2.0', 'p90': None, 'p99': None, 'max': None, 'above': {'p99': '4.000'},
                                      'range': {'p90': {'from': '1.000', 'to': '3.000'}}, 'why': {'max': 'too few'}}
    assert [words.figure(f) for f in row.values()] == ['2.00', '1.00 to 3.00', '>4.00', '-']


@pytest.mark.parametrize('value, text', [
    (0.69, '0.69'), (9.98, '9.98'), (9.999, '10.0'), (12.345, '12.3'), (412.4, '412'), (1234, '1,230'),
    (0.0999, '0.10'), (0, '0'), (-0.0, '0'), (-1234567, '-1,230,000'), (nan, '-'), (1e18, '-'),
])
def test_three_digits(value, text):
    assert words.number(value) == text


def test_quantiles_by_hand():
    # type 7 of Hyndman & Fan: R's default
    sample = Sample([10, 20, 40, 80])
    assert [figures.quantile(sample, p).value for p in (0, 0.5, 0.9, 1)] == [10, 30, pytest.approx(68), 80]
    assert figures.quantile(Sample([10, 20, 40], 40), 0.5) == (20, False) and figures.quantile(Sample([10, 20, 40], 40), 0.9).above
    assert figures.between(Statistic(100), Statistic(100.5)).value == 100.5
    assert figures.between(Statistic(1), Statistic(2)).why == 'range'


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path, link = tmp_path / 'out.json', tmp_path / 'link'
    path.write_text('before')
    link.symlink_to(path)
    write = os.write

    def full(descriptor, data):
        if descriptor > 2 and len(data) > 10:
            write(descriptor, bytes(data[:10]))
            raise OSError(errno.ENOSPC, 'No space left on device')
        return write(descriptor, data)

    out = made(str(link), format='json')
    monkeypatch.setattr(os, 'write', full)
    with pytest.raises(Stop, match='No space'):
        out.close()
    monkeypatch.undo()
    assert path.read_text() == 'before' and sorted(p.name for p in tmp_path.iterdir()) == ['link', 'out.json']
    out.close()
    assert json.loads(path.read_text())['tool'] == 'tool' and link.is_symlink() and len(list(tmp_path.iterdir())) == 2


def test_a_bad_place_is_refused_before_the_work(tmp_path):
    for path in ('/nonexistent/x', str(tmp_path)):
        with pytest.raises(Stop, match='cannot write'):
            made(path)
    with pytest.raises(Usage, match='--log and --output'):
        report.refuse_same_outputs(log=str(tmp_path / 'a'), output=f'{tmp_path}/./a')
    report.refuse_same_outputs(log='/dev/null', output='/dev/null')
