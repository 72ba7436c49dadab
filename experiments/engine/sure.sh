# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# sure.sh - --until-sure: more repeats of all cells, until a percentile is known well enough in each of them. run.sh reads it.

# sure_open WIDTH COLUMN FILE: prints how many rows of the summary are open, and why the worst is: too few keys for the percentile,
# no interval yet, or one that is wider than ± WIDTH percent. Where more keys would not tell (overloaded, keys without an echo, keys
# that are known as ranges) nothing is open.
sure_open() {
	LC_ALL=C awk -F'\t' -v width="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ value = $at[name]; low = $at[name "_low"]; high = $at[name "_high"]; wide = 0 }
		value == "" && $at[name "_why"] != "too few" || $at[name "_above"] == 1 { next }
		value == "" { few++ }
		value != "" && (low == "" || high == "") { bare++ }
		value > 0 && low != "" && high != "" { wide = 50 * (high - low) / value }
		wide > width { broad++; if (wide > most) most = wide }
		END {
			if (few + bare + broad)
				printf "%d %s\n", few + bare + broad, few ? "too few keys" : bare ? "no interval yet" : sprintf("± %.3g %%", most)
		}' "$3"
}

# sure_more BEGUN: after the cells of a run that began when SECONDS was BEGUN: a repeat more of all cells, again and again.
sure_more() {
	local percentile width budget limit since each=0 open=''
	[ -n "${UNTIL_SURE-}" ] || return 0
	IFS=, read -r percentile width budget <<<"$UNTIL_SURE"
	case $budget in *m) limit=$((${budget%m} * 60)) ;; *h) limit=$((${budget%h} * 3600)) ;; *) limit=${budget%s} ;; esac
	PLAN[again]='0 quick=0'	# instead of a disturbed repeat once more
	while ! stopped && [ -z "$EXP_LOST" ]; do
		"$TP_BIN/summarize" --format json -o "$RUN/summary.json" "$RUN" >/dev/null 2>&1
		open=$(sure_open "${width%\%}" "latency_${percentile}_ms" "$RUN/summary.tsv")
		[ -n "$open" ] || return 0
		if [ $((SECONDS - $1 + each)) -gt "$limit" ]; then
			warn "$percentile is not sure in ${open%% *} of ${#CELLS[@]} conditions (${open#* }) after $REPEATS repeats; the report" \
				"has what is known; a longer time: --until-sure $percentile,$width,TIME"
			return
		fi
		[ -t 1 ] || echo "    $percentile is not sure in ${open%% *} of ${#CELLS[@]} conditions (${open#* }): repeat $((REPEATS + 1))"
		REPEATS=$((REPEATS + 1)) since=$SECONDS
		run_set '.settings.repeats = $n' --argjson n "$REPEATS"
		cells_run
		each=$((SECONDS - since))
	done
}
