# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# attach.sh - a lab without control of the server: measures in a client window on this machine.
#
# The client is this machine and its X display; the server is unknown and nothing is changed on it.
# Keys go into the window by XTEST, the echo is read from its pixels. LAB_ON:
# DISPLAY,WINDOW[,REGION]; WINDOW is an id, a pattern of its title, or pick; REGION is WxH+X+Y from
# the window's corner, or pick; without one keyrepeat finds it. ATTACH_PORT: the server's TCP port,
# if it cannot be found by the window's own connection. DISPLAY own: OWN_DISPLAY starts
# the client, on a display of ours (attach_own). LAB_ON empty: no window; a program
# speaks with the server itself. Commands have no helper process: each is a child of the driver itself.
# shellcheck source=lab/machine.sh
. "$LAB_HERE/machine.sh"
# shellcheck source=lab/jobs.sh
. "$LAB_HERE/jobs.sh"

# lab_up: sets LAB_ID LAB_ROOTLESS LAB_CPUS_client LAB_TAP LAB_TAP_IF (empty: no capture, why in ATTACH_NO_CAPTURE), ATTACH_WINDOW
# ATTACH_TITLE ATTACH_REGION (empty: to be found).
lab_up() {
	local display window region
	IFS=, read -r display window region <<<"$LAB_ON"
	need setpriv util-linux
	lab_begin
	LAB_PIDS=() LAB_PID_OF=()
	on_exit lab_down
	ATTACH_WINDOW='' ATTACH_TITLE='' ATTACH_REGION=''
	if [ -n "$LAB_ON" ]; then
		need xdotool xdotool xwininfo x11-utils
		if [ "$display" = own ]; then attach_own "$window"; else export DISPLAY=$display; fi
		attach_display
		[ "$display" = own ] || attach_window "$window"
		attach_region "$region"
	fi
	LAB_ROOTLESS=1 LAB_SHARED_CPUS=0 LAB_CPUS_server='' LAB_ADDR_server='' LAB_ADDR_client='' LAB_IF_server='' LAB_IF_client=''
	[ "$EUID" != 0 ] || LAB_ROOTLESS=0
	LAB_CPUS_client=$(taskset -pc $$) && LAB_CPUS_client=${LAB_CPUS_client##*: }
	LAB_MEMORY_GROUP='' LAB_SWAP_KIND='' LAB_SWAP_DEVICE='' LAB_SWAP_SCRATCH='' LAB_MEMORY_VERSION=''
	case ${LAB_SERVER_MEMORY-} in
	'' | none) ;;
	*) warn "the server is not under our control: its memory is not limited to $LAB_SERVER_MEMORY" ;;
	esac
	ATTACH_NO_CAPTURE=''
	[ -z "$LAB_ON" ] || attach_capture
	LAB_TAP=(client) LAB_TAP_IF=$LAB_IF_client LAB_TAP_SERVER=$LAB_ADDR_server LAB_RATE=none LAB_LINK=real LAB_PRIVATE=0
	export LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS LAB_CPUS_server LAB_CPUS_client LAB_IF_server LAB_IF_client LAB_RATE
}

attach_display() {	# dies if DISPLAY cannot be used
	timeout 5 xdotool getmouselocation >/dev/null 2>&1 ||
		die "-$EXIT_MISSING" "cannot open display $DISPLAY: is it running, and may you use it (xhost, XAUTHORITY)?"
}

