#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# thinprobe gallery: its runs, how they are kept, its page; on a made-up tree, whose runs and reports are short scripts.
# bats file_tags=waits:gallery

bats_require_minimum_version 1.5.0
load ../undrawn

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
	gallery=$PWD/tree/bin/gallery
}

until_true() {	# COMMAND...: for up to 30 s, while the last job runs
	for _ in {1..600}; do
		if "$@"; then return; fi
		kill -0 $! || return
		sleep 0.05
	done
	return 1
}

# own_programs NAME...: these of the tree's own, which find it by where they are, and its analysis/
own_programs() {
	cp -rs "$TOP/analysis" tree/
	cp "${@/#/$TOP/bin/}" tree/bin/
}

# made_tree [NAME]: a tree with two runs, NAME (one) and two, of which run.sh writes what gallery looks at: "slow" waits for a
# signal, "broken" lacks a cell at first, "big" has large samples. What needs no run is "sum", by a program called adder.
made_tree() {
	export TP_HOME=$PWD/tree	# (for run.sh)
	mkdir -p tree/{bin,docs,data,plots,experiments/{engine,made}}
	own_programs gallery
	ln -s "$TOP/lab" tree/
	ln -s "$TOP/experiments/families" tree/experiments/
	printf '#!/bin/sh\nfor run; do :; done\ncd "$run" && cp cells/a/1/*.tsv .\n' >tree/bin/summarize
	printf "COLUMNS = '''\ntable summary cells\n'''\n" >tree/experiments/made/analysis.py
	printf 'name\tcommand\tdrawing\nsum\tadder 2 3\tdots.gp red\n' >tree/data/computed.tsv
	printf '#!/bin/sh\nprintf "a\\tsum\\n$1\\t5.128\\n"; printf "0 0\\n1 $2\\n" >"$5"\n' >tree/bin/adder
	echo 'set terminal svg; set output ARG2; plot ARG1 lc rgb ARG3' >tree/plots/dots.gp
	printf 'says  Made up\nminutes 90 quick=2\n' >tree/experiments/made/plan
	printf 'name\texperiment\tminutes\toptions\n%s\tmade\t45\t--n 1\ntwo\tmade\t30\t\n' "${1-one}" >tree/data/gallery.tsv
	cat >tree/experiments/engine/run.sh <<-'END'
		#!/bin/bash
		echo "$*" >>"$TP_HOME/../called"
		run=${*: -1} state=complete
		printf -v words ' %q' "$@"
		[[ $* != *--resume* ]] || words=$(jq -r '.command | ltrimstr("thinprobe run")' "$run/run.json")
		[[ $run != */broken || $* == *--resume* ]] || state=failed
		[[ $run != */slow || -e $TP_HOME/../quick ]] || state=interrupted
		mkdir -p "$run/cells/a/1"
		echo >"$run/cells/a/1/picture.png"
		echo '{}' | tee "$run/cells/a/1/cell.json" >"$run/more.json"
		printf 'schema\tsinks\tstall_ms\tstall_ms_low\tstall_ms_high\tapp\tcpus\n' >"$run/summary.tsv"
		printf 'made/1\t5\t10.5\t9.25\t11.75\tvim\t1\nmade/1\t20\t163.2\t\t\tvim\t2\nmade/1\t3\t7\t\t\tother\t\n' >>"$run/summary.tsv"
		printf 's\tsummary\t%b\n' 'sinks\tint\t' 'cpus\tint\t' 'app\ttext\t' 'stall_ms\treal\tms' |
			sed '1ischema\ttable\tcolumn\ttype\tunit' >"$run/schema.tsv"
		yes a_long_table | head -n 4000 >"$run/long.tsv"
		cp "$run"/*.tsv "$run/cells/a/1"
		for name in b c; do
			[[ $run == */big ]] || continue
			mkdir -p "$run/cells/$name/1" && head -c 250000 /dev/urandom >"$run/cells/$name/1/samples"
		done
		printf '{"started": "2026-01-01T0%s:00:00Z", "ended": "2026-01-01T09:00:00Z", "measured_s": 620, "state": "%s",
			"experiment": "made", "lab": {"server_root": "/home/me/roots/old"}, "cells": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
			"command": "thinprobe run%s", "settings": {}}' $((SECONDS % 9)) "$state" "${words//\\/\\\\}" >"$run/run.json"
		[ $state != interrupted ] || { trap 'echo ended >>"$TP_HOME/../called"; exit 130' TERM; sleep 60 & echo $! >sleeper; wait; }
		[ $state = complete ] || exit 3
	END
	rm tree/analysis/commands/report.py
	cat >tree/analysis/commands/report.py <<-'END'
		import subprocess
		from analysis.trees import home
		def report(folder, part):
		    subprocess.run([home() / 'report.sh', folder], check=True)
	END
	cat >tree/report.sh <<-'END'
		#!/bin/sh
		mkdir -p "$1/figures" && cd "$1" && tar --zstd -xf samples.tar.zst && cp cells/a/1/*.tsv . || exit
		rm -r cells more.json report.md 2>/dev/null
		for name in stall other; do
			echo '<svg/>' >figures/$name.svg
			echo "![]($PWD/figures/$name.svg)" >>report.md
		done
		echo '> **Fine.**' >>report.md
		echo page | tee report.html >findings.json
	END
	cat >tree/docs/papers.md <<-'END'
		# Papers

		## A paper

		Ann Author and Bob Second, 2001.

		### Fig. 1: stalls

		- Command: `thinprobe run made --n 1`
		- File and column: `figures/stall.svg`; `summary.tsv: sinks, stall_ms`
		- Difference: none.

		### Fig. 2: others

		- Command: `thinprobe run made`
		- File and column: `figures/stall.svg`

		### Fig. 3: a sum

		- Command: `thinprobe adder`

		### Fig. 4: a default

		- Command: `thinprobe help`
	END
	printf 'paper\tfigure\twhat\ttext\ttable\twhere\tours\n' >tree/data/papers.tsv
	printf 'Author & Second 2001\tFig. %s\t%s\t%s\t%s\t%s\t%s\n' \
		1 figure '3 s | 5 hogs' one/summary 'app=vim sinks=5.00' '{app}, {sinks} hogs: {stall_ms}' \
		1 text '2 s' one/summary '' '{app}, {cpus} CPUs' 1 text '9 s, most hogs' one/summary 'app=vim sinks=max' '{stall_ms}' \
		1 table '1 s' one/summary app=gone '{stall_ms}' 1 text '8 s' one/summary 'app!=vim' '{sinks} hogs' \
		1 text '8 s' one/summary sinks=5 '{sinks} hogs' \
		1 table '4 s' one/summary sinks=3 '{gone_ms}' 1 since 'Kernels changed.' '' '' '' \
		2 text '7 s' two/summary '' '{stall_ms}' \
		2 partial 'half of it.' '' '' '' \
		3 text '5.13' sum/rows a=2 'adds up to {sum}' 4 text here '' '' 'a default' | sed "s,one/,${1-one}/," >>tree/data/papers.tsv
	printf "Author & Second 2001\t\tclaim\thogs stall\t${1-one}/summary\tsinks=5\t%s\n" 'by {stall_ms}' '{sinks} of them' \
		>>tree/data/papers.tsv
	chmod 755 tree/experiments/engine/run.sh tree/report.sh tree/bin/{adder,summarize}
}

@test "gallery: says the time, measures each run, keeps it without the folder in its command, and writes the page" {
	made_tree
	mkdir "a folder" && cd "a folder"
	run -0 "$gallery" -o out
	# two shows a figure in 30 minutes, one in 45
	[[ ${lines[1]} == *one*"45 min  figures: 1 "*"thinprobe run made --n 1" && ${lines[2]} == "Runs: 2,"*" about 1 h 15 min "* ]]
	printf '%s\n' "made -o $PWD/out/runs/two" "made --n 1 -o $PWD/out/runs/one" | cmp - ../called
	# what is made again is not kept, nor a figure that no page shows
	[ "$(ls out/one | paste -sd ' ')" = "figures report.md run.json samples.tar.zst" ]
	[ "$(ls out/one/figures)" = stall.svg ]
	[ "$(tar --zstd -tf out/one/samples.tar.zst | grep -v '/$' | sort | paste -sd ' ')" = \
		"$(printf 'cells/a/1/%s ' cell.json long.tsv schema.tsv summary.tsv)more.json" ]
	jq -e '.command == "thinprobe run made --n 1" and .lab.server_root == "old"' out/one/run.json
	jq -e '.kept | .left_out_bytes == 0 and .samples_bytes > 0 and .figures == ["stall"]' out/one/run.json
	# what the paper says, a value with its interval by the conditions, the largest; what is missing is said
	grep -qxF '| 3 s \| 5 hogs *(read off the figure)* | vim, 5 hogs | 10.5 ms | 9.3 to 11.8 ms |' out/gallery.md
	grep -qxF '| 9 s, most hogs |  | 163 ms |  |' out/gallery.md
	grep -xF -A 1 '| 2 s | vim … CPUs | 1 |  |' out/gallery.md | grep -qxF '|  | vim … CPUs | 2 |  |'	# not where it is empty
	grep -qxF '| 1 s | not in this run |  |  |' out/gallery.md
	grep -xF -A 1 '| 8 s | hogs | 3 |  |' out/gallery.md | grep -qxF '|  | hogs | 5 |  |'
	grep -qxF '| 4 s |  | no column gone_ms |  |' out/gallery.md
	grep -q 'Kernels changed.$' out/gallery.md
	grep -qx 'Not whole: half of it.' out/gallery.md
	grep -q '^<a href="one/figures/stall.svg"><img src="one/figures/stall.svg" width="[0-9]*" alt="Fig. 1: stalls"></a>' out/gallery.md
	# of the paper: what it showed, both numbers beside it; those shown whole
	grep -qF 'It showed: hogs stall. Here, today: by 10.5 ms (9.3 to 11.8 ms); 5 of them.' out/gallery.md
	grep -qF '**3** are shown whole' out/gallery.md
	# 620 s
	grep -qF ' | 2026-01-01 | 10 min | ' out/gallery.md
}

@test "gallery: a number and its interval have one unit; one without a unit has as many digits as the run's own tables" {
	local unit value low high words
	made_tree
	"$gallery" -o out one
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	while IFS='|' read -r unit value low high words; do
		sed -i "2s/.*/made\/1\t5\t$value\t$low\t$high\tvim\t1/" out/one/summary.tsv
		sed -i "/\tstall_ms\t/s/[^\t]*$/$unit/" out/one/schema.tsv
		"$gallery" --page -o out
		grep 'vim, 5 hogs' out/gallery.md
		grep -qxF "| 3 s \| 5 hogs *(read off the figure)* | vim, 5 hogs | $words |" out/gallery.md
	done <<-'END'
		ms|9857.2|7089|13705|9.9 s | 7.1 to 13.7 s
		ms|9857.2|9712|9901|9857 ms | 9712 to 9901 ms
		-|1.013|0.954|1.066|1.01 | 0.95 to 1.07
		-|12.34|9.57|15.1|12.3 | 9.6 to 15.1
	END
}

