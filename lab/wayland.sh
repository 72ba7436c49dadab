# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# wayland.sh - what plug-ins share whose server is a Wayland compositor without a screen, with refecho as the one application in it.
# Plug-ins say  . "$LAB_HERE/wayland.sh"  (which has viewer.sh, too) and call
#
#   wayland_can              0, or prints why refecho cannot be a Wayland client here, or why the session would be open to others
#   wayland_begin SESSION    of protocol_start, in place of protocol_begin: sets PROTOCOL_PORT, PROTOCOL_TARGET and WAYLAND_FOLDER,
#                            the compositor's XDG_RUNTIME_DIR and HOME, which is new and empty
#   wayland_comes SECONDS    waits for the compositor, which was started last; sets WAYLAND_SOCKET; 1 when it does not come
#   wayland_listens SESSION  waits until the server that was started last listens on PROTOCOL_PORT
#   wayland_refecho SESSION  starts it, waits until its window is shown
#
# These servers let everybody in: they ask for no password, accept any (weston), or have a public one (grd). So they run only where
# nobody else is on the link.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

wayland_can() {
	local said
	said=$(WAYLAND_DISPLAY=/nowhere "$TP_BIN/refecho" --wayland 2>&1)
	[ "$?" != 4 ] || { printf '%s\n' "${said#refecho: }"; return 1; }
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		printf 'its session would be open to all on that network; measure a window of its client: --on attach:DISPLAY,WINDOW\n'
		return 1
	}
}

wayland_begin() {
	local n
	protocol_begin "$1" || return
	n=$(lab_display server) || cannot "no free port" || return
	PROTOCOL_DISPLAY='' PROTOCOL_PORT=$((5900 + n)) PROTOCOL_TARGET=vnc:$(lab_url server):$((5900 + n))
	# (Not one by the number, which is still free where the server listens at RDP's ports.)
	WAYLAND_FOLDER=$(lab_exec server sh -c 'mktemp -d "$HOME/wayland-XXXXXX"') || cannot "cannot make a folder" || return
	protocol_keep "${WAYLAND_FOLDER##*/}"
}

# In the role, where files may be seen that are not seen here.
wayland_found() {
	# shellcheck disable=SC2016
	WAYLAND_SOCKET=$(lab_exec server sh -c 'for f in "$1"/wayland-*; do [ ! -S "$f" ] || echo "$f"; done' sh "$WAYLAND_FOLDER")
	[ -n "$WAYLAND_SOCKET" ]
}
wayland_comes() { lab_comes "$1" "$LAB_PID" wayland_found; }

wayland_listens() { lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT"; }

wayland_refecho() {
	protocol_run ${APP_FLAGS[@]+"${APP_FLAGS[@]}"} server "wayland-$1-refecho" env WAYLAND_DISPLAY="$WAYLAND_SOCKET" \
		"$TP_BIN/refecho" --wayland --cost "${APP_COST:-10ms}" ${APP_OPTIONS[@]+"${APP_OPTIONS[@]}"}
	lab_ready "wayland-$1-refecho" 20
}

protocol_ended() {
	local folder=${PROTOCOL_KEPT[$PROTOCOL_KEY]-}
	[ -z "$folder" ] || protocol_forget "$folder"
}
