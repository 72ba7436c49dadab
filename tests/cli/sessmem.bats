#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# sessmem: its sums against two other programs, which processes belong to a login, and memory that changes.

bats_require_minimum_version 1.5.0

load helpers
load confined
load ../not_here

setup() {
	skip_not_here
	begin_test
	SESSMEM=$BIN/sessmem
	need python3
}

# A process with memory of all kinds, linked statically: it shares no page with other processes, so that its figures do not
# change.
setup_file() {
	command -v gcc >/dev/null || { not_here "gcc is not installed"; return 0; }
	gcc -static -O1 -o "$BATS_FILE_TMPDIR/memory" -xc - <<'END_OF_C' || not_here "nothing can be linked statically here"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile char *map(int fd, int flags, long pages, int prot)
{
	char *m = mmap(0, pages * 4096, prot, flags, fd, 0);
	if (m == MAP_FAILED) exit(1);
	return m;
}
int main(int argc, char **argv)	/* FILE PAGES */
{
	int file = open(argv[1], O_RDONLY), n = atoi(argv[2]);
	volatile char *mine = map(-1, MAP_PRIVATE | MAP_ANONYMOUS, n, PROT_READ | PROT_WRITE);
	volatile char *shared = map(-1, MAP_SHARED | MAP_ANONYMOUS, 64, PROT_READ | PROT_WRITE);
	volatile char *changed = map(file, MAP_PRIVATE, 100, PROT_READ | PROT_WRITE), *seen = map(file, MAP_PRIVATE, 100, PROT_READ);
	for (int i = 0; i < 20; i++) changed[i * 4096] = shared[i * 4096] = 7, (void)seen[(50 + i) * 4096];
	for (int i = 0; i < n; i++) mine[i * 4096] = 1;
	pid_t child = fork();
	if (!child) {
		for (int i = 0; i < 10; i++) shared[(30 + i) * 4096] = mine[i * 4096] = 7;
		for (;;) pause();
	}
	printf("up %d\n", (int)child), fflush(stdout);
	for (;;) pause();
}
END_OF_C
}

# It prints "up" and its child's pid.
memory() {	# memory NAME [PAGES]: $pid $child
	head -c 1000000 /dev/zero >"file.$1"
	: >"$1.out"
	"$BATS_FILE_TMPDIR/memory" "file.$1" "${2:-100}" >"$1.out" 3>&- &
	pid=$!
	started+=("$pid")
	until_true grep -q up "$1.out"
	child=$(awk '{ print $2; exit }' "$1.out")
	started+=("$child")
}

state() { sed 's/.*) //; s/ .*//' "/proc/$1/stat"; }

# The sums of an independent script over /proc/PID/smaps, in kB.
script() {	# PID...
	python3 - "$@" <<'END_OF_SCRIPT'
import re, sys
total = {}
for pid in sys.argv[1:]:
    for line in open("/proc/%s/smaps" % pid):
        found = re.match(r"(Private_Dirty|Private_Clean|Shared_Dirty|Shared_Clean|Pss|Swap|SwapPss|Rss): +(\d+) kB", line)
        if found: total[found[1]] = total.get(found[1], 0) + int(found[2])
print(total["Private_Dirty"] + total["Swap"], total["Private_Dirty"], total["Swap"], total["Private_Clean"],
      total["Pss"], total["SwapPss"], total["Shared_Clean"] + total["Shared_Dirty"], total["Rss"])
END_OF_SCRIPT
}

# The same by smem, as far as smem has it.
smem_says() {	# PID...
	smem -H -c 'pid swap uss pss rss' | awk -v of=" $* " 'index(of, " " $1 " ") { swap += $2; uss += $3; pss += $4; rss += $5; n++ }
		END { print n, swap, uss, pss, rss }'
}

# Compares sessmem with LOOK, for stopped processes: two equal outputs of LOOK must enclose it.
equal_to_the_page() {	# LOOK FIGURES PID...
	local before after got try

	for try in {1..20}; do
		before=$("$1" "${@:3}")
		"$SESSMEM" --pid "$(tr ' ' , <<<"${*:3}")" --format json -o out
		after=$("$1" "${@:3}")
		[ "$before" = "$after" ] || continue
		got=$(jq -r "$2 | map(tostring) | join(\" \")" out)
		echo "try $try: $got, $before"
		[ "$got" = "$before" ]
		return
	done
	skip "the shares of others never stood still"
}

