#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# slowdisk: its file has the backing file's contents, each request takes the delay, orders and signals work, nothing stays mounted.
# bats file_tags=alone:swap

bats_require_minimum_version 1.5.0
load helpers
load confined

setup() {
	begin_test
	SLOWDISK=$BIN/slowdisk
	mkdir folder
}

# Undoes what a test has left; the swap first, while its disk still answers.
teardown() {
	[ -z "${loop-}" ] || kill -USR1 "$disk" 2>/dev/null || true
	give_back
	umount folder "a folder" 2>/dev/null || umount -l folder "a folder" 2>/dev/null || true
	end_started
}

mounted() {	# folder
	grep -qF " $PWD/${1// /\\040} " /proc/self/mountinfo
}
unmounted() { ! mounted folder && ! mounted "a folder"; }

start_disk() {	# folder backing options...
	start disk "$SLOWDISK" "$@" --format json -o report
	until_true settled
	if ! grep -q '^ready' disk.err; then
		[ -w /dev/fuse ] && [ "$(id -u)" = 0 ] || skip "cannot mount here: $(cat disk.err)"
		cat disk.err
		return 1
	fi
}

settled() {
	grep -q '^ready' disk.err || gone "$pid"
}

elapsed() {	# command...: its time in ms
	local from=$EPOCHREALTIME

	"$@" >/dev/null 2>&1 || return 1
	awk -v a="$from" -v b="$EPOCHREALTIME" 'BEGIN { printf "%d\n", (b - a) * 1000 }'
}

unmount() {	# folder
	if [ "$(id -u)" = 0 ]; then umount "$1"; else fusermount3 -u "$1"; fi
}

# A mount namespace made in the meantime has a copy of the mount, which keeps the disk running.
ends_alone() {	# pid
	until_true unmounted
	until_true eval '! grep -qsE " $PWD/(a.040)?folder " /proc/[0-9]*/mountinfo' || skip "somebody else has a copy of the mount"
	ends "$1"
}

@test "slowdisk: reads and writes of its file reach the backing file byte for byte; unmounting ends it" {
	head -c 3000001 /dev/urandom >backing	# not a multiple of a block
	cp backing before
	mkdir "a folder"
	start_disk "a folder" backing
	[ "$(ls "a folder")" = disk ]
	[ "$(stat -c %s "a folder/disk")" = 3000001 ]
	cmp "a folder/disk" before
	printf 'hello, disk' | dd of="a folder/disk" bs=1 seek=1234567 conv=notrunc,fsync status=none
	printf 'hello, disk' | dd of=before bs=1 seek=1234567 conv=notrunc status=none
	cmp "a folder/disk" before
	cmp backing before
	[ "$(tail -c 5 "a folder/disk" | od -An -tx1)" = "$(tail -c 5 before | od -An -tx1)" ]
	if printf x | dd of="a folder/disk" bs=1 seek=3000001 conv=notrunc status=none 2>/dev/null; then return 1; fi
	unmount "a folder"
	ends_alone "$pid"
	[ "$status" -eq 0 ]
	cmp backing before
	need jq
	jq -e '.schema == "thinprobe.slowdisk/1" and .settings.size_bytes == 3000001 and .result.reads.bytes >= 6000002 and
		.result.writes.requests == 12 and .result.writes.bytes == 11 and .result.reads.errors == 0 and .result.writes.errors == 1' report
}

