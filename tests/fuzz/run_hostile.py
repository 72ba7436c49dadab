#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads every file of a folder with prototap and holds each run against what must hold. usage: run_hostile.py PROTOTAP FOLDER

It measured (0), or measured a part (3): a report that is JSON, and at most one line beside it. It could not (1): one line that says why, and
nothing else, or a report that says that no packet was selected. Never a signal, a sanitizer's word, or more than 10 seconds. Prints how many files ended how, or what is wrong.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys


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
    if said and (said.count("\n") != 1 or not said.startswith("prototap: ")):
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


def main():
    program, folder = sys.argv[1:]
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    ways, wrong = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (way, why) in zip(paths, pool.map(lambda p: wrong_with(program, p), paths)):
            ways[way] += 1
            if why:
                wrong += 1
                print(f"{os.path.basename(path)}: {why}")
    print(" ".join(f"{way}:{n}" for way, n in sorted(ways.items(), key=str)), f"files:{len(paths)} wrong:{wrong}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
