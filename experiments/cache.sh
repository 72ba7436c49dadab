#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, Figures 6 and 7: network load by frames of a looping animation, hits and CPU of one that overflows the cache
# minutes: 45 (--quick: 4)
# needs: two CPUs, a display protocol; the right to capture
# wrong if: a linear scan over the frame counts does not jump where the bisection says; a random order tells another size than the cliff
#
# In one session for each cell: what a frame costs that is new, and one of a loop of two. If the second costs much less, there is a cache, and
# the longest loop whose frames still hit is bisected. Beyond it a loop, a random order and one with hot frames tell which frames are given up.
# Every step has pictures of its own. How a share of hits is told from bytes, and a policy from shares: docs/animation.md.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, animated.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=cache
EXPERIMENT_SAYS="How many frames of a looping animation does each protocol remember, and which does it forget?"
RATE=20 FOREIGN_LIMIT=20	# what is counted are bytes and frames, which others slow down only when they have much of the CPU
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/animated.sh"
PROTOCOL_LIST='' DRAWS=image,pixmap SIZE=100x100 CONTENT=mixed FIRST=100 MOST=800 REPEATS=1 BIN_MS=20 SCAN='' EXP_AGAIN_PART=0
SYSTEMS=()	# "PROTOCOL DRAW", in the order of the report
ABSENT=()	# "PROTOCOL: why it cannot run here"

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--draw D,...] [--most N] [--scan STEP] [--size WxH] [--rate R] [--content C]
         [--repeat R] [--quick] [--seed N] [--link RATE[,DELAY...]] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols (all that can run here; of VNC the viewer)
  --draw D,...      how the application draws: image, every frame is sent to its display each time; pixmap, once, and copied there
                    (image for all, pixmap for x11)
  --most N          the longest loop that is tried ($MOST; with --quick 100)
  --scan STEP       also measure every STEP-th loop from 25 to 100 frames, and each near the cliff: a linear scan beside the bisection
  --size WxH        of a frame in pixels ($SIZE)
  --rate R          frames a second; some protocols show no more than 25 ($RATE)
  --content C       what a frame shows: noise, mixed (half a byte of chance a pixel) or flat ($CONTENT)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           loops of up to 100 frames, of a few protocols: a first idea
  --seed N          of the pictures and the random orders ($SEED)
  --link RATE,DELAY,JITTER,LOSS  the emulated link, or none ($LINK)
  --queue TIME      how long a packet may wait for the link's rate (50ms)
$(exp_usage_memory)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

cache_options() {
	exp_parse "--quick QUICK" "--protocol PROTOCOL_LIST --draw DRAWS --most MOST --scan SCAN --size SIZE --rate RATE --content CONTENT --repeat REPEATS --seed SEED
		--link LINK --queue QUEUE --on ON" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --most || MOST=100
		EXP_PROTOCOLS='vnc:viewer x11 rdp:cache nx spice'
	fi
	exp_resume
	exp_number --most "$MOST" 4 5000
	[ -z "$SCAN" ] || exp_number --scan "$SCAN" 1 75
	[ "$MOST" -ge "$FIRST" ] || FIRST=$MOST
	animated_check
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	jq -cn --arg protocols "$PROTOCOL_LIST" --argjson systems "$(systems_json)" --argjson absent "$(absent_json)" --arg size "$SIZE" --argjson rate "$RATE" --arg content "$CONTENT" \
		--argjson most "$MOST" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson quick "$QUICK" --arg scan "$SCAN" --argjson bin "$BIN_MS" --arg link "$LINK" --arg queue "$QUEUE" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), systems: $systems, absent: $absent, size: $size, rate_per_s: $rate, content: $content, most: $most,
		scan: (if $scan == "" then null else ($scan | tonumber) end), repeats: $repeats, seed: $seed, quick: ($quick == 1), bin_ms: $bin, link: $link, queue: $queue, on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) SIZE=\(.size) RATE=\(.rate_per_s | tostring) CONTENT=\(.content) MOST=\(.most | tostring)
		SCAN=\(.scan // "" | tostring) REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end) LINK=\(.link)"' "$RESUME/run.json")"
	read_systems
}