@test "gallery: a run with few repeats, disturbed conditions or samples left out is so named" {
	made_tree
	run -0 "$gallery" -o out
	grep -qF '2 runs, which are kept in this repository (2 with all of their samples)' out/gallery.md
	grep -qF 'Of the runs 0 are preliminary, with fewer than five repeats, and 0 had disturbed' out/gallery.md
	run -1 grep -q '(preliminary' out/gallery.md
	jq '.settings.repeats = 3 | .cells[1].flags = ["foreign CPU time 9 %"] | .kept.left_out_bytes = 5 | .kept.conditions = 0' \
		out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/	# tables of left out samples are kept
	run -0 "$gallery" --page -o out
	grep -qF '(1 with all of their samples, 1 with tables alone)' out/gallery.md
	grep -qF 'Of the runs 1 are preliminary, with fewer than five repeats, and 1 had disturbed' out/gallery.md
	grep -qF '[one](one/report.md) (preliminary: 3 repeats; 1 of the conditions flagged)' out/gallery.md
	# a word that no rule decides, and what the paper's head says, have the marks of the run, too
	[ "$(verdict_of 1)" = "**nothing to compare** (preliminary, flagged)" ]
	grep -qF 'by 10.5 ms (9.3 to 11.8 ms) (preliminary, flagged); 5 of them (preliminary, flagged).' out/gallery.md
	jq '.settings.repeats = 5 | .cells[1].flags = [] | .unwatched = true' out/one/run.json >x
	mv x out/one/run.json
	"$gallery" --page -o out
	[ "$(verdict_of 1)" = "**nothing to compare** (preliminary)" ]
	grep -qF '[one](one/report.md) (preliminary: interference unknown)' out/gallery.md
}

