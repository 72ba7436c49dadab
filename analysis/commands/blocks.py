# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as tables of blocks, for scripts:

blocks head                                  the first line of such a table
blocks rows RUN REPEAT START VARIANT [AXES]  the figures of one repeat, as rows; AXES are left out of the names of its cells
blocks why RUN REPEAT                        what others did meanwhile, in words; nothing where it was not disturbed
blocks varied RUN RUN                        the axes in which both have one value, not the same; 1: they have different conditions, which
blocks metrics TABLE NAMES                   the names as columns of the table, separated by commas; 1: one is none, and those that there are"""
import sys
import tempfile
from pathlib import Path

from analysis import repeats
from analysis.command import OK, RUN, USAGE, Stop, open_input
from analysis.foreign import Refused
from analysis.run import distinct, read_facts
from analysis.terminal import show


def rows(run: str, repeat: str, start: str, variant: str, axes: str) -> int:
    with tempfile.TemporaryDirectory(prefix='thinprobe-') as work:
        try:
            found = repeats.rows_of(repeats.open_source(Path(run)), repeat, start, variant, Path(work) / 'run', axes.split())
        except Refused as e:
            raise Stop(str(e) or f'{run}: it has no repeat {repeat}') from None
        except OSError as e:
            raise Stop(f'{e.filename}: {e.strerror}') from None
    show(''.join(f'{row.line()}\n' for row in found))
    return OK


def varied(a: str, b: str) -> int:
    try:
        show(' '.join(repeats.varied(*(read_facts(Path(run) / 'run.json') for run in (a, b)))) + '\n')
    except repeats.Unlike as unlike:
        show(f'{unlike}\n')
        return RUN
    return OK


def metrics(table: str, names: str) -> int:
    with open_input(table) as stream:
        lines = [line.decode(errors='replace').rstrip('\n').split('\t') for line in stream]
    try:
        show(repeats.metrics(distinct(line[5] for line in lines[1:] if len(line) > 5 and line[5]), names) + '\n')
    except Stop as wrong:
        show(f'{wrong}\n')
        return RUN
    return OK


def main(words: list[str]) -> int:
    match words:
        case ['head']:
            show(f'{repeats.HEAD}\n')
        case ['rows', run, repeat, start, variant, *axes] if len(axes) <= 1:
            return rows(run, repeat, start, variant, ''.join(axes))
        case ['why', run, repeat]:
            show(f'{why}\n' if (why := repeats.why_disturbed(Path(run), repeat)) else '')
        case ['varied', a, b]:
            return varied(a, b)
        case ['metrics', table, names]:
            return metrics(table, names)
        case _:
            sys.stderr.write(f'{__doc__}\n')
            return USAGE
    return OK
