#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# memhog: the memory is really there, holds what nobody can make smaller, is touched as asked, and leaves the others their reserve.
# bats file_tags=alone:swap

bats_require_minimum_version 1.5.0
load helpers
load confined

MEMHOG=$BIN/memhog

start_hog() {	# options...
	start hog "$MEMHOG" --format json -o report "$@"
	until_true settled
	grep -qx ready hog.err || { cat hog.err; return 1; }
}

settled() {
	grep -qx ready hog.err || gone "$pid"
}

kb_of() {	# pid key: of /proc/PID/smaps_rollup
	awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/smaps_rollup"
}

# The hog's own memory: its largest mapping that can be written to. start and size in pages
place_of() {	# pid
	awk '$2 ~ /^rw-p/ { split($1, a, "-"); s = strtonum16(a[1]); n = strtonum16(a[2]) - s; if (n > most) { most = n; start = s } }
		function strtonum16(h,  i, v) {
			v = 0
			for (i = 1; i <= length(h); i++) v = v * 16 + index("0123456789abcdef", substr(h, i, 1)) - 1
			return v
		}
		END { printf "%.0f %.0f\n", start / 4096, most / 4096 }' "/proc/$1/maps"
}

pages_of() {	# pid file: a copy of its memory
	local first n

	read -r first n < <(place_of "$1")
	[ "$n" -le 4096 ] || { echo "$n pages?" >&2; return 1; }	# some sanitizers map terabytes
	dd if="/proc/$1/mem" of="$2" bs=4096 skip="$first" count="$n" status=none
}

# How many pages that differ from each other.
different() {
	od -An -v -tx8 -w4096 | sort -u | wc -l
}

@test "memhog: its memory is resident by the kernel's account, complete at 'ready', and free after the end" {
	local pid kb

	need jq
	start_hog -s 48M
	kb=$(kb_of "$pid" Anonymous)
	[ "$kb" -ge $((48 * 1024)) ]
	[ "$kb" -lt $((50 * 1024)) ]
	[ "$(cat "/proc/$pid/oom_score_adj")" = 1000 ]
	grep -q 'anon:memhog' "/proc/$pid/maps" || echo "this kernel names no mappings"
	kill "$pid"
	ends "$pid"
	[ "$status" -eq 0 ]
	jq -e '.schema == "thinprobe.memhog/1" and .settings.size_bytes == 50331648 and .settings.touch == "none" and
		(.result | .filled_bytes == 50331648 and .resident_bytes + .swapped_bytes == 50331648 and .touched_bytes == 0 and
		(.fill_method == "place" or .fill_minor_faults + .fill_major_faults >= 12288) and .page_bytes == 4096
		and .huge_bytes == 0 and .stopped_by == "signal" and
		.first_to_be_killed and .pattern == null and .touch_bytes_per_s == null and
		(.fill_bytes_per_s * .fill_s / 50331648 - 1 | fabs) < 0.001)' report
	# a size that is no whole page
	"$MEMHOG" -s 1048577 -t 1ms --format json >out 2>err
	jq -e '.result.filled_bytes == 1052672' out
}

@test "memhog: no two of its pages are equal, also after touching, nor equal to a page of another memhog" {
	local pid words n=0

	for words in "--threads 3" "" "--pattern random --rate 400M/s" "--pattern stream --rate 100M/s"; do
		# shellcheck disable=SC2086
		start_hog -s 4M $words
		[ -z "${words##--threads*}" ] || sleep 0.3
		kill -STOP "$pid"
		pages_of "$pid" "copy.$((n++))" 2>err || skip "its memory cannot be read here: $(cat err)"
		kill -CONT "$pid"
	done
	[ "$(cat copy.* | different)" -eq 4096 ]
	[ "$(cat copy.2 copy.3 | gzip -9 | wc -c)" -ge 8388608 ]
}

@test "memhog: the same seed gives the same contents, with any number of threads" {
	local pid

	start_hog -s 2M --seed 5 --threads 1
	pages_of "$pid" a 2>err || skip "its memory cannot be read here: $(cat err)"
	start_hog -s 2M --seed 5 --threads 4
	pages_of "$pid" b
	cmp a b
	start_hog -s 2M --seed 6
	pages_of "$pid" c
	run -1 cmp -s a c
}

