#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The startup experiment without its hosts: options, cells, the models by their formula, and the report of a run made by hand (golden/make_starts.py)
# whose figures follow from a rule.

bats_require_minimum_version 1.5.0

setup_file() {
	local top
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	python3 "$top/tests/golden/make_starts.py" "$BATS_FILE_TMPDIR/run"
	"$top/report/report.sh" "$BATS_FILE_TMPDIR/run" >/dev/null
}

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

driver() { "$TOP/experiments/startup.sh" --options-only "$@"; }
# what the driver calls CELLS with these options: its functions without its run
cells() {
	sed '/^# The run ---/,$d; /^\. .*\/lab\/home.sh"/d; /^\. "\$TP_HOME\/experiments\/lib.sh"/d; /^\. "\$TP_HOME\/experiments\/pressure.sh"/d' "$TOP/experiments/startup.sh" >"$BATS_TEST_TMPDIR/functions.sh"
	bash -c '. "$1"; shift; PROTOCOL=vnc SEED=1; for word; do eval "$word"; done; choose_cells; printf "%s\n" "${CELLS[@]}"' bash "$BATS_TEST_TMPDIR/functions.sh" "$@"
}
row() { awk -F'\t' -v cell="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["cell"] == cell { print $at[name] }' run/summary.tsv; }
near() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= by && -d <= by) }' || { echo "$1 is not $2"; return 1; }; }
model() { jq -nc -L "$TOP/report" "include \"startup/model\"; {key: 0.28, point: 1.1, button: 0.1, home: 0.4, mental: 1.35} as \$t | $1"; }
hand_made() { cp -r "$BATS_FILE_TMPDIR/run" run; }

@test "what cannot be asked for is refused before anything is installed or started" {
	for words in "--app nosuch" "--app mousepad,mousepad" "--axis sideways" "--steps 0" "--used 16,x" "--left 100,0" "--swap floppy" "--swap slow" "--repeat 0" "--ceiling 1" "--server-memory lots" \
		"--beta x" "--tolerance -1" "--profile /nowhere" "--protocol null" "--nonsense"; do
		# shellcheck disable=SC2086 # words
		run -2 driver $words
		[ "${#lines[@]}" = 1 ]
		[[ ${lines[0]} == thinprobe:* ]]
	done
	printf 'a\tb\n' >profile.tsv
	run -2 driver --profile profile.tsv
	[[ $output == *"schema menu/1"* ]]
	driver --app writer,xpdf --axis left --steps 2 --swap zram,slow:10ms --cold --warm --repeat 2 --quick
}

@test "cells: all steps of both axes on every device, once without pressure; of cold ones that, but where they are asked for" {
	cells >all
	# 4 applications: warm 1 + 2 axes x 2 devices x 6 steps, cold 1
	[ "$(wc -l <all)" = $((4 * (25 + 1))) ]
	[ "$(sort all | uniq -d)" = "" ]
	[ "$(grep -c ' none 0 none$' all)" = 8 ]
	[ "$(grep -c '^xpdf warm left .* slow:2.5ms$' all)" = 6 ]
	grep -qx 'xpdf warm left 75 file' all
	[ "$(grep '^xpdf cold' all)" = "xpdf cold none 0 none" ]
	[ "$(cells WARM=1 APPS=xterm SWAPS=file AXES=used STEPS=3 | paste -sd ';')" = "xterm warm none 0 none;xterm warm used 16 file;xterm warm used 128 file;xterm warm used 512 file" ]
	[ "$(cells COLD=1 APPS=xterm SWAPS=file AXES=left STEPS=1 | paste -sd ';')" = "xterm cold none 0 none;xterm cold left 75 file" ]
	[ "$(cells COLD=1 WARM=1 APPS=xterm SWAPS=file AXES=left STEPS=2 | wc -l)" = 6 ]
}

@test "the way to an event: its shortcut's keys, or the hand to the mouse and a target and a click for each level" {
	[ "$(model '{path: "File/Open", shortcut: "ctrl+o"} | t_index($t)')" = 0.56 ]
	[ "$(model '{path: "a key", shortcut: "a"} | t_index($t)')" = 0.28 ]
	[ "$(model '{path: "zoom", shortcut: "+"} | keys')" = 1 ]
	near "$(model '{path: "File/Open/document", shortcut: ""} | t_index($t)')" 4.3 1e-9	# 0.4 + 3 x (1.1 + 0.2)
	near "$(model '{path: "start"} | t_index($t)')" 1.7 1e-9
	near "$(model '{path: "start"} | t_total($t; 12)')" 15.05 1e-9		# 1.7 + 1.35 + 12
	near "$(model '{path: "start"} | t_expected($t; 2)')" 5.05 1e-9
}

@test "what is felt: nothing up to T, (T_total - T)^beta beyond" {
	[ "$(model 't_user(5; 5; 2), t_user(4.9; 5; 2), t_user(8; 5; 2), t_user(8; 5; 1)' | paste -sd ' ')" = "0 0 9 3" ]
	near "$(model 't_user(9; 5; 1.5)')" 8 1e-9
	[ "$(model 't_user(6; 5; 0)')" = 1 ]
}

@test "events common to all classes of users, their counts together" {
	run -0 model '[{events: [{application: "a", path: "x", count: 1, shortcut: "F1"}, {application: "a", path: "y", count: 5, shortcut: ""}, {application: "b", path: "x", count: 7, shortcut: ""}]},
		{events: [{application: "a", path: "x", count: 2, shortcut: ""}, {application: "a", path: "y", count: 3, shortcut: ""}]}, {events: [{application: "a", path: "y", count: 1}, {application: "a", path: "x", count: 4, shortcut: "F1"}]}]
		| common_events | map("\(.application) \(.path) \(.count) \(.shortcut)")'
	[ "$output" = '["a x 7 ","a y 9 "]' ]	# who knows no shortcut goes through the menu
	[ "$(model '[] | common_events')" = '[]' ]
}

