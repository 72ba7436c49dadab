#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep_cell.sh ID... [--sweep DIR] [--on WHERE] - measures cells of a sweep, and puts each into its run folder whole or not at all.
#
# ID is RUN/CELL.REPEAT; several are of one run and repeat. They are measured in a run folder of their own, DIR/.parts/..., where
# the hosts come up once, and each cell folder is then renamed into the folder of the run. If two processes measure the same cell,
# the second finds the name in use, so no cell is there twice.
# A lock makes a pair of hosts measure one cell at a time, even if the engine that distributed the cells has died.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/lab/locks.sh"
TP_TOOL=thinprobe COMMAND=cell

# shellcheck disable=SC2317 # read_words calls it
usage() {
	cat <<'END'
usage: thinprobe cell ID... [--sweep DIR] [--on WHERE]
Measures cells of one run and repeat of a sweep, with one start of the hosts,
and keeps the complete cells. thinprobe sweep calls this command.
  ID           such as stalls/vnc-light-5.2; thinprobe sweep FILE --list
  --sweep DIR  folder of the sweep (the current one)
  --on WHERE   hosts: lab, or ssh:SERVER,CLIENT (those of the sweep)
Exit status: 0 all cells are measured, 1 or 3 some are not.
END
}

sweep=. on=${SWEEP_ON-}
read_words '' 'sweep on' "$@"
dir=$sweep
read -ra ids <<<"${words[*]-}"	# (GNU parallel hands over a line as one word)
[ "${#ids[@]}" -gt 0 ] || die -2 "cell: which? thinprobe sweep FILE --list names them"
[ -f "$dir/sweep" ] || die -2 "cell: $dir is no folder of a sweep; name it with --sweep DIR"
dir=$(cd -- "$dir" && pwd) || exit 1
need jq jq flock util-linux
run=$dir/${ids[0]%%/*} repeat=${ids[0]##*.}
cell_name() { local name=${1#*/}; printf '%s\n' "${name%.*}"; }	# cell_name ID
cell_there() { [ -f "$run/cells/$(cell_name "$1")/$repeat/cell.json" ]; }
left() {	# sets `missing`, the cells that are not there; 1: there is none
	local id
	missing=()
	for id in "${ids[@]}"; do cell_there "$id" || missing+=("$id"); done
	[ "${#missing[@]}" -gt 0 ]
}
for id in "${ids[@]}"; do
	[[ $id == */*.[1-9]*([0-9]) && $(cell_name "$id") != */* ]] &&
		jq -e --arg name "$(cell_name "$id")" --argjson repeat "${id##*.}" \
			'(.settings.repeats // 1) >= $repeat and any(.cells[]; .name == $name)' "$dir/${id%%/*}/run.json" >/dev/null 2>&1 ||
		die -2 "cell $id: no cell of this sweep; thinprobe sweep --resume $(printf %q "$dir") --list names them"
	[ "$dir/${id%%/*} ${id##*.}" = "$run $repeat" ] || die -2 "cell $id: of another run or repeat than ${ids[0]}"
done
left || exit 0
experiment=$(jq -r .experiment "$run/run.json")
planned=$(jq -r .settings.on "$run/run.json")
: "${on:=$planned}"
kind_of() { if [ "$1" = lab ]; then echo emulated; else echo real; fi; }	# (a host may also be without "ssh:")
[ "$(kind_of "$on")" = "$(kind_of "$planned")" ] ||
	die -2 "--on $on: this sweep was planned for $(kind_of "$planned") hosts; begin a new one for others"
alive=${SWEEP_ALIVE-}
unset SWEEP_ON SWEEP_PAIRS SWEEP_ALIVE

# If this script is killed, its driver is told to stop, and undoes its changes.
# shellcheck disable=SC2317 # the trap calls it
cell_stopped() { [ -z "${driver-}" ] || kill "$driver" 2>/dev/null; stop=130; }
trap cell_stopped INT TERM HUP
stop=''
if [ -n "$alive" ]; then	# ends when the sweep does
	setpriv --pdeathsig KILL bash -c '[ "$PPID" = "$1" ] && { read -r _ <"$0"; kill "$1"; }' "$alive" $$ 2>/dev/null \
		</dev/null &
	watcher=$!
	disown
	# shellcheck disable=SC2317 # on_exit calls it
	unwatch() { kill "$watcher" 2>/dev/null; }
	on_exit unwatch
fi