# attach_own TITLE: starts an X display, which chooses its number, and on it the client, by sh; both die with this process. Sets
# DISPLAY, XAUTHORITY, ATTACH_WINDOW and ATTACH_TITLE, of the first window that has this in its title and room for a patch. It is
# moved to the corner.
attach_own() {
	local n='' cookie title='' said
	need Xvfb xvfb
	# any address, no display number, name, 16 bytes
	cookie=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n' | sed 's/../\\x&/g')
	(umask 077 && printf '\377\377\0\0\0\0\0\022MIT-MAGIC-COOKIE-1\0\020%b' "$cookie" >"$LAB_RUN/own-display.cookie") ||
		die "cannot write $LAB_RUN/own-display.cookie"
	export XAUTHORITY=$LAB_RUN/own-display.cookie
	# killed, it would leave its lock
	lab_start client own-display setpriv --pdeathsig TERM Xvfb -displayfd 1 -screen 0 1280x1024x24 -auth "$XAUTHORITY" \
		-noreset -nolisten tcp
	ATTACH_X=$LAB_PID
	unset 'LAB_PIDS[-1]'
	lab_comes 20 "$LAB_PID" test -s "$LAB_LOG/own-display.out" &&
		{ read -r n <"$LAB_LOG/own-display.out" || [ -n "$n" ]; } && export DISPLAY=:$n &&	# (the line's end is written apart)
		lab_comes 20 "$LAB_PID" timeout 5 xdotool getmouselocation >/dev/null 2>&1 ||
		die "the display for the client did not start: $(tail -n 1 "$LAB_LOG/own-display.err")"
	# What it starts ends with it, X client or not: a group of its own, killed at TERM, which comes from us, or where we are killed;
	# and what has left that group, which its environment tells.
	# shellcheck disable=SC2016
	lab_start client own-client setpriv --pdeathsig TERM sh -c '
		end() {
			trap "" TERM
			kill -TERM "-$!" 2>/dev/null || kill -TERM "$!" 2>/dev/null
			[ "$?" != 0 ] || sleep 0.5
			kill -KILL "-$!" 2>/dev/null
			# what made a session of its own
			for p in $(grep -lzsxF "LAB_OWN_CLIENT=$own" /proc/[0-9]*/environ); do p=${p#/proc/}; kill -KILL "${p%/environ}"; done
			exit "$1"
		}
		trap "end 143" TERM
		own=$2
		setsid setpriv --pdeathsig KILL env -u WAYLAND_DISPLAY "LAB_OWN_CLIENT=$own" XDG_SESSION_TYPE=x11 GDK_BACKEND=x11 \
			QT_QPA_PLATFORM=xcb sh -c "$1" &
		wait "$!"
		end "$?"' sh "$OWN_DISPLAY" "$XAUTHORITY"
	lab_comes 60 "$LAB_PID" attach_shown "$1" || {
		[ "$1" = . ] || title=" with '$1' in its title,"	# (a dot is any window)
		said=$(tail -n 1 "$LAB_LOG/own-client.err")
		die "the client ($OWN_DISPLAY) showed no window$title of 320x240 or more:" \
			"${said:-it wrote no error message}; see $LAB_LOG/own-client.err"
	}
	xdotool windowmove "$ATTACH_WINDOW" 0 0
}

attach_shown() {	# attach_shown TITLE
	local id WIDTH HEIGHT
	for id in $(timeout 10 xdotool search --onlyvisible --name "$1" 2>/dev/null); do
		eval "$(timeout 5 xdotool getwindowgeometry --shell "$id" 2>/dev/null | grep -xE '(WIDTH|HEIGHT)=[0-9]+')"
		[ "${WIDTH:-0}" -ge 320 ] && [ "${HEIGHT:-0}" -ge 240 ] || continue
		attach_window "$id"
		return 0
	done
	return 1
}

# The client's window in a picked one, which may be a window manager's frame: of the manager's clients, the one that is it or in it.
attach_client() {	# attach_client WINDOW
	local tree id
	tree=$(timeout 5 xwininfo -tree -id "$1" 2>/dev/null | grep -oE '^(xwininfo: Window id:| *Root window id:)? +0x[0-9a-f]+')
	! grep -q "Root window id: $(printf '0x%x' "$1")$" <<<"$tree" || { echo "$1"; return; }
	for id in $(timeout 5 xprop -root _NET_CLIENT_LIST 2>/dev/null | grep -oE '0x[0-9a-f]+'); do
		! grep -q " $id$" <<<"$tree" || { echo "$id"; return; }
	done
	echo "$1"
}

attach_window() {	# sets ATTACH_WINDOW, ATTACH_TITLE
	local found=()
	if [ "$1" = pick ]; then
		echo "click into the window to measure" >&2
		lab_start client pick xdotool selectwindow	# a child that ends with us: it holds the pointer
		lab_wait "$LAB_PID"
		mapfile -t found < <(attach_client "$(head -n 1 "$LAB_LOG/pick.out")")
	elif [[ $1 =~ ^(0x[0-9a-fA-F]+|[0-9]+)$ ]]; then
		found=("$1")
	else
		mapfile -t found < <(timeout 10 xdotool search --onlyvisible --name "$1" 2>/dev/null)
		[ ${#found[@]} -gt 0 ] ||
			die "display $DISPLAY has no visible window with '$1' in its title; find the window's id with xwininfo"
		[ ${#found[@]} -eq 1 ] || die "${#found[@]} windows have '$1' in their title (${found[*]}); give the id of one"
	fi
	[ -n "${found[0]-}" ] || die "no window was clicked; give its id or a part of its title"
	printf -v ATTACH_WINDOW '0x%x' "${found[0]}" 2>/dev/null || die "-$EXIT_USAGE" "${found[0]} is not a window id"
	timeout 5 xwininfo -id "$ATTACH_WINDOW" >/dev/null 2>&1 ||
		die "display $DISPLAY has no window $ATTACH_WINDOW; find its id with xwininfo"
	ATTACH_TITLE=$(timeout 5 xdotool getwindowname "$ATTACH_WINDOW" 2>/dev/null)
	ATTACH_TITLE=${ATTACH_TITLE//[[:cntrl:]]/?}
	shown ATTACH_TITLE
}

attach_region() {	# sets ATTACH_REGION
	local place x y w h ox oy
	ATTACH_REGION=$1
	[ -n "$1" ] || return 0
	place=$(timeout 5 xwininfo -id "$ATTACH_WINDOW")
	if [ "$1" != pick ]; then
		IFS=x+ read -r w h x y <<<"$1"
		[ "$x" -lt "$(sed -n 's/^ *Width: *//p' <<<"$place")" ] &&
			[ "$y" -lt "$(sed -n 's/^ *Height: *//p' <<<"$place")" ] ||
			die "-$EXIT_USAGE" "$1 lies outside of the window, which is" \
				"$(sed -n 's/^ *-geometry \([0-9x]*\).*/\1/p' <<<"$place"); X and Y count from its corner"
		return 0
	fi
	command -v slop >/dev/null ||
		die "-$EXIT_MISSING" "to select the region with the mouse, slop is needed" \
			"(apt-get install --no-install-recommends slop); or give WxH+X+Y; without one, the region is found by typing"
	echo "drag a rectangle around the place where typed characters appear" >&2
	lab_start client pick-region slop -f $'%x %y %w %h\n'
	lab_wait "$LAB_PID"
	read -r x y w h <"$LAB_LOG/pick-region.out" || die "no rectangle was selected"
	ox=$(sed -n 's/.*Absolute upper-left X: *//p' <<<"$place") oy=$(sed -n 's/.*Absolute upper-left Y: *//p' <<<"$place")
	[ "$x" -ge "$ox" ] && [ "$y" -ge "$oy" ] || die "the selected rectangle begins outside the window"
	ATTACH_REGION=${w}x$h+$((x - ox))+$((y - oy))
}

# Finds the interface of the server's packets by the window's own connection: its program, that program's
# sockets, the route to their other end.
attach_capture() {
	local pid peers=() peer
	ATTACH_NO_CAPTURE=''
	pid=$(timeout 5 xdotool getwindowpid "$ATTACH_WINDOW" 2>/dev/null)
	if [ -n "${ATTACH_PORT-}" ]; then
		mapfile -t peers < <(ss -Htnp state established "dport = :$ATTACH_PORT" 2>/dev/null | awk -v own="pid=${pid:-none}," '
			index($0, own) { of[$4] } { all[$4] } END { for (p in of) { print p; n++ } if (!n) for (p in all) print p }' | sort -u)
	elif [ -n "$pid" ]; then
		mapfile -t peers < <(ss -Htnp state established 2>/dev/null | grep -F "pid=$pid," | awk '{ print $4 }' | sort -u)
	fi
	if [ ${#peers[@]} -ne 1 ]; then
		ATTACH_NO_CAPTURE="cannot tell which connection belongs to the window (of ${#peers[@]}); "
		if [ -z "${ATTACH_PORT-}" ]; then ATTACH_NO_CAPTURE+="name the server's port with --port"
		elif [ "${#peers[@]}" = 0 ]; then ATTACH_NO_CAPTURE+="none leads to port $ATTACH_PORT"
		else ATTACH_NO_CAPTURE+="several lead to port $ATTACH_PORT: end the other clients"; fi
		return 0
	fi
	peer=${peers[0]%:*} ATTACH_PORT=${peers[0]##*:}
	peer=${peer#[} peer=${peer%]} peer=${peer#::ffff:}
	LAB_ADDR_server=${peer%%%*}
	LAB_IF_client=$(ip route get "$LAB_ADDR_server" 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
	if [ -z "$LAB_IF_client" ]; then
		ATTACH_NO_CAPTURE="no route to $LAB_ADDR_server is known"
	elif ! lab_can client capture; then
		ATTACH_NO_CAPTURE="not allowed to capture on $LAB_IF_client (as root, or: setcap cap_net_raw+ep $TP_BIN/prototap)"
		LAB_IF_client=''
	fi
}

# Prints the least round trip, in ms, that TCP has seen on the window's connection in the last minutes.
attach_rtt() {
	local peer=$LAB_ADDR_server
	[[ $peer != *:* ]] || peer=[$peer]
	ss -Htin state established dst "$peer" "dport = :$ATTACH_PORT" 2>/dev/null | sed -n 's/.* minrtt:\([0-9.]*\).*/\1/p' | sort -n |
		head -n 1
}

attach_says() {
	local how=''	# (soak finds it only within its session)
	[ -n "$ATTACH_WINDOW" ] || { printf 'attach: from this machine to servers that are not ours%s\n' "${RUN_SAYS-}"; return; }
	[ -z "$ATTACH_REGION" ] || how="; echo by changes in $ATTACH_REGION of it"
	[ "${PROTOCOL_WATCH-}" != patch ] || how="; echo by refecho's patch"
	printf 'attach: window "%s" of a server that is not ours%s\n' "$ATTACH_TITLE" "$how"
}

attach_missing() {
	echo "server: not ours, so nothing is known of its CPUs, its load and its scheduling, and nothing was changed on it"
	echo "link rate and delay: as they are, not emulated"
	[ -z "$ATTACH_NO_CAPTURE" ] || echo "packets and bytes: $ATTACH_NO_CAPTURE"
}

lab_down() {
	lab_stop_within 5 ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}	# (0.5 s of these are for what the client has started)
	LAB_PIDS=()
	lab_stop_within 10 "${ATTACH_X-}"	# after its client, which may still write; a busy machine lets it end late
	rm -f -- "$LAB_RUN/own-display.cookie"
}

# No doors and no namespaces: runs the command itself, as the user of this process.
lab_command() {
	local OPTIND=1
	while getopts CSRXM: _; do :; done
	shift $((OPTIND - 1))
	[ "$1" = client ] || die "the server is not under our control: no program can be started there"
	shift
	LAB_COMMAND=(setpriv --pdeathsig KILL "$@")
}
lab_child() { LAB_CHILD=$1; }
lab_kill() { kill -KILL "$1" 2>/dev/null; }
lab_door_stands() { :; }
lab_fetch() { :; }
lab_memory_kills() { echo 0; }
lab_memory_facts() {
	case ${LAB_SERVER_MEMORY-} in '' | none) echo null ;; *) echo '{"server_memory_bytes": null, "confined": false}' ;; esac
}
lab_lost() { return 1; }
lab_regime() { :; }
lab_facts() { facts_json; }	# of the client; the server is unknown
lab_listens() { return 1; }
lab_put() { [ "$1" = client ] && { [ "$2" -ef "$3" ] || cp -R -- "$2" "$3"; }; }
lab_get() { [ "$1" = client ] && cp -R -- "$2" "$3"; }
lab_clock() { [ "$1" = client ] && printf '0 0\n'; }
lab_cpu() { :; }	# the server's CPU time is unknown

lab_link() { LAB_WHY="a real link is left as it is"; return 1; }

lab_can() {
	LAB_WHY="the server is not ours: nothing is known of it or changed on it"
	[ "$1" = client ] || return 1
	case $2 in
	capture) "$TP_BIN/prototap" live -i "${LAB_IF_client:-lo}" --port 1 -t 100ms >/dev/null 2>&1 ;;
	rt) chrt -f 1 true 2>/dev/null ;;
	pin) taskset -pc $$ >/dev/null 2>&1 ;;
	*) LAB_WHY="the client is your own machine, and nothing of it is changed"; return 1 ;;
	esac
}
