# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# favour.bash - for tests of experiments that compare schemes (favour.sh): `load ../families/favour`.

bats_require_minimum_version 1.5.0
load ../../../../tests/busy
load ../../../../tests/figures
load ../../../../tests/warm

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
	EXPERIMENT=${BATS_TEST_DIRNAME##*/}
	export EXPERIMENT THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR TP_HOME=$TOP TP_BIN=$TOP/bin
	cd "$BATS_TEST_TMPDIR" && undrawn
}

functions() {	# functions TEXT: bash with those of the experiment; the run is in the folder run
	bash -c '. "$TP_HOME/lab/lib.sh" && . "$TP_HOME/experiments/engine/folder.sh"; put_json() { put_whole "$1"; }
		. "$TP_HOME/experiments/engine/measure.sh"; . "$TP_HOME/kits/apps/experiments/$EXPERIMENT/cell.sh"; SEED=1 RUN=run
		run_set() { jq "${@:2}" "$1" run/run.json >new && mv new run/run.json; }; '"$1"
}


# made_run AXES REPEATS MORE CELL: a run made by hand, from lines with the parameters of its cells and further values. In jq: MORE
# is what else run.json has; CELL what else a cell has, by $p, its parameters, $v, the values, and $repeat.
made_run() {
	local path cell
	rm -rf run && mkdir -p run/vamp
	jq -Rn --arg axes "$1" --argjson repeats "$2" --arg experiment "$EXPERIMENT" '($axes / " ") as $names
		| {schema: "thinprobe.run/1", tool: "thinprobe", version: "0.1.0", host: {name: "here"}, $experiment,
			started: "2026-11-21T10:00:00Z", ended: "2026-11-21T11:00:00Z", state: "complete", axes: $names, protocol: null,
			lab: {missing: [], shared_cpus: false},
			cells: [inputs / " " | . as $words | {name: (.[:$names | length] | join("-")),
				parameters: ([$names, $words] | transpose | map(select(.[0]) | {key: .[0], value: .[1]}) | from_entries),
				state: "complete", complete: $repeats, flags: [], values: (.[$names | length:] | map(tonumber))}]}
		| .counts = {total: (.cells | length * $repeats), complete: (.cells | length * $repeats), missing: 0, marked: 0}
		| . * '"$3" >run/run.json
	while IFS=$'\t' read -r path cell; do
		mkdir -p "$path"
		printf '%s\n' "$cell" >"$path/cell.json"
	done < <(jq -r '.cells[] | .name as $name | .parameters as $p | .values as $v | range(1; .complete + 1) as $repeat
		| "run/cells/\($name)/\($repeat)\t" + ({schema: "thinprobe.cell/1", parameters: $p, $repeat, state: "complete",
			reason: "", marked: "", foreign_percent: 0.5} + '"$4"' | tojson)' run/run.json)
}

# row NAME COLUMN=VALUE...: of the summary, in the first row of which all this holds
row() {
	awk -F'\t' -v name="$1" -v words="${*:2}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(words, word, " "); next }
		{ for (i = 1; i <= n; i++) { split(word[i], is, "="); if ($at[is[1]] != is[2]) next }
			print $at[name]; found = 1; exit }
		END { if (!found) print "no row " words }' run/summary.tsv
}

# Its findings, after a change of cells
words() { report_findings run; }

short_run() {	# short_run "PROGRAM..." WORD...: all cells are complete
	local tool
	for tool in $1; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	LAB_SHARED_CPUS=1 drawn real_run run "$TOP/thinprobe" run "$EXPERIMENT" "${@:2}" -o run >out 2>err 3>&-
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat out err
	run_complete run && [ -s run/report.html ]
}

says_so() {	# says_so CELL: the verdict of the made run says that this cell is missing, then that all are
	local failed='s/"complete"/"failed"/'
	find "run/cells/$1" -name cell.json -exec sed -i "$failed" {} +
	functions '! declare -F exp_summed >/dev/null || exp_summed'
	words
	verdict run | grep -q 'nothing to compare with' || return
	find run/cells -name cell.json -exec sed -i "$failed" {} +
	warm summarize run >/dev/null || [ $? = 1 ] || return
	warm report --findings run | grep -q 'no findings yet'
}

# With its first N repeats alone the made run compares nothing: no word of which is better, of significance, or of alike.
compares_nothing() {	# compares_nothing N
	local cell
	while read -r cell; do
		[ "${cell##*/}" -le "$1" ] || rm -r "$cell"
	done < <(find run/cells -mindepth 2 -maxdepth 2 -type d -name '[0-9]*')
	jq --argjson n "$1" '.settings.repeats = $n | .cells[].complete = $n' run/run.json >x && mv x run/run.json
	words
	cat run/findings.json
	if jq -r '.verdict, .findings[].text' run/findings.json | grep -E \
		'sooner|later than|significan|less time|beats|loses|difference is shown|cannot be told|times as (fast|slow)'; then return 1; fi
}
