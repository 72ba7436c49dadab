# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for who uses the plug-in; LAB_ ones are the lab's
# vnc.sh - VNC (RFB): Xvnc of TigerVNC, or with vnc:refecho the reference server on libvncserver. Contract: README.md.
#
# VNC_FRAME_RATE (60) sets Xvnc's frame clock. It does not run free: after an idle screen an update waits half a
# frame, and that is the floor of every latency measured.

VNC_FRAME_RATE=${VNC_FRAME_RATE:-60}
VNC_GEOMETRY=${VNC_GEOMETRY:-1024x768}
declare -gA VNC_PID=()

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
	'' | xvnc)
		command -v Xvnc >/dev/null || { printf 'Xvnc is missing; apt-get install --no-install-recommends tigervnc-standalone-server\n'; return 1; }
		command -v xset >/dev/null || { printf 'xset is missing; apt-get install --no-install-recommends x11-xserver-utils\n'; return 1; } ;;
	*) printf "no variant '%s' of vnc; there are: xvnc refecho\n" "$PROTOCOL_VARIANT"; return 1 ;;
	esac
}

protocol_start() {
	local session=$1 n=1 why
	why=$(protocol_can) || die "-$EXIT_MISSING" "$why"
	[ -z "${VNC_PID[$session]-}" ] || die "session $session runs already"
	# In the lab all numbers are free but for our own; on a shared machine others listen too.
	while [ $n -lt 100 ] && { lab_listens server $((5900 + n)) || lab_listens server $((6000 + n)); }; do n=$((n + 1)); done
	PROTOCOL_PORT=$((5900 + n))
	PROTOCOL_TARGET=vnc:$LAB_ADDR_server:$PROTOCOL_PORT
	if [ "$PROTOCOL_VARIANT" = refecho ]; then
		PROTOCOL_DISPLAY=
		lab_start server "vnc-$session" "$TP_BIN/refecho" --vnc "$PROTOCOL_PORT" --listen "$LAB_ADDR_server" --cost "${APP_COST:-10ms}" --cost-per redraw \
			${APP_OPTIONS[@]+"${APP_OPTIONS[@]}"}
	else
		PROTOCOL_DISPLAY=:$n
		lab_start server "vnc-$session" Xvnc ":$n" -geometry "$VNC_GEOMETRY" -depth 24 -SecurityTypes None -rfbport "$PROTOCOL_PORT" \
			-AcceptSetDesktopSize=0 -ac -noreset -nolisten tcp -FrameRate "$VNC_FRAME_RATE" -desktop "thinprobe $session"
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
		version=$("$TP_BIN/refecho" --version 2>&1 | head -n 1)
		jq -cn --arg version "$version" '{server: "refecho (libvncserver)", says: "VNC (refecho on libvncserver)", version: $version, frame_rate_per_s: null,
			encodings: ["client chooses"], compression: "client chooses", encryption: "none", floor_ms: 0}'
	else
		version=$(Xvnc -version 2>&1 | sed -n 's/.*TigerVNC \([0-9][0-9.]*\).*/\1/p' | head -n 1)
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
