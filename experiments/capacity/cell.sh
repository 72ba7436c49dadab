# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - capacity: a cell is a search for the most users. Sessions are added, one by one at first and then twice as many each
# time, but no more than fill the CPU; each has an application and a user who types at random times; the first user is measured.
# Where no criterion holds any more, or nobody can be added, the number of sessions is halved until the most for which each holds
# is known.
. "$TP_HOME/experiments/engine/sessions.sh"
RATE=10
WARM_SECONDS=1.5	# users type for so long before the one in front is measured
SKIP=5			# first keys left out
PIN_EFFECT="so the viewers take from the server what users should have"
SAMPLES="schema users user keys mean_ms p50_ms p95_ms max_ms apdex late_percent"
MACHINE="schema users keys_per_s server_busy_percent client_busy_percent foreign_percent steal_percent waiting available_bytes"
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

exp_missing() {
	lab_lacks pin shape memory rt
}

exp_begin() {
	APP_COST=${COST_MS}ms
	LAB_NCPU_client=$(lab_exec client nproc)
}

# One number of users -------------------------------------------------------------------------------------------

# One row of a user: keys due while the one in front was measured, from due to answered; a key that was answered later than
# somebody waited counts with that.
user_row() {	# user_row USERS USER FILE FROM TO
	"$TP_BIN/score" "$3" --from "$4" --to "$5" --threshold "${THRESHOLD_MS}ms" --target "${THRESHOLD_MS}ms" --format tsv 2>/dev/null |
		LC_ALL=C awk -F'\t' -v OFS='\t' -v users="$1" -v user="$2" '
			{ sub(/^result\./, "", $2); v[$2] = $3 }
			END {
				late = v["perception.late_percent"]
				print "capacity-user/1", users, user, v["samples"] + 0, v["latency_ms.mean"], v["latency_ms.p50"],
					v["latency_ms.p95"], v["latency_ms.max"], v["apdex.score"], late == "" ? "" : sprintf("%.3f", late)
			}'
}

user_start() {	# user_start USER LOG SEED GO: sets LAB_PID; the user in front waits for GO
	local options=() how=(--rate "$TYPING" -t 1d --schedule poisson --seed "$(($3 + $1))" --warmup 0 --priority 0) watch go=()
	[ "$1" != 1 ] || how=(--rate "$RATE" -t "${SECONDS_EACH}s" --schedule jittered --seed "$3" --warmup "$SKIP"
		--threshold "${THRESHOLD_MS}ms" --priority 20 --hold-start) go=(-i "$4")
	watch=$(app_watch)
	[ "$PROTOCOL_WATCH" = patch ] || watch=update
	eval "options=(${SESSION_OPTIONS[$1]})"
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

# All users type, and the one in front is measured: BEFORE and AFTER, each what server and client did until then.
step_users() {	# step_users N LOG SEED; 1: STEP_WHY
	local go user pids=() LAB_WHY=''
	open_pipe go
	if users_start "$@" "$go"; then
		[ "$1" = 1 ] || nap "$WARM_SECONDS"
		BEFORE=("$(lab_cpu server)" "$(lab_cpu client)" "$(reading)" "$(client_reading)")
		echo go >&"$go"
		has_ended user-1 "$2" || STEP_WHY=$LAB_WHY
		AFTER=("$(lab_cpu server)" "$(lab_cpu client)" "$(reading)" "$(client_reading)")
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

# From BEFORE and AFTER: MACHINE_ROWS, OWN and FOREIGN of that number of users.
step_machine() {	# step_machine N KEYS_PER_S
	local foreign steal busy client
	read -r foreign steal busy < <(exp_shares "${BEFORE[0]}" "${AFTER[0]}" "$LAB_NCPU_server")
	read -r _ _ client < <(exp_shares "${BEFORE[1]}" "${AFTER[1]}" "$LAB_NCPU_client")
	[ "$LAB_SHARED_CPUS" = 0 ] || client=''
	FOREIGN[$1]=$foreign
	MACHINE_ROWS[$1]=$(LC_ALL=C awk -v OFS='\t' -v n="$1" -v keys="$2" -v a="${BEFORE[2]}" -v b="${AFTER[2]}" \
		-v va="${BEFORE[3]}" -v vb="${AFTER[3]}" -v ca="${BEFORE[0]}" -v cb="${AFTER[0]}" -v cpus="$LAB_NCPU_server" \
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
				as("%.2f", grown(8) / s), (shared == 1) ? "" : as("%.3f", viewers / 1e9 / (vb - va)),
				(9 in y) ? as("%.3f", grown(9) / 1e3 / s) : ""
		}')
	OWN[$1]=$(cut -f 12 <<<"${MACHINE_ROWS[$1]}")
}

# Its rows in SAMPLE_ROWS[N] and MACHINE_ROWS[N]; what the user in front had in P95[N], APDEX[N].
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
		$at["skipped"] != 1 { if (!n++) f = $at["due_ns"]; l = $at["due_ns"] } END { print n ? f : 0, n ? l : 0 }' "$log/user-1.tsv")
	SAMPLE_ROWS[n]=$(for ((user = 1; user <= n; user++)); do user_row "$n" "$user" "$log/user-$user.tsv" "$from" "$to"; done)
	# keys that were due from the first to the last of the one in front, whose last one has its share of time, too
	keys=$(LC_ALL=C awk -F'\t' -v from="$from" -v to="$to" -v rate="$RATE" '
		{ k += $4 } END { printf "%.3f\n", k / ((to - from) / 1e9 + 1 / rate) }' <<<"${SAMPLE_ROWS[n]}")
	step_machine "$n" "$keys"
	read -r "P95[n]" "APDEX[n]" < <(awk -F'\t' '$3 == 1 { print $7, $9 }' <<<"${SAMPLE_ROWS[n]}")
	[ -n "${P95[n]}" ] || { STEP_WHY="no key of the user in front was answered"; return 1; }
	rm -rf "$log"
}

# The search ----------------------------------------------------------------------------------------------------

holds() {	# holds CRITERION N
	[ -z "${FAILED[$2]-}" ] || return
	case $1 in
	p95:*) awk -v v="${P95[$2]}" -v t="${1#p95:}" 'BEGIN { exit !(v <= t + 0) }' ;;
	apdex:*) awk -v v="${APDEX[$2]}" -v t="${1#apdex:}" 'BEGIN { exit !(v >= t + 0) }' ;;
	esac
}

