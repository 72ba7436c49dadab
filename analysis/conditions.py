# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of --fail-if, and limits of gate: which columns and conditions they speak of, and in words what limits.py decides of
them.

Conditions are such as p95>150ms,late>1%, or late>1%@vnc-*-5 of cells with such names: a column of a table, or its name without the
unit or cut short (p95 is latency_p95_ms, and late is late_share_percent), one of < <= > >=, and a number with its unit. Another
part, or one of several names, is refused with them; figures of the measurement's quality have only their full names."""
import fnmatch
import os
import re
import signal
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from pathlib import Path
from typing import Any

from analysis import amounts, decide, engine, limits, notes, table_file, words
from analysis.amounts import Amount, Row, amount
from analysis.command import USAGE, Stop
from analysis.run import CONTROL, FILE_MOST, Column, Run, read_columns, read_facts, read_rows, read_text, typed
from analysis.text import nearest
from analysis.trees import in_trees

SECONDS = {'us': 1e-6, 'ms': 1e-3, 's': 1.0, 'm': 60.0, 'min': 60.0, 'h': 3600.0}
QUALITY = re.compile('(late_p[0-9]+|lateness|left_late|started_late|load_behind|generator|probe|capture|foreign|steal|disturbed)_')
UNIT = re.compile('_(us|ms|s|percent|per_s|bytes|kb|mb)')
PERCENTILE = re.compile('(.*_)?p9[0-9]+_ms')
OF_ANSWERED = re.compile('((response|p[0-9]+|max)_ms|late_percent)')
NAME, NUMBER, OP = '(?P<name>[A-Za-z][A-Za-z0-9_]*)', '(?P<value>[0-9]+([.][0-9]+)?)', '(?P<op><=?|>=?)'
LINE = re.compile(rf'[ \t]*{NAME}[ \t]+(?P<cells>[^ \t]+)[ \t]+{OP}[ \t]+{NUMBER}(?P<unit>[A-Za-z%/0-9]*)[ \t\r]*(#.*)?')
CONDITION = re.compile(rf' *{NAME} *{OP} *{NUMBER} *(?P<unit>[A-Za-z%/0-9]*)(@(?P<cells>[A-Za-z0-9_.:*?-]+))? *')
CONTRARY = {'<': '>=', '<=': '>', '>': '<=', '>=': '<'}
VERDICTS = {limits.HOLDS: 'holds', limits.BROKEN: 'broken', limits.OPEN: 'not decided'}


def is_quality(column: str) -> bool:
    """It tells how well was measured, such as how late the load generator was."""
    return QUALITY.match(column) is not None


# --- what is asked ------------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Asked:
    """A limit that is to hold; cells: a pattern of names, None: of all."""
    text: str
    column: Column
    op: str
    bound: float
    cells: str | None


class Wrong(Exception):
    """What is wrong with a condition; unknown: a name that no column has."""

    def __init__(self, text: str, unknown: str = ''):
        super().__init__(text)
        self.unknown = unknown


def numbers(columns: Sequence[Column]) -> list[Column]:
    return [c for c in columns if c.type not in ('text', 'type') and not re.search('_(low|high|above|from|to|why)$', c.column)]


def hits(columns: Sequence[Column], name: str) -> Iterator[tuple[list[Column], bool]]:
    """Classes of columns, the nearest to the name first; and whether it is only a part of theirs."""
    measured = [c for c in columns if not is_quality(c.column)]

    def is_short(c: Column) -> bool:
        texts = c.column, re.sub('^latency_|_share(?=_percent$)', '', c.column, count=1)
        return any(UNIT.fullmatch(text.removeprefix(name)) for text in texts)

    def has_part(c: Column) -> bool:
        return c.column.startswith(f'{name}_') if is_quality(c.column) else f'_{name}_' in f'_{c.column}_'

    yield [c for c in columns if c.column == name][:1], False
    yield [c for c in measured if is_short(c)], False
    yield [c for c in measured if c.heading.lower() == name], False
    yield [c for c in measured if c.column.startswith(f'{name}_')], False
    yield [c for c in columns if has_part(c)], True


def find_column(columns: Sequence[Column], name: str) -> Column:
    """In the summary p50 is latency_p50_ms, late is late_share_percent."""
    classes = (found for of in ([c for c in columns if c.table == 'summary'], columns) for found in hits(of, name.lower()))
    found, is_part = next((one for one in classes if one[0]), ([], False))
    different = sorted({c.column: c for c in reversed(found)}.values(), key=lambda c: c.column)
    if not different:
        raise Wrong(f'no column {name}', name)
    if len(different) > 1 or is_part:
        raise Wrong(f'which {name}? {", ".join(c.column for c in different)}')
    return different[0]


