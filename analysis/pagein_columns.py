# SPDX-License-Identifier: GPL-3.0-or-later
"""pagein.json of each repeat: latency of the first and second key of each run, by the state that pagein found; resident memory
before, page faults after.

Sums are over the processes of the session. Runs of the last two groups are in no figure: memory that should have been paged out was
not, or memory that should have been resident was not."""
from collections.abc import Iterator, Sequence
from itertools import chain
from math import isnan
from typing import Any

from analysis import trials
from analysis.columns import Extractor, Kept, Values, Written
from analysis.command import Stop
from analysis.numbers import least
from analysis.samples import Cell, Repeat, Run, elements, number, text
from analysis.trials import Trial

GROUPS = ('in_memory', 'paged_out', 'kept', 'not_evicted', 'not_in_memory')
SUMS = {  # over the processes; a sum is unknown if one process lacks the figure
    'swap_bytes': 'swap_bytes', 'anonymous_bytes': 'anonymous_private_bytes', 'file_resident_bytes': 'file_resident_bytes',
    'file_others_bytes': 'file_mapped_by_others_bytes', 'major_faults': 'major_faults', 'minor_faults': 'minor_faults'}
# evicted_percent: of the process with the least share in swap; major_faults_least: of the process with fewest
LEAST = {'evicted_percent': 'evicted_percent', 'major_faults_least': 'major_faults'}
VALUES = ('first_key_ms', 'second_key_ms', 'typed_ms', 'typed_max_ms', 'swap_in_bytes', 'read_percent', 'evicted_percent', *SUMS,
          'major_faults_least')


def put_key(document: Any, timeout_ms: float, trial: Trial, name: str) -> None:
    """With an echo in doubt, its time as a lower bound, without one the timeout."""
    ms = number(document, name)
    trial.put(name, number(document, f'above.{name}', timeout_ms) if isnan(ms) else ms, isnan(ms))


def put_typed(document: Any, trial: Trial) -> None:
    """The median and the largest latency of the keys typed while memory was taken."""
    for name, path in (('typed_ms', 'p50'), ('typed_max_ms', 'max')):
        ms, bound = number(document, f'typed_ms.{path}'), number(document, f'typed_ms.above.{path}')
        trial.put(name, bound if isnan(ms) else ms, isnan(ms) and not isnan(bound))


def put_processes(document: Any, trial: Trial) -> None:
    processes = []
    for process in elements(document, 'processes'):
        if isnan(number(process, 'pid')):
            break
        processes.append(process)
    if processes:
        trial.values |= {name: sum(number(p, path) for p in processes) for name, path in SUMS.items()}
    trial.values |= {name: least(number(p, path) for p in processes) for name, path in LEAST.items()}


def read(repeat: Repeat) -> list[Trial]:
    timeout_ms = number(repeat.document('pagein.json'), 'settings.timeout_s') * 1000

    def read_trial(document: Any, state: str, trial: Trial) -> None:
        if state not in GROUPS:
            raise Stop(f'{repeat.folder}/pagein.json: result.runs[] has an unknown state')
        trial.text = text(document, 'why') or ''
        for name in ('first_key_ms', 'second_key_ms') if state in GROUPS[:3] else ():
            put_key(document, timeout_ms, trial, name)
        put_typed(document, trial)
        put_processes(document, trial)
        trial.values |= {'swap_in_bytes': number(document, 'swap_in_bytes'),
                         'read_percent': number(document, 'refaulted_read_percent')}
    return trials.read_file(repeat, 'pagein.json', read_trial)


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    """`why` is that of the first run that was not evicted."""
    runs = list(chain.from_iterable(kept[cell.index]))
    why = next((t.text for t in runs if t.group == 'not_evicted'), None)
    return {**dict(trials.by_name(cell.run, runs, GROUPS, VALUES, names)), 'why': why}


def write(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for trial in chain.from_iterable(kept[cell.index]):
            yield Written(cell, {**trials.row(trial, VALUES[:-1]), 'state': trial.group,
                                 'first_key_above': float('first_key_ms' in trial.above), 'why': trial.text})


EXTRACTOR = Extractor(read=read, figures=cell_figures, tables={'': write})
