#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# diskorder: what it sees of a loop device against the device's own counters and what dd has read.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	DISKORDER=$BIN/diskorder
	loop=''
}

teardown() {
	local p
	for p in "${started[@]}"; do
		if of_this_test "$p"; then kill -9 "$p" 2>/dev/null || true; fi
	done
	[ -z "$loop" ] || losetup --detach "$loop"
}

settled() { grep -q '^ready' order.err || gone "$pid"; }

# A loop device of 8 MiB in $loop, watched.
watched() {	# options...
	[ "$(id -u)" = 0 ] || skip "tracing takes root"
	need losetup jq
	fallocate -l 8M backing
	loop=$(losetup --find --show backing) || skip "no loop device to be had"
	start order "$DISKORDER" "$loop" "$@" --format json -o report
	until_true settled
	grep -q '^ready' order.err || skip "cannot trace here: $(cat order.err)"
}

finish() {
	kill "$pid"
	ends "$pid"
	cat order.err report
	[ "$status" -eq 130 ]
}

@test "one reader, one request at a time: as many as the device counts, and no two that waited together" {
	local reads before

	watched --load dd --log log
	read -r before _ <"/sys/block/${loop##*/}/stat"
	dd if="$loop" of=/dev/null bs=4k count=50 iflag=direct status=none
	dd if=/dev/zero of="$loop" bs=4k count=7 oflag=direct conv=notrunc status=none
	read -r reads _ <"/sys/block/${loop##*/}/stat"
	finish
	[ "$(jq .result.others.reads report)" = 0 ] || skip "somebody else reads from new disks here (udev)"
	[ $((reads - before)) = 50 ]
	jq -e '.result | .load.reads == 50 and .writes == 7 and .requests == 57 and .pairs == 0 and .tau == null
		and .in_device_p90 == 1 and .waiting_most == 1 and .lost_records == 0 and .others.reads == 0' report
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["schema"] != "diskorder/1" || $at["comm"] != "dd" || $at["issue_ns"] < $at["come_ns"] { print; wrong = 1 }
		$at["op"] == "read" { if ($at["sector"] != 8 * n++ || $at["sectors"] != 8) { print; wrong = 1 } }
		$at["op"] == "write" { w++ }
		END { exit wrong || n != 50 || w != 7 }' log
}

@test "another name is not the load; another disk is not seen" {
	watched --load nobody --log log
	dd if="$loop" of=/dev/null bs=64k count=20 iflag=direct status=none
	other=$loop
	fallocate -l 8M backing2
	loop=$(losetup --find --show backing2)
	dd if="$loop" of=/dev/null bs=4k count=30 iflag=direct status=none
	losetup --detach "$loop"
	loop=$other
	finish
	[ "$(awk -F'\t' '{ n += $5 == "dd" } END { print n }' log)" = 20 ]
	jq -e '.result | .others.reads >= 20 and .load.reads == 0 and .others.ahead_mean == 0 and .others.passed_percent == null' report
}

@test "what cannot be is told in one line" {
	local words want wrong=0

	while IFS=: read -r want words; do
		# shellcheck disable=SC2086
		run timeout 20 "$DISKORDER" $words 3>&-
		[ "$status" -eq "$want" ] && [ "${#lines[@]}" -eq 1 ] && [[ $output == "diskorder: "* ]] || {
			echo "$words: $status $output"
			wrong=1
		}
	done <<'END'
2:
2:/dev/null
2:/dev/nosuchdisk
2:/dev/null more
2:/dev/null -t 0
2:/dev/null --log same -o ./same
END
	[ $wrong -eq 0 ]
}
