#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables and report of a made-up run with caches that are simulated here; a short run over remote X.

bats_require_minimum_version 1.5.0
load ../families/animations
load ../../tests/warm

# cache_cell CELL POLICY PLACES: a search as the experiment makes it, with a cache of that policy; a hit is 300 bytes, a miss 15000.
cache_cell() {
	mkdir -p run/cells
	once "$2-$3" "run/cells/$1" searched "$2" "$3" "run/cells/$1"
}
searched() {	# POLICY PLACES FOLDER
	mkdir -p "$3/1" "$3/2"
	/usr/bin/python3 - "$1" "$2" >"$3/1/cell.json" <<'PYTHON'
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
    there, misses, frames = [], 0, order(kind, n, hot)  # in the order in which they are given up
    for i in range(warm + count):
        f = next(frames)
        if f in there:
            if policy == 'LRU': there.append(there.pop(there.index(f)))
            continue
        misses += i >= warm
        if places and len(there) == places: there.pop(chance.randrange(places) if policy == 'random' else 0)
        if places: there.append(f)
    each = (misses * 15000 + (count - misses) * 300) / count
    points.append(dict(name=name, order=kind, frames=n, hot=hot, warm=warm, count=count, seed=len(points),
        step='%02d-x' % len(points), seconds=count / 20, from_ns=1, to_ns=2,
        frames_due=count, frames_shown=count, late_frames=0, frames_seen=count,
        display_wire_bytes=each * count, input_wire_bytes=0, display_packets=0, cpu_percent=3, bytes_per_frame=each,
        frame_bytes=40000, information_bytes=4404))
    return each < 7650
point('miss', 'fresh', 0, 0, 20, 60)
low = high = None
if point('hit', 'loop', 2, 0, 20, 40):
    low, high, n = 2, None, 100
    while high is None and low < 100:
        if point('search', 'loop', n, 0, n, n): low = n
        else: high = n
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
print(json.dumps(dict(schema='thinprobe.cell/1', state='complete', reason='', marked='', search=dict(low=low, high=high, most=100),
    points=points)))
PYTHON
	cp "$3/1/cell.json" "$3/2/cell.json"
}

made_up_run() {
	command -v python3 >/dev/null || skip "python3 is not installed"
	animation_run cache rdp image nx image spice image x11 image x11 pixmap
	cache_cell rdp-image LRU 65
	cache_cell nx-image FIFO 40
	cache_cell spice-image random 50
	cache_cell x11-image LRU 0
	cache_cell x11-pixmap LRU 5000
}

@test "cache: summary.tsv: size of the cache, confirmation by the scan, replacement policy, protocols without a cache" {
	made_up_run
	warm summarize run
	columns() { for name in "${@:2}"; do column summary "$1" "$name"; done | paste -sd ' '; }	# columns CELL NAME...
	[ "$(columns rdp-image verdict frames_low frames_high places policy)" = "size 65 66 65.0 LRU" ]
	# LRU keeps all hot frames: half of the frames shown
	[ "$(columns rdp-image over_hits_percent hot_hits_percent)" = "0.000 50.000" ]
	[ "$(columns rdp-image scan_points scan_agree cache_picture_bytes)" = "152 152 2600000" ]
	[ "$(columns nx-image frames_low policy)" = "40 FIFO" ]
	# with random replacement a loop hits half at 1 + 2 ln 2 C = 70 frames; the size comes from the steps in random order
	[ "$(columns spice-image policy)" = random ]
	awk -v p="$(columns spice-image places)" 'BEGIN { exit !(p > 42 && p < 58) }'
	[ "$(columns x11-image verdict)" = none ]
	[ "$(columns x11-pixmap verdict frames_low)" = "beyond 100" ]
}

@test "cache: report: findings with their numbers, figures" {
	made_up_run
	drawn warm report run
	[ -s run/figures/cliff.svg ]
	[ "$(found limit '[.value, .unit, .verdict]')" = '[65,"frames","good"]' ]
	[[ $(found limit .text) == *"rdp "*" 65 frames"*"975 KB"*"2.6 MB"*"152 of 152"* ]]
	[[ $(found given-up .text) == *"rdp "*"(LRU)"* ]]
	[ "$(found no-cache .value)" = 100 ]
	[[ $(found banner .text) == *"rdp (12 % of it fits)"* ]]	# 650,000 of 5,616,000 pixels
	warm report --table run | grep -q '^ *rdp .* 65 .*LRU'
}

