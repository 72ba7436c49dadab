# SPDX-License-Identifier: GPL-3.0-or-later
"""thinprobe export: figures and samples of a run in the formats of other tools."""
import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from analysis import export_figures as figures
from analysis import export_samples as samples
from analysis import kept, notes
from analysis.command import OK, USAGE, Option, Stop, Usage, parse
from analysis.escape import for_terminal
from analysis.export_figures import Exported, Table
from analysis.foreign import Refused, full_disk, need
from analysis.put_file import put_file
from analysis.run import Run
from analysis.run_folder import check_run, words_of, work_folder
from analysis.terminal import json_text, plain_numbers, show
from analysis.text import nearest

SYNOPSIS = 'export RUN --as FORMAT [--cells PATTERN] [-o FILE]'
SUMMARY = '''Prints the figures of a run, or its samples, for other tools:
  csv          figures: long.tsv with commas (spreadsheets)
  samples      every key of complete repeats with the parameters of its
               condition (csv)
  sqlite       a database: figures, samples, settings, facts; needs -o
  github       github-action-benchmark, customSmallerIsBetter
  bencher      Bencher Metric Format
  otava        a line for each of several runs, for change-point detection
  openmetrics  gauges, for Prometheus
  junit        a test case for each condition: complete, or why not; skipped
               if the run is not usable
  hgrm         latencies of one condition (--cells), as HdrHistogram prints them
  perfetto     keys and packets on a time line (ui.perfetto.dev); a key known
               as a range lasts to its late end, and is marked
  pcapng       a kept capture of one condition, its packets with the numbers
               of the keys that they carry (--keep-captures); needs -o
Exit status: 0 printed, 1 the run has no such figures, 2 wrong usage, 4 a
program is missing.'''
OPTIONS = (
    Option('as', 'text', 'one of these', meta='FORMAT'),
    Option('cells', 'text', 'only conditions with these names, with * and ? (not for csv and junit, which print all)',
           meta='PATTERN'),
    Option('output', 'file', 'instead of standard output', 'o', meta='FILE'),
)


@dataclass(slots=True)
class Source:
    """A run that is exported. name: as it was given; folder: with its tables and samples; is_kept: unpacked from a kept run, which
    has the samples of some conditions; notes: what is said of it on standard error, once all of it could be exported."""
    name: str
    folder: Path
    facts: dict[str, Any]
    pattern: str
    is_kept: bool = False
    notes: list[str] = field(default_factory=list)

    def axes(self) -> list[str]:
        return list(self.facts.get('axes') or [])

    def is_asked(self, name: str) -> bool:
        return fnmatchcase(name, self.pattern)

    def cells(self) -> list[str]:
        """The conditions that are asked for."""
        names = [cell['name'] for cell in self.facts['cells']]
        found = list(filter(self.is_asked, names))
        if not found:
            raise Stop(f'--cells {self.pattern}: the run has no such condition; it has {", ".join(names)}')
        return found

    def one_cell(self, form: str) -> str:
        found = self.cells()
        if len(found) > 1:
            raise Stop(f'--as {form} is of one condition; name it with --cells: {" ".join(found)}', USAGE)
        return found[0]

    def table(self) -> Table:
        return samples.read_table(self.folder / 'long.tsv')

    def samples(self) -> Table:
        why = ', as the kept run has those of some conditions only' if self.is_kept else ''
        return samples.samples(self.folder, self.axes(), self.cells(), why, self.notes)

    def unusable(self) -> str | None:
        return notes.unusable(Run(self.facts, [], {}))


def open_run(name: str, pattern: str, work: Path) -> Source:
    given = Path(name)
    facts = check_run(given)
    folder = given
    if not (given / 'cells').is_dir() and (given / 'samples.tar.zst').is_file():
        folder = work / 'kept'
        try:
            kept.unfold(given, folder)
        except Refused as e:
            raise Stop(full_disk(work) or f'{name}/samples.tar.zst: {e}') from None
    if not (folder / 'long.tsv').is_file():
        raise Stop(f'{name}: it has no long.tsv; make its report again: thinprobe report {name}')
    if not samples.check_headings(folder):
        raise Stop(f'{name}: a heading of its samples.tsv is no name')
    return Source(name, folder, facts, pattern, folder != given)


