#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: how many users a server holds: sessions added until the user in front is late, what is full then, and what the model foretells
# minutes: 60 (--quick: 8)
# needs: two CPUs, a display protocol
# wrong if: a resource is named that is not busy at that number of users; users of one kind fare very differently before it; a forecast far off without a reason
#
# In every repeat sessions are added, one by one at first and then twice as many each time, but no more than fill the CPU; each with an application and a
# user who types at random times; the first user is watched closely. Where a criterion no longer holds, or nobody can be added, the number of sessions
# is halved in until the most for which it does is known.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=capacity
EXPERIMENT_SAYS="How many users fit on a server before one of them is late, what is full then, and could it have been foretold?"
RATE=10 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/sessions.sh"
PROTOCOL_LIST=vnc APPS=heavy COST_MS=10 SECONDS_EACH=20 MOST=64 TYPING=4 CRITERIA=p95:100ms,p95:150ms,apdex:0.85
EXP_AGAIN_PART=0	# a search is not done again: its steps that were disturbed say so
SYSTEMS=() ABSENT=()
WARM_SECONDS=1.5	# users type for so long before the one in front is measured
SKIP=5			# first keys left out

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--app A,...] [--cost C] [--criteria C,...] [--most N] [--typing R] [--seconds S]
         [--repeat R] [--quick] [--seed N] [--link RATE[,DELAY[,JITTER[,LOSS%]]]] [--queue TIME] [--resume RUN] [-o DIR]
         [--on lab | ssh:SERVER,CLIENT]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols ($PROTOCOL_LIST)
  --app A,...       light: vim in an xterm; heavy: an editor that computes --cost for each redraw ($APPS)
  --cost C          that cost (${COST_MS}ms)
  --criteria C,...  what has to hold for the user in front: p95:TIME, no more than 5 % of the keys later than that; apdex:SCORE, at least that, with
                    T = $THRESHOLD_MS ms ($CRITERIA)
  --most N          no more sessions than this ($MOST)
  --typing R        keys a second of every other user, at random times ($TYPING); the user in front has $RATE
  --seconds S       measured at each number of users ($SECONDS_EACH)
  --repeat R        searches of each kind, interleaved in random order ($REPEATS)
  --quick           two searches, shorter, up to 32 sessions: a first idea
  --seed N          of the random order and of the keys' times ($SEED)
$(exp_usage_link)
$(exp_usage_memory)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
  --on WHERE        where the two hosts come from ($ON): lab, emulated on this machine, or ssh:SERVER,CLIENT, two machines
END
}

capacity_options() {
	local c app
	exp_parse "--quick QUICK" "--protocol PROTOCOL_LIST --app APPS --cost COST_MS --criteria CRITERIA --most MOST --typing TYPING --seconds SECONDS_EACH --repeat REPEATS
		--seed SEED --link LINK --queue QUEUE --on ON" "$@"
	COST_MS=${COST_MS%ms}
	if [ "$QUICK" = 1 ]; then
		exp_given --most || MOST=32
		exp_given --repeat || REPEATS=2
		exp_given --seconds || SECONDS_EACH=10
	fi
	if [ "$ON" != lab ]; then	# no link of ours
		! exp_given --link || exp_bad "--link with --on $ON: a real link is not shaped"
		LINK=none
	fi
	exp_resume
	exp_on
	[ "$ON_BACKEND" != attach ] || exp_bad "--on $ON: sessions are added here, and a server that is not ours starts none (--on lab, or ssh:SERVER,CLIENT)"
	exp_number --most "$MOST" 1 200
	exp_number --seconds "$SECONDS_EACH" 4 600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	exp_number --typing "$TYPING" 1 20
	[[ $COST_MS =~ ^[0-9]{1,4}(\.[0-9]+)?$ ]] || exp_bad "--cost $COST_MS: give milliseconds, such as 10ms"
	exp_list --app "$APPS"
	for app in ${APPS//,/ }; do case $app in light | heavy) ;; *) exp_bad "--app $app: light or heavy" ;; esac; done
	exp_list --criteria "$CRITERIA"
	for c in ${CRITERIA//,/ }; do
		[[ $c =~ ^(p95:[1-9][0-9]{0,4}ms|apdex:(0\.[0-9]{1,4}|1))$ ]] || exp_bad "--criteria $c: p95:TIME such as p95:100ms, or apdex:SCORE such as apdex:0.85"
	done
	exp_check_link
	exp_check_protocols
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	printf '%s\n' "${SYSTEMS[@]}" | jq -cRn --rawfile limits "$TP_HOME/data/limits.tsv" --arg on "$ON" --arg protocols "$PROTOCOL_LIST" --arg apps "$APPS" --arg criteria "$CRITERIA" --argjson most "$MOST" --argjson typing "$TYPING" \
		--argjson seconds "$SECONDS_EACH" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson quick "$QUICK" --argjson cost "$COST_MS" --arg link "$LINK" \
		--argjson rate "$RATE" --argjson threshold "$THRESHOLD_MS" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), apps: ($apps | split(",")), criteria: ($criteria | split(",")), most: $most,
		typing_per_s: $typing, rate_per_s: $rate, threshold_ms: $threshold, seconds: $seconds, cost_ms: $cost, link: $link,
		systems: [inputs | capture("^(?<protocol>.*)\\.(?<app>[a-z]+)$") | {system: "\(.protocol).\(.app)", protocol, app}], repeats: $repeats, seed: $seed, quick: ($quick == 1), on: $on,
		limits: ($limits | split("\n") | map(select(. != "") | split("\t")) | .[0] as $head | .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries | del(.schema) | .at_least |= tonumber))}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) APPS=\(.apps | join(",")) CRITERIA=\(.criteria | join(",")) MOST=\(.most | tostring) TYPING=\(.typing_per_s | tostring)
		SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) COST_MS=\(.cost_ms | tostring) LINK=\(.link | tostring)
		QUICK=\(if .quick then "1" else "0" end) ON=\(.on // "lab" | tostring)"' "$RESUME/run.json")"
}

