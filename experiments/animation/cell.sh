# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - animation: the axis `shows` says what moves on the display: the loop (frames of bin/animate), a page with several
# animations in a browser, or a caret or a progress bar in a terminal. Each is measured in the step `loop`.
. "$TP_HOME/experiments/families/animations.sh"
. "$TP_HOME/experiments/animation/page.sh"

BANNER_SIZE=468x60 BANNER_FRAMES=200

exp_choose() {
	local why
	[[ ,$SHOWN, == *,page,* ]] || return 0
	app_use work
	APP_WORK=news
	why=$(app_can) || { ! plan_given shows || die "-$EXIT_MISSING" "--shows page: $why"; }
	[ -z "$why" ] || { SHOWN=$(tr , '\n' <<<"$SHOWN" | grep -vx page | paste -sd ,) ABSENT+=("page: $why"); }
}

# Only the loop can be drawn in several ways.
exp_cells() {
	local protocol shows
	for protocol in ${PROTOCOLS//,/ }; do
		for shows in ${SHOWN//,/ }; do
			if [ "$shows" = loop ]; then
				animation_draws "$protocol" "$protocol"$'\tloop'
			else
				printf '%s\t%s\t\n' "$protocol" "$shows"
			fi
		done
	done
}
exp_words() { echo "${P[protocol]}: ${P[shows]}$([ "${P[draw]}" != pixmap ] || echo ", pixmap")"; }

exp_before_cells() {
	[[ ,$SHOWN, == *,page,* ]] || return 0
	exp_step "makes the pictures of the test page"
	page_pictures "$RUN/log/pictures" || die "cannot make the pictures of the test page; see $RUN/log/pictures/*.err"
	[ ! -t 1 ] || printf '\r\033[K'
}
exp_end_lab() { rm -rf "$RUN/log/pictures"; }

animation_steps() {	# animation_steps FOLDER REPEAT
	case ${P[shows]} in
	loop) loop_steps "$@" ;;
	page) page_step "$1/loop" ;;
	*) simple_step "$1/loop" ;;
	esac
}

# Every step has its own pictures, so that none is in a cache from an earlier step.
loop_steps() {
	local warm=$((FRAMES > RATE ? FRAMES : RATE)) new=$((SECONDS_EACH > 9 ? 5 * RATE : 3 * RATE)) \
		seed=$((SEED * 1000 + $2 * 10))
	animation_step "$1/fresh" "$RATE" "$new" --order fresh --seed "$((seed + 1))" &&
		animation_step "$1/loop" "$warm" "$((SECONDS_EACH * RATE))" --frames "$FRAMES" --draw "${P[draw]}" \
			--seed "$((seed + 2))" || return
	[ "$NO_BANNER" = 0 ] || return 0
	local SIZE=$BANNER_SIZE
	animation_step "$1/banner-fresh" "$RATE" "$new" --order fresh --seed "$((seed + 3))" &&
		animation_step "$1/banner" "$BANNER_FRAMES" "$BANNER_FRAMES" --frames "$BANNER_FRAMES" --draw "${P[draw]}" \
			--seed "$((seed + 4))"
}

# Every picture of the page has been shown once before.
page_step() {	# page_step FOLDER; 1: LAB_WHY
	local WORK_PICTURES=$RUN/log/pictures
	APP_WORK=news
	app_use work
	app_start "$PROTOCOL_DISPLAY" || return
	nap "$PAGE_ROUND_S"
	animation_watch "$1" "$SECONDS_EACH" count
}

simple_step() {	# simple_step FOLDER; 1: LAB_WHY
	APP_SHOWS=${P[shows]}
	app_use simple
	app_start "$PROTOCOL_DISPLAY" || return
	nap 1
	animation_watch "$1" "$((SECONDS_EACH < 10 ? SECONDS_EACH : 10))"
}

animation_report() {
	local step
	for step in fresh loop banner-fresh banner; do
		[ ! -s "$1/$step/step.json" ] || jq -c --arg step "$step" '{($step): .}' "$1/$step/step.json"
	done | jq -cs '{steps: (add // {})}'
}
