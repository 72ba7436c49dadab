# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# clean.sh - of lab_clean, which sources it.

# lab_vamp_clean: what a vamp left whose watchdog was killed with it: groups thinprobe-vamp-PID (its background),
# thinprobe-vamp-PID-rest (of version 2: all others of the session) and thinprobe-vamp-PID-vcpuN (a thread of QEMU). What is in
# them goes into the group above.
lab_vamp_clean() {
	local f above pid list type
	while IFS= read -r f; do
		above=${f%/*} pid=${f##*/thinprobe-vamp-}
		[ ! -e "/proc/${pid%%-*}" ] || continue
		list=cgroup.procs
		{ read -r type <"$f/cgroup.type"; } 2>/dev/null && [ "$type" = threaded ] && list=cgroup.threads
		# version 2: a group that shares out CPU time has no processes of its own
		if [[ $pid == *-rest ]]; then
			{ echo -cpu >"$above/cgroup.subtree_control"; } 2>/dev/null
		elif [ -d "$f-rest" ]; then
			above=$f-rest
		fi
		for _ in {1..20}; do
			while read -r pid; do { echo "$pid" >"$above/$list"; } 2>/dev/null; done <"$f/$list"
			rmdir "$f" 2>/dev/null && printf 'removed group %s\n' "$f" && break
			nap 0.05
		done
	done < <(find /sys/fs/cgroup -type d -regex '.*/thinprobe-vamp-[0-9]+\(-rest\|-vcpu[0-9]+\)?' 2>/dev/null | sort)
}
lab_vamp_clean
