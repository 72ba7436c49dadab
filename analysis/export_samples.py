# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of a run as other tools read them: a table, a database, HdrHistogram's lines of percentiles, Perfetto's time line,
packets with the numbers of their keys."""
import json
import re
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from analysis.command import Stop
from analysis.escape import drawable
from analysis.export_figures import Table
from analysis.notes import value_text
from analysis.run import distinct, read_facts, read_text
from analysis.terminal import plain_numbers

HEADING = re.compile('[A-Za-z0-9_]*')


def in_order(path: Path | str) -> list[Any]:
    """Names as people sort them: numbers by value, letters before signs."""
    parts = re.split('([0-9]+)', str(path))
    return [int(part) if i % 2 else [ord(c) + 256 * (not c.isalpha()) for c in part] for i, part in enumerate(parts)]


def named(folder: Path, pattern: str) -> list[Path]:
    """The files below a folder with such a name; not in those of a try that does not count."""
    found = [path for path in folder.glob(f'**/{pattern}')
             if not any(part.endswith('~') for part in path.relative_to(folder).parts)]
    return sorted(found, key=in_order)


def read_table(file: Path) -> Table:
    text = read_text(file)
    return [line.split('\t') for line in text.removesuffix('\n').split('\n')]


def rows_of(table: Table) -> list[dict[str, str]]:
    head = table[0]
    return [dict(zip(head, [*row, *[''] * len(head)])) for row in table[1:]]


def drawn_rows(file: Path) -> list[dict[str, str]]:
    return rows_of([[drawable(cell) for cell in row] for row in read_table(file)])


def whole(text: str | None) -> float:
    """As awk reads a number: what is none is 0."""
    found = re.match(r'\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?', text or '', re.IGNORECASE)
    return float(found[0]) if found else 0.0


# --- every key ----------------------------------------------------------------------------------------------------

def check_headings(folder: Path) -> bool:
    """Whether all headings of samples are names."""
    for file in (folder / 'cells').glob('**/samples.tsv'):
        with open(file, 'rb') as stream:
            head = stream.readline(65536).decode(errors='replace').rstrip('\n')
        if not all(HEADING.fullmatch(name) for name in head.split('\t')):
            return False
    return True


def escaped(value: Any) -> str:
    text = '' if value is None or value is False else value if isinstance(value, str) else (
        json.dumps(value, ensure_ascii=False, separators=(',', ':')) if isinstance(value, list | dict) else value_text(value))
    return text.replace('\\', '\\\\').replace('\t', '\\t').replace('\n', '\\n').replace('\r', '\\r')


def before_of(folder: Path, axes: Sequence[str]) -> list[str] | None:
    """The parameters of a repeat; None: it is not complete."""
    try:
        facts = read_facts(folder / 'cell.json')
    except Stop:
        return None
    parameters = facts.get('parameters')
    return ([escaped(parameters.get(axis)) for axis in axes] if facts.get('state') == 'complete' and isinstance(parameters, dict)
            else None)


def samples(folder: Path, axes: Sequence[str], names: Iterable[str], why: str, notes: list[str]) -> Table:
    """Parameters, cell, repeat, series, then the columns of samples.tsv of complete repeats. why: cells have none of the run's
    samples."""
    if not (folder / 'cells').is_dir():
        raise Stop('the run has no samples.tsv')
    columns = distinct(name for file in named(folder / 'cells', 'samples.tsv') for name in read_table(file)[0])
    head = [*axes, 'cell', 'repeat', 'series']
    # one that is called as an axis gets another name
    out = [[*head, *(f'sample_{name}' if name in head else name for name in columns)]]
    lacking, is_any = [], False
    for name in names:
        cell = folder / 'cells' / name
        if not cell.is_dir():
            lacking.append(name)
        for file in named(cell, 'samples.tsv') if cell.is_dir() else ():
            repeat, *series = file.relative_to(cell).parts
            before = before_of(cell / repeat, axes)
            if before is None:
                notes.append(f'left out, not complete: {name}, repeat {repeat}')
                continue
            is_any = True
            out += [[*before, name, repeat, '/'.join(series[:-1]) or 'latency', *(row.get(column, '') for column in columns)]
                    for row in rows_of(read_table(file))]
    if not is_any:
        raise Stop(f'{", ".join(lacking) or "the run"} has no samples.tsv{why if lacking else ""}')
    if lacking:
        notes.append(f'left out, without samples: {", ".join(lacking)}{why}')
    return out


# --- a database ---------------------------------------------------------------------------------------------------

def scalars(value: Any, path: str = '') -> Iterator[tuple[str, str]]:
    """(path, text) of all that is known."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, v in pairs:
        yield from scalars(v, f'{path}.{key}' if path else str(key))
    if path and not isinstance(value, dict | list) and value is not None and value is not False:
        yield path, value_text(value)


