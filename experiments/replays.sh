# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the driver, lib.sh and the lab
# replays.sh - one recorded session, replayed at every setting of something: for cpuspeed, diskload, iosched and slowreplay.
#
# A session (data/sessions/APP.script: an application is started from the menu of a desk and worked in) is recorded once, at full speed, in the lab that
# it is replayed in, so that fonts and windows fit; RUN/session.trace. Each replay begins in the same state: a display, a desk and a home that are new,
# and, as root, nothing in the page cache that nobody has mapped. All replays are analyzed together in the end (RUN/analysis.json), since what an
# input's response is shows in what they have in common.
#
# A driver has SETTINGS (array: its cells by name; BASE among them, the one that others are held against), and
#	setting_row NAME	prints "value<tab>words": its place on the axis of the figures (a number, or empty), and what it is
#	setting_session NAME	before the session is made; 0, or LAB_WHY
#	setting_begin NAME	the session is there and nothing was done in it yet; 0, or LAB_WHY
#	setting_end NAME	after the replay: sets FACTS, JSON for the cell
#	setting_away NAME	nothing of it stays
# and, where all that the session reads is on a disk of its own (ON_DISK=1), DISK_KIND: slow or file.

APP=mousepad TRACE='' SCRIPT='' REPEATS=3 KEEP_CACHES=0 TIMEOUT_S=60 ON_DISK=0 DISK_KIND=slow LOAD_FILE_MB=256
SETTINGS=() BASE='' ABSENT=()
RATE=0 THRESHOLD_MS=150 FOREIGN_LIMIT=3 EXP_MEMORY=0 EXP_AGAIN_PART=9
setting_session() { :; }
setting_begin() { :; }
setting_end() { :; }
setting_away() { :; }
more_settings() { echo '{}'; }	# of the driver, for run.json

replays_usage() {	# the options that all of them have
	cat <<END
  --app A           what is worked in: mousepad, or writer (LibreOffice; thinprobe setup --app writer) ($APP)
  --trace FILE      replay this trace (vncplay record), recorded on a desk like ours, instead of recording one
  --script FILE     record this script (vncplay record --script) instead of ours
  --repeat R        replays at each setting, interleaved in random order ($REPEATS)
  --timeout S       a replay is given up when the screen is not as it was recorded for so long ($TIMEOUT_S)
  --keep-caches     leave in memory what the last replay has read (as root it is dropped before each)
  --quick           a short session, each setting once: a first idea
  --seed N          of the random order ($SEED)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

# replays_options FLAGS VALUES WORD...: FLAGS and VALUES of the driver besides. It has a function check_options.
replays_options() {
	local flags=$1 values=$2
	shift 2
	exp_parse "--quick QUICK --keep-caches KEEP_CACHES $flags" "--app APP --trace TRACE --script SCRIPT --repeat REPEATS --timeout TIMEOUT_S --seed SEED $values" "$@"
	TIMEOUT_S=${TIMEOUT_S%s}
	[ "$QUICK" = 0 ] || exp_given --repeat || REPEATS=1
	[ "$QUICK" = 0 ] || EXP_AGAIN_PART=0	# a first idea: none is measured again
	exp_resume
	case $APP in mousepad | writer) ;; *) exp_bad "--app $APP: mousepad or writer" ;; esac
	[ -z "$TRACE" ] || [ -f "$TRACE" ] || exp_bad "--trace $TRACE: no such file"
	[ -z "$SCRIPT" ] || [ -f "$SCRIPT" ] || exp_bad "--script $SCRIPT: no such file"
	[ -z "$SCRIPT" ] || [ -z "$TRACE" ] || exp_bad "--script with --trace: one of them"
	[ -z "$TRACE" ] || TRACE=$(realpath -- "$TRACE")
	[ -z "$SCRIPT" ] || SCRIPT=$(realpath -- "$SCRIPT")
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --timeout "$TIMEOUT_S" 1 86400
	exp_number --seed "$SEED" 0 2000000
	check_options
	[ "$EXP_ONLY" = 0 ] || exit 0
}