# The most users below the first for which it does not hold, and that one: GOOD (0: none), BAD (0: none).
bounds() {	# bounds CRITERION
	local n
	GOOD=0 BAD=0
	for n in "${!TRIED[@]}"; do	# ascending
		if holds "$1" "$n"; then GOOD=$n; else BAD=$n; return 0; fi
	done
}

# One number of users. A session that fails, and once more when it is tried again, is a limit as well, if it isn't the first.
measure() {	# measure N FOLDER SEED; 1: STEP_WHY
	local try kills
	for try in 0 250; do
		unset "SAMPLE_ROWS[$1]" "MACHINE_ROWS[$1]"
		kills=$(lab_memory_kills)
		if step "$1" "$2" "$(($3 + try))"; then
			TRIED[$1]=1
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
	TRIED[STEP_AT]=1 FAILED[STEP_AT]=${STEP_WHY//[$'\t\n']/ } LACKED[STEP_AT]=$(resource_of "$STEP_WHY" "$kills")
}

# As many again, but no more than what the sessions take of the CPU allows, and one more; at first one more, and MOST at most.
more_users() {	# more_users N
	awk -v n="$1" -v one="${OWN[1]}" -v now="${OWN[$1]:-100}" -v most="$MOST" 'BEGIN {
		more = now > one ? int(1 + (100 - one) / (now - one) * (n - 1)) + 1 : 2 * n
		if (more > 2 * n) more = 2 * n
		if (n < 4 || more <= n) more = n + 1
		print (more < most ? more : most) }'
}

search() {	# search FOLDER SEED; 1: STEP_WHY
	local n=1 c all again=1 seed
	while :; do
		exp_step "$(exp_words): $n"
		measure "$n" "$1" "$(($2 * 1000 + n))" || return
		all=1
		for c in ${CRITERIA//,/ }; do bounds "$c"; [ "$BAD" != 0 ] || all=0; done
		[ "$all" = 0 ] && [ "$n" -lt "$MOST" ] || break
		n=$(more_users "$n")
	done
	# The first number that is too many is measured once more: that must not be the work of another program's second. The second
	# time counts, for all criteria.
	while [ "$again" = 1 ]; do
		again=0
		for c in ${CRITERIA//,/ }; do
			while bounds "$c" && [ "$BAD" != 0 ]; do
				n=$(((GOOD + BAD) / 2)) seed=$(($2 * 1000 + n))
				if [ $((BAD - GOOD)) = 1 ]; then
					n=$BAD seed=$(($2 * 1000 + 500 + n))
					[ -z "${SURE[n]-}${FAILED[n]-}" ] || break
					SURE[n]=1 TWICE=$((TWICE + 1))
				fi
				again=1
				exp_step "$(exp_words), $c: $n"
				measure "$n" "$1" "$seed" || return
			done
		done
	done
}

search_limits() {	# what was found, as JSON
	local c
	for c in ${CRITERIA//,/ }; do
		bounds "$c"
		printf '%s\t%s\t%s\t%s\t%s\n' "$c" "$GOOD" "$BAD" "${LACKED[BAD]-}" "${FAILED[BAD]-}"
	done | jq -cRn '[inputs | split("\t") | {criterion: .[0], users: (.[1] | tonumber),
		reached: (.[2] != "0" and .[3] != "ssh connection"), beyond: (.[2] | tonumber), resource: .[3], ended: .[4]}]'
}

exp_measure() {
	local folder=$3 reason='' limits='[]' foreign STEP_WHY='' STEP_SAID='' STEP_AT=0 TWICE=0 GOOD BAD
	local -a TRIED=() P95=() APDEX=() OWN=() FOREIGN=() FAILED=() LACKED=() SURE=() SAMPLE_ROWS=() MACHINE_ROWS=()
	mkdir -p "$folder/log"
	protocol_use "${P[protocol]}"
	LAB_LOG=$RUN/log
	sessions 0
	search "$folder" "$2" || reason=$STEP_WHY
	sessions 0
	printf '%s\n' "${SAMPLES// /$'\t'}" "${SAMPLE_ROWS[@]}" >"$folder/samples.tsv"
	printf '%s\n' "${MACHINE// /$'\t'}" "${MACHINE_ROWS[@]}" >"$folder/machine.tsv"
	[ -n "$reason" ] || limits=$(search_limits)
	foreign=$(printf '%s\n' 0 "${FOREIGN[@]}" | LC_ALL=C sort -g | tail -n 1)
	cell_write "$folder" "$2" "$reason" "$(exp_disturbed "$foreign" 0)" "$(jq -cn --argjson most "$MOST" --argjson foreign "$foreign" \
		--argjson cpus "$LAB_NCPU_server" --argjson twice "$TWICE" --argjson limits "$limits" '
		{parameters: {$most}, foreign_percent: $foreign, steal_percent: null, server_cpus: $cpus, measured_twice: $twice, $limits}')"
	[ -n "$reason" ] || [ "${#FAILED[@]}" != 0 ] || rm -rf "$folder/log"
}
