# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# wayvnc.sh - VNC from a Wayland compositor of the wlroots family, without a screen and without a GPU. Contract: README.md.
#
#   wayvnc        sway, and wayvnc that copies its output; refecho is the application; keyrepeat is the client
#   wayvnc:labwc  the same on labwc
#
# sway (1.7) refuses to run as root: the lab's server is an ordinary user of its namespace. labwc makes the sockets of an X display
# and wants their folder to be its own: it is root in a namespace, where it is.

# shellcheck source=lab/wayland.sh
. "$LAB_HERE/wayland.sh"

protocol_variants() { printf 'sway labwc\n'; }
wayvnc_on() { printf %s "${PROTOCOL_VARIANT:-sway}"; }

protocol_about() { printf 'VNC from Wayland, wayvnc on %s without a screen (answers with a readable patch)\n' "$(wayvnc_on)"; }
protocol_properties() { printf 'link own-echo\n'; }

protocol_can() {
	lab_has server "$(wayvnc_on)" || [ "$PROTOCOL_VARIANT" != labwc ] || {
		printf 'labwc is missing%s; Debian 13 has it, Debian 12 has not\n' "${LAB_AT_server-}"
		return 1
	}
	lab_needs "server:$(wayvnc_on):$(wayvnc_on)" server:wayvnc:wayvnc && wayland_can
}

protocol_start() {
	local session=$1 log=$LAB_LOG/wayland-$1 apart=() config
	wayland_begin "$session" || return
	lab_exec server sh -c 'cat >"$1/config"' sh "$WAYLAND_FOLDER" <<-END
		xwayland disable
		output * mode --custom ${VIEWER_GEOMETRY}@60Hz
		default_border none
		focus_follows_mouse no
	END
	config=(-c "$WAYLAND_FOLDER/config")
	[ "$PROTOCOL_VARIANT" != labwc ] || config=(-C "$WAYLAND_FOLDER") \
		apart=("${PROTOCOL_APART[@]}" sh -c 'mount -t tmpfs -o mode=1777 none /tmp/.X11-unix && exec "$@"' sh)
	protocol_run server "wayland-$session" ${apart[@]+"${apart[@]}"} env XDG_RUNTIME_DIR="$WAYLAND_FOLDER" \
		HOME="$WAYLAND_FOLDER" WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 "$(wayvnc_on)" "${config[@]}"
	wayland_comes 20 || protocol_failed "$session" "$(wayvnc_on) did not start" "$log.err" || return
	protocol_run server "wayland-$session-wayvnc" env XDG_RUNTIME_DIR="$WAYLAND_FOLDER" HOME="$WAYLAND_FOLDER" \
		WAYLAND_DISPLAY="$WAYLAND_SOCKET" wayvnc --max-fps=60 "$LAB_ADDR_server" "$PROTOCOL_PORT"
	wayland_listens || protocol_failed "$session" "wayvnc did not start" "$log-wayvnc".{err,out} || return
	wayland_refecho "$session" || protocol_failed "$session" "refecho did not start" "$log-refecho.err"
}

protocol_settings() {
	local version on
	version=$(lab_exec server wayvnc --version 2>&1 | sed -n 's/^wayvnc: v\{0,1\}\([0-9][0-9.]*\).*/\1/p' | head -n 1)
	on=$(lab_exec server "$(wayvnc_on)" --version 2>&1 | sed -n 's/^[a-z ]*\([0-9][0-9.]*\).*/\1/p' | head -n 1)
	# The compositor shows what changes after a rest at once, and wayvnc copies it then: no frame clock is waited for.
	jq -cn --arg version "$version" --arg on "$(wayvnc_on) $on" --arg name "$(wayvnc_on)" --arg geometry "$VIEWER_GEOMETRY" '
		{server: "wayvnc", says: "VNC (wayvnc \($version) on \($on), at most 60 frames/s)", version: $version, compositor: $on,
		frame_rate_per_s: 60, geometry: (if $name == "sway" then $geometry else "1280x720" end), depth: 24,
		pointer: "drawn by the client; refecho hides it", encodings: ["client chooses"],
		compression: "client chooses", encryption: "none", floor_ms: 0}'
}
