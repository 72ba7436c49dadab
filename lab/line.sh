# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# line.sh - whole lines from a pipe, within a time, and the clock of such waits.

# read_line SECONDS FD: sets LINE to the next line; 1 if none came in time. If `read` times out in the middle of a line, the part
# that it has read is kept for the next call. (Who never ends a line gets it ended.)
declare -gA LINE_BEGUN=()
read_line() {
	if IFS= read -r -t "$1" -u "$2" LINE; then
		LINE=${LINE_BEGUN[$2]-}$LINE
		unset "LINE_BEGUN[$2]"
		return 0
	fi
	LINE=${LINE_BEGUN[$2]-}$LINE LINE_BEGUN[$2]=''
	[ "${#LINE}" -le 16384 ] || return 0
	LINE_BEGUN[$2]=$LINE
	return 1
}

# now_ms: sets NOW_MS, to 10 ms, since the machine started (a step of the wall clock neither ends a wait nor makes it longer); for
# deadlines, never for a measurement.
now_ms() {
	local up
	read -r up _ </proc/uptime
	NOW_MS=$((10#${up/./}0))
}
now_s() { now_ms; NOW_S=$((NOW_MS / 1000)); }	# the same in NOW_S, for budgets
