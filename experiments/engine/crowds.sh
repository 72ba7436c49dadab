# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# crowds.sh - for experiments with many users: vusers makes them, arrivals judges when their requests came, and queue says
# what a model would.
#
# A cell has the axes part, users and think_s. exp_run calls crowd_run and crowd_model. SPREAD: how think
# times vary.
CROWD_LATE=5ms CROWD_ARRIVALS=()
CROWD_PIDS=()	# files: the pid of each program of the server that is looked at by itself
PIN_EFFECT="so what the users' programs cost is in the server's times"

exp_missing() {
	lab_lacks pin
	lab_can client rt || echo "real-time priority for the users: not allowed here, so requests may leave late (as root it is)"
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
		$1 in ours { sum += $7 + $8 } END { printf "%.0f\n", sum * 1e7 }'
}

# When it is (ns), and the bytes of frames that the server has sent and received; then of each of CROWD_PIDS the CPU time (ns) and
# the bytes that it has written (by write, not by send). As root: each program has a user namespace of its own, and no other is
# told what it has written.
# shellcheck disable=SC2016 # a program of sh
crowd_moved() {
	local frames programs=''
	frames=$(lab_exec server cat /proc/net/dev </dev/null 2>/dev/null |
		LC_ALL=C awk -v i="${LAB_IF_server:-lo}" '{ sub(/:/, " ") } $1 == i { printf "%.0f %.0f", $10, $2 }')
	[ "${#CROWD_PIDS[@]}" = 0 ] || programs=$(lab_exec -R server sh -c 'for file; do
		read -r pid <"$file" && read -r cpu rest <"/proc/$pid/schedstat"
		written=$(sed -n "s/^wchar: //p" "/proc/$pid/io")
		echo "${cpu:-null} ${written:-null}"
	done' sh "${CROWD_PIDS[@]}" </dev/null 2>/dev/null)
	echo "${EPOCHREALTIME/[.,]/}000 ${frames:-0 0} ${programs//$'\n'/ }"
}

# What was moved between two answers of it, as JSON. No link_percent, of the rate to the client, where the link has none.
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

# The users of one cell. What they did before it is steady is left out: until each has thought about four times. (All begin
# together, so that their rate swings at first; with uniform think times by e^(-1.04 t/Z): after twice the think time still
# by a tenth, after four times by two hundredths at most.)
crowd_run() {	# crowd_run FOLDER SEED TARGET WORD...: 1: LAB_WHY
	local folder=$1 seed=$2 target=$3 skip root=() from status=0
	shift 3
	skip=$(crowd_times "${P[think_s]} * 4 + 1")
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); set -- "$@" --priority 10; }
	lab_start "${root[@]}" -o "$folder/samples.tsv" client vusers "$TP_BIN/vusers" "$target" -n "${P[users]}" \
		-z "$(crowd_times "${P[think_s]} * 1000")ms" --think-dist "$SPREAD" -t "${SECONDS_EACH}s" --warmup "${skip}s" --seed "$seed" \
		--threshold "${THRESHOLD_MS:-100}ms" --lateness "$CROWD_LATE" --log "$folder/samples.tsv" --format json "$@"
	is_ready vusers 60 || return
	from=$EPOCHREALTIME
	crowd_wait "$from" "$skip"
	cpu_begin
	MOVED=$(crowd_moved) INTERRUPTS=$(crowd_interrupts)
	crowd_wait "$from" "$(crowd_times "$skip + $SECONDS_EACH")"
	MOVED=$(crowd_rates "$MOVED" "$(crowd_moved)")
	has_ended vusers "$folder" || status=1
	cpu_end
	INTERRUPTS=$(($(crowd_interrupts) - INTERRUPTS))
	! stopped && [ "$status" = 0 ] || return 1
	[ -s "$folder/vusers.json" ] || { LAB_WHY="the users left no report"; return 1; }
	# (fewer than two requests have no interarrival time: the cell stays, without a verdict)
	"$TP_BIN/arrivals" "$folder/samples.tsv" --where measured=1 "${CROWD_ARRIVALS[@]}" --format json \
		-o "$folder/arrivals.json" >/dev/null 2>"$LAB_LOG/arrivals.err" || :
}

# What a closed queueing network predicts for so many users: exactly, and by Schweitzer's approximation.
crowd_model() {	# crowd_model FOLDER DEMAND,...
	"$TP_BIN/queue" mva --demand "$2" -n "${P[users]}" -z "$(crowd_times "${P[think_s]} * 1000")ms" --format json -o "$1/model.json" \
		2>"$LAB_LOG/queue.err" || warn "cannot compute the queueing model: $(tail -n 1 "$LAB_LOG/queue.err")"
}

exp_ran() {	# exp_ran FOLDER
	local kernel own why
	# (a process that is interrupted is charged with some of it, too: what is left of foreign time is the least that it can have been)
	read -r kernel FOREIGN own < <(LC_ALL=C awk -v ns="$INTERRUPTS" -v wall="$((${CPU_AFTER[0]%% *} - ${CPU_BEFORE[0]%% *}))" \
		-v cpus="$LAB_NCPU_server" -v f="$FOREIGN" -v b="$BUSY" 'BEGIN {
			k = 100 * ns / wall / cpus; f = f > k ? f - k : 0; printf "%.2f %.2f %.2f\n", k, f, (b > f) ? b - f : 0 }')
	why=$(jq -r '.result.why_invalid // empty' "$1/vusers.json")
	CELL_FLAGS=${why:+; $why}
	CELL_MORE=$(json_object server_own_percent "$own" kernel_percent "$kernel" | jq -c --argjson moved "${MOVED:-{\}}" '. + $moved')
}
