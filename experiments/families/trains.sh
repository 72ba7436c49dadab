# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# trains.sh - for experiments that inject trains of keys into sessions: sessions, the cost of measuring itself, idle noise, a train
# beside a load, and the scheduling groups that compete.
#
# A session has a name; SESSION_APP says what runs in it: light (vim), grouped (vim, in a scheduling group with its load), heavy
# (refecho), or own, for protocols that answer keys themselves. An experiment sets RATE PERIOD_MS (and the options seconds, seed,
# threshold) and calls train_run. Its hooks and variables: docs/experiment-hooks.md.

RATE=20 PERIOD_MS=50 TRAIN_SKIP=5 CHAIN_SECONDS=3 TRAIN_MODE=tap TRAIN_MORE='{}' WIRE=0 REGIME=session KEEP=0
PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch
declare -A SESSION_PROTOCOL SESSION_APP SESSION_OPTIONS SESSION_DISPLAY SESSION_TARGET SESSION_PORT
declare -A SESSION_WATCH SESSION_NOISE SESSION_COST SESSION_PID SESSION_SERVER SESSION_IDLE
# TRACES: packets and keys have the same clock, so that they can be compared; ECHOES: so has the application's own log.
TRACES=1 ECHOES=1

# Sessions ------------------------------------------------------------------------------------------------------

session_start() {	# session_start NAME PROTOCOL APP: a display server, and the application; 1: LAB_WHY
	local name=$1
	[ "$3" != grouped ] || local LAB_GROUP=grouped
	SESSION_PROTOCOL[$name]=$2 SESSION_APP[$name]=$3 SESSION_OPTIONS[$name]=''
	PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch
	session_use "$name"
	protocol_start "$name" || return
	[ "${#PROTOCOL_OPTIONS[@]}" = 0 ] || printf -v "SESSION_OPTIONS[$name]" '%s\037' "${PROTOCOL_OPTIONS[@]}"
	SESSION_TARGET[$name]=$PROTOCOL_TARGET SESSION_PORT[$name]=$PROTOCOL_PORT SESSION_DISPLAY[$name]=$PROTOCOL_DISPLAY
	SESSION_SERVER[$name]=${PROTOCOL_PIDS%% *} SESSION_PID[$name]=${PROTOCOL_PIDS%% *} SESSION_WATCH[$name]=$PROTOCOL_WATCH
	# A protocol's own application has the same CPU cost per key if it is a process that shows their number.
	SESSION_COST[$name]=''
	[ "$PROTOCOL_WATCH" = update ] || [ "${COST_MS:-0}" = 0 ] || SESSION_COST[$name]=${PROTOCOL_PIDS:+$COST_MS}
	[ -z "${EXP_TURN-}" ] || session_program "$2"
	[ -z "$PROTOCOL_DISPLAY" ] || session_start_app "$name"
}

# session_program PROTOCOL: in a comparison of two programs, the file of the server that has started goes into run.json.
session_program() {
	local CHILDREN file
	[ "$ON_BACKEND" = local ] && [ -n "$PROTOCOL_PIDS" ] && lab_children server "${PROTOCOL_PIDS%% *}" &&
		file=$(readlink "/proc/$CHILDREN/exe") && run_set '.programs[$protocol] = $file' --arg protocol "$1" --arg file "$file"
	return 0
}

# Loads the session's plug-ins, and sets the options of its probe and application.
session_use() {
	protocol_use "${SESSION_PROTOCOL[$1]}"
	app_of "${SESSION_APP[$1]}"
	PROTOCOL_OPTIONS=()
	unjoin PROTOCOL_OPTIONS "${SESSION_OPTIONS[$1]}"
	APP_COST=${COST_MS:-0}ms APP_OPTIONS=(--cost-per "${COST_PER:-redraw}")
	[ "$ECHOES" = 0 ] || APP_OPTIONS+=(--log "$RUN/log/echo-$1.tsv")
}

