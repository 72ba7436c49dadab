# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# viewer.sh - what plug-ins of protocols share: sessions, which are programs that end together; and the screen in front of a person,
# an X display (Xvfb) in the client role, for protocols whose client is a program with a window. Plug-ins say
# . "$LAB_HERE/viewer.sh"  and call
#
#   protocol_begin SESSION            of protocol_start: empties what that sets; 1 (cannot) where it cannot run here or runs already
#   protocol_keep WORD                one of the plug-in's own for the session: ${PROTOCOL_KEPT[$PROTOCOL_KEY]} in protocol_ended
#   protocol_display                  of protocol_start: sets PROTOCOL_DISPLAY, a free one of the server role, :N, and
#                                     PROTOCOL_FOLDER, NAME-N in its home, which the plug-in makes; keeps N. Both go with the
#                                     session
#   protocol_run [OPTION]... ROLE NAME COMMAND...
#                                     starts COMMAND as lab_start does (NAME: of its log); it is one of PROTOCOL_PIDS and ends
#                                     with the session
#   protocol_failed SESSION WORDS LOG...
#                                     stops it; 1 (cannot) with WORDS and the last that these say of an error
#   protocol_stop [SESSION]           is that of the plug-in: what was started last ends first; then protocol_ended SESSION, which a
#                                     plug-in may have of its own
#   protocol_asks ROLE COMMAND...     runs it there; here before the lab is up and in the emulated one, whose hosts have our files
#   protocol_version ROLE PACKAGE     prints the version of that package there (the programs of LAB_SERVER_ROOT run only in the lab)
#   protocol_secret                   prints a new password or cookie, 32 digits
#   protocol_forget FOLDER [DISPLAY]  removes that folder from the homes of both roles; the server may not use the display any more
#   PROTOCOL_APART                    words before a command, which has mounts of its own, and is root there where the login is not
#   display_answers ROLE DISPLAY      it takes requests from there
#   display_awaited SECONDS LOG       waits until PROTOCOL_DISPLAY takes requests from the server role; LOG: why not
#   keyrepeat_loads TARGET [OPTION]...
#                                     0, or prints which libraries keyrepeat lacks in the client role, and fails: it loads them
#                                     before it looks at a target
#   viewer_can                        0, or prints what is missing in the client role, with the cure, and fails
#   viewer_display SESSION [tcp]      starts one, 1024x768x24; sets VIEWER_NUMBER (N),
#                                     VIEWER_DISPLAY (:N), VIEWER_PID, VIEWER_COOKIE, PROTOCOL_VIEW
#                                     and PROTOCOL_TARGET. tcp: it listens on port 6000+N.
#                                     1 (cannot) when it does not come
#   viewer_window DISPLAY name|class PATTERN SECONDS [PID]
#                                     waits for a visible window there, gives it the focus, moves
#                                     the pointer into it; sets VIEWER_WINDOW; 1 when it never came,
#                                     or its program (what lab_start gave for it) has ended
#   viewer_fill DISPLAY               that window from corner to corner: without a window manager a
#                                     client's own wish for it does nothing
#   viewer_reaches DISPLAY SESSION-DISPLAY SECONDS [PID]
#                                     the session (its display, in the server role) has the pointer
#                                     where this display has it: its client is connected, hands
#                                     input on, and shows pixel by pixel; 1 when that never was so
#   viewer_cookie ROLE add DISPLAY    that role may use the display (as it is seen from there) with
#                                     VIEWER_COOKIE; remove DISPLAY: no more
#   viewer_guarded DISPLAY            a new cookie for a display of the server's own
#
# Who may connect is decided by a cookie of this run, in the .Xauthority of the client role; it never stands on a command line.

VIEWER_GEOMETRY=1024x768
# A password file of VNC is one DES block with this key, which everybody knows (three times one key is single DES).
VIEWER_VNC_KEY=e84ad660c4721ae0e84ad660c4721ae0e84ad660c4721ae0
# shellcheck disable=SC2016
PROTOCOL_APART=(sh -c 'unshare --mount true 2>/dev/null || set -- --user --map-root-user "$@"; exec unshare --mount "$@"' sh)
# By protocol and session; they stay when a driver comes back from another protocol.
declare -gA PROTOCOL_RUNS PROTOCOL_KEPT VIEWER_NUMBERS

protocol_begin() {
	local why
	why=$(protocol_can) || cannot "-$EXIT_MISSING" "$why" || return
	PROTOCOL_KEY=${PROTOCOL_NAME%%:*}-$1
	[ -z "${PROTOCOL_RUNS[$PROTOCOL_KEY]-}" ] || cannot "session $1 runs already" || return
	PROTOCOL_OPTIONS=() PROTOCOL_VIEW='' PROTOCOL_PIDS='' PROTOCOL_WATCH=patch
	PROTOCOL_RUNS[$PROTOCOL_KEY]=''
}

protocol_run() {
	lab_start "$@"
	PROTOCOL_PIDS+=${PROTOCOL_PIDS:+ }$LAB_PID PROTOCOL_RUNS[$PROTOCOL_KEY]+="$LAB_PID "
}

