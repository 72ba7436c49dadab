#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# keyrepeat against the reference application: what is known of each echo must be found.
# bats file_tags=waits:one

load helpers

KEYREPEAT=$BIN/keyrepeat

# --- against the reference application ---------------------------------------------------------------------

@test "keyrepeat --watch patch: keys that share a redraw share its answer, and the scripted delay is found" {
	start_x
	start_refecho --display "$DISPLAY" --coalesce 3 --answer-delay const:40ms --log echo.tsv
	run "$KEYREPEAT" "x11:$DISPLAY" -t 3s --watch patch --warmup 6 --log keys.tsv --json -o report.json
	echo "$output"
	[ "$status" -eq 0 ]
	kill "$refecho"
	ends "$refecho"
	[ "$(figure report.json keys_answered)" -eq 54 ]
	[ "$(figure report.json keys_exact)" -eq 54 ]
	awk "BEGIN { exit !($(figure report.json latency_from_due_ms.min) >= 40) }"
	# by the application's own log (on a busy machine two redraws may be seen at once, or one is of fewer keys)
	awk -F'\t' -v coalesced="$(figure report.json coalesced)" 'FNR == 1 { next } FILENAME == "echo.tsv" {
			drawn[$2] = $4; shared += $7 && $2 > 6; next }
		drawn[$2] in answer && answer[drawn[$2]] != $5 || $5 < drawn[$2] { wrong++ }
		{ answer[drawn[$2]] = $5; n++ }
		END { print n, wrong + 0, shared, coalesced; exit n != 60 || wrong || shared < 30 || coalesced < shared }' echo.tsv keys.tsv
}

@test "keyrepeat --watch patch: a key typed by another program is reported, and no later key counts as exact" {
	unused_port
	start_refecho --vnc "$port" --answer-delay const:200ms
	"$KEYREPEAT" "vnc:127.0.0.1:$port" -t 2s --watch patch --json -o alone.json
	[ "$(figure alone.json keys_exact)" = 35 ]
	"$KEYREPEAT" "vnc:127.0.0.1:$port" -t 1s --watch patch >short
	grep -q ' max  *-: too few keys$' short
	awk "BEGIN { exit !($(figure alone.json latency_from_due_ms.min) >= 200) }"
	start keys "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 3s --watch patch --format json -o report.json
	until_true grep -q '^ready$' keys.err
	sleep 1
	"$KEYREPEAT" "vnc:127.0.0.1:$port" --rate 1 -t 1s --watch none -o /dev/null
	ends "$pid"
	[ "$status" -eq 3 ]
	jq -e '.result | .keys_exact < .keys_due and .patch_ahead > 0 and .latency_from_due_ms.range.p50.to >= 200' report.json
}

@test "keyrepeat: an application with a growing backlog is overloaded" {
	start_x
	start_refecho --display "$DISPLAY" --answer-delay const:0 --cost 80ms --cost-per key
	run "$KEYREPEAT" "x11:$DISPLAY" -t 2s --watch patch --json -o report.json
	[ "$(figure report.json overloaded)" = true ]
	[ -z "$(figure report.json latency_from_due_ms.p50)" ]
	awk "BEGIN { exit !($(figure report.json backlog_per_s) > 4) }"
}

@test "keyrepeat --watch update: with rare idle noise every key gets an answer" {
	start_x
	start_refecho --display "$DISPLAY" --coalesce 3 --answer-delay const:40ms
	# 1.2 periods of this noise are 15 s; at 10 the picture has long been at rest
	run "$KEYREPEAT" "x11:$DISPLAY" -t 3s --watch update --schedule periodic --warmup 6 --noise 0.08 --log keys.tsv \
		--json -o report.json
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(figure report.json overloaded)" = false ]
	awk "BEGIN { exit !($(figure report.json largest_gap_ms) < 5000) }"
	each_key keys.tsv 'answer != "" && high != "" && censored == ""'
}

@test "keyrepeat --watch update: no noise on a screen at rest; it does not wait for rare noise if every key has its update" {
	start_x
	start_refecho --display "$DISPLAY"
	"$KEYREPEAT" "x11:$DISPLAY" --rate 0 -t 500ms --watch update --json -o report.json
	[ "$(figure report.json updates)" -eq 0 ]
	run "$KEYREPEAT" "x11:$DISPLAY" -t 3s --rate 10 --watch update --noise 0.08 --log keys.tsv --json -o report.json
	echo "$output"
	[ "$status" -eq 0 ]
	each_key keys.tsv 'high != ""'
	# a busy machine may have two echoes in one update, or an update more; then keys have ranges, and it waits
	awk "BEGIN { exit !($(figure report.json drain_s) < 8) }" || ! each_key keys.tsv 'answer == high'
}

