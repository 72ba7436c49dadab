#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vamp vm: the shares of vCPUs before, in and after an episode, beside a stand-in for QEMU whose vCPUs share one CPU.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	renice -n 0 -p $$ $BASHPID >/dev/null 2>&1 || true	# nice values are compared with 0
	need jq python3
	sequence=0 group=''
}

teardown() {
	local pid

	for pid in "${started[@]}"; do
		if of_this_test "$pid"; then kill -9 "$pid" 2>/dev/null || true; fi
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$group" ] || until_true group_removed
}

group_removed() {
	rmdir "$group"/*/ "$group" 2>/dev/null
	[ ! -e "$group" ]
}

start_qemu() {	# environment...: $qemu, $vcpu0, $vcpu1, $other (a thread that is no vCPU)
	mkfifo tell
	start qemu env "$@" python3 "$TOP/kits/apps/tests/cli/vamp_qemu.py" "$(taskset -cp $$ | sed 's/.*[^0-9]//')" qmp agent tell
	qemu=$pid
	until_true test -s qemu.out
	read -r vcpu0 vcpu1 other <qemu.out
	exec 7<>tell
}

say() {	# words of the agent
	echo "vamp/1 $((++sequence)) $*" >&7
}

start_vamp() {	# options...
	start vamp "$BIN/vamp" vm --qmp qmp --agent agent --format json -o report "$@"
	vamp=$pid
	until_true settled
	grep -qx ready vamp.err || { cat vamp.err; return 1; }
}

settled() {
	grep -qx ready vamp.err || gone "$vamp"
}

end_vamp() {
	kill "$vamp"
	ends "$vamp"
	cat vamp.err
	[ "$status" -eq 0 ]
}

# $group: a control group for the machine; $weight: the file with its weight
make_group() {
	local top

	for top in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
		group=$top/thinprobe-bats-$BATS_ROOT_PID-$BATS_TEST_NUMBER
		[ -e $top/cgroup.procs ] && mkdir "$group" 2>/dev/null || continue
		for weight in cpu.shares cpu.weight; do
			[ ! -w "$group/$weight" ] || return 0
		done
		rmdir "$group"
	done
	group=''
	skip "no cpu control group can be made here"
}

vcpu_weights() {	# "1024 341"
	cat "$group"/thinprobe-vamp-*-vcpu0/$weight "$group"/thinprobe-vamp-*-vcpu1/$weight | xargs
}

weights_are() {
	[ "$(vcpu_weights)" = "$1" ]
}

# Run times of vCPU 0, vCPU 1 and the other thread, in ns
spent() {
	local n

	n=$(cat tell.spent 2>/dev/null | wc -l)
	echo spent >&7
	until_true more_lines "$n"
	tail -n 1 tell.spent
}

more_lines() {
	[ "$(wc -l <tell.spent)" -gt "$1" ]
}

# Says the words, then "alive", so that the agent is not silent; again where it was, all the same.
# $shares: run times while vCPU 0 ran for 0.4 s
take_shares() {	# PARTS, agent's words...
	local parts=$1 before now i word silences _

	shift
	for _ in {1..5}; do
		busy_begin
		silences=$(grep -c silent vamp.err || true)
		for word in "$@"; do say "$word"; done
		sleep 0.2
		read -ra before < <(spent)
		for ((i = 0; i < 600; i++)); do
			say alive
			sleep 0.1
			read -ra now < <(spent)
			[ $((now[0] - before[0])) -lt 400000000 ] || break
		done
		shares=($((now[0] - before[0])) $((now[1] - before[1])) $((now[2] - before[2])))
		echo "$*: ${shares[*]}"
		if [ "$(grep -c silent vamp.err || true)" -le "$silences" ] && near_ratio "${shares[0]}" "${shares[1]}" "$parts"; then break; fi
		machine_was_busy 200 || break
	done
}

near_ratio() {	# a b parts: a is parts times b, by a third or so
	awk -v a="$1" -v b="$2" -v parts="$3" 'BEGIN { exit !(a / b > parts / 1.5 && a / b < parts * 1.5) }'
}

group_of() {	# thread
	grep -E '^[0-9]+:([^:]*,)?cpu(,[^:]*)?:|^0::' "/proc/$1/cgroup"
}

@test "vamp vm: shares of vCPUs are equal, 1 to 9 in the episode, then equal; their sum stays; all is undone" {
	local fast before

	make_group
	start_qemu
	before=$(group_of "$vcpu0")
	start_vamp --ratio M --group "$group" --log log
	fast=$(cat "$group/$weight")	# nobody has changed it
	weights_are "$fast $fast"
	take_shares 1 alive
	near_ratio "${shares[0]}" "${shares[1]}" 1

	take_shares 9 begin "cpu 0 3" "cpu 1 97"
	weights_are "$fast $(((fast + (fast == 100) * 4) / 9))"
	near_ratio "${shares[0]}" "${shares[1]}" 9
	near_ratio "${shares[0]}" "${shares[2]}" 1	# an I/O thread is not slowed
	[ "$(cat "$group/$weight")" = "$fast" ]

	take_shares 1 end
	weights_are "$fast $fast"
	near_ratio "${shares[0]}" "${shares[1]}" 1

	end_vamp
	[ "$(group_of "$vcpu0")" = "$before" ]
	[ "$(group_of "$vcpu1")" = "$before" ]
	[ "$(group_of "$other")" = "$before" ]
	[ -z "$(ls -d "$group"/*/ 2>/dev/null)" ]
	jq -e '.result | .lines_refused == 0 and .lines_lost == 0 and .not_undone == 0 and
		.weights_failed == 0' report
	# the account of the episode agrees with the kernel's and with itself
	jq -e '.result.episodes[-1] | .ended_by == "agent" and (.vcpus | map(.index)) == [0, 1] and .vcpus[0].slow_s == 0 and
		.vcpus[1].slow_s > 0 and .vcpus[1].slow_s <= (.ended_ns - .started_ns) / 1e9 + 0.001 and
		.vcpus[0].run_s > 4 * .vcpus[1].run_s and (.vcpus[1] | .run_s + .wait_s <= 1.02 * .slow_s + 1)' report
	head -n 1 log | grep -qx $'schema\ttime_ns\tinterval_ns\tvcpu\tweight\tbackground_percent\trun_ns\twait_ns'
	[ "$(cut -f 5 log | sort -nu | xargs)" = "weight $((1024 * ((fast + (fast == 100) * 4) / 9) / fast)) 1024" ]
	# rows add up to the report's sums
	jq -e --argjson run "$(awk -F'\t' '$4 == "1" { s += $7 } END { printf "%.0f", s }' log)" \
		'.result.vcpus[1].run_s - $run / 1e9 | fabs < 0.002' report
}

