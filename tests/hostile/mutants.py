#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mutants.py TREE FOLDER N SEED - N mutants of run folders, each through one command that reads them.
mutants.py TREE FOLDER columns|drawn - in the tables of each kept run, each text column with each of RUNS; or, in one report of
each of FEW, all columns whose words name curves and panels.

What must hold of each stands in judge().
"""
import concurrent.futures
import glob
import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys

TREE, WORK, WHAT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
# (without "/": a figure whose name has a column's word shall be drawn)
RUNS = [text % "touch${IFS}${RAN}" for text in (
    "`%s`", "$(%s)", "';%s;'", '";system("%s");"', '\\"`%s`', "x[$(%s)]", "|%s", "<%s", "';system('%s');'")]
TEXTS = ["\x1b]0;t\x07", "\u009b31m", "\r=1+1", "=HYPERLINK(1)", "::error::x", "##[add-path]x", "<img src=x onerror=alert(1)>",
         "&#39;<", "../../../keep", "%s%n", "a\nb", "{/=9", "@x", "-o", "\0", "\ufffe", "x" * 9999]
VALUES = [None, True, [], {}, ["x"], {"x": RUNS[0]}, -1, 0, 1e308, 2 ** 63, "", "0", [[[[]]]]]
# One file draws all figures but those of a script of an experiment's own, which users has. (Names of programs, protocols, jobs.)
FEW = ("rtt", "stalls-protocols", "session-memory-x11", "cpuspeed-writer", "users")
DRAWN = ("protocol", "link", "job", "system", "app", "part", "setting", "says")
BIN = os.path.join(TREE, "bin", "")
REPORT = [[BIN + "report", "run"]]
FORMATS = "csv samples sqlite github bencher otava openmetrics junit hgrm perfetto".split()
COMMANDS = (REPORT * 3, [REPORT[0] + ["--" + part] for part in ("table", "verdict", "findings", "json")], [
    [BIN + "compare", "run", "good"], [BIN + "compare", "good", "run"], [BIN + "bundle", "run", "-o", "out"],
    [BIN + "gate", "run", "--limits", "limits", "--junit", "out"], [BIN + "gate", "good", "--baseline", "run"]],
    [[BIN + "export", "run", "--as", form, "-o", "out"] for form in FORMATS])


def read(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(text)


def read_table(path):
    return [line.split("\t") for line in read(path).rstrip("\n").split("\n")]


def write_table(path, rows):
    write(path, "\n".join("\t".join(row) for row in rows) + "\n")


def base(name, source):
    """The kept run as its owner had it; samples only of a small one. Returns its folder."""
    to = os.path.join(WORK, "base-" + name)
    shutil.copytree(source, to, ignore=shutil.ignore_patterns("figures", "report.*", "findings.json", "*.zst"))
    packed = os.path.join(source, "samples.tar.zst")
    if os.path.exists(packed):
        subprocess.run(["tar", "--zstd", "-xf", packed, "-C", to], check=True)
    run = json.loads(read(os.path.join(to, "run.json")))
    if not run.pop("kept", {"left_out_bytes": 1})["left_out_bytes"]:    # (else its tables are packed)
        subprocess.run([os.path.join(TREE, "bin", "summarize"), "-q", "-o", "/dev/null", to], check=False)
    if name != "rtt":
        shutil.rmtree(os.path.join(to, "cells"), ignore_errors=True)
    write(os.path.join(to, "run.json"), json.dumps(run))
    return to


def kept_runs():
    found = glob.glob(TREE + "/results/reference/*") + glob.glob(TREE + "/kits/*/results/reference/*")
    return [(os.path.basename(source), source) for source in sorted(found)]


def places(value, found):
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        found.append((value, key))
        places(value[key], found)
    return found


def mutate_json(rng, path):
    run = json.loads(read(path))
    for _ in range(rng.choice((1, 1, 2, 5))):
        parent, key = rng.choice(places(run, []))
        how = rng.random()
        if how < 0.1 and isinstance(parent, dict):
            parent[rng.choice(RUNS + TEXTS)] = parent.pop(key)
        elif how < 0.2:
            del parent[key]
        else:
            parent[key] = rng.choice(RUNS + TEXTS + VALUES) if how < 0.9 else str(parent[key]) + rng.choice(RUNS)
    write(path, json.dumps(run))


def mutate_table(rng, path):
    rows = read_table(path)
    for _ in range(rng.choice((1, 1, 3, 10))):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(RUNS + TEXTS + ["", "NaN", "1e999", "-0", "0x1"])
    write_table(path, rng.choice([rows] * 7 + [[row[:-1] for row in rows], rows[:rng.randrange(len(rows) + 1)], rows + rows[1:]]))


def mutate_bytes(rng, path):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    for _ in range(rng.choice((1, 4, 32))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    with open(path, "wb") as f:
        f.write(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data)


def mutate_kind(rng, path):
    path = rng.choice((path, os.path.join(os.path.dirname(path), rng.choice(("figures", "summary.json", "report.md", "cells")))))
    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    rng.choice((lambda: os.symlink("../keep", path), lambda: os.mkfifo(path), lambda: os.mkdir(path), lambda: None))()


def mutate(rng, run):
    for _ in range(rng.choice((1, 1, 2))):
        how = rng.choice((mutate_json, mutate_json, mutate_table, mutate_table, mutate_bytes, mutate_kind))
        names = sorted(name for name in os.listdir(run) if name.endswith((".tsv", ".json")))
        path = os.path.join(run, "run.json" if how == mutate_json else rng.choice(names))
        try:
            if not stat.S_ISFIFO(os.stat(path).st_mode):    # (of the first turn: reading it would wait without end)
                how(rng, path)
        except (OSError, ValueError, IndexError):   # that kind of thing is not there, or not any more
            pass


def outside(folder):
    """What is around the run: name, mode, and the time of change of what is no folder."""
    found = {}
    for top, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(top, name) != os.path.join(folder, "run")]
        for path in (os.path.join(top, name) for name in folders + files if name != "out"):
            found[path] = (os.lstat(path).st_mode, os.path.isdir(path) or os.lstat(path).st_mtime_ns)
    return found


def trial(number, source, good, change, words):
    """Makes a room with a changed run in it, and runs the command there: what is wrong with how it ended, and its status."""
    folder = os.path.join(WORK, "room%d" % number)
    for part in ("home", "tmp", "keep"):
        os.makedirs(os.path.join(folder, part))
    write(os.path.join(folder, "limits"), "repeats * >= 1\n")
    shutil.copytree(source, os.path.join(folder, "run"))
    if "good" in words:
        shutil.copytree(good, os.path.join(folder, "good"))
    change(os.path.join(folder, "run"))
    before = outside(folder)
    env = dict(os.environ, HOME=os.path.join(folder, "home"), TMPDIR=os.path.join(folder, "tmp"), TP_HOME=TREE,
               RAN=os.path.join(folder, "ran"))
    wrong = judge(subprocess.run(["timeout", "600"] + words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                 check=False))
    if os.path.exists(env["RAN"]):
        wrong.append("RAN a payload")
    elif outside(folder) != before:
        wrong.append("changed outside: %s" % sorted(set(outside(folder).items()) ^ set(before.items()))[:3])
    shutil.rmtree(folder)
    return wrong


def judge(done):
    """A status of its own; where it failed, one line; no control character, no command of a workflow; no payload that ran."""
    lines, wrong = done.stderr.decode("utf-8", "replace").splitlines(), ["status %d" % done.returncode] * (done.returncode > 5)
    if len(lines) > 1 or (done.returncode in (1, 2, 4) and not lines):
        wrong.append("%d lines: %s" % (len(lines), " / ".join(lines[:4])))
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|^\s*::|##\[", (done.stdout + done.stderr).decode("utf-8", "replace"), re.M):
        wrong.append("prints what a terminal or a workflow obeys")
    STATUSES[done.returncode] = STATUSES.get(done.returncode, 0) + 1
    return wrong


def fuzz(count, seed):
    names = ("stalls", "rtt", "launch-interrupts", "session-memory-x11", "capacity", "iosched-writer")
    bases = [base(name, source) for name, source in kept_runs() if name in names]
    every = sum(COMMANDS, [])
    good = os.path.join(WORK, "base-rtt")
    for number in range(count):
        rng = random.Random("%s %d" % (seed, number))
        source, words = rng.choice(bases), every[number % len(every)]
        yield ("mutant %d of seed %s (%s of %s)" % (number, seed, " ".join(words), source), number, source, good,
               lambda run, rng=rng: mutate(rng, run), words)


def planted(run, columns):
    """Beside its rows, a table gets copies of some that differ in one of its columns alone: a payload each."""
    for file, names in columns.items():
        rows = read_table(os.path.join(run, file))
        more = [rows[1 + k * (len(rows) - 1) // len(RUNS)] for k in range(len(RUNS))]
        write_table(os.path.join(run, file), rows + [
            row[:at] + [row[at] + payload] + row[at + 1:] for at in map(rows[0].index, names) for row, payload in zip(more, RUNS)])


def renamed(run, columns):
    """Each value of these columns becomes another one, with payloads, the same in all tables: rows still belong together."""
    for file, names in columns.items():
        rows = read_table(os.path.join(run, file))
        for row in rows[1:]:
            for at in map(rows[0].index, names):
                row[at] += row[at] and "".join(RUNS[:3])
        write_table(os.path.join(run, file), rows)


def columns(every):
    number = 0
    for source in [base(*kept) for kept in kept_runs() if every or kept[0] in FEW]:
        types = {(row[1] + ".tsv", row[2]): row[3] for row in read_table(os.path.join(source, "schema.tsv"))}
        text = {file: [name for name in read_table(os.path.join(source, file))[0] if types.get((file, name), "text") == "text"]
                for file in sorted(os.listdir(source)) if file.endswith(".tsv") and file not in ("schema.tsv", "long.tsv")}
        words = {file: [name for name in names if name in DRAWN] for file, names in text.items()}
        changes = [(planted, {file: [name]}) for file in text for name in text[file]] * every
        for change, where in changes + [(renamed, words)]:
            number += 1
            yield ("%s: %s %s" % (source, change.__name__, where), number, source, None,
                   lambda run, change=change, where=where: change(run, where), REPORT[0])


STATUSES = {}
trials = list(fuzz(int(WHAT), sys.argv[4]) if WHAT.isdigit() else columns(WHAT == "columns"))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    bad = [(case[0], wrong) for case, wrong in zip(trials, pool.map(lambda case: trial(*case[1:]), trials)) if wrong]
for what, wrong in bad[:50]:
    print(what + ": " + "; ".join(wrong))
print("tried:%d wrong:%d statuses:%s" % (len(trials), len(bad), " ".join("%d:%d" % item for item in sorted(STATUSES.items()))))
sys.exit(bool(bad))
