# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - iosched: the session is replayed beside a heavy load of its disk: many threads of fio, each waiting for a read of 32 KB
# at a random place. The device takes few of these at a time, so that the others wait in front of it, where the scheduler puts them
# and the session's in order. diskorder watches in which.
. "$TP_HOME/kits/replay/experiments/engine/replays.sh"
ON_DISK=1 ORDER='' ORDER_CAN=1

setting_row() { printf '\t%s\n' "$1"; }
setting_can() {
	local loops=(/dev/loop[0-9]*) why
	lab_need server fio fio
	why=$("$TP_BIN/diskorder" "${loops[0]}" -t 1ms 2>&1 >/dev/null) && return
	ORDER_CAN=0
	ABSENT+=("the order of requests: ${why#diskorder: }")
}

# Of the schedulers that were asked for, those that a loop device offers: it offers all that the kernel has.
exp_find() {
	local file name offered='' here=()
	for file in /sys/block/loop*/queue/scheduler; do offered=$(tr -d '[]' <"$file"); break; done
	for name in $(tr , ' ' <<<"${SCHEDULERS:-none,${offered// /,}}"); do
		if [[ " ${here[*]-} " == *" $name "* ]]; then :
		elif [[ " $offered " == *" $name "* ]]; then here+=("$name")
		else ABSENT+=("scheduler $name: this kernel does not offer it (it offers ${offered:-none})"); fi
	done
	[ "${#here[@]}" -gt 0 ] || die "-$EXIT_MISSING" "none of these schedulers is here: ${ABSENT[0]}"
	SCHEDULERS=$(IFS=,; echo "${here[*]}")
}

exp_before_cells() {
	session_first
	lab_disk_takes "$TAKES" || die "-$EXIT_MISSING" "the disk cannot be told to take $TAKES requests at a time: $LAB_WHY"
}

setting_begin() {
	disk_slow || return
	# A scheduler is to know that the disk has one head: a file system in user space does not say so.
	[[ $DISK != slow:* ]] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}" 1 || return
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}" "$1" || return
	fio_begin "$2" --ioengine=psync --iodepth=1 --thread --numjobs="$DEPTH" || return
	[ "$ORDER_CAN" = 1 ] || return 0
	outside_start order "$TP_BIN/diskorder" "$LAB_DISK_DEVICE" --load fio -t 1d --format json
	ORDER=$LAB_PID
	is_ready order 10 "the order of requests cannot be watched"
}
setting_end() {
	if [ -n "$ORDER" ]; then
		kill -TERM "$ORDER" 2>/dev/null
		lab_stop_within 10 "$ORDER"
		keep_report order "$2"
	fi
	fio_end "$2"
	[ -z "$ORDER" ] || FACTS=$(jq -c --argjson facts "${FACTS:-{\}}" '.result | $facts + {in_device_p90, waiting_mean, tau,
		overtaken_percent, passed_percent: .others.passed_percent, session_wait_ms: .others.wait_ms.p50,
		load_wait_ms: .load.wait_ms.p50}' "$2/order.json" 2>/dev/null) || FACTS='{}'
	ORDER=''
}
setting_away() {
	disk_fast
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}"
	[[ $DISK != slow:* ]] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}"
}
