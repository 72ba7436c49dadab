#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The lab over ssh, on two machines made of namespaces with an sshd each (sshpair.sh). `W` is the test's own folder below /tmp; the
# lab's files on the hosts are in there too, so that left files can be found.

load world

setup() {
	world sshd ssh ssh-keygen setpriv unshare nsenter ip jq
	unshare --net --mount true 2>/dev/null || unshare --user --map-root-user --net --mount true 2>/dev/null ||
		skip "this system forbids namespaces"
	getent passwd "$(id -u)" >/dev/null || skip "sshd lets in only users with a name"
}

# drive [LIMIT]: runs a driver from standard input, on the third machine.
drive() {
	{
		printf 'W=%q TESTS=%q TOP=%q TP_HOME=%q RUN=%q\n' "$W" "$TESTS" "$TOP" "$TOP" "$W/a run"
		printf 'set -u; export TP_HOME LAB_LOCKS=%q; PATH=$PATH:/usr/sbin:/sbin\n' "$W/locks"
		cat <<'END_OF_HELP'
lab() {
	LAB_RUN=$RUN
	. "$TOP/lab/lib.sh"
	lab_use ssh tp-server,tp-client
	lab_up
}
stalls() { "$TOP/thinprobe" run stalls --quick --idle 1 --on ssh:tp-server,tp-client "$@"; }
# Prints processes and files of the lab that are left at either end (the brackets keep grep from finding itself).
left() {
	grep -lsaE "$W[^ ]*thinprobe[-]ssh[.]" /proc/[0-9]*/environ /proc/[0-9]*/cmdline | cut -d/ -f3 | sort -u |
		while read -r p; do
			grep -qs '^State:.*Z' "/proc/$p/status" ||
				{ [ -e "/proc/$p" ] && tr '\0' ' ' <"/proc/$p/cmdline" && echo; }
		done
	find "$W" -name 'thinprobe-ssh.*' -prune -print
}
nothing_left() { # nothing_left SECONDS
	for _ in $(seq $(($1 * 5))); do [ -n "$(left)" ] || { echo "nothing left"; return; }; sleep 0.2; done
	echo "left: $(left)"
}
END_OF_HELP
		cat
	} >"$W/driver.sh"
	run env TMPDIR="$W" timeout -k 10 "$((${1:-300} * ${TEST_PATIENCE:-1}))" bash "$TESTS/sshpair.sh" run bash "$W/driver.sh"
	echo "$output"
}

@test "lab over ssh: streams, signals, files, CPUs, sessions and clocks work; nothing is left" {
	drive <<'END'
lab
lab_exec server sh -c 'cat; echo to stderr >&2; exit 7' <<<"from stdin" 2>"$W/err"
echo "status $? $(cat "$W/err")"
lab_exec client sh -c 'kill -9 $$'
echo "killed $?"
lab_exec client sh -c 'printf "[%s]" "$@"' sh 'two words' '' '$HOME' "quo'te" 'a\b'
echo
[ "$(lab_exec server readlink /proc/self/ns/net)" = "$(readlink "/proc/$SSHPAIR_server/ns/net")" ] &&
	[ "$(lab_exec client readlink /proc/self/ns/net)" = "$(readlink "/proc/$SSHPAIR_client/ns/net")" ] && echo "each at its place"
echo "addresses $LAB_ADDR_server $LAB_ADDR_client $LAB_IF_server"
lab_start server job sh -c 'trap "echo bye; exit 9" TERM; echo ready >&2; while :; do sleep 0.05; done'
job=$LAB_PID
lab_ready job 60 && kill -TERM $job
lab_wait $job
echo "job $? $(cat "$LAB_LOG/job.out")"
lab_start server early sleep 60
wait_until 60 lab_door_stands $LAB_PID	# the local helper of the command, long before the command itself
kill -TERM $LAB_PID; wait $LAB_PID
echo "early $?"
lab_start server dead sh -c 'echo no luck >&2; exit 4'
lab_ready dead 60 2>&1
open_pipe go
lab_start -i $go -o "$RUN/cells/1/out.tsv" client held sh -c 'read -r line; echo "got $line" >"$1"' sh "$RUN/cells/1/out.tsv"
echo start >&$go
lab_wait $LAB_PID
cat "$RUN/cells/1/out.tsv"
mkdir "$W/there"; echo one >"$W/there/1"; echo put | lab_put server - "$RUN/put"
lab_put client "$W/there" "$RUN/there"
[ "$(lab_exec server cat "$RUN/put") $(lab_exec client cat there/1)" = "put one" ] &&
	lab_get client "$RUN/there" "$W/back" && echo "$(cat "$W/back/1") came back"
lab_start server stubborn sh -c 'trap "" TERM; echo ready >&2; while :; do sleep 0.1; done'
lab_ready stubborn 60 && lab_stop $LAB_PID && echo "stopped"
cpu() { lab_exec $1 sh -c 'sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status'; }
[ "$(cpu server)" = "$LAB_CPUS_server" ] && [ "$(cpu client)" = "$LAB_CPUS_client" ] &&
	[ $(lab_exec server nproc) = 1 ] && echo pinned
lab_start server a sleep 300; a=$LAB_PID
lab_start -S server c sleep 300; c=$LAB_PID
before=$(lab_cpu server)
lab_start server b sh -c 'while :; do :; done'; b=$LAB_PID
# the lab's own CPU time is the fourth field of lab_cpu
had() {
	now=$(lab_cpu server)
	awk -v a="$before" -v b="$now" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(y[4] - x[4] > 2e8) }'
}
wait_until 30 had
session() { lab_regime $1 | sed 's/.*session=\([0-9]*\).*/\1/'; }
[ -n "$(session $a)" ] && [ "$(session $a)" = "$(session $b)" ] && [ "$(session $a)" != "$(session $c)" ] &&
	echo "same login, other login"
