# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# machine.sh - what one machine tells of itself from /proc, and what it lets us do. Runs on that machine, so it needs nothing but
# bash and the basic tools, and knows neither roles nor drivers: local.sh asks it here, ssh.sh at the other end.

# machine_child PID: sets MACHINE_CHILD to its first child (itself when it has none).
machine_child() {
	local kids=''
	MACHINE_CHILD=$1
	{ read -r kids <"/proc/$1/task/$1/children"; } 2>/dev/null
	kids=${kids%% *}
	[ -z "$kids" ] || MACHINE_CHILD=$kids
}

# machine_cpu_list LIST: prints the CPUs of it one by one: 0-2,5 is 0 1 2 5. (No kernel has more than 8192; a host may say so.)
machine_cpu_list() {
	local part n out=()
	[[ $1 =~ ^[0-9,-]*$ ]] || return 1
	for part in ${1//,/ }; do
		for ((n = 10#${part%-*}; n <= 10#${part#*-} && ${#out[@]} < 8192; n++)); do out+=("$n"); done
	done
	printf '%s' "${out[*]}"
}

# machine_listens PORT [FOLDER]: a process listens on that TCP port, by the tables in FOLDER (/proc/self/net).
machine_listens() {
	local port file _ local_ state
	printf -v port '%04X' "$1"
	for file in tcp tcp6; do
		[ -r "${2:-/proc/self/net}/$file" ] || continue
		while read -r _ local_ _ state _; do
			[ "$state" = 0A ] && [ "${local_##*:}" = "$port" ] && return 0
		done <"${2:-/proc/self/net}/$file"
	done
	return 1
}

# machine_display [ROOT FOLDER]: prints the first X display number whose lock, socket and TCP ports
# (5900+N, 6000+N) nobody has, by the file system below ROOT and the tables in FOLDER.
machine_display() {
	local n
	for ((n = 1; n < 100; n++)); do
		[ -e "${1-}/tmp/.X$n-lock" ] || [ -e "${1-}/tmp/.X11-unix/X$n" ] || machine_listens $((5900 + n)) "${@:2}" ||
			machine_listens $((6000 + n)) "${@:2}" || break
	done
	printf '%s\n' "$n"
}

# machine_marked FOLDER: the pids of what a lab over ssh has started from that folder here.
machine_marked() {
	local p
	# shellcheck disable=SC2013 # pids are words
	# (Words of its own would have grep find itself.)
	for p in $(grep -lzsxF -f /dev/stdin /proc/[0-9]*/environ /proc/[0-9]*/cmdline \
		<<<"LAB_REMOTE=$1"$'\n'"$1/lab/ssh/relay.sh"); do
		p=${p#/proc/}
		printf '%s ' "${p%/*}"
	done
}

# machine_servants: the folders in /proc of what works for others: threads of the kernel (swap, disks), and emulated disks. 1: this
# machine's kernel threads are not to be seen (a container).
machine_servants() {
	[ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] || return
	grep -lsE '^[0-9]+ \((slowdisk\)|.*\) [A-Z] 2 )' /proc/[0-9]*/stat | sed 's,/stat$,,'
}

# machine_cpu CPUS FILE...: one line "now busy steal own", whole ns (lab_cpu's contract). FILEs: /proc/PID/stat and
# /proc/PID/task/*/schedstat of our own processes, and *.times of those that have ended. (Where one ends between open and read, awk
# ends, too, and is asked again.)
machine_cpu() { machine_cpu_once "$@" || machine_cpu_once "$@" || machine_cpu_once "$@"; }
machine_cpu_once() {
	local now rows IFS=';'
	now=${EPOCHREALTIME/[.,]/}000	# (both here: on a busy machine awk may begin long after)
	mapfile -t rows </proc/stat
	LC_ALL=C awk -v now="$now" -v cpus="$1" -v stat="${rows[*]%%intr*}" '
	function minutes(t) { split(t, part, /[ms]/); return (part[1] * 60 + part[2]) * 1e9 }
	function process(file) { sub(/\/(stat|task\/.*)$/, "", file); sub(/.*\//, "", file); return file }
	BEGIN {
		n = split(cpus, list, ",")
		for (i = 1; i <= n; i++) {
			split(list[i], edge, "-")
			for (c = edge[1]; c <= (edge[2] == "" ? edge[1] : edge[2]); c++) ours["cpu" c] = 1
		}
		tick = 1e7	# USER_HZ is 100 on every architecture Debian has
		n = split(stat, row, ";")
		for (i = 1; i <= n; i++) {
			split(row[i], f, " ")
			if (f[1] in ours) { busy += f[2] + f[3] + f[4] + f[7] + f[8]; steal += f[9] }
		}
		for (i = 1; i < ARGC; i++) {
			file = ARGV[i]
			if (file ~ /\.times$/) {
				# two lines per command: the door, and the command with the children it waited for
				for (k = 1; (getline line < file) > 0; k++)
					if (k % 2 == 0) { split(line, f, " "); own += minutes(f[1]) + minutes(f[2]) }
			} else if (file ~ /schedstat$/) {
				if ((getline line < file) > 0) { split(line, f, " "); run[process(file)] += f[1] }
			} else if ((getline line < file) > 0) {
				sub(/.*\) /, "", line)
				split(line, f, " ")
				whole[process(file)] = (f[12] + f[13]) * tick
				own += (f[14] + f[15]) * tick
			}
			close(file)
		}
		# Threads that ended are only in the coarse sum of the process.
		for (p in run) own += run[p] > whole[p] ? run[p] : whole[p]
		printf "%s %.0f %.0f %.0f\n", now, busy * tick, steal * tick, own
	}' "${@:2}" 2>/dev/null
}

# machine_suspends: prints how often the machine was suspended since it started (0: also a kernel that cannot).
machine_suspends() { cat /sys/power/suspend_stats/success 2>/dev/null || echo 0; }

# machine_clocks: prints CLOCK_REALTIME and CLOCK_MONOTONIC of one instant and the error of that, in ns: when /proc/uptime makes
# its next step, of 10 ms. That file counts time in suspend, too, which CLOCK_MONOTONIC does not, and no file tells both: 1 if the
# machine was suspended since it started.
machine_clocks() {
	local before now early last=0 wall=0 steps=0 at up best='' _
	[ "$(machine_suspends)" = 0 ] || return 1
	read -r before _ </proc/uptime
	while [ "$steps" -lt 50 ] && [ "${best:-1000000}" -gt 100 ]; do
		# The step came after the previous look at /proc/uptime had begun, thus after `early`, the clock reading before that
		# look.
		early=$last last=$wall
		read -r now _ </proc/uptime
		wall=${EPOCHREALTIME/[.,]/}
		[ "$now" != "$before" ] || continue
		before=$now steps=$((steps + 1))
		[ $((wall - early)) -ge "${best:-1000000}" ] || at=$wall up=$now best=$((wall - early))	# us
	done
	[ -n "$best" ] && printf '%s000 %s0000000 %s000\n' "$at" "${up/./}" "$best"
}

# machine_tree PID: prints it and all that descends from it. machine_of_tree PID FILE: what is in that file of each, in /proc.
machine_tree() {
	local pids=("$1") i
	# shellcheck disable=SC2207 # words
	for ((i = 0; i < ${#pids[@]}; i++)); do pids+=($(cat "/proc/${pids[i]}/task/"*/children 2>/dev/null)); done
	printf '%s\n' "${pids[@]}"
}
machine_of_tree() {
	local pid
	for pid in $(machine_tree "$1"); do cat "/proc/$pid/$2" 2>/dev/null; done
}

# machine_regime PID: how the kernel schedules it, in one line (lab_regime's contract).
machine_regime() {
	local stat autogroup=none cpus='' cgroup='' line policy
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	stat=${stat##*) }
	read -ra stat <<<"$stat"
	{ read -r autogroup _ <"/proc/$1/autogroup"; } 2>/dev/null
	while read -r line; do
		[[ $line == Cpus_allowed_list:* ]] && cpus=${line#*:} && cpus=${cpus//[[:space:]]/}
	done <"/proc/$1/status" 2>/dev/null
	while IFS=: read -r _ line policy; do
		[[ ,$line, == *,cpu,* || -z $line ]] && cgroup=${cgroup:-$policy}
	done <"/proc/$1/cgroup" 2>/dev/null
	case ${stat[38]} in
	0) policy=other ;;
	1) policy=fifo:${stat[37]} ;;
	2) policy=rr:${stat[37]} ;;
	3) policy='batch' ;;
	5) policy=idle ;;
	*) policy=${stat[38]} ;;
	esac
	printf 'autogroup=%s session=%s nice=%s policy=%s cpus=%s cgroup=%s\n' "${autogroup:-none}" \
		"${stat[3]}" "${stat[16]}" "$policy" "$cpus" "$cgroup"
}

# machine_memory: lines "name value" of what decides on paging.
machine_memory() {
	local name file value
	while read -r name file; do
		value=''
		{ read -r value <"$file"; } 2>/dev/null
		[[ $value != *\[*\]* ]] || { value=${value#*\[} value=${value%%\]*}; }
		printf '%s %s\n' "$name" "$value"
	done <<-END
		swappiness /proc/sys/vm/swappiness
		page_cluster /proc/sys/vm/page-cluster
		task_delayacct /proc/sys/kernel/task_delayacct
		thp /sys/kernel/mm/transparent_hugepage/enabled
		zswap /sys/module/zswap/parameters/enabled
	END
}

# machine_pushed_out: in one line, what gets evicted when a process fills the memory of this machine.
machine_pushed_out() {
	local biggest
	biggest=$(grep -sH '^VmRSS:' /proc/[0-9]*/status | awk '{ split($1, part, "/"); print $2, part[3] }' |
		sort -rn | head -n 3 | while read -r kb pid; do
		{ read -r name <"/proc/$pid/comm"; } 2>/dev/null && name=${name//[[:cntrl:]]/?} && printf '%s, %s MiB; ' "$name" "$((kb >> 10))"
	done)
	biggest=${biggest%; } awk '{ m[$1] = $2 / 1024 } END {
		biggest = ENVIRON["biggest"]	# (in -v, \n of a name would begin a line)
		printf "%.0f MiB of files in memory, then whatever has waited longest in its %.0f MiB",
			m["Cached:"] + m["Buffers:"] - m["Shmem:"], m["MemTotal:"]
		if (m["SwapTotal:"] > 0) printf ", to %.0f MiB of swap", m["SwapTotal:"]
		else printf "; without swap that is files only, and then the kernel ends processes"
		if (biggest != "") printf " (the biggest now: %s)", biggest
		print "" }' /proc/meminfo
}

# The switch is the machine's: written with the value it has.
machine_can_autogroup() {
	# shellcheck disable=SC2094
	{ cat /proc/sys/kernel/sched_autogroup_enabled >/proc/sys/kernel/sched_autogroup_enabled; } 2>/dev/null
}
