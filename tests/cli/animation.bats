#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The animation and cache experiments without their hosts: options, the window of a step, tables and reports of made-up runs whose figures follow
# from arithmetic, or from caches simulated here.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export THINPROBE_STATE=$BATS_TEST_TMPDIR/state HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
}

column() {	# column TABLE CELL NAME
	awk -F'\t' -v c="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["cell"] == c { print $at[name]; exit }' "run/$1.tsv"
}

@test "animation, cache: bad options name the thing, cost nothing and exit 2" {
	for words in 'animation --frames 1' 'animation --seconds 0' 'animation --size 20x20' 'animation --size 2000x100' 'animation --rate 0' 'animation --content nosuch' 'animation --draw nosuch' 'animation --draw image,image' \
		'animation --protocol null' 'animation --protocol nosuch' 'animation --link fast' 'animation --on ssh:a,b' 'animation --resume nowhere' 'cache --most 3' 'cache --scan 0' 'cache --scan x' 'cache --repeat 0' 'cache --frames 5'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$TOP/thinprobe" run $words -o "$BATS_TEST_TMPDIR/x"
		echo "$words: $status $stderr"
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[ ! -e "$BATS_TEST_TMPDIR/x" ]
	done
}

# 4 frames a second, 3 to warm up and 8 measured; slot 5 left out, slot 6 late. The window is from 1.75 s to 3.75 s after 1000 s.
@test "animation: what a step took in its window: bytes by the part of a bin, frames, CPU" {
	{
		printf 'schema\tn\tframe\tdue_ns\tbegun_ns\tsent_ns\n'
		for n in $(seq 0 10); do
			due=$((1001000000000 + n * 250000000))
			case $n in 5) printf 'frame/1\t%d\t0\t%d\t\t\n' "$n" "$due" ;; 6) printf 'frame/1\t%d\t0\t%d\t%d\t%d\n' "$n" "$due" "$((due + 1))" "$((due + 260000000))" ;;
			*) printf 'frame/1\t%d\t0\t%d\t%d\t%d\n' "$n" "$due" "$((due + 1))" "$((due + 1000))" ;; esac
		done
	} >frames.tsv
	{
		printf 'schema\tbin_start_ns\tinput_packets\tinput_wire_bytes\tinput_payload_bytes\tdisplay_packets\tdisplay_wire_bytes\tdisplay_payload_bytes\n'
		for n in $(seq 0 49); do printf 'traffic/1\t%d\t1\t10\t0\t2\t1000\t900\n' "$((1000000000000 + n * 100000000))"; done
	} >traffic.tsv
	{
		printf 'schema\ttime_ns\twall_ns\tbusy_ns\tsteal_ns\town_ns\n'
		for n in 0 1 2 3 4 5; do printf 'cpu/1\t%d\t%d\t0\t0\t%d\n' "$((1000000000000 + n * 1000000000))" "$((7000000000000 + n * 1000000000))" "$((n * n * 100000000))"; done
	} >cpu.tsv
	{
		printf 'schema\tseen_ns\tframe\n'
		for ms in 1700 1800 2000 2300 2600 3000 3700 3800; do printf 'seen/1\t%d\t1\n' "$((1000000000000 + ms * 1000000))"; done
	} >seen.tsv
	export TP_HOME=$TOP
	step() { bash -c '. "$TP_HOME/experiments/animated.sh"; RATE=4 BIN_MS=100; window_of "$1" 3 8' bash "$BATS_TEST_TMPDIR" >step.json; }
	step
	cat step.json
	[ "$(jq .distinct_before step.json)" = 1 ]
	# 20 bins of 1000 bytes, whole: 17.5 to 37.5; looks at the CPU at 1 s and at 3 s: 100 and 900 ms used
	[ "$(jq -c '[.seconds, .frames_due, .frames_shown, .late_frames, .frames_seen, .display_wire_bytes, .display_payload_bytes, .display_packets, .input_wire_bytes, .covered_percent, .cpu_percent, .bytes_per_frame]' step.json)" = \
		'[2,8,7,2,6,20000,18000,40,200,100,40,3333.3]' ]
	# a capture that ended half way, or told nothing at all
	figures() { bash -c '. "$TP_HOME/experiments/animated.sh"; RATE=4 BIN_MS=100; step_figures "$1" 3 8 || { echo "$LAB_WHY"; exit 1; }' bash "$BATS_TEST_TMPDIR"; }
	figures
	cp traffic.tsv whole.tsv
	head -n 29 whole.tsv >traffic.tsv
	run figures
	echo "$output"
	[ "$status" = 1 ]
	[ "$output" = "the capture knows only 52.5 % of the step" ]
	: >traffic.tsv
	run figures
	[ "$status" = 1 ]
	[[ $output == "the capture knows only"* || $output == "the step left no figures" ]]
	mv whole.tsv traffic.tsv
	rm seen.tsv	# nobody looked: by frames shown
	step
	[ "$(jq -c '[.frames_seen, .bytes_per_frame]' step.json)" = '[null,2857.1]' ]
}

