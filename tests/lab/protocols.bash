# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# protocols.bash - shared by the tests of display protocols: several protocols in one lab, each with vim in its session and a train
# of keys, all trains at once (one lab for each would take minutes); and checks that nothing is left, however the lab ends.
#
# A file has OF, which of the protocols it is about, as options of protocols_listed. Before its tests, all of these, LIST, get a
# train of keys, `train`; before_train is called in front of that.
#
#   protocols_world            1: not here; W, a folder below /tmp with a blank in its name, that all processes of the test carry
#   protocols_as_user          from here on as an ordinary user; 1 where the system does not let him
#   protocols_train NAME P...  one life: all sessions are started, get keys, are stopped; what it
#                              said is in $W/NAME.out ($W/keep, where it is there, is seen in the
#                              hosts, too)
#   protocols_hold NAME P...   the same in the background, but for ever: sets DRIVER, and returns when all sessions are up
#   protocols_listed [-v]E REGEX  names of the protocols and variants that send over the link, of these; TEST_PROTOCOLS=NAME,...
#                              has other ones
#   protocols_answered NAME    the keys of each of LIST came back, and its settings are whole
#   protocols_stopped          the train is over: nothing is left in the hosts, and on the machine
#   protocols_killed           kill -9 of an ordinary user's driver with all of LIST: nothing is left
#   protocols_broken P...      one life of each at a time, in which the programs BROKEN end at once: one line that says so, soon
#   protocols_said NAME WORD P what it said of P ("skip", "settings", "keys", "view", "left"): the rest of that line
#   protocols_left             fails, and prints what is left: processes, links, mounts, sockets, locks, logs

# shellcheck source=tests/lab/world.bash
. "${BASH_SOURCE[0]%/*}/world.bash"
load ../not_here
teardown() { :; }	# the world is of all tests of a file
before_train() { :; }

setup_file() {
	protocols_world || return 0
	before_train
	LIST=$(protocols_listed "${OF[@]}")
	export LIST
	# shellcheck disable=SC2086 # words
	protocols_train train $LIST
}
teardown_file() { rm -rf -- "$W"; }

protocols_world() {
	local tool
	export TOP=${BATS_TEST_DIRNAME%/tests/lab}
	for tool in setpriv unshare nsenter ip tc ethtool jq xterm xdotool; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null || { not_here "$tool is not installed"; return 1; }
	done
	[ -x "$TOP/bin/keyrepeat" ] || { not_here "keyrepeat is not built"; return 1; }
	[ "$(id -u)" = 0 ] || unshare --user --map-root-user --net true 2>/dev/null || {
		not_here "this system forbids user namespaces"
		return 1
	}
	W=$(mktemp -d "/tmp/lab protocols.XXXXXX")
	chmod 755 "$W"
	export W LAB_TEST_WORLD=$W
	AS=()
	protocols_places >"$W/places.before"
}

protocols_listed() {
	bash -c '. "$0/lab/lib.sh" && . "$0/experiments/engine/plan.sh" && plan_expand_protocols "$1"' "$TOP" \
		"${TEST_PROTOCOLS:-all}" | tr , '\n' | grep "$@" | paste -sd ' '
}

protocols_as_user() {
	unshare --user --map-root-user --net true 2>/dev/null || return 1
	[ "$(id -u)" = 0 ] || return 0
	AS=(setpriv --reuid 12345 --regid 12345 --clear-groups)
	"${AS[@]}" unshare --user --map-root-user --net true 2>/dev/null && "${AS[@]}" test -r "$TOP/lab/lib.sh"
}