# a reading takes time: the busy time is read before the lab's own time
awk -v a="$before" -v b="$now" -v c="$(lab_cpu server)" 'BEGIN {
	split(a, x, " ")
	split(b, y, " ")
	split(c, z, " ")
	if (y[4] - x[4] > 1e8 && z[2] - x[2] > y[4] - x[4] - 1e8) print "CPU time counted"
}'
lab_stop $b
# All hosts have one kernel and one clock, so the true offset is 0.
for role in server client; do
	read -r offset error <<<"$(lab_clock $role)"
	[ "$error" -gt 0 ] && [ "${offset#-}" -le "$error" ] && echo "clock of the $role"
done
lab_can server shape || echo "no shaping: $LAB_WHY"
lab_exec -M - server true && echo "no groups"
read -r ahead error <<<"$(lab_ahead client)"
echo "ahead by $ahead ns, for an error of $error"
[ "${ahead#-}" -le "$error" ] && echo "one monotonic clock"
lab_has server perl && ! lab_has server no-such-program && echo "has"
lab_start server l perl "$TESTS/link.pl" serve 7000
wait_until 60 lab_listens server 7000 && ! lab_listens client 7000 && echo "listens"
lab_facts | jq -e '.kernel and .client.kernel and .link.server.offloads.tso == "off"'
lab_down
nothing_left 40
END
	said 0 "from stdin" "status 7 to stderr" "killed 137" "[two words][][\$HOME][quo'te][a\\b]" "each at its place" \
		"addresses 10.205.0.1 10.205.0.2 eth1" "job 9 bye" "early 143" "dead ended before it was ready: no luck" "got start" \
		"one came back" "stopped" "pinned" "same login, other login" "CPU time counted" "clock of the server" \
		"clock of the client" "no shaping: a real link" "one monotonic clock" "no groups" "has" "listens" "true" "nothing left"
}

@test "lab over ssh: a host that says it is up and reads nothing is refused; nothing of ours waits for it" {
	mkdir "$W/bin"
	printf '%s\n' '#!/bin/sh' 'printf "thinprobe: begun\\nfact cpus 0\\nfact boot a\\nfact uid 1\\nup /tmp/x\\n"' 'exec sleep 60' \
		>"$W/bin/ssh"
	chmod 755 "$W/bin/ssh"
	printf 'LAB_RUN=%q\n. %q/lab/lib.sh\nlab_use ssh a,b\nlab_up\n' "$W/run" "$TOP" >"$W/driver.sh"
	TMPDIR="$W" PATH="$W/bin:$PATH" run -1 timeout -k 5 60 bash "$W/driver.sh"
	[[ $output == *"has not read what it is to run"* && $(ls "$W") != *thinprobe-ssh* ]]
	printf '%s\n' '#!/bin/sh' 'printf "thinprobe: begun\\nfail 1 over\\rwritten\\033[2J##vso[x]\\n"' >"$W/bin/ssh"
	TMPDIR="$W" PATH="$W/bin:$PATH" run -1 timeout -k 5 60 bash "$W/driver.sh"
	[ "$output" = "lab: a: overwritten?[2J?#vso[x]" ]
	. "$TOP/lab/machine.sh"
	[ "$(machine_cpu_list "$(yes 0-9999 | head -n 300 | paste -sd,)" | wc -w)" = 8192 ]
}

