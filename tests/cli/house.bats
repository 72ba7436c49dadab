#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Rules of the source tree: which files may include which, where outside libraries may be used, and options of every program.
# (The tag "each": the rule is about single files or programs, so e2e/core.bats need not check it again for the core alone.)

# Prints what every source includes, a line for each: path, tab, "name" or <name>.
setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	find src kits/*/src -name '*.[ch]' -print0 2>/dev/null |
		xargs -0 grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+["<][^">]+[">]' |
		sed -E 's/:[^"<]*/\t/' >"$BATS_FILE_TMPDIR/includes"
	[ -s "$BATS_FILE_TMPDIR/includes" ]
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	TP_HOME=.
	. lab/trees.sh
	PRESENT=$(program_names)
	[ -n "$PRESENT" ]
	SHARED=$(sed -n 's/^ROOMS = //p' Makefile)
}

trees() { in_trees "$@" | sed 's,^\./,,'; }
made() { trees Makefile rooms.mk | xargs sed -n "s/^$1 = //p"; }	# made VARIABLE: its value in the Makefile or a kit's rooms.mk
rooms() { trees 'src/*' | sed 's,.*/,,' | sort -u; }

@test "every room (folder of src/) is shared, or a program with main file and man page, or a kit's part of a program" {
	local room wrong=0

	for room in $(rooms); do
		[[ " lib $SHARED " == *" $room "* ]] && continue
		[ "$(trees "src/$room/$room.c" | wc -l)" = 1 ] || { echo "src/$room/$room.c is missing, or twice there"; wrong=1; }
		[ "$(trees "src/$room/$room.1" | wc -l)" = 1 ] || { echo "src/$room/$room.1 is missing, or twice there"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

# may_include ROOM FILE NAME: NAME is in the file's folder, in the library, in a shared room that it uses, or in the room's top or
# common/. (A kit's part of a program is below that room's top.)
may_include() {
	local folder=${2%/*} tree=${2%%src/*}

	[ -f "$folder/$3" ] || [ -f "src/lib/$3" ] && return
	[ -f "src/$3" ] || [ -f "${tree}src/$3" ] || return 1
	case $3 in
	"$1"/common/*) ;;
	"$1"/*/*) return 1 ;;
	"$1"/*) [[ $folder == "${tree}src/$1/"* && $folder != */common ]] || [ ! -f "${tree}src/$3" ] ;;
	*) : "${uses[$1]=" $(made "USES_$1") "}" && [[ ${uses[$1]} == *" ${3%%/*} "* ]] ;;
	esac
}

