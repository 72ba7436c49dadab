# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of an animation experiment: figures of its totals as the driver wrote them, and its course over time."""
from dataclasses import dataclass
from math import fabs, floor, isnan, nan
from typing import Any

from analysis.numbers import over
from analysis.samples import Layout, Repeat, number

# figure -> factor, number, and what it is divided by: the first of these that is known
QUOTIENTS: dict[str, tuple[float, str, tuple[str, ...]]] = {
    'mbit_per_s': (8 / 1e6, 'display_wire_bytes', ('seconds',)), 'kb_per_s': (1e-3, 'display_wire_bytes', ('seconds',)),
    'input_mbit_per_s': (8 / 1e6, 'input_wire_bytes', ('seconds',)),
    'seen_per_s': (1, 'frames_seen', ('seconds',)),  # frames on the user's screen
    'shown_per_s': (1, 'frames_shown', ('seconds',)), 'late_percent': (100, 'late_frames', ('frames_due',)),
    'packets_per_frame': (1, 'display_packets', ('frames_seen', 'frames_shown')),
}
# bytes_per_frame: display traffic per frame seen, or per frame shown if no screen is watched; frame_bytes: uncompressed;
# information_bytes: after lossless compression
PLAIN = ('cpu_percent', 'bytes_per_frame', 'frame_bytes', 'information_bytes', 'seconds', 'from_ns')
BINS_MOST = 20000
BIN_S = 0.5
BIN_NS = 500000000
BIN_MBIT_PER_S = 8 / BIN_S / 1e6  # Mbit/s per byte in a bin
ORIGIN_MOST = 1e18
TRAFFIC = Layout('traffic/1', 'bin_start_ns display_wire_bytes')
CPU = Layout('cpu/1', 'time_ns wall_ns own_ns')


def figure(step: Any, name: str) -> float | None:
    """Of the step that is this JSON object. NaN: not known; None: no such figure."""
    if name in PLAIN:
        return number(step, name)
    if name not in QUOTIENTS:
        return None
    factor, key, over_what = QUOTIENTS[name]
    of = next((v for v in (number(step, other) for other in over_what) if not isnan(v)), nan)
    return factor * number(step, key) / of if of > 0 else nan


def value(step: Any, name: str) -> float:
    found = figure(step, name)
    return nan if found is None else found


@dataclass(slots=True)
class Series:
    """Display traffic (bytes on the wire) and CPU time (percent of one CPU; NaN: no reading) of a step in bins of BIN_S. first: the
    number of the first bin; below 0: before the origin."""
    first: int
    bytes: list[float]
    cpu_percent: list[float]


def bin_of(time_ns: int, origin_ns: int) -> int:
    return floor(float(time_ns - origin_ns) / BIN_NS)


def read_traffic(repeat: Repeat, step: str, origin: int) -> Series:
    """Packets count in the bin in which their own bin of traffic.tsv begins. Rows are in the order of time."""
    out = Series(0, [], [])
    for index, (start, size) in enumerate(zip(*repeat.table(f'{step}/traffic.tsv', TRAFFIC, False) or []), 1):
        at = None if start is None else bin_of(start, origin)
        out.first = at if at is not None and not out.bytes else out.first
        if at is None or not 0 <= at - out.first < BINS_MOST:
            raise repeat.bad_row(f'{step}/traffic.tsv', index)
        out.bytes += [0.0] * (at - out.first + 1 - len(out.bytes))
        out.bytes[at - out.first] += nan if size is None else size
    return out


def read_series(repeat: Repeat, step: str, origin_ns: float) -> Series:
    """Of the folder STEP of the repeat. No bins if the origin is not known or nothing was captured."""
    if not fabs(origin_ns) < ORIGIN_MOST:
        return Series(0, [], [])
    origin = int(origin_ns)
    out = read_traffic(repeat, step, origin)
    out.cpu_percent = [nan] * len(out.bytes)
    rows = list(zip(*repeat.table(f'{step}/cpu.tsv', CPU, False) or [])) if out.bytes else []
    # CPU time between two readings counts in the bin of their middle
    for (t0, wall0, own0), (t1, wall1, own1) in zip(rows, rows[1:]):
        if None in (t0, t1, wall0, wall1, own0, own1) or not t0 or wall1 <= wall0:
            continue
        at = bin_of((t0 + t1) // 2, origin) - out.first
        if 0 <= at < len(out.bytes):
            out.cpu_percent[at] = 100.0 * over(own1 - own0, wall1 - wall0)
    return out
