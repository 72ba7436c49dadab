#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A text field in a terminal: shows each character so many ms after it was read, and takes one away for BackSpace.

usage: field.py LOG DELAY_MS[+PART_MS] [DEAF_AFTER]
PART_MS: the caret goes back for BackSpace before the character goes. DEAF_AFTER: after so many keys it reads on, and shows no more.
Log rows: CLOCK_MONOTONIC in ns when the key was read, its code, and how many characters stand in the field after it.
"""
import os
import sys
import time
import tty

delay, _, part = sys.argv[2].partition("+")
deaf = int(sys.argv[3]) if len(sys.argv) > 3 else None
shown = keys = 0
tty.setraw(0)
with open(sys.argv[1], "w", buffering=1) as log:
    while key := os.read(0, 1):
        at = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        keys += 1
        back = key in b"\b\x7f"
        shown = max(0, shown - 1) if back else shown + 1
        log.write("%d %d %d\n" % (at, key[0], shown))
        if deaf is not None and keys > deaf:
            continue
        time.sleep(float(delay) / 1000)
        os.write(1, b"\b" if back else key)
        time.sleep(float(part or 0) / 1000 * back)
        os.write(1, b" \b" * back)
