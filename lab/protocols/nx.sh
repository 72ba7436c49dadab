# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# nx.sh - NX: X11 through two proxies that compress it (nxproxy; what LBX once did), or with
# nx:agent a nested X server between them, which keeps the round trips of applications at the
# server. Contract: README.md.
#
# NX is told that the link is a modem, whatever the real link is: this switches on delta coding and
# zlib, which its words lan and wan leave out.
#
# nx: the applications' windows stand on the client's display by themselves, and every request of
# theirs is answered there. nx:agent: they are on nxagent's screen, one window that fills the
# client's display.
# Who may connect is decided by a cookie of this run: each proxy asks the other for it, the display
# of the applications asks for it, and the client's proxy puts that display's own in its place.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

protocol_variants() { printf 'proxy agent\n'; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	agent) printf 'NX, nxagent: a nested X server, its requests compressed (link modem)\n' ;;
	*) printf 'NX, nxproxy: compressed X11, as LBX was (link modem)\n' ;;
	esac
}

protocol_properties() { printf 'display link view pictures-cached\n'; }

nx_program() { [ "$PROTOCOL_VARIANT" = agent ] && printf nxagent || printf nxproxy; }

protocol_can() {
	viewer_can && lab_needs client:nxproxy:nxproxy "server:$(nx_program):$(nx_program)" server:xauth:xauth \
		server:xset:x11-xserver-utils
}

# The proxy of display N listens on port 4000+N and lets go of it when its peer has come: our own
# numbers are remembered. nxproxy makes the socket of the display itself and takes no other's place.
nx_number() {
	local n key used=' '
	for key in "${!PROTOCOL_KEPT[@]}"; do [[ $key != nx-* ]] || used+="${PROTOCOL_KEPT[$key]} "; done
	for ((n = 1; n < 60; n++)); do
		[[ $used != *" $n "* ]] && ! lab_listens server $((4000 + n)) && ! lab_listens server $((6000 + n)) &&
			lab_exec server test ! -e "/tmp/.X11-unix/X$n" -a ! -e "/tmp/.X$n-lock" || continue
		NX_N=$n
		return 0
	done
	return 1
}

# What only the owner may read, to a role. The folder has the number of the display: a session's name may be any.
nx_options() {	# nx_options ROLE WORDS
	lab_exec "$1" sh -c 'umask 077; mkdir -p "$HOME/nx-$1" && sed "s|HOME|$HOME/nx-$1|" >"$HOME/nx-$1/options"' sh "$NX_N" <<<"$2"
}

protocol_start() {
	local session=$1 name=nx-$1 log=$LAB_LOG/nx-$1 n NX_N=''
	protocol_begin "$session" && viewer_display "$session" || return
	nx_number || cannot "no free X display${LAB_AT_server-}" || return
	n=$NX_N
	protocol_keep "$n"
	PROTOCOL_PORT=$((4000 + n)) PROTOCOL_DISPLAY=:$n
	nx_share "$name" || protocol_failed "$session" "cannot write the X cookie of display :$n" "$log.auth" || return
	nx_serve "$session" "$n"
	lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT" ||
		protocol_failed "$session" "the NX server did not start" "$log.err" || return
	protocol_run client "$name-client" sh -c '
		folder=$HOME/nx-$1
		export NX_SYSTEM="$folder" NX_HOME="$folder" XAUTHORITY="$HOME/.Xauthority" DISPLAY="$2"
		exec nxproxy -S "nx/nx,options=$folder/options:$1"' sh "$n" "$VIEWER_DISPLAY"
	# A request before the proxies have met would wait for seconds.
	lab_comes 20 "$LAB_PID" grep -q '^Session: Session started' "$log.err" ||
		protocol_failed "$session" "the NX proxies of client and server did not connect in 20 s" \
			"$log-client.err" "$log.err" || return
	display_awaited 30 "$log.auth" ||
		protocol_failed "$session" "the X display of the NX session does not answer" "$log.auth" "$log.err" || return
	[ "$PROTOCOL_VARIANT" != agent ] || viewer_window "$VIEWER_DISPLAY" class '^NXAgent$' 20 ||
		protocol_failed "$session" "the window of the NX session did not appear in 20 s" "$log.err" || return
	rm -f "$log.auth"
}

# Cookie and options for both ends.
nx_share() {	# nx_share NAME
	local VIEWER_COOKIE
	VIEWER_COOKIE=$(protocol_secret)
	{
		viewer_cookie server add ":$NX_N" &&
			nx_options server "nx/nx,root=HOME,link=modem,cookie=$VIEWER_COOKIE,listen=$PROTOCOL_PORT,accept=$LAB_ADDR_client:$NX_N" &&
			nx_options client "nx/nx,root=HOME,cookie=$VIEWER_COOKIE,connect=$LAB_ADDR_server,port=$PROTOCOL_PORT:$NX_N"
	} 2>>"$LAB_LOG/$1.auth"
}

# (nxagent makes a window of any other size three quarters of that where there is no window manager.)
nx_serve() {	# nx_serve SESSION NUMBER
	local what=(nxproxy -C)
	[ "$PROTOCOL_VARIANT" != agent ] || what=(nxagent -noreset -nolisten tcp -name "thinprobe $1" -geometry fullscreen)
	protocol_run server "nx-$1" sh -c '
		number=$1 folder=$HOME/nx-$1
		export NX_SYSTEM="$folder" NX_HOME="$folder" XAUTHORITY="$HOME/.Xauthority" DISPLAY="nx/nx,options=$folder/options:$number"
		shift
		case $1 in
		nxagent) exec "$@" -auth "$XAUTHORITY" ":$number" ;;
		*) exec "$@" "$DISPLAY" ;;
		esac' sh "$2" "${what[@]}"
}

protocol_settings() {
	local version
	version=$(lab_exec server nxproxy -v 2>&1 | sed -n 's/.*Version \([0-9.]*\).*/\1/p' | head -n 1)
	jq -cn --arg version "$version" --arg program "$(nx_program)" --arg geometry "$VIEWER_GEOMETRY" '
		{server: $program, says: "NX (\($program)\(if $version == "" then "" else " " + $version end), link modem)",
		version: $version, client: "nxproxy", display_at: "client",
		frame_rate_per_s: null, geometry: $geometry, depth: 24, link: "modem",
		encodings: ["X11 requests, delta coded"], compression: "zlib", encryption: "none",
		authorization: "cookie, MIT-MAGIC-COOKIE-1", floor_ms: 0}'
}

protocol_ended() {
	local n=${PROTOCOL_KEPT[$PROTOCOL_KEY]-}
	[ -n "$n" ] || return 0
	# One that had to be killed leaves them.
	lab_exec server rm -f "/tmp/.X11-unix/X$n" "/tmp/.X$n-lock"
	protocol_forget "nx-$n" ":$n"
}
