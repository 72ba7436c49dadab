#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets each call of the programs in a table fail once (torture.c), and holds how they end against untouched runs. Output is TAP.

usage: torture.py [--all] [--seed N] [--only COMMAND] [--one 'COMMAND CLASS N ERRNO'] TABLE      in the top folder, built
       torture.py --sanitized BIN TABLE      instead: runs each command once, untouched, its programs those of a sanitizer

Which calls fail is drawn by the seed: two of each class, with --all many, and the first, the second and the last. Outcomes:
  same    as an untouched run             told  a line on standard error, or a setting or null of the report, says what is not
  mute    another status, not told        silent  the usual status, other output, not told; silent=NAME: in this field alone
  torn    another status, and a file "whole*" that is neither missing nor as of an untouched run
  left    a file or process that no untouched run leaves
  crash   ended by a signal               hang  had to be killed
Same and told are right; what else is allowed stands in the table (core.tsv says how it is read). Of "live" commands numbers and
the summary are not compared: only which lines there are, and of these not FIGURES.
"""
import argparse, collections, concurrent.futures, contextlib, errno, glob, hashlib, itertools, os, random, re, shutil, signal
import socket, subprocess, sys, tempfile, threading, time

ERRORS = {"memory": ["ENOMEM"], "starve": ["ENOMEM"], "open": ["EMFILE", "EACCES", "ENOSPC"], "read": ["EIO", "EINTR"],
          "write": ["ENOSPC", "EIO"], "place": ["EIO", "EACCES"], "close": ["EIO"], "fork": ["EAGAIN"], "map": ["ENOMEM"],
          "lock": ["EPERM", "ENOMEM"], "rights": ["EPERM", "ENOSYS"], "socket": ["EMFILE", "ENOBUFS"],
          "message": ["ECONNRESET", "EINTR"], "wait": ["EINTR"], "fds": ["EMFILE", "EIO"]}
MOST = {"memory": 110, "place": 12, "fork": 12, "lock": 8, "close": 24, "map": 24, "socket": 24, "wait": 24}  # others 40
BASES, BASES_MAX = 5, 15
PATIENCE = 60 * int(os.environ.get("TEST_PATIENCE") or 1)
FACTS = re.compile(r'\s*"(sandbox|scheduling|real_time|memory_locked|why_no_\w+|autogroup|probe|server|ended|offloads|'
                   r'backing_direct)"|.*: null')
# whether a figure is known, a bound or a range depends on the machine; so does whether memory grew in 200 ms, and whether a rate
# was held
FIGURES = re.compile(r'^\s*("(min|max|mean|sd|p\d+|from|to|range|above|why|n|censored|memory_bytes_per_user|rate_held)": .*'
                     r'|[]{}[],?)$', re.M)
Command = collections.namedtuple("Command", "name statuses form classes may ready_ms peer line")
Run = collections.namedtuple("Run", "status killed left out err files calls")
mine = threading.local()
displays, ports = [], itertools.count(os.getpid())


def read_table(path, made):
    for line in open(path):
        if line.startswith("!"):
            subprocess.run(["bash", "-c", line[1:]], cwd=made, check=True)
        elif line.strip() and not line.startswith("#"):
            yield Command(*line.rstrip("\n").split("\t"))


def display():
    """An X server of this thread's own."""
    if not hasattr(mine, "display"):
        ours, its = os.pipe()
        displays.append(subprocess.Popen(["Xvfb", "-displayfd", str(its), "-screen", "0", "640x480x24", "-nolisten", "tcp",
                                          "-noreset"], pass_fds=[its], stderr=subprocess.DEVNULL))
        os.close(its)
        mine.display = ":" + os.fdopen(ours).readline().strip()
    return mine.display


def free_port():
    """A port that no connection of a client gets by chance, and no other thread."""
    while True:
        port = 10000 + next(ports) % 20000
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return str(port)


def start_peer(c, env, place):
    if c.peer == "-":
        return None
    with open(place + "/peer.err", "w") as err:
        peer = subprocess.Popen(["sh", "-c", "exec " + c.peer], cwd=place + "/in", env=env, stdout=subprocess.DEVNULL, stderr=err,
                                start_new_session=True)
    until = time.monotonic() + PATIENCE
    while not re.search("ready|listens", open(place + "/peer.err").read()):
        if time.monotonic() > until or peer.poll() is not None:
            peer.kill()
            sys.exit("Bail out! %s, beside it: %s" % (c.name, open(place + "/peer.err").read()))
        time.sleep(0.005)
    return peer


