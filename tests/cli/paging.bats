#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The paging experiment without its hosts: options, tables and report of a made-up run whose figures follow from arithmetic, and copies
# of programs that nobody else maps.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

# cell NAME REPEAT MEMORY OUT STATE: four runs in memory, MEMORY + 0, 1, 2, 3 ms, and four in STATE, OUT + 0, 10, 20, 90 ms.
# Editor and terminal: 100 and 300 KB of anonymous memory, 95 and 98 % of it in swap where they are paged out.
cell() {
	local p
	IFS=. read -ra p <<<"$1"
	mkdir -p "run/cells/$1/$2"
	jq -n --arg protocol "${p[0]}" --arg swap "${p[1]/-/:}" --arg session "${p[2]}" --arg method "${p[3]}" --argjson repeat "$2" \
		'{schema: "thinprobe.cell/1", parameters: {protocol: $protocol, swap: $swap, session: $session, method: $method}, repeat: $repeat, state: "complete", reason: "", marked: ""}' >"run/cells/$1/$2/cell.json"
	jq -n --argjson memory "$3" --argjson out "$4" --arg state "$5" '
		def process($pid; $kb; $percent; $major): {pid: $pid, name: "p\($pid)", swap_bytes: ($kb * 1024 * $percent / 100 | floor), anonymous_private_bytes: ($kb * 1024), evicted_percent: $percent,
			file_resident_bytes: ($pid * 1048576), file_mapped_by_others_bytes: 524288, major_faults: $major, minor_faults: 5};
		{settings: {timeout_s: 5}, result: {runs: [(0, 1, 2, 3) as $i | {state: "in_memory", first_key_ms: ($memory + $i), second_key_ms: 4, swap_in_bytes: 0, processes: [process(1; 100; 0; 0), process(2; 300; 0; 0)]},
			{state: $state, why: (if $state == "not_evicted" then "too much of it was still in memory" else null end), second_key_ms: 6, swap_in_bytes: (4096 * $i),
			first_key_ms: (if $state == "not_evicted" then null else $out + [0, 10, 20, 90][$i] end), refaulted_read_percent: (80 + $i), processes: (if $state == "paged_out" then [process(1; 100; 95; 10 + $i), process(2; 300; 98; 20)] else [process(1; 100; 40; 0), process(2; 300; 50; 1)] end)}]}}' >"run/cells/$1/$2/pagein.json"
}

