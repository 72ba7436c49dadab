#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Reports on a made-up experiment: the page, findings.json, tables in the terminal, the README's sections, figures, --fail-if.

bats_require_minimum_version 1.5.0
load ../undrawn

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
	undrawn
	mkdir -p home/experiments/made/engine run/cells
	ln -s "$TOP/plots" "$TOP/data" home/
	ln -s "$TOP/analysis" "$TOP/GLOSSARY.md" home/
	mkdir home/bin
	cp "$TOP/bin/report" "$TOP/bin/fail" "$TOP/bin/summarize" home/bin/
	export TP_HOME=$PWD/home
	REPORT=$TP_HOME/bin/report
	cd home/experiments/made || return 1
	printf '# made\n\n## Figures\n\n### p50: Median\nA caption.\n\n### absent: No figure\nNothing.\n' >README.md
	printf '\n## How it was measured\n\nBy hand.\n' >>README.md
	cat >analysis.py <<-'END'
		from dataclasses import replace
		from analysis import draw, notes, page, words
		from analysis.amounts import above, amount, level

		def title(run):
		    return "Made up"

		def setup(run):
		    return notes.setup(run)

		def labels(run):
		    return page.Labels(value={"app": {"a": "first"}})

		def resolve(run):  # below 2 ms a median is only known as a bound
		    return replace(run, tables={**run.tables, "summary": [{**r, "p50_ms_least": 2} for r in run.table("summary")]})

		def verdict(run):
		    slow = [words.plain(r["load"]) for r in run.table("summary") if above(r, "p50_ms", 100)]
		    return f"Slow from {slow[0]} on." if slow else ""

		def findings(run):
		    row = run.table("summary")[-1]
		    return [page.Finding("slow", f'**Slow.** {level(row, "p50_ms")}.', amount(row, "p50_ms"), "bad", "p50")]

		def views(run):
		    return [
		        page.View("main", "summary", "By load", "load p50_ms note", by="app", breaks=("load", "p50_ms", run.threshold_ms())),
		        page.View("noted", "summary", "Noted", "app load note", only="note"),
		        page.View("none", "absent", "Not there", "load")]

		def drawings(run):
		    curves = draw.over([(r["load"], r) for r in run.table("summary")], "p50_ms", draw.look(0), "it's \"one\"")
		    return [draw.Drawing("p50", "Median", [draw.Panel(draw.Axis("load"), draw.Axis("ms"), curves)])]
	END
	cd ../../../run || return 1
	jq -n '{schema: "thinprobe.run/1", experiment: "made", state: "complete", settings: {repeats: 2, protocol: "vnc", note: "<b>"},
		axes: ["app", "load"], counts: {total: 3, complete: 3}, cells: [
		{name: "a-0", parameters: {}, state: "complete", flags: []}, {name: "a-5", parameters: {}, flags: ["foreign CPU time 41.5 %"]},
		{name: "b-5", parameters: {}, state: "missing", flags: []}],
		host: {kernel: "6", missing: [{what: "FUSE", why: "no module"}]}}' >run.json
	printf 'schema\tapp\tload\tp50_ms\tp50_ms_low\tp50_ms_high\tp50_ms_above\tnote\n' >summary.tsv
	printf 'made/1\ta\t0\t1.5\t\t\t0\t10\nmade/1\ta\t5\t50.25\t40\t60\t0\t\nmade/1\tb\t5\t150\t120\t180\t1\t007\n' >>summary.tsv
	{
		printf 'schema\ttable\tcolumn\ttype\tunit\tdecimals\tbetter\theading\n'
		printf 'schema/1\tsummary\t%s\t%s\t%s\t%s\t\t%s\n' app text - text Application load int - 0 Load p50_ms real ms 3 \
			Median \
			note text - text Note
		printf 'schema/1\tsummary\t%s\treal\tms\t3\t\tx\n' p50_ms_low p50_ms_high p50_ms_above
	} >schema.tsv
	cd ..
}

breaks_above() {	# breaks_above LIMIT: sets the view's limit
	sed -i -E 's/(breaks=\("load", "p50_ms", ).*\)\),/\1'"$1)),/" home/experiments/made/analysis.py
}

@test "findings.json has ids, numbers and verdicts; columns have the types of schema.tsv" {
	run -0 "$REPORT" run
	[ "$output" = "$PWD/run/report.html" ]
	jq -e '.schema == "findings/1" and .verdict == "Slow from 5 on." and (.findings | length) == 1' run/findings.json
	jq -e '.findings[0] | .id == "slow" and .value == 150 and .low == 120 and .high == null and .unit == "ms"' run/findings.json
	jq -e '.findings[0] | .verdict == "bad" and .figure == "p50"' run/findings.json
	"$REPORT" --json run | cmp - run/findings.json
	grep -q '^| b | 5 | >150 | 007 |$' run/report.md	# 007 is text, not the number 7
	grep -q '^| first | 0 | <2.00* | 10 |$' run/report.md		# below the resolution
	[ -z "$(ls -d run/.report.* 2>/dev/null)" ]
	mv run $'r\e[31m'
	run -0 "$REPORT" $'r\e[31m'
	[ "$output" = "$PWD/r?[31m/report.html" ]
}

