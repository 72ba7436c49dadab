# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# rdp.sh - RDP: xrdp, and xfreerdp in a display of the client role, or keyrepeat itself. Contract: README.md.
#
#   rdp        applications draw on an Xorg with xrdp's own module (xorgxrdp): the usual way
#   rdp:vnc    they draw on an Xvnc, which xrdp shows through its VNC module (libvnc)
#   rdp:cache  as rdp, and the client keeps bitmaps to be shown again, which xfreerdp does only when it is told to
#   rdp:headless  as rdp, and keyrepeat is the client: no display, no XTest, no damage in between
#   rdp:gfx    as rdp:headless, by the graphics pipeline, which xrdp has since 0.10
#
# Where others are on the network or the machine (LAB_PRIVATE is not 1), a person logs in: xrdp asks its session manager,
# xrdp-sesman, and that asks PAM for a password that is made for this run. Both have mounts of their own, where PAM, sesman.ini and
# /run are ours: nothing of the machine's xrdp is used or changed, and no daemon of the package is needed. The display is there
# before, so the session manager starts none.
# In the emulated hosts nobody is asked who he is.

# shellcheck source=lab/rdp_client.sh
. "$LAB_HERE/rdp_client.sh"

RDP_XORG=/usr/lib/xorg/Xorg
# In mounts of its own, what is ours.
# shellcheck disable=SC2016
RDP_MINE='cd "$1" && shift && mount --bind sesman.ini /etc/xrdp/sesman.ini && mount --bind pam /etc/pam.d/xrdp-sesman &&
	mount --bind run /run && exec "$@"'

protocol_variants() { printf 'xorg vnc cache headless gfx\n'; }
rdp_headless() { [[ $PROTOCOL_VARIANT =~ ^(headless|gfx)$ ]]; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	vnc) printf 'RDP, xrdp in front of an Xvnc, client xfreerdp\n' ;;
	cache) printf 'RDP, xrdp with xorgxrdp, client xfreerdp with its bitmap cache\n' ;;
	headless) printf 'RDP, xrdp with xorgxrdp, without a client of its own: keyrepeat is the client\n' ;;
	gfx) printf 'RDP, xrdp 0.10 with its graphics pipeline, without a client of its own: keyrepeat is the client\n' ;;
	*) printf 'RDP, xrdp with xorgxrdp, client xfreerdp\n' ;;
	esac
}

