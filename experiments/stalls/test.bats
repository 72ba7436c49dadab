#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# stalls, and the columns of all trains of keys: made-up runs (tests/golden/make_run.py: formulas, no random numbers). The expected
# percentiles (linear between samples), t intervals and exact binomial intervals were computed from the samples by NumPy and SciPy.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/figures
load ../../tests/engine
load ../../tests/warm

setup() {
	begin_test
	undrawn
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state
}

make_run() {	# [NAME=value …] [FOLDER]
	local folder=run
	[ $# = 0 ] || [[ ${!#} == *=* ]] || { folder=${!#}; set -- "${@:1:$#-1}"; }
	rm -rf "$folder"
	([ $# = 0 ] || export "$@"; warm "$TOP/tests/golden/make_run.py" "$folder")
	run_cells "$folder"
}

# summarized: makes the run and its tables (status 3 is allowed: a repeat was cut short). reported: and its findings.
# again: the findings anew. paged: the whole page.
summarized() { make_run "$@"; warm summarize run >out || [ $? = 3 ]; }
reported() { make_run "$@"; again; }
again() { report_findings run && cat run/findings.json; }
paged() { warm report run >/dev/null && cat run/findings.json; }

# put KEY VALUE FILE...: the first such number in each of these files
put() { sed -i -E "s/(\"$1\": )[^,}]*/\1$2/" "${@:3}"; }

# are APP SINKS: the row has these columns: lines "NAME VALUE [NAME_low [NAME_high]]" on standard input. A value of - is an empty
# cell; one that is a number may be 0.0011 off, or as much as stands behind its ~.
are() {
	awk -v app="$1" -v sinks="$2" '
		function off(name, want,   part) {
			if (!(name in at)) return 1
			if (want == "-" || want !~ /^[-0-9.~]+$/ || got[name] !~ /^-?[0-9.]+$/) return got[name] != (want == "-" ? "" : want)
			if (split(want, part, "~") < 2) part[2] = 0.0011
			return got[name] - part[1] > part[2] || part[1] - got[name] > part[2]
		}
		NR == FNR { n = split($0, cell, "\t") }
		NR == FNR && FNR == 1 { for (i = 1; i <= n; i++) at[cell[i]] = i; next }
		NR == FNR { if (cell[at["app"]] == app && cell[at["sinks"]] == sinks) for (i in at) got[i] = cell[at[i]]; next }
		{
			for (i = 2; i <= NF; i++) {
				name = $1 (i == 3 ? "_low" : i == 4 ? "_high" : ""); lines++
				if (off(name, $i)) { print app " beside " sinks " sinks: " name " is \"" got[name] "\", not " $i; wrong = 1 }
			}
		}
		END { exit wrong || !lines }' run/summary.tsv -
}

limit() {	# limit STATUS CONDITION...: --fail-if CONDITION ends with STATUS
	local condition
	for condition in "${@:2}"; do run "-$1" warm fail judge run "$condition"; echo "$output"; done
}

found() {	# found ID VALUE VERDICT
	[ "$(finding run "$1")/$(finding run "$1" verdict)" = "$2/$3" ] || { echo "$1 is not $2, $3" >&2; return 1; }
}

# --- columns (what a percentile, an interval, a curve is: tests/analysis) -----------------------------------------------

@test "summary.tsv: pooled percentiles, intervals, late shares and fair-sharing stalls have the computed values" {
	summarized
	are heavy 5 <<-END
		repeats 3
		state complete
		keys 285
		latency_p50_ms 100.036 96.1~0.1 103.6~0.1
		latency_p90_ms 123.855 - -
		latency_p99_ms -
		latency_max_ms 131.106
		latency_max_ms_above 0
		late_share_percent 50.526 43~0.4 58~0.4
		late_interval exact
		mean_stall_ms 11.2 9.710 12.690
		updates_per_s 16.341
		interval exact
		fair_stall_ms 10
	END
	are light 20 <<<'latency_p50_ms 10.98
		latency_p90_ms 11.78
		latency_high_p50_ms -
		late_share_high_percent -
		fair_stall_ms -'
	# none, or all, of the keys late: the exact bound over all keys, close to the rule of three
	are light 10 <<<$'late_share_percent 0 0 9.978\nlate_interval exact'
	are heavy 10 <<<'late_share_percent 100 90.022 100'
	# cost x (sinks + 1) - period, not below 0
	are heavy 0 <<<'fair_stall_ms 0'
	are heavy 20 <<<'fair_stall_ms 160'
	are light 5 <<<$'jitter_sd_ms 8.336~0.01\nschedule_jitter_ms 6.804'	# 50 ms / 3 / sqrt(12) * sqrt(2)
}

@test "another threshold: late shares, drawings and findings use it, and the page names the source of a named threshold" {
	local was
	summarized 'LOADS=0 5'
	was=$(field run/summary.tsv latency_p50_ms app=heavy sinks=5)
	edit_json run/run.json '.settings += {threshold: "typing", threshold_ms: 120}'
	drawn paged
	# by the samples themselves
	are heavy 5 <<<"late_share_percent $(cat "$(cell_of run app=heavy sinks=5)"/*/samples.tsv |
		awk -F'\t' '$1 == "keys/1" && $8 != 1 { n++; late += $5 - $3 > 120e6 } END { printf "%.3f", 100 * late / n }')
		latency_p50_ms $was"
	grep -q '>Late keys.*120 ms<' run/figures/late-share.svg
	grep -q '>120 ms<' run/figures/latency-cdf.svg
	[[ $(finding run late-heavy text) == *"longer than 120 ms"* ]]
	grep -q 'typing (Shneiderman' run/report.md
}

@test "over 1000 keys: p99 is reported; the distribution curve rises, has 1000 points, and ends at 1" {
	summarized KEYS=1105 LOADS=5 APPS=heavy
	are heavy 5 <<<$'keys 3300\nlatency_p99_ms 129.997 127.245~0.02 134.662~0.02'
	awk -F '\t' 'NR > 1 { n++; if ($4 < ms || $5 <= share) exit 1; ms = $4; share = $5 }
		END { if (n != 1000 || share != 1) { print n, share; exit 1 } }' run/cdf.tsv
}

@test "two series: latency comes from the jittered train, updates from the periodic one; ranges have two ends" {
	summarized SERIES=2 LIGHT=ranged APPS=light
	are light 20 <<<'latency_p90_ms -
		latency_p90_ms_from 11.78
		latency_p90_ms_to 41.152
		latency_p90_ms_why range
		latency_high_p90_ms 41.152
		ranged_keys 72'
	are light 0 <<<$'latency_p90_ms_from -\nranged_keys 0\nlatency_high_p90_ms -'
	# the periodic train's jitter; the jittered train's is over 8 ms
	are light 5 <<<$'jitter_sd_ms 0.972\nschedule_jitter_ms 0\nstall_repeats 3'
	# each of the three loads with ranges has a curve of low ends and one of high ends; load 0 has a single curve
	[ "$(cut -f 2,3,6 run/cdf.tsv | sort -u | grep -c light)" = 7 ]
}

@test "an overloaded repeat empties the percentiles, nothing else; keys without an echo count as lower bounds" {
	summarized OVERLOADED=20 CENSORED=3 APPS=heavy
	are heavy 20 <<<'overloaded 3
		latency_p50_ms -
		latency_max_ms -
		backlog_per_s 9.5
		backlog_max_per_s 9.5
		late_share_percent 100
		mean_stall_ms 164.2~0.5'
	are heavy 10 <<<'overloaded 0'
	run -1 grep -P "^cdf/1\theavy\t20\t" run/cdf.tsv
	are heavy 0 <<<'keys 285
		censored 9
		late_share_percent 3.158
		latency_max_ms_above 1
		latency_p50_ms_above 0'
	# 9 of 285 never come: the curve ends at 276 / 285
	[ "$(grep -P '^cdf/1\theavy\t0\t' run/cdf.tsv | tail -n 1 | cut -f 5)" = 0.968421 ]
}

@test "failed and interrupted repeats are excluded and counted; the first try of a repeated measurement is ignored" {
	make_run STATE=interrupted APPS=heavy
	cp -R run/cells/heavy-000/2 "run/cells/heavy-000/2~"
	run -3 --separate-stderr warm summarize run --json
	[ "$(jq .result.trains_failed <<<"$output")" = 2 ]
	are heavy 0 <<<$'repeats 3\nkeys 285'
	are heavy 20 <<<'repeats 1
		failed 2
		state partial
		reason interrupted
		latency_p50_ms 327.257 - -
		interval none'
	are heavy 10 <<<'failed 0'
	rm run/cells/heavy-020/1/cell.json
	run -3 warm summarize run
	are heavy 20 <<<$'repeats 0\nstate failed\nkeys 0\nlate_share_percent -'
	echo '{"state": "failed", "reason": "interrupted"}' >run/cells/heavy-020/1/cell.json
	rm run/cells/heavy-020/2/cell.json
	run -3 warm summarize run
	[ "$(field run/summary.tsv state app=heavy sinks=20)" = "not measured" ]
	[ "$(field run/summary.tsv latency_p50_ms_why app=heavy sinks=20)" = "not measured" ]
}

@test "a disturbed train flags its repeat, also one of the stall series; foreign and stolen time add up; unknown stays empty" {
	summarized MARKED=1 STEAL=2.5 SERIES=2 LOADS='0 5 10' APPS=heavy
	are heavy 10 <<<'repeats 3
		foreign_percent_max 4.2
		steal_percent_max 2.5
		disturbed_percent_max 6.7
		marked 2
		foreign_unknown 0'
	are heavy 5 <<<$'marked 0\nsame_group 1'
	are heavy 0 <<<'same_group -'
	# only the train of the stall series is disturbed
	sed -i 's/"marked": "[^"]*"/"marked": ""/; s/"steal_percent": 2.5/"steal_percent": 0/' run/cells/heavy-010/2/cell.json
	sed -i 's/"foreign_percent": 4.2/"foreign_percent": 0.1/; s/"steal_percent": 2.5/"steal_percent": 9/' \
		run/cells/heavy-010/2/stall/cell.json
	warm summarize run >out
	are heavy 10 <<<$'marked 1\ndisturbed_percent_max 9.1'
	summarized FOREIGN=null LOADS=0 APPS=light
	are light 0 <<<$'foreign_unknown 3\ndisturbed_percent_max -'
}

@test "summary.tsv: warm-up keys, pairing method, latency from send time, effect of the merge gap, competing groups" {
	summarized MERGE=1 LOADS='5 10'
	are heavy 5 <<<$'pairing patch\ndepends_on_merge 0'
	are light 10 <<<$'wire_updates 285\nwire_updates_5ms 309\nwire_updates_20ms 285\ndepends_on_merge 3'
	# the median of answer - sent, all repeats together
	are light 5 <<<"skipped_keys 15
		pairing caret
		latency_sent_p50_ms $(awk -F'\t' '$8 == "0" { print ($5 - $4) / 1e6 }' run/cells/light-005/*/samples.tsv | sort -n |
			awk '{ v[NR] = $1 } END { print v[(NR + 1) / 2] }')"
	# another session leader in each repeat does not count as a difference; another nice value does
	[ "$(field run/summary.tsv competes_app app=light sinks=5)" = 'autogroup=/autogroup-4 nice=0 policy=other cpus=0 cgroup=/' ]
	edit_json run/cells/light-005/3/cell.json '.autogroup.app |= sub("nice=0"; "nice=5")'
	sed -i 's/"pairing": "caret"/"pairing": "updates"/' run/cells/light-005/2/keyrepeat.json
	warm summarize run >out
	[ "$(field run/summary.tsv competes_app app=light sinks=5)" = \
		'autogroup=/autogroup-4 nice=varies policy=other cpus=0 cgroup=/' ]
	are light 5 <<<'pairing mixed'
}

@test "with ten repeats means have a BCa bootstrap: the same seed gives the same table, another seed another; medians are pooled" {
	summarized REPEATS=10 LOADS=5 KEYS=60 APPS=heavy
	cp run/summary.tsv first.tsv
	are heavy 5 <<<'interval exact'
	warm summarize run >out
	cmp run/summary.tsv first.tsv
	warm summarize run --seed 99 >out
	run -1 cmp -s run/summary.tsv first.tsv
}

@test "if the probe reports no stalls, they come from the capture; a missing capture is no error" {
	local r
	make_run LOADS=0 APPS=light
	for r in 1 2 3; do
		edit_json "run/cells/light-000/$r/keyrepeat.json" 'del(.result.largest_gap_ms) | .result.stalls = null'
		edit_json "run/cells/light-000/$r/prototap.json" \
			".result.stalls |= . + {mean_ms: 1.5, max_ms: 7, jitter_sd_ms: $((r * 2))}"
	done
	warm summarize run >out
	# Student's t of 2, 4, 6: 4.303 x 2 / sqrt(3) to both sides, but not below 0
	are light 0 <<<'mean_stall_ms 1.5
		largest_gap_ms 57
		jitter_sd_ms 4
		wire_jitter_sd_ms 4 0 8.968'
	summarized LOADS=0 APPS=light
	rm run/cells/light-000/*/prototap.json
	warm summarize run >out
	are light 0 <<<'capture_dropped -
		mean_stall_ms 0~0.3
		wire_jitter_sd_ms -'
}

@test "--modes tap,hold --wire: stalls of a held key and of packets are columns, and curves beside the others; else neither is" {
	local r kind
	make_run 'LOADS=0 20' APPS=light
	drawn warm report run
	are light 0 <<<'hold_mean_stall_ms -
		hold_wire_jitter_sd_ms -'
	grep -qF ">Mean stall" run/figures/mean-stall.svg
	run -1 grep -E '>(typed keys|packets)<' run/figures/mean-stall.svg
	for r in 1 2 3; do
		cp -r "run/cells/light-000/$r" hold
		edit_json hold/keyrepeat.json ".result.stalls |= . + {mean_ms: $((10 + r)), jitter_sd_ms: 3}"
		edit_json hold/prototap.json ".result.stalls |= . + {mean_ms: $((20 + r)), jitter_sd_ms: 4}"
		mv hold "run/cells/light-000/$r/"
	done
	edit_json run/run.json '.settings.wire = true'
	drawn warm report run
	are light 0 <<-END
		hold_mean_stall_ms 12
		hold_jitter_sd_ms 3
		hold_wire_mean_stall_ms 22
		hold_wire_jitter_sd_ms 4
	END
	# held keys in a panel of their own, with packets also without --wire
	for kind in 'typed keys' 'a key held down' pixels packets; do
		for r in mean-stall jitter; do grep -qF ">$kind<" run/figures/$r.svg; done
	done
	edit_json run/run.json '.settings.wire = false'
	drawn warm report run
	grep -qF '>packets<' run/figures/mean-stall.svg
	rm -r run/cells/light-000/*/hold
	drawn warm report run
	run -1 grep -F '>packets<' run/figures/mean-stall.svg
}

# Trains of typed and held keys over two protocols: over x11 a held key's redraws take 30 % longer.
@test "--modes tap,hold over two protocols: the finding names only the protocol where held and typed keys differ" {
	local protocol repeat
	need gnuplot cmark-gfm
	for protocol in vnc x11; do
		PROTOCOL=$protocol LOADS='0 20' SERIES=2 STRETCH=1 warm "$TOP/tests/golden/make_run.py" made
		PROTOCOL=$protocol LOADS='0 20' SERIES=2 STRETCH=$([ $protocol = x11 ] && echo 1.3 || echo 1) \
			warm "$TOP/tests/golden/make_run.py" held
		for repeat in made/cells/*/*; do
			mv "${repeat/#made/held}/stall" "$repeat/hold"
			sed -i 's/"period_ms": /"jitter_sd_ms": 5, &/' "$repeat/hold/prototap.json"
			mkdir -p "run/cells/$protocol-${repeat#made/cells/}"
			mv "$repeat"/* "run/cells/$protocol-${repeat#made/cells/}/"
		done
		mv made/run.json run/
		rm -r made held
	done
	run_cells run
	edit_json run/run.json 'del(.settings.protocol, .protocol)
		| .settings += {protocols: ["vnc", "x11"], modes: ["tap", "hold"]}'
	drawn warm report run
	# 10 ms x 21 x 1.02 - 50 ms, and 1.3 times that cost
	[ "$(field run/summary.tsv hold_mean_stall_ms protocol=vnc app=heavy sinks=20 | cut -d. -f1)" = 164 ]
	[ "$(field run/summary.tsv hold_mean_stall_ms protocol=x11 app=heavy sinks=20 | cut -d. -f1)" = 228 ]
	[ "$(field run/summary.tsv hold_wire_jitter_sd_ms protocol=x11 app=heavy sinks=20)" = 5.000 ]
	[[ $(finding run held-heavy text) == *"differ over x11**"*"over x11, where"* ]]
	[[ $(finding run held-light text) == *"no difference shown"* ]]
	grep -qF '>10 ms of CPU per update: a key held down<' run/figures/mean-stall.svg
}

stall_of() {	# stall_of CELL MS: its mean stall, a little apart in each repeat
	local r
	for r in 1 2 3; do put mean_ms "$2.$r" "run/cells/$1/$r/keyrepeat.json"; done
}

# 20 x 0.5 ms later beside 20 sinks: 11 and 20 ms.
@test "--app grouped: vim in the group of the sinks is compared with vim in its own; only what is surely longer is called so" {
	drawn make_run APPS='light grouped' LOADS='0 20' GROUP=5
	drawn paged
	# in a group of the lab the kernel does not look at autogroups; elsewhere it does
	are grouped 20 <<<'same_group 1'
	are light 20 <<<'same_group 0'
	[[ $(finding run grouping text) == *"answers later"*"20 CPU hogs,"*" 20.0 ms"*" and 11.0 ms"* ]]
	grep -qF ">vim in the CPU hogs' group<" <(sed "s/’/'/g" run/figures/mean-stall.svg)
	stall_of grouped-020 60
	again
	[[ $(finding run grouping text) == *"stalls longer"* ]]
	[ "$(finding run grouping)" = 60.2 ]
	stall_of light-020 70
	again
	[[ $(finding run grouping text) == *"In its own scheduling group vim stalls longer"* ]]
	# where autogroups are off, vim has no group of its own
	sed -i 's/autogroup-5/autogroup-4/g' run/cells/light-020/*/cell.json
	again
	run -1 grep grouping run/findings.json
}

@test "--app grouped: a train whose vim and sinks are not in the group that was made for them is flagged" {
	local groups
	in_group() { echo "\"autogroup=/autogroup-$1 session=$1 nice=0 policy=other cpus=0 cgroup=/$2\""; }
	said() {	# said APP VIM SINKS
		# shellcheck disable=SC2016 # the engine's shell's
		in_engine stalls 'REGIME=session P[app]=$1; train_mismatch "{\"session\": $2, \"app\": $2, \"sinks\": $3}"' "$@"
	}
	groups=$(in_group 1 thinprobe-0123ab-grouped)
	[ -z "$(said grouped "$groups" "$(in_group 2 thinprobe-0123ab-grouped)")" ]
	[ -z "$(said grouped "$groups" '""')" ]
	[[ $(said grouped "$(in_group 1 '')" "$groups") == *"not the group asked for" ]]
	[[ $(said grouped "$(in_group 1 '')" "$(in_group 1 '')") == *"not the group asked for" ]]
	[[ $(said light "$groups" "$(in_group 2 '')") == *"not the regime asked for" ]]
}

@test "--modes hold: title and curves say that keys were held down" {
	make_run 'LOADS=0 20' APPS=light
	edit_json run/run.json '.settings += {modes: ["hold"], wire: true}'
	drawn warm report run
	grep -q '^# .*, a key held down: ' run/report.md
	grep -qF '>a key held down<' run/figures/mean-stall.svg
	grep -qF '>packets<' run/figures/mean-stall.svg
	run -1 grep -F '>typed keys<' run/figures/mean-stall.svg
	run -2 "$TOP/thinprobe" run hold --quick
	[ "${#lines[@]}" = 1 ]
	[[ $output == *"run stalls --modes hold"* ]]
}

@test "summarize refuses a train with a damaged or missing file in one line that names the file" {
	local file
	make_run LOADS=0 APPS=light
	for file in cell.json keyrepeat.json prototap.json; do
		cp "run/cells/light-000/2/$file" kept
		echo '{"a":' >"run/cells/light-000/2/$file"
		run -1 warm summarize run
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "summarize: run/cells/light-000/2/$file: line"* ]]
		cp kept "run/cells/light-000/2/$file"
	done
	for file in keyrepeat.json samples.tsv; do
		mv "run/cells/light-000/2/$file" kept
		run -1 warm summarize run
		[[ $output == "summarize: run/cells/light-000/2"[:/]*"$file"* ]]
		[ "${#lines[@]}" -eq 1 ]
		mv kept "run/cells/light-000/2/$file"
	done
	printf 'keys/1\t101\t12' >>run/cells/light-000/2/samples.tsv
	run -1 warm summarize run
	[ "$output" = 'summarize: run/cells/light-000/2/samples.tsv: line 102 cannot be read' ]
	[ ! -e run/summary.tsv ]
}

# --- stages: wire.tsv and echo.tsv by formula ----------------------------------------------------------------------

# A key is on the wire 20 us after it was sent, and read by the application 30 us later; its redraw begins 8.01 ms, and is sent
# 8 ms, before the pixels; the reply is on the wire 100 us before the pixels.
# A key's range is the millisecond up to the reply; that of every WRONGth key ends 1 us before the reply.
trace() {	# FOLDER [WRONG]
	awk -F'\t' -v OFS='\t' -v wrong="${2:-0}" '
		function ns(v) { return sprintf("%.0f", v) }
		NR == 1 {
			print "schema", "kind", "n", "time_ns", "end_ns", "packets", "bytes", "key", "low_ns", "high_ns", "exact", "block"
			next
		}
		$5 != last { print "wire/1", "update", ++n, ns($5 - 100000), ns($5 - 100000), 1, 90, "", "", "", "", 1; last = $5 }
		{
			late = $5 - 100000 - (wrong && $2 % wrong == 0 ? 1000 : 0)
			print "wire/1", "key", ++k, ns($4 + 20000), "", "", "", $2, ns($5 - 1100000), ns(late), 0, 1
		}' "$1/samples.tsv" >"$1/wire.tsv"
	awk -F'\t' -v OFS='\t' '
		NR == 1 { print "schema", "seq", "received_ns", "draw_ns", "flushed_ns", "dropped", "coalesced"; next }
		{ print "echo/1", $2 + 300, sprintf("%.0f", $4 + 50000), sprintf("%.0f", $5 - 8010000), sprintf("%.0f", $5 - 8000000), 0, 0 }' \
		"$1/samples.tsv" >"$1/echo.tsv"
	sed -i 's/"keys_skipped": 5,/"keys_skipped": 5, "patch_base": 300,/' "$1/keyrepeat.json"
}

heavy_run() { make_run APPS=heavy LOADS="0 5" REPEATS=2; }
stage() { field run/stages.tsv "$3" sinks="$1" stage="$2"; }	# stage SINKS STAGE COLUMN
stages() { cut -f 4 run/stages.tsv | paste -sd' '; }

@test "without traces there are no stages, and no figures from the wire alone" {
	heavy_run
	warm summarize run >out
	[ "$(wc -l <run/stages.tsv)" = 1 ]
	are heavy 5 <<<$'wire_repeats 0\nwire_truth_percent -\nwire_latency_p50_ms -'
}

@test "stages.tsv: the stages of a key have their lengths, follow each other, and their means add up to the mean latency" {
	local r l mean sinks
	heavy_run
	for r in 1 2; do for l in 000 005; do trace "run/cells/heavy-$l/$r"; done; done
	warm summarize run >out
	near "$(stage 0 sent_wire mean_ms)" 0.02 1e-6
	near "$(stage 0 wire_app p50_ms)" 0.03 0.0005
	near "$(stage 0 drawn_wire max_ms)" 7.9 0.0005
	near "$(stage 0 wire_pixels mean_ms)" 0.1 1e-6
	[ "$(stage 5 wire_pixels keys) $(stage 5 wire_pixels of_keys)" = "190 190" ]
	[ "$(stages)" = "stage due_sent sent_wire wire_app app_drawn drawn_wire wire_pixels latency$(
		)"" due_sent sent_wire wire_app app_drawn drawn_wire wire_pixels latency" ]
	for sinks in 0 5; do
		# from the samples themselves
		mean=$(awk -F'\t' '$8 == 0 { s += $5 - $3; n++ } END { printf "%.6f", s / n / 1e6 }' \
			"run/cells/heavy-00$sinks"/[12]/samples.tsv)
		near "$(stage $sinks latency mean_ms)" "$mean" 1e-5
		near "$(stage $sinks wire_pixels to_ms)" "$mean" 1e-5
		near "$(awk -F'\t' -v s=$sinks '$3 == s && $4 != "latency" { sum += $7 } END { print sum }' run/stages.tsv)" \
			"$mean" 1e-3
	done
	# each stage begins where the one before it ends
	awk -F'\t' 'NR > 1 && $4 != "latency" { if ($4 != "due_sent" && $13 != last) exit 1; last = $14 }' run/stages.tsv
}

@test "stages.tsv: an application without a log has one stage from wire to wire; an overloaded cell has no stages" {
	local r
	heavy_run
	for r in 1 2; do trace "run/cells/heavy-000/$r"; rm "run/cells/heavy-000/$r/echo.tsv"; done
	for r in 1 2; do trace "run/cells/heavy-005/$r"; done
	sed -i 's/"overloaded": false/"overloaded": true/' run/cells/heavy-005/2/keyrepeat.json
	warm summarize run >out
	[ "$(stages)" = "stage due_sent sent_wire wire_wire wire_pixels latency" ]
	near "$(awk -F'\t' '$4 != "latency" && NR > 1 { sum += $7 } END { print sum }' run/stages.tsv)" "$(stage 0 latency \
		mean_ms)" 1e-3
}

@test "wire series: the share of keys whose wire range holds the time of the pixels, and latency from the wire alone" {
	local r l
	heavy_run
	for r in 1 2; do
		for l in 000 005; do
			cp -r "run/cells/heavy-$l/$r" run/wire
			mv run/wire "run/cells/heavy-$l/$r/wire"
			sed -i 's/"series": "latency"/"series": "wire"/' "run/cells/heavy-$l/$r/wire/cell.json"
			# beside 5 sinks every tenth key has a wrong range: 10 20 ... 100, ten of 95
			# shellcheck disable=SC2046 # one word or none
			trace "run/cells/heavy-$l/$r/wire" $([ $l = 000 ] || echo 10)
		done
	done
	warm summarize run >out
	# none of n fails: 0.05^(1/n)
	p50=$(field run/summary.tsv latency_p50_ms app=heavy sinks=0)
	# the range is a millisecond wide, its late end 0.1 ms before the pixels; the other series are as without it
	are heavy 0 <<<"wire_repeats 2
		wire_keys 190
		wire_truth_keys 190
		wire_truth_percent 100 $(awk 'BEGIN { print 100 * exp(log(0.05) / 190) }')
		wire_exact_percent 0
		wire_latency_high_p50_ms $(awk -v p="$p50" 'BEGIN { print p - 0.1 }')
		wire_latency_p50_ms_from $(awk -v p="$p50" 'BEGIN { print p - 1.1 }')
		repeats 2
		keys 190"
	are heavy 5 <<<"wire_truth_percent $(awk 'BEGIN { print 100 * 170 / 190 }')"
}

@test "summarize refuses an impossible patch number and a damaged wire.tsv, and names the file" {
	heavy_run
	trace run/cells/heavy-005/1
	for number in 9223372036854775807 4294967296 -2; do
		sed -i "s/\"patch_base\": [-0-9]*,/\"patch_base\": $number,/" run/cells/heavy-005/1/keyrepeat.json
		run -1 warm summarize run
		[[ "$output" == *"heavy-005/1/keyrepeat.json: result.patch_base is not "* ]]
	done
	sed -i "s/\"patch_base\": [-0-9]*,/\"patch_base\": 300,/" run/cells/heavy-005/1/keyrepeat.json
	echo broken >>run/cells/heavy-005/1/wire.tsv
	run -1 warm summarize run
	[[ "$output" == *"heavy-005/1/wire.tsv: line "*"cannot be read"* ]]
}

# --- findings ------------------------------------------------------------------------------------------------------

@test "findings of a complete run; notes on top name shared CPUs and an interrupted run" {
	reported SHARED=true
	[ "$(ids)" = "late-light late-heavy fair-sharing idle-response probe" ]
	found late-light 0 good
	[ "$(finding run late-light high)" = 9.978 ]
	found late-heavy 50.526 bad
	found fair-sharing 214.2 good	# 10 ms x 21 = 210 ms
	found idle-response 9.98 none
	warm report --findings run >findings
	grep -q 'Other labs were allowed to use the same CPUs' findings
	grep -q '^Preliminary: 3 repeats' findings
	summarized STATE=interrupted LOADS='0 5' REPEATS=5 APPS=light
	warm report --findings run >findings
	grep -q '^Incomplete (interrupted)' findings
	run -1 grep -q Preliminary findings
	summarized STATE=interrupted LOADS='0 5' REPEATS=2 APPS=light
	limit 3 'p50>250ms'	# with 5 CPU hogs nothing was measured
	grep -qE '^ +5 +failed +failed ' <(warm report --table run)
}

@test "findings: the protocol's own delay; the own scheduling group; no fair-sharing figure with several updates a redraw" {
	reported FLOOR='5, "floor_of": "waiting for the release"' GROUP=9
	[[ $(finding run idle-response text) == *"waiting for the release would be 5.0 ms"*"would add 0.05 ms"* ]]
	[[ $(finding run late-light text) == *"its own scheduling group"* ]]
	put updates_per_key 1.9 run/cells/heavy-000/*/keyrepeat.json
	again
	found fair-sharing null unsure
}

@test "findings: a protocol's own application counts as heavy if it has a CPU cost, else as light" {
	reported APPS=own PROTOCOL=null COST=null FLOOR=0 LOADS='0 5'
	[ "$(ids)" = "late-light idle-response probe" ]
	reported APPS=own PROTOCOL=vnc:refecho LOADS='5 20'
	found late-heavy 50.526 bad
	found fair-sharing 214.2 good
}

@test "findings: a late light application is bad; with scattered repeats, or with ranges, it is unsure" {
	reported LIGHT=late APPS=light LOADS='0 5'
	found late-light 10.526 bad
	reported LIGHT=noisy APPS=light LOADS='0 5'
	[ "$(finding run late-light verdict)" = unsure ]
	reported LIGHT=open APPS=light LOADS='0 20'
	found late-light null unsure
	# 24 of 95 keys
	[ "$(finding run late-light from)/$(finding run late-light to)" = 0/25.263 ]
	[[ $(finding run late-light text) == *"0 to 25.3 %"* ]]
	# tables show both ends of the range, not the early one alone; --fail-if decides by the late end
	warm report --table run >table
	grep -qE '^ +20 +0 to 25\.3\*' table
	run -1 grep -qE '^ +20 +0 \(' table
	limit 5 'late>1%' 'p95>100ms'
	limit 3 'late>26%'	# its interval ends at 32.8 %
	limit 0 'late>33%'
}

@test "findings: mean stalls above or below fair sharing's prediction; late keys that it does not predict" {
	reported STRETCH=1.5 APPS=heavy LOADS='0 20'
	[ "$(finding run fair-sharing verdict)/$(finding run fair-sharing | cut -d. -f1)" = bad/321 ]
	reported STRETCH=0.5 APPS=heavy LOADS='0 20'
	[ "$(finding run fair-sharing verdict)/$(finding run fair-sharing | cut -d. -f1)" = none/107 ]
	reported STRETCH=3 APPS=heavy LOADS='0 2'
	found late-below-saturation 100 bad
	[[ $(finding run late-below-saturation text) == *"2 CPU hogs. By arithmetic, not measured: "*"3 × "* ]]
}

@test "findings: late keys are unexpected only if the server's whole CPU time of a key would fit beside the hogs" {
	local cell
	busy() {	# busy PERCENT: of the server's CPU without load
		put server_busy_percent "$1" run/cells/heavy-000/*/cell.json
		again
	}
	make_run STRETCH=3 APPS=heavy LOADS='0 2'
	busy 30
	[[ $(finding run late-below-saturation text) == *" 3 × 15.0 ms "* ]]	# of 50 ms
	busy 40
	[ "$(ids)" = "late-heavy idle-response probe" ]
	busy null	# not known
	[ "$(ids)" = "late-heavy idle-response probe" ]
}

