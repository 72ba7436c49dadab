#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gate.sh RUN --limits FILE | --baseline RUN - are the limits kept? For CI: an exit status, TAP, JUnit.
#
# `judge` decides: by fail.sh, which knows the run's tables, of limits; by compare.sh of a baseline.
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lab/home.sh" || exit 1
. "$here/command.sh"
COMMAND=gate

usage='usage: thinprobe gate RUN --limits FILE [--tap] [--junit FILE]
       thinprobe gate RUN --baseline RUN [--effect SIZE] [--metrics NAME,...]
                          [--unlike]
Does RUN keep its limits, or is it worse than an earlier run?
  --limits FILE     lines "METRIC CELLS OP VALUE", such as
                    p95   vnc-light-*  <   150ms
                    late  *            <=  1%
                    CELLS: names of conditions, with * and ?
  --baseline RUN    not worse than this run by more than --effect (10%), or 5ms
  --metrics NAME,...  with --baseline: only these, such as p50,late
  --alpha PERCENT   with --baseline: rate of false alarms over all metrics (5)
  --unlike          with --baseline: also judge runs that differ in settings,
                    versions or machine; otherwise they are not decided
  --tap             print the Test Anything Protocol
  --json            print all limits and metrics, with the reasons
  --junit FILE      also write JUnit XML
  --verbose         also print the limits that hold
Exit status: 0 all hold, 5 one is broken, 3 not decided, 1 could not compare,
2 wrong usage.'

limits='' baseline='' tap='' json='' verbose='' junit='' effect='' metrics='' alpha='' unlike=''
read_words 'tap unlike json verbose' 'limits baseline junit effect metrics alpha' "$@"
# (one of an earlier gate would pass for that of this one, however it ends)
[ -z "$junit" ] || [ -L "$junit" ] || ! grep -qs '^<testsuite name="thinprobe ' "$junit" || rm -f -- "$junit"
[ -z "$tap" ] || [ -z "$json" ] || die 2 "--tap and --json: choose one"
[ "${#words[@]}" -gt 0 ] || bad "needs a run folder"
[ "${#words[@]}" = 1 ] || bad "one run at a time; ${words[1]} is a second"
run=${words[0]%/} more=(${effect:+--effect "$effect"} ${metrics:+--metrics "$metrics"} ${alpha:+--alpha "$alpha"})
is_run "$run"
[ -n "$limits$baseline" ] && { [ -z "$limits" ] || [ -z "$baseline" ]; } ||
	die 2 "give --limits FILE or --baseline RUN, one of them"
[ -z "$baseline" ] || [ ! "$run" -ef "$baseline" ] || die 2 "--baseline $baseline: is the run itself"
[ -z "$limits" ] || [ "${#more[@]}$unlike" = 0 ] || die 2 "${more[0]:---unlike} is for --baseline"

# Of each limit or metric {name, verdict: holds|broken|not decided, why}, as `judge` decided it; its exit status is that of all.
status=0
if [ -n "$limits" ]; then
	judged=$("$here/fail.sh" limits "$run" "$limits") || status=$?
