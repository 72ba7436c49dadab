#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Words on made-up rows: an experiment's verdict and findings say no more than the rows do.

bats_require_minimum_version 1.5.0
load ../../../../tests/liars/says

@test "launch: an application that did not start with a scheme is named" {
	run -0 says launch verdict <<-END
		{summary: [("baseline", "L") as \$scheme | ("vim", "writer") as \$app | {\$scheme, \$app, job: "parallel"}
			+ if \$scheme + \$app == "Lwriter" then {repeats: 0} else level("launch_ms"; 100; 99; 101) | row end]}
	END
	has "No figure for writer with vamp L."
}

@test "launch: the median of vamp's times is that of all episodes, however many sessions they are of" {
	decided() {	# decided TIMES: an array for each session, in us
		says launch 'itself | .text' <<-END
			{run: {vamp: [$1 | {episodes: length, found: length, others: [], daemon_cpu_percent: 1, decided_us: .}]}}
		END
	}
	run -0 decided "[9000, 3000, 5000, 7000, 1000]"
	has "5.0 ms after the key (median; at most 9.0 ms)"
	run -0 decided "[9000, 3000, 5000], [7000, 1000, 2000]"	# 3 and 5 are in the middle
	has "4.0 ms after the key (median; at most 9.0 ms)"
	run -0 decided "[9000], [3000]"
	has "6.0 ms after the key (median; at most 9.0 ms)"
}

@test "launch: findings on vamp: its own times begin when it read the key; what a host's schemes throttled is not known" {
	schemes() {	# schemes SCHEME...: throttled 80 ms after the press, the next one 10 ms later
		says launch 'itself | .text' <<-END
			{run: {vamp: [{episodes: 1, found: 1, others: [], daemon_cpu_percent: 1, decided_us: [3000]}]}, summary: [
				"$*" / " " | to_entries[] | {app: "vim", job: "parallel", scheme: .value, decided_ms: (80 + 10 * .key)} | row]}
		END
	}
	run -0 schemes vmL
	has "3.0 ms after the key (median; at most 3.0 ms), counted from when vamp read it, and 80.0 ms after the press"
	lacks "not known"
	run -0 schemes vmL hostL hostH
	has "80.0 ms to 100 ms after the press"
	has "1 of 1 episode of waiting** (all figures here without hostL and hostH, for which they are not known)"
}

@test "video: a player that is exempt and was throttled all the same is no player that vamp never throttles" {
	throttled() {	# throttled TIMES: with vamp 24 frames a second, without 12
		says video verdict <<-END
			{summary: [{job: "parallel", episodes: 50, dropped_percent: 1, frames_shown: 9, frames_seen: 9} + (
				{scheme: "baseline", mult: "none"} + level("fps_per_s"; 12; 11; 13),
				{scheme: "M", mult: "with", player_tagged: $1} + level("fps_per_s"; 24; 23; 25)) | row]}
		END
	}
	run -0 throttled 0
	has "With vamp M that exempts sound players, more frames are shown"
	run -0 throttled 1
	has "(it throttled the player in 1 of 50 episodes), more frames are shown"
	lacks never
}

@test "startup: findings name the slowest step, even if it is not the hardest; an unmeasured step is not called slow" {
	left() {	# left FILTER: T0 is 1000 ms; with 50, 25 and 10 % left 4, 3 and 3 times that
		says startup 'verdict, one("memory-left")' <<-END
			{run: {settings: {swaps: ["file"]}}, summary: [{app: "editor", start: "warm", swap: "file", t0_ms: 1000}
				| ({axis: "none", step: 0, startup_ms: 1000}, ({axis: "left", step: (50, 25, 10)}
					| .startup_ms = if .step == 50 then 4000 else 3000 end)) + .
				| . + level("startup_ms"; .startup_ms; .startup_ms - 9; .startup_ms + 9) | row | $1]}
		END
	}
	run -0 left .
	has "up to 4.0 times as long"
	has "with 50 % of its memory left"
	has "takes up to 4.0 times T0"
	has "over twice T0 from 50 % of memory left, 3.0 times at 10 %"
	run -0 left 'if .step == 25 then {app, start, swap, axis, step, repeats: 0} else . end'
	has "from 50 % of memory left, not known at 25 %, 3.0"
	run -0 left 'if .step != 50 and .axis == "left"
		then level("startup_ms"; 1500; 1490; 1510) + {app, start, swap, axis, step, t0_ms, repeats} else . end'
	has "over twice T0 at 50 % of memory left only, 1.5 times at 10 %"
	run -0 left 'if .step == 50 then .startup_ms_above = 1 else . end'
	has "needs more than 4.0 times"
	has "takes more than 4.0 times T0"
	run -0 left 'if .step == 25 then .startup_ms_above = 1 else . end'	# more than 3 times may be more than 4
	has "needs at least 4.0 times"
	has "bad: **With little memory left, start-up takes at least 4.0 times T0**"
	lacks "up to"
}