@test "a file includes headers of its folder, of the room's top and common/, of the library and of shared rooms in use" {
	local room file name wrong=0
	local -A uses

	while IFS=$'\t"' read -r file name; do
		room=${file#*src/}
		may_include "${room%%/*}" "$file" "$name" || { echo "$file includes $name"; wrong=1; }
	done < <(grep '"' "$BATS_FILE_TMPDIR/includes" | tr -d '"')
	[ $wrong -eq 0 ]
}

@test "no source includes a file of another room by a path" {
	run grep -F '../' "$BATS_FILE_TMPDIR/includes"
	[ "$status" -eq 1 ]
}

# bats test_tags=each
@test "no header includes itself by way of others" {
	local file name folder

	while IFS=$'\t' read -r file name; do
		for folder in "${file%/*}" src/lib src "${file%%src/*}src"; do
			[ ! -f "$folder/$name" ] || { echo "$file $folder/$name"; break; }
		done
	done < <(grep -P '\.h\t"' "$BATS_FILE_TMPDIR/includes" | tr -d '"') >"$BATS_TEST_TMPDIR/arrows"
	[ -s "$BATS_TEST_TMPDIR/arrows" ]
	tsort "$BATS_TEST_TMPDIR/arrows" >/dev/null
}

# (What was built tells it: the functions that each file needs, and those that it has.)
# bats test_tags=each
@test "no file calls itself by way of others" {
	trees 'src/*/*.c' 'src/*/*/*.c' | sed 's,.*,build/&,; s,c$,o,' | xargs nm -A | awk '
		{ sub(/:.*/, "", $1) }
		$2 == "T" { at[$3] = $1 }
		$2 == "U" { needs[$1, $3] }
		END {
			for (i in needs) {
				split(i, one, SUBSEP)
				if (one[2] in at)
					print one[1], at[one[2]]
			}
		}' >"$BATS_TEST_TMPDIR/arrows"
	[ -s "$BATS_TEST_TMPDIR/arrows" ]
	tsort "$BATS_TEST_TMPDIR/arrows" >/dev/null
}

@test "the library includes nothing of a program" {
	run grep -nwE "$(paste -sd '|' <<<"$PRESENT")" src/lib/*.[ch]
	echo "$output"
	[ "$status" -eq 1 ]
}

# Families of outside headers, the library flag each needs, the library's file that may include them, and the headers
# whose users are linked with them.
families() {
	cat <<'END'
pcap	<pcap	-lpcap		wire/[a-z_]+
capng	<cap-ng\.h	-lcap-ng	confine	confine
seccomp	<seccomp\.h	-lseccomp	confine	confine
jansson	<jansson\.h	-ljansson	json_in	json_in
x11	<X11/	-lX11	connection	x11/[a-z_]+
rfbserver	<rfb/rfb\.h	-lvncserver
rfbclient	<rfb/rfbclient\.h	-lvncclient
curl	<curl/	-lcurl
bpf	<bpf/	-lbpf
fuse	<fuse3/	-lfuse3
gcrypt	<gcrypt\.h	-lgcrypt	vnc_password	vnc_password
xkbcommon	<xkbcommon/	-lxkbcommon
wayland	<wayland-client\.h	-lwayland-client
jpeg	<jpeglib\.h	-ljpeg
zlib	<zlib\.h	-lz
END
}

# What rooms include of these families, a line each: room, family, flag, the file, the library's file that may; - for the file
# where it is by one of the headers whose users are linked.
outside() {
	awk -F'\t' '
		NR == FNR { n++; name[n] = $1; pattern[n] = "^" $2; flag[n] = $3; may[n] = $4; users[n] = "^\"(" $5 ")\\.h\"$"; next }
		{
			room = $1; sub(/.*src\//, "", room); sub(/\/.*/, "", room)
			for (i = 1; i <= n; i++)
				if ($2 ~ pattern[i] || $2 ~ users[i])
					print room, name[i], flag[i], $2 ~ pattern[i] ? $1 : "-", "src/lib/" may[i] ".c"
		}' <(families) "$BATS_FILE_TMPDIR/includes" | sort -u
}

@test "an outside library is included in one file of a room" {
	outside | awk '$4 != "-" && n[$1, $2]++ { print $2 " is included by more than one file of " $1 ", as " $4; wrong = 1 }
		END { exit wrong }'
}

@test "the library includes only libc's headers, except the files that families() names" {
	outside | awk '$4 ~ /^src\/lib\// && $4 != $5 { print $4 " includes " $2; wrong = 1 } END { exit wrong }'
}

@test "the Makefile links what a room includes, and nothing else" {
	local tool family flag libs wrong=0
	local -A used

	while read -r tool family _; do used[$tool.$family]=1; done < <(outside)
	for tool in $PRESENT; do
		libs=" $(made "LIBS_$tool\(_[a-z0-9]*\)*" | paste -sd ' ') "	# with its plug-ins
		while IFS=$'\t' read -r family _ flag _; do
			# X headers may come with an extension's library only
			case ${used[$tool.$family]-0}$libs in
			1*" $flag "*) ;;
			1*) echo "$tool includes $family but is not linked with $flag"; wrong=1 ;;
			*" $flag "*) echo "$tool is linked with $flag but does not include $family"; wrong=1 ;;
			esac
		done < <(families)
	done
	[ $wrong -eq 0 ]
}

@test "the lab names no experiment" {
	[ -d lab ] || skip "no lab yet"
	# doctor.sh belongs to the front door, which knows all experiments; trees.sh finds files by name
	run grep -rnE --exclude=doctor.sh --exclude=trees.sh 'experiments/|results/[a-z]' lab
	echo "$output"
	[ "$status" -eq 1 ]
}

