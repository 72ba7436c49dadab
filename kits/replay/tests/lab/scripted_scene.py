# SPDX-License-Identifier: GPL-3.0-or-later
"""scripted_scene - what a scripted desktop shows and does: buttons that answer when they are told to, an entry,
and things that move on their own. Knows no protocol and no socket: pointer and keys come in, painted boxes go out, time is given.

The picture has one byte a pixel, a colour of 8 (red) x 8 (green) x 4 (blue); so that a client's pixel format is a table look-up.
Times are CLOCK_MONOTONIC in ns. Whatever is painted is logged when it is painted: a test compares with that, not with the plan.
"""
import heapq
import os
import random

DESK, FACE, INK, PAPER = 0x49, 0xb6, 0x00, 0xff


class Scene:
    def __init__(self, o, log, painted):
        self.o, self.log, self.painted = o, log, painted    # painted(box, name)
        self.w, self.h = o.size
        self.fb = bytearray([DESK]) * (self.w * self.h)
        self.due = []
        self.order = 0
        self.clicks = 0
        self.mask = 0
        self.x = self.y = 0
        self.typed = 0
        self.boxes = {}         # of widgets: what is there to be clicked, last one on top
        self.signs = {}
        for i in range(o.buttons):
            dx, dy = o.moved.get(i + 1, o.moved.get(0, (0, 0)))
            self.widget("button-%d" % (i + 1), (16 + 60 * (i % 10) + dx, 8 + 32 * (i // 10) + dy, 52, 24))
        top = 16 + 32 * ((o.buttons + 9) // 10)
        self.widget("entry", (16, self.h - 36, 240, 24))
        self.area = (24, top + 8, min(o.window[0], self.w // 2), min(o.window[1], self.h - top - 96))
        for name, box in self.boxes.items():
            self.draw_widget(name, box)

    # --- time

    def at(self, when, what, *args):
        self.order += 1
        heapq.heappush(self.due, (when, self.order, what, args))

    def next_due(self):
        return self.due[0][0] if self.due else None

    def run(self, now):
        while self.due and self.due[0][0] <= now:
            when, _, what, args = heapq.heappop(self.due)
            what(when, *args)

    def begin(self, now):
        o = self.o
        right = self.w - 16
        for i, (percent, every) in enumerate(o.noise):
            area = self.w * self.h * percent / 100
            h = min(int(area ** 0.5), self.h // 3)
            w = max(1, round(area / h))
            right -= w
            self.noise(now, (right, self.h - 16 - h, w, h), every, i)
            right -= 16
        if o.caret:
            self.caret(now, True)

    # --- drawing

    def fill(self, box, colour):
        x, y, w, h = box
        x0, x1 = max(0, x), min(self.w, x + w)
        for row in range(max(0, y), min(self.h, y + h)):
            self.fb[row * self.w + x0:row * self.w + x1] = bytes([colour]) * max(0, x1 - x0)

    def text(self, x, y, words, colour):
        """Signs of 10 x 14 that are not letters, but each its own."""
        for c in words:
            if c not in self.signs:
                bits = random.Random(ord(c)).getrandbits(35) | 1
                self.signs[c] = [i for i in range(35) if bits >> i & 1 and c != " "]
            for i in self.signs[c]:
                self.fill((x + i % 5 * 2, y + i // 5 * 2, 2, 2), colour)
            x += 12

    def mosaic(self, box, k, whole=None):
        """A picture of its own for each k; of a strip, its part of the whole."""
        x, y, w, h = box
        top = (whole or box)[1]
        cells = (w + 15) // 16
        lines = {}
        for row in range(y, y + h):
            n = (row - top) // 16
            if n not in lines:
                r = random.Random(1000 * k + n)
                lines[n] = b"".join(bytes([r.randrange(256)]) * 16 for _ in range(cells))[:w]
            self.fb[row * self.w + x:row * self.w + x + w] = lines[n]

    def show(self, when, box, name):
        self.painted(box, name)
        self.log("paint", "name=%s x=%d y=%d w=%d h=%d" % ((name,) + box), due=when)

    def widget(self, name, box):
        self.boxes[name] = box
        self.log("widget", "name=%s x=%d y=%d w=%d h=%d" % ((name,) + box))

    def draw_widget(self, name, box):
        x, y, w, h = box
        if name == "entry":
            self.fill(box, PAPER)
        else:
            self.fill(box, FACE)
            self.fill((x, y, w, 1), PAPER)
            self.fill((x, y + h - 1, w, 1), INK)
            label = name.split("-")[-1]
            self.text(x + max(2, (w - 12 * len(label)) // 2), y + (h - 14) // 2, label, INK)

    # --- what moves on its own

    def noise(self, when, box, every, i):
        x, y, w, h = box
        data = os.urandom(w * h)
        for row in range(h):
            self.fb[(y + row) * self.w + x:(y + row) * self.w + x + w] = data[row * w:(row + 1) * w]
        self.show(when, box, "noise-%d" % (i + 1))
        self.at(when + every, self.noise, box, every, i)

    def caret(self, when, on):
        x, y, _, _ = self.boxes["entry"]
        box = (x + 6 + 12 * self.typed, y + 4, 2, 16)
        self.fill(box, INK if on else PAPER)
        self.show(when, box, "caret")
        self.at(when + self.o.caret // 2, self.caret, not on)

    # --- what is asked of it

    def on(self, x, y):
        for name in reversed(list(self.boxes)):
            bx, by, bw, bh = self.boxes[name]
            if bx <= x < bx + bw and by <= y < by + bh:
                return name
        return "desk"

    def pointer(self, now, x, y, mask):
        where = self.on(x, y)
        if (x, y) != (self.x, self.y):
            self.log("move", "x=%d y=%d mask=%d on=%s" % (x, y, mask, where), now)
            self.x, self.y = x, y
        for button in range(1, 9):
            bit = 1 << (button - 1)
            if (mask ^ self.mask) & bit:
                down = bool(mask & bit)
                self.log("press" if down else "release", "button=%d x=%d y=%d mask=%d on=%s" % (button, x, y, mask, where), now)
                self.mask ^= bit
                if button == 1 and down and where not in ("desk", "entry"):
                    self.clicks += 1
                    self.answer(now, self.clicks)

    def key(self, now, keysym, down):
        self.log("key", "%s keysym=0x%x" % ("down" if down else "up", keysym), now)
        if down and (0x20 <= keysym <= 0xff or keysym in (0xff08, 0xff0d)):
            self.at(now + 20_000_000, self.letter, keysym)

    def letter(self, when, keysym):
        x, y, w, h = self.boxes["entry"]
        if keysym == 0xff08:
            self.typed = max(0, self.typed - 1)
        if keysym in (0xff08, 0xff0d) or self.typed >= 18:
            self.fill((x, y, w, h) if keysym != 0xff08 else (x + 4 + 12 * self.typed, y, 16, h), PAPER)
            self.typed = self.typed if keysym == 0xff08 else 0
            self.show(when, (x, y, w, h), "entry")
        if keysym not in (0xff08, 0xff0d):
            self.fill((x + 4 + 12 * self.typed, y + 2, 12, h - 4), PAPER)
            self.text(x + 6 + 12 * self.typed, y + 5, chr(keysym), INK)
            self.show(when, (x + 4 + 12 * self.typed, y + 2, 12, h - 4), "letter-0x%x" % keysym)
            self.typed += 1

    # --- answers to clicks

    def answer(self, now, k):
        o = self.o
        if k in o.missing:
            self.log("missing", "click=%d" % k, now)
            return
        kind = o.answer[(k - 1) % len(o.answer)]
        when = now + int(o.delays[(k - 1) % len(o.delays)] * o.factor)
        word, *numbers = kind.split(":")
        if word == "strips":
            n, gap = int(numbers[0]), int(float(numbers[1]) * 1e6)
            x, y, w, h = self.area
            for i in range(n):
                top, end = h * i // n, h * (i + 1) // n
                self.at(when + i * gap, self.paint, k, "mosaic", (x, y + top, w, end - top), self.area, i + 1)
        else:
            box = self.area
            if word == "mark":
                box = (self.area[0] + 12 * (k % 16), self.area[1], 8, 8)
            self.at(when, self.paint, k, word, box, box, 1)

    def paint(self, when, k, word, box, whole, strip):
        self.mosaic(box, k % 2 if word == "alternate" else k, whole)
        self.show(when, box, "answer-%d/%d" % (k, strip))
