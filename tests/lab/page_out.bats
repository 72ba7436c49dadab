#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Means of the lab to page a session out: programs started from private copies, and DAMON for one memory group.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "copies.sh: a copied program runs under its own name, with libraries that no other process maps" {
	for tool in xterm ldd; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	"$TOP/lab/local/copies.sh" "$BATS_TEST_TMPDIR/co pies" sleep
	"$BATS_TEST_TMPDIR/co pies/bin/sleep" 60 3>&- &
	pid=$!
	for _ in {1..1500}; do grep -q libc "/proc/$pid/maps" && [ "$(cat "/proc/$pid/comm")" = sleep ] && break; sleep 0.02; done
	[ "$(cat "/proc/$pid/comm")" = sleep ]
	[[ $(tr '\0' ' ' <"/proc/$pid/cmdline") == "sleep "*" 60 " ]]
	if awk '$6 ~ /^\// && $6 ~ /\.so|sleep/ { $1 = $2 = $3 = $4 = $5 = ""; print }' "/proc/$pid/maps" | grep -v '/co pies/'; then
		kill "$pid"
		return 1
	fi
	kill "$pid"
	wait "$pid" || :
	run --separate-stderr "$TOP/lab/local/copies.sh" "$BATS_TEST_TMPDIR/x" no-such-program
	[ "$status" = 1 ]
	[[ $stderr == "copies: no-such-program is not installed" ]]
	printf '#!/bin/sh\n' >script
	chmod +x script
	PATH=$PWD:$PATH run --separate-stderr "$TOP/lab/local/copies.sh" "$BATS_TEST_TMPDIR/x" script
	[ "$status" = 1 ]
}

# Makes a folder with the files of DAMON's sysfs for one scheme.
damon_tree() {
	local k=damon/0/contexts/0 f
	for f in nr_kdamonds 0/state 0/contexts/nr_contexts; do mkdir -p "$(dirname "damon/$f")"; : >"damon/$f"; done
	for f in operations monitoring_attrs/intervals/{sample_us,aggr_us,update_us} targets/nr_targets targets/0/regions/nr_regions \
		targets/0/regions/{0,1}/{start,end} schemes/nr_schemes schemes/0/action schemes/0/access_pattern/{sz,nr_accesses,age}/{min,max} \
		schemes/0/ops_filters/nr_filters schemes/0/ops_filters/0/{type,memcg_path,matching,allow}; do
		mkdir -p "$(dirname "$k/$f")"
		: >"$k/$f"
	done
	echo 0 >damon/nr_kdamonds
	mkdir -p "groups/a lab.server" proc
	printf 'cgroup %s/groups cgroup rw,memory 0 0\n' "$PWD" >proc/mounts
	printf '%s\n' '00001000-00001fff : Reserved' '00002000-00002fff : System RAM' '  00002100-000021ff : Kernel code' \
		'100000000-1ffffffff : System RAM' >iomem
	echo 'total_rss 1000' >"groups/a lab.server/memory.stat"
	export LAB_DAMON=$PWD/damon LAB_PROC=$PWD/proc LAB_IOMEM=$PWD/iomem
}

@test "damon.sh: DAMON pages out only that group, and stops if its caller is killed; a DAMON in use is left alone" {
	damon_tree
	"$TOP/lab/local/damon.sh" "$PWD/groups/a lab.server" 2>said 3>&- &
	pid=$!
	for _ in {1..1500}; do [ "$(cat damon/0/state)" = on ] && break; sleep 0.02; done
	[ "$(cat damon/0/state)" = on ]
	k=damon/0/contexts/0
	[ "$(cat damon/nr_kdamonds $k/operations $k/schemes/0/action | tr '\n' ' ')" = "1 paddr pageout " ]
	[ "$(cat $k/targets/0/regions/{nr_regions,0/start,0/end,1/start,1/end} | tr '\n' ' ')" = "2 8192 12288 4294967296 8589934592 " ]
	[ "$(cat $k/schemes/0/ops_filters/{nr_filters,0/type,0/memcg_path,0/matching,0/allow} | tr '\n' ' ')" = \
		"1 memcg /a lab.server N N " ]
	[ ! -s said ]
	echo 'total_rss 10' >"groups/a lab.server/memory.stat"
	for _ in {1..1500}; do grep -q ready said && break; sleep 0.02; done
	grep -qx ready said
	kill -KILL "$pid"
	wait "$pid" || :
	for _ in {1..1500}; do [ "$(cat damon/nr_kdamonds)" = 0 ] && break; sleep 0.02; done
	[ "$(cat damon/0/state damon/nr_kdamonds | tr '\n' ' ')" = "off 0 " ]
	# a DAMON in use by others
	echo 1 >damon/nr_kdamonds
	run --separate-stderr "$TOP/lab/local/damon.sh" "$PWD/groups/a lab.server"
	[ "$status" = 4 ]
	[[ $stderr == "damon: DAMON is in use: "* ]]
	[ "$(cat damon/0/state damon/nr_kdamonds | tr '\n' ' ')" = "off 1 " ]
}
