#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vusers: watched users keep all pixels, and measure the same latency as users without pixels; passwords; servers that die or
# pause.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load vusers

setup() {
	begin_test
	need jq python3
	VUSERS=$BIN/vusers
	unused_port
}

# The scripted server: $at, $scripted
start_scripted() {
	start scripted python3 "$BATS_TEST_DIRNAME/vusers_rfb.py" "$@"
	scripted=$pid
	until_true test -s scripted.out
	port=$(cat scripted.out)
	at=vnc:127.0.0.1:$port
}

@test "vusers --watched: watched users have their own figures and marked rows; both ends count the same keys" {
	start_scripted --keys keys
	users -n 12 --watched 3 -z 60ms -t 2s --log a.tsv --jtl a.jtl
	measured
	holds '(.watched | length) == 3 and ([.watched[] | .ready and .width == 64 and .height == 48
		and .answered == .requests and .answered > 2 and .response_ms.n == .answered] | all) and .users_ready == 12'
	holds '.watched_requests == ([.watched[].answered] | add) and .watched_response_ms.n == .watched_requests
		and .response_ms.n == .requests and ([.watched[].user] == [0, 1, 2])'
	[ "$(cat keys)" = "$(jq '.result | .requests + .watched_requests' report.json)" ]
	[ "$(jq '.settings | .users == 12 and .watched == 3' report.json)" = true ]
	[ "$(awk -F'\t' '$12 == 1 { print $2 }' a.tsv | sort -u | paste -sd ' ')" = "0 1 2" ]
	[ "$(awk -F'\t' '$12 == 0 { print $2 }' a.tsv | sort -un | paste -sd ' ')" = "3 4 5 6 7 8 9 10 11" ]
	[ "$(awk -F'\t' '$12 == 1' a.tsv | wc -l)" = "$(jq .result.watched_requests report.json)" ]
	# bytes of an answer: 16 of heads and 16 x 16 pixels
	[ "$(awk -F'\t' '$12 == 1 { print $10 }' a.tsv | sort -u)" = 1040 ]
	awk -F'\t' 'NR > 1 && !($4 <= $5 && $5 <= $6 && $6 <= $7) { print; wrong = 1 } END { exit wrong }' a.tsv
	[ "$(awk -F, '$6 ~ /^watched 1-[123]$/' a.jtl | wc -l)" = "$(jq .result.watched_requests report.json)" ]
}

@test "vusers --watched: users without pixels take an update that changes nothing for an echo; watched users do not" {
	# every second key is answered twice, and only 50 ms later by what changes the screen
	start_scripted --same 2
	users -n 2 --watched 1 -z 100ms --think-dist const -t 2s
	[ "$status" = 3 ]
	holds '(.why_unsure | type == "string") and .watched_requests >= 5 and .watched_response_ms.max >= 50'
	disturbed || holds '.watched_less_others_ms.mean >= 10 and .response_ms.p50 < 50'
}

@test "vusers --watched: the key's number is read from refecho's patch; both kinds of users see the scripted delay" {
	local all

	start_refecho --vnc "$port" --answer-delay const:30ms --log one.tsv
	at=vnc:127.0.0.1:$port
	users -n 1 --watched 1 -z 20ms --think-dist const -t 2s --echo patch
	measured
	holds '.watched_requests > 5 and .watched_from_sent_ms.min >= 30
		and .requests == 0 and .response_ms.n == 0'
	disturbed || holds '.watched_from_sent_ms.p50 < 45'
	all=$(jq .result.watched_requests report.json)
	until_true has_keys one.tsv "$all"
	# two servers, one user each: one keeps pixels and one does not
	first=$port
	unused_port
	start_refecho --vnc "$port" --answer-delay const:30ms --log two.tsv
	at=vnc:127.0.0.1:$first,$port
	users -n 2 --watched 1 -z 20ms --think-dist const -t 2s --echo patch
	measured
	holds '.watched_requests > 5 and .requests > 5 and .from_sent_ms.min >= 30'
	disturbed || holds '.from_sent_ms.p50 < 40 and (.watched_less_others_ms.p50 | fabs) < 8'
	until_true has_keys one.tsv $((all + $(jq .result.watched_requests report.json)))
	until_true has_keys two.tsv "$(jq .result.requests report.json)"
	# where there is none
	start_scripted
	users -n 1 --watched 1 -z 20ms -t 200ms --echo patch --timeout 3s
	[ "$status" = 1 ]
	grep -q 'no patch' users.err
	[ "$(wc -l <users.err)" = 1 ]
}

