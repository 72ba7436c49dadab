# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for users of the plug-in; LAB_ and VIEWER_ ones are the lab's
# spice.sh - SPICE: Xorg that is a SPICE server (driver spiceqxl), and spicy in a display of the client role. Contract: README.md.
#
# A session is several TCP connections (main, display, inputs, cursor …), all to one port: its
# captures take them together. Keys and pictures are on different ones.
#
# There is no password: only for the emulated hosts, where nobody else is on the link. Configuration
# and logs are in the hosts' own /tmp, which ends with them.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

SPICE_XORG=/usr/lib/xorg/Xorg

protocol_about() { printf 'SPICE, Xorg with the spiceqxl driver, client spicy\n'; }
protocol_properties() { printf 'display link view pictures-cached\n'; }
protocol_packages() { printf 'xserver-xspice spice-client-gtk xvfb xauth x11-utils x11-xserver-utils xdotool\n'; }

protocol_can() {
	local what
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		printf 'without a password its session would be open to others on the network; run it in the emulated lab (--on lab)\n'
		return 1
	}
	what=${SPICE_XORG%/*}/modules/drivers/spiceqxl_drv.so
	[ -x "$SPICE_XORG" ] && [ -f "$what" ] || {
		printf '%s is missing; apt-get install --no-install-recommends xserver-xspice\n' "$what"
		return 1
	}
	lab_needs server:xset:x11-xserver-utils client:spicy:spice-client-gtk client:xprop:x11-utils && viewer_can
}

protocol_start() {
	local session=$1 n folder log=$LAB_LOG/spice-$1
	protocol_begin "$session" || return
	n=$(lab_display server) || cannot "no free X display" || return
	folder=/tmp/spice-$n
	PROTOCOL_DISPLAY=:$n
	PROTOCOL_PORT=$((5900 + n))	# free: lab_display has looked
	spice_config "$folder" "$PROTOCOL_PORT" 2>"$log.err" ||
		cannot "cannot write the configuration of the SPICE server: $(tail -n 1 -- "$log.err")" || return
	protocol_run server "spice-$session" "$SPICE_XORG" ":$n" \
		-config "$folder/xorg.conf" -ac -noreset -novtswitch -sharevts -nolisten tcp -logfile "$folder/xorg.log"
	lab_comes 20 "$LAB_PID" spice_answers || {
		# its log is in the host's /tmp; it is kept
		lab_exec server sh -c 'test -f "$1" && exec cat "$1"' sh "$folder/xorg.log" >>"$log.err" 2>/dev/null
		protocol_failed "$session" "SPICE: the server did not start" "$log.err"
		return
	}
	viewer_display "$session" || return
	spice_client "$session" "/tmp/spicy-$VIEWER_NUMBER" ||
		protocol_failed "$session" "SPICE: the client did not start" "$log-client.err" || return
	PROTOCOL_VIEW=$VIEWER_DISPLAY PROTOCOL_TARGET=x11:$VIEWER_DISPLAY
}

# The sizes must be said: what the driver takes for their defaults is 0, and it crashes.
spice_config() {
	# shellcheck disable=SC2016
	lab_exec server sh -c 'rm -rf "$1" && mkdir -m 700 "$1" && cat >"$1/xorg.conf"' sh "$1" <<-END
		Section "ServerFlags"
			Option "AutoAddDevices" "False"
			Option "DontVTSwitch" "True"
			Option "BlankTime" "0"
		EndSection
		Section "Device"
			Identifier "device"
			Driver "spiceqxl"
			Option "SpiceDisableTicketing" "True"
			Option "SpiceAddr" "$LAB_ADDR_server"
			Option "SpicePort" "$2"
			Option "NumHeads" "1"
			Option "SurfaceBufferSize" "128"
			Option "CommandBufferSize" "128"
			Option "FrameBufferSize" "16"
		EndSection
		Section "InputDevice"
			Identifier "pointer"
			Driver "xspice pointer"
		EndSection
		Section "InputDevice"
			Identifier "keyboard"
			Driver "xspice keyboard"
		EndSection
		Section "Monitor"
			Identifier "monitor"
		EndSection
		Section "Screen"
			Identifier "screen"
			Monitor "monitor"
			Device "device"
			DefaultDepth 24
			SubSection "Display"
				Depth 24
				Modes "$VIEWER_GEOMETRY"
			EndSubSection
		EndSection
		Section "ServerLayout"
			Identifier "layout"
			Screen "screen"
			InputDevice "keyboard" "CoreKeyboard"
			InputDevice "pointer" "CorePointer"
		EndSection
	END
}

spice_answers() { lab_listens server "$PROTOCOL_PORT" && display_answers server "$PROTOCOL_DISPLAY"; }

# spice_client SESSION FOLDER: spicy over the whole display. It drops its menu when it is told by a window manager that it fills the
# screen; there is none, so the window gets that mark, and its size, from here.
spice_client() {
	# shellcheck disable=SC2016
	lab_exec client sh -c 'rm -rf "$1" && mkdir -m 700 "$1" "$1/spicy" &&
		printf "%s\n" "[general]" grab-keyboard=false grab-mouse=false resize-guest=false scaling=false \
			auto-clipboard=false "[ui]" toolbar=false statusbar=false >"$1/spicy/settings"' sh "$2" || return
	protocol_run client "spice-$1-client" env DISPLAY="$VIEWER_DISPLAY" XDG_CONFIG_HOME="$2" \
		NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory GIO_USE_VFS=local DBUS_SESSION_BUS_ADDRESS=disabled: \
		spicy -h "$LAB_ADDR_server" -p "$PROTOCOL_PORT" --title "thinprobe $1" --spice-disable-audio --spice-disable-usbredir
	viewer_window "$VIEWER_DISPLAY" name "thinprobe $1" 20 "$LAB_PID" &&
		lab_exec client env DISPLAY="$VIEWER_DISPLAY" xprop -id "$VIEWER_WINDOW" -f _NET_WM_STATE 32a \
		-set _NET_WM_STATE _NET_WM_STATE_FULLSCREEN &&
		viewer_fill "$VIEWER_DISPLAY" &&
		viewer_reaches "$VIEWER_DISPLAY" "$PROTOCOL_DISPLAY" 20 "$LAB_PID"
}

protocol_settings() {
	local server client
	server=$(lab_exec server dpkg-query -W -f='${Version}' libspice-server1 2>/dev/null | sed 's/-[^-]*$//')
	client=$(lab_exec client dpkg-query -W -f='${Version}' spice-client-gtk 2>/dev/null | sed 's/-[^-]*$//')
	# spicy holds a key's press back until its release, and sends both as one.
	jq -cn --arg version "$server" --arg client "$client" --arg geometry "$VIEWER_GEOMETRY" '
		{server: "Xorg with spiceqxl", says: "SPICE (spice-server \($version); client spicy \($client))",
		version: $version, client: "spicy \($client)", frame_rate_per_s: null,
		geometry: $geometry, depth: 24, encodings: ["drawing commands", "auto_glz", "quic"],
		compression: "chosen for each image (auto_glz), without loss on a fast link",
		image_cache: true, video_streams: "filter", encryption: "none", connections: "several, one port", floor_ms: 5,
		floor_of: "waiting for a key'"'"'s release (spicy sends it together with the press)", client_frame_rate_per_s: 60}'
}
