# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for who uses the plug-in; LAB_ ones are the lab's
# vnc.sh - VNC (RFB): Xvnc of TigerVNC, or with vnc:refecho the reference server on libvncserver. Contract: README.md.
#
# VNC_FRAME_RATE (60) sets Xvnc's frame clock. It does not run free: after an idle screen an update waits half a
# frame, and that is the floor of every latency measured.

VNC_FRAME_RATE=${VNC_FRAME_RATE:-60}
VNC_GEOMETRY=${VNC_GEOMETRY:-1024x768}
declare -gA VNC_PID	# stays when a driver comes back from another protocol

protocol_variants() { printf 'xvnc refecho\n'; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	refecho) printf 'VNC, the reference server on libvncserver (answers with a readable patch)\n' ;;
	*) printf 'VNC, Xvnc of TigerVNC at %s frames/s\n' "$VNC_FRAME_RATE" ;;
	esac
}

# A server that draws by itself has no display for applications.
protocol_kind() {
	case $PROTOCOL_VARIANT in
	refecho) printf 'application\n' ;;
	*) printf 'display\n' ;;
	esac
}

protocol_packages() {
	[ "$PROTOCOL_VARIANT" = refecho ] || printf 'tigervnc-standalone-server x11-xserver-utils\n'
}

protocol_can() {
	case $PROTOCOL_VARIANT in
	refecho) [ -x "$TP_BIN/refecho" ] || { printf '%s is not built; run: make\n' "$TP_BIN/refecho"; return 1; } ;;
	*)
		lab_has server Xvnc || { printf 'Xvnc is missing%s; apt-get install --no-install-recommends tigervnc-standalone-server\n' "${LAB_AT_server-}"; return 1; }
		lab_has server xset || { printf 'xset is missing%s; apt-get install --no-install-recommends x11-xserver-utils\n' "${LAB_AT_server-}"; return 1; } ;;
	esac
}

protocol_start() {
	local session=$1 n why security=(-SecurityTypes None -ac)
	why=$(protocol_can) || die "-$EXIT_MISSING" "$why"
	[ -z "${VNC_PID[$session]-}" ] || die "session $session runs already"
	n=$(lab_display server) || die "no free X display${LAB_AT_server-}"
	PROTOCOL_OPTIONS=() PROTOCOL_VIEW=
	PROTOCOL_PORT=$((5900 + n))
	PROTOCOL_TARGET=vnc:$LAB_ADDR_server:$PROTOCOL_PORT
	if [ "$PROTOCOL_VARIANT" = refecho ]; then
		PROTOCOL_DISPLAY=
		lab_start ${APP_FLAGS[@]+"${APP_FLAGS[@]}"} server "vnc-$session" "$TP_BIN/refecho" --vnc "$PROTOCOL_PORT" --listen "$LAB_ADDR_server" --cost "${APP_COST:-10ms}" --cost-per redraw \
			${APP_OPTIONS[@]+"${APP_OPTIONS[@]}"}
	else
		PROTOCOL_DISPLAY=:$n
		[ "${LAB_PRIVATE-1}" = 1 ] || vnc_lock || die "cannot keep others out of the VNC session${LAB_AT_server-}: ${why:-the password cannot be stored there}"
		lab_start server "vnc-$session" Xvnc ":$n" -geometry "$VNC_GEOMETRY" -depth 24 "${security[@]}" -rfbport "$PROTOCOL_PORT" \
			-AcceptSetDesktopSize=0 -noreset -nolisten tcp -FrameRate "$VNC_FRAME_RATE" -desktop "thinprobe $session"
	fi
	PROTOCOL_PIDS=$LAB_PID
	VNC_PID[$session]=$LAB_PID
	# By fact, and not by a connection, which the server would take for a client.
	if ! wait_until 20 vnc_listens_or_ended "$LAB_PID" || lab_gone "$LAB_PID" || ! vnc_answers "vnc-$session"; then
		why=$(tail -n 1 -- "$LAB_LOG/vnc-$session.err")
		protocol_stop "$session"
		die "the VNC server did not start: ${why:-it said nothing}; see $LAB_LOG/vnc-$session.err"
	fi
}