@test "lab over ssh: a host that never ends a line is refused; while one never stops speaking, a run can be ended" {
	mkdir "$W/bin"
	printf '%s\n' '#!/bin/sh' 'printf "thinprobe: begun\nfact "' 'exec tr "\\0" x </dev/zero' >"$W/bin/ssh"
	chmod 755 "$W/bin/ssh"
	run_there() {
		TMPDIR="$W" PATH="$W/bin:$PATH" LAB_LOCKS="$W/locks" run "-$1" timeout -k "$2" "$3" "$TOP/experiments/engine/run.sh" stalls \
			--quick --on ssh:a,b -o "$W/run$1"	# (the first may have come as far as its folder)
	}
	run_there 1 5 100
	printf '%s\n' '#!/bin/sh' 'printf "thinprobe: begun\n"' 'exec yes "program x y"' >"$W/bin/ssh"
	run_there 124 60 10
}

@test "lab over ssh: what a host prints does not come to a terminal" {
	command -v script >/dev/null || skip "no script"
	mkdir "$W/bin"
	cat >"$W/bin/ssh" <<-'END'
		#!/bin/sh
		case " $* " in
		*" -M "*) printf 'thinprobe: begun\nfact cpus 0\nfact boot a\nfact uid 1\nup /tmp/x\n'; exec cat >/dev/null ;;
		esac
		printf '\033[2Jsaid' | tee /dev/stderr
	END
	chmod 755 "$W/bin/ssh"
	printf 'LAB_RUN=%q LAB_SHARED_CPUS=1\n. %q/lab/lib.sh\n' "$W/run" "$TOP" >"$W/driver.sh"
	printf '%s\n' 'lab_use ssh a,b' 'ssh_addresses() { :; }' 'ssh_tap() { :; }' 'ssh_line() { LAB_LINE=x; }' lab_up \
		'lab_query server test -e /etc' 'lab_exec server true' 'sleep 0.5' >>"$W/driver.sh"
	TMPDIR="$W" PATH="$W/bin:$PATH" run timeout -k 5 60 script -qec "bash '$W/driver.sh'" /dev/null </dev/null
	echo "$output"
	[[ $output == *"?[2Jsaid"* && $output != *$'\033'* ]]
}

@test "lab over ssh: a program that never stops printing ends the run, not the disk" {
	drive <<'END'
ulimit -f 40000	# (KiB; ours is more, and is taken where this is none)
lab
lab_start server big cat /dev/zero
lab_wait "$LAB_PID" || echo "ended, $(stat -c %s "$LAB_LOG/big.out") bytes"
wait_until 60 lab_lost
lab_down
nothing_left 60
END
	[ "$status" -eq 0 ]
	[[ $output == *"ended, 40960000 bytes"*"(tp-server) lost: a program printed"*"nothing left"* ]]
}

# bats test_tags=all
@test "lab over ssh: an application is found, not another process with the same command line" {
	for tool in Xvnc xterm xdotool xset; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	drive <<'END'
lab
protocol_use vnc
must protocol_start s
for app in vim terminal; do
	(exec -a "xterm -title $app $PROTOCOL_DISPLAY -e" sleep 60 >/dev/null 2>&1) &
	decoy=$!
	on_exit kill "$decoy"
	app_use "$app"
	app_start "$PROTOCOL_DISPLAY" && kill -0 "$decoy" && echo "$app is there"
	app_stop
done
lab_down
nothing_left 40
END
	[ "$status" -eq 0 ]
	[[ $output == *"vim is there"*"terminal is there"*"nothing left"* ]]
}

# bats test_tags=all
@test "lab over ssh: 25 commands use several connections; all can be stopped" {
	drive <<'END'
lab
for n in $(seq 25); do lab_start server "s$n" sh -c 'echo ready >&2; exec sleep 300'; done
for n in $(seq 25); do lab_ready "s$n" 60 || echo "s$n did not come"; done
lines() { ls "$LAB_CONTROL" | grep -c '^server.*ctl$'; }
echo "connections $(lines), asked: $(lab_query server echo answers), $(lab_exec server echo runs)"
session() { lab_regime "$1" | sed 's/.*session=\([0-9]*\).*/\1/'; }
[ "$(session "${LAB_PID_OF[s1]}")" = "$(session "${LAB_PID_OF[s25]}")" ] && echo "one login"
lab_stop "${LAB_PIDS[@]}"
# ended commands make room
lab_start server again sleep 300
echo "again $(lines)"
lab_down
nothing_left 40
END
	# six commands on each connection; the first also has the guard
	said 0 "connections 5, asked: answers, runs" "one login" "again 5" "nothing left"
}

