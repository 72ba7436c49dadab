#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# complete.sh "COMMAND..." "TOOL..." "APPLICATION..." "PAGE..." - prints the completion of thinprobe for bash: from --help of
# commands and programs, and from the plans of experiments.
#
# It is a table of lines "COMMAND<TAB>OPTION<TAB>VALUES<TAB>LIST". Without an option, VALUES are the words that may follow COMMAND.
# LIST is 1 if the option takes several values, separated by commas. The value RUN stands for run folders, IF
# for network interfaces.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/experiments/engine/plan.sh"
commands=$1 tools=$2 applications=$3 pages=$4
experiments=$(experiments | paste -sd ' ')
protocols=$(for name in $(plugins protocols); do
	echo "$name"
	# a protocol without a variant means its first variant
	(protocol_use "$name" && protocol_variants | tr ' ' '\n' | sed "1d; s/^/$name:/")
done | paste -sd ' ')

# Lines of a command: its words, and each option in its help.
rows_of_command() {	# rows_of_command NAME
	local help words
	help=$("$TP_HOME/thinprobe" "$1" --help 2>/dev/null)
	words=$(grep -oE "^  [a-z]+  |thinprobe $1 [a-z]+( |$)" <<<"$help" | sed -E 's/ +$//; s/.* //' | sort -u)
	if [ "$1" = export ]; then printf 'export\t--as\t%s\t\n' "${words//$'\n'/ }"
	elif [ -n "$words" ]; then printf '%s\t\t%s\t\n' "$1" "${words//$'\n'/ }"; fi
	# (without options of other commands)
	tr '[]' '  ' <<<"$help" | sed "/thinprobe $1 /!s/thinprobe [a-z].*//" |
		sed -nE 's/^  (-[a-z]), (--[a-z-]*)( [A-Z]+).*/\1\3\n\2\3/p; s/--[a-z]/\n&/gp' |
		grep -oE -- '^(-[a-z]|--[a-z][a-z-]*)( [^ -][^ ]*)?' |
		awk -v OFS='\t' -v of="$1" -v protocols="$protocols" -v applications="$applications" "$choices"'
			$1 == "--protocol" { print of, $1, protocols, 1; next }
			$1 == "--app" { print of, $1, applications, 1; next }
			$1 == "--resume" { print of, $1, of == "run" ? "RUN" : "", ""; next }
			{ print of, $1, choices($2), "" }'
}

# A value that is written a|b:T[,U] begins with one of the choices "a" and "b:".
choices='function choices(text,   n, i, word, all) {
		gsub(/\[[^]]*\]/, "", text)
		if (text ~ /^(RUN|IF)$/) return text
		n = text ~ /\|/ ? split(text, word, "|") : 0
		for (i = 1; i <= n; i++) {
			sub(/:[A-Z,]*$/, ":", word[i])
			if (word[i] ~ /^[a-z][a-z0-9]*:?$/) all = all (all == "" ? "" : " ") word[i]
		}
		return all }'

# --help with its wrapped lines joined again.
unwrapped_help() {	# unwrapped_help TOOL [COMMAND]
	set -o pipefail
	"$TP_BIN/$1" "${@:2}" --help 2>/dev/null | sed -zE 's/\n( {32}| {7})([^ ])/ \2/g'
}

# Lines of a program, and of its commands, which stand in its synopsis or a table under it. Values are taken from the placeholder,
# a|b, or from the end of the help text: "... (a): a, b".
rows_of_tool() {	# rows_of_tool NAME
	local help command words
	help=$(unwrapped_help "$1") || return 0
	words=$(awk -v name="$1" 'NR == 1 {
			sub(/^usage: thinprobe [a-z]+ /, ""); n = split($0, part, / \| /)
			for (i = 1; i <= n; i++) {
				sub("^" name " ", "", part[i]); sub(/ .*/, "", part[i]); gsub(/[][]/, "", part[i])
				if (part[i] ~ /^[a-z][a-z0-9]*$/ && part[i] != "options") print part[i]
			}
		}
		/^  [a-z]+  / { print $1 }' <<<"$help" | sort -u)
	for command in $words; do help+=$'\n'$(unwrapped_help "$1" "$command"); done
	awk -v OFS='\t' -v of="$1" -v words="${words//$'\n'/ }" "$choices"'
		BEGIN { if (words != "") print of, "", words, "" }
		match($0, /^ +(-[A-Za-z0-9], )?--[a-z0-9-]+/) {
			letter = $1 ~ /,$/ ? substr($1, 1, 2) : ""; option = letter == "" ? $1 : $2
			value = letter == "" ? $2 : $3; value = $0 ~ /^ +(-., )?--[a-z0-9-]+ [^ ]/ ? choices(value) : ""
			if (match($0, /: [A-Za-z0-9-]+(, [A-Za-z0-9-]+)+$/)) { value = substr($0, RSTART + 2); gsub(/,/, "", value) }
			print of, option, value, ""
			if (letter != "") print of, letter, value, ""
		}' <<<"$help"
}