@test "vusers --watched: in the open loop watched users get their share of the requests" {
	start_scripted
	users -n 8 --watched 2 --open 80 --think-dist const -t 1s
	measured
	# 80 a second: 20 of the two, each every 100 ms, and 60 of the others
	holds '.due >= 58 and .due <= 61 and ([.watched[].requests | . >= 9 and . <= 11] | all)'
	# also an open loop if all users are watched
	users -n 2 --watched 2 --open 20 --think-dist const -t 500ms
	[ "$(jq -c '.settings | [.loop, .gaps, .think_s, .rate_per_s]' report.json)" = '["open","const",null,20]' ]
}

@test "vusers --watched: a server that dies, stops answering, or stops within an answer: errors or timeouts, and an end in time" {
	start_scripted --die 3
	users -n 2 --watched 1 -z 50ms --think-dist const -t 3s --timeout 4s --log back.tsv
	[ "$status" = 3 ]
	holds '.watched[0].errors >= 1 and .watched[0].reconnected >= 1 and .errors >= 1'
	# users think before their first request after a reconnect: in a closed loop nothing is due while disconnected
	[ "$(awk -F'\t' 'NR > 1 && $4 != $5' back.tsv | wc -l)" = 0 ]
	[ "$(awk -F'\t' '$12 == 1' back.tsv | wc -l)" -ge 4 ]
	for way in mute half; do
		kill "$scripted"
		wait "$scripted" || true
		start_scripted --$way 3
		users -n 2 --watched 1 -z 50ms --think-dist const -t 3s --timeout 900ms --log log.tsv
		[ "$status" = 3 ]
		holds '.watched[0].timeouts >= 1 and .watched[0].answered >= 2 and .timeouts >= 1 and .watched[0].reconnected >= 1'
		[ "$(awk -F'\t' '$12 == 1 && $8 == "timeout"' log.tsv | wc -l)" = "$(jq '.result.watched[0].timeouts' report.json)" ]
	done
	# a signal does not wait for a long timeout
	kill "$scripted"
	wait "$scripted" || true
	start_scripted --half 3 --keys keys
	start users "$VUSERS" "$at" -n 2 --watched 2 -z 50ms -t 60s --timeout 60s --format json -o report.json --log early.tsv
	until_true grep -qx ready users.err
	until_true eval '[ "$(cat keys)" = 6 ]'	# three keys of each user; the answer to the third never ends
	kill -INT "$pid"
	ends "$pid"
	[ "$status" = 130 ]
	holds '.stopped_by == "signal" and ([.watched[].unanswered] | add) == 2'
}

# (In libvncclient 0.9.14 a gradient of tight without width writes behind the picture; another may refuse it.)
@test "vusers --watched: a picture that the library crashes on is an error of that user; the others go on" {
	start_scripted --outside 3
	users -n 4 --watched 1 -z 50ms --think-dist const -t 3s --timeout 500ms --log log.tsv
	[ "$status" = 3 ]
	holds '.watched[0].errors == 1 and .watched[0].answered >= 2 and .watched[0].reconnected == 0 and .requests > 60'
	[ "$(awk -F'\t' '$12 == 0 && $8 == "ok"' log.tsv | wc -l)" = "$(jq .result.requests report.json)" ]
}

@test "vusers --watched: users whose library crashed within malloc() are lost; the others go on and the run ends" {
	start_scripted
	crashing HandleRFBServerMessage 1	# the first picture
	LD_PRELOAD=$PWD/crashes.so users -n 2 --watched 2 -z 50ms --think-dist const -t 2s --timeout 5s
	[ "$status" = 1 ]
	grep -q SIGABRT users.err
	crashing HandleRFBServerMessage 10	# an answer
	LD_PRELOAD=$PWD/crashes.so users -n 4 --watched 2 -z 50ms --think-dist const -t 2s --timeout 5s
	[ "$status" = 3 ]
	holds '([.watched[] | .reconnected] == [0, 0]) and ([.watched[].answered] | min > 5) and ([.watched[].errors] | max <= 1)'
	holds '[.watched[] | select(.last_failure | type == "string" and test("crash"))] | length == 2'
	holds '.requests > 40'
}

