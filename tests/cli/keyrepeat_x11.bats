#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# keyrepeat on X11: the rectangle that counts, the window that keys are for, the caret read from the screen's pixels.
# Truth: what is painted and typed by programs that are not ours.
# bats file_tags=waits:one

load helpers

KEYREPEAT=$BIN/keyrepeat

vim() {	# without a greeting, which would go with the first key
	need vi
	start_xterm vi -N -u NONE -i NONE -n --cmd 'set shortmess+=I noruler noshowcmd' -c startinsert
	# vim takes keys when it has switched its terminal to single characters
	until_true sh -c "tty=\$(ps -o tty= --ppid $pid | tail -n 1) && stty -F /dev/\$tty -a | grep -q -e -icanon"
	until_true at_rest	# painted, too
	terminal=$(xdotool search --onlyvisible --class xterm | head -n 1)
}

at_rest() {
	"$KEYREPEAT" "x11:$DISPLAY" --rate 0 -t 400ms --watch update --json -o rest.json && [ "$(figure rest.json updates)" = 0 ]
}

# A second window that changes 50 times a second, at 600,500: not what is typed at.
restless() {
	need perl
	start restless xterm -geometry 20x3+600+500 -title restless \
		-e perl -e '$|=1; while (1) { print "\r", $i++; select undef, undef, undef, 0.02 }'
	until_true xdotool search --onlyvisible --name restless
	xdotool windowfocus --sync "$(xdotool search --onlyvisible --name restless | head -n 1)"
}

focus_terminal() {
	terminal=$(xdotool search --onlyvisible --class xterm | head -n 1)
	xdotool windowfocus --sync "$terminal" mousemove 100 100
}

@test "keyrepeat x11: without the plug-in, or a library of it: one line, status 4; other targets need neither" {
	cp "$KEYREPEAT" .
	one_line 4 "install thinprobe again" ./keyrepeat x11:99 -o report.json
	./keyrepeat null: -t 100ms -q
	mkdir broken
	: >broken/libXdamage.so.1
	export LD_LIBRARY_PATH=$PWD/broken
	one_line 4 "apt-get install --no-install-recommends libxdamage1 " "$KEYREPEAT" x11:99 -o report.json
	[ ! -e report.json ]
	"$KEYREPEAT" null: -t 100ms -q
}

@test "keyrepeat x11: with a moving caret every key is paired exactly, also at 60 keys a second" {
	start_x
	vim
	# where others hold the terminal up for a key period, it shows no key alone, and the caret's cell is not known
	for rate in 60 60 60 20; do
		busy_begin
		"$KEYREPEAT" "x11:$DISPLAY" -t 1s --rate "$rate" --schedule periodic --watch update --json -o report.json
		if [ "$(figure report.json pairing)" = caret ] || ! machine_was_busy 16; then break; fi
	done
	[ "$(figure report.json pairing)" = caret ]
	[ "$(figure report.json keys_exact)" = "$(figure report.json latency_from_due_ms.n)" ]
	[ "$(figure report.json keys_exact)" = $((rate - 5)) ]
}

@test "keyrepeat x11 --region: changes outside are no updates; --region auto finds the typed text, without other changes" {
	local w h x y

	start_x
	vim
	restless
	focus_terminal
	for _ in 1 2 3; do	# (a terminal that is held up for a key period shows no key alone)
		busy_begin
		"$KEYREPEAT" "x11:$DISPLAY" -t 1s --watch update --region auto --format json -o report.json
		if [ "$(jq -r .result.pairing report.json)" = caret ] || ! machine_was_busy 50; then break; fi
		xdotool key Return
	done
	[ "$(jq -r .settings.region_from report.json)" = "found by typing" ]
	IFS='x+' read -r w h x y < <(jq -r .settings.region report.json)
	# where it typed, in the terminal's first lines (its border is 1 or 2 pixels), is in it, the other window is not
	[ "$x" -le 3 ]
	[ "$y" -le 45 ]
	[ $((x + w)) -ge 484 ]
	[ $((y + h)) -ge 100 ]
	[ $((y + h)) -le 520 ]
	[ "$(jq -r .result.pairing report.json)" = caret ]
	for _ in {1..5}; do
		xdotool key Return	# the line is as long as the terminal wide
		busy_begin
		"$KEYREPEAT" "x11:$DISPLAY" -t 2s --watch update --region 500x330+0+0 --json -o inside.json
		if [ "$(figure inside.json keys_exact)" = 35 ] || ! machine_was_busy 50; then break; fi
	done
	[ "$(figure inside.json pairing)" = caret ]
	[ "$(figure inside.json keys_exact)" = 35 ]
	"$KEYREPEAT" "x11:$DISPLAY" --rate 0 -t 1s --watch update --region 500x330+0+0 --json -o quiet.json
	[ "$(figure quiet.json updates)" = 0 ]
	"$KEYREPEAT" "x11:$DISPLAY" --rate 0 -t 1s --watch update --json -o all.json
	[ "$(figure all.json updates)" -gt 5 ]
}

