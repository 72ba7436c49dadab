# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine and the lab
# cell.sh - idle: for each cell idle sessions are started, each a display server, a terminal with an editor that waits, and a
# client that is connected. When they have come to rest, idleprofile runs on the server's CPU, and once more with wake-ups of
# its own, which the profile must not hold. Then the sessions go. idleprofile sees all that takes the CPU, so who it names is
# looked up while it lives: the lab's, or somebody else's.
WAKEUPS_PER_S=50 THRESHOLD_US=5 SETTLE_SECONDS=30
PIN_EFFECT="so the profile holds the clients too"
EXP_KEEPER=$PPID
EFFECT=2s	# what the profiler's loop does to others is measured in the first cell of a run
PROTOCOL_OPTIONS=()
CLIENTS=()	# pids of the clients, which keep the sessions connected

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

wakeup_seconds() { echo $(((SECONDS_EACH + 1) / 2)); }

exp_settings() {
	cells_json | jq -c --argjson wakeups "$(wakeup_seconds)" --argjson desktop "$((1 - NO_DESKTOP))" --arg first "${PROTOCOLS%%,*}" '
		{protocol: $first, systems: (.cells | map(.parameters)), desktop: ($desktop == 1), wakeup_seconds: $wakeups}'
}

exp_missing() {
	local out
	lab_lacks pin memory
	out=$(setpriv --pdeathsig KILL "$TP_BIN/idleprofile" --cpus "$LAB_CPUS_server" -t 10ms --effect 0s --who --format json 2>&1 \
		>/dev/null </dev/null)
	out=$(grep -vx ready <<<"$out" | tail -n 1)
	[ -z "$out" ] || echo "who took the CPU: ${out#*culprits: }, so whose time was lost is not told apart"
}

exp_words() {
	case ${P[system]} in
	none) echo "no session" ;;
	desktop) echo "a desktop" ;;
	*) [ "${P[sessions]}" = 1 ] && echo "an idle session of ${P[system]}" || echo "${P[sessions]} idle sessions of ${P[system]}" ;;
	esac
}

# Sessions ----------------------------------------------------------------------------------------------------------

idle_start() {	# 1: LAB_WHY
	local n name
	CLIENTS=()
	[ "${P[system]}" != none ] || return 0
	[ "${P[system]}" = desktop ] && protocol_use "${PROTOCOLS%%,*}" || protocol_use "${P[system]}"
	for ((n = 1; n <= P[sessions]; n++)); do
		! stopped || return 0
		name=${P[system]}-$n
		protocol_start "$name"
		[ "${P[system]}" != desktop ] || { app_use desktop; app_start "$PROTOCOL_DISPLAY" || return; }
		app_use vim
		app_start "$PROTOCOL_DISPLAY"
		lab_start client "client-$name" "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t "$((SECONDS_EACH * 3 + 600))s" \
			--watch update ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
		CLIENTS+=("$LAB_PID")
		lab_ready "client-$name" 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/client-$name.err" | tail -n 1); return 1; }
	done
}

# At rest: the lab's own processes on the server took less than 1 % of a CPU within two seconds, or what they take falls no more.
idle_settle() {	# sets SETTLED
	local before now i share last=100
	SETTLED=yes
	[ "${P[sessions]}" -gt 0 ] || return 0
	before=$(lab_cpu server)
	for ((i = 0; i < SETTLE_SECONDS; i += 2)); do
		nap 2
		! stopped || return 0
		now=$(lab_cpu server)
		share=$(awk -v a="$before" -v b="$now" 'BEGIN {
			split(a, x, " "); split(b, y, " "); printf "%.3f\n", 100 * (y[4] - x[4]) / (y[1] - x[1]) }')
		! awk -v s="$share" -v l="$last" 'BEGIN { exit !(s < 1 || s > 0.8 * l) }' || return 0
		before=$now last=$share
	done
	SETTLED="not within $SETTLE_SECONDS s: $share % of a CPU"
}

idle_stop() {
	[ "${P[system]}" != none ] || return 0
	CLIENTS=()
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
}

# The profiler ------------------------------------------------------------------------------------------------------