exp_cell() {	# exp_cell CELL 0 REPEAT FOLDER
	local folder=$4 protocol draw reason='' before='' after='' LAB_LOG=$4/log LOW='' HIGH='' STEPS=0 MISS='' HIT=''
	local seed=$((SEED * 100000 + $3 * 1000))
	system_of "$1"
	mkdir -p "$LAB_LOG"
	: >"$folder/points.ndjson"
	if session_begin "$protocol"; then
		before=$(lab_cpu server)
		measure || reason=$LAB_WHY
		after=$(lab_cpu server)
	else
		reason="the session could not be made: $LAB_WHY"
	fi
	session_end
	! stopped || reason=interrupted
	write_cell "$3" "$reason" "$before" "$after"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

# point NAME ORDER FRAMES HOT WARM COUNT: one step. Sets BYTES, of a frame. A loop of which a frame never arrived before it is measured has not
# been stored whole: it is shown again, twice at most.
point() {
	local step how=(--order "$2") try
	[ "$2" = fresh ] || how+=(--frames "$3" --draw "$draw")
	[ "$2" != hot ] || how+=(--hot "$4")
	for try in 1 2 3; do
		STEPS=$((STEPS + 1))
		step=$(printf '%02d-%s' "$STEPS" "$1-$3")
		exp_step "$(exp_words 0 "$(system_name "$protocol" "$draw")"): $1, $3 frames"
		animated_step "$folder/$step" "$5" "$6" "${how[@]}" --seed "$((seed + STEPS))" || return
		[ "$2" = loop ] && [ "$(step_number "$folder/$step" distinct_before)" -lt "$3" ] || break
	done
	BYTES=$(step_number "$folder/$step" bytes_per_frame)
	[ -n "$BYTES" ] || { LAB_WHY="no frame came by in step $step"; return 1; }
	jq -c --arg name "$1" --arg order "$2" --argjson frames "$3" --argjson hot "$4" --argjson warm "$5" --argjson count "$6" --argjson seed "$((seed + STEPS))" --arg step "$step" \
		--slurpfile a "$folder/$step/animate.json" '{name: $name, order: $order, frames: $frames, hot: $hot, warm: $warm, count: $count, seed: $seed, step: $step} + . +
		{frame_bytes: $a[0].result.frame_bytes, information_bytes: $a[0].result.information_bytes}' "$folder/$step/step.json" >>"$folder/points.ndjson"
}

# loop NAME FRAMES: after a round that stores the frames (and a second, until somebody looks), whole rounds of two seconds at least; of a long one four seconds, of which any part
# tells as much. 0: most of them hit; 1: they do not; 2: LAB_WHY.
loop() {
	local count=$(((2 * RATE + $2 - 1) / $2 * $2))
	[ "$count" -le $((4 * RATE)) ] || count=$((4 * RATE))
	point "$1" loop "$2" 0 "$(($2 + RATE))" "$count" || return 2
	awk -v b="$BYTES" -v miss="$MISS" -v hit="$HIT" 'BEGIN { exit !(b < (miss + hit) / 2) }'
}

measure() {
	point miss fresh 0 0 "$RATE" "$((2 * RATE))" || return
	MISS=$BYTES
	point hit loop 2 0 "$RATE" "$((2 * RATE))" || return
	HIT=$BYTES
	awk -v h="$HIT" -v m="$MISS" 'BEGIN { exit !(h < 0.5 * m) }' || return 0	# no cache
	search || return
	confirm || return
	[ -z "$SCAN" ] || scan || return
	[ -n "$HIGH" ] || return 0
	patterns
}

# The longest loop that hits, LOW, and the shortest that does not, HIGH (none up to MOST: empty).
search() {
	local n=$FIRST
	LOW=2 HIGH=''
	while [ -z "$HIGH" ] && [ "$LOW" -lt "$MOST" ]; do
		try "$n" || return
		n=$((2 * n < MOST ? 2 * n : MOST))
	done
	while [ -n "$HIGH" ] && [ $((HIGH - LOW)) -gt 1 ]; do
		try $(((LOW + HIGH) / 2)) || return
	done
}

# What hit once, as where frames were left out on the way, must hit again; else the end is one nearer, a few times at most.
confirm() {
	local n tries
	for tries in 1 2 3 4; do
		n=$LOW
		try "$n" fits || return
		[ "$HIGH" = "$n" ] && [ "$n" -gt 2 ] || return 0
		LOW=$((n - 1))
	done
}

try() {
	loop "${2:-search}" "$1"
	case $? in 0) LOW=$1 ;; 1) HIGH=$1 ;; *) return 1 ;; esac
}

