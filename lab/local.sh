# shellcheck shell=bash
# local.sh - the lab on one machine: two hosts, server and client, made of namespaces and a veth pair.
#
#   driver (main shell)
#    +- hold.sh     takes the CPUs, makes hosts and link; setpriv --pdeathsig KILL, so it dies with the driver
#    |   +- unshare, host.sh (process 1 of the server)    the hosts die with hold.sh, and all in them
#    |   +- unshare, host.sh (process 1 of the client)
#    +- enter.sh    one per command started, outside the pid namespace: hands signals and exit status through
#        +- COMMAND in the namespaces of its host
#
# Nothing outlives a kill -9 of the driver and nothing outside of the namespaces is changed, but for empty lock
# files (lab_clean). Without root everything lives in one user namespace, which also is the hosts' root; session programs
# run as an ordinary user of a nested user namespace, in both cases: as root they keep the owner's files writable
# and lose every capability, which no change of uid would do for a checkout below /root.
#
# lab_up, lab_start and lab_down must be called from the main shell of the driver: the death signal is bound to the
# process that starts a child, and $( ) or a pipe would be another one.

# lab_up: sets LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS and per ROLE (server, client) LAB_CPUS_ROLE LAB_ADDR_ROLE LAB_IF_ROLE
# LAB_HOLD_ROLE (a process in its network and mount namespaces). Wants LAB_RUN; LAB_RATE (100Mbit, none), LAB_QUEUE
# (50ms), LAB_DELAY (one way, each direction; needs netem), LAB_CPU_WAIT (s), LAB_SHARED_CPUS=1, LAB_CPUS_server and
# LAB_CPUS_client as wishes, LAB_KEEP (array: more files and folders below /tmp that must stay visible).
lab_up() {
	local line deadline MS NOW_MS word a b c d dir keep=() unshared=()

	[ "$BASHPID" = "$$" ] || die "lab_up in a subshell; call it from the main shell of the driver"
	[ -z "${LAB_HOLDER-}" ] || die "the lab is up already; lab_down first"
	[ -n "${LAB_RUN-}" ] || die "-$EXIT_USAGE" "LAB_RUN is not set; name the run folder"
	need setpriv util-linux
	need unshare util-linux
	need nsenter util-linux
	need taskset util-linux
	need flock util-linux
	need ip iproute2
	need tc iproute2
	need ethtool ethtool
	mkdir -p -- "$LAB_RUN" || die "cannot make the run folder $LAB_RUN"
	LAB_RUN=$(cd -- "$LAB_RUN" && pwd -P)
	: "${LAB_LOG:=$LAB_RUN/log}"
	mkdir -p -- "$LAB_LOG" || die "cannot make $LAB_LOG"
	LAB_LOG=$(cd -- "$LAB_LOG" && pwd -P)
	LAB_TIMES=$LAB_LOG	# stays here when a driver moves LAB_LOG on to its next cell

	printf -v LAB_ID '%04x%02x' "$(($$ & 0xffff))" "$((RANDOM & 0xff))"
	LAB_ROOTLESS=1
	[ "$EUID" = 0 ] && lab_is_root && LAB_ROOTLESS=0
	[ "$LAB_ROOTLESS" = 0 ] || unshared=(unshare --user --map-root-user --)
	# With all that will be asked for: AppArmor may grant the namespace and refuse what it is for.
	[ "$LAB_ROOTLESS" = 0 ] || unshare --user --map-root-user --net --mount --pid --ipc --fork true 2>/dev/null ||
		die "-$EXIT_MISSING" "this system forbids user namespaces to ordinary users; run as root, or see: thinprobe doctor"
	LAB_MODE=user
	[ "$LAB_ROOTLESS" = 1 ] || unshare --user --map-user=1000 --map-group=1000 true 2>/dev/null || {
		LAB_MODE=root
		warn "no user namespaces here: session programs run as root"
	}
	LAB_DRIVER_CPUS=$(taskset -pc $$) || die "cannot read the allowed CPUs"
	LAB_DRIVER_CPUS=${LAB_DRIVER_CPUS##*: }
	: "${LAB_RATE:=100Mbit}" "${LAB_QUEUE:=50ms}" "${LAB_CPU_WAIT:=300}" "${LAB_SHARED_CPUS:=0}"
	LAB_WISH_SHARED=$LAB_SHARED_CPUS LAB_WISH_server=${LAB_CPUS_server-} LAB_WISH_client=${LAB_CPUS_client-}
	for dir in "$TP_HOME" "$TP_BIN" "$LAB_HERE" "$PWD" "$LAB_RUN" "$LAB_LOG" ${LAB_KEEP[@]+"${LAB_KEEP[@]}"}; do
		[ -e "$dir" ] && keep+=("$dir" "$(realpath -- "$dir")")
	done

	open_pipe LAB_TALK
	LAB_ID=$LAB_ID LAB_DRIVER=$$ LAB_RATE=$LAB_RATE LAB_QUEUE=$LAB_QUEUE LAB_DELAY=${LAB_DELAY-} LAB_CPU_WAIT=$LAB_CPU_WAIT \
		LAB_LOCKS=${LAB_LOCKS:-/tmp/thinprobe-locks} LAB_SHARED_CPUS=$LAB_SHARED_CPUS LAB_ALLOWED=$LAB_DRIVER_CPUS \
		LAB_CPUS_server=${LAB_CPUS_server-} LAB_CPUS_client=${LAB_CPUS_client-} \
		setpriv --pdeathsig KILL ${unshared[@]+"${unshared[@]}"} "$BASH" -p "$LAB_HERE/local/hold.sh" ${keep[@]+"${keep[@]}"} \
		3>&"$LAB_TALK" {LAB_TALK}>&- </dev/null >>"$LAB_LOG/lab.log" 2>&1 &
	LAB_HOLDER=$!
	LAB_PIDS=() LAB_PID_OF=()
	on_exit lab_down
	now_ms
	deadline=$((NOW_MS + (LAB_CPU_WAIT + 30) * 1000))
	while :; do
		if ! IFS= read -r -t 0.2 -u "$LAB_TALK" line; then
			now_ms
			[ "$NOW_MS" -lt "$deadline" ] && [ -d "/proc/$LAB_HOLDER" ] && continue
			a=$(tail -n 1 -- "$LAB_LOG/lab.log" 2>/dev/null)
			lab_down
			die "the lab did not come up${a:+: $a}; see: thinprobe doctor"
		fi
		read -r word a b c d <<<"$line"
		case $word in
		cpus) LAB_CPUS_server=$a LAB_CPUS_client=$b LAB_SHARED_CPUS=$c ;;
		host) printf -v "LAB_HOLD_$a" %s "$b"; printf -v "LAB_ADDR_$a" %s "$c"; printf -v "LAB_IF_$a" %s "$d" ;;
		note) warn "${line#note }" ;;
		fail)
			lab_down
			die "-$a" "${line#fail "$a" }"
			;;
		up) break ;;
		esac
	done
	export LAB_ID LAB_ROOTLESS LAB_SHARED_CPUS LAB_CPUS_server LAB_CPUS_client LAB_ADDR_server LAB_ADDR_client \
		LAB_IF_server LAB_IF_client LAB_RATE LAB_DELAY LAB_QUEUE
	# The driver and what it starts outside of the lab keep off the server's CPU.
	taskset -pc "$LAB_CPUS_client" $$ >/dev/null 2>&1 || warn "cannot pin the driver to CPU $LAB_CPUS_client"
}
LAB_PIDS=()
declare -gA LAB_PID_OF=()

