# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# vusers - runs of vusers, and what their reports hold.

users() {	# options...: $status, report.json
	status=0
	busy_begin
	timeout 60 "$VUSERS" "$at" --format json -o report.json "$@" 2>users.err || status=$?
	cat users.err
}

holds() {	# jq filter on .result
	[ "$(jq ".result | $1" report.json)" = true ] || { cat report.json; return 1; }
}

column() {	# file name
	awk -F'\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[name] }' "$1"
}

# The log of the application has so many keys.
has_keys() { [ "$(keys_in "$1")" = "$2" ]; }	# file n

# The run is not valid, and others had the machine for as long as a late request waits (--lateness).
disturbed() { [ "$(jq '.result.valid | not' report.json)" = true ] && machine_was_busy 5; }

# The run is not sure, and others had the machine: a server that waits for the CPU may send an answer in two updates.
unsure() { [ "$(jq '.result.why_unsure == null' report.json)" = false ] && machine_was_busy 5; }

# Status of a run without loss: 0, or 3 if it is not valid or not sure and others had the machine.
measured() { if [ "$status" = 3 ]; then disturbed || unsure; else [ "$status" = 0 ] && holds .valid; fi; }
