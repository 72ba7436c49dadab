#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# doctor.sh [--json] [EXPERIMENT] - prints what this machine can and cannot measure (or only what an experiment needs), the reasons,
# and commands that would help.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/home.sh" || exit 1

missing=0 limited=0 json=0 rows=()

row() {	# row yes|no|part WHAT WHY [CURE]
	local cure=${4:-}
	[ "$1" != yes ] || cure=''
	if [ "$json" = 1 ]; then
		rows+=("$1"$'\037'"$2"$'\037'"$3"$'\037'"$cure")
	elif [ $((${#2} > 38 ? ${#2} : 38)) -gt $((LINE_WIDTH - 8 - ${#3})) ]; then
		printf '%-5s %s\n' "$1" "$2"
		fold -s -w $((LINE_WIDTH - 7)) <<<"$3" | sed 's/^/       /; s/ *$//'
	else
		printf '%-5s %-38s %s\n' "$1" "$2" "$3"
	fi
	[ "$json" = 1 ] || [ -z "$cure" ] || { fold -s -w $((LINE_WIDTH - 13)) <<<"$cure" |
		sed '1s/^/       cure: /; 1!s/^/             /; s/ *$//'; }
	case $1 in no) missing=$((missing + 1)) ;; part) limited=$((limited + 1)) ;; esac
}

have() {
	command -v "$1" >/dev/null 2>&1
}

kernel_has() {	# whether the kernel has this queueing discipline: tried in a new network namespace
	unshare ${UNSHARE_USER:+--user --map-root-user} --net sh -c "ip link set lo up && tc qdisc add dev lo root $1" >/dev/null \
		2>&1
}

there() {	# a command, or a header
	case $1 in
	-) true ;;
	*.h)
		[ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ||
			[ -n "$(find /usr/include -path "*/$1" -print -quit 2>/dev/null)" ]
		;;
	*) have "$1" ;;
	esac
}

# programs WHAT CLASS|... [CURE [no|part]]: checks the packages of these classes in `packages`; without them it says no, or part.
programs() {
	local class package proof what=$1 lacking=() of=$2 cure=${3-thinprobe setup} without=${4-no}
	while read -r class package proof; do
		[[ "|$of|" == *"|$class|"* ]] || continue
		there "$proof" || lacking+=("$proof (package ${package%%|*})")
	done < <(packages_listed)
	if [ "${#lacking[@]}" = 0 ]; then
		row yes "$what" "all there"
	elif have apt-get; then
		row "$without" "$what" "missing: ${lacking[*]}" "$cure"
	else
		row "$without" "$what" "missing: ${lacking[*]}" "install them by this system's means; the names are Debian's"
	fi
}

hosts() {
	local what="two emulated hosts"
	if chrooted; then
		row no "$what" "$CHROOTED" "$CHROOTED_CURE"
	elif [ "$(id -u)" = 0 ] && hosts_can; then
		row yes "$what" "as root, in namespaces"
	elif ! have ip || ! have unshare; then
		row no "$what" "ip or unshare is missing" "thinprobe setup"
	elif hosts_can --user --map-root-user; then
		UNSHARE_USER=1
		row yes "$what" "rootless, in a user namespace"
	elif [ "$(id -u)" = 0 ]; then
		row no "$what" "this root may not make namespaces" \
			"run outside the container, or give it CAP_SYS_ADMIN and CAP_NET_ADMIN"
	elif [ "$(sysctl -n kernel.apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then
		row no "$what" "AppArmor forbids user namespaces" \
			"sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root"
	elif [ "$(sysctl -n kernel.unprivileged_userns_clone 2>/dev/null)" = 0 ]; then
		row no "$what" "user namespaces are forbidden" "sudo sysctl kernel.unprivileged_userns_clone=1, or run as root"
	else
		row no "$what" "an ordinary user may not make namespaces" "run as root"
	fi
}

processors() {
	local n
	n=$(nproc)
	if [ "$n" -ge 2 ]; then
		row yes "server and client on CPUs apart" "$n CPUs"
	else
		row part "server and client on CPUs apart" "one CPU: load on the server starves the probe; figures are upper bounds" \
			"a machine with two CPUs"
	fi
	if [ -r /proc/self/schedstat ]; then
		row yes "run-queue wait and foreign CPU time" "/proc/PID/schedstat"
	else
		row part "run-queue wait and foreign CPU time" "this kernel keeps no schedstat"
	fi
	case $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null) in
	1) row yes "scheduling groups (autogroup)" "on: each session is a group; recorded in every cell" ;;
	0) row yes "scheduling groups (autogroup)" "off: all processes compete alone; recorded in every cell" ;;
	*) row part "scheduling groups (autogroup)" "not in this kernel" ;;
	esac
	if chrt -f 20 true 2>/dev/null; then
		row yes "real-time priority for the probe" "SCHED_FIFO"
	else
		row part "real-time priority for the probe" "not allowed: tails of latency hold the probe's own delays" \
			"run as root, or ulimit -r 20 by /etc/security/limits.conf"
	fi
}

