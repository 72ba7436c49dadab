#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# thinprobe try: figures of servers whose delay is known, against a client that is not ours; what it types stays in the field; what
# it asks, lists and refuses.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load helpers

setup() {
	begin_test
	ordinary_user
	if [ "$(id -u)" = 0 ]; then	# what runs as that user comes here, and writes
		local folder=$PWD
		while [[ $folder == "${BATS_TMPDIR%/}"?* ]]; do
			chmod o+x "$folder"
			folder=${folder%/*}
		done
		mkdir -m 1777 mine
		cd mine || return
	fi
	export HOME=$PWD TMPDIR=$PWD
}

try() { "${user[@]}" "$TOP/thinprobe" try "$@" </dev/null; }

field() {	# DELAY_MS [DEAF_AFTER]
	need python3
	start_vnc -SecurityTypes None -desktop $'\e[31mred\n::error::red'
	start_xterm python3 "$TOP/tests/cli/field.py" "$PWD/field.log" "$@"
	until_true test -e field.log
}

# Half of the latencies on standard input are no longer than that.
median() { sort -n | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }

@test "try: without leave, target or a right word nothing is typed: status 2, and what listens is listed" {
	start_vnc -SecurityTypes None
	run --separate-stderr -2 try "vnc://127.0.0.1:$port"
	[[ $stderr == *"--yes"* ]]
	[ -z "$output" ]
	run --separate-stderr -2 try
	[[ $stderr == *"name a target"* ]]
	while IFS=$'\t' read -r status wanted words; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "-$status" try $words
		[[ ${stderr_lines[-1]} == *"$wanted"* ]]
	done <<-'END'
		2	vnc://	nowhere
		2	ssh://	ssh://-oProxyCommand=x
		2	--time	vnc://h:1 -t 1s
		2	--password-file	vnc://h:1 --password-file none
		2	without a comma	x11:99 --window a,b --yes
		2	--size	vnc://h:1 --size 800x600
		2	--cert-ignore	vnc://h:1 --cert-ignore
		1	nothing was measured	vnc://127.0.0.1::1 --yes -o none
	END
	[ ! -e none ]
}

@test "try vnc://: an ordinary user's figure agrees with another client's; nothing is typed outside of the field, nothing left" {
	field 60
	for _ in 1 2 3; do
		rm -rf run
		from=$(wc -l <field.log)
		busy_begin
		run --separate-stderr try "vnc://127.0.0.1:$port" --yes -o run --json
		echo "$stderr"
		[ "$status" = 0 ]
		printf '%s\n' "$output" >said.json
		IFS='x+' read -r w h x y < <(jq -r .region said.json)
		lines_before=$(wc -l <field.log)
		run -0 python3 "$TOP/tests/cli/rfb_client.py" "$port" 40 "$x" "$y" "$w" "$h"
		other=$(printf '%s\n' "${lines[@]}" | median)
		# both add to the field's 60 ms what this server and machine take
		agree=$(jq --argjson other "$other" '([.limits[] | select(.name == "noticeable").holds] == [true])
			and (.latency_ms.p50 | [.value // (.from, .to)] | all(. / $other > 0.75 and . / $other < 1.33))' said.json)
		# two pairs to find the field, then what it says it sent, with five keys of warm-up a part
		counted=$(jq --argjson lines $((lines_before - from)) '.keys_sent + 5 * .repeats + 4 == $lines' said.json)
		if [ "$agree $counted" = "true true" ] || ! machine_was_busy 15; then break; fi
	done
	busy=''
	[ "$agree" = true ] || ! machine_was_busy $(((${EPOCHREALTIME/[.,]/} - busy_then[4]) / 2000)) || busy=1
	[ "$counted" = true ]
	[ "$(jq '.latency_ms.p50 | [.value // (.from, .to)] | all(. >= 60)' said.json)" = true ]
	[ "$(jq -r '.for_a_bug_report[] | capture("^typed: (?<n>[0-9]+) .* after (?<m>[0-9]+) ") | (.n | tonumber) + (.m | tonumber)' \
		said.json)" = $((lines_before - from)) ]
	[ -z "$(sed -n "$((from + 1)),${lines_before}p" field.log |
		cut -d' ' -f2 | paste -sd ' ' | sed -E 's/97 (8|127)\>//g' | tr -d ' ')" ]
	[ "$(sed -n "${lines_before}p" field.log | cut -d' ' -f3)" = 0 ]
	[ "$(jq '.network.rtt_ms < 60' said.json)" = true ]
	[ "$(jq '.seconds <= 60' said.json)" = true ]
	[ -f run/report.html ]
	# the page is made again like others
	"$TOP/thinprobe" report run
	jq -e '.verdict | length > 0' run/findings.json
	# (two clients that measured one after the other, while others had half of the machine and more, need not agree)
	[ -z "$busy" ] || skip "others had the machine meanwhile"
	[ "$agree" = true ]
}

@test "try vnc://: a slow field gives too few keys for a 90 % value, but not for the limits" {
	field 120
	run -0 --separate-stderr try "vnc://127.0.0.1:$port" --yes -t 6s -o run --json
	jq -e '.latency_ms.p90.value == null and ([.limits[] | {(.name): .holds}] | add
		| .perception == false and .noticeable == true)' <<<"$output"
	jq -e '.late_share_percent.low > 10' <<<"$output"
}

@test "try vnc://: a field that stops showing keys ends it, with status 3 and what was measured" {
	field 10 70
	run --separate-stderr try "vnc://127.0.0.1:$port" --yes -t 10s -o run
	[ "$status" = 3 ]
	[[ $output == *"How late:"*"red"* ]]
	[[ $output$stderr != *$'\e'* && $output != *$'\n::'* ]]
	[ "$(wc -l <field.log)" = 71 ]	# 70 keys, and the one that did not show: BackSpace might take what was there before
}

@test "try vnc://: x11vnc, which looks for changes, in front of a field of known delay" {
	need x11vnc python3
	start_x
	start_xterm python3 "$TOP/tests/cli/field.py" "$PWD/field.log" 40
	unused_port
	start x11vnc x11vnc -display "$DISPLAY" -rfbport "$port" -localhost -nopw -forever -quiet
	until_true listens "$port" "$pid"
	run -0 --separate-stderr try "vnc://127.0.0.1:$port" --yes -t 2s -o run --json
	jq -e '.latency_ms.p50 | [.value // (.from, .to)] | all(. >= 40)' <<<"$output"
	[ "$(tail -n 1 field.log | cut -d' ' -f3)" = 0 ]
}

@test "try x11: a client's window by a part of its title; keys only there" {
	field 30
	need xev
	start xev xev -geometry 100x100+600+400
	until_true xdotool search --onlyvisible --name "Event Tester"
	run -0 --separate-stderr "$TOP/thinprobe" try x11 --window python3 --yes -t 2s -o run --json
	jq -e '.latency_ms.p50 | [.value // (.from, .to)] | all(. >= 30)' <<<"$output"
	run -1 grep '^KeyPress' xev.out
	[ "$(tail -n 1 field.log | cut -d' ' -f3)" = 0 ]
	run -2 --separate-stderr "$TOP/thinprobe" try x11 --yes </dev/null
	[[ ${stderr_lines[-1]} == *"name the window on $DISPLAY: --window"* ]]
	for words in '' '--window foo'; do
		# shellcheck disable=SC2086 # words
		run -4 --separate-stderr "$TOP/thinprobe" try x11:9999 --yes $words </dev/null
		[[ ${stderr_lines[-1]} == *"cannot open display :9999: is it running"* ]]
	done
}

framed() {	# the window is in another that is not the root
	frame=$(xwininfo -tree -id "$client" | sed -n 's/^ *Parent window id: \(0x[0-9a-f]*\).*/\1/p')
	[ -n "$frame" ] && [ $((frame)) != $((root)) ] && xprop -root _NET_CLIENT_LIST | grep -q 0x
}

@test "try x11: of a window manager's frame that was picked, the client's window; any other window is itself" {
	local root client frame
	need openbox xdotool xwininfo xprop
	start_x
	start_xterm cat
	start openbox openbox
	root=$(xwininfo -root | grep -oE '0x[0-9a-f]+' | head -n 1)
	client=$(xdotool search --onlyvisible --class xterm | head -n 1)
	until_true framed
	chosen() { (. "$TOP/lab/attach.sh" && attach_client "$1"); }
	export LAB_HERE=$TOP/lab
	[ $(($(chosen "$frame"))) = "$client" ]
	[ $(($(chosen "$client"))) = "$client" ]
	[ "$(chosen "$root")" = "$root" ]
}

@test "try ssh://: the delay of the other end is in the figure, and the terminal's own is named" {
	need python3 xterm Xvfb xauth xdotool pgrep
	mkdir bin
	# In the place of ssh: no network, and a far end that takes 60 ms.
	cat >bin/ssh <<-END
		#!/bin/bash
		[ "\${!#}" != true ] && [ "\$1" != -V ] || exit 0
		printf '%s ' "\$@" >>"$PWD/called"
		python3 "$TOP/tests/cli/field.py" "$PWD/field.log" 60
	END
	chmod 755 bin/ssh
	PATH=$PWD/bin:$PATH run -0 --separate-stderr try ssh://me@far:2222 --yes -t 2s -o run --json
	jq -e '.latency_ms.p50 | [.value // (.from, .to)] | all(. >= 60)' <<<"$output"
	[[ $(<called) == *"-a -x -o ClearAllForwardings=yes"*"BatchMode=yes"*" -p 2222 "*"-tt -- me@far exec cat"* ]]
	[[ $(jq -r '.sentences[2]' <<<"$output") == *"terminal on this machine"* ]]
	# the place is looked for once
	[ "$(jq -r .settings.region_from run/cells/*/[123]/keyrepeat.json | xargs)" = "found by typing given given" ]
	[ "$(jq .network <<<"$output")" = null ]
	[ "$(tail -n 1 field.log | cut -d' ' -f3)" = 0 ]
}

@test "try ssh://: all that is missing here is named at once, with status 4; a login that fails is said; neither leaves a folder" {
	need ssh xauth xdotool pgrep ss
	without Xvfb xterm
	PATH=$PWD/without run --separate-stderr -4 try ssh://me@far --yes -o run
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"Xvfb xterm are missing"*"--no-install-recommends xvfb xterm" ]]
	[ ! -e run ]
	mkdir broken
	: >broken/libXdamage.so.1
	LD_LIBRARY_PATH=$PWD/broken PATH=$PWD/without run --separate-stderr -4 try ssh://me@far --yes -o run
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"Xvfb xterm "*" are missing"*" xvfb xterm libxdamage1 "* ]]
	need Xvfb xterm
	mkdir bin
	printf '#!/bin/sh\necho "me@far: Permission denied" >&2\nexit 255\n' >bin/ssh
	chmod 755 bin/ssh
	PATH=$PWD/bin:$PATH run --separate-stderr -1 try ssh://me@far --yes -o run
	[[ ${stderr_lines[-1]} == *"Permission denied"*"BatchMode=yes"*"me@far true" ]]
	# a server that runs commands, but gives no terminal
	cat >bin/ssh <<-'END'
		#!/bin/sh
		case " $* " in
		*" -tt "*) printf 'PTY allocation request failed on channel 0\r\nConnection to far closed.\r\n' >&2; exit 255 ;;
		esac
	END
	PATH=$PWD/bin:$PATH run --separate-stderr -1 try ssh://me@far --yes -o run
	[[ ${stderr_lines[-1]} == *"fails: PTY allocation request failed on channel 0; "*" -tt -- me@far true" ]]
	[ ! -e run ]
}

