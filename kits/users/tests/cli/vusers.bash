# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# vusers - runs of vusers, and what their reports hold.

users() {	# options...: $status, report.json
	status=0
	timeout 60 "$VUSERS" "$at" --format json -o report.json "$@" 2>users.err || status=$?
	cat users.err
}

holds() {	# jq filter on .result
	jq -c .result report.json
	[ "$(jq ".result | $1" report.json)" = true ]
}

column() {	# file name
	awk -F'\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[name] }' "$1"
}

# The log of the application has so many keys.
has_keys() { [ "$(keys_in "$1")" = "$2" ]; }	# file n

# Status of a run without loss: 0, and 3 where the machine held the generator up, so that the run is not valid.
measured() { [ "$status" = "$(jq 'if .result.valid then 0 else 3 end' report.json)" ]; }