# Root that may make namespaces; root of a container often may not.
lab_is_root() { unshare --net --mount true 2>/dev/null; }

# lab_down: ends what runs (politely: 1 s), the hosts and the link; waits until they are gone. May be called twice.
lab_down() {
	local pid
	[ -n "${LAB_HOLDER-}" ] || return 0
	lab_stop_within 1 ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	kill -KILL "$LAB_HOLDER" 2>/dev/null
	wait "$LAB_HOLDER" 2>/dev/null
	for pid in "${LAB_HOLD_server-}" "${LAB_HOLD_client-}"; do
		[ -z "$pid" ] || wait_until 5 lab_gone "$pid" || warn "process $pid of the lab does not end; see: thinprobe lab clean"
	done
	exec {LAB_TALK}>&-
	[ -s "$LAB_TIMES/lab.log" ] || rm -f -- "$LAB_TIMES/lab.log"
	taskset -pc "$LAB_DRIVER_CPUS" $$ >/dev/null 2>&1
	LAB_HOLDER='' LAB_HOLD_server='' LAB_HOLD_client='' LAB_PIDS=()
	LAB_SHARED_CPUS=$LAB_WISH_SHARED LAB_CPUS_server=$LAB_WISH_server LAB_CPUS_client=$LAB_WISH_client
}