def all_figures(run: Source) -> list[Exported]:
    """Of the conditions that are asked for."""
    found = list(figures.exported(run.table(), run.axes()))
    if not any(run.is_asked(one.cell) or run.is_asked(one.of) for one in found):
        run.cells()
    return [one for _, group in figures.by_cell(one for one in found if run.is_asked(one.cell) or run.is_asked(one.of))
            for one in group]


def known_figures(run: Source) -> list[Exported]:
    why, found = run.unusable(), all_figures(run)
    if why is not None:
        run.notes.append(f'NOT USABLE: {why}')
    left_out = figures.left_out(found)
    if left_out:
        run.notes.append(f'left out, without a number: {left_out}')
    known = [one for one in found if one.value is not None]
    if not known:
        raise Stop(f'{run.name}: it has no figure of these conditions')
    return known


# --- formats ------------------------------------------------------------------------------------------------------

def as_sqlite(run: Source, _: Path) -> bytes:
    has_samples = any((run.folder / 'cells').glob('**/samples.tsv'))
    return samples.sqlite(run.facts, run.table(), run.samples() if has_samples else None)


def as_hgrm(run: Source, _: Path) -> str:
    cell = run.one_cell('hgrm')
    if any(one.metric in ('latency_p50_ms', 'p50_ms') and one.why == 'overloaded' for one in all_figures(run)):
        raise Stop(f'{cell} was overloaded: it has no latencies, these would be those of a longer and longer queue')
    values = samples.exact_ms(run.samples(), run.notes)
    if not values:
        raise Stop('the condition has no key with an exact latency')
    return lines(samples.hgrm(values))


def as_perfetto(run: Source, _: Path) -> str:
    return json.dumps(plain_numbers(samples.perfetto(run.folder, run.cells())), ensure_ascii=False, separators=(',', ':')) + '\n'


def as_pcapng(run: Source, work: Path) -> bytes:
    need('editcap', 'wireshark-common')
    capture = samples.captured(run.folder, run.one_cell('pcapng'))
    need('tshark', 'tshark')
    return samples.pcapng(capture, work / 'out')


def lines(of: Iterable[str]) -> str:
    return ''.join(f'{line}\n' for line in of)


FORMATS: dict[str, Callable[[Source, Path], str | bytes]] = {
    'csv': lambda run, _: figures.csv_text(run.table()),
    'samples': lambda run, _: figures.csv_text(run.samples()),
    'sqlite': as_sqlite,
    'github': lambda run, _: json_text(figures.github(known_figures(run))),
    'bencher': lambda run, _: json_text(figures.bencher(known_figures(run))),
    'otava': lambda run, _: figures.otava([figures.otava_row(run.facts, known_figures(run))]),
    'openmetrics': lambda run, _: lines(figures.openmetrics(run.facts['experiment'], known_figures(run))),
    'junit': lambda run, _: lines(figures.junit(run.facts, run.unusable())),
    'hgrm': as_hgrm,
    'perfetto': as_perfetto,
    'pcapng': as_pcapng,
}


def export(names: list[str], form: str, pattern: str) -> tuple[str | bytes, list[str]]:
    """What is exported, and what is said of it."""
    rows, said = [], []
    for name in names:
        with work_folder() as work:
            run = open_run(name, pattern, work)
            with words_of(name):
                if form != 'otava':
                    run.cells()
                    return FORMATS[form](run, work), run.notes
                rows.append(figures.otava_row(run.facts, known_figures(run)))
            said += run.notes
    return figures.otava(rows), said


def main(words: list[str]) -> int:
    given = parse(words, SYNOPSIS, SUMMARY, OPTIONS)
    given.refuse_repeated()
    form, names = given['as'], [name.rstrip('/') or '/' for name in given.operands]
    if not names:
        raise Usage('needs a run folder')
    if form not in FORMATS:
        near = nearest(form or '', list(FORMATS))
        raise Stop(f'--as {form or "FORMAT"}: one of {", ".join(FORMATS)}' + (f'; did you mean {near}?' if near else ''), USAGE)
    if len(names) > 1 and form != 'otava':
        raise Stop('one run at a time; only otava takes several', USAGE)
    if form in ('sqlite', 'pcapng') and not given['output']:
        raise Stop(f'--as {form} needs -o FILE', USAGE)
    data, said = export(names, form, given['cells'] or '*')
    for note in said:
        sys.stderr.write(f'thinprobe: export: {for_terminal(note)}\n')
    if given['output']:
        put_file(given['output'], data if isinstance(data, bytes) else data.encode(errors='replace'))
    else:
        show(data if isinstance(data, str) else os.fsdecode(data))
    return OK
