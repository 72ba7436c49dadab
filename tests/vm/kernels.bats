#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# What many kernels lack, on the stock kernels of Debian 12 and 13: netem, fq_codel, control groups of version 2, memory.low,
# pressure. A guest of each is up; in it run the tests of the lab, doctor, and a cell of each experiment that needs these.

load guests

KERNELS=(bookworm trixie)

setup_file() {
	local kernel
	guests_here lab "${KERNELS[@]}" || return 0
	for kernel in "${KERNELS[@]}"; do
		mkdir "$W/$kernel"
		GUEST_KERNEL_OF=$kernel begin "$kernel" lab -m 2G -s "$W/$kernel"
		echo "$driver" >>"$W/drivers"
	done
}

teardown_file() { [ ! -e "$W/drivers" ] || xargs kill <"$W/drivers"; }

setup() {
	skip_not_here
	. "$TOP/lab/lib.sh"
	. "$TOP/lab/guest.sh"
	cd "$BATS_TEST_TMPDIR"
}

# on KERNEL COMMAND: of bash, in the tree. Modules that udev would load are there.
on() {
	. "$W/$1.up"
	guest_exec "$1" bash -c "cd $(printf %q "$TOP") && modprobe -a loop tun zram && $2" </dev/null
}

# lab_tests KERNEL FILE: of tests/lab. What is left out is named; nothing fails.
lab_tests() {
	on "$1" "TEST_PATIENCE=10 bats --tap tests/lab/$2.bats" >tap || true
	cat tap
	! grep '^not ok' tap || return 1
	[ "$(grep -c '^ok' tap)" = "$(sed -n 's/^1\.\.//p' tap)" ]
	[ "$(grep '^ok' tap | grep -vc '# skip')" -gt 0 ]
}

# cells KERNEL FILTER EXPERIMENT OPTION...: runs it, and all that it measured fits FILTER of jq, given run.json's cells in turn.
cells() {
	local kernel=$1 filter=$2
	shift 2
	on "$kernel" "./thinprobe run $* --quick -q -o $W/$kernel/$1" >out 2>&1 || { cat out; return 1; }
	cat "$W/$kernel/$1/report.md"
	cat "$W/$kernel/$1"/cells/*/*/cell.json | jq -es "length > 0 and all(.[]; $filter)"
}

finds() {
	on "$1" "./thinprobe doctor --json" >rows || [ $? -eq 4 ]	# it has no compiler
	for what in "link delay and loss" "link rate" "groups of the scheduler" "a memory size for the server" "swap in memory"; do
		jq -e --arg what "$what" 'any(.rows[]; (.what | startswith($what)) and .state == "yes")' rows || { echo "$what"; cat rows; return 1; }
	done
	jq -e 'any(.rows[]; .what == "link delay and loss" and .why == "netem")' rows
}

yields() {
	on "$1" 'bin/idleprofile -t 1s --json' >out || [ $? -eq 3 ]	# (disturbed)
	cat out
	grep -q '"cgroup v2 cpu.idle"' out
}

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
vamp = subprocess.Popen(["bin/vamp", "run", "--dry-run", "--evdev", "/dev/input/" + event, "--no-audio", "--most", "2s", "--json"],
                        stderr=subprocess.PIPE)
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

@test "Debian 12's kernel: doctor finds netem, groups, memory sizes and zram" { finds bookworm; }
@test "Debian 13's kernel: doctor finds netem, groups, memory sizes and zram" { finds trixie; }
@test "Debian 12's kernel: tests of the link" { lab_tests bookworm link; }
@test "Debian 13's kernel: tests of the link" { lab_tests trixie link; }
@test "Debian 12's kernel: tests of groups" { lab_tests bookworm groups; }
@test "Debian 13's kernel: tests of groups" { lab_tests trixie groups; }
@test "Debian 12's kernel: tests of memory" { lab_tests bookworm memory; }
@test "Debian 13's kernel: tests of memory" { lab_tests trixie memory; }
@test "Debian 12's kernel: tests of the slow disk" { lab_tests bookworm disk; }
@test "Debian 13's kernel: tests of the slow disk" { lab_tests trixie disk; }
@test "Debian 12's kernel: idleprofile yields in a group of its own" { yields bookworm; }
@test "Debian 13's kernel: idleprofile yields in a group of its own" { yields trixie; }
@test "Debian 12's kernel: vamp reads a keyboard of uinput" { types bookworm; }
@test "Debian 13's kernel: vamp reads a keyboard of uinput" { types trixie; }
