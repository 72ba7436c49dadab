# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cells.sh - the cells of a run: their list, order, execution and results.
#
# A cell is one value for each axis of the plan. CELLS has the cells' names, CELL_PARAMETERS their values by axis (JSON),
# CELL_VALUES the same values in the order of the axes (separated by \037).

: "${EXP_SWEEP:=}"	# see run.sh
CELLS=() CELL_PARAMETERS=() CELL_VALUES=()
declare -A P	# the values of the cell that is measured, by axis

# Hooks that an experiment may have.
exp_words() { local axis words=''; for axis in "${AXIS[@]}"; do words+=", $axis ${P[$axis]}"; done; echo "${words#, }"; }
# repeats_range NUMBER: sets from and to, of so many repeats those that are measured (of a sweep a part).
repeats_range() { from=1 to=$1; [[ $EXP_SWEEP != [0-9]* ]] || from=${EXP_SWEEP%-*} to=${EXP_SWEEP#*-}; }
CELL_SERIES=()	# subfolders of a repeat's folder that must have their own cell.json before the repeat is complete
exp_session() { :; }
exp_end_session() { :; }

# Prints the product of the axes' values. A plan's axis is NAME=OPTION, or NAME if the option has the same name.
exp_cells() { cells_product; }
cells_product() {
	local axis
	for axis in "${AXES[@]}"; do
		[ -n "${OPT[${axis#*=}.var]-}" ] || die "$EXP_DIR/plan: no option is named like the axis $axis; write AXIS=OPTION"
		echo "${!OPT[${axis#*=}.var]}"
	done | jq -Rrn '[inputs / ","] | combinations | join("\t")'
}

# Sets CELLS, CELL_PARAMETERS and CELL_VALUES; a resumed run keeps its cells and their names.
cells_choose() {
	local all name parameters values none="there is nothing to measure" twice
	CELLS=() CELL_PARAMETERS=() CELL_VALUES=()
	all=$(
		set -o pipefail
		if [ -n "$RESUME" ] && [ -z "$late" ]; then
			jq -r '.axes as $axes | .cells[]
				| [.name, (.parameters | tojson, (.[$axes[]] // "" | tostring))] | join("\u001f")' \
					"$RESUME/run.json"
		else
			exp_cells | jq -Rr --arg axes "${AXIS[*]}" '
				def value: if . == "" then null elif test("^-?(0|[1-9][0-9]*)([.][0-9]+)?(e-[0-9]+)?$") then tonumber else . end;
				select(. != "") | (. / "\t") as $values | [($values | map(select(. != "")) | join("-") | gsub("[/: ]"; "-")),
					([$axes / " ", $values] | transpose | map({(.[0]): (.[1] // "" | value)}) | add | tojson), $values[]]
				| join("\u001f")'
		fi
	) || { [ $? != 2 ] || exit 2; die "cannot find out the conditions of $EXPERIMENT (reason above)"; }
	while IFS=$'\037' read -r name parameters values; do
		[ -z "$parameters" ] || CELLS+=("$name") CELL_PARAMETERS+=("$parameters") CELL_VALUES+=("$values")
	done < <(printf '%s\n' "$all")
	[ -z "$RESUME" ] || [ -n "$late" ] || none="--resume $RESUME: it has no cells; start a new run"
	[ "${#CELLS[@]}" -gt 0 ] || exp_bad "$none"
	twice=$(printf '%s\n' "${CELLS[@]}" | sort | uniq -d | head -n 1)
	[ -z "$twice" ] || die "two conditions have the same name, $twice: measure them in separate runs"
}

cell_use() {	# cell_use N: sets CELL, P and CELL_REPEATS
	local values i
	IFS=$'\037' read -ra values <<<"${CELL_VALUES[$1]}"
	CELL=${CELLS[$1]} CELL_JSON=${CELL_PARAMETERS[$1]}
	for ((i = 0; i < ${#AXIS[@]}; i++)); do P[${AXIS[i]}]=${values[i]-}; done
	CELL_REPEATS=$REPEATS
	[ -z "${PLAN[once]-}" ] || [ "${P[${PLAN[once]%%=*}]}" != "${PLAN[once]#*=}" ] || CELL_REPEATS=1
}

cells_json() {	# axes and cells of run.json, before anything is measured
	local n
	for n in "${!CELLS[@]}"; do printf '%s\037%s\n' "${CELLS[n]}" "${CELL_PARAMETERS[n]}"; done | jq -cRn --arg axes "${AXIS[*]}" '
		{axes: ($axes / " "), cells: [inputs / "\u001f"
			| {name: .[0], parameters: (.[1] | fromjson), state: "missing", complete: 0, flags: []}]}'
}

# Order -----------------------------------------------------------------------------------------------------------

# Lines "N REPEAT SESSION": within each repeat every cell once, shuffled with the seed. Cells with the same values of the
# plan's `group` axes stay together, group within group (SESSION: their values), in each repeat, or with `together repeats` of
# the plan in all of them; `first AXIS=VALUE` of the plan puts such cells first in their group.
cells_order() {
	local repeat from to
	repeats_range "$REPEATS"
	if [ -n "${PLAN[together]-}" ] && [[ $EXP_SWEEP != [0-9]* ]]; then
		cells_order_of 1 "$REPEATS"
	else
		for ((repeat = from; repeat <= to; repeat++)); do cells_order_of "$repeat" "$repeat"; done
	fi
}

cells_order_of() {	# cells_order_of FROM TO: these repeats
	local repeat i
	for ((repeat = $1; repeat <= $2; repeat++)); do
		for ((i = 0; i < ${#CELLS[@]}; i++)); do
			cell_use "$i"
			[ "$repeat" -gt "$CELL_REPEATS" ] || printf '%s\037%s\037%s\n' "$i" "$repeat" "${CELL_VALUES[i]}"
		done
	done |
		LC_ALL=C awk -F'\037' -v seed="$((SEED * 1000 + $1))" -v axes="${AXIS[*]}" -v group="${PLAN[group]-}" \
			-v one="$(($1 == $2))" \
			-v first="${PLAN[first]-}" '
			# (the order of a seed is the same in every awk; numbers below 2^53 are exact)
			function random() { return (seed = seed * 16807 % 2147483647) / 2147483647 }
			BEGIN {
				seed = seed % 2147483646 + 1
				for (i = 0; i < 8; i++) random()
				n = split(axes, axis, " "); groups = split(group, g, " "); split(first, f, "=")
				for (i = 1; i <= n; i++) at[axis[i]] = i + 2
			}
			{
				key = session = ""
				for (i = 1; i <= groups; i++) {
					session = session "|" $at[g[i]]
					if (!(session in place)) place[session] = sprintf("%.9f", random())
					key = key place[session] " "
				}
				late = f[1] != "" && $at[f[1]] != f[2]
				gsub(/ /, "_", session)
				session = session == "" ? "-" : (one ? $2 : "") session
				printf "%s%06d %d %.9f\t%s %s %s\n", key, $2, late, random(), $1, $2, session
			}' | sort | cut -f2
}

# State of a cell ---------------------------------------------------------------------------------------------------

cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$2"; }	# cell_folder NAME REPEAT

# Of the cell.json of a repeat, and those in its folders, as an array: state, greatest share of the server's CPU that others had,
# flags, reason; $whole: none is missing.
CELL_JUDGED='def judged($whole):
	(if $whole and all(.[]; .state == "complete") then "complete", (map((.foreign_percent // 100) + (.steal_percent // 0)) | max)
		elif any(.[]; .kept == true) then "kept", 1000 else "missing", 1000 end),
	(map(.marked // "" | select(. != "")) | unique | join("; ")), (map(.reason // "" | select(. != "")) | first // "");'

# cell_judge FOLDER: CELL_STATE is complete where all that was measured in it is (its cell.json, and those in its folders), kept
# where it failed but has figures of the time before, CELL_FLAGS what it is flagged for, CELL_WORST the greatest share of the
# server's CPU that others had, in percent (1000 for a cell that is not complete), CELL_REASON why it failed.
cell_judge() {
	local series whole=true
	CELL_STATE=missing CELL_FLAGS='' CELL_WORST=1000 CELL_REASON=''
	[ -s "$1/cell.json" ] || return
	for series in "${CELL_SERIES[@]}"; do [ -s "$1/$series/cell.json" ] || whole=false; done
	{ read -r CELL_STATE; read -r CELL_WORST; read -r CELL_FLAGS; read -r CELL_REASON; } < <(
		cat "$1"/cell.json "$1"/*/cell.json 2>/dev/null | jq -rs --argjson whole "$whole" "$CELL_JUDGED judged(\$whole)" 2>/dev/null)
	: "${CELL_STATE:=missing}"
}

cell_complete() { cell_judge "$1"; [ "$CELL_STATE" = complete ]; }

# exp_shares BEFORE AFTER [CPUS]: prints, between two answers of lab_cpu and in percent of the time of CPUS (all of the server's):
# foreign CPU time, stolen time, and busy time; null where an answer did not come. (The kernel counts busy time in ticks: one may be
# too many of each CPU, at each end.)
exp_shares() {
	awk -v cpus="${3:-$LAB_NCPU_server}" -v a="$1" -v b="$2" 'BEGIN {	# now busy steal own, in ns
		if (split(a, x, " ") < 4 || split(b, y, " ") < 4 || (wall = (y[1] - x[1]) * cpus) <= 0) { print "null null null"; exit }
		foreign = (y[2] - x[2]) - (y[4] - x[4]); if (foreign < 0) foreign = 0
		busy = y[2] - x[2]; if (busy > wall && busy <= wall + cpus * 2e7) busy = wall
		printf "%.2f %.2f %.2f\n", 100 * foreign / wall, 100 * (y[3] - x[3]) / wall, 100 * busy / wall }'
}

# exp_disturbed FOREIGN STEAL [CLIENT]: prints the flag of a cell in which these, in percent, exceed the limit; else nothing.
# CLIENT: what a client beside the server took of its CPUs.
exp_disturbed() {
	awk -v f="$1" -v s="$2" -v c="${3:-0}" -v l="${FOREIGN_LIMIT:-3}" 'BEGIN {
		if (f == "null") print "the CPU time of others is not known"
		else if (f + s + c > l)
			printf "foreign CPU time %s %%, stolen %s %%%s: over %s %%\n", f, s, (c > 0 ? ", the client " c " %" : ""), l }'
}

UNWATCHED=''	# 1: there is a repeat in which the CPU time of others is not known
# cell_write FOLDER REPEAT REASON FLAGS JSON: its cell.json; JSON has the experiment's own keys, and parameters beside those
# of the axes. A program that had died before it was stopped is a reason, too.
cell_write() {
	local reason=${3:-$LAB_DIED} flags=${4#; }	# a host's words among them: an argument has an end
	[ -n "$reason$UNWATCHED" ] || [[ ${5-} != *\"foreign_percent\":null* ]] || { UNWATCHED=1; run_set '.unwatched = true'; }
	jq --argjson parameters "$CELL_JSON" --argjson repeat "$2" --arg reason "${reason:0:500}" \
		--arg marked "${flags:0:500}" '
		. as $more
		| {schema: "thinprobe.cell/1", $parameters, $repeat, state: (if $reason == "" then "complete" else "failed" end), $reason,
			$marked}
		* $more' < <(printf '%s\n' "${5:-{\}}") | put_json "$1/cell.json"
}

app_of() {	# app_of APP: loads its plug-in, if it has one
	case $1 in light | grouped) app_use vim ;; heavy) app_use refecho ;; esac
}

# json_object NAME VALUE...: prints an object; a value that is valid JSON is taken as such, any other as text. No line breaks.
json_object() {
	printf '%s\037%s\n' "$@" | jq -cRn '[inputs / "\u001f" | .[1] as $text
		| {(.[0]): (if $text == "" then "" else $text | try fromjson catch $text end)}] | add'
}

# keep_outputs FOLDER NAME...: moves the programs' outputs to NAME.json; keeps their messages, without "ready".
keep_outputs() {
	local name
	for name in "${@:2}"; do
		[ ! -s "$1/$name.out" ] || mv "$1/$name.out" "$1/$name.json"
		rm -f "$1/$name.out"
		grep -qvx ready "$1/$name.err" 2>/dev/null || rm -f "$1/$name.err"
	done
}

# Running -----------------------------------------------------------------------------------------------------------

exp_progress() {	# exp_progress DONE TOTAL MEASURED WORDS: of the cells DONE, MEASURED were measured by this process
	local bar left='' elapsed
	now_s
	elapsed=$((NOW_S - EXP_SINCE))
	[ "$3" = 0 ] || { left=$((elapsed * ($2 - $1) / $3)); printf -v left ', %d:%02d left' $((left / 60)) $((left % 60)); }
	if [ -t 1 ]; then
		bar=$(printf '%*s' $(($1 * 16 / $2)) '' | tr ' ' '#')$(printf '%*s' $((16 - $1 * 16 / $2)) '' | tr ' ' '-')
		printf '\r%s  [%s]  %s%s\033[K' "$EXPERIMENT" "$bar" "$4" "$left"
	else
		printf '%s  %d of %d  %s%s\n' "$EXPERIMENT" "$1" "$2" "$4" "$left"
	fi
}

# Prints the main figure of a repeat that was just measured: summarize reads a temporary run folder with only this repeat. 1: one
# of its files cannot be read; prints which, and why.
cell_figure() {	# cell_figure FOLDER
	local work=$RUN/.cell why=''
	[ "$CELL_STATE" = complete ] && [ -f "$EXP_DIR/analysis.py" ] && [ -z "${EXP_TURN-}" ] || return 0	# in turns nobody waits for it
	rm -rf "$work" && mkdir -p "$work/cells/$CELL" && cp -al "$1" "$work/cells/$CELL/1" &&
		jq --arg name "$CELL" '.cells |= map(select(.name == $name)) | .settings.repeats = 1' "$RUN/run.json" \
			>"$work/run.json" &&
		if why=$("$TP_BIN/summarize" --format json -o "$work/summary.json" "$work" 2>&1); then
			"$TP_BIN/report" --cell "$work"
		fi
	rm -rf "$work"
	[[ $why == *"/cells/$CELL/1/"* ]] || return 0
	printf '%s\n' "${why##*"/cells/$CELL/1/"}"
	return 1
} 2>/dev/null

# cell_unread FOLDER REPEAT WHY: a repeat whose files cannot be read is not complete: no report could be made with it.
cell_unread() {
	local json
	json=$(jq --arg reason "cannot read ${3:0:400}" '.state = "failed" | .reason = $reason' "$1/cell.json") || return 0
	put_json "$1/cell.json" < <(printf '%s\n' "$json")
	cell_judge "$1"
	warn "$(exp_words), repeat $2: $CELL_REASON"
}

exp_measured() {	# exp_measured WORDS FIGURE: a line that stays
	[ -n "$2" ] || return 0
	local figure=$2
	shown figure
	if [ -t 1 ]; then printf '\r%s: %s\033[K\n' "$1" "$figure"; else printf '    %s\n' "$figure"; fi
}

exp_step() {	# exp_step WORDS: a line on what is being prepared before the first cell
	if [ -t 1 ]; then printf '\r%s  %s\033[K' "$EXPERIMENT" "$*"; fi
}

# Of two runs beside each other (ab.sh) only one may measure: waits until the other has ended its repeat, and it is this one's turn.
turn_take() {
	[ -n "${EXP_TURN-}" ] || return 0
	: >"$EXP_TURN.waits"
	until [ -e "$EXP_TURN.go" ] || stopped; do nap 0.1; done
	rm -f "$EXP_TURN.waits" "$EXP_TURN.go"
}

# Measures every cell that is not there yet. A cell that foreign CPU time spoilt is measured once more at the end (the
# quieter try stays, the other is kept beside it as REPEAT~), in at most one of so many cells as the plan says: `again 4
# quick=20`, 0 for never.
cells_run() {
	local order=() part=${PLAN[again]-4} again=0 most=0 n repeat session now='' folder total i=0 measured=0 since spent turn=''
	local words figure kept
	LAB_STOP_ENDS=''	# from here on a signal ends the running train, and the results so far are summed up
	[ "$QUICK" = 0 ] && part=${part%% *} || part=${part##*quick=}
	mapfile -t order < <(cells_order)
	total=${#order[@]}
	[ "$part" = 0 ] || [ -n "${EXP_TURN-}" ] || most=$(((total + part - 1) / part))
	now_s
	EXP_SINCE=$NOW_S since=$NOW_S
	while ! EXP_LOST=$(lab_lost) && [ "$i" -lt "${#order[@]}" ] && ! stopped; do
		read -r n repeat session <<<"${order[i]}"
		i=$((i + 1))
		cell_use "$n"
		folder=$RUN/cells/$CELL/$repeat
		if [ "$i" -gt "$total" ]; then
			rm -rf "$folder~" && mv "$folder" "$folder~"
		elif [[ ${CELL_ROWS["$n $repeat"]-} == complete$'\037'* ]]; then
			continue
		fi
		[ "$repeat" = "$turn" ] || turn_take
		turn=$repeat
		words="$(exp_words), repeat $repeat of $REPEATS"
		exp_progress "$((i - 1))" "${#order[@]}" "$measured" "$words$([ "$i" -le "$total" ] ||
			echo ' again: it was disturbed')"
		rm -rf "$folder"
		mkdir -p "$folder" || exp_lost
		if [ -n "${PLAN[group]-}" ] && [ "$now" != "$session" ]; then
			[ -z "$now" ] || exp_end_session
			now=$session LAB_WHY='' EXP_SESSION_WHY=''
			exp_session "$repeat" || EXP_SESSION_WHY=${LAB_WHY:-its session could not be made}
		fi
		cell_measure "$repeat" "$folder"
		measured=$((measured + 1))
		kept=''
		if [ "$i" -gt "$total" ]; then
			[ "$CELL_STATE" = complete ] && kept=' (of the first try, which was disturbed less)' || kept=' (of the first try)'
			cell_keep_quieter "$folder" || kept=''
			cell_judge "$folder"
		elif [ -n "$CELL_FLAGS" ] && [ "$again" -lt "$most" ]; then
			again=$((again + 1))
			order+=("$n $repeat $session")
		fi
		figure=$(cell_figure "$folder") || { cell_unread "$folder" "$repeat" "$figure"; figure=''; }
		exp_measured "$words" "${figure:+$figure$kept}"
		if [ "$CELL_STATE" != complete ] && EXP_LOST=$(name_full_disk "$RUN"); then break; fi
		# (the last attempt's)
		[ -z "$EXP_SWEEP" ] || printf '%s\t%s\n' "$CELL" "$figure" >>"$RUN/log/figures.tsv"
		CELL_ROWS["$n $repeat"]=$CELL_STATE$'\037'$CELL_FLAGS
		now_s
		spent=$((NOW_S - since)) since=$NOW_S
		[ "$CELL_STATE" = complete ] || spent=0
		run_set "$CELLS_SUMMED"' | if .measured_s then .measured_s += $spent else . end' --rawfile rows /dev/stdin \
			--argjson spent "$spent" < <(cells_rows)
	done
	turn_take
	[ -z "$now" ] || exp_end_session
	[ ! -t 1 ] || printf '\r\033[K'
}

EXP_SESSION_WHY=''	# why the session of this group of cells could not be made
cell_measure() {	# cell_measure REPEAT FOLDER
	LAB_DIED=''
	if [ -n "$EXP_SESSION_WHY" ]; then
		! stopped || EXP_SESSION_WHY=interrupted
		cell_write "$2" "$1" "$EXP_SESSION_WHY" ''
	else
		exp_measure "$CELL" "$1" "$2"
	fi
	[ -d "$2" ] || exp_lost
	cell_judge "$2"
	[ -z "$CELL_REASON" ] || warn "$(exp_words), repeat $1: $CELL_REASON"
}

cell_keep_quieter() {	# 1: this try stays
	local worst=$CELL_WORST
	cell_judge "$1~"
	awk -v a="$CELL_WORST" -v b="$worst" 'BEGIN { exit !(a < b) }' &&
		mv "$1" "$1.swap" && mv "$1~" "$1" && mv "$1.swap" "$1~"
}

# States of all cells: sets CELLS_JSON, for run.json; CELLS_TOTAL and CELLS_LEFT, in repeats; CELLS_WHY, why one failed;
# CELL_ROWS, state and flags of each "N REPEAT", from which CELLS_SUMMED makes the states and counts in run.json.
declare -A CELL_ROWS
cells_rows() { local row; for row in "${!CELL_ROWS[@]}"; do printf '%s\037%s\n' "${row% *}" "${CELL_ROWS[$row]}"; done; }
CELLS_SUMMED='($rows | split("\n") | map(select(. != "") | split("\u001f"))) as $rows
	| ($rows | map(select(.[1] == "complete")) | length) as $complete
	| ([$rows | group_by(.[0])[] | {key: .[0][0], value: .}] | from_entries) as $of
	| .cells |= [to_entries[] | ($of[.key | tostring] // []) as $own | ($own | map(select(.[1] == "complete")) | length) as $complete
		| .value + {$complete, flags: ($own | map(.[2] | select(. != "")) | unique),
			state: (if $complete == ($own | length) then "complete" elif $complete > 0 or any($own[]; .[1] == "kept") then "partial"
				else "missing" end)}]
	| .counts = {total: ($rows | length), $complete, missing: (($rows | length) - $complete),
		marked: ($rows | map(select(.[2] != "")) | length)}'

# One pass over the files of all cells, however many: path and text of each, then lines "N REPEAT STATE FLAGS REASON", and "end".
cells_sum() {
	local n repeat state flags why whole='' from to
	CELL_ROWS=() CELLS_WHY=''
	for ((n = 0; n < ${#CELLS[@]}; n++)); do
		cell_use "$n"
		repeats_range "$CELL_REPEATS"
		for ((repeat = from; repeat <= to; repeat++)); do CELL_ROWS["$n $repeat"]=missing$'\037'; done
	done
	while IFS=$'\037' read -r n repeat state flags why; do
		[ "$n" != end ] || whole=1
		[ -n "${CELL_ROWS["$n $repeat"]-}" ] || continue	# not ours: of another part of a sweep
		CELL_ROWS["$n $repeat"]=$state$'\037'$flags
		: "${CELLS_WHY:=$why}"
	done < <(
		set -o pipefail
		LC_ALL=C	# lengths in bytes, as some awk count
		{ [ ! -d "$RUN/cells" ] || find "$RUN/cells/" -mindepth 3 -maxdepth 4 -name cell.json -type f -readable -size +0 -print0; } |
			xargs -0r awk -v skip="$((${#RUN} + 8))" 'FNR == 1 { printf "\036%s\n", substr(FILENAME, skip) } { print }' |
			jq -Rrs --rawfile names <(printf '%s\n' "${CELLS[@]}") --arg series "${CELL_SERIES[*]-}" "$CELL_JUDGED"'
				($names | rtrimstr("\n") / "\n" | to_entries | map({key: .value, value: .key}) | from_entries) as $n
				| split("\u001e")[1:] | map(split("\n") | {path: (.[0] / "/"), text: (.[1:] | join("\n"))}
					| {n: $n[.path[0]], repeat: .path[1], series: (.path[2:-1] | join("")), text})
				| map(select(.n != null)) | sort_by(.series) | group_by([.n, .repeat])[] | select(.[0].series == "")
				| (($series / " " - [""]) - map(.series) == []) as $whole
				| [.[0].n, .[0].repeat] + (try [map(.text | fromjson) | judged($whole)] catch ["missing"]) | del(.[3])
				| map(tostring | gsub("[\u0000-\u001f]"; " ")) | join("\u001f")' && echo end)
	[ -n "$whole" ] && CELLS_JSON=$(cells_json | jq -c "$CELLS_SUMMED" --rawfile rows <(cells_rows)) &&
		read -r CELLS_TOTAL CELLS_LEFT < <(jq -r '.counts | "\(.total) \(.missing)"' < <(printf '%s\n' "$CELLS_JSON")) ||
		die "cannot sum up the cells of $RUN"
}
