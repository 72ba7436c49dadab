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

# What a request needs of the CPU and of the link, by the measured rows of each part: fitted to all of them, and to the half
# with the lowest rates, which foretells the others. Rows that were disturbed, or in which the users' own program was in the
# way, are left out where three others are there.
crowd_rows() {	# crowd_rows PART [all]: of summary.tsv, what queue fit reads
	LC_ALL=C awk -F'\t' -v OFS='\t' -v part="$1" -v all="${2-}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["part"] == part && $at["repeats"] > 0 && $at["response_ms"] > 0 && $at["lambda_per_s"] > 0 &&
			(all != "" || $at["marked"] == 0) {
			line[++n] = $at["cell"] OFS $at["users"] OFS $at["think_s"] OFS $at["lambda_per_s"] OFS $at["response_ms"]
			rate[n] = $at["lambda_per_s"] + 0
			cpu[n] = $at["server_own_percent"]; link[n] = $at["link_percent"]; cpus += cpu[n]; links += link[n]
		}
		function share(p) { return p == "" ? "" : p > 100 ? 1 : p / 100 }
		END {
			print "run", "n", "z_s", "lambda", "r_ms" (cpus > 0 ? OFS "u_cpu" : "") (links > 0 ? OFS "u_link" : "")
			for (done = 0; done < n; done++) {
				least = 0
				for (i = 1; i <= n; i++) if (!(i in used) && (!least || rate[i] < rate[least])) least = i
				used[least]; print line[least] (cpus > 0 ? OFS share(cpu[least]) : "") (links > 0 ? OFS share(link[least]) : "")
			}
		}' "$RUN/summary.tsv"
}

# crowd_fit PARTS: writes fit/PART-all.json and fit/PART-first.json (queue fit), and of these curve.tsv (for figures),
# slope.tsv (what a request needs) and compare.tsv (each row beside the model).
crowd_fit() {
	local part which rows first disturbed work=$RUN/fit
	"$TP_BIN/summarize" "$RUN" --format json -o /dev/null >/dev/null 2>&1
	case $? in 0 | 3) ;; *) return ;; esac
	rm -rf "$work" && mkdir "$work" || return
	printf 'schema\tpart\tfitted\tkind\tn\tz_s\tlambda\tq\tr_s\n' >"$work/curve.tsv"
	tr ' ' '\t' <<<'schema part fitted name source demand_ms low_ms high_ms rows of_rows error_percent disturbed' >"$work/slope.tsv"
	tr ' ' '\t' <<<'schema part fitted cell used lambda_per_s lambda_fit_per_s response_ms response_fit_ms off_percent' \
		>"$work/compare.tsv"
	for part in $1; do
		disturbed=0
		crowd_rows "$part" >"$work/$part.tsv"
		rows=$(($(wc -l <"$work/$part.tsv") - 1))
		if [ "$rows" -lt 3 ]; then
			crowd_rows "$part" all >"$work/$part.tsv"
			[ "$(wc -l <"$work/$part.tsv")" = "$((rows + 1))" ] || disturbed=1
			rows=$(($(wc -l <"$work/$part.tsv") - 1))
		fi
		[ "$rows" -ge 2 ] || continue
		for which in all first; do
			first=$rows
			[ "$which" = all ] || first=$(((rows + 1) / 2))
			[ "$which" = all ] || [ "$rows" -ge 3 ] || continue
			"$TP_BIN/queue" fit "$work/$part.tsv" --first "$first" --rows "$work/$part-$which.rows.tsv" --format json \
				-o "$work/$part-$which.json" 2>"$work/$part-$which.err" || continue
			rm -f "$work/$part-$which.err"
			awk -F'\t' -v OFS='\t' -v part="$part" -v which="$which" '
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				{ print "curve/1", part, which, $at["kind"], $at["n"], $at["z_s"], $at["lambda"], $at["q"], $at["r_s"] }' \
				"$work/$part-$which.rows.tsv" >>"$work/curve.tsv"
			jq -r --arg part "$part" --arg which "$which" --argjson of "$rows" --argjson disturbed "$disturbed" '
				def ms: if . == null then "" else . * 1000 end;
				.result as $r | ($r.demands + [$r.delay | {name: "delay", from: "response time", demand_s: .delay_s, low_s, high_s}])[]
				| ["slope/1", $part, $which, .name, .from, (.demand_s | ms), (.low_s | ms), (.high_s | ms), $r.rows_used, $of,
					$r.error_percent, $disturbed] | @tsv' "$work/$part-$which.json" >>"$work/slope.tsv"
			jq -r --arg part "$part" --arg which "$which" '.result.rows[]
				| ["compare/1", $part, $which, .run, (if .fitted then 1 else 0 end), .lambda_measured, .lambda, .r_measured_s * 1000,
					.r_s * 1000, .off_percent] | @tsv' "$work/$part-$which.json" >>"$work/compare.tsv"
		done
	done
	mv "$work/curve.tsv" "$work/slope.tsv" "$work/compare.tsv" "$RUN/"
}