def read_bound(c: Column, value: str, unit: str) -> float:
    """In the column's unit."""
    own = c.unit or '-'
    by = SECONDS.get(own)
    if by and not unit and value != '0':
        raise Wrong(f'which unit? {value}ms or {value}s')
    if by and unit and unit not in SECONDS:
        raise Wrong(f'{c.column} is a time, such as 150ms')
    if not by and unit not in ('', own):
        raise Wrong(f'{c.column} ' + ('has no unit' if own == '-' else f'is in {own}'))
    return float(value) * (SECONDS[unit] / by if by and unit else 1)


def read_one(columns: Sequence[Column], text: str, in_file: bool) -> Asked:
    found = (LINE if in_file else CONDITION).fullmatch(text)
    if not found:
        raise Wrong('want METRIC CELLS OP VALUE, such as: late * <= 1%' if in_file else
                    'want NAME>NUMBER with its unit, such as p95>150ms or late>1%')
    c = find_column(columns, found['name'])
    bound = read_bound(c, found['value'], found['unit'])
    said = ' '.join([word for word in re.split('[ \t\r]+', text) if word][:4]) if in_file else text
    return Asked(said, c, found['op'] if in_file else CONTRARY[found['op']], bound, found['cells'])


def places(text: str, file: str) -> Iterator[tuple[str, str]]:
    """The lines of a file, or conditions, and where they stand."""
    if file:
        yield from ((f'{file}, line {i}', line) for i, line in enumerate(text.split('\n'), 1)
                    if not re.match('[ \t\r]*(#|$)', line))
    else:
        yield from ((f'--fail-if {one}', one) for one in text.split(','))


def cure(columns: Sequence[Column], unknown: str) -> str:
    names = sorted({name for c in columns for name in (c.column, c.column.split('_')[0], c.column.removeprefix('latency_'))})
    near = nearest(unknown, names)
    return (f'; did you mean {near}?' if near else
            f'; there are such as {", ".join(c.column for c in sorted(columns, key=lambda c: c.unit != "ms")[:6])}')


def read(columns: Sequence[Column], text: str, file: str = '') -> list[Asked]:
    """Conditions of --fail-if, or the lines of a file."""
    known, asked = numbers(columns), []
    for where, one in places(text, file):
        try:
            asked.append(read_one(known, one, bool(file)))
        except Wrong as wrong:
            raise Stop(f'{where}: {wrong}{cure(known, wrong.unknown) if wrong.unknown else ""}', USAGE) from None
    return asked


def columns_of(stem: str) -> list[Column]:
    """Those that a run of this experiment has."""
    file = next(in_trees(f'experiments/{stem}/analysis.py'))
    return read_columns(''.join(engine.schema_lines(table_file.read_tables(str(file)))))


def read_file(path: str) -> str:
    """The text of a file of limits. (A pipe may never end.)"""
    def end(_signal: int, _frame: Any) -> None:
        raise TimeoutError

    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode) or not os.access(path, os.R_OK):
            raise OSError
    except OSError:
        raise Stop(f'--limits {path}: no file that can be read', USAGE) from None
    signal.signal(signal.SIGALRM, end)
    signal.alarm(10)
    try:
        with open(path, 'rb') as file:
            data = file.read(FILE_MOST)
    except OSError:
        raise Stop(f'--limits {path}: its end did not come within 10 s, or it cannot be read', USAGE) from None
    finally:
        signal.alarm(0)
    return CONTROL.sub('?', data.replace(b'\r', b'').decode(errors='replace'))


# --- figures of conditions ----------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Figure:
    """The figure of a condition; bare: the table has an interval of it, and there is none; endless: why it is slower than any
    limit."""
    of: str
    amount: Amount
    bare: bool
    endless: str | None
    of_limit: limits.Figure


def is_in_doubt(row: Row, column: str) -> bool:
    """The load generator was not valid, but for what tells of the measurement itself."""
    return (row.get('invalid') or 0) > 0 and not is_quality(column) and column not in ('invalid', 'failed', 'marked', 'repeats')


def endless_why(row: Row, column: str) -> str | None:
    """An overloaded condition, or one whose requests failed, is slower than any limit."""
    if is_in_doubt(row, column):
        return None
    if amount(row, column).why == 'overloaded':
        return 'overloaded'
    is_lost = row.get('requests') is not None and not amounts.is_mostly_answered(row) and OF_ANSWERED.fullmatch(column)
    return amounts.failed_words(row) if is_lost else None


def known_amount(row: Row, column: str) -> Amount:
    if is_in_doubt(row, column):
        return Amount(why='the load generator was not valid')
    if amounts.is_of_answered(row, column):
        return Amount(why='of answered keys alone')
    return amount(row, column)


