# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of others: lines of bounded length, cells by tabs or commas, and columns found by name. Everything read is data."""
import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf, isfinite
from typing import BinaryIO, NamedTuple

from analysis.command import Stop, whole
from analysis.text import printable

LONGEST = 65534  # bytes of a line
CELLS = 256  # most of a line
LARGEST = (2 ** 63 - 1) // 4  # of times and counts, so that sums and differences of a few stay within 64 bits
NOT_TEXT = (
    (b'\x1f\x8b', 'compressed with gzip: pipe zcat FILE into this program, with - as the file'),
    (b'\x28\xb5\x2f\xfd', 'compressed with zstd: pipe zstdcat FILE into this program, with - as the file'),
    (b'\xfd7zXZ', 'compressed with xz: pipe xzcat FILE into this program, with - as the file'),
    (b'BZh', 'compressed with bzip2: pipe bzcat FILE into this program, with - as the file'),
    (b'\xff\xfe', 'UTF-16: convert it with iconv -f UTF-16 -t UTF-8'),
    (b'\xfe\xff', 'UTF-16: convert it with iconv -f UTF-16 -t UTF-8'),
    (b'<?xml', 'XML, which is not supported: give a table with tabs or commas, or a web server log'),
)
UNITS = {'ns': 1, 'us': 1000, 'ms': 1000000, 's': 1000000000}


class BadLine(Exception):
    """What is wrong with a table, and in which line (0: of the whole)."""

    def __init__(self, why: str, line: int = 0):
        super().__init__(why)
        self.line = line

    def stop(self, file: str) -> Stop:
        return Stop(f'{file}, line {self.line}: {self}' if self.line else f'{file}: {self}')


def raw_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """(number, line without its end) of a text file, blank lines too."""
    for at, line in enumerate(iter(lambda: stream.readline(LONGEST + 2), b''), 1):
        if at == 1:
            for magic, why in NOT_TEXT:
                if line.startswith(magic):
                    raise BadLine(why, at)
            line = line.removeprefix(b'\xef\xbb\xbf')
        if b'\0' in line:
            raise BadLine('a byte 0: the file is no text', at)
        if len(line) > LONGEST and not line.endswith(b'\n'):
            raise BadLine(f'a line too long: over {LONGEST} bytes', at)
        yield at, line.rstrip(b'\r\n')