make_run() {
	rm -rf run
	mkdir -p run
	printf '%s\n' "$@" | jq -Rn '[inputs | . as $cell | split(".") | {cell: $cell, protocol: .[0], swap: (.[1] | sub("-"; ":")), session: .[2], method: .[3]}] as $cells |
		{schema: "thinprobe.run/1", experiment: "paging", version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run paging",
		settings: {protocol: "vnc", protocols: ["vnc"], swaps: ["file", "slow:2ms"], methods: ["hog", "cgroup"], sessions: ["plain", "locked"], cells: $cells, runs: 4, repeats: 2, seed: 1, server_memory: "256M", threshold_ms: 100, on: "lab"},
		protocols: {vnc: {says: "VNC"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, missing: ["method damon: this kernel | has none"]}, host: {kernel: "Linux 6.1"}, cells: {total: 8, complete: 8}}' >run/run.json
}

column() {	# column CELL NAME
	awk -F'\t' -v c="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["cell"] == c { print $at[name]; exit }' run/summary.tsv
}

@test "paging: bad options name the thing, cost nothing and exit 2" {
	for words in '--swap disk' '--swap slow:2' '--swap file,file' '--methods nosuch' '--sessions other' '--runs 0' '--server-memory 5' '--private-copies --sessions plain' '--protocol null' '--on ssh:a,b' '--resume nowhere'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$TOP/thinprobe" run paging $words -o "$BATS_TEST_TMPDIR/x"
		echo "$words: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ ! -e "$BATS_TEST_TMPDIR/x" ]
	done
}

@test "paging: least, mean, most and median over the runs of all repeats; residency, faults; what was not evicted is apart" {
	make_run vnc.file.plain.hog vnc.slow-2ms.plain.hog
	cell vnc.file.plain.hog 1 1 100 paged_out
	cell vnc.file.plain.hog 2 2 300 paged_out
	cell vnc.slow-2ms.plain.hog 1 1 100 not_evicted
	mkdir -p run/cells/vnc.slow-2ms.plain.hog/2	# and one that was interrupted
	run "$TOP/bin/summarize" run
	[ "$status" = 3 ]
	# in memory 1 2 3 4 2 3 4 5; paged out 100 110 120 190 300 310 320 390
	[ "$(column vnc.file.plain.hog in_memory_n)" = 8 ]
	[ "$(column vnc.file.plain.hog in_memory_mean_ms)" = 3.000 ]
	[ "$(column vnc.file.plain.hog paged_out_min_ms)" = 100.000 ]
	[ "$(column vnc.file.plain.hog paged_out_mean_ms)" = 230.000 ]
	[ "$(column vnc.file.plain.hog paged_out_p50_ms)" = 245.000 ]
	[ "$(column vnc.file.plain.hog paged_out_max_ms)" = 390.000 ]
	[ "$(column vnc.file.plain.hog second_paged_out_p50_ms)" = 6.000 ]
	# Student's t on logarithms, 7 degrees of freedom: 2.36462 (tables)
	want=$(awk 'BEGIN { n = split("100 110 120 190 300 310 320 390", v, " "); for (i = 1; i <= n; i++) { s += log(v[i]); q += log(v[i]) ^ 2 }
		m = s / n; sd = sqrt((q - n * m * m) / (n - 1)); printf "%.1f %.1f", exp(m - 2.36462 * sd / sqrt(n)), exp(m + 2.36462 * sd / sqrt(n)) }')
	got=$(printf '%.1f %.1f' "$(column vnc.file.plain.hog paged_out_p50_ms_low)" "$(column vnc.file.plain.hog paged_out_p50_ms_high)")
	echo "$want / $got"
	[ "$got" = "$want" ]
	[ "$(column vnc.file.plain.hog evicted_percent_min)" = 95.0 ]
	[ "$(column vnc.file.plain.hog major_faults_min)" = 10 ]
	[ "$(column vnc.file.plain.hog major_faults)" = 31.5 ]
	[ "$(column vnc.file.plain.hog file_resident_bytes)" = 3145728 ]
	[ "$(column vnc.file.plain.hog anonymous_bytes)" = 409600 ]
	[ "$(column vnc.file.plain.hog swap_in_bytes)" = 6144 ]
	[ "$(column vnc.file.plain.hog not_evicted)" = 0 ]
	[ "$(column vnc.slow-2ms.plain.hog not_evicted)" = 4 ]
	[ -z "$(column vnc.slow-2ms.plain.hog paged_out_p50_ms)" ]
	[ -z "$(column vnc.slow-2ms.plain.hog kept_p50_ms)" ]
	[ "$(column vnc.slow-2ms.plain.hog not_evicted_percent_min)" = 40.0 ]
	[ "$(column vnc.slow-2ms.plain.hog why)" = "too much of it was still in memory" ]
	[ "$(column vnc.file.plain.hog read_percent)" = 81.5 ]
	[ "$(column vnc.slow-2ms.plain.hog failed)" = 1 ]
	[ "$(awk 'NR > 1' run/runs.tsv | wc -l)" = 24 ]
}

@test "paging: a key without an echo stays in as later than; a state that nobody knows is refused" {
	make_run vnc.file.plain.hog
	cell vnc.file.plain.hog 1 1 100 paged_out
	cell vnc.file.plain.hog 2 1 100 paged_out
	jq '.result.runs[7] |= (.first_key_ms = null)' run/cells/vnc.file.plain.hog/1/pagein.json >p && mv p run/cells/vnc.file.plain.hog/1/pagein.json
	"$TOP/bin/summarize" run >/dev/null
	[ "$(column vnc.file.plain.hog paged_out_above)" = 1 ]
	[ "$(column vnc.file.plain.hog paged_out_max_ms)" = 5000.000 ]
	[ "$(column vnc.file.plain.hog paged_out_p50_ms)" = 115.000 ]
	jq '.result.runs[7].state = "asleep"' run/cells/vnc.file.plain.hog/1/pagein.json >p && mv p run/cells/vnc.file.plain.hog/1/pagein.json
	run --separate-stderr "$TOP/bin/summarize" run
	[ "$status" = 1 ]
	[[ $stderr == *"a run of unknown state"* ]]
	# a name that leads elsewhere
	jq '.settings.cells[0].cell = "../x"' run/run.json >p && mv p run/run.json
	run "$TOP/bin/summarize" run
	[ "$status" = 1 ]
}

@test "paging: the report: table as in the paper, findings, figure; protected sessions are a figure though not evicted" {
	make_run vnc.file.plain.hog vnc.slow-2ms.plain.hog vnc.slow-2ms.plain.cgroup vnc.slow-2ms.locked.hog
	for r in 1 2; do
		cell vnc.file.plain.hog $r 1 20 paged_out
		cell vnc.slow-2ms.plain.hog $r 1 400 paged_out
		cell vnc.slow-2ms.plain.cgroup $r 1 700 not_evicted
		cell vnc.slow-2ms.locked.hog $r 1 2 kept
	done
	run --separate-stderr "$TOP/thinprobe" report run
	echo "$stderr"
	[ "$status" = 0 ]
	grep -q '>vnc, 2ms a read, locked, hog<' run/figures/first-key.svg
	[ ! -e run/figures/timeline.svg ]
	run "$TOP/report/findings.sh" run
	echo "$output"
	[[ $output == *"vnc, paged out by another process that fills the server's memory: the first key takes on a swap file 35.0 ms (median; 20.0 ms to 110 ms); on a device of 2 ms a read 415 ms (median; 400 ms to 490 ms)."* ]]
	[[ $output == *"vnc, protected, under the same pressure that makes an unprotected session take 415 ms: locked in memory: 17.0 ms, at most 92.0 ms."* ]]
	[[ $output == *"at least 95.0 % of the private anonymous memory"*"at least 10 major faults"* ]]
	[[ $output == *"Not evicted, and so in no figure: vnc, swap on 2 ms a read, cgroup in 8 of 8 runs."* ]]
	[[ $output == *"Not on this machine: method damon;"* ]]
	run "$TOP/report/table.sh" run
	echo "$output"
	[[ $output == *" vnc, swap on 2 ms a read, hog"*"1.0 / 2.5 / 4.0"*"400 / 430 / 490"*"415"* ]]
	grep -qF '| vnc, swap on file, hog | 1.0 | 2.5 | 4.0 |' run/report.md
	grep -qF 'method damon: this kernel | has none' run/report.md
}

@test "paging: a copied program runs with libraries that nobody else maps, under its own name" {
	for tool in xterm ldd; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	"$TOP/lab/local/copies.sh" "$BATS_TEST_TMPDIR/co pies" sleep
	"$BATS_TEST_TMPDIR/co pies/bin/sleep" 60 3>&- &
	pid=$!
	for _ in $(seq 200); do grep -q libc "/proc/$pid/maps" && [ "$(cat "/proc/$pid/comm")" = sleep ] && break; sleep 0.02; done
	[ "$(cat "/proc/$pid/comm")" = sleep ]
	[[ $(tr '\0' ' ' <"/proc/$pid/cmdline") == "sleep "*" 60 " ]]
	if awk '$6 ~ /^\// && $6 ~ /\.so|sleep/ { $1 = $2 = $3 = $4 = $5 = ""; print }' "/proc/$pid/maps" | grep -v '/co pies/' ; then kill "$pid"; return 1; fi
	kill "$pid"
	wait "$pid" || :
	run --separate-stderr "$TOP/lab/local/copies.sh" "$BATS_TEST_TMPDIR/x" no-such-program
	[ "$status" = 1 ]
	[[ $stderr == "copies: no-such-program is not installed" ]]
	printf '#!/bin/sh\n' >script && chmod +x script
	PATH=$PWD:$PATH run --separate-stderr "$TOP/lab/local/copies.sh" "$BATS_TEST_TMPDIR/x" script
	[ "$status" = 1 ]
}

# A tree with the files that DAMON's has for one scheme.
damon_tree() {
	local k=damon/0/contexts/0 f
	for f in nr_kdamonds 0/state 0/contexts/nr_contexts; do mkdir -p "$(dirname "damon/$f")"; : >"damon/$f"; done
	for f in operations monitoring_attrs/intervals/{sample_us,aggr_us,update_us} targets/nr_targets targets/0/regions/nr_regions targets/0/regions/{0,1}/{start,end} schemes/nr_schemes \
		schemes/0/action schemes/0/access_pattern/{sz,nr_accesses,age}/{min,max} schemes/0/ops_filters/nr_filters schemes/0/ops_filters/0/{type,memcg_path,matching,allow}; do
		mkdir -p "$(dirname "$k/$f")"
		: >"$k/$f"
	done
	echo 0 >damon/nr_kdamonds
	mkdir -p "groups/a lab.server" proc
	printf 'cgroup %s/groups cgroup rw,memory 0 0\n' "$PWD" >proc/mounts
	printf '00001000-00001fff : Reserved\n00002000-00002fff : System RAM\n  00002100-000021ff : Kernel code\n100000000-1ffffffff : System RAM\n' >iomem
	echo 'total_rss 1000' >"groups/a lab.server/memory.stat"
	export LAB_DAMON=$PWD/damon LAB_PROC=$PWD/proc LAB_IOMEM=$PWD/iomem
}

@test "paging: DAMON is told to page out that group alone, and is ended when who told it is killed; one in use is left alone" {
	damon_tree
	"$TOP/lab/local/damon.sh" "$PWD/groups/a lab.server" 2>said 3>&- &
	pid=$!
	for _ in $(seq 200); do [ "$(cat damon/0/state)" = on ] && break; sleep 0.02; done
	[ "$(cat damon/0/state)" = on ]
	k=damon/0/contexts/0
	[ "$(cat damon/nr_kdamonds $k/operations $k/schemes/0/action | tr '\n' ' ')" = "1 paddr pageout " ]
	[ "$(cat $k/targets/0/regions/{nr_regions,0/start,0/end,1/start,1/end} | tr '\n' ' ')" = "2 8192 12288 4294967296 8589934592 " ]
	[ "$(cat $k/schemes/0/ops_filters/{nr_filters,0/type,0/memcg_path,0/matching,0/allow} | tr '\n' ' ')" = "1 memcg /a lab.server N N " ]
	[ ! -s said ]
	echo 'total_rss 10' >"groups/a lab.server/memory.stat"
	for _ in $(seq 200); do grep -q ready said && break; sleep 0.02; done
	grep -qx ready said
	kill -KILL "$pid"
	wait "$pid" || :
	for _ in $(seq 200); do [ "$(cat damon/nr_kdamonds)" = 0 ] && break; sleep 0.02; done
	[ "$(cat damon/0/state damon/nr_kdamonds | tr '\n' ' ')" = "off 0 " ]
	# somebody else's
	echo 1 >damon/nr_kdamonds
	run --separate-stderr "$TOP/lab/local/damon.sh" "$PWD/groups/a lab.server"
	[ "$status" = 4 ]
	[[ $stderr == "damon: DAMON is in use: "* ]]
	[ "$(cat damon/0/state damon/nr_kdamonds | tr '\n' ' ')" = "off 1 " ]
}
