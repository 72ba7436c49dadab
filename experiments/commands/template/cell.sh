# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - NAME: a session for each application stays up for the whole run; each cell is one train of keys into one of them.
. "$TP_HOME/experiments/families/trains.sh"
RATE=20 PERIOD_MS=50

exp_words() { echo "${P[app]} over ${P[protocol]}"; }

exp_begin() {
	local app
	for app in ${APPS//,/ }; do must session_start "$app" "$PROTOCOL" "$app"; done
}

exp_measure() {	# CELL REPEAT FOLDER; the values of the cell's parameters are in P
	train_run "${P[app]}" 0 "$2" "$3" latency
}
