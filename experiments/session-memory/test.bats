#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# session-memory: tables and report of a made-up run against closed formulas; and a short run, interrupted and resumed, whose sums
# are compared with the kernel's account.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/e2e/left
load ../../tests/figures
load ../../tests/warm

setup() {
	begin_test
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
}

# Pages of 4 KB; repeat r, N logins:
#   vnc.light     each login: Xvnc 1000 + 10 r pages private dirty, 3 of them in swap; bash 100 pages. Private clean: 20 pages
#                 if alone, else none. PSS: what is private and 500 pages of libraries, shared by all logins. Charged: 50
#                 pages more a login.
#   vnc.typical   as vnc.light, and two panels of 200 pages each, and dbus with 30
# The machine has 10000 pages in use without a login, and the lab needs 7 for each.
MEMORY='
function row(file, words, values,    i, n, v) {
	n = split(values, v, " ")
	printf "%s", words >file
	for (i = 1; i <= n; i++) printf "\t%s", (v[i] == "-" ? "" : sprintf("%.0f", v[i] * 4096)) >file
	print "" >file
}
function p(name, class, dirty, swap, clean, pss) {
	row(samples, "login-memory/1\t" n "\t" l "\t" name "\t" class "\t1\t1", dirty " " swap " " clean " " pss " 0 9 0 2")
	all += dirty + swap
}
BEGIN {
	gsub(/ /, "\t", process_columns); print process_columns >samples
	gsub(/ /, "\t", machine_columns); print machine_columns >machine
	split("0 1 2 5 10", steps, " ")
	for (s = 1; s <= 5; s++) {
		n = steps[s]; all = 0
		for (l = 1; l <= n; l++) {
			p("Xvnc", "display", 997 + 10 * r, 3, (n == 1 ? 20 : 0), 997 + 10 * r + 500 / n)
			p("bash", "terminal", 100, 0, 0, 100)
			if (!typical) continue
			p("panel", "desktop", 200, 0, 0, 200); p("panel", "desktop", 200, 0, 0, 200); p("dbus-daemon", "services", 30, 0, 0, 30)
		}
		row(machine, "memory/1\t" n, 10000 + all + 57 * n " 5000 2000 1 1 1000000 " 7 * n " " \
			(n ? all + 50 * n " - 0 " 50 * n " 0 -" : "- - - - - -"))
	}
}'

make_run() { once "${#MEMORY}" run made; }
made() {
	local kind r folder
	mkdir -p run
	jq -n '["vnc.light", "vnc.typical"] as $systems
		| {schema: "thinprobe.run/1", experiment: "session-memory", version: "0", started: "2026-11-20T10:00:00Z",
		state: "complete", axes: ["system", "logins"],
		cells: ($systems | map({name: "\(.)-10", parameters: {system: ., logins: 10}})),
		settings: {protocol: "vnc", protocols: ["vnc"], kinds: ["light", "typical"], logins: [1, 2, 5, 10], repeats: 3, seed: 1},
		protocols: {vnc: {says: "VNC (Xvnc 1.12, 60 frames/s)"}}, host: {kernel: "Linux 6.1"},
		lab: {shared_cpus: false, rootless: false, missing: []}}' >run/run.json
	for kind in light typical; do
		for r in 1 2 3; do
			folder=run/cells/vnc.$kind-10/$r
			mkdir -p "$folder"
			echo '{"schema": "thinprobe.cell/1", "state": "complete", "marked": ""}' >"$folder/cell.json"
			awk -v typical="$([ $kind = typical ] &&
				echo 1)" -v r="$r" -v samples="$folder/samples.tsv" -v machine="$folder/machine.tsv" \
				-v process_columns="schema $PROCESS_COLUMNS" -v machine_columns="schema $MACHINE_COLUMNS" "$MEMORY"
		done
	done
}
PROCESS_COLUMNS="logins login name class pid threads private_dirty_bytes swap_bytes private_clean_bytes pss_bytes"
PROCESS_COLUMNS+=" swap_pss_bytes shared_bytes rss_bytes page_tables_bytes"
MACHINE_COLUMNS="logins used_bytes processes_bytes kernel_bytes file_cache_bytes available_bytes total_bytes lab_bytes"
MACHINE_COLUMNS+=" group_used_bytes group_anonymous_bytes group_shared_memory_bytes group_kernel_bytes group_file_cache_bytes"
MACHINE_COLUMNS+=" group_swap_bytes"

