# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with run.sh, plan.sh and the experiments
# cells.sh - the cells of a run: which there are, their order, what runs them, what became of them.
#
# A cell is one value for each axis of the plan. CELLS has the cells' names, CELL_VALUES their values in the axes' order
# (\037 between).

CELLS=() CELL_VALUES=()
declare -A P	# the values of the cell that is measured, by axis

# Hooks that an experiment may have.
exp_words() { local axis words=''; for axis in "${AXIS[@]}"; do words+=", $axis ${P[$axis]}"; done; echo "${words#, }"; }
exp_repeats() { CELL_REPEATS=$REPEATS; }	# of the cell in P
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_cell_begin() { :; }
exp_cell_end() { :; }
exp_session() { :; }
exp_end_session() { :; }

# The product of the axes' options: axis NAME=OPTION, or NAME where the option has that name.
exp_cells() {
	local axis option item line lines=('') more
	for axis in "${AXES[@]}"; do
		option=${axis#*=} more=()
		[ -n "${OPT[$option.var]-}" ] || die "$EXP_DIR/plan: axis $axis has no option; write NAME=OPTION"
		item=${!OPT[$option.var]}
		for line in "${lines[@]}"; do for item in ${!OPT[$option.var]//,/ }; do more+=("$line${line:+$'\t'}$item"); done; done
		lines=("${more[@]}")
	done
	printf '%s\n' "${lines[@]}"
}

# Sets CELLS and CELL_VALUES: of a run that goes on those that it has, by the names that they have there.
cells_choose() {
	local line name
	if [ -n "$RESUME" ] && [ -z "$late" ]; then
		while IFS=$'\037' read -r name line; do
			CELLS+=("$name") CELL_VALUES+=("$line")
		done < <(jq -r '.axes as $axes | .cells[] | .parameters as $p
			| [.name, ($axes[] | $p[.] // "" | tostring)] | join("\u001f")' "$RESUME/run.json")
		[ "${#CELLS[@]}" -gt 0 ] || exp_bad "--resume $RESUME: it has no cells; start a new run"
		return
	fi
	local -A seen
	while IFS= read -r line; do
		[ -n "$line" ] || continue
		line=${line//$'\t'/$'\037'}
		name=$(tr -s '\037' '-' <<<"$line" | tr '/: ' '---')
		name=${name%-}
		[ -z "${seen[$name]-}" ] || die "two cells are called $name"
		seen[$name]=1 CELLS+=("$name") CELL_VALUES+=("$line")
	done < <(exp_cells)
	[ "${#CELLS[@]}" -gt 0 ] || exp_bad "there is nothing to measure"
}

cell_use() {	# cell_use N: sets CELL, P and CELL_REPEATS
	local values i
	IFS=$'\037' read -ra values <<<"${CELL_VALUES[$1]}"
	CELL=${CELLS[$1]}
	for ((i = 0; i < ${#AXIS[@]}; i++)); do P[${AXIS[i]}]=${values[i]-}; done
	exp_repeats
}

cell_parameters() {	# P as JSON
	local axis
	for axis in "${AXIS[@]}"; do printf '%s\037%s\n' "$axis" "${P[$axis]}"; done |
		jq -cRn "$CELL_JSON"' [inputs | pair] | from_entries'
}
CELL_JSON='def value: if . == "" then null elif test("^-?(0|[1-9][0-9]*)([.][0-9]+)?$") then tonumber else . end;
	def pair: split("\u001f") | {key: .[0], value: (.[1] | value)};'

cells_json() {	# axes and cells of run.json, before anything is measured
	printf '%s\n' ${CELL_VALUES[@]+"${CELL_VALUES[@]}"} | jq -cRn --arg axes "${AXIS[*]}" --arg names "${CELLS[*]-}" "$CELL_JSON"'
		($axes | split(" ")) as $axes | ($names | split(" ")) as $names
		| {axes: $axes, cells: [foreach (inputs | select(. != "")) as $line (-1; . + 1; . as $n | ($line | split("\u001f")) as $v
			| {name: $names[$n], parameters: ([range($axes | length) | {key: $axes[.], value: ($v[.] // "" | value)}] | from_entries),
				state: "missing", complete: 0, flags: []})]}'
}

# Order -----------------------------------------------------------------------------------------------------------

# Lines "N REPEAT SESSION": within each repeat every cell once, shuffled with the seed. Cells with the same values of the
# plan's `group` axes stay together, group within group (SESSION: their values); `first AXIS=VALUE` of the plan puts such
# cells first in their group.
cells_order() {
	local repeat i
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for ((i = 0; i < ${#CELLS[@]}; i++)); do
			cell_use "$i"
			[ "$repeat" -gt "$CELL_REPEATS" ] || printf '%s\037%s\n' "$i" "${CELL_VALUES[i]}"
		done |
			LC_ALL=C awk -F'\037' -v seed="$((SEED * 1000 + repeat))" -v repeat="$repeat" -v axes="${AXIS[*]}" -v group="${GROUP[*]-}" \
				-v first="${PLAN[first]-}" '
				BEGIN {
					srand(seed); n = split(axes, axis, " "); groups = split(group, g, " "); split(first, f, "=")
					for (i = 1; i <= n; i++) at[axis[i]] = i + 1
				}
				{
					key = session = ""
					for (i = 1; i <= groups; i++) {
						session = session "|" $at[g[i]]
						if (!(session in place)) place[session] = sprintf("%.9f", rand())
						key = key place[session] " "
					}
					late = f[1] != "" && $at[f[1]] != f[2]
					gsub(/ /, "_", session)
					printf "%s%d %.9f\t%s %s %s\n", key, late, rand(), $1, repeat, session == "" ? "-" : session
				}' | sort | cut -f2
	done
}

# What became of a cell ---------------------------------------------------------------------------------------------

cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$2"; }	# cell_folder NAME REPEAT

# cell_judge FOLDER: CELL_STATE is complete where every train is, CELL_FLAGS what they are flagged for, CELL_WORST the
# greatest share of the server's CPU that others had, in percent (1000 for a cell that is not complete), CELL_REASON why a
# train failed.
cell_judge() {
	local trains=() train
	mapfile -t trains < <(exp_trains "$1")
	CELL_STATE=missing CELL_FLAGS='' CELL_WORST=1000 CELL_REASON=''
	for train in "${trains[@]}"; do [ -s "$train" ] || return; done
	{ read -r CELL_STATE; read -r CELL_WORST; read -r CELL_FLAGS; read -r CELL_REASON; } < <(jq -rs '
		(if all(.[]; .state == "complete") then "complete", (map((.foreign_percent // 100) + (.steal_percent // 0)) | max)
			else "missing", 1000 end),
		(map(.marked // "" | select(. != "")) | unique | join("; ")), (map(.reason // "" | select(. != "")) | first // "")' \
		"${trains[@]}" 2>/dev/null)
	[ -n "$CELL_STATE" ] || CELL_STATE=missing
}

cell_complete() { cell_judge "$1"; [ "$CELL_STATE" = complete ]; }

# exp_shares BEFORE AFTER CPUS: between two answers of lab_cpu, of those CPUs' time in percent: what tasks that are not the
# lab's took, what the hypervisor stole, and all that was busy.
exp_shares() {
	awk -v cpus="$3" -v a="$1" -v b="$2" 'BEGIN {	# now busy steal own, in ns
		split(a, x, " "); split(b, y, " "); wall = (y[1] - x[1]) * cpus
		foreign = (y[2] - x[2]) - (y[4] - x[4]); if (foreign < 0) foreign = 0
		printf "%.2f %.2f %.2f\n", 100 * foreign / wall, 100 * (y[3] - x[3]) / wall, 100 * (y[2] - x[2]) / wall }'
}

# exp_disturbed FOREIGN STEAL: the flag of a cell in which these two, in percent, are too much; nothing where they are not.
exp_disturbed() {
	awk -v f="$1" -v s="$2" -v l="${FOREIGN_LIMIT:-3}" 'BEGIN {
		if (f + s > l) printf "foreign CPU time %s %%, stolen %s %%: over %s %%\n", f, s, l }'
}

# cell_write FOLDER REPEAT REASON FLAGS JSON: its cell.json; JSON has the experiment's own keys, and parameters beside those
# of the axes.
cell_write() {
	jq -n --argjson parameters "$(cell_parameters)" --argjson repeat "$2" --arg reason "$3" --arg marked "${4#; }" \
		--argjson more "${5:-{\}}" '
		{schema: "thinprobe.cell/1", $parameters, $repeat, state: (if $reason == "" then "complete" else "failed" end), $reason, $marked}
		* $more' | put_json "$1/cell.json"
}

# Running -----------------------------------------------------------------------------------------------------------

exp_clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }	# seconds as m:ss

exp_progress() {	# exp_progress DONE TOTAL MEASURED WORDS: MEASURED of the DONE took time
	local bar left='' elapsed=$((SECONDS - EXP_SINCE))
	[ "$3" -gt 0 ] && left=", $(exp_clock $((elapsed * ($2 - $1) / $3))) left"
	if [ -t 1 ]; then
		bar=$(printf '%*s' $(($1 * 16 / $2)) '' | tr ' ' '#')$(printf '%*s' $((16 - $1 * 16 / $2)) '' | tr ' ' '-')
		printf '\r%s  [%s]  %s%s\033[K' "$EXPERIMENT" "$bar" "$4" "$left"
	else
		printf '%s  %d of %d  %s%s\n' "$EXPERIMENT" "$1" "$2" "$4" "$left"
	fi
}

exp_step() {	# what goes on before the first cell
	if [ -t 1 ]; then printf '\r%s  %s\033[K' "$EXPERIMENT" "$*"; fi
}

# Measures every cell that is not there yet. A cell that foreign CPU time spoilt is measured once more at the end (the
# quieter try stays, the other is kept beside it as REPEAT~), in at most one of so many cells as the plan says: `again 4
# quick=20`, 0 for never.
cells_run() {
	local order=() again=0 part most n repeat session now='' folder total i=0 measured=0 WORDS TEXT
	LAB_STOP_ENDS=''	# from here on a signal ends the train that runs; what there is by then is summed up
	plan_words "${PLAN[again]-4}"
	part=${WORDS[0]}
	[ "$QUICK" = 0 ] || [[ ${WORDS[1]-} != quick=* ]] || part=${WORDS[1]#*=}
	mapfile -t order < <(cells_order)
	total=${#order[@]}
	[ "$part" -gt 0 ] && most=$(((total + part - 1) / part)) || most=0
	EXP_SINCE=$SECONDS
	while ! EXP_LOST=$(lab_lost) && [ "$i" -lt "${#order[@]}" ] && ! stopped; do
		read -r n repeat session <<<"${order[i]}"
		i=$((i + 1))
		cell_use "$n"
		folder=$(cell_folder "$CELL" "$repeat")
		cell_judge "$folder"
		if [ "$i" -gt "$total" ]; then
			rm -rf "$folder~" && mv "$folder" "$folder~"
		elif [ "$CELL_STATE" = complete ]; then
			continue
		fi
		exp_progress "$((i - 1))" "${#order[@]}" "$measured" \
			"$(exp_words), repeat $repeat of $REPEATS$([ "$i" -le "$total" ] || echo ' again: it was disturbed')"
		rm -rf "$folder"
		mkdir -p "$folder" || exp_lost
		if [ "${#GROUP[@]}" -gt 0 ] && [ "$now" != "$repeat$session" ]; then
			[ -z "$now" ] || exp_end_session
			now=$repeat$session LAB_WHY='' EXP_SESSION_WHY=''
			exp_session "$repeat" || EXP_SESSION_WHY=${LAB_WHY:-its session could not be made}
		fi
		cell_measure "$repeat" "$folder"
		measured=$((measured + 1))
		if [ "$i" -gt "$total" ]; then
			cell_keep_quieter "$folder"
			cell_judge "$folder"
		elif [ -n "$CELL_FLAGS" ] && [ "$again" -lt "$most" ]; then
			again=$((again + 1))
			order+=("$n $repeat $session")
		fi
		CELL_ROWS["$n $repeat"]=$CELL_STATE$'\037'$CELL_FLAGS
		run_set "$CELLS_SUMMED" --arg rows "$(cells_rows)"
	done
	[ -z "$now" ] || exp_end_session
	[ ! -t 1 ] || printf '\r\033[K'
}

EXP_SESSION_WHY=''	# why the session of the group could not be made
cell_measure() {	# cell_measure REPEAT FOLDER
	if [ -n "$EXP_SESSION_WHY" ]; then
		cell_write "$2" "$1" "$EXP_SESSION_WHY" ''
	else
		exp_cell_begin "$CELL" "$1" "$2"
		exp_measure "$CELL" "$1" "$2"
		exp_cell_end "$CELL" "$1" "$2"
	fi
	[ -d "$2" ] || exp_lost
	cell_judge "$2"
	[ -z "$CELL_REASON" ] || warn "$(exp_words), repeat $1: $CELL_REASON"
}

cell_keep_quieter() {
	local worst=$CELL_WORST
	cell_judge "$1~"
	if awk -v a="$CELL_WORST" -v b="$worst" 'BEGIN { exit !(a < b) }'; then
		mv "$1" "$1.swap" && mv "$1~" "$1" && mv "$1.swap" "$1~"
	fi
}

# What became of all: CELLS_JSON, for run.json; CELLS_TOTAL, CELLS_LEFT, in repeats. CELL_ROWS has state and flags of each
# "N REPEAT"; CELLS_SUMMED makes of these the states and counts in run.json.
declare -A CELL_ROWS
cells_rows() { local row; for row in "${!CELL_ROWS[@]}"; do printf '%s\037%s\n' "${row% *}" "${CELL_ROWS[$row]}"; done; }
CELLS_SUMMED='($rows | split("\n") | map(select(. != "") | split("\u001f"))) as $rows
	| ($rows | map(select(.[1] == "complete")) | length) as $complete | .cells |= map(.complete = 0 | .flags = [] | .of = 0)
	| reduce $rows[] as [$n, $state, $flags] (.; .cells[$n | tonumber] |= (.of += 1
		| (if $state == "complete" then .complete += 1 else . end)
		| if $flags == "" then . else .flags = (.flags + [$flags] | unique) end))
	| .cells |= map(.state = (if .complete == .of then "complete" elif .complete > 0 then "partial" else "missing" end) | del(.of))
	| .counts = {total: ($rows | length), $complete, missing: (($rows | length) - $complete),
		marked: ($rows | map(select(.[2] != "")) | length)}'
cells_sum() {
	local n repeat
	CELL_ROWS=()
	for ((n = 0; n < ${#CELLS[@]}; n++)); do
		cell_use "$n"
		for ((repeat = 1; repeat <= CELL_REPEATS; repeat++)); do
			cell_judge "$(cell_folder "$CELL" "$repeat")"
			CELL_ROWS["$n $repeat"]=$CELL_STATE$'\037'$CELL_FLAGS
		done
	done
	CELLS_JSON=$(cells_json | jq -c "$CELLS_SUMMED" --arg rows "$(cells_rows)")
	read -r CELLS_TOTAL CELLS_LEFT < <(jq -r '.counts | "\(.total) \(.missing)"' <<<"$CELLS_JSON")
}
