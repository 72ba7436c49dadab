#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# faults.sh FOLDER [KIND:COUNT...] - breaks runs on purpose, each at a random moment, adds a row of each to tests/faults.tsv, and
# writes docs/faults.md from all rows. As root: it looks at every process, mount, group and device of the machine, so run nothing
# else meanwhile.
#
# Each fault: a run begins; the fault happens; the run ends; then is the folder valid, is the cause named, is anything left on the
# machine, were measured cells lost, and does --resume complete it? SEED (1) draws moments and victims; each row names its own.
#	tests/faults.sh /tmp/faults kill:100 full:20 stop:5
set -eu
cd "$(dirname "$0")/.."
folder=${1-}
[ -n "$folder" ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shift
[ "$(id -u)" = 0 ] || { echo "faults.sh: needs root" >&2; exit 4; }
mkdir -p "$folder"
. lab/machine.sh
command=() rows=tests/faults.tsv RUN=$folder/run MARK=THINPROBE_FAULT
settings=(--quick --protocol vnc --loads 0 --time 2 --repeat 2 --idle 1)
printf '%s ' 'experiment stalls' "${settings[@]}" | sed 's/ --/\n/g' >"$folder/swept"	# the same for a sweep

marked() { grep -lzsx "$MARK=$$" /proc/[0-9]*/environ | cut -d/ -f3 | grep -vx "$$" || true; }	# the run's processes
now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
cell_files() { find "$RUN" -path "$RUN/.parts" -prune -o -path '*/cells/*/cell.json' -print0 2>/dev/null; }
cells_of() { cell_files | xargs -0r jq -e . 2>/dev/null | grep -c '^}' || true; }	# those that can be read

# What a lab may change on a machine.
machine() {
	findmnt -rno TARGET,SOURCE,OPTIONS | sort
	cat /proc/swaps /sys/block/*/queue/scheduler /proc/sys/kernel/sched_autogroup_enabled /proc/sys/vm/{swappiness,page-cluster} \
		/proc/sys/kernel/{task_delayacct,sched_rt_runtime_us} 2>/dev/null | awk '{ NF = $1 ~ /^\// ? 2 : NF } 1'
	ip -o link | cut -d: -f2
	ip netns
	losetup -ln -O NAME,BACK-FILE
	find /sys/fs/cgroup -maxdepth 3 -name '*thinprobe*'
	find /tmp /dev/shm /run -maxdepth 1 ! -path "$folder*" -printf '%p\n' | sort
}

# The faults: each is given the seconds into the run at which it happens, says what it did in `what`.
pick() {	# sets picked, one of the lines on standard input (not in a subshell: that has other random numbers)
	local line
	mapfile -t line
	picked=''
	[ "${#line[@]}" = 0 ] || picked=${line[RANDOM % ${#line[@]}]}
}
fault_kill() {	# any process: first a name is drawn, so that rare ones get their turn
	local pid name
	pick < <(marked | while read -r pid; do name_of "$pid"; done | sort -u)
	name=$picked
	pick < <(marked | while read -r pid; do [ "$(name_of "$pid")" != "$name" ] || echo "$pid"; done)
	what=${name:-none}
	[ -z "$picked" ] || kill -KILL "$picked" 2>/dev/null || what="$name, which had ended"
}
fault_sweep() { fault_kill; }	# (of a sweep)
# Of a shell its script.
name_of() {
	{ tr '\0' '\n' <"/proc/$1/cmdline"; } 2>/dev/null | awk 'NR == 1 { n = $0 }
		n ~ /bash$|\/sh$/ && /\.sh$/ { n = $0; exit }
		NR > 4 { exit }
		END { sub(/.*\//, "", n); sub(/ .*/, "", n); print n }'
}
fault_stop() {
	local all
	mapfile -t all < <(marked)
	what="${#all[@]} processes stopped for 30 s"
	kill -STOP "${all[@]}" 2>/dev/null || true
	sleep 30
	kill -CONT "${all[@]}" 2>/dev/null || true
}
fault_full() { what="a disk of $room KiB"; }	# (the disk was made so small)
fault_readonly() {
	what='no file may be made in the run folder'
	find "$RUN" -type d -exec chattr +i {} + 2>/dev/null || what='too early'
}
kill_named() {	# kill_named WORDS PATTERN: one of the processes on standard input
	local pid
	# shellcheck disable=SC2053 # a pattern
	pick < <(while read -r pid; do [[ $(name_of "$pid") != $2 ]] || echo "$pid"; done)
	what="$1 killed"
	[ -n "$picked" ] && kill -KILL "$picked" 2>/dev/null || what="no $1 yet"
}
fault_display() { kill_named 'X server' 'X*vnc' < <(marked); }
# sshd of the server or the client, or of a connection. It writes over its environment, so it bears no mark.
fault_sshd() { kill_named sshd 'sshd*' < <(machine_tree "$driver"); }
fault_link() {
	local pid link
	for pid in $(marked); do
		link=$(nsenter -t "$pid" -n ip -o link 2>/dev/null | awk -F': ' '$2 ~ /@/ { sub(/@.*/, "", $2); print $2; exit }')
		[ "$(readlink "/proc/$pid/ns/net")" = "$(readlink /proc/self/ns/net)" ] || [ -z "$link" ] || break
		link=''
	done
	what='no link yet'
	[ -n "$link" ] || return 0
	what='link down for 3 s'
	nsenter -t "$pid" -n ip link set "$link" down
	sleep 3
	nsenter -t "$pid" -n ip link set "$link" up 2>/dev/null || true
}
fault_group() {
	local group task
	pick < <(find /sys/fs/cgroup -maxdepth 3 -name 'thinprobe-*')
	group=$picked
	what='no group yet'
	[ -n "$group" ] || return 0
	what="a control group removed"
	while read -r task; do echo "$task" >"${group%/*}/cgroup.procs" || true; done <"$group/cgroup.procs" 2>/dev/null || true
	rmdir "$group" 2>/dev/null || what="a control group emptied"
}
fault_descriptors() { what='started with 2,000 open descriptors'; }

