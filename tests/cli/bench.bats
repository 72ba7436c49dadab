#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The benches: the arithmetic of their ratios against known answers, the capture they make, and that each is told of.

bats_require_minimum_version 1.5.0
load helpers

TOOLS=$TOP/build/bench

# bench WORDS: a bench of our own that says WORDS after it has begun
bench() {
	{
		echo "TP_HOME='$TOP'; . '$TOP/lab/lib.sh'; . '$TOP/bench/lib.sh'; bench_begin mine"
		echo "$1"
		echo "bench_end"
	} >mine.sh
	bash -u mine.sh
}

ratios() {	# LIMIT RATIO...: of contenders a and b
	local limit=$1 round=0 r words=''

	shift
	for r; do
		round=$((round + 1))
		words+="note time a $round $r; note time b $round 1; "
	done
	bench "$words ratio time a b '$limit'"
}

@test "coverage: where no interval was there, its cells are empty" {
	run -0 "$TOP/bench/coverage.py" 1
	[[ $output != *nan* && $output != *inf* ]]
	grep -qx $'p99\tlognormal 0.3\talone\t3\t\t\t100\t0.0' <<<"$output"
	[ -z "$(awk -F'\t' 'NR > 1 && ($5 == "") != ($7 == 100)' <<<"$output")" ]
}

@test "median and interval are the order statistics that tables give for 8, 10, 12 and 20 values" {
	# ranks of the 95 % interval of a median, e.g. Conover, Practical Nonparametric Statistics, table A3 (p = 0.5)
	run ratios "" 8 1 7 2 6 3 5 4
	[[ $output == *" 8   4.500  1.000 to 8.000 "* ]]
	run ratios "" 10 9 8 7 6 5 4 3 2 1
	[[ $output == *" 10   5.500  2.000 to 9.000 "* ]]
	run ratios "" 1 2 3 4 5 6 7 8 9 10 11 12
	[[ $output == *" 12   6.500  3.000 to 10.000 "* ]]
	run ratios "" {1..20}
	[[ $output == *" 20  10.500  6.000 to 15.000 "* ]]
}

@test "bench: ratios are taken within a round, so that a drift common to both contenders cancels out" {
	run bench 'for r in 1 2 3 4 5 6 7 8; do note time a $r $((r * r * 30)); note time b $r $((r * r * 20)); done; ratio time a b 1.6'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *" 8   1.500  1.500 to 1.500 "*" met"* ]]
}

@test "bench: a limit is met only if the whole interval is on its side, below it or above a lower limit; else the status is 1" {
	local limit most wanted said

	while read -r limit most wanted said; do
		# seven ratios, and one that is an end of the interval
		# shellcheck disable=SC2086 # words
		run ratios "$limit" $(printf "${most%,*} %.0s" {1..7}) "${most#*,}"
		echo "$limit $most: $status $output"
		[ "$status" -eq "$wanted" ]
		[[ $output == *" $limit  $said"* ]]
	done <<-'END'
		1.5 1,1.49 0 met
		1.5 1,1.51 1 NOT SHOWN
		1.5 2,1.6 1 MISSED
		>1.5 2,1.51 0 met
		>1.5 2,1.49 1 NOT SHOWN
		>1.5 1,1.49 1 MISSED
	END
}

@test "bench: with fewer than eight rounds no limit is judged" {
	run ratios 1.5 9 9 9 9 9 9 9
	[ "$status" -eq 0 ]
	[[ $output == *"indicative"* ]]
}

@test "bench: a false fact fails the bench, whatever the ratios are" {
	run bench 'holds "this is so" true; holds "that is so" false; holds "this too" true'
	[ "$status" -eq 1 ]
	[[ $output == *"that is so: NO"* ]]
}

@test "bench: contenders run in turn, in reverse order every second round" {
	run bench 'turn() { echo "turn $2$1"; }; alternate 3 turn a b c'
	[ "$(grep '^turn' <<<"$output" | cut -d ' ' -f 2 | xargs)" = "1a 1b 1c 2c 2b 2a 3a 3b 3c" ]
}

@test "bench: the work folder is removed at the end, also if the bench is interrupted" {
	run bench 'echo "in $BENCH_WORK"; kill -TERM $$; sleep 5'
	[ "$status" -eq 130 ]
	folder=$(sed -n 's/^in //p' <<<"$output")
	[ -n "$folder" ]
	[ ! -e "$folder" ]
}

