# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# terminal.sh - the least that a login can be: a shell that waits for a word, in an xterm. Contract: protocols/README.md.

# shellcheck source=lab/xterm.sh
. "$LAB_HERE/xterm.sh"

# The shell edits its line itself from the moment it has shown its prompt.
app_start() { xterm_start "$1" terminal bash; }

# A new line, nothing above it.
app_reset() {
	lab_exec server env DISPLAY="$APP_DISPLAY" xdotool key ctrl+u ctrl+l 2>>"$LAB_TIMES/app-terminal.log"
}
