#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gate.sh RUN --limits FILE | --baseline RUN - are the limits kept? For CI: an exit status, TAP, JUnit.
#
# A limit is judged by fail.sh, which has the rules for ranges and for conditions without a figure; a baseline by compare.sh.
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/command.sh"
COMMAND=gate

usage='usage: thinprobe gate RUN --limits FILE [--tap] [--junit FILE]
       thinprobe gate RUN --baseline RUN [--effect SIZE] [--metrics NAME,...]
                          [--unlike]
Does RUN hold its limits, or is it worse than a run before?
  --limits FILE     lines "METRIC CELLS OP VALUE", such as
                    p95   vnc-light-*  <   150ms
                    late  *            <=  1%
                    CELLS: names in RUN/cells, with * and ?
  --baseline RUN    not worse than this run by more than --effect (10%, 5ms)
  --metrics NAME,...  of a baseline: only these, such as p50,late
  --alpha PERCENT   of a baseline: rate of false alarms over all metrics (5)
  --unlike          of a baseline: judge also runs that were not alike in settings,
                    versions or machine; otherwise they are not decided
  --tap             print the Test Anything Protocol
  --junit FILE      write JUnit XML, too
Exit status: 0 holds, 5 does not, 3 not decided, 1 could not compare,
2 wrong usage.'

limits='' baseline='' tap='' junit='' effect='' metrics='' alpha='' unlike=''
read_words 'tap unlike' 'limits baseline junit effect metrics alpha' "$@"
[ "${#words[@]}" -gt 0 ] || bad "needs a run folder"
[ "${#words[@]}" = 1 ] || bad "one run at a time; ${words[1]} is a second"
run=${words[0]%/} more=(${effect:+--effect "$effect"} ${metrics:+--metrics "$metrics"} ${alpha:+--alpha "$alpha"})
is_run "$run"
[ -n "$limits$baseline" ] && { [ -z "$limits" ] || [ -z "$baseline" ]; } ||
	die 2 "give --limits FILE or --baseline RUN, one of them"
[ -z "$baseline" ] || [ ! "$run" -ef "$baseline" ] || die 2 "--baseline $baseline: is the run itself"
[ -z "$limits" ] || [ "${#more[@]}$unlike" = 0 ] || die 2 "${more[0]:---unlike} is for --baseline"

names=() states=() whys=()	# of each limit: its text, holds|broken|open, and why
add() { names+=("$1") states+=("$2") whys+=("$3"); }

judge_limits() {
	local line=0 metric cells op value rest not status said
	[ -r "$limits" ] && [ ! -d "$limits" ] || die 2 "--limits $limits: no file that can be read"
	while read -r metric cells op value rest || [ -n "$metric" ]; do
		line=$((line + 1))
		[[ $metric != '' && $metric != \#* ]] || continue
		case $op in '<') not='>=' ;; '<=') not='>' ;; '>') not='<=' ;; '>=') not='<' ;; *) not='' ;; esac
		[ -n "$not" ] && [ -n "$value" ] && [[ $rest == '' || $rest == \#* ]] ||
			die 2 "$limits, line $line: want METRIC CELLS OP VALUE, such as: late * <= 1%"
		status=0
		said=$("$here/fail.sh" judge "$run" "$metric$not$value@$cells" 2>&1) || status=$?
		said=${said//$'\n'/; }
		case $status in
		0) add "$metric $cells $op $value" holds "${said#*: }" ;;
		5) add "$metric $cells $op $value" broken "${said#*: }" ;;
		3) add "$metric $cells $op $value" open "${said#*: }" ;;
		*) die $((status == 2 ? 2 : 1)) "$limits, line $line: ${said#*: }" ;;
		esac
	done <"$limits"
	[ "${#names[@]}" -gt 0 ] || die 2 "--limits $limits: holds no limit"
}

judge_baseline() {
	local judged name verdict said
	judged=$("$here/compare.sh" "$baseline" "$run" --json "${more[@]}") || exit	# it has said why
	while IFS=$'\t' read -r name verdict said; do
		case $verdict in
		"not alike")
			if [ -n "$unlike" ]; then printf 'not alike: %s %s\n' "$name" "$said" >&2
			else add "$name" open "not alike: $said"; fi
			;;
		worse) add "$name" broken "$said" ;;
		"not decided" | "too noisy") add "$name" open "$said" ;;
		*) add "$name" holds "$said" ;;
		esac
	done < <(jq -r --arg a "$baseline" --arg b "$run" "$(cat "$here/decided.jq")"'
		(.not_alike | del(.repeats, .until_sure, .label, .set_load_timeout) | to_entries[]
			| [.key, "not alike", (.value | to_entries | map("\(.value // "?") (\(.key))") | join(", "))]),
		((.one_sided | map(select(.only == "a")) | left_out("only \($a) has a value")),
			(.too_few | left_out("\($b) has too few values")), (.not_compared | left_out("not compared: \(why_not($a; $b))"))
			| [name, "not decided", .because]),
		(.the_same[] | [name, "holds", "the same in all repeats"]),
		(.metrics_decided[] | [name, .verdict, "\(.verdict): \(.a | plain) to \(.b | plain), \(change) (\(interval))"]) | @tsv' \
		<<<"$judged")
	[ "${#names[@]}" -gt 0 ] || die 1 "no condition and metric is in both runs"
	[[ -n $unlike || ${whys[0]} != "not alike: "* ]] || states=("${states[@]/*/open}")	# a difference may come from that
}

if [ -n "$limits" ]; then judge_limits; else judge_baseline; fi
status=0 broken=$(grep -cx broken < <(printf '%s\n' "${states[@]}")) open=$(grep -cx open < <(printf '%s\n' "${states[@]}"))
[ "$open" = 0 ] || status=3
[ "$broken" = 0 ] || status=5
[ -z "$tap" ] || printf 'TAP version 13\n1..%d\n' "${#names[@]}"
for i in "${!names[@]}"; do
	case ${states[i]} in
	holds) word=holds ok=ok todo='' ;;
	broken) word=BROKEN ok='not ok' todo='' ;;
	open) word='not decided' ok='not ok' todo=' # TODO not decided' ;;
	esac
	if [ -n "$tap" ]; then printf '%s %d - %s%s\n# %s\n' "$ok" $((i + 1)) "${names[i]//#/}" "$todo" "${whys[i]}"
	else printf '%s: %s (%s)\n' "$word" "${names[i]}" "${whys[i]}"; fi
done
if [ -n "$junit" ]; then
	for i in "${!names[@]}"; do printf '%s\t%s\t%s\n' "${names[i]}" "${states[i]}" "${whys[i]}"; done |
		jq -Rrs --arg of "$(jq -r .experiment "$run/run.json")" --arg broken "$broken" --arg open "$open" '
			rtrimstr("\n") / "\n" | map(split("\t")) | "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>",
			@html "<testsuite name=\"thinprobe \($of)\" tests=\"\(length)\" failures=\"\($broken)\" skipped=\"\($open)\">",
			(.[] | @html "<testcase classname=\"thinprobe\" name=\"\(.[0])\">" + ({
				broken: @html "<failure message=\"\(.[2])\"/>",
				open: @html "<skipped message=\"not decided: \(.[2])\"/>"}[.[1]] // "") + "</testcase>"),
			"</testsuite>", "</testsuites>"' 2>/dev/null >"$junit" || die 1 "cannot write $junit"
fi
[ -n "$tap" ] || case $status in
0) echo "All ${#names[@]} hold." ;;
5) echo "$broken of ${#names[@]} do not hold." ;;
*) echo "$open of ${#names[@]} are not decided." ;;
esac
exit "$status"
