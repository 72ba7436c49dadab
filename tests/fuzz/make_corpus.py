#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns the hand-made captures into seeds of prototap_fuzz. usage: make_corpus.py CAPTURES FOLDER (see prototap_fuzz.c for the form)

Each capture becomes one seed of its packets (NAME), where its link type has a number there, and one as a file (NAME.file); pcapng also one for
drops.c (NAME.drops).
"""
import glob
import os
import struct
import sys

KINDS = {1: 0, 113: 1, 276: 2, 0: 3, 108: 3, 101: 4, 12: 4, 14: 4, 228: 5, 229: 6}
WHOLE_FILE, TWO_FILES, DROPS = 7, 8, 9
ASKED = 0x30     # port 5900 of server 10.0.0.2
READ = 0xC0      # decoded, and with keys
LARGEST = 4096
SPOKEN = 16000   # of captures with content (make_content.py)


def spoken(name):
    return name.startswith(("rfb", "x11_little", "x11_big", "tls", "acks", "lossy"))  # of make_content.py


def packets(data):
    order = "<" if data[0] != 0xA1 else ">"
    fraction = 1000 if struct.unpack_from(order + "I", data)[0] == 0xA1B23C4D else 1
    out, at, before = b"", 24, None
    while at + 16 <= len(data):
        s, parts, captured, original = struct.unpack_from(order + "IIII", data, at)
        us = s * 10**6 + parts // fraction
        out += struct.pack("<HHi", captured, original - captured, us - (us if before is None else before)) + data[at + 16:at + 16 + captured]
        before, at = us, at + 16 + captured
    return out


def main():
    made, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    files = {os.path.basename(p): open(p, "rb").read() for p in sorted(glob.glob(os.path.join(made, "*.pcap*")))}
    files = {name: data for name, data in files.items() if len(data) <= (SPOKEN if spoken(name) else LARGEST)}
    seeds = {}
    # those without content first, as they always were: their number says what they are measured with
    for i, (name, data) in enumerate(sorted(files.items(), key=lambda f: spoken(f[0]))):
        stem = name.replace(".pcapng", "_ng").replace(".pcap", "").replace(".", "_")
        seeds[stem + ".file"] = bytes([WHOLE_FILE | (ASKED if i % 3 == 0 else 0)]) + data
        if spoken(name):
            seeds[stem] = bytes([READ]) + packets(data)
            del seeds[stem + ".file"]
        elif name.endswith("ng"):
            seeds[stem + ".drops"] = bytes([DROPS]) + data
        elif len(data) > 24 and data[:2] in (b"\xa1\xb2", b"\x4d\x3c", b"\xd4\xc3"):
            link = struct.unpack_from(">I" if data[0] == 0xA1 else "<I", data, 20)[0]
            if link in KINDS:
                seeds[stem] = bytes([KINDS[link] | (ASKED if i % 3 == 1 else 0)]) + packets(data)
    for one, two in (("half_1.pcap", "half_0.pcap"), ("udp.pcap", "plain.pcapng"), ("plain_ns.pcap", "cooked.pcap")):
        seeds[f"{one.split('.')[0]}_and_{two.split('.')[0]}"] = bytes([TWO_FILES]) + struct.pack("<H", len(files[one])) + files[one] + files[two]
    for name, data in seeds.items():
        open(os.path.join(folder, name), "wb").write(data)


if __name__ == "__main__":
    main()
