#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a run folder of the experiment stalls (but for the list of its cells), from formulas: no clock, no random numbers, so
# that the expected figures can be worked out elsewhere. usage: [NAME=value …] make_run.py FOLDER
#
#   LOADS="0 5 10 20" REPEATS=3 KEYS=100 (of which 5 skipped) APPS="light heavy" COST=10 (ms)
#   SERIES=1|2      2: a periodic "stall" train beside each jittered one
#   LIGHT=quick|ranged|open|late|noisy   ranged: beside sinks every fourth answer is a range of 30 ms, as wire-only pairing
#                    gives them; open: of 200 ms; late: every tenth key takes 200 ms more; noisy: in repeat 1 every second does
#   GROUP=4          the session's autogroup; the sinks are in 4 (of APPS=grouped, vim and sinks are in a group of the lab, too)
#   STRETCH=1        the heavy application's redraws take that times as long as fair sharing says
#   OVERLOADED="20"  loads at which the heavy application is overloaded
#   CENSORED=n       the last n keys of each heavy train have no echo
#   STATE=complete|interrupted   interrupted: the last repeat of the highest load has no cell.json, the one before failed
#   SHARED=false    server and client share CPUs
#   MARKED=0|1      the trains of one cell and repeat with foreign CPU time 4.2 %;  STEAL=0.0  and stolen, there
#   FOREIGN=known|null   null: no train knows its foreign CPU time
#   MERGE=0|1       1: beside 10 sinks more updates at a merge gap of 5 ms than at 10
#   APPS=own PROTOCOL=null|vnc:refecho COST=n|null   a protocol that answers keys itself, at no cost or at one
#   PAIRING=caret   how the light application's keys were paired: "updates" where LIGHT is ranged or open
#
# Latency of key k (from 6 on, the first five are warm-up) in repeat r:
#   light: 9 ms + 20 us * ((37 k + 11 r) mod 100) + 50 us * sinks; grouped: + 500 us * sinks
#   heavy: the application takes all keys that wait, needs COST (sinks + 1) STRETCH ms [+ 1 % per r], and they are shown 8 ms later
import json
import os
import sys


def asked(name, default=""):
    return os.environ.get(name) or default


LOADS = [int(n) for n in asked("LOADS", "0 5 10 20").split()]
APPS = asked("APPS", "light heavy").split()
REPEATS, KEYS, SERIES = int(asked("REPEATS", "3")), int(asked("KEYS", "100")), int(asked("SERIES", "1"))
COST, STRETCH = json.loads(asked("COST", "10")), float(asked("STRETCH", "1"))
CENSORED, MARKED, MERGE = int(asked("CENSORED", "0")), int(asked("MARKED", "0")), int(asked("MERGE", "0"))
LIGHT, GROUP, STEAL = asked("LIGHT", "quick"), asked("GROUP", "4"), asked("STEAL", "0.0")
STATE, PROTOCOL, LINK = asked("STATE", "complete"), asked("PROTOCOL", "vnc"), asked("LINK", "100Mbit")
PAIRING = "updates" if LIGHT in ("ranged", "open") else asked("PAIRING", "caret")
OVERLOADED = asked("OVERLOADED").split()
BASE, PERIOD = 1000000000000, 50000000


