# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# animations.sh - shared by experiments with an animation: a session for each cell, a step in it (an animation that runs for a
# while, with a capture, and its frames counted on the user's screen), and the figures of a step in its window.
#
# An experiment has the options size, rate, content and draw, and two functions:
#   animation_steps FOLDER REPEAT   calls animation_step for each step; 1: LAB_WHY
#   animation_report FOLDER         prints the steps' part of cell.json

BIN_MS=20
FOREIGN_LIMIT=20	# bytes and frames are counted, which suffer only if other processes have much of the CPU

exp_check() {
	[[ $SIZE =~ ^([0-9]{2,4})x([0-9]{2,4})$ ]] &&
		((10#${BASH_REMATCH[1]} >= 40 && 10#${BASH_REMATCH[1]} <= 1024 && 10#${BASH_REMATCH[2]} >= 32 && 10#${BASH_REMATCH[2]} <= 768)) ||
		exp_bad "--geometry $SIZE: must be 40x32 to 1024x768 pixels, such as 100x100"
}

exp_cells() {
	local protocol
	for protocol in ${PROTOCOLS//,/ }; do animation_draws "$protocol" "$protocol"; done
}
exp_words() { echo "${P[protocol]}$([ "${P[draw]}" = image ] || echo ", ${P[draw]}")"; }

# By default pixmaps are tried over x11 only: elsewhere the display is at the server, and a pixmap saves no traffic.
animation_draws() {	# animation_draws PROTOCOL LINE: prints the line with each way to draw that differs over this protocol
	local draw
	for draw in ${DRAWS//,/ }; do
		[ "$draw" = image ] || plan_given draw || [ "$1" = x11 ] || continue
		printf '%s\t%s\n' "$2" "$draw"
	done
}
exp_begin() {
	[ -n "$LAB_TAP_IF" ] || die "-$EXIT_MISSING" "bytes cannot be captured here; see: thinprobe doctor"
	RUN_SAYS=", frames of $SIZE, $RATE a second"
}

exp_run() {	# exp_run FOLDER REPEAT
	protocol_use "${P[protocol]}"
	protocol_start animation && clocks_find || return
	cpu_begin
	animation_steps "$1" "$2" || return
	cpu_end
}
exp_stop() {	# exp_stop FOLDER
	lab_stop "${LAB_PIDS[@]}"
	protocol_stop
	CELL_MORE=$(animation_report "$1")
}

# Clock offset of each machine to ours, to compare times of different machines. Not while frames are shown.
declare -A AHEAD
clocks_find() {
	local role
	for role in ${LAB_ROLES:-}; do
		read -r "AHEAD[$role]" _ < <(lab_ahead "$role")
		[ -n "${AHEAD[$role]}" ] && continue
		LAB_WHY="the clock of the $role cannot be compared with ours: it cannot be read, or one of the two machines"
		LAB_WHY+=" was suspended since it started; restart that machine"
		return 1
	done
}
# clock_ours ROLE FILE COLUMN...: converts these columns of the file from the role's clock to ours.
clock_ours() {
	[ "${AHEAD[$1]:-0}" != 0 ] && [ -s "$2" ] || return 0
	LC_ALL=C awk -F'\t' -v OFS='\t' -v ahead="${AHEAD[$1]}" -v names="${*:3}" '
		NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; print; next }
		{ for (i = 1; i <= n; i++) if ((c = at[name[i]]) && $c != "") $c = sprintf("%.0f", $c - ahead); print }' "$2" \
			>"$2.ours" &&
		mv "$2.ours" "$2"
}

# One step ------------------------------------------------------------------------------------------------------

# Appends a reading of the server's CPU time to cpu.tsv; called each second.
animation_cpu() {
	local at row
	at=$(clock_10ms)
	row=$(lab_cpu server) || return 0
	printf 'cpu/1\t%s\t%s\n' "$at" "${row// /$'\t'}" >>"$1/cpu.tsv"
}

# animation_step FOLDER WARM FRAMES OPTION...: measures FRAMES frames of the animation after WARM frames of warm-up. Leaves
# frames.tsv, seen.tsv, traffic.tsv, cpu.tsv, animate.json, prototap.json and step.json in FOLDER. 1: LAB_WHY.
animation_step() {
	local seconds LAB_LOG=$1
	seconds=$(LC_ALL=C awk -v n="$(($2 + $3))" -v r="$RATE" 'BEGIN { printf "%.3f", n / r }')
	animation_tap "$1" && animation_start "$1" "$seconds" "${@:4}" && animation_wait "$1" "$seconds"
	animation_end "$1" && animation_figures "$1" "$2" "$3"
}

# animation_watch FOLDER SECONDS [count]: as animation_step, for something that moves by itself on the display; count: frames made
# by `animate write` are in it, and are counted on the user's screen.
animation_watch() {
	local n from LAB_LOG=$1
	if animation_tap "$1" && { [ -z "${3-}" ] || animation_count "$1"; }; then
		from=$(clock_10ms)
		for ((n = 0; n < $2; n++)); do
			! stopped && nap 1
			animation_cpu "$1"
		done
		nap 0.1	# the capture delivers packets in batches
	fi
	animation_end "$1" && animation_figures "$1" 0 0 "$from" "$((from + $2 * 1000000000))"
}

clock_10ms() {	# time in ns, to 10 ms, on the clock of the programs' rows (/proc/uptime differs from it only by suspends)
	local up
	read -r up _ </proc/uptime
	echo "${up/./}0000000"
}

# Makes the folder, and starts the capture. 1: LAB_WHY.
animation_tap() {
	mkdir -p "$1"
	printf 'schema\ttime_ns\twall_ns\tbusy_ns\tsteal_ns\town_ns\n' >"$1/cpu.tsv"
	LAB_WHY='' LAB_PID_OF[animate]='' LAB_PID_OF[count]=''
	lab_tap -o "$1/traffic.tsv" prototap --port "$PROTOCOL_PORT" --traffic "$1/traffic.tsv" --traffic-bin "${BIN_MS}ms"
	is_ready prototap 10 "the capture did not start" || return
	animation_cpu "$1"
}

animation_count() {	# animation_count FOLDER; 1: LAB_WHY
	lab_start -o "$1/seen.tsv" client count "$TP_BIN/animate" count --display "$PROTOCOL_VIEW" --log "$1/seen.tsv" --format json
	is_ready count 15 "no frame arrives on the display of the client"
}

animation_end() {	# animation_end FOLDER; 1: LAB_WHY
	local name
	animation_cpu "$1"
	for name in animate count prototap; do lab_stop "${LAB_PID_OF[$name]-}"; done
	! stopped || LAB_WHY=interrupted
	clock_ours server "$1/frames.tsv" due_ns begun_ns sent_ns
	clock_ours client "$1/seen.tsv" seen_ns asked_ns
	clock_ours "${LAB_TAP[0]}" "$1/traffic.tsv" bin_start_ns
	keep_outputs "$1" animate count prototap
	[ -n "$LAB_WHY" ] || LAB_WHY=$(held_up "$1/animate.json" "$1/count.json")
	[ -z "$LAB_WHY" ]
}

# Starts the animation and the program that counts its frames. 1: LAB_WHY.
animation_start() {	# animation_start FOLDER SECONDS OPTION...
	lab_start -o "$1/frames.tsv" server animate env DISPLAY="$PROTOCOL_DISPLAY" "$TP_BIN/animate" show --geometry "$SIZE" \
		--rate "$RATE" --content "$CONTENT" -t "${2}s" --log "$1/frames.tsv" "${@:3}" --format json
	is_ready animate 30 "the animation did not start" && animation_count "$1"
}

# Waits until it has ended by itself, for a limited time. Sets LAB_WHY if it failed.
animation_wait() {	# animation_wait FOLDER SECONDS
	local left=$((${2%.*} + 20)) pid=${LAB_PID_OF[animate]} status=0
	until lab_gone "$pid" || stopped || [ "$left" -le 0 ]; do
		for _ in 1 2 3 4 5; do lab_gone "$pid" || nap 0.2; done
		animation_cpu "$1"
		left=$((left - 1))
	done
	lab_gone "$pid" || { LAB_WHY="the animation does not end: the display takes no more frames"; return; }
	lab_wait "$pid" || status=$?
	case $status in
	0) ;;
	130) LAB_WHY=interrupted ;;
	*) LAB_WHY="the animation failed: $(last_word animate)" ;;
	esac
}

