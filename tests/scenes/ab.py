#!/usr/bin/python3 -IB
# SPDX-License-Identifier: GPL-3.0-or-later
# ab: compares sessions B and A after each start.
"""Metric 0 has the shift, the others have `others`; of the last one a share of the values of B is `lacking`, as empty rows or none;
flat: they are all 20. A share `ranged` of the values of A are ranges that end there, and begin at `wide` percent less."""
import sys
from math import exp, nan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import scene  # noqa: E402
import starts  # noqa: E402
from analysis import blocks, verdict  # noqa: E402
from analysis.blocks import Block, Effect, Series, Table  # noqa: E402

SAID = {verdict.NO_DIFFERENCE: 'same', 'not decided': 'open', 'too noisy': 'noisy'}


def read_law(s, shift):
    return starts.Law(s.word('shape', 'normal'), s.number('spread', 0), s.number('scatter', 1), s.number('correlation', 0) / 100,
                      s.number('level', 0), tuple(s.number(k, 0) for k in ('first', 'second', 'third', 'fourth')),
                      s.number('sometimes', 0), s.number('noise', 0), shift)


def add_start(s, table, start, rng):
    """The blocks of a start; values as a table has them, with six decimals."""
    metrics, how, alone = int(s.number('metrics', 1)), 2 if s.number('counted', 0) else 1, s.number('alone', 0) > 0
    share = {k: s.number(k, 0) / 100 for k in ('disturbed', 'lacking', 'ranged', 'wide')}
    drawn = [starts.draw(read_law(s, s.number('others' if k else 'shift', 0)), start, rng) for k in range(metrics)]
    for i in range(2 * starts.PAIRS):
        v, pair = i % 2, starts.PAIRS * (start - 1) + i // 2 + 1
        flag = how if rng.fraction() < share['disturbed'] and (v or not alone) else 0

        def block(low, high, ranged=False):
            return Block(start, pair, v, low, high, ranged, flag == 1, flag == 2, 0)

        table.blocks.append(block(nan, nan))
        for k in range(metrics):
            if k + 1 == metrics and v and rng.fraction() < share['lacking']:
                if not s.number('rowless', 0) > 0:
                    table.series[k].values.append(block(nan, nan))
                continue
            value = 20 if k and s.number('flat', 0) > 0 else 20 * exp(drawn[k][v][i // 2])
            wide = share['wide'] if not v and share['ranged'] > 0 and rng.fraction() < share['ranged'] else 0
            ends = [float(f'{end:.6f}') for end in (value * (1 - wide), value)]
            table.series[k].values.append(block(*ends, wide > 0))


def judge(s, drawn):
    """What is said of the table so far."""
    t = Table([Series(one.cell, one.metric, one.unit, values=list(one.values)) for one in drawn.series if one.values],
              list(drawn.blocks))
    blocks.finish(t)
    blocks.compare(t, Effect(relative=s.number('effect', 10) / 100, points=1))
    v = verdict.reach(t, verdict.Question())
    word = SAID.get(v.word, v.word) if v else 'open'
    return word, f'{word}{" provisional" if t.allowed else ""}{" throughout" if t.throughout else ""}'


def draw(s, rng):
    table, said = Table([Series('c', f'm{k}', 'ms') for k in range(int(s.number('metrics', 1)))]), ''
    for start in range(1, int(s.number('starts', 20)) + 1):
        add_start(s, table, start, rng)
        word, said = judge(s, table)
        if word not in ('open', 'noisy'):
            break
    return said


if __name__ == '__main__':
    scene.main(draw)