else
	judged=$(COMMAND_OF=gate "$here/compare.sh" "$baseline" "$run" --json --gate ${unlike:+--unlike} "${more[@]}") || status=$?
	[[ $status != [035] ]] || judged=$(jq --arg a "$baseline" --arg b "$run" "$(cat "$here/decided.jq")"'
		def said: if . == null then "?" else tostring end;
		def open: {name: name, verdict: "not decided", why: .because};
		. as $all | (.not_alike | decisive | to_entries | map({name: .key,
			verdict: "not decided", why: "not alike: \(.value | to_entries | map("\(.value | said) (\(.key))") | join(", "))"})) as $unlike
		| {limits: ((if .doubt then $unlike else [] end)
			+ [if .verdict != "too noisy" then empty else ([$a, .disturbed_a, .blocks_a], [$b, .disturbed_b, .blocks_b])
				| select(.[1] > 0) | {name: .[0], verdict: "not decided",
					why: "\(.[1]) of \(.[2]) repeats were disturbed by other programs"} end,
			(.copied[] | .because = "the same values in all repeats and metrics: one run is a copy of the other"
				| .metric = "all metrics" | open),
			(.overloaded | left_out("overloaded, and not in \($a)") | {name: name, verdict: "broken", why: .because}),
			((.one_sided | map(select(.only == "a" and $all.verdict != "too noisy")) | left_out("only \($a) has a value")),
				(.too_few | left_out("\($b) has too few values")), (.not_compared | left_out("not compared: \(why_not($a; $b))")) | open),
			(.the_same[] | {name: name, verdict: (if $all.doubt then "not decided" else "holds" end), why: "the same in all repeats"}),
			(.metrics_decided[] | {name: name, verdict: .as_limit, why: ("\(if .verdict == "not decided" then "" else "\(.verdict): " end)"
				+ "\(.a | plain) to \(.b | plain), \(change) (\(interval))")})]),
			not_judged: [.not_judged | left_out("") | name],
			unlike: (if .doubt then [] else $unlike end)}' <<<"$judged")
	jq -r '.unlike[] | "\(.name): \(.why)"' <<<"$judged" | printable >&2
fi
[[ $status == [035] ]] || exit "$status"	# it has said why
read -r all broken open < <(jq -r '[(.limits | length),
	(("broken", "not decided") as $v | [.limits[] | select(.verdict == $v)] | length)] | join(" ")' <<<"$judged")
[ "${all:-0}" != 0 ] || die 1 "no condition and metric is in both runs"
# The answer, then what does not hold: in 8 lines, or, of too many for that, those that fit.
if [ -n "$json" ]; then
	jq --argjson status "$status" '{limits, not_judged: (.not_judged // []), status: $status}' <<<"$judged" | printable_json
elif [ -n "$tap" ]; then
	jq -r '"TAP version 13", "1..\(.limits | length)", (.limits | to_entries[]
		| "\(if .value.verdict == "holds" then "ok" else "not ok" end) "
		+ "\(.key + 1) - \(.value.name | gsub("#"; ""))\(if .value.verdict == "not decided" then " # TODO not decided" else "" end)",
		"# \(.value.why)")' <<<"$judged" | printable
else
	jq -r --argjson all "${verbose:-0}" --argjson status "$status" --argjson broken "$broken" --argjson open "$open" '
		def line: "\(if .verdict == "broken" then "BROKEN" else .verdict end): \(.name) (\(.why))";
		(.limits | length) as $n | if $status == 0 then "All \($n) hold.\([.limits[] | select(.bare)] | if . == [] then ""
				else " \(length) by figures without an interval." end)"
			elif $broken == 0 then "\($open) of \($n) are not decided."
			else "\($broken) of \($n) do not hold.\(if $open > 0 then " \($open) more not decided." else "" end)" end,
		(.not_judged // [] | select(. != []) | "Not judged, without an interval: \(join(", "))"),
		([.limits | sort_by(.verdict as $v | ["broken", "not decided"] | index($v) // 2)[]
			| select($all == 1 or .verdict != "holds") | line]) as $lines
		| if $all == 1 or ([$lines[] | length / 76 | ceil] | add // 0) <= 7 then $lines[] else
			($lines[:6][] | if length > 80 then .[:77] + "..." else . end),
			"and \(($lines | length) - 6) more: --verbose, --json or --tap" end' <<<"$judged" |
		fold -s -w 80 | sed 's/ *$//' | printable
fi
[ -z "$junit" ] || jq -r --arg of "$(jq -r .experiment "$run/run.json")" "$(cat "$here"/{safe,junit}.jq) .limits | junit(\$of)" \
	<<<"$judged" | put_file "$junit" || exit 1
exit "$status"