# Outside of the hosts, as who runs us: it has to see all processes. It dies with this shell.
profiler_start() {	# profiler_start NAME OPTION...: sets PROFILER
	local name=$1
	shift
	: >"$LAB_LOG/$name.err"
	setpriv --pdeathsig KILL "$TP_BIN/idleprofile" --cpus "$LAB_CPUS_server" --threshold "${THRESHOLD_US}us" "$@" --format json \
		</dev/null >"$LAB_LOG/$name.json" 2>"$LAB_LOG/$name.err" &
	PROFILER=$!
	LAB_PID_OF["$name"]=$PROFILER
	lab_ready "$name" 20
}

profiler_wait() {	# profiler_wait [COMMAND...]: its status; the command runs once a second meanwhile
	local status=0
	until lab_gone "$PROFILER" || stopped; do
		nap 1
		[ $# = 0 ] || "$@"
	done
	lab_gone "$PROFILER" || kill -TERM "$PROFILER" 2>/dev/null
	wait "$PROFILER" || status=$?
	return "$status"
}

# Whose each thread is, by its pid here: "own" lives in a process namespace of the lab; "itself" is the profiler or this
# engine with the doors to what it started. Builtins only: nothing is started that would be in the profile.
# What the kernel accounts to the server's own threads meanwhile is taken down too, thread by thread: a sum over processes
# would lose what threads that end have run.
declare -A CLASS_OF RUN_AT_FIRST RUN_AT_LAST
look_up() {
	local task tid pid line stat class process run first=0
	[ "${#CLASS_OF[@]}" -gt 0 ] || { first=1 LOOKED_AT_FIRST=${EPOCHREALTIME/[.,]/}; }
	for task in /proc/[0-9]*/task/[0-9]*; do
		tid=${task##*/}
		if [ -z "${CLASS_OF[$tid]-}" ]; then
			pid=${task#/proc/} pid=${pid%%/*} process=''
			{ read -r line <"$task/stat"; } 2>/dev/null || continue
			read -ra stat <<<"${line##*) }"
			line=${line#*(}
			if [ "$task/ns/pid" -ef "/proc/$LAB_HOLD_server/ns/pid_for_children" ]; then
				class=own RUN_AT_FIRST[$tid]=0
				[ "$first" = 0 ] || { read -r "RUN_AT_FIRST[$tid]" _ <"$task/schedstat"; } 2>/dev/null
			elif [ "$task/ns/pid" -ef "/proc/$LAB_HOLD_client/ns/pid_for_children" ]; then class=own
			elif ((stat[6] & 0x200000)); then class=kernel
			elif [[ " $$ $PROFILER $LAB_HOLDER $EXP_KEEPER " == *" $pid "* || " $$ $PROFILER $LAB_HOLDER " == *" ${stat[1]} "* ]]; then
				class=itself
			else class=foreign
			fi
			[ "$tid" = "$pid" ] || { read -r process <"/proc/$pid/comm"; } 2>/dev/null
			CLASS_OF[$tid]="$class	${line%)*}	$process"
		fi
		[ -z "${RUN_AT_FIRST[$tid]-}" ] || { { read -r run _ <"$task/schedstat"; } 2>/dev/null && RUN_AT_LAST[$tid]=$run; }
	done
	LOOKED_AT_LAST=${EPOCHREALTIME/[.,]/}
}

# ms of CPU a minute, from the first look to the last.
accounted() {
	local tid sum=0
	for tid in "${!RUN_AT_LAST[@]}"; do ((sum += RUN_AT_LAST[$tid] - RUN_AT_FIRST[$tid])); done
	awk -v ns="$sum" -v us="$((LOOKED_AT_LAST - LOOKED_AT_FIRST))" 'BEGIN { printf "%.4f\n", (us > 0 ? ns / us * 60 : 0) }'
}

idle_profile() {	# idle_profile FOLDER: sets BEFORE and AFTER, of lab_cpu; reason
	local tid status=0
	CLASS_OF=() RUN_AT_FIRST=() RUN_AT_LAST=()
	if profiler_start profile -t "${SECONDS_EACH}s" --effect "$EFFECT" --log "$1/lost.tsv" --who --who-log "$1/culprits.tsv"; then
		BEFORE=$(lab_cpu server)
		look_up
		profiler_wait look_up || status=$?
		AFTER=$(lab_cpu server)
		if jq -e .result.who "$LAB_LOG/profile.json" >/dev/null 2>&1; then
			printf 'schema\tpid\tclass\tname\tprocess\n' >"$1/processes.tsv"
			for tid in "${!CLASS_OF[@]}"; do printf 'process/1\t%s\t%s\n' "$tid" "${CLASS_OF[$tid]}"; done >>"$1/processes.tsv"
		else
			rm -f "$1/culprits.tsv"
		fi
	else
		profiler_wait || status=$?
		[ "$status" -gt 0 ] || status=1
	fi
	case $status in
	0) ;;
	3) warn "$(exp_words): $(tail -n 1 "$LAB_LOG/profile.err")" ;;
	130) reason=interrupted ;;
	*)
		reason=$(grep -vx ready "$LAB_LOG/profile.err" | tail -n 1)
		reason=${reason:-the profiler was not ready in time}
		;;
	esac
}

