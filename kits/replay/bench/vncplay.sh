#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay.sh - how long vncplay analyze takes over logs as large as real ones, how much memory it
# needs, and whether that grows with their length only.
#
# usage: kits/replay/bench/vncplay.sh [--quick] [--rounds N]     (8 rounds; 4 minutes; quick: 1 round of short logs)
# Logs of a second's worth of raw pixels a second (5 of 61 s, 350 MB), and of text that scrolls at
# 36 frames a second (2 of 150 s; one each of 1 to 30 minutes). ORIGINAL=FOLDER, with the compiled
# classes of the analyzer of 2005, runs that beside it, where there is a java and an Xvfb.
# shellcheck disable=SC2317  # what alternate and holds call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

bench_begin vncplay "$@"
need python3 python3
raw_s=61 scroll_s=150 minutes=(1 3 10 30)
[ "$BENCH_QUICK" = 0 ] || { raw_s=8 scroll_s=15 minutes=(0.1 0.3); }
n=$(rounds 8 1)
work=$BENCH_WORK

logs() {	# KIND RUNS SECONDS FOLDER
	local i
	mkdir -p "$4" || exit 1
	for ((i = 0; i < $2; i++)); do
		python3 "$here/kits/replay/bench/vncplay_logs.py" "$1" "$4" "$i" "$3" || die "cannot make logs"
	done
}

timed() {	# FIGURE CONTENDER ROUND command...: seconds, and the largest resident set
	python3 - "$@" <<-'END' || die "$2 failed"
		import resource, subprocess, sys, time
		start = time.monotonic()
		status = subprocess.run(sys.argv[4:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
		took = time.monotonic() - start
		with open(3, "w") as out:	# by its number: by its name it would be emptied
		    for figure, value in ((" s", took), (" KB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)):
		        out.write("%s\t%s\t%s\t%.6f\n" % (sys.argv[1] + figure, sys.argv[2], sys.argv[3], value))
		sys.exit(status not in (0, 1 if sys.argv[2] == "original" else 0))
	END
} 3>>"$work/values"

analyze() {	# CONTENDER ROUND, of the logs in $folder
	local log words=() logs=("$folder"/*.rfb) labels=a,b,c,d,e
	case $1 in
	vncplay)	# the runs answer at different speeds, as different settings do: with one label they would not be usable
		timed "$kind" "$1" "$2" "$TP_BIN/vncplay" analyze "${logs[@]}" --labels "${labels:0:2 * ${#logs[@]} - 1}" \
			--format json -o "$work/found.json"
		;;
	original)
		for log in "${logs[@]}"; do words+=("$log" "$log.aux"); done
		timed "$kind" "$1" "$2" timeout 600 xvfb-run -a java -cp "$ORIGINAL" VncAnalyzer "${words[@]}" ;;
	esac
}

contenders=(vncplay)
[ -z "${ORIGINAL-}" ] || contenders+=(original)

few() {	# KIND
	local size seconds kb
	folder=$work/$kind
	size=$(cat "$folder"/*.rfb | wc -c)
	alternate "$n" analyze "${contenders[@]}"
	seconds=$(median "$kind s" vncplay)
	kb=$(median "$kind KB" vncplay)
	awk -v k="$kind" -v b="$size" -v s="$seconds" -v kb="$kb" \
		'BEGIN { printf "%-10s %6.0f MB in %6.3f s: %6.0f MB/s, %5.1f MB of memory\n", k, b / 1e6, s, b / 1e6 / s, kb / 1024 }'
	holds "$kind: under 64 MB of memory" [ "${kb%.*}" -lt 65536 ]
	[ -z "${ORIGINAL-}" ] || ratio "$kind s" original vncplay '>20' 1 s
}

kind=raw
logs raw 5 "$raw_s" "$work/raw"
few
rm -rf "$work/raw"
kind=scroll
logs scroll 2 "$scroll_s" "$work/scroll"
few
rm -rf "$work/scroll"

echo "for orientation: the analyzer of 2005 took 44 to 48 s and 250 MB for five logs of 61 s of raw pixels," \
	"16 to 19 s and 150 MB for two of 150 s of scrolling text"
echo
contenders=(vncplay)
for m in "${minutes[@]}"; do
	kind="$m min"
	folder=$work/long
	logs scroll 1 "$(awk -v m="$m" 'BEGIN { print 60 * m }')" "$folder"
	alternate "$(((n + 2) / 3))" analyze vncplay
	awk -v m="$m" -v s="$(median "$kind s" vncplay)" -v kb="$(median "$kind KB" vncplay)" \
		'BEGIN { printf "scroll, %4s min: %7.3f s, %6.4f s a minute, %5.1f MB of memory\n", m, s, s / m, kb / 1024 }'
	rm -rf "$folder"
done
per_minute() { awk -v m="$1" -v s="$(median "$1 min s" vncplay)" 'BEGIN { print s / m }'; }
holds "a minute of the longest costs at most half as much again as one of the shortest" \
	awk -v a="$(per_minute "${minutes[0]}")" -v b="$(per_minute "${minutes[${#minutes[@]} - 1]}")" 'BEGIN { exit !(b <= 1.5 * a) }'
bench_end
