#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An RFB server whose desktop answers clicks and keys when it is told to, and logs what came in and what it painted when: the truth
that recorder, replayer and analyzer are held against. RFB 3.8 (RFC 6143), 32 bits a pixel; python3's own library only; listens on
127.0.0.1.

usage: scripted_rfb.py --log FILE [options]      (--help lists them)

Rows of the log: CLOCK_MONOTONIC in ns, what, key=value...
  listens port=P | widget name=.. x= y= w= h= | client n= ... | closed n=
  move x= y= mask= on=WIDGET | press, release button= x= y= mask= on=WIDGET | key down|up keysym=0x..
  paint name=answer-K/STRIP|noise-I|caret|letter-0x..|... x= y= w= h= late_us=   when the picture was changed, and how late that was
  sent n=CLIENT names=..,.. bytes= took_us=      the update with these went to the system
  missing click=K | end late_us=WORST
Inputs bear the time at which the network had them (SO_TIMESTAMPNS); answers are due from then. `on` is what really was there then:
a click on `desk` went astray. late_us says how disturbed the machine was. SIGTERM and SIGINT end it.

With --trace no server runs: what the lines of SCRIPT do at that desktop is written as a trace of vncplay, on a clock of its own.
Lines: move X Y | press X Y [B] | release X Y [B] | key SYM | keydown SYM | keyup SYM | wait MS | shot WHY X Y (11x11 around X Y)
"""
import argparse
import gc
import os
import select
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import vncauth  # noqa: E402
from scripted_scene import Scene  # noqa: E402

MS = 1_000_000
RAW, CURSOR, XCURSOR = 0, -239, -240
SO_TIMESTAMPNS = 35
# bit 0 is left
ARROW = [0x001, 0x003, 0x007, 0x00f, 0x01f, 0x03f, 0x07f, 0x0ff, 0x1ff, 0x3ff, 0x01f, 0x01b, 0x031, 0x030, 0x060, 0x060]


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


# 0x00RRGGBB of our colours, and its bytes in the order in which they are sent
COLOURS = [(i >> 5) * 255 // 7 << 16 | (i >> 2 & 7) * 255 // 7 << 8 | (i & 3) * 255 // 3 for i in range(256)]
PLANES = [bytes(c >> shift & 255 for c in COLOURS) for shift in (0, 8, 16)]


def pixels(row):
    out = bytearray(4 * len(row))
    for i, plane in enumerate(PLANES):
        out[i::4] = row.translate(plane)
    return out


# what ServerInit says; all clients ask for the first one
FORMATS = {32: struct.pack(">BBBBHHHBBB3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0),
           16: struct.pack(">BBBBHHHBBB3x", 16, 16, 0, 1, 31, 63, 31, 11, 5, 0),
           8: struct.pack(">BBBBHHHBBB3x", 8, 8, 0, 1, 7, 7, 3, 5, 2, 0)}


class Gone(Exception):
    pass


class Client:
    def __init__(self, server, sock, n):
        self.server, self.sock, self.n = server, sock, n
        self.inbox, self.outbox = bytearray(), bytearray()
        self.encodings = set()
        self.asked = False      # an update is owed
        self.dirty = []         # (box, name)
        self.shaped = False
        self.pointer_at = None  # where the pointer is drawn on the client's screen
        self.not_before = 0
        self.todo = self.converse()
        self.want = next(self.todo)

    def take(self):
        try:
            data, stamps, _, _ = self.sock.recvmsg(65536, 64)
        except BlockingIOError:
            return
        if not data:
            raise Gone
        self.came = now = now_ns()
        for _, kind, stamp in stamps:	# when the network had it: we may have slept
            if kind == SO_TIMESTAMPNS:
                s, ns = struct.unpack("qq", stamp)
                self.came = max(min(now, s * 10**9 + ns + now - time.time_ns()), self.server.last_came)
        self.server.last_came = self.came
        self.inbox += data
        while len(self.inbox) >= self.want:
            piece = bytes(self.inbox[:self.want])
            del self.inbox[:self.want]
            self.want = self.todo.send(piece)

    def put(self, data):
        self.outbox += data
        self.push()

    def push(self):
        try:
            while self.outbox:
                sent = self.sock.send(self.outbox)
                del self.outbox[:sent]
        except BlockingIOError:
            pass

    def converse(self):
        """Yields how many bytes it needs next, is sent them."""
        o, scene = self.server.o, self.server.scene
        self.put(b"RFB 003.008\n")
        yield 12
        kind = 2 if o.password else 1
        self.put(bytes([1, kind]))
        if (yield 1)[0] != kind:
            raise Gone
        if o.password:
            challenge = os.urandom(16)
            self.put(challenge)
            if (yield 16) != vncauth.answer(o.password, challenge):
                self.server.log("refused", "n=%d" % self.n)
                self.put(struct.pack(">II", 1, 14) + b"wrong password")
                raise Gone
        self.put(struct.pack(">I", 0))
        shared = (yield 1)[0]
        self.put(struct.pack(">HH", scene.w, scene.h) + FORMATS[o.bits] + struct.pack(">I", len(o.name.encode())) + o.name.encode())
        self.server.log("client", "n=%d shared=%d" % (self.n, shared))
        while True:
            kind = (yield 1)[0]
            if kind == 0:
                if (yield 19)[3:16] != FORMATS[32][:13]:
                    raise ValueError("another pixel format")
            elif kind == 2:
                count, = struct.unpack(">xH", (yield 3))
                self.encodings = set(struct.unpack(">%di" % count, (yield 4 * count))) if count else set()
                self.server.log("encodings", "n=%d of=%s" % (self.n, ",".join(str(e) for e in sorted(self.encodings))))
                if o.pointer == "strict" and not self.encodings & {CURSOR, XCURSOR}:
                    raise Gone
            elif kind == 3:
                incremental, x, y, w, h = struct.unpack(">BHHHH", (yield 9))
                self.asked = True
                if not incremental:
                    self.dirty.append(((x, y, min(w, scene.w - x), min(h, scene.h - y)), "asked"))
            elif kind == 4:
                down, keysym = struct.unpack(">BxxI", (yield 7))
                scene.key(self.came, keysym, bool(down))
            elif kind == 5:
                mask, x, y = struct.unpack(">BHH", (yield 5))
                scene.pointer(self.came, x, y, mask)
                if self.draws():
                    self.dirty.append((None, "pointer"))
            elif kind == 6:
                length, = struct.unpack(">xxxI", (yield 7))
                while length:
                    length -= len((yield min(length, 65536)))
            else:
                self.server.log("unknown", "n=%d message=%d" % (self.n, kind))
                raise Gone

    def draws(self):
        """Whether the pointer is drawn into this client's picture."""
        how = self.server.o.pointer
        return how == "draw" or how != "never" and not self.encodings & {CURSOR, XCURSOR}

    def arrow_box(self, at):
        scene = self.server.scene
        return at[0], at[1], min(10, scene.w - at[0]), min(16, scene.h - at[1])

    def row(self, x, y, w):
        scene = self.server.scene
        line = scene.fb[y * scene.w + x:y * scene.w + x + w]
        if self.pointer_at and 0 <= y - self.pointer_at[1] < 16:
            bits, left = ARROW[y - self.pointer_at[1]], self.pointer_at[0]
            for i in range(10):
                if bits >> i & 1 and x <= left + i < x + w:
                    line[left + i - x] = 0x00 if 0 < i and bits >> i + 1 & 1 else 0xff
        return line

    def send_update(self, now):
        if not self.asked or not self.dirty or now < self.not_before or self.outbox:
            return
        dirty, self.dirty = self.dirty, []
        if self.draws():
            was, self.pointer_at = self.pointer_at, (self.server.scene.x, self.server.scene.y)
            if was != self.pointer_at:
                dirty += [(self.arrow_box(p), "pointer") for p in (was, self.pointer_at) if p]
        rects = []
        names = []
        for box, name in dirty if len(dirty) <= 40 else self.joined(dirty):
            if box is None or box[2] <= 0 or box[3] <= 0:
                continue
            if name not in names:
                names.append(name)
            x, y, w, h = box
            rects.append(struct.pack(">HHHHi", x, y, w, h, RAW) + b"".join(bytes(pixels(self.row(x, y + i, w))) for i in range(h)))
        if not self.shaped and self.server.o.pointer in ("shape", "strict") and CURSOR in self.encodings:
            self.shaped = True
            mask = b"".join(struct.pack(">H", int("{:016b}".format(bits)[::-1], 2)) for bits in ARROW)
            rects.append(struct.pack(">HHHHi", 0, 0, 10, 16, CURSOR) + bytes(4 * 160) + mask)
            names.append("shape")
        if not rects:
            return
        self.asked = False
        data = struct.pack(">BxH", 0, len(rects)) + b"".join(rects)
        before = now_ns()    # whom this wakes may well run before we do again
        self.put(data)
        self.not_before = now + self.server.o.slow
        self.server.log("sent", "n=%d names=%s bytes=%d took_us=%d" % (self.n, ",".join(names), len(data),
                                                                       (now_ns() - before) // 1000), before)

    def joined(self, dirty):
        boxes = [b for b, _ in dirty if b]
        x, y = min(b[0] for b in boxes), min(b[1] for b in boxes)
        return [((x, y, max(b[0] + b[2] for b in boxes) - x, max(b[1] + b[3] for b in boxes) - y), "many")]


class Server:
    def __init__(self, o):
        self.o = o
        self.out = open(o.log, "wb", buffering=0)	# a signal may come in the midst of a row's making, never of its writing
        self.worst = 0
        self.clients = []
        self.number = 0
        self.last_came = 0
        self.scene = Scene(o, self.log, self.painted)
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", o.port))
        self.listener.listen(16)
        self.listener.setblocking(False)
        self.log("listens", "port=%d" % self.listener.getsockname()[1])

    def log(self, what, words, now=None, due=None):
        now = now or now_ns()
        if due is not None:
            late = (now - due) // 1000
            self.worst = max(self.worst, late)
            words += " late_us=%d" % late
        self.out.write(b"%d %s %s\n" % (now, what.encode(), words.encode()))

    def painted(self, box, name):
        for c in self.clients:
            c.dirty.append((box, name))

    def drop(self, c):
        self.log("closed", "n=%d" % c.n)
        self.clients.remove(c)
        c.sock.close()

    def turn(self):
        now = now_ns()
        self.scene.run(now)
        for c in self.clients:
            c.send_update(now)
        wake = [c.not_before for c in self.clients if c.asked and c.dirty and c.not_before > now]
        if self.scene.next_due() is not None:
            wake.append(self.scene.next_due())
        wait = max(0, min(wake) - now_ns()) / 1e9 if wake else None
        ready, writable, _ = select.select([self.listener, *self.clients], [c for c in self.clients if c.outbox], [], wait)
        for c in ready:
            if c is self.listener:
                sock, _ = self.listener.accept()
                sock.setblocking(False)
                sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.number += 1
                self.clients.append(Client(self, sock, self.number))
                continue
            try:
                c.take()
            except (Gone, OSError, ValueError):
                self.drop(c)
        for c in writable:
            if c in self.clients:
                try:
                    c.push()
                except OSError:
                    self.drop(c)

    def serve(self):
        self.scene.begin(now_ns())
        gc.disable()
        while True:
            try:
                self.turn()
            except OSError as e:
                if not isinstance(e, (BrokenPipeError, ConnectionResetError)):
                    raise
                for c in list(self.clients):
                    if c.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) or c.outbox:
                        self.drop(c)


Client.fileno = lambda self: self.sock.fileno()


def write_trace(o):
    script, path = o.trace
    out, log, now, mask = open(path, "w"), open(o.log, "w", buffering=1), 0, 0
    scene = Scene(o, lambda what, words, at=None, due=None: log.write("%d %s %s\n" % (due or at or now, what, words)), lambda box,
                  name: None)
    scene.begin(now)
    out.write('vncplay-trace 1\nserver "%s"\nscreen %dx%d\npixels 0x00RRGGBB\ntime us since start\n' % (o.name, scene.w, scene.h))
    for line in open(script):
        word, *rest = line.split()
        us = now // 1000
        if word == "wait":
            now += int(rest[0]) * MS
            scene.run(now)
        elif word == "shot":
            x, y = int(rest[1]) - 5, int(rest[2]) - 5
            shown = ",".join("%06x" % COLOURS[c] for row in range(y, y + 11)
                             for c in scene.fb[row * scene.w + x:row * scene.w + x + 11])
            out.write("%d snapshot %s %d %d 11 11 %s\n" % (us, rest[0], x, y, shown))
        elif word.startswith("key"):
            for kind in ("keydown", "keyup") if word == "key" else (word,):
                scene.key(now, int(rest[0], 0), kind == "keydown")
                out.write("%d %s %s\n" % (us, kind, rest[0]))
        else:
            x, y, button = int(rest[0]), int(rest[1]), int(rest[2]) if len(rest) > 2 else 1
            mask = {"move": mask, "press": mask | 1 << button - 1, "release": mask & ~(1 << button - 1)}[word]
            scene.pointer(now, x, y, mask)
            out.write("%d %s%s %d %d\n" % (us, word, "" if word == "move" else " %d" % button, x, y))


def pairs(text, convert):
    """"K:V,..." as a dictionary; a value without K: belongs to all (0)."""
    out = {}
    for word in filter(None, text.split(",")):
        key, _, value = word.rpartition(":")
        out[int(key or 0)] = convert(value)
    return out


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ms = lambda text: int(float(text) * MS)
    p.add_argument("--log", required=True, metavar="FILE")
    p.add_argument("--trace", nargs=2, metavar=("SCRIPT", "TRACE"))
    p.add_argument("--port", type=int, default=0, help="(a free one, told in the log)")
    p.add_argument("--password", default="")
    p.add_argument("--name", default="scripted")
    p.add_argument("--size", type=lambda t: tuple(int(v) for v in t.split("x")), default=(640, 480), metavar="WxH")
    p.add_argument("--bits", type=int, default=32, choices=[8, 16, 32], help="of a pixel, before the client asks for 32")
    p.add_argument("--pointer", default="shape", choices=["shape", "draw", "strict", "never"],
                   help="shape: sent to clients that take it; draw: always in the picture; strict: as shape, others are hung up "
                   "on; never: nowhere")
    p.add_argument("--slow", type=ms, default=0, metavar="MS", help="least time between two updates: what changes meanwhile is "
                   "sent together")
    p.add_argument("--buttons", type=int, default=20, help="in rows of ten, button-1 at 16,8, each 52x24, every 60, 32")
    p.add_argument("--moved", type=lambda t: pairs(t, lambda v: tuple(int(n) for n in v.split("/"))), default={},
                   metavar="[K:]DX/DY,...")
    p.add_argument("--delays", default="100", metavar="MS,...|@FILE", help="of the answers to click 1, 2, ...; turned through")
    p.add_argument("--factor", type=float, default=1, help="by which all delays are longer")
    p.add_argument("--missing", type=lambda t: {int(v) for v in t.split(",") if v}, default=set(), metavar="K,...",
                   help="clicks that are not answered")
    p.add_argument("--answer", type=lambda t: t.split(","), default=["window"], metavar="KIND,...",
                   help="window, strips:N:GAP_MS, alternate, mark; turned through")
    p.add_argument("--window", type=lambda t: tuple(int(v) for v in t.split("x")), default=(240, 200), metavar="WxH",
                   help="size of what answers")
    p.add_argument("--noise", type=lambda t: [(float(w.split("@")[0]), ms(w.split("@")[1] if "@" in w else 100))
                                              for w in t.split(",") if w], default=[],
                   metavar="PERCENT[@MS],...", help="areas that are random every MS (100)")
    p.add_argument("--caret", type=ms, default=0, metavar="MS", help="period of a blinking caret in the entry")
    o = p.parse_args()
    text = open(o.delays[1:]).read() if o.delays.startswith("@") else o.delays
    o.delays = [ms(v) for v in text.replace(",", " ").split()]
    return o


def main():
    o = options()
    if o.trace:
        write_trace(o)
        return
    server = Server(o)

    def end(*_):
        server.log("end", "late_us=%d" % server.worst)
        os._exit(0)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    server.serve()


main()
