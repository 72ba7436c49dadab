#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Cells, scripts, the comparison of pictures; tables and report of a made-up run (tests/golden/make_protocols.py) whose figures
# follow from the table of the paper; a short run over remote X, compared with tshark.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/figures
load ../../tests/warm

setup() {
	begin_test
	export TP_HOME=$TOP THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	undrawn
}

# functions CODE: runs CODE in a shell that has read the experiment's functions.
functions() {
	bash -c '. "$TP_HOME/lab/lib.sh"; RUN=run QUICK=0 SEED=1 RESUME= late=; declare -A PLAN OPT
		AXES=(protocol part) AXIS=(protocol part)
		. "$TP_HOME/experiments/engine/cells.sh"; . "$TP_HOME/experiments/protocols/cell.sh"
		PLAN[first]=part=session PLAN[group]=protocol
		eval "$1"' bash "$1"
}
row() { field run/summary.tsv "$3" protocol="$1" what="$2"; }	# row PROTOCOL WHAT COLUMN
made_up_run() { once all run made; }
made() { warm "$TOP/tests/golden/make_protocols.py" run && { warm summarize run >/dev/null || [ $? = 3 ]; }; }

@test "protocols: cells: one session cell per protocol, before its works; works only for protocols with a view" {
	local set='PROTOCOLS=x11,vnc,vnc:viewer WORKS=text,draw,browse REPEATS=2; '
	functions "$set exp_cells" | tr '\t' ' ' >cells
	[ "$(paste -sd ';' cells)" = \
		"x11 session;x11 text;x11 draw;x11 browse;vnc session;vnc:viewer session;vnc:viewer text;vnc:viewer draw;vnc:viewer browse" ]
	functions "$set cells_choose"'
		cells_order | while read -r n repeat _; do cell_use "$n"; echo "$repeat ${P[protocol]} ${P[part]}"; done' >order
	cat order
	[ "$(wc -l <order)" = 18 ]
	[ -z "$(sort order | uniq -d)" ]
	# the cells of a protocol follow each other, the session first
	awk '{ if ($1 $2 != was) { if ($3 != "session" || seen[$1 $2]++) exit 1 } was = $1 $2 }' order
	[ "$(functions 'P[protocol]=vnc:viewer P[part]=draw; exp_words')" = "vnc:viewer: drawing" ]
}

@test "protocols: one without a view does no work: it is named at the start and in the verdict, with a variant that has a view" {
	functions 'PROTOCOLS=vnc,x11,ssh WORKS=text; exp_before_cells' >said
	cat said
	[ "$(wc -l <said)" = 2 ]
	grep -q '^vnc: .*vnc:viewer' said
	grep -q '^ssh: .*ssh:x11' said
	[ -z "$(functions 'PROTOCOLS=vnc WORKS=; exp_before_cells')" ]
	[ "$(functions 'PROTOCOLS=x11,vnc WORKS=text; exp_settings')" = '{"without_work":{"vnc":["vnc:viewer"]}}' ]
	made_up_run
	for without in '{}' '{ssh: []}' '{ssh: ["ssh:x11"]}'; do
		jq ".settings.without_work = $without" run/run.json >new
		mv new run/run.json
		report_findings run
		verdict run | tee "verdict $without"
	done
	run -1 grep -i 'no work' 'verdict {}'
	grep -iq 'no work.*ssh' 'verdict {ssh: []}'
	grep -q 'ssh:x11' 'verdict {ssh: ["ssh:x11"]}'
	jq '.settings.protocols += ["ssh:x11"]' run/run.json >new
	mv new run/run.json
	report_findings run
	[ "$(verdict run)" = "$(cat 'verdict {}')" ]
}

@test "protocols: keyrepeat accepts each work's script; the --quick script is the beginning of the full one" {
	for work in text draw browse; do
		"$TOP/bin/keyrepeat" null: --script "$TOP/data/work/$work.script" -t 3ms --warmup 0 --format json >report.json
		functions "protocols_script $work" >full
		functions "QUICK=1; protocols_script $work" >quick
		[ "$(wc -l <quick)" -gt 8 ]
		[ "$(wc -l <quick)" -lt "$(wc -l <full)" ]
		head -n "$(wc -l <quick)" full | cmp - quick
	done
}

