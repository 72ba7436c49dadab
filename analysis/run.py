# SPDX-License-Identifier: GPL-3.0-or-later
"""A run folder as a document: run.json, and its tables as rows with the types of schema.tsv. All of it is a stranger's: text is
cleaned, sizes are bounded, nothing is evaluated."""
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from analysis import words
from analysis.amounts import Row
from analysis.command import Stop
from analysis.samples import parse_json, regular
from analysis.text import HIDDEN

FILE_MOST = 256 * 1024 * 1024  # bytes of a table or of run.json
UNPRINTABLE = re.compile(f'[\x00-\x1f\x7f-\x9f\ud800-\udfff{HIDDEN}\ufffe\uffff]')
CONTROL = re.compile(f'[\x00-\x08\x0b-\x1f\x7f-\x9f{HIDDEN}]')


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, from schema.tsv."""
    table: str
    column: str
    type: str
    unit: str
    decimals: str
    better: str
    heading: str


@dataclass(frozen=True, slots=True)
class Run:
    """facts: run.json; columns: of schema.tsv; tables: by name. before: the start of the run before this one, whose summary
    `previous` is, and the name of its folder. cells: names of folders of cells that are there."""
    facts: Mapping[str, Any]
    columns: Sequence[Column]
    tables: Mapping[str, list[dict[str, Any]]]
    thresholds: Sequence[Row] = ()
    papers: Sequence[Row] = ()
    before: str = ''
    before_name: str = ''
    cells: Sequence[str] = ()
    path: Path | None = field(default=None, compare=False)

    def table(self, name: str) -> list[dict[str, Any]]:
        return self.tables.get(name) or []

    def measured(self, name: str = 'summary') -> list[dict[str, Any]]:
        """Rows with a complete repeat."""
        return [row for row in self.table(name) if known(row.get('repeats'), 1) > 0]

    def settings(self) -> Mapping[str, Any]:
        return self.facts.get('settings') or {}

    def setting(self, name: str, other: Any = None) -> Any:
        value = self.settings().get(name)
        return other if value is None else value

    def axes(self) -> Sequence[str]:
        return self.facts.get('axes') or []

    def threshold_ms(self) -> float:
        return float(self.setting('threshold_ms', words.LATE_MS))

    def threshold_source(self) -> str | None:
        name = self.setting('threshold')
        return next((row.get('source') for row in self.thresholds if row.get('name') == name), None)

    def runs(self) -> Sequence[Mapping[str, Any]]:
        """Of a report of several runs: which they are."""
        return self.facts.get('runs') or []

    def column(self, table: str, name: str) -> Column:
        return next((c for c in self.columns if c.table == table and c.column == name),
                    Column(table, name, 'real', '', '', '', name))


def known(value: Any, other: float) -> float:
    return other if value is None else float(value)


def distinct(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


# --- reading ------------------------------------------------------------------------------------------------------

def cleaned(value: Any) -> Any:
    """Text without characters that hide, turn or control what stands beside them; so keys."""
    if isinstance(value, str):
        return UNPRINTABLE.sub(lambda found: ' ' if found[0] in '\n\r\t\f' else '?', value)
    if isinstance(value, dict):
        return {cleaned(key): cleaned(v) for key, v in value.items()}
    return [cleaned(v) for v in value] if isinstance(value, list) else value


def read_text(path: Path) -> str:
    try:
        with open(regular(str(path)), 'rb') as stream:
            data = stream.read(FILE_MOST + 1)
    except OSError as e:
        raise Stop(f'{path}: cannot be read: {e.strerror}') from None
    if len(data) > FILE_MOST:
        raise Stop(f'{path}: larger than {FILE_MOST // 2 ** 20} MiB')
    return CONTROL.sub('?', data.decode(errors='replace'))


def read_rows(text: str) -> list[list[str]]:
    return [line.split('\t') for line in text.split('\n') if line]


def typed(rows: Sequence[Sequence[str]], types: Mapping[str, str] | None) -> list[dict[str, Any]]:
    """Rows with the types of their columns; an empty cell is None. types None: what looks like a number is one."""
    if not rows:
        return []
    head = rows[0]
    is_number = [types is None or types.get(name, 'text') != 'text' for name in head]
    return [{name: number_or_text(cell) if number else cell or None
             for name, cell, number in zip(head, [*row, *[''] * len(head)], is_number)}
            for row in rows[1:]]


def number_or_text(cell: str) -> Any:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        return cell
    return value if isfinite(value) else cell


def read_columns(text: str) -> list[Column]:
    rows = typed(read_rows(text), {})
    return [Column(*(str(row.get(name) or '') for name in ('table', 'column', 'type', 'unit', 'decimals', 'better', 'heading')))
            for row in rows]


def read_facts(path: Path) -> dict[str, Any]:
    try:
        facts = parse_json(read_text(path).encode())
    except ValueError:
        raise Stop(f'{path}: cannot be read') from None
    if not isinstance(facts, dict):
        raise Stop(f'{path}: cannot be read')
    return dict(cleaned(facts))


def thin(rows: list[list[str]]) -> list[list[str]]:
    """Of a table of shares of a distribution what can be seen."""
    if not rows or 'share' not in rows[0]:
        return rows
    at = rows[0].index('share')
    skip = {at, rows[0].index('latency_ms') if 'latency_ms' in rows[0] else at}
    out = [rows[0]]
    last_curve: list[str] | None = None
    last = 0.0
    for row in rows[1:]:
        curve, share = [cell for i, cell in enumerate(row) if i not in skip], float(row[at] or 0)
        if curve != last_curve or share - last >= 0.004 or share < 0.01 or share > 0.99:
            out.append(row)
            last = share
        last_curve = curve
    return out


def read_tables(folder: Path, columns: Sequence[Column]) -> dict[str, list[dict[str, Any]]]:
    types: dict[str, dict[str, str]] = {}
    for c in columns:
        types.setdefault(c.table, {})[c.column] = c.type
    tables = {}
    for file in sorted(folder.glob('*.tsv')):
        if file.name == 'schema.tsv':
            continue
        rows = read_rows(read_text(file))
        name = file.stem
        if name == 'long':
            why = rows[0].index('why') if rows and 'why' in rows[0] else -1
            rows = [row for i, row in enumerate(rows) if not i or (0 <= why < len(row) and row[why] == 'impossible')]
            name = 'impossible'
        tables[name] = typed(thin(rows) if name == 'cdf' else rows, types.get(name))
    return tables


def alike(facts: Mapping[str, Any]) -> Any:
    """What two runs must have in common to be compared."""
    settings = {k: v for k, v in (facts.get('settings') or {}).items() if k != 'seed'}
    if settings.get('until_sure'):
        settings.pop('repeats', None)

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in ('version', 'says', 'client')}
        return [without(v) for v in value] if isinstance(value, list) else value

    lab = facts.get('lab') or {}
    return [facts.get('experiment'), settings, (facts.get('host') or {}).get('hostname'), lab.get('server'),
            without([facts.get('protocol'), facts.get('protocols')])]


def load(folder: Path, data: Path, stem: str, marks: Sequence[Path] = ()) -> Run:
    """The run in this folder; data: the folder of thresholds.tsv; marks: tables of what papers report."""
    if not (folder / 'schema.tsv').is_file():
        raise Stop(f'{folder}/schema.tsv is missing; make it with: thinprobe report {folder}')
    facts = read_facts(folder / 'run.json')
    columns = read_columns(read_text(folder / 'schema.tsv'))
    thresholds = typed(read_rows(read_text(data / 'thresholds.tsv')), {'value': 'real'})
    lines = [[row for row in read_rows(read_text(path)) if not row[0].startswith('#')] for path in marks]
    papers = [row for rows in lines for row in typed(rows, {}) if row.get('experiment') == stem]
    cells = [path.name for path in (folder / 'cells').iterdir() if path.is_dir()] if (folder / 'cells').is_dir() else []
    return Run(facts, columns, read_tables(folder, columns), thresholds, papers, cells=cells, path=folder)


# --- several runs in one report -----------------------------------------------------------------------------------

def bare(value: str) -> str:
    """A value without the name of its run."""
    return value.split('/')[0]


def of_run(value: str) -> str:
    """", NAME" of its run; nothing where it names none."""
    _, slash, name = value.partition('/')
    return f', {name}' if slash else ''


def run_name(name: str) -> str:
    return name.split('/')[-1].split('.')[0]


def of_runs(run: Run, names: Sequence[str]) -> Run:
    """Of several runs in one report: the document of these."""
    def mine(row: Row) -> bool:
        name = row['run_name'] if row.get('run_name') is not None else row.get('run')
        return name is None or name in names

    facts = dict(run.facts)
    facts['runs'] = [r for r in run.runs() if r.get('name') in names]
    facts['cells'] = [c for c in facts.get('cells') or [] if run_name(c['name']) in names]
    settings = dict(run.settings())
    settings['protocols'] = [p for p in settings.get('protocols') or [] if run_name(p) in names]
    facts['settings'] = settings
    facts['protocols'] = {k: v for k, v in (facts.get('protocols') or {}).items() if run_name(k) in names}
    return replace(run, facts=facts, tables={name: [row for row in rows if mine(row)] for name, rows in run.tables.items()})


def is_one_by_one(run: Run) -> bool:
    """An experiment without protocols speaks of one run at a time."""
    return (run.facts.get('joined') or 'protocol') != 'protocol'


def only_run(run: Run, name: str) -> Run:
    """The document of one, as its own report has it, without its name."""
    axis = run.facts.get('joined')
    part = of_runs(run, [name])

    def unnamed(row: dict[str, Any]) -> dict[str, Any]:
        return {c: v.replace(f'/{name}', '') if c in (axis, 'protocol', 'cell') and isinstance(v, str) else v
                for c, v in row.items()}

    facts = next((r.get('run') for r in part.runs()), None) or {}
    return replace(part, facts=facts, tables={t: [unnamed(row) for row in rows] for t, rows in part.tables.items()})


def each_run(run: Run, words: Callable[[Run], Any]) -> list[tuple[str, Any]]:
    return [(r['name'], words(only_run(run, r['name']))) for r in run.runs()]


def settings_of(run: Run, system: str) -> Mapping[str, Any]:
    """The settings of the run that a system is of."""
    name = run_name(system)
    differing = {k: v[name] for k, v in (run.facts.get('differs') or {}).items() if isinstance(v, dict) and v.get(name) is not None}
    return {**run.settings(), **differing}


def is_attached(run: Run, every: bool = False) -> bool:
    """A window of another's server: at least one of several runs, or all."""
    return (all if every else any)(str(s.get('on') or '').startswith('attach:') for s in (run.runs() or [run.settings()]))


def is_in_guest(run: Run) -> bool:
    """No client takes part."""
    return bool(run.setting('place') == 'guest')
