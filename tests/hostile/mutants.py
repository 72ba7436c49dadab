#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mutants.py TREE FOLDER N SEED [FIRST [WORD]] - N mutants of run folders, each through one command that reads them (whose words
have this one), from the number FIRST on; most in a child of this program that has read analysis/ already, every eighth as a
program.
mutants.py TREE FOLDER columns|drawn - in the tables of each kept run, each text column with each payload; or, in one report of
each of FEW, all columns whose words name curves and panels.

What must hold of each stands in Judge."""
import glob
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import traceback
from html.parser import HTMLParser
from importlib import import_module

import mutations
from mutations import read, read_table, write

TREE, WORK, WHAT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
# One file draws all figures but those of a script of an experiment's own, which users has. (Names of programs, protocols, jobs.)
FEW = ("rtt", "stalls-protocols", "session-memory-x11", "cpuspeed-writer", "users")
DRAWN = ("protocol", "link", "job", "system", "app", "part", "setting", "says")
BIN = os.path.join(TREE, "bin", "")
REPORT, FOLDER = [BIN + "report", "run"], [BIN + "fail", "folder", "run"]
SECRETS = b"nobody but the owner may read this", b"root:x:0:0:"
CPU_S, WALL_S, MEMORY_KB = 10, 120, 2 ** 20
CELL = "vnc-light-2"


def commands(text):
    return [[BIN + words.split()[0], *words.split()[1:]] for words in text.strip().split("\n")]


# by what the folder "run" is: any run, one with samples, a kept one, a comparison
COMMANDS = {
    "any": [REPORT] * 3 + commands("""report run --table
report run --verdict
report run --findings
report run --json
report run --fail-if p95>150ms,late>1%
gate run --limits limits --junit out
gate run --limits limits --json
gate run --limits limits --tap
fail judge run repeats>3
fail folder run
export run --as csv
export run --as sqlite -o out
export run --as github
export run --as bencher
export run --as otava
export run --as openmetrics
export run --as junit"""),
    "samples": [REPORT] * 2 + commands(f"""compare run good
compare good run --json
gate good --baseline run
gate run --baseline good --json --unlike
report run good -o out
bundle run -o out
bundle run --anonymous -o out
export run --as samples
export run --as hgrm --cells {CELL}
export run --as perfetto --cells {CELL}
blocks rows run 1 1 a
blocks why run 1
tried say run 0 none
tried say run 0 none --json
tried limits run
tried part run/cells/{CELL}/1 keys 1 3
summarize -o out --format json run"""),
    "kept": [REPORT] + commands("""compare run good
bundle run -o out
export run --as samples
export run --as csv
gallery --page -o out"""),
    "both": commands("""ab page run
