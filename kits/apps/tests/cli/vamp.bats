#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vamp: who is background at an input, when episodes begin and end, what status and the log say. Nothing is changed here: --dry-run.

bats_require_minimum_version 1.5.0

load ../../../../tests/cli/helpers

setup() {
	begin_test
	VAMP=$BIN/vamp
	need jq
}

# $vamp: it runs, its inputs are lines into the fifo `input`.
start_vamp() {	# options...
	start vamp "${user[@]}" "$VAMP" run --dry-run --no-audio --control input --format json -o out.json "$@"
	vamp=$pid
	until_true grep -q '^ready' vamp.err
}

user=()

input() { echo "${1-Return}" >input; }

begun() {	# how many episodes have begun
	[ "$(grep -c "episode" log.tsv)" -eq "$1" ]
}

ended() { [ "$(cut -f3 log.tsv | grep -cx end)" -eq "$1" ]; }

stop_vamp() {
	kill "$vamp"
	ends "$vamp"
	[ "$status" -eq 0 ]
}

result() { jq -r ".result | $1" out.json; }

# By the kernel's own count, in ms: field 14 and 15 of its stat, in ticks of 10 ms.
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; }
used() { [ "$(cpu_ms "$1")" -ge "$2" ]; }

@test "a hog is background at an input, whoever sleeps is not; the report says by how much it ran" {
	start hog sh -c 'while :; do :; done'
	hog=$pid
	start sleeper sleep 600
	sleeper=$pid
	start_vamp --log log.tsv
	until_true eval '[ "$("$VAMP" status --format json | jq ".result.daemons[] | select(.pid == $vamp) | .sampled_tasks")" -gt 1 ]'
	used_before=$(cpu_ms "$hog")
	until_true used "$hog" $((used_before + 500))
	sleep 1.5	# so that the whole period lies behind it, however the sub-epochs fall
	input
	until_true begun 1
	stop_vamp
	[ "$(result "[.episodes[0].background[] | select(.pid == $hog)] | length")" = 1 ]
	[ "$(result ".episodes[0].background[] | select(.pid == $hog) | .cpu_percent > 50 and .run_percent > 0")" = true ]
	[ "$(result "[.episodes[0] | (.background, .excluded)[] | select(.pid == $sleeper)] | length")" = 0 ]
	[ "$(result "[.episodes[].background[] | select(.pid == $vamp)] | length")" = 0 ]
	[ "$(result '.sampled_tasks >= 2 and .sub_epochs >= 4 and .daemon_cpu_percent > 0')" = true ]
	[ "$(result '.episodes[0].decided_us >= 0 and .input_to_decision_us.n == 1')" = true ]
}

@test "an input ends the episode before it, time ends one, the end of vamp the last" {
	start_vamp --log log.tsv --most 6s	# more than it takes to look into the log and to say what comes next
	input one
	until_true begun 1
	input two
	until_true ended 2	# two: by its time
	input three
	until_true begun 3
	stop_vamp
	[ "$(result '[.episodes[].trigger] | join(" ")')" = "one two three" ]
	[ "$(result '[.episodes[].ended_by] | join(" ")')" = "input time stop" ]
	[ "$(result '.episodes | .[0].ended_ns == .[1].started_ns')" = true ]
	[ "$(result '.episodes[1] | .ended_ns - .started_ns >= 6000000000')" = true ]
	[ ! -e input ]
}

