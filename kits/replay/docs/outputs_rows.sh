# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# outputs_rows.sh - of docs/outputs.sh, which sources it.

outputs_rows_replay() {
	cat <<'END'
diskorder	loop	thinprobe diskorder $LOOP -t 300ms $OPTIONS
vncplay	replays	thinprobe vncplay analyze run?.rfb $OPTIONS
END
}

outputs_need_replays() {
	python3 "$OUTPUTS_TOP/kits/replay/tests/golden/make_vncplay.py" make . width=240 height=180 noise_ms=200 factors=1,1.1 >/dev/null
}

outputs_need_loop() {
	[ "$(id -u)" = 0 ] && truncate -s 1M loop.img && LOOP=$(losetup --find --show loop.img 2>/dev/null) &&
		timeout 20 thinprobe diskorder "$LOOP" -t 1ms >/dev/null 2>&1 || return 1	# the kernel may not let us trace
	while sleep 0.02; do outputs_reads "$LOOP"; done >/dev/null 2>&1 3>&- &
	outputs_pids+=($!)
}