@test "keyrepeat x11 --region auto: works with a blinking caret; fails if typed keys do not show" {
	start_x
	need xterm xdotool
	start xterm xterm -geometry 80x24+0+0 +sb -bc -bcn 250 -bcf 250 -e sh -c 'stty -echo; cat >/dev/null'
	until_true xdotool search --onlyvisible --class xterm
	focus_terminal
	run "$KEYREPEAT" "x11:$DISPLAY" -t 1s --watch update --region auto
	[ "$status" -eq 1 ]
	[[ $output == *"no place follows the keys"*"--region"* ]]
}

@test "keyrepeat x11 --window: the window gets the focus; the region is relative to its corner" {
	start_x
	vim
	restless
	xdotool windowmove --sync "$terminal" 40 50
	xdotool mousemove 790 10
	"$KEYREPEAT" "x11:$DISPLAY" --window "$terminal" --region 480x300+0+0 --rate 5 -t 4s \
		--watch update --format json -o report.json
	[ "$(jq -r .result.pairing report.json)" = caret ]
	[ "$(jq -r .settings.region report.json)" = 480x300+0+0 ]
	[ "$(jq .result.keys_exact report.json)" = 15 ]
}

@test "keyrepeat x11 --window: no key goes into another window" {
	local typed

	start_x
	vim
	need perl
	start stranger xterm -geometry 20x3+600+500 -title stranger -e sh -c 'stty raw -echo; cat >typed'
	until_true xdotool search --onlyvisible --name stranger
	until_true test -e typed
	start keys "$KEYREPEAT" "x11:$DISPLAY" --window "$terminal" -t 20s --watch update --json -o report.json
	until_true grep -q ready keys.err
	sleep 3
	xdotool windowfocus --sync "$(xdotool search --onlyvisible --name stranger)" mousemove 620 510
	ends "$pid"
	[ "$status" -eq 1 ]
	[[ $(cat keys.err) == *"another window has the keyboard"* ]]
	[ "$(figure report.json ended)" = "window left" ]
	[ "$(figure report.json keys_sent)" -ge 10 ]
	[ "$(figure report.json keys_sent)" -lt 400 ]
	sleep 0.3
	[ ! -s typed ]
	# the same stranger does get what is typed at it
	xdotool key b
	until_true test -s typed
}

# A program that grabs the keyboard and keeps it; as a library, one that does so just when events are thrown away, and one that
# breaks the connection at the twentieth question for the focus.
troublemakers() {
	local cc=${CC:-gcc}

	need "$cc"
	cat >grab.c <<'END'
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static void grab(void)
{
	Display *d = XOpenDisplay(NULL);
	if (d && XGrabKeyboard(d, DefaultRootWindow(d), False, GrabModeAsync, GrabModeAsync, CurrentTime) == GrabSuccess)
		fprintf(stderr, "grabbed\n");
}
#ifdef BREAKS
int XGetInputFocus(Display *d, Window *focus, int *revert)
{
	static int n;
	int (*real)(Display *, Window *, int *);
	*(void **)&real = dlsym(RTLD_NEXT, "XGetInputFocus");
	if (++n == 20)
		shutdown(ConnectionNumber(d), SHUT_RDWR);
	return real(d, focus, revert);
}
#else
Bool XCheckTypedWindowEvent(Display *d, Window w, int type, XEvent *event)
{
	static int done;
	Bool (*real)(Display *, Window, int, XEvent *);
	*(void **)&real = dlsym(RTLD_NEXT, "XCheckTypedWindowEvent");
	if (!done++)
		grab();
	return real(d, w, type, event);
}
#endif
int main(void) { grab(); pause(); return 0; }
END
	"$cc" -D_GNU_SOURCE -o grab grab.c -lX11 && "$cc" -D_GNU_SOURCE -shared -fPIC -o grab.so grab.c -lX11 &&
		"$cc" -D_GNU_SOURCE -DBREAKS -shared -fPIC -o breaks.so grab.c -lX11 || skip "no compiler for X programs"
}

