# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# crowds.sh - for experiments with many users: vusers simulates them, arrivals tests the times of their requests, and queue computes
# what a queueing model predicts.
#
# A cell has the axes part, users and think_s. exp_run calls crowd_run and crowd_model. SPREAD: how think
# times vary.
CROWD_LATE=5ms CROWD_ARRIVALS=()
CROWD_PIDS=()	# files with the pids of the server's programs that are measured separately
CROWD_OPEN=''	# 1: open loop: the users' connections carry users / think time requests a second at random

crowd_check() {
	case ${ON_BACKEND-}:$CLIENTS in
	*:) ;;
	local:*)
		[[ $CLIENTS =~ ^[1-9][0-9]?$ && $CLIENTS -le 64 ]] ||
			exp_bad "--clients $CLIENTS: must be a whole number from 1 to 64"
		;;
	ssh:*) [[ $CLIENTS =~ ^[^,-][^,]*(,[^,-][^,]*)*$ ]] || exp_bad "--clients $CLIENTS: must be HOST,... as ssh knows them" ;;
	*) exp_bad "--clients: load comes from the emulated lab or over ssh" ;;
	esac
}

crowd_begin() {
	lab_can client rt ||
		ABSENT+=("real-time priority for the users: not allowed here, so requests may leave late (as root it is)")
}

exp_words() {
	echo "${P[users]} user$([ "${P[users]}" = 1 ] && echo " who thinks" || echo "s who think") for ${P[think_s]} s"
}

crowd_times() { LC_ALL=C awk "BEGIN { printf \"%.9g\", $1 }"; }

# How long the server's CPUs have been in interrupts and what follows them, in ns (from the kernel's ticks): mostly packets.
# Kept apart, since no process of the lab is charged with them, and neither is anybody else: unlike other foreign time they
# grow with the lab's own traffic.
crowd_interrupts() {
	lab_query server cat /proc/stat | LC_ALL=C awk -v cpus="$(machine_cpu_list "$LAB_CPUS_server" | tr '\n' ' ')" '
		BEGIN { n = split(cpus, c, " "); for (i = 1; i <= n; i++) ours["cpu" c[i]] = 1 }
		$1 in ours { sum += $7 + $8; seen = 1 } END { if (seen) printf "%.0f\n", sum * 1e7 }' | whole_numbers
}