of() { field "run/$1.tsv" "${@:2}"; }	# of FILE COLUMN NAME=VALUE...: one cell

pages() {	# pages VALUE FORMULA: to the byte
	[ -n "$1" ] || { echo "nothing, not $2 pages"; return 1; }
	awk -v v="$1" "BEGIN { d = v - ($2) * 4096; exit !(d <= 1 && d >= -1) }" || { echo "$1, not $2 pages" >&2; return 1; }
}

NEAR=0.0011

# Half of the 95 % interval of three repeats that are 1 apart: t(2) / sqrt(3) times their standard deviation, which is 1.
HALF=2.484138

@test "session-memory: summary.tsv: sums over processes by number of logins, with intervals" {
	make_run
	warm summarize --format json -o out run
	jq -e '.result | [.cells, .cells_complete, .cells_failed, .cells_marked, .summary_rows] == [2, 6, 0, 0, 10]' out
	# a login has 1000 + 10 r and 100 pages, r = 1, 2, 3; ten logins have ten times as much
	pages "$(of summary private_bytes system=vnc.light logins=1)" 1120
	pages "$(of summary private_bytes_low system=vnc.light logins=1)" "1120 - 10 * $HALF"
	pages "$(of summary private_bytes_high system=vnc.light logins=10)" "11200 + 100 * $HALF"
	near "$(of summary private_mb system=vnc.light logins=10)" "11200 / 256"
	near "$(of summary each_mb system=vnc.light logins=10)" "1120 / 256"
	pages "$(of summary swap_bytes system=vnc.light logins=5)" 15
	pages "$(of summary private_dirty_bytes system=vnc.light logins=5)" 5585
	pages "$(of summary private_bytes system=vnc.typical logins=2)" 3100
	pages "$(of summary private_clean_bytes system=vnc.typical logins=1)" 20
	pages "$(of summary private_clean_bytes system=vnc.typical logins=2)" 0
	# 500 pages of libraries count once for any number of logins; swap is not in PSS
	pages "$(of summary pss_bytes system=vnc.light logins=10)" 11670
	pages "$(of summary group_bytes system=vnc.light logins=5)" 5850
	# memory of the machine minus the lab's; with no login, the initial value
	pages "$(of summary server_bytes system=vnc.light logins=5)" 15850
	pages "$(of summary server_bytes system=vnc.light logins=0)" 10000
	[ "$(of summary processes system=vnc.typical logins=10)" = 50.00 ]
	[ "$(of summary protocol system=vnc.typical logins=10)" = vnc ]
	[ "$(of summary kind system=vnc.typical logins=10)" = typical ]
	[ -z "$(of summary group_bytes system=vnc.light logins=0)" ]
}

@test "session-memory: slope.tsv: memory of one more login with its interval, and the line's intercept" {
	make_run
	warm summarize run >/dev/null
	pages "$(of slope slope_bytes system=vnc.light what=private)" 1120
	pages "$(of slope slope_bytes_low system=vnc.light what=private)" "1120 - 10 * $HALF"
	pages "$(of slope start_bytes system=vnc.light what=private)" 0
	near "$(of slope slope_mb system=vnc.light what=private)" "1120 / 256"
	# shared pages are in the intercept, not in the slope
	pages "$(of slope slope_bytes system=vnc.typical what=pss)" 1547
	pages "$(of slope start_bytes system=vnc.typical what=pss)" 500
	pages "$(of slope slope_bytes system=vnc.typical what=group)" 1600
	pages "$(of slope slope_bytes system=vnc.typical what=server)" 1600
	pages "$(of slope start_bytes system=vnc.typical what=server)" 10000
	pages "$(of slope slope_bytes system=vnc.light what=page_tables)" 4
	[ "$(of slope logins_max system=vnc.light what=private)" = 10 ]
}

