# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run found, as Markdown for report.md and the page, and as text for a terminal. Pure.

An experiment's analysis.py gives title, verdict, findings and views (tables of the page); here they become lines."""
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fabs, inf, log
from typing import Any, Protocol
from urllib.parse import quote

from analysis import amounts, decide, notes, words
from analysis.amounts import Amount, Row, amount
from analysis.decide import Answer
from analysis.run import Column, Run, distinct, each_run, is_one_by_one

RANGE_MARK = '*'


@dataclass(frozen=True, slots=True)
class Finding:
    """id: stable words; text: Markdown, a bold verdict first; of which figure, or of a number without a unit; verdict: good, bad,
    none, unsure; figure: stem of the SVG that shows it."""
    id: str
    text: str
    about: Amount | float | None = None
    verdict: str = 'none'
    figure: str | None = None

    def as_json(self) -> dict[str, Any]:
        a = self.about if isinstance(self.about, Amount) else Amount(self.about)
        return {'id': self.id, 'text': self.text, 'value': a.value, 'from': a.start, 'to': a.end, 'low': a.low, 'high': a.high,
                'above': a.above, 'unit': a.unit if self.about is a else None, 'verdict': self.verdict, 'figure': self.figure}


@dataclass(frozen=True, slots=True)
class View:
    """A table of the page: columns of a table of the run: NAME? only where its values differ; TABLE:NAME from the row of that table
    with the same first column. by: a column whose values are headings; only: a column whose rows with 0 or nothing are left out;
    rank: the column that ranks the rows, at: where (axis -> "least", "most" or a value); breaks: axis, column, limit: the first row
    of each group where the column is surely above the limit; floor: the column of medians that may for the most part be the display
    server's own wait."""
    id: str
    table: str
    title: str
    columns: str
    by: str = ''
    only: str = ''
    rank: str = ''
    at: Mapping[str, Any] = field(default_factory=dict)
    breaks: tuple[str, str, float] | None = None
    floor: str = ''

    def names(self) -> list[str]:
        return self.columns.split(' ')


@dataclass(frozen=True, slots=True)
class Labels:
    """Words for columns and values."""
    heading: Mapping[str, str] = field(default_factory=dict)
    value: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class Analysis(Protocol):
    """What an experiment's analysis.py has."""
    def title(self, run: Run) -> str: ...
    def setup(self, run: Run) -> str: ...
    def labels(self, run: Run) -> Labels: ...
    def verdict(self, run: Run) -> str: ...
    def findings(self, run: Run) -> list[Finding]: ...
    def views(self, run: Run) -> list[View]: ...


# --- a cell's text, a column's heading ----------------------------------------------------------------------------

def heading(run: Run, labels: Labels, table: str, name: str) -> str:
    if name in labels.heading:
        return labels.heading[name]
    c = run.column(table, name)
    return c.heading + ('' if c.unit in ('', '-') else f', {c.unit}')


def without_unit(text: str) -> str:
    return re.sub(',[^,]*$', '', text)


def cell_number(value: float, c: Column, is_whole: bool = False) -> str:
    if c.unit == '%':
        return words.percent(value)
    if c.type == 'int' or is_whole:
        return words.plain(value)
    if fabs(value) >= 99.95:
        return words.fixed(value, 0)
    if fabs(value) >= 9.995:
        return words.fixed(value, 1)
    decimals = int(c.decimals) if c.decimals.isdigit() else 2
    return words.fixed(value, min(decimals, 2))


def cell_words(value: Any, names: Mapping[str, str]) -> str:
    if value is None:
        return ''
    text = str(value) if isinstance(value, str) else words.plain(value)
    bare, _, run = text.partition('/')
    return names.get(text) or (f'{names[bare]}/{run}' if run and bare in names else text)


