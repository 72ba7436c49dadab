#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A disk of the lab's own: as slow as it is told to be, its scheduler settable; gone, and everything
# as before, whatever ends the driver. Other labs may come and go meanwhile: what is looked for
# bears this lab's id. `W` is the test's own world below /tmp.

load disk

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
