#!/usr/bin/env bash
# figure: Wong & Seltzer 2000, Figures 3 and 4: echo of a repeated key against CPU load (stalls, jitter), and latency
# minutes: 30 (demo: 3)
# needs: two CPUs, a display protocol
# wrong if: without load fewer than 20 updates a second come, or the heavy application's stall is far off cost x (sinks + 1) - period
#
# Two sessions, each with its application, stay up for the whole run; for every cell the sinks come, a train of keys is
# injected and watched on the client while the capture runs on the server's link, and the sinks go.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

: "${TP_HOME:=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${TP_BIN:=$TP_HOME/bin}"
: "${TP_CHECKOUT:=1}"
export TP_HOME TP_BIN

EXPERIMENT=stalls
EXPERIMENT_SAYS="How late, and how unevenly, does the echo of a key come beside N processes that want all the CPU they can get?"
RATE=20 PERIOD_MS=50 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"

exp_demo() {
	LOADS=0,5,10,20 SECONDS_EACH=5 REPEATS=3 QUICK=1 IDLE_SECONDS=12
}

declare -A SESSION_DISPLAY SESSION_TARGET SESSION_PORT SESSION_WATCH SESSION_NOISE SESSION_COST SESSION_PID SESSION_SERVER

use_app() {	# the plug-in of an application: light is vim, heavy is refecho
	case $1 in
	light) app_use vim ;;
	heavy) app_use refecho ;;
	esac
}

