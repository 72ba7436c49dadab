#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Zeldovich & Chandra 2005, Figures 11 to 14: total time and response times of a recorded session by the load of its disk
# minutes: 12 (quick 3)
# needs: two CPUs, VNC, root (loop devices, FUSE, overlayfs), fio; thinprobe setup --app desk,fio
# wrong if: response times beside 100 reads a second are those of a disk that rests; total time grows with them
#
# A recorded session is replayed while others read from its disk: fio, 32 KB at random places, so many times a second. All files that the session reads, its
# home included, are on a disk of its own, and none of them is in memory when a replay begins: else the page cache would hide the disk. The disk takes a stated
# time for each read and write, one after the other; one of today's would not notice such a load, which --disk file shows. How a session is recorded and
# replayed, and how the disk is made: replays.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, replays.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=diskload
EXPERIMENT_SAYS="What does it do to a session when others read from its disk: to the time that it takes as a whole, and to each of its responses?"
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/replays.sh"
RATES=0,50,100,200 DISK=slow:4ms ON_DISK=1

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--rates N,...] [--disk slow:TIME|file] [--app A] [--trace FILE|--script FILE] [--repeat R] [--timeout S]
         [--keep-caches] [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --rates N,...     reads of 32 KB a second from the session's disk; others are held against the first ($RATES)
  --disk KIND       slow:TIME, which takes that for each read and write, one after the other; file: that of this machine ($DISK)
$(replays_usage)
END
}

check_options() {
	local rate
	exp_list --rates "$RATES"
	for rate in ${RATES//,/ }; do exp_number --rates "$rate" 0 100000; done
	check_disk
	[ -n "$RESUME" ] || { IFS=, read -ra SETTINGS <<<"$RATES"; BASE=${RATES%%,*}; }
}
more_settings() { jq -cn --arg disk "$DISK" '{disk: $disk, load: "reads of 32 KB at random places, past the page cache"}'; }
read_more_settings() { DISK=$(jq -r .settings.disk "$RESUME/run.json") RATES=$(IFS=,; echo "${SETTINGS[*]}"); }
setting_row() { printf '%s\t%s\n' "$1" "$([ "$1" = 0 ] && echo "no other reads" || echo "$1 reads a second")"; }
choose_settings() { need_fio; }

setting_begin() {
	disk_slow || return
	[ "$1" = 0 ] || fio_begin "$folder" --iodepth=32 --rate_iops="$1" --rate_process=poisson
}
setting_end() { fio_end "$folder"; }
setting_away() { disk_fast; }

replays_options "" "--rates RATES --disk DISK" "$@"
replays_run
