#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The link of the local lab: delay, loss and rate, changed while it is up, with netem or the delay line; nothing is left of it.

load world

setup() {
	world setpriv unshare nsenter ip tc ethtool jq ping
	[ -x "$TOP/bin/delayline" ] || skip "delayline is not built"
	may_have_hosts
}

# drive [PRELUDE]: runs a driver from standard input, with a function p (the smallest round trip of five pings, in ms).
drive() {
	{
		printf 'set -u\nW=%q\nexport TMPDIR=$W/tmp BATS_TEST_TMPDIR=$W LAB_LOCKS=$W/locks LAB_SHARED_CPUS=1; mkdir -p "$TMPDIR"\n' "$W"
		printf '%s\nLAB_RUN="$W/a run"\n. %q/lab/lib.sh\n. %q/tests/busy.bash\nlab_use local\n' "${1-}" "$TOP" "$TOP"
		cat <<'END'
p() { lab_exec -R client ping -n -q -c 5 -i 0.2 "$@" "$LAB_ADDR_server" | sed -n 's,^rtt [^=]*= \([0-9.]*\)/.*,\1,p'; }
between() {	# between LOW HIGH WORDS [OPTION OF PING...]: p is between LOW and HIGH; repeated if the machine delayed all pings
	local _ ms
	for _ in {1..5}; do
		busy_begin
		ms=$(p "${@:4}")
		awk -v ms="$ms" -v high="$2" 'BEGIN { exit !(ms != "" && ms + 0 >= high) }' && machine_was_busy 50 || break
	done
	awk -v a="$ms" -v b="$1" -v c="$2" 'BEGIN { exit !(a >= b && a < c) }' && echo "$3 is right" || echo "$3: $ms, not $1 to $2 ms"
}
END
		cat
	} >"$W/main.sh"
	[ ${#AS[@]} -eq 0 ] || chown 12345 "$W/main.sh"
	cd /
	run "${AS[@]}" timeout -k 10 240 bash "$W/main.sh"
	echo "$output"
}

delayed() {
	drive 'LAB_DELAY=20ms LAB_RATE=100Mbit LAB_DELAY_BY='"${1-}" <<'END'
lab_up
echo "link $LAB_LINK"
between 40 1000 "the delay"
lab_can server delay && echo "it can be changed"
lab_link - - 5ms none none || echo "$LAB_WHY"
between 10 40 "the new one"
lab_link 1Mbit 20ms none || echo "$LAB_WHY"
[ "$LAB_RATE $LAB_QUEUE $LAB_DELAY" = "1Mbit 20ms " ] && echo "known"
lab_link fast || echo "no: $LAB_WHY"
lab_link - - - - 101 || echo "no: $LAB_WHY"
[ "$LAB_RATE $LAB_LOSS" = "1Mbit " ] && echo "unchanged"
lab_exec -R server ip -o link show dev "$LAB_IF_server" | grep -o 'mtu 1500'
lab_exec -R server ethtool -k "$LAB_IF_server" | grep -c '^\(tcp-segmentation\|generic-segmentation\|generic-receive\)-offload: off'
lab_exec -R server ip neigh show | grep -o PERMANENT
lab_facts | jq -r '.link.line | "facts \(.kind) \(.rate) \(.queue)",
	if .wire then "own delay of \(.wire.added_delay_us.n >= 20)" else empty end'
lab_down
echo "delay again '$LAB_DELAY'"
ls -A "$W/a run/log"
END
	[ "$status" -eq 0 ] || [[ $output != *"no netem"* ]] || skip "this kernel has neither netem nor TAP devices: ${lines[0]}"
	[ "$status" -eq 0 ]
	[[ $output == *"the delay is right"*"it can be changed"*"the new one is right"*known*"no: LAB_RATE=fast"*"no: LAB_LOSS=101"* ]]
	[[ $output == *"no: LAB_LOSS=101"*unchanged*"mtu 1500"*$'\n3\n'*PERMANENT*"1Mbit 20ms"*"delay again '20ms'"* ]]
	[[ $output != *"link wire"* || $output == *"own delay of true"*"wire.json"* ]]
	[[ $output != *wire.control* ]]
}

@test "link: it has the delay, which can be changed while the lab is up" {
	delayed
}

@test "link: as an ordinary user, the delay line has the delay, which can be changed while the lab is up" {
	[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
	as_user
	delayed wire
}

@test "link: without a delay it is a veth pair; rate and queue can be changed; a queue that was asked for stays" {
	drive 'LAB_RATE=10Mbit' <<'END'
lab_up
echo "link $LAB_LINK"
limit() { lab_exec -R server tc -s -d qdisc show dev "$LAB_IF_server" | sed -n 's/.*rate \([^ ]*\).*lat \([^ ]*\).*/\1 \2/p'; }
limit
lab_link 10Mbit 20ms && limit
lab_link none && echo "none: $(limit)"
lab_link 5Mbit && limit
lab_link - - 5ms || { lab_can server delay || echo "no: $LAB_WHY"; }
END
	[ "$status" -eq 0 ]
	[[ $output != *"no tbf"* ]] || skip "this kernel has no tbf"
	# 64 packets of 1,514 bytes are 77.5 ms of 10 Mbit/s, 20 ms are 20; of both tc takes off what may
	# go at once (three packets, 3.6 ms)
	[ "${lines[0]}" = "link veth" ]
	[ "${lines[1]}" = "10Mbit 73.9ms" ]
	[ "${lines[2]}" = "10Mbit 16.4ms" ]
	[ "${lines[3]}" = "none: " ]
	[[ ${lines[4]} == "5Mbit 12.7ms" ]]
	[[ ${lines[5]-} == "" || ${lines[5]} == *"LAB_DELAY=0ms"* ]]
}

@test "link: DOWN/UP: rate DOWN at the server's end, UP at the client's; also with the delay line" {
	drive 'LAB_RATE=1500Kbit/384Kbit LAB_QUEUE=2s' <<'END'
lab_up
for role in server client; do
	end=LAB_IF_$role
	echo "$role $(lab_exec -R $role tc qdisc show dev "${!end}" | sed -n 's/.*rate \([^ ]*\).*/\1/p')"
done
lab_link 1Mbit/none || echo "no: $LAB_WHY"
lab_link 3Mbit/1Mbit && lab_exec -R client tc qdisc show dev "$LAB_IF_client" | sed -n 's/.*rate \([^ ]*\).*/then \1/p'
END
	[ "$status" -eq 0 ]
	[[ $output != *"no tbf"* ]] || skip "this kernel has no tbf"
	[ "${lines[0]}" = "server 1500Kbit" ]
	[ "${lines[1]}" = "client 384Kbit" ]
	[[ ${lines[2]} == "no: LAB_RATE=1Mbit/none: "* ]]
	[ "${lines[3]}" = "then 1Mbit" ]
	[ -c /dev/net/tun ] || return 0
	# a lone frame of 1,042 bytes each way: 5.6 ms at 1500 Kbit/s and 21.7 ms at 384
	drive 'LAB_RATE=1500Kbit/384Kbit LAB_DELAY_BY=wire LAB_QUEUE=2s' <<'END'
lab_up
between 27.2 60 "the ping" -s 1000
link_wire_report && jq -r '.settings
	| "wire \(.forth.rate_bits_per_s) \(.back.rate_bits_per_s) \(.forth.queue_ms | round)"' "$LAB_WIRE.json"
END
	said 0 "the ping is right" "wire 1500000 384000 2000"
}

@test "link: kill -9 of the driver leaves no interface, process or fifo; if the delay line dies, the lab ends" {
	[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
	drive 'LAB_DELAY=1ms LAB_DELAY_BY=wire' <<'END'
lab_up
printf '%s %s %s\n' "$LAB_WIRE_PID" "$LAB_HOLD_server" "$LAB_IF_server" >"$W/who"
kill -9 $$
END
	read -r wire host interface <"$W/who"
	for _ in {1..1000}; do [ -e "/proc/$wire/fd/0" ] || [ -e "/proc/$host/fd/0" ] || break; sleep 0.02; done
	# (a zombie has no descriptors)
	[ ! -e "/proc/$wire/fd/0" ]
	[ ! -e "/proc/$host/fd/0" ]
	[ ! -p "$W/a run/log/wire.control" ]
	run ip link show "$interface"
	[ "$status" -ne 0 ]
	drive 'LAB_DELAY=1ms LAB_DELAY_BY=wire' <<'END'
lab_up
kill -9 "$LAB_WIRE_PID"
wait_until 60 lab_lost && echo lost
lab_link - - 2ms || echo "no: $LAB_WHY"
END
	[[ $output == *lost*"no: the delay line "* ]]
}

@test "link: malformed words, and an impossible delay, end the lab with one line" {
	for words in 'LAB_DELAY=soon' 'LAB_JITTER=11s' 'LAB_LOSS=101' 'LAB_QUEUE=0ms' 'LAB_QUEUE=much'; do
		drive "$words" <<<'lab_up'
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == *"$words"* ]]
	done
	drive 'LAB_DELAY=1ms LAB_DELAY_BY=magic' <<<'lab_up'
	said 4 "LAB_DELAY_BY=magic: netem or wire"
	mkdir "$W/bin"
	cp "$TOP/bin/door" "$W/bin"
	drive 'LAB_DELAY=1ms LAB_DELAY_BY=wire; export TP_BIN=$W/bin' <<<'lab_up'
	said 4 "delay line is not built"
	drive 'export TP_BIN=/nowhere' <<<'lab_up'
	said 4 "door is not built"
}