@test "session-memory: no slope where logins from some number on cost much more" {
	MEMORY=${MEMORY/'p("bash"'/'if (l > 5) p("late", "desktop", 5000, 0, 0, 5000)
			p("bash"'}
	make_run
	report_findings run
	[ -z "$(of slope slope_bytes system=vnc.light what=private)" ]
	[ -z "$(of slope start_bytes system=vnc.light what=private)" ]
	[[ $(verdict run) == *"no straight line"* ]]
}

@test "session-memory: who.tsv: memory of an average login by process name, the largest first" {
	make_run
	warm summarize run >/dev/null
	pages "$(of who private_bytes system=vnc.typical logins=10 name=panel)" 400
	[ "$(of who count system=vnc.typical logins=10 name=panel)" = 2.00 ]
	pages "$(of who private_bytes system=vnc.light logins=5 name=Xvnc)" 1020
	pages "$(of who private_clean_bytes system=vnc.light logins=1 name=Xvnc)" 20
	run -1 of who count system=vnc.light logins=1 name=panel
	# the largest first
	[ "$(awk -F'\t' '$2 == "vnc.typical" && $3 == 1 { print $4 }' run/who.tsv |
		paste -sd ' ')" = "Xvnc panel bash dbus-daemon" ]
}

finding() { for key in value low high verdict; do said_json run "[$1]" $key; done | json_text | sed 's/^null$//' | paste -s; }

@test "session-memory: report: findings with their numbers; figures" {
	make_run
	drawn warm report run >/dev/null
	[ "$(ids)" = "cost largest charged shared idle" ]
	# a typical login has 1550 pages, 1600 charged; a light one 1120, 1020 of them Xvnc's
	read -r value low high _ < <(finding cost)
	near "$value" "1550 / 256"
	near "$low" "(1550 - 10 * $HALF) / 256"
	near "$high" "(1550 + 10 * $HALF) / 256"
	read -r value _ < <(finding largest)
	near "$value" "100 * 1020 / 1120"
	read -r value low high verdict < <(finding charged)
	near "$value" "1600 / 256"
	[ "$verdict" = good ]
	# ten times 1120 pages, and 500 that all of them share
	read -r value _ < <(finding shared)
	near "$value" "1167 / 256"
	read -r value _ < <(finding idle)
	near "$value" "10000 / 256"
	for figure in logins processes; do grep -q '</svg>' "run/figures/$figure.svg"; done
	grep -q 'light login, vnc: 4.38 MB for one more (charged 4.57)' run/figures/logins.svg
	# a guest with 512 MB, of which 448 are available
	jq '.empty_server = {memory_bytes: 536870912, unavailable_bytes: 67108864, reserved_bytes: 33554432, available_bytes: 469762048,
		used_bytes: 25165824, processes_bytes: 2097152, accel: "kvm", kernel: "6.1.0"} | .protocols.vnc.display_at = "client"' \
		run/run.json >new
	mv new run/run.json
	report_findings run
	read -r value _ < <(finding idle)
	near "$value" 64
	[ "$(field run/empty.tsv unavailable_bytes memory_bytes=536870912)" = 67108864 ]
	jq -e '.findings[] | select(.id == "idle") | .text
		| test("64.0 MB.* of 512 .*32.0 MB.*24.0 MB.*2.0 MB.* 39.1 MB")' run/findings.json
	# what is there for a display server at the client: 1020 pages of a login
	jq -e '.findings[] | select(.id == "largest") | .text | endswith("on the server: Xvnc (at most 4.0 MB of a login).")' \
		run/findings.json
}

@test "session-memory: report of two runs: logins of both in each figure and table, findings of each" {
	make_run
	warm summarize run
	cp -r run other
	edit_json other/run.json '.empty_server = {memory_bytes: 536870912, unavailable_bytes: 104857600, accel: "kvm", kernel: "7",
		reserved_bytes: 1048576, used_bytes: 1048576, processes_bytes: 1048576}'
	drawn warm report run other -o both --label a,b
	[[ $(ids both) == "cost-a cost-b "* ]]
	[ "$(jq '.findings[] | select(.id == "idle-b") | .value' both/findings.json)" = 100 ]
	[[ $(verdict both) == "a: One more user costs"*"b: One more user costs"* ]]
	grep -qF '>light login, vnc, a: ' both/figures/logins.svg
	grep -qF '>light login, vnc, b: ' both/figures/logins.svg
	[ "$(field both/who.tsv private_kb system=vnc/b.typical logins=1 name=panel)" = \
		"$(field run/who.tsv private_kb system=vnc.typical logins=1 name=panel)" ]
	grep -q '^| vnc/b.light ' both/report.md
}