def mask(text, form):
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "#", text)
    if form == "exact":
        return text
    text = re.sub(r'(?m)^ "summary":.*$', "", text)
    text = re.sub("(?m)^binary .*$", "", FIGURES.sub("", text))
    text = re.sub(r"[-+]?\d[\d.]*( ([nµm]?s|min|[KMG]i?B|B|[kMG]?bit/s)\b)?", "#", text)
    return re.sub(r"\t(#+|(?=\t|$))|(?<=#)#+", "", text, flags=re.M)


def read_text(path):
    data = open(path, "rb").read()
    return "binary " + hashlib.sha1(data).hexdigest() if b"\0" in data else data.decode(errors="replace")


def run_once(c, kind, n, error):
    place = tempfile.mkdtemp(dir=work)
    os.mkdir(place + "/in")
    env = dict(os.environ, PORT=free_port(), READY_MS=c.ready_ms, PATIENCE=str(PATIENCE))
    if "DISPLAY" in c.line + c.peer:
        env["DISPLAY"] = display()
    peer = start_peer(c, env, place)
    with open(place + "/out", "w") as out, open(place + "/err", "w+") as err:
        subprocess.run([os.getcwd() + "/build/torture/torture", kind, str(n), str(error), place + "/told", c.line], stdout=out,
                       stderr=err, stdin=subprocess.DEVNULL, cwd=place + "/in", env=env)
    if peer:
        with contextlib.suppress(ProcessLookupError):   # it may end with its client
            os.killpg(peer.pid, signal.SIGKILL)
        peer.wait()
    told = open(place + "/told").read().split()
    files = {os.path.basename(f): read_text(f) if os.path.isfile(f) else "" for f in sorted(glob.glob(place + "/in/*"))}
    out = mask(read_text(place + "/out") + "".join("%s\n%s\n" % f for f in files.items()), c.form)
    err = read_text(place + "/err") + (read_text(place + "/peer.err") if peer and args.sanitized else "")
    run = Run(int(told[0]), told[1] == "1", told[2] == "1", out, err if args.sanitized else mask(err, "live"), files,
              dict(zip(told[3::2], map(int, told[4::2]))))
    shutil.rmtree(place)
    return run


def run_sanitized():
    # (memory that a program holds until it ends is no leak)
    os.environ.update(BIN=os.path.abspath(args.sanitized), SHIM="", ASAN_OPTIONS="detect_leaks=0")
    print("1..%d" % len(commands))
    wrong = 0
    for number, c in enumerate(commands, 1):
        run = run_once(c, "memory", 0, 0)   # (allocations are the shim's, which is not there: nothing is intercepted)
        bad = run.killed or run.left or "Sanitizer" in run.err or "runtime error" in run.err or \
            str(os.waitstatus_to_exitcode(run.status)) not in c.statuses.split()
        print("%sok %d - %s, %s" % ("not " * bad, number, c.name, args.sanitized))
        wrong += bad
        if bad:
            print("# status %d, %s" % (run.status, run.err.strip().replace("\n", "\n# ")))
    sys.exit(wrong > 0)


def lines(text):
    return set(text.split("\n")) - {""}


def judge(c, run, bases):
    known = set().union(*(lines(b.out) for b in bases))
    common = set.intersection(*(lines(b.out) for b in bases))
    told = lines(run.err) - set().union(*(lines(b.err) for b in bases))
    told = told or {line for line in lines(run.out) - known if FACTS.match(line)}
    other = run.out != bases[0].out if c.form == "exact" else lines(run.out) - known or {
        line for line in common - lines(run.out) if not FACTS.match(line)}
    new = sorted(set(run.files) - set().union(*(b.files for b in bases)))
    usual = os.WIFEXITED(run.status) and str(os.WEXITSTATUS(run.status)) in c.statuses.split()
    torn = [f for f in run.files if f.startswith("whole") and c.form == "exact" and
            mask(run.files[f], "exact") not in [mask(b.files.get(f, ""), "exact") for b in bases]]
    if run.killed or run.status == signal.SIGXCPU:
        return "hang", run.err
    if os.WIFSIGNALED(run.status):
        return "crash", signal.Signals(os.WTERMSIG(run.status)).name
    if run.left or new:
        return "left", " ".join(new) or "a process"
    if not usual and torn:
        return "torn", " ".join(torn)
    if told:
        return "told", min(told)
    if not usual or not other:
        return ("same", "") if usual else ("mute", run.err)
    fields = {re.match(r'\s*"?(\w*)', line)[1] for line in other} if c.form == "live" else ()
    return "silent" + ("=" + min(fields) if len(fields) == 1 else ""), str(other)[:200]


