#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# sink: the load is there at 'ready', ends when it must, and takes the CPU time that it reports. The machine may be busy: lower
# bounds on its CPU time are generous or relative, upper ones are not.

bats_require_minimum_version 1.5.0

load helpers
load confined

setup() {
	begin_test
	SINK=$BIN/sink
	CPU=$(taskset -cp $$ | sed 's/.*[ ,-]//')
}

# Runs a load; status 3 is allowed, since other processes may keep it off the CPU.
sink_measured() { "$SINK" "$@" || [ $? = 3 ]; }

# Starts sink in the background: $pid, standard output in out, standard error in err; returns when it is ready.
start_sink() {
	: >err	# (else it may still say "ready" of the sink before)
	"$SINK" "$@" >out 2>err 3>&- &
	pid=$!
	started+=("$pid")
	until_true grep -q '^ready$' err
}

@test "sink: 'ready' comes when every process spins; they die with it on kill -9" {
	local child children

	start_sink -n 20 --cpus "$CPU"
	children=$(children_of "$pid")
	[ "$(wc -w <<<"$children")" -eq 20 ]
	for child in $children; do
		# running or waiting to run; and it has run (utime is the 14th field, but may still be below one tick)
		grep -qE '^State:[[:space:]]+R' "/proc/$child/status"
	done
	kill -9 "$pid"
	# shellcheck disable=SC2086
	until_true gone $children
}

@test "sink: runs with the CPU, nice value and policy asked for; without -t SIGTERM ends it with 0 and a report" {
	local child

	need jq
	start_sink -n 2 --cpus "$CPU" --nice 7 --policy idle --format json
	child=$(children_of "$pid" | cut -d ' ' -f 1)
	[ "$(taskset -cp "$child" | sed 's/.*: //')" = "$CPU" ]
	[ "$(awk '{ print $41 }' "/proc/$child/stat")" -eq 5 ]	# SCHED_IDLE
	[ "$(awk '{ print $19 }' "/proc/$child/stat")" -eq $(($(awk '{ print $19 }' "/proc/$pid/stat") + 7)) ]
	kill -TERM "$pid"
	ends "$pid"
	[ "$status" -eq 0 ]
	jq -e --arg cpu "$CPU" '(.settings | .nice == 7 and .policy == "idle" and .cpus == $cpu) and
		(.result.children | length == 2 and all(.cpu_s >= 0))' out
	[ "$(cat err)" = ready ]
}

@test "sink -t: SIGINT and SIGTERM end it early with 130 and a report" {
	local signal

	need jq
	for signal in INT TERM; do
		start_sink -t 600s --format json
		kill -$signal "$pid"
		ends "$pid"
		[ "$status" -eq 130 ]
		jq -e '.result.children[0].wall_s < 500' out
	done
}

@test "sink: a signal at any moment of the start leaves a report or no output, and no process" {
	stopped_at_start 0 "0 .002 .005 .013 .034" "$SINK" -n 30 -o report --format json
}

@test "sink: ends with its report if its parent is killed" {
	local parent sink

	need jq
	bash -c '"$0" -n 2 -o report --format json 2>err 3>&- & echo $! >pid; wait' "$SINK" 3>&- &
	parent=$!
	started+=("$parent")
	until_true grep -qs '^ready$' err
	until_true test -s pid
	sink=$(cat pid)
	started+=("$sink")
	kill -9 "$parent"
	until_true gone "$sink"
	jq -e '.result.children | length == 2' report
}

@test "sink -l: takes at most the share asked for; the reported CPU time is the kernel's" {
	local TIMEFORMAT='%U %S' outside percent

	need jq
	for percent in 10 37 80; do
		outside=$({ time sink_measured -l $percent -t 1s --cpus "$CPU" --format json >out 2>err; } 2>&1)
		# if its share is lower, it must have waited for the CPU
		jq -e --argjson p $percent '.result.children | all((.share_percent <= $p + 2) and
			(.share_percent >= $p - 3 or .runqueue_wait_s == null or .runqueue_wait_s > 0.01) and .wanted_percent == $p)' out
		jq -e --arg outside "$outside" '($outside | split(" ") | map(tonumber) | add) as $o |
			([.result.children[].cpu_s] | add) as $cpu | $o >= $cpu - 0.03 and $o <= $cpu + 0.15' out
	done
}

