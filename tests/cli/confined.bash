# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# confined - a test's own control group and swap, removed in its teardown: `load confined` after `load helpers`.

# Sets $group: a control group, of version 1 if that is asked for; skips if none can be made
make_group() {	# cpu, cpuset, memory [1]
	local at

	at=$(awk -v of="(^|,)$1(,|\$)" '$3 == "cgroup" && $4 ~ of { print $2; exit }' /proc/mounts)
	[ -n "$at${2-}" ] || at=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$at" ] || skip "no such control groups here"
	at=$at/bats-thinprobe-$BATS_ROOT_PID	# no name of a lab: `lab clean` of another job takes these away
	mkdir "$at" 2>err || skip "no control group can be made here: $(cat err)"
	group=$at
}

# "alone": skips if the machine has swap already, since pages would go to both.
make_swap() {	# file [alone]
	need losetup mkswap swapon
	hold_swap
	[ -z "${2-}" ] || [ "$(wc -l </proc/swaps)" -le 1 ] || skip "there is swap already: its pages would mix with ours"
	loop=$(losetup --find --show --direct-io=on "$1") || skip "no loop device to be had"
	mkswap "$loop" >/dev/null
	swapon "$loop" 2>err || skip "no swap here: $(cat err)"
}

# Pages of other processes may be on this swap: moving them takes a moment.
swap_off() {
	if grep -q "^$loop " /proc/swaps; then swapoff "$loop"; fi
}

group_gone() {
	xargs -r kill -9 <"$group/cgroup.procs" || true
	find "$group" -depth -type d -exec rmdir {} +
}

give_back() {
	# first: swap does not end while processes of the group hold more than its limit
	[ -z "${group-}" ] || until_true group_gone || true
	if [ -n "${loop-}" ]; then
		until_true swap_off || true
		losetup --detach "$loop" || true
	fi
	loop='' group=''
}

teardown() {
	end_started
	give_back
}
