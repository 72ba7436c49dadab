#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, section 5: the first key into an editor that was paged out, by how it was, by swap device, and protected
# minutes: 15 (with --quick 2)
# needs: two CPUs, VNC or Xvfb; root, memory groups and swap
# wrong if: a paged-out run takes no longer than one in memory on a device of 2.5 ms a read; a run counts as paged out without major faults
#
# A session waits for a key: an editor in a terminal. Runs in memory and runs after it was paged out alternate; that it was, is proven before
# the key (bin/pagein), or the run is no figure. Sessions are made anew for each protocol, swap device and kind of session; within one its
# methods come in random order. How sessions are made and paged out: paged.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, paged.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=paging
EXPERIMENT_SAYS="How late is the first key into an application that was paged out, and what protects it?"
THRESHOLD_MS=100 RATE=0
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/paged.sh"
PROTOCOL_LIST='' SWAPS=file,zram,slow:2.5ms METHODS=hog,busy,cgroup,madvise,damon SESSIONS=plain,private,locked,beside,low
RUNS=5 REPEATS=2 SERVER_MEMORY=256M EXP_AGAIN_PART=9
CELLS=()	# "CELL PROTOCOL SWAP SESSION METHOD", in the order of the table
ABSENT=()	# "WHAT<tab>WHY"

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--swap KIND,...] [--methods M,...] [--sessions S,...] [--private-copies]
         [--runs N] [--repeat R] [--server-memory SIZE] [--swap-size SIZE] [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols (vnc,x11, of these what can run here)
  --swap KIND,...   swap devices: file, zram, slow:DELAY (a file with that delay per read) ($SWAPS)
  --methods M,...   how a session is paged out ($METHODS): hog, another process fills the server's memory and
                    rests; busy, the same, and it goes on touching it; cgroup, the kernel is told to empty the session's memory group;
                    madvise, to page out the two processes; damon, it does so by itself
  --sessions S,...  kinds of sessions ($SESSIONS): plain; private, with copies of
                    application and libraries that nobody else maps; and protected: locked (mlock), beside (a memory group of
                    its own beside that of the hog), low (memory.low, cgroup v2)
  --private-copies  only sessions with private copies (--sessions private)
  --runs N          paged-out runs of each repeat, and as many in memory ($RUNS)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --server-memory SIZE  memory of the server ($SERVER_MEMORY)
  --swap-size SIZE  size of the swap device (twice the server's memory)
  --quick           the first protocol, three runs of few cells: a first idea
  --seed N          of the random order ($SEED)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

paging_options() {
	local item PRIVATE=0
	exp_parse "--quick QUICK --private-copies PRIVATE" "--protocol PROTOCOL_LIST --swap SWAPS --methods METHODS --sessions SESSIONS --runs RUNS --repeat REPEATS
		--seed SEED" "$@"
	if [ "$PRIVATE" = 1 ]; then
		! exp_given --sessions || exp_bad "--private-copies with --sessions: one of them"
		SESSIONS=private
	fi
	if [ "$QUICK" = 1 ]; then
		exp_given --runs || RUNS=3
		exp_given --repeat || REPEATS=1
	fi
	exp_resume
	exp_list --swap "$SWAPS"
	for item in ${SWAPS//,/ }; do
		[[ $item =~ ^(file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] || exp_bad "--swap $item: file, zram, or slow:DELAY such as slow:2.5ms"
	done
	exp_list --methods "$METHODS"
	for item in ${METHODS//,/ }; do case $item in hog | busy | cgroup | madvise | damon) ;; *) exp_bad "--methods $item: hog, busy, cgroup, madvise or damon" ;; esac; done
	exp_list --sessions "$SESSIONS"
	for item in ${SESSIONS//,/ }; do case $item in plain | private | locked | beside | low) ;; *) exp_bad "--sessions $item: plain, private, locked, beside or low" ;; esac; done
	exp_number --runs "$RUNS" 1 1000
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	[ -n "$SERVER_MEMORY" ] || exp_bad "--server-memory none: nothing is paged out of a server that has all of the machine's"
	exp_check_protocols
	[ "$EXP_ONLY" = 0 ] || exit 0
}

absent_json() {
	printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"} | jq -cRn '[inputs | select(. != "") | split("\t") | {what: .[0], why: .[1]}]'
}

exp_settings() {
	jq -cn --arg protocols "$PROTOCOL_LIST" --arg swaps "$SWAPS" --arg methods "$METHODS" --arg sessions "$SESSIONS" --argjson runs "$RUNS" --argjson repeats "$REPEATS" \
		--argjson seed "$SEED" --argjson quick "$QUICK" --argjson threshold "$THRESHOLD_MS" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), swaps: ($swaps | split(",")), methods: ($methods | split(",")), sessions: ($sessions | split(",")),
		cells: [], runs: $runs, repeats: $repeats, seed: $seed, quick: ($quick == 1), threshold_ms: $threshold, on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) SWAPS=\(.swaps | join(",")) METHODS=\(.methods | join(",")) SESSIONS=\(.sessions | join(","))
		RUNS=\(.runs | tostring) REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
	mapfile -t CELLS < <(jq -r '.settings.cells[] | "\(.cell) \(.protocol) \(.swap) \(.session) \(.method)"' "$RESUME/run.json")
}

# Cells: PROTOCOL.SWAP.SESSION.METHOD ------------------------------------------------------------------------------

# Which combinations are worth their time. Every method on an unchanged session; of private copies the hog, as in the paper, and the clean
# control. On the slow device, where it would be felt, also a hog that does not rest, and protected sessions under its pressure. What is asked
# for by name is measured everywhere; without that the first protocol has all of this, others its core.
wanted() {	# wanted PROTOCOL SWAP SESSION METHOD
	local where=other
	[ "$2" != "$FELT_ON" ] || where=felt
	case $3.$4 in
	plain.busy | locked.busy | beside.busy | low.busy) [ "$where" = felt ] ;;
	plain.*) [ "$where" = other ] || [[ $4 == hog || $4 == cgroup ]] || exp_given --methods ;;
	private.hog) [ "$where" = felt ] || exp_given --sessions || exp_given --private-copies ;;
	private.cgroup) [ "$2" = "${SWAPS%%,*}" ] || exp_given --sessions || exp_given --private-copies ;;
	*) false ;;
	esac || return 1
	exp_given --methods || exp_given --sessions || exp_given --private-copies || exp_given --swap && return
	if [ "$QUICK" = 1 ]; then
		case $where.$2.$3.$4 in other.file.plain.cgroup | other.file.plain.madvise | other.zram.plain.cgroup | felt.*.plain.busy | felt.*.plain.hog | felt.*.private.hog | felt.*.locked.busy) ;; *) return 1 ;; esac
	elif [ "$1" != "${PROTOCOL_LIST%%,*}" ]; then
		case $where.$2.$3.$4 in *.beside.* | other.*.private.* | other.zram.plain.madvise | other.zram.plain.damon | felt.*.plain.cgroup) return 1 ;; esac
	fi
}

