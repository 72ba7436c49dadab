# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# novnc.sh - VNC in a browser: Xvnc, websockify, and noVNC's page in a Chromium that fills a display of the client role. Contract:
# README.md.
#
#   novnc        the page of the package novnc
#   novnc:page   another release of the page, in the folder THINPROBE_NOVNC_PAGE (as it is unpacked, with vnc.html)
#
# Each session has a new browser profile: an old one would show the page of before from its cache.

# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

NOVNC_FRAME_RATE=60

protocol_variants() { printf 'package page\n'; }

protocol_about() {
	case $PROTOCOL_VARIANT in
	page) printf 'VNC in a browser: noVNC %s (THINPROBE_NOVNC_PAGE) in chromium, Xvnc\n' "$(novnc_version)" ;;
	*) printf 'VNC in a browser: noVNC in chromium, Xvnc\n' ;;
	esac
}

protocol_properties() { printf 'display link view\n'; }
protocol_can() {
	lab_needs server:Xvnc:tigervnc-standalone-server server:xset:x11-xserver-utils server:xdotool:xdotool \
		server:websockify:websockify client:chromium:chromium && viewer_can || return
	if [ "$PROTOCOL_VARIANT" = page ]; then
		[ -f "${THINPROBE_NOVNC_PAGE-}/vnc.html" ] ||
			{ printf 'THINPROBE_NOVNC_PAGE names no folder with vnc.html; unpack a release of noVNC\n'; return 1; }
	else
		protocol_asks server test -f "${LAB_SERVER_ROOT-}/usr/share/novnc/vnc.html" ||
			{ printf 'the page of noVNC is missing; %s\n' "$(lab_cure server novnc)"; return 1; }
	fi
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		printf 'its session would be open to all on that network; measure your own page: --on attach --own-display COMMAND\n'
		return 1
	}
}

# A page that is unpacked says it, and of a package the list of its system. (The programs of LAB_SERVER_ROOT run only in the lab.)
novnc_version() {
	local page=${THINPROBE_NOVNC_PAGE-none} root=${LAB_SERVER_ROOT-} version=''
	[ "$PROTOCOL_VARIANT" != page ] ||
		root=${page%/usr/share/novnc} version=$(jq -r '.version // ""' "$page/package.json" 2>/dev/null)
	[ -n "$version" ] || version=$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${Version}' novnc 2>/dev/null |
		sed 's/^[0-9]*://; s/-[^-]*$//')
	echo "${version:-of an unknown version}"
}

protocol_start() {
	local session=$1 n web=/usr/share/novnc log=$LAB_LOG/novnc-$1
	protocol_begin "$session" && protocol_display || return
	n=${PROTOCOL_DISPLAY#:}
	for ((PROTOCOL_PORT = 6080; ; PROTOCOL_PORT++)); do lab_listens server "$PROTOCOL_PORT" || break; done
	[ "$PROTOCOL_VARIANT" != page ] || {
		web=$PROTOCOL_FOLDER/page
		# shellcheck disable=SC2016
		(set -o pipefail
		tar -cf - -C "$THINPROBE_NOVNC_PAGE" . | lab_exec server sh -c 'mkdir -p "$1" && tar -xf - -C "$1"' sh "$web") ||
			cannot "cannot copy $THINPROBE_NOVNC_PAGE" || return
	}
	protocol_run server "novnc-$session" Xvnc ":$n" -geometry "$VIEWER_GEOMETRY" -depth 24 -SecurityTypes None -ac \
		-rfbport $((5900 + n)) -localhost -AcceptSetDesktopSize=0 -noreset -nolisten tcp -FrameRate "$NOVNC_FRAME_RATE"
	lab_comes 20 "$LAB_PID" display_answers server ":$n" ||
		protocol_failed "$session" "the VNC server did not start" "$log.err" || return
	protocol_run server "novnc-$session-websockify" websockify --web "$web" "$(lab_url server):$PROTOCOL_PORT" \
		"127.0.0.1:$((5900 + n))"
	lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT" ||
		protocol_failed "$session" "websockify did not start" "$log-websockify".{err,out} || return
	viewer_display "$session" || return
	novnc_browser "$session" "novnc-$n"
	# The page takes no keys before it was clicked.
	viewer_window "$VIEWER_DISPLAY" class chromium 60 "$LAB_PID" && viewer_fill "$VIEWER_DISPLAY" &&
		viewer_reaches "$VIEWER_DISPLAY" "$PROTOCOL_DISPLAY" 60 "$LAB_PID" &&
		lab_exec client env DISPLAY="$VIEWER_DISPLAY" xdotool click 1 ||
		protocol_failed "$session" "the browser does not show the session" "$log-chromium.err"
}

# novnc_browser SESSION FOLDER: no GPU; nothing that draws or asks the network besides the page; no slower clock where the browser
# thinks that nobody looks. (The role is a sandbox itself, in which the browser's own cannot be made.)
novnc_browser() {
	# shellcheck disable=SC2016
	protocol_run client "novnc-$1-chromium" sh -c 'profile=$HOME/$1 && shift && exec env "$@" --user-data-dir="$profile"' sh "$2" \
		DISPLAY="$VIEWER_DISPLAY" DBUS_SESSION_BUS_ADDRESS=disabled: chromium --no-sandbox --kiosk --window-position=0,0 \
		--window-size="${VIEWER_GEOMETRY/x/,}" --force-device-scale-factor=1 --no-first-run --no-default-browser-check \
		--password-store=basic --disable-gpu --disable-features=Translate,MediaRouter --disable-background-networking \
		--disable-component-update --disable-sync --disable-backgrounding-occluded-windows --disable-renderer-backgrounding \
		--disable-background-timer-throttling \
		"http://$(lab_url server):$PROTOCOL_PORT/vnc.html?autoconnect=true&resize=off&reconnect=false&path=websockify&shared=true"
}

protocol_settings() {
	local version chromium
	version=$(lab_exec server sh -c 'Xvnc -version; Xvnc -help' 2>&1 |
		sed -n 's/.*TigerVNC \([0-9][0-9.]*\).*/\1/p' | head -n 1)
	chromium=$(lab_exec client chromium --version 2>/dev/null | sed -n 's/^Chromium \([0-9]*\).*/\1/p')
	jq -cn --arg version "$version" --arg page "$(novnc_version)" --arg client "chromium $chromium" \
		--argjson rate "$NOVNC_FRAME_RATE" --arg geometry "$VIEWER_GEOMETRY" '
		{server: "noVNC", version: $page,
		says: "VNC (Xvnc \($version), \($rate) frames/s; client noVNC \($page) in \($client))",
		back_end: "Xvnc (TigerVNC) \($version)", client: $client, frame_rate_per_s: $rate, client_frame_rate_per_s: 60,
		geometry: $geometry, depth: 24, pointer: "drawn by the client", encodings: ["Tight first, chosen by the page"],
		compression: "chosen by the page; pushed by continuous updates", encryption: "none",
		floor_ms: (500 / $rate * 100 | round / 100)}'
}
