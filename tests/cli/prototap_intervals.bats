#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap --every: figures of intervals from hand-made captures and live, files that rotate, metrics, an interface that goes away.

bats_require_minimum_version 1.5.0
load captures

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/cli} PYTHONDONTWRITEBYTECODE=1
	export BIN=$TOP/bin MADE=$BATS_FILE_TMPDIR/made
	"$TOP/tests/golden/make_intervals.py" "$MADE"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# rows NAME WORD...: the rows of a capture, each value under its column's name
rows() {
	"$BIN/prototap" read "$MADE/$1.pcap" --port 5900 --every "${2-1s}" --intervals - -o report --format json "${@:3}" >rows.tsv
}

# of COLUMN [ROW...]: its values, one a line; rows count from 1
of() {
	awk -F'\t' -v column="$1" -v rows=" ${*:2} " '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
		rows == "  " || index(rows, " " (NR - 1) " ") { print $at }' rows.tsv
}

@test "intervals of a hand-made session: waits, ranges, gaps, acknowledgements and replies within 1.6 %" {
	rows calm
	[ "$(head -n 1 rows.tsv | cut -f1)" = schema ]
	[ "$(of inputs | sort -u | xargs)" = "0 4" ]	# the first second has only the handshake
	[ "$(of updates 3)" = 4 ]
	[ "$(of client 3) $(of server 3)" = "10.0.0.1:40000 10.0.0.2:5900" ]
	[ "$(of next_max_ns 3)" = 40000000 ]
	[ "$(of gap_ns 3)" = 280000000 ]	# from the last update of the second before
	for column in next_p50_ns:40 latest_p50_ns:40 client_ack_ns:10 reply_ns:10; do
		of "${column%:*}" 12 | awk -v wanted="${column#*:}" '{ e = $1 / (wanted * 1e6) - 1; exit e > 0.016 || e < -0.016 }'
	done
	[ "$(of verdict | sort | uniq -c | xargs)" = "1 idle 3 learning 16 usual" ]
	[ "$(jq .result.updates.count report)" = 76 ]	# the report is what it was
}

@test "a wait that changes is told in its own interval, with the side that made it" {
	for scene in server network client; do
		rows "$scene"
		echo "$scene"; cat rows.tsv
		[ "$(of verdict 5 6 7 8 9 10 | sort -u)" = usual ]
		[ "$(of verdict 11 12 13 14 15 16 | sort -u)" = "$scene" ]
		[ -z "$(of why 11 12 13 14 15 16 | tr -d '\n')" ]
	done
	rows server 2s
	[ "$(wc -l <rows.tsv)" = 11 ]
	[ "$(of verdict 6)" = server ]
}

@test "pointer moves and requests of a viewer are no input; a stopped server is told while its keys wait" {
	rows idle
	[ "$(of inputs | sort -u)" = 0 ]
	rows stopped
	[ "$(of waiting_ns 12)" = 2000000000 ]
	[ "$(of verdict 12)" = server ]
	[ "$(of unanswered | grep -cx 1)" = 1 ]
}

@test "a server that is dead is told as long as its user types" {
	rows dead
	[ "$(of verdict 13 20 30 40 50 60 68 | sort -u)" = server ]
	[ "$(of why 13 20 30 40 50 60 68 | sort -u)" = waiting ]	# it may also be a window that shows nothing of these keys
	[ "$(of waiting_ns 60)" -gt 45000000000 ]
	[ "$(of rise_ns 60)" -gt 45000000000 ]
}

@test "a picture that moves by itself hides a dead server: no verdict, no latest; a cursor that blinks does not" {
	rows picture
	cat rows.tsv
	[ "$(of verdict 5 6 7 8 9 | sort -u)" = usual ]
	[ "$(of verdict {12..29} | sort -u)" = unknown ]
	[ "$(of why {12..29} | sort -u)" = picture ]
	[ -z "$(of latest_p50_ns {12..29} | tr -d '\n')" ]
	rows blink
	[ "$(of verdict {5..29} | sort -u)" = usual ]
}

@test "a connection leaves with its end, also where only the client ends it while a key waits" {
	for scene in killed closed; do
		rows "$scene"
		echo "$scene"; cat rows.tsv
		[ "$(of client | grep -cx 10.0.0.3:40000)" = 30 ]
		[ "$(of client | grep -cx 10.0.0.1:40000)" = 16 ]	# the last is that of its end
	done
}