@test "lab over ssh: a client on this machine, without ssh: commands, files and signals work; nothing is left" {
	drive <<'END'
LAB_RUN=$RUN
. "$TOP/lab/lib.sh"
lab_use ssh tp-server,.
lab_up
[ "$(lab_exec client readlink /proc/self/ns/net)" = "$(readlink /proc/self/ns/net)" ] && echo "here"
lab_exec server "$TP_BIN/sessmem" --machine --json | jq -r '"\(.tool) \(.result.machine.used_bytes > 0)"'
echo "addresses $LAB_ADDR_server $LAB_ADDR_client"
lab_start -o "$RUN/out.tsv" client job sh -c 'trap "echo bye >\"$1\"; exit 9" TERM; echo ready >&2; while :; do sleep 0.05; done' \
	sh "$RUN/out.tsv"
job=$LAB_PID
lab_ready job 60 && kill -TERM $job
lab_wait $job
echo "job $? $(cat "$RUN/out.tsv")"
echo in | lab_exec client cat
read -r offset error <<<"$(lab_clock client)" && [ "${offset#-}" -le "$error" ] && echo "clock"
lab_down
nothing_left 40
bash -c '. "$1/lab/lib.sh"; LAB_RUN=$2; lab_use ssh tp-server,.; lab_up; lab_start client s sleep 300; kill -9 $$' sh "$TOP" "$RUN"
nothing_left 40
END
	said 0 "here" "sessmem true" "addresses 10.205.1.1 10.205.1.2" "job 9 bye" $'\nin\n' "clock" "nothing left"
	[ "$(grep -c '^nothing left$' <<<"$output")" = 2 ]
}

@test "lab over ssh: a host that refuses, and one that does not exist, leave nothing at either end" {
	drive <<'END'
try() { bash -c '. "$1/lab/lib.sh"; LAB_RUN=$2; lab_use ssh "$3"; lab_up' sh "$TOP" "$RUN" "$1"; }
cp "$SSHPAIR/authorized" "$W/authorized"
# A host that does not read the archive, refuses, and stays connected.
sed "s|^|command=\"echo fail 4 packages are missing; exec sleep 2\" |" "$W/authorized" >"$SSHPAIR/authorized"
try tp-server,.
echo "refused $?"
cp "$W/authorized" "$SSHPAIR/authorized"
nothing_left 40
try tp-nobody,.
echo "nobody $?"
nothing_left 40
END
	[ "$status" -eq 0 ]
	[[ $output == *"tp-server: packages are missing"*"refused 4"*"nothing left"*"nobody 1"*"nothing left"* ]]
}

@test "lab over ssh: a run that could not connect leaves no new folder, and nothing in an empty one" {
	try() { TMPDIR=$W timeout 60 "$TOP/thinprobe" run stalls --quick --loads 0 --on nosuch.invalid -o "$W/run"; }
	status=0
	try 2>"$W/err" || status=$?
	cat "$W/err"
	[ "$status" = 1 ]
	[ "$(wc -l <"$W/err")" = 1 ]
	[ ! -e "$W/run" ]
	mkdir "$W/run"
	try 2>"$W/err" || status=$?
	[ "$status" = 1 ]
	[ "$(wc -l <"$W/err")" = 1 ]
	[ -z "$(ls -A "$W/run" 2>/dev/null)" ]
}

# The changes are real: groups and swap of this machine.
# bats test_tags=all
@test "lab over ssh: as root: groups, memory, swap and switches of the server are undone, also if the connection is cut" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	for how in end cut; do
		rm -rf "$W/a run" "$W/driver.sh"
		HOW=$how drive 600 <<'END'	# another lab may have swap for minutes
