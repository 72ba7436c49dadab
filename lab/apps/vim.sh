# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# vim.sh - the light, real application: vim in insert mode in an xterm. Contract: protocols/README.md.
#
# No greeting: it would vanish with the first key, which is no echo. The pointer stays (pointerMode 0), for the same reason.
# xterm starts its child in a session of its own, so where autogroups are on vim always is alone in one.

app_about() { printf 'vim in insert mode in an xterm (light: a fraction of a millisecond per key)\n'; }
app_packages() { printf 'xterm vim-tiny xdotool\n'; }
app_watch() { printf 'update\n'; }
app_cost_ns() { :; }

app_start() {
	local vi
	[ -n "$1" ] || die "-$EXIT_USAGE" "vim needs a display, and protocol $PROTOCOL_NAME has none; use the application refecho"
	lab_need server xterm xterm
	lab_need server xdotool xdotool
	lab_need server pgrep procps
	for vi in vim.tiny vi vim ''; do [ -n "$vi" ] && lab_has server "$vi" && break; done
	[ -n "$vi" ] || lab_need server vim.tiny vim-tiny
	lab_start server "app-vim${1//[!0-9]/-}" env ${APP_ENV[@]+"${APP_ENV[@]}"} DISPLAY="$1" xterm -xrm 'XTerm*pointerMode: 0' -fn fixed -geometry 80x24+0+0 +sb -title "vim $1" \
		-e "$vi" -N -u NONE -i NONE -n --cmd "set shortmess+=I" --cmd "imap <silent> <F2> <Esc>:silent %d<CR>i" -c startinsert
	APP_PID=$LAB_PID APP_DISPLAY=$1
	# vim reads keys from the moment it has switched its terminal to single characters.
	# shellcheck disable=SC2016
	lab_exec server timeout 20 sh -c '
		export DISPLAY="$1"
		until xterm=$(pgrep -f "^xterm .*-title vim $1 -e") && pid=$(pgrep -P "$xterm" -x "$2") && tty=$(ps -o tty= -p "$pid") &&
			stty -F "/dev/$tty" -a 2>/dev/null | grep -q -e -icanon; do sleep 0.05; done
		until window=$(xdotool search --onlyvisible --class xterm 2>/dev/null | head -n 1) && [ -n "$window" ]; do sleep 0.05; done
		# No window manager: keys go to the window that has the focus, and only while the pointer is above it.
		xdotool windowfocus --sync "$window" mousemove --sync 200 150' sh "$1" "$vi" >>"$LAB_LOG/app-vim.log" 2>&1 ||
		{
			lab_stop "$APP_PID"
			die "vim's window did not appear on display $1: $(tail -n 1 -- "$LAB_LOG/app-vim.log"); see $LAB_LOG"
		}
}

# An empty text: a line that outgrew the window would scroll, and every train begins alike.
app_reset() {
	lab_exec server env DISPLAY="$APP_DISPLAY" xdotool key F2
}

app_stop() { lab_stop "$APP_PID"; }
