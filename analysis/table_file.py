# SPDX-License-Identifier: GPL-3.0-or-later
"""COLUMNS of an experiment's analysis.py: which tables there are, and where the number of each column comes from. The text is read,
and not the module: nothing else of it is needed.

    table NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional] [raw]
    COLUMN HEADING UNIT SOURCE ESTIMATOR [+-]DECIMALS BETTER
    counts WORD
    repeats found
    include FILE

A line consists of words; a word with blanks stands in double quotes; "-" is an empty value; # begins a comment; a line that begins
with a blank continues the line before. Columns belong to the table above them.
    +-              a change or difference: a time that may be below 0, as with change+ci. Other times below 0 are left out
    given           the experiment writes the file; only its columns are described here
    optional        without rows there is no file
    raw             rows are points of curves or single runs, not figures: they are not in long.tsv
    counts          what the report calls a repeat (default: cells)
    repeats found   cells have different numbers of repeats; a repeat without a folder has not failed
    include         COLUMNS that several experiments share; path relative to the folder of this file
Sources: -, param[:KEY], count:WORD, run:PATH, [SERIES/]FILE.json[!]:PATH[/PATH], EXTRACTOR:FIGURE (classes of columns.py)."""
import re
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

from analysis.columns import COUNTS, TEXT, Column, Count, Extracted, Extractor, Json, OfRun, Parameter, Row, Source, Table, Tables
from analysis.command import Stop
from analysis.estimates import ESTIMATORS, GIVEN

WORDS = 64  # most of a line
BYTES = 1 << 20  # of a file
DEPTH = 4  # of includes
OWN_FILES = ('schema', 'long', 'run', 'thresholds')
TABLE_WANTS = 'table wants NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional] [raw]'
INCLUDE_WANTS = 'include wants one FILE, and not one that includes this'
COLUMNS = re.compile(r"^COLUMNS = '''\n(.*?)^'''$", re.DOTALL | re.MULTILINE)
WORD = re.compile(r'[ \t\r\n]*(?:"([^"]*)("?)|([^ \t\r\n#][^ \t\r\n]*)|(#.*))', re.DOTALL)


def find_extractor(name: str) -> Extractor | None:
    """Of the module NAME_columns, in the core or in a kit. None: there is none."""
    module = f'analysis.{name}_columns'
    if not re.fullmatch('[a-z][a-z_]*', name) or not find_spec(module):
        return None
    found = import_module(module).EXTRACTOR
    assert isinstance(found, Extractor)
    return found


def is_name(word: str) -> bool:
    return bool(re.fullmatch('[A-Za-z0-9_-]+', word))


def plain(word: str) -> str:
    return '' if word == '-' else word


@dataclass(slots=True)
class Reader:
    """A file of definitions that is being read, for the place of a mistake."""
    path: str
    into: Tables
    depth: int
    line: int = 0

    def stop(self, what: str, word: str | None = None) -> NoReturn:
        raise Stop(f'{self.path}:{self.line}: {what}' + (f': {word}' if word is not None else ''))

    def words(self, line: str) -> list[str]:
        """Words of the line; one in quotes may be empty."""
        found: list[str] = []
        at = 0
        while match := WORD.match(line, at):
            quoted, end, bare, comment = match.groups()
            if comment:
                break
            if len(found) == WORDS:
                self.stop('too many words')
            if quoted is not None and not end:
                self.stop('a quote without its end')
            at = match.end()
            if quoted is not None and at < len(line) and not line[at].isspace():
                self.stop('no blank after a quote')
            found.append(quoted if quoted is not None else bare)
        return found


def read_table_line(r: Reader, words: list[str]) -> None:
    if not 3 <= len(words) <= WORDS:
        r.stop(TABLE_WANTS)
    name, kind = words[1:3]
    if name in OWN_FILES:
        r.stop("a name that a run's own files have", name)
    if not is_name(name):
        r.stop(TABLE_WANTS)
    if any(t.name == name for t in r.into.tables):
        r.stop('a second table of that name', name)
    table = Table(name, f'{name}/1')
    for word in words[3:]:
        if word.startswith('schema='):
            table.schema = word[7:]
        elif word in ('optional', 'raw'):
            table.optional, table.raw = table.optional or word == 'optional', table.raw or word == 'raw'
        else:
            r.stop('neither schema=WORD, optional nor raw', word)
    if kind.startswith('rows:'):
        table.rows, table.extractor = kind[5:], find_extractor(kind[5:])
        if not table.extractor or not table.extractor.tables:
            r.stop('no extractor of rows', kind[5:])
    elif kind == 'given':
        table.rows, table.given = kind, True
    elif kind != 'cells':
        r.stop('neither cells, given nor rows:EXTRACTOR', kind)
    r.into.tables.append(table)


