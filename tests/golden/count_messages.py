#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts what prototap counts, by another road: tshark decodes, every byte of a stream is looked at by itself.

usage: count_messages.py CAPTURE SERVER_PORT [MERGE_MS [PERIOD_MS]]

Prints rows "key<TAB>value" with the keys of prototap's result, times with more digits: who compares rounds. Slow and simple on
purpose; nothing here was taken from prototap's sources. Rules (docs/method.md has the words):
- each byte of a stream counts once, for the segment that brought it first, in sequence order;
- bytes behind a hole wait until the hole is filled, or until the receiver acknowledges bytes past the hole, or the end,
  which is the connection's last packet, with data or without;
- bytes that the receiver acknowledged beyond the last data are missing at the end, unless it is one byte, which may be a FIN; a
  stream without data begins at the first acknowledgement if the capture has a SYN, or else at the first one after a second;
  acknowledgements of a side whose SYN is not there, though the other's is, are not looked at;
- a message ends in PSH, in data of the other direction, or in a pause over 200 ms;
- an update takes messages that begin less than MERGE after its last packet and at most PERIOD after its first;
- from the last update to the last packet with input after it is a gap, too, of at least that length, if that is longer than PERIOD;
the last
  three messages within a second of a FIN or RST of the client say goodbye;
- a message from MERGE or more before an update's first packet came after the clock was set back: a new update, no gap.
"""
import subprocess
import sys
from fractions import Fraction

FIELDS = ["frame.time_epoch", "frame.len", "ip.len", "ipv6.plen", "tcp.stream", "tcp.srcport", "tcp.dstport", "tcp.seq_raw",
          "tcp.ack_raw", "tcp.len", "tcp.flags", "frame.encap_type"]
COOKED = {"25": 16, "210": 20}      # wtap encapsulations SLL and SLL2: header bytes that were never on a wire


def rows(path):
    """Packets as tshark sees them. tshark's own analysis of sequence numbers is off: that is what is checked here."""
    command = ["tshark", "-n", "-r", path, "-o", "tcp.analyze_sequence_numbers:FALSE", "-o", "tcp.desegment_tcp_streams:FALSE",
               "-Y", "tcp && !icmp && !icmpv6", "-T", "fields", "-E", "occurrence=f"]
    for field in FIELDS:
        command += ["-e", field]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        yield dict(zip(FIELDS, line.split("\t")))


def nanoseconds(text):
    whole, fraction = text.split(".")
    return int(whole) * 10**9 + int((fraction + "0" * 9)[:9])


class Side:
    def __init__(self):
        self.next = None        # absolute offset of the byte expected next
        self.waiting = {}       # offset of a byte -> does a PSH follow it
        self.old = 0
        self.missing = 0
        self.begun = self.finished = False
        self.highest = self.acknowledged = None

    def acknowledge(self, number):
        if self.next is None:
            self.next = number
        at = self.absolute((number - self.finished) % 2**32)
        self.acknowledged = at if self.acknowledged is None else max(at, self.acknowledged)

    def unseen(self):
        if self.acknowledged is None:
            return 0
        beyond = self.acknowledged - (self.next if self.highest is None else self.highest)
        return beyond if beyond > 1 else 0

    def absolute(self, seq):
        distance = (seq - self.next) % 2**32
        return self.next + (distance - 2**32 if distance >= 2**31 else distance)

    def take(self, seq, length, push):
        """Gives the bytes that are in order now, as a list of "PSH follows"."""
        if self.next is None:
            self.next = seq
        start = self.absolute(seq)
        self.highest = max(start + length, self.highest or 0)
        repeated = False
        for at in range(start, start + length):
            if at < self.next or at in self.waiting:
                self.old += 1
                repeated = True
            else:
                self.waiting[at] = push and at == start + length - 1
        return self.ready(), repeated

    def ready(self):
        out = []
        while self.next in self.waiting:
            out.append(self.waiting.pop(self.next))
            self.next += 1
        return out

    def give_up(self, acknowledged=None):
        out = []
        while self.waiting:
            first = min(self.waiting)
            if acknowledged is not None and self.absolute(acknowledged) < first:
                break
            self.missing += first - self.next
            self.next = first
            out += self.ready()
        return out


class Line:
    """Updates of the display channel."""

    def __init__(self, merge, period):
        self.merge, self.period = merge, period
        self.first = self.last = None
        self.times, self.gaps = [], []

    def message(self, now):
        back = self.first is not None and self.first - now >= self.merge
        if back or self.first is None or now - self.last >= self.merge or now - self.first > self.period:
            if self.first is not None and not back:
                self.gaps.append(now - self.first)
            self.first = self.last = now
            self.times.append(now)
        self.last = max(self.last, now)
        return len(self.times)

    def more(self, number, now):
        if number == len(self.times):
            self.last = max(self.last, now)


