# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of logs: what date(1) says of them, decimals to the ns, ticks as they look, quoted commas, refusals; and mutants of
logs."""
import io
import random
from functools import cmp_to_key

import pytest

from analysis import logs
from analysis.logs import Question
from analysis.tables import BadLine

S = 1000000000


def read(text, **asked):
    return logs.read_log(io.BytesIO(text.encode()), Question(**asked))


@pytest.mark.parametrize('text, seconds', [
    ('10/Oct/2000:13:55:36 -0700', 971211336), ('01/Jan/1970:00:00:00 +0000', 0), ('29/Feb/2024:23:59:59 +0530', 1709231399),
    ('31/Dec/2099:12:00:00 +0000', 4102401600), ('01/Mar/2023:00:00:00 +0000', 1677628800), ('2026-01-05 08:00:00', 1767600000),
    ('2026-01-05T08:00:00Z', 1767600000), ('2026-01-05T09:30:00+01:30', 1767600000), ('2026/01/05 08:00:00', 1767600000),
    ('01/05/26 08:00:00', 1767600000),
])
def test_dates_of_servers(text, seconds):
    # date -u -d '2000-10-10 13:55:36 -0700' +%s, and so on
    assert logs.parse_date(text) == (seconds * S, S, len(text))


@pytest.mark.parametrize('text', ['', '10/Okt/2000:13:55:36 -0700', '10/Oct/2000:25:55:36 -0700', '32/Oct/2000:13:55:36 -0700',
                                  '2026-13-05 08:00:00', '10/anF/2000:13:55:36 +0000', '2026-01-05t08:00:00'])
def test_what_is_no_date(text):
    assert logs.parse_date(text) is None


def test_a_date_may_have_decimals_and_end_before_the_text():
    assert logs.parse_date('10/Oct/2000:13:55:36.25 -0700]') == (971211336 * S + S // 4, S // 100, 29)
    for rest in ('+053', '+05:3', '+0560', ' x'):  # no zones
        assert logs.parse_date(f'2026-01-05 08:00:00{rest}') == (1767600000 * S, S, 19)


@pytest.mark.parametrize('text, unit, ns, tick', [
    ('1700000000.123456789', S, 1700000000123456789, 1), ('1700000000123', 1000000, 1700000000123000000, 1000000),
    ('12.5', S, 12500000000, 100000000), ('3.1234567890123', 1000, 3123, 1),
])
def test_decimals_stay_exact(text, unit, ns, tick):
    assert logs.parse_number(text, unit) == (ns, tick)


@pytest.mark.parametrize('text, unit', [('', S), ('-1', S), ('12x', S), ('99999999999999999999', 1), ('9999999999999', S),
                                        ('9' * 5000, 1)])
def test_what_is_no_number(text, unit):
    assert logs.parse_number(text, unit) is None


def test_jtl_with_quotes_and_threads():
    log = read('timeStamp,elapsed,label,threadName\n1000,5,"a, ""b""","T 1-1, x"\n1007,5,c,T 2\r\n1009,5,,"T 1-1, x"\n',
               source='threadName')
    assert (log.kind, log.tick_ns, log.names, list(log.sources)) == ('jtl', 1000000, 2, [0, 1, 0])
    assert list(log.times_ns) == [1000000000, 1007000000, 1009000000]
    log = read('timeStamp,elapsed,label,threadName\n1000,5,"a, ""b""",T\n1007,5,c,T\n', where=[('label', 'a, "b"')])
    assert (len(log.times_ns), log.passed) == (1, 1)


@pytest.mark.parametrize('text, tick', [
    ('start_ns\n1\n5\n', 1), ('start_ns\n1000\n5000\n', 1000), ('start_ns\n1000000\n500000000\n', 1000000), ('time_s\n5\n9\n', S),
    ('time_s\n5.25\n9.5\n', 10000000), ('start_ms\n100\n200\n', 1000000),
])
def test_ticks_as_they_look(text, tick):
    assert read(text).tick_ns == tick


@pytest.mark.parametrize('text, line', [
    ('when\tx\n1\t2\n', 1), ('start_ns\tx\n1\t2\n1\n', 3), ('start_ns\n12a\n', 2), ('timestamp\tx\n1\t1\n', 2),
    ('1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET" 200 1\nnonsense\n', 2),
])
def test_bad_lines_are_named(text, line):
    with pytest.raises(BadLine) as bad:
        read(text)
    assert bad.value.line == line


def test_names_are_in_the_order_of_the_c_library():
    # the manual of strverscmp(3): 000, 00, 01, 010, 09, 0, 1, 9, 10
    order = [b'000', b'00', b'01', b'010', b'09', b'0', b'1', b'9', b'10']
    assert sorted(reversed(order), key=cmp_to_key(logs.compare_names)) == order
    assert sorted([b'u 10', b'u 9', b'v', b'u'], key=cmp_to_key(logs.compare_names)) == [b'u', b'u 9', b'u 10', b'v']


SEEDS = [
    (b'127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326\n'
     b'10.0.0.1 - - [10/Oct/2000:13:55:37 +0100] "GET / HTTP/1.1" 404 -\n', [Question(source='host')]),
    (b'timeStamp,elapsed,label,success\n1700000000000,12,"a, b",true\n1700000000100,13,x,false\n1700000000250,5,x,true\n',
     [Question(), Question(source='label', where=[('success', 'true')]), Question(kind='jtl', unit_ns=1000)]),
    (b'1700000000.123\ta\n1700000001.5\tb\n\t\n', [Question(column='1', unit_ns=S), Question(kind='tsv', column='1')]),
    (b'due_ns\tlabel\n100\ta\n200\tb\n', [Question(), Question(source='label')]),
    (b'#Version: 1.0\n#Fields: date time user\n2026-01-05 08:00:00 a\n2026-01-05 08:00:01.5 b\n', [Question(),
                                                                                                   Question(source='user')]),
]


def test_mutants_are_read_or_refused_with_a_reason():
    draw, read_well = random.Random(1), 0
    pieces = [b'\t', b',', b'"', b'\n', b'\r', b'-', b'9' * 20, b'[', b' ', b'#Fields:', b'\xff', b'\x00', b'']
    for _ in range(5000):
        seed, questions = draw.choice(SEEDS)
        data = bytearray(seed)
        for _ in range(draw.randint(1, 2)):
            at = draw.randrange(len(data) + 1)
            data[at:at + draw.randint(0, 4)] = draw.choice([*pieces, data[:draw.randint(0, 40)]])
        asked = draw.choice(questions)
        try:
            log = logs.read_log(io.BytesIO(bytes(data)), asked)
        except BadLine as bad:
            assert str(bad), data
            continue
        read_well += 1
        assert all(time >= 0 for time in log.times_ns), data
        assert all(source < log.names for source in log.sources) and len(log.sources) in (0, len(log.times_ns)), data
    assert 500 < read_well < 4500
