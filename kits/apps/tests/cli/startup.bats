#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# startup against a client that maps, paints and blinks when it is told, and logs when it did. A
# change that is measured may not lie before the request for it was made; how long after the display
# had done it may be, on a busy machine, less than to the next step (1.2 s). The counters against
# what dd reads, a file's size, and processes that want to stay. Starts at the same time on one
# display, in places of their own, save time and must not see each other.

load ../../../../tests/cli/helpers

setup() {
	begin_test
	need python3 jq
	start_x
	STARTUP=$BIN/startup
	CLIENT=$BATS_TEST_DIRNAME/../../../../tests/cli/scripted.py
	LATE=1200
}

teardown_file() {	# what a failed test left
	local loop

	for loop in $(losetup -n -O NAME,BACK-FILE 2>/dev/null | awk -v of="thinprobe-bats-$BATS_ROOT_PID" '$2 ~ of { print $1 }'); do
		losetup -d "$loop"
	done
	rm -f "/var/tmp/thinprobe-bats-$BATS_ROOT_PID".*
}

# Starts the client in the background: NAME.json, NAME.log; its status by `over`. It pauses for at most half of what is rest,
# so that it may be late.
starts() {	# name options... -- words for the client...
	local name=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	start "$name" "$STARTUP" --settle 2800ms --watch-after 2400ms --ceiling 60s "${options[@]}" --format json -o "$name.json" -- \
		python3 "$CLIENT" "$name.log" "${@:2}"
	eval "pid_$name=$pid"
}

over() {	# name status
	local which=pid_$1

	ends "${!which}"
	[ "$status" -eq "$2" ] || { cat "$1.err"; return 1; }
}

of() {	# name expression: of the first run
	jq -r ".result.runs[0] | [$2] | map(tostring) | join(\" \")" "$1.json"
}

# A time of the first run against the n-th row of the client's log that begins so.
agrees() {	# name key row [n]
	local exec ms

	exec=$(of "$1" .exec_ns)
	ms=$(of "$1" "$2")
	awk -v exec="$exec" -v ms="$ms" -v what="$3" -v n="${4:-1}" -v late=$LATE '
		index($0, what) == 1 && ++seen == n {
			found = 1
			low = ($3 - exec) / 1e6
			high = ($4 - exec) / 1e6 + late
			if (ms == "null" || ms < low - 0.001 || ms > high) {
				printf "%s: measured %s ms, the client: %.3f to %.3f\n", what, ms, low, high - late
				exit 1
			}
		}
		END { if (!found) { print "no row " what; exit 1 } }' "$1.log"
}

all_gone() {	# name: every process of the client's log
	local p

	for p in $(awk '$1 == "pid" { print $3 }' "$1.log"); do
		gone "$p" || return 1
	done
}

@test "startup: the application has no capabilities but a login's" {
	run "$STARTUP" --ceiling 5s -- sh -c 'grep "^CapEff:" /proc/self/status >caps'
	echo "$output"
	grep -Eqx 'CapEff:.0+(c1)?' caps	# (an ordinary user's has none)
}

