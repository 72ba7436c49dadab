#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does to a capture what a bad network does: swaps, repeats, cuts and loses packets.

usage: disturb.py IN.pcap OUT.pcap SEED [swap] [repeat] [lose] [part] [cut]

Reads and writes little-endian pcap. Times stay in order: a packet that is swapped takes its place in time too. `part` repeats
a packet and the one after it, as one segment that overlaps both (a sender that packs anew). `cut` keeps 96 bytes of each.
"""
import random
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    at, packets = 24, []
    while at + 16 <= len(data):
        stamp, (captured, original) = data[at:at + 8], struct.unpack_from("<II", data, at + 8)
        packets.append([stamp, original, bytearray(data[at + 16:at + 16 + captured])])
        at += 16 + captured
    return data[:24], packets


def main():
    header, packets = read(sys.argv[1])
    dice, ways = random.Random(int(sys.argv[3])), sys.argv[4:]
    stamps = [p[0] for p in packets]
    bodies = [(p[1], p[2]) for p in packets]
    if "lose" in ways:
        keep = [i < 3 or dice.random() > 0.03 for i in range(len(bodies))]
        bodies = [b for b, k in zip(bodies, keep) if k]
        stamps = [s for s, k in zip(stamps, keep) if k]
    if "swap" in ways:
        for i in range(3, len(bodies)):
            if dice.random() < 0.2:
                j = min(len(bodies) - 1, i + dice.randint(1, 6))
                bodies.insert(j, bodies.pop(i))
    out = []
    for stamp, body in zip(stamps, bodies):
        out.append((stamp, body))
        if "repeat" in ways and dice.random() < 0.1:
            original, frame = dice.choice(bodies[:len(out)])
            again = bytearray(frame)
            if frame[12:14] == b"\x08\x00":	# sent again, not captured twice: another IP identification
                struct.pack_into(">H", again, 18, 0xc000 + len(out))
            out.append((stamp, (original, again)))
        if "part" in ways and dice.random() < 0.1:
            original, frame = body
            shifted = bytearray(frame)
            if frame[12:14] == b"\x08\x00" and frame[23] == 6 and original > 100:
                tcp = 14 + (frame[14] & 15) * 4
                seq = struct.unpack_from(">I", frame, tcp + 4)[0]
                struct.pack_into(">I", shifted, tcp + 4, (seq + dice.randint(-20, 20)) % 2**32)
                struct.pack_into(">H", shifted, 18, 0xa000 + len(out))
                out.append((stamp, (original, shifted)))
    with open(sys.argv[2], "wb") as f:
        f.write(header)
        for stamp, (original, frame) in out:
            frame = frame[:96] if "cut" in ways else frame
            f.write(stamp + struct.pack("<II", len(frame), original) + frame)


if __name__ == "__main__":
    main()
