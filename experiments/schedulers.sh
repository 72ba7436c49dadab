#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: what a scheduler can do about stalls: latency by setting with its price; latency by length of the operation
# minutes: 60 (with --quick 6)
# needs: two CPUs, VNC; as root also groups, real-time and the autogroup switch
# wrong if: by default a redraw beside N sinks takes far less than cost x (N + 1), or a group of ten times the weight does not help
#
# One train of keys beside a fixed load, again and again: the same session under one setting of the scheduler after the other
# (data/schedulers.tsv; settings.sh makes them). Sessions are made anew for each setting, in it; what this machine does not let us set is found
# by trying.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, train.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=schedulers
EXPERIMENT_SAYS="What can a scheduler do about stalls: which settings keep the echo of a key early beside a load, and what do they cost the load?"
RATE=20 PERIOD_MS=50 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/train.sh"
. "$TP_HOME/experiments/settings.sh"
LOADS=10,20 SECONDS_EACH=3.6 REPEATS=3 IDLE_SECONDS=12 EXP_AGAIN_PART=9
COSTS=5,10,30,100 SETTINGS='' PARTS=table,length
# Costs other than these are tried beside the first load only.
FULL_COSTS=10
# The second figure: operations of these lengths, in ms of CPU, beside so many sinks, under these settings.
LENGTHS=1,2,5,10,20,50,100,200,500 LENGTH_LOAD=5 LENGTH_KEYS=12 LENGTH_SETTINGS=default,other-login,nice-10,idle,weight-10-1,cpu-idle

exp_usage() {
	cat <<END
usage: thinprobe run schedulers [--settings S,...] [--parts table,length] [--protocol P] [--loads L,...] [--costs MS,...]
         [--seconds S] [--repeat R] [--quick] [--idle S] [--seed N] [--link RATE[,DELAY[,JITTER[,LOSS%]]]] [--queue TIME]
         [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --settings S,...  only these rows of the table, and default (all: --settings list names them)
  --parts P,...     table: every setting; length: latency over the length of the operation ($PARTS)
  --protocol P      display protocol ($PROTOCOL)
  --loads L,...     numbers of sinks beside the session ($LOADS)
  --costs MS,...    CPU time of a redraw of the heavy application; those but $FULL_COSTS ms beside the first load only ($COSTS)
  --seconds S       length of a train of keys; those of other costs than $FULL_COSTS ms have 3 s, or 14 keys ($SECONDS_EACH)
  --repeat R        repeats of the table, interleaved in random order; the figure by length has one ($REPEATS)
  --quick           each row once, light and 10 ms at the first load, 3 s a train; three lengths
  --idle S          length of the key-free window for idle noise ($IDLE_SECONDS)
  --seed N          of the random order and of the jitter ($SEED)
$(exp_usage_link)
$(exp_usage_memory)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/schedulers/<time>)
END
}

