# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of others: lines, cells, keys; what is no table is refused with its line."""
import io

import pytest

from analysis import tables
from analysis.tables import BadLine


def read(data):
    table = tables.read_table(io.BytesIO(data))
    return table.header, list(table.rows)


def test_tabs_or_commas_by_the_header():
    assert read(b'a\tb,c\n1\t2\n\n3\t\n') == (['a', 'b,c'], [(2, ['1', '2']), (4, ['3', ''])])
    assert read(b'\xef\xbb\xbfa,b\r\n1,"x ""y"", z"') == (['a', 'b'], [(2, ['1', 'x "y", z'])])


def test_quoted_cells():
    assert tables.split_quoted('a,"b, ""c""",,"d"x,e') == ['a', 'b, "c"', '', 'd', 'e']
    assert tables.split_quoted('"open') == ['open']
    assert tables.split_quoted('a,') == ['a', '']
    assert read(b'a,b\n1,"two\nlines"\n2,c\n')[1] == [(2, ['1', 'two lines']), (4, ['2', 'c'])]


@pytest.mark.parametrize('data, line, word', [
    (b'', 1, 'header'), (b'\n\n', 3, 'header'), (b'a,b\n1\n', 2, 'cells'), (b'a\n\x00\n', 2, 'byte 0'), (b'\x1f\x8b', 1, 'gzip'),
    (b'a,b\n1,"x\n', 2, 'quote'),
    (b'a\n' + b'x' * 70000, 2, 'too long'), (b'<?xml?>', 1, 'XML'), (b'a' + b'\tx' * 300 + b'\n' + b'\t' * 300, 2, 'cells'),
])
def test_what_is_no_table(data, line, word):
    with pytest.raises(BadLine, match=word) as bad:
        read(data)
    assert bad.value.line == line


def test_a_table_of_ours_is_whole_and_of_its_schema():
    def rows(data):
        return list(tables.read_schema(io.BytesIO(data), 'k/1', ('a', 'b'), 1))

    assert rows(b'schema\tx\ta\nk/1\t1\t2\n') == [(2, ['2', None])]
    for data, line in ((b'', 0), (b'schema\tb\n', 1), (b'schema\ta\nk/2\t1\n', 2), (b'schema\ta\nk/1\t1', 2),
                       (b'schema\ta\nk/1\n', 2)):
        with pytest.raises(BadLine) as bad:
            rows(data)
        assert bad.value.line == line


KEY = {name: None for name in tables.KEY_COLUMNS}


def key(**cells):
    return tables.read_key(list((KEY | {name: str(v) for name, v in cells.items()}).values()))


def test_latencies_of_a_key():
    answered = key(due_ns=100, sent_ns=101, answer_ns=150)
    assert tables.latency(answered, False) == tables.latency(answered, True) == (50, False)
    ranged = key(due_ns=100, answer_ns=150, answer_high_ns=170, earliest_ns=120)
    assert (tables.latency(ranged, False), tables.latency(ranged, True)) == ((20, False), (70, False))
    open_ended = key(due_ns=100, answer_ns=150, censored_ns=900)
    assert (tables.latency(open_ended, False), tables.latency(open_ended, True)) == ((50, False), (800, True))
    assert tables.latency(key(due_ns=100, censored_ns=90), True) == (0, True)
    assert tables.latency(key(due_ns=100), True) is None


@pytest.mark.parametrize('cells', [{}, {'due_ns': 'x'}, {'due_ns': -1}, {'due_ns': 2 ** 61 - 1}, {'due_ns': 5, 'answer_ns': 4},
                                   {'due_ns': 5, 'answer_ns': 9, 'earliest_ns': 10},
                                   {'due_ns': 5, 'earliest_ns': 4, 'censored_ns': 9}])
def test_times_that_are_no_keys(cells):
    with pytest.raises(ValueError):
        key(**cells)


def test_units_by_the_end_of_a_name():
    names = 'r_ms', 'x_s', 'a_us', 'b_ns', '_ms', 'rooms', 'ms'
    assert [tables.time_unit(name) for name in names] == [10 ** 6, 10 ** 9, 1000, 1, 0, 0, 0]
