# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of login sessions, process by process, from samples.tsv and machine.tsv of each repeat. Parameter: system,
"PROTOCOL.KIND"; setting `logins`: the numbers of logins with which memory was read, ascending; memory was also read with none.

Rows of `summary`, for each cell and number of logins: memory of all logins together, and the kernel's own counts. Rows of `slope`:
the cost of one more login, the slope of a least-squares line over the numbers of logins in each repeat (none is left out: the first
login may cost more than each later one), and the line's intercept; neither where spreads.line_bends(). Rows of `who`: the processes
of one login, averaged over all logins. Rows of `empty`: what a server without logins takes. Figures are means over the complete
repeats with their interval."""
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan

from analysis import spreads
from analysis.columns import Extractor, Kept, Value, Written
from analysis.command import Stop
from analysis.estimates import of_run
from analysis.figures import Figure
from analysis.numbers import total
from analysis.samples import Cell, Layout, Repeat, Run, at, elements, number

STEPS_MOST = 200
LOGINS_MOST = 10000
KIB = 1024.0
MIB = 1048576.0
# Sums over processes: private is private dirty plus swap; pss includes the share of swapped pages.
SUMS = {'private_bytes': ('private_dirty_bytes', 'swap_bytes'), 'private_dirty_bytes': ('private_dirty_bytes',),
        'swap_bytes': ('swap_bytes',), 'private_clean_bytes': ('private_clean_bytes',),
        'pss_bytes': ('pss_bytes', 'swap_pss_bytes'), 'shared_bytes': ('shared_bytes',),
        'page_tables_bytes': ('page_tables_bytes',), 'processes': (), 'threads': ('threads',)}
# Counts of the kernel: the machine's memory (server: used memory without what the lab runs for the logins), and the logins' memory
# cgroup.
MACHINE = {'machine_bytes': 'used_bytes', 'lab_bytes': 'lab_bytes', 'machine_processes_bytes': 'processes_bytes',
           'machine_kernel_bytes': 'kernel_bytes', 'machine_file_cache_bytes': 'file_cache_bytes',
           'machine_total_bytes': 'total_bytes', 'group_bytes': 'group_used_bytes', 'group_kernel_bytes': 'group_kernel_bytes',
           'group_shared_memory_bytes': 'group_shared_memory_bytes', 'group_file_cache_bytes': 'group_file_cache_bytes'}
FIGURES = (*SUMS, 'server_bytes', *MACHINE)
# figures that have a slope, and the column with the figure of all logins in MiB
SLOPES = {'private': ('private_bytes', 'private_mb'), 'private_clean': ('private_clean_bytes', 'private_clean_mb'),
          'pss': ('pss_bytes', 'pss_mb'), 'page_tables': ('page_tables_bytes', None), 'group': ('group_bytes', 'group_mb'),
          'server': ('server_bytes', 'server_mb')}
PROCESSES = Layout('login-memory/1', 'logins $name $class private_dirty_bytes swap_bytes private_clean_bytes pss_bytes '
                   'shared_bytes | page_tables_bytes threads swap_pss_bytes')
MEMORY = Layout('memory/1', 'logins used_bytes | lab_bytes processes_bytes kernel_bytes file_cache_bytes total_bytes '
                'group_used_bytes group_kernel_bytes group_shared_memory_bytes group_file_cache_bytes')
Counts = dict[str, float]


def zeros() -> Counts:
    return dict.fromkeys(SUMS, 0.0)


@dataclass(slots=True)
class Readings:
    """Of one repeat, by number of logins: figures of all processes and of the machine, and of the processes of one (name,
    class)."""
    all: dict[int, Counts] = field(default_factory=lambda: defaultdict(zeros))
    kinds: dict[tuple[str, str], dict[int, Counts]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(zeros)))


def logins_of(run: Run) -> list[int]:
    """The numbers of logins, the first of them 0."""
    numbers = [0]
    for n in elements(run.json, 'settings.logins')[:STEPS_MOST]:
        if not isinstance(n, int) or isinstance(n, bool):
            break
        if not numbers[-1] < n <= LOGINS_MOST:
            raise Stop(f'{run.folder}/run.json: settings.logins is not in ascending order')
        numbers.append(n)
    if len(numbers) < 2:
        raise Stop(f'{run.folder}/run.json: settings.logins has no numbers')
    return numbers


def check(run: Run) -> None:
    logins_of(run)


def add_process(into: Counts, cells: dict[str, float | None]) -> None:
    for name, of in SUMS.items():
        into[name] += sum(cells[column] or 0 for column in of)
    into['processes'] += 1


def read_processes(repeat: Repeat, out: Readings, logins: Sequence[int]) -> None:
    for index, row in enumerate(zip(*repeat.table('samples.tsv', PROCESSES) or []), 1):
        n, name, kind, *_ = row
        if not n or n not in logins:
            raise repeat.bad_row('samples.tsv', index)
        cells = dict(zip((word.lstrip('$') for word in PROCESSES.words()), row))
        add_process(out.all[n], cells)
        add_process(out.kinds[name, kind][n], cells)


def read(repeat: Repeat) -> Readings:
    out, logins = Readings(), logins_of(repeat.cell.run)
    read_processes(repeat, out, logins)
    there = set()
    for index, (n, *cells) in enumerate(zip(*repeat.table('machine.tsv', MEMORY) or []), 1):
        if n not in logins:
            raise repeat.bad_row('machine.tsv', index)
        there.add(n)
        of = dict(zip(MEMORY.words()[1:], (nan if c is None else float(c) for c in cells)))
        out.all[n] |= {name: of[column] for name, column in MACHINE.items()}
        out.all[n]['server_bytes'] = out.all[n]['machine_bytes'] - out.all[n]['lab_bytes']
    if not there >= set(logins):
        raise Stop(f'{repeat.folder}/machine.tsv: no row for one of settings.logins')
    return out


def scaled(f: Figure, unit: float) -> Figure:
    return Figure(f.value / unit, f.start / unit, f.end / unit, f.low / unit, f.high / unit,
                  both=(f.both[0] / unit, f.both[1] / unit))


def write_summary(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        system = cell.text('system')
        protocol, dot, kind = (system or '').rpartition('.')
        for n in logins_of(run):
            row: dict[str, Value] = {
                'system': system, 'protocol': protocol, 'kind': kind if dot else None, 'logins': float(n),
                'state': 'measured' if cell.complete else cell.absence(), 'repeats': float(cell.complete),
                'failed': float(cell.failed), 'marked': float(cell.flagged)}
            if cell.repeats:
                mean = {name: of_run(run, 'mean+ci', [r.all[n][name] for r in kept[cell.index]]) for name in FIGURES}
                row |= mean | {mb: scaled(mean[name], MIB) for name, mb in SLOPES.values() if mb}
                row |= {'each_mb': mean['private_bytes'].value / MIB / n} if n else {}
            yield Written(cell, row, False)


def write_slopes(run: Run, kept: Kept) -> Iterator[Written]:
    logins = logins_of(run)[1:]
    for cell in run.cells:
        for what, (name, _) in SLOPES.items():
            points = [[(float(n), r.all[n][name]) for n in logins if isfinite(r.all[n][name])] for r in kept[cell.index]]
            lines = [spreads.fit([x for x, _ in p], [y for _, y in p]) for p in points if p]
            lines = [line for line in lines if isfinite(line.slope)]
            if not lines:
                continue
            every = [point for p in points for point in p]
            bent = spreads.line_bends([x for x, _ in every], [y for _, y in every], MIB)
            slopes, starts = (Figure() if bent else of_run(run, 'change+ci', values)
                              for values in ([line.slope for line in lines], [line.start for line in lines]))
            yield Written(cell, {
                'system': cell.text('system'), 'what': what, 'repeats': float(len(lines)), 'logins_min': float(logins[0]),
                'logins_max': float(logins[-1]), 'slope_bytes': slopes, 'start_bytes': starts, 'slope_mb': scaled(slopes, MIB)},
                          False)


def private_of(readings: Sequence[Readings], kind: tuple[str, str]) -> float:
    return total(counts['private_bytes'] for r in readings for counts in r.kinds.get(kind, {}).values())


def kind_row(cell: Cell, readings: Sequence[Readings], kind: tuple[str, str], n: int) -> dict[str, Value]:
    row: dict[str, Value] = {'system': cell.text('system'), 'logins': float(n), 'name': kind[0], 'class': kind[1]}
    for name in SUMS:
        mean = of_run(cell.run, 'mean+ci', [r.kinds[kind][n][name] / n if kind in r.kinds else 0.0 for r in readings])
        row['count' if name == 'processes' else name] = mean
        row |= {'private_kb': scaled(mean, KIB)} if name == 'private_bytes' else {}
    return row


def write_processes(run: Run, kept: Kept) -> Iterator[Written]:
    """The kind with the most private memory first."""
    for cell in run.cells:
        readings: Sequence[Readings] = kept[cell.index]
        kinds = list(dict.fromkeys(kind for r in readings for kind in r.kinds))
        kinds.sort(key=lambda kind: -private_of(readings, kind))
        for n in logins_of(run)[1:]:
            for kind in kinds:
                yield Written(cell, kind_row(cell, readings, kind, n), False)


def write_empty_server(run: Run, kept: Kept) -> Iterator[Written]:
    names = ('memory_bytes', 'unavailable_bytes', 'reserved_bytes', 'used_bytes', 'processes_bytes')
    server = at(run.json, 'empty_server')
    if isfinite(number(server, 'unavailable_bytes')):
        yield Written(run.cells[0], {name: number(server, name) for name in names}, False)


EXTRACTOR = Extractor(check=check, read=read, tables={'summary': write_summary, 'slope': write_slopes, 'who': write_processes,
                                                      'empty': write_empty_server})