@test "a protocol's own wait is named below the table where it is most of a median response" {
	sed -i 's/by="app", breaks/by="app", floor="p50_ms", breaks/' home/experiments/made/analysis.py
	noted() {	# noted FLOOR_MS: the medians are 1.5, 50.25 and 150 ms
		jq ".protocol.floor_ms = $1" run/run.json >new
		mv new run/run.json
		"$REPORT" run >/dev/null
		grep -c "half a frame" run/report.md || :
	}
	[ "$(noted 0.7) $(noted 0.8) $(noted 160)" = "0 1 1" ]
	[ "$(noted 2)" = 0 ]	# the first one took less than that, the others much more
}

@test "a figure that summarize refused is named in a note, with its condition" {
	printf 'schema\tapp\tload\tmetric\tvalue\ttable\twhy\nlong/1\ta\t5\tp50_ms\t\tsummary\timpossible\n' >run/long.tsv
	printf 'long/1\tb\t5\tp50_ms\t\tsummary\ttoo few\n' >>run/long.tsv
	run -0 "$REPORT" run
	[ "$(grep -o 'impossible[*]*: .*5)' run/report.md)" = 'impossible**: Median (a, 5)' ]
}

@test "the page has the verdict first, then notes; only sections with a figure; figures inline, with their values" {
	drawn "$REPORT" run
	[ "$(grep -n -m 1 '^> \*\*Slow from 5 on' run/report.md | cut -d: -f1)" -lt 10 ]
	grep -q '^> \*\*Preliminary\*\*: 2 repeats' run/report.md
	grep -q '^> \*\*Flagged\*\*: in 1 of 3 conditions' run/report.md
	grep -q '^> \*\*Missing\*\*: no complete measurement of b-5' run/report.md
	grep -q '^- FUSE: no module' run/report.md
	run -1 grep -e 'No figure' -e 'Not there' run/report.md
	sed -n '/^### Noted/,/^<\/details>/p' run/report.md | grep '^|' >noted
	[ "$(tail -n +3 noted | paste -sd ' ')" = "| first | 0 | 10 | | b | 5 | 007 |" ]
	grep -q '<figure id="figure-p50">' run/report.html
	grep -q '<title>it.*one.*: 50.25 (40 to 60)' run/report.html
	run -1 grep -e '<b>' -e 'onmousemove' -e 'src="figures' run/report.html
}

@test "an interrupted run is called incomplete only if a measurement is missing" {
	jq '.state = "interrupted"' run/run.json >new
	mv new run/run.json
	"$REPORT" --findings run >said
	run -1 grep '^Incomplete' said
	jq '.counts.complete = 2' run/run.json >new
	mv new run/run.json
	"$REPORT" --findings run >said
	grep '^Incomplete' said
}

@test "in the table of one run, a condition that was not measured adds no column for names of runs" {
	sed -i '1s/$/\trepeats/; 2s/$/\t2/; 4s/$/\t2/; 3s/.*/made\/1\ta\t5\t\t\t\t\t\t0/' run/summary.tsv
	printf 'schema/1\tsummary\trepeats\tint\t-\t0\t\tRepeats\n' >>run/schema.tsv
	"$REPORT" run
	grep -q '^| *| 5 | not measured | *|$' run/report.md
	run -1 grep run_name run/report.md
}

@test "terminal output has at most 80 columns and no Markdown" {
	"$REPORT" --table run >table
	[ -z "$(awk 'length > 80' table)" ]
	grep -qx 'first' table
	[ "$(grep -c 'breaks here' table)" = 1 ]
	grep -q '^  5 .*<- breaks here$' <(sed -n '/^b$/,$p' table)
	"$REPORT" --findings run >findings
	[ "$(sed -n 2p findings)" = "1. Slow. more than 150 ms." ]
	"$REPORT" --verdict run >verdict
	[ "$(head -n 1 verdict)" = "$(head -n 1 findings)" ]
	[ -z "$(awk 'length > 80' verdict)" ]
	run -1 grep -q '^1\.' verdict
	"$REPORT" --end run >end
	cat table <(echo) verdict | cmp - end
	[ -s run/report.html ]
	run -0 "$REPORT" --cell run
	[[ $output = "median >150 ms" ]]	# of several rows the last
}

@test "'breaks here' marks the first condition of each group whose whole interval is above the view's limit" {
	breaks_above 45
	sed -i 's/\t40\t60\t0\t$/\t46\t60\t0\t/; $a made/1\tb\t9\t170\t150\t180\t0\t' run/summary.tsv
	"$REPORT" --table run >table
	[ "$(grep -c '<- breaks here$' table)" = 2 ]
	[ "$(sed -n '/^first$/,/^b$/p' table | grep -c '^  5 .*breaks')" = 1 ]
	[ "$(sed -n '/^b$/,$p' table | grep -c '^  5 .*breaks')" = 1 ]
	breaks_above 1000
	"$REPORT" --table run >table
	run -1 grep -q breaks table
}

