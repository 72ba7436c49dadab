# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as rows of blocks for judge: each repeat of a run is summed up by itself."""
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Any, NamedTuple

from analysis.command import Stop
from analysis.escape import seen
from analysis.foreign import Refused
from analysis.notes import value_text
from analysis.run import distinct, read_facts
from analysis.trees import programs

HEAD = 'schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed'
SAMPLES_MOST = 2 ** 20  # bytes of a cell.json
FOREIGN_MOST = 10  # percent of the client's CPUs
JUDGED_UNIT = re.compile('(us|ms|s|%|bytes?|[kK]?B|MB)')
NOT_JUDGED = re.compile('.*(_max(_|$)|largest)|(late_p[0-9]+|lateness|left_late|started_late|load_behind|generator|probe|capture'
                        '|foreign|steal|disturbed|backlog)_')


class Row(NamedTuple):
    """A row of blocks/1; of pooled/1 (start ''): `value` is not used."""
    start: str
    pair: str
    variant: str
    cell: str = ''
    metric: str = ''
    unit: str = ''
    better: str = ''
    value: str = ''
    disturbed: str = '0'

    def line(self) -> str:
        return '\t'.join(['blocks/1', *self])


class PooledRow(NamedTuple):
    """In the order of pooled.COLUMNS."""
    start: str
    end: str
    low: str
    high: str
    repeats: str
    variant: str
    cell: str
    metric: str
    why: str


# --- what others did ----------------------------------------------------------------------------------------------

def percent(facts: Mapping[str, Any], *names: str) -> float:
    return float(sum(facts.get(name) or 0 for name in names))


def cell_doubts(file: Path) -> Iterator[tuple[float, str]]:
    """How much of the CPUs others took, as far as it is too much, and in words. (A damaged file says nothing.)"""
    try:
        with open(file, 'rb') as stream:
            facts = json.loads(stream.read(SAMPLES_MOST))
        flag = re.search('foreign CPU time[^;]*', facts.get('marked') or '')
        server, client = percent(facts, 'foreign_percent', 'steal_percent'), percent(facts, 'client_foreign_percent',
                                                                                     'client_steal_percent')
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return
    if flag:
        yield server, seen(flag[0])
    if client > FOREIGN_MOST:
        yield client, f"others took {floor(client + 0.5)} % of the client's CPUs"


def doubts(run: Path, repeat: str = '*') -> Iterator[tuple[str, float, str]]:
    """(repeat, percent, words) of what others did meanwhile; nothing where a repeat was not disturbed. Only by numbers that the
    tested programs do not make: CPU time of other processes and stolen time, on the server's CPUs (the cell's flag says so) and on
    the client's, where the probe goes before others, over 10 %."""
    for pattern in (f'*/{repeat}/cell.json', f'*/{repeat}/*/cell.json'):
        for file in sorted((run / 'cells').glob(pattern)):
            yield from ((file.relative_to(run / 'cells').parts[1], *doubt) for doubt in cell_doubts(file))


def why_disturbed(run: Path, repeat: str) -> str:
    """The most of it, in words."""
    found = list(doubts(run, repeat))
    return max(found, key=lambda one: one[1])[2] if found else ''


# --- a repeat by itself -------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Source:
    """A run, read once for all of its repeats."""
    folder: Path
    facts: Mapping[str, Any]
    disturbed: frozenset[str]

    def cells(self) -> list[str]:
        return [cell['name'] for cell in self.facts['cells']]


def open_source(folder: Path) -> Source:
    return Source(folder, read_facts(folder / 'run.json'), frozenset(repeat for repeat, _, _ in doubts(folder)))


def make_folder(run: Source, repeats: Sequence[str], work: Path) -> bool:
    """A run folder with only these repeats. False: none of them is there."""
    shutil.rmtree(work, ignore_errors=True)
    (work / 'cells').mkdir(parents=True)
    is_there = False
    for n, repeat in enumerate(repeats, 1):
        for cell in run.cells():
            if (run.folder / 'cells' / cell / repeat / 'cell.json').is_file():
                (work / 'cells' / cell).mkdir(parents=True, exist_ok=True)
                os.symlink((run.folder / 'cells' / cell / repeat).absolute(), work / 'cells' / cell / str(n))
                is_there = True
    settings = {**(run.facts.get('settings') or {}), 'repeats': len(repeats)}
    (work / 'run.json').write_text(json.dumps({**run.facts, 'settings': settings}), encoding='utf-8')
    return is_there


