#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Options, cells, tables and report of a run made by hand (tests/golden/make_starts.py) whose figures follow from a rule; and a
# short run of a terminal under one step of each kind of pressure.
# bats file_tags=alone:swap

load ../../../../tests/e2e/left
load ../families/favour

cells() {	# cells VARIABLE=VALUE...: as exp_cells prints them
	bash -c 'APPS=mousepad,xpdf,netsurf,writer KINDS=used,left SWAPS=file,slow:2.5ms
		USED=16,64,128,256,384,512 LEFT=300,200,150,125,100,75 LOADS=1,5 READS=0,50,100
		STEPS="" WARM=0 COLD=0; . "$1"; shift; for word; do declare "$word"; done; exp_cells | tr "\t" " "' \
		bash "$TOP/kits/apps/experiments/startup/cell.sh" "$@"
}
made_up() { once starts run warm "$TOP/kits/apps/tests/golden/make_starts.py" run; }
# ends_of NUMBER...: of each three the ends of Student's t(2) over their logarithms, 4.3026527 standard errors from the mean
ends_of() {
	printf '%s %s %s\n' "$@" | awk '{
		m = (log($1) + log($2) + log($3)) / 3; s = 0
		for (i = 1; i <= 3; i++) s += (log($i) - m) ^ 2
		g = 4.3026527 * sqrt(s / 2 / 3); printf "%.6f %.6f ", exp(m - g), exp(m + g)
	}'
}
tables() { warm summarize run >/dev/null || [ $? = 3 ]; }

@test "startup: cells: warm starts at every step of every kind and swap device; cold ones without pressure, or as asked for" {
	cells >all
	# 4 applications: warm 1 + 2 kinds x 2 devices x 6 steps, cold 1
	[ "$(wc -l <all)" = $((4 * (25 + 1))) ]
	[ "$(sort all | uniq -d)" = "" ]
	[ "$(grep -c ' none none 0$' all)" = 8 ]
	[ "$(grep -c '^xpdf warm left slow:2.5ms ' all)" = 6 ]
	[ "$(grep '^xpdf cold' all)" = "xpdf cold none none 0" ]
	[ "$(cells WARM=1 APPS=xterm SWAPS=file KINDS=used STEPS=3 | paste -sd ';')" = \
		"xterm warm none none 0;xterm warm used file 16;xterm warm used file 128;xterm warm used file 512" ]
	[ "$(cells COLD=1 APPS=xterm SWAPS=file KINDS=left STEPS=1 |
		paste -sd ';')" = "xterm cold none none 0;xterm cold left file 75" ]
	[ "$(cells COLD=1 WARM=1 APPS=xterm SWAPS=file KINDS=left STEPS=2 | wc -l)" = 6 ]
	# CPU hogs and disk reads need no swap device; warm starts have no cells with disk reads
	[ "$(cells APPS=xterm KINDS=loads,reads STEPS=2 | paste -sd ';')" = "xterm warm none none 0;xterm warm loads none 1;$(
		)xterm warm loads none 5;xterm cold none none 0;xterm cold reads none 0;xterm cold reads none 100" ]
}

@test "startup: exp_stop ends the disk load before it makes the disk fast again, and keeps the load's facts" {
	bash -c '. "$1"; declare -A P=([axis]=reads) LAB_PID_OF=([fio]=1); PRESSURE=fio FACTS={} CELL_MORE={}
		lab_gone() { false; }; last_word() { :; }; fio_end() { echo ends; FACTS="{\"n\": 1}"; }; disk_fast() { echo fast; }
		exp_stop . && echo "$CELL_MORE"' bash "$TOP/kits/apps/experiments/startup/cell.sh" >said
	[ "$(paste -sd ' ' said)" = 'ends fast {"facts":{"n":1}}' ]
}

