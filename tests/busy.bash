# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# busy.bash - was the machine busy during an attempt? (cli/helpers.bash has it.) A test repeats, accepts less or skips only then:
#
#	for _ in {1..5}; do
#		busy_begin
#		measure
#		if holds || ! machine_was_busy 20; then break; fi
#	done
#	holds		# the claim itself, whatever the machine did
#
# The numbers are the kernel's, never the tested program's: stolen time, time that tasks waited for a CPU, CPU time of processes
# outside this test. PROC is another /proc, for the test of this file.

# Processes of this test, or of this setup_file(), have this in their environment.
busy_mark() {
	[ -n "${BATS_TEST_TMPDIR-}" ] && echo "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" || echo "BATS_FILE_TMPDIR=${BATS_FILE_TMPDIR-}"
}

# CPU time of this shell, of the children it waited for, and of this test's other processes, in ms.
# `times` reports the shell that calls it, so the caller writes its output into FILE.
busy_own() {	# FILE
	{
		sed 's/[ms]/ /g' "$1"
		grep -lzsxF "$(busy_mark)" "${PROC:-/proc}"/[0-9]*/environ | while read -r file; do
			sed 's/.*) //' "${file%/environ}/stat" 2>/dev/null | awk '{ print "stat", $12 + $13 + $14 + $15 }'
		done
	} | awk -v hz="$(getconf CLK_TCK)" '$1 == "stat" { ms += $2 * 1000 / hz; next }
		{ ms += ($1 * 60 + $2 + $3 * 60 + $4) * 1000 } END { printf "%.0f\n", ms }'
}

# Since boot, in ms: stolen time, all tasks' waiting for a CPU (0 if the kernel does not count it), all tasks' CPU time.
busy_machine() {
	local proc=${PROC:-/proc} file files

	files=("$proc/stat")
	for file in "$proc"/{pressure/cpu,schedstat}; do [ ! -r "$file" ] || files+=("$file"); done
	awk -v hz="$(getconf CLK_TCK)" '
		$1 == "cpu" { ran = ($2 + $3 + $4) * 1000 / hz; stolen = $9 * 1000 / hz }
		$1 == "some" { sub(/.*total=/, ""); waited = $1 / 1000; pressure = 1 }
		/^cpu[0-9]/ && FILENAME ~ /schedstat$/ && !pressure { waited += $9 / 1e6 }
		END { printf "%.0f %.0f %.0f\n", stolen, waited, ran }' "${files[@]}"
}

# An attempt begins.
busy_begin() {
	busy_times=${BATS_TEST_TMPDIR:-${TMPDIR:-/tmp}}/busy.$BASHPID
	times >"$busy_times"
	read -ra busy_then <<<"$(busy_machine) $(busy_own "$busy_times") ${EPOCHREALTIME/[.,]/}"
}

# Whether, since busy_begin, at least MS ms were stolen, or tasks waited and other processes ran that long; prints how long.
# MS is the time that would explain the failure.
machine_was_busy() {	# [MS]
	local least=${1:-20} now stolen waited others words

	times >"$busy_times"
	read -ra now <<<"$(busy_machine) $(busy_own "$busy_times") ${EPOCHREALTIME/[.,]/}"
	rm -f "$busy_times"
	stolen=$((now[0] - busy_then[0])) waited=$((now[1] - busy_then[1]))
	others=$((now[2] - busy_then[2] - now[3] + busy_then[3]))
	words="in $(((now[4] - busy_then[4]) / 1000)) ms: $stolen ms stolen, tasks waited $waited ms, others ran $others ms"
	words+=" (asked: $least ms)"
	if ((stolen < least && (waited < least || others < least))); then
		echo "the machine was not busy $words"
		return 1
	fi
	echo "the machine was busy $words"
	{ echo "# busy: ${BATS_TEST_DESCRIPTION-}: $words" >&3; } 2>/dev/null || true
}

# A real run, also in setup_file(): sets status; RUN.busy gets how long others had the machine, if that explains disturbed
# conditions (a hundredth of the time: a condition is flagged from 3 % of a CPU on).
real_run() {	# RUN COMMAND...
	status=0
	busy_begin
	"${@:2}" || status=$?
	busy_end "$1"
}
busy_end() {	# RUN: of a run that did not begin with real_run, but busy_begin
	machine_was_busy $(((${EPOCHREALTIME/[.,]/} - busy_then[4]) / 100000)) >"$1.busy" 3>/dev/null || : >"$1.busy"
}

# The real run ended with status 0, complete; if it could not measure all, as usable() says.
run_complete() {	# RUN [STATUS]
	[ "${2-$status}" != 3 ] || usable "$1" || return
	[ "${2-$status}" = 0 ] && [ "$(jq -r .state "$1/run.json")" = complete ]
}

# Before a test asks a real run for its result (a figure, a finding, another status than 3): skips the rest of the test if
# conditions are flagged or missing, or the run calls itself not usable, and others had the machine. If nobody had, it goes on, or
# fails with a run that calls itself not usable.
usable() {	# RUN
	local why

	why=$(jq -r '.verdict // "" | select(startswith("Not usable"))' "$1/findings.json"
		jq -r '.cells[] | select(.state != "complete" or .flags != []) | "\(.name): \(.state) \(.flags)"' "$1/run.json")
	[ -n "$why" ] || return 0
	cat - "$1.busy" <<<"$why"
	[ ! -s "$1.busy" ] || skip "others had the machine meanwhile"
	[[ $why != "Not usable"* ]]
}

# Waits until a command succeeds, for 2 s; for up to 20 s only if tasks waited for a CPU for half of the time beyond. Prints how
# long it took if over 2 s.
soon() {	# COMMAND...
	local begin=${EPOCHREALTIME/[.,]/} ms i

	busy_begin
	for ((i = 0; i < 200; i++)); do
		if "$@"; then break; fi
		sleep 0.1
	done
	ms=$(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
	[ $i -lt 200 ] || { echo "not within $ms ms: $*"; return 1; }
	[ $ms -le 2000 ] || { echo "only after $ms ms: $*"; machine_was_busy $(((ms - 2000) / 2)); }
}
