#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# vamp reads a keyboard of the kernel (uinput), which not every machine has, with the stock kernels of Debian 12 and 13.

load ../../../../tests/vm/guests

setup_file() { kernels_here; }
teardown_file() { kernels_end; }

setup() { guests_use; }

# A keyboard of uinput types Return three times, each time after the episode of the last one.
types() {
	cat >"$W/$1/keyboard.py" <<'END'
import fcntl, os, struct, subprocess, sys, time
fd = os.open("/dev/uinput", os.O_WRONLY)
fcntl.ioctl(fd, 0x40045564, 1)  # UI_SET_EVBIT EV_KEY
fcntl.ioctl(fd, 0x40045565, 28)  # UI_SET_KEYBIT KEY_ENTER
fcntl.ioctl(fd, 0x405c5503, struct.pack("HHHH80sI", 3, 1, 1, 1, b"keys", 0))  # UI_DEV_SETUP
fcntl.ioctl(fd, 0x5501)  # UI_DEV_CREATE
name = fcntl.ioctl(fd, 0x8040552C, bytes(64)).rstrip(b"\0").decode()  # UI_GET_SYSNAME
event = [e for e in os.listdir("/sys/devices/virtual/input/" + name) if e.startswith("event")][0]
command = ["bin/vamp", "run", "--dry-run", "--evdev", "/dev/input/" + event, "--no-audio", "--most", "2s", "--json"]
vamp = subprocess.Popen(command, stderr=subprocess.PIPE)
while vamp.stderr.readline() != b"ready\n":
    assert vamp.poll() is None
for _ in range(3):
    for value in (1, 0):
        os.write(fd, struct.pack("llHHi", 0, 0, 1, 28, value) + struct.pack("llHHi", 0, 0, 0, 0, 0))
    time.sleep(6)
vamp.terminate()
sys.exit(vamp.wait())
END
	on "$1" "modprobe -a uinput evdev && python3 $W/$1/keyboard.py" >out || { cat out; return 1; }
	cat out
	jq -e '.result.episodes | length == 3' out
}

@test "Debian 12's kernel: vamp sees three inputs" { types bookworm; }
@test "Debian 13's kernel: vamp sees three inputs" { types trixie; }