protocol_display() {
	local n
	# shellcheck disable=SC2016
	n=$(lab_display server) && PROTOCOL_FOLDER=$(lab_exec server sh -c 'echo "$HOME"')/${PROTOCOL_NAME%%:*}-$n ||
		cannot "no free X display${LAB_AT_server-}" || return
	PROTOCOL_DISPLAY=:$n
	protocol_keep "$n"
}

protocol_keep() { PROTOCOL_KEPT[$PROTOCOL_KEY]=$1; }

protocol_failed() {
	local session=$1 words=$2 what log why=''
	shift 2
	for what in 'error|fail|cannot|refused|denied|fatal|not found' warning .; do
		for log; do [ -n "$why" ] || why=$(grep -siE -- "$what" "$log" | grep -vE "keystroke|mieq" | tail -n 1); done
	done
	protocol_stop "$session"
	cannot "$words: ${why:-it printed nothing}; see $1"
}

protocol_ended() {
	local n=${PROTOCOL_KEPT[$PROTOCOL_KEY]-}
	[ -z "$n" ] || protocol_forget "${PROTOCOL_KEY%%-*}-$n" ":$n"
}

protocol_asks() {
	local there=()
	[ "${LAB_PRIVATE-1}" = 1 ] || there=(lab_exec "$1")
	${there[@]+"${there[@]}"} "${@:2}"
}

protocol_version() {
	local in=()
	[ "$1" != server ] || [ -z "${LAB_SERVER_ROOT-}" ] || in=(--admindir="$LAB_SERVER_ROOT/var/lib/dpkg")
	# shellcheck disable=SC2016
	protocol_asks "$1" dpkg-query ${in[@]+"${in[@]}"} -W -f='${Version}' "$2" 2>/dev/null |
		sed 's/^[0-9]*://; s/^\([0-9.]*[0-9]\).*/\1/'
}

protocol_secret() { od -An -N 16 -tx1 /dev/urandom | tr -d ' \n'; }

protocol_forget() {
	local role
	[ -z "${2-}" ] || viewer_cookie server remove "$2" 2>/dev/null
	# shellcheck disable=SC2016
	for role in server client; do lab_exec "$role" sh -c 'rm -rf "$HOME/$1"' sh "$1"; done
}

