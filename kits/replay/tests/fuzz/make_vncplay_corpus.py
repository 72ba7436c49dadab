#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes seeds of vncplay_fuzz, always the same: logs in every encoding, side files, traces, dependencies. usage: make_vncplay_corpus.py FOLDER

The picture is small, but has several tiles of Hextile and ZRLE, not all of them whole. See vncplay_fuzz.c for the form of a seed.
"""
import base64
import os
import random
import struct
import sys
import zlib

W, H = 70, 36
LOG, STREAM, SIDE, TRACE, DEPS = range(5)
XRGB = (32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
RGB565_BIG = (16, 16, 1, 1, 31, 63, 31, 11, 5, 0)
MAP = (8, 8, 0, 0, 0, 0, 0, 0, 0, 0)
JPEG = base64.b64decode(  # 16 x 16
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/"
    "2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAQABADASIAAhEBAxEB/8QA"
    "FgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFRABAQAAAAAAAAAAAAAAAAAAABP/xAAUAQEAAAAAAAAAAAAAAAAAAAAF/8QAFhEAAwAAAAAAAAAAAAAAAAAAABVh"
    "/9oADAMBAAIRAxEAPwDGoUS0KEFsFGFP/9k=")
dice = random.Random(7)
COLOURS = [0x204060, 0xFFFFFF, 0xC00000, 0x00C000, 0x000000]


def picture(seed):
    """Rows of colours: a plain part, two colours, few, noise."""
    return [[COLOURS[0] if x < 20 else COLOURS[dice.randrange(2)] if x < 40 else COLOURS[(x // 5 + y // 3 + seed) % 5] if x < 60 else dice.randrange(1 << 24)
             for x in range(W)] for y in range(H)]


class Pixels:
    def __init__(self, form):
        self.form = form

    def plain(self, c):
        bits, _, big, true, *maxima, r, g, b = self.form
        if not true:
            return bytes([c % 251])
        parts = [(c >> s & 255) * m // 255 for s, m in zip((16, 8, 0), maxima)]
        return (parts[0] << r | parts[1] << g | parts[2] << b).to_bytes(bits // 8, "big" if big else "little")

    def tight(self, c):
        return struct.pack(">I", c)[1:] if self.form == XRGB else self.plain(c)

    def zrle(self, c):
        return self.plain(c)[:3] if self.form == XRGB else self.plain(c)


def part(rows, x, y, w, h):
    return [row[x:x + w] for row in rows[y:y + h]]


def rect(x, y, w, h, encoding, body=b""):
    return struct.pack(">HHHHi", x, y, w, h, encoding) + body


def update(*rects):
    return struct.pack(">BxH", 0, len(rects)) + b"".join(rects)


def raw(p, rows):
    return b"".join(p(c) for row in rows for c in row)


def hextile(p, rows):
    out = b""
    for y in range(0, len(rows), 16):
        for x in range(0, len(rows[0]), 16):
            tile = part(rows, x, y, 16, 16)
            colours = {c for row in tile for c in row}
            if len(colours) > 12:
                out += b"\1" + raw(p, tile)
                continue
            ground = tile[0][0]
            boxes = [(i, j, c) for j, row in enumerate(tile) for i, c in enumerate(row) if c != ground][:255]
            if len(colours) == 2:
                fore = (colours - {ground}).pop()
                out += bytes([14]) + p(ground) + p(fore) + bytes([len(boxes)]) + b"".join(bytes([i << 4 | j, 0]) for i, j, _ in boxes)
            elif boxes:
                out += bytes([26]) + p(ground) + bytes([len(boxes)]) + b"".join(p(c) + bytes([i << 4 | j, 0]) for i, j, c in boxes)
            else:
                out += bytes([2]) + p(ground)
    return out


def runs(cells):
    out = []
    for c in cells:
        if out and out[-1][0] == c:
            out[-1][1] += 1
        else:
            out.append([c, 1])
    return out


def length_of(n):
    return bytes([255] * ((n - 1) // 255) + [(n - 1) % 255])


def zrle(p, rows, kinds):
    """kinds: of the tiles in turn: 0 raw, 1 one colour, 2 packed, 128 runs, 130 runs of a palette."""
    out, n = b"", 0
    for y in range(0, len(rows), 64):
        for x in range(0, len(rows[0]), 64):
            tile = part(rows, x, y, 64, 64)
            kind, n = kinds[n % len(kinds)], n + 1
            cells = [c for row in tile for c in row]
            palette = sorted(set(cells))[:5]
            index = {c: i for i, c in enumerate(palette)}
            if kind == 0:
                out += b"\0" + raw(p, tile)
            elif kind == 1:
                out += b"\1" + p(cells[0])
            elif kind == 2:
                out += bytes([len(palette)]) + b"".join(map(p, palette))
                bits = 1 if len(palette) == 2 else 2 if len(palette) < 5 else 4
                for row in tile:
                    number = 0
                    for c in row:
                        number = number << bits | index.get(c, 0)
                    number <<= -len(row) * bits % 8
                    out += number.to_bytes((len(row) * bits + 7) // 8, "big")
            elif kind == 128:
                out += b"\x80" + b"".join(p(c) + length_of(k) for c, k in runs(cells))
            else:
                out += bytes([128 + len(palette)]) + b"".join(map(p, palette))
                for i, k in runs([index.get(c, 0) for c in cells]):
                    out += bytes([i]) if k == 1 else bytes([128 | i]) + length_of(k)
    return out


def compact(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128, n >> 7]) if n < 1 << 14 else bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14])


class Stream:
    def __init__(self):
        self.z = zlib.compressobj()

    def __call__(self, data):
        return self.z.compress(data) + self.z.flush(zlib.Z_SYNC_FLUSH)


def tight_body(stream, data):
    if len(data) < 12:
        return data
    data = stream(data)
    return compact(len(data)) + data


def tight(p, rows):
    """Some of each kind, side by side."""
    streams = [Stream() for _ in range(4)]
    small, two = part(rows, 0, 0, 3, 1), part(rows, 20, 0, 20, H)
    few, noise = part(rows, 40, 0, 20, H), part(rows, 60, 0, 10, H)
    bits = b"".join(int("".join(str(int(c == COLOURS[1])) for c in row).ljust(24, "0"), 2).to_bytes(3, "big") for row in two)
    yield rect(0, 0, 20, H, 7, b"\x8f" + p(COLOURS[0]))
    yield rect(0, 0, 3, 1, 7, b"\x00" + raw(p, small))
    yield rect(20, 0, 20, H, 7, b"\x50\1\1" + p(COLOURS[0]) + p(COLOURS[1]) + tight_body(streams[1], bits))
    yield rect(40, 0, 20, H, 7, b"\x60\1\4" + b"".join(map(p, COLOURS)) + tight_body(streams[2], bytes(COLOURS.index(c) for row in few for c in row)))
    yield rect(60, 0, 10, H, 7, b"\x00" + tight_body(streams[0], raw(p, noise)))
    yield rect(60, 0, 10, H, 7, b"\x70\2" + tight_body(streams[3], raw(p, noise)))
    yield rect(60, 0, 10, H, 7, b"\x70\2" + tight_body(streams[3], raw(p, noise)))
    yield rect(20, 10, 16, 16, 7, b"\x90" + compact(len(JPEG)) + JPEG)
    yield rect(60, 0, 10, 4, 7, b"\xa0" + compact(len(raw(p, noise[:4]))) + raw(p, noise[:4]))


def others(pixels):
    cursor = raw(pixels.plain, [[1, 2, 3]] * 2) + b"\xe0\xe0"
    yield update(rect(1, 1, 3, 2, -239, cursor), rect(0, 0, 9, 1, -240, bytes(10)), rect(7, 3, 0, 0, -232), rect(0, 0, 0, 0, -307, b"\0\0\0\3new"))
    yield b"\2" + b"\3\0\0\0\0\0\0\5hello" + b"\3\0\0\0\xff\xff\xff\xfa\1\0\0\1\t\t"
    yield struct.pack(">BxHH", 1, 0, 3) + bytes(range(18))
    yield struct.pack(">BxH", 0, 0xFFFF) + rect(1, 1, 1, 1, 0, pixels.plain(5)) + rect(0, 0, 0, 0, -224)
    yield update(rect(0, 0, W + 9, H - 3, -223), rect(0, 0, W, H, -308, b"\1\0\0\0" + bytes(16)))


def session(form):
    """Messages, every encoding among them, on a screen of W x H."""
    pixels = Pixels(form)
    plain = pixels.plain
    stream, tiles = Stream(), Stream()
    if not form[3]:
        yield struct.pack(">BxHH", 1, 0, 256) + bytes(dice.randrange(256) for _ in range(256 * 6))
    a, b = picture(0), picture(1)
    whole = (0, 0, W, H)
    yield update(rect(*whole, 0, raw(plain, a)))
    yield update(rect(3, 2, 40, 20, 1, b"\0\0\0\0"), rect(0, 0, 10, 10, 2, struct.pack(">I", 2) + plain(1) + plain(9) + bytes([0, 1, 0, 2, 0, 3, 0, 4]) +
                                                        plain(7) + bytes(4) + b"\0\1\0\1"))
    yield update(rect(5, 5, 20, 20, 4, struct.pack(">I", 2) + plain(1) + plain(9) + b"\1\2\3\4" + plain(7) + b"\0\0\1\1"))
    yield update(rect(*whole, 5, hextile(plain, b)))
    for rows in (a, b):
        body = stream(raw(plain, rows))
        yield update(rect(*whole, 6, struct.pack(">I", len(body)) + body))
    for kinds in ((0, 1), (2, 130), (128, 0), (130, 2)):
        body = tiles(zrle(pixels.zrle, b, kinds))
        yield update(rect(*whole, 16, struct.pack(">I", len(body)) + body))
    if form[3]:
        yield update(*tight(pixels.tight, a))
    yield from others(pixels)


def block(data, ms):
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4) + struct.pack(">I", ms)


def greeting(form):
    return b"RFB 003.003\n\0\0\0\1" + struct.pack(">HHBBBBHHHBBB3xI", W, H, *form, 4) + b"name"


def log(form, messages):
    return b"FBS 001.000\n" + block(greeting(form), 0) + b"".join(block(m, 1000 + 200 * i) for i, m in enumerate(messages))


SIDE_FILE = """# vncplay-aux 1
run start at 0
input 0 move at 900000 line=7 late_us=3 x=10 y=12
snapshot 1 wait at 950000 line=9 why=click
Waiting for sync... at 950
snapshot 1 ok at 990000 waited_us=40000 mismatched=0 of=121 moved=0,0
Sync ok at 990
input 1 press at 1100000 line=10 late_us=12 x=10 y=12 button=1
== sending mouse click event at 1100
input 2 release at 1300000 line=11 late_us=1 x=10 y=12 button=1
== sending mouse click event at 1300
input 3 keydown at 1900000 line=12 late_us=0 keysym=0x61
== sending keyboard event at 1900
input 4 keyup at 1950000 line=13 late_us=0 keysym=0x61
== sending keyboard event at 1950
input 5 press at 2500000 line=14 late_us=0 x=1 y=2 button=4
input 6 release at 2500100 line=15 late_us=0 x=1 y=2 button=4
run end at 4000000 status=complete
"""
OLD_SIDE_FILE = """Waiting for sync... at 1204
Sync ok at 1300
== sending mouse click event at 1310
== sending mouse click event at 1390
== sending keyboard event at 2000
== sending keyboard event at 2077
"""
TRACE_FILE = """vncplay-trace 1
server "a \\"name\\""
screen 70x36
pixels 0x00RRGGBB
time us since start
started 2026-01-02T03:04:05Z
1000 move 10 12
# a remark
200000 snapshot click 5 7 3 2 2*ff0000,-,3*00ff7f
200000 press 1 10 12
300000 release 1 10 12
900000 snapshot key 0 0 2 1 2*000000
900000 keydown 0x61 a
950000 keyup 0x61 a
1000000 snapshot hover 1 1 1 1 123456
1000000 move 60 30
"""
OLD_TRACE_FILE = """1500 id=503 when=1 modifiers=0 x=7 y=8 button=0 type=java.awt.event.MouseEvent
20 y1=8 px7y8=-16777216 type=sync x0=7 x1=8 y0=8 px8y8=-256
0 type=java.awt.event.MouseEvent id=501 when=2 modifiers=16 x=7 y=8 button=1
90 type=java.awt.event.MouseEvent id=502 modifiers=16 x=7 y=8 button=1
10 type=java.awt.event.MouseEvent id=506 modifiers=4 x=-3 y=9 button=0
20 type=java.awt.event.KeyEvent id=401 when=9 modifiers=0 keyCode=65 keyChar=97
20 type=java.awt.event.KeyEvent id=402 when=9 modifiers=0 keyCode=65 keyChar=97
"""
DEPS_FILE = """vncplay-deps 1
inputs 9
ignore 0 0 16 16 alone
ignore 32 16 16 16 sometimes
before 10 change 5 7 11 11 *
before 12 change 0 0 70 36 0123456789abcdef
"""


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    seeds = {}
    for name, form in (("xrgb", XRGB), ("565", RGB565_BIG), ("map", MAP)):
        messages = list(session(form))
        seeds[f"{name}.log"] = bytes([LOG]) + log(form, messages)
        head = bytes([STREAM, form[0] // 8 - 1 | (0 if form[3] else 128)])
        for i, message in enumerate(messages):  # few at a time: what is broken early hides what comes later
            seeds[f"{name}.{i:02}"] = head + message
    pixels = Pixels(XRGB)
    quick = [update(rect(dice.randrange(50), dice.randrange(20), 16, 16, 2, struct.pack(">I", 0) + pixels.plain(COLOURS[i % 5]))) for i in range(30)]
    seeds["quick.log"] = bytes([LOG]) + log(XRGB, quick)
    seeds["side"] = bytes([SIDE]) + SIDE_FILE.encode()
    seeds["side.2005"] = bytes([SIDE]) + OLD_SIDE_FILE.encode()
    seeds["trace"] = bytes([TRACE]) + TRACE_FILE.encode()
    seeds["trace.2005"] = bytes([TRACE]) + OLD_TRACE_FILE.encode()
    seeds["deps"] = bytes([DEPS]) + DEPS_FILE.encode()
    for name, data in seeds.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
