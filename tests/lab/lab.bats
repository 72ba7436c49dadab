#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The local lab: two emulated hosts with streams, link rate and CPUs, which leave nothing behind. Run by root, tests of a whole life
# of a lab run twice, as root and as an ordinary user (some only once in check). `W` is the test's own folder below /tmp.

load world

setup() {
	world setpriv unshare nsenter ip tc ethtool jq
	may_have_hosts
}

teardown() {
	if declare -F lab >/dev/null; then lab down || true; fi	# a test has failed before that
	world_end
}

# driver NAME [PRELUDE]: makes a driver script from standard input. Its locks and pipes are the test's own, so that it and other
# labs do not wait for each other.
driver() {
	{
		printf 'set -u\nW=%q TESTS=%q\n' "$W" "$TESTS"
		printf 'export TMPDIR=$W/tmp LAB_LOCKS=${LAB_LOCKS-$W/locks}; mkdir -p "$TMPDIR"\n%s\n' "${2-}"
		printf 'LAB_RUN="$W/%s run"\n. %q/lab/lib.sh\nlab_use local\n' "$1" "${LAB_COPY-$TOP}"
		cat
	} >"$W/$1.sh"
	[ ${#AS[@]} -eq 0 ] || chown 12345 "$W/$1.sh"
}

drive() {
	driver main "${1-}"
	cd /
	run "${AS[@]}" timeout -k 10 240 bash "$W/main.sh"
}

gone() { [ -z "$(survivors)" ]; }

# Fails if a lab has left processes, links, sockets, mounts or held locks. (Namespaces end with their processes.)
leaves_nothing() {
	local end=$((SECONDS + 50)) f
	soon gone || { echo "still alive: $(survivors)"; return 1; }
	if ip link 2>/dev/null | grep -E 'tp[0-9a-f]{6}[sc]'; then return 1; fi
	if grep -E "$W|^thinprobe " /proc/self/mounts; then return 1; fi
	for f in /tmp/.X11-unix/X* /tmp/.X*-lock; do
		[ -e "$f" ] && [[ $x_before != *"$f "* ]] || continue
		# Other X servers may start meanwhile: they are alive, or disappear.
		until [ ! -e "$f" ] || x_alive "$f"; do
			[ $SECONDS -lt $end ] || { echo "$f was left"; return 1; }
			sleep 0.1
		done
	done
	for f in "$W"/locks/cpu*; do
		[ ! -e "$f" ] || flock -n "$f" true || { echo "$f is still held"; return 1; }
	done
}
export_world() {
	export LAB_TEST_WORLD=$W
	x_before="$(echo /tmp/.X11-unix/X* /tmp/.X*-lock) "
}

# Bash's names of the wall clock become plain variables, which the commands step.
@test "a wait does not end when the wall clock jumps ahead, and does end when it stands" {
	run timeout 30 bash -c '. "$1/lab/lib.sh"
		unset EPOCHREALTIME EPOCHSECONDS SECONDS
		EPOCHREALTIME=1000.000000 EPOCHSECONDS=1000 SECONDS=1000 n=0
		jumps() { EPOCHREALTIME=$((n += 1))000.000000 EPOCHSECONDS=${n}000 SECONDS=${n}000; [ "$n" = 5 ]; }
		wait_until 20 jumps && echo came
		wait_until 0.2 false || echo ended' bash "$TOP"
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = $'came\nended' ]
}

streams() {
	drive <<'END'
lab_up
lab_exec server sh -c 'cat; echo to stderr >&2; exit 7' <<<"from stdin" 2>"$W/err"
echo "status $? $(cat "$W/err")"
lab_exec client sh -c 'kill -9 $$'
echo "killed $?"
lab_exec client sh -c 'printf "[%s]" "$@"' sh 'two words' '' '$HOME' "quo'te"
echo
lab_start server job sh -c 'trap "echo bye; exit 9" TERM; echo ready >&2; while :; do sleep 0.05; done'
job=$LAB_PID
lab_ready job 30 && kill -TERM $job
wait $job
echo "job $? $(cat "$LAB_LOG/job.out")"
lab_start server dead sh -c 'echo no luck >&2; exit 4'
lab_ready dead 30 2>&1
mkfifo "$W/go"; exec {go}<>"$W/go"
lab_start -i $go server held sh -c 'read -r line; echo "got $line"'
echo start >&$go
wait $LAB_PID
cat "$LAB_LOG/held.out"
lab_start server stubborn sh -c 'trap "" TERM; echo ready >&2; while :; do sleep 0.1; done'
lab_ready stubborn 30 && lab_stop $LAB_PID && echo "stopped"
# (not by lab_start: it has no door, and its child is not what is to end)
sh -c 'trap "" TERM; echo ready; while :; do sleep 0.2; done' >"$W/outside" & outside=$!
until [ -s "$W/outside" ]; do sleep 0.05; done
lab_stop $outside
[ -e /proc/$outside ] || echo "stopped outside"
lab_start server paused sh -c 'echo ready >&2; sleep 0.3; exit 6'
lab_ready paused 30 && lab_child $LAB_PID && kill -STOP $LAB_CHILD && sleep 0.5 && kill -CONT $LAB_CHILD
wait $LAB_PID
echo "paused $?"
lab_down
lab_down
END
	said 0 "from stdin" "status 7 to stderr" "killed 137" "[two words][][\$HOME][quo'te]" "job 9 bye" \
		"dead ended before it was ready: no luck" "got start" "stopped" "stopped outside" "paused 6"
	[[ $output != *Killed* && $output != *Terminated* && $output != *wait_for* ]]
}

@test "what is done at the end is done also where a signal comes in the middle of a wait for a line" {
	driver main <<'END'
open_pipe talk
on_exit echo tidied
on_exit wait_until 1 true
(sleep 0.5; kill $$) &
read_line 20 "$talk"
END
	run timeout 60 bash "$W/main.sh"
	[ "$output" = tidied ]
}

@test "lab: streams, arguments, exit status and signals pass through (as started)" { streams; }

# bats test_tags=all
@test "lab: streams, arguments, exit status and signals pass through (ordinary user)" {
	as_user
	streams
}

life() {
	drive <<'END'
lab_up
cpu() { lab_exec "$@" sh -c 'sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status'; }
lab_start server listen perl "$TESTS/link.pl" serve 7000
listener=$LAB_PID
lab_ready listen 30
lab_exec client perl "$TESTS/link.pl" send "$LAB_ADDR_server" 7000 1000
wait $listener
echo "across $? $(cat "$LAB_LOG/listen.out")"
echo "uid $(lab_exec server id -u)"
[ "$LAB_SHARED_CPUS" = 1 ] || [ "$LAB_CPUS_server" != "$LAB_CPUS_client" ] || echo "one CPU for both"
[ "$(cpu server)" = "$LAB_CPUS_server" ] && [ "$(cpu client)" = "$LAB_CPUS_client" ] &&
	[ "$(cpu -C server)" = "$LAB_CPUS_client" ] && echo pinned
[ "$(taskset -pc $$ | sed 's/.*: //')" = "$LAB_CPUS_client" ] && echo "driver keeps off"
lab_exec -C server test -e "/sys/class/net/$LAB_IF_server" || true
lab_exec -C server ip -o link show "$LAB_IF_server" >/dev/null && echo "capture sees the server's link"
lab_start server a sleep 300; a=$LAB_PID
lab_start server b sleep 300; b=$LAB_PID
lab_start -S server c sleep 300; c=$LAB_PID
session() { lab_regime $1 | sed 's/.*session=\([0-9]*\).*/\1/'; }
command_runs() { lab_child $1; grep -q sleep "/proc/$LAB_CHILD/comm"; }
wait_until 30 command_runs $a; wait_until 30 command_runs $b; wait_until 30 command_runs $c
[ "$(session $a)" = "$(session $b)" ] && [ "$(session $a)" != "$(session $c)" ] && echo "same login, other login"
lab_down
[ "$(taskset -pc $$ | sed 's/.*: //')" = "$LAB_DRIVER_CPUS" ] && echo "driver is free again"
END
	said 0 "across 0 1000" "uid 1000" "pinned" "driver keeps off" "capture sees the server's link" "same login, other login" \
		"driver is free again"
	[[ $output != *"one CPU for both"* ]]
	leaves_nothing
}

@test "lab: link, users, CPUs and logins are as they should be; after the end nothing is left (as started)" {
	export_world
	life
}

@test "lab: link, users, CPUs and logins are as they should be; after the end nothing is left (ordinary user)" {
	as_user
	export_world
	life
}

@test "lab: a program that signals its whole process group reaches no other (ordinary user)" {
	as_user
	drive <<'END'
lab_up
all='trap "" TERM INT; kill -TERM 0; kill -INT 0; echo "alone $?"'
lab_exec server sh -c "$all"
lab_exec client sh -c "$all"
lab_start server one sh -c "$all"
lab_wait "$LAB_PID"
cat "$LAB_LOG/one.out"
lab_exec client sh -c 'kill -KILL 0'
echo "still here"
END
	said 0 "still here"
	[ "$(grep -cx 'alone 0' <<<"$output")" = 3 ]
}

@test "lab: a login whose home is the folder of the system's programs (ordinary user)" {
	as_user
	AS+=(env HOME=/usr)
	drive <<'END'
lab_up
lab_exec server sh -c 'ls /usr/lib >/dev/null && echo there'
END
	said 0 "there"
}

@test "lab: works in a folder below /tmp, with a space in the path, from any working directory" {
	as_user
	mkdir "$W/sp ace"
	mkdir "$W/sp ace/bin"
	cp "$TOP/bin/door" "$W/sp ace/bin/door"
	cp -R "$TOP/lab" "$W/sp ace/lab"
	chmod -R a+rX "$W"
	mkdir -p "$W/here and there"
	chmod 777 "$W/here and there"
	LAB_COPY="$W/sp ace" drive 'cd "$W/here and there"; echo visible >file; echo kept >"$W/a script"; LAB_KEEP=("$W/a script")' <<'END'
lab_up
lab_exec server cat file
lab_exec client cat "$W/a script"
lab_exec server sh -c 'echo written >"$1/out"' sh "$LAB_RUN" && cat "$LAB_RUN/out"
touch "$W/unseen"
lab_exec server test -e "$W/unseen" || echo "own /tmp"
END
	said 0 "visible" "kept" "written" "own /tmp"
}

@test "lab: the link keeps its rate" {
	drive 'LAB_RATE=10Mbit' <<'END'
lab_up
lab_can server shape || { echo "no tbf here"; exit; }
lab_start server sink perl "$TESTS/link.pl" serve 7000; sink=$LAB_PID
lab_ready sink 30
begin=${EPOCHREALTIME/[.,]/}
lab_exec client perl "$TESTS/link.pl" send "$LAB_ADDR_server" 7000 2000000
wait $sink
echo "bytes $(cat "$LAB_LOG/sink.out")"
[ $((${EPOCHREALTIME/[.,]/} - begin)) -ge 1400000 ] && echo "not faster than the link"
END
	said 0
	[[ $output == *"no tbf here"* ]] && skip "this kernel has no tbf"
	said 0 "bytes 2000000" "not faster than the link"
}

@test "lab: a wrong rate, a wrong role, a missing run folder: one line and the right status" {
	drive 'LAB_RATE=fast' <<<'lab_up'
	said 2
	[[ $output == *"LAB_RATE=fast"*"100Mbit"* ]]
	[ "${#lines[@]}" -eq 1 ]
	drive <<<'lab_up; lab_exec listener true'
	said 2 "no role 'listener'"
	drive <<<'unset LAB_RUN; lab_up'
	[ "$status" -eq 2 ]
	drive <<<'lab_exec server true'
	said 1 "lab_up"
}

@test "lab: root that lacks CAP_NET_ADMIN makes its network in a user namespace" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	AS=(setpriv --bounding-set=-net_admin --inh-caps=-net_admin)
	"${AS[@]}" unshare --user --map-root-user --net true 2>/dev/null || skip "this system forbids user namespaces"
	drive <<<'lab_up; lab_exec client true && echo "rootless $LAB_ROOTLESS"'
	said 0 "rootless 1"
}