@test "findings: an overloaded condition has a backlog in place of a response time" {
	reported OVERLOADED=20 APPS=heavy
	limit 5 'p95>250ms'	# the others have at most 128 ms
	grep -qE '^ +20 +100 .* overloaded +overloaded +overloaded' <(warm report --table run)
	[[ $(finding run late-heavy text) == *"cannot keep up"* ]]
	[ "$(finding run fair-sharing verdict)" = good ]
	reported OVERLOADED='5 10 20' APPS=heavy
	[[ $(finding run late-heavy text) == *"9.5 a second"* ]]
	[ -z "$(finding run fair-sharing)" ]
}

@test "findings: the link's share of the idle response; a latency below the probe's error is printed as a bound" {
	make_run FLOOR=0 APPS=light LOADS=0
	edit_json run/run.json '.lab.rate = "1Mbit,2ms"'
	again
	[[ $(finding run idle-response text) == *"8.8 ms"* ]]	# 600 bytes at 1 Mbit/s and twice 2 ms: 4.8 + 4
	edit_json run/run.json '.chain.latency_p99_ms = 10.9'
	paged
	warm report --table run | grep -qE ' <10.9 +<10.9 +11.0'
	[[ $(finding run idle-response text) == *"error of 10.9 ms"* ]]
	grep -q '(-0.26 to 0.25)' run/report.md	# the bound holds for latencies, not for stalls
	# the error of a calibration, on a path without a frame clock; the TSV keeps the number
	edit_json run/run.json '.calibration = {started: "2026-11-20T10:00:00Z",
		paths: [{path: "vnc-refecho", probe: "patch", error_ms: 10.5, sd_ms: 8, tail_percent: 95}]}'
	again
	warm report --table run | grep -qE ' <10.5 +10.8 +11.0'
	[[ $(finding run probe text) == *"2026-11-20"*"10.50 ms for 95 % of the keys"* ]]
	are light 0 <<<'latency_p50_ms 9.98'
	edit_json run/run.json '.settings.protocol = "rdp"'	# no path of that name is on record
	again
	[[ $(finding run probe text) == *"not calibrated on this machine"* ]]
	edit_json run/run.json '.settings.on = "ssh:a,b"'	# where a calibration is not possible
	again
	text=$(finding run probe text)
	[[ -n $text && $text != *"thinprobe calibrate"* ]]
}