animation_cell() {	# animation_cell CELL REPEAT LOOP-BYTES NEW-BYTES: a frame, 20 a second for 10 s
	mkdir -p "run/cells/$1/$2"
	jq -n --argjson loop "$3" --argjson new "$4" 'def step($n; $each): {seconds: ($n / 20), from_ns: 1000000000000, to_ns: 1, frames_due: $n, frames_shown: $n, late_frames: ($n / 20), frames_seen: $n,
			display_wire_bytes: ($n * $each), input_wire_bytes: ($n * 66), display_packets: (3 * $n), cpu_percent: 12.5, bytes_per_frame: $each, frame_bytes: 40000, information_bytes: 4404};
		{schema: "thinprobe.cell/1", state: "complete", reason: "", marked: "", steps: {fresh: step(100; $new), loop: step(200; $loop), "banner-fresh": step(100; 3 * $new), banner: step(200; 3 * $loop)}}' >"run/cells/$1/$2/cell.json"
}

run_json() {	# run_json EXPERIMENT CELL...
	mkdir -p run
	printf '%s\n' "${@:2}" | jq -Rn --arg experiment "$1" '[inputs | {cell: ., protocol: (split(".")[0] | sub("-"; ":")), draw: split(".")[1]}] as $systems |
		{schema: "thinprobe.run/1", experiment: $experiment, version: "0", started: "2026-11-20T10:00:00Z", ended: "2026-11-20T11:00:00Z", state: "complete", command: "thinprobe run \($experiment)",
		settings: {protocol: "x11", protocols: ["x11"], systems: $systems, absent: [{protocol: "xpra", why: "xpra is | missing"}], size: "100x100", rate_per_s: 20, content: "mixed", frames: 10, most: 100, seconds: 10, repeats: 2, seed: 1,
		banner: true, banner_size: "468x60", banner_frames: 200, link: "100Mbit", bin_ms: 100, on: "lab"},
		protocols: {x11: {says: "remote X"}}, lab: {cpus_server: "0", cpus_client: "1", shared_cpus: false, missing: []}, host: {kernel: "Linux 6.1"}, cells: {total: 6, complete: 6}}' >run/run.json
}

@test "animation: bandwidth, users that fill a link, and who sends each frame again; report, table, findings" {
	for tool in gnuplot cmark; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	run_json animation x11.image x11.pixmap rdp-cache.image nx.image
	animation_cell x11.image 1 12500 12600	# 2.0 Mbit/s: the paper's X
	animation_cell x11.image 2 12500 12400
	animation_cell x11.pixmap 1 100 12500
	animation_cell x11.pixmap 2 102 12500
	animation_cell rdp-cache.image 1 5000 10000
	jq '.marked = "others"' run/cells/rdp-cache.image/1/cell.json >c && mv c run/cells/rdp-cache.image/1/cell.json
	mkdir -p run/cells/rdp-cache.image/2
	echo '{"state": "failed", "reason": "gone"}' >run/cells/rdp-cache.image/2/cell.json
	# one that was looked at as time went by: 1000 bytes in 100 ms, and CPU
	mkdir -p run/cells/x11.image/1/loop
	{ printf 'schema\tbin_start_ns\tdisplay_wire_bytes\n'; for n in $(seq -10 50); do printf 'traffic/1\t%d\t1000\n' "$((1000000000000 + n * 100000000))"; done; } >run/cells/x11.image/1/loop/traffic.tsv
	printf 'schema\ttime_ns\twall_ns\town_ns\ncpu/1\t1000000000000\t5000000000\t1000000000\ncpu/1\t1001000000000\t6000000000\t1250000000\n' >run/cells/x11.image/1/loop/cpu.tsv
	run "$TOP/bin/summarize" run
	echo "$output"
	[ "$status" = 3 ]
	[ "$(column summary x11.image mbit_per_s)" = 2.000 ]
	[ "$(column summary x11.image users_10mbit)" = 5 ]	# as in the paper
	[ "$(column summary x11.image users_1000mbit)" = 500 ]
	[ "$(column summary x11.image verdict)" = again ]
	[ "$(column summary x11.image late_percent)" = 5.000 ]
	[ "$(column summary x11.pixmap frame_wire_bytes)" = 101.000 ]
	# Student's t of 97.5 % with one degree of freedom is 12.706; 100 and 102 are 1 / sqrt(2) x sqrt(2) off: 101 +- 12.706
	[ "$(column summary x11.pixmap frame_wire_bytes_high)" = 113.706 ]
	[ "$(column summary x11.pixmap verdict)" = cached ]
	[ "$(column summary x11.pixmap banner_verdict)" = cached ]
	[ "$(column summary rdp-cache.image verdict)" = "in part" ]
	[ "$(column summary rdp-cache.image failed)" = 1 ]
	[ "$(column summary nx.image state)" = "not measured" ]
	[ "$(awk -F'\t' '$6 == "0.500" { print $7 }' run/bandwidth.tsv)" = 0.0800 ]	# 5000 bytes in half a second
	[ "$(awk -F'\t' '$6 == "0.500" { print $8 }' run/bandwidth.tsv)" = 25.00 ]
	run --separate-stderr "$TOP/report/report.sh" run
	echo "$stderr"
	[ "$status" = 0 ]
	[ -s run/figures/bandwidth.svg ]
	run "$TOP/report/findings.sh" run
	echo "$output"
	[[ $output == *"in Mbit/s: x11 2.00, rdp:cache 0.80, x11 (pixmaps) 0.016."* ]]
	[[ $output == *"Sent again each time, at the price of a new frame: x11 (12.5 KB a frame). Shown from memory, once it has been sent: x11 (pixmaps) (101 bytes in place of 12.5 KB). In part: rdp:cache (50 % of a new frame)."* ]]
	[[ $output == *"in front of them: x11 5, rdp:cache 12, x11 (pixmaps) 618."* ]]
	[[ $output == *"Not measured: nx."*"Not on this machine: xpra;"*"1 cell was disturbed (rdp:cache)"* ]]
	run "$TOP/report/table.sh" run
	echo "$output"
	[[ $output == *" x11 "*"2.00"*"12500"*"again"* ]]
	grep -qF 'xpra: xpra is | missing' run/report.md
	grep -q 'rdp:cache: 1 repeat failed' run/report.md
}