# One cell ----------------------------------------------------------------------------------------------------------

exp_measure() {
	local folder=$3 reason='' status=0 pid SETTLED='' BEFORE='' AFTER='' LAB_LOG=$3/log
	mkdir -p "$LAB_LOG"
	idle_start || reason="a session did not come up: $LAB_WHY"
	[ -n "$reason" ] || idle_settle
	! stopped || reason=interrupted
	[ -n "$reason" ] || idle_profile "$folder"
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		profiler_start wakeups -t "$(wakeup_seconds)s" --wakeups "$WAKEUPS_PER_S" --seed "$((SEED * 1000 + $2))" --effect 0s &&
			profiler_wait || status=$?
		case $status in
		0 | 3) ;;
		130) reason=interrupted ;;
		*) reason="the wake-ups failed: $(tail -n 1 "$LAB_LOG/wakeups.err")" ;;
		esac
	fi
	for pid in ${CLIENTS[@]+"${CLIENTS[@]}"}; do
		! lab_gone "$pid" || [ -n "$reason" ] ||
			reason="a client lost its session: $(tail -qn 1 "$LAB_LOG"/client-*.err | grep -vx ready | head -n 1)"
	done
	idle_stop
	mv "$LAB_LOG/profile.json" "$folder/idleprofile.json" 2>/dev/null
	mv "$LAB_LOG/wakeups.json" "$folder/wakeups.json" 2>/dev/null
	[ -n "$reason" ] || [ -s "$folder/idleprofile.json" ] || reason="the profiler left no report"
	idle_write "$folder" "$2" "$reason"
	[ -n "$reason" ] || { EFFECT=0s; rm -rf "$LAB_LOG"; }
}

# Foreign: what tasks that are not the lab's took, by name; without names, what is lost beyond what the kernel accounts to the
# lab's own.
idle_write() {	# idle_write FOLDER REPEAT REASON
	local foreign=null steal=null accounted=null marked='' named=()
	if [ -z "$3" ]; then
		accounted=$(accounted)
		read -r _ steal _ < <(exp_shares "$BEFORE" "$AFTER" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		[ ! -f "$1/culprits.tsv" ] || named=("$1/processes.tsv" "$1/culprits.tsv")
		foreign=$(jq -r '.result.cpus | "\(map(.lost_s) | add) \(map(.wall_s) | add)"' "$1/idleprofile.json" |
			awk -F'\t' -v accounted="$accounted" '
				file == 0 { split($0, f, " "); lost = f[1]; cpu = f[2]; file = 1; next }
				$1 == "schema" { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
				file == 2 { class[$at[2, "pid"]] = $at[2, "class"]; next }
				$at[3, "kind"] == "task" && class[$at[3, "pid"]] ~ /^(foreign)?$/ { foreign += $at[3, "ns"] / 1e9 }
				END {
					if (file < 3) foreign = lost - accounted * cpu / 60000
					printf "%.3f\n", (foreign > 0 ? 100 * foreign / cpu : 0)
				}' - ${named[@]+"${named[@]}"})
		marked=$(exp_disturbed "$foreign" "$steal")
	fi
	cell_write "$1" "$2" "$3" "$marked" "$(jq -cn --argjson foreign "$foreign" --argjson steal "$steal" \
		--argjson accounted "$accounted" --arg settled "$SETTLED" '
		{foreign_percent: $foreign, steal_percent: $steal, accounted_ms_per_min: $accounted, $settled}')"
}

# The profiler's own figures, of a cell that has measured what its loop does to others.
exp_end_lab() {
	local profiler
	profiler=$(jq -s '[.[].result | {placed, clock, resolution_ns, step_ns, own}]
		| (map(select((.own.wakeup_alone_us.n // 0) > 0)) + .) | first // null' "$RUN"/cells/*/*/idleprofile.json 2>/dev/null)
	run_set '.profiler = $p' --argjson p "${profiler:-null}"
}