@test "findings: the breaking load lies between the loads tried, or is one of them; the bound on late keys is for all loads" {
	reported LOADS='0 2 5'
	[[ $(finding run late-heavy text) == *"between 3 and 5 CPU hogs"* ]]
	[[ $(finding run late-heavy text) == *"(no key was late with 2 CPU hogs)"* ]]	# 285 keys do not exclude 5 %
	reported LOADS='0 3 4'
	[[ $(finding run late-heavy text) == *"at 4 CPU hogs"* ]]
	# none of 285 keys, as 28.5 stalls of half a second, at each of three loads: 1 - (0.05 / 3)^(1 / 28.5) = 13.4 %
	[[ $(finding run late-light text) == *" 13.4 %"* ]]
}

@test "verdict: an application 'stays fast' only if its interval excludes 5 % of late keys" {
	local repeats keys words
	# none late of 3 x 1000 keys excludes 5 %; none late of fewer keys does not
	while read -r repeats keys words; do
		reported LOADS=5 APPS=light REPEATS="$repeats" KEYS="$keys"
		[[ $(verdict run) == "Vim $words with 5 CPU hogs." ]]
		found late-light 0 good
	done <<-END
		3 1005 stays fast
		3 100 had no late key
		2 25 had no late key
		1 25 had no late key
	END
	# one key of 95 late in the only repeat: 1.05 %, and nothing known of the most
	make_run LOADS=5 APPS=light REPEATS=1
	awk -F'\t' -v OFS='\t' -v CONVFMT=%.0f '$2 == 50 { $5 += 2e8; $6 = $5 } { print }' run/cells/light-005/1/samples.tsv >new
	mv new run/cells/light-005/1/samples.tsv
	again
	[ "$(finding run late-light verdict)" = unsure ]
}