@test "startup: summary.tsv: T0, added time, e, and late shares, as the formulas say" {
	made_up
	tables
	slow=editor-warm-used-slow-2.5ms
	near "$(row startup_ms cell=editor-warm-none-none-0)" 1000 0.001
	near "$(row t0_ms cell=$slow-100)" 1000 0.001
	near "$(row t0_spread_ms cell=$slow-100)" "$(awk 'BEGIN { print sqrt(400 / 5) }')" 0.001	# 0, 10, -10, 0, 10, -10
	near "$(row startup_ms cell=$slow-100)" 1400 0.001
	near "$(row added_ms cell=$slow-100)" 400 0.001
	# from 1400, 1410, 1390 by t(2) on logarithms, less T0's far end, of the repeats' medians 1000, 1010, 990
	near "$(row added_ms_low cell=$slow-100)" "$(ends_of 1400 1410 1390 1000 1010 990 | awk '{ print $1 - $4 }')" 0.01
	[ "$(row added_ms cell=editor-warm-none-none-0)$(row added_ms_low cell=editor-warm-none-none-0)" = 0.000 ]
	near "$(row file_ms cell=$slow-100)" 400 0.001
	[ -z "$(row file_ms cell=editor-warm-used-file-100)" ]
	near "$(row e cell=$slow-100)" 0.75 0.0001		# (400 - 100) / 400
	near "$(row e cell=$slow-200)" 0.7619 0.0001		# (420 - 100) / 420
	# late: over the threshold (two of six starts without pressure), or at the ceiling
	edit_json() { jq "$2" "$1" >x && mv x "$1"; }
	edit_json run/run.json '.settings.threshold_ms = 1000'
	tables
	near "$(row late_percent cell=editor-warm-none-none-0)" 33.33 0.01
	near "$(row late_percent cell=$slow-100)" 100 0.01
	edit_json run/run.json '.settings.threshold_ms = 22000'
	tables
	near "$(row late_percent cell=$slow-100)" 0 0.01
	near "$(row late_percent cell=editor-warm-left-slow-2.5ms-25)" 66.67 0.01
	# no e beside a hog that goes on: T_IO includes the hog's requests
	[ "$(row e cell=editor-warm-left-slow-2.5ms-50)" = "" ]
	# beside CPU hogs, T0 is that without hogs; beside disk reads, that on the same disk without reads
	near "$(row added_ms cell=editor-warm-loads-none-4)" 4000 0.001
	near "$(row t0_ms cell=editor-cold-reads-none-100)" 3000 0.001
	near "$(row added_ms cell=editor-cold-reads-none-100)" 6000 0.001
	near "$(row reads_per_s cell=editor-cold-reads-none-100)" 98 0.001
	# 20 ms more is less than three times the spread of 8.9
	[ "$(row e cell=editor-warm-used-file-100)" = "" ]
	# a start at the ceiling stays in: the median of 20, 25 and more than 30 s
	near "$(row startup_ms cell=editor-warm-left-slow-2.5ms-25)" 25000 0.001
	[ "$(row ceiling cell=editor-warm-left-slow-2.5ms-25)" = 1 ]
	# what broke is no figure
	[ "$(for name in broken failed runs; do row $name cell=browser-warm-used-file-100; done | paste -sd ' ')" = "1 1 1" ]
	# six starts in three repeats, and three
	near "$(row startup_ms_low cell=editor-warm-none-none-0)" "$(ends_of 1000 1010 990 | cut -d ' ' -f 1)" 0.01
	near "$(row startup_ms_low cell=browser-cold-none-none-0)" "$(ends_of 6000 6010 5990 | cut -d ' ' -f 1)" 0.01
	# a figure for each event; steps on the way are none
	[ "$(cut -f 8 run/events.tsv | sort -u | paste -sd ' ')" = "File/Open a key event" ]
	awk -F'\t' '$2 == "editor-warm-left-slow-2.5ms-25" && $8 == "File/Open" && $9 == 2 && $11 == 800 { found = 1 }
		END { exit !found }' run/events.tsv
}

