#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# keyrepeat --schedule asked: a line in, a key out, a line back when its echo is there.

load helpers

setup() {
	begin_test
	KEYREPEAT=$BIN/keyrepeat
	mkfifo ask
}

# Starts it with its standard input at descriptor 7 and its answers in prober.out.
prober() {	# target options...
	start prober bash -c 'exec "$@" <ask' - "$KEYREPEAT" "$@" --schedule asked
	prober=$pid
	exec 7>ask
	until_true grep -q '^ready' prober.err
}

answers() {	# number: so many have come
	[ "$(wc -l <prober.out)" -ge "$1" ]
}

key() {	# number of the key: asks, and waits for its answer: $seq $due $sent $answered $how
	echo now >&7
	until_true answers "$1"
	IFS=$'\t' read -r seq due sent answered how < <(sed -n "$1p" prober.out)
}

@test "keyrepeat --schedule asked: one answer for each line, in order, and nothing else on standard output" {
	printf 'a\n\nanything at all\n' | "$KEYREPEAT" null: --schedule asked --watch update --warmup 0 \
		--log keys.tsv -o report.json --format json >out 2>err
	[ "$(cut -f 1 out | tr '\n' ' ')" = "1 2 3 " ]
	[ "$(awk -F'\t' 'NF == 5 && $5 == "change" && $2 <= $3 && $3 <= $4' out | wc -l)" -eq 3 ]
	[ "$(jq .result.keys_answered report.json)" -eq 3 ]
	[ "$(jq -r .settings.schedule report.json)" = asked ]
	# the log tells the same
	[ "$(awk -F'\t' 'NR > 1 { print $2, $3, $4, $5 }' keys.tsv)" = "$(awk -F'\t' '{ print $1, $2, $3, $4 }' out)" ]
	run "$KEYREPEAT" null: --schedule asked --watch update </dev/null
	[ "$status" -eq 0 ]
}

@test "keyrepeat --schedule asked: finds refecho's delays key by key, over X and VNC, by patch and by screen updates" {
	printf "150ms\n5ms\n60ms\n" >delays
	start_x
	unused_port
	for target in x11 vnc; do
		for watch in patch update; do
			[ $target-$watch != vnc-patch ] || continue
			timeout=20s
			[ $watch = patch ] || timeout=5s	# a doubt takes that long
			if [ $target = x11 ]; then
				start_refecho --display "$DISPLAY" --answer-delay file:delays --log echo.tsv
				where=$DISPLAY
			else
				start_refecho --vnc "$port" --answer-delay file:delays --log echo.tsv
				where=127.0.0.1:$port
			fi
			prober "$target:$where" --watch $watch --timeout $timeout
			for i in 1 2 3; do
				key $i
				echo "$target $watch $i: $how"
				[ "$seq" -eq $i ]
				# a patch that changes where it stands might be a caret's blink, until nothing better follows
				if [ $watch = patch ]; then [ "$how" = patch ]; else [ "$how" = change ] || [ "$how" = doubt ]; fi
			done
			exec 7>&-
			ends "$prober"
			[ "$status" -eq 0 ]
			kill "$refecho"
			ends "$refecho"
			# its own log: drawn when it says, and seen after that
			paste <(tail -n +2 echo.tsv) prober.out >both
			awk -F'\t' -v what="$target $watch" '
				{ received = $3; draw = $4; answered = $(NF - 1); sent = $(NF - 2); wanted = (NR == 1 ? 150 : NR == 2 ? 5 : 60) * 1e6
				  if (answered < draw || draw - received < wanted || answered - sent < wanted) { print what ": " $0; wrong = 1 } }
				END { exit wrong || NR != 3 }' both
		done
	done
}

@test "keyrepeat --schedule asked: a dropped key is answered 'none' after --timeout; the next echo is not taken for it" {
	start_x
	start_refecho --display "$DISPLAY" --answer-delay const:3s
	prober "x11:$DISPLAY" --watch patch --timeout 200ms
	key 1
	[ "$how" = none ]
	[ "$answered" = none ]
	sleep 3.5		# its echo comes meanwhile: late, and for nobody
	key 2
	[ "$how" = none ]
	exec 7>&-
	ends "$prober"
}

