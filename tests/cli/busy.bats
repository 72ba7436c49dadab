#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# busy.bash: a repetition needs the kernel's numbers, and time that the test itself took is no excuse.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	hz=$(getconf CLK_TCK)
	now 1000 500 2000
}

# A machine of its own below proc/: so much stolen, waited for and run since boot, in ms; and how it says what was waited for.
now() {	# STOLEN WAITED RAN [pressure|schedstat|nothing]
	mkdir -p proc/pressure
	rm -f proc/pressure/cpu proc/schedstat
	printf 'cpu  %d 0 0 0 0 0 0 %d 0 0\n' $(($3 * hz / 1000)) $(($1 * hz / 1000)) >proc/stat
	case ${4-pressure} in
	pressure) printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\nfull total=9\n' $(($2 * 1000)) >proc/pressure/cpu ;;
	schedstat)
		printf 'cpu%d 0 0 0 0 0 0 5 %d 7\n' 0 $(($2 * 600000)) 1 $(($2 * 400000)) >proc/schedstat
		;;
	esac
	PROC=proc
}

# What would excuse 100 ms, STOLEN WAITED RAN after an attempt began: yes or no
excused() {	# STOLEN WAITED RAN [HOW]
	now 1000 500 2000 "${4-pressure}"
	busy_begin
	now $((1000 + $1)) $((500 + $2)) $((2000 + $3 + 1000)) "${4-pressure}"
	busy_then[3]=$((busy_then[3] - 1000))	# of the time that ran, a second was the test's own
	machine_was_busy 100 3>&- && said=yes || said=no
	[ "$said" = "$5" ] || { echo "excused $*"; return 1; }
}

@test "machine_was_busy: stolen time counts by itself; tasks' waiting only if others ran as long" {
	local how

	for how in pressure schedstat; do
		excused 100 0 0 $how yes
		excused 90 0 5000 $how no
		excused 0 100 200 $how yes
		excused 0 90 5000 $how no
		excused 0 5000 50 $how no
	done
	excused 0 5000 5000 nothing no	# a kernel that counts no waiting
}

@test "machine_was_busy: CPU time of the test and its children is not that of others" {
	unset PROC
	busy_begin
	sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'	# one that was waited for
	start spins sh -c 'while :; do :; done'				# and one that goes on
	sleep 0.5
	read -ra now <<<"$(busy_machine) $(times >t; busy_own t)"
	times >t
	own=$(busy_own t)
	ran=$(awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10 }' "/proc/$pid/stat")
	echo "own $((own - busy_then[3])) ms, of them $ran ms of what goes on"
	[ "$ran" -gt 0 ]
	[ $((own - busy_then[3])) -ge "$ran" ]
}

@test "machine_was_busy: CPU time of a process outside the test is that of others" {
	unset PROC
	busy_begin
	start stranger env -u BATS_TEST_TMPDIR sh -c 'while :; do :; done'
	sleep 0.5
	times >t
	own=$(busy_own t)
	ran=$(awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10 }' "/proc/$pid/stat")
	kill "$pid"
	read -r _ _ all <<<"$(busy_machine)"
	echo "others $((all - busy_then[2] - own + busy_then[3])) ms, the stranger $ran ms"
	[ $((all - busy_then[2] - own + busy_then[3])) -ge $((ran - 20)) ]
	[ "$ran" -gt 0 ]
}

@test "soon: succeeds at once, fails after 2 s, and later than that succeeds only if tasks waited for the CPU" {
	soon true
	busy_own() { echo 0; }
	busy_machine() { echo "0 $waits $waits"; }	# that others made tasks wait, so far
	late() { [ "${EPOCHREALTIME/[.,]/}" -gt $((begin + 2300000)) ] && waits=$end; }
	begin=${EPOCHREALTIME/[.,]/} waits=0 end=20
	run -1 soon late
	[[ $output == "only after "*" ms: late"* ]]
	begin=${EPOCHREALTIME/[.,]/} end=2000
	soon late 3>&-
	sleep() { :; }
	run -1 soon false
	[[ $output == "not within "*": false" ]]
}

@test "every loop that repeats an attempt uses busy.bash" {
	# the first words of a loop over so many attempts: busy_begin, but where a port or a display may be taken by others
	run -0 grep -rnE -A3 'for (_|try|round) in (1 2 3|1 2 3 4 5|\{1\.\.[35]\}); do' "$TOP"/{tests,experiments,kits} \
		--include=*.bats --include=*.bash
	grep -v 'in 1 2 3; do.*done' <<<"$output" | awk '
		/^--$/ { if (loop != "" && !good) print loop; loop = ""; good = 0; next }
		loop == "" && /; do$/ { loop = $0 }
		/busy_begin|port|display/ { good = 1 } END { if (loop != "" && !good) print loop }' >others
	cat others
	[ ! -s others ]
}

# What a test does with a run of such a verdict and flags, on a machine that others made wait and had for so long, in ms of 10 s.
result_of() {	# VERDICT FLAGS WAITED RAN WHAT
	# shellcheck disable=SC2317 # real_run calls it
	ten_seconds() {
		busy_then[4]=$((busy_then[4] - 10000000))
		now 0 "$@"
		return 3
	}
	now 0 0 0
	mkdir -p run
	real_run run ten_seconds "$3" "$4"
	[ "$status" = 3 ]
	jq -n --arg v "$1" '{verdict: $v}' >run/findings.json
	jq -n "{cells: [{name: \"a\", state: \"complete\", flags: $2}]}" >run/run.json
	said=goes_on
	# shellcheck disable=SC2317 # usable calls it
	(skip() { exit 7; }; usable run) || said=$?
	[ "$said" = "$5" ] || { echo "$*: $said"; return 1; }
}

@test "usable: a disturbed run is skipped only if the kernel shows others; not usable without others fails" {
	result_of "All fine" '[]' 0 0 goes_on
	result_of "All fine" '[]' 9000 9000 goes_on
	result_of "All fine" '["foreign CPU time"]' 200 200 7
	result_of "All fine" '["foreign CPU time"]' 5000 20 goes_on
	result_of "Not usable: others" '[]' 200 200 7
	result_of "Not usable: others" '["foreign CPU time"]' 20 5000 1
	echo kept >run.busy	# as a setup_file() left it
	unset busy_then
	run -7 bash -c '. "$1"; skip() { exit 7; }; usable run' sh "$TOP/tests/busy.bash"
}