@test "the page has a glossary and links rows to their cells; every link within it has a target" {
	mkdir run/cells/a-5
	jq '.axes = ["app", "load"] | .cells |= map(.parameters = {app: .name[:1], load: (.name[2:] | tonumber)})' run/run.json >new
	mv new run/run.json
	drawn "$REPORT" run
	grep -q '<a href="cells/a-5">5</a>' run/report.html
	[ "$(grep -o 'href="cells/[^"]*"' run/report.html | sort -u | wc -l)" = 1 ]
	grep -q '<a href="figures/p50.svg">' run/report.html
	grep -q '<details id="glossary">' run/report.html
	grep -q '<td align="right">[^<]*<small> (40.0 to 60.0)</small></td>' run/report.html
	grep -o 'href="#[^"]*"' run/report.html >links
	cut -d'"' -f2 links | while read -r name; do
		grep -q "id=\"${name#\#}\"" run/report.html || { echo "no $name"; return 1; }
	done
	run -1 grep -e 'cells/' -e 'gnuplot_plot' run/report.md
	run -1 grep 'title>gnuplot_plot' run/report.html
	[ "$(wc -l <"$TOP/analysis/page.js")" -le 50 ]
}

@test "findings: changes since the previous run with the same settings; the command that would add repeats" {
	sed -i 's/\(p50_ms\treal\tms\t3\t\)/\1lower/' run/schema.tsv
	jq '.axes = ["app", "load"] | .started = "2026-01-02T03:00:00Z" | .ended = "2026-01-09T03:00:00Z"
		| .measured_s = 160 | .counts.complete = 2
		| .command = "thinprobe run made --loads 0,5 --repeat 2 -o x"' run/run.json >new
	mv new run/run.json
	mkdir before other pipe
	touch pipe/summary.tsv
	mkfifo pipe/run.json	# (of another login)
	jq '.started = "2026-01-01T03:00:00Z" | .settings.seed = 7' run/run.json >before/run.json
	jq '.started = "2026-01-01T04:00:00Z" | .settings.link = "10Mbit"' run/run.json >other/run.json
	sed 's/50.25\t40\t60/100\t90\t110/' run/summary.tsv | tee before/summary.tsv >other/summary.tsv
	# at the end of a run its figure stands beside the one of now
	timeout 600 "$REPORT" --table run >table
	cat table
	grep -q 'Before: before$' table
	grep -qE ' 50\.3 +100\b' table
	"$REPORT" --findings run >said
	grep 'Previous run' said >line
	cat line
	[[ $(<line) == *2026-01-01\ 03:00*100*then*50.3*now*"apart in 1 of 2"*"not compared"*": 1)"* ]]
	# a larger change without an interval is not reported in place of a significant one
	sed -i 's/^made\/1\ta\t0\t1.5\t/made\/1\ta\t0\t900\t/' before/summary.tsv
	"$REPORT" --findings run >said
	grep -q 'Previous run.*100 then, 50.3 now' said
	sed -i 's/\t46\t60\t\|\t40\t60\t/\t\t\t/; s/\t120\t180\t/\t\t\t/' run/summary.tsv
	"$REPORT" --findings run >said
	grep 'Previous run.*900 then, 1.5.* now' said | grep 'not compared' | grep -v apart
	sed -i 's/50.25\t\t\t/50.25\t40\t60\t/; s/150\t\t\t/150\t120\t180\t/' run/summary.tsv
	grep -q 'thinprobe run made --loads 0,5 --repeat 5 (about 10 minutes)' said
	jq 'del(.measured_s)' run/run.json >new
	mv new run/run.json
	"$REPORT" --findings run >said
	grep -q 'thinprobe run made --loads 0,5 --repeat 5' said
	run -1 grep -q 'about [0-9]* minute' said
	# a value that has become a bound is reported first
	sed -i 's/^\(made\/1\tb\t5\t150\t120\t180\t\)1/\10/' before/summary.tsv
	"$REPORT" --findings run >said
	grep -q 'Previous run.* 150 then, >150 now (.*b,.* 5)' said
	# nor was it at these settings where a display server had other ones; another version of it is none
	for protocol in '{version: "2", floor_ms: 8.33}' '{version: "1", floor_ms: 0.5}'; do
		jq ".protocol = $protocol" run/run.json >new
		mv new run/run.json
		jq '.protocol = {version: "1", floor_ms: 8.33}' before/run.json >new
		mv new before/run.json
		"$REPORT" --findings run | grep -c 'Previous run' >>seen || :
	done
	[ "$(paste -sd ' ' seen)" = "1 0" ]
	jq '.protocol = {version: "1", floor_ms: 8.33}' run/run.json >new
	mv new run/run.json
	# of a run that was not usable nothing is said, nor of another one beside it
	jq '.cells[].flags = ["foreign CPU time 9 %"]' before/run.json >new
	mv new before/run.json
	"$REPORT" --findings run >said
	run -1 grep 'Previous run' said
	"$REPORT" --table run >table
	run -1 grep 'Before' table
}

@test "a percentile of too few keys: how many it needs, and from how many the binomial bound has both ends" {
	sed -i '1s/$/\tp50_ms_why/; 2s/1.5\t\t\t0\t10$/\t\t\t\t10\ttoo few/' run/summary.tsv
	sed -i 's/p50_ms/p99_ms/g' run/*.tsv home/experiments/made/analysis.py
	"$REPORT" --table run >table
	cat table
	grep -q '1,000 .*\b368\b' <(xargs <table)
}

@test "report: a folder that is no run, a missing file and a missing argument are each refused in one line" {
	local part
	for part in '' --table --findings --record; do
		# shellcheck disable=SC2086 # a word or none
		run "$REPORT" $part nowhere
		[ "$status/$output" = "1/thinprobe: nowhere: not a run folder (it has no run.json)" ]
		# shellcheck disable=SC2086
		run -2 "$REPORT" $part
	done
	run -0 "$REPORT" --help
	mv run/schema.tsv .
	run -1 "$REPORT" --table run
	[[ $output == "thinprobe: "*"schema.tsv is missing;"* ]]
	mv schema.tsv run
	echo nonsense >run/run.json
	run -1 "$REPORT" --findings run
	[ "$output" = "thinprobe: run/run.json: cannot be read" ]
}

@test "report: a folder in the place of a table, a page or a figure is named, and nothing is put into it" {
	local name
	for name in other.tsv report.html report.md findings.json figures/p50.svg; do
		mkdir -p "run/$name"
		run -1 "$REPORT" run
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"$name"* ]]
		rmdir "run/$name"
	done
}

@test "HTML in values of a run is escaped in title, findings, tables and drawings" {
	sed -i -e 's/"Made up"/f'\''Made up {run.table("summary")[0]["app"]}'\''/' -e 's/Slow\.\*\* /&{run.table("summary")[0]["app"]} /' \
		home/experiments/made/analysis.py
	sed -i "s/^made\/1\ta\t/made\/1\ta<script>alert('1')<\/script>\&\t/" run/summary.tsv
	drawn "$REPORT" run
	run -1 grep -i -e "<script>alert" run/report.html
	[ "$(grep -c '&lt;script&gt;' run/report.html)" -ge 4 ]
}

@test "the page shows the command literally, in Markdown and HTML; backquotes in values do not become code" {
	local command="thinprobe run made --fail-if late\\>1% --only a[0]'&'<b>"
	jq --arg command "$command" '.command = $command' run/run.json >new
	mv new run/run.json
	sed -i 's/Slow\.\*\* /&{run.table("summary")[0]["app"]} /' home/experiments/made/analysis.py
	sed -i 's/^made\/1\ta\t/made\/1\t`x`<i>y\\`<i>z`\t/' run/summary.tsv
	drawn "$REPORT" run
	grep '^> \*\*Prel' run/report.md
	grep -qF ": \`$command --repeat 5\`" run/report.md
	grep -qF "<code>thinprobe run made --fail-if late\\&gt;1% --only a[0]'&amp;'&lt;b&gt; --repeat 5</code>" run/report.html
	run -1 grep -E '<i>[yz]' run/report.html
}

@test "a run.json with a missing field or one of the wrong type is refused in one line that names it" {
	local change
	cp run/run.json good.json
	for change in '.cells[0].parameters = null' 'del(.cells[0].parameters)' '.cells[0].parameters.app = {a: 1}' \
		'.settings.repeats = "two"' '.settings = 3' '.started = 5' '.cells[0] = 1' '.cells[0].name = 7' '.axes = []' \
		'.axes = ["app", 5]' '.cells[1].parameters = {app: "a", load: 5}'; do
		jq "$change" good.json >run/run.json
		run -1 "$REPORT" run
		echo "$change: $output"
		[ "${#lines[@]}" = 1 ]
		[[ $output == "thinprobe: "*run/run.json:* && $output != *jq* ]]
	done
}

@test "a view's column with a question mark is shown only if it has several values" {
	sed -i 's/"load p50_ms note", by=.*/"app? load p50_ms"),/' home/experiments/made/analysis.py
	run -0 "$REPORT" --table run
	echo "$output"
	[[ $output == *Application*Load* ]]
	sed -i '/^made\/1\tb\t/d' run/summary.tsv
	run -0 "$REPORT" --table run
	[[ $output == *Load* && $output != *Application* ]]
}

columns() {	# columns LINE...: the columns of the made-up experiment
	sed -i "/^COLUMNS = /,/^'''\$/d" home/experiments/made/analysis.py
	printf '%s\n' "COLUMNS = '''" "$@" "'''" >>home/experiments/made/analysis.py
}

# Gives the made-up run columns for ranges, and a row whose median is a range of 10 to 201 ms.
ranged_rows() {
	ln -s "$TOP/lab" home/
	columns 'table summary cells' 'p50_ms Median ms keys:p50 range 3 lower'
	awk -F'\t' -v OFS='\t' '{ print $1, $2, $3, $4, $5, $6, $7, $8 == "note" ? "note" : "", NR == 1 ? "p50_ms_from" : "",
		NR == 1 ? "p50_ms_to" : "", NR == 1 ? "p50_ms_why" : "" }' run/summary.tsv >new && mv new run/summary.tsv
	printf 'made/1\tc\t1\t\t9\t210\t0\t\t10\t201\trange\n' >>run/summary.tsv
	printf 'schema/1\tsummary\t%s\t%s\tms\t3\t\tx\n' p50_ms_from real p50_ms_to real p50_ms_why text >>run/schema.tsv
}

