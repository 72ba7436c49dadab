#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Options, cells; what the player says; a clip whose frames can be told; tables and report of a run made by hand whose figures
# follow from a rule; and a short run.

load ../families/favour
load ../../../../tests/figures

# Of 240 frames so many are dropped, two more in each second repeat; one in fifty that was shown was not seen. L throttles the
# player in each of its two episodes where it does not look at sound.
MADE_UP="alone none none 0
baseline parallel none 120
nice parallel none 12
L parallel without 140
L parallel with 48"
made_up() { once "$MADE_UP" run made; }
made() {
	local name
	made_run "scheme job mult" 5 '{clip: {size: "1920x1080", needs_percent: 60}, settings: {on: "lab", protocol: "vnc", repeats: 5,
		seed: 1, jobs: ["parallel"], seconds: 10, rate_per_s: 24}}' '(($v[0] + ($repeat % 2) * 2) as $dropped
		| {video: {due: 240, $dropped, shown: (240 - $dropped), seconds: 10, player_percent: 60, fps: ((240 - $dropped) / 10),
			dropped_percent: (100 * $dropped / 240), seen: ((240 - $dropped) * 0.98), seen_fps: ((240 - $dropped) * 0.098), gap_ms: 80}}
		+ if $p.job == "none" then {} else {job: {bytes_per_s: (if $p.scheme == "baseline" then 3e6 else 2e6 end)}} end)' \
		<<<"$MADE_UP"
	for name in $(cd run/cells && printf '%s\n' *-with*/* | tr / -); do
		jq -n --arg name "$name" '{comm: "mpv"} as $player | {comm: "xz"} as $job | {result: {daemon_cpu_percent: 0.4,
			episodes: [range(2) | {background: (if $name | test("without") then [$player, $job] else [$job] end)}]}}' \
			>"run/vamp/$name.json"
	done
	# the player's quanta are 0.1, 0.2 ... 40 ms in one repeat, and 0.1 ms longer in the other, those of the job all of 4 ms
	awk 'BEGIN { for (i = 400; i; i--) printf "video\t%.6f\nsingle\t4.000000\n", i / 10 }' >run/cells/alone-none-none/1/quanta.tsv
	awk 'BEGIN { for (i = 400; i; i--) printf "video\t%.6f\n", i / 10 + 0.1 }' >run/cells/alone-none-none/2/quanta.tsv
	printf '%s\t' schema time_ns event what pid comm load_percent run_percent wakeups average_1000 | sed 's/\t$/\n/' \
		>run/vamp/L-parallel-with-1.tsv
	printf 'vamp-log/1\t%s\t%s\t\t%s\t%s\t\t\t%s\t%s\n' 5000000000 episode '' '' '' '' 10000000000 audio 7 mpv 300 150500 \
		10000000000 audio 8 xz 3 1500 >>run/vamp/L-parallel-with-1.tsv
	functions 'JOBS=parallel,quanta; exp_summed'
}

@test "video: a sweep is refused without the size of the clip" {
	EXP_SWEEP=plan run "$TOP/experiments/engine/run.sh" video --options-only
	[ "$status" = 2 ]
	[[ $output == *"geometry WxH"* ]]
}

@test "video: cells: 'alone' once, other schemes beside each job; vamp's with and without a look at sound; a host's without" {
	[ "$(functions 'SCHEMES=alone,baseline,hostL,L JOBS=parallel,quanta; exp_cells' | tr '\t' ' ' | paste -sd ';')" = "$(printf '%s' \
		'alone none none;baseline parallel none;baseline quanta none;hostL parallel without;hostL quanta without;' \
		'L parallel without;L parallel with;' \
		'L quanta without;L quanta with')" ]
}

@test "video: player_said reads the player's last line of counts among escapes and other output" {
	printf 'ready\n\033[Kframe 1 dropped 0 0\r\033[Kframe 190 dropped 70 3\r\n[vo/x11] frame of reference\n\n' >said
	[ "$(functions 'player_said said')" = "190 70 3" ]
	: >said
	[ "$(functions 'player_said said')" = "" ]
}

@test "video: clip_seen counts playing time from frame 0, extrapolated from the first frame in play, to the last frame's end" {
	{
		printf 'schema\tseen_ns\tframe\n'
		printf 'seen/1\t%s\t%s\n' 1000000000 0 3500000000 12 4000000000 24 5000000000 48
	} >seen.tsv
	functions 'clip_seen seen.tsv' >seen.json
	# frame 12 at 3.5 s is half a second after frame 0, at 3.0 s; the last frame lasts until 5 + 1/24 s
	jq -e '.frames == 4 and .gap_ms == 1000' seen.json
	near "$(jq .seconds seen.json)" "$(awk 'BEGIN { print 2 + 1 / 24 }')" 0.0001
	head -n 2 seen.tsv >one.tsv
	[ "$(functions 'clip_seen one.tsv')" = "" ]
}

@test "video: clip_seen leaves out the frames that a player shows before it plays, however many; not a stop in mid-clip" {
	local shown
	# 72 frames at the clip's pace from 2 s on; before them some that came as fast as they were drawn
	for shown in 0 1 2 3 4; do
		awk -v shown="$shown" 'BEGIN {
			print "schema\tseen_ns\tframe"
			for (i = 0; i < shown; i++) printf "seen/1\t%.0f\t%d\n", 1e9 + i * 25e6, i
			for (; i < 72; i++) if (i < 40 || i >= 52) printf "seen/1\t%.0f\t%d\n", 2e9 + i / 24 * 1e9, i }' >seen.tsv
		functions 'clip_seen seen.tsv' >seen.json
		near "$(jq .seconds seen.json)" 3 0.0001
		near "$(jq .gap_ms seen.json)" "$(awk 'BEGIN { print 13000 / 24 }')" 0.0001	# frames 40 to 51 did not come
	done
	# a player that cannot keep up and leaves nothing out plays for as long as it takes
	awk 'BEGIN {
		print "schema\tseen_ns\tframe"
		for (i = 0; i < 72; i++) printf "seen/1\t%.0f\t%d\n", 1e9 + i / 12 * 1e9, i }' >seen.tsv
	near "$(functions 'clip_seen seen.tsv' | jq .seconds)" "$(awk 'BEGIN { print 71 / 12 - 1 / 12 + 2 / 24 }')" 0.0001
	# nor is the time left out in which it cannot keep up at first: frames of four seconds of the clip in eight, then in time
	awk 'BEGIN {
		print "schema\tseen_ns\tframe"
		for (i = 0; i < 144; i++) printf "seen/1\t%.0f\t%d\n", 1e9 + (i < 96 ? i / 12 : 8 + (i - 96) / 24) * 1e9, i }' >seen.tsv
	near "$(functions 'clip_seen seen.tsv' | jq .seconds)" "$(awk 'BEGIN { print 8 + 47 / 24 - 1 / 12 + 2 / 24 }')" 0.0001
}

@test "video: clip_make: a clip of the length asked for, with sound; all frames have different marks, also scaled down" {
	for tool in ffmpeg ffprobe; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	functions 'LAB_LOG=.; clip_make 1280x720 4 clip.mkv || { echo "$LAB_WHY"; exit 1; }'
	[ "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,nb_read_frames -of csv=p=0 \
		clip.mkv)" = \
		1280,720,96 ]
	[ "$(ffprobe -v error -select_streams a -show_entries stream=codec_type -of csv=p=0 clip.mkv)" = audio ]
	# No two frames have the same mark, also when they are as small as on the screen.
	ffmpeg -v error -i clip.mkv -map 0:v -vf "scale=960:540,crop=60:48:0:0" -f framemd5 - | grep -v '^#' |
		awk '{ print $NF }' >marks
	[ "$(wc -l <marks)" = 96 ]
	[ "$(sort -u marks | wc -l)" = 96 ]
}

@test "video: report: frames, the job's slowdown, throttled processes, findings, figures" {
	made_up
	drawn warm report run
	near "$(row fps_per_s scheme=baseline mult=none)" 11.88 0.0001		# (240 - 121.2) / 10
	near "$(row dropped_percent scheme=baseline mult=none)" 50.5 0.0001
	near "$(row seen_per_s scheme=L mult=with)" "$(awk 'BEGIN { print (240 - 49.2) * 0.098 }')" 0.001
	near "$(row job_rel scheme=L mult=with)" 1.5 0.0001
	[ "$(row player_tagged scheme=L mult=without),$(row episodes scheme=L mult=without)" = 10,10 ]
	[ "$(row player_tagged scheme=L mult=with),$(row others_tagged scheme=L mult=with)" = 0,10 ]
	[ "$(row episodes scheme=nice mult=none)" = "" ]
	# Student's t of 12.0, 11.8, 12.0, 11.8, 11.8 and so on: 2.7764451 standard errors
	near "$(row fps_per_s_low scheme=baseline mult=none)" \
		"$(awk 'BEGIN { print 11.88 - 2.7764451 * sqrt((3 * 0.08^2 + 2 * 0.12^2) / 4 / 5) }')" 0.001
	# of 800 quanta of both repeats 199 are shorter than 10.1 ms
	awk -F'\t' '$2 == "video" && $4 == 0.250 { print $3, $5 }' run/quanta.tsv | grep -qx '10.100000 800'
	[ "$(cut -f2,3,5 run/quanta.tsv | grep single | sort -u)" = "$(printf 'single\t4.000000\t400')" ]
	[ "$(cut -f2 run/quanta.tsv | sort -u | xargs)" = "kind single video" ]
	[ "$(grep -c . run/audio.tsv)" = 3 ]
	awk -F'\t' '$5 == "mpv" && $4 == 5 && $6 == 150.5 { found = 1 } END { exit !found }' run/audio.tsv
	[ "$(found schemes .value)" = 19.08 ]
	[ "$(found sound .verdict)" = '"good"' ]
	[ "$(found against-nice .verdict)" = '"bad"' ]
	near "$(found job .value)" 50 0.01
	near "$(found seen .value)" 98 0.1
	for f in frames-parallel sound quanta; do grep -q "id=\"figure-$f\"" run/report.html; done
	run -1 grep -E '(src|href)="http' run/report.html
}

@test "video: with one or two repeats findings compare no schemes" {
	made_up
	compares_nothing 2
	[ "$(found against-nice .verdict)" = '"unsure"' ]
	compares_nothing 1
	[ "$(found against-nice .verdict)" = '"unsure"' ]
}

@test "video: findings of a run without a baseline, or without a complete cell, say so" {
	made_up
	says_so baseline-parallel-none
}

@test "video: the verdict names schemes of which every cell failed" {
	made_up
	sed -i 's/"complete"/"failed"/' run/cells/{nice-parallel-none,L-parallel-without}/*/cell.json
	words
	[[ $(verdict run) == *"No figure for nice 19 and vamp L that may throttle sound players." ]]
}

