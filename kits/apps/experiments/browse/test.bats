#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Options, cells and pages; how visits are read from a log; tables and report of a run made by hand whose figures follow from a
# rule; and a short run of two pages.

load ../families/favour

# A page takes 200 or 800 ms by itself, beside the job four times as long; with nice 1.5 times, L twice, H 1.6 times. The repeats
# differ by 1 %, up and down. The job takes a fifth more time with nice, a tenth with vamp. In one repeat of L text came out wrong.
MADE_UP="alone none 1
baseline parallel 4
nice parallel 1.5
L parallel 2
H parallel 1.6"
made_up() { once "$MADE_UP" run made; }
made() {
	made_run "scheme job" 5 '{settings: {on: "lab", protocol: "vnc", repeats: 5, seed: 1, jobs: ["parallel"],
		pages: ["plain", "text"], think_s: 3}}' '(($v[0] * (1 + ($repeat - 3) / 200)) as $times
		| ($p.scheme == "L" and $repeat == 2) as $wrong
		| {visits: {plain: {ms: (200 * $times), wrong: false}, text: {ms: (800 * $times), $wrong}},
			wrong: (if $wrong then 1 else 0 end), think_s: 3}
		+ if $p.job == "none" then {} else {job: {bytes_per_s: (3e6 / ({nice: 1.2, baseline: 1}[$p.scheme] // 1.1))}} end)' \
		<<<"$MADE_UP"
	jq -n '{comm: "xz"} as $job | {result: {daemon_cpu_percent: 0.4, sampled_tasks: 9, not_undone: 0,
		episodes: [{background: [$job]}, {background: []}, {background: [$job, {comm: "netsurf"}]}]}}' \
			>run/vamp/L-parallel-1.json
	functions exp_summed
}

@test "browse: cells: every scheme beside each job, 'alone' without a job; the order of pages depends on the repeat only" {
	[ "$(functions 'SCHEMES=alone,baseline,L JOBS=parallel,quanta; exp_cells' | tr '\t' ' ' | paste -sd ';')" = \
		"alone none;baseline parallel;baseline quanta;L parallel;L quanta" ]
	functions 'VISITED=plain,text,table,icons,photo,album,boxes,styles,form,news
		visits_script 1 >first; visits_script 1 >again; visits_script 2 >second'
	cmp first again
	run -1 cmp -s first second
	cmp <(sort first) <(sort second)
	[ "$(wc -l <first)" = 10 ]
}

@test "browse: a page is the same for the same seed, and has the parts of its kind" {
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

@test "browse: a visit lasts from Return to the last change; it is wrong if another picture, or none, came to rest" {
	{
		printf 'schema\trun\ttime_ns\tkind\tname\twindows\tpicture\n'
		printf 'startup/1\t1\t%s\t%s\t%s\t1\t%s\n' 500000000 change '' a 500000000 rest '' a \
			4000000000 input plain a 4020000000 change '' b 4100000000 change '' c 4100000000 rest plain c \
			7200000000 input text c 7300000000 change '' d 7300000000 rest text d \
			10300000000 input news d 10400000000 change '' e 10500000000 change '' f
	} >log.tsv
	functions "PICTURES='{\"plain\": \"c\", \"text\": \"other\"}'; visits_read log.tsv" >visits.json
	jq -e '.visits.plain == {picture: "c", asked_ns: 4000000000, first_ms: 20, ms: 100, wrong: false}' visits.json
	jq -e '.visits.text.ms == null' visits.json
	jq -e '.visits.text.wrong and .visits.news.wrong and .visits.news.ms == null and .visits.news.first_ms == 100' visits.json
	jq -e '.start == "a" and .wrong == 2 and (.think_s - 3.05 | fabs) < 1e-9' visits.json		# 3.1 s and 3 s
}

@test "browse: report: pages and job relative to the baseline; findings on vamp against nice" {
	made_up
	drawn warm report run
	near "$(row plain_ms scheme=baseline)" 800 0.1
	near "$(row all_rel scheme=baseline)" 1 0.001
	near "$(row text_rel scheme=nice)" 0.375 0.0001		# 1.5 / 4
	near "$(row all_rel scheme=L)" 0.5 0.0005
	near "$(row plain_rel scheme=H)" 0.4 0.0001
	near "$(row text_rel scheme=alone)" 0.25 0.0001
	near "$(row job_rel scheme=nice)" 1.2 0.0001
	[ "$(row wrong scheme=L)" = 1 ]
	[ "$(row job_rel scheme=alone)" = "" ]
	# Student's t of the logarithms of 0.99, 0.995, 1, 1.005, 1.01: 2.7764451 standard errors
	near "$(row plain_rel_high scheme=baseline)" "$(awk \
		'BEGIN { for (i = -2; i <= 2; i++) { x = log(1 + i / 200); m += x / 5; q += x * x }
		print exp(m + 2.7764451 * sqrt((q - 5 * m * m) / 4 / 5)) }')" 0.0005
	[ "$(found schemes '[.value, .verdict]')" = '[0.4,"good"]' ]
	[ "$(found against-nice .verdict)" = '"bad"' ]	# 1.6 / 1.5
	near "$(found job .value)" 10 0.1
	[ "$(found wrong .value)" = 1 ]
	# one visit of L was excluded, so findings say 'pages that were not excluded' instead of 'all pages'
	said() { jq -r '.verdict, (.findings[] | select(.id != "wrong") | .text)' run/findings.json | grep -c "$1"; }
	[ "$(said 'all pages')/$(said 'pages that were not excluded')" = 0/3 ]
	run -1 grep -q 'All, to the baseline' run/report.md
	near "$(found vamp .value)" 66.667 0.01
	found vamp .text | grep -q netsurf
	[ -s run/figures/visits-parallel.svg ]
	grep -q 'id="figure-visits-parallel"' run/report.html
	run -1 grep -E '(src|href)="http' run/report.html
}

@test "browse: findings say 'all pages' if no visit was excluded; with one or two repeats nothing is compared" {
	MADE_UP=$'alone none 1\nbaseline parallel 4\nnice parallel 1.5\nH parallel 1.6'
	made_up
	warm report run
	verdict run | grep -q 'all pages'
	grep -q 'All, to the baseline' run/report.md
	compares_nothing 2
	[ "$(found against-nice .verdict)" = '"unsure"' ]
	compares_nothing 1
	[ "$(found against-nice .verdict)" = '"unsure"' ]
}

@test "browse: findings of a run without a baseline, or without a complete cell, say so" {
	made_up
	says_so baseline-parallel
}

# bats test_tags=all
@test "browse: a short run: two pages, alone and beside a job, end in the same pictures, about three seconds apart" {
	short_run "Xvnc netsurf-gtk convert" --page plain,photo --scheme alone,baseline --repeat 1
	for cell in alone-none baseline-parallel; do
		jq -e '.visits | (keys == ["photo", "plain"]) and all(.[]; .wrong or (.first_ms > 0 and .first_ms <= .ms))' \
			"run/cells/$cell/1/cell.json"
		jq -e '.think_s > 2.9' "run/cells/$cell/1/cell.json"
	done
	# visits that count ended in the same picture in both cells
	jq -es '.[0] as $a | .[1] as $b | all($a | keys[]; $a[.].wrong or $b[.].wrong or $a[.].picture == $b[.].picture)' \
		<(jq .visits run/cells/alone-none/1/cell.json) <(jq .visits run/cells/baseline-parallel/1/cell.json)
	usable run
	# a picture of ten megapixels takes longer than four short paragraphs
	jq -e '.visits | .photo.wrong or .plain.wrong or .photo.ms > .plain.ms / 2' run/cells/alone-none/1/cell.json
}

@test "browse: each kind of job has its own verdict" {
	MADE_UP=$'alone none 1\nbaseline parallel 4\nL parallel 2\nbaseline quanta 2\nL quanta 6'
	made_up
	words
	cat run/findings.json
	verdict run | grep -q ' 0.50 times .* 3.00 times '
	[ "$(found schemes .verdict)/$(found schemes-quanta .verdict)" = '"good"/"bad"' ]
}