# (of packages it needs keyrepeat's libraries, jq and util-linux)
@test "try vnc://: without gnuplot, ss and ps it says all but the page, and what that needs; the round trip is the program's own" {
	field 10
	without gnuplot ss ps pgrep
	PATH=$PWD/without run --separate-stderr -0 try "vnc://127.0.0.1:$port" --yes -t 2s -o run
	[[ $output == *"How late:"*"a round trip (the least"*" of the keys within "*"Report: "*gnuplot*cmark-gfm* ]]
	[ ! -e run/report.html ]
	"$TOP/thinprobe" report run
	[ -f run/report.html ]
}

# fake_probe: "${try[@]}" is try with a keyrepeat that types nothing. The parts named in $EMPTY have no keys; in those of $DROPPED
# the connection is dropped. Each of the 150 keys of a part takes 5 ms.
fake_probe() {
	mkdir fake
	ln -s "$BIN"/* fake
	rm fake/keyrepeat
	cat >fake/keyrepeat <<-'END'
		#!/bin/bash
		while [ $# -gt 0 ]; do case $1 in --seed) part=$(($2 - 1000)) ;; -o) out=$2 ;; --log) log=$2 ;; esac; shift; done
		[[ $EMPTY != *$part* ]] || { echo '{"result": {"keys_answered": 0, "ended": "complete"}}' >"$out"; exit 3; }
		[[ $DROPPED != *$part* ]] && ended=complete || ended="connection dropped"
		jq -n --arg ended "$ended" '{settings: {server: "of a part",
				region: "9x9+0+0", region_from: "given", rate_per_s: 20, period_ms: 50},
			result: {$ended, keys_sent: 150, keys_answered: 150, keys_due: 150, keys_skipped: 0, probe_cpu_percent: 1,
				keys_left_late: 0, left_late_max_ms: 0, tcp_rtt_ms: 0.1, latency_from_due_ms: {n: 150, p50: 5}}}' >"$out"
		printf 'schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\tblock\n' >"$log"
		for ((i = 1; i <= 150; i++)); do
			at=$((i * 50000000)) answer=$((at + 5000000))
			printf 'keys/1\t%d\t%d\t%d\t%d\t%d\t\t0\t1\n' "$i" "$at" "$at" "$answer" "$answer"
		done >>"$log"
		[ "$ended" = complete ]
	END
	chmod +x fake/keyrepeat
	export TP_BIN=$PWD/fake TP_HOME=$TOP TP_VERSION=0 EMPTY='' DROPPED=''
	try=("${user[@]}" "$TOP/experiments/commands/try.sh" stalls vnc://127.0.0.1:9 --yes -t 2s)
}

@test "try: a part without figures is not among those that count; if there is no other, nothing was measured" {
	fake_probe
	for EMPTY in 1 2; do
		rm -rf run
		run --separate-stderr "${try[@]}" -o run --json </dev/null
		[ "$status" = 3 ]
		[[ $stderr != *jq:* ]]
		[ "$(jq -c '[.counts.complete, .counts.total, .protocol.server]' run/run.json)" = '[2,2,"of a part"]' ]
		jq -e '.keys_sent == 300 and .repeats == 2' <<<"$output"
	done
	EMPTY=123 run --separate-stderr -1 "${try[@]}" -o run2
	[[ -z $output && ! -e run2 ]]
}

@test "try: a server that is gone in the middle makes the run incomplete, which decides no limit" {
	fake_probe
	DROPPED=2 run --separate-stderr -3 "${try[@]}" -o run --json </dev/null
	[ "$(jq -c '[.state, .counts.complete, .counts.total, .cells[0].complete]' run/run.json)" = '["failed",1,3,1]' ]
	jq -e '([.limits[].holds] | unique) == [null] and (.sentences[-1] | test("part 2 of 3"))' <<<"$output"
	run -3 "$TOP/bin/fail" judge run 'p50>100ms'
	echo 'p50 * < 100ms' >limits
	run -3 "$TOP/bin/fail" limits run limits
}

@test "try: a part's median is a number, a bound or a range" {
	local wanted median
	mkdir -p run/cells/cell/1
	while IFS=$'\t' read -r wanted median; do
		echo "{\"result\": {\"keys_answered\": 9, \"latency_from_due_ms\": $median}}" >run/cells/cell/1/keyrepeat.json
		run -0 "$BIN/tried" part run/cells/cell/1 vnc 1 1
		[ "$output" = "try: part 1 of 1: 9 keys, median $wanted" ] || { echo "$output"; false; }
	done <<-'END'
		1.23 ms	{"p50": 1.234}
		more than 1000 ms	{"above": {"p50": 1000}}
		2 to 3.5 ms	{"range": {"p50": {"from": 2, "to": 3.5}}}
		2 ms or more	{"range": {"p50": {"from": 2, "to": null}}}
	END
}

# said COLUMNS VALUES [REPORT...]: what is said of a row with these, a round trip of 10 ms, and reports of keyrepeat: a line with
# the network, and the text without its ends of lines
said() {
	local n=0 report
	rm -rf said
	mkdir -p said/cells/x
	printf '%b\n' "schema\t$1\tkeys\trepeats" "x\t$2\t99\t3" >said/summary.tsv
	printf '{"protocol": {"rtt_ms": 10}, "settings": {"on": "x11"}, "host": {}}' >said/run.json
	for report in "${@:3}"; do
		mkdir "said/cells/x/$((++n))"
		echo "$report" >"said/cells/x/$n/keyrepeat.json"
	done
	"$BIN/tried" say said 0 '' --json | jq -c .network
	"$BIN/tried" say said 0 '' | tr '\n' ' '
}

@test "try: of a range the network's share is one, of a lower bound the most, of nothing none" {
	run -0 said 'latency_p50_ms' 40
	[[ ${lines[0]} == *'"share_percent":25,'* && $output == *": 25 % of the median."* ]]
	run -0 said 'latency_p50_ms_from\tlatency_p50_ms_to' '20\t200'
	[[ ${lines[0]} == *'"share_percent":null,"share_percent_from":5,"share_percent_to":50'* ]]
	[[ $output == *": 5 to 50 % of the median."* ]]
	run -0 said 'latency_p50_ms\tlatency_p50_ms_above' '40\t1'
	[[ ${lines[0]} == *'"share_percent":null,"share_percent_from":null,"share_percent_to":25'* ]]
	[[ $output == *": at most 25 % of the median."* ]]
	run -0 said 'latency_p50_ms_why' overloaded
	[[ ${lines[0]} == *'"rtt_ms":10,"share_percent":null'* && $output == *"10.0 ms a round trip (the least that TCP saw)."* ]]
}

@test "try: keys that left late are counted over all parts, with the latest; of none nothing is said" {
	part() { echo "{\"result\": {\"keys_left_late\": $1, \"left_late_max_ms\": $2}}"; }
	run -0 said 'latency_p50_ms' 40 "$(part 3 12.5)" "$(part 0 0)" "$(part 4 375)"
	[[ $output == *" Left late: 7 of 99 keys "*" 375 ms, because this machine was busy."* ]]
	run -0 said 'latency_p50_ms' 40 "$(part 0 0)"
	[[ $output != *"Left late"* ]]
}

@test "try: a limit that is judged without an interval says so" {
	run -0 said 'latency_p90_ms' 40
	[[ $output == *"within 100 ms (perception), by a figure without an interval"* ]]
	run -0 said 'latency_p90_ms_from\tlatency_p90_ms_to' '29.6\t87.7'
	[[ $output == *"within 100 ms (perception), by a figure without an interval"* ]]
	run -0 said 'latency_p90_ms_from\tlatency_p90_ms_to\tlatency_p90_ms_low\tlatency_p90_ms_high' '29.6\t87.7\t25\t95'
	[[ $output == *"within 100 ms (perception)"* && $output != *"without an interval"* ]]
	run -0 said 'latency_p90_ms\tlatency_p90_ms_low\tlatency_p90_ms_high' '40\t35\t45'
	[[ $output == *"within 100 ms (perception)"* && $output != *"without an interval"* ]]
}