@test "sessmem: its sums are those of an independent script and of smem, to the page" {
	memory a 300
	first=$child
	memory b
	kill -STOP "$first" "${started[@]}"
	until_true eval '[ "$(state "$pid")" = T ]'
	equal_to_the_page script '.result | [.total_private_bytes, .total_private_dirty_bytes, .total_swap_bytes,
		.total_private_clean_bytes, .total_pss_bytes, .total_swap_pss_bytes, .total_shared_bytes, .total_rss_bytes] |
		map(. / 1024)' "${started[@]}"
	[ "$(jq .result.processes_read out)" = 4 ]
	[ "$(jq '.result.total_private_dirty_bytes == ([.result.processes[].private_dirty_bytes] | add)' out)" = true ]
	# 290 and 90 pages that the child did not write are shared; those that it wrote are private in each
	[ "$(jq '.result.total_shared_bytes >= 2 * (290 + 90) * 4096 and .result.total_private_dirty_bytes >= 2 * 20 * 4096' out)" = true ]
	need smem
	# (its PSS of a process is cut in the same way as ours)
	equal_to_the_page smem_says '.result | [.processes_read, .total_swap_bytes / 1024,
		(.total_private_dirty_bytes + .total_private_clean_bytes) / 1024, .total_pss_bytes / 1024, .total_rss_bytes / 1024]' \
		"${started[@]}"
}

@test "sessmem --session: the processes of the session, descendants that left it, and no others" {
	# A shell leads a session; in it a child, one that made a session of its own (as a terminal's shell
	# does), and one that lost its parent.
	start tree setsid sh -c '
		echo $$ >leader
		sleep 601 &
		sh -c "setsid sleep 602 & echo \$! >left; wait" &
		(sleep 603 & echo $! >orphan)
		wait'
	until_true test -s leader -a -s left -a -s orphan
	until_true grep -x sleep "/proc/$(cat left)/comm"
	leader=$(cat leader)
	# two shells and two sleeps; the shell between them has ended
	until_true eval '[ "$(pgrep -s "$leader" | wc -l) $(pgrep -x -s "$leader" sleep | wc -l)" = "4 2" ]'
	started+=($(pgrep -s "$leader") $(cat left))
	"$SESSMEM" --session "$leader" --format json -o out
	jq -r '.result.processes[].command' out
	[ "$(jq -r '.result.processes[].command' out | grep -c '^sleep 60[123]$')" = 3 ]
	[ "$(jq '.result.processes_read' out)" = 5 ]
	[ "$(jq "[.result.processes[].pid] | index($$)" out)" = null ]
	# a process that leads no session: itself and its descendants
	middle=$(jq -r '.result.processes[] | select(.command | test("602 &")) | select(.command | startswith("sh -c setsid")) | .pid' out)
	"$SESSMEM" --session "$middle" --format json -o out
	[ "$(jq -rc '[.result.processes[].name] | sort' out)" = '["sh","sleep"]' ]
}

@test "sessmem: memory that changes between two readings is reported; memory at rest is exact" {
	start grower python3 -c 'if True:
		x = []
		while len(x) < 100000: x.append(bytearray(8192))
		print(1, flush=True)
		import time
		time.sleep(600)'
	until_true eval '[ "$("$SESSMEM" --pid '"$pid"' --format json | jq ".result | .exact == false and .changed_bytes > 0")" = true ]'
	until_true grep -q 1 grower.out
	run -0 "$SESSMEM" --pid "$pid" --format json
	[ "$(jq '.result | .exact == true and .changed_bytes == 0' <<<"$output")" = true ]
}

