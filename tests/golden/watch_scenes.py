#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes by lot for the verdicts of prototap --every, with a known cause: captures, and their score.

usage: watch_scenes.py make FOLDER SEED COUNT     COUNT captures, and scenes.tsv, which tells the truth of each
       watch_scenes.py quiet FOLDER SEED SECONDS  captures in which nothing changes: each protocol with each kind of waits
       watch_scenes.py score FOLDER PROTOTAP [EVERY...]   a line for each scene, and sums

A user types, rests, and in RDP moves the mouse; a server answers after a time that scatters; a client asks for the next update
(RFB, also in TLS) or acknowledges frames (RDP). At a time that is drawn one thing changes, or nothing does: the server is slower,
stands still or dies; the way is longer or loses packets; the client replies later. The tap is beside the server or the client.
"""
import bisect
import csv
import os
import random
import subprocess
import sys

from packets import ACK, CLIENT, PSH, Capture, ethernet, ipv4, tcp

PROTOCOLS = ("rfb", "rfb-tls", "rdp")
CAUSES = ("server", "network", "client", "nothing")
WAITS = ("lognormal", "uniform", "bimodal")
NEAR = 0.3		# ms there and back between the tap and the host beside it


class Scene:
    def __init__(self, lot, protocol, cause, waits=None, seconds=None, mirrored=None):
        draw = lot.uniform
        self.lot, self.protocol, self.cause = lot, protocol, cause
        self.seconds = seconds or 120
        self.change = draw(45, 75) if cause != "nothing" else self.seconds
        self.mirrored = lot.random() < 0.25 if mirrored is None else mirrored
        self.tap = lot.choice(("server", "server", "client"))
        self.trip = draw(2, 60)			# between the hosts
        self.waits, self.base, self.sigma = waits or lot.choice(WAITS), draw(8, 60), draw(0.2, 0.8)
        self.rate, self.reply = draw(1.5, 7), draw(0.5, 8)
        self.own = lot.choice((0, 0, 0.1, 0.4))		# updates a second that no input made
        self.rests = lot.random() < 0.5
        self.ack_delay = [lot.choice((0.1, 40)), lot.choice((0.1, 40))]
        how = {"server": ("slower", "slower", "still", "dead"), "network": ("longer", "longer", "lossy"), "client": ("later",)}
        self.how = lot.choice(how.get(cause, ("",)))
        self.size = draw(max(60, 1.2 * self.base), 400)		# of the change
        self.end = self.seconds if self.how in ("", "dead") or lot.random() < 0.5 else min(self.seconds, self.change + draw(15, 30))

    def changed(self, ms):
        return self.change <= ms / 1000 < self.end

    def wait(self, ms):
        lot = self.lot
        wait = {"lognormal": lambda: self.base * lot.lognormvariate(0, self.sigma), "uniform": lambda: lot.uniform(10, 60),
                "bimodal": lambda: lot.choice((8, 60))}[self.waits]()
        if self.cause == "server" and self.changed(ms):
            if self.how == "slower":
                wait += self.size * lot.uniform(0.8, 1.2)
            elif self.how == "still":	# for two seconds out of three
                wait += max(0, 2000 - (ms - 1000 * self.change) % 3000)
            else:
                wait = 1e9
        return wait

    def way(self, ms):
        return self.trip + (self.size if self.how == "longer" and self.changed(ms) else 0)

    def to(self, host, ms):
        """There and back between the tap and a host: 0 the client, 1 the server."""
        return NEAR if (self.tap == "server") == (host == 1) else self.way(ms)

    def typed(self):
        """What the user does, in ms at the tap: (time, kind)."""
        lot, ms, events = self.lot, 500, []
        while ms < 1000 * self.seconds:
            events += [(ms, "down"), (ms + lot.uniform(50, 110), "up")]
            ms += 1000 / self.rate * lot.uniform(0.5, 1.5)
            if self.rests and lot.random() < 0.02:
                rest = 1000 * lot.uniform(2, 9)
                if self.protocol == "rdp":	# a mouse that moves over nothing that changes
                    events += [(ms + 200 + 25 * i, "move") for i in range(int(rest / 50))]
                ms += rest
        return [e for e in events if e[0] < 1000 * self.seconds]

    def data(self):
        """Packets with payload: (ms at the tap, side, payload)."""
        lot, out = self.lot, []
        events = sorted(self.typed())
        out += [(ms, 0, self.message(kind)) for ms, kind in events]
        dirty = [ms + self.to(1, ms) + self.wait(ms) for ms, kind in events if kind == "down"]
        if self.own:
            ms = 0
            while (ms := ms + 1000 * lot.expovariate(self.own)) < 1000 * self.seconds:
                if not (self.how == "dead" and self.changed(ms)):
                    dirty.append(ms)
        ready, dirty, at = 0, sorted(dirty), 0
        while at < len(dirty) and dirty[at] < 1000 * self.seconds:
            update = max(dirty[at], ready)
            while at < len(dirty) and dirty[at] <= update:
                at += 1
            for part in range(lot.choice((1, 1, 2, 3))):
                out.append((update + 0.3 * part, 1, self.message("update")))
            late = self.size if self.how == "later" and self.changed(update) else 0
            reply = update + 1 + self.to(0, update) + self.reply * lot.uniform(0.7, 2) + late
            out.append((reply, 0, self.message("reply")))
            ready = reply + self.to(1, reply) if self.protocol != "rdp" else update + 16
        return sorted(out, key=lambda p: p[0])

    def message(self, kind):
        plain = {"down": bytes([4, 1, 0, 0, 0, 0, 0, 97]), "up": bytes([4, 0, 0, 0, 0, 0, 0, 97]), "move": bytes(7),
                 "reply": bytes([3, 1, 0, 0, 0, 0, 4, 0, 3, 0]), "update": bytes(self.lot.randint(60, 1200))}[kind]
        if self.protocol == "rfb":
            return plain
        if self.protocol == "rdp" and kind == "reply":
            plain = bytes(20)
        return bytes([23, 3, 3, 0, len(plain) % 256]) + bytes(17) + plain

    def packets(self):
        """(ms, side, payload, bytes acknowledged, first byte): data, what acknowledges it, what is sent again."""
        data, all_of = self.data(), []
        times = [[p[0] for p in data if p[1] == side] for side in (0, 1)]
        for ms, side, payload in data:
            all_of.append((ms, side, payload))
            there = ms + self.to(1 - side, ms)
            at = bisect.bisect_left(times[1 - side], there)
            if not (at < len(times[1 - side]) and times[1 - side][at] <= there + self.ack_delay[1 - side]):
                all_of.append((there + self.ack_delay[1 - side] + self.lot.uniform(0, 0.2), 1 - side, b""))
        all_of.sort(key=lambda p: p[0])
        sent, held, marks, acked = [0, 0], 0, ([(0, 0)], [(0, 0)]), [0, 0]
        for ms, side, payload in all_of:
            known = marks[1 - side][bisect.bisect_right(marks[1 - side], (ms - self.to(side, ms) + 1e-6, 1e18)) - 1][1]
            acked[side] = max(acked[side], known)
            yield ms, side, payload, acked[side], sent[side]
            if payload:
                if self.how == "lossy" and self.changed(ms) and side == (1 if self.tap == "server" else 0) and self.lot.random() < 0.15:
                    held = ms + self.lot.uniform(200, 300)		# lost beyond the tap: comes again
                    yield held, side, payload, acked[side], sent[side]
                    marks[side].append((max(held, marks[side][-1][0]), sent[side] + len(payload)))
                else:
                    marks[side].append((max(ms, marks[side][-1][0]), sent[side] + len(payload)))
                sent[side] += len(payload)

    def write(self, path):
        capture, ends = Capture(server=("10.0.0.2", 3389 if self.protocol == "rdp" else 5900)), None
        capture.start()
        ends, number = capture.ends, [100, 5000]
        for ms, side, payload, acked, first in sorted(self.packets(), key=lambda p: p[0]):
            number[side] += 1
            base = capture.base
            frame = bytearray(ethernet(ipv4(ends[side], ends[1 - side], tcp(
                ends[side], ends[1 - side], base[side] + first, base[1 - side] + acked, ACK | (PSH if payload else 0), payload))))
            frame[18:20] = (number[side] % 65536).to_bytes(2, "big")
            for copy in range(1 + self.mirrored):
                capture.raw(100 + ms + copy * self.lot.uniform(0.002, 0.02), bytes(frame))
        capture.packets.sort(key=lambda p: p[0])
        capture.pcap(path)


FIELDS = ("name", "protocol", "cause", "how", "mirrored", "tap", "waits", "base", "rate", "size", "change", "end", "seconds", "port")


def write_scenes(folder, scenes):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "scenes.tsv"), "w") as out:
        print(*FIELDS, sep="\t", file=out)
        for i, s in enumerate(scenes):
            s.name, s.port = f"{i + 1:02}-{s.protocol}-{s.cause}", 3389 if s.protocol == "rdp" else 5900
            s.write(os.path.join(folder, s.name + ".pcap"))
            print(*(round(v, 3) if isinstance(v, float) else v for v in (getattr(s, f) for f in FIELDS)), sep="\t", file=out)


def judge(scene, rows):
    """right, untold, missed or wrong, and the shares of intervals with inputs after the change by verdict."""
    epoch = int(rows[0]["start_ns"]) / 1e9
    change, end = float(scene["change"]) + 0.1, float(scene["end"]) + 0.1
    told = {}
    blamed = []
    for row in rows:
        start, word = int(row["start_ns"]) / 1e9 - epoch, row["verdict"]
        length = int(row["length_ns"]) / 1e9
        if scene["cause"] != "nothing" and change + 2 <= start and start + length <= end:
            told[word] = told.get(word, 0) + 1
        elif start + length <= change or scene["cause"] == "nothing":
            told["before " + word] = told.get("before " + word, 0) + 1
        if word in CAUSES and word != scene["cause"]:
            blamed.append((round(start), word))
    n = sum(v for k, v in told.items() if not k.startswith("before") and k != "idle") or 1
    share = {k: v / n for k, v in told.items() if not k.startswith("before")}
    before = sum(v for k, v in told.items() if k.startswith("before"))
    false = sum(told.get("before " + c, 0) for c in CAUSES)
    others = sum(share.get(c, 0) for c in CAUSES if c != scene["cause"])
    if scene["cause"] == "nothing":
        said = "right" if false <= 0.05 * before else "wrong"
    elif others >= 0.1 or false > 0.05 * before:
        said = "wrong"
    elif share.get(scene["cause"], 0) >= 0.25:
        said = "right"
    elif share.get("unknown", 0) + share.get("learning", 0) >= 0.25:
        said = "untold"
    else:
        said = "missed"
    return said, told, false, before, blamed


def score(folder, prototap, every):
    sums, alarms, intervals = {}, 0, 0
    for scene in csv.DictReader(open(os.path.join(folder, "scenes.tsv")), delimiter="\t"):
        for length in every:
            run = subprocess.run([prototap, "read", os.path.join(folder, scene["name"] + ".pcap"), "--port", scene["port"], "--every",
                                  length, "--intervals", "-", "-o", "/dev/null"], stdout=subprocess.PIPE, text=True)
            rows = list(csv.DictReader(run.stdout.splitlines(), delimiter="\t"))
            said, told, false, before, blamed = judge(scene, rows)
            sums[said] = sums.get(said, 0) + 1
            alarms, intervals = alarms + false, intervals + before
            print(scene["name"], length, scene["how"], scene["tap"], scene["waits"], "mirrored" if scene["mirrored"] == "True" else "",
                  scene["base"], scene["size"], said, f"{false}/{before}", told, blamed[:5], sep="\t")
    print("sum", *(f"{sums.get(k, 0)} {k}" for k in ("right", "untold", "missed", "wrong")), f"alarms without a change {alarms}/{intervals}", sep="\t")


def main(do, folder, *words):
    if do == "score":
        score(folder, words[0], words[1:] or ("1s",))
        return
    lot = random.Random(int(words[0]))
    if do == "quiet":
        write_scenes(folder, [Scene(lot, p, "nothing", waits=w, seconds=int(words[1]), mirrored=False) for p in PROTOCOLS for w in WAITS])
    else:
        kinds = [(p, c) for p in PROTOCOLS for c in CAUSES]
        write_scenes(folder, [Scene(lot, *kinds[i % len(kinds)]) for i in range(int(words[1]))])


main(*sys.argv[1:])