@test "keyrepeat --schedule asked: an echo of the key before, which is only late, leaves this key in doubt" {
	start_x
	start_refecho --display "$DISPLAY" --answer-delay const:3s
	prober "x11:$DISPLAY" --watch patch --timeout 2s
	key 1
	[ "$how" = none ]
	key 2		# the echo of the first comes a second later
	[ "$how" = doubt ]
	[ "$answered" -gt "$sent" ]
	exec 7>&-
	ends "$prober"
}

@test "keyrepeat --schedule asked: an echo that came while it was itself stopped is in doubt" {
	start_x
	start_refecho --display "$DISPLAY" --answer-delay const:2s
	prober "x11:$DISPLAY" --watch patch
	echo now >&7
	sleep 1		# sent by now
	kill -STOP "$prober"
	sleep 1.5
	kill -CONT "$prober"
	until_true answers 1
	[ "$(cut -f 5 prober.out)" = doubt ]
}

terminal() {	# options of xterm... -e sh -c SCRIPT, which makes a file "up": it has the focus, and the pointer is elsewhere
	start_x
	need xterm xdotool
	start xterm xterm -geometry 80x24+0+0 "$@"
	until_true xdotool search --onlyvisible --class xterm
	until_true test -e up
	xdotool windowfocus --sync "$(xdotool search --onlyvisible --class xterm | head -n 1)"
	xdotool mousemove 700 500
}
@test "keyrepeat --schedule asked: finds the echo beside a blinking caret, also right after another key" {
	local waited

	# what is typed comes back after 500 ms: the caret blinks before
	terminal -bc -bcf 150 -bcn 150 -e sh -c 'stty -echo raw; printf "here: "; : >up
			while c=$(dd bs=1 count=1 2>/dev/null); do sleep 0.5; printf "%s" "$c"; done'
	sleep 0.3
	prober "x11:$DISPLAY" --watch update --timeout 20s
	for i in 1 2 3; do
		key $i
		[ "$how" = change ]
		waited=$((answered - sent))
		echo "$i: $waited"
		[ $waited -ge 500000000 ]
		[ $i -ne 1 ] || sleep 1
	done
	exec 7>&-
	ends "$prober"
}

@test "keyrepeat --schedule asked: an update that may not be an echo gives no late end in report and log" {
	# the place of the echo changes once without a key; there is no caret
	terminal -e sh -c 'stty -echo raw; printf "\033[?25l"; : >up
		until [ -e change ]; do sleep 0.1; done
		printf "#\b"; : >changed; dd bs=1 count=1 >/dev/null 2>&1; printf " \b"; exec cat >/dev/null'
	prober "x11:$DISPLAY" --watch update --timeout 600ms --warmup 0 --log keys.tsv -o report.json --format json
	: >change
	until_true test -e changed
	sleep 0.5
	key 1
	[ "$how" = doubt ]
	exec 7>&-
	ends "$prober"
	jq -e '.result | .in_doubt == 1
		and (.latency_from_due_ms | .max == null and .range.max.from > 0 and .range.max.to == null)' report.json
	each_key keys.tsv 'answer != "" && high == "" && censored != ""'
}

@test "keyrepeat --schedule asked: a signal ends it with a report, a display that goes away with exit 1" {
	start_x
	start_refecho --display "$DISPLAY"
	prober "x11:$DISPLAY" --watch patch -o report.json --format json
	key 1
	kill -TERM "$prober"
	ends "$prober"
	[ "$status" -eq 130 ]
	[ "$(jq .result.keys_answered report.json)" -eq 1 ]
	exec 7>&-
	start_refecho --display "$DISPLAY"
	prober "x11:$DISPLAY" --watch patch
	kill "$server"
	ends "$prober"
	[ "$status" -eq 1 ]
	exec 7>&-
}