@test "startup: findings: by how much swap in use may slow down a start, or that it does not" {
	used() {	# used FIRST LAST HALF: T0 is 1000 ms, 990 to 1010
		says startup 'one("swap-in-use")' <<-END
			{run: {settings: {swaps: ["file"]}}, summary: [{app: "editor", start: "warm", swap: "file", t0_ms: 1000}
				| . + ({axis: "none", step: 0} + level("startup_ms"; 1000; 990; 1010),
					{axis: "used", step: 16} + level("startup_ms"; $1; $1 - $3; $1 + $3),
					{axis: "used", step: 64} + level("startup_ms"; $2; $2 - $3; $2 + $3)) | row]}
		END
	}
	run -0 used 2000 2000 100
	has "none: **Start-up slows down once memory is full, not further"
	run -0 used 1000 1000 50		# 1050 / 950
	has "none: "
	lacks "slows down"
	has "at most 1.11"
	run -0 used 1000 1000 500
	has "unsure: "
	has "at most 3.00"
	lacks "surely grows"
	run -0 used 1000 1250 50	# 1200 / 1050 to 1300 / 950
	has "unsure: "
	has "cannot tell whether start-up time grows by over 1.3 times"
	has "it surely grows for editor on fast file"
	run -0 used 1000 2000 100
	has "bad: "
}

@test "startup: of a hog in swap only what was read back is said" {
	read_back() {	# read_back HALF: as much from swap at both steps; start-up takes 1000 ms, so much more or less
		says startup 'one("swap-in-use")' <<-END
			{run: {settings: {swaps: ["file"]}}, summary: [{app: "editor", start: "warm", swap: "file", t0_ms: 1000}
				| . + ({axis: "none", step: 0} + level("startup_ms"; 1000; 990; 1010),
					{axis: "used", step: (16, 64)} + level("startup_ms"; 1000; 1000 - $1; 1000 + $1)
						+ level("swap_in_mb"; 4; 3.9; 4.1)) | row]}
		END
	}
	run -0 read_back 50
	has "At the last step no start reads twice"
	lacks "costs nothing"
	run -0 read_back 500
	has "cannot tell"
	has "At the last step no start reads twice"
	lacks "costs nothing"
}

@test "startup: findings give the measured disk load; if it is not the one asked for, the finding is unsure" {
	reads() {	# reads MADE: reads a second that the disk gave, of 300; T0 is 1000 ms
		says startup 'verdict, one("disk-load")' <<-END
			{run: {settings: {swaps: ["file"]}}, summary: [{app: "editor", start: "cold", swap: "none", axis: "reads", t0_ms: 1000}
				| . + ({step: 0} + level("startup_ms"; 1000; 990; 1010),
					{step: 300, reads_per_s: $1} + level("startup_ms"; 1010; 1000; 1020)) | row]}
		END
	}
	run -0 reads 290
	has "with 290 other reads a second"
	has "good: "
	lacks "asked for"
	for made in 2 320; do
		run -0 reads "$made"
		has "unsure: "
		has "did not give the load what was asked for: 300 reads"
		lacks "300 other reads"
	done
	# not measured; or 280 to 305, where 285 to 315 are as asked for
	for made in null '295, reads_per_s_low: 280, reads_per_s_high: 305'; do
		run -0 reads "$made"
		has "unsure: "
		has "cannot tell whether the disk gave"
		lacks "did not give"
	done
}

@test "startup: with starts that only reached the ceiling, a range of several has no upper end" {
	run -0 says startup 'verdict, one("swap-in-use")' <<-END
		{run: {settings: {swaps: ["file"]}}, summary: [{start: "warm", swap: "file", t0_ms: 1000} | ("editor", "browser") as \$app
			| . + {\$app} + ({axis: "none", step: 0} + level("startup_ms"; 1000; 990; 1010),
				{axis: "used", step: 16} + level("startup_ms"; 2000; 1900; 2100),
				{axis: "used", step: 64, startup_ms: (if \$app == "editor" then 30000 else 3000 end),
					startup_ms_above: (if \$app == "editor" then 1 else 0 end)}) | row]}
	END
	has "takes 2.0 to 30 or more times as long as"
	has "3.0 to 30 or more times with 64 MB"
	has "2.0 times T0 with 16 MB"
}

