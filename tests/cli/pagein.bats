#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# pagein: what it says was paged out must have been, by the account of others, at the moment of the key.
#
# The application is a program with 2 MB that touches all of it on a signal. The prober is ours: it looks at the application in
# /proc itself when a key is asked for, and answers with a latency of its own making that depends on what it found.
# bats file_tags=alone:swap

load helpers
load confined

MB=1048576

PAGEIN=$BIN/pagein

# A memory group of our own, $group, and swap: skips where there can be none.
confined() {
	need perl
	make_group memory
	[ -e "$group/memory.limit_in_bytes" ] || [ -e "$group/memory.reclaim" ] || skip "no memory controller, or none that can be emptied"
	fallocate -l 96M backing || skip "no room for a swap file"
	make_swap backing
}

# The application: $app. A line in `touched` for each time that it has touched its memory.
application() {	# application [GROUP BELOW]
	: >touched
	start app sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' - "$group/${1-}" perl -e '
		my $v = ""; $v .= chr(65 + rand 26) x 4096 for 1 .. 512;
		my $n = 0;
		$SIG{USR1} = sub { my $c = ($v =~ tr/A-Z//); open my $f, ">>", "touched"; print $f "$c\n"; close $f; $n++ };
		open my $f, ">", "up"; close $f;
		sleep 1000 while 1'
	app=$pid
	until_true test -e up
}

# The prober: pipes `ask` and `answer`; a row in `keys` for each, "VmSwap(kB) smaps-Swap(kB) majflt-before".
prober() {
	mkfifo ask answer
	start prober env app="$app" bash -c '
		exec 3<>ask 4<>answer
		: >probing
		seq=0 at=$((10 ** 12))
		while read -r line <&3; do
			seq=$((seq + 1)) at=$((at + 10 ** 9))
			swap=$(awk "\$1 == \"VmSwap:\" { print \$2 }" /proc/$app/status)
			smaps=$(awk "\$1 == \"Swap:\" { s += \$2 } END { print s }" /proc/$app/smaps)
			echo "$swap $smaps" >>keys
			before=$(wc -l <touched)
			kill -USR1 $app
			while [ "$(wc -l <touched)" -eq $before ]; do sleep 0.01; done
			# 250 ms with most of it in swap, 3 ms without
			ns=3000000
			[ "$swap" -lt 1800 ] || ns=250000000
			printf "%d\t%d\t%d\t%d\tchange\n" $seq $at $((at + 1000)) $((at + ns)) >&4
		done'
	until_true test -e probing	# who asks before it has opened its end is told that nobody reads
}

pagein() {	# options...
	"$PAGEIN" --pid "$app" x11::none --prober ask,answer --cgroup "$group" --settle 200ms \
		--pause 100ms --repeat 2 --format json -o report.json "$@"
}

json() {
	jq -r "$1" report.json
}

states() {
	json '[.result.runs[].state] | join(" ")'
}

@test "pagein: a missing process, group or prober: exit 1, and the cure" {
	start sleeper sleep 100
	run "$PAGEIN" --pid 4194303 x11::1 --evict none
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no such process"* ]]
	run "$PAGEIN" --pid "$pid" x11::1 --cgroup "$PWD"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no memory group"* ]]
	mkfifo a b
	run "$PAGEIN" --pid "$pid" x11::1 --evict none --prober a,b
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no process reads it"* ]]
	run "$PAGEIN" --pid "$pid" null: --evict none --prober "$PWD"
	[ "$status" -eq 1 ]
}

@test "pagein: an ordinary user may not read another user's process" {
	start sleeper sleep 100
	ordinary_user
	[ "$(id -u)" -eq 0 ] || skip "we are one"
	run "${user[@]}" "$PAGEIN" --pid "$pid" null: --evict none
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no right"* ]]
}

@test "pagein: measures a key in memory with a keyrepeat that it starts itself" {
	start_x
	start_refecho --display "$DISPLAY" --answer-delay const:30ms
	run "$PAGEIN" --pid "$refecho" "x11:$DISPLAY" --evict none --repeat 2 --watch patch --settle 0 --pause 0 \
		--format json -o report.json
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(states)" = "in_memory in_memory" ]
	[ "$(json '.result.in_memory_ms | .n == 2 and .min >= 30')" = true ]
	[ "$(json '.result.in_memory_second_ms.min >= 30')" = true ]
	[ "$(json '.result.paged_out_ms.n')" = 0 ]
}

@test "pagein --evict cgroup: by the kernel's account all was in swap at the key, and came back by major faults" {
	local swap smaps

	confined
	application
	prober
	run pagein --log log.tsv
	echo "$output"
	cat report.json
	[ "$status" -eq 0 ]
	[ "$(states)" = "in_memory paged_out in_memory paged_out" ]
	# the latencies that the prober made up for what it saw
	[ "$(json '.result.paged_out_ms | "\(.n) \(.min) \(.max)"')" = "2 250 250" ]
	[ "$(json '.result.in_memory_ms | "\(.n) \(.min) \(.max)"')" = "2 3 3" ]
	[ "$(json '.result.paged_out_second_ms | "\(.n) \(.max)"')" = "2 3" ]
	# what it counted of each process is what the kernel's own sums were at that moment
	read -r swap smaps < <(awk '$1 >= 1800' keys | head -n 1)
	[ "$swap" -ge 2048 ]
	[ "$(json '.result.runs[1].processes[0].swap_bytes')" -eq $((smaps * 1024)) ]
	[ "$(json '.result.runs[1].processes[0] | .name == "perl" and .evicted_percent >= 90 and .major_faults > 0')" = true ]
	# 2 MB were touched, so they came back, and were read
	[ "$(json ".result.runs[1] | .refaulted_bytes >= 2 * $MB and .swap_in_bytes >= 2 * $MB and .refaulted_read_percent > 95")" = true ]
	[ "$(json '.result.runs[0] | .major_faults == 0 and .refaulted_bytes == 0')" = true ]
	# perl's library is mapped by us, too: it stays
	[ "$(json '.result.runs[1].processes[0] | .file_resident_bytes >= .file_mapped_by_others_bytes')" = true ]
	# the log: in swap just before the key, not after the echo
	awk -F'\t' -v mb=$MB '$2 == 2 && $4 == "before_key" { b = $6 } $2 == 2 && $4 == "echo" { e = $6 }
		END { exit !(b >= 2 * mb && e < mb / 2) }' log.tsv
}

@test "pagein --type: types keys at that interval while memory is taken; they are in their run's figures; the session stays" {
	confined
	application
	prober
	run pagein --evict hog --kept --evict-timeout 2s --type 100ms --hog-until key2 --hog sleep 100
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(states)" = "in_memory kept in_memory kept" ]
	# at most one each 100 ms, the first at once; on a busy machine fewer; each took what the prober makes of memory that is there
	[ "$(json '[.result.runs[1, 3].typed_ms | .n >= 3 and .n <= 21 and .min == 3 and .max == 3] | all')" = true ]
	[ "$(json '.result.runs[0].typed_ms.n')" = 0 ]
	[ "$(json '.settings.type_s == 0.1')" = true ]
	[ "$(json '.result.kept_ms | "\(.n) \(.max)"')" = "2 3" ]
}

@test "pagein: a session whose group may not swap stays in memory beside a hog; --kept reports it separately" {
	confined
	[ -e "$group/memory.swappiness" ] || skip "a group inside a group that has processes takes cgroup v1"
	mkdir "$group/inner"
	echo 0 >"$group/inner/memory.swappiness"
	echo 64M >"$group/memory.limit_in_bytes"
	application inner
	prober
	run pagein --evict hog --evict-timeout 1s --repeat 1
	echo "$output"
	[ "$status" -eq 3 ]
	[ "$(states)" = "in_memory not_evicted" ]
	[ "$(json '.result.runs[1] | [.processes[0].swap_bytes, .first_key_ms] | tostring')" = '[0,null]' ]
	run pagein --evict hog --evict-timeout 1s --kept --repeat 1
	[ "$status" -eq 0 ]
	[ "$(json '.result.kept_ms | "\(.n) \(.max)"')" = "1 3" ]
}

@test "pagein --evict madvise: counts as paged out only if reads from swap show it" {
	confined
	application
	prober
	run pagein --evict madvise --repeat 1
	echo "$output"
	[[ $status -ne 1 || $output != *CAP_SYS_NICE* ]] || skip "$output"
	[ "$(json '.result.runs[1].processes[0].evicted_percent >= 90')" = true ]
	[ "$(awk '$1 >= 1800' keys | wc -l)" -eq 1 ]
	[ "$(json '.result.runs[1] | (.state == "paged_out") == (.major_faults > 0 and .refaulted_read_percent >= 50)')" = true ]
}

@test "pagein --evict hog: the hog is gone afterwards; the message of a hog that gives up is quoted" {
	confined
	[ -x "$BIN/memhog" ] || skip "memhog is not built"
	application
	prober
	echo 64M >"$group/$([ -e "$group/memory.limit_in_bytes" ] && echo memory.limit_in_bytes || echo memory.max)"
	run pagein --evict hog --repeat 1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(states)" = "in_memory paged_out" ]
	[ "$(json '.result.paged_out_ms | "\(.n) \(.max)"')" = "1 250" ]
	[ "$(json .settings.hog)" = "$BIN/memhog -s 150% --touch keep --cgroup $group" ]
	[ "$(wc -l <"$group/cgroup.procs")" -eq 1 ]
	run pagein --evict hog --repeat 1 --hog sh -c 'echo "no room for me" >&2; exit 1'
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"no room for me"* ]]
	[ "$(states)" = in_memory ]
}