@test "sink -l: does not catch up after it had to wait; full CPU hogs never yield" {
	local child greedy a b was run before

	start_sink -l 40 --cpus "$CPU"
	child=$(children_of "$pid" | xargs)
	[ -r "/proc/$child/schedstat" ] || skip "no schedstat"
	start hogs "$SINK" -n 6 --cpus "$CPU"
	greedy=$pid
	until_true grep -q ready hogs.err
	yields() { awk '/^voluntary_ctxt/ { print $2 }' "/proc/$(children_of "$greedy" | cut -d ' ' -f 1)/status"; }
	before=$(yields)
	sleep 1
	[ "$(yields)" -eq "$before" ]
	kill "$greedy"
	until_true gone "$greedy"
	# the clock is read outside the interval of the account at its start and at its end: who is late here makes it longer, too
	a=$(date +%s%N)
	read -r was _ <"/proc/$child/schedstat"
	sleep 1
	read -r run _ <"/proc/$child/schedstat"
	b=$(date +%s%N)
	# to catch up on 1 s it would take all of the CPU, 60 % too much
	echo "got $(((run - was) / 1000000)) ms of $(((b - a) / 1000000))"
	[ $((100 * (run - was) / (b - a))) -le 45 ]
	kill "${started[0]}"
}

@test "sink: a CPU, nice value or policy that is refused is named, with the reason" {
	local user=(env)

	run "$SINK" --cpus "$CPU,1023" -t 1s	# the kernel would quietly take the first
	[ "$status" -eq 1 ]
	[[ $output == "sink: --cpus was refused: "* ]]
	need setpriv
	ordinary_user
	"${user[@]}" test -x "$SINK" || skip "an ordinary user cannot get at the program"
	run "${user[@]}" "$SINK" --nice -20 -t 1s
	if [ "$status" -ne 0 ]; then
		[ "$status" -eq 1 ]
		[[ $output == "sink: --nice -20 was refused: "*"root"* ]]
		[ "${#lines[@]}" -eq 1 ]
	fi
	run "${user[@]}" "$SINK" --policy fifo:99 -t 10ms
	if [ "$status" -ne 0 ]; then
		[ "$status" -eq 1 ]
		[[ $output == "sink: --policy fifo:99 was refused: "*"root"* ]]
		[ "${#lines[@]}" -eq 1 ]
	fi
}

@test "sink: a killed process is counted, and changes the exit status" {
	local child

	need jq
	start_sink -n 3 --format json
	child=$(children_of "$pid" | cut -d ' ' -f 2)
	kill -9 "$child"
	kill "$pid"
	ends "$pid"
	[ "$status" -eq 3 ]
	jq -e '.result | .children_died == 1 and .total_share_percent == null and (.children | length) == 3 and
		(.children[1].share_percent == null) and (.children[0].wall_s > 0)' out
}

@test "sink --ready-fd: 'ready' goes to the descriptor; a missing reader is no failure" {
	need jq
	"$SINK" -t 10ms --ready-fd 7 >out 2>err 7>ready
	[ "$(cat ready)" = ready ]
	[ ! -s err ]
	# a missing reader gives a message, no failure
	mkfifo pipe
	exec 8<>pipe 9>pipe 8<&-	# a reader that has gone: writing gives EPIPE
	run "$SINK" -t 10ms --ready-fd 9 -o report --format json
	exec 9>&-
	[ "$status" -eq 0 ]
	[[ $output == "sink: cannot write "* ]]
	jq -e .result report
	# with standard error closed it does not end up in the report
	"$SINK" -t 10ms -o report --format json 2>&-
	jq -e .result report
}

@test "sink -o: an unwritable output is an error; a pipe or a link is written to, not replaced" {
	need jq
	run "$SINK" -t 10ms -o /dev/full
	[ "$status" -eq 1 ]
	[[ ${lines[1]} == "sink: cannot write the report: No space left on device" ]]
	"$SINK" -t 10ms >&- 2>err && false
	grep -q '^sink: cannot write the report: ' err
	mkfifo pipe
	start reader env jq -e .result pipe
	"$SINK" -t 10ms --format json -o pipe
	ends "$pid"
	[ "$status" -eq 0 ]
	[ -p pipe ]
	[ -L /dev/stdout ] || skip "no /dev/stdout"
	[ ! -w /dev ] || [ "$(readlink /dev/stdout)" = /proc/self/fd/1 ]
	"$SINK" -t 10ms --format json -o /dev/stdout >out 2>err
	jq -e .result out
	[ "$(readlink /dev/stdout)" = /proc/self/fd/1 ]
}

