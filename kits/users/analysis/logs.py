# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrival times of requests from a log: JMeter's JTL, the Common and Combined Log Formats (CLF), the W3C's extended log, tables
with tabs.

A log is data of others: its lines and cells are bounded; of a row, its time is kept, and the number of its source."""
import os
import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cmp_to_key, lru_cache, reduce
from math import gcd
from typing import BinaryIO

from analysis import tables
from analysis.tables import CELLS, BadLine

KINDS = ('auto', 'jtl', 'clf', 'tsv', 'w3c')
MS, S = 1000000, 1000000000
MS_OF_1980, MS_OF_2200 = 315532800000, 7258118400000
MOST = (2 ** 63 - 1) // 4  # ns
NESTED = 4  # transactions may hold others, so deep
NAME = 63  # characters of a column's name that are kept
HELD = 'Number of samples in transaction : '  # JMeter's
USUAL = ('timeStamp', 'start_ns', 'sent_ns', 'due_ns', 'time_ns', 'received_ns', 'start_ms', 'time_s', 'timestamp', 'time')
NO_TIME = ('no column of the header is known to be a time; --column NAME; of words between blanks print the time alone: '
           "awk '{ print $2 }' FILE | thinprobe arrivals -")
JSON = 'lines of JSON: jq -r .TIME FILE | thinprobe arrivals - --column 1 --unit s, with the name of the time for TIME'
NO_UNIT = "no unit: the column's name does not end in _ns, _us, _ms or _s; give --unit"
NO_HEADER_UNIT = 'no header line names the unit of the times; give --unit'
NO_TEXT = 'not a time: expected a number, or a date such as 2026-01-05 08:00:00.123'
NO_CLF = 'not a line of the Common Log Format: host ident user [10/Oct/2000:13:55:36 -0700] ...'


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a log: its format, the column of the times (None: by the usual names) and their unit in ns (0: by the name
    of the column), the column of sources, and which rows (column, value)."""
    kind: str = 'auto'
    column: str | None = None
    unit_ns: int = 0
    source: str | None = None
    where: Sequence[tuple[str, str]] = ()


@dataclass(slots=True)
class Log:
    """Arrivals in the order of the file, and what was passed over."""
    kind: str
    name: str = ''  # of the column of times; not of CLF
    times_ns: 'array[int]' = field(default_factory=lambda: array('q'))
    sources: 'array[int]' = field(default_factory=lambda: array('I'))  # of each arrival: its number in the order of names
    names: int = 0  # how many sources
    passed: int = 0  # rows left out: by `where`, without a time, or of transactions
    untimed: int = 0
    transactions: int = 0  # rows of transactions whose samples have rows of their own
    tick_ns: int = 1  # resolution of the times: a power of ten, at most 1 s
    step_ns: int = 1  # the largest power of ten, at most 1 s, of which all times are multiples


# --- times --------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r'(\d+)(?:\.(\d*))?', re.ASCII)
MONTHS = ('january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december')
FIELDS = {'d': ' *(?P<d>[12]\\d|3[01]|0?[1-9])', 'm': ' *(?P<m>1[0-2]|0?[1-9])', 'Y': ' *(?P<Y>\\d{1,4})', 'y': ' *(?P<y>\\d{1,2})',
       'b': f'(?P<b>(?i:{"|".join(f"{m}|{m[:3]}" for m in MONTHS)}))',
       'T': ' *(?P<H>1\\d|2[0-3]|0?\\d): *(?P<M>[0-5]?\\d): *(?P<S>[0-5]\\d|6[01]|[0-6](?!\\d)|[7-9])'}
# web servers', RFC 3339 and JMeter's (CSVSaveService.java); each with a fraction and a time zone, or without
DATES = tuple(re.compile(form.format(**FIELDS) + r'(?:[.,](?P<part>\d+))?(?P<zone>\s*(?:Z|[+-]\d\d(?::?\d\d|(?!:?\d))))?', re.ASCII)
              for form in ('{d}/{b}/{Y}:{T}', '{Y}-{m}-{d}T{T}', '{Y}-{m}-{d}\\s*{T}', '{m}/{d}/{y}\\s*{T}', '{Y}/{m}/{d}\\s*{T}'))


def scaled(digits: str, unit_ns: int) -> tuple[int, int]:
    """A fraction's digits in ns, cut off below 1 ns, and the smallest step that so many can express, at least 1."""
    part = 0
    for digit in digits:
        unit_ns //= 10
        if not unit_ns:
            break
        part += unit_ns * int(digit)
    return part, max(unit_ns, 1)


