#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay learn: what several replays have in common, and play --deps.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load vncplay_desk

setup() { begin_desk; }

@test "vncplay: repeated replays with a set-up command and seeded jitter; learn finds what a key waits for, and play waits" {
	{
		click 42 20 shot
		printf 'wait 700\nkey 0x61\nwait 100\n'
	} >script
	make_trace script t.trace --delays 200 --answer window
	# a desktop of its own for each replay, in the same state
	unused_port
	cat >before.sh <<END
if [ -s desk.pid ]; then kill "\$(cat desk.pid)"; while kill -0 "\$(cat desk.pid)" 2>/dev/null; do sleep 0.02; done; fi
python3 "$LAB/scripted_rfb.py" --log "desk\$VNCPLAY_RUN.log" --buttons 10 --port $port --delays 200 --answer window \\
	3>&- >/dev/null 2>&1 &
echo \$! >desk.pid
for i in \$(seq 500); do grep -q listens "desk\$VNCPLAY_RUN.log" 2>/dev/null && exit 0; sleep 0.02; done
exit 1
END
	play t.trace o.rfb --repeat 3 --before 'bash before.sh' --jitter 30 --wait-end 400ms
	started+=("$(cat desk.pid)")
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.result.runs[].file]' report.json)" = '["o-1.rfb","o-2.rfb","o-3.rfb"]' ]
	# the first seeds of jitter: in one replay the key is due 0.15 s later than in the two others, which are alike within some ms
	for i in 1 2 3; do
		awk '/^input / { for (n = 6; n <= NF; n++) if ($n ~ /^late_us=/) due = $5 - substr($n, 9) }
			/^input [0-9]+ press / { pressed = due } /^input [0-9]+ keydown / { print (due - pressed) / 1e6 }' o-$i.rfb.aux
	done >due
	cat due
	[ "$(jq -s 'length == 3 and max - min > 0.05 and max - min < 0.5' due)" = true ]
	"$BIN/vncplay" learn t.trace o-1.rfb o-2.rfb o-3.rfb -o t.deps
	cat t.deps
	[ "$(head -n 1 t.deps)" = "vncplay-deps 1" ]
	key=$(grep -n keydown t.trace | cut -d: -f1)
	# the window is at 24,56 with 240x200 (the desktop's log has it): within its tiles, and not more
	grep -qE "^before $key change 16 48 256 208 [0-9a-f]{16}$" t.deps
	kill "$(cat desk.pid)"
	# a log that was cut teaches nothing
	head -c -3 o-3.rfb >cut.rfb
	cp o-3.rfb.aux cut.rfb.aux
	run -3 "$BIN/vncplay" learn t.trace o-1.rfb o-2.rfb cut.rfb -o cut.deps
	[ "$output" = "vncplay: cut.rfb is left out: the log ends inside of a block" ]
	# now the window is late: only with what was learned does the key wait for it
	desk late --delays 2500 --answer window
	play t.trace p.rfb --wait-end 300ms
	[ "$status" -eq 0 ]
	end_desk
	desk late2 --delays 2500 --answer window
	play t.trace q.rfb --deps t.deps --wait-end 300ms
	[ "$status" -eq 0 ]
	[ "$(value dependencies)" -ge 1 ]
	end_desk
	[ "$(grep -E ' key down| paint name=answer-1' late.log | head -n 1 | cut -d' ' -f2)" = key ]
	[ "$(grep -E ' key down| paint name=answer-1' late2.log | head -n 1 | cut -d' ' -f2)" = paint ]
	# what never comes is named
	desk never --missing 1
	play t.trace q.rfb --deps t.deps --timeout 3s
	[ "$status" -eq 1 ]
	grep -q "line $key of the trace needs a change at 16,48 (256x208; line [0-9]* of the dependencies), which did not come" play.err
	# a hook that fails stops all
	play t.trace r.rfb --repeat 2 --before 'exit 7'
	[ "$status" -eq 1 ]
	grep -q 'ended with status 7 before replay 1' play.err
	[ ! -e r-1.rfb ]
	end_desk
}
