#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Options, cells and pages; how visits are read from a log; tables and report of a run made by hand whose figures follow from a
# rule; and a short run of two pages.

load ../engine/favour

row() {	# row CELL NAME
	awk -F'\t' -v cell="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["scheme"] == cell { print $at[name] }' run/summary.tsv
}

# A page takes 200 or 800 ms by itself, beside the job four times as long; with nice 1.5 times, L twice, H 1.6 times. The repeats
# differ by 1 %, up and down. The job takes a fifth more time with nice, a tenth with vamp. In one repeat of L text came out wrong.
made_up() {
	local scheme times job repeat part wrong
	rm -rf run && mkdir run
	while read -r scheme times job; do
		for repeat in 1 2 3 4 5; do
			part=cells/$scheme-$job/$repeat
			mkdir -p "run/$part"
			wrong=false
			[ "$scheme $repeat" != "L 2" ] || wrong=true
			jq -n --arg scheme "$scheme" --arg job "$job" --argjson repeat "$repeat" --argjson times "$times" \
				--argjson wrong "$wrong" '
				(1 + ($repeat - 3) / 200) as $noise
				| {schema: "thinprobe.cell/1", parameters: {$scheme, $job}, $repeat, state: "complete", reason: "", marked: "",
				visits: {plain: {ms: (200 * $times * $noise), wrong: false}, text: {ms: (800 * $times * $noise), $wrong}},
				wrong: (if $wrong then 1 else 0 end), think_s: 3, foreign_percent: 0.5}
				+ if $job == "none" then {} else {job: {bytes_per_s:
					(3e6 / (if $scheme == "nice" then 1.2 elif $scheme == "baseline" then 1 else 1.1 end))}} end' >"run/$part/cell.json"
		done
		printf '%s\t%s\n' "$scheme" "$job"
	done <<<"$MADE_UP" | made_run "scheme job" 5 \
		'{settings: {on: "lab", protocol: "vnc", repeats: 5, seed: 1, jobs: ["parallel"],
		pages: ["plain", "text"], think_s: 3}}'
	mkdir run/vamp
	jq -n '{comm: "xz"} as $job | {result: {daemon_cpu_percent: 0.4, sampled_tasks: 9, not_undone: 0,
		episodes: [{background: [$job]}, {background: []}, {background: [$job, {comm: "netsurf"}]}]}}' \
			>run/vamp/L-parallel-1.json
	functions exp_summed
}
MADE_UP="alone 1 none
baseline 4 parallel
nice 1.5 parallel
L 2 parallel
H 1.6 parallel"

@test "cells: every scheme beside each job, alone once without; the order of pages is that of the repeat" {
	[ "$(functions 'SCHEMES=alone,baseline,L JOBS=parallel,quanta; exp_cells' | tr '\t' ' ' | paste -sd ';')" = \
		"alone none;baseline parallel;baseline quanta;L parallel;L quanta" ]
	functions 'VISITED=plain,text,table,icons,photo,album,boxes,styles,form,news
		visits_script 1 >first; visits_script 1 >again; visits_script 2 >second'
	cmp first again
	if cmp -s first second; then return 1; fi
	cmp <(sort first) <(sort second)
	[ "$(wc -l <first)" = 10 ]
}

@test "pages: the same for the same seed, each of its kind" {
	page() { LC_ALL=C awk -v page="$1" -v seed="$2" -f "$TOP/kits/apps/experiments/browse/pages.awk"; }
	for name in plain text table icons photo album boxes styles form news; do
		[ "$(page $name 1 | md5sum)" = "$(page $name 1 | md5sum)" ]
		[ "$(page $name 1 | wc -c)" -gt 200 ]
		page $name 1 | tail -n 1 | grep -qx '</body></html>'
	done
	[ "$(page text 1 | md5sum)" != "$(page text 2 | md5sum)" ]
	[ "$(page table 1 | grep -o '<td>' | wc -l)" = 2400 ]
	# 4 boxes, each with three in it, five levels down: 4 (3^6 - 1) / 2
	[ "$(page boxes 1 | grep -o '<div' | wc -l)" = 1456 ]
	[ "$(page album 1 | grep -o '<img' | wc -l)" = 24 ]
}

@test "visits are read from a log: from Return to the last change, and only where the right picture was there" {
	{
		printf 'schema\trun\ttime_ns\tkind\tname\twindows\tpicture\n'
		printf 'startup/1\t1\t%s\t%s\t%s\t1\t%s\n' 500000000 change '' a 500000000 rest '' a \
			4000000000 input plain a 4020000000 change '' b 4100000000 change '' c 4100000000 rest plain c \
			7200000000 input text c 7300000000 change '' d 7300000000 rest text d \
			10300000000 input news d 10400000000 change '' e 10500000000 change '' f
	} >log.tsv
	functions "PICTURES='{\"plain\": \"c\", \"text\": \"other\"}'; visits_read log.tsv" >visits.json
	jq -e '.visits.plain == {picture: "c", asked_ns: 4000000000, first_ms: 20, ms: 100, wrong: false}' visits.json
	jq -e '.visits.text.wrong and .visits.news.wrong and .visits.news.ms == null and .visits.news.first_ms == 100' visits.json
	jq -e '.start == "a" and .wrong == 2 and (.think_s - 3.05 | fabs) < 1e-9' visits.json		# 3.1 s and 3 s
}