@test "gallery: runs that are kept come after the others, unless named" {
	made_tree
	"$gallery" -o out two
	run -0 "$gallery" --list -o out
	[[ ${lines[0]} == *" one "* && ${lines[1]} == *" two "*" kept "* ]]
	run -0 "$gallery" --list -o out two one
	[[ ${lines[0]} == *" two "* && ${lines[1]} == *" one "* ]]
	# figures are those that it has numbers of
	printf 'Author & Second 2001\tFig. %s\tx\ttwo/summary\t\t%s\n' '1\tneeds' '{sinks}' '4\tsince' 'sinks > 1' |
		sed 's/\\t/\t/' >>tree/data/papers.tsv
	run -0 "$gallery" --list -o out two
	[[ ${lines[0]} == *"figures: 1 "* ]]
}

@test "gallery: figures without a kept run are listed as not run yet, with the command; what a program computes needs none" {
	made_tree
	run -0 "$gallery" --page -o out
	[ ! -e called ]
	[ "$output" = "$PWD/out/gallery.md" ]
	grep -qxF '**Not run yet**: `thinprobe run made --n 1`' out/gallery.md
	run -1 grep -q 'Kernels changed' out/gallery.md
	grep -qF '| one | `thinprobe run made --n 1` | 45 min |' out/gallery.md
	grep -qF 'It showed: hogs stall. Here, today: not run yet.' out/gallery.md
	grep -qF '**2** are shown whole' out/gallery.md
	grep -qxF '| 5.13 | adds up to | 5.13 |  |' out/gallery.md
	grep -qxF '| here | a default |  |  |' out/gallery.md
	grep -qxF '`thinprobe adder`. Computed by `thinprobe adder 2 3`.' out/gallery.md
	grep -qF '<img src="gallery/sum.svg"' out/gallery.md
	grep -q '</svg>' out/gallery/sum.svg
}

@test "gallery: a figure of which a kept run has no number is not run yet" {
	made_tree
	sed -i '/Fig. 1\t/s/\t[^\t]*\t\([^\t]*\)$/\tapp=gone\t\1/' tree/data/papers.tsv
	run -0 "$gallery" -o out one
	grep -qxF '**Not run yet**: `thinprobe run made --n 1`' out/gallery.md
	run -1 grep -E 'stall.svg".*Fig. 1|not in this run' out/gallery.md
}

@test "gallery: a program that fails is named, and the page stays" {
	made_tree
	echo 'exit 3' >>tree/bin/adder
	run -1 --separate-stderr "$gallery" --page -o out
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == "thinprobe: adder 2 3 fails"* ]]
	[ -z "$(ls -A out)" ]
}

@test "gallery: a number of a figure that docs/papers.md lacks, or of a run that is not planned, is refused by name" {
	made_tree
	for words in "Author & Second 2002|Fig. 1|one/summary|no Fig. 1 of Author & Second 2002" \
		"Author & Second 2001|Fig. 5|one/summary|no Fig. 5" "Author & Second 2001|Fig. 1|none/summary|no run none"; do
		IFS='|' read -r paper figure table why <<<"$words"
		cp tree/data/papers.tsv kept
		printf '%s\t%s\ttext\tx\t%s\t\t{stall_ms}\n' "$paper" "$figure" "$table" >>tree/data/papers.tsv
		run -1 --separate-stderr "$gallery" --page -o out
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "thinprobe: data/papers.tsv:$(wc -l <tree/data/papers.tsv): "*"$why"* ]]
		[ ! -e out/gallery.md ]
		mv kept tree/data/papers.tsv
	done
}

# rule FIGURE WORD TABLE WHERE CONDITION...
rule() {
	local word
	for word in "${@:5}"; do
		printf 'Author & Second 2001\tFig. %s\tverdict\t%s\t%s\t%s\t%s\n' "${@:1:4}" "$word"
	done >>tree/data/papers.tsv
}
verdict_of() { sed -n "/^### Fig. $1: /,/^<details>/s/^\([*][*][^*]*[*][*]\( ([a-z, ]*)\)\?\).*/\1/p" "${2-out}/gallery.md"; }

@test "gallery: a verdict flips with the interval of a run, from as then over cannot tell to no longer" {
	local low high word
	made_tree
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 9 and sinks > 4'
	rule 1 'no longer' one/summary 'app=vim sinks=5' 'stall_ms < 9'
	run -0 "$gallery" -o out
	jq '.kept.left_out_bytes = 5 | .settings.repeats = 3' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	while read -r low high word; do
		sed -i "2s/.*/made\/1\t5\t10.5\t$low\t$high\tvim\t1/" out/one/summary.tsv
		run -0 "$gallery" --page -o out
		echo "$low to $high: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word** (preliminary)" ]
		grep -qF "$word **1**" out/gallery.md
		grep -q '^| [[]A.*[[]Fig. 1[]](#fig-1-stalls)ᵖ' out/gallery.md
	done <<-'END'
		9.25 11.75 as then
		8.75 11.75 cannot tell
		6.25 8.75 no longer
	END
	[ "$(verdict_of 2)" = "**nothing to compare**" ]
	grep -qF '**no longer** (preliminary), by `one/summary app=vim sinks=5: stall_ms < 9`.' out/gallery.md
}

@test "gallery: conditions of a verdict: in each row or some, against another column or row, in a range" {
	local condition word mark
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r word mark condition; do
		cp kept tree/data/papers.tsv
		rule 3 'as then' sum/rows '' "$condition"
		rule 3 'as then, smaller' sum/rows '' 'sum > 0'
		"$gallery" --page -o out
		echo "$condition: $(verdict_of 3)"
		[ "$(verdict_of 3)" = "**$word**$mark" ]
	done <<-'END'
		as then| (computed)|sum > 2.5 a
		as then but smaller or in part| (computed)|sum > 2.6 a
		as then| (computed)|sum = 5.1..5.2
		as then but smaller or in part| (computed)|sum = 5.2..5.3
		as then| (computed)|a < 1 sum a=2
		as then||a < 0.5 sinks one/summary app=vim
		as then but smaller or in part| (computed)|a < 0.3 sinks one/summary app=vim
		as then||some a < 0.3 sinks one/summary app=vim
		as then||a < 1 stall_ms one/summary sinks=5
		as then but smaller or in part| (computed)|a < 1 stall_ms one/summary sinks=20
		as then| (computed)|a = 1..3 and sum > 5
		as then but smaller or in part| (computed)|a = 1..3 and sum > 6
	END
}

