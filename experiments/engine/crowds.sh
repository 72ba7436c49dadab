# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine, the experiments and the lab
# crowds.sh - for experiments with many users: vusers makes them, arrivals judges when their requests came, and queue says
# what a model would.
#
# A cell has the axes part, users and think_s. exp_measure calls crowd_run, crowd_model and crowd_write. SPREAD: how think
# times vary.
CROWD_LATE=5ms CROWD_ARRIVALS=()
PIN_EFFECT="so what the users' programs cost is in the server's times"

exp_missing() {
	lab_lacks pin
	lab_can client rt || echo "real-time priority for the users: not allowed here, so requests may leave late (as root it is)"
}

exp_words() {
	[ "${P[users]}" != 1 ] || { echo "1 user who thinks for ${P[think_s]} s"; return; }
	echo "${P[users]} users who think for ${P[think_s]} s"
}

crowd_times() { LC_ALL=C awk "BEGIN { printf \"%.9g\", $1 }"; }

# How long the server's CPUs have been in interrupts and what follows them, in ns (from the kernel's ticks): mostly packets.
# Kept apart, since no process of the lab is charged with them, and neither is anybody else: unlike other foreign time they
# grow with the lab's own traffic.
crowd_interrupts() {
	LC_ALL=C awk -v cpus="$(machine_cpu_list "$LAB_CPUS_server" | tr '\n' ' ')" '
		BEGIN { n = split(cpus, c, " "); for (i = 1; i <= n; i++) ours["cpu" c[i]] = 1 }
		$1 in ours { sum += $7 + $8 } END { printf "%.0f\n", sum * 1e7 }' /proc/stat
}

# Bytes of frames that the server has sent, and when (ns).
crowd_sent() {
	local bytes
	bytes=$(lab_exec server cat /proc/net/dev </dev/null 2>/dev/null |
		LC_ALL=C awk -v i="${LAB_IF_server:-lo}" '{ sub(/:/, " ") } $1 == i { printf "%.0f", $10 }')
	echo "${EPOCHREALTIME/[.,]/}000 ${bytes:-0}"
}

# Percent of the link's rate between two answers of it; nothing where the link has none.
crowd_link() {	# crowd_link BEFORE AFTER
	LC_ALL=C awk -v a="$1" -v b="$2" -v rate="$LAB_RATE" 'BEGIN {
		split(a, x, " "); split(b, y, " ")
		bits = rate * (rate ~ /[Gg]bit/ ? 1e9 : rate ~ /[Mm]bit/ ? 1e6 : rate ~ /[Kk]bit/ ? 1e3 : rate ~ /bit/ ? 1 : 0)
		if (bits > 0 && y[1] > x[1]) printf "%.2f\n", 100 * (y[2] - x[2]) * 8e9 / (y[1] - x[1]) / bits }'
}