def cell_text(a: Amount, c: Column, with_interval: bool, is_whole: bool = False) -> str:
    def one(value: float | None) -> str:
        return '' if value is None else cell_number(value, c, is_whole)

    least = a.at_least()
    if least is None:
        return amounts.why_words(a.why)
    if a.is_unresolved():
        return f'<{words.short(a.least)}'
    if not with_interval and a.both is not None:
        texts = distinct(map(one, a.both))
        return ', '.join(texts if len(texts) == 1 else [one(v) for v in a.both])
    text = f'>{one(least)}' if a.above else f'{one(a.start)} to {one(a.end)}{RANGE_MARK}' if a.is_range() else one(a.value)
    if with_interval and a.low is not None and a.high is not None:
        return f'{text} ({one(a.low)} to {one(a.high)})'
    return f'{text} ({", ".join(map(one, a.both))})' if a.both is not None else text


def is_all_whole(rows: Sequence[Row], name: str) -> bool:
    values = [row.get(n) for row in rows for n in (name, f'{name}_from', f'{name}_to')]
    return all(isinstance(v, float) and v == round(v) for v in values if v is not None)


def axes_key(row: Row, axes: Sequence[str]) -> str:
    return '\t'.join(notes.value_text(row.get(axis)) for axis in axes)


# --- where a condition breaks, and rankings -----------------------------------------------------------------------

def find_breaks(run: Run, view: View, rows: Sequence[Row]) -> list[int]:
    """The first row of each group in which the column is surely above the limit. A group has the same values in the columns of the
    view that are left of the axis."""
    if not view.breaks or notes.unusable(run):
        return []
    axis, column, limit = view.breaks
    out = notes.disturbed_runs(run)
    names = [name.rstrip('?') for name in view.names()]
    group = ([view.by] if view.by else []) + (names[:names.index(axis)] if axis in names else [])
    first: dict[tuple[Any, ...], int] = {}
    for i, row in enumerate(rows):
        if amounts.above(row, column, limit) is True and row.get('run_name') not in out:
            first.setdefault(tuple(row.get(name) for name in group), i)
    return sorted(first.values())


def breaks_words(run: Run, labels: Labels, view: View, rows: Sequence[Row]) -> str | None:
    if not rows or not view.breaks:
        return None
    _, column, limit = view.breaks
    unit = words.unit_of(column)
    bare = any(amount(row, column).low is None for row in rows)
    return (f'Breaks: the first row in which "{without_unit(heading(run, labels, view.table, column))}" is surely above '
            f'{words.plain(limit)}{f" {unit}" if unit else ""}, by the lower end of its interval'
            + (', or by its least value where there is none.' if bare else '.'))


def ranking(run: Run, view: View) -> list[dict[str, Any]]:
    """Rows of a view with a rank, least first, those without a figure last; `at` is the condition in which they are compared."""
    part = notes.undisturbed(run)
    rows = [dict(row) for row in part.table(view.table)]
    for name, which in view.at.items():
        values = [row[name] for row in rows if row.get(name) is not None]
        wanted = ((min(values, default=None) if which == 'least' else max(values, default=None))
                  if which in ('least', 'most') else which)
        rows = [row for row in rows if row.get(name) == wanted]
    who = view.names()[0]
    for table, name in (column.split(':') for column in view.names() if ':' in column):
        for row in rows:
            row[name] = next((other.get(name) for other in part.table(table) if other.get(who) == row.get(who)), None)

    def key(row: Row) -> tuple[bool, float]:
        most = amount(row, view.rank).at_most()
        return most is None, inf if most is None else most

    return sorted(rows, key=key)


def told_apart(rows: Sequence[Row], i: int, j: int, name: str) -> bool | None:
    """Whether two of the rows of a ranking are, at 95 % for all of its steps together; None: they cannot be compared."""
    n = sum(amount(row, name).is_known() for row in rows)
    return amounts.yes_or_no(amounts.differ(rows[min(i, j)], rows[max(i, j)], name, max(n - 1, 1)))