@test "gallery: of sentences with rules of the same rows the first is shown that holds, with the range of its rows" {
	local where rule words
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r where rule words; do
		sed "/\tsince\t/{s/Kernels changed[^\t]*.*/Never.\tone\/summary\t$where\tstall_ms > 999/; p
			s/Never[.]\(.*\)\t[^\t]*$/Now {stall_ms} beside {sinks}.\1\t$rule/; p
			s/Now [^\t]*\(.*\)\t[^\t]*$/Always.\1\tsinks > 0/}" kept >tree/data/papers.tsv
		"$gallery" --page -o out
		grep -nE '(Never|Now|Always|Kernels changed)' out/gallery.md
		[ "$(grep -oE '(Never|Now [0-9].*|Always)[.]' out/gallery.md)" = "$words" ]
	done <<-'END'
		sinks=5|stall_ms > 9|Now 10.5 ms (9.3 to 11.8 ms) beside 5.
		app=vim|sinks > 4|Now 10.5 to 163 ms beside 5 to 20.
		app=vim|stall_ms > 99|Always.
	END
	sed -i 's/stall_ms > 999/gone > 1/' tree/data/papers.tsv
	run -1 --separate-stderr "$gallery" --page -o out
	[[ $stderr == *"no column gone"* ]]
}

@test "gallery: a rule that names a column, a row, a word or a sign that is not there is refused with its line" {
	local word where condition why
	made_tree
	"$gallery" -o out
	mkdir -p tree/results/reference
	cp -r out/one out/two tree/results/reference/
	cp tree/data/papers.tsv kept
	while IFS='|' read -r word where condition why; do
		cp kept tree/data/papers.tsv
		rule 1 "$word" one/summary "$where" "$condition"
		rule 2 'as then' two/summary '' 'sinks > 1'
		run -1 --separate-stderr "$gallery" --page
		echo "$stderr"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "thinprobe: data/papers.tsv:$(($(wc -l <kept) + 1)): "*"$why"* ]]
		[ ! -e tree/docs/gallery.md ]
	done <<-'END'
		as then|sinks=5|gone_ms > 9|gone_ms
		as then|gone=5|stall_ms > 9|gone
		as then|sinks=6|stall_ms > 9|sinks=6
		as then|sinks=5|stall_ms > 1 gone_ms|gone_ms
		as then|sinks=5|stall_ms > 1 stall_ms sinks=7|sinks=7
		as ever|sinks=5|stall_ms > 9|as ever
		as then|sinks=5|stall_ms >= 9|stall_ms >= 9
		as then|sinks=5|stall_ms = 12..9|stall_ms = 12..9
		as then|sinks=5|stall_ms > 9.2.5|stall_ms > 9.2.5
		as then|app=vim sinks<20|stall_ms > 9|sinks<20
		as then|app=vim sinks>4|stall_ms > 9|sinks>4
	END
	cp kept tree/data/papers.tsv
	printf 'Author & Second 2001\tFig. 1\tneeds\tall\tone/summary\tapp=vim\tstall_ms\n' >>tree/data/papers.tsv
	run -1 --separate-stderr "$gallery" --page
	[[ $stderr == "thinprobe: data/papers.tsv:$(($(wc -l <kept) + 1)): "*"{column}"* ]]
	cp kept tree/data/papers.tsv
	rule 1 'as then' one/summary sinks=6 'stall_ms > 9'
	"$gallery" --page -o out	# elsewhere a run may have fewer rows
	[ "$(verdict_of 1)" = "**cannot tell**" ]
}

@test "gallery: a figure is whole only if the kept run has each condition and column that it needs, and then as then" {
	local word whole where columns
	made_tree
	rule 3 'as then' sum/rows '' 'sum > 5'
	rule 1 'no longer' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r word whole where columns; do
		cp kept tree/data/papers.tsv
		printf 'Author & Second 2001\tFig. 1\tneeds\tboth\tone/summary\t%s\t%s\n' "${where//+/|}" "$columns" >>tree/data/papers.tsv
		"$gallery" --page -o out
		echo "$where, $columns: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word**" ]
		grep -qF "**$whole** are shown whole" out/gallery.md
	done <<-'END'
		no longer|3|app=vim sinks=5+20|{stall_ms}
		no longer|3|app=vim+other|{stall_ms}
		cannot tell|2|app=vim sinks=5+21|{stall_ms}
		cannot tell|2|app=vim+other|{stall_ms} {cpus}
		cannot tell|2|app=vim sinks=5|{wait_ms}
		cannot tell|2|app=vim hogs=5|{stall_ms}
	END
	grep -qF 'Not whole: both (`one/summary` lacks `app=vim hogs=5`).' out/gallery.md
	sed -i '$d' tree/data/papers.tsv
	printf 'Author & Second 2001\tFig. 3\tneeds\tall\tsum/rows\ta=2|7\t{sum}\n' >>tree/data/papers.tsv
	"$gallery" --page -o out
	[ "$(verdict_of 3)" = "**as then but smaller or in part** (computed)" ]
}

@test "gallery: columns of two units are not compared, and a run that is not usable by its own page decides nothing" {
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 1 cpus'
	"$gallery" --page -o out
	[ "$(verdict_of 1)" = "**as then**" ]
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	sed -i '/\tcpus\t/s/$/s/' out/one/schema.tsv
	run -1 --separate-stderr "$gallery" --page -o out
	[[ $stderr == *"papers.tsv:$(wc -l <tree/data/papers.tsv): stall_ms and cpus have different units"* ]]
	cp kept tree/data/papers.tsv
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	for cells in 1:flagged 2:'not usable'; do
		jq --argjson n "${cells%:*}" '.cells |= map(.flags = []) | .cells[:$n][].flags = ["foreign CPU time 9 %"]' out/one/run.json >x
		mv x out/one/run.json
		"$gallery" --page -o out
		echo "$cells: $(verdict_of 1)"
		[[ $(verdict_of 1) == *" (${cells#*:})" ]]
	done
	[ "$(verdict_of 1)" = "**cannot tell** (not usable)" ]
}

@test "gallery: a condition of which each repeat was disturbed decides nothing, neither alone nor beside another one" {
	local repeats where condition word
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r repeats where condition word; do
		jq --argjson complete "$repeats" '.cells = [({app: "vim", sinks: 5}, {app: "vim", sinks: 20}, {app: "other", sinks: 3})
			| {name: "\(.app)-\(.sinks)", parameters: ., $complete, flags: []}]
			| .cells[0].flags = ["foreign CPU time 9 %"]' out/one/run.json >x
		mv x out/one/run.json
		cp kept tree/data/papers.tsv
		rule 1 'as then' one/summary "$where" "$condition"
		"$gallery" --page -o out
		echo "1 of $repeats, $where, $condition: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word** (flagged)" ]
	done <<-'END'
		2|app=vim sinks=5|stall_ms > 9|as then
		1|app=vim sinks=5|stall_ms > 9|cannot tell
		1|app=vim sinks=20|cpus > 1|as then
		1|app=vim sinks=20|cpus > 1 cpus app=vim sinks=5|cannot tell
		2|app=vim sinks=20|cpus > 1 cpus app=vim sinks=5|as then
	END
}