def main():
    path, port = sys.argv[1], int(sys.argv[2])
    merge = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    period = float(sys.argv[4]) if len(sys.argv) > 4 else 50
    names = ["input", "display"]
    count = {n: dict.fromkeys(["packets", "wire_bytes", "ip_bytes", "payload_bytes", "messages", "retransmitted_packets",
                               "retransmitted_bytes", "missing_bytes"], 0) for n in names}
    lines = [Line(int(m * 1e6), int(period * 1e6)) for m in (merge, 5, 20)]
    sides, runs, ends, began_ns, waiting, inputs = {}, {}, {}, {}, 0, 0

    def deliver(stream, name, now, bits):
        nonlocal inputs
        if not bits:
            return
        run = runs.setdefault(stream, {"open": None, "last": 0, "updates": None})
        fresh = run["open"] != name or now - run["last"] > 200 * 10**6
        continued = not fresh
        for push in bits:
            if fresh:
                count[name]["messages"] += 1
                if name == "display":
                    inputs = count["input"]["messages"]
                    run["updates"] = [line.message(now) for line in lines]
            elif continued and name == "display":
                for line, number in zip(lines, run["updates"]):
                    line.more(number, now)
            fresh, continued = push, False
        count[name]["payload_bytes"] += len(bits)
        run["open"], run["last"] = (None if bits[-1] else name), now

    for row in rows(path):
        ports = int(row["tcp.srcport"]), int(row["tcp.dstport"])
        if port not in ports:
            continue
        name = "display" if ports[0] == port else "input"
        other = "input" if name == "display" else "display"
        now, length = nanoseconds(row["frame.time_epoch"]), int(row["tcp.len"])
        flags, seq = int(row["tcp.flags"], 16), int(row["tcp.seq_raw"])
        stream = row["tcp.stream"]
        ends[stream] = now
        mine, theirs = (sides.setdefault((stream, n), Side()) for n in (name, other))
        if name == "input" and flags & 5 and now - waiting < 10**9 and count["input"]["messages"] - inputs <= 3:
            waiting = 0
        elif name == "input" and length:
            waiting = now
        cooked = COOKED.get(row["frame.encap_type"], 0)
        count[name]["packets"] += 1
        count[name]["wire_bytes"] += int(row["frame.len"]) - (cooked - 14 if cooked else 0)
        count[name]["ip_bytes"] += int(row["ip.len"]) if row["ip.len"] else 40 + int(row["ipv6.plen"])
        if flags & 2:
            if mine.next is None:
                mine.next = seq + 1
            mine.begun = True
            seq += 1
        began = began_ns.setdefault(stream, now)
        mine.finished |= bool(flags & 1)
        known = theirs.next is not None or mine.begun or theirs.begun or now - began >= 10**9
        if flags & 20 == 16 and known and (mine.begun or not theirs.begun):
            theirs.acknowledge(int(row["tcp.ack_raw"]))
        if flags & 16 and theirs.waiting:
            deliver(stream, other, now, theirs.give_up(int(row["tcp.ack_raw"])))
        if length:
            bits, repeated = mine.take(seq % 2**32, length, bool(flags & 8))
            count[name]["retransmitted_packets"] += repeated
            deliver(stream, name, now, bits)
    for (stream, name), side in sides.items():
        deliver(stream, name, ends[stream], side.give_up())
        count[name]["retransmitted_bytes"] += side.old
        count[name]["missing_bytes"] += side.missing + side.unseen()

    for name in names:
        for key, value in count[name].items():
            print(f"result.channels.{name}.{key}\t{value}")
    for i, line in enumerate(lines):
        print(f"result.updates.{'' if not i else f'other_merges.{i - 1}.'}count\t{len(line.times)}")
    gaps = lines[0].gaps
    stalls = [g - int(period * 1e6) for g in gaps]
    unended = waiting - lines[0].first if lines[0].times and waiting > lines[0].last else 0
    more = [unended] if unended > period * 1e6 else []
    print(f"result.stalls.intervals\t{len(gaps)}")
    print(f"result.stalls.count\t{sum(s > 0 for s in stalls) + len(more)}")
    if gaps:
        mean = Fraction(sum(gaps), len(gaps))
        print(f"result.largest_gap_ms\t{max(gaps + more) / 1e6:.9f}")
        print(f"result.stalls.mean_ms\t{float(mean - int(period * 1e6)) / 1e6:.9f}")
        print(f"result.stalls.max_ms\t{(max(gaps + more) - int(period * 1e6)) / 1e6:.9f}")
        if len(gaps) > 1:
            variance = sum((g - mean) ** 2 for g in gaps) / (len(gaps) - 1)
            print(f"result.stalls.jitter_sd_ms\t{float(variance) ** 0.5 / 1e6:.9f}")


if __name__ == "__main__":
    main()
