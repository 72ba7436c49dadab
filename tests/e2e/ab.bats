#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# ab: a comparison in turns of a server with one that answers later. Beside other work it rightly says "too noisy".
# bats file_tags=all,alone:machine

bats_require_minimum_version 1.5.0
load ../cli/helpers

# refecho answers after what it is told: the truth is known, and no display is needed.
@test "ab: blocks of both variants in turns, a start after the other; the one that costs more is worse" {
	need jq cmark-gfm gnuplot
	busy_begin
	run "$TOP/thinprobe" ab stalls --protocol vnc:refecho --loads 0 --quick -t 2 --idle 1 --pairs 1 --budget 90s --metrics p50 \
		--a "--cost 5ms" --b "--cost 15ms" -o there
	echo "$output"
	[ "$status" = 5 ] || [ "$status" = 3 ]
	for run in there/{a,b}; do busy_end "$run"; done
	# only one measures at a time: no block begins before the one before has ended
	for file in there/[ab]/cells/*/*/samples.tsv; do
		awk -F'\t' -v file="$file" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ last = $at["due_ns"]; if (!first) first = last }
			END { print first, last, file }' "$file"
	done | sort -n | awk '$1 < end { print "overlap", $0; bad = 1 } { end = $2 } END { exit bad || NR < 6 }'
	[ "$(jq .starts there/ab.json)" -ge 3 ]
	[ -s there/report.html ]
	[ -s there/a/report.html ]
	for run in there/{a,b}; do usable "$run"; done
	jq -e '.result | .blocks >= 6 and (.metrics_decided | length == 1)
		and (.metrics_decided[0] | .metric == "latency_p50_ms" and .b - .a > 5)' there/verdict.json
	run -3 "$TOP/thinprobe" ab --resume there --budget 1s || [ "$status" = 5 ]
}

@test "ab: a client that the emulated host does not reach ends the comparison, and is named" {
	local folder

	need jq vncviewer
	[ "$(id -u)" = 0 ] || skip "needs root"
	folder=$(mktemp -d /var/tmp/ab-test.XXXXXX)
	printf '#!/bin/sh\nexec /usr/bin/vncviewer "$@"\n' >"$folder/vncviewer"
	chmod 755 "$folder/vncviewer"
	chown 12345:12345 "$folder"	# (mode 700)
	run "$TOP/thinprobe" ab stalls --protocol vnc:viewer --loads 0 --quick -t 2 --idle 1 --budget 1s --metrics p50 \
		--b-client "$folder/vncviewer" -o there
	rm -rf "$folder"
	echo "$output"
	[ "$status" = 2 ]
	[[ ${lines[-1]} == "thinprobe: the emulated client does not reach $folder/vncviewer: put it "* ]]
	[[ $output != *"start 1"* ]]
}
