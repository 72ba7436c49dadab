#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A disk of the lab's own: as slow as it is told to be, its scheduler settable; gone, and everything
# as before, whatever ends the driver. Other labs may come and go meanwhile: what is looked for
# bears this lab's id. `W` is the test's own world below /tmp.

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/lab}
	W=$(mktemp -d "/tmp/disk bats.XXXXXX")
	mkdir "$W/locks"
	PATH=$PATH:/usr/sbin:/sbin
	export LAB_LOCKS=$W/locks THINPROBE_STATE=$W/state W TOP
	[ "$(id -u)" = 0 ] || skip "a disk of its own is root's"
	for tool in setpriv unshare nsenter ip tc ethtool losetup mke2fs; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	[ -e /dev/fuse ] || skip "this kernel has no FUSE"
}

teardown() {
	local p
	# not one that has ended: its pid may be another's by now
	[[ " $(jobs -pr | xargs) " != *" ${pid-none} "* ]] || kill -9 "$pid" 2>/dev/null || true
	for p in "$W"/locks/undo-*; do [ ! -e "$p" ] || bash "$TOP/lab/local/undo.sh" back "$p"; done
	rm -rf -- "$W"
}

# A driver with a disk of 48M at /tmp/disk; it runs $1, and waits.
begin() {
	cat >"$W/driver.sh" <<'END'
set -u
export LAB_SHARED_CPUS=1 LAB_CPU_WAIT=60 LAB_RUN=$W/run LAB_RATE=none
. "$TOP/lab/lib.sh"
lab_use local
lab_up
echo "$LAB_ID" >"$W/id"
lab_disk slow 48M /tmp/disk || { echo "$LAB_WHY" >"$W/why"; exit 4; }
echo "$LAB_DISK_DEVICE" >"$W/device"
END
	printf '%s\ntouch "$W/up"\nwhile :; do nap 1; done\n' "$1" >>"$W/driver.sh"
	bash "$W/driver.sh" >"$W/out" 2>&1 3>&- &
	pid=$!
	for _ in {1..6000}; do [ ! -e "$W/up" ] && kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
	cat "$W/out"
	[ ! -e "$W/why" ] || skip "$(cat "$W/why")"
	[ -e "$W/up" ]
	read -r id <"$W/id"
	read -r device <"$W/device"
}

gone() {	# nothing of the disk is left: no loop device of it, no folder, no slowdisk, no record
	local i
	for ((i = 0; i < 300; i++)); do
		if [ -z "$(losetup -a | grep -F "thinprobe-disk-$id")$(grep -lszF "thinprobe-disk-$id" /proc/[0-9]*/cmdline)" ] &&
			[ ! -e "$W/locks/undo-$id" ] && [ ! -e "/var/tmp/thinprobe-disk-$id" ]; then
			return 0
		fi
		sleep 0.05
	done
	losetup -a
	grep -lszF "thinprobe-disk-$id" /proc/[0-9]*/cmdline
	cat "$W/locks/undo-$id"
	return 1
}

@test "disk: takes the time that it is told, is counted, and is seen by the server alone" {
	begin '
lab_disk_delay 20ms || echo "$LAB_WHY"
before=$(lab_disk_counts)
lab_exec -R server sh -c "dd if=/dev/zero of=/tmp/disk/x bs=64k count=4 oflag=direct conv=notrunc 2>&1
	for i in 1 2 3 4 5 6 7 8 9 10; do
		dd if=/tmp/disk/x of=/dev/null bs=4k count=1 skip=\$i iflag=direct 2>/dev/null
	done" >/dev/null
t=${EPOCHREALTIME/[.,]/}
lab_exec -R server dd if=/tmp/disk/x of=/dev/null bs=4k count=20 iflag=direct status=none
echo "took $((${EPOCHREALTIME/[.,]/} - t)) us, $before -> $(lab_disk_counts)"
lab_exec client test -e /tmp/disk/x || echo "not at the client"
lab_exec server sh -c "test -w /tmp/disk && echo writable"
lab_disk_off && losetup -a | grep -c "${LAB_DISK_DEVICE:-none}:"'
	us=$(sed -n 's/^took \([0-9]*\) us.*/\1/p' "$W/out")
	[ "$us" -ge 400000 ]	# 20 reads, one after the other
	read -r before after < <(sed -n 's/^took .* us, \([0-9]*\) .* -> \([0-9]*\) .*/\1 \2/p' "$W/out")
	[ $((after - before)) -ge 30 ]
	grep -qx 'not at the client' "$W/out"
	grep -qx 0 "$W/out"	# off: no loop device of it
}