@test "memhog --touch: touches all of its memory at the rate, by writing or only reading" {
	local pid

	need jq
	"$MEMHOG" -s 8M --rate 16M/s -t 1500ms --format json >out 2>err || [ $? = 3 ]
	# 24 MiB, and less only by what a busy machine made it give up; more where it was late to end it, at the same rate
	jq -e '.settings.touch == "keep" and .settings.write and .result.pattern == "seq" and
		(.result | .touched_bytes + .behind_s * 16777216 > 20e6 and .touch_bytes_per_s < 18e6 and .stopped_by == "time")' out
	# a rate that no memory has: it says so, and the load was not there
	run -3 "$MEMHOG" -s 8M --rate 100000G/s -t 300ms
	[[ $output == *"not touched at the requested rate"* ]]
	for pattern in seq random stream; do
		start_hog -s 8M --access read --pattern $pattern --rate 64M/s --seed 3
		if pages_of "$pid" a 2>err; then
			sleep 0.3
			pages_of "$pid" b
			cmp a b
		fi
		kill "$pid"
		ends "$pid"
		jq -e --arg pattern $pattern '.result.pattern == $pattern and .result.touched_bytes > 0 and (.settings.write | not)' report
	done
	start_hog -s 2M --access write --pattern random --rate 64M/s --seed 3
	if pages_of "$pid" a 2>err; then
		until_true touched_twice
		# one word in each page, and every page
		cmp -l a b | awk '{ page = int(($1 - 1) / 4096); word = int(($1 - 1) % 4096 / 8); if (word != 1) wrong = 1; seen[page] = 1 }
			END { n = 0; for (p in seen) n++; print n, wrong; exit wrong || n != 512 }'
	fi
}

touched_twice() {
	sleep 0.1
	pages_of "$pid" b
	[ "$(cmp -l a b | awk '{ seen[int(($1 - 1) / 4096)] = 1 } END { n = 0; for (p in seen) n++; print n }')" -eq 512 ]
}