# Adds up a column of a burst log, or counts the rows that hold a condition.
bursts() {	# file awk-condition
	awk -F'\t' 'NR > 1 { child = $2; pid = $3; n = $4; due = $5; start = $6; end = $7; asked = $8;
		cpu = $9; if ('"$2"') count++ } END { print count + 0 }' "$1"
}

@test "sink --burst: bursts have the planned number, length and rate, each inside its logged interval" {
	local child

	need jq
	start_sink -n 2 --burst every:100ms,len:5ms -t 1s --burst-log log --cpus "$CPU" --format json
	child=$(children_of "$pid" | cut -d ' ' -f 2)
	ends "$pid"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]	# 3: others had the CPU
	[ "$(head -n 1 log)" = $'schema\tchild\tpid\tn\tdue_ns\tstart_ns\tend_ns\tasked_ns\tcpu_ns' ]
	[ "$(bursts log 1)" -eq 20 ]
	[ "$(bursts log 'child == 1')" -eq 10 ]
	[ "$(bursts log 'child == 2 && pid == '"$child")" -eq 10 ]
	[ "$(bursts log '$1 == "burst/1" && asked == 5000000 && cpu >= asked && start >= due && end - start >= cpu - 1000')" -eq 20 ]
	[ "$(bursts log 'n == 1 ? !(first[child] = due) : due - first[child] != (n - 1) * 100000000')" -eq 0 ]
	# the kernel accounts to the processes what the log says they burned, and little more
	jq -e --argjson log "$(awk -F'\t' 'NR > 1 { t += $9 } END { print t }' log)" '([.result.children[].cpu_s] | add * 1e9) as $cpu |
		(.result.bursts.burned_s * 1e9 - $log | fabs) < 1e4 and $cpu >= $log and $cpu < 1.3 * $log and
		.result.bursts.planned == 20 and .result.bursts.played == 20 and .settings.burst == "every:100ms,len:5ms"' out
}

@test "sink --burst: no system call that writes during a burst" {
	need strace
	run strace -f -qq -e trace=write,writev,mmap,brk,openat -o trace "$SINK" --burst every:20ms,len:5ms \
		-t 100ms --burst-log log -o report
	[ -s trace ] || skip "strace cannot be used here"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	# what the child did after its memory was locked: nothing of these
	awk -v child="$(awk 'NR == 2 { print $3 }' log)" '$1 == child { seen = 1 }
		$1 == child && /(write|mmap|brk|openat)/ { last = $0; n++ }
		$1 == child && /self\/maps/ { n = 0 }	# that is read to lock it
		END { print last; exit n > 2 || !seen }' trace
}

@test "sink --burst: the seed determines the plan; a plan may come from a file, also from an earlier log" {
	sink_measured --burst random:20,max:2ms,load:20% --seed 5 --burst-log a --cpus "$CPU" >/dev/null 2>err
	sink_measured --burst random:20,max:2ms,load:20% --seed 5 --burst-log b --cpus "$CPU" >/dev/null 2>err
	sink_measured --burst random:20,max:2ms,load:20% --seed 6 --burst-log c --cpus "$CPU" >/dev/null 2>err
	planned() { awk -F'\t' 'NR == 2 { first = $5 } NR > 1 { print $5 - first, $8 }' "$1"; }
	[ "$(planned a)" = "$(planned b)" ]
	[ "$(planned a)" != "$(planned c)" ]
	{
		printf 'schema\tstart_ns\tlength_ns\n'
		planned a | awk '{ print "burst-plan/1\t" $1 "\t" $2 }'
	} >plan
	sink_measured --burst plan --burst-log d --cpus "$CPU" >/dev/null 2>err
	[ "$(planned a)" = "$(planned d)" ]
}

