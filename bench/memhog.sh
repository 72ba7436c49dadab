#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# memhog.sh - does memhog fill memory as fast as this machine can? Beside a plain loop that writes
# xorshift64 words into a fresh mapping of the same size.
#
# usage: bench/memhog.sh [--quick] [--rounds N]     (12 rounds of 512 MiB: 1 minute; quick: 3 of 64 MiB, decides nothing)
# In pages of 4 KiB and of 2 MiB, the same for all. The time is that of the fill, as each tells it;
# from outside, that of the whole process with its end, which gives all pages back; and the CPU time
# of the whole process, which a busy machine disturbs less. Before each the same amount is touched
# and given back, untimed: a virtual machine gets memory it has not used lately from its host first,
# which takes many times longer than the fill. What memory allows is what the plainest loops do with
# memory that is there already (fill.c, sysbench).
# shellcheck disable=SC2317  # what alternate calls
set -u
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
. "$here/lab/lib.sh"
. "$here/bench/lib.sh"

bench_begin memhog "$@"
memhog=$TP_BIN/memhog fill=$BENCH_TOOLS/fill
bytes=$((512 << 20))
[ "$BENCH_QUICK" = 0 ] || bytes=$((64 << 20))
n=$(rounds 12 3)
say_versions "$memhog"
mapfile -t cpus < <(allowed_cpus)
available=$(awk '/^MemAvailable/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
[ "$available" -gt $((3 * bytes)) ] ||
	die "-$EXIT_MISSING" "three times $((bytes >> 20)) MiB of memory are needed; $((available >> 20)) are available"

gigabytes() {	# NS: of bytes in that time, in GB/s
	awk -v ns="$1" -v bytes="$bytes" 'BEGIN { printf "%.6f", bytes / ns }'
}

fill_once() {	# CONTENDER ROUND, in pages of $page
	local ns
	"$fill" touch "$bytes" "$page" >/dev/null || die "fill touch ended with status $?"
	case $1 in
	plain) "$BENCH_TOOLS/clocked" took "$fill" plain "$bytes" "$page" >told ;;
	kernel) "$BENCH_TOOLS/clocked" took "$fill" touch "$bytes" "$page" >told ;;
	memhog-*)
		"$BENCH_TOOLS/clocked" took "$memhog" -s "$bytes" --page "$page" --threads "${1#memhog-}" \
			--reserve 0 -t 1ms --format json >report 2>err
		jq '.result.fill_s * 1e9' report >told
		jq -e --arg page "$page" '.result | .huge_bytes / .filled_bytes > 0.9 or $page == "4K"' report >/dev/null || touch "few-huge"
		;;
	esac
	read -r whole cpu _ status <took
	[ "$status" = 0 ] || die "$1 ended with status $status: $(tail -n 1 err)"
	read -r ns <told
	note "fill $page" "$1" "$2" "$(gigabytes "$ns")"
	note "whole process $page" "$1" "$2" "$(gigabytes "$whole")"
	note "per CPU second $page" "$1" "$2" "$(gigabytes "$cpu")"
}

cd "$BENCH_WORK" || exit 1
contenders=(plain memhog-1)
if [ "${#cpus[@]}" -gt 1 ]; then
	contenders+=(memhog-2)
else
	echo "one CPU only: nothing to gain by a second thread"
fi
echo "fills of $((bytes >> 20)) MiB, $n rounds; rates in GB/s"
ratio_head
for page in 4K 2M; do
	if [ "$page" = 2M ] && grep -qs '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
		echo "pages of 2M are left out: this machine has them switched off (/sys/kernel/mm/transparent_hugepage/enabled)"
		continue
	fi
	alternate "$n" fill_once "${contenders[@]}" kernel || exit
	ratio "fill $page" memhog-1 plain '>0.9' 1 GB/s
	[ "${#cpus[@]}" -lt 2 ] || ratio "fill $page" memhog-2 plain '>1.5' 1 GB/s
	ratio "whole process $page" memhog-1 plain '' 1 GB/s
	[ "${#cpus[@]}" -lt 2 ] || ratio "whole process $page" memhog-2 plain '' 1 GB/s
	ratio "per CPU second $page" memhog-1 plain '' 1 GB/s
	[ "${#cpus[@]}" -lt 2 ] || ratio "per CPU second $page" memhog-2 plain '' 1 GB/s
	ratio "fill $page" kernel memhog-1 '' 1 GB/s
done
[ ! -e few-huge ] || echo "note: in some rounds less than 90 % of what memhog filled was in pages of 2M"
echo "kernel: a word in each page, which is finding and clearing the pages, a fault for each, and nothing else"
echo

# --- what memory allows ----------------------------------------------------------------------------------------

memory() {	# write|copy|read PAGE: GB/s
	local ns
	ns=$("$fill" "$1" "$bytes" "$2") && gigabytes "$ns"
}

sysbench_memory() {	# THREADS: GB/s written
	sysbench memory --memory-block-size=64M --memory-total-size=$((4 * bytes >> 20))M --memory-oper=write --threads="$1" run |
		sed -n 's/.*(\([0-9.]*\) MiB\/sec).*/\1/p' | awk '{ printf "%.2f", $1 * 1048576 / 1e9 }'
}

write=$(memory write 4K)
printf 'memory that is there already, one thread: write %.2f, copy %.2f, read %.2f GB/s in pages of 4K' \
	"$write" "$(memory copy 4K)" "$(memory read 4K)"
printf ' (write in pages of 2M: %.2f)\n' "$(memory write 2M)"
if command -v sysbench >/dev/null; then
	printf 'sysbench memory (blocks of 64 MiB): write %s GB/s with one thread' "$(sysbench_memory 1)"
	[ "${#cpus[@]}" -lt 2 ] || printf ', %s with two' "$(sysbench_memory 2)"
	echo
else
	echo "sysbench is left out: it is not installed; apt-get install --no-install-recommends sysbench"
fi
awk -v one="$(median 'fill 4K' memhog-1)" -v write="$write" 'BEGIN {
	printf "memhog with one thread fills small pages at %.0f %% of the speed at which they can be written once they are there\n",
		100 * one / write }'
bench_end