@test "clocked tells status, wall time, CPU time and peak memory of a command" {
	run "$TOOLS/clocked" took sh -c 'sleep 0.2; exit 7'
	read -r wall cpu peak status <took
	[ "$status" = 7 ]
	[ "$wall" -ge 200000000 ]
	[ "$cpu" -lt "$wall" ]
	# 64 MB that are really touched
	"$TOOLS/clocked" took dd if=/dev/zero of=/dev/null bs=64M count=1 2>/dev/null
	read -r wall cpu peak status <took
	[ "$peak" -gt 64000000 ]
	[ "$peak" -lt 100000000 ]
}

@test "bench: the made capture is the same each time, has the size asked for, and tshark finds no damage" {
	need tshark
	"$TOOLS/capture" --packets 30000 a.pcap >said
	"$TOOLS/capture" --packets 30000 b.pcap
	cmp a.pcap b.pcap
	[ "$(cat said)" = "30000 packets, $(stat -c %s a.pcap) bytes" ]
	tshark -r a.pcap -T fields -e frame.len -e tcp.stream -e _ws.malformed -e tcp.analysis.lost_segment -e tcp.analysis.out_of_order \
		-e tcp.analysis.ack_lost_segment -e tcp.analysis.retransmission >fields 2>err
	[ "$(wc -l <fields)" = 30000 ]
	# nothing is broken or too long; what is missing comes late; something is sent again; 24 sessions, and packets of none
	awk -F'\t' '$3 != "" || $6 != "" || $1 > 1514 { bad++ } { lost += $4 != ""; late += $5 != ""; again += $7 != ""; seen[$2] = 1 }
		END { exit bad || !late || lost != late || !again || length(seen) != 25 }' fields
}

# (the speed is told beside that of the last release, and fails nothing)
@test "bench: prototap counts a capture as tshark does: connections, packets, bytes, payload, packets sent again" {
	command -v tshark >/dev/null || skip "no tshark"
	command -v tcpdump >/dev/null || skip "no tcpdump"
	run -0 "$TOP/bench/prototap.sh" --counts
	[[ $output != *WARNING* ]] || sed -n 's/^WARNING/# WARNING/p' <<<"$output" >&3
}

@test "bench: fill takes longer for more memory, and really touches it" {
	local small large

	# the least of three: others may have the CPU just then
	small=$(for _ in 1 2 3; do "$TOOLS/fill" plain $((4 << 20)); done | sort -n | head -n 1)
	large=$("$TOOLS/fill" plain $((128 << 20)))
	[ "$large" -gt "$small" ]
	"$TOOLS/clocked" took "$TOOLS/fill" touch $((64 << 20)) >out
	read -r wall cpu peak status <took
	[ "$status" = 0 ]
	[ "$peak" -gt $((64 << 20)) ]
	[ "$wall" -gt "$(cat out)" ]
	run -2 "$TOOLS/fill" shovel 4194304
}

@test "bench: a missing tool to compare with: exit 4, and how to install it" {
	mkdir none
	for tool in bash sh dirname mktemp rm df awk nproc uname cut grep head getconf sed; do ln -s "$(command -v $tool)" none/; done
	run -4 env PATH="$PWD/none" "$TOP/bench/keyrepeat.sh"
	[[ $output == *"cyclictest is missing; install it with: apt-get install --no-install-recommends rt-tests"* ]]
}

@test "bench: thinprobe's programs are not built: exit 4, and how to build them" {
	mkdir home
	ln -s "$TOP/bench" "$TOP/lab" home/
	TP_HOME=$PWD/home run bash -uc '. "$TP_HOME/lab/lib.sh"; . "$TP_HOME/bench/lib.sh"; bench_begin mine'
	[ "$status" -eq 4 ]
	[[ $output == "mine: $PWD/home/build/bench/"*" is missing; make it with: make bench-programs" ]]
}

@test "bench: an unknown option: exit 2" {
	for script in prototap live keyrepeat sink idleprofile attach echo; do
		run "$TOP/bench/$script.sh" --nonsense
		echo "$script: $output"
		[ "$status" -eq 2 ]
	done
}

@test "bench: the index lists exactly the benches that there are" {
	cd "$TOP/bench"
	diff <(ls ./*.sh | sed 's|^\./||' | grep -v '^lib.sh$' | sort) <(grep -oE '^\| `[a-z]+\.sh`' README.md | tr -d '|` ' | sort)
}
