# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
. "$TP_HOME/experiments/families/animations.sh"

FIRST=100	# the first loop of the search

animation_steps() {	# animation_steps FOLDER REPEAT
	local folder=$1 seed=$((SEED * 100000 + $2 * 1000)) count=$((2 * RATE))
	LOW='' HIGH='' STEPS=0
	: >"$folder/points.ndjson"
	cache_step miss fresh 0 0 "$RATE" "$count" || return
	MISS=$BYTES
	cache_step hit loop 2 0 "$RATE" "$count" || return
	HIT=$BYTES
	LC_ALL=C awk -v h="$HIT" -v m="$MISS" 'BEGIN { exit !(h < 0.5 * m) }' || return 0	# no cache
	cache_search && cache_confirm || return
	[ -z "$SCAN" ] || cache_scan || return
	[ -z "$HIGH" ] || cache_orders
}

animation_report() {
	[ -f "$1/points.ndjson" ] || { echo '{}'; return; }
	jq -cs --argjson low "${LOW:-null}" --argjson high "${HIGH:-null}" --argjson most "$MOST" \
		'{search: {$low, $high, $most}, points: .}' "$1/points.ndjson"
	rm -f "$1/points.ndjson"
}

# cache_step NAME ORDER FRAMES HOT WARM COUNT: one step; sets BYTES, the bytes of a frame. If a frame of a loop never arrived
# during warm-up, the cache cannot hold the whole loop: the step is repeated, at most twice.
cache_step() {
	local step how=(--order "$2")
	[ "$2" = fresh ] || how+=(--frames "$3" --draw "${P[draw]}")
	[ "$2" != hot ] || how+=(--hot "$4")
	for _ in 1 2 3; do
		STEPS=$((STEPS + 1))
		step=$(printf '%02d-%s' "$STEPS" "$1-$3")
		exp_step "$(exp_words): $1, $3 frames"
		animation_step "$folder/$step" "$5" "$6" "${how[@]}" --seed "$((seed + STEPS))" || return
		[ "$2" = loop ] && [ "$(jq -r '.distinct_before // empty' "$folder/$step/step.json")" -lt "$3" ] || break
	done
	BYTES=$(jq -r '.bytes_per_frame // empty' "$folder/$step/step.json")
	[ -n "$BYTES" ] || { LAB_WHY="no frame came by in step $step"; return 1; }
	jq -c --arg name "$1" --arg order "$2" --argjson frames "$3" --argjson hot "$4" --argjson warm "$5" --argjson count "$6" \
		--argjson seed "$((seed + STEPS))" --arg step "$step" \
			'{$name, $order, $frames, $hot, $warm, $count, $seed, $step} + .' \
		"$folder/$step/step.json" >>"$folder/points.ndjson"
}

# cache_loop NAME FRAMES: a loop: one round to store the frames (and a second until the screen is watched), then whole rounds for
# two seconds or more; a long loop for four seconds, since any part of it will do. Sets LOW if most frames hit, else HIGH.
# 1: LAB_WHY.
cache_loop() {
	local count=$(((2 * RATE + $2 - 1) / $2 * $2))
	[ "$count" -le $((4 * RATE)) ] || count=$((4 * RATE))
	cache_step "$1" loop "$2" 0 "$(($2 + RATE))" "$count" || return
	[ "$1" != scan ] || return 0
	if LC_ALL=C awk -v b="$BYTES" -v miss="$MISS" -v hit="$HIT" 'BEGIN { exit !(b < (miss + hit) / 2) }'; then LOW=$2; \
		else HIGH=$2; fi
}

# Finds LOW, the longest loop that hits, and HIGH, the shortest that does not (empty if none up to MOST).
cache_search() {
	local n=$((FIRST < MOST ? FIRST : MOST))
	LOW=2
	while [ -z "$HIGH" ] && [ "$LOW" -lt "$MOST" ]; do
		cache_loop search "$n" || return
		n=$((2 * n < MOST ? 2 * n : MOST))
	done
	while [ -n "$HIGH" ] && [ $((HIGH - LOW)) -gt 1 ]; do
		cache_loop search $(((LOW + HIGH) / 2)) || return
	done
}

# The longest loop must hit a second time: lost frames may look like hits. Else LOW is lowered by one, a few times at most.
cache_confirm() {
	local n
	for _ in 1 2 3 4; do
		n=$LOW
		cache_loop fits "$n" || return
		[ "$HIGH" = "$n" ] && [ "$n" -gt 2 ] || return 0
		LOW=$((n - 1))
	done
}

cache_scan() {
	local n
	for n in $({ seq 25 "$SCAN" 100; [ -z "$HIGH" ] || seq "$((LOW > 5 ? LOW - 3 : 2))" "$((HIGH + 3))"; } | sort -nu); do
		cache_loop scan "$n" || return
	done
}

# Loops longer than the cache, to tell its replacement policy. There are so few hot frames that even a somewhat smaller cache would
# hold them between two showings. No steady state is needed: the hits of each policy are simulated, frame by frame.
cache_orders() {
	local over=$((LOW + LOW / 4 + 1)) double=$((2 * LOW)) random hot=$((LOW > 4 ? LOW * 2 / 5 : 1)) \
		least=$(((QUICK ? 3 : 5) * RATE))
	random=$((double > 4 ? double : 4))
	cache_step over loop "$over" 0 "$((over + RATE))" "$((over > least ? over : least))" || return
	cache_step random random "$random" 0 "$((double > RATE ? double : RATE))" "$((LOW > 2 * least ? LOW : 2 * least))" || return
	[ "$LOW" -lt 4 ] || cache_step hot hot "$((hot + double))" "$hot" "$double" "$((LOW > least ? LOW : least))"
}
