# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # APP_ variables are for who uses the plug-in
# terminal.sh - the least that a login can be: a shell that waits for a word, in an xterm. Contract: protocols/README.md.

app_about() { printf 'a bare terminal: bash in an xterm\n'; }
app_packages() { printf 'xterm xdotool\n'; }
app_watch() { printf 'update\n'; }
app_cost_ns() { :; }

app_start() {
	[ -n "$1" ] || die "-$EXIT_USAGE" "a terminal needs a display, and protocol $PROTOCOL_NAME has none"
	lab_need server xterm xterm
	lab_need server xdotool xdotool
	lab_need server pgrep procps
	lab_start server "app-terminal${1//[!0-9]/-}" env DISPLAY="$1" xterm -xrm 'XTerm*pointerMode: 0' -fn fixed -geometry 80x24+0+0 +sb -title "terminal $1" -e bash
	APP_PID=$LAB_PID APP_DISPLAY=$1
	# The shell edits its line itself from the moment it has shown its prompt.
	# shellcheck disable=SC2016
	lab_exec server timeout 20 sh -c '
		export DISPLAY="$1"
		until xterm=$(pgrep -f "^xterm .*-title terminal $1 -e") && pid=$(pgrep -P "$xterm" -x bash) && tty=$(ps -o tty= -p "$pid") &&
			stty -F "/dev/$tty" -a 2>/dev/null | grep -q -e -icanon; do sleep 0.05; done
		until window=$(xdotool search --onlyvisible --class xterm 2>/dev/null | head -n 1) && [ -n "$window" ]; do sleep 0.05; done
		xdotool windowfocus --sync "$window" mousemove --sync 200 150' sh "$1" >>"$LAB_LOG/app-terminal.log" 2>&1 ||
		{
			lab_stop "$APP_PID"
			die "the terminal did not appear on display $1: $(tail -n 1 -- "$LAB_LOG/app-terminal.log"); see $LAB_LOG"
		}
}

# A new line, nothing above it.
app_reset() {
	lab_exec server env DISPLAY="$APP_DISPLAY" xdotool key ctrl+u ctrl+l
}

app_stop() { lab_stop "$APP_PID"; }
