#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The lab's own disk: its delay and its scheduler can be set; however the driver ends, the disk is gone and everything as before.
# Other labs may run meanwhile: tests look only for names with this lab's id. `W` is the test's own folder below /tmp.

load disk

@test "disk: reads take the delay and are counted; only the server sees the disk" {
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
	grep -qx 0 "$W/out"	# no loop device is left
}

@test "disk: after kill -9 of the driver the disk is gone, and its device's scheduler restored" {
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

@test "disk: a driver that is stopped removes the disk" {
	begin 'lab_disk_delay 30ms'
	kill -TERM "$pid"
	gone
}

@test "disk: after kill -9 of all the lab's processes, thinprobe lab clean removes the disk by its record" {
	begin 'lab_change disk-delay 0
		echo "$LAB_UNDO" >"$W/undo"
		lab_switch scheduler:"${LAB_DISK_DEVICE##*/}" bfq ||
			lab_switch scheduler:"${LAB_DISK_DEVICE##*/}" mq-deadline || :'
	kill -9 "$(cat "$W/undo")" "$pid"
	for _ in {1..1500}; do kill -0 "$(cat "$W/undo")" 2>/dev/null || break; sleep 0.02; done
	was=$(sed -n 's/^switch scheduler:[^ ]* //p' "$W/locks/undo-$id")
	run "$TOP/thinprobe" lab clean
	echo "$output"
	gone
	[ -z "$was" ] || [[ $(cat "/sys/block/${device##*/}/queue/scheduler") == *"[$was]"* ]]
}
