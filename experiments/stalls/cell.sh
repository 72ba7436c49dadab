# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - stalls: one session for each application; for every cell the sinks are started, a train of keys is injected and watched
# at the client while the server's link is captured, and the sinks are ended. Only one protocol at a time has its sessions up.
# With --modes hold the one train of a cell is of a key that is held down.
. "$TP_HOME/experiments/families/trains.sh"
. "$TP_HOME/experiments/families/set_load.sh"
RATE=20 PERIOD_MS=50

exp_check() {
	local protocol displays=''
	if [ "${MODES:=tap}" != hold ]; then
		[ "$QUICK" = 1 ] || CELL_SERIES+=(stall)
		[ "$WIRE" = 0 ] || CELL_SERIES+=(wire)
		[[ $MODES != *,* ]] || CELL_SERIES+=(hold)
	fi
	for protocol in ${PROTOCOLS//,/ }; do
		! has_display "$protocol" || { displays=1; [[ ,$APPS, != *,own,* ]] ||
			exp_bad "--app own: $protocol needs light or" \
			"heavy; own is for protocols without a display, such as vnc:refecho"; }
	done
	# A protocol without a display for applications answers keys itself.
	[ -n "$displays" ] || APPS=own
	[[ $REGIME-,$APPS, != login-*,grouped,* ]] || exp_bad "--app grouped has the sinks in its own group; not with --regime login"
	load_check sinks
}

exp_cells() { sessions_cells; }
exp_words() {
	[ "$ON_BACKEND" = attach ] && echo "load ${P[sinks]}" || echo "${P[protocol]}, ${P[sinks]} CPU hogs, ${P[app]}"
}

exp_begin() {
	if [ "$ON_BACKEND" != local ]; then
		ECHOES=0 TRACES=$WIRE
		[ "$WIRE" = 0 ] || { [ "${LAB_TAP[0]-}" = client ] && [ -n "${LAB_TAP_IF-}" ]; } ||
			die "--wire needs a capture at the client, where keys and packets have one clock; it cannot capture: as root it" \
				"can, or with an installed prototap that has cap_net_raw"
	fi
	[[ ,$APPS, != *,grouped,* ]] || lab_group grouped ||
		die "-$EXIT_MISSING" "--app grouped needs a group of the scheduler: $LAB_WHY"
	sessions_begin
	load_begin
}
exp_session() {
	sessions_of "${P[protocol]}" || return
	sessions_noise "${P[protocol]}" || :
	load_session sinks
}
exp_end_lab() { load_away; }

exp_before_cells() {
	measure_chain
	[[ $PROTOCOLS == *,* ]] || sessions_noise "$PROTOCOLS"
	[ ! -t 1 ] || printf '\r\033[K'
	"$TP_BIN/report" "$RUN" --begun
	case $ON_BACKEND-$REGIME in
	attach-*) ;;
	*-session) echo "regime: load in the group of the session" ;;
	*) echo "regime: load is another login" ;;
	esac
}

# Measures the latency series in the cell's own folder, the others in subfolders. The latency series comes last, since the cell
# counts as measured once its cell.json is there.
exp_measure() {
	local series session TRAIN_MODE asked=$TRACES TRACES
	session=$(session_name "${P[protocol]}" "${P[app]}")
	for series in "${CELL_SERIES[@]}" latency; do
		! stopped && ! lab_lost >/dev/null || return 1
		TRAIN_MODE=tap TRACES=$asked
		[ "$series" != hold ] && [ "$MODES" != hold ] || TRAIN_MODE=hold TRACES=0	# its repeats have no packets
		if [ "$QUICK-$series-$TRAIN_MODE" = 1-latency-tap ]; then
			train_run_both "$session" "${P[sinks]}" "$2" "$3"
		else
			train_run "$session" "${P[sinks]}" "$2" "$3$([ "$series" = latency ] || echo "/$series")" "$series"
		fi
	done
}
