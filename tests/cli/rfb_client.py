#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A VNC client of the tests' own: types a and BackSpace in turns, one at a time, and prints after how many ms the rectangle of text
changed, one a line. RFB 3.8, security type None, raw pixels; nothing of thinprobe is used.

usage: rfb_client.py PORT KEYS X Y W H
"""
import random
import socket
import struct
import sys
import time

port, keys, x, y, w, h = map(int, sys.argv[1:])
s = socket.create_connection(("127.0.0.1", port))
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def take(n):
    data = b""
    while len(data) < n:
        more = s.recv(n - len(data))
        if not more:
            sys.exit("closed")
        data += more
    return data


take(12)
s.sendall(b"RFB 003.008\n")
take(take(1)[0])
s.sendall(b"\1")
take(4)
s.sendall(b"\1")
take(struct.unpack(">HH16xI", take(24))[2])
s.sendall(struct.pack(">B3xBBBBHHHBBB3x", 0, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0) + struct.pack(">BxHi", 2, 1, 0))


def update(incremental):
    """Asks for the text; returns its rectangles when they have come."""
    s.sendall(struct.pack(">BBHHHH", 3, incremental, x, y, w, h))
    while True:
        kind = take(1)[0]
        if kind == 0:
            found = []
            for _ in range(struct.unpack(">xH", take(3))[0]):
                rx, ry, rw, rh, encoding = struct.unpack(">HHHHi", take(12))
                assert encoding == 0
                found.append((rx, ry, rw, rh, take(rw * rh * 4)))
            return found
        if kind == 2:
            continue
        assert kind == 3, kind
        take(struct.unpack(">3xI", take(7))[0])


update(0)
for i in range(keys):
    time.sleep(random.uniform(0.1, 0.2))
    key = 0xff08 if i % 2 else ord("a")
    begin = time.monotonic()
    s.sendall(struct.pack(">BBxxI", 4, 1, key) + struct.pack(">BBxxI", 4, 0, key))
    update(1)
    print("%.3f" % ((time.monotonic() - begin) * 1000), flush=True)
