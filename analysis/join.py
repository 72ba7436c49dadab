# SPDX-License-Identifier: GPL-3.0-or-later
"""Several runs of one experiment as one run folder, which is then reported as any other: their tables one below the other. A run is
one more system: its name stands behind the values of one axis (vnc/alpha; `joined` of run.json names it), and in the column
`run_name` (in long.tsv: `run`).

An experiment whose figures are not those of single runs has a join.py of its own: check(first, run), and samples(folder, runs,
names), which makes the tables from the samples of all runs."""
import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from analysis import kept, words
from analysis.command import USAGE, Stop
from analysis.foreign import cannot
from analysis.run import cleaned, read_facts, read_text
from analysis.trees import experiment_folder

AXES = ('protocol', 'system', 'swap', 'queue')
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class One:
    """A run that is joined."""
    path: Path
    facts: Facts
    name: str = ''

    def settings(self) -> Facts:
        return self.facts.get('settings') or {}

    def is_attached(self) -> bool:
        return str(self.settings().get('on') or 'lab').startswith('attach:')

    def axis(self) -> str:
        """Behind whose values the runs' names stand: without one of these, figures have no room for several runs."""
        return next((axis for axis in AXES if axis in (self.facts.get('axes') or [])), '')

    def threshold(self) -> float:
        return float(self.settings().get('threshold_ms') or words.LATE_MS)

    def work(self) -> str:
        works = self.settings().get('works')
        return '' if works is None else f'{",".join(works)} quick={"true" if self.settings().get("quick") else "false"}'

    def displays(self) -> dict[str, Any]:
        facts = self.facts
        if facts.get('protocols') is not None:
            return dict(facts['protocols'])
        if facts.get('protocol') is None:
            return {}
        first = next(iter(facts.get('cells') or [{'parameters': {}}]))
        return {first['parameters'].get('protocol') or self.settings().get('protocol') or '': facts['protocol']}

    def whole_name(self, value: str) -> str:
        return f'{value}/{self.name}'

    def on_axis(self, axis: str, value: Any) -> str:
        if axis != 'system':
            return self.whole_name(str(value))
        head, dot, rest = str(value).partition('.')
        return f'{self.whole_name(head)}{dot}{rest}'


# --- what can be joined -------------------------------------------------------------------------------------------

def own_join(stem: str) -> Any:
    folder = experiment_folder(stem)
    return import_module(f'experiments.{stem}.join') if folder and (folder / 'join.py').is_file() else None


def check_alike(one: One, first: One, work: str) -> None:
    run, stem = one.path, one.facts['experiment']
    if one.facts.get('runs') is not None:
        raise Stop(f'{run}: is a report of several runs; give those runs instead', USAGE)
    if stem != first.facts['experiment']:
        raise Stop(f'{run}: a run of {stem}, but {first.path} is one of {first.facts["experiment"]}; give runs of one experiment',
                   USAGE)
    if one.threshold() != first.threshold():
        raise Stop(f'{run}: its threshold for late keys is {words.plain(one.threshold())} ms, but {words.plain(first.threshold())} '
                   f'ms in {first.path}; report each by itself', USAGE)
    mine = work if one.is_attached() else one.work()  # in front of a window no work is done
    if work and work != mine:
        raise Stop(f'{run}: its work is {mine}, but {work} in {first.path}; report each by itself', USAGE)
    if not one.axis() and not own_join(stem):
        raise Stop(f'{run}: {stem} compares no protocols or systems, so several runs do not fit in a figure; report each by itself',
                   USAGE)
    own = own_join(stem)
    if own:
        own.check(first.path, run)


def make_tables(one: One, needs_tables: Any) -> None:
    if one.facts.get('kept') and not (one.path / 'schema.tsv').is_file():
        raise Stop(f'{one.path}: it has no tables; make its report again: thinprobe report {one.path}')
    if (os.access(one.path, os.W_OK) or not (one.path / 'schema.tsv').is_file()) and needs_tables(one.path):
        kept.summarize(one.path)


# --- names --------------------------------------------------------------------------------------------------------

