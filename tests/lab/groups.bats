#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Control groups and kernel switches of the lab: made when asked for, undone however the driver ends. `W` is the test's own folder
# below /tmp.
# bats file_tags=alone:switches

load world

setup() {
	world setpriv unshare nsenter ip tc ethtool
	mkdir "$W/locks"
}

# Prints everything that a lab may change.
settings() {
	local f
	for f in /proc/sys/kernel/sched_autogroup_enabled /proc/sys/kernel/sched_rt_runtime_us \
		/proc/sys/kernel/sched_rt_period_us /sys/kernel/debug/sched/base_slice_ns; do
		echo "$f $(cat "$f" 2>&1)"
	done
	# only groups of this test's labs: other labs may run
	find /sys/fs/cgroup -maxdepth 3 -name "thinprobe-${id:-none}-*" 2>/dev/null | sort
	cat /sys/fs/cgroup/cpu*/cpu.rt_runtime_us /sys/fs/cgroup/cpu*/cpu.shares /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
}

# A driver that makes all possible changes, starts a process in a group, reports that, and waits.
driver() {
	cat >"$W/driver.sh" <<END
set -u
export LAB_LOCKS=$W/locks LAB_SHARED_CPUS=1 LAB_RUN=$W/run
. $(printf %q "$TOP")/lab/lib.sh
lab_use local
lab_up
echo "\$LAB_ID" >$W/id
lab_group load shares=4096 || { echo "\$LAB_WHY" >$W/no; exit 1; }
lab_group second
echo "\${LAB_GROUPS[load]}" >$W/folder
# another value than it has
lab_switch autogroup \$((1 - \$(cat /proc/sys/kernel/sched_autogroup_enabled))) || echo "\$LAB_WHY" >$W/no-switch
lab_start -G load server child sh -c 'setsid sleep 600 & sleep 600 & echo ready >&2; wait'
lab_ready child 60
echo "\$LAB_UNDO" >$W/undo
touch $W/up
$1
END
}

begin() {
	driver "$1"
	before=$(settings)
	bash "$W/driver.sh" >"$W/out" 2>&1 3>&- &
	pid=$!
	for _ in {1..1800}; do [ ! -e "$W/up" ] && [ ! -e "$W/no" ] && kill -0 "$pid" || break; sleep 0.05; done
	[ ! -e "$W/no" ] || skip "no groups here: $(cat "$W/no")"
	[ -e "$W/up" ] || { cat "$W/out"; return 1; }
	id=$(cat "$W/id")
	during=$(settings)
	# it is there: the group, all of its processes in it, and the switch
	[ -d "$(cat "$W/folder")" ]
	[ "$(grep -c . "$(cat "$W/folder")/cgroup.procs")" -ge 3 ]
	[ "$during" != "$before" ]
	[ -e "$W/no-switch" ] || [ "$(head -n 1 <<<"$during")" != "$(head -n 1 <<<"$before")" ]
}

as_before() {
	local after
	for _ in {1..600}; do
		after=$(settings)
		[ "$after" != "$before" ] || return 0
		sleep 0.1
	done
	diff <(echo "$before") <(echo "$after")
}

@test "groups, switches: as before after a normal end" {
	begin "wait_until 60 test -e $W/seen"
	touch "$W/seen"
	wait "$pid"
	after=$(settings)
	diff <(echo "$before") <(echo "$after")	# at once: lab_down waits for it
	[ -z "$(ls "$W"/locks/undo-* 2>/dev/null)" ]
}

@test "groups, switches: as before after Ctrl-C for the driver's whole process group" {
	driver 'lab_start server long sleep 600; lab_wait $LAB_PID'
	cat >"$W/experiment" <<END
#!/bin/bash
export EXP_KEPT=
. $W/driver.sh
END
	# started like an experiment: keep.sh takes the signal, in a process group of its own
	before=$(settings)
	perl -e 'setpgrp; $SIG{INT} = "DEFAULT"; exec @ARGV' "$TOP/experiments/engine/keep.sh" "$W/experiment" >"$W/out" 2>&1 3>&- &
	pid=$!
	for _ in {1..1800}; do [ ! -e "$W/up" ] && [ ! -e "$W/no" ] && kill -0 "$pid" || break; sleep 0.05; done
	[ ! -e "$W/no" ] || skip "no groups here: $(cat "$W/no")"
	id=$(cat "$W/id")
	[ -d "$(cat "$W/folder")" ]
	kill -INT -- "-$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	as_before
}