session_start_app() {	# session_start_app NAME: the application, in its session
	session_use "$1"
	app_start "${SESSION_DISPLAY[$1]}" || return
	SESSION_WATCH[$1]=$(app_watch) SESSION_PID[$1]=$APP_PID SESSION_COST[$1]=''
	[ "${SESSION_APP[$1]}" != heavy ] || [ "${COST_MS:-0}" = 0 ] || SESSION_COST[$1]=$COST_MS
}

session_reset() {	# puts the application into the same state before every train
	session_use "$1"
	if [ -n "${SESSION_DISPLAY[$1]}" ]; then APP_DISPLAY=${SESSION_DISPLAY[$1]} app_reset; else protocol_reset "$1"; fi
}

# Sessions of one protocol at a time ------------------------------------------------------------------------------
#
# For experiments with a list of protocols and one of applications, whose cells are grouped by protocol. Only the sessions of the
# protocol that is measured are up: other sessions would take CPU time and disturb its figures. (A run of one protocol keeps its
# sessions up from begin to end.)

SESSIONS_OF=''

# apps_over PROTOCOL: prints the applications that were asked for; `own` if it has no display and answers keys itself.
has_display() { (protocol_use "$1" && [[ " $(protocol_properties) " == *" display "* ]]); }	# has_display PROTOCOL
apps_over() { if has_display "$1"; then echo "${APPS//,/ }"; else echo own; fi; }	# apps_over PROTOCOL

session_name() { [[ $PROTOCOLS == *,* ]] && echo "${1//:/-}-$2" || echo "$2"; }	# session_name PROTOCOL APP