@test "verdict: where an application that breaks is fast beside the most hogs; hogs that got no CPU" {
	local repeat
	make_run LOADS='0 5 20' APPS=heavy KEYS=1005
	for repeat in 1 2 3; do
		cp run/cells/heavy-000/$repeat/samples.tsv run/cells/heavy-020/$repeat/
		echo '{"result": {"total_share_percent": 3}}' >run/cells/heavy-020/$repeat/sink.json
	done
	again
	[[ $(verdict run) == *"with 5 CPU hogs, but 0 % with 20 "*" 3 % of a CPU with 20:"* ]]
}

@test "verdict: the share of late keys is that of the load with most of them, not of the first" {
	make_run LOADS="0 5" APPS=light REPEATS=5 KEYS=1005
	awk -F'\t' -v OFS='\t' -v CONVFMT=%.0f '$2 == 50 { $5 += 2e8; $6 = $5 } { print }' run/cells/light-005/1/samples.tsv >new
	mv new run/cells/light-005/1/samples.tsv
	warm summarize run >out
	again
	found late-light 0.02 good	# one of 5,000
}

@test "two protocols: the finding separates the one proven fast from the one that merely had no late key" {
	two_protocols LOADS=5 APPS=light
	rm -r run/cells/light-005
	make_run LOADS=5 APPS=light KEYS=1005 other
	mv other/cells/light-005 run/cells/
	run_cells run
	again
	[[ $(finding run late-light text) == *"fast or without a late key over each of the 2"*"Fast with every load tried: vnc."* ]]
	[[ $(finding run late-light text) == *"No late key with any load tried: x11."* ]]
}

