# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# calibration.sh - the record of this machine's last calibration: its place, and whether it is of this machine.
# LAB_CALIBRATION_OF: calibration_machine of a client that ssh reaches; the record is then that machine's, and kept here.
#
# One JSON object (schema thinprobe.calibration/1) in the user's state folder, or in THINPROBE_STATE. Every run has a copy of it.

calibration_file() {
	printf '%s/calibration%s.json\n' "${THINPROBE_STATE:-${XDG_STATE_HOME:-${HOME:-/nonexistent}/.local/state}/thinprobe}" \
		"${LAB_CALIBRATION_OF:+-$LAB_CALIBRATION_OF}"
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

# Prints the record as one line of JSON; null if there is none, or it is of another machine.
calibration_record() {
	jq -c --arg machine "${LAB_CALIBRATION_OF:-$(calibration_machine)}" '
		if .schema == "thinprobe.calibration/1" and .machine == $machine then . else null end' \
		"$(calibration_file)" 2>/dev/null | grep . || echo null
}

# calibration_merge: reads the result of a calibration (`thinprobe report --record`), and prints the new record. A path that was not
# measured keeps its entry; so does a path with a full, undisturbed calibration if the new one is quick or disturbed.
calibration_merge() {
	jq -c --argjson old "$(calibration_record)" --arg machine "${LAB_CALIBRATION_OF:-$(calibration_machine)}" '
		def full: .quick != true and .disturbed != true;
		(reduce ($old.paths // [])[] as $path ({}; .[$path.path] = (.[$path.path] // false or ($path | full)))) as $known
		| [.paths[] | select(full or $known[.path] != true)] as $taken
		| if $taken == [] then $old else
			.machine = $machine
			| .paths = ([$old.paths // [] | .[] | select(.path | IN($taken[].path) | not) | .started //= $old.started] + $taken) end'
}

# calibration_save: replaces the record with standard input, atomically.
calibration_save() {
	local file new
	file=$(calibration_file)
	mkdir -p -- "${file%/*}" 2>/dev/null && new=$(mktemp "$file.XXXXXX" 2>/dev/null) || return
	cat >"$new" 2>/dev/null && jq -e .schema "$new" >/dev/null 2>&1 && chmod +r "$new" && sync "$new" && mv -- "$new" "$file" &&
		return
	rm -f -- "$new"
	return 1
}

# calibration_add: merges the result of a calibration, on standard input, into the record, and prints it. A lock makes sure that of
# two calibrations that end together none is lost. In a subshell, whose end releases the lock. (It is held for a sync, which takes
# seconds on a busy disk.)
calibration_add() (
	file=$(calibration_file)
	mkdir -p -- "${file%/*}" 2>/dev/null && { exec {lock}<>"${file%/*}/.lock"; } 2>/dev/null && flock -w 300 "$lock" || exit
	record=$(calibration_merge)
	printf '%s\n' "$record"
	calibration_save <<<"$record" {lock}<&-
)
