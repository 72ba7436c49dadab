#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes captures for prototap --every, as at the server's port. usage: make_intervals.py FOLDER

An RFB session: each input is a key that goes down, each update is answered by a request, as viewers do. EPOCH is a whole second.
"""
import os
import sys

from packets import ACK, EPOCH, FIN, PSH, RST, Capture

DOWN, UP = bytes([4, 1, 0, 0, 0, 0, 0, 97]), bytes([4, 0, 0, 0, 0, 0, 0, 97])
REQUEST = bytes([3, 1, 0, 0, 0, 0, 4, 0, 3, 0])


class Session(Capture):
    def key(self, ms, wait=40, trip=10):
        """A key that is answered after `wait`; the client's host is `trip` there and back."""
        self.send(ms, 0, DOWN, ACK | PSH)
        self.send(ms + 0.5, 0, UP, ACK | PSH)
        self.send(ms + 0.2, 1)
        self.send(ms + wait, 1, b"u" * 200, ACK | PSH)
        self.send(ms + wait + trip, 0, REQUEST, ACK | PSH)
        self.send(ms + wait + trip + 0.2, 1)

    def late_press(self, ms, early, late):
        """The press of a key comes `late` ms after `ms`, its release before it."""
        at = self.seq[0] - self.base[0]
        self.send(ms + early, 0, UP, ACK | PSH, seq=at + len(DOWN))
        self.send(ms + early + 0.2, 1, ack=at)
        self.send(ms + late, 0, DOWN, ACK | PSH, seq=at)
        self.seq[0] += len(DOWN + UP)
        self.send(ms + late + 0.2, 1)
        self.send(ms + late + 40, 1, b"u" * 200, ACK | PSH)
        self.send(ms + late + 50, 0, REQUEST, ACK | PSH)
        self.send(ms + late + 50.2, 1)


def make(folder, name, scene, seconds=20, change=10, copies=1):
    c = Session().start()
    for i in range(1, seconds):
        for k in range(4):
            c.key(i * 1000 + 10 + 240 * k, **(scene if i >= change else {}))
    c.packets = [(ns + 5000 * n, *rest) for ns, *rest in c.packets for n in range(copies)]
    c.packets.sort(key=lambda p: p[0])
    c.pcap(os.path.join(folder, name + ".pcap"))