@test "lab, doctor: in a chroot there are no hosts, and both say so" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare --net --mount true || skip "no namespace of its own can be made here"
	run unshare --mount sh -c '
		mount -t tmpfs chroot "$1" && cd "$1" || exit
		for d in /usr /etc /proc /sys /dev "$2"; do mkdir -p ".$d" && mount --rbind "$d" ".$d" || exit; done
		ln -s usr/bin usr/sbin usr/lib usr/lib64 . && mkdir -p tmp || exit
		chroot . "$2/lab/doctor.sh" --json stalls
		echo "doctor $?"
		chroot . "$2/lab/lab.sh" up 2>&1
		echo "lab $?"' sh "$(mktemp -d "$W/root.XXX")" "$TOP"
	said 0 '"can_measure": false' "doctor 4" "chroot" "lab 4"
	jq -e '.rows[] | select(.what == "two emulated hosts") | .state == "no" and .cure != null' <<<"${output%doctor 4*}"
}

@test "lab: a server of several CPUs; the client has its last one where no other is left, and nobody else has them" {
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	as_user
	drive "LAB_SERVER_CPUS=$(nproc)" <<'END'
lab_up
echo "server $LAB_CPUS_server client $LAB_CPUS_client shared $LAB_SHARED_CPUS"
for cpu in ${LAB_CPUS_server//,/ }; do flock -n "$LAB_LOCKS/cpu$cpu" true && echo "CPU $cpu is not locked"; done
lab_down
LAB_SERVER_CPUS=1
lab_up
echo "then ${LAB_CPUS_server//,/ and }, shared $LAB_SHARED_CPUS"
END
	echo "$output"
	local cpus
	cpus=$(taskset -pc $$ | sed 's/.*: //')
	. "$TOP/lab/machine.sh"
	cpus=$(machine_cpu_list "$cpus")
	[[ $output == *"server ${cpus// /,} client ${cpus##* } shared 1"* ]]
	[[ $output != *"is not locked"* ]]
	[[ $output == *"then ${cpus%% *}, shared 0"* ]]
}

@test "lab: a second lab waits for the CPUs, then shares them and says so" {
	[ "$(nproc)" -ge 2 ] && [ "$(nproc)" -lt 6 ] || skip "needs a machine whose CPUs one lab fills (2 to 5 of them)"
	as_user
	driver first <<'END'
lab_up
echo "first $LAB_SHARED_CPUS"
touch "$W/first is up"
wait_until 120 test -e "$W/second is done"
END
	"${AS[@]}" bash "$W/first.sh" >"$W/first.out" 2>&1 3>&- &
	pid=$!
	for _ in {1..1200}; do [ -e "$W/first is up" ] && break; sleep 0.05; done
	[ -e "$W/first is up" ]
	drive 'LAB_CPU_WAIT=1' <<'END'
lab_up
echo "second $LAB_SHARED_CPUS"
lab_down
[ "${LAB_SHARED_CPUS}" = 0 ] && echo "the mark is not kept"
LAB_SHARED_CPUS=1
lab_up
echo "third $LAB_SHARED_CPUS"
END
	touch "$W/second is done"
	wait
	echo "$output"
	grep -q "first 0" "$W/first.out"
	[[ $output == *"waiting up to 1 s"* ]]
	[[ $output == *"second 1"* && $output == *"the mark is not kept"* && $output == *"third 1"* ]]
}

@test "lab_cpu: the CPU time of a CPU hog in the host counts as the lab's own, also after its end" {
	drive <<'END'
lab_up
a=$(lab_cpu server)
lab_start server greedy sh -c 'while :; do :; done'
# the lab's own CPU time is the fourth field of lab_cpu
had() {
	b=$(lab_cpu server)
	after=${EPOCHREALTIME/[.,]/}000
	awk -v a="$a" -v b="$b" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(y[4] - x[4] > 2e8) }'
}
wait_until 30 had
lab_stop $LAB_PID
c=$(lab_cpu server)
regime=$(lab_exec server true; lab_start server x sleep 5; nap 0.2; lab_regime $LAB_PID)
# a reading takes time: it reads the clock first, then the busy time, the lab's own time last
awk -v a="$a" -v b="$b" -v c="$c" -v after="$after" 'BEGIN {
	split(a, x, " "); split(b, y, " "); split(c, z, " ")
	print "busy", z[2] - x[2], "own", y[4] - x[4], "of", after - x[1], "after", z[4] - x[4]
	if (y[4] - x[4] > 5e7 && y[4] - x[4] < after - x[1] + 1e8) print "live counted"
	if (z[4] >= y[4] - 1e7) print "ended counted"
	if (z[2] - x[2] > y[4] - x[4] - 1e8) print "busy holds own"
}'
END
	said 0 "live counted" "ended counted" "busy holds own"
}

