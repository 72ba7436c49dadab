#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# compare.sh RUN RUN... - the same conditions of several runs side by side: each run against the first.
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lab/home.sh" || exit 1
. "$here/blocks.sh"
. "$here/join.sh"
. "$here/command.sh"
. "$here/kept.sh"
COMMAND=${COMMAND_OF-compare}	# (gate asks, too)

usage='usage: thinprobe compare RUN RUN... [options]
What has changed between runs of one experiment? First says what was not alike,
then compares each run with the first, by the repeats of each condition. Figures
for which single repeats are too short, such as p95, by all repeats together.
  --metrics NAME,...  only these, such as p50,late (times, shares and rates)
  --effect SIZE       smallest difference of interest (10%), or 5ms
  --alpha PERCENT     rate of false alarms, over all metrics and conditions (5)
  --strict            refuse runs that were not alike
  --json              print what judge reports, an object for each run
Exit status: 0, also if nothing could be compared, 1 no run could be read, 2 wrong usage.
To choose between two builds: thinprobe ab measures them in turns.'

metrics='' effect=10% alpha=5 strict='' json='' gate='' unlike=''	# (gate, unlike: of gate.sh)
read_words 'strict json gate unlike' 'metrics effect alpha' "$@"
runs=("${words[@]%/}")
[ "${#runs[@]}" -gt 1 ] || bad "needs two run folders or more"
for i in "${!runs[@]}"; do
	is_run "${runs[i]}"
	runs[i]=$(cd -- "${runs[i]}" && pwd) || exit 1
done
[ -n "$json" ] || need column bsdextrautils
of=$(jq -r .experiment "${runs[@]/%//run.json}" | sort -u | paste -sd ,)
[[ $of != *,* ]] || die 1 "runs of several experiments: $of"
said=$(join_each "${runs[@]}" | jq -r -s --arg axis '' --arg command '' "$(<"$here/safe.jq") ($join_names)"' as $names
	| ([., $names] | transpose | map(.[0] + {name: .[1]}) | '"$join_runs"' | .differs | all_printable | tojson),
		$names[]' 2>/dev/null) || die 1 "a run.json cannot be read"
{ IFS= read -r differs; mapfile -t names; } <<<"$said"
[ -z "$strict" ] || [ "$differs" = '{}' ] || die 1 "the runs were not alike: $(jq -r 'keys | join(", ")' <<<"$differs")"
work_folder

# rows_of RUN VARIANT: also of a kept run, whose samples are packed; $work/pooled-VARIANT: of the repeats that were not disturbed
rows_of() {
	local repeat calm=''
	if [ ! -d "$1/cells" ] && [ -f "$1/samples.tar.zst" ]; then
		rm -rf "$work/kept" && kept_unpack "$1" "$work/kept" || die 1 "$1/samples.tar.zst: $UNPACK_WHY"
		jq -r --arg run "$1" '.kept | select(.left_out_bytes > 0)
			| "thinprobe: compare: \($run): compared by the \(.conditions // 0) conditions whose samples are kept"' \
			"$1/run.json" 2>/dev/null | printable >&2
		BLOCK_OF=''	# (another one in the same folder)
		set -- "$work/kept" "$2"
	fi
	for repeat in $(find "$1/cells/" -mindepth 2 -maxdepth 2 -type d -printf '%f\n' 2>/dev/null | grep -x '[1-9][0-9]*' | sort -nu); do
		block_rows "$1" "$repeat" 1 "$2" "$work/block" >"$work/rows" 2>>"$work/why" ||
			{ ! disk_full "$work" || die 1; continue; }
		cat "$work/rows" || die 1 "cannot write to $work"
		[ "$(head -n 1 "$work/rows" | cut -f 10)" = 1 ] || calm+=" $repeat"
	done
	block_rows "$1" "$calm" "" "$2" "$work/block" 2>/dev/null | grep '^pooled' >"$work/pooled-$2" ||
		! disk_full "$work" || die 1
}

[ -n "$json" ] || jq -r --argjson unlike "$differs" -n 'if $unlike == {} then "alike in all that the runs record" else "not alike:",
	($unlike | to_entries[] | "  \(.key): \(.value | to_entries
		| map("\(.key) \(.value | if . == null then "?" else tostring end)") | join(", "))") end' |
	fold -s -w 80 | sed 's/ *$//' | printable
doubt=()
[ -z "$gate" ] || [ -n "$unlike" ] || {
	not_alike=$(jq -r "$(<"$here/decided.jq")"' decisive | keys | join(", ")' <<<"$differs")
	[ -z "$not_alike" ] || doubt=(--doubt "the runs were not alike: $not_alike")
}
rows_of "${runs[0]}" a >"$work/a"
# In jq: the verdicts of a result. (Where a run has no undisturbed repeat, that a figure is only in the other is none.)
counted='([.metrics_decided[].verdict | sub("^too noisy"; "not decided")] + (.the_same | map("no difference"))
	+ (.overloaded | map("worse"))
	+ if .verdict == "too noisy" then [] else .one_sided | map(select(.only == "a") | "not decided") end)'
