#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""liars - measurements whose truth is known, made up so that a careless reader draws a wrong conclusion.

usage: liars.py list
       liars.py make-each FOLDER        for each scene a run folder of the experiment stalls with that condition, truth.json, and
                                        limits: conditions for --fail-if, a line each: may|must-not, condition ("may": exit 0 is
                                        right)
       liars.py make-all FOLDER         one run of all scenes: CPU hogs number the scenes
       liars.py make-settings FOLDER    a run of the experiment schedulers: settings beside the default
       liars.py check-settings FOLDER   compare.tsv: a verdict on each setting that its truth allows
       liars.py check WAY FOLDER        WAY: summary, long, page, findings, words; each figure must hold the truth,
                                        or say why it is absent
       liars.py score PROGRAM FOLDER    the same of what `score` says of the first samples of each scene of make-each

A key is (due, true latency, earliest, latest or None, known until), in ms: what a probe may know of it is between the last three.
No clock, no random numbers: the same scenes each time. Truth is computed here alone, from the true latencies.
"""
import json
import math
import os
import re
import subprocess
import sys

PERIOD, KEYS, SKIPPED, THRESHOLD = 50, 105, 5, 100
BASE = 1_000_000_000_000


def quantile(values, p):
    """Type 7 (Hyndman & Fan 1996)."""
    values = sorted(values)
    at = (len(values) - 1) * p
    i = math.floor(at)
    return values[i] + (at - i) * (values[min(i + 1, len(values) - 1)] - values[i])


# ---- what a probe knows of a key ----
def exact(true):
    return {"true": true, "early": true, "late": true}


def between(true, early, late):
    return {"true": true, "early": early, "late": late}


def open_end(true, early):
    return {"true": true, "early": early, "late": None}


def unanswered(true, until):
    """Answered after the probe stopped waiting, `until` ms after the key was due."""
    return {"true": true, "early": None, "late": None, "until": until}


def spread(k, low, high):
    """Numbers evenly between low and high, in an order that is not sorted."""
    return low + (high - low) * ((k * 61) % 100) / 99


def train(key):
    return [key(k) for k in range(KEYS)]


def repeats(key, n=3):
    return [{"keys": train(lambda k, r=r: key(k + 7 * r))} for r in range(n)]


def overloaded(trains, which):
    for i in which:
        trains[i]["overloaded"] = True
    return trains


def failed(trains, which):
    for i in which:
        trains[i]["failed"] = True
    return trains


def every(n, rare, usual):
    return lambda k: rare(k) if k % n == 0 else usual(k)


def burst(length, rare, usual):
    """`length` keys in a row of each train."""
    return lambda k: rare(k) if 40 <= k % KEYS < 40 + length else usual(k)


def fast(k):
    return exact(spread(k, 9, 12))


def slow(k):
    return exact(spread(k, 195, 205))


SCENES = {
    # what is known exactly must be said
    "exact-fast": repeats(fast),
    "exact-slow": repeats(slow),
    "exact-wide": repeats(lambda k: exact(spread(k, 1, 400))),
    "exact-two-modes": repeats(every(3, slow, fast)),
    "exact-at-the-threshold": repeats(every(2, lambda k: exact(100.5), lambda k: exact(99.5))),
    "exact-ten-repeats": repeats(fast, 10),
    "exact-two-repeats": repeats(fast, 2),
    "exact-one-repeat": repeats(fast, 1),
    "exact-stall": repeats(burst(10, lambda k: exact(500 - 50 * (k % KEYS - 40)), fast)),
    "exact-repeats-differ": [{"keys": train(lambda k, r=r: exact(spread(k, 10 * (r + 1), 12 * (r + 1))))} for r in range(5)],
    # the early end is not the latency
    "ranges-of-slow-answers": repeats(lambda k: between(spread(k, 195, 205), spread(k, 5, 50), spread(k, 200, 230))),
    "ranges-of-fast-answers": repeats(lambda k: between(spread(k, 9, 12), spread(k, 9, 12), spread(k, 150, 400))),
    "ranges-in-the-middle": repeats(lambda k: between(100, 20, 400)),
    "ranges-of-a-quarter": repeats(every(4, lambda k: between(210, 10, 215), fast)),
    "ranges-of-a-quarter-fast": repeats(every(4, lambda k: between(10, 10, 215), fast)),
    "ranges-of-a-tenth": repeats(every(10, lambda k: between(300, 12, 320), fast)),
    "ranges-of-one-in-fifty": repeats(every(50, lambda k: between(900, 12, 950), fast)),
    "ranges-of-half": repeats(every(2, lambda k: between(150, 10, 160), fast)),
    "ranges-narrow": repeats(lambda k: between(spread(k, 50, 60) + 0.02, spread(k, 50, 60), spread(k, 50, 60) + 0.05)),
    "ranges-to-900": repeats(lambda k: between(20, 20, 900)),
    "ranges-across-the-threshold": repeats(lambda k: between(101, 99, 103)),
    "ranges-late-by-their-early-end": repeats(lambda k: between(300, 250, 350)),
    "ranges-in-one-repeat": repeats(fast, 2) + [{"keys": train(lambda k: between(200, 11, 205))}],
    "ranges-and-slow": repeats(every(2, lambda k: between(250, 30, 260), slow)),
    "ranges-of-late-keys-only": repeats(every(5, lambda k: between(1500, 13, 1600), fast)),
    "ranges-while-standing-still": repeats(burst(30, lambda k: between(1500 - 50 * (k % KEYS - 40), 12, 1600), fast)),
    "ranges-ten-repeats": repeats(every(3, lambda k: between(180, 15, 190), fast), 10),
    "ranges-of-one-key": repeats(lambda k: between(5000, 12, 5100) if k % KEYS == 60 else fast(k)),
    "ranges-half-late-half-not": repeats(every(2, lambda k: between(90, 80, 120), lambda k: between(110, 80, 120))),
    "ranges-of-the-fast-half": repeats(every(2, lambda k: between(40, 12, 260), slow)),
    "ranges-two-repeats": repeats(every(3, lambda k: between(180, 15, 190), fast), 2),
    # no late end
    "open-half": repeats(every(2, lambda k: open_end(700, 12), fast)),
    "open-tenth": repeats(every(10, lambda k: open_end(2500, 12), fast)),
    "open-all": repeats(lambda k: open_end(400, spread(k, 10, 40))),
    "open-one-key": repeats(lambda k: open_end(1500, 12) if k % KEYS == 60 else fast(k)),
    "open-and-unanswered": repeats(lambda k: open_end(1500, 12) if k % 4 == 0 else unanswered(6000, 2000)
                                   if k % 4 == 1 else fast(k)),
    "open-one-repeat": repeats(fast, 2) + [{"keys": train(lambda k: open_end(3000, 10))}],
    # keys without an answer
    "unanswered-tenth": repeats(every(10, lambda k: unanswered(5000, 2000), fast)),
    "unanswered-half": repeats(every(2, lambda k: unanswered(3000, 1500), fast)),
    "unanswered-all": repeats(lambda k: unanswered(9000, 2000)),
    "unanswered-soon": repeats(every(4, lambda k: unanswered(800, 60), fast)),
    "unanswered-at-the-end": repeats(lambda k: unanswered(4000, 1000) if k % KEYS > 95 else fast(k)),
    "unanswered-in-one-repeat": repeats(fast, 2) + [{"keys": train(lambda k: unanswered(9000, 2000))}],
    "unanswered-and-ranges": repeats(lambda k: unanswered(4000, 2000) if k % 5 == 0 else between(150, 10, 160)
                                     if k % 5 < 3 else fast(k)),
    # no figure, and why
    "overloaded": overloaded(repeats(lambda k: exact(20 + 30 * (k % KEYS))), [0, 1, 2]),
    "overloaded-in-one": overloaded(repeats(fast, 2) + [{"keys": train(lambda k: exact(20 + 30 * (k % KEYS)))}], [2]),
    "overloaded-of-ranges": overloaded(repeats(lambda k: between(900, 10, 2000)), [0, 1, 2]),
    "failed-all": failed(repeats(slow), [0, 1, 2]),
    "failed-two": failed(repeats(slow), [1, 2]),
    "failed-and-ranges": failed(repeats(lambda k: between(200, 10, 210)), [1]),
    # late keys in bursts, rare ones, none
    "late-one-burst-in-ten-repeats": repeats(fast, 9)
    + [{"keys": train(burst(10, lambda k: exact(600 - 50 * (k % KEYS - 40)), fast))}],
    "late-one-key": repeats(fast, 4) + [{"keys": train(lambda k: exact(150) if k == 50 else fast(k))}],
    "late-all-but-one": repeats(lambda k: exact(20) if k % KEYS == 50 else slow(k)),
    "late-in-one-repeat-of-ten": repeats(fast, 9) + repeats(slow, 1),
    "late-never": repeats(lambda k: exact(99)),
}


def around(ms):
    return lambda k: exact(ms + spread(k, -5, 5))


# A setting beside the default of 100 ms, and the verdicts on it that the truth allows.
COMPARED = {
    "setting-faster": (repeats(around(80), 10), {"better"}),
    "setting-slower": (repeats(around(120), 10), {"worse"}),
    "setting-same": (repeats(around(100), 10), {"no difference shown"}),
    "setting-faster-but-overloaded-in-half": (overloaded(repeats(around(80), 10), range(5)), {"not comparable", "worse"}),
    "setting-overloaded": (overloaded(repeats(around(80), 10), range(10)), {"not comparable", "worse"}),
    "setting-slower-by-ranges": (repeats(lambda k: between(200, 10, 210), 10), {"not comparable", "too noisy", "worse"}),
    "setting-half-unanswered": (repeats(lambda k: unanswered(9000, 2000) if k % 3 else exact(20), 10), {"not comparable", "worse"}),
    "setting-faster-in-two-repeats": (repeats(around(80), 2), {"too few runs", "not comparable"}),
}


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def ns(ms):
    return "" if ms is None else str(round(ms * 1e6))


def write_samples(path, keys):
    rows = ["schema key due_ns sent_ns answer_ns answer_high_ns censored_ns skipped".split()]
    end = BASE + (KEYS * PERIOD + 10_000) * 1_000_000
    for k, key in enumerate(keys):
        due = BASE + k * PERIOD * 1_000_000
        early = None if key["early"] is None else due + round(key["early"] * 1e6)
        late = None if key["late"] is None else due + round(key["late"] * 1e6)
        censored = None if late else due + round(key["until"] * 1e6) if "until" in key else end
        rows.append([str("" if v is None else v) for v in
                     ("keys/1", k + 1, due, due, early, late if late != early else None, censored, int(k < SKIPPED))])
    write(path, "".join("\t".join(row) + "\n" for row in rows))


def truth_of(trains):
    done = [t for t in trains if not t.get("failed")]
    keys = [key for t in done for key in t["keys"][SKIPPED:]]
    if not keys:
        return None
    true = [key["true"] for key in keys]
    return {"p50": quantile(true, 0.5), "p90": quantile(true, 0.9), "p95": quantile(true, 0.95), "max": max(true),
            "late": 100 * sum(t > THRESHOLD for t in true) / len(true),
            "exact": all(k["early"] is not None and k["early"] == k["late"] for k in keys)
            and not any(t.get("overloaded") for t in trains), "overloaded": any(t.get("overloaded") for t in done)}


def make_settings(folder):
    """A run of the experiment schedulers: each setting of COMPARED beside the default."""
    make_run(folder, [("default", 5, repeats(around(100), 10))] + [(name, 5, trains) for name, (trains, _) in COMPARED.items()],
             True)


def make_each(folder):
    """Each scene beside 10 CPU hogs; of one without a complete repeat, a second condition, since there must be a figure."""
    for name, trains in SCENES.items():
        make_run(f"{folder}/{name}", [(scene, number, SCENES[scene]) for scene, number in
                                      [(name, 10)] + ([("exact-fast", 0)] if truth_of(trains) is None else [])])
        write(f"{folder}/{name}/limits", "".join(f"{line}\n" for line in limits(truth_of(trains))))


def make_run(folder, scenes, settings=False):
    cells, truth = [], {}
    for name, number, trains in scenes:
        parameters = {"protocol": "vnc", "app": "light", "sinks": number}
        cell = f"light-{number:03}"
        if settings:
            parameters |= {"setting": name, "part": "table", "cost_ms": None}
            cell = name
        truth[str(number)] = {"scene": name, "truth": truth_of(trains)}
        complete = 0
        for r, t in enumerate(trains, 1):
            at = f"{folder}/cells/{cell}/{r}"
            ranged = any(k["early"] != k["late"] for k in t["keys"])
            over = t.get("overloaded", False)
            complete += not t.get("failed")
            write_samples(f"{at}/samples.tsv", t["keys"])
            write(f"{at}/keyrepeat.json", json.dumps({
                "schema": "thinprobe.keyrepeat/1", "settings": {"schedule": "jittered", "rate_per_s": 20},
                "result": {"pairing": "updates" if ranged else "patch", "overloaded": over, "backlog_per_s": 9.5 if over else 0.0,
                           "updates_per_key": 1.0, "largest_gap_ms": None, "stalls": {"period_ms": PERIOD}}}))
            write(f"{at}/cell.json", json.dumps({
                "schema": "thinprobe.cell/1", "parameters": parameters, "repeat": r, "series": "latency",
                "state": "failed" if t.get("failed") else "complete", "reason": "made up" if t.get("failed") else "",
                "foreign_percent": 0.5, "steal_percent": 0.0, "marked": "", "period_ms": PERIOD, "cost_ms": None}))
        cells.append({"name": cell, "parameters": parameters, "complete": complete, "flags": [],
                      "state": "complete" if complete else "missing"})
    write(f"{folder}/truth.json", json.dumps(truth))
    most = max(len(trains) for _, _, trains in scenes)
    write(f"{folder}/run.json", json.dumps({
        "schema": "thinprobe.run/1", "experiment": "schedulers" if settings else "stalls", "version": "0",
        "started": "2026-01-02T03:04:05Z", "ended": "2026-01-02T03:07:05Z", "state": "complete", "command": "thinprobe run stalls",
        "settings": {"protocol": "vnc", "apps": ["light"], "loads": [c["parameters"]["sinks"] for c in cells], "repeats": most,
                     "seconds": 5, "rate_per_s": 20, "cost_per": "redraw", "seed": 1, "threshold_ms": THRESHOLD, "quick": True},
        "protocol": {"server": "Xvnc", "version": "1", "says": "VNC"}, "lab": {"shared_cpus": False}, "host": {"cpu": {"count": 2}},
        "axes": ["protocol", "app", "sinks"] + (["setting", "part"] if settings else []), "cells": cells,
        "counts": {"total": len(cells), "complete": len(cells)}}))


# ---- claims: what a way out says of a figure ----
class Claim:
    """Between low and high; or absent, with the reason."""

    def __init__(self, low=None, high=None, why=None):
        self.low, self.high, self.why = low, high, why

    def __str__(self):
        return f"absent ({self.why or 'no reason'})" if self.low is None else f"{self.low:g}" if self.low == self.high else \
            f"{self.low:g} to {self.high:g}"

    def lie(self, truth, unit, known):
        """What is wrong with the claim, or None. known: the data give the figure exactly, so that absence is wrong, too."""
        if self.low is None:
            return None if self.why and not known else "does not say why it is absent" if not self.why else "is known, but not said"
        slack = 0.06 if unit == "%" else max(0.15, 0.011 * truth)	# as many digits as are printed
        if not self.low - slack <= truth <= self.high + slack:
            return "does not hold the truth"
        return "is known, but not said" if known and self.high > self.low + 2 * slack else None


def number(text):
    return float(text.replace(",", ""))


def claim_of_columns(row, column):
    value, above = row.get(column, ""), row.get(column + "_above", "") == "1"
    if value != "":
        return Claim(number(value), math.inf if above else number(value))
    if row.get(column + "_from", "") != "":
        to = row.get(column + "_to", "")
        return Claim(number(row[column + "_from"]), math.inf if to == "" or above else number(to))
    return Claim(why=row.get(column + "_why", ""))


def claim_of_text(text):
    """A cell of a table for people: 12.3, >812, 10.2 to 201, 10.2 (9.8 to 10.6), <28.3, or words."""
    text = re.sub(r"[*`]|\\", "", text).strip()
    n = r"([0-9][0-9,]*(?:\.[0-9]+)?)"
    bare = re.sub(r"\(.*?\)", "", text).strip()
    if m := re.fullmatch(rf"{n} to {n}", bare):
        return Claim(number(m[1]), number(m[2]))
    if m := re.fullmatch(rf"(?:>|more than |at least ){n}", bare):
        return Claim(number(m[1]), math.inf)
    if m := re.fullmatch(rf"<{n}", bare):
        return Claim(0, number(m[1]))
    if m := re.fullmatch(n, bare):
        return Claim(number(m[1]), number(m[1]))
    if m := re.fullmatch(rf"{n} to >{n}", bare):
        return Claim(number(m[1]), math.inf)
    return Claim(why=text if re.search("[a-z]", text) else "")


def claim_of_json(figures, name):
    """An object of a program's report, such as latency_from_due_ms."""
    if figures.get(name) is not None:
        return Claim(figures[name], figures[name])
    if name in (figures.get("range") or {}):
        ends = figures["range"][name]
        return Claim(ends["from"], math.inf if ends.get("to") is None else ends["to"])
    if name in (figures.get("above") or {}):
        return Claim(figures["above"][name], math.inf)
    why = figures.get("why")
    return Claim(why=why.get(name) if isinstance(why, dict) else why)


