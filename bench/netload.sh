#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# netload.sh - does netload hold its rate in every second, and how fast can it go? Judged by the
# interface's own counters, beside iperf3, in turn, in the same two network namespaces.
#
# usage: bench/netload.sh [--quick] [--rounds N]     (8 rounds; 6 minutes; quick: 1 round of two rates)
# Rates are in bits of whole frames; iperf3, which counts payload, is told so much less. A second's
# rate is that of the bytes which the sender's interface has sent (/proc/net/dev), over the time between two readings; a reading
# that took over a millisecond is left out. With segmentation offload a packet is many frames: there it is the rate of full frames
# with the payload that was sent (the bytes less a header for each packet).
# shellcheck disable=SC2317  # what alternate, holds and on_exit call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

PERCENT=0.5	# that a second may be off

bench_begin netload "$@"
need iperf3 iperf3
say_versions "$TP_BIN/netload" iperf3
rates=(1 5 9.6 50 96) fast=(5000 10000) seconds=5 top=3
[ "$BENCH_QUICK" = 0 ] || { rates=(5 50) fast=(); seconds=2; top=1; }
n=$(rounds 8 1)
work=$BENCH_WORK
export LAB_RUN=$work/lab LAB_RATE=none LAB_DELAY=''
lab_use local
lab_up
trap 'exit 130' INT TERM HUP
shared=''
[ "$LAB_SHARED_CPUS" = 0 ] || shared=' (shared with others)'
echo "two namespaces joined by a pair of virtual interfaces without a shaper, offloads off;" \
	"sender on CPU $LAB_CPUS_server, receiver on CPU $LAB_CPUS_client$shared"

lab_start client netload-serve "$TP_BIN/netload" serve --bind "$LAB_ADDR_client" --port 5210
lab_ready netload-serve 10 || exit 1
lab_start client iperf3-serve iperf3 -s -B "$LAB_ADDR_client" -p 5201
wait_until 10 lab_listens client 5201 || die "iperf3 does not listen: $(tail -n 1 "$LAB_LOG/iperf3-serve.err")"

sender() {	# CONTENDER TRANSPORT MBIT SECONDS: sets SENDER
	local udp payload
	case $1 in
	netload)
		udp=() && [ "$2" = tcp ] || udp=(--udp)
		lab_start server sender "$TP_BIN/netload" send "$LAB_ADDR_client:5210" --rate "${3}Mbit" \
			-t "${4}s" ${udp[@]+"${udp[@]}"} --format json ;;
	iperf3)
		udp=() payload=1448 && [ "$2" = tcp ] || { udp=(-u -l 1472); payload=1472; }
		lab_start server sender iperf3 -c "$LAB_ADDR_client" -p 5201 -t "$4" ${udp[@]+"${udp[@]}"} \
			-J -b "$(awk -v r="$3" -v p="$payload" 'BEGIN { printf "%.0f", r * 1e6 * p / 1514 }')" ;;
	esac
	SENDER=$LAB_PID
}

# What the sender's interface has sent, each second: "before-us after-us bytes". (Beside the receiver: the sender's CPU is its own.)
sampler='
	for ((i = 0; i <= $2; i++)); do
		a=${EPOCHREALTIME/[.,]/}
		while read -r name rest; do [ "$name" != "$1:" ] || set -- "$1" "$2" $rest; done </proc/net/dev
		b=${EPOCHREALTIME/[.,]/}
		echo "$a $b ${11} ${12}"
		set -- "$1" "$2"
		read -r -t 1 -u 9 || :
	done 9<> <(:)'

