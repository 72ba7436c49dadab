# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic of a protocol in each direction: prototap's reports of a session and of tasks in it, as rows by protocol and task.

A cell of part "session" gives setup, window, idle (per minute) and key (per key); any other part is a task, and `all` adds up the
tasks in each repeat that has all of them. Figures are means over repeats; bytes on the wire and in IP packets, and what IP headers
take, have intervals; other shares and sizes are quotients of these means. Rows by protocol and another one compare the bytes of all
tasks. A repeat of a task whose end state differs from the other repeats' is in no figure; if all repeats differ from the expected
state, `state` is "different", the figures are of these repeats, and `all` leaves the protocol out."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

from analysis import figures
from analysis.columns import Extractor, Kept, Value, Written
from analysis.command import Stop
from analysis.estimates import of_run
from analysis.numbers import most, total
from analysis.samples import Cell, Repeat, Run, number, truth

PARTS = {'setup': 'setup.json', 'window': 'window.json', 'idle': 'idle.json', 'key': 'keys.json'}  # of a session
CHANNELS = ('input', 'display', 'total')
COUNTS = ('wire_bytes', 'ip_bytes', 'payload_bytes', 'packets', 'messages')  # of each channel; and pure acks
HEADERS = {'ethernet_percent': ('headers.ethernet_header_bytes',), 'ip_percent': ('headers.ip_header_bytes',),
           'transport_percent': ('headers.tcp_header_bytes', 'headers.udp_header_bytes'), 'tls_percent': ('tls.header_bytes',)}
VIP_SAVED_BYTES = 20  # that a packet saves when its IPv4 header is left out
Counts = dict[str, float]  # of one report of prototap


def paths() -> dict[str, tuple[str, ...]]:
    """Of each count the numbers of the report's result that it is the sum of."""
    found: dict[str, tuple[str, ...]] = {f'{channel}_{count}': (f'channels.{channel}.{count}',) for channel in CHANNELS
                                         for count in COUNTS}
    acks = {f'{c}_acks': ('acks.pure' if c == 'total' else f'acks.{c}.pure',) for c in CHANNELS}
    return found | acks | HEADERS | {'seconds': ('capture.duration_s',)}


PATHS = paths()


@dataclass(frozen=True, slots=True)
class Found:
    """What is kept of a repeat: counts of each part of a session, or of the task."""
    restless: bool
    same: bool  # the picture at the end is the expected one
    differs_percent: float
    parts: dict[str, Counts]


def check(run: Run) -> None:
    if not (number(run.json, 'settings.keys') >= 1 and number(run.json, 'settings.idle_seconds') >= 1
            and all(cell.text('protocol') is not None and cell.text('part') is not None for cell in run.cells)):
        raise Stop(f'{run.folder}/run.json: settings.keys or idle_seconds is below 1, or a cell lacks the parameters protocol and '
                   'part')


def read_report(repeat: Repeat, file: str, scale: float) -> Counts | None:
    document = repeat.document(file)
    if document is None:
        return None
    found = {name: total(number(document, f'result.{path}') * scale for path in of) for name, of in PATHS.items()}
    if isnan(found['total_wire_bytes']):
        raise Stop(f'{repeat.folder}/{file}: not a report of prototap: no result.channels.total')
    return found


def divide(a: float, b: float) -> float:
    return a / b if b > 0 else nan


def is_session(cell: Cell) -> bool:
    return cell.need('part') == 'session'


def read(repeat: Repeat) -> Found:
    """A session may lack some parts: a terminal has no window of its own."""
    run = repeat.cell.run
    scale = {'idle': 60 / number(run.json, 'settings.idle_seconds'), 'key': 1 / number(run.json, 'settings.keys')}
    if is_session(repeat.cell):
        parts = {part: read_report(repeat, file, scale.get(part, 1.0)) for part, file in PARTS.items()}
    else:
        parts = {repeat.cell.need('part'): read_report(repeat, 'prototap.json', 1.0)}
        if None in parts.values():
            raise Stop(f'{repeat.folder}/prototap.json is missing')
    return Found(truth(repeat.json, 'restless'), truth(repeat.json, 'picture.same', True),
                 number(repeat.json, 'picture.differs_percent'), {part: c for part, c in parts.items() if c})


# --- the traffic of one task or part of a session -----------------------------------------------------------------

@dataclass(frozen=True, slots=True)
class Traffic:
    """Of one part: counts of the repeats that count, and how many repeats were of which kind."""
    cell: Cell
    what: str
    counts: list[Counts]
    same: int
    different: int = 0
    failed: int = 0
    flagged: int = 0
    restless: int = 0
    differs_percent: float = nan

    def mean(self, count: str) -> float:
        return divide(total(c[count] for c in self.counts), len(self.counts))


def part_traffic(cell: Cell, found: Sequence[Found], part: str) -> Traffic | None:
    there = [f for f in found if part in f.parts]
    same = sum(f.same for f in there)
    if not there and not cell.failed:
        return None
    return Traffic(cell, part, [f.parts[part] for f in there if f.same == (same > 0)], same, len(there) - same,
                   cell.failed, cell.flagged, sum(f.restless for f in there), most(f.differs_percent for f in there))


