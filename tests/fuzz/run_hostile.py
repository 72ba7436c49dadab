#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads captures that lie with prototap and holds each run against what must hold. usage: run_hostile.py PROTOTAP [FOLDER]

The captures are those of FOLDER, or the seeds of prototap_fuzz, as they are and in damaged forms, always the same ones.

It measured (0), or measured a part (3): a report that is JSON, and at most one line beside it, and one of copies. It could not (1):
one line that says why, and nothing else, or a report that says that no packet was selected. Never a signal, a sanitizer's word, or
more than 10 seconds. Prints how many files ended how, or what is wrong.
"""
import collections
import concurrent.futures
import json
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "prototap.tar")
LINKS = (1, 113, 276, 0, 101, 228, 229)     # of the kinds of packets in prototap_fuzz.c
WHOLE_FILE = 7


def file_of(seed):
    """The capture file of a seed (prototap_fuzz.c tells its form)."""
    kind, at = (seed[0] & 15) % 10, 1
    if kind >= WHOLE_FILE:
        return seed[1:]
    data, us = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, LINKS[kind]), 10**15
    while at + 8 <= len(seed):
        captured, beyond, later = struct.unpack_from("<HHi", seed, at)
        packet, us = seed[at + 8:at + 8 + captured], us + later
        data += struct.pack("<IIII", us // 10**6, us % 10**6, len(packet), len(packet) + beyond) + packet
        at += 8 + captured
    return data


def damage(data, dice):
    """Some bytes changed, moved, repeated or cut, as a bad disk or a bad mind would."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5, 40)) if data else 0):
        at, way = dice.randrange(len(data) or 1), dice.randrange(6)
        if way < 3:
            data[at:at + 1] = bytes([dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))])
        elif way == 3:
            data[at:at + 4] = struct.pack("<I", dice.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, dice.randrange(2**32))))
        elif way == 4:
            del data[at:at + dice.randrange(20)]
        else:
            data[at:at] = data[at:at + dice.randrange(60)]
    return bytes(data[:dice.randrange(len(data) + 1)]) if dice.random() < 0.3 else bytes(data)


def make(folder):
    dice = random.Random(20260101)
    with tarfile.open(SEEDS) as seeds:
        for seed in seeds:
            whole = file_of(seeds.extractfile(seed).read())
            for i in range(4):
                open(os.path.join(folder, f"{seed.name}.{i}"), "wb").write(damage(whole, dice) if i else whole)


def wrong_with(program, path):
    command = [program, "read", path, "--format", "json", "--flows-max", "1000"]
    try:
        run = subprocess.run(command, capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:
        return "timeout", "not done after 10 s"
    said = run.stderr.decode("utf-8", "replace")
    if "Sanitizer" in said or "runtime error" in said:
        return "crash", said
    if run.returncode not in (0, 1, 3):
        return "crash", f"status {run.returncode}: {said}"
    lines = [line for line in said.splitlines() if not line.endswith("as at a mirror port or with -i any")]  # no loss
    if len(lines) > 1 or not all(line.startswith("prototap: ") for line in lines):
        return run.returncode, f"not one line of its own on standard error: {said!r}"
    if run.returncode == 1:
        nothing = b'"why_empty":' in run.stdout  # no packet was selected, which is in the report, too
        return 1, "" if said and (nothing or not run.stdout) else "status 1 without a reason, or with a report"
    try:
        capture = json.loads(run.stdout)["result"]["capture"]
    except (ValueError, KeyError) as e:
        return run.returncode, f"no report: {e!r}"
    told = sum(capture[k] for k in ("selected_packets", "other_packets", "copies", "fragments", "too_short", "malformed"))
    if told != capture["packets"]:
        return run.returncode, f"{capture['packets']} packets, but {told} told of"
    if capture.get("damaged_files") and run.returncode != 3:
        return run.returncode, "damaged, but status 0"
    return run.returncode, ""


def judge(program, folder):
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    ways, wrong = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (way, why) in zip(paths, pool.map(lambda p: wrong_with(program, p), paths)):
            ways[way] += 1
            if why:
                wrong += 1
                print(f"{os.path.basename(path)}: {why}")
    print(" ".join(f"{way}:{n}" for way, n in sorted(ways.items(), key=str)), f"files:{len(paths)} wrong:{wrong}")
    return 1 if wrong else 0


def main():
    if len(sys.argv) > 2:
        return judge(*sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        return judge(sys.argv[1], folder)


if __name__ == "__main__":
    sys.exit(main())
