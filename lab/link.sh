# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# link.sh - the link of the local lab: its numbers, what makes them true (tbf, netem, or the delay
# line, `delayline`), and changing them while it is up. For local.sh, and for local/hold.sh, which makes
# the link.
#
# LAB_LINK is the kind of link that was made: veth (a pair, with tbf if there is a rate), netem (the same with netem), wire (two TAP
# interfaces joined by `delayline`, which then does everything). docs/links.md describes them and their accuracy.

# link_numbers RATE QUEUE LEAST DELAY JITTER LOSS: RATE: each way, or DOWN/UP as the client has it:
# from the server, and to it; LEAST: packets that find room whatever the queue's time; delay, jitter
# and loss may be empty. Sets LINK_TBF_server and LINK_TBF_client (words for tc at that end; empty: no
# rate), LINK_NETEM (words; empty: nothing asked for), LINK_WIRE (array: orders, as `delayline` takes
# them). 1 with LAB_WHY: what is no number.
link_numbers() {
	local said
	said=$(LC_ALL=C awk -v rate="$1" -v queue="$2" -v least="$3" -v delay="$4" -v jitter="$5" -v loss="$6" '
		function bits(t,  n, u) {
			if (t !~ /^[0-9]+(\.[0-9]+)?[KkMmGg]?bit(\/s)?$/) return -1
			n = t + 0; u = t; gsub(/[0-9.]/, "", u); u = tolower(substr(u, 1, 1))
			n *= u == "k" ? 1e3 : u == "m" ? 1e6 : u == "g" ? 1e9 : 1
			return n < 1000 ? -1 : n
		}
		function seconds(t,  u) {
			if (t == "") return 0
			if (t !~ /^([0-9]+(\.[0-9]+)?(us|ms|s)|0)$/) return -1
			u = t; gsub(/[0-9.]/, "", u)
			return (t + 0) * (u == "us" ? 1e-6 : u == "ms" ? 1e-3 : 1)
		}
		function wrong(what) { printf "bad %s\n", what; bad = 1; exit }
		BEGIN {
			said = rate; gsub(/bit\/s/, "bit", said)
			if (split(said, way, "/") < 2) way[2] = way[1]
			if (said ~ /\/.*\/|none.|.none/) way[1] = ""
			for (i = 1; i <= 2; i++) {
				n[i] = way[i] == "none" ? 0 : bits(way[i])
				if (n[i] < 0) wrong("LAB_RATE=" rate ": want a rate like 100Mbit, DOWN/UP like 1500Kbit/384Kbit, or none")
			}
			q = seconds(queue); d = seconds(delay); j = seconds(jitter)
			if (q <= 0 || q > 60) wrong("LAB_QUEUE=" queue ": want a time like 50ms")
			if (d < 0 || d > 10) wrong("LAB_DELAY=" delay ": want a time like 50ms, 10s at most")
			if (j < 0 || j > 10) wrong("LAB_JITTER=" jitter ": want a time like 5ms, 10s at most")
			if (loss == "") loss = 0
			if (loss !~ /^[0-9]+(\.[0-9]+)?$/ || loss > 100) wrong("LAB_LOSS=" loss ": want percent, such as 0.5")
			split("server client", end, " "); split("forth back", order, " ")
			for (i = 1; i <= 2; i++) {
				# Bytes that pass in one millisecond, and in the time the queue may hold (tbf takes bytes).
				burst = n[i] / 8 / 1000; if (burst < 3 * 1514) burst = 3 * 1514
				limit = n[i] / 8 * q; if (limit < least * 1514) limit = least * 1514
				if (n[i]) printf "%s rate %.0fbit burst %.0f limit %.0f\n", end[i], n[i], burst, limit
				printf "wire %s rate %s\n", order[i], n[i] ? sprintf("%.0fbit", n[i]) : "none"
				wait = (n[i] ? limit * 8 / n[i] : q) * 1e6; if (wait > 60e6) wait = 60e6	# (the most that it takes)
				printf "wire %s queue %.3fus\n", order[i], wait
			}
			if (delay jitter loss != "0")
				printf "netem delay %.0fus%s%s\n", d * 1e6,
					j ? sprintf(" %.0fus", j * 1e6) : "", loss + 0 ? " loss " loss "%" : ""
			printf "wire delay %.3fus\nwire jitter %.3fus\nwire loss %s\n", d * 1e6, j * 1e6, loss
		}')
	LINK_TBF_server='' LINK_TBF_client='' LINK_NETEM='' LINK_WIRE=()
	local word rest
	while read -r word rest; do
		case $word in
		bad) LAB_WHY=$rest; return 1 ;;
		server) LINK_TBF_server=$rest ;;
		client) LINK_TBF_client=$rest ;;
		netem) LINK_NETEM=$rest ;;
		wire) LINK_WIRE+=("$rest") ;;
		esac
	done <<<"$said"
}