# A tree that is counted by hand.
hand_made_menus() {
	printf 'schema\tapplication\tnode\tparent\tdepth\tkind\tname\tpath\tshortcut\tchildren\tplace\tparent_place\n'
	sed 's/ *| */\t/g; s/^/menus\/1\teditor\t/' <<-'END'
		0 |   | 0 | application | editor  |              |        | 3 | 3.5 |
		1 | 0 | 1 | menu        | File    | File         |        | 3 | 2   | 3.5
		2 | 1 | 2 | event       | Open... | File/Open    | ctrl+o | 0 | 1   | 2
		3 | 1 | 2 | menu        | Recent  | File/Recent  |        | 0 | 2   | 2
		4 | 1 | 2 | event       | Save As | File/Save As |        | 0 | 3   | 2
		5 | 0 | 1 | menu        | Edit    | Edit         |        | 1 | 4   | 3.5
		6 | 5 | 2 | event       | Seek    | Edit/Seek    | ctrl+f | 0 | 4   | 4
		7 | 0 | 1 | menu        | View    | View         |        | 1 | 5.5 | 3.5
		8 | 7 | 2 | menu        | Zoom    | View/Zoom    |        | 2 | 5.5 | 5.5
		9 | 8 | 3 | event       | In      | View/Zoom/In |        | 0 | 5   | 5.5
		10 | 8 | 3 | event      | Out     | View/Zoom/Out |       | 0 | 6   | 5.5
	END
}

@test "startup: report: findings with their numbers, tables, menus, figures" {
	made_up
	hand_made_menus >run/menus.tsv
	bash -c '. "$1" && menus_sum run' bash "$TOP/kits/apps/experiments/startup/menus.sh"
	drawn warm report run
	[ "$(found swap-in-use '[.value, .unit, .verdict]')" = '[1.42,"times","none"]' ]
	[ "$(found memory-left '[.value, .verdict]')" = '[25,"bad"]' ]
	# one start of browser has no interval
	[ "$(found e '[.value, .from, .to]')" = '[null,0.75,1]' ]
	[[ $(found e .text) == *"less than half of that of editor"*"cannot tell for browser"* ]]
	[ "$(found felt '[.value, .unit, .verdict]')" = '[25,"s","bad"]' ]
	[ "$(found file '[.value, .unit]')" = '[0.525,"times"]' ]		# 420 / 800
	[ "$(found cpu-load '[.value, .verdict]')" = '[5,"bad"]' ]
	[ "$(found disk-load '[.value, .verdict]')" = '[3,"bad"]' ]
	# U_ah: the start exceeds its class's 1 s; opening a file takes 0.8 s
	[ "$(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["event"] " " $at["high"] }' \
		run/felt.tsv |
		sort | paste -sd ';')" = "File/Open 0;start 1" ]
	# (1.7 + 1.35 + 25 - (1.7 + 1.35 + 1))^2
	awk -F'\t' '$2 == "editor" && $3 == "start" && $(NF - 4) == 576 { found = 1 } END { exit !found }' run/felt.tsv
	awk -F'\t' '$2 == "editor" && $5 == 14568 && $7 == 42000000 && $9 == 1000 { found = 1 } END { exit !found }' \
		run/applications.tsv
	# five events in five menus; entries: root 3, File 3, Edit 1, View 1, Zoom 2, two on average; paths of 2, 2, 2, 3, 3 steps;
	# two events have keys
	[ "$(tail -n 1 run/models.tsv)" = $'menu-model/1\teditor\t5\t5\t3\t3\t2\t2\t2.4\t2\t4\t2' ]
	# Edit/Find is in no menu; start and key need none; names match in any case
	[ "$(cut -f 2,4,7,8,11 run/profiles.tsv | tail -n +2 | tr '\t' ' ' | paste -sd ';')" = "one start no menu  1;$(
		)one File/Open menu File/Open 1;one a key no menu  0;two File/Open menu File/Open 1;two start no menu  1;two Edit/Find none  0" ]
	[ "$(found menus '[.value, .unit]')" = '[5,"events"]' ]
	[[ $(found menus .text) == *"Edit/Find in editor"* ]]
	for f in menu-tree menu-shape memory-{browser,editor} start-{loads,reads} file-time e; do
		grep -q "id=\"figure-$f\"" run/report.html
	done
	run -1 grep -E '(src|href)="http' run/report.html
}

