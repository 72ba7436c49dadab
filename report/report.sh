#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# report.sh RUN - summary, figures, findings.json, report.md and report.html of a run. Prints where the report is.
# report.sh RUN RUN... [-o DIR] [--label NAME,NAME...] - of several runs of one experiment, in one figure each: DIR becomes a run
# folder of their tables.
# report.sh RUN --end - all of it, at the end of a run: prints table and verdict.
# report.sh RUN --table | --verdict | --findings | --json | --record | --cell - parts of it: what --end prints; findings.json;
# what later runs carry of it; the first figures of a run of one cell.
#
# Each step reads files and leaves files. What is one experiment's own stands in experiments/STEM: table (columns), figures.jq,
# say.jq (findings and views) and README.md, which may link sections that several share (../families/NAME.md).
set -u -o pipefail

here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
home=${TP_HOME:-$here/..}
export LC_ALL=C.UTF-8	# as lab/home.sh
: "${TP_BIN:=$home/bin}"	# beside this folder in a checkout, in libexec of an installation
[ -x "$TP_BIN/summarize" ] || [ ! -x "$here/../../../libexec/thinprobe/summarize" ] || TP_BIN=$here/../../../libexec/thinprobe

. "$here/join.sh"
. "$here/kept.sh"
. "$here/command.sh"
. "$here/html.sh"
. "$here/draw.sh"
. "$here/program.sh"
TP_HOME=$home
. "$here/../lab/trees.sh"

