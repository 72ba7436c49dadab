#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, Figures 3 and 4: echo of a repeated key against CPU load (stalls, jitter), and latency
# minutes: 30 (demo: 3)
# needs: two CPUs, a display protocol
# wrong if: without load fewer than 20 updates a second come, or the heavy application's stall is far off cost x (sinks + 1) - period
#
# Two sessions, each with its application, stay up for the whole run; for every cell the sinks come, a train of keys is
# injected and watched on the client while the capture runs on the server's link, and the sinks go.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=stalls
EXPERIMENT_SAYS="How late, and how unevenly, does the echo of a key come beside N processes that want all the CPU they can get?"
RATE=20 PERIOD_MS=50 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/train.sh"

exp_demo() {
	LOADS=0,5,10,20 SECONDS_EACH=5 REPEATS=3 QUICK=1
}

choose_traces() {
	[ "$ON_BACKEND" != local ] || return 0
	ECHOES=0 TRACES=$WIRE
	[ "$WIRE" = 0 ] || [ "${LAB_TAP[0]-}" = client ] ||
		die "--wire needs a capture at the client, where keys and packets have one clock; it cannot capture: as root it can, or with an installed prototap that has cap_net_raw"
}

exp_cell() {	# exp_cell APP LOAD REPEAT FOLDER
	# The latency series goes last: the cell counts as there once its cell.json is.
	if [ "$QUICK" = 0 ] && ! stopped; then
		run_train "$1" "$2" "$3" "$4/stall" stall || warn "$1, $2 sinks, repeat $3: $(jq -r .reason "$4/stall/cell.json")"
	fi
	if [ "$WIRE" = 1 ] && ! stopped && ! lab_lost >/dev/null; then
		run_train "$1" "$2" "$3" "$4/wire" wire || warn "$1, $2 sinks, repeat $3: $(jq -r .reason "$4/wire/cell.json")"
	fi
	! stopped && ! lab_lost >/dev/null || return 1
	run_train "$1" "$2" "$3" "$4" latency || warn "$1, $2 sinks, repeat $3: $(jq -r .reason "$4/cell.json")"
}

say_lab() {
	local link=$LINK
	[ "$LINK" != none ] || link="not shaped"
	[ ! -t 1 ] || printf '\r\033[K'
	[ "$ON_BACKEND" = attach ] && attach_says ||
		echo "lab: server${LAB_AT_server-} on CPU $LAB_CPUS_server${LAB_MEMORY_GROUP:+ with $SERVER_MEMORY of memory and swap $LAB_SWAP_KIND}, client${LAB_AT_client-} on CPU $LAB_CPUS_client, link ${link/Mbit/ Mbit/s}, $(jq -r '.protocol | .says // .server' "$RUN/run.json")"
	jq -r -L "$TP_HOME/report" 'include "lib"; {run: .} | shared_words | values | "warning: " + .' "$RUN/run.json"
	jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
}

# None in W seconds: fewer than 3/W a second, at 95 %.
say_probe() {
	[ ! -t 1 ] || printf '\r\033[K'
	jq -r -L "$TP_HOME/report" 'include "lib"; def n: if . == null then "?" else . end;
		({run: .} | not_calibrated as $not | calibrated as $c | if $c != null then "own error ± \($c.error_ms | number) ms from pixels (calibrated \($c | calibration_date))\($c | calibration_marks); "
			elif calibration_path != null then "\($not); " else "" end) as $own
		| "probe: \($own)by itself \(.chain.latency_p50_ms | n) ms and \(.chain.probe_cpu_percent | n) % of a CPU, keys at most \(.chain.lateness_max_us | n) us late",
		"idle noise: "
		+ ([.idle // {} | to_entries[] | "\(.key) \(.value.updates | n) updates in \(.value.seconds) s" + (if .value.updates == 0 then " (below \(300 / .value.seconds | round / 100)/s)" else "" end)] | join(", "))
		+ (if .settings.on | startswith("attach:") then "" else "   regime: \(if .settings.regime == "session" then "load in the group of the session" else "load is another login" end)" end)' "$RUN/run.json"
}

exp_options "$@"
exp_folder
APP_COST=${COST_MS}ms
export LAB_RUN=$RUN LAB_LOG=$RUN/log
lab_use "$ON_BACKEND" "$ON_ARGS"
exp_step "two hosts and their sessions"
lab_up
why=$(protocol_can) || die "-$EXIT_MISSING" "$PROTOCOL cannot run here: $why"
[ "$ON_BACKEND" = attach ] || LAB_NCPU_server=$(lab_exec server nproc)
choose_traces
for app in ${APPS//,/ }; do start_session "$app"; done
exp_circumstances "$(lab_facts)" "$(protocol_settings)" "$(exp_lab "$(missing_levers)")"
exp_clocks before
say_lab
[ "${SECONDS_EACH%.*}" -ge "$CHAIN_SECONDS" ] || CHAIN_SECONDS=$SECONDS_EACH	# a train like the others
exp_step "what the measuring costs by itself, $CHAIN_SECONDS s"
measure_chain
exp_step "idle noise, $IDLE_SECONDS s without keys"
measure_idle "$IDLE_SECONDS"
say_probe
exp_cells_run
exp_clocks after
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
protocol_stop
lab_down
exp_end
