# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows: latency of keys by stage of their way to the application and back (docs/method.md, "Stages"), from samples.tsv,
keyrepeat.json (result.patch_base), wire.tsv and echo.tsv of each repeat. Columns: parameters of the cell; stage, keys (that were
split), of_keys, mean_ms (with ends), p50_ms, p90_ms, max_ms, from_ms, to_ms (cumulative means). A cell without keys that were
split, or with an overloaded train, has no rows.

A stage ends at the event of its second word: due_sent; sent_wire (first payload on the link after the key was sent); wire_app (the
application has read the key); app_drawn (it has sent its answer, at the latest when that is on the link); drawn_wire (first packet
of the screen update with the answer); wire_wire (in place of these three, if the application keeps no log); wire_pixels (the client
shows the answer); latency is their sum."""
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import nan

from analysis import figures, key_figures, spreads, traces
from analysis.columns import Extractor, Kept, Written
from analysis.command import Stop
from analysis.estimates import containing
from analysis.figures import Sample
from analysis.samples import Cell, Keys, Repeat, Run, whole
from analysis.traces import Traces

STAGES = ('due_sent', 'sent_wire', 'wire_app', 'app_drawn', 'drawn_wire', 'wire_wire', 'wire_pixels', 'latency')
NUMBER_BITS = 0xffffff  # largest number that a patch of pixels shows
MS = 1e6


@dataclass(slots=True)
class Stages:
    """ns of each stage, one value for each key that was split, and how many keys there were."""
    of: dict[str, list[int]] = field(default_factory=lambda: {stage: [] for stage in STAGES})
    keys: int = 0
    overloaded: bool = False


def lengths(due: int, sent: int, wire: int, app: tuple[int, int] | None, reply: int, pixels: int) -> dict[str, int]:
    """The length of each stage. app: when the application had read and drawn; None: without a log."""
    middle = ({'wire_app': app[0] - wire, 'app_drawn': app[1] - app[0], 'drawn_wire': reply - app[1]} if app
              else {'wire_wire': reply - wire})
    return {'due_sent': sent - due, 'sent_wire': wire - sent, **middle, 'wire_pixels': pixels - reply, 'latency': pixels - due}


def split_key(row: tuple[int, ...], seen: Traces, base: int) -> dict[str, int] | None:
    """None: some time is not known."""
    number, due, sent, answer, high, _ = row
    key = seen.keys.get(number)
    if not answer or high != answer or not sent or not key or key.seen is None:
        return None
    reply = seen.last_update(answer)
    if reply is None or reply < key.seen:
        return None
    if base < 0 or not seen.echoes:
        return lengths(due, sent, key.seen, None, reply, answer)
    echo = seen.echoes.get(base + number)
    if not echo or echo.received is None or echo.flushed is None:
        return None
    # this update began before the answer was drawn: its first packet does not carry the answer
    if echo.draw is not None and reply < echo.draw:
        return None
    # an application that is also the display server writes to the link before it logs that it has
    return lengths(due, sent, key.seen, (echo.received, min(echo.flushed, reply)), reply, answer)


def split_train(keys: Keys, seen: Traces, base: int) -> Stages:
    """The keys whose answer and whose times at all places are exactly known. base: keys that the application had counted before the
    first key of the train; below 0: the application shows no numbers."""
    out = Stages(keys=len(keys))
    if not seen.keys:
        return out
    if base >= 0 and seen.echoes:  # the patch counts modulo 2^24, the log does not
        turns = next(iter(seen.echoes)) - 1 - base + NUMBER_BITS // 2
        base += (turns // (NUMBER_BITS + 1) if turns >= 0 else -(-turns // (NUMBER_BITS + 1))) * (NUMBER_BITS + 1)
    for row in keys.rows():
        for stage, ns in (split_key(row, seen, base) or {}).items():
            out.of[stage].append(ns)
    return out


def read(repeat: Repeat) -> Stages:
    base = whole(repeat.document('keyrepeat.json'), 'result.patch_base')
    base = -1 if base is None else base
    if not -1 <= base < 2 ** 32:  # range of keyrepeat's numbers; -1: there was none
        raise Stop(f'{repeat.folder}/keyrepeat.json: result.patch_base is not -1 to 4294967295')
    train, seen = key_figures.read_train(repeat), Traces()
    traces.read_wire(repeat, seen)
    traces.read_echoes(repeat, seen, False)
    out = split_train(train.keys, seen, base)
    out.overloaded = train.overloaded
    return out


def quantile_ms(sample: Sample, p: float) -> float:
    return figures.quantile(sample, p).value / MS if figures.supports(len(sample.values), p) else nan


def mean_ms(values: list[int]) -> float:
    return figures.mean(Sample(values)).value / MS


def cell_rows(cell: Cell, trains: list[Stages]) -> Iterator[Written]:
    """A train without a log of the application while others have one is left out of all rows: means of stages add up to the mean
    latency only if all are of the same keys."""
    logged = any(t.of['wire_app'] for t in trains)
    trains = [t for t in trains if not logged or t.of['wire_app']]
    at_ms = 0.0
    for stage in STAGES:
        runs = [t.of[stage] for t in trains if t.of[stage]]
        if not runs or (logged and stage == 'wire_wire'):
            continue
        values = list(chain.from_iterable(runs))
        means, mean, sample = [mean_ms(run) for run in runs], mean_ms(values), Sample(sorted(values))
        # the mean of all keys differs from the geometric mean, and from the mean of repeats with different numbers of keys
        low, high = containing(spreads.t_logs(means) or spreads.t_mean(means), mean) or spreads.NONE
        at_ms = 0.0 if stage == 'latency' else at_ms
        yield Written(cell, {
            'stage': stage, 'keys': float(len(values)), 'of_keys': float(sum(t.keys for t in trains)), 'mean_ms': mean,
            'mean_ms_low': max(0.0, low) if low == low else nan, 'mean_ms_high': high, 'p50_ms': quantile_ms(sample, 0.5),
            'p90_ms': quantile_ms(sample, 0.9), 'max_ms': figures.maximum(sample).value / MS, 'from_ms': at_ms,
            'to_ms': at_ms + mean})
        at_ms += mean


def write(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        if not any(t.overloaded for t in kept[cell.index]):  # the stages of an overloaded train grow with the length of the run
            yield from cell_rows(cell, list(kept[cell.index]))


EXTRACTOR = Extractor(read=read, tables={'': write})
