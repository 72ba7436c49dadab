# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# vim.sh - the light, real application: vim in insert mode in an xterm. Contract: protocols/README.md.
#
# No greeting: it would vanish with the first key, which is no echo. No ruler, which changes with each key: vim 9.2 has one.
# xterm starts its child in a session of its own, so where autogroups are on vim always is alone in one.

# shellcheck source=lab/xterm.sh
. "$LAB_HERE/xterm.sh"

app_start() {
	local vi
	for vi in vim.tiny vi vim ''; do [ -n "$vi" ] && lab_has server "$vi" && break; done
	[ -n "$vi" ] || lab_need server vim.tiny vim-tiny || return
	xterm_start "$1" vim "$vi" -N -u NONE -i NONE -n --cmd "set shortmess+=I noruler noshowcmd" \
		--cmd "imap <silent> <F2> <Esc>:silent %d<CR>i" -c startinsert
}

# An empty text: a line that outgrew the window would scroll, and every train begins alike.
app_reset() {
	lab_exec server env DISPLAY="$APP_DISPLAY" xdotool key F2 2>>"$LAB_TIMES/app-vim.log"
}
