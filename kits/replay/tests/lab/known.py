#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds an analysis of replays against what their scripted servers did, click by click.

usage: known.py ANALYSIS.json FIRST.rfb.aux SERVER_LOG... [--within MS] [--extra N] [--rows]
  ANALYSIS.json   of vncplay analyze --format json, over as many replays as there are server logs, in the same order
  FIRST.rfb.aux   the side file of the first replay: which input was the k-th press
Prints one line: right=R of=N worst_ms=E from_release_ms=E complete_ms=E extra=X disturbed_ms=D
  right     clicks that have one row, in which each replay has the server's own latency within MS (5), or none where the server gave
  none
  extra     rows that belong to no click, or are a second one of a click
  disturbed how late the servers themselves were at worst: what they log is when it was done, but what came late was also seen late
Exit status: 0 all clicks right and at most N (0) extra rows; 1 not.
"""
import argparse
import json
import re
import sys

p = argparse.ArgumentParser()
p.add_argument("analysis")
p.add_argument("aux")
p.add_argument("logs", nargs="+")
p.add_argument("--within", type=float, default=5)
p.add_argument("--extra", type=int, default=0)
p.add_argument("--least", type=int, help="so many right ones are enough")
p.add_argument("--rows", action="store_true", help="tell each click, too")
o = p.parse_args()


def truth(path):
    """For each click: from press, from release, and to the last strip, in ms, or None; and how late the server was."""
    presses, releases, first, last, late = [], [], {}, {}, 0
    for line in open(path):
        at, what, rest = (line.rstrip().split(" ", 2) + [""])[:3]
        kv = dict(w.split("=", 1) for w in rest.split() if "=" in w)
        if "late_us" in kv and what == "paint":
            late = max(late, int(kv["late_us"]) / 1000)
        if what == "press" and kv["button"] == "1" and kv["on"] not in ("desk", "entry"):
            presses.append(int(at))
        elif what == "release" and kv["button"] == "1" and len(releases) < len(presses):
            releases.append(int(at))
        elif what == "sent":
            for name in kv["names"].split(","):
                if re.match(r"answer-\d+/", name):
                    k = int(name[7:].split("/")[0])
                    first.setdefault(k, int(at))
                    last[k] = int(at)
    rows = []
    for k, press in enumerate(presses, 1):
        rows.append(tuple((done[k] - since) / 1e6 if k in done else None for done, since in
                          ((first, press), (first, releases[k - 1] if k <= len(releases) else press), (last, press))))
    return rows, late


servers = [truth(log) for log in o.logs]
clicks = len(servers[0][0])
late = max(s[1] for s in servers)
if any(len(s[0]) != clicks for s in servers):
    print("clicks of the replays: %s: not the same" % ",".join(str(len(s[0])) for s in servers))
    sys.exit(1)
belongs, presses = {}, 0
for line in open(o.aux):
    m = re.match(r"input (\d+) (press|release) .*button=1\b", line)
    if m:
        presses += m[2] == "press"
        belongs[int(m[1])] = presses
rows, extra, right = {}, 0, 0
worst = [0.0, 0.0, 0.0]
for r in json.load(open(o.analysis))["result"]["responses"]:
    k = belongs.get(r["input"])
    if k is None or k in rows:
        extra += 1
        print("extra: %s" % json.dumps(r)) if o.rows else None
    else:
        rows[k] = r
for k in range(1, clicks + 1):
    good, told = k in rows, []
    for i, (server, _) in enumerate(servers):
        want = server[k - 1]
        for n, name in enumerate(("latency_from_press_ms", "latency_from_release_ms", "complete_ms")):
            got = rows[k][name][i] if k in rows and rows[k].get(name) else None
            if want[n] is not None and got is not None:
                worst[n] = max(worst[n], abs(got - want[n]))
            if n == 0:
                good = good and (got is None) == (want[n] is None) and (got is None or abs(got - want[n]) <= o.within)
                told.append("%s/%s" % tuple("-" if v is None else "%.1f" % v for v in (got, want[n])))
    right += good
    if o.rows:
        print("click %d: %s: got/was %s" % (k, "right" if good else "WRONG", " ".join(told)))
print("right=%d of=%d worst_ms=%.1f from_release_ms=%.1f complete_ms=%.1f extra=%d disturbed_ms=%.1f" % (right, clicks,
                                                                                                         *worst, extra, late))
sys.exit(not (right >= (o.least or clicks) and clicks > 0 and extra <= o.extra))
