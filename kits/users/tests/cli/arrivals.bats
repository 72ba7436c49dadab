#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# arrivals beside other programs: captures by prototap's rows, and a terminal. (All else: kits/users/tests/analysis.)

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	ARRIVALS=$BIN/arrivals
}

@test "arrivals: reads a capture in one command, with the updates of the golden capture" {
	need jq python3
	local golden=$BATS_TEST_DIRNAME/../../../../tests/golden n mean sd

	python3 "$golden/make_captures.py" "$PWD"
	"$BIN/prototap" read updates.pcap --port 5900 --merge 5ms --rows - -o /dev/null |
		"$ARRIVALS" - --where kind=update --format json -o out.json
	# when they were sent stands in make_captures.py
	echo 100 109.999 119.999 170 175 182 189 196 203 210 217 224 231 300 |
		awk '{ for (i = 2; i <= NF; i++) { g[i] = $i - $(i - 1); s += g[i] }
		m = s / (NF - 1); for (i = 2; i <= NF; i++) q += (g[i] - m)^2; print NF, m, sqrt(q / (NF - 2)) }' >awk.out
	read -r n mean sd <awk.out
	jq -e --argjson n "$n" --argjson m "$mean" --argjson s "$sd" '.result | .arrivals == $n
		and (.mean_ms - $m | fabs) < 1e-3 and (.sd_ms - $s | fabs) < 2e-3' out.json
}

# On a terminal only: a file or a pipe has what another reader makes of it.
@test "arrivals: lines fit a terminal of under 80 columns, by its size or by COLUMNS" {
	need script
	arrivals() { script -qc "$1 '$BIN/arrivals' --sample 300" /dev/null </dev/null | tr -d '\r' >out; }
	widest() { awk 'length > most { most = length } END { print most }' out; }
	unset COLUMNS
	arrivals "stty cols 40;"
	[ "$(widest)" -le 40 ]
	arrivals "stty cols 200;"
	[ "$(widest)" -gt 60 ]
	[ "$(widest)" -le 80 ]
	arrivals "stty cols 200; COLUMNS=50"
	[ "$(widest)" -le 50 ]
	COLUMNS=40 "$BIN/arrivals" --sample 300 >out
	[ "$(widest)" -gt 60 ]
}
