#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""truth.py - holds what a tool saw of bursts of CPU time against the log of what they burned.

usage: truth.py BURSTS --lost FILE [--who FILE] [--report FILE]     idleprofile's --log, --who-log and JSON report
       truth.py BURSTS --perf FILE                                  the output of perf sched timehist
       truth.py BURSTS --cyclictest FILE --from NS [--interval NS]  the output of cyclictest -v -N --secaligned, started at NS

BURSTS is the --burst-log of sink, of one process on one CPU; all times are CLOCK_MONOTONIC. Prints one "key<TAB>value" a line:

 bursts burned_s       how many, and the CPU time they took by their own account
 found                 those at least half of which the tool saw as lost; found_below_1ms, _10ms, _100ms, found_longer: "found of
 all" inside_s inside_low_percent inside_high_percent
                       time lost inside the bursts' own intervals, in percent of burned_s. An event of several parts says how much
                       was lost, not where in its span; hence from, to.
 length_good_percent   bursts with the length that the tool gives their culprit (else: to what it saw) within max(20 us, 1 %) of the
 log. The
                       culprit's way into the interval and out of it is not in the log. So of a row that sticks out by at most 100
                       us the length is from what must to what can lie inside; of one that does by more, it is what must.
 length_strict_percent the same, where only what must lie inside the interval counts: no range
 untouched untouched_good_percent
                       the same of the bursts whose interval is their CPU time, within that tolerance. What a hypervisor takes from
                       a burst leaves no record in the guest: it stands in the culprit's length, and the kernel leaves it out of the
                       log.
 with_interrupts_good_percent
                       as length_good_percent, where up to all of the interrupts inside the interval may be added: the kernel's
                       account of a task holds them too, or not, as it was built
 length_error_us_p50 _p99 _max                                      how far off, without the sign
 around_us_p50                                                      how much that way is
 interval_percent      the intervals themselves, in percent of burned_s: more than 100 % of real-time bursts is what a hypervisor
 took
 named_percent         of the time lost inside, what is put down to the burster at least
 own_s own_percent     what is put down to the burster in all, in percent of burned_s
 rows_most             the most rows in which one burst came out
 outside_percent ticks_percent                                      lost to events outside the intervals, and to ticks, of the time
 outside (with --report)
