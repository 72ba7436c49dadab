#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# guest.sh - guests: machines of QEMU with a root file system and a stock kernel of the distribution
# (guest/root.sh), KVM where the processor has it, else emulation. As a library, after lib.sh:
#
#   guest_up NAME ROOT [-c CPUS] [-m MEMORY] [-C HOST_CPUS] [-G FOLDER] [-s FOLDER]... [-p PORT:PORT]
#                     boots; returns when it takes commands. CPUS 2, MEMORY 512M; -C: QEMU's threads
#                     run there only; -G: in this cgroup; -s: a folder that the guest may write to, at
#                     the same path in it; -p: 127.0.0.1:PORT here is PORT of the guest. TP_HOME and
#                     TP_BIN are at their own paths, read-only, as they were when it booted.
#   guest_exec [-u USER] NAME COMMAND...         input, output and status are COMMAND's; output comes at its end
#   guest_start [-u USER] NAME JOB COMMAND...    in the background; output grows in $(guest_job NAME JOB).out and .err
#   guest_wait NAME JOB                          until it ends; its status. (JOB: a-z A-Z 0-9 _ -, each only once)
#   guest_signal NAME JOB SIGNAL                 to it and its descendants; guest_stop NAME JOB: TERM, then KILL
#   guest_qmp NAME, guest_agent NAME              sockets: QMP; the port org.thinprobe.agent of the guest
#   guest_pid NAME; guest_vcpus NAME             QEMU's process id; the thread ids of its vCPUs, one a line, in order
#   guest_down NAME
# A guest dies with the shell that called guest_up, however that ends, and leaves nothing. Its
# files are temporary: what it writes is gone with it, but for what it writes to a folder of -s.
[ -n "${LAB_HERE-}" ] || . "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh" || exit 1
# shellcheck source=lab/guest/root.sh
. "$LAB_HERE/guest/root.sh"
declare -gA GUEST_DIR=() GUEST_KEEPER=()
: "${GUEST_PATIENCE:=300}"	# seconds for booting; a fact ends the wait

# Some processors are virtual without being able to hold others: their KVM is slower than emulation.
guest_accel() {
	if [ -w /dev/kvm ] && grep -qE '^flags.* (vmx|svm)( |$)' /proc/cpuinfo; then
		echo kvm
	else
		echo tcg,thread=multi
	fi
}

guest_ours() { [ -n "${GUEST_DIR[$1]-}" ] || die "-$EXIT_USAGE" "no guest '$1' is up"; }
guest_qmp() { guest_ours "$1"; echo "${GUEST_DIR[$1]}/qmp"; }
guest_agent() { guest_ours "$1"; echo "${GUEST_DIR[$1]}/agent"; }
guest_job() { guest_ours "$1"; echo "${GUEST_DIR[$1]}/share/jobs/$2"; }
guest_pid() { guest_ours "$1"; cat -- "${GUEST_DIR[$1]}/pid"; }
guest_vcpus() {
	local pid task comm
	pid=$(guest_pid "$1") || return
	for task in /proc/"$pid"/task/*; do
		{ read -r comm <"$task/comm"; } 2>/dev/null || continue
		[[ $comm != CPU\ * ]] || echo "${comm//[^0-9]/} ${task##*/}"
	done | sort -n | cut -d' ' -f2
}