groups() { find /sys/fs/cgroup -maxdepth 3 -name "thinprobe-$LAB_ID*" 2>/dev/null | wc -l; }
LAB_SERVER_MEMORY=64M LAB_SWAP_SIZE=32M
lab 2>"$W/err" || { cat "$W/err"; exit 1; }
id=$LAB_ID
if [ -z "$LAB_MEMORY_GROUP" ]; then cat "$W/err"; echo "no memory groups here"; fi
lab_group load shares=512 || { echo "no cpu groups here: $LAB_WHY"; exit; }
lab_start -G load server in sh -c 'cat /proc/self/cgroup; echo ready >&2; exec sleep 300'
lab_ready in 60
echo "in $(grep -c "thinprobe-$id-load" "$LAB_LOG/in.out")"
lab_regime $LAB_PID | grep -o "thinprobe-$id-load"
if [ -n "$LAB_MEMORY_GROUP" ]; then
	echo "memory $(lab_exec server cat /proc/self/cgroup | grep -c "thinprobe-$id.server")"
	lab_memory_facts | jq -r '"\(.confined) \(.server_memory_bytes) \(.swap.kind) \(.swap.size_bytes)"'
	lab_exec -M - server cat /proc/self/cgroup | grep -c "thinprobe-$id.server"
	grep -c "^$LAB_SWAP_DEVICE " /proc/swaps
	device=$LAB_SWAP_DEVICE
fi
[ "$(groups)" -gt 0 ] && echo "groups are there"
if [ "$HOW" = cut ]; then
	kill -9 "$(pgrep -P "$(pgrep -P $$ -f hold.sh)" -f 'server[.]1[.]ctl')"
fi
lab_down
for _ in $(seq 150); do [ "$(groups)" != 0 ] || break; sleep 0.2; done
echo "groups $(groups), swap $(grep -c "^${device:-none} " /proc/swaps), $(ls "$W/locks"/undo-* 2>/dev/null | wc -l) records"
nothing_left 40
END
		[ "$status" -eq 0 ]
		[[ $output != *"no cpu groups here"* ]] || skip "no cpu groups here"
		[[ $output == *"in 1"*"thinprobe-"*"-load"*"groups are there"*"groups 0, swap 0, 0 records"*"nothing left"* ]]
		[[ $output == *"no memory groups here"* || $output == *"memory 1"*"true 67108864 file 33554432"* ]]
	done
}

# bats test_tags=all
@test "stalls over ssh: the session refuses strangers; cut off, the run is marked, nothing is left; --resume completes it" {
	for tool in Xvnc xterm xdotool xset openssl; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	drive 600 <<'END'
stalls --loads 0 --time 2 --repeat 1 -o "$RUN" >"$W/out" 2>&1 &
run=$!
for _ in $(seq 600); do [ -n "$(find "$RUN/cells" -name keyrepeat.err)" ] && break; sleep 0.1; done 2>/dev/null
# A stranger on the client's machine must not get in during the run.
ports=$(nsenter --net="/proc/$SSHPAIR_server/ns/net" ss -Hltn | awk '{ print $4 }' | grep -v :22022)
echo "listens at" $ports
nsenter --net="/proc/$SSHPAIR_client/ns/net" perl "$TESTS/rfb.pl" 10.205.0.1 "${ports##*:}" 2>&1
for _ in $(seq 600); do [ -n "$(find "$RUN/cells" -name cell.json)" ] && break; sleep 0.1; done 2>/dev/null
nsenter --net="/proc/$SSHPAIR_server/ns/net" ip link set eth0 down	# no FIN, no RST: silence
begin=$SECONDS
wait $run
echo "status $?, $(grep -c '^thinprobe: connection to server (tp-server) lost$' "$W/out") says lost"
[ $((SECONDS - begin)) -lt 90 ] && echo "in time"	# TCP by itself would wait for a quarter of an hour
nothing_left 40
jq -r '"\(.state): \(.reason)"' "$RUN/run.json"
cells=$(find "$RUN/cells" -name cell.json | grep -v '~' | tr '\n' '\0' |
	xargs -0 jq -r 'select(.state == "complete") | .state' | wc -l)
[ "$cells" = 1 ] && [ "$(jq .counts.complete "$RUN/run.json")" = 1 ] && [ -s "$RUN/report.html" ] && echo "kept what there was"
nsenter --net="/proc/$SSHPAIR_server/ns/net" ip link set eth0 up
for _ in $(seq 100); do (exec 3<>/dev/tcp/10.205.1.1/22022) && break; sleep 0.1; done 2>/dev/null
"$TOP/thinprobe" run stalls --resume "$RUN" >"$W/out" 2>&1
echo "resumed $? $(jq -r '"\(.state) \(.reason)"' "$RUN/run.json") $(tail -n 3 "$W/out")"
nothing_left 40
END
	said 0 "wants a password"
	# two sessions, both at the link's address only
	[[ $(grep '^listens at' <<<"$output") =~ ^'listens at 10.205.0.1:'[0-9]+' 10.205.0.1:'[0-9]+$ ]]
	[[ $output == *"status 3, 1 says lost"* ]]
	[[ $output == *"in time"*"nothing left"*"failed: connection to server (tp-server) lost"*"kept what there was"* ]]
	[[ $output == *"kept what there was"*"resumed 0 complete null"*"nothing left"* ]]
	run="$W/a run"
	[ "$(jq -r '[.lab.server, .lab.client] | join(" ")' "$run/run.json")" = "tp-server tp-client" ]
	jq -e '.host.kernel and .host.client.kernel and .clocks.before.server.error_ns > 0
		and .clocks.after.client.error_ns > 0' "$run/run.json"
	jq -e '.lab.missing | map(select(contains("real link"))) | length == 1' "$run/run.json"
	for app in light heavy; do
		cell=$run/cells/$(jq -r --arg app $app '.cells[] | select(.parameters.app == $app).name' "$run/run.json")/1
		[ "$(jq '.result.keys_answered' "$cell/keyrepeat.json")" = 35 ]	# 40 keys, 5 of them warm up
		[ "$(cut -f2 "$cell/samples.tsv" | grep -c '^[0-9]')" = 40 ]
		[ "$(jq '.result.channels.display.packets > 35' "$cell/prototap.json")" = true ]
	done
	# display server and reference application (of the last cell) are in the session's group, where the load would be
	[ "$(jq -r '.autogroup | .session == .app' "$cell/cell.json")" = true ]
	[ -s "$run/report.html" ]
	[ ! -e "$run/vnc.password" ]
}