def add_table(db: sqlite3.Connection, name: str, table: Table) -> None:
    """Its cells as numbers where they are such, so that they compare as such, and an average leaves out what is not there."""
    head = table[0]
    db.execute(f'create table {name}({", ".join(f"{json.dumps(column)} numeric" for column in head)})')
    db.executemany(f'insert into {name} values ({", ".join("?" * len(head))})',
                   ([cell or None for cell in [*row, *[''] * len(head)][:len(head)]] for row in table[1:]))


def sqlite(facts: Mapping[str, Any], figures: Table, keys: Table | None) -> bytes:
    settings = [(key, value if isinstance(value, str) else json.dumps(plain_numbers(value), ensure_ascii=False,
                                                                      separators=(',', ':')))
                for key, value in (facts.get('settings') or {}).items()]
    more = list(scalars({key: value for key, value in facts.items() if key not in ('settings', 'cells')}))
    try:
        with sqlite3.connect(':memory:') as db:
            for name, rows in (('settings', settings), ('facts', more)):
                db.execute(f'create table {name}(name text primary key, value text)')
                db.executemany(f'insert into {name} values (?, ?)', rows)
            add_table(db, 'figures', figures)
            if keys:
                add_table(db, 'samples', keys)
        return bytes(db.serialize())
    except (sqlite3.Error, OverflowError) as e:
        raise Stop(f'sqlite cannot hold long.tsv or samples.tsv: {e}') from None


# --- percentiles --------------------------------------------------------------------------------------------------

def exact_ms(table: Table, notes: list[str]) -> list[float]:
    """Latencies of keys that are known exactly, sorted."""
    rows = ([row for row in rows_of(table) if row['series'] == 'latency' and row.get('skipped') != '1']
            if 'answer_ns' in table[0] else [])
    exact = [row for row in rows if row['answer_ns'] and row['answer_ns'] == row.get('answer_high_ns')]
    if len(exact) < len(rows):
        notes.append(f'{len(rows) - len(exact)} keys have no exact latency and are left out')
    return sorted(float(f'{(whole(row["answer_ns"]) - whole(row["due_ns"])) / 1e6:.6f}') for row in exact)


def hgrm(values: Sequence[float]) -> Iterator[str]:
    """The percentile lines of HdrHistogram: the values themselves, at each halving of the distance to 100 %."""
    n = len(values)

    def line(share: float) -> str:
        k = max(int(share * n + 0.5), 1)  # as HdrHistogram counts
        return f'{values[k - 1]:12.3f} {share:2.12f} {k:10d}' + (f' {1 / (1 - share):14.2f}' if share < 1 else '')

    yield f'{"Value":>12} {"Percentile":>14} {"TotalCount":>10} {"1/(1-Percentile)":>14}'
    yield ''
    yield line(0)
    half = 1.0
    while half > 1 / n:
        yield from (line(1 - half + i * half / 10) for i in range(1, 6))
        half /= 2
    yield line(1)
    total = squares = 0.0
    for value in values:
        total, squares = total + value, squares + value * value
    mean = total / n
    deviation = sqrt(max(squares / n - mean * mean, 0.0))
    yield f'#[Mean    = {mean:12.3f}, StdDeviation   = {deviation:12.3f}]'
    yield f'#[Max     = {values[-1]:12.3f}, Total count    = {n:12d}]'
    yield f'#[Buckets = {0:12d}, SubBuckets     = {0:12d}]'


# --- a time line --------------------------------------------------------------------------------------------------

def fixed(value: float) -> float:
    return float(f'{value:.3f}')


def meta(what: str, pid: int, name: str, **more: int) -> dict[str, Any]:
    return {'name': what, 'ph': 'M', 'pid': pid, **more, 'args': {'name': name}}


