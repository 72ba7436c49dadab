# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - slowreplay: the session is replayed on its own disk as fast as that is, and then with a time for each read and
# write that makes the session take FACTOR times as long. Does the replay come to its end, and deliver every input?
. "$TP_HOME/experiments/engine/replays.sh"
ON_DISK=1

exp_cells() { printf 'plain\nslow\n'; }
setting_row() { if [ "$1" = plain ]; then printf '1\tas fast as the disk is\n'; else printf '%s\tthrottled disk\n' "$FACTOR"; fi; }

# What the session asks of the disk comes one after the other, and thinking goes on meanwhile: the plain replay tells how many
# requests there are, and each takes so many whole ms that they alone take FACTOR times the plain session.
setting_begin() {	# setting_begin NAME FOLDER
	DELAY_MS=0
	if [ "$1" = slow ]; then
		LAB_WHY="no plain replay tells how many reads there are"
		DELAY_MS=$(jq -r --argjson factor "$FACTOR" '
			[$factor * .play.total_s * 1000 / ([.disk.reads + .disk.writes, 1] | max) | round, 2000] | min | [., 1] | max' \
			"$(cell_folder plain "${2##*/}")/cell.json" 2>/dev/null) && [[ $DELAY_MS =~ ^[0-9]+$ ]] || return
	fi
	lab_disk_delay "${DELAY_MS}ms"
}
setting_end() { FACTS=$(jq -cn --argjson ms "${DELAY_MS:-0}" '{delay_ms: $ms}'); }
setting_away() { disk_fast; }
