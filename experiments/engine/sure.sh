# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# sure.sh - --until-sure: more repeats of all cells, until a percentile is known well enough in each of them. run.sh reads it.

# sure_look: judges all cells: OPEN: in how many the percentile is open; WHY; UNTOLD: where no number of keys tells it, or empty.
sure_look() {
	OPEN=1 WHY="it cannot be summed up" UNTOLD=''
	"$TP_BIN/summarize" --format json -o "$RUN/summary.json" "$RUN" >/dev/null 2>&1 || [ $? = 3 ] || return
	IFS=$'\037' read -r OPEN WHY UNTOLD < <(jq -r '.result.sure | [.open, .why, .untold] | join("\u001f")' "$RUN/summary.json")
}

# Whether a run whose repeats are all there is to have more.
sure_open() {
	local OPEN WHY UNTOLD
	[ -n "${UNTIL_SURE-}" ] && { sure_look; [ "${OPEN:-0}" != 0 ]; }
}

# sure_more BEGUN: after the cells of a run that began when NOW_S was BEGUN: a repeat more of all cells, again and again. Sets
# SURE, the exit status, if the run is not sure.
sure_more() {
	local percentile width budget limit since each=0 OPEN=0 WHY='' UNTOLD=''
	[ -n "${UNTIL_SURE-}" ] || return 0
	IFS=, read -r percentile width budget <<<"$UNTIL_SURE"
	case $budget in *m) limit=$((${budget%m} * 60)) ;; *h) limit=$((${budget%h} * 3600)) ;; *) limit=${budget%s} ;; esac
	PLAN[again]='0 quick=0'	# instead of a disturbed repeat once more
	while ! stopped && [ -z "$EXP_LOST" ]; do
		sure_look || { warn "$percentile is not sure: $WHY"; SURE=3; break; }
		[ "${OPEN:-0}" != 0 ] || break
		now_s
		if [ $((NOW_S - $1 + each)) -gt "$limit" ]; then
			warn "$percentile is not sure in $OPEN of ${#CELLS[@]} conditions ($WHY) after $REPEATS repeats; the report" \
				"has what is known; a longer time: --until-sure $percentile,$width,TIME"
			SURE=3
			break
		fi
		[ -t 1 ] || echo "    $percentile is not sure in $OPEN of ${#CELLS[@]} conditions ($WHY): repeat $((REPEATS + 1))"
		REPEATS=$((REPEATS + 1)) since=$NOW_S
		run_set '.settings.repeats = $n' --argjson n "$REPEATS"
		cells_run
		now_s
		each=$((NOW_S - since))
	done
	[ -n "$UNTOLD" ] || return 0
	warn "$percentile is $UNTOLD: more keys do not tell it"
	SURE=3
}
