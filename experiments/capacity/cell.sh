# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - capacity: a cell is a search for the largest number of users. Sessions are added, first one by one, then twice as many
# each time, but not more than fill the CPU; each has an application and a user who types at random times. The criteria apply to the
# user in front. When no criterion holds any more, or no session can be added, the search bisects. Both numbers at the limit, the
# largest for which a criterion holds and the next one, are measured until two of at most three measurements agree. Then it bisects
# for the largest number with which the slowest user, too, meets the criterion.
. "$TP_HOME/experiments/families/sessions.sh"
RATE=10
WARM_SECONDS=1.5	# users type for so long before the user in front is measured
SKIP=5			# excluded first keys
SAMPLES="schema users user keys mean_ms p50_ms p95_ms max_ms apdex late_percent p95_from_ms apdex_to"
MACHINE="schema users keys_per_s server_busy_percent client_busy_percent foreign_percent steal_percent waiting available_bytes"
TRIED="schema users try p95_ms p95_from_ms apdex apdex_to all_p95_ms all_apdex own_percent ended resource"
MACHINE+=" swap_in_bytes_per_s link_percent own_percent major_faults_per_s drops_per_s client_waiting memory_stall_ms_per_s"

exp_check() {
	local c ITEM all=''
	for c in ${CRITERIA//,/ }; do
		case $c in
		p95:threshold) c=p95:${THRESHOLD_MS}ms ;;
		p95:*[!0-9]) plan_threshold --criteria\ p95: 1..60000 "${c#p95:}" && c=p95:${ITEM}ms ;;
		*)
			[[ $c =~ ^apdex:(0\.[0-9]{1,4}|1)$ ]] ||
				exp_bad "--criteria $c: must be p95:TIME (p95:100ms) or apdex:SCORE (apdex:0.85)"
			;;
		esac
		[[ ,$all, == *",$c,"* ]] || all+=${all:+,}$c
	done
	CRITERIA=$all
}

# when a resource counts as full
exp_settings() { table_json "$TP_HOME/data/limits.tsv" | jq -c '{limits: map(del(.schema) | .at_least |= tonumber)}'; }

exp_words() { echo "users of the ${P[app]} application over ${P[protocol]}"; }

exp_begin() { APP_COST=${COST_MS}ms; }

# One number of users -------------------------------------------------------------------------------------------

# Prints one row of a user: latency from due time of the keys due while the user in front was measured; an unanswered key counts as
# a lower bound. For a range or a bound, p95_ms has the late end (empty if unknown), apdex the lower end, and p95_from_ms and
# apdex_to the other ends.
user_row() {	# user_row USERS USER FILE FROM TO
	"$TP_BIN/score" "$3" --from "$4" --to "$5" --threshold "${THRESHOLD_MS}ms" --target "${THRESHOLD_MS}ms" --tsv 2>/dev/null |
		LC_ALL=C awk -F'\t' -v OFS='\t' -v users="$1" -v user="$2" '
			NR == 1 { split($0, column) }
			NR == 2 { for (i = 1; i <= NF; i++) v[column[i]] = $i }
			function end(group, name, of,   k) {	# of a range, a lower bound or a number
				k = group ".range." name "." of
				if (k in v) return v[k] == "" ? "inf" : v[k]
				k = group ".above." name
				if (k in v) return of == "to" ? "inf" : v[k]
				return v[group "." name]
			}
			END {
				late = end("perception", "late_percent", "to")
				p95 = end("latency_ms", "p95", "to"); p95_from = end("latency_ms", "p95", "from")
				apdex = end("apdex", "score", "from"); apdex_to = end("apdex", "score", "to")
				print "capacity-user/1", users, user, v["samples"] + 0, v["latency_ms.mean"], v["latency_ms.p50"],
					p95 == "inf" ? "" : p95, v["latency_ms.max"], apdex, late == "" ? "" : sprintf("%.3f", late),
					p95_from == p95 ? "" : p95_from, apdex_to == apdex ? "" : apdex_to
			}'
}

user_start() {	# user_start USER LOG SEED GO: sets LAB_PID; the user in front waits for GO
	local options=() how=(--rate "$TYPING" -t 1d --schedule poisson --seed "$(($3 + $1))" --warmup 0 --priority 0) watch go=()
	[ "$1" != 1 ] || how=(--rate "$RATE" -t "${SECONDS_EACH}s" --schedule jittered --seed "$3" --warmup "$SKIP"
		--late "${THRESHOLD_MS}ms" --priority 20 --hold-start) go=(-i "$4")
	watch=$(app_watch)
	[ "$PROTOCOL_WATCH" = patch ] || watch=update
	unjoin options "${SESSION_OPTIONS[$1]}"
	lab_start "${go[@]}" -o "$2/user-$1.tsv" client "user-$1" "$TP_BIN/keyrepeat" "${SESSION_TARGET[$1]}" "${how[@]}" \
		--watch "$watch" "${options[@]}" --log "$2/user-$1.tsv" --format json
}

