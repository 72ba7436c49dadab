#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/papers.md: a part for each figure and table, and in it figures and columns that the experiment or program has. (That its
# commands are understood: docs.bats.)

load ../engine

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	TP_HOME=.
	. lab/trees.sh
}

# "| figure | command | file and column | difference |" of each part.
rows() {
	awk 'function end() { if (name != "") print "| " name " | " part[1] " | " part[2] " | " part[3] " |"; name = "" }
		/^##/ { end() }
		/^### (Fig\.|Table) / { name = substr($0, 5); n = split("", part); next }
		name != "" && sub(/^- (Command|File and column|Difference): ?/, "") { n++ }
		name != "" { sub(/^ +/, ""); part[n] = part[n] (part[n] == "" ? "" : " ") $0 }
		END { end() }' docs/papers.md
}
paths() {	# paths PATTERN WORD...: files there are, in all trees, @ being the word
	for word in "${@:2}"; do in_trees "${1/@/$word}"; done
}

# The lines of COLUMNS, with those of files that are included.
columns_of() {	# columns_of FILE
	local word name rest
	sed -n "/^COLUMNS = '''\$/,/^'''\$/{//!p}" "$1" | while read -r word name rest; do
		if [ "$word" = include ]; then columns_of "${1%/*}/$name"; else echo "$word $name $rest"; fi
	done
}

# What a row can name of a table: columns that its experiment declares; of one that a script or a program writes, what drawings
# read in quotes, if one of these or the command names the table; of a program's report, what its source has in quotes or as names
# of arguments.
columns() {	# columns TABLE COMMAND EXPERIMENTS PROGRAMS
	local declared drawings
	if [ "$1" = report ]; then
		grep -ohP "([\"'])\K[a-z0-9_]+(?=\1)|\b[a-z0-9_]+(?==)" $(paths 'src/@/*.c' $4; paths 'analysis/@.py' $4)
		return
	fi
	declared=$(for stem in $3; do
		stem=$(paths 'experiments/@/analysis.py' "$stem")
		columns_of "$stem" | awk -v t="${1%.tsv}" '
			function see(word, name) {
				if (word == "table" || word == "view") on = word == "table" && name == t
				else if (on) print word
			}
			{ see($1, $2) }'
	done)
	if [ -n "$declared" ]; then echo "$declared"; return; fi
	drawings=$(paths 'experiments/@/figures.gp' $3; paths 'experiments/@/analysis.py' $3
		in_trees 'plots/*.gp' 'experiments/families/*.py')
	if [[ $2 == *" $1"* ]] || grep -qE "[\"']${1%.tsv}\>" $drawings; then
		grep -ohP "[\"']\K[a-z0-9][a-z0-9_]*" $drawings
	fi
}

# The READMEs of experiments, and the pages of their engine that these link.
pages() {	# EXPERIMENT...
	local page
	for page in $(paths 'experiments/@/README.md' "$@"); do
		echo "$page"
		grep -ohP '\]\(\K\.\./families/[a-z]+\.md(?=\))' "$page" | sort -u | sed "s,^,${page%/*}/,"
	done
}