def joined(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Lines of which a quoted cell may go on in the next."""
    try:
        for at, line in lines:
            while line.count(b'"') % 2:
                following = next(lines, None)
                if not following or len(line) + 1 + len(following[1]) > LONGEST:
                    raise BadLine('a quote that is not closed', at)
                line += b' ' + following[1]
            yield at, line
    except BadLine as bad:
        if str(bad).startswith('a line too long'):
            raise BadLine('a line too long, or a quote that is not closed', bad.line) from None
        raise


def split_quoted(line: str, separator: str = ',') -> list[str]:
    """Cells by commas or the like; a quoted one may hold commas, and its quotes twice. Text behind a closing quote is ignored."""
    cells, at = [], 0
    cell = re.compile(f'"((?:[^"]|"")*)"?[^{separator}]*|([^{separator}]*)')
    while True:
        found = cell.match(line, at)
        assert found
        cells.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        at = found.end()
        if at >= len(line):
            return cells
        at += 1


class Rows(NamedTuple):
    """A table: the names of its columns, and its rows with their line numbers, each as long as the header."""
    header: list[str]
    rows: Iterator[tuple[int, list[str]]]
    line: int  # of the header


def read_table(stream: BinaryIO) -> Rows:
    """A table with tabs, or with commas where its header has no tab. BadLine: no header."""
    lines, at = raw_lines(stream), 0
    first: bytes | None = b''
    while not first:
        at, first = next(lines, (at, None))
        if first is None:
            raise BadLine('no header', at + 1)
    commas = b'\t' not in first

    def split(line: bytes) -> list[str]:
        text = line.decode(errors='surrogateescape').partition('\r')[0]
        return split_quoted(text) if commas and '"' in text else text.split(',' if commas else '\t')

    header = split(first)

    def rows() -> Iterator[tuple[int, list[str]]]:
        for at, line in joined(lines) if commas else lines:
            if not line:
                continue
            cells = split(line)
            if len(cells) != len(header) or len(cells) > CELLS:
                raise BadLine("number of cells differs from the header's", at)
            yield at, cells
    return Rows(header if len(header) <= CELLS else [], rows(), first[0])


def find(header: Sequence[str], name: str) -> int:
    """The first column of that name; -1: there is none."""
    return header.index(name) if name in header else -1


def refuse_repeated(header: Sequence[str], columns: Sequence[int]) -> None:
    """Refuses a header with two columns of the name of one of these."""
    for at in columns:
        if at >= 0 and header[at] in header[at + 1:]:
            raise BadLine(f'two columns are named {header[at]}; rename one')


def time_unit(name: str) -> int:
    """The unit, in ns, that the end of a column's name says; 0: none."""
    stem, _, unit = name.rpartition('_')
    return UNITS.get(unit, 0) if stem else 0


NUMBER = re.compile(r'[ \t\n\v\f\r]*([+-]?)(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)|'
                    r'((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)|nan(?:\(\w*\))?)', re.ASCII | re.IGNORECASE)


def strtod(text: str) -> float:
    """What C's strtod() reads of all of the text. ValueError: it is no number."""
    found = NUMBER.fullmatch(text)
    if not found:
        raise ValueError
    sign, hexadecimal, decimal = found.groups()
    try:
        value = float.fromhex(hexadecimal) if hexadecimal else float(decimal or 'nan')
    except OverflowError:
        value = inf
    return -value if sign == '-' else value


def count(cell: str | None) -> int | None:
    """A time in ns or a count, or None where the cell is empty. ValueError: anything else."""
    if not cell:
        return None
    try:
        value = whole(cell)
    except OverflowError:
        raise ValueError from None
    if not 0 <= value < LARGEST:
        raise ValueError
    return value


def read_schema(stream: BinaryIO, schema: str, columns: Sequence[str], needed: int) -> Iterator[tuple[int, list[str | None]]]:
    """(line number, cells of these columns) of a table of ours, as rows_open_new() of lib writes it; None: no such
    column. The first `needed` must be there. BadLine without text: another schema, a missing column, a row of the wrong length
    or cut."""
    header: list[str] = []
    at = 0
    for at, line in enumerate(iter(lambda: stream.readline(16384), b''), 1):
        cells = line[:-1].decode(errors='surrogateescape').split('\t')
        if not line.endswith(b'\n') or len(cells) > 64 or b'\0' in line:
            raise BadLine('', at)
        if not header:
            header = cells
            if 'schema' not in header or any(name not in header for name in columns[:needed]):
                raise BadLine('', at)
            places = [find(header, name) for name in columns]
            continue
        if len(cells) != len(header) or cells[header.index('schema')] != schema:
            raise BadLine('', at)
        yield at, [cells[i] if i >= 0 else None for i in places]
    if not at:
        raise BadLine('')


def open_rows(path: str | None) -> BinaryIO | None:
    """A file of rows, opened before the work; -: standard output."""
    try:
        return open(1, 'wb', closefd=False) if path == '-' else open(path, 'wb') if path else None
    except OSError as e:
        raise Stop(f'cannot write {path}: {e.strerror}') from None


def write_rows(out: BinaryIO | None, path: str | None, schema: str, columns: Sequence[str],
               rows: Iterable[Sequence[str | float]]) -> None:
    """Texts as they are, numbers with nine digits; a number that is not finite becomes an empty cell."""
    def text(value: str | float) -> str:
        return printable(value) if isinstance(value, str) else f'{value:.9g}' if isfinite(value) else ''

    if not out:
        return
    try:
        with out:
            out.write(('\t'.join(['schema', *columns]) + '\n').encode())
            out.writelines(('\t'.join([schema, *map(text, row)]) + '\n').encode(errors='surrogateescape') for row in rows)
    except OSError as e:
        raise Stop(f'cannot write {path}: {e.strerror}') from None


class Key(NamedTuple):
    """A typed key: times in ns, all of the same clock; None: not known, or did not happen."""
    due_ns: int
    sent_ns: int | None
    skipped: int | None  # a warm-up key: paired, but left out of statistics
    answer_ns: int | None  # time of the answer, or the earliest possible one
    high_ns: int | None  # the latest possible time of the answer
    censored_ns: int | None  # answered later than this, if at all; beside an answer: only its latest time is unknown
    earliest_ns: int | None  # earliest possible answer, had the key not had to wait for its turn


KEY_COLUMNS = ('due_ns', 'sent_ns', 'skipped', 'answer_ns', 'answer_high_ns', 'censored_ns', 'key', 'earliest_ns')


def read_key(cells: Sequence[str | None]) -> Key:
    """A key from its cells, in the order of KEY_COLUMNS. ValueError: no times of a key, or they contradict each other."""
    due, *rest = (count(cell) for cell in cells)
    if due is None:
        raise ValueError
    sent, skipped, answer, high, censored, _, earliest = (v or None for v in rest)
    if answer and not high and not censored:
        high = answer
    early = answer or censored
    if (answer and answer < due) or (earliest and early and not due <= earliest <= early):
        raise ValueError
    return Key(due, sent, skipped, answer, high, censored, earliest)


class Latency(NamedTuple):
    """ns from the due time; `bound`: only a lower bound is known."""
    ns: int
    bound: bool


def latency(key: Key, late: bool) -> Latency | None:
    """Until the earliest possible answer, or the latest one. None: not known."""
    at = key.high_ns if late else key.earliest_ns or key.answer_ns
    if at:
        return Latency(at - key.due_ns, False)
    return Latency(max(0, key.censored_ns - key.due_ns), True) if key.censored_ns else None
