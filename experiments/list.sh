#!/usr/bin/env bash
# list.sh - the experiments with what they reproduce, from the head of each driver; or the protocols that can run here.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

list_experiments() {
	local f stem
	printf '%-14s  %-8s  %s\n' experiment minutes 'what it shows'
	for f in "$TP_HOME"/experiments/*.sh; do
		stem=$(basename "$f" .sh)
		grep -q '^# figure: ' "$f" || continue
		printf '%-14s  %-8s  %s\n' "$stem" "$(sed -n 's/^# minutes: \([0-9]*\).*/\1/p' "$f")" "$(sed -n 's/^# figure: //p' "$f")"
	done
}

list_protocols() {
	local f name why
	printf '%-10s  %-4s  %s\n' protocol here what
	for f in "$TP_HOME"/lab/protocols/*.sh; do
		name=$(basename "$f" .sh)
		# each in a shell of its own: the plug-ins share their functions' names
		(
			. "$TP_HOME/lab/lib.sh"
			protocol_use "$name"
			if why=$(protocol_can); then
				printf '%-10s  %-4s  %s\n' "$name" yes "$(protocol_about)"
			else
				grep -q "^protocol:$name	" "$TP_HOME/packages" && why+=" (thinprobe setup --protocol $name)"
				printf '%-10s  %-4s  %s: %s\n' "$name" no "$(protocol_about)" "$why"
			fi
		)
	done
}

[ $# -le 1 ] || { echo "thinprobe: list: unexpected $2" >&2; exit 2; }
case ${1:-} in
'') list_experiments ;;
--protocols) list_protocols ;;
-h | --help) echo "usage: thinprobe list [--protocols]" ;;
*) echo "thinprobe: list: unexpected $1; try --protocols" >&2; exit 2 ;;
esac