# ---- ways out: each yields (CPU hogs, figure, claim) ----
COLUMNS = {"p50": "latency_p50_ms", "p90": "latency_p90_ms", "p95": "latency_p95_ms", "max": "latency_max_ms",
           "late": "late_share_percent"}


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def way_summary(folder):
    for row in rows_of(f"{folder}/summary.tsv"):
        for figure, column in COLUMNS.items():
            yield row["sinks"], figure, claim_of_columns(row, column)


def way_long(folder):
    figure_of = {column: figure for figure, column in COLUMNS.items()}
    seen = {}
    for row in rows_of(f"{folder}/long.tsv"):
        if row["metric"] in figure_of:
            named = {"value" + k: row.get(k.lstrip("_") or "value", "") for k in ("", "_above", "_from", "_to", "_why")}
            seen[row["sinks"], figure_of[row["metric"]]] = claim_of_columns(named, "value")
    for row in rows_of(f"{folder}/summary.tsv"):
        for figure in COLUMNS:
            yield row["sinks"], figure, seen.get((row["sinks"], figure), Claim())


HEADINGS = {"Median": "p50", "90 %": "p90", "Largest": "max", "Late": "late"}


def way_page(folder):
    """Tables of report.md with a column of CPU hogs."""
    head, some = None, False
    with open(f"{folder}/report.md", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("|"):
                head = None
                continue
            cells = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", cell.strip()) for cell in line.strip().strip("|").split("|")]
            if head is None:
                head = [re.sub(r",[^,]*$", "", cell) for cell in cells]
            elif "CPU hogs" in head and not cells[0].startswith(":--"):
                row = dict(zip(head, cells))
                for heading, figure in HEADINGS.items():
                    if heading in row:
                        some = True
                        yield re.sub(r"[^0-9].*", "", row["CPU hogs"]), figure, claim_of_text(row[heading])
    if not some:
        sys.exit("report.md has no table of figures")


def lies_of_findings(folder, truth):
    """A verdict that the truth contradicts, and values of the finding on late keys. Of a run with one scene."""
    scene = truth["10"]
    with open(f"{folder}/findings.json", encoding="utf-8") as file:
        page = json.load(file)
    late = scene["truth"]["late"] if scene["truth"] else None
    if late is not None and late > 20 and scene["truth"]["exact"] and "late-light" not in [f["id"] for f in page["findings"]]:
        yield f"no finding on late keys, but {late:.1f} % of the keys are late"
    for finding in page["findings"]:
        if finding["id"] != "late-light" or late is None:
            continue
        if finding["verdict"] == "good" and late > 5:
            yield f"'{finding['text']}' is good, but {late:.1f} % of the keys are late"
        if finding["verdict"] == "bad" and late < 1 and not scene["truth"]["overloaded"]:
            yield f"'{finding['text']}' is bad, but {late:.1f} % of the keys are late"
        if scene["truth"]["exact"] and late > 20 and finding["verdict"] != "bad":
            yield f"'{finding['text']}': {late:.1f} % of the keys are late, and the data say so"
        if finding.get("value") is not None and finding.get("unit") == "%" and abs(finding["value"] - late) > 0.06:
            yield f"finding's value {finding['value']} where {late:.2f} % are late"
    if late is not None and late > 20 and re.search("stays fast|no slow key|no late key", page["verdict"]):
        yield f"'{page['verdict']}', but {late:.1f} % of the keys are late"


def lies_of_words(folder, truth):
    """What the terminal says at the end of a run (report --findings, in the file `said`), of a run with one scene."""
    with open(f"{folder}/said", encoding="utf-8") as file:
        said = " ".join(file.read().split())
    true = truth["10"]["truth"]
    if true is None:
        return
    late = true["late"]
    if late > 5 and (m := re.search("stays fast|no late key|(no|hardly a) slow key", said)):
        yield f"'{m[0]}', but {late:.1f} % of the keys are late"
    if late < 1 and not true["overloaded"] and (m := re.search("breaks|: late (at|between)", said)):
        yield f"'{m[0]}', but {late:.1f} % of the keys are late"
    if true["exact"] and late > 20 and not re.search("breaks|: late (at|between)", said):
        yield f"{late:.1f} % of the keys are late, the data say so, and '{said[:80]}' does not"
    for m in re.finditer(r"([0-9.]+)(?: to ([0-9.]+))? %(?: \(95 % CI [^)]*\))? of the keys took longer", said):
        if lie := Claim(float(m[1]), float(m[2] or m[1])).lie(late, "%", False):
            yield f"'{m[0]}' {lie} ({late:.2f})"


def check_settings(folder):
    """Verdicts of compare.tsv, all settings there."""
    rows = {row["setting"]: row for row in rows_of(f"{folder}/compare.tsv")}
    lies = [f"{name}: {rows.get(name, {}).get('verdict', 'no row')}, not one of {allowed}"
            for name, (_, allowed) in COMPARED.items() if rows.get(name, {}).get("verdict") not in allowed]
    print(*lies, sep="\n")
    return 1 if lies else 0


def load_truth(folder):
    with open(f"{folder}/truth.json", encoding="utf-8") as file:
        return json.load(file)


def check(way, folder):
    truth, lies, asked = load_truth(folder), [], 0
    if way in ("findings", "words"):
        lies = list({"findings": lies_of_findings, "words": lies_of_words}[way](folder, truth))
        asked = 1
    else:
        for sinks, figure, claim in {"summary": way_summary, "long": way_long, "page": way_page}[way](folder):
            scene = truth[sinks]
            true = scene["truth"]
            asked += 1
            if true is None:	# no repeat was complete
                lie = None if claim.low is None and claim.why else "is said of a condition without a complete repeat" \
                    if claim.low is not None else "does not say why it is absent"
            else:
                lie = claim.lie(true[figure], "%" if figure == "late" else "ms", true["exact"] and figure in ("p50", "max", "late"))
            if lie:
                lies.append(f"{scene['scene']}: {way}: {figure} '{claim}' {lie}"
                            + (f" ({true[figure]:.2f})" if true else ""))
    print(*lies, sep="\n")
    print(f"{way}: {asked} figures, {len(lies)} lies")
    return 1 if lies or not asked else 0


def check_score(program, folder):
    lies = []
    for name, trains in SCENES.items():
        keys = trains[0]["keys"][SKIPPED:]
        true = [key["true"] for key in keys]
        known = all(k["early"] is not None and k["early"] == k["late"] for k in keys)
        said = subprocess.run([program, f"{folder}/{name}/cells/light-010/1/samples.tsv", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout
        figures = json.loads(said)["result"]["latency_ms"]
        for figure, p in (("p50", 0.5), ("p95", 0.95), ("max", 1)):
            claim = claim_of_json(figures, figure)
            if lie := claim.lie(quantile(true, p), "ms", known):
                lies.append(f"{name}: score: {figure} '{claim}' {lie} ({quantile(true, p):.2f})")
    print(*lies, sep="\n")
    return 1 if lies else 0


def limits(true):
    if true is None:
        yield "must-not p50>10000ms"
        yield "must-not late>90%"
        return
    for figure in ("p50", "p90", "max"):
        yield f"must-not {figure}>{true[figure] * 0.9:.3f}ms"
        if true["exact"]:
            yield f"may {figure}>{true[figure] * 1.1 + 1:.3f}ms"
    if true["overloaded"]:
        yield "must-not p95>100000ms"
    elif true["late"] > 0:
        yield f"must-not late>{true['late'] * 0.9:.3f}%"
    if true["exact"] and true["late"] < 90:
        yield f"may late>{true['late'] * 1.1 + 1:.3f}%"


def main(words):
    match words:
        case ["list"]:
            print(*SCENES, sep="\n")
        case ["make-each", folder]:
            make_each(folder)
        case ["make-all", folder]:
            make_run(folder, [(name, i, trains) for i, (name, trains) in enumerate(SCENES.items())])
        case ["make-settings", folder]:
            make_settings(folder)
        case ["check-settings", folder]:
            return check_settings(folder)
        case ["check", way, folder]:
            return check(way, folder)
        case ["score", program, folder]:
            return check_score(program, folder)
        case _:
            sys.exit(__doc__)
    return 0


sys.exit(main(sys.argv[1:]))