@test "a client's host that vanishes is neither a late client nor lost packets: nothing tells it from its network" {
	rows vanished
	cat rows.tsv
	[ "$(of verdict 11 12 13 14 15 16 | sort -u)" = unknown ]	# rows of intervals with a packet
	[ "$(of client_ack_ns 16)" = 25400000000 ]	# since the update was sent first
	[ "$(of verdict | grep -cxE 'client|network|server')" = 0 ]
}

@test "keys that are lost on their way to the tap are loss, although the tap sees each once; overtaken ones are not" {
	rows lost
	cat rows.tsv
	[ "$(of retransmitted_packets | sort -u)" = 0 ]
	[ "$(of verdict {20..90} | sort -u)" = usual ]
	[ "$(of verdict {100..119} | sort -u)" = network ]
	[ "$(of why {100..119} | sort -u)" = loss ]
	rows overtaken
	[ "$(of verdict {20..119} | sort -u)" = usual ]
}

@test "packets that the tap lost blame nobody: what was acknowledged and never captured is missing" {
	rows mirror || [ $? = 3 ]
	cat rows.tsv
	[ "$(of verdict | grep -cxE 'server|client|network')" = 0 ]
	[ "$(of why {21..33} | sort -u)" = drops ]
	[ "$(of verdict {21..33} | sort -u)" = unknown ]
	[ "$(of verdict {5..20} | sort -u)" = usual ]
	[ "$(of verdict | tail -n 10 | sort -u)" = usual ]
}

@test "a capture of one direction is not a whole one" {
	# 188 keys, each a press, a release and a request, and an update
	for scene in only_input:display:$((188 * 200)) only_display:input:$((188 * 26)); do
		IFS=: read -r name missing bytes <<<"$scene"
		status=0
		rows "$name" || status=$?
		echo "$scene"; cat rows.tsv
		[ "$status" = 3 ]
		[ "$(of verdict 3 4 10 20 30 | sort -u)" = unknown ]
		[ "$(of verdict | grep -cxE 'idle|learning')" -le 1 ]	# the first second has only the handshake
		[ "$(of why 3 4 10 20 30 | sort -u)" = drops ]
		[ -z "$(of waiting_ns 3 4 10 20 30 | tr -d '\n')$(of server_ack_ns 3 4 10 20 30 | tr -d '\n')" ]
		[ "$(jq ".result.channels.$missing.missing_bytes" report)" = "$bytes" ]
		[ "$(jq .result.capture.missing_bytes report)" = "$bytes" ]
		[[ "$(jq -r .result.capture.why_lost report)" == *"1 connection of which only one direction"* ]]
	done
	# from the middle of a connection on
	rows joined
	[ "$(jq .result.capture.missing_bytes report)" = 0 ]
	rows joined_input || [ $? = 3 ]
	[ "$(of verdict 3 4 10 20 30 | sort -u)" = unknown ]
	[[ "$(jq -r .result.capture.why_lost report)" == *"1 connection of which only one direction"* ]]
}

@test "with --keys too, one direction and a short snap length are named, not the time, the host or the port" {
	echo schema key due_ns sent_ns answer_ns answer_high_ns censored_ns skipped block realtime_offset_ns | tr ' ' '\t' >keys.tsv
	printf 'keys/1\t1\t9000000000\t10010000000\t\t\t\t0\t1\t1700000000000000000\n' >>keys.tsv
	for scene in "only_display:only one direction" "short:snap length"; do
		run ! "$BIN/prototap" read "$MADE/${scene%:*}.pcap" --port 5900 --keys keys.tsv
		echo "$scene: $output"
		[[ "$output" == *"${scene#*:}"* ]]
		[[ "$output" != *host* && "$output" != *port\ * ]]
	done
	run -1 "$BIN/prototap" read "$MADE/short.pcap" --port 5900
	[[ "$output" == *"snap length"* && "$output" != *5900* ]]
}

@test "packets that were captured twice are copies, not retransmissions, and change no verdict" {
	rows twice
	[ "$(of verdict 12 13 14 15 16 | sort -u)" = server ]
	[ "$(of retransmitted_packets | sort -u)" = 0 ]
	copies=$(jq .result.capture.copies report)
	[ "$(jq .result.capture.packets report)" = $((2 * copies)) ]
	[ "$(jq .result.capture.selected_packets report)" = "$copies" ]
	rows server
	[ "$(jq .result.capture.copies report)" = 0 ]
	[ "$(jq .result.capture.selected_packets report)" = "$copies" ]
}

@test "beside the client a way that becomes longer is the network, although the server was near before" {
	rows lan
	[ "$(of verdict 12 13 14 15 16 | sort -u)" = network ]
}