locks=${LAB_LOCKS:-/tmp/thinprobe-locks} waits=0
until locks_take "$locks/pair-$(sha256sum <<<"$on" | cut -c1-16)" "$waits"; do
	[ $? = 1 ] || die "cannot lock the hosts: $locks cannot be written"
	[ "$waits" = 1 ] || warn "cell ${ids[*]}: the hosts ($on) measure another cell; waiting"
	[ -z "$stop" ] || exit 130
	waits=1
done
# shellcheck disable=SC2317 # on_exit calls it
let_go() { exec {LOCK}<&-; locks_tidy "$locks" >/dev/null; }
on_exit let_go
left || exit 0

mkdir -p "$dir/.parts" "$dir/log" "$dir/pairs" && part=$(mktemp -d "$dir/.parts/XXXXXXXX") || die "cannot write to $dir"
pair_lock=$LOCK
lock_folder "$part" || die "$LOCKS_WHY"	# the sweep removes parts that are not locked
held=$LOCK LOCK=$pair_lock
mkdir "$part/run" || die "cannot write to $part"
log=$dir/log/${missing[0]//\//_}.log
mapfile -t names < <(for id in "${missing[@]}"; do cell_name "$id"; done)
jq --arg on "$on" '.cells |= map(select(.name | IN($ARGS.positional[]))) | .settings.on = $on | .state = "running"
	| .measured_s |= (values | 0)' --args "${names[@]}" <"$run/run.json" >"$part/run/run.json" || die "cannot write to $part"
now_s
begun=$NOW_S
pair=$on
[ "$on" != lab ] || pair=lab-$(uname -n)	# the file system may be shared
EXP_PAIR=$dir/pairs/${pair//[!A-Za-z0-9@:,._-]/-}.json EXP_SWEEP=$repeat setpriv --pdeathsig TERM \
	"$TP_HOME/experiments/engine/run.sh" "$experiment" --resume "$part/run" </dev/null >"$log" 2>&1 {LOCK}<&- {held}<&- &
driver=$!
until wait "$driver"; status=$?; [ -z "$stop" ] || ! kill -0 "$driver" 2>/dev/null; do
	[ "$status" -gt 128 ] && kill -0 "$driver" 2>/dev/null || break
done

# Moves a complete cell into its run folder; of the time that the hosts were up each cell has its part. Another process may have
# been faster.
cell_keep() {	# cell_keep ID
	local name from
	name=$(cell_name "$1") from=$part/run/cells/$name/$repeat
	! cell_there "$1" || return 0
	jq -e '.state == "complete"' "$from/cell.json" >/dev/null 2>&1 &&
		jq --arg on "$on" --arg host "$(uname -n)" --argjson seconds "$(((NOW_S - begun) / ${#missing[@]}))" \
			--arg figure "$(awk -F'\t' -v name="$name" '$1 == name { figure = $2 } END { print figure }' "$part/run/log/figures.tsv")" \
			'. + {sweep: {$on, from: $host, $seconds, $figure}}' "$from/cell.json" >"$part/cell.json" &&
		mv "$part/cell.json" "$from/cell.json" && mkdir -p "$run/cells/$name" "$run/parts" &&
		jq --arg name "$name" --argjson n "${#missing[@]}" '.cells |= map(select(.name == $name)) | .measured_s |= (values | . / $n)' \
			"$part/run/run.json" >"$part/facts.json" && sync -f "$part" 2>/dev/null &&
		# what a sweep is summed up from is there before the cell
		mv "$part/facts.json" "$run/parts/$name.$repeat.json" &&
		mv -T "$from" "$run/cells/$name/$repeat" 2>/dev/null || { cell_there "$1"; return; }
	kept=1
}
kept=0
now_s
for id in "${missing[@]}"; do cell_keep "$id" || [ "$status" != 0 ] || status=1; done
# What the experiment keeps of its sessions: a session of several cells is there once for each of them.
[ "$kept" = 0 ] || for file in "$part/run"/*/*; do
	[[ $file != "$part/run"/@(cells|log)/* ]] || continue
	to=$run${file#"$part/run"}
	mkdir -p "${to%/*}"
	until ln "$file" "$to" 2>/dev/null || [ ! -e "$to" ]; do to=${to%.*}-again.${to##*.}; done
done
[ "$status" = 0 ] || warn "cell ${missing[*]} on $on: $(grep -v '^$' "$log" | tail -n 1) (see $log)"
rm -rf "$part"
exit "${stop:-$status}"