@test "sessmem: as an ordinary user: unreadable processes of others are counted, and refused if there are only such" {
	[ "$(id -u)" = 0 ] || skip "takes root, to be another user"
	ordinary_user
	mkdir bin && cp "$SESSMEM" bin && cp -R "$TOP/analysis" . && chmod -R a+rX .
	folder=$PWD
	until [ -k "$folder" ] || [ -z "$folder" ]; do chmod a+x "$folder" && folder=${folder%/*}; done	# up to /tmp
	start mine "${user[@]}" sleep 600
	until_true grep -q '^Uid:[[:space:]]*65534' "/proc/$pid/status"
	mine=$pid
	start theirs sleep 600
	run -0 "${user[@]}" bin/sessmem --pid "$mine" --format json
	[ "$(jq '.result.total_private_bytes > 0 and .result.unreadable == 0' <<<"$output")" = true ]
	run "${user[@]}" bin/sessmem --pid "$mine,$pid" --json
	[ "$status" -eq 3 ]
	grep -q '1 of 2 processes may not be read; as root they may' <<<"$output"
	run -3 "${user[@]}" bin/sessmem --pid "$mine,$pid"
	[[ $output != *"room for"* ]]	# not with unreadable processes
	run "${user[@]}" bin/sessmem --pid "$pid"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "sessmem --cgroup: processes of the group and of groups below, and the kernel's charge" {
	make_group memory 1
	mkdir "$group/login"
	start outer sh -c "echo 0 >$group/cgroup.procs; exec sleep 600"
	start inner sh -c 'echo 0 >"$1" && exec python3 -c "if True:
		import time
		x = bytearray(b\"x\" * 20000000)
		print(1, flush=True)
		time.sleep(600)"' sh "$group/login/cgroup.procs"
	until_true grep -q 1 inner.out
	until_true eval '[ "$("$SESSMEM" --cgroup "$group" --format json | jq -rc "[.result.processes[].name] | sort")" = \
		"[\"python3\",\"sleep\"]" ]'
	# each figure includes the array of 20 MB and little more; the kernel sums up its statistics in batches, so wait
	until_true eval '"$SESSMEM" --cgroup "$group" --format json -o out && jq -c .result.cgroup out && [ "$(jq "
		([.result.processes[].name] | sort) == [\"python3\", \"sleep\"]
		and (.result | .cgroup.version == 1 and .total_private_bytes > 20e6 and .cgroup.anonymous_bytes > 20e6
		and .cgroup.anonymous_bytes < 50e6 and .cgroup.charged_bytes >= .cgroup.anonymous_bytes)" out)" = true ]'
}

# In MiB, of the short report in `output`.
takes() { sed -n 's/.*takes at least \([0-9.]*\) MiB.*/\1/p' <<<"$output"; }

@test "sessmem: the cost of one more session includes memory shared within it, and unmapped memory charged to its group" {
	memory a 20000
	run -0 "$SESSMEM" --pid "$pid,$child"
	# 20,000 pages are 78.1 MiB; all but ten are in both processes
	awk -v t="$(takes)" 'BEGIN { print t; exit !(t >= 78 && t < 85) }'
	make_group memory 1
	start unmapped sh -c 'echo 0 >"$1" && exec python3 -c "if True:
		import os, time
		left = 40 << 20
		file = os.memfd_create(str())
		while left: left -= os.write(file, bytes(1 << 20))
		print(1, flush=True)
		time.sleep(600)"' sh "$group/cgroup.procs"
	until_true grep -q 1 unmapped.out
	# the kernel adds up its statistics in batches
	until_true awk '$1 ~ /^(total_)?shmem$/ && $2 >= 40 * 2 ^ 20 { all = 1 } END { exit !all }' "$group/memory.stat"
	run -0 "$SESSMEM" --cgroup "$group"
	awk -v t="$(takes)" 'BEGIN { print t; exit !(t >= 40 && t < 80) }'
}

@test "sessmem: room for more sessions: limits of groups above count, the session's own limit does not" {
	make_group memory 1
	login=$group/login
	mkdir "$login"
	memory a 20000
	echo "$pid" >"$login/cgroup.procs"
	echo "$child" >"$login/cgroup.procs"
	for limit in 220M:100M:2:1 100M:-1:1:1 60M:-1:0:0; do
		IFS=: read -r above own beside within <<<"$limit"
		echo "$own" >"$login/memory.limit_in_bytes"
		echo "$above" >"$group/memory.limit_in_bytes"
		run -0 "$SESSMEM" --cgroup "$login"
		[[ $output == *"at most $beside,"* ]]
		run -0 "$SESSMEM" --pid "$pid,$child"
		[[ $output == *"at most $within,"* ]]
	done
}

@test "sessmem: a missing process gives one line" {
	start short true
	ends "$pid"
	run "$SESSMEM" --pid "$pid"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "sessmem: "*" $pid "* ]]
	# a zombie, as a process and as a session
	start parent python3 -c 'if True:
		import os, time
		child = os.fork()
		if not child: os.setsid(), os._exit(0)
		print(child, flush=True)
		time.sleep(600)'
	until_true test -s parent.out
	child=$(cat parent.out)
	until_true eval '[ "$(state "$child")" = Z ]'
	for words in "--pid $child" "--pid $pid,$child" "--session $child"; do
		run -1 "$SESSMEM" $words
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == *ended* ]]
	done
	run "$SESSMEM" --cgroup "$PWD"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	run -0 "$SESSMEM" --machine --format json
	[ "$(jq '.result.machine | .used_bytes > 0 and .used_bytes < .total_bytes' <<<"$output")" = true ]
	[ "$(jq .result.processes <<<"$output")" = null ]
	# of another machine
	printf '%s kB\n' 'MemTotal: 1000' 'MemAvailable: 800' 'MemFree: 600' 'Buffers: 0' 'Cached: 200' 'Shmem: 50' \
		'SReclaimable: 0' 'AnonPages: 90' >meminfo
	"$SESSMEM" --machine --meminfo meminfo --json -o out
	[ "$(jq '.result.machine | .used_bytes / 1024' out)" = 250 ]
}