@test "no wait crosses a clock that was set back" {
	rows back 1s 2>err || [ $? = 3 ]
	[ -s err ]
	[ "$(of next_max_ns | sort -n | tail -n 1)" = 40000000 ]
	[ "$(of clock_set | sort | uniq -c | sort -n | head -n 1 | xargs)" = "1 1" ]
	[ "$(of verdict | grep -cx server)" = 0 ]
}

@test "one packet that is dated ahead is a clock that was set, also in the report" {
	rows ahead 1s 2>err || [ $? = 3 ]
	[ "$(jq .result.capture.sorted_packets report)" = 0 ]
	[ "$(of next_max_ns | sort -n | tail -n 1)" = 40000000 ]
	[ "$(of clock_set | grep -cx 1)" = 1 ]
	run -3 "$BIN/prototap" read "$MADE/ahead.pcap" --port 5900
	[[ $output == *"! "*"clock was set"*"833 h"* ]]
}

@test "a file without a packet for hours is asked about its clock: no wait crosses that, and nobody is blamed" {
	rows forward 1s 2>err
	grep "3 h" err
	[ "$(of next_max_ns | sort -n | tail -n 1)" = 40000000 ]
	[ "$(of unanswered | sort -u)$(of clock_set | sort -u)" = 00 ]
	[ "$(of verdict | grep -cxE 'server|client|network')" = 0 ]
	run -0 "$BIN/prototap" read "$MADE/forward.pcap" --port 5900
	[[ $output == *"! "*"3 h"* ]]
}

@test "connections beyond those that are followed are counted in a row and in the metrics, and warned of" {
	rows crowd 1s --metrics watch.prom 2>err
	[ "$(of connections | sort -n | tail -n 1)" = 76 ]
	[ "$(of connections | grep -vcx 76)" = 1024 ]
	[ "$(of why | sort -u | xargs)" = connections ]
	grep -qx 'thinprobe_other_connections 76' watch.prom
	grep -qx 'thinprobe_other_packets_total 228' watch.prom
	[ "$(wc -l <err)" = 1 ]
}

# Which side is blamed in scenes drawn by lot: none wrongly. (More scenes: tests/golden/watch_scenes.py.)
@test "scenes by lot: the side is told, or that it cannot be told" {
	"$TOP/tests/golden/watch_scenes.py" make scenes 28 24
	"$TOP/tests/golden/watch_scenes.py" score scenes "$BIN/prototap" >scores 2>/dev/null
	cat scores
	awk -F'\t' '$1 == "sum" { split($2, right, " "); split($3, untold, " "); split($5, wrong, " "); found = 1 }
		END { exit !(found && wrong[1] == 0 && right[1] >= 14 && right[1] + untold[1] >= 20) }' scores
}

@test "where nothing changes, at most every twentieth interval blames somebody" {
	"$TOP/tests/golden/watch_scenes.py" quiet quiet 28 600
	"$TOP/tests/golden/watch_scenes.py" score quiet "$BIN/prototap" 1s 10s >scores
	cat scores
	awk -F'\t' '$1 == "sum" { exit }
		{ n++; split($9 == "" ? $10 : $10, alarms, "/"); if (20 * alarms[1] > alarms[2]) exit 1 } END { exit n != 18 }' scores
}

@test "metrics are OpenMetrics, replaced as a whole" {
	rows calm 1s --metrics watch.prom
	[ "$(tail -n 1 watch.prom)" = "# EOF" ]
	[ ! -e watch.prom.tmp ]
	grep -qx 'thinprobe_inputs_total 76' watch.prom
	grep -q '^thinprobe_response_seconds{client="10.0.0.1:40000",server="10.0.0.2:5900",quantile="0.5"} 0.04' watch.prom
	grep -qx 'thinprobe_verdicts_total{verdict="usual"} 16' watch.prom
	# each family in one piece, under its own type
	awk '/^# TYPE/ { if (seen[$3]++) exit 1; family = $3; next } /^#/ { next } index($1, family) != 1 { exit 1 }' watch.prom
}