@test "machine_cpu: the clock and the busy time are of one instant, also if awk begins late" {
	local cpu
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
	run -0 taskset -c "$cpu" bash -c '. "$1"
		machine_cpu "$2"
		awk() {	# one second later, in which the CPU is busy
			local from=${EPOCHREALTIME/[.,]/}
			until ((${EPOCHREALTIME/[.,]/} - from > 1000000)); do :; done
			command awk "$@"
		}
		machine_cpu "$2"' bash "$TOP/lab/machine.sh" "$cpu"
	echo "$output"
	awk 'NR == 1 { now = $1; busy = $2 } END { exit !(NR == 2 && $2 - busy < $1 - now + 3e8) }' <<<"$output"
}

@test "machine_servants: emulated disks and the kernel's threads, as ps knows them; no other process" {
	local disk other
	cp "$(command -v sleep)" "$W/slowdisk"
	"$W/slowdisk" 60 3>&- &
	disk=$!
	sleep 60 3>&- &
	other=$!
	until_true grep -qx slowdisk "/proc/$disk/comm"
	. "$TOP/lab/machine.sh"
	machine_servants >"$W/servants" && status=0 || status=$?
	kill "$disk" "$other"
	if [ "$(ps -o comm= -p 2)" = kthreadd ]; then
		grep -qx "/proc/$disk" "$W/servants"
		run -1 grep -qx -e "/proc/$other" -e "/proc/$$" "$W/servants"
		# (threads come and go)
		[ "$(comm -12 <(sed 's,/proc/,,' "$W/servants" | sort) <(ps -o pid= --ppid 2 | tr -d ' ' | sort) | wc -l)" -gt 10 ]
	else
		[ "$status" = 1 ]
	fi
}

