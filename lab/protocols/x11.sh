# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# x11.sh - remote X: the display (Xvfb) is in front of the user, applications connect to it across the link. Contract: README.md.
#
# Roles are those of a person, not of X: what X calls its server runs in the client role. Display data flows from the
# applications to it, so the capture is told who owns the port (x11:PORT). There is no frame clock: what is drawn is
# there at once, and the only floor is the link's.
#
# Who may connect is decided by the display's cookie, which the server role gets as well.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

protocol_about() { printf 'remote X: applications draw across the link on a display of the client (Xvfb)\n'; }
protocol_properties() { printf 'display link view\n'; }

protocol_can() { viewer_can && lab_needs server:xauth:xauth server:xset:x11-xserver-utils; }

protocol_start() {
	local log=$LAB_LOG/x11-$1.err
	protocol_begin "$1" && viewer_display "$1" tcp || return
	PROTOCOL_PORT=x11:$((6000 + VIEWER_NUMBER))
	PROTOCOL_DISPLAY=$(lab_url client)$VIEWER_DISPLAY
	PROTOCOL_PIDS=$VIEWER_PID
	protocol_keep "$PROTOCOL_DISPLAY"
	# Asked from where the applications will be.
	viewer_cookie server add "$PROTOCOL_DISPLAY" 2>"$log" && display_awaited 20 "$log" ||
		protocol_failed "$1" "the server cannot reach the X display" "$log" || return
	rm -f "$log"
}

protocol_settings() {
	local version
	# Xvfb itself tells no version.
	version=$(protocol_version client xvfb)
	jq -cn --arg version "$version" --arg geometry "$VIEWER_GEOMETRY" \
		'{server: "Xvfb", says: "remote X (Xvfb\(if $version == "" then "" else " " + $version end) at the client)",
		version: $version, display_at: "client", frame_rate_per_s: null, geometry: $geometry, depth: 24,
		encodings: ["X11 requests"], compression: "none",
		encryption: "none", authorization: "MIT-MAGIC-COOKIE-1", floor_ms: 0}'
}

protocol_ended() {
	[ -z "${PROTOCOL_KEPT[$PROTOCOL_KEY]-}" ] || viewer_cookie server remove "${PROTOCOL_KEPT[$PROTOCOL_KEY]}" 2>/dev/null
}
