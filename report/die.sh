# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# die.sh - the end of a command of the front door that cannot go on. Sourced; COMMAND is the name that errors begin with.

die() {	# die STATUS WORDS
	printf 'thinprobe: %s%s\n' "${COMMAND:+$COMMAND: }" "${*:2}" >&2
	exit "$1"
}