@test "lab_can tries each lever; lab_facts prints JSON" {
	drive <<'END'
lab_up
for lever in pin shape autogroup swap capture rt; do lab_can server $lever; echo "$lever $?"; done
[ "$(lab_facts | jq -r '.tools.mousepad // ""')" = "$(dpkg-query -W -f='${Version}' mousepad 2>/dev/null)" ] && echo "as dpkg says"
facts_json | jq -e '.kernel and .cpu.count >= 1 and .link.server.offloads.tso == "off" and .tools.bash
	and (.user_namespaces | type == "boolean")'
END
	said 0 "as dpkg says"
	[[ ${lines[-1]} == true ]]
	[ "$(grep -cE '^(pin|shape|autogroup|swap|capture|rt) [01]$' <<<"$output")" -eq 6 ]
}

vnc_echo() {
	for tool in Xvnc xterm xdotool xset; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	drive <<'END'
lab_up
protocol_use vnc
app_use vim
must protocol_start one
echo "display $PROTOCOL_DISPLAY target $PROTOCOL_TARGET"
must app_start "$PROTOCOL_DISPLAY"
protocol_settings | jq -r '"floor \(.floor_ms)"'
lab_exec client perl "$TESTS/rfb.pl" "$LAB_ADDR_server" "$PROTOCOL_PORT"
first=$PROTOCOL_PORT
must protocol_start two
[ "$first" != "$PROTOCOL_PORT" ] && echo "two sessions"
lab_can server pin
app_stop
protocol_stop
lab_listens server "$first" || echo "stopped"
END
	said 0 "display :1 target vnc:10.203.0.1:5901" "floor 8.33" "echo " "two sessions" "stopped"
	leaves_nothing
}

