#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# guard.sh - the end of the connection on a measured host: starts the keeper, hands it the driver's
# words, and when the driver is silent for 10 s, the connection ends or the keeper dies, ends all
# that was started and removes what is ours.
#
# guard.sh FOLDER. Reads lines: beat (once a second) | kill JOB SIGNAL | lock FOLDER CPU... | end.
# Says lines: fact NAME VALUE | program NAME ok|WHY | installed NAME PATH | up FOLDER | ended WHY.
# Costs one wake-up a second, without a fork.
# shellcheck disable=SC2317,SC2013,SC2044 # close runs in a trap; pids are words
set -u
folder=$1
umask 077
cd -- "$folder" || exit 1
. lab/machine.sh
. lab/locks.sh
trap '' HUP INT
trap 'exit 1' TERM
trap close EXIT

# Everything that carries our mark, has its folder in ours or lives in our session, but for this process.
survivors() {
	local p stat mine
	read -r stat </proc/$$/stat
	stat=${stat##*) }
	mine=${stat#* * * } mine=${mine%% *}
	machine_marked "$folder"
	for p in $(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$folder/*"); do
		p=${p#/proc/}
		printf '%s ' "${p%/*}"
	done
	for p in /proc/[0-9]*/stat; do
		{ read -r stat <"$p"; } 2>/dev/null || continue
		stat=${stat##*) }
		p=${p#/proc/} p=${p%/stat}
		[[ $stat == Z* ]] && continue
		stat=${stat#* * * }
		[ "${stat%% *}" != "$mine" ] || [ "$p" = $$ ] || [ "$p" = "$BASHPID" ] || printf '%s ' "$p"
	done
}

# (A shell in a trap does not bury its children: a zombie is dead.)
keeper_lives() {
	local stat
	[ -n "${keeper-}" ] && { read -r stat <"/proc/$keeper/stat"; } 2>/dev/null && [[ ${stat##*) } != Z* ]]
}

close() {
	local pids lock pid n
	trap - EXIT
	trap '' TERM PIPE
	exec >/dev/null 2>&1 </dev/null
	! keeper_lives || printf 'end\n' >&"$ask"
	for ((n = 0; n < 60; n++)); do
		keeper_lives || break
		read -r -t 0.05 -u "$idle"
	done
	for n in 1 2 3; do
		pids=$(survivors)
		[ -n "$pids" ] || break
		# shellcheck disable=SC2086 # words
		kill -KILL $pids
		read -r -t 0.1 -u "$idle"
	done
	# An X server that was killed leaves its lock and its socket.
	for lock in /tmp/.X*-lock; do
		[ ! -L "$lock" ] && [ -f "$lock" ] && [ -O "$lock" ] && [ "$lock" -nt begun ] &&
			read -r pid <"$lock" && ! kill -0 "$pid" || continue
		n=${lock#/tmp/.X}
		rm -f -- "$lock" "/tmp/.X11-unix/X${n%-lock}"
	done
	unlock
	[ -z "$locks" ] || locks_tidy "$locks"
	cd /
	# Who was killed a moment ago may still be writing.
	for n in 1 2 3 4 5; do
		rm -rf -- "$folder" && break
		read -r -t 0.5 -u "$idle"
	done
}

# lock LOCKS CPU...: the locks by which the labs of a machine keep off each other's CPUs
# (../local/hold.sh): all, or at the next beat again.
wanted='' locks='' held=()
lock() {
	local cpu
	read -r locks cpu <<<"$1"
	for cpu in $cpu; do
		locks_take "$locks/cpu$cpu" && held+=("$LOCK") && continue
		# Without a lock the cells still tell of others' CPU time.
		[ $? = 1 ] || break
		unlock
		return
	done
	wanted=''
	: >locked
}
unlock() {
	local fd
	for fd in ${held[@]+"${held[@]}"}; do exec {fd}<&-; done
	held=()
}

say() { printf '%s\n' "$*"; }

printf '%s\n' $$ >pid
mkdir -p run home runtime tmp job
mkfifo ask idle
exec {ask}<>ask {idle}<>idle
: >begun

# The programs that came along, each tried; where one cannot run, an installed one of the same version will do.
installed=$(command -v thinprobe) && installed=$(dirname -- "$(readlink -f -- "$installed")") || installed=''
for place in "$installed/bin" "$installed/../libexec/thinprobe"; do [ -n "$installed" ] && [ -x "$place/keyrepeat" ] && break; done
[ -n "$installed" ] || place=''
while IFS=$'\t' read -r name version; do
	if [ "$("bin/$name" --version 2>/dev/null)" = "$version" ]; then
		why=ok
	else
		why=$(ldd "bin/$name" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | tr '\n' ' ')
		packages=''
		for library in $why; do	# libXtst.so.6 is in libxtst6, libX11.so.6 in libx11-6
			packages+=" $(sed -E 's/^(.*)\.so\.(.*)$/\1\t\2/; s/([0-9])\t/\1-/; s/\t//; s/.*/\L&/' <<<"$library")"
		done
		if head -c 18 "bin/$name" | grep -q '^#!/usr/bin/python3'; then
			why='it needs Python 3.11 or later there; apt-get install --no-install-recommends python3'
		elif [ -n "$packages" ]; then
			why="${why% } is missing there; apt-get install --no-install-recommends$packages"
		else
			why="it was built for another machine ($(bin/"$name" --version 2>&1 | tail -n 1 |
				cut -c 1-120)); install thinprobe of the same version there"
		fi
	fi
	if [ -n "$place" ] && [ "$("$place/$name" --version 2>/dev/null)" = "$version" ]; then
		say "installed $name $place/$name"
		[ "$why" = ok ] || { ln -sf -- "$place/$name" "bin/$name" && why=ok; }
	fi
	say "program $name $why"
done <bin/versions

allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
read -r boot </proc/sys/kernel/random/boot_id
say fact "cpus $allowed"
say fact "boot $boot"
say fact "uid $EUID"
say fact "ssh ${SSH_CONNECTION-}"
say fact addresses "$(ip -o addr show scope global 2>/dev/null | awk '{ sub(/\/.*/, "", $4); printf "%s ", $4 }')"

# The keeper is what everything here is started by: in this session, and so in its scheduling group.
setpriv --pdeathsig KILL bash -p lab/ssh/keeper.sh "$folder" $$ {idle}>&- &
keeper=$!
exec 2>/dev/null	# where bash would tell how the keeper died
trap '' PIPE	# not earlier: what is started would inherit it
say "up $folder"
while :; do
	IFS= read -r -t 10 line || { [ $? -gt 128 ] && say ended "no message from the machine that runs the experiment for 10 s"; exit 0; }
	case $line in
	kill\ *) printf '%s\n' "$line" >&"$ask" ;;
	lock\ *) wanted=${line#lock } ;;
	end) exit 0 ;;
	esac
	[ -z "$wanted" ] || lock "$wanted"
	keeper_lives || { say ended "the process that starts commands on that host was killed"; exit 0; }
done