start_sessions() {
	local app
	for app in ${APPS//,/ }; do
		protocol_start "$app"
		SESSION_TARGET[$app]=$PROTOCOL_TARGET SESSION_PORT[$app]=$PROTOCOL_PORT SESSION_DISPLAY[$app]=$PROTOCOL_DISPLAY
		SESSION_SERVER[$app]=$PROTOCOL_PIDS
		SESSION_WATCH[$app]=patch SESSION_COST[$app]='' SESSION_PID[$app]=''
		if [ -z "$PROTOCOL_DISPLAY" ]; then	# it answers keys itself, at the same cost if it is a process of its own
			SESSION_PID[$app]=$PROTOCOL_PIDS
			SESSION_COST[$app]=${PROTOCOL_PIDS:+$COST_MS}
			continue
		fi
		use_app "$app"
		app_start "$PROTOCOL_DISPLAY"
		SESSION_WATCH[$app]=$(app_watch)
		SESSION_PID[$app]=$APP_PID
		[ "$app" != heavy ] || SESSION_COST[$app]=$COST_MS
	done
}

# What comes without a key: a caret that blinks, a clock. Per application, one key-free window.
measure_idle() {
	local app seconds=$1 pids=()
	for app in ${APPS//,/ }; do
		lab_start client "idle-$app" "$TP_BIN/keyrepeat" "${SESSION_TARGET[$app]}" --rate 0 -t "${seconds}s" --watch update --format json
		pids+=("$LAB_PID")
	done
	for app in ${APPS//,/ }; do
		lab_wait "${pids[0]}" || warn "idle noise of $app: not measured; see $RUN/log/idle-$app.err"
		pids=("${pids[@]:1}")
		SESSION_NOISE[$app]=$(jq -r '.result.unsolicited_per_s // 0' "$RUN/log/idle-$app.out" 2>/dev/null || echo 0)
		run_set '.idle[$app] = {updates: $n, seconds: $s}' --arg app "$app" --argjson s "$seconds" \
			--argjson n "$(jq '.result.updates // null' "$RUN/log/idle-$app.out" 2>/dev/null || echo null)"
	done
}

# What the measuring chain itself costs: the same train to a target that answers at once, the same capture beside it.
measure_chain() {
	local probe tap
	lab_start -C server chain-prototap "$TP_BIN/prototap" live -i "$LAB_IF_server" --port 1 --format json
	tap=$LAB_PID
	lab_ready chain-prototap 10 || { warn "the capture does not start: $(tail -n 1 "$LAB_LOG/chain-prototap.err")"; return 0; }
	lab_start client chain-keyrepeat "$TP_BIN/keyrepeat" null: --priority 20 --rate "$RATE" -t 3s --schedule jittered --watch patch --format json
	probe=$LAB_PID
	lab_wait "$probe" || warn "the null train failed; see $RUN/log/chain-keyrepeat.err"
	lab_stop "$tap"
	run_set '.chain = {latency_p50_ms: $k[0].result.latency_from_due_ms.p50, latency_p99_ms: $k[0].result.latency_from_due_ms.p99,
		latency_max_ms: $k[0].result.latency_from_due_ms.max, lateness_p99_us: $k[0].result.lateness_us.p99, lateness_max_us: $k[0].result.lateness_us.max,
		probe_cpu_percent: $k[0].result.probe_cpu_percent, capture_cpu_percent: $p[0].result.cpu_percent}' \
		--slurpfile k "$LAB_LOG/chain-keyrepeat.out" --slurpfile p "$LAB_LOG/chain-prototap.out"
}

# Every train finds its application alike.
reset_app() {
	[ -n "${SESSION_DISPLAY[$1]}" ] || return 0
	use_app "$1"
	APP_DISPLAY=${SESSION_DISPLAY[$1]} app_reset
}

# One train in one folder: capture, sinks, keys. Leaves the raw outputs and cell.json there.
run_train() {	# run_train APP LOAD REPEAT FOLDER SERIES
	local app=$1 load=$2 repeat=$3 folder=$4 series=$5
	local probe tap='' sinks='' go before='' after='' status reason='' regime=null schedule=jittered keep=() start=()
	local LAB_LOG=$folder
	[ "$series" = latency ] || schedule=periodic
	[ "$KEEP" = 0 ] || keep=(-w "$folder/capture.pcap")
	[ "$REGIME" = session ] || start=(-S)
	mkdir -p "$folder"
	reset_app "$app" || reason="the application could not be made as it was"
	open_pipe go
	lab_start -i "$go" client keyrepeat "$TP_BIN/keyrepeat" "${SESSION_TARGET[$app]}" --rate "$RATE" -t "${SECONDS_EACH}s" \
		--schedule "$schedule" --seed "$((SEED * 1000 + repeat))" --watch "${SESSION_WATCH[$app]}" --noise "${SESSION_NOISE[$app]:-0}" \
		--threshold "${THRESHOLD_MS}ms" --priority 20 --hold-start --log "$folder/samples.tsv" --format json
	probe=$LAB_PID
	[ -n "$reason" ] || lab_ready keyrepeat 20 || reason="the probe did not connect: $(tail -n 1 "$folder/keyrepeat.err")"
	if [ -z "$reason" ] && [ -n "${SESSION_PORT[$app]}" ]; then
		lab_start -C server prototap "$TP_BIN/prototap" live -i "$LAB_IF_server" --port "${SESSION_PORT[$app]}" --period "${PERIOD_MS}ms" \
			${keep[@]+"${keep[@]}"} --format json
		tap=$LAB_PID
		lab_ready prototap 10 || reason="the capture did not start: $(tail -n 1 "$folder/prototap.err")"
	fi
	if [ -z "$reason" ] && [ "$load" -gt 0 ]; then
		lab_start ${start[@]+"${start[@]}"} server sink "$TP_BIN/sink" -n "$load" --format json
		sinks=$LAB_PID
		lab_ready sink 30 || reason="the load did not start: $(tail -n 1 "$folder/sink.err")"
	fi
	[ -z "$EXP_STOPPED" ] || reason="interrupted"
	if [ -z "$reason" ]; then
		before=$(lab_cpu server)
		echo go >&"$go"
		lab_wait "$probe"
		status=$?
		# a signal ends the wait, not the probe: it has got the signal too, and reports
		[ "$status" -le 128 ] || { lab_stop "$probe"; status=130; }
		after=$(lab_cpu server)
		case $status in 0 | 3) ;; 130) reason="interrupted" ;; *) reason=$(tail -n 1 "$folder/keyrepeat.err") ;; esac
		regime=$(train_regime "$app" "$sinks")
	else
		lab_stop "$probe"
	fi
	[ -z "$sinks" ] || lab_stop "$sinks"
	[ -z "$tap" ] || lab_stop "$tap"
	exec {go}>&-
	local name
	for name in keyrepeat prototap sink; do
		[ ! -s "$folder/$name.out" ] || mv "$folder/$name.out" "$folder/$name.json"
		rm -f "$folder/$name.out"
		[ -s "$folder/$name.err" ] && ! printf 'ready\n' | cmp -s - "$folder/$name.err" || rm -f "$folder/$name.err"
	done
	[ -n "$reason" ] || [ -s "$folder/keyrepeat.json" ] || reason="the probe left no report"
	write_cell "$app" "$load" "$repeat" "$folder" "$series" "$reason" "$before" "$after" "$regime"
	[ -z "$reason" ]
}

