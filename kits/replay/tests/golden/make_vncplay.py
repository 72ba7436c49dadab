#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_vncplay.py - replays with known answers: what a scripted server would have said, as logs with their side files.

    make_vncplay.py make FOLDER KEY=VALUE...     FOLDER/run0.rfb, run0.rfb.aux, ..., truth.tsv
    make_vncplay.py score FOLDER ANALYSIS        compares an analysis (JSON) with the truth: one line, exit 0 when all is as stated

Input k is answered after d_k ms, times the run's factor. Settings, and what each is if not given: see SETTINGS.
Nothing of this is read from the program that is tested.
"""
import json
import os
import random
import struct
import sys

SETTINGS = {
    "seed": 1, "width": 320, "height": 240, "clicks": 20, "factors": "1,1,1.5,2,2.5", "input": "click",  # click key
    "answer": "window",     # full window button check letter alternate
    "strips": 1, "strip_ms": 30, "spacing": 1500, "jitter": 300, "slow": 400, "least": 40,
    "noise": 0.0, "noise_ms": 100, "noise_shape": "box",   # box wide
    "noise_place": "free",  # free: beside the answers; over: anywhere
    "caret_ms": 0, "clock": 0, "counter_ms": 0, "scroll": 0, "scroll_ms": 200,
    "missing": "", "moves": 0, "bits": 32, "blocks": "plain",  # plain many torn
    "aux": "ours", "same_phase": 0, "from": "press", "tail": 1500,
}


def settings(words):
    out = dict(SETTINGS)
    for w in words:
        key, value = w.split("=", 1)
        if key not in out:
            sys.exit("what is %s?" % key)
        out[key] = type(SETTINGS[key])(value)
    return out


class Log:
    """FBS 001.000, RFB 3.3, one FramebufferUpdate for each change."""

    def __init__(self, path, s):
        self.f = open(path, "wb")
        self.f.write(b"FBS 001.000\n")
        self.bits, self.blocks, self.waiting, self.waiting_ms = s["bits"], s["blocks"], b"", 0
        self.rng = random.Random(s["seed"] * 7 + 3)
        name = b"scripted"
        if self.bits == 32:
            fmt = struct.pack(">BBBBHHHBBBxxx", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
        else:
            fmt = struct.pack(">BBBBHHHBBBxxx", 16, 16, 0, 1, 31, 63, 31, 11, 5, 0)
        self.block(b"RFB 003.003\n" + struct.pack(">IHH", 1, s["width"], s["height"]) + fmt + struct.pack(">I", len(name)) + name,
                   0)

    def block(self, data, ms):
        self.f.write(struct.pack(">I", len(data)) + data + bytes(-len(data) % 4) + struct.pack(">I", ms))

    def pixels(self, colours):
        if self.bits == 32:
            return struct.pack("<%dI" % len(colours), *colours)
        return struct.pack("<%dH" % len(colours), *[(c >> 19 & 31) << 11 | (c >> 10 & 63) << 5 | (c >> 3 & 31) for c in colours])

    def update(self, ms, rects):
        """rects: (x, y, w, h, colours)"""
        data = struct.pack(">BxH", 0, len(rects))
        for x, y, w, h, colours in rects:
            if colours is None or isinstance(colours, tuple):
                data += struct.pack(">HHHHi", x, y, w, h, 1) + struct.pack(">HH", *colours)
            else:
                data += struct.pack(">HHHHi", x, y, w, h, 0) + self.pixels(colours)
        if self.blocks == "many":      # several updates a block where times are equal; a block of its own otherwise
            if self.waiting and self.waiting_ms != ms:
                self.flush()
            self.waiting, self.waiting_ms = self.waiting + data, ms
        elif self.blocks == "torn":    # cut anywhere, all pieces at the same time
            at = 0
            while at < len(data):
                n = self.rng.choice([1, 3, 7, 500, 4000, 70000])
                self.block(data[at:at + n], ms)
                at += n
        else:
            self.block(data, ms)

    def flush(self):
        if self.waiting:
            self.block(self.waiting, self.waiting_ms)
            self.waiting = b""

    def close(self):
        self.flush()
        self.f.close()


def texture(rng, w, h):
    """A picture of its own: ground, frame, some lines of 'text'."""
    ground, ink = rng.randrange(1 << 24) | 0x404040, rng.randrange(1 << 24) & 0x3f3f3f
    out = [ground] * (w * h)
    for y in range(0, h, rng.randrange(5, 12)):
        for x in range(rng.randrange(4), w, rng.randrange(2, 6)):
            out[y * w + x] = ink
    for x in range(w):
        out[x] = out[(h - 1) * w + x] = ink
    return out


def glyph(rng, w=7, h=13, ink=0x202020, ground=0xffffff):
    return [ink if rng.random() < 0.35 else ground for _ in range(w * h)]


def answers(s, rng):
    """What each input paints: a list of strips, each a list of rects; the same in all runs."""
    w, h, out = s["width"], s["height"], []
    kind = s["answer"]
    pair = None
    for k in range(s["clicks"]):
        if kind == "full":
            box = (0, 0, w, h)
            pic = texture(rng, w, h)
        elif kind == "alternate":
            box = (0, 0, w, h)
            pair = pair or (texture(rng, w, h), texture(rng, w, h))
            pic = pair[k % 2]
        elif kind == "letter":
            per = (w // 2) // 7
            box = (4 + k % per * 7, 4 + k // per * 13, 7, 13)
            pic = glyph(rng)
        else:
            bw, bh = {"window": (w // 2, h // 2), "button": (40, 20), "check": (8, 8)}[kind]
            bw, bh = min(bw, w // 2), min(bh, h - 40)
            box = (rng.randrange(0, w // 2 - bw // 2), rng.randrange(0, h - 40 - bh), bw, bh)
            pic = texture(rng, bw, bh)
        x, y, bw, bh = box
        strips, n = [], s["strips"]
        for i in range(n):
            y0, y1 = bh * i // n, bh * (i + 1) // n
            if y1 > y0:
                strips.append([(x, y + y0, bw, y1 - y0, pic[y0 * bw:y1 * bw])])
        out.append(strips)
    return out


def disturbances(s, run, end):
    """(ms, rects) of all that goes on by itself."""
    w, h = s["width"], s["height"]
    rng = random.Random(s["seed"] * 1000 + (0 if s["same_phase"] else run) + 77)
    place = random.Random(s["seed"] * 31 + 5)    # the same in all runs
    out = []

    def times(period, jitter=0.0):
        t = rng.uniform(0, period)
        while t < end:
            yield int(t)
            t += period * (1 + jitter * rng.uniform(-1, 1))

    if s["noise"]:
        area = s["noise"] / 100 * w * h
        if s["noise_shape"] == "wide":
            nh = 12
            nw = min(w, int(area / nh))
        else:
            nw = nh = int(area ** 0.5)
        over = s["noise_place"] == "over"
        x, y = (place.randrange(w - nw + 1), place.randrange(h - nh + 1)) if over else (w - nw, h - nh)
        for t in times(s["noise_ms"], 0.2):
            out.append((t, [(x, y, nw, nh, [rng.randrange(1 << 24) for _ in range(nw * nh)])]))
    if s["caret_ms"]:
        x, y = place.randrange(w - 2), place.randrange(h - 14)
        for i, t in enumerate(times(s["caret_ms"])):
            out.append((t, [(x, y, 2, 14, [0 if i % 2 else 0xffffff] * 28)]))
    if s["clock"]:
        x, y = w - 60, 2
        at = random.Random(s["seed"] * 13 + run).randrange(86400)
        digit = [glyph(random.Random(900 + i)) for i in range(10)]
        for i, t in enumerate(times(1000)):
            text = "%02d%02d%02d" % ((at + i) // 3600 % 24, (at + i) // 60 % 60, (at + i) % 60)
            out.append((t, [(x + 8 * j, y, 7, 13, digit[int(c)]) for j, c in enumerate(text)]))
    if s["counter_ms"]:     # pictures, each at its own pace, the same in all runs
        for i, t in enumerate(times(s["counter_ms"], 0.2)):
            out.append((t, [(w - 44, 4, 40, 40, texture(random.Random(s["seed"] * 57 + i), 40, 40))]))
    if s["scroll"]:     # lines of text, the same in all runs, at the lower right: copied up, a new one below
        sw, lines = min(w // 2 - 8, 140), 4
        x, y = w - sw, h - 13 * lines - 26
        for i, t in enumerate(times(s["scroll_ms"], 0.3)):
            line = glyph(random.Random(s["seed"] * 101 + i), sw, 13)
            out.append((t, [(x, y, sw, 13 * (lines - 1), (x, y + 13)), (x, y + 13 * (lines - 1), sw, 13, line)]))
    return out


def make(folder, s):
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(s["seed"])
    factors = [float(f) for f in s["factors"].split(",")]
    d = [rng.randint(s["least"], s["slow"]) for _ in range(s["clicks"])]
    press = []
    t = 1500.0
    for _ in range(s["clicks"]):
        press.append(t)
        t += s["spacing"] + rng.uniform(-1, 1) * s["jitter"]
    paints = answers(s, rng)
    click = s["input"] == "click"
    missing = {(int(m.split(":")[0]), int(m.split(":")[1])) for m in s["missing"].split(",") if m}
    ground = texture(random.Random(s["seed"] + 9), s["width"], s["height"])
    truth = {}
    for r, factor in enumerate(factors):
        own = random.Random(s["seed"] * 100 + r)
        events = []     # (ms, order, rects)
        aux = []
        n = 0
        last = last_answer = 0
        for k, base in enumerate(press):
            own.random()    # tests/outputs.sh shows what follows from this sequence
            at = base + own.uniform(0, 4)
            hold = own.uniform(60, 110) if click else own.uniform(20, 60)
            if s["moves"]:
                for m in range(6):
                    aux.append((at - 300 + m * 45, "move", n, ""))
                    n += 1
            aux.append((at, "press" if click else "keydown", n, " x=50 y=50 button=1" if click else " keysym=0x61"))
            truth.setdefault((n, k), {})
            answer = at + d[k] * factor + (hold if s["from"] == "release" else 0)
            answer = max(answer, last_answer + 40)     # one after the other
            if (k, r) in missing:
                truth[(n, k)][r] = None
            else:
                ms = 0
                for i, strip in enumerate(paints[k]):
                    ms = int(answer + i * s["strip_ms"] * factor)
                    events.append((ms, k + 1, strip))
                # what is shown counts from when the log says it is there
                truth[(n, k)][r] = (int(answer) - at, int(answer) - at - hold, ms - at)
                last = max(last, ms)
                last_answer = ms
            n += 1
            aux.append((at + hold, "release" if click else "keyup", n, " x=50 y=50 button=1" if click else " keysym=0x61"))
            n += 1
            last = max(last, at)
        end = int(last + s["tail"])
        events += [(ms, 0, rects) for ms, rects in disturbances(s, r, end)]
        events.sort(key=lambda e: (e[0], e[1]))
        log = Log(os.path.join(folder, "run%d.rfb" % r), s)
        log.update(100, [(0, 0, s["width"], s["height"], ground)])
        for ms, _, rects in events:
            log.update(max(ms, 101), rects)
        log.close()
        aux.sort()
        with open(os.path.join(folder, "run%d.rfb.aux" % r), "w") as f:
            if s["aux"] == "ours":
                f.write("# vncplay-aux 1\nrun start at 0\n")
            for at, kind, i, rest in aux:
                if s["aux"] == "ours":
                    f.write("input %d %s at %d line=%d late_us=0%s\n" % (i, kind, int(at * 1000), i + 2, rest))
                if kind in ("press", "release"):
                    f.write("== sending mouse click event at %d\n" % at)
                elif kind != "move":
                    f.write("== sending keyboard event at %d\n" % at)
            if s["aux"] == "ours":
                f.write("run end at %d status=complete\n" % (end * 1000))
    with open(os.path.join(folder, "truth.tsv"), "w") as f:
        f.write("input\tk\trun\tpress_ms\trelease_ms\tcomplete_ms\n")
        old = 0
        for (n, k), runs in sorted(truth.items()):
            for r, v in sorted(runs.items()):
                f.write("%d\t%d\t%d\t%s\n" % (2 * k if s["aux"] != "ours" else n, k, r, "\t".join("%.3f" % x for x in v)
                                              if v else "\t\t"))
            old += 1
    return d


def score(folder, analysis, within=5.0):
    truth = {}
    for line in open(os.path.join(folder, "truth.tsv")).read().splitlines()[1:]:
        n, k, r, p, rel, c = line.split("\t")
        truth.setdefault(int(n), {})[int(r)] = (float(p), float(rel), float(c)) if p else None
    rows = {}
    extra = 0
    for row in json.load(open(analysis))["result"]["responses"]:
        if row["input"] in truth and row["input"] not in rows:
            rows[row["input"]] = row
        else:
            extra += 1
    right = 0
    invented = 0
    wrong = []
    for n, runs in sorted(truth.items()):
        row = rows.get(n)
        present = sum(v is not None for v in runs.values())
        if row is None:
            if present < 2:
                right += 1
            else:
                wrong.append("%d: no row" % n)
            continue
        bad = []
        for r, v in runs.items():
            got = row["latency_from_press_ms"][r]
            if v is None:
                if got is not None:
                    invented += 1
                    bad.append("run %d: %s, is missing" % (r, got))
            elif got is None or abs(got - v[0]) > within:
                bad.append("run %d: %s, not %.1f" % (r, got, v[0]))
            elif abs(row["complete_ms"][r] - v[2]) > within:
                bad.append("run %d: complete %s, not %.1f" % (r, row["complete_ms"][r], v[2]))
        if bad:
            wrong.append("%d: %s" % (n, "; ".join(bad)))
        else:
            right += 1
    print("%d of %d right, %d extra, %d invented%s" % (right, len(truth), extra, invented, "" if not wrong
                                                       else " | " + " | ".join(wrong)))
    return right == len(truth) and not extra and not invented


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "make":
        make(sys.argv[2], settings(sys.argv[3:]))
    elif sys.argv[1] == "score":
        sys.exit(0 if score(sys.argv[2], sys.argv[3]) else 1)
    else:
        sys.exit(__doc__)


main()