scan() {
	local n
	for n in $({ seq 25 "$SCAN" 100; [ -z "$HIGH" ] || seq "$((LOW > 5 ? LOW - 3 : 2))" "$((HIGH + 3))"; } | sort -nu); do
		loop scan "$n"
		[ $? -lt 2 ] || return 1
	done
}

# Beyond the cliff. Of hot frames few enough that a cache some places smaller would hold them between two showings. They need not have settled: what each policy would have hit so far is simulated, showing by showing.
patterns() {
	local over=$((LOW + LOW / 4 + 1)) random=$((2 * LOW > 4 ? 2 * LOW : 4)) hot=$((LOW > 4 ? LOW * 2 / 5 : 1)) least=$(((QUICK ? 3 : 5) * RATE))
	point over loop "$over" 0 "$((over + RATE))" "$((over > least ? over : least))" || return
	point random random "$random" 0 "$((2 * LOW > RATE ? 2 * LOW : RATE))" "$((LOW > 2 * least ? LOW : 2 * least))" || return
	[ "$LOW" -lt 4 ] || point hot hot "$((hot + 2 * LOW))" "$hot" "$((2 * LOW))" "$((LOW > least ? LOW : least))"
}

write_cell() {	# write_cell REPEAT REASON BEFORE AFTER
	local foreign=null steal=null marked=''
	if [ -z "$2" ]; then
		read -r foreign steal _ < <(exp_shares "$3" "$4" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		marked=$(exp_disturbed "$foreign" "$steal")
	fi
	jq -n --arg protocol "$protocol" --arg draw "$draw" --argjson repeat "$1" --arg reason "$2" --argjson foreign "$foreign" --argjson steal "$steal" --arg marked "$marked" \
		--argjson low "${LOW:-null}" --argjson high "${HIGH:-null}" --argjson most "$MOST" --slurpfile points "$folder/points.ndjson" '
		{schema: "thinprobe.cell/1", parameters: {protocol: $protocol, draw: $draw}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: $foreign, steal_percent: $steal, marked: $marked, search: {low: $low, high: $high, most: $most}, points: $points}' | put_json "$folder/cell.json"
	rm -f "$folder/points.ndjson"
}

cache_options "$@"
choose_systems
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log
exp_link
lab_use local
exp_step "two hosts"
lab_up
[ -n "$LAB_TAP_IF" ] || die "-$EXIT_MISSING" "bytes cannot be captured here; see: thinprobe doctor"
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(missing_levers)")"
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client; frames of $SIZE, $RATE a second; $(printf '%s\n' "${SYSTEMS[@]}" | sed 's/ image$//; s/ pixmap$/ (pixmap)/' | paste -sd , | sed 's/,/, /g')"
jq -r '(.settings.absent[] | "not on this machine: \(.protocol): \(.why)"), (.lab.missing[] | "not on this machine: " + .)' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