def key_events(file: Path, pid: int) -> Iterator[dict[str, Any]]:
    """As many threads for keys as waited at the same time, since Perfetto drops an event that overlaps another one of its
    thread."""
    ends: dict[int, float] = {}
    for row in drawn_rows(file):
        if 'answer_ns' not in row:
            return
        due, answer, high = whole(row.get('due_ns')), row['answer_ns'], row.get('answer_high_ns', '')
        key = f'key {row.get("key", "")}'
        if answer:
            lane = next(i for i in range(3, len(ends) + 4) if not ends.get(i, 0.0) > due)
            if not ends.get(lane):
                yield meta('thread_name', pid, 'keys' + (f', waiting with {lane - 3} more' if lane > 3 else ''), tid=lane)
            ends[lane] = max(whole(high or row.get('censored_ns')), whole(answer))
            is_range = high != answer
            more = {'args': {'earliest_ms': fixed((whole(answer) - due) / 1e6)}} if is_range else {}
            yield {'name': key + (', at the latest' if is_range else ''), 'ph': 'X', 'pid': pid, 'tid': lane,
                   'ts': fixed(due / 1000), 'dur': fixed((ends[lane] - due) / 1000), **more}
        else:
            yield {'name': f'{key} unanswered', 'ph': 'i', 'pid': pid, 'tid': 1, 'ts': fixed(due / 1000), 's': 't'}
        if row.get('sent_ns'):
            yield {'name': f'{key} sent', 'ph': 'i', 'pid': pid, 'tid': 1, 'ts': fixed(whole(row['sent_ns']) / 1000), 's': 't'}


def packet_events(file: Path, pid: int) -> Iterator[dict[str, Any]]:
    for row in drawn_rows(file) if file.is_file() else ():
        if row.get('time_ns'):
            yield {'name': f'{row.get("kind", "")} {row.get("n", "")}', 'ph': 'i', 's': 't', 'pid': pid, 'tid': 2,
                   'ts': fixed(whole(row['time_ns']) / 1000), 'args': {'bytes': row.get('bytes', '')}}


def perfetto(folder: Path, names: Iterable[str]) -> dict[str, Any]:
    """Chrome's JSON trace, which Perfetto reads: a process for each repeat, a thread for packets (wire.tsv), and some for keys."""
    repeats = [(name, path) for name in names for path in sorted((folder / 'cells' / name).glob('*')) if path.is_dir()
               and path.name[-1] != '~' and (path / 'samples.tsv').is_file()]
    events: list[dict[str, Any]] = []
    for pid, (name, path) in enumerate(repeats, 1):
        events += [meta('process_name', pid, f'{name}, repeat {path.name}'), meta('thread_name', pid, 'sent', tid=1),
                   meta('thread_name', pid, 'packets', tid=2), *key_events(path / 'samples.tsv', pid),
                   *packet_events(path / 'wire.tsv', pid)]
    if not any(event['ph'] != 'M' for event in events):
        raise Stop('the run has no keys with times (or their samples are left out)')
    return {'traceEvents': events, 'displayTimeUnit': 'ms'}


# --- packets ------------------------------------------------------------------------------------------------------

def key_times_us(folder: Path) -> list[tuple[float, str]]:
    """When each key was on the wire, by the clock of the capture: (us, key)."""
    offset = next((at for row in rows_of(read_table(folder / 'samples.tsv')) if (at := whole(row.get('realtime_offset_ns')))), 0.0)
    return [(float(f'{(whole(row.get("time_ns")) + offset) / 1000:.0f}'), row.get('key', ''))
            for row in rows_of(read_table(folder / 'wire.tsv')) if row.get('kind') == 'key']


def frames(capture: Path, keys: Sequence[tuple[float, str]]) -> Iterator[tuple[str, str]]:
    """(frame, keys that it carries): the packet of a key is the first at or after its time on the wire. (Of a capture cut short
    what is there.)"""
    said = (subprocess.run(['tshark', '-r', capture, '-T', 'fields', '-e', 'frame.number', '-e', 'frame.time_epoch'],
                           capture_output=True, text=True, errors='replace').stdout)
    k = 0
    for line in said.splitlines():
        number, _, epoch = line.partition('\t')
        seconds, _, fraction = epoch.partition('.')
        us = whole(seconds) * 1e6 + whole(f'{fraction}000000'[:6])
        first = k
        while k < len(keys) and us >= keys[k][0] - 1:
            k += 1
        if k > first:
            yield number, ', '.join(key for _, key in keys[first:k])


def captured(folder: Path, name: str) -> Path:
    found = named(folder / 'cells' / name, 'capture.pcap*')
    if not found:
        raise Stop(f'{name} has no capture; measure with --keep-captures')
    if not (found[0].parent / 'wire.tsv').is_file():
        raise Stop(f'{name} has no wire.tsv, which tells the packets of keys')
    return found[0]


def pcapng(capture: Path, to: Path) -> bytes:
    comments = [word for number, keys in frames(capture, key_times_us(capture.parent)) for word in ('-a', f'{number}:key {keys}')]
    if not comments:
        raise Stop('no packet carries a key')
    if subprocess.run(['editcap', '-F', 'pcapng', *comments, capture, to], capture_output=True).returncode:
        raise Stop('editcap could not write the capture')
    return to.read_bytes()