protocol_stop() {
	local PROTOCOL_KEY name=${PROTOCOL_NAME%%:*} pids i
	for PROTOCOL_KEY in "${!PROTOCOL_RUNS[@]}"; do
		[[ $PROTOCOL_KEY == "$name"-* ]] && [[ $# -eq 0 || $PROTOCOL_KEY == "$name-$1" ]] || continue
		read -ra pids <<<"${PROTOCOL_RUNS[$PROTOCOL_KEY]}"
		for ((i = ${#pids[@]} - 1; i >= 0; i--)); do lab_stop "${pids[i]}"; done
		i=${VIEWER_NUMBERS[$PROTOCOL_KEY]-}
		[ -z "$i" ] || viewer_cookie client remove ":$i" 2>/dev/null
		protocol_ended "${PROTOCOL_KEY#*-}"
		unset "PROTOCOL_RUNS[$PROTOCOL_KEY]" "PROTOCOL_KEPT[$PROTOCOL_KEY]" "VIEWER_NUMBERS[$PROTOCOL_KEY]"
	done
	# what rdp_client, or weston for VNC, has stored
	[[ -z ${RDP_KNOWN-} && $name != weston ]] || [[ " ${!PROTOCOL_RUNS[*]}" == *" $name-"* ]] ||
		LAB_AS=probe lab_exec client rm -f "$LAB_RUN/$name"{,-vnc}.password "$LAB_RUN/$name.known"
}

display_answers() { lab_exec "$1" env DISPLAY="$2" timeout 5 xset q >/dev/null 2>&1; }
display_awaited() {
	# shellcheck disable=SC2016
	lab_exec server timeout "$1" sh -c 'until DISPLAY=$1 timeout 8 xset q; do sleep 0.05; done' sh "$PROTOCOL_DISPLAY" \
		>/dev/null 2>"$2"
}

keyrepeat_loads() {
	local why status=0
	why=$(protocol_asks client "$TP_BIN/keyrepeat" "$@" 2>&1 >/dev/null) || status=$?
	[[ $why != *--no-install-recommends* ]] || why+=${LAB_AT_client-}
	[ $status != 4 ] || { printf '%s\n' "${why#*: }"; return 1; }
}

viewer_can() {
	lab_needs client:Xvfb:xvfb client:xauth:xauth client:xset:x11-xserver-utils client:xdotool:xdotool &&
		keyrepeat_loads x11: --rate 0 --watch none
}

viewer_display() {
	local log=$PROTOCOL_KEY-display listen=(-nolisten tcp)
	VIEWER_NUMBER=$(lab_display client) && [ "$VIEWER_NUMBER" -lt 63 ] ||	# prototap knows the ports 6000 to 6063
		cannot "no free X display${LAB_AT_client-}" || return
	[ "${2-}" != tcp ] || listen=(-listen tcp)
	VIEWER_DISPLAY=:$VIEWER_NUMBER PROTOCOL_VIEW=:$VIEWER_NUMBER PROTOCOL_TARGET=x11::$VIEWER_NUMBER
	VIEWER_COOKIE=$(protocol_secret)
	viewer_cookie client add "$VIEWER_DISPLAY" 2>>"$LAB_LOG/$log.err" ||
		cannot "cannot write the X cookie of display $VIEWER_DISPLAY${LAB_AT_client-}: $(tail -n 1 -- \
			"$LAB_LOG/$log.err")" || return
	# In front of a person, a display has a machine to itself. Here it shares its CPU with the probe and whatever else runs, so
	# it goes before all but the probe, where that is allowed.
	# shellcheck disable=SC2016
	LAB_AS=priority lab_start client "$log" sh -c '
		n=$1 geometry=$2
		shift 2
		set -- Xvfb ":$n" -screen 0 "${geometry}x24" -auth "$HOME/.Xauthority" -noreset "$@"
		! chrt -f 10 true 2>/dev/null || set -- chrt -f 10 "$@"
		exec "$@"' sh "$VIEWER_NUMBER" "$VIEWER_GEOMETRY" "${listen[@]}"
	VIEWER_PID=$LAB_PID PROTOCOL_RUNS[$PROTOCOL_KEY]+="$LAB_PID " VIEWER_NUMBERS[$PROTOCOL_KEY]=$VIEWER_NUMBER
	lab_comes 20 "$VIEWER_PID" display_answers client "$VIEWER_DISPLAY" ||
		protocol_failed "$1" "the X display on the client did not start" "$LAB_LOG/$log.err"
}

# One command to xauth, through a pipe.
viewer_cookie() {
	local words="$2 $3"
	[ "$2" = remove ] || words="$2 $3 . $VIEWER_COOKIE"
	# shellcheck disable=SC2016
	set -- "$1" sh -c 'umask 077; exec xauth -q -f "$HOME/.Xauthority" source -'
	# (Our own programs may have another home.)
	[ "$1${LAB_UID_client:+own}" != clientown ] || LAB_AS=probe lab_exec "$@" <<<"$words" || return
	lab_exec "$@" <<<"$words"
}

viewer_guarded() {
	local VIEWER_COOKIE
	VIEWER_COOKIE=$(protocol_secret)
	viewer_cookie server add "$1"
}

# No window manager: keys go to the window that has the focus. The pointer goes where it is above
# the text of vim and beside the patch of refecho when both stand in their corner, since clients
# hand its place on to the session. (No --sync for the move: where the pointer is there already it
# would wait for ever.)
viewer_window() {
	VIEWER_WINDOW=''
	wait_until "$4" viewer_window_or_ended "$@"
	[ -n "$VIEWER_WINDOW" ]
}

viewer_window_or_ended() {
	# shellcheck disable=SC2016
	VIEWER_WINDOW=$(lab_exec client env DISPLAY="$1" timeout 5 sh -c '
		window=$(xdotool search --onlyvisible "--$1" "$2" 2>/dev/null | head -n 1)
		[ -n "$window" ] && timeout 2 xdotool windowfocus --sync "$window" &&
			size=$(xdotool getwindowgeometry --shell "$window") && eval "$size" || exit
		[ "$WIDTH" -gt 310 ] && [ "$HEIGHT" -gt 230 ] && set -- 310 230 || set -- "$((WIDTH / 2))" "$((HEIGHT / 2))"
		xdotool mousemove --window "$window" "$1" "$2" && echo "$window"' sh "$2" "$3" 2>/dev/null)
	[ -n "$VIEWER_WINDOW" ] || viewer_ended "${5-}"
}

viewer_ended() { [ -n "$1" ] && lab_gone "$1"; }

viewer_fill() {
	lab_exec client env DISPLAY="$1" xdotool windowmove "$VIEWER_WINDOW" 0 0 windowsize "$VIEWER_WINDOW" \
		"${VIEWER_GEOMETRY%x*}" "${VIEWER_GEOMETRY#*x}"
}

# Two places: one could be where the pointer was before. It ends where viewer_window has put it.
viewer_reaches() {
	local MS NOW_MS end place
	seconds_ms "$3"
	now_ms
	end=$((NOW_MS + MS))
	for place in '410 330' '310 230'; do
		# A client that is not ready throws motions away: each look comes with one of its own.
		until lab_exec client env DISPLAY="$1" xdotool mousemove $((${place% *} + 1)) "${place#* }" \
			mousemove "${place% *}" "${place#* }" &&
			wait_until 0.3 viewer_pointer_at "$2" "$place"; do
			now_ms
			[ "$NOW_MS" -lt "$end" ] && ! viewer_ended "${4-}" || return 1
		done
	done
}

viewer_pointer_at() {	# viewer_pointer_at SESSION-DISPLAY "X Y"
	[ "$(lab_exec server env DISPLAY="$1" timeout 5 xdotool getmouselocation 2>/dev/null |
		sed 's/^x:\([0-9]*\) y:\([0-9]*\) .*/\1 \2/')" = "$2" ]
}
