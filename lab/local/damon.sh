#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# damon.sh GROUP - has the kernel page a memory group out by itself: DAMON watches which memory is
# used, and its scheme pages out what was not for a second. Says "ready" when most of the group's
# anonymous memory is in swap, or when it gets no less; ends DAMON when it is ended.
#
# By the admin interface (kernel 5.18 or later with CONFIG_DAMON_SYSFS and CONFIG_DAMON_PADDR), on
# physical addresses, with a filter that lets nothing be paged out but the group's. One user at a
# time: where a scheme of somebody else runs, that one is left alone, and this refused. A process of
# its own outlives a kill -9 of this one, and ends DAMON then.
# Environment, for tests: LAB_DAMON (the interface), LAB_PROC (a folder with `mounts`), LAB_IOMEM (a file like /proc/iomem).
set -u
: "${LAB_DAMON:=/sys/kernel/mm/damon/admin/kdamonds}" "${LAB_PROC:=/proc/self}" \
	"${LAB_IOMEM:=/proc/iomem}"

die() {
	printf 'damon: %s\n' "$*" >&2
	exit "${status:-1}"
}

exec {nap_fd}<> <(:)
nap() { read -r -t "$1" -u "$nap_fd" _; }
put() { { printf '%s\n' "$2" >"$LAB_DAMON/$1"; } 2>/dev/null || die "DAMON rejects the value $2 for $1"; }

# 0: DAMON is available and not in use. What `damon.sh --can` answers, too.
can() {
	[ -w "$LAB_DAMON/nr_kdamonds" ] || {
		[ -e "$LAB_DAMON" ] && echo "only root may use DAMON" ||
			echo "this kernel has no DAMON with an admin interface (CONFIG_DAMON_SYSFS)"
		return 1
	}
	[ "$(cat "$LAB_DAMON/nr_kdamonds")" = 0 ] || {
		echo "DAMON is in use: a scheme of somebody else's runs on this machine, and would end"
		return 1
	}
}

[ $# = 1 ] || { status=2; die "which memory group?"; }
why=$(can) || { status=4; [ "$1" != --can ] || { echo "$why"; exit 4; }; die "$why"; }
[ "$1" != --can ] || exit 0
group=$1
[ -r "$group/memory.stat" ] || die "no memory group $group"
mount=$(awk -v group="$group" '
	($3 == "cgroup2" || $3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/) && index(group "/", $2 "/") == 1 {
		print $2
		exit
	}' "$LAB_PROC/mounts")
[ -n "$mount" ] || die "$group is not in a mounted cgroup hierarchy with a memory controller"

# The end of its input is our end, however that comes.
exec 9> >(
	trap '' TERM INT HUP
	read -r _
	for ((i = 0; i < 50; i++)); do
		echo off >"$LAB_DAMON/0/state"
		echo 0 >"$LAB_DAMON/nr_kdamonds" && break
		nap 0.1
	done 2>/dev/null
)
guard_pid=$!

scheme() {
	local k=0/contexts/0 from to n=0 filters
	put nr_kdamonds 1
	put 0/contexts/nr_contexts 1
	put $k/operations paddr
	put $k/monitoring_attrs/intervals/sample_us 5000
	put $k/monitoring_attrs/intervals/aggr_us 100000
	put $k/monitoring_attrs/intervals/update_us 1000000
	put $k/targets/nr_targets 1
	put $k/targets/0/regions/nr_regions "$(grep -c 'System RAM' "$LAB_IOMEM")"
	while IFS=- read -r from to; do
		put "$k/targets/0/regions/$n/start" "$((16#$from))"
		put "$k/targets/0/regions/$n/end" "$((16#$to + 1))"
		n=$((n + 1))
	done < <(sed -n 's/^ *\([0-9a-f]*-[0-9a-f]*\) : System RAM$/\1/p' "$LAB_IOMEM")
	put $k/schemes/nr_schemes 1
	put $k/schemes/0/action pageout
	put $k/schemes/0/access_pattern/sz/min 0
	put $k/schemes/0/access_pattern/sz/max 18446744073709551615
	put $k/schemes/0/access_pattern/nr_accesses/min 0
	put $k/schemes/0/access_pattern/nr_accesses/max 0
	put $k/schemes/0/access_pattern/age/min 10
	put $k/schemes/0/access_pattern/age/max 4294967295
	# Newer kernels tell filters that each page is held against from others.
	filters=$k/schemes/0/filters
	[ ! -e "$LAB_DAMON/$k/schemes/0/ops_filters" ] || filters=$k/schemes/0/ops_filters
	put $filters/nr_filters 1
	put $filters/0/type memcg
	put $filters/0/memcg_path "${group#"$mount"}"
	put $filters/0/matching N	# what is not the group's ...
	[ ! -e "$LAB_DAMON/$filters/0/allow" ] || put $filters/0/allow N	# ... is left alone
	put 0/state on
}

anonymous() { awk '$1 == "total_rss" || $1 == "anon" { print $2; exit }' "$group/memory.stat"; }

# Leaves DAMON free for the next user.
trap 'exec 9>&-; wait "$guard_pid"; exit 0' TERM INT HUP
first=$(anonymous) least=$first still=0
scheme
for ((i = 0; i < 120 && still < 12; i++)); do
	nap 0.25
	now=$(anonymous)
	[ "$now" -gt $((first / 50)) ] || break
	# It takes a second before anything is old enough; after that, three seconds without less are the end.
	if [ "$now" -lt "$least" ]; then least=$now still=0; elif [ "$least" -lt "$first" ]; then still=$((still + 1)); fi
done
echo ready >&2
while :; do nap 86400; done
