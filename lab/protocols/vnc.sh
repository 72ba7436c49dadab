# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# vnc.sh - VNC (RFB). Contract: README.md.
#
#   vnc           Xvnc of TigerVNC; keyrepeat is the client
#   vnc:viewer    the same, seen through vncviewer in a display of the client role, as a person sees it
#   vnc:x11vnc    x11vnc, which polls an Xvfb; keyrepeat is the client
#   vnc:refecho   the reference server on libvncserver, which is the application too; keyrepeat is the client
#
# VNC_FRAME_RATE (60; an experiment may set another) is Xvnc's frame clock. It does not run free: after an idle
# screen an update waits half a frame, and that is the floor of every latency measured.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

VNC_FRAME_RATE=${VNC_FRAME_RATE:-60}
VNC_POLL_MS=20	# x11vnc's own default

protocol_variants() { printf 'xvnc viewer x11vnc refecho\n'; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	refecho) printf 'VNC, the reference server on libvncserver (answers with a readable patch)\n' ;;
	x11vnc) printf 'VNC, x11vnc in front of an Xvfb\n' ;;
	viewer) printf 'VNC, Xvnc of TigerVNC at %s frames/s, client vncviewer\n' "$VNC_FRAME_RATE" ;;
	*) printf 'VNC, Xvnc of TigerVNC at %s frames/s\n' "$VNC_FRAME_RATE" ;;
	esac
}

# A server that draws by itself has no display for applications.
protocol_properties() {
	case $PROTOCOL_VARIANT in
	refecho) printf 'link own-echo\n' ;;
	viewer) printf 'display link view\n' ;;
	*) printf 'display link\n' ;;
	esac
}

protocol_can() {
	case $PROTOCOL_VARIANT in
	refecho) [ -x "$TP_BIN/refecho" ] || { printf '%s is not built; run: make\n' "$TP_BIN/refecho"; return 1; } ;;
	x11vnc) lab_needs server:x11vnc:x11vnc server:Xvfb:xvfb server:xset:x11-xserver-utils ;;
	viewer) lab_needs server:Xvnc:tigervnc-standalone-server server:xset:x11-xserver-utils server:xdotool:xdotool \
		client:vncviewer:tigervnc-viewer && viewer_can ;;
	*) lab_needs server:Xvnc:tigervnc-standalone-server server:xset:x11-xserver-utils ;;
	esac
}

protocol_start() {
	local session=$1 n why security=(-SecurityTypes None -ac)
	protocol_begin "$session" || return
	n=$(lab_display server) || cannot "no free X display${LAB_AT_server-}" || return
	PROTOCOL_PORT=$((5900 + n))
	PROTOCOL_DISPLAY=:$n
	PROTOCOL_TARGET=vnc:$(lab_url server):$PROTOCOL_PORT
	[ "$PROTOCOL_VARIANT" = refecho ] || [ "${LAB_PRIVATE-1}" = 1 ] || vnc_lock ||
		cannot "cannot set a password for the VNC session${LAB_AT_server-}: ${why:-it cannot be stored there}" || return
	case $PROTOCOL_VARIANT in
	refecho)
		PROTOCOL_DISPLAY=
		protocol_run ${APP_FLAGS[@]+"${APP_FLAGS[@]}"} server "vnc-$session" "$TP_BIN/refecho" \
			--vnc "$PROTOCOL_PORT" --listen "$LAB_ADDR_server" --cost "${APP_COST:-10ms}" \
			${APP_OPTIONS[@]+"${APP_OPTIONS[@]}"} ;;
	x11vnc) vnc_x11vnc "$session" "$n" || return ;;
	*)
		protocol_run server "vnc-$session" Xvnc ":$n" -geometry "$VIEWER_GEOMETRY" -depth 24 "${security[@]}" -rfbport "$PROTOCOL_PORT" \
			-AcceptSetDesktopSize=0 -noreset -nolisten tcp -FrameRate "$VNC_FRAME_RATE" -desktop "thinprobe $session" ;;
	esac
	# By fact, and not by a connection, which the server would take for a client.
	lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT" && vnc_answers "vnc-$session" ||
		protocol_failed "$session" "the VNC server did not start" "$LAB_LOG/vnc-$session.err" || return
	[ "$PROTOCOL_VARIANT" != viewer ] || vnc_viewer "$session"
}

