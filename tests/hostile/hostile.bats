#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Run folders, bundles and limits files of a stranger (SECURITY.md): nothing that stands in them runs, is followed or is obeyed.

bats_require_minimum_version 1.5.0
load ../cli/helpers
load ../engine
load ../not_here
shopt -s extglob

setup_file() {
	local name top=${BATS_TEST_DIRNAME%/tests/hostile}
	for name in zstd gnuplot cmark-gfm sqlite3; do
		command -v "$name" >/dev/null || { not_here "$name is not installed"; return 0; }
	done
	ROOM=$(mktemp -d)	# (nobody else can come into that of bats)
	export ROOM GOOD=$ROOM/good
	cp -r "$top/results/reference/stalls" "$GOOD"
	tar --zstd -xf "$GOOD/samples.tar.zst" -C "$GOOD"
	rm -rf "$GOOD"/{samples.tar.zst,figures,report.*,findings.json} "$GOOD"/cells/!(vnc-light-[02])
	jq 'del(.kept) | .cells |= map(select(.name | IN("vnc-light-0", "vnc-light-2")))' "$GOOD/run.json" >"$ROOM/new"
	mv "$ROOM/new" "$GOOD/run.json"
	"$top/bin/summarize" --format json -o "$GOOD/summary.json" "$GOOD"
	chmod -R a+rwX "$ROOM"
	chmod +t "$ROOM"
}
teardown_file() { rm -rf "${ROOM-}"; }

setup() {
	skip_not_here
	begin_test
	cd "$(mktemp -d "$ROOM/XXXXXX")" && chmod 1777 . || return 1
	ordinary_user
	tp=$TOP/thinprobe
	"${user[@]}" test -x "$tp" || user=(env)
	bad="BASHPID[\$(touch $PWD/ran)]\`touch $PWD/ran\`\"'\$(touch $PWD/ran)<script>alert(1)</script>"
}

