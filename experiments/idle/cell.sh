# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - idle: for each cell idle sessions are started, each a display server, a terminal with a waiting editor, and a connected
# client. When they have come to rest, idleprofile runs on the server's CPU, and a second time with its own wake-ups, which must not
# be in the first profile. Then the sessions end. idleprofile sees every process that takes the CPU; whether a culprit belongs to
# the lab is looked up while it lives.
WAKEUPS_PER_S=50 THRESHOLD_US=5 SETTLE_SECONDS=30
EXP_KEEPER=$PPID
PROTOCOL_OPTIONS=()

exp_choose() {
	local why
	[ "$NO_DESKTOP" = 0 ] || return 0
	app_use desktop
	why=$(app_can) || { ABSENT+=("desktop: $why"); NO_DESKTOP=1; }
}

exp_cells() {
	local load protocol
	printf 'none\t0\n'
	for load in $(tr , '\n' <<<"$LOADS" | sort -n); do printf '%s\t%s\n' "${PROTOCOLS%%,*}" "$load"; done
	for protocol in ${PROTOCOLS//,/ }; do
		[ "$protocol" = "${PROTOCOLS%%,*}" ] || printf '%s\t1\n' "$protocol"
	done
	[ "$NO_DESKTOP" = 1 ] || printf 'desktop\t1\n'
}

exp_settings() { jq -cn --arg protocol "${PROTOCOLS%%,*}" '{$protocol}'; }

exp_begin() {
	local why
	why=$(outside_exec "$TP_BIN/idleprofile" --cpus "$LAB_CPUS_server" -t 10ms --effect 0s --who 2>&1 >/dev/null |
		grep -vx ready | tail -n 1)
	[ "$ON" = lab ] ||
		ABSENT+=("whose a process is: asked before and after a profile only, so who began and ended in between is foreign")
	[ -z "$why" ] || ABSENT+=("who took the CPU: ${why#*culprits: }, so whose time was lost is not told apart")
}

exp_words() {
	case ${P[system]} in
	none) echo "no session" ;;
	desktop) echo "a desktop" ;;
	*) [ "${P[sessions]}" = 1 ] && echo "an idle session of ${P[system]}" ||
		echo "${P[sessions]} idle sessions of ${P[system]}" ;;
	esac
}

# Sessions ----------------------------------------------------------------------------------------------------------

idle_start() {	# 1: LAB_WHY
	local n name
	CLIENTS=()
	case ${P[system]} in none | desktop) protocol_use "${PROTOCOLS%%,*}" ;; *) protocol_use "${P[system]}" ;; esac
	for n in $(seq "${P[sessions]}"); do
		! stopped || return 0
		name=${P[system]}-$n
		protocol_start "$name" || return
		[ "${P[system]}" != desktop ] || { app_use desktop; app_start "$PROTOCOL_DISPLAY" || return; }
		app_use vim
		app_start "$PROTOCOL_DISPLAY" && client_start "client-$name" || return
		CLIENTS+=("client-$name")
	done
}

# At rest: within two seconds the lab's own processes on the server took less than 1 % of a CPU, or their share no longer falls.
idle_rests() {
	local now rests
	nap 2
	now=$(lab_cpu server)
	read -r REST_SHARE rests < <(awk -v a="$REST_FROM" -v b="$now" -v last="${REST_SHARE:-100}" 'BEGIN {
		split(a, x, " "); split(b, y, " "); s = 100 * (y[4] - x[4]) / (y[1] - x[1]); print s, (s < 1 || s > 0.8 * last) }')
	REST_FROM=$now
	[ "$rests" = 1 ] || stopped
}

# The profiler ------------------------------------------------------------------------------------------------------

profiler_start() {	# profiler_start [-o FILE]... NAME OPTION...
	local files=()
	while [ "$1" = -o ]; do files+=(-o "$2"); shift 2; done
	outside_start "${files[@]}" "$1" "$TP_BIN/idleprofile" --cpus "$LAB_CPUS_server" --threshold "${THRESHOLD_US}us" \
		--effect 0s \
		"${@:2}" --format json
}

