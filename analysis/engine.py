# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of a run: reads its cells, combines their repeats as the columns say, and writes NAME.tsv, long.tsv and schema.tsv.

Order of calls: an extractor's check; read and numbers for each complete repeat, in the order of the run; figures of each cell;
rows; report. Files take their names when all tables are whole."""
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

from analysis import figures, spreads
from analysis.columns import (TEXT, Column, Count, Extracted, Extractor, Json, OfRun, Parameter, Table, Tables, Value,
                              Written, digits, figure_cells, only_values, possible)
from analysis.command import RUN, Stop
from analysis.estimates import GIVEN, of_run, share_of_counts
from analysis.figures import Figure, Statistic
from analysis.report import Place, put
from analysis.samples import Cell, Repeat, Run, at, number, text
from analysis.text import printable

AXES = 64  # most columns of long.tsv for parameters
LONG = ('metric', 'unit', 'value', 'low', 'high', 'above', 'n', 'repeats', 'estimator', 'better', 'flags', 'table', 'from', 'to',
        'why')
SCHEMA = ('table', 'column', 'type', 'unit', 'decimals', 'better', 'heading')


@dataclass(slots=True)
class Taken:
    """What a column has taken from the repeats of a cell: a number of each (or of each train), the late end where it is a range or
    a lower bound, and the total of which it is a share; and its text."""
    early: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ranged: bool = False
    overloaded: bool = False


# --- repeats ------------------------------------------------------------------------------------------------------

def plain_number(document: Any, path: str) -> float:
    value = at(document, path)
    return float(value) if isinstance(value, bool) else number(document, path)


def take_number(taken: Taken, document: Any, path: str) -> None:
    """A number that may be null beside OBJECT.range.NAME.from and to or OBJECT.above.NAME, or as OBJECT.why says overloaded."""
    value = late = plain_number(document, path)
    parent, dot, name = path.rpartition('.')
    if document is not None and dot and value != value:
        value, late = number(document, f'{parent}.range.{name}.from'), number(document, f'{parent}.range.{name}.to')
        if value != value:
            value = number(document, f'{parent}.above.{name}')
        late = late if isfinite(late) or value != value else inf
        taken.ranged = taken.ranged or isfinite(value)
        taken.overloaded = taken.overloaded or text(document, f'{parent}.why') == 'overloaded'
    taken.early.append(value)
    taken.late.append(late)


def take_json(column: Column, source: Json, repeat: Repeat, taken: Taken) -> None:
    document = repeat.document(source.file)
    if document is None and source.needed:
        raise Stop(f'{repeat.folder}: {source.file} is missing')
    if column.decimals == TEXT:
        word = text(document, source.path)
        taken.texts += [] if word is None else [word]
        return
    taken.totals.append(plain_number(document, source.over) if source.over else nan)
    take_number(taken, document, source.path)


def sources_of(repeat: Repeat, source: Json) -> list[Repeat]:
    """The repeat or trains whose file it is."""
    if source.series == '*':
        return [repeat, *repeat.trains]
    picked = repeat.pick(source.series) if source.series else repeat
    return [picked] if picked else []


def is_of_repeats(column: Column) -> bool:
    """Whether the extractor gives a number of each repeat, and the estimator combines them."""
    return isinstance(column.source, Extracted) and column.estimator not in GIVEN


class Work(NamedTuple):
    """The tables of a run as they are made."""
    run: Run
    tables: Tables
    extractors: dict[str, Extractor]  # in the order in which they are used
    kept: dict[str, list[list[Any]]]  # of each: what it keeps of each repeat of each cell
    taken: dict[Column, list[Taken]]  # of each column of a table of cells, for each cell
    figures: dict[Column, list[Figure]]

    def columns(self) -> Iterator[Column]:
        """Of all tables that have a row for each cell."""
        return (c for t in self.tables.tables if not t.rows for c in t.columns)

    def asked(self, name: str, of_repeats: bool) -> list[str]:
        """The names of figures that columns want of an extractor."""
        return [c.source.figure for c in self.columns() if isinstance(c.source, Extracted) and c.source.name == name
                and is_of_repeats(c) == of_repeats]


def find_extractors(tables: Tables) -> dict[str, Extractor]:
    used = {c.source.name: c.source.extractor for t in tables.tables if not t.rows for c in t.columns
            if isinstance(c.source, Extracted)}
    return used | {t.rows: t.extractor for t in tables.tables if t.extractor and t.rows}


def extract_repeat(work: Work, repeat: Repeat) -> None:
    cell = repeat.cell.index
    for name, extractor in work.extractors.items():
        kept = extractor.read(repeat) if extractor.read else None
        work.kept[name][cell].append(kept)
        names = work.asked(name, True)
        found = extractor.numbers(repeat, kept, names) if extractor.numbers and names else {}
        for column in work.columns():
            source = column.source
            if isinstance(source, Extracted) and source.name == name and is_of_repeats(column):
                if source.figure not in found:
                    raise Stop(f'table: extractor {name} has no number {source.figure} of a repeat')
                work.taken[column][cell].early.append(found[source.figure])
    for column in work.columns():
        if isinstance(column.source, Json):
            for one in sources_of(repeat, column.source):
                take_json(column, column.source, one, work.taken[column][cell])
    repeat.forget()


# --- figures ------------------------------------------------------------------------------------------------------

def extract_figures(work: Work, cell: Cell) -> None:
    for name, extractor in work.extractors.items():
        names = work.asked(name, False)
        found: Mapping[str, Value] = extractor.figures(cell, work.kept[name], names) if extractor.figures and names else {}
        for column in work.columns():
            source = column.source
            if not isinstance(source, Extracted) or source.name != name or is_of_repeats(column):
                continue
            if column.decimals == TEXT:
                word = found.get(source.figure)
                work.taken[column][cell.index].texts += [word] if isinstance(word, str) else []
            elif source.figure not in found:
                raise Stop(f'table: extractor {name} has no figure {source.figure}')
            else:
                work.figures[column][cell.index] = only_values(column.estimator, as_figure(found[source.figure]))


def as_figure(value: Value) -> Figure:
    return value if isinstance(value, Figure) else figures.exact(value) if isinstance(value, int | float) else Figure()


def state(cell: Cell, measured: bool) -> str:
    if not cell.repeats:
        return cell.absence()
    if cell.kept == len(cell.repeats):
        return 'failed'
    return 'measured' if measured else 'partial' if cell.failed or len(cell.repeats) < cell.run.repeats else 'complete'


def count_of(cell: Cell, word: str) -> Value:
    """"0 failed" needs a repeat that was tried, and "0 flagged" one that is complete: otherwise the count is not known."""
    n = len(cell.repeats)
    counts: dict[str, Value] = {
        'complete': float(n), 'failed': float(cell.failed) if n or cell.failed else None, 'flagged': float(cell.flagged) if n else
        None, 'tried': float(cell.tried), 'state': state(cell, False), 'measured': state(cell, True), 'reason': cell.reason,
        'name': cell.name}
    return counts[word]


def combine(run: Run, column: Column, taken: Taken) -> Figure:
    """The figure of the repeats' numbers. Estimator range: logmean+ci (of %: percent+ci) of both ends."""
    mean = 'percent+ci' if column.unit == '%' else 'logmean+ci'
    estimator = mean if column.estimator == 'range' else column.estimator
    early = of_run(run, estimator, taken.early)
    if estimator == 'share+ci':
        early = replace(share_of_counts(taken.early, taken.totals), repeats=early.repeats)
    if taken.overloaded:
        return figures.absent('overloaded')
    if not taken.ranged:
        return early
    if column.estimator != 'range':
        return figures.absent('range')
    late = (figures.bounded(Statistic(early.value, True)) if inf in taken.late else of_run(run, estimator, taken.late))
    return figures.joined(early, late)