@test "slowdisk: reads take the delay, one after the other; the log agrees with a clock" {
	local ms

	truncate -s 1M backing
	start_disk folder backing --read-delay 20ms --log log
	ms=$(elapsed dd if=folder/disk of=/dev/null bs=4096 count=10)
	[ "$ms" -ge 200 ]
	# two readers at a time are no faster: requests are served one by one
	ms=$(elapsed bash -c '
		dd if=folder/disk of=/dev/null bs=4096 count=5 &
		dd if=folder/disk of=/dev/null bs=4096 skip=5 count=5
		wait')
	[ "$ms" -ge 200 ]
	dd if=/dev/zero of=folder/disk bs=8192 seek=3 count=1 conv=notrunc status=none
	unmount folder
	ends_alone "$pid"
	[ "$status" -eq 0 ]
	[ "$(head -n 1 log)" = $'schema\ttime_ns\top\toffset_bytes\tlength_bytes\tservice_ns' ]
	awk -F'\t' '
		NR == 1 { next }
		$1 != "disk/1" || $2 < last { print "not so: " $0; wrong = 1 }
		{ last = $2 + $6 }
		$3 == "read" { n++; if ($5 != 4096 || $6 < 20e6) { print "not so: " $0; wrong = 1 } }
		$3 == "write" { w++; if ($4 != 24576 || $5 != 8192) { print "not so: " $0; wrong = 1 } }
		END { exit wrong || n != 20 || w != 1 }' log
	need jq
	jq -e '.result.reads.requests == 20 and .result.reads.service_mean_ms >= 20 and .settings.read_delay_ms == 20 and
		.result.writes.bytes == 8192 and .result.log_rows_dropped == 0' report
}

@test "slowdisk: with a rate each read takes longer by its size, also in the log" {
	truncate -s 1M backing
	start_disk folder backing --read-delay 5ms --read-rate 10Mbit --write-rate none --log log
	dd if=folder/disk of=/dev/null bs=4096 count=3 status=none
	dd if=folder/disk of=/dev/null bs=131072 skip=1 count=3 status=none
	dd if=/dev/zero of=folder/disk bs=131072 count=1 conv=notrunc status=none
	unmount folder
	ends_alone "$pid"
	[ "$status" -eq 0 ]
	# 5 ms and 8 bits a byte at 10 a microsecond, nothing for writes
	awk -F'\t' 'NR == 1 { next }
		$3 == "read" { n++; bytes += $5; if ($6 < 5e6 + $5 * 800) { print "too soon: " $0; wrong = 1 } }
		$3 == "write" { w++ }
		END { exit wrong || n < 6 || bytes != 3 * 4096 + 3 * 131072 || !w }' log
	need jq
	jq -e '.settings | .read_rate_bits_per_s == 10000000 and .write_rate_bits_per_s == 0' report
}

@test "slowdisk --control: orders change the delay, also of the current request; a wrong order is reported and ignored" {
	local ms

	truncate -s 1M backing
	start_disk folder backing --read-delay 30s --control "the fifo"
	[ -p "the fifo" ]
	start reader dd if=folder/disk of=/dev/null bs=4096 count=1
	sleep 0.2
	if gone "$pid"; then return 1; fi
	echo 'read-delay 10ms' >"the fifo"
	ends "$pid"
	[ "$status" -eq 0 ]
	ms=$(elapsed dd if=folder/disk of=/dev/null bs=4096 count=20)
	[ "$ms" -ge 200 ]
	printf 'faster!\nwrite-delay 10ms\n' >"the fifo"
	until_true grep -q 'command "faster!" is not understood' disk.err
	ms=$(elapsed dd if=/dev/zero of=folder/disk bs=4096 count=20 conv=notrunc)
	[ "$ms" -ge 200 ]
	unmount folder
	until_true gone "${started[0]}"
	[ ! -e "the fifo" ]
}

@test "slowdisk: SIGUSR1 ends all delays; SIGTERM unmounts, unless the file is in use" {
	truncate -s 1M backing
	start_disk folder backing --read-delay 30s --write-delay 30s
	disk=$pid
	start reader dd if=folder/disk of=/dev/null bs=4096 count=1
	sleep 0.2
	kill -USR1 "$disk"
	ends "$pid"
	[ "$status" -eq 0 ]
	exec 8<folder/disk
	kill -TERM "$disk"
	until_true grep -q '^slowdisk: folder is in use and stays mounted; ' disk.err
	mounted folder
	[ "$(head -c 4 <&8 | od -An -tx1)" = " 00 00 00 00" ]	# and it still answers
	exec 8<&-
	kill -TERM "$disk"
	ends_alone "$disk"
	[ "$status" -eq 0 ]
	if mounted folder; then return 1; fi
}

@test "slowdisk: as a swap device it returns pages intact, and each read takes the delay" {
	[ "$(id -u)" = 0 ] || skip "swap takes root"
	need python3
	make_group memory 1
	fallocate -l 64M backing || skip "no room for a swap file"
	start_disk folder backing --read-delay 2ms --log log
	disk=$pid
	make_swap folder/disk alone
	echo 16M >"$group/memory.limit_in_bytes"
	# numbered pages, three times as many as fit, then 300 of them read in another order
	run timeout 60 bash -c "echo \$\$ >$group/cgroup.procs && exec python3 -c '
import mmap
pages = 8192
m = mmap.mmap(-1, pages * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for i in range(pages): m[i * 4096:i * 4096 + 8] = i.to_bytes(8, \"little\")
at = 1
for i in range(300):
    at = at * 2741 % 8191
    assert int.from_bytes(m[at * 4096:at * 4096 + 8], \"little\") == at, at
print(\"whole\")'"
	echo "$output"
	[ "$output" = whole ]
	kill -USR1 "$disk"
	give_back
	until_true unmount folder
	ends_alone "$disk"
	[ "$status" -eq 0 ]
	# swapped in at the pace of this disk (what swapoff reads is not)
	awk -F'\t' '$3 == "read" && $6 >= 2e6 { n++ } END { print n; exit n < 30 }' log
	if mounted folder; then return 1; fi
}

@test "slowdisk: an ordinary user who may not mount gets an error" {
	truncate -s 4096 backing
	chmod 666 backing
	chmod 777 folder
	chmod a+x "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" 2>/dev/null || true
	ordinary_user
	[ "$(id -u)" = 0 ] || skip "only root can become another user"
	"${user[@]}" test -r backing || skip "another user cannot come here"
	run timeout 20 "${user[@]}" "$SLOWDISK" folder backing 3>&-
	echo "$output"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "slowdisk: cannot mount in folder: "* ]]
}
