#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay analyze, on replays whose response times are known
# because they were written so (kits/replay/tests/golden/make_vncplay.py).

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	need python3 jq
	mkdir "in here"
	screen=(width=240 height=180 noise_ms=200)
	five=("in here"/run{0,1,2,3,4}.rfb)
}

golden() {
	python3 "$BATS_TEST_DIRNAME/../golden/make_vncplay.py" "$@"
}

scripted() {	# settings...: replays, analysed
	golden make "in here" "${screen[@]}" "$@"
	# five servers, each slower than the one before
	"$BIN/vncplay" analyze "in here"/run?.rfb --labels run0,run1,run2,run3,run4 --format json -o all.json
}

scored() {	# least of right rows, most of extra ones
	golden score "in here" all.json >right || true
	cat right
	awk -v least="$1" -v most="$2" '$1 >= least && $5 + 0 <= most && $7 + 0 == 0 { good = 1 } END { exit !good }' right
}

@test "vncplay analyze: five replays of 20 clicks, up to 2.5 times slower: every latency is right within 5 ms" {
	scripted tail=1
	scored 20 0
	jq -e '[.result.responses[] | select(.kind == "click" and .confidence > 0.5)] | length == 20' all.json
	jq -e '.result.masked == [] and .result.unmatched == 0' all.json
}

@test "vncplay analyze: noise on 3 percent of the screen adds no rows and loses none" {
	scripted noise=3 noise_shape=wide noise_place=over seed=2
	scored 19 2
	jq -e '.result.masked | length > 0' all.json
}

@test "vncplay analyze: a blinking caret with noise; noise that is the same in all replays" {
	scripted noise=1.6 caret_ms=500
	scored 19 1
	scripted noise=3 same_phase=1 caret_ms=300 seed=3
	scored 19 2
}

@test "vncplay analyze: a window drawn in five strips is one row, with latency to the first and to the last strip" {
	scripted strips=5
	scored 20 0
}

@test "vncplay analyze: two pictures that alternate, with noise: each belongs to its own click" {
	scripted answer=alternate noise=1.6
	scored 19 1
}

@test "vncplay analyze: an answer missing in one replay is null there only" {
	scripted missing=5:2,8:0,11:4
	scored 20 0
	jq -e '.result | .inputs_to_be_answered == 20 and .inputs_answered == 20 and [.runs[].responses] == [19, 20, 19, 20, 19]' all.json
	jq -e '.result | .runs[1].latency_p50_ms - ([.responses[].latency_from_press_ms[1]] | sort | (.[9] + .[10]) / 2)
		| fabs < 0.001' all.json
	jq -e '[.result.responses[].latency_from_press_ms[] | select(. == null)] | length == 3' all.json
	# the middle of nineteen of twenty is not that of the twenty: run0 is answered as run1 is, and lacks the ninth
	jq -e '.result.runs | .[1].latency_p50_ms as $truth | .[0].latency_p50_ms == null
		and (.[0].range.latency_p50_ms | .from < .to and .from <= $truth + 5 and .to >= $truth - 5)' all.json
}

