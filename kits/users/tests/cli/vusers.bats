#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vusers: its reports against a scripted server that knows what it did; servers that pause; errors in one line.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load vusers

setup() {
	begin_test
	VUSERS=$BIN/vusers
	unused_port
}

# serve KIND OPTIONS...: $server, $at
start_serve() {
	local try kind=$1

	shift
	for try in 1 2 3; do
		at=vnc:127.0.0.1:$port
		[ "$kind" = vnc ] || at=http://127.0.0.1:$port/
		start serve "$VUSERS" serve "$at" --format json -o serve.json "$@"
		server=$pid
		until_true settled
		if grep -qx ready serve.err; then return 0; fi
		unused_port
	done
	cat serve.err
	return 1
}

settled() { grep -qx ready serve.err || gone "$server"; }

stop_serve() {
	kill -INT "$server"
	ends "$server"
	[ "$status" = 0 ]
}

# The scripted server: $at
start_scripted() {
	need python3
	start scripted python3 "$BATS_TEST_DIRNAME/vusers_server.py" "$@"
	until_true test -s scripted.out
	port=$(cat scripted.out)
	at=http://127.0.0.1:$port/
}

# (No thread wakes within a microsecond of its due time, so the run is not valid.)
@test "vusers: a run that is not valid ends with 3, though nothing was lost" {
	start_serve vnc --width 64
	users -n 2 -z 20ms -t 500ms --lateness 1us
	[ "$status" = 3 ]
	holds '(.valid | not) and .requests == .due and .errors == 0 and .timeouts == 0 and .unanswered == 0 and .users_ready == 2'
	stop_serve
}

