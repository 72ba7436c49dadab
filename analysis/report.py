# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports, written as text, JSON or TSV.

JSON is one object {schema, tool, version, started, host, summary, settings, result}; TSV is the main table, one array of the result
with a line for each element, or else the result as one line, with keys joined by dots as columns. Text is for people: the lines of
say(), warn() and table(); with --verbose the tree, too. Files are replaced atomically: temporary file, fsync, rename.
"""
import os
import re
import stat
import time
from collections.abc import Iterable, Sequence
from math import fabs, isfinite, nan
from signal import SIG_BLOCK, SIG_UNBLOCK, SIGHUP, SIGINT, SIGQUIT, SIGTERM, pthread_sigmask
from typing import Any, NamedTuple

from analysis.command import RUN, Given, Option, Stop, Usage, version, write_all
from analysis.figures import Figure
from analysis.text import WIDTH, complain, line_width, printable, wrapped

FORMATS = ('text', 'json', 'tsv')
OPTIONS = (
    Option('format', 'word', 'format of the report (text)', words=FORMATS),
    Option('json', 'set', 'same as --format json', key='format', value='json'),
    Option('tsv', 'set', 'same as --format tsv: the main table', key='format', value='tsv'),
    Option('quiet', 'set', 'text format: only warnings', letter='q', key='detail', value='quiet'),
    Option('verbose', 'set', 'text format: also settings and all figures', letter='v', key='detail', value='verbose'),
    Option('output', 'file', 'file of the report (standard output)', letter='o'),
)
ROWS_SHOWN = 5  # rows printed of a longer table


class Number(str):
    """A number with the decimals that it is to have, as text."""


def real(value: float, decimals: int) -> Number | None:
    """NaN and infinities become null; no negative zero."""
    if not isfinite(value):
        return None
    text = f'{value:.{decimals}{"f" if fabs(value) < 1e15 else "e"}}'
    return Number(text[1:] if text[0] == '-' and not text.strip('-0.') else text)


def reals(decimals: int, **values: float) -> dict[str, Any]:
    return {key: real(value, decimals) for key, value in values.items()}


def spread(f: Figure, unit: float = 1) -> dict[str, Any]:
    """The ends of a range; the late one null where it is not known."""
    return {'from': real(f.start / unit, 3), 'to': real(f.end / unit, 3)}


def figures(row: dict[str, Figure], decimals: int, unit: float = 1) -> dict[str, Any]:
    """Figures as numbers, null where one is no number; and what stands for those, in "above", "range" and "why"."""
    out: dict[str, Any] = {name: real(nan if f.above else f.value / unit, decimals) for name, f in row.items()}
    return out | bounds(row, unit)


def bounds(row: dict[str, Figure], unit: float = 1) -> dict[str, Any]:
    found = {
        'above': {n: real(f.value / unit, 3) for n, f in row.items() if f.above and not f.is_range()},
        'range': {n: spread(f, unit) for n, f in row.items() if f.is_range()},
        'why': {n: f.why for n, f in row.items() if not f.is_known() and f.why},
    }
    return {kind: one for kind, one in found.items() if one}


class Row(NamedTuple):
    cells: tuple[str, ...]
    rank: float = nan  # of a long table the row of the greatest rank is always shown


class Table(NamedTuple):
    """`align`: l or r for each column; an empty head is not printed. A row of two cells in a wider table is a name and a text."""
    align: str
    head: tuple[str, ...]
    rows: list[Row]

    def row(self, *cells: str, rank: float = nan) -> None:
        self.rows.append(Row(cells, rank))


class Report:
    """A report: its settings and result as plain values, and its lines (at most 8: the answer first, a cure last)."""

    def __init__(self, tool: str, given: Given):
        self.tool, self.given = tool, given
        self.settings: dict[str, Any] | None = None
        self.result: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.lines: list[str | Table] = []
        self.summary = ''  # the answer in one line, where the first line of the text is something else
        self.main_table: str | None = None  # array of the result that --tsv writes
        self.columns: list[str] = []  # of the main table, known also where it has no rows
        self.started = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
        self.place = find_place(given['output'])

    def say(self, text: str) -> None:
        self.lines.append(text)

    def warn(self, text: str) -> None:
        """A warning: printed first, also with --quiet; and on standard error, unless that is where the report goes."""
        self.warnings.append(text)

    def table(self, align: str, *head: str) -> Table:
        table = Table(align, head, [])
        self.lines.append(table)
        return table

    def tree(self, with_summary: bool = True) -> dict[str, Any]:
        said = self.warnings[:1] or [self.summary] or []
        said = [s for s in said if s] or [line.lstrip(' ') for line in self.lines if isinstance(line, str)][:1]
        return {'schema': f'thinprobe.{self.tool}/1', 'tool': self.tool, 'version': version(), 'started': self.started,
                'host': os.uname().nodename, **({'summary': said[0]} if said and with_summary else {}),
                **({} if self.settings is None else {'settings': self.settings}), 'result': self.result}

    def text(self, width: int) -> str:
        detail = self.given['detail']
        out = [wrapped('! ', text, 2, width) for text in self.warnings]
        said = bool(self.lines) and detail != 'quiet'
        for line in self.lines if said else ():
            out.append(table_text(line, detail == 'verbose', width) if isinstance(line, Table)
                       else wrapped('', line, len(line) - len(line.lstrip(' ')) + 2, width))
        if detail == 'verbose' and said:
            out.append('\n')
        if detail == 'verbose' or not (said or detail == 'quiet'):
            out += tree_lines(self.tree(False), 0)
        return ''.join(out)

    def close(self) -> None:
        """Writes the report. A closed pipe at standard output (| head) is no error."""
        style = self.given['format'] or 'text'
        direct = self.place is None
        text = (self.text(line_width(1) if direct else WIDTH) if style == 'text' else json_text(self.tree(), 0) + '\n'
                if style == 'json' else self.tsv())
        aloud = style != 'text' or not (direct and is_same_file(1, 2))
        try:
            if style == 'text':
                put(self.place, text)
            for warning in self.warnings if aloud else ():
                complain(self.tool, warning)
            if style != 'text':
                put(self.place, text)
        except BrokenPipeError:
            if not direct:
                raise Stop('cannot write the report: Broken pipe', RUN) from None
        except OSError as e:
            raise Stop(f'cannot write the report: {e.strerror}', RUN) from None

    def tsv(self) -> str:
        table = self.result.get(self.main_table or '')
        rows = [dict(leaves(row, '')) for row in (table if isinstance(table, list) else [self.result if table is None else table])]
        columns = list(dict.fromkeys([*self.columns, *(name for row in rows for name in row)]))
        lines = [['schema', *columns]]
        lines += [[f'thinprobe.{self.tool}/1', *(cell_text(row.get(name), '') for name in columns)] for row in rows]
        return ''.join('\t'.join(line) + '\n' for line in lines)


# --- text ---------------------------------------------------------------------------------------------------------

def shown_rows(rows: Sequence[Row]) -> list[Row]:
    """Of a long table the first, the last, the worst and some between."""
    n = len(rows)
    if n <= ROWS_SHOWN:
        return list(rows)
    chosen = [k * (n - 1) // (ROWS_SHOWN - 1) for k in range(ROWS_SHOWN)]
    ranked = [(row.rank, -i) for i, row in enumerate(rows) if isfinite(row.rank)]
    worst = -max(ranked)[1] if ranked else chosen[0]
    if worst not in chosen:  # it replaces the nearest of those between
        at = (worst * (ROWS_SHOWN - 1) + (n - 1) // 2) // (n - 1)
        chosen[min(max(at, 1), ROWS_SHOWN - 2)] = worst
    return [rows[i] for i in sorted(set(chosen))]


def table_text(table: Table, everything: bool, width: int) -> str:
    rows = table.rows if everything else shown_rows(table.rows)
    columns = len(table.align)
    cells = [table.head, *(row.cells for row in rows)]
    widths = [max([len(row[i]) for row in cells if i < len(row) and not (i and len(row) == 2 < columns)] or [0])
              for i in range(columns)]
    gap = 2 if sum(widths) + 3 * (columns - 1) > width else 3
    out = [row_text(row, table.align, widths, gap, None if everything else width) for row in cells
           if row is not table.head or any(row)]
    if len(rows) < len(table.rows):
        out.append(f'{len(rows)} of {len(table.rows)} rows; --tsv has all\n')
    return ''.join(out)


def row_text(cells: Sequence[str], align: str, widths: Sequence[int], gap: int, width: int | None) -> str:
    named = len(cells) == 2 < len(align)
    line, start = '', 0
    for i, cell in enumerate(cells):
        right = i < len(align) and align[i] == 'r' and not (i and named)
        if cell:
            line += ' ' * (start + (widths[i] - len(cell) if right else 0) - len(line)) + cell
        start += (widths[i] if i < len(align) else len(cell)) + gap
    line = line.rstrip(' ')
    first = cells[0]
    indent = widths[0] + gap if named else len(first) - len(first.lstrip(' ')) + 2
    return wrapped('', line, indent, width) if width else printable(line) + '\n'


def cell_text(value: Any, none: str = '-') -> str:
    """A leaf of the tree."""
    if value is None:
        return none
    return ('true' if value else 'false') if isinstance(value, bool) else printable(str(value))


def is_leaf(value: Any) -> bool:
    return not isinstance(value, dict | list)


def is_word(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | Number)


def is_short_array(value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) <= 16 and all(map(is_word, value))


def is_short_object(value: Any) -> bool:
    return bool(value) and all(is_leaf(v) or is_short_array(v) or (k in ('above', 'range', 'why') and isinstance(v, dict))
                               for k, v in value.items())


def short_object(value: dict[str, Any]) -> str:
    """In one line: n 95  min 8.1  p50 9.3; what stands in "above" and "range" as p99 >812, p50 12.5 to 201."""
    out = ''
    above, range_ = (found if isinstance(found := value.get(key), dict) else {} for key in ('above', 'range'))
    for i, (key, v) in enumerate(value.items()):
        bound, ends = above.get(key), range_.get(key)
        if not is_short_array(v) and (not is_leaf(v) or (v is None and key not in above and key not in range_)):
            continue
        out += f'{" " if i else ""} {key}'
        if isinstance(v, list):
            out += ''.join(f' {cell_text(c)}' for c in v)
        elif key in above:
            out += f' >{cell_text(bound)}'
        elif ends:
            out += f' {cell_text(ends["from"])} to {cell_text(ends["to"])}'
        else:
            out += f' {cell_text(v)}'
    return out


def tree_lines(value: Any, indent: int) -> Iterable[str]:
    """All of the report, for --verbose."""
    pairs = value.items() if isinstance(value, dict) else (('-', v) for v in value)
    for key, v in pairs:
        short = isinstance(v, dict) and indent > 0 and is_short_object(v)
        if is_leaf(v):
            yield f'{" " * indent}{key:<{30 - indent}} {cell_text(v)}\n'
        elif short or is_short_array(v):
            words = short_object(v) if short else ''.join(f' {cell_text(c)}' for c in v)
            yield f'{" " * indent}{key:<{30 - indent}}{words}\n'
        else:
            yield f'{" " * indent}{key}:{"" if v else " none"}\n'
            yield from tree_lines(v, indent + 2)


# --- JSON and TSV -------------------------------------------------------------------------------------------------

def json_string(text: str) -> str:
    escaped = re.sub(r'["\\]', r'\\\g<0>', text)
    escaped = re.sub('[\x00-\x1f\x7f-\x9f]', lambda found: f'\\u{ord(found[0]):04x}', escaped)
    return '"' + re.sub('[\ud800-\udfff]', '\ufffd', escaped) + '"'


def json_text(value: Any, indent: int) -> str:
    if isinstance(value, dict | list):
        inner = ([f'{json_string(k)}: {json_text(v, indent + 1)}' for k, v in value.items()] if isinstance(value, dict)
                 else [json_text(v, indent + 1) for v in value])
        opening, closing = ('{', '}') if isinstance(value, dict) else ('[', ']')
        blank = '\n' + ' ' * indent
        return opening + (blank + ' ' + f',{blank} '.join(inner) + blank if inner else '') + closing
    if isinstance(value, str) and not isinstance(value, Number):
        return json_string(value)
    return 'null' if value is None else ('true' if value else 'false') if isinstance(value, bool) else str(value)


def leaves(value: Any, path: str) -> Iterable[tuple[str, Any]]:
    if is_leaf(value):
        yield path or 'value', value
        return
    for key, v in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(v, f'{path}.{key}' if path else str(key))


# --- files --------------------------------------------------------------------------------------------------------

def is_same_file(a: int, b: int) -> bool:
    try:
        return os.path.sameopenfile(a, b)
    except OSError:
        return False


class Place(NamedTuple):
    """Where a report goes: `direct`: a device, a pipe or the name of a descriptor, which no rename replaces."""
    path: str
    direct: bool


def find_place(path: str | None) -> Place | None:
    """None: standard output. Refuses, before the work, what could not be written."""
    if not path or path == '-':
        return None
    try:
        real_path = os.path.realpath(path)  # a symbolic link is followed: its target is replaced, not the link
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            mode = stat.S_IFREG
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, 'Is a directory')
        if re.match(r'/dev/(fd/\d+|stdin|stdout|stderr)$|/proc/[^/]+/fd/\d+$', path) or not stat.S_ISREG(mode):
            return Place(path, True)
        temporary = temporary_name(real_path)
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        os.unlink(temporary)
        return Place(real_path, False)
    except OSError as e:
        raise Stop(f'cannot write {path}: {e.strerror}', RUN) from None


def temporary_name(path: str) -> str:
    return f'{path}.{os.getpid()}.{time.monotonic_ns():x}'


def put(place: Place | None, text: str) -> None:
    if place is None:
        write_all(1, text)
        return
    if place.direct:
        with open(place.path, 'wb', buffering=0) as out:
            write_all(out.fileno(), text)
        return
    stops = {SIGINT, SIGTERM, SIGHUP, SIGQUIT}
    pthread_sigmask(SIG_BLOCK, stops)  # nothing is left of a report that was interrupted
    temporary = temporary_name(place.path)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            write_all(descriptor, text)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temporary, place.path)
    except OSError:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise
    finally:
        pthread_sigmask(SIG_UNBLOCK, stops)


def is_same_output(a: str, b: str) -> bool:
    if '-' in (a, b):
        return a == b
    try:
        one, other = os.stat(a), os.stat(b)
        return not stat.S_ISCHR(one.st_mode) and os.path.samestat(one, other)  # a file may have two names
    except OSError:
        return os.path.realpath(a) == os.path.realpath(b)


def refuse_same_outputs(**paths: str | None) -> None:
    """Refuses two options that would write to one file (except devices), before one of them is opened."""
    named = [('-o' if name == 'o' else f'--{name.replace("_", "-")}', path) for name, path in paths.items() if path]
    for i, (option, path) in enumerate(named):
        for earlier, other in named[:i]:
            if is_same_output(path, other):
                raise Usage(f'{earlier} and {option} would both write {path}; give each its own')