# A VNC server: $port. again: it sends the same pixels 5 ms after a key, and others after 200 ms. moving: others ten times a second,
# and after 200 ms.
start_painting_server() {	# again|moving
	need python3
	cat >repaint.py <<-'PYTHON'
		import select, socket, struct, sys, time
		s = socket.create_server(("127.0.0.1", 0))
		print(s.getsockname()[1], flush=True)
		c = s.accept()[0]
		c.sendall(b"RFB 003.003\n")
		c.recv(12, socket.MSG_WAITALL)
		c.sendall(struct.pack(">I", 1))
		c.recv(1)
		c.sendall(struct.pack(">HHBBBBHHHBBB3xI", 8, 8, 32, 24, 0, 1, 255, 255, 255, 0, 8, 16, 4) + b"same")
		shade, paints = 0, [(0, 0)]
		if sys.argv[1] == "moving":
		    paints += [(time.monotonic() + 0.1 * i, 255) for i in range(600)]
		while True:
		    if not select.select([c], [], [], max(0, paints[0][0] - time.monotonic()) if paints else None)[0]:
		        shade ^= paints.pop(0)[1]
		        c.sendall(struct.pack(">BxHHHHHi", 0, 1, 0, 0, 8, 8, 0) + bytes([shade, 0, 0, 0]) * 64)
		        continue
		    kind = c.recv(1)
		    if not kind:
		        break
		    rest = c.recv({0: 19, 2: 3, 3: 9, 4: 7, 5: 5}[kind[0]], socket.MSG_WAITALL)
		    if kind[0] == 2:
		        c.recv(4 * struct.unpack(">xH", rest)[0], socket.MSG_WAITALL)
		    elif kind[0] == 4 and rest[0]:
		        paints = sorted(paints + [(time.monotonic() + delay, change) for delay, change in [(0.005, 0), (0.2, 255)]])
	PYTHON
	start repaint python3 repaint.py "$1"
	until_true grep -q . repaint.out
	port=$(cat repaint.out)
}

@test "keyrepeat --watch update: a repaint that changes no pixel is no answer" {
	start_painting_server again
	"$KEYREPEAT" "vnc:127.0.0.1:$port" -t 3s --format json -o report.json
	jq -e '.result | .keys_exact > 0 and (.latency_from_due_ms | (.min // .range.min.from) >= 200)' report.json
}

@test "keyrepeat --watch update: on a display that never rests, late ends are unknown, and a line says so" {
	need jq
	for _ in 1 2 3; do	# on a busy machine, the first update after a key may come as late as the echo
		rm -f repaint.out
		start_painting_server moving
		busy_begin
		run "$KEYREPEAT" "vnc:127.0.0.1:$port" -t 3s --rate 10 --warmup 0 --log keys.tsv --format json -o report.json
		echo "$output"
		if each_key keys.tsv 'answer != "" && answer < sent + 200e6' || ! machine_was_busy 100; then break; fi
	done
	[ "$status" -eq 3 ]
	jq -c .result report.json
	jq -e '.result | .keys_exact == 0 and (.overloaded | not) and .range.late_share_percent.to == 100
		and .latency_from_due_ms.range.p50.to == null' report.json
	each_key keys.tsv 'answer != "" && answer < sent + 200e6 && high == "" && censored != ""'
}

type_into_dropping_server() {
	unused_port
	start_refecho --vnc "$port" --drop 10% --log echo.tsv --seed 3
	lossy=0
	"$KEYREPEAT" "vnc:127.0.0.1:$port" -t 4s --watch update --warmup 0 --log keys.tsv --format json -o report.json || lossy=$?
	kill "$refecho"
	ends "$refecho"
	jq -c '.result | {keys_due, keys_sent, keys_answered, keys_exact, keys_held, late_share_percent, range}' report.json
}

@test "keyrepeat --watch update: dropped keys have no late end; unsent keys count as late or not; log and report agree" {
	need jq
	for _ in {1..5}; do	# whose first answers are slow gets a slower pace, and the keys before are its warm-up
		busy_begin
		type_into_dropping_server
		if jq -e '.result.keys_due > 60' report.json || ! machine_was_busy 100; then break; fi
	done
	[ "$lossy" -eq 3 ]
	# refecho answers at once, so a key is late if it was dropped
	jq -e --argjson dropped "$(awk -F'\t' '$6 == 1' echo.tsv | wc -l)" '.result | .keys_sent < .keys_due
		and .late_share_percent == null and .keys_answered <= .keys_sent - $dropped
		and .range.late_share_percent.from <= 100 * $dropped / .keys_sent
		and .range.late_share_percent.to >= 100 * (.keys_due - .keys_sent + $dropped) / .keys_due' report.json
	# no dropped key has a late end, and the truth lies in the ranges of the others
	awk -F'\t' 'FNR == 1 { next } NR == FNR { drawn[$2] = $4; out[$2] = $5; dropped[$2] = $6; next }
		$4 == "" { if ($5 != "" || $11 == "") { print "unsent", $0; bad++ } next }
		{ n++ }
		dropped[n] ? $6 != "" : $5 > out[n] + 45e6 || $6 != "" && $6 < drawn[n] { print "key", n, $0; bad++ }
		END { exit !n || bad }' echo.tsv keys.tsv
	# one that was dropped does not hold up all that follow: others have late ends again
	awk -F'\t' '$5 != "" && $7 != "" { doubt = 1 } doubt && $5 != "" && $6 != "" { ends++ } END { exit !ends }' keys.tsv
	"$BIN/score" keys.tsv --format json | jq -e --slurpfile report report.json \
		'.result.perception.range.late_percent == $report[0].result.range.late_share_percent'
}
