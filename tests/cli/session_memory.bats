#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Logins in memory: the figures of a made-up run against closed formulas, the words and the page made of them, and the driver's own words.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	REPORT=$TOP/report
	export HOME=$BATS_TEST_TMPDIR THINPROBE_STATE=$BATS_TEST_TMPDIR/state
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Pages of 4 KB; repeat r, N logins:
#   vnc.light     each login: Xvnc 1000 + 10 r pages private dirty, 3 of them in swap; bash 100 pages. Private clean: 20 pages if alone, else none.
#                 PSS: what is private and 500 pages of libraries, shared by all logins. Charged: 50 pages more a login.
#   vnc.typical   as of light, and two panels of 200 pages each, and 30 of dbus
# The machine has 10000 pages in use without a login, and the lab needs 7 for each.
make_run() {
	local system r folder
	rm -rf run
	mkdir -p run
	jq -n '{schema: "thinprobe.run/1", experiment: "session-memory", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run session-memory",
		settings: {protocol: "vnc", protocols: ["vnc"], kinds: ["light", "typical"], logins: [1, 2, 5, 10], systems: [{system: "vnc.light", protocol: "vnc", kind: "light"}, {system: "vnc.typical", protocol: "vnc", kind: "typical"}],
			absent: [{system: "rdp", why: "xrdp is missing; thinprobe setup --protocol rdp"}], repeats: 3, seed: 1, on: "lab"},
		protocols: {vnc: {says: "VNC (Xvnc 1.12, 60 frames/s)"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, rootless: false, missing: []}, host: {kernel: "Linux 6.1"}, cells: {total: 6, complete: 6}}' >run/run.json
	for system in vnc.light vnc.typical; do
		for r in 1 2 3; do
			folder=run/cells/$system-010/$r
			mkdir -p "$folder"
			echo '{"schema": "thinprobe.cell/1", "state": "complete", "marked": "", "foreign_percent": 0, "steal_percent": 0}' >"$folder/cell.json"
			awk -v typical="$([ $system = vnc.typical ] && echo 1)" -v r="$r" -v samples="$folder/samples.tsv" -v machine="$folder/machine.tsv" '
				function p(name, class, dirty, swap, clean, pss) { printf "login-memory/1\t%d\t%d\t%s\t%s\t1\t1\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", n, l, name, class, dirty * 4096, swap * 4096, clean * 4096, pss * 4096, 0, 9 * 4096, 0, 2 * 4096 >samples; all += dirty + swap }
				BEGIN {
					print "schema\tlogins\tlogin\tname\tclass\tpid\tthreads\tprivate_dirty_bytes\tswap_bytes\tprivate_clean_bytes\tpss_bytes\tswap_pss_bytes\tshared_bytes\trss_bytes\tpage_tables_bytes" >samples
					print "schema\tlogins\tused_bytes\tprocesses_bytes\tkernel_bytes\tfile_cache_bytes\tavailable_bytes\ttotal_bytes\tlab_bytes\tgroup_used_bytes\tgroup_anonymous_bytes\tgroup_shared_memory_bytes\tgroup_kernel_bytes\tgroup_file_cache_bytes\tgroup_swap_bytes" >machine
					split("0 1 2 5 10", steps, " ")
					for (s = 1; s <= 5; s++) {
						n = steps[s]; all = 0
						for (l = 1; l <= n; l++) {
							p("Xvnc", "display", 997 + 10 * r, 3, (n == 1 ? 20 : 0), 997 + 10 * r + 500 / n)
							p("bash", "terminal", 100, 0, 0, 100)
							if (typical) { p("panel", "desktop", 200, 0, 0, 200); p("panel", "desktop", 200, 0, 0, 200); p("dbus-daemon", "services", 30, 0, 0, 30) }
						}
						group = n ? (all + 50 * n) * 4096 : ""
						printf "memory/1\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t%d\t%s\t\t%s\t%s\t%s\t\n", n, (10000 + all + 57 * n) * 4096, 5000 * 4096, 2000 * 4096, 1, 1, 1000000 * 4096, 7 * n * 4096, group, (n ? 0 : ""), (n ? 50 * n * 4096 : ""), (n ? 0 : "") >machine
					}
				}'
		done
	done
}