@test "session-memory: findings: a group charge that does not grow with logins is unsure, and no limit is derived from it" {
	local file
	make_run
	for file in run/cells/*/*/machine.tsv; do
		awk -F'\t' -v OFS='\t' 'NR > 1 && $2 > 0 { $10 = $13 = 1000 } { print }' "$file" >new
		mv new "$file"
	done
	report_findings run
	read -r value _ _ verdict < <(finding charged)
	[ "$value/$verdict" = 0/unsure ]
	said_json run '[charged]' text | tee said
	grep -q 'below private memory.*light login over vnc and typical login over vnc' said
	run -1 grep -q '1 GB' said
}

@test "session-memory: without memory groups, or with one repeat, the unknown figures and intervals are left out" {
	make_run
	for r in 2 3; do
		echo '{"state": "failed", "reason": "a login did not come up"}' >run/cells/vnc.light-10/$r/cell.json
		rm -r run/cells/vnc.typical-10/$r
	done
	for file in run/cells/*/1/machine.tsv; do
		awk -F'\t' -v OFS='\t' 'NR > 1 { for (i = 10; i <= 15; i++) $i = "" } { print }' "$file" >new
		mv new "$file"
	done
	jq '.state = "failed" | .counts = {total: 6, complete: 2, missing: 4}' run/run.json >new
	mv new run/run.json
	report_findings run
	run -1 of slope slope_bytes system=vnc.light what=group
	[ -z "$(of slope slope_bytes_low system=vnc.light what=private)" ]
	pages "$(of slope slope_bytes system=vnc.light what=private)" 1110
	[ "$(ids)" = "cost largest shared idle" ]
}

@test "session-memory: with one number of logins the verdict gives the measured memory, not the cost of one more" {
	local file
	make_run
	jq '.settings.logins = [5]' run/run.json >new
	mv new run/run.json
	for file in run/cells/*/*/{samples,machine}.tsv; do
		awk -F'\t' 'NR == 1 || $2 == 0 || $2 == 5' "$file" >new
		mv new "$file"
	done
	report_findings run
	# 5 times 1120 and 1550 pages of 1/256 MB
	verdict run | tee said
	grep -q '21.9 MB.*5 logins (light login over vnc).*30.3 MB' said
	run -1 grep -q 'No condition\|One more' said
}

@test "session-memory: the legend of a login's processes names the kinds that it has" {
	make_run
	drawn warm report run >/dev/null
	grep -qF '>desktop<' run/figures/processes.svg
	rm -r run/cells/vnc.typical-10
	jq '.cells |= .[:1] | .settings.kinds = ["light"]' run/run.json >new
	mv new run/run.json
	drawn warm report run >/dev/null
	grep -qF '>terminal and shell<' run/figures/processes.svg
	run -1 grep -E '>(desktop|message bus, settings, sshd)<' run/figures/processes.svg
}

@test "session-memory: a damaged file is named" {
	make_run
	sed -i '3s/\t1\t/\tx\t/' run/cells/vnc.light-10/2/samples.tsv
	run -1 warm summarize run
	[ "$output" = "summarize: run/cells/vnc.light-10/2/samples.tsv: line 3 cannot be read" ]
	make_run
	sed -i '$d' run/cells/vnc.light-10/2/machine.tsv
	run -1 warm summarize run
	[[ $output == "summarize: run/cells/vnc.light-10/2/machine.tsv: "* ]]
	make_run
	jq '.settings.logins = [2, 1]' run/run.json >new
	mv new run/run.json
	run -1 warm summarize run
	[[ $output == *"run.json: settings.logins is not in ascending order" ]]
}