registers() {	# CR3 of vCPU 0 and of vCPU 1
	echo "$*" >tell.new
	mv tell.new tell.cr3
}

@test "vamp vm --registers: tasks that were there before the input are background, whatever the agent says of vCPUs" {
	local fast slow

	make_group
	registers 1000 2000
	start_qemu
	start_vamp --ratio M --group "$group" --registers
	fast=$(cat "$group/$weight")
	slow=$(((fast + (fast == 100) * 4) / 9))
	for _ in {1..15}; do say alive; sleep 0.1; done	# both vCPUs run or wait all the time
	weights_are "$fast $fast"
	# (where others have the CPU, a vCPU's wait is in no counter before it ends: the next input finds it)
	until_true eval 'say begin; sleep 0.1; weights_are "$slow $slow"'
	registers 3000 2000	# a task that comes in the episode is none
	until_true eval 'say cpu 0 100; say cpu 1 0; weights_are "$fast $slow"'
	registers 1000 4000
	until_true eval 'say alive; weights_are "$slow $fast"'
	say end
	until_true weights_are "$fast $fast"
	end_vamp
	jq -e '.settings.registers and (.result | .register_samples > 50 and .episodes[-1].background_tasks == 2)' report
}

@test "vamp vm --registers: a QEMU without registers ends the run" {
	registers 1000
	start_qemu
	start_vamp --dry-run --registers
	ends "$vamp"
	[ "$status" -eq 1 ]
	grep -q "^vamp: .*registers" vamp.err
}

@test "vamp vm: if the agent falls silent or its port closes, shares become equal, with a message" {
	local fast

	make_group
	start_qemu
	start_vamp --ratio H --group "$group" --log log
	fast=$(cat "$group/$weight")
	say begin
	say cpu 0 100
	until_true grep -q silent vamp.err
	until_true weights_are "$fast $fast"
	until_true eval '[ "$(cut -f 4,5 log | sort -u | grep -c "^0.")" = 2 ]'	# it was slow until then
	say begin
	say cpu 1 100
	until_true eval 'say alive; ! weights_are "$fast $fast"'	# (else it is silent by the time that we look)
	echo close >&7
	ends "$vamp"
	[ "$status" -eq 0 ]
	jq -e '.result | [.episodes[].ended_by] == ["silence", "port closed"] and .silences >= 1' report
	[ -z "$(ls -d "$group"/*/ 2>/dev/null)" ]
}

@test "vamp vm: killed in an episode, its watchdog undoes all changes" {
	local before

	make_group
	start_qemu
	before=$(group_of "$vcpu0")
	start_vamp --group "$group"
	say begin
	say cpu 0 100
	until_true eval 'say alive; [ "$(vcpu_weights | xargs -n 1 | sort -u | wc -l)" -eq 2 ]'
	kill -9 "$vamp"
	until_true eval '[ "$(group_of "$vcpu0")" = "$before" ] && [ -z "$(ls -d "$group"/*/ 2>/dev/null)" ]'
	[ "$(group_of "$vcpu1")" = "$before" ]
}

