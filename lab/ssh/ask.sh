#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ask.sh - answers one question of the driver about this host: ask.sh FOLDER WORDS (a function of
# machine.sh, facts.sh, locks.sh or below, or a command, quoted, in base 64). Never while keys are sent. A third word: MARK, to be
# said before the answer (after.sh).
[ -z "${3-}" ] || printf '\nthinprobe: begun\n'
folder=$1
cd -- "$folder/run" || exit 125
umask 077
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C.UTF-8
. "$folder/lab/machine.sh"
. "$folder/lab/facts.sh"
. "$folder/lab/locks.sh"

# job_pid JOB: the command behind a door, and not the door.
job_pid() {
	local pid
	read -r pid 2>/dev/null <"$folder/job/$1.pid" || return 1
	machine_child "$pid"
	[ "$MACHINE_CHILD" != "$pid" ] && printf '%s\n' "$MACHINE_CHILD"
}

child_of() {
	machine_child "$1"
	printf '%s\n' "$MACHINE_CHILD"
}

# What is ours here besides the commands: guard, keeper, relays, doors; and sshd's processes of our connections.
# shellcheck disable=SC2013 # pids are words
ours() {
	local p stat parent=() roots=''
	read -r p <"$folder/pid"
	for p in "$p" "$$" $(grep -lzsxF "$folder/lab/ssh/relay.sh" /proc/[0-9]*/cmdline | cut -d / -f 3); do
		roots+=" $p"
		{ read -r stat <"/proc/$p/stat"; } 2>/dev/null || continue
		read -ra parent <<<"${stat##*) }"
		{ read -r stat <"/proc/${parent[1]}/comm"; } 2>/dev/null && [[ $stat == sshd* ]] && roots+=" ${parent[1]}"
	done
	printf '%s\n' "$roots"
}
# doors: of these, all but the commands behind them, with commas.
# shellcheck disable=SC2013
doors() {
	local p all=''
	for p in $(ours) $(grep -lzsE "^$folder/lab/ssh/(keeper|job)\.sh\$" /proc/[0-9]*/cmdline | cut -d / -f 3); do
		[ "$p" = "$$" ] || [ ! -d "/proc/$p" ] || [[ ,$all, == *",$p,"* ]] || all+=${all:+,}$p
	done
	printf '%s\n' "$all"
}

# tasks: of each thread here its pid, class, name, process and the ns that it has run, with \037
# between. own: what our commands are; itself: what starts them, and the profiler; kernel; foreign.
tasks() {
	local task tid pid stat class comm process run all
	local -A parent=() root=()
	for pid in /proc/[0-9]*; do
		{ read -r stat <"$pid/stat"; } 2>/dev/null || continue
		read -ra stat <<<"${stat##*) }"
		parent[${pid#/proc/}]=${stat[1]}
	done
	all=$(doors)
	for pid in ${all//,/ } "$$" "$BASHPID"; do root[$pid]=itself; done
	for task in /proc/[0-9]*/task/[0-9]*; do
		tid=${task##*/} pid=${task#/proc/} pid=${pid%%/*} class='' process='' run=0
		{ read -r stat <"$task/stat"; } 2>/dev/null || continue
		comm=${stat#*(} comm=${comm%)*}
		read -ra stat <<<"${stat##*) }"
		if ((stat[6] & 0x200000)); then class=kernel
		elif [ -n "${root[$pid]-}" ] || [ "$comm" = idleprofile ]; then class=itself
		else
			class=foreign all=$pid
			while [ "${all:-0}" -gt 1 ]; do
				[ -z "${root[$all]-}" ] || { class=own; break; }
				all=${parent[$all]-}
			done
		fi
		{ read -r run _ <"$task/schedstat"; } 2>/dev/null
		[ "$tid" = "$pid" ] || { read -r process <"/proc/$pid/comm"; } 2>/dev/null
		printf '%s\037%s\037%s\037%s\037%s\n' "$tid" "$class" "$comm" "$process" "$run"
	done
}

# own_cpu CPUS [served]: machine_cpu of all that descends from us here: the commands, and what holds our connections; served: with
# machine_servants.
own_cpu() {
	local p files=() servants=''
	[ "${2-}" != served ] || servants=$(machine_servants) || return
	# shellcheck disable=SC2013 # numbers
	for p in $(awk -v roots="$(ours)" '
		BEGIN {
			n = split(roots, list, " "); for (i = 1; i <= n; i++) root[list[i]] = 1
			for (i = 1; i < ARGC; i++) {
				if ((getline line < ARGV[i]) <= 0) continue	# it has ended since
				close(ARGV[i])
				pid = ARGV[i]; gsub(/[^0-9]/, "", pid); sub(/.*\) /, "", line); split(line, f, " "); parent[pid] = f[2]
			}
			for (p in parent) { for (q = p; q > 1 && !(q in root); q = parent[q]); if (q in root) print p }
		}' /proc/[0-9]*/stat 2>/dev/null); do
		files+=("/proc/$p/stat" "/proc/$p/task/"[0-9]*/schedstat)
	done
	for p in $servants; do files+=("$p/stat" "$p/task/"[0-9]*/schedstat); done
	[ ! -e "$folder/ended.times" ] || files+=("$folder/ended.times")
	machine_cpu "$1" ${files[@]+"${files[@]}"}
}

echo_clock() { while read -r -t 5 _; do printf '%s\n' "$EPOCHREALTIME"; done; }
can_pin() { [ "$(taskset -c "$1" sh -c 'taskset -pc $$' 2>/dev/null | sed 's/.*: //')" = "$1" ]; }
can_run() { "$@" >/dev/null 2>&1; }
is_there() { command -v -- "$1" >/dev/null; }
# links_up: interfaces that a cable may be on. hears INTERFACE ADDRESS: for two seconds, what knocks at that host's port 9.
links_up() { ip -o link show up | awk -F': ' '{ sub(/@.*/, "", $2); if ($2 != "lo") printf "%s ", $2 }'; }
hears() { "$folder/bin/prototap" live -i "$1" --promiscuous --port 9 --server "$2" -t 2500ms --format json; }
reaches() { timeout 5 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" 2>/dev/null; }
route_to() {
	ip -o route get "$1" 2>/dev/null | awk '
		{ for (i = 1; i < NF; i++) { if ($i == "dev") d = $(i + 1); if ($i == "src") s = $(i + 1) } }
		END { if (d == "") exit 1; print d, s }'
}
# receive FILE, receive_folder FILE: from standard input; send FILE: a file as it is, a folder as tar.
receive() { mkdir -p -- "${1%/*}" && cat >"$1.part" && mv -- "$1.part" "$1"; }
receive_folder() { mkdir -p -- "$1" && tar -xf - -C "$1"; }
send() { if [ -d "$1" ]; then tar -cf - -C "$1" .; else cat -- "$1"; fi; }

eval "set -- $(base64 -d <<<"$2")"
"$@"