judged() {	# judged STATUS CONDITIONS [WORD...]: --fail-if CONDITIONS ends with STATUS and prints each WORD
	local word
	run "-$1" "$TP_HOME/bin/fail" judge run "$2"
	echo "$2 -> $output"
	for word in "${@:3}"; do [[ $output == *"$word"* ]] || return 1; done
}

@test "--fail-if: where measurements are missing nothing holds" {
	jq '.counts = {total: 9, complete: 9}' run/run.json >new
	mv new run/run.json
	judged 0 'load>9'
	jq '.counts.complete = 8' run/run.json >new
	mv new run/run.json
	judged 3 'load>9' 'INCOMPLETE: 8 of 9'
	judged 5 'p50>100ms'
}

@test "--fail-if: a percentile without an interval decides nothing" {
	local column
	for column in x_p95_ms x_p95_ms_low x_p95_ms_high x_p99_ms x_p99_ms_low x_p99_ms_high; do
		printf 'schema/1\tsummary\t%s\treal\tms\t3\tlower\tx\n' "$column" >>run/schema.tsv
	done
	awk -v OFS='\t' '{ print $0, NR == 1 ? names : "41\t40\t130\t62\t\t" }' \
		names='x_p95_ms\tx_p95_ms_low\tx_p95_ms_high\tx_p99_ms\tx_p99_ms_low\tx_p99_ms_high' run/summary.tsv >new
	mv new run/summary.tsv
	judged 3 'x_p99>70ms' 'cannot tell'
	judged 3 'x_p99>50ms' 'cannot tell'
	judged 3 'x_p99>140ms' 'cannot tell'
	judged 0 'x_p95>140ms'
	# also where the columns are p95_ms and p99_ms alone
	sed -i 's/x_\(p9[59]\)/\1/g' run/schema.tsv run/summary.tsv
	judged 3 'p99>70ms'
}