choose_cells() {
	local protocol swap session method
	FELT_ON=${SWAPS##*,}
	for swap in ${SWAPS//,/ }; do [[ $swap != slow:* ]] || FELT_ON=$swap; done
	[ "${#CELLS[@]}" = 0 ] || return 0
	for protocol in ${PROTOCOL_LIST//,/ }; do
		for swap in ${SWAPS//,/ }; do
			! is_absent "swap on $swap" || continue
			for session in ${SESSIONS//,/ }; do
				! is_absent "session $session" || continue
				for method in ${METHODS//,/ }; do
					is_absent "method $method" || ! wanted "$protocol" "$swap" "$session" "$method" ||
						CELLS+=("$protocol.${swap/:/-}.$session.$method $protocol $swap $session $method")
				done
			done
		done
	done
	[ "${#CELLS[@]}" -gt 0 ] || die "none of what was asked for can be measured here: ${ABSENT[*]/$'\t'/: }"
	run_set '.settings.protocol = ($protocols | split(",")[0]) | .settings.protocols = ($protocols | split(",")) | .settings.cells = $cells' --arg protocols "$PROTOCOL_LIST" \
		--argjson cells "$(printf '%s\n' "${CELLS[@]}" | jq -cRn '[inputs | split(" ") | {cell: .[0], protocol: .[1], swap: .[2], session: .[3], method: .[4]}]')"
}

is_absent() {
	local item
	for item in ${ABSENT[@]+"${ABSENT[@]}"}; do [ "${item%%$'\t'*}" != "$1" ] || return 0; done
	return 1
}

# Within a repeat first the swap devices in random order, then on each the sessions, then their methods: each is made once for all of these.
exp_order() {
	local repeat swap group n=0
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for swap in $(printf '%s\n' "${CELLS[@]}" | awk '!seen[$3]++ { print $3 }' | shuffled "$((SEED * 1000 + repeat))"); do
			n=$((n + 1))
			for group in $(printf '%s\n' "${CELLS[@]}" | awk -v swap="$swap" '$3 == swap && !seen[$2 "." $4]++ { print $2 "." $4 }' | shuffled "$((SEED * 1000 + repeat + 7 * n))"); do
				n=$((n + 1))
				printf '%s\n' "${CELLS[@]}" | awk -v swap="$swap" -v group="$group" -v r="$repeat" '$3 == swap && $2 "." $4 == group { print $1, 0, r }' |
					shuffled "$((SEED * 1000 + repeat + 7 * n))"
			done
		done
	done
}
exp_cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$3"; }
exp_trains() { printf '%s\n' "$1/cell.json"; }

exp_words() {	# exp_words 0 CELL
	local protocol swap session method
	read -r _ protocol swap session method < <(printf '%s\n' "${CELLS[@]}" | grep -F -- "$2 ")
	echo "$protocol, swap on $swap, $session, $method"
}

exp_cell() {	# exp_cell CELL 0 REPEAT FOLDER
	local protocol swap session method reason='' before after status=0 LAB_LOG=$4/log
	read -r _ protocol swap session method < <(printf '%s\n' "${CELLS[@]}" | grep -F -- "$1 ")
	mkdir -p "$LAB_LOG"
	if session_begin "$protocol" "$swap" "$session" "$3"; then
		before=$(lab_cpu server)
		page_out "$method" "$4" "$RUNS" || reason=$LAB_WHY
		after=$(lab_cpu server)
	else
		reason="the session could not be made: $LAB_WHY"
	fi
	! stopped || reason=interrupted
	write_cell "$4" "$3" "$reason" "${before-}" "${after-}"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

# Reclaim, swapping and its device are the kernel's and the lab's own work, though no process of the server: what is foreign cannot be told from
# it. Stolen time can.
write_cell() {	# write_cell FOLDER REPEAT REASON BEFORE AFTER
	local steal=null marked=''
	if [ -z "$3" ]; then
		read -r _ steal _ < <(exp_shares "$4" "$5" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		! awk -v s="$steal" 'BEGIN { exit !(s > 3) }' || marked="stolen CPU time $steal %: over 3 %"
	fi
	jq -n --arg protocol "$protocol" --arg swap "$swap" --arg session "$session" --arg method "$method" --argjson repeat "$2" --arg reason "$3" --argjson steal "$steal" --arg marked "$marked" \
		'{schema: "thinprobe.cell/1", parameters: {protocol: $protocol, swap: $swap, session: $session, method: $method}, repeat: $repeat,
		state: (if $reason == "" then "complete" else "failed" end), reason: $reason, steal_percent: $steal, marked: $marked}' | put_json "$1/cell.json"
}

paging_options "$@"
[ -n "$RESUME" ] || exp_choose_protocols $'\t' "$QUICK"
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=none LAB_DELAY=''
LINK=none
LAB_SWAP=${SWAPS%%,*}	# the first; lab_swap exchanges it
lab_use local
exp_step "two hosts"
lab_up
find_levers
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(absent_json | jq 'map("\(.what): \(.why)")')")"
choose_cells
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server with $SERVER_MEMORY of memory, client on CPU $LAB_CPUS_client; ${#CELLS[@]} cells of $RUNS runs"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
stopped || timeline
session_end
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
