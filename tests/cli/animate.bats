#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# animate: frames on a display as it says, counted from its pixels. Nothing rests on a quick or idle machine.

bats_require_minimum_version 1.5.0
load helpers

ANIMATE=$BIN/animate

@test "animate: wrong options end with 2 and one line that names them, and no file is written" {
	for words in '--geometry 10x10' '--geometry 100' '--geometry 100x100x' '--at 5' '--at -1,0' '--rate 0' \
		'--frames 0' '--order never' '--draw never' '--content never' '--order hot' '--hot 3' \
		'--order hot --hot 10 --frames 10' '--order fresh --frames 5' '--order fresh --draw pixmap' \
		'--order random --frames 1' 'count show' 'watch' '-t 0' 'count --geometry 50x50' '--wait 1s' '--log x -o x' '--ready-fd 77' \
		'write' 'write a b' 'write a --rate 5' 'write a -t 1s' 'write a --display :1' 'write -' \
		'write x -o x'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$ANIMATE" $words
		echo "$words: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ -z "$output" ]
		[ ! -e x ]
	done
}

@test "animate: without a display, or counting without an animation on it: one line, status 1" {
	run --separate-stderr "$ANIMATE" --display :7777 -t 1s -o report
	[ "$status" = 1 ]
	[[ $stderr == "animate: "*:7777* ]]
	[ ! -e report ]
	DISPLAY='' run --separate-stderr "$ANIMATE" -t 1s
	[ "$status" = 1 ]
	[[ $stderr == "animate: "*DISPLAY* ]]
	start_x
	run --separate-stderr "$ANIMATE" count --wait 200ms
	[ "$status" = 1 ]
	[[ $stderr == "animate: no animation on display $DISPLAY;"* ]]
}

@test "animate: every frame shown is seen at its place, with each way to draw; log and report agree" {
	start_x
	for draw in image pixmap; do
		rm -f seen.tsv frames.tsv
		start show "$ANIMATE" --draw "$draw" --frames 7 --rate 25 --at 50,20 --geometry 80x60 --log frames.tsv --json
		show=$pid
		until_true grep -qx ready show.err
		start count "$ANIMATE" count --frames 7 --log seen.tsv --json
		until_true grep -qx ready count.err
		# two rounds at least, on any machine (rows are written in blocks of about 160)
		until_true sh -c 'test "$(wc -l <seen.tsv)" -gt 16'
		kill -TERM "$pid"
		ends "$pid"
		[ "$status" = 0 ]
		kill -TERM "$show"
		ends "$show"
		[ "$status" = 0 ]
		cat count.out show.out
		[ "$(figure count.out distinct)" = 7 ]
		[ "$(figure count.out foreign)" = 0 ]
		[ "$(figure count.out x_pixels) $(figure count.out y_pixels) $(figure count.out cell_pixels)" = "50 20 4" ]
		[ "$(figure count.out frames_seen)" = $(($(wc -l <seen.tsv) - 1)) ]
		[ "$(figure show.out frames_due)" = $(($(wc -l <frames.tsv) - 1)) ]
		[ "$(figure show.out frames_shown)" = "$(awk -F'\t' 'NR > 1 && $6 != "" { n++ } END { print n }' frames.tsv)" ]
		# each frame seen had been begun before; the display was asked for it when it was the last one sent, or the one before
		# (the server answers those who wait in any order), or later
		awk -F'\t' 'NR == FNR { if (FNR > 1 && $5 != "") { begun[++n] = $5; sent[n] = $6; frame[n] = $3 } next }
			FNR > 1 {
				while (i < n && sent[i + 1] < $4) i++
				for (k = i - 1; k <= n && (k < 1 || begun[k] < $2); k++) if (k in frame && frame[k] == $3) next
				print "not so: " $0; exit 1
			}' frames.tsv seen.tsv
	done
}

@test "animate: due times do not drift; after a delay frames are dropped, so that the following ones are on time" {
	start_x
	start show "$ANIMATE" --rate 50 --log frames.tsv --json -t 6s
	show=$pid
	until_true grep -qx ready show.err
	kill -STOP "$show"
	sleep 0.3
	kill -CONT "$show"
	ends "$show"
	[ "$status" = 0 ]
	cat show.out
	[ "$(figure show.out frames_due)" = 300 ]
	awk -F'\t' 'NR == 2 { first = $4 } NR > 1 && $4 - first != ($2 * 20000000) { print; wrong = 1 } END { exit wrong }' frames.tsv
	[ "$(figure show.out left_out_frames)" -ge 13 ]
	[ "$(figure show.out late_frames)" -ge "$(figure show.out left_out_frames)" ]
	[ "$(figure show.out frames_shown)" = $((300 - $(figure show.out left_out_frames))) ]
}