ab decide run
ab so-far run
ab noise run
ab variants run
judge run/blocks.tsv --effect 10%
report run"""),
}
CHECKED = ("ab", "blocks", "tried", "judge", "summarize", "fail")    # of a folder in which their callers find nothing wrong
STEMS = ("stalls", "rtt", "launch-interrupts", "session-memory-x11", "capacity", "iosched-writer")
JSON = ("--json", "github", "bencher", "perfetto")


# --- runs to begin with -------------------------------------------------------------------------------------------

def program(*words):
    subprocess.run([BIN + words[0], *words[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def base(name, source):
    """The kept run as its owner had it, without samples. Returns its folder."""
    to = os.path.join(WORK, "base-" + name)
    shutil.copytree(source, to, ignore=shutil.ignore_patterns("figures", "report.*", "findings.json", "*.zst"))
    packed = os.path.join(source, "samples.tar.zst")
    if os.path.exists(packed):
        subprocess.run(["tar", "--zstd", "-xf", packed, "-C", to], check=True)
    run = json.loads(read(os.path.join(to, "run.json")))
    if not run.pop("kept", {"left_out_bytes": 1})["left_out_bytes"]:    # (else its tables are packed)
        program("summarize", "-q", "-o", "/dev/null", to)
    shutil.rmtree(os.path.join(to, "cells"), ignore_errors=True)
    write(os.path.join(to, "run.json"), json.dumps(run))
    return to


def with_samples(source):
    """Two repeats of a condition of a kept run, with their samples."""
    to = os.path.join(WORK, "base-samples")
    os.mkdir(to)
    subprocess.run(["tar", "--zstd", "-xf", os.path.join(source, "samples.tar.zst"), "-C", to,
                    *("cells/%s/%d" % (CELL, n) for n in (1, 2, 3))], check=True)
    run = json.loads(read(os.path.join(source, "run.json")))
    run.pop("kept")
    run["cells"] = [cell for cell in run["cells"] if cell["name"] == CELL]
    run["settings"]["repeats"] = 3
    write(os.path.join(to, "run.json"), json.dumps(run))
    program("summarize", "--format", "json", "-o", os.path.join(to, "summary.json"), to)
    return to


def comparison(run):
    """Of a run with itself."""
    to = os.path.join(WORK, "base-both")
    for v in "ab":
        shutil.copytree(run, os.path.join(to, v))
    rows = [subprocess.run([BIN + "blocks", *words], stdout=subprocess.PIPE, check=False).stdout.decode() for words in (
        ["head"], *(["rows", os.path.join(to, v), str(n), str(n), v] for n in (1, 2, 3) for v in "ab"))]
    write(os.path.join(to, "blocks.tsv"), "".join(rows))
    given = {"options": "", "server": "", "client": ""}
    write(os.path.join(to, "ab.json"), json.dumps({
        "experiment": "stalls", "both": "--protocol vnc", "a": given, "b": {**given, "options": "--nice 5"}, "starts": 3,
        "measured_s": 60,
        "settings": {"effect": "10%", "metrics": "", "pairs": 1, "alpha_percent": 5, "seed": 1, "noise_percent": 10}}))
    program("ab", "decide", to)
    return to


def kept_runs():
    found = glob.glob(TREE + "/results/reference/*") + glob.glob(TREE + "/kits/*/results/reference/*")
    return [(os.path.basename(source), source) for source in sorted(found)]


# --- a command in a room ------------------------------------------------------------------------------------------

def load():
    """What the children need. False: the tree has no analysis/, only programs."""
    if not os.path.isdir(os.path.join(TREE, "analysis")):
        return False
    sys.path[1:1] = [TREE, *sorted(glob.glob(TREE + "/kits/*"))]
    sys.thinprobe_version = "0"
    for path in sorted(glob.glob(TREE + "/analysis/commands/*.py")):
        import_module("analysis.commands." + os.path.basename(path)[:-3])
    import_module("analysis.summarize")
    return True


def become(words, folder, env, said, as_program):
    """The child's part. Does not return."""
    os.setsid()
    os.chdir(folder)
    for descriptor, path in enumerate((os.devnull, said + ".out", said + ".err")):
        os.dup2(os.open(path, os.O_RDONLY if path == os.devnull else os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2 ** 30,) * 2)
    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    if as_program:
        os.execve(words[0], words, env)
    os.environ.clear()
    os.environ.update(env)
    tempfile.tempdir = None
    name = os.path.basename(words[0])
    sys.argv = words
    import_module("analysis.command").run(name if name in ("summarize", "judge") else "commands." + name)


def ended(words, folder, env, said, as_program):
    """Its exit status (below 0: a signal, or too long), and what it used."""
    def late(_number, _frame):
        raise TimeoutError

    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            become(words, folder, env, said, as_program)
        except SystemExit as end:
            status = end.code or 0
        except BaseException:    # as the interpreter says it
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    signal.signal(signal.SIGALRM, late)
    signal.alarm(WALL_S)
    try:
        _, status, used = os.wait4(pid, 0)
    except TimeoutError:
        os.killpg(pid, signal.SIGKILL)
        _, status, used = os.wait4(pid, 0)
    finally:
        signal.alarm(0)
    return os.waitstatus_to_exitcode(status), used


def state(folder, without=()):
    """Of all that is in a folder but these: the mode, and of what is no folder the time of change and its number."""
    found = {}
    for top, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(top, name) not in without]
        for path in (os.path.join(top, name) for name in folders + files):
            if path not in without:
                s = os.lstat(path)
                found[path] = (s.st_mode, stat.S_ISDIR(s.st_mode) or (s.st_mtime_ns, s.st_ino))
    return found


