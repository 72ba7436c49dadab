#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap.sh - how fast does prototap read a capture, and in how much memory? Beside tcpdump, capinfos and tshark, in turn.
#
# usage: bench/prototap.sh [--quick] [--rounds N]     (10 rounds, 1 GB and 3 GB: three minutes; quick: 50 MB)
#        bench/prototap.sh --counts [--rounds N]      (are the counts of 5 MB tshark's? CPU time of 50 MB: a warning at most)
# Whole processes, timed from outside, the file in the page cache. tcpdump copies the packets to /dev/null, capinfos counts them,
# tshark adds up connections: only that is the same work. A part is added up by tshark's own fields and held against
# prototap's. A second tcpdump in each round shows how far two runs of one and the same program are apart.
# shellcheck disable=SC2317  # what alternate, holds and on_exit call
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

LIMIT=1.0		# to tcpdump
LAST=1.0 WORSE=1.5	# CPU time to tcpdump's in the last release; a warning at so many times as much
MEMORY=$((64 << 20))

counts=0
[ "${1-}" != --counts ] || { counts=1 && shift; }
bench_begin prototap "$@"
for peer in tcpdump:tcpdump capinfos:wireshark-common tshark:tshark; do need "${peer%:*}" "${peer#*:}"; done
say_versions "$TP_BIN/prototap" tcpdump capinfos tshark
size=1000000000 longer=3000000000 part=200000
[ "$BENCH_QUICK" = 0 ] || size=50000000 longer=150000000 part=20000
file=$BENCH_WORK/capture.pcap

make_capture() {	# BYTES
	"$BENCH_TOOLS/capture" --bytes "$1" "$file" >"$BENCH_WORK/made" ||
		die "no room for $1 bytes in $BENCH_WORK; set TMPDIR to a folder that has"
	cat "$file" >/dev/null	# into the page cache
}

command_of() {	# sets command
	case $1 in
	prototap) command=("$TP_BIN/prototap" read "$file") ;;
	tcpdump | again) command=(tcpdump -r "$file" -w /dev/null) ;;
	capinfos) command=(capinfos -c -d "$file") ;;
	tshark) command=(tshark -r "$file" -q -z 'conv,tcp') ;;
	esac
}

timed() {	# CONTENDER ROUND
	local command wall cpu peak status
	command_of "$1"
	"$BENCH_TOOLS/clocked" "$BENCH_WORK/took" "${command[@]}" >"$BENCH_WORK/out" 2>"$BENCH_WORK/err"
	read -r wall cpu peak status <"$BENCH_WORK/took"
	[ "$status" = 0 ] || die "${command[0]} ended with status $status: $(tail -n 1 "$BENCH_WORK/err")"
	note wall "$1" "$2" "$wall"
	note cpu "$1" "$2" "$cpu"
	note peak "$1" "$2" "$peak"
}

# Transport and the client's port -> packets, bytes on the wire, payload bytes, of which sent again; by tshark, and by prototap.
compare_counts() {	# FILE
	tshark -r "$1" -Y 'tcp or udp' -T fields -e tcp.srcport -e tcp.dstport -e tcp.len -e udp.srcport -e udp.dstport \
		-e udp.length -e frame.len -e tcp.analysis.retransmission 2>/dev/null |
		awk -F'\t' '
			$1 != "" { c = "tcp " ($1 > 30000 ? $1 : $2); payload[c] += $3; again[c] += $8 != "" }
			$1 == "" { c = "udp " ($4 > 30000 ? $4 : $5); payload[c] += $6 - 8 }
			{ packets[c]++; bytes[c] += $7 }
			END { for (c in packets) print c, packets[c], bytes[c], payload[c], again[c] + 0 }' | sort >"$BENCH_WORK/by-tshark"
	"$TP_BIN/prototap" read "$1" --flows 100 --format json |
		jq -r '.result.flows[] | [.transport, .client_port, .packets, .wire_bytes,
			.payload_bytes + .input.retransmitted_bytes + .display.retransmitted_bytes,
			.input.retransmitted_packets + .display.retransmitted_packets] | map(tostring) | join(" ")' | sort >"$BENCH_WORK/by-prototap"
	[ -s "$BENCH_WORK/by-tshark" ] && cmp -s "$BENCH_WORK/by-tshark" "$BENCH_WORK/by-prototap"
}

if [ "$counts" = 1 ]; then
	make_capture 5000000
	holds "connections, packets, bytes, payload and packets sent again as tshark counts them" compare_counts "$file"
	make_capture 50000000
	alternate "$(rounds 5 5)" timed prototap tcpdump
	awk -v a="$(median cpu prototap)" -v b="$(median cpu tcpdump)" -v last=$LAST -v worse=$WORSE 'BEGIN {
		printf "CPU time to tcpdump: %.2f, in the last release %.2f\n", a / b, last
		if (a / b > worse * last) print "WARNING: prototap reads more slowly than in the last release; run bench/prototap.sh" }'
	bench_end
fi

# --- time ---

make_capture "$size"
echo "capture: $(cat "$BENCH_WORK/made"), in $BENCH_WORK"
warm_up() { timed "$1" 0; }
alternate 1 warm_up prototap tcpdump capinfos
: >"$BENCH_WORK/values"
n=$(rounds 10 2)
alternate "$n" timed prototap tcpdump capinfos again
alternate "$(rounds 8 1)" timed tshark
# tshark takes twenty times as long: its rounds come after the others, and its ratio is no matter of percents
echo
ratio_head
ratio wall prototap tcpdump $LIMIT 1e-6 ms
ratio wall prototap capinfos '' 1e-6 ms
ratio wall prototap tshark '' 1e-6 ms
ratio wall again tcpdump '' 1e-6 ms
ratio cpu prototap tcpdump '' 1e-6 ms
ratio cpu prototap capinfos '' 1e-6 ms
ratio cpu again tcpdump '' 1e-6 ms

# --- memory ---

echo
peak_mb() { median peak "$1" | awk '{ printf "%.1f MB", $1 / 1e6 }'; }
echo "peak memory at $size bytes: prototap $(peak_mb prototap), tcpdump $(peak_mb tcpdump)," \
	"capinfos $(peak_mb capinfos), tshark $(peak_mb tshark)"
small() { [ "$(median peak prototap | awk '{ printf "%d", $1 }')" -lt "$MEMORY" ]; }
holds "prototap stays below 64 MiB" small

# --- the same figures? ---

tcpdump -r "$file" -c "$part" -w "$BENCH_WORK/part.pcap" 2>/dev/null || die "cannot cut off a part of the capture"
same() { compare_counts "$BENCH_WORK/part.pcap"; }
holds "the first $part packets: connections, packets, bytes, payload and packets sent again as tshark counts them" same

rm -f "$BENCH_WORK/part.pcap"
: >"$BENCH_WORK/values"
make_capture "$longer"
timed prototap 1
echo "peak memory at $longer bytes: prototap $(peak_mb prototap) ($(cat "$BENCH_WORK/made"))"
holds "prototap stays below 64 MiB" small
echo
bench_end
