#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The protocols experiment without its hosts: options, cells, scripts, the comparison of pictures, and the report of a run made by hand
# (golden/make_protocols.py) whose figures follow from the table of the paper.

bats_require_minimum_version 1.5.0

setup_file() {
	local top
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	python3 "$top/tests/golden/make_protocols.py" "$BATS_FILE_TMPDIR/run"
	"$top/report/report.sh" "$BATS_FILE_TMPDIR/run" >/dev/null
}

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

driver() { "$TOP/experiments/protocols.sh" --options-only "$@"; }
# The driver's functions without its run, behind the words given, which may set what it reads.
functions() {
	sed '/^# The run ---/,$d; /^\. .*\/lab\/home.sh"/d; /^\. "\$TP_HOME\/experiments\/lib.sh"/d' "$TOP/experiments/protocols.sh" >functions.sh
	TP_HOME=$TOP bash -c '. "$TP_HOME/lab/lib.sh"; . <(sed -n "/^shuffled()/,/^}/p" "$TP_HOME/experiments/lib.sh"); . ./functions.sh; SEED=1 QUICK=0; eval "$1"' bash "$1"
}
row() { awk -F'\t' -v protocol="$1" -v what="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["protocol"] == protocol && $at["what"] == what { print $at[name] }' run/summary.tsv; }
near() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= by && -d <= by) }' || { echo "$1 is not $2"; return 1; }; }
hand_made() { cp -r "$BATS_FILE_TMPDIR/run" run; }

@test "what cannot be asked for is refused before anything is installed or started" {
	for words in "--protocol nosuch" "--protocol null" "--protocol vnc:refecho" "--protocol vnc:nosuch" "--protocol x11,x11" "--work nosuch" "--work text,text" "--keys 5" "--idle 0" "--repeat 0" "--link fast" "--seed x" "--nonsense" "--resume nowhere"; do
		# shellcheck disable=SC2086 # words
		run -2 driver $words
		echo "$words: $output"
		[ "${#lines[@]}" = 1 ]
		[[ ${lines[0]} == *:* ]]
	done
	# a run that had keys only goes on
	mkdir -p keys
	echo '{"experiment": "protocols", "settings": {"protocols": ["vnc"], "works": [], "keys": 20, "idle_seconds": 1, "repeats": 1, "seed": 1, "link": "10Mbit", "quick": true}}' >keys/run.json
	driver --resume keys
	driver --protocol x11,vnc:viewer --work text --keys 20 --idle 1 --repeat 2 --quick --link 10Mbit,5ms --queue 20ms --keep-captures
}

@test "cells: a session for each protocol, graphical work where there is a view; in a repeat the session comes first, then its work" {
	functions 'PROTOCOL_LIST=x11,vnc,vnc:viewer; choose_cells; printf "%s\n" "${CELLS[@]}"' >cells
	cat cells
	[ "$(paste -sd ';' cells)" = "x11 session;x11 text;x11 draw;x11 browse;vnc session;vnc:viewer session;vnc:viewer text;vnc:viewer draw;vnc:viewer browse" ]
	functions 'PROTOCOL_LIST=x11,vnc:viewer REPEATS=2; choose_cells; exp_order' >order
	cat order
	[ "$(wc -l <order)" = 16 ]
	[ "$(sort order | uniq -d)" = "" ]
	# each protocol in one piece, its session before its work
	awk '{ split($1, p, "."); if ($3 p[1] != was) { if (p[2] != "session" || seen[$3 p[1]]++) exit 1 } was = $3 p[1] }' order
	functions 'PROTOCOL_LIST=x11,vnc:viewer REPEATS=2; choose_cells; exp_order' | cmp - order
	[ "$(functions 'PROTOCOL_LIST=vnc:viewer; choose_cells; exp_words 0 vnc-viewer.draw')" = "vnc:viewer: drawing" ]
}

@test "scripts: each is read whole by keyrepeat, and its quick part is the beginning of it" {
	for work in text draw browse; do
		"$TOP/bin/keyrepeat" null: --script "$TOP/data/work/$work.script" -t 3ms --skip 0 --format json >report.json
		functions "script_of $work" >full
		functions "QUICK=1; script_of $work" >quick
		[ "$(wc -l <quick)" -gt 8 ]
		[ "$(wc -l <quick)" -lt "$(wc -l <full)" ]
		head -n "$(wc -l <quick)" full | cmp - quick
	done
	# what is told of them: typed letters are keys, ways in time are long
	mkdir -p data/work
	printf '# x\n10 move 1,1\n20 move 5,5 over 100\n5 button 1 click\n70 type 50 a b\n100 ctrl+s\n# --quick ends here\n1000 a\n' >data/work/trial.script
	[ "$(functions "TP_HOME=$PWD WORKS=trial QUICK=1; scripts_json")" = '[{"work":"trial","keys":4,"moves":2,"buttons":1,"seconds":0.4}]' ]
}