def cell_figure(work: Work, column: Column, cell: Cell) -> Figure:
    source, taken = column.source, work.taken[column][cell.index]
    f = work.figures[column][cell.index]
    if isinstance(source, Count):
        value = count_of(cell, source.word)
        f = as_figure(value)
        taken.texts += [value] if isinstance(value, str) else []
    elif isinstance(source, Parameter | OfRun):
        document = cell.parameters if isinstance(source, Parameter) else work.run.json
        path = source.key if isinstance(source, Parameter) else source.path
        f = figures.exact(plain_number(document, path))
        word = f'{f.value:.10g}' if isfinite(f.value) else text(document, path)
        taken.texts += [word] if word is not None else []
    elif column.decimals != TEXT and (isinstance(source, Json) or is_of_repeats(column)):
        f = combine(work.run, column, taken)
    # a sum or a count over no repeat is 0, which would pass for a good result
    if not cell.repeats and column.better and isinstance(source, Json | Extracted):
        f = Figure()
    return replace(f, why=cell.absence()) if not f.is_known() and not cell.repeats else f


def cell_text(column: Column, taken: Taken) -> str | None:
    """The text of all repeats: by the estimator the first, mixed where they differ, or the last."""
    if not taken.texts:
        return None
    if column.estimator == 'same' and len(set(taken.texts)) > 1:
        return 'mixed'
    return taken.texts[0 if column.estimator == 'first' else -1]


