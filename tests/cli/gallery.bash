# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# gallery.bash - a made-up tree for the tests of thinprobe gallery, whose runs and reports are short scripts.

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
	gallery=$TOP/experiments/commands/gallery.sh
}

until_true() {	# COMMAND...: for up to 30 s, while the last job runs
	for _ in {1..600}; do
		if "$@"; then return; fi
		kill -0 $! || return
		sleep 0.05
	done
	return 1
}

# made_tree [NAME]: a tree with two runs, NAME (one) and two, of which run.sh writes what gallery.sh looks at: "slow" waits for a
# signal, "broken" lacks a cell at first, "big" has large samples. What needs no run is "sum", by a program called adder.
made_tree() {
	export TP_HOME=$PWD/tree TP_BIN=$PWD/tree/bin
	mkdir -p tree/{bin,docs,data,plots,report,experiments/{commands,engine,made}}
	ln -s "$TOP/lab" tree/
	ln -s "$TOP"/experiments/commands/gallery*.jq tree/experiments/commands/
	ln -s "$TOP"/report/{words.jq,kept.sh,foreign.sh,decided.sh,program.sh} tree/report/
	ln -s "$TOP/experiments/families" tree/experiments/
	ln -s "$TOP/bin/judge" tree/bin/
	printf '#!/bin/sh\nfor run; do :; done\ncd "$run" && cp cells/a/1/*.tsv .\n' >tree/bin/summarize
	printf 'table summary cells\n' >tree/experiments/made/table
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
	cat >tree/report/report.sh <<-'END'
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
	chmod 755 tree/experiments/engine/run.sh tree/report/report.sh tree/bin/{adder,summarize}
}

# rule FIGURE WORD TABLE WHERE CONDITION...
rule() {
	local word
	for word in "${@:5}"; do
		printf 'Author & Second 2001\tFig. %s\tverdict\t%s\t%s\t%s\t%s\n' "${@:1:4}" "$word"
	done >>tree/data/papers.tsv
}
verdict_of() { sed -n "/^### Fig. $1: /,/^<details>/s/^\([*][*][^*]*[*][*]\( ([a-z, ]*)\)\?\).*/\1/p" "${2-out}/gallery.md"; }

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
