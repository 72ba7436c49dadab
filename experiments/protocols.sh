#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, the two tables of section 6.1.2 (bytes, messages, savings without IP headers) and section 6.1.1 (set-up, idle), on today's protocols
# minutes: 45 (with --quick 5)
# needs: two CPUs, display protocols; packages of the applications (thinprobe setup --app work)
# wrong if: a protocol whose end state differs from the others' counts in a figure; plain remote X needs fewer bytes than a protocol that compresses it
#
# The same work over every protocol: a text is edited, a picture drawn, pages are looked at, in real applications, by one script of keys, motion
# and clicks with think times (data/work/*.script, bin/keyrepeat); what the person sees at the end is compared as a picture. Before that, of
# each session: what its set-up takes, an idle minute, a key. How the applications are started: lab/apps/work.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=protocols
EXPERIMENT_SAYS="How many bytes, messages and packets does the same work take over each display protocol, and what do set-up, idling and a key take?"
THRESHOLD_MS=100 RATE=20 FOREIGN_LIMIT=80	# bytes are hardly a matter of CPU time
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/alike.sh"
EXP_MEMORY=0 EXP_AGAIN_PART=0	# what others took of the CPU is said, but no reason to measure once more
# What there may be, in the order of the tables. Of each family one is the default; the others are there by name.
EXP_PROTOCOLS="vnc:viewer x11 rdp nx spice xpra ssh:x11 ssh vnc"
PROTOCOL_LIST='' WORKS=text,draw,browse REPEATS=3 KEYS=100 IDLE_SECONDS=30
# Two pictures are the same when at most so many percent of their pixels differ by more than so many of 255 steps in a colour.
PIXELS_PERCENT=0.1 STEPS=48
REST_SECONDS=12 ABSENT=()

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--work W,...] [--keys N] [--idle S] [--repeat R] [--quick]
         [--link RATE[,DELAY[,JITTER[,LOSS%]]]] [--queue TIME] [--keep-captures] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols, NAME or NAME:VARIANT (what can run here of ${EXP_PROTOCOLS// /, })
  --work W,...      what is done: text (mousepad), draw (mtpaint), browse (netsurf) ($WORKS)
  --keys N          keys of the train in vim that tells what a key takes ($KEYS)
  --idle S          length of the window in which nobody does anything ($IDLE_SECONDS)
  --repeat R        repeats, each in a new session, protocols and work in random order ($REPEATS)
  --quick           one repeat, the first part of each script: a first idea
$(exp_usage_link)
  --keep-captures   keep the captures (NAME.pcap in each cell)
  --seed N          of the random order ($SEED)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

protocols_options() {
	local item
	exp_parse "--quick QUICK --keep-captures KEEP" "--protocol PROTOCOL_LIST --work WORKS --keys KEYS --idle IDLE_SECONDS --repeat REPEATS --link LINK --queue QUEUE --seed SEED" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --repeat || REPEATS=1
		exp_given --keys || KEYS=40
		exp_given --idle || IDLE_SECONDS=3
	fi
	exp_resume
	[ -z "$WORKS" ] || exp_list --work "$WORKS"	# a run of keys only can be resumed, too
	for item in ${WORKS//,/ }; do case $item in text | draw | browse) ;; *) exp_bad "--work $item: text, draw or browse" ;; esac; done
	exp_number --keys "$KEYS" 10 1000
	exp_number --idle "$IDLE_SECONDS" 1 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	exp_check_link
	exp_check_protocols any
	[[ ,$PROTOCOL_LIST, != *,vnc:refecho,* ]] || exp_bad "--protocol vnc:refecho: its server is the application, too"
	[ "$EXP_ONLY" = 0 ] || exit 0
}

choose_works() {
	local work why all=''
	app_use work
	for work in ${WORKS//,/ }; do
		APP_WORK=$work
		if why=$(app_can); then all+=,$work; else ABSENT+=("$work: $why"); fi
	done
	WORKS=${all#,}
}

# Cells: PROTOCOL.session and PROTOCOL.WORK -------------------------------------------------------------------------------

cell_name() { printf '%s.%s' "${1//:/-}" "$2"; }
declare -A PROTOCOL_OF	# by the name as it stands in cells

parts_of() {	# parts_of PROTOCOL: what is done over it. In a terminal there is no graphical work.
	protocol_use "$1"
	echo session
	[ "$(protocol_kind)" = display ] && [ "$1" != vnc ] && [ "$1" != vnc:xvnc ] && [ "$1" != vnc:x11vnc ] || return 0
	tr , '\n' <<<"$WORKS"
}

CELLS=()	# "PROTOCOL PART", in the order of the tables
choose_cells() {
	local protocol part
	CELLS=()
	for protocol in ${PROTOCOL_LIST//,/ }; do
		PROTOCOL_OF[${protocol//:/-}]=$protocol
		for part in $(parts_of "$protocol"); do CELLS+=("$protocol $part"); done
	done
}

# Within a repeat one protocol after the other; of each the session first, which is new then, and after it the work in random order.
exp_order() {
	local repeat protocol n
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		n=0
		for protocol in $(tr , '\n' <<<"$PROTOCOL_LIST" | shuffled "$((SEED * 1000 + repeat))"); do
			n=$((n + 1))
			printf '%s\n' "${CELLS[@]}" | awk -v p="$protocol" '$1 == p && $2 == "session" { print $2 }'
			printf '%s\n' "${CELLS[@]}" | awk -v p="$protocol" '$1 == p && $2 != "session" { print $2 }' | shuffled "$((SEED * 1000 + repeat + 7 * n))"
		done | awk -v names="$(tr , '\n' <<<"$PROTOCOL_LIST" | shuffled "$((SEED * 1000 + repeat))" | tr : - | paste -sd ' ')" -v repeat="$repeat" '
			BEGIN { split(names, name, " ") }
			$1 == "session" { i++ }
			{ print name[i] "." $1, 0, repeat }'
	done
}
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$3"; }

part_words() {
	case $1 in
	session) echo "set-up, idle, keys" ;;
	text) echo "editing a text" ;;
	draw) echo "drawing" ;;
	browse) echo "looking at pages" ;;
	esac
}
exp_words() { echo "${PROTOCOL_OF[${2%.*}]}: $(part_words "${2##*.}")"; }

# Settings ----------------------------------------------------------------------------------------------------------------

cells_json() {
	printf '%s\n' ${CELLS[@]+"${CELLS[@]}"} | jq -cRn '[inputs | select(. != "") | split(" ") | {cell: "\(.[0] | gsub(":"; "-")).\(.[1])", protocol: .[0], part: .[1]}]'
}

exp_settings() {
	jq -cn --arg protocols "$PROTOCOL_LIST" --arg works "$WORKS" --argjson keys "$KEYS" --argjson idle "$IDLE_SECONDS" --argjson repeats "$REPEATS" --argjson seed "$SEED" --arg link "$LINK" \
		--argjson quick "$QUICK" --argjson keep "$KEEP" --argjson rate "$RATE" --argjson percent "$PIXELS_PERCENT" --argjson steps "$STEPS" --argjson cells "$(cells_json)" --argjson scripts "$(scripts_json)" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), works: ($works | split(",") | map(select(. != ""))), keys: $keys, rate_per_s: $rate, idle_seconds: $idle, repeats: $repeats, seed: $seed,
		link: $link, quick: ($quick == 1), keep_captures: ($keep == 1), picture: {differs_percent: $percent, steps: $steps}, scripts: $scripts, on: "lab", cells: $cells}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) WORKS=\(.works | join(",")) KEYS=\(.keys | tostring) IDLE_SECONDS=\(.idle_seconds | tostring) REPEATS=\(.repeats | tostring)
		SEED=\(.seed | tostring) LINK=\(.link) QUICK=\(if .quick then "1" else "0" end) KEEP=\(if .keep_captures then "1" else "0" end)"' "$RESUME/run.json")"
}

# The script of a work as this run does it.
script_of() {
	if [ "$QUICK" = 1 ]; then sed '/^# --quick ends here$/q' "$TP_HOME/data/work/$1.script"; else cat "$TP_HOME/data/work/$1.script"; fi
}

# What it is made of: its length, and how many lines are keys, typed texts, drags and clicks.
scripts_json() {
	local work
	for work in ${WORKS//,/ }; do
		script_of "$work" | awk -v work="$work" '/^#/ || NF == 0 { next }
			{ ms += $1 }
			$2 == "type" { text = $0; sub(/^[^ ]+ type [^ ]+ /, "", text); keys += length(text); ms += $3 * (length(text) - 1); next }
			$2 == "move" { moves++; if ($4 == "over") ms += $5; next }
			$2 == "button" { buttons++; next }
			{ keys++ }
			END { printf "%s %d %d %d %.1f\n", work, keys, moves, buttons, ms / 1000 }'
	done | jq -cRn '[inputs | split(" ") | {work: .[0], keys: (.[1] | tonumber), moves: (.[2] | tonumber), buttons: (.[3] | tonumber), seconds: (.[4] | tonumber)}]'
}

# Sessions ----------------------------------------------------------------------------------------------------------------

SESSION='' SESSION_CLIENT='' PROTOCOL_OPTIONS=()	# the protocol that has one; a client of keyrepeat's own that keeps it connected

session_alive() { [ "$SESSION" = "$1" ] && ! lab_gone "${PROTOCOL_PIDS%% *}"; }

session_end() {
	[ -z "$SESSION_CLIENT" ] || lab_stop "$SESSION_CLIENT"
	[ -z "$SESSION" ] || protocol_stop
	SESSION='' SESSION_CLIENT=''
}

session_begin() {	# session_begin PROTOCOL
	session_end
	protocol_use "$1"
	PROTOCOL_OPTIONS=() PROTOCOL_VIEW='' PROTOCOL_PORT=''
	SESSION=$1
	protocol_start work
	# without a viewer a client of its own, which is connected all the time
	[ -n "$PROTOCOL_VIEW" ] || session_client || return
	VIEW_TARGET=${PROTOCOL_VIEW:+x11:$PROTOCOL_VIEW}
	APP_DISPLAY=$PROTOCOL_DISPLAY
}

session_client() {
	lab_start client client "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t 3600s --watch update ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
	SESSION_CLIENT=$LAB_PID
	lab_ready client 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/client.err" | tail -n 1); return 1; }
}

# The view has not changed for a while. 1 when that never came: what is measured then is measured all the same, and said. Without a view a
# second client would be on the wire: time passes.
rest() {
	local end=$((SECONDS + REST_SECONDS)) updates
	[ -n "$VIEW_TARGET" ] || { nap 1.5; return; }
	while :; do
		updates=$(lab_exec client "$TP_BIN/keyrepeat" "$VIEW_TARGET" --rate 0 -t 600ms --watch update --priority 0 --format json 2>>"$LAB_LOG/rest.err" </dev/null | jq -r .result.updates)
		[ "$updates" != 0 ] || return 0
		! stopped || return 1
		[ "$SECONDS" -lt "$end" ] || { RESTLESS=1; return 1; }
	done
}

# Captures ----------------------------------------------------------------------------------------------------------------

TAP=''
# All TCP, to a file: before a session is there, nobody knows its port. Nobody else is on the link.
tap_start() {	# tap_start NAME
	lab_start "${LAB_TAP[@]}" "tap-$1" "$TP_BIN/prototap" live -i "$LAB_TAP_IF" --port 1-65535 -w "$LAB_LOG/$1.pcap" --format json
	TAP=$LAB_PID
	lab_ready "tap-$1" 10 || { LAB_WHY="the capture did not start: $(tail -n 1 "$LAB_LOG/tap-$1.err")"; return 1; }
}

# Ends it, and counts what is in it. 1: LAB_WHY.
tap_end() {	# tap_end NAME FOLDER
	local lost why=''
	! lab_gone "$TAP" || why="the capture ended early: $(tail -n 1 "$LAB_LOG/tap-$1.err")"
	lab_stop "$TAP"
	TAP=''
	# What it has not seen would look like a protocol that needs less.
	lost=$(jq '.result.capture.dropped // 0' "$LAB_LOG/tap-$1.out" 2>/dev/null)
	[ "${lost:-0}" = 0 ] || why="the capture lost $lost packets"
	[ -z "$why" ] || { LAB_WHY=$why; return 1; }
	"$TP_BIN/prototap" read "$LAB_LOG/$1.pcap" --port "$PROTOCOL_PORT" --format json -o "$2/$1.json" 2>"$LAB_LOG/$1.err" || {
		LAB_WHY="the capture could not be read: $(tail -n 1 "$LAB_LOG/$1.err")"
		return 1
	}
	[ "$KEEP" = 0 ] || mv "$LAB_LOG/$1.pcap" "$2/"
	rm -f "$LAB_LOG/$1.pcap"
}

# Cells -------------------------------------------------------------------------------------------------------------------

# What a session takes before anybody works: set-up, a terminal, nothing, keys.
measure_session() {	# measure_session PROTOCOL FOLDER
	local protocol=$1 folder=$2
	VIEW_TARGET=''
	tap_start setup && session_begin "$protocol" || return
	rest
	tap_end setup "$folder" || return
	if [ "$(protocol_kind)" = display ]; then
		tap_start window || return
		app_use vim
		app_start "$PROTOCOL_DISPLAY"
		rest
		tap_end window "$folder" || return
	fi
	tap_start idle || return
	nap "$IDLE_SECONDS"
	! stopped || return 0
	tap_end idle "$folder" || return
	[ -z "$SESSION_CLIENT" ] || lab_stop "$SESSION_CLIENT"
	SESSION_CLIENT=''
	measure_keys "$folder" || return
	if [ "$(protocol_kind)" = display ]; then app_stop; else rm -f "$folder/window.json"; fi
}

# The first keys make clients fetch the keyboard anew, and vim's second is late: they go before the capture.
measure_keys() {	# measure_keys FOLDER
	local go status=0
	lab_exec client "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate "$RATE" -t 500ms ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json </dev/null >/dev/null 2>"$LAB_LOG/warm.err"
	rest
	open_pipe go
	lab_start -i "$go" client keyrepeat "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate "$RATE" -t "$(awk -v n="$KEYS" -v r="$RATE" 'BEGIN { printf "%.3f", n / r }')s" --skip 0 --watch update \
		--hold-start ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
	lab_ready keyrepeat 20 && { [ -n "$VIEW_TARGET" ] || nap 1; } && tap_start keys || { lab_stop "$LAB_PID"; exec {go}>&-; return 1; }
	echo go >&"$go"
	lab_wait "${LAB_PID_OF[keyrepeat]}" || status=$?
	exec {go}>&-
	# the last acknowledgement may be delayed
	nap 0.3
	tap_end keys "$1" || return
	mv "$LAB_LOG/keyrepeat.out" "$1/keyrepeat.json"
	case $status in 0 | 3) ;; *) LAB_WHY=$(grep -vx ready "$LAB_LOG/keyrepeat.err" | tail -n 1); return 1 ;; esac
}

measure_work() {	# measure_work PROTOCOL WORK FOLDER
	local protocol=$1 folder=$3 status=0
	APP_WORK=$2
	if ! session_alive "$protocol"; then
		VIEW_TARGET=''
		session_begin "$protocol" || return
		rest
	fi
	app_use work
	app_start "$PROTOCOL_DISPLAY" || return
	rest
	! stopped || { app_stop; return 0; }
	script_of "$APP_WORK" >"$LAB_LOG/$APP_WORK.script"
	if tap_start prototap; then
		lab_start client keyrepeat "$TP_BIN/keyrepeat" "$VIEW_TARGET" --script "$LAB_LOG/$APP_WORK.script" -t 3600s --skip 0 --format json
		lab_wait "$LAB_PID" || status=$?
		case $status in 0) ;; *) LAB_WHY=$(grep -vx ready "$LAB_LOG/keyrepeat.err" | tail -n 1) ;; esac
		rest
		tap_end prototap "$folder" || status=1
		lab_exec client env DISPLAY="$PROTOCOL_VIEW" timeout 20 import -window root png:- >"$folder/picture.png" 2>"$LAB_LOG/import.err" </dev/null ||
			{ status=1 LAB_WHY="no picture of the view: $(tail -n 1 "$LAB_LOG/import.err")"; }
		mv "$LAB_LOG/keyrepeat.out" "$folder/keyrepeat.json"
		! lab_gone "$APP_PID" || { status=1 LAB_WHY="the application ended by itself: $(grep -h . "$LAB_LOG"/app-*.err | tail -n 1)"; }
	else
		status=1
	fi
	app_stop
	return "$status"
}