def places(numbers: Sequence[int]) -> str:
    """1-3 5"""
    spans: list[list[int]] = []
    for i in numbers:
        if spans and spans[-1][1] == i - 1:
            spans[-1][1] = i
        else:
            spans.append([i, i])
    return ' '.join('-'.join(map(str, sorted(set(span)))) for span in spans)


# --- a view as rows of text ---------------------------------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Grid:
    """breaks: numbers of rows; at: the column whose text is a link; links: file or None, a row each; notes: sentences below."""
    head: list[str]
    right: list[bool]
    rows: list[list[str]]
    breaks: Sequence[int] = ()
    at: int | None = None
    links: Sequence[str | None] = ()
    notes: Sequence[str] = ()


def is_shown(run: Run, view: View) -> bool:
    """A table of a run is shown where it has rows; a ranking, where there are two to rank."""
    return bool(run.table(view.table)) and (not view.rank
                                            or sum(amount(row, view.rank).is_known() for row in ranking(run, view)) > 1)


def few_note(rows: Sequence[Row], name: str, title: str) -> str | None:
    """What a percentile would need that is left out in some rows for too few keys."""
    few = [row for row in rows if row.get(f'{name}_why') == 'too few']
    found = re.search(r'(^|_)p([0-9]{2,3})(_|$)', name)
    if not few or not found:
        return None
    needs = amounts.ask('percentile', amounts.number(float(f'0.{found[2]}')), amounts.number(None))
    keys = [row['keys'] for row in few if row.get('keys') is not None]
    there = f'; there are {" to ".join(map(words.plain, distinct([min(keys), max(keys)])))}' if keys else ''
    return (f'{without_unit(title)}: needs {words.plural(needs.value, "key")} (ten beyond it){there}. Its 95 % interval needs '
            f'{words.plain(needs.high)} independent keys; the keys of one stall count about as one.')


def protocol_of(run: Run, row: Row) -> Mapping[str, Any]:
    return (run.facts.get('protocols') or {}).get(row.get('protocol') or '') or run.facts.get('protocol') or {}


def floor_notes(run: Run, rows: Sequence[Row], name: str) -> list[str]:
    """Where a protocol's own wait (floor_ms) is most of a median response."""
    found = set()
    for row in rows:
        floor, ms = protocol_of(run, row).get('floor_ms'), amount(row, name).at_least()
        if floor is None or ms is None or amounts.is_floor(ms, 0.5, floor) is not True:
            continue
        of = protocol_of(run, row).get('floor_of') or "half a frame of the server's clock"
        found.add(f'{row["protocol"] + ": " if row.get("protocol") else ""}{words.with_unit(floor, "ms")} of each response, on '
                  f'average, would be {of} (by arithmetic, not measured).')
    return sorted(found)


def view_rows(run: Run, view: View) -> list[dict[str, Any]]:
    rows = ranking(run, view) if view.rank else run.table(view.table)
    if view.only:
        rows = [row for row in rows if row.get(view.only) not in (None, 0)]
    return [row for v in distinct(r.get(view.by) for r in rows) for row in rows if row.get(view.by) == v] if view.by else rows


def view_columns(run: Run, view: View, rows: Sequence[Row]) -> list[str]:
    """Those that say something: NAME? where its values differ, or where one of what is better when lower is not 0."""
    bare = [name.rstrip('?') for name in view.names()]
    named = any(name is not None and name in (view.by, *bare) for name in (run.facts.get('joined'), 'protocol', 'cell'))
    names = (([view.by] if view.by else []) + ([] if named or all(row.get('run_name') is None for row in rows) else ['run_name'])
             + view.names())
    out = []
    for name in names:
        c = name.split(':')[-1].rstrip('?')
        if not any(amount(row, c).is_known() or amount(row, c).why is not None for row in rows):
            continue
        differs = len(distinct(row.get(c) for row in rows)) > 1
        bad = run.column(view.table, c).better == 'lower' and any((row.get(c) or 0) != 0 for row in rows)
        if not name.endswith('?') or differs or bad:
            out.append(c)
    return out