schedulers_options() {
	local name item
	exp_parse "--quick QUICK" "--settings SETTINGS --parts PARTS --protocol PROTOCOL --loads LOADS --costs COSTS --seconds SECONDS_EACH --repeat REPEATS --idle IDLE_SECONDS --seed SEED --link LINK --queue QUEUE" "$@"
	if [ "$SETTINGS" = list ]; then
		for name in "${SETTING_NAMES[@]}"; do printf '%-16s %s\n' "$name" "${SAYS[$name]}"; done
		exit 0
	fi
	if [ "$QUICK" = 1 ]; then
		exp_given --seconds || SECONDS_EACH=3
		exp_given --repeat || REPEATS=1
		exp_given --loads || LOADS=10
		exp_given --costs || COSTS=10
		exp_given --idle || IDLE_SECONDS=4
		LENGTHS=2,10,50 LENGTH_KEYS=8 CHAIN_SECONDS=1
	fi
	exp_resume
	[ -n "$SETTINGS" ] || SETTINGS=$(IFS=,; echo "${SETTING_NAMES[*]}")
	exp_list --settings "$SETTINGS"
	[[ ,$SETTINGS, == *,default,* ]] || SETTINGS=default,$SETTINGS	# all others are held against it
	for item in ${SETTINGS//,/ }; do [ -n "${SAYS[$item]+there}" ] || exp_bad "--settings $item: no such setting; --settings list names them"; done
	exp_list --parts "$PARTS"
	for item in ${PARTS//,/ }; do case $item in table | length) ;; *) exp_bad "--parts $item: table or length" ;; esac; done
	exp_list --loads "$LOADS"
	for item in ${LOADS//,/ }; do exp_number --loads "$item" 1 200; done
	exp_list --costs "$COSTS"
	for item in ${COSTS//,/ }; do exp_number --costs "$item" 1 1000; done
	[[ $SECONDS_EACH =~ ^[1-9][0-9]{0,3}(\.[0-9]{1,3})?$ ]] || exp_bad "--seconds $SECONDS_EACH: from 1 to 9999, such as 3.6"
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --idle "$IDLE_SECONDS" 1 3600
	exp_number --seed "$SEED" 0 2000000
	case $PROTOCOL in *,*) exp_bad "--protocol $PROTOCOL: one protocol a run" ;; esac
	exp_protocol "$PROTOCOL"
	exp_check_link
	protocol_use "$PROTOCOL"
	[ "$(protocol_kind)" = display ] || exp_bad "--protocol $PROTOCOL: applications must run in its sessions"
	APPS=light,heavy
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	jq -cn --arg protocol "$PROTOCOL" --arg settings "$SETTINGS" --arg parts "$PARTS" --argjson loads "[$LOADS]" --argjson costs "[$COSTS]" --argjson full "[$FULL_COSTS]" \
		--argjson seconds "$SECONDS_EACH" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson idle "$IDLE_SECONDS" --argjson quick "$QUICK" \
		--argjson threshold "$THRESHOLD_MS" --argjson rate "$RATE" --arg link "$LINK" --argjson lengths "[$LENGTHS]" --argjson load "$LENGTH_LOAD" --argjson keys "$LENGTH_KEYS" '
		{protocol: $protocol, settings: ($settings | split(",")), parts: ($parts | split(",")), apps: ["light", "heavy"], loads: $loads, costs_ms: $costs, full_costs_ms: $full,
		seconds: $seconds, repeats: $repeats, rate_per_s: $rate, schedule: "jittered", cost_per: "redraw", seed: $seed, idle_seconds: $idle, quick: ($quick == 1),
		threshold_ms: $threshold, link: $link, on: "lab", length: {lengths_ms: $lengths, sinks: $load, keys: $keys}}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL=\(.protocol) SETTINGS=\(.settings | join(",")) PARTS=\(.parts | join(",")) LOADS=\(.loads | map(tostring) | join(","))
		COSTS=\(.costs_ms | map(tostring) | join(",")) FULL_COSTS=\(.full_costs_ms | map(tostring) | join(",")) SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring)
		SEED=\(.seed | tostring) IDLE_SECONDS=\(.idle_seconds | tostring) QUICK=\(if .quick then "1" else "0" end) LINK=\(.link // "100Mbit")
		LENGTHS=\(.length.lengths_ms | map(tostring) | join(",")) LENGTH_LOAD=\(.length.sinks | tostring) LENGTH_KEYS=\(.length.keys | tostring)"' "$RESUME/run.json")"
	# What was found not to be here then is no cell of this run.
	eval "$(jq -r '.rows // [] | .[] | select(.here | not) | @sh "NOT_HERE[\(.setting)]=\(.why)"' "$RESUME/run.json")"
}

# Cells: SETTING.light, SETTING.heavy-MS, SETTING.length-MS beside a load -----------------------------------------

# What this machine does not give has no cells.
here() {
	local name
	for name in ${SETTINGS//,/ }; do [ -n "${NOT_HERE[$name]+not}" ] || echo "$name"; done
}

cells_of() {	# cells_of SETTING REPEAT
	local load cost first=${LOADS%%,*}
	if [[ ,$PARTS, == *,table,* ]]; then
		for load in ${LOADS//,/ }; do
			echo "$1.light $load $2"
			for cost in ${COSTS//,/ }; do
				[ "$load" != "$first" ] && [[ ,$FULL_COSTS, != *",$cost,"* ]] || echo "$1.heavy-$cost $load $2"
			done
		done
	fi
	if [[ ,$PARTS, == *,length,* ]] && [ "$2" = 1 ] && [[ ,$LENGTH_SETTINGS, == *",$1,"* ]]; then
		for cost in ${LENGTHS//,/ }; do echo "$1.length-$cost $LENGTH_LOAD $2"; done
	fi
}

# Within a repeat the settings in random order, and within a setting its cells: sessions are made once for all of these.
exp_order() {
	local repeat name n=0
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for name in $(here | shuffled "$((SEED * 1000 + repeat))"); do
			cells_of "$name" "$repeat" | shuffled "$((SEED * 1000 + repeat + 7 * ++n))"
		done
	done
}

exp_trains() { printf '%s\n' "$1/cell.json"; }

exp_words() {
	local app=${2##*.}
	echo "${2%.*}: $1 sinks, ${app/-/ }$([ "$app" = light ] || echo ' ms')"
}

# Keys so slow that the application alone stays below 30 % of a CPU. What is beside the main cost needs no tails: shorter trains.
table_rate() {	# table_rate COST_MS: sets RATE PERIOD_MS SECONDS_EACH TRAIN_SKIP
	if [ "$1" -gt 15 ]; then
		PERIOD_MS=$(($1 * 4))
		RATE=$(awk -v p="$PERIOD_MS" 'BEGIN { printf "%.9g", 1000 / p }')
		[ $((14 * PERIOD_MS)) -le 3000 ] || TRAIN_SKIP=2
	fi
	[[ ,$FULL_COSTS, == *",$1,"* ]] || SECONDS_EACH=3
	SECONDS_EACH=$(awk -v s="$SECONDS_EACH" -v p="$PERIOD_MS" 'BEGIN { least = 14 * p / 1000; printf "%.3f", (s > least ? s : least) }')
}

# Keys so slow that even fair sharing is done long before the next.
length_rate() {	# length_rate COST_MS
	PERIOD_MS=$(($1 * (LENGTH_LOAD + 1) * 3 / 2))
	[ "$PERIOD_MS" -ge 50 ] || PERIOD_MS=50
	RATE=$(awk -v p="$PERIOD_MS" 'BEGIN { printf "%.9g", 1000 / p }')
	TRAIN_SKIP=2
	SECONDS_EACH=$(awk -v p="$PERIOD_MS" -v n="$((LENGTH_KEYS + TRAIN_SKIP))" 'BEGIN { printf "%.3f", n * p / 1000 }')
}

exp_cell() {	# exp_cell SETTING.KIND LOAD REPEAT FOLDER
	local setting=${1%.*} kind=${1##*.} app=heavy part=table cost=''
	local RATE=$RATE PERIOD_MS=$PERIOD_MS SECONDS_EACH=$SECONDS_EACH TRAIN_SKIP=$TRAIN_SKIP TRAIN_PARAMETERS
	case $kind in
	light) app=light ;;
	heavy-*) cost=${kind#heavy-}; table_rate "$cost" ;;
	length-*) cost=${kind#length-} part=length; length_rate "$cost" ;;
	esac
	TRAIN_PARAMETERS=$(jq -cn --arg setting "$setting" --arg part "$part" --argjson cost "${cost:-null}" '{setting: $setting, part: $part, cost_ms: $cost}')
	setting_begin "$setting" "$3" || { cell_failed "$app" "$2" "$3" "$4" "the setting could not be made: $LAB_WHY"; return; }
	[ "$app" = light ] || heavy_costs "$cost"
	run_train "$app" "$2" "$3" "$4" latency
	# What did not run under its setting is no figure of it.
	jq 'if .marked | contains("not the setting asked for") then .state = "failed" | .reason = .marked else . end' "$4/cell.json" | put_json "$4/cell.json"
	[ "$(jq -r .state "$4/cell.json")" = complete ] || warn "$(exp_words "$2" "$1"), repeat $3: $(jq -r .reason "$4/cell.json")"
}

cell_failed() {	# cell_failed APP LOAD REPEAT FOLDER WHY
	jq -n --argjson more "$TRAIN_PARAMETERS" --arg protocol "$PROTOCOL" --arg app "$1" --argjson sinks "$2" --argjson repeat "$3" --arg why "$5" \
		'{schema: "thinprobe.cell/1", parameters: ({protocol: $protocol, app: $app, sinks: $sinks} + $more), repeat: $repeat, series: "latency", state: "failed", reason: $why, marked: ""}' |
		put_json "$4/cell.json"
	warn "$5"
}

schedulers_options "$@"
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log
ON_BACKEND=local TRACES=0 ECHOES=0 WIRE=0 KEEP=0
lab_use local
exp_step "two hosts"
lab_up
why=$(protocol_can) || die "-$EXIT_MISSING" "$PROTOCOL cannot run here: $why"
LAB_NCPU_server=$(lab_exec server nproc)
LAB_TAP_IF=''	# keys and pixels are all that is asked
exp_circumstances "$(lab_facts)" "$(protocol_settings)" "$(exp_lab "$(missing_levers | jq 'map(select(startswith("capture") | not))')")"
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, link ${LINK/Mbit/ Mbit/s}, $(jq -r '.protocol | .says // .server' "$RUN/run.json")"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_step "which settings this machine has"
find_settings
[ ! -t 1 ] || printf '\r\033[K'
jq -r '.rows[] | select(.here | not) | "not on this machine: \(.setting): \(.why)"' "$RUN/run.json"
exp_step "what the measuring costs by itself, $CHAIN_SECONDS s"
jq -e .chain "$RUN/run.json" >/dev/null || measure_chain
exp_step "idle noise, $IDLE_SECONDS s without keys"
read -r first _ repeat < <(exp_order)	# its sessions serve the first cells as well
setting_begin "${first%.*}" "$repeat" || die "the sessions could not be made: $LAB_WHY"
measure_idle "$IDLE_SECONDS"
exp_cells_run
setting_end
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