@test "a file of metrics that cannot be written ends the program at the start; later it goes on, and says so once" {
	mkdir folder
	for file in none/watch.prom folder; do
		run -1 --separate-stderr "$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 1s --intervals - --metrics "$file"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *" $file: "* ]]
		[ "${#lines[@]}" -le 1 ]	# no row but the header
	done
	[ -z "$(ls -A folder)" ]
	need_namespace
	cat >full.sh <<-'END'
		until_true() { for i in $(seq 200); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		ip link set lo up
		"$BIN/prototap" live -i lo --port 3389 --every 100ms --intervals table --metrics folder/watch.prom -o report 2>err &
		until_true 'grep -q ready err'
		[ -s folder/watch.prom ] || exit 1
		mv folder gone
		until_true 'grep -q folder/watch.prom err' || exit 2
		sleep 0.5
		mv gone folder
		rm folder/watch.prom
		until_true '[ -s folder/watch.prom ]' || exit 3
		kill $!
		wait $!
	END
	run -0 in_namespace bash full.sh
	cat err
	[ "$(grep -c folder/watch.prom err)" = 1 ]
}

@test "the table rotates by size, keeps so many, and begins beside an earlier one" {
	echo before >table
	"$BIN/prototap" read "$MADE/calm.pcap" --port 5900 --every 100ms --intervals table --rotate 4K --keep 2 -o report
	[ "$(ls table* | xargs)" = "table table.1 table.2" ]
	for file in table table.1 table.2; do
		[ "$(head -n 1 "$file" | cut -f1,2)" = $'schema\tstart_ns' ]
		[ "$(stat -c %s "$file")" -lt 8192 ]
	done
	[ "$(tail -n 1 table.1 | cut -f2)" -lt "$(sed -n 2p table | cut -f2)" ]
}

@test "the table begins anew at midnight (UTC), whatever its size and the time zone" {
	for zone in UTC0 XST-7; do
		rm -f table*
		TZ=$zone "$BIN/prototap" read "$MADE/midnight.pcap" --port 5900 --every 1s --intervals table -o report
		cat table*
		[ "$(ls table* | xargs)" = "table table.1" ]
		midnight=1700006400
		[ "$(tail -n 1 table.1 | cut -f2)" = $((midnight - 1))000000000 ]
		[ "$(sed -n 2p table | cut -f2)" = ${midnight}000000000 ]
		[ "$(wc -l <table)" = 4 ]
	done
}

@test "wrong words about intervals end with status 2" {
	for words in "--intervals x" "--metrics x" "--every 1s --metrics -" "--every 1s --rotate 1M" "--every 0" \
		"--every 1s --intervals x --metrics x"; do
		# shellcheck disable=SC2086 # words
		run -2 "$BIN/prototap" read "$MADE/calm.pcap" $words
		[ "${#lines[@]}" = 1 ]
	done
}

@test "a live capture goes on when its interface is gone and back, without its rights, and ends by a signal" {
	need_namespace
	cat >gone.sh <<-'END'
		set -e
		make_pair() {
			ip link add tap0 type veth peer name tap1
			ip addr add 10.9.9.1/24 dev tap0
			ip link set tap0 up && ip link set tap1 up
		}
		until_true() { for i in $(seq 200); do ! eval "$1" || return 0; sleep 0.05; done; return 1; }
		speak() { for i in 1 2 3; do echo key | timeout 20 bash -c 'cat >/dev/udp/10.9.9.7/3389'; sleep 0.3; done; }
		make_pair
		ip neigh replace 10.9.9.7 lladdr 02:00:00:00:00:07 dev tap0
		"$BIN/prototap" live -i tap0 --port 3389 --every 200ms --intervals table --keep 9 -o report --format json 2>err &
		parent=$!
		until_true 'grep -q ready err'
		child=$(pgrep -P "$parent")
		grep -q '^CapEff:.0*$' "/proc/$child/status"
		speak
		until_true '[ "$(wc -l <table)" -gt 1 ]'
		bytes() { awk '{ sum += $6 } END { print sum }' table; }
		before=$(bytes)
		ip link set tap0 down	# no packets, but the capture stays
		sleep 0.5
		ip link set tap0 up
		ip neigh replace 10.9.9.7 lladdr 02:00:00:00:00:07 dev tap0
		until_true 'speak; [ "$(bytes)" -gt "$before" ]'
		[ "$(pgrep -P "$parent")" = "$child" ]
		ip link del tap0
		until_true 'grep -q "is gone" err'
		make_pair
		ip neigh replace 10.9.9.7 lladdr 02:00:00:00:00:07 dev tap0
		until_true 'grep -q "is back" err'
		rows=$(wc -l <table)
		until_true 'speak; [ "$(wc -l <table)" -gt "$rows" ]'
		[ ! -e table.1 ] && [ "$(grep -c start_ns table)" = 1 ]
		kill "$parent"
		wait "$parent"
	END
	run -0 in_namespace bash gone.sh
	jq -e '.result.capture.selected_packets > 0' report
}
