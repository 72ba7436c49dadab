#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory limit and swap of the lab's server: in force while it is up, gone however the driver ends. `W` is the test's own folder
# below /tmp. Other labs may run meanwhile: tests look only for names with this lab's id.
# bats file_tags=alone:swap

load world

setup() {
	world
	mkdir "$W/locks"
	export LAB_LOCKS=$W/locks THINPROBE_STATE=$W/state
	id=none
}

teardown() {
	[ ! -d "$W/runtime" ] || "$TOP/thinprobe" lab down || true	# a test has failed before that
	[ "$id" = none ] || gone || true
	world_end
}

# A driver with a server of 64M; it runs $2, says so, and goes on with $3.
begin() {	# begin SWAP COMMANDS COMMANDS
	[ "$(id -u)" = 0 ] || skip "swap is root's"
	for tool in setpriv unshare nsenter ip tc ethtool losetup mkswap swaplabel; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	cat >"$W/driver.sh" <<END
set -u
export LAB_SHARED_CPUS=1 LAB_CPU_WAIT=60 LAB_RUN=$W/run LAB_SERVER_MEMORY=64M LAB_SWAP=$1 LAB_SWAP_SIZE=96M
. $(printf %q "$TOP")/lab/lib.sh
lab_use local
lab_up
echo "\$LAB_ID" >$W/id
hog() {	# NAME MEGABYTES: takes memory page by page, and stays; the first choice of the OOM killer
	lab_start server \$1 perl -e 'open F, ">", "/proc/self/oom_score_adj" and print F 1000 and close F;
		\$m = "\\0" x (\$ARGV[0] << 20); open R, "<", "/dev/urandom";
		for (0 .. \$ARGV[0] * 256 - 1) { read R, \$b, 64; substr(\$m, \$_ * 4096, 64) = \$b }
		print STDERR "ready\\n"; sleep 600' \$2
}
$2
declare -p LAB_MEMORY_GROUP LAB_SWAP_DEVICE LAB_SWAP_SCRATCH LAB_SWAP_KIND LAB_UNDO >$W/vars
touch $W/up
$3
END
	bash "$W/driver.sh" >"$W/out" 2>&1 3>&- &
	pid=$!
	for _ in {1..6000}; do [ ! -e "$W/up" ] && kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
	[ -e "$W/up" ] || {
		cat "$W/out"
		if grep -q 'cannot limit the server\|cannot set up swap' "$W/out"; then skip "$(tail -n 1 "$W/out")"; fi
		return 1
	}
	id=$(cat "$W/id")
	eval "$(sed 's/^declare -[-x]*/declare -g/' "$W/vars")"
}

# Prints what there is of this lab.
ours() {
	local device _
	while read -r device _; do [[ $(swaplabel "$device" 2>/dev/null) != *"thinprobe$id"* ]] || echo "swap $device"; done </proc/swaps
	losetup -a | grep -F "thinprobe-swap-$id"
	find /sys/fs/cgroup -maxdepth 4 -name "thinprobe-$id*" 2>/dev/null
	ls -d /var/tmp/thinprobe-swap-$id /tmp/thinprobe-swap-$id "$W/locks/undo-$id" 2>/dev/null
	grep -F "thinprobe-swap-$id" /proc/self/mounts
	grep -lzsF "thinprobe-swap-$id" /proc/[0-9]*/cmdline	# slowdisk, and with it its mount and its loop devices
	for device in ${zrams-}; do [ ! -e "/sys/block/$device" ] || echo "$device"; done
	true
}

gone() {
	local left
	for _ in {1..600}; do
		left=$(ours)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "left: $left"
	return 1
}

# Waits until no process of this lab is left, since lab clean does not touch a lab that is up.
nobody() {
	local _
	for _ in {1..600}; do
		grep -qzsxF "LAB_ID=$id" /proc/[0-9]*/environ || return 0
		sleep 0.1
	done
	return 1
}

# Bytes written since the lab has the device: its counters include earlier uses.
written() { awk '{ n = $7 * 512 - n } END { printf "%.0f\n", n }' "$W/stat" "/sys/block/${1#/dev/}/stat"; }
zeros() { awk '$1 == "swpout_zero" { n = $2 * 4096 - n } END { printf "%.0f\n", n }' "$W/vmstat" /proc/vmstat; }
used() { awk -v d="$1" '$1 == d { printf "%.0f\n", $4 * 1024 }' /proc/swaps; }