@test "groups, switches: as before after kill -9 of the driver" {
	begin 'nap 600'
	kill -9 "$pid"
	as_before
	[ -z "$(ls "$W"/locks/undo-* 2>/dev/null)" ]
}

@test "groups, switches: as before after kill -9 of the driver and its undo process, by lab clean" {
	begin 'nap 600'
	# lab clean does not touch a lab that is up
	LAB_LOCKS="$W/locks" "$TOP/thinprobe" lab clean >"$W/beside"
	[ "$(settings)" = "$during" ]
	kill -9 "$(cat "$W/undo")" "$pid"
	for _ in {1..600}; do [ -s "$(cat "$W/folder")/cgroup.procs" ] || break; sleep 0.05; done
	[ "$(settings)" = "$during" ]
	LAB_LOCKS="$W/locks" "$TOP/thinprobe" lab clean >"$W/clean"
	grep -q "removed group $(cat "$W/folder")" "$W/clean"
	diff <(echo "$before") <(settings)
	[ -z "$(ls "$W"/locks/undo-* 2>/dev/null)" ]
}

@test "groups: a process that is stopped in a group with cpu.idle gets CPU time to end; then the group is idle again" {
	driver '
lab_group quiet idle=1 || { echo "$LAB_WHY" >'"$W"'/no; exit; }
lab_start -G quiet server job sh -c "trap \"cat \$1/cpu.idle; exit\" TERM; echo ready >&2; while :; do sleep 0.05; done" \
	sh "${LAB_GROUPS[quiet]}"
lab_ready job 60
cat "${LAB_GROUPS[quiet]}/cpu.idle"
lab_stop "$LAB_PID"
cat "$LAB_LOG/job.out" "${LAB_GROUPS[quiet]}/cpu.idle"'
	run bash "$W/driver.sh"
	[ ! -e "$W/no" ] || skip "no groups here: $(cat "$W/no")"
	echo "$output"
	[ "$output" = $'1\n0\n1' ]
}

tree_v2() {
	mkdir -p "$W/proc" "$W/tree/user.slice/me" "$W/switches"
	echo "cgroup2 $W/tree cgroup2 rw 0 0" >"$W/proc/mounts"
	echo "0::/user.slice/me" >"$W/proc/cgroup"
	echo "cpuset cpu io" >"$W/tree/cgroup.controllers"
	: >"$W/tree/cgroup.subtree_control"
}

@test "groups: cgroup v2: weight, idle and maximum are set, and the controller is enabled where needed" {
	tree_v2
	{
		printf 'group %s\n' 'a shares=4096 idle=1' 'b shares=1024 quota=25,100ms' 'c shares=10240 quota=50,5ms' \
			'd rt=1' 'e rt_runtime=1000' 'f quota=25' 'last'
		for _ in {1..1200}; do [ ! -d "$W/tree/thinprobe-abcdef-last" ] || break; sleep 0.05; done
		grep -rH . "$W/tree" | sed "s|^$W/tree/||" | sort >"$W/seen"
	} | serve >"$W/answers"	# the writer checks before it ends the input
	cat "$W/seen" "$W/answers"
	[ "$(head -n 1 "$W/answers")" = "ok $W/tree/thinprobe-abcdef-a" ]
	[ "$(sed -n 4p "$W/answers")" = "ok $W/tree/thinprobe-abcdef-d" ]	# no budget for real-time tasks, no need of one
	grep -q '^no .*no real-time budget' "$W/answers"
	grep -q '^no quota=25: want' "$W/answers"
	diff - "$W/seen" <<'END'
cgroup.controllers:cpuset cpu io
cgroup.subtree_control:+cpu
thinprobe-abcdef-a/cpu.idle:1
thinprobe-abcdef-a/cpu.weight:400
thinprobe-abcdef-b/cpu.max:25000 100000
thinprobe-abcdef-b/cpu.weight:100
thinprobe-abcdef-c/cpu.max:2500 5000
thinprobe-abcdef-c/cpu.weight:1000
END
	# undone: in cgroup.subtree_control such a word is a command, not the content
	[ "$(cat "$W/tree/cgroup.subtree_control")" = -cpu ]
	[ -z "$(find "$W/tree" -name 'thinprobe*')" ]
	[ -z "$(ls "$W"/locks/undo-* 2>/dev/null)" ]
}