# bats test_tags=all
@test "vnc: a key typed by another VNC client changes the screen (as started)" {
	export_world
	vnc_echo
}

@test "vnc: a key typed by another VNC client changes the screen (ordinary user)" {
	as_user
	export_world
	vnc_echo
}

@test "vnc:refecho: the reference server answers another VNC client" {
	[ -x "$TOP/bin/refecho" ] || skip "refecho is not built"
	as_user
	export_world
	drive 'APP_COST=0ms' <<'END'
lab_up
protocol_use vnc:refecho
echo "$(protocol_kind) $(protocol_can)"
must protocol_start one
echo "[$PROTOCOL_DISPLAY] $PROTOCOL_TARGET"
lab_exec client perl "$TESTS/rfb.pl" "$LAB_ADDR_server" "$PROTOCOL_PORT"
protocol_settings | jq -r '"floor \(.floor_ms)"'
protocol_stop one
END
	said 0 "application " "[] vnc:10.203.0.1:5901" "echo " "floor 0"
	leaves_nothing
}

@test "null: starts no server and no display" {
	drive <<'END'
lab_up
protocol_use null
must protocol_start one
echo "[$PROTOCOL_DISPLAY] [$PROTOCOL_TARGET]"
protocol_settings | jq -c .floor_ms
protocol_stop
END
	said 0 "[] [null:]"
}

