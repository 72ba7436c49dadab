# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# netload_inside.bash - what netload.bats does in a network of its own: `inside NETLOAD WHAT RATE OPTION...`.

until_ready() {	# FILE PATTERN
	for ((i = 0; i < 500; i++)); do ! grep -q "$2" "$1" 2>/dev/null || return 0; sleep 0.02; done
	cat "$1"
	return 1
}

# Until these words, sent as a datagram, stand in the capture: it has begun, or has all that went before.
captured() {	# FILE WORDS
	for ((i = 0; i < 200; i++)); do
		echo "$2" >/dev/udp/127.0.0.1/9
		sleep 0.05
		if grep -qa "$2" "$1" 2>/dev/null; then return 0; fi
	done
	return 1
}

# One load by TCP and one by UDP, in one capture. Frames of a load are those with a full payload, by tshark alone.
counts() {
	local capture how options
	"$netload" serve >/dev/null 2>serve.err &
	until_ready serve.err ready || return
	tshark -i lo -w capture.pcapng >/dev/null 2>tshark.err &
	capture=$!
	until_ready tshark.err Capturing || return
	captured capture.pcapng "here it begins" || return	# it says so a little before
	for how in tcp udp; do
		options=() && [ $how = tcp ] || options=(--udp)
		awk '$1 == "lo:" { print $10 }' /proc/net/dev >before
		"$netload" send 127.0.0.1:5210 --rate "$rate" -t 1s --catch-up 2s "${options[@]}" --format json -o "report.$how" 2>send.err || {
			cat send.err
			[ -s "report.$how" ] || return 1
		}
		awk -v before="$(cat before)" '$1 == "lo:" { print $10 - before }' /proc/net/dev >"interface.$how"
	done
	captured capture.pcapng "this was all" || return
	kill -INT "$capture"
	wait "$capture"
	for how in tcp udp; do
		tshark -r capture.pcapng -Y "$how and frame.len >= 1000" -T fields -e frame.len 2>/dev/null |
			awk '{ n++; sum += $1 } END { print n, sum }' >"tshark.$how"
	done
}

# Two ends of a veth pair with a token bucket between them; what arrived is counted by the other interface.
lossy() {
	local peer
	unshare --net sleep 600 &
	peer=$!
	# until it is in a network of its own, the other end would be made in ours
	for ((i = 0; i < 500; i++)); do [ "$(readlink "/proc/$peer/ns/net")" = "$(readlink /proc/self/ns/net)" ] || break; sleep 0.02; done
	there=(nsenter --net="/proc/$peer/ns/net")
	{
		ip link add here type veth peer name there netns "$peer" && ip addr add 10.9.0.1/24 dev here &&
			ip link set here up && "${there[@]}" ip addr add 10.9.0.2/24 dev there && "${there[@]}" ip link set there up
	} || return 1
	tc qdisc add dev here root tbf rate 4mbit burst 4542 limit 20000 2>/dev/null || return 77
	"${there[@]}" "$netload" serve --bind 10.9.0.2 >/dev/null 2>serve.err &
	until_ready serve.err ready || return
	"$netload" send 10.9.0.2:5210 --rate "$rate" -t 1s "$@" --format json -o report.json 2>send.err
	"${there[@]}" awk '$1 == "Udp:" && $2 ~ /^[0-9]/ { print $2 }' /proc/net/snmp >arrived
}

# A load to this server that uses MTU 1500, as Ethernet does; 3: some was given up.
one_load() {	# HOST OPTION...
	local status=0
	ip link set lo mtu 1500
	"$netload" serve >/dev/null 2>serve.err &
	until_ready serve.err ready || return
	"$netload" send "$1:5210" --rate "$rate" "${@:2}" --format json -o report.json 2>send.err || status=$?
	cat send.err
	[ "$status" = 0 ] || [ "$status" = 3 ]
}

# A name with two addresses; the server is at the second one only.
twofold() {
	printf '::1 twofold\n127.0.0.1 twofold\n' >hosts
	mount --bind hosts /etc/hosts && one_load twofold -t 300ms
}

large_frames() { one_load 127.0.0.1 -t 2s --frame-size 4000; }	# three segments each

inside() {
	local netload=$1 what=$2 rate=$3
	shift 3
	trap 'kill $(jobs -p) 2>/dev/null' EXIT
	"$what" "$@"
}
