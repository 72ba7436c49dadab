# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# spice.sh - SPICE: Xorg that is a SPICE server (driver spiceqxl), and spicy in a display of the client role. Contract: README.md.
#
# A session is several TCP connections (main, display, inputs, cursor …), all to one port: its
# captures take them together. Keys and pictures are on different ones.
#
# Where others are on the network or the machine (LAB_PRIVATE is not 1), the server asks for a password that is made for this run.
# spicy takes one only from its arguments or its user: it connects, is refused, asks, and gets it typed into its window.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

SPICE_XORG=/usr/lib/xorg/Xorg

protocol_about() { printf 'SPICE, Xorg with the spiceqxl driver, client spicy\n'; }
protocol_properties() { printf 'display link view pictures-cached\n'; }

protocol_can() {
	local what=${SPICE_XORG%/*}/modules/drivers/spiceqxl_drv.so
	lab_needs server:"$SPICE_XORG":xserver-xorg-core || return
	protocol_asks server test -f "${LAB_SERVER_ROOT-}$what" || {
		printf '%s is missing%s; %s\n' "$what" "${LAB_AT_server-}" "$(lab_cure server xserver-xspice)"
		return 1
	}
	lab_needs server:xset:x11-xserver-utils server:xauth:xauth client:spicy:spice-client-gtk client:xprop:x11-utils && viewer_can
}

protocol_start() {
	local session=$1 folder log=$LAB_LOG/spice-$1
	protocol_begin "$session" && protocol_display || return
	folder=$PROTOCOL_FOLDER PROTOCOL_PORT=$((5900 + ${PROTOCOL_DISPLAY#:}))	# free: lab_display has looked
	{ spice_config "$folder" "$PROTOCOL_PORT" && viewer_guarded "$PROTOCOL_DISPLAY"; } 2>"$log.err" ||
		protocol_failed "$session" "cannot write the configuration of the SPICE server" "$log.err" || return
	protocol_run server "spice-$session" "$SPICE_XORG" "$PROTOCOL_DISPLAY" -config "$folder/xorg.conf" \
		-auth "${folder%/*}/.Xauthority" -noreset -novtswitch -sharevts -nolisten tcp -logfile "$folder/xorg.log"
	lab_comes 20 "$LAB_PID" spice_answers || {
		# its log is at the server; it is kept, but for the password
		lab_exec server sed /SpicePassword/d "$folder/xorg.log" >>"$log.err" 2>/dev/null
		protocol_failed "$session" "SPICE: the server did not start" "$log.err"
		return
	}
	viewer_display "$session" || return
	spice_client "$session" "${folder##*/}" ||
		protocol_failed "$session" "SPICE: the client did not start" "$log-client.err"
}

# Writes the X server's settings and the password. They name the sizes of the driver's three buffers, in MB: without them it takes
# 0, and crashes.
spice_config() {	# spice_config FOLDER PORT
	local password='' ticket='"SpiceDisableTicketing" "True"'
	[ "${LAB_PRIVATE-1}" = 1 ] || { password=$(protocol_secret) && ticket="\"SpicePassword\" \"$password\""; }
	# shellcheck disable=SC2016
	lab_exec client sh -c 'umask 077; rm -rf "$HOME/$1" && mkdir -p "$HOME/$1/spicy" && cat >"$HOME/$1/password"' sh "${1##*/}" \
		<<<"$password" || return
	# shellcheck disable=SC2016
	lab_exec server sh -c 'umask 077; rm -rf "$1" && mkdir "$1" && cat >"$1/xorg.conf"' sh "$1" <<-END
		Section "ServerFlags"
			Option "AutoAddDevices" "False"
			Option "DontVTSwitch" "True"
			Option "BlankTime" "0"
		EndSection
		Section "Device"
			Identifier "device"
			Driver "spiceqxl"
			Option $ticket
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

# spice_client SESSION FOLDER: spicy over the whole display, with FOLDER in the client's home. It drops its menu when it is told by
# a window manager that it fills the screen; there is none, so the window gets that mark, and its size, from here.
spice_client() {
	# shellcheck disable=SC2016
	lab_exec client sh -c '
		printf "%s\n" "[general]" grab-keyboard=false grab-mouse=false resize-guest=false scaling=false \
			auto-clipboard=false "[ui]" toolbar=false statusbar=false >"$HOME/$1/spicy/settings"' sh "$2" || return
	protocol_run client "spice-$1-client" sh -c 'XDG_CONFIG_HOME=$HOME/$1 && export XDG_CONFIG_HOME && shift && exec env "$@"' \
		sh "$2" DISPLAY="$VIEWER_DISPLAY" NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory GIO_USE_VFS=local DBUS_SESSION_BUS_ADDRESS=disabled: \
		spicy -h "$LAB_ADDR_server" -p "$PROTOCOL_PORT" --title "thinprobe $1" --spice-disable-audio --spice-disable-usbredir
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		viewer_window "$VIEWER_DISPLAY" name '^Authentication$' 20 "$LAB_PID" &&
			lab_exec client env DISPLAY="$VIEWER_DISPLAY" sh -c 'xdotool type --file "$HOME/$1/password" && xdotool key Return' sh "$2"
	} || return
	viewer_window "$VIEWER_DISPLAY" name "thinprobe $1" 20 "$LAB_PID" &&
		lab_exec client env DISPLAY="$VIEWER_DISPLAY" xprop -id "$VIEWER_WINDOW" -f _NET_WM_STATE 32a \
		-set _NET_WM_STATE _NET_WM_STATE_FULLSCREEN &&
		viewer_fill "$VIEWER_DISPLAY" &&
		viewer_reaches "$VIEWER_DISPLAY" "$PROTOCOL_DISPLAY" 20 "$LAB_PID"
}

protocol_settings() {
	local server client
	server=$(protocol_version server libspice-server1)
	client=$(lab_exec client dpkg-query -W -f='${Version}' spice-client-gtk 2>/dev/null | sed 's/-[^-]*$//')
	# spicy holds a key's press back until its release, and sends both as one.
	jq -cn --arg version "$server" --arg client "$client" --arg geometry "$VIEWER_GEOMETRY" \
		--arg log_in "$([ "${LAB_PRIVATE-1}" = 1 ] && echo none || echo password)" '
		{server: "Xorg with spiceqxl", says: "SPICE (spice-server \($version); client spicy \($client))",
		version: $version, client: "spicy \($client)", frame_rate_per_s: null,
		geometry: $geometry, depth: 24, encodings: ["drawing commands", "auto_glz", "quic"],
		compression: "chosen for each image (auto_glz), without loss on a fast link",
		image_cache: true, video_streams: "filter", encryption: "none", log_in: $log_in, connections: "several, one port",
		floor_ms: 5,
		floor_of: "waiting for a key'"'"'s release (spicy sends it together with the press)", client_frame_rate_per_s: 60}'
}