# bats test_tags=each
@test "a core that unit tests link has no main" {
	run grep -nE '^(int )?main\(' $(find $(trees src) -name '*.c' | grep -vE '/([^/]+)/\1\.c$')
	echo "$output"
	[ "$status" -eq 1 ]
}

# bats test_tags=each
@test "a workflow takes actions by commit, and may only read" {
	local files=(docs/examples/*.yml .github/workflows/*.yml)
	[ "$(grep -l 'contents: read' "${files[@]}" | wc -l)" = "${#files[@]}" ]
	grep -hF uses: "${files[@]}" >"$BATS_TEST_TMPDIR/uses"
	# (OWNER/thinprobe: this suite, by its own release)
	[ -z "$(grep -vE 'uses: OWNER/|@[0-9a-f]{40}( |$)' "$BATS_TEST_TMPDIR/uses")" ]
}

@test "every script has both a #! line and the executable bit, or neither" {
	local files

	git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
	mapfile -t files < <(git ls-files | grep -vE '\.(pcap|pcapng|svg|png|gz)$')
	find "${files[@]}" -maxdepth 0 -type f -perm -u=x 2>/dev/null | sort >"$BATS_TEST_TMPDIR/runs"
	awk 'FNR == 1 && /^#!/ { print FILENAME > (/bats/ || FILENAME ~ /tests\// ? "/dev/stderr" : "/dev/stdout") } { nextfile }' \
		$(ls -d "${files[@]}" 2>/dev/null) 2>"$BATS_TEST_TMPDIR/may" | sort >"$BATS_TEST_TMPDIR/must"
	echo "with a #! line, but cannot be run: < ; without one, but can be run: >"
	diff "$BATS_TEST_TMPDIR/must" <(comm -23 "$BATS_TEST_TMPDIR/runs" <(sort "$BATS_TEST_TMPDIR/may"))
}

# bats test_tags=each
@test "a header comment 'NAME - ...' gives the file's own name" {
	awk 'FNR > 3 { nextfile }
		$1 ~ /^(\/\*|#)$/ && $2 ~ /^[A-Za-z0-9_.\/-]+$/ && $3 == "-" {
			name = $2; file = FILENAME
			gsub(/.*\//, "", name); gsub(/.*\//, "", file); sub(/[.][^.]*$/, "", name); sub(/[.][^.]*$/, "", file)
			if (name != file) { print FILENAME " says that it is " $2; wrong = 1 }
			nextfile
		}
		END { exit wrong }' $(find $(trees src) -name '*.[ch]') \
		$(trees 'lab/*.sh' 'lab/*/*.sh' 'experiments/*/*.sh' 'plots/*.gp')
}

# bats test_tags=each
@test "no test negates a command with '!', which would not fail the test (bats needs 'run !')" {
	run grep -snE '^[[:space:]]*! ' $(trees {tests,experiments}'/*/*.'{bats,bash})
	found=$(grep -vF '|| return 1' <<<"$output" || true)
	echo "write: if command; then return 1; fi"
	echo "$found"
	[ -z "$found" ]
}

# (2: no such file, or a wrong pattern; 127: no such command.)
# bats test_tags=each
@test "no test takes any failure of grep, cmp, diff or awk for 'not found', as 'run !' does" {
	run grep -nE '\<run ! (e?grep|cmp|diff|[gm]?awk)\>' $(trees {tests,experiments}'/*/*.'{bats,bash})
	echo "write: run -1 grep"
	echo "$output"
	[ "$status" -eq 1 ]
}

# In a list of && only the last command can fail a test: the others end the list, also in "A || B && C" and "A || { B && C; }".
# bats test_tags=each
@test "no test joins two checks by &&" {
	local files
	mapfile -t files < <(trees {tests,experiments}'/*/*.bats')
	run awk '
		FNR == 1 { test = end = "" }
		end { if ($1 == end) end = ""; next }	# (within a here document)
		/^@test / { test = 1 }
		/^}/ { test = "" }
		test && !/^\t+(if|while|until|elif|for) / && (/(\]|[)"\x27a-z0-9]) && (\[|grep |cmp |diff |jq |mv |ended )/ || /[^{] &&$/) &&
				!/\|\||\(\) \{|eval |\(cd |exit !/ ||
				test && (/\|\| \{[^}]*(\]|busy( [0-9]+)?) && / || /\] \|\| [^{(]*\] && /) {
			print FILENAME ":" FNR ": " $0
			wrong = 1
		}
		match($0, /[^<]<<-?[\x27"]?[A-Z_]+[0-9]*/) { end = substr($0, RSTART, RLENGTH); gsub(/[^A-Z_0-9]/, "", end) }
		END { exit wrong }' "${files[@]}"
	echo "write one line for each"
	echo "$output"
	[ "$status" = 0 ]
}

# bats test_tags=each
@test "no test polls a condition whose value was expanded before the loop" {
	run grep -snE '(until_true|wait_for|wait_until [0-9.]+) \[' $(trees {tests,experiments}'/*/*.'{bats,bash,sh})
	echo "write: until_true eval '[ ... ]'"
	echo "$output"
	[ "$status" -eq 1 ]
}

# bats test_tags=each
@test "no file refers to a document that is not in the tree" {
	git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
	run git grep -nE '(MEASURES|PROTOCOLS|DESIGN|STYLE)\.md|\.\./shared' -- . ':!tests/cli/house.bats'
	echo "$output"
	[ "$status" -eq 1 ]
}

# (NAME=: set or read by what is no script. Where a name ends with a role, the text before it and "$" make such names.)
@test "each variable of tests/names is set by a script, and read by one" {
	local name made wrong=0 all=$BATS_TEST_TMPDIR/all

	trees lab experiments tests bench | xargs -I{} find {} -name '*.*sh' -o -name '*.bats' |
		xargs sed -E 's/(^|[[:space:]])#.*//' thinprobe >"$all"
	for name in $(trees tests/names | xargs grep -hv '^#' | cut -d' ' -f2- | tr ' ' '\n' | grep -v '=$' | tr -d '[]' | sort -u); do
		[[ $name != *_@(server|client|beside) ]] && made='' || made="|${name%_*}_[\$]"
		grep -qE "(^|[^A-Za-z0-9_\$!#{])$name([^A-Za-z0-9_]|\$)|[{]$name[}][<>]$made" "$all" || { echo "nothing sets $name"; wrong=1; }
		grep -qE "[\$][{]?[#!]?$name([^A-Za-z0-9_]|\$)|[(][(].*$name$made" "$all" || { echo "nothing reads $name"; wrong=1; }
	done
	[ "$wrong${name:+ done}" = "0 done" ]
}

# --- options of every program ----------------------------------------------------------------------------------

each_tool() {	# command...: with $tool as its first word
	local tool wrong=0

	for tool in $PRESENT; do
		"$@" "$tool" || { echo "^ $tool"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

says_version() {
	local out

	out=$("bin/$1" --version 2>err) || return 1
	[ ! -s err ] && [[ $out =~ ^$1\ \(thinprobe\)\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

says_help() {
	local out

	out=$("bin/$1" --help 2>err) || return 1
	[ ! -s err ] && [[ $out == "usage: thinprobe $1"* ]] && [[ $out == *--version* ]]
}

refuses() {	# words... tool: exit 2, nothing on standard output, one line on standard error that begins with the tool's name
	local tool=${*: -1} status=0

	timeout 20 "bin/$tool" "${@:1:$#-1}" >out 2>err </dev/null || status=$?
	if [ $status -ne 2 ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] || ! grep -q "^$tool: " err; then
		echo "$tool ${*:1:$#-1}: exit $status, stderr: $(cat err)"
		return 1
	fi
}

in_scratch() {
	mkdir -p "$BATS_TEST_TMPDIR/x"
	ln -sfn "$PWD/bin" "$BATS_TEST_TMPDIR/x/bin"
	cd "$BATS_TEST_TMPDIR/x" || return 1
}

# bats test_tags=each
@test "--version: the tool's name and the version, --help: usage, on standard output, exit 0" {
	in_scratch
	each_tool says_version
	each_tool says_help
}

# bats test_tags=each
@test "an unknown option, an unexpected word, a value of the wrong type: exit 2, one line on standard error" {
	in_scratch
	each_tool refuses --no-such-option
	each_tool refuses no-such-word another-one and-a-third
	each_tool refuses --format nonsense
}

# bats test_tags=each
@test "no output is in the tree: a kept run has what cannot be made again, and figures that a page shows; pages are no programs" {
	local kept

	git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
	[ -z "$(git ls-files 'docs/*.sh' 'kits/*/docs/*.sh')" ]
	for kept in $(trees 'results/reference/*'); do
		[ "$(git ls-files "$kept" | sed "s,^$kept/,,; /^figures/d" | xargs)" = 'report.md run.json samples.tar.zst' ]
		git ls-files "$kept/figures" | sed 's,.*/,,; s,[.]svg$,,' | diff - <(jq -r '.kept.figures[]' "$kept/run.json")
		[ "$(stat -c %s "$kept/samples.tar.zst")" -le $((300 << 10)) ]
	done
}

@test "every source file has its licence in its first two lines" {
	local licence='SPDX-License-Identifier: GPL-3\.0-or-later( \*/)?$' files
	git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
	mapfile -t files < <(git ls-files '*.[ch]' '*.[1-8]' '*'.{sh,gp,bats,bash,py,pl,tcl,css,mk} '*Makefile' \
		thinprobe tests/run ".ci/*" | grep -vE '^(kits/[a-z]+/)?(results|data)/')
	run grep -sLE "$licence" "${files[@]}"
	echo "$output"
	[ -z "$output" ]
	run bash -c 'grep -snHEm 1 "$0" "$@" | grep -vE "^[^:]*:[12]:"' "$licence" "${files[@]}"
	echo "$output"
	[ -z "$output" ]
}

# --- experiments: nothing outside its folder names an experiment --------------------------------------------------

@test "the lists of experiments in documents are up to date with the plans" {
	run experiments/commands/index.sh --check
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "every experiment has all its files" {
	local plan file wrong=0

	for plan in $(trees 'experiments/*/plan'); do
		for file in cell.sh analysis.py README.md test.bats; do
			[ -f "${plan%/plan}/$file" ] || { echo "${plan%/plan}/$file is missing"; wrong=1; }
		done
	done
	[ $wrong -eq 0 ]
}

# (Names of experiments are English words, too, so only unambiguous uses are found: paths, commands, comparisons.)
@test "files shared by experiments name no experiment" {
	local stems

	stems=$(experiments | paste -sd'|')
	run grep -nrE \
		"(experiments?|run|results|EXPERIMENT|stem)[\"'}]*( |/|: ?| ?[!=]?= ?| // )[\"']?($stems)\\>" \
		$(trees experiments/engine experiments/families experiments/commands lab) plots/style.gp
	echo "$output"
	[ "$status" -eq 1 ]
	# (the front door names the experiment of the demo)
	run grep -nE "(experiments/|run |results/)($stems)\\>" thinprobe
	echo "$output"
	[ "$status" -eq 1 ]
}

# foreign KIT FILE...: prints where these name the kit, or a program or an experiment of it. (Some are English words, too, so only
# unambiguous uses are found.)
foreign() {
	local programs stems before="(experiments?|run|results|EXPERIMENT|stem)[\"'}]*( |/|: ?| ?[!=]?= ?| // )[\"']?"
	programs=$(ls -d "kits/$1"/{src/*,analysis}/*.1 2>/dev/null | sed -nE 's,.*/(([^/]+)/\2|analysis/(.+))\.1$,\2\3,p' | paste -sd'|')
	stems=$(ls -d "kits/$1"/experiments/*/plan | cut -d/ -f4 | paste -sd'|')
	# (a kept page carries the whole glossary)
	grep -rnE --exclude-dir=reference "kits/$1\>|(BIN|bin|src|unit|thinprobe)[\"'}]*[/ ][\"']?($programs)\>|$before($stems)\>" "${@:2}"
}

@test "the core names no kit, and no kit names another" {
	local kit other status wrong=0
	[ -d kits ] || skip "no kits here"
	for kit in kits/*; do
		kit=${kit#kits/}
		other=$(ls -d kits/* | grep -vx "kits/$kit")
		# (documents about the whole tree may)
		status=0
		foreign "$kit" thinprobe Makefile packages lab src experiments plots data tests bench debian .ci .github \
			$other || status=$?
		if [ $status != 1 ]; then
			echo "^ kits/$kit: $status"
			wrong=1
		fi
	done
	[ $wrong -eq 0 ]
}

@test "no extern function but main is defined in two rooms; no function name has over 28 letters" {
	local wrong

	command -v ctags >/dev/null || skip "no ctags"
	ctags -f "$BATS_TEST_TMPDIR/names" --languages=C --langmap=C:.c.h --c-kinds=f --fields=f --excmd=number -R $(trees src)
	cd "$BATS_TEST_TMPDIR" || return 1
	grep -q "^main	" names	# (names were found at all)
	# static functions have a field "file:"
	wrong=$(awk -F'\t' '/^!/ { next }
		length($1) > 28 { print $1, "is-long" }
		!/\tfile:/ && $1 != "main" { sub(/.*src\//, "", $2); split($2, path, "/"); print $1, path[1] }' names |
		sort -u | awk '{ rooms[$1] = rooms[$1] " " $2; n[$1] += 1 + ($2 == "is-long") }
			END { for (name in n) if (n[name] > 1) print name ":" rooms[name] }')
	echo "$wrong"
	[ -z "$wrong" ]
}

# bats test_tags=each
@test "no function has over 60 lines" {
	command -v ctags >/dev/null || skip "no ctags"
	ctags -f "$BATS_TEST_TMPDIR/names" --languages=C --langmap=C:.c.h --c-kinds=f --fields=e --excmd=number -R $(trees src)
	grep -q "end:" "$BATS_TEST_TMPDIR/names"
	awk -F'\t' 'sub(/^end:/, "", $4) && $4 - $3 >= 60 { print $2 ": " $1 " has " $4 - $3 + 1; wrong = 1 } END { exit wrong }' \
		"$BATS_TEST_TMPDIR/names"
}

# bats test_tags=each
@test "no line of a source or a script is over 132 columns, a tab counted as one" {
	local files found

	git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
	mapfile -t files < <({ git ls-files '*.sh' '*.bats' '*.bash' '*.py' '*.gp' '*.[ch]'
		git grep -lE '^#!.*[/ ](ba|da)?sh( |$)'; } | sort -u)
	found=$(LC_ALL=C.UTF-8 grep -nE '^.{133}' "${files[@]}" | cut -d: -f1,2 || true)
	echo "$found"
	[ -z "$found" ]
}

# bats test_tags=each
@test "clang-format would change nothing" {
	[[ $(clang-format --version 2>&1) == *" version 14."* ]] || skip "clang-format 14 is not installed"	# each has its own ideas
	git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
	git ls-files '*.[ch]' | xargs clang-format --dry-run -Werror
}

# --- a release -----------------------------------------------------------------------------------------------------

# bats test_tags=each
@test "thinprobe, CITATION.cff, debian/changelog, CHANGELOG.md and the tarball have the same version" {
	local version

	version=$(sed -n 's/^VERSION=//p' thinprobe)
	[ "$(sed -n 's/^version: //p' CITATION.cff)" = "$version" ]
	[ "$(sed -n '1s/^thinprobe (\(.*\)) .*/\1/p' debian/changelog)" = "$version" ]
	# above it only an unreleased section
	[ "$(sed -n 's/^## \[\([0-9.]*\)\] - [0-9-]*$/\1/p' CHANGELOG.md | head -n 1)" = "$version" ]
	grep -q "thinprobe-\$(VERSION).tar.gz" Makefile
}
