# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# measure.sh - shared by cells: accounting of foreign CPU time, waiting for programs, and the reason why one failed.
#
# Hooks: docs/experiment-hooks.md.

exp_stop() { :; }
exp_ran() { :; }

cpu_begin() { CPU_BEFORE=("$(lab_cpu server)" "$(lab_cpu client)" "$(cpu_of_client)"); }
cpu_end() { CPU_AFTER=("$(lab_cpu server)" "$(lab_cpu client)" "$(cpu_of_client)"); }
# The client has some of the server's CPUs, not all.
lab_client_beside() {
	local cpu
	[ -n "$LAB_CPUS_client" ] && [ "$LAB_CPUS_client" != "$LAB_CPUS_server" ] || return
	for cpu in $(machine_cpu_list "$LAB_CPUS_client"); do
		[[ " $(machine_cpu_list "$LAB_CPUS_server") " == *" $cpu "* ]] || return
	done
}
# The client has CPUs of its own: what others take there disturbs only the probe.
lab_client_apart() { [ "${LAB_SHARED_CPUS:-0}" != 1 ] && ! lab_client_beside; }
# Prints what the client's processes have run, as an answer of lab_cpu, where it has some of the server's CPUs.
cpu_of_client() {
	local LAB_SHARED_CPUS=0 own
	! lab_client_beside || { read -ra own < <(lab_cpu client) && echo "${own[0]} ${own[3]} 0 0"; }
}

# Of a run in which swap or a disk of the lab's works for the session, in threads of the kernel: their CPU time is no interference.
# Where they cannot be seen, it is not known what others took.
exp_served() {
	LAB_SERVED=1
	lab_query server machine_servants >/dev/null || LAB_SERVED=unseen
}

exp_measure() {	# exp_measure CELL REPEAT FOLDER
	local reason='' LAB_LOG=$3/log LAB_WHY='' CELL_FLAGS='' CELL_MORE='{}' CPU_BEFORE=() CPU_AFTER=()
	local FOREIGN=null STEAL=null BUSY=null CLIENT_FOREIGN=null CLIENT_STEAL=null CLIENT_BUSY=null client=null others=0
	mkdir -p "$LAB_LOG"
	exp_run "$3" "$2" || reason=${LAB_WHY:-it could not be measured}
	exp_stop "$3" || reason=${reason:-$LAB_WHY}
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		if [ -n "${CPU_AFTER[0]+asked}" ] && [ "$ON_BACKEND" != attach ]; then
			read -r FOREIGN STEAL BUSY < <(exp_shares "${CPU_BEFORE[0]}" "${CPU_AFTER[0]}" "$LAB_NCPU_server")
			read -r CLIENT_FOREIGN CLIENT_STEAL CLIENT_BUSY < <(
				exp_shares "${CPU_BEFORE[1]}" "${CPU_AFTER[1]}" "$(machine_cpu_list "$LAB_CPUS_client" | wc -w)")
		fi
		[ -z "${CPU_AFTER[2]-}" ] ||
			read -r client _ < <(exp_shares "${CPU_BEFORE[2]}" "${CPU_AFTER[2]}" "$LAB_NCPU_server")
		exp_ran "$3"
		if [ "${LAB_SERVED-}" = unseen ]; then FOREIGN=null
		elif [ -n "${CPU_AFTER[0]+asked}" ] && [ "$ON_BACKEND" != attach ]; then others=$FOREIGN; fi
		lab_client_apart || CLIENT_FOREIGN=null CLIENT_STEAL=null
		CELL_FLAGS=$(exp_disturbed "$others" "${STEAL/null/0}" "${client/null/0}")$CELL_FLAGS
		rm -rf "$LAB_LOG"
	fi
	cell_write "$3" "$2" "$reason" "$CELL_FLAGS" "$(jq \
		-c '{foreign_percent: .[0], steal_percent: .[1], server_busy_percent: .[2],
		client_busy_percent: .[3], client_foreign_percent: .[4], client_steal_percent: .[5]}
		+ (.[6] | if . then {client_percent: .} else {} end) + .[7]' \
			<<<"[$FOREIGN, $STEAL, $BUSY, $CLIENT_BUSY, $CLIENT_FOREIGN, $CLIENT_STEAL, $client, $CELL_MORE]")"
}

