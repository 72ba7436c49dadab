#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the connections of a report against tshark -z conv,tcp. usage: hold_conv.py CAPTURE REPORT.json

tshark rounds 10,000 bytes and more to thousands: these are held within that, and to the byte against the sum of its frame.len.
"""
import collections
import json
import re
import subprocess
import sys

LINE = re.compile(r"(\S+):(\d+)\s+<->\s+(\S+):(\d+)\s+(\d+) ([\d,]+) (\w+)\s+(\d+) ([\d,]+) (\w+)\s")


# One run for both: a line with each packet's length, then the table. (tshark's decoder of VNC begins a second conversation at the greeting of a
# server.)
said = subprocess.run(["tshark", "-n", "--disable-protocol", "vnc", "-r", sys.argv[1], "-Y", "tcp && !icmp && !icmpv6", "-T", "fields", "-e", "frame.len", "-z", "conv,tcp"],
                      capture_output=True, text=True, check=True).stdout
conversations = []
for a, pa, b, pb, back, back_bytes, back_unit, there, there_bytes, there_unit in LINE.findall(said):
    conversations.append(((a, int(pa)), (b, int(pb)), int(there), (int(there_bytes.replace(",", "")), there_unit), int(back), (int(back_bytes.replace(",", "")), back_unit)))

told = collections.Counter()
total = [0, 0]
for f in json.load(open(sys.argv[2]))["result"]["flows"]:
    if f["transport"] != "tcp":
        continue
    client, server = (f["client"], f["client_port"]), (f["server"], f["server_port"])
    i, d = f["input"], f["display"]
    told[(client, server, i["packets"], i["wire_bytes"], d["packets"], d["wire_bytes"])] += 1
    total[0] += f["packets"]
    total[1] += f["wire_bytes"]


def alike(n, printed):
    return n == printed[0] if printed[1] == "bytes" else abs(n - printed[0] * {"kB": 1000, "MB": 10**6}[printed[1]]) < {"kB": 1000, "MB": 10**6}[printed[1]]


wrong = 0
for a, b, there, there_bytes, back, back_bytes in conversations:
    for key in told:
        there_now, back_now = (key[2:4], key[4:6]) if key[:2] == (a, b) else (key[4:6], key[2:4])
        if set(key[:2]) == {a, b} and there_now[0] == there and back_now[0] == back and alike(there_now[1], there_bytes) and alike(back_now[1], back_bytes):
            told[key] -= 1
            if not told[key]:
                del told[key]
            break
    else:
        print("tshark only:", a, b, there, there_bytes, back, back_bytes)
        wrong += 1
for key in told:
    print("prototap only:", *key)
    wrong += 1
lengths = [int(line) for line in said.splitlines() if line.isdigit()]
if [len(lengths), sum(lengths)] != total:
    print("in all", total, "told,", [len(lengths), sum(lengths)], "by tshark")
    wrong += 1
print(len(conversations), "connections")
sys.exit(wrong > 0 or not conversations)
