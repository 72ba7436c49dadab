# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of the blocks of a long session (blocks.tsv), and what judge says of each (key drift of cell.json)."""
from collections.abc import Iterator
from math import nan

from analysis.columns import Extractor, Kept, Written, copied
from analysis.samples import Layout, Run, elements, number, text

SAME = ('figure', 'unit', 'verdict', 'told_by', 'first', 'last', 'change', 'low', 'high', 'end', 'change_unit', 'step', 'per_hour')
HOURS = 0.000277777778  # in a second
TIMES = {f'{name}_h': (f'{name}_s', HOURS) for name in ('since', 'told', 'returned')}
BLOCKS = Layout('blocks/1', 'start $metric %value')


def write_figures(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for repeat in cell.repeats:
            for one in elements(repeat.json, 'drift.figures'):
                if text(one, 'figure') is None:
                    break
                yield Written(cell, {'repeat': float(repeat.number), **copied(one, SAME, TIMES),
                                     **copied(repeat.json, (), {'session': ('drift.verdict', 1.0)}),
                                     'ended': text(repeat.json, 'reason')})


def write_blocks(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for repeat in cell.repeats:
            block_h = number(repeat.json, 'drift.block_s') / 3600
            for start, metric, value in zip(*repeat.table('blocks.tsv', BLOCKS) or []):
                yield Written(cell, {'figure': metric, 'repeat': float(repeat.number),
                                     'time_h': nan if start is None else start * block_h, 'value': value})


EXTRACTOR = Extractor(tables={'figures': write_figures, 'blocks': write_blocks})
