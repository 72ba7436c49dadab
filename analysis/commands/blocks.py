# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as tables of blocks, for scripts:

blocks head                                  the first line of such a table
blocks rows RUN REPEAT START VARIANT [AXES]  the figures of one repeat, as rows; AXES are left out of the names of its cells
blocks why RUN REPEAT                        what others did meanwhile, in words; nothing where it was not disturbed
blocks varied RUN RUN                        the axes in which both have one value, not the same; 1: they have different conditions,
which"""
import sys
import tempfile
from pathlib import Path

from analysis import repeats
from analysis.command import OK, RUN, USAGE, Stop
from analysis.foreign import Refused
from analysis.run import read_facts
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
        case _:
            sys.stderr.write(f'{__doc__}\n')
            return USAGE
    return OK
