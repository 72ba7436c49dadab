# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # PROTOCOL_ variables are for users of the plug-in; LAB_ and VIEWER_ ones are the lab's
# rdp.sh - RDP: xrdp, and xfreerdp in a display of the client role. Contract: README.md.
#
#   rdp        applications draw on an Xorg with xrdp's own module (xorgxrdp): the usual way
#   rdp:vnc    they draw on an Xvnc, which xrdp shows through its VNC module (libvnc)
#   rdp:cache  as rdp, and the client keeps bitmaps to be shown again, which xfreerdp does only when it is told to
#
# No log-in manager: xrdp is told where the display is, so nobody is asked who he is, and no daemon
# of the package is needed. That is for the emulated hosts alone, where nobody else is on the link.
# Sockets, certificate and configuration are in the host's own /tmp, which ends with it: their names
# must be short, and a run folder is for results.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

RDP_XORG=/usr/lib/xorg/Xorg

protocol_variants() { printf 'xorg vnc cache\n'; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	vnc) printf 'RDP, xrdp in front of an Xvnc, client xfreerdp\n' ;;
	cache) printf 'RDP, xrdp with xorgxrdp, client xfreerdp with its bitmap cache\n' ;;
	*) printf 'RDP, xrdp with xorgxrdp, client xfreerdp\n' ;;
	esac
}

protocol_properties() { printf 'display link view%s\n' "$([ "$PROTOCOL_VARIANT" != cache ] || echo ' pictures-cached')"; }
protocol_packages() {
	printf 'xrdp %s freerdp2-x11 openssl xvfb xauth x11-xserver-utils xdotool\n' \
		"$([ "$PROTOCOL_VARIANT" = vnc ] && echo tigervnc-standalone-server || echo xorgxrdp)"
}

