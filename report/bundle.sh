#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle.sh RUN [-o FILE] - a run as one file: samples, settings, facts and versions, from which `report` makes the same figures.
# What is packed stands in data/bundle.tsv of each tree; what names people and machines is found, and renamed, by identity.awk.
set -u -o pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lab/home.sh" || exit 1
. "$here/command.sh"
. "$here/kept.sh"
COMMAND=bundle
usage='usage: thinprobe bundle RUN [-o FILE] [--anonymous] [--with-typed] [--all]
Packs a run into one file (RUN.tar.zst), to send or to publish: run.json,
tables, samples, reports of programs. thinprobe report FILE makes the page
again, with the same figures. First shows names of people and machines, and what
is left out: captures, logs, and files that thinprobe does not know.
  -o, --output FILE
  --anonymous   hosts, users, addresses, folders, window titles and commands
                become host-1, user-1, 192.0.2.1 and so on, in all files
  --with-typed  also pack recorded sessions and screens: what was typed and seen
  --all         show all names of people and machines, not only eight
Exit status: 0 packed, 1 could not, 2 wrong usage, 4 zstd is missing.'
anonymous='' with_typed='' all='' output=''
read_words 'anonymous with-typed all' o:output "$@"
[ "${#words[@]}" -le 1 ] || bad "one run at a time; ${words[1]} is a second"
run=${words[0]-} run=${run%/} out=$output
[ -n "$run" ] || bad "needs a run folder"
[ -z "$anonymous" ] || [ -z "$with_typed" ] || bad "--anonymous with --with-typed: what was typed may name anybody; choose one"
is_run "$run"
[ -d "$run/cells" ] || [ -f "$run/samples.tar.zst" ] || die 1 "$run: its samples are not there, so there is nothing to pack"
need zstd zstd
run=$(cd -- "$run" && pwd) || exit 1
folder=$run name=${run##*/}
name=${name//[[:cntrl:]\\]/_} name=${name//##/__}	# report takes no others (unpack of foreign.sh)
[[ $name != [.-]* ]] || name=_$name
[ ! -e "$out" ] || [ -f "$out" ] || die 2 "-o $out: is no file"
[ ! -L "$out" ] || out=$(readlink -f -- "$out") || die 2 "-o $output: is a link into a folder that is not there"
work_folder
[ -d "$run/cells" ] || {	# with all its samples it is a run like others
	kept_unpack "$run" "$work/kept/$name" || die 1 "$run/samples.tar.zst: $UNPACK_WHY"
	run=$work/kept/$name
	jq 'if (.kept.left_out_bytes // 0) == 0 then del(.kept) else . end' "$run/run.json" >"$work/run" && mv "$work/run" "$run/run.json"
}

# Lines "CLASS FILE" of the run's files: classes of data/bundle.tsv, and `left` for what it does not name.
classes() {
	{
		in_trees data/bundle.tsv | xargs -rd '\n' cat --
		printf '\f\n'
		cut -f 2 "$run/schema.tsv" 2>/dev/null
		printf '\f\n'
		find "$run/" -type f ! -path $'*\n*' -printf '%P\n' | LC_ALL=C sort
	} | LC_ALL=C awk -F'\t' '
		$0 == "\f" { part++; next }
		!part && $1 ~ /^(in|typed|made)$/ {
			gsub(/[.]/, "[.]", $2)
			gsub(/[*]/, "[^/]*", $2)
			gsub(/cells\//, "cells/[^/]+/[1-9][0-9]*/([^/~]+/)?", $2)
			gsub(/ /, "|", $2)
			files[$1] = files[$1] "|" $2
		}
		part == 1 && /^[A-Za-z0-9_-]+$/ { files["in"] = files["in"] "|" $1 "[.]tsv" }
		part == 2 {
			is = "left"
			for (class in files)	# (what is also typed is typed)
				if (is != "typed" && !/[[:cntrl:]]/ && $0 ~ "^(" substr(files[class], 2) ")$") is = class
			print is "\t" $0
		}'
}

# Lines "KIND VALUE PLACE TIMES" of what names people and machines. (A version is no address, and a time no name of a folder.)
identities() {
	local of base
	of=$(jq -rn --arg of "$folder" '$of | tojson[1:-1]') && base=${of##*/} || return
	(cd "$work/in/$name" && { printf './run.json\0' && find . -type f ! -path ./run.json -print0 | LC_ALL=C sort -z; } |
		LC_ALL=C RUN=$of xargs -r0 awk -f "$here/identity.awk" && printf 'folder\t%s\tthe run\n' "$base" "$name") |
		LC_ALL=C awk -F'\t' -v OFS='\t' '
			$1 == "version" && !(($1, $2) in times) { versions = versions " " $2 }
			!times[$1, $2]++ { kind[++n] = $1; value[n] = $2; place[n] = $3 }
			END {
				kinds = split("host user title address interface command path folder machine text", wanted, " ")
				for (k = 1; k <= kinds; k++) for (i = 1; i <= n; i++)
					if (kind[i] == wanted[k] && (kind[i] != "address" || !index(versions, value[i])) &&
						(kind[i] != "folder" || value[i] !~ /^[0-9]+-[0-9]+-[0-9]+T[0-9.-]+$/))
						print kind[i], value[i], place[i], times[kind[i], value[i]]
			}'
}

# word_for KIND VALUE: sets WORD, which stands for it, and is itself no value.
declare -A WORDS=() TAKEN=() LAST=()
word_for() {
	local n user
	WORD=${WORDS[=${2,,}]-}
	until [ -n "$WORD" ]; do
		LAST[$1]=$((${LAST[$1]-0} + 1)) n=${LAST[$1]}
		case $1:$2 in
		path:/home/* | path:/Users/*)
			user=${2#/*/} user=${user%%/*}
			WORD=${2%%"/$user"*}/${WORDS[=${user,,}]-user-$n}
			[[ $2 != /*/*/* ]] || WORD+=/path-$n
			;;
		path:*) WORD=/path-$n ;;
		address:*.*) WORD=192.0.2.$n; [ "$n" -lt 255 ] || WORD=198.18.$((n / 256)).$((n % 256)) ;;
		address:??:??:??:??:??:??) printf -v WORD '00:00:5e:00:53:%02x' "$n" ;;
		address:*) printf -v WORD '2001:db8::%x' "$n" ;;
		*) WORD=$1-$n ;;
		esac
		[ -z "${TAKEN[=$WORD]-}" ] || WORD=''
	done
	WORDS[=${2,,}]=$WORD TAKEN[=$WORD]=1
}

# is_common VALUE [-i]: it may mean something else: it is a word of thinprobe, too (a host that is called run; -i: in any letter
# case), or too short.
is_common() {
	[[ ! $1 =~ [[:alpha:]] || ${#1} -lt 3 || $1 =~ ^[0-9.]+e[-+]?[0-9]+$ ]] ||
		in_trees experiments lab data plots report | xargs -rd '\n' grep -rqwF ${2:+"$2"} -e "$1" --
}

# rename_all: puts the words of the table $work/words into $work/in, also into names of folders; $work/name is that of the run.
rename_all() {
	local i=0 old new
	cp -r -- "$work/in" "$work/out" 2>/dev/null && cd -- "$work/in/$name" && { echo "$name" && ls cells; } >.names &&
		find . -type f -print0 | LC_ALL=C WORDS=$work/words OUT=$work/out/$name xargs -r0 awk -f "$here/identity.awk" || return
	mapfile -t old <.names
	mapfile -t new <"$work/out/$name/.names"
	cd -- "$work/out/$name/cells" && rm ../.names || return
	while [ $((++i)) -lt "${#old[@]}" ]; do
		[ "${old[i]}" = "${new[i]}" ] || mv -T -- "${old[i]}" "${new[i]}" || return
	done
	cd ../.. && rm -r "$work/in" && { [ "$name" = "${new[0]}" ] || mv -T -- "$name" "${new[0]}"; } &&
		mv "$work/out" "$work/in" && echo "${new[0]}" >"$work/name"
}

classes >"$work/classes" && mkdir -p "$work/in/$name" &&
	awk -F'\t' -v typed="$with_typed" '$1 == "in" || typed && $1 == "typed" { print $2 }' "$work/classes" |
	(cd -- "$run" && xargs -rd '\n' cp --parents -t "$work/in/$name" -- 2>/dev/null) &&
	if [ -z "$with_typed" ] && jq -e 'has("inputs")' "$run/run.json" >/dev/null; then	# what was typed has names there
		rm -f "$work/in/$name/findings.json" && jq 'del(.inputs)' "$run/run.json" >"$work/in/$name/run.json"
	fi && identities >"$work/told" || die 1 "cannot copy $run to ${TMPDIR:-/tmp}"
while IFS=$'\t' read -r _ value _; do TAKEN[=$value]=1; done <"$work/told"
while IFS=$'\t' read -r kind value place times; do
	[[ $kind != @(folder|text) ]] || ! is_common "$value" || continue
	word_for "$kind" "$value"
	anywhere=2 as=${anonymous:+ -> $WORD} more=''
	[[ -z $anonymous || $kind == @(address|path) ]] || ! is_common "$value" -i || anywhere=1
	[ "$anywhere" = 2 ] || ! is_common "$value" || anywhere='' as+=' (only as such)'
	[ "$times" = 1 ] || more=" and $((times - 1)) more"
	raw=${value//\\\"/\"}	# in a table
	printf '  %-9s %s  (%s%s)\n' "$kind" "${value:0:60}$as" "$place" "$more" >&3 &&
		printf '%s\t%s\t%s\n' "$value" "$WORD" "$anywhere" "${raw//\\\\/\\}" "$WORD" "$anywhere" ||
		die 1 "cannot write to ${TMPDIR:-/tmp}"
done <"$work/told" >"$work/words" 3>"$work/shown" || exit 1
awk -v all="$all" '
	NR == 1 { print "Names of people or machines in this bundle; check them before you pass it on:" }
	all || NR <= 8
	END { if (!all && NR > 8) print "  and " NR - 8 " more (--all)" }' "$work/shown" | printable || exit 1
awk -F'\t' -v typed="$with_typed" '
	$1 == "left" || !typed && $1 == "typed" { n++; if ($2 !~ /^log\// && named < 3) names = names (named++ ? ", " : ": ") $2 }
	END { if (n) print "thinprobe: bundle: left out, files: " n names (n > named && named ? ", ..." : "") }' "$work/classes" |
	printable >&2
[ -z "$anonymous" ] || { (rename_all) && name=$(<"$work/name"); } || die 1 "cannot rename in ${TMPDIR:-/tmp}"
# bundle_free FILE: it is not there, or a bundle of this run. (A folder may be a stranger's, with a link of that name.)
bundle_free() {
	[ -e "$1" ] || [ -L "$1" ] || return 0
	[ -f "$1" ] && [ ! -L "$1" ] || die 1 "$1 is here already, and no file; remove it, or name another with -o"
	tar --force-local --zstd -xOf "$1" -- "$name/run.json" 2>/dev/null | jq -c "$when" 2>/dev/null |
		cmp -s - <(jq -c "$when" "$work/in/$name/run.json")
}
when='[.started, .ended, .experiment]' n=1
[ -n "$out" ] || until bundle_free "${out:=$name.tar.zst}"; do out=$name-$((++n)).tar.zst; done
tar --force-local --zstd -cf "$work/packed" -C "$work/in" --sort=name --owner=0 --group=0 --numeric-owner -- "$name" 2>/dev/null ||
	die 1 "cannot pack in ${TMPDIR:-/tmp}"
put_file "$out" <"$work/packed" || exit 1
printf '%s: %s\n' "${out//[[:cntrl:]]/?}" "$(du -h -- "$out" | cut -f1)"