# The driver. The run folder's path is longer than a socket's path may be.
protocols_driver() {	# NAME WHAT P...
	local run="$W/$1 run whose name is rather long, because the names of sockets must be short and somebody"
	run+=" may want to put one below it"
	{
		printf 'set -u\nWHAT=%q LIST=%q\n' "$2" "${*:3}"
		printf 'export HOME=%q TMPDIR=%q LAB_LOCKS=%q LAB_RUN=%q LAB_SHARED_CPUS=1 LAB_RATE=none\n' \
			"$W/home" "$W/$1.tmp" "$W/$1.locks" "$run"
		printf '. %q\nlab_use local\n[ ! -d %q ] || LAB_KEEP=(%q)\n' "$TOP/lab/lib.sh" "$W/keep" "$W/keep"
		cat <<'END'
declare -A TARGET OPTIONS KIND WATCH SHOWN PID
lab_up
for p in $LIST; do
	protocol_use "$p"
	if ! why=$(protocol_can); then echo "skip $p $why"; continue; fi
	PROTOCOL_VIEW='' PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch
	echo "begins $p $EPOCHSECONDS"
	must protocol_start "a ${p/:/-}"
	echo "settings $p $(protocol_settings)"
	TARGET[$p]=$PROTOCOL_TARGET SHOWN[$p]=$PROTOCOL_VIEW KIND[$p]=$(protocol_kind)
	OPTIONS[$p]=${PROTOCOL_OPTIONS[*]@Q} WATCH[$p]=update
	[[ " $(protocol_properties) " != *" own-echo "* ]] || WATCH[$p]=patch
	app_use vim
	[ "${KIND[$p]}" != display ] || must app_start "$PROTOCOL_DISPLAY"
	# The viewer's window has the size of the session.
	[ -z "$PROTOCOL_VIEW" ] ||
		echo "view $p $(lab_exec client env DISPLAY="$PROTOCOL_VIEW" xwininfo -root -children | grep -c '1024x768+0+0')"
done
echo up
[ "$WHAT" = train ] || while :; do nap 60; done
for p in "${!TARGET[@]}"; do
	eval "options=(${OPTIONS[$p]})"
	lab_start client "keys-${p/:/-}" "$TP_BIN/keyrepeat" "${TARGET[$p]}" ${options[@]+"${options[@]}"} \
		--rate 20 -t 6s --warmup 5 --watch "${WATCH[$p]}" --patch-wait 20s --format json
	PID[$p]=$LAB_PID
done
for p in "${!PID[@]}"; do
	lab_wait "${PID[$p]}"
	echo "keys $p $(jq -r '.result | "\(.keys_sent) \(.keys_answered)"' "$LAB_LOG/keys-${p/:/-}.out")"
done
for p in "${!TARGET[@]}"; do
	protocol_use "$p"
	protocol_stop
done
# The applications end with their displays; processes that remain are the protocol's.
quiet() { [ "$(lab_exec "$1" pgrep -c -v -x 'bash|sh|pgrep')" = 0 ]; }
for role in server client; do
	wait_until 5 quiet $role
	left=$(lab_exec $role sh -c 'pgrep -l -v -x "bash|sh|pgrep"; ls -d /tmp/.X11-unix/* /tmp/.X*-lock 2>/dev/null' | tr '\n' ' ')
	echo "left $role $left"
done
lab_down
echo ended
END
	} >"$W/$1.sh"
	mkdir -p "$W/$1.tmp" "$W/home"
	[ ${#AS[@]} -eq 0 ] || chown -R 12345:12345 "$W"
}

protocols_train() {
	local status=0
	protocols_driver "$1" train "${@:2}"
	cd / || return
	"${AS[@]}" timeout -k 5 180 bash "$W/$1.sh" >"$W/$1.out" 2>"$W/$1.err" 3>&- || status=$?
	echo "$EPOCHSECONDS" >"$W/$1.ended"
	echo "$status" >"$W/$1.status"
}

protocols_hold() {
	local _
	protocols_driver "$1" hold "${@:2}"
	cd / || return
	# exec all the way: the pid is the driver's own
	"${AS[@]}" bash "$W/$1.sh" >"$W/$1.out" 2>"$W/$1.err" 3>&- &
	DRIVER=$!
	for _ in {1..1500}; do
		if grep -qx up "$W/$1.out"; then return 0; fi
		kill -0 "$DRIVER" 2>/dev/null || break
		sleep 0.1
	done
	cat "$W/$1.out" "$W/$1.err"
	kill -KILL "$DRIVER" 2>/dev/null
	return 1
}

protocols_said() { sed -n "s|^$2 $3 ||p" "$W/$1.out"; }

# Each protocol of LIST that can run here answered at least 90 % of the keys.
protocols_answered() {	# protocols_answered NAME
	local p sent answered here=0
	cat "$W/$1.err"
	for p in $LIST; do
		[ -z "$(protocols_said "$1" skip "$p")" ] || continue
		here=$((here + 1))
		read -r sent answered <<<"$(protocols_said "$1" keys "$p")"
		echo "$p: $sent keys sent, $answered answered; $(protocols_said "$1" settings "$p")"
		[ "$sent" -ge 50 ]
		[ $((answered * 10)) -ge $((sent * 9)) ]
		protocols_said "$1" settings "$p" | jq -e '(.server | length > 0) and (.says | length > 0)
			and (.version | test("[0-9]+[.][0-9]")) and (.floor_ms >= 0) and has("frame_rate_per_s")
			and (.encodings | type == "array") and (.compression | length > 0) and (.encryption | length > 0)
			and (.says | test("  |[( ][);,]") | not)' >/dev/null
	done
	[ "$here" -gt 0 ] || skip "none of these protocols can run here"
}

# Processes of the test that are alive, but for those of bats.
protocols_survivors() { survivors | grep -vE '^[0-9]+ (.*bats|tr |grep |$)'; }

# Places where servers leave files on the machine.
protocols_places() {
	# shellcheck disable=SC2012
	ls -d /tmp/.X11-unix/* /tmp/.X*-lock /tmp/.xrdp* /tmp/xrdp* /tmp/rdp-* /tmp/spice-* /run/user/* \
		/run/user/*/* /run/xrdp/* /run/xrdp/*/* /run/xpra* /var/log/Xorg* /var/log/xrdp* \
		/var/lib/xkb/* "$W"/home/.[a-z]* 2>/dev/null | sort
}

protocols_left() {
	local end=$((SECONDS + 20)) f new
	until [ -z "$(protocols_survivors)" ]; do
		[ $SECONDS -lt $end ] || { echo "still alive: $(protocols_survivors)"; return 1; }
		sleep 0.1
	done
	if grep -F "${W// /\\040}" /proc/self/mounts; then return 1; fi
	# Others may start servers meanwhile: theirs are alive, or go (a host that was cut off removes its own after 10 s).
	for _ in {1..300}; do
		new=''
		while IFS= read -r f; do
			case $f in
			/tmp/.X*) x_alive "$f" || new+="$f " ;;
			*) new+="$f " ;;
			esac
		done < <(protocols_places | comm -13 "$W/places.before" -)
		[ -n "$new" ] || return 0
		sleep 0.1
	done
	echo "left: $new"
	return 1
}

protocols_stopped() {
	cat "$W/train.out" "$W/train.err"
	[ "$(cat "$W/train.status")" = 0 ]
	[ "$(grep -cxE 'left (server|client) ?' "$W/train.out")" = 2 ]
	protocols_left
}

protocols_killed() {
	local seen
	protocols_as_user || skip "this system forbids user namespaces to ordinary users, or the checkout is not for them"
	# shellcheck disable=SC2086 # words
	protocols_hold user $LIST || return 1
	seen=$(protocols_survivors | wc -l)
	kill -KILL "$DRIVER"
	wait "$DRIVER" 2>/dev/null || true
	[ "$seen" -gt "$(wc -w <<<"$LIST")" ]
	protocols_left
}

protocols_broken() {
	local p
	mkdir -p "$W/keep"
	for p in $BROKEN; do
		printf '#!/bin/sh\necho "ERROR: %s has no luck" >&2\nexit 1\n' "$p" >"$W/keep/$p"
		chmod 755 "$W/keep/$p"
	done
	# shellcheck disable=SC2046 # words
	set -- $(for p; do [ -z "$(protocols_said train begins "$p")" ] || echo "$p"; done)
	[ $# -gt 0 ] || skip "none of these protocols can run here"
	for p; do PATH="$W/keep:$PATH" protocols_train "broken-$p" "$p" & done
	wait
	for p; do
		cat "$W/broken-$p.out" "$W/broken-$p.err"
		[ "$(cat "$W/broken-$p.status")" = 1 ]
		# sooner than the wait for a live one
		[ $(($(cat "$W/broken-$p.ended") - $(protocols_said "broken-$p" begins "$p"))) -lt 20 ]
		[ "$(wc -l <"$W/broken-$p.err")" = 1 ]
		grep -q "has no luck; see " "$W/broken-$p.err"
	done
	protocols_left
}
