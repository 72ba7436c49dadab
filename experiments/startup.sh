#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wu, Zhang, Gu & Sun 2005, Figures 2 to 7 and Table 1: start-up of applications by memory pressure, what of it is input and output
# minutes: 60 (one device 30, with --quick 4)
# needs: two CPUs, VNC; root, memory groups and swap; packages of the applications (thinprobe setup --app mousepad,xpdf,netsurf,writer)
# wrong if: a start without pressure pages; a start is late by less than its swap-ins times the delay of the device
#
# An application is started again and again on a server of little memory, from exec to content at rest (bin/startup); beside it a hog has put the
# server under pressure: idle, with so much of it in swap, or touching its memory all the time, with so little left for others. After the
# start, a few further events of the application, still under pressure. How the pressure is made: pressure.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, pressure.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=startup
EXPERIMENT_SAYS="How long does an application take to start under memory pressure, and how much of that is the paging itself?"
THRESHOLD_MS=1000 RATE=0 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
EXP_MEMORY=0	# this driver's own, with lists
EXP_AGAIN_PART=20
. "$TP_HOME/experiments/pressure.sh"
APPS=mousepad,xpdf,netsurf,writer AXES=used,left SWAPS=file,slow:2.5ms STEPS='' REPEATS=3 COLD=0 WARM=0
USED=16,64,128,256,384,512 LEFT=300,200,150,125,100,75
SERVER_MEMORY=512M SWAP_SIZE=1G CEILING=20 QUIET=1s WATCH_ON=500ms EVENTS=1
PROFILES='' TOLERANCE=1 BETA=1
CELLS=()	# "APP START AXIS STEP SWAP", in the order of the table

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--app A,...] [--axis used,left] [--steps N] [--used MB,...] [--left P,...] [--swap KIND,...]
         [--cold] [--warm] [--repeat R] [--ceiling S] [--server-memory SIZE] [--swap-size SIZE] [--protocol P]
         [--profile FILE,...] [--tolerance S] [--beta B] [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --app A,...       applications of data/applications.tsv ($APPS)
  --axis A,...      pressure: used, swap in use by an idle hog; left, memory left beside one that touches all of its own ($AXES)
  --steps N         so many steps of each axis, first and last among them (all)
  --used MB,...     the steps of the axis used: MB of the hog in swap ($USED)
  --left P,...      the steps of the axis left: memory left, in percent of what the application has at rest ($LEFT)
  --swap KIND,...   swap devices: file, zram, slow:DELAY (a file with that delay per read) ($SWAPS)
  --warm, --cold    only starts with the application's files in memory; only with its files on disk; both: all steps of both
                    (warm, and without pressure also cold)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --ceiling S       a start that has not come to rest by then is "later than" that ($CEILING)
  --server-memory SIZE  memory of the server ($SERVER_MEMORY)
  --swap-size SIZE  size of the swap device ($SWAP_SIZE)
  --protocol P      display protocol of the session ($PROTOCOL)
  --profile FILE,.. what users do, a table of schema menu/1 for each class of users (data/menus/*.tsv)
  --tolerance S     how long a user waits for an event without feeling it; what is beyond is felt: ($TOLERANCE)
  --beta B          (T_total - T)^B seconds ($BETA)
  --quick           three steps, the slow device, one repeat, no further events: a first idea
  --seed N          of the random order ($SEED)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

startup_options() {
	local item
	exp_parse "--quick QUICK --cold COLD --warm WARM" "--app APPS --axis AXES --steps STEPS --used USED --left LEFT --swap SWAPS --repeat REPEATS --ceiling CEILING
		--server-memory SERVER_MEMORY --swap-size SWAP_SIZE --protocol PROTOCOL --profile PROFILES --tolerance TOLERANCE --beta BETA --seed SEED" "$@"
	CEILING=${CEILING%s} TOLERANCE=${TOLERANCE%s}
	if [ "$QUICK" = 1 ]; then
		exp_given --repeat || REPEATS=1
		exp_given --steps || STEPS=3
		exp_given --swap || SWAPS=slow:2.5ms
		exp_given --ceiling || CEILING=15
		exp_given --cold || WARM=1
		EVENTS=0
	fi
	exp_resume
	exp_list --app "$APPS"
	for item in ${APPS//,/ }; do application "$item" || exp_bad "--app $item: there are $(applications | paste -sd , | sed 's/,/, /g')"; done
	exp_list --axis "$AXES"
	for item in ${AXES//,/ }; do case $item in used | left) ;; *) exp_bad "--axis $item: used or left" ;; esac; done
	for item in used left; do
		[ "$item" = used ] && exp_steps --used "$USED" || exp_steps --left "$LEFT"
	done
	exp_list --swap "$SWAPS"
	for item in ${SWAPS//,/ }; do
		[[ $item =~ ^(file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] || exp_bad "--swap $item: file, zram, or slow:DELAY such as slow:2.5ms"
	done
	[ -z "$STEPS" ] || exp_number --steps "$STEPS" 1 100
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --ceiling "$CEILING" 2 3600
	exp_number --seed "$SEED" 0 2000000
	[[ $TOLERANCE =~ ^[0-9]{1,4}(\.[0-9]{1,3})?$ ]] || exp_bad "--tolerance $TOLERANCE: seconds, such as 1"
	[[ $BETA =~ ^[0-9]{1,2}(\.[0-9]{1,3})?$ ]] || exp_bad "--beta $BETA: a number, such as 1.5"
	[ -n "$SERVER_MEMORY" ] || exp_bad "--server-memory none: there is no pressure on a server that has all of the machine's"
	[[ $SERVER_MEMORY =~ ^[1-9][0-9]{0,6}[MG]$ ]] || exp_bad "--server-memory $SERVER_MEMORY: a size such as 512M"
	[[ $SWAP_SIZE =~ ^[1-9][0-9]{0,6}[MG]$ ]] || exp_bad "--swap-size $SWAP_SIZE: a size such as 1G"
	[ -n "$PROFILES" ] || for item in "$TP_HOME"/data/menus/*.tsv; do PROFILES+=${PROFILES:+,}$item; done
	while IFS= read -r item; do
		[ -f "$item" ] || exp_bad "--profile $item: no such file"
		grep -q $'^schema\tapplication\tpath\tcount\tshortcut$' "$item" || exp_bad "--profile $item: no table of schema menu/1 (columns schema application path count shortcut)"
	done < <(tr , '\n' <<<"$PROFILES")
	case $PROTOCOL in *,*) exp_bad "--protocol $PROTOCOL: one protocol a run" ;; esac
	exp_protocol "$PROTOCOL"
	protocol_use "$PROTOCOL"
	[ "$(protocol_kind)" = display ] || exp_bad "--protocol $PROTOCOL: no applications run in its sessions"
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_steps() {	# exp_steps OPTION LIST
	local item
	exp_list "$1" "$2"
	for item in ${2//,/ }; do exp_number "$1" "$item" 1 100000; done
}

# Applications ----------------------------------------------------------------------------------------------------

declare -A APP_KIND APP_WINDOW APP_PROGRAM APP_PACKAGES APP_COMMAND

applications() { awk -F'\t' '!/^#/ && $1 != "name" { print $1 }' "$TP_HOME/data/applications.tsv"; }

application() {	# application NAME: what the list says of it; 1: nothing
	local name kind window program packages command
	while IFS=$'\t' read -r name kind window program packages command; do
		[ "$name" = "$1" ] && [[ $name != \#* && $name != name ]] || continue
		APP_KIND[$name]=$kind APP_WINDOW[$name]=$window APP_PROGRAM[$name]=$program APP_PACKAGES[$name]=$packages APP_COMMAND[$name]=$command
		return 0
	done <"$TP_HOME/data/applications.tsv"
	return 1
}

# Those that are not installed have no cells.
ABSENT=()
find_applications() {
	local name word here=''
	for name in ${APPS//,/ }; do
		read -r word _ <<<"${APP_COMMAND[$name]}"
		if lab_has server "$word"; then here+=,$name; else ABSENT+=("$name: $word is missing; thinprobe setup --app $name"); fi
	done
	[ -n "$here" ] || die "-$EXIT_MISSING" "none of the applications is here: ${ABSENT[0]#*: }"
	APPS=${here#,}
}

# Cells: APP.START.SWAP.AXIS-STEP --------------------------------------------------------------------------------

some_of() {	# some_of LIST: STEPS of them, evenly spread, the first and the last among them
	local all=() i
	IFS=, read -ra all <<<"$1"
	[ -n "$STEPS" ] && [ "$STEPS" -lt "${#all[@]}" ] || { echo "${all[*]}"; return; }
	[ "$STEPS" -gt 1 ] || { echo "${all[-1]}"; return; }
	for ((i = 0; i < STEPS; i++)); do printf '%s ' "${all[i * (${#all[@]} - 1) / (STEPS - 1)]}"; done
}

choose_cells() {
	local app start axis swap step steps
	[ "${#CELLS[@]}" = 0 ] || return 0
	for app in ${APPS//,/ }; do
		for start in warm cold; do
			[ "$COLD$WARM" != 10 ] || [ $start = cold ] || continue
			[ "$COLD$WARM" != 01 ] || [ $start = warm ] || continue
			CELLS+=("$app $start none 0 none")
			# Where neither is asked for, cold starts are there for comparison.
			[ "$COLD$WARM" != 00 ] || [ $start = warm ] || continue
			for axis in ${AXES//,/ }; do
				steps=$(some_of "$([ "$axis" = used ] && echo "$USED" || echo "$LEFT")")
				for swap in ${SWAPS//,/ }; do
					for step in $steps; do
						CELLS+=("$app $start $axis $step $swap")
					done
				done
			done
		done
	done
}

cell_name() { printf '%s.%s.%s.%s' "$1" "$2" "${5//:/-}" "$3"; }	# cell_name APP START AXIS STEP SWAP; its folder bears the step, too

cells_json() {
	local app start axis step swap
	[ "${#CELLS[@]}" -gt 0 ] || { echo '[]'; return; }
	while read -r app start axis step swap; do
		printf '%s-%03d\t%s\t%s\t%s\t%s\t%s\n' "$(cell_name "$app" "$start" "$axis" "$step" "$swap")" "$step" "$app" "$start" "$axis" "$step" "$swap"
	done < <(printf '%s\n' "${CELLS[@]}") |
		jq -cRn '[inputs | split("\t") | {cell: .[0], app: .[1], start: .[2], axis: .[3], step: (.[4] | tonumber), swap: .[5]}]'
}

# Within a repeat the devices one after the other, what is without pressure with the first; the cells of each in random order.
exp_order() {
	local repeat swap n=0
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for swap in $(tr , '\n' <<<"$SWAPS" | shuffled "$((SEED * 1000 + repeat))"); do
			n=$((n + 1))
			printf '%s\n' "${CELLS[@]}" | awk -v swap="$swap" -v first="${SWAPS%%,*}" '$5 == swap || ($5 == "none" && swap == first)' |
				shuffled "$((SEED * 1000 + repeat + 7 * n))"
		done | while read -r app start axis step swap; do echo "$(cell_name "$app" "$start" "$axis" "$step" "$swap") $step $repeat"; done
	done
}
exp_trains() { printf '%s\n' "$1/cell.json"; }

cell_parts() {	# cell_parts NAME: sets APP START AXIS SWAP
	local rest=$1
	AXIS=${rest##*.} rest=${rest%.*}
	APP=${rest%%.*} rest=${rest#*.}
	START=${rest%%.*} SWAP=${rest#*.}
	SWAP=${SWAP/slow-/slow:}
}

exp_words() {
	local APP START AXIS SWAP
	cell_parts "$2"
	case $AXIS in
	none) echo "$APP, $START, no pressure" ;;
	used) echo "$APP, $START, $1 MB in swap ($SWAP)" ;;
	left) echo "$APP, $START, $1 % of its memory left ($SWAP)" ;;
	esac
}

# Settings --------------------------------------------------------------------------------------------------------

table_json() { jq -cRn '[inputs | select(test("^#") | not) | split("\t")] | .[0] as $head | .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries)' "$@"; }

# The profiles and the times of the models are kept with the run: a report is of what they were.
model_json() {
	local file
	{
		table_json "$TP_HOME/data/think.tsv"
		while IFS= read -r file; do table_json "$file" | jq -c --arg class "$(basename "$file" .tsv)" '{class: $class, events: map({application, path, count: (.count | tonumber), shortcut: (.shortcut // "")})}'; done < <(tr , '\n' <<<"$PROFILES")
	} | jq -cs --argjson tolerance "$TOLERANCE" --argjson beta "$BETA" '{times_s: (.[0] | map({key: .name, value: (.value_s | tonumber)}) | from_entries), classes: .[1:], tolerance_s: $tolerance, beta: $beta}'
}

exp_settings() {
	jq -cn --arg apps "$APPS" --arg axes "$AXES" --arg swaps "$SWAPS" --argjson used "[$USED]" --argjson left "[$LEFT]" --argjson repeats "$REPEATS" --argjson events "$EVENTS" \
		--argjson ceiling "$CEILING" --arg memory "$SERVER_MEMORY" --arg size "$SWAP_SIZE" --arg protocol "$PROTOCOL" --argjson seed "$SEED" --argjson quick "$QUICK" \
		--argjson cold "$COLD" --argjson warm "$WARM" --argjson model "$(model_json)" --argjson cells "$(cells_json)" --argjson threshold "$THRESHOLD_MS" '
		{protocol: $protocol, apps: ($apps | split(",")), axes: ($axes | split(",")), swaps: ($swaps | split(",")), used_mb: $used, left_percent: $left, repeats: $repeats, events: ($events == 1),
		ceiling_s: $ceiling, server_memory: $memory, swap_size: $size, seed: $seed, quick: ($quick == 1), cold: ($cold == 1), warm: ($warm == 1), threshold_ms: $threshold, on: "lab",
		model: $model, cells: $cells}'
}

exp_read_settings() {
	local app
	eval "$(jq -r '.settings | @sh "PROTOCOL=\(.protocol) APPS=\(.apps | join(",")) AXES=\(.axes | join(",")) SWAPS=\(.swaps | join(",")) REPEATS=\(.repeats | tostring) EVENTS=\(if .events then "1" else "0" end)
		CEILING=\(.ceiling_s | tostring) SERVER_MEMORY=\(.server_memory) SWAP_SIZE=\(.swap_size) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
	mapfile -t CELLS < <(jq -r '.settings.cells[] | "\(.app) \(.start) \(.axis) \(.step) \(.swap)"' "$RESUME/run.json")
}

# One cell --------------------------------------------------------------------------------------------------------

exp_cell() {	# exp_cell APP.START.SWAP.AXIS STEP REPEAT FOLDER
	local APP START AXIS SWAP step=$2 folder=$4 reason='' before='' after='' MEMORY=null COLD_LEFT=null LAB_LOG=$4/log options=()
	mkdir -p "$LAB_LOG"
	cell_parts "$1"
	[ "$SWAP" = none ] || swap_begin "$SWAP" || reason="swap on $SWAP: $LAB_WHY"
	[ -n "$reason" ] || session_begin || reason="the session did not come up: $LAB_WHY"
	if [ -z "$reason" ]; then
		files_read "$APP"
		documents_fresh
		pressure_begin "$AXIS" "$step" "$APP" || reason="no pressure: $LAB_WHY"
		[ "$START" = warm ] || files_drop "$APP"
		! with_events "$step" || options+=(--then "$TP_HOME/data/startup/$APP.tsv")
	fi
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		MEMORY=$(memory_json)
		before=$(lab_cpu server)
		if [ "$AXIS" = none ]; then
			base_measure || reason=$LAB_WHY
		else
			start_measure "$APP" "$folder/startup.json" ${options[@]+"${options[@]}"} || reason=$LAB_WHY
		fi
		after=$(lab_cpu server)
	fi
	pressure_end "$folder" || [ -n "$reason" ] || reason=$LAB_WHY
	! stopped || reason=interrupted
	write_cell "$step" "$3" "$folder" "$reason" "$before" "$after"
	if [ -n "$reason" ]; then warn "$(exp_words "$2" "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

# Further events take longer than the start: without pressure, and, on the last device, with most in swap and with just the memory left that the
# application has at rest.
with_events() {	# with_events STEP
	[ "$EVENTS" = 1 ] && [ "$START" = warm ] || return
	[ "$AXIS" != none ] || return 0
	[ "$SWAP" = "${SWAPS##*,}" ] &&
		[ "$1" = "$(printf '%s\n' "${CELLS[@]}" | awk -v axis="$AXIS" '$3 == axis { last = $4; if (axis == "left" && $4 == 100) found = 1 } END { print (found ? 100 : last) }')" ]
}

# Without pressure what others have left in swap must not count: a start that is none of the run brings it back. Then a cold one, or two of which the
# second is followed by the events.
base_measure() {
	local more=$folder/more.json
	start_measure "$APP" "$more" || return
	[ "$START" = warm ] || files_drop "$APP"
	start_measure "$APP" "$folder/startup.json" || return
	[ "$START" = cold ] || {
		start_measure "$APP" "$more" ${options[@]+"${options[@]}"} || return
		jq -s '.[0].result.runs += .[1].result.runs | .[0] | .result |= {runs}' "$folder/startup.json" "$more" | put_json "$folder/startup.json"
	}
	rm -f "$more"
}

# 0, and the report; 1: LAB_WHY. A start that had not come to rest by the ceiling is a measurement.
start_measure() {	# start_measure APP REPORT OPTION...
	local app=$1 report=$2 status=0 swap=() words=()
	shift 2
	[ -z "$LAB_SWAP_DEVICE" ] || swap=(--swap-device "$LAB_SWAP_DEVICE" --scratch "$LAB_SWAP_SCRATCH")
	read -ra words <<<"${APP_COMMAND[$app]}"
	lab_start -R -o "$report" server startup env "${APP_ENVIRONMENT[@]}" HOME="/tmp/home/$app" "$TP_BIN/startup" --display "$PROTOCOL_DISPLAY" --window "${APP_WINDOW[$app]}" \
		--quiet-for "$QUIET" --watch-on "$WATCH_ON" --close-for 300ms --ceiling "${CEILING}s" --cgroup "$LAB_MEMORY_GROUP" ${swap[@]+"${swap[@]}"} "$@" --format json -o "$report" -- "${words[@]}"
	lab_wait "$LAB_PID" || status=$?
	case $status in
	130) LAB_WHY=interrupted ;;
	*)
		! jq -e '.result.runs | length > 0' "$report" >/dev/null 2>&1 || return 0
		LAB_WHY=$(grep -vx ready "$LAB_LOG/startup.err" | tail -n 1)
		: "${LAB_WHY:=startup left no report}"
		;;
	esac
	return 1
}

write_cell() {	# write_cell STEP REPEAT FOLDER REASON BEFORE AFTER
	local foreign=null steal=null busy=null marked=''
	if [ -z "$4" ]; then
		read -r foreign steal busy < <(exp_shares "$5" "$6" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		marked=$(exp_disturbed "$foreign" "$steal")
	fi
	jq -n --arg app "$APP" --arg start "$START" --arg axis "$AXIS" --argjson step "$1" --arg swap "$SWAP" --argjson repeat "$2" --arg reason "$4" --argjson memory "$MEMORY" \
		--argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" --arg marked "$marked" --argjson cold "$COLD_LEFT" '
		{schema: "thinprobe.cell/1", parameters: {app: $app, start: $start, axis: $axis, step: $step, swap: $swap}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end),
		reason: $reason, memory: $memory, cold_left_bytes: $cold, foreign_percent: $foreign, steal_percent: $steal, server_busy_percent: $busy, marked: $marked}' | put_json "$3/cell.json"
}

# The run ---------------------------------------------------------------------------------------------------------

startup_options "$@"
find_applications
choose_cells
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=none LAB_DELAY=''
LINK=none LAB_SERVER_MEMORY=$SERVER_MEMORY LAB_SWAP=${SWAPS%%,*} LAB_SWAP_SIZE=$SWAP_SIZE
lab_use local
exp_step "two hosts"
lab_up
why=$(protocol_can) || die "-$EXIT_MISSING" "$PROTOCOL cannot run here: $why"
[ -n "$LAB_MEMORY_GROUP" ] || die "-$EXIT_MISSING" "the server cannot be given a memory of its own; see: thinprobe doctor"
lab_switch delayacct 1 || ABSENT+=("delay accounting: $LAB_WHY")
absent=$(printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"} | jq -cR 'select(. != "")' | jq -cs .)
exp_circumstances "$(lab_facts)" "$(protocol_settings)" "$(exp_lab "$absent")"
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server of $SERVER_MEMORY on CPU $LAB_CPUS_server, swap on ${SWAPS//,/ and }, $(jq -r '.protocol | .says // .server' "$RUN/run.json"); ${#CELLS[@]} cells, $REPEATS repeats"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
devices_measure
prepare_applications
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
