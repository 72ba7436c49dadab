# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# replays.bash - for tests of sessions replayed at several settings: made-up runs whose figures follow from arithmetic, and short
# real ones.

TOP=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
load "$TOP/tests/e2e/left"
load "$TOP/tests/warm"

setup() {
	export HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
	RUN="a run"
}

# made EXPERIMENT BASE SETTING...: $RUN, of two repeats, or $REPEATS; settings are NAME:VALUE:FACTOR:TOTAL:FACTS. Three responses
# of 10, 20 and 400 ms at the base, FACTOR times as long elsewhere; in the second repeat 1 % more. The last one is not found in
# the second repeat of the last setting.
made() {
	local file json
	rm -rf "$RUN"
	while IFS=$'\t' read -r file json; do
		mkdir -p "$RUN/${file%"${file##*/}"}"
		printf '%s\n' "$json" >"$RUN/$file"
	done < <(jq -nr --argjson repeats "${REPEATS:-2}" '$ARGS.positional[0] as $experiment | $ARGS.positional[1] as $base
		| [$ARGS.positional[2:][] | split(":") | {name: .[0], value: (.[1] | tonumber? // null), factor: (.[2] | tonumber),
			total: (.[3] | tonumber), facts: (.[4:] | join(":") | fromjson? // {})}] as $all
		| [range(1; $repeats + 1) as $repeat | $all[] + {$repeat}] as $runs
		| ["run.json", {schema: "thinprobe.run/1", $experiment, version: "0", started: "2026-11-20T10:00:00Z", state: "complete",
			settings: {protocol: "vnc", app: "mousepad", $base, rows: ($all | map({setting: .name, value, says: "at \(.name)"})),
				$repeats, timeout_s: 60, seed: 1, quick: false, threshold_ms: 150, on: "lab"},
			protocol: {frame_rate_per_s: 60}, lab: {shared_cpus: false, missing: ["scheduler x: this kernel | has none"]},
			axes: ["setting"], cells: ($all | map({name, parameters: {setting: .name}, state: "complete", complete: $repeats,
				flags: []})),
			counts: {total: (2 * $repeats), complete: (2 * $repeats)}}],
		($runs[] | ["cells/\(.name)/\(.repeat)/cell.json", {schema: "thinprobe.cell/1", parameters: {setting: .name}, repeat,
			state: "complete", reason: "", caches: "dropped", facts, disk: null, marked: "",
			play: {total_s: .total, inputs: 40, inputs_of_trace: 40, snapshots: {waited: 3}}}]),
		["analysis.json", {result: {
			runs: ($runs | map({file: "cells/\(.name)/\(.repeat)/replay.rfb", total_s: 99, updates: 7, bytes: 100})),
			responses: [[10, 0, 0.9], [20, 2, 0.9], [400, 4, 0.9], [5, 6, 0.2]] | map(. as [$ms, $at, $sure]
				| {input: $at, kind: "click", at_s: $at, confidence: $sure, latency_from_press_ms: ($runs | map(
					if $ms == 400 and .repeat == 2 and .name == $all[-1].name then null
					else $ms * .factor * (if .repeat == 2 then 1.01 else 1 end) end))})}}]
		| "\(.[0])\t\(.[1] | tojson)"' --args "$@")
}

column() {	# column SETTING NAME: of summary.tsv
	awk -F'\t' -v s="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["setting"] == s { print $at[name]; exit }' "$RUN/summary.tsv"
}

reported() {	# reported [drawn]: summary, page, findings.json; figures only where they are asked for
	[ -n "${DRAWN_PATH-}" ] || undrawn
	rm -rf "$RUN/figures"
	"$@" warm report "$RUN" && cat "$RUN/findings.json"
}
finding() {	# ID: "VALUE VERDICT"
	local value
	value=$(said_json "$RUN" "[$1]" value)
	[ -z "$value" ] || echo "$value $(said_json "$RUN" "[$1]" verdict | json_text)"
}

# A short real run ------------------------------------------------------------------------------------------------

# ran EXPERIMENT OPTION...: sets RUN, status; with BEGIN_ONLY it only begins, and is $driver
ran() {
	local tool
	for tool in Xvnc xset xdotool openbox mousepad gnuplot cmark-gfm; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	printf '%s\n' '200 move 400,400' '200 button 3 click' '300 Escape' '200 ctrl+alt+t' '1500 move 107,12' \
		'200 button 1 click' \
		'300 Escape' >"a script"
	groups >"$BATS_FILE_TMPDIR/groups.before"
	if [ -n "${BEGIN_ONLY-}" ]; then
		"$TOP/thinprobe" run "$@" --script "a script" --quick -o "$RUN" >out 2>err 3>&- &
		driver=$!
		return
	fi
	real_run "$RUN" "$TOP/thinprobe" run "$@" --script "a script" --quick -o "$RUN" >out 2>err 3>&-
	cat err out
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	groups >"$BATS_FILE_TMPDIR/groups.after"
}

whole() {	# all inputs delivered in every replay; nothing left; results may be asked for
	run_complete "$RUN"
	[ "$(jq -s 'all(.[]; .state == "complete" and .play.inputs == .play.inputs_of_trace
		and .play.inputs > 5)' "$RUN"/cells/*/1/cell.json)" = true ]
	for f in session.trace analysis.json summary.tsv points.tsv report.html figures/total.svg figures/cdf.svg; do
		[ -s "$RUN/$f" ]
	done
	if groups_left; then return 1; fi
	[ -z "$(find "$RUN" -type p -o -name '*.new')" ]
	while read -r f; do
		if is_left "$f"; then return 1; fi
	done < <(find /var/tmp -maxdepth 1 -name 'thinprobe-disk-??????' -newer "$BATS_FILE_TMPDIR/groups.before")
	usable "$RUN"
	[ "$(finding delivered | cut -d' ' -f2)" = good ]
}
