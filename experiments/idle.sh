#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, Figures 1 and 2: CPU of idle sessions over time, and lost time by length; cost of one more; compulsory latency
# minutes: 60 (--quick: 4)
# needs: two CPUs, a display protocol; root for who took the CPU
# wrong if: the lab's own processes are named for much more or less than the kernel accounts to them, or a wait is likelier than its bound
#
# For every cell idle sessions are started, each a display server, a terminal with an editor waiting, and a client that is connected; when
# they have come to rest, idleprofile runs on the server's CPU, and once more with wake-ups of its own, which the profile must not hold.
# Then the sessions go. idleprofile sees all that takes the CPU, so who it names is looked up while it lives: the lab's, or somebody else's.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=idle
EXPERIMENT_SAYS="What do idle sessions cost the server's CPU, who takes it, and how long would somebody have to wait for it?"
RATE=0 FOREIGN_LIMIT=3 THRESHOLD_US=5 WAKEUPS_PER_S=50
. "$TP_HOME/experiments/lib.sh"
PROTOCOL_LIST='' LOADS=1,5,20 SECONDS_EACH=60 DESKTOP=1
SYSTEMS=()	# "NAME SESSIONS", in the order of the report
ABSENT=()	# "NAME: why it cannot run here"
SETTLE_SECONDS=30

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--loads N,...] [--no-desktop] [--seconds S] [--repeat R] [--quick] [--seed N]
         [--resume RUN] [-o DIR] [--on lab]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols, an idle session of each; the first also with several (vnc,x11, of these what can run here)
  --loads N,...     numbers of sessions of the first protocol ($LOADS)
  --no-desktop      leave the desktop session out (it needs packages: thinprobe setup --app desktop)
  --seconds S       length of each profile; the wake-ups take half as long again ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           10 s and one repeat: a first idea
  --seed N          of the random order ($SEED)
$(exp_usage_memory)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
  --on lab          where the server is: emulated on this machine; others are not built, since the profiler has to run on the
                    server's CPU beside the session and see whose processes are there
END
}

idle_options() {
	local load NO_DESKTOP=0
	exp_parse "--quick QUICK --no-desktop NO_DESKTOP" "--protocol PROTOCOL_LIST --loads LOADS --seconds SECONDS_EACH --repeat REPEATS --seed SEED --on ON" "$@"
	DESKTOP=$((1 - NO_DESKTOP))
	if [ "$QUICK" = 1 ]; then
		exp_given --seconds || SECONDS_EACH=10
		exp_given --repeat || REPEATS=1
	fi
	exp_resume
	[ "$ON" = lab ] || exp_bad "--on $ON: idle sessions are profiled on the emulated server of this machine only (--on lab)"
	exp_list --loads "$LOADS"
	for load in ${LOADS//,/ }; do exp_number --loads "$load" 1 200; done
	exp_number --seconds "$SECONDS_EACH" 2 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	exp_check_protocols
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	printf '%s\n' ${SYSTEMS[@]+"${SYSTEMS[@]}"} | jq -cRn --arg protocol "${PROTOCOL_LIST%%,*}" --arg protocols "$PROTOCOL_LIST" --argjson loads "[$LOADS]" --argjson desktop "$DESKTOP" \
		--argjson repeats "$REPEATS" --argjson seconds "$SECONDS_EACH" --argjson wakeups "$(wakeup_seconds)" --argjson rate "$WAKEUPS_PER_S" --argjson threshold "$THRESHOLD_US" \
		--argjson seed "$SEED" --argjson quick "$QUICK" --arg absent "$(printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"})" '
		{protocol: $protocol, protocols: ($protocols | split(",")), systems: [inputs | split(" ") | {system: .[0], sessions: (.[1] | tonumber)}],
		absent: [$absent | split("\n")[] | select(. != "") | capture("(?<system>[^:]*): (?<why>.*)")], loads: $loads, desktop: ($desktop == 1),
		repeats: $repeats, seconds: $seconds, wakeup_seconds: $wakeups, wakeups_per_s: $rate, threshold_us: $threshold, seed: $seed, quick: ($quick == 1), on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) LOADS=\(.loads | map(tostring) | join(",")) SECONDS_EACH=\(.seconds | tostring)
		REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end) DESKTOP=\(if .desktop then "1" else "0" end)"' "$RESUME/run.json")"
	mapfile -t SYSTEMS < <(jq -r '.settings.systems[] | "\(.system) \(.sessions)"' "$RESUME/run.json")
}

