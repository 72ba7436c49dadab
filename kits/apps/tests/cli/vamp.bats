#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vamp: who is background at an input, when episodes begin and end, what status and the log say. Nothing is changed: --dry-run.

bats_require_minimum_version 1.5.0

load ../../../../tests/cli/helpers

setup() {
	begin_test
	VAMP=$BIN/vamp
	need jq
}

teardown() {
	end_started
	[ -z "${group-}" ] || until_true no_groups
}

no_groups() { rmdir "$group/below" "$group"; [ ! -e "$group" ]; }

# $vamp: it runs, its inputs are lines into the fifo `input`.
start_vamp() {	# options...
	start vamp "${user[@]}" "$VAMP" run --dry-run --no-audio --control input --format json -o out.json "$@"
	vamp=$pid
	until_true grep -q '^ready' vamp.err
}

user=()

input() { echo "${1-Return}" >input; }

# How many episodes have begun, have ended
begun() { [ "$(cut -f3 log.tsv | grep -cx episode)" -eq "$1" ]; }
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

hog() {	# name command before it...: it takes a CPU
	start "$1" "${@:2}" sh -c 'while :; do :; done'
}

tags() {	# episode jq's filter of a background process: how many there are
	result "[.episodes[$1].background[] | select($2)] | length"
}

@test "vamp: which processes are background, and when episodes begin and end; report, status and log agree" {
	mkfifo go
	hog hog
	hog=$pid
	cp "$(command -v sh)" probe
	start probe ./probe -c 'while :; do :; done'
	probe=$pid
	start sleeper sleep 600
	sleeper=$pid
	start worker bash -c 'read -r _ <go; while :; do :; done'
	worker=$pid
	start_vamp --log log.tsv --most 6s --except nobody,probe	# more than it takes to look into the log and to ask for the status
	until_true used "$hog" 500
	sleep 1.5	# so that the whole period lies behind it, however the sub-epochs fall
	input one
	until_true begun 1
	input two
	until_true begun 2
	"$VAMP" status >status.txt
	"$VAMP" status --format json >status.json
	kill "$hog"
	until_true ended 2	# two: by its time
	echo >go
	until_true used "$worker" 1000
	sleep 1.5
	input three
	until_true begun 3
	stop_vamp
	[ ! -e input ]

	[ "$(tags 0 ".pid == $hog and .cpu_percent > 50 and .run_percent > 0")" = 1 ]
	[ "$(result "[.episodes[0] | (.background, .excluded)[] | select(.pid == $sleeper)] | length")" = 0 ]
	[ "$(tags '' ".pid == $vamp")" = 0 ]
	[ "$(tags '' ".pid == $probe")" = 0 ]
	[ "$(result ".episodes[0].excluded[] | select(.pid == $probe) | .why")" = named ]
	# a process that slept before an input and works after it is background at the next
	[ "$(tags 0 ".pid == $worker") $(tags 1 ".pid == $worker") $(tags 2 ".pid == $worker")" = "0 0 1" ]
	[ "$(result '.sampled_tasks >= 2 and .sub_epochs >= 4 and .daemon_cpu_percent > 0')" = true ]
	[ "$(result '.episodes[0].decided_us >= 0 and .input_to_decision_us.n == 3')" = true ]

	[ "$(result '[.episodes[] | .trigger, .ended_by] | join(" ")')" = "one input two time three stop" ]
	[ "$(result '.episodes | .[0].ended_ns == .[1].started_ns')" = true ]
	[ "$(result '.episodes[1] | .ended_ns - .started_ns >= 6000000000')" = true ]

	grep -q "^vamp $vamp of .*two" status.txt
	tr -s "\n " " " <status.txt | grep -q "background: sh ($hog).*; not throttled: a dry run"
	jq -e ".result.daemons[] | select(.pid == $vamp) | .episode and .trigger == \"two\" and
		any(.background[]; .pid == $hog)" status.json

	awk -F'\t' -v hog="$hog" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = NF; next }
		NF != n || $1 != "vamp-log/1" { exit 1 }
		$at["event"] == "episode" && $at["what"] == "one" { episode = NR }
		$at["event"] == "tag" && $at["pid"] == hog && $at["load_percent"] > 50 { tag = NR }
		$at["event"] == "end" && $at["what"] == "time" { end = NR }
		END { exit !(episode && tag > episode && end > tag) }' log.tsv
}