@test "--fail-if: status 5 if a condition holds in any row; a malformed condition is refused before a report is made" {
	local words
	ln -s "$TOP/lab" home/
	columns 'table summary cells schema=made/1' 'app Application - param - text -' 'load Load - param - 0 -' \
		'p50_ms Median ms keys:low.p50 ends+above 3 lower'
	judged 0 'median<1ms,load>5,p50_ms<0.001s,load<0'
	judged 5 'p50>100ms,p50>149.9ms,median>0.1s,load>=5,load<1,p50<2ms'
	[ "$(grep -c '^FAILED ' <<<"$output")" = 6 ]
	for words in 'p50>100' 'p50=3ms' 'load>1ms' 'p50>1%' 'nothing>1' 'p50' '>3' 'load>9,,p50>0.1s' 'load>9,' 'p51>1ms'; do
		run -2 --separate-stderr "$REPORT" run --fail-if "$words"
		[ "${#stderr_lines[@]}" = 1 ]
	done
	[[ $stderr == *"did you mean p50?"* ]]
	[ ! -e run/report.html ]
	run -5 "$REPORT" run --fail-if 'load>9,p50>0.1s'
	[[ $output == *FAILED*"p50>0.1s"*"1 of 3"*150*"(b, 5 Load)"* ]]
	[ -e run/report.html ]
	run -2 --separate-stderr "$REPORT" run --fail-if 'p50>1ms@nothing'
	[[ $stderr == *"no condition has such a name: p50>1ms@nothing"* ]]
}

@test "--fail-if: a short name that fits several columns is refused, unless one of them is the summary's main column" {
	local words
	checked() { run "-$1" "$TOP/bin/fail" check "$2" "$3"; echo "$2 $3: $output"; }
	checked 2 paging 'p50>100ms'
	[ "${#lines[@]}" = 1 ]
	[[ $output == *in_memory_p50_ms*paged_out_p50_ms* ]]
	checked 2 idle 'late>1%'
	checked 0 paging 'paged_out_p50>100ms,in_memory_p50_ms>1s'
	for words in stalls schedulers wan capacity; do checked 0 "$words" 'p50>100ms,late>1%,p95>150ms'; done
	checked 0 stalls 'max>1s'
	# columns on the quality of the measurement have no short name
	for words in 'stalls cpu>50%' 'stalls lateness>1ms' 'idle max>1s'; do
		checked 2 "${words% *}" "${words#* }"
		run -1 grep 'did you mean p99' <<<"$output"
	done
	# a column of late ends (latency_high_p50_ms) does not make p50 ambiguous
	printf 'made/1\ta\t5\t20\t400\n' >rows
	{ printf 'schema\tapp\tload\tlatency_p50_ms\tlatency_high_p50_ms\n'; cat rows; } >run/summary.tsv
	sed -i '/p50_ms/d' run/schema.tsv
	printf 'schema/1\tsummary\t%s\treal\tms\t3\t\tx\n' latency_high_p50_ms latency_p50_ms >>run/schema.tsv
	ln -s "$TOP/lab" home/
	judged 0 'p50>100ms' ' latency_p50_ms '
	judged 5 'high_p50>100ms' ' latency_high_p50_ms '
}