"""
import argparse
import bisect
import json
import re
import sys

TOLERANCE_NS, TOLERANCE = 20000, 0.01
STICKS_OUT_NS = 100000
SECOND = 10 ** 9


def fail(what):
    sys.exit(f"truth.py: {what}")


def rows(path, schema, needed):
    """Dicts of the rows of a table whose first column is its schema."""
    with open(path, encoding="utf-8") as table:
        names = table.readline().rstrip("\n").split("\t")
        for name in ["schema"] + needed:
            if name not in names:
                fail(f"{path} has no column {name}")
        for number, line in enumerate(table, 2):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != len(names) or cells[0] != schema:
                fail(f"{path}, line {number}: not a row of {schema}")
            yield dict(zip(names, cells))


class Seen:
    """A stretch of time in which `lost` ns were lost somewhere, to `pid` (None: not told) or to an interrupt."""

    def __init__(self, start, end, lost, pid=None, interrupt=False):
        self.start, self.end, self.lost, self.pid, self.interrupt = start, end, lost, pid, interrupt

    def within(self, start, end):
        """At least and at most how much of it was lost between start and end."""
        common = min(self.end, end) - max(self.start, start)
        if common <= 0:
            return 0, 0
        return max(0, self.lost - (self.end - self.start - common)), min(self.lost, common)

    def length(self, start, end):
        """As within, of what may be the culprit of a burst."""
        low, high = self.within(start, end)
        outside = max(0, start - self.start) + max(0, self.end - end)
        return low, high if outside <= STICKS_OUT_NS else low


class Line:
    """All that was seen, to be asked what overlaps."""

    def __init__(self, seen):
        self.seen = sorted(seen, key=lambda s: s.start)
        self.starts = [s.start for s in self.seen]
        self.longest = max((s.end - s.start for s in self.seen), default=0)

    def overlapping(self, start, end):
        first = bisect.bisect_left(self.starts, start - self.longest)
        last = bisect.bisect_left(self.starts, end)
        return [s for s in self.seen[first:last] if s.end > start]


class Burst:
    def __init__(self, row):
        self.pid, self.start, self.end, self.cpu = (int(row[k]) for k in ("pid", "start_ns", "end_ns", "cpu_ns"))
        if self.end - self.start < self.cpu - 1000:
            fail(f"the burst at {self.start} burned more than passed: is this its log?")


def read_bursts(path):
    bursts = [Burst(r) for r in rows(path, "burst/1", ["pid", "start_ns", "end_ns", "cpu_ns"])]
    if not bursts:
        fail(f"{path} has no bursts")
    if len({b.pid for b in bursts}) > 1:
        fail(f"{path} is of several processes")
    return bursts


def read_lost(path):
    events, ticks = [], []
    for r in rows(path, "lost/1", ["start_ns", "lost_ns", "span_ns", "kind"]):
        start, lost, span = int(r["start_ns"]), int(r["lost_ns"]), int(r["span_ns"])
        (ticks if r["kind"] == "tick" else events).append(Seen(start, start + span, lost))
    return events, ticks


def read_who(path):
    return [Seen(int(r["start_ns"]), int(r["end_ns"]), int(r["ns"]), int(r["pid"] or 0), r["kind"] not in ("task", "unexplained"))
            for r in rows(path, "culprit/1", ["start_ns", "end_ns", "kind", "pid", "ns"])]


def read_perf(path):
    """"  23606.255101 [0001]  xterm[167/157]   0.000  0.000  4.198": thread 167 had run for the last of these, in ms, until the
    first, in s. One whose name perf does not know is ":167"."""
    form = re.compile(r"^\s*(\d+)\.(\d{6})\s+\[\d+\]\s+(.*?)(?:[\[:](\d+)(?:/\d+)?\]?)?\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s*\S*\s*$")
    seen = []
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            m = form.match(line)
            if not m or m[3].strip().startswith("<idle>"):
                continue
            end = int(m[1]) * SECOND + int(m[2]) * 1000
            ran = round(float(m[5]) * 1e6)
            seen.append(Seen(end - ran, end, ran, int(m[4] or 0)))
    return seen


def read_cyclictest(path, start, interval, bursts):
    """"0:  123:  45678": cycle 123 woke 45,678 ns late. Where it was too late for the next one it left that out. Its first was due
    one interval after the full second that followed its start: which of some seconds is not said, so the one that suits it best is
    taken."""
    late = []
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            m = re.match(r"^\s*0:\s*(\d+):\s*(-?\d+)\s*$", line)
            if m:
                late.append(int(m[2]))
    if not late:
        fail(f"{path} has no cycles; -v, and the threads' number 0, are needed")
    best, most = [], -1
    for second in range(1, 5):
        due, seen = (start // SECOND + second) * SECOND + interval, []
        for ns in late:
            seen.append(Seen(due, due + ns, ns))
            woke = due + ns
            due += interval
            if woke > due:
                due += (woke - due + interval - 1) // interval * interval
        line = Line([s for s in seen if s.lost > TOLERANCE_NS])
        found = sum(inside(line, b)[1] for b in bursts)
        if found > most:
            best, most = seen, found
    return best


def inside(line, burst):
    parts = [s.within(burst.start, burst.end) for s in line.overlapping(burst.start, burst.end)]
    return sum(p[0] for p in parts), sum(p[1] for p in parts)


def quantile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def percent(part, whole):
    return f"{100 * part / whole:.4f}" if whole else ""


def compare(bursts, lost, who, say):
    """`lost`: what the tool calls lost; `who`: the same with pids, or None."""
    burned = sum(b.cpu for b in bursts)
    classes = [("found_below_1ms", 1e6), ("found_below_10ms", 1e7), ("found_below_100ms", 1e8), ("found_longer", float("inf"))]
    counts = {name: [0, 0] for name, _ in classes}
    low = high = named = 0
    untouched = untouched_good = 0
    errors, around, good, strict, good_with, most = [], [], 0, 0, 0, 0
    for b in bursts:
        at_least, at_most = inside(lost, b)
        low, high = low + at_least, high + at_most
        seen = 2 * at_most >= b.cpu
        count = counts[next(name for name, below in classes if b.cpu < below)]
        count[0] += seen
        count[1] += 1
        interrupts = 0
        if who:
            there = who.overlapping(b.start, b.end)
            mine = [s for s in there if s.pid == b.pid]
            interrupts = sum(s.within(b.start, b.end)[1] for s in there if s.interrupt)
            named += sum(s.within(b.start, b.end)[0] for s in mine)
        else:
            mine = [s for s in lost.overlapping(b.start, b.end)]
        most = max(most, len(mine))
        low_length, high_length = (sum(s.length(b.start, b.end)[k] for s in mine) for k in (0, 1))
        error = max(0, low_length - b.cpu, b.cpu - high_length)
        tolerance = max(TOLERANCE_NS, TOLERANCE * b.cpu)
        good += bool(mine) and error <= tolerance
        if b.end - b.start - b.cpu <= tolerance:
            untouched += 1
            untouched_good += bool(mine) and error <= tolerance
        strict += bool(mine) and abs(low_length - b.cpu) <= tolerance
        good_with += bool(mine) and low_length - tolerance <= b.cpu <= high_length + interrupts + tolerance
        if mine:
            errors.append(error / 1000)
            around.append((sum(s.lost for s in mine) - low_length) / 1000)
    found = sum(c[0] for c in counts.values())
    say("bursts", len(bursts))
    say("burned_s", f"{burned / SECOND:.6f}")
    say("found", found)
    say("found_percent", percent(found, len(bursts)))
    for name, (seen, of) in counts.items():
        say(name, f"{seen} of {of}")
    say("inside_s", f"{high / SECOND:.6f}")
    say("inside_low_percent", percent(low, burned))
    say("inside_high_percent", percent(high, burned))
    say("length_good_percent", percent(good, len(bursts)))
    say("untouched", untouched)
    say("untouched_good_percent", percent(untouched_good, untouched))
    say("length_strict_percent", percent(strict, len(bursts)))
    if who:
        say("with_interrupts_good_percent", percent(good_with, len(bursts)))
    for name, p in (("p50", 0.5), ("p99", 0.99), ("max", 1)):
        say(f"length_error_us_{name}", f"{quantile(errors, p):.3f}" if errors else "")
    say("around_us_p50", f"{quantile(around, 0.5):.3f}" if around else "")
    say("interval_percent", percent(sum(b.end - b.start for b in bursts), burned))
    say("rows_most", most)
    if who:
        own = sum(s.lost for s in who.seen if s.pid == bursts[0].pid)
        say("named_percent", percent(named, high))
        say("own_s", f"{own / SECOND:.6f}")
        say("own_percent", percent(own, burned))
    return high


def main():
    options = argparse.ArgumentParser(add_help=True, usage=__doc__)
    options.add_argument("bursts")
    for name in ("lost", "who", "report", "perf", "cyclictest"):
        options.add_argument(f"--{name}")
    options.add_argument("--from", type=int, dest="start", default=0)
    options.add_argument("--interval", type=int, default=1000000)
    o = options.parse_args()

    def say(key, value):
        print(f"{key}\t{value}")

    bursts = read_bursts(o.bursts)
    if o.perf:
        line = Line(read_perf(o.perf))
        # what another than the burster ran meanwhile is lost time too, to who looks at the CPU; but a spinning idle loop is not
        # there
        compare(bursts, line, line, say)
    elif o.cyclictest:
        compare(bursts, Line([s for s in read_cyclictest(o.cyclictest, o.start, o.interval, bursts) if s.lost > TOLERANCE_NS]),
                None, say)
    elif o.lost:
        events, ticks = read_lost(o.lost)
        within = compare(bursts, Line(events), Line(read_who(o.who)) if o.who else None, say)
        if o.report:
            with open(o.report, encoding="utf-8") as report:
                wall = sum(c["wall_s"] for c in json.load(report)["result"]["cpus"]) * SECOND
            wall -= sum(b.end - b.start for b in bursts)
            say("outside_percent", percent(sum(s.lost for s in events) - within, wall))
            say("ticks_percent", percent(sum(s.lost for s in ticks), wall))
    else:
        fail("one of --lost, --perf, --cyclictest is needed")


try:
    main()
except OSError as error:
    fail(f"{error.filename}: {error.strerror}")