none_of() {	# none_of RUN
	die 1 "$1: no repeat can be summed up: $(head -n 1 "$work/why" 2>/dev/null | grep . ||
		echo "its samples may have been deleted")"
}
[ -s "$work/a" ] || none_of "${runs[0]}"
for ((i = 1; i < ${#runs[@]}; i++)); do
	rows_of "${runs[i]}" b >"$work/b"
	[ -s "$work/b" ] || none_of "${runs[i]}"
	{ printf '%s\n' "$BLOCKS_HEAD"; cat "$work/a" "$work/b"; } >"$work/blocks.tsv" || die 1 "cannot write to $work"
	asked=()
	if [ -n "$metrics" ]; then
		asked=(--metrics "$(block_metrics "$work/blocks.tsv" "$metrics")") || die 2 "--metrics ${asked[1]}"
	fi
	status=0
	{ printf '%s\n' "$POOLED_HEAD"; cat "$work/pooled-a" "$work/pooled-b"; } >"$work/pooled.tsv" || die 1 "cannot write to $work"
	"$TP_BIN/judge" "$work/blocks.tsv" --runs --pooled "$work/pooled.tsv" \
		--effect "$effect" --alpha "$alpha" "${asked[@]}" "${doubt[@]}" --json -o "$work/judged" 2>"$work/err" || status=$?
	# its warnings are said below
	case $status in 0 | 3 | 5) ;; *) ! disk_full "$work" || die 1; cat "$work/err" >&2; exit "$status" ;; esac
	if [ -n "$json" ]; then
		jq --arg a "${runs[0]}" --arg b "${runs[i]}" --argjson unlike "$differs" \
			'{a: $a, b: $b, not_alike: $unlike} + .result' "$work/judged" | printable_json
		[ -z "$gate" ] || exit "$status"
		continue
	fi
	printf '\n%s against %s\n' "${names[i]}" "${names[0]}"
	jq -r --arg a "${names[0]}" --arg b "${names[i]}" ".result | $counted"' as $all | if $all == [] then
			"nothing was compared: \([[$a, .disturbed_a, .blocks_a], [$b, .disturbed_b, .blocks_b] | select(.[1] == .[2]) | .[0]
				| "all repeats of \(.)"] | if . == [] then "no figure is one of both runs that can be compared" else
				"\(join(" and ")) were disturbed by other programs" end)"
		else ["worse", "better", "no difference", "not decided"]
			| map(. as $word | "\([$all[] | select(startswith($word))] | length) \($word)") | join(", ") end' "$work/judged" | printable
	jq -r "$(cat "$here/decided.jq")"' .result.metrics_decided[] | .unit as $u
		| [name, (.a, .b | plain | with_unit($u)), change, interval, (.verdict | sub(" of that size"; ""))] | @tsv' "$work/judged" |
		column -t -s $'\t' -N "condition and metric,${names[0]},${names[i]},change,interval,verdict" -R 2,3,4 | printable
	jq -r --arg a "${names[0]}" --arg b "${names[i]}" "$(cat "$here/decided.jq")"' def cells: map(.cell) | unique | join(", ");
		.result | (([$a, .disturbed_a, .blocks_a], [$b, .disturbed_b, .blocks_b]) | select((.[1] // 0) > 0)
				| "\(.[0]): \(.[1]) of \(.[2]) repeats were disturbed by other programs"),
			(.one_sided | group_by(.only)[] | "only \(if .[0].only == "a" then $a else $b end): \(cells)"),
			(.not_compared | left_out(why_not($a; $b)) | "not compared (\(.because)): \(name)"),
			(.overloaded | select(. != []) | "overloaded, and only in \($b): \(cells)"),
			(.not_judged | left_out("") | "not judged, without an interval: \(name)"),
			(.copied | select(. != []) | "the same values in all repeats, so one run is a copy of the other: \(cells)"),
			(.too_few | select(. != []) | "too few values of \($b): \(cells)"),
			(.the_same | select(. != []) | "the same in all repeats: \(cells)")' "$work/judged" | printable
done