protocol_can() {
	local module
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		printf 'without a log-in its session would be open to others on the network; run it in the emulated lab (--on lab)\n'
		return 1
	}
	lab_needs server:xrdp:xrdp server:xset:x11-xserver-utils server:openssl:openssl \
		"server:$([ "$PROTOCOL_VARIANT" = vnc ] && echo Xvnc:tigervnc-standalone-server ||
			echo "$RDP_XORG:xserver-xorg-core")" || return
	module=${RDP_XORG%/*}/modules/libxorgxrdp.so
	[ "$PROTOCOL_VARIANT" = vnc ] || [ -f "$module" ] || {
		printf '%s is missing; apt-get install --no-install-recommends xorgxrdp\n' "$module"
		return 1
	}
	[ -n "$(rdp_client)" ] || { printf 'xfreerdp is missing; apt-get install --no-install-recommends freerdp2-x11\n'; return 1; }
	viewer_can
}

rdp_client() {
	local name
	for name in xfreerdp xfreerdp3; do ! lab_has client "$name" || { printf %s "$name"; return; }; done
}

# The third generation of the client has other words for it.
rdp_cache() {
	local kept=-
	[ "$PROTOCOL_VARIANT" != cache ] || kept=+
	case $(rdp_client) in
	*3) printf '/cache:bitmap:%s' "$([ $kept = + ] && echo on || echo off)" ;;
	*) printf '%sbitmap-cache' "$kept" ;;
	esac
}

protocol_start() {
	local session=$1 n folder log=$LAB_LOG/rdp-$1
	protocol_begin "$session" || return
	n=$(lab_display server) || cannot "no free X display" || return
	folder=/tmp/rdp-$n
	PROTOCOL_DISPLAY=:$n
	PROTOCOL_PORT=$((3388 + n))	# 3389 where that is free
	while lab_listens server "$PROTOCOL_PORT"; do PROTOCOL_PORT=$((PROTOCOL_PORT + 100)); done
	rdp_prepare "$folder" "$n" "$PROTOCOL_PORT" 2>"$log.err" ||
		cannot "cannot make xrdp's certificate and configuration: $(tail -n 1 -- "$log.err")" || return
	rdp_display "$session" "$n" "$folder"
	lab_comes 20 "$LAB_PID" display_answers server ":$n" || {
		# its log is in the host's /tmp; it is kept
		lab_exec server sh -c 'test -f "$1" && exec cat "$1"' sh "$folder/xorg.log" >>"$log-display.err" 2>/dev/null
		protocol_failed "$session" "RDP: the display did not start" "$log-display.err"
		return
	}
	protocol_run server "rdp-$session" xrdp --nodaemon --config "$folder/xrdp.ini"
	lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT" ||
		protocol_failed "$session" "RDP: the server did not start" "$log.err" "$log.out" || return
	viewer_display "$session" || return
	# /gfx would need a newer server; colours as they are on the server, nothing beside the picture. It
	# wants a home that it may write to.
	protocol_run client "rdp-$session-client" env DISPLAY="$VIEWER_DISPLAY" "$(rdp_client)" \
		"/v:$LAB_ADDR_server:$PROTOCOL_PORT" /cert:ignore /sec:tls /u:none /p:none \
		"/size:$VIEWER_GEOMETRY" /bpp:24 "$(rdp_cache)" -decorations -clipboard -grab-keyboard /audio-mode:2 "/t:thinprobe $session"
	PROTOCOL_VIEW=$VIEWER_DISPLAY PROTOCOL_TARGET=x11:$VIEWER_DISPLAY
	viewer_window "$VIEWER_DISPLAY" name "thinprobe $session" 20 "$LAB_PID" &&
		viewer_reaches "$VIEWER_DISPLAY" "$PROTOCOL_DISPLAY" 20 "$LAB_PID" ||
		protocol_failed "$session" "RDP: the client did not start" "$log-client.err" "$log-client.out"
}

# rdp_prepare FOLDER N PORT: what xrdp is told. A port that begins with / is a socket: the display is there already.
rdp_prepare() {
	# shellcheck disable=SC2016
	lab_exec server sh -c '
		umask 077
		rm -rf "$1" && mkdir "$1" "$1/sock" && cd "$1" && cat >xrdp.ini &&
		openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=thinprobe' sh "$1" <<-END
		[Globals]
		ini_version=1
		fork=false
		port=tcp://:$3
		tcp_nodelay=true
		tcp_keepalive=true
		security_layer=tls
		crypt_level=low
		certificate=$1/cert.pem
		key_file=$1/key.pem
		ssl_protocols=TLSv1.2, TLSv1.3
		autorun=$([ "$PROTOCOL_VARIANT" = vnc ] && echo VNC || echo XORG)
		allow_channels=true
		allow_multimon=false
		bitmap_cache=true
		bitmap_compression=true
		bulk_compression=false
		max_bpp=24
		new_cursors=true
		use_fastpath=both
		require_credentials=false
		enable_token_login=false
		[Logging]
		LogFile=/dev/null
		LogLevel=INFO
		EnableSyslog=false
		EnableConsole=true
		ConsoleLevel=INFO
		[Channels]
		rdpdr=false
		rdpsnd=false
		drdynvc=false
		cliprdr=false
		rail=false
		xrdpvr=false
		[VNC]
		name=VNC
		lib=libvnc.so
		ip=127.0.0.1
		port=$((5900 + $2))
		username=na
		password=na
		delay_ms=0
		[XORG]
		name=XORG
		lib=libxup.so
		username=na
		password=na
		ip=127.0.0.1
		port=$1/sock/xrdp_display_$2
		code=20
	END
}

# rdp_display SESSION N FOLDER: where the applications draw.
rdp_display() {
	if [ "$PROTOCOL_VARIANT" = vnc ]; then
		protocol_run server "rdp-$1-display" Xvnc ":$2" -geometry "$VIEWER_GEOMETRY" -depth 24 \
			-SecurityTypes None -ac -rfbport "$((5900 + $2))" -localhost \
			-AcceptSetDesktopSize=0 -noreset -nolisten tcp -FrameRate 60
	else
		protocol_run server "rdp-$1-display" env XRDP_SOCKET_PATH="$3/sock" XRDP_START_WIDTH="${VIEWER_GEOMETRY%x*}" \
			XRDP_START_HEIGHT="${VIEWER_GEOMETRY#*x}" \
			"$RDP_XORG" ":$2" -config xrdp/xorg.conf -ac -noreset -novtswitch -sharevts -nolisten tcp -logfile "$3/xorg.log"
	fi
}

protocol_settings() {
	local version client
	version=$(lab_exec server xrdp --version 2>/dev/null | sed -n 's/^xrdp[^0-9]*\([0-9][0-9.]*\).*/\1/p' | head -n 1)
	# it tells its version only where it has a display
	client=$(lab_exec client dpkg-query -S "$(command -v "$(rdp_client)")" 2>/dev/null)
	client=$(lab_exec client dpkg-query -W -f='${Version}' "${client%%:*}" 2>/dev/null | sed 's/^\([0-9.]*[0-9]\).*/\1/')
	# xorgxrdp waits 4 ms for more to be drawn, and shows at most one picture in 40 ms. Xvnc: half a frame.
	jq -cn --arg version "$version" --arg client "$client" --arg geometry "$VIEWER_GEOMETRY" \
		--argjson vnc "$([ "$PROTOCOL_VARIANT" = vnc ] && echo true || echo false)" \
		--argjson cache "$([ "$PROTOCOL_VARIANT" = cache ] && echo true || echo false)" '
		(if $vnc then "Xvnc through libvnc" else "xorgxrdp" end) as $back
		| (if $cache then " with its bitmap cache" else "" end) as $with
		| {server: "xrdp", says: "RDP (xrdp \($version), \($back); client xfreerdp \($client)\($with))",
		version: $version, back_end: $back, client: "xfreerdp \($client)",
		frame_rate_per_s: (if $vnc then 60 else 25 end), geometry: $geometry, depth: 24,
		encodings: ["bitmap updates"], compression: "bitmaps (interleaved run lengths)",
		bulk_compression: false, bitmap_cache: $cache, encryption: "TLS", log_in: "none (no session manager)",
		floor_ms: (if $vnc then 8.33 else 4 end)}
		+ (if $vnc then {} else {floor_of: "xorgxrdp'"'"'s waiting for more to be drawn"} end)'
}