# What is measured once for a pair of hosts -------------------------------------------------------------------------
#
# A sweep brings the lab up for each cell. What is the same in all cells of a pair of hosts is measured in the first of them, and
# kept in EXP_PAIR, a file of the sweep: {"WHAT": {facts, measured, value}}. Where the facts have changed since, it is stale.

# RUN_FACTS: what figures depend on, of a run.json; and in what such facts differ from older ones. A fact that is not known, now or
# then (a tool that took too long to say its version), has not changed, nor has memory by what a kernel keeps for itself.
RUN_FACTS='def facts: def lasting: {hostname, kernel, kernel_build, system, cpu, virtualisation, root, tools,
			memory: .memory.total_bytes, autogroup: .scheduler.autogroup};
		{version, server: (.host // {} | lasting), client: (.host.client // {} | lasting),
			lab: (.lab // {} | {rate, shared_cpus, rootless, capture})};
	def changed($old): def close: ([., $old] | all(type == "number" and . > 1e6)) and (. - $old | fabs) <= 0.02 * $old;
		if . == null or $old == null or close then empty
		elif type == "object" and ($old | type) == "object" then keys[] as $key | .[$key] | changed($old[$key]) | .what |= [$key] + .
		else select(. != $old) | {what: [], was: $old, is: .} end;'

pair_facts() {	# pair_facts PROTOCOL: prints what may not change, of the run
	jq -cS --arg protocol "$1" "$RUN_FACTS"' facts + {protocol: .protocols[$protocol]}' "$RUN/run.json"
}

pair_recall() {	# pair_recall WHAT PROTOCOL: prints the value; 1: there is none, or a stale one
	local kept stale
	kept=$(jq -c --arg what "$1" '.[$what] // empty' "${EXP_PAIR:-/dev/null}" 2>/dev/null) && [ -n "$kept" ] || return
	stale=$(jq -r --argjson facts "$(pair_facts "$2")" "$RUN_FACTS"'
		.facts as $old | [$facts | changed($old) | .what | join(".")] | join(", ")' <<<"$kept") && [ -z "$stale" ] ||
		{ warn "$1 is measured again; what it depends on has changed: ${stale:-all}"; return 1; }
	jq -c .value <<<"$kept"
}

pair_keep() {	# pair_keep WHAT PROTOCOL VALUE
	local kept
	[ -n "${EXP_PAIR-}" ] || return 0
	kept=$(jq -c objects "$EXP_PAIR" 2>/dev/null) || kept=''	# a new file, or a damaged one
	jq --arg what "$1" --argjson facts "$(pair_facts "$2")" --argjson value "$3" \
		'.[$what] = {$facts, measured: (now | todate), $value}' <<<"${kept:-{\}}" | put_json "$EXP_PAIR"
}

# Programs ------------------------------------------------------------------------------------------------------

last_word() { grep -vsx ready "$LAB_LOG/$1.err" | tail -n 1; }	# last_word NAME: last error message of this lab_start
no_report() {	# no_report WHAT NAME: why a program has none, in words
	local why
	why=$(last_word "$2")
	printf '%s\n' "the $1 left no report${why:+: $why}"
}

is_ready() {	# is_ready NAME SECONDS [WORDS]; 1: LAB_WHY
	lab_ready "$1" "$2" && return
	LAB_WHY=${3:+$3: }$(last_word "$1")
	return 1
}

# Prints the summary of the first of these programs that did not run for a time (stopped or suspended), or lost processes or rows of
# its log: such a repeat has failed.
held_up() {	# held_up REPORT...
	jq -r 'select(.result | .held_up_ms > 0 or .stopped == true or .children_died > 0 or .log_lost == true) | .summary' \
		"$@" 2>/dev/null | head -n 1
}

# Waits for the program's end, or ends it if the run is told to stop; its report becomes FOLDER/NAME.json. 1: LAB_WHY.
has_ended() {	# has_ended NAME FOLDER; sets STATUS (3: measured, but some was lost)
	STATUS=0 LAB_WHY=''
	lab_wait "${LAB_PID_OF[$1]}" || STATUS=$?
	[ "$STATUS" -le 128 ] || lab_stop "${LAB_PID_OF[$1]}"
	keep_report "$1" "$2"
	case $STATUS in
	0) return ;;
	3) LAB_WHY=$(held_up "$2/$1.json"); [ -z "$LAB_WHY" ]; return ;;
	esac
	LAB_WHY=$(last_word "$1")
	: "${LAB_WHY:=$1 ended with status $STATUS}"
	return 1
}
keep_report() { [ ! -s "$LAB_LOG/$1.out" ] || mv "$LAB_LOG/$1.out" "$2/$1.json"; }	# keep_report NAME FOLDER

# As lab_start, for a program that must see all processes of the server's machine: it runs outside of the emulated hosts, as our
# user; over ssh on the server, on another CPU than the session's, if it has one and no CPU is given. It dies with this shell.
outside_start() {	# outside_start [-i FD] [-o FILE]... NAME COMMAND...
	local OPTIND=1 opt files=() beside=() in=/dev/null
	while getopts i:o: opt; do
		files+=("-$opt" "$OPTARG")
		[ "$opt" = o ] || in=/dev/fd/$OPTARG
	done
	shift $((OPTIND - 1))
	if [ "$ON_BACKEND" = ssh ]; then
		[[ -z $LAB_CPUS_beside || " $* " == *" --cpus "* ]] || beside=(taskset -c "$LAB_CPUS_beside")
		lab_start -M - -G - "${files[@]}" server "$1" "${beside[@]}" "${@:2}"
		return
	fi
	: >"$LAB_LOG/$1.err"
	setpriv --pdeathsig KILL "${@:2}" <"$in" >"$LAB_LOG/$1.out" 2>"$LAB_LOG/$1.err" &
	LAB_PID=$! LAB_PID_OF[$1]=$!
}
outside_exec() {	# outside_exec COMMAND...: and waits for it
	if [ "$ON_BACKEND" = ssh ]; then lab_exec -M - server "$@" </dev/null; else setpriv --pdeathsig KILL "$@" </dev/null; fi
}

# Starts CPU hogs, in the scheduling group of the session; with -S, as another login. 1: LAB_WHY.
sinks_start() {	# sinks_start NUMBER [-S]
	lab_start "${@:2}" server sink "$TP_BIN/sink" -n "$1" --format json
	is_ready sink 30 "the load did not start"
}

# Starts a client that keeps the latest session connected. 1: LAB_WHY.
client_start() {	# client_start NAME
	lab_start client "$1" "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t 1d --watch update "${PROTOCOL_OPTIONS[@]}" \
		--format json
	is_ready "$1" 20
}

# Options and data ------------------------------------------------------------------------------------------------

check_swaps() {	# checks each of SWAPS; the lab starts with the first, and lab_swap exchanges it
	local item
	for item in ${SWAPS//,/ }; do
		[[ $item =~ ^(file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] ||
			exp_bad "--swap $item: must be file, zram or slow:DELAY such as slow:2.5ms"
	done
	SWAP=${SWAPS%%,*}
}

rate_bits() {	# rate_bits RATE|DOWN/UP [up]: in bit/s, 0 for none; DOWN goes to the client, UP comes from it
	local rate=${1%%/*}
	[ "${2-}" != up ] || rate=${1##*/}
	LC_ALL=C awk -v r="$rate" 'BEGIN { printf "%.0f", r * (r ~ /[Gg]bit/ ? 1e9 : r ~ /[Mm]bit/ ? 1e6 : r ~ /[Kk]bit/ ? 1e3 : 1) }'
}

table_json() {	# table_json FILE: a table as JSON, an object of strings for each row, keys from the first line
	jq -cRn '[inputs | select(startswith("#") | not) | split("\t")] | .[0] as $head
		| .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries)' "$1"
}