def torture(job):
    c, kind, n, error = job
    run = run_once(c, kind, n, error)
    if run.calls[kind] < n:
        return job, "missed", ""
    outcome = judge(c, run, bases[c.name])
    for _ in range(BASES_MAX):
        if not outcome[0].startswith("silent") or c.form == "exact":    # otherwise it may be the machine
            break
        bases[c.name].append(run_once(c, "none", 0, 0))
        outcome = judge(c, run, bases[c.name])
    return (job,) + outcome


def choose(c, kind, draw):
    count = min(b.calls[kind] for b in bases[c.name])
    which = {1, min(2, count), count} | set(draw.choices(range(1, count + 1), k=MOST.get(kind, 40))) if count else set()
    which = sorted(which) if args.all else draw.sample(sorted(which), min(2, len(which)))
    return [(c, kind, n, getattr(errno, draw.choice(ERRORS[kind]))) for n in which]


def report(results):
    executions, wrong = collections.Counter(), 0
    print("1..%d" % (len(commands) + 1))
    for number, c in enumerate(commands, 1):
        outcomes, bad, done = collections.Counter(), 0, collections.Counter()
        for (_, kind, n, error), outcome, why in (r for r in results if r[0][0] is c):
            outcomes[outcome] += 1
            done[kind] += outcome != "missed"
            if outcome not in ("same", "told", "missed") and kind + ":" + outcome not in c.may.split():
                bad += 1
                print("# %s: --one '%s %s %d %d': %s" % (outcome, c.name, kind, n, error, why.strip().replace("\n", "; ")))
        lacking = [k for k in c.classes.split() if not done[k]]
        executions.update({(c.name, k): n for k, n in done.items()})
        wrong += bool(bad or lacking)
        print("%sok %d - %s: %s%s" % (
            "not " if bad or lacking else "", number, c.name, ", ".join("%d %s" % (n, o) for o, n in outcomes.most_common()),
            "; no call was intercepted of " + " ".join(lacking) if lacking else ""))
    print("# %-18s" % "executions", *("%7s" % k for k in ERRORS))
    for c in commands:
        print("# %-18s" % c.name, *("%7d" % executions[c.name, k] for k in ERRORS))
    none = [] if args.only or args.kit else [k for k in ERRORS if not any(executions[c.name, k] for c in commands)]
    print("%sok %d - %d executions with a fault%s" % ("not " if none else "", len(commands) + 1, sum(executions.values()),
                                                       "; none of " + " ".join(none) if none else ""))
    return 1 if wrong or none else 0


parser = argparse.ArgumentParser()
parser.add_argument("--all", action="store_true")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--only")
parser.add_argument("--one")
parser.add_argument("--sanitized")
parser.add_argument("table")
args = parser.parse_args()
args.kit = args.table.startswith("kits/")
if os.geteuid():
    print("1..0 # SKIP torture needs root")
    sys.exit()
if not shutil.which("Xvfb"):
    print("1..0 # SKIP Xvfb is not installed")
    sys.exit()
work = tempfile.mkdtemp(prefix="torture.")
os.environ.update(TOP=os.getcwd(), BIN=os.getcwd() + "/bin", MADE=work + "/made", SHIM=os.getcwd() + "/build/torture/shim.so")
try:
    os.mkdir(work + "/made")
    commands = [c for c in read_table(args.table, work + "/made") if (args.one or args.only or c.name).split()[0] == c.name]
    if args.sanitized:
        run_sanitized()
    with concurrent.futures.ThreadPoolExecutor(3 * os.cpu_count()) as pool:
        runs = list(pool.map(lambda c: run_once(c, "none", 0, 0), [c for c in commands for _ in range(BASES)]))
        bases = {c.name: runs[i * BASES:(i + 1) * BASES] for i, c in enumerate(commands)}
        for c, run in zip((c for c in commands for _ in range(BASES)), runs):
            if run.killed or run.left or str(os.waitstatus_to_exitcode(run.status)) not in c.statuses.split():
                sys.exit("Bail out! %s, untouched: status %d, %s" % (c.name, run.status, run.err))
        if args.one:
            name, kind, n, error = args.one.split()
            print(torture((commands[0], kind, int(n), int(error)))[1:], run_once(commands[0], kind, int(n), int(error)), sep="\n")
            sys.exit(0)
        draw = random.Random(args.seed)
        jobs = [job for c in commands for kind in ERRORS for job in choose(c, kind, draw)]
        results = list(pool.map(torture, jobs))
    sys.exit(report(results))
finally:
    for server in displays:
        server.terminate()
        server.wait()
    shutil.rmtree(work, ignore_errors=True)
