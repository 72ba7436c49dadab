#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gallery.sh - runs what the gallery of the papers and the page on desktops show, keeps each run, and writes both (gallery.jq).
# Data of each tree: data/gallery.tsv, the runs; data/computed.tsv, what needs no run; data/papers.tsv, what the papers say beside
# columns of both; data/desktops.tsv, questions and columns that answer them; results/reference/NAME, kept runs (report/kept.sh).
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/lab/machine.sh"
. "$TP_HOME/report/foreign.sh"
. "$TP_HOME/report/decided.sh"
. "$TP_HOME/report/program.sh"
. "$TP_HOME/report/kept.sh"
TP_TOOL=thinprobe COMMAND=gallery
SAMPLES_MOST=$((300 << 10)) REST_MOST=$((300 << 10))	# bytes of a kept run

usage() {
	cat <<'END'
usage: thinprobe gallery [--resume] [--when-quiet] [-o DIR] [--quick] [NAME...]
       thinprobe gallery --list | --page [-o DIR]
Makes the runs for docs/gallery.md (figures of five papers) and docs/desktops.md
(today's desktops), keeps them in results/reference/NAME, and writes both pages.
  NAME...              only these runs, in this order (all, missing ones first)
  -o, --output-dir DIR keep runs in DIR/NAME, and write the pages to DIR
  --quick              short runs, to test that all works; needs -o DIR
  --resume             continue with the runs that are not complete
  --when-quiet         before each run, wait until other programs use no CPU
  --list               list the runs: minutes, figures, kept or not, command
  --page               only write the pages again, from the kept runs
Exit status: 0 all runs are kept, 1 the page cannot be written, 2 wrong usage,
3 some runs are not kept, 4 something is missing here, 130 interrupted.
END
}

# The runs ----------------------------------------------------------------------------------------------------------------

# facts PAGE: the rows of data/PAGE.tsv, with FILE:LINE before; questions have no paper.
facts() {
	in_trees "data/$1.tsv" | xargs -rd '\n' awk -v home="$TP_HOME/" -v paper="$([ "$1" = papers ] || printf '\t')" '
		!/^(#|paper\t|question\t)/ { print substr(FILENAME, length(home) + 1) ":" FNR "\t" paper $0 }'
}

# gallery_read: sets NAMES, and by name WHAT (experiment), WORDS (its options), GIVEN (a variable that must be set, with an
# example), RELEASE (of the server's system), MINUTES, TREE (folder), and FIGURES: how many it has numbers of.
declare -A WHAT WORDS GIVEN RELEASE MINUTES TREE FIGURES
gallery_read() {
	local file name what minutes words given release
	while IFS= read -r file; do
		while IFS=$'\t' read -r name what minutes words given release; do
			[[ $name != \#* && $name != name ]] || continue
			NAMES+=("$name") WHAT[$name]=$what WORDS[$name]=$words MINUTES[$name]=$minutes TREE[$name]=${file%/data/*}
			GIVEN[$name]=$given RELEASE[$name]=$release
		done <"$file"
	done < <(in_trees data/gallery.tsv)
	while read -r name words; do FIGURES[$name]=$words; done < <({ facts papers; facts desktops; } | awk -F'\t' '
		$3 == "" { next }
		{ name = $6; sub("/.*", "", name) }
		$4 ~ /^(text|table|caption|figure|column|answer)$/ && !seen[name, $2, $3]++ { n[name]++ }
		END { for (name in n) print name, n[name] }')
}

# Prints NAMES: those that are not kept first, and of these the ones that show most figures for their minutes.
gallery_order() {
	local name kept
	for name in "${NAMES[@]}"; do
		kept=$(jq -r .command "$(kept_of "$name")/run.json" 2>/dev/null)
		[ "$kept" = "$(QUICK='' command_of "$name")" ] && kept=0 || kept=1
		echo "$kept $((10000 * ${FIGURES[$name]-0} / MINUTES[$name])) $name"
	done | sort -s -k1,1nr -k2,2nr | cut -d' ' -f3
}

# The command of a run.json, without folders of this machine (in jq).
PLAIN_COMMAND='(.command | sub(" (-o|--output-dir)[ =](\\\\.|[^ ])+"; ""))'
command_of() { echo "thinprobe run ${WHAT[$1]}${WORDS[$1]:+ ${WORDS[$1]}}${QUICK:+ --quick}"; }
kept_of() { if [ -n "$OUT" ]; then echo "$OUT/$1"; else echo "${TREE[$1]}/results/reference/$1"; fi; }
kept_there() { jq -e '.kept | objects' "$(kept_of "$1")/run.json" >/dev/null 2>&1; }	# a kept run, not another folder of that name
run_of() { if [ -n "$OUT" ]; then echo "$OUT/runs/$1"; else echo "$TP_HOME/results/gallery/$1"; fi; }
minutes_of() {
	[ -n "$QUICK" ] || { echo "${MINUTES[$1]}"; return; }
	sed -n 's/^minutes.* quick=\([0-9]*\).*/\1/p' "$(experiment_folder "${WHAT[$1]}")/plan"
}
go_on() {
	echo "thinprobe gallery --resume${when_quiet:+ --when-quiet}${OUT:+ -o $(printf %q "$OUT")}${QUICK:+ --quick}${ASKED:+ $ASKED}"
}
said_minutes() { if [ "$1" -lt 60 ]; then echo "$1 min"; else echo "$(($1 / 60)) h $(($1 % 60)) min"; fi; }

gallery_list() {
	local name all=0 there
	for name in "${CHOSEN[@]}"; do
		there=''
		! kept_there "$name" || there=kept
		printf '  %-20s %4d min  figures: %d  %-4s  %s\n' "$name" "$(minutes_of "$name")" "${FIGURES[$name]-0}" "$there" \
			"${GIVEN[$name]:+${GIVEN[$name]} }$(command_of "$name")"
		all=$((all + $(minutes_of "$name")))
	done
	echo "Runs: ${#CHOSEN[@]}, one after the other; about $(said_minutes "$all") on this machine."
}

# Keeping -----------------------------------------------------------------------------------------------------------------

# kept_pack RUN NEW FILE...: samples.tar.zst of these files, without tries that do not count (REPEAT~) and pictures of screens, of
# which cell.json says how they differ; sets PACKED, its bytes.
kept_pack() {
	PACKED=0
	[ $# -gt 2 ] || return 0
	# From a file: zstd knows its size. For a pipe it allocates more memory than a 32-bit process has.
	tar -cf "$2/samples.tar" --exclude='*~' --exclude=picture.png --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
		-C "$1" -- "${@:3}" &&
		zstd -qf --rm --ultra -22 --long=27 "$2/samples.tar" || return
	PACKED=$(stat -c %s "$2/samples.tar.zst")
}

# kept_make RUN NEW: NEW becomes the kept run: what cannot be made again, and its report. Packed are the samples, and what no
# program makes of them; where that is larger than SAMPLES_MOST, all tables and the samples of as many of the first conditions as
# fit.
kept_make() {
	local path name parts=() tables=() cells=() made left=0 low=0 middle high
	mkdir -p "$2" || return
	made=$(experiment_folder "$(jq -r .experiment "$1/run.json")")/table
	made=$(cut -f 2 "$1/schema.tsv" | grep -vxF -e "$(awk '$1 == "table" && $3 == "given" { print $2 }' "$made")" | sort -u)
	for path in "$1"/*; do
		name=${path##*/}
		case $name in
		cells | figures | log | run.json | summary.json | findings.json | report.md | report.html) ;;
		*.tsv) if grep -qxF "${name%.tsv}" <<<"$made"$'\nschema\nlong'; then tables+=("$name"); else parts+=("$name"); fi ;;
		*) parts+=("$name") ;;
		esac
	done
	mapfile -t cells < <(jq -r '.cells[].name' "$1/run.json" |
		while read -r name; do [ ! -d "$1/cells/$name" ] || echo "cells/$name"; done)
	high=${#cells[@]}
	kept_pack "$1" "$2" cells ${parts[@]+"${parts[@]}"} || return
	if [ "$PACKED" -gt "$SAMPLES_MOST" ]; then
		left=$PACKED
		parts+=("${tables[@]}")
		while [ $((high - low)) -gt 1 ]; do
			middle=$(((low + high) / 2))
			kept_pack "$1" "$2" "${parts[@]}" "${cells[@]:0:middle}" || return
			if [ "$PACKED" -le "$SAMPLES_MOST" ]; then low=$middle; else high=$middle; fi
		done
		high=$low
		kept_pack "$1" "$2" "${parts[@]}" "${cells[@]:0:low}" || return
		left=$((left > PACKED ? left - PACKED : 1))
	fi
	jq --argjson packed "$PACKED" --argjson left "$left" --argjson conditions "$high" ".command = $PLAIN_COMMAND"'
		| (.lab.server_root? | values) |= sub(".*/"; "")
		| .kept = {samples_bytes: $packed, left_out_bytes: $left, conditions: $conditions}' \
		"$1/run.json" >"$2/run.json" && "$TP_BIN/report" "$2" >/dev/null || return
	for name in ${tables[@]+"${tables[@]}"}; do
		[ "$name" = long.tsv ] || cmp -s "$1/$name" "$2/$name" ||	# (it names the folder)
			die "$1: $name differs when it is made from the packed samples; nothing is kept"
	done
	kept_clean "$2"
}

# kept_clean KEPT: removes what `thinprobe report` makes of it.
kept_clean() { rm -f -- "$1"/*.tsv "$1/findings.json" "$1/report.html"; }

# kept_figures: of each kept run stay the figures that a page shows; its report.md says of the others what draws them.
kept_figures() {
	local name kept shown file pages=("${PAGE%/*}"/{gallery,desktops}.md)
	[ -n "$OUT" ] || mapfile -t pages < <(printf '%s\n' "$TP_HOME"/*.md; in_trees 'docs/*.md')
	for name in "${NAMES[@]}"; do
		kept=$(kept_of "$name")
		kept_there "$name" || continue
		shown=$(grep -sohE "[(\"/]$name/figures/[a-z0-9-]+[.]svg" "${pages[@]}" | sed 's,.*/,,; s,[.]svg$,,' | sort -u |
			jq -Rnc '[inputs]')
		[ "$(jq -c .kept.figures "$kept/run.json")" != "$shown" ] || continue
		jq --argjson shown "$shown" '.kept.figures = $shown' "$kept/run.json" >"$kept/run.json.new" &&
			mv "$kept/run.json.new" "$kept/run.json" && "$TP_BIN/report" "$kept" >/dev/null ||
			die "cannot write to $kept"
		kept_clean "$kept"
		for file in "$kept"/figures/*.svg; do
			[[ $shown == *"\"$(basename -s .svg -- "$file")\""* ]] || rm -- "$file"
		done
	done
}

# kept_free NAME: where it will be kept is nothing, or a kept run; else dies.
kept_free() {
	local kept
	kept=$(kept_of "$1")
	[ ! -e "$kept" ] || kept_there "$1" ||
		die "-$EXIT_USAGE" "$kept is no kept run, and stays; move it away, or name another folder with -o DIR"
}

gallery_keep() {	# gallery_keep NAME: keeps its run
	local run kept new rest left
	run=$(run_of "$1") kept=$(kept_of "$1")
	[ "$(jq -r .started "$kept/run.json" 2>/dev/null)" != "$(jq -r .started "$run/run.json")" ] || return 0
	find "${kept%/*}/" -maxdepth 1 -name '.new.??????' -mmin +60 -exec rm -rf -- {} + 2>/dev/null	# of one that was killed
	mkdir -p -- "${kept%/*}" && new=$(mktemp -d "${kept%/*}/.new.XXXXXX")/$1 ||
		die "cannot write to ${kept%/*}; make room, then: $(go_on)"
	on_exit rm -rf -- "${new%/*}"
	kept_make "$run" "$new" || die "cannot keep $1 in $kept; make room, then: $(go_on)"
	rest=$(find "$new" -type f ! -name samples.tar.zst -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
	[ "$rest" -le "$REST_MOST" ] || warn "$kept has $((rest >> 10)) KiB beside its samples, more than $((REST_MOST >> 10))"
	left=$(jq .kept.left_out_bytes "$new/run.json")
	[ "$left" = 0 ] || warn "$1: samples of $((left >> 10)) KiB are left out; they are in $run"
	kept_free "$1"
	rm -rf -- "$kept" && mv -T -- "$new" "$kept" && rmdir -- "${new%/*}" || die "cannot write to $kept; make room, then: $(go_on)"
	echo "kept: $kept"
}

# Running -----------------------------------------------------------------------------------------------------------------

CHILD='' STOP=''
stop() {
	STOP=1
	[ -z "$CHILD" ] || kill -TERM "$CHILD" 2>/dev/null
}

# gallery_await_quiet: returns when for a while all that runs here took no more CPU time than a cell may lose, or after a signal.
gallery_await_quiet() {
	local cpus last now percent said=''
	cpus=$(</sys/devices/system/cpu/online)
	last=$(machine_cpu "$cpus")
	while [ -z "$STOP" ]; do
		sleep 5 &
		CHILD=$!
		wait "$CHILD"
		CHILD='' now=$(machine_cpu "$cpus")
		percent=$(awk -v a="$last" -v b="$now" -v cpus="$(machine_cpu_list "$cpus" | wc -w)" 'BEGIN {	# now busy steal own, in ns
			split(a, x, " "); split(b, y, " ")
			printf "%.0f\n", 100 * (y[2] + y[3] - x[2] - x[3]) / cpus / (y[1] - x[1]) }')
		[ "$percent" -gt "${FOREIGN_LIMIT:-3}" ] || return 0
		[ -n "$said$STOP" ] || echo "waiting for a quiet machine: $percent % of the CPU time is taken, more than ${FOREIGN_LIMIT:-3} %"
		said=1 last=$now
	done
}

# gallery_other NAME: a run that is there is not the planned one: prints what differs, and fails where none does.
gallery_other() {
	local said
	said=$(jq -r "$PLAIN_COMMAND"', (.lab.server_system // if .state == "complete" then "this machine" else "" end)' \
		"$(run_of "$1")/run.json" 2>/dev/null) || return
	if [ "${said%$'\n'*}" != "$(command_of "$1")" ]; then echo "is a run of another command, ${said%$'\n'*}"
	elif [[ -n ${said##*$'\n'} && ${said##*$'\n'} != *"${RELEASE[$1]}"* ]]; then
		echo "has a server of ${said##*$'\n'}, not ${RELEASE[$1]}"
	else return 1; fi
}

# gallery_run NAME: measures it, or what it lacks; returns the status. (The run would outlive this shell, killed, without a signal.)
gallery_run() {
	local run state why words status=0 variable=${GIVEN[$1]%%=*}
	[ -z "$variable" ] || [ -n "${!variable-}" ] || { warn "$1 needs $variable (${GIVEN[$1]})"; return "$EXIT_MISSING"; }
	[ "$variable" = LAB_SERVER_ROOT ] || local -x LAB_SERVER_ROOT=''	# another run's
	run=$(run_of "$1")
	! why=$(gallery_other "$1") || { warn "$run $why"; return "$EXIT_USAGE"; }
	[[ -z $LAB_SERVER_ROOT || $(root_system "$LAB_SERVER_ROOT") == *"${RELEASE[$1]}"* ]] || {
		warn "$1 needs a server of ${RELEASE[$1]}, and $LAB_SERVER_ROOT is $(root_system "$LAB_SERVER_ROOT") (${GIVEN[$1]})"
		return "$EXIT_USAGE"
	}
	state=$(jq -r '.state // ""' "$run/run.json" 2>/dev/null)
	[ "$state" != complete ] || return 0
	[ -z "$when_quiet" ] || gallery_await_quiet
	[ -z "$STOP" ] || return
	read -ra words <<<"${WORDS[$1]}${QUICK:+ --quick} -o"
	if [ -n "$state" ]; then words=(--resume); fi
	echo
	echo "== $1: $(command_of "$1")"
	setpriv --pdeathsig TERM "$TP_HOME/experiments/engine/run.sh" "${WHAT[$1]}" "${words[@]}" "$run" <&0 &
	CHILD=$!
	wait "$CHILD" || status=$?
	while [ -n "$STOP" ] && kill -0 "$CHILD" 2>/dev/null; do wait "$CHILD"; done
	CHILD=''
	return "$status"
}

gallery_all() {
	local name status lost=()
	for name in "${CHOSEN[@]}"; do
		status=0
		gallery_run "$name" || status=$?
		if [ -n "$STOP" ] || [ "$status" = 130 ]; then
			warn "interrupted; go on with: $(go_on)"
			exit 130
		fi
		if [ "$(jq -r '.state // ""' "$(run_of "$name")/run.json" 2>/dev/null)" = complete ] && ! gallery_other "$name" >/dev/null; then
			gallery_keep "$name"
			gallery_page
		else
			lost+=("$name (exit status $status)")
		fi
	done
	[ "${#lost[@]}" = 0 ] && return
	warn "not kept: $(printf '%s, ' "${lost[@]}" | sed 's/, $//'); mend what they said, or remove their folders in" \
		"$(dirname "$(run_of x)") to begin anew, then: $(go_on)"
	exit 3
}

# The page ----------------------------------------------------------------------------------------------------------------

# Prints a line of JSON for each kept run: name, folder seen from the page, run.json, verdict, figures, and its tables as text.
kept_runs() {
	local name kept run file figures
	for name in "${NAMES[@]}"; do
		kept=$(kept_of "$name") run=$work/$name
		kept_there "$name" || continue
		kept_unfold "$kept" "$run" || die "$kept/samples.tar.zst: $UNPACK_WHY"
		mapfile -t figures < <(grep -o 'figures/[a-z0-9-]*[.]svg' "$kept/report.md" | sort -u)
		for file in "$run"/*.tsv; do
			[[ $file != */long.tsv ]] || continue
			printf '\f%s\n' "$(basename -s .tsv -- "$file")"
			cat -- "$file"
		done | jq -Rsc --arg name "$name" --arg folder "$(realpath -s --relative-to="${PAGE%/*}" "$kept")" \
			--arg verdict "$(sed -n '/^> /{s/^> //; s/^[*][*]\(.*\)[*][*]$/\1/; p; q}' "$kept/report.md")" \
			--slurpfile run "$kept/run.json" '
			{$name, $folder, run: $run[0], $verdict, figures: $ARGS.positional, tables: (split("\f")[1:]
				| map(split("\n") | map(select(. != "") | split("\t")) | {key: .[0][0], value: .[1:]}) | from_entries)}' \
			--args "${figures[@]}"
		rm -rf -- "$run"
	done
}

# Prints a line of JSON for each row of data/computed.tsv: what a program says, as the table "rows"; draws it beside the page.
computed() {
	local file name command drawing picture words args
	while IFS= read -r file; do
		while IFS=$'\t' read -r name command drawing; do
			[[ $name != \#* && $name != name ]] || continue
			read -ra words <<<"$command"
			"$TP_BIN/${words[0]}" "${words[@]:1}" --tsv --rows "$work/rows" >"$work/table" ||
				die "$command fails, which $file names"
			picture=''
			if [ -n "$drawing" ]; then
				read -ra args <<<"$drawing"
				picture=gallery/$name.svg
				gnuplot -c "${file%/data/*}/plots/${args[0]}" "$work/rows" "$work/svg" "${args[@]:1}" &&
					mkdir -p "${PAGE%/*}/gallery" && slim "$work/svg" >"${PAGE%/*}/$picture" || die "cannot draw $PAGE's $picture"
			fi
			jq -Rsc --arg name "$name" --arg command "thinprobe $command" --arg picture "$picture" '
				{kept: {$name, $command, picture: (if $picture == "" then null else $picture end),
					tables: {rows: (split("\n") | map(select(. != "") | split("\t")))}}}' "$work/table"
		done <"$file"
	done < <(in_trees data/computed.tsv)
}

# gallery_filter PAGE: its filter; without a line {judged: ...} the claims that judge is to decide, by the rules of which figures.
gallery_filter() {
	jq -rn --rawfile papers "$DOCS/papers.md" --arg docs "$(realpath -s --relative-to="${PAGE%/*}" "$DOCS")" \
		--arg strict "$([ -n "$OUT" ] || echo 1)" "$(program "$(cat "$TP_HOME/experiments/commands/"{gallery,gallery_"$1"}.jq)" \
			"$TP_HOME/experiments/commands" "$TP_HOME")"	# it says why
}

PAGES=()
gallery_page() {
	local name computed kept input page file facts claims judged work
	[ -w "${PAGE%/*}" ] || die "cannot write $PAGE"
	work=$(mktemp -d) || exit
	on_exit rm -rf -- "$work"	# where computed and kept_runs write
	computed=$(computed) && kept=$(kept_runs) || exit
	input=$(
		for name in "${NAMES[@]}"; do
			printf '%s\t%s\t%s\t%s\n' "$name" "${MINUTES[$name]}" "$(QUICK='' command_of "$name")" "${GIVEN[$name]}"
		done | jq -Rc '{plan: (. / "\t")}'
		jq -c '{kept: .}' <<<"$kept"
		cat <<<"$computed"
	)
	PAGES=()
	for page in papers desktops; do
		file=${PAGE%/*}/$page.md facts=$(facts $page | jq -Rc '{fact: (. / "\t")}')
		[ $page != papers ] || file=$PAGE
		[ -n "$facts" ] || continue
		claims=$(gallery_filter $page <<<"$input"$'\n'"$facts") && judged=$(decided_claims "$claims" of rule part says some whole) &&
			gallery_filter $page <<<"$input"$'\n'"$facts"$'\n'"{\"judged\": $judged}" >"$file.new" || { rm -f "$file.new"; exit 1; }
		mv "$file.new" "$file" || die "cannot write $file"
		PAGES+=("$file")
	done
	rm -rf -- "$work"	# (a killed gallery would leave it)
	kept_figures
}

NAMES=() output_dir='' quick='' resume='' list='' page='' when_quiet=''
gallery_read
read_words 'quick resume list page when-quiet' o:output-dir "$@"
OUT=$output_dir QUICK=$quick CHOSEN=("${words[@]}") ASKED=${words[*]-}
for name in "${CHOSEN[@]}"; do
	[ -n "${WHAT[$name]-}" ] || bad "no run $name$(nearest "$name" "; thinprobe gallery --list names them" "${NAMES[@]}")"
done
[ -z "$page" ] || [ -z "$list$resume$when_quiet$QUICK${CHOSEN[*]-}" ] || bad "--page takes only -o DIR"
[ -z "$list" ] || [ -z "$resume$when_quiet" ] || bad "--list takes only -o DIR, --quick and names"
[ -n "$OUT$list" ] || [ -z "$QUICK" ] || bad "--quick needs -o DIR: short runs are not kept in this tree"
[ -n "$OUT$list" ] || [ "$TP_CHECKOUT" = 1 ] || bad "this is an installation: name a folder with -o DIR"
need jq jq
[ "${#CHOSEN[@]}" -gt 0 ] || mapfile -t CHOSEN < <(gallery_order)
if [ -n "$list" ]; then gallery_list; exit; fi
need zstd zstd gnuplot gnuplot-nox
if [ -n "$OUT" ]; then
	[[ $OUT == /* ]] || OUT=$PWD/$OUT	# (cd would read - as the previous folder)
	mkdir -p -- "$OUT" 2>/dev/null && OUT=$(cd -- "$OUT" && pwd -P) || die "cannot make $OUT; name another folder with -o DIR"
fi
PAGE=${OUT:-$TP_HOME/docs}/gallery.md DOCS=$TP_HOME/docs
[ "$TP_CHECKOUT" = 1 ] || for DOCS in "$TP_HOME"/../doc/thinprobe{-doc,}/docs; do [ ! -f "$DOCS/papers.md" ] || break; done
[ -f "$DOCS/papers.md" ] || die "-$EXIT_MISSING" "$DOCS/papers.md is missing; install thinprobe-doc"
if [ -n "$page" ]; then gallery_page; printf '%s\n' "${PAGES[@]}"; exit; fi
for name in "${CHOSEN[@]}"; do
	kept_free "$name"
	[ -n "$resume" ] || [ ! -e "$(run_of "$name")" ] ||
		bad "$(run_of "$name") is there already: go on with --resume, or remove it"
done
gallery_list
trap stop INT TERM HUP
gallery_all
echo "Gallery: $PAGE"
