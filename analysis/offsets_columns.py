# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows: the measurement error of each probe, for each path and injected delay, and for all delays of a path together ("all"), over
all complete repeats. Parameters: path, delay (a name in run.json's settings.delays). Files: samples.tsv, echo.tsv, and wire.tsv
where packets were captured. less_base_ms: offset minus the offset without an injected delay; protocols.PATH.floor_ms of run.json:
time that the path itself takes.

The error is the response time that a probe measured for a key minus the time that the answering application took. The application
(refecho) logs on the same clock when it received a key and when its answer was sent. The error is computed from these times and not
from the configured delay, because a late wake-up of the application is no error of the probe:
    offset = (answer - sent) - (flushed - received) = (received - sent) + (answer - flushed),
the time to the application and back: the probe's own error, and the path that cannot be told from it."""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import nan

from analysis import figures, traces
from analysis.columns import Extractor, Kept, Written
from analysis.figures import Sample
from analysis.samples import Cell, Keys, Repeat, Run, elements, number, text
from analysis.traces import Traces

MS = 1e6
PROBES = ('patch', 'wire')  # a number read from the pixels; packets of the display channel
# magnitude: the offset without its sign; there, back: to and from the application
OFFSETS = ('offset', 'magnitude', 'measured', 'injected', 'there', 'back')
# tolerance for packet times, which are converted from another clock; drawing takes longer than this before its first packet is sent
CONVERSION_NS = 20000


@dataclass(slots=True)
class Offsets:
    """Of a probe: ns of each key; and keys without an answer or without a log entry of the application."""
    of: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in OFFSETS})
    lost: int = 0
    trains: int = 0
    flagged: int = 0

    def add(self, other: 'Offsets') -> None:
        for name, values in other.of.items():
            self.of[name] += values
        self.lost, self.trains, self.flagged = self.lost + other.lost, self.trains + other.trains, self.flagged + other.flagged


def wire_times(seen: Traces, key: int, draw: int | None) -> tuple[int | None, int | None]:
    """A key is sent with its first packet, and answered by the first update that does not begin before the application drew."""
    on_wire = seen.keys.get(key)
    after = len(seen.updates) if draw is None else seen.before(draw - CONVERSION_NS - 1)
    return on_wire.seen if on_wire else None, seen.updates[after] if after < len(seen.updates) else None


def train_offsets(probe: str, keys: Keys, seen: Traces) -> Offsets:
    """The keys of one train, which the application numbered in the same way."""
    out = Offsets()
    for key, _, was_sent, answered, _, _ in keys.rows():
        echo = seen.echoes.get(key)
        sent, answer = wire_times(seen, key, echo.draw if echo else None) if probe == 'wire' else (was_sent or None,
                                                                                                   answered or None)
        if not echo or echo.received is None or echo.flushed is None or sent is None or answer is None:
            out.lost += 1
            continue
        there, back = echo.received - sent, answer - echo.flushed
        for name, ns in zip(OFFSETS, (there + back, abs(there + back), answer - sent, echo.flushed - echo.received, there, back)):
            out.of[name].append(ns)
    out.trains = 1
    return out


def read(repeat: Repeat) -> dict[str, Offsets]:
    """By probe."""
    keys, seen = repeat.keys(), Traces()
    traces.read_echoes(repeat, seen, True)
    traces.read_wire(repeat, seen)
    out = {probe: train_offsets(probe, keys, seen) for probe in PROBES if probe != 'wire' or repeat.has('wire.tsv')}
    for one in out.values():
        one.flagged = int(repeat.flagged)
    return out


def quantile_ms(values: Sequence[int], q: float) -> float:
    return figures.quantile(Sample(sorted(values)), q).value / MS


def tail_percent(n: int) -> int:
    """The highest of the percentiles 99, 95, 90 with at least ten values beyond it, else 75; 0: no values."""
    return next((p for p in (99, 95, 90) if figures.supports(n, p / 100)), 75 if n else 0)


def probe_row(cell: Cell, delay: str | None, probe: str, o: Offsets, base_ms: float) -> Written:
    """base_ms: the offset without an injected delay."""
    path, values = cell.need('path'), o.of['offset']
    tail, offset = tail_percent(len(values)), quantile_ms(values, 0.5)
    floor_ms = number(cell.run.json, f'protocols.{path}.floor_ms')
    return Written(cell, {
        'path': path, 'probe': probe, 'delay': delay, 'trains': float(o.trains), 'marked': float(o.flagged),
        'keys': float(len(values)), 'lost': float(o.lost),
        **{f'{name}_ms': quantile_ms(o.of[name], 0.5) for name in ('injected', 'measured', 'there', 'back')},
        'offset_ms': offset, 'offset_min_ms': min(values, default=nan) / MS, 'offset_max_ms': max(values, default=nan) / MS,
        'sd_ms': figures.deviation(Sample(values)).value / MS, 'tail_percent': float(tail) if tail else nan,
        'tail_ms': quantile_ms(values, tail / 100) - offset if tail else nan,
        'error_ms': quantile_ms(o.of['magnitude'], tail / 100) if tail else nan, 'less_base_ms': offset - base_ms,
        'floor_ms': floor_ms, 'less_floor_ms': offset - floor_ms}, False)


def has_no_delay(cell: Cell) -> bool:
    """No delay is injected."""
    return any(text(one, 'name') == cell.text('delay') and number(one, 'ms') == 0
               for one in elements(cell.run.json, 'settings.delays'))


def path_rows(cells: Sequence[Cell], kept: Kept) -> Iterator[Written]:
    base = dict.fromkeys(PROBES, nan)
    everything = {probe: Offsets() for probe in PROBES}
    for cell in cells:
        for probe in PROBES:
            own = Offsets()
            for found in kept[cell.index]:
                if probe in found:
                    own.add(found[probe])
            everything[probe].add(own)
            if has_no_delay(cell) and own.of['offset']:
                base[probe] = quantile_ms(own.of['offset'], 0.5)
            if own.trains:
                yield probe_row(cell, cell.text('delay'), probe, own, base[probe])
    for probe, o in everything.items():
        if o.trains:
            yield probe_row(cells[0], 'all', probe, o, base[probe])


def write(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        if cell.is_first('path'):
            # (rows of a path's cells stand in the order of the run, with its first cell)
            for row in path_rows([c for c in run.cells if c.need('path') == cell.need('path')], kept):
                yield Written(cell, row.values, False)


EXTRACTOR = Extractor(read=read, tables={'': write})
