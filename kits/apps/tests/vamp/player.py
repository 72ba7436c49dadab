#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# player - plays silence through PulseAudio and decodes nothing, but takes the PERCENT of a CPU that a film would. Until killed.
import ctypes
import sys
import threading
import time


class Format(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8)]


def play():
    pulse = ctypes.CDLL("libpulse-simple.so.0")
    pulse.pa_simple_new.restype = ctypes.c_void_p
    error = ctypes.c_int()
    form = Format(3, 44100, 2)
    stream = pulse.pa_simple_new(None, b"player", 1, None, b"film", ctypes.byref(form), None, None, ctypes.byref(error))
    if not stream:
        sys.exit("player: no sound server")
    silence = bytes(4 * 441)
    print("plays", flush=True)
    while True:
        pulse.pa_simple_write(ctypes.c_void_p(stream), silence, ctypes.c_size_t(len(silence)), None)


busy = float(sys.argv[1]) / 100 * 0.01
threading.Thread(target=play, daemon=True).start()
while threading.active_count() > 1:
    until = time.thread_time() + busy
    begin = time.monotonic()
    while time.thread_time() < until:
        pass
    time.sleep(max(0, 0.01 - (time.monotonic() - begin)))
