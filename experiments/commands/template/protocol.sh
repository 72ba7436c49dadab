# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# NAME.sh - a display protocol, to begin with: one server that answers keys itself (refecho), and keyrepeat as its client.
# README.md beside this file says what each function is for; vnc.sh starts a server with a display for applications.

# protocol_begin, protocol_run and protocol_failed; and protocol_stop, which ends what protocol_run has started
# shellcheck source=lab/viewer.sh
. "$LAB_HERE/viewer.sh"

protocol_about() { printf 'NAME: the reference server, until there is another\n'; }
protocol_properties() { printf 'link own-echo\n'; }	# display, where applications run in its sessions
protocol_can() { [ -x "$TP_BIN/refecho" ] || { printf '%s is not built; run: make\n' "$TP_BIN/refecho"; return 1; }; }

# (Where the server is a program of yours: protocol_can() { lab_needs server:PROGRAM:PACKAGE; }, by which `ab` knows it, and
# protocol_run server "NAME-$1" PROGRAM...)

protocol_start() {	# protocol_start SESSION
	local n
	protocol_begin "$1" || return
	n=$(lab_display server) || cannot "no free X display${LAB_AT_server-}" || return
	PROTOCOL_PORT=$((5900 + n)) PROTOCOL_DISPLAY=''
	PROTOCOL_TARGET=vnc:$(lab_url server):$PROTOCOL_PORT
	protocol_run server "NAME-$1" "$TP_BIN/refecho" --vnc "$PROTOCOL_PORT" --listen "$LAB_ADDR_server" --cost "${APP_COST:-10ms}" \
		${APP_OPTIONS[@]+"${APP_OPTIONS[@]}"}
	lab_ready "NAME-$1" 20 || protocol_failed "$1" "the NAME server did not start" "$LAB_LOG/NAME-$1.err"
}

protocol_settings() {
	jq -cn '{server: "refecho", says: "NAME (refecho)", version: "", frame_rate_per_s: null, encodings: ["client chooses"],
		compression: "client chooses", encryption: "none", floor_ms: 0}'
}