def compute_figures(work: Work) -> None:
    for cell in work.run.cells:
        extract_figures(work, cell)
    for column in work.columns():
        found = [cell_figure(work, column, cell) for cell in work.run.cells]
        if column.estimator == 'chance+holm':
            found = [figures.exact(p) for p in spreads.adjust_holm([f.value for f in found])]
        work.figures[column][:] = found


# --- rows ---------------------------------------------------------------------------------------------------------

class Line(NamedTuple):
    """A row of a table: its cells by column, and the figures behind them, for long.tsv."""
    of: Cell
    cells: dict[Column, list[str]]
    figures: dict[Column, Figure]


Warn = Callable[[str], None]


def make_line(table: Table, written: Written, known: dict[int, Line], warn: Warn) -> Line:
    """`known`: the parameters of the cells of rows before, by index: of a curve there are thousands."""
    line = Line(written.cell, {}, {})
    for name, value in written.values.items():
        column = table.column(name)
        if not column:
            raise Stop(f'table {table.name} has no column {name}')
        set_value(table, column, value, line, warn)
    for column in table.columns if written.parameters else ():
        if column.name not in written.values:
            of = known.setdefault(line.of.index, Line(line.of, {}, {}))
            if column not in of.cells:
                of.cells[column] = []
                set_parameter(table, column, of, warn)
            if of.cells[column]:
                line.cells[column] = of.cells[column]
            if column in of.figures:
                line.figures[column] = of.figures[column]
    return line


def set_parameter(table: Table, column: Column, line: Line, warn: Warn) -> None:
    value, word = line.of.number(column.name), line.of.text(column.name)
    if isfinite(value):
        set_value(table, column, value, line, warn)
    elif word is not None or column.name == 'cell':
        set_value(table, column, line.of.name if word is None else word, line, warn)


def set_value(table: Table, column: Column, value: Value, line: Line, warn: Warn) -> None:
    if value is None or isinstance(value, str):
        line.cells[column] = [printable(value or '')]
        return
    f = possible(table, column, as_figure(value), warn)
    line.figures[column] = f
    line.cells[column] = figure_cells(column, f) if isinstance(value, Figure) else [digits(f.value, column.decimals)]


def cell_rows(work: Work, table: Table) -> Iterator[Written]:
    for cell in work.run.cells:
        yield Written(cell, {c.name: cell_text(c, work.taken[c][cell.index]) if c.decimals == TEXT
                             else work.figures[c][cell.index] for c in table.columns}, False)


def rows_of(work: Work, table: Table) -> Iterator[Written]:
    if not table.extractor or not table.rows:
        return cell_rows(work, table)
    write = table.extractor.tables.get(table.name) or table.extractor.tables.get('')
    if not write:
        raise Stop(f'table: extractor {table.rows} writes no rows of table {table.name}')
    return write(work.run, work.kept[table.rows])


def table_line(table: Table, widths: Sequence[int], line: Line) -> str:
    cells = [table.schema]
    for column, width in zip(table.columns, widths):
        own = line.cells.get(column, [])
        cells += own
        cells += [''] * (width - len(own))
    return '\t'.join(cells) + '\n'


# --- long.tsv and schema.tsv --------------------------------------------------------------------------------------

def find_axes(work: Work) -> list[str]:
    """The parameters that are columns of long.tsv: the run's axes, or without axes the parameters that a table of cells names; and
    what names the rows of other tables."""
    axes = work.run.axes()
    named = bool(axes)
    for table in work.tables.tables:
        for column in table.columns if not table.raw and not table.given else ():
            if isinstance(column.source, Parameter) and (table.rows or not named):
                axes.append(column.name if table.rows else column.source.key)
    return list(dict.fromkeys(axes))[:AXES]


def parameter_cell(table: Table, line: Line, axis: str) -> str:
    """A parameter of the row: of a table of cells that of the cell, otherwise the row's own column."""
    if table.rows:
        column = table.column(axis)
        return line.cells.get(column, [''])[0] if column and isinstance(column.source, Parameter) else ''
    value = line.of.number(axis)
    return f'{value:.10g}' if isfinite(value) else printable(line.of.text(axis) or '')