def grid(run: Run, labels: Labels, view: View, with_interval: bool, links: bool = False) -> Grid:
    rows = view_rows(run, view)
    names = view_columns(run, view, rows)
    other = {column.split(':')[1]: column.split(':')[0] for column in view.names() if ':' in column}
    columns = [run.column(other.get(name, view.table), name) for name in names]
    heads = [heading(run, labels, other.get(name, view.table), name) for name in names]
    whole = [c.type != 'text' and is_all_whole(rows, name) for name, c in zip(names, columns)]

    def value_names(name: str) -> Mapping[str, str]:
        found = labels.value.get(name) or {}
        return found if with_interval or name == view.by or all(len(text) <= 24 for text in found.values()) else {}

    def text(i: int, j: int) -> str:
        name, c = names[j], columns[j]
        if name == view.by and i and rows[i - 1].get(name) == rows[i].get(name):
            return ''
        return cell_words(rows[i].get(name), value_names(name)) if c.type == 'text' else cell_text(
            amount(rows[i], name), c, with_interval, whole[j])

    state = any((row.get('state') or 'complete') not in ('complete', 'measured') for row in rows) and 'state' not in names
    breaks = find_breaks(run, view, rows)
    figures = [amount(row, name) for row in rows for name, c in zip(names, columns) if c.type != 'text']
    below = [breaks_words(run, labels, view, [rows[i] for i in breaks]),
             f'{RANGE_MARK}: known as a range only, from the earliest to the latest possible time.'
             if any(a.is_range() and not a.is_unresolved() for a in figures) else None,
             *(few_note(rows, name, head) for name, head in zip(names, heads)),
             *(floor_notes(run, rows, view.floor) if view.floor else ()),
             '2 repeats: no interval.' if with_interval and any(amounts.lacks_interval(row, n) for row in rows for n in names)
             else None]
    texts = [[text(i, j) for j in range(len(names))] + ([str(row.get('state') or '')] if state else [])
             for i, row in enumerate(rows)]
    if any(re.search(r'(^|\()-?[0-9.]+, -?[0-9.]+\)?$', cell) for row in texts for cell in row):
        below.append('a, b: the values of two repeats, which have no interval.')
    axes = run.axes()
    at = [j for j, name in enumerate(names) if name in axes]
    folders = cell_folders(run) if with_interval and links else {}
    out = Grid(heads + (['State'] if state else []), [c.type != 'text' for c in columns] + ([False] if state else []), texts,
               breaks, at[-1] if at else None, [folders.get(axes_key(row, axes)) for row in rows], [note for note in below if note])
    return with_places(view, rows, out) if view.rank else out


def with_places(view: View, rows: Sequence[Row], g: Grid) -> Grid:
    is_known = [amount(row, view.rank).is_known() for row in rows]
    out = []
    for i, row in enumerate(g.rows):
        near = [k + 1 for k in range(len(rows)) if k != i and is_known[k] and told_apart(rows, k, i, view.rank) is not True]
        out.append([f'{i + 1}' if is_known[i] else '-', *row, places(near) if is_known[i] else ''])
    return replace(g, head=['Rank', *g.head, 'Not told apart from'], right=[True, *g.right, False], rows=out,
                   at=None if g.at is None else g.at + 1)


def cell_folders(run: Run) -> dict[str, str]:
    """The folder of a row's condition, by the axes of the run."""
    return ({axes_key(c['parameters'], run.axes()): 'cells/' + '/'.join(quote(part, safe="-_.!~*'()")
                                                                        for part in c['name'].split('/'))
             for c in notes.cells(run) if c['name'] in run.cells} if run.axes() else {})


# --- for a terminal -----------------------------------------------------------------------------------------------

def wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for word in re.split(' (?!%)', text):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f' {word}'
        else:
            lines.append(word)
    return lines


def terminal_table(g: Grid, grouped: bool) -> Iterable[str]:
    """Columns from the left as far as they fit into 80; groups of `by` under a line of their own."""
    first, mark = int(grouped), '  <- breaks here'
    most = 80 - (len(mark) if g.breaks else 0)
    columns: list[tuple[int, int, bool]] = []
    used = 0
    for c in range(first, len(g.head)):
        width = max([len(row[c]) for row in g.rows] + [len(word) for word in re.split(' (?!%)', g.head[c])])
        if used + width + 2 > most:
            break
        used += width + 2
        columns.append((c, width, g.right[c] and (c > first or not grouped)))

    def line(cells: Sequence[str]) -> str:
        texts = (cells[c].rjust(width) if right else cells[c].ljust(width) for c, width, right in columns)
        return ('  ' + '  '.join(texts)).rstrip(' ')

    heads = {c: wrap(g.head[c], width) for c, width, _ in columns}
    height = max(map(len, heads.values()), default=0)
    for n in range(height):
        yield line([(heads[c][n - height] if c in heads and n >= height - len(heads[c]) else '') for c in range(len(g.head))])
    for i, row in enumerate(g.rows):
        if grouped and row[0]:
            yield from wrap(row[0], 80)
        yield line(row) + (mark if i in g.breaks else '')
    for note in g.notes:
        yield from (f'  {text}' for text in wrap(note, 78))


# --- the run before this one --------------------------------------------------------------------------------------

def headline(run: Run, view: View) -> Column | None:
    """The headline column of a view: the first that is no share."""
    found = [c for name in view.names() if (c := run.column('summary', name.rstrip('?'))).better in ('lower', 'higher')]
    return min(found, key=lambda c: c.unit == '%') if found else None


def rows_before(run: Run) -> dict[str, dict[str, Any]]:
    return {axes_key(row, run.axes()): row for row in run.table('previous')}


@dataclass(frozen=True, slots=True)
class Change:
    now: Row
    was: Row
    told: Answer

    def is_told(self) -> bool:
        return self.told.word == decide.HOLDS


def is_plain_number(row: Row, name: str) -> bool:
    a = amount(row, name)
    return isinstance(a.value, float) and not a.above


def previous_note(run: Run, labels: Labels, views: Sequence[View]) -> str | None:
    """The headline column of the first view, where it has no number any more, or else changed most."""
    if notes.unusable(run) is not None:
        return None
    view = next((v for v in views if v.table == 'summary' and run.table(v.table)), None)
    c, before = (headline(run, view) if view else None), rows_before(run)
    if not c or not before:
        return None
    name, rows = c.column, run.table('summary')
    all_ = [Change(row, was, amounts.differ(was, row, name, len(rows))) for row in rows
            for was in [before.get(axes_key(row, run.axes()), {})]]
    compared = [change for change in all_ if change.told.word != decide.UNTOLD]
    lost = [change for change in all_ if is_plain_number(change.was, name)
            and ((a := amount(change.now, name)).above or a.why == 'overloaded')]

    def size(change: Change) -> tuple[bool, float]:
        now, was = (fabs(row[name]) + 0.001 for row in (change.now, change.was))
        return change.is_told(), fabs(log(now / was))

    both = [change for change in all_ if is_plain_number(change.now, name) and is_plain_number(change.was, name)]
    one = lost[0] if lost else max(both, key=size) if both else None
    if not one:
        return None
    now = (f'{cell_text(amount(one.now, name), c, False)} now' if lost else
           f'{cell_number(one.now[name], c)} now, where it {"surely " if one.is_told() else ""}changed most')
    at = [f'{heading(run, labels, "summary", axis)} {cell_words(one.now.get(axis), labels.value.get(axis) or {})}'
          for axis in run.axes() if len(distinct(row.get(axis) for row in rows)) > 1]
    where = f' ({", ".join(at)})' if at else ''
    untold = len(rows) - len(compared)
    end = ('; not compared, as no condition has an interval then and now.' if not compared else
           f'; told apart in {sum(change.is_told() for change in compared)} of {words.plural(len(compared), "condition")}'
           + (f' (not compared, without an interval then or now: {untold}).' if untold else '.'))
    return (f'**Previous run** with these settings ({run.before[:16].replace("T", " ")}): {heading(run, labels, "summary", name)} '
            f'{cell_number(one.was[name], c)} then, {now}{where}'
            + (f', and in {len(lost) - 1} more a number then, none now' if len(lost) > 1 else '') + end)


