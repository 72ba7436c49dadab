# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# place_lab.sh - the lab's server as the place of favour.sh: one cpu group holds the session, or none does.

PLACE_GROUP='' PLACE_PORT='' PLACE_PATIENCE=20
LAB_OWN_UID=0	# root and the server's programs share files (lab/local.sh)
place_down() { lab_stop "${LAB_PID_OF[neighbour]-}"; }

# Sets PLACE_CPUS, how many CPUs the session has. 1, and LAB_WHY: schemes cannot be compared here.
place_find() {
	PLACE_CPUS=$LAB_NCPU_server
	lab_group session && lab_ungroup session || return
	[ "$NEIGHBOUR" = 0 ] || neighbour_start
}
neighbour_start() {
	lab_group neighbour shares=1024 && lab_start -G neighbour server neighbour "$TP_BIN/sink" -n "$NEIGHBOUR" && is_ready neighbour 20
}

# A display in a session of its own: sets PROTOCOL_DISPLAY, PROTOCOL_TARGET, PROTOCOL_OPTIONS, and PLACE_GROUP, the folder of its
# group as vamp takes it. 1: LAB_WHY.
place_begin() {	# place_begin group|-
	local LAB_GROUP=''
	PLACE_GROUP=''
	if [ "$1" = group ]; then
		lab_group session shares=1024 || return
		LAB_GROUP=session PLACE_GROUP=${LAB_GROUPS[session]}
	else
		lab_switch autogroup 1 || return
	fi
	protocol_start session
}

place_end() {
	protocol_stop session
	lab_ungroup session
	lab_switch autogroup
	PLACE_GROUP=''
}

# place_start [-S] [-R] [-o FILE]... NAME COMMAND...: in the session, as lab_start. -S: as another login; -D: as a service of the
# system, outside of the session.
place_start() {
	local OPTIND=1 opt flags=() group=()
	[ -z "$PLACE_GROUP" ] || group=(-G session)
	while getopts SRDo: opt; do
		case $opt in
		D) group=() flags+=(-R -S) ;;
		o) flags+=(-o "$OPTARG") ;;
		*) flags+=("-$opt") ;;
		esac
	done
	shift $((OPTIND - 1))
	lab_start "${group[@]}" "${flags[@]}" server "$@"
}

# place_exec [-R] [-i] COMMAND...: and waits for it. -R: as root; -i: with our input.
place_exec() {
	local OPTIND=1 opt flags=() in=/dev/null
	while getopts Ri opt; do
		if [ "$opt" = R ]; then flags=(-R); else in=/dev/stdin; fi
	done
	shift $((OPTIND - 1))
	lab_exec "${flags[@]}" server "$@" <"$in"
}

place_has() { lab_has server "$1"; }

# place_probe [-o FILE] NAME COMMAND...: what sends keys and sees pixels, at the other end of the link.
place_probe() {
	local files=()
	[ "$1" != -o ] || { files=(-o "$2"); shift 2; }
	lab_start "${files[@]}" client "$@"
}

# place_trace FILE OPTION...: vamp trace as `slices`, of the session's CPUs, with its rows in FILE. It runs on the server, so that
# only the server's own tasks have a number in it.
place_trace() { lab_start -R -S -o "$1" server slices "$TP_BIN/vamp" trace --cpus "$LAB_CPUS_server" --log "$1" "${@:2}"; }
place_traced() { :; }	# place_traced FILE: the trace has ended