def limit_figure(a: Amount, bare: bool, end: float | None) -> limits.Figure:
    """bare: it may be anywhere. Two repeats have the interval of two, of Student's t."""
    if end is not None:
        return limits.Figure(end, end)

    def known(value: float | None, other: float) -> float:
        return other if value is None else value

    low, high = (-inf, inf) if bare else (known(a.low, nan), known(a.high, nan))
    if a.both:
        wide = decide.widened(decide.Figure(low=min(a.both), high=max(a.both), repeats=2), 1)
        low, high = wide.low, wide.high
    return limits.Figure(known(a.at_least(), nan), known(None if a.above else a.at_most(), inf), low, high)


def condition(row: Row, columns: Sequence[Column], table: str, axes: Sequence[str]) -> str:
    """vnc, CPU hogs 5"""
    def said(axis: str, value: Any) -> str:
        if isinstance(value, str):
            return value
        c = next((c for c in columns if c.table == table and c.column == axis), Column(table, axis, '', '', '', '', axis))
        number = words.plain(value)
        return f'{number} {c.heading}' if c.unit in ('', '-') else f'{c.heading} {number} {c.unit}'

    return ', '.join(said(axis, row[axis]) for axis in axes if row.get(axis) is not None)


def is_named(name: str, cells: str) -> bool:
    pattern = re.sub('[/:]', '-', cells).replace('[', '[[]')
    return fnmatch.fnmatchcase(re.sub('[/: ]', '-', name), pattern)


def row_name(row: Row, axes: Sequence[str]) -> str:
    return '-'.join(text for axis in axes if (text := '' if row.get(axis) is None else notes.value_text(row[axis])))


def figure_of(row: Row, asked: Asked, run: Run) -> Figure:
    c = asked.column
    own = amount(row, c.column)
    # (a largest value is what was seen)
    could = row.get('repeats') is not None or PERCENTILE.fullmatch(c.column) is not None
    could = could and f'{c.column}_low' in row and 'max' not in c.column
    bare = could and own.low is None and own.value is not None and not own.both
    endless = endless_why(row, c.column)
    a = known_amount(row, c.column)
    a = replace(a, unit=c.unit.removeprefix('-'), least=None)
    # of what is better when higher, overloaded is the least
    end = None if endless is None else 0.0 if c.better == 'higher' else inf
    return Figure(condition(row, run.columns, c.table, run.axes()), a, bare, endless, limit_figure(a, bare, end))


# --- what is decided ----------------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Held:
    asked: Asked
    figures: Sequence[Figure]
    limit: limits.Limit

    def worst(self) -> Figure | None:
        at = self.limit.nearest(limits.ABSENT)
        return None if at is None else self.figures[at]

    def bare(self) -> bool:
        return any(f.bare for f in self.figures)

    def absent(self) -> list[Figure]:
        return [f for f in self.figures if f.endless is None and not f.amount.is_known()]


@dataclass(frozen=True, slots=True)
class Judged:
    """notes: why nothing holds."""
    notes: Sequence[str]
    limits: Sequence[Held]

    def word(self) -> int:
        said = [held.limit.conclude() for held in self.limits]
        return next((word for word in (limits.BROKEN, limits.OPEN) if word in said), limits.HOLDS)


def hold(asked: Asked, run: Run, range_breaks: bool, doubt: bool) -> Held:
    rows = [row for row in run.table(asked.column.table) if asked.cells is None or is_named(row_name(row, run.axes()), asked.cells)]
    figures = [figure_of(row, asked, run) for row in rows]
    limit = limits.Limit(asked.op, asked.bound, range_breaks, doubt)
    for f in [figure.of_limit for figure in figures] or [limits.Figure()]:
        limit.add(f)
    return Held(asked, figures, limit)


def doubts(run: Run) -> list[str]:
    why, counts = notes.unusable(run), run.facts.get('counts') or {}
    total, complete = counts.get('total'), counts.get('complete')
    out = [f'NOT USABLE: {text}' for text in ([why] if why is not None else []) + notes.unusable_runs(run)]
    if total is not None and complete is not None and complete < total:
        out.append(f'INCOMPLETE: {words.plain(complete)} of {words.plain(total)} measurements were made.')
    return out


def numbers_only(rows: list[dict[str, Any]], types: dict[str, str]) -> list[dict[str, Any]]:
    """A cell of a number that is none is empty."""
    return [{name: None if isinstance(value, str) and types.get(name, 'text') != 'text' else value for name, value in row.items()}
            for row in rows]


