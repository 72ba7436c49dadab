# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# simple.sh - what moves in the plainest of windows, an xterm: APP_SHOWS is caret (it blinks, 0.6 s on, 0.3 s off) or bar (a
# progress bar of 50 characters, five steps a second, each of which writes the whole line, as programs do). Contract:
# protocols/README.md.

# shellcheck source=lab/xterm.sh
. "$LAB_HERE/xterm.sh"

# The pause is the shell's own: what would sleep beside it is a process for each step.
# shellcheck disable=SC2016 # another shell's
app_start() {
	local shows
	case $APP_SHOWS in
	caret) shows='printf "\e[?12h"; while :; do read -r -t 60 _; done' ;;
	bar) shows='full=$(printf "%50s" ""); full=${full// /#}; printf "\e[?25l"; for ((i = 0; ; i = i % 100 + 1)); do
		printf "\r[%-50s] %3d %%" "${full:0:i / 2}" "$i"; read -r -t 0.2 _; done' ;;
	*) cannot "-$EXIT_USAGE" "nothing simple called '${APP_SHOWS-}'; there are: caret bar" || return ;;
	esac
	xterm_start "$1" "$APP_SHOWS" bash -c "stty -icanon -echo; $shows"
}