# Two replays of 40 keys, each answered 0.1 ms later, within its millisecond; key 20 only 0.05 ms before key 21, in the
# millisecond of that one. With `coarse`, the side files are those of older versions, which do not say when bytes arrived. With
# `halves`, each answer comes 1.1 ms after its key, and its lower half 0.05 ms later, within a millisecond.
write_prompt() {
	python3 - "$@" <<-'END'
		import random, struct, sys

		gaps = random.Random(1)
		press = [500200]
		for n in range(39):
		    press.append(press[-1] + gaps.randrange(130, 190) * 1000 + gaps.choice((-100, 100)) * (n % 2))
		for run in (0, 1):
		    aux, sizes = ["# vncplay-aux 1", "run start at 0"], []
		    with open(f"prompt{run}.rfb", "wb") as log:
		        def block(data, us):
		            log.write(struct.pack(">I", len(data)) + data + bytes(-len(data) % 4) + struct.pack(">I", us // 1000))
		            aux.append(f"received {len(data)} at {us}")
		        log.write(b"FBS 001.000\n")
		        block(b"RFB 003.003\n" + struct.pack(">IHH", 1, 64, 64) + struct.pack(">BBBBHHHBBBxxx", 32, 24, 0, 1, 255, 255,
		              255, 16, 8, 0) + struct.pack(">I", 1) + b"x", 0)
		        for n, at in enumerate(press):
		            aux.append(f"input {2 * n} keydown at {at} line={n + 7} late_us=0 keysym=0x61")
		            aux.append(f"input {2 * n + 1} keyup at {at + 60000} line={n + 7} late_us=0 keysym=0x61")
		            shown = press[n + 1] - 50 if n == 20 else at + 100
		            if sys.argv[1:] == ["halves"]:
		                for half in (0, 1):
		                    block(struct.pack(">BxHHHHHi", 0, 1, 16, 16 + 16 * half, 32, 16, 0)
		                          + struct.pack("<I", 0x10101 * (n + 1)) * 512, at // 1000 * 1000 + 1500 + 50 * half)
		                continue
		            block(struct.pack(">BxHHHHHi", 0, 1, 16, 16, 32, 32, 0) + struct.pack("<I", 0x10101 * (n + 1)) * 1024, shown)
		    aux.append(f"run end at {press[-1] + 500000} status=complete")
		    with open(f"prompt{run}.rfb.aux", "w") as f:
		        f.write("\n".join(a for a in aux if not (sys.argv[1:] == ["coarse"] and a.startswith("received"))) + "\n")
	END
	run "$BIN/vncplay" analyze prompt[01].rfb --format json -o all.json
	echo "$output"
	[ "$status" = 0 ]
}

@test "vncplay analyze: an answer within its key's millisecond is that key's, to the microsecond" {
	write_prompt
	jq -e '.result | .usable and .inputs_answered == 40 and ([.runs[].resolution_ms] | unique == [0.001])' all.json
	jq -e '[.result.responses[] | select(.input != 40) | .latency_from_press_ms[]] | unique == [0.1]' all.json
	# (between keys 20 and 21 are the whole milliseconds that the seed gives)
	jq -e '.result.responses[] | select(.input == 40) | .latency_from_press_ms[0]
		| . > 129 and (. * 1000 % 100 | . == 50 or . == 49)' all.json
}

@test "vncplay analyze: what comes within a millisecond after the one of its key is one change" {
	write_prompt halves
	jq -e '.result | .inputs_answered == 40 and all(.responses[]; .latency_from_press_ms == .complete_ms)' all.json
}

@test "vncplay analyze: in a log of whole milliseconds an update in a key's own one is its answer, and the report says so" {
	write_prompt coarse
	jq -e '.result | .usable and .inputs_answered >= 39 and ([.runs[].resolution_ms] | unique == [1])' all.json
	jq -e '[.result.responses[] | select(.input < 38) | .latency_from_press_ms[]] | max < 1 and min >= 0' all.json
	"$BIN/vncplay" analyze prompt[01].rfb | grep -q 'whole milliseconds'
}

@test "vncplay analyze: a replay that ended early is reported, with status 3" {
	golden make "in here" "${screen[@]}" clicks=8 factors=1,1.1
	sed -i 's/status=complete/status=timeout/' "in here/run1.rfb.aux"
	run -3 "$BIN/vncplay" analyze "in here"/run[01].rfb
	[[ ${lines[0]} == "! "*run1.rfb*timeout* ]]
}

@test "vncplay analyze: an answer that comes after the next input belongs to the earlier input" {
	scripted spacing=600 jitter=50 slow=330 least=100
	scored 20 0
	jq -e '[.result.responses[].latency_from_press_ms[] | select(. > 600)] | length > 5' all.json
}

@test "vncplay analyze: finds small answers: a button, a check mark, typed letters beside a caret" {
	scripted answer=button clicks=12
	scored 12 0
	scripted answer=check clicks=12 noise=1.6
	scored 12 0
	scripted answer=letter input=key caret_ms=530 spacing=1000 jitter=100 slow=120 least=20
	scored 19 0
	jq -e '[.result.responses[] | select(.kind == "key")] | length == 20' all.json
}

@test "vncplay analyze: scrolling text and a clock give no false rows, nor a counter with the same pictures in each" {
	local seed

	scripted scroll=1 clock=1 answer=button
	scored 20 0
	for seed in 4 5; do
		scripted seed=$seed answer=check counter_ms=$((1300 * (7 - seed))) spacing=1500 jitter=250 slow=90
		scored 20 0
	done
}

@test "vncplay analyze: 16 bits a pixel, several updates a block, updates across blocks, side files of the old format" {
	scripted clicks=8 bits=16 blocks=many aux=old
	scored 8 0
	scripted clicks=8 blocks=torn from=release moves=1
	scored 8 0
}

@test "vncplay analyze: a single replay gives attributions with lower confidence" {
	golden make "in here" "${screen[@]}" factors=1 clicks=8
	"$BIN/vncplay" analyze "in here/run0.rfb" --format json -o all.json
	scored 8 0
	jq -e '[.result.responses[].confidence] | max <= 0.5' all.json
}

@test "--method paper finds large answers on a still screen; --format vncanalyze has the rows of 2005" {
	golden make "in here" "${screen[@]}" clicks=8 answer=full
	"$BIN/vncplay" analyze "${five[@]}" --method paper --format vncanalyze -o old.txt
	[ "$(grep -c '^input_ts: 0: ' old.txt)" -eq 16 ]
	[ "$(grep -c '^Sync log ' old.txt)" -eq 5 ]
	# the first frame and eight answers, in each of five
	[ "$(grep -cE '^== [0-9]+@0 matches with [0-9]+@[0-4] \(2700/2700\)$' old.txt)" -eq 45 ]
	"$BIN/vncplay" analyze "${five[@]}" --format vncanalyze >ours.txt
	diff <(sed -n 's/^== \([0-9]*@0 matches with [0-9]*@[0-9]\).*/\1/p' old.txt |
		tail -n +6) <(sed -n 's/^== \([0-9]*@0 matches with [0-9]*@[0-9]\).*/\1/p' ours.txt)
}

@test "vncplay analyze --method paper: --differ and --join decide which frames are searched, --scale how many pixels are compared" {
	# eight answers of five strips, each a fifth of the screen and 30 ms after the one before
	golden make "in here" "${screen[@]}" clicks=8 answer=full strips=5 strip_ms=30
	frames() {
		"$BIN/vncplay" analyze "${five[@]}" --method paper "$@" --format vncanalyze |
			grep -c '^== [0-9]*@0 matches with [0-9]*@0 '
	}
	[ "$(frames)" -eq 41 ]	# the first frame, and each strip
	[ "$(frames --join 30ms)" -eq 41 ]
	[ "$(frames --join 31ms)" -eq 9 ]
	[ "$(frames --differ 40)" -eq 14 ]	# every third of forty strips differs from the frame before in more than two fifths
	[ "$(frames --differ 100)" -eq 1 ]
	"$BIN/vncplay" analyze "${five[@]}" --method paper --scale 9 --format vncanalyze | grep -q '([0-9]*/520)$'	# 26 x 20
	"$BIN/vncplay" analyze "${five[@]}" --method paper --labels run0,run1,run2,run3,run4 --format json -o all.json
	jq -e '.settings == {method: "paper", scale: 4, differ_percent: 2, join_ms: 1}' all.json
	golden make "in here" width=40 height=40 clicks=2 answer=full
	run "$BIN/vncplay" analyze "${five[@]}" --method paper --scale 64
	[ "$status" -eq 1 ]
	[[ $output == *"--scale 64"* ]]
}

@test "vncplay analyze: a truncated log or side file is used up to its end, with a message" {
	golden make "in here" "${screen[@]}" clicks=8 factors=1,1
	head -c $(($(wc -c <"in here/run1.rfb") * 2 / 3)) "in here/run1.rfb" >"in here/run2.rfb"
	cp "in here/run0.rfb.aux" "in here/run2.rfb.aux"
	run "$BIN/vncplay" analyze "in here/run0.rfb" "in here/run2.rfb" --format json -o all.json
	[ "$status" -eq 3 ]
	[[ $output == *"run2.rfb: cut: "* ]]
	jq -e '.result.runs[1].cut and (.result.responses | length >= 3)' all.json
	# its picture is not of the end of the session, but of the moment at which it was cut
	run -0 "$BIN/vncplay" picture "in here/run0.rfb" whole.ppm
	run -3 "$BIN/vncplay" picture "in here/run2.rfb" cut.ppm
	[ -s cut.ppm ]
	run -0 "$BIN/vncplay" picture "in here/run2.rfb" begin.ppm --at 100ms
	truncate -s -3 "in here/run0.rfb.aux"
	run "$BIN/vncplay" analyze "in here/run0.rfb" --format json -o all.json
	[ "$status" -eq 3 ]
}

@test "vncplay analyze: replays without a common answer give a message with possible causes" {
	mkdir one other
	golden make one "${screen[@]}" clicks=4 factors=1 seed=1 answer=full
	golden make other "${screen[@]}" clicks=4 factors=1 seed=2 answer=full
	"$BIN/vncplay" analyze one/run0.rfb other/run0.rfb --format json -o all.json 2>err && false
	jq -e '.result | .usable == false and .inputs_answered == 0 and [.runs[].latency_p50_ms] == [null, null]' all.json
	grep -q 'none of 4 inputs was answered alike.*--before' err
}

@test "vncplay analyze: replays without an input are not usable" {
	golden make "in here" "${screen[@]}" clicks=0 factors=1,1
	run -3 --separate-stderr "$BIN/vncplay" analyze "in here"/run[01].rfb --json
	jq -e '.result | .usable == false and .inputs_to_be_answered == 0' <<<"$output"
}

@test "vncplay analyze: mostly unanswered, or contradictory replays of one setting: 'not usable' first, status 3" {
	golden make "in here" "${screen[@]}" clicks=8 factors=1,1.1
	"$BIN/vncplay" analyze "in here"/run[01].rfb --json -o all.json
	jq -e '.result.usable and .result.why_unusable == null' all.json
	golden make "in here" "${screen[@]}" clicks=8 factors=1,2.5
	run -3 "$BIN/vncplay" analyze "in here"/run[01].rfb
	[[ ${lines[0]} == "! "*run0*run1* ]]
	run -3 --separate-stderr "$BIN/vncplay" analyze "in here"/run[01].rfb --json
	jq -e '.result.usable == false and (.result.why_unusable | length > 0)' <<<"$output"
	[ "${#stderr_lines[@]}" = 1 ]
	run -0 "$BIN/vncplay" analyze "in here"/run[01].rfb --labels slow,fast
	# half of the trace's inputs are there, and none of the others
	golden make "in here" "${screen[@]}" clicks=8 factors=1,1 missing=0:0,0:1,1:0,1:1,2:0,2:1,3:0,3:1,4:0,4:1
	run -3 --separate-stderr "$BIN/vncplay" analyze "in here"/run[01].rfb --json
	jq -e '.result.usable == false' <<<"$output"
}
