#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The experiment from end to end on the emulated hosts, small: its figures against tshark and other sources than thinprobe.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/experiments/*}
	export RUN="$BATS_FILE_TMPDIR/a run"	# a path with a space, below /tmp
	cd /
	real_run "$RUN" "$TOP/thinprobe" run stalls --quick --loads 0,4 --time 2 --repeat 1 --idle 1 \
		--keep-captures -o "$RUN" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err"
	echo "$status" >"$BATS_FILE_TMPDIR/status"
}

folder_of() { echo "$(cell_of "$RUN" app="$1" sinks="$2")/$3"; }	# folder_of APP SINKS REPEAT

@test "stalls: the run is complete, with tables, report and figures" {
	cat "$BATS_FILE_TMPDIR/err"
	run_complete "$RUN" "$(cat "$BATS_FILE_TMPDIR/status")"
	[ "$(jq -c '[.axes, (.cells | length), .counts.complete]' "$RUN/run.json")" = '[["protocol","app","sinks"],4,4]' ]
	for f in summary.tsv cdf.tsv report.md report.html; do [ -s "$RUN/$f" ]; done
	for f in late-share mean-stall jitter latency-cdf; do grep -q '</svg>' "$RUN/figures/$f.svg"; done
}

@test "stalls: it prints the table, the verdict and the path of the report" {
	grep -qE '^  4  ' "$BATS_FILE_TMPDIR/out"
	[ "$(finding "$RUN" late-light unit)" = % ]
	[ "$(finding "$RUN" late-heavy unit)" = % ]
	grep -qF "$(jq -r '.verdict | .[:60]' "$RUN/findings.json")" "$BATS_FILE_TMPDIR/out"
	grep -qF "$RUN/report.html" "$BATS_FILE_TMPDIR/out"
	usable "$RUN"
	grep -qE '^    late [0-9].* %, median .*[0-9].* ms$' "$BATS_FILE_TMPDIR/out"	# the line of a cell
}

@test "stalls: without load every due key is sent, and every answered one has a latency" {
	k=$(folder_of heavy 0 1)/keyrepeat.json
	jq -e '.result | .keys_due >= 30 and .keys_due == .keys_sent and .keys_answered > 0
		and .keys_answered == .latency_from_due_ms.n' "$k"
}

@test "stalls: summary.tsv has the mean stall by fair sharing beside the measured one" {
	# 10 ms x 5 - 50 ms: at the edge of saturation
	[[ $(field "$RUN/summary.tsv" fair_stall_ms app=heavy sinks=4) =~ ^-?0(\.0+)?$ ]]
	usable "$RUN"
	[[ $(field "$RUN/summary.tsv" mean_stall_ms app=heavy sinks=4) =~ ^-?[0-9.]+$ ]]
}

@test "stalls: packets and payload of the capture are those that tshark counts" {
	command -v tshark || skip "tshark is not installed"
	cell=$(folder_of heavy 0 1)
	port=$(jq -r '.settings.ports // empty' "$cell/prototap.json" | tr -dc '0-9')
	[ -n "$port" ] || port=$(tshark -r "$cell/capture.pcap" -T fields -e tcp.srcport 2>/dev/null |
		sort | uniq -c | sort -rn | awk '$2 < 32768 { print $2; exit }')
	read -r packets payload < <(tshark -r "$cell/capture.pcap" -Y "tcp.srcport == $port" -T fields -e tcp.len 2>/dev/null |
		awk '{ n++; s += $1 } END { print n, s }')
	# the live report and a report on the capture file have the same figures
	[ "$(jq '.result.channels.display.packets' "$cell/prototap.json")" = "$packets" ]
	# tshark's payload includes retransmitted bytes, which a busy machine may have
	[ "$(jq '.result.channels.display | .payload_bytes + .retransmitted_bytes' "$cell/prototap.json")" = "$payload" ]
	run --separate-stderr "$TOP/bin/prototap" read "$cell/capture.pcap" --port "$port" --format json
	[ "$status" = 0 ]
	[ "$(jq '.result.channels.display.packets' <<<"$output")" = "$packets" ]
	[ "$(jq '.result.updates.count' <<<"$output")" = "$(jq '.result.updates.count' "$cell/prototap.json")" ]
}

