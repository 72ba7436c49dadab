#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The man pages against the programs: every option of --help is described, and no other.

load ../figures

# Each page as text, without overstrikes, in a file of the page's name.
setup_file() {
	local page
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	TP_HOME=. && . lab/trees.sh
	command -v mandoc >/dev/null || return 0
	for page in $(pages); do mandoc -T ascii "$page" | sed 's/.\x08//g' >"$BATS_FILE_TMPDIR/${page##*/}"; done
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	TP_HOME=. TOP=.
	. lab/trees.sh
	TOOLS=$(program_names | xargs)
}
pages() { in_trees 'src/*/*.[15]' 'analysis/*.1' 'docs/*.[157]'; }
page_of() { in_trees "src/$1/$1.1" "analysis/$1.1"; }	# page_of PROGRAM

need_mandoc() {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
}

# Programs whose commands have options of their own, and where they name them: in lines of --help that begin with two spaces.
commands() {	# tool
	local command

	[ "$1" != prototap ] || { echo live read; return; }
	for command in $("bin/$1" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
		[[ $("bin/$1" "$command" --help 2>&1 | head -n 1) != "usage: thinprobe $1 $command"* ]] || echo "$command"
	done
}

help_options() {	# tool
	local command

	{
		"bin/$1" --help
		for command in $(commands "$1"); do
			"bin/$1" "$command" --help
		done
	} 2>/dev/null | sed -nE 's/^ {2,6}(-[A-Za-z0-9], )?(--[a-z0-9-]+).*/\2/p' | sort -u
}

# Where an option is described, not where it is mentioned: the tag of a list.
man_options() {	# tool
	grep -E '^ {1,12}-' "$BATS_FILE_TMPDIR/$1.1" | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,' | sort -u
}

@test "man pages have no errors" {
	need_mandoc
	mandoc -T lint -W error $(pages)
}

@test "pages of programs and of file formats have the title THINPROBE-NAME and the usual sections" {
	local page name text section sections wrong=0

	need_mandoc
	for page in $(in_trees 'src/*/*.[15]' 'analysis/*.1'); do
		name=${page##*/} sections=(NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES)
		[[ $name == *.1 ]] || sections=(NAME DESCRIPTION 'SEE ALSO')
		text=$(<"$BATS_FILE_TMPDIR/$name") name=THINPROBE-${name^^}
		[[ $text == "${name%.*}(${name##*.})"* ]] || { echo "$page: title"; wrong=1; }
		for section in "${sections[@]}"; do
			[[ $text == *$'\n'"$section"$'\n'* ]] || { echo "$page: no section $section"; wrong=1; }
		done
	done
	[ $wrong -eq 0 ]
}

@test "--help ends with a short command of the manual's examples" {
	local tool example wrong=0

	for tool in $TOOLS; do
		example=$(bin/"$tool" --help | tail -n 1)
		[[ $example == "    thinprobe $tool "* ]] && sed 's/^\.Dl //; s/ &$//' "$(page_of "$tool")" | grep -qxF "${example:4}" ||
			{ echo "$tool --help ends with: $example"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

@test "thinprobe-formats(5) names exactly the fields of kept tables, of run.json and of programs' outputs" {
	local kept=results/reference/stalls extra long=$BATS_TEST_TMPDIR/long.tsv

	tar --zstd -xf $kept/samples.tar.zst -C "$BATS_TEST_TMPDIR" long.tsv schema.tsv
	[ "$(fields schema.tsv)" = "$(header "$BATS_TEST_TMPDIR/schema.tsv")" ]
	extra=$(comm -3 <(fields long.tsv) <(header "$long") | tr -d '\t' | paste -sd ' ')
	[ "$extra" = "app cost_ms part protocol setting sinks stage" ]	# the parameters, and what rows of other tables are of
	# of run.json and its cells, each name that is described is there, or is optional
	jq -r '(., .cells[0], .counts, .settings) | keys[]' $kept/run.json | sort -u >"$BATS_TEST_TMPDIR/there"
	extra=$(comm -23 <(fields run.json) "$BATS_TEST_TMPDIR/there" | paste -sd ' ')
	[ "$extra" = "differs joined link_measured programs reason runs sweep unwatched" ]
	[ "$(comm -13 <(fields run.json) <(jq -r 'keys[]' $kept/run.json | grep -vx schema | sort) | paste -sd ' ')" = "" ]
	bin/report --json $kept | jq -r '., .findings[0] | keys[]' | grep -vx schema | sort -u |
		diff - <(fields findings.json)
	bin/keyrepeat null: -t 100ms --log "$BATS_TEST_TMPDIR/samples.tsv" -q
	[ "$(fields 'samples.tsv of keys')" = "$(header "$BATS_TEST_TMPDIR/samples.tsv")" ]
}

@test "the options that the man page describes are those of --help" {
	local tool options wrong=0

	need_mandoc
	for tool in $TOOLS; do
		options=$(help_options "$tool")
		[ -n "$options" ] || { echo "$tool --help: no options?"; wrong=1; }
		diff <(echo "$options") <(man_options "$tool") || { echo "^ $tool: < of --help alone, > of the man page alone"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

@test "thinprobe(1) names every command of the front door and every program of the core" {
	local word wrong=0 commands

	[ -f docs/thinprobe.1 ] || skip "no thinprobe(1) yet"
	. <(./thinprobe completion)
	COMP_WORDS=(thinprobe "") COMP_CWORD=1 COMPREPLY=()
	_thinprobe
	mapfile -t commands < <(printf '%s\n' "${COMPREPLY[@]}" | grep -vxF "$(program_names)")
	[ "${#commands[@]}" -gt 15 ]
	for word in "${commands[@]}"; do
		grep -qE "^\.It Cm $word( |\$)" docs/thinprobe.1 || { echo "thinprobe(1) does not describe $word"; wrong=1; }
	done
	for word in $(basename -s .1 -a src/*/*.1 analysis/*.1); do
		grep -qE "^\.Xr thinprobe-$word 1( |\$)" docs/thinprobe.1 || { echo "thinprobe(1) does not name $word"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

see_also() {	# page: the pages of this suite that it names there
	sed -n '/^\.Sh SEE ALSO/,/^\.Sh [^S]/p' "$1" | sed -nE 's/^\.Xr (thinprobe[a-z-]* [157]).*/\1/p'
}

@test "SEE ALSO: every page names thinprobe(1) and the pages of its text; thinprobe(1) names every program" {
	local page tool missing wrong=0

	for page in $(in_trees 'src/*/*.[15]' 'analysis/*.1' 'docs/thinprobe*.[157]'); do
		missing=$(comm -23 <({ [ "$page" = ./docs/thinprobe.1 ] || echo thinprobe 1; grep -oE 'Xr thinprobe[a-z-]* [157]' "$page" |
			sed 's/^Xr //'; } | sort -u) <(see_also "$page" | sort -u))
		[ -z "$missing" ] || { echo "$page: SEE ALSO lacks" $missing; wrong=1; }
		for missing in $(see_also "$page" | sed -nE 's/^thinprobe-([a-z-]+) ([157])$/\1.\2/p'); do
			[ -n "$(in_trees "src/*/$missing" "analysis/$missing" "docs/thinprobe-$missing")" ] ||
				{ echo "$page: there is no thinprobe-$missing"; wrong=1; }
		done
	done
	for tool in $TOOLS; do	# the manual of its tree: thinprobe(1), or that of the kit
		page=$(page_of "$tool") page=${page%%src/*}; page=$(compgen -G "${page%%analysis/*}docs/thinprobe*[17]" | grep -v run)
		see_also "$page" | grep -qx "thinprobe-$tool 1" || { echo "$page: SEE ALSO lacks $tool"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}