# seen SCHEME SHARE: sets the share of shown frames that were seen under this scheme
seen() {
	local file
	for file in run/cells/"$1"-*/*/cell.json; do
		jq --argjson share "$2" '.video.seen = .video.shown * $share | .video.seen_fps = .video.fps * $share' "$file" >new
		mv new "$file"
	done
}

@test "video: findings rank a scheme by the frames that reached the screen" {
	MADE_UP=$'alone none none 0\nbaseline parallel none 100\nnice parallel none 60\nL parallel with 50'
	made_up
	seen L 0.3	# 5.7 of 18.9 frames a second; with nice 17.5
	words
	cat run/findings.json
	[ "$(found against-nice .verdict)" = '"bad"' ]
	near "$(found against-nice .value)" "$(awk 'BEGIN { print (240 - 51.2) / 10 * 0.3 }')" 0.001
	[[ $(verdict run) == *"fewer frames are shown"*"reached the screen"*"vamp L"*" 30.0 %"* ]]
	# vamp's best setting is chosen by these frames, too
	MADE_UP+=$'\nM parallel with 60'
	made_up
	seen L 0.3
	words
	[[ $(found against-nice .text) == *"cannot be told"* ]]
	near "$(found schemes .value)" "$(awk 'BEGIN { print (240 - 61.2) / 10 * 0.98 }')" 0.001
}

@test "video: the finding on seen frames is unsure if one scheme has too few, though the mean is above 90 %" {
	made_up
	[ "$(words >/dev/null; found seen .verdict)" = '"good"' ]
	seen L 0.85	# of all 93 %
	words
	jq -e '.findings[] | select(.id == "seen") | .value > 90 and .verdict == "unsure"' run/findings.json
	[[ $(found seen .text) == *"85.0 %"*"vamp L"* ]]
}

# bats test_tags=all
@test "video: a short run: seen frames do not exceed shown ones by more than 3; vamp with sound detection spares the player" {
	short_run "Xvnc mpv ffmpeg pulseaudio pactl xdotool" --time 8 --geometry 1280x720 --scheme alone,baseline,L --repeat 1 \
		--press 2
	for cell in alone-none-none baseline-parallel-none L-parallel-with L-parallel-without; do
		# a frame may be on the screen when the player counts it as dropped, but hardly three
		jq -e '.video | .due == 192 and .shown == .due - .dropped and .seen > 0 and .seen <= .shown + 3 and .seconds >= 8' \
			"run/cells/$cell/1/cell.json"
	done
	usable run
	jq -e '.vamp.episodes >= 2 and .vamp.player == 0' run/cells/L-parallel-with/1/cell.json
	# no quantum is longer than the clip; (one thread that nobody disturbs has none that began and ended)
	jq -e '.absent // [] | any(test("trace")) | not' run/run.json >/dev/null || skip "no trace: $(jq -c .absent run/run.json)"
	awk -F'\t' '{ n[$1]++ } $2 <= 0 || $2 > 60000 { bad = 1 } END { exit bad || !(n["video"] && n["launch"] && n["quanta"]) }' \
		run/cells/alone-none-none/1/quanta.tsv
}

@test "video: each kind of job has its own verdict, which says so if shown frames were not seen on the screen" {
	local f
	MADE_UP=$'alone none none 0\nbaseline parallel none 120\nL parallel with 48\nbaseline quanta none 40\nL quanta with 140'
	made_up
	words
	verdict run | tee said
	grep -q 'more frames are shown.*fewer frames are shown' said
	run -1 grep -q 'reached the screen' said
	for f in run/cells/L-*/*/cell.json; do jq '.video.seen = 24' "$f" >new && mv new "$f"; done
	words
	verdict run | grep -q 'reached the screen'
}
