#!/usr/bin/env bash
# figure: how many users a server holds: sessions added until the user in front is late, what is full then, and what the model foretells
# minutes: 60 (--quick: 8)
# needs: two CPUs, a display protocol
# wrong if: a resource is named that is not busy at that number of users; users of one kind fare very differently before it; a forecast far off without a reason
#
# In every repeat sessions are added, one by one at first and then by halves, each with an application and a user who types at random times; the first
# user is watched closely. Where a criterion no longer holds, the number of sessions is halved in until the most for which it does is known.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=capacity
EXPERIMENT_SAYS="How many users fit on a server before one of them is late, what is full then, and could it have been foretold?"
RATE=10 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
PROTOCOL_LIST=vnc APPS=heavy COST_MS=10 SECONDS_EACH=20 MOST=64 TYPING=4 CRITERIA=p95:100ms,p95:150ms,apdex:0.85
EXP_AGAIN_PART=0	# a search is not done again: its steps that were disturbed say so
SYSTEMS=() ABSENT=()
WARM_SECONDS=1.5	# users type for so long before the one in front is measured
SKIP=5			# first keys left out

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--app A,...] [--cost C] [--criteria C,...] [--most N] [--typing R] [--seconds S]
         [--repeat R] [--quick] [--seed N] [--link RATE[,DELAY[,JITTER[,LOSS%]]]] [--queue TIME] [--resume RUN] [-o DIR] [--on lab]
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
  --on lab          where the server is: emulated on this machine
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
	exp_resume
	[ "$ON" = lab ] || exp_bad "--on $ON: sessions are added on the emulated server of this machine only (--on lab)"
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
	printf '%s\n' "${SYSTEMS[@]}" | jq -cRn --arg protocols "$PROTOCOL_LIST" --arg apps "$APPS" --arg criteria "$CRITERIA" --argjson most "$MOST" --argjson typing "$TYPING" \
		--argjson seconds "$SECONDS_EACH" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson quick "$QUICK" --argjson cost "$COST_MS" --arg link "$LINK" \
		--argjson rate "$RATE" --argjson threshold "$THRESHOLD_MS" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), apps: ($apps | split(",")), criteria: ($criteria | split(",")), most: $most,
		typing_per_s: $typing, rate_per_s: $rate, threshold_ms: $threshold, seconds: $seconds, cost_ms: $cost, link: $link,
		systems: [inputs | capture("^(?<protocol>.*)\\.(?<app>[a-z]+)$") | {system: "\(.protocol).\(.app)", protocol, app}], repeats: $repeats, seed: $seed, quick: ($quick == 1), on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) APPS=\(.apps | join(",")) CRITERIA=\(.criteria | join(",")) MOST=\(.most | tostring) TYPING=\(.typing_per_s | tostring)
		SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) COST_MS=\(.cost_ms | tostring) LINK=\(.link | tostring)
		QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
}

choose_systems() {
	local protocol app
	exp_choose_protocols
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

# Sessions ------------------------------------------------------------------------------------------------------

PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch
SESSIONS=0
declare -A SESSION_TARGET SESSION_DISPLAY SESSION_APP SESSION_OPTIONS

app_of() {	# the plug-in of an application: light is vim, heavy is refecho
	case $1 in light) app_use vim ;; heavy) app_use refecho ;; esac
}

# So many sessions, more or less than there are.
sessions() {	# sessions SYSTEM N
	local name
	while [ "$SESSIONS" -gt "$2" ]; do
		lab_stop "${SESSION_APP[$SESSIONS]}"
		protocol_stop "user-$SESSIONS"
		SESSIONS=$((SESSIONS - 1))
	done
	while [ "$SESSIONS" -lt "$2" ] && ! stopped; do
		name=user-$((SESSIONS + 1))
		app_of "${1##*.}"
		protocol_start "$name"
		app_start "$PROTOCOL_DISPLAY"
		SESSIONS=$((SESSIONS + 1))
		SESSION_TARGET[$SESSIONS]=$PROTOCOL_TARGET SESSION_DISPLAY[$SESSIONS]=$PROTOCOL_DISPLAY SESSION_APP[$SESSIONS]=$APP_PID SESSION_OPTIONS[$SESSIONS]="${PROTOCOL_OPTIONS[*]-}"
	done
}

# One number of users -------------------------------------------------------------------------------------------