@test "pictures: the share of pixels that differ in a colour by more than the steps" {
	command -v convert >/dev/null || skip "ImageMagick is not installed"
	# 100 x 10, of which 30 pixels differ by 100 of 255 in blue, 20 by 40
	awk 'BEGIN { print "P3 100 10 255"; for (i = 0; i < 1000; i++) print 10, 20, 30 }' | convert ppm:- a.png
	awk 'BEGIN { print "P3 100 10 255"; for (i = 0; i < 1000; i++) print 10, 20, (i < 30 ? 130 : i < 50 ? 70 : 30) }' | convert ppm:- b.png
	near "$(functions 'picture_differs a.png b.png')" 3 0.001
	near "$(functions 'STEPS=30; picture_differs a.png b.png')" 5 0.001
	near "$(functions 'picture_differs a.png a.png')" 0 0.001
	[ -z "$(functions 'picture_differs a.png nothing.png')" ]
	"$TOP/experiments/pictures.sh" "$BATS_TEST_TMPDIR"
	[ "$(convert canvas.png -format '%wx%h' info:)" = 640x400 ]
}

@test "pictures: what most have is the work; one that stands alone is left out, though it is the one that is held against first" {
	command -v convert >/dev/null || skip "ImageMagick is not installed"
	for p in x11:10 nx:200 rdp:200 xpra:201; do
		mkdir -p "run/cells/${p%:*}.text/1"
		echo '{"state": "complete"}' >"run/cells/${p%:*}.text/1/cell.json"
		convert -size 10x10 "xc:gray(${p#*:})" "run/cells/${p%:*}.text/1/picture.png"
	done
	alike() {
		functions ". <(sed -n '/^put_json()/,/^}/p; /^exp_complete()/,/^}/p' \"\$TP_HOME/experiments/lib.sh\"); RUN=run PROTOCOL_LIST=$1 WORKS=text REPEATS=2; choose_cells; compare_pictures"
		for p in ${1//,/ }; do jq -r '.picture | "\(.reference) \(.same)"' "run/cells/$p.text/1/cell.json"; done | paste -sd ' '
	}
	[ "$(alike nx,x11,rdp,xpra)" = "nx true nx false nx true nx true" ]
	# one against one: remote X has no codec
	[ "$(alike nx,x11)" = "x11 false x11 true" ]
	convert -size 10x10 'xc:gray(100)' run/cells/rdp.text/1/picture.png
	[ "$(alike nx,x11,rdp)" = "x11 false x11 true x11 false" ]
}

@test "the paper's own table comes out: bytes, messages, their mean, and what IP headers cost" {
	hand_made
	for p in "x11 16933170 40142 421.83 4.94" "rdp 2245475 3577 627.75 3.39" "nx 9615786 93506 102.84 19.45"; do
		read -r name bytes messages mean saving <<<"$p"
		near "$(row "$name" all total_ip_bytes)" "$bytes" 0.001
		near "$(row "$name" all total_messages)" "$messages" 0.001
		near "$(row "$name" all mean_message_ip_bytes)" "$mean" 0.011
		near "$(row "$name" all vip_saving_percent)" "$saving" 0.001
	done
	near "$(row x11 all input_ip_bytes)" 2749328 0.001
	near "$(row x11 text total_ip_bytes)" "$((2749328 / 4 + 14183842 / 4))" 0.001
	# Student's t over three repeats, 2 degrees of freedom: 4.302653; sd 900 in a work
	near "$(row x11 text total_wire_bytes)" "$((2749328 / 4 + 14183842 / 4 + 14 * (41819 / 4)))" 0.01
	near "$(awk -v h="$(row x11 text total_wire_bytes_high)" -v m="$(row x11 text total_wire_bytes)" 'BEGIN { print h - m }')" "$(awk 'BEGIN { print 4.302653 * 900 / sqrt(3) }')" 0.02
	near "$(row x11 text input_wire_bytes_low)" "$(row x11 text input_wire_bytes)" 0.01
	near "$(row x11 text ethernet_percent)" "$(awk 'BEGIN { p = 14 * int(41819 / 4); print 100 * p / (int(2749328 / 4) + int(14183842 / 4) + p) }')" 0.01
}

@test "set-up, idling and a key: whole, by the minute, by the key" {
	hand_made
	near "$(row rdp setup total_wire_bytes)" "$((4 * 5000 + 30 * 14))" 0.01
	near "$(row x11 window total_wire_bytes)" "$((2 * 50000 + 10 * 14))" 0.01
	[ -z "$(row ssh window state)" ]
	# 500 bytes and 2 packets in 20 s
	near "$(row xpra idle total_wire_bytes)" "$((3 * (500 + 28)))" 0.01
	near "$(row x11 idle total_wire_bytes)" 0 0.001
	near "$(row x11 key input_wire_bytes)" "$((2 * 66 + 64))" 0.01
	near "$(row x11 key display_payload_bytes)" 60 0.01
	near "$(row x11 key total_packets)" 4 0.01
	near "$(row x11 key total_acks)" 1 0.01
	near "$(row rdp key tls_percent)" "$(awk 'BEGIN { print 100 * 15 / (2 * 66 + 54 + 2 * 66 + 98) }')" 0.01
}

@test "work that was another is in no figure; what failed is counted; nothing of either is in all" {
	hand_made
	[ "$(row xpra text state) $(row xpra text repeats) $(row xpra text failed)" = "complete 2 1" ]
	[ "$(row xpra draw state) $(row xpra draw repeats) $(row xpra draw different)" = "complete 2 1" ]
	near "$(row xpra draw differs_percent)" 3.5 0.0001
	# the second repeat, of 900 more, is left out
	near "$(awk -v m="$(row xpra draw total_wire_bytes)" -v t="$(row xpra text total_wire_bytes)" 'BEGIN { print m - t }')" -450 0.01
	[ "$(row xpra browse state) $(row xpra browse repeats) $(row xpra browse different)" = "different 3 3" ]
	[ "$(row xpra all state) $(row xpra all failed)" = "failed 3" ]
	[ "$(row nx draw marked)" = 1 ]
	[ -z "$(row ssh text state)" ]
	# all cells complete but one
	run -3 "$TOP/bin/summarize" --format tsv run
	grep -q $'cells_complete\t50' <<<"$output"
	grep -q $'cells_failed\t1' <<<"$output"
}

@test "findings, table and page say so" {
	hand_made
	"$TOP/report/findings.sh" run >findings
	"$TOP/report/table.sh" run >table
	cat findings table
	grep -q 'takes least over rdp 2.30 MB, nx 10.9 MB (4.8 times), x11 17.5 MB (7.6 times)' findings
	grep -q 'here it takes 13 % and 23 % of those of NX, which stands where LBX stood; NX takes 57 % of X (LBX: 57 %)' findings
	grep -q '103 bytes (nx) to 628 (rdp)' findings
	grep -q 'without IP headers work would take 3.4 % (rdp) to 19.5 % (nx) less' findings
	grep -q 'nx 288 (148 + 140; payload 16 + 8), ssh 352' findings
	grep -q 'nx 4.0 (1.0), ssh 4.0 (1.0), x11 4.0 (1.0), rdp 4.0 (1.0)' findings
	grep -q '^8. Press and release go as a message each over nx, ssh, x11, rdp and xpra.' findings
	grep -q 'Of a key, headers of TLS records are 15 bytes over rdp;' findings
	grep -q 'nothing over x11, rdp, nx and ssh; xpra 1.6 KB' findings
	grep -q 'Keys only over ssh' findings
	grep -q 'Did not do the same work.*xpra, drawing: in 1 of 3 repeats (up to 3.5 % of the pixels differ); xpra, looking at pages: always' findings
	grep -q 'Not on this machine: spice' findings
	grep -q "^Others had much of the server's CPU meanwhile, so that updates may have come together: nx, drawing.$" findings
	grep -Eq '^ xpra .*[0-9][*] ' table
	grep -Eq '^ ssh +12 +0.0 +168 +184$' table
	for f in work key; do
		[ -s "run/figures/$f.svg" ]
		grep -q "id=\"figure-$f\"" run/report.html
	done
	grep -q '^| rdp | 2,245,475 | 2,169,435 | 3.39 |' run/report.md
	grep -q '^| x11 | 0.00 | 0.00 | 0.00 |' run/report.md
	grep -q 'xpra, editing a text: 1 repeat not measured' run/report.md
	if grep -E '(src|href)="http' run/report.html; then return 1; fi
	# again from the samples, the same
	cp run/summary.tsv before
	"$TOP/report/report.sh" run
	cmp before run/summary.tsv
}

@test "a run of keys only, one of which nothing came, and names that lead out of the folder" {
	hand_made
	jq '.settings.works = [] | .settings.cells |= map(select(.part == "session"))' run/run.json >new && mv new run/run.json
	"$TOP/report/report.sh" run
	[ ! -s run/figures/work.svg ] || ! grep -q 'editing a text' run/figures/work.svg
	"$TOP/report/findings.sh" run | grep -q '^1. A key in vim'
	rm -rf run
	hand_made
	jq '.settings.works = ["text"] | .settings.cells |= map(select(.part == "session" or .part == "text"))' run/run.json >new && mv new run/run.json
	"$TOP/report/report.sh" run
	"$TOP/report/findings.sh" run | grep -q '^1. The same work (editing a text) takes least over rdp '
	jq '.settings.cells[0].cell = "../../etc"' run/run.json >new && mv new run/run.json
	run -1 "$TOP/bin/summarize" run
	[[ $output == *"settings.cells cannot be read"* ]]
	rm -rf run
	hand_made
	find run/cells -name cell.json -exec sed -i 's/"complete"/"failed"/' {} +
	"$TOP/bin/summarize" run >/dev/null 2>err || status=$?
	[ "$status" = 1 ]
	"$TOP/report/findings.sh" run | grep -q 'there is nothing to say yet\|Not measured'
}
