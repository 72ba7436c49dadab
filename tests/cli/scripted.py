#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An X client that does what it is told when it is told, and logs what it did: the truth for a start-up that is measured.

usage: scripted.py LOG WORD...
  sleep:MS            wait
  burn:MS             the same, but busy
  map:NAME[,override|splash][,X,Y,W,H]   make a window and map it
  unmap:NAME
  paint:NAME,N        fill the N-th of ten strips of it with the N-th colour
  blink:NAME,MS,TIMES turn a small block in it on and off
  cycle:NAME,MS       change its colours for ever, three in turn
  keys:NAME,MS        from now on, MS after each key, paint two strips, MS apart
  read:FILE           map a file and touch its pages
  daemon              leave a child of a child behind, in a session of its own
  deaf                ignore requests to close, and SIGTERM
  wait                until asked to close
Log rows: what, name, CLOCK_MONOTONIC in ns before the request was made and after the display had done it; and "pid" with the number
of each process, twice; and "faults" with minor and major ones, of children too, when all is done.
"""
import ctypes
import mmap
import os
import resource
import signal
import sys
import time

X = ctypes.CDLL("libX11.so.6")
P, L, I, U = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_uint
X.XOpenDisplay.restype = P
X.XCreateGC.restype = P
X.XCreateGC.argtypes = [P, L, L, P]
X.XDefaultRootWindow.restype = L
X.XDefaultRootWindow.argtypes = [P]
X.XCreateWindow.restype = L
X.XCreateWindow.argtypes = [P, L, I, I, U, U, U, I, U, P, L, P]
X.XInternAtom.restype = L
X.XInternAtom.argtypes = [P, ctypes.c_char_p, I]
X.XChangeProperty.argtypes = [P, L, L, L, I, I, P, I]
X.XSetWMProtocols.argtypes = [P, L, P, I]
X.XStoreName.argtypes = [P, L, ctypes.c_char_p]
X.XFillRectangle.argtypes = [P, L, P, I, I, U, U]
X.XSetForeground.argtypes = [P, P, L]
for name in "XMapWindow", "XUnmapWindow":
    getattr(X, name).argtypes = [P, L]
X.XSync.argtypes = [P, I]
X.XPending.argtypes = [P]
X.XNextEvent.argtypes = [P, P]
X.XSelectInput.argtypes = [P, L, ctypes.c_long]


class Attributes(ctypes.Structure):
    _fields_ = [("background_pixmap", L), ("background_pixel", L), ("border_pixmap", L), ("border_pixel", L), ("bit_gravity", I),
                ("win_gravity", I), ("backing_store", I), ("backing_planes", L), ("backing_pixel", L), ("save_under", I),
                ("event_mask", ctypes.c_long), ("do_not_propagate", ctypes.c_long), ("override_redirect", I),
                ("colormap", L), ("cursor", L)]


COLOURS = [0x202020, 0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0x00ffff, 0xff00ff, 0x808080, 0xc04000, 0x0040c0]
display = None		# opened by what first needs it: a start without a window has none
gc = None
windows = {}
answer = {}
held = []
deaf = False
log = open(sys.argv[1], "a", buffering=1)
log.write("pid - %d %d\n" % (os.getpid(), os.getpid()))


def connect():
    global display, gc
    display = P(X.XOpenDisplay(None))
    gc = P(X.XCreateGC(display, X.XDefaultRootWindow(display), 0, None))


def does(what, name, action):
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    action()
    X.XSync(display, 0)
    log.write("%s %s %d %d\n" % (what, name, before, time.clock_gettime_ns(time.CLOCK_MONOTONIC)))


def atom(name):
    return X.XInternAtom(display, name, 0)


def make(name, kind, x, y, w, h):
    a = Attributes(background_pixel=0xe0e0e0, override_redirect=kind == "override", event_mask=1)  # KeyPress
    window = X.XCreateWindow(display, X.XDefaultRootWindow(display), x, y, w, h, 0, 0, 1, None, 1 << 1 | 1 << 9 | 1 << 11,
                             ctypes.byref(a))
    X.XStoreName(display, window, name.encode())
    if kind == "splash":
        value = (L * 1)(atom(b"_NET_WM_WINDOW_TYPE_SPLASH"))
        X.XChangeProperty(display, window, atom(b"_NET_WM_WINDOW_TYPE"), 4, 32, 0, value, 1)
    value = (L * 1)(atom(b"WM_DELETE_WINDOW"))
    X.XSetWMProtocols(display, window, value, 1)
    windows[name] = (window, w, h)


def fill(name, strip, colour):
    window, w, h = windows[name]
    X.XSetForeground(display, gc, colour)
    X.XFillRectangle(display, window, gc, 0, strip * h // 10, w, h // 10)


def block(name, on):
    X.XSetForeground(display, gc, 0x000000 if on else 0xffffff)
    X.XFillRectangle(display, windows[name][0], gc, 5, 5, 8, 16)


def serve(until):
    """Takes events until then; ends when asked to close."""
    event = (ctypes.c_long * 24)()
    while time.monotonic() < until:
        while display and X.XPending(display):
            X.XNextEvent(display, event)
            kind = event[0] & 0xffffffff
            if kind == 33 and not deaf:		# ClientMessage
                sys.exit(0)
            if kind == 2 and answer:		# KeyPress
                for strip in range(2):
                    time.sleep(answer["s"])
                    answer["n"] += 1
                    does("answer", str(answer["n"]), lambda: fill(answer["name"], 5 + strip, COLOURS[answer["n"] % 10]))
        time.sleep(min(0.005, max(0, until - time.monotonic())))


def leave_daemon():
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            log.write("pid daemon %d %d\n" % (os.getpid(), os.getpid()))
            time.sleep(600)
        os._exit(0)
    os.wait()


for word in sys.argv[2:]:
    what, _, rest = word.partition(":")
    args = rest.split(",")
    if what in ("map", "paint", "blink", "cycle", "keys") and not display:
        connect()
    if what == "sleep":
        serve(time.monotonic() + float(rest) / 1000)
    elif what == "burn":
        end = time.monotonic() + float(rest) / 1000
        while time.monotonic() < end:
            pass
    elif what == "map":
        kind = args[1] if len(args) > 1 and args[1] in ("override", "splash") else ""
        place = [int(v) for v in args[(2 if kind else 1):]] or [20, 20, 300, 200]
        make(args[0], kind, *place)
        does("map", args[0], lambda: X.XMapWindow(display, windows[args[0]][0]))
    elif what == "unmap":
        does("unmap", rest, lambda: X.XUnmapWindow(display, windows[rest][0]))
    elif what == "paint":
        does("paint", word, lambda: fill(args[0], int(args[1]), COLOURS[int(args[1])]))
    elif what == "blink":
        for i in range(int(args[2])):
            does("blink", str(i), lambda: block(args[0], i % 2))
            serve(time.monotonic() + float(args[1]) / 1000)
    elif what == "cycle":
        i = 0
        while True:
            does("cycle", args[0], lambda: fill(args[0], 3, COLOURS[1 + i % 3]))
            serve(time.monotonic() + float(args[1]) / 1000)
            i += 1
    elif what == "keys":
        answer = {"name": args[0], "s": float(args[1]) / 1000, "n": 0}
    elif what == "read":
        with open(rest, "rb") as f:
            held.append(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ))
            sum(held[-1][i] for i in range(0, len(held[-1]), 4096))
    elif what == "daemon":
        leave_daemon()
    elif what == "deaf":
        deaf = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif what == "wait":
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        log.write("faults - %d %d\n" % (sum(u.ru_minflt for u in used), sum(u.ru_majflt for u in used)))
        serve(time.monotonic() + 600)
    else:
        sys.exit("scripted.py: what is %s?" % word)
