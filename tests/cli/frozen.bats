#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Displays that do not answer: no program waits for one without an end, and a stop signal ends it.

bats_require_minimum_version 1.5.0
load helpers

# what each program is asked to do at such a display
calls() {
	printf '%s\n' "animate -d $DISPLAY -t 300ms" "animate count -d $DISPLAY -t 300ms --wait 1s" \
		"keyrepeat x11:$DISPLAY -r 20 -t 1s" "refecho --display $DISPLAY"
}

@test "a display that is stopped: each program ends by itself, with one line that names it" {
	local call n waiting=()

	start_x
	kill -STOP "$server"
	while read -r call; do
		# shellcheck disable=SC2086  # words
		start "call${#waiting[@]}" "$BIN"/$call
		waiting+=("$pid")
	done < <(calls)
	[ "${#waiting[@]}" = 4 ]
	for n in "${!waiting[@]}"; do
		ends "${waiting[n]}"
		cat "call$n.out" "call$n.err" | tee said
		[ "$status" = 1 ]
		[ "$(wc -l <said)" = 1 ]
		grep -qF "display $DISPLAY does not answer" said
	done
}

@test "a display that is stopped: SIGTERM ends the wait for it" {
	local call

	start_x
	kill -STOP "$server"
	while read -r call; do
		# shellcheck disable=SC2086
		start waiting "$BIN"/$call
		until_true grep -qz "^$BIN/${call%% *}" "/proc/$pid/cmdline"
		until_true grep -q $'^SigCgt:\t.*4...$' "/proc/$pid/status"	# SIGTERM is caught
		kill "$pid"
		ends "$pid"
		[ "$status" -ne 0 ]
	done < <(calls)
}

@test "a display that stops while it is used: animate and refecho end at SIGTERM" {
	start_x
	start shown "$BIN/animate" -d "$DISPLAY" -t 60s --geometry 200x200
	shown=$pid
	start_refecho --display "$DISPLAY"
	until_true grep -q ready shown.err
	kill -STOP "$server"
	kill "$shown" "$refecho"
	ends "$shown"
	[ "$status" -ne 0 ]
	ends "$refecho"
}

@test "a display that is cut off while a program makes itself ready: that is the reason, and no other" {
	local call n lost cut=()

	need strace
	start_x
	for n in 1 9 10 11 12 14; do
		lost="strace -f -qq -o trace -e trace=recvmsg -e inject=recvmsg:error=ECONNRESET:when=$n+"
		while read -r call; do
			# shellcheck disable=SC2086
			run timeout 60 $lost "$BIN"/$call
			echo "$n, $call: $status $output"
			[ -s trace ] || skip "strace cannot be used here"
			[[ $status = 0 || ($output == *display* && $output != *@(XTEST|DAMAGE|XKB|symbol|memory)*) ]]
			[ "$status" = 0 ] || cut+=("$n ${call%% *}")
		done < <(calls | grep -v refecho)
	done
	# the first answer, at which each of the three connects; and some later ones
	[ "$(printf '%s\n' "${cut[@]}" | grep -c '^1 ')" = 3 ]
	[ "${#cut[@]}" -ge 6 ]
}