# What stands in for netem: two TAP interfaces, in a network namespace of their own.
delay_line() {
	local said
	if [ ! -x "$TP_BIN/delayline" ]; then
		row part "link delay and loss" "no netem in this kernel, and delayline is not built" "thinprobe setup"
	elif said=$(unshare ${UNSHARE_USER:+--user --map-root-user} --net \
		"$TP_BIN/delayline" --end tp0 --end tp1 -t 10ms --json 2>&1); then
		row yes "link delay and loss" "delayline, in user space (no netem in this kernel)$(grep -q '"real_time": true' <<<"$said" ||
			echo '; without real-time priority it is late now and then')"
	else
		row part "link delay and loss" "no netem in this kernel, and $(tail -n 1 <<<"$said")"
	fi
}

network() {
	if kernel_has "tbf rate 100mbit burst 32k latency 50ms"; then
		row yes "link rate" "tbf"
	else
		row part "link rate" "no tbf in this kernel, or not allowed: no link with a rate can be made" "as root: modprobe sch_tbf"
	fi
	if kernel_has "netem delay 1ms"; then
		row yes "link delay and loss" "netem"
	else
		delay_line
	fi
}

# What the idle profile can do, asked of the program itself.
idle_profile() {
	local said placed why
	if [ ! -x "$TP_BIN/idleprofile" ]; then
		row part "idle profile of the processor" "idleprofile is not built" "thinprobe setup"
		return
	fi
	said=$(timeout 30 "$TP_BIN/idleprofile" -t 1ms --effect 0 --who --json 2>&1)
	placed=$(sed -n 's/^ *"placed": "\(.*\)",*$/\1/p' <<<"$said")
	why=$(sed -n 's/^ *"why_no_cgroup": "\(.*\)",*$/\1/p' <<<"$said")
	case $placed in
	*cpu.idle) row yes "idle profile that yields to all" "in a $placed" ;;
	*container*) row part "idle profile that yields to all" "$placed: it takes CPU from the host" "run on the host" ;;
	autogroup*) row yes "idle profile that yields to all" "by its own session's $placed (no cgroup: $why)" ;;
	?*) row part "idle profile that yields to all" "$placed: idleprofile takes CPU from other programs ($why)" "run as root" ;;
	*) row part "idle profile that yields to all" "$(tail -n 1 <<<"$said")" ;;
	esac
	why=$(sed -n 's/^idleprofile: profiling without culprits: //p' <<<"$said")
	if [ -z "$why" ] && [ -n "$placed" ]; then
		row yes "who ran, from the kernel's records" "tracepoints by perf_event_open"
	else
		row part "who ran, from the kernel's records" "${why:-not tried}" "run as root"
	fi
}

no_folder() { row part "$1" "cannot make a folder in ${TMPDIR:-/tmp}" "set TMPDIR"; }

# Needs of experiments on the scheduler: tried with the functions that make them, and undone at once.
cpu_groups() {
	local dir said
	dir=$(mktemp -d 2>/dev/null) || { no_folder "groups of the scheduler"; return; }
	said=$(echo 'group doctor shares=1024 idle=1' |
		LAB_ID=$(printf %06x $$) LAB_LOCKS=$dir "$BASH" -p "$TP_HOME/lab/local/undo.sh" serve 2>/dev/null)
	rm -rf -- "$dir"
	case $said in
	'ok '*) row yes "groups of the scheduler" "weights, quotas, cpu.idle" ;;
	*) row part "groups of the scheduler" "${said#no }" "$(as_root)" ;;
	esac
}