@test "startup: times of map, paint and rest are the client's; a splash screen does not count, a blinking caret is rest" {
	starts plain -- sleep:300 map:main sleep:1400 paint:main,1 sleep:1300 paint:main,2 sleep:1300 paint:main,3 wait
	# one that says so, one past the window manager, and one like any window that gives way
	starts named -- map:intro,splash,400,0,100,100 paint:intro,1 sleep:4000 map:main,400,0,300,200 \
		paint:main,2 sleep:400 unmap:intro wait
	starts bare -- map:intro,override,0,300,100,100 paint:intro,1 sleep:4000 map:main,0,300,300,200 \
		paint:main,2 sleep:400 unmap:intro wait
	starts like -- map:intro,400,300,100,100 paint:intro,1 sleep:4000 unmap:intro sleep:1200 \
		map:main,400,300,250,200 sleep:1300 paint:main,2 wait
	starts caret -- map:main,700,300,90,90 paint:main,1 sleep:1300 paint:main,2 sleep:1300 blink:main,120,160 wait
	starts late --settle 1s --watch-after 6s -- map:main,700,450,90,90 paint:main,1 sleep:3000 paint:main,2 wait
	# three pictures in turn are no rest
	starts never --ceiling 8s -- map:main,700,0,90,90 paint:main,1 cycle:main,100
	over plain 0
	[ "$(of plain .state,.windows,.width,.height,.ended,.splashes)" = "stable 1 300 200 closed 0" ]
	agrees plain .mapped_ms "map main"
	agrees plain .first_paint_ms "paint paint:main,1"
	agrees plain .stable_ms "paint paint:main,3"
	# the kernel's own figures, by another way; up to 100 ms after the last change it has some more
	[ "$(of plain ".minor_faults - $(awk '$1 == "faults" { print $3 }' plain.log) | . >= 0 and . < 100")" = true ]
	[ "$(of plain ".major_faults - $(awk '$1 == "faults" { print $4 }' plain.log) | . >= 0 and . < 100")" = true ]
	over named 0
	agrees named .splash_ms "map intro"
	agrees named .mapped_ms "map main"
	agrees named .stable_ms "paint paint:main,2"
	over bare 0
	agrees bare .splash_ms "map intro"
	agrees bare .mapped_ms "map main"
	over like 0
	[ "$(of like .splashes,.width)" = "1 250" ]
	agrees like .mapped_ms "map intro"
	agrees like .stable_ms "paint paint:main,2"
	over caret 0
	[ "$(of caret .state,.caret)" = "stable true" ]
	agrees caret .stable_ms "blink 0"
	[ "$(of plain .changed_again_ms) $(of caret .changed_again_ms)" = "null null" ]
	over late 0
	agrees late .stable_ms "paint paint:main,1"
	agrees late ".stable_ms + .changed_again_ms" "paint paint:main,2"
	ends "$pid_never"
	if [ "$(of never .state)" = no_window ]; then	# a machine so busy that the client had not begun by then
		starts never --ceiling 20s -- map:main,700,0,90,90 paint:main,1 cycle:main,100
		ends "$pid_never"
	fi
	# pictures that did not come for so long are at rest
	if awk '$1 == "cycle" { if (last && $4 - last > 2400e6) held = 1; last = $4 } END { exit !held }' never.log; then
		skip "the client was held up"
	fi
	[ "$status $(of never .state,.stable_ms)" = "1 ceiling null" ]
	agrees never .first_paint_ms "paint paint:main,1"
}

@test "startup: no window, too small a window, a program that ends by itself, and a missing program are reported" {
	starts none --ceiling 700ms -- sleep:5000
	starts tiny --ceiling 1500ms -- map:tiny,5,5,20,20 paint:tiny,1 wait
	starts wrong -- nonsense
	one_line 1 "startup: cannot start ./no-such-program: No such file or directory" "$STARTUP" -- ./no-such-program
	over none 1
	[ "$(of none .state)" = no_window ]
	over tiny 1
	[ "$(of tiny .state)" = no_window ]
	over wrong 1
	[ "$(of wrong .state,.ended,.exit_status)" = "exited by_itself 1" ]
	one_line 2 "no command to start" "$STARTUP" xterm
	one_line 2 "unexpected word xterm" "$STARTUP" xterm -- xterm
}

@test "startup: a start that fails behind others costs only itself" {
	printf '#!/bin/sh\nrm "$0"\nexec python3 "%s" gone.log map:a,5,5,90,90 paint:a,1 wait\n' "$CLIENT" >once
	chmod +x once
	run "$STARTUP" -n 3 --settle 300ms --watch-after 0 --format json -o once.json -- ./once
	[ "$status" -eq 3 ]
	jq -e '[.result.runs[].state] == ["stable"] and .settings.runs == 3 and (.summary | contains("cannot start ./once"))' once.json
}

@test "startup: with a window manager the times are the same, without frames; an event lasts from the key to rest" {
	need openbox xprop
	start openbox env HOME="$PWD" openbox
	until_true sh -c 'xprop -root _NET_SUPPORTING_WM_CHECK | grep -q window'
	printf 'first\ta\nsecond\tb\n' >events
	starts managed --watch-after 0 --then events -- sleep:200 map:main sleep:1400 paint:main,1 sleep:1300 paint:main,2 \
		keys:main,1300 wait
	over managed 0
	[ "$(of managed .state,.windows,.width,.ended)" = "stable 1 300 closed" ]
	[ "$(jq -r .settings.window_manager managed.json)" != null ]	# its name it may tell later
	agrees managed .first_paint_ms "paint paint:main,1"
	agrees managed .stable_ms "paint paint:main,2"
	[ "$(of managed '.last_change_ms == .stable_ms')" = true ]	# what the events changed is not the start's
	[ "$(of managed '.events[] | .name, .state')" = "first stable second stable" ]
	# the client answers 1.3 s after the key and again as long after that
	[ "$(of managed '.events | all(.first_change_ms >= 1300 and .stable_ms - .first_change_ms > 30 and .stable_ms >= 2600)')" = true ]
	[ "$(jq '.result.events[1].stable_ms.n' managed.json)" -eq 1 ]
}