# Chooses how packets are delayed: sets LAB_LINK, for the numbers of link_numbers; 1 with LAB_WHY. LAB_DELAY_BY=netem|wire asks for
# one of them.
link_choose() { # COMMAND...: in a namespace of a host, as its root
	LAB_LINK=veth
	[ -n "$LINK_NETEM${LAB_DELAY_BY-}" ] || return 0
	LAB_LINK=${LAB_DELAY_BY:-netem}
	LAB_WHY="LAB_DELAY_BY=$LAB_LINK: netem or wire"
	case $LAB_LINK in
	wire) ;;
	netem) link_has_netem "$@" || { LAB_WHY="this kernel has no netem"; [ -z "${LAB_DELAY_BY-}" ] || return; LAB_LINK=wire; } ;;
	*) return 1 ;;
	esac
	[ "$LAB_LINK" = netem ] || [ -x "$TP_BIN/delayline" ] || {
		LAB_WHY+=", and the delay line is not built: thinprobe setup"
		return 1
	}
	[ "$LAB_LINK" = netem ] || [ -c /dev/net/tun ] || {
		LAB_WHY+=", and there is no /dev/net/tun for the delay line (modprobe tun)"
		return 1
	}
}

# link_words ROLE INTERFACE: sets LINK_WORDS, the command that gives that end of a veth pair these
# numbers, whether it had others or none (to be run as root of the host). Its status: 2: the kernel
# has no netem, 3: no tbf.
link_words() {
	local tbf=LINK_TBF_$1
	# shellcheck disable=SC2016 # another shell's
	LINK_WORDS=(sh -c '
		end=$1 tbf=$2 netem=$3 parent=root
		had=$(tc qdisc show dev "$end")
		if [ -n "$netem" ]; then
			tc qdisc replace dev "$end" root handle 1: netem $netem limit 100000 || exit 2
			parent="parent 1:1"
		fi
		if [ -n "$tbf" ]; then
			tc qdisc replace dev "$end" $parent handle 10: tbf $tbf || exit 3
		else
			case $had in *"qdisc tbf 10: $parent"*) tc qdisc del dev "$end" $parent || exit 3 ;; esac
		fi' sh "$2" "${!tbf}" "$LINK_NETEM")
}

# lab_link RATE QUEUE DELAY JITTER LOSS: changes the link, both ends, while sessions stay connected.
# Empty or -: as it was; none: off (a queue is never off). 1 with LAB_WHY where that cannot be had
# here; then nothing was changed. What is on its way keeps the times it was given.
lab_link() {
	local rate=${1-} queue=${2-} delay=${3-} jitter=${4-} loss=${5-} least=$LAB_QUEUE_LEAST
	LAB_WHY="the lab is not up"
	[ -n "${LAB_HOLDER-}" ] || return 1
	case $rate in '' | -) rate=$LAB_RATE ;; esac
	case $queue in '' | -) queue=$LAB_QUEUE ;; *) least=2 ;; esac
	case $delay in '' | -) delay=$LAB_DELAY ;; none) delay='' ;; esac
	case $jitter in '' | -) jitter=$LAB_JITTER ;; none) jitter='' ;; esac
	case $loss in '' | -) loss=$LAB_LOSS ;; none) loss='' ;; *) loss=${loss%\%} ;; esac
	link_numbers "$rate" "$queue" "$least" "$delay" "$jitter" "$loss" || return
	link_change || return
	LAB_RATE=$rate LAB_QUEUE=$queue LAB_QUEUE_LEAST=$least LAB_DELAY=$delay LAB_JITTER=$jitter LAB_LOSS=$loss
}