class Tags(HTMLParser):
    """Tags and attributes that a text of the run has made in a page."""

    def __init__(self):
        super().__init__()
        self.found, self.tag = [], ""

    def handle_starttag(self, tag, attrs):
        self.tag = tag
        self.found += ["%s %s=%s" % (tag, name, value) for name, value in attrs if name.startswith("on") and "alert" in str(value)
                       or re.match(r"\s*(javascript:|http://x\.invalid)", str(value)) and not (tag == "a" and value[0] == "h")]

    def handle_endtag(self, tag):
        self.tag = ""

    def handle_data(self, data):
        if self.tag == "script" and "alert(1)" in data:
            self.found.append("script " + data[:40])


def tags(path, data):
    text = data.decode("utf-8", "replace")
    if "alert(1)" not in text and "x.invalid" not in text:
        return []
    if path.endswith(".md"):
        text = subprocess.check_output(["cmark-gfm", "--unsafe", "-e", "table"], input=data).decode()
    page = Tags()
    page.feed(text)
    page.close()
    return page.found


class Judge:
    """What must hold: a status of its own; where it failed, one line that names a file; no control character and no command of a
    workflow in what it prints; JSON that is JSON; no tag of a text in a page; nothing of a file outside; little time and memory."""

    def __init__(self, words, said, status, used):
        self.words, self.status, self.wrong = words, status, ["status %d" % status] * (not 0 <= status <= 5)
        self.out, self.err = (self.bytes_of(said + end) for end in (".out", ".err"))
        seconds = used.ru_utime + used.ru_stime
        self.wrong += ["took %.1f s of CPU" % seconds] * (seconds > CPU_S)
        self.wrong += ["took %d MB" % (used.ru_maxrss >> 10)] * (used.ru_maxrss > MEMORY_KB)

    @staticmethod
    def bytes_of(path):
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as f:
            return f.read()

    def judge_words(self):
        lines = self.err.decode("utf-8", "replace").splitlines()
        is_quiet = self.words == FOLDER or "part" in self.words    # (its caller says what follows)
        notes = self.status in (0, 3) and all(line.startswith("thinprobe: ") for line in lines)
        if len(lines) > 1 + notes or (self.status in (1, 2, 4) and not lines and not is_quiet):
            self.wrong.append("%d lines: %s" % (len(lines), " / ".join(lines[-4:])))
        elif self.status == 1 and not is_quiet and not re.search(r"\b(runs?|good|out|limits)\b|\.(tsv|json|zst|md)\b", lines[0]):
            self.wrong.append("names no file: " + lines[0])
        both = (self.out + b"\n" + self.err).decode("utf-8", "replace")
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ufffe]|^\s*::|##\[", both, re.M):
            self.wrong.append("prints what a terminal or a workflow obeys")
        if "out of memory" in both:
            self.wrong.append("out of memory")

    def judge_file(self, path):
        data = self.bytes_of(path) if path else self.out
        name = os.path.basename(path)
        if data[:4] == b"\x28\xb5\x2f\xfd":
            data = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=False).stdout
        self.wrong += ["%s has what stands in a file outside" % (name or "its output")] * any(secret in data for secret in SECRETS)
        if name.endswith((".html", ".md")):
            self.wrong += ["%s: %s" % (name, one) for one in tags(name, data)[:2]]
        is_json = not name and data and set(self.words) & set(JSON) and self.status in (0, 3, 5)
        if is_json or name in ("findings.json", "verdict.json"):
            try:
                json.loads(data, parse_constant=lambda word: word[99])
            except (ValueError, IndexError) as e:
                self.wrong += ["%s: no JSON: %s" % (name, e)] * (data.count(b"\n}\n{") == 0)


