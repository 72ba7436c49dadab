# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# xterm.sh - a program in an xterm in the server role. Plug-ins of applications say  . "$LAB_HERE/xterm.sh"  and call
#
#   xterm_start DISPLAY NAME PROGRAM [WORD]...
#                     starts PROGRAM in an xterm on DISPLAY with APP_ENV, waits until it reads single keys, gives its window the
#                     focus; sets APP_PID and APP_DISPLAY. 1 (cannot) when the window does not come
#
# The pointer stays visible while keys are typed (pointerMode 0): when it vanished, that would look like an echo.

xterm_start() {
	local display=$1 app=$2 program=$3 name=app-$2${1//[!0-9]/-} log=$LAB_LOG/app-$2.log pid=''
	shift 3
	[ -n "$display" ] ||
		cannot "-$EXIT_USAGE" "$app needs a display, and protocol $PROTOCOL_NAME has none; use the application refecho" ||
			return
	lab_need server xterm xterm && lab_need server xdotool xdotool && lab_need server pgrep procps || return
	# The shell prints its pid and becomes xterm: over ssh, other sessions of that machine may run an xterm with the same words.
	# shellcheck disable=SC2016
	lab_start server "$name" env ${APP_ENV[@]+"${APP_ENV[@]}"} DISPLAY="$display" sh -c 'echo "$$" && exec xterm "$@"' sh \
		-xrm 'XTerm*pointerMode: 0' -fn fixed -geometry 80x24+0+0 +sb -title "$app $display" -e "$program" "$@"
	APP_PID=$LAB_PID APP_DISPLAY=$display
	lab_comes 20 "$APP_PID" test -s "$LAB_LOG/$name.out" && read -r pid <"$LAB_LOG/$name.out"
	# A program reads keys from the moment it has switched its terminal to single characters. No window manager: keys go to the
	# window that has the focus, and only while the pointer is above it. The window of an xterm that has just ended may still be
	# there.
	# A minute: a remote display is asked some hundred times, each a round trip.
	# shellcheck disable=SC2016
	[ -n "$pid" ] && lab_exec server timeout 60 sh -c '
		export DISPLAY="$1"
		until child=$(pgrep -P "$2" -x "$3") && tty=$(ps -o tty= -p "$child") &&
			stty -F "/dev/$tty" -a 2>/dev/null | grep -q -e -icanon; do kill -0 "$2" && sleep 0.05 || exit; done
		until window=$(xdotool search --all --onlyvisible --pid "$2" --class xterm 2>/dev/null) && [ -n "$window" ]; do sleep 0.05; done
		xdotool windowfocus --sync "$window" mousemove --sync 200 150' sh "$display" "$pid" "$program" >>"$log" 2>&1 || {
		lab_stop "$APP_PID"
		cannot "the window of $app did not appear on display $display:" \
			"$(grep -hsv '^$' -- "$log" "$LAB_LOG/$name.err" | tail -n 1); see $LAB_LOG"
	}
}