def json_source(r: Reader, column: str, word: str, path: str, estimator: str) -> Json:
    series, slash, file = word.partition('/')
    path, over, divisor = path.partition('/')
    if bool(over) != (estimator == 'share+ci'):
        r.stop('share+ci, and it alone, wants FILE:PATH/PATH', column)
    if estimator in GIVEN and estimator != 'range':
        r.stop('a number of repeats wants an estimator', column)
    name = file if slash else word
    return Json(name.removesuffix('!'), path, divisor if over else None, series if slash else None, name.endswith('!'))


def read_source(r: Reader, column: str, text: str, estimator: str) -> Source:
    word, colon, path = text.partition(':')
    if word == 'param' and not colon:
        path = column
    if bool(colon) if word == '-' else not path:
        r.stop('a source is -, param, count:WORD, run:PATH, FILE.json:PATH or EXTRACTOR:FIGURE, not', word)
    if word == 'count' and path not in COUNTS:
        r.stop('no such count', path)
    plain_sources: dict[str, Source] = {'-': Row(), 'param': Parameter(path), 'count': Count(path), 'run': OfRun(path)}
    if word in plain_sources:
        return plain_sources[word]
    if re.search(r'.\.json!?$', word):
        return json_source(r, column, word, path, estimator)
    extractor = find_extractor(word)
    if not extractor:
        r.stop('no such extractor', word)
    return Extracted(extractor, word, path)


def read_column_line(r: Reader, words: list[str]) -> None:
    if not r.into.tables:
        r.stop('a column before the first table', words[0])
    if len(words) != 7:
        r.stop('a column wants NAME HEADING UNIT SOURCE ESTIMATOR DECIMALS BETTER', words[0])
    name, heading, unit, source, estimator, decimals, better = words
    table = r.into.tables[-1]
    if not is_name(name) or name == 'schema':
        r.stop('no name for a column', name)
    if estimator not in GIVEN and estimator not in ESTIMATORS:
        r.stop('no such estimator', estimator)
    plus_minus = decimals.startswith('+-')
    decimals = decimals[2:] if plus_minus else decimals
    if not re.fullmatch('text|[0-9]', decimals):
        r.stop('decimals are text or 0 to 9, not', decimals)
    if better not in ('-', 'lower', 'higher'):
        r.stop('better is lower, higher or -, not', better)
    made_by = read_source(r, name, source, estimator)
    if not isinstance(made_by, Row | Parameter) if table.rows else isinstance(made_by, Row):
        r.stop('of rows that others write the source is - or param' if table.rows else 'a table of cells wants a source', name)
    column = Column(name, plain(heading), plain(unit), made_by, estimator, TEXT if decimals == 'text' else int(decimals),
                    plain(better), plus_minus or estimator == 'change+ci')
    taken = set(table.header()[1:])
    for end in column.ends():
        if end in taken:
            r.stop('a second column of that name', end)
    table.columns.append(column)


def read_line(r: Reader, line: str) -> None:
    words = r.words(line)
    if not words:
        return
    if words[0] == 'table':
        read_table_line(r, words)
    elif words[0] == 'include':
        if len(words) != 2 or r.depth == DEPTH:
            r.stop(INCLUDE_WANTS)
        read_file(r.path.rpartition('/')[0] + '/' * ('/' in r.path) + words[1], r.into, r.depth + 1)
    elif words[0] == 'counts':
        if len(words) != 2 or not is_name(words[1]):
            r.stop('counts wants one WORD')
        r.into.counts = words[1]
    elif words == ['repeats', 'found']:
        r.into.skip_missing = True
    else:
        read_column_line(r, words)


def read_file(path: str, into: Tables, depth: int) -> None:
    try:
        with open(path, 'rb') as file:
            whole = file.read(BYTES).decode(errors='surrogateescape')
    except OSError as e:
        raise Stop(f'{path}: {e.strerror}') from None
    found = COLUMNS.search(whole)
    if not found:
        raise Stop(f"{path}: no COLUMNS = ''', with lines of columns")
    text, r = found[1], Reader(path, into, depth, whole.count('\n', 0, found.start(1)))
    for line in re.split(r'\n(?![ \t])', text):  # a line that begins with a blank belongs to the line before
        r.line += 1 + line.count('\n')
        read_line(r, line)


def read_tables(path: str) -> Tables:
    """A mistake in the file ends the program with one line."""
    into = Tables()
    read_file(path, into, 0)
    if not into.tables:
        raise Stop(f'{path}: no table')
    return into