@test "vamp status: reports a vamp that does not answer; a signal before -t ends vamp with 130 and a report" {
	start_vamp
	kill -STOP "$vamp"
	"$VAMP" status >status.txt 2>status.err || true	# others may run here
	kill -CONT "$vamp"
	grep -q "^vamp: vamp [0-9]* does not answer" status.err
	[ "$(grep -c "^vamp $vamp " status.txt)" = 0 ]
	# beside one that answers, it is missing in the report
	first=$vamp
	mkdir other
	cd other
	start_vamp -t 60s
	kill -STOP "$first"
	run -3 "$VAMP" status
	kill -CONT "$first"
	[[ $output == *"vamp $vamp of "* ]]
	kill "$vamp"
	ends "$vamp"
	[ "$status" -eq 130 ]
	[ "$(result '.episodes | length')" = 0 ]
	vamp=$first
	stop_vamp
}

@test "vamp status: exit 1 and one line if no vamp runs" {
	need unshare
	unshare -rn true 2>/dev/null || skip "no namespace of its own can be made here"
	run -1 --separate-stderr unshare -rn "$VAMP" status
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "vamp: throttles only the caller's own processes, or those of --group and groups below" {
	ordinary_user
	[ "${#user[@]}" -gt 1 ] || skip "it takes root to be two users"
	group=/sys/fs/cgroup/freezer/vamp-test-$$
	mkdir -p "$group/below" 2>/dev/null || skip "no freezer group can be made here"
	chmod 777 .
	hog theirs
	theirs=$pid
	echo "$theirs" >"$group/below/cgroup.procs"
	hog mine "${user[@]}"
	mine=$pid
	start_vamp --log log.tsv
	own=$vamp
	mkdir group
	cd group
	user=()
	start_vamp --log log.tsv --group "$group"
	sleep 2.5
	input
	(cd .. && input)
	until_true begun 1
	kill "$theirs"
	until_true gone "$theirs"
	wait "$theirs" || true
	stop_vamp
	[ "$(result '[.episodes[0].background[].pid] | join(" ")')" = "$theirs" ]
	[ "$(result .sampled_tasks)" = 1 ]
	cd ..
	until_true begun 1
	vamp=$own
	stop_vamp
	[ "$(tags 0 ".pid == $mine") $(tags 0 ".pid == $theirs")" = "1 0" ]
}

@test "vamp: its defaults are the paper's (data/papers.tsv): 1024 ms, 50 %, 5 s" {
	local option value unit n=0
	"$VAMP" run --help >help
	while read -r option value unit; do
		sed -n "/--$option /,/)\$/p" help | grep -q "($value$unit)\$"
		n=$((n + 1))
	done < <(sed -n 's/at most/most/; s/.*\tbefore the input \(.* s\)\t.*/before \1/p' "$TOP/kits/apps/data/papers.tsv" |
		tr ';' '\n')
	[ $n = 3 ]
}

@test "vamp: refuses a missing source of input, an unknown user, a malformed value, a CPU that is not there" {
	local want words text
	mkfifo pipe	# its reader could hold up the daemon, or there is none
	while IFS='|' read -r want words text; do
		eval "one_line $want 'vamp: $text' timeout 20 \"\$VAMP\" $words"
	done <<-'END'
		2|run --dry-run|no source of input
		2|run --dry-run --control input --user no-such-user|there is no user no-such-user
		2|run --dry-run --control input --ratio X|--ratio X
		2|run --dry-run --control input --keys Retur|--keys
		2|run --dry-run --control input --threshold 0|--threshold 0
		2|run --threshold 0%|--threshold 0%
		1|run --dry-run --control input --batch "$PWD"|--batch
		1|run --dry-run --evdev "$PWD"|
		2|no-such-command|no command
		2|run --dry-run --no-audio --control input --log pipe|
		2|trace word|unexpected word word
		2|trace --log same -o same|--log and --output
		2|trace -t 10ms --cpus 1023|--cpus: there is no CPU 1023
	END
	[ ! -e input ]
}
