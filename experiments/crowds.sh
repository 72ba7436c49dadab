# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, the drivers and the lab
# crowds.sh - what the experiments with many users share: a cell is one number of users with one think time; vusers makes them, arrivals judges when
# their requests came, and queue says what a model would.
#
# A driver fills CELLS with "CELL PART USERS THINK_S", calls crowd_cells, and in its exp_cell: find_cell, crowd_run, crowd_model, crowd_write.
CELLS=()	# in the order of the tables
CROWD_THINK=uniform	# how think times vary
CROWD_LATE=5ms
EXP_AGAIN_PART=6

exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$3"; }
exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		printf '%s\n' ${CELLS[@]+"${CELLS[@]}"} | awk -v r="$repeat" 'NF { print $1, 0, r }' | shuffled "$((SEED * 1000 + repeat))"
	done
}

find_cell() { read -r part users think < <(printf '%s\n' "${CELLS[@]}" | awk -v cell="$1" '$1 == cell { print $2, $3, $4 }'); }

crowd_times() { LC_ALL=C awk "BEGIN { printf \"%.9g\", $1 }"; }

# The cells of a new run go into run.json; those of one that is resumed are read from there.
crowd_cells() {
	run_set '.settings.cells = $cells' --argjson cells "$(printf '%s\n' "${CELLS[@]}" | jq -cRn '[inputs | split(" ") | {cell: .[0], part: .[1], users: (.[2] | tonumber), think_s: (.[3] | tonumber)}]')"
}
crowd_read_cells() { mapfile -t CELLS < <(jq -r '.settings.cells[] | "\(.cell) \(.part) \(.users) \(.think_s)"' "$RESUME/run.json"); }

crowd_numbers() {	# crowd_numbers OPTION LIST MOST: whole numbers from 1 on
	local item
	exp_list "$1" "$2"
	for item in ${2//,/ }; do exp_number "$1" "$item" 1 "$3"; done
}
crowd_reals() {	# crowd_reals OPTION LIST: over 0
	local item
	exp_list "$1" "$2"
	for item in ${2//,/ }; do
		[[ $item =~ ^[0-9]{1,5}(\.[0-9]{1,9})?$ ]] && awk -v v="$item" 'BEGIN { exit !(v > 0) }' || exp_bad "$1 $item: a number over 0"
	done
}

# The users of one cell. What they did before it is steady is left out: until each has thought about twice.
crowd_run() {	# crowd_run FOLDER SEED TARGET WORD...: 1: LAB_WHY
	local folder=$1 seed=$2 target=$3 status=0 skip root=() from
	shift 3
	skip=$(crowd_times "$think * 2 + 1")
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); set -- "$@" --priority 10; }
	lab_start ${root[@]+"${root[@]}"} -o "$folder/samples.tsv" client vusers "$TP_BIN/vusers" "$target" -n "$users" -z "$(crowd_times "$think * 1000")ms" --think "$CROWD_THINK" -t "${SECONDS_EACH}s" \
		--skip "${skip}s" --seed "$seed" --late "$CROWD_LATE" --log "$folder/samples.tsv" --format json "$@"
	lab_ready vusers 60 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/vusers.err" | tail -n 1); return 1; }
	from=$EPOCHREALTIME
	until stopped || lab_gone "$LAB_PID" || awk -v a="$from" -v b="$EPOCHREALTIME" -v s="$skip" 'BEGIN { exit !(b - a >= s) }'; do nap 0.05; done
	CPU_BEFORE=$(lab_cpu server) CPU_FAR=$(lab_cpu client)
	lab_wait "$LAB_PID" || status=$?
	CPU_AFTER=$(lab_cpu server) CPU_FAR_AFTER=$(lab_cpu client)
	! stopped || { lab_stop_within 10 "$LAB_PID"; LAB_WHY=interrupted; return 1; }
	[ ! -s "$LAB_LOG/vusers.out" ] || mv "$LAB_LOG/vusers.out" "$folder/vusers.json"
	case $status in 0 | 3) ;; *) LAB_WHY=$(grep -vx ready "$LAB_LOG/vusers.err" | tail -n 1); return 1 ;; esac
	[ -s "$folder/vusers.json" ] || { LAB_WHY="the users left no report"; return 1; }
	# (one request in all, or none, is no stream of arrivals: the cell stays, without a verdict)
	"$TP_BIN/arrivals" "$folder/samples.tsv" --where measured=1 "${CROWD_ARRIVALS[@]+"${CROWD_ARRIVALS[@]}"}" --format json -o "$folder/arrivals.json" >/dev/null 2>"$LAB_LOG/arrivals.err" || :
}

# What a network of stations says of so many users: exact, and by Schweitzer's approximation.
crowd_model() {	# crowd_model FOLDER DEMAND,...
	"$TP_BIN/queue" mva --demand "$2" -n "$users" -z "$(crowd_times "$think * 1000")ms" --format json -o "$1/model.json" 2>"$LAB_LOG/queue.err" || warn "no model: $(tail -n 1 "$LAB_LOG/queue.err")"
}

crowd_write() {	# crowd_write FOLDER REPEAT REASON
	local foreign=null steal=null busy=null client=null marked='' why
	if [ -z "$3" ]; then
		read -r foreign steal busy < <(exp_shares "$CPU_BEFORE" "$CPU_AFTER" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		read -r _ _ client < <(exp_shares "$CPU_FAR" "$CPU_FAR_AFTER" "$(machine_cpu_list "$LAB_CPUS_client" | wc -w)")
		marked=$(exp_disturbed "$foreign" "$steal")
		why=$(jq -r '.result.why_invalid // empty' "$1/vusers.json")
		[ -z "$why" ] || marked+="${marked:+; }$why"
	fi
	jq -n --arg part "$part" --argjson users "$users" --argjson think "$think" --argjson repeat "$2" --arg reason "$3" --argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" \
		--argjson client "$client" --arg marked "$marked" '
		{schema: "thinprobe.cell/1", parameters: {part: $part, users: $users, think_s: $think}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: $foreign, steal_percent: $steal, server_busy_percent: $busy, client_busy_percent: $client, marked: $marked}' | put_json "$1/cell.json"
}

crowd_missing() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "so what the users' programs cost is in the server's times"
		lab_can client rt || echo "real-time priority for the users: not allowed here, so requests may leave late (as root it is)"
		[ ${#ABSENT[@]} = 0 ] || printf '%s\n' "${ABSENT[@]}"
	} | jq -R . | jq -s .
}