def summed_up(work: Path) -> list[dict[str, str]]:
    """The rows of long.tsv. Raises Refused. (Of a repeat that failed there is none.)"""
    done = subprocess.run([programs() / 'summarize', '--format', 'json', '-o', work / 'summary.json', work],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors='replace')
    if not (work / 'long.tsv').is_file():
        raise Refused(done.stderr.partition('\n')[0])
    lines = [line.split('\t') for line in (work / 'long.tsv').read_text(encoding='utf-8', errors='surrogateescape').splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def is_judged(row: Mapping[str, str]) -> bool:
    """Whether a column says something of a variant: it has a direction, and is no count, no largest value, and nothing that says
    how well was measured."""
    unit = row['unit']
    return (row['table'] == 'summary' and row['estimator'] != 'max' and bool(re.search('lower|higher', row['better']))
            and bool('/' in unit or JUDGED_UNIT.fullmatch(unit)) and not NOT_JUDGED.match(row['metric']))


def cell_of(row: Mapping[str, str], varied: Sequence[str]) -> str:
    names = list(row)
    axes = names[names.index('experiment') + 1:names.index('metric')]
    return ' '.join(row[axis] for axis in axes if row[axis] and axis not in varied)


def judged_rows(run: Source, repeats: Sequence[str], work: Path) -> list[dict[str, str]]:
    """Raises Refused, OSError."""
    if not make_folder(run, repeats, work):
        raise Refused('')
    rows = [row for row in summed_up(work) if is_judged(row)]
    shutil.rmtree(work, ignore_errors=True)
    return rows


def rows_of(run: Source, repeat: str, start: str, variant: str, work: Path, varied: Sequence[str] = ()) -> list[Row]:
    """The figures of one repeat; the first row is of the block itself. varied: axes that are left out of the names of cells. Raises
    Refused, where the repeat is not there or cannot be summed up, and OSError."""
    disturbed = '1' if repeat in run.disturbed else '0'
    out = [Row(start, repeat, variant, disturbed=disturbed)]
    for row in judged_rows(run, [repeat], work):
        value = '' if row['above'] == '1' else row['value']
        if row['from'] and row['to'] and row['above'] != '1':
            value = f'{row["from"]}..{row["to"]}'
        out.append(Row(start, repeat, variant, cell_of(row, varied), row['metric'], row['unit'], row['better'], value, disturbed))
    return out


def pooled_rows(run: Source, repeats: Sequence[str], variant: str, work: Path) -> list[PooledRow]:
    """The figures of all these repeats together."""
    out = []
    for row in judged_rows(run, repeats, work):
        value = '' if row['above'] == '1' else row['value']
        out.append(PooledRow(row['value'] + row['from'], value + row['to'], row['low'], row['high'], row['n'], variant,
                             cell_of(row, ()), row['metric'], row['why']))
    return out


# --- two runs -----------------------------------------------------------------------------------------------------

class Unlike(Exception):
    """Two runs have different conditions."""


def axis_values(facts: Mapping[str, Any]) -> dict[str, list[Any]]:
    of: dict[str, list[Any]] = {}
    for axis in facts.get('axes') or []:
        values = distinct(cell['parameters'].get(axis) for cell in facts['cells'])
        of[axis] = sorted(values, key=lambda value: (isinstance(value, str), value))
    return of


def varied(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """The axes in which both have one value, not the same: they are the variants, and no conditions. Raises Unlike, with what
    differs."""
    first, second = axis_values(a), axis_values(b)
    differ = [axis for axis in sorted({*first, *second}) if first.get(axis) != second.get(axis)]
    for axis in differ:
        values = [of.get(axis) or [] for of in (first, second)]
        if any(len(of) != 1 for of in values):
            raise Unlike(f'{axis}: ' + ' and '.join(','.join(map(value_text, of)) for of in values))
    return differ


def find_metric(names: Sequence[str], asked: str) -> str | None:
    """p50 is latency_p50_ms, late is late_share_percent."""
    if asked in names:
        return asked
    ending = re.compile(f'{re.escape(asked)}_(us|ms|s|percent|per_s|bytes|kb|mb)')
    return next((name for name in names if ending.fullmatch(name.removeprefix('latency_').replace('_share', '', 1))), None)


def metrics(names: Sequence[str], asked: str) -> str:
    """Names, separated by commas, as names of these columns. Raises Stop: one is none."""
    found = []
    for one in asked.split(','):
        name = find_metric(names, one)
        if name is None:
            raise Stop(f'{one}: no such metric; there are {", ".join(names)}')
        found.append(name)
    return ','.join(found)