def tasks_of(cell: Cell) -> list[Cell]:
    """Those of the cell's protocol."""
    return [c for c in cell.run.cells if c.need('protocol') == cell.need('protocol') and not is_session(c)]


def count_tasks(last: Cell) -> int:
    """Tasks in the cells of one protocol that follow each other, up to the last."""
    n = 0
    for cell in reversed(last.run.cells[:last.index + 1]):
        if cell.need('protocol') != last.need('protocol'):
            break
        n += not is_session(cell)
    return n


def is_last(cell: Cell) -> bool:
    after = cell.run.cells[cell.index + 1:cell.index + 2]
    return not after or after[0].need('protocol') != cell.need('protocol')


def task_sums(cell: Cell, kept: Kept) -> list[Counts | None]:
    """All tasks of a protocol added up in each repeat; None for those that lack one."""
    out: list[Counts | None] = []
    for repeat in range(1, cell.run.repeats + 1):
        counts = [found.parts[task.need('part')] for task in tasks_of(cell) for r, found in zip(task.repeats, kept[task.index])
                  if r.number == repeat and found.same]
        out.append({name: total(c[name] for c in counts) for name in PATHS} if len(counts) >= count_tasks(cell) else None)
    return [c if c and not isnan(c['total_ip_bytes']) else None for c in out]


def traffic_of(cell: Cell, kept: Kept) -> Iterator[Traffic]:
    for part in PARTS if is_session(cell) else (cell.need('part'),):
        traffic = part_traffic(cell, kept[cell.index], part)
        if traffic:
            yield traffic
    if is_last(cell) and count_tasks(cell) > 1:
        sums = task_sums(cell, kept)
        counts = [c for c in sums if c]
        yield Traffic(cell, 'all', counts, len(counts), failed=len(sums) - len(counts))


# --- rows ---------------------------------------------------------------------------------------------------------

def with_interval(t: Traffic, values: Sequence[float]) -> figures.Figure:
    return of_run(t.cell.run, 'mean+ci', values)


def summary_row(t: Traffic) -> dict[str, Value]:
    wire, ip, messages = t.mean('total_wire_bytes'), t.mean('total_ip_bytes'), t.mean('total_messages')
    channels: dict[str, Value] = {}
    for name in (f'{channel}_{count}' for channel in CHANNELS for count in (*COUNTS, 'acks')):
        channels[name] = (with_interval(t, [c[name] for c in t.counts]) if name.endswith(('wire_bytes', 'ip_bytes'))
                          else t.mean(name))
    # what the IPv4 headers take of all IP bytes, by the quotient of each repeat
    saving = [divide(100 * VIP_SAVED_BYTES * c['total_packets'], c['total_ip_bytes']) for c in t.counts]
    return {
        'protocol': t.cell.need('protocol'), 'what': t.what, 'state': 'complete' if t.same else 'different'
        if t.different else 'failed', 'repeats': float(len(t.counts)), 'failed': float(t.failed), 'marked': float(t.flagged),
        'different': float(t.different), 'restless': float(t.restless), 'differs_percent': t.differs_percent, **channels,
        'seconds': t.mean('seconds'), 'mean_message_ip_bytes': divide(ip, messages),
        'mean_message_payload_bytes': divide(t.mean('total_payload_bytes'), messages),
        'mean_packet_wire_bytes': divide(wire, t.mean('total_packets')), 'vip_saving_percent': with_interval(t, saving),
        **{name: divide(100 * t.mean(name), wire) for name in HEADERS}}


def write_summary(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        for traffic in traffic_of(cell, kept):
            yield Written(cell, summary_row(traffic), False)


def write_protocols(run: Run, kept: Kept) -> Iterator[Written]:
    """A row for each protocol, with the bytes of each part."""
    row: dict[str, Value] = {}
    for cell in run.cells:
        for traffic in traffic_of(cell, kept):
            row['protocol'] = cell.need('protocol')
            row |= {f'{traffic.what}_bytes': traffic.mean('total_wire_bytes')} if traffic.same else {}
        if is_last(cell):
            yield Written(cell, row, False)
            row = {}


def write_shares(run: Run, kept: Kept) -> Iterator[Written]:
    """Of a protocol beside each other one: its IP bytes of all tasks in percent of the other's, of each repeat, since the same
    picture is drawn in both."""
    last = [cell for cell in run.cells if is_last(cell)]
    for cell in last:
        for other in last:
            if other is cell or not count_tasks(cell) or count_tasks(other) != count_tasks(cell):
                continue
            percent = [divide(100 * a['total_ip_bytes'], b['total_ip_bytes']) if a and b else nan
                       for a, b in zip(task_sums(cell, kept), task_sums(other, kept))]
            yield Written(cell, {'protocol': cell.need('protocol'), 'other': other.need('protocol'),
                                 'share_percent': of_run(run, 'geomean+ci', percent)}, False)


EXTRACTOR = Extractor(check=check, read=read, tables={'summary': write_summary, 'protocols': write_protocols,
                                                      'shares': write_shares})