# Lines of an experiment, in a subshell, since plan_read sets variables.
rows_of_plan() (	# rows_of_plan STEM
	plan_read "$(experiment_folder "$1")"
	for option in "${OPTIONS[@]}"; do
		type=${OPT[$option.type]} offered='' list=''
		words=${type#*:}
		case $option:$type in
		options-only:* | demo:*) continue ;;
		link:*) offered="none $(awk '$1 == "links/1" { print $2 }' "$TP_HOME/data/links.tsv" | paste -sd ' ') measure:" ;;
		on:*) offered="lab ssh: attach:" ;;
		swap:*) offered="none file zram slow:" ;;
		*:word:* | *:word-list:*) offered=${words//|/ } ;;
		resume:*) offered=RUN ;;
		*:row:* | *:row-list:*) offered=$(plan_rows "$words" | cut -f1 | paste -sd ' ') ;;
		*:protocol-list*) offered="all each $protocols" ;;
		*:protocol*) offered=$protocols ;;
		*:threshold:*) offered=$(plan_thresholds | cut -d' ' -f1 | paste -sd ' ') ;;
		esac
		[[ ${type%%:*} != *-list ]] || list=1
		for name in "--$option" ${OPT[$option.letter]:+"-${OPT[$option.letter]}"}; do
			printf "%s\t$name\t$offered\t$list\n" "run $1" ${PLAN[called]:+"${PLAN[called]}"}
			[ "$1" != stalls ] || printf 'demo\t%s\t%s\t%s\n' "$name" "$offered" "$list"
		done
	done
)

table() {
	local name
	printf '\t\t%s\t\n' "$commands $tools"
	printf '%s\t\t%s\t\n' report RUN compare RUN gate RUN export RUN bundle RUN run "$experiments" ab "$experiments" \
		doctor "$experiments" help "$pages $commands $experiments" \
		gallery "$("$TP_BIN/gallery" --list 2>/dev/null | sed -nE 's/^  ([a-z0-9-]+) .*/\1/p' | paste -sd ' ')"
	printf 'demo\t--no-install\t\t\n'
	for name in $commands; do
		[[ " demo calibrate soak " == *" $name "* ]] || rows_of_command "$name"	# these are experiments
	done
	for name in $tools; do rows_of_tool "$name"; done
	for name in $experiments; do rows_of_plan "$name"; done
}

# An option that several commands of a program have becomes one line, with the values of all.
united() {
	LC_ALL=C sort -u | awk -F'\t' -v OFS='\t' '
		{
			key = $1 OFS $2; list[key] = list[key] $4
			if (!(key in all)) { keys[++n] = key; all[key] = "" }
			m = split($3, value, " ")
			for (i = 1; i <= m; i++)
				if (!seen[key, value[i]]++) all[key] = all[key] (all[key] == "" ? "" : " ") value[i]
		}
		END { for (i = 1; i <= n; i++) print keys[i], all[keys[i]], list[keys[i]] == "" ? "" : 1 }'
}

cat <<END
# Completion of thinprobe for bash; thinprobe completion wrote it.
_thinprobe_table='$(table | united)'
END
cat <<'END'
# Run folders whose path begins with a word, up to two folders below it; none with a character that the shell would read.
_thinprobe_runs() {
	local run
	for run in {"$1"*,"$1"*/*,"$1"*/*/*}/run.json; do
		[[ ! -f $run || $run == *[!A-Za-z0-9._/,:+%@=~-]* ]] || printf '%s ' "${run%/run.json}"
	done
}
_thinprobe() {
	local raw=${COMP_WORDS[COMP_CWORD]} words=() word before head lead='' of option='' n i
	# readline splits words at : and =
	for ((i = 0; i <= COMP_CWORD; i++)); do
		if [ "$i" -gt 1 ] && [[ ${COMP_WORDS[i]} =~ ^[:=]+$ || ${COMP_WORDS[i - 1]} =~ ^[:=]+$ ]]; then
			words[-1]+=${COMP_WORDS[i]}
		else
			words+=("${COMP_WORDS[i]}")
		fi
	done
	n=$((${#words[@]} - 1))
	word=${words[n]} before=${words[n - 1]} of=${words[1]-}
	# what stands before the part that readline replaces
	if [[ $raw =~ ^[:=]+$ ]]; then head=$word; else head=${word%"$raw"}; fi
	[ "$n" -lt 3 ] || [ "$of" != run ] || of="run ${words[2]}"
	if [ "$n" = 1 ]; then
		of=''
	elif [[ $word == --*=* ]]; then
		option=${word%%=*} lead=$option= word=${word#*=}
	elif [[ $word == -* ]]; then
		option='*'
	elif [ "$n" -gt 2 ]; then
		option=$before
	fi
	# these take several runs
	[[ $of != @(report|compare) ]] || [ "$n" -le 2 ] || [[ $word == -* || $before == -* ]] || option=''
	mapfile -t COMPREPLY < <(awk -F'\t' -v of="$of" -v option="$option" -v lead="$lead" -v word="$word" -v head="$head" '
		$1 != of || (option == "*" ? $2 == "" : $2 != option) { next }
		option == "*" { $3 = $2; $4 = "" }
		{
			before = ""
			if ($4 == 1) { before = word; sub(/[^,]*$/, "", before) }
			n = split($3, value, " ")
			for (i = 1; i <= n; i++)
				if (index(before value[i], word) == 1) print substr(lead before value[i], length(head) + 1)
		}' < <(n="	$(_thinprobe_runs "${word#"$lead"}")	" i="	$(cd /sys/class/net && echo *)	"
			n=${_thinprobe_table//	RUN	/$n} && echo "${n//	IF	/$i}"))
	[[ ${COMPREPLY[0]-} != *: ]] || compopt -o nospace 2>/dev/null || true
}
complete -o default -F _thinprobe thinprobe ./thinprobe
END
