# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - iosched: the session is replayed beside a heavy load of its disk: many threads of fio, each waiting for a read of 32 KB
# at a random place. The device takes few of these at a time, so that the others wait in front of it, where the scheduler puts them
# and the session's in order. perf writes down the events of the block layer, order.awk tells in which.
. "$TP_HOME/kits/replay/experiments/families/replays.sh"
ON_DISK=1 ORDER='' ORDER_CAN=1

setting_row() { printf '\t%s\n' "$1"; }
# perf_of DISK FILE: the words that write down the events of a disk's requests, and say "ready"; a file system with the events'
# formats is mounted for perf alone.
perf_of() {
	local event filter
	filter=$(lab_query server stat -c '%t %T' "$1")
	[[ $filter =~ ^([0-9a-f]{1,8})\ ([0-9a-f]{1,8})$ ]] && filter="dev == $((0x${BASH_REMATCH[1]} << 20 | 0x${BASH_REMATCH[2]}))"
	PERF=(unshare --mount perf record --quiet --no-buildid --no-buildid-cache --all-cpus --clockid monotonic --mmap-pages 4M
		--output "$2")
	for event in bio_queue rq_issue rq_complete; do PERF+=(--event "block:block_$event" --filter "$filter"); done
	PERF+=(-- setpriv --pdeathsig KILL sh -c 'echo ready >&2; [ -z "$0" ] || exec sleep infinity')
}
setting_check() {
	disk_is_own || return 0
	! plan_given takes || exp_bad "--takes with --disk file over ssh: the server's own disk takes what it takes; omit --takes"
	TAKES=''
}
setting_can() {
	local why
	must lab_need server fio fio
	[ "$(lab_query server id -u)" = 0 ] || die "-$EXIT_MISSING" "only root may change the scheduler of a disk${LAB_AT_server-}"
	! disk_is_own || ABSENT+=("a number of requests that the disk takes at a time: the server's own takes what it takes")
	perf_of "$(lab_query server sh -c 'set -- /dev/loop[0-9]*; [ -b "$1" ] || set -- /dev/[vsn][dv]*; echo "$1"')" /dev/null
	why=$(outside_exec "${PERF[@]}" '' 2>&1 >/dev/null) && return
	ORDER_CAN=0
	ABSENT+=("the order of requests: ${why%%$'\n'*}")
}

# Of the schedulers that were asked for, those that a loop device offers: it offers all that the kernel has.
exp_find() {
	local name offered='' here=()
	offered=$(lab_query server sh -c 'cat /sys/block/loop*/queue/scheduler || cat /sys/block/*/queue/scheduler' 2>/dev/null |
		tr -d '[]' | awk 'NF > most { most = NF; line = $0 } END { print line }')
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
	disk_is_own || lab_disk_takes "$TAKES" ||
		die "-$EXIT_MISSING" "the disk cannot be told to take $TAKES requests at a time: $LAB_WHY"
}

setting_begin() {
	disk_slow || return
	# A scheduler is to know that the disk has one head: a file system in user space does not say so.
	[[ $DISK != slow:* ]] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}" 1 || return
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}" "$1" || return
	fio_begin "$2" --ioengine=psync --iodepth=1 --thread --numjobs="$DEPTH" || return
	[ "$ORDER_CAN" = 1 ] || return 0
	perf_of "$LAB_DISK_DEVICE" "$2/order.data"
	outside_start order "${PERF[@]}" on
	ORDER=$LAB_PID
	is_ready order 10 "the order of requests cannot be watched"
}
# order_of FILE: the figures of the order, as JSON.
order_of() {
	local order sums
	order=$(outside_exec unshare --mount perf script --input "$1" --ns --fields comm,time,event,trace 2>/dev/null |
		LC_ALL=C awk -v job=fio -f "$EXP_DIR/order.awk")
	sums=$(jq -r 'to_entries[] | select(.value | type == "array") | "\(.key)\t\(.value[])"' <<<"$order" |
		"$TP_BIN/summarize" - --values 0.5,0.9 --json) &&
		jq -c --argjson sums "$sums" '($sums.result.groups | map({key: .group, value: .}) | from_entries) as $of
			| {requests, in_device_p90: $of.in_device.p90, waiting_mean, tau, overtaken_percent, passed_percent,
				session_wait_ms: $of.session_wait_ms.p50, load_wait_ms: $of.load_wait_ms.p50}' <<<"$order"
}
setting_end() {
	if [ -n "$ORDER" ]; then
		lab_stop_within 10 "$ORDER"
		order_of "$2/order.data" >"$2/order.json"
		outside_exec rm -f "$2/order.data"
	fi
	fio_end "$2"
	# (without an order that can be read, what fio said stays)
	[ -z "$ORDER" ] || [ ! -s "$2/order.json" ] ||
		FACTS=$(jq -c --argjson facts "${FACTS:-{\}}" '$facts + del(.requests)' "$2/order.json")
	ORDER=''
}
setting_away() {
	disk_fast
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}"
	[[ $DISK != slow:* ]] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}"
}
