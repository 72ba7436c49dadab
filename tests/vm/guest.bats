#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=all
# Guests: a stock kernel with cgroup v2 boots, our programs run in it, and nothing is left of it. One guest ("one") is up for all
# tests of this file; a process of its own holds it, as a driver would. `W` is the tests' own world.

load guests

setup_file() {
	guests_here || return 0
	mkdir "$W/share"
	begin one small -s "$W/share"
	export DRIVER=$driver
}

teardown_file() {
	[ -z "${DRIVER-}" ] || kill "$DRIVER"
}

setup() {
	guests_use
	. "$W/one.up"
}

teardown() {
	[[ " $(jobs -pr | xargs) " != *" ${driver-none} "* ]] || kill "$driver"	# with its guest
	[ ! -d "${group-}" ] || until_true rmdir "$group"
}

until_true() {	# COMMAND...
	local i
	for ((i = 0; i < 600; i++)); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# in_guest COMMAND...: of bash, in the guest "one".
in_guest() { guest_exec one bash -c "$*" </dev/null; }

@test "guest: standard streams and exit status of a command pass through, with any bytes" {
	head -c 300000 /dev/urandom >in
	status=0
	guest_exec one sh -c 'tee /tmp/copy; echo "a  b" >&2; exit 42' <in >out 2>err || status=$?
	[ "$status" -eq 42 ]
	cmp in out
	[ "$(cat err)" = "a  b" ]
	[ "$(in_guest 'sha256sum </tmp/copy')" = "$(sha256sum <in)" ]
}

@test "guest: arguments arrive unchanged, and -u runs as the ordinary user" {
	[ "$(guest_exec one printf '%s|' 'a b' '$HOME' "it's" '' </dev/null)" = "a b|\$HOME|it's||" ]
	guest_exec -u user one sh -c 'id -un; cd && pwd; touch "$XDG_RUNTIME_DIR/x" && id -Gn' </dev/null >out
	[ "$(xargs <out)" = "user /home/user user" ]
	[ "$(guest_exec one id -un </dev/null)" = root ]
}

@test "the kernel is the distribution's, with two CPUs" {
	[ "$(in_guest nproc)" -eq 2 ]
	kernel=$(in_guest uname -r)
	[[ $kernel == *-amd64 ]]
	[ "$kernel" != "$(uname -r)" ]
}

@test "cgroup v2 gives weights and CPU sets" {
	run in_guest '
		set -e
		cd /sys/fs/cgroup
		[ "$(stat -fc %T .)" = cgroup2fs ]
		mkdir t
		echo 300 >t/cpu.weight
		echo 1 >t/cpuset.cpus
		echo $$ >t/cgroup.procs
		cat t/cpu.weight t/cpuset.cpus.effective
		taskset -cp $$ | sed "s/.*: //"
		echo $$ >cgroup.procs
		rmdir t'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(xargs <<<"$output")" = "300 1 1" ]
}

@test "the kernel has pressure, delay accounting, scheduler tracepoints, and the modules that belong to it" {
	run in_guest '
		set -e
		grep some /proc/pressure/cpu
		[ -w /proc/sys/kernel/task_delayacct ]
		[ -d /sys/kernel/tracing/events/sched/sched_switch ]
		modprobe uinput
		[ -c /dev/uinput ]'
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "guest: orphaned processes are reaped" {
	# (the inner one ends when its parent has)
	run in_guest '
		(sleep 0.3 & echo $! >/tmp/orphan)
		pid=$(cat /tmp/orphan)
		for _ in $(seq 100); do [ -e /proc/$pid ] || exit 0; sleep 0.1; done
		cat /proc/$pid/stat
		exit 1'
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "every program of the suite runs in the guest" {
	versions() { for program in "$TOP"/bin/*; do [[ $program == *.so ]] || "$program" --version; done; }	# (one loads it)
	versions >here
	guest_exec one bash -c "TOP=$(printf %q "$TOP"); $(declare -f versions); versions" </dev/null >there
	[ "$(wc -l <there)" -ge 20 ]
	diff here there
}

@test "guest: sink uses the CPU time asked for, by the guest's own account" {
	in_guest "$(printf %q "$TOP")/bin/sink -n 1 -t 2s --json >/tmp/sink
		echo \$(awk '{ print \$14 + \$15, \$16 + \$17 }' /proc/\$\$/stat)" >out
	cat out
	read -r _ children <out
	# hundredths of a second; the machine that emulates it may have little time
	[ "$children" -gt 20 ]
}

@test "idleprofile sees what runs in the guest" {
	run in_guest "$(printf %q "$TOP")/bin/idleprofile -t 500ms --who --json"
	echo "$output" | tail -n 20
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	grep -q 'result' <<<"$output"
}

@test "guest: the suite is mounted read-only; a shared folder is visible on both sides" {
	run in_guest "touch $(printf %q "$TOP")/build/x"
	[ "$status" -ne 0 ]
	echo mine >"$W/share/host"
	in_guest "cat $W/share/host; echo yours >$W/share/guest" >out
	[ "$(cat out)" = mine ]
	[ "$(cat "$W/share/guest")" = yours ]
}

@test "guest: a job runs in the background, and stopping it ends its descendants" {
	guest_start one napper sh -c 'sleep 1000 & echo $! >/tmp/napper; echo begun; wait'
	until_true grep -qs begun "$(guest_job one napper).out"
	in_guest 'kill -0 $(cat /tmp/napper)'
	status=0
	guest_stop one napper || status=$?
	[ "$status" -eq 143 ]
	run in_guest 'for _ in $(seq 100); do [ -e /proc/$(cat /tmp/napper) ] || exit 0; sleep 0.1; done; exit 1'
	[ "$status" -eq 0 ]
}

# qmp SOCKET COMMAND: the answer to it, of a QEMU.
qmp() {
	python3 - "$@" <<'END'
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
f = s.makefile("rw")
f.readline()
for c in ("qmp_capabilities", sys.argv[2]):
    f.write(json.dumps({"execute": c}) + "\n")
    f.flush()
    while True:
        answer = json.loads(f.readline())
        if "return" in answer:
            break
json.dump(answer["return"], sys.stdout)
END
}

@test "guest_vcpus: prints the threads that QEMU reports; their CPU time is that of the guest's CPUs" {
	mapfile -t vcpus < <(guest_vcpus one)
	[ "$(qmp "$(guest_qmp one)" query-cpus-fast | jq -r 'sort_by(."cpu-index")[]."thread-id"')" = "$(printf '%s\n' "${vcpus[@]}")" ]
	pid=$(guest_pid one)
	ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/task/${vcpus[$1]}/stat"; }
	before=("$(ticks 0)" "$(ticks 1)")
	in_guest 'timeout 3 taskset -c 1 sh -c "while :; do :; done"' || true
	used=("$(($(ticks 0) - before[0]))" "$(($(ticks 1) - before[1]))")
	echo "${used[*]}"
	[ "${used[1]}" -gt "$((2 * used[0]))" ]
}

@test "guest: the port org.thinprobe.agent carries lines in both directions" {
	guest_start one port bash -c 'exec 4<>/dev/virtio-ports/org.thinprobe.agent
		while ! read -r line <&4; do sleep 0.1; done; echo "heard $line" >&4; sleep 1'
	run timeout 60 python3 - "$(guest_agent one)" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b"hello\n")
print(s.makefile().readline(), end="")
END
	guest_wait one port
	[ "$output" = "heard hello" ]
}

@test "guest: two guests at a time have their own disks; the common root image stays unchanged" {
	image=$(tr '\0' '\n' <"/proc/$(guest_pid one)/cmdline" | sed -n 's/^file=\(.*\),format=raw.*/\1/p')
	before=$(stat -c '%Y %b' "$image")
	in_guest 'echo one >/etc/mark; sync'
	begin two small -c 1 -m 256M
	. "$W/two.up"
	[ "$(guest_exec two nproc </dev/null)" -eq 1 ]
	run guest_exec two cat /etc/mark </dev/null
	[ "$status" -ne 0 ]
	. "$W/one.up"
	[ "$(in_guest cat /etc/mark)" = one ]
	[ "$(stat -c '%Y %b' "$image")" = "$before" ]
}

@test "guest: QEMU runs on the CPUs asked for; kill -9 of the driver leaves no process, file, socket or mount" {
	group=$(mktemp -d /sys/fs/cgroup/cpu/tp-XXXXXX 2>/dev/null || mktemp -d /sys/fs/cgroup/tp-XXXXXX 2>/dev/null) || group=''
	begin three small -c 1 -m 256M -C 0 ${group:+-G "$group"}
	. "$W/three.up"
	[ "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/"$(guest_pid three)"/task/*/status | sort -u)" = 0 ]
	[ -z "$group" ] || grep -F "${group##*/}" "/proc/$(guest_pid three)/cgroup"
	dir=${GUEST_DIR[three]} keeper=${GUEST_KEEPER[three]} qemu=$(guest_pid three)
	[ -S "$dir/qmp" ]
	kill -0 "$keeper" "$qemu"
	kill -9 "$driver"
	gone() { [ ! -e "$dir" ] && [ ! -d "/proc/$keeper" ] && [ ! -d "/proc/$qemu" ]; }
	until_true gone
	run grep -lszF "$dir" /proc/[0-9]*/cmdline
	[ "$status" -ne 0 ]
	run grep -F "$dir" /proc/net/unix /proc/mounts
	[ "$status" -ne 0 ]
}

@test "guest: kill -9 of the keeper ends QEMU, and clean removes its files" {
	begin four small -c 1 -m 256M
	. "$W/four.up"
	qemu=$(guest_pid four)
	kill -9 "${GUEST_KEEPER[four]}"
	gone() { [ ! -d "/proc/$qemu" ]; }
	until_true gone
	kill "$driver"
	XDG_CACHE_HOME=$PWD/cache "$TOP/lab/guest.sh" clean
	[ ! -e "${GUEST_DIR[four]}" ]
	. "$W/one.up"
	[ -d "${GUEST_DIR[one]}" ]
}

@test "guest.sh run: boots, runs one command, and returns its status" {
	status=0
	"$TOP/lab/guest.sh" run -c 1 -m 256M small sh -c 'uname -n; exit 9' </dev/null >out || status=$?
	[ "$status" -eq 9 ]
	[ "$(cat out)" = guest ]
}

@test "guest: impossible requests give one line" {
	run "$TOP/lab/guest.sh" root nonsense
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	mkdir empty
	for tool in bash dirname awk sed xargs grep paste cat sort; do ln -s "$(command -v $tool)" empty; done
	run bash -c '. "$TOP/lab/lib.sh"; . "$TOP/lab/guest.sh"; PATH=$0; guest_up x small' "$PWD/empty"
	[ "$status" -eq 4 ]
	[[ $output == *"thinprobe setup --app vm"* ]]
}