at() {	# at FILE COLUMN NAME=VALUE...: one cell
	local file=$1 column=$2
	shift 2
	awk -F'\t' -v column="$column" -v want="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, w, " "); if (!(column in at)) exit; next }
		{ ok = 1; for (i = 1; i <= n; i++) { split(w[i], kv, "="); if ($at[kv[1]] != kv[2]) ok = 0 } if (ok) print $at[column] }' "run/$file.tsv"
}

pages() {	# pages VALUE PAGES: to the byte
	[ -n "$1" ] || { echo "nothing, not $2 pages"; return 1; }
	awk -v v="$1" -v p="$2" 'BEGIN { d = v - p * 4096; exit !(d <= 1 && d >= -1) }' || { echo "$1, not $2 pages" >&2; return 1; }
}

# Half of a 95 % interval over three repeats that are 1 apart: t(2) / sqrt(3) times their standard deviation, which is 1.
HALF=2.484138

@test "sums of processes, by number of logins; with their intervals" {
	make_run
	"$TOP/bin/summarize" --format json -o out run
	[ "$(jq -c .result out)" = '{"cells_complete":6,"cells_failed":0,"cells_marked":0,"summary_rows":10}' ]
	# 1000 + 10 r and 100 pages, r 1 to 3; ten logins, ten times that
	pages "$(at summary private_bytes system=vnc.light logins=1)" 1120
	pages "$(at summary private_bytes_low system=vnc.light logins=1)" "$(awk -v h=$HALF 'BEGIN { printf "%.6f", 1120 - 10 * h }')"
	pages "$(at summary private_bytes_high system=vnc.light logins=10)" "$(awk -v h=$HALF 'BEGIN { printf "%.6f", 11200 + 100 * h }')"
	pages "$(at summary swap_bytes system=vnc.light logins=5)" 15
	pages "$(at summary private_dirty_bytes system=vnc.light logins=5)" 5585
	pages "$(at summary private_bytes system=vnc.typical logins=2)" 3100
	pages "$(at summary private_clean_bytes system=vnc.typical logins=1)" 20
	pages "$(at summary private_clean_bytes system=vnc.typical logins=2)" 0
	# 500 pages of libraries once, however many there are; swap was no part of the shares
	pages "$(at summary pss_bytes system=vnc.light logins=10)" 11670
	pages "$(at summary group_bytes system=vnc.light logins=5)" 5850
	# the machine less what the lab has; none: as it was
	pages "$(at summary server_bytes system=vnc.light logins=5)" 15850
	pages "$(at summary server_bytes system=vnc.light logins=0)" 10000
	[ "$(at summary processes system=vnc.typical logins=10)" = 50.00 ]
	[ -z "$(at summary group_bytes system=vnc.light logins=0)" ]
}

@test "one more login: the slope of each repeat, its interval, and where the line begins" {
	make_run
	"$TOP/bin/summarize" run
	pages "$(at slope slope_bytes system=vnc.light what=private)" 1120
	pages "$(at slope slope_bytes_low system=vnc.light what=private)" "$(awk -v h=$HALF 'BEGIN { printf "%.6f", 1120 - 10 * h }')"
	pages "$(at slope start_bytes system=vnc.light what=private)" 0
	# the shared pages are where the line begins, and not in the slope
	pages "$(at slope slope_bytes system=vnc.typical what=pss)" 1547
	pages "$(at slope start_bytes system=vnc.typical what=pss)" 500
	pages "$(at slope slope_bytes system=vnc.typical what=group)" 1600
	pages "$(at slope slope_bytes system=vnc.typical what=server)" 1600
	pages "$(at slope start_bytes system=vnc.typical what=server)" 10000
	pages "$(at slope slope_bytes system=vnc.light what=page_tables)" 4
	[ "$(at slope logins_max system=vnc.light what=private)" = 10 ]
}

@test "processes: of one login on average, those of one name together" {
	make_run
	"$TOP/bin/summarize" run
	pages "$(at who private_bytes system=vnc.typical logins=10 name=panel)" 400
	[ "$(at who count system=vnc.typical logins=10 name=panel)" = 2.00 ]
	pages "$(at who private_bytes system=vnc.light logins=5 name=Xvnc)" 1020
	pages "$(at who private_clean_bytes system=vnc.light logins=1 name=Xvnc)" 20
	[ -z "$(at who count system=vnc.light logins=1 name=panel)" ]
	# the largest first
	[ "$(awk -F'\t' '$2 == "vnc.typical" && $3 == 1 { print $4 }' run/who.tsv | paste -sd ' ')" = "Xvnc panel bash dbus-daemon" ]
}