link_change() {
	local role end LINK_WORDS
	[ "$LAB_LINK" != wire ] || { link_change_wire; return; }
	[[ $LAB_LINK != veth || -z $LINK_NETEM ]] || link_has_netem lab_exec -R client ||
		{ LAB_WHY="this link was made without a delay line, and the kernel has no netem; bring the lab up with LAB_DELAY=0ms"; return 1; }
	[ "$LAB_LINK" != netem ] || : "${LINK_NETEM:=delay 0us}"	# it stays, for what is below it
	for role in server client; do
		end=LAB_IF_$role
		link_words "$role" "${!end}"
		lab_exec -R "$role" "${LINK_WORDS[@]}" >>"$LAB_WIRE.err" 2>&1 && continue
		case $? in
		2) LAB_WHY="this kernel cannot delay packets (no netem)" ;;
		3) LAB_WHY="this kernel cannot shape a link (no tbf)" ;;
		*) LAB_WHY="the $role cannot be entered" ;;
		esac
		[ "$role" = server ] || LAB_WHY+="; the server's end was changed already"
		return 1
	done
	[ -z "$LINK_NETEM" ] || LAB_LINK=netem
}

# Both sequences, of losses and of jitter, begin anew with each change (LAB_LINK_SEED), so that they can be had again.
link_change_wire() {
	local orders
	printf -v orders '%s\n' "${LINK_WIRE[@]}" "seed ${LAB_LINK_SEED:-1}"
	link_wire_report "$orders"
}

# link_wire_report [ORDERS]: sends the delay line these orders (each ends with a newline) and awaits its report, $LAB_WIRE.json:
# it comes after the orders were carried out.
link_wire_report() {
	rm -f -- "$LAB_WIRE.json"
	LAB_WHY="the delay line has ended: $(tail -n 1 -- "$LAB_WIRE.err" 2>/dev/null)"
	[ -p "$LAB_WIRE.control" ] && ! lab_gone "$LAB_WIRE_PID" || return
	LAB_WHY="the delay line does not answer"
	printf '%sreport\n' "${1-}" 1<>"$LAB_WIRE.control" && wait_until 5 test -s "$LAB_WIRE.json"
}

# link_facts: how packets are delayed, as JSON; with the delay line, what it adds of its own.
link_facts() {
	local wire=null
	[ "$LAB_LINK" != wire ] || ! link_wire_report ||
		wire=$(jq -c '.result | {added_delay_us: (.added_delay_us | del(.histogram)), unseen_us, scheduling, real_time, cpu_percent,
		ways: [.ways[] | {from, to, packets, lost, dropped_by_queue, dropped_no_room, dropped_before, refused}]}' \
			"$LAB_WIRE.json")
	jq -cn --arg kind "$LAB_LINK" --arg rate "$LAB_RATE" --arg queue "$LAB_QUEUE" \
		--argjson least "$LAB_QUEUE_LEAST" --arg delay "$LAB_DELAY" --arg jitter "$LAB_JITTER" \
		--arg loss "$LAB_LOSS" --argjson wire "${wire:-null}" '
		{kind: $kind, rate: $rate, queue: $queue, queue_least_packets: $least, delay: $delay, jitter: $jitter,
		loss_percent: ($loss | if . == "" then 0 else tonumber end)}
		+ if $wire == null then {} else {wire: $wire} end'
}

# Whether the kernel has netem: tried in a host's network namespace, since it then has netem in all.
link_has_netem() { # COMMAND...: in a namespace of a host, as its root
	"$@" sh -c 'tc qdisc add dev lo root netem delay 1ms && tc qdisc del dev lo root' >/dev/null 2>&1
}
