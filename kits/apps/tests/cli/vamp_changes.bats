#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What vamp changes while an episode lasts, by CPU time and in /proc, and that all is as before, however it ends.
# (build/tests/vamp/episodes is its code without a cause: see kits/apps/tests/unit/vamp/episodes.c.)
bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	renice -n 0 -p $$ $BASHPID >/dev/null 2>&1 || true	# nice values are compared with 0
	need taskset
	EPISODES=$TOP/build/tests/vamp/episodes
	[ -x "$EPISODES" ] || skip "$EPISODES is not built: make tests"
	groups=()
	mapfile -t CPUS < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (c = $1; c <= $NF; c++) print c }')
	ALL=$(affinity $$)
}

teardown() {
	local pid i group

	end_displays
	for pid in "${started[@]}"; do
		if of_this_test "$pid"; then { kill -CONT "$pid"; kill -9 "$pid"; } 2>/dev/null || true; fi
		wait "$pid" 2>/dev/null || true
	done
	for group in "${groups[@]}"; do
		for ((i = 0; i < 500; i++)); do
			[ -d "$group" ] || break
			while read -r pid; do ! of_this_test "$pid" || kill -9 "$pid" || true; done <"$group/cgroup.procs"
			rmdir "$group" 2>/dev/null || sleep 0.02
		done
	done
}

# A cpu group of version 1: $1 names it. Without one, the test is skipped.
cpu_group() {
	CPU=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/self/mounts)
	[ -n "$CPU" ] || skip "no cpu controller of cgroup version 1 is mounted"
	GROUP=$CPU/vamp-changes-$BASHPID-$1
	mkdir "$GROUP" 2>/dev/null || skip "$CPU may not be written"
	groups=("$GROUP" "${groups[@]}")
}

may_renice() {
	bash -c 'renice -n 1 -p $$ && renice -n 0 -p $$' >/dev/null 2>&1 || skip "this user may not lower a nice value"
}

hog() {	# name group [cpu]: it never sleeps
	start "$1" taskset -c "${3-${CPUS[-1]}}" sh -c 'while :; do :; done'
	echo "$pid" >"$2/cgroup.procs"
}

ran_ms() { awk '{ printf "%d", $1 / 1e6 }' "/proc/$1/schedstat"; }
affinity() { taskset -p "$1" | sed 's/.*: //'; }
group_of() { sed -n 's/^[0-9]*:\(.*,\)*cpu\(,.*\)*://p' "/proc/$1/cgroup"; }
nice_of() { ps -o ni= -p "$1" | tr -d ' '; }

# ran PID...: sets `ran`, the CPU time in ms of each until the last has run for at least $most ms of it (or 20 s have gone by).
ran() {
	local first=() i n=0

	for i in "$@"; do first+=("$(ran_ms "$i")"); done
	for ((i = 0; i < 200; i++)); do
		[ $(($(ran_ms "${*: -1}") - first[-1])) -lt "$most" ] || break
		sleep 0.1
	done
	ran=()
	for i in "$@"; do ran+=($(($(ran_ms "$i") - first[n++]))); done
	echo "ran: ${ran[*]} ms"
}

within() {	# value lowest highest
	awk -v v="$1" -v from="$2" -v to="$3" 'BEGIN { exit !(v >= from && v <= to) }' || { echo "$1 is not from $2 to $3"; return 1; }
}

episodes() {	# word...: it runs, and the first episode has begun
	start episodes "$EPISODES" "$@"
	daemon=$pid
	until_true test -s episodes.out
	cat episodes.out
}

finish_episodes() {
	kill "$daemon"
	wait "$daemon"
}

# (tests/unit/vamp/shares_group_test.c has the weights of L and H)
@test "vamp by group: the background gets 1/9 of the foreground's CPU time, and another user's group keeps its weight" {
	cpu_group a; a=$GROUP
	cpu_group b; b=$GROUP
	before=$(cat "$a"/cpu.shares "$b"/cpu.shares 2>/dev/null || cat "$a"/cpu.weight "$b"/cpu.weight)
	[ "${before#*$'\n'}" = "${before%$'\n'*}" ]	# both users count alike
	hog background "$a"; background=$pid
	hog foreground "$a"; foreground=$pid
	hog other "$b"; other=$pid
	most=500
	ran "$background" "$foreground" "$other"	# without: each of the two half of the half
	within "$((1000 * ran[0] / ran[1]))" 650 1550
	episodes shares "$a" M 100000 10 "+$background" "$foreground"
	grep -q " in cgroup v1 " episodes.out
	ran "$background" "$foreground" "$other"
	[ "${ran[0]}" -gt 0 ]	# it does not starve
	within "$((1000 * ran[1] / ran[0]))" 5400 14850
	# the kernel gives each user the weight of the user's group: it is as it was
	weights=$(cat "$a"/cpu.shares "$b"/cpu.shares 2>/dev/null || cat "$a"/cpu.weight "$b"/cpu.weight)
	[ "$weights" = "$before" ]
	finish_episodes
	[ -z "$(find "$a" -mindepth 1 -type d)" ]
	grep -qx "$background" "$a/cgroup.procs"
}

