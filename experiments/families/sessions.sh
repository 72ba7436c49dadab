# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# sessions.sh - for experiments that add sessions until a resource runs out: starts and ends sessions, handles failed ones, and
# reads the server's waits, free memory and traffic. P[app] (light, heavy) is the application of each session.

PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch
SESSIONS=0
declare -A SESSION_TARGET SESSION_DISPLAY SESSION_APP SESSION_OPTIONS SESSION_PIDS

# Starts or ends sessions until there are N. 1: STEP_WHY; STEP_AT is the number of the session that failed.
sessions() {	# sessions N
	local n
	while [ "$SESSIONS" -gt "$1" ]; do
		lab_stop "${SESSION_APP[$SESSIONS]}"
		protocol_stop "user-$SESSIONS"
		SESSIONS=$((SESSIONS - 1))
	done
	while [ "$SESSIONS" -lt "$1" ] && ! stopped; do
		n=$((SESSIONS + 1))
		STEP_AT=$n APP_PID='' PROTOCOL_PIDS=''
		app_of "${P[app]}"
		if ! protocol_start "user-$n" || ! app_start "$PROTOCOL_DISPLAY"; then
			STEP_WHY="session $n did not start: $LAB_WHY"
			lab_stop "$APP_PID"
			protocol_stop "user-$n"
			return 1
		fi
		SESSIONS=$n
		SESSION_OPTIONS[$n]=''
		[ "${#PROTOCOL_OPTIONS[@]}" = 0 ] || printf -v "SESSION_OPTIONS[$n]" '%s\037' "${PROTOCOL_OPTIONS[@]}"
		SESSION_TARGET[$n]=$PROTOCOL_TARGET SESSION_DISPLAY[$n]=$PROTOCOL_DISPLAY SESSION_APP[$n]=$APP_PID
		SESSION_PIDS[$n]=$PROTOCOL_PIDS
	done
}

# Checks that every session is still alive; 1: STEP_WHY, and its message in STEP_SAID.
sessions_live() {
	local n pid name
	STEP_SAID=''
	for ((n = 1; n <= SESSIONS; n++)); do
		for pid in ${SESSION_PIDS[$n]} ${SESSION_APP[$n]}; do
			lab_gone "$pid" || continue
			for name in "${!LAB_PID_OF[@]}"; do
				[ "${LAB_PID_OF[$name]}" != "$pid" ] ||
					STEP_SAID=$(grep -vx ready "$RUN/log/$name.err" 2>/dev/null | tail -n 1)
			done
			STEP_WHY="the display server of session $n ended"
			[ "$pid" != "${SESSION_APP[$n]}" ] || STEP_WHY="the application of session $n ended"
			return 1
		done
	done
}

# The resource that ran out, judged by how a session failed.
resource_of() {	# resource_of WORDS KILLS: processes that the kernel ended meanwhile
	[ "$2" -le 0 ] || { echo memory; return; }
	case $1 in
	*MaxSessions*) echo "ssh connection" ;;
	*"free X display"* | *"already active"* | *"already in use"*) echo "displays and ports" ;;
	*"annot allocate memory"* | *"ut of memory"*) echo memory ;;
	*"annot fork"* | *"temporarily unavailable"* | *"oo many open files"*) echo "processes and files" ;;
	*) echo "a failing session" ;;
	esac
}

# TASKS_WAIT: for each task on that machine how long it has waited for a CPU, "task=ns,...".
TASKS_WAIT='LC_ALL=C awk "BEGIN {
	for (i = 1; i < ARGC; i++) {
		if ((getline line < ARGV[i]) > 0) { split(line, f, \" \"); split(ARGV[i], p, \"/\"); printf \"%s=%s,\", p[5], f[2] }
		close(ARGV[i])
	} }" /proc/[0-9]*/task/[0-9]*/schedstat'

# waited BEFORE AFTER: prints how long the tasks in both readings have waited in between, in ns.
waited() {
	# (too long for words of a command)
	printf '%s\n' "$1" "$2" | LC_ALL=C awk 'NR == 1 { before = $0; next } { after = $0 } END {
		n = split(before, t, ","); for (i = 1; i < n; i++) { split(t[i], at, "="); was[at[1]] = at[2] }
		n = split(after, t, ",")
		for (i = 1; i < n; i++) { split(t[i], at, "="); if (at[1] in was && at[2] >= was[at[1]]) sum += at[2] - was[at[1]] }
		printf "%.0f\n", sum }'
}

# Prints a reading of the server in one line: seconds, TASKS_WAIT, bytes free, bytes swapped in, bytes sent and received, major
# faults, packets dropped by the queue of its link (-: not known), us in which some process was stalled on memory.
reading() {
	lab_exec server sh -c 'read -r now _ </proc/uptime
		waited=$(sh -c "$2")
		free=$(LC_ALL=C awk "/^MemAvailable/ { printf \"%.0f\", \$2 * 1024 }" /proc/meminfo)
		paged=$(LC_ALL=C awk "/^pswpin/ { s = \$2 * 4096 } /^pgmajfault/ { f = \$2 } END { printf \"%.0f %.0f\", s, f }" /proc/vmstat)
		moved=$(LC_ALL=C awk -v i="$1:" "{ sub(/:/, \": \") } \$1 == i { printf \"%.0f %.0f\", \$10, \$2 }" /proc/net/dev)
		dropped=$(tc -s qdisc show dev "$1" 2>/dev/null |
			LC_ALL=C awk "{ for (i = 1; i < NF; i++) if (\$i == \"(dropped\") { d += \$(i + 1); n = 1 } } END { if (n) printf \"%.0f\", d }")
		stalled=$(LC_ALL=C awk "/^some/ { sub(/.*total=/, \"\"); print }" /proc/pressure/memory 2>/dev/null)
		echo "$now ${waited:-,} ${free:-0} ${paged% *} ${moved:-0 0} ${paged#* } ${dropped:--} $stalled"' \
		sh "${LAB_IF_server:-lo}" "$TASKS_WAIT" </dev/null 2>/dev/null | reading_of_group
}

# A filter for the line of `reading`: where the server has a memory limit, puts the free memory and the major faults of its group in
# place of the machine's.
reading_of_group() {
	local line group=${LAB_MEMORY_GROUP-} limit used
	read -r line
	if [ -n "$group" ]; then
		limit=$(lab_query server cat "$group/memory.limit_in_bytes" "$group/memory.max" 2>/dev/null)
		used=$(lab_query server cat "$group/memory.usage_in_bytes" "$group/memory.current" 2>/dev/null)
		line=$({ printf '%s\n' "$line"; lab_query server cat "$group/memory.stat"; } |	# (too long for a word of a command)
			LC_ALL=C awk -v limit="$limit" -v used="$used" '
			NR == 1 { line = $0; next }
			{ sub(/^total_/, "", $1); at[$1] = $2 }
			END {
				split(line, f, " ")
				printf "%s %s %.0f %s %s %s %s %s %s\n", f[1], f[2], limit - used + at["inactive_file"], f[4], f[5], f[6],
					at["pgmajfault"], f[8], f[9]
			}')
	fi
	printf '%s\n' "$line"
}

# Prints a reading of the viewers: seconds, TASKS_WAIT.
client_reading() {
	lab_exec client sh -c 'read -r now _ </proc/uptime; echo "$now $(sh -c "$1")"' sh "$TASKS_WAIT" </dev/null 2>/dev/null
}