@test "startup: the device's share is stated for all conditions only if they agree" {
	e() {	# e EDITOR BROWSER HALF: e with 16 MB of each; with 64 MB the same
		says startup 'one("e")' <<-END
			{run: {settings: {swaps: ["file"]}}, summary: [{start: "warm", swap: "file", t0_ms: 1000, startup_ms: 2000}
				| . + (["editor", $1], ["browser", $2] | {app: .[0]} + level("e"; .[1]; .[1] - $3; .[1] + $3))
				+ {axis: "used", step: (16, 64)} | row]}
		END
	}
	run -0 e 0.05 0.1 0.01
	has "The swap device causes most of the delay"
	run -0 e 0.95 0.9 0.01
	has "The swap device causes less than half of the delay"
	run -0 e 0.95 0.05 0.01
	has "causes less than half of that of editor, most of that of browser**:"
	run -0 e 0.5 0.05 0.01
	has "causes most of that of browser**; this run cannot tell for editor:"
	run -0 e 0.5 0.05 0.5
	has "cannot tell whether"
	devices() {	# devices HALF: e on a fast file and on a slow disk, of both applications
		says startup 'one("e")' <<-END
			{run: {settings: {swaps: ["file", "slow:2ms"]}}, summary: [{start: "warm", t0_ms: 1000, startup_ms: 2000, step: 16}
				| . + (["file", 0.5], ["slow:2ms", 0.1] | {swap: .[0]} + level("e"; .[1]; .[1] - $1; .[1] + $1))
				+ {axis: "used", app: ("editor", "browser")} | row]}
		END
	}
	run -0 devices 0.01
	has "causes most of that on 2 ms a read**; this run cannot tell for fast file:"
	run -0 devices 0.5
	has "cannot tell whether"
}

@test "startup: a delay is felt only if it is above 0, and what was not measured is neither" {
	felt() {	# felt COLUMNS
		says startup '[felt] | .[] | .verdict' <<<"{felt: [{app: \"editor\", event: \"start\", pressed_handle_s: 2, high: 1} + $1]}"
	}
	run -0 felt '{pressed_felt_s: 0}'
	[ "$output" = good ]
	run -0 felt '{pressed_felt_s: 0.1}'
	[ "$output" = bad ]
	run -0 felt '{pressed_felt_s: 0.1, pressed_felt_s_above: 1}'
	[ "$output" = bad ]
	for columns in '{pressed_felt_s: 0, pressed_felt_s_above: 1}' '{}'; do
		run -0 felt "$columns"
		[ "$output" = unsure ]
	done
}

@test "startup: swap in use is compared with a file only if it delays the start beyond the scatter of T0" {
	added() {	# added MS [FILTER]: of T0's spread 10 ms and a file of 100 ms
		says startup '[file] | .[] | .text' <<-END
			{run: {settings: {swaps: ["file"]}}, summary: [{app: "editor", start: "warm", swap: "file", axis: "used", step: 64, t0_ms: 1000,
				t0_spread_ms: 10, startup_ms: 1031, added_ms: $1, file_ms: 100} | row | ${2-.}]}
		END
	}
	run -0 added 31
	has "by 0.31 times"
	for ms in 30 null; do
		run -0 added $ms
		[ -z "$output" ]
	done
	for column in t0_spread_ms file_ms; do
		run -0 added 31 ".$column = null"
		[ -z "$output" ]
	done
	run -0 added 31 ".startup_ms_above = 1"
	[ -z "$output" ]
}

@test "startup: menus are wide and flat only if each is wider than deep" {
	menus() {	# menus DEGREE: of the second one; both are 3 deep
		says startup 'menus | .text' <<<"{models: [{degree: 9}, {degree: $1} | . + {application: \"a\", events: 9, menus: 3, depth: 3}]}"
	}
	run -0 menus 4
	has "are wide and flat"
	run -0 menus 3
	has "not all wide and flat"
}

@test "startup: a median start is late where its whole interval is" {
	late() {	# late LOW HIGH: of 105 ms under pressure, beside 50 ms without
		says startup verdict <<-END
			{summary: [{app: "editor", start: "warm", swap: "file", t0_ms: 50} | . + ({axis: "none", step: 0}
				+ level("startup_ms"; 50; 49; 51), {axis: "left", step: 25} + level("startup_ms"; 105; $1; $2)) | row]}
		END
	}
	run -0 late 101 109
	has "in 1 of 2 conditions"
	run -0 late 90 122
	has "in 0 of 2 conditions"
}

@test "startup: starts that did not end count as measured" {
	ended() {	# ended WITHOUT UNDER: the start without pressure, and under it, in ms
		says startup verdict <<-END
			{summary: [{app: "editor", start: "warm", swap: "file"} | ({axis: "none", step: 0, startup_ms: $1},
				{axis: "left", step: 25, startup_ms: $2, t0_ms: $1}) + . | row]}
		END
	}
	run -0 ended 1000 null
	lacks "were measured"
	has "No start ended in 1 condition: editor with 25 % of its memory left"
	run -0 ended null null
	has "No start ended in 2 conditions: editor with no pressure and"
	lacks "complete"
	run -0 ended null 1000
	has "nothing to compare with. No start ended in 1 condition"
}
