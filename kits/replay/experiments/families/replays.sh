# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# replays.sh - one recorded session, replayed at every setting of something (the axis `setting`).
#
# A session (data/sessions/APP.script: an application is started from the menu of a desk and worked in) is recorded once, at
# full speed, in the lab that it is replayed in, so that fonts and windows fit: RUN/session.trace. Each replay begins in the
# same state: a new display, desk and home, and, as root, a page cache without what nobody has mapped. All replays are analyzed
# together in the end (RUN/analysis.json), since what an input's response is shows in what they have in common. The first
# setting is the base, against which the others are held.
#
# An experiment has setting_row and other hooks (docs/experiment-hooks.md), and ON_DISK=1 where all that the session reads is on a
# disk of its own.
. "$TP_HOME/experiments/families/disk.sh"
PROTOCOL=vnc ON_DISK=0
FRAMES_PER_S=1000	# of the display server; with its usual 60, the wait for a frame would be most of a fast response
PROTOCOL_OPTIONS=()
setting_check() { :; }
setting_can() { :; }
setting_session() { :; }
setting_begin() { :; }
setting_end() { :; }
setting_away() { :; }

check_paper() {
	local name
	for name in scale differ join; do
		[ "$METHOD" = paper ] || ! plan_given "$name" || exp_bad "--$name needs --method paper"
	done
}
exp_check() {
	APP_DESK=$APP
	setting_check
	check_disk
	[ -z "$RESUME" ] || FRAMES_PER_S=$(jq '.protocol.frame_rate_per_s // '"$FRAMES_PER_S" "$RESUME/run.json")
	: "${VNC_FRAME_RATE:=$FRAMES_PER_S}"
	if [ -n "$RESUME" ] && [ -f "$RESUME/session.trace" ]; then TRACE='' SCRIPT=''; fi
	[[ $EXP_SWEEP != @(plan|blind) ]] || [ -n "$TRACE" ] || exp_bad "a sweep measures its cells apart, and all must replay one" \
		"session: give it the session.trace of a run (trace FILE)"
	[ -z "$TRACE" ] || plan_file --trace "$TRACE"
	[ -z "$SCRIPT" ] || plan_file --script "$SCRIPT"
	[ -z "$SCRIPT" ] || [ -z "$TRACE" ] || exp_bad "--script with --trace: choose one"
	[ -z "$TRACE" ] || ! plan_given snapshot-size || exp_bad "--snapshot-size with --trace: the trace already sets it; omit it"
	check_paper
	[ -z "$SCRIPT" ] || SCRIPT=$(realpath -- "$SCRIPT")
	[ -z "$TRACE" ] || { TRACE=$(realpath -- "$TRACE"); LAB_KEEP=("$TRACE"); }
}