@test "a process that slept before the input and works after it is not background then, but at the next" {
	mkfifo go
	start worker bash -c 'read -r _ <go; while :; do :; done'
	worker=$pid
	start_vamp --log log.tsv
	sleep 1.5
	input
	until_true begun 1
	echo >go
	until_true used "$worker" 1000
	sleep 1.5
	input
	until_true begun 2
	stop_vamp
	[ "$(result "[.episodes[] | [.background[] | select(.pid == $worker)] | length] | join(\" \")")" = "0 1" ]
}

@test "status: one line a daemon and its background, as text, json and tsv" {
	start hog sh -c 'while :; do :; done'
	hog=$pid
	start_vamp --log log.tsv --most 60s
	sleep 2.5
	input
	until_true begun 1
	"$VAMP" status >status.txt
	grep -q "^vamp $vamp of .*Return" status.txt
	grep -q "throttled: sh ($hog)" status.txt
	"$VAMP" status --format json >status.json
	jq -e ".result.daemons[] | select(.pid == $vamp) | .episode and .trigger == \"Return\" and
		any(.background[]; .pid == $hog)" status.json
	stop_vamp
}

@test "status: a vamp that is stopped does not answer, which is said" {
	start_vamp
	kill -STOP "$vamp"
	"$VAMP" status >status.txt 2>status.err || true	# others may run here
	kill -CONT "$vamp"
	grep -q "^vamp: vamp [0-9]* does not answer" status.err
	[ "$(grep -c "^vamp $vamp " status.txt)" = 0 ]
	# beside one that answers, it is missing in the report
	second=$vamp
	mkdir other && cd other
	start_vamp
	kill -STOP "$second"
	run -3 "$VAMP" status
	kill -CONT "$second"
	[[ $output == *"vamp $vamp of "* ]]
	stop_vamp
	vamp=$second
	stop_vamp
}

@test "status: exit 1 and a line where no vamp runs" {
	need unshare
	unshare -rn true 2>/dev/null || skip "no namespace of its own can be made here"
	run -1 --separate-stderr unshare -rn "$VAMP" status
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "the log has a row for every episode, tag and end" {
	start hog sh -c 'while :; do :; done'
	hog=$pid
	start_vamp --log log.tsv --most 1s
	sleep 2.5
	input
	until_true ended 1
	stop_vamp
	awk -F'\t' -v hog="$hog" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = NF; next }
		NF != n || $1 != "vamp-log/1" { exit 1 }
		$at["event"] == "episode" && $at["what"] == "Return" { episode = NR }
		$at["event"] == "tag" && $at["pid"] == hog && $at["load_percent"] > 50 { tag = NR }
		$at["event"] == "end" && $at["what"] == "time" { end = NR }
		END { exit !(episode && tag > episode && end > tag) }' log.tsv
}

@test "an ordinary user: its own processes are in scope, another's are not" {
	ordinary_user
	[ "${#user[@]}" -gt 1 ] || skip "it takes root to be two users"
	chmod 777 .
	start theirs sh -c 'while :; do :; done'
	theirs=$pid
	start mine "${user[@]}" sh -c 'while :; do :; done'
	mine=$pid
	start_vamp --log log.tsv
	sleep 2.5
	input
	until_true begun 1
	stop_vamp
	[ "$(result "[.episodes[0].background[] | select(.pid == $mine)] | length")" = 1 ]
	[ "$(result "[.episodes[0].background[] | select(.pid == $theirs)] | length")" = 0 ]
}

@test "--group: only what is in the group or below" {
	group=/sys/fs/cgroup/freezer/vamp-test-$$
	mkdir -p "$group/below" 2>/dev/null || skip "no freezer group can be made here"
	start inside sh -c 'while :; do :; done'
	inside=$pid
	start outside sh -c 'while :; do :; done'
	outside=$pid
	echo "$inside" >"$group/below/cgroup.procs"
	start_vamp --log log.tsv --group "$group"
	sleep 2.5
	input
	until_true begun 1
	stop_vamp
	kill "$inside"
	until_true gone "$inside"
	wait "$inside" || true
	rmdir "$group/below" "$group"
	[ "$(result '[.episodes[0].background[].pid] | join(" ")')" = "$inside" ]
	[ "$(result .sampled_tasks)" = 1 ]
}

@test "a signal: exit 0 without -t, 130 with it, and a report" {
	start_vamp -t 60s
	kill "$vamp"
	ends "$vamp"
	[ "$status" -eq 130 ]
	[ "$(result '.episodes | length')" = 0 ]
}

@test "wrong words: no source of input, no such user, a value that is none" {
	run -2 --separate-stderr "$VAMP" run --dry-run
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	run -2 --separate-stderr "$VAMP" run --dry-run --control input --user no-such-user
	run -2 --separate-stderr "$VAMP" run --dry-run --control input --ratio X
	run -2 --separate-stderr "$VAMP" run --dry-run --control input --threshold 0
	run -1 --separate-stderr "$VAMP" run --dry-run --control input --batch "$PWD"
	run -2 --separate-stderr "$VAMP" no-such-command
	mkfifo pipe	# its reader could hold up the daemon, or there is none
	run -2 --separate-stderr timeout 20 "$VAMP" run --dry-run --no-audio --control input --log pipe
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ ! -e input ]
	run -2 "$VAMP" run --threshold 0%	# a percentage may have its sign
}

@test "a scene with known truth: at every input each hog is tagged, and nothing else" {
	need Xvfb xdotool gcc
	for _ in {1..5}; do
		status=0
		busy_begin
		"$TOP/kits/apps/tests/vamp/scene" --episodes 5 --gap 1 >table 2>err || status=$?
		[ "$status" -ne 4 ] || skip "$(tail -n 1 err)"
		cat table err
		# where others hold vamp itself up: a decision takes less than 1 ms
		if [ "$status" -eq 0 ] || ! machine_was_busy 5; then break; fi
	done
	[ "$status" -eq 0 ]
	[ "$(grep -c "^[1-5]	3	0	0	" table)" -eq 5 ]
}

