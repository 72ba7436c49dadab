# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the driver, lib.sh and the lab
# animated.sh - what drivers of an animation share: which protocols, a session for it, one step (an animation that runs for a while, with the
# capture beside it and the frames counted in front of the person), and what a step took in its window.
#
# A driver sets SIZE RATE CONTENT SEED and calls, from its main shell,
#   session_begin PROTOCOL    1: LAB_WHY
#   animated_step FOLDER WARM-FRAMES FRAMES OPTION...   leaves frames.tsv, seen.tsv, traffic.tsv, cpu.tsv, animate.json, prototap.json and
#                             step.json (window_of) in FOLDER; 1: LAB_WHY
#   session_end

# As a person has it in front of him, not a probe: of VNC the viewer. A variant is another protocol.
EXP_PROTOCOLS='vnc:viewer x11 rdp rdp:cache rdp:vnc nx nx:agent spice ssh:x11 ssh:x11c xpra'

# Systems: "PROTOCOL DRAW". An application that keeps its frames in pixmaps of the display is another case where the display is remote.
choose_systems() {
	local protocol draw
	[ "${#SYSTEMS[@]}" = 0 ] || return 0
	exp_choose_protocols
	for protocol in ${PROTOCOL_LIST//,/ }; do
		for draw in ${DRAWS//,/ }; do
			[ "$draw" = image ] || exp_given --draw || [ "$protocol" = x11 ] || continue
			SYSTEMS+=("$protocol $draw")
		done
	done
}

system_name() { printf '%s.%s' "${1//:/-}" "$2"; }	# the cell of a system
system_of() {	# system_of CELL: sets protocol and draw
	local system
	for system in "${SYSTEMS[@]}"; do
		read -r protocol draw <<<"$system"
		[ "$(system_name "$protocol" "$draw")" != "$1" ] || return 0
	done
}

# What options and settings are alike.
animated_check() {
	local draw
	[ "$ON" = lab ] || exp_bad "--on $ON: animations run on the emulated hosts of this machine only (--on lab)"
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 1000000
	[[ $RATE =~ ^[1-9][0-9]{0,2}$ ]] || exp_bad "--rate $RATE: whole frames a second, 1 to 999"
	[[ $SIZE =~ ^([0-9]{2,4})x([0-9]{2,4})$ ]] && [ "$((10#${BASH_REMATCH[1]}))" -ge 40 ] && [ "$((10#${BASH_REMATCH[2]}))" -ge 32 ] &&
		[ "$((10#${BASH_REMATCH[1]}))" -le 1024 ] && [ "$((10#${BASH_REMATCH[2]}))" -le 768 ] ||
		exp_bad "--size $SIZE: width and height in pixels from 40x32 to 1024x768, such as 100x100"
	case $CONTENT in noise | mixed | flat) ;; *) exp_bad "--content $CONTENT: noise, mixed or flat" ;; esac
	exp_list --draw "$DRAWS"
	for draw in ${DRAWS//,/ }; do case $draw in image | pixmap) ;; *) exp_bad "--draw $draw: image or pixmap" ;; esac; done
	exp_check_link
	exp_check_protocols
}

systems_json() { printf '%s\n' ${SYSTEMS[@]+"${SYSTEMS[@]}"} | jq -cRn '[inputs | select(. != "") | split(" ") | {cell: "\(.[0] | gsub(":"; "-")).\(.[1])", protocol: .[0], draw: .[1]}]'; }
absent_json() { printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"} | jq -cRn '[inputs | select(. != "") | capture("^(?<protocol>[^ ]*): (?<why>.*)$")]'; }
read_systems() { mapfile -t SYSTEMS < <(jq -r '.settings.systems[] | "\(.protocol) \(.draw)"' "$RESUME/run.json"); }

# A cell is a system and a repeat; all of a repeat come in random order.
exp_order() {
	local repeat system
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for system in "${SYSTEMS[@]}"; do
			# shellcheck disable=SC2086 # two words
			printf '%s 0 %s\n' "$(system_name $system)" "$repeat"
		done | shuffled "$((SEED * 1000 + repeat))"
	done
}
exp_cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$3"; }
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() {	# exp_words 0 CELL
	local protocol draw
	system_of "$2"
	echo "$protocol$([ "$draw" = image ] || echo ", $draw")"
}

missing_levers() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "so what the client does slows the server"
		[ "$LINK" = none ] || lab_can server shape || echo "link rate: this kernel does not shape, the link is as fast as memory"
		[ -n "$LAB_TAP_IF" ] || echo "capture: not allowed, so nothing is known of bytes"
	} | jq -R . | jq -s .
}