# x11vnc polls the screen of an Xvfb. Its own pace, as it comes: the waiting between two looks, and before an update.
vnc_x11vnc() {
	local who=(-nopw) lock=(-ac)
	[ "${LAB_PRIVATE-1}" = 1 ] || who=(-rfbauth "$LAB_RUN/vnc.passwd" -auth "$LAB_RUN/vnc.cookie") lock=(-auth "$LAB_RUN/vnc.cookie")
	protocol_run server "vnc-$1-display" Xvfb ":$2" -screen 0 "${VIEWER_GEOMETRY}x24" "${lock[@]}" -noreset -nolisten tcp
	lab_comes 20 "$LAB_PID" display_answers server "$PROTOCOL_DISPLAY" ||
		protocol_failed "$1" "the X display for x11vnc did not start" "$LAB_LOG/vnc-$1-display.err" || return
	protocol_run server "vnc-$1" x11vnc -norc -quiet -display "$PROTOCOL_DISPLAY" -listen "$LAB_ADDR_server" \
		-rfbport "$PROTOCOL_PORT" -no6 -noipv6 -forever -shared "${who[@]}" \
		-wait "$VNC_POLL_MS" -defer "$VNC_POLL_MS" -noclipboard -noprimary -desktop "thinprobe $1"
	PROTOCOL_PIDS="$LAB_PID ${PROTOCOL_PIDS% *}"	# the server first
}

# The option of vncviewer against its greeting, which would change pixels: up to 1.15 it names the key of the menu, then the keys of
# all actions.
vnc_no_greeting() { lab_exec client vncviewer --help 2>&1 | sed -n 's/^ *\(MenuKey\|ShortcutModifiers\) .*/-\1=/p'; }

# What a person has in front of him. Encoding, colours and quality are of its own choice (AutoSelect); no window manager, so
# size and place of the window are given from here.
vnc_viewer() {
	local security=(-SecurityTypes=None)
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		lab_exec server cat "$LAB_RUN/vnc.passwd" | lab_put client - "$LAB_RUN/vnc.viewer" ||
			cannot "cannot store the password for the viewer${LAB_AT_client-}" || return
		security=(-SecurityTypes=VncAuth -PasswordFile "$LAB_RUN/vnc.viewer")
	}
	viewer_display "$1" || return
	protocol_run client "vnc-$1-client" env DISPLAY="$VIEWER_DISPLAY" vncviewer -Shared -RemoteResize=0 \
		"$(vnc_no_greeting)" -ReconnectOnError=0 -AcceptClipboard=0 -SendClipboard=0 -SendPrimary=0 \
		"${security[@]}" "$(lab_url server)::$PROTOCOL_PORT"
	PROTOCOL_OPTIONS=()
	# It leaves room for a title bar, and hands no motion on before the first click.
	viewer_window "$VIEWER_DISPLAY" name "thinprobe $1" 20 "$LAB_PID" && viewer_fill "$VIEWER_DISPLAY" &&
		lab_exec client env DISPLAY="$VIEWER_DISPLAY" xdotool click 1 &&
		viewer_reaches "$VIEWER_DISPLAY" "$PROTOCOL_DISPLAY" 20 "$LAB_PID" ||
		protocol_failed "$1" "vncviewer does not show the session" "$LAB_LOG/vnc-$1-client.err"
}