# The users of one cell. What they did before it is steady is left out: until each has thought about four times. (All begin
# together, so that their rate swings at first; with uniform think times by e^(-1.04 t/Z): after twice the think time still
# by a tenth, after four times by two hundredths at most.)
crowd_run() {	# crowd_run FOLDER SEED TARGET WORD...: 1: LAB_WHY
	local folder=$1 seed=$2 target=$3 status=0 skip root=() from
	shift 3
	skip=$(crowd_times "${P[think_s]} * 4 + 1")
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); set -- "$@" --priority 10; }
	lab_start ${root[@]+"${root[@]}"} -o "$folder/samples.tsv" client vusers "$TP_BIN/vusers" "$target" -n "${P[users]}" \
		-z "$(crowd_times "${P[think_s]} * 1000")ms" --think "$SPREAD" -t "${SECONDS_EACH}s" --skip "${skip}s" --seed "$seed" \
		--late "$CROWD_LATE" --log "$folder/samples.tsv" --format json "$@"
	lab_ready vusers 60 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/vusers.err" | tail -n 1); return 1; }
	from=$EPOCHREALTIME
	until stopped || lab_gone "$LAB_PID" || awk -v a="$from" -v b="$EPOCHREALTIME" -v s="$skip" 'BEGIN { exit !(b - a >= s) }'; do
		nap 0.05
	done
	CPU_BEFORE=$(lab_cpu server) CPU_FAR=$(lab_cpu client) SENT=$(crowd_sent) INTERRUPTS=$(crowd_interrupts)
	lab_wait "$LAB_PID" || status=$?
	CPU_AFTER=$(lab_cpu server) CPU_FAR_AFTER=$(lab_cpu client) LINK_BUSY=$(crowd_link "$SENT" "$(crowd_sent)")
	INTERRUPTS=$(($(crowd_interrupts) - INTERRUPTS))
	! stopped || { lab_stop_within 10 "$LAB_PID"; LAB_WHY=interrupted; return 1; }
	[ ! -s "$LAB_LOG/vusers.out" ] || mv "$LAB_LOG/vusers.out" "$folder/vusers.json"
	case $status in 0 | 3) ;; *) LAB_WHY=$(grep -vx ready "$LAB_LOG/vusers.err" | tail -n 1); return 1 ;; esac
	[ -s "$folder/vusers.json" ] || { LAB_WHY="the users left no report"; return 1; }
	# (one request in all, or none, is no stream of arrivals: the cell stays, without a verdict)
	"$TP_BIN/arrivals" "$folder/samples.tsv" --where measured=1 "${CROWD_ARRIVALS[@]+"${CROWD_ARRIVALS[@]}"}" --format json \
		-o "$folder/arrivals.json" >/dev/null 2>"$LAB_LOG/arrivals.err" || :
}

# What a network of stations says of so many users: exact, and by Schweitzer's approximation.
crowd_model() {	# crowd_model FOLDER DEMAND,...
	"$TP_BIN/queue" mva --demand "$2" -n "${P[users]}" -z "$(crowd_times "${P[think_s]} * 1000")ms" --format json -o "$1/model.json" \
		2>"$LAB_LOG/queue.err" || warn "no model: $(tail -n 1 "$LAB_LOG/queue.err")"
}

crowd_write() {	# crowd_write FOLDER REPEAT REASON; what went well needs no LAB_LOG
	local foreign=null steal=null busy=null client=null kernel=null own=null link=null cpus flags='' why
	if [ -z "$3" ]; then
		cpus=$(machine_cpu_list "$LAB_CPUS_server" | wc -w)
		read -r foreign steal busy < <(exp_shares "$CPU_BEFORE" "$CPU_AFTER" "$cpus")
		# (a process that is interrupted is charged with some of it, too: what is left of foreign time is the least that it
		# can have been)
		read -r kernel foreign own < <(LC_ALL=C awk -v ns="$INTERRUPTS" -v wall="$((${CPU_AFTER%% *} - ${CPU_BEFORE%% *}))" \
			-v cpus="$cpus" -v f="$foreign" -v b="$busy" 'BEGIN {
				k = 100 * ns / wall / cpus; f = f > k ? f - k : 0; printf "%.2f %.2f %.2f\n", k, f, (b > f) ? b - f : 0 }')
		link=${LINK_BUSY:-null}
		read -r _ _ client < <(exp_shares "$CPU_FAR" "$CPU_FAR_AFTER" "$(machine_cpu_list "$LAB_CPUS_client" | wc -w)")
		flags=$(exp_disturbed "$foreign" "$steal")
		why=$(jq -r '.result.why_invalid // empty' "$1/vusers.json")
		[ -z "$why" ] || flags+="; $why"
	fi
	cell_write "$1" "$2" "$3" "$flags" "$(jq -cn --argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" \
		--argjson kernel "$kernel" --argjson own "$own" --argjson link "$link" --argjson client "$client" '
		{foreign_percent: $foreign, steal_percent: $steal, server_busy_percent: $busy, server_own_percent: $own, kernel_percent: $kernel,
		link_percent: $link, client_busy_percent: $client}')"
	[ -n "$3" ] || rm -rf "$LAB_LOG"
}
