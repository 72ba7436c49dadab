#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, Figure 5: network load of a looping animation of 100 x 100 pixels, 10 frames, 20 a second, by protocol
# minutes: 20 (--quick: 4)
# needs: two CPUs, a display protocol; the right to capture
# wrong if: remote X takes less than the bytes of the frames it is sent; a protocol that re-sends takes fewer bytes than new frames do
#
# For every cell a session is started anew, so that nothing is cached from before. In it run, one after the other: frames none of which is
# ever shown again, which no cache can help; the loop of ten; and the paper's banner. What a frame of the loop costs, held against one that is
# new, tells whether it is sent again. Frames are counted where a person would see them.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, animated.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=animation
EXPERIMENT_SAYS="What does a small looping animation cost the network and the server, and is each frame sent again and again?"
RATE=20 FOREIGN_LIMIT=20	# what is counted are bytes and frames, which others slow down only when they have much of the CPU
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/animated.sh"
PROTOCOL_LIST='' DRAWS=image,pixmap SIZE=100x100 CONTENT=mixed FRAMES=10 SECONDS_EACH=20 REPEATS=3 BIN_MS=20 BANNER=1 EXP_AGAIN_PART=0
BANNER_SIZE=468x60 BANNER_FRAMES=200
SYSTEMS=()	# "PROTOCOL DRAW", in the order of the report
ABSENT=()	# "PROTOCOL: why it cannot run here"

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--draw D,...] [--frames N] [--size WxH] [--rate R] [--content C] [--no-banner]
         [--seconds S] [--repeat R] [--quick] [--seed N] [--link RATE[,DELAY...]] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols (all that can run here; of VNC the viewer)
  --draw D,...      how the application draws: image, every frame is sent to its display each time; pixmap, once, and copied there
                    (image for all, pixmap for x11)
  --frames N        different frames of the loop ($FRAMES)
  --size WxH        of a frame in pixels ($SIZE)
  --rate R          frames a second ($RATE)
  --content C       what a frame shows: noise, mixed (half a byte of chance a pixel) or flat ($CONTENT)
  --no-banner       leave out the banner ($BANNER_SIZE, $BANNER_FRAMES frames, two rounds)
  --seconds S       how long the loop is measured ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           5 s and one repeat, without the banner: a first idea
  --seed N          of the pictures and the random order ($SEED)
  --link RATE,DELAY,JITTER,LOSS  the emulated link, or none ($LINK)
  --queue TIME      how long a packet may wait for the link's rate (50ms)
$(exp_usage_memory)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

animation_options() {
	local NO_BANNER=0
	exp_parse "--quick QUICK --no-banner NO_BANNER" "--protocol PROTOCOL_LIST --draw DRAWS --frames FRAMES --size SIZE --rate RATE --content CONTENT --seconds SECONDS_EACH
		--repeat REPEATS --seed SEED --link LINK --queue QUEUE --on ON" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --seconds || SECONDS_EACH=5
		exp_given --repeat || REPEATS=1
	fi
	[ "$QUICK$NO_BANNER" = 00 ] || BANNER=0
	exp_resume
	exp_number --seconds "$SECONDS_EACH" 1 3600
	exp_number --frames "$FRAMES" 2 10000
	animated_check
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	jq -cn --arg protocols "$PROTOCOL_LIST" --argjson systems "$(systems_json)" --argjson absent "$(absent_json)" --arg size "$SIZE" --argjson rate "$RATE" --arg content "$CONTENT" \
		--argjson frames "$FRAMES" --argjson seconds "$SECONDS_EACH" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson quick "$QUICK" --argjson banner "$BANNER" \
		--arg bannersize "$BANNER_SIZE" --argjson bannerframes "$BANNER_FRAMES" --argjson bin "$BIN_MS" --arg link "$LINK" --arg queue "$QUEUE" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), systems: $systems, absent: $absent, size: $size, rate_per_s: $rate, content: $content, frames: $frames,
		seconds: $seconds, repeats: $repeats, seed: $seed, quick: ($quick == 1), banner: ($banner == 1), banner_size: $bannersize, banner_frames: $bannerframes, bin_ms: $bin,
		link: $link, queue: $queue, on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) SIZE=\(.size) RATE=\(.rate_per_s | tostring) CONTENT=\(.content) FRAMES=\(.frames | tostring)
		SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end) BANNER=\(if .banner then "1" else "0" end)
		LINK=\(.link)"' "$RESUME/run.json")"
	read_systems
}

exp_cell() {	# exp_cell CELL 0 REPEAT FOLDER
	local folder=$4 protocol draw reason='' before='' after='' LAB_LOG=$4/log seed=$((SEED * 1000 + $3 * 10))
	system_of "$1"
	mkdir -p "$LAB_LOG"
	if session_begin "$protocol"; then
		before=$(lab_cpu server)
		measure "$folder" || reason=$LAB_WHY
		after=$(lab_cpu server)
	else
		reason="the session could not be made: $LAB_WHY"
	fi
	session_end
	! stopped || reason=interrupted
	write_cell "$folder" "$3" "$reason" "$before" "$after"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

# Every step has pictures of its own: the one before must not help.
measure() {
	local warm=$((FRAMES > RATE ? FRAMES : RATE)) new=$((SECONDS_EACH > 9 ? 5 * RATE : 3 * RATE))
	animated_step "$1/fresh" "$RATE" "$new" --order fresh --seed "$((seed + 1))" &&
		animated_step "$1/loop" "$warm" "$((SECONDS_EACH * RATE))" --frames "$FRAMES" --draw "$draw" --seed "$((seed + 2))" || return
	[ "$BANNER" = 1 ] || return 0
	local SIZE=$BANNER_SIZE
	animated_step "$1/banner-fresh" "$RATE" "$new" --order fresh --seed "$((seed + 3))" &&
		animated_step "$1/banner" "$BANNER_FRAMES" "$BANNER_FRAMES" --frames "$BANNER_FRAMES" --draw "$draw" --seed "$((seed + 4))"
}

write_cell() {	# write_cell FOLDER REPEAT REASON BEFORE AFTER
	local foreign=null steal=null marked='' step
	if [ -z "$3" ]; then
		read -r foreign steal _ < <(exp_shares "$4" "$5" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		marked=$(exp_disturbed "$foreign" "$steal")
	fi
	for step in fresh loop banner-fresh banner; do
		[ ! -s "$1/$step/step.json" ] || jq -c --arg step "$step" --slurpfile a "$1/$step/animate.json" '{key: $step, value: (. + {frame_bytes: $a[0].result.frame_bytes, information_bytes: $a[0].result.information_bytes})}' "$1/$step/step.json"
	done | jq -n --arg protocol "$protocol" --arg draw "$draw" --argjson repeat "$2" --arg reason "$3" --argjson foreign "$foreign" --argjson steal "$steal" --arg marked "$marked" '
		{schema: "thinprobe.cell/1", parameters: {protocol: $protocol, draw: $draw}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: $foreign, steal_percent: $steal, marked: $marked, steps: ([inputs] | from_entries)}' | put_json "$1/cell.json"
}

animation_options "$@"
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
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client; $FRAMES frames of $SIZE, $RATE a second; $(printf '%s\n' "${SYSTEMS[@]}" | sed 's/ image$//; s/ pixmap$/ (pixmap)/' | paste -sd , | sed 's/,/, /g')"
jq -r '(.settings.absent[] | "not on this machine: \(.protocol): \(.why)"), (.lab.missing[] | "not on this machine: " + .)' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
