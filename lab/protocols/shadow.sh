# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shadow.sh - RDP by FreeRDP's own server, which shows an X display that is there already. Contract: README.md.
#
#   shadow   freerdp-shadow-cli in front of an Xvfb; keyrepeat is the client
#
# It looks at the display 16 times a second. It asks PAM for passwords or nobody: it runs where nobody else is on the link.

# shellcheck source=lab/rdp_client.sh
. "$LAB_HERE/rdp_client.sh"

SHADOW_RATE=16	# frames a second, of libfreerdp-shadow

protocol_about() {
	printf 'RDP, FreeRDP'\''s shadow server in front of an Xvfb, without a client of its own: keyrepeat is the client\n'
}
protocol_properties() { printf 'display link\n'; }

shadow_server() {
	local name
	for name in freerdp-shadow-cli freerdp-shadow-cli3; do ! lab_has server "$name" || { printf %s "$name"; return; }; done
}

protocol_can() {
	lab_needs server:Xvfb:xvfb server:xset:x11-xserver-utils server:xauth:xauth server:openssl:openssl || return
	[ -n "$(shadow_server)" ] || {
		printf 'freerdp-shadow-cli is missing%s; %s\n' "${LAB_AT_server-}" "$(lab_cure server freerdp2-shadow-x11)"
		return 1
	}
	[ "${LAB_PRIVATE-1}" = 1 ] || {
		printf 'its session would be open to all on that network: it is for the emulated hosts\n'
		return 1
	}
	rdp_client_can
}

protocol_start() {
	local session=$1 folder log=$LAB_LOG/shadow-$1 certificate keys=.config/freerdp/shadow
	protocol_begin "$session" && protocol_display || return
	folder=$PROTOCOL_FOLDER RDP_PASSWORD=''
	rdp_port "${PROTOCOL_DISPLAY#:}"
	# Where it looks for them; there are none in a folder that is new.
	lab_exec server sh -c 'rm -rf "$1" && mkdir -p "$1/$2"' sh "$folder" "$keys" &&
		certificate=$(rdp_certificate "$folder/$keys" shadow.key shadow.crt 2>"$log.err") &&
		viewer_guarded "$PROTOCOL_DISPLAY" 2>>"$log.err" ||
		protocol_failed "$session" "cannot make the certificate" "$log.err" || return
	protocol_run server "shadow-$session-display" Xvfb "$PROTOCOL_DISPLAY" -screen 0 "${VIEWER_GEOMETRY}x24" \
		-auth "${folder%/*}/.Xauthority" -noreset -nolisten tcp
	display_awaited 20 "$log-display.err" ||
		protocol_failed "$session" "the X display for the shadow server did not start" "$log-display.err" || return
	protocol_run server "shadow-$session" env HOME="$folder" XAUTHORITY="${folder%/*}/.Xauthority" DISPLAY="$PROTOCOL_DISPLAY" \
		"$(shadow_server)" "/port:$PROTOCOL_PORT" "/bind-address:$LAB_ADDR_server" -auth /sec:tls
	PROTOCOL_PIDS="$LAB_PID ${PROTOCOL_PIDS% *}"	# the server first
	lab_comes 20 "$LAB_PID" lab_listens server "$PROTOCOL_PORT" ||
		protocol_failed "$session" "the shadow server did not start" "$log.err" "$log.out" || return
	rdp_client "$session" "$certificate"
}

protocol_settings() {
	local version
	version=$(lab_exec server "$(shadow_server)" /version 2>&1 | grep -oE '[0-9]+[.][0-9]+[.][0-9]+' | head -n 1)
	# A key waits for the next look.
	jq -cn --arg version "$version" --arg geometry "$VIEWER_GEOMETRY" --argjson rate "$SHADOW_RATE" '
		{server: "freerdp-shadow", says: "RDP (FreeRDP \($version)'\''s shadow server, \($rate) frames/s; client keyrepeat)", $version,
		client: "keyrepeat on libfreerdp", frame_rate_per_s: $rate, $geometry, depth: 24, encodings: ["server chooses"],
		compression: "server chooses", encryption: "TLS", floor_ms: (1000 / $rate / 2)}'
}