@test "tables: each page by the baseline's mean, the geometric mean of all, what the job pays" {
	made_up
	"$TOP/bin/summarize" run >/dev/null
	near "$(row baseline plain_ms)" 800 0.1
	near "$(row baseline all_rel)" 1 0.001
	near "$(row nice text_rel)" 0.375 0.0001		# 1.5 / 4
	near "$(row L all_rel)" 0.5 0.0005
	near "$(row H plain_rel)" 0.4 0.0001
	near "$(row alone text_rel)" 0.25 0.0001
	near "$(row nice job_rel)" 1.2 0.0001
	[ "$(row L wrong)" = 1 ]
	[ "$(row alone job_rel)" = "" ]
	# Student's t of the logarithms of 0.99, 0.995, 1, 1.005, 1.01: 2.7764451 standard errors
	near "$(row baseline plain_rel_high)" "$(awk \
		'BEGIN { for (i = -2; i <= 2; i++) { x = log(1 + i / 200); m += x / 5; q += x * x }
		print exp(m + 2.7764451 * sqrt((q - 5 * m * m) / 4 / 5)) }')" 0.0005
}

@test "report: the verdict compares vamp with nice, one figure for each kind of job; the same again" {
	made_up
	"$TOP/report/report.sh" run
	[ "$(found schemes '[.value, .verdict]')" = '[0.4,"good"]' ]
	[ "$(found against-nice .verdict)" = '"bad"' ]	# 1.6 / 1.5
	near "$(found job .value)" 10 0.1
	[ "$(found wrong .value)" = 1 ]
	# one visit of L was excluded, so no figure is of all pages; without it, each is
	said() { jq -r '.verdict, (.findings[] | select(.id != "wrong") | .text)' run/findings.json | grep -c "$1"; }
	[ "$(said 'all pages')/$(said 'pages that were not excluded')" = 0/3 ]
	if grep -q 'All, to the baseline' run/report.md; then return 1; fi
	near "$(found vamp .value)" 66.667 0.01
	found vamp .text | grep -q netsurf
	[ -s run/figures/visits-parallel.svg ]
	grep -q 'id="figure-visits-parallel"' run/report.html
	if grep -E '(src|href)="http' run/report.html; then return 1; fi
	cp run/summary.tsv before
	"$TOP/report/report.sh" run
	cmp before run/summary.tsv
}

@test "report: all pages are all pages where no visit was excluded" {
	MADE_UP=$'alone 1 none\nbaseline 4 parallel\nnice 1.5 parallel\nH 1.6 parallel'
	made_up
	"$TOP/report/report.sh" run
	jq -r .verdict run/findings.json | grep -q 'all pages'
	grep -q 'All, to the baseline' run/report.md
}

@test "report: two repeats compare nothing, and neither does one" {
	made_up
	compares_nothing 2
	[ "$(found against-nice .verdict)" = '"unsure"' ]
	compares_nothing 1
	[ "$(found against-nice .verdict)" = '"unsure"' ]
}

@test "a run without a baseline, or of which nothing came, says so" {
	made_up
	says_so baseline-parallel
}

# bats test_tags=all
@test "a short run: two pages, alone and beside a job, at rest as they look, about three seconds apart" {
	short_run "Xvnc netsurf-gtk convert" --page plain,photo --scheme alone,baseline --repeat 1
	for cell in alone-none baseline-parallel; do
		jq -e '.visits | (keys == ["photo", "plain"]) and all(.[]; .wrong or (.first_ms > 0 and .first_ms <= .ms))' \
			"run/cells/$cell/1/cell.json"
		jq -e '.think_s > 2.9' "run/cells/$cell/1/cell.json"
	done
	# a picture of ten megapixels takes longer than four short paragraphs
	jq -e '.visits | .photo.wrong or .plain.wrong or .photo.ms > .plain.ms / 2' run/cells/alone-none/1/cell.json
	# what counts ended in the same picture in both
	jq -es '.[0] as $a | .[1] as $b | all($a | keys[]; $a[.].wrong or $b[.].wrong or $a[.].picture == $b[.].picture)' \
		<(jq .visits run/cells/alone-none/1/cell.json) <(jq .visits run/cells/baseline-parallel/1/cell.json)
}

@test "each kind of job has its own verdict" {
	MADE_UP=$'alone 1 none\nbaseline 4 parallel\nL 2 parallel\nbaseline 2 quanta\nL 6 quanta'
	made_up
	"$TOP/report/report.sh" run
	jq -c '.verdict, .findings[]' run/findings.json
	jq -r .verdict run/findings.json | grep -q ' 0.50 times .* 3.00 times '
	[ "$(found schemes .verdict)/$(found schemes-quanta .verdict)" = '"good"/"bad"' ]
}
