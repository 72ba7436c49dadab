#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# idleprofile --who: does it name who ran, against the log of what a burster really burned. The machine may be busy: rows
# are found by thread id, and what else ran is nobody's business here.

load idleprofile

# Profiles in the background until end_profile: $pid; returns when it is ready.
start_who() {	# options...
	"$BIN/idleprofile" -t 1ms --effect 0 --cpus "$CPU" --who -o trial 2>trial.err || true
	if grep -q 'without culprits' trial.err; then
		skip "$(sed 's/.*without culprits: //' trial.err)"
	fi
	start_profile -t 600s --who --who-log rows "$@"
}

end_profile() {
	kill -INT "$pid"
	ends "$pid"
	[ "$status" -eq 130 ] || { cat profile.err; return 1; }
}

# Rows and nanoseconds that the culprit log has for the children in the burst log, what these say
# that they took, the share, that share with what went to "others" (on a busy machine there are more
# culprits than places), and with all interrupts and what nobody explains, which are in a task's own
# clock too where they met it. Rows shorter than a tenth of the longest burst (the way into the first
# and out of the last sleep) are no row of a burst.
seen() {
	awk -F'\t' '
		FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
		FILENAME == "bursts" { burster[$at["bursts", "pid"]] = 1; n = $at["bursts", "cpu_ns"]; cpu += n; if (n > most) most = n; next }
		$at["rows", "kind"] != "task" { beside += $at["rows", "ns"]; next }
		$at["rows", "culprit"] == "others" { others += $at["rows", "ns"]; next }
		$at["rows", "pid"] in burster {
			n = $at["rows", "ns"]
			ns += n
			rows += n > most / 10
		}
		END {
			if (!cpu) cpu = 1
			printf "%d %.0f %.0f %.5f %.5f %.5f\n", rows, ns, cpu, ns / cpu, (ns + others) / cpu, (ns + others + beside) / cpu
		}
	' bursts rows
}

# Nanoseconds that interrupts and the hypervisor took of this CPU since boot: in a task's row, but not in its own clock.
taken() { awk -v cpu="cpu$CPU" -v hz="$(getconf CLK_TCK)" '$1 == cpu { printf "%.0f", ($7 + $8 + $9) * 1e9 / hz }' /proc/stat; }

@test "idleprofile --who: names the process of the bursts, with the CPU time of its own log" {
	local try rows ns cpu ratio named high task taken

	need jq
	grep tracefs /proc/self/mountinfo >before || true
	for try in 1 2 3 4 5; do
		busy_begin
		start_who --log lost
		own=" $(echo "/proc/$pid/task"/*) "
		taken=$(taken)
		"$BIN/sink" --cpus "$CPU" -t 900ms --burst every:30ms,len:5ms --burst-log bursts -o sunk 2>sink.err || [ $? = 3 ]
		sleep 0.3
		end_profile
		read -r rows ns cpu ratio named high <<<"$(seen)"
		taken=$(($(taken) - taken))
		echo "rows $rows, ns $ns of $cpu: $ratio, with others $named, at most $high; interrupts and hypervisor $taken"
		# interrupts in its time are not its own here but in its clock, what a hypervisor steals the other way round
		[ "$rows" -lt 1 ] || ! awk -v r="$ratio" -v named="$named" -v high="$high" -v t="$taken" -v cpu="$cpu" \
			'BEGIN { exit !(high > 0.93 && named > 0.8 && r < 1.07 + t / cpu) }' || break
		# where others have half of a CPU there are fewer places than culprits, and the profile itself gets no CPU
		machine_was_busy 500
		[ "$try" -lt 5 ] || skip "others took half of this CPU and more meanwhile"
	done
	jq -e --argjson ns "$ns" '[.result.who[] | select(.task == "sink" and .kind == "task") | .lost_s] | add >= 0.99e-9 * $ns' report
	# every event has somebody
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["kind"] == "event" && !(length($at["who"])) { exit 1 }' lost
	# its own work is no culprit
	while IFS=$'\t' read -r _ _ _ _ _ _ task _; do
		[[ $own != *"/$task "* ]] || { echo "its own thread $task is a culprit"; return 1; }
	done <rows
	# nothing was mounted for it
	cmp before <(grep tracefs /proc/self/mountinfo)
}

@test "idleprofile --who: a burst of 2 s at normal priority, which the scheduler interrupts, is one row" {
	local rows ns cpu ratio named high taken

	printf 'schema\tstart_ns\tlength_ns\nburst-plan/1\t100000000\t2000000000\n' >plan
	for _ in {1..3}; do
		busy_begin
		start_who
		taken=$(taken)
		"$BIN/sink" --cpus "$CPU" --burst plan --burst-log bursts -o sunk -t 60s 2>sink.err || [ $? = 3 ]
		sleep 0.3
		end_profile
		read -r rows ns cpu ratio named high <<<"$(seen)"
		taken=$(($(taken) - taken))
		echo "rows $rows, ns $ns of $cpu: $ratio, with others $named, at most $high; interrupts and hypervisor $taken"
		[ "$cpu" -ge 2000000000 ]
		# others who ran in between end an event, and the burst's row with it
		if [ "$rows" -eq 1 ] || ! machine_was_busy 20; then break; fi
	done
	[ "$rows" -eq 1 ] || machine_was_busy 200
	[ "$rows" -eq 1 ] || skip "others had the machine meanwhile"
	awk -v r="$ratio" -v named="$named" -v high="$high" -v t="$taken" -v cpu="$cpu" \
		'BEGIN { exit !(high > 0.97 && named > 0.8 && r < 1.03 + t / cpu) }'
}