wakeup_seconds() { echo $(((SECONDS_EACH + 1) / 2)); }

# Which systems: what was asked for, or all that can run here. What cannot is a row with the reason.
choose_systems() {
	local protocol why load
	[ "${#SYSTEMS[@]}" = 0 ] || return 0
	exp_choose_protocols ': '
	SYSTEMS=("none 0")
	for load in $(tr , '\n' <<<"$LOADS" | sort -n); do SYSTEMS+=("${PROTOCOL_LIST%%,*} $load"); done
	for protocol in ${PROTOCOL_LIST//,/ }; do
		[ "$protocol" = "${PROTOCOL_LIST%%,*}" ] || SYSTEMS+=("$protocol 1")
	done
	[ "$DESKTOP" = 0 ] || {
		app_use desktop
		if why=$(app_can); then SYSTEMS+=("desktop 1"); else ABSENT+=("desktop: $why"); fi
	}
}

exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		printf "%s $repeat\n" "${SYSTEMS[@]}" | shuffled "$((SEED * 1000 + repeat))"
	done
}
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() { system_words "$2" "$1"; }

system_words() {	# NAME SESSIONS
	case $1 in
	none) echo "no session" ;;
	desktop) echo "a desktop" ;;
	*) if [ "$2" = 1 ]; then echo "an idle session of $1"; else echo "$2 idle sessions of $1"; fi ;;
	esac
}

# Sessions ------------------------------------------------------------------------------------------------------

PROTOCOL_OPTIONS=()
CLIENTS=()	# the clients, which keep the sessions connected

system_protocol() {	# the plug-in of a system: a desktop runs in the first protocol
	[ "$1" != none ] || return 1
	[ "$1" = desktop ] && protocol_use "${PROTOCOL_LIST%%,*}" || protocol_use "$1"
}

start_sessions() {	# start_sessions SYSTEM SESSIONS; 1: LAB_WHY
	local n name
	CLIENTS=()
	for ((n = 1; n <= $2; n++)); do
		! stopped || return 0
		name=$1-$n
		protocol_start "$name"
		[ "$1" != desktop ] || { app_use desktop; app_start "$PROTOCOL_DISPLAY" || return; }
		app_use vim
		app_start "$PROTOCOL_DISPLAY"
		lab_start client "client-$name" "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t "$((SECONDS_EACH * 3 + 600))s" --watch update ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
		CLIENTS+=("$LAB_PID")
		lab_ready "client-$name" 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/client-$name.err" | tail -n 1); return 1; }
	done
}

# At rest: the lab's own processes on the server took less than 1 % of a CPU within two seconds, or what they take falls no more.
settle() {	# settle SESSIONS: sets SETTLED
	local before now i share last=100
	SETTLED=yes
	[ "$1" -gt 0 ] || return 0
	before=$(lab_cpu server)
	for ((i = 0; i < SETTLE_SECONDS; i += 2)); do
		nap 2
		! stopped || return 0
		now=$(lab_cpu server)
		share=$(cpu_share "$before" "$now")
		! awk -v s="$share" -v l="$last" 'BEGIN { exit !(s < 1 || s > 0.8 * l) }' || return 0
		before=$now last=$share
	done
	SETTLED="not within $SETTLE_SECONDS s: $share % of a CPU"
}

cpu_share() {	# own time between two lines of lab_cpu, in percent of a CPU
	awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, " "); split(b, y, " "); printf "%.3f\n", 100 * (y[4] - x[4]) / (y[1] - x[1]) }'
}

stop_sessions() {
	[ "$1" != none ] || return 0
	CLIENTS=()
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
}

# The profiler --------------------------------------------------------------------------------------------------

