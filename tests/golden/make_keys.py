#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes hand-made captures with the keys that were typed meanwhile, for prototap --keys. usage: make_keys.py FOLDER

What prototap must say of each is worked out in tests/cli/prototap_keys.bats. Key times are CLOCK_MONOTONIC: 1,000 s when the
capture begins, which is EPOCH on the wall. Each key is a packet 0.1 ms after it was sent, 1 ms after it was due.
"""
import os
import sys

from packets import ACK, CLIENT, EPOCH, PSH, SERVER, Capture, ethernet, ipv4, udp

MONOTONIC = 1_000 * 10**9
COLUMNS = "schema key due_ns sent_ns answer_ns answer_high_ns censored_ns skipped block realtime_offset_ns".split()


class Train:
    """Keys and updates in ms from the beginning. `drift`: ms that the wall clock gains in a second; `step`: (ms, when)."""

    def __init__(self, drift=0.0, step=(0.0, 0.0), **how):
        self.keys, self.events, self.drift, self.step, self.how = [], [], drift, step, how

    def ahead(self, ms):
        return ms * self.drift / 1000 + (self.step[0] if ms >= self.step[1] else 0)

    def key(self, ms, block=1, skipped=0, packet=True):
        self.keys.append((ms, block, skipped))
        if packet:
            self.events.append((ms + 0.1, 0, b"k" * 8))
        return self

    def update(self, *times, size=100):
        self.events += [(ms, 1, b"u" * size) for ms in times]
        return self

    def block(self, ms, number, answers, keys=4, skipped=0):
        """`keys` keys 50 ms apart from `ms`, updates at `answers` after `ms`."""
        for i in range(keys):
            self.key(ms + 50 * i, number, int(i < skipped))
        return self.update(*(ms + a for a in answers))

    def write(self, folder, name, end, columns=COLUMNS, alone=False, datagrams=False, behind=0):
        """`end`: the client closes then (or says something), so that the capture goes on until it."""
        c = Capture(**self.how).start()
        if alone:
            c.packets.clear()
        if datagrams:
            c.packets.clear()
            for ms, side, payload in sorted(self.events + [(end, 0, b"")]):
                ends = (CLIENT, SERVER) if side == 0 else (SERVER, CLIENT)
                c.raw(ms, ethernet(ipv4(*ends, udp(*ends, payload), protocol=17)))
        else:
            for ms, side, payload in sorted(self.events):
                c.send(ms + self.ahead(ms) - behind, side, payload, ACK | PSH)
            c.send(end + self.ahead(end), 0)
        c.pcap(os.path.join(folder, name + ".pcap"))
        with open(os.path.join(folder, name + ".tsv"), "w") as out:
            print(*columns, sep="\t", file=out)
            for i, (ms, block, skipped) in enumerate(self.keys):
                sent = MONOTONIC + round(ms * 10**6)
                cell = {"schema": "keys/1", "key": i + 1, "due_ns": sent - 10**6, "sent_ns": sent, "skipped": skipped,
                        "block": block, "realtime_offset_ns": EPOCH * 10**9 - MONOTONIC + round(self.ahead(ms) * 10**6)}
                print(*(cell.get(column, "") for column in columns), sep="\t", file=out)


def make(folder):
    # Two blocks of four. The first: an update 10, 12, 14, 16 ms after each key. The second, 2 s later: updates at 30 and 170 ms.
    two = Train().block(100, 1, (10, 62, 114, 166)).block(2100, 2, (30, 170))
    two.write(folder, "two", 4000)
    # Captured on a host whose clock is 5 ms behind.
    two.write(folder, "behind", 4000, behind=5)
    # As before the log had blocks and the offset of the clock; and as keyrepeat writes a train in one piece.
    two.write(folder, "old", 4000, COLUMNS[:-2])
    Train().block(100, 1, range(10, 1260, 50), keys=25).write(folder, "long", 4000)
    # The second block begins 400 ms after the last update of the first; the capture ends 300 ms after its last one.
    Train().block(100, 1, (10, 62, 114, 166)).block(666, 2, (10, 62, 114, 166)).write(folder, "undrained", 1132)
    # Six updates for four keys; three.
    Train().block(100, 1, (10, 40, 62, 114, 140, 166)).write(folder, "surplus", 4000)
    Train().block(100, 1, (10, 62, 114)).write(folder, "unanswered", 11200)
    # Seven keys, three updates, all after the last key: next to next but two is all of them.
    Train().block(100, 1, (310, 330, 350, 370, 390), keys=7).write(folder, "coalesced", 4000)
    # Warm-up: the first two of four.
    Train().block(100, 1, (90, 91, 114, 166), skipped=2).write(folder, "skipped", 4000)
    # The display at the client: it owns the port, and keys come from it.
    Train(client=("10.0.0.9", 6001), server=("10.0.0.8", 40000)).block(100, 1, (10, 62, 114, 166)).write(folder, "x11", 4000)
    # As "two", each message a datagram.
    two.write(folder, "datagrams", 4000, datagrams=True)
    # The wall clock gains 0.4 ms a second; it is set by 5 ms between two keys.
    Train(drift=0.4).block(100, 1, (10, 62, 114, 166)).block(2100, 2, (30, 170)).write(folder, "drift", 4000)
    Train(step=(5.0, 120)).block(100, 1, (10, 62, 114, 166)).write(folder, "step", 4000)
    # The second block is not in the capture.
    t = Train().block(100, 1, (10, 62, 114, 166))
    for i in range(4):
        t.key(6000 + 50 * i, 2, packet=False)
    t.write(folder, "half", 4000)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    make(sys.argv[1])
