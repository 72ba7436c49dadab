# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of a run folder: run.json, its cells, their repeats, and the files of a repeat.

A run folder is a stranger's: sizes and counts are bounded, nothing is evaluated, and only regular files are opened. Whatever cannot
be read ends the program with one line that names the file."""
import json
import os
import re
import stat
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite, nan
from operator import sub
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from analysis import words
from analysis.command import Stop, real
from analysis.tables import LARGEST, count

REPEATS_MOST = 1000
CELLS_MOST = 100000
JSON_BYTES = 1 << 28  # largest JSON file that is read
JSON_DEPTH = 64  # of its arrays and objects in each other: whatever walks through them calls itself
ROW_BYTES = 16383  # longest row of a table, with its line end
BLOCK_BYTES = 1 << 22  # of a table that is read at a time
NO_COLUMNS = 64  # most columns of a table


# --- JSON ---------------------------------------------------------------------------------------------------------

def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError('duplicate object key')
    return found


class BadNumber(ValueError):
    """What is wrong with a number, and its text: the parser tells no place."""

    def __init__(self, why: str, text: str):
        super().__init__(why)
        self.text = text

    def line(self, document: str) -> int:
        """Of its first place outside of a string."""
        tokens = re.finditer(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|-?Infinity|NaN', document)
        at = next((token.start() for token in tokens if token[0] == self.text), 0)
        return document.count('\n', 0, at) + 1


def finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise BadNumber('real number overflow', text)
    return value


def short(text: str) -> int:
    value = int(text) if len(text) < 21 else 2 ** 63
    if not -2 ** 63 <= value < 2 ** 63:
        raise BadNumber('too big integer', text)
    return value


def no_constant(text: str) -> None:
    raise BadNumber(f'invalid token near {text}', text)


def is_deep(document: Any) -> bool:
    level = [document]
    for _ in range(JSON_DEPTH):
        level = [v for one in level if isinstance(one, dict | list) for v in (one.values() if isinstance(one, dict) else one)]
    return bool(level)


def parse_json(data: bytes) -> Any:
    """ValueError: no JSON, with what and where as text."""
    try:
        text = data.decode()
        if re.search(r'(?<!\\)(?:\\\\)*\\u0000', text):
            raise ValueError('a character 0')
        found = json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_int=short, parse_constant=no_constant)
        if not isinstance(found, dict | list):
            raise ValueError('neither an object nor an array')
        if is_deep(found):
            raise RecursionError
        return found
    except json.JSONDecodeError as e:
        raise ValueError(f'line {e.lineno}: {e.msg}') from None
    except BadNumber as e:
        raise ValueError(f'line {e.line(text)}: {e}') from None
    except UnicodeDecodeError as e:
        raise ValueError(f'line {data[:e.start].count(10) + 1}: invalid UTF-8') from None
    except RecursionError:
        raise ValueError('too deeply nested') from None


def regular(path: str) -> str:
    """The path, unless it is there and no regular file: a FIFO would wait for its writer, a device may never end."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Stop(f'{path}: not a regular file')
    except (OSError, ValueError):
        pass
    return path


def read_json(path: str, needed: bool = False) -> Any:
    """The document; None: there is no such file, and it is not needed."""
    regular(path)
    if not needed and not os.access(path, os.F_OK):
        return None
    try:
        with open(path, 'rb') as file:
            data = file.read(JSON_BYTES + 1)
        if len(data) > JSON_BYTES:
            raise ValueError(f'over {JSON_BYTES >> 20} MiB')
        return parse_json(data)
    except OSError as e:
        raise Stop(f'{path}: {e.strerror}') from None
    except ValueError as e:
        raise Stop(f'{path}: {e}') from None


def at(document: Any, path: str) -> Any:
    """The value at a dotted path (a number is an index; the last key may contain dots). None: there is none."""
    while document is not None and path:
        if isinstance(document, dict) and path in document:
            return document[path]
        key, _, path = path.partition('.')
        if isinstance(document, list):
            document = document[int(key)] if key.isdecimal() and len(key) < 9 and int(key) < len(document) else None
        else:
            document = document.get(key) if isinstance(document, dict) else None
    return document


def number(document: Any, path: str, none: float = nan) -> float:
    value = at(document, path)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else none


def text(document: Any, path: str) -> str | None:
    value = at(document, path)
    return value if isinstance(value, str) else None


