# SPDX-License-Identifier: GPL-3.0-or-later
"""A Wayland compositor that lies, for refecho to be held against: refecho_compositor.py SOCKET LIE.

keymap: its keymap is announced with 1 MiB, and its file has 4096 bytes, none of them 0. time: pictures are presented in second
2^63-1.
future: in an hour.
large: it wants a window of 30000 x 30000 pixels. After the second picture it presses key 30, and says
when the answer was presented; with LIE none its keymap is whole, but empty."""
import array
import os
import socket
import struct
import sys
import time

path, lie = sys.argv[1:]
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(1)
print("ready", flush=True)
client, _ = listener.accept()
kinds, by_kind, commits = {1: "wl_display"}, {}, []
HAS = (("wl_shm", 1), ("wl_compositor", 4), ("xdg_wm_base", 1), ("wp_presentation", 1), ("wl_seat", 3))


def new(number, kind):
    kinds[number] = kind
    by_kind[kind] = number


def event(target, opcode, body=b"", fd=None):
    target = by_kind.get(target, target)
    message = struct.pack("<II", target, (8 + len(body)) << 16 | opcode) + body
    client.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))] if fd is not None else [])


def words(*numbers):
    return struct.pack("<%di" % len(numbers), *numbers)


def handle(kind, opcode, body):
    args = struct.unpack("<%dI" % (len(body) // 4), body[:len(body) // 4 * 4])
    if (kind, opcode) == ("wl_display", 0):  # sync
        event(args[0], 0, words(1))
    elif (kind, opcode) == ("wl_display", 1):
        new(args[0], "wl_registry")
        for number, (name, version) in enumerate(HAS):
            text = name.encode() + b"\0"
            event("wl_registry", 0, words(number, len(text)) + text + bytes(-len(text) % 4) + words(version))
    elif kind == "wl_registry":
        new(args[-1], HAS[args[0]][0])
        if HAS[args[0]][0] == "wl_seat":
            event("wl_seat", 0, words(2))  # a keyboard
    elif (kind, opcode) == ("wl_seat", 1):
        new(args[0], "wl_keyboard")
        keymap = os.memfd_create("keymap")
        os.write(keymap, b"x" * 4096 if lie == "keymap" else b"\0")
        event("wl_keyboard", 0, words(1, 1 << 20 if lie == "keymap" else 1), keymap)
    elif (kind, opcode) == ("wl_compositor", 0):
        new(args[0], "wl_surface")
    elif (kind, opcode) == ("xdg_wm_base", 2):
        new(args[0], "xdg_surface")
    elif (kind, opcode) == ("xdg_surface", 1):
        new(args[0], "xdg_toplevel")
    elif (kind, opcode) == ("wp_presentation", 1):
        new(args[1], "wp_presentation_feedback")
    elif (kind, opcode) == ("wl_surface", 6):  # commit
        commits.append(1)
        if len(commits) == 1:
            event("xdg_toplevel", 0, words(*((30000, 30000) if lie == "large" else (640, 480)), 0))
            event("xdg_surface", 0, words(7))
        if len(commits) == 2:
            event("wl_keyboard", 3, words(1, 1, 30, 1))
        if "wp_presentation_feedback" in by_kind:
            seconds = {"time": 2**63 - 1, "future": int(time.monotonic()) + 3600}.get(lie, int(time.monotonic()))
            event("wp_presentation_feedback", 1, struct.pack("<IIIIIII", seconds >> 32, seconds & 0xffffffff, 0, 0, 0, 0, 0))
            del by_kind["wp_presentation_feedback"]
            if len(commits) > 2:
                event("xdg_wm_base", 0, words(1))  # a ping
    elif (kind, opcode) == ("xdg_wm_base", 3):
        print("answered", flush=True)


buffered = b""
while True:
    try:
        data = client.recv(65536)  # (descriptors that come along are closed)
    except OSError:
        break
    if not data:
        break
    buffered += data
    while len(buffered) >= 8 and len(buffered) >= struct.unpack("<II", buffered[:8])[1] >> 16:
        target, head = struct.unpack("<II", buffered[:8])
        try:
            handle(kinds.get(target), head & 0xffff, buffered[8:head >> 16])
        except BrokenPipeError:  # it does not want to hear more
            sys.exit()
        buffered = buffered[head >> 16:]