# Where others are on the network or the machine: a password of this run for the port, which is
# there at the client's address only, and a cookie of this run for the display.
# shellcheck disable=SC2001 # bash knows & in a replacement from 5.2 on
vnc_lock() {
	local cookie
	command -v openssl >/dev/null || { why='openssl is missing here; apt-get install --no-install-recommends openssl'; return 1; }
	if [ -z "${VNC_PASSWORD-}" ]; then
		VNC_PASSWORD=$(openssl rand -base64 6) && cookie=$(openssl rand -hex 16) || return
		lab_put client - "$LAB_RUN/vnc.password" <<<"$VNC_PASSWORD" &&
			printf %s "$VNC_PASSWORD" | openssl enc -des-ede3-ecb -nopad -K "$VIEWER_VNC_KEY" |
			lab_put server - "$LAB_RUN/vnc.passwd" &&
			# any address, no display number, name, 16 bytes
			printf '\377\377\0\0\0\0\0\022MIT-MAGIC-COOKIE-1\0\020%b' "$(sed 's/../\\x&/g' <<<"$cookie")" |
			lab_put server - "$LAB_RUN/vnc.cookie" || return
	fi
	# Each time: where another protocol takes its cookie away, xauth takes the one for any display as well.
	# shellcheck disable=SC2016
	lab_exec server sh -c 'umask 077; xauth -q -f "$HOME/.Xauthority" merge "$1" 2>/dev/null || cp -- "$1" "$HOME/.Xauthority"' \
		sh "$LAB_RUN/vnc.cookie" || return
	security=(-SecurityTypes VncAuth -PasswordFile "$LAB_RUN/vnc.passwd" -interface "$LAB_ADDR_server" -auth "$LAB_RUN/vnc.cookie")
	PROTOCOL_OPTIONS=(--password-file "$LAB_RUN/vnc.password")
}

vnc_answers() {	# vnc_answers NAME
	if [ -z "$PROTOCOL_DISPLAY" ]; then lab_ready "$1" 20; else display_awaited 20 /dev/null; fi
}

protocol_settings() {
	local version client=''
	case $PROTOCOL_VARIANT in
	refecho)
		version=$(lab_exec server "$TP_BIN/refecho" --version 2>&1 | head -n 1)
		jq -cn --arg version "$version" '{server: "refecho (libvncserver)", says: "VNC (refecho on libvncserver)",
			version: $version, frame_rate_per_s: null,
			encodings: ["client chooses"], compression: "client chooses", encryption: "none", floor_ms: 0}'
		return ;;
	x11vnc)
		version=$(lab_exec server x11vnc -version 2>/dev/null | sed -n 's/^x11vnc: \([0-9][0-9.]*\).*/\1/p' | head -n 1)
		# It looks at the screen, and waits again before it sends what has changed.
		jq -cn --arg version "$version" --argjson poll "$VNC_POLL_MS" \
			--arg geometry "$VIEWER_GEOMETRY" '{server: "x11vnc", says: "VNC (x11vnc \($version), a look each \($poll) ms)",
			version: $version, frame_rate_per_s: null, poll_ms: $poll, defer_ms: $poll, geometry: $geometry,
			depth: 24, encodings: ["client chooses"], compression: "client chooses",
			encryption: "none", floor_ms: $poll, floor_of: "x11vnc'"'"'s waiting before it sends"}'
		return ;;
	viewer) client=$(lab_exec client vncviewer --version 2>&1 | sed -n 's/.*TigerVNC.* v\([0-9][0-9.]*\).*/\1/p' | head -n 1) ;;
	esac
	# (1.15 says it only to -help, 1.16 only to -version)
	version=$(lab_exec server sh -c 'Xvnc -version; Xvnc -help' 2>&1 |
		sed -n 's/.*TigerVNC \([0-9][0-9.]*\).*/\1/p' | head -n 1)
	jq -cn --arg version "$version" --argjson rate "$VNC_FRAME_RATE" --arg geometry "$VIEWER_GEOMETRY" \
		--arg viewer "$PROTOCOL_VARIANT" --arg client "$client" '
		(if $viewer == "viewer" then "; client vncviewer \($client)" else "" end) as $by
		| {server: "Xvnc (TigerVNC)", says: "VNC (Xvnc \($version), \($rate) frames/s\($by))", version: $version,
		frame_rate_per_s: $rate, geometry: $geometry, depth: 24,
		encodings: ["client chooses"], compression: "client chooses", encryption: "none",
		floor_ms: (500 / $rate * 100 | round / 100)} + (if $viewer == "viewer" then {client: "vncviewer \($client)",
		encodings: ["Tight first, chosen by the viewer"], compression: "Tight, level 2; JPEG where colours are many"} else {} end)'
}
