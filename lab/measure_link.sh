#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# measure_link.sh SERVER,CLIENT - the link between two machines that ssh reaches (".": this one), as JSON on standard output:
# round trip by ping, rate each way by TCP, loss each way by UDP at a fifth of that rate (at most 2 Mbit/s), and `link`, all of it
# as --link takes it. The rates are in bits of whole frames. Takes about half a minute, and fills the link for 3 s each way.
TP_TOOL=thinprobe
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh" || exit 1
set -u
PORT=5210 PINGS=100

LAB_RUN=$(mktemp -d "${TMPDIR:-/tmp}/thinprobe-link.XXXXXX" 2>/dev/null) && echo $$ >"$LAB_RUN/pid" ||
	die "cannot make a folder in ${TMPDIR:-/tmp}"
LAB_LOG=$LAB_RUN/log
on_exit rm -rf -- "$LAB_RUN"

# load FROM TO OPTION...: prints the report of netload from one role to the other.
load() {
	local from=$1 to
	to=$(lab_url "$2")
	shift 2
	lab_exec "$from" "$TP_BIN/netload" send "$to:$PORT" "$@" --format json 2>"$LAB_LOG/netload.err" </dev/null ||
		[ $? = 3 ] || return	# 3: frames were lost, which is what is asked
}

# number FILTER: that of a report, if it is one; 1: it is none.
number() { jq -se "first | .result.$1 | numbers" 2>/dev/null; }

# A fifth of so many Mbit/s, as an option.
fifth() { jq -nr --argjson mbit "$1" '[$mbit / 5, 2] | min * 1e6 | round | "\([., 1000] | max)bit"'; }

# Words of --link: three digits, one rate where both are within 5 %. Of a ping's deviation (both ways) a uniform jitter of each way
# is sqrt(3 / 2) times.
words='def digits: if . == 0 then 0 else (. | fabs | log10 | floor) as $e | pow(10; 2 - $e) as $p | . * $p | round / $p end;
	def time: digits | if . == 0 then "0" else "\(.)ms" end;
	def rate: . * 1000 | digits | if . >= 1000 then "\(. / 1000)Mbit" else "\(.)Kbit" end;
	def loss: [.down_lost_percent, .up_lost_percent | values]
		| if . == [] then null else add / length end;
	. + {link: ("\(if .up_mbit_s / .down_mbit_s | . > 0.95 and . < 1.05 then .down_mbit_s | rate
		else "\(.down_mbit_s | rate)/\(.up_mbit_s | rate)" end),\(.rtt_ms / 2 | time),\(.rtt_mdev_ms * 1.22 | time)"
		+ ",\(loss // .ping_lost_percent / 2 | digits)%")}'

lab_use ssh "$1"
lab_up
lab_has client ping ||
	die "-$EXIT_MISSING" "--link measure: no ping$LAB_AT_client; apt-get install --no-install-recommends iputils-ping"
pings=$(lab_exec client ping -n -q -c "$PINGS" -i 0.2 -W 3 "$LAB_ADDR_server" 2>/dev/null </dev/null)
read -r lost rtt mdev < <(LC_ALL=C awk -F'[ /]' '/packet loss/ { match($0, /[0-9.]+% packet loss/); lost = substr($0, RSTART) + 0 }
	/^rtt / { sub(/.*= /, ""); print lost, $2, $4 }' <<<"$pings")
[[ "${lost-} ${rtt-} ${mdev-}" =~ ^[0-9.]+\ [0-9]+(\.[0-9]+)?\ [0-9]+(\.[0-9]+)?$ ]] ||	# (what another host says)
	die "--link measure: the server ($LAB_ADDR_server) does not answer a ping of the client; allow it, or give --link as numbers"
for role in server client; do
	address=LAB_ADDR_$role
	lab_start "$role" "serve-$role" "$TP_BIN/netload" serve --bind "${!address}" --port "$PORT"
	lab_ready "serve-$role" 10 || die "--link measure: netload cannot listen at ${!address}, port $PORT"
done
of_down='' of_up=''
for way in "down server client" "up client server"; do
	read -r name from to <<<"$way"
	mbit=$(load "$from" "$to" --rate max -t 3s | number 'received_mbit_s | select(. > 0)') ||
		die "--link measure: no test traffic from the $from reaches the $to (port $PORT and higher; firewall?):" \
			"$(tail -n 1 "$LAB_LOG/netload.err")"
	loss=$(load "$from" "$to" --udp --frame-size 200 --rate "$(fifth "$mbit")" -t 5s | number lost_percent) || loss=null
	[ -n "${loss#null}" ] ||
		warn "--link measure: no UDP from the $from reaches the $to; the loss of the other way, or half of ping's, is used instead"
	printf -v "of_$name" '{"%s_mbit_s": %s, "%s_lost_percent": %s}' "$name" "$mbit" "$name" "${loss:-null}"
done
lab_down
jq -n --arg hosts "$1" --argjson rtt "$rtt" --argjson mdev "$mdev" --argjson lost "$lost" --argjson pings "$PINGS" \
	--argjson down "$of_down" --argjson up "$of_up" '{$hosts, at: (now | todate), $pings, rtt_ms: $rtt, rtt_mdev_ms: $mdev,
	ping_lost_percent: $lost} + $down + $up | '"$words"
