# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# weston.sh - VNC or RDP by Wayland's reference compositor itself, without a screen and without a GPU. Contract: README.md.
#
#   weston:vnc   its VNC back-end, which Debian has from weston 14 on; refecho is the application; keyrepeat is the client
#   weston:rdp   its RDP back-end, without the graphics pipeline
#
# With VNC it asks PAM for the password of the user who runs it: it has mounts of its own, where a PAM file lets everybody in. With
# RDP it asks nobody, but closes the connection to a client without a clipboard.

# (In this order: both have viewer.sh, which gives back the protocol_ended that wayland.sh replaces.)
# shellcheck source=lab/rdp_client.sh
. "$LAB_HERE/rdp_client.sh"
# shellcheck source=lab/wayland.sh
. "$LAB_HERE/wayland.sh"

protocol_variants() { printf 'vnc rdp\n'; }
# With VNC it lets in the user who runs it, root of its own user namespace. keyrepeat says the name in USER.
[ "${PROTOCOL_VARIANT-}" = rdp ] || export USER=root
weston_over() { printf %s "${PROTOCOL_VARIANT:-vnc}"; }

protocol_about() {
	local over
	over=$(weston_over)
	printf '%s from Wayland, weston without a screen (answers with a readable patch)\n' "${over^^}"
}
protocol_properties() { printf 'link own-echo\n'; }

protocol_can() {
	local over
	over=$(weston_over)
	lab_needs server:weston:weston || return
	weston_words >/dev/null || {
		printf 'weston %s has no %s server; Debian 13 has weston 14: thinprobe root make trixie --protocol %s\n' \
			"$(protocol_version server weston | grep . || echo 'of an unknown version')" "${over^^}" "$PROTOCOL_NAME"
		return 1
	}
	wayland_can || return
	[ "$over" = vnc ] || { lab_needs server:openssl:openssl && rdp_client_can; }
}

# weston_words: prints what this release calls its back-end, its shell and a screen of a fixed size, a word a line; 1: it has no
# such back-end.
weston_words() {
	local release over
	over=$(weston_over) release=$(protocol_version server weston) release=${release%%.*}
	[[ $release =~ ^[0-9]+$ ]] && [ "$release" -ge "$([ "$over" = vnc ] && echo 14 || echo 10)" ] || return
	if [ "$release" -lt 12 ]; then
		printf '%s\n' "--backend=$over-backend.so" --shell=kiosk-shell.so
	else
		printf '%s\n' "--backend=$over" --shell=kiosk --renderer=pixman
	fi
	if [ "$over" = rdp ]; then [ "$release" -lt 14 ] && echo --no-clients-resize || echo --no-resizeable; fi
}

protocol_start() {
	local session=$1 log=$LAB_LOG/wayland-$1 apart=() words certificate=''
	wayland_begin "$session" || return
	mapfile -t words < <(weston_words)
	if [ "$PROTOCOL_VARIANT" = rdp ]; then
		rdp_port "$((PROTOCOL_PORT - 5900))"
		certificate=$(rdp_certificate "$WAYLAND_FOLDER" key.pem cert.pem 2>"$log.err") ||
			protocol_failed "$session" "cannot make the certificate" "$log.err" || return
		words+=("--rdp-tls-key=$WAYLAND_FOLDER/key.pem" "--rdp-tls-cert=$WAYLAND_FOLDER/cert.pem")
	else
		lab_exec server sh -c 'printf "%s required pam_permit.so\n" auth account >"$1/pam"' sh "$WAYLAND_FOLDER"
		apart=("${PROTOCOL_APART[@]}" sh -c 'mount --bind "$1" /etc/pam.d/weston-remote-access && shift && exec "$@"' sh
			"$WAYLAND_FOLDER/pam")
		words+=(--disable-transport-layer-security)
	fi
	protocol_run server "wayland-$session" ${apart[@]+"${apart[@]}"} \
		env XDG_RUNTIME_DIR="$WAYLAND_FOLDER" HOME="$WAYLAND_FOLDER" weston --no-config --idle-time=0 --socket=wayland-1 \
		--width="${VIEWER_GEOMETRY%x*}" --height="${VIEWER_GEOMETRY#*x}" \
		--address="$LAB_ADDR_server" --port="$PROTOCOL_PORT" "${words[@]}"
	wayland_listens && wayland_comes 20 || protocol_failed "$session" "weston did not start" "$log".{err,out} || return
	weston_client "$session" "$certificate" || return
	wayland_refecho "$session" || protocol_failed "$session" "refecho did not start" "$log-refecho.err"
}

weston_client() {	# weston_client SESSION FINGERPRINT
	if [ "$PROTOCOL_VARIANT" = rdp ]; then RDP_PASSWORD='' rdp_client "$@"; return; fi
	protocol_secret | lab_put client - "$LAB_RUN/weston-vnc.password" ||
		protocol_failed "$1" "cannot store a password" "$LAB_LOG/wayland-$1.err" || return
	PROTOCOL_OPTIONS=(--password-file "$LAB_RUN/weston-vnc.password")
}

protocol_settings() {
	# VNC: it draws at the ends of frames of its clock, also after a rest. RDP: after a rest its clock begins
	# anew, and it draws 7 ms (its repaint window) before the frame ends.
	jq -cn --arg version "$(protocol_version server weston)" --arg geometry "$VIEWER_GEOMETRY" --arg over "$(weston_over)" '
		{server: "weston", version: $version, frame_rate_per_s: 60, geometry: $geometry, depth: 24} + if $over == "vnc" then
			{says: "VNC (weston \($version), 60 frames/s)", pointer: "drawn by the client if it can; refecho hides it",
			encodings: ["client chooses"], compression: "client chooses", encryption: "none", floor_ms: 8.33}
		else {says: "RDP (weston \($version), 60 frames/s; client keyrepeat)", client: "keyrepeat on libfreerdp",
			pointer: "drawn by the server; refecho hides it", encodings: ["server chooses"],
			compression: "server chooses", encryption: "TLS", floor_ms: 9.67,
			floor_of: "weston'"'"'s waiting for more to be drawn"} end'
}