def trial(number, source, change, words, as_program):
    """Makes a room with a changed run in it, and runs the command there: what is wrong with how it ended, and its status."""
    folder, said = (os.path.join(WORK, "%s%d" % (name, number)) for name in ("room", "said"))
    in_gallery = words[-1] == "out" and "--page" in words
    run = os.path.join(folder, "out/stalls" if in_gallery else "run")
    for part in ("home", "tmp", "keep", *["out"] * in_gallery):
        os.makedirs(os.path.join(folder, part))
    write(os.path.join(folder, "limits"), "repeats * >= 1\n")
    write(os.path.join(folder, "keep/secret"), SECRETS[0].decode())
    shutil.copytree(source, run)
    if "good" in words:
        shutil.copytree(source, os.path.join(folder, "good"))
    change(run, os.path.join(folder, "keep"))
    if os.path.basename(words[0]) in CHECKED and IS_LOADED and sys.modules["analysis.foreign"].check_folder(pathlib.Path(run)):
        words = FOLDER
    own = [os.path.join(folder, name) for name in ("run", "out", *["good"] * (words[0] == REPORT[0]))]
    env = dict(os.environ, HOME=os.path.join(folder, "home"), TMPDIR=os.path.join(folder, "tmp"), TP_HOME=TREE,
               RAN=os.path.join(folder, "ran"))
    before, inside = state(folder, own), state(folder)
    status, used = ended(words, folder, env, said, as_program)
    j = Judge(words, said, status, used)
    j.judge_words()
    j.judge_file("")
    if os.path.exists(env["RAN"]):
        j.wrong.append("RAN a payload")
    elif state(folder, own) != before:
        j.wrong.append("changed outside: %s" % sorted(set(state(folder, own).items()) ^ set(before.items()))[:3])
    for path, how in state(folder).items():
        if stat.S_ISREG(how[0]) and inside.get(path) != how:
            j.judge_file(path)
    shutil.rmtree(folder)
    for end in (".out", ".err"):
        os.remove(said + end)
    return j.wrong, status


# --- which --------------------------------------------------------------------------------------------------------

def fuzz(count, seed, first=0, word=""):
    kept = dict(kept_runs())
    bases = {"any": [base(name, kept[name]) for name in STEMS if name in kept], "kept": [kept["stalls"]],
             "samples": [with_samples(kept["stalls"])]}
    bases["both"] = [comparison(bases["samples"][0])]
    every = [(kind, words) for kind in COMMANDS for words in COMMANDS[kind] if word in " ".join(words)]
    for number in range(first, first + count):
        rng = random.Random("%s %d" % (seed, number))
        kind, words = every[number * 31 % len(every)]
        source = rng.choice(bases[kind] if kind != "any" or rng.random() < 0.7 else bases["samples"])
        yield ("mutant %d of seed %s (%s of %s)" % (number, seed, " ".join(words), source), number, source,
               lambda run, keep, rng=rng: mutations.mutate(rng, run, keep), words, number % 8 == 0)


def columns(every):
    number = 0
    for source in [base(*kept) for kept in kept_runs() if every or kept[0] in FEW]:
        types = {(row[1] + ".tsv", row[2]): row[3] for row in read_table(os.path.join(source, "schema.tsv"))}
        text = {file: [name for name in read_table(os.path.join(source, file))[0] if types.get((file, name), "text") == "text"]
                for file in sorted(os.listdir(source)) if file.endswith(".tsv") and file not in ("schema.tsv", "long.tsv")}
        words = {file: [name for name in names if name in DRAWN] for file, names in text.items()}
        changes = [(mutations.planted, {file: [name]}) for file in text for name in text[file]] * every
        for change, where in changes + [(mutations.renamed, words)]:
            number += 1
            yield ("%s: %s %s" % (source, change.__name__, where), number, source,
                   lambda run, _, change=change, where=where: change(run, where), REPORT, False)


def tried(at):
    case, *rest = CASES[at]
    wrong, status = trial(*rest[:-1], rest[-1] or not IS_LOADED)
    if wrong:
        print(case + ": " + "; ".join(wrong), flush=True)
    return wrong, status


IS_LOADED = load()
CASES = list(columns(WHAT == "columns") if not WHAT.isdigit() else
             fuzz(int(WHAT), sys.argv[4], *map(int, sys.argv[5:6]), *sys.argv[6:7]))
with multiprocessing.get_context("fork").Pool(int(os.environ.get("MUTANTS_AT_ONCE", os.cpu_count()))) as pool:
    done = pool.map(tried, range(len(CASES)), 1)
statuses = [status for _, status in done]
print("tried:%d wrong:%d statuses:%s" % (len(done), sum(bool(wrong) for wrong, _ in done),
                                        " ".join("%d:%d" % (s, statuses.count(s)) for s in sorted(set(statuses)))))
sys.exit(any(wrong for wrong, _ in done))
