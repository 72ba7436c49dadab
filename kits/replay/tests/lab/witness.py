#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An X application that tells which of its widgets got which event: the witness of sessions that are replayed on real X servers.

usage: witness.py LOG [late=MS] [menu=MS] [moved=DX,DY] [hidden]
  late=MS     the dialog comes so long after its button was released (100)
  menu=MS     the menu opens so long after its button was pressed (50), its submenu so long after item-2 was entered
  moved=DX,DY button-3 is not where it was
  hidden      button-3 is not there at all
Widgets, each a window of its own: button-1 to button-6; menu with item-1 to item-3, sub-1 and sub-2; open, which brings a dialog with an
ok; an entry, which takes keys once it was clicked; a canvas for drags; and the desk behind them all.
Log rows: CLOCK_MONOTONIC in ns, then
  ready - | place WIDGET X Y (its middle on the screen) | shown WIDGET | gone WIDGET
  press WIDGET BUTTON | release WIDGET BUTTON | double WIDGET | drag canvas X Y X Y | key WIDGET KEYSYM | line entry TEXT
"""
import ctypes
import heapq
import select
import sys
import time

X = ctypes.CDLL("libX11.so.6")
P, L, I, U, C = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_uint, ctypes.c_char_p
for name, result, arguments in [
        ("XOpenDisplay", P, [C]), ("XDefaultRootWindow", L, [P]), ("XCreateGC", P, [P, L, L, P]), ("XConnectionNumber", I, [P]),
        ("XCreateSimpleWindow", L, [P, L, I, I, U, U, U, L, L]), ("XSelectInput", I, [P, L, L]), ("XMapRaised", I, [P, L]), ("XUnmapWindow", I, [P, L]),
        ("XChangeWindowAttributes", I, [P, L, L, P]), ("XSetWindowBackground", I, [P, L, L]), ("XClearWindow", I, [P, L]), ("XStoreName", I, [P, L, C]),
        ("XSetForeground", I, [P, P, L]), ("XFillRectangle", I, [P, L, P, I, I, U, U]), ("XDrawLine", I, [P, L, P, I, I, I, I]),
        ("XDrawString", I, [P, L, P, I, I, C, I]), ("XSetInputFocus", I, [P, L, I, L]), ("XLookupString", I, [P, C, I, P, P]), ("XPending", I, [P]),
        ("XNextEvent", I, [P, P]), ("XSync", I, [P, I]), ("XMoveWindow", I, [P, L, I, I])]:
    getattr(X, name).restype = result
    getattr(X, name).argtypes = arguments
KEYS, PRESS, RELEASE, ENTER, LEAVE, MOTION, EXPOSE = 1 << 0, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 15
INK, PAPER, FACE, LIGHT = 0x000000, 0xffffff, 0xc8c8c0, 0x3050a0
TINTS = [0xe0c0c0, 0xc0e0c0, 0xc0c0e8, 0xe8e0a8, 0xd8b8e8, 0xb0e0e0]

o = dict(word.partition("=")[::2] for word in sys.argv[2:])
late, menu = float(o.get("late", 100)) / 1000, float(o.get("menu", 50)) / 1000
moved = [int(v) for v in o.get("moved", "0,0").split(",")]
log = open(sys.argv[1], "w", buffering=1)
display = X.XOpenDisplay(None) or sys.exit("witness.py: no display")
root = X.XDefaultRootWindow(display)
gc = X.XCreateGC(display, root, 0, None)
widgets, windows, marks = {}, {}, {}	# name -> (window, x, y, w, h, colour); window -> name; name -> how often it was released
due, order = [], 0
lit, last_release, drag_from, typed, dots = None, (None, 0), None, "", []


def say(what, name, words=""):
    log.write("%d %s %s%s\n" % (time.clock_gettime_ns(time.CLOCK_MONOTONIC), what, name, " %s" % words if words else ""))


def after(seconds, what, *args):
    global order
    order += 1
    heapq.heappush(due, (time.monotonic() + seconds, order, what, args))


def make(name, x, y, w, h, colour, shown=True):
    window = X.XCreateSimpleWindow(display, root, x, y, w, h, 0, 0, colour)
    override = (ctypes.c_int * 28)()	# override_redirect, the 22nd int of XSetWindowAttributes: no window manager moves it
    override[22] = 1
    X.XChangeWindowAttributes(display, window, 1 << 9, override)
    X.XStoreName(display, window, name.encode())
    X.XSelectInput(display, window, KEYS | PRESS | RELEASE | ENTER | LEAVE | MOTION | EXPOSE)
    widgets[name], windows[window] = (window, x, y, w, h, colour), name
    say("place", name, "%d %d" % (x + w // 2, y + h // 2))
    if shown:
        show(name)


def show(name):
    X.XMapRaised(display, widgets[name][0])
    X.XSync(display, 0)
    say("shown", name)


def hide(name):
    X.XUnmapWindow(display, widgets[name][0])
    say("gone", name)


def draw(name):
    window, _, _, w, h, colour = widgets[name]
    X.XSetWindowBackground(display, window, LIGHT if lit == name else colour)
    X.XClearWindow(display, window)
    X.XSetForeground(display, gc, PAPER if lit == name else INK)
    if name in ("entry", "canvas"):
        X.XDrawString(display, window, gc, 5, 15, typed.encode() if name == "entry" else b"", len(typed) if name == "entry" else 0)
        for x, y in dots if name == "canvas" else []:
            X.XFillRectangle(display, window, gc, x - 1, y - 1, 3, 3)
        return
    X.XDrawString(display, window, gc, (w - 6 * len(name)) // 2, h // 2 + 5, name.encode(), len(name))
    for i in range(marks.get(name, 0) % 12):
        X.XFillRectangle(display, window, gc, 3 + 6 * i, h - 5, 4, 3)


def close_menus():
    for name in "item-1", "item-2", "item-3", "sub-1", "sub-2":
        hide(name)


def open_sub():
    if lit == "item-2":
        show("sub-1")
        show("sub-2")


def light(name):
    global lit
    was, lit = lit, name if name and name[:3] in ("ite", "sub") else None
    for one in {was, lit} - {None}:
        draw(one)
    if lit == "item-2" and was != lit:
        after(menu, open_sub)


def pressed(name, button, x, y):
    global drag_from
    say("press", name, str(button))
    if button != 1:
        return
    if name == "menu":
        after(menu, lambda: [show("item-%d" % (i + 1)) for i in range(3)])
    elif name == "canvas":
        drag_from = (x, y)
        dots.append((x, y))
        draw(name)
    elif name == "entry":
        X.XSetInputFocus(display, widgets[name][0], 2, 0)


def released(name, button, x, y, at):
    global last_release, drag_from
    say("release", name, str(button))
    if button != 1:
        return
    if last_release[0] == name and at - last_release[1] < 400:
        say("double", name)
        at = -1000
    last_release = (name, at)
    marks[name] = marks.get(name, 0) + 1
    if name == "open":
        after(late, lambda: (show("dialog"), show("ok")))
    elif name == "ok":
        hide("ok")
        hide("dialog")
    elif name[:3] in ("ite", "sub") and name != "item-2":
        close_menus()
    elif drag_from:
        say("drag", name, "%d %d %d %d" % (drag_from + (x, y)))
        drag_from = None
    if name != "desk":
        draw(name)


def key(name, event):
    global typed
    text, keysym = ctypes.create_string_buffer(8), L()
    X.XLookupString(event, text, 8, ctypes.byref(keysym), None)
    if 0xffe1 <= keysym.value <= 0xffee:
        return		# shift and its like: how often they are pressed is the server's affair
    say("key", name, "0x%x" % keysym.value)
    if name == "entry":
        if keysym.value == 0xff0d:
            say("line", name, typed)
            typed = ""
        elif keysym.value == 0xff08:
            typed = typed[:-1]
        else:
            typed += text.value.decode("latin-1")
        draw(name)


def take(event):
    kind = ctypes.c_int.from_buffer(event).value
    fields = (ctypes.c_int * 48).from_buffer(event)
    name = windows.get(event[4], "desk")
    x, y, detail, at = fields[16], fields[17], fields[21], event[7]
    if kind == 2:
        key(name, event)
    elif kind == 4:
        pressed(name, detail, x, y)
    elif kind == 5:
        released(name, detail, x, y, at)
    elif kind == 6:
        if drag_from and name == "canvas":
            dots.append((x, y))
            draw(name)
        elif name != lit:
            light(name)
    elif kind == 7:
        light(name)
    elif kind == 12 and fields[14] == 0 and name != "desk":
        draw(name)


X.XSetWindowBackground(display, root, 0x506070)
X.XClearWindow(display, root)
X.XSelectInput(display, root, PRESS | RELEASE)
for i in range(6):
    dx, dy = moved if i == 2 else (0, 0)
    make("button-%d" % (i + 1), 20 + 90 * i + dx, 20 + dy, 76, 28, TINTS[i], shown=i != 2 or "hidden" not in o)
make("menu", 20, 80, 76, 24, 0xd0d0ff)
for i in range(3):
    make("item-%d" % (i + 1), 20, 104 + 24 * i, 100, 24, FACE, shown=False)
for i in range(2):
    make("sub-%d" % (i + 1), 120, 128 + 24 * i, 100, 24, FACE, shown=False)
make("open", 120, 80, 76, 24, 0xffd0a0)
make("entry", 20, 260, 300, 22, PAPER)
make("canvas", 360, 240, 180, 120, 0xf0f0f0)
make("dialog", 260, 100, 200, 110, 0xe8d8c8, shown=False)
make("ok", 330, 170, 60, 24, 0xa0e0a0, shown=False)
X.XSync(display, 0)
say("ready", "-")
event = (ctypes.c_long * 24)()
while True:
    while X.XPending(display):
        X.XNextEvent(display, event)
        take(event)
    while due and due[0][0] <= time.monotonic():
        what, args = heapq.heappop(due)[2:]
        what(*args)
    X.XSync(display, 0)
    if not X.XPending(display):
        select.select([X.XConnectionNumber(display)], [], [], max(0, due[0][0] - time.monotonic()) if due else None)