users_start() {	# users_start N LOG SEED GO: all of them, connected; 1: LAB_WHY
	local user
	for ((user = 1; user <= $1; user++)); do
		APP_DISPLAY=${SESSION_DISPLAY[$user]} LAB_WHY="cannot bring the application of user $user back to its first state"
		app_reset >/dev/null 2>&1 || return
		user_start "$user" "${@:2}"
		pids+=("$LAB_PID")
	done
	for ((user = 1; user <= $1; user++)); do is_ready "user-$user" 30 "user $user did not connect" 2>/dev/null || return; done
}

# All users type, and the user in front is measured. Sets BEFORE and AFTER, readings of the counters of server and client.
step_users() {	# step_users N LOG SEED; 1: STEP_WHY
	local go user pids=() LAB_WHY=''
	open_pipe go
	if users_start "$@" "$go"; then
		[ "$1" = 1 ] || nap "$WARM_SECONDS"
		BEFORE=("$(lab_cpu server)" "$(lab_cpu client)" "$(reading)" "$(client_reading)")
		echo go >&"$go"
		has_ended user-1 "$2" || STEP_WHY=$LAB_WHY
		AFTER=("$(lab_cpu server)" "$(lab_cpu client)" "$(reading)" "$(client_reading)")
		for ((user = 2; user <= $1; user++)); do	# who is gone has no late keys
			[ -n "$STEP_WHY" ] || ! lab_gone "${pids[user - 1]}" || STEP_WHY="user $user left: $(last_word "user-$user")"
		done
	else
		STEP_WHY=$LAB_WHY
	fi
	lab_stop "${pids[@]}"
	exec {go}>&-
	! stopped || STEP_WHY=interrupted
	[ "$STEP_WHY" = interrupted ] || sessions_live || return
	for ((user = 1; user <= $1; user++)); do
		[ -n "$STEP_WHY" ] || [ -s "$2/user-$user.tsv" ] || STEP_WHY="user $user left no log"
	done
	[ -z "$STEP_WHY" ]
}

