# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# throttle.sh - for experiments that throttle batch work while a user types, by vamp. Who holds the batch work back
# is no part of the server's memory: what answers the first key must not be paged out itself.

# throttle_start GROUP: holds what is in this group of lab_group back from a key on until five seconds after the last one.
throttle_start() {
	lab_start -R -S -M - server vamp "$TP_BIN/vamp" run --display "$PROTOCOL_DISPLAY" --keys any --no-audio \
		--batch "${LAB_GROUPS[$1]}" --group "${LAB_GROUPS[$1]}" --format json
	is_ready vamp 20 "vamp did not start"
}
