#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# vusers.sh - how many users does one core carry, how punctually, and what do other tools tell of a
# server that stands still? Beside wrk and ab, in turn, against the same servers on another CPU.
#
# usage: kits/users/bench/vusers.sh [--quick] [--rounds N]     (8 rounds; 6 minutes; quick: 1 round)
# Users of VNC and the top rate meet vusers' own server (vusers serve), which costs less than any of
# the three; the pause is that of a server with a script, in Python (kits/users/tests/cli/vusers_server.py).
# shellcheck disable=SC2317  # what alternate and holds call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd) || exit 1
. "$here/lab/home.sh" || exit 1
. "$TP_HOME/lab/lib.sh"
. "$here/bench/lib.sh"

LATE_MS=5	# ms; at most 1 % of the keys of 10,000 users may be sent later than this

bench_begin vusers "$@"
need wrk wrk
need ab apache2-utils
need jq jq
need python3 python3
say_versions "$TP_BIN/vusers"
echo "peers: wrk $(wrk --version 2>&1 | sed -n 's/^wrk [^0-9]*\([0-9.]*\).*/\1/p' |
	head -n 1), ab $(ab -V | sed -n 's/.*Version \([0-9.]*\).*/\1/p')"
n=$(rounds 8 1)
users=10000 vnc_seconds=30 seconds=5 pause_seconds=10 connections=50
[ "$BENCH_QUICK" = 0 ] || { users=2000; vnc_seconds=5; seconds=2; pause_seconds=4; }
work=$BENCH_WORK
mapfile -t cpus < <(allowed_cpus)
mine=${cpus[0]} other=${cpus[1]:-${cpus[0]}}
[ "$mine" != "$other" ] || echo "one CPU only: users and server share it, and no figure is what it says"
echo "users on CPU $mine, servers on CPU $other"

servers=()
end_servers() {
	local pid
	for pid in ${servers[@]+"${servers[@]}"}; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
	servers=()
}
on_exit end_servers

# serve TARGET OPTION...: on the other CPU, and waits until it listens
serve() {
	: >"$work/serve.err"
	taskset -c "$other" "$TP_BIN/vusers" serve "$@" --format json -o "$work/serve.json" 2>"$work/serve.err" &
	servers+=("$!")
	wait_until 10 grep -qx ready "$work/serve.err" || die "the server does not start: $(tail -n 1 "$work/serve.err")"
}
port=$((20000 + RANDOM % 10000))

# --- users of VNC --------------------------------------------------------------------------------------------------

echo
echo "$users users of VNC on one core, a key every 5 s each:"
port=$((port + 1))
serve "vnc:127.0.0.1:$port" --width 32
for ((round = 1; round <= n; round++)); do
	taskset -c "$mine" "$TP_BIN/vusers" "vnc:127.0.0.1:$port" -n "$users" -z 5s -t "${vnc_seconds}s" \
		--warmup 10s --format json -o "$work/vnc.json" 2>"$work/err" || die "vusers: $(tail -n 1 "$work/err")"
	jq -r '.result | [.users_ready, .rate_per_s,
		(.generator | .late_ms.p50, .late_ms.p99, .late_ms.max, .cpu_percent, .memory_bytes_per_user), .valid]
		| map(tostring) | join(" ")' "$work/vnc.json" >>"$work/vnc"
	[ "$n" -le 3 ] || [ "$round" -lt 3 ] || break	# three are enough
done
end_servers
awk '{
	printf "  %d users, %.0f keys/s: late p50 %.3f ms, p99 %.3f ms, at most %.2f ms; ", $1, $2, $3, $4, $5
	printf "%.1f %% of the core; %d bytes a user; valid: %s\n", $6, $7, $8
}' "$work/vnc"
punctual() {
	awk -v n="$users" -v most="$LATE_MS" '{ rows++; if ($1 != n || $4 == "null" || $4 > most || $8 != "true") bad++ }
		END { exit !rows || bad }' "$work/vnc"
}
holds "all of them were there, and 1 % of keys at most left later than $LATE_MS ms" punctual

# --- those who keep no pixels beside whole clients ------------------------------------------------------------------------

port=$((port + 1))
echo
echo "200 users of VNC who keep no pixels and 8 of libvncclient, of the same server, whose answers take 2 ms;" \
	"from when a key was sent:"
serve "vnc:127.0.0.1:$port" --stations 2ms --service const --width 640
taskset -c "$mine" "$TP_BIN/vusers" "vnc:127.0.0.1:$port" -n 208 --watched 8 -z 2s -t "${vnc_seconds}s" \
	--warmup 2s --format json -o "$work/watched.json" 2>"$work/err" || die "vusers: $(tail -n 1 "$work/err")"
end_servers
jq -r '.result | ["no pixels", .from_sent_ms], ["all pixels", .watched_from_sent_ms] |
	"  \(.[0]): \(.[1].n) answers, p25 \(.[1].p25) ms, p50 \(.[1].p50) ms, p75 \(.[1].p75) ms"' "$work/watched.json"
agree() { jq -e '.result.watched_less_others_ms.p50 | . != null and fabs < 0.5' "$work/watched.json" >/dev/null; }
holds "both tell the same time, within half a millisecond (half are below it)" agree

# --- the top rate --------------------------------------------------------------------------------------------------

