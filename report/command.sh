# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# command.sh - what commands of the front door share. Sourced; COMMAND is the name that errors begin with, `usage` their help.

. "${BASH_SOURCE[0]%/*}/../lab/words.sh"
. "${BASH_SOURCE[0]%/*}/../lab/room.sh"
. "${BASH_SOURCE[0]%/*}/foreign.sh"
. "${BASH_SOURCE[0]%/*}/decided.sh"

# die STATUS WORDS. Once there is a folder for temporary files, $work, the reason of a failure may be that a disk is full.
die() {
	local full
	[ "$1" != 1 ] || [ -z "${work+there}" ] || ! full=$(name_full_disk ${work:+"${work%/*}"} "${TMPDIR:-/tmp}" ${RUN:+"$RUN"}) ||
		set -- 1 "$full"
	printf 'thinprobe: %s%s\n' "${COMMAND:+$COMMAND: }" "${*:2}" | printable >&2
	exit "$1"
}
bad() { die 2 "$* (see thinprobe ${COMMAND:-report} --help)"; }
usage() { printf '%s\n' "$usage"; }

# work_folder: sets `work`, a new folder for temporary files, which goes with the program.
work_folder() {
	work=$(mktemp -d 2>/dev/null) || die 1 "cannot make a folder in ${TMPDIR:-/tmp}"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
}

# put_file FILE: standard input becomes FILE, whole or not at all; a device, a pipe or a link (/dev/stdout) stays what it is. (In a
# folder for all, another login could have put a link in the place of the new file.)
put_file() {
	local why
	if [ -L "$1" ] || { [ -e "$1" ] && [ ! -f "$1" ]; }; then why=$({ cat >"$1"; } 2>&1) && return
	else why=$({ rm -f -- "$1.new" && set -C && cat >"$1.new" && [ -s "$1.new" ] && mv -f -- "$1.new" "$1"; } 2>&1) && return
		rm -f -- "$1.new"
	fi
	die 1 "$(name_full_disk "$(dirname -- "$1")" || echo "cannot write $1${why:+: ${why##*: }}")"
}

need() {	# need COMMAND PACKAGE
	command -v "$1" >/dev/null || die 4 "$1 is missing; install it with: apt-get install --no-install-recommends $2"
}

# Prints what is wrong with the structure of run.json; nothing if it is valid.
run_shape='def want(ok; $what): if ok then empty else $what end;
	def plain: type | IN("string", "number", "boolean", "null");
	first(want(.started // "" | type == "string"; "started is no text"), want(.state // "" | type == "string"; "state is no text"),
		(.settings // {} | want(type == "object"; "settings is no object"),
			(("repeats", "threshold_ms", "cost_ms") as $name
				| want(.[$name] // 0 | type == "number"; "settings.\($name) is no number")),
			want(.on // "" | type == "string"; "settings.on is no text")),
		(.counts // {} | want(type == "object" and all(.[]; type == "number"); "counts are no numbers")),
		want(.axes // ["any"] | type == "array" and . != [] and all(.[]; type == "string" and test("^[A-Za-z][A-Za-z0-9_]*\\z"));
			"axes names nothing that its cells differ in"),
		(.cells | to_entries[] | "cells[\(.key)]" as $cell | .value
			| want(type == "object"; "\($cell) is no object"), want(.name | type == "string"; "\($cell).name is no text"),
			want(.name | test("^[\\p{L}\\p{N} ._,:+%@=~/-]+\\z") and (split("/") | all(.[]; IN("", ".", "..") | not));
				"\($cell).name is no name of a folder"),	# (of joined runs RUN/NAME)
			want(.parameters | type == "object"; "\($cell).parameters is no object"),
			(.parameters | to_entries[] | .key as $name
				| want(.value | plain or type == "array"; "\($cell).parameters.\($name) is no plain value"))),
		(.cells as $cells | .axes // [] | .[] as $axis | [$cells[].parameters | has($axis)]
			| want(any == all; "cells[\(index(false))].parameters has no \($axis)")))'

has_run() {	# has_run FOLDER: dies where there is no run.json
	[ ! -d "$1" ] || [ -x "$1" ] || die 1 "$1: not a run folder (you may not enter it)"
	[ -f "$1/run.json" ] || die 1 "$1: not a run folder (it has no run.json)"
}

is_run() {	# is_run FOLDER: dies where it is no run folder
	local wrong
	need jq jq
	[ ! -f "$1/ab.json" ] || die 1 "$1: a comparison; its runs are $1/a and $1/b"
	has_run "$1"
	wrong=$(jq -r "if .experiment | type != \"string\" then \"names no experiment\"
		elif .cells | type != \"array\" or . == [] then \"has no condition\"
		else $run_shape end" "$1/run.json" 2>/dev/null) || wrong="cannot be read"
	[ -z "$wrong" ] || die 1 "$1/run.json: $wrong"
	wrong=$(plain_folder "$1")
	[ -z "$wrong" ] || die 1 "$1: no run: $wrong"
}
