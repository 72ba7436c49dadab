#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Figures of a step within its window; tables and report of a made-up run whose figures follow from arithmetic; short runs over
# remote X: frames are sent once if the display keeps them; a page, a caret and a progress bar move.

bats_require_minimum_version 1.5.0
load ../families/animations
load ../../tests/warm
load ../../tests/cli/numbers

# 4 frames a second, 3 to warm up and 8 measured; slot 5 left out, slot 6 late. The window is from 1.75 s to 3.75 s after 1000 s.
@test "animation_window: bytes, frames and CPU time within a step's window; bins at its ends count in part" {
	{
		printf 'schema\tn\tframe\tdue_ns\tbegun_ns\tsent_ns\n'
		for n in $(seq 0 10); do
			due=$((1001000000000 + n * 250000000)) sent=$((1001000001000 + n * 250000000))
			[ "$n" != 6 ] || sent=$((due + 260000000))
			[ "$n" != 5 ] || sent=''
			printf 'frame/1\t%d\t0\t%d\t%s\t%s\n' "$n" "$due" "$sent" "$sent"
		done
	} >frames.tsv
	{
		printf 'schema\tbin_start_ns\tinput_packets\tinput_wire_bytes\tinput_payload_bytes\t'
		printf 'display_packets\tdisplay_wire_bytes\tdisplay_payload_bytes\n'
		for n in $(seq 0 49); do printf 'traffic/1\t%d\t1\t10\t0\t2\t1000\t900\n' "$((1000000000000 + n * 100000000))"; done
	} >traffic.tsv
	{
		printf 'schema\ttime_ns\twall_ns\tbusy_ns\tsteal_ns\town_ns\n'
		for n in 0 1 2 3 4 5; do
			printf 'cpu/1\t%d\t%d\t0\t0\t%d\n' "$((1000000000000 + n * 1000000000))" \
				"$((7000000000000 + n * 1000000000))" \
				"$((n * n * 100000000))"
		done
	} >cpu.tsv
	{
		printf 'schema\tseen_ns\tframe\n'
		for ms in 1700 1800 2000 2300 2600 3000 3700 3800; do printf 'seen/1\t%d\t1\n' \
			"$((1000000000000 + ms * 1000000))"; done
	} >seen.tsv
	export TP_HOME=$TOP
	functions() { bash -c '. "$TP_HOME/experiments/families/animations.sh"; RATE=4 BIN_MS=100; '"$1" bash "$BATS_TEST_TMPDIR"; }
	functions 'animation_window "$1" 3 8' >step.json
	cat step.json
	# from bin 17.5 to bin 37.5: 20 bins of 1000 bytes; CPU readings at 1 s and at 3 s: 100 and 900 ms used
	values() { jq -c "[$1]" step.json; }
	[ "$(values '.seconds, .frames_due, .frames_shown, .late_frames, .frames_seen, .distinct_before')" = '[2,8,7,2,6,1]' ]
	[ "$(values '.display_wire_bytes, .display_payload_bytes, .display_packets, .input_wire_bytes')" = '[20000,18000,40,200]' ]
	[ "$(values '.covered_percent, .cpu_percent, .bytes_per_frame')" = '[100,40,3333.3]' ]
	# a capture that ended half way, or is empty
	figures='for part in cells measure; do . "$TP_HOME/experiments/engine/$part.sh"; done; LAB_LOG=$1
		animation_figures "$1" 3 8 || { echo "$LAB_WHY"; exit 1; }'
	run -1 functions "$figures"
	[ "$output" = "the capture left no report" ]
	echo '{}' >prototap.json
	functions "$figures"
	cp traffic.tsv whole.tsv
	head -n 29 whole.tsv >traffic.tsv
	run -1 functions "$figures"
	[ "$output" = "the capture knows only 52.5 % of the step" ]
	: >traffic.tsv
	run -1 functions "$figures"
	[[ $output == "the capture knows only"* || $output == "the step left no figures" ]]
	mv whole.tsv traffic.tsv
	rm seen.tsv	# no screen was watched: bytes per frame shown
	functions 'animation_window "$1" 3 8' >step.json
	[ "$(jq -c '[.frames_seen, .bytes_per_frame]' step.json)" = '[null,2857.1]' ]
	# a step without frames, from 1 s to 3 s: the same number of bins and bytes
	functions 'animation_window "$1" 0 0 1001000000000 1003000000000' >step.json
	cat step.json
	[ "$(values '.seconds, .display_wire_bytes, .input_wire_bytes, .covered_percent, .cpu_percent')" = '[2,20000,200,100,40]' ]
	[ "$(values '.frames_due, .frames_shown, .display_packets, .bytes_per_frame')" = '[null,null,null,null]' ]
}