@test "startup: an idle hog in swap is not read back, unless a start reads more at the last step" {
	local f
	made_up
	drawn warm report run
	[[ $(found swap-in-use .text) == *"reads twice as much"* ]]
	near "$(row swap_in_mb_high cell=editor-warm-used-file-200)" 4 0.001
	# a panel for each kind of pressure
	[ "$(grep -o '>read from swap, and written<' run/figures/memory-editor.svg | wc -l)" = 2 ]
	for f in run/cells/editor-warm-used-file-200/*/startup.json; do
		jq '.result.runs[0].swap_in_bytes = 12e6' "$f" >x
		mv x "$f"
	done
	warm report run
	text=$(found swap-in-use .text)
	[[ -n $text && $text != *"reads twice as much"* ]]
}

@test "startup: report of two runs: a curve of each for each device, with its own T0; menus and applications of both" {
	made_up
	hand_made_menus >run/menus.tsv
	tables
	cp -r run other
	drawn warm report run other -o both --label a,b
	for name in a b; do
		grep -qF ">swap: 2.5 ms a read, $name<" both/figures/memory-editor.svg
		grep -qF ">editor/$name<" both/figures/menu-tree.svg
		[[ $(verdict both) == *"$name: Under memory pressure"* ]]
		grep -q "^|.*2.5 ms a read/$name " both/report.md
		grep -q "^| $name | editor " both/report.md
	done
	[ "$(jq '.findings[] | select(.id == "swap-in-use-b") | .value' both/findings.json)" = \
		"$(warm report run --json | jq '.findings[] | select(.id == "swap-in-use") | .value')" ]
}

@test "startup: menus.sh finds every entry of a program with known menus, and leaves no process" {
	for tool in Xvfb dbus-run-session; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	[ -e /usr/share/dbus-1/services/org.a11y.Bus.service ] || skip "no AT-SPI or GTK for python3"
	/usr/bin/python3 -c 'import gi; gi.require_version("Atspi", "2.0"); gi.require_version("Gtk", "3.0")' 2>/dev/null ||
		skip "no AT-SPI or GTK for python3"
	cat >known.py <<-'PYTHON'
		import gi
		gi.require_version('Gtk', '3.0')
		from gi.repository import Gtk
		keys = Gtk.AccelGroup()
		def menu(into, name, *entries):
		    item, below = Gtk.MenuItem(label=name), Gtk.Menu()
		    item.set_submenu(below)
		    for entry in entries:
		        if isinstance(entry, tuple): menu(below, *entry)
		        else: below.append(Gtk.MenuItem(label=entry) if entry else Gtk.SeparatorMenuItem())
		    into.append(item)
		    return below.get_children()
		bar = Gtk.MenuBar()
		first = menu(bar, 'File', 'Open…', 'Save As...', None, ('Recent', 'one', 'in/out'))[0]
		first.add_accelerator('activate', keys, *Gtk.accelerator_parse('<Control>o'), Gtk.AccelFlags.VISIBLE)
		menu(bar, 'Edit', 'Find')
		window = Gtk.Window()
		window.add_accel_group(keys)
		window.add(bar)
		window.show_all()
		Gtk.main()
	PYTHON
	Xvfb -displayfd 3 -screen 0 640x480x24 3>display 2>/dev/null &
	xvfb=$!
	for _ in {1..1200}; do [ ! -s display ] || break; sleep 0.05; done
	env -u DISPLAY -u NO_AT_BRIDGE MARK="walk-$$" timeout 300 dbus-run-session -- \
		/usr/bin/python3 "$TOP/kits/apps/experiments/startup/menus.py" known \
		":$(cat display)" menus.tsv /usr/bin/python3 known.py >out 2>err 3>&- || { cat err; kill "$xvfb"; false; }
	# not grep's status: it is 2 where a process ends while grep reads, though another one matched
	none() { grep -lzsx "MARK=walk-$$" /proc/[0-9]*/environ >left || true; [ ! -s left ]; }
	status=0
	soon none || status=1
	kill "$xvfb"
	[ $status = 0 ] || { while IFS= read -r file; do tr '\0' ' ' <"${file%/environ}/cmdline"; done <left; false; }
	cat >expected <<-'END'
		0|application|||2
		1|menu|File||3
		2|event|File/Open|ctrl+o|0
		2|event|File/Save As||0
		2|menu|File/Recent||2
		3|event|File/Recent/one||0
		3|event|File/Recent/in|out||0
		1|menu|Edit||1
		2|event|Edit/Find||0
	END
	cut -f 5,6,8,9,10 menus.tsv | tail -n +2 | tr '\t' '|' | diff expected -
}

