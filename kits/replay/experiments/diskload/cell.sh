# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - diskload: while the session is replayed, others read from its disk: fio, 32 KB at random places, so many times a
# second. The page cache would hide the disk, so it is empty when a replay begins; and one of today's disks would not notice
# such a load (--disk file), so this one takes a stated time for each read and write, one after the other.
. "$TP_HOME/kits/replay/experiments/families/replays.sh"
ON_DISK=1 DISK_CURE='; --disk file does not'

setting_row() { printf '%s\t%s\n' "$1" "$([ "$1" = 0 ] && echo "no other reads" || echo "$1 reads a second")"; }
setting_can() { must lab_need server fio fio; }
setting_begin() {
	disk_slow || return
	[ "$1" = 0 ] || fio_rate "$2" "$1"
}
setting_end() { fio_end "$2"; }
setting_away() { disk_fast; }
