#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# hold.sh - holds the local lab: takes its CPUs, makes the two hosts, dies with the driver.
#
# Started by lab_up as a child of the driver's main shell through setpriv --pdeathsig KILL (and unshare
# --user where the driver is not root). Each host hangs on this process twice: by the same death signal and
# by a pipe whose only writer is here, so that no moment is left in which a host could be orphaned.
#
# Talks to the driver on fd 3, one fact per line:
#   cpus SERVER CLIENT SHARED | link KIND [PID] | host ROLE PID ADDRESS INTERFACE | fail STATUS MESSAGE | note MESSAGE | up
# Environment: LAB_ID LAB_DRIVER LAB_RATE LAB_QUEUE LAB_QUEUE_LEAST LAB_DELAY LAB_JITTER LAB_LOSS
# LAB_DELAY_BY LAB_LINK_SEED LAB_WIRE (link.sh) LAB_CLIENTS LAB_LOCKS LAB_CPU_WAIT LAB_SHARED_CPUS
# LAB_SERVER_CPUS LAB_CPUS_server LAB_CPUS_client (wishes) LAB_ALLOWED (CPUs the driver may use) LAB_BESIDE (a file in which
# the lab that takes turns with this one says its CPUs) LAB_SERVER_ROOT; arguments: folders that must stay visible.
set -u
trap '' TERM INT HUP	# the driver handles signals of a terminal or timeout; this process ends with the driver
[ "$PPID" = "$LAB_DRIVER" ] || exit 1	# the driver died before the death signal was set
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P) || exit 1
# shellcheck source=lab/line.sh
. "${here%/*}/line.sh"
# shellcheck source=lab/machine.sh
. "${here%/*}/machine.sh"
# shellcheck source=lab/locks.sh
. "${here%/*}/locks.sh"
# shellcheck source=lab/link.sh
. "${here%/*}/link.sh"

say() { printf '%s\n' "$*" >&3; }
fail() {
	say "fail $1 $2"
	exit 1
}
exec {nap_fd}<> <(:)
nap() { read -r -t "$1" -u "$nap_fd" _; }

# ---- CPUs ----

siblings() {
	local s=
	read -r s 2>/dev/null <"/sys/devices/system/cpu/cpu$1/topology/thread_siblings_list" || s=$1
	machine_cpu_list "$s"
}

# One lock file per CPU, outside the hosts' private /tmp. The locks end with this process.
declare -A lock_fd=()
lock_held() { printf '%s is held by %s' "$held" "$(locks_holders "$held")"; }
lock_cpu() {
	[ -z "${lock_fd[$1]-}" ] || return 0
	locks_take "$LAB_LOCKS/cpu$1" && lock_fd[$1]=$LOCK && return
	[ $? = 1 ] || fail 1 "$LOCKS_WHY"
	held=$LAB_LOCKS/cpu$1
	return 1
}
unlock_cpus() {
	local fd
	for fd in "${lock_fd[@]}"; do exec {fd}<&-; done
	lock_fd=()
}