@test "sink --burst: a signal ends them, and the log has the bursts so far" {
	ran() { awk -v ms="$1" '{ exit !($1 >= ms * 1e6) }' "/proc/$(children_of "$pid" | xargs)/schedstat"; }
	[ -r /proc/self/schedstat ] || skip "no schedstat"
	start_sink --burst every:50ms,len:10ms -t 600s --burst-log log
	until_true ran 60	# several bursts, and what it took to begin
	kill -TERM "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
	[ "$(bursts log 1)" -ge 1 ]
	[ "$(bursts log 1)" -lt 100 ]
	[ "$(bursts log 'cpu < asked')" -le 1 ]
	# and one that burns for long
	printf 'schema\tstart_ns\tlength_ns\nburst-plan/1\t0\t500000000000\n' >plan
	start_sink --burst plan --burst-log log
	until_true ran 60
	kill -TERM "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
	[ "$(bursts log 'cpu > 0 && cpu < asked')" -eq 1 ]
}

@test "sink --burst: if the log cannot be written, the report is still made" {
	need jq
	[ -w /dev/full ] || skip "no /dev/full"
	run "$SINK" --burst random:2,max:1ms,load:10% --burst-log /dev/full --format json -o report
	[ "$status" -eq 3 ]
	[[ $output == *"sink: cannot write /dev/full: No space left on device; the report still counts the bursts"* ]]
	jq -e '.result.bursts.played == 2' report
}

@test "sink: a missing load is blamed on others only if it waited for a CPU, not if it was stopped" {
	need jq
	[ -r /proc/self/schedstat ] || skip "no schedstat in this kernel"
	start_sink -n 2 -l 90 -t 1s --format json -o report
	child=$(children_of "$pid")
	# shellcheck disable=SC2086
	kill -STOP $child
	until_true test -s report
	# shellcheck disable=SC2086
	kill -CONT $child
	ends "$pid"
	[ "$status" = 3 ]
	# shellcheck disable=SC2086
	gone $child
	jq -e '(.result.children | length == 2 and all(.wall_s > 0 and .cpu_s > 0 and .share_percent < 30)) and
		(.summary | test("not known") and (test("Others") | not))' report
	start_sink -n 3 --cpus "$CPU"
	run -3 "$SINK" -l 90 -t 500ms --cpus "$CPU"
	[[ $output == *"Others used the CPU"* && $output != *"not known"* ]]
}

@test "sink: a load above the CPU's capacity is not blamed on others" {
	[ -r /proc/self/schedstat ] || skip "no schedstat in this kernel"
	run -3 "$SINK" -n 4 -l 40 -t 400ms --cpus "$CPU"
	[[ $output != *"Others used"* && $output == *"more than 1 CPU."* ]]
	# three bursts of 20 ms in the same period wait for each other
	run -3 "$SINK" -n 3 --burst every:100ms,len:20ms -t 500ms --cpus "$CPU"
	[[ $output != *"Others used"* && $output == *"each other"* ]]
	# 90 % fit, but not beside a hog
	[ "$(id -u)" -eq 0 ] || skip "this user may not lower a nice value"
	start_sink --cpus "$CPU" --nice -10
	run -3 "$SINK" -n 2 -l 45 -t 500ms --cpus "$CPU"
	[[ $output == *"or for others"* ]]
}

@test "sink: the reported CPUs are those that the control group allows" {
	need jq
	make_group cpuset 1
	cat "${group%/*}/cpuset.mems" >"$group/cpuset.mems"
	echo "$CPU" >"$group/cpuset.cpus"
	sink_measured -n 2 -l 60 -t 200ms --cgroup "$group" --format json -o report 2>err
	jq -e --arg cpu "$CPU" '.settings.cpus == $cpu and (.summary | test("more than 1 CPU"))' report
	rmdir "$group"	# nobody is left in it
	group=''
}

# The quota of 10 ms of CPU time in every 100 ms is a tenth of a CPU, and both plans want more.
@test "sink: a load throttled by a CPU quota ends with 3, and names the group with the quota" {
	local words

	need jq
	make_group cpu
	[ -e "$group/cpu.max" ] || [ -e "$group/cpu.cfs_quota_us" ] || skip "no CPU quota in a cgroup here"
	quota_of() {	# PERCENT
		if [ -e "$group/cpu.max" ]; then
			echo "${1}000 100000" >"$group/cpu.max"
		else
			echo "${1}000" >"$group/cpu.cfs_quota_us"
		fi
	}
	mkdir "$group/below"
	quota_of 10
	for words in "-l 50" "--burst every:50ms,len:20ms"; do
		for _ in {1..5}; do
			busy_begin
			# shellcheck disable=SC2086
			run -3 "$SINK" $words -t 500ms --cgroup "$group/below" --format json -o report
			if grep -qw "${group##*/}" <<<"$output" || ! machine_was_busy 500; then break; fi
		done
		grep -qw "${group##*/}" <<<"$output"
		jq -e '.result | if .bursts then .bursts.in_time < 5 else .children[0].share_percent < 25 end' report
	done
	rmdir "$group/below" "$group"
	group=''
}