protocol_properties() {
	case $PROTOCOL_VARIANT in
	cache) printf 'display link view pictures-cached\n' ;;
	headless | gfx) printf 'display link\n' ;;
	*) printf 'display link view\n' ;;
	esac
}
protocol_can() {
	local module=${RDP_XORG%/*}/modules/libxorgxrdp.so
	lab_needs server:xrdp:xrdp server:xset:x11-xserver-utils server:xauth:xauth server:openssl:openssl \
		"server:$([ "$PROTOCOL_VARIANT" = vnc ] && echo Xvnc:tigervnc-standalone-server ||
			echo "$RDP_XORG:xserver-xorg-core")" || return
	[ "$PROTOCOL_VARIANT" = vnc ] || protocol_asks server test -f "${LAB_SERVER_ROOT-}$module" || {
		printf '%s is missing%s; %s\n' "$module" "${LAB_AT_server-}" "$(lab_cure server xorgxrdp)"
		return 1
	}
	[ "${LAB_PRIVATE-1}" = 1 ] || protocol_asks server "${PROTOCOL_APART[@]}" \
		mount --bind /etc/xrdp/sesman.ini /etc/pam.d/xrdp-sesman 2>/dev/null || {
		printf 'xrdp needs mounts of its own%s, which that system forbids the login; log in as root\n' "${LAB_AT_server-}"
		return 1
	}
	if rdp_headless; then rdp_pipeline_can && rdp_client_can; return; fi
	[ -n "$(rdp_viewer)" ] || {
		printf 'xfreerdp is missing%s; apt-get install --no-install-recommends freerdp2-x11\n' "${LAB_AT_client-}"
		return 1
	}
	viewer_can
}

rdp_pipeline_can() {
	local version
	[ "$PROTOCOL_VARIANT" = gfx ] || return 0
	version=$(protocol_version server xrdp)
	[[ ! $version =~ ^0\.[0-9](\.|$) ]] || {
		printf 'xrdp %s has no graphics pipeline; that of Debian 13 has: thinprobe root make trixie --protocol rdp\n' "$version"
		return 1
	}
}

# Where the server, its settings or the client lack it xrdp silently shows bitmaps.
rdp_pipeline() {	# rdp_pipeline SESSION
	[ "$PROTOCOL_VARIANT" = gfx ] || return 0
	rdp_meet "$1" --watch update | grep -qE 'graphics pipeline 0x[0-9a-f]+, [A-Za-z]' ||
		protocol_failed "$1" "RDP: no picture came through the graphics pipeline" "$LAB_LOG/rdp-$1.err"
}

rdp_viewer() {
	local name
	for name in xfreerdp xfreerdp3; do ! lab_has client "$name" || { printf %s "$name"; return; }; done
}

# The third generation of the client has other words for it.
rdp_cache() {
	local kept=-
	[ "$PROTOCOL_VARIANT" != cache ] || kept=+
	case $(rdp_viewer) in
	*3) printf '/cache:bitmap:%s' "$([ $kept = + ] && echo on || echo off)" ;;
	*) printf '%sbitmap-cache' "$kept" ;;
	esac
}

protocol_start() {
	local session=$1 log=$LAB_LOG/rdp-$1 gate='' certificate
	protocol_begin "$session" && protocol_display || return
	if rdp_headless; then RDP_PASSWORD=${RDP_SHARED:=$(protocol_secret)}; else RDP_PASSWORD=''; fi
	rdp_port "${PROTOCOL_DISPLAY#:}"
	[ "${LAB_PRIVATE-1}" = 1 ] || for ((gate = 13350; ; gate++)); do lab_listens server "$gate" || break; done
	certificate=$(rdp_prepare "$gate" 2>"$log.err") && viewer_guarded "$PROTOCOL_DISPLAY" 2>>"$log.err" ||
		protocol_failed "$session" "cannot make xrdp's certificate and configuration" "$log.err" || return
	rdp_display "$session"
	lab_comes 20 "$LAB_PID" display_answers server "$PROTOCOL_DISPLAY" || {
		# its log is at the server; it is kept
		lab_exec server cat "$PROTOCOL_FOLDER/xorg.log" >>"$log-display.err" 2>/dev/null
		protocol_failed "$session" "RDP: the display did not start" "$log-display.err"
		return
	}
	rdp_serve "$session" "$gate" || return
	if rdp_headless; then rdp_client "$session" "$certificate" && rdp_pipeline "$session"; return; fi
	viewer_display "$session" || return
	# /gfx would need a newer server; colours as they are on the server, nothing beside the picture. It
	# wants a home that it may write to.
	protocol_run client "rdp-$session-client" sh -c 'password=$HOME/$1/password && shift && exec env "$@" <"$password"' \
		sh "${PROTOCOL_FOLDER##*/}" DISPLAY="$VIEWER_DISPLAY" "$(rdp_viewer)" "/v:$(lab_url server):$PROTOCOL_PORT" \
		"/cert:fingerprint:sha256:$certificate" /sec:tls /u:root /from-stdin:force "/size:$VIEWER_GEOMETRY" /bpp:24 \
		"$(rdp_cache)" -decorations -clipboard -grab-keyboard /audio-mode:2 "/t:thinprobe $session"
	viewer_window "$VIEWER_DISPLAY" name "thinprobe $session" 20 "$LAB_PID" &&
		viewer_reaches "$VIEWER_DISPLAY" "$PROTOCOL_DISPLAY" 20 "$LAB_PID" ||
		protocol_failed "$session" "RDP: the client did not start" "$log-client.err" "$log-client.out"
}