def parse_number(text: str, unit_ns: int) -> tuple[int, int] | None:
    """A decimal number times its unit, exactly, in ns, and the smallest step that so many decimals can express. None: anything
    else."""
    found = NUMBER.fullmatch(text)
    if not found:
        return None
    whole = found[1].lstrip('0')
    if len(whole) > 19 or int(whole[:-1] or '0') > (MOST // unit_ns - 9) // 10:
        return None
    part, tick = scaled(found[2], unit_ns) if found[2] else (0, unit_ns)
    return int(whole or '0') * unit_ns + part, tick


@lru_cache(maxsize=10000)
def day(year: int, month: int) -> int:
    """Days from 1970 to the month's first."""
    return date(year, month, 1).toordinal() - 719163


def parse_date(text: str, at: int = 0) -> tuple[int, int, int] | None:
    """ns since 1970 of a date that begins there (without a time zone it is UTC), the smallest step of its decimals, and where it
    ends. None: no date, or a year other than 1970 to 2200."""
    found = next((found for form in DATES if (found := form.match(text, at))), None)
    if not found:
        return None
    of = found.groupdict()
    month = int(of['m']) if of.get('m') else [m[:3] for m in MONTHS].index(of['b'][:3].lower()) + 1
    year = int(of['Y']) if of.get('Y') else int(of['y']) + (1900 if int(of['y']) >= 69 else 2000)
    if not 1970 <= year <= 2200:
        return None
    part, tick = scaled(of['part'], S) if of['part'] else (0, S)
    zone, end = (of['zone'] or '').strip().replace(':', ''), found.end()
    off = 0
    if zone not in ('', 'Z'):
        hours, minutes = int(zone[1:3]), int(zone[3:] or '0')
        off = (hours * 3600 + minutes * 60) * (-1 if zone[0] == '-' else 1)
        if minutes >= 60:
            off, end = 0, found.start('zone')
    seconds = (day(year, month) + int(of['d']) - 1) * 86400 + int(of['H']) * 3600 + int(of['M']) * 60 + int(of['S']) - off
    time_ns = seconds * S + part
    return (time_ns, tick, end) if time_ns >= 0 else None


def parse_cell(text: str, unit_ns: int) -> tuple[int, int] | None:
    """A whole cell: a number in unit_ns (0: not known, so none), or a date."""
    number = parse_number(text, unit_ns) if unit_ns else None
    if number:
        return number
    found = parse_date(text)
    return found[:2] if found and found[2] == len(text) else None


# --- sources ------------------------------------------------------------------------------------------------------

def compare_names(a: bytes, b: bytes) -> int:
    """The order of glibc's strverscmp(): digits count as numbers, so that user 9 comes before user 10; those that begin with zeros
    as fractions."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    before = re.search(rb'\d*\Z', a[:at])
    one, other = (re.match(rb'\d*', name[at:]) for name in (a, b))
    assert before and one and other
    digits, lengths = (bool(one[0]), bool(other[0])), len(one[0]) - len(other[0])
    by_bytes = (a > b) - (a < b)
    if not before[0]:
        return lengths if all(digits) and not one[0].startswith(b'0') and not other[0].startswith(b'0') and lengths else by_bytes
    if not before[0].startswith(b'0'):
        return lengths if any(digits) and lengths else by_bytes
    return by_bytes if before[0].strip(b'0') or digits[0] == digits[1] else -1 if digits[0] else 1


def number_sources(log: Log, names: dict[str, int]) -> None:
    """Numbers the sources in the order of their names: in the order of first appearance, the first few would all have sent their
    first requests together."""
    used = set(log.sources)
    by_name = sorted((os.fsencode(name) for name, i in names.items() if i in used), key=cmp_to_key(compare_names))
    place = {names[os.fsdecode(name)]: i for i, name in enumerate(by_name)}
    log.sources = array('I', map(place.__getitem__, log.sources))
    log.names = len(by_name)


# --- lines --------------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Columns:
    """Where a row of a table has what; -1: nowhere."""
    time: int
    date: int  # the W3C's log has it apart from the time
    source: int
    where: list[int]
    unit_ns: int
    headless: bool
    cells: int


@dataclass(slots=True)
class Reader:
    asked: Question
    log: Log
    separator: str = '\t'
    columns: Columns | None = None
    tick_ns: int = S  # finest of any time so far
    names: dict[str, int] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)  # of arrivals that are transactions: of how many samples

    def add(self, time_ns: int, tick_ns: int, source: str | None, held: int = 0) -> None:
        if tick_ns < self.tick_ns:
            self.tick_ns = tick_ns
        if held:
            self.held[len(self.log.times_ns)] = held
        self.log.times_ns.append(time_ns)
        if source is not None:
            self.log.sources.append(self.names.setdefault(source, len(self.names)))

    def split(self, line: str) -> list[str]:
        line = re.split('[\r\n]', line, maxsplit=1)[0] if '\r' in line or '\n' in line else line
        return tables.split_quoted(line, self.separator) if '"' in line and self.separator != '\t' else line.split(self.separator)


def find_column(header: list[str], name: str, headless: bool) -> int:
    """By its name, or in a table without a header line by its number, from 1; -1: there is none."""
    if not headless:
        return tables.find(header, name)
    found = re.fullmatch(r'\s*\+?(\d{1,9})', name, re.ASCII)
    return int(found[1]) - 1 if found and 1 <= int(found[1]) <= len(header) else -1


def find_time(r: Reader, header: list[str]) -> Columns:
    """The column of the times, and its unit. JMeter can be told to write no header line; its times come first, in ms since 1970."""
    asked, first = r.asked, header[0]
    names = [asked.column] if asked.column else USUAL
    time = next((at for name in names if (at := tables.find(header, name)) >= 0), -1)
    date_at = tables.find(header, 'date') if r.log.kind == 'w3c' and not asked.column else -1
    dated, number = parse_cell(first, 0), parse_number(first, 1)
    headless = time < 0 and bool(dated or number)
    ms = headless and not dated and r.separator != '\t' and bool(number) and MS_OF_1980 < (number or (0,))[0] < MS_OF_2200
    if headless:
        time = find_column(header, asked.column, True) if asked.column else 0 if ms or dated else -1
    if time < 0:
        raise BadLine('no header line: give the number of the column of times, as in --column 1, and --unit' if headless
                      else 'the header has no such --column' if asked.column else NO_TIME)
    r.log.name = str(time + 1) if headless else header[time][:NAME]
    unit_ns = asked.unit_ns or (MS if (ms and not time) or r.log.name == 'timeStamp' else tables.time_unit(r.log.name))
    return Columns(time, date_at, -1, [], unit_ns, headless, len(header))


def read_header(r: Reader, line: str) -> None:
    """Finds the columns by the first line; one of numbers is a row, not a header."""
    header, asked = r.split(line), r.asked
    if len(header) > CELLS:
        raise BadLine('more than 256 columns')
    c = find_time(r, header)
    if asked.source:
        c.source = find_column(header, asked.source, c.headless)
        if c.source < 0:
            raise BadLine('no header line: --sources takes the number of a column, from 1' if c.headless
                          else 'the header has no such --sources')
    c.where = [find_column(header, name, c.headless) for name, _ in asked.where]
    if -1 in c.where:
        raise BadLine('no header line: --where takes the number of a column, from 1' if c.headless
                      else 'the header lacks a column of --where')
    if not c.headless:
        tables.refuse_repeated(header, (*c.where, c.time, c.source))
    r.columns = c
    if c.headless:
        read_cells(r, c, header, line)


def held_samples(cells: list[str]) -> int:
    """How many samples the row of a transaction in JMeter's results holds; 0: no transaction."""
    text = next((cell[len(HELD):] for cell in cells if cell.startswith(HELD)), '')
    found = re.match(r'\s*\+?(\d{1,19})', text, re.ASCII)
    return int(found[1]) % 2 ** 32 if found else 0


def read_cells(r: Reader, c: Columns, cells: list[str], line: str) -> None:
    for at, (_, value) in zip(c.where, r.asked.where):
        if cells[at] != value:
            r.log.passed += 1
            return
    text = cells[c.time]
    if c.date >= 0 and len(f'{cells[c.date]} {text}'.encode(errors='surrogateescape')) < 64:
        text = f'{cells[c.date]} {text}'
    if not text:
        r.log.untimed += 1
        r.log.passed += 1
        return
    found = parse_cell(text, c.unit_ns)
    if not found:
        raise BadLine(NO_TEXT if c.unit_ns or not parse_number(text, 1) else NO_HEADER_UNIT if c.headless else NO_UNIT)
    r.add(*found, cells[c.source] if c.source >= 0 else None, held_samples(cells) if HELD in line else 0)


def read_row(r: Reader, line: str) -> None:
    c = r.columns
    assert c
    cells = r.split(line)
    if len(cells) != c.cells or len(cells) > CELLS:
        raise BadLine("number of cells differs from the first line's" if c.headless
                      else "number of cells differs from the header's")
    read_cells(r, c, cells, line)


def read_clf_line(r: Reader, line: str) -> None:
    """host ident user [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326; user names may contain brackets, too."""
    host_end = line.find(' ')
    at = line.find('[', host_end) if host_end >= 0 else -1
    while at >= 0:
        found = parse_date(line, at + 1)
        if found:
            r.add(found[0], found[1], line[:host_end] if r.asked.source else None)
            return
        at = line.find('[', at + 1)
    raise BadLine(NO_CLF)


def read_w3c_line(r: Reader, line: str) -> None:
    """#Fields: date time ... is the header, wherever it comes; other lines with # say nothing."""
    r.separator = ' '
    if line.startswith('#Fields:'):
        read_header(r, re.sub('^[^ \t]*[ \t]*', '', line))
    elif not line.startswith('#'):
        r.separator = '\t' if '\t' in line else ' '
        if not r.columns:
            raise BadLine('no line with #Fields: comes before')
        read_row(r, line)


def guess_separator(line: str) -> str:
    """Which separator is most often in the line, quoted cells aside; a tab if none is."""
    outside = ''.join(line.split('"')[::2])
    return max('\t,;|', key=outside.count)


def guess_kind(line: str) -> str:
    if line.startswith('#'):
        return 'w3c'
    if any(parse_date(line, found.end()) for found in re.finditer(r'\[', line)):
        return 'clf'
    return 'tsv' if guess_separator(line) == '\t' else 'jtl'


def read_first_line(r: Reader, line: str) -> Callable[[Reader, str], None]:
    """Finds the format of the log and the columns; what reads the other lines."""
    if line.startswith('{'):
        raise BadLine(JSON)
    if r.log.kind == 'auto':
        r.log.kind = guess_kind(line)
    if r.log.kind in ('clf', 'w3c'):
        read = read_clf_line if r.log.kind == 'clf' else read_w3c_line
        read(r, line)
        return read
    r.separator = guess_separator(line) if r.log.kind == 'jtl' else '\t'
    found = parse_date(line)
    if found and line[found[2]:found[2] + 1] == ' ':
        raise BadLine(NO_TIME)
    read_header(r, line)
    return read_row


def drop_transactions(log: Log, held: dict[int, int]) -> None:
    """Leaves out the rows of JMeter's transactions where the samples that they hold are in the log, too (not so with "Generate
    parent sample")."""
    if not held or sum(held.values()) > NESTED * (len(log.times_ns) - len(held)):
        return
    log.transactions = len(held)
    log.passed += len(held)
    log.times_ns = array('q', (time for i, time in enumerate(log.times_ns) if i not in held))
    log.sources = array('I', (source for i, source in enumerate(log.sources) if i not in held))


def infer_tick(log: Log, tick_ns: int) -> None:
    """The resolution of the times: if all are whole seconds, milliseconds, ..., they were most likely recorded so. Only decimal
    steps: another common divisor may be the arrivals' own. So may be whole hundredths or tenths of a second."""
    common = reduce(gcd, log.times_ns, 0)
    log.step_ns = tick_ns
    while log.step_ns < S and common % (log.step_ns * 10) == 0:
        log.step_ns *= 10
    log.tick_ns = tick_ns if tick_ns > MS else min(log.step_ns, MS)


def read_lines(stream: BinaryIO, r: Reader) -> None:
    lines, at = tables.raw_lines(stream), 0
    try:
        at, line = next(((at, line) for at, line in lines if line), (0, b''))
        if not line:
            return
        read = read_first_line(r, line.decode(errors='surrogateescape'))
        quoted = r.log.kind in ('jtl', 'tsv') and r.separator != '\t'
        for at, line in tables.joined(lines) if quoted else lines:
            if line:
                read(r, line.decode(errors='surrogateescape'))
    except BadLine as bad:
        raise bad if bad.line else BadLine(str(bad), at) from None


def read_log(stream: BinaryIO, asked: Question) -> Log:
    r = Reader(asked, Log(asked.kind))
    read_lines(stream, r)
    drop_transactions(r.log, r.held)
    if asked.source:
        number_sources(r.log, r.names)
    infer_tick(r.log, r.tick_ns)
    return r.log