@test "startup: with a key before the start, times count from the display's time of the key" {
	need xev
	# X events have the display's own time, ms of the same clock
	start xev stdbuf -oL xev -geometry 800x600+0+0 -event keyboard -event structure
	watcher=$pid
	until_true grep -q MapNotify xev.out
	starts keyed --key Return --pause 100ms --watch-after 0 -- map:main paint:main,1 wait
	over keyed 0
	kill "$watcher"
	[ "$(grep -c 'keysym 0xff0d, Return' xev.out)" = 2 ]
	awk -v exec="$(of keyed .exec_ns)" -v late=$LATE '/KeyPress/ { pressed = 1 }
		pressed && match($0, /time [0-9]+/) { ms = substr($0, RSTART + 5, RLENGTH - 5) + 0
			if (ms < exec / 1e6 - 20 || ms > exec / 1e6 + late) { print "pressed at " ms " ms, said " exec " ns"; exit 1 }
			exit }' xev.out
	agrees keyed .mapped_ms "map main"
}

@test "startup: leaves no process: not one that ignores requests, no daemon, none after SIGINT or its own kill -9" {
	deaf() { starts deaf --watch-after 0 --close-for 200ms -- daemon map:main paint:main,1 deaf wait; }
	busy_begin
	deaf
	starts killed -- daemon map:main,400,0,100,100 deaf wait
	starts stopped -- map:main,400,300,100,100 wait
	until_true grep -q '^map' killed.log
	kill -9 "$pid_killed"
	until_true grep -q '^map' stopped.log
	kill -INT "$pid_stopped"
	over stopped 130
	[ "$(of stopped .state)" = interrupted ]
	[ "$(of stopped .mapped_ms)" = null ] || agrees stopped .mapped_ms "map main"	# it may not have read of the map yet
	for _ in 1 2 3; do	# startup measures nothing while others keep the CPU from it
		if over deaf 0 || ! machine_was_busy 500; then break; fi
		all_gone deaf
		rm deaf.log
		busy_begin
		deaf
	done
	[ "$status" = 0 ]
	[ "$(of deaf .ended)" = killed ]
	[ "$(grep -c '^pid daemon' deaf.log)" -eq 1 ]
	all_gone deaf
	all_gone stopped
	until_true all_gone killed
}

@test "startup --cold: drops the program's files from the page cache, and reports what stayed" {
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "the scratch folder is in memory"
	head -c 8M /dev/urandom >mine
	head -c 8M /dev/urandom >held
	sync mine held
	# what somebody else has mapped cannot be dropped
	start holder python3 -c 'if True:
		import mmap, time
		f = open("held", "rb")
		m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
		sum(m[i] for i in range(0, len(m), 4096))
		print("held", flush=True)
		time.sleep(60)'
	until_true test -s holder.out
	starts cold --cold --watch-after 0 -- read:mine read:held map:main paint:main,1 wait
	over cold 0
	[ "$(of cold '.cold.files > 10, .cold.files_refused')" = "true 0" ]
	[ "$(of cold .cold.dropped_bytes)" != null ] || skip "this user may not ask what of files is in memory"
	[ "$(of cold '.cold.dropped_bytes >= 8388608, .cold.stayed_bytes >= 8388608')" = "true true" ]
}

@test "startup: opened files are traced while they are learnt, not during the measured runs" {
	[ "$(id -u)" -eq 0 ] || skip "listening takes root"
	start learner "$STARTUP" --cold --warmup 2 --settle 100ms --watch-after 0 --ceiling 20s -o learner.json -- \
		sh -c 'ls -l "/proc/$PPID/fd" | grep -c fanotify >>listening; exec python3 "$0" l.log map:main paint:main,1 wait' "$CLIENT"
	ends "$pid"
	[ "$status" -eq 0 ] || { cat learner.err; return 1; }
	[ "$(sort -rn listening | tail -n +3)" = 0 ]
	[ "$(sed -n 1,2p listening | sort -u)" = 1 ] || [ "$(sort -u listening)" = 0 ]	# where the kernel lets nobody listen
}

