# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# null.sh - no protocol at all: the probe answers itself. What is left is what the measuring chain costs.

protocol_about() { printf 'no server: the cost of the measuring chain itself\n'; }
# No display for applications: the probe answers itself.
protocol_properties() { printf '\n'; }
protocol_can() { :; }

protocol_start() {
	PROTOCOL_DISPLAY='' PROTOCOL_TARGET=null: PROTOCOL_PIDS='' PROTOCOL_OPTIONS=() PROTOCOL_VIEW=''
	PROTOCOL_PORT=5900	# nothing listens there: a capture runs as ever and sees an idle link
}

protocol_settings() {
	jq -cn '{server: "none", says: "no server", version: "", frame_rate_per_s: null, encodings: [],
		compression: "none", encryption: "none", floor_ms: 0}'
}

protocol_stop() { :; }
