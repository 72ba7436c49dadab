#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers that lie: vncplay's player and recorder are connected to each of them. usage: hostile_rfb.py VNCPLAY FOLDER [KIND...]

Each kind listens on a port of the loopback of its own, says what it says and then hears whatever comes until it is left. What must
hold of both commands: they end by themselves within SECONDS, of their own will and not by a signal, with a status other than 2, a
reason in one line where it is 1, and they need no more memory than the largest screen that is taken. Prints a line for each that
does not, and how many ended how.
"""
import collections
import concurrent.futures
import os
import random
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

CPU_SECONDS = 60      # several times what the largest screens take
SECONDS = 600         # two hundred times what the options below add up to: the machine may be busy
MEMORY = 150 << 10    # KB
MEMORY_HUGE = 1200 << 10   # where the screen has 64 million pixels: four bytes each, and nine of the recorder's
W, H = 64, 48
XRGB = struct.pack(">BBBBHHHBBB3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
dice = random.Random(11)


class Gone(Exception):
    pass


class Line:
    def __init__(self, connection):
        self.c = connection

    def say(self, data):
        try:
            self.c.sendall(data)
        except OSError:
            raise Gone from None

    def hear(self, n):
        got = b""
        while len(got) < n:
            try:
                more = self.c.recv(n - len(got))
            except OSError:
                raise Gone from None
            if not more:
                raise Gone
            got += more

    def listen(self):
        """Whatever comes, until there is nobody."""
        while True:
            self.hear(1)

    def endless(self, data):
        while True:
            self.say(data)

    def greet(self, width=W, height=H, form=XRGB, name=b"nice", name_length=None):
        self.say(b"RFB 003.008\n")
        self.hear(12)
        self.say(b"\1\1")
        self.hear(1)
        self.say(bytes(4))
        self.hear(1)
        self.say(struct.pack(">HH", width, height) + form + struct.pack(">I", len(name) if name_length is None else name_length)
                 + name)

    def begin(self, **how):
        self.greet(**how)
        self.say(update(rect(0, 0, 1, 1, 0, bytes(4))))


def rect(x, y, w, h, encoding, body=b""):
    return struct.pack(">HHHHi", x, y, w, h, encoding) + body


def update(*rects, n=None):
    return struct.pack(">BxH", 0, len(rects) if n is None else n) + b"".join(rects)


def body(data):
    return struct.pack(">I", len(data)) + data


GREETINGS = {
    "silent": lambda s: None,
    "gone_at_once": lambda s: s.c.close(),
    "half_a_version": lambda s: s.say(b"RFB 0"),
    "other_protocol": lambda s: s.say(b"HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n"),
    "endless_noise": lambda s: s.endless(bytes(range(256)) * 256),
    "endless_zeros": lambda s: s.endless(bytes(65536)),
    "version_only": lambda s: s.say(b"RFB 003.008\n"),
    "other_version": lambda s: s.say(b"RFB 999.999\n"),
    "no_security": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\0" + body(b"go away"))),
    "endless_reason": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\0\xff\xff\xff\xff"), s.endless(b"no " * 9999)),
    "reason_of_two_lines": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\0" + body(b"go\naway\r\n\x1b[2J"))),
    "unknown_security": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\2\x63\x64")),
    "all_securities": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\xff" + bytes(range(1, 256)))),
    "stall_in_result": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\1\1"), s.hear(1), s.say(b"\0\0")),
    "stall_before_init": lambda s: (s.say(b"RFB 003.008\n"), s.hear(12), s.say(b"\1\1"), s.hear(1), s.say(bytes(4))),
    "name_missing": lambda s: s.greet(name=b"", name_length=100),
    "name_endless": lambda s: (s.greet(name_length=0xFFFFFFFF), s.endless(b"name" * 9999)),
    "name_of_a_megabyte": lambda s: (s.greet(name=b"n" * (1 << 20)), s.say(b"\2")),
    "name_not_text": lambda s: (s.begin(name=b"\x1b]0;x\7\n\0%s%n\"\\"), s.say(b"\2")),
    "size_none": lambda s: s.greet(width=0, height=0),
    "size_all": lambda s: s.greet(width=65535, height=65535),
    "size_most": lambda s: (s.greet(width=16384, height=4096), s.say(update(rect(0, 0, 16384, 4096, 7, b"\x80\1\2\3")))),
    "format_strange": lambda s: s.begin(form=struct.pack(">BBBBHHHBBB3x", 24, 77, 9, 9, 0, 65535, 3, 99, 255, 31)),
}


def drip(s):
    for i in range(10**6):
        s.say(b"RFB 003.008\n"[i % 12:i % 12 + 1])
        time.sleep(0.3)


GREETINGS["drop_by_drop"] = drip


def noise(s):
    s.begin()
    s.say(dice.randbytes(100000))


def squeezed(part):
    """64 times as much, and never in this memory as a whole."""
    z = zlib.compressobj(9)
    return b"".join(z.compress(part) for _ in range(64)) + z.flush()


def bomb(s):
    s.say(update(rect(0, 0, W, H, 6, body(squeezed(bytes(1 << 20))))))


def resizes(s):
    for i in range(3000):	# (the script's places stay on the screen)
        s.say(update(rect(0, 0, 32 + i * 37 % 1900, 32 + i * 53 % 1100, -223)))


def large_resizes(s):
    for i in range(18):
        s.say(update(rect(0, 0, 16384 - i, 4096 - i % 7, -223)))


def large_fills(s):
    s.say(update(rect(0, 0, 16384, 4096, -223)))
    s.endless(update(*[rect(0, 0, 16384, 4096, 7, b"\x80" + bytes([i, i, i])) for i in range(200)]))


LATER = {
    "unknown_message": lambda s: s.say(b"\x4d" * 100),
    "rectangle_outside": lambda s: s.say(update(rect(60, 0, 10, 10, 0, bytes(400)))),
    "stall_in_a_head": lambda s: s.say(b"\0\0\0"),
    "stall_in_a_rectangle": lambda s: s.say(update(rect(0, 0, W, H, 0, bytes(1000)))),
    "gone_in_a_rectangle": lambda s: (s.say(update(rect(0, 0, W, H, 0, bytes(1000)))), s.c.shutdown(socket.SHUT_RDWR)),
    "text_of_4_gb": lambda s: (s.say(b"\3\0\0\0\x7f\xff\xff\xff"), s.endless(b"t" * 65536)),
    "colour_map": lambda s: s.say((struct.pack(">BxHH", 1, 65535, 65535) + bytes(6 * 65535)) * 3),
    "bells": lambda s: s.say(b"\2" * 1000000),
    "empty_updates": lambda s: s.say(update() * 20000),
    "empty_rectangles": lambda s: s.say(update(*[rect(0, 0, 0, 0, 0)] * 60000)),
    "endless_rectangles": lambda s: (s.say(update(n=0xFFFF)), s.endless(rect(0, 0, 0, 0, 0) * 4096)),
    "resizes": resizes,
    "resize_to_all": lambda s: s.say(update(rect(0, 0, 65535, 65535, -223))),
    "large_resizes": large_resizes,
    "large_fills": large_fills,
    "copies": lambda s: s.say(update(*[rect(1, 1, W - 1, H - 1, 1, bytes(4))] * 60000)),
    "many_parts": lambda s: (s.say(update(rect(0, 0, W, H, 2, b"\xff\xff\xff\xff\0\0\0\0"))),
                             s.endless((bytes(8) + struct.pack(">HH", W, H)) * 4096)),
    "zlib_of_4_gb": lambda s: (s.say(update(rect(0, 0, W, H, 6, b"\xff\xff\xff\xff"))), s.endless(zlib.compress(bytes(1000)) * 99)),
    "zlib_bomb": bomb,
    "jpeg_noise": lambda s: s.say(update(rect(0, 0, W, H, 7, b"\x90\xff\xff\xff\xff\xd8\xff\xe0" + dice.randbytes(4 << 20)))),
    "shape_huge": lambda s: (s.say(update(rect(0, 0, 65535, 65535, -239))), s.endless(bytes(65536))),
    "names": lambda s: s.say(update(rect(0, 0, 0, 0, -307, body(b"\x1b\n\0" * 9999))) * 10
                             + update(rect(0, 0, 0, 0, -307, b"\xff\xff\xff\xff"))),
}
KINDS = {**GREETINGS, **{name: (lambda s, f=f: (s.begin(), f(s))) for name, f in LATER.items()}, "noise": noise}
HUGE = {"size_most", "large_resizes", "large_fills"}
SAYS = {"silent": "no whole greeting in time", "drop_by_drop": "no whole greeting in time",
        "unknown_security": "security types .*99.*100 only",
        "other_protocol": "the greeting failed", "no_security": "the greeting failed: .*go away",
        "name_endless": "the greeting failed",
        "rectangle_outside": "the connection is over: .*outside of the screen", "bells": "no whole screen in time"}   # the player


def serve(listening, kind):
    """Two guests, one after the other."""
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        line = Line(connection)
        try:
            KINDS[kind](line)
            line.listen()
        except (Gone, OSError):
            pass
        connection.close()


TRACE = f"""vncplay-trace 1
screen {W}x{H}
1000 move 10 12
2000 snapshot click 5 7 2 1 2*123456
2000 press 1 10 12
3000 release 1 10 12
"""
SCRIPT = "move 10,12\nclick 10,12\nquiet 100ms\nmove 20,20\na\n"


def run(words, folder):
    """Status, what it said, how long it took, its largest memory (KB)."""
    began = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder)
    resource.prlimit(child.pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    clock = threading.Timer(SECONDS, child.kill)
    clock.start()
    said = child.stderr.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    clock.cancel()
    return child.returncode, said, time.monotonic() - began, usage.ru_maxrss


def wrong_with(command, status, said, seconds, memory, kind):
    if status == -signal.SIGKILL:
        return f"not over after {SECONDS} s, or {CPU_SECONDS} s of CPU"
    if status not in (0, 1, 3):
        return f"status {status}: {said[-300:]!r}"
    lines = [one for one in said.split("\n") if one and one != "ready"]
    if any(not one.startswith("vncplay: ") for one in lines) or any(ord(c) < 32 for one in lines for c in one):
        return f"not lines of its own: {said[:300]!r}"
    if status == 1 and not lines:
        return "no reason"
    if command == "play" and not re.search(SAYS.get(kind, ""), said):
        return f"it does not say \"{SAYS[kind]}\": {said[-300:]!r}"
    if memory > (MEMORY_HUGE if kind in HUGE else MEMORY):
        return f"{memory // 1024} MB"
    return ""


def visit(program, folder, kind):
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listening, kind), daemon=True).start()
    server = f"127.0.0.1::{listening.getsockname()[1]}"
    out = []
    for command, words in (("play", [server, "trace", f"{kind}.rfb", "--any-size", "--timeout", "1s", "--wait-end", "100ms"]),
                           ("record", ["--headless", "--script", "script", "--time", "1s", server, f"{kind}.trace"])):
        ended = run([program, command, "--connect", "1s"] + words, folder)
        out.append((command, kind, *ended, wrong_with(command, *ended, kind)))
    listening.close()
    return out


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    kinds = sys.argv[3:] or list(KINDS)
    for name, text in (("trace", TRACE), ("script", SCRIPT)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    ways, wrong, slowest = collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for visits in pool.map(lambda k: visit(program, folder, k), kinds):
            for command, kind, status, said, seconds, memory, why in visits:
                ways[f"{command}:{status}"] += 1
                slowest = max(slowest, seconds)
                if why or sys.argv[3:]:
                    print(f"{command} {kind}: {why or said!r} ({seconds:.1f} s, {memory} KB)")
                wrong += bool(why)
    print(" ".join(f"{way}={n}" for way, n in sorted(ways.items())), f"kinds={len(kinds)} wrong={wrong}")
    print(f"slowest: {slowest:.1f} s", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
