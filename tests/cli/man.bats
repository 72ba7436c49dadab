#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The man pages against the programs: every option of --help is described, and no other.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	TP_HOME=.
	. lab/trees.sh
	TOOLS=$(program_names | xargs)
}
page_of() { in_trees "src/$1/$1.1"; }	# page_of PROGRAM

need_mandoc() {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
}

plain() {	# page: as text, without overstrikes
	mandoc -T ascii "$1" | sed 's/.\x08//g'
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
man_options() {	# page
	plain "$1" | grep -E '^ {1,12}-' | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,' | sort -u
}

@test "man pages have no errors" {
	local page wrong=0

	need_mandoc
	for page in $(in_trees 'src/*/*.[15]' 'docs/*.[157]'); do
		[ -f "$page" ] || continue
		mandoc -T lint -W error "$page" || wrong=1
	done
	[ $wrong -eq 0 ]
}

@test "man pages have the title THINPROBE-TOOL 1 and the usual sections" {
	local tool page section wrong=0

	need_mandoc
	for tool in $TOOLS; do
		page=$(page_of "$tool")
		plain "$page" | head -n 1 | grep -q "^THINPROBE-${tool^^}(1)" || { echo "$page: title"; wrong=1; }
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES; do
			plain "$page" | grep -qx "$section" || { echo "$page: no section $section"; wrong=1; }
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

@test "pages of file formats have the title THINPROBE-NAME 5 and say what they are" {
	local page name section wrong=0

	need_mandoc
	for page in $(in_trees 'src/*/*.5'); do
		[ -f "$page" ] || continue
		name=$(basename "$page" .5)
		plain "$page" | head -n 1 | grep -q "^THINPROBE-${name^^}(5)" || { echo "$page: title"; wrong=1; }
		for section in NAME DESCRIPTION 'SEE ALSO'; do
			plain "$page" | grep -qx "$section" || { echo "$page: no section $section"; wrong=1; }
		done
	done
	[ $wrong -eq 0 ]
}

# fields SECTION: the names of fields that thinprobe-formats(5) has in a section, a line each.
fields() {
	sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" docs/thinprobe-formats.5 | sed -nE 's/^(\.It )?\.?Va //p' |
		tr -d ';' | sed 's/ *$//; s/ , /\n/g; s/ \.$//; s/ ,$//' | grep -E '^[a-z_0-9]+$' | sort -u
}
header() { head -n 1 "$1" | tr '\t' '\n' | grep -vx schema | sort; }	# header TABLE

@test "formats: the fields named are those of kept tables, of run.json and of what programs write" {
	local kept=results/reference/stalls extra

	[ "$(fields schema.tsv)" = "$(header $kept/schema.tsv)" ]
	extra=$(comm -3 <(fields long.tsv) <(header $kept/long.tsv) | tr -d '\t' | paste -sd ' ')
	[ "$extra" = "app cost_ms part protocol setting sinks stage" ]	# the parameters, and what rows of other tables are of
	# of run.json and its cells, each name that is described is there, or is optional
	jq -r '(., .cells[0], .counts, .settings) | keys[]' $kept/run.json | sort -u >"$BATS_TEST_TMPDIR/there"
	extra=$(comm -23 <(fields run.json) "$BATS_TEST_TMPDIR/there" | paste -sd ' ')
	[ "$extra" = "link_measured reason" ]
	[ "$(comm -13 <(fields run.json) <(jq -r 'keys[]' $kept/run.json | grep -vx schema | sort) | paste -sd ' ')" = "" ]
	[ "$(fields findings.json)" = "$(jq -r '., .findings[0] | keys[]' $kept/findings.json | grep -vx schema | sort -u)" ]
	bin/keyrepeat null: -t 100ms --log "$BATS_TEST_TMPDIR/samples.tsv" -q
	[ "$(fields 'samples.tsv of keys')" = "$(header "$BATS_TEST_TMPDIR/samples.tsv")" ]
	for extra in wire echo; do
		fields $extra.tsv >"$BATS_TEST_TMPDIR/$extra"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/$extra")" -ge 6 ]
		while read -r name; do
			grep -q "\"$name\"" src/prototap/key_join.c src/refecho/refecho.c || { echo "$extra: $name"; return 1; }
		done <"$BATS_TEST_TMPDIR/$extra"
	done
}

@test "every option of --help is described in the man page" {
	local tool missing wrong=0

	need_mandoc
	for tool in $TOOLS; do
		missing=$(comm -23 <(help_options "$tool") <(man_options "$(page_of "$tool")"))
		[ -n "$(help_options "$tool")" ] || missing="(no options in --help?)"
		[ -z "$missing" ] || { echo "$tool.1 leaves out" $missing; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

@test "every option described in the man page is one of --help" {
	local tool extra wrong=0

	need_mandoc
	for tool in $TOOLS; do
		extra=$(comm -13 <(help_options "$tool") <(man_options "$(page_of "$tool")"))
		[ -z "$extra" ] || { echo "$tool.1 describes" $extra; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

@test "thinprobe(1) names every command of the front door and every program of the core" {
	local word wrong=0

	need_mandoc
	[ -f docs/thinprobe.1 ] || skip "no thinprobe(1) yet"
	for word in setup demo check doctor run list report lab $(TP_HOME=. && ls src/*/*.1 | sed -nE 's,.*/([^/]+)/\1\.1$,\1,p'); do
		plain docs/thinprobe.1 | grep -qw "$word" || { echo "thinprobe(1) does not name $word"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

see_also() {	# page: the pages of this suite that it names there
	sed -n '/^\.Sh SEE ALSO/,/^\.Sh [^S]/p' "$1" | sed -nE 's/^\.Xr (thinprobe[a-z-]* [157]).*/\1/p'
}

@test "SEE ALSO: thinprobe(1) in every page, every program in thinprobe(1), and what a page's text names" {
	local page tool missing wrong=0

	for page in $(in_trees 'src/*/*.[15]' 'docs/thinprobe*.[157]'); do
		missing=$(comm -23 <({ [ "$page" = ./docs/thinprobe.1 ] || echo thinprobe 1; grep -oE 'Xr thinprobe[a-z-]* [157]' "$page" |
			sed 's/^Xr //'; } | sort -u) <(see_also "$page" | sort -u))
		[ -z "$missing" ] || { echo "$page: SEE ALSO lacks" $missing; wrong=1; }
		for missing in $(see_also "$page" | sed -nE 's/^thinprobe-([a-z-]+) ([157])$/\1.\2/p'); do
			[ -n "$(in_trees "src/*/$missing" "docs/thinprobe-$missing")" ] ||
				{ echo "$page: there is no thinprobe-$missing"; wrong=1; }
		done
	done
	for tool in $TOOLS; do	# the manual of its tree: thinprobe(1), or that of the kit
		page=$(page_of "$tool") page=$(compgen -G "${page%%src/*}docs/thinprobe*[17]" | grep -v run)
		see_also "$page" | grep -qx "thinprobe-$tool 1" || { echo "$page: SEE ALSO lacks $tool"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

# Commands of this suite as pages and documents show them, a line each, without what a shell would do with them.
shown() {
	{
		grep -hE '^\.Dl ' $(in_trees 'src/*/*.1') | sed 's/\\e/\\/g'
		grep -hE '^ {4}|`' README.md $(in_trees 'docs/*.md' experiments/README.md) | grep -oE '(^ {4}|`)(\./)?thinprobe [^`]*'
	} | grep -oE 'thinprobe [a-z].*' | sed -E 's/^thinprobe //; s/  +.*//; s/ (\||&&?|#|--)( .*)?$//' | sort -u
}

@test "every command that a page or a document shows is understood" {
	local command first rest driver n=0 wrong=0

	while read -r command; do
		read -r first rest <<<"$command"
		case " $TOOLS " in *" $first "*) ;; *) [ "$first" = run ] || continue ;; esac
		case $command in *SERVER,CLIENT* | *" --hog "* | *"<run>"* | *\\ | *...* | *…*) continue ;; esac
		if [ "$first" = run ]; then
			driver=./experiments/${rest%% *}.sh
			[ -f "$driver" ] || driver="./experiments/engine/run.sh ${rest%% *}"
			bash -c "$driver --options-only ${rest#"${rest%% *}"}" >/dev/null || { echo "^ $command"; wrong=1; }
		else
			bash -c "bin/$command --help" >/dev/null || { echo "^ $command"; wrong=1; }
		fi
		n=$((n + 1))
	done < <(shown)
	[ $wrong -eq 0 ] && [ $n -ge 80 ]
}