def put(value, *path):
    with open(os.path.join(*path), "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value) + "\n")


def keys_of(light, each, sinks, repeat, series):
    """Of key 1, 2, ...: due, sent, answer (or None), high; the times of the updates after the warm-up."""
    rows, updates, k = [], [], 0
    for k in range(1, KEYS + 1):
        due = BASE + (k - 1) * PERIOD + ((k * 7919 + repeat * 104729) % 16666 * 1000 if series == "latency" else 0)
        rows.append([due, due + 3000 + (k * 13 + repeat) % 40 * 100, None, None])
    if light:
        for k, row in enumerate(rows, 1):
            row[2] = row[0] + 9000000 + 20000 * ((37 * k + 11 * repeat) % 100) + each * sinks
            if sinks and (LIGHT == "late" and k % 10 == 0 or LIGHT == "noisy" and repeat == 1 and k % 2 == 0):
                row[2] += 200000000
            row[3] = row[2] + (0 if not sinks or k % 4 else {"ranged": 30000000, "open": 200000000}.get(LIGHT, 0))
        return rows, [row[2] for row in rows[5:]]
    service = COST * 1000000 * (sinks + 1) * STRETCH * (1 + repeat / 100)
    busy = k = 0
    while k < KEYS:
        begin = max(rows[k][1], busy)
        busy = begin + service
        while k < KEYS and rows[k][1] <= begin:
            rows[k][2] = busy + 8000000
            k += 1
        if k > 5:
            updates.append(busy + 8000000)
    for row in rows[KEYS - CENSORED:]:
        row[2] = None
    return rows, updates


def stalls_of(updates):
    """The definitions of a stall, written down once more."""
    gaps = [(b - a) / 1e6 for a, b in zip(updates, updates[1:])]
    mean = sum(gaps) / len(gaps)
    late = [gap - 50 for gap in gaps if gap > 50]
    variance = sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1)
    return max(gaps), {"period_ms": 50.0, "intervals": len(gaps), "count": len(late), "mean_ms": mean - 50,
                       "mean_positive_ms": sum(late) / len(gaps), "max_ms": max(gaps) - 50, "jitter_sd_ms": variance ** 0.5,
                       "jitter_variance_ms2": variance}


def train(folder, app, sinks, repeat, series):
    light = app in ("light", "grouped") or app == "own" and COST is None
    over = not light and str(sinks) in OVERLOADED
    marked = MARKED == 1 and sinks == 10 and repeat == 2
    os.makedirs(folder, exist_ok=True)
    rows, updates = keys_of(light, 500000 if app == "grouped" else 50000, sinks, repeat, series)
    lines = ["schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped"]
    for k, (due, sent, answer, high) in enumerate(rows, 1):
        lines.append("keys/1\t%d\t%d\t%d\t%s\t%s\t%s\t%d" % (
            k, due, sent, "" if answer is None else "%.0f" % answer, "" if high is None else high,
            "" if light or k <= KEYS - CENSORED else BASE + KEYS * PERIOD + 2000000000, k <= 5))
    put("\n".join(lines) + "\n", folder, "samples.tsv")
    gap, stalls = stalls_of(updates)
    put({"schema": "thinprobe.keyrepeat/1", "tool": "keyrepeat", "version": "0.1.0",
         "settings": {"schedule": "jittered" if series == "latency" else "periodic", "rate_per_s": 20},
         "result": {"keys_due": KEYS - 5, "keys_sent": KEYS - 5, "keys_skipped": 5, "updates": len(updates),
                    "updates_per_key": len(updates) / (KEYS - 5), "pairing": PAIRING if app == "light" else "patch",
                    "overloaded": over, "backlog_per_s": 9.5 if over else 0.0, "largest_gap_ms": gap, "stalls": stalls,
                    "drain_s": 1.0, "probe_cpu_percent": 1.5}}, folder, "keyrepeat.json")
    more = MERGE * (sinks == 10) * 8
    put({"schema": "thinprobe.prototap/1", "tool": "prototap", "version": "0.1.0", "settings": {}, "result": {
        "channels": {"input": {"wire_bytes": KEYS * 180}, "display": {"wire_bytes": KEYS * 420},
                     "total": {"wire_bytes": KEYS * 600}},
        "updates": {"count": len(updates), "merge_ms": 10.0, "depends_on_merge": more > 0, "other_merges": [
            {"merge_ms": 5.0, "count": len(updates) + more}, {"merge_ms": 20.0, "count": len(updates)}]},
        "stalls": {"period_ms": 50.0, "mean_ms": stalls["mean_ms"]},
        "capture": {"packets": KEYS * 6, "dropped": 0, "truncated": 0, "malformed": 0}, "cpu_percent": 0.4}}, folder,
        "prototap.json")
    runs = "autogroup=/autogroup-%s session=%d nice=0 policy=other cpus=0 cgroup=/" + ("thinprobe-0123ab-grouped"
                                                                                       if app == "grouped" else "")
    put({"schema": "thinprobe.cell/1", "parameters": {"protocol": PROTOCOL, "app": app, "sinks": sinks}, "repeat": repeat,
         "series": series, "state": "complete", "reason": "",
         "foreign_percent": None if asked("FOREIGN") == "null" else 4.2 if marked else float("0.%d" % sinks),
         "steal_percent": float(STEAL) if marked else 0.0, "server_busy_percent": 99.8 if sinks else 12.5,
         "marked": "foreign CPU time 4.20 %%, stolen %s %%: over 3 %%" % STEAL if marked else "", "probe_cpu_percent": 1.5,
         "capture_cpu_percent": 0.4, "regime": "session",
         "autogroup": {"session": runs % (GROUP, 17), "app": runs % (GROUP, 20 + repeat), "sinks": runs % ("4", 4)
                       if sinks else ""},
         "cost_ms": None if light else COST, "period_ms": 50}, folder, "cell.json")