# Sessions ------------------------------------------------------------------------------------------------------

session_begin() {
	protocol_use "$1"
	protocol_start animation
	LAB_WHY=''
	[ -n "$PROTOCOL_DISPLAY" ] || LAB_WHY="no applications run in sessions of $1"
	[ -n "$PROTOCOL_VIEW" ] || LAB_WHY="nobody is in front of sessions of $1: no client is connected (vnc:viewer has one)"
	[ -z "$LAB_WHY" ]
}

session_end() {
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
}

# One step ------------------------------------------------------------------------------------------------------

# The server's CPU each second, on the clock that the rows of all programs have (which only differs from this one across a suspend).
cpu_row() {
	local up row
	read -r up _ </proc/uptime
	row=$(lab_cpu server) || return 0
	printf 'cpu/1\t%s0000000\t%s\n' "${up/./}" "${row// /$'\t'}" >>"$1/cpu.tsv"
}

animated_step() {	# animated_step FOLDER WARM FRAMES OPTION...: FRAMES of the animation are measured after WARM of them
	local folder=$1 warm=$2 frames=$3 show count='' tap seconds status=0 name LAB_LOG=$1
	shift 3
	mkdir -p "$folder"
	LAB_WHY=''
	seconds=$(awk -v n="$((warm + frames))" -v r="$RATE" 'BEGIN { printf "%.3f", n / r }')
	printf 'schema\ttime_ns\twall_ns\tbusy_ns\tsteal_ns\town_ns\n' >"$folder/cpu.tsv"
	lab_start -o "$folder/traffic.tsv" "${LAB_TAP[@]}" prototap "$TP_BIN/prototap" live -i "$LAB_TAP_IF" --port "$PROTOCOL_PORT" --traffic "$folder/traffic.tsv" --traffic-bin "${BIN_MS}ms" --format json
	tap=$LAB_PID
	lab_ready prototap 10 || { LAB_WHY="the capture did not start: $(tail -n 1 "$folder/prototap.err")"; lab_stop "$tap"; return 1; }
	cpu_row "$folder"
	lab_start -o "$folder/frames.tsv" server animate env DISPLAY="$PROTOCOL_DISPLAY" "$TP_BIN/animate" show --size "$SIZE" --rate "$RATE" --content "$CONTENT" -t "${seconds}s" \
		--log "$folder/frames.tsv" "$@" --format json
	show=$LAB_PID
	lab_ready animate 30 || LAB_WHY="the animation did not start: $(tail -n 1 "$folder/animate.err")"
	if [ -z "$LAB_WHY" ] && [ -n "$PROTOCOL_VIEW" ]; then
		lab_start -o "$folder/seen.tsv" client count "$TP_BIN/animate" count --display "$PROTOCOL_VIEW" --log "$folder/seen.tsv" --format json
		count=$LAB_PID
		lab_ready count 15 || LAB_WHY="no frame arrives on the display of the client: $(tail -n 1 "$folder/count.err")"
	fi
	if [ -z "$LAB_WHY" ]; then
		animated_wait "$show" "$folder" "$seconds"
		if lab_gone "$show"; then lab_wait "$show" || status=$?; else LAB_WHY="the animation does not end: the display takes no more frames"; fi
		case $status in 0) ;; 130) LAB_WHY=interrupted ;; *) LAB_WHY="the animation failed: $(grep -vx ready "$folder/animate.err" | tail -n 1)" ;; esac
	fi
	cpu_row "$folder"
	lab_stop "$show" ${count:+"$count"}
	lab_stop "$tap"
	! stopped || LAB_WHY=interrupted
	for name in animate count prototap; do
		[ ! -s "$folder/$name.out" ] || mv "$folder/$name.out" "$folder/$name.json"
		rm -f "$folder/$name.out"
		[ -s "$folder/$name.err" ] && ! printf 'ready\n' | cmp -s - "$folder/$name.err" || rm -f "$folder/$name.err"
	done
	[ -z "$LAB_WHY" ] && step_figures "$folder" "$warm" "$frames"
}

