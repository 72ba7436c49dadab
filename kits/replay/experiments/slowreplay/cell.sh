# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - slowreplay: the session is replayed on its own disk as fast as that is, and then with a time for each read and
# write that makes the session take FACTOR times as long, or on a disk as slow as one behind the link OVER. Does the replay come
# to its end, and deliver every input?
. "$TP_HOME/kits/replay/experiments/families/replays.sh"
ON_DISK=1

exp_cells() { printf 'plain\nslow\n'; }
setting_row() {
	if [ "$1" = plain ]; then
		printf '1\tas fast as the disk is\n'
	elif [ -n "$OVER" ]; then
		printf '\tdisk behind a link of %s\n' "$OVER"
	else
		printf '%s\tthrottled disk\n' "$FACTOR"
	fi
}

setting_check() {
	local LINK_SAID way
	[ -n "$OVER" ] || return 0
	! plan_given factor || exp_bad "--factor with --over: choose one"
	plan_link --over "$OVER"
	[[ $LINK_SAID =~ ^[^,]*(,[^,]*)?$ && $LINK_SAID != none* ]] ||
		exp_bad "--over $OVER: must be RATE[/RATE],DELAY, such as 1500Kbit/384Kbit,20ms"
	OVER=$LINK_SAID
	for way in down up; do
		[ "$(rate_bits "${OVER%%,*}" "$way")" -ge 150000 ] ||
			exp_bad "--over $OVER: must be 150Kbit or more, or large disk requests time out in the kernel"
	done
}

# What the session asks of the disk comes one after the other, and thinking goes on meanwhile: the plain replay tells how many
# requests there are, and each takes so many whole ms that they alone take FACTOR times the plain session. A slow disk gets more and
# smaller ones (twice as many, with mousepad), most of them while one window is waited for: the default patience is four times that.
setting_begin() {	# setting_begin NAME FOLDER
	local rates="${OVER%%,*}" delay="${OVER#*,}" patience
	DELAY_MS=0
	if [ "$1" = plain ]; then
		lab_disk_delay 0
	elif [ -n "$OVER" ]; then
		[[ $OVER == *,* ]] || delay=0ms
		DELAY_MS=$(LC_ALL=C awk -v t="$delay" 'BEGIN { printf "%.3f", 2 * t * (t ~ /us/ ? 0.001 : t ~ /ms/ ? 1 : 1000) }')
		lab_disk_delay "${DELAY_MS}ms" "${rates%/*}" "${rates#*/}"
	else
		LAB_WHY="no plain replay tells how many reads there are"
		read -r DELAY_MS patience < <(jq -r --argjson factor "$FACTOR" --argjson least "${OPT[timeout.default]}" '
			([.disk.reads + .disk.writes, 1] | max) as $requests
			| ([$factor * .play.total_s * 1000 / $requests | round, 2000] | min | [., 1] | max) as $ms
			| "\($ms) \([4 * $requests * $ms / 1000 | ceil, $least] | max)"' \
			"$(cell_folder plain "${2##*/}")/cell.json" 2>/dev/null) && [[ "$DELAY_MS $patience" =~ ^[0-9]+\ [0-9]+$ ]] || return
		[ "$TIMEOUT_S" != "${OPT[timeout.default]}" ] || TIMEOUT_S=$patience
		lab_disk_delay "${DELAY_MS}ms"
	fi
}
setting_end() { FACTS=$(jq -cn --argjson ms "${DELAY_MS:-0}" '{delay_ms: $ms}'); }
setting_away() { disk_fast; }