@test "keyrepeat x11 --window: it fails if another client grabs the keyboard, before or during the run, or the connection breaks" {
	start_x
	vim
	troublemakers
	run env LD_PRELOAD="$PWD/grab.so" "$KEYREPEAT" "x11:$DISPLAY" --watch none --window "$terminal" -t 1s
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == grabbed*"does not get the keyboard"* ]]
	"$KEYREPEAT" "x11:$DISPLAY" --watch none --window "$terminal" -t 500ms -o report.txt
	# dropped while the focus is asked for, not taken by another window
	run env LD_PRELOAD="$PWD/breaks.so" "$KEYREPEAT" "x11:$DISPLAY" --watch none --window "$terminal" -t 5s --json -o report.json
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(figure report.json ended)" = "connection dropped" ]
	[ "$(figure report.json keys_sent)" -ge 5 ]
	start grab ./grab
	until_true grep -q grabbed grab.err
	one_line 1 "does not get the keyboard" "$KEYREPEAT" "x11:$DISPLAY" --watch none --window "$terminal" -t 1s
}

@test "keyrepeat x11: beside a display that stopped answering, a signal ends the run soon, with a report; auto-repeat is restored" {
	local how begin

	need xset
	start_x
	vim
	[ "$(repeat_state)" = on ]
	for how in "--window $terminal --watch update" "--window $terminal --watch none" "--watch update" "--watch none"; do
		# shellcheck disable=SC2086
		start keys "$KEYREPEAT" "x11:$DISPLAY" $how -t 20s --json -o report.json
		until_true grep -q ready keys.err
		sleep 0.5
		kill -STOP "$server"
		sleep 0.5
		kill -INT "$pid"
		begin=$SECONDS
		ends "$pid"
		echo "$how: $status after $((SECONDS - begin)) s; $(cat keys.err)"
		[ $((SECONDS - begin)) -le 12 ]		# of the 19 s that were left
		[ "$status" -eq 130 ]
		[ "$(figure report.json ended)" = interrupted ]
		kill -CONT "$server"
		until_true sh -c '[ "$(xset q | sed -n "s/.*auto repeat:  *\([a-z]*\) .*/\1/p")" = on ]'
		rm report.json
	done
}

@test "keyrepeat x11 --window --mode hold: the held key goes up when the window loses the keyboard, and after a kill" {
	local how strangers

	start_x
	need perl xev
	start xev xev -geometry 300x200+0+0 -event keyboard
	until_true xdotool search --onlyvisible --name 'Event Tester'
	terminal=$(xdotool search --onlyvisible --name 'Event Tester' | head -n 1)
	start stranger xterm -geometry 20x3+600+500 -title stranger -e sh -c 'stty raw -echo; cat >typed'
	until_true xdotool search --onlyvisible --name stranger
	until_true test -e typed
	for how in KILL focus; do
		start keys "$KEYREPEAT" "x11:$DISPLAY" --window "$terminal" --mode hold -t 60s --watch none
		until_true eval '[ "$(grep -c ^KeyPress xev.out)" -ge 3 ]'
		[ "$how" = focus ] || kill -KILL "$pid"
		[ "$how" != KILL ] || until_true eval '[ "$(xset q | grep -c "repeat delay:  50 ")" = 0 ]'
		xdotool windowfocus --sync "$(xdotool search --onlyvisible --name stranger)" mousemove 620 510
		ends "$pid"
		[ "$how" != focus ] || [ "$status" -eq 1 ]
		# the display repeats by itself: of a key that is still down, letters go on coming
		strangers=$(wc -c <typed)
		[ "$strangers" -le 2 ]
		sleep 1
		[ "$(wc -c <typed)" = "$strangers" ]
		: >xev.out
	done
}

@test "keyrepeat x11 --window: a window that moves, closes, does not exist, or is hidden" {
	local what where keys

	start_x
	vim
	for what in windowmove windowunmap; do
		where=()
		[ "$what" != windowmove ] || where=(30 30)
		start keys "$KEYREPEAT" "x11:$DISPLAY" --window "$terminal" -t 20s --watch update -o report.txt
		until_true grep -q ready keys.err
		xdotool "$what" "$terminal" "${where[@]}"
		ends "$pid"
		[ "$status" -eq 1 ]
		grep -qE 'keyrepeat: the window was (moved|closed).*keys were stopped' keys.err
	done
	xdotool windowmap "$terminal"
	# a window of another program in front does not end it, but no later answer is exact
	start keys "$KEYREPEAT" "x11:$DISPLAY" --window "$terminal" -t 3s --watch update --log keys.tsv -o report.txt
	keys=$pid
	until_true grep -q ready keys.err
	start cover xterm -geometry 10x2+0+0
	ends "$keys"
	cat report.txt
	[ "$status" -eq 3 ]
	grep -q 'another window came in front' report.txt
	tail -n 1 keys.tsv | awk -F'\t' '{ exit $6 != "" }'
	xdotool windowunmap "$terminal"
	one_line 1 "not visible" "$KEYREPEAT" "x11:$DISPLAY" --watch none --window "$terminal" -t 1s
	one_line 1 "no window 0x123456" "$KEYREPEAT" "x11:$DISPLAY" --watch none --window 0x123456 -t 1s
	one_line 1 "nothing of the region" "$KEYREPEAT" "x11:$DISPLAY" --region 10x10+5000+5000 --watch update -t 1s
}

