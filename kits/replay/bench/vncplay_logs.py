#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""vncplay_logs.py KIND FOLDER RUN SECONDS - a log of a replay as large as real ones, with its side file, for
kits/replay/bench/vncplay.sh.

    raw     1024 x 768, a window of 640 x 400 as raw pixels once a second, an answer to each input, and one frame of all of it:
    about 1 MB a second
    scroll  1024 x 768, 36 frames a second: text that scrolls in 640 x 400 (CopyRect, the new line raw), an answer to each input
    beside it
"""
import os
import random
import struct
import sys

W, H = 1024, 768


def block(f, data, ms):
    f.write(struct.pack(">I", len(data)) + data + bytes(-len(data) % 4) + struct.pack(">I", ms))


def picture(rng, w, h):
    """Lines of text, or what costs as much: rows of few colours."""
    rows = [b"".join(struct.pack("<I", rng.choice((0xffffff, 0x202020, 0xc0c0c0))) for _ in range(64)) for _ in range(16)]
    return b"".join((rows[rng.randrange(16)] * (w // 64 + 1))[:4 * w] for _ in range(h))


def raw(x, y, w, h, data):
    return struct.pack(">HHHHi", x, y, w, h, 0) + data


def main():
    kind, folder, run, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    shared, own = random.Random(1), random.Random(run + 2)
    path = os.path.join(folder, "%s%d.rfb" % (kind, run))
    factor = (1, 1, 1.5, 2, 2.5)[run % 5]
    events, aux, n, t = [], ["# vncplay-aux 1\n", "run start at 0\n"], 0, 2000
    while t < seconds * 1000 - 2000:
        box = (680 + shared.randrange(60), 420 + shared.randrange(60), 240, 180)
        events.append((int(t + shared.randint(40, 400) * factor), [raw(*box, picture(shared, box[2], box[3]))]))
        for word, at in (("press", t), ("release", t + 80)):
            aux.append("input %d %s at %d line=%d late_us=0 x=700 y=500 button=1\n" % (n, word, at * 1000, n + 2))
            aux.append("== sending mouse click event at %d\n" % at)
            n += 1
        t += shared.randint(1500, 2500)
    if kind == "raw":
        pictures = [picture(own, 640, 400) for _ in range(8)]
        for i in range(int(seconds)):
            events.append((i * 1000 + own.randrange(500), [raw(10, 10, 640, 400, pictures[i % 8])]))
    else:
        lines = [picture(own, 640, 16) for _ in range(500)]
        i, at = 0, 0.0
        while at < seconds * 1000:
            events.append((int(at), [struct.pack(">HHHHi", 10, 10, 640, 384, 1) + struct.pack(">HH", 10, 26),
                                     raw(10, 394, 640, 16, lines[i % 500])]))
            at += 1000 / 35.8
            i += 1
    events.sort(key=lambda e: e[0])
    with open(path, "wb") as f:
        f.write(b"FBS 001.000\n")
        block(f, b"RFB 003.003\n" + struct.pack(">IHH", 1, W, H) + struct.pack(">BBBBHHHBBBxxx", 32, 24, 0, 1, 255, 255, 255, 16, 8,
                                                                               0) + struct.pack(">I", 5) + b"bench", 0)
        data = struct.pack(">BxH", 0, 1) + raw(0, 0, W, H, picture(shared, W, H))
        for k in range(0, len(data), 65536):
            block(f, data[k:k + 65536], 1)
        for ms, rects in events:
            data = struct.pack(">BxH", 0, len(rects)) + b"".join(rects)
            for k in range(0, len(data), 65536):
                block(f, data[k:k + 65536], max(ms, 1))
    with open(path + ".aux", "w") as f:
        f.writelines(aux)
        f.write("run end at %d status=complete\n" % (seconds * 1e6))


main()