def long_lines(work: Work, table: Table, line: Line, axes: Sequence[str], name: str) -> Iterator[str]:
    places = [parameter_cell(table, line, axis) for axis in axes]
    for column in table.columns:
        f = line.figures.get(column)
        if not f or not column.is_figure() or not (f.is_known() or f.why):
            continue
        d, between = column.decimals, f.is_range()
        yield '\t'.join([
            'long/1', name, printable(work.run.experiment), *places, column.name, printable(column.unit), digits(f.value, d),
            digits(f.low, d), digits(f.high, d), str(int(f.above)), str(f.repeats or ''), str(len(line.of.repeats)),
            column.estimator, column.better, str(line.of.flagged), table.name, digits(f.start if between else nan, d),
            digits(f.end if between else nan, d), f.why or '']) + '\n'


def schema_lines(tables: Tables) -> Iterator[str]:
    yield '\t'.join(['schema', *SCHEMA]) + '\n'
    for table in tables.tables:
        for column in table.columns:
            for name in column.ends():
                end = name[len(column.name):]
                is_text = column.decimals == TEXT or end in ('_both', '_why')
                whole = end == '_above' or not column.decimals
                yield '\t'.join([
                    'schema/1', table.name, name, 'text' if is_text else 'int' if whole else 'real',
                    '' if end in ('_above', '_why') else printable(column.unit),
                    '0' if end == '_above' else '' if is_text else str(column.decimals), '' if end else column.better,
                    '' if end else printable(column.heading)]) + '\n'


# --- the run ------------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Made:
    """What was made of a run: the text of each file to be written (None: the file is to go), and rows by table."""
    work: Work
    files: dict[str, str | None]
    rows: dict[str, int]
    complete: int
    failed: int
    flagged: int

    def report(self) -> dict[str, Any]:
        """Keys that extractors add to the report."""
        out: dict[str, Any] = {}
        for name, extractor in self.work.extractors.items():
            out |= extractor.report(self.work.run, self.work.kept[name]) if extractor.report else {}
        return out


def begin(run: Run, tables: Tables) -> Work:
    extractors = find_extractors(tables)
    for extractor in extractors.values():
        if extractor.check:
            extractor.check(run)
    columns = [c for t in tables.tables if not t.rows for c in t.columns]
    return Work(run, tables, extractors, {name: [[] for _ in run.cells] for name in extractors},
                {c: [Taken() for _ in run.cells] for c in columns}, {c: [Figure() for _ in run.cells] for c in columns})


def write_tables(work: Work, warn: Warn) -> tuple[dict[str, str | None], dict[str, int]]:
    run, axes = work.run, find_axes(work)
    name = printable(os.path.basename(os.path.realpath(run.folder)) or run.folder)
    files: dict[str, str | None] = {}
    rows: dict[str, int] = {}
    long = ['\t'.join(['schema', 'run', 'experiment', *axes, *LONG]) + '\n']
    for table in work.tables.tables:
        if table.given:
            continue
        lines, widths = ['\t'.join(table.header()) + '\n'], [len(column.ends()) for column in table.columns]
        known: dict[int, Line] = {}
        for written in rows_of(work, table):
            line = make_line(table, written, known, warn)
            long += [] if table.raw else long_lines(work, table, line, axes, name)
            lines.append(table_line(table, widths, line))
        rows[table.name] = len(lines) - 1
        files[f'{table.name}.tsv'] = None if table.optional and len(lines) == 1 else ''.join(lines)
    return files | {'long.tsv': ''.join(long), 'schema.tsv': ''.join(schema_lines(work.tables))}, rows


def make(run: Run, tables: Tables, warn: Warn) -> Made:
    """Reads all repeats of the run, whose cells have been read, and makes its tables."""
    work = begin(run, tables)
    for cell in run.cells:
        for repeat in cell.repeats:
            extract_repeat(work, repeat)
    compute_figures(work)
    files, rows = write_tables(work, warn)
    return Made(work, files, rows, sum(c.complete for c in run.cells), sum(c.failed for c in run.cells),
                sum(c.flagged for c in run.cells))


def save(made: Made) -> None:
    for name, content in made.files.items():
        path = f'{made.work.run.folder}/{name}'
        try:
            if content is None:
                Path(path).unlink(missing_ok=True)
            else:
                put(Place(path, False), content)
        except OSError as e:
            raise Stop(f'{path}: {e.strerror}', RUN) from None