sessions_cells() {	# prints the product of the axes, with the applications of each protocol
	local protocol apps all=$PROTOCOLS
	for protocol in ${all//,/ }; do
		apps=$(apps_over "$protocol")
		PROTOCOLS=$protocol APPS=${apps// /,} cells_product
	done
}

# With a single protocol, starts its sessions before the cells; with several, sessions are started with their cells.
sessions_begin() { [[ $PROTOCOLS == *,* ]] || must sessions_of "$PROTOCOLS"; }

# sessions_of PROTOCOL: starts its sessions, one for each application, and ends all others; 1: LAB_WHY.
sessions_of() {
	local app
	[ "$SESSIONS_OF" != "$1" ] || return 0
	sessions_end
	exp_step "sessions over $1"
	SESSIONS_OF=$1
	for app in $(apps_over "$1"); do
		session_start "$(session_name "$1" "$app")" "$1" "$app" && continue
		sessions_end
		return 1
	done
}

sessions_end() {
	[ -n "$SESSIONS_OF" ] || return 0
	protocol_use "$SESSIONS_OF"
	protocol_stop
	lab_stop "${LAB_PIDS[@]}"
	SESSIONS_OF=''
}

# Once in a run: measures the screen updates of its sessions without keys.
sessions_noise() {	# sessions_noise PROTOCOL
	local app names=()
	for app in $(apps_over "$1"); do names+=("$(session_name "$1" "$app")"); done
	[ -z "${SESSION_NOISE[${names[0]}]-}" ] || return 0
	measure_idle "$IDLE_SECONDS" "${names[@]}"
}

# Before the trains -----------------------------------------------------------------------------------------------

# measure_idle SECONDS NAME...: measures screen updates without keys (a caret that blinks, a clock), in pixels and on the wire, in
# all these sessions at once; in a sweep once for each pair of hosts, protocol and application.
measure_idle() {
	local name seconds=$1 names=() idle wire none="{\"updates\": null, \"seconds\": $1}" LAB_LOG=$RUN/log
	for name in "${@:2}"; do
		if idle=$(pair_recall "$(idle_what "$name")" "${SESSION_PROTOCOL[$name]}"); then
			idle_use "$name" "$idle"
		else
			names+=("$name")
		fi
	done
	[ "${#names[@]}" -gt 0 ] || return 0
	exp_step "measures screen updates without keys for $seconds s"
	for name in "${names[@]}"; do
		session_use "$name"
		lab_start client "idle-$name" "$TP_BIN/keyrepeat" "${SESSION_TARGET[$name]}" "${PROTOCOL_OPTIONS[@]}" \
			--rate 0 -t "${seconds}s" --watch update --format json
	done
	for name in "${names[@]}"; do
		# once the session is up, so that its first drawing does not count
		[ "$WIRE" = 1 ] && [ -n "${SESSION_PORT[$name]}" ] && lab_ready "idle-$name" 20 || continue
		capture_start "idle-prototap-$name" --port "${SESSION_PORT[$name]}" -t "${seconds}s" || :
	done
	for name in "${names[@]}"; do
		lab_wait "${LAB_PID_OF[idle-$name]}" || stopped ||
			warn "cannot measure screen updates without keys in $name; see $LAB_LOG/idle-$name.err"
		wire=null
		[ -z "${LAB_PID_OF[idle-prototap-$name]-}" ] || ! lab_wait "${LAB_PID_OF[idle-prototap-$name]}" ||
			wire=$(jq -n 'input | .result.updates.count | numbers // null' "$LAB_LOG/idle-prototap-$name.out")
		idle=$(jq -cn --argjson s "$seconds" --argjson wire "$wire" '
			input | .result | {updates: (.updates | numbers // null), unsolicited_per_s: (.unsolicited_per_s | numbers // null), seconds: $s}
			+ if $wire == null then {} else {wire_updates: $wire} end' "$LAB_LOG/idle-$name.out" 2>/dev/null)
		[ -z "$idle" ] || pair_keep "$(idle_what "$name")" "${SESSION_PROTOCOL[$name]}" "$idle"
		: "${idle:=$none}"
		idle_use "$name" "$idle"
	done
}
# idle_what NAME: the name under which the idle noise of a session is kept (of measure_idle's seconds).
idle_what() { echo "idle noise of ${SESSION_PROTOCOL[$1]}, ${SESSION_APP[$1]}, in $seconds s$([ "$WIRE" = 0 ] || echo ", wire")"; }
idle_use() {	# idle_use NAME JSON
	run_set '.idle[$name] = $idle' --arg name "$1" --argjson idle "$2"
	read -r "SESSION_NOISE[$1]" "SESSION_IDLE[$1]" < <(jq -r '"\(.unsolicited_per_s // 0) \(
		if .wire_updates then "\(.wire_updates)/\(.seconds)s" else "" end)"' <<<"$2")
}

# capture_start [-o FILE] NAME OPTION...: starts lab_tap, if the lab can capture
capture_start() { [ -n "$LAB_TAP_IF" ] && lab_tap "$@"; }

# Measures the cost of the measuring chain: the same train to a target that answers at once, with the same capture.
measure_chain() {
	local probe tap='' seconds=$CHAIN_SECONDS what chain
	[ "${SECONDS_EACH%.*}" -ge "$seconds" ] 2>/dev/null || seconds=${SECONDS_EACH:-$seconds}	# a train like the others
	what="own delay of the probe, $RATE keys a second, $seconds s"
	! chain=$(pair_recall "$what" '') || { run_set '.chain = $chain' --argjson chain "$chain"; return; }
	exp_step "measures the probe's own delay for $seconds s"
	: >"$LAB_LOG/chain-prototap.out"
	if capture_start chain-prototap --port 1; then
		tap=$LAB_PID
		lab_ready chain-prototap 10 || {
			warn "cannot start the packet capture: $(tail -n 1 "$LAB_LOG/chain-prototap.err")"
			lab_stop "$tap"
			return 0
		}
	fi
	lab_start client chain-keyrepeat "$TP_BIN/keyrepeat" null: --priority 20 --rate "$RATE" -t "${seconds}s" \
		--schedule jittered --watch patch --format json
	probe=$LAB_PID
	lab_wait "$probe" || warn "cannot measure the probe's own delay; see $RUN/log/chain-keyrepeat.err"
	[ -z "$tap" ] || lab_stop "$tap"
	run_set '.chain = ({latency_p50_ms: $k[0].result.latency_from_due_ms.p50, latency_p99_ms: $k[0].result.latency_from_due_ms.p99,
		latency_max_ms: $k[0].result.latency_from_due_ms.max, lateness_p99_us: $k[0].result.lateness_us.p99,
		lateness_max_us: $k[0].result.lateness_us.max, probe_cpu_percent: $k[0].result.probe_cpu_percent,
		capture_cpu_percent: $p[0].result.cpu_percent} | map_values(numbers // null))
		+ {sandbox: ([$k[0], $p[0]] | map(.settings.sandbox | strings | .[:400]) | unique | join("; "))}' \
		--slurpfile k "$LAB_LOG/chain-keyrepeat.out" --slurpfile p "$LAB_LOG/chain-prototap.out"
	chain=$(jq -ce '.chain | select(.latency_p50_ms)' "$RUN/run.json") && pair_keep "$what" '' "$chain"
	return 0
}

# A train ------------------------------------------------------------------------------------------------------------

# The load: greedy processes, in the group of the session, in that of vim (grouped) or, with REGIME login, as another login.
train_load() {	# train_load LOAD FOLDER
	local login=()
	[ "$REGIME" = session ] || login=(-S)
	[ "${P[app]-}" != grouped ] || login+=(-G grouped)
	sinks_start "$1" "${login[@]}" || TRAIN_WHY=$LAB_WHY
	TRAIN_LOADS=("$LAB_PID")
	[ -z "$TRAIN_WHY" ]
}
train_loaded() { :; }

# Runs one train: capture, load, keys. Leaves the raw outputs and cell.json in FOLDER.
train_run() {	# train_run SESSION LOAD REPEAT FOLDER SERIES
	local name=$1 load=$2 repeat=$3 folder=$4 series=$5
	local kills pid probe tap='' go before='' after='' reason='' regime=null schedule=jittered keep=() bring=()
	local TRAIN_LOADS=() TRAIN_WHY='' LAB_LOG=$folder apart=()
	case $series in stall) schedule=periodic ;; wire) schedule=blocks ;; esac
	[ "$TRAIN_MODE" = tap ] || schedule=periodic	# a held key is repeated by the client's own clock
	[ "$KEEP$TRACES" = 00 ] || keep=(-w "$folder/capture.pcap") bring=(-o "$folder/capture.pcap")
	mkdir -p "$folder"
	kills=$(lab_memory_kills)
	session_reset "$name" || reason="the application could not be made as it was"
	open_pipe go
	lab_start -i "$go" -o "$folder/samples.tsv" client keyrepeat "$TP_BIN/keyrepeat" "${SESSION_TARGET[$name]}" --rate "$RATE" \
		-t "${SECONDS_EACH}s" --mode "$TRAIN_MODE" --schedule "$schedule" --seed "$((SEED * 1000 + repeat))" \
		--watch "${SESSION_WATCH[$name]}" --noise "${SESSION_NOISE[$name]:-0}" "${PROTOCOL_OPTIONS[@]}" \
		${THRESHOLD_MS:+--late "${THRESHOLD_MS}ms"} --warmup "$TRAIN_SKIP" --priority 20 --hold-start --log "$folder/samples.tsv" \
			--format json
	probe=$LAB_PID
	[ -n "$reason" ] || lab_ready keyrepeat 20 || reason="the probe did not connect: $(last_word keyrepeat)"
	if [ -z "$reason" ] && [ -n "${SESSION_PORT[$name]}" ] && capture_start "${bring[@]}" prototap \
		--port "${SESSION_PORT[$name]}" --period "${PERIOD_MS}ms" --warmup "$TRAIN_SKIP" "${keep[@]}"; then
		tap=$LAB_PID
		lab_ready prototap 10 || reason="the capture did not start: $(last_word prototap)"
	fi
	if [ -z "$reason" ] && [ "$load" -gt 0 ] && [ "$ON_BACKEND" != attach ]; then	# (with attach the load is a label)
		train_load "$load" "$folder" || reason=$TRAIN_WHY
	fi
	! stopped || reason="interrupted"
	if [ -z "$reason" ]; then
		before=$(lab_cpu server) apart=("$(! lab_client_apart || lab_cpu client)")
		echo go >&"$go"
		has_ended keyrepeat "$folder" || reason=$LAB_WHY
		after=$(lab_cpu server) apart+=("$(! lab_client_apart || lab_cpu client)")
		! stopped || reason=interrupted
		# The user took the window back, so no more keys are sent.
		[ "$(jq -r .result.ended "$folder/keyrepeat.json" 2>/dev/null)" != "window left" ] || LAB_STOPPED=1
		regime=$(train_regime "$name" "${TRAIN_LOADS[0]-}")
	else
		lab_stop "$probe"
	fi
	for pid in ${TRAIN_LOADS[@]+"${TRAIN_LOADS[@]}"}; do
		[ -n "$reason" ] || ! lab_gone "$pid" || reason="the load ended before the keys: $(last_word sink)"
	done
	[ ${#TRAIN_LOADS[@]} = 0 ] || lab_stop "${TRAIN_LOADS[@]}"
	train_loaded "$folder"
	[ -z "$tap" ] || lab_stop "$tap"
	exec {go}>&-
	keep_outputs "$folder" keyrepeat prototap sink
	[ -n "$reason" ] || reason=$(held_up "$folder/sink.json")
	[ -n "$reason" ] || [ -s "$folder/keyrepeat.json" ] && [ -s "$folder/samples.tsv" ] ||
		reason=${reason:-$(no_report probe keyrepeat)}
	[ -n "$reason" ] || [ -z "$tap" ] || [ -s "$folder/prototap.json" ] || reason=$(no_report capture prototap)
	[ -n "$reason" ] || [ "$TRACES" = 0 ] || train_traces "$name" "$folder" "$series" ||
		reason="the wire told nothing: $(tail -n 1 "$folder/wire.err")"
	[ "$KEEP" = 1 ] || rm -f "$folder/capture.pcap"
	kills=$(($(lab_memory_kills) - kills))
	[ "$kills" -le 0 ] ||
		reason="the server's memory of $SERVER_MEMORY and its swap were full: the kernel ended $kills of its processes$(
			[ -z "$reason" ] || echo " ($reason)")"
	! lab_lost >/dev/null || reason=$(lab_lost)
	train_write "$name" "$repeat" "$folder" "$series" "$reason" "$before" "$after" "$regime"
	[ -z "$reason" ]
}

# One train for both latency and stalls. An ordinary application that does not answer within a key period gets its keys one at a
# time, further apart; then a second train, at the rate asked for, is measured in folder `stall`. The repeat's own cell.json is
# written last, so that the repeat counts only when both trains are there.
train_run_both() {	# train_run_both SESSION LOAD REPEAT FOLDER
	train_run "$@" latency || return
	train_slowed "$4" || return 0
	mv "$4/cell.json" "$4/cell.json.part"
	stopped || lab_lost >/dev/null || train_run "${@:1:3}" "$4/stall" stall || :
	stopped || lab_lost >/dev/null || mv "$4/cell.json.part" "$4/cell.json"
}
# train_slowed FOLDER
train_slowed() { jq -e '.result.key_period_ms > .settings.period_ms' "$1/keyrepeat.json" >/dev/null 2>&1; }

# Traces for the stages of a key: packets on the link (wire.tsv), and the application's log (echo.tsv). For a train in blocks also
# the latency from the wire alone (wire.json).
train_traces() {	# train_traces SESSION FOLDER SERIES
	local name=$1 folder=$2 log=$RUN/log/echo-$1.tsv first keys how=(--pairing none) status=0
	[ "$3" != wire ] || how=(${SESSION_IDLE[$name]:+--idle "${SESSION_IDLE[$name]}"})
	if [ -s "$folder/capture.pcap" ]; then
		"$TP_BIN/prototap" read "$folder/capture.pcap" --port "${SESSION_PORT[$name]}" --period "${PERIOD_MS}ms" \
			--keys "$folder/samples.tsv" --rows "$folder/wire.tsv" "${how[@]}" --format json \
			-o "$folder/wire.json" 2>"$folder/wire.err" || status=$?
		[ -s "$folder/wire.err" ] || rm -f "$folder/wire.err"
	fi
	if [ "$ECHOES" = 1 ] && lab_get server "$log" "$log" 2>/dev/null && [ -s "$log" ]; then
		read -r first keys < <(awk -F'\t' 'NR == 2 { first = $3 } NR > 1 && $4 { n++ } END { printf "%s %d\n", first, n }' \
			"$folder/samples.tsv")
		wait_until 3 train_echoes_there "$log" "$first" "$keys" || :	# the application writes once a second
		# an application with a backlog is still writing: without the last, incomplete row
		{ cat "$log" && echo '#'; } | awk -F'\t' -v first="$first" '!/#$/ && (NR == 1 || $3 >= first)' >"$folder/echo.tsv"
	fi
	# other trains need no latency from the wire
	[ "$3" != wire ] || [ "$status" = 0 ] || [ "$status" = 3 ]
}

train_echoes_there() {	# LOG FIRST KEYS
	lab_get server "$1" "$1" && awk -F'\t' -v first="$2" -v keys="$3" 'NR > 1 && $3 >= first { n++ } END { exit n < keys }' "$1"
}

# Scheduling group of each competitor, read while they run: display server, application, load. The process that matters is a
# descendant of the one that lab_start has started: the program that answers keys, not its terminal; a sink's child that spins,
# not its parent that waits.
train_regime() {	# train_regime SESSION LOAD
	json_object session "$(regime_of "${SESSION_SERVER[$1]:-}")" app "$(regime_of_child "${SESSION_PID[$1]:-}")" \
		sinks "$(regime_of_child "$2")"
}
regime_of() { [ -z "$1" ] || lab_regime "$1"; }
regime_of_child() {
	local LAB_CHILD
	[ -n "$1" ] || return 0
	lab_child "$1"
	lab_child "$LAB_CHILD"
	lab_regime "$LAB_CHILD"
}

# Compares the actual groups with the regime asked for, and prints a difference; nothing if the kernel has no such groups.
train_mismatch() {
	jq -r --arg asked "$([ "${P[app]-}" = grouped ] && echo grouped || echo "$REGIME")" '
		def group: strings | capture("autogroup=(?<g>/autogroup-[0-9]+)").g? // null;
		def ours: strings | capture("cgroup=(?<g>.*/thinprobe-[0-9a-f]{6}-grouped)$").g? // "no group of the lab";
		if . == null or .sinks == "" then empty
		elif $asked == "grouped" then ([.app, .sinks | ours] as [$a, $b] | select($a != $b or ($a | contains("/") | not))
			| "; load in \($b), vim in \($a): not the group asked for")
		else (.session | group) as $a | (.sinks | group) as $b
		| if $a == null or $b == null or ($a == $b) == ($asked == "session") then empty
			else "; load in group \($b), session in \($a): not the regime asked for" end end' <<<"$1"
}

train_write() {	# train_write SESSION REPEAT FOLDER SERIES REASON CPU-BEFORE CPU-AFTER REGIME; `apart` of the caller: of the client
	local foreign=null steal=null busy=null flags='' probe capture client_foreign=null client_steal=null
	if [ -n "$7" ] || { [ -z "$5" ] && [ "$ON_BACKEND" != attach ]; }; then
		read -r foreign steal busy < <(exp_shares "$6" "$7")
		flags=$(exp_disturbed "$foreign" "$steal")
	fi
	[ -z "${apart[1]-}" ] || read -r client_foreign client_steal _ < <(
		exp_shares "${apart[@]}" "$(machine_cpu_list "$LAB_CPUS_client" | wc -w)")
	probe=$(jq -n 'input | .result.probe_cpu_percent | numbers' "$3/keyrepeat.json" 2>/dev/null)
	capture=$(jq -n 'input | .result.cpu_percent | numbers' "$3/prototap.json" 2>/dev/null)
	cell_write "$3" "$2" "$5" "$flags$(train_mismatch "$8")" "$(json_object parameters "$TRAIN_MORE" series "$4" \
		foreign_percent "$foreign" steal_percent "$steal" server_busy_percent "$busy" \
		client_foreign_percent "$client_foreign" client_steal_percent "$client_steal" probe_cpu_percent "${probe:-null}" \
		capture_cpu_percent "${capture:-null}" regime "$REGIME" autogroup "$8" cost_ms "${SESSION_COST[$1]:-null}" \
		period_ms "$PERIOD_MS")"
}