@test "T0, what is added, and e of a run made by hand" {
	hand_made
	slow=editor.warm.slow-2.5ms
	near "$(row editor.warm.none.none-000 startup_ms)" 1000 0.001
	near "$(row $slow.used-100 t0_ms)" 1000 0.001
	near "$(row $slow.used-100 t0_spread_ms)" "$(awk 'BEGIN { print sqrt(400 / 5) }')" 0.001	# twice 0, 10, -10
	near "$(row $slow.used-100 startup_ms)" 1400 0.001
	near "$(row $slow.used-100 e)" 0.75 0.0001		# (400 - 100) / 400
	near "$(row $slow.used-200 e)" 0.7619 0.0001		# (420 - 100) / 420
	# beside a hog that goes on, T_IO is the hog's too
	[ "$(row $slow.left-050 e)" = "" ]
	# 20 ms more is not over three times 8.9
	[ "$(row editor.warm.file.used-100 e)" = "" ]
	# a start at the ceiling stays in: the median of 20, 25 and more than 30 s
	near "$(row $slow.left-025 startup_ms)" 25000 0.001
	[ "$(row $slow.left-025 ceiling)" = 1 ]
	# what broke is no figure
	[ "$(row browser.warm.file.used-100 broken) $(row browser.warm.file.used-100 failed) $(row browser.warm.file.used-100 runs)" = "1 1 1" ]
	# Student's t over the logarithms of six: 2.5705818 standard errors; of three, 4.3026527
	near "$(row editor.warm.none.none-000 startup_ms_low)" "$(awk 'BEGIN { split("1000 1010 990 1000 1010 990", x, " "); for (i in x) m += log(x[i]) / 6
		for (i in x) s += (log(x[i]) - m)^2 / 5; print exp(m - 2.5705818 * sqrt(s / 6)) }')" 0.01
	near "$(row browser.cold.none.none-000 startup_ms_low)" "$(awk 'BEGIN { a = log(6000); b = log(6010); c = log(5990); m = (a + b + c) / 3
		s = sqrt(((a - m)^2 + (b - m)^2 + (c - m)^2) / 2); print exp(m - 4.3026527 * s / sqrt(3)) }')" 0.01
}

@test "what follows a start: a figure for each event, steps on the way are none" {
	hand_made
	[ "$(cut -f 8 run/events.tsv | sort -u | paste -sd ' ')" = "File/Open a key event" ]
	awk -F'\t' '$2 == "editor.warm.slow-2.5ms.left-025" && $8 == "File/Open" && $9 == 2 && $11 == 800 { found = 1 } END { exit !found }' run/events.tsv
}

@test "findings and table say so" {
	hand_made
	"$TOP/report/findings.sh" run >findings
	"$TOP/report/table.sh" run >table
	cat findings table
	grep -q 'editor is ready after 1.0 s and browser is ready after 2.0 s' findings
	grep -q 'on 2.5 ms a read start-up is 1.4 times T0 at 100 MB in swap and 1.4 times at 200 MB: at the last step at most 1.0 times as long as at the first' findings
	grep -q 'editor takes over twice T0 from 50 % on, 25 times at 25 %' findings
	grep -q 'e, from 0 to 1; .*2.5 ms a read: 0.75 to 0.76 (2 cells)' findings
	grep -Eq '(^| to )8.0 times as long .*the most for editor, File/Open: 800 ms' findings
	# (1.7 + 1.35 + 25 - (1.7 + 1.35 + 1))^2
	grep -q 'starting editor (25 s) and File › Open in editor (800 ms); felt, with a wait of 1 s tolerated and β = 2: 576.0 s, 0.0 s' findings
	grep -Eq '^ +2.5 ms a read +1.40 +1.42 +10.00 +25.00$' table
	grep -Eq '^ editor +fast file +1.00 +1.02 +1.02' table
}

@test "a page with all figures, that stands by itself" {
	hand_made
	for f in start-used start-left file-time e; do
		[ -s "run/figures/$f.svg" ]
		grep -q "id=\"figure-$f\"" run/report.html
	done
	grep -q '^| editor 1.0 | editor | 15 | 90.0 | 42.0 | 12.0 | 1.00' run/report.md
	grep -q 'browser, warm, used 100 MB on file: 1 repeat not measured' run/report.md
	if grep -E '(src|href)="http' run/report.html; then return 1; fi
	# again from the samples, the same
	cp run/summary.tsv before
	"$TOP/report/report.sh" run
	cmp before run/summary.tsv
}

@test "a run of which nothing came says so" {
	hand_made
	find run/cells -name startup.json -delete
	find run/cells -name cell.json -exec sed -i 's/"complete"/"failed"/' {} +
	"$TOP/bin/summarize" run >/dev/null 2>err || status=$?
	[ "$status" = 1 ]
	"$TOP/report/findings.sh" run | grep -q 'there is nothing to say yet'
}

@test "a name that leads out of the folder is refused" {
	hand_made
	jq '.settings.cells[0].cell = "../../etc"' run/run.json >new && mv new run/run.json
	run -1 "$TOP/bin/summarize" run
	[[ $output == *"settings.cells cannot be read"* ]]
}
