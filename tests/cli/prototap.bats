#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap from outside: hand-made captures, real ones beside tshark and an independent counter, live capture, wrong words.

load captures

setup_file() { begin_captures captures; }

@test "prototap read: figures of hand-made captures are those of prototap.expected" {
	python3 "$GOLDEN/hold.py" "$BIN/prototap" "$MADE" "$GOLDEN/prototap.expected"
}

@test "prototap read: an unreadable file is refused in one line" {
	for file in wireless.pcap mixed.pcapng text.pcap empty.pcap cut_header.pcap none.pcap .; do
		run "$BIN/prototap" read "$MADE/$file"
		echo "$file: $output"
		[ "$status" = 1 ]
		[ "${#lines[@]}" = 1 ]
		[[ "$output" == "prototap: "* ]]
	done
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" "$MADE/cooked.pcap"
	[ "$status" = 1 ]
	[[ "$output" == *"EN10MB"*"LINUX_SLL"* ]]
}

@test "prototap: wrong options end with status 2 and name the cure" {
	for words in "" "watch x" "read" "live" "live -i lo" "live -i lo --port 0" "live -i lo --port 70000" "live -i lo --port 5900," \
		     "live -i lo --port 5900 file" "live -i lo --port 5900 -w -" "read a.pcap -i lo" "read a.pcap -t 5s" "read a.pcap -w b" \
		     "read a.pcap --port x12:6000" "read a.pcap --port 20-10" "read a.pcap --server example" \
		     "read a.pcap --merge 0" "read a.pcap --nonsense" "read a.pcap --parent 1"; do
		# shellcheck disable=SC2086
		run "$BIN/prototap" $words
		echo "$words: $status $output"
		[ "$status" = 2 ]
		[ "${#lines[@]}" = 1 ]
	done
	run -1 "$BIN/prototap" live -i lo --port 5900 --parent 1
	[[ $output == *"not process 1 (--parent)"* && ${#lines[@]} = 1 ]]
}

@test "prototap read: a signal at any moment of the start leaves a report or no output" {
	mkfifo pipe
	exec 8<>pipe	# nothing ever comes from it
	for i in 0 1 2 3 5 8 13 21; do
		"$BIN/prototap" read pipe -o report >out 2>err 3>&- 8>&- &
		pid=$!
		sleep "0.0$(printf '%02d' "$i")"
		# again and again: one just before it reads would not end the reading
		while kill "$pid" 2>/dev/null; do sleep 0.05; done
		got=0
		wait "$pid" || got=$?
		[ "$(ls | grep -c 'report\.')" = 0 ]
		[ "$got" = 130 ] || [ "$got" = 143 ]	# 143: before it could catch signals
		rm -f report
	done
	exec 8>&-
}

@test "prototap read: reads standard input; writes text and JSON" {
	run "$BIN/prototap" read - --format json <"$MADE/plain_ns.pcap"
	[ "$status" = 0 ]
	echo "$output" | python3 -c 'if True:
		import json, sys
		d = json.load(sys.stdin)
		assert d["schema"] == "thinprobe.prototap/1"
		assert d["result"]["channels"]["total"]["wire_bytes"] == 596'
	run "$BIN/prototap" read "$MADE/plain_ns.pcap" -v -o report.txt
	[ "$status" = 0 ]
	[ -z "$output" ]
	grep -q "vip_saving_percent *38.298" report.txt
}

@test "prototap --tsv: a table without rows has the same header as one with rows" {
	"$BIN/prototap" read "$MADE/plain_ns.pcap" --tsv >some
	"$BIN/prototap" read "$MADE/plain_ns.pcap" --flows 0 --tsv >none
	[ "$(wc -l <some)" -ge 2 ]
	[ "$(wc -l <none)" = 1 ]
	cmp <(head -n 1 some) none
	run --separate-stderr "$BIN/prototap" read "$MADE/plain_ns.pcap" --port 1 --tsv	# no packet of that port
	[ "$output" = "$(cat none)" ]
}

# Client and server on the loopback, answers of many sizes: traffic FAMILY PORT KEYS
write_traffic()
{
	cat >traffic.py <<-'END'
		import random, socket, sys, threading, time
		family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
		host, port, keys = "::1" if sys.argv[1] == "6" else "127.0.0.1", int(sys.argv[2]), int(sys.argv[3])
		dice = random.Random(port)
		listener = socket.create_server((host, port), family=family)
		def serve():
		    c = listener.accept()[0]
		    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
		    while c.recv(65536):
		        for _ in range(dice.randint(1, 3)):
		            c.sendall(b"e" * dice.choice((10, 10, 100, 100, 1000, 1000, 5000, 20000)))
		    c.close()
		def drain(c):
		    while c.recv(65536):
		        pass
		server = threading.Thread(target=serve)
		server.start()
		c = socket.create_connection((host, port))
		c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
		reader = threading.Thread(target=drain, args=(c,))
		reader.start()
		for _ in range(keys):
		    c.sendall(b"k" * dice.randint(1, 64))
		    time.sleep(dice.choice((0.002, 0.012, 0.05, 0.05, 0.25)))
		c.shutdown(socket.SHUT_WR)
		server.join()
		reader.join()
	END
}

# Runs inside the namespace: captures on $1, with the traffic of the other arguments, to $1.pcap and live.json.
write_capture()
{
	cat >capture.sh <<-'END'
		trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
		ip link set lo up
		mkfifo ready
		"$BIN/prototap" live -i "$1" --port "$3" -w "$1.pcap" --format json -o live.json --ready-fd 5 5>ready 2>err &
		pid=$!
		read -r word <ready || { cat err; exit 1; }
		[ "$word" = ready ] || exit 1
		python3 traffic.py "$2" "$3" "$4" || exit 1
		grep -E '^(CapEff|CapPrm|NoNewPrivs|Seccomp):' "/proc/$pid/status" >rights
		kill -TERM "$pid"
		wait "$pid"
		echo "status $?" >ended
	END
}

# The live report, the report on what it wrote, and the independent counter agree; packets and bytes
# also with tshark's conversations.
agree()
{
	"$BIN/prototap" read "$1" --port "$2" --format json >read.json
	counted_alike "$@" read.json
}

@test "prototap live: agrees with tshark and an independent counter, also with lost, repeated, reordered and repacked packets" {
	need_namespace
	command -v tshark >/dev/null || skip "no tshark"
	write_traffic
	write_capture
	in_namespace bash capture.sh lo 4 5999 40
	cat err ended rights
	grep -qx "status 0" ended
	grep -qE '^CapEff:.0+$' rights
	grep -qE '^CapPrm:.0+$' rights
	grep -qE '^NoNewPrivs:.1$' rights
	grep -qE '^Seccomp:.2$' rights
	[ "$(value capture.dropped <live.json)" = 0 ]
	agree lo.pcap 5999 live.json
	[ "$(value channels.input.messages <live.json)" = 40 ]
	bytes_alike lo.pcap 5999 live.json
	for ways in "swap" "repeat" "lose" "part" "swap repeat lose part"; do
		# shellcheck disable=SC2086
		python3 "$GOLDEN/disturb.py" lo.pcap bad.pcap "${#ways}" $ways
		echo "$ways"
		"$BIN/prototap" read bad.pcap --port 5999 --format json >read.json || [ $? = 3 ]
		counted_alike bad.pcap 5999 read.json
	done
}

@test "prototap live -i any (cooked headers) and over IPv6: agrees with tshark and an independent counter" {
	need_namespace
	command -v tshark >/dev/null || skip "no tshark"
	write_traffic
	write_capture
	in_namespace bash capture.sh any 6 5998 15
	cat err ended
	grep -qx "status 0" ended
	agree any.pcap 5998 live.json
	[[ "$(flat <live.json | sed -n 's/^settings\.link\t//p')" == LINUX_SLL* ]]
	# cooked v1 as well, made from the same packets
	python3 - <<-'END'
		import struct
		data = open("any.pcap", "rb").read()
		out = bytearray(data[:20] + struct.pack("<I", 113))
		at = 24
		while at < len(data):
		    head, (captured, original) = data[at:at + 8], struct.unpack_from("<II", data, at + 8)
		    kind, _, _, device, to, n, address = struct.unpack(">HHIHBB8s", data[at + 16:at + 36])
		    body = struct.pack(">HHH8sH", to, device, n, address, kind) + data[at + 36:at + 16 + captured]
		    out += head + struct.pack("<II", len(body), original - 4) + body
		    at += 16 + captured
		open("v1.pcap", "wb").write(out)
	END
	agree v1.pcap 5998
	[ "$(value channels.total.wire_bytes <read.json)" = "$(value channels.total.wire_bytes <live.json)" ]
}

# Datagrams to port 5900 while `going` is there; how many is in `sent`. flood.py PAUSE
write_flood()
{
	cat >flood.py <<-'END'
		import os, socket, sys, time
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		sent = 0
		while os.path.exists("going"):
		    s.sendto(b"k", ("127.0.0.1", 5900))
		    sent += 1
		    if sent % 100 == 0:
		        with open("sent.new", "w") as f:
		            print(sent, file=f)
		        os.replace("sent.new", "sent")
		    if float(sys.argv[1]):
		        time.sleep(float(sys.argv[1]))
	END
	: >going
}

@test "prototap live: -t ends it also if packets come faster than it can write them" {
	need_namespace
	write_flood
	# what makes it slow is who reads the file it writes: 200 kB/s, which a sender with a small part of a CPU surpasses
	cat >slowly.py <<-'END'
		import time
		with open("packets", "rb", buffering=0) as f:
		    while f.read(2000):
		        time.sleep(0.01)
	END
	cat >flood.sh <<-'END'
		ip link set lo up
		mkfifo packets
		python3 flood.py 0 &
		python3 slowly.py &
		until [ -s sent ]; do sleep 0.05; done
		timeout -k 5 60 "$BIN/prototap" live -i lo --port 5900 -t 2s --snaplen 96 --buffer 1M -w packets --format json >flood.json 2>err
		echo "status $?"
		rm going
		wait
	END
	run in_namespace bash flood.sh 3>&-
	echo "$output"
	cat err
	[[ "$output" == *"status 3"* ]]		# it was: most were dropped, and are counted
	[ "$(value capture.dropped <flood.json)" -gt 0 ]
}

@test "prototap live -w: ended amid traffic, the file holds exactly the counted packets" {
	need_namespace
	command -v tshark >/dev/null || skip "no tshark"
	write_flood
	cat >on.sh <<-'END'
		ip link set lo up
		python3 flood.py 0.0001 &
		until [ -s sent ]; do sleep 0.01; done
		mkfifo ready
		for n in 1 2 3; do	# it ends when it has been ready for 200 packets and more
			"$BIN/prototap" live -i lo --port 5900 -t 1h -w on$n.pcap --format json --ready-fd 5 >on$n.json 5>ready &
			read -r _ <ready
			before=$(cat sent)
			until [ "$(cat sent)" -ge $((before + 300)) ]; do sleep 0.01; done
			kill -INT $!
			wait $!
			echo "status $?"
		done
		rm going
		wait
	END
	run in_namespace bash on.sh 3>&-
	[ "$output" = $'status 130\nstatus 130\nstatus 130' ]
	for n in 1 2 3; do
		[ "$(value capture.packets <on$n.json)" -ge 200 ]
		[ "$(tshark -r on$n.pcap -T fields -e frame.number 2>/dev/null | wc -l)" = "$(value capture.packets <on$n.json)" ]
	done
}

@test "prototap live: -t ends it with 0, a signal with 130; a missing interface gives an error" {
	need_namespace
	cat >short.sh <<-'END'
		ip link set lo up
		"$BIN/prototap" live -i lo --port 5900 -t 300ms --format json >timed.json 2>err
		echo "timed $?"
		mkfifo ready
		"$BIN/prototap" live -i lo --port 5900 -t 1h --format json >cut.json 2>>err --ready-fd 5 5>ready &
		read -r _ <ready
		kill -INT $!
		wait $!
		echo "cut $?"
		"$BIN/prototap" live -i nowhere --port 5900
		echo "nowhere $?"
		"$BIN/prototap" live -i lo --port 5900 -w /nowhere/x
		echo "unwritable $?"
		setpriv --bounding-set=-all --inh-caps=-all "$BIN/prototap" live -i lo --port 5900 -t 100ms >/dev/null
		echo "refused $?"
	END
	run in_namespace bash short.sh
	echo "$output"
	[[ "$output" == *"timed 0"* ]]
	[[ "$output" == *"cut 130"* ]]
	[[ "$output" == *"nowhere 1"* ]]
	[[ "$output" == *"unwritable 1"* ]]
	[[ "$output" == *"refused 1"* ]]
	[ "$(value channels.total.packets <timed.json)" = 0 ]
	[ "$(value channels.total.packets <cut.json)" = 0 ]
	[[ "$(value cpu_percent <timed.json)" == [0-9]* ]]
}

@test "prototap live: a clock set forward is reported, with status 3" {
	need_namespace
	cat >clock.c <<-'END'
		#include <signal.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static volatile sig_atomic_t ahead;
		static void set_forward(int number) { (void)number; ahead = 7200; }
		__attribute__((constructor)) static void begin(void) { signal(SIGUSR1, set_forward); }
		int clock_gettime(clockid_t id, struct timespec *at)
		{
			long err = syscall(SYS_clock_gettime, id, at);
			at->tv_sec += id == CLOCK_REALTIME ? ahead : 0;
			return (int)err;
		}
	END
	"${CC:-gcc}" -shared -fPIC -o clock.so clock.c || skip "no compiler"
	cat >set.sh <<-'END'
		trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
		until_true() { for i in $(seq 200); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		for options in "" "--every 1s"; do
			: >err
			LD_PRELOAD=$PWD/clock.so "$BIN/prototap" live -i lo --port 5900 $options >report 2>err & tap=$!
			until_true 'grep -q ready err' || exit 1
			kill -USR1 "$(pgrep -P "$tap" || echo "$tap")"
			until_true 'grep -q "clock was set forward.* 2 h" err' || exit 2
			kill -INT "$tap"
			wait "$tap"
			echo "status $?"
			grep -c '^! .*clock' report
		done
	END
	run -0 in_namespace bash set.sh
	[ "${lines[*]}" = "status 3 1 status 3 1" ]
}

@test "prototap live: on a terminal it prints a line a second, elsewhere nothing before the end" {
	need_namespace
	command -v script >/dev/null || skip "no script"
	cat >watch <<-END
		ip link set lo up
		script -qec "'$BIN/prototap' live -i lo --port 9 -t 2500ms" typescript >seen </dev/null
		"$BIN/prototap" live -i lo --port 9 -t 1500ms >out 2>err </dev/null
	END
	in_namespace bash watch
	cat seen err
	grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2} .*updates/s' seen
	run -1 grep updates/s err
	[ "$(head -n 1 out | grep -c 'without a packet')" = 1 ]
}