# A zombie is gone as well: it holds nothing.
lab_gone() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	stat=${stat##*) }
	[ "${stat%% *}" = Z ]
}

# lab_command [-C] [-S] [-R] [-X] ROLE COMMAND...: sets LAB_COMMAND. -C: on the other side's CPUs (and in its
# namespaces, but for the network: a capture that is ROLE's only by its link), as root of the host, who may capture;
# -S: a session of its own; -R: as root of the host; -X: hears Ctrl-C.
lab_command() {
	local OPTIND=1 opt other='' session=same mode=${LAB_MODE-user} interrupt=no role net home cpus times
	while getopts CSRX opt; do
		case $opt in
		C) other=1 mode=root ;;
		S) session=new ;;
		R) mode=root ;;
		X) interrupt=yes ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	role=$1
	shift
	case $role in
	server) net=${LAB_HOLD_server-} ;;
	client) net=${LAB_HOLD_client-} ;;
	*) die "-$EXIT_USAGE" "no role '$role' in this lab; there are: server client" ;;
	esac
	[ -n "$net" ] || die "the lab is not up; lab_up first"
	[ -z "$other" ] || { [ "$role" = server ] && role=client || role=server; }
	# Real root can give the probe real-time priority, and nothing else it has.
	[ "$mode$role$LAB_ROOTLESS" = userclient0 ] && mode=probe
	home=LAB_HOLD_$role cpus=LAB_CPUS_$role
	home=${!home} cpus=${!cpus} times=$LAB_TIMES/cpu-$role.times
	LAB_COMMAND=(setpriv --pdeathsig KILL nsenter)
	[ "$LAB_ROOTLESS" = 0 ] || LAB_COMMAND+=(--user="/proc/$home/ns/user" --preserve-credentials)
	LAB_COMMAND+=(--net="/proc/$net/ns/net" --mount="/proc/$home/ns/mnt" --ipc="/proc/$home/ns/ipc"
		--pid="/proc/$home/ns/pid_for_children" --no-fork -- "$BASH" -p "$LAB_HERE/local/enter.sh"
		"$mode" "$cpus" "$session" "$interrupt" "$times" "$PWD" "$@")
}

# lab_exec [-C] [-S] [-R] ROLE COMMAND...: in the foreground; streams and exit status are the command's.
lab_exec() {
	local LAB_COMMAND
	lab_command -X "$@" || return
	"${LAB_COMMAND[@]}"
}

# lab_start [-C] [-S] [-R] [-i FD] ROLE NAME COMMAND...: in the background, output to $LAB_LOG/NAME.out and .err, sets
# LAB_PID: `kill` (TERM, HUP, USR1, USR2) reaches the command, `wait` gives its status. No -i: no input.
lab_start() {
	local OPTIND=1 opt flags=() in='' role name LAB_COMMAND
	while getopts CSRi: opt; do
		case $opt in
		i) in=$OPTARG ;;
		C | S | R) flags+=("-$opt") ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	role=$1 name=$2
	shift 2
	lab_command ${flags[@]+"${flags[@]}"} "$role" "$@" || return
	# Emptied here and not by the child: lab_ready must never see an older "ready".
	{ : >"$LAB_LOG/$name.out" && : >"$LAB_LOG/$name.err"; } || die "cannot write to $LAB_LOG"
	if [ -n "$in" ]; then
		"${LAB_COMMAND[@]}" <&"$in" >>"$LAB_LOG/$name.out" 2>>"$LAB_LOG/$name.err" &
	else
		"${LAB_COMMAND[@]}" </dev/null >>"$LAB_LOG/$name.out" 2>>"$LAB_LOG/$name.err" &
	fi
	LAB_PID=$!
	LAB_PIDS+=("$LAB_PID")
	LAB_PID_OF[$name]=$LAB_PID
}

# lab_ready NAME SECONDS: waits for a line "ready" on the standard error of what lab_start called NAME; 1 and its
# last line when it ended before or took too long.
lab_ready() {
	local MS NOW_MS end last='' line
	seconds_ms "$2"
	now_ms
	end=$((NOW_MS + MS))
	while :; do
		lab_gone "${LAB_PID_OF[$1]:-0}" && end=0
		while IFS= read -r line || [ -n "$line" ]; do
			[ "$line" = ready ] && return 0
			[ -n "$line" ] && last=$line
		done <"$LAB_LOG/$1.err"
		now_ms
		if [ "$NOW_MS" -ge "$end" ]; then
			[ "$end" = 0 ] && line="ended before it was ready" || line="was not ready in $2 s"
			warn "$1 $line: ${last:-it said nothing}"
			return 1
		fi
		nap 0.01
	done
}

