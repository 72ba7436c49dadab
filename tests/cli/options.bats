#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Former names of options: they mean what the present ones mean, and only the section FORMER NAMES of a page names them.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	TP_HOME=$TOP
	. "$TOP/lab/trees.sh"
}
teardown() { true; }

# Rows "PAGE OLD NEW" of the sections FORMER NAMES; -x or --word each.
former() {
	awk '/^\.Sh / { on = /FORMER NAMES/; n = split(FILENAME, part, "/"); page = part[n]; sub(/\.1$/, "", page) }
		on && (/^\.It Fl / || /^\.Fl /) { name = $0; sub(/^\.It /, "", name); sub(/^\.?Fl Fl /, "--", name); sub(/^\.?Fl /, "-", name)
			if (/^\.It/) old = name; else print page, old, name }' "$@"
}

# The command of a tool that has the option; nothing where the tool itself has it.
command_of() {	# TOOL OPTION
	local command
	"$BIN/$1" --help | grep -qE -- " $2( |\$)" && return
	for command in $("$BIN/$1" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
		if "$BIN/$1" "$command" --help | grep -qE -- " $2( |\$)"; then echo "$command"; return; fi
	done
	return 1
}

# Whether --help of the command names the option, of a row of its own or in a text.
help_names() {	# TOOL COMMAND OPTION
	# shellcheck disable=SC2086 # the command may be empty
	"$BIN/$1" $2 --help | grep -E -- "(^|[^-[:alnum:]])$3([^-[:alnum:]]|\$)"
}

@test "a former name is understood as the present one, and --help and completion know only that" {
	local tool old new command complaint n=0 wrong=0

	"$TOP/thinprobe" completion >completion
	while read -r tool old new; do
		command=$(command_of "$tool" "${new%% *}") || { echo "$tool: no $new in --help"; wrong=1; continue; }
		case $new in *\ Cm\ *)	# a former flag: a word given to the present option
			new=${new%% *}
			run "$BIN/$tool" $command "$old" --nonsense
			[ "$status" = 2 ] && [[ $output != *"$old"* ]] || { echo "$tool $old: $output"; wrong=1; }
			if help_names "$tool" "$command" "$old"; then echo "$tool --help: $old"; wrong=1; fi
			continue ;;
		esac
		run "$BIN/$tool" $command "$new" ''
		complaint=$output
		[ "$status" = 2 ] && [[ $output == "$tool"*": $new"* ]] || { echo "$tool $new: $output"; wrong=1; }
		run "$BIN/$tool" $command "$old" ''
		[ "$status" = 2 ] && [ "$output" = "$complaint" ] || { echo "$tool $old: $output"; wrong=1; }
		if help_names "$tool" "$command" "$old"; then echo "$tool --help: $old"; wrong=1; fi
		if [[ $old == --* ]] && [ "$old" != --quiet ] && grep -P "^$tool\t$old\t" completion; then wrong=1; fi
		n=$((n + 1))
	done < <(former $(in_trees 'src/*/*.1'))
	[ $wrong = 0 ] && [ $n -ge 25 ]
}

@test "pages and documents use no former name: neither beside the tool's name nor elsewhere in its page" {
	local tool old page n=0

	for page in $(in_trees 'src/*/*.1'); do
		sed -E '/^\.Sh FORMER NAMES/,/^\.Sh EXIT/d; s/\\-/-/g; s/Fl Fl /--/g; s/Fl /-/g' "$page" >"$(basename "$page")"
	done
	cat ./*.1 "$TOP"/{README,GLOSSARY,CONTRIBUTING}.md $(in_trees 'docs/*.md' 'docs/*.1' 'experiments/*/README.md') >all
	while read -r tool old _; do
		n=$((n + 1))
		[ "$tool $old" != "vncplay --quiet" ] || continue	# a present one of its other commands
		if grep -E -- "(^|[^-[:alnum:]])$old([^-[:alnum:]]|\$)" "$tool.1" ||
			grep -E -- "(^|[^/[:alnum:]])$tool ([^|\`]* )?$old([^-[:alnum:]]|\$)" all; then
			echo "$tool: $old"
			n=-99
		fi
	done < <(former $(in_trees 'src/*/*.1'))
	[ "$n" -ge 25 ]
}

