# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# keeper.sh - holds one guest: keeper.sh PARENT FOLDER CGROUP COMMAND... runs COMMAND (QEMU) in that
# cgroup's folder, or where it is when there is none.
#
# It is told to end (SIGTERM) by guest_down, or by the kernel when the driver is gone, however that
# ended; then it kills QEMU and removes FOLDER. QEMU dies with it.
set -u
parent=$1 dir=$2 group=$3 qemu=''
shift 3
end() {
	trap '' TERM
	[ -z "$qemu" ] || kill -KILL "$qemu" 2>/dev/null
	wait
	rm -rf -- "$dir"
	exit 0
}
exec 2>"$dir/keeper.err"
trap '' INT HUP	# the driver ends it
trap end TERM
[ "$PPID" = "$parent" ] || end	# the driver had gone before the kernel was asked to tell
{
	[ -z "$group" ] || echo "$BASHPID" >"$group/cgroup.procs" || exit
	exec setpriv --pdeathsig KILL "$@"
} </dev/null >"$dir/qemu.out" 2>&1 &
qemu=$!
echo "$qemu" >"$dir/pid"
wait "$qemu"
# The guest went down by itself: what it said may still be read.
qemu=''
: >"$dir/ended"
setpriv --pdeathsig KILL sleep infinity &
qemu=$!
wait