@test "startup: swapped pages of a group, if the kernel counts them; an event without a response" {
	mkdir "a group"
	printf 'pswpin 100\npswpout 20\nworkingset_refault_anon 3\n' >"a group/memory.stat"
	: >"a group/cgroup.procs"
	printf 'nothing\tF5\n' >nothing
	"$STARTUP" --settle 300ms --watch-after 0 --cgroup "a group" --then nothing --format json -o group.json -- \
		sh -c 'printf "pswpin 110\npswpout 25\nworkingset_refault_anon 5\n" >"a group/memory.stat"
			exec python3 "$1" log sleep:100 map:main paint:main,1 wait' sh "$CLIENT"
	[ "$(jq -r .settings.swap_from group.json)" = cgroup ]
	page=$(getconf PAGESIZE)
	[ "$(of group ".swap_in_bytes / $page, .swap_out_bytes / $page, .refaults_anonymous, .read_requests")" = "10 5 2 null" ]
	[ "$(cat "a group/cgroup.procs")" = 0 ]
	[ "$(of group '.events[0] | .state, .stable_ms')" = "no_change null" ]
	# a folder that is no group
	one_line 1 memory.stat "$STARTUP" --cgroup . -- true
}

@test "startup: device requests are those that dd makes; T_IO and e follow from them" {
	local loop file busy before after
	requests() { awk '{ print $1, $5 }' "/sys/block/${loop#/dev/}/stat"; }

	[ "$(id -u)" -eq 0 ] || skip "a block device takes root"
	need losetup dd
	file=/var/tmp/thinprobe-bats-$BATS_ROOT_PID.$BATS_TEST_NUMBER
	head -c 8M /dev/zero >"$file"
	loop=$(losetup --direct-io=on --show -f "$file" 2>/dev/null) || { rm -f "$file"; skip "no loop device"; }
	status=0 before=$(requests)
	"$STARTUP" --settle 300ms --watch-after 0 --swap-device "$loop" --scratch "$file" --baseline 0s,0s --format json -o dd.json -- \
		sh -c "dd if=$loop of=/dev/null iflag=direct bs=16k count=64; exec python3 '$CLIENT' log map:main paint:main,1 wait" || status=$?
	after=$(requests)
	# a device that something uses is not overwritten, and that is said before anything is started
	start user python3 -c 'if True:
		import os, sys, time
		os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
		print("held", flush=True)
		time.sleep(60)' "$loop"
	until_true test -s user.out
	busy=0
	"$STARTUP" --scratch "$loop" -- touch started 2>busy.err || busy=$?
	losetup -d "$loop"
	rm -f "$file"
	[ "$status" -eq 0 ]
	[ "$busy" -eq 1 ]
	grep -q "in use" busy.err
	[ ! -e started ]
	# (any program may look at a new device meanwhile; the kernel's own count tells)
	[ "$after" = "$((${before% *} + 64)) ${before#* }" ] || skip "others had the machine meanwhile"
	run of dd '.swap_in_bytes, .read_requests, (.read_bytes_mean | round), .swap_out_bytes, .t_io_requests'
	[ "$output" = "1048576 64 16384 0 64" ]
	# T0 is 0 here, so e is what of the start was not requests
	of dd '.e, .stable_ms, .t_io_ms' | awk '{ d = $1 - ($2 - $3) / $2; exit !($3 > 0 && d < 0.0001 && d > -0.0001) }'
}

# A mail program that asks is another window than the one whose start is measured.
@test "sylpheed, as data/applications.tsv starts it, asks for no mailbox and no account" {
	local command window
	need sylpheed xdotool
	command=$(awk -F'\t' '$1 == "sylpheed" { print $6 }' "$BATS_TEST_DIRNAME/../../data/applications.tsv")
	mkdir home
	start mail env HOME="$PWD/home" NO_AT_BRIDGE=1 sh -c "$command"
	until_true eval 'window=$(xdotool search --onlyvisible --name .)'
	[[ $(xdotool getwindowname "$window") == "mail - Sylpheed"* ]]
}

@test "startup: stopped itself for a time, it does not call the application slow without a word" {
	starts held -- sleep:100 map:main paint:main,1 wait
	until_true test -s held.log
	kill -STOP "$pid_held"
	sleep 1.2
	kill -CONT "$pid_held"
	over held 3
	[ "$(jq '.result.held_up_ms > 1000' held.json)" = true ]
}