# Classifies each thread by its pid outside of the namespaces: "own" is in a process namespace of the lab; "itself" is the profiler,
# this engine, and their helpers for the programs they started. Uses builtins only, since a new process would be in the profile.
# It also notes the CPU time of each of the server's own threads: a sum over processes would lose that of ended threads. Over ssh
# this takes some of the server's CPU time, so it is done only before and after the profile.
declare -A CLASS_OF RUN_AT_FIRST RUN_AT_LAST
look_up() {
	local tid line class process run first=0
	if [ "$ON" = lab ]; then look_up_here; return; fi
	[ "${#CLASS_OF[@]}" -gt 0 ] || { first=1 LOOKED_AT_FIRST=${EPOCHREALTIME/[.,]/}; }
	while IFS=$'\037' read -r tid class line process run; do
		[[ $tid.$run =~ ^[0-9]{1,10}\.[0-9]{0,18}$ ]] || continue
		CLASS_OF[$tid]="$class	${line//[[:cntrl:]]/?}	${process//[[:cntrl:]]/?}"
		[ "$class" = own ] || continue
		[ -n "${RUN_AT_FIRST[$tid]-}" ] || RUN_AT_FIRST[$tid]=$((first ? run : 0))
		RUN_AT_LAST[$tid]=$run
	done < <(lab_query server tasks)
	LOOKED_AT_LAST=${EPOCHREALTIME/[.,]/}
}
look_up_here() {
	local task tid pid line stat class process run first=0
	[ "${#CLASS_OF[@]}" -gt 0 ] || { first=1 LOOKED_AT_FIRST=${EPOCHREALTIME/[.,]/}; }
	for task in /proc/[0-9]*/task/[0-9]*; do
		tid=${task##*/}
		if [ -z "${CLASS_OF[$tid]-}" ]; then
			pid=${task#/proc/} pid=${pid%%/*} process=''
			{ read -r line <"$task/stat"; } 2>/dev/null || continue
			read -ra stat <<<"${line##*) }"
			line=${line#*(}
			if [ "$task/ns/pid" -ef "/proc/$LAB_HOLD_server/ns/pid_for_children" ] ||
				{ [ "${LAB_CPUS_server-}" = "${LAB_CPUS_client-}" ] &&	# (so the profile has the client's, too)
				[ "$task/ns/pid" -ef "/proc/$LAB_HOLD_client/ns/pid_for_children" ]; }; then
				class=own RUN_AT_FIRST[$tid]=0
				[ "$first" = 0 ] || { read -r "RUN_AT_FIRST[$tid]" _ <"$task/schedstat"; } 2>/dev/null
			elif [ "$task/ns/pid" -ef "/proc/$LAB_HOLD_client/ns/pid_for_children" ]; then class=own
			elif ((stat[6] & 0x200000)); then class=kernel
			elif [[ " $$ $LAB_PID $LAB_HOLDER $EXP_KEEPER " == *" $pid "* || " $$ $LAB_PID $LAB_HOLDER " == *" ${stat[1]} "* ]]; then
				class=itself
			else class=foreign
			fi
			[ "$tid" = "$pid" ] || { read -r process <"/proc/$pid/comm"; } 2>/dev/null
			line=${line%)*}
			CLASS_OF[$tid]="$class	${line//[[:cntrl:]]/?}	${process//[[:cntrl:]]/?}"
		fi
		[ -z "${RUN_AT_FIRST[$tid]-}" ] || { { read -r run _ <"$task/schedstat"; } 2>/dev/null && RUN_AT_LAST[$tid]=$run; }
	done
	LOOKED_AT_LAST=${EPOCHREALTIME/[.,]/}
}

# CPU time of the lab's own threads, in ms a minute, from the first reading to the last.
accounted() {
	local tid sum=0
	for tid in "${!RUN_AT_LAST[@]}"; do ((sum += RUN_AT_LAST[$tid] - RUN_AT_FIRST[$tid])); done
	awk -v ns="$sum" -v us="$((LOOKED_AT_LAST - LOOKED_AT_FIRST))" 'BEGIN { printf "%.4f\n", (us > 0 ? ns / us * 60 : 0) }'
}

idle_profile() {	# idle_profile FOLDER; 1: LAB_WHY
	local tid
	CLASS_OF=() RUN_AT_FIRST=() RUN_AT_LAST=()
	profiler_start -o "$1/lost.tsv" -o "$1/culprits.tsv" idleprofile -t "${SECONDS_EACH}s" --log "$1/lost.tsv" --who \
		--who-log "$1/culprits.tsv"
	is_ready idleprofile 20 || { lab_stop "$LAB_PID"; : "${LAB_WHY:=the profiler was not ready in time}"; return 1; }
	cpu_begin
	look_up
	until lab_gone "$LAB_PID" || stopped; do
		nap 1
		[ "$ON" != lab ] || look_up
	done
	[ "$ON" = lab ] || look_up
	cpu_end
	has_ended idleprofile "$1" || return
	[ "$STATUS" = 0 ] || warn "$(exp_words): $(last_word idleprofile)"
	if jq -e .result.who "$1/idleprofile.json" >/dev/null 2>&1; then
		printf 'schema\tpid\tclass\tname\tprocess\n' >"$1/processes.tsv"
		for tid in "${!CLASS_OF[@]}"; do printf 'process/1\t%s\t%s\n' "$tid" "${CLASS_OF[$tid]}"; done >>"$1/processes.tsv"
	else
		rm -f "$1/culprits.tsv"
	fi
}

# One cell ----------------------------------------------------------------------------------------------------------

exp_run() {	# exp_run FOLDER REPEAT
	local name REST_FROM REST_SHARE=''
	idle_start || { LAB_WHY="a session did not come up: $LAB_WHY"; return 1; }
	REST_FROM=$(lab_cpu server)
	[ "${P[sessions]}" = 0 ] || wait_until "$SETTLE_SECONDS" idle_rests
	! stopped || return
	idle_profile "$1" || return
	profiler_start wakeups -t "$(((SECONDS_EACH + 1) / 2))s" --wakeups "$WAKEUPS_PER_S" --seed "$((SEED * 1000 + $2))"
	has_ended wakeups "$1" || { LAB_WHY="the wake-ups failed: $LAB_WHY"; return 1; }
	for name in "${CLIENTS[@]}"; do
		LAB_WHY="a client lost its session: $(last_word "$name")"
		! lab_gone "${LAB_PID_OF[$name]}" || return
	done
}

exp_stop() {
	lab_stop "${LAB_PIDS[@]}"
	protocol_stop || :
}

# Foreign time: that of culprits outside the lab; without culprits, lost time minus the kernel's account of the lab's own tasks.
exp_ran() {	# exp_ran FOLDER
	local accounted named=()
	accounted=$(accounted)
	[ ! -f "$1/culprits.tsv" ] || named=("$1/processes.tsv" "$1/culprits.tsv")
	FOREIGN=$(jq -r '.result.cpus | "\(map(.lost_s) | add) \(map(.wall_s) | add) \(map(.wall_s) | max)"' "$1/idleprofile.json" |
		awk -F'\t' -v accounted="$accounted" '
			file == 0 { split($0, f, " "); lost = f[1]; cpu = f[2]; wall = f[3]; file = 1; next }
			$1 == "schema" { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
			file == 2 { class[$at[2, "pid"]] = $at[2, "class"]; next }
			$at[3, "kind"] == "task" && class[$at[3, "pid"]] ~ /^(foreign)?$/ { foreign += $at[3, "ns"] / 1e9 }
			END {
				if (file < 3) foreign = lost - accounted * wall / 60000
				printf "%.3f\n", (foreign > 0 ? 100 * foreign / cpu : 0)
			}' - "${named[@]}")
	CELL_MORE="{\"accounted_ms_per_min\": $accounted}"
}
