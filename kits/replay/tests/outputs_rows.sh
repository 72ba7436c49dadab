# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# outputs_rows.sh - of tests/outputs.sh, which sources it.

outputs_rows_replay() {
	cat <<'END'
vncplay	replays	thinprobe vncplay analyze run?.rfb $OPTIONS
END
}

outputs_need_replays() {
	python3 "$OUTPUTS_TOP/kits/replay/tests/golden/make_vncplay.py" make . width=240 height=180 noise_ms=200 factors=1,1.1 >/dev/null
}