@test "--fail-if compares the worse end of a range with the limit; a figure that was not measured does not pass" {
	ranged_rows
	# a lower bound of 150 ms; a range of 10 to 201 ms; a range from 12 ms on without a late end
	judged 5 'p50>160ms' 'cannot tell' 'b, 5 Load'
	sed -i '/^made\/1\tb\t/d' run/summary.tsv
	judged 5 'p50>160ms,p50>9ms,p50<11ms'
	[[ ${lines[0]} == *"cannot tell"*"10.0 to 201 ms"*"c, 1 Load"* && ${lines[1]} == *"2 of 3"* ]]
	grep '^FAILED p50<11ms: cannot tell.*c, 1 Load' <<<"$output"
	judged 3 'p50>201ms,load>160'	# the interval goes on to 210 ms
	judged 0 'p50>210ms,load>160'
	printf 'made/1\te\t1\t\t\t\t1\t\t12\t\trange\n' >>run/summary.tsv
	judged 5 'p50>201ms' 'cannot tell' 'e, 1 Load'
	sed -i '$d' run/summary.tsv
	# an overloaded condition exceeds any limit, and is below none
	printf 'made/1\tf\t1\t\t\t\t\t\t\t\toverloaded\n' >>run/summary.tsv
	judged 5 'p50>1000s' overloaded 'f, 1 Load'
	judged 0 'p50<1ms'
	# and of what is better when higher, it is the least
	cp run/schema.tsv kept
	awk -F'\t' -v OFS='\t' '$3 ~ /p50_ms$/ { $7 = "higher" } 1' kept >run/schema.tsv
	judged 5 'p50<1ms' overloaded 'f, 1 Load'
	mv kept run/schema.tsv
	sed -i '$d' run/summary.tsv
	# rows without a figure are named; they neither pass nor fail
	printf 'made/1\tg\t1\t\t\t\t\t\t\t\tfailed\nmade/1\th\t2\t\t\t\t\t\t\t\ttoo few\n' >>run/summary.tsv
	judged 3 'p50>201ms' '2 of 5' 'g, 1 Load' 'h, 2 Load'
	judged 5 'p50>150ms' 'g, 1 Load'
	sed -i '/^made\/1\t[ac]\t/d' run/summary.tsv
	judged 3 'p50>201ms'
	run -1 grep 'NOT USABLE' <<<"$output"
	# on a disturbed run each answer has a line that says so
	jq '.cells[0].flags = ["foreign CPU time 41.5 %"]' run/run.json >new
	mv new run/run.json
	judged 3 'p50>201ms' 'NOT USABLE' '2 of 2 conditions'
	judged 5 'load>1' 'NOT USABLE' 'FAILED'
}

@test "tables and findings show a range with both ends, a missing figure with its reason, and no empty cell" {
	ranged_rows
	printf 'made/1\tf\t1\t\t\t\t\t\t\t\toverloaded\nmade/1\tg\t1\t\t\t\t\t\t\t\t\n' >>run/summary.tsv
	"$REPORT" run
	grep -F '| c | 1 | 10.0 to 201\* (9.00 to 210) |' run/report.md
	grep -qF '*: known as a range only' run/report.md
	grep -F '| f | 1 | overloaded |' run/report.md
	run -1 grep '|  |$' <(sed -n '/^| f /,/^$/p' run/report.md | cut -d'|' -f1-4)
	"$REPORT" --table run >table
	grep -qx '  1  *10.0 to 201\*' table
	[ -z "$(awk 'length > 80' table)" ]
	# a finding about a range has from and to, and no value
	sed -i 's/\[-1\]/[3]/' home/experiments/made/analysis.py
	"$REPORT" --json run |
		jq -e '.findings[0] | .value == null and .from == 10 and .to == 201 and (.text | test("10.0 to 201 ms"))'
}