# Makes step.json; fails if the capture is incomplete: missed bytes would look like frames from a cache.
animation_figures() {	# animation_figures FOLDER WARM FRAMES [FROM_NS TO_NS]; 1: LAB_WHY
	local covered lost frame='{}'
	LAB_WHY=$(no_report capture prototap)
	[ -s "$1/prototap.json" ] || return
	lost=$(jq '.result.capture.dropped // 0' "$1/prototap.json" 2>/dev/null)
	LAB_WHY="the capture lost $lost packets, so bytes are missing"
	[ "${lost:-0}" = 0 ] || return
	LAB_WHY="the step left no figures"
	[ ! -s "$1/animate.json" ] || frame=$(jq -c '.result | {frame_bytes, information_bytes}' "$1/animate.json")
	animation_window "$@" | jq -c --argjson frame "$frame" '. + $frame' >"$1/step.json.new" &&
		mv "$1/step.json.new" "$1/step.json" &&
		covered=$(jq .covered_percent "$1/step.json") && [ -n "$covered" ] || return
	LAB_WHY="the capture knows only $covered % of the step"
	LC_ALL=C awk -v c="$covered" 'BEGIN { exit !(c >= 99) }' && LAB_WHY=''
}

# Figures of a step in its window, which lasts from the due time of frame WARM to that of the frame after the last one; without
# frames, between the two given times. A bin at an end of the window counts with the part that lies in it; CPU time is taken
# between the two readings nearest to the ends. Any of the files may be empty.
animation_window() {	# animation_window FOLDER WARM FRAMES [FROM_NS TO_NS]: JSON
	local frames=$1/frames.tsv seen=$1/seen.tsv
	[ -z "${4-}" ] || frames=/dev/null
	[ -s "$seen" ] || seen=/dev/null
	LC_ALL=C awk -F'\t' -v warm="$2" -v frames="$3" -v rate="$RATE" -v bin="$((BIN_MS * 1000000))" -v from="${4-0}" \
		-v to="${5-0}" '
		FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
		file == "frames" {
			n = $at["n"]
			if (n == 0) { from = $at["due_ns"] + warm * 1e9 / rate; to = from + frames * 1e9 / rate }
			if (n < warm || n >= warm + frames) next
			due++
			if ($at["sent_ns"] == "") next
			shown++
			late += $at["sent_ns"] - $at["due_ns"] > 1e9 / rate
		}
		file == "traffic" {
			low = $at["bin_start_ns"] + 0; high = low + bin
			part = ((high < to ? high : to) - (low > from ? low : from)) / bin
			if (part <= 0) next
			display += part * $at["display_wire_bytes"]; payload += part * $at["display_payload_bytes"]
			packets += part * $at["display_packets"]; input += part * $at["input_wire_bytes"]; covered += part * bin
		}
		file == "cpu" {
			if ($at["time_ns"] <= from || !begun) { wall0 = $at["wall_ns"]; own0 = $at["own_ns"]; begun = 1 }
			if ($at["time_ns"] <= to || !ended) { wall1 = $at["wall_ns"]; own1 = $at["own_ns"]; ended = 1 }
		}
		file == "seen" {
			watched = 1
			if ($at["seen_ns"] < from + 5e8 / rate && !($at["frame"] in there)) { there[$at["frame"]] = 1; before++ }
			seen += $at["seen_ns"] >= from && $at["seen_ns"] < to
		}
		function item(name, format, v, known) { printf "%s\"%s\": %s", comma, name, known ? sprintf(format, v) : "null"; comma = ", " }
		END {
			seconds = (to - from) / 1e9
			printf "{"
			item("seconds", "%.6f", seconds, 1); item("from_ns", "%.0f", from, 1); item("to_ns", "%.0f", to, 1)
			item("frames_due", "%d", due, due); item("frames_shown", "%d", shown, due); item("late_frames", "%d", late + due - shown, due)
			item("frames_seen", "%d", seen, watched); item("distinct_before", "%d", before, watched)
			item("display_wire_bytes", "%.0f", display, 1); item("display_payload_bytes", "%.0f", payload, 1)
			item("display_packets", "%.0f", packets, due); item("input_wire_bytes", "%.0f", input, 1)
			item("covered_percent", "%.1f", seconds > 0 ? covered / seconds / 1e7 : 0, 1)
			item("cpu_percent", "%.3f", wall1 > wall0 ? 100 * (own1 - own0) / (wall1 - wall0) : 0, wall1 > wall0)
			counted = watched ? seen : shown
			item("bytes_per_frame", "%.1f", counted > 0 ? display / counted : 0, due && counted > 0)
			print "}"
		}' file=frames "$frames" file=traffic "$1/traffic.tsv" file=cpu "$1/cpu.tsv" file=seen "$seen"
}