# Picks from the CPUs allowed: LAB_SERVER_CPUS for the server (their hyper-threads stay empty where there is room), then up to
# two for the client, or the server's last one where none is left. Sets server, client, shared; 1 when too few are free. With
# `any`, locks don't count.
pick_cpus() {
	local c s taken=' ' room=${#allowed[@]} wanted=$LAB_SERVER_CPUS n=0
	[ "$wanted" -le "$room" ] || wanted=$room
	server='' client=''
	for c in "${allowed[@]}"; do
		[[ $taken == *" $c "* ]] && continue
		[ "$1" = any ] || lock_cpu "$c" || continue
		taken+="$c "
		if [ "$n" -lt "$wanted" ]; then
			server+=${server:+,}$c n=$((n + 1))
			for s in $(siblings "$c"); do
				[ "$room" -ge $((2 * wanted + 2)) ] && [ "$s" != "$c" ] && { [ "$1" = any ] || lock_cpu "$s"; } &&
					taken+="$s "
			done
		elif [ -z "$client" ]; then
			client=$c
			[ "$room" -ge $((wanted + 3)) ] || break
		else
			client+=,$c
			break
		fi
	done
	[ "$n" = "$room" ] && client=${server##*,} shared=1
	[ -n "$client" ]
}

# Sets server and client to the CPUs that the driver asks for, and locks each (not with `any`). 1: another lab has one of them.
wish_cpus() {
	local c
	server=$LAB_CPUS_server client=$LAB_CPUS_client
	[ "$1" = any ] && return 0
	for c in $(machine_cpu_list "$server,$client"); do lock_cpu "$c" || return 1; done
}
check_wish() {
	local c both=' '
	[[ $LAB_CPUS_server,$LAB_CPUS_client =~ ^[0-9]+([,-][0-9]+)*$ ]] ||
		fail 2 "LAB_CPUS_server=$LAB_CPUS_server, LAB_CPUS_client=$LAB_CPUS_client: must be CPU lists such as 0 and 1-2"
	for c in $(machine_cpu_list "$LAB_CPUS_server") / $(machine_cpu_list "$LAB_CPUS_client"); do
		[ "$c" = / ] && both+='/ ' && continue
		[[ " ${allowed[*]} " == *" $c "* ]] || fail 2 "CPU $c does not exist or is not allowed; allowed are $LAB_ALLOWED"
		[[ $both == *" $c "*/* ]] && LAB_SHARED_CPUS=1
		both+="$c "
	done
}

take_cpus() {
	local pick=pick_cpus end NOW_MS said=''
	if [ -n "${LAB_BESIDE-}" ]; then
		until read -r server client shared 2>/dev/null <"$LAB_BESIDE"; do nap 0.05; done
		return
	fi
	read -ra allowed <<<"$(machine_cpu_list "$LAB_ALLOWED")"
	if [ -n "$LAB_CPUS_server$LAB_CPUS_client" ]; then
		pick=wish_cpus
		check_wish
	fi
	if [ ${#allowed[@]} -lt 2 ] && [ $pick = pick_cpus ]; then
		server=${allowed[0]} client=${allowed[0]} shared=1
		say note "only one CPU: server and client share it, so response times include the probe's CPU time"
		return
	fi
	shared=0
	if [ "$LAB_SHARED_CPUS" = 1 ]; then
		$pick any
		shared=1
		return
	fi
	now_ms
	end=$((NOW_MS + LAB_CPU_WAIT * 1000))
	until $pick free; do
		unlock_cpus
		now_ms
		if [ "$NOW_MS" -ge "$end" ]; then
			say note "another lab still uses the CPUs after $LAB_CPU_WAIT s ($(lock_held)): sharing them; results will be flagged"
			$pick any
			shared=1
			return
		fi
		[ -n "$said" ] || say note "another lab uses the CPUs ($(lock_held)): waiting up to $LAB_CPU_WAIT s" \
			"(LAB_SHARED_CPUS=1: share them)"
		said=1
		nap 0.2
	done
}

take_cpus
say "cpus $server $client $shared"

# ---- two hosts ----

exec {up_fd}<> <(:)
declare -A pid=() life=()
for role in server client; do
	# The read end is the host's standard input; nobody but this process may hold a writing end.
	exec {fd}> >(
		for f in "${life[@]}" "${lock_fd[@]}"; do exec {f}>&-; done
		exec setpriv --pdeathsig KILL unshare --net --mount --ipc --pid --fork --kill-child --mount-proc \
			--propagation private "$BASH" -p "$here/host.sh" "$role" "$up_fd" "$@" 3>&-
	)
	pid[$role]=$!
	life[$role]=$fd
done
for _ in server client; do
	if ! read -r -t 15 -u "$up_fd" role word; then
		fail 1 "the hosts did not come up in 15 s; see the lines above"
	fi
	[ "$word" = up ] || fail "${word%% *}" "${word#* }"
done

on() { # ROLE COMMAND...: in that host's network, as its root
	nsenter --net="/proc/${pid[$1]}/ns/net" -- "${@:2}"
}
try() {
	local err
	err=$("$@" 2>&1) || fail 1 "cannot set up the link: ${err##*$'\n'} (${*:1:9}); see: thinprobe doctor"
}
declare -A ifname=([server]="tp${LAB_ID}s" [client]="tp${LAB_ID}c") addr=([server]=10.203.0.1 [client]=10.203.0.2)
link_numbers "$LAB_RATE" "$LAB_QUEUE" "$LAB_QUEUE_LEAST" "$LAB_DELAY" "$LAB_JITTER" "$LAB_LOSS" || fail 2 "$LAB_WHY"
link_choose on server ||
	fail 4 "cannot delay packets: $LAB_WHY; leave LAB_DELAY, LAB_JITTER and LAB_LOSS empty, or see: thinprobe doctor"

# The delay line between two TAP ends, in place of the pair. It dies with us, and holds nothing of ours open.
start_wire() {
	local ready='' order options=()
	for order in "${LINK_WIRE[@]}"; do options+=(--order "$order"); done
	(
		for f in "${life[@]}" "${lock_fd[@]}" "$nap_fd" 3; do exec {f}>&-; done
		exec "$TP_BIN/delayline" --end "${ifname[server]}@/proc/${pid[server]}/ns/net" \
			--end "${ifname[client]}@/proc/${pid[client]}/ns/net" "${options[@]}" \
			--seed "${LAB_LINK_SEED:-1}" --parent $$ --cpus "$client" --control "$LAB_WIRE.control" \
			--format json -o "$LAB_WIRE.json" --ready-fd "$up_fd" 2>"$LAB_WIRE.err"
	) &
	wire=$!
	while [ -z "$ready" ] && [ -d "/proc/$wire" ]; do read -r -t 0.2 -u "$up_fd" ready; done
	[ -n "$ready" ] && return
	wait "$wire"
	fail "$(($? == 4 ? 4 : 1))" "the delay line does not start: $(tail -n 1 -- "$LAB_WIRE.err")"
}
if [ "$LAB_LINK" = wire ]; then
	LINK_TBF_server='' LINK_TBF_client='' LINK_NETEM=''
	start_wire
else
	try on server ip link add "${ifname[server]}" type veth peer name "${ifname[client]}" netns "${pid[client]}"
fi
for role in server client; do
	try on $role ip link set lo up
	try on $role ip addr add "${addr[$role]}/24" dev "${ifname[$role]}"
	# Segments as they are on a wire: with offloads on, capture, shaping and packet counts see 64 KB giants.
	try on $role ethtool -K "${ifname[$role]}" tso off gso off gro off
	on $role ethtool -K "${ifname[$role]}" tx-udp-segmentation off 2>/dev/null || :
	link_words $role "${ifname[$role]}"
	on $role "${LINK_WORDS[@]}" 2>/dev/null || case $? in
	2) fail 4 "this kernel cannot delay packets (no netem); leave LAB_DELAY, LAB_JITTER and LAB_LOSS empty, or load sch_netem" ;;
	3) fail 4 "this kernel cannot shape a link (no tbf); set LAB_RATE=none, or load sch_tbf" ;;
	*) fail 1 "cannot set up the queue of the link; see: thinprobe doctor" ;;
	esac
	try on $role ip link set "${ifname[$role]}" up
done
# Permanent neighbour entries: no ARP packets between keys.
for role in server client; do
	[ $role = server ] && peer=client || peer=server
	mac=$(on "$peer" cat "/sys/class/net/${ifname[$peer]}/address" 2>/dev/null) || mac=
	[ -n "$mac" ] || mac=$(on "$peer" ip -o link show "${ifname[$peer]}" |
		awk '{ for (i = 1; i < NF; i++) if ($i == "link/ether") print $(i + 1) }')
	try on $role ip neigh replace "${addr[$peer]}" lladdr "$mac" dev "${ifname[$role]}" nud permanent
done
for role in server client; do say host "$role" "${pid[$role]}" "${addr[$role]}" "${ifname[$role]}"; done

# ---- more clients: networks behind that of the client, which routes for them, so that all share the one link ----

more_client() {	# more_client N: the role clientN, 10.203.N.2, with the client's files and processes
	local near=tp${LAB_ID}r$1 far=tp${LAB_ID}c$1 role=client$1 fd
	exec {fd}> >(
		for f in "${life[@]}" "${lock_fd[@]}"; do exec {f}>&-; done
		# shellcheck disable=SC2016 # another shell's
		exec setpriv --pdeathsig KILL unshare --net "$BASH" -p -c 'echo up >&"$0" && eval "exec $0>&-" && read -r _' "$up_fd" 3>&-
	)
	pid[$role]=$! life[$role]=$fd
	read -r -t 15 -u "$up_fd" _ || fail 1 "the network of $role did not come up in 15 s; see the lines above"
	try on client ip link add "$near" type veth peer name "$far" netns "${pid[$role]}"
	try on client ethtool -K "$near" tso off gso off gro off
	try on "$role" ethtool -K "$far" tso off gso off gro off
	try on client ip addr add "10.203.$1.1/24" dev "$near"
	try on client ip link set "$near" up
	try on "$role" ip link set lo up
	try on "$role" ip addr add "10.203.$1.2/24" dev "$far"
	try on "$role" ip link set "$far" up
	try on "$role" ip route add default via "10.203.$1.1"
	try on server ip route add "10.203.$1.0/24" via "${addr[client]}"
	say host "$role" "${pid[$role]}" "10.203.$1.2" "$far"
}
[ "${LAB_CLIENTS:-1}" = 1 ] || try nsenter --net="/proc/${pid[client]}/ns/net" --mount="/proc/${pid[client]}/ns/mnt" -- \
	sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
for ((client_n = 2; client_n <= ${LAB_CLIENTS:-1}; client_n++)); do more_client "$client_n"; done
say link "$LAB_LINK" "${wire-}"
say up
exec 3>&-
# If the link goes away, the lab ends.
[ -z "${wire-}" ] || { wait "$wire"; exit 1; }
while :; do nap 86400; done