out = sys.argv[1]
for app in APPS:
    for load in LOADS:
        for repeat in range(1, REPEATS + 1):
            folder = os.path.join(out, "cells", "%s-%03d" % (app, load), str(repeat))
            train(folder, app, load, repeat, "latency")
            if SERIES == 2:
                train(os.path.join(folder, "stall"), app, load, repeat, "stall")
    if STATE == "interrupted":
        os.remove(os.path.join(out, "cells", "%s-%03d" % (app, LOADS[-1]), str(REPEATS), "cell.json"))
        last = os.path.join(out, "cells", "%s-%03d" % (app, LOADS[-1]), str(REPEATS - 1), "cell.json")
        with open(last) as file:
            put(dict(json.load(file), state="failed", reason="the probe lost its connection"), last)
host = {"kernel": "6.1.0", "taken": "2026-01-02T03:04:06Z", "cpu": {"model": "a made-up machine", "count": 2, "governor": None},
        "load": [0.5, 0.25, 0.1], "scheduler": {"autogroup": True}, "virtualisation": "kvm"}
idle = {"light": {"updates": 0, "seconds": 12}, "heavy": {"updates": 2, "seconds": 12}}
if APPS == ["own"]:
    idle["own"] = {"updates": 0, "seconds": 12}
protocol = json.loads('{"floor_ms": %s}' % asked("FLOOR", "8.333"))
put({"schema": "thinprobe.run/1", "experiment": "stalls", "version": "0.1.0", "started": "2026-01-02T03:04:05Z",
     "ended": "2026-01-02T03:07:05Z", "state": STATE, "command": "thinprobe demo",
     "settings": {"protocol": PROTOCOL, "apps": APPS, "loads": LOADS, "repeats": REPEATS, "seconds": KEYS // 20, "rate_per_s": 20,
                  "schedule": "jittered" if SERIES == 1 else "jittered and periodic", "series": ["latency", "stall"][:SERIES],
                  "cost_ms": COST, "cost_per": "redraw", "regime": "session", "seed": 1, "link": LINK, "quick": SERIES == 1,
                  "threshold_ms": 100},
     "protocol": {"server": "Xvnc", "version": "1.12.0", "says": "VNC (Xvnc 1.12, 60 frames/s)", "frame_rate_per_s": 60, **protocol,
                  "encodings": "tight", "encryption": "none"},
     "host": {**host, "missing": {"netem": "the kernel has no sch_netem"}},
     "lab": {"cpus_server": "0", "cpus_client": "1", "rate": LINK, "shared_cpus": asked("SHARED") == "true", "rootless": True},
     "facts_after": {**host, "taken": "2026-01-02T03:07:05Z", "load": [9.5, 4.25, 2.1], "scheduler": {"autogroup": False}},
     "chain": {"latency_p50_ms": 0.061, "latency_p99_ms": 0.148, "latency_max_ms": 0.21, "lateness_p99_us": 31.5,
               "lateness_max_us": 60.2, "probe_cpu_percent": 1.2, "capture_cpu_percent": 0.3},
     "idle": idle, "cells": {"total": 24, "complete": 24, "failed": 0, "marked": MARKED}}, out, "run.json")
