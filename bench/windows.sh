#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# windows.sh - does `thinprobe try` find the text field of real windows (windows.tsv) behind real servers?
#
# usage: [WINDOWS="NAME..."] [SERVERS="NAME..."] [KEEP=FOLDER] bench/windows.sh [--quick]     (quick: two windows, two servers)
# Servers: x11, the window itself in Xvfb; viewer, an Xvnc that vncviewer shows; xvnc; x11vnc in front of Xvfb; wayvnc on sway, with
# Xwayland; xrdp with xorgxrdp. Where root runs this, windows are an ordinary user's. A row for each window and server: "found",
# "short" (found, but the part ended early), "refused", "truly" (refused with the true reason), "wrong" (found outside of the
# window) or "-" (not tried); median in ms; what try said. KEEP gets the logs of all but "found".
# shellcheck disable=SC2317  # what on_exit, wait_until and a name call
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/lib.sh" || exit 1
. "$TP_HOME/bench/lib.sh" || exit 1
WAIT_S=180 servers=${SERVERS:-x11 viewer xvnc x11vnc wayvnc xrdp} windows=${WINDOWS-}
bench_begin windows "$@"
[ "$BENCH_QUICK" = 0 ] || servers='xvnc x11vnc' windows=${windows:-xterm-smooth zenity}
need Xvfb xvfb Xvnc tigervnc-standalone-server xdotool xdotool xwininfo x11-utils openbox openbox jq jq ss iproute2 openssl openssl
user=() pids=() home=$BENCH_WORK/home
[ "$EUID" != 0 ] || user=(setpriv --reuid nobody --regid nogroup --clear-groups)
chmod 711 "$BENCH_WORK"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$BENCH_WORK/key.pem" -out "$BENCH_WORK/cert.pem" -days 2 -subj /CN=localhost \
	2>"$BENCH_WORK/openssl.log" || die "openssl failed: $(tail -n 1 "$BENCH_WORK/openssl.log")"