rows_json() {
	local name
	[ "${#SETTINGS[@]}" -gt 0 ] || { echo '[]'; return; }
	for name in "${SETTINGS[@]}"; do printf '%s\t%s\n' "$name" "$(setting_row "$name")"; done |
		jq -cRn '[inputs | split("\t") | {setting: .[0], value: (.[1] | tonumber? // null), says: .[2]}]'
}

exp_settings() {
	jq -cn --arg app "$APP" --arg trace "$TRACE" --arg script "$SCRIPT" --argjson repeats "$REPEATS" --argjson timeout "$TIMEOUT_S" --argjson keep "$KEEP_CACHES" --argjson seed "$SEED" --argjson quick "$QUICK" \
		--arg base "$BASE" --argjson rows "$(rows_json)" --argjson threshold "$THRESHOLD_MS" --argjson more "$(more_settings)" '
		{protocol: "vnc", app: $app, trace: (if $trace == "" then null else $trace end), script: (if $script == "" then null else $script end), rows: $rows, base: $base, repeats: $repeats, timeout_s: $timeout, keep_caches: ($keep == 1),
		seed: $seed, quick: ($quick == 1), threshold_ms: $threshold, on: "lab"} + $more'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "APP=\(.app) TRACE=\(.trace // "") SCRIPT=\(.script // "") REPEATS=\(.repeats | tostring) TIMEOUT_S=\(.timeout_s | tostring) KEEP_CACHES=\(if .keep_caches then 1 else 0 end | tostring)
		SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end) BASE=\(.base)"' "$RESUME/run.json")"
	[ ! -f "$RESUME/session.trace" ] || TRACE='' SCRIPT=''	# it is there
	mapfile -t SETTINGS < <(jq -r '.settings.rows[].setting' "$RESUME/run.json")
	read_more_settings
}
read_more_settings() { :; }

# Cells: cells/SETTING/REPEAT -------------------------------------------------------------------------------------

exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		printf '%s\n' "${SETTINGS[@]}" | shuffled "$((SEED * 1000 + repeat))" | while read -r name; do echo "$name 0 $repeat"; done
	done
}
exp_cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$3"; }
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() { setting_row "$2" | cut -f2; }

