#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mutants.py TREE FOLDER N [SEED] - N mutants of run folders, each through one command that reads them.
mutants.py TREE FOLDER columns|drawn - every text column of every table of each kept run with each PAYLOAD (drawn: with one, and only
columns that are words of a figure's curves).

Each must end with a status of its own, in one line where it fails, with no control character and no command of a workflow printed;
no payload may have run, and nothing outside of the run's folder be made, changed or left. Of what is wrong the line says which.
"""
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys

TREE, WORK, WHAT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
RAN = os.path.join(WORK, "ran")
RUNS = ("`%s`", "$(%s)", "';%s;'", '";system("%s");"', '\\"`%s`', "x[$(%s)]", "|%s", "<%s", "';system('%s');'")
RUNS = [text % ("touch${IFS}" + RAN) for text in RUNS]
TEXTS = ("\x1b]0;t\x07", "\u009b31m", "\r=1+1", "=HYPERLINK(1)", "::error::x", "##[add-path]x", "<img src=x onerror=alert(1)>", "&#39;<",
         "../../../keep", "%s%n", "a\nb", "{/=9", "@x", "-o", "\0", "\ufffe", "x" * 9999)
VALUES = (None, True, [], {}, ["x"], {"x": RUNS[0]}, -1, 0, 1e308, 2 ** 63, "", "0", [[[[]]]])
DRAWN = ("protocol", "link", "job", "system", "app", "part", "setting", "says")
FORMATS = "csv samples sqlite github bencher otava openmetrics junit hgrm perfetto".split()
STATUSES = (0, 1, 2, 3, 4, 5)


def kept_runs():
    for top in [TREE] + sorted(os.path.join(TREE, "kits", kit) for kit in os.listdir(os.path.join(TREE, "kits"))):
        folder = os.path.join(top, "results", "reference")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            yield name, os.path.join(folder, name)


def base(source, to, samples=False):
    """A run as its owner has it, with tables only or with samples."""
    os.makedirs(to)
    for name in os.listdir(source):
        if name.endswith((".tsv", ".json")) and name != "findings.json":
            shutil.copy(os.path.join(source, name), to)
    packed = os.path.join(source, "samples.tar.zst")
    if os.path.exists(packed):
        what = [] if samples else ["--exclude=cells"]
        subprocess.run(["tar", "--zstd", "-xf", packed, "-C", to] + what, check=True)
    run = load(to)
    run.pop("kept", None)
    save(to, run)


def load(folder):
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as f:
        return json.load(f)


def save(folder, run):
    with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as f:
        json.dump(run, f)


def table(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return [line.split("\t") for line in f.read().rstrip("\n").split("\n")]


def save_table(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write("\n".join("\t".join(row) for row in rows) + "\n")


def places(value, found, parent=None, key=None):
    if parent is not None:
        found.append((parent, key))
    if isinstance(value, (dict, list)):
        for k in list(value) if isinstance(value, dict) else range(len(value)):
            places(value[k], found, value, k)
    return found


def mutate_json(rng, folder):
    run = load(folder)
    for _ in range(rng.choice((1, 1, 2, 5))):
        parent, key = rng.choice(places(run, []))
        how = rng.random()
        if how < 0.1 and isinstance(parent, dict):
            parent[rng.choice(RUNS + list(TEXTS))] = parent.pop(key)
        elif how < 0.2:
            del parent[key]
        else:
            parent[key] = rng.choice(RUNS + list(TEXTS) + list(VALUES)) if how < 0.9 else str(parent[key]) + rng.choice(RUNS)
    save(folder, run)


def mutate_table(rng, folder):
    path = os.path.join(folder, rng.choice(sorted(n for n in os.listdir(folder) if n.endswith(".tsv"))))
    rows = table(path)
    for _ in range(rng.choice((1, 1, 3, 10))):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(RUNS + [t for t in TEXTS] + ["", "NaN", "1e999", "-0", "0x1"])
    how = rng.random()
    if how < 0.1:
        rows = [row[:-1] for row in rows]
    elif how < 0.2:
        rows = rows[:rng.randrange(len(rows) + 1)]
    elif how < 0.3:
        rows += rows[1:]
    save_table(path, rows)


def mutate_bytes(rng, folder):
    path = os.path.join(folder, rng.choice(sorted(n for n in os.listdir(folder) if n.endswith((".tsv", ".json")))))
    with open(path, "rb") as f:
        data = bytearray(f.read())
    for _ in range(rng.choice((1, 4, 32))):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    with open(path, "wb") as f:
        f.write(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data)


def mutate_files(rng, folder):
    name = os.path.join(folder, rng.choice(("run.json", "summary.tsv", "schema.tsv", "figures", "summary.json", "report.md", "x", "cells")))
    how = rng.choice((os.symlink, os.mkfifo, os.mkdir, None))
    shutil.rmtree(name, ignore_errors=True)
    if os.path.lexists(name):
        os.remove(name)
    if how == os.symlink:
        os.symlink(os.path.join("..", rng.choice(("keep", "home"))), name)
    elif how:
        how(name)


def mutant(rng, folder):
    for _ in range(rng.choice((1, 1, 2))):
        try:
            rng.choice((mutate_json, mutate_json, mutate_table, mutate_table, mutate_bytes, mutate_files))(rng, folder)
        except (OSError, ValueError, IndexError):	# there is nothing left of that kind
            pass


def command(rng):
    report, front = [os.path.join(TREE, "report", "report.sh")], os.path.join(TREE, "report", "")
    return rng.choice(([report + ["run"]] * 3, [report + ["run", "--" + part] for part in ("table", "verdict", "findings", "json")],
                       [[front + "compare.sh", "run", "good"], [front + "compare.sh", "good", "run"],
                        [front + "gate.sh", "run", "--limits", "limits", "--junit", "junit.xml"],
                        [front + "gate.sh", "good", "--baseline", "run"], [front + "bundle.sh", "run", "-o", "b.tar.zst"]],
                       [[front + "export.sh", "run", "--as", rng.choice(FORMATS), "-o", "out"]])
                      [rng.choice((0, 1, 1, 1, 2, 3))])


def snapshot(folder):
    seen = {}
    for top, folders, files in os.walk(folder):
        folders[:] = [] if top == os.path.join(folder, "run") else folders
        for name in folders + files if folders or top != os.path.join(folder, "run") else ():
            path = os.path.join(top, name)
            at = os.lstat(path)
            seen[os.path.relpath(path, folder)] = (at.st_mode, at.st_mtime_ns if name in files else 0)
    return {name: at for name, at in seen.items() if name not in ("run", "out", "b.tar.zst", "junit.xml", ".")}


def judge(folder, words):
    """Runs the command in FOLDER, where the run is `run`; what is wrong with how it ended."""
    before = snapshot(folder)
    env = dict(os.environ, HOME=os.path.join(folder, "home"), TMPDIR=os.path.join(folder, "tmp"), TP_HOME=TREE)
    try:
        done = subprocess.run(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "no end", 124
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    wrong = []
    if done.returncode not in STATUSES:
        wrong.append("status %d" % done.returncode)
    if len(lines) > 1 or (done.returncode in (1, 2, 4) and len(lines) != 1):
        wrong.append("%d lines: %s" % (len(lines), " / ".join(lines[:4])))
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|^\s*::|##\[", text, re.M):
        wrong.append("prints what a terminal or a workflow obeys")
    if os.path.exists(RAN):
        wrong.append("RAN a payload")
        os.remove(RAN)
    if snapshot(folder) != before:
        wrong.append("changed outside: %s" % sorted(set(snapshot(folder).items()) ^ set(before.items()))[:3])
    return "; ".join(wrong), done.returncode


def room(name):
    folder = os.path.join(WORK, name)
    for part in ("home", "tmp", "keep"):
        os.makedirs(os.path.join(folder, part))
    with open(os.path.join(folder, "limits"), "w", encoding="utf-8") as f:
        f.write("repeats * >= 1\n")
    return folder


def fuzz(count, seed):
    bases = {}
    for name, source in kept_runs():
        if name in ("stalls", "rtt", "launch-quanta", "session-memory-x11", "capacity", "iosched-writer"):
            bases[name] = os.path.join(WORK, "base-" + name)
            base(source, bases[name], samples=name == "rtt")

    def one(number):
        rng = random.Random("%s %d" % (seed, number))
        folder, name = room("m%d" % number), rng.choice(sorted(bases))
        shutil.copytree(bases[name], os.path.join(folder, "run"))
        shutil.copytree(bases["rtt"], os.path.join(folder, "good"))
        mutant(rng, os.path.join(folder, "run"))
        words = command(rng)
        wrong, status = judge(folder, words)
        if not wrong:
            shutil.rmtree(folder)
        return "mutant %d of seed %s (%s, %s)" % (number, seed, name, " ".join(words)), wrong, status
    return one, range(count)


def columns(all_of_them):
    cases, payloads = [], RUNS if all_of_them else ["".join(RUNS[:3])]
    for name, source in kept_runs():
        base(source, os.path.join(WORK, "base-" + name))
        types = {(row[1], row[2]): row[3] for row in table(os.path.join(WORK, "base-" + name, "schema.tsv"))}
        for file in sorted(os.listdir(os.path.join(WORK, "base-" + name))):
            if file.endswith(".tsv") and file not in ("schema.tsv", "long.tsv"):
                for column in table(os.path.join(WORK, "base-" + name, file))[0]:
                    if types.get((file[:-4], column), "text") == "text" and (all_of_them or column in DRAWN):
                        cases += [(name, file, column, payload) for payload in payloads]

    def one(number):
        name, file, column, payload = cases[number]
        folder = room("c%d" % number)
        run = os.path.join(folder, "run")
        shutil.copytree(os.path.join(WORK, "base-" + name), run)
        rows = table(os.path.join(run, file))
        at = rows[0].index(column)
        for row in rows[1:]:
            if at < len(row) and row[at]:
                row[at] += payload
        save_table(os.path.join(run, file), rows)
        wrong, status = judge(folder, [os.path.join(TREE, "report", "report.sh"), "run"])
        shutil.rmtree(folder)
        return "%s: %s %s with %s" % (name, file, column, payload), wrong, status
    return one, range(len(cases))


def main():
    one, numbers = columns(WHAT == "columns") if WHAT in ("columns", "drawn") else fuzz(int(WHAT), (sys.argv + ["1"])[4])
    statuses, bad = {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for what, wrong, status in pool.map(one, numbers):
            statuses[status] = statuses.get(status, 0) + 1
            if wrong:
                bad += 1
                print("%s: %s" % (what, wrong), flush=True)
    print("tried:%d wrong:%d statuses:%s" % (len(numbers), bad, " ".join("%d:%d" % item for item in sorted(statuses.items()))))
    sys.exit(bad > 0)


main()