# The latest complete, usable run of the same experiment, settings (display servers' too) and host beside this one that began before
# it: its folder.
previous_run() {
	local file files=() many
	for file in ../*/run.json; do	# (others may write there, too: a pipe would never end, a name be two lines)
		[[ $file == *[[:cntrl:]\\]* || $file -ef run.json ]] || [ ! -f "$file" ] || [ ! -f "${file%/*}/summary.tsv" ] ||
			files+=("$file")
	done
	[ "${#files[@]}" -gt 0 ] || return 0
	for many in 1000 1; do	# (jq ends at a damaged file: then one jq for each)
		printf '%s\0' "${files[@]}" | xargs -0 -n "$many" jq -r -L "$here" --slurpfile run run.json 'include "words";
		def alike: [.experiment, (.settings // {} | del(.seed, if .until_sure then .repeats else empty end)), .host.hostname,
			.lab.server, ([.protocol, .protocols] | del(.. | objects | .version, .says, .client))];
		select(.state == "complete" and .runs == null and (.started // "") < $run[0].started and alike == ($run[0] | alike)
			and ({run: .} | unusable == null))
		| [.started, input_filename] | @tsv' 2>/dev/null && break
	done | sort | tail -n 1 | sed 's/.*\t//; s,/run.json$,,'
}

# One JSON document of the run's files: each table as rows with the types of schema.tsv; an empty cell is null. `previous` has the
# summary of the run before this one, which began at `before`; `impossible` the rows of long.tsv that summarize refused; `papers`
# what papers report (data/marks.tsv). Of cdf.tsv, which only figures show, what can be seen.
# (+ 0: jq 1.7 writes a number as it was read.)
document() {
	[ -f schema.tsv ] || die 1 "$RUN/schema.tsv is missing; make it with: thinprobe report $RUN"
	local before
	before=$(previous_run)
	{
		printf 'schema\n'; cleaned <schema.tsv
		[ -z "$before" ] || { printf '\fprevious\n'; cleaned <"$before/summary.tsv"; }
		printf '\fthresholds\n'; cat "$home/data/thresholds.tsv"
		printf '\fpapers\n'; in_trees data/marks.tsv | xargs -rd '\n' awk -F'\t' -v stem="$stem" '
			$1 == stem || ($1 == "experiment" && !n++)'
		local file
		for file in *.tsv; do
			case $file in
			schema.tsv) ;;
			long.tsv)
				printf '\fimpossible\n'
				awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "why") why = i }
					NR == 1 || $why == "impossible"' "$file" | cleaned ;;
			cdf.tsv) [ -n "$part" ] && [ "$part" != end ] || { printf '\fcdf\n'; thinned <"$file" | cleaned; } ;;
			*) printf '\f%s\n' "${file%.tsv}"; cleaned <"$file" ;;
			esac
		done
	} | jq -R -s -c --slurpfile run run.json \
		--arg before "$([ -z "$before" ] || jq -r .started "$before/run.json")" --arg before_name "${before##*/}" '
		'"$(<"$here/safe.jq")"'
		def rows($types): (.[0] // []) as $head | [$head[] | $types == null or ($types[.] // "text") != "text"] as $number | .[1:]
			| map(. as $row | reduce range($head | length) as $i ({}; .[$head[$i]] = ($row[$i]
				| if . == null or . == "" then null elif $number[$i] then (tonumber? + 0) // . else . end)));
		split("\f") | map(split("\n") | map(select(. != "")) | {key: .[0], value: (.[1:] | map(split("\t")))}) | from_entries
		| (reduce (.schema | rows(null)[]) as $c ({}; .[$c.table][$c.column] = $c.type) | .thresholds.value = "real") as $types
		| with_entries($types[.key] as $of | .value |= rows($of))
		| .run = ($run[0] | all_printable) | .before = $before | .before_name = $before_name' 2>/dev/null ||
		die 1 "$RUN: cannot read its tables (*.tsv)"
}

# What the experiment's README links of ../families, without what stands before its sections, and the README without these links.
readme() {
	sed -nE 's,.*\]\(\.\./(families/[a-z]+\.md)\).*,\1,p' "$experiment/README.md" | sort -u |
		(cd "$experiment/.." && xargs -r sed -s '0,/^## /{/^## /!d}')
	printf '\n## README\n' && sed '/](\.\.\/families\//d' "$experiment/README.md"
}

include='include "page";'
# say FILTER [HTML]: runs a filter of page.jq and the experiment's words on the document that standard input is, for each of HTML.
# (-n: after an error jq ends, and does not wait for another document.)
say() {
	local errors
	{ errors=$(jq -n -r --unbuffered --rawfile readme <(readme) --arg glossary "$(cat "$here/../GLOSSARY.md" 2>/dev/null)" \
		--rawfile cells <(printf %s "$cells") "input as \$doc | (\$cells / \"\n\") as \$cells | (${2-false}) as \$html
			| \$doc | $(program "$include
resolve | $1" "$experiment" "$home")" 2>&1 >&3); } 3>&1 ||
		die 1 "$RUN: a value in run.json or in a table has the wrong type: ${errors%%$'\n'*}"
}

# decide FILTER [PAGES]: as say, of the document in which judge has decided each claim that will be made of it: `judged`. One jq
# lists the claims, goes on with the answers, and with PAGES waits for what `pages` sends, since reading the vocabulary is most of
# its work.
decide() {
	local claim claims='' in out status=0
	coproc say "if \$html then empty else ([claimed] | unique) as \$claims | \$claims[], \"\",
		((first(inputs) | answers(\$claims)) as \$judged | (\$judged | tojson), (answered(decisions; \$judged) | $1), \"\f\f\") end${2+,
		(first(inputs) as \$now | answered(decisions; \$now.judged) | page(\$now), \"\f\")}" "false${2+, true}"
	jq_pid=$COPROC_PID in=${COPROC[0]} out=${COPROC[1]}
	exec {from}<&"$in" {to}>&"$out" {in}<&- {out}>&-	# (an end that stays open: jq waits for more)
	printf '%s\n' "$doc" >&"$to"
	while IFS= read -r claim <&"$from"; do
		[ -n "$claim" ] || {
			judged=$(decided_claims "${claims#$'\n'}" 2>&1) ||
				die 1 "$RUN: its figures cannot be compared: ${judged%%$'\n'*}"	# (then jq ends, and says nothing)
			printf '%s\n' "$judged" >&"$to"
			IFS= read -r judged <&"$from"
			break
		}
		claims+=$'\n'$claim
	done
	sed -n $'/^\f\f$/Q9; p' <&"$from" 2>/dev/null || status=$?
	case $status in
	9) ;;
	0) exit 1 ;;	# jq has ended, and say has said why
	*) die 1 "cannot write the report's text of $RUN: is its disk full?" ;;
	esac
}

# pages SAID FIGURES: both pages, the one for browsers after a form feed, with the names of the figures that were drawn.
pages() {
	local now="{\"judged\":$judged,\"said\":$1,\"figures\":[$2]}"
	printf '%s\n' "$now" "$now" >&"$to" &	# (jq prints the first page before it reads on)
	exec {to}>&-
	cat <&"$from"
	wait "$jq_pid"
}

# A run whose samples were deleted keeps its tables.
summarize() {
	[ ! -f summary.tsv ] || [ ! -f schema.tsv ] ||
		[ -n "$(find cells -type f ! -name cell.json -print -quit 2>/dev/null)" ] || return 0
	[ -x "$TP_BIN/summarize" ] || die 1 "$TP_BIN/summarize is missing; build it with: make"
	"$TP_BIN/summarize" --format json -o summary.json "$PWD"	# (what it refuses is named with the run)
	case $? in 0 | 3) ;; *) exit 1 ;; esac	# 3: some repeats failed, and the page says so
}

run_page() {	# of the Markdown on standard input
	local file
	{
		cmark-gfm -e table --unsafe | dressed
		printf '<p class="files">In this page:'
		for file in summary.tsv findings.json run.json report.md; do
			printf ' <a download="%s" href="data:text/plain;charset=utf-8;base64,%s">%s</a>' "$file" \
				"$(base64 -w 0 "$file")" "$file"
		done
		printf '.<br>Links to other files work where this page lies in the folder of its run.</p>\n'
	} | page_html "$(sed -n '1s/^# //p' report.md)" '' "$here/report.js"
}

place() {	# place FILE: standard input becomes FILE, whole
	{ cat >"$work/$1" && [ -s "$work/$1" ] && sync "$work/$1" && mv "$work/$1" "$1"; } 2>/dev/null || die 1 "cannot write $RUN/$1"
}

folded() { fold -s -w 80 | sed 's/ *$//' | printable; }	# to the width of a terminal

# read_run RUN: sets what is asked of it first, in capitals; ends the program where that is no run that can be reported.
read_run() {
	local said cells wrong
	has_run "$1"
	said=$(jq -r '[((.experiment // "" | select(test("^[a-z0-9-]+\\z"))) // ""), (.cells | type),
		((select(.cells | type == "array") | try ('"$run_shape"') catch "cannot be read") // ""), (.kept // false) != false,
		(try ('"$join_facts"') catch "")] | flatten | join("\u001f")' "$1/run.json" 2>/dev/null) ||
		die 1 "$1/run.json: cannot be read"
	IFS=$'\037' read -r STEM cells wrong IS_KEPT IS_JOINED AXIS THRESHOLD IN_WINDOW WORK <<<"$said"
	[ -n "$STEM" ] && [ -n "$(in_trees "experiments/$STEM/say.jq")" ] ||
		die 1 "$1/run.json: unknown experiment ${STEM:-(no name)}; see thinprobe list"
	[ "$cells" = array ] || die 1 "$1/run.json: an older version made this run; only its own report.html can be read"
	[ -z "$wrong" ] || die 1 "$1/run.json: $wrong"
	wrong=$(plain_folder "$1")
	[ -z "$wrong" ] || die 1 "$1: no run: $wrong"
}

# unbundle FILE [DIR]: unpacks the run of thinprobe bundle into DIR (beside the file), and sets RUN to it.
unbundle() {
	local to=${2:-$(dirname -- "$1")}
	need zstd zstd
	trap 'rm -rf -- "${UNPACKING-}"' EXIT
	trap 'exit 130' INT TERM
	unpack "$1" "$to" run || die 1 "$1: $UNPACK_WHY"
	RUN=$to/$UNPACKED
}

usage='usage: thinprobe report RUN
       thinprobe report BUNDLE [-o DIR]
       thinprobe report RUN RUN... [-o DIR] [--label NAME,NAME...]
       thinprobe report RUN --fail-if CONDITIONS
       thinprobe report RUN... --table | --verdict | --findings | --json
       thinprobe report RUN --record
Makes tables, figures, findings.json, report.md and report.html of a run again,
from its samples. Several runs of one experiment (of other machines, or other
days) share each figure, a curve for each.
  -o DIR       folder for tables and report of several runs (beside the first
               run), or for an unpacked bundle (beside the file)
  --label NAME,NAME...
               names for several runs, in their order (their hosts, or days)
  --fail-if CONDITIONS
               exit status 5 if one holds or may hold, such as
               p95>150ms,late>1%; 3 if a condition has no such figure
  --table      only print the table that a run prints at its end
  --verdict    only print the verdict and the notes below it
  --findings   only print verdict, findings and notes
  --json       only print what findings.json has
  --record     only print what a calibration keeps, as JSON
Options and runs may be in any order.'
parts='table verdict findings json record cell end' part='' fail_if='' label='' output_dir=''
# shellcheck disable=SC2086 # names
unset $parts
read_words "$parts" 'o:output-dir label fail-if' "$@"
for word in $parts; do
	[ -n "${!word-}" ] || continue
	[ -z "$part" ] || bad "--$part and --$word: one of them"
	part=$word
done
JOINED=$output_dir runs=("${words[@]}")
[ "${#runs[@]}" -gt 0 ] && [ -n "${runs[0]}" ] || bad "needs a run folder"
[ -z "$part" ] || [ -z "$fail_if" ] || bad "--$part and --fail-if: one of them"
need jq jq
[ -z "$label" ] || jq -n -e --arg names "$label" --argjson n "${#runs[@]}" '$names / "," | length == $n and length > 1
	and (unique | length) == $n and all(test("^[A-Za-z0-9:_-]+\\z"))' >/dev/null ||
	die 2 "--label $label: want ${#runs[@]} different names of letters, digits, : _ and -, one for each of several runs"
[ "${#runs[@]}" -gt 1 ] || [ -z "$JOINED" ] || [ -f "${runs[0]}" ] ||
	die 2 "-o works only with several runs; the report of one goes into its folder"
if [ "${#runs[@]}" -gt 1 ]; then
	# a part is only printed: the report of these runs stays
	[ -z "$part" ] || [ "$part" = end ] || [ -n "$JOINED" ] || { work_folder && JOINED=$work/joined; }
	join "${runs[@]}"
elif [ -f "${runs[0]}" ]; then unbundle "${runs[0]}" "$JOINED"
else RUN=${runs[0]%/}; fi
read_run "$RUN"
stem=$STEM experiment=$(in_trees "experiments/$STEM/say.jq")
experiment=${experiment%/say.jq} families=${experiment%/*}/families
[ "$part" != record ] || grep -q '^def record' "$experiment/say.jq" ||
	die 2 "--record: $RUN is a run of $stem, and only a calibration is kept (thinprobe calibrate)"
[ -z "$fail_if" ] || tool fail check "$stem" "$fail_if" || exit
cd "$RUN" 2>/dev/null || die 1 "cannot enter $RUN"
RUN=$PWD
[ "$IS_KEPT" = false ] || kept_open
cells='' findings='{schema: "findings/1", verdict, findings}'
case $part in
table) doc=$(document) && decide terminal_view | printable; exit ;;
cell) doc=$(document) && say terminal_cell <<<"$doc" | printable; exit ;;
verdict) doc=$(document) && decide 'said | terminal_verdict' | folded; exit ;;
findings) doc=$(document) && decide terminal_words | printable; exit ;;
json) doc=$(document) && decide "said | $findings" | printable_json; exit ;;
record) doc=$(document) && decide record; exit ;;
esac

[ -w "${KEPT:-.}" ] || die 1 "cannot write to ${KEPT:-$RUN}; copy it to a folder that you own"
find "$RUN" -maxdepth 1 -name '.report.??????' -mmin +60 -exec rm -rf -- {} + 2>/dev/null	# of one that was killed
work=$(mktemp -d "$RUN/.report.XXXXXX" 2>/dev/null) || die 1 "cannot write to $RUN"
[ -n "$KEPT" ] || trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
[ -n "$KEPT" ] || summarize
need gnuplot gnuplot-nox	# (of a run without a page the tables are of use)
need cmark-gfm cmark-gfm
doc=$(document) || exit
[ -n "$KEPT" ] || cells=$(find cells -mindepth 1 -maxdepth 1 -type d -printf '%f\n' 2>/dev/null)
include+=$'\ninclude "drawn";'
filter='said as $said | ($said | tojson), drawn, "\f"'
[ "$part" != end ] || filter+=', terminal_view, "\f", ($said | terminal_verdict)'
decide "$filter" pages >"$work/said" || exit
said=$(head -n 1 "$work/said")
own=()
[ ! -f "$experiment/figures.gp" ] || own=("$experiment/figures.gp")
sed -n '1d; /^\f/q; p' "$work/said" | draw "${own[@]}" || exit
printf '%s\n' "$said" | jq "$findings" | place findings.json || exit 1
figures=$(find figures -maxdepth 1 -name '*.svg' -printf '%f\n' | sed -n 's/^\([A-Za-z0-9_-]*\)\.svg$/"\1"/p' | paste -s -d ,)
pages "$said" "$figures" >"$work/pages" || exit
{ sed '/^\f/,$d' "$work/pages" >"$work/text.md" && sed '1,/^\f/d; /^\f/d' "$work/pages" >"$work/text.html.md"; } 2>/dev/null ||
	die 1 "cannot write to $RUN"
place report.md <"$work/text.md" || exit 1
run_page <"$work/text.html.md" >"$work/html" 2>/dev/null || die 1 "cannot make $RUN/report.html"
place report.html <"$work/html"
[ -z "$KEPT" ] || kept_put_back
if [ "$part" = end ]; then
	awk '/^\f/ { part++; next } part == 1; END { print "" }' "$work/said" | printable
	awk '/^\f/ { part++; next } part == 2' "$work/said" | folded
else
	made=${KEPT:-$RUN}/report.html
	printf '%s\n' "${made//[[:cntrl:]]/?}"
fi
[ -z "$fail_if" ] || tool fail judge "$RUN" "$fail_if"
