# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# attach.sh - whatever a client window speaks, with a server that is not ours (../attach.sh). What
# is typed at is what its user put there.

protocol_about() { printf 'a client window of any server, on your own X display (--on attach:DISPLAY,WINDOW)\n'; }
protocol_properties() { printf 'window\n'; }

protocol_can() {
	if [ "${ON_BACKEND-}" = attach ]; then return 0; fi
	if [ -n "${WAYLAND_DISPLAY-}" ] || [ "${XDG_SESSION_TYPE-}" = wayland ]; then
		printf 'this is a Wayland session, where neither keys nor pixels pass; --own-display starts the client elsewhere\n'
		return 1
	fi
	[ -n "${DISPLAY-}" ] || { printf 'no X display here; --own-display COMMAND starts the client on one of ours\n'; return 1; }
}

# The patch of refecho, if somebody runs it in the remote session, is read; else a rectangle is
# watched, which is found once for the run.
protocol_start() {
	local why
	PROTOCOL_DISPLAY='' PROTOCOL_PIDS='' PROTOCOL_PORT=$ATTACH_PORT PROTOCOL_TARGET=x11:$DISPLAY \
		PROTOCOL_WATCH=patch PROTOCOL_VIEW=$DISPLAY
	PROTOCOL_OPTIONS=(--window "$ATTACH_WINDOW")
	[ -n "$LAB_TAP_IF" ] || PROTOCOL_PORT=''
	attach_probe patch --rate 0 --watch patch --patch-wait "$([[ $LAB_ON == own,* ]] && echo 20s || echo 1s)" -t 100ms && return 0
	why=$(tail -n 1 "$LAB_LOG/attach-patch.err")
	[[ $why == *"no patch"* ]] || cannot "${why#keyrepeat: }" || return
	PROTOCOL_WATCH='update'
	if [ -z "$ATTACH_REGION" ]; then
		# (3: it is found, though keys were lost)
		attach_probe region --rate 5 -t 1s --warmup 0 --watch update --region auto || [ $? = 3 ] ||
			cannot "$(tail -n 1 "$LAB_LOG/attach-region.err" |
				sed 's/^keyrepeat: //; s/ with --region/ (--on attach:DISPLAY,WINDOW,WxH+X+Y)/')" || return
		ATTACH_REGION=$(jq -r .settings.region "$LAB_LOG/attach-region.out")
	fi
	PROTOCOL_OPTIONS+=(--region "$ATTACH_REGION")
}

attach_probe() {	# NAME OPTION...
	local name=attach-$1
	shift
	lab_start client "$name" "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" "${PROTOCOL_OPTIONS[@]}" "$@" --format json
	lab_wait "$LAB_PID"
}

protocol_settings() {
	jq -cn --arg title "$ATTACH_TITLE" --arg window "$ATTACH_WINDOW" --arg watch "${PROTOCOL_WATCH-}" \
		--arg region "$ATTACH_REGION" --arg address "$LAB_ADDR_server" --arg port "$ATTACH_PORT" '
		{server: "not ours, unknown", version: "", says: "window \"\($title)\" of a server that is not ours",
		window: $window, title: $title, watch: (if $watch == "" then null else $watch end),
		region: (if $watch == "patch" or $region == "" then null else $region end),
		address: (if $address == "" then null else $address end),
		port: (if $port == "" then null else ($port | tonumber) end),
		frame_rate_per_s: null, encodings: [], compression: "unknown", encryption: "unknown", floor_ms: null}'
}

protocol_stop() { :; }
