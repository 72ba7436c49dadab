# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - schedulers: the same train of keys beside the same load, under one scheduler setting after the other
# (data/schedulers.tsv; families/settings.sh makes them). Sessions are started anew in each setting; settings that this machine does
# not allow are found by trying.
. "$TP_HOME/experiments/families/trains.sh"
. "$TP_HOME/experiments/families/settings.sh"
RATE=20 PERIOD_MS=50 TRACES=0 ECHOES=0

exp_check() {
	local each here=''
	[ "$QUICK" = 0 ] || CHAIN_SECONDS=1
	for each in ${FULL_COSTS//,/ }; do
		if [[ ,$COSTS, == *",$each,"* ]]; then here=1
		elif plan_given full-costs; then exp_bad "--full-costs: $each ms is not among --costs"
		fi
	done
	[ -n "$here" ] || FULL_COSTS=${COSTS%%,*}
	! plan_given length-settings || for each in ${LENGTH_SETTINGS//,/ }; do
		[[ ,$SETTINGS, == *",$each,"* ]] || exp_bad "--length-settings $each: is not among --settings"
	done
}

exp_find() {
	LAB_TAP_IF=''	# no capture: keys and pixels are enough
	# A cell of a sweep tries no other setting.
	[[ $EXP_SWEEP != [0-9]* ]] || SETTINGS=$(jq -r '[.cells[].parameters.setting] | unique | join(",")' "$RUN/run.json")
	exp_step "finds out which scheduler settings work here"
	settings_find
}

# Settings that this machine lacks have no cells.
exp_cells() {
	local protocol name load cost first=${LOADS%%,*}
	for protocol in ${PROTOCOLS//,/ }; do for name in $(settings_here); do
		if [[ ,$PARTS, == *,table,* ]]; then
			for load in ${LOADS//,/ }; do
				printf '%s\t%s\ttable\t%s\tlight\t\n' "$protocol" "$name" "$load"
				for cost in ${COSTS//,/ }; do
					[ "$load" != "$first" ] && [[ ,$FULL_COSTS, != *",$cost,"* ]] ||
						printf '%s\t%s\ttable\t%s\theavy\t%s\n' "$protocol" "$name" "$load" "$cost"
				done
			done
		fi
		[[ ,$PARTS, == *,length,* && ,$LENGTH_SETTINGS, == *",$name,"* ]] || continue
		for cost in ${LENGTHS//,/ }; do printf '%s\t%s\tlength\t%s\theavy\t%s\n' "$protocol" "$name" "$LENGTH_LOAD" \
			"$cost"; done
	done; done
}

exp_words() {
	echo "${P[protocol]}, ${P[setting]}: ${P[sinks]} CPU hogs, ${P[app]}${P[cost_ms]:+ ${P[cost_ms]} ms}$(
		[ "${P[part]}" = table ] || echo " by length")"
}

exp_before_cells() {
	[ ! -t 1 ] || printf '\r\033[K'
	jq -r '.rows[] | select(.here | not) | "not on this machine: \(.setting): \(.why)"' "$RUN/run.json"
	jq -e .chain "$RUN/run.json" >/dev/null || measure_chain
}

exp_session() {
	setting_begin "${P[setting]}" || { LAB_WHY="the setting could not be made: $LAB_WHY"; return 1; }
	APPS=light,heavy sessions_noise "${P[protocol]}"
}
exp_end_session() { setting_end; }

# Sets a key rate so slow that the application alone needs less than 30 % of a CPU. Other costs than the main one get shorter
# trains, since their tail percentiles are not reported.
table_rate() {	# table_rate COST_MS: sets PERIOD_MS SECONDS_EACH TRAIN_SKIP
	if [ "$1" -gt 15 ]; then
		PERIOD_MS=$(($1 * 4))
		[ $((14 * PERIOD_MS)) -le 3000 ] || TRAIN_SKIP=2
	fi
	[[ ,$FULL_COSTS, == *",$1,"* ]] || SECONDS_EACH=3
	SECONDS_EACH=$(awk -v s="$SECONDS_EACH" -v p="$PERIOD_MS" 'BEGIN {
		least = 14 * p / 1000; printf "%.3f", (s > least ? s : least) }')
}

# Sets a key rate so slow that even with fair sharing a redraw ends long before the next key.
length_rate() {	# length_rate COST_MS
	PERIOD_MS=$(($1 * (LENGTH_LOAD + 1) * 3 / 2))
	[ "$PERIOD_MS" -ge 50 ] || PERIOD_MS=50
	TRAIN_SKIP=2
	SECONDS_EACH=$(awk -v p="$PERIOD_MS" -v n="$((LENGTH_KEYS + TRAIN_SKIP))" 'BEGIN { printf "%.3f", n * p / 1000 }')
}

exp_measure() {
	local RATE=$RATE PERIOD_MS=$PERIOD_MS SECONDS_EACH=$SECONDS_EACH TRAIN_SKIP=$TRAIN_SKIP each
	if [ "${P[app]}" = heavy ]; then
		"${P[part]}_rate" "${P[cost_ms]}"
		RATE=$(awk -v p="$PERIOD_MS" 'BEGIN { printf "%.9g", 1000 / p }')
		heavy_costs "${P[cost_ms]}"
	fi
	train_run_both "$(session_name "${P[protocol]}" "${P[app]}")" "${P[sinks]}" "$2" "$3" || :
	[ -e "$3/cell.json" ] || return
	# Excludes cells whose setting was not in force in either train.
	for each in "$3" "$3/stall"; do
		[ ! -e "$each/cell.json" ] || jq 'if .marked | contains("not the setting asked for") then
			.state = "failed" | .reason = .marked else . end' "$each/cell.json" | put_json "$each/cell.json"
	done
}