groups() {	# the control groups as this experiment names them
	find /sys/fs/cgroup -maxdepth 3 \( -name 'thinprobe-*login-*' -o -name 'thinprobe-sessmem-*' \) 2>/dev/null | sort
}

# bats test_tags=all
@test "session-memory: the guest without logins uses less than its memory, and more than its processes and reserve" {
	local cache=${XDG_CACHE_HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)/.cache}
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	XDG_CACHE_HOME=$cache TMPDIR=$BATS_TEST_TMPDIR "$TOP/thinprobe" run session-memory --protocol vnc --kinds light --logins 1 \
		--repeat 1 -o run >/dev/null 2>&1 3>&-
	jq -e .empty_server run/run.json >/dev/null ||
		skip "$(jq -r '.lab.missing[] | select(test("without logins"))' run/run.json)"
	jq .empty_server run/run.json
	# a Debian kernel and one shell: more than 20 MB, less than a fifth of 512 MB
	jq -e '.empty_server | .memory_bytes == 536870912 and .unavailable_bytes == .memory_bytes - .available_bytes
		and .reserved_bytes > 0 and .used_bytes > .processes_bytes and .processes_bytes > 0
		and .unavailable_bytes > .reserved_bytes + .processes_bytes
		and .unavailable_bytes > 20e6 and .unavailable_bytes < 107e6' run/run.json
	[ -z "$(find . -maxdepth 1 -name 'tp-guest.*')" ]
}

# bats test_tags=all
@test "session-memory: a short run, interrupted and resumed: two logins cost about the same, and nothing is left" {
	for tool in Xvnc xset xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	groups >"$BATS_FILE_TMPDIR/groups.before"
	"$TOP/thinprobe" run session-memory --protocol vnc --kinds light --logins 1,2 --repeat 1 -o run >/dev/null 2>&1 3>&- &
	for _ in $(seq 600); do
		[ -z "$(find run/cells -name 'vnc-vnc.light-1.out' 2>/dev/null)" ] || break
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status $(jq -r .state run/run.json)" = "130 interrupted" ]
	real_run run "$TOP/thinprobe" run session-memory --resume run >out 2>err 3>&-
	cat err
	groups >"$BATS_FILE_TMPDIR/groups.after"
	run_complete run
	for file in summary.tsv slope.tsv who.tsv report.html figures/logins.svg figures/processes.svg; do [ -s "run/$file" ]; done
	for login in 1 2; do
		[ "$(awk -F'\t' -v l="$login" '$2 == 2 && $3 == l && ($5 != "display" || $8 > 1e6) { print $4 ":" $5 }' \
			run/cells/vnc.light-2/1/samples.tsv | sort | paste -sd ' ')" = "Xvnc:display bash:terminal xterm:terminal" ]
	done
	[[ $(jq -r .marked run/cells/vnc.light-2/1/cell.json) != *processes* ]]
	[ "$(cut -f 2 run/cells/vnc.light-2/1/machine.tsv | paste -sd ' ')" = "logins 0 1 2" ]
	awk -v one="$(of summary private_bytes logins=1)" -v two="$(of summary private_bytes logins=2)" 'BEGIN { print one, two
		exit !(one > 2e6 && two > 1.9 * one && two < 2.1 * one) }'
	if groups_left; then return 1; fi
	[ -z "$(find run -name '*.new' -o -name '.report.*' -o -name 'read-*')" ]
	[ -n "$(of summary group_bytes logins=2)" ] || skip "no memory groups here"
	awk -v sum="$(of summary private_bytes logins=2)" -v kernel="$(of summary group_bytes logins=2)" 'BEGIN { print sum, kernel
		exit !(kernel > 0.99 * sum && kernel < 1.25 * sum) }'
}
