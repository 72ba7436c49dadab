#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The documents against the tree: links have targets, commands are understood, also those of manuals.

load ../engine

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	TP_HOME=$PWD
	. lab/trees.sh
}
# help_of COMMAND...: its --help in $HELP; asked once each.
declare -gA helps=()
help_of() {
	[ -n "${helps[$*]-}" ] || helps[$*]=$("$@" --help 2>/dev/null || true)
	HELP=${helps[$*]}
}
documents() { ls ./*.md; in_trees 'docs/*.md' README.md '*/README.md' 'experiments/*/*.md' 'lab/*/README.md' | sort -u; }

@test "every relative link has a target" {
	local file link n=0 wrong=0

	for file in $(documents); do
		while IFS= read -r link; do
			n=$((n + 1))
			case $link in
			http*:* | mailto:*) continue ;;
			*kits/*) [ ! -d kits ] || [ -e "$(dirname "$file")/${link%%#*}" ] ;;
			'#'*) grep -E '^#+ ' "$file" | tr A-Z a-z | sed -E 's/^#+ //; s/[^a-z0-9 _-]//g; s/ /-/g' | grep -qxF -- "${link#?}" ;;
			*) [ -e "$(dirname "$file")/${link%%#*}" ] ;;
			esac || { echo "$file: no $link"; wrong=1; }
		done < <(grep -oE '\]\([^)]+\)' "$file" | sed 's/^..//; s/)$//')
	done
	[ $wrong -eq 0 ]
	[ $n -ge 100 ]
}

# Lines of fenced blocks that call this suite, from the word after thinprobe on: no comment, no pipe, no redirection.
fenced() {
	awk 'FNR == 1 { inside = 0 } /^ *```/ { inside = !inside; next } inside' $(documents) | grep -oE '(^|[ /])thinprobe [a-z].*' |
		sed -E 's/^[ \/]?thinprobe //; s/  +#.*//; s/ (\||&&?|>|#)( .*)?$//' | sort -u
}

# The same of manuals' examples, of indented blocks and of the text.
shown() {
	{
		grep -hE '^\.Dl ' $(in_trees 'src/*/*.1' 'analysis/*.1') | sed 's/\\e/\\/g'
		grep -hE '^ {4}|`' $(documents) | grep -oE '(^ {4}|`)(\./)?thinprobe [^`]*'
	} | grep -oE 'thinprobe [a-z].*' | sed -E 's/^thinprobe //; s/  +.*//; s/ (\||&&?|#|--)( .*)?$//' |
		grep -vE ' --hog |<run>|\\$|\.\.\.|…' | sort -u
}

# (hello is a protocol, or NAME an experiment, that somebody has yet to write.)
@test "documents: every 'thinprobe run' command shown has valid options" {
	{ shown; fenced; } | grep '^run ' | grep -vE '^run NAME|SERVER,CLIENT| --help' |
		sed 's/^run //; s/ -o [^ ]*$//; s/hello/x11/g; s/$/ --options-only/' | sort -u >"$BATS_TEST_TMPDIR/commands"
	accepted_all <"$BATS_TEST_TMPDIR/commands"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -ge 60 ]
}

@test "documents: every command of a program shown has valid options" {
	local tool rest n=0 wrong=0 tools

	tools=" $(program_names | xargs) "
	while read -r tool rest; do
		[[ $tools == *" $tool "* && $rest != *SERVER,CLIENT* ]] || continue
		bash -c "bin/$tool $rest --help" >/dev/null || { echo "^ $tool $rest"; wrong=1; }
		n=$((n + 1))
	done < <(shown)
	[ $wrong -eq 0 ]
	[ $n -ge 60 ]
}

# Options of ab, demo, soak and calibrate may also be those of their experiment.
@test "documents: every option of a command shown is in its --help" {
	local command rest of help option words n=0 wrong=0

	while read -r command rest; do
		case $command in
		demo) of=stalls ;;
		ab) of=${rest%% *} ;;
		soak | calibrate) of=$command ;;
		*) of='' ;;
		esac
		help_of ./thinprobe "$command"
		help=$HELP
		[[ -z $of || $of == -* ]] || { help_of ./thinprobe run "$of" && help+=$'\n'$HELP; }
		read -ra words <<<"$rest"
		for option in "${words[@]}"; do
			[[ $option =~ ^--?[a-z][a-z-]* ]] || continue
			option=${BASH_REMATCH[0]}
			[[ $help =~ (^|[\[[:space:]])$option([],=[:space:]]|$) ]] || { echo "$command has no $option: $rest"; wrong=1; }
			n=$((n + 1))
		done
	done < <({ shown; fenced; } | sed -E "s/'[^']*'|\"[^\"]*\"/X/g" | sort -u |
		grep -E '^(setup|check|doctor|demo|try|ab|soak|watch|sweep|gallery|report|compare|gate|export|bundle|calibrate|root) ')
	[ $wrong -eq 0 ]
	[ $n -ge 40 ]
}