# Outside of the hosts, as who runs us: it has to see all processes. It dies with this shell.
profiler_start() {	# profiler_start NAME OPTION...: sets PROFILER
	local name=$1
	shift
	: >"$LAB_LOG/$name.err"
	setpriv --pdeathsig KILL "$TP_BIN/idleprofile" --cpus "$LAB_CPUS_server" --threshold "${THRESHOLD_US}us" "$@" --format json </dev/null >"$LAB_LOG/$name.json" 2>"$LAB_LOG/$name.err" &
	PROFILER=$!
	LAB_PID_OF["$name"]=$PROFILER
	lab_ready "$name" 20
}

# Waits for it, and gives its status; `look_up` meanwhile, once a second.
profiler_wait() {	# profiler_wait [COMMAND...]
	local status=0
	until lab_gone "$PROFILER" || stopped; do
		nap 1
		[ $# = 0 ] || "$@"
	done
	lab_gone "$PROFILER" || kill -TERM "$PROFILER" 2>/dev/null
	wait "$PROFILER" || status=$?
	return "$status"
}

# Whose each thread is, by its pid here: "own" lives in a process namespace of the lab; "itself" is the profiler or this driver with
# the doors to what it started. Builtins only: nothing is started that would be in the profile.
# What the kernel accounts to the server's own threads meanwhile is taken down too, thread by thread: a sum over processes would lose what
# threads that end have run.
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
			elif [[ " $$ $PROFILER $LAB_HOLDER $EXP_KEEPER " == *" $pid "* || " $$ $PROFILER $LAB_HOLDER " == *" ${stat[1]} "* ]]; then class=itself
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

EXP_KEEPER=$PPID

write_processes() {
	local tid
	printf 'schema\tpid\tclass\tname\tprocess\n'
	for tid in "${!CLASS_OF[@]}"; do printf 'process/1\t%s\t%s\n' "$tid" "${CLASS_OF[$tid]}"; done
}

# What the profiler's loop does to others is measured in the first cell of a run.
EFFECT=2s

# One cell ------------------------------------------------------------------------------------------------------

exp_cell() {	# exp_cell SYSTEM SESSIONS REPEAT FOLDER
	local system=$1 sessions=$2 folder=$4 reason='' before='' after='' status=0 pid LAB_LOG=$4/log
	mkdir -p "$LAB_LOG"
	SETTLED=''
	if system_protocol "$system"; then start_sessions "$system" "$sessions" || reason="a session did not come up: $LAB_WHY"; fi
	[ -n "$reason" ] || settle "$sessions"
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		CLASS_OF=() RUN_AT_FIRST=() RUN_AT_LAST=()
		if profiler_start profile -t "${SECONDS_EACH}s" --effect "$EFFECT" --log "$folder/lost.tsv" --who --who-log "$folder/culprits.tsv"; then
			before=$(lab_cpu server)
			look_up
			profiler_wait look_up || status=$?
			after=$(lab_cpu server)
			if jq -e .result.who "$LAB_LOG/profile.json" >/dev/null 2>&1; then write_processes >"$folder/processes.tsv"; else rm -f "$folder/culprits.tsv"; fi
		else
			profiler_wait || status=$?
			[ "$status" -gt 0 ] || status=1
		fi
		case $status in 0) ;; 3) warn "$(system_words "$1" "$2"), repeat $3: $(tail -n 1 "$LAB_LOG/profile.err")" ;; 130) reason=interrupted ;; *) reason=$(tail -n 1 "$LAB_LOG/profile.err") ;; esac
	fi
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		status=0
		{ profiler_start wakeups -t "$(wakeup_seconds)s" --wakeups "$WAKEUPS_PER_S" --seed "$((SEED * 1000 + $3))" --effect 0s && profiler_wait; } || status=$?
		case $status in 0 | 3) ;; 130) reason=interrupted ;; *) reason="the wake-ups failed: $(tail -n 1 "$LAB_LOG/wakeups.err")" ;; esac
	fi
	for pid in ${CLIENTS[@]+"${CLIENTS[@]}"}; do
		! lab_gone "$pid" || [ -n "$reason" ] || reason="a client lost its session: $(tail -qn 1 "$LAB_LOG"/client-*.err | grep -vx ready | head -n 1)"
	done
	stop_sessions "$system"
	mv "$LAB_LOG/profile.json" "$folder/idleprofile.json" 2>/dev/null
	mv "$LAB_LOG/wakeups.json" "$folder/wakeups.json" 2>/dev/null
	[ -n "$reason" ] || [ -s "$folder/idleprofile.json" ] || reason="the profiler left no report"
	write_cell "$system" "$sessions" "$3" "$folder" "$reason" "$before" "$after"
	[ -n "$reason" ] || EFFECT=0s
	if [ -n "$reason" ]; then warn "$(system_words "$1" "$2"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

