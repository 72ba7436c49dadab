# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine and the lab
. "$TP_HOME/experiments/protocols/alike.sh"

RATE=20 REST_SECONDS=12
FOREIGN_LIMIT=80	# bytes are hardly a matter of CPU time
SESSION='' SESSION_CLIENT=''	# the protocol that has a session; a client of keyrepeat's own that keeps it connected
TAP=''

protocols_has() { [[ " $(protocol_use "$1" && protocol_properties) " == *" $2 "* ]]; }	# protocols_has PROTOCOL PROPERTY

exp_check() {
	local protocol
	for protocol in ${PROTOCOLS//,/ }; do
		! protocols_has "$protocol" own-echo || exp_bad "--protocol $protocol: its server is the application, too"
	done
}

exp_choose() {
	local work why all=''
	app_use work
	for work in ${WORKS//,/ }; do
		APP_WORK=$work
		if why=$(app_can); then all+=,$work; else ABSENT+=("$work: $why"); fi
	done
	WORKS=${all#,}
}

# Graphical work is done where a client shows it, so that its end can be seen.
exp_cells() {
	local protocol part
	for protocol in ${PROTOCOLS//,/ }; do
		printf '%s\tsession\n' "$protocol"
		! protocols_has "$protocol" view || for part in ${WORKS//,/ }; do printf '%s\t%s\n' "$protocol" "$part"; done
	done
}

exp_words() {
	local words=${P[part]}
	case $words in
	session) words="set-up, idle, keys" ;;
	text) words="editing a text" ;;
	draw) words=drawing ;;
	browse) words="looking at pages" ;;
	esac
	echo "${P[protocol]}: $words"
}
exp_settings() { jq -cn --argjson scripts "$(protocols_scripts)" '{$scripts}'; }
exp_missing() { lab_lacks pin shape; }

exp_begin() {
	[ -n "$LAB_TAP_IF" ] || die "-$EXIT_MISSING" "no capture here; see: thinprobe doctor"
	[ -n "$WORKS" ] || return 0
	WORK_PICTURES=$RUN/log/pictures
	mkdir -p "$WORK_PICTURES"
	"$TP_HOME/experiments/protocols/pictures.sh" "$WORK_PICTURES" || die "the pictures to look at could not be made"
}

exp_end_session() { session_end; }
exp_end_lab() { rm -rf "$RUN/log/pictures"; }
exp_summed() { alike_compare; }

# Scripts -----------------------------------------------------------------------------------------------------------------

# The script of a work as this run does it.
protocols_script() {
	local ends='^# --quick ends here$'
	[ "$QUICK" = 1 ] || ends='^$never'
	sed "/$ends/q" "$TP_HOME/data/work/$1.script"
}

# What it is made of: its length, and how many lines are keys, typed texts, drags and clicks.
protocols_scripts() {
	local work
	for work in ${WORKS//,/ }; do
		protocols_script "$work" | LC_ALL=C awk -v work="$work" '/^#/ || NF == 0 { next }
			{ ms += $1 }
			$2 == "type" {
				text = $0; sub(/^[^ ]+ type [^ ]+ /, "", text)
				keys += length(text); ms += $3 * (length(text) - 1); next
			}
			$2 == "move" { moves++; if ($4 == "over") ms += $5; next }
			$2 == "button" { buttons++; next }
			{ keys++ }
			END { printf "%s %d %d %d %.1f\n", work, keys, moves, buttons, ms / 1000 }'
	done | jq -cRn '[inputs | split(" ") | {work: .[0], keys: (.[1] | tonumber), moves: (.[2] | tonumber), buttons: (.[3] | tonumber),
		seconds: (.[4] | tonumber)}]'
}

# Sessions ----------------------------------------------------------------------------------------------------------------

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
	lab_start client client "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t 3600s --watch update \
		${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
	SESSION_CLIENT=$LAB_PID
	lab_ready client 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/client.err" | tail -n 1); return 1; }
}

# The view has not changed for a while. 1 when that never came: what is measured then is measured all the same, and said. Without a
# view a second client would be on the wire: time passes.
session_rest() {
	local end=$((SECONDS + REST_SECONDS)) updates
	[ -n "$VIEW_TARGET" ] || { nap 1.5; return; }
	while :; do
		updates=$(lab_exec client "$TP_BIN/keyrepeat" "$VIEW_TARGET" --rate 0 -t 600ms --watch update --priority 0 --format json \
			2>>"$LAB_LOG/rest.err" </dev/null | jq -r .result.updates)
		[ "$updates" != 0 ] || return 0
		! stopped || return 1
		[ "$SECONDS" -lt "$end" ] || { RESTLESS=1; return 1; }
	done
}

# Captures ----------------------------------------------------------------------------------------------------------------

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

