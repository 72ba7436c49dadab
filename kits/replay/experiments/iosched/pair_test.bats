#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The scheduler of a server's own disk: set for a replay, and set back, also after kill -9 of the driver.
# bats file_tags=all,alone:disk

load ../../../../tests/lab/pair

begin() {
	local name
	[ "$(id -u)" = 0 ] || skip "a disk's scheduler is root's"
	need Xvnc openbox mousepad fio perf
	printf '%s\n' '200 move 400,400' '200 button 3 click' '300 Escape' '200 ctrl+alt+t' '1500 move 107,12' \
		'200 button 1 click' '300 Escape' >"$W/script"
	name=$(readlink -f "$(df --output=source /var/tmp | tail -n 1)") name=${name##*/}
	[ ! -e "/sys/class/block/$name/partition" ] || { name=$(readlink -f "/sys/class/block/$name/..") && name=${name##*/}; }
	FILE=/sys/block/$name/queue/scheduler
	[ -w "$FILE" ] || skip "this kernel does not let a disk's scheduler be changed"
	WAS=$(sed 's/.*\[\(.*\)\].*/\1/' "$FILE")
	OTHER=$(tr -d '[]' <"$FILE" | tr ' ' '\n' | grep -vx -e "$WAS" -e '' | head -n 1)
	[ -n "$OTHER" ] || skip "this kernel offers one scheduler only"
}

@test "iosched: over ssh, the server's own disk has the scheduler asked for, and its own again at the end" {
	begin
	pair_cell iosched --quick --disk file --schedulers "$OTHER" --script "$W/script"
	grep -qF "[$WAS]" "$FILE"
	[ "$(jq '.facts.load_reads_per_s > 0 and (.facts.tau | type) == "number"' "$RUN/cells/$OTHER/1/cell.json")" = true ]
}

@test "iosched: over ssh, after kill -9 of the driver the disk has its own scheduler and no file of ours" {
	begin
	set_now() { grep -qF "[$OTHER]" "$FILE"; }
	back_now() {
		grep -qF "[$WAS]" "$FILE" || return
		[ -z "$(find /var/tmp -maxdepth 1 -name 'thinprobe-disk-??????' -newer "$W/script")" ]
	}
	within() { local n; for ((n = 0; n < $1 * 5; n++)); do ! "$2" || return 0; sleep 0.2; done; return 1; }
	env TMPDIR="$W" THINPROBE_STATE="$W/state" SSHPAIR_APART="$TOP" bash "$TOP/tests/lab/sshpair.sh" run bash -c '
		"$1" run iosched --on ssh:tp-server,tp-client --quick --disk file --schedulers "$2" --script "$3" -o "$4" &
		echo $! >"$3.pid"
		wait
		until [ -e "$3.over" ] || [ ! -e "$3" ]; do sleep 0.2; done' \
		sh "$TOP/thinprobe" "$OTHER" "$W/script" "$RUN" >"$W/out" 2>&1 3>&- &
	pair=$!
	within 200 set_now || { cat "$W/out"; false; }
	# the keeper, and the driver that it has started
	kill -9 "$(cat "$W/script.pid")" $(pgrep -P "$(cat "$W/script.pid")")
	within 60 back_now
	: >"$W/script.over"
	wait "$pair" || true
}
