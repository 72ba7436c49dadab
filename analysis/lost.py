# SPDX-License-Identifier: GPL-3.0-or-later
"""The idle profile of one repeat: events during which CPUs were not idle, the tasks that ran in them, and the share of the measured
system.

idleprofile records everything that takes CPU time. A task belongs to the lab when it runs in a process namespace of the lab, which
the experiment looks up while the task lives; all other tasks are foreign. "System" is the time of the lab's tasks, of kernel
threads and of interrupts; foreign tasks, the measurement itself and time without a record are counted apart. Timer ticks, which the
profiler's loop keeps alive, are apart from the events."""
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from analysis.samples import Layout, Repeat

UNDER_TEST = ('own', 'kernel')  # tasks of the lab; kernel threads and interrupts
# others: tasks of no namespace of the lab; the measurement itself; tasks that ended before they were looked up; time stolen by the
# hypervisor, or without a record
CLASSES = (*UNDER_TEST, 'foreign', 'itself', 'ended', 'unexplained')
EVENTS = Layout('lost/1', 'cpu start_ns lost_ns span_ns $kind')
PROCESSES = Layout('process/1', 'pid $class | $process')
CULPRITS = Layout('culprit/1', 'cpu start_ns end_ns ns pid $culprit $kind')
NAME = 39  # bytes of a culprit's name
KIND = 15
PROCESS = 15  # bytes of a process's name


@dataclass(slots=True)
class Event:
    cpu: int
    start: int  # ns
    end: int  # including pauses within the event
    length: int  # lost time in ns, without the pauses
    system: float = 0.0  # ns of `length` that the system took


class Share(NamedTuple):
    """Time that a culprit took."""
    cpu: int
    start: int
    end: int
    ns: int
    group: str  # one of CLASSES
    name: tuple[str, str]  # and kind


@dataclass(slots=True)
class Profile:
    events: list[Event]
    ticks: list[Event]
    first_ns: int  # when the first row began
    named: bool  # culprits were recorded
    shares: list[Share] = field(default_factory=list)

    def of_class(self, group: str) -> float:
        """ns that a class took; NaN: culprits were not recorded."""
        return float(sum(s.ns for s in self.shares if s.group == group)) if self.named else float('nan')

    def excess(self, x_ns: float, system: bool) -> float:
        """Sum over events of max(0, length - x) in ns; system: by the system's shares. Divided by the observed time, it is the
        probability that a task which waits until the running work is done waits for longer than x (run-to-completion bound)."""
        return float(sum(max(0.0, (e.system if system else e.length) - x_ns) for e in self.events))


def cut(text: str, bytes_: int) -> str:
    """The text, as far as it takes no more bytes."""
    return text.encode(errors='surrogateescape')[:bytes_].decode(errors='surrogateescape')


def read_events(repeat: Repeat) -> tuple[list[Event], list[Event], int]:
    """Events, ticks, and when the first row began."""
    events: list[Event] = []
    ticks: list[Event] = []
    first = 0
    for index, (cpu, start, lost, span, kind) in enumerate(zip(*repeat.table('lost.tsv', EVENTS) or []), 1):
        if None in (cpu, start, lost, span) or kind not in ('event', 'tick'):
            raise repeat.bad_row('lost.tsv', index)
        first = start if index == 1 else min(first, start)
        (events if kind == 'event' else ticks).append(Event(cpu, start, start + max(span, lost), lost))
    return events, ticks, first


def read_processes(repeat: Repeat) -> dict[int, tuple[str, str]]:
    """(class, name of the process whose thread it is) by pid."""
    out: dict[int, tuple[str, str]] = {}
    for index, (pid, group, process) in enumerate(zip(*repeat.table('processes.tsv', PROCESSES, False) or []), 1):
        if pid is None or group not in CLASSES:
            raise repeat.bad_row('processes.tsv', index)
        out.setdefault(pid, (group, cut(process or '', PROCESS)))
    return out


def read_culprits(repeat: Repeat) -> list[Share]:
    """Everything that is no task belongs to the kernel, except time without a record. (The profiler leaves its own time out.)"""
    processes, out = read_processes(repeat), []
    for index, (cpu, start, end, ns, pid, culprit, kind) in enumerate(zip(*repeat.table('culprits.tsv', CULPRITS, False) or []), 1):
        if None in (cpu, start, end, ns) or end < start or len(kind.encode(errors='surrogateescape')) > KIND:
            raise repeat.bad_row('culprits.tsv', index)
        group, process = processes.get(pid, ('ended', '')) if kind == 'task' else ('', '')
        group = group or ('unexplained' if kind == 'unexplained' else 'kernel')
        name = f'{cut(culprit, 16)} ({process})' if process and process != culprit else culprit
        out.append(Share(cpu, start, end, ns, group, (cut(name, NAME), kind)))
    return out


def share_out(events: list[Event], shares: Sequence[Share]) -> None:
    """Adds the system's share to each event. The time of a culprit that covers several events (a long burst that the scheduler
    split) is divided in proportion to their lengths."""
    by_cpu: dict[int, list[Event]] = defaultdict(list)
    for event in sorted(events, key=lambda e: (e.cpu, e.start)):
        by_cpu[event.cpu].append(event)
    # latest end of an event and of earlier ones: an event may lie in a pause of another
    reach = {cpu: list(accumulate((e.end for e in of), max)) for cpu, of in by_cpu.items()}
    starts = {cpu: [e.start for e in of] for cpu, of in by_cpu.items()}
    for s in shares:
        if s.group not in UNDER_TEST or s.cpu not in by_cpu:
            continue
        first = bisect_right(reach[s.cpu], s.start)
        last = max(first, bisect_right(starts[s.cpu], s.end - 1))
        covered = [e for e in by_cpu[s.cpu][first:last] if e.end > s.start]
        length = float(sum(e.length for e in covered))
        for event in covered if length > 0 else ():
            event.system += float(s.ns) * event.length / length


def read(repeat: Repeat) -> Profile:
    named = repeat.has('culprits.tsv')
    shares = read_culprits(repeat)
    events, ticks, first = read_events(repeat)
    for event in events if not named else ():  # without culprits, all time is the system's
        event.system = float(event.length)
    share_out(events, shares)
    return Profile(sorted(events, key=lambda e: (e.cpu, e.start)), ticks, first, named, shares)


def fill_bins(events: Sequence[Event], start: int, width: int, bins: int, system: bool) -> list[float]:
    """ns that events (or ticks) took from start + i * width on; each is spread evenly over its duration; system: the system's share
    only."""
    out = [0.0] * bins
    for e in events:
        begin, end = (e.start - start) / width, (e.end - start) / width
        ns = e.system if system else float(e.length)
        for b in range(int(max(begin, 0.0)), bins):
            if b >= end or not end > max(begin, 0.0):
                break
            out[b] += ns * (min(end, b + 1.0) - max(begin, float(b))) / (end - begin)
    return out