# bats test_tags=all
@test "lab over ssh: kill -9 of driver, remote keeper or connections leaves nothing; after that of the guard lab clean helps" {
	drive 800 <<'END'
NAP=300.$$	# unique, to find the process
driver() {
	. "$TOP/lab/lib.sh"
	LAB_RUN=$RUN
	lab_use ssh tp-server,tp-client
	lab_up
	lab_start server refecho "$TP_BIN/refecho" --vnc 5950
	lab_start -S server sink "$TP_BIN/sink" -n 2 -l 5
	lab_ready sink 60
	lab_start client null "$TP_BIN/keyrepeat" null: -t 60s -o "$RUN/null.json"
	# Grandchildren, which do not die with their parents, and a process that left its session.
	lab_start client deep sh -c "sh -c 'setsid sleep $NAP & sleep $NAP & wait' & wait"
	nap 0.5
	touch "$W/started"
	until lab_lost; do nap 0.1; done
	lab_exec server true 2>&1
	echo "then $?"
	exit 1
}
clean() { bash -c '. "$1/lab/lib.sh"; lab_use local; lab_clean' sh "$TOP" | grep -F "$W"; }
for victim in driver keeper hold guard; do
	rm -rf "$RUN" "$W/started"
	# (In bash -c: the death signals need a main shell.)
	bash -c "$(declare -p W TOP RUN NAP | sed 's/^declare --/declare -x/'); $(declare -f driver); driver" >"$W/out" 2>&1 &
	run=$!
	for _ in $(seq 900); do [ -e "$W/started" ] && break; sleep 0.1; done
	for _ in $(seq 300); do pgrep -f "^sleep $NAP" >/dev/null && break; sleep 0.1; done	# told to start, they may be late
	[ -n "$(left)" ] && pgrep -f "^sleep $NAP" >/dev/null && echo "$victim: all up"
	case $victim in
	driver) kill -9 $run ;;
	keeper) kill -9 $(pgrep -f "keeper.sh $SSHPAIR/server/") ;;
	hold) kill -9 $(pgrep -P $run -f hold.sh) ;;
	guard) kill -9 $(pgrep -f "guard.sh $SSHPAIR/client/") ;;
	esac
	wait $run
	echo "$victim $? $(tr '\n' ' ' <"$W/out")"
	case $victim in
	hold) sleep 1; clean ;;
	guard) [ -n "$(left)" ] && TMPDIR=$SSHPAIR/client clean ;;
	esac
	nothing_left 40
done 2>/dev/null
END
	[ "$status" -eq 0 ]
	[[ $output == *"driver: all up"*"driver 137"*"nothing left"*"keeper: all up"*"keeper 1"*"nothing left"*"hold: all up"* ]]
	[[ $output == *"hold: all up"*"hold 1"*"removed $W/thinprobe-ssh."*"nothing left"* ]]
	[[ $output == \
		*"guard: all up"*"guard 1"*"ended "*" of $W/"*"/client/thinprobe-ssh."*"removed $W/"*"/client/thinprobe-ssh."*"nothing left"* ]]
	[[ $output == *"connection to server (tp-server) lost: "*" was killed"*"then 255"* ]]
}