exp_cell() {	# exp_cell PROTOCOL.PART 0 REPEAT FOLDER
	local protocol=${PROTOCOL_OF[${1%.*}]} part=${1##*.} folder=$4 reason='' before after RESTLESS=0 LAB_LOG=$4/log LAB_WHY=''
	mkdir -p "$LAB_LOG"
	before=$(lab_cpu server)
	if [ "$part" = session ]; then
		measure_session "$protocol" "$folder" || reason=${LAB_WHY:-it could not be measured}
	else
		measure_work "$protocol" "$part" "$folder" || reason=${LAB_WHY:-it could not be measured}
	fi
	after=$(lab_cpu server)
	[ -z "$TAP" ] || lab_stop "$TAP"
	TAP=''
	! stopped || reason=interrupted
	# what went wrong may be the session
	[ -z "$reason" ] || session_end
	write_cell "$protocol" "$part" "$3" "$folder" "$reason" "$before" "$after"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

write_cell() {	# write_cell PROTOCOL PART REPEAT FOLDER REASON BEFORE AFTER
	local foreign steal busy marked=''
	read -r foreign steal busy < <(exp_shares "$6" "$7" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
	[ -n "$5" ] || marked=$(exp_disturbed "$foreign" "$steal")
	jq -n --arg protocol "$1" --arg part "$2" --argjson repeat "$3" --arg reason "$5" --argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" --arg marked "$marked" \
		--argjson restless "$RESTLESS" '
		{schema: "thinprobe.cell/1", parameters: {protocol: $protocol, part: $part}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		restless: ($restless == 1), foreign_percent: $foreign, steal_percent: $steal, server_busy_percent: $busy, marked: $marked}' | put_json "$4/cell.json"
}

# The run -----------------------------------------------------------------------------------------------------------------

protocols_options "$@"
ON=lab ON_BACKEND=local
lab_use local
exp_choose_protocols
choose_works
choose_cells
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log
exp_step "two hosts"
lab_up
[ -n "$LAB_TAP_IF" ] || die "-$EXIT_MISSING" "no capture here; see: thinprobe doctor"
if [ -n "$WORKS" ]; then
	WORK_PICTURES=$RUN/log/pictures
	mkdir -p "$WORK_PICTURES"
	"$TP_HOME/experiments/pictures.sh" "$WORK_PICTURES" || die "the pictures to look at could not be made"
fi
absent=$(printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"} | jq -cR 'select(. != "")' | jq -cs .)
exp_circumstances "$(lab_facts)" null "$(exp_lab "$absent")"
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, link ${LINK/Mbit/ Mbit/s}; ${PROTOCOL_LIST//,/, }"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
session_end
compare_pictures
rm -rf "$RUN/log/pictures"
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