choose_systems() {
	local protocol app
	[ "$ON_BACKEND" = ssh ] || exp_choose_protocols	# over there it is known when the hosts are up
	for protocol in ${PROTOCOL_LIST//,/ }; do for app in ${APPS//,/ }; do SYSTEMS+=("$protocol.$app"); done; done
}

exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		printf "%s $MOST $repeat\n" "${SYSTEMS[@]}" | shuffled "$((SEED * 1000 + repeat))"
	done
}
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() { echo "users of the ${2##*.} application over ${2%.*}"; }

# One number of users -------------------------------------------------------------------------------------------

# One row of a user: keys due while the one in front was measured, from due to answered; a key that was answered later than somebody waited counts with that.
user_row() {	# user_row USERS USER FILE FROM TO
	LC_ALL=C awk -F'\t' -v from="$4" -v to="$5" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["skipped"] != 1 && $at["due_ns"] - from >= 0 && to - $at["due_ns"] >= 0 {
			a = $at["answer_ns"] != "" ? $at["answer_ns"] : $at["censored_ns"]
			if (a != "") printf "%.6f\n", (a - $at["due_ns"]) / 1e6 }' "$3" | LC_ALL=C sort -g | LC_ALL=C awk -v users="$1" -v user="$2" -v t="$THRESHOLD_MS" '
		{ v[NR] = $1; sum += $1; s += $1 <= t; d += $1 > t && $1 <= 4 * t; late += $1 > t }
		function quantile(p,   h, i) { h = (NR - 1) * p; i = int(h); return i + 2 <= NR ? v[i + 1] + (h - i) * (v[i + 2] - v[i + 1]) : v[NR] }
		END {
			printf "capacity-user/1\t%d\t%d\t%d", users, user, NR
			if (NR) printf "\t%.3f\t%.3f\t%.3f\t%.3f\t%.4f\t%.3f\n", sum / NR, quantile(0.5), quantile(0.95), v[NR], (s + d / 2) / NR, 100 * late / NR
			else print "\t\t\t\t\t\t"
		}'
}