open_many() { local i fd; for ((i = 0; i < 2000; i++)); do exec {fd}</dev/null; done; [ "$fd" -ge 2000 ]; }

# set_command KIND WORD...: `command`: thinprobe run, for sshd with two hosts that ssh reaches; or a sweep.
set_command() {
	command=(env "$MARK=$$" setsid)
	[ "$1" != sshd ] || command+=(tests/lab/sshpair.sh run)
	command+=(./thinprobe)
	if [ "$1" = sweep ]; then command+=(sweep); else command+=(run stalls); fi
	command+=("${@:2}")
}

begin_run() {	# begin_run KIND: sets driver
	(
		[ "$1" != descriptors ] || { ulimit -n 4096; open_many; }
		[ "$1" != group ] || settings+=(--server-memory 512M)
		[ "$1" != sshd ] || settings+=(--on "ssh:tp-server,tp-client")
		[ "$1" != sweep ] || settings=("$folder/swept")
		set_command "$1" "${settings[@]}" -o "$RUN"
		exec "${command[@]}" >"$folder/out" 2>"$folder/err" 3>&-
	) &
	driver=$!
}

take_away() {
	chattr -R -i "$RUN" 2>/dev/null || true
	if mountpoint -q "$RUN.disk"; then umount "$RUN.disk"; fi
	rm -rf "$RUN" "$RUN.disk"
}

ended() {	# ended MS: whether the driver has ended by then; sets status
	local end=$(($(now_ms) + $1))
	status=0
	while kill -0 "$driver" 2>/dev/null; do [ "$(now_ms)" -lt "$end" ] || return 1; sleep 0.2; done
	wait "$driver" || status=$?
}

# undisturbed KIND: sets usual_ms and usual_kib
undisturbed() {
	local began
	take_away
	began=$(now_ms)
	begin_run "$1"
	ended 300000 && [ "$status" = 0 ] || { cat "$folder/err" >&2; exit 1; }
	usual_ms=$(($(now_ms) - began)) usual_kib=$(du -sk "$RUN" | cut -f1)
	echo "undisturbed: $usual_ms ms, $usual_kib KiB"
}

one() {	# one KIND SEED: a row
	local kind=$1 seed=$2 moment what='' status='' room='' before at=0 had valid=no named=no left lost=0 resumed=no i file
	RANDOM=$seed
	take_away
	RUN=$folder/run
	moment=$(awk -v ms="$usual_ms" -v x="$RANDOM" 'BEGIN { printf "%.2f", ms / 1000 * x / 32768 }')
	if [ "$kind" = full ]; then
		room=$((usual_kib * RANDOM / 32768 + 4))
		mkdir -p "$RUN.disk"
		mount -t tmpfs -o "size=${room}k" faults "$RUN.disk"
		RUN=$RUN.disk/run
	fi
	before=$(machine)
	begin_run "$kind"
	sleep "$moment"
	had=$(cells_of)
	"fault_$kind"
	if ! ended 180000; then
		status=hangs
		kill -KILL "$driver" 2>/dev/null || true
		wait "$driver" 2>/dev/null || true
	fi
	file=$RUN/run.json
	[ "$kind" != sweep ] || file=$RUN/stalls/run.json
	if [ ! -e "$file" ]; then [ "$had" != 0 ] || valid=none
	elif jq -e '.state | . != null and . != "running"' "$file" >/dev/null 2>&1; then valid=$(jq -r .state "$file"); fi
	at=$(cells_of)
	[ "$at" = "$(cell_files | tr -dc '\0' | wc -c)" ] || valid=no
	[ "$at" -ge "$had" ] || lost=$((had - at))
	if [ "$status" = 0 ] || grep -qE '^(thinprobe|run)[^:]*: .{12}' "$folder/err"; then named=yes; fi
	for ((i = 0; i < 100; i++)); do
		left=$(diff <(echo "$before") <(machine) | sed -n 's/^[<>]/&/p' | head -n 3 | paste -sd';' | tr '\t' ' ')
		[ -z "$(marked)" ] || left="processes: $(for pid in $(marked); do name_of "$pid"; done | paste -sd' ') $left"
		[ -n "$left" ] || break
		sleep 0.2
	done
	chattr -R -i "$RUN" 2>/dev/null || true
	[ "$kind" != full ] || mount -o "remount,size=1g" "$RUN.disk" 2>/dev/null || mount -o "remount,size=1g" "${RUN%/run}"
	if [ "$valid" = complete ] || [ "$valid" = none ]; then resumed=-
	elif set_command "$kind" --resume "$RUN" && { "${command[@]}" >"$folder/resumed" 2>&1 </dev/null || [ $? = 3 ]; }; then
		[ "$(jq -r .state "$file")" = complete ] && resumed=yes
	fi
	printf '%s\t' "$kind" "$seed" "$moment" "$what" "$status" "$valid" "$named" "${left:-none}" "$lost" "$resumed" |
		sed 's/\t$/\n/' >>"$rows"
	tail -n 1 "$rows"
	if [[ " $status $valid $named $resumed ${left:+no} " =~ \ (hangs|no)\  ]] || [ "$lost" != 0 ]; then
		rm -rf "$folder/$kind-$seed"
		mkdir "$folder/$kind-$seed"
		cp -r "$folder"/{out,err} "$RUN" "$folder/$kind-$seed/" 2>/dev/null || true
		[ ! -e "$folder/resumed" ] || mv "$folder/resumed" "$folder/$kind-$seed/"
	fi
	RUN=$folder/run
}