changes() { pages_of "$pid" a && sleep 0.1 && pages_of "$pid" b && ! cmp -s a b; }
# A thread that only waits for a CPU is not asleep.
asleep() { grep -L '^State:	S' "/proc/$pid/task"/*/status | wc -l | grep -qx 0; }
rests() { pages_of "$pid" a && sleep 0.5 && pages_of "$pid" b && cmp -s a b; }

@test "memhog: told to rest, it keeps its memory and stops touching it" {
	start_hog -s 4M --access write --touch keep
	until_true changes
	kill -USR1 "$pid"
	until_true eval 'asleep && rests'
	rests
	[ "$(kb_of "$pid" Anonymous)" -ge 4096 ]
	kill "$pid"
	wait "$pid"
	jq -e '.result.stopped_by == "signal" and .result.touched_bytes > 0' report
}

@test "memhog --touch without a rate: touches as fast as possible" {
	need jq
	for _ in {1..5}; do
		busy_begin
		"$MEMHOG" -s 4M --pattern stream --threads 2 -t 300ms --format json >out 2>err
		if jq -e '.result.touched_bytes > 40e6' out || ! machine_was_busy 150; then break; fi
	done
	jq -e '.result.touched_bytes > 40e6 and .result.touch_bytes_per_s > 0 and .result.behind_s == null' out
}

@test "memhog: uses huge pages of 2 MB if there are any, and reports which pages it got" {
	need jq
	"$MEMHOG" -s 15M --page 2M -t 1ms --format json >out 2>err
	jq -e '.settings.page_bytes == 2097152 and .result.filled_bytes == 16777216' out
	if grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
		jq -e '.result.huge_bytes == 0 and .result.page_bytes == 4096' out
		grep -q '^memhog: only 0 of ' err
	else
		# as many as there were
		jq -e '.result | (.huge_bytes > 8388608) == (.page_bytes == 2097152)' out
		[ "$(jq .result.huge_bytes out)" -ge 15099494 ] || grep -q '^memhog: only ' err
	fi
}

@test "memhog: a size that would leave too little memory is refused at once, with the size that would fit" {
	local total

	total=$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)
	run timeout 10 "$MEMHOG" -s "$((total * 20))K"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "memhog: "*" would leave "*" to the rest of the machine, and "*" free; at most "*" fit" ||
		$output == *"a group with a lower limit is needed"* ]]
	run timeout 10 "$MEMHOG" -s 1M --reserve "$((total * 20))K"
	[ "$status" -eq 1 ]
	[[ $output == "memhog: the machine has "*" available, and "*" free; "* ]]
}

@test "memhog: when free memory falls below the reserve, it ends and frees its memory" {
	local available pid hog n

	need jq
	available=$(awk '/^MemAvailable/ { a = $2 } /^SwapFree/ { s = $2 } END { print a + s }' /proc/meminfo)
	[ "$available" -gt 1500000 ] || skip "too little memory here"
	# somebody else takes what was left above it, and what third ones give back meanwhile
	start_hog -s 16M --reserve "$((available - 300000))K"
	hog=$pid
	for ((n = 0; n < 5; n++)); do
		start other "$MEMHOG" -s 500M
		until_true eval 'grep -qx ready other.err || gone "$pid"'
		sleep 0.5
		if gone "$hog"; then break; fi
	done
	until_true gone "$hog"
	status=0
	wait "$hog" || status=$?
	cat hog.err
	[ "$status" -eq 3 ]
	grep -q '^memhog: stopped early: ' hog.err
	jq -e '.result.stopped_by == "reserve" and .result.left_least_bytes < .settings.reserve_bytes' report
}

@test "memhog: it dies with its parent" {
	local hog

	bash -c "'$MEMHOG' -s 4M >/dev/null 2>hog.err & echo \$! >hog.pid; wait" 3>&- &
	started+=($!)
	until_true grep -qx ready hog.err
	until_true test -s hog.pid
	hog=$(cat hog.pid)
	started+=("$hog")
	kill -9 "${started[0]}"
	until_true gone "$hog"
}

@test "memhog: a signal ends it early, with a report" {
	need jq
	start_hog -s 4M -t 600s --pattern random
	kill -TERM "$pid"
	ends "$pid"
	[ "$status" -eq 130 ]
	jq -e '.result.stopped_by == "signal" and .result.filled_bytes == 4194304' report
}

major_faults() { awk '{ print $12 }' "/proc/$pid/stat"; }

@test "memhog: in a memory group, a percentage is of its limit; it can grow until so much of it is in swap" {
	local swap

	need jq
	make_group memory 1
	echo 32M >"$group/memory.limit_in_bytes"
	fallocate -l 80M backing || skip "no room for a swap file"
	make_swap backing alone
	start_hog -s 50% --cgroup "$group"
	grep -qx "$pid" "$group/cgroup.procs"
	kill "$pid"
	ends "$pid"
	jq -e --arg group "$group" '.settings.size_bytes == 16777216 and .result.confined
		and .result.memory_group == $group and .result.swapped_bytes == 0' report
	start_hog --until-swap 24M --cgroup "$group"
	swap=$(kb_of "$pid" Swap)
	[ "$swap" -ge $((24 * 1024 - 512)) ]
	[ "$swap" -lt $((60 * 1024)) ]
	kill "$pid"
	ends "$pid"
	[ "$status" -eq 0 ]
	jq -e '.result | .until_swap_counted_bytes >= 25165824 and .swapped_bytes >= 24e6
		and .swapped_bytes + .resident_bytes == .filled_bytes' report
	start_hog --until-swap 24M --swap-of group --cgroup "$group"
	swap=$(awk '$1 == "total_swap" { print $2 }' "$group/memory.stat")
	[ "$swap" -ge $((24 << 20)) ]
	kill "$pid"
	ends "$pid"
	# touched again, it comes back from there
	start_hog -s 40M --access read --rate 200M/s --cgroup "$group"
	faults=$(major_faults)
	until_true eval '[ "$(major_faults)" -gt "$faults" ]'
	kill "$pid"
	ends "$pid"
	jq -e '.result | .major_faults > .fill_major_faults and .swapped_bytes > 0' report
	# more than it is itself (of more than the limit, pages that are still being written count as swapped)
	run timeout 60 "$MEMHOG" -s 20M --until-swap 24M --cgroup "$group" --format json -o report
	[ "$status" -eq 3 ]
	[[ $output == "memhog: "*"20.0 MiB"*"not 24.0 MiB; "*"--size"*"--until-swap"* ]]
	jq -e '.result.stopped_by == "size"' report
	# ten times the limit, more than fits into memory and swap: it is what is ended, and nothing else is
	start bystander bash -c "echo \$\$ >'$group/cgroup.procs' && exec sleep 60"
	bystander=$pid
	echo 40M >"$group/memory.memsw.limit_in_bytes" || true	# or all of the swap fills first
	run timeout 30 "$MEMHOG" -s 1000% --cgroup "$group"
	[ "$status" -eq 137 ]
	kill -0 "$bystander"
}
