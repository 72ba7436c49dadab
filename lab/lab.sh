#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lab.sh - the two emulated hosts by hand: `thinprobe lab up`, look around with `exec`, `down`.
#
# A lab dies with the process that made it; here that is a keeper in the background, which waits until `down` ends it.
# Only `up` leaves something running, and says so.
TP_TOOL='thinprobe lab'
# shellcheck source=lab/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh" || exit 1
lab_use local
set -u

usage() {
	cat <<'END'
usage: thinprobe lab up [--server-memory SIZE
                         [--swap none|file|zram|slow:DELAY] [--swap-size SIZE]]
       thinprobe lab exec [-C] [-R] server|client COMMAND...
       thinprobe lab down | clean

  up      makes two hosts, 10.203.0.1 (server) and 10.203.0.2 (client), that
          stay until `down`
          --server-memory: confine the server to this much memory
          --swap: swap for what does not fit (file)
          (LAB_RATE=100Mbit|DOWN/UP|none, LAB_QUEUE=50ms, LAB_DELAY=,
          LAB_JITTER=, LAB_LOSS=, LAB_SHARED_CPUS=1, LAB_CPUS_server=,
          LAB_CPUS_client=)
  exec    runs a command on one of them, as an ordinary user, on the CPUs of
          that host (if you are root, as a user who owns only files in the
          host's /tmp)
          -R: as root of that host
          -C: on the CPUs of the other host (to capture on the server's link
          without taking its CPU time)
  down    ends both hosts and all that runs in them
  clean   removes what killed runs left behind
END
}

state_dir=${XDG_RUNTIME_DIR:-/tmp}/thinprobe-lab-$EUID
state=$state_dir/state

# The state file is read by the shell: it must be ours, in a folder of ours.
read_state() {
	locks_private "$state_dir" && [ -O "$state" ] && [ ! -L "$state" ] || return 1
	KEEPER=''
	# shellcheck disable=SC1090
	. "$state"
	grep -qz 'lab\.sh$' "/proc/${KEEPER:-none}/cmdline" 2>/dev/null && ! lab_gone "$LAB_HOLD_server"
}

bad() { die "-$EXIT_USAGE" "up: $*; see thinprobe lab --help"; }
up_options() {
	local server_memory='' swap='' swap_size='' SIZE
	read_words '' 'server-memory swap swap-size' "$@"
	[ "${#words[@]}" = 0 ] || bad "unexpected ${words[0]}"
	[[ $server_memory == @(|none) ]] || lab_size "$server_memory" || bad "--server-memory $server_memory: a size such as 512M"
	[[ $swap =~ ^(|none|file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] || bad "--swap $swap: none, file, zram or slow:DELAY"
	[ -z "$swap_size" ] || lab_size "$swap_size" || bad "--swap-size $swap_size: a size such as 1G"
	[ "$server_memory" != none ] || server_memory=''
	LAB_SERVER_MEMORY=$server_memory LAB_SWAP=$swap LAB_SWAP_SIZE=$swap_size
	[ -n "$LAB_SERVER_MEMORY" ] || [ -z "$LAB_SWAP$LAB_SWAP_SIZE" ] ||
		die "-$EXIT_USAGE" "--swap is of a server with a size: --server-memory SIZE"
	export LAB_SERVER_MEMORY LAB_SWAP LAB_SWAP_SIZE
}

up() {
	local keeper swap status said
	read_state && die "a lab is up already (server on CPU $LAB_CPUS_server); end it with: thinprobe lab down"
	(umask 077 && mkdir -p -- "$state_dir") && locks_private "$state_dir" ||
		die "cannot use $state_dir; set XDG_RUNTIME_DIR to a folder that you own"
	rm -f -- "$state"
	mkdir -p -- "$state_dir/run" || die "cannot make $state_dir/run"
	: >"$state_dir/keeper.log" && exec {said}<"$state_dir/keeper.log" || die "cannot write to $state_dir"
	# The terminal may go away; the keeper stays, until down.
	setsid "$BASH" "$LAB_HERE/lab.sh" keep </dev/null >"$state_dir/keeper.log" 2>&1 {said}<&- &
	keeper=$!
	trap 'kill "$keeper" 2>/dev/null; wait "$keeper"; rm -rf -- "$state_dir"; exit 130' INT TERM HUP
	wait_until "$((${LAB_CPU_WAIT:-300} + 35))" up_or_ended "$keeper" "$said"
	trap - INT TERM HUP
	cat <&"$said" >&2	# what is left, such as its warnings
	if ! [ -f "$state" ] || ! read_state; then
		kill "$keeper" 2>/dev/null
		wait "$keeper"
		status=$?
		exit "$((status > 0 && status < 128 ? status : 1))"
	fi
	[ "$LAB_SHARED_CPUS" = 0 ] || warn "server and client share their CPUs with another lab or with each other"
	swap="swap $LAB_SWAP_KIND${LAB_SWAP_DEVICE:+ on $LAB_SWAP_DEVICE}"
	printf 'server %s on CPU %s%s, client %s on CPU %s, link %s; end it with: thinprobe lab down\n' \
		"$LAB_ADDR_server" "$LAB_CPUS_server" \
		"${LAB_MEMORY_GROUP:+ with $LAB_SERVER_MEMORY (group $LAB_MEMORY_GROUP, $swap)}" \
		"$LAB_ADDR_client" "$LAB_CPUS_client" "$LAB_RATE" 2>/dev/null ||
		{ down; die "nobody can read that the lab is up (standard output is closed or full), so it was taken down"; }
}

# up_or_ended KEEPER SAID: what it has said meanwhile (that it waits for CPUs) is shown. (No cat: this is asked often.)
up_or_ended() {
	local line
	while IFS= read -r -u "$2" line; do printf '%s\n' "$line" >&2; done
	[ -f "$state" ] || ! kill -0 "$1" 2>/dev/null
}

keep() {
	LAB_RUN=$state_dir/run
	LAB_LOG='' LAB_BY_HAND=1
	: "${LAB_OWN_UID:=1}"
	echo $$ >"$state_dir/pid"
	lab_up
	trap 'exit 0' TERM INT HUP
	{
		printf 'KEEPER=%s\n' "$$"
		# -g, for it is read within a function
		declare -p LAB_ID LAB_HOLDER LAB_ROOTLESS LAB_MODE LAB_UID LAB_UID_client LAB_SHARED_CPUS LAB_RUN LAB_LOG LAB_TIMES \
			LAB_RATE LAB_CPUS_server LAB_CPUS_client \
			LAB_SERVER_MEMORY LAB_MEMORY_GROUP LAB_MEMORY_VERSION LAB_SWAP_KIND LAB_SWAP_DEVICE LAB_SWAP_SCRATCH \
			LAB_ADDR_server LAB_ADDR_client LAB_IF_server LAB_IF_client LAB_HOLD_server LAB_HOLD_client |
				sed 's/^declare -[-x]*/declare -g/'
	} >"$state.new" && mv -- "$state.new" "$state" || die "cannot write $state"
	# Without the state file nothing could end this lab, so it ends itself then.
	while [ -d "/proc/$LAB_HOLDER" ] && [ -f "$state" ]; do nap 1; done
}

down() {
	if ! read_state; then
		KEEPER=$(cat "$state_dir/pid" 2>/dev/null)	# of one that still waits for CPUs or memory
		if grep -qz 'lab\.sh$' "/proc/${KEEPER:-none}/cmdline" 2>/dev/null; then
			kill -TERM "$KEEPER"
			wait_until 75 lab_gone "$KEEPER" || kill -KILL "$KEEPER"
			warn "ended a lab that was still waiting"
			rm -rf -- "$state_dir"
			return 0
		fi
		rm -rf -- "$state_dir"
		warn "no lab is up"
		return 0
	fi
	kill -TERM "$KEEPER"
	# (Swapped pages may have to be read back first.)
	wait_until 75 lab_gone "$KEEPER" || kill -KILL "$KEEPER"
	wait_until 5 lab_gone "$LAB_HOLD_server"
	rm -rf -- "$state_dir"
}

case ${1-} in
keep | down | clean) [ $# = 1 ] || die "-$EXIT_USAGE" "$1 takes no words; see thinprobe lab --help" ;;
esac
case ${1-} in
up)
	shift
	case ${1-} in -h | --help) usage; exit ;; esac
	up_options "$@"
	up
	;;
keep) keep ;;
exec)
	shift
	read_state || die "no lab is up; make one with: thinprobe lab up"
	LAB_BY_HAND=1
	[[ " $* " =~ \ (server|client[0-9]*)\ +[^\ ] ]] ||
		die "-$EXIT_USAGE" "exec: name server or client, and a command; see thinprobe lab --help"
	# (a folder of the host's with the name of a home that is hidden)
	[[ $LAB_ROOTLESS != 1 || $PWD == @(/tmp|/dev/shm)?(/*) || ! -d /proc/$LAB_HOLD_client/root$PWD ]] ||
		[ "/proc/$LAB_HOLD_client/root$PWD" -ef "$PWD" ] ||
		warn "the hosts have another, empty $PWD, and what they write there is lost; make the lab in a folder below it"
	lab_exec "$@"
	;;
down) down ;;
clean) lab_clean ;;
-h | --help | help) usage ;;
*) die "-$EXIT_USAGE" "${1:-nothing} is not up, exec, down or clean; see thinprobe lab --help" ;;
esac