seen() { # waits until the session is up: about a second, longer on a busy machine
	local _
	for _ in {1..600}; do [ "$(survivors | wc -l)" -le 10 ] || return 0; sleep 0.1; done
	return 1
}

# Kills the driver at moments from before the lab is up until after the session is up; everything must disappear by itself.
killed() {
	local moment pid i=0
	command -v Xvnc >/dev/null || skip "Xvnc is not installed"
	driver victim <<'END'
lab_up
protocol_use vnc
must protocol_start one
command -v xterm xdotool >/dev/null && app_use vim && app_start "$PROTOCOL_DISPLAY"
lab_start server load sh -c 'sh -c "while :; do sleep 0.01; done" & while :; do sleep 0.01; done'
lab_start -S server login sleep 300
lab_start -C server capture sleep 300
lab_exec client sleep 300
END
	for moment in 0.00 0.02 0.05 0.09 0.15 0.3 0.6 1.0; do
		printf -v moment '%s%d' "$moment" $((RANDOM % 10))
		# exec all the way: the pid is the driver's own
		"${AS[@]}" bash "$W/victim.sh" >"$W/victim.out" 2>&1 3>&- &
		pid=$!
		sleep "$moment"
		[ $i -lt 7 ] || seen || { echo "the session is not seen: $(survivors)"; return 1; }
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null || true
		leaves_nothing || { echo "killed after $moment s"; cat "$W/victim.out"; return 1; }
		i=$((i + 1))
	done
	# The next lab comes up normally.
	drive <<<'lab_up; echo "again $LAB_SHARED_CPUS"'
	said 0 "again"
}

# bats test_tags=all
@test "lab: kill -9 of the driver at any moment leaves nothing (as started)" {
	export_world
	killed
}

@test "lab: kill -9 of the driver at any moment leaves nothing (ordinary user)" {
	as_user
	export_world
	killed
}

