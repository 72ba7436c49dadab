# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables written by hand: what becomes a difference, in which scale, and what is left out; limits; criteria."""
from io import BytesIO
from math import inf, log, nan

import pytest

from analysis import blocks, search
from analysis.blocks import Effect
from analysis.limits import BROKEN, HOLDS, OPEN, Figure, Limit
from analysis.tables import BadLine

HEAD = 'schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed\n'


def read(*rows):
    lines = [f'blocks/1\t{s}\t{p}\t{v}\tc\t{metric}\t{unit}\tlower\t{value}\t{bad}\n' for s, p, v, metric, unit, value, bad in rows]
    return blocks.read(BytesIO((HEAD + ''.join(lines)).encode()))


def compared(*rows, **effect):
    t = read(*rows)
    blocks.compare(t, Effect(**effect))
    return t


def test_scales():
    rows = [(1, 1, v, m, u, x, 0) for m, u, a, b in (('p50', 'ms', 10, 11), ('late', '%', 0, 3), ('stall', 'ms', 4, -1),
                                                     ('j', 'ms', 40, -1))
            for v, x in (('a', a), ('b', b))]
    t = compared(*rows, relative=0.1, points=2)
    assert [s.relative for s in t.series] == [True, False, False, False]
    assert [s.figure.effect for s in t.series] == pytest.approx([log(1.1), 2, 1, 4])
    assert [s.figure.mean for s in t.series[:3]] == pytest.approx([log(1.1), 3, -5])


def test_a_pair_that_was_disturbed_or_lacks_a_value_is_left_out():
    t = compared((1, 1, 'a', 'p50', 'ms', 10, 0), (1, 1, 'b', 'p50', 'ms', 40, 1), (1, 1, 'b', '', '', '', 1),
                 (1, 2, 'a', 'p50', 'ms', '', 0), (1, 2, 'b', 'p50', 'ms', 11, 0), (2, 3, 'a', 'p50', 'ms', 10, 0),
                 (2, 3, 'b', 'p50', 'ms', 10, 0), relative=0.1)
    s = t.series[0]
    assert (s.pairs, s.disturbed, s.lost, s.figure.n, t.disturbed) == (1, 1, 1, 1, 1)


def test_starts_of_both_orders_count_as_often():
    t = compared(*[(k, k, v, 'p50', 'ms', x, 0) for k, a, b in ((1, 12, 10), (3, 13, 10), (4, 10, 12))
                   for v, x in (('a', a), ('b', b))],
                 time_ms=1)
    assert t.series[0].figure.values == pytest.approx([-2, 2, -3])


def test_a_second_row_of_a_block_is_refused_and_named():
    with pytest.raises(BadLine) as bad:
        read((1, 1, 'a', 'p50', 'ms', 10, 0), (1, 1, 'a', 'p90', 'ms', 10, 0), (1, 1, 'a', 'p50', 'ms', 11, 0))
    assert bad.value.line == 4


@pytest.mark.parametrize('value', ['ten', 'inf', '..', '1..', '..1', '2..1', '1..inf', 'nan..1', '1..2..3', '1...2.', '1 .. 2x'])
def test_wrong_values(value):
    with pytest.raises(BadLine):
        read((1, 1, 'a', 'p50', 'ms', value, 0))


@pytest.mark.parametrize('op, bound, figure, word, far_end', [
    ('<=', 1, (0, 0, 0, 4.9), OPEN, OPEN), ('<=', 1, (2, 2, 1.2, 3), BROKEN, BROKEN), ('<=', 1, (1, 1, nan, nan), HOLDS, HOLDS),
    ('<', 1, (1, 1, nan, nan), BROKEN, BROKEN), ('>', 10, (12, 12, 11, 15), HOLDS, HOLDS),
    ('<', 150, (10, 201, 9, 210), OPEN, BROKEN), ('<=', 210, (10, 201, 9, 210), HOLDS, HOLDS),
    ('<=', 100, (22, 49, 10, nan), OPEN, OPEN), ('<', 200, (150, inf, 120, nan), OPEN, BROKEN),
    ('>', 100, (150, inf, nan, nan), HOLDS, HOLDS), ('<', 1, (nan, nan, nan, nan), OPEN, OPEN)])
def test_which_end_of_a_figure_decides(op, bound, figure, word, far_end):
    for range_breaks, wanted in ((False, word), (True, far_end)):
        limit = Limit(op, bound, range_breaks)
        limit.add(Figure(*figure))
        assert limit.conclude() == wanted


def test_criteria():
    assert [c.limit for c in search.parse_criteria('p95:100ms,apdex:0.85,')] == [100, 0.85]
    for wrong in ('', 'p95:100', 'apdex:2', 'p95:ms', 'p95:0ms', ',p95:1ms'):
        with pytest.raises(ValueError):
            search.parse_criteria(wrong)
