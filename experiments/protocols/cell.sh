# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - protocols: bytes and packets of set-up, idling, keys and the same work over each protocol, counted in captures; and
# whether the work ended in the same picture.
RATE=20 REST_SECONDS=12
FOREIGN_LIMIT=80	# bytes hardly depend on CPU time
SESSION='' SESSION_CLIENT=''	# the protocol that has a session; a client of keyrepeat's own that keeps it connected

protocols_has() { [[ " $(protocol_use "$1" && protocol_properties) " == *" $2 "* ]]; }	# protocols_has PROTOCOL PROPERTY

exp_check() {
	local protocol can=''
	if [ "$ON_BACKEND" = attach ]; then
		! plan_given work || [ -z "$WORKS" ] || exp_bad "--work $WORKS with --on $ON: no application can be started there; omit it"
		WORKS=''
	fi
	[[ ,$WORKS, != *,none,* ]] || exp_bad "--work $WORKS: none stands alone"
	for protocol in ${PROTOCOLS//,/ }; do
		protocols_has "$protocol" own-echo || can+=,$protocol
		! protocols_has "$protocol" own-echo || ! plan_given protocol ||
			exp_bad "--protocol $protocol: its server cannot run the applications"
	done
	PROTOCOLS=${can#,}
}

exp_choose() {
	local work why here=''
	[ "$ON_BACKEND" != attach ] ||
		ABSENT+=("set-up, first terminal and work: the session was there before, and no application can be started in it")
	app_use work
	for work in ${WORKS//,/ }; do
		APP_WORK=$work
		if why=$(app_can); then here+=,$work; else ABSENT+=("$work: $why"); fi
	done
	WORKS=${here#,}
}

# Work is done only over protocols with a viewer, so that its end can be seen.
exp_cells() {
	local protocol part
	for protocol in ${PROTOCOLS//,/ }; do
		printf '%s\tsession\n' "$protocol"
		! protocols_has "$protocol" view || for part in ${WORKS//,/ }; do printf '%s\t%s\n' "$protocol" "$part"; done
	done
}

# Prints lines "PROTOCOL VARIANT...": protocols that do no work, since they have no viewer, and their variants that have one.
protocols_without_work() {
	local protocol name variant
	[ -n "$WORKS" ] || return 0
	for protocol in ${PROTOCOLS//,/ }; do
		! protocols_has "$protocol" view || continue
		printf %s "$protocol"
		name=${protocol%%:*}
		for variant in $(protocol_use "$name" && protocol_variants); do
			! protocols_has "$name:$variant" view || printf ' %s' "$name:$variant"
		done
		echo
	done
}

exp_settings() { protocols_without_work | jq -cRn '{without_work: ([inputs / " " | {(.[0]): .[1:]}] | add // {})}'; }

exp_before_cells() {
	local protocol variants
	while read -r protocol variants; do
		echo "$protocol: set-up, idling and keys only; no client shows its session, so none of the work is done" \
			"${variants:+(${variants// /, } would do it)}"
	done < <(protocols_without_work)
}

declare -A SAYS=([session]="set-up, idle, keys" [text]="editing a text" [draw]=drawing [browse]="looking at pages")
exp_words() { echo "${P[protocol]}: ${SAYS[${P[part]}]}"; }

exp_begin() {
	[ -n "$LAB_TAP_IF" ] ||
		die "-$EXIT_MISSING" "a packet capture is needed, and not possible here: ${ATTACH_NO_CAPTURE-see: thinprobe doctor}"
	[ "$ON_BACKEND" != attach ] || must session_begin "$PROTOCOL"	# finds what to watch, for run.json
	[ -n "$WORKS" ] || return 0
	WORK_PICTURES=$RUN/log/pictures
	mkdir -p "$WORK_PICTURES"
	work_pictures "$WORK_PICTURES" || die "cannot make the pictures for the image viewer"
}

exp_end_lab() { rm -rf "$RUN/log/pictures"; }
exp_summed() { alike_compare; }

# Prints the script of a work, shortened with --quick.
protocols_script() {
	local last='/^# --quick ends here$/q'
	[ "$QUICK" = 1 ] || last=''
	sed "$last" "$TP_HOME/data/work/$1.script"
}

# Sessions ----------------------------------------------------------------------------------------------------------------

exp_end_session() {
	lab_stop "$SESSION_CLIENT"
	[ -z "$SESSION" ] || protocol_stop
	SESSION='' SESSION_CLIENT=''
}

session_begin() {	# session_begin PROTOCOL; 1: LAB_WHY
	exp_end_session
	protocol_use "$1"
	PROTOCOL_OPTIONS=() PROTOCOL_VIEW='' PROTOCOL_PORT=''
	SESSION=$1
	protocol_start work || return
	VIEW_TARGET=${PROTOCOL_VIEW:+x11:$PROTOCOL_VIEW}
	APP_DISPLAY=$PROTOCOL_DISPLAY
	[ -z "$PROTOCOL_VIEW" ] || return 0
	# without a viewer a client of its own, which is connected all the time
	client_start client || return
	SESSION_CLIENT=$LAB_PID
}

# Waits until the view does not change for a while. If it never rests, the cell is measured, and marked restless. Without a viewer
# it waits for a fixed time, since a second client would be on the wire.
session_rest() {
	[ -n "$VIEW_TARGET" ] || { nap 1.5; return; }
	wait_until "$REST_SECONDS" view_rests || CELL_MORE='{"restless": true}'
}
view_rests() {
	stopped || [ "$(lab_exec client "$TP_BIN/keyrepeat" "$VIEW_TARGET" --rate 0 -t 600ms --watch update --priority 0 \
		--format json 2>>"$LAB_LOG/rest.err" </dev/null | jq -r .result.updates)" = 0 ]
}

# Captures ----------------------------------------------------------------------------------------------------------------

# Captures all TCP to a file, since the port is unknown before the session exists. The port is applied when the file is read, so
# that other traffic of a real link is left out.
tap_start() {	# tap_start NAME; 1: LAB_WHY
	lab_tap -o "$LAB_LOG/$1.pcap" "tap-$1" --port 1-65535 -w "$LAB_LOG/$1.pcap"
	TAP=$LAB_PID
	is_ready "tap-$1" 10 "the capture did not start"
}

# Ends the capture, and counts its packets and bytes. 1: LAB_WHY.
tap_end() {	# tap_end NAME FOLDER
	local lost status=0
	LAB_WHY="the capture ended early: $(last_word "tap-$1")"
	! lab_gone "$TAP" || return
	lab_stop "$TAP"
	TAP=''
	# Packets missed by the capture would make the protocol look cheaper.
	lost=$(jq '.result.capture.dropped // 0' "$LAB_LOG/tap-$1.out" 2>/dev/null)
	LAB_WHY="the capture lost $lost packets, so bytes are missing"
	[ "${lost:-0}" = 0 ] || return
	"$TP_BIN/prototap" read "$LAB_LOG/$1.pcap" --port "$PROTOCOL_PORT" --format json -o "$2/$1.json" 2>"$LAB_LOG/$1.err" || status=$?
	[[ "$status $1" == @(0 *|1 idle) ]] && [ -s "$2/$1.json" ] || {	# an idle session may send no packet
		LAB_WHY="the capture $([ "$status" = 3 ] && echo "is not whole" || echo "could not be read"): $(last_word "$1")"
		return 1
	}
	[ "$KEEP" = 0 ] || mv "$LAB_LOG/$1.pcap" "$2/"
	rm -f "$LAB_LOG/$1.pcap"
}

# Cells -------------------------------------------------------------------------------------------------------------------

exp_run() {	# exp_run FOLDER REPEAT
	local part=${P[part]} folder=$1
	TAP='' CELL_MORE='{"restless": false}'
	cpu_begin
	if [ "$part" = session ]; then measure_session; else measure_work; fi || return
	cpu_end
}

exp_stop() {
	lab_stop "$TAP"
	# the session itself may be broken
	[ -z "$reason" ] && ! stopped || exp_end_session
}

# Measures what a session without work sends, with a capture of each phase: setup, window (of vim; only on displays), idle, keys.
# Each phase leaves PHASE.json in the caller's $folder, with its packets and bytes.
measure_session() {
	if [ "$ON_BACKEND" = attach ]; then
		session_begin "${P[protocol]}" || return
		VIEW_TARGET=''	# a desktop never rests
	else
		tap_start setup && session_begin "${P[protocol]}" || return
		session_rest
		tap_end setup "$folder" || return
	fi
	if [ "$(protocol_kind)" = display ]; then
		tap_start window || return
		app_use vim
		app_start "$PROTOCOL_DISPLAY" || return
		session_rest
		tap_end window "$folder" || return
	fi
	tap_start idle || return
	nap "$IDLE_SECONDS"
	! stopped && tap_end idle "$folder" || return
	lab_stop "$SESSION_CLIENT"
	SESSION_CLIENT=''
	measure_keys || return
	[ "$(protocol_kind)" != display ] || app_stop
}

# The first keys make clients fetch the keyboard map again, and vim's second is late: they are typed before the capture.
measure_keys() {
	local go status=0 keys=("$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate "$RATE" "${PROTOCOL_OPTIONS[@]}" --format json)
	lab_exec client "${keys[@]}" -t 500ms --watch none </dev/null >/dev/null 2>"$LAB_LOG/warm.err"
	session_rest
	open_pipe go
	lab_start -i "$go" client keyrepeat "${keys[@]}" --warmup 0 --watch update --schedule periodic \
		${THRESHOLD_MS:+--late "${THRESHOLD_MS}ms"} --hold-start -t "$(LC_ALL=C awk -v n="$KEYS" -v r="$RATE" \
			'BEGIN { printf "%.3f", n / r }')s"
	if is_ready keyrepeat 20 && { [ -n "$VIEW_TARGET" ] || nap 1; } && tap_start keys; then
		echo go >&"$go"
		has_ended keyrepeat "$folder" || status=1
		# the last acknowledgement may be delayed
		nap 0.3
		[ "$status" = 1 ] || tap_end keys "$folder" || status=1
	else
		lab_stop "${LAB_PID_OF[keyrepeat]}"
		status=1
	fi
	exec {go}>&-
	return "$status"
}

measure_work() {
	local status=0
	APP_WORK=$part
	if [ "$SESSION" != "${P[protocol]}" ] || lab_gone "${PROTOCOL_PIDS%% *}"; then
		session_begin "${P[protocol]}" || return
		session_rest
	fi
	app_use work
	app_start "$PROTOCOL_DISPLAY" || return
	session_rest
	stopped || work_do || status=1
	app_stop
	return "$status"
}

# The script, and the picture at its end. 1: LAB_WHY.
work_do() {
	protocols_script "$part" >"$LAB_LOG/$part.script"
	lab_put client "$LAB_LOG/$part.script" "$LAB_LOG/$part.script"
	tap_start prototap || return
	lab_start client keyrepeat "$TP_BIN/keyrepeat" "$VIEW_TARGET" --script "$LAB_LOG/$part.script" -t 3600s --warmup 0 \
		--watch none --format json
	has_ended keyrepeat "$folder" || return
	session_rest
	tap_end prototap "$folder" || return
	lab_exec client env DISPLAY="$PROTOCOL_VIEW" timeout 20 import -window root png:- \
		>"$folder/picture.png" 2>"$LAB_LOG/import.err" </dev/null ||
			{ LAB_WHY="no picture of the view: $(last_word import)"; return 1; }
	LAB_WHY="the application ended by itself: $(grep -h . "$LAB_LOG"/app-*.err | tail -n 1)"
	! lab_gone "$APP_PID"
}

# Comparing the last screens -----------------------------------------------------------------------------------------------

# Limits for equal pictures: percent of pixels that may differ, by more than so many of 255 steps in a colour.
PIXELS_PERCENT=0.1 STEPS=48

# Compares the end state of each work with that of a reference protocol in the same repeat: remote X if measured, since it has no
# codec. If fewer than half of the protocols equal the reference, the next protocol is tried as reference.
alike_compare() {
	local repeat work n folder folders reference alike
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do for work in ${WORKS//,/ }; do
		folders=() alike=''
		for ((n = 0; n < ${#CELLS[@]}; n++)); do
			cell_use "$n"
			folder=$(cell_folder "$CELL" "$repeat")
			[ "${P[part]}" = "$work" ] && cell_complete "$folder" || continue
			if [ "${P[protocol]}" = x11 ]; then folders=("$folder" "${folders[@]}"); else folders+=("$folder"); fi
		done
		for reference in "${folders[@]}"; do [ -n "$alike" ] || ! alike_with "$reference" || alike=1; done
		[ -n "$alike" ] || [ ${#folders[@]} = 0 ] || alike_with "${folders[0]}"	# no majority: the first one
	done; done
}

# Compares all of `folders` with one of them, and writes the differences into their cells. 0: at least half, the reference included,
# are the same.
alike_with() {	# alike_with REFERENCE
	local folder differs name same=0
	name=$(jq -r .parameters.protocol "$1/cell.json")
	for folder in "${folders[@]}"; do
		differs=$(alike_differs "$1/picture.png" "$folder/picture.png")
		jq --argjson differs "${differs:-null}" --arg reference "$name" --argjson limit "$PIXELS_PERCENT" \
			'.picture = {$reference,
			differs_percent: $differs, same: ($differs != null and $differs <= $limit)}' "$folder/cell.json" |
				put_json "$folder/cell.json"
		! jq -e .picture.same "$folder/cell.json" >/dev/null || same=$((same + 1))
	done
	[ $((2 * same)) -ge ${#folders[@]} ]
}

# Share of pixels, in percent, that differ by more than STEPS of 255 in one of their colours.
alike_differs() {
	local percent
	percent=$(LC_ALL=C awk -v s="$STEPS" 'BEGIN { printf "%.4f", s * 100 / 255 }')
	convert "$1" "$2" -compose difference -composite -separate -evaluate-sequence max -threshold "$percent%" \
		-format '%[fx:100*mean]' info: 2>/dev/null
}

# Makes the pictures of the work: photo.png and scene.png with smooth gradients and a little noise, chart.png with few flat colours,
# canvas.png to paint on. They are the same every time: each pixel follows from a formula.
work_pictures() {	# work_pictures FOLDER
	picture photo 640 420 "$1/photo.png" && picture scene 480 360 "$1/scene.png" && picture chart 480 300 "$1/chart.png" &&
		picture canvas 640 400 "$1/canvas.png"
}

picture() {	# picture KIND WIDTH HEIGHT FILE
	LC_ALL=C awk -v kind="$1" -v w="$2" -v h="$3" '
		function grain() { seed = (seed * 1103 + 12345) % 65536; return seed % 17 - 8 }	# noise, the same in any awk
		function put(r, g, b) { line = line " " part(r) " " part(g) " " part(b) }
		function part(v) { v = int(v); return v < 0 ? 0 : v > 255 ? 255 : v }
		BEGIN {
			seed = 7
			print "P3", w, h, 255
			for (y = 0; y < h; y++) {
				line = ""
				for (x = 0; x < w; x++) {
					if (kind == "chart") {
						bar = int(x / (w / 8)); top = h * (0.25 + 0.09 * ((bar * 5) % 8))
						if (y == h - 12 || x == 10) put(40, 40, 40)
						else if (y < h - 12 && y > top && x % int(w / 8) > 8) put(0, 114, 178)
						else if (y % 40 == 0) put(220, 220, 220)
						else put(255, 255, 255)
					} else if (kind == "canvas" && x < w / 2) {
						put(255, 255, 255)
					} else {
						n = grain(); turn = kind == "scene" ? 1 : 0
						r = 140 + 70 * sin(x / 37 + turn) + 40 * cos(y / 23) + n
						g = 120 + 60 * cos((x + 2 * y) / 61) + 30 * sin(y / 11 + 2 * turn) + n
						b = 90 + 90 * y / h + 30 * sin((x - y) / 17) + n
						if ((x - w * 0.7) ^ 2 + (y - h * 0.4) ^ 2 < (h / 5) ^ 2) { r += 60; g += 50; b -= 40 }
						if (turn && y > h * 0.65) { g += 40; r -= 50 }
						put(r, g, b)
					}
				}
				print line
			}
		}' | convert ppm:- -strip "$4" 2>>"$LAB_LOG/convert.err"	# (ImageMagick 7 warns of its name)
}
