# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# local.sh - the lab on one machine: two hosts, server and client, made of namespaces and a veth pair.
#
#   driver (main shell)
#    +- hold.sh     takes the CPUs, makes hosts and link; setpriv --pdeathsig KILL, so it dies with the driver
#    |   +- unshare, host.sh (process 1 of the server)    the hosts die with hold.sh, and all in them
#    |   +- unshare, host.sh (process 1 of the client)
#    +- door        one per command started: takes from it what is the driver's, and becomes
#       enter.sh    outside the pid namespace: hands signals and exit status through
#        +- COMMAND in the namespaces of its host
#
# Nothing outlives a kill -9 of the driver and nothing outside of the namespaces is changed, but for
# empty lock files (lab_clean), and groups and switches that are asked for (groups.sh; taken back).
# Without root everything lives in one user namespace, which also is the hosts' root; session
# programs run as an ordinary user of a nested user namespace. With root that is root without
# capabilities, to which root's files belong; or, with LAB_OWN_UID=1 (runs and `lab up` say so),
# another user in each host, LAB_UID and LAB_UID_client, who owns nothing outside of its /tmp. On the
# server, words of such commands that are paths below LAB_RUN mean /tmp/.run there, as over ssh, and
# lab_start -o, lab_put and lab_get carry files. On the client, our own programs (of TP_BIN) stay
# root without capabilities, with a home of their own; so does a command with LAB_AS=probe. With
# LAB_AS=priority it is that user, but may have real-time priority.
#
# A command has no descriptors but 0 to 2, no terminal, no keys and of the environment only what
# door.c names. LAB_PATH_ROLE: a folder in front of its PATH, there only.
#
# lab_up, lab_start and lab_down must be called from the main shell of the driver: the death signal
# is bound to the process that starts a child, and $( ) or a pipe would be another one.

# shellcheck disable=SC1090 # each of these
for file in machine locks jobs groups memory disk link; do . "$LAB_HERE/$file.sh"; done