@test "startup: a run without a complete cell says so; a cell name that leads out of the folder is refused" {
	made_up
	tables
	jq '.cells[0].name = "../../etc"' run/run.json >new
	cp run/run.json old
	mv new run/run.json
	run -1 warm summarize run
	[[ $output == *"no valid name of a cell: ../../etc"* ]]
	jq 'del(.cells[1].parameters.app)' old >run/run.json
	run -1 warm summarize run
	[[ $output == *"a cell without app"* ]]
	mv old run/run.json
	find run/cells -name cell.json -exec sed -i 's/"complete"/"failed"/' {} +
	run -1 warm summarize run
	[ "$(cut -f 2 run/felt.tsv 2>/dev/null | wc -l)" -le 1 ]
	warm report --findings run | grep -q 'no findings yet'
}

# bats test_tags=all
@test "startup: a short run: the pressure is as asked for; mapped and painted come before stable; nothing is left" {
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	export BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR
	groups >groups.before
	drawn real_run run "$TOP/thinprobe" run startup --app xterm --warm --used 16 --left 100 --loads 2 --reads 0,50 --disk slow:1ms \
		--swap file --server-memory 192M --swap-size 256M --repeat 1 --ceiling 10 -o run >out 2>err 3>&-
	groups >groups.after
	[ "$status" != 4 ] || skip "$(tail -n 1 err)"
	cat out err
	run_complete run
	for f in summary.tsv events.tsv runs.tsv report.html figures/memory-xterm.svg; do [ -s "run/$f" ]; done
	jq -e '.applications.xterm | .program_bytes > 1e5 and .rss_bytes > 1e6 and .anonymous_bytes > 1e5 and .files > 10' \
		run/run.json
	of() { jq -r "$2" "run/cells/xterm-warm-$1/1/$3.json"; }
	# 16 MB of the hog were in swap before the start; others' pages may be there, too
	of used-file-16 .memory.swap_used_bytes cell | awk '{ ok = $1 >= 16e6 && $1 < 200e6 } END { exit !ok }'
	# `left 100`: about the memory that the application has at rest
	awk -v left="$(of left-file-100 .memory.left_bytes cell)" -v rss="$(jq .applications.xterm.rss_bytes run/run.json)" \
		'BEGIN { exit !(left > rss / 2 && left < rss * 1.5 + 8e6) }'
	[ ! -e run/cells/xterm-warm-none-none-0/1/memhog.json ]
	[ "$(of left-file-100 '.result.touched_bytes > 0' memhog)" = true ]
	for c in none-none-0 used-file-16 left-file-100; do
		[ "$(of "$c" '[.result.runs[] | select(.state == "stable") | .mapped_ms > 0 and .mapped_ms <= .stable_ms
			and .first_paint_ms <= .stable_ms] | unique | first' startup)" = true ]
	done
	[ "$(of none-none-0 '[.result.runs | length, .[1].events[0].name] | @tsv' startup)" = "2	a key" ]
	# a file of 16 MiB was written, faster than 100 GB/s and slower than 100 kB/s
	[ "$(of used-file-16 '.file_ms > 0.16 and .file_ms < 160000' cell)" = true ]
	[ "$(of loads-none-2 .state cell)" = complete ]
	awk -F'\t' '$8 == "a key" { n++ } END { exit !(n >= 1) }' run/events.tsv
	if groups_left; then return 1; fi
	usable run
	if command -v fio >/dev/null; then
		[ "$(jq '.facts.load_reads_per_s > 0 and .facts.load_reads_per_s < 65' \
			run/cells/xterm-cold-reads-none-50/1/cell.json)" = true ]
		# from a disk of its own, with a millisecond for each request
		[ "$(row startup_ms cell=xterm-cold-reads-none-0 | cut -d. -f1)" -gt "$(row startup_ms cell=xterm-warm-none-none-0 |
			cut -d. -f1)" ]
	fi
}