@test "two repeats: both values stand in place of an interval; a condition breaks only by their t interval" {
	breaks_above 130
	printf 'schema/1\tsummary\tp50_ms_both\ttext\tms\t-1\t\t\n' >>run/schema.tsv
	sed -i -e '1s/$/\tp50_ms_both/' -e '4s/.*/made\/1\tb\t5\t150\t\t\t0\t007\t120.000 180.000/' run/summary.tsv
	drawn "$REPORT" run
	grep -F '| b | 5 | 150 (120, 180) | 007 |' run/report.md
	grep -q '<small> (120, 180)</small>' run/report.html
	grep -qx 'a, b: .*' run/report.md
	jq -e '.findings[0].text | contains("150 ms (two repeats: 120 and 180 ms)")' run/findings.json
		[ "$(grep -c "#gpPt5' transform" run/figures/p50.svg)" = 2 ]	# circles
	# one bar, of the row that has an interval, and its two caps
	[ "$(tr -d '\n' <run/figures/p50.svg | grep -o "178)'  d='\(M[^M']*\)\{3,\}'" | grep -o M | wc -l)" = 3 ]
	"$REPORT" --table run >table
	grep -q '^  5  *120, 180  007$' table
	breaks_above 110
	"$REPORT" --table run >table
	run -1 grep -F '<- breaks here' table
	sed -i '4s/120.000 180.000/149.000 151.000/' run/summary.tsv
	"$REPORT" --table run | tr -s '\n ' ' ' | grep '149, 151 .*<- breaks here.*its least value'
}

@test "a ranking separates neighbours only if everything before differs significantly from everything after" {
	printf 'def views(run):\n    return [page.View("ranks", "summary", "Ranks", "app p50_ms", rank="p50_ms")]\n' \
		>>home/experiments/made/analysis.py
	printf 'schema\tapp\tp50_ms\tp50_ms_low\tp50_ms_high\trepeats\n' >run/summary.tsv
	printf 'made/1\t%s\t%s\t%s\t%s\t5\n' a 10 9.5 10.5 b 20 19.5 20.5 c 30 4 90 >>run/summary.tsv
	sed -i '$a schema/1\tsummary\trepeats\tint\t-\t0\t\tRepeats' run/schema.tsv
	verdict=$("$REPORT" --verdict run)
	echo "$verdict"
	[[ ${verdict//$'\n'/ } == *": not all of a (10.0 ms), b (20.0 ms) and c (30.0 ms) can be told apart."* ]]
	sed -i 's/\t4\t90\t/\t29\t31\t/' run/summary.tsv
	verdict=$("$REPORT" --verdict run)
	echo "$verdict"
	[[ $verdict == *": a (10.0 ms) first; then b"*"; c"*" last."* ]]
	# without intervals nothing is compared; a lower bound has a lower end alone
	sed -i.full -e '1s/$/\tp50_ms_above/' -e '/\tb\t/s/\t19.5\t20.5\t/\t\t\t/' -e '/\tc\t/d' run/summary.tsv
	[[ $("$REPORT" --verdict run) == *": a (10.0 ms) and b (20.0 ms) are not compared"* ]]
	sed -i '/\tb\t/{s/\t20\t\t/\t20\t15\t/; s/$/\t1/}' run/summary.tsv
	[[ $("$REPORT" --verdict run) == *": a (10.0 ms) first; b (more than 20.0 ms) last."* ]]
	mv run/summary.tsv.full run/summary.tsv
	# the share of keys without a response stands beside each name
	sed -i -e '1s/$/\tkeys\tunanswered/' -e '2s/$/\t100\t20/' -e '3,$s/$/\t100\t0/' run/summary.tsv
	printf 'schema/1\tsummary\t%s\tint\t-\t0\t\tx\n' keys unanswered >>run/schema.tsv
	verdict=$("$REPORT" --verdict run | tr '\n' ' ')
	echo "$verdict"
	[[ $verdict == *": a (10.0 ms, 20 % without"*") first; then b (20.0 ms); c (30.0 ms) last."* ]]
}

@test "most conditions disturbed: the verdict is 'Not usable', every finding is unsure, and no condition breaks" {
	breaks_above 45
	drawn "$REPORT" run
	grep -q '<i class="breaks"' run/report.html
	jq '.cells[0].flags = ["foreign CPU time 41.5 %"]' run/run.json >new
	mv new run/run.json
	sed -i '1s/$/\tforeign_percent_max/; 2,$s/$/\t41.5/' run/summary.tsv
	printf 'schema/1\tsummary\tforeign_percent_max\treal\t%%\t2\t\tInterference\n' >>run/schema.tsv
	drawn "$REPORT" run
	grep -q '<div class="verdict unusable">' run/report.html
	jq -e '(.verdict | startswith("Not usable") and contains("41.5 %")) and all(.findings[]; .verdict == "unsure")' \
		run/findings.json
	run -1 grep -F '**Slow' run/report.md
	run -1 grep 'class="breaks"' run/report.html
	"$REPORT" --table run >table
	run -1 grep -q 'breaks here' table
	[[ $("$REPORT" --verdict run) == "Not usable"* ]]
	# other flags are named beside it
	jq '.cells[0].flags = ["foreign CPU time 41.5 %; the load was 9.2 of 9.6 Mbit/s"]' run/run.json >new
	mv new run/run.json
	[[ $("$REPORT" --verdict run | tr '\n' ' ') == *"41.5 %"*"Also flagged: the load was 9.2 of 9.6 Mbit/s."* ]]
	# another reason is named as it is, and not as other processes
	jq '.cells[].flags = ["; the load was 9.2 of 9.6 Mbit/s"]' run/run.json >new
	mv new run/run.json
	[[ $("$REPORT" --verdict run | tr '\n' ' ') == *"flagged: the load was 9.2 of 9.6 Mbit/s"* ]]
	jq '.cells[1].flags = []' run/run.json >new
	mv new run/run.json
	"$REPORT" --verdict run | tr '\n' ' ' >words
	grep -q 'Flagged: in 1 of 3 conditions, in at least one repeat: the load' words
}

@test "report: an option is accepted before or after the run; two of them, or --record here, are refused" {
	"$REPORT" --json run >before
	"$REPORT" run --json | cmp before -
	[ -s before ]
	run -2 --separate-stderr "$REPORT" run --table --verdict
	[ "${#stderr_lines[@]}" = 1 ]
	run -2 --separate-stderr "$REPORT" --record run
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *calibrat* && $stderr != *jq* ]]
}

@test "a kept run: report makes its tables, figures, findings and page; report.md shows the figures that are kept" {
	local kept name
	unset TP_HOME
	for kept in rtt stalls; do	# whole; of whose samples a part is kept
		cp -r "$TOP/results/reference/$kept" .
		drawn "$TOP/bin/report" "$kept" >said
		[ "$(<said)" = "$PWD/$kept/report.html" ]
		[ "$(wc -l <"$kept/summary.tsv")" -gt "$(jq '.cells | length' "$kept/run.json")" ]
		[ -s "$kept/long.tsv" ]
		jq -e '.findings | length > 0' "$kept/findings.json"
		[ "$(grep -c '<svg class="narrow"' "$kept/report.html")" = "$(grep -c '<figure' "$kept/report.html")" ]	# for phones
		grep -o 'figures/[a-z-]*[.]svg' "$kept/report.md" | sort -u >named
		(cd "$kept" && ls figures/*.svg) | diff named -
		sed -n 's,^!\[.*(figures/\(.*\)[.]svg)$,\1,p' "$kept/report.md" | sort -u |
			diff - <(jq -r '.kept.figures[]' "$kept/run.json")
	done
	grep -q "^> \*\*Samples left out\*\*.* $(jq .kept.conditions stalls/run.json) of 14 " stalls/report.md
	run -1 grep 'Samples left out' rtt/report.md
}

@test "a kept run, as it is in the tree: export, compare, and parts of its report; compare says which conditions have samples" {
	local reference=$TOP/results/reference
	unset TP_HOME TP_BIN
	run -0 "$TOP/thinprobe" report "$reference/rtt" --table
	[ -n "$output" ]
	run -0 "$TOP/thinprobe" export "$reference/rtt" --as csv
	[ "${#lines[@]}" -gt 10 ]
	run -0 --separate-stderr "$TOP/thinprobe" compare "$reference/stalls" "$reference/stalls" --metrics p50
	[ "${#stderr_lines[@]}" = 2 ]
	[[ $stderr == *" $(tar -tf "$reference/stalls/samples.tar.zst" | grep -c '^cells/[^/]*/$') conditions "* ]]
	[ -z "$(find "$reference/rtt" "$reference/stalls" -name '*.tsv')" ]
}

# The kept runs in a browser window as narrow as a phone: the page is no wider, no text of a figure is cut off, and each figure
# shows one of its two drawings.
# bats test_tags=all
@test "in a browser window of 390 pixels no page or figure is cut off, and column heads are buttons" {
	command -v chromium >/dev/null || skip "chromium is not installed"
	local kept run
	unset TP_HOME
	mapfile -t kept_runs < <(TP_HOME=$TOP; . "$TOP/lab/trees.sh"; in_trees 'results/reference/*')
	[ "${#kept_runs[@]}" -gt 0 ]
	for kept in "${kept_runs[@]}"; do
		run=${kept##*/}
		mkdir "$run"
		tar --zstd -xf "$kept/samples.tar.zst" -C "$run"
		[ "$(jq .kept.left_out_bytes "$kept/run.json")" = 0 ] || rm -rf "$run/cells"
		jq 'del(.kept)' "$kept/run.json" >"$run/run.json"
		drawn "$TOP/bin/report" "$run"
		{
			echo "<!DOCTYPE html><body><iframe style='width:390px;height:800px' srcdoc='"
			sed "s/&/\&amp;/g; s/'/\&#39;/g" "$run/report.html"
			cat <<-'END'
				'></iframe><pre id="said"></pre><script>
				document.querySelector("iframe").onload = event => {
					const page = event.target.contentDocument, out = [];
					for (const part of [page.documentElement, page.querySelector("#summary ~ .table, .beside .table")])
						out.push("wide " + part.scrollWidth + " in " + part.clientWidth);
					const box = node => node.getBoundingClientRect();
					for (const figure of page.querySelectorAll("figure")) {
						const seen = [...figure.querySelectorAll("svg")].filter(svg => box(svg).width);
						const cut = [...seen[0].querySelectorAll("text")].filter(text =>
							box(text).left < box(seen[0]).left - 2 || box(text).right > box(seen[0]).right + 2);
						out.push("figure " + seen.length + " " + cut.map(text => text.textContent));
					}
					const many = [...page.querySelectorAll(".table table")].filter(table =>
						[...table.tBodies[0].rows].filter(row => !row.classList.contains("group")).length > 1);
					out.push("heads " + page.querySelectorAll(".table th").length + " "
						+ page.querySelectorAll(".table th button").length + " "
						+ many.map(table => table.tHead.rows[0].cells.length).reduce((a, b) => a + b, 0));
					document.getElementById("said").textContent = out.join("\n") + "\nend";
				};
				</script>
			END
		} >phone.html
		timeout 60 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$PWD/profile" \
			--virtual-time-budget=5000 --dump-dom "file://$PWD/phone.html" 2>/dev/null |
			sed -n '/id="said">/,/^end/p' | sed 's/.*id="said">//' >said
		cat said
		# the page; of the main job the first table, too: others scroll in their boxes
		awk -v tables="$([ "$run" = stalls ] && echo 2 || echo 1)" '/^wide/ && ++n <= tables && $2 > $4 { wide = 1 }
			END { exit n != 2 || wide }' said
		[ "$(grep -cx 'figure 1 ' said)" -gt 0 ]
		[ "$(grep -c '^figure' said)" = "$(grep -cx 'figure 1 ' said)" ]
		# each head of a table of several rows
		read -r _ heads buttons wanted < <(grep '^heads' said)
		[ "$heads" -gt 5 ]
		[ "$buttons" -gt 0 ]
		[ "$buttons" = "$wanted" ]
	done
}