@test "disk: a kill -9 of the driver takes it all back, the scheduler of its device too" {
	begin 'lab_disk_delay 50ms
for s in $(lab_disk_schedulers); do [ "$s" = none ] || { lab_switch "scheduler:${LAB_DISK_DEVICE##*/}" "$s" && break; }; done
cat "/sys/block/${LAB_DISK_DEVICE##*/}/queue/scheduler"
lab_exec -R server dd if=/dev/zero of=/tmp/disk/x bs=1M count=2 status=none
lab_start -R server reads sh -c "while :; do dd if=/tmp/disk/x of=/dev/null bs=4k count=100 iflag=direct status=none; done"'
	grep -q 'switch scheduler:' "$W/locks/undo-$id" || skip "this kernel offers one scheduler only"
	was=$(sed -n 's/^switch scheduler:[^ ]* //p' "$W/locks/undo-$id")
	kill -9 "$pid"
	gone
	[[ $(cat "/sys/block/${device##*/}/queue/scheduler") == *"[$was]"* ]]
}

@test "disk: the device takes as many requests as it is told, with a scheduler too; as before when it is given back" {
	command -v fio >/dev/null || skip "fio is not installed"
	begin '
lab_exec -R server dd if=/dev/zero of=/tmp/disk/x bs=1M count=8 status=none
lab_exec -R server sync
lab_disk_takes 3 || echo "refused: $LAB_WHY"
reads_wait() { [ "$(awk "{ print \$9 }" "/sys/block/${LAB_DISK_DEVICE##*/}/stat")" -ge 4 ]; }
at_once() {	# beside sixteen readers; the median: where the kernel loses an event, a request seems to stay for a while
	lab_start -R server reads fio --name=x --filename=/tmp/disk/x --direct=1 --rw=randread --bs=4k --iodepth=1 --thread --numjobs=16 \
		--time_based --runtime=300
	wait_until 30 reads_wait
	echo "$1: $("$TP_BIN/diskorder" "$LAB_DISK_DEVICE" -t 500ms --format json | jq .result.in_device_p50)"
	lab_stop "$LAB_PID"
}
lab_disk_delay 5ms
at_once before
lab_disk_takes 4 || echo "$LAB_WHY"
at_once none
for s in $(lab_disk_schedulers); do
	[ "$s" = none ] || { lab_switch "scheduler:${LAB_DISK_DEVICE##*/}" "$s" && at_once "$s"; }
done
lab_disk_delay 0'
	grep -q '^refused: 3 requests at a time: 4 to ' "$W/out"
	[ "$(sed -n 's/^before: //p' "$W/out")" -gt 4 ]
	[ "$(sed -n 's/^none: //p' "$W/out")" = 4 ]
	# those that this kernel has
	[ -z "$(sed -n 's/^\(mq-deadline\|kyber\|bfq\): //p' "$W/out" | grep -vx 4)" ]
	kill -9 "$pid"
	gone
	# what the next user of that device finds, whatever the kernel shows
	fallocate -l 8M "$W/file"
	loop=$(losetup --find --show "$W/file")
	reads() { awk '{ print $1 }' "/sys/block/${loop##*/}/stat"; }
	before=$(reads)
	fio --name=x --filename="$loop" --direct=1 --rw=randread --bs=4k --iodepth=32 --ioengine=libaio --time_based --runtime=300 \
		>"$W/fio" 2>&1 3>&- &
	fio=$!
	until [ "$(reads)" -gt "$before" ]; do kill -0 "$fio" || { cat "$W/fio"; false; }; sleep 0.05; done
	most=$("$TOP/bin/diskorder" "$loop" -t 1s --format json | jq .result.in_device_p90)
	kill "$fio"
	wait "$fio" || true
	losetup -d "$loop"
	echo "$loop after $device: $most"
	[ "$loop" != "$device" ] || [ "$most" -gt 4 ]
}

@test "disk: a driver that is told to stop takes it back" {
	begin 'lab_disk_delay 30ms'
	kill -TERM "$pid"
	gone
}

@test "disk: what was killed as a whole is on record, and thinprobe lab clean puts it right" {
	begin 'lab_change disk-delay 0
		echo "$LAB_UNDO" >"$W/undo"
		lab_switch scheduler:"${LAB_DISK_DEVICE##*/}" bfq ||
			lab_switch scheduler:"${LAB_DISK_DEVICE##*/}" mq-deadline || :'
	kill -9 "$(cat "$W/undo")" "$pid"
	for _ in {1..1500}; do kill -0 "$(cat "$W/undo")" 2>/dev/null || break; sleep 0.02; done
	[ -e "$W/locks/undo-$id" ]
	run "$TOP/thinprobe" lab clean
	echo "$output"
	gone
	[[ $(cat "/sys/block/${device##*/}/queue/scheduler") != *"[bfq]"* ]]
}