@test "keyrepeat x11: Xwayland is refused with an explanation" {
	local display

	need weston Xwayland
	mkdir -m 700 runtime
	XDG_RUNTIME_DIR=$PWD/runtime start weston env -u WAYLAND_DISPLAY weston --backend=headless-backend.so \
		--use-pixman --xwayland --socket=wl-thinprobe --no-config --idle-time=0
	until_true grep -qs 'xserver listening' weston.out weston.err || skip "weston has no Xwayland here"
	display=$(cat weston.out weston.err | sed -n 's/.*xserver listening on display //p')
	displays+=("$pid ${display#:}")
	one_line 1 "Wayland session" timeout 20 "$KEYREPEAT" "x11:$display" --watch none -t 1s
}

# What a program sees of a script: xev tells each event; `place` is where it was in the window, in the corner of the screen.
xev_of() {	# xev_of TARGET: runs the script, events come in `seen`, a line each
	need xev xdotool
	start xev xev -geometry 300x200+0+0 -event keyboard -event button -event mouse
	until_true xdotool search --onlyvisible --name 'Event Tester'
	xdotool windowfocus --sync "$(xdotool search --onlyvisible --name 'Event Tester' | head -n 1)" mousemove 250 150
	printf '%s\n' '50 move 50,60' '50 button 1 down' '20 move 90,60 over 80' '20 button 1 up' '30 ctrl+s' '30 button 4 click' \
		'30 BackSpace' '30 ~' '30 type 20 aB' >script
	"$KEYREPEAT" "$1" --watch none --script script --warmup 0 --json -o report.json
	until_true grep -q 'KeyRelease.*' xev.out
	until_true sh -c "grep -A 2 KeyRelease xev.out | grep -q 'keysym 0x42'"
	awk '/^(Motion|Button|Key)/ { what = $1; getline where; sub(/.*\(/, "", where); sub(/\).*/, "", where);
		getline how; print what, where, how }' xev.out |
		sed -E 's/(Notify|Press|Release)/ \1/; s/ +/ /g' >seen
	cat seen
	grep -q '^Button Press.* 50,60 .*button 1' seen
	grep -q '^Motion Notify.* 70,60 state 0x100' seen
	grep -q '^Button Release.* 90,60 .*button 1' seen
	grep -q '^Button Press.* 90,60 .*button 4' seen
	grep -q '^Button Release.* 90,60 .*button 4' seen
	grep -Eq '^Key Press.* state 0x4, .*keysym 0x73,' seen
	grep -Eq '^Key Press.* state 0x0, .*keysym 0x61,' seen
	grep -Eq '^Key Press.*keysym 0xff08,' seen
	grep -Eq '^Key Press.*keysym 0x7e,' seen
	grep -Eq '^Key Press.* state 0x[12], .*keysym 0x42,' seen	# Xvnc makes a capital by its caps lock
}

@test "keyrepeat x11 --script: moves, drags, clicks, wheel, held keys and texts arrive" {
	start_x
	xev_of "x11:$DISPLAY"
	# outside of the screen is nowhere; a window has no pointer
	printf '0 move 900,10\n' >script
	run "$KEYREPEAT" "x11:$DISPLAY" --watch none --script script
	[ "$status" = 1 ]
	[[ $output == *"move 900,10: the screen of x11:$DISPLAY is 800x600"* ]]
	run "$KEYREPEAT" "x11:$DISPLAY" --script script --window 0x123
	[ "$status" = 2 ]
}

@test "keyrepeat x11 --script: an interrupted or killed drag leaves no button pressed" {
	local signal n=0
	need xdotool xev xset
	start_x
	start xev xev -geometry 300x200+0+0 -event button
	until_true xdotool search --onlyvisible --name 'Event Tester'
	printf '0 move 50,60\n10 button 1 down\n60000 button 1 up\n' >script
	for signal in TERM KILL off; do
		[ $signal != off ] || xset r off	# there is nothing else to be taken back
		n=$((n + 1))
		start keyrepeat "$KEYREPEAT" "x11:$DISPLAY" --watch none --script script -t 90s
		until_true events Press "$n"
		kill -"${signal/off/KILL}" "$pid"
		ends "$pid"
		[[ $status = @(130|137) ]]
		until_true events Release "$n"
	done
}
events() { [ "$(grep -c "Button$1" xev.out)" = "$2" ]; }	# of xev

@test "keyrepeat vnc --script: the same input arrives through a VNC server" {
	start_vnc -SecurityTypes None
	xev_of "vnc:127.0.0.1:$port"
}