@test "docs/papers.md: each of the 55 figures and tables of the five papers has a section with a command" {
	local figure command rest n=0 wrong=0
	while IFS='|' read -r _ figure command rest; do
		n=$((n + 1))
		[[ $command == *'`thinprobe '* && ${rest//[!|]/} == '||' ]] || { echo "$figure: $command"; wrong=1; }
	done < <(rows)
	[ $wrong -eq 0 ]
	[ $n -eq 55 ]
}

@test "docs/papers.md: every figure named is one of the experiment, every column one of its table" {
	local figure command file name column there experiments programs n=0 wrong=0
	while IFS='|' read -r _ figure command file _; do
		experiments=$(grep -oP '`thinprobe run \K[a-z-]+' <<<"$command" | sort -u)
		programs=$(grep -oP '`thinprobe (?!run )\K[a-z]+' <<<"$command" | sort -u)
		for name in $(grep -oP '`figures/\K[a-z-]+(?=\.svg`)' <<<"$file"); do
			grep -qE "^### ($name|${name%-*}-[*]): " $(pages $experiments) || { echo "$figure: no figure $name"; wrong=1; }
		done
		while IFS=: read -r name column; do
			there=" $(columns "$name" "$command" "$experiments" "$programs" | tr '\n' ' ')"
			for column in ${column//,/ }; do
				n=$((n + 1))
				[[ $there == *" $column "* ]] || { echo "$figure: no $column in $name"; wrong=1; }
			done
		done < <(grep -oP '`\K[a-z-]+(\.tsv)?: [a-z0-9_, ]+(?=`)' <<<"$file")
	done < <(rows)
	[ $wrong -eq 0 ]
	[ $n -gt 150 ]
}

@test "data: gallery.tsv has options that experiments take; papers.tsv, desktops.tsv have columns of tables; 55 figures" {
	local run what minutes words figure table where ours column there n=0 wrong=0
	local -A experiment known
	while IFS=$'\t' read -r run what minutes words _; do
		[ -z "${experiment[$run]-}" ] && [[ $minutes =~ ^[1-9][0-9]*$ ]] || { echo "$run: twice, or no minutes"; wrong=1; }
		experiment[$run]=$what
		echo "$what --options-only $words" >>"$BATS_TEST_TMPDIR/commands"
	done < <(in_trees data/gallery.tsv | xargs grep -hvE '^(#|name	)')
	accepted_all <"$BATS_TEST_TMPDIR/commands" || wrong=1
	while IFS=$'\037' read -r figure table where ours; do
		what=${experiment[${table%/*}]-none}
		there=${known[$table]-}
		[ -n "$there" ] || there=" $(columns "${table#*/}.tsv" '' "$what" '' | tr '\n' ' ')"
		known[$table]=$there
		for column in $(grep -oE '\{[a-z0-9_]+' <<<"$ours" | tr -d '{') $(grep -oE '[a-z0-9_]+!?=' <<<"$where" | tr -d '!='); do
			n=$((n + 1))
			[[ $there == *" $column "* ]] || { echo "$figure: no $column in $table"; wrong=1; }
		done
	# (columns of what a program computes are in docs/gallery.md: tests/analysis/gallery_test.py)
	done < <(in_trees data/papers.tsv | xargs grep -hvE '^(#|paper	)' |
		awk -F'\t' -v OFS='\037' '$5 != "" && $5 !~ /\/rows$/ { print $2, $5, $6, $7 }'
		grep -vE '^(#|question	)' data/desktops.tsv |
			awk -F'\t' -v OFS='\037' '$2 ~ /^(column|answer)$/ { sub(/^some /, "", $6); print $1, $4, $5, $6 " {" $6 }')
	# what has a verdict or a number of a run says what it needs to be whole
	while IFS=$'\t' read -r _ figure; do
		echo "$figure: no row needs"
		wrong=1
	done < <(in_trees data/papers.tsv | xargs grep -hvE '^(#|paper	)' | awk -F'\t' -v OFS='\t' '
		$3 == "needs" { has[$1, $2] = 1 }
		$2 != "" && $5 != "" && $3 != "thumbnail" { of[$1, $2] = $1 OFS $2 }
		END { for (k in of) if (!(k in has)) print of[k] }')
	[ $wrong -eq 0 ]
	[ $n -gt 200 ]
	[ "$(in_trees data/papers.tsv | xargs grep -hvE '^(#|paper	)' | awk -F'\t' '$2 != "" { print $1, $2 }' | sort -u | wc -l)" = 55 ]
}

@test "data: desktops.tsv sets up what the runs of each question need on a fresh machine" {
	local question protocols set_up protocol n=0
	while read -r question; do
		set_up=,x11,$(awk -F'\t' -v q="$question" '$1 == q && $2 == "paste"' data/desktops.tsv | grep -oP 'setup .*--protocol \K[^ \t]+'),
		protocols=$(awk -F'\t' -v q="$question" '$1 == q && $4 { sub("/.*", "", $4); print $4 }' data/desktops.tsv | sort -u |
			awk -F'\t' 'NR == FNR { of[$1]; next } $1 in of && $5 !~ /^LAB_SERVER_ROOT/ { print $4 }' - data/gallery.tsv |
			grep -oP -- '--protocol \K[^ ]+' | tr , '\n')
		for protocol in $protocols; do
			n=$((n + 1))
			echo "$question: $protocol"
			[[ $set_up == *",${protocol/%:page/},"* ]] || return 1
		done
		awk -F'\t' -v q="$question" '$1 == q && $2 == "paste" { made += /root make/; tool += /setup --app root/ }
			END { exit made > 0 && tool == 0 }' data/desktops.tsv
	done < <(awk -F'\t' '$2 == "asks" { print $1 }' data/desktops.tsv)
	[ $n -gt 15 ]
}

@test "data/marks.tsv: each mark is in a figure that the README of its experiment explains, with a number" {
	local experiment figure y n=0
	while IFS=$'\037' read -r experiment figure y; do
		echo "$experiment $figure $y"
		n=$((n + 1))
		grep -qE "^### ${figure%%-*}(-[a-z*]+)?: " $(pages "$experiment")
		[[ $y =~ ^[0-9.]+$ ]]
	done < <(in_trees data/marks.tsv | xargs grep -hvE '^(#|experiment	)' | awk -F'\t' -v OFS='\037' '{ print $1, $2, $6 }')
	[ $n -gt 10 ]
}
