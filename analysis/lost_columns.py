# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU time that the server's idle CPUs lost to other work (lost.py), from idleprofile.json, lost.tsv and, if they exist,
culprits.tsv, processes.tsv and wakeups.json of each repeat. Parameters: system, sessions (0: the machine without a session).

Numbers of a repeat, in ms per minute over all CPUs: system (the lab's tasks, the kernel and interrupts), all, tick, and of each
class own, kernel, foreign, itself, ended, unexplained; events (of the system, per minute); longest (event of the system, ms);
seconds (observed); bound.X and bound_all.X (probability in percent that a task which waits until the running work is done waits for
over X ms; X may be `threshold`, that of the run). Figures of a cell: above (system minus the system of the cell with sessions 0,
within each repeat); waited.X (percent of the woken tasks that waited for over X ms, all repeats together).

Rows: `slope`: the cost of one more session of the setting `protocol`, from a least-squares line over all numbers of sessions in
each repeat; over all repeats of a cell: `curve`, the time lost to events no longer than x, and `who`, the tasks that ran;
`utilisation`, the first ten seconds of a cell's first repeat in bins of 10 ms, and `ticks`, the first tenth in bins of 1 ms."""
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import isfinite, nan

from analysis import figures, lost, spreads
from analysis.columns import Extractor, Kept, Value, Values, Written
from analysis.command import Stop, decimal
from analysis.estimates import of_run
from analysis.figures import Figure
from analysis.lost import CLASSES, UNDER_TEST, Profile
from analysis.numbers import most, over, total
from analysis.samples import Cell, Repeat, Run, elements, number, text
from analysis.spreads import ShareRuns

MS = 1e6  # ns per ms
MINUTE_S = 60.0
WAITS = 16
CURVE = tuple(0.001 * 10 ** (point / 20) for point in range(161))  # ms, from 0.001 ms to 100 s
BINS = {'utilisation': (10.0, 1000), 'ticks': (1.0, 100)}  # ms of a bin, and bins
WHO_SYSTEM = 60  # most rows of `who`: tasks of the system, and other tasks, of which a busy machine has many
WHO_OTHERS = 20
Timeline = tuple[list[float], list[float], list[float]]  # percent of the time of all CPUs: all, the system, ticks


@dataclass(slots=True)
class Ran:
    """What one culprit took in a repeat."""
    ns: float = 0.0
    longest_ns: float = 0.0
    events: int = 0


@dataclass(slots=True)
class Found:
    """What is kept of a repeat; its `profile` only until its numbers are made."""
    number: int
    wall_s: float
    cpu_s: float  # observed time, summed over all CPUs
    profile: Profile | None
    sums: dict[str, float] = field(default_factory=dict)  # system, own, kernel: ms per minute
    waits: list[tuple[float, float, float]] = field(default_factory=list)  # ms, tasks that waited for longer, woken tasks
    upto: tuple[list[float], list[float]] = ([], [])  # ns lost to events no longer than a point of the curve: all, the system
    timelines: dict[str, Timeline] = field(default_factory=dict)
    ran: dict[tuple[str, str, str], Ran] = field(default_factory=lambda: defaultdict(Ran))  # by name, kind and class


# --- reading ------------------------------------------------------------------------------------------------------

def read_walls(repeat: Repeat) -> list[float]:
    """Seconds for which each CPU was observed."""
    document = repeat.document('idleprofile.json')
    if document is None:
        raise Stop(f'{repeat.folder}/idleprofile.json: No such file or directory')
    walls: list[float] = []
    for cpu in elements(document, 'result.cpus'):
        wall = number(cpu, 'wall_s')
        if not isfinite(wall):
            break
        walls.append(wall)
    if not max(walls, default=0.0) > 0:
        raise Stop(f'{repeat.folder}/idleprofile.json: no result.cpus[].wall_s above 0')
    return walls


def read_waits(repeat: Repeat) -> list[tuple[float, float, float]]:
    document, out = repeat.document('wakeups.json'), []
    n = number(document, 'result.wakeups.n')
    for one in elements(document, 'result.compulsory') if n > 0 else ():
        ms, share = number(one, 'wait_ms'), number(one, 'measured')
        if not isfinite(ms):
            break
        if isfinite(share):
            out.append((ms, share * n, n))
    return out


def curve_of(profile: Profile, system: bool) -> list[float]:
    """ns lost to events no longer than each point."""
    up = [0.0] * (len(CURVE) + 1)
    for event in profile.events:
        ns = event.system if system else float(event.length)
        up[bisect_left(CURVE, ns / MS)] += ns
    return list(accumulate(up[:-1]))


def timeline_of(f: Found, profile: Profile, width_ms: float, bins: int) -> Timeline:
    width = int(width_ms * MS)
    there = min(bins, sum(1 for b in range(bins) if b * width_ms < f.wall_s * 1e3))
    factor = 100 / width / (f.cpu_s / f.wall_s)
    layers = [[v * factor for v in lost.fill_bins(events, profile.first_ns, width, bins, system)[:there]]
              for events, system in ((profile.events, False), (profile.events, True), (profile.ticks, False))]
    return layers[0], layers[1], layers[2]


def read(repeat: Repeat) -> Found:
    walls = read_walls(repeat)
    profile = lost.read(repeat)
    f = Found(repeat.number, max(walls), total(walls), profile, waits=read_waits(repeat))
    minute = MINUTE_S / f.wall_s
    f.sums = {'system': profile.excess(0, True) / MS * minute, 'own': profile.of_class('own') / MS * minute,
              'kernel': profile.of_class('kernel') / MS * minute}
    f.upto = curve_of(profile, False), curve_of(profile, True)
    if repeat.index == 0:
        f.timelines = {name: timeline_of(f, profile, *bins) for name, bins in BINS.items()}
    for s in profile.shares:
        ran = f.ran[(*s.name, s.group)]
        ran.ns += s.ns
        ran.longest_ns = max(ran.longest_ns, float(s.ns))
        ran.events += 1
    return f


def bound(run: Run, f: Found, profile: Profile, name: str) -> float:
    """Percent, of bound.X or bound_all.X."""
    kind, _, x = name.partition('.')
    x_ms = run.threshold_ms if x == 'threshold' else decimal(x)[0]
    return 100 * profile.excess(x_ms * MS, kind == 'bound') / (f.cpu_s * 1e9)


def numbers(repeat: Repeat, f: Found, names: Sequence[str]) -> dict[str, float]:
    profile, minute = f.profile, MINUTE_S / f.wall_s
    assert profile
    f.profile = None
    return {
        **f.sums, 'all': profile.excess(0, False) / MS * minute, 'tick': sum(t.length for t in profile.ticks) / MS * minute,
        'events': total(minute for e in profile.events if e.system > 0),
        'longest': most([e.system / MS for e in profile.events], 0.0),
        'seconds': f.wall_s, **{name: profile.of_class(name) / MS * minute for name in CLASSES},
        **{name: bound(repeat.cell.run, f, profile, name) for name in names if name.startswith(('bound.', 'bound_all.'))}}


# --- figures ------------------------------------------------------------------------------------------------------

def above(cell: Cell, kept: Kept) -> Figure:
    """Within each repeat what the system took more than without a session."""
    none = next((c for c in cell.run.cells if not c.number('sessions') > 0), None)
    without = {f.number: f.sums['system'] for f in kept[none.index]} if none and none is not cell else {}
    return of_run(cell.run, 'change+ci', [f.sums['system'] - without[f.number] for f in kept[cell.index] if f.number in without])


def waited(found: Sequence[Found], x_ms: float) -> Figure:
    """The order of waits is not known: each is by itself, with no mend for few runs."""
    places: list[float] = []  # the first WAITS times, as the repeats have them
    counts: list[tuple[float, float]] = []
    for ms, hits, n in (wait for f in found for wait in f.waits):
        if not any(abs(ms - p) <= 1e-6 for p in places):
            if len(places) == WAITS:
                continue
            places.append(ms)
        if abs(ms - x_ms) <= 1e-6:
            counts.append((hits, n))
    if not counts:
        return Figure()
    hits, n = total(c[0] for c in counts), total(c[1] for c in counts)
    share = ShareRuns(1.0, [c[0] for c in counts], [c[1] for c in counts], found={False: (n - hits, 0), True: (hits, 0)})
    low, high = spreads.independent_share(share)[0] or spreads.NONE
    return figures.estimate(100 * hits / n, 100 * low, 100 * high)


def cell_figures(cell: Cell, kept: Kept, names: Sequence[str]) -> Values:
    out: dict[str, Value] = {'above': above(cell, kept)}
    return out | {name: waited(kept[cell.index], decimal(name[7:])[0]) for name in names if name.startswith('waited.')}


# --- rows ---------------------------------------------------------------------------------------------------------

def slope_points(run: Run, kept: Kept, protocol: str, what: str, repeat: int) -> list[tuple[float, float]]:
    """(sessions, ms per minute): the machine without a session, and all numbers of sessions of the protocol."""
    return [(cell.number('sessions'), f.sums[what]) for cell in run.cells for f in kept[cell.index] if f.number == repeat
            and isfinite(f.sums[what]) and (not cell.number('sessions') > 0 or cell.text('system') == protocol)]


def write_slopes(run: Run, kept: Kept) -> Iterator[Written]:
    protocol = text(run.json, 'settings.protocol') or ''
    for what in ('system', 'own', 'kernel'):
        points = [slope_points(run, kept, protocol, what, repeat) for repeat in range(1, run.repeats + 1)]
        slopes = [spreads.fit([x for x, _ in p], [y for _, y in p]).slope for p in points if p]
        slopes = [slope for slope in slopes if isfinite(slope)]
        if slopes:
            f = of_run(run, 'change+ci', slopes)
            yield Written(run.cells[0], {
                'system': protocol, 'what': what, 'repeats': float(len(slopes)),
                'sessions_max': most([x for p in points for x, _ in p], 0.0), 'slope_ms_per_min': f,
                'slope_cpu_percent': 100 * f.value / (MINUTE_S * 1e3)}, False)


def write_curves(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        found: Sequence[Found] = kept[cell.index]
        minutes = total(f.wall_s for f in found) / MINUTE_S
        for i, upto_ms in enumerate(CURVE if minutes > 0 else ()):
            all_ns, system_ns = (total(f.upto[k][i] for f in found) for k in (0, 1))
            yield Written(cell, {'upto_ms': upto_ms, 'lost_ms_per_min': system_ns / MS / minutes,
                                 'all_ms_per_min': all_ns / MS / minutes})


def added(found: Sequence[Found]) -> dict[tuple[str, str, str], Ran]:
    """What each culprit took over all repeats."""
    out: dict[tuple[str, str, str], Ran] = defaultdict(Ran)
    for f in found:
        for key, one in f.ran.items():
            ran = out[key]
            ran.ns, ran.longest_ns, ran.events = ran.ns + one.ns, max(ran.longest_ns, one.longest_ns), ran.events + one.events
    return out


def write_culprits(run: Run, kept: Kept) -> Iterator[Written]:
    for cell in run.cells:
        minutes = total(f.wall_s for f in kept[cell.index]) / MINUTE_S
        ran = sorted(added(kept[cell.index]).items(), key=lambda item: -item[1].ns)
        everything, left = total(one.ns for _, one in ran), {True: WHO_SYSTEM, False: WHO_OTHERS}
        for (name, kind, group), one in ran:
            tested = group in UNDER_TEST
            left[tested] -= 1
            if left[tested] >= 0:
                yield Written(cell, {
                    'class': group, 'kind': kind, 'culprit': name, 'lost_ms_per_min': over(one.ns / MS, minutes),
                    'share_percent': 100 * one.ns / everything if everything > 0 else nan,
                    'times_per_min': over(one.events, minutes), 'longest_ms': one.longest_ns / MS})


def timeline_rows(run: Run, kept: Kept, name: str) -> Iterator[Written]:
    for cell in run.cells:
        for f in kept[cell.index][:1]:
            for b, (everything, system, tick) in enumerate(zip(*f.timelines[name])):
                yield Written(cell, {'time_ms': b * BINS[name][0], 'lost_percent': system, 'all_percent': everything,
                                     'tick_percent': tick})


def write_utilisation(run: Run, kept: Kept) -> Iterator[Written]:
    return timeline_rows(run, kept, 'utilisation')


def write_ticks(run: Run, kept: Kept) -> Iterator[Written]:
    return timeline_rows(run, kept, 'ticks')


EXTRACTOR = Extractor(read=read, numbers=numbers, figures=cell_figures,
                      tables={'slope': write_slopes, 'curve': write_curves, 'who': write_culprits, 'utilisation': write_utilisation,
                              'ticks': write_ticks})
