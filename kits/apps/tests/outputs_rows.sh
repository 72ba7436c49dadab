# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# outputs_rows.sh - of tests/outputs.sh, which sources it.

outputs_rows_apps() {
	cat <<'END'
startup	xterm	thinprobe startup --settle 200ms --watch-after 0 --close-for 200ms $OPTIONS -- xterm
vamp	-	thinprobe vamp run --dry-run --no-audio --control input -t 300ms $OPTIONS
END
}

outputs_need_xterm() { command -v xterm >/dev/null && outputs_need_display; }