@test "animation: cells: the loop in each way to draw that differs over the protocol; page and bar once for each protocol" {
	bash -c 'plan_given() { return 1; }; PROTOCOLS=x11,vnc DRAWS=image,pixmap SHOWN=loop,page,bar TP_HOME=$1
		. "$1/experiments/animation/cell.sh"; exp_cells | tr "\t" .' bash "$TOP" >cells
	[ "$(paste -sd ' ' cells)" = "x11.loop.image x11.loop.pixmap x11.page. x11.bar. vnc.loop.image vnc.page. vnc.bar." ]
	run -2 "$TOP/thinprobe" run animation --shows marquee
	[ "${#lines[@]}" = 1 ]
}

watched_cell() {	# watched_cell CELL BYTES: two repeats of a step without frames, so many bytes in 10 s
	local r
	for r in 1 2; do
		mkdir -p "run/cells/$1/$r"
		jq -n --argjson bytes "$2" \
			'{schema: "thinprobe.cell/1", state: "complete", reason: "", marked: "", steps: {loop: {seconds: 10,
			from_ns: 1, to_ns: 2, display_wire_bytes: $bytes, input_wire_bytes: 660, cpu_percent: 2.5, frames_seen: null}}}' \
			>"run/cells/$1/$r/cell.json"
	done
}

# Makes a cell with 20 frames a second for 10 s, of so many bytes: a frame that was shown before, a new frame.
animation_cell() {	# animation_cell CELL REPEAT LOOP-BYTES NEW-BYTES
	mkdir -p "run/cells/$1/$2"
	jq -n --argjson loop "$3" --argjson new "$4" '
		def step($n; $each): {seconds: ($n / 20), from_ns: 1000000000000, to_ns: 1, frames_due: $n, frames_shown: $n,
			late_frames: ($n / 20), frames_seen: $n, display_wire_bytes: ($n * $each), input_wire_bytes: ($n * 66),
			display_packets: (3 * $n), cpu_percent: 12.5,
			bytes_per_frame: $each, frame_bytes: 40000, information_bytes: 4404};
		{schema: "thinprobe.cell/1", state: "complete", reason: "", marked: "", steps: {fresh: step(100; $new), loop: step(200; $loop),
			"banner-fresh": step(100; 3 * $new), banner: step(200; 3 * $loop)}}' >"run/cells/$1/$2/cell.json"
}

made_up_run() {
	animation_run animation x11 image x11 pixmap rdp:cache image nx image
	animation_cell x11-loop-image 1 12500 12600	# 2.0 Mbit/s: the paper's X
	animation_cell x11-loop-image 2 12500 12400
	animation_cell x11-loop-pixmap 1 100 12500
	animation_cell x11-loop-pixmap 2 102 12500
	animation_cell rdp-cache-loop-image 1 5000 10000
	jq '.marked = "others"' run/cells/rdp-cache-loop-image/1/cell.json >c
	mv c run/cells/rdp-cache-loop-image/1/cell.json
	mkdir -p run/cells/rdp-cache-loop-image/2
	echo '{"state": "failed", "reason": "gone"}' >run/cells/rdp-cache-loop-image/2/cell.json
	# 1000 bytes each 100 ms, and CPU time
	mkdir -p run/cells/x11-loop-image/1/loop
	{
		printf 'schema\tbin_start_ns\tdisplay_wire_bytes\n'
		for n in $(seq -10 50); do printf 'traffic/1\t%d\t1000\n' "$((1000000000000 + n * 100000000))"; done
	} >run/cells/x11-loop-image/1/loop/traffic.tsv
	printf '%s\t%s\t%s\t%s\n' schema time_ns wall_ns own_ns cpu/1 1000000000000 5000000000 1000000000 \
		cpu/1 1001000000000 6000000000 1250000000 >run/cells/x11-loop-image/1/loop/cpu.tsv
}