# --- pages ---------------------------------------------------------------------------------------------------------

@test "page: one self-contained, well-formed HTML file with five figures and the tables' data, also in a path with blanks" {
	need python3
	make_run LIGHT=open MARKED=1 "a run's [1] folder"
	cd / && drawn run warm report "$BATS_TEST_TMPDIR/a run's [1] folder"
	echo "$output"
	[ "$output" = "$BATS_TEST_TMPDIR/a run's [1] folder/report.html" ]
	cd "$BATS_TEST_TMPDIR/a run's [1] folder" || return 1
	[ "$(grep -c '<figure' report.html)" -eq 5 ]
	[ "$(grep -c '<svg class="wide"' report.html)" -eq 5 ]
	[ "$(grep -c '<svg class="narrow"' report.html)" -eq 5 ]
	# a point of a curve shows both ends of a range
	grep -q 'vim: 0 to 25.26' figures/late-share.svg
	# nothing is fetched
	run -1 grep -noE '(src|href)="?(https?:|//)[^ >]*|src="?figures/|@import|<script [^>]*src|<link' report.html
	grep -o 'download="summary.tsv" href="data:[^"]*"' report.html | sed 's/.*base64,//; s/"$//' | base64 -d | cmp - summary.tsv
	# every name once, every reference to a name that is there
	[ -z "$(grep -oE " id=['\"][^'\"]*['\"]" report.html | tr -d "'\"" | sort | uniq -d)" ]
	grep -oE "(xlink:)?href='#[^']*'" report.html | sed "s/.*#//; s/'//" | sort -u | while read -r name; do
		grep -qE "id=['\"]${name}['\"]" report.html || { echo "no $name"; return 1; }
	done
	grep -q '^> \*\*Flagged\*\*: in 2 of 8 conditions' report.md
	grep -q '^- netem: the kernel has no sch_netem' report.md
	python3 - report.html <<'END'
import sys
from html.parser import HTMLParser
VOID = {"meta", "br", "hr", "img", "path", "circle", "use"}
class Tags(HTMLParser):
	stack = []
	def handle_starttag(self, tag, attrs):
		if tag not in VOID: self.stack.append(tag)
	def handle_startendtag(self, tag, attrs): pass
	def handle_endtag(self, tag):
		if tag in VOID: return
		assert self.stack and self.stack[-1] == tag, (tag, self.stack[-4:], self.getpos())
		self.stack.pop()
tags = Tags()
tags.feed(open(sys.argv[1], encoding="utf8").read())
assert not tags.stack, tags.stack
END
}

@test "page: made again it is identical, also by an installed thinprobe, and from run.json and tables without samples" {
	make_run LOADS='0 5'
	drawn paged
	cp run/report.md first
	mkdir -p away/share/thinprobe away/libexec/thinprobe kept
	cp -R "$TOP"/{analysis,plots,data,experiments} away/share/thinprobe
	cp "$BIN"/{report,summarize} away/libexec/thinprobe
	drawn env -u TP_HOME -u TP_BIN away/libexec/thinprobe/report run
	cmp run/report.md first
	cp run/run.json run/*.tsv kept
	drawn warm report kept
	cmp kept/report.md first
	diff -r run/figures kept/figures
}

@test "page: drawn also with one load, with many, with one that was not measured, and with overload everywhere" {
	make_run LOADS=0 APPS=light REPEATS=1
	# keys that had to wait for their turn might have been answered at once
	awk -F'\t' -v OFS='\t' 'NR == 1 { print $0, "earliest_ns"; next } { print $0, NR % 3 ? "" : $3 }' \
		run/cells/light-000/1/samples.tsv >new
	mv new run/cells/light-000/1/samples.tsv
	drawn paged
	[ "$(ids)" = "late-light idle-response probe" ]
	grep -q '<svg' run/figures/latency-cdf.svg
	are light 0 <<<'latency_p50_ms_from 8~4'
	make_run LOADS='0 5' OVERLOADED='0 5' APPS=own PROTOCOL=vnc:refecho
	drawn paged
	run -1 grep '>vim' run/figures/late-share.svg
	make_run LOADS="$(seq -s ' ' 0 13)" REPEATS=1 KEYS=30
	rm run/cells/*-005/*/cell.json
	drawn paged
	grep -qE '^\|.* 5 \|.* not measured \|$' run/report.md
	[[ $(verdict run) == "Vim "*"measured with 5 CPU hogs)"* ]]
	find run/cells -name cell.json -delete
	run -1 warm report run
	summarized LOADS="$(seq -s ' ' 0 39)" REPEATS=1 KEYS=30
	[ "$(warm report --table run | grep -cE '^ +[0-9]+ ')" -ge 80 ]	# more than the 128 KB of an argument
}

# --- several protocols -----------------------------------------------------------------------------------------------

engine() {	# engine OPTION...: what DO prints when the engine has checked them
	run --separate-stderr in_engine stalls 'options "$@" && eval "$DO"' "$@"
	echo "$* -> $status $output $stderr"
}

@test "several protocols: one without a display has its own application; cells of a protocol stay together in each repeat" {
	local repeat
	export DO
	DO='cells_choose; printf "%s\n" "${CELLS[@]}"' engine --protocol vnc,ssh,vnc:refecho --loads 0,5
	[ "$output" = "$(printf '%s\n' vnc-light-{0,5} vnc-heavy-{0,5} ssh-own-{0,5} vnc-refecho-own-{0,5})" ]
	DO='cells_choose; echo "$APPS ${CELLS[*]}"' engine --protocol ssh --app heavy --loads 0
	[ "$output" = "own ssh-own-0" ]
	DO='cells_choose; cells_order' engine --protocol vnc,x11,rdp --loads 0,1,2 --repeat 3
	[ "${#lines[@]}" = 54 ]
	for repeat in 1 2 3; do
		# each protocol once, all of its cells together
		[ "$(awk -v r=$repeat '$2 == r { print $3 }' <<<"$output" | uniq |
			sort)" = "$(printf '%s\n' $repeat\|{rdp,vnc,x11})" ]
		[ "$(awk -v r=$repeat '$2 == r { print $1 }' <<<"$output" | sort -un | wc -l)" = 18 ]
	done
	refused_each stalls <<-'END'
		--protocol vnc,nonsense
		--protocol vnc,attach
		--protocol vnc,ssh --app own
		--app own
		--on attach::0,1 --protocol vnc,x11
	END
}

@test "a protocol that cannot run here is left out, with its reason; if it is the only one, or in --resume, the run ends with 4" {
	local can='protocol_use() { PROTOCOL_NAME=$1; }
		protocol_can() { [ "$PROTOCOL_NAME" != rdp ] || { echo "xrdp is missing"; return 1; }; }'
	export DO
	DO="$can"'; plan_choose_protocols; echo "$PROTOCOLS $PROTOCOL: ${ABSENT[*]}"' engine --protocol rdp,vnc,x11
	[ "$status" = 0 ]
	[ "$output" = "vnc,x11 vnc: rdp: xrdp is missing" ]
	DO="$can; plan_choose_protocols" engine --protocol rdp
	[ "$status" = 4 ]
	[[ $stderr == *"rdp cannot run here: xrdp is missing" ]]
	DO="$can; RESUME=run; plan_choose_protocols" engine --protocol vnc,rdp
	[ "$status" = 4 ]
}

@test "only one protocol has its sessions up at a time; if it does not start, the protocols after it still run" {
	local stubs='exp_step() { :; }; protocol_use() { :; }; protocol_properties() { echo display; }; lab_stop() { :; }
		session_start() { [ "$2" != bad ] || cannot -4 "no server" || return; UP+=" $1"; }
		protocol_stop() { UP=""; }; LAB_PIDS=(1) UP=""'
	export DO
	DO="PROTOCOLS=vnc,bad,ssh:x11; $stubs"'
		sessions_of vnc && echo "$UP"
		sessions_of vnc && echo "$UP"
		sessions_of bad || echo "$LAB_WHY $LAB_STATUS:$UP"
		sessions_of ssh:x11 && echo "$UP"; sessions_end; echo "$UP"' engine --app light,heavy
	[ "$output" = "$(printf '%s\n' ' vnc-light vnc-heavy' ' vnc-light vnc-heavy' 'no server 4:' ' ssh-x11-light ssh-x11-heavy' \
		'')" ]
	# with a single protocol, sessions are named after the applications, and the run ends if they do not start
	DO="$stubs; sessions_begin; echo \"\$UP\"" engine --app light
	[ "$output" = " light" ]
	DO="PROTOCOLS=bad; $stubs; sessions_begin" engine --app light
	[ "$status" = 4 ]
	[[ $stderr == *"no server" ]]
}

# Two protocols in one run: the second one's redraws take 1.5 times as long.
two_protocols() {	# [NAME=value …] of make_run.py
	local cell
	make_run PROTOCOL=x11 STRETCH=1.5 "$@" other
	make_run "$@"
	for cell in other/cells/*; do mv "$cell" "run/cells/x11-${cell##*/}"; done
	run_cells run
	edit_json run/run.json 'del(.settings.protocol, .protocol) | .settings.protocols = ["vnc", "x11"]
		| .protocols = {vnc: {says: "VNC", floor_ms: 8}, x11: {says: "X11", floor_ms: 0}}
		| .idle = {"vnc-light": {updates: 3, seconds: 12}, "x11-heavy": {updates: 0, seconds: 12}}'
}