# lab_up: sets LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS and per ROLE (server, client) LAB_CPUS_ROLE
# LAB_ADDR_ROLE LAB_IF_ROLE LAB_HOLD_ROLE (a process in its network and mount namespaces); for
# captures LAB_TAP (array: what lab_start is told before the name) and LAB_TAP_IF (the interface;
# empty: no capture here). LAB_PRIVATE=1: nobody else is on the link. LAB_TMP: the server's folder for
# what goes with the lab; its `home` is the HOME of all commands. Wants LAB_RUN; LAB_RATE
# (100Mbit, DOWN/UP, none), LAB_QUEUE (50ms, but at least 64 packets unless it was said), LAB_DELAY
# LAB_JITTER (one way, each direction) LAB_LOSS (percent, each direction; link.sh) LAB_DELAY_BY
# LAB_LINK_SEED, LAB_CPU_WAIT (s), LAB_SHARED_CPUS=1, LAB_SERVER_CPUS (1; the client has one of these where no other is left),
# LAB_CPUS_server and LAB_CPUS_client as wishes, LAB_KEEP (array: more files and folders below /tmp that must stay
# visible); LAB_CLIENTS (1): so many roles client, client2 ... (array: LAB_CLIENT_ROLES), of which the
# further ones have a network and an address of their own behind that of the client, on whose CPUs and
# in whose other namespaces they run; LAB_SERVER_MEMORY, LAB_SWAP, LAB_SWAP_SIZE (memory.sh); LAB_SERVER_ROOT: the root file
# system of another release (root.sh), whose usr and etc the server has in place of this machine's;
# LAB_CPUS_TOLD: a file to be written, "SERVER CLIENT SHARED"; LAB_BESIDE: such a file of a lab with which this one takes turns, on
# the same CPUs.
lab_up() {
	local deadline MS NOW_MS word a b c d dir keep=() named=() unshared=()

	need setpriv util-linux unshare util-linux nsenter util-linux taskset util-linux flock util-linux \
		ip iproute2 tc iproute2 ethtool ethtool
	lab_memory_ask
	lab_begin
	LAB_WIRE=$LAB_LOG/wire LAB_WIRE_PID=''
	! chrooted || die "-$EXIT_MISSING" "$CHROOTED; $CHROOTED_CURE"
	LAB_ROOTLESS=1
	[ "$EUID" = 0 ] && hosts_can && LAB_ROOTLESS=0
	[ "$LAB_ROOTLESS" = 0 ] || unshared=(unshare --user --map-root-user --)
	[ "$LAB_ROOTLESS" = 0 ] || hosts_can --user --map-root-user ||
		die "-$EXIT_MISSING" "this system forbids user namespaces$(
			[ "$EUID" = 0 ] && echo ", and root may not make others; give it CAP_SYS_ADMIN and CAP_NET_ADMIN" ||
				echo " to ordinary users; run as root"), or see: thinprobe doctor"
	LAB_MODE=user LAB_UID='' LAB_UID_client=''
	[ -x "$TP_BIN/door" ] || die "-$EXIT_MISSING" "$TP_BIN/door is not built; run: thinprobe setup"
	[ "$LAB_ROOTLESS" = 1 ] || lab_user
	LAB_DRIVER_CPUS=$(taskset -pc $$) || die "cannot find out which CPUs this process may use (taskset)"
	LAB_DRIVER_CPUS=${LAB_DRIVER_CPUS##*: }
	LAB_WISH_LINK=("${LAB_RATE-}" "${LAB_QUEUE-}" "${LAB_DELAY-}" "${LAB_JITTER-}" "${LAB_LOSS-}")
	[ -n "${LAB_QUEUE-}" ] && LAB_QUEUE_LEAST=2 || LAB_QUEUE_LEAST=64
	: "${LAB_RATE:=100Mbit}" "${LAB_QUEUE:=50ms}" "${LAB_DELAY:=}" "${LAB_JITTER:=}" "${LAB_LOSS:=}" \
		"${LAB_CPU_WAIT:=300}" "${LAB_SHARED_CPUS:=0}"
	LAB_WISH_SHARED=$LAB_SHARED_CPUS LAB_WISH_server=${LAB_CPUS_server-} LAB_WISH_client=${LAB_CPUS_client-}
	# (Whose home is covered finds programs of his there; libraries of one in FOLDER/bin may be beside that.)
	[ "$LAB_ROOTLESS" = 0 ] || IFS=: read -ra named <<<"$PATH"
	for dir in "${LAB_PATH_server-}" "${LAB_PATH_client-}"; do named+=("$dir" "${dir%/bin}"); done
	for dir in "$TP_HOME" "$TP_BIN" "$LAB_HERE" "$PWD" "$LAB_RUN" "${named[@]}" ${LAB_SERVER_ROOT:+"$LAB_SERVER_ROOT"} \
		${LAB_KEEP[@]+"${LAB_KEEP[@]}"}; do
		[ -e "$dir" ] && keep+=("$dir" "$(realpath -- "$dir")")
	done
	[[ $LAB_LOG == "$LAB_RUN"/* ]] || keep+=("$LAB_LOG")

	open_pipe LAB_TALK
	LAB_ID=$LAB_ID LAB_DRIVER=$$ LAB_RATE=$LAB_RATE LAB_QUEUE=$LAB_QUEUE LAB_QUEUE_LEAST=$LAB_QUEUE_LEAST LAB_DELAY=$LAB_DELAY \
		LAB_JITTER=$LAB_JITTER LAB_LOSS=$LAB_LOSS LAB_DELAY_BY=${LAB_DELAY_BY-} LAB_LINK_SEED=${LAB_LINK_SEED-} \
		LAB_RUN=$LAB_RUN LAB_LOG=$LAB_LOG LAB_ROOTLESS=$LAB_ROOTLESS \
		LAB_WIRE=$LAB_WIRE LAB_CPU_WAIT=$LAB_CPU_WAIT LAB_CLIENTS=${LAB_CLIENTS:-1} \
		LAB_LOCKS=${LAB_LOCKS:-/tmp/thinprobe-locks} LAB_SHARED_CPUS=$LAB_SHARED_CPUS LAB_ALLOWED=$LAB_DRIVER_CPUS \
		LAB_SERVER_CPUS=${LAB_SERVER_CPUS:-1} LAB_CPUS_server=${LAB_CPUS_server-} LAB_CPUS_client=${LAB_CPUS_client-} \
		LAB_SERVER_ROOT=${LAB_SERVER_ROOT-} LAB_UID=$LAB_UID LAB_UID_client=$LAB_UID_client \
		setpriv --pdeathsig KILL ${unshared[@]+"${unshared[@]}"} "$BASH" -p "$LAB_HERE/local/hold.sh" \
			${keep[@]+"${keep[@]}"} \
		3>&"$LAB_TALK" {LAB_TALK}>&- </dev/null >>"$LAB_LOG/lab.log" 2>&1 &
	LAB_HOLDER=$!
	LAB_PIDS=() LAB_PID_OF=() LAB_CLIENT_ROLES=()
	on_exit lab_down
	now_ms
	deadline=$((NOW_MS + (LAB_CPU_WAIT + 30) * 1000))
	while :; do
		lab_hear "$deadline" "the lab did not come up" "; see: thinprobe doctor"
		read -r word a b c d <<<"$LINE"
		case $word in
		cpus)
			LAB_CPUS_server=$a LAB_CPUS_client=$b LAB_SHARED_CPUS=$c
			[ -z "${LAB_CPUS_TOLD-}" ] || echo "$a $b $c" >"$LAB_CPUS_TOLD" || die "cannot write $LAB_CPUS_TOLD"
			;;
		link) LAB_LINK=$a LAB_WIRE_PID=$b ;;
		host)
			[[ $a != client* ]] || LAB_CLIENT_ROLES+=("$a")
			printf -v "LAB_HOLD_$a" %s "$b"; printf -v "LAB_ADDR_$a" %s "$c"; printf -v "LAB_IF_$a" %s "$d"
			;;
		note) warn "${LINE#note }" ;;
		fail)
			lab_down
			die "-$a" "${LINE#fail "$a" }"
			;;
		up) break ;;
		esac
	done
	# Captures are made on the server's link, from the client's CPUs.
	LAB_TAP=(-C server) LAB_TAP_IF=$LAB_IF_server LAB_PRIVATE=1 LAB_TMP=/tmp
	export LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS LAB_CPUS_server LAB_CPUS_client LAB_ADDR_server LAB_ADDR_client \
		LAB_IF_server LAB_IF_client LAB_LINK LAB_RATE LAB_QUEUE LAB_DELAY LAB_JITTER LAB_LOSS
	lab_memory_up
	# The driver and what it starts outside of the lab keep off the server's CPU.
	taskset -pc "$LAB_CPUS_client" $$ >/dev/null 2>&1 || warn "cannot bind this process to the client's CPU $LAB_CPUS_client"
}

# lab_user: root's lab: sets LAB_MODE, LAB_UID and LAB_UID_client, the users of what server and client run (LAB_BY_HAND: one for
# both, and for our own programs).
lab_user() {
	local as file
	LAB_UID=$((61184 + $$ % 2048 * 2))
	while getent passwd "$LAB_UID" || getent passwd $((LAB_UID + 1)); do LAB_UID=$((LAB_UID + 2)); done >/dev/null
	as=(setpriv --reuid "$LAB_UID" --regid "$LAB_UID" --clear-groups)
	for file in "$TP_HOME" "$TP_BIN" "$LAB_HERE" "$LAB_HERE/lab.sh"; do
		[ "${LAB_OWN_UID-0}" = 1 ] || break
		[[ $(stat -Lc %A -- "$file") == *r?[xt] ]] || { warn "only root can read $file, so the server's programs run as root without" \
			"capabilities; to give them a user of their own: chmod -R go+rX $TP_HOME"; LAB_OWN_UID=0; }
	done
	if [ "${LAB_OWN_UID-0}" = 1 ]; then
		LAB_MODE=user:$LAB_UID LAB_UID_client=$((LAB_UID + 1))
		[ -z "${LAB_BY_HAND-}" ] || LAB_UID_client=$LAB_UID
		"${as[@]}" unshare --user --map-user=1000 --map-group=1000 true 2>/dev/null && return 0
		warn "the server's programs run as root without capabilities, since other users may not make" \
			"user namespaces here; see: thinprobe doctor"
	fi
	LAB_MODE=user LAB_UID='' LAB_UID_client=''
	unshare --user --map-user=1000 --map-group=1000 true 2>/dev/null || {
		LAB_MODE=root
		warn "user namespaces are not available: the sessions' programs run as root"
	}
}

# lab_down: ends what runs (politely: 1 s), the hosts and the link; waits until they are gone. May be called twice.
lab_down() {
	local pid
	[ -n "${LAB_HOLDER-}" ] || return 0
	lab_stop_within 1 ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	lab_disk_none
	kill -KILL "$LAB_HOLDER" 2>/dev/null
	wait "$LAB_HOLDER" 2>/dev/null
	for pid in "${LAB_HOLD_server-}" "${LAB_HOLD_client-}"; do
		[ -z "$pid" ] || wait_until 5 lab_gone "$pid" ||
			warn "process $pid of the lab is still running after it was killed; see: thinprobe lab clean"
	done
	[ -z "$LAB_WIRE_PID" ] || wait_until 5 lab_gone "$LAB_WIRE_PID"	# it writes its report
	exec {LAB_TALK}>&-
	lab_undo_end
	locks_tidy "${LAB_LOCKS:-/tmp/thinprobe-locks}" >/dev/null
	[ -s "$LAB_WIRE.err" ] || rm -f -- "$LAB_WIRE.err"
	[ -s "$LAB_TIMES/lab.log" ] || rm -f -- "$LAB_TIMES/lab.log"
	taskset -pc "$LAB_DRIVER_CPUS" $$ >/dev/null 2>&1
	LAB_HOLDER='' LAB_HOLD_server='' LAB_HOLD_client='' LAB_PIDS=()
	LAB_SHARED_CPUS=$LAB_WISH_SHARED LAB_CPUS_server=$LAB_WISH_server LAB_CPUS_client=$LAB_WISH_client
	LAB_RATE=${LAB_WISH_LINK[0]} LAB_QUEUE=${LAB_WISH_LINK[1]} LAB_DELAY=${LAB_WISH_LINK[2]} \
		LAB_JITTER=${LAB_WISH_LINK[3]} LAB_LOSS=${LAB_WISH_LINK[4]}
}

# lab_command [-C] [-S] [-R] [-X] [-M GROUP] ROLE COMMAND...: sets LAB_COMMAND. -C: on the other side's CPUs (and in its
# namespaces, but for the network: a capture that is ROLE's only by its link), as root of the host, who may capture;
# -S: a session of its own; -R: as root of the host; -X: hears Ctrl-C; -M: in that memory group.
lab_command() {
	local OPTIND=1 opt other='' session=same mode=${LAB_MODE-user} interrupt=no memory=${LAB_MEMORY-} into role net home cpus \
		times path place='' word words=() plain='' LAB_WORD
	while getopts CSRXM: opt; do
		case $opt in
		M) memory=$OPTARG ;;
		C) other=1 mode=root plain=1 ;;
		S) session=new ;;
		R) mode=root plain=${LAB_ROOTLESS/1/} ;;	# (the caller's own rights are all that root has there)
		X) interrupt=yes ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	role=$1
	shift
	case $role in
	server) net=${LAB_HOLD_server-} ;;
	client | client[0-9]*)
		net=LAB_HOLD_$role
		net=${!net-} role=client
		;;
	*) die "-$EXIT_USAGE" "no role '$role' in this lab; there are: server client" ;;
	esac
	[ -n "$net" ] || die "the lab is not up; call lab_up first"
	[ -z "$other" ] || { [ "$role" = server ] && role=client || role=server; }
	lab_memory_of "$role" "$memory"
	LAB_AWAY=''
	if [[ $mode$role$LAB_ROOTLESS == user*client0 ]]; then
		lab_mode_client "$1"
	elif [[ $mode == user:* ]]; then
		LAB_AWAY=1
		for word; do
			lab_there server "$word"
			words+=("$LAB_WORD")
		done
		set -- "${words[@]}"
	fi
	home=LAB_HOLD_$role cpus=LAB_CPUS_$role path=LAB_PATH_$role
	home=${!home} cpus=${!cpus} times=$LAB_TIMES/cpu-$role.times path=${!path-}
	[ -z "$path" ] || [ -n "$plain" ] || set -- env "PATH=$path:$PATH" "$@"
	LAB_COMMAND=(setpriv --pdeathsig KILL "$TP_BIN/door")
	[ -n "${LAB_BY_HAND-}" ] || LAB_COMMAND+=(-n)
	LAB_COMMAND+=(nsenter)
	[ -z "$into$place" ] || LAB_COMMAND=(env ${into:+"LAB_INTO=$into"} ${place:+"LAB_HOME=$place"} "${LAB_COMMAND[@]}")
	[ "$LAB_ROOTLESS" = 0 ] || LAB_COMMAND+=(--user="/proc/$home/ns/user" --preserve-credentials)
	LAB_COMMAND+=(--net="/proc/$net/ns/net" --mount="/proc/$home/ns/mnt" --ipc="/proc/$home/ns/ipc"
		--pid="/proc/$home/ns/pid_for_children" --no-fork -- "$BASH" -p "$LAB_HERE/local/enter.sh"
		"$mode" "$cpus" "$session" "$interrupt" "$times" "$PWD" "$@")
}

# lab_mode_client PROGRAM: of lab_command: sets mode, and place, where that has its home. Real root can give the probe real-time
# priority, and nothing else it has; no other program is root, as it may show what a stranger's server sends.
lab_mode_client() {
	local way=${LAB_AS-}
	[[ $1 != "$TP_BIN"/* ]] || way=probe
	mode=probe
	case $way-$LAB_UID_client in
	*-) ;;
	probe-"$LAB_UID" | priority-*) mode+=:$LAB_UID_client ;;
	probe-*) place=/tmp/.probe ;;
	*) mode=user:$LAB_UID_client ;;
	esac
}

# lab_grouped GROUP WORD...: puts what makes a command a member of GROUP (none: empty), and WORDs
# such as `chrt -r 10`, before LAB_COMMAND. Outside of the host's namespaces: so it needs no view of
# the groups from within, and the command's rights don't matter.
lab_grouped() {
	local group=$1
	shift
	if [ $# -gt 0 ]; then LAB_COMMAND=("$@" "${LAB_COMMAND[@]}"); fi
	[ -n "$group" ] || return 0
	[ -n "${LAB_GROUPS[$group]-}" ] || die "the lab has no group '$group'; create it with lab_group"
	# shellcheck disable=SC2016 # another shell's
	LAB_COMMAND=(sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "${LAB_GROUPS[$group]}" "${LAB_COMMAND[@]}")
}

# How the process that makes changes is started (groups.sh), and what takes back what it has left.
lab_undo_command() {
	LAB_COMMAND=(env "LAB_ID=$LAB_ID" "LAB_HOSTS=$LAB_HOLD_server $LAB_HOLD_client"
		"LAB_LOCKS=${LAB_LOCKS:-/tmp/thinprobe-locks}" "LAB_SWAP_FOLDER=${LAB_SWAP_FOLDER-}"
		"LAB_SWAP_LOG=${LAB_SWAP_LOG-}" "TP_BIN=$TP_BIN" setsid "$BASH" -p "$LAB_HERE/local/undo.sh" serve)
}
lab_undo_again() { LAB_LOCKS=${LAB_LOCKS:-/tmp/thinprobe-locks} "$BASH" -p "$LAB_HERE/local/undo.sh" back "$1"; }

# lab_inside [OPTION]... ROLE COMMAND...: sets LAB_COMMAND, what starts the command in that role when it is run by something that
# lab_query sees (as a program that starts others).
lab_inside() { lab_command "$@"; }

# lab_query ROLE COMMAND...: on the machine of a role, as our user there: a command, or a function of machine.sh. It sees the
# machine's processes and groups, not the role's own network and files. Never while keys are sent.
lab_query() { "${@:2}"; }

# lab_child PID: sets LAB_CHILD to the host-side pid of the command behind a LAB_PID (itself when it is gone).
lab_child() {
	local MACHINE_CHILD
	machine_child "$1"
	LAB_CHILD=$MACHINE_CHILD
}

# lab_children ROLE LAB_PID...: sets CHILDREN, the commands of these that run in that role, by the
# numbers that lab_query knows, with commas.
lab_children() {
	local pid LAB_CHILD home=LAB_HOLD_$1
	CHILDREN=''
	for pid in "${@:2}"; do
		lab_child "$pid"
		[ "$LAB_CHILD" != "$pid" ] && [ "/proc/$LAB_CHILD/ns/pid" -ef "/proc/${!home}/ns/pid_for_children" ] || continue
		CHILDREN+=${CHILDREN:+,}$LAB_CHILD
	done
}

# lab_listens ROLE PORT: a process listens on that TCP port (checked without a connection).
lab_listens() {
	local home=LAB_HOLD_$1
	machine_listens "$2" "/proc/${!home}/net"
}

# lab_display ROLE: prints a free X display number, whose ports (5900+N, 6000+N) are free as well.
lab_display() {
	local home=LAB_HOLD_$1
	machine_display "/proc/${!home}/root" "/proc/${!home}/net"
}

lab_kill() {
	local LAB_CHILD=$1
	[ -z "${LAB_BRING[$1]+door}" ] || lab_child "$1"
	kill -KILL "$LAB_CHILD" 2>/dev/null
}

# lab_put ROLE SRC DST (SRC -: standard input): a file or folder to a role, lab_get ROLE SRC DST: a file from a role. One machine:
# files are where they are, but for those of LAB_UID, which only that user touches.
lab_put() {
	if [ "$1" = server ] && [ -n "$LAB_UID" ]; then
		if [ -d "$2" ]; then tar -cf - -C "$2" . | lab_exec server sh -c 'mkdir -p "$1" && tar -xf - -C "$1"' sh "$3"
		elif [ "$2" = - ]; then lab_exec server sh -c 'cat >"$1"' sh "$3"
		else lab_exec server sh -c 'cat >"$1"' sh "$3" <"$2"; fi
		return
	fi
	case $2 in	# (passwords among them)
	-) rm -f -- "$3" && (umask 077 && cat >"$3") ;;
	*) [ "$2" -ef "$3" ] || cp -R -- "$2" "$3" ;;
	esac
}
lab_get() {
	[ "$1" = server ] && [ -n "$LAB_UID" ] || { [ "$2" -ef "$3" ] || cp -R -- "$2" "$3"; return; }
	[[ $3 != */* ]] || mkdir -p -- "${3%/*}"
	lab_exec server cat -- "$2" </dev/null >"$3.part" 2>/dev/null && mv -T -- "$3.part" "$3" && return 0
	rm -f -- "$3.part"
	return 1
}
lab_fetch() { lab_get "$1" "$2" "$2" || return 0; }	# (a command that failed may have written nothing)