guest_up() {
	local name=$1 root=$2 OPTIND=1 opt dir cpus=2 memory=512M before=() group='' folders=() forward='' said qemu words
	local GUEST_IMAGE GUEST_KERNEL shell=$BASHPID patience=" in $GUEST_PATIENCE s"
	shift 2
	while getopts c:m:C:G:s:p: opt; do
		case $opt in
		c) cpus=$OPTARG ;;
		m) memory=$OPTARG ;;
		C) before=(taskset -c "$OPTARG") ;;
		G) group=$OPTARG ;;
		s) folders+=(rw "$(readlink -f -- "$OPTARG")") ;;
		p) forward+=",hostfwd=tcp:127.0.0.1:${OPTARG%%:*}-:${OPTARG#*:}" ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	[ -z "${GUEST_DIR[$name]-}" ] || die "-$EXIT_USAGE" "a guest '$name' is up already"
	! said=$(guest_missing) || die "-$EXIT_MISSING" "$said"
	guest_root "$root"
	guest_kernel
	dir=$(umask 077 && mktemp -d "${TMPDIR:-/tmp}/tp-guest.XXXXXX") && mkdir -p -- "$dir/share/jobs" &&
		mkfifo -- "$dir/jobs.in" "$dir/jobs.out" ||
			die "cannot make a folder in ${TMPDIR:-/tmp}; set TMPDIR to a writable folder"
	GUEST_DIR[$name]=$dir
	read -r -a words <<<"$(guest_accel)"
	# shellcheck disable=SC2054 # commas of QEMU's words
	qemu=(qemu-system-x86_64 -name "$name,debug-threads=on" -nodefaults -no-user-config -display none -no-reboot
		-machine q35 -accel "${words[0]}" -cpu max -smp "$cpus" -m "$memory"
		-kernel "$GUEST_KERNEL/kernel" -initrd "$GUEST_KERNEL/initramfs"
		-append "console=ttyS0 panic=-1 tsc=reliable no_timer_check mitigations=off quiet psi=1 cgroup_no_v1=all"
		-serial "file:$dir/console"
		-drive "file=$GUEST_IMAGE,format=raw,if=none,id=root,snapshot=on,cache=unsafe"
		# With a queue for each vCPU, or MSI-X, Linux manages the interrupts, and nobody can move them.
		-device virtio-blk-pci,drive=root,num-queues=1,vectors=0
		-qmp "unix:$dir/qmp,server=on,wait=off"
		-device virtio-serial-pci
		-chardev "pipe,id=jobs,path=$dir/jobs" -device virtserialport,chardev=jobs,name=org.thinprobe.jobs
		-chardev "socket,id=agent,path=$dir/agent,server=on,wait=off" -device virtserialport,chardev=agent,name=org.thinprobe.agent)
	if [ -n "$forward" ]; then
		qemu+=(-nic "user,model=virtio-net-pci,restrict=on$forward")
		: >"$dir/share/network"
	fi
	guest_folders ro "$TP_HOME" ro "$TP_BIN" ${folders[@]+"${folders[@]}"}
	cp -- "$LAB_HERE/guest/init.sh" "$dir/share" && echo /run/guest/init.sh >"$dir/share/init"
	setpriv --pdeathsig TERM "$BASH" "$LAB_HERE/guest/keeper.sh" "$shell" "$dir" "$group" \
		${before[@]+"${before[@]}"} "${qemu[@]}" &
	GUEST_KEEPER[$name]=$!
	[ "$BASHPID" != "$$" ] || on_exit guest_down "$name"
	wait_until "$GUEST_PATIENCE" guest_ready_or_gone "$name" || :
	[ -e "$dir/share/ready" ] && return
	! guest_gone "$name" || patience=''
	said=$(cat -- "$dir/qemu.out" "$dir/console" 2>/dev/null | tr -d '\r' |
		awk '/^guest: |Kernel panic/ { why = $0 } /./ { last = $0 } END { print why ? why : last }')
	guest_down "$name"
	die "virtual machine $name did not boot$patience: ${said:-it printed nothing}"
}