@test "cache: report of two runs: both share the panel of a protocol; each has a limit and an own row" {
	made_up_run
	cp -r run other
	cache_cell rdp-image LRU 32
	drawn warm report other run -o both --label a,b
	grep -qF '>rdp<' both/figures/cliff.svg
	grep -qF '>a loop, b<' both/figures/cliff.svg
	[[ $(verdict both) == *"rdp/a caches 65 frames"*"rdp/b caches 32 frames"* ]]
}

@test "cache: damaged samples are refused in one line that names the file" {
	animation_run cache x11 image
	mkdir -p run/cells/x11-image/1
	for point in '{"name": "hot", "order": "hot", "frames": 5, "hot": 5, "warm": 1, "count": 9, "seconds": 1, "step": "01"}' \
		'{"name": "miss", "order": "never", "count": 1, "seconds": 1, "step": "01"}' \
		'{"name": "over", "order": "loop", "frames": 1e300, "count": 1, "seconds": 1, "step": "01"}' \
		'{"name": "fits", "order": "loop", "frames": 5, "count": 5, "seconds": 1, "step": "../../x"}'; do
		echo "{\"state\": \"complete\", \"search\": {\"low\": 2, \"high\": 3}, \"points\": [$point]}" \
			>run/cells/x11-image/1/cell.json
		run -1 --separate-stderr warm summarize run
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"cell.json: points["* ]]
		[ ! -e run/summary.tsv ]
	done
}

@test "cache: no size if repeats disagree; the size is unsure if its loop has few hits, or the scan disagrees" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	animation_run cache rdp image nx image
	cache_cell rdp-image LRU 65
	cache_cell nx-image LRU 40
	cp run/cells/nx-image/1/cell.json forty.json
	cp run/cells/rdp-image/1/cell.json run/cells/nx-image/2/cell.json
	report_findings run
	[ "$(column summary nx-image verdict)" = unclear ]
	[ "$(found limit '[.value, .verdict]')" = '[65,"unsure"]' ]
	cp forty.json run/cells/nx-image/2/cell.json
	report_findings run
	[ "$(found limit .verdict)" = '"good"' ]
	# 15000 for a new frame and 300 for a hit: 5445 are 65 % of hits
	jq '.points |= map(if .name == "fits" then .bytes_per_frame = 5445 else . end)' forty.json >run/cells/nx-image/2/cell.json
	report_findings run
	[ "$(found limit .verdict)" = '"unsure"' ]
	[[ $(verdict run) == *unsure*"65 %"*nx* ]]
	# no loop of the scan hits, although those of up to 40 frames should
	jq '.points |= map(if .name == "scan" then .bytes_per_frame = 15000 else . end)' forty.json |
		tee run/cells/nx-image/1/cell.json >run/cells/nx-image/2/cell.json
	report_findings run
	[ "$(found limit .verdict)" = '"unsure"' ]
	[[ $(verdict run) == *unsure*"loop lengths agree over nx"* ]]
}

# bats test_tags=all
@test "cache: a short run over remote X: pixmaps have no limit up to --most 4" {
	short_run cache --protocol x11 --draw pixmap --rate 40 --most 4
	for f in summary.tsv points.tsv overtime.tsv findings.json report.html figures/{cliff,overtime}.svg; do [ -s "run/$f" ]; \
		done
	usable run
	[ "$(column summary x11-pixmap verdict)" = beyond ]
	[ "$(found limit .value)" = 4 ]
}

@test "cache: the verdict is unsure if frames were lost" {
	local r f
	command -v python3 >/dev/null || skip "python3 is not installed"
	animation_run cache rdp image
	cache_cell rdp-image LRU 65
	for r in 1 2; do
		f=run/cells/rdp-image/$r/cell.json
		jq '.points |= map(if .order == "loop" then .frames_seen = (.frames_seen / 2 | floor) else . end)' $f >x
		mv x $f
	done
	report_findings run
	verdict run | grep -q unsure
	[ "$(found given-up .verdict)/$(found banner .verdict)" = '"unsure"/"unsure"' ]
}