# stall_ms is 9.25 to 11.75 in both runs.
@test "gallery: rules of a run that is not kept lower no word, and the page names the run; kept, they count" {
	local kept without with same contrary
	made_tree
	"$gallery" -o out one
	cp tree/data/papers.tsv kept
	for kept in one two; do
		[ $kept = one ] || "$gallery" -o out two
		while IFS='|' read -r without with same contrary; do
			cp kept tree/data/papers.tsv
			rule 1 'as then' one/summary 'app=vim sinks=5' "$same"
			rule 1 'as then' two/summary 'app=vim sinks=5' 'stall_ms > 99'
			rule 1 'as then, smaller' one/summary 'app=vim sinks=5' "$same"
			rule 1 'no longer' one/summary 'app=vim sinks=5' "$contrary"
			printf 'Author & Second 2001\tFig. 1\tneeds\tmore\ttwo/summary\tapp=vim\t{stall_ms}\n' >>tree/data/papers.tsv
			"$gallery" --page -o out
			echo "up to $kept, $same: $(verdict_of 1)"
			[ $kept = two ] || [ "$(verdict_of 1)" = "**$without**" ]
			[ $kept = one ] || [ "$(verdict_of 1)" = "**$with**" ]
			[ "$(verdict_of 1)" != '**as then**' ] || grep -q '; `two` is still to be run[.]' out/gallery.md
		done <<-'END'
			as then|as then but smaller or in part|stall_ms > 9|stall_ms < 9
			cannot tell|no longer|stall_ms > 99|stall_ms < 12
		END
	done
}

@test "gallery: runs whose display servers had different frame clocks are not compared" {
	local clock
	made_tree
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 0.5 stall_ms two/summary app=vim sinks=5'
	"$gallery" -o out
	for clock in null 60 1000; do
		jq --argjson clock "$clock" '.protocol.frame_rate_per_s = $clock' out/one/run.json >x
		mv x out/one/run.json
		jq '.protocol.frame_rate_per_s = 60' out/two/run.json >x
		mv x out/two/run.json
		"$gallery" --page -o out
		[ $clock = 1000 ] || [ "$(verdict_of 1)" = '**as then**' ]
	done
	[ "$(verdict_of 1)" = '**cannot tell**' ]
}

@test "gallery: times of runs on different CPUs are not compared, nor is anything else kept from it" {
	local name unit model
	made_tree
	rule 1 'as then' one/summary 'app=vim' 'stall_ms > 0.5 stall_ms two/summary app=vim'
	"$gallery" -o out
	for unit in ms s/key; do
		for model in one other; do
			for name in one two; do
				printf 'made/1\t5\tvim\t5\t10.5\t9.25\t11.75\n' |
					sed '1ischema\tsinks\tapp\trepeats\tstall_ms\tstall_ms_low\tstall_ms_high' >out/$name/summary.tsv
				printf 's\tsummary\t%b\t\n' 'sinks\tint\t' 'app\ttext\t' "stall_ms\treal\t$unit" |
					sed '1ischema\ttable\tcolumn\ttype\tunit\tbetter' >out/$name/schema.tsv
				jq --arg model "$([ $name = one ] && echo one || echo $model)" '.kept.left_out_bytes = 5 | .host.cpu.model = $model' \
					out/$name/run.json >x
				mv x out/$name/run.json
			done
			"$gallery" --page -o out
			echo "$unit, $model: $(verdict_of 1)"
			[ "$(verdict_of 1)" = "**$([ $unit$model = msother ] && echo 'cannot tell' || echo 'as then')**" ]
		done
	done
}

@test "gallery: runs of several protocols are not compared over one that had different frame clocks in them" {
	local name clock
	made_tree
	"$gallery" -o out
	rule 1 'as then' one/summary 'app=vim protocol=vnc' 'stall_ms > 0.5 stall_ms two/summary app=vim protocol={protocol}'
	for name in one two; do
		printf 'made/1\t5\tvim\t%s\t5\t10.5\t9.25\t11.75\n' vnc rdp |
			sed '1ischema\tsinks\tapp\tprotocol\trepeats\tstall_ms\tstall_ms_low\tstall_ms_high' >out/$name/summary.tsv
		printf 's\tsummary\t%b\t\n' 'sinks\tint\t' 'app\ttext\t' 'protocol\ttext\t' 'stall_ms\treal\tms' |
			sed '1ischema\ttable\tcolumn\ttype\tunit\tbetter' >out/$name/schema.tsv
	done
	for clock in 60 1000; do
		for name in one two; do
			jq --arg name $name --argjson clock "$clock" '.kept.left_out_bytes = 5 | .protocol = null | .protocols =
				{vnc: {frame_rate_per_s: (if $name == "one" then $clock else 60 end)}, rdp: {frame_rate_per_s: $clock}}' \
				out/$name/run.json >x
			mv x out/$name/run.json
		done
		"$gallery" --page -o out
		echo "$clock: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$([ $clock = 60 ] && echo 'as then' || echo 'cannot tell')**" ]
	done
}

# kept_table COLUMN... -- ROW...: the summary of run one from now on, of the columns sinks, app, repeats and these; _: nothing
kept_table() {
	local columns=() column
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	while [ "$1" != -- ]; do columns+=("$1"); shift; done
	shift
	printf 'schema\tsinks\tapp\trepeats%s\n' "$(printf '\t%s' "${columns[@]}")" >out/one/summary.tsv
	printf 'made/1\t%s\n' "${@// /$'\t'}" | tr -d _ >>out/one/summary.tsv
	printf 'schema\ttable\tcolumn\ttype\tunit\tbetter\ns\tsummary\tsinks\tint\t\t\ns\tsummary\tapp\ttext\t\t\n' >out/one/schema.tsv
	for column in "${columns[@]}"; do printf 's\tsummary\t%s\treal\tms\tlower\n' "$column" >>out/one/schema.tsv; done
}

@test "gallery: what was measured once, without an interval, decides nothing" {
	local repeats word condition
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r repeats word condition; do
		cp kept tree/data/papers.tsv
		rule 1 'as then' one/summary 'app=vim sinks=5' "$condition"
		kept_table wait_ms wait_max_ms -- "5 vim $repeats 10.5 12"
		"$gallery" --page -o out
		echo "$repeats, $condition: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word**" ]
	done <<-'END'
		3|as then|wait_ms > 9
		1|cannot tell|wait_ms > 9
		1|cannot tell|wait_max_ms > 1 wait_ms
		1|as then|wait_max_ms > 11
		1|as then|sinks > 4
	END
}