def whole(document: Any, path: str) -> int | None:
    value = at(document, path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def truth(document: Any, path: str, none: bool = False) -> bool:
    value = at(document, path)
    return value if isinstance(value, bool) else none


def elements(document: Any, path: str) -> list[Any]:
    """Those of the array there; of none: []."""
    value = at(document, path)
    return value if isinstance(value, list) else []


# --- tables -------------------------------------------------------------------------------------------------------

class BadRow(Exception):
    """Row `index` of a block of lines cannot be read."""

    def __init__(self, index: int):
        super().__init__()
        self.index = index


def counts(cells: Sequence[bytes]) -> Sequence[int | None]:
    """Times in ns or counts; None: empty. ValueError: one is neither."""
    digits = b''.join(cells)
    if not digits or cells.count(b'0') == len(cells):
        return [0 if digits else None] * len(cells)
    if not digits.isdigit():
        return [count(cell.decode()) for cell in cells]
    known = [int(cell) for cell in cells if cell] if b'' in cells else list(map(int, cells))
    if max(known) >= LARGEST:
        raise ValueError
    if len(known) == len(cells):
        return known
    left = iter(known)
    return [next(left) if cell else None for cell in cells]


def reals(cells: Sequence[bytes]) -> list[float]:
    return [real(cell.decode()) if cell else nan for cell in cells]


class Layout(NamedTuple):
    """Columns of a table: plain names are counts and times in ns, %NAME any number, $NAME text; those after a | may be missing."""
    schema: str
    columns: str

    def words(self) -> list[str]:
        return self.columns.replace('| ', '').split(' ')

    def names(self, needed: bool = False) -> list[str]:
        words = self.columns.split(' | ')[0].split(' ') if needed else self.words()
        return [word.lstrip('%$') for word in words]


def convert(sort: str, cells: Sequence[bytes]) -> Sequence[Any]:
    if sort == '$':
        return b'\n'.join(cells).decode(errors='surrogateescape').split('\n')
    try:
        return reals(cells) if sort == '%' else counts(cells)
    except (ValueError, OverflowError):
        for index, cell in enumerate(cells):
            try:
                reals([cell]) if sort == '%' else counts([cell])
            except (ValueError, OverflowError):
                raise BadRow(index) from None
        raise


def blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Whole lines of the stream, some at a time. One that is too long, has a byte 0, or no end stands as one that no table has."""
    rest = b''
    while block := stream.read(BLOCK_BYTES):
        whole, end, rest = (rest + block).rpartition(b'\n')
        if len(rest) > ROW_BYTES:
            whole, end, rest = whole + end + b'\0', b'\n', b''
        # lines that all end within half the longest are quickly found
        if b'\0' in whole or not all(b'\n' in whole[at:at + ROW_BYTES // 2] for at in range(0, len(whole) - ROW_BYTES // 2,
                                                                                            ROW_BYTES // 2)):
            whole = b'\n'.join(b'' if b'\0' in line or len(line) >= ROW_BYTES else line for line in whole.split(b'\n'))
        if end:
            yield whole + end
    if rest:
        yield b'\n'


def split(block: bytes, header: Sequence[str], layout: Layout) -> dict[str, Sequence[bytes]]:
    """The cells of each column. BadRow: a row of another length, or of another schema."""
    width, at_schema, n, schema = len(header), header.index('schema'), block.count(b'\n'), layout.schema.encode()
    cells = block.replace(b'\n', b'\t\n\t').split(b'\t')  # the end of a row is a cell, too
    if not len(cells) - 1 == n * (width + 1) or not cells[width::width + 1].count(b'\n') == n == cells[at_schema::width
                                                                                                       + 1].count(schema):
        raise BadRow(next(i for i, row in enumerate(line.split(b'\t') for line in block.split(b'\n'))
                          if len(row) != width or row[at_schema] != schema))
    del cells[-1]
    return {name: cells[i::width + 1] for i, name in reversed(list(enumerate(header))) if name in layout.names()}


def columns_of(stream: BinaryIO, layout: Layout) -> Iterator[list[Sequence[Any]]]:
    """The columns of some rows at a time; of a column that the table has not: None for each. BadRow: its line, from 0."""
    header: list[str] = []
    before = 0
    for block in blocks(stream):
        if not header:
            first, _, block = block.partition(b'\n')
            header = first.decode(errors='surrogateescape').split('\t')
            if not {'schema', *layout.names(True)} <= set(header) or len(header) > NO_COLUMNS:
                raise BadRow(0)
            before = 1
        if not block:
            continue
        try:
            cells, n = split(block, header, layout), block.count(b'\n')
            yield [convert(word[0], cells[name]) if name in cells else (nan if word[0] == '%' else None,) * n
                   for word, name in zip(layout.words(), layout.names())]
        except BadRow as bad:
            raise BadRow(before + bad.index) from None
        before += n
    if not header:
        raise BadRow(-1)


def read_blocks(path: str, needed: bool, *layouts: Layout) -> Iterator[tuple[Layout, list[Sequence[Any]]]]:
    """Columns of some rows at a time of the table, by the first layout whose columns it has. Nothing: it is not there."""
    regular(path)
    try:
        stream = open(path, 'rb')
    except FileNotFoundError as e:
        if not needed:
            return
        raise Stop(f'{path}: {e.strerror}') from None
    except OSError as e:
        raise Stop(f'{path}: {e.strerror}') from None
    with stream:
        for layout in layouts:
            try:
                for columns in columns_of(stream, layout):
                    yield layout, columns
                return
            except BadRow as bad:
                if bad.index > 0 or layout is layouts[-1]:
                    raise bad_row(path, bad.index) from None
                stream.seek(0)


def bad_row(path: str, index: int) -> Stop:
    """Of a row by its number, from 1; 0: of the header."""
    return Stop(f'{path}: line {index + 1} cannot be read')


# --- keys ---------------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Keys:
    """The keys of a train without the skipped ones, in columns: times in ns, all of the same clock; 0: not known, or did not
    happen."""
    due: 'array[int]' = field(default_factory=lambda: array('q'))
    sent: 'array[int]' = field(default_factory=lambda: array('q'))
    answer: 'array[int]' = field(default_factory=lambda: array('q'))  # time of the answer, or the earliest possible one
    high: 'array[int]' = field(default_factory=lambda: array('q'))  # the latest possible time of the answer
    censored: 'array[int]' = field(default_factory=lambda: array('q'))  # answered later than this, if at all
    earliest: 'array[int]' = field(default_factory=lambda: array('q'))  # earliest possible, had the key not waited for its turn
    number: 'array[int]' = field(default_factory=lambda: array('q'))
    skipped: int = 0  # warm-up keys, left out
    ranged: bool = False  # the answer of at least one key is a range

    def __len__(self) -> int:
        return len(self.due)

    def rows(self) -> Iterator[tuple[int, ...]]:
        """(number, due, sent, answer, high, censored) of each key."""
        return zip(self.number, self.due, self.sent, self.answer, self.high, self.censored)


KEYS = Layout('keys/1', 'due_ns sent_ns skipped answer_ns answer_high_ns censored_ns | key earliest_ns')
PINGS = Layout('ping/1', 'number rtt_ns')
PING_DUE = 1  # a ping counts as a key that is due and sent then, and answered after its round trip time


def add_keys(keys: Keys, columns: list[Sequence[Any]]) -> None:
    """BadRow: there is no due time, or times contradict each other."""
    due, sent, skipped, answer, high, censored, numbers, earliest = (
        [v or 0 for v in column] if None in column else column for column in columns)
    if 0 in high:
        high = [h or (0 if c else a) for a, h, c in zip(answer, high, censored)]
    waited = any(earliest)
    if waited or 0 in answer or min(map(sub, answer, due)) < 0:
        for index, (d, a, c, e) in enumerate(zip(due, answer, censored, earliest)):
            if 0 < a < d or (e and (a or c) and not d <= e <= (a or c)):
                raise BadRow(index)
    if None in columns[0]:
        raise BadRow(columns[0].index(None))
    if any(skipped):
        keys.skipped += sum(map(bool, skipped))
        kept = [not s for s in skipped]
        due, sent, answer, high, censored, numbers, earliest = (
            [v for v, k in zip(column, kept) if k] for column in (due, sent, answer, high, censored, numbers, earliest))
    keys.ranged = keys.ranged or high != answer and any(a and h != a for a, h in zip(answer, high)) or waited and any(
        e and e != (a or c) for e, a, c in zip(earliest, answer, censored))
    for into, values in ((keys.due, due), (keys.sent, sent), (keys.answer, answer), (keys.high, high), (keys.censored, censored),
                         (keys.earliest, earliest), (keys.number, numbers)):
        into.extend(array('q', values))


def add_pings(keys: Keys, columns: list[Sequence[Any]]) -> None:
    times = columns[1]
    answer = [0 if v is None else PING_DUE + v for v in times]
    ones, zeros = array('q', [PING_DUE]) * len(times), array('q', [0]) * len(times)
    for into, values in ((keys.due, ones), (keys.sent, ones), (keys.answer, answer), (keys.high, answer), (keys.censored, zeros),
                         (keys.earliest, zeros), (keys.number, zeros)):
        into.extend(values)


def read_keys(path: str) -> Keys:
    """The keys of keyrepeat's samples.tsv, or the pings of a ping's."""
    keys, before = Keys(), 1
    for layout, columns in read_blocks(path, True, KEYS, PINGS):
        try:
            (add_keys if layout is KEYS else add_pings)(keys, columns)
        except BadRow as bad:
            raise bad_row(path, before + bad.index) from None
        before += len(columns[0])
    return keys


# --- the run ------------------------------------------------------------------------------------------------------

@dataclass(slots=True, eq=False)
class Repeat:
    """A complete repeat of a cell, or (`series`: the name of its folder) a complete train of a repeat."""
    cell: 'Cell'
    number: int
    folder: str
    json: Any  # its cell.json
    series: str = ''
    index: int = 0  # among the complete repeats of its cell
    flagged: bool = False  # as disturbed
    trains: list['Repeat'] = field(default_factory=list)
    files: dict[str, Any] = field(default_factory=dict)

    def document(self, file: str) -> Any:
        """FILE of the folder as JSON; None: there is no such file."""
        if file == 'cell.json':
            return self.json
        if file not in self.files:
            self.files[file] = read_json(f'{self.folder}/{file}')
        return self.files[file]

    def has(self, file: str) -> bool:
        return os.access(f'{self.folder}/{file}', os.F_OK)

    def table(self, file: str, layout: Layout, needed: bool = True,
              is_bad: Callable[..., bool] | None = None) -> list[Sequence[Any]] | None:
        """The columns of FILE. None: it is not there, and not needed. is_bad: of a row's cells, whether it cannot be right."""
        path = f'{self.folder}/{file}'
        parts = [columns for _, columns in read_blocks(path, needed, layout)]
        if not parts and not os.path.exists(path):
            return None
        columns = parts[0] if len(parts) == 1 else [list(chain.from_iterable(c)) for c in zip(*parts)]
        columns = columns or [[] for _ in layout.words()]
        if is_bad:
            for index, row in enumerate(zip(*columns), 1):
                if is_bad(*row):
                    raise self.bad_row(file, index)
        return columns

    def bad_row(self, file: str, index: int) -> Stop:
        """Of a row of FILE, by its number from 1."""
        return bad_row(f'{self.folder}/{file}', index)

    def keys(self) -> Keys:
        if 'samples.tsv' not in self.files:
            self.files['samples.tsv'] = read_keys(f'{self.folder}/samples.tsv')
        keys = self.files['samples.tsv']
        assert isinstance(keys, Keys)
        return keys

    def train(self, series: str) -> 'Repeat | None':
        return next((t for t in self.trains if t.series == series), None)

    def pick(self, series: str) -> 'Repeat | None':
        """The train of that series; this repeat, if no repeat of the cell has one; None: only others have one."""
        return self.train(series) if any(r.train(series) for r in self.cell.repeats) else self

    def forget(self) -> None:
        """Gives back the memory of its files."""
        self.files.clear()
        for train in self.trains:
            train.forget()


@dataclass(slots=True, eq=False)
class Cell:
    """A condition of the run, with its complete repeats in ascending order of their numbers."""
    run: 'Run'
    index: int
    name: str
    parameters: Any
    repeats: list[Repeat] = field(default_factory=list)
    complete: int = 0  # repeats, and trains in subfolders
    failed: int = 0
    kept: int = 0  # of `failed`: those with figures of the time before, which count as complete, too
    flagged: int = 0
    cut_off: int = 0  # of `failed`: interrupted
    tried: int = 0  # repeats that have a cell.json
    reason: str | None = None  # why the last failed repeat failed

    def number(self, key: str) -> float:
        return number(self.parameters, key)

    def text(self, key: str) -> str | None:
        return text(self.parameters, key)

    def need(self, key: str) -> str:
        value = self.text(key)
        if value is None:
            raise Stop(f'{self.run.folder}/run.json: cell {self.name} has no {key}')
        return value

    def is_first(self, key: str) -> bool:
        """No earlier cell has the same text under `key`."""
        return all(cell.need(key) != self.need(key) for cell in self.run.cells[:self.index])

    def absence(self) -> str:
        """Why it has no figures."""
        return 'failed' if self.failed > self.cut_off else 'not measured'


@dataclass(slots=True, eq=False)
class Run:
    folder: str
    experiment: str
    json: Any
    repeats: int
    seed: int  # of the bootstrap
    threshold_ms: float
    draws: int = 2000
    cells: list[Cell] = field(default_factory=list)
    files: dict[str, Any] = field(default_factory=dict)

    def document(self, file: str) -> Any:
        """FILE of the folder as JSON; None: there is no such file."""
        if file not in self.files:
            self.files[file] = read_json(f'{self.folder}/{file}')
        return self.files[file]

    def axes(self) -> list[str]:
        """Names of the parameters that were varied."""
        names = elements(self.json, 'axes')
        return names[:next((i for i, name in enumerate(names) if not isinstance(name, str)), len(names))]


def is_safe(name: str) -> bool:
    """Whether it can be part of a path, and leads to no other folder."""
    return bool(name) and name[0] != '.' and '/' not in name


def read_run(folder: str) -> Run:
    """run.json without its cells."""
    document = read_json(f'{folder}/run.json', True)
    if text(document, 'schema') != 'thinprobe.run/1':
        raise Stop(f'{folder}/run.json: not of schema thinprobe.run/1')
    experiment = text(document, 'experiment')
    if not experiment or not is_safe(experiment):
        raise Stop(f'{folder}/run.json: no valid name of an experiment')
    repeats, seed = whole(document, 'settings.repeats'), whole(document, 'settings.seed')
    repeats = 1 if repeats is None else repeats
    if not 1 <= repeats <= REPEATS_MOST:
        raise Stop(f'{folder}/run.json: settings.repeats is not 1 to {REPEATS_MOST}')
    return Run(folder, experiment, document, repeats, 1 if seed is None else seed,
               number(document, 'settings.threshold_ms', words.LATE_MS))


def read_repeat(cell: Cell, repeat: int, series: str = '') -> Repeat | None:
    """cell.json of a repeat, or of its train in the folder `series`. None: it is not complete, and has no figures of the time until
    it failed ("kept")."""
    folder = f'{cell.run.folder}/cells/{cell.name}/{repeat}' + (f'/{series}' if series else '')
    document = read_json(f'{folder}/cell.json')
    state, reason = text(document, 'state'), text(document, 'reason')
    cell.tried += document is not None and not series
    if document is not None and state is None:
        raise Stop(f'{folder}/cell.json: no state')
    whole_one, kept = state == 'complete', truth(document, 'kept')
    there = whole_one or kept
    flagged = there and bool(text(document, 'marked'))
    cell.flagged += flagged
    cell.complete += there
    cell.failed += not whole_one
    cell.kept += kept and not whole_one
    cell.cut_off += not whole_one and (document is None or (reason or '').startswith('interrupted'))
    if not whole_one:
        cell.reason = reason or 'interrupted'
    return Repeat(cell, repeat, folder, document, series, len(cell.repeats), flagged) if there else None


def version_key(name: str) -> list[Any]:
    """Order of names with numbers: 2 before 10."""
    return [(1, int(part), part) if part.isdigit() else (0, 0, part) for part in re.split(r'(\d+)', name)]


def read_trains(cell: Cell, repeat: Repeat) -> None:
    """The trains in subfolders, in the order of their names."""
    try:
        names = sorted(os.listdir(repeat.folder), key=version_key)
    except OSError as e:
        raise Stop(f'{repeat.folder}: {e.strerror}') from None
    for name in names:
        if name[0] != '.' and repeat.has(f'{name}/cell.json'):
            train = read_repeat(cell, repeat.number, name)
            if train:
                repeat.trains.append(train)


def read_cells(run: Run, skip_missing: bool) -> None:
    """A repeat without cell.json was interrupted, and has failed; with skip_missing, one without a folder does not count at all."""
    names: set[str] = set()
    for index, one in enumerate(elements(run.json, 'cells')[:CELLS_MOST]):
        name = text(one, 'name')
        if name is None:
            break
        if not is_safe(name):
            raise Stop(f'{run.folder}/run.json: no valid name of a cell: {name}')
        if name in names:
            raise Stop(f'{run.folder}/run.json: two cells of the name {name}')
        names.add(name)
        cell = Cell(run, index, name, at(one, 'parameters'))
        run.cells.append(cell)
        for number in range(1, run.repeats + 1):
            if skip_missing and not Path(f'{run.folder}/cells/{name}/{number}').exists():
                continue
            found = read_repeat(cell, number)
            if found:
                cell.repeats.append(found)
                read_trains(cell, found)
    if not run.cells:
        raise Stop(f'{run.folder}/run.json: no cells')
