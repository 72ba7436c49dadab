# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - hold: a session for each application stays up for the whole run; each cell is one periodic train into one of
# them, typed key by key or with the key held down, beside a number of CPU hogs.
. "$TP_HOME/experiments/engine/trains.sh"
RATE=20 PERIOD_MS=50 ECHOES=0 TRACES=0

exp_words() { echo "${P[mode]}, ${P[sinks]} sinks, ${P[app]}"; }

exp_begin() {
	local app
	for app in ${APPS//,/ }; do session_start "$app" "$PROTOCOL" "$app"; done
}

exp_measure() {
	local TRAIN_MODE=${P[mode]}
	train_run "${P[app]}" "${P[sinks]}" "$2" "$3" stall
}
