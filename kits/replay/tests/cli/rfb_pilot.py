#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A session by hand: does what the lines of a script say at an RFB server, and writes down what it did and saw as a trace of vncplay. Knows nothing of
vncplay's own recorder: what a replay does is held against this.

usage: rfb_pilot.py PORT SCRIPT TRACE      lines: move X Y | press X Y [B] | release X Y [B] | key SYM | keydown SYM | keyup SYM | wait MS |
shot WHY X Y [W H] (11x11 around X Y) | see X Y RRGGBB (waits until that pixel is so)
"""
import socket
import struct
import sys
import time

port, script, out = int(sys.argv[1]), sys.argv[2], open(sys.argv[3], "w")
s = socket.create_connection(("127.0.0.1", port), 10)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def get(n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            sys.exit("the server is gone")
        data += more
    return data


get(12)
s.sendall(b"RFB 003.003\n")
assert struct.unpack(">I", get(4))[0] == 1
s.sendall(b"\1")
width, height = struct.unpack(">HH16x", get(20))
name = get(struct.unpack(">I", get(4))[0])
s.sendall(struct.pack(">BxxxBBBBHHHBBBxxx", 0, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0))
s.sendall(struct.pack(">BxHiii", 2, 3, 0, -239, -224))
screen = [bytearray(width * 4) for _ in range(height)]


def ask(incremental):
    s.sendall(struct.pack(">BBHHHH", 3, incremental, 0, 0, width, height))


def take():
    kind = get(1)[0]
    if kind == 2:
        return
    if kind == 3:
        get(struct.unpack(">3xI", get(7))[0])
        return
    assert kind == 0, kind
    for _ in range(struct.unpack(">xH", get(3))[0]):
        x, y, w, h, e = struct.unpack(">HHHHi", get(12))
        if e == -224:
            break
        if e == -239:
            get(w * h * 4 + (w + 7) // 8 * h)
            continue
        assert e == 0, e
        for row in range(y, y + h):
            screen[row][x * 4:(x + w) * 4] = get(w * 4)
    ask(1)


def wait(ms):
    until = time.monotonic() + ms / 1000
    while (left := until - time.monotonic()) > 0:
        s.settimeout(left)
        try:
            byte = s.recv(1, socket.MSG_PEEK)
        except (socket.timeout, BlockingIOError):
            break
        s.settimeout(10)
        if not byte:
            sys.exit("the server is gone")
        take()
    s.settimeout(10)


def pixel(x, y):
    b, g, r, _ = screen[y][x * 4:x * 4 + 4]
    return f"{r:02x}{g:02x}{b:02x}"


ask(0)
take()
start, mask, at = time.monotonic(), 0, (0, 0)
out.write(f"vncplay-trace 1\nserver \"{name.decode()}\"\nscreen {width}x{height}\npixels 0x00RRGGBB\ntime us since start\n")
for line in open(script):
    word, *rest = line.split() or [""]
    now = int((time.monotonic() - start) * 1e6)
    if word == "wait":
        wait(int(rest[0]))
    elif word == "see":
        until = time.monotonic() + 20
        while pixel(int(rest[0]), int(rest[1])) != rest[2]:
            if time.monotonic() > until:
                sys.exit(f"{line.strip()} did not come: it is {pixel(int(rest[0]), int(rest[1]))}")
            wait(20)
    elif word in ("move", "press", "release"):
        x, y, button = int(rest[0]), int(rest[1]), int(rest[2]) if len(rest) > 2 else 1
        if word == "press":
            mask |= 1 << button - 1
        elif word == "release":
            mask &= ~(1 << button - 1)
        s.sendall(struct.pack(">BBHH", 5, mask, x, y))
        out.write(f"{now} {word} {x} {y}\n" if word == "move" else f"{now} {word} {button} {x} {y}\n")
    elif word in ("key", "keydown", "keyup"):
        sym = int(rest[0], 0)
        for kind in ("keydown", "keyup") if word == "key" else (word,):
            s.sendall(struct.pack(">BBxxI", 4, kind == "keydown", sym))
            out.write(f"{now} {kind} {sym:#x}\n")
    elif word == "shot":
        x, y = int(rest[1]) - 5, int(rest[2]) - 5
        w, h = 11, 11
        if len(rest) > 3:
            x, y, w, h = (int(v) for v in rest[1:5])
        pixels = ",".join(pixel(i, j) for j in range(y, y + h) for i in range(x, x + w))
        out.write(f"{now} snapshot {rest[0]} {x} {y} {w} {h} {pixels}\n")
    elif word:
        sys.exit(f"no word {word}")
out.close()