held() {	# CONTENDER ROUND, at $mbit by $transport
	sender "$1" "$transport" "$mbit" $((seconds + 20))
	wait_until 5 sends || die "$1 does not send: $(tail -n 1 "$LAB_LOG/sender.err" "$LAB_LOG/sender.out")"
	nap 0.5
	lab_exec -C server bash -c "$sampler" sampler "$LAB_IF_server" "$seconds" >"$work/seconds" || die "the counters cannot be read"
	lab_stop "$SENDER"
	awk -v want="$mbit" -v header="$([ "$offload" = off ] && echo 0 || { [ "$transport" = tcp ] && echo 66 || echo 42; })" '
		{ sent = ($3 - header * $4) * 1514 / (1514 - header) }
		NR > 1 && ok && $2 - $1 < 1000 { printf "%.5f\n", 100 * (8 * (sent - before) / ($1 - at) / want - 1) }
		{ ok = $2 - $1 < 1000; at = $1; before = sent }' "$work/seconds" |
		while read -r off; do note "off $transport $mbit" "$1" "$2" "$off"; done
}

sends() {	# more than it takes to get to know each other
	local before after
	before=$(sent_bytes) && nap 0.1 && after=$(sent_bytes) && [ $((after - before)) -gt 4000 ]
}
sent_bytes() { lab_exec -C server awk -v name="$LAB_IF_server:" '$1 == name { print $10 }' /proc/net/dev; }

offload() {	# on|off: at both ends, as the lab switches it; sets $offload
	local role interface
	offload=$1
	for role in server client; do
		interface=LAB_IF_$role
		lab_exec -R "$role" ethtool -K "${!interface}" tso "$1" gso "$1" gro "$1" >/dev/null 2>&1 || return
		lab_exec -R "$role" ethtool -K "${!interface}" tx-udp-segmentation "$1" >/dev/null 2>&1
	done
	return 0
}

fastest() {	# CONTENDER ROUND
	local rate
	case $1 in
	netload)
		rate=$(lab_exec server "$TP_BIN/netload" send "$LAB_ADDR_client:5210" --rate max -t "${top}s" --format json 2>"$work/err" |
			jq .result.received_payload_mbit_s) ;;
	iperf3)
		rate=$(lab_exec server iperf3 -c "$LAB_ADDR_client" -p 5201 -t "$top" -J 2>"$work/err" |
			jq '.end.sum_received.bits_per_second / 1e6')
		;;
	esac
	[ -n "$rate" ] || die "$1 told no rate: $(tail -n 1 "$work/err")"
	note 'top rate' "$1" "$2" "$rate"
}

echo
echo "rate of each second against what was asked for, in percent of it; from 5000 Mbit/s on with segmentation offload"
offload=off
for transport in tcp udp; do
	for mbit in "${rates[@]}"; do alternate "$([ "$n" -gt 2 ] && echo 2 || echo "$n")" held netload iperf3; done
done
offload on || fast=()
for transport in tcp udp; do
	for mbit in ${fast[@]+"${fast[@]}"}; do alternate "$n" held netload iperf3; done
done
awk -F'\t' -v rates="${rates[*]} ${fast[*]-}" '
$1 ~ /^off/ { k = $1 "," $2; n[k]++; sum[k] += $4; v = $4 < 0 ? -$4 : $4; if (v > worst[k]) worst[k] = v }
function cell(k) { return n[k] ? sprintf("%4d %+9.3f %7.3f", n[k], sum[k] / n[k], worst[k]) : "   -         -       -" }
END {
	printf "%-16s | netload: n      mean   worst | iperf3: n      mean   worst\n", "asked"
	for (t = 1; t <= 2; t++) for (i = 1; i <= split(rates, r, " "); i++) {
		name = "off " (t == 1 ? "tcp" : "udp") " " r[i]
		printf "%3s %5s Mbit/s  |     %s  |     %s\n", t == 1 ? "tcp" : "udp", r[i], cell(name ",netload"), cell(name ",iperf3")
	}
}' "$work/values"
within() {
	awk -F'\t' -v most="$PERCENT" '$1 ~ /^off/ && $2 == "netload" { n++; if ($4 > most || $4 < -most) bad++ }
		END { exit !n || bad }' "$work/values"
}
holds "every second of netload is within $PERCENT % of its frame bits" within
echo
offload off
alternate "$n" fastest netload iperf3
ratio_head
ratio 'top rate' netload iperf3 '>0.9' 1 Mbit/s
lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
lab_down
bench_end
