# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - hold: a session for each application; each cell is one periodic train into one of them, typed key by key or with the
# key held down, beside a number of CPU hogs. Of several protocols only one has its sessions up at a time.
. "$TP_HOME/experiments/engine/trains.sh"
. "$TP_HOME/experiments/engine/set_load.sh"
RATE=20 PERIOD_MS=50 ECHOES=0 TRACES=0

exp_check() { load_check sinks; }
exp_cells() { sessions_cells; }
exp_words() {
	[ "$ON_BACKEND" = attach ] && echo "${P[mode]}, load ${P[sinks]}" ||
		echo "${P[protocol]}, ${P[mode]}, ${P[sinks]} sinks, ${P[app]}"
}

exp_begin() {
	sessions_begin
	load_begin
}
exp_session() { sessions_of "${P[protocol]}" && load_session sinks; }
exp_end_lab() { load_away; }

exp_measure() {
	local TRAIN_MODE=${P[mode]}
	train_run "$(session_name "${P[protocol]}" "${P[app]}")" "${P[sinks]}" "$2" "$3" stall
}
