#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ask.sh - answers one question of the driver about this host: ask.sh FOLDER WORDS (a function of
# machine.sh, facts.sh or below, or a command, quoted, in base 64). Never while keys are sent.
folder=$1
cd -- "$folder/run" || exit 125
umask 077
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C.UTF-8
. "$folder/lab/machine.sh"
. "$folder/lab/facts.sh"

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

# own_cpu CPUS: machine_cpu of all that descends from the process that holds our connection.
own_cpu() {
	local p files=()
	# shellcheck disable=SC2013 # numbers
	for p in $(awk -v root="$PPID" '
		BEGIN {
			for (i = 1; i < ARGC; i++) {
				if ((getline line < ARGV[i]) <= 0) continue	# it has ended since
				close(ARGV[i])
				pid = ARGV[i]; gsub(/[^0-9]/, "", pid); sub(/.*\) /, "", line); split(line, f, " "); parent[pid] = f[2]
			}
			for (p in parent) { for (q = p; q > 1 && q != root; q = parent[q]); if (q == root) print p }
		}' /proc/[0-9]*/stat); do
		files+=("/proc/$p/stat" "/proc/$p/task/"[0-9]*/schedstat)
	done
	[ ! -e "$folder/ended.times" ] || files+=("$folder/ended.times")
	machine_cpu "$1" ${files[@]+"${files[@]}"}
}

echo_clock() { while read -r -t 5 _; do printf '%s\n' "$EPOCHREALTIME"; done; }
can_pin() { [ "$(taskset -c "$1" sh -c 'taskset -pc $$' 2>/dev/null | sed 's/.*: //')" = "$1" ]; }
can_run() { "$@" >/dev/null 2>&1; }
is_there() { command -v -- "$1" >/dev/null; }
reaches() { timeout 5 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null; }
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