# refused STATUS WORD COMMAND...: with that status, in one line with WORD, as the user we are and as an ordinary one.
refused() {
	local as
	for as in env "${user[*]}"; do
		# shellcheck disable=SC2086 # words
		run $as "${@:3}"
		[[ $status = "$1" && ${#lines[@]} = 1 && $output == *"$2"* ]] || { echo "$as ${*:3} ($status): $output"; return 1; }
	done
	[ ! -e ran ]
}
folder() { rm -rf run && cp -r "$GOOD" run; }
changed() { jq "$@" run/run.json >new && cat new >run/run.json; }
pack() { tar --force-local --zstd -cf "$@" && chmod 644 "$1"; }
mutants() {	# (by the python3 that has read analysis/ for its commands)
	run -0 "${user[@]}" env PATH=/usr/local/bin:/usr/bin:/bin /usr/bin/python3 -BXutf8 "$BATS_TEST_DIRNAME/mutants.py" \
		"$TOP" "$PWD/work" "$@"
	echo "$output"
}
counted() { [[ $output =~ (^|\ |:)$1:([0-9]+) ]] && [ "${BASH_REMATCH[2]}" -ge "$2" ]; }

# By Perl's tables; each between two letters, with its neighbours.
@test "text: characters that have no picture are taken out by the shell and by analysis/" {
	perl -M-warnings=utf8 -CO -e 'for (0xa1 .. 0xd7ff, 0xe000 .. 0x10ffff) { $is = chr($_) =~ /\p{Default_Ignorable_Code_Point}/;
		push @all, $_ - 1, $_ if $is != $was; $was = $is }
		print map { "a" . chr($_) . "b\n" } @all' >text
	perl -M-warnings=utf8 -CSD -pe 's/\p{Default_Ignorable_Code_Point}/?/g' text >right
	[ "$(wc -l <right)" -gt 60 ]
	. "$TOP/lab/words.sh"
	visible <text | cmp - right
	PYTHONPATH=$TOP python3 -BXutf8 -c 'import sys
from analysis.escape import seen
for line in sys.stdin: print(seen(line[:-1]))' <text | cmp - right
}

@test "report, of runs with figures of every form: text of a table with quotes, back quotes and \$( ) runs nothing" {
	mutants drawn
	counted tried 2
}

# bats test_tags=all
@test "report, of every experiment: every text column with every metacharacter" {
	mutants columns
	counted tried 700
}

@test "mutants of run folders: 40, each through another command, of which some are reported, and some refused" {
	mutants 40 1
	counted 0 12
	counted 1 5
}

# bats test_tags=all
@test "mutants of run folders: 10,000" {
	mutants 10000 "$RANDOM"
}

@test "mutants.py: a payload that runs, a file outside that is made or read, a tag, a second line each count as wrong" {
	local words name
	mkdir -p tree/kits tree/bin tree/results/reference
	cp -r "$TOP/results/reference/stalls" tree/results/reference
	for words in ': >"$RAN"' ': >outside' 'printf "a\nb\n" >&2' 'printf "\33c"' 'exit 9' 'echo ::error::x' 'exit 1' 'cat keep/secret' \
		'[ ! -d run ] || echo "<script>alert(1)</script>" >run/report.html' 'echo "thinprobe: no" >&2; exit 1'; do
		for name in bin/{report,compare,gate,export,bundle,gallery,ab,judge,blocks,tried,fail,summarize}; do
			printf '#!/bin/sh\n%s\n' "$words" >"tree/$name"
		done
		chmod 755 tree/bin/*
		rm -rf work
		run -1 /usr/bin/python3 -BXutf8 "$BATS_TEST_DIRNAME/mutants.py" "$PWD/tree" "$PWD/work" 10 1
		[[ $output =~ wrong:[1-9] ]]
	done
}

@test "report: a protocol with a command, in run.json, cells and a bundle, does not run it" {
	folder
	rm run/*.tsv run/summary.json
	changed --arg p "vnc\$(touch\${IFS}$PWD/ran)" '.cells[].parameters.protocol = $p | .cells[1].parameters.app = "own"'
	find run/cells -name cell.json | while read -r file; do
		jq --arg p "vnc\$(touch\${IFS}$PWD/ran)" '.parameters |= (.protocol = $p | if .sinks == 2 then .app = "own" else . end)' \
			"$file" >new
		cat new >"$file"
	done
	grep -q '"app": "own"' run/cells/*/*/cell.json
	run -0 "$tp" bundle run -o b.tar.zst
	run -0 "$tp" report b.tar.zst -o there
	[ -s there/run/figures/latency-cdf.svg ]
	[ ! -e ran ]
	folder
	changed --arg x "$bad" '.protocol.floor_ms = [$x]'	# (gnuplot runs back quotes of a line that it then refuses)
	refused 1 "" "$tp" report run
}

@test "bundle: links, devices, pipes, a way out, a hidden folder and two folders are refused, and nothing is left" {
	local kind names
	mkdir -m 777 there
	for kind in "ln -s ../../keep run/more" "ln -s ../.. run/figures" "ln run/run.json run/copy" "mkfifo run/pipe" \
		"mknod run/disk b 7 0" "mv run .hidden" "cp -r run second" \
		"s,^run/schema.tsv,run/../schema.tsv," "s,^run/schema.tsv,$PWD/schema.tsv,"; do
		rm -rf .hidden second
		folder
		if [[ $kind == s,* ]]; then pack b.tar.zst -P --transform "$kind" run; else
			$kind || continue	# (a device only as root)
			mapfile -t names < <(ls -Ad run .hidden second 2>/dev/null)
			pack b.tar.zst "${names[@]}"
		fi
		refused 1 b.tar.zst "$tp" report b.tar.zst -o there
		[ -z "$(ls -A there)" ]
	done
}

@test "bundle: neither owner nor mode comes with a file, and a name may have a colon" {
	folder
	cp /bin/true run/program
	chmod 6755 run/program
	chmod 777 run/cells
	pack 2026-11-23T08:06.tar.zst run
	rm -r run
	run -0 "$tp" report 2026-11-23T08:06.tar.zst
	[ -s run/report.html ]
	[ -z "$(find run -type f -perm /7133)" ]
	[ -z "$(find . -name '.unpack*')" ]
}

@test "bundle and kept samples: more than 2 GiB are not unpacked" {
	local words
	folder
	truncate -s 3G run/cells/large
	pack b.tar.zst -S run
	refused 1 "2 GiB" "$tp" report b.tar.zst -o there
	[ ! -e there/run ]
	pack run/samples.tar.zst -S -C run cells
	rm -r run/cells
	changed '.kept = {samples_bytes: 1, left_out_bytes: 0}'
	for words in "report run" "export run --as csv" "compare run run --json"; do
		# shellcheck disable=SC2086 # words
		refused 1 "2 GiB" "$tp" $words
	done
}

@test "a run folder with a link or a pipe is no run: report, compare, gate, export and bundle follow none" {
	local kind words
	echo keep >keep
	echo 'p50 * < 50ms' >limits
	folder
	ln -sf ../keep run/summary.json
	for words in "report run" "report run --json" "compare run $GOOD" "compare $GOOD run" "gate run --limits limits" \
		"export run --as samples" "bundle run"; do
		# shellcheck disable=SC2086 # words
		refused 1 "no run: " "$tp" $words
	done
	for kind in "ln -s ../../../../keep run/cells/vnc-light-0/1/more.tsv" "mkfifo run/more.tsv"; do
		folder
		$kind
		refused 1 "no run: " "$tp" export run --as samples
	done
	[ "$(cat keep)" = keep ]
}

@test "the page: no other script may run in it, names are no markup, and a drawing that was there before is not taken over" {
	folder
	changed --arg x "$bad" '.host.kernel = $x | .state = "<img src=x onerror=alert(1)>" | .command = "[x](javascript:alert(1))"'
	mkdir -p run/figures/narrow
	tee run/figures/{,narrow/}{stages,jitter}.svg <<<'<svg><script>alert(1)</script></svg>'
	rm run/stages.tsv
	run -0 "$tp" report run
	[ "$(grep -c '<script>' run/report.html)" = 1 ]
	run -1 grep -E '<img src=x|href="javascript' run/report.html
	# the one script is the one whose hash is allowed
	python3 - <<-'END'
		import base64, hashlib, re
		page = open("run/report.html", encoding="utf-8").read()
		digest = hashlib.sha256(re.search("<script>(.*)</script>", page, re.S).group(1).encode()).digest()
		assert "default-src 'none'" in page and "script-src 'sha256-%s'" % base64.b64encode(digest).decode() in page
	END
	changed '.cells[0].name = "x)<img src=x onerror=alert(1)>"'
	refused 1 "no name of a folder" "$tp" report run
}

@test "export --as sqlite: a heading is a name, or there is no database" {
	local file
	folder
	sed -i "1s/\$/\tx numeric); select writefile('ran', 'x');--/" run/long.tsv
	refused 1 "no headings" "$tp" export run --as sqlite -o out.db
	folder
	for file in run/cells/*/*/samples.tsv; do sed -i "1s/\$/\tx); select writefile('ran', 'x');--/" "$file"; done
	refused 1 "no name" "$tp" export run --as sqlite -o out.db
	[ ! -e out.db ]
}

@test "export: no formula in csv, and XML that a parser takes in junit, of export and gate" {
	folder
	sed -i '2,$s/light/=HYPERLINK("x")\x1b\x01/' run/long.tsv
	run -0 "$tp" export run --as csv
	[[ $output != *,=* ]]
	[[ $output == *",\"'=HYPERLINK"* ]]
	[[ $output != *"'-"[0-9]* ]]	# a number is none
	for sign in ＝ ＋ － ＠; do	# which some programs take for = + - @
		sed -i "2,\$s/\t[^\t]*HYPERLINK[^\t]*/\t${sign}HYPERLINK(1);${sign}1/" run/long.tsv
		run -0 "$tp" export run --as csv
		[[ $output == *",'${sign}HYPERLINK(1);'${sign}1,"* ]]
	done
	changed '.cells[0] |= (.state = "a\u001b<b>\u0001\ufffe\"" | .flags = ["\u0008&"])'
	run -0 "$tp" export run --as junit -o one.xml
	sed -i '2,$s/light/li\x1bght/' run/summary.tsv
	echo 'p50 * < 50ms' >limits
	run "$tp" gate run --limits limits --junit two.xml
	python3 -c 'import sys, xml.dom.minidom as x; [x.parse(f) for f in sys.argv[1:]]' one.xml two.xml
}

@test "terminal: no escape sequence and no command of a workflow in what report, compare and gate print" {
	local wanted text words
	folder
	echo 'p50 * < 1ms' >limits
	changed '.host.kernel = "6\u001b]0;x\u0007" | .version = "\u009b31m\u202e" | .state = "x\u001b[2J" | .reason = "y\n::error::z"
		| .host.cpu.model = "##[add-path]/x"'
	sed -i '2s/vnc/::stop-commands::\x1b[2J\xe2\x80\xae##[x]/' run/summary.tsv
	while IFS=$'\t' read -r wanted text words; do	# (text: a part of what must not be printed as it is)
		# shellcheck disable=SC2086 # words
		run "-$wanted" "$tp" $words
		[[ $output == *"$text"* ]] || { printf '%s: %s\n' "$words" "$output"; false; }
		run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae|^\s*::|##\[' <<<"$output"
	done <<-END
		0	[2J	report run --verdict
		0	stop-commands	report run --table
		0	stop-commands	report run --findings
		0	stop-commands	report run --json
		0	]0;x	compare $GOOD run
		0	add-path	compare $GOOD run --json
		5	stop-commands	gate run --limits limits
		5	stop-commands	gate run --limits limits --tap
		5	stop-commands	gate run --limits limits --json
		3	]0;x	gate run --baseline $GOOD
	END
	run -0 "$tp" report run
	run -1 grep -l $'\u202e' run/report.{md,html} run/findings.json
}

@test "messages: what a host says begins no line, nor does the name of a process there" {
	run bash -c '. "$1/lab/lib.sh"; . "$1/lab/machine.sh"; warn "it says: first
::error::pwned
"; sleep 60 & pid=$!; printf "%s" "
::error::x" >/proc/$pid/comm 2>/dev/null
		grep() { echo "/proc/$pid/status:VmRSS: 99999999 kB"; }
		machine_pushed_out; kill "$pid"' sh "$TOP"
	[[ $output == *"it says: first"*"pwned"* && $output == *"the biggest now"* ]]
	[ "${#lines[@]}" -eq 2 ]
	run -1 grep -E '^(::|##)' <<<"$output"
}

@test "export: no row or field begins in a parameter or a name" {
	folder
	"$tp" export run --as samples >before.csv
	changed '(.cells[0].parameters.protocol) = "vnc\nx\ty"'
	find run/cells/vnc-light-0 -name cell.json | while read -r file; do
		jq '.parameters.protocol = "vnc\nx\ty"' "$file" >new
		cat new >"$file"
	done
	"$tp" export run --as samples >after.csv
	[ "$(wc -l <before.csv)" -eq "$(wc -l <after.csv)" ]
	[ "$(awk -F, '{ print NF }' before.csv | sort -u)" = "$(awk -F, '{ print NF }' after.csv | sort -u)" ]
}

@test "gate: nothing in a limits file runs or is obeyed, and what is no limit is refused" {
	local line
	folder
	for line in 'p50 $(touch${IFS}ran) < 1ms' 'p50 * < `touch${IFS}ran`' 'a[$(touch${IFS}ran)] * < 1ms' '"x * < 1' \
		'::error::x * < 1ms' $'p50 \e[2J < 1ms' 'p50 * < 1ms;touch${IFS}ran' 'p50 */../../* < 1ms'; do
		printf '%s\n' "$line" >limits
		run "$tp" gate run --limits limits
		[[ $status == [235] ]]
		run -1 grep -P '\x1b|^\s*::' <<<"$output"
		[ ! -e ran ]
	done
	echo 'p50 * < 1ms; x' >limits
	refused 2 "line 1" "$tp" gate run --limits limits
	mkfifo never && chmod a+rw never
	refused 2 "never" "$tp" gate run --limits never
	yes "p50 * < 9s # $(printf '%0150d' 0)" | head -n 1000 >limits	# (more than one word of a command holds)
	run -0 --separate-stderr "$tp" gate run --limits limits
	[[ $output == *1000* && -z $stderr ]]
}

@test "report: figures that are no numbers, and no room for what is said, are one line each" {
	folder
	awk -F'\t' -v OFS='\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "repeats") c = i } NR > 1 { $c = "x" } 1' \
		run/summary.tsv >new
	run -1 bash -c '"$0" report run --json >/dev/full' "$tp"
	[ "${#lines[@]}" = 1 ]
	cat new >run/summary.tsv
	refused 1 "wrong type" "$tp" report run --json
}

@test "report: of several runs, one whose run.json has values of other types is refused in one line" {
	folder
	changed '.protocols.vnc = "x"'
	run -1 "$tp" report run "$GOOD" -o out
	[[ ${#lines[@]} = 1 && $output == *"run $GOOD: "*"wrong type"* ]]
}

@test "gallery: a kept run with values of other types is refused in one line" {
	mkdir out
	cp -r "$TOP/results/reference/stalls" out/stalls
	jq '.protocols = "x"' out/stalls/run.json >new
	mv new out/stalls/run.json
	run -1 "$tp" gallery --page -o out
	[[ ${#lines[@]} = 1 && $output == *"wrong type"* ]]
}

@test "report: a folder beside the run whose name is two lines, or has a backslash, is not taken for the run before it" {
	local name
	folder
	for name in plain 'a\b' $'a\nb'; do
		mkdir "$name"
		cp run/summary.tsv "$name"
		jq '.started = "2020-01-01T00:00:00Z"' run/run.json >"$name/run.json"
		run -0 --separate-stderr "$tp" report run --json
		[ -z "$stderr" ]
		rm -r -- "$name"
	done
}

@test "resume: axes and settings of a run, and those of a comparison, pass the checks that options pass" {
	local stem filter
	while read -r stem filter; do
		rm -rf run
		cp -r "$TOP/results/reference/$stem" run
		changed --arg x "$bad" "del(.kept) | $filter"
		refused 2 "" "$tp" run "$stem" --resume run
	done <<-'END'
		idle .cells[-1].parameters.sessions = $x
		idle .settings.seed = $x
		idle .settings.quick = $x
		stalls .cells[0].name = $x
		stalls .cells[0].parameters.sinks = [$x]
		stalls .settings.apps = [$x]
	END
	chmod 755 .	# (root continues nothing where others could exchange it)
	mkdir -p ab/{a,b}
	tee ab/{a,b}/run.json <<<'{"settings": {"repeats": 2}}'
	jq -n '{experiment: "stalls", both: "", a: {options: "", server: "", client: ""}, b: {options: "", server: "", client: ""},
		settings: {effect: "10%", metrics: "", pairs: 2, alpha_percent: 5, seed: 1}, starts: 1, measured_s: 1}' >ab.json
	for filter in settings.{seed,pairs,alpha_percent,effect,noise_percent} starts measured_s experiment; do
		jq --arg x "${bad%%\`*}" ".$filter = \$x" ab.json >ab/ab.json
		run "$tp" ab --resume ab
		[[ $status == [12] ]]
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"ab.json cannot be read" || $output == *"${bad%%\`*}"* ]]	# (its check was reached)
		[ ! -e ran ]
	done
}

@test "resume: a run, a comparison and a sweep with a link in them are refused, and nothing is written through it" {
	mkdir out ab ab/a sweep sweep/log
	folder
	changed 'del(.kept)'
	ln -s "$PWD/out" run/cells/vnc-light-2/more
	refused 2 "more is no file" "$tp" run stalls --resume run
	rm run/cells/vnc-light-2/more
	rm -rf run/log && ln -s "$PWD/out" run/log
	refused 2 "log is no file" "$tp" run stalls --resume run
	echo '{}' >ab/ab.json && ln -s "$PWD/out" ab/a/log
	refused 2 "a/log is no file" "$tp" ab --resume ab
	echo 'experiment stalls' >sweep/sweep && ln -s "$PWD/out/x" sweep/log/x
	refused 2 "a link" "$tp" sweep --resume sweep
	rm sweep/log/x && mkdir -p sweep/.parts/a && ln -s "$PWD/out/x" sweep/.parts/a/.lock
	refused 2 "a link" "$tp" sweep --resume sweep
	[ -z "$(ls out)" ]
}

@test "run -o: a folder with a file, or a link where a file of the run will be, is refused, and nothing is written through it" {
	local name
	mkdir out mine
	touch mine/notes
	refused 2 "not empty" "$tp" run stalls --protocol null --quick --loads 0 -o mine
	[ "$(ls -A mine)" = notes ]
	for name in run.json.new .lock log/engine.log; do
		mkdir -p new/log
		ln -s "$PWD/out/x" "new/$name"
		refused 2 "not empty" "$tp" run stalls --protocol null --quick --loads 0 -o new
		rm -r new
	done
	[ -z "$(ls out)" ]
}

@test "run -o: a link of another login is not followed, one of our own is" {
	[ "$EUID" = 0 ] || skip "it takes root to be two users"
	chmod +t .
	mkdir out
	ln -s "$PWD/out" theirs
	ln -s "$PWD/out" ours
	chown -h nobody theirs
	run -1 "$tp" run stalls --protocol null --quick --loads 0 -o theirs/
	[[ ${#lines[@]} = 1 && $output == *"theirs"* ]]
	[ -z "$(ls out)" ]
	EXP_SWEEP=plan run -0 "$TOP/experiments/engine/run.sh" stalls --protocol null --quick --loads 0 -o ours
	[ -f out/run.json ]
}

@test "run: as root, in no folder that another login could exchange, whether -o names it or not; with sudo, in that login's" {
	[ "$EUID" = 0 ] || skip "it takes root to be two users"
	local run=("$tp" run stalls --protocol null --quick --loads 0) folder
	chmod +t .
	mkdir -p hers/out hers/group own
	chown 65534 hers/out hers
	ln -s ../hers/out own/link
	for folder in hers/out hers/new hers/new/deep own/link/new own/../hers/out/x; do
		run -1 "${run[@]}" -o "$folder"
		[[ ${#lines[@]} = 1 && $output == *"$PWD/hers is of login"*" -o DIR" ]]
	done
	SUDO_UID=65534 EXP_SWEEP=plan run -0 "$TOP/experiments/engine/run.sh" stalls --protocol null --quick --loads 0 -o hers/out/sudo
	[ -f hers/out/sudo/run.json ]
	rm -r hers/out/sudo
	chown 0 hers
	chgrp 65534 hers
	chmod 775 hers
	run -1 "${run[@]}" -o hers/group/new
	[[ ${#lines[@]} = 1 && $output == *"others can write to $PWD/hers;"*" -o DIR" ]]
	[ -z "$(find hers -mindepth 2)" ]
	# what begins there without -o, and for whom called sudo
	TP_HOME=$TOP TP_CHECKOUT=0
	. "$TOP/experiments/engine/folder.sh"
	chown 65534 hers
	cd hers
	run -1 results_new toy
	[ ! -e thinprobe-results ]
	SUDO_UID=12345 SUDO_GID=65534 run -1 results_new toy
	[ ! -e thinprobe-results ]
	SUDO_UID=65534 SUDO_GID=65534 run -0 results_new toy
	[ -d "$output" ]
	chmod 1777 .
	run -1 results_new toy	# the owner of a sticky folder may still take all away
	chown 0 .
	run -0 results_new toy
}

@test "run: a file of results is written through no link" {
	TP_HOME=$TOP
	. "$TOP/experiments/engine/folder.sh"
	echo keep >mine
	mkdir elsewhere
	ln -s mine run.json.new.$BASHPID
	ln -s elsewhere run.json
	put_whole run.json <<<new
	[ "$(cat mine) $(cat run.json) $(ls elsewhere)" = "keep new " ]
	[ ! -L run.json ]
	# a link that comes in the moment between
	rm() { command rm "$@"; ln -sf mine run.json.new.$BASHPID; }
	run -1 put_whole run.json <<<newer
	[ "$(cat mine) $(cat run.json)" = "keep new" ]
}

@test "words of a host: nothing in a message hides or turns what stands beside it" {
	local words
	for words in $'a\xe2\x80\xaeb' $'a\xe2\x81\xa6b' $'a\xef\xbb\xbfb' $'a\eb' $'a\xd8\x9cb' 'a##b'; do
		run env LC_ALL=C.UTF-8 bash -c '. "$0/lab/lib.sh"; warn "$1"' "$TOP" "$words"
		[[ $output == "lab: a?"*b ]]
	done
	run env LC_ALL=C.UTF-8 bash -c '. "$0/lab/lib.sh"; warn "$1"' "$TOP" $'Gr\xc3\xb6\xc3\x9fe \xe2\x80\x93 u2'
	[ "$output" = $'lab: Gr\xc3\xb6\xc3\x9fe \xe2\x80\x93 u2' ]
}

@test "words of a host: a reason, a flag and a message have an end, and where text is expected JSON is none" {
	# shellcheck disable=SC2016 # the engine's shell's
	in_engine stalls 'RUN=$PWD CELL_JSON="{}" REGIME=session
		put_json() { cat >"$1"; }
		long=$(printf "%0300000d" 0)
		cell_write . 1 "$long" "$long" "{\"a\": \"$long\"}"
		warn "$long"
		train_mismatch "{\"session\": {\"a\": 1}, \"sinks\": [2]}"' >out 2>err
	[ "$(jq -r '"\(.state) \(.a | length) \((.reason + .marked | length) < 2000)"' cell.json)" = "failed 300000 true" ]
	[ "$(wc -l <err) $(($(wc -c <err) < 5000))" = "1 1" ]
	[ ! -s out ]
}

@test "words of a host: a repeat in which the CPU time of others is not known is flagged" {
	# shellcheck disable=SC2016 # the engine's shell's
	in_engine stalls 'LAB_NCPU_server=1
		shares() { read -r f s _ < <(exp_shares "$1" "$2"); echo "$f $s $(exp_disturbed "$f" "$s")"; }
		shares "1000000000 5 0 5" "2000000000 25000005 0 15000005"
		shares "" "" ; shares "5 5 5 5" "5 5 5 5"; shares "9223372036854775807 1 1 1" "10 2 2 2"; shares "1 1" "2 2"' >out 2>&1
	[ "$(head -n 1 out)" = "1.00 0.00 " ]
	[ "$(grep -c '^null null .*not known' out) $(wc -l <out)" = "4 5" ]
	# of 2 CPUs for a second, 4 ticks may be counted too many
	in_engine stalls 'exp_shares "0 0 0 0" "1000000000 2040000000 0 0" 2; exp_shares "0 0 0 0" "1000000000 2600000000 0 0" 2' >out
	[ "$(cut -d' ' -f3 out | paste -sd ' ')" = "100.00 130.00" ]
}

@test "files of a host: a repeat with one that cannot be read is failed and says why, and the run is reported on without it" {
	local file
	for file in whole samples.tsv keyrepeat.json; do
		folder
		case $file in
		samples.tsv) sed -i '3s/^/x/' run/cells/vnc-light-0/1/samples.tsv ;;
		keyrepeat.json) sed -i '1s/{/{"no": 1e999,/' run/cells/vnc-light-0/1/keyrepeat.json ;;
		esac
		# shellcheck disable=SC2016 # the engine's shell's
		in_engine stalls 'RUN=$PWD/run CELL=vnc-light-0
			put_json() { cat >"$1"; }
			exp_words() { echo words; }
			cell_judge "$RUN/cells/$CELL/1"
			figure=$(cell_figure "$RUN/cells/$CELL/1") || cell_unread "$RUN/cells/$CELL/1" 1 "$figure"
			echo "$CELL_STATE"' >out 2>err
		if [ "$file" = whole ]; then
			[ "$(cat out)$(cat err)" = complete ]
		else
			[ "$(cat out) $(wc -l <err)" = "missing 1" ]
			grep -q "words, repeat 1: cannot read $file: line " err
			[ "$(jq -r .state run/cells/vnc-light-0/1/cell.json)" = failed ]
			run -3 "$TOP/bin/summarize" --format json -o sum.json run	# without that repeat
		fi
		[ ! -e run/.cell ]
	done
}

@test "sweep --resume: its engine is no command, a pipe in it holds up nobody, names and runs are checked" {
	mkdir -p sweep/stalls
	printf 'experiment stalls\nprotocol vnc\nloads 0\n' >sweep/sweep
	jq '.cells |= .[:1] | .settings.repeats = 1' "$GOOD/run.json" >sweep/stalls/run.json
	chmod -R a+rwX sweep
	chmod +t sweep sweep/stalls
	run -0 "$tp" sweep --resume sweep --list
	printf '#!/bin/sh\ntouch "%s"\n' "$PWD/ran" >evil_start
	chmod 755 evil_start
	echo "$PWD/evil" >sweep/.engine
	refused 2 .engine "$tp" sweep --resume sweep
	rm sweep/.engine
	mkfifo sweep/.engine
	refused 2 .engine timeout 60 "$tp" sweep --resume sweep --list
	rm sweep/.engine
	for name in .alive .engine .logins .ids .pairs .lock joblog cells.tsv; do
		mkdir "sweep/$name"
		refused 2 "$name is a folder" "$tp" sweep --resume sweep
		rmdir "sweep/$name"
	done
	for name in .parts log stalls/cells stalls/parts; do
		: >"sweep/$name"
		refused 2 "$name is a file" "$tp" sweep --resume sweep
		rm "sweep/$name"
	done
	mkdir -p sweep/stalls/cells
	ln -s "$PWD" sweep/stalls/cells/vnc-light-0
	refused 2 "a link" "$tp" sweep --resume sweep
	rm sweep/stalls/cells/vnc-light-0
	for filter in '.cells[0].name = "a\u001b[31m"' '.cells[0].name = "../x"' '.cells[0].name = "x\ny"' \
		'.cells[0].name = "x\n"' '.settings.repeats = "x"' '.settings.repeats = 1e9' '.settings.repeats = 0.5' \
		'.settings.repeats = 1e-400' '[]'; do
		jq "$filter" "$GOOD/run.json" >sweep/stalls/run.json
		refused 2 stalls/run.json "$tp" sweep --resume sweep --list
	done
	rm sweep/stalls/run.json
	refused 2 stalls/run.json "$tp" sweep --resume sweep --list
	[ ! -e ran ]
}

@test "sweep --resume: a damaged file of what was measured is named, and the run is not reported on" {
	mkdir -p sweep/stalls/cells/vnc-light-0 sweep/stalls/parts
	printf 'experiment stalls\nprotocol vnc\nloads 0\n' >sweep/sweep
	cp -r "$GOOD/cells/vnc-light-0/1" sweep/stalls/cells/vnc-light-0/
	for words in '{' '[]' '{"lab": {"missing": 1}, "protocols": "x", "started": 2}'; do
		jq '.cells |= .[:1] | .settings.repeats = 1' "$GOOD/run.json" >sweep/stalls/run.json
		echo "$words" >sweep/stalls/parts/x.json
		run -3 --separate-stderr "$tp" sweep --resume sweep
		# shellcheck disable=SC2154 # set by run
		[[ ${#stderr_lines[@]} = 1 && $stderr == *stalls/parts* ]]
		jq -e .experiment sweep/stalls/run.json
	done
}

@test "ab --resume: options are printed without control characters; what is no run is named" {
	mkdir ab
	cp -r "$GOOD" ab/a
	cp -r "$GOOD" ab/b
	printf 'schema\tstart\tpair\tvariant\tcell\tmetric\tvalue\tn\tbetter\tflag\n' >ab/blocks.tsv
	jq -n '{experiment: "stalls", both: "", a: {options: "\u001b]0;x\u0007", server: "", client: ""}, b: {options: "", server: "",
		client: ""}, settings: {effect: "10%", metrics: "", pairs: 1, alpha_percent: 5, seed: 1}, starts: 0, measured_s: 0}' >ab/ab.json
	run "$tp" ab --resume ab --budget 1s
	[[ $status = 1 && $output == *"A: ?]0;x?"* ]]
	run -1 grep -q '[[:cntrl:]]' <<<"$output"
	echo '[]' >ab/a/run.json
	run -1 "$tp" ab --resume ab
	[[ ${#lines[@]} = 1 && $output == *a/run.json* ]]
}

@test "ab: the page of a comparison, with names and units of a stranger" {
	mkdir ab
	cp -r "$GOOD" ab/a
	cp -r "$GOOD" ab/b
	: >ab/blocks.tsv
	jq -n --arg x "$bad" '{experiment: $x, both: $x, chosen: $x, a: {options: $x, server: "", client: ""},
		b: {options: "", server: "", client: ""}, settings: {effect: $x, pairs: 1, alpha_percent: 5}, starts: 2, measured_s: 60}' \
		>ab/ab.json
	jq -n --arg x "$bad" '{cell: $x, metric: $x, unit: $x, change_unit: $x, verdict: "worse", a: 1, b: 2, change: 1, low: 0.5,
		high: 1.5, effect: 0.1, pairs: 2, differences: [0.9, 1.1]} as $m | {result: {verdict: "worse", blocks: 4,
		metrics_decided: [$m, $m], plan: [], one_sided: [], too_few: [], open: 0}}' >ab/verdict.json
	run -0 "$TOP/bin/ab" page ab
	[ -s ab/figures/differences.svg ]
	run -1 grep '<script>' ab/report.html
	grep -q "Content-Security-Policy.*script-src 'none'" ab/report.html
	jq --arg x "$bad" '.starts = $x' ab/ab.json >new
	mv new ab/ab.json
	run -1 "$TOP/bin/ab" page ab
	[ ! -e ran ]
}

@test "completion: a run folder whose name the shell would read is not offered" {
	mkdir "x\$(touch ran)" x-good
	touch {"x\$(touch ran)",x-good}/run.json
	"$tp" completion >completion
	run -0 bash -c '. ./completion; COMP_WORDS=(thinprobe report x) COMP_CWORD=2; _thinprobe; printf "%s\n" "${COMPREPLY[@]}"'
	[ "$output" = x-good ]
}
