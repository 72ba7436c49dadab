# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# calibration.sh - the record of the last calibration of this machine: where it is kept, and of which machine it is.
#
# One JSON object (schema thinprobe.calibration/1) in the user's state folder, or in THINPROBE_STATE. Every run carries it.

calibration_file() {
	printf '%s/calibration.json\n' "${THINPROBE_STATE:-${XDG_STATE_HOME:-${HOME:-/nonexistent}/.local/state}/thinprobe}"
}

# What has to be the same for a calibration to hold: the machine (not its name, which may change), the kernel, the CPU.
calibration_machine() {
	{
		cat /etc/machine-id 2>/dev/null || cat /var/lib/dbus/machine-id 2>/dev/null
		uname -srm
		sed -n 's/^model name[[:space:]]*: *//p' /proc/cpuinfo | head -n 1
		nproc --all
	} | sha256sum | cut -c 1-16
}

# The record as one line of JSON; null where there is none, or none of this machine.
calibration_record() {
	jq -c --arg machine "$(calibration_machine)" '
		if .schema == "thinprobe.calibration/1" and .machine == $machine then . else null end' \
		"$(calibration_file)" 2>/dev/null | grep . || echo null
}

# calibration_merge: standard input is what a calibration found (report/report.sh --record); prints what the
# record is to be then: a path that was not taken keeps what is known of it, and so does one
# measured in full and undisturbed when what was found is quick or disturbed.
calibration_merge() {
	jq -c --argjson old "$(calibration_record)" --arg machine "$(calibration_machine)" '
		def full: .quick != true and .disturbed != true;
		(reduce ($old.paths // [])[] as $path ({}; .[$path.path] = (.[$path.path] // false or ($path | full)))) as $known
		| [.paths[] | select(full or $known[.path] != true)] as $taken
		| if $taken == [] then $old else
			.machine = $machine
			| .paths = ([$old.paths // [] | .[] | select(.path | IN($taken[].path) | not) | .started //= $old.started] + $taken) end'
}

# calibration_save: standard input becomes the record, whole or not at all.
calibration_save() {
	local file new
	file=$(calibration_file)
	mkdir -p -- "${file%/*}" 2>/dev/null && new=$(mktemp "$file.XXXXXX" 2>/dev/null) || return
	cat >"$new" 2>/dev/null && jq -e .schema "$new" >/dev/null 2>&1 && chmod +r "$new" && sync "$new" && mv -- "$new" "$file" &&
		return
	rm -f -- "$new"
	return 1
}

# calibration_add: standard input is what a calibration found; it becomes part of the record, which
# is printed. One at a time: of two that end together neither loses what it found. In a subshell,
# whose end gives up the lock. (It is held for the moment of a sync, which is seconds on a busy disk.)
calibration_add() (
	file=$(calibration_file)
	mkdir -p -- "${file%/*}" 2>/dev/null && { exec {lock}<"${file%/*}"; } 2>/dev/null && flock -w 300 "$lock" || exit
	record=$(calibration_merge)
	printf '%s\n' "$record"
	calibration_save <<<"$record" {lock}<&-
)