# (without cmark-gfm, try makes no page, which would take longer than the typing)
mkdir "$BENCH_WORK/bin" && ln -s /usr/bin/* "$BENCH_WORK/bin" && rm -f "$BENCH_WORK/bin/cmark-gfm"

start() {	# NAME COMMAND...: in a session of its own; sets `pid`
	setsid "${@:2}" >"$BENCH_WORK/$1.log" 2>&1 </dev/null &
	pid=$! pids=("$!" ${pids[@]+"${pids[@]}"})
}
gone() { ! kill -0 -- "-$1" 2>/dev/null; }
end_all() {
	local p
	for p in ${pids[@]+"${pids[@]}"}; do
		kill -- "-$p" 2>/dev/null
		wait_until 5 gone "$p" || kill -KILL -- "-$p" 2>/dev/null
	done
	pids=()
}
on_exit end_all
listens() { ss -Hltn "sport = :$port" | grep -q .; }
free_port() { until port=$((7800 + RANDOM % 100)) && ! listens; do :; done; }

# --- servers: each sets `target` and `options`, what try is given, and DISPLAY, where the window opens ------------------

display() {	# NAME SERVER OPTION...: an X server, and a window manager
	start "$1" "${@:2}" -displayfd 3 -ac -noreset -nolisten tcp 3>"$BENCH_WORK/number"
	wait_until 60 test -s "$BENCH_WORK/number" && DISPLAY=:$(<"$BENCH_WORK/number") && export DISPLAY &&
		rm -f "$BENCH_WORK/manages" && start openbox openbox --startup "touch '$BENCH_WORK/manages'" &&
		wait_until 60 test -e "$BENCH_WORK/manages"
}
serves() { wait_until 60 listens && target=vnc://localhost::$port; }
server_x11() { display xvfb Xvfb -screen 0 1024x768x24 && target=x11$DISPLAY; }
server_x11vnc() { server_x11 && start x11vnc x11vnc -display "$DISPLAY" -rfbport "$port" -localhost -nopw -forever && serves; }
server_xvnc() { display xvnc Xvnc -rfbport "$port" -localhost -SecurityTypes None -geometry 1024x768 && serves; }
server_viewer() {
	server_xvnc && local inner=$DISPLAY && server_x11 &&
		start viewer vncviewer -RemoteResize=0 -SecurityTypes=None "localhost::$port" &&
		wait_until 60 xdotool search --onlyvisible --name TigerVNC >/dev/null &&
		options=(--window TigerVNC) DISPLAY=$inner
}
server_wayvnc() {
	local x=(WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1)
	printf '%s\n' 'output * mode --custom 1024x768@60Hz' 'focus_follows_mouse no' 'exec env >env' >"$home/config"
	start sway "${mine[@]}" "${x[@]}" sway -c config
	wait_until 60 grep -qs ^DISPLAY= "$home/env" && DISPLAY=$(sed -n 's/^DISPLAY=//p' "$home/env") &&
		start wayvnc "${mine[@]}" "$(grep ^WAYLAND_DISPLAY= "$home/env")" wayvnc 127.0.0.1 "$port" && serves
}
server_xrdp() {
	display xorg env -C "$home/run" XRDP_SOCKET_PATH=. XRDP_START_WIDTH=1024 XRDP_START_HEIGHT=768 /usr/lib/xorg/Xorg \
		-config xrdp/xorg.conf -novtswitch -sharevts -logfile "$BENCH_WORK/xorg.log" || return
	printf '%s\n' '[Globals]' port=tcp://127.0.0.1:"$port" security_layer=tls certificate="$BENCH_WORK/cert.pem" fork=false \
		key_file="$BENCH_WORK/key.pem" autorun=XORG allow_channels=true max_bpp=24 '[Logging]' LogFile=/dev/null \
		EnableSyslog=false '[Channels]' '[XORG]' name=XORG lib=libxup.so username=ask password=ask ip=127.0.0.1 code=20 \
		port="$home/run/xrdp_display_${DISPLAY#:}" >"$BENCH_WORK/xrdp.ini"
	echo na >"$BENCH_WORK/password" && start xrdp xrdp --nodaemon --config "$BENCH_WORK/xrdp.ini" && wait_until 60 listens &&
		target=rdp://na@localhost:$port options=(--cert-ignore --password-file "$BENCH_WORK/password")
}

# --- one window -------------------------------------------------------------------------------------------------------

busy() {	# CPU time of the window's programs, in ticks
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v s="$pid" '{ sub(/.*\) /, "") } $4 == s { n += $12 + $13 } END { print n + 0 }'
}
rests() {	# whether the window is there, and its programs use less than a quarter of a CPU for a second
	active=$("${mine[@]}" xdotool getactivewindow 2>/dev/null) && before=$(busy) && nap 1 && (($(busy) - before < 25))
}
click() {	# X,Y in percent of the window: through the server that is tried
	printf '0 move %d,%d\n100 button 1 click\n' $((x + w * ${1%,*} / 100)) $((y + h * ${1#*,} / 100)) >"$BENCH_WORK/click"
	"$TP_BIN/keyrepeat" "${target/#x11:/x11::}" ${options[@]+"${options[@]}"} --script "$BENCH_WORK/click" --watch none -t 2s \
		>"$BENCH_WORK/click.log" 2>&1
}
try_it() {	# sets `verdict`, `median`, `said`
	local status=0 x y w h X Y W H
	read -r x y w h < <("${mine[@]}" xwininfo -id "$active" | awk '/Absolute|^  (Width|Height):/ { printf "%s ", $NF }')
	[ "$at" = - ] || click "$at"
	[ "$server" != x11 ] || options=(--window "$active") x=0 y=0
	PATH=$BENCH_WORK/bin:/usr/sbin "$TP_HOME/thinprobe" try "$target" ${options[@]+"${options[@]}"} --yes --json -t 2s \
		--repeat 1 -o "$BENCH_WORK/run" >"$BENCH_WORK/json" 2>"$BENCH_WORK/said" </dev/null || status=$?
	case $status in 0) verdict=found ;; 3) verdict=short ;; *) verdict=refused ;; esac
	median=$(jq -r '.latency_ms.p50 | .value // "\(.from // "")-\(.to // "")"' "$BENCH_WORK/json" 2>/dev/null)
	said=$(sed -n 's/^keyrepeat: //p' "$BENCH_WORK/said" | head -n 1)
	[ "$verdict" != refused ] || [ "$refused" = - ] || [[ ! $said =~ $refused ]] || verdict=truly
	[ "$status" != 0 ] || { IFS='x+' read -r W H X Y < <(jq -r .region "$BENCH_WORK/json") &&
		((X + W / 2 >= x && X + W / 2 < x + w && Y + H / 2 >= y && Y + H / 2 < y + h)); } || verdict=wrong
}
row() {	# prints that of `name` and `server`
	local verdict=- median='' said="${command[0]} is missing ($package), or $server does not start" mine active target
	local options=()
	unset DISPLAY
	rm -rf "$home" "$BENCH_WORK/run" && cp -r "$TP_HOME/bench/windows" "$home" && mkdir "$home/run" && : >"$home/notes.txt" &&
		chmod -R go= "$home"
	[ "$EUID" != 0 ] || chown -R nobody:nogroup "$home"
	mine=(${user[@]+"${user[@]}"} env -i -C "$home" PATH="$PATH" HOME="$home" XDG_RUNTIME_DIR="$home/run" LANG=C.UTF-8
		SHELL=/bin/sh GSETTINGS_BACKEND=memory GIO_USE_VFS=local NO_AT_BRIDGE=1 DBUS_SESSION_BUS_ADDRESS=disabled:)
	if command -v "${command[0]}" >/dev/null && free_port && "server_$server"; then
		mine+=(DISPLAY="$DISPLAY") said='the window does not come'
		start window "${mine[@]}" "${command[@]}"
		! wait_until $WAIT_S rests || try_it
	fi
	[ "$verdict" = found ] || [ -z "${KEEP-}" ] || cp -r "$BENCH_WORK" "$KEEP/$name-$server"
	end_all
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$server" "$verdict" "$median" "$said" "$refused"
}

while IFS=$'\t' read -r name package at refused command; do
	[[ $name != '#'* ]] && [[ -z $windows || " $windows " == *" $name "* ]] || continue
	IFS=' ' read -ra command <<<"$command"
	for server in $servers; do row | tee -a "$BENCH_WORK/rows"; done
done <"$TP_HOME/bench/windows.tsv"
all() { awk -F'\t' -v r="$1" -v v="$2" '($6 != "-") == r && $3 ~ v { n++ } END { print n + 0 }' "$BENCH_WORK/rows"; }
echo "found: $(all 0 '^found') of $(all 0 .); of those to be refused: $(all 1 truly) of $(all 1 .) with the true reason"
holds "found in at least 115 of 120" [ $((120 * $(all 0 '^found'))) -ge $((115 * $(all 0 .))) ]
holds "refused, with the true reason" [ "$(all 1 truly)" = "$(all 1 .)" ]
bench_end