def beside_before(run: Run, view: View) -> tuple[Run, View]:
    """The document with the column `before` behind the headline column: that column's figures in the run before this one."""
    before, c = rows_before(run), headline(run, view) if view.table == 'summary' else None
    if not c or not before:
        return run, view
    suffixes = ('', '_low', '_high', '_both', '_above', '_from', '_to', '_why', '_least')

    name = c.column

    def old(row: Row) -> dict[str, Any]:
        was = before.get(axes_key(row, run.axes()), {})
        return {f'before{suffix}': was[name + suffix] for suffix in suffixes if name + suffix in was}

    rows = [{**row, **old(row)} for row in run.table('summary')]
    if not any(amount(row, 'before').is_known() for row in rows):
        return run, view
    columns = ' '.join(f'{name} before' if name.rstrip('?') == c.column else name for name in view.names())
    return (replace(run, tables={**run.tables, 'summary': rows},
                    columns=[*run.columns, replace(c, column='before', heading='Before')]),
            replace(view, columns=columns))


# --- verdict and findings -----------------------------------------------------------------------------------------

def rank_groups(rows: Sequence[Row], name: str) -> list[list[int]]:
    """A group ends where each row above is told apart from each row below."""
    groups: list[list[int]] = []
    for i in range(len(rows)):
        apart = all(told_apart(rows, j, k, name) is True for j in range(i) for k in range(i, len(rows)))
        if i and not apart:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def rank_verdict(run: Run, views: Sequence[View]) -> str | None:
    """On 10 Mbit/s, round trip 80 ms: rdp first (86.1 ms); vnc and x11 cannot be told apart."""
    view = next((v for v in views if v.rank and is_shown(run, v)), None)
    if not view:
        return None
    everything, rank, subject = ranking(run, view), view.rank, view.names()[0]
    rows = [row for row in everything if amount(row, rank).is_known()]
    groups = rank_groups(rows, rank)

    def who(row: Row) -> str:
        unanswered = amounts.unanswered_words(row).removeprefix(', ')
        return f'{row[subject]}{f" ({unanswered})" if unanswered else ""}'

    def named(row: Row) -> str:
        return f'{row[subject]} ({amounts.in_words(amount(row, rank))}{amounts.unanswered_words(row)})'

    def group_words(i: int, group: Sequence[int]) -> str:
        members = [rows[k] for k in group]
        if len(group) == 1:
            one = named(members[0])
            return f'{one} first' if not i else f'{one} last' if i == len(groups) - 1 else f'then {one}'
        told = {told_apart(rows, j, k, rank) for j in group for k in group if k > j}
        text = words.and_list([named(m) if not i else who(m) for m in members])
        if None in told:
            return f'{text} are not {"" if told == {None} else "all "}compared (no interval)'
        return f'not all of {text} can be told apart' if True in told else f'{text} cannot be told apart'

    at = [] if ',' in (run.setting('link') or '') else [
        f'{c.heading.lower()} {words.plain(value)} {c.unit}' for name in view.at
        if isinstance(value := rows[0].get(name), float) and value for c in [run.column('summary', name)]]
    link = notes.link_words(run) or ('different links' if (run.facts.get('differs') or {}).get('link') else 'this link')
    absent = [who(row) for row in everything if not amount(row, view.rank).is_known()]
    return (f'On {", ".join([link, *at])}: ' + '; '.join(group_words(i, group) for i, group in enumerate(groups)) + '.'
            + (f' No figure for {words.and_list(absent)}.' if absent else ''))