# guest_folders MODE FOLDER...: shares these and the kernel's modules: adds to `qemu`, writes the guest's list.
guest_folders() {
	local n=0 version at list=$dir/share/mounts
	read -r version <"$GUEST_KERNEL/version"
	qemu+=(-virtfs "local,mount_tag=guest,security_model=none,path=${dir//,/,,}/share"
		-virtfs "local,mount_tag=kernel,security_model=none,readonly=on,path=${GUEST_KERNEL//,/,,}/modules")
	printf 'kernel\tro\t/lib/modules/%s\n' "$version" >"$list"
	for (( ; $#; n++)); do
		at=tp$n
		# (the programs of a checkout are below the rest)
		if ! [[ $1 = ro && $n = 1 && $2/ = "$TP_HOME"/* ]]; then
			qemu+=(-virtfs "local,mount_tag=$at,security_model=none,multidevs=remap,path=${2//,/,,}$([ "$1" = rw ] ||
				echo ,readonly=on)")
			printf '%s\t%s\t%s\n' "$at" "$1" "$2" >>"$list"
		fi
		shift 2
	done
}

guest_ready_or_gone() { [ -e "${GUEST_DIR[$1]}/share/ready" ] || guest_gone "$1"; }
guest_gone() { [ -e "${GUEST_DIR[$1]}/ended" ] || [ ! -d "${GUEST_DIR[$1]}" ]; }

guest_ask() { printf '%s\n' "${*:2}" 1<>"${GUEST_DIR[$1]}/jobs.in"; }

guest_start() {
	local OPTIND=1 opt user=() name job
	while getopts u: opt; do
		case $opt in
		u) user=(env "HOME=/home/$OPTARG" "USER=$OPTARG" "XDG_RUNTIME_DIR=/run/user/$OPTARG"
			setpriv "--reuid=$OPTARG" "--regid=$OPTARG" --init-groups) ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	name=$1
	job=$(guest_job "$1" "$2") || return
	shift 2
	[ -e "$job.in" ] || : >"$job.in"
	printf 'export TP_HOME=%q TP_BIN=%q TP_CHECKOUT=%q\nexec%s\n' "$TP_HOME" "$TP_BIN" "$TP_CHECKOUT" \
		"$(printf ' %q' ${user[@]+"${user[@]}"} "$@")" >"$job.command"
	guest_ask "$name" run "${job##*/}"
}

guest_wait() {
	local job status
	job=$(guest_job "$1" "$2") || return
	until [ -s "$job.status" ]; do
		! guest_gone "$1" || die "virtual machine $1 ended while it ran $2"
		nap 0.02 || :
	done
	read -r status <"$job.status"
	return "$status"
}

guest_exec() {
	local OPTIND=1 opt user=() job file status
	while getopts u: opt; do
		case $opt in
		u) user=(-u "$OPTARG") ;;
		*) return "$EXIT_USAGE" ;;
		esac
	done
	shift $((OPTIND - 1))
	guest_ours "$1"
	file=$(mktemp "${GUEST_DIR[$1]}/share/jobs/exec-XXXXXX") || die "cannot write to ${GUEST_DIR[$1]}"
	job=${file##*/}
	if [ -t 0 ]; then : >"$file.in"; else cat >"$file.in"; fi
	guest_start ${user[@]+"${user[@]}"} "$1" "$job" "${@:2}"
	guest_wait "$1" "$job"
	status=$?
	cat -- "$file.out"
	cat -- "$file.err" >&2
	rm -f -- "$file" "$file".*
	return "$status"
}

guest_signal() { guest_ours "$1"; guest_ask "$1" kill "$2" "$3"; }

guest_stop() {
	local job
	job=$(guest_job "$1" "$2") || return
	guest_signal "$1" "$2" TERM
	wait_until 5 test -s "$job.status" || guest_signal "$1" "$2" KILL
	guest_wait "$1" "$2"
}

guest_down() {
	local keeper=${GUEST_KEEPER[$1]-}
	[ -n "$keeper" ] || return 0
	# Before its trap stands, a signal would end a copy of this shell, which complains, and the files would stay.
	wait_until 10 guest_kept "$1"
	kill -TERM "$keeper" 2>/dev/null
	wait "$keeper" 2>/dev/null
	unset "GUEST_KEEPER[$1]" "GUEST_DIR[$1]"
}

guest_kept() { [ -e "${GUEST_DIR[$1]}/pid" ] || [ ! -e "/proc/${GUEST_KEEPER[$1]}" ]; }

# guest_sweep: removes the folders of guests whose keeper was killed before it could.
guest_sweep() {
	local file pid
	for file in "${TMPDIR:-/tmp}"/tp-guest.*/pid; do
		[ -O "$file" ] && read -r pid <"$file" && [ ! -d "/proc/$pid" ] && [ ! -e "${file%/*}/ended" ] || continue
		rm -rf -- "${file%/*}"
	done
}

guest_usage() {
	cat <<'END'
usage: lab/guest.sh root NAME                    makes that root file system and the kernel, says where they are
       lab/guest.sh run [OPTIONS] ROOT COMMAND...  boots it, runs COMMAND in it, and ends it (OPTIONS: those of guest_up)
       lab/guest.sh list | clean                 the roots there are; removes all that is kept of them, and what killed runs left
END
}

guest_main() {
	local options=()
	TP_TOOL=guest
	case ${1-} in
	root)
		[ $# = 2 ] || die "-$EXIT_USAGE" "root needs a name; see guest.sh list"
		! said=$(guest_missing) || die "-$EXIT_MISSING" "$said"
		guest_root "$2"
		guest_kernel
		printf '%s\n' "$GUEST_IMAGE" "$GUEST_KERNEL"
		;;
	run)
		shift
		while [[ ${1-} == -* ]]; do
			[ $# -ge 2 ] || die "-$EXIT_USAGE" "run needs a root and a command; see guest.sh --help"
			options+=("$1" "$2")
			shift 2
		done
		[ $# -ge 2 ] || die "-$EXIT_USAGE" "run needs a root and a command; see guest.sh --help"
		guest_up guest "$1" ${options[@]+"${options[@]}"}
		shift
		guest_exec guest "$@"
		;;
	list) grep -v '^#' "$LAB_HERE/guest/roots" ;;
	clean)
		guest_sweep
		rm -rf -- "$GUEST_CACHE"
		;;
	-h | --help) guest_usage ;;
	*)
		guest_usage >&2
		exit "$EXIT_USAGE"
		;;
	esac
}

[ "${BASH_SOURCE[0]}" != "$0" ] || { guest_main "$@"; exit; }