@test "animate: a frame's random content has the entropy that is reported: zlib comes near it, but not below" {
	need python3
	start_x -fbdir .
	for content in noise mixed; do
		start show "$ANIMATE" --content "$content" --order fresh --rate 1 --seed 3 --json
		show=$pid
		until_true grep -qx ready show.err
		until_true "$ANIMATE" count -t 10ms
		squeezed=$(python3 - <<'END'
import struct, zlib
data = open('Xvfb_screen0', 'rb').read()
head = struct.unpack('>25I', data[:100])		# the header of an xwd file
start, stride = head[0] + head[19] * 12, head[12]
pixels = b''.join(data[start + y * stride:start + y * stride + 400] for y in range(100))
print(len(zlib.compress(bytes(b for i, b in enumerate(pixels) if i % 4 != 3), 9)))
END
)
		kill -TERM "$show"
		ends "$show"
		said=$(figure show.out information_bytes)
		echo "$content: $said said, $squeezed by zlib"
		awk -v s="$said" -v z="$squeezed" 'BEGIN { exit !(z >= s && z < 2.5 * s) }'
	done
	[ "$(figure show.out frame_bytes)" = 40000 ]
}

@test "animate count: the number of missed frames is unknown for a still picture, and for another loop" {
	local rate
	start_x
	for rate in 0.1 50; do
		start show "$ANIMATE" -t 60s --rate $rate
		show=$pid
		until_true grep -qx ready show.err
		run -0 "$ANIMATE" count --frames 4 -t 500ms
		echo "$output"
		[[ $output == *"missed: unknown"* && $output != *"none missed"* ]]
		"$ANIMATE" count --frames 4 -t 500ms --format json | jq -e '.result.missed == null'
		kill -TERM "$show"
		ends "$show"
	done
}

@test "animate: a signal ends it with a report and 130; if the display goes away, one line and 1" {
	start_x
	start show "$ANIMATE" -t 60s --json
	until_true grep -qx ready show.err
	start count "$ANIMATE" count -t 60s --json
	count=$pid
	until_true grep -qx ready count.err
	kill -INT "$count"
	ends "$count"
	[ "$status" = 130 ]
	[ -n "$(figure count.out frames_seen)" ]
	start count "$ANIMATE" count
	count=$pid
	until_true grep -qx ready count.err
	kill -KILL "$server"
	ends "$count"
	[ "$status" = 1 ]
	[ "$(grep -vx ready count.err)" = "animate: the display went away" ]
	start write "$ANIMATE" write frames.raw --frames 100000 --geometry 320x200
	until_true test -s frames.raw
	kill -INT "$pid"
	ends "$pid"
	[ "$status" = 130 ]
	[ ! -e frames.raw ]
}

@test "animate: a display that stops reading does not keep it from ending" {
	start_x
	start show "$ANIMATE" --geometry 800x600 --rate 60 -t 600s --json
	show=$pid
	until_true grep -qx ready show.err
	kill -STOP "$server"
	sleep 0.5
	kill -TERM "$show"
	ends "$show"
	kill -CONT "$server"
	[ "$status" != 0 ]
}

@test "animate write: raw video whose frames have their numbers, also with other pixels around them" {
	"$ANIMATE" write frames.raw --frames 3 --geometry 48x40 --content flat --seed 5 --format json -o report.json
	[ "$(stat -c %s frames.raw)" = $((3 * 48 * 40 * 4)) ]
	[ "$(jq -c '[.result.frames, .result.frame_bytes]' report.json)" = '[3,7680]' ]
	"$ANIMATE" write - --frames 3 --geometry 48x40 --content flat --seed 5 -o report.txt | cmp - frames.raw
	# the mark's corner is white; no two frames are the same; the fourth byte of a pixel is nothing
	[ "$(head -c 4 frames.raw | od -An -tx1 | tr -d ' ')" = ffffff00 ]
	for n in 0 1 2; do tail -c +$((7680 * n + 1)) frames.raw | head -c 7680 | md5sum; done | sort | uniq -d >twice
	[ ! -s twice ]
	[ "$(od -An -v -tu1 -w4 frames.raw | awk '{ s += $4 } END { print s }')" = 0 ]
	run -1 "$ANIMATE" write /nowhere/frames.raw
}

@test "animate: frames left out while it was stopped are not put down to the machine, and are a loss" {
	start_x
	start shown "$ANIMATE" -t 4s --rate 10 --geometry 64x48 -o report
	until_true grep -q ready shown.err
	kill -STOP "$pid"
	sleep 2
	kill -CONT "$pid"
	ends "$pid"
	cat report
	[ "$status" = 3 ]
	grep -q 'did not run for' report
}