# Foreign: what tasks that are not the lab's took, by name; without names, what is lost beyond what the kernel accounts to the lab's own.
write_cell() {	# write_cell SYSTEM SESSIONS REPEAT FOLDER REASON BEFORE AFTER
	local folder=$4 foreign=null steal=null accounted=null marked='' lost named=()
	if [ -z "$5" ]; then
		accounted=$(accounted)
		read -r _ steal _ < <(exp_shares "$6" "$7" "$(nproc_server)")
		[ ! -f "$folder/culprits.tsv" ] || named=("$folder/processes.tsv" "$folder/culprits.tsv")
		lost=$(jq '[.result.cpus[] | .lost_s] | add // 0' "$folder/idleprofile.json")
		foreign=$(awk -F'\t' -v lost="$lost" -v accounted="$accounted" -v cpu="$(jq '[.result.cpus[].wall_s] | add' "$folder/idleprofile.json")" '
			FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
			file == 1 { class[$at[1, "pid"]] = $at[1, "class"]; next }
			$at[2, "kind"] == "task" && (class[$at[2, "pid"]] == "foreign" || class[$at[2, "pid"]] == "") { foreign += $at[2, "ns"] / 1e9 }
			END { if (file < 2) foreign = lost - accounted * cpu / 60000; printf "%.3f\n", (foreign > 0 ? 100 * foreign / cpu : 0) }' \
			${named[@]+"${named[@]}"} </dev/null)
		marked=$(exp_disturbed "$foreign" "$steal")
	fi
	jq -n --arg system "$1" --argjson sessions "$2" --argjson repeat "$3" --arg reason "$5" --argjson foreign "$foreign" --argjson steal "$steal" \
		--argjson accounted "$accounted" --arg marked "$marked" --arg settled "$SETTLED" '
		{schema: "thinprobe.cell/1", parameters: {system: $system, sessions: $sessions}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: $foreign, steal_percent: $steal, accounted_ms_per_min: $accounted, settled: $settled, marked: $marked}' | put_json "$folder/cell.json"
}

nproc_server() { machine_cpu_list "$LAB_CPUS_server" | wc -w; }

who_missing() {	# tried, once
	local out
	out=$(setpriv --pdeathsig KILL "$TP_BIN/idleprofile" --cpus "$LAB_CPUS_server" -t 10ms --effect 0s --who --format json 2>&1 >/dev/null </dev/null)
	out=$(grep -vx ready <<<"$out" | tail -n 1)
	[ -z "$out" ] || echo "who took the CPU: ${out#*culprits: }, so whose time was lost is not told apart"
}

# Levers that this machine does not give, each with what that does to the figures.
missing_levers() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "so the profile holds the clients too"
		who_missing
	} | jq -R . | jq -s .
}

idle_options "$@"
choose_systems
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=none LAB_DELAY=''
LINK=none
lab_use local
exp_step "two hosts"
lab_up
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(missing_levers)")"
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client; $(for s in "${SYSTEMS[@]}"; do system_words "${s% *}" "${s#* }"; done | paste -sd , | sed 's/,/, /g')"
jq -r '(.settings.absent[] | "not on this machine: \(.system): \(.why)"), (.lab.missing[] | "not on this machine: " + .)' "$RUN/run.json"
exp_cells_run
profiler=$(jq -s '[.[].result | {placed, clock, resolution_ns, step_ns, own}] | (map(select((.own.wakeup_alone_us.n // 0) > 0)) + .) | first // null' "$RUN"/cells/*/*/idleprofile.json 2>/dev/null)
run_set '.profiler = $p' --argjson p "${profiler:-null}"
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