@test "startup: a start that never ended is a lower bound in verdict, findings, tables and figure" {
	local n f
	made_up
	drawn warm report run
	run -1 grep -q 'later than that' run/figures/file-time.svg
	for f in run/cells/editor-warm-used-slow-2.5ms-200/*/startup.json; do
		jq '.result.runs[0] |= (.state = "ceiling" | .stable_ms = null)' "$f" >x
		mv x "$f"
	done
	drawn warm report run
	grep -q 'later than that' run/figures/file-time.svg
	# two of three starts had no window yet when they were given up
	made_up
	for n in 1 2; do
		f=run/cells/editor-warm-left-slow-2.5ms-25/$n/startup.json
		jq '.result.runs[0] |= (.state = "no_window" | .stable_ms = null | .mapped_ms = null | .first_paint_ms = null | .events = [])' \
			$f >x
		mv x $f
	done
	warm report run
	verdict run | grep -q 'more than 30.0 s'
	[ "$(row late_percent cell=editor-warm-left-slow-2.5ms-25)" = 100.00 ]
	# tables and findings mark it as a bound
	[ "$(row added_ms cell=editor-warm-left-slow-2.5ms-25)/$(row added_ms_above cell=editor-warm-left-slow-2.5ms-25)" = 29000.000/1 ]
	[ "$(found felt '[.value, .above]')" = '[30,true]' ]
	[[ $(found felt .text) == *"more than 30.0 s (without pressure 1.0 s)"*"more than 841.0 s"* ]]
	[ "$(grep -c '>30000\|>841' run/report.md)" -ge 2 ]
}

@test "startup: findings: the interval of a multiple of T0 includes the scatter of T0; with an uncertain T0 it is unsure" {
	local n
	made_up
	words
	# T0: 1000 1010 990, twice each; beside 4 CPU hogs: 5000 5010 4990
	read -r low high < <(ends_of 5000 5010 4990 1000 1010 990 | awk '{ print $1 / $4, $2 / $3 }')
	near "$(found cpu-load .low)" "$low" 0.001
	near "$(found cpu-load .high)" "$high" 0.001
	for n in 1 2 3; do	# starts without pressure take 1, 3 or 9 s, or a single one was measured
		jq --argjson n "$n" '.result.runs |= map(.stable_ms = ([1000, 3000, 9000][$n - 1]))' \
			"run/cells/editor-warm-none-none-0/$n/startup.json" >x
		mv x "run/cells/editor-warm-none-none-0/$n/startup.json"
	done
	words
	[ "$(found cpu-load .verdict)" = '"unsure"' ]
	[[ $(found memory-left .text) == *"twice T0 at no step"* ]]
	made_up
	rm -r run/cells/editor-warm-none-none-0/[23]
	jq 'del(.result.runs[1])' run/cells/editor-warm-none-none-0/1/startup.json >x
	mv x run/cells/editor-warm-none-none-0/1/startup.json
	words
	[ "$(found cpu-load '[.value, .low, .verdict]')" = '[5,null,"unsure"]' ]
	[ "$(found memory-left .verdict)" = '"unsure"' ]
	verdict run | grep -q 'no interval'
	jq '.result.runs |= map(.state = "no_window" | .stable_ms = null)' run/cells/editor-warm-none-none-0/1/startup.json >x
	mv x run/cells/editor-warm-none-none-0/1/startup.json
	words
	[ "$(row startup_ms_above cell=editor-warm-none-none-0)/$(row t0_ms cell=editor-warm-loads-none-4)" = 1/ ]
	[ -z "$(found cpu-load .value)" ]
}

@test "startup: --profile refuses a pipe and a missing file in one line" {
	local file
	mkfifo pipe
	for file in "pipe: not a regular file" "none: no such file"; do
		run --separate-stderr timeout 20 "$TOP/experiments/engine/run.sh" startup --profile "${file%%:*}" --options-only
		echo "$status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"--profile $file"* ]]
	done
}