# Needs of experiments on memory: tried likewise. For a moment the machine has a megabyte of swap.
memory() {
	local dir said
	dir=$(mktemp -d 2>/dev/null) || { no_folder "a memory size for the server, swap"; return; }
	said=$(printf '%s\n' 'memory doctor limit=67108864' 'swap file 1048576' unswap 'swap zram 1048576' \
		unswap 'swap slow:1ms 1048576' unswap |
		LAB_ID=$(printf %06x $$) LAB_LOCKS=$dir TP_BIN=$TP_BIN "$BASH" -p "$TP_HOME/lab/local/undo.sh" serve 2>/dev/null)
	rm -rf -- "$dir"
	row_of "a memory size for the server" "in a memory group, cgroup v%s" "$(sed -n 1p <<<"$said")"
	row_of "swap in a file (--swap file)" "a loop device with direct I/O" "$(sed -n 2p <<<"$said")"
	row_of "swap in memory (--swap zram)" "zram" "$(sed -n 4p <<<"$said")"
	row_of "swap on a slow disk (--swap slow:TIME)" "slowdisk, by FUSE" "$(sed -n 6p <<<"$said")"
	if [ -w /proc/sys/kernel/task_delayacct ]; then
		row yes "delays of a process for memory" "delay accounting, switched on while it is needed"
	else
		row part "delays of a process for memory" "this kernel has no kernel.task_delayacct, or only root may set it" \
			"run as root"
	fi
}

as_root() { [ "$EUID" = 0 ] || echo "run as root"; }

row_of() {	# row_of WHAT GIVEN ANSWER
	local n why=${3#no }
	case $3 in
	'ok '*) read -r _ n _ <<<"$3"; row yes "$1" "${2/\%s/$n}" ;;
	'no another lab'*) row yes "$1" "$why" ;;
	*) row part "$1" "${why%% (as root it may)}" "$(as_root)" ;;
	esac
}

# A session that idle sessions are compared with; a package is asked for only by name.
desktop() {
	local why
	# shellcheck disable=SC2016 # another shell's: its variables are not ours
	if why=$(TP_HOME=$TP_HOME "$BASH" -c '. "$TP_HOME/lab/lib.sh" && app_use desktop && app_can'); then
		row yes "an idle desktop" "xfce4"
	else
		row part "an idle desktop" "${why%%;*}" "thinprobe setup --app desktop"
	fi
}

# Machines of QEMU, for a kernel or a system that this one is not.
guests() {
	local said
	. "$TP_HOME/lab/guest.sh"
	if said=$(guest_missing); then
		row part "guests (make check-vm)" "${said%;*}" "thinprobe setup --app vm"
	elif ! have apt-cache || [ -z "$(apt-cache search --names-only '^linux-image-amd64$' 2>/dev/null)" ]; then
		row part "guests (make check-vm)" "no package linux-image-amd64 in this system's archive"
	elif [ "$(guest_accel)" = kvm ]; then
		row yes "guests (make check-vm)" "QEMU with KVM"
	else
		row yes "guests (make check-vm)" "QEMU without KVM: emulated, several times slower"
	fi
}

# The record that calibrate keeps.
calibration() {
	local said
	have jq || return 0
	. "$TP_HOME/lab/calibration.sh"
	said=$(calibration_record | jq -r 'if . == null then empty else [.paths[] | select(.probe == "patch")
		| "\(.path | sub("-"; ":")) ± \(.error_ms * 100 | round / 100) ms"
			+ (if .disturbed == true then " (from a disturbed calibration)" else "" end)
			+ if .quick == true then " (quick)" else "" end] | join(", ") end' 2>/dev/null)
	if [ -n "$said" ]; then
		row yes "the probe's own error" "calibrated $(calibration_record | jq -r '.started[0:10]'): $said"
	elif [ -f "$(calibration_file)" ]; then
		row part "the probe's own error" "the record is of another machine or kernel" "thinprobe calibrate"
	else
		row part "the probe's own error" "not calibrated on this machine" "thinprobe calibrate"
	fi
}