def name_kinds(runs: Sequence[One]) -> Iterable[list[Any]]:
    """Properties that may tell all of them apart."""
    labels, hosts, days, minutes = [], [], [], []
    for one in runs:
        label, started = one.settings().get('label'), one.facts.get('started') or ''
        labels.append('-'.join(map(str, label)) if isinstance(label, list) else label)
        lab, host = one.facts.get('lab') or {}, one.facts.get('host') or {}
        hosts.append((one.facts.get('protocol') or {}).get('title') if one.is_attached() else
                     lab.get('server') if lab.get('server') is not None else host.get('hostname'))
        days.append(started[:10])
        minutes.append(started[:16])
    host_days = [None if host is None else f'{host}:{day}' for host, day in zip(hosts, days)]
    kinds: list[list[Any]] = [labels, hosts, days, host_days, minutes, [one.path.name for one in runs]]
    yield from kinds


def made_names(runs: Sequence[One]) -> list[str]:
    """The first property that differs between all of them: label, host or date."""
    for kind in name_kinds(runs):
        if all(value not in (None, '') for value in kind):
            names = [re.sub('[^A-Za-z0-9:_-]+', '-', str(value)) for value in kind]
            if len(set(names)) == len(names):
                return names
    return [str(i) for i in range(1, len(runs) + 1)]


# --- run.json -----------------------------------------------------------------------------------------------------

def alike(values: Sequence[Any]) -> Any:
    return values[0] if all(value == values[0] for value in values) else None


def by_run(runs: Sequence[One], values: Iterable[Any]) -> dict[str, Any]:
    return {one.name: value for one, value in zip(runs, values)}


def has_differing(values: Iterable[Any]) -> bool:
    found = list(values)
    return any(value != found[0] for value in found)


def within(facts: Facts, *path: str) -> Any:
    value: Any = facts
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def cpu_count(text: Any) -> int | None:
    """Of a list as 0-3,6"""
    try:
        return sum(int(part.split('-')[-1]) - int(part.split('-')[0]) + 1 for part in text.split(','))
    except (AttributeError, ValueError):
        return None


WITHOUT_EFFECT = {'seed', 'on', 'port', 'quick', 'protocol', 'protocols', 'idle_seconds', 'threshold'}


def display_words(display: Facts) -> str:
    rate = display.get('frame_rate_per_s')
    return ', '.join(str(text) for text in (display.get('version'), None if rate is None else f'{words.plain(rate)}/s',
                                            display.get('geometry'))
                     if text is not None)