@test "sink --burst: an error in a plan is named" {
	local head=$'schema\tstart_ns\tlength_ns\n' wrong=0

	plan() {	# text cause
		printf '%s' "$1" >plan
		run "$SINK" --burst plan 3>&-
		[ "$status" -eq 1 ] && [[ $output == "sink: plan: $2"* ]] && [ "${#lines[@]}" -eq 1 ] || { echo "$1: $status $output"; wrong=1; }
	}
	plan '' 'is empty'
	plan "$head" 'the plan has no bursts'
	plan $'schema\tstart\tlength_ns\nburst-plan/1\t0\t5000\n' 'line 1: the header must name schema, start_ns and length_ns'
	plan "${head%?}"$'\r\nburst-plan/1\t0\t5000\r\n' 'line 1: the lines end in CR LF'
	plan "$head"$'burst-plan/1\t0\t5000\nburst-plan/1\t9000\t50' 'line 3: has no line end'
	plan "$head"$'burst-plan/1\t0\t50\n' 'line 2: not a burst of burst-plan/1'
	[ $wrong -eq 0 ]
}

@test "sink --cgroup: every process enters the group; a folder that is no group is refused" {
	local child

	need jq
	run "$SINK" --cgroup "$BATS_TEST_TMPDIR" -t 10ms
	[ "$status" -eq 1 ]
	[[ $output == "sink: --cgroup $BATS_TEST_TMPDIR was refused: "*"cgroup.procs" ]]
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e cgroup.procs ]
	mkdir tree
	: >tree/cgroup.procs
	"$SINK" --cgroup tree -t 10ms --format json >out 2>err
	[ "$(cat tree/cgroup.procs)" = 0 ]	# "whoever writes this", to the kernel of either version
	jq -e '.settings.cgroup == "tree"' out
	make_group cpu
	start_sink -n 2 --cgroup "$group" --format json
	echo "$pid: children $(children_of "$pid"), in the group $(xargs <"$group/cgroup.procs")"
	for child in $(children_of "$pid"); do
		grep -q "/${group##*/}\$" "/proc/$child/cgroup"
	done
	[ "$(sort -nu "$group/cgroup.procs" | wc -l)" = 2 ]
	kill "$pid"
	ends "$pid"
	jq -e --arg name "/${group##*/}" '.result.cgroup | endswith($name)' out
	rmdir "$group"
	group=''
}

@test "sink --slice: the report has the scheduler's slice; a warning if the kernel ignores the request" {
	need jq
	"$SINK" --slice 7ms -t 10ms --format json >out 2>err
	if [ "$(jq .settings.slice_ms out)" = 7 ]; then
		[ "$(cat err)" = ready ]
	else
		grep -q '^sink: --slice is not heeded' err
	fi
	"$SINK" -t 10ms --format json >out 2>err
	jq -e '.settings.slice_ms | . == null or (. > 0 and . < 100)' out
}

# (The time of -t begins at 'ready'.)
@test "sink: the report has the fields of the man page, in every format" {
	need jq
	sink_measured -n 2 -l 50 -t 100ms --format json -o json
	jq -e '.schema == "thinprobe.sink/1" and
		([.result.children[].wall_s] | all(. >= 0.1)) and
		(.settings | [has("count", "load_percent", "period_ms", "nice", "policy", "cpus", "slice_ms", "cgroup", "burst", "seed")] | all)
		and
		(.result | [has("total_share_percent", "children_died", "autogroup", "cgroup")] | all) and
		(.result.children | all([has("cpu_s", "wall_s", "share_percent", "wanted_percent", "runqueue_wait_s")] | all))' json
	"$SINK" -t 10ms -v -o text
	grep -q '^  total_share_percent  *[0-9.]*$' text
}