@test "two protocols: tables, curves and findings show each" {
	two_protocols
	drawn paged
	# 10 x 21 x 1.02 - 50
	[ "$(field run/summary.tsv mean_stall_ms protocol=vnc app=heavy sinks=20 | cut -d. -f1)" = 164 ]
	# 10 x 21 x 1.02 x 1.5 - 50
	[ "$(field run/summary.tsv mean_stall_ms protocol=x11 app=heavy sinks=20 | cut -d. -f1)" = 271 ]
	[ "$(jq -c '.result.idle_noise | map_values(.unsolicited_per_s)' run/summary.json)" = '{"vnc-light":0.25,"x11-heavy":0}' ]
	[ "$(cut -f 2,3,10 run/cdf.tsv | sort -u | grep -cP 'heavy\t\d+\tx11$')" = 4 ]
	[ "$(ids)" = "late-light late-heavy mean-stall idle-response probe" ]
	# 285 keys of each do not exclude 5 %
	[[ $(finding run late-light text) == *"no late key over each of the 2 protocols"* ]]
	[[ $(finding run late-heavy text) == *"late over each of the 2"*"With 5 CPU hogs and more: vnc and x11"* ]]
	[[ $(finding run mean-stall text) == *"over vnc and 271 ms"*"over x11"*"different over x11." ]]
	[ "$(finding run mean-stall)" = "$(field run/summary.tsv mean_stall_ms protocol=x11 app=heavy sinks=20 |
		awk '{ print $1 + 0 }')" ]
	for figure in late-share median mean-stall jitter latency-cdf; do
		[ "$(grep -c '>x11' "run/figures/$figure.svg")" -ge 1 ]
		[ "$(grep -c '>vnc' "run/figures/$figure.svg")" -ge 1 ]
	done
	warm report --table run | grep -qE '^ +x11 +20 '
	rm run/cells/x11-light-010/*/cell.json
	again
	[[ $(verdict run) == *"no late key over"*"with 10 CPU hogs over x11"* ]]
	two_protocols APPS=heavy LOADS='0 5 20'
	again
	[[ $(finding run late-heavy text) == *"each of the 2"* ]]
	[ "$(ids)" = "late-heavy mean-stall idle-response probe" ]
	rm run/cells/x11-heavy-*/[123]/cell.json	# only one is left to be judged
	again
	run -1 grep 'of the 1[.:*]' run/findings.json
	# the terminal's table of a run of one protocol does not name it
	summarized LOADS='0 5' APPS=light
	warm report --table run >table
	[ -s table ]
	run -1 grep -q Protocol table
}