@test "vusers: closed loop on VNC: both ends count every key once; the log has a row for each, with JMeter's columns" {
	need jq
	start_serve vnc --width 64
	users -n 40 -z 100ms -t 3s --log "a log.tsv" --jtl "a log.jtl" --seed 3
	measured
	stop_serve
	holds '.requests == .due and .errors == 0 and .timeouts == 0 and .unanswered == 0 and .users_ready == 40 and .stopped_by == "time"'
	n=$(jq .result.requests report.json)
	[ "$(jq .result.requests serve.json)" = "$n" ]
	[ "$(jq .result.guests serve.json)" = 40 ]
	# 40 users with 10 keys a second for 3 s: 1200, within five standard deviations; fewer if the machine stood still for 2 s
	[ "$n" -ge 230 ]
	[ "$n" -le 1375 ]
	[ "$n" -ge 1000 ] || machine_was_busy 500
	[ "$(column "a log.tsv" state | sort | uniq -c | awk '{ print $1 $2 }')" = "${n}ok" ]
	[ "$(column "a log.tsv" user | sort -u | wc -l)" = 40 ]
	awk -F'\t' 'NR > 1 && !($4 <= $5 && $5 <= $6 && $6 <= $7 && $10 > 0) { print; wrong = 1 } END { exit wrong }' "a log.tsv"
	[ "$(head -n 1 "a log.jtl")" = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect" ]
	[ "$(awk -F, 'NR > 1 && NF == 17 && $3 == "key" && $4 == 200 && $8 == "true"' "a log.jtl" | wc -l)" = "$n" ]
	# times of day, in ms
	now=$(date +%s)
	[ "$(awk -F, -v now="$now" 'NR > 1 && ($1 / 1000 > now + 2 || $1 / 1000 < now - 120)' "a log.jtl" | wc -l)" = 0 ]
}

@test "vusers --start-at: begins at that time, not sooner; a past time, or one without a zone, is refused" {
	need jq
	start_serve vnc --width 64
	status=0
	"$VUSERS" "$at" -n 2 -z 50ms -t 200ms --start-at "@$(($(date +%s) - 1))" 2>users.err || status=$?
	[ "$status" = 2 ]
	# the cure is a time that is ahead
	[ "$(sed -n 's/.*@\([0-9]*\) .*/\1/p' users.err)" -gt "$(date +%s)" ]
	run -2 "$VUSERS" "$at" -n 2 -z 50ms -t 200ms --start-at 2037-01-01T00:00:00
	when=$(($(date +%s) + 4))	# (what is to begin then may be late itself)
	users -n 5 -z 50ms -t 300ms --start-at "$(date -u -d "@$when" +%Y-%m-%dT%H:%M:%S).250Z" --log rows.tsv
	measured || [ "$status" = 3 ]
	holds ".start_at == \"$(date -u -d "@$when" +%Y-%m-%dT%H:%M:%S).250Z\" and .started_late_ms >= 0 and .users_ready == 5"
	disturbed || holds '.started_late_ms <= 100'
	# no request is due before the start, by the clock of the rows
	[ "$(column rows.tsv due_ns | tail -n +2 | sort -n | head -n 1)" -ge "$(jq .result.start_ns report.json)" ]
	[ "$(date +%s%N)" -ge $((when * 1000000000 + 550000000)) ]
	# of a name with several addresses, the one at which somebody listens
	printf '::1 two\n127.0.0.1 two\n' >hosts
	if unshare --mount true 2>/dev/null; then
		run unshare --mount sh -c 'mount --bind hosts /etc/hosts && exec "$@"' sh \
			"$VUSERS" "vnc:two::$port" -n 1 -z 50ms -t 200ms -o two.txt
		[[ $status = [03] ]]
	fi
	# without the option there is no such time
	users -n 1 -z 50ms -t 100ms
	holds '.start_at == null and .started_late_ms == null and .start_ns > 0'
}

@test "vusers merge: counts add up, the log has all rows, and the merged run is not valid if one generator is not" {
	need jq
	start_serve vnc --width 64
	when=@$(($(date +%s) + 4)).5
	"$VUSERS" --to "$at" -n 3 -z 50ms -t 600ms --seed 1 --start-at "$when" --log 1.tsv --format json -o 1.json 2>/dev/null &
	first=$!
	"$VUSERS" "$at" -n 5 -z 50ms -t 600ms --seed 2 --start-at "$when" --log 2.tsv --format json -o 2.json 2>/dev/null ||
		[ $? = 3 ]	# 3: not valid; the counts are right all the same
	wait "$first" || [ $? = 3 ]
	"$VUSERS" merge 1.json 1.tsv 2.json 2.tsv --log rows.tsv --format json -o report.json || [ $? = 3 ]
	stop_serve
	for key in users_ready due requests errors pages bytes unsent; do
		[ "$(jq ".result.$key" report.json)" = "$(jq -s "map(.result.$key) | add" 1.json 2.json)" ]
	done
	holds '.requests > 0 and .fairness.answered_per_user.min > 0 and (.generators | length) == 2'
	[ "$(column rows.tsv user | tail -n +2 | sort -un | paste -sd ' ')" = "0 1 2 3 4 5 6 7" ]
	[ "$(wc -l <rows.tsv)" = $(($(wc -l <1.tsv) + $(wc -l <2.tsv) - 1)) ]
	# the same, with one report that is not valid
	jq '.result.valid = true | .result.why_invalid = null' 1.json >good.json
	jq '.result.valid = false | .result.why_invalid = "made up"' 2.json >bad.json
	run -3 "$VUSERS" merge good.json 1.tsv bad.json 2.tsv --format json -o report.json
	holds '(.valid | not) and (.why_invalid | test("2: made up")) and .generators[0].valid and (.generators[1].valid | not)'
	# refused: the log of another run, different settings, a report without a common start
	run -2 "$VUSERS" merge 1.json 1.tsv 2.json 1.tsv
	jq '.settings.think_s = 1' 2.json >other.json
	run -2 "$VUSERS" merge 1.json 1.tsv other.json 2.tsv
	jq '.result.start_at = null' 2.json >other.json
	run -2 "$VUSERS" merge 1.json 1.tsv other.json 2.tsv
	# a value that one report lacks is unknown for all
	jq '.result.generator |= (.waited_percent = null | .memory_bytes_per_user = null)' 2.json >other.json
	"$VUSERS" merge 1.json 1.tsv other.json 2.tsv --format json -o report.json || [ $? = 3 ]
	holds '.generator.waited_percent == null and .generator.memory_bytes_per_user == null'
	run -2 "$VUSERS" merge 1.json
	run -2 "$VUSERS" merge 1.json 1.tsv 1.json 1.tsv
}

@test "vusers: the mean response time of vusers serve's stations is that of mean value analysis" {
	need jq
	# one user never waits: R = 5 + 4 + 3 ms, X = 1 / (Z + R), and one answer more at an end of 1.5 s; three stations of constant
	# service, so each answer takes 12 ms
	start_serve vnc --width 64 --stations 5ms,4ms,3ms --service const
	users -n 1 -z 20ms --think-dist const -t 1500ms
	measured
	holds '.from_sent_ms.min >= 12 and .rate_per_s <= 31.25 + 1 / 1.5'
	disturbed || holds '.from_sent_ms.p50 < 14'
	stop_serve
	[ "$(jq '.result.inside_ms | .min == 12 and .max == 12' serve.json)" = true ]
	# with many users the slowest station is the limit: 200 a second (one more at each end of a second), R = N / X each.
	# If the machine stalls, the rate falls and the mean response grows; the median and their product (Little's law) stay.
	start_serve vnc --width 64 --stations 5ms,4ms,3ms --service const
	users -n 20 -z 0 -t 1s --warmup 300ms
	disturbed || holds '.rate_per_s <= 202 and .response_ms.p50 > 98 and .response_ms.p50 < 105
		and .rate_per_s * .response_ms.mean / 1000 > 19.5 and .concurrency.max <= 20 and .concurrency.mean > 19.5'
}

backlog_told() { [ "$(grep -Eo '[0-9]+ requests? still' users.err | cut -d' ' -f1)" -ge "$1" ]; }

@test "vusers: a backlog ends with 3, whether its requests were answered late or never sent; the rate counts answers in time" {
	need jq
	# 50 a second at the most: after a second 50 of 200 are answered, the others by the end or not
	start_serve http --stations 20ms --service const
	users -n 2 --open 200 --think-dist const -t 1s
	[ "$status" = 3 ]
	# Little's law holds for requests in the server, not for those that wait for a user
	disturbed || holds '.requests == .due and .finished_per_s < 55 and .concurrency.max == 2 and .concurrency.by_little < 2.4'
	disturbed || backlog_told 140
	users -n 2 --open 200 --think-dist const -t 1s --timeout 500ms
	[ "$status" = 3 ]
	disturbed || holds '.unsent > 50 and .waited_for_user_ms.censored == .unsent and .waited_for_user_ms.max == null'
	disturbed || backlog_told 140
	# twenty more are answered after the second: the rate is not 70 a second
	"$VUSERS" "$at" -n 20 -z 0 -t 1s -o text || [ "$?" = 3 ]
	[ "$(grep -Eo '[0-9.]+/s' text | cut -d. -f1 | tr -d /s)" -le 55 ]
	users -n 20 --open 5 --think-dist const -t 1s
	disturbed || run -1 grep -E "requests? still" users.err
	stop_serve
}

@test "vusers: a server that pauses for a second: the open loop shows the late requests that the closed loop hides" {
	need jq
	# 150 a second for 2 s, all answered at once but for one second: those of that second wait for what is left of it
	start_serve http --freeze 500ms,1s
	users -n 20 --open 150 --think-dist const -t 2s --threshold 500ms
	measured
	holds '(.requests == .due) and (.due >= 299 and .due <= 301)'
	# half of all are late, evenly up to a second: 90 % quantile at 0.8 s, the mean a quarter of a second
	disturbed || holds '.response_ms.p90 > 720 and .response_ms.p90 < 900 and .response_ms.mean > 210
		and .response_ms.mean < 330 and .response_ms.max > 950 and .response_ms.max < 1200'
	# half of these took over half a second: a quarter of all
	disturbed || holds '.over_threshold_percent > 21 and .over_threshold_percent < 29'
	# all twenty users waited for the server; requests due meanwhile waited for a user
	disturbed || holds '.waited_for_user_ms.max > 700 and .generator.late_ms.p50 < 5'
	# the same server with one user in a closed loop: one request in hundreds is late
	stop_serve
	start_serve http --freeze 500ms,1s
	users -n 1 -z 0 -t 1600ms
	holds '.response_ms.max > 900'
	disturbed || holds '.response_ms.p90 < 100 or .requests < 50'
}

@test "vusers: requests that time out before the threshold may be late or not; a run without a request is not valid" {
	need jq
	start_scripted --delay 1
	users -n 2 -z 20ms -t 500ms --timeout 50ms --threshold 800ms
	holds '.timeouts > 0 and .requests == 0 and .over_threshold_percent == null
		and .range.over_threshold_percent == {from: 0, to: 100}'
	users -n 1 -z 60s --think-dist const -t 100ms
	[ "$status" = 3 ]
	holds '.due == 0 and (.valid | not)'
}

@test "vusers HTTP: each user has one connection; pages come by their weights; bytes are those that the server counts" {
	need jq
	start_scripted
	users -n 5 -z 5ms -t 2s --workload "$BATS_TEST_DIRNAME/../../data/users/webgov.tsv" --log log.tsv
	measured
	holds '.connections == 5 and .requests > 100 and .errors == 0'
	read -r connections requests hosts < <(counts)
	[ "$connections" = 6 ]	# one for each of five users, one for this question
	[ "$requests" = "$(jq .result.requests report.json)" ]
	[ "$hosts" = "127.0.0.1:$port" ]
	# objects: 4 4 2 2 2 1 of 15
	[ "$(column log.tsv label | sort -u | paste -sd ' ')" = \
		"010_Home 012_Home_jpg 020_Dept 022_Dept_jpg 030_Demographics 040_Statistics" ]
	# each user asks for a page's picture after the page
	sort -s -t"$(printf '\t')" -k2,2n -k4,4n log.tsv | awk -F'\t' '
		NR == 1 { next }
		$2 != user { last = "" }
		{ if (($3 == "012_Home_jpg") != (last == "010_Home" && $2 == user)) wrong = 1; user = $2; last = $3 }
		END { exit wrong }'
	[ "$(jq '.result.pages / .result.requests > 0.5 and .result.pages / .result.requests < 0.7' report.json)" = true ]
	[ "$(jq '.settings.objects_per_page' report.json)" = 1.666667 ]
}

counts() { python3 -c "import urllib.request; print(urllib.request.urlopen('${at}count').read().decode())"; }

# How long the median page took, and how many there were; connections and requests as the scripted server counts them.
pages() {	# connections
	local from sent
	read -r from sent _ < <(counts)
	users -n 1 -z 20ms --think-dist const -t 1200ms --workload page.tsv --per page --parallel "$1" --log "log-$1.tsv"
	measured
	took=$(jq .result.from_sent_ms.p50 report.json) n=$(jq .result.requests report.json)
	read -r made asked _ < <(counts)
	made=$((made - from - 1)) asked=$((asked - sent))
	echo "$1 at once: $n pages of $took ms; the server saw $made connections and $asked requests"
}

@test "vusers HTTP: a page of six objects of 100 ms takes six objects / connections rounds" {
	need jq
	for ((i = 1; i <= 6; i++)); do printf 'Home\t1\tobject-%d\t/%d\n' "$i" "$i"; done >page.tsv
	start_scripted --delay 0.1
	pages 20	# connections are limited to the number of objects
	# (each object takes 100 ms by the server's own clock: a page can take no less)
	holds '.from_sent_ms.min >= 100 and .pages == .requests and .connections == 6 and .errors == 0'
	[ "$made" = 6 ]
	[ "$asked" = $((6 * n)) ]
	# a row is a page, with the bytes of its six objects: 500 each, and their heads
	[ "$(column log-20.tsv label | sort -u)" = Home ]
	[ "$(column log-20.tsv bytes | awk '$1 < 3000 || $1 > 4500' | wc -l)" = 0 ]
	one=$took
	for at_once in 1 4; do
		pages "$at_once"
		[ "$made" = "$at_once" ]
		[ "$asked" = $((6 * n)) ]
		rounds=$(((6 + at_once - 1) / at_once))
		holds ".from_sent_ms.min >= 100 * $rounds"
		disturbed || awk -v a="$took" -v b="$one" -v r="$rounds" 'BEGIN { q = a / b; exit !(q > 0.8 * r && q < 1.2 * r) }'
	done
}

@test "vusers HTTP: a page with a failed object is one error; a broken connection ends the page, and the user reconnects" {
	need jq
	for ((i = 1; i <= 4; i++)); do printf 'Home\t1\tobject-%d\t/%d\n' "$i" "$i"; done >page.tsv
	start_scripted --fail
	users -n 2 -z 20ms --think-dist const -t 3s --timeout 300ms --workload page.tsv --per page --parallel 4 --log log.tsv
	[ "$status" = 3 ]
	holds '.errors > 0 and .timeouts > 0 and .reconnected > 0 and .requests + .errors + .timeouts + .unanswered == .due'
	# a page with an object of code 503 has the code 503
	[ "$(awk -F'\t' '$8 == 503 && $7 != "error"' log.tsv | wc -l)" = 0 ]
	[ "$(column log.tsv code | grep -cx 503)" -ge 1 ]
}

@test "vusers HTTP: errors, timeouts and broken connections are counted; JMeter's columns have code and quoted path" {
	need jq
	start_scripted --fail
	at=${at}a,b
	users -n 2 -z 20ms --think-dist const -t 3s --timeout 300ms --log log.tsv --jtl a.jtl
	[ "$status" = 3 ]
	grep -q '^vusers: .* requests failed' users.err
	# every fifth is refused with 503, every seventh broken off, every eleventh never answered
	holds '.errors > 0 and .timeouts > 0 and .reconnected > 0 and (.response_ms.max >= 300 or .response_ms.above.max >= 300)'
	[ "$(column log.tsv code | grep -cx 503)" -ge 1 ]
	[ "$(column log.tsv state | grep -cx timeout)" = "$(jq .result.timeouts report.json)" ]
	python3 - "$at" <<-'END'
		import csv, sys
		rows = list(csv.DictReader(open("a.jtl")))
		assert all(len(r) == 17 and None not in r.values() and r["URL"] == sys.argv[1] for r in rows), rows[:2]
		codes = {r["responseCode"] for r in rows}
		assert codes == {"200", "503", "Non HTTP response code"}, codes
		assert all((r["success"] == "true") == (r["responseCode"] == "200") for r in rows)
	END
	# an unwritable log gives the reason
	users -n 1 -z 5ms --think-dist const -t 200ms --timeout 200ms --jtl /dev/full
	[ "$status" = 3 ]
	grep -q 'incomplete: No space left' users.err
}

# Two users of the scripted server, started with these words, until it has got so many requests; then a signal.
interrupted() {	# STATUS REQUESTS WORD...
	start_scripted "${@:3}"
	start cut "$VUSERS" "$at" -n 2 -z 20ms --think-dist const --timeout 60s --lateness 60s --format json -o report.json
	until_true grep -qx ready cut.err
	until_true eval '[ "$(curl -s "${at}count" | cut -d " " -f 2)" -ge '"$2"' ]'
	kill -INT "$pid"
	ends "$pid"
	[ "$status" = "$1" ]
}

@test "vusers: until a signal, failed requests are told, too: status 3; what the signal itself cuts is not" {
	need jq
	interrupted 3 20 --refuse
	holds '.valid and .errors > 0 and .stopped_by == "signal"'
	grep -q '^vusers: .* requests failed' cut.err
	interrupted 0 2 --delay 60
	holds '.unanswered == 2 and .errors + .timeouts == 0'
}

# 99 requests answered in 10 ms, 19 timed out after 10 s, one cut after 50 ms, of which nobody knows.
@test "vusers: of the share beyond the threshold, only requests that were given up before it are unknown" {
	need jq
	start_serve vnc --width 64
	users -n 1 -z 50ms -t 300ms --threshold 100ms --log log.tsv --start-at "@$(($(date +%s) + 2))"
	jq '.result.requests = 99' report.json >one.json
	{
		head -n 1 log.tsv
		for ((i = 0; i < 119; i++)); do
			ms=10 end=ok
			if ((i >= 99)); then ms=10000 end=timeout; fi
			if ((i == 118)); then ms=50 end=cut; fi
			printf 'vusers-log/1\t0\tkey\t%s\t%s\t%s\t%s\t%s\t\t1\t1\t0\n' ${i}000001 ${i}000001 ${i}000001 \
				$((i + ms))000001 $end
		done
	} >rows.tsv
	run -3 "$VUSERS" merge one.json rows.tsv --format json -o report.json
	holds '.range.over_threshold_percent == { from: 15.966, to: 16.807 }'
}

# Ten users of one screen: each sees the answers to the keys of the other nine.
@test "vusers: users that share a screen cannot recognize their answers: 3 and a reason, which merge keeps" {
	local all=0 echo start=()
	need jq
	start_refecho --vnc "$port" --answer-delay const:50ms --log echo.tsv
	at=vnc:127.0.0.1:$port
	for echo in next patch; do
		users -n 1 -z 100ms -t 1s --echo "$echo"
		measured
		holds '.why_unsure == null'
		all=$((all + $(jq .result.due report.json)))
		[ "$echo" = next ] || start=(--start-at "@$(($(date +%s) + 3))")
		users -n 10 -z 100ms -t 1s --echo "$echo" --log rows.tsv "${start[@]}"
		[ "$status" = 3 ]
		holds '.requests > 0 and (.why_unsure | test("another|other things"))'
		all=$((all + $(jq .result.due report.json)))
	done
	until_true has_keys echo.tsv "$all"
	grep "10 users.*1 server" users.err
	cp report.json one.json
	run -3 "$VUSERS" merge one.json rows.tsv --format json -o report.json
	holds '.why_unsure | test("generator 1: 10 users")'
}

@test "vusers: a real VNC server, in every encoding, with and without pixels: the application gets the counted keys" {
	need jq ss
	start_vnc -SecurityTypes None
	at=vnc:127.0.0.1:$port
	start_xterm sh -c 'stty -icanon; cat >typed'
	all=0
	for encodings in zrle,raw hextile,raw raw copyrect,hextile,zrle,raw; do
		users -n 2 --watched 1 -z 30ms -t 1500ms --encodings "$encodings"	# (each sees the other's echoes: unsure)
		[ "$status" = 0 ] || [ "$status" = 3 ]
		holds '.requests > 0 and .errors == 0 and .unanswered == 0 and .watched_requests > 0 and .watched[0].errors == 0
			and .watched[0].unanswered == 0 and .watched[0].width == 800'
		all=$((all + $(jq '.result | .requests + .watched_requests' report.json)))
	done
	until_true eval '[ "$(stat -c %s typed)" = "$all" ]'
	# several at once: each is let in
	users -n 12 -z 100ms -t 300ms
	holds '.users_ready == 12'
	users -n 2 -z 50ms -t 300ms --timeout 300ms --asks move	# (of which nothing comes back but a cursor)
	holds '.users_ready == 2'
}

@test "vusers: the think time can be proportional to the users, or the mean of a file" {
	need jq
	start_serve vnc --width 64
	users -n 30 --users-per-second 60 -t 200ms
	[ "$(jq -c '.settings | [.think_s, .nz_per_s]' report.json)" = '[0.5,60]' ]
	printf '0.1\n0.3\n' >thinks.txt
	users -n 3 --think-dist file:thinks.txt -t 200ms
	[ "$(jq .settings.think_s report.json)" = 0.2 ]
}

@test "vusers: a signal ends it early with a report; it ends with its parent" {
	need jq
	start_serve vnc --width 64
	start users "$VUSERS" "$at" -n 10 -z 50ms -t 60s --format json -o report.json --log log.tsv
	until_true grep -qx ready users.err
	until_true test -s log.tsv	# (it is written about once a second)
	confined "$server"
	confined "$pid"
	for task in "/proc/$pid/task"/*; do grep -qx $'Seccomp:\t2' "$task/status"; done
	kill -INT "$pid"
	ends "$pid"
	[ "$status" = 130 ]
	holds '.stopped_by == "signal" and .seconds < 50'
	rm report.json
	start parent bash -c '"$1" "$2" -n 3 -z 50ms --format json -o report.json & echo $!; wait' parent "$VUSERS" "$at"
	until_true grep -qx ready parent.err
	until_true test -s parent.out
	kill -9 "$pid"
	until_true gone "$(cat parent.out)"
	[ "$(jq -r .result.stopped_by report.json)" = signal ]
}

@test "vusers: a missing server, one that wants a password, one of another protocol: one line, status 1" {
	for to in vnc:127.0.0.1::1 http://127.0.0.1:1/; do
		at=$to
		users -n 3 -z 10ms -t 200ms
		echo "$to: $status $(cat users.err)"
		# a missing web server is noticed at the first request
		case $to in vnc*) [ "$status" = 1 ]; [ "$(wc -l <users.err)" = 1 ] ;; *) [ "$status" = 3 ] ;; esac
	done
	start_scripted
	at=vnc:127.0.0.1:$port
	users -n 1 -z 10ms -t 200ms --timeout 300ms
	[ "$status" = 1 ]
	[ "$(wc -l <users.err)" = 1 ]
}

@test "vusers: more users than file descriptors: status 4 and the cure" {
	start_serve vnc --width 64
	status=0
	(ulimit -n 100 && setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$VUSERS" "$at" -n 500 -z 1s -t 100ms) 2>users.err || status=$?
	cat users.err
	[ "$(id -u)" = 0 ] || skip "only root may be somebody else"
	[ "$status" = 4 ]
	grep -q 'ulimit -n 564' users.err
}

@test "vusers: wrong options: exit 2, one line that names the option" {
	printf 'a\t1\tx\tx\n' >bad.tsv
	printf '1\nx\n' >bad.txt
	while read -r words; do
		status=0
		# shellcheck disable=SC2086 # words
		timeout 20 "$VUSERS" $words >out 2>err || status=$?
		echo "$words: $status $(cat err)"
		[ "$status" = 2 ]
		[ ! -s out ]
		[ "$(wc -l <err)" = 1 ]
		grep -q '^vusers: ' err
	done <<-'END'
		vnc:127.0.0.1:5901 -n 3
		vnc:127.0.0.1:5901 --to vnc:127.0.0.1:5901 -z 1s
		vnc:127.0.0.1:5901 -n 3 -z 1s --users-per-second 3
		vnc:127.0.0.1:5901 -n 3 -z 1s --open 3
		vnc: -z 1s
		vnc:127.0.0.1: -z 1s
		vnc:127.0.0.1::0 -z 1s
		vnc:127.0.0.1:1-3,x -z 1s
		vnc:127.0.0.1:5910-5901 -z 1s
		ftp://127.0.0.1/ -z 1s
		http://127.0.0.1:99999/ -z 1s
		http://127.0.0.1:80/ -z 1s --asks move
		vnc:127.0.0.1:5901 -z 1s --per page
		vnc:127.0.0.1:5901 -z 1s --parallel 6
		http://127.0.0.1:80/ -z 1s --parallel 6
		http://127.0.0.1:80/ -z 1s --per page --parallel 0
		vnc:127.0.0.1:5901 -z 1s --body 5
		vnc:127.0.0.1:5901 -z 1s --encodings tight
		vnc:127.0.0.1:5901 -z 1s --encodings raw,raw
		vnc:127.0.0.1:5901 --think-dist file:bad.txt
		vnc:127.0.0.1:5901 -z 1s --think-dist gauss
		http://127.0.0.1:80/ -z 1s --workload bad.tsv
		http://127.0.0.1:80/x -z 1s --workload none.tsv
		vnc:127.0.0.1:5901 -z 1s --log x --jtl x
		vnc:127.0.0.1:5901 -n 3 -z 1s --watched 4
		vnc:127.0.0.1:5901 -n 30 -z 1s --watched 17
		http://127.0.0.1:80/ -n 3 -z 1s --watched 1
		http://127.0.0.1:80/ -n 3 -z 1s --password-file x
		serve
		serve vnc:127.0.0.1:5901 --stations 5ms,x
		serve vnc:127.0.0.1:5901 --freeze 5s
	END
}

@test "vusers serve: disconnects clients of another protocol, and reports their number" {
	need jq python3
	start_serve vnc --width 64
	python3 - "$port" <<-'END'
		import socket, sys
		for what in (b"GET / HTTP/1.1\r\n\r\n", b"RFB 003.008\n\x05", b"RFB 003.008\n\x01\x01\x63"):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
		    s.settimeout(5)
		    s.sendall(what)
		    try:
		        while s.recv(4096): pass
		    except ConnectionResetError: pass
	END
	users -n 2 -z 10ms -t 200ms
	measured
	stop_serve
	[ "$(jq '.result | .refused == 3 and .guests == 5' serve.json)" = true ]
}

@test "vusers: after a timeout, or an answer at once, a user's next request is sent when due, not at another event" {
	need jq
	# the header announces more bytes than are sent: each request times out, and the next one is sent a think time after the
	# reconnect
	start half python3 -c 'if True:
		import socket, threading
		s = socket.create_server(("127.0.0.1", 0))
		print(s.getsockname()[1], flush=True)
		def talk(c):
		    c.recv(4096); c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc"); c.recv(4096)
		while True:
		    threading.Thread(target=talk, args=(s.accept()[0],), daemon=True).start()'
	until_true test -s half.out
	at=http://127.0.0.1:$(cat half.out)/
	users -n 3 -z 20ms --think-dist const -t 900ms --timeout 200ms
	[ "$status" = 3 ]
	holds '.timeouts >= 3'
	disturbed || holds '.generator.late_ms.p50 < 20'
}

@test "vusers: code in each of its processes has nothing of the caller, no Unix socket, and reaches no other process" {
	load ../../../../tests/cli/inside
	need ss python3
	prepare_inside
	exec 7<handed
	unused_port
	start serve "${inside[@]}" "$VUSERS" serve "vnc:127.0.0.1::$port" --width 64
	server=$pid
	until_true grep -qx ready serve.err
	"${inside[@]}" "$VUSERS" "vnc:127.0.0.1::$port" -n 2 --watched 1 -z 50ms -t 300ms || [ $? = 3 ]
	exec 7<&-
	kill -INT "$server"
	ends "$server"
	# the server, the users, and who decodes for one of them
	[ "$(tail -c +5 said | tr -d '\0' | grep -c looked)" = 3 ]
	found_inside vusers
	if grep -vx 'vusers dumpable' found; then false; fi
}
