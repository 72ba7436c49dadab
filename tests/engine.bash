# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# engine.bash - runs code in the engine's shell of an experiment, as run.sh has it before it starts: `load engine` with TOP set.

# in_engine EXPERIMENT CODE [WORD...]: runs CODE with these words in a shell that has read plan and cell.sh of the experiment.
# There `options WORD...` parses and checks options as run.sh does; use a subshell for each of several lists.
in_engine() {
	# shellcheck disable=SC2016 # the inner shell's
	TP_HOME=${TP_HOME:-$TOP} bash -c '
		set -u
		. "$TP_HOME/lab/lib.sh"
		for part in plan cells measure; do . "$TP_HOME/experiments/engine/$part.sh"; done
		EXPERIMENT=$1 EXP_DIR=$(experiment_folder "$1") CODE=$2 late="" EXP_LOST=""
		shift 2
		exp_check() { :; }
		exp_settings() { echo "{}"; }
		options() { plan_parse "$@" && plan_check && exp_check && AXIS=("${AXES[@]%%=*}"); }
		plan_read "$EXP_DIR"
		. "$EXP_DIR/cell.sh"
		eval "$CODE"' engine "$@"
}

# accepted EXPERIMENT: each line of options on standard input must be accepted without output. refused_each EXPERIMENT: each line
# "WORDS<tab>OPTIONS" must be refused with 2, in one line with WORDS and a hint to --help. One shell for all lines.
# shellcheck disable=SC2016 # the inner shell's
accepted() { in_engine "$1" "$trying"'while IFS= read -r text; do accepts; done; exit "$failed"'; }
# shellcheck disable=SC2016 # the inner shell's
refused_each() {
	in_engine "$1" "$trying"'while IFS= read -r text; do
		words=""
		[[ $text != *"	"* ]] || words=${text%%"	"*} text=${text#*"	"}
		refuses
	done; exit "$failed"'
}
# The same of lines "EXPERIMENT OPTIONS", of any experiments.
accepted_all() {
	local lines stem wrong=0
	mapfile -t lines
	for stem in $(printf '%s\n' "${lines[@]%% *}" | sort -u); do
		(TP_HOME=${TP_HOME:-$TOP} && . "$TP_HOME/lab/trees.sh" && experiment_folder "$stem") >/dev/null &&
			printf '%s\n' "${lines[@]}" | sed -n "s/^$stem //p" | accepted "$stem" || wrong=1
	done
	return $wrong
}
# for CODE: accepts and refuses try the options in `text`; what is wrong counts in `failed`.
# shellcheck disable=SC2016 # the inner shell's
trying='failed=0
	tried() {
		eval "set -- $text"
		said=$( (options "$@") 2>&1 </dev/null) && status=0 || status=$?
	}
	accepts() { tried; [ "$status$said" = 0 ] || wrong; }
	refuses() {
		tried
		[[ $status = 2 && $said != *$'"'\n'"'* && $said == *"$words"*"(see thinprobe "*" --help)" ]] || wrong
	}
	wrong() { echo "$EXPERIMENT $text: $status $said, wanted: ${words-}"; failed=1; }
'
