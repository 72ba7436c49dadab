#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# live.sh - does prototap lose packets where tcpdump loses none? Live, 100,000 packets a second, in turn with tcpdump -w.
#
# usage: bench/live.sh [--quick] [--rounds N] [RATE]     (8 rounds of 5 s for each of four: five minutes; quick: 1 round of 1 s)
# A pair of virtual interfaces in a network namespace that dies with this script. One sender, the same packets and rate for all; it
# has a CPU and the capture has another, where there are two. Lost = sent - captured; what the tool itself says it dropped must
# agree. tcpdump has its usual ring of 2 MiB and prototap its own of 32 MiB; prototap-2M, for information, has tcpdump's.
# shellcheck disable=SC2317  # what alternate, holds and on_exit call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

if [ "${1-}" != --inside ]; then
	[ "$(id -u)" = 0 ] || as=--map-root-user
	# shellcheck disable=SC2086  # an option or none
	exec unshare --net ${as-} -- setpriv --pdeathsig KILL "$0" --inside "$@"
fi
shift
rate=100000
if [[ ${*: -1} =~ ^[0-9]+$ && ${*: -2:1} != --rounds ]]; then
	rate=${*: -1}
	set -- "${@:1:$#-1}"
fi
bench_begin live "$@"
need tcpdump tcpdump
say_versions "$TP_BIN/prototap" tcpdump
seconds=5
[ "$BENCH_QUICK" = 0 ] || seconds=1
n=$(rounds 8 1)
mapfile -t cpus < <(allowed_cpus)
sender=${cpus[0]} capturer=${cpus[-1]}
[ "${#cpus[@]}" -gt 1 ] || echo "one CPU only: sender and capture share it, so packets may be lost to the sender's turn"

# No IPv6 chatter, and big packets neither joined nor split.
sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
ip link add name out type veth peer name in && ip link set out up && ip link set in up || die "cannot make a pair of interfaces"
file=$BENCH_WORK/packets.pcap
"$BENCH_TOOLS/capture" --packets $((rate * seconds)) --tcp-only "$file" >"$BENCH_WORK/made" ||
	die "no room in $BENCH_WORK; set TMPDIR to a folder that has"
echo "sent: $(cat "$BENCH_WORK/made") in $seconds s; sender on CPU $sender, capture on CPU $capturer"

command_of() {	# sets command
	local prototap=("$TP_BIN/prototap" live -i in --port 5900-5923 --format json -o "$BENCH_WORK/report")
	case $1 in
	tcpdump) command=(tcpdump -i in -Z root -w "$BENCH_WORK/written" 'tcp portrange 5900-5923') ;;
	prototap) command=("${prototap[@]}") ;;
	prototap-w) command=("${prototap[@]}" -w "$BENCH_WORK/written") ;;
	prototap-2M) command=("${prototap[@]}" -w "$BENCH_WORK/written" --buffer 2M) ;;
	esac
}

counts() {	# CONTENDER: "captured dropped" as the tool says
	case $1 in
	tcpdump)
		awk '/packets? captured/ { c = $1 } /packets? dropped by kernel/ { d = $1 } END { print c + 0, d + 0 }' "$BENCH_WORK/err"
		;;
	*) jq -r '.result.capture | "\(.packets) \(.dropped)"' "$BENCH_WORK/report" ;;
	esac
}

under_flood() {	# CONTENDER ROUND
	local command pid sent reached late captured dropped ran _
	command_of "$1"
	rm -f "$BENCH_WORK/written" "$BENCH_WORK/report"
	: >"$BENCH_WORK/err"	# the one before said it was ready, too
	setpriv --pdeathsig KILL taskset -c "$capturer" "${command[@]}" >"$BENCH_WORK/out" 2>"$BENCH_WORK/err" &
	pid=$!
	wait_until 10 grep -qE '^ready|listening on' "$BENCH_WORK/err" || die "$1 does not start: $(tail -n 1 "$BENCH_WORK/err")"
	taskset -c "$sender" "$BENCH_TOOLS/flood" out "$file" "$rate" >"$BENCH_WORK/sent" || [ -s "$BENCH_WORK/sent" ] || die "cannot send"
	read -r sent _ reached late <"$BENCH_WORK/sent"
	nap 1.3		# tcpdump looks into its ring once a second, and what is there when it is told to end is lost
	read -r ran _ <"/proc/$pid/schedstat"
	kill -INT "$pid"
	wait "$pid"
	note cpu "$1" "$2" "$ran"
	read -r captured dropped < <(counts "$1")
	note lost "$1" "$2" $((sent - captured))
	[ "$dropped" = $((sent - captured)) ] || note disagree "$1" "$2" "$dropped"
	printf 'round %-3d %-12s sent %s at %s/s (behind %s ms at most), captured %s, dropped %s\n' \
		"$2" "$1" "$sent" "$reached" "$late" "$captured" "$dropped" >>"$BENCH_WORK/rows"
}

contenders=(tcpdump prototap prototap-w prototap-2M)
alternate "$n" under_flood "${contenders[@]}"
cat "$BENCH_WORK/rows"
echo
echo "what          rounds | with loss  packets lost"
for c in "${contenders[@]}"; do
	awk -F'\t' -v c="$c" '$1 == "lost" && $2 == c { n++; if ($4) { rounds++; lost += $4 } }
		END { printf "%-13s %6d | %9d %13d\n", c, n, rounds, lost }' "$BENCH_WORK/values"
done
echo
ratio_head
for c in prototap prototap-w prototap-2M; do ratio cpu "$c" tcpdump '' 1e-6 ms; done
echo

agreed() { ! grep -q '^disagree' "$BENCH_WORK/values"; }
# no loss in any round in which tcpdump had none, and there was such a round
no_worse() {
	awk -F'\t' -v c="$1" '$1 != "lost" { next } $2 == "tcpdump" { t[$3] = $4 } $2 == c { p[$3] = $4 }
		END { for (r in t) if (t[r] == 0) { seen = 1; if (p[r] != 0) bad = 1 } exit !seen || bad }' "$BENCH_WORK/values"
}
holds "what each tool says it dropped is what was sent less what it captured" agreed
for c in prototap prototap-w; do
	holds "$c lost nothing in any round in which tcpdump -w lost nothing" no_worse "$c"
done
echo
bench_end