@test "every former name of a table of options is in its page, and in the changelog" {
	local tool old n

	for tool in $(program_names); do
		n=$(cat $(in_trees "src/$tool/*.c") | grep -oE "CLI_FORMER_(NAME\([^,]*,|FLAG\() ?\"[^)]*" | sort -u | wc -l)
		[ "$n" = 0 ] || echo "$tool: $n"
		[ "$n" = 0 ] || [ "$(former "$(in_trees "src/$tool/$tool.1")" | wc -l)" = "$n" ]
	done
	while read -r tool old _; do
		grep -qE -- "\`$tool\`.*\`$old\`" "$TOP/CHANGELOG.md" || { echo "CHANGELOG.md: $tool $old"; n=none; }
	done < <(former $(in_trees 'src/*/*.1'))
	[ "$n" != none ]
}

@test "former names of experiments are understood; thinprobe(1) and the changelog have them, completion has not" {
	local plan stem old new complaint n=0

	"$TOP/thinprobe" completion >completion
	while IFS=: read -r plan new old; do
		stem=$(basename "$(dirname "$plan")")
		[ "$stem" != engine ] || stem=stalls
		run "$TOP/experiments/engine/run.sh" "$stem" --options-only "--$new" ,
		complaint=$output
		[ "$status" = 2 ] && [[ $output == *"--$new ,"* ]]
		run "$TOP/experiments/engine/run.sh" "$stem" --options-only "--$old" ,
		echo "$stem --$old: $output"
		[ "$status" = 2 ] && [ "$output" = "$complaint" ]
		run ! grep -P "^run $stem\t--$old\t" completion
		grep -qP "^run $stem\t--$new\t" completion
		sed -n "/^\.Ss run $stem/,/^\.Ss/p; /^\.Sh EXPERIMENT OPTIONS/,/^\.Sh/p" $(in_trees 'docs/thinprobe*.[17]') | sed 's/\\-/-/g' |
			grep -qE -- "--$old \(now --$new\)|^\.Fl Fl $old "
		grep -qE "\`run[ \`].*\`--$old\` \| \`--$new\`" "$TOP/CHANGELOG.md"
		n=$((n + 1))
	done < <(grep -oE '^option +[a-z-]+ .* was=[a-z-]+' $(in_trees 'experiments/*/plan' experiments/engine/options) |
		sed -E 's/:option +([a-z-]+) .* was=/:\1:/')
	[ $n -ge 10 ]
}

@test "what an old name is given counts as if the new one were" {
	"$BIN/queue" mva --demand 50ms -n 10 --think-time 2s --rows new.tsv -o new
	"$BIN/queue" mva --demand 50ms -n 10 --z 2s --rows old.tsv -o old
	cmp new old && cmp new.tsv old.tsv
	"$BIN/queue" mva --demand 50ms -n 10 --users-per-second 5 -o held
	"$BIN/queue" mva --demand 50ms -n 10 --nz 5 -o old
	cmp held old
}

@test "a percentage may have its sign" {
	{ "$BIN/sink" -t 20ms -l 30 --json || [ $? = 3 ]; } | jq -c .settings >bare
	{ "$BIN/sink" -t 20ms -l 30% --json || [ $? = 3 ]; } | jq -c .settings >sign
	cmp bare sign
	for words in 'sink -l 101%' 'sink -l 5%%' 'refecho --vnc 5900 --drop 101%' 'refecho --vnc 5900 --drop 5'; do
		# shellcheck disable=SC2086 # words
		run "$BIN"/$words
		echo "$words: $output"
		[ "$status" = 2 ] && [ "${#lines[@]}" = 1 ]
	done
}