# bats test_tags=all
@test "lab over ssh: as an ordinary user the levers capture, rt, swap and autogroup are missing" {
	[ "$(id -u)" = 0 ] || skip "the tests above were it"
	export SSHPAIR_ORDINARY=1
	drive <<'END'
lab
for lever in capture rt swap autogroup; do if lab_can client $lever; then echo "can $lever"; fi; done
echo "tap '$LAB_TAP_IF' rootless $LAB_ROOTLESS uid $(lab_exec server id -u)"
lab_down
nothing_left 40
END
	[ "$status" -eq 0 ]
	[[ $output != *"can "* ]]
	[[ $output == *"tap '' rootless 1 uid 12345"* ]]
	[[ $output == *"nothing left"* ]]
}

# bats test_tags=all
@test "lab over ssh: a wrong host, port, key, option or CPU: one line with the cure" {
	drive <<'END'
one_line() { # one_line STATUS WORDS COMMAND...
	local said status=0 want=$1 words=$2
	shift 2
	said=$(rm -rf "$RUN"; "$@" 2>&1 >/dev/null) || status=$?
	[ "$status" = "$want" ] && [ "$(wc -l <<<"$said")" = 1 ] && [[ $said == $words ]] && echo good || echo "BAD: $status, $said"
}
run() { "$TOP/thinprobe" run stalls --protocol vnc:refecho --loads 0 --time 2 --repeat 1 -o "$RUN" --on "$@"; }
one_line 1 "*cannot use tp-nobody as the client: *resolve*ssh -o BatchMode=yes*tp-nobody true" run ssh:tp-server,tp-nobody
good=$THINPROBE_SSH_OPTIONS
export THINPROBE_SSH_OPTIONS="$good -p 1"
one_line 1 "*cannot use tp-server as the server: *refused*" run ssh:tp-server,tp-client
export THINPROBE_SSH_OPTIONS="$good -l no-such-user"
one_line 1 "*cannot use tp-server as the server: *denied*" run ssh:tp-server,tp-client
export THINPROBE_SSH_OPTIONS=$good
one_line 2 "*--on ssh:tp-server: *SERVER,CLIENT*" run ssh:tp-server
one_line 2 "*--on ssh:-oProxyCommand=x,y: *SERVER,CLIENT*" run ssh:-oProxyCommand=x,y
one_line 2 "*--link with --on*" run ssh:tp-server,tp-client --link 10Mbit
one_line 2 "*LAB_CPUS_server=4095*" env LAB_CPUS_server=4095 "$TOP/thinprobe" run stalls --protocol vnc:refecho --loads 0 \
	-o "$RUN" --on ssh:tp-server,tp-client
# A program that cannot run there is named when it is wanted, with the cure.
mkdir -p "$W/bin" && cp "$TOP"/bin/sink "$W/bin" &&
	printf '#!/bin/sh\n[ -e "$0.here" ] && echo "sink 1" || { echo "no such loader" >&2; exit 1; }\n' >"$W/bin/keyrepeat"
chmod 755 "$W/bin/keyrepeat"; touch "$W/bin/keyrepeat.here"
one_line 4 "*keyrepeat cannot run on tp-client: it was built for another machine (no such loader)*install thinprobe*" \
	env TP_BIN="$W/bin" bash -c '
		. "$TP_HOME/lab/lib.sh"
		LAB_RUN="$1"
		lab_use ssh tp-server,tp-client
		lab_up
		lab_exec server "$TP_BIN/sink" --version >/dev/null || exit 9
		lab_exec client "$TP_BIN/keyrepeat" null:' sh "$RUN"
nothing_left 40
END
	[ "$status" -eq 0 ]
	[[ $output != *BAD* ]]
	[ "$(grep -c '^good' <<<"$output")" = 8 ]
	[[ $output == *"nothing left"* ]]
}