@test "documents: every option of a program shown is in its --help" {
	local tool rest first option words n=0 wrong=0 tools

	tools=" $(program_names | xargs) "
	while read -r tool rest; do
		[[ $tools == *" $tool "* ]] || continue
		first=${rest%% *}
		[[ $first =~ ^[a-z] ]] && help_of bin/"$tool" "$first"
		[[ $first =~ ^[a-z] && $HELP == "usage: thinprobe $tool $first"* ]] || help_of bin/"$tool"
		read -ra words <<<"$rest"
		for option in "${words[@]}"; do
			[[ $option =~ ^--?[a-z][a-z-]* && $option != --version ]] || continue
			option=${BASH_REMATCH[0]}
			[[ $HELP =~ $'\n'\ \ +(-[a-z], )?$option([,[:space:]]|$) ]] || { echo "$tool has no $option: $rest"; wrong=1; }
			n=$((n + 1))
		done
	done < <({ shown; fenced; } | sort -u)
	[ $wrong -eq 0 ]
	[ $n -ge 100 ]
}

@test "examples: a workflow gives the action inputs that it has; the action's own words are those of ab and its experiment" {
	local words=() own=() i

	python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
	python3 - action.yml docs/examples/*.yml >"$BATS_TEST_TMPDIR/words" <<-'END'
		import sys, yaml
		action, *workflows = [yaml.safe_load(open(name)) for name in sys.argv[1:]]
		inputs = action["inputs"]
		steps = [s for w in workflows for job in w["jobs"].values() for s in job["steps"] if "thinprobe@" in s.get("uses", "")]
		assert steps
		for step in steps:
		    assert {name for name in inputs if inputs[name].get("required")} <= set(step["with"]) <= set(inputs), step
		print(inputs["experiment"]["default"], inputs["options"]["default"])
	END
	read -ra words <"$BATS_TEST_TMPDIR/words"
	./thinprobe ab --help >"$BATS_TEST_TMPDIR/help"
	for ((i = 0; i < ${#words[@]}; i++)); do
		if ! grep -qE -- "^(  |  .*, |usage:.*\[)${words[i]}([] ,]|$)" "$BATS_TEST_TMPDIR/help"; then own+=("${words[i]}")
		else i=$((i + 1)); fi
	done
	experiments/engine/run.sh "${own[@]}" --options-only
}

@test "documents: the awk command of slow-at-3pm.md finds the slow intervals in all of watch's files" {
	local log=$BATS_TEST_TMPDIR

	printf '%s\n' 'connection	verdict' 'today	server' 'now	usual' >"$log/rdp.tsv"
	printf '%s\n' 'connection	verdict' 'yesterday	network' >"$log/rdp.tsv.1"
	sed -n '/^   awk/,/^   ```/p' docs/slow-at-3pm.md | sed "s|/var/log/thinprobe|$log|; /\`\`\`/d" >"$log/command"
	[ "$(bash "$log/command" | cut -f 1 | paste -sd ' ')" = "connection today yesterday" ]
}

@test "documents: deciders.md has each decider, and as many scenes as its table" {
	local table

	for table in tests/scenes/*.tsv kits/*/tests/scenes/*.tsv; do	# KEY=A|B are two scenes
		awk -F'\t' -v name="$(basename "$table" .tsv)" 'NR > 1 {
			n = 1; for (i = split($3, word, " "); i; i--) n *= split(word[i], one, "|"); all += n } END { print name, all }' "$table"
	done | sort >"$BATS_TEST_TMPDIR/scenes"
	awk -F' *[|] *' '$4 ~ /^[0-9]+$/ { n[$2] += $4 } END { for (name in n) print name, n[name] }' docs/deciders.md | sort |
		diff "$BATS_TEST_TMPDIR/scenes" -
}