@test "animation: summary.tsv: bandwidth, users that fill a link, and whether repeated frames are sent again" {
	made_up_run
	run -3 warm summarize run
	[ "$(column summary x11-loop-image mbit_per_s)" = 2.000 ]
	[ "$(column summary x11-loop-image users_10mbit)" = 5 ]	# as in the paper
	[ "$(column summary x11-loop-image users_1000mbit)" = 500 ]
	[ "$(column summary x11-loop-image verdict)" = again ]
	[ "$(column summary x11-loop-image late_percent)" = 5.000 ]
	[ "$(column summary x11-loop-pixmap frame_wire_bytes)" = 101.000 ]
	[ "$(column summary x11-loop-pixmap frame_wire_bytes_high)" = '' ]	# two repeats give no interval
	[ "$(column summary x11-loop-pixmap verdict)" = cached ]
	[ "$(column summary x11-loop-pixmap banner_verdict)" = cached ]
	[ "$(column summary rdp-cache-loop-image verdict)" = "in part" ]
	[ "$(column summary rdp-cache-loop-image failed)" = 1 ]
	animation_cell x11-loop-pixmap 2 12500 12500	# the other repeat says cached
	run -3 warm summarize run
	[ "$(column summary x11-loop-pixmap verdict)" = unclear ]
	[ "$(column summary nx-loop-image state)" = "not measured" ]
	[ "$(awk -F'\t' '$7 == "0.500" { print $8, $9 }' run/bandwidth.tsv)" = "0.0800 25.00" ]	# 5000 bytes in half a second
}

@test "animation: report: findings with their numbers, figures, missing conditions" {
	made_up_run
	drawn warm report run
	[ -s run/figures/bandwidth.svg ]
	[ -s run/figures/frame-bytes.svg ]
	[ "$(found sent-again '[.value, .unit, .verdict]')" = '[2,"Mbit/s","bad"]' ]
	[ "$(found from-memory .value)" = 0.016 ]
	[ "$(found users-that-fill-a-link .value)" = 5 ]
	[ "$(found frames-seen .value)" = 20 ]
	[[ $(found users-that-fill-a-link .text) == *"x11 5, rdp:cache 12, x11 (pixmap) 618."* ]]
	grep -qF 'xpra: xpra is | missing' run/report.md
	warm report --table run | grep -Eq '^ *x11 +image +2[.]00 +250 +5 '
}

