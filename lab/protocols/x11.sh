# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for users of the plug-in; LAB_ ones are the lab's
# x11.sh - remote X: the display (Xvfb) is in front of the user, applications connect to it across the link. Contract: README.md.
#
# Roles are those of a person, not of X: what X calls its server runs in the client role. Display data flows from the
# applications to it, so the capture is told who owns the port (x11:PORT). There is no frame clock: what is drawn is
# there at once, and the only floor is the link's.
#
# Who may connect is decided by the display's cookie, which the server role gets as well.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

declare -gA X11_DISPLAY	# stays when a driver comes back from another protocol

protocol_about() { printf 'remote X: applications draw across the link on a display of the client (Xvfb)\n'; }
protocol_properties() { printf 'display link view\n'; }
protocol_packages() { printf 'xvfb xauth x11-xserver-utils\n'; }

protocol_can() {
	viewer_can || return
	lab_has server xauth || {
		printf 'xauth is missing%s; apt-get install --no-install-recommends xauth\n' "${LAB_AT_server-}"
		return 1
	}
	lab_has server xset || {
		printf 'xset is missing%s; apt-get install --no-install-recommends x11-xserver-utils\n' "${LAB_AT_server-}"
		return 1
	}
}

protocol_start() {
	local session=$1 why log=$LAB_LOG/x11-$1.err
	why=$(protocol_can) || cannot "-$EXIT_MISSING" "$why" || return
	[ -z "${X11_DISPLAY[$session]-}" ] || cannot "session $session runs already" || return
	PROTOCOL_OPTIONS=()
	viewer_display "$session" tcp || return
	PROTOCOL_PORT=x11:$((6000 + VIEWER_NUMBER))
	PROTOCOL_DISPLAY=$LAB_ADDR_client$VIEWER_DISPLAY
	PROTOCOL_TARGET=x11:$VIEWER_DISPLAY
	PROTOCOL_VIEW=$VIEWER_DISPLAY
	PROTOCOL_PIDS=$VIEWER_PID
	X11_DISPLAY[$session]=$PROTOCOL_DISPLAY
	# Asked from where the applications will be.
	# shellcheck disable=SC2016
	if ! viewer_cookie server add "$PROTOCOL_DISPLAY" 2>"$log" ||
		! lab_exec server timeout 20 sh -c 'until DISPLAY=$1 timeout 5 xset q; do sleep 0.05; done' sh "$PROTOCOL_DISPLAY" \
		>/dev/null 2>"$log"; then
		why=$(grep . "$log" | tail -n 1)
		protocol_stop "$session"
		cannot "the server cannot reach the X display: ${why:-it printed nothing}; see $log"
		return
	fi
	rm -f "$log"
}

protocol_settings() {
	local version=''
	# Xvfb itself tells no version.
	# shellcheck disable=SC2016
	version=$(lab_exec client dpkg-query -W -f='${Version}' xvfb 2>/dev/null | sed 's/^[0-9]*://; s/[-+].*//')
	jq -cn --arg version "$version" --arg geometry "$VIEWER_GEOMETRY" \
		'{server: "Xvfb", says: "remote X (Xvfb\(if $version == "" then "" else " " + $version end) at the client)",
		version: $version, display_at: "client", frame_rate_per_s: null, geometry: $geometry, depth: 24,
		encodings: ["X11 requests"], compression: "none",
		encryption: "none", authorization: "MIT-MAGIC-COOKIE-1", floor_ms: 0}'
}

# protocol_stop [SESSION]: that one, or all.
protocol_stop() {
	local session
	for session in "${!X11_DISPLAY[@]}"; do
		[ $# -eq 0 ] || [ "$session" = "$1" ] || continue
		viewer_stop "$session"
		viewer_cookie server remove "${X11_DISPLAY[$session]}" 2>/dev/null
		unset "X11_DISPLAY[$session]"
	done
}