@test "pagein: a signal in the middle: exit 130, a valid report, no hog left; none after SIGKILL either" {
	local hog

	confined
	application
	prober
	for signal in TERM KILL; do
		rm -f hog
		start pagein "$PAGEIN" --pid "$app" x11::none --prober ask,answer --settle 0 --pause 0 --repeat 1 \
			--evict hog --format json -o report.json \
			--hog sh -c 'echo $$ >hog; exec sleep 1000'
		until_true test -s hog
		hog=$(cat hog)
		started+=("$hog")
		kill -"$signal" "$pid"
		ends "$pid"
		until_true gone "$hog"
		[ $signal = KILL ] || [ "$status $(states)" = "130 in_memory" ]
	done
}

@test "pagein: refuses a process outside of the group, and a group with swappiness 0" {
	confined
	application
	start outsider sleep 100
	run "$PAGEIN" --pid "$pid" x11::none --cgroup "$group" --prober ask,answer
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"is not in"* ]]
	[ -e "$group/memory.swappiness" ] || skip "this version of groups has no swappiness of its own"
	echo 0 >"$group/memory.swappiness"
	run "$PAGEIN" --pid "$app" x11::none --cgroup "$group" --prober ask,answer
	echo "$output"
	[ "$status" -eq 4 ]
	[[ $output == *swappiness* ]]
}