exp_measure() {	# exp_measure CELL REPEAT FOLDER
	local protocol=${P[protocol]} part=${P[part]} folder=$3 reason='' flags='' before foreign steal busy
	local RESTLESS=0 LAB_LOG=$3/log LAB_WHY=''
	mkdir -p "$LAB_LOG"
	before=$(lab_cpu server)
	if [ "$part" = session ]; then measure_session; else measure_work; fi || reason=${LAB_WHY:-it could not be measured}
	read -r foreign steal busy < <(exp_shares "$before" "$(lab_cpu server)" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
	[ -z "$TAP" ] || lab_stop "$TAP"
	TAP=''
	! stopped || reason=interrupted
	# what went wrong may be the session
	if [ -n "$reason" ]; then session_end; else flags=$(exp_disturbed "$foreign" "$steal"); rm -rf "$LAB_LOG"; fi
	cell_write "$folder" "$2" "$reason" "$flags" "{\"restless\": $([ "$RESTLESS" = 1 ] && echo true || echo false),
		\"foreign_percent\": $foreign, \"steal_percent\": $steal, \"server_busy_percent\": $busy}"
}

# What a session takes before any work is done: set-up, a terminal, nothing, keys.
measure_session() {
	local kind=application
	! protocols_has "$protocol" display || kind=display
	VIEW_TARGET=''
	tap_start setup && session_begin "$protocol" || return
	session_rest
	tap_end setup "$folder" || return
	if [ "$kind" = display ]; then
		tap_start window || return
		app_use vim
		app_start "$PROTOCOL_DISPLAY"
		session_rest
		tap_end window "$folder" || return
	fi
	tap_start idle || return
	nap "$IDLE_SECONDS"
	! stopped || return 0
	tap_end idle "$folder" || return
	[ -z "$SESSION_CLIENT" ] || lab_stop "$SESSION_CLIENT"
	SESSION_CLIENT=''
	measure_keys || return
	[ "$kind" != display ] || app_stop
}

# The first keys make clients fetch the keyboard anew, and vim's second is late: they go before the capture.
measure_keys() {
	local go status=0
	lab_exec client "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate "$RATE" -t 500ms ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} \
		--format json </dev/null >/dev/null 2>"$LAB_LOG/warm.err"
	session_rest
	open_pipe go
	lab_start -i "$go" client keyrepeat "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate "$RATE" \
		-t "$(LC_ALL=C awk -v n="$KEYS" -v r="$RATE" 'BEGIN { printf "%.3f", n / r }')s" --skip 0 --watch update \
		--hold-start ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
	lab_ready keyrepeat 20 && { [ -n "$VIEW_TARGET" ] || nap 1; } && tap_start keys || { lab_stop "$LAB_PID"; exec {go}>&-; return 1; }
	echo go >&"$go"
	lab_wait "${LAB_PID_OF[keyrepeat]}" || status=$?
	exec {go}>&-
	# the last acknowledgement may be delayed
	nap 0.3
	tap_end keys "$folder" || return
	mv "$LAB_LOG/keyrepeat.out" "$folder/keyrepeat.json"
	case $status in 0 | 3) ;; *) LAB_WHY=$(grep -vx ready "$LAB_LOG/keyrepeat.err" | tail -n 1); return 1 ;; esac
}

measure_work() {
	APP_WORK=$part
	if ! session_alive "$protocol"; then
		VIEW_TARGET=''
		session_begin "$protocol" || return
		session_rest
	fi
	app_use work
	app_start "$PROTOCOL_DISPLAY" || return
	session_rest
	LAB_WHY=''
	stopped || work_do
	app_stop
	[ -z "$LAB_WHY" ]
}

# The script, and the picture at its end. Sets LAB_WHY where it failed.
work_do() {
	protocols_script "$part" >"$LAB_LOG/$part.script"
	tap_start prototap || return
	lab_start client keyrepeat "$TP_BIN/keyrepeat" "$VIEW_TARGET" --script "$LAB_LOG/$part.script" -t 3600s --skip 0 --format json
	lab_wait "$LAB_PID" || LAB_WHY=$(grep -vx ready "$LAB_LOG/keyrepeat.err" | tail -n 1)
	session_rest
	tap_end prototap "$folder"
	lab_exec client env DISPLAY="$PROTOCOL_VIEW" timeout 20 import -window root png:- \
		>"$folder/picture.png" 2>"$LAB_LOG/import.err" </dev/null ||
		LAB_WHY="no picture of the view: $(tail -n 1 "$LAB_LOG/import.err")"
	mv "$LAB_LOG/keyrepeat.out" "$folder/keyrepeat.json"
	! lab_gone "$APP_PID" || LAB_WHY="the application ended by itself: $(grep -h . "$LAB_LOG"/app-*.err | tail -n 1)"
}