@test "lab: a host that dies is named as lost" {
	for role in server client; do
		drive <<END
lab_up
if lab_lost; then echo "too early"; fi
kill -9 "\$LAB_HOLD_$role"
wait_until 60 lab_lost
END
		[ "$status" -eq 0 ]
		[[ $output != *early* && $output == *"emulated $role is gone"* ]]
	done
}

@test "lab clean: removes what a killed run left, and nothing else" {
	mkdir "$W/locks" "$W/tmp"
	touch "$W/locks/cpu0" "$W/locks/cpu1" "$W/tmp/other"
	mkdir "$W/tmp/thinprobe-watch.killed" "$W/tmp/thinprobe-watch.livin1"
	bash -c 'exec -a commands/watch.sh sleep 100' 3>&- &
	echo $! >"$W/tmp/thinprobe-watch.livin1/pid"
	until_true grep -qza 'commands/watch\.sh$' "/proc/$!/cmdline"
	exec 8<"$W/locks/cpu1"
	flock -n 8
	export LAB_LOCKS="$W/locks" TMPDIR="$W/tmp" XDG_RUNTIME_DIR="$W/tmp"
	run "$TOP/lab/lab.sh" clean
	echo "$output"
	exec 8<&-
	kill $!
	[ "$status" -eq 0 ]
	[ ! -e "$W/locks/cpu0" ]
	[ -e "$W/locks/cpu1" ]
	[ -e "$W/tmp/other" ]
	[ ! -e "$W/tmp/thinprobe-watch.killed" ]
	[ -e "$W/tmp/thinprobe-watch.livin1" ]
	run "$TOP/lab/lab.sh" clean
	[ ! -e "$W/locks" ]
}

