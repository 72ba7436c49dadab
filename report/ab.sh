#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ab.sh DIR - the page of a comparison (commands/ab.sh): DIR/report.html, report.md, junit.xml and figures/, from ab.json,
# verdict.json and the two runs. Prints the verdict and where the page is.
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lab/home.sh" || exit 1
. "$here/blocks.sh"
. "$here/command.sh"
. "$here/html.sh"
. "$here/draw.sh"
cd -- "$1" 2>/dev/null && DIR=$PWD || die 1 "cannot enter $1"

doc=$(jq -n --slurpfile ab ab.json --slurpfile verdict verdict.json --slurpfile a a/run.json --slurpfile b b/run.json \
	'{ab: $ab[0], verdict: $verdict[0].result, a: $a[0], b: $b[0]}
	| if .ab | [.starts, .measured_s, (.settings | .pairs, .alpha_percent, .noise_percent // 0)] | all(type == "number") | not then
		error else . end
	# a single condition is not named with each metric
	| if [.verdict.metrics_decided[].cell] | unique | length == 1 then .verdict |= ((.metrics_decided, .plan)[].cell = "")
		else . end') &&
	noise=$(jq -r '.result.disturbed // [] | .[] | "\(.start) \(.pair) \(.variant) \(.used)"' verdict.json |
		while read -r start pair variant used; do
			[[ $variant == [ab] && $pair =~ ^[0-9]+$ ]] || continue	# (they become the path of a file)
			printf '%s\t%s%s\t%s\t%s\n' "$start" "$pair" "${variant^}" "$(block_why "$variant" "$pair")" "$used"
		done) &&
	failed=$(awk -F'\t' '$2 == "0" { n[$4]++ } END {
		for (v in n) printf " %s failed in %d more start%s.", toupper(v), n[v], (n[v] > 1) ? "s" : "" }' blocks.tsv) &&
	doc=$(jq --arg noise "$noise" --arg failed "$failed" "$(<"$here/safe.jq")"'
		(.ab.settings.noise_percent // 0) as $most | . + {$failed, noise: ($noise | split("\n") | map(split("\t")
			| .[3] = (.[3] == "true") | if $most >= 10 and (.[3] | not) then .[2] |= sub(": over 3 %$"; ": over \($most) %") else . end))}
		| all_printable' <<<"$doc") ||
	die 1 "$DIR: its files cannot be read"

words=$(cat "$here/safe.jq" "$here/decided.jq")'
def minutes($starts): .ab as $ab | if $starts == null or $ab.starts == 0 then "over 10,000 starts"
	else ($starts * $ab.measured_s / $ab.starts / 60) | if . < 10 then . * 10 | round / 10 else round end end;
def decided($word): .verdict.metrics_decided | map(select(.verdict == $word));
def list: map("\(name) \(change) (\(interval))") | join("; ");
def open: decided("not decided") | if . == [] then "" else " Not decided: \(map(name) | join(", "))." end;
def answer: .failed as $failed | .verdict.verdict as $v
	| (decided("not decided") | map(select(.lacks_values)) | group_by(.lacks_values)
		| map("\(.[0].lacks_values | ascii_upcase) has no value in more blocks than the other of \(map(name) | join(", "))")
		| join(", ")) as $lacks
	| (decided("not decided") | map(select(.pairs_ranged > 0) | "\(name) is a range in \(.pairs_ranged) of \(.pairs) pairs")
		| if . == [] then "" else " (\(join(", ")))" end) as $ranges
	| (if .verdict.provisional and $v != "too noisy" then "Provisional: " else "" end) + if $v == "too noisy" then
		(.noise | map(select(.[3] | not))) as $noise
		| "Too noisy: \($noise | length) of \(.verdict.blocks) blocks were disturbed by other programs: "
			+ ($noise | map(.[1]) | if length > 8 then .[:7] + ["and \(length - 7) more"] else . end | join(" "))
			+ " (\($noise[0] | "\(.[1]): \(.[2])"))."
	elif $v == "worse" then "B is worse: \(decided("worse") | list)."
		+ (decided("better") | if . == [] then "" else " Better: \(list)." end) + open
	elif $v == "better" then "B is better: \(decided("better") | list)." + open
	elif $v == "no difference of that size" then "No difference of \(.ab.settings.effect) or more."
	else (decided("better") | if . == [] then "" else "Better: \(list). " end)
		+ "Not decided: " + ([(select(.verdict.open > 0) | (decided("not decided") | map(name)
				| if length > 4 then .[:3] + ["and \(length - 3) more"] else . end | join(", "))
			+ (if $failed != "" then "" elif .verdict.disturbed_more then "; \(.verdict.disturbed_more | ascii_upcase)'"'"'s blocks"
				+ " were disturbed more than the other'"'"'s (a quiet machine would decide)" elif .verdict.more_starts
				then "; about \(.verdict.more_starts) more starts (\(minutes(.verdict.more_starts)) minutes) would decide"
				elif $lacks != "" then "; \($lacks) (overloaded, or keys without an answer), so nothing speaks for it"
				else "; no number of starts below 10,000 would decide" + $ranges end)),
		([.verdict.one_sided[] | select(.only == "a")] + .verdict.too_few | select(. != [])
			| "B lacks values of \(map(name) | join(", "))")]
		| join("; ")) + "." end | . + $failed;
def versions: [.protocols // {} | to_entries[] | "\(.key) \(.value.version // .value.server // "?")"] | join(", ");
def programs: [.programs // {} | to_entries[] | "\(.key) \(.value | tostring | in_tree)"] | join(", ");
def unlike: . as $d | [
	(["versions of the display servers", ($d.a | versions), ($d.b | versions)],
	["release of the server", ($d.a, $d.b | .lab.server_system // "that of the machine")],
	(("xterm", "vim.tiny") as $k | [$k, ($d.a, $d.b | .host.tools[$k] // "none")]),
	["kernel", $d.a.host.kernel, $d.b.host.kernel], ["CPU", $d.a.host.cpu.model, $d.b.host.cpu.model],
	(($d.a.settings + $d.b.settings | keys[]) as $k | select($k | IN("seed", "repeats") | not)
		| [$k, ($d.a.settings[$k] | tostring), ($d.b.settings[$k] | tostring)]))
	| select(.[1] != .[2])];
def many($n; $word): "\($n) \($word)" + if $n == 1 then "" else "s" end;
def row: "| \(map(. // "" | cell_safe) | join(" | ")) |";
def decision: .verdict + if .verdict == "not decided" and .more_starts then ": about \(.more_starts) more starts" else "" end;
'
page='"# \(.ab.experiment | safe): is B better than A?", "",
("\(many(.ab.starts; "start")), \(many(.verdict.blocks; "block")) in \(many(.ab.measured_s / 60 | . * 10 | round / 10; "minute")), "
	+ .a.started[:10] | safe), "", "> \(answer | safe)", "",
"| | options and programs |", "|---|---|", (["A", (.ab.a | variant)], ["B", (.ab.b | variant)],
([["servers that ran in A", (.a | programs)], ["in B", (.b | programs)]][] | select(.[1] != "")),
(if .ab.both != "" then ["both", .ab.both] else empty end),
(if .ab.chosen // "" != "" then ["chosen for both, to fit the budget", .ab.chosen] else empty end) | row), "",
(select(.a.lab.shared_cpus or .b.lab.shared_cpus) | "The CPUs were shared with another lab, or by server and client.", ""),
(select(.verdict.metrics_decided == []) | "No pair of blocks was undisturbed, so no metric has a value.", ""),
(select(.verdict.metrics_decided != []) | "## Each metric", "",
"| metric | A | B | change | interval | verdict | pairs |", "|---|---:|---:|---:|---|---|---:|",
(.verdict.metrics_decided[] | . as $m
	| [name, (.a, .b | plain | with_unit($m.unit)), change, interval, decision, .pairs] | row), "",
"A and B are medians of the blocks of these pairs (of a range, the middle counts). The change is a mean over the starts (of "
	+ "logarithms if it is in %), so it may differ from B/A, and one start that others disturbed can move it.", "",
($figures | split("\n")[] | select(. != "") | "![Differences of each start](\(.))", ""),
"The dots are starts of both variants: B less A. The band is the interval, the dashed lines are the smallest difference of "
	+ "interest.", "",
"## How long would other differences take?", "",
"A difference of so many interquartile ranges of A'"'"'s blocks is decided after so many starts, if the spread stays. Sizes "
	+ "that take over 10,000 starts have no row, but for the size asked for.", "",
(. as $d | .verdict as $v | def planned: . as $m | [$v.plan[] | select(.metric == $m.metric and .cell == $m.cell)];
	first(($v.metrics_decided[] | select(planned != [])), $v.metrics_decided[0]) as $first
	| ($first | planned) as $plan
	| if $plan == [] then "The blocks of A do not differ, so there is no such table." else
	"\($first | name | safe):", "",
	"| difference in IQRs | difference | starts | blocks | minutes |", "|---:|---:|---:|---:|---:|",
	($plan | sort_by(.effect)[] | select(.starts or .asked) | [.effect_iqr,
		(.effect | plain | with_unit($first.unit)) + (if .asked then ", as asked" else "" end), .starts // "over 10,000",
		if .starts then .starts * $d.ab.settings.pairs * 2 else "" end, (.starts as $s | $d | minutes($s))] | row) end), ""),
"## What was not alike", "",
(unlike | if . == [] then "Nothing that the two runs record." else
	"| | A | B |", "|---|---|---|", (.[] | row) end), "",
(select(.noise != []) | "## Disturbed blocks", "", "A block is named by its pair and its variant.", "",
	"| start | block | what others did |", "|---:|---|---|",
	(.noise[] | .[2] += (if .[3] then " (used)" else "" end) | .[:3] | row), ""),
"## How this is decided", "",
"Both variants had their sessions up at once and were measured in turns; after "
	+ (.ab.settings.pairs | if . == 1 then "a pair" else "\(.) pairs" end) + " of blocks both were started anew.",
"The intervals hold however often one looks: of comparisons of a variant with itself, at most \(.ab.settings.alpha_percent) % "
	+ "call any metric better or worse.",
"The order of the variants alternates from start to start, so that what only the order makes cancels.",
"A pair in which other programs took more than 3 % of the server'"'"'s CPUs, or 10 % of the client'"'"'s, is left out "
	+ "(here \(([.verdict.metrics_decided[].pairs_disturbed] | max)
		// ([.verdict.disturbed // [] | .[] | select(.used | not).pair] | unique | length)))"
	+ (.ab.settings.noise_percent // 0 | if . > 0 then ", unless they took at most \(.) % (`--noise`)" else "" end)
	+ (if .verdict.provisional then ". In simulated comparisons whose blocks others delay by 25 %, no more are called wrongly, "
		+ "but a difference of 10 % is missed more often" else "" end)
	+ " (docs/ab-error-rates.md).",
($pages | if . == "" then "" else
		"The runs by themselves: \(split("\n") | map("[\(.[:1] | ascii_upcase)](\(.))") | join(", ")). " end)
	+ "The method: `thinprobe help judge`."
'

# The figure: a panel for each of the first metrics.
figure='def figures: . as $d | {name: "differences", title: "Differences of each start", across: 1, high: 210, panels: [
	.verdict.metrics_decided[:6][] | . as $m | {title: name,
	x: {from: 0.5, to: ($d.ab.starts + 0.5), step: ($d.ab.starts / 12 | floor + 1)}, y: {label: .change_unit},
	marks: [select(.low) | {y: .low, to: $m.high, colour: "#d9eaf5"}], curves: [
	level(0; dotted), (.effect | numbers | level(.; {}), level(-.; {})),
	{draw: "points", colour: light_colour, rows: [.differences | to_entries[] | {x: (.key + 1), y: .value}]}]}]};'
mkdir -p figures && work=$(mktemp -d "$DIR/.page.XXXXXX" 2>/dev/null) || die 1 "cannot write to $DIR"
trap 'rm -rf "$work"' EXIT
jq -r "$(cat "$here"/{words,series,decided}.jq) $figure $(grep -v '^include' "$here/drawn.jq") drawn" <<<"$doc" \
	>"$work/drawn.tsv" || die 1 "$DIR: its files cannot be read"
draw <"$work/drawn.tsv" || exit
figures=''
[ ! -f figures/differences.svg ] || figures=figures/differences.svg
pages=$(ls -d -- [ab]/report.html 2>/dev/null)
jq -r --arg figures "$figures" --arg pages "$pages" "$words$page" <<<"$doc" >"$work/report.md" && mv "$work/report.md" . ||
	die 1 "cannot write $DIR/report.md"
cmark-gfm -e table report.md | dressed | page_html "$(sed -n '1s/^# //p' report.md)" verdict >"$work/report.html" &&
	mv "$work/report.html" . || die 1 "cannot write $DIR/report.html"
jq -r "$words $(<"$here/junit.jq")"' answer as $answer | .ab.experiment as $of | [(.verdict.metrics_decided[]
		| {name: name, verdict: (.as_limit // "not decided"), why: ((if .verdict == "not decided" then "" else "\(.verdict): " end)
			+ "\(change) (interval: \(interval))")}),
		(([.verdict.one_sided // [] | .[] | select(.only == "a")] + (.verdict.too_few // []))[]
			| {name: name, verdict: "not decided", why: "B lacks values"}),
		(select(.verdict.metrics_decided == []) | {name: "all", verdict: "not decided",
			why: ($answer | ltrimstr("Not decided: "))})] | junit($of)' <<<"$doc" >"$work/junit.xml" &&
	mv "$work/junit.xml" . || die 1 "cannot write $DIR/junit.xml"
jq -r "$words answer" <<<"$doc" | fold -s -w 80 | sed 's/ *$//' | printable
printf 'Report: %s\n' "$DIR/report.html"