def main(folder):
    os.makedirs(folder, exist_ok=True)
    make(folder, "calm", {})
    make(folder, "server", {"wait": 150})
    make(folder, "twice", {"wait": 200}, copies=2)	# as at the mirror port of both directions
    # From second 90 on a press of each second is lost on its way here and sent again after its release; or overtaken by that.
    for name, early, late in (("lost", 80, 220), ("overtaken", 80, 80.6)):
        c = Session().start()
        for i in range(1, 120):
            c.key(1000 * i + 10)
            c.key(1000 * i + 250)
            if i < 90:
                c.key(1000 * i + 490)
            else:
                c.late_press(1000 * i + 490, early, late)
        c.pcap(os.path.join(folder, name + ".pcap"))
    # The mirror port drops every third packet from second 20 to 40, and all of two seconds before a pause: nobody was slow.
    # The same session: one direction only; from its middle on; 40 bytes of each packet.
    c = Session().start()
    for i in range(1, 60):
        for k in range(4 if i < 33 or i > 44 else 0):
            c.key(1000 * i + 10 + 240 * k, wait=40 + i % 7, trip=1)
    whole, from_server = sorted(c.packets, key=lambda p: p[0]), bytes([10, 0, 0, 2])
    for name, kept in (("mirror", [p for n, p in enumerate(whole)
                                   if not 20e9 <= p[0] < 40e9 or n % 3 and not 31e9 <= p[0] < 32.8e9]),
                       ("only_input", [p for p in whole if p[1][26:30] != from_server]),
                       ("only_display", [p for p in whole if p[1][26:30] == from_server]),
                       ("joined", [p for p in whole if p[0] > 5 * 10**9]),
                       ("joined_input", [p for p in whole if p[0] > 5 * 10**9 and p[1][26:30] != from_server]),
                       ("short", [(ns, frame[:40], original) for ns, frame, original in whole])):
        c.packets = kept
        c.pcap(os.path.join(folder, name + ".pcap"))
    # A picture that moves by itself from second 10 on, while the server dies; a cursor that blinks, while it goes on.
    for name, each, until in (("picture", 33, 10000), ("blink", 500, 30000)):
        c, keys = Session().start(), range(1000, 30000, 250)
        events = [(ms, 0, DOWN) for ms in keys] + [(ms + 15, 1, b"u" * 200) for ms in keys if ms < until]
        events += [(ms + 7, 1, b"p" * 200) for ms in range(10000, 30000, each)]
        for ms, side, payload in sorted(events):
            c.send(ms, side, payload, ACK | PSH)
            c.send(ms + 0.2, 1 - side)
        c.pcap(os.path.join(folder, name + ".pcap"))
    # A server is killed after 15 seconds, or its user closes the viewer and nothing answers that; another connection goes on.
    for name, side, flags in (("killed", 1, RST), ("closed", 0, ACK | FIN)):
        c, beside = Session().start(), Session(client=("10.0.0.3", 40000)).start()
        for i in range(1, 30):
            beside.key(1000 * i)
            if i < 10:
                c.key(1000 * i)
        c.send(10000, 0, DOWN, ACK | PSH)
        c.send(10000.2, 1)
        c.send(15000, side, flags=flags)
        c.packets = sorted(c.packets + beside.packets, key=lambda p: p[0])
        c.pcap(os.path.join(folder, name + ".pcap"))
    # The client's host vanishes while an update is on its way, which the server sends again after 0.2, 0.4, 0.8 s and so on.
    c = Session().start()
    for i in range(1, 10):
        c.key(1000 * i)
    c.send(10000, 0, DOWN, ACK | PSH)
    c.send(10040, 1, b"u" * 200, ACK | PSH)
    for again in range(1, 8):
        c.send(10040 + 200 * (2**again - 1), 1, b"u" * 200, ACK | PSH, seq=9 * 200)
    c.pcap(os.path.join(folder, "vanished.pcap"))
    # The clock is set back by an hour while a key waits.
    c = Session().start(3600000)
    for i in range(1, 5):
        c.key(3600000 + 1000 * i)
    c.send(3605000, 0, DOWN, ACK | PSH)
    for i in range(5, 10):
        c.key(1000 * i)
    c.pcap(os.path.join(folder, "back.pcap"))
    # One acknowledgement is dated 3,000,000 s ahead: to sort it to the end leaves the connection in no better order.
    c = Session().start()
    for i in range(1, 10):
        c.key(1000 * i)
    c.packets[23] = (c.packets[23][0] + 3 * 10**15, *c.packets[23][1:])
    c.pcap(os.path.join(folder, "ahead.pcap"))
    # The clock is set forward by three hours while a key waits, or nobody works for so long.
    c = Session().start()
    for i in range(1, 10):
        c.key(1000 * i)
    c.send(10000, 0, DOWN, ACK | PSH)
    for i in range(11, 20):
        c.key(3 * 3600000 + 1000 * i)
    c.pcap(os.path.join(folder, "forward.pcap"))
    # More connections than are followed.
    crowd = []
    for i in range(1100):
        c = Capture(client=(f"10.1.{i // 200}.{i % 200 + 1}", 40000))
        c.start(i / 10)
        crowd += c.packets
    c.packets = sorted(crowd, key=lambda p: p[0])
    c.pcap(os.path.join(folder, "crowd.pcap"))
    # A key a second, three before and three after midnight (UTC).
    midnight = 86400 - EPOCH % 86400
    c = Session().start(1000 * (midnight - 4))
    for i in range(midnight - 3, midnight + 3):
        c.key(1000 * i + 500)
    c.pcap(os.path.join(folder, "midnight.pcap"))


main(sys.argv[1])