@test "lab clean: a name that another login has chosen ends no process and says nothing to the terminal" {
	mkdir -p "$W/locks" "$W/tmp/"$'thinprobe-ssh.\n-mine' "$W/tmp/"$'thinprobe-watch.\ec1234'
	echo 4194304 >"$W/tmp/"$'thinprobe-ssh.\n-mine/pid'
	touch "$W/locks/"$'cpu\ec'
	bash -c 'exec -a -mine sleep 100' 3>&- &
	pid=$!
	until_true grep -qzxF -e -mine "/proc/$pid/cmdline"
	LAB_LOCKS="$W/locks" TMPDIR="$W/tmp" HOME="$W" run "$TOP/lab/lab.sh" clean
	[ "$status" -eq 0 ]
	kill "$pid"
	[[ $output == *"removed lock $W/locks/cpu?c"* && ${output//$'\n'/} != *[[:cntrl:]]* ]]
}

@test "lab locks: one holder at a time, even if others remove files and folder; no lock file is left" {
	local n
	# shellcheck disable=SC2016 # another shell's
	for n in 1 2 3 4 5; do
		bash -uc '. "$1/lab/locks.sh"
			for ((n = 0; n < 40; n++)); do
				if locks_take "$2/locks/cpu$((n % 2))"; then
					mkdir "$2/has$((n % 2))" && sleep 0.00$((RANDOM % 9)) && rmdir "$2/has$((n % 2))" && echo taken
					exec {LOCK}<&-
					locks_tidy "$2/locks" >/dev/null
				elif [ $? != 1 ]; then
					echo "no lock"
				fi
			done' - "$TOP" "$W" >"$W/said.$n" 2>&1 &
	done
	wait
	[ "$(cat "$W"/said.* | sort -u)" = taken ]
	[ ! -e "$W/locks" ]
	mkdir "$W/locks"
	touch "$W/locks/cpu0" "$W/locks/switch-free" "$W/locks/pair-held" "$W/locks/undo-abcdef"
	. "$TOP/lab/locks.sh"
	locks_take "$W/locks/pair-held"
	run -1 bash -c '. "$1/lab/locks.sh"; locks_take "$2/locks/pair-held"' - "$TOP" "$W"
	locks_tidy "$W/locks"
	[ "$(ls "$W/locks" | xargs)" = "pair-held undo-abcdef" ]
	run -2 bash -c '. "$1/lab/locks.sh"; locks_take "$2/no such folder/locks/cpu0"' - "$TOP" "$W"
}

@test "lab locks: of files that another login makes without end, root looks at some only" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir -m 1777 "$W/many"
	. "$TOP/lab/locks.sh"
	touch "$W"/many/cpu{1..250}
	chown 65534 "$W"/many/cpu{1..240}
	locks_tidy "$W/many"
	[ "$(ls "$W/many" | wc -l)" = 140 ]
}

# What another login does between two steps of ours, it does here before each command (DEBUG).
@test "lab locks: what another login swaps meanwhile neither gets root's rights nor keeps us waiting" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir "$W/all" "$W/roots" "$W/all/locks"
	chmod 1777 "$W/all"
	chmod 700 "$W/roots"
	chown 12345 "$W/all/locks"
	cat >"$W/swap.sh" <<-'END'
		. "$1/lab/locks.sh"
		cd "$2/all"
		set -T
		case $3 in
		folder)	trap '[[ $BASH_COMMAND != @(cd|chown)* ]] || [ -L locks ] || { command mv locks x; ln -s ../roots locks; }' DEBUG
			locks_folder "$2/all/locks" ;;
		mine)	trap '[[ $BASH_COMMAND != *stat* ]] || [ ! -L locks ] || { rm locks; command mv x locks; }' DEBUG
			locks_private "$2/all/locks" ;;
		pipe)	trap '[[ $BASH_COMMAND != *exec*LOCK* ]] || [ -p locks/cpu0 ] || { rm locks/cpu0; mkfifo locks/cpu0; }' DEBUG
			locks_take "$2/all/locks/cpu0" ;;
		esac
	END
	run bash "$W/swap.sh" "$TOP" "$W" folder
	[ "$(stat -c %a "$W/roots")" = 700 ]
	[ -L "$W/all/locks" ]	# it was swapped
	rm "$W/all/locks"
	mv "$W/all/x" "$W/all/locks"
	chown 12345 "$W/all/locks"
	chmod 755 "$W/all/locks"
	mv "$W/all/locks" "$W/all/x"
	ln -s ../roots "$W/all/locks"
	run -1 bash "$W/swap.sh" "$TOP" "$W" mine
	[ ! -L "$W/all/locks" ] || { rm "$W/all/locks" && mv "$W/all/x" "$W/all/locks"; }
	chown 0 "$W/all/locks"
	chmod 1777 "$W/all/locks"
	touch "$W/all/locks/cpu0"
	chown 12345 "$W/all/locks/cpu0"
	run -2 timeout 60 bash "$W/swap.sh" "$TOP" "$W" pipe
}

@test "thinprobe lab: up, exec and down by hand" {
	export_world
	as_user
	mkdir "$W/rt" "$W/tmp"
	chmod 777 "$W/rt" "$W/tmp"
	lab() { "${AS[@]}" env LAB_LOCKS="$W/locks" TMPDIR="$W/tmp" XDG_RUNTIME_DIR="$W/rt" "$TOP/lab/lab.sh" "$@" 3>&-; }
	cd /
	run lab exec server true
	said 1 "thinprobe lab up"
	run lab up
	said 0
	run lab up
	[ "$status" -eq 1 ]
	run lab exec client sh -c 'id -u; exit 5'
	[ "$status" -eq 5 ]
	[ "$output" = 1000 ]
	run lab clean
	said 0
	run lab exec server true
	[ "$status" -eq 0 ]
	run lab down
	[ "$status" -eq 0 ]
	leaves_nothing
	[ ! -e "$W/rt/thinprobe-lab-12345" ]
	[ ! -e "$W/locks" ]
	run lab
	[ "$status" -eq 2 ]
	run eval 'lab up >&-'	# nobody could know that it is up
	said 1 "taken down"
	leaves_nothing
}