# The display is asked, since an X server in a Wayland session accepts keys without an effect.
display() {
	local what="a client's window (run --on attach)" why='' \
		cure="--own-display COMMAND starts the client on a display of ours; to measure windows of the desktop log in to an X11 session"
	if [ -z "${DISPLAY:-}" ]; then
		[ -z "${WAYLAND_DISPLAY:-}" ] || why="this is a Wayland session: XTest does nothing to Wayland clients"
		row part "$what" "${why:-no X display here; the lab has displays of its own}" "$cure"
		return
	fi
	if [ -x "$TP_BIN/keyrepeat" ]; then
		why=$(timeout 10 "$TP_BIN/keyrepeat" "x11:$DISPLAY" --rate 0 -t 50ms --watch update -o /dev/null 2>&1 |
			grep -v '^ready$' | tail -n 1)
	elif [ -n "${WAYLAND_DISPLAY:-}" ] || [ "${XDG_SESSION_TYPE:-}" = wayland ]; then
		why="this is a Wayland session: XTest does nothing to Wayland clients"
	fi
	if [ -z "$why" ]; then
		row yes "$what" "X11 display $DISPLAY: keys by XTEST, echo from its pixels"
	else
		row part "$what" "${why#keyrepeat: }" "$cure"
	fi
}

# Protocols that can run here, and those that cannot; all of them with their reasons: list --protocols.
protocols() {
	local here='' not=''
	while read -r name is _; do
		case $is in yes) here+=" $name" ;; no) not+=" $name" ;; esac
	done < <("$TP_HOME/experiments/commands/list.sh" --protocols | sed '1d; /^ /d')
	if [ -n "$here" ]; then
		row yes "display protocols" "${here# }"
	else
		row no "display protocols" "none can run here" "thinprobe setup"
	fi
	[ -z "$not" ] || row part "other display protocols" "${not# }" "thinprobe list --protocols says why, and what to install"
}