# When it is (ns), and the bytes of frames that the server has sent and received; then of each of CROWD_PIDS the CPU time (ns) and
# the bytes that it has written (by write, not by send). As root: each program has a user namespace of its own, and no other is
# told what it has written.
crowd_moved() {
	local frames programs=''
	frames=$(lab_exec server cat /proc/net/dev </dev/null 2>/dev/null |
		LC_ALL=C awk -v i="${LAB_IF_server:-lo}" '{ sub(/:/, " ") } $1 == i { printf "%.0f %.0f", $10, $2 }')
	[ "${#CROWD_PIDS[@]}" = 0 ] || programs=$(lab_exec -R server sh -c 'for file; do
		read -r pid <"$file" && read -r cpu rest <"/proc/$pid/schedstat"
		written=$(sed -n "s/^wchar: //p" "/proc/$pid/io")
		echo "${cpu:-null} ${written:-null}"
	done' sh "${CROWD_PIDS[@]}" </dev/null 2>/dev/null)
	echo "${EPOCHREALTIME/[.,]/}000 ${frames:-null null} ${programs//$'\n'/ }"
}

# Prints the rates between two such readings, as JSON. link_percent is of the rate to the client; absent if the link has no rate.
crowd_rates() {	# crowd_rates BEFORE AFTER
	jq -cn --arg before "$1" --arg after "$2" --argjson bits "$(rate_bits "$LAB_RATE")" '
		[$before, $after | [splits(" +") | select(. != "") | tonumber? // null]] as [$a, $b] | (($b[0] - $a[0]) / 1e9) as $s
		| def rate($i; $unit): if $a[$i] == null or $b[$i] == null then null else ($b[$i] - $a[$i]) / $s / $unit end;
		{link_percent: (if $bits > 0 then rate(1; $bits / 800) else null end), sent_kbyte_per_s: rate(1; 1000),
			received_kbyte_per_s: rate(2; 1000), programs: [range(3; $b | length; 2)
				| {cpu_percent: rate(.; 1e7), written_kbyte_per_s: rate(. + 1; 1000)}]}'
}

# Waits until so many seconds are over, or all users have ended.
crowd_wait() {	# crowd_wait SINCE SECONDS
	until stopped || lab_gone "$LAB_PID" || awk -v a="$1" -v b="$EPOCHREALTIME" -v s="$2" 'BEGIN { exit !(b - a >= s) }'; do
		nap 0.05
	done
}

# Starts the generators of a cell, one on each client, with an equal share of the users. Several begin at one time, FROM, which
# leaves each the time to connect. One that starts later says so, and is not valid.
crowd_start() {	# crowd_start FOLDER SEED TARGET WORD...: sets CROWD_NAMES and FROM; 1: LAB_WHY
	local folder=$1 seed=$2 target=$3 n=${#LAB_CLIENT_ROLES[@]} i share first=0 port to at role root=() start=() clock=() pace \
		rate=500 users
	shift 3
	printf -v users %d "${P[users]}" || return
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); set -- "$@" --priority 10; }
	[ "$n" -le "${P[users]}" ] || n=${P[users]}
	pace=(-z "$(crowd_times "${P[think_s]} * 1000")ms" --think-dist "$SPREAD")
	[ -z "$CROWD_OPEN" ] || pace=(--open "$(crowd_times "${P[users]} / ${P[think_s]} / $n")" --think-dist exp)
	CROWD_NAMES=(vusers)
	if [ "$n" -gt 1 ]; then
		mapfile -t CROWD_NAMES < <(seq -f 'vusers.%.0f' "$n")
		[ "$ON_BACKEND" = local ] || rate=50	# connections a second
		for role in "${LAB_CLIENT_ROLES[@]:0:n}"; do clock+=("$(lab_clock "$role" | cut -d ' ' -f 1)"); done
		FROM=$((${EPOCHREALTIME%[.,]*} + 5 + users / n / rate))
	fi
	for ((i = 0; i < n; i++)); do
		share=$(((users + n - 1 - i) / n)) to=$target
		[[ $target != *- ]] || { port=${target##*:}; to=${target%:*}:$((${port%-} + first))-$((${port%-} + first + share - 1)); }
		at=$((${FROM:-0} * 1000000000 + ${clock[i]:-0}))	# by that host's clock
		[ "$n" = 1 ] || printf -v start -- '--start-at=@%d.%09d' "$((at / 1000000000))" "$((at % 1000000000))"
		lab_start "${root[@]}" -o "$folder/${CROWD_NAMES[i]/vusers/samples}.tsv" "${LAB_CLIENT_ROLES[i]}" \
			"${CROWD_NAMES[i]}" \
			"$TP_BIN/vusers" "$to" -n "$share" "${pace[@]}" \
			-t "${SECONDS_EACH}s" --warmup "${skip}s" --seed "$((seed + i * 1000003))" \
				${THRESHOLD_MS:+--threshold "${THRESHOLD_MS}ms"} \
			--lateness "$CROWD_LATE" --log "$folder/${CROWD_NAMES[i]/vusers/samples}.tsv" --format json "${start[@]}" \
				"$@"
		first=$((first + share))
	done
	for ((i = 0; i < n; i++)); do
		is_ready "${CROWD_NAMES[i]}" 120 && continue
		for role in "${CROWD_NAMES[@]}"; do lab_stop "${LAB_PID_OF[$role]-}"; done
		return 1
	done
	[ "$n" -gt 1 ] || FROM=$EPOCHREALTIME
}

# Waits for the generators, whose reports become one. 1: LAB_WHY
crowd_end() {	# crowd_end FOLDER
	local name status=0 parts=()
	for name in "${CROWD_NAMES[@]}"; do
		has_ended "$name" "$1" || status=1
		parts+=("$1/$name.json" "$1/${name/vusers/samples}.tsv")
	done
	! stopped && [ "$status" = 0 ] || return 1
	[ "${#CROWD_NAMES[@]}" = 1 ] || "$TP_BIN/vusers" merge "${parts[@]}" --log "$1/samples.tsv" --format json \
		-o "$1/vusers.json" \
		2>"$LAB_LOG/merge.err" || [ $? = 3 ] || LAB_WHY=$(last_word merge)
	[ -s "$1/vusers.json" ] || { : "${LAB_WHY:=the users left no report}"; return 1; }
}

# Runs the users of one cell. The transient at the start is excluded: four mean think times. (All users begin together, so that
# their rate oscillates at first; with uniform think times the amplitude falls as e^(-1.04 t/Z): a tenth after two think times, at
# most two hundredths after four.) A TARGET with one port for each user ends in a dash: vnc:HOST:FIRST-
crowd_run() {	# crowd_run FOLDER SEED TARGET WORD...: 1: LAB_WHY
	local skip FROM='' CROWD_NAMES=() status=0 before after
	skip=$(crowd_times "${P[think_s]} * 4 + 1")
	crowd_start "$@" || return
	crowd_wait "$FROM" "$skip"
	cpu_begin
	MOVED=$(crowd_moved) INTERRUPTS='' before=$(crowd_interrupts)
	crowd_wait "$FROM" "$(crowd_times "$skip + $SECONDS_EACH")"
	MOVED=$(crowd_rates "$MOVED" "$(crowd_moved)")
	cpu_end
	after=$(crowd_interrupts)
	[ -z "$before" ] || [ -z "$after" ] || INTERRUPTS=$((after - before))
	crowd_end "$1" || status=1
	[ "$status" = 0 ] || return 1
	# (fewer than two requests have no interarrival time: the cell stays, without a verdict)
	"$TP_BIN/arrivals" "$1/samples.tsv" --where measured=1 "${CROWD_ARRIVALS[@]}" --format json \
		-o "$1/arrivals.json" >/dev/null 2>"$LAB_LOG/arrivals.err" || :
}

# Computes what a closed queueing network predicts for these users: exactly, and by Schweitzer's approximation. Open loop: what
# one queue predicts.
crowd_model() {	# crowd_model FOLDER DEMAND,...
	local model=(mva --demand "$2" -n "${P[users]}" -z "$(crowd_times "${P[think_s]} * 1000")ms")
	[ -z "$CROWD_OPEN" ] || model=(mm1 --service "$2" --rate "$(crowd_times "${P[users]} / ${P[think_s]}")")
	"$TP_BIN/queue" "${model[@]}" --format json -o "$1/model.json" \
		2>"$LAB_LOG/queue.err" || [ "$?" = 3 ] || warn "cannot compute the queueing model: $(tail -n 1 "$LAB_LOG/queue.err")"
}

crowd_unwatched() { FOREIGN=null; }	# foreign time is what is left without the time in interrupts
exp_ran() {	# exp_ran FOLDER
	local kernel=null own=null why
	[ -n "${INTERRUPTS-}" ] || crowd_unwatched
	# (a process that is interrupted is charged with some of it, too: what is left of foreign time is the least that it can have
	# been)
	[ "$FOREIGN" = null ] || read -r kernel FOREIGN own < <(LC_ALL=C awk -v ns="$INTERRUPTS" \
		-v wall="$((${CPU_AFTER[0]%% *} - ${CPU_BEFORE[0]%% *}))" -v cpus="$LAB_NCPU_server" -v f="$FOREIGN" -v b="$BUSY" 'BEGIN {
			k = 100 * ns / wall / cpus; f = f > k ? f - k : 0; printf "%.2f %.2f %.2f\n", k, f, (b > f) ? b - f : 0 }')
	why=$(jq -r '.result | .why_invalid // .why_unsure // empty' "$1/vusers.json")
	CELL_FLAGS=${why:+; $why}
	CELL_MORE=$(json_object server_own_percent "$own" kernel_percent "$kernel" |
		jq -c --argjson moved "${MOVED:-{\}}" '. + $moved')
}
