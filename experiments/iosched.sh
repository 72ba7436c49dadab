#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Zeldovich & Chandra 2005, Figures 15 and 16: total time and response times of a recorded session by the scheduler of its disk
# minutes: 12 (quick 3)
# needs: two CPUs, VNC, root (loop devices, FUSE, overlayfs), fio; thinprobe setup --app desk,fio
# wrong if: the load beside one scheduler is not that beside another within a tenth
#
# A recorded session is replayed beside a heavy load of its disk: fio keeps many reads of 32 KB at random places waiting all the time. What the scheduler of the
# block device does with the session's requests among them is the question. The disk is a loop device of this run over a disk that takes a stated time for
# each request, one after the other; all that the session reads is on it, and none of it in memory at the start. How: replays.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, replays.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=iosched
EXPERIMENT_SAYS="What do the disk schedulers of this kernel do for a session whose disk others keep busy?"
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/replays.sh"
SCHEDULERS='' DISK=slow:500us DEPTH=32 ON_DISK=1

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--schedulers S,...] [--depth N] [--disk slow:TIME|file] [--app A] [--trace FILE|--script FILE] [--repeat R]
         [--timeout S] [--keep-caches] [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --schedulers S,.. of the disk's requests; others are held against the first (all that the kernel offers, none first)
  --depth N         so many reads of the load wait at any time ($DEPTH)
  --disk KIND       slow:TIME, which takes that for each read and write, one after the other; file: that of this machine ($DISK)
$(replays_usage)
END
}

check_options() {
	local item
	[ -z "$SCHEDULERS" ] || exp_list --schedulers "$SCHEDULERS"
	for item in ${SCHEDULERS//,/ }; do [[ $item =~ ^[a-z][a-z0-9-]*$ ]] || exp_bad "--schedulers $item: a name such as bfq"; done
	exp_number --depth "$DEPTH" 1 1024
	check_disk
}
more_settings() { jq -cn --arg disk "$DISK" --argjson depth "$DEPTH" '{disk: $disk, depth: $depth, load: "\($depth) reads of 32 KB at random places, waiting at any time, past the page cache"}'; }
read_more_settings() { DISK=$(jq -r .settings.disk "$RESUME/run.json") DEPTH=$(jq -r .settings.depth "$RESUME/run.json"); }
setting_row() { printf '\t%s\n' "$1"; }

# A loop device offers what the kernel has.
choose_settings() {
	local offered item file
	need_fio
	for file in /sys/block/loop*/queue/scheduler; do read -r offered < <(tr -d '[]' <"$file"); break; done
	for item in $(tr , ' ' <<<"${SCHEDULERS:-none $offered}"); do
		[[ " ${SETTINGS[*]-} " != *" $item "* ]] || continue
		if [[ " ${offered-} " == *" $item "* ]]; then SETTINGS+=("$item"); else ABSENT+=("scheduler $item: this kernel does not offer it (it offers ${offered:-none})"); fi
	done
	[ "${#SETTINGS[@]}" -gt 0 ] || die "-$EXIT_MISSING" "none of these schedulers is here: ${ABSENT[0]}"
	BASE=${SETTINGS[0]}
	run_set '.settings.base = $base' --arg base "$BASE"
}

setting_begin() {
	disk_slow || return
	# One head is what a scheduler is to know of: a file system in user space says nothing.
	[ "$DISK_KIND" != slow ] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}" 1 || return
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}" "$1" || return
	fio_begin "$folder" --iodepth="$DEPTH"
}
setting_end() { fio_end "$folder"; }
setting_away() {
	disk_fast
	lab_switch "scheduler:${LAB_DISK_DEVICE##*/}"
	[ "$DISK_KIND" != slow ] || lab_switch "rotational:${LAB_DISK_DEVICE##*/}"
}

replays_options "" "--schedulers SCHEDULERS --depth DEPTH --disk DISK" "$@"
replays_run
