# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# client.sh - shared by the tests of attach: a screen on the lab's client, a window on it, a run that measures it.

client_screen() {	# the X display :90
	lab_start client xvfb Xvfb :90 -screen 0 1280x1024x24 -ac -noreset -nolisten tcp
	lab_exec client timeout 90 sh -c 'until DISPLAY=:90 timeout 20 xset q; do sleep 0.05; done' >/dev/null 2>&1 || die "no Xvfb"
}

client_window() {	# client_window TITLE: sets WINDOW
	WINDOW=$(lab_exec client timeout 90 sh -c '
		until w=$(DISPLAY=:90 xdotool search --onlyvisible --name "$1" | head -n 1) && [ -n "$w" ]; do sleep 0.05; done
		echo "$w"' sh "$1") || die "no window $1"
}

# vim in a VNC session of the server, and vncviewer in front of it: sets WINDOW
vnc_window() {
	client_screen
	protocol_use vnc; must protocol_start s; app_use vim; must app_start "$PROTOCOL_DISPLAY"
	lab_start client viewer env DISPLAY=:90 vncviewer -Shared -RemoteResize=0 "$(vnc_no_greeting)" -SecurityTypes=None \
		"$LAB_ADDR_server::$PROTOCOL_PORT"
	client_window TigerVNC
}

# Starts a run like a user, in the client, where the window is the only way to the server.
attach() { attach_run stalls "$@"; }	# attach NAME OPTION...: the run folder is $LAB_RUN/NAME
attach_run() {	# attach_run EXPERIMENT NAME OPTION...
	lab_exec -R client env TMPDIR=/tmp "$TOP/experiments/engine/run.sh" "$1" -o "$LAB_RUN/$2" "${@:3}"
}

attach_start() {	# the same in the background: sets the variable NAME to its pid
	local name=$1
	shift
	lab_start -R client "$name" env TMPDIR=/tmp "$TOP/experiments/engine/run.sh" stalls -o "$LAB_RUN/$name" "$@"
	printf -v "$name" %s "$LAB_PID"
}

# Prints the number of packets that the server has received.
server_got() {
	lab_exec server awk -v link="$LAB_IF_server:" '$1 == link { print $3 }' /proc/net/dev
}

# Prints the number of characters in vim on the server.
vim_text() {
	lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" sh -c 'xdotool key --delay 50 Escape colon w space slash t m p slash t e x t Return
		for i in $(seq 1200); do [ -s /tmp/text ] && break; sleep 0.05; done; echo "text $(tr -cd a </tmp/text | wc -c)"'
}

# xrdp with its Xorg module, without its session manager (which would want a login), and vim in it.
rdp_server() {
	PROTOCOL_DISPLAY=:53
	lab_exec server sh -c '
		mkdir -p /tmp/rdp/sock && cd /tmp/rdp &&
			openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=test 2>/dev/null
		printf "%s\n" "[Globals]" ini_version=1 fork=false port=tcp://:3389 tcp_nodelay=true tcp_keepalive=true \
			security_layer=tls crypt_level=low certificate=/tmp/rdp/cert.pem key_file=/tmp/rdp/key.pem \
			"ssl_protocols=TLSv1.2, TLSv1.3" autorun=XORG allow_channels=true allow_multimon=false \
			bitmap_cache=true bitmap_compression=true bulk_compression=false max_bpp=24 new_cursors=true \
			use_fastpath=both require_credentials=false \
			enable_token_login=false blue=009cb5 grey=dedede "[Logging]" LogFile=/tmp/rdp/xrdp.log LogLevel=INFO EnableSyslog=false \
			"[Channels]" rdpdr=false rdpsnd=false drdynvc=false cliprdr=false rail=false xrdpvr=false \
			"[XORG]" name=XORG lib=libxup.so username=na password=na ip=127.0.0.1 port=/tmp/rdp/sock/xrdp_display_53 code=20 >xrdp.ini'
	lab_start -R server xorg env XRDP_SOCKET_PATH=/tmp/rdp/sock XRDP_START_WIDTH=800 XRDP_START_HEIGHT=600 \
		/usr/lib/xorg/Xorg :53 -config xrdp/xorg.conf -ac -noreset -nolisten tcp -logfile /tmp/rdp/x.log
	lab_exec server timeout 90 sh -c 'until DISPLAY=:53 timeout 20 xset q; do sleep 0.05; done' >/dev/null 2>&1 ||
		die "no Xorg: $(tail -n 3 "$LAB_LOG/xorg.err")"
	app_use vim
	must app_start :53
	lab_start server xrdp /usr/sbin/xrdp --nodaemon --config /tmp/rdp/xrdp.ini
	wait_until 60 lab_listens server 3389 || die "xrdp does not listen: $(tail -n 1 "$LAB_LOG/xrdp.err")"
}