# lab_there ROLE WORD: sets LAB_WORD: a path of ours as it is called there.
lab_there() {
	LAB_WORD=$2
	[ "$1" != server ] || [ -z "${LAB_UID-}" ] || [[ $2 != "$LAB_RUN"?(/*) ]] || LAB_WORD=/tmp/.run${2#"$LAB_RUN"}
}

# lab_clock ROLE: "offset error" in ns: what CLOCK_REALTIME there shows more than here. One machine has one clock.
lab_clock() { printf '0 0\n'; }

# lab_ahead ROLE: "ahead error" in ns: how far the clock of all rows (CLOCK_MONOTONIC) is ahead of this machine's there.
lab_ahead() { printf '0 0\n'; }

# lab_lost: prints why the hosts are gone without lab_down; fails while they are there.
lab_lost() {
	local role host
	[ -n "${LAB_HOLDER-}" ] || return 1
	! lab_gone "$LAB_HOLDER" || { printf 'the emulated hosts are gone\n'; return; }
	for role in server "${LAB_CLIENT_ROLES[@]}"; do
		host=LAB_HOLD_$role
		[ -z "${!host-}" ] || ! lab_gone "${!host}" || { printf 'the emulated %s is gone\n' "$role"; return; }
	done
	return 1
}

# lab_facts: the machine as JSON (facts.sh). The server's programs say their versions there, with that user's rights, each its own.
lab_facts() {
	local tool said=''
	for tool in $FACTS_OF_SERVER; do
		said+=$tool$'\t'$(lab_exec server bash -c "$(declare -f facts_version)"'; facts_version "$1"' facts "$tool" |
			head -c 100 | tr -c '0-9a-z.\n-' '?' | head -n 1)$'\n'
	done
	facts_json | jq -c --arg tools "$said" '
		.tools += ([$tools / "\n" | .[] / "\t" | select(.[1]) | {(.[0]): (if .[1] == "" then null else .[1] end)}] | add)'
}

# lab_can ROLE pin|shape|delay|autogroup|capture|rt, lab_can server
# memory|swap|zram|slowswap|evict|memory_low (memory.sh), disk (disk.sh; from the
# driver's main shell): 0 when this lab can do that to ROLE. Each is tried, and undone at once;
# nothing is guessed from names or versions.
lab_can() {
	local role=$1 cpus=LAB_CPUS_$1 link=LAB_IF_$1
	case $2 in
	pin) [ "$LAB_SHARED_CPUS" = 0 ] && [ "$(lab_exec "$role" sh -c 'taskset -pc $$' 2>/dev/null)" != "" ] &&
		[ "$(lab_exec "$role" sh -c 'taskset -pc $$' | sed 's/.*: //')" = "${!cpus}" ] ;;
	delay) [ "$LAB_LINK" != veth ] || link_has_netem lab_exec -R "$role" ;;
	shape)
		[ "$LAB_LINK" = wire ] || lab_exec -R "$role" tc qdisc show dev "${!link}" 2>/dev/null |
			grep -q '^qdisc tbf\|^qdisc netem'
		;;
	autogroup) machine_can_autogroup ;;
	memory | swap | zram | slowswap | evict | memory_low) lab_memory_can "$2" ;;
	disk) lab_disk_can ;;
	capture)
		if [ -x "$TP_BIN/prototap" ]; then
			lab_exec -C "$role" "$TP_BIN/prototap" live -i "${!link}" --port 1 -t 100ms >/dev/null 2>&1
		else # CAP_NET_RAW is what the kernel asks for
			local caps
			caps=$(lab_exec -C "$role" sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) && ((0x$caps >> 13 & 1))
		fi ;;
	rt) LAB_AS=priority lab_exec "$role" chrt -f 1 true 2>/dev/null ;;
	*) lab_no_lever "$2" ;;
	esac
}

# lab_cpu ROLE: one line "now busy steal own", whole ns. now: wall clock; busy and steal: of ROLE's CPUs from
# /proc/stat (sampled at the kernel's tick: good to about a tick per CPU); own: what the processes in ROLE's
# host have run, ended ones included. Foreign time between two calls is busy's growth minus own's.
# On shared CPUs own counts both hosts. What -C starts belongs to the side on whose CPUs it runs.
# LAB_SERVED=1: with swap or a disk of the lab's, work of the kernel's threads and of an emulated disk is the server's own, on
# whichever CPU (so that foreign time is rather too little); no answer where these cannot be seen.
lab_cpu() {
	local role cpus=LAB_CPUS_$1 home roles=("$1") files=() servants=''
	[ "${LAB_SERVED-}$1" != 1server ] || servants=$(machine_servants) || return 0
	[ "$LAB_SHARED_CPUS" = 0 ] || roles=(server client)
	for role in "${roles[@]}"; do
		home=LAB_HOLD_$role
		files+=("$LAB_TIMES/cpu-$role.times" "/proc/${!home}/root/proc/"[0-9]*/stat \
			"/proc/${!home}/root/proc/"[0-9]*/task/*/schedstat)
	done
	for home in $servants; do files+=("$home/stat" "$home/task/"[0-9]*/schedstat); done
	machine_cpu "${!cpus}" "${files[@]}"
}

# lab_regime PID: how the kernel schedules the command behind a LAB_PID (or any other process), in one line:
# "autogroup=/autogroup-12 session=345 nice=0 policy=other cpus=0 cgroup=/". Two commands share their CPU as users of one
# login do when the autogroups (where there are any) are the same.
lab_regime() {
	local LAB_CHILD=$1
	[[ " ${LAB_PIDS[*]-} " != *" $1 "* ]] || lab_child "$1"
	machine_regime "$LAB_CHILD"
}

# lab_alive ID: a process of that lab is there (with its record in another folder than ours, maybe).
lab_alive() { grep -qzsxF "LAB_ID=$1" /proc/[0-9]*/environ; }

lab_kept() { [ -e "$dir/undo-$1" ] || [ -e "$records/undo-$1" ] || lab_alive "$1"; }	# or it has a record

# lab_pid_in FOLDER: prints the pid that is noted there. (Root cleans folders of others, too: it may be a pipe that nobody writes.)
lab_pid_in() { timeout 2 head -c 20 -- "$1/pid" 2>/dev/null | grep -m 1 -xE '[0-9]+'; }
# lab_may_clean FOLDER: a folder with a name as mktemp makes it (machine_marked takes a line for a pattern), no link, and ours or we
# are root.
lab_may_clean() {
	[[ ${1##*/} != *[!A-Za-z0-9.-]* ]] && [ -d "$1" ] && [ ! -L "$1" ] && { [ -O "$1" ] || [ "$EUID" = 0 ]; }
}

# lab_clean: takes back and removes what killed runs left: groups, swap and switches on record, swap
# and DAMON schemes whose record is lost, groups of dead programs, lock files nobody holds, folders of watch and of ssh labs
# (with what still runs of these), groups of dead labs, an interactive lab whose keeper is gone. Only what bears our name and,
# but for root, is ours. Prints what it removed.
lab_clean() {
	local f fd dir=${LAB_LOCKS:-/tmp/thinprobe-locks} tmp=${TMPDIR:-/tmp} name records
	shopt -s nullglob
	records=$(records_folder "$dir") || warn "$(tail -n 1 <<<"$records")"
	lab_undo_clean "$dir" "${records%%$'\n'*}"
	while IFS= read -r f; do . "$f"; done < <(in_trees lab/clean.sh)	# what programs of kits left
	locks_tidy "$dir"
	while read -r name _; do
		# Its record is lost. (A lab in a container can only be seen from outside.)
		[[ $name == /dev/* ]] && [ "$EUID" = 0 ] && [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] &&
			f=$(swaplabel "$name" 2>/dev/null | sed -n 's/^LABEL: *thinprobe//p') &&
			[ ${#f} = 6 ] && ! lab_kept "$f" || continue
		swapoff "$name" 2>/dev/null && printf 'ended swap on %s\n' "$name"
	done </proc/swaps
	# local/damon.sh ends it, and what ends it after a kill -9 can have been killed, too.
	for f in /sys/kernel/mm/damon/admin/kdamonds/0/contexts/0/schemes/0/{ops_filters,filters}/0/memcg_path; do
		{ read -r name <"$f"; } 2>/dev/null && [[ $name == */thinprobe-??????[-.]* ]] || continue
		name=${name##*/thinprobe-}
		! lab_alive "${name:0:6}" || continue
		f=${f%%/0/*}
		{ echo off >"$f/0/state"; echo 0 >"$f/nr_kdamonds"; } 2>/dev/null && printf 'ended DAMON of %s\n' "$name"
	done
	# The folder of a swap file, or of a disk, lives for as long.
	for f in {/var/tmp,/tmp}/thinprobe-{swap,disk}-?????? ${LAB_SWAP_FOLDER:+"$LAB_SWAP_FOLDER"/thinprobe-swap-??????} \
		${LAB_SWAP_FOLDER:+"$LAB_SWAP_FOLDER"/thinprobe-disk-??????}; do
		lab_may_clean "$f" || continue
		! lab_kept "${f: -6}" || continue
		rm -rf -- "$f" && printf 'removed %s\n' "$f"
	done
	for f in "$tmp"/thinprobe-{watch,try,link}.??????; do
		lab_may_clean "$f" || continue
		! { fd=$(lab_pid_in "$f") && grep -qza '/\(watch\|try\|measure_link\)\.sh$' "/proc/$fd/cmdline"; } 2>/dev/null || continue
		rm -rf -- "$f" && printf 'removed %s\n' "$f"
	done
	# Of a lab over ssh, here or at this end of one: its process is gone.
	for f in "$tmp"/thinprobe-ssh.?????? /tmp/thinprobe-ssh.?????? /var/tmp/thinprobe-ssh.?????? \
		"${HOME-}"/thinprobe-ssh.??????; do
		lab_may_clean "$f" || continue
		if fd=$(lab_pid_in "$f"); then
			! grep -qza 'lab/ssh/\(hold\|guard\)\.sh$' "/proc/$fd/cmdline" 2>/dev/null || continue
		else # not yet, or never
			[ -z "$(find "$f" -maxdepth 0 -mmin -6)" ] || continue
		fi
		# What its commands had started themselves lives on when the guard there was killed.
		for _ in 1 2 3; do
			name=$(machine_marked "$f")
			[ -n "$name" ] || break
			# shellcheck disable=SC2086 # words
			kill -KILL $name 2>/dev/null && printf 'ended %s of %s\n' "${name% }" "$f"
			nap 0.1
		done
		rm -rf -- "$f" && printf 'removed %s\n' "$f"
	done
	for f in /sys/fs/cgroup/*/thinprobe-?????? /sys/fs/cgroup/thinprobe-?????? /sys/fs/cgroup/{*/,}thinprobe-??????[-.]*; do
		name=${f##*/thinprobe-}
		! lab_kept "${name:0:6}" || continue	# of a lab that is up
		rmdir "$f" 2>/dev/null && printf 'removed %s\n' "$f"
	done
	f=${XDG_RUNTIME_DIR:-/tmp}/thinprobe-lab-$EUID
	if [ -d "$f" ] && [ -O "$f" ] && [ ! -L "$f" ]; then
		fd=$(sed -n 's/^KEEPER=//p' "$f/state" 2>/dev/null | grep . || cat "$f/pid" 2>/dev/null)
		if [ -z "$fd" ] || ! grep -qz 'lab\.sh$' "/proc/$fd/cmdline" 2>/dev/null; then
			rm -rf -- "$f" && printf 'removed %s\n' "$f"
		fi
	fi
	shopt -u nullglob
	return 0
}