# Users type, the one in front is measured: rows in samples.tsv and machine.tsv, what it was in P95[N], MEAN[N], APDEX[N]. 1: STEP_WHY
step() {	# step SYSTEM N FOLDER SEED
	local n=$2 folder=$3 log=$3/log/$2 watch options go user pids=() probe='' status a b ca cb ra rb va vb foreign steal busy client from to keys mean p95 apdex
	STEP_WHY='' STEP_SAID='' STEP_AT=$n
	mkdir -p "$log"
	sessions "$1" "$n" || return
	STEP_AT=$n
	local LAB_LOG=$log
	! stopped || { STEP_WHY=interrupted; return 1; }
	watch=$(app_watch)
	[ "$PROTOCOL_WATCH" = patch ] || watch=update
	open_pipe go
	for ((user = 1; user <= n; user++)); do
		app_of "${1##*.}"
		APP_DISPLAY=${SESSION_DISPLAY[$user]}
		app_reset >/dev/null 2>&1 || { STEP_WHY="the application of user $user could not be made as it was"; break; }
		eval "options=(${SESSION_OPTIONS[$user]})"
		if [ "$user" = 1 ]; then
			lab_start -i "$go" -o "$log/user-1.tsv" client user-1 "$TP_BIN/keyrepeat" "${SESSION_TARGET[1]}" --rate "$RATE" -t "${SECONDS_EACH}s" --schedule jittered --seed "$4" --watch "$watch" \
				${options[@]+"${options[@]}"} --threshold "${THRESHOLD_MS}ms" --skip "$SKIP" --priority 20 --hold-start --log "$log/user-1.tsv" --format json
			probe=$LAB_PID
		else
			lab_start -o "$log/user-$user.tsv" client "user-$user" "$TP_BIN/keyrepeat" "${SESSION_TARGET[$user]}" --rate "$TYPING" -t 1d --schedule poisson --seed "$(($4 + user))" --watch "$watch" \
				${options[@]+"${options[@]}"} --skip 0 --priority 0 --log "$log/user-$user.tsv" --format json
			pids+=("$LAB_PID")
		fi
	done
	for ((user = 1; user <= n; user++)); do
		[ -z "$STEP_WHY" ] || break
		lab_ready "user-$user" 30 2>/dev/null || STEP_WHY="user $user did not connect: $(tail -n 1 "$log/user-$user.err")"
	done
	[ -n "$STEP_WHY" ] || [ "$n" = 1 ] || nap "$WARM_SECONDS"
	! stopped || STEP_WHY=interrupted
	if [ -z "$STEP_WHY" ]; then
		a=$(lab_cpu server) ca=$(lab_cpu client) ra=$(reading) va=$(client_reading)
		echo go >&"$go"
		lab_wait "$probe"
		status=$?
		b=$(lab_cpu server) cb=$(lab_cpu client) rb=$(reading) vb=$(client_reading)
		[ "$status" -le 128 ] || { lab_stop "$probe"; status=130; }
		case $status in 0 | 3) ;; 130) STEP_WHY=interrupted ;; *) STEP_WHY=$(tail -n 1 "$log/user-1.err") ;; esac
	else
		[ -z "$probe" ] || lab_stop "$probe"
	fi
	[ "${#pids[@]}" = 0 ] || lab_stop "${pids[@]}"
	exec {go}>&-
	[ "$STEP_WHY" = interrupted ] || sessions_live || return
	[ -z "$STEP_WHY" ] || return 1
	for ((user = 1; user <= n; user++)); do [ -s "$log/user-$user.tsv" ] || { STEP_WHY="user $user left no log"; return 1; }; done
	read -r from to < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["skipped"] != 1 { if (!n++) f = $at["due_ns"]; l = $at["due_ns"] } END { print f + 0 ? f : 0, l + 0 ? l : 0 }' "$log/user-1.tsv")
	for ((user = 1; user <= n; user++)); do
		user_row "$n" "$user" "$log/user-$user.tsv" "$from" "$to" >>"$folder/samples.tsv"
	done
	read -r foreign steal busy < <(exp_shares "$a" "$b" "$LAB_NCPU_server")
	read -r _ _ client < <(exp_shares "$ca" "$cb" "$LAB_NCPU_client")
	[ "$LAB_SHARED_CPUS" = 0 ] || client=''
	# keys that were due from the first to the last of the one in front, whose last one has its share of time, too
	read -r keys < <(LC_ALL=C awk -F'\t' -v n="$n" -v from="$from" -v to="$to" -v rate="$RATE" '$2 == n { k += $4 } END { printf "%.3f\n", k / ((to - from) / 1e9 + 1 / rate) }' "$folder/samples.tsv")
	OWN[n]=$(awk -v a="$a" -v b="$b" -v cpus="$LAB_NCPU_server" 'BEGIN { split(a, x, " "); split(b, y, " "); printf "%.3f", 100 * (y[4] - x[4]) / (y[1] - x[1]) / cpus }')
	LC_ALL=C awk -v n="$n" -v a="$ra" -v b="$rb" -v keys="$keys" -v busy="$busy" -v client="$client" -v foreign="$foreign" -v steal="$steal" -v own="${OWN[n]}" -v link="$(link_bits)" \
		-v waited="$(waited "$(cut -d' ' -f2 <<<"$ra")" "$(cut -d' ' -f2 <<<"$rb")")" -v viewers="$(waited "${va#* }" "${vb#* }")" -v va="$va" -v vb="$vb" -v shared="$LAB_SHARED_CPUS" '
		function grown(i) { return y[i] > x[i] ? y[i] - x[i] : 0 }
		BEGIN {
			split(a, x, " "); split(b, y, " "); s = y[1] - x[1]; most = grown(5) > grown(6) ? grown(5) : grown(6)
			printf "capacity-machine/1\t%d\t%s\t%s\t%s\t%s\t%s\t%.3f\t%.0f\t%.0f\t%s\t%s\t%.2f\t%.2f\t%s\t%s\n", n, keys, busy, client, foreign, steal, waited / 1e9 / s, y[3], grown(4) / s,
				(link > 0) ? sprintf("%.2f", 100 * most * 8 / s / link) : "", own, grown(7) / s, grown(8) / s,
				(shared == 1) ? "" : sprintf("%.3f", viewers / 1e9 / (vb - va)), (9 in y) ? sprintf("%.3f", grown(9) / 1e3 / s) : "" }' >>"$folder/machine.tsv"
	read -r mean p95 apdex < <(awk -F'\t' -v n="$n" '$2 == n && $3 == 1 { print $5, $7, $9 }' "$folder/samples.tsv")
	[ -n "$p95" ] || { STEP_WHY="no key of the user in front was answered"; return 1; }
	P95[n]=$p95 APDEX[n]=$apdex FOREIGN[n]=$foreign
	rm -rf "$log"
}