@test "gallery: what is below the error of a run's probe is no number, as on the run's own page" {
	local value shown interval
	made_tree
	printf 'Author & Second 2001\tFig. 1\ttext\t1 ms\tone/summary\tapp=vim sinks=5\t{latency_p50_ms}\n' >>tree/data/papers.tsv
	"$gallery" -o out
	while IFS='|' read -r value shown interval; do
		kept_table latency_p50_ms latency_p50_ms_low latency_p50_ms_high -- "5 vim 5 $value 0.2 0.9"
		jq '.chain = {latency_p50_ms: 0.5}' out/one/run.json >x
		mv x out/one/run.json
		"$gallery" --page -o out
		grep '^| 1 ms |' out/gallery.md
		grep -qxF "| 1 ms |  | $shown | $interval |" out/gallery.md
	done <<-'END'
		0.4|less than 0.50 ms|
		0.6|0.60 ms|0.20 to 0.90 ms
	END
}

@test "gallery: a sentence has the range of all of its rows, with ranges and lower bounds" {
	made_tree
	"$gallery" -o out
	printf 'Author & Second 2001\tFig. 1\tsince\tNow {wait_ms}.\tone/summary\tapp=vim\twait_ms > 9\n' >>tree/data/papers.tsv
	while IFS='|' read -r second words; do
		kept_table wait_ms wait_ms_from wait_ms_to -- '5 vim 5 10.5 _ _' "20 vim 5 $second"
		"$gallery" --page -o out
		grep -n 'Now ' out/gallery.md
		[ "$(grep -oE 'Now .*ms[.]' out/gallery.md)" = "Now $words." ]
	done <<-'END'
		163 _ _|10.5 to 163 ms
		_ 150 180|10.5 to 180 ms
		_ 150 _|more than 10.5 ms
	END
}

@test "gallery: a sentence with a rule is shown only where it holds" {
	made_tree
	printf 'Author & Second 2001\tFig. 1\tsince\t%s\tone/summary\tapp=vim sinks=5\tstall_ms %s\n' \
		'Slower than 9 ms: {stall_ms}.' '> 9' 'Faster than 9 ms.' '< 9' 'Slower than 10 ms.' '> 10' >>tree/data/papers.tsv
	run -0 "$gallery" -o out
	grep -qF 'Kernels changed. Slower than 9 ms: 10.5 ms (9.3 to 11.8 ms).' out/gallery.md
	run -1 grep -E 'Faster than 9|Slower than 10' out/gallery.md
	sed -i '$s/> 10/>= 10/' tree/data/papers.tsv
	run -1 --separate-stderr "$gallery" --page -o out
	[[ $stderr == *"what is stall_ms >= 10?"* ]]
}

@test "gallery: of a kept run of an older plan a missing row is not run yet, and no error" {
	made_tree
	"$gallery" -o out
	mkdir -p tree/results/reference
	cp -r out/one out/two tree/results/reference/
	rule 1 'as then' one/summary 'app=vim sinks=9' 'stall_ms > 9'
	run -1 "$gallery" --page
	sed -i 's/--n 1/--n 2/' tree/data/gallery.tsv
	"$gallery" --page
	[ "$(verdict_of 1 tree/docs)" = "**not run yet**" ]
	grep -qxF '| 1 s | `one` is to be run again |  |  |' tree/docs/gallery.md
	rule 1 'as then, smaller' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	"$gallery" --page
	[[ $(verdict_of 1 tree/docs) == "**as then but smaller or in part**"* ]]
}

@test "gallery: short runs decide nothing, and pictures at the head are those that the data name" {
	made_tree
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	printf 'Author & Second 2001\t%s\tthumbnail\t%s\t%s\t\t\n' 'Fig. 1' 'of stalls' one/stall '' 'of others' one/other \
		'Fig. 3' sums sum/rows >>tree/data/papers.tsv
	"$gallery" -o out
	[ "$(verdict_of 1)" = "**as then**" ]
	grep -qxF '[<img src="one/figures/stall.svg" width="230" alt="of stalls">](#fig-1-stalls)' out/gallery.md
	grep -qxF '[<img src="one/figures/other.svg" width="230" alt="of others">](one/report.md)' out/gallery.md
	grep -qxF '[<img src="gallery/sum.svg" width="230" alt="sums">](#fig-3-a-sum)' out/gallery.md
	[ -e out/one/figures/other.svg ]
	jq '.settings.quick = true' out/one/run.json >x
	mv x out/one/run.json
	"$gallery" --page -o out
	[ "$(verdict_of 1)" = "**not run yet**" ]
}

@test "gallery: of samples above 300 KiB those of the first conditions are kept, with all tables" {
	made_tree big
	run -0 --separate-stderr "$gallery" --quick -o out big
	[[ $stderr == *"samples of"*"are left out; they are in $PWD/out/runs/big"* ]]
	[[ $output == *"2 min"* ]]
	[ "$(tar --zstd -tf out/big/samples.tar.zst | grep -v '/$' | sort | paste -sd ' ')" = \
		"$(printf '%s ' cells/a/1/{cell.json,{long,schema,summary}.tsv} cells/b/1/samples long.tsv more.json schema.tsv)summary.tsv" ]
	jq -e '.kept | .left_out_bytes > 200000 and .samples_bytes < 300000 and .conditions == 2' out/big/run.json
	grep -q -- --quick called
}

@test "gallery: a run whose tables are others when made from what is packed is not kept" {
	made_tree
	echo 'echo more >>summary.tsv' >>tree/report.sh
	run -1 --separate-stderr "$gallery" -o out one
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"runs/one: summary.tsv differs"* && "$(ls -A out)" = runs ]]
}

@test "gallery --resume: complete runs are not measured again, failed ones are resumed; without it a folder of runs is refused" {
	made_tree broken
	run -3 --separate-stderr "$gallery" -o out
	[[ $stderr == *"not kept: broken (exit status 3)"*"--resume"* ]]
	[ ! -e out/broken ]
	[ -d out/two ]
	run -2 --separate-stderr "$gallery" -o out two
	[[ $stderr == *"out/runs/two is there already"* ]]
	: >called
	run -0 "$gallery" -o out --resume
	[ "$(cat called)" = "made --resume $PWD/out/runs/broken" ]
	[ -d out/broken ]
}