@test "the words and the page" {
	make_run
	"$REPORT/report.sh" run >/dev/null
	run -0 "$REPORT/findings.sh" run
	echo "$output"
	# 1550 and 1120 pages: 6.05 and 4.38 MB
	grep -q '^1\. One more user costs, in private memory (slope from 1 to 10 logins): for a typical login (a light desktop) 6\.05 (5\.96–6\.15) MB over vnc; for a light one (a bare terminal) 4\.38 (4\.28–4\.47) MB over vnc\.$' <<<"$output"
	grep -q 'costs 1\.68 MB more over vnc (1\.4 times as much)' <<<"$output"
	grep -q 'Xvnc with 91 % of the light login over vnc' <<<"$output"
	grep -q '4\.57 MB to a light login over vnc (+0\.20)' <<<"$output"
	# 262144 pages by 1600, 1170
	grep -q '1 GB of memory holds 163 typical logins over vnc and 224 light logins over vnc' <<<"$output" || grep -q '1 GB of memory holds 224 light logins over vnc and 163 typical logins over vnc' <<<"$output"
	grep -q 'without any login this machine has 39\.1 MB in use (of 3\.8 GB' <<<"$output"
	grep -q 'Not on this machine: rdp: xrdp is missing' <<<"$output"
	grep -q '^| Xvnc | display server | 4,080 | 4,080 |$' run/report.md
	grep -q '^| panel (2) | desktop | 1,600 |  |$' run/report.md
	grep -q '^| all |  | 6,200 | 4,480 |$' run/report.md
	run -0 "$REPORT/table.sh" run
	grep -q '^ typical login over vnc  *10  *50  *60\.5  *6\.05 ' <<<"$output"
	for f in logins processes; do grep -q '</svg>' "run/figures/$f.svg"; done
	grep -q 'light login, vnc: 4.38 MB for one more (charged 4.57)' run/figures/logins.svg
	[ "$(grep -c '<figure' run/report.html)" = 2 ]
}

@test "without groups, from one repeat, with a cell that failed: what is not known is not said" {
	make_run
	for r in 2 3; do echo '{"state": "failed", "reason": "a login did not come up"}' >run/cells/vnc.light-010/$r/cell.json; rm -r run/cells/vnc.typical-010/$r; done
	for f in run/cells/*/1/machine.tsv; do awk -F'\t' -v OFS='\t' 'NR > 1 { for (i = 10; i <= 15; i++) $i = "" } { print }' "$f" >new && mv new "$f"; done
	jq '.state = "failed" | .cells = {total: 6, complete: 2, missing: 4}' run/run.json >new && mv new run/run.json
	"$REPORT/report.sh" run >/dev/null
	[ -z "$(at slope slope_bytes system=vnc.light what=group)" ]
	[ -z "$(at slope slope_bytes_low system=vnc.light what=private)" ]
	pages "$(at slope slope_bytes system=vnc.light what=private)" 1110
	run -0 "$REPORT/findings.sh" run
	if grep -q "kernel's own account" <<<"$output"; then return 1; fi
	grep -q 'This run is failed' <<<"$output"
	grep -q 'Indicative: 1 repeat of each cell' <<<"$output"
}

@test "broken files are named" {
	make_run
	sed -i '3s/\t1\t/\tx\t/' run/cells/vnc.light-010/2/samples.tsv
	run -1 "$TOP/bin/summarize" run
	[ "$output" = "summarize: run/cells/vnc.light-010/2/samples.tsv: line 3 cannot be read" ]
	make_run
	sed -i '$d' run/cells/vnc.light-010/2/machine.tsv
	run -1 "$TOP/bin/summarize" run
	[ "$output" = "summarize: run/cells/vnc.light-010/2: machine.tsv lacks a number of logins" ]
}

@test "the driver's words: help, wrong ones in one line" {
	run -0 "$TOP/thinprobe" run session-memory --help
	grep -q -- '--logins N,...' <<<"$output"
	for words in "--logins 0" "--logins 2,2" "--kinds heavy" "--protocol nothing" "--protocol null" "--on ssh:a,b" "--repeat 0"; do
		run "$TOP/experiments/session-memory.sh" $words --options-only
		echo "$words: $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}