# bats test_tags=all
@test "lab over ssh: rdp and spice want a password, which no argument or environment has; kill -9 leaves nothing" {
	local tool as words
	for tool in xrdp xfreerdp spicy Xvfb xdotool xset xauth openssl; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	for tool in libxorgxrdp.so drivers/spiceqxl_drv.so; do
		[ -e "/usr/lib/xorg/modules/$tool" ] || skip "$tool is not installed"
	done
	for as in 1 ''; do
		[ -z "$as" ] || [ "$(id -u)" = 0 ] || continue
		rm -rf "$W/a run" "$W/driver.sh" "$W/seen" "$W/up"
		SSHPAIR_ORDINARY=$as SSHPAIR_APART=$TOP drive <<'END'
# What any process has among its arguments or in its environment that could be a password, as often as can be.
while :; do grep -haoE '[0-9a-f]{32}|3[.]14159' /proc/[0-9]*/cmdline /proc/[0-9]*/environ; done >"$W/seen" 2>/dev/null &
watcher=$!
driver() {
	. "$TOP/lab/lib.sh"
	LAB_RUN=$RUN
	lab_use ssh tp-server,tp-client
	lab_up
	for p in rdp spice; do
		protocol_use "$p"
		why=$(protocol_can) || { echo "skip: $why"; exit; }
		must protocol_start s
		protocol_settings | jq -r '"\(.server): log-in \(.log_in)"'
		declare -g "${p}_port=$PROTOCOL_PORT" "${p}_display=$PROTOCOL_DISPLAY"
		lab_exec server xset -display "$PROTOCOL_DISPLAY" q >/dev/null 2>&1 && echo "$p: display is ours"
		lab_exec server env XAUTHORITY=/dev/null xset -display "$PROTOCOL_DISPLAY" q >/dev/null 2>&1 || echo "$p: and nobody else's"
	done
	lab_exec client sh -c 'cat "$HOME"/rdp-*/password "$HOME"/spice-*/password; find "$HOME" -name password -perm /077' >"$W/passwords"
	lab_exec client sleep 3.14159	# a word that the watcher must see
	# A stranger, who guesses.
	lab_start client guess sh -c 'echo guess | DISPLAY=$1 timeout 20 xfreerdp "/v:$2" /cert:ignore /sec:tls /u:root \
		/from-stdin:force' sh "$VIEWER_DISPLAY" "$LAB_ADDR_server:$rdp_port"
	wait_until 60 grep -q 'Username or password error' "$LAB_LOG/rdp-s-sesman.out" && echo "rdp: refused"
	[ "$(grep -c 'Access permitted' "$LAB_LOG/rdp-s-sesman.out")" = 1 ] && echo "rdp: one let in"
	[ "$(grep -c 'Invalid password' "$LAB_LOG/spice-s.err")" = 1 ] && echo "spice: refused without a password"
	echo "$rdp_display $spice_display" >"$W/up"
	nap 600
}
bash -c "$(declare -p W TOP RUN | sed 's/^declare --/declare -x/'); $(declare -f driver); driver" >"$W/out" 2>&1 &
run=$!
for _ in $(seq 2400); do [ -e "$W/up" ] || ! kill -0 $run && break; sleep 0.1; done 2>/dev/null
kill $watcher
cat "$W/out"
[ -e "$W/up" ] || exit
echo "passwords $(grep -cxE '[0-9a-f]{32}' "$W/passwords") of $(wc -l <"$W/passwords"), seen $(grep -cFf "$W/passwords" "$W/seen")"
grep -qx 3.14159 "$W/seen" && echo "the watcher sees"
# nor do the logs, which come home, have one
grep -rqFf "$W/passwords" "$RUN" || echo "no log has one"
kill -9 $run
wait $run
nothing_left 40
at=() && [ "$(id -u)" != 0 ] || at=(nsenter "--mount=/proc/$SSHPAIR_server/ns/mnt")
for n in $(cat "$W/up"); do "${at[@]}" ls -d "/tmp/.X${n#:}-lock" "/tmp/.X11-unix/X${n#:}" 2>/dev/null; done
"${at[@]}" ls -d /tmp/.X11-unix && echo "no display left"
END
		[[ $output != *"skip: "* ]] || skip "$(grep '^skip: ' <<<"$output")"
		for words in "xrdp: log-in password, asked by xrdp-sesman" "spiceqxl: log-in password" "rdp: display is ours" \
			"rdp: and nobody else's" "spice: and nobody else's" "rdp: refused" "rdp: one let in" "spice: refused" \
			"passwords 2 of 2, seen 0" "the watcher sees" "no log has one"; do
			[[ $output == *"$words"* ]] || { echo "lacking: $words"; return 1; }
		done
		[[ $output == *$'\nnothing left\n/tmp/.X11-unix\nno display left' ]]
	done
}
