#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The requests that the lab's own disk takes at a time, as the kernel counts them.

load ../../../../tests/lab/disk

@test "disk: lab_disk_takes N limits the requests in the device, also with a scheduler; the limit is restored" {
	command -v fio >/dev/null || skip "fio is not installed"
	begin '
lab_exec -R server dd if=/dev/zero of=/tmp/disk/x bs=1M count=8 status=none
lab_exec -R server sync
lab_disk_takes 3 || echo "refused: $LAB_WHY"
reads_wait() { [ "$(awk "{ print \$9 }" "/sys/block/${LAB_DISK_DEVICE##*/}/stat")" -ge 4 ]; }
at_once() {	# beside sixteen readers
	lab_start -R server reads fio --name=x --filename=/tmp/disk/x --direct=1 --rw=randread --bs=4k --iodepth=1 --thread --numjobs=16 \
		--time_based --runtime=300
	wait_until 30 reads_wait
	echo "$1: $(in_device "$LAB_DISK_DEVICE")"
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
	for s in $(tr -d '[]' <"/sys/block/${device##*/}/queue/scheduler"); do [ "$(sed -n "s/^$s: //p" "$W/out")" = 4 ]; done
	kill -9 "$pid"
	gone
	# what the next user of that device finds, whatever the kernel shows
	fallocate -l 8M "$W/file"
	loop=$device
	losetup "$loop" "$W/file" || { losetup "$loop" && loop=$(losetup --find --show "$W/file"); }	# (another lab has taken it)
	reads() { awk '{ print $1 }' "/sys/block/${loop##*/}/stat"; }
	before=$(reads)
	fio --name=x --filename="$loop" --direct=1 --rw=randread --bs=4k --iodepth=32 --ioengine=libaio --time_based --runtime=300 \
		>"$W/fio" 2>&1 3>&- &
	fio=$!
	reads_more() { [ "$(reads)" -gt "$before" ]; }
	until_true reads_more || { cat "$W/fio"; false; }
	most=$(in_device "$loop")
	kill "$fio"
	wait "$fio" || true
	losetup -d "$loop"
	echo "$loop after $device: $most"
	[ "$loop" != "$device" ] || [ "$most" -gt 4 ]
}