@test "stalls: the CPU hogs ran in the session's scheduling group, as asked for" {
	cell=$(folder_of heavy 4 1)/cell.json
	jq -e '.autogroup | .session != null and .session == .sinks' "$cell"
}

@test "stalls: the report is one file without references to the network" {
	run -1 grep -oE '(src|href)="https?://.{30}' "$RUN/report.html"
	grep -q '<svg' "$RUN/report.html"
}

# bats test_tags=all
@test "stalls: an ordinary user without sudo gets a complete run" {
	[ "$(id -u)" = 0 ] || skip "this is an ordinary user already: the tests above were it"
	setpriv --reuid 12345 --regid 12345 --clear-groups unshare --user --map-root-user --net true 2>/dev/null ||
		skip "this machine forbids user namespaces"
	setpriv --reuid 12345 --regid 12345 --clear-groups test -x "$TOP/thinprobe" ||
		skip "the checkout is not readable for others"
	run="$BATS_TEST_TMPDIR/user"
	mkdir "$run"
	chown 12345:12345 "$run"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null
	real_run "$run/r" setpriv --reuid 12345 --regid 12345 --clear-groups env HOME="$run" "$TOP/thinprobe" run stalls \
		--quick --loads 0 --time 3 --repeat 1 --idle 1 -o "$run/r" 3>&-
	cat "$run"/r/log/*.err || :
	run_complete "$run/r"
	[ "$(jq -r .lab.rootless "$run/r/run.json")" = true ]
}

# bats test_tags=all
@test "stalls --app grouped: vim and the CPU hogs are in one cpu group of the kernel, which is gone after the run" {
	need_cgroup() { grep -qE '^cgroup2? .*[ ,](cpu|cgroup2)[ ,]' /proc/mounts && [ "$(id -u)" = 0 ]; }
	need_cgroup || skip "groups of the scheduler need root"
	run=$BATS_TEST_TMPDIR/grouped
	LAB_SHARED_CPUS=1 real_run "$run" "$TOP/thinprobe" run stalls --app grouped --quick --repeat 1 --time 2 --loads 2 \
		--idle 1 -o "$run" 2>"$run.err" 3>&-
	cat "$run.err"
	[ "$status" != 4 ] || skip "$(tail -n 1 "$run.err")"
	run_complete "$run"
	jq -r '.autogroup | .app, .sinks' "$(cell_of "$run" app=grouped)/1/cell.json" | sed 's/.* cgroup=//' | sort -u >groups
	[ "$(wc -l <groups)" = 1 ]
	[[ $(cat groups) == */thinprobe-*-grouped ]]
	[ "$(field "$run/summary.tsv" same_group app=grouped)" = 1 ]
	[ -z "$(find /sys/fs/cgroup -type d -path "*$(cat groups)" 2>/dev/null)" ]
}

# bats test_tags=all
@test "stalls --modes hold: a short run without load is complete, and has about 20 keys a second of a held key" {
	run=$BATS_TEST_TMPDIR/held
	LAB_SHARED_CPUS=1 real_run "$run" "$TOP/thinprobe" run stalls --modes hold --quick --repeat 1 --time 3 --app light \
		--loads 0 --idle 1 -o "$run" 2>"$run.err" 3>&-
	cat "$run.err"
	[ "$status" != 4 ] || skip "$(tail -n 1 "$run.err")"
	run_complete "$run"
	usable "$run"
	[ "$(field "$run/summary.tsv" keys app=light)" -ge 50 ]
	[ "$(field "$run/summary.tsv" keys app=light)" -le 65 ]
	[ -s "$run/figures/mean-stall.svg" ]
}