@test "vamp by nice values: ratios of 1:3, 1:9 and 1:18, within a group" {
	may_renice
	cpu_group a; a=$GROUP
	hog background "$a"; background=$pid
	hog foreground "$a"; foreground=$pid
	for ratio in L:5 H:13 M:10; do
		episodes shares none "${ratio%:*}" 100000 10 "+$background" "$foreground"
		[ "$(nice_of "$background")" = "${ratio#*:}" ]
		[ "$(nice_of "$foreground")" = 0 ]
		[ "${ratio%:*}" = M ] || finish_episodes
	done
	most=500
	ran "$background" "$foreground"
	[ "${ran[0]}" -gt 0 ]
	within "$((1000 * ran[1] / ran[0]))" 5400 14850
	finish_episodes
	[ "$(nice_of "$background")" = 0 ]
}

@test "vamp: nice values that it could not restore are not changed: an error of one line" {
	ordinary_user
	start other "${user[@]}" sleep 60
	run --separate-stderr "${user[@]}" "$EPISODES" shares none M 100 100 "+$pid"
	[ "$status" -eq 1 ] || skip "an ordinary user may lower nice values here: $output"
	[ "${#lines[@]}" -eq 1 ]
	[ "$(nice_of "$pid")" = 0 ]
}

@test "vamp: a process returns into its subgroup, also a child born in the episode; into the parent if the subgroup is gone" {
	cpu_group a; a=$GROUP
	mkdir "$a/one" "$a/two"; groups=("$a/one" "$a/two" "${groups[@]}")
	start one sh -c 'until [ -e born ]; do sleep 0.05; done; sleep 100 & echo $!; wait'
	one=$pid
	start two sleep 100; two=$pid
	echo "$one" >"$a/one/cgroup.procs"
	echo "$two" >"$a/two/cgroup.procs"
	episodes shares "$a" M 100000 10 "+$one" "+$two"
	for p in "$one" "$two"; do grep -qx "$p" "$a/thinprobe-vamp-$daemon/cgroup.procs"; done
	touch born
	until_true test -s one.out
	child=$(cat one.out)
	grep -qx "$child" "$a/thinprobe-vamp-$daemon/cgroup.procs"
	rmdir "$a/two"
	finish_episodes
	[ ! -e "$a/thinprobe-vamp-$daemon" ]
	[ "$(sort "$a/one/cgroup.procs")" = "$(printf '%s\n' "$one" "$child" | sort)" ]
	grep -qx "$two" "$a/cgroup.procs"
	kill "$child"
}

@test "vamp: processes in another vamp's group are left alone, and all return to their groups" {
	cpu_group a; a=$GROUP
	start both sleep 100; both=$pid
	start free sleep 100; free=$pid
	for pid in "$both" "$free"; do echo "$pid" >"$a/cgroup.procs"; done
	episodes shares "$a" M 100000 10 "+$both" "$free"
	first=$daemon
	rm episodes.out
	episodes shares "$a" M 100000 10 "+$both" "+$free"
	grep -q '; 1 ' episodes.out
	grep -qx "$both" "$a/thinprobe-vamp-$first/cgroup.procs"
	grep -qx "$free" "$a/thinprobe-vamp-$daemon/cgroup.procs"
	kill "$first"
	wait "$first"
	finish_episodes
	for pid in "$both" "$free"; do grep -qx "$pid" "$a/cgroup.procs"; done
	[ -z "$(find "$a" -mindepth 1 -type d)" ]
}

