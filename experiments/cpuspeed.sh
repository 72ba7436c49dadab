#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Zeldovich & Chandra 2005, Figures 3 to 10: total time and response times of a recorded session by the speed of the server's CPU
# minutes: 12 (quick 2)
# needs: two CPUs, VNC, cpu groups (as root); thinprobe setup --app desk
# wrong if: response times at a fifth of the speed are those of the whole; total time grows with them
#
# A recorded session is replayed while all that the session runs (display server, window manager, application) has so much of one CPU: by a CFS quota in
# every period of 5 ms, which is short enough to be a slower CPU to a person; or by the CPU's own frequency, where there is a choice. How a session is
# recorded and replayed: replays.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, replays.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=cpuspeed
EXPERIMENT_SAYS="What does a slower CPU do to a session: to the time that it takes as a whole, and to each of its responses?"
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/replays.sh"
SPEEDS=100,50,25,15 BY=quota
PERIOD_US=5000
QUOTA_LEAST_US=1000	# the kernel gives no less

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--speeds P,...] [--by quota|frequency] [--app A] [--trace FILE|--script FILE] [--repeat R] [--timeout S]
         [--keep-caches] [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --speeds P,...    percent of one CPU for all that the session runs; others are held against the first ($SPEEDS)
  --by HOW          quota: so much of every period of 5 ms (6.7 ms at 15 %: a quota is 1 ms at least); frequency: the CPU's own, at most so
                    much of its highest ($BY)
$(replays_usage)
END
}

check_options() {
	local speed
	exp_list --speeds "$SPEEDS"
	for speed in ${SPEEDS//,/ }; do exp_number --speeds "$speed" 2 100; done
	case $BY in quota | frequency) ;; *) exp_bad "--by $BY: quota or frequency" ;; esac
	[ -n "$RESUME" ] || { IFS=, read -ra SETTINGS <<<"$SPEEDS"; BASE=${SPEEDS%%,*}; }
}
more_settings() { jq -cn --arg by "$BY" --argjson period "$PERIOD_US" '{by: $by, period_us: $period}'; }
read_more_settings() { BY=$(jq -r .settings.by "$RESUME/run.json") SPEEDS=$(IFS=,; echo "${SETTINGS[*]}"); }

period_of() {	# the shortest from 5 ms on in which that share is a quota
	local us=$(((QUOTA_LEAST_US * 100 + $1 - 1) / $1))
	echo "$((us > PERIOD_US ? us : PERIOD_US))"
}

setting_row() { printf '%s\t%s\n' "$1" "$([ "$1" = 100 ] && echo "the whole CPU" || echo "$1 % of the CPU")"; }

choose_settings() {
	local why=''
	case $BY in
	quota) lab_group session quota=50,5ms || why=$LAB_WHY; lab_ungroup session ;;
	frequency) why=$(frequency_can) || : ;;
	esac
	[ -z "$why" ] || die "-$EXIT_MISSING" "the CPU cannot be made slower by $BY: $why"
	[ "$BY" = frequency ] || why=$(frequency_can) || ABSENT+=("speed by frequency: $why")
}

# Each of the server's CPUs has a frequency that may be set.
frequency_can() {
	local cpu at
	for cpu in $(machine_cpu_list "$LAB_CPUS_server"); do
		at=/sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_max_freq
		[ -e "$at" ] || { echo "CPU $cpu has no frequency to choose (no cpufreq here, as in most virtual machines)"; return 1; }
		[ -w "$at" ] || { echo "only root may set the frequency of CPU $cpu"; return 1; }
	done
}

setting_session() {
	local quota=()
	[ "$BY" = frequency ] || [ "$1" = 100 ] || quota=("quota=$1,$(period_of "$1")us")
	lab_group session ${quota[@]+"${quota[@]}"} || return
	LAB_GROUP=session
	[ "$BY" = quota ] || frequency_set "$1"
}

frequency_set() {	# frequency_set PERCENT
	local cpu most
	for cpu in $(machine_cpu_list "$LAB_CPUS_server"); do
		read -r most <"/sys/devices/system/cpu/cpu$cpu/cpufreq/cpuinfo_max_freq" && lab_switch "max_freq:$cpu" "$((most * $1 / 100))" || return
	done
}

setting_begin() { read -r THROTTLED_MS < <(throttled_ms); }
throttled_ms() {
	awk '$1 == "throttled_time" { ms = $2 / 1e6 } $1 == "throttled_usec" { ms = $2 / 1e3 } END { printf "%.1f\n", ms }' "${LAB_GROUPS[session]}/cpu.stat" 2>/dev/null || echo 0
}
setting_end() { FACTS=$(jq -cn --argjson ms "$(throttled_ms)" --argjson before "$THROTTLED_MS" --argjson period "$(period_of "$1")" '{throttled_s: (($ms - $before) / 1000), period_us: $period}'); }
THROTTLED_MS=0

setting_away() {
	local cpu
	LAB_GROUP=''
	lab_ungroup session
	[ "$BY" = quota ] || for cpu in $(machine_cpu_list "$LAB_CPUS_server"); do lab_switch "max_freq:$cpu"; done
}

replays_options "" "--speeds SPEEDS --by BY" "$@"
replays_run