link_bits() {	# of the link's rate; 0: none
	LC_ALL=C awk -v r="$LAB_RATE" 'BEGIN { n = r + 0; print r ~ /[Gg]bit/ ? n * 1e9 : r ~ /[Mm]bit/ ? n * 1e6 : r ~ /[Kk]bit/ ? n * 1e3 : r ~ /bit/ ? n : 0 }'
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

forget() {	# forget N FOLDER: its rows
	local t
	for t in samples machine; do awk -F'\t' -v n="$1" 'NR == 1 || $2 != n' "$2/$t.tsv" >"$2/$t.less" && mv "$2/$t.less" "$2/$t.tsv"; done
}

# One number of users. A session that fails, and once more when it is tried again, is a limit as well, if it isn't the first.
measure() {	# measure SYSTEM N FOLDER SEED; 1: STEP_WHY
	local try kills
	for try in 0 250; do
		forget "$2" "$3"
		kills=$(lab_memory_kills)
		if step "$1" "$2" "$3" "$(($4 + try))"; then
			TRIED[$2]=1
			return 0
		fi
		! stopped && ! lab_lost >/dev/null && [ "$STEP_AT" -gt 1 ] || return 1
		kills=$(($(lab_memory_kills) - kills))
		if [ "$kills" -gt 0 ]; then
			STEP_WHY="the server's memory of $SERVER_MEMORY was full, and so was its swap, and the kernel ended $kills of its processes ($STEP_WHY)"
		else
			STEP_WHY+=${STEP_SAID:+: $STEP_SAID}
		fi
		sessions "$1" 0
		[ "$try" != 0 ] || TWICE=$((TWICE + 1))
	done
	forget "$2" "$3"
	TRIED[STEP_AT]=1 FAILED[STEP_AT]=${STEP_WHY//[$'\t\n']/ } LACKED[STEP_AT]=$(resource_of "$STEP_WHY" "$kills")
}

# As many again, but no more than what the sessions take of the CPU allows: one more.
more_users() {	# more_users N
	[ "$1" -ge 4 ] || { echo $(($1 + 1)); return; }
	awk -v n="$1" -v one="${OWN[1]}" -v now="${OWN[$1]:-100}" 'BEGIN {
		full = now > one ? 1 + (100 - one) / (now - one) * (n - 1) : 2 * n; full = int(full) + 1
		next_ = full < 2 * n ? full : 2 * n; print (next_ > n ? next_ : n + 1) }'
}

search() {	# search SYSTEM FOLDER SEED; 1: STEP_WHY
	local n=1 c all again=1 seed
	while :; do
		exp_step "$(exp_words "$MOST" "$1"): $n"
		measure "$1" "$n" "$2" "$(($3 * 1000 + n))" || return
		all=1
		for c in ${CRITERIA//,/ }; do bounds "$c"; [ "$BAD" != 0 ] || all=0; done
		[ "$all" = 0 ] && [ "$n" -lt "$MOST" ] || break
		n=$(more_users "$n")
		[ "$n" -le "$MOST" ] || n=$MOST
	done
	# The first number that is too many is measured once more: that must not be the work of another program's second. The second time counts, for
	# all criteria.
	while [ "$again" = 1 ]; do
		again=0
		for c in ${CRITERIA//,/ }; do
			while bounds "$c" && [ "$BAD" != 0 ]; do
				n=$(((GOOD + BAD) / 2)) seed=$(($3 * 1000 + n))
				if [ $((BAD - GOOD)) = 1 ]; then
					n=$BAD seed=$(($3 * 1000 + 500 + n))
					[ -z "${SURE[n]-}${FAILED[n]-}" ] || break
					SURE[n]=1 TWICE=$((TWICE + 1))
				fi
				again=1
				exp_step "$(exp_words "$MOST" "$1"), $c: $n"
				measure "$1" "$n" "$2" "$seed" || return
			done
		done
	done
}

exp_cell() {	# exp_cell SYSTEM MOST REPEAT FOLDER
	local folder=$4 reason='' STEP_WHY='' STEP_SAID='' STEP_AT=0 limits='' c n foreign=0 TWICE=0
	local -a TRIED=() P95=() APDEX=() OWN=() FOREIGN=() FAILED=() LACKED=() SURE=()
	mkdir -p "$folder/log"
	printf '%s\t' schema users user keys mean_ms p50_ms p95_ms max_ms apdex late_percent | sed 's/\t$/\n/' >"$folder/samples.tsv"
	printf '%s\t' schema users keys_per_s server_busy_percent client_busy_percent foreign_percent steal_percent waiting available_bytes swap_in_bytes_per_s link_percent own_percent \
		major_faults_per_s drops_per_s client_waiting memory_stall_ms_per_s | sed 's/\t$/\n/' >"$folder/machine.tsv"
	protocol_use "${1%.*}"
	LAB_LOG=$RUN/log
	sessions "$1" 0
	search "$1" "$folder" "$3" || reason=$STEP_WHY
	sessions "$1" 0
	if [ -z "$reason" ]; then
		for c in ${CRITERIA//,/ }; do
			bounds "$c"
			limits+="$c	$GOOD	$BAD	${LACKED[BAD]-}	${FAILED[BAD]-}"$'\n'
		done
	fi
	for n in "${!FOREIGN[@]}"; do foreign=$(awk -v a="$foreign" -v b="${FOREIGN[n]}" 'BEGIN { print (b > a) ? b : a }'); done
	jq -Rn --arg system "$1" --argjson most "$2" --argjson repeat "$3" --arg reason "$reason" --argjson foreign "$foreign" --argjson cpus "$LAB_NCPU_server" --argjson twice "$TWICE" --arg marked "$(exp_disturbed "$foreign" 0)" '
		[inputs | select(. != "") | split("\t") | {criterion: .[0], users: (.[1] | tonumber), reached: (.[2] != "0" and .[3] != "ssh connection"), beyond: (.[2] | tonumber), resource: .[3],
			ended: .[4]}] as $limits
		| {schema: "thinprobe.cell/1", parameters: {system: $system, most: $most}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: $foreign, steal_percent: null, server_cpus: $cpus, measured_twice: $twice, limits: $limits, marked: $marked}' <<<"$limits" | put_json "$folder/cell.json"
	[ -z "$reason" ] || warn "$(exp_words "$2" "$1"), repeat $3: $reason"
	[ -n "$reason" ] || [ "${#FAILED[@]}" != 0 ] || rm -rf "$folder/log"
}

missing_levers() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "so the viewers take from the server what users should have"
		if [ "$ON_BACKEND" = ssh ]; then
			echo "link rate and delay: a real link is left as it is, and how full it is is not known here; what its queue drops is"
			echo "more sessions than the connection carries commands: two for each (MaxSessions in the server's sshd_config; its default of 10 ends the search at four)"
			[ -z "$SERVER_MEMORY" ] || echo "server memory of $SERVER_MEMORY: not confined, it is the machine's own"
		fi
		lab_can client rt || echo "real-time priority for the user in front: not allowed here, so the tails hold its own delays too (as root it is)"
	} | jq -R . | jq -s .
}

capacity_options "$@"
choose_systems
exp_folder
APP_COST=${COST_MS}ms
export LAB_RUN=$RUN LAB_LOG=$RUN/log
lab_use "$ON_BACKEND" "$ON_ARGS"
exp_step "two hosts"
lab_up
[ "$ON_BACKEND" = local ] || exp_choose_protocols
LAB_NCPU_server=$(lab_exec server nproc) LAB_NCPU_client=$(lab_exec client nproc)
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(missing_levers)")"
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
link=$LINK
[ "$LINK" != none ] || link="not shaped"
echo "lab: server${LAB_AT_server-} on CPU $LAB_CPUS_server${LAB_MEMORY_GROUP:+ with $SERVER_MEMORY of memory and swap $LAB_SWAP_KIND}, client${LAB_AT_client-} on CPU $LAB_CPUS_client, link ${link/Mbit/ Mbit/s}"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
