# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
. "$TP_HOME/experiments/engine/animations.sh"

BANNER_SIZE=468x60 BANNER_FRAMES=200

# Every step has pictures of its own: the one before must not help.
animation_steps() {
	local warm=$((FRAMES > RATE ? FRAMES : RATE)) new=$((SECONDS_EACH > 9 ? 5 * RATE : 3 * RATE)) seed=$((SEED * 1000 + $2 * 10))
	animation_step "$1/fresh" "$RATE" "$new" --order fresh --seed "$((seed + 1))" &&
		animation_step "$1/loop" "$warm" "$((SECONDS_EACH * RATE))" --frames "$FRAMES" --draw "${P[draw]}" \
			--seed "$((seed + 2))" || return
	[ "$NO_BANNER" = 0 ] || return 0
	local SIZE=$BANNER_SIZE
	animation_step "$1/banner-fresh" "$RATE" "$new" --order fresh --seed "$((seed + 3))" &&
		animation_step "$1/banner" "$BANNER_FRAMES" "$BANNER_FRAMES" --frames "$BANNER_FRAMES" --draw "${P[draw]}" --seed "$((seed + 4))"
}

animation_report() {
	local step
	for step in fresh loop banner-fresh banner; do
		[ ! -s "$1/$step/step.json" ] || jq -c --arg step "$step" '{($step): .}' "$1/$step/step.json"
	done | jq -cs '{steps: (add // {})}'
}