@test "animation: page, caret and bar have KB/s and users that fill 10 Mbit/s, but no verdict on frames" {
	animation_run animation x11 image x11 page x11 caret x11 bar nx page nx caret nx bar
	animation_cell x11-loop-image 1 12500 12600
	animation_cell x11-loop-image 2 12500 12600
	watched_cell x11-page 2500000	# 2 Mbit/s: five users
	watched_cell nx-page 20000000
	watched_cell x11-caret 5000
	watched_cell x11-bar 20000
	watched_cell nx-caret 90000
	watched_cell nx-bar 120000	# 12 KB/s
	drawn warm report run
	[ "$(column summary x11-page mbit_per_s)/$(column summary x11-page users_10mbit)" = 2.000/5 ]
	[ "$(column summary nx-page users_10mbit)" = 0 ]
	[ "$(column summary x11-bar kb_per_s)/$(column summary x11-caret kb_per_s)" = 2.000/0.500 ]
	[ -z "$(column summary x11-page verdict)$(column summary x11-page frame_wire_bytes)$(column summary x11-page \
		packets_per_frame)" ]
	[ "$(found users-that-fill-a-link '[.value, .verdict]')" = '[0,"bad"]' ]
	[[ $(found users-that-fill-a-link .text) == *"nx 16.0, 0; x11 2.00, 5."* ]]
	[ "$(found simple-animations '[.value, .unit, .verdict]')" = '[12,"KB/s","bad"]' ]
	[[ $(found simple-animations .text) == *"progress bar over nx takes more"*"nx 9.0, x11 0.50 KB/s"*"nx 12.0, x11 2.0 KB/s"* ]]
	[ "$(found sent-again .value)" = 2 ]	# only the loop counts
	for figure in load frame-bytes bandwidth; do grep -q '</svg>' run/figures/$figure.svg; done
	[ "$(awk '/^### /{ on = /The loop$/ } on && /^[|] x11/' run/report.md | wc -l)" = 1 ]
	# with nothing above the limit
	watched_cell nx-bar 80000
	report_findings run
	[ "$(found simple-animations '[.value, .verdict]')" = '[9,"good"]' ]
	# without the loop: the most bytes count, where both round to 0.003 Mbit/s
	rm -r run/cells/x11-loop-image
	watched_cell x11-caret 3200
	watched_cell nx-caret 4000
	report_findings run
	[[ $(verdict run) == *"a caret takes up to 0.003 Mbit/s (nx)"* ]]
}

# bats test_tags=all
@test "animation: a short run over remote X: a new frame is 40,000 bytes and headers, a copied one under 400; frames are seen" {
	short_run animation --protocol x11 --shows loop --draw pixmap --quick --time 2
	for f in summary.tsv bandwidth.tsv findings.json report.html figures/bandwidth.svg; do [ -s "run/$f" ]; done
	[ "$(jq -c '[.state, .counts.complete]' run/run.json)" = '["complete",1]' ]
	step() { jq "$2" "run/cells/x11-loop-pixmap/1/$1/step.json"; }
	usable run
	# 28 packets of 1,448 bytes with headers of 66, and the request's header; a tenth more or less, since a busy machine splits
	# or retransmits some
	[ "$(step fresh '.display_payload_bytes / .frames_shown | . > 36000 and . < 44000')" = true ]
	[ "$(step fresh '.bytes_per_frame > 41800 * .9 and .display_wire_bytes / .frames_shown < 41900 * 1.1')" = true ]
	[ "$(step loop '.bytes_per_frame < 400')" = true ]
	for s in fresh loop; do
		[ "$(step $s '.frames_shown > 0 and .frames_seen >= 0.8 * .frames_shown and .frames_seen <= 1.1 * .frames_shown + 1')" = true ]
		[ "$(step $s '.covered_percent > 99 and .cpu_percent > 0')" = true ]
	done
}

# bats test_tags=all
@test "animation: a short run over remote X: page, caret and bar cause traffic; frames of the page's banner are seen" {
	for tool in netsurf-gtk import; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	short_run animation --protocol x11 --shows page,caret,bar --repeat 1 --time 5
	step() { jq "$2" "run/cells/x11-$1/1/loop/step.json"; }
	[ ! -e run/log/pictures ]
	usable run
	# 468 x 60 pixels of 4 bytes, at most ten times a second; at least half of the frames arrive
	[ "$(step page '.frames_seen >= 25 and .frames_seen <= 55 and .display_wire_bytes >= .frames_seen * 468 * 60 * 4')" = true ]
	# a line of the bar five times a second; the caret is drawn twice in 0.9 s
	for what in bar caret; do
		[ "$(step $what '.display_wire_bytes > 500 and .display_wire_bytes < 500000 and .frames_seen == null')" = true ]
	done
	[ "$(jq -n --argjson b "$(step bar .display_wire_bytes)" --argjson c "$(step caret .display_wire_bytes)" '$b > $c')" = \
		true ]
}
