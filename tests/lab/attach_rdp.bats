#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# As attach.bats, with xfreerdp in front of xrdp.
# bats file_tags=all

load window

@test "attach, xfreerdp: keys are measured by the caret, over RDP from xrdp" {
	for tool in xfreerdp xrdp openssl; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	[ -f /usr/lib/xorg/modules/libxorgxrdp.so ] || [ -f /usr/lib/xorg/modules/drivers/xrdpdev_drv.so ] ||
		skip "xorgxrdp is not installed"
	drive <<'END'
lab_up
client_screen
rdp_server
lab_start client viewer env DISPLAY=:90 HOME=/tmp/home xfreerdp "/v:$LAB_ADDR_server:3389" /cert:ignore /sec:tls \
	/u:na /p:na /size:800x600 /bpp:24 -grab-keyboard -clipboard -decorations /audio-mode:2
client_window FreeRDP
# vim shows its mode with the first key: this must not happen during the train
lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" xdotool key a BackSpace
nap 1
attach run --on attach::90,FreeRDP,800x500+0+0 --time 2 --repeat 1 --quick --idle 1 --loads 7 && echo "status 0"
vim_text
lab_down
END
	said 0 "status 0" "text 40"
	cell=$W/lab/run/cells/$(jq -r '.cells[] | select(.parameters.sinks == 7).name' "$W/lab/run/run.json")/1
	[ "$(jq -r '.result.pairing' "$cell/keyrepeat.json")" = caret ]
	[ "$(jq -r '.result.keys_exact' "$cell/keyrepeat.json")" = 35 ]
	[ "$(jq -r '.protocol.port' "$W/lab/run/run.json")" = 3389 ]
}
