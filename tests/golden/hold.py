#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what `prototap read` says of captures against a table. usage: hold.py PROTOTAP FOLDER-OF-CAPTURES TABLE

A line is "name | capture and options | exit status | facts"; a fact begins with
  channels.input.packets        a value of the report's result (nothing: null), or err: what is on standard error
  verdict[5-9,12]               the different values of a column of --intervals in these rows, from 1 on; without brackets in all
  verdict#idle                  in how many rows it is that; rows: how many there are
and goes on with "=VALUE" (of a column all of them, with commas between), "~TEXT" (it is in it, _ for a blank), ">N", or "^N":
within 1.6 %.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys


def flat(value, key, into):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        into[key] = "" if value is None else str(value).lower() if isinstance(value, bool) else value
    for k, v in items or ():
        flat(v, f"{key}.{k}", into)
    return into


def find(key, result, rows, err):
    name, at, wanted = re.fullmatch(r"([^[#]*)(?:\[(.*)\])?(?:#(.*))?", key).groups()
    if name in ("rows", "err"):
        return str(len(rows)) if name == "rows" else err
    if not rows or name not in rows[0]:
        return result.get(".result." + name, "(no such key)")
    if wanted is not None:
        return str(sum(row[name] == wanted for row in rows))
    spans = [[int(n) for n in span.split("-")] for span in at.split(",")] if at else [[1, len(rows)]]
    return ",".join(sorted({row[name] for span in spans for row in rows[span[0] - 1:span[-1]]}))


def holds(found, relation, wanted):
    if relation in ">^":
        return float(found) > float(wanted) if relation == ">" else abs(float(found) / float(wanted) - 1) <= 0.016
    return found == wanted if relation == "=" else wanted.replace("_", " ") in found


prototap, made, table = sys.argv[1:]
failed = 0
for line in open(table):
    if line.startswith("#") or not line.strip():
        continue
    name, words, status, facts = (part.split() for part in line.split("|"))
    words = [made + "/" + w if os.path.exists(made + "/" + w) else w for w in words]
    words += ["--intervals", "-"] if "--every" in words else []
    pathlib.Path("report.json").unlink(missing_ok=True)
    run = subprocess.run([prototap, "read", *words, "--format", "json", "-o", "report.json"], capture_output=True, text=True)
    result = flat(json.load(open("report.json"), parse_float=str, parse_int=str) if os.path.exists("report.json") else {}, "", {})
    rows = list(csv.DictReader(run.stdout.splitlines(), delimiter="\t"))
    wrong = [f"exit {run.returncode}, not {status[0]}: {run.stderr}"] if run.returncode != int(status[0]) else []
    for fact in facts:
        key, relation, value = re.match(r"([^=~>^]*)([=~>^])(.*)", fact).groups()
        found = find(key, result, rows, run.stderr)
        if not holds(found, relation, value):
            wrong.append(f"{fact} expected, {found} found")
    for what in wrong:
        print(" ".join(name) + ": " + what)
    failed += len(wrong)
sys.exit(failed > 0)