# What serves the session. The log of xrdp's session manager tells who was let in. A server has one of these for all logins: it is
# in no login's memory group, and none of PROTOCOL_PIDS.
rdp_serve() {	# rdp_serve SESSION GATE
	local mine=() log=$LAB_LOG/rdp-$1
	[ -z "$2" ] || mine=("${PROTOCOL_APART[@]}" sh -c "$RDP_MINE" sh "$PROTOCOL_FOLDER")
	protocol_run server "rdp-$1" ${mine[@]+"${mine[@]}"} xrdp --nodaemon --config "$PROTOCOL_FOLDER/xrdp.ini"
	lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT" ||
		protocol_failed "$1" "RDP: the server did not start" "$log.err" "$log.out" || return
	[ -n "$2" ] || return 0
	lab_start -M - server "rdp-$1-sesman" "${mine[@]}" stdbuf -oL xrdp-sesman -n
	# shellcheck disable=SC2004 # an associative array
	PROTOCOL_RUNS[$PROTOCOL_KEY]+="$LAB_PID "
	lab_comes 20 "$LAB_PID" lab_listens server "$2" ||
		protocol_failed "$1" "RDP: the session manager did not start" "$log-sesman".{err,out}
}

# rdp_prepare GATE: what xrdp is told, and its session manager at port GATE (empty: there is none); the password for both ends.
# Prints the fingerprint of xrdp's certificate. A port that begins with / is a socket: the display is there already.
rdp_prepare() {
	local password n=${PROTOCOL_DISPLAY#:} folder=$PROTOCOL_FOLDER sockets=$PROTOCOL_FOLDER/run/xrdp/sockdir gateway=''
	password=${RDP_PASSWORD:-$(protocol_secret)}
	lab_exec client sh -c 'umask 077; mkdir -p "$HOME/$1" && cat >"$HOME/$1/password"' sh "${folder##*/}" <<<"$password" || return
	[ -z "$1" ] || sockets=/run/xrdp/sockdir gateway=$'pamusername=same\npampassword=same\npamsessionmng=127.0.0.1'
	# shellcheck disable=SC2016
	lab_exec server sh -c '
		umask 077
		rm -rf "$1" && mkdir -p "$1/run/xrdp/sockdir" && cd "$1" && read -r password && printf %s "$password" >password &&
		cat >xrdp.ini && sed -n "/^.Logging/,/^ConsoleLevel/p" xrdp.ini >sesman.ini &&
		printf "%s\n" "[Globals]" ListenAddress=127.0.0.1 "ListenPort=$2" "[Security]" AllowRootLogin=true >>sesman.ini &&
		printf "%s\n" "auth required pam_exec.so quiet expose_authtok /bin/grep -qzxF -f $1/password" \
			"account required pam_permit.so" >pam &&
		head -c 8 password | openssl enc -des-ede3-ecb -nopad -K "$3" >vnc.passwd' \
		sh "$folder" "$1" "$VIEWER_VNC_KEY" <<-END || return
		$password
		[Globals]
		ini_version=1
		fork=false
		port=tcp://:$PROTOCOL_PORT
		tcp_nodelay=true
		tcp_keepalive=true
		security_layer=tls
		certificate=$folder/cert.pem
		key_file=$folder/key.pem
		ssl_protocols=TLSv1.2, TLSv1.3
		autorun=$([ "$PROTOCOL_VARIANT" = vnc ] && echo VNC || echo XORG)
		allow_channels=true
		allow_multimon=false
		bitmap_cache=true
		bitmap_compression=true
		bulk_compression=false
		max_bpp=$([ "$PROTOCOL_VARIANT" = gfx ] && echo 32 || echo 24)
		new_cursors=true
		use_fastpath=both
		[Logging]
		LogFile=/dev/null
		LogLevel=INFO
		EnableSyslog=false
		EnableConsole=true
		ConsoleLevel=INFO
		[Channels]
		drdynvc=$([ "$PROTOCOL_VARIANT" = gfx ] && echo true || echo false)
		[VNC]
		name=VNC
		lib=libvnc.so
		ip=127.0.0.1
		port=$((5900 + n))
		username=ask
		password=ask
		$gateway
		delay_ms=0
		[XORG]
		name=XORG
		lib=libxup.so
		username=ask
		password=ask
		$gateway
		ip=127.0.0.1
		port=$sockets/xrdp_display_$n
		code=20
	END
	rdp_certificate "$folder" key.pem cert.pem
}

# rdp_display SESSION: where the applications draw.
rdp_display() {
	local folder=$PROTOCOL_FOLDER words=("$PROTOCOL_DISPLAY" -auth "${PROTOCOL_FOLDER%/*}/.Xauthority" -noreset -nolisten tcp)
	if [ "$PROTOCOL_VARIANT" = vnc ]; then
		protocol_run server "rdp-$1-display" Xvnc "${words[@]}" -geometry "$VIEWER_GEOMETRY" -depth 24 -SecurityTypes VncAuth \
			-PasswordFile "$folder/vnc.passwd" -rfbport "$((5900 + ${PROTOCOL_DISPLAY#:}))" -localhost \
			-AcceptSetDesktopSize=0 -FrameRate 60
	else
		# (A socket's path has 107 characters.)
		protocol_run server "rdp-$1-display" env -C "$folder/run/xrdp/sockdir" XRDP_SOCKET_PATH=. \
			XRDP_START_WIDTH="${VIEWER_GEOMETRY%x*}" XRDP_START_HEIGHT="${VIEWER_GEOMETRY#*x}" \
			"$RDP_XORG" "${words[@]}" -config xrdp/xorg.conf -novtswitch -sharevts -logfile "$folder/xorg.log"
	fi
}

protocol_settings() {
	local version client
	version=$(lab_exec server xrdp --version 2>/dev/null | sed -n 's/^xrdp[^0-9]*\([0-9][0-9.]*\).*/\1/p' | head -n 1)
	# it tells its version only where it has a display
	client=$(lab_exec client sh -c 'dpkg-query -S "$(command -v "$1")"' sh "$(rdp_viewer)" 2>/dev/null)
	client="xfreerdp $(protocol_version client "${client%%:*}")"
	# keyrepeat's reports tell the version of libfreerdp
	! rdp_headless || client='keyrepeat on libfreerdp'
	# xorgxrdp waits 4 ms for more to be drawn, and shows at most one picture in 40 ms. Xvnc: half a frame.
	jq -cn --arg version "$version" --arg client "$client" --arg geometry "$VIEWER_GEOMETRY" --arg variant "$PROTOCOL_VARIANT" \
		--arg log_in "$([ "${LAB_PRIVATE-1}" = 1 ] && echo 'none (no session manager)' || echo 'password, asked by xrdp-sesman')" '
		($variant == "vnc") as $vnc | ($variant == "cache") as $cache | ($variant == "gfx") as $gfx
		| (if $vnc then "Xvnc through libvnc" else "xorgxrdp" end) as $back
		| (if $cache then " with its bitmap cache" elif $gfx then ", graphics pipeline" else "" end) as $with
		| {server: "xrdp", says: "RDP (xrdp \($version), \($back); client \($client)\($with))",
		version: $version, back_end: $back, $client,
		frame_rate_per_s: (if $vnc then 60 else 25 end), geometry: $geometry, depth: 24,
		pointer: "drawn by the client", encodings: ["bitmap updates"], compression: "bitmaps (interleaved run lengths)",
		bulk_compression: false, bitmap_cache: $cache, encryption: "TLS", log_in: $log_in,
		floor_ms: (if $vnc then 8.33 else 4 end)}
		+ (if $vnc then {} elif $gfx then {frame_rate_per_s: null, depth: 32, encodings: ["graphics pipeline: server chooses"],
			compression: "server chooses", floor_ms: 0}
		else {floor_of: "xorgxrdp'"'"'s waiting for more to be drawn"} end)'
}