regime_of() {	# of what lab_start has started; nothing for what there is not
	[ -z "$1" ] || lab_regime "$1"
}

regime_of_app() {	# of the program that answers keys: what runs in a terminal, not the terminal
	local LAB_CHILD
	[ -n "$1" ] || return 0
	lab_child "$1"
	lab_child "$LAB_CHILD"
	lab_regime "$LAB_CHILD"
}

# Who competes in which scheduling group, read while they run: the display server, the application, the load.
train_regime() {
	local app=$1 sinks=$2
	jq -n --arg session "$(regime_of "${SESSION_SERVER[$app]:-}")" --arg app "$(regime_of_app "${SESSION_PID[$app]:-}")" \
		--arg sinks "$(regime_of "$sinks")" '{session: $session, app: $app, sinks: $sinks}'
}

# The groups that ran, held against the regime that was asked for; nothing where the kernel has no such groups.
regime_mismatch() {
	jq -r --arg asked "$REGIME" 'def group: capture("autogroup=(?<g>/autogroup-[0-9]+)").g? // null;
		if . == null then empty else (.session | group) as $a | (.sinks | group) as $b
		| if $a == null or $b == null or ($a == $b) == ($asked == "session") then empty else "; load in group \($b), session in \($a): not the regime asked for" end end' <<<"$1"
}

write_cell() {
	local app=$1 load=$2 repeat=$3 folder=$4 series=$5 reason=$6 regime=$9
	local before after foreign=null steal=null busy=null marked=''
	read -ra before <<<"$7"
	read -ra after <<<"$8"
	if [ "${#after[@]}" = 4 ]; then	# now busy steal own, in ns
		read -r foreign steal busy < <(awk -v cpus="$LAB_NCPU_server" -v a="$7" -v b="$8" 'BEGIN {
			split(a, x, " "); split(b, y, " "); wall = (y[1] - x[1]) * cpus
			foreign = (y[2] - x[2]) - (y[4] - x[4]); if (foreign < 0) foreign = 0
			printf "%.2f %.2f %.2f\n", 100 * foreign / wall, 100 * (y[3] - x[3]) / wall, 100 * (y[2] - x[2]) / wall }')
		if awk -v f="$foreign" -v s="$steal" -v l="$FOREIGN_LIMIT" 'BEGIN { exit !(f + s > l) }'; then
			marked="foreign CPU time $foreign %, stolen $steal %: over $FOREIGN_LIMIT %"
		fi
	fi
	marked+=$(regime_mismatch "$regime")
	marked=${marked#; }
	jq -n --arg protocol "$PROTOCOL" --arg app "$app" --argjson sinks "$load" --argjson repeat "$repeat" --arg series "$series" --arg reason "$reason" \
		--argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" --arg marked "$marked" --argjson regime "$regime" \
		--arg asked "$REGIME" --argjson cost "${SESSION_COST[$app]:-null}" --argjson period "$PERIOD_MS" \
		--argjson probe "$(jq '.result.probe_cpu_percent // null' "$folder/keyrepeat.json" 2>/dev/null || echo null)" \
		--argjson capture "$(jq '.result.cpu_percent // null' "$folder/prototap.json" 2>/dev/null || echo null)" '
		{schema: "thinprobe.cell/1", parameters: {protocol: $protocol, app: $app, sinks: $sinks}, repeat: $repeat, series: $series,
		state: (if $reason == "" then "complete" else "failed" end), reason: $reason, foreign_percent: $foreign, steal_percent: $steal,
		server_busy_percent: $busy, marked: $marked, probe_cpu_percent: $probe, capture_cpu_percent: $capture,
		regime: $asked, autogroup: $regime, cost_ms: $cost, period_ms: $period}' | put_json "$folder/cell.json"
}

exp_cell() {	# exp_cell APP LOAD REPEAT FOLDER
	# The stall series goes first: the cell counts as there once cell.json of the latency series is.
	if [ "$QUICK" = 0 ] && [ -z "$EXP_STOPPED" ]; then
		run_train "$1" "$2" "$3" "$4/stall" stall || warn "$1, $2 sinks, repeat $3: $(jq -r .reason "$4/stall/cell.json")"
	fi
	[ -z "$EXP_STOPPED" ] || return 1
	run_train "$1" "$2" "$3" "$4" latency || warn "$1, $2 sinks, repeat $3: $(jq -r .reason "$4/cell.json")"
}

# Levers that this machine does not give, each with what that does to the figures.
missing_levers() {
	local lever
	for lever in pin shape autogroup rt; do
		case $lever in
		pin) lab_can server pin || echo "CPUs of their own for server and client: they share them, so load on the server starves the probe" ;;
		shape) [ "$LINK" = none ] || lab_can server shape || echo "link rate: this kernel does not shape, the link is as fast as memory" ;;
		autogroup) [ -e /proc/sys/kernel/sched_autogroup_enabled ] || echo "scheduling groups of sessions: no autogroup in this kernel" ;;
		rt) lab_can client rt || echo "real-time priority for the probe: not allowed here, so the tails hold its own delays too (as root it is)" ;;
		esac
	done | jq -R . | jq -s .
}