@test "gallery --resume: goes on in a third session where two were interrupted, and measures no run twice" {
	made_tree slow
	local n
	for n in 1 2; do
		rm -f sleeper
		"$gallery" -o out --resume two slow >said 2>&1 &
		until_true test -s sleeper
		kill $!
		wait $! && false
		[ $? = 130 ]
		kill "$(cat sleeper)"
	done
	[ -d out/two ]
	[ ! -e out/slow ]
	touch quick
	run -0 "$gallery" -o out --resume two slow
	[ -d out/slow ]
	[ "$(grep -c -- "runs/two$" called)" = 1 ]
	[ "$(grep "runs/slow$" called | cut -d' ' -f 2 | paste -sd ' ')" = "--n --resume --resume" ]
}

@test "gallery --when-quiet: waits until others leave the CPUs alone, and says so; a signal ends the wait" {
	made_tree
	rm tree/lab
	mkdir tree/lab
	ln -s "$TOP"/lab/* tree/lab/
	rm tree/lab/machine.sh
	printf '%s\n' 'sleep() { :; }' 'machine_cpu_list() { echo 0; }' \
		'machine_cpu() { n=$(cat turn); echo $((n + 1)) >turn; sed -n "${n}p" cpu; }' \
		>tree/lab/machine.sh
	printf '%s\n' '0 0 0 0' '5000000000 4000000000 0 0' '10000000000 4050000000 0 0' '15000000000 4050000000 0 0' \
		'20000000000 4050000000 10000000 0' >cpu
	echo 1 >turn
	run -0 "$gallery" --when-quiet -o out
	[ "$(grep -c '^waiting for a quiet machine: 80 %' <<<"$output")" = 1 ]
	[ "$(cat turn)" = 6 ]	# twice taken, once quiet; and before the other run
	[ "$(wc -l <called)" = 2 ]
	: >called
	awk 'BEGIN { for (n = 1; n <= 100000; n++) printf "%.0f %.0f 0 0\n", n * 1e9, n * 9e8 }' >cpu
	echo 1 >turn
	"$gallery" --when-quiet -o busy >said 2>&1 &
	until_true grep -q waiting said
	kill $!
	wait $! && false
	[ $? = 130 ]
	grep -q 'go on with: thinprobe gallery --resume --when-quiet -o' said
	[ ! -s called ]
}

@test "gallery: a signal ends the run under way, with status 130 and the command that goes on; kill -9 ends it, too" {
	made_tree slow
	local signal status
	for signal in TERM KILL; do
		rm -rf sleeper out called
		"$gallery" -o out slow >said 2>&1 &
		until_true test -s sleeper
		status=0
		kill -$signal $!
		wait $! || status=$?
		for _ in {1..600}; do [ "$(tail -n 1 called)" != ended ] || break; sleep 0.05; done
		[ "$(tail -n 1 called)" = ended ]
		kill "$(cat sleeper)"
		[ $signal = KILL ] || [ $status = 130 ]
		[ ! -e out/slow ]
		[ $signal = KILL ] || grep -q "interrupted; go on with: thinprobe gallery --resume -o $PWD/out slow" said
	done
}

@test "gallery: wrong words are refused with one line, before anything is run" {
	made_tree
	touch file
	for words in "2 none|did you mean one" "2 --quikc|--quick" "2 --quick|-o DIR" "2 -o|-o needs a value" "2 --page one|--page" \
		"1 -o file/out|another folder"; do
		run "-${words%% *}" --separate-stderr "$gallery" $(cut -d' ' -f2- <<<"${words%|*}")
		echo "$words: $stderr"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"${words#*|}"* ]]
	done
	[ ! -e called ]
}

# Questions on desktops: in the made-up tables the applications are protocols.
made_questions() {
	made_tree
	sed -i 's/\\tapp\\t/\\tprotocol\\t/; s/app\\ttext/protocol\\ttext/' tree/experiments/engine/run.sh
	sed -i 's/app\(!\?=\)/protocol\1/g; s/{app}/{protocol}/' tree/data/papers.tsv
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' question what text table where ours \
		Speed asks 'Which is first?' '' '' '' Speed column '5 hogs' one/summary sinks=5 '{stall_ms}' \
		Speed column '3 hogs' two/summary sinks=3 '{stall_ms}' Speed picture stalls one/stall '' '' \
		Speed answer 'Slow: {stall_ms}.' one/summary sinks=5 'stall_ms > 9' \
		Speed answer 'Quick.' one/summary sinks=5 'stall_ms < 9' \
		Speed paste './setup it' '' '' '' More asks 'And more?' '' '' '' More partial 'There is none.' '' '' '' >tree/data/desktops.tsv
}

@test "gallery: a question has a row for each protocol, the answer whose rule holds, and what to paste" {
	local low high answer
	made_questions
	run -0 "$gallery" --page -o out
	[ "${lines[1]}" = "$PWD/out/desktops.md" ]
	grep -qxF '| [Which is first?](#speed) | **Not run yet.** |' out/desktops.md
	"$gallery" -o out
	grep -qxF '| [Which is first?](#speed) | Slow: 10.5 ms (9.3 to 11.8 ms). |' out/desktops.md
	grep -qxF '| protocol | 5 hogs | 3 hogs |' out/desktops.md
	grep -qxF '| `vim` | 10.5 ms<br>9.3 to 11.8 ms |  |' out/desktops.md
	grep -qxF '| `other` |  | 7.0 ms |' out/desktops.md
	[ "$(sed -n '/^```$/,/^```$/p' out/desktops.md | paste -sd,)" = \
		'```,./setup it,./thinprobe run made --n 1,./thinprobe run made,```' ]
	grep -qxF '![stalls](one/figures/stall.svg)' out/desktops.md
	[ -s out/one/figures/stall.svg ]
	grep -qF 'Reports of the kept runs: [one](one/report.md), 2026-01-01; [two](two/report.md), 2026-01-01.' out/desktops.md
	grep -qxF 'There is none.' out/desktops.md
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	while read -r low high answer; do
		sed -i "2s/.*/made\/1\t5\t10.5\t$low\t$high\tvim\t1/" out/one/summary.tsv
		"$gallery" --page -o out
		grep -F "[Which is first?]" out/desktops.md
		grep -qF "(#speed) | $answer" out/desktops.md
	done <<-'END'
		8.75 11.75 **Cannot tell**
		6.25 8.75 Quick. |
	END
}