# Where others are on the network or the machine: a password of this run for the port, which is there at the client's address only, and a
# cookie of this run for the display. The password file is one DES block with a key that everybody knows (three times one key is single DES).
# shellcheck disable=SC2001 # bash knows & in a replacement from 5.2 on
vnc_lock() {
	local cookie
	command -v openssl >/dev/null || { why='openssl is missing here; apt-get install --no-install-recommends openssl'; return 1; }
	if [ -z "${VNC_PASSWORD-}" ]; then
		VNC_PASSWORD=$(openssl rand -base64 6) && cookie=$(openssl rand -hex 16) || return
		lab_put client - "$LAB_RUN/vnc.password" <<<"$VNC_PASSWORD" &&
			printf %s "$VNC_PASSWORD" | openssl enc -des-ede3-ecb -nopad -K e84ad660c4721ae0e84ad660c4721ae0e84ad660c4721ae0 |
			lab_put server - "$LAB_RUN/vnc.passwd" &&
			# any address, no display number, name, 16 bytes
			printf '\377\377\0\0\0\0\0\022MIT-MAGIC-COOKIE-1\0\020%b' "$(sed 's/../\\x&/g' <<<"$cookie")" |
			lab_put server - "$LAB_RUN/vnc.cookie" && lab_exec server sh -c 'cp -- "$1" "$HOME/.Xauthority"' sh "$LAB_RUN/vnc.cookie" || return
	fi
	security=(-SecurityTypes VncAuth -PasswordFile "$LAB_RUN/vnc.passwd" -interface "$LAB_ADDR_server" -auth "$LAB_RUN/vnc.cookie")
	PROTOCOL_OPTIONS=(--password-file "$LAB_RUN/vnc.password")
}

vnc_listens_or_ended() { lab_listens server "$PROTOCOL_PORT" || lab_gone "$1"; }

vnc_answers() {
	if [ -z "$PROTOCOL_DISPLAY" ]; then
		lab_ready "$1" 20
	else
		# shellcheck disable=SC2016
		lab_exec server timeout 20 sh -c 'until DISPLAY=$1 timeout 5 xset q; do sleep 0.05; done' sh "$PROTOCOL_DISPLAY" >/dev/null 2>&1
	fi
}

protocol_settings() {
	local version
	if [ "$PROTOCOL_VARIANT" = refecho ]; then
		version=$(lab_exec server "$TP_BIN/refecho" --version 2>&1 | head -n 1)
		jq -cn --arg version "$version" '{server: "refecho (libvncserver)", says: "VNC (refecho on libvncserver)", version: $version, frame_rate_per_s: null,
			encodings: ["client chooses"], compression: "client chooses", encryption: "none", floor_ms: 0}'
	else
		version=$(lab_exec server Xvnc -version 2>&1 | sed -n 's/.*TigerVNC \([0-9][0-9.]*\).*/\1/p' | head -n 1)
		jq -cn --arg version "$version" --argjson rate "$VNC_FRAME_RATE" --arg geometry "$VNC_GEOMETRY" \
			'{server: "Xvnc (TigerVNC)", says: "VNC (Xvnc \($version), \($rate) frames/s)", version: $version, frame_rate_per_s: $rate, geometry: $geometry, depth: 24,
			encodings: ["client chooses"], compression: "client chooses", encryption: "none",
			floor_ms: (500 / $rate * 100 | round / 100)}'
	fi
}

# protocol_stop [SESSION]: that one, or all.
protocol_stop() {
	local session
	for session in "${!VNC_PID[@]}"; do
		[ $# -eq 0 ] || [ "$session" = "$1" ] || continue
		lab_stop "${VNC_PID[$session]}"
		unset "VNC_PID[$session]"
	done
}