def differences(runs: Sequence[One], keys: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Settings and machines that differ, but for protocols (the cells show these), what has no effect on figures, and fields that
    another version does not have."""
    found: dict[str, dict[str, Any]] = {}

    def had(key: str, *path: str) -> None:
        rooms = [(one.name, within(one.facts, *path)) for one in runs]
        found_ = {name: room[key] for name, room in rooms if isinstance(room, dict) and key in room}
        if has_differing(found_.values()):
            found[key] = found_

    def every(key: str, values: Iterable[Any]) -> None:
        of = by_run(runs, values)
        if has_differing(of.values()):
            found[key] = of

    for key in keys:
        if key not in WITHOUT_EFFECT:
            had(key, 'settings')
    if 'sinks' in (runs[0].facts.get('axes') or []):
        every('load', ['set by others' if one.is_attached() else 'CPU hogs of the run' for one in runs])
    every('keys go to', ['what a user put into the window' if one.is_attached() else 'an application of the run' for one in runs])
    every('link', [one.settings().get('link') if (one.settings().get('on') or 'lab') == 'lab' else 'as it is' for one in runs])
    for key in ('server_system', 'shared_cpus', 'rootless', 'memory'):
        had(key, 'lab')
    for key in ('governor', 'turbo'):
        had(key, 'host', 'cpu')
    had('autogroup', 'host', 'scheduler')
    for key in ('xterm', 'vim.tiny'):
        had(key, 'host', 'tools')
    every('version', [one.facts.get('version') for one in runs])
    for name, path in (('kernel', ('host', 'kernel')), ('cpu', ('host', 'cpu', 'model')), ('CPUs', ('host', 'cpu', 'count'))):
        every(name, [within(one.facts, *path) for one in runs])
    every('CPUs of the server', [cpu_count(within(one.facts, 'lab', 'cpus_server')) for one in runs])
    for display in sorted({name for one in runs for name in one.displays()}):
        of = {one.name: display_words(one.displays()[display]) for one in runs if one.displays().get(display)}
        if has_differing(of.values()):
            found[display] = of
    return found


def joined_cells(one: One, axis: str) -> list[dict[str, Any]]:
    out = []
    for cell in one.facts.get('cells') or []:
        parameters = dict(cell['parameters'])
        if axis:
            parameters[axis] = one.on_axis(axis, parameters.get(axis))
        out.append({**cell, 'name': one.whole_name(cell['name']), 'parameters': parameters})
    return out


def about(one: One, axis: str) -> dict[str, Any]:
    """What the joined run says of one of its runs."""
    host, lab, facts = one.facts.get('host') or {}, one.facts.get('lab') or {}, one.facts
    out = {'name': one.name, 'host': lab.get('server') if lab.get('server') is not None else host.get('hostname'),
           'started': facts.get('started'), 'state': facts.get('state'), 'repeats': one.settings().get('repeats'),
           'kernel': host.get('kernel'), 'cpu': (host.get('cpu') or {}).get('model'), 'on': one.settings().get('on') or 'lab',
           'folder': str(one.path)}
    return out if axis == 'protocol' else {**out, 'run': dict(facts)}


def joined_facts(runs: Sequence[One], axis: str, command: str) -> dict[str, Any]:
    """Settings that all runs share are those of the joined run."""
    keys = sorted({key for one in runs for key in one.settings()})
    settings = {key: alike([one.settings().get(key) for one in runs]) for key in keys}
    cells = [cell for one in runs for cell in joined_cells(one, axis)]
    protocols = list(dict.fromkeys(p for cell in cells if (p := cell['parameters'].get('protocol')) is not None))
    settings['repeats'] = min((n for one in runs if (n := one.settings().get('repeats')) is not None), default=None)
    settings['protocols'] = protocols
    settings.pop('protocol', None)
    labs = [one.facts.get('lab') or {} for one in runs]
    rows = next((one.facts['rows'] for one in runs if one.facts.get('rows') is not None), None)
    return {
        'schema': 'thinprobe.run/1', 'experiment': runs[0].facts['experiment'],
        'version': alike([one.facts.get('version') for one in runs]) or 'several', 'command': command,
        'started': min(one.facts.get('started') or '' for one in runs), 'ended': max(one.facts.get('ended') or '' for one in runs),
        'state': next((state for one in runs if (state := one.facts.get('state')) != 'complete'), 'complete'),
        'settings': settings, 'axes': runs[0].facts.get('axes'), 'joined': axis, 'cells': cells,
        'counts': {key: sum(within(one.facts, 'counts', key) or 0 for one in runs)
                   for key in ('total', 'complete', 'missing', 'marked')},
        'protocol': None, 'protocols': {one.whole_name(name): display for one in runs for name, display in one.displays().items()},
        'lab': {'shared_cpus': any(lab.get('shared_cpus') is True for lab in labs),
                'cpus_server': alike([lab.get('cpus_server') for lab in labs]),
                'cpus_client': alike([lab.get('cpus_client') for lab in labs]),
                'missing': [f'{one.name}: {what}' for one, lab in zip(runs, labs) for what in lab.get('missing') or []]},
        'runs': [about(one, axis) for one in runs], 'differs': differences(runs, keys), **({} if rows is None else {'rows': rows})}


# --- tables -------------------------------------------------------------------------------------------------------

def table_rows(file: Path) -> tuple[list[str], list[list[str]]]:
    lines = read_text(file).split('\n')
    rows = [line.split('\t') for line in (lines[:-1] if lines[-1] == '' else lines)]
    return (rows[0], rows[1:]) if rows else ([], [])


def joined_value(one: One, axis: str, column: str, value: str) -> str:
    if not value:
        return value
    if column == 'system':
        return one.on_axis('system', value)
    return one.whole_name(value) if column in (axis, 'protocol', 'cell') else value


def join_table(name: str, axis: str, files: Sequence[tuple[Path, One]]) -> str:
    """One table of all runs. Columns in the order in which they come; empty where a run has none."""
    tables = [(one, *table_rows(file)) for file, one in files]
    run_column = 'run' if name == 'long.tsv' else 'run_name'
    columns = list(dict.fromkeys([c for _, head, _ in tables for c in head] + [run_column]))
    lines = ['\t'.join(columns)]
    for one, head, rows in tables:
        at = {c: i for i, c in enumerate(head)}
        for row in rows:
            cells = [one.name if c == run_column else joined_value(one, axis, c, row[at[c]]) if at.get(c, len(row)) < len(row)
                     else '' for c in columns]
            lines.append('\t'.join(cells))
    return '\n'.join(lines) + '\n'


def join_schema(runs: Sequence[One]) -> str:
    """Each column once, and run_name in each table."""
    lines, seen, tables = [], set(), []
    for i, one in enumerate(runs):
        head, rows = table_rows(one.path / 'schema.tsv')
        if not i:
            lines.append('\t'.join(head))
        for row in rows:
            table, column = (row + ['', '', ''])[1:3]
            if (table, column) not in seen:
                lines.append('\t'.join(row))
            seen.add((table, column))
            tables.append(table)
    lines += [f'schema/1\t{table}\trun_name\ttext\t\t\t\tRun' for table in dict.fromkeys(tables) if (table, 'run_name') not in seen]
    return '\n'.join(lines) + '\n'


def join_tables(folder: Path, runs: Sequence[One], axis: str) -> None:
    names = sorted({file.name for one in runs for file in one.path.glob('*.tsv')} - {'schema.tsv'})
    for name in names:
        files = [(one.path / name, one) for one in runs if (one.path / name).is_file()]
        # without such a column, figures could not distinguish rows of different runs
        lacking = [one for file, one in files if axis == 'protocol'
                   and not {'protocol', 'system', 'cell'} & set(table_rows(file)[0])]
        if not lacking:
            (folder / name).write_text(join_table(name, axis, files), encoding='utf-8')
        elif name == 'summary.tsv':
            raise Stop(f'{lacking[-1].path}/summary.tsv has no column protocol: an older version made this run')
    (folder / 'schema.tsv').write_text(join_schema(runs), encoding='utf-8')


# --- the folder ---------------------------------------------------------------------------------------------------

def prepared(to: Path) -> Path:
    """The folder for the joined run: new, empty, or that of an earlier report of several runs."""
    file = to / 'run.json'
    if file.is_file():
        try:
            is_joined = isinstance(read_facts(file).get('runs'), list)
        except Stop:
            is_joined = False
        if not is_joined:
            raise Stop(f'{to}: contains a run; choose another folder with -o', USAGE)
    elif to.is_dir() and any(to.iterdir()):
        raise Stop(f'{to}: is not empty; choose another folder with -o', USAGE)
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass
    if not to.is_dir() or not os.access(to, os.W_OK):
        raise Stop(f'cannot write to {to}; choose a writable folder with -o')
    to = to.resolve()
    if (to / 'figures').is_symlink():
        raise Stop(f'{to}/figures is no folder; choose another folder with -o')
    for old in [*to.glob('*.tsv'), *to.glob('figures/*.svg'), to / 'run.json.new']:
        old.unlink(missing_ok=True)
    return to


def write_facts(folder: Path, facts: Any) -> None:
    """(In another login's folder, a link may be there again.)"""
    try:
        with open(folder / 'run.json.new', 'x', encoding='utf-8') as file:
            json.dump(facts, file, indent=2, ensure_ascii=False)
            file.write('\n')
        os.rename(folder / 'run.json.new', folder / 'run.json')
    except OSError:
        raise cannot(f'cannot write {folder}/run.json', folder) from None


def given_runs(paths: Sequence[Path], checked: Any) -> list[One]:
    runs: list[One] = []
    work = ''
    for path in paths:
        if not path.is_dir() or not os.access(path, os.X_OK):
            raise Stop(f'{path}: no folder that can be entered')
        one = One(path.resolve(), {})
        if any(other.path == one.path for other in runs):
            raise Stop(f'{one.path}: is given twice', USAGE)
        one = One(one.path, cleaned(checked(one.path)))
        check_alike(one, runs[0] if runs else one, work)
        if not one.is_attached():
            work = one.work()
        runs.append(one)
    return runs


def join(paths: Sequence[Path], to: Path | None, label: str | None, checked: Any, needs_tables: Any) -> Path:
    """Joins the runs in a folder (`to`, or one beside the first), which is returned. label: their names, or made up. checked: reads
    run.json of a run that can be reported; needs_tables: whether a run's have to be made."""
    runs = given_runs(paths, checked)
    for one in runs:
        make_tables(one, needs_tables)
    first = runs[0]
    folder = prepared(to or first.path.parent / '+'.join(one.path.name for one in runs))
    names = label.split(',') if label else made_names(runs)
    runs = [One(one.path, one.facts, name) for one, name in zip(runs, names)]
    axis = first.axis()
    command = 'thinprobe report' + ''.join(f' {shlex.quote(str(one.path))}' for one in runs) + (f' --label {label}'
                                                                                                if label else '')
    write_facts(folder, joined_facts(runs, axis, command))
    own = own_join(first.facts['experiment'])
    try:
        if own:
            own.samples(folder, runs)
        else:
            join_tables(folder, runs, axis)
    except OSError as e:
        raise cannot(f'cannot write {e.filename or folder}', folder) from None
    return folder
