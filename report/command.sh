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