# What the server waits, has and moves, in one line: ns waited for a CPU by all its processes, bytes free, bytes swapped in, bytes sent.
# shellcheck disable=SC2016
reading() {
	lab_exec server sh -c 'waited=$(cat /proc/[0-9]*/task/[0-9]*/schedstat 2>/dev/null | LC_ALL=C awk "{ w += \$2 } END { printf \"%.0f\", w }")
		free=$(LC_ALL=C awk "/^MemAvailable/ { printf \"%.0f\", \$2 * 1024 }" /proc/meminfo)
		swapped=$(LC_ALL=C awk "/^pswpin/ { printf \"%.0f\", \$2 * 4096 }" /proc/vmstat)
		sent=$(LC_ALL=C awk -v i="$1:" "{ sub(/:/, \": \") } \$1 == i { printf \"%.0f\", \$10 }" /proc/net/dev)
		echo "${waited:-0} ${free:-0} ${swapped:-0} ${sent:-0}"' sh "${LAB_IF_server:-lo}" </dev/null 2>/dev/null
}

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
	local n=$2 folder=$3 log=$3/log/$2 watch options go user pids=() probe='' status a b ca cb ra rb foreign steal busy client from to keys mean p95 apdex
	local LAB_LOG=$log
	STEP_WHY=''
	mkdir -p "$log"
	sessions "$1" "$n"
	! stopped || { STEP_WHY=interrupted; return 1; }
	watch=$(app_watch)
	[ "$PROTOCOL_WATCH" = patch ] || watch=update
	open_pipe go
	for ((user = 1; user <= n; user++)); do
		app_of "${1##*.}"
		APP_DISPLAY=${SESSION_DISPLAY[$user]}
		app_reset >/dev/null 2>&1 || { STEP_WHY="the application of user $user could not be made as it was"; break; }
		read -r -a options <<<"${SESSION_OPTIONS[$user]}"
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
		lab_ready "user-$user" 30 || STEP_WHY="user $user did not connect: $(tail -n 1 "$log/user-$user.err")"
	done
	[ -n "$STEP_WHY" ] || [ "$n" = 1 ] || nap "$WARM_SECONDS"
	! stopped || STEP_WHY=interrupted
	if [ -z "$STEP_WHY" ]; then
		a=$(lab_cpu server) ca=$(lab_cpu client) ra=$(reading)
		echo go >&"$go"
		lab_wait "$probe"
		status=$?
		b=$(lab_cpu server) cb=$(lab_cpu client) rb=$(reading)
		[ "$status" -le 128 ] || { lab_stop "$probe"; status=130; }
		case $status in 0 | 3) ;; 130) STEP_WHY=interrupted ;; *) STEP_WHY=$(tail -n 1 "$log/user-1.err") ;; esac
	else
		[ -z "$probe" ] || lab_stop "$probe"
	fi
	[ "${#pids[@]}" = 0 ] || lab_stop "${pids[@]}"
	exec {go}>&-
	[ -z "$STEP_WHY" ] || return 1
	read -r from to < <(awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["skipped"] != 1 { if (!n++) f = $at["due_ns"]; l = $at["due_ns"] } END { print f + 0 ? f : 0, l + 0 ? l : 0 }' "$log/user-1.tsv")
	for ((user = 1; user <= n; user++)); do
		[ -s "$log/user-$user.tsv" ] || { STEP_WHY="user $user left no log"; return 1; }
		user_row "$n" "$user" "$log/user-$user.tsv" "$from" "$to" >>"$folder/samples.tsv"
	done
	read -r foreign steal busy < <(exp_shares "$a" "$b" "$LAB_NCPU_server")
	read -r _ _ client < <(exp_shares "$ca" "$cb" "$LAB_NCPU_client")
	[ "$LAB_SHARED_CPUS" = 0 ] || client=''
	# keys that were due from the first to the last of the one in front, whose last one has its share of time, too
	read -r keys < <(LC_ALL=C awk -F'\t' -v n="$n" -v from="$from" -v to="$to" -v rate="$RATE" '$2 == n { k += $4 } END { printf "%.3f\n", k / ((to - from) / 1e9 + 1 / rate) }' "$folder/samples.tsv")
	LC_ALL=C awk -v n="$n" -v a="$ra" -v b="$rb" -v ns="$(($(cut -d' ' -f1 <<<"$b") - $(cut -d' ' -f1 <<<"$a")))" -v keys="$keys" -v busy="$busy" -v client="$client" -v foreign="$foreign" \
		-v steal="$steal" -v link="$(link_bits)" 'BEGIN {
			split(a, x, " "); split(b, y, " "); s = ns / 1e9
			printf "capacity-machine/1\t%d\t%s\t%s\t%s\t%s\t%s\t%.3f\t%.0f\t%.0f\t%s\n", n, keys, busy, client, foreign, steal, (y[1] - x[1]) / ns, y[2], (y[3] - x[3]) / s,
				(link > 0) ? sprintf("%.2f", 100 * (y[4] - x[4]) * 8 / s / link) : "" }' >>"$folder/machine.tsv"
	read -r mean p95 apdex < <(awk -F'\t' -v n="$n" '$2 == n && $3 == 1 { print $5, $7, $9 }' "$folder/samples.tsv")
	[ -n "$p95" ] || { STEP_WHY="no key of the user in front was answered"; return 1; }
	MEAN[n]=$mean P95[n]=$p95 APDEX[n]=$apdex KEYS[n]=$keys FOREIGN[n]=$foreign
	OWN[n]=$(awk -v b="$busy" -v f="$foreign" -v s="$steal" 'BEGIN { print b - f - s }')
	rm -rf "$log"
}

