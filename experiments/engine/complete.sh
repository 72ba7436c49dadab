#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# complete.sh "COMMAND..." "TOOL..." - prints the completion of thinprobe for bash: from --help of commands and programs, and from
# the plans of experiments.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/experiments/engine/plan.sh"

help_of() {	# help_of TOOL: of its commands, too, where these have options of their own
	local command
	"$TP_BIN/$1" --help
	for command in $("$TP_BIN/$1" --help | sed -nE 's/^  ([a-z]+) .*/\1/p') live read; do "$TP_BIN/$1" "$command" --help; done
}

# Lines "OF<TAB>OPTION<TAB>VALUES" from --help of OF in standard input; values where they are given as a|b.
options_in() {	# options_in OF
	sed -nE 's/^ +(-[A-Za-z0-9], )?(--[a-z0-9-]+)( ([a-z]+(\|[a-z]+)+)( |$))?.*/\2\t\4/p' | sort -u |
		awk -F'\t' -v OFS='\t' -v of="$1" '{ gsub(/\|/, " ", $2); print of, $1, $2 }'
}

options_of_plan() {	# options_of_plan STEM, in a shell of its own, since plan_read fills variables
	local option values name protocols
	protocols=$(cd "$TP_HOME/lab/protocols" && basename -s .sh -- *.sh | paste -sd ' ')
	plan_read "$TP_HOME/experiments/$1"
	name=${PLAN[called]:-run $1}
	for option in "${OPTIONS[@]}"; do
		values=''
		case ${OPT[$option.type]} in
		word:* | word-list:*) values=${OPT[$option.type]#*:} values=${values//|/ } ;;
		row-list:* | row:*) values=${OPT[$option.type]#*:} values=$(plan_rows "$values" | cut -f1 | paste -sd ' ') ;;
		protocol*) values=$protocols ;;
		esac
		case $option in
		options-only | demo) ;;
		*)
			printf '%s\t--%s\t%s\n' "$name" "$option" "$values"
			[ -z "${OPT[$option.letter]-}" ] || printf '%s\t-%s\t\n' "$name" "${OPT[$option.letter]}"
			;;
		esac
	done
}

table() {
	local name
	for name in $1; do "$TP_HOME/thinprobe" "$name" --help 2>/dev/null | options_in "$name"; done
	for name in $2; do help_of "$name" 2>/dev/null | options_in "$name"; done
	for name in "$TP_HOME"/experiments/*/plan; do
		name=${name%/plan}
		(options_of_plan "${name##*/}")
	done
}

experiments=$(cd "$TP_HOME/experiments" && printf '%s\n' */plan | sed 's,/plan,,' | paste -sd ' ')
cat <<END
# Completion of thinprobe for bash; thinprobe completion wrote it.
_thinprobe_table='$(table "$1" "$2" | sort -u)'
_thinprobe() {
	local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} of=\${COMP_WORDS[1]} words=''
	[ "\$of" != run ] || of="run \${COMP_WORDS[2]-}"
	if [ "\$COMP_CWORD" = 1 ]; then
		words='$1 $2'
	elif [ "\$COMP_CWORD" = 2 ] && [ "\$before" = run ]; then
		words='$experiments'
	elif [ "\$COMP_CWORD" = 2 ] && [ "\$before" = help ]; then
		words='$1 $2 $experiments'
	elif [ "\$COMP_CWORD" = 2 ] && [ "\$before" = doctor ] && [[ \$word != -* ]]; then
		words='$experiments'
	elif [[ \$word == -* ]]; then
		words=\$(printf '%s\n' "\$_thinprobe_table" | awk -F'\t' -v of="\$of" '\$1 == of { print \$2 }')
	else
		words=\$(printf '%s\n' "\$_thinprobe_table" | awk -F'\t' -v of="\$of" -v option="\$before" \
			'\$1 == of && \$2 == option { print \$3 }')
	fi
	mapfile -t COMPREPLY < <(compgen -W "\$words" -- "\$word")
}
complete -o default -F _thinprobe thinprobe ./thinprobe
END