@test "memory: the server's processes have the limit, and swap only to its device; after kill -9 nothing is left" {
	cluster=$(cat /proc/sys/vm/page-cluster)
	begin file 'cat /sys/block/${LAB_SWAP_DEVICE#/dev/}/stat >'"$W"'/stat; cat /proc/vmstat >'"$W"'/vmstat
		hog big 100; lab_ready big 120; lab_child $LAB_PID; echo $LAB_CHILD >'"$W"'/hog
		lab_start -M - server outside sleep 600
		lab_exec server cat /proc/self/cgroup >'"$W"'/in
		lab_exec -C server cat /proc/self/cgroup >'"$W"'/out-c
		lab_exec -M - server cat /proc/self/cgroup >'"$W"'/out-m
		lab_exec -R server dd if=$LAB_SWAP_SCRATCH bs=4k count=4 iflag=direct status=none |
			cmp -s -n 16384 - /dev/zero && touch '"$W"'/empty
		lab_switch page_cluster $(('"$cluster"' ^ 1)) || echo "$LAB_WHY" >'"$W"'/no-switch' 'nap 600'
	# by /proc of the process, not by the group
	read -r rss swap < <(awk '/^Anonymous:/ { a = $2 * 1024 } /^Swap:/ { s = $2 * 1024 }
		END { print a, s }' "/proc/$(cat "$W/hog")/smaps_rollup")
	echo "in memory $rss, swapped $swap"
	[ "$rss" -le $((64 << 20)) ]
	[ "$swap" -ge $((36 << 20)) ]
	[ $((rss + swap)) -ge $((100 << 20)) ]
	# the lab's device has the swapped pages, and at least as much was written to it (pages of zeros are not, since Linux 6.12)
	cat /proc/swaps "/sys/block/${LAB_SWAP_DEVICE#/dev/}/stat"
	[ "$(used "$LAB_SWAP_DEVICE")" -ge "$swap" ]
	[ $(($(written "$LAB_SWAP_DEVICE") + $(zeros))) -ge "$swap" ]
	[ "$(cat "/sys/block/${LAB_SWAP_DEVICE#/dev/}/loop/dio")" = 1 ]
	[ ! -e "$W/empty" ]	# the second device has data
	grep -q "thinprobe-$id.server" "$W/in"
	run -1 grep "thinprobe-$id" "$W/out-c" "$W/out-m"
	# all its files are unlinked; lab clean does not touch a lab that is up
	[ -z "$(ls -d /var/tmp/thinprobe-swap-$id 2>/dev/null)" ]
	LAB_LOCKS=$W/others "$TOP/thinprobe" lab clean >"$W/beside"
	"$TOP/thinprobe" lab clean >>"$W/beside"
	run -1 grep "$id" "$W/beside"
	[ -e "$W/no-switch" ] || [ "$(cat /proc/sys/vm/page-cluster)" = $((cluster ^ 1)) ]
	[ -n "$(ours)" ]
	kill -9 "$pid"
	gone
	[ "$(cat /proc/sys/vm/page-cluster)" = "$cluster" ]
}

@test "memory: zram; after kill -9 of driver and undo process, lab clean removes it" {
	begin zram 'hog big 100; lab_ready big 120' 'nap 600'
	zrams="${LAB_SWAP_DEVICE#/dev/} ${LAB_SWAP_SCRATCH#/dev/}"
	[ "$(used "$LAB_SWAP_DEVICE")" -ge $((36 << 20)) ]
	kill -9 "$LAB_UNDO" "$pid"
	nobody
	ours | grep -q "^swap $LAB_SWAP_DEVICE"
	"$TOP/thinprobe" lab clean >"$W/clean"
	cat "$W/clean"
	gone
	grep -q "ended swap on $LAB_SWAP_DEVICE" "$W/clean"
	grep -q "removed group $LAB_MEMORY_GROUP" "$W/clean"
}

@test "memory: after kill -9 of the undo process, the driver removes the swap; without its record, lab clean does" {
	begin file 'hog big 100; lab_ready big 120; kill -9 $LAB_UNDO' 'lab_change swap file 1048576; echo "$LAB_WHY" >'"$W"'/why'
	wait "$pid" || true
	cat "$W/why" "$W/out"
	grep -q 'has ended' "$W/why"
	gone
	rm -f "$W/up"
	begin file '' 'nap 600'
	kill -9 "$LAB_UNDO" "$pid"
	nobody
	ours | grep -q "^swap $LAB_SWAP_DEVICE"
	answer=$(echo 'swap file 1048576' | LAB_ID=abcdef bash "$TOP/lab/local/undo.sh" serve)
	echo "$answer"
	[[ $answer == "no $LAB_SWAP_DEVICE is the swap of a lab that was killed"*"lab clean" ]] ||
		[ "$(readlink /proc/self/ns/pid)" != 'pid:[4026531836]' ]
	rm "$W/locks/undo-$id"
	"$TOP/thinprobe" lab clean
	gone
}

@test "memory: a slow swap device takes the delay for a read, can be exchanged under a session, and is gone at the end" {
	[ -x "$TOP/bin/slowdisk" ] && [ -e /dev/fuse ] || skip "no slowdisk, or no FUSE here"
	begin slow:20ms 'hog big 72; lab_ready big 120
		read_one() {
			local t=${EPOCHREALTIME/[.,]/}
			lab_exec -R server dd if=$LAB_SWAP_SCRATCH bs=4k count=10 iflag=direct of=/dev/null status=none
			echo $((${EPOCHREALTIME/[.,]/} - t))
		}
		{ lab_disk slow 48M /tmp/disk && lab_disk_off; } >&2	# another slow disk must not affect this one
		read_one >'"$W"'/slow; lab_swap_delay 0ms
		for i in {1..100}; do read_one >'"$W"'/fast; [ "$(cat '"$W"'/fast)" -ge 200000 ] || break; done
		lab_memory_limit 48M || echo "$LAB_WHY" >'"$W"'/limit
		lab_swap file || echo "$LAB_WHY" >'"$W"'/exchange; lab_ours $LAB_PID && touch '"$W"'/lives
		lab_swap none && echo none >'"$W"'/none; echo "$LAB_WHY" >>'"$W"'/none
		lab_memory_facts >'"$W"'/facts; lab_memory_kills >'"$W"'/kills' 'nap 0.1'
	[ ! -s "$W/limit" ] && [ ! -s "$W/exchange" ] || { cat "$W/limit" "$W/exchange"; false; }
	cat "$W/slow" "$W/fast" "$W/none"
	# Ten reads: with the delay they cannot take less, however quick or busy the machine is. Without it, one of several tries does.
	[ "$(cat "$W/slow")" -ge 200000 ]
	[ "$(cat "$W/fast")" -lt 200000 ]
	[ -e "$W/lives" ]
	[ "$(cat "$W/kills")" = 0 ]
	# 72M do not fit into 48M without swap: refused, and no process is killed
	run -1 grep -qx none "$W/none"
	grep -q 'do not fit' "$W/none"
	[ "$(jq .server_memory_bytes "$W/facts")" = $((48 << 20)) ]
	wait "$pid" || true
	gone
}

# bats test_tags=all
@test "memory: a load of ten times the limit is OOM-killed; its cell fails with that reason, the next one is measured" {
	[ "$(id -u)" = 0 ] || skip "swap is root's"
	[ -x "$TOP/bin/keyrepeat" ] || skip "not built"
	# stalls with another load, in a copy of this tree
	mkdir -p "$W/home/experiments/stalls"
	ln -s "$TOP"/{bin,data,lab,plots,analysis} "$W/home"
	ln -s "$TOP"/experiments/{engine,families} "$W/home/experiments"
	ln -s "$TOP"/experiments/stalls/{plan,analysis.py,README.md} "$W/home/experiments/stalls"
	cat >"$W/home/experiments/stalls/cell.sh" <<END
. $(printf %q "$TOP")/experiments/stalls/cell.sh
FOREIGN_LIMIT=100
exp_begin() {
	echo "\$LAB_ID" >$W/id
	must session_start own "\$PROTOCOL" own
}
exp_before_cells() { :; }
train_load() {	# a hog that takes as much memory as it can; memhog, if it is built
	if [ -x "\$TP_BIN/memhog" ]; then
		lab_start server sink "\$TP_BIN/memhog" -s 640M --format json
	else
		lab_start server sink perl -e 'print STDERR "ready\\n"; for (1 .. 640) { \$m[\$_] = join "", map { rand } 1 .. 60000 } sleep 60'
	fi
	TRAIN_LOADS=("\$LAB_PID")
	lab_wait "\$LAB_PID"
	echo "\$? \$(lab_memory_kills)" >>$W/hog
}
exp_end_lab() { P=([protocol]=null [app]=own [sinks]=0) && train_run own 0 2 "\$RUN/after" latency; }	# the lab still works
END
	status=0
	LAB_SHARED_CPUS=1 LAB_CPU_WAIT=60 TP_HOME=$W/home TP_BIN=$TOP/bin "$TOP/experiments/engine/run.sh" stalls --protocol null \
		--server-memory 64M --swap-size 64M --link none --loads 0,1 --time 2 --repeat 1 --quick --idle 1 -o "$W/run" \
		>"$W/out" 2>&1 3>&- || status=$?
	why=$(grep 'cannot limit the server\|cannot set up swap' "$W/out") && skip "$why"
	cat "$W/out" "$W/hog"
	# on a busy machine the cell is tried once more
	awk '$1 != 137 || $2 != NR { bad = 1 } END { exit bad || !NR }' "$W/hog"
	[ "$status" = 3 ]
	[ "$(jq -r .state "$W/run/run.json")" = failed ]
	cell() {	# SINKS FILTER
		jq -r "$2" "$W/run/cells/$(jq -r --argjson n "$1" '.cells[] | select(.parameters.sinks == $n).name' \
			"$W/run/run.json")/1/cell.json"
	}
	[ "$(cell 1 .state)" = failed ]
	[[ $(cell 1 .reason) == "the server's memory of 64M and its swap were full"*"ended 1 of its processes"* ]]
	[ "$(cell 0 .state)" = complete ]
	jq -r .reason "$W/run/after/cell.json"
	[ "$(jq -r .state "$W/run/after/cell.json")" = complete ]
	[ "$(jq -r '.lab.memory | "\(.server_memory_bytes) \(.confined) \(.swap.kind) \(.swap.size_bytes)"' "$W/run/run.json")" \
		= "67108864 true file 67108864" ]
	id=$(cat "$W/id")
	gone
}

@test "memory: a size that would take the machine's reserve is refused, and leaves nothing" {
	begin file '
		LAB_RESERVE=100000G lab_memory_limit 65M; echo "$? $LAB_WHY"
		LAB_RESERVE=100000G lab_swap zram; echo "$? $LAB_WHY"
		lab_memory_group other limit=90000G; echo "$? $LAB_WHY"
		cat $LAB_MEMORY_GROUP/memory.limit_in_bytes $LAB_MEMORY_GROUP/memory.max 2>/dev/null
		lab_memory_group kept limit=32M && lab_start -M kept server kept cat /proc/self/cgroup && lab_wait $LAB_PID
		lab_memory_ungroup kept' 'LAB_RESERVE=; lab_down; LAB_RESERVE=100000G lab_up'
	if wait "$pid"; then return 1; fi
	cat "$W/out"
	[ "$(grep -c '^1 .*stay for the rest of the machine' "$W/out")" = 3 ]
	grep -qx $((64 << 20)) "$W/out"
	grep -q "thinprobe-$id.kept" "$W/run/log/kept.out"
	grep -q '^lab: cannot limit the server to 64M of memory: .*stay for the rest' "$W/out"
	gone
}

@test "memory: thinprobe lab up, exec in the group, and down by hand" {
	[ "$(id -u)" = 0 ] || skip "swap is root's"
	export XDG_RUNTIME_DIR=$W/runtime LAB_SHARED_CPUS=1 LAB_CPU_WAIT=60
	mkdir "$W/runtime"
	run "$TOP/thinprobe" lab up --server-memory 64M --swap=file --swap-size 64M
	echo "$output"
	if [[ $output == *"cannot limit the server"* || $output == *"cannot set up swap"* ]]; then skip "$output"; fi
	[ "$status" = 0 ]
	[[ $output == *" with 64M (group "*"swap file on /dev/loop"* ]]
	group=$(sed 's/.*(group \([^,]*\),.*/\1/' <<<"$output")
	id=${group##*thinprobe-} id=${id%%.*}
	"$TOP/thinprobe" lab exec server cat /proc/self/cgroup | grep -q "${group##*/}"
	"$TOP/thinprobe" lab down
	gone
}

@test "memory: cgroup v2: limits, protection, CPU groups within the server's memory group; all undone" {
	mkdir -p "$W/proc" "$W/tree/user.slice/me"
	echo "cgroup2 $W/tree cgroup2 rw 0 0" >"$W/proc/mounts"
	echo "0::/user.slice/me" >"$W/proc/cgroup"
	echo "cpu memory" >"$W/tree/cgroup.controllers"
	: >"$W/tree/cgroup.subtree_control"
	g=$W/tree/thinprobe-abcdef.server
	{
		printf '%s\n' 'memory server limit=67108864' 'limit server swap=no' 'memory kept low=4096 min=8192' \
			'memory bad swappiness=10' 'memory ../x limit=1'
		answered 5
		echo "cpu memory" >"$g/cgroup.controllers"
		: >"$g/cgroup.subtree_control"
		echo 90000000 >"$g/memory.current"	# (in this made-up folder reclaim does not change it)
		printf '%s\n' 'limit server limit=33554432' 'group load shares=2048'
		answered 7
		(cd "$W/tree" && grep -rH . . | sort) >"$W/seen"
	} | serve >"$W/answers"
	cat "$W/answers" "$W/seen"
	diff - "$W/answers" <<END
ok 2 $g
ok 
ok 2 $W/tree/thinprobe-abcdef.kept
no swappiness of a group: cgroup v2 has only that of the machine
no ../x is no name of a group
no its processes do not fit into 33554432 bytes, with the swap there is
ok $g/thinprobe-abcdef-load
END
	diff - "$W/seen" <<'END'
./cgroup.controllers:cpu memory
./cgroup.subtree_control:+cpu
./thinprobe-abcdef.kept/memory.low:4096
./thinprobe-abcdef.kept/memory.min:8192
./thinprobe-abcdef.server/cgroup.controllers:cpu memory
./thinprobe-abcdef.server/cgroup.subtree_control:+cpu
./thinprobe-abcdef.server/memory.current:90000000
./thinprobe-abcdef.server/memory.max:67108864
./thinprobe-abcdef.server/memory.reclaim:56445568
./thinprobe-abcdef.server/memory.swap.max:0
./thinprobe-abcdef.server/thinprobe-abcdef-load/cpu.weight:200
END
	[ -z "$(find "$W/tree" -name 'thinprobe*')" ]
	[ -z "$(ls "$W"/locks/undo-* 2>/dev/null)" ]
}

@test "memory: cgroup v1: a limit with and without swap; what only v2 has is refused, and the group is removed" {
	mkdir -p "$W/proc" "$W/tree"
	echo "cgroup $W/tree cgroup rw,memory 0 0" >"$W/proc/mounts"
	echo "4:memory:/" >"$W/proc/cgroup"
	# (a real group has its files from the start)
	mkdir -p "$W/path"
	cat >"$W/path/mkdir" <<'END'
#!/bin/sh
/bin/mkdir "$@" && for d; do :; done
for f in limit_in_bytes memsw.limit_in_bytes; do echo 9223372036854771712 >"$d/memory.$f"; done
echo 60 >"$d/memory.swappiness"
: >"$d/memory.force_empty"
END
	chmod 755 "$W/path/mkdir"
	{
		printf '%s\n' 'memory server limit=67108864' 'memory low low=4096' 'limit server swap=no' 'limit server limit=134217728'
		answered 4
		(cd "$W/tree" && grep -rH . . | sort) >"$W/seen"
	} | serve >"$W/answers"
	diff - "$W/answers" <<END
ok 1 $W/tree/thinprobe-abcdef.server
no memory.low: cgroup v1 has no such protection (cgroup v2 has)
ok 
ok 
END
	diff - "$W/seen" <<'END'
./thinprobe-abcdef.server/memory.limit_in_bytes:134217728
./thinprobe-abcdef.server/memory.memsw.limit_in_bytes:134217728
./thinprobe-abcdef.server/memory.swappiness:60
END
	[ -z "$(find "$W/tree" -name 'thinprobe*')" ]
	[ -z "$(ls "$W"/locks/undo-* 2>/dev/null)" ]
}

@test "memory: kernel switches are changed and restored; of a list of words the selected one is read" {
	mkdir -p "$W/switches" "$W/proc"
	: >"$W/proc/mounts"
	echo 0 >"$W/switches/delayacct"
	echo 60 >"$W/switches/swappiness"
	echo 'always [madvise] never' >"$W/switches/thp"
	{
		printf '%s\n' 'switch delayacct 1' 'switch swappiness 100' 'switch thp never' 'memory x limit=1'
		answered 4
		cat "$W"/switches/* "$W/locks/undo-abcdef" >"$W/seen"
	} | serve >"$W/answers"
	[ "$(paste -sd ' ' "$W/seen")" = "1 100 never switch delayacct 0 switch swappiness 60 switch thp madvise" ]
	grep -q '^no no cgroups are mounted' "$W/answers"
	[ "$(cat "$W"/switches/* | paste -sd ' ')" = "0 60 madvise" ]
}

@test "lab_size: sizes in K, M, G and T; thinprobe lab up refuses a malformed one, and swap without a limit" {
	# (Those of the experiments: plans.bats.)
	run bash -c '. "$0/lab/lib.sh"
		for s in 512M 1.5G 10K 64MiB 7 2T; do lab_size $s && echo $SIZE; done
		for s in "" M 1.G -1M 1Q "1 M"; do lab_size "$s" && echo "a size: $s"; done
		true' "$TOP"
	[ "$(paste -sd " " <<<"$output")" = "536870912 1610612736 10240 67108864 7 2199023255552" ]
	run -2 "$TOP/thinprobe" lab up --server-memory much
	run -2 "$TOP/thinprobe" lab up --swap zram
}
