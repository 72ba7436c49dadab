#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the "decoded" of a report against what make_content.py wrote beside its capture. usage: compare_decoded.py REPORT.json
NAME.json"""
import json
import sys

report, known = (json.load(open(path)) for path in sys.argv[1:3])
wrong = 0
for protocol, kinds in known.items():
    have = report["result"]["decoded"].get(protocol, {})
    lists = {key: {row["name"]: [row["count"], row["bytes"]] for row in rows} for key, rows in have.items()
             if isinstance(rows, list)}
    for kind in sorted(set(kinds) | set(lists)):
        for name in sorted(set(kinds.get(kind, {})) | set(lists.get(kind, {}))):
            a, b = kinds.get(kind, {}).get(name), lists.get(kind, {}).get(name)
            if a != b:
                print(f"{protocol} {kind} {name}: {a} written, {b} told")
                wrong += 1
sys.exit(wrong > 0)