if [ $# -gt 0 ]; then
	trap take_away EXIT
	take_away
	[ -e "$rows" ] || printf 'kind\tseed\tmoment_s\twhat\tstatus\tfolder\tnamed\tleft\tlost_cells\tresumed\n' >"$rows"
	for word; do
		[[ $word =~ ^([a-z]+):([0-9]+)$ ]] && declare -F "fault_${BASH_REMATCH[1]}" >/dev/null ||
			{ echo "faults.sh: '$word': not KIND:COUNT" >&2; exit 2; }
		undisturbed "${word%:*}"
		for ((k = 0; k < ${word#*:}; k++)); do
			seed=$((${SEED:-1} + $(awk -v kind="${word%:*}" '$1 == kind' "$rows" | wc -l)))
			one "${word%:*}" "$seed"
		done
	done
fi

{
	cat <<-'END'
		# What happens if a run breaks?

		Made by `tests/faults.sh` from `tests/faults.tsv`. Runs of `stalls` over VNC were broken at random moments. A run has
		4 cells (a cell is one repeat of a condition). The columns count runs:

		- *completed by itself*: all cells were measured, without `--resume`.
		- *ended by itself*: the run did not hang.
		- *folder valid*: each `cell.json` can be read, and `run.json` (if it was written) says how the run ended.
		- *named*: the run completed, or says what went wrong.
		- *left*: processes (except sshd), mounts, swap, groups, links, kernel settings, or files in /tmp stayed.
		- *lost*: cells (not runs) that were complete before the fault, and are gone.
		- *resumed*: runs that `--resume` completed, of those that did not complete by themselves.

		| fault | runs | completed by itself | ended by itself | folder valid | named | left | lost | resumed |
		|---|---:|---:|---:|---:|---:|---:|---:|---:|
	END
	awk -F'\t' 'BEGIN {
			said["descriptors"] = "the run begins with 2,000 open files"
			said["display"] = "the X server is killed"
			said["full"] = "the disk of the run is too small"
			said["group"] = "a control group is removed"
			said["kill"] = "a process of the run is killed"
			said["link"] = "the emulated link is down for 3 s"
			said["readonly"] = "no file may be made in the run folder"
			said["sshd"] = "an sshd of a run over ssh is killed"
			said["stop"] = "all processes are stopped for 30 s"
			said["sweep"] = "a process of a sweep is killed"
		}
		NR > 1 && $4 !~ /^no .* yet$|^none$|too early|had ended/ { n[$1]++; done[$1] += $6 == "complete"
			by[$1] += $5 != "hangs"; ok[$1] += $6 != "no"; named[$1] += $7 == "yes"; left[$1] += $8 != "none"; lost[$1] += $9
			asked[$1] += $10 != "-"; again[$1] += $10 == "yes" }
		END { for (k in n) printf "| %s | %d | %d | %d | %d | %d | %d | %d | %d of %d |\n", said[k], n[k], done[k], by[k], ok[k],
			named[k], left[k], lost[k], again[k], asked[k] }' "$rows" | sort
	printf '\nProcesses that were killed: %s.\n' "$(awk -F'\t' '$1 ~ /^(kill|sweep)$/ && $4 !~ / |^none$/ { print $4 }' "$rows" |
		sort | uniq -c | sort -rn | awk '{ printf "%s%s (%d)", (NR > 1 ? ", " : ""), $2, $1 }')" | fold -s -w 120 | sed 's/ *$//'
	cat <<-'END'

		If no file can be written in the run folder, `run.json` says "running" after the end of the run.

		If `sweep.sh` is killed, the sweep prints nothing, and an idle worker of GNU parallel may stay for up to a minute.
	END
} >docs/faults.md