exp_settings() { settings_of_rows; }
settings_of_rows() {
	local name
	for name in "${CELLS[@]}"; do printf '%s\t%s\n' "$name" "$(setting_row "$name")"; done | jq -cRn '
		[inputs | split("\t") | {setting: .[0], value: (.[1] | tonumber? // null), says: .[2]}] | {rows: ., base: .[0].setting}'
}

exp_words() { setting_row "${P[setting]}" | cut -f2; }
exp_begin() {
	local why
	RUN_SAYS="; $APP, ${#CELLS[@]} settings, $REPEATS replay$([ "$REPEATS" = 1 ] || echo s) of each"
	app_use desk
	why=$(app_can) || die "-$EXIT_MISSING" "$why"
	if [ "$ON_DISK" = 1 ] && ! disk_is_own; then
		[ "$(lab_query server id -u)" = 0 ] ||
			die "-$EXIT_MISSING" "a disk of its own for the session needs root${LAB_AT_server-}${DISK_CURE-}"
		must lab_need server fincore util-linux
		lab_disk_can || die "-$EXIT_MISSING" "cannot make an emulated disk for the session: $LAB_WHY"
	fi
	[ "$KEEP_CACHES" = 1 ] || lab_query server test -w /proc/sys/vm/drop_caches ||
		ABSENT+=("caches dropped before each replay: only root may")
	[ "$ON_DISK" = 0 ] || exp_served
	setting_can
}

exp_before_cells() { session_first; }
exp_end_lab() { disk_away || warn "$LAB_WHY"; }

exp_run() {	# exp_run FOLDER REPEAT
	local status=0 counts=() FACTS='{}' CACHES='' disk=null play why
	session_make "${P[setting]}" "$2" || { LAB_WHY="the session could not be made: $LAB_WHY"; return 1; }
	caches_drop
	if setting_begin "${P[setting]}" "$1"; then
		[ "$ON_DISK" = 0 ] || read -ra counts < <(lab_disk_counts)
		cpu_begin
		replay_play "$1" || status=1
		cpu_end
		[ "$ON_DISK" = 0 ] || read -ra counts <<<"${counts[*]} $(lab_disk_counts)"
	else
		LAB_WHY="the setting could not be made: $LAB_WHY" status=1
	fi
	setting_end "${P[setting]}" "$1"
	why=$LAB_WHY
	[ "$ON_DISK" = 0 ] || disk_fast	# who still waits for it would not end before
	LAB_WHY=$why
	[ "${#counts[@]}" = 0 ] || disk=$(json_object reads $((counts[4] - counts[0])) read_bytes $((counts[5] - counts[1])) \
		writes $((counts[6] - counts[2])) written_bytes $((counts[7] - counts[3])))
	play=$(jq -c '.result.runs[0]' "$1/play.json" 2>/dev/null)
	CELL_MORE=$(json_object log "cells/$CELL/$2/replay.rfb" play "${play:-null}" caches "$CACHES" facts "${FACTS:-null}" disk \
		"$disk")
	return "$status"
}
exp_stop() {
	session_end
	setting_away
	return 0
}
# The session -----------------------------------------------------------------------------------------------------

session_make() {	# session_make SETTING: the setting, a display and a desk, all new. 1: LAB_WHY
	setting_session "$1" || return
	protocol_start replay && app_start "$PROTOCOL_DISPLAY"
}

session_end() {
	local pid all=()
	for pid in "${LAB_PIDS[@]}"; do [ "$pid" = "${LAB_DISK_KEEPER-}" ] || all+=("$pid"); done
	lab_stop "${all[@]}"
	protocol_stop
	[ "$ON_DISK" = 0 ] || [ -z "$LAB_DISK" ] || lab_exec -R server rm -rf "$LAB_DISK/desk"
}

# Once, before the first cell, at full speed: it is recorded, or the trace that was given is replayed to see that it fits. Where
# the session is to be on a disk of its own, what it has read from the system meanwhile is on it from then on.
session_first() {
	local LAB_LOG=$RUN/log CACHES short=''
	[ ! -f "$RUN/session.trace" ] || [ "$ON_DISK" = 1 ] || return 0
	DESK_FOLDER=$LAB_TMP/desk
	exp_step "$([ -f "$RUN/session.trace" ] && echo "replays the session once, to see what it reads" ||
		echo "records the session")"
	protocol_start record && app_start "$PROTOCOL_DISPLAY" || die "no session: $LAB_WHY"
	caches_drop
	[ -z "$TRACE" ] || cp -- "$TRACE" "$RUN/session.trace" || die "cannot read $TRACE"
	if [ -f "$RUN/session.trace" ]; then
		replay_play "$RUN/log" || die "cannot replay the trace in this session: $LAB_WHY; see $RUN/log"
	else
		# The short session is the first part of the script.
		[ -n "$SCRIPT" ] || [ "$QUICK" = 0 ] || short='/^# --quick ends here/q'
		sed "$short" -- "${SCRIPT:-$TP_HOME/kits/replay/data/sessions/$APP.script}" >"$RUN/session.script"
		lab_put client "$RUN/session.script" "$RUN/session.script"
		lab_start -o "$RUN/session.new" client record "$TP_BIN/vncplay" record "${PROTOCOL_OPTIONS[@]}" --headless \
			--script "$RUN/session.script" --snapshot-size "$SNAPSHOT_SIZE" "$(lab_url server)::$PROTOCOL_PORT" \
				"$RUN/session.new"
		lab_wait "$LAB_PID" || die "cannot record the session: $(last_word record)"
		mv "$RUN/session.new" "$RUN/session.trace"
	fi
	[ "$ON_DISK" = 0 ] || disk_fill || die "-$EXIT_MISSING" "no disk for the session: $LAB_WHY"
	session_end
	[ ! -t 1 ] || printf '\r\033[K'
}

# 0, or LAB_WHY: an incomplete replay has no figures.
replay_play() {	# replay_play FOLDER
	local status
	lab_put client "$RUN/session.trace" "$RUN/session.trace"
	lab_start -o "$1/replay.rfb" -o "$1/replay.rfb.aux" -o "$1/play.json" client play "$TP_BIN/vncplay" play \
		"${PROTOCOL_OPTIONS[@]}" \
		"${PLAY_SERVER-$(lab_url server)::$PROTOCOL_PORT}" "$RUN/session.trace" "$1/replay.rfb" \
		--timeout "${TIMEOUT_S}s" --connect "$(LC_ALL=C awk -v t="$TIMEOUT_S" 'BEGIN { print t < 10 ? 10 : t < 600 ? t : 600 }')s" \
		--wait-end 2s \
		--tolerance "$TOLERANCE" --mismatch "$MISMATCH" --settle "${SETTLE_MS}ms" --format json -o "$1/play.json"
	lab_wait "$LAB_PID" && return
	status=$?
	LAB_WHY=$(last_word play)
	[ "$status" != 130 ] || LAB_WHY=interrupted
	: "${LAB_WHY:=the replay ended with status $status}"
	return 1
}

# The analysis ------------------------------------------------------------------------------------------------------

# What the inputs of the session are, by their number: {"7": "ctrl+alt+t"}. (The paper's method counts no moves, and may find the
# response to a release.)
input_names() {
	awk -v method="$METHOD" '$2 ~ /^(move|press|release|keydown|keyup)$/ {
		name = $4
		modifier = name ~ /^(Control|Alt|Shift|Super|Meta)_[LR]$/ ? tolower(substr(name, 1, index(name, "_") - 1)) : ""
		sub(/^control$/, "ctrl", modifier)
		if (method == "paper" && $2 == "move") next
		if (method == "paper" && $2 == "release") printf "%d\trelease of button %s at %s,%s\n", n, $3, $4, $5
		if (method == "paper" && $2 == "keyup") printf "%d\trelease of %s\n", n, name == "" ? $3 : name
		if ($2 == "press") printf "%d\tbutton %s at %s,%s\n", n, $3, $4, $5
		if ($2 == "keydown" && modifier == "") printf "%d\t%s%s\n", n, held, name == "" ? $3 : name
		if ($2 == "keydown" && modifier != "") held = held modifier "+"
		if ($2 == "keyup" && modifier != "") {
			at = index(held, modifier "+")
			if (at) held = substr(held, 1, at - 1) substr(held, at + length(modifier) + 1)
		}
		n++ }' "$RUN/session.trace" 2>/dev/null | jq -cRn '[inputs | split("\t") | {key: .[0], value: .[1]}] | from_entries'
}

# All complete replays together.
exp_summed() { replays_analyze; }
replays_analyze() {
	local files=() file labels='' why words=(--method "$METHOD")
	while read -r file; do
		cell_complete "$RUN/${file%/*}" || continue
		files+=("$file")
		file=${file#cells/}
		labels+=,${file%%/*}	# replays of one cell are of one setting
	done < <(cd "$RUN" && printf '%s\n' cells/*/*[0-9]/replay.rfb | sort -t / -k 3,3n -k 2,2)
	[ "${#files[@]}" -gt 0 ] || return 0
	[ -f "$RUN/session.trace" ] || cp -- "$TRACE" "$RUN/session.trace"	# (of a sweep)
	run_set '.inputs = $names | del(.analysis_failed, .analysis_unsure)' --argjson names "$(input_names)"
	[ "$METHOD" != paper ] || words+=(--scale "$SCALE" --differ "$DIFFER" --join "${JOIN_MS}ms")
	words+=(--labels "${labels#,}")
	exp_step "analyzing ${#files[@]} replays"
	rm -f "$RUN/analysis.json"	# (of an earlier one)
	(cd "$RUN" && "$TP_BIN/vncplay" analyze "${words[@]}" --format json -o analysis.json "${files[@]}") \
		>"$RUN/log/analyze.out" \
		2>"$RUN/log/analyze.err" || {
		[ "$?" = 3 ] && why=analysis_unsure || why=analysis_failed	# 3: what it found is not to be used
		run_set '.[$name] = $why' --arg name "$why" --arg why "$(
			jq -er '.result.why_unusable | strings' "$RUN/analysis.json" 2>/dev/null ||
				tail -n 1 "$RUN/log/analyze.err" | grep . || echo "vncplay analyze gave no reason")"
	}
	[ -n "$PROTOCOL" ] || run_set '.frame_ms = $ms' --argjson ms "$(jq -c '[.result.runs[] | select(.frame_ms).frame_ms]
		| if . == [] then null else sort | .[length / 2 | floor] end' "$RUN/analysis.json" 2>/dev/null || echo null)"
	[ ! -t 1 ] || printf '\r\033[K'
}
