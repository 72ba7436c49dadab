# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - cpuspeed: all that the session runs (display server, window manager, application) has so much of one CPU: by a CFS
# quota in every period of 5 ms, which is short enough to be a slower CPU to a person; or by the CPU's own frequency, where
# there is a choice.
. "$TP_HOME/kits/replay/experiments/families/replays.sh"
PERIOD_US=5000
QUOTA_LEAST_US=1000	# the kernel gives no less

period_of() {	# the shortest from 5 ms on in which that share is a quota
	local us=$(((QUOTA_LEAST_US * 100 + $1 - 1) / $1))
	echo "$((us > PERIOD_US ? us : PERIOD_US))"
}

setting_row() { printf '%s\t%s\n' "$1" "$([ "$1" = 100 ] && echo "the whole CPU" || echo "$1 % of the CPU")"; }

setting_can() {
	local why=''
	if [ "$BY" = frequency ]; then
		why=$(frequency_can)
	else
		lab_group session quota=50,5ms || why=$LAB_WHY
		lab_ungroup session
	fi
	[ -z "$why" ] || die "-$EXIT_MISSING" "the CPU cannot be made slower by $BY: $why"
	[ "$BY" = frequency ] || why=$(frequency_can) || ABSENT+=("--by frequency is not possible here: $why")
}

# Each of the server's CPUs has a frequency that may be set.
frequency_can() {
	local cpu at
	for cpu in $(machine_cpu_list "$LAB_CPUS_server"); do
		at=/sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_max_freq
		lab_query server test -e "$at" ||
			{ echo "CPU $cpu has no frequency to choose (no cpufreq here, as in most virtual machines)"; return 1; }
		lab_query server test -w "$at" || { echo "only root may set the frequency of CPU $cpu"; return 1; }
	done
}

frequency_set() {	# frequency_set PERCENT
	local cpu most
	for cpu in $(machine_cpu_list "$LAB_CPUS_server"); do
		most=$(lab_query server cat "/sys/devices/system/cpu/cpu$cpu/cpufreq/cpuinfo_max_freq" | whole_numbers) &&
			lab_switch "max_freq:$cpu" "$((most * $1 / 100))" || return
	done
}

setting_session() {
	local quota=()
	[ "$BY" = frequency ] || [ "$1" = 100 ] || quota=("quota=$1,$(period_of "$1")us")
	lab_group session ${quota[@]+"${quota[@]}"} || return
	LAB_GROUP=session
	[ "$BY" = quota ] || frequency_set "$1"
}

throttled_us() {
	lab_query server cat "${LAB_GROUPS[session]-}/cpu.stat" 2>/dev/null |
		awk '$1 == "throttled_time" { us = $2 / 1e3 } $1 == "throttled_usec" { us = $2 } END { printf "%.0f\n", us }' | whole_numbers
}
setting_begin() { THROTTLED_US=$(throttled_us); }
setting_end() {
	FACTS=$(jq -cn --argjson us "$(($(throttled_us) - ${THROTTLED_US:-0}))" --argjson period "$(period_of "$1")" '
		{throttled_s: ($us / 1e6), period_us: $period}')
}

setting_away() {
	local cpu
	LAB_GROUP=''
	lab_ungroup session
	[ "$BY" = quota ] || for cpu in $(machine_cpu_list "$LAB_CPUS_server"); do lab_switch "max_freq:$cpu"; done
}
