# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for users of the plug-in; LAB_ and WAYLAND_ ones are the lab's
# weston.sh - VNC by Wayland's reference compositor itself, without a screen and without a GPU. Contract: README.md.
#
#   weston:vnc   its VNC back-end, which Debian has from weston 14 on; refecho is the application; keyrepeat is the client
#
# It asks PAM for the password of the user who runs it: it has mounts of its own, where a PAM file lets everybody in.

# shellcheck source=lab/wayland.sh
. "$LAB_HERE/wayland.sh"

WESTON_LEAST=14

protocol_variants() { printf 'vnc\n'; }

protocol_about() { printf 'VNC from Wayland, weston without a screen (answers with a readable patch)\n'; }
protocol_properties() { printf 'link own-echo\n'; }
protocol_packages() { printf 'weston\n'; }

# (Asked of the packages: the programs of LAB_SERVER_ROOT run only in the lab.)
weston_version() {
	dpkg-query ${LAB_SERVER_ROOT:+--admindir="$LAB_SERVER_ROOT/var/lib/dpkg"} -W -f='${Version}' weston 2>/dev/null |
		sed 's/^\([0-9.]*[0-9]\).*/\1/'
}

protocol_can() {
	local version
	lab_needs server:weston:weston || return
	version=$(weston_version)
	[ "${version%%.*}" -ge "$WESTON_LEAST" ] 2>/dev/null || {
		printf 'weston %s has no VNC server; Debian 13 has weston %s: thinprobe root make trixie --protocol weston\n' \
			"${version:-of an unknown version}" "$WESTON_LEAST"
		return 1
	}
	wayland_can
}

protocol_start() {
	local session=$1 log=$LAB_LOG/wayland-$1
	wayland_begin "$session" || return
	lab_exec server sh -c 'printf "%s required pam_permit.so\n" auth account >"$1/pam"' sh "$WAYLAND_FOLDER"
	protocol_run server "wayland-$session" "${WAYLAND_APART[@]}" \
		sh -c 'mount --bind "$1" /etc/pam.d/weston-remote-access && shift && exec "$@"' sh "$WAYLAND_FOLDER/pam" \
		env XDG_RUNTIME_DIR="$WAYLAND_FOLDER" HOME="$WAYLAND_FOLDER" weston --no-config --idle-time=0 \
		--socket=wayland-1 --backend=vnc --shell=kiosk --renderer=pixman \
		--width="${VIEWER_GEOMETRY%x*}" --height="${VIEWER_GEOMETRY#*x}" --address="$LAB_ADDR_server" --port="$PROTOCOL_PORT" \
		--disable-transport-layer-security
	wayland_listens && wayland_comes 20 || protocol_failed "$session" "weston did not start" "$log".{err,out} || return
	# It lets in the user who runs it, root of its own user namespace. keyrepeat says the name in USER.
	protocol_secret | lab_put client - "$LAB_RUN/weston.password" || protocol_failed "$session" "cannot store a password" "$log.err" ||
		return
	export USER=root
	PROTOCOL_OPTIONS=(--password-file "$LAB_RUN/weston.password")
	wayland_refecho "$session" || protocol_failed "$session" "refecho did not start" "$log-refecho.err"
}

protocol_settings() {
	# It draws at the ends of frames of its clock, also after a rest.
	jq -cn --arg version "$(weston_version)" --arg geometry "$VIEWER_GEOMETRY" '
		{server: "weston", says: "VNC (weston \($version), 60 frames/s)", version: $version, frame_rate_per_s: 60, geometry: $geometry,
		depth: 24, pointer: "drawn by the client if it can; refecho hides it", encodings: ["client chooses"],
		compression: "client chooses", encryption: "none", floor_ms: 8.33}'
}
