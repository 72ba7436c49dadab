# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - iosched: the session is replayed beside a heavy load of its disk: fio keeps many reads of 32 KB at random places
# waiting all the time. What the scheduler of the block device does with the session's requests among them is the question.
. "$TP_HOME/experiments/engine/replays.sh"
ON_DISK=1

setting_row() { printf '\t%s\n' "$1"; }
setting_can() { lab_need server fio fio; }

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

setting_begin() {
	disk_slow || return
	# A scheduler is to know that the disk has one head: a file system in user space does not say so.
	[[ $DISK != slow:* ]] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}" 1 || return
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}" "$1" || return
	fio_begin "$2" --iodepth="$DEPTH"
}
setting_end() { fio_end "$2"; }
setting_away() {
	disk_fast
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}"
	[[ $DISK != slow:* ]] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}"
}