port=$((port + 1))
serve "http://127.0.0.1:$port/" --body 100
url=http://127.0.0.1:$port/
fastest() {	# CONTENDER ROUND: requests a second of CPU time
	local answered
	case $1 in
	vusers)
		taskset -c "$mine" "$BENCH_TOOLS/clocked" "$work/clock" "$TP_BIN/vusers" "$url" -n "$connections" \
			-z 0 -t "${seconds}s" --format json -o "$work/out" 2>"$work/err" || die "vusers: $(tail -n 1 "$work/err")"
		answered=$(jq .result.requests "$work/out")
		;;
	wrk)
		taskset -c "$mine" "$BENCH_TOOLS/clocked" "$work/clock" wrk -t1 -c"$connections" -d"${seconds}s" "$url" >"$work/out" 2>&1
		answered=$(sed -n 's/^ *\([0-9]*\) requests in.*/\1/p' "$work/out")
		;;
	ab)
		taskset -c "$mine" "$BENCH_TOOLS/clocked" "$work/clock" ab -q -k -c "$connections" -t "$seconds" \
			-n 100000000 "$url" >"$work/out" 2>&1
		answered=$(sed -n 's/^Complete requests: *//p' "$work/out")
		;;
	esac
	[ -n "$answered" ] || die "$1 told no number of requests: $(tail -n 1 "$work/out")"
	note 'requests per CPU second' "$1" "$2" "$(awk -v r="$answered" '{ print r * 1e9 / $2 }' "$work/clock")"
}
echo
echo "$connections users who do not think, on one core:"
alternate "$n" fastest vusers wrk ab
ratio_head
ratio 'requests per CPU second' vusers wrk '' 1 /s
ratio 'requests per CPU second' vusers ab '' 1 /s
end_servers

# --- a server that stands still ------------------------------------------------------------------------------------

# Requests due evenly over T seconds, of which one is a pause: (1 - x)/T of all wait longer than x.
open_rate=200
paused() {	# a fresh server: $url
	rm -f "$work/port"
	taskset -c "$other" python3 "$here/kits/users/tests/cli/vusers_server.py" \
		--pause-at "$(awk -v t="$pause_seconds" 'BEGIN { print t / 2 }')" --pause 1 >"$work/port" &
	servers+=("$!")
	wait_until 10 test -s "$work/port" || die "the server with a script does not start"
	url=http://127.0.0.1:$(cat "$work/port")/
}
echo
echo "a server that answers at once, but stands still for 1 s of $pause_seconds;" \
	"response time in ms below which 50, 90 and 99 % are, and the longest:"
paused
taskset -c "$mine" wrk -t1 -c10 -d"${pause_seconds}s" --latency "$url" >"$work/wrk" 2>&1
awk '/^ *(50|90|99)%/ { v = $2; ms = v + 0; if (v ~ /us$/) ms /= 1000; else if (v ~ /[0-9]s$/) ms *= 1000; p[$1] = ms }
	$1 == "Latency" && $2 != "Distribution" { m = $4; max = m + 0; if (m ~ /us$/) max /= 1000; else if (m ~ /[0-9]s$/) max *= 1000 }
	END { printf "  %-34s %8.1f %8.1f %8.1f %8.1f\n", "wrk, 10 connections, closed *", p["50%"], p["90%"], p["99%"], max }' "$work/wrk"
end_servers
paused
taskset -c "$mine" ab -q -k -c 10 -t "$pause_seconds" -n 10000000 "$url" >"$work/ab" 2>&1
awk '$1 == "50%" || $1 == "90%" || $1 == "99%" { p[$1] = $2 } $1 == "100%" { max = $2 }
	END { printf "  %-34s %8.1f %8.1f %8.1f %8.1f\n", "ab, 10 connections, closed", p["50%"], p["90%"], p["99%"], max }' "$work/ab"
end_servers
row() {
	jq -r --arg says "$1" '.result.response_ms | [.p50, .p90, .p99, .max]
		| map(if . == null then "-" else . * 10 | round / 10 | tostring end) | "\($says)\t\(join("\t"))"' "$2" |
		awk -F'\t' '{ printf "  %-34s %8s %8s %8s %8s\n", $1, $2, $3, $4, $5 }'
}
paused
taskset -c "$mine" "$TP_BIN/vusers" "$url" -n 10 -z 0 -t "${pause_seconds}s" --format json -o "$work/closed.json" 2>/dev/null
row "vusers, 10 users, closed" "$work/closed.json"
end_servers
paused
taskset -c "$mine" "$TP_BIN/vusers" "$url" -n 10 --open "$open_rate" --think-dist const \
	-t "${pause_seconds}s" --format json -o "$work/open.json" 2>/dev/null
row "vusers, 10 users, open, $open_rate/s" "$work/open.json"
end_servers
awk -v t="$pause_seconds" 'BEGIN { q = 1 - 1 / t; nine = 0.9 > q ? 1000 * (1 - t * 0.1) : 0;
	printf "  %-34s %8.1f %8.1f %8.1f %8.1f\n", "arithmetic, of an open loop", 0, nine, 1000 * (1 - t * 0.01), 1000 }'
echo "* wrk makes up for what it left out: as if each connection had asked at its mean interval"
tells() {	# the 99 % quantile within 5 % of the pause
	jq -e --argjson t "$pause_seconds" '.result.response_ms.p99 | . != null
		and (. / 1000 - (1 - 0.01 * $t) | fabs) < 0.05' "$work/open.json" >/dev/null
}
hides() {	# the others' own figures: 99 % below half a second
	awk '$1 == "99%" { n++; if ($2 >= 500) bad++ } END { exit !n || bad }' "$work/ab" &&
		jq -e '.result.response_ms.p99 < 500' "$work/closed.json" >/dev/null
}
if [ "$BENCH_QUICK" = 1 ]; then
	echo "(quick: nothing is decided)"
else
	holds "the open loop tells of the pause as arithmetic has it" tells
	holds "closed loops hide it (ab, and vusers itself): 99 % are below half a second" hides
fi
bench_end
