# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# command.sh - what commands of the front door share. Sourced; COMMAND is the name that errors begin with, `usage` their help.

. "${BASH_SOURCE[0]%/*}/../lab/nearest.sh"
. "${BASH_SOURCE[0]%/*}/../lab/words.sh"

die() {	# die STATUS WORDS
	printf 'thinprobe: %s%s\n' "${COMMAND:+$COMMAND: }" "${*:2}" >&2
	exit "$1"
}
bad() { die 2 "$* (see thinprobe ${COMMAND:-report} --help)"; }
usage() { printf '%s\n' "$usage"; }

need() {	# need COMMAND PACKAGE
	command -v "$1" >/dev/null || die 4 "$1 is missing; install it with: apt-get install --no-install-recommends $2"
}

is_run() {	# is_run FOLDER: dies where it is no run folder
	[ ! -f "$1/ab.json" ] || die 1 "$1: a comparison; its runs are $1/a and $1/b"
	[ -f "$1/run.json" ] || die 1 "$1: not a run folder (it has no run.json)"
	jq -e '(.experiment | type == "string") and (.cells | type == "array" and . != [])' "$1/run.json" >/dev/null 2>&1 ||
		die 1 "$1: its run.json cannot be read, or has no condition"
}