# cache_cell CELL POLICY PLACES: a search as the driver makes it, with a cache of that policy simulated here; a hit is 300 bytes, a miss 15000.
cache_cell() {
	mkdir -p "run/cells/$1/1" "run/cells/$1/2"
	python3 - "$2" "$3" >"run/cells/$1/1/cell.json" <<'END'
import json, random, sys
policy, places = sys.argv[1], int(sys.argv[2])
chance = random.Random(5)
def order(kind, n, hot):
    step, last = 0, None
    while True:
        if kind == 'loop': yield step % n
        elif kind == 'fresh': yield step
        elif kind == 'hot': yield step // 2 % hot if step % 2 == 0 else hot + step // 2 % (n - hot)
        else:
            last = chance.choice([f for f in range(n) if f != last])
            yield last
        step += 1
points = []
def point(name, kind, n, hot, warm, count):
    there, misses, frames = [], 0, order(kind, n, hot)		# in order of what goes first
    for i in range(warm + count):
        f = next(frames)
        if f in there:
            if policy == 'LRU': there.append(there.pop(there.index(f)))
            continue
        misses += i >= warm
        if places and len(there) == places: there.pop(chance.randrange(places) if policy == 'random' else 0)
        if places: there.append(f)
    each = (misses * 15000 + (count - misses) * 300) / count
    points.append(dict(name=name, order=kind, frames=n, hot=hot, warm=warm, count=count, seed=len(points), step='%02d-x' % len(points), seconds=count / 20, from_ns=1, to_ns=2, frames_due=count, frames_shown=count,
        late_frames=0, frames_seen=count, display_wire_bytes=each * count, input_wire_bytes=0, display_packets=0, cpu_percent=3, bytes_per_frame=each, frame_bytes=40000, information_bytes=4404))
    return each < 7650
point('miss', 'fresh', 0, 0, 20, 60)
low = high = None
if not point('hit', 'loop', 2, 0, 20, 40): pass
else:
    low, high, n = 2, None, 100
    while high is None and low < 100:
        if point('search', 'loop', n, 0, n, n): low = n
        else: high = n
        n = min(2 * n, 100)
    while high and high - low > 1:
        n = (low + high) // 2
        if point('search', 'loop', n, 0, n, n): low = n
        else: high = n
    if high:
        for n in range(25, 101): point('scan', 'loop', n, 0, n, n)
    point('fits', 'loop', low, 0, low, low)
    if high:
        point('over', 'loop', low + low // 4 + 1, 0, low + low // 4 + 1, 100)
        point('random', 'random', 2 * low, 0, 2 * low, 200)
        point('hot', 'hot', low * 2 // 5 + 2 * low, low * 2 // 5, 2 * low, 100)
print(json.dumps(dict(schema='thinprobe.cell/1', state='complete', reason='', marked='', search=dict(low=low, high=high, most=100), points=points)))
END
	cp "run/cells/$1/1/cell.json" "run/cells/$1/2/cell.json"
}

@test "cache: the cliff, its confirmation, the policy and what has none, of caches simulated by others; report, table, findings" {
	for tool in gnuplot cmark python3; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	run_json cache rdp.image nx.image spice.image x11.image x11.pixmap
	cache_cell rdp.image LRU 65
	cache_cell nx.image FIFO 40
	cache_cell spice.image random 50
	cache_cell x11.image LRU 0
	cache_cell x11.pixmap LRU 5000
	run "$TOP/bin/summarize" run
	echo "$output"
	[ "$status" = 0 ]
	[ "$(column summary rdp.image verdict) $(column summary rdp.image frames_low) $(column summary rdp.image frames_high) $(column summary rdp.image places)" = "size 65 66 65.0" ]
	[ "$(column summary rdp.image policy)" = LRU ]
	[ "$(column summary rdp.image over_hits_percent)" = 0.000 ]
	[ "$(column summary rdp.image hot_hits_percent)" = 50.000 ]	# all of the hot ones, by the definition of LRU
	[ "$(column summary rdp.image scan_points) $(column summary rdp.image scan_agree)" = "152 152" ]
	[ "$(column summary rdp.image cache_picture_bytes)" = 2600000 ]
	[ "$(column summary nx.image frames_low) $(column summary nx.image policy)" = "40 FIFO" ]
	# its loop hits half at 1 + 2 ln 2 C = 70; its size is told by random order
	[ "$(column summary spice.image policy)" = random ]
	awk -v p="$(column summary spice.image places)" 'BEGIN { exit !(p > 42 && p < 58) }'
	[ "$(column summary x11.image verdict)" = none ]
	[ "$(column summary x11.pixmap verdict) $(column summary x11.pixmap frames_low)" = "beyond 100" ]
	run --separate-stderr "$TOP/report/report.sh" run
	echo "$stderr"
	[ "$status" = 0 ]
	[ -s run/figures/cliff.svg ]
	run "$TOP/report/findings.sh" run
	echo "$output"
	[[ $output == *"rdp remembers 65 frames of 100 x 100 pixels, 975.0 KB as they are sent, 2.6 MB as pictures: a loop of them takes 0.048 Mbit/s, one of 82 2.40; it gives up what was not shown for longest (LRU): a loop of 82 hits 0 %,"* ]]
	[[ $output == *"A linear scan of 152 loops agrees in 152."* ]]
	[[ $output == *"No cache that an animation could use: x11 (a loop of two frames costs 100 % of new ones)."* ]]
	[[ $output == *"No end was found, up to 100 frames: x11 (pixmaps)"* ]]
	[[ $output == *"overflows rdp (12 % of it fits)"* ]]	# 650,000 of 5,616,000 pixels
	run "$TOP/report/table.sh" run
	echo "$output"
	[[ $output == *" rdp "*" 65 "*"LRU"* ]]
	[[ $output == *" x11 "*"no cache"* ]]
}

@test "animation, cache: what was damaged is refused in one line that names the file" {
	run_json cache x11.image
	mkdir -p run/cells/x11.image/1
	for point in '{"name": "hot", "order": "hot", "frames": 5, "hot": 5, "warm": 1, "count": 9, "seconds": 1, "step": "01"}' '{"name": "miss", "order": "never", "count": 1, "seconds": 1, "step": "01"}' \
		'{"name": "over", "order": "loop", "frames": 1e300, "count": 1, "seconds": 1, "step": "01"}' '{"name": "fits", "order": "loop", "frames": 5, "count": 5, "seconds": 1, "step": "../../x"}'; do
		echo "{\"state\": \"complete\", \"search\": {\"low\": 2, \"high\": 3}, \"points\": [$point]}" >run/cells/x11.image/1/cell.json
		run --separate-stderr "$TOP/bin/summarize" run
		echo "$status $stderr"
		[ "$status" = 1 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"cell.json: a point cannot be read"* ]]
		[ ! -e run/summary.tsv ]
	done
	run_json animation x11.image
	animation_cell x11.image 1 100 100
	mkdir -p run/cells/x11.image/1/loop
	printf 'schema\tbin_start_ns\tdisplay_wire_bytes\ntraffic/1\tx\t5\n' >run/cells/x11.image/1/loop/traffic.tsv
	run --separate-stderr "$TOP/bin/summarize" run
	[ "$status" = 1 ]
	[[ $stderr == *"traffic.tsv"* ]]
	for cell in ../x .x; do
		jq --arg c "$cell" '.settings.systems[0].cell = $c' run/run.json >new.json && mv new.json run/run.json
		run --separate-stderr "$TOP/bin/summarize" run
		[ "$status" = 1 ]
		[[ $stderr == *"settings.systems cannot be read"* ]]
	done
}