# lab_child PID: sets LAB_CHILD to the host-side pid of the command behind a LAB_PID (itself when it is gone).
lab_child() {
	LAB_CHILD=$1
	local kids=''
	{ read -r kids <"/proc/$1/task/$1/children"; } 2>/dev/null
	kids=${kids%% *}
	[ -z "$kids" ] || LAB_CHILD=$kids
}

# lab_wait PID: waits for it like `wait` and gives its status; over 128 it may still run (a signal ended the wait).
lab_wait() {
	local status
	wait "$1"
	status=$?
	[ "$status" -gt 128 ] && lab_ours "$1" || lab_forget "$1"
	return "$status"
}

# Still a child of this shell? A number may be somebody else's by now.
lab_ours() {
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	stat=${stat##*) }
	[[ $stat == [!Z]\ $$\ * ]]
}

# lab_stop PID...: SIGTERM, up to 3 s, then SIGKILL; returns when all are gone.
lab_stop() { lab_stop_within 3 "$@"; }

lab_stop_within() {
	local seconds=$1 pid alive=() LAB_CHILD
	shift
	for pid in "$@"; do
		[ -n "$pid" ] && lab_ours "$pid" && alive+=("$pid")
	done
	if [ ${#alive[@]} -gt 0 ]; then
		# A signal sent before the door stands would end a copy of this shell, not the command.
		for pid in "${alive[@]}"; do wait_until 1 lab_door_stands "$pid"; done
		kill -TERM "${alive[@]}" 2>/dev/null
		wait_until "$seconds" lab_all_gone "${alive[@]}"
		for pid in "${alive[@]}"; do
			lab_gone "$pid" && continue
			# The command, not its door: the door then ends by itself and bash has no death to tell of.
			lab_child "$pid"
			kill -KILL "$LAB_CHILD" 2>/dev/null
		done
		wait_until 3 lab_all_gone "${alive[@]}"
	fi
	for pid in "$@"; do
		[ -n "$pid" ] && lab_gone "$pid" && wait "$pid" 2>/dev/null
		lab_forget "$pid"
	done
	return 0
}

lab_door_stands() {
	local LAB_CHILD
	lab_child "$1"
	[ "$LAB_CHILD" != "$1" ] || lab_gone "$1"
}

lab_all_gone() {
	local pid
	for pid in "$@"; do lab_gone "$pid" || return 1; done
}

lab_forget() {
	local p left=()
	for p in ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}; do [ "$p" = "$1" ] || left+=("$p"); done
	LAB_PIDS=(${left[@]+"${left[@]}"})
}

# lab_listens ROLE PORT: somebody listens on that TCP port (nobody is connected to find out).
lab_listens() {
	local home=LAB_HOLD_$1 port file _ local_ state
	printf -v port '%04X' "$2"
	for file in tcp tcp6; do
		[ -r "/proc/${!home}/net/$file" ] || continue
		while read -r _ local_ _ state _; do
			[ "$state" = 0A ] && [ "${local_##*:}" = "$port" ] && return 0
		done <"/proc/${!home}/net/$file"
	done
	return 1
}

# One machine: files are where they are, and there is one clock.
lab_put() { cp -R -- "$2" "$3"; }
lab_get() { cp -R -- "$2" "$3"; }
lab_clock() { printf '0 0\n'; }

# lab_can ROLE pin|cgroup|shape|autogroup|swap|capture|rt: 0 when this lab can do that to ROLE. Each is tried, and
# undone at once; nothing is guessed from names or versions.
lab_can() {
	local role=$1 cpus=LAB_CPUS_$1 link=LAB_IF_$1
	case $2 in
	pin) [ "$LAB_SHARED_CPUS" = 0 ] && [ "$(lab_exec "$role" sh -c 'taskset -pc $$' 2>/dev/null)" != "" ] &&
		[ "$(lab_exec "$role" sh -c 'taskset -pc $$' | sed 's/.*: //')" = "${!cpus}" ] ;;
	cgroup) lab_can_cgroup ;;
	shape) lab_exec -R "$role" tc qdisc show dev "${!link}" 2>/dev/null | grep -q '^qdisc tbf\|^qdisc netem' ;;
	autogroup) # the switch is the machine's: written with the value it has
		# shellcheck disable=SC2094
		{ cat /proc/sys/kernel/sched_autogroup_enabled >/proc/sys/kernel/sched_autogroup_enabled; } 2>/dev/null ;;
	swap) lab_can_swap ;;
	capture)
		if [ -x "$TP_BIN/prototap" ]; then
			lab_exec -C "$role" "$TP_BIN/prototap" live -i "${!link}" --port 1 -t 100ms >/dev/null 2>&1
		else # CAP_NET_RAW is what the kernel asks for
			local caps
			caps=$(lab_exec -C "$role" sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) && ((0x$caps >> 13 & 1))
		fi ;;
	rt) lab_exec "$role" chrt -f 1 true 2>/dev/null ;;
	*) die "-$EXIT_USAGE" "lab_can: no lever '$2'; there are: pin cgroup shape autogroup swap capture rt" ;;
	esac
}