# From BEFORE and AFTER: MACHINE_ROWS of that number of users.
step_machine() {	# step_machine N KEYS_PER_S
	local foreign steal busy client
	read -r foreign steal busy < <(exp_shares "${BEFORE[0]}" "${AFTER[0]}" "$LAB_NCPU_server")
	read -r _ _ client < <(exp_shares "${BEFORE[1]}" "${AFTER[1]}" "$LAB_NCPU_client")
	FOREIGN+=("$foreign $steal")
	[ "$foreign" != null ] || foreign='' steal='' busy=''
	[ "$LAB_SHARED_CPUS" = 0 ] && [ "$client" != null ] || client=''
	MACHINE_ROWS[$1]=$(LC_ALL=C awk -v OFS='\t' -v n="$1" -v keys="$2" -v a="${BEFORE[2]%% *} - ${BEFORE[2]#* * }" \
		-v b="${AFTER[2]%% *} - ${AFTER[2]#* * }" -v va="${BEFORE[3]%% *}" -v vb="${AFTER[3]%% *}" \
		-v ca="${BEFORE[0]}" -v cb="${AFTER[0]}" -v cpus="$LAB_NCPU_server" \
		-v busy="$busy" -v client="$client" -v foreign="$foreign" -v steal="$steal" \
		-v link="$(rate_bits "$LAB_RATE") $(rate_bits "$LAB_RATE" up)" \
		-v waited="$(waited "$(cut -d' ' -f2 <<<"${BEFORE[2]}")" "$(cut -d' ' -f2 <<<"${AFTER[2]}")")" \
		-v viewers="$(waited "${BEFORE[3]#* }" "${AFTER[3]#* }")" -v shared="$LAB_SHARED_CPUS" '
		function grown(i) { return y[i] > x[i] ? y[i] - x[i] : 0 }
		function as(f, v) { return sprintf(f, v) }
		BEGIN {
			split(a, x, " "); split(b, y, " "); split(link, bits, " "); s = y[1] - x[1]
			for (i = 1; i <= 2; i++) if (bits[i] > 0 && grown(4 + i) / bits[i] > most) most = grown(4 + i) / bits[i]
			split(ca, u, " "); split(cb, v, " "); own = as("%.3f", 100 * (v[4] - u[4]) / (v[1] - u[1]) / cpus)
			print "capacity-machine/1", n, keys, busy, client, foreign, steal, as("%.3f", waited / 1e9 / s), as("%.0f", y[3]),
				as("%.0f", grown(4) / s), (bits[1] > 0) ? as("%.2f", 100 * most * 8 / s) : "", own, as("%.2f", grown(7) / s),
				(x[8] == "-" || y[8] == "-") ? "" : as("%.2f", grown(8) / s),
				(shared == 1) ? "" : as("%.3f", viewers / 1e9 / (vb - va)),
				(9 in y) ? as("%.3f", grown(9) / 1e3 / s) : ""
		}')
}

# Sets SAMPLE_ROWS[N], MACHINE_ROWS[N], and FRONT: both ends of p95 and Apdex of the user in front.
step() {	# step N FOLDER SEED; 1: STEP_WHY
	local n=$1 log=$2/log/$1 user from to keys
	local -a BEFORE AFTER
	STEP_WHY='' STEP_SAID='' STEP_AT=$n
	mkdir -p "$log"
	sessions "$n" || return
	STEP_AT=$n
	local LAB_LOG=$log
	! stopped || { STEP_WHY=interrupted; return 1; }
	step_users "$n" "$log" "$3" || return
	read -r from to < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["skipped"] != 1 { if (!n++) f = $at["due_ns"]; l = $at["due_ns"] } END { print n ? f : 0, n ? l : 0 }' \
			"$log/user-1.tsv")
	SAMPLE_ROWS[n]=$(for ((user = 1; user <= n; user++)); do user_row "$n" "$user" "$log/user-$user.tsv" "$from" "$to"; done)
	# keys due from the first to the last key of the user in front, and one period after the last
	keys=$(LC_ALL=C awk -F'\t' -v from="$from" -v to="$to" -v rate="$RATE" '
		{ k += $4 } END { printf "%.3f\n", k / ((to - from) / 1e9 + 1 / rate) }' <<<"${SAMPLE_ROWS[n]}")
	step_machine "$n" "$keys"
	FRONT=$(awk -F'\t' -v OFS='\t' '$3 == 1 && ($7 $11) != "" {
		print $7 == "" ? "inf" : $7, $11 == "" ? $7 : $11, $9, $12 == "" ? $9 : $12 }' <<<"${SAMPLE_ROWS[n]}")
	[ -n "$FRONT" ] || { STEP_WHY="no key of the user in front was answered"; return 1; }
	rm -rf "$log"
}

# The search ----------------------------------------------------------------------------------------------------

# Prints the row of one measurement in tries.tsv, from FRONT, SAMPLE_ROWS and MACHINE_ROWS: the user in front, and the worst of the
# users who had a key due. Without FRONT: why no session could be added.
try_row() {	# try_row N
	if [ -z "$FRONT" ]; then
		printf 'capacity-try/1\t%s\t\t\t\t\t\t\t\t\t%s\t%s\n' "$STEP_AT" "${FAILED[STEP_AT]}" "${LACKED[STEP_AT]}"
		return
	fi
	LC_ALL=C awk -F'\t' -v OFS='\t' -v n="$1" -v try="${TRIES[$1]}" -v front="$FRONT" -v own="$(cut -f 12 <<<"${MACHINE_ROWS[$1]}")" '
		BEGIN { apdex = 1; split(front, f, "\t") }
		$4 > 0 { if ($7 == "" || $7 > p95) p95 = $7 == "" ? "inf" : $7; if ($9 + 0 < apdex) apdex = $9 + 0 }
		END { print "capacity-try/1", n, try, f[1] == "inf" ? "" : f[1], f[2], f[3], f[4], p95 == "inf" ? "" : p95, apdex, own,
			"", "" }' <<<"${SAMPLE_ROWS[$1]}"
}

# Keeps, for a number of users, the rows of the middle one of three measurements by p95 of the user in front; of two, the worse.
keep_middle() {	# keep_middle N
	local n=$1 try=${TRIES[$1]} middle
	TRY_ROWS[$n $try]=${SAMPLE_ROWS[n]} TRY_MACHINE[$n $try]=${MACHINE_ROWS[n]}
	TRY_LINES[n]+=$try$'\t'$FRONT$'\n'
	middle=$(sed '/^$/d; s/\tinf\t/\t1e99\t/' <<<"${TRY_LINES[n]}" | LC_ALL=C sort -t $'\t' -k 2,2g -k 1,1n |
		awk -v n="$try" 'NR == (n == 1 ? 1 : 2) { print $1 }')
	SAMPLE_ROWS[n]=${TRY_ROWS[$n $middle]} MACHINE_ROWS[n]=${TRY_MACHINE[$n $middle]}
}

# Measures one number of users. A session that fails twice is a limit, too, unless it is the first session.
measure() {	# measure N FOLDER SEED; 1: STEP_WHY
	local try kills
	for try in 0 250; do
		unset "SAMPLE_ROWS[$1]" "MACHINE_ROWS[$1]"
		kills=$(lab_memory_kills)
		if step "$1" "$2" "$(($3 + try))"; then
			return 0
		fi
		! stopped && ! lab_lost >/dev/null && [ "$STEP_AT" -gt 1 ] || return 1
		kills=$(($(lab_memory_kills) - kills))
		if [ "$kills" -gt 0 ]; then
			STEP_WHY="the server's memory of $SERVER_MEMORY was full, and so was its swap, and the kernel ended $kills of its"
			STEP_WHY+=" processes ($STEP_WHY)"
		else
			STEP_WHY+=${STEP_SAID:+: $STEP_SAID}
		fi
		sessions 0
		[ "$try" != 0 ] || TWICE=$((TWICE + 1))
	done
	unset "SAMPLE_ROWS[$1]" "MACHINE_ROWS[$1]"
	FAILED[STEP_AT]=${STEP_WHY//[$'\t\n']/ } LACKED[STEP_AT]=$(resource_of "$STEP_WHY" "$kills")
}

# Asks judge, which decides by all measurements so far: sets NEXT, the number of users to measure next, and LIMITS (JSON).
next_users() {	# next_users FOLDER; 1: all is known
	local said
	said=$("$TP_BIN/judge" "$1/tries.tsv" --criteria "$CRITERIA" --most "$MOST" --json) || [ $? = 3 ] ||
		die "judge failed on $1/tries.tsv (see above)"
	LIMITS=$(jq -c .result.limits <<<"$said") NEXT=$(jq -r '.result.next // 0' <<<"$said")
	[ "$NEXT" != 0 ]
}

search() {	# search FOLDER SEED; 1: STEP_WHY
	local NEXT FRONT late
	printf '%s\n' "${TRIED// /$'\t'}" >"$1/tries.tsv"
	while next_users "$1"; do
		exp_step "$(exp_words): $NEXT"
		FRONT=''
		measure "$NEXT" "$1" "$(($2 * 2000 + ${TRIES[NEXT]-0} * 500 + NEXT))" || return
		late="${FRONT%%$'\t'*} ms"
		exp_measured "$(exp_words)" "$NEXT users: ${FRONT:+95 % within ${late/inf ms/an unknown time}}${FAILED[STEP_AT]-}"
		[ -z "$FRONT" ] || TRIES[NEXT]=$((${TRIES[NEXT]-0} + 1))
		try_row "$NEXT" >>"$1/tries.tsv"
		[ -n "$FRONT" ] || continue	# no session could be added
		[ "${TRIES[NEXT]}" = 1 ] || TWICE=$((TWICE + 1))
		keep_middle "$NEXT"
	done
}

exp_measure() {
	local folder=$3 reason='' foreign steal STEP_WHY='' STEP_SAID='' STEP_AT=0 TWICE=0 LIMITS='[]'
	local -a TRIES=() FOREIGN=() FAILED=() LACKED=() SAMPLE_ROWS=() MACHINE_ROWS=() TRY_LINES=()
	local -A TRY_ROWS=() TRY_MACHINE=()
	mkdir -p "$folder/log"
	protocol_use "${P[protocol]}"
	LAB_LOG=$RUN/log
	sessions 0
	search "$folder" "$2" || reason=$STEP_WHY
	sessions 0
	printf '%s\n' "${SAMPLES// /$'\t'}" "${SAMPLE_ROWS[@]}" >"$folder/samples.tsv"
	printf '%s\n' "${MACHINE// /$'\t'}" "${MACHINE_ROWS[@]}" >"$folder/machine.tsv"
	[ -z "$reason" ] || LIMITS='[]'
	# of the step of which others, with the hypervisor, took most
	read -r foreign steal < <(printf '%s\n' '0 0' "${FOREIGN[@]}" | LC_ALL=C awk '$1 == "null" { none = 1 }
		$1 + $2 >= most { most = $1 + $2; row = $1 " " $2 } END { print none ? "null null" : row }')
	cell_write "$folder" "$2" "$reason" "$(exp_disturbed "$foreign" "${steal/null/0}")" "$(
		jq -cn --argjson most "$MOST" --argjson foreign "$foreign" --argjson steal "$steal" \
		--argjson cpus "$LAB_NCPU_server" --argjson twice "$TWICE" --argjson limits "$LIMITS" '
		{parameters: {$most}, foreign_percent: $foreign, steal_percent: $steal, server_cpus: $cpus, measured_twice: $twice, $limits}')"
	[ -n "$reason" ] || [ "${#FAILED[@]}" != 0 ] || rm -rf "$folder/log"
}
