# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# home.sh - where the suite lies, for scripts that may be started by themselves: TP_HOME, TP_BIN,
# TP_CHECKOUT (1 unless `thinprobe` says that it was installed). And one locale for all of them: in that of the user awk and printf
# may write 2,65 for a number. Hosts have it, too; a program that `thinprobe PROGRAM` calls keeps the user's.
: "${TP_HOME:=$(cd -- "${BASH_SOURCE[0]%/*}/.." && pwd -P)}"
: "${TP_BIN:=$TP_HOME/bin}"
: "${TP_CHECKOUT:=1}"
export TP_HOME TP_BIN LC_ALL=C.UTF-8
[[ :$PATH: == *:/usr/sbin:* ]] || PATH=$PATH:/usr/sbin:/sbin	# where ip, tc and sysctl are; an ordinary user's often lacks them
. "${BASH_SOURCE[0]%/*}/caller.sh"
. "${BASH_SOURCE[0]%/*}/trees.sh"
[[ ${BASH_SOURCE[-1]} != ?(*/)@(engine|commands)/*.sh ]] || caller_forget

# hosts_can [--user --map-root-user]: whether namespaces for hosts can be made, with all that a lab asks for: AppArmor may grant a
# user namespace and refuse what it is for; root of a container may lack CAP_NET_ADMIN.
hosts_can() { unshare "$@" --net --mount --pid --ipc --fork ip link set lo up 2>/dev/null; }

# Whether root's / is that of a chroot: who enters a host (setns) comes out of it.
chrooted() {
	local root
	root=$(nsenter --mount=/proc/self/ns/mnt stat -c %d:%i / 2>/dev/null) && [ "$root" != "$(stat -c %d:%i /)" ]
}
CHROOTED='this is a chroot, which a process leaves when it enters a host' CHROOTED_CURE='enter it by pivot_root, or as a container'