# A cpu group that dies with its holder: made, entered, removed.
lab_can_cgroup() {
	local base group done_=1
	base=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/self/mounts)
	if [ -z "$base" ]; then
		base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
		grep -qw cpu "$base/cgroup.controllers" 2>/dev/null || return 1
		[ -w "$base/cgroup.procs" ] || base=$base$(sed -n 's/^0:://p' /proc/self/cgroup)
	fi
	group=$base/thinprobe-$LAB_ID
	mkdir "$group" 2>/dev/null || return 1
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$1/cgroup.procs"' sh "$group" 2>/dev/null && done_=0
	wait_until 1 rmdir "$group" 2>/dev/null
	return $done_
}

lab_can_swap() {
	local file done_=1
	[ "$EUID" = 0 ] || return 1
	file=$(mktemp "${TMPDIR:-/tmp}/thinprobe-swap.XXXXXX") || return 1
	dd if=/dev/zero of="$file" bs=64k count=16 status=none && chmod 600 "$file" && mkswap "$file" >/dev/null 2>&1 &&
		swapon -p 0 "$file" 2>/dev/null && swapoff "$file" && done_=0
	rm -f -- "$file"
	return $done_
}

# lab_cpu ROLE: one line "now busy steal own", whole ns. now: wall clock; busy and steal: of ROLE's CPUs from
# /proc/stat (sampled at the kernel's tick: good to about a tick per CPU); own: what the processes in ROLE's
# host have run, ended ones included. Foreign time between two calls is busy's growth minus own's.
# On shared CPUs own counts both hosts. What -C starts belongs to the side on whose CPUs it runs.
lab_cpu() {
	local role cpus=LAB_CPUS_$1 home roles=("$1") files=()
	[ "$LAB_SHARED_CPUS" = 0 ] || roles=(server client)
	for role in "${roles[@]}"; do
		home=LAB_HOLD_$role
		files+=("$LAB_TIMES/cpu-$role.times" "/proc/${!home}/root/proc/"[0-9]*/stat "/proc/${!home}/root/proc/"[0-9]*/task/*/schedstat)
	done
	LC_ALL=C awk -v now="${EPOCHREALTIME/[.,]/}000" -v cpus="${!cpus}" '
	function minutes(t) { split(t, part, /[ms]/); return (part[1] * 60 + part[2]) * 1e9 }
	BEGIN {
		n = split(cpus, list, ",")
		for (i = 1; i <= n; i++) {
			split(list[i], edge, "-")
			for (c = edge[1]; c <= (edge[2] == "" ? edge[1] : edge[2]); c++) ours["cpu" c] = 1
		}
		tick = 1e7	# USER_HZ is 100 on every architecture Debian has
		while ((getline line < "/proc/stat") > 0) {
			split(line, f, " ")
			if (f[1] in ours) { busy += f[2] + f[3] + f[4] + f[7] + f[8]; steal += f[9] }
		}
		for (i = 1; i < ARGC; i++) {
			file = ARGV[i]
			if (file ~ /\.times$/) {
				# two lines per command: the door, and the command with the children it waited for
				for (k = 1; (getline line < file) > 0; k++)
					if (k % 2 == 0) { split(line, f, " "); own += minutes(f[1]) + minutes(f[2]) }
			} else if (file ~ /schedstat$/) {
				split(file, path, "/")
				if ((getline line < file) > 0) { split(line, f, " "); run[path[6]] += f[1] }
			} else if ((getline line < file) > 0) {
				split(file, path, "/")
				sub(/.*\) /, "", line)
				split(line, f, " ")
				whole[path[6]] = (f[12] + f[13]) * tick
				own += (f[14] + f[15]) * tick
			}
			close(file)
		}
		# Threads that ended are only in the coarse sum of the process.
		for (p in run) own += run[p] > whole[p] ? run[p] : whole[p]
		printf "%s %.0f %.0f %.0f\n", now, busy * tick, steal * tick, own
	}' "${files[@]}"
}

# lab_regime PID: how the kernel schedules the command behind a LAB_PID (or any other process), in one line:
# "autogroup=/autogroup-12 session=345 nice=0 policy=other cpus=0 cgroup=/". Two commands share their CPU as users of one
# login do when the autogroups (where there are any) are the same.
lab_regime() {
	local LAB_CHILD stat autogroup=none cpus='' cgroup='' line policy
	LAB_CHILD=$1
	[[ " ${LAB_PIDS[*]-} " != *" $1 "* ]] || lab_child "$1"
	{ read -r stat <"/proc/$LAB_CHILD/stat"; } 2>/dev/null || return 1
	stat=${stat##*) }
	read -ra stat <<<"$stat"
	{ read -r autogroup _ <"/proc/$LAB_CHILD/autogroup"; } 2>/dev/null
	while read -r line; do
		[[ $line == Cpus_allowed_list:* ]] && cpus=${line#*:} && cpus=${cpus//[[:space:]]/}
	done <"/proc/$LAB_CHILD/status" 2>/dev/null
	while IFS=: read -r _ line policy; do
		[[ ,$line, == *,cpu,* || -z $line ]] && cgroup=${cgroup:-$policy}
	done <"/proc/$LAB_CHILD/cgroup" 2>/dev/null
	case ${stat[38]} in
	0) policy=other ;;
	1) policy=fifo:${stat[37]} ;;
	2) policy=rr:${stat[37]} ;;
	3) policy='batch' ;;
	5) policy=idle ;;
	*) policy=${stat[38]} ;;
	esac
	printf 'autogroup=%s session=%s nice=%s policy=%s cpus=%s cgroup=%s\n' "${autogroup:-none}" "${stat[3]}" "${stat[16]}" "$policy" "$cpus" "$cgroup"
}

# lab_clean: removes what killed runs left: lock files nobody holds, folders of pipes, trial swap files and groups
# of dead labs, an interactive lab whose keeper is gone. Only what bears our name and, but for root, is ours. Prints
# what it removed.
lab_clean() {
	local f fd dir=${LAB_LOCKS:-/tmp/thinprobe-locks} tmp=${TMPDIR:-/tmp} name
	shopt -s nullglob
	for f in "$dir"/cpu*; do
		[ -O "$f" ] || [ "$EUID" = 0 ] || continue
		[ -f "$f" ] && [ ! -L "$f" ] || continue
		{ exec {fd}<"$f"; } 2>/dev/null || continue
		# Held while it is removed: who waits for it sees that it is gone and makes a new one.
		flock -n "$fd" && rm -f -- "$f" && printf 'removed lock %s\n' "$f"
		exec {fd}<&-
	done
	[ -d "$dir" ] && [ ! -L "$dir" ] && rmdir -- "$dir" 2>/dev/null && printf 'removed %s\n' "$dir"
	while read -r name _; do
		[[ $name == */thinprobe-swap.?????? ]] && swapoff "$name" 2>/dev/null && printf 'ended swap on %s\n' "$name"
	done </proc/swaps
	# A pipe's folder lives for milliseconds: older than a minute, its maker was killed.
	while IFS= read -r f; do
		[ -O "$f" ] || [ "$EUID" = 0 ] || continue
		rm -rf -- "$f" && printf 'removed %s\n' "$f"
	done < <(find "$tmp" -maxdepth 1 \( -type d -name 'thinprobe.??????' -o -type f -name 'thinprobe-swap.??????' \) -mmin +1 2>/dev/null)
	for f in /sys/fs/cgroup/*/thinprobe-?????? /sys/fs/cgroup/thinprobe-??????; do
		rmdir "$f" 2>/dev/null && printf 'removed %s\n' "$f"
	done
	f=${XDG_RUNTIME_DIR:-/tmp}/thinprobe-lab-$EUID
	if [ -d "$f" ] && [ -O "$f" ] && [ ! -L "$f" ]; then
		fd=$(sed -n 's/^KEEPER=//p' "$f/state" 2>/dev/null)
		if [ -z "$fd" ] || ! grep -qz 'lab\.sh$' "/proc/$fd/cmdline" 2>/dev/null; then
			rm -rf -- "$f" && printf 'removed %s\n' "$f"
		fi
	fi
	shopt -u nullglob
	return 0
}