def full_verdict(run: Run, analysis: Analysis) -> str:
    why = notes.unusable(run)
    if why:
        return f'Not usable: {why}'
    part = notes.undisturbed(run)
    if is_one_by_one(part):
        return ' '.join(f'{name}: {text}' for name, text in each_run(part, analysis.verdict))
    return ' '.join(text for text in (rank_verdict(part, analysis.views(part)), analysis.verdict(part)) if text)


def all_findings(run: Run, analysis: Analysis) -> list[Finding]:
    """Of a disturbed run no finding is sure, and none is bold."""
    part = notes.undisturbed(run)
    if is_one_by_one(part):
        of_all = [(f.id, replace(f, id=f'{f.id}-{name}', text=f'{name}: {f.text}'))
                  for name, found in each_run(part, analysis.findings) for f in found]
        found = [f for id_ in distinct(i for i, _ in of_all) for i, f in of_all if i == id_]
    else:
        found = analysis.findings(part)
    return [replace(f, verdict='unsure', text=f.text.replace('**', '')) for f in found] if notes.is_disturbed(run) else found


@dataclass(frozen=True, slots=True)
class Said:
    """What findings.json, the end of a run and both pages say."""
    verdict: str
    findings: Sequence[Finding]
    notes: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        return {'schema': 'findings/1', 'verdict': self.verdict, 'findings': [f.as_json() for f in self.findings]}


def say(run: Run, analysis: Analysis) -> Said:
    previous = previous_note(run, analysis.labels(run), analysis.views(run))
    return Said(full_verdict(run, analysis), all_findings(run, analysis), notes.notes(run) + ([previous] if previous else []))


def bare(text: str) -> str:
    return text.replace('**', '').replace('`', '')


def terminal_view(run: Run, analysis: Analysis) -> list[str]:
    """At the end of a run: the first view that has rows."""
    view = next((v for v in analysis.views(run) if is_shown(run, v)), None)
    if not view:
        return []
    with_before, shown = beside_before(run, view)
    lines = [f'Before: {run.before_name}'] if shown.columns != view.columns else []
    return [*lines, *terminal_table(grid(with_before, analysis.labels(run), shown, False), bool(view.by))]


def terminal_cell(run: Run, analysis: Analysis) -> str:
    """Of a run of one cell: the first two figures of the first view of the summary that has any; of several rows, the last (most
    load)."""
    labels = analysis.labels(run)
    for view in analysis.views(run):
        found = []
        for name in [name.rstrip('?') for name in view.names()] if view.table == 'summary' and run.table('summary') else []:
            c, a = run.column('summary', name), amount(run.table('summary')[-1], name)
            if c.type != 'text' and c.unit not in ('', '-') and name not in run.axes() and a.is_known():
                found.append(f'{without_unit(heading(run, labels, "summary", name)).lower()} {cell_text(a, c, False)} {c.unit}')
        if found:
            return ', '.join(found[:2])
    return ''


def terminal_words(said: Said) -> list[str]:
    return [bare(said.verdict), *(f'{i}. {bare(f.text)}' for i, f in enumerate(said.findings, 1)), *map(bare, said.notes)]


def title(run: Run, analysis: Analysis) -> str:
    if not is_one_by_one(run):
        return analysis.title(run)
    titles = distinct(text for _, text in each_run(run, analysis.title))
    return str(titles[0]) if len(titles) == 1 else str(titles[0]).split(': ', 1)[0]


def setup(run: Run, analysis: Analysis) -> str:
    return notes.sentence([notes.repeats_words(run), notes.run_words(run)]) if is_one_by_one(run) else analysis.setup(run)