exp_cell() {	# exp_cell SETTING 0 REPEAT FOLDER
	local reason='' before='' after='' FACTS='{}' LAB_LOG=$4/log disk='' cached='' folder=$4
	mkdir -p "$LAB_LOG"
	if session_make "$1"; then
		caches_drop
		cached=$CACHES
		if setting_begin "$1"; then
			[ "$ON_DISK" = 0 ] || disk=$(lab_disk_counts)
			before=$(lab_cpu server)
			replay_play "$4" || reason=$LAB_WHY
			after=$(lab_cpu server)
			[ "$ON_DISK" = 0 ] || disk+=" $(lab_disk_counts)"
		else
			reason="the setting could not be made: $LAB_WHY"
		fi
		setting_end "$1"
	else
		reason="the session could not be made: $LAB_WHY"
	fi
	session_end
	setting_away "$1"
	! stopped || reason=interrupted
	write_cell "$1" "$3" "$4" "$reason" "$before" "$after"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

write_cell() {	# write_cell SETTING REPEAT FOLDER REASON BEFORE AFTER
	local foreign=null steal=null busy=null marked=''
	if [ -n "$6" ]; then
		read -r foreign steal busy < <(exp_shares "$5" "$6" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		# The work of the disk is the lab's own, though no process of the server does it: what is foreign cannot be told from it.
		if [ "$ON_DISK" = 1 ]; then foreign=null marked=$(exp_disturbed 0 "$steal"); else marked=$(exp_disturbed "$foreign" "$steal"); fi
	fi
	jq -n --arg setting "$1" --argjson repeat "$2" --arg reason "$4" --argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" --arg marked "$marked" \
		--argjson facts "${FACTS:-null}" --arg disk "$disk" --arg caches "$cached" --slurpfile play <(cat "$3/play.json" 2>/dev/null || echo '{}') '
		{schema: "thinprobe.cell/1", parameters: {setting: $setting}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		log: "cells/\($setting)/\($repeat)/replay.rfb", play: ($play[0].result.runs[0] // null), caches: $caches, facts: $facts,
		disk: ($disk | if . == "" then null else split(" ") | map(tonumber) | {reads: (.[4] - .[0]), read_bytes: (.[5] - .[1]), writes: (.[6] - .[2]), written_bytes: (.[7] - .[3])} end),
		foreign_percent: $foreign, steal_percent: $steal, server_busy_percent: $busy, marked: $marked}' | put_json "$3/cell.json"
}

# The session -----------------------------------------------------------------------------------------------------

session_make() {	# session_make SETTING: the setting, a display and a desk, all new. 1: LAB_WHY
	setting_session "$1" || return
	LAB_WHY="the display did not start"
	protocol_start replay
	app_start "$PROTOCOL_DISPLAY"
}

session_end() {
	# shellcheck disable=SC2086 # words
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
	[ "$ON_DISK" = 0 ] || [ -z "$LAB_DISK" ] || lab_exec -R server rm -rf "$LAB_DISK/desk"
}

# What is in memory and nobody has mapped goes. It is the machine's memory: only root may.
caches_drop() {
	CACHES=kept
	[ "$KEEP_CACHES" = 0 ] || return 0
	sync
	{ echo 3 >/proc/sys/vm/drop_caches; } 2>/dev/null && CACHES=dropped
}

session_server() { printf '%s::%s' "$LAB_ADDR_server" "$PROTOCOL_PORT"; }

# The short session is the first part of the script.
session_script() { if [ -n "$SCRIPT" ]; then cat -- "$SCRIPT"; elif [ "$QUICK" = 1 ]; then sed '/^# --quick ends here/q' "$TP_HOME/data/sessions/$APP.script"; else cat "$TP_HOME/data/sessions/$APP.script"; fi; }

# Once, before the first cell, at full speed: recorded, or the trace that was given is replayed to see that it fits. Where the session is to be on a disk of its
# own, what it has read from the system meanwhile is on it from then on.
session_first() {
	local LAB_LOG=$RUN/log status=0
	if [ ! -f "$RUN/session.trace" ] || [ "$ON_DISK" = 1 ]; then
		DESK_FOLDER=/tmp/desk
		exp_step "$([ -f "$RUN/session.trace" ] && echo "the session once, to see what it reads" || echo "recording the session")"
		protocol_start record && app_start "$PROTOCOL_DISPLAY" || die "no session: $LAB_WHY"
		caches_drop
		[ -z "$TRACE" ] || cp -- "$TRACE" "$RUN/session.trace" || die "cannot read $TRACE"
		if [ -f "$RUN/session.trace" ]; then
			replay_play "$RUN/log" || die "the trace does not fit this session: $LAB_WHY; see $RUN/log"
		else
			session_script >"$RUN/session.script"
			lab_start -o "$RUN/session.new" client record "$TP_BIN/vncplay" record --headless --script "$RUN/session.script" "$(session_server)" "$RUN/session.new"
			lab_wait "$LAB_PID" || status=$?
			[ "$status" = 0 ] || die "the session could not be recorded: $(tail -n 1 "$LAB_LOG/record.err")"
			mv "$RUN/session.new" "$RUN/session.trace"
		fi
		[ "$ON_DISK" = 0 ] || disk_fill
		session_end
	fi
}

# 0, or LAB_WHY: what is not complete is no figure.
replay_play() {	# replay_play FOLDER
	local status=0
	lab_start -o "$1/replay.rfb" -o "$1/replay.rfb.aux" -o "$1/play.json" client play "$TP_BIN/vncplay" play "$(session_server)" "$RUN/session.trace" "$1/replay.rfb" \
		--timeout "${TIMEOUT_S}s" --wait-end 2s --format json -o "$1/play.json"
	lab_wait "$LAB_PID" || status=$?
	[ "$status" != 0 ] || return 0
	LAB_WHY=$(grep -vx ready "$LAB_LOG/play.err" | tail -n 1)
	[ "$status" != 130 ] || LAB_WHY=interrupted
	: "${LAB_WHY:=the replay ended with status $status}"
	return 1
}

# A disk of its own ------------------------------------------------------------------------------------------------

# What the session has read of /usr is in memory now, and nothing else of the system is (but what runs on the machine besides): these files are
# copied onto the disk, and stand in the server's /usr in front of its own. Nobody else has these copies in memory.
disk_fill() {
	local list=$RUN/log/files bytes
	find /usr -xdev -type f -print0 | xargs -0 fincore --noheadings --bytes --raw --output RES,SIZE,FILE 2>/dev/null | awk '$1 > 0 { bytes += $2; sub(/^[0-9]+ [0-9]+ /, ""); print substr($0, 2) } END { print bytes + 0 >"/dev/stderr" }' >"$list" 2>"$list.bytes"
	read -r bytes <"$list.bytes"
	[ -s "$list" ] || die "what the session reads is not known: fincore tells of no file"
	lab_disk "$DISK_KIND" "$(((bytes + bytes / 3) / 1048576 + LOAD_FILE_MB + 128))M" /tmp/disk || die "no disk for the session: $LAB_WHY"
	tar -C / -cf - --files-from "$list" 2>"$RUN/log/disk.err" | lab_exec -R server tar -C "$LAB_DISK" -xf - 2>>"$RUN/log/disk.err" || die "the disk cannot be filled: $(tail -n 1 "$RUN/log/disk.err")"
	# what the load reads: written, or there would be nothing to read
	lab_exec -R server dd if=/dev/urandom of="$LAB_DISK/load" bs=1M count="$LOAD_FILE_MB" conv=fsync status=none </dev/null || die "the disk cannot be filled"
	lab_exec -R server mount -t overlay desk -o "lowerdir=$LAB_DISK/usr:/usr" /usr </dev/null 2>"$RUN/log/disk.err" ||
		die "-$EXIT_MISSING" "the files on the disk cannot stand in front of the system's: $(tail -n 1 "$RUN/log/disk.err") (overlayfs)"
	rm -f "$list.bytes" "$RUN/log/disk.err"
	DESK_FOLDER=$LAB_DISK/desk
	run_set '.disk = {kind: $kind, backing: $backing, files: $files, files_bytes: $bytes, schedulers: ($schedulers | split(" ") | map(select(. != "")))}' --arg kind "$DISK_KIND" --arg backing "$LAB_DISK_BACKING" \
		--argjson files "$(wc -l <"$list")" --argjson bytes "$bytes" --arg schedulers "$(lab_disk_schedulers)"
}

# The load: fio's reads of 32 KB at random places, past the page cache; on the client's CPU, so that it takes none of the server's.
fio_begin() {	# fio_begin FOLDER WORD...: 0, or LAB_WHY
	local reads _
	read -r reads _ < <(lab_disk_counts)
	lab_start -R -o "$1/fio.json" server fio taskset -c "$LAB_CPUS_client" fio --name=load --filename="$LAB_DISK/load" --readonly --direct=1 --rw=randread --bs=32k --ioengine=libaio \
		--time_based --runtime=86400 --randrepeat=0 --group_reporting --output-format=json --output="$1/fio.json" "${@:2}"
	FIO=$LAB_PID
	wait_until 30 fio_reads "$reads" && ! lab_gone "$FIO" && return
	LAB_WHY="fio does not read: $(tail -n 1 "$LAB_LOG/fio.err")"
	return 1
}
fio_reads() {	# 5 more than BEFORE
	local reads _
	! lab_gone "$FIO" || return 0
	read -r reads _ < <(lab_disk_counts)
	[ "$reads" -ge $(($1 + 5)) ]
}
FIO=''
fio_end() {	# fio_end FOLDER: sets FACTS
	[ -n "$FIO" ] || return 0
	lab_stop "$FIO"
	FIO=''
	# it says first that it was told to stop
	FACTS=$(sed -n '/^{/,$p' "$1/fio.json" 2>/dev/null | jq -ce '.jobs[0].read | {load_reads_per_s: .iops, load_reads: .total_ios, load_read_p50_ms: ((.clat_ns.percentile["50.000000"] // null) | if . then . / 1e6 else null end), load_short: .short_ios}' 2>/dev/null) || FACTS='{}'
}

# The speed that was asked for, as long as a replay lasts: else nobody's time is to be taken.
disk_slow() { [[ $DISK != slow:* ]] || lab_disk_delay "${DISK#slow:}"; }
disk_fast() { [ "$DISK_KIND" != slow ] || lab_disk_delay 0; }
check_disk() {
	[[ $DISK =~ ^(file|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] || exp_bad "--disk $DISK: slow:TIME such as slow:4ms, or file"
	DISK_KIND=${DISK%%:*}
}
need_fio() { lab_need server fio fio; }

disk_can() {
	[ "$EUID" = 0 ] || die "-$EXIT_MISSING" "a disk of its own for the session needs root"
	lab_need server fincore util-linux
	lab_can server disk || die "-$EXIT_MISSING" "a disk of its own for the session cannot be had: $LAB_WHY"
}

# The run ----------------------------------------------------------------------------------------------------------

# replays_run: after the options. Drivers have choose_settings: what this machine gives, into SETTINGS and ABSENT (the lab is up).
replays_run() {
	local why absent
	exp_folder
	export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=none LAB_DELAY=''
	LINK=none APP_DESK=$APP
	[ -z "$TRACE" ] || LAB_KEEP=("$TRACE")
	lab_use local
	exp_step "two hosts"
	lab_up
	protocol_use vnc
	why=$(protocol_can) || die "-$EXIT_MISSING" "vnc cannot run here: $why"
	app_use desk
	why=$(app_can) || die "-$EXIT_MISSING" "$why"
	[ "$ON_DISK" = 0 ] || disk_can
	[ "$KEEP_CACHES" = 1 ] || [ -w /proc/sys/vm/drop_caches ] || ABSENT+=("caches dropped before each replay: only root may")
	[ -n "$RESUME" ] || choose_settings
	absent=$(printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"} | jq -cR 'select(. != "")' | jq -cs .)
	exp_circumstances "$(lab_facts)" "$(protocol_settings)" "$(exp_lab "$absent")"
	run_set '.settings.rows = $rows' --argjson rows "$(rows_json)"
	[ ! -t 1 ] || printf '\r\033[K'
	echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, $(jq -r '.protocol | .says // .server' "$RUN/run.json"); $APP, ${#SETTINGS[@]} settings, $REPEATS replays of each"
	jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
	session_first
	[ ! -t 1 ] || printf '\r\033[K'
	exp_cells_run
	[ "$ON_DISK" = 0 ] || lab_disk_off || warn "$LAB_WHY"
	run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
	lab_down
	replays_analyze
	exp_end
}

# What the inputs of the session are, for who reads of them: {"7": "ctrl+alt+t"}, by their number.
input_names() {
	awk '$2 ~ /^(move|press|release|keydown|keyup)$/ {
		name = $4
		modifier = name ~ /^(Control|Alt|Shift|Super|Meta)_[LR]$/ ? tolower(substr(name, 1, index(name, "_") - 1)) : ""
		sub(/^control$/, "ctrl", modifier)
		if ($2 == "press") printf "%d\tbutton %s at %s,%s\n", n, $3, $4, $5
		if ($2 == "keydown" && modifier == "") printf "%d\t%s%s\n", n, held, name == "" ? $3 : name
		if ($2 == "keydown" && modifier != "") held = held modifier "+"
		if ($2 == "keyup" && modifier != "") { at = index(held, modifier "+"); if (at) held = substr(held, 1, at - 1) substr(held, at + length(modifier) + 1) }
		n++ }' "$RUN/session.trace" 2>/dev/null | jq -cRn '[inputs | split("\t") | {key: .[0], value: .[1]}] | from_entries'
}

# All complete replays together.
replays_analyze() {
	local files=() app load repeat why folder
	while read -r app load repeat; do
		folder=$(exp_cell_folder "$app" "$load" "$repeat")
		! exp_complete "$folder" || files+=("${folder#"$RUN"/}/replay.rfb")
	done < <(exp_order | sort -k3,3n -k1,1)
	[ "${#files[@]}" -gt 0 ] || return 0
	run_set '.inputs = $names' --argjson names "$(input_names)"
	exp_step "analyzing ${#files[@]} replays"
	(cd "$RUN" && "$TP_BIN/vncplay" analyze --format json -o analysis.json "${files[@]}") >"$RUN/log/analyze.out" 2>"$RUN/log/analyze.err" || {
		why=$(tail -n 1 "$RUN/log/analyze.err")
		run_set '.analysis_failed = $why' --arg why "${why:-vncplay analyze gave no reason}"
	}
	[ ! -t 1 ] || printf '\r\033[K'
}