# Prints the meaning of the words of the plan's `needs`: packages (as for setup --app), and levers.
needs_of() {	# needs_of EXPERIMENT
	local question needs apps minutes protocol protocols='' why first=''
	. "$TP_HOME/lab/lib.sh"
	. "$TP_HOME/experiments/engine/plan.sh"
	plan_read "$(experiment_folder "$1")"
	question=${PLAN[question]-"- ${PLAN[says]}"} question=${question#* }
	needs=${PLAN[needs]} minutes=${PLAN[minutes]%% *}
	[ "$json" = 1 ] || printf '%s: %s\n' "$1" "$question" | fold -s -w "$LINE_WIDTH" | sed 's/ *$//'
	[ "$TP_CHECKOUT" = 0 ] || programs "compiler and libraries" build
	programs "programs" "run|lab"
	hosts
	processors
	for apps in $(sed -nE 's/.*setup --app ([a-z,]+).*/\1/p' <<<"$needs" | tr , ' '); do
		! packages_listed | grep -q "^app:$apps	" || programs "application $apps" "app:$apps" "thinprobe setup --app $apps"
	done
	case $needs in *groups*) cpu_groups ;; esac
	case $needs in *memory\ groups* | *swap*) memory ;; esac
	case $needs in *netem* | *tbf*) network ;; esac
	[[ $needs != *FUSE* ]] || { [ -c /dev/fuse ] && : <>/dev/fuse; } 2>/dev/null ||
		row no "emulated disks" "/dev/fuse cannot be opened" "modprobe fuse"
	if [[ $needs =~ root(\ for|\ also)? && $(id -u) != 0 ]]; then
		row "$([ -n "${BASH_REMATCH[1]}" ] && echo part || echo no)" "root" "you are not" "sudo thinprobe run $1"
	fi
	case ${OPT[protocol.type]-} in protocol | protocol-list) protocols=$(plan_expand_protocols "${OPT[protocol.default]}") ;; esac
	for protocol in "${PLAN_SETTINGS[@]}"; do	# (that of a replay is no option)
		[[ $protocol != protocol$'\037'* || $needs != *VNC,* ]] || protocols=${protocol##*$'\037'}
	done
	if [ -n "$protocols" ]; then
		for protocol in ${protocols//,/ }; do
			if why=$(protocol_use "$protocol" && protocol_can); then
				row yes "protocol $protocol" "can run here" && first=1
			else
				cure=''
				! setup_helps "$protocol" "$why" || cure="thinprobe setup --protocol $protocol"
				row part "protocol $protocol" "$why" "$cure"
			fi
		done
		[ -n "$first" ] || row no "a display protocol" "none of these can run here" "thinprobe setup"
	fi
	[ "$json" = 1 ] || [ "$missing" != 0 ] ||
		printf '\nIt can run here: thinprobe run %s (%s minutes; --quick: fewer)\n' "$1" "$minutes" |
		fold -s -w "$LINE_WIDTH" | sed 's/ *$//'
}

finish() {
	if [ "$json" = 1 ]; then
		printf '%s\n' "${rows[@]}" | jq -Rn --arg os "$os" --arg kernel "$(uname -r)" --arg cpus "$(nproc)" \
			--arg experiment "$experiment" '
			{schema: "thinprobe.doctor/1", $os, $kernel, cpus: ($cpus | tonumber), experiment: (if $experiment == "" then null
				else $experiment end), rows: [inputs / "\u001f" | {state: .[0], what: .[1], why: .[2],
				cure: (if .[3] == "" then null else .[3] end)}]}
			| .can_measure = all(.rows[]; .state != "no")'
	fi
	[ "$missing" = 0 ] || exit 4
}

. "$TP_HOME/lab/words.sh"
COMMAND=doctor
die() { echo "thinprobe: ${*:2}" >&2; exit "${1#-}"; }
# shellcheck disable=SC2317 # read_words calls it
usage() {
	cat <<'END'
usage: thinprobe doctor [--fix] [--json] [EXPERIMENT]
Says what this machine can and cannot measure, why, and the cure; for an
experiment, whether all that it needs is there. Exit status 4 if something
needed is missing.
  --fix    first install what thinprobe setup would
  --json   as JSON
END
}
read_words 'json fix' '' "$@"	# (the front door acts on --fix)
[ "${#words[@]}" -le 1 ] || die -2 "doctor: takes one experiment: ${words[0]} or ${words[1]}"
experiment=${words[0]-}
[ "${#words[@]}" = 0 ] || experiment_folder "$experiment" >/dev/null ||
	die -2 "doctor: no experiment $experiment$(nearest_experiment "$experiment")"
[ "$json" = 0 ] || have jq || die -4 "doctor: --json needs jq; install it with: thinprobe setup"
os=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-}")
if [ -n "$experiment" ]; then needs_of "$experiment"; finish; exit; fi
[ "$json" = 1 ] || printf '%s, Linux %s, %s CPUs, %s\n' "$os" "$(uname -r)" "$(nproc)" \
	"$(systemd-detect-virt 2>/dev/null || echo 'virtualisation unknown')" | fold -s -w "$LINE_WIDTH" | sed 's/ *$//'
have dpkg-query || row part "Debian or Ubuntu" "another system: packages are not installed for you" \
	"install what is named below by hand"
[ "$TP_CHECKOUT" = 0 ] || programs "compiler and libraries" build
[ "$TP_CHECKOUT" = 0 ] || programs "refecho for Wayland" build:wayland "thinprobe setup" part
programs "programs" "run|lab"
hosts
processors
cpu_groups
memory
idle_profile
desktop
while IFS= read -r part; do . "$part"; done < <(in_trees lab/doctor_more.sh)
guests
network
calibration
display
protocols
if have sinfo && ! timeout 5 sinfo --noheader >/dev/null 2>&1; then
	row part "sweep --engine slurm" "no cluster answers" "run the sweep on a host of the cluster"
else
	programs "sweep --engine slurm" app:slurm "thinprobe setup --app slurm" part
fi
programs "sweep --pairs of an Ansible inventory" app:ansible "thinprobe setup --app ansible" part
finish
[ "$json" = 1 ] || [ "$limited" = 0 ] || printf '\nthinprobe can measure here; %s things above are limited.\n' "$limited"