@test "protocols: pictures: alike_differs is the share of pixels with a colour difference above STEPS" {
	command -v convert >/dev/null || skip "ImageMagick is not installed"
	# 100 x 10 pixels: 30 differ by 100 of 255 in blue, 20 by 40
	awk 'BEGIN { print "P3 100 10 255"; for (i = 0; i < 1000; i++) print 10, 20, 30 }' | convert ppm:- a.png
	awk 'BEGIN { print "P3 100 10 255"; for (i = 0; i < 1000; i++) print 10, 20, (i < 30 ? 130 : i < 50 ? 70 : 30) }' |
		convert ppm:- b.png
	near "$(functions 'alike_differs a.png b.png')" 3 0.001
	near "$(functions 'STEPS=30; alike_differs a.png b.png')" 5 0.001
	near "$(functions 'alike_differs a.png a.png')" 0 0.001
	[ -z "$(functions 'alike_differs a.png nothing.png')" ]
	functions "work_pictures $BATS_TEST_TMPDIR"
	[ "$(convert canvas.png -format '%wx%h' info:)" = 640x400 ]
}

@test "protocols: pictures: the majority's picture is the reference; another end state is marked, even the first protocol's" {
	command -v convert >/dev/null || skip "ImageMagick is not installed"
	for p in x11:10 nx:200 rdp:200 xpra:201; do
		mkdir -p "run/cells/${p%:*}-text/1"
		echo "{\"state\": \"complete\", \"parameters\": {\"protocol\": \"${p%:*}\"}}" >"run/cells/${p%:*}-text/1/cell.json"
		convert -size 10x10 "xc:gray(${p#*:})" "run/cells/${p%:*}-text/1/picture.png"
	done
	alike() {
		functions ". \"\$TP_HOME/experiments/engine/folder.sh\"; put_json() { put_whole \"\$1\"; }; PROTOCOLS=$1 WORKS=text REPEATS=2
			cells_choose; alike_compare"
		for p in ${1//,/ }; do jq -r '.picture | "\(.reference) \(.same)"' "run/cells/$p-text/1/cell.json"; done |
			paste -sd ' '
	}
	[ "$(alike nx,x11,rdp,xpra)" = "nx true nx false nx true nx true" ]
	# one against one: remote X is the reference, since it has no codec
	[ "$(alike nx,x11)" = "x11 false x11 true" ]
	convert -size 10x10 'xc:gray(100)' run/cells/rdp-text/1/picture.png
	[ "$(alike nx,x11,rdp)" = "x11 false x11 true x11 false" ]
}

@test "protocols: summary.tsv: the paper's figures of bytes, messages, mean message and VIP saving, with intervals" {
	made_up_run
	for p in "x11 16933170 40142 421.83 4.94" "rdp 2245475 3577 627.75 3.39" "nx 9615786 93506 102.84 19.45"; do
		read -r name bytes messages mean saving <<<"$p"
		near "$(row "$name" all total_ip_bytes)" "$bytes" 0.001
		near "$(row "$name" all total_messages)" "$messages" 0.001
		near "$(row "$name" all mean_message_ip_bytes)" "$mean" 0.011
		near "$(row "$name" all vip_saving_percent)" "$saving" 0.001
		near "$(row "$name" all vip_saving_percent_low)" "$saving" 0.001	# all repeats have the same packets
	done
	near "$(row x11 all input_ip_bytes)" 2749328 0.001
	near "$(row x11 text total_ip_bytes)" "$((2749328 / 4 + 14183842 / 4))" 0.001
	# t interval over three repeats (t(2) = 4.302653); the standard deviation of a work is 900
	near "$(row x11 text total_wire_bytes)" "$((2749328 / 4 + 14183842 / 4 + 14 * (41819 / 4)))" 0.01
	near "$(awk -v h="$(row x11 text total_wire_bytes_high)" -v m="$(row x11 text total_wire_bytes)" 'BEGIN { print h - m }')" \
		"$(awk 'BEGIN { print 4.302653 * 900 / sqrt(3) }')" 0.02
	near "$(row x11 text input_wire_bytes_low)" "$(row x11 text input_wire_bytes)" 0.01
	near "$(row x11 text ethernet_percent)" \
		"$(awk 'BEGIN { p = 14 * int(41819 / 4); print 100 * p / (int(2749328 / 4) + int(14183842 / 4) + p) }')" 0.01
	# the table with one line for each protocol
	[ "$(awk -F'\t' '$2 == "rdp" { print $3, $7 }' run/protocols.tsv)" = "2298703 20420" ]
}

@test "protocols: shares.tsv: IP bytes of all work beside each other protocol; figures name only those that did it" {
	made_up_run
	share() { field run/shares.tsv "${3-share_percent}" protocol="$1" other="$2"; }
	near "$(share rdp x11)" "$(awk 'BEGIN { print 100 * 2245475 / 16933170 }')" 0.01
	near "$(share rdp nx)" "$(awk 'BEGIN { print 100 * 2245475 / 9615786 }')" 0.01
	near "$(share nx x11)" "$(awk 'BEGIN { print 100 * 9615786 / 16933170 }')" 0.01
	near "$(share rdp x11 share_percent_low)" "$(share rdp x11)" 0.01	# all repeats have the same IP bytes
	[ -z "$(share xpra x11)" ]	# which has no repeat with all work
	run -1 share ssh x11
	for n in 1 2 3; do
		jq --argjson k "$(cut -d' ' -f "$n" <<<'0 1 3')" '.result.channels.total.ip_bytes *= $k' \
			"run/cells/rdp-text/$n/prototap.json" >new
		mv new "run/cells/rdp-text/$n/prototap.json"
	done
	warm summarize run >/dev/null || [ $? = 3 ]
	# of a quarter 0, 1 and 3 times: 0.75, 1 and 1.5 times all, whose geometric mean is 1.125^(1/3); t(2) = 4.302653
	near "$(share rdp x11)" "$(awk 'BEGIN { print 100 * 2245475 / 16933170 * 1.125 ^ (1 / 3) }')" 0.02
	near "$(share rdp x11 share_percent_high)" "$(python3 -c 'from math import *; from statistics import *
x = [log(k) for k in (0.75, 1, 1.5)]; print(100 * 2245475 / 16933170 * exp(mean(x) + 4.302653 * stdev(x) / sqrt(3)))')" 0.05
	report_findings run
	[[ $(finding run work text) == *"rdp 13.8 % (95 % CI "*" of x11"* ]]
	drawn warm report run
	grep -q '>rdp<' run/figures/work.svg
	run -1 grep -q '>ssh<' run/figures/work.svg
	grep -q '>ssh<' run/figures/key.svg
}

@test "protocols: summary.tsv: set-up in total, idle bytes per minute, bytes per key" {
	made_up_run
	near "$(row rdp setup total_wire_bytes)" "$((4 * 5000 + 30 * 14))" 0.01
	near "$(row x11 window total_wire_bytes)" "$((2 * 50000 + 10 * 14))" 0.01
	run -1 row ssh window state
	# 500 bytes and 2 packets in 20 s
	near "$(row xpra idle total_wire_bytes)" "$((3 * (500 + 28)))" 0.01
	near "$(row x11 idle total_wire_bytes)" 0 0.001
	near "$(row x11 key input_wire_bytes)" "$((2 * 66 + 64))" 0.01
	near "$(row x11 key display_payload_bytes)" 60 0.01
	near "$(row x11 key total_packets)" 4 0.01
	near "$(row x11 key total_acks)" 1 0.01
	near "$(row rdp key tls_percent)" "$(awk 'BEGIN { print 100 * 15 / (2 * 66 + 54 + 2 * 66 + 98) }')" 0.01
}

@test "protocols: a repeat with another end state is excluded, unless all have one; row 'all' sums up whole repeats only" {
	made_up_run
	[ "$(row xpra text state) $(row xpra text repeats) $(row xpra text failed)" = "complete 2 1" ]
	[ "$(row xpra draw state) $(row xpra draw repeats) $(row xpra draw different)" = "complete 2 1" ]
	near "$(row xpra draw differs_percent)" 3.5 0.0001
	# the second repeat, with 900 bytes more, is excluded
	near "$(awk -v m="$(row xpra draw total_wire_bytes)" -v t="$(row xpra text total_wire_bytes)" 'BEGIN { print m - t }')" \
		-450 0.01
	[ "$(row xpra browse state) $(row xpra browse repeats) $(row xpra browse different)" = "different 3 3" ]
	[ "$(row xpra all state) $(row xpra all failed)" = "failed 3" ]
	[ "$(row nx draw marked)" = 1 ]
	run -1 row ssh text state
	# one repeat failed
	run -3 warm summarize --json -o report.json run
	jq -e '.result | .cells_complete == 50 and .cells_failed == 1' report.json
}

@test "protocols: ranking by the median response time of a key, with bytes; ties by overlapping intervals are marked" {
	made_up_run
	report_findings run
	warm report --table run >whole
	sed '1,/Rank/d' whole | tee table
	# rank, protocol, median, p95, bytes, late, ranks not significantly different (t intervals of x11 and nx are +- 2.5 ms)
	[ "$(awk '{ print $1, $2, $3, $4, $5, $6, $7 }' table | paste -sd ';')" = \
		"1 rdp 10 20 416 0 ;2 ssh 20 40 352 0 ;3 x11 30 60 388 0 4;4 nx 31 62 288 0 3;5 xpra 60 120 659 10 " ]
	[ -z "$(awk 'length > 80' whole)" ]
	[[ $(verdict run) == \
		"On 100 Mbit/s: rdp "*" first; "*"ssh"*"; x11 and nx cannot be told apart; xpra "*" last. "* ]]
	# a single protocol is not ranked
	jq '.cells |= map(select(.parameters.protocol == "ssh"))' run/run.json >new
	mv new run/run.json
	warm report run
	[[ $(verdict run) != "On "* ]]
	run -1 grep -q Rank run/report.md
}

@test "protocols: the verdict names protocols whose work failed or ended in another picture" {
	made_up_run
	report_findings run
	[[ $(verdict run) == *"the whole work for xpra."* ]]	# its pages differ at the end
	sed -i 's/"complete"/"failed"/' run/cells/nx-*/*/cell.json
	report_findings run
	[[ $(verdict run) == *"the whole work for nx and xpra."* ]]
	jq '.settings.works = [] | .cells |= map(select(.parameters.part == "session"))' run/run.json >new
	mv new run/run.json
	report_findings run
	[[ $(verdict run) == *"a key for nx."* ]]
}

@test "protocols: report: findings with their numbers, figures" {
	made_up_run
	drawn warm report run
	near "$(found work .value)" 2298703 1
	[[ $(found work .text) == *2.30\ MB*rdp*10.9\ MB*nx*4.8*17.5\ MB*x11*7.6*"13 %"*"23 %"*"57 %"* ]]
	[ "$(found messages .value)" = 19.45 ]
	[ "$(found key .value)" = 288 ]
	[ "$(found other-work '[.value, .verdict]')" = '[3.5,"unsure"]' ]
	for f in work key; do
		[ -s "run/figures/$f.svg" ]
		grep -q "id=\"figure-$f\"" run/report.html
	done
	grep -q 'spice: Xspice is missing' run/report.md
	# a run with keys only, then an empty run
	jq '.settings.works = [] | .cells |= map(select(.parameters.part == "session"))' run/run.json >new
	mv new run/run.json
	warm report run
	[[ $(ids) == key* ]]
	find run/cells -name cell.json -exec sed -i 's/"complete"/"failed"/' {} +
	run -1 warm summarize run
}

# bats test_tags=all
@test "protocols: a short run over remote X: bytes as tshark counts them; a key is two events of 32 bytes; nothing is left" {
	for tool in Xvfb xauth xset xdotool xterm mousepad import convert gnuplot cmark-gfm; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	drawn real_run run "$TOP/thinprobe" run protocols --protocol x11 --work text --quick --keys 20 --idle 1 --keep-captures \
		-o run >out 2>err 3>&-
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat out err
	run_complete run
	for f in summary.tsv report.html figures/work.svg figures/key.svg cells/x11-text/1/picture.png; do [ -s "run/$f" ]; done
	if command -v tshark >/dev/null; then
		for part in text:prototap session:keys; do
			folder="run/cells/x11-${part%:*}/1"
			tshark -r "$folder/${part#*:}.pcap" -Y tcp -T fields -e frame.len 2>/dev/null |
				awk '{ n++; s += $1 } END { print n, s }' >truth
			[ "$(jq -r '.result.channels.total | "\(.packets) \(.wire_bytes)"' "$folder/${part#*:}.json")" = "$(cat \
				truth)" ]
		done
	fi
	[ -z "$(find run -type p -o -name '*.new' -o -name pictures)" ]
	[ ! -e run/cells/x11-text/1/log ]
	if grep -qzsxF "LAB_RUN=$PWD/run" /proc/[0-9]*/environ; then return 1; fi
	usable run
	# X11 events have 32 bytes; a few others may be among those of the keys, such as of the pointer
	awk -v v="$(row x11 key input_payload_bytes)" 'BEGIN { exit !(v >= 64 && v < 72) }'
	[ "$(jq .result.keys_answered run/cells/x11-session/1/keyrepeat.json)" -ge 15 ]
	[ "$(jq .result.keys_sent run/cells/x11-text/1/keyrepeat.json)" -gt 30 ]
	[ "$(jq -c '[.restless, .picture.same, .picture.differs_percent]' run/cells/x11-text/1/cell.json)" = '[false,true,0]' ]
	# letters on white: at the end more than half of the window is white
	# shellcheck disable=SC2094 # white is a colour, too
	convert run/cells/x11-text/1/picture.png -crop 880x600+0+40 -fill black +opaque white -format '%[fx:100*mean>50]' info: \
		>white
	[ "$(cat white)" = 1 ]
}

@test "protocols: the verdict says 'not significantly more' if the interval of the largest holds the next" {
	local f r k
	made_up_run
	report_findings run
	verdict run >said
	grep -q 'most over x11' said
	run -1 grep -q 'not significantly' said
	for r in 1 2 3; do	# bytes of x11 times 0.45, 1 and 1.6: its interval holds nx
		read -r k < <(awk -v r="$r" 'BEGIN { split("0.45 1 1.6", k, " "); print k[r] }')
		for f in run/cells/x11-{text,draw,browse}/"$r"/prototap.json; do
			jq --argjson k "$k" '.result.channels[].wire_bytes |= (. * $k | floor)' "$f" >new
			mv new "$f"
		done
	done
	report_findings run
	verdict run | grep -q 'most over x11.*not significantly more than over nx'
}