@test "vusers: reconnects are limited to one a second for each user; a run with all disconnected is not valid" {
	start_scripted --die 1 --refuse-after 8 --refused refused
	users -n 8 -z 50ms --think-dist const -t 5s
	[ "$status" = 3 ]
	grep -qi 'not valid: users had no connection for' users.err
	# disconnected at the first key; each user tries again every second
	holds '(.valid | not) and .gone_percent > 80 and .refused >= 8 and .refused <= 48'
	# (the server may count one more connection for each user, not yet known to the user at the end)
	jq -e --argjson counted "$(cat refused)" '$counted - .result.refused | . >= 0 and . <= 8' report.json
	kill "$scripted"
	wait "$scripted" || true
	start_scripted --drop-first 1
	users -n 40 -z 50ms --think-dist const -t 3s
	holds '.reconnected >= 1 and .fairness.answered_per_user.min >= 1 and .gone_percent <= 2'
}

@test "vusers --watched: a silent server gives one line; one that refuses a second connection makes the run not valid" {
	start_scripted --greet
	for n in 3 2; do	# also without another user, in the handshake
		rm -f early.tsv
		start early "$VUSERS" "$at" -n $n --watched 2 -z 50ms -t 60s --timeout 30s --format json -o report.json --log early.tsv
		until_true test -s early.tsv
		sleep 0.3
		kill -TERM "$pid"
		ends "$pid"
		[ "$status" = 130 ]
		holds '.users_ready == 0 and (.valid | not)'
	done
	start_scripted --refuse-after 1
	users -n 2 --watched 1 -z 50ms -t 500ms --timeout 500ms
	[ "$status" = 1 ]
	[ "$(wc -l <users.err)" = 1 ]
	start_scripted --refuse-after 2
	users -n 3 --watched 2 -z 50ms -t 500ms --timeout 2s
	[ "$status" = 3 ]
	holds '(.valid | not) and .users_ready == 2 and ([.watched[].ready] | sort) == [false, true]'
	# kill -9 leaves no process of a viewer
	start_scripted
	start users "$VUSERS" "$at" -n 4 --watched 4 -z 50ms
	until_true grep -qx ready users.err
	mapfile -t viewers < <(ps -o pid= --ppid "$pid" | tr -d ' ')
	[ "${#viewers[@]}" = 4 ]
	kill -9 "$pid"
	until_true gone "$pid" "${viewers[@]}"
}

@test "vusers: a password from vncpasswd or as text is accepted by a real server, for watched users and others" {
	local all=0

	need Xvnc tigervncpasswd
	printf 'letmein\n' >text
	tigervncpasswd -f <text >hidden
	printf 'wrong\n' >wrong
	start_vnc -SecurityTypes VncAuth -PasswordFile "$PWD/hidden" -BlacklistThreshold 1000
	at=vnc:127.0.0.1:$port
	start_xterm sh -c 'stty -icanon; cat >typed'
	for file in hidden text; do
		users -n 6 --watched 1 -z 100ms -t 1s --password-file "$file" --warmup 100ms --log log.tsv
		holds '.users_ready == 6 and .requests > 0 and .watched_requests > 0'
		all=$((all + $(keys_in log.tsv)))
	done
	until_true eval '[ "$(stat -c %s typed)" = "$all" ]'
	users -n 1 -z 100ms -t 300ms
	[ "$status" = 1 ]
	grep -q 'wants a password: --password-file' users.err
	users -n 1 -z 100ms -t 300ms --password-file wrong
	[ "$status" = 1 ]
	grep -q 'rejects the password' users.err
	[ "$(wc -l <users.err)" = 1 ]
	users -n 1 --watched 1 -z 100ms -t 300ms --password-file wrong
	[ "$status" = 1 ]
	[ "$(wc -l <users.err)" = 1 ]
	users -n 1 -z 100ms -t 300ms --password-file none.txt
	[ "$status" = 2 ]
	: >empty
	users -n 1 -z 100ms -t 300ms --password-file empty
	[ "$status" = 2 ]
	grep -q 'holds no password' users.err
}