# bats test_tags=all
@test "vamp vm: vCPUs that are in groups already: these groups get the weights, and their own ones back" {
	local i

	make_group
	[ "$weight" = cpu.shares ] || skip "version 1 is easier to prepare"
	mkdir "$group"/{rest,0,1}
	echo 500 >"$group/1/$weight"
	start_qemu
	echo "$qemu" >"$group/rest/cgroup.procs"
	echo "$vcpu0" >"$group/0/tasks"
	echo "$vcpu1" >"$group/1/tasks"
	start_vamp --ratio L
	say begin
	say cpu 1 80
	until_true eval 'say alive; [ "$(cat "$group/1/$weight")" = 166 ]'
	[ "$(cat "$group/0/$weight")" = 1024 ]
	[ "$(ls -d "$group"/*/ | wc -l)" -eq 3 ]
	kill -9 "$vamp"
	until_true eval '[ "$(cat "$group/1/$weight")" = 500 ]'
}

nice_of() {	# thread
	ps -o ni= -L -p "$qemu" -o tid= | awk -v tid="$1" '$2 == tid { print $1 }'
}

# bats test_tags=all
@test "vamp vm: for a QEMU without its own group it uses nice values, and says so" {
	[ "$(id -u)" -eq 0 ] || skip "needs root: a nice value could not be set back"
	[ "$(group_of self | cut -d: -f3 | sort -u)" = / ] || skip "this test is in a control group itself"
	start_qemu
	start_vamp --ratio L
	grep -q '^vamp: nice: .*--group' vamp.err
	say begin
	say cpu 0 0
	say cpu 1 80
	until_true eval 'say alive; [ "$(nice_of "$vcpu1")" = 5 ]'
	[ "$(nice_of "$vcpu0")" = 0 ]
	[ "$(nice_of "$other")" = 0 ]
	take_shares 3 begin "cpu 1 80"
	near_ratio "${shares[0]}" "${shares[1]}" 3
	say cpu 1 20
	until_true eval 'say alive; [ "$(nice_of "$vcpu1")" = 0 ]'
	say cpu 1 80
	until_true eval 'say alive; [ "$(nice_of "$vcpu1")" = 5 ]'
	end_vamp
	[ "$(nice_of "$vcpu1")" = 0 ]
	jq -e '.settings.way == "nice" and .settings.slow_weight == 335' report
}

@test "vamp vm: --status shows threads, groups and weights; --dry-run makes the report without changes" {
	local before

	start_qemu
	"$BIN/vamp" vm --qmp qmp --status --format json >out
	jq -e --argjson qemu "$qemu" --argjson a "$vcpu0" --argjson b "$vcpu1" \
		'.result | .pid == $qemu and (.vcpus | map([.index, .thread, .nice]) == [[0, $a, 0], [1, $b, 0]])' out
	before=$(group_of "$vcpu1")
	start_vamp --dry-run --ratio M --log log
	say begin
	say cpu 1 80
	until_true eval 'grep -qP "\t1\t113\t80\t" log'
	[ "$(group_of "$vcpu1")" = "$before" ]
	[ "$(nice_of "$vcpu1")" = 0 ]
	say end
	until_true eval 'tail -n 2 log | grep -qP "\t1\t1024\t\t"'
	end_vamp
	jq -e '.settings.way == "dry run" and (.result.episodes[0].vcpus | .[0].slow_s == 0 and .[1].slow_s > 0)' report
}

@test "vamp vm: missing threads, and a single thread, are refused" {
	local thread

	for thread in 1 4194305; do
		rm -f tell qmp agent
		start_qemu WRONG_THREAD=$thread
		run "$BIN/vamp" vm --qmp qmp --agent agent -t 1s
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "vamp: vCPU "*"thread $thread "* ]]
		kill -9 "$qemu"
	done
}

@test "vamp vm: errors are one line that names what is missing or wrong" {
	local want words text
	start_qemu
	while IFS='|' read -r want words text; do
		eval "one_line $want \"vamp: $text\" \"\$BIN/vamp\" vm $words"
	done <<-'END'
		2|--agent agent|--qmp
		2|--qmp qmp|--agent
		2|--qmp qmp --agent agent word|
		1|--qmp "$PWD/none" --agent agent|cannot reach QEMU at $PWD/none: 
		1|--qmp qmp --agent none|cannot reach the agent's port at none: 
		1|--qmp qmp --agent agent --group "$PWD"|--group $PWD: 
	END
}