# (bash evaluates text in arithmetic, and a command in it.)
@test "groups, swap, disks: a request that none of ours is runs nothing and changes nothing" {
	local what bytes n=0
	mkdir -p "$W/proc"
	: >"$W/proc/mounts"
	for what in 'disk own' 'disk file' 'swap file' 'memory server limit=' 'limit server low=' 'group a shares=' 'group a rt_runtime=' \
		'switch swappiness' 'disk-delay' 'disk-takes' 'delay'; do
		for bytes in 'BASHPID[$(touch$IFS'"$W"'/ran)]' '1+BASHPID[`touch$IFS'"$W"'/ran`]' '$(touch' '99999999999999999999' 'x' '-1'; do
			[[ $what == *= ]] || bytes=" $bytes"
			[[ $what != @(switch|d*)* || $bytes != *@(x|1|9) ]] || continue
			echo "$what$bytes"
			n=$((n + 1))
		done
	done >"$W/asked"
	LAB_SWAP_FOLDER=$W serve <"$W/asked" >"$W/answers"
	cat "$W/answers"
	[ ! -e "$W/ran" ]
	[ "$(grep -c '^no ' "$W/answers")" = "$(wc -l <"$W/asked")" ]
}

@test "groups: cgroup v2 without the controller, and a missing switch, are refused with a reason" {
	tree_v2
	echo "memory pids" >"$W/tree/cgroup.controllers"
	echo 7 >"$W/switches/autogroup"
	printf '%s\n' 'group a' 'switch base_slice 5' 'switch autogroup 0' 'switch autogroup 1' | serve >"$W/answers"
	grep -q '^no cgroup v2 has no cpu controller' "$W/answers"
	grep -q '^no this kernel has no .*base_slice' "$W/answers"
	[ "$(grep -c '^ok' "$W/answers")" = 2 ]
	[ "$(cat "$W/switches/autogroup")" = 7 ]	# the first value, however often it was changed
	# while one lab has changed a switch, another may not
	mkdir -p "$W/locks"
	(flock 9; echo 'switch autogroup 0' | serve 9>&-) 9>"$W/locks/switch-autogroup" >"$W/answers"
	grep -q '^no another lab' "$W/answers"
}

@test "groups: a lock file that lab clean removes before it is locked is made again; a held lock is not removed" {
	mkdir "$W/bin"
	cat >"$W/bin/flock" <<-END
		#!/bin/sh
		[ ! -e "$W/locks/switch-autogroup" ] || [ -e "$W/removed" ] || { : >"$W/removed"; rm "$W/locks/switch-autogroup"; }
		exec $(type -P flock) "\$@"
	END
	chmod +x "$W/bin/flock"
	tree_v2
	echo 1 >"$W/switches/autogroup"
	(
		echo 'switch autogroup 0'
		answered 1
		LAB_LOCKS=$W/locks "$TOP/thinprobe" lab clean >"$W/cleaned"
		if flock -n "$W/locks/switch-autogroup" true; then echo free; else echo held; fi >"$W/lock"
	) | PATH=$W/bin:$PATH serve >"$W/answers"
	[ -e "$W/removed" ]
	grep -q '^ok' "$W/answers"
	[ "$(cat "$W/lock")" = held ]
	run grep switch-autogroup "$W/cleaned"
	[ "$status" -eq 1 ]
}

@test "groups: a change that cannot be recorded is not made; the record stays locked when entries are removed" {
	tree_v2
	echo 1 >"$W/switches/autogroup"
	echo cpu >"$W/tree/cgroup.subtree_control"
	serve </dev/null
	# a full disk
	(trap '' XFSZ; ulimit -f 0; printf '%s\n' 'switch autogroup 0' 'group a' | serve 2>/dev/null | cat) | cat >"$W/answers"
	cat "$W/answers"
	[ "$(grep -c "^no .*is the disk full" "$W/answers")" = 2 ]
	[ "$(cat "$W/switches/autogroup")" = 1 ]
	[ -z "$(find "$W/tree" -name 'thinprobe*')" ]
	# a controller that cannot be enabled: recorded, then removed from the record
	: >"$W/answers"	# do not mistake the answers above for the next ones
	rm -f "$W/tree/cgroup.subtree_control"
	mkdir "$W/tree/cgroup.subtree_control"
	{
		printf '%s\n' 'switch autogroup 0' 'group a'
		answered 2
		cat "$W/locks/undo-abcdef" >"$W/record"
		if flock -n "$W/locks/undo-abcdef" true; then echo free; else echo held; fi >"$W/lock"
	} | serve >"$W/answers" 2>/dev/null
	cat "$W/answers" "$W/record"
	[ "$(cat "$W/lock")" = held ]
	[ "$(cat "$W/record")" = "switch autogroup 1" ]
	[ "$(cat "$W/switches/autogroup")" = 1 ]
}