# What a capture that ended early has not counted would look as if it came from a cache.
step_figures() {	# step_figures FOLDER WARM FRAMES; 1: LAB_WHY
	local covered lost
	lost=$(jq '.result.capture.dropped // 0' "$1/prototap.json" 2>/dev/null)
	LAB_WHY="the capture lost $lost packets"
	[ "${lost:-0}" = 0 ] || return
	LAB_WHY="the step left no figures"
	window_of "$@" >"$1/step.json.new" && mv "$1/step.json.new" "$1/step.json" && covered=$(jq .covered_percent "$1/step.json") || return
	LAB_WHY="the capture knows only $covered % of the step"
	awk -v c="$covered" 'BEGIN { exit !(c >= 99) }' && LAB_WHY=''
}

# Until it has ended by itself; one that hangs is not waited for without end.
animated_wait() {	# PID FOLDER SECONDS
	local left=$((${3%.*} + 20)) i
	until lab_gone "$1" || stopped || [ "$left" -le 0 ]; do
		for i in 1 2 3 4 5; do lab_gone "$1" || nap 0.2; done
		cpu_row "$2"
		left=$((left - 1))
	done
}

# What a step took in its window: from when frame WARM was due until when the one after the last would be. Packets of bins at the window's
# ends count by the part of the bin that lies in it; CPU time is read between the two looks at it nearest to the ends.
window_of() {	# window_of FOLDER WARM FRAMES: JSON
	awk -F'\t' -v warm="$2" -v frames="$3" -v rate="$RATE" -v bin="$((BIN_MS * 1000000))" '
		FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
		file == 1 {	# frames.tsv
			n = $at["n"]
			if (n == 0) origin = $at["due_ns"] + 0
			if (n < warm || n >= warm + frames) next
			due++
			if ($at["sent_ns"] == "") next
			shown++
			if ($at["sent_ns"] - $at["due_ns"] > 1e9 / rate) late++
			next
		}
		file == 2 && !begun { begun = 1; from = origin + warm * 1e9 / rate; to = origin + (warm + frames) * 1e9 / rate }
		file == 2 {	# traffic.tsv
			low = $at["bin_start_ns"] + 0; high = low + bin
			part = ((high < to ? high : to) - (low > from ? low : from)) / bin
			if (part <= 0) next
			display += part * $at["display_wire_bytes"]; payload += part * $at["display_payload_bytes"]
			packets += part * $at["display_packets"]; input += part * $at["input_wire_bytes"]
			covered += part * bin
			next
		}
		file == 3 {	# cpu.tsv
			if ($at["time_ns"] <= from || !cpu_there) { wall0 = $at["wall_ns"]; own0 = $at["own_ns"]; cpu_there = 1 }
			if ($at["time_ns"] <= to || !cpu_end) { wall1 = $at["wall_ns"]; own1 = $at["own_ns"]; cpu_end = 1 }
			next
		}
		{	# seen.tsv
			watched = 1
			if ($at["seen_ns"] < from + 5e8 / rate && !($at["frame"] in there)) { there[$at["frame"]] = 1; before++ }
			if ($at["seen_ns"] >= from && $at["seen_ns"] < to) seen++
		}
		function whole(v) { return sprintf("%.0f", v) }
		END {
			seconds = (to - from) / 1e9
			if (seconds > 0) known = covered / seconds / 1e7
			printf "{\"seconds\": %.6f, \"from_ns\": %.0f, \"to_ns\": %.0f, \"frames_due\": %d, \"frames_shown\": %d, \"late_frames\": %d, \"frames_seen\": %s, ", seconds, from, to, due, shown, late + due - shown, watched ? seen + 0 : "null"
			if (watched) printf "\"distinct_before\": %d, ", before
			printf "\"display_wire_bytes\": %s, \"display_payload_bytes\": %s, \"display_packets\": %s, \"input_wire_bytes\": %s, \"covered_percent\": %.1f, ", whole(display), whole(payload), whole(packets), whole(input), known
			counted = watched ? seen : shown
			cpu = (wall1 > wall0) ? sprintf("%.3f", 100 * (own1 - own0) / (wall1 - wall0)) : "null"
			each = (counted > 0) ? sprintf("%.1f", display / counted) : "null"
			printf "\"cpu_percent\": %s, \"bytes_per_frame\": %s}\n", cpu, each
		}' file=1 "$1/frames.tsv" file=2 "$1/traffic.tsv" file=3 "$1/cpu.tsv" file=4 "$([ -s "$1/seen.tsv" ] && echo "$1/seen.tsv" || echo /dev/null)"	# any may be empty
}

step_number() {	# step_number FOLDER KEY
	jq -r ".$2 // empty" "$1/step.json"
}
