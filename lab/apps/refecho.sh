# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# refecho.sh - the heavy application: refecho, which burns APP_COST of CPU time per redraw (default 10ms) and shows which
# key it has answered. Contract: protocols/README.md.

app_watch() { printf 'patch\n'; }

# APP_OPTIONS (array): more options for refecho, --cost-per key for one.
app_start() {
	APP_PID=
	# A server that draws by itself (vnc:refecho) is the application.
	[ -n "$1" ] || return 0
	[ -x "$TP_BIN/refecho" ] || cannot "-$EXIT_MISSING" "$TP_BIN/refecho is not built; run: make" || return
	lab_need server xdotool xdotool || return
	local name=app-refecho${1//[!0-9]/-}
	lab_start ${APP_FLAGS[@]+"${APP_FLAGS[@]}"} server "$name" "$TP_BIN/refecho" --display "$1" \
		--cost "${APP_COST:-10ms}" ${APP_OPTIONS[@]+"${APP_OPTIONS[@]}"}
	APP_PID=$LAB_PID
	lab_ready "$name" 20 || cannot "refecho did not start on display $1; see $LAB_LOG/$name.err" || return
	# shellcheck disable=SC2016
	lab_exec server timeout 60 sh -c '
		export DISPLAY="$1"
		# In the window for the keys, but in its lower right: a cursor may be painted over what is below it. Tried again, since
		# the window found may be that of one that has just ended: it never gets the focus. (The move has no --sync: where the
		# pointer is there already it would wait for ever.)
		until window=$(xdotool search --onlyvisible --name "^refecho" 2>/dev/null | head -n 1) && [ -n "$window" ] &&
			timeout 2 xdotool windowfocus --sync "$window" mousemove --window "$window" 310 230; do sleep 0.05; done' sh "$1" \
			>>"$LAB_LOG/app-refecho.log" 2>&1 || {
		lab_stop "$APP_PID"
		cannot "refecho's window did not appear on display $1: $(tail -n 1 -- "$LAB_LOG/app-refecho.log"); see $LAB_LOG"
	}
}
