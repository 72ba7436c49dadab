#!/usr/bin/env python3
"""Turns the hand-made captures into seeds of prototap_fuzz. usage: make_corpus.py CAPTURES FOLDER (see prototap_fuzz.c for the form)"""
import glob
import os
import struct
import sys

KINDS = {1: 0, 113: 1, 276: 2}

os.makedirs(sys.argv[2], exist_ok=True)
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.pcap*"))):
    data, name = open(path, "rb").read(), os.path.basename(path)
    if name == "many.pcap":
        continue
    if path.endswith("ng"):
        out = b"\3" + data
    elif data[:4] == struct.pack("<I", 0xA1B23C4D) and struct.unpack_from("<I", data, 20)[0] in KINDS:
        out, at, before = bytes([KINDS[struct.unpack_from("<I", data, 20)[0]]]), 24, None
        while at + 16 <= len(data):
            s, ns, captured, original = struct.unpack_from("<IIII", data, at)
            us = s * 10**6 + ns // 1000
            out += struct.pack("<HHi", captured, original - captured, us - (us if before is None else before)) + data[at + 16:at + 16 + captured]
            before, at = us, at + 16 + captured
    else:
        continue
    open(os.path.join(sys.argv[2], name.split(".")[0] + (".ng" if path.endswith("ng") else "")), "wb").write(out)
