#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The front door: help by question, lists, names that were nearly right.

bats_require_minimum_version 1.5.0

setup() {
	export TOP=${BATS_TEST_DIRNAME%/tests/cli}
	TOOLS=$(sed -n 's/^TOOLS = //p' "$TOP/Makefile")
	EXPERIMENTS=$(cd "$TOP/experiments" && printf '%s\n' */plan | sed 's,/plan,,')
	cd "$BATS_TEST_TMPDIR" || return 1
}

thinprobe() { "$TOP/thinprobe" "$@"; }

narrow() { [ -z "$(awk 'length > 80' <<<"$output")" ]; }	# what `run` caught fits a terminal

@test "the first screen fits a terminal, and the experiments that it shows take their options" {
	run -0 thinprobe --help
	narrow
	[ "${#lines[@]}" -le 24 ]
	n=0
	while read -r words; do
		# shellcheck disable=SC2086 # words
		"$TOP/experiments/engine/run.sh" $words --options-only
		n=$((n + 1))
	done < <(grep -oE 'thinprobe run .*' <<<"$output" | sed 's/thinprobe run //')
	[ "$n" -ge 3 ]
	for word in demo doctor list tools help; do grep -q "thinprobe $word" <<<"$output"; done
	run -2 thinprobe
	run -0 thinprobe help
}

@test "every command has help of its own, and help NAME is the same" {
	local command
	thinprobe --help >front
	for command in setup check doctor run report calibrate list tools new lab; do
		run -0 thinprobe "$command" --help
		[[ ${lines[0]} == "usage: thinprobe $command"* ]]
		thinprobe help "$command" >help
		[ "$output" = "$(cat help)" ]
		run -1 cmp -s front help
	done
	run -0 thinprobe help stalls
	[[ ${lines[0]} == "usage: thinprobe run stalls"* ]]
	narrow
}

@test "help of a program is its manual" {
	command -v man >/dev/null || skip "man is not installed"
	MANPAGER=cat run -0 thinprobe help sink
	[[ $output == *"THINPROBE-SINK(1)"* ]]
	MANPAGER=cat run -0 thinprobe help thinprobe
	[[ $output == *"THINPROBE(1)"* ]]
}

@test "the list has every experiment once, with its question; tools every program; both fit a terminal" {
	local name
	run -0 thinprobe list
	narrow
	for name in $EXPERIMENTS; do [ "$(grep -cE "^  $name +[0-9]+  [A-Z].*[?]$" <<<"$output")" = 1 ]; done
	run -0 thinprobe tools
	narrow
	for name in $TOOLS; do [ "$(grep -c "^  $name  *[a-z]" <<<"$output")" = 1 ]; done
	run -0 thinprobe list --json
	for name in $EXPERIMENTS; do
		jq -e --arg name "$name" 'map(select(.name == $name and (.question | endswith("?")) and .minutes > 0)) | length == 1' \
			<<<"$output"
	done
}

meant() {	# meant NAME WORD...: exit 2, one line that asks for NAME
	local name=$1
	shift
	run --separate-stderr -2 thinprobe "$@"
	echo "$* -> $output $stderr"
	[ "${#stderr_lines[@]}" = 1 ] && [ -z "$output" ] && [[ $stderr == *"did you mean $name?"* ]]
}

@test "a name that is nearly right is asked back" {
	meant run rnu
	meant sink snik
	meant "run stalls" stalls
	meant stalls run stall
	meant capacity run capac
	meant stalls help stals
	meant vnc setup --protocol vmc
	meant --protocol setup --protocl vnc
	meant desktop setup --app dekstop
	meant --papers list --paper
	meant --seconds run stalls --secnods 3
	meant spice run wan --protocol spcie
	meant cpu-idle run schedulers --settings cpu-idel
}

@test "a name that is nothing like any other gets no guess" {
	local words
	for words in "bogus" "run nothinglike" "help nothinglike" "run stalls --colour-of-the-sky" "setup --protocol telepathy"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -2 thinprobe $words
		[ "${#stderr_lines[@]}" = 1 ] && [[ $stderr != *"did you mean"* ]]
	done
}