scatter() {	# scatter CELL: its mean stalls have a mean of 460 ms, with an interval from below 0
	local repeat
	for repeat in 1 2 3; do
		put mean_ms $((repeat * repeat * repeat * 40 - 20)) "run/cells/$1/$repeat/keyrepeat.json"
	done
	again
}

@test "findings: a wide interval that holds the prediction does not confirm it; intervals of stalls are cut off at 0" {
	local repeat
	make_run APPS=heavy LOADS='0 20'
	scatter heavy-020
	[ "$(finding run fair-sharing low)" = 0 ]
	# nor does its middle
	for repeat in 1 2 3; do
		put mean_ms $((120 * repeat - 80)) "run/cells/heavy-020/$repeat/keyrepeat.json"
	done
	again
	found fair-sharing 210 unsure
	two_protocols APPS=heavy LOADS='0 20'
	scatter x11-heavy-020
	[ "$(finding run mean-stall verdict)" = unsure ]
	[[ $(finding run mean-stall text) == *"160 ms;"*x11*. ]]
}

@test "three protocols: the finding names the late one, and those without a late key" {
	two_protocols LOADS='0 5'
	make_run APPS=own PROTOCOL=null COST=null LOADS='0 5' third
	for cell in third/cells/*; do mv "$cell" "run/cells/${cell##*/}"; done
	run_cells run
	edit_json run/run.json '.settings.protocols += ["null"]'
	for cell in run/cells/x11-light-005/*/samples.tsv; do	# 200 ms more for all keys
		awk -F'\t' -v OFS='\t' 'NR > 1 { $5 += 2e8; $6 = $5 } { print }' OFMT=%.0f CONVFMT=%.0f "$cell" >rows
		mv rows "$cell"
	done
	again
	[[ $(finding run late-light text) == *"late over 1 of the 3"*"With 5 CPU hogs: x11."*"No late key with any load tried: "*null* ]]
	[ "$(finding run late-light verdict)" = bad ]
	[ "$(finding run late-light)" = 100 ]
	# null's own application is not vim
	[[ $(finding run late-light text) == *"Vim or "* ]]
}

@test "three protocols: stalls are compared without the one whose updates show none, even if its mean stall is the least" {
	local cell
	two_protocols APPS=heavy LOADS='0 20'
	make_run APPS=own PROTOCOL=vnc:refecho STRETCH=0.5 LOADS='0 20' third
	for cell in third/cells/*; do mv "$cell" "run/cells/${cell##*/}"; done
	run_cells run
	edit_json run/run.json '.settings.protocols += ["vnc:refecho"]'
	put updates_per_key 1.9 run/cells/own-020/*/keyrepeat.json
	again
	# 1.02 x 210 ms - 50 ms, half of 1.02 x 210 ms more, and half of it less
	[[ $(finding run mean-stall text) == *" over vnc and 271 ms"*" Longer than over vnc: by 107 ms ("*") over x11. The jitter "* ]]
	[[ $(finding run mean-stall text) == *"as several over vnc:refecho, so "* ]]
}

# --- several runs in one report ----------------------------------------------------------------------------------------

# several RUN... [OPTION...]: in the folder both, without figures and page.
several() { warm report "$@" -o both --json >said && mv said both/findings.json; }

two_runs() {
	make_run LOADS='0 20' STRETCH=1.5 beta
	make_run LOADS='0 20' alpha
	edit_json alpha/run.json '.host.hostname = "alpha" | .counts = {total: 12, complete: 12}'
	edit_json beta/run.json '.host.hostname = "beta.example.org" | .started = "2026-01-03T03:04:05Z"
		| .settings.seconds = 9 | .settings.threshold = "perception" | .settings.new = 1 | .counts = {total: 12, complete: 12}'
}

@test "report of two machines: common drawings and tables, rows named by machine, differing settings listed" {
	two_runs
	# without -o: beside the first
	drawn run -0 warm report alpha beta/
	[ "$output" = "$PWD/alpha+beta/report.html" ]
	mv alpha+beta both
	[ "$(field both/summary.tsv mean_stall_ms protocol=vnc/alpha app=heavy sinks=20)" = "$(
		field alpha/summary.tsv mean_stall_ms app=heavy sinks=20)" ]
	[ "$(field both/summary.tsv mean_stall_ms run_name=beta-example-org app=heavy sinks=20 | cut -d. -f1)" = 271 ]
	[ "$(awk 'END { print NR }' both/summary.tsv)" = 9 ]
	[ "$(grep -c '>vnc/alpha' both/figures/mean-stall.svg)" -ge 1 ]
	grep -q '^| alpha | alpha | 2026-01-02T03:04:05Z | complete | 3 |' both/report.md
	grep -q '^| beta-example-org | beta.example.org | 2026-01-03T03:04:05Z |' both/report.md
	grep -q '^> \*\*Not alike\*\*: seconds 5 (alpha) and 9 (beta-example-org)' both/report.md
	[ "$(jq -c '.differs | map_values(.alpha)' both/run.json)" = '{"seconds":5}' ]
	[[ $(finding both mean-stall text) == *"over vnc/alpha and 271 ms"*"over vnc/beta-example-org"* ]]
	[ "$(jq '.cells | length' both/run.json)" = 8 ]
	# it is a run like others: reported again from its tables, to the byte
	cp both/report.md first
	drawn warm report both
	cmp both/report.md first
	# and made again from the runs; a part of it is only printed
	rm both/report.*
	run -0 warm report beta alpha -o both --verdict
	[[ $output == Vim* ]]
	[ ! -e both/report.md ]
	[ "$(awk -F'\t' 'NR == 2 { print $2 }' both/summary.tsv)" = vnc/beta-example-org ]
	# without -o, a part leaves no folder
	run -0 warm report beta alpha --verdict
	[[ $output == Vim* ]]
	[ ! -e beta+alpha ]
}

@test "report of runs with different loads: compared at the largest common load; without one, not compared" {
	make_run LOADS='0 5' APPS=heavy REPEATS=2 beta
	make_run LOADS='0 5 20' APPS=heavy alpha
	edit_json beta/run.json '.host.hostname = "beta"'
	warm report alpha beta -o both
	[ "$(finding both mean-stall)" = "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["sinks"] == 5 {
		v = $at["mean_stall_ms"] + 0; if (v > most) most = v } END { print most }' both/summary.tsv)" ]
	[[ $(finding both late-heavy) == 5[0-9]* ]]	# of 5 CPU hogs; with 20 all are late
	[ "$(jq -c '.differs | map_values(.beta)' both/run.json)" = '{"loads":[0,5],"repeats":2}' ]
	grep -q '^[^|>]*; 2 to 3 repeats' both/report.md
	grep Preliminary both/report.md >preliminary
	run -1 grep 'thinprobe report' preliminary
	# none at all
	make_run LOADS=10 APPS=heavy beta
	edit_json beta/run.json '.host.hostname = "beta"'
	several alpha beta
	[ "$(finding both late-heavy verdict)/$(finding both late-heavy)" = bad/null ]
	[ -z "$(finding both mean-stall)" ]
}

@test "report --label names the runs; differing settings are named; medians that do not differ significantly are not ranked" {
	local bad
	make_run LOADS='0 20' COST=20 new
	make_run LOADS='0 20' old
	edit_json new/run.json '.host.kernel = "7.0"'
	several old new --label before,after
	[ "$(jq -c '.settings.protocols' both/run.json)" = '["vnc/before","vnc/after"]' ]
	[ "$(jq -c '.differs | map_values(.after)' both/run.json)" = '{"cost_ms":20,"kernel":"7.0"}' ]
	[[ $(finding both late-heavy text) == *"10 ms"*"vnc/before"*"20 ms"*"vnc/after"* ]]
	[[ $(verdict both) == *"10 ms"*"vnc/before"*"20 ms"*"vnc/after"* ]]
	# 21 x 20 - 21 x 10 ms, with 2 % in the mean of the repeats
	[[ $(finding both mean-stall text) == *"by 214 ms ("*"over vnc/after"* ]]
	[[ $(finding both idle-response text) == *"cannot be told apart"*"edians with load are not compared."* ]]
	grep -q 'cannot be told apart' <(finding both idle-response text)
	for bad in one one,one 'a b,c' a,b,c; do
		run -2 warm report old new -o both --label "$bad"
		[ "${#lines[@]}" = 1 ]
	done
	run -2 warm report old --label one
}

@test "report of several runs: a run without the figure, or without its interval, is named and not compared" {
	make_run LOADS='0 20' APPS=heavy OVERLOADED='0 20' new
	make_run LOADS='0 20' APPS=heavy old
	make_run LOADS='0 20' APPS=heavy REPEATS=2 quick
	several old new quick --label before,after,quick
	[[ $(finding both mean-stall text) == *"Without intervals, vnc/"*" cannot be compared. No mean stall over vnc/after."* ]]
	[[ $(finding both idle-response text) == *"(two repeats: "*"No such median over vnc/after."* ]]
}

@test "report of several runs: a disturbed run is named, and excluded from verdict, findings and 'breaks here' marks" {
	local run
	two_runs
	several alpha beta --label a,b
	[[ $(verdict both) == *"the 2 runs"* ]]
	grep 'vnc/b .*breaks here' <(warm report --table both)
	edit_json beta/run.json '.cells[].flags = ["foreign CPU time 41.5 %"]'
	warm report alpha beta -o both --label a,b
	[[ $(verdict both) == "Vim"*vnc/a* ]]
	run -1 grep vnc/b both/findings.json
	warm report --table both >table
	grep 'vnc/a .*breaks here' table
	run -1 grep 'vnc/b .*breaks here' table
	[ "$(finding both mean-stall)" = "$(field both/summary.tsv mean_stall_ms protocol=vnc/a app=heavy sinks=20 |
		awk '{ print $1 + 0 }')" ]
	grep -q '^> \*\*Not usable\*\*: b: .* 4 of 4 conditions' both/report.md
	run -1 grep '^> \*\*Flagged' both/report.md
	# one condition of the other run is disturbed
	edit_json alpha/run.json '.cells[0].flags = ["foreign CPU time 41.5 %"]'
	warm report beta alpha -o both --label b,a --findings >words
	grep -q '^Flagged: in 1 of 4 conditions of a,' words
	# two of three runs are disturbed, then all
	cp -r beta third
	warm report alpha beta third -o both --label a,b,c --findings >words
	[[ $(head -n 1 words) == "Vim"*vnc/a* ]]
	grep -q '^Not usable: b: .* c: ' words
	several beta third --label b,c
	[[ $(verdict both) == "Not usable: "*"8 of 8"* ]]
	jq -e 'all(.findings[]; .verdict == "unsure")' both/findings.json
}

@test "report of --on attach: the verdict has the median; only a load that somebody set is said to be none" {
	local set
	make_run LOADS=0 APPS=own COST=null
	for set in 'ssh server load %d' ''; do
		edit_json run/run.json '.settings += {on: "attach::0,x", set_load: $set} | .protocol.title = "x"' --arg set "$set"
		again >said
		jq -r '.verdict, .findings[].text' run/findings.json >words
		[ "$(grep -ci 'without load' words)" = "$([ -z "$set" ] && echo 0 || echo 3)" ]
		grep -q "$(field run/summary.tsv latency_p50_ms sinks=0 | awk '{ printf "%.1f", $1 }') ms" <(verdict run)
	done
	drawn warm report run
	[ "$(grep -o 'figures/[a-z-]*.svg' run/report.md | head -n 1)" = figures/latency-cdf.svg ]	# no figure of one dot
	grep -q 'load as it is' run/figures/latency-cdf.svg
	grep -qi 'typing on ' run/report.md	# no window is named, as by try vnc://: the server may be at fault, not the application
	edit_json run/run.json '.protocol.window = 7'
	grep -q 'the attached application' <(warm report --table run)
}

@test "report of two runs with --on attach: loads are called 'Load', not CPU hogs" {
	two_runs
	for run in alpha beta; do
		edit_json $run/run.json '.settings.on = "attach:" + $run | .protocol.title = $run' --arg run $run
	done
	drawn warm report alpha beta -o both
	grep -q '^|.*| Load |' both/report.md
	run -1 grep -i 'hogs' both/figures/late-share.svg
	# beside a run of the lab: both in one figure, and what is not alike above it
	edit_json alpha/run.json '.settings += {on: "lab", link: "100Mbit"} | .host.hostname = "here"'
	edit_json beta/run.json '.settings.link = "none"'
	drawn warm report alpha beta -o both
	[ "$(jq -c '[.runs[].name]' both/run.json)" = '["here","beta"]' ]
	for word in '>vnc/here' '>vnc/beta'; do grep -q "$word" both/figures/late-share.svg; done
	for word in 'link 100Mbit (here) and as it is (beta);' 'load CPU hogs of the run (here) and set by others (beta);'; do
		grep -q "^> \*\*Not alike\*\*: .*$word" both/report.md
	done
	run -1 grep 'window' both/findings.json
}

@test "report refuses runs that are not comparable in one line, and writes nothing" {
	two_runs
	cp -r beta other
	edit_json other/run.json '.experiment = "wan"'
	cp -r beta late
	edit_json late/run.json '.settings.threshold_ms = 150'
	cp -r beta draws
	edit_json draws/run.json '.settings += {works: ["draw"], quick: true}'
	cp -r beta writes
	edit_json writes/run.json '.settings += {works: ["draw"], quick: false}'
	cp -r beta users
	edit_json users/run.json '.axes = ["app", "sinks"]'
	refuses() { run -2 warm report "$@"; echo "$output"; [ "${#lines[@]}" = 1 ]; }
	refuses alpha other; [[ $output == *wan*stalls* ]]
	refuses alpha late; [[ $output == *"150 ms"*"100 ms"* ]]
	refuses draws writes; [[ $output == *"draw quick=false"* ]]
	refuses alpha users; [[ $output == *protocol* ]]
	refuses alpha ./alpha; [[ $output == *twice* ]]
	refuses alpha beta -o late; [[ $output == *"late: contains a run"* ]]
	refuses alpha -o both
	refuses alpha beta -o
	refuses alpha beta --nonsense
	[ -z "$(ls -d ./*+* both 2>/dev/null)" ]
	several alpha beta
	refuses both alpha; [[ $output == *"both: "*"several runs"* ]]
	run -1 warm report alpha nowhere
}
