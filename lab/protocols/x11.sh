# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for who uses the plug-in; LAB_ ones are the lab's
# x11.sh - remote X: the display (Xvfb) is in front of the user, applications connect to it across the link. Contract: README.md.
#
# Roles are those of a person, not of X: what X calls its server runs in the client role. Display data flows from the
# applications to it, so the capture is told who owns the port (x11:PORT). There is no frame clock: what is drawn is
# there at once, and the only floor is the link's.
#
# Who may connect is decided by a cookie of this run, in the .Xauthority of both roles; it never stands on a command line.

X11_GEOMETRY=${X11_GEOMETRY:-1024x768}
declare -gA X11_PID X11_NUMBER	# stay when a driver comes back from another protocol

protocol_about() { printf 'remote X: applications draw across the link on a display of the client (Xvfb)\n'; }
protocol_kind() { printf 'display\n'; }
protocol_packages() { printf 'xvfb xauth x11-xserver-utils\n'; }

protocol_can() {
	lab_has client Xvfb || { printf 'Xvfb is missing%s; apt-get install --no-install-recommends xvfb\n' "${LAB_AT_client-}"; return 1; }
	x11_xauth client && x11_xauth server || return
	lab_has server xset || { printf 'xset is missing%s; apt-get install --no-install-recommends x11-xserver-utils\n' "${LAB_AT_server-}"; return 1; }
}

x11_xauth() {	# x11_xauth ROLE
	local at=LAB_AT_$1
	lab_has "$1" xauth || { printf 'xauth is missing%s; apt-get install --no-install-recommends xauth\n' "${!at-}"; return 1; }
}

protocol_start() {
	local session=$1 n=1 why cookie
	why=$(protocol_can) || die "-$EXIT_MISSING" "$why"
	[ -z "${X11_PID[$session]-}" ] || die "session $session runs already"
	# In the lab all numbers are free but for our own; on a shared machine others have displays too. prototap knows 6000 to 6063.
	while [ $n -lt 63 ] && { lab_listens client $((6000 + n)) || ! lab_exec client test ! -e "/tmp/.X11-unix/X$n"; }; do n=$((n + 1)); done
	PROTOCOL_PORT=x11:$((6000 + n))
	PROTOCOL_DISPLAY=$LAB_ADDR_client:$n
	PROTOCOL_TARGET=x11::$n
	cookie=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
	{ x11_cookie client add ":$n" . "$cookie" && x11_cookie server add "$PROTOCOL_DISPLAY" . "$cookie"; } 2>>"$LAB_LOG/x11-$session.auth" ||
		die "the cookie of display $n could not be written: $(tail -n 1 -- "$LAB_LOG/x11-$session.auth")"
	X11_NUMBER[$session]=$n
	# In front of a person, a display has a machine to itself. Here it shares its CPU with the probe and whatever else runs, so it
	# goes before all but the probe, where that is allowed.
	# shellcheck disable=SC2016
	lab_start client "x11-$session" sh -c '
		set -- Xvfb ":$1" -screen 0 "$2x24" -auth "$HOME/.Xauthority" -noreset -listen tcp
		! chrt -f 10 true 2>/dev/null || set -- chrt -f 10 "$@"
		exec "$@"' sh "$n" "$X11_GEOMETRY"
	PROTOCOL_PIDS=$LAB_PID
	X11_PID[$session]=$LAB_PID
	# The port is listened on before requests are taken; asked from where the applications will be.
	# shellcheck disable=SC2016
	if ! wait_until 20 x11_listens_or_ended "$LAB_PID" "$n" || lab_gone "$LAB_PID" ||
		! lab_exec server timeout 20 sh -c 'until DISPLAY=$1 timeout 5 xset q; do sleep 0.05; done' sh "$PROTOCOL_DISPLAY" >/dev/null 2>"$LAB_LOG/x11-$session.ask"; then
		why=$(cat -- "$LAB_LOG/x11-$session.err" "$LAB_LOG/x11-$session.ask" 2>/dev/null | grep . | tail -n 1)
		protocol_stop "$session"
		die "the X display did not start: ${why:-it said nothing}; see $LAB_LOG/x11-$session.err"
	fi
	rm -f "$LAB_LOG/x11-$session.auth" "$LAB_LOG/x11-$session.ask"
}

x11_listens_or_ended() { lab_listens client $((6000 + $2)) || lab_gone "$1"; }

# x11_cookie ROLE WORDS...: one command to xauth there, through a pipe.
x11_cookie() {
	local role=$1
	shift
	# shellcheck disable=SC2016
	lab_exec "$role" sh -c 'umask 077; exec xauth -q -f "$HOME/.Xauthority" source -' <<<"$*"
}

protocol_settings() {
	local version=''
	# Xvfb itself tells no version.
	# shellcheck disable=SC2016
	version=$(lab_exec client dpkg-query -W -f='${Version}' xvfb 2>/dev/null | sed 's/^[0-9]*://; s/[-+].*//')
	jq -cn --arg version "$version" --arg geometry "$X11_GEOMETRY" '{server: "Xvfb", says: "remote X (Xvfb\(if $version == "" then "" else " " + $version end) at the client)",
		version: $version, display_at: "client", frame_rate_per_s: null, geometry: $geometry, depth: 24, encodings: ["X11 requests"], compression: "none",
		encryption: "none", authorization: "MIT-MAGIC-COOKIE-1", floor_ms: 0}'
}

# protocol_stop [SESSION]: that one, or all.
protocol_stop() {
	local session
	for session in "${!X11_PID[@]}"; do
		[ $# -eq 0 ] || [ "$session" = "$1" ] || continue
		lab_stop "${X11_PID[$session]}"
		x11_cookie client remove ":${X11_NUMBER[$session]}" 2>/dev/null
		x11_cookie server remove "$LAB_ADDR_client:${X11_NUMBER[$session]}" 2>/dev/null
		unset "X11_PID[$session]" "X11_NUMBER[$session]"
	done
}