@test "gallery: a row of questions that says nothing, or names a run that is not planned, is refused with its line" {
	local row why
	made_questions
	cp tree/data/desktops.tsv kept
	while IFS='|' read -r row why; do
		{ cat kept && printf '%b\n' "$row"; } >tree/data/desktops.tsv
		run -1 --separate-stderr "$gallery" --page -o out
		[[ $stderr == "thinprobe: data/desktops.tsv:$(wc -l <tree/data/desktops.tsv): $why"* ]]
		[ ! -e out/desktops.md ]
	done <<-'END'
		Speed\tasked\twhat?\t\t\t|no row is called asked
		Speed\tcolumn\tx\tnone/summary\t\t{stall_ms}|data/gallery.tsv has no run none
		Speed\tanswer\tx\tone/summary\tsinks=5\tstall_ms >= 9|what is stall_ms >= 9?
	END
}

@test "gallery: a run that needs another root is not made without, and no other run has it" {
	made_tree
	printf 'three\tmade\t20\t--n 3\tLAB_SERVER_ROOT=/a/root\n' >>tree/data/gallery.tsv
	sed -i '2iecho "${*: -1} ${LAB_SERVER_ROOT-}" >>"$TP_HOME/../roots"' tree/experiments/engine/run.sh
	run -0 "$gallery" --list -o out three
	[[ ${lines[0]} == *" LAB_SERVER_ROOT=/a/root thinprobe run made --n 3" ]]
	run -3 --separate-stderr "$gallery" -o out
	[[ $stderr == *"three needs LAB_SERVER_ROOT (LAB_SERVER_ROOT=/a/root)"*"not kept: three (exit status 4)"* ]]
	[ -d out/one ]
	grep -qF '| three | `LAB_SERVER_ROOT=/a/root thinprobe run made --n 3` |' out/gallery.md
	rm -r out roots
	LAB_SERVER_ROOT=$PWD "$gallery" -o out one three
	[ "$(cat roots)" = "$PWD/out/runs/one "$'\n'"$PWD/out/runs/three $PWD" ]
}

@test "gallery: a root of another release is not measured, and a run of one is not kept" {
	made_tree
	printf 'three\tmade\t20\t--n 3\tLAB_SERVER_ROOT=/a/root\tbookworm\n' >>tree/data/gallery.tsv
	mkdir -p new/etc old/etc
	echo 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"' >new/etc/os-release
	echo 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"' >old/etc/os-release
	sed -i '/state != interrupted/i system=$(sed "s/.*=.//; s/.$//" "$LAB_SERVER_ROOT/etc/os-release")\n\
		jq --arg s "$system" ".lab.server_system = \\$s" "$run/run.json" >x; mv x "$run/run.json"' tree/experiments/engine/run.sh
	LAB_SERVER_ROOT=$PWD/new run -3 --separate-stderr "$gallery" -o out three
	[[ $stderr == *"bookworm"*"trixie"* ]]
	[ ! -e called ]
	LAB_SERVER_ROOT=$PWD/old run -0 "$gallery" -o out three
	[ -f out/three/run.json ]
	# one that was measured before
	rm -r out/three
	sed -i 's/12 (bookworm)/13 (trixie)/' out/runs/three/run.json
	LAB_SERVER_ROOT=$PWD/old run -3 "$gallery" --resume -o out three
	[ ! -e out/three ]
	jq 'del(.lab.server_system)' out/runs/three/run.json >x
	mv x out/runs/three/run.json
	LAB_SERVER_ROOT=$PWD/old run -3 "$gallery" --resume -o out three
	[ ! -e out/three ]
}

@test "gallery: --resume keeps no run of another command, and does not go on with one" {
	made_tree
	run -0 "$gallery" --quick -o out one
	rm -r out/one called
	run -3 --separate-stderr "$gallery" --resume -o out one
	[[ $stderr == *"out/runs/one is a run of another command, thinprobe run made --n 1 --quick"* ]]
	[ ! -e out/one ]
	[ ! -e called ]
	run -0 "$gallery" --resume --quick -o out one
	[ -f out/one/run.json ]
	rm -r out/one
	sed -i 's/"complete"/"interrupted"/' out/runs/one/run.json
	run -3 "$gallery" --resume -o out one
	[ ! -e called ]
	run -0 "$gallery" --resume --quick -o out one
	[ -f out/one/run.json ]
}

@test "gallery: a folder that is no kept run stays, and nothing is measured for it" {
	made_tree
	mkdir -p out/one/2026-11-01T10-00-00
	echo '{}' | tee out/one/run.json >out/one/2026-11-01T10-00-00/run.json
	run -2 --separate-stderr "$gallery" -o out one
	[[ $stderr == *"out/one is no kept run"* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	[ ! -e called ]
	run -0 "$gallery" -o out two
	rm -r out/two
	mkdir out/two	# made meanwhile: as kept is what it is, too
	run -2 "$gallery" --resume -o out two
	[ -d out/two ]
	mkdir out/one/figures
	echo 'figures of others' | tee out/one/figures/mine.svg >out/one/report.md
	run -0 "$gallery" --page -o out
	[ -f out/one/2026-11-01T10-00-00/run.json ]
	[ "$(cat out/one/run.json)" = '{}' ]
	[ -f out/one/figures/mine.svg ]
}

@test "gallery: what another gallery of the folder is packing stays" {
	made_tree
	mkdir -p out/.new/two out/.new.abcdef/two
	touch out/.new/two/samples.tar out/.new.abcdef/two/samples.tar
	run -0 "$gallery" -o out one
	[ -e out/.new/two/samples.tar ]
	[ -e out/.new.abcdef/two/samples.tar ]
	rm -r out/.new out/.new.abcdef
	[ -z "$(compgen -G 'out/.new*')" ]
}

@test "gallery: options that would do nothing are refused" {
	local words
	made_tree
	for words in '--list --resume' '--list --when-quiet' '--page --when-quiet' '--page --resume' '--page one' '--list --page'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$gallery" $words -o out
		[ "${#stderr_lines[@]}" = 1 ]
	done
	[ ! -e called ]
}

@test "docs/gallery.md, docs/desktops.md are what the data and the kept runs say (else: thinprobe gallery --page)" {
	[ -d "$TOP/kits" ] || skip "no kits here"
	mkdir -p tree/{bin,docs}
	own_programs gallery summarize queue arrivals
	ln -s "$TOP"/{lab,data,experiments,plots} "$TOP"/*.md tree/
	cp -r "$TOP"/{results,kits} tree/	# (figures that no page shows are removed)
	cp "$TOP/docs/papers.md" tree/docs
	"$gallery" --page
	cmp tree/docs/gallery.md "$TOP/docs/gallery.md"
	cmp tree/docs/desktops.md "$TOP/docs/desktops.md"
	diff -r "$TOP/results/reference" tree/results/reference
	run -1 grep -nE 'no column|not in this run' tree/docs/gallery.md
}