@test "vamp --group: accepts any spelling of the path; vamp's own cost counts from the first sample on" {
	cpu_group a; a=$GROUP
	hog job "$a"; job=$pid
	start vamp "$BIN/vamp" run --no-audio --control input --group "$CPU//./${a##*/}/" --most 60s --format json -o out.json
	daemon=$pid
	until_true grep -q '^ready' vamp.err
	sleep 2
	echo Return >input
	until_true grep -qx "$job" "$a/thinprobe-vamp-$daemon/cgroup.procs"
	kill "$daemon"
	wait "$daemon"
	jq -e '.result | .episodes[0].applied and .daemon_cpu_percent < 50 and .not_undone == 0' out.json
}

@test "vamp isolation: background and foreground get separate CPUs; a thread's own affinity is kept" {
	[ "${#CPUS[@]}" -gt 1 ] || skip "there is one CPU"
	start background sleep 100; background=$pid
	start foreground sleep 100; foreground=$pid
	start pinned taskset -c "${CPUS[0]}" sleep 100; pinned=$pid
	until_true grep -q sleep "/proc/$pinned/comm"
	own=$(affinity "$pinned")
	episodes isolate none M 100000 10 "+$background" "$foreground" "+$pinned"
	during=$((16#$(affinity "$background"))) beside=$((16#$(affinity "$foreground")))
	[ $((during & beside)) -eq 0 ]
	[ $((during | beside)) -eq $((16#$ALL)) ]
	[ $((16#$(affinity "$foreground"))) -eq $((16#$own)) ]	# the first CPU
	[ "$(affinity "$pinned")" = "$own" ]	# none of the background's is its own
	finish_episodes
	[ "$(affinity "$background")" = "$ALL" ]
	[ "$(affinity "$foreground")" = "$ALL" ]
	[ "$(affinity "$pinned")" = "$own" ]
}

@test "vamp isolation: refused in one line on a single CPU" {
	start other sleep 100
	run --separate-stderr taskset -c "${CPUS[0]}" "$EPISODES" isolate none M 100 100 "+$pid"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
}

# All that an episode may change, of the processes of `tree`, their children and threads, and of the machine.
settings() {
	local p t f

	find "$a" -type d | sort
	for p in "${tree[@]}"; do echo "$p $(group_of "$p") $(ps -L -o ni= -p "$p" | xargs) $(affinity "$p")"; done
	for p in $(pgrep -P "${tree[0]}"); do	# they come and go: told where they are not as their parent was
		t=$(nice_of "$p") f=$(affinity "$p" 2>/dev/null) || continue
		[ -z "$t" ] || [ -z "$f" ] || [ "$t $f" = "0 $ALL" ] || echo "child $p nice $t on $f"
	done
	grep . /proc/irq/*/smp_affinity_list
	cat "$a/cpu.shares"
}

as_before() { [ "$(settings)" = "$before" ]; }

# kill_at_random WAY SIGNAL GROUP: 20 times the daemon's whole process group, at some moment of its short episodes.
kill_at_random() {
	local i watchdog times=20

	start tree sh -c 'while :; do sleep 0.03; done'; tree=("$pid")
	start still sleep 1000; tree+=("$pid")
	start own taskset -c "${CPUS[0]}" nice -n 3 sleep 1000; tree+=("$pid")
	until_true grep -q sleep "/proc/$pid/comm"
	for i in "${tree[@]}"; do echo "$i" >"$a/cgroup.procs"; done
	until_true pgrep -P "${tree[0]}"
	before=$(settings)
	for ((i = 0; i < times; i++)); do
		start episodes setsid "$EPISODES" "$1" "$3" M 12 4 "+${tree[0]}" "${tree[1]}" "+${tree[2]}"
		daemon=$pid
		until_true test -s episodes.out
		watchdog=$(pgrep -P "$daemon")
		sleep "0.$(printf %03d $((RANDOM % 80)))"
		kill "-$2" -- "-$daemon"
		wait "$daemon" || true
		until_true gone "$watchdog"
		until_true as_before || { diff <(echo "$before") <(settings); cat episodes.err; return 1; }
		[ ! -s episodes.err ] || { cat episodes.err; return 1; }
	done
}

# bats test_tags=all
@test "vamp: kill -9 at any moment, by group and isolation: groups, weights, affinities and interrupts are restored" {
	[ "${#CPUS[@]}" -gt 1 ] || skip "there is one CPU"
	cpu_group a; a=$GROUP
	kill_at_random both KILL "$a"
}

# bats test_tags=all
@test "vamp: kill -9 at any moment, by nice values: they are restored" {
	may_renice
	cpu_group a; a=$GROUP
	kill_at_random shares KILL none
}

# bats test_tags=all
@test "vamp: a signal for its whole process group at any moment: everything is restored" {
	cpu_group a; a=$GROUP
	kill_at_random shares TERM "$a"
}

@test "vamp: a batch group gets almost no CPU time after an input; its quota is restored, also after kill -9" {
	local way quota
	cpu_group a; a=$GROUP
	[ -e "$a/cpu.cfs_quota_us" ] || skip "cpu groups have no quota here"
	hog job "$a"; job=$pid
	quota() { cat "$a/cpu.cfs_quota_us" "$a/cpu.cfs_period_us" | paste -sd ' '; }
	as_said() { [ "$(quota)" = "$1" ]; }
	before=$(quota)
	for way in TERM KILL; do
		rm -f input
		# (Nobody is background by a load of 100 %: with one CPU for two, none has that.)
		start vamp "$BIN/vamp" run --no-audio --control input --batch "$a" --threshold 100 --most 60s --format json -o out.json
		daemon=$pid
		until_true grep -q '^ready' vamp.err
		[ "$(quota)" = "$before" ]
		echo Return >input
		until_true as_said "1000 1000000"
		sleep 1.2	# what it had of the period before
		was=$(ran_ms "$job")
		sleep 2
		[ $(($(ran_ms "$job") - was)) -le 60 ]	# 2 ms, and what the kernel hands out at a time
		kill "-$way" "$daemon"
		wait "$daemon" || true
		until_true as_said "$before"
	done
	was=$(ran_ms "$job")
	until_true eval '[ $(($(ran_ms "$job") - was)) -gt 100 ]'
	run -1 --separate-stderr "$BIN/vamp" run --no-audio --control input --batch "$PWD"
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "lab clean: empties and removes the groups of a dead vamp, and no others" {
	cpu_group a; a=$GROUP
	start sleeper sleep 100; sleeper=$pid
	start dead true; dead=$pid
	wait "$dead"
	mkdir "$a/thinprobe-vamp-$dead" "$a/thinprobe-vamp-$sleeper"
	groups=("$a/thinprobe-vamp-$dead" "$a/thinprobe-vamp-$sleeper" "${groups[@]}")
	echo "$sleeper" >"$a/thinprobe-vamp-$dead/cgroup.procs"
	LAB_LOCKS=$PWD/locks run "$TOP/thinprobe" lab clean
	[ "$status" -eq 0 ]
	[[ "$output" == *"$a/thinprobe-vamp-$dead"* ]]
	[ ! -e "$a/thinprobe-vamp-$dead" ]
	[ -d "$a/thinprobe-vamp-$sleeper" ]
	grep -qx "$sleeper" "$a/cgroup.procs"
}

# Four inputs beside two CPU hogs and a process whose four threads take turns on a CPU. vamp must throttle exactly these.
play_scene() {
	local hogs p

	start_x
	start vamp "$BIN/vamp" run --no-audio --display "$DISPLAY" --group "$GROUP" --format json -o out.json
	daemon=$pid
	until_true grep -q '^ready' vamp.err
	start sinks "$BIN/sink" -n 2
	sinks=$pid
	until_true eval '[ "$(pgrep -cP "$sinks")" -eq 2 ]'
	start turns python3 -c '
import sys, threading
def work():
	while True: pass
sys.setswitchinterval(1e-4)
for _ in range(3): threading.Thread(target=work).start()
work()'
	mapfile -t hogs < <({ pgrep -P "$sinks"; echo "$pid"; } | sort -n)
	for p in "$server" "$sinks" "${hogs[@]}"; do echo "$p" >"$GROUP/cgroup.procs"; done
	sleep 2
	for p in 5 6 7 8; do
		xdotool key Return
		sleep "0.$p"
	done
	kill "$daemon"
	wait "$daemon" || return
	kill -9 "$sinks" "${hogs[@]}"
	jq -c '.result.episodes[] | [.background, .excluded]' out.json
	jq -e '$ARGS.positional as $hogs | [.result.episodes[].background | map(.pid)] | . == [range(4) | $hogs]' out.json \
		--jsonargs "${hogs[@]}"
}

@test "vamp: at every input each hog is throttled, and nothing else" {
	local right

	need xdotool pgrep python3
	cpu_group scene
	for _ in {1..5}; do
		busy_begin
		if play_scene; then right=1 && break; fi
		machine_was_busy 5 || break	# others hold vamp itself up: a decision takes less than 1 ms
	done
	[ -n "$right" ]
}