def load(folder: Path, columns: Sequence[Column], names: Sequence[str]) -> Run:
    """Of a run the tables that are asked for."""
    tables = {}
    for name in names:
        if '/' in name or not (folder / f'{name}.tsv').is_file():
            raise Stop(f'{folder}: it has no {name}.tsv; make its report again: thinprobe report {folder}')
        types = {c.column: c.type for c in columns if c.table == name}
        tables[name] = numbers_only(typed(read_rows(read_text(folder / f'{name}.tsv')), types), types)
    return Run(read_facts(folder / 'run.json'), columns, tables)


def judge(folder: Path, text: str, file: str = '') -> Judged:
    """Do the conditions hold, or the limits of the file? Of conditions, what may break one, as a range, breaks it."""
    if not (folder / 'schema.tsv').is_file():
        raise Stop(f'{folder}: it has no tables; make its report again: thinprobe report {folder}')
    columns = read_columns(read_text(folder / 'schema.tsv'))
    asked = read(columns, text, file)
    if not asked:
        raise Stop(f'--limits {file}: holds no limit', USAGE)
    run = load(folder, columns, sorted({'summary', *(a.column.table for a in asked)}))
    try:
        names = [cell['name'] for cell in run.facts.get('cells') or []]
        said = doubts(run)
        unmatched = next((a for a in asked if a.cells is not None and names and not any(is_named(name, a.cells) for name in names)),
                         None)
        held = [] if unmatched else [hold(a, run, not file, bool(said)) for a in asked]
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        raise Stop(f'{folder}: a value in run.json or in a table has the wrong type') from None
    if unmatched:
        raise Stop(f'{file or "--fail-if"}: no condition has such a name: {unmatched.text}; the run has {", ".join(names)}', USAGE)
    return Judged(said, held)


# --- words --------------------------------------------------------------------------------------------------------

def figure_words(f: Figure) -> str:
    return f.endless or amounts.in_words(f.amount)


def worst_words(held: Held) -> str:
    worst = held.worst()
    assert worst
    return f'worst {figure_words(worst)} ({worst.of})'


def open_line(held: Held, count: str) -> tuple[str, str]:
    """Of the figure of which is not told whether it keeps to the limit."""
    at = held.limit.doubtful()
    assert at is not None
    f, bound = held.figures[at], held.asked.bound
    a = f.amount
    if a.is_range() and (a.start or 0) <= bound <= (a.end or 0):
        cure = 'Exact times: with the reference application (heavy).'
    elif a.above or (a.value is None and not a.is_range()):
        cure = 'Let it wait longer for answers (--time).'
    else:
        cure = 'More keys tell it (--repeat).'
    state = 'FAILED' if limits.RANGE in held.limit.words else 'UNKNOWN' if held.limit.leans_to_break() else 'UNSURE'
    return state, (f'cannot tell: {held.asked.column.column} is {figure_words(f)}{amounts.with_interval(a)} '
                   f'({f.of}), {count}. {cure}')


def lines(held: Held, in_file: bool) -> Iterator[tuple[str, str]]:
    """What is decided of a limit, in lines of a state and words."""
    column, said, absent = held.asked.column.column, held.limit.words, held.absent()
    of = len(held.figures)
    broken, holds = said.count(limits.BROKEN), said.count(limits.HOLDS)
    undecided = said.count(limits.RANGE) + said.count(limits.OPEN)
    reasons = [amounts.why_words(f.amount.why) for f in absent]
    text = f'{column} broken' if in_file else column
    if held.worst() is None:
        yield 'UNKNOWN', f'no condition has {column}' + (f' ({", ".join(sorted(set(reasons)))})' if absent else '')
    elif broken:
        yield 'FAILED', f'{text} in {broken} of {of} conditions; {worst_words(held)}'
    elif not undecided:
        yield 'OK', f'{text} in none of {holds} conditions; {worst_words(held)}'
    if undecided:
        yield open_line(held, f'{undecided} of {of} conditions')
    if absent and held.worst() is not None:
        of_each = '; '.join(f'{f.of}: {why}' for f, why in zip(absent, reasons))
        yield 'UNKNOWN', f'{len(absent)} of {of} conditions have no such figure: {of_each}'


def text_lines(judged: Judged) -> Iterator[str]:
    yield from judged.notes
    yield from (f'{state} {held.asked.text}: {said}' for held in judged.limits for state, said in lines(held, False))


def as_json(judged: Judged) -> list[dict[str, Any]]:
    """Of each limit {name, verdict, why}."""
    out: list[dict[str, Any]] = [{'name': 'the run', 'verdict': 'not decided', 'why': why} for why in judged.notes]
    for held in judged.limits:
        out.append({'name': held.asked.text, 'verdict': VERDICTS[held.limit.conclude()],
                    'why': '; '.join(said for _, said in lines(held, True))})
        if held.bare():
            out[-1]['bare'] = True
    return out
