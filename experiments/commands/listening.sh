# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# listening.sh - what `try` and `watch` share: their words and times, and the remote desktops that listen on this machine. Sourced,
# with TP_HOME and COMMAND.

TP_TOOL=thinprobe
. "$TP_HOME/experiments/engine/plan.sh"
PLAN[called]=$COMMAND RESUME=''

# listening_ports: prints "PORT TRY LOCAL WHAT" of each TCP port that somebody listens at and data/ports.tsv knows. TRY: what `try`
# calls it, or -. LOCAL: 1 where it is reached from this machine alone.
listening_ports() {
	local slot address state port try what from to schema
	local -A local_only=()
	while read -r slot address _ state _; do
		[[ $slot == *: && $state == 0A ]] || continue
		port=$((16#${address##*:}))
		case ${address%:*} in
		??????7F | 00000000000000000000000001000000 | 0000000000000000FFFF0000??????7F) : "${local_only[$port]:=1}" ;;
		*) local_only[$port]=0 ;;
		esac
	done < <(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
	for port in "${!local_only[@]}"; do
		while IFS=$'\t' read -r schema _ from to try what _; do
			[ "$schema" = ports/1 ] && ((port >= from && port <= to)) || continue
			printf '%s %s %s %s\n' "$port" "$try" "${local_only[$port]}" "$what"
		done <"$TP_HOME/data/ports.tsv"
	done | sort -n
}