link_bits() {	# of the link's rate; 0: none
	LC_ALL=C awk -v r="$LAB_RATE" 'BEGIN { n = r + 0; print r ~ /[Gg]bit/ ? n * 1e9 : r ~ /[Mm]bit/ ? n * 1e6 : r ~ /[Kk]bit/ ? n * 1e3 : r ~ /bit/ ? n : 0 }'
}

# The search ----------------------------------------------------------------------------------------------------

holds() {	# holds CRITERION N
	case $1 in
	p95:*) awk -v v="${P95[$2]}" -v t="${1#p95:}" 'BEGIN { exit !(v <= t + 0) }' ;;
	apdex:*) awk -v v="${APDEX[$2]}" -v t="${1#apdex:}" 'BEGIN { exit !(v >= t + 0) }' ;;
	esac
}

# The most users below the first for which it does not hold, and that one: GOOD (0: none), BAD (0: none).
bounds() {	# bounds CRITERION
	local n
	GOOD=0 BAD=0
	for n in "${!P95[@]}"; do	# ascending
		if holds "$1" "$n"; then GOOD=$n; else BAD=$n; return; fi
	done
}

# One number of users; once more where it is the first for which something does not hold: that must not be the work of another program's second. The second try
# counts.
measure() {	# measure SYSTEM N FOLDER SEED; 1: STEP_WHY
	local c t new=0
	step "$@" || return
	for c in ${CRITERIA//,/ }; do
		bounds "$c"
		[ "$BAD" != "$2" ] || new=1
	done
	[ "$new" = 1 ] || return 0
	for t in samples machine; do awk -F'\t' -v n="$2" 'NR == 1 || $2 != n' "$3/$t.tsv" >"$3/$t.less" && mv "$3/$t.less" "$3/$t.tsv"; done
	TWICE=$((TWICE + 1))
	step "$1" "$2" "$3" "$(($4 + 500))"
}

search() {	# search SYSTEM FOLDER SEED; 1: STEP_WHY
	local n=1 c all
	while :; do
		exp_step "$(exp_words "$MOST" "$1"): $n"
		measure "$1" "$n" "$2" "$(($3 * 1000 + n))" || return
		all=1
		for c in ${CRITERIA//,/ }; do bounds "$c"; [ "$BAD" != 0 ] || all=0; done
		[ "$all" = 0 ] && [ "$n" -lt "$MOST" ] || break
		n=$((n < 4 ? n + 1 : n + n / 2))
		[ "$n" -le "$MOST" ] || n=$MOST
	done
	for c in ${CRITERIA//,/ }; do
		bounds "$c"
		while [ "$BAD" != 0 ] && [ $((BAD - GOOD)) -gt 1 ]; do
			n=$(((GOOD + BAD) / 2))
			exp_step "$(exp_words "$MOST" "$1"), $c: $n"
			measure "$1" "$n" "$2" "$(($3 * 1000 + n))" || return
			bounds "$c"
		done
	done
}

# What is full at so many users, in words; nothing: none of it.
full() {	# full N FOLDER
	awk -F'\t' -v n="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["users"] == n {
		if ($at["swap_in_bytes_per_s"] > 1048576) print "memory (it swaps)"
		else if ($at["server_busy_percent"] >= 90) print "CPU"
		else if ($at["link_percent"] != "" && $at["link_percent"] >= 90) print "link"
		else if ($at["client_busy_percent"] != "" && $at["client_busy_percent"] >= 90) print "the viewers"
		else if ($at["waiting"] >= 0.5) print "run queue"
		else print "nothing" }' "$2/machine.tsv" | tail -n 1
}

# The most users by the model, from the first third of the curve: demands from busy times and mean responses of an open stream (queue fit), a percentile by what it
# was of the mean there. Nothing: it tells none.
forecast() {	# forecast CRITERION FOLDER
	local n third ratio x
	case $1 in p95:*) ;; *) return 0 ;; esac
	third=$(((${#P95[@]} + 2) / 3))
	[ "$third" -ge 3 ] || third=3
	[ "${#P95[@]}" -ge "$third" ] || return 0
	{
		printf 'lambda\tr_ms\tu_cpu\n'
		for n in "${!P95[@]}"; do
			[ "$third" -gt 0 ] || break
			third=$((third - 1))
			awk -v k="${KEYS[n]}" -v r="${MEAN[n]}" -v u="${OWN[n]}" 'BEGIN { print k "\t" r "\t" (u > 100 ? 1 : u / 100) }'
			echo "${MEAN[n]} ${P95[n]}" >&3
		done
	} >"$2/first.tsv" 3>"$2/ratio.txt"
	ratio=$(awk '{ s += $2 / $1 } END { if (NR) print s / NR }' "$2/ratio.txt")
	rm -f "$2/ratio.txt"
	x=$(awk -v t="${1#p95:}" -v q="${ratio:-1}" 'BEGIN { printf "%.3fms", (t + 0) / q }')
	"$TP_BIN/queue" fit "$2/first.tsv" --threshold "$x" --format json -o "$2/fit.json" 2>"$2/fit.err" || return 0
	rm -f "$2/fit.err"
	jq -r --argjson front "$RATE" --argjson typing "$TYPING" '.result.threshold.rate | values | ((. - $front) / $typing + 1 | if . < 0 then 0 else . end) * 100 | round / 100' "$2/fit.json"
}

exp_cell() {	# exp_cell SYSTEM MOST REPEAT FOLDER
	local folder=$4 reason='' STEP_WHY='' limits='' c n foreign=0 TWICE=0
	local -a P95=() MEAN=() APDEX=() OWN=() KEYS=() FOREIGN=()
	mkdir -p "$folder/log"
	printf '%s\t' schema users user keys mean_ms p50_ms p95_ms max_ms apdex late_percent | sed 's/\t$/\n/' >"$folder/samples.tsv"
	printf '%s\t' schema users keys_per_s server_busy_percent client_busy_percent foreign_percent steal_percent waiting available_bytes swap_in_bytes_per_s link_percent |
		sed 's/\t$/\n/' >"$folder/machine.tsv"
	protocol_use "${1%.*}"
	LAB_LOG=$RUN/log sessions "$1" 0
	search "$1" "$folder" "$3" || reason=$STEP_WHY
	sessions "$1" 0
	if [ -z "$reason" ]; then
		for c in ${CRITERIA//,/ }; do
			bounds "$c"
			limits+="$c	$GOOD	$BAD	$([ "$BAD" = 0 ] || full "$BAD" "$folder")	$(forecast "$c" "$folder")"$'\n'
		done
	fi
	for n in "${!FOREIGN[@]}"; do foreign=$(awk -v a="$foreign" -v b="${FOREIGN[n]}" 'BEGIN { print (b > a) ? b : a }'); done
	jq -Rn --arg system "$1" --argjson most "$2" --argjson repeat "$3" --arg reason "$reason" --argjson foreign "$foreign" --argjson twice "$TWICE" --arg marked "$(exp_disturbed "$foreign" 0)" '
		[inputs | select(. != "") | split("\t") | {criterion: .[0], users: (.[1] | tonumber), reached: (.[2] != "0"), beyond: (.[2] | tonumber), limit: .[3],
			forecast: (.[4] | if . == "" then null else tonumber end)}] as $limits
		| {schema: "thinprobe.cell/1", parameters: {system: $system, most: $most}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: $foreign, steal_percent: null, measured_twice: $twice, limits: $limits, marked: $marked}' <<<"$limits" | put_json "$folder/cell.json"
	if [ -n "$reason" ]; then warn "$(exp_words "$2" "$1"), repeat $3: $reason"; else rm -rf "$folder/log"; fi
}

missing_levers() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "so the viewers take from the server what users should have"
		lab_can client rt || echo "real-time priority for the user in front: not allowed here, so the tails hold its own delays too (as root it is)"
	} | jq -R . | jq -s .
}

capacity_options "$@"
choose_systems
exp_folder
APP_COST=${COST_MS}ms
export LAB_RUN=$RUN LAB_LOG=$RUN/log
lab_use local
exp_step "two hosts"
lab_up
LAB_NCPU_server=$(lab_exec server nproc) LAB_NCPU_client=$(lab_exec client nproc)
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(missing_levers)")"
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server${LAB_MEMORY_GROUP:+ with $SERVER_MEMORY of memory and swap $LAB_SWAP_KIND}, client on CPU $LAB_CPUS_client, link ${LINK/Mbit/ Mbit/s}"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