say_lab() {
	local link=$LINK
	[ "$LINK" != none ] || link="not shaped"
	[ ! -t 1 ] || printf '\r\033[K'
	echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, link ${link/Mbit/ Mbit/s}, $(jq -r '.protocol | .says // .server' "$RUN/run.json")"
	[ "$LAB_SHARED_CPUS" = 0 ] || echo "warning: server and client share CPUs: load on the server starves the probe; figures are upper bounds"
	jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
}

# None in W seconds: fewer than 3/W a second, at 95 %.
say_probe() {
	[ ! -t 1 ] || printf '\r\033[K'
	jq -r 'def n: if . == null then "?" else . end;
		"probe: \(.chain.latency_p50_ms | n) ms and \(.chain.probe_cpu_percent | n) % of a CPU by itself, keys at most \(.chain.lateness_max_us | n) us late   idle noise: "
		+ ([.idle // {} | to_entries[] | "\(.key) \(.value.updates | n) updates in \(.value.seconds) s" + (if .value.updates == 0 then " (below \(300 / .value.seconds | round / 100)/s)" else "" end)] | join(", "))
		+ "   regime: \(if .settings.regime == "session" then "load in the group of the session" else "load is another login" end)"' "$RUN/run.json"
}

exp_options "$@"
exp_folder
APP_COST=${COST_MS}ms APP_OPTIONS=(--cost-per "$COST_PER")
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=${LINK%%,*} LAB_DELAY=''
case $LINK in *,*) LAB_DELAY=${LINK#*,} ;; esac
lab_use local
why=$(protocol_can) || die "-$EXIT_MISSING" "$PROTOCOL cannot run here: $why"
exp_step "two hosts and their sessions"
lab_up
LAB_NCPU_server=$(lab_exec server nproc)
start_sessions
exp_circumstances "$(facts_json)" "$(protocol_settings)" \
	"$(jq -n --arg s "$LAB_CPUS_server" --arg c "$LAB_CPUS_client" --arg r "$LINK" --argjson shared "$LAB_SHARED_CPUS" --argjson rootless "$LAB_ROOTLESS" --argjson missing "$(missing_levers)" \
		'{cpus_server: $s, cpus_client: $c, rate: $r, shared_cpus: ($shared == 1), rootless: ($rootless == 1), missing: $missing}')"
say_lab
exp_step "what the measuring costs by itself, 3 s"
measure_chain
exp_step "idle noise, $IDLE_SECONDS s without keys"
measure_idle "$IDLE_SECONDS"
say_probe
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(facts_json)"
protocol_stop
lab_down
exp_end
