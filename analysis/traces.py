# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of a train seen outside the client: packets (prototap's rows, wire.tsv) and the log of the application (refecho,
echo.tsv). Times are ns of the clock of keys; None: not known. And the check of latencies from packets against the pixels."""
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from analysis.samples import Keys, Layout, Repeat

WIRE = Layout('wire/1', '$kind time_ns end_ns key low_ns high_ns exact block | captured')
ECHOES = Layout('echo/1', 'seq received_ns draw_ns flushed_ns')


class WireKey(NamedTuple):
    seen: int | None  # first payload on the link after the key was sent
    low: int | None  # range in which its answer lies, from packets alone; low without high: no upper end
    high: int | None
    exact: bool
    captured: bool  # the capture contains the key's block
    block: int | None


class Echo(NamedTuple):
    received: int | None
    draw: int | None
    flushed: int | None


@dataclass(slots=True)
class Traces:
    updates: list[int] = field(default_factory=list)  # of screen updates the times of the first packet; ascending
    keys: dict[int, WireKey] = field(default_factory=dict)  # by number
    echoes: dict[int, Echo] = field(default_factory=dict)  # by how many keys the application had read; ascending

    def before(self, ns: int) -> int:
        """How many updates began at or before `ns`; the first ones."""
        return bisect_right(self.updates, ns)

    def last_update(self, ns: int) -> int | None:
        """Of the last update that began at or before `ns`, its begin: the client showed its content at that time."""
        n = self.before(ns)
        return self.updates[n - 1] if n else None


def add_wire_row(traces: Traces, row: Sequence[Any], last: int | None) -> bool:
    """False: it cannot be right. last: the number of the key before."""
    kind, time, end, key, low, high, exact, block, captured = row
    if kind == 'update':
        if time is None or end is None or end < time or (traces.updates and time < traces.updates[-1]):
            return False
        traces.updates.append(time)
    elif kind == 'key':
        if key is None or (last is not None and key <= last):
            return False
        before = traces.keys[last] if last is not None else None
        # files without the column `captured`: a block is captured if its first key has a time
        there = captured > 0 if captured is not None else before.captured if before and block is not None and \
            block == before.block else time is not None
        traces.keys[key] = WireKey(time, low, high, bool(exact), there, block)
    return True


def read_wire(repeat: Repeat, into: Traces) -> None:
    last: int | None = None
    for index, row in enumerate(zip(*repeat.table('wire.tsv', WIRE, False) or []), 1):
        if not add_wire_row(into, row, last):
            raise repeat.bad_row('wire.tsv', index)
        last = row[3] if row[0] == 'key' else last


def read_echoes(repeat: Repeat, into: Traces, needed: bool) -> None:
    last: int | None = None
    for index, (number, *times) in enumerate(zip(*repeat.table('echo.tsv', ECHOES, needed) or []), 1):
        if number is None or (last is not None and number <= last):
            raise repeat.bad_row('echo.tsv', index)
        into.echoes[number] = Echo(*times)
        last = number


# --- latencies from packets ---------------------------------------------------------------------------------------

def captured(wire: Traces, number: int) -> WireKey | None:
    """None: the capture does not contain its block. A key that crossed the link only after the next key was sent has no time of its
    own, but is paired like all others: leaving it out would drop the late keys."""
    key = wire.keys.get(number)
    return key if key and key.captured else None


class Check(NamedTuple):
    keys: int  # with an exact answer in the pixels that were searched for in the packets
    held: int  # of these, those whose true update lies within the range from packets
    exact: int  # of these, those whose range has length 0


def check(pixels: Keys, wire: Traces) -> Check:
    """The true update is the last one that began before the client's pixels showed the answer: decoding takes the client less than
    the 10 ms between updates."""
    found = []
    for number, _, _, answer, high, _ in pixels.rows():
        key = captured(wire, number)
        shown = wire.last_update(answer) if answer and high == answer else None
        if key and shown is not None:
            held = key.low is not None and key.low <= shown and (key.high is None or shown <= key.high)
            found.append((held, key.exact))
    return Check(len(found), sum(held for held, _ in found), sum(exact for _, exact in found))


def earliest_answer(wire: Traces, key: WireKey, sent: int) -> int:
    """A lower bound of the time of an answer whose range has no end."""
    if key.low is not None:
        return key.low
    gone = sent if key.seen is None else key.seen
    after = wire.before(gone)
    return wire.updates[after] if after < len(wire.updates) else gone


def keys_from(pixels: Keys, wire: Traces) -> Keys:
    """The same keys as measured from packets alone: with the range of the answer, or its lower bound."""
    out = Keys(skipped=pixels.skipped)
    for row, earliest in zip(pixels.rows(), pixels.earliest):
        number, due, sent = row[:3]
        key = captured(wire, number)
        if not key:
            continue
        answer, high = key.low or 0, key.high or 0
        out.ranged = out.ranged or bool(answer and high != answer)
        for into, value in ((out.number, number), (out.due, due), (out.sent, sent), (out.answer, answer), (out.high, high),
                            (out.censored, 0 if answer and high else earliest_answer(wire, key, sent or due)),
                            (out.earliest, earliest)):
            into.append(value)
    return out
