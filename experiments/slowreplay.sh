#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Zeldovich & Chandra 2005, section 4.3: a session replayed on a disk so slow that it takes ten times as long
# minutes: 10 (quick 3)
# needs: two CPUs, VNC, root (loop devices, FUSE, overlayfs); thinprobe setup --app desk
# wrong if: a replay does not come to its end, or an input is not delivered
#
# A recorded session is replayed on its own disk as fast as that is, and then with a time for each read and write that makes the session take ten times as long
# (what it reads and writes is counted in the first replay). The question is whether the replay comes to its end and delivers every input. All that the
# session reads is on that disk, and none of it in memory at the start. How: replays.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, replays.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=slowreplay
EXPERIMENT_SAYS="Does a replay come to its end, with every input delivered, where the disk is so slow that the session takes ten times as long?"
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/replays.sh"
EXP_AGAIN_PART=0 FACTOR=10 ON_DISK=1 DISK=slow:0ms REPEATS=1 TIMEOUT_S=600 SETTINGS=(plain slow) BASE=plain

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--factor F] [--app A] [--trace FILE|--script FILE] [--repeat R] [--timeout S] [--keep-caches] [--quick]
         [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --factor F        the session is to take about so many times as long ($FACTOR)
$(replays_usage)
END
}

check_options() { exp_number --factor "$FACTOR" 2 100; }
more_settings() { jq -cn --argjson factor "$FACTOR" '{factor: $factor, disk: "slow"}'; }
read_more_settings() { FACTOR=$(jq -r .settings.factor "$RESUME/run.json"); }
setting_row() { [ "$1" = plain ] && printf '1\tas fast as the disk is\n' || printf '%s\tthrottled disk\n' "$FACTOR"; }
choose_settings() { :; }

# The plain one tells what the slow one needs.
exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do printf 'plain 0 %s\nslow 0 %s\n' "$repeat" "$repeat"; done
}

# What the session asks of the disk comes one after the other, and thinking goes on meanwhile: so much for each request that they alone take FACTOR times the
# plain session, in whole ms.
DELAY_MS=0
setting_begin() {
	DELAY_MS=0
	if [ "$1" = slow ]; then
		LAB_WHY="no plain replay tells how many reads there are"
		DELAY_MS=$(jq -r --argjson factor "$FACTOR" '[$factor * .play.total_s * 1000 / ([.disk.reads + .disk.writes, 1] | max) | round, 2000] | min | [., 1] | max' "$(exp_cell_folder plain 0 "${folder##*/}")/cell.json" 2>/dev/null) || return
		[[ $DELAY_MS =~ ^[0-9]+$ ]] || return
	fi
	lab_disk_delay "${DELAY_MS}ms"
}
setting_end() { FACTS=$(jq -cn --argjson ms "$DELAY_MS" '{delay_ms: $ms}'); }
setting_away() { disk_fast; }

replays_options "" "--factor FACTOR" "$@"
replays_run
