# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - launch: a session under a scheme, with a job in the background that runs throughout; in it each application is launched
# once, by Return, and a train of keys goes to refecho after a Return. A cell is one of these; its job's work is that of the whole
# cell.
. "$TP_HOME/kits/apps/experiments/families/starts.sh"
. "$TP_HOME/kits/apps/experiments/families/favour.sh"
KEYS_SECONDS=3.5	# an episode lasts 5 s at most

exp_check() {
	[ "$NO_KEYS" = 0 ] || KEYS=0
	apps_known --app "$APPS"
	[ "$TRACED" != none ] || TRACED=''
	apps_known --trace "$TRACED"
	favour_check
}
app_has() { place_has "$1"; }
exp_find() {
	local item
	favour_find
	apps_choose
	[ -z "$TRACED" ] || favour_can_trace || { ABSENT+=("traces of launches: $LAB_WHY"); TRACED=''; }
	read -ra item <<<"${SCHEMES//,/ }"
	LAST_SCHEME=${item[-1]}
}

exp_cells() {
	local pair app
	while IFS= read -r pair; do
		for app in ${APPS//,/ } $([ "$KEYS" = 0 ] || echo keys); do printf '%s\t%s\n' "$app" "$pair"; done
	done < <(favour_pairs)
}

exp_words() { echo "${P[app]}, ${P[scheme]}$([ "${P[job]}" = none ] || echo ", job ${P[job]}")"; }

# Each application once, alone: its settings are there and its files are in memory from then on.
exp_before_cells() {
	local app LAB_LOG=$RUN/log LAB_WHY=''
	place_begin group || die "no session: $LAB_WHY"
	for app in ${APPS//,/ }; do
		exp_step "starts $app once, before the measurement"
		place_exec -R mkdir -p "$LAB_TMP/home/$app"
		favour_launch "$app" "$RUN/log/first-$app.json" || die "$app did not start: $LAB_WHY"
	done
	place_end
	[ ! -t 1 ] || printf '\r\033[K'
}

exp_end_lab() { place_down; }

exp_run() {	# exp_run FOLDER REPEAT; 1: LAB_WHY
	local irqs
	favour_lives || return
	favour_job_begin
	irqs=$(disk_irqs)
	cpu_begin
	if [ "${P[app]}" = keys ]; then
		keys "$1" "$2" || return
	else
		favour_launch "${P[app]}" "$1/startup.json" || return
		CELL_MORE=$(jq -c '.result | {held_up_ms} + (.runs[0]
			| {launch: {launch_ms: .stable_ms, mapped_ms, paint_ms: .first_paint_ms, key_ns: .exec_ns}})' "$1/startup.json")
	fi
	cpu_end
	favour_job_end
	[ -z "$irqs" ] || CELL_MORE=$(jq -c --argjson a "[$irqs]" --argjson b "[$(disk_irqs)]" '.disk_irqs = (
		{n: ($b[1] - $a[1]), first: ($b[0] - $a[0])} | .first_percent = (if .n > 0 then 100 * .first / .n else null end))' \
			<<<"$CELL_MORE")
	[ "$2" != 1 ] || [ "${P[job]}" = none ] || [[ ,$TRACED, != *,"${P[app]}",* ||
		! ${P[scheme]} =~ ^(baseline|"$LAST_SCHEME")$ ]] ||
		launch_traced "$1"
}

# In a guest: "FIRST, ALL", the interrupts that its disk has sent to the first virtual CPU, and to all.
disk_irqs() {
	[ "$PLACE" != guest ] || place_exec sh -c 'awk -v irq="$(cat /sys/class/block/vda/device/../irq):" "
		\$1 == irq { for (i = 2; \$i ~ /^[0-9]+$/; i++) n += \$i; print \$2 \", \" n }" /proc/interrupts'
}

# One more launch, traced: trace.tsv, when after the key the job, when all else of the session (other), and when others (away) had
# which CPU; of the baseline quanta.tsv, for how long tasks ran at a time.
launch_traced() {	# launch_traced FOLDER; 1: LAB_WHY
	local raw=$RUN/log/slices.tsv
	favour_traced "$raw" favour_launch "${P[app]}" "$1/traced.json" || return
	jq -r '.result.runs[0] | "\(.exec_ns) \(.stable_ms)"' "$1/traced.json" | {
		read -r key_ns ms
		awk -F'\t' -v key="$key_ns" -v ms="$ms" -v names="${JOB_NAMES[${P[job]}]}" -v folder="$1" \
			-v quanta="$([ "${P[scheme]}" != baseline ] || echo "${P[job]}")" '
			function put() { if (n[cpu]) printf "%d\t%.3f\t%.3f\t%s\n", cpu, from[cpu], to[cpu], kind[cpu] >(folder "/trace.tsv") }
			BEGIN { split(names, list, " "); for (i in list) job[list[i]] = 1 }
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{
				start = ($at["start_ns"] - key) / 1e6; ran = $at["ran_ns"] / 1e6
				if (start + ran < 0 || start > ms) next
				who = $at["tid"] == "" || $at["comm"] == "sink" ? "away" : $at["comm"] in job ? "job" : "other"
				cpu = $at["cpu"]
				if (quanta && $at["whole"] == 1 && who != "away")
					printf "%s\t%.6f\n", who == "job" ? quanta : who, ran >(folder "/quanta.tsv")
				# slices of one kind with less than half a pixel between them are one
				if (cpu == "") next
				if (n[cpu] && kind[cpu] == who && start - to[cpu] < ms / 1400) { to[cpu] = start + ran; next }
				put()
				n[cpu] = 1; kind[cpu] = who; from[cpu] = start; to[cpu] = start + ran
			}
			END { for (cpu in n) put() }' "$raw"
	}
	rm -f "$raw"
}

# Keys to an application with a stated cost, in the episode that Return opens.
keys() {	# keys FOLDER REPEAT
	local status
	place_start refecho "$TP_BIN/refecho" --display "$PROTOCOL_DISPLAY" --cost "${COST_MS}ms" --cost-per redraw
	is_ready refecho "$PLACE_PATIENCE" || return
	# The keyboard for its window, the pointer where it hides nothing; tried again, for the window found may be that of one
	# before.
	LAB_WHY="refecho's window did not come"
	place_exec env DISPLAY="$PROTOCOL_DISPLAY" timeout "$PLACE_PATIENCE" sh -c '
		until window=$(xdotool search --onlyvisible --name "^refecho" |
		head -n 1) && [ -n "$window" ] && timeout 2 xdotool windowfocus --sync "$window" mousemove --window "$window" 310 230
		do sleep 0.05; done' >/dev/null 2>&1 || return
	favour_return
	nap 0.3	# it is a key to the application, too: its answer is not that of the first key
	place_probe -o "$1/samples.tsv" keyrepeat "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" "${PROTOCOL_OPTIONS[@]}" --rate 20 \
		-t "${KEYS_SECONDS}s" --schedule jittered --seed "$((SEED * 1000 + $2))" --watch patch \
		--late "${THRESHOLD_MS}ms" --priority 20 --log "$1/samples.tsv" --format json
	has_ended keyrepeat "$1"
	status=$?
	lab_stop "${LAB_PID_OF[refecho]}"
	return "$status"
}

exp_stop() { lab_stop "${LAB_PID_OF[refecho]-}"; }

# All traces of the run as one table.
traces_summed() {
	local folder
	rm -f "$RUN/trace.tsv"
	for folder in $(jq -r '.cells[].name' "$RUN/run.json"); do
		folder=$RUN/cells/$folder/1
		[ -s "$folder/trace.tsv" ] || continue
		[ -s "$RUN/trace.tsv" ] || printf 'schema\tapp\tscheme\tjob\tcpu\tfrom_ms\tto_ms\tkind\n' >"$RUN/trace.tsv"
		jq -r '.parameters | ["launch-trace/1", .app, .scheme, .job] | @tsv' "$folder/cell.json" |
			{ IFS= read -r words; sed "s|^|$words\t|" "$folder/trace.tsv"; } >>"$RUN/trace.tsv"
	done
}

# Against the baseline in the same run: launches by its mean time, and the time of a unit of the job's work by that at its
# mean rate. And how long after the key vamp had decided.
exp_summed() {
	favour_summed
	traces_summed
	favour_quanta_summed
	favour_relate 'group_by(.parameters.app, .parameters.job) | map({app: .[0].parameters.app, job: .[0].parameters.job,
			launch: (map(.launch.launch_ms) | geomean), rate: (map(.job.bytes_per_s) | mean)})' '
		. as $cell | .parameters as $p | baseline as $base
		| .relative = {launch: (if .launch and $base.launch then .launch.launch_ms / $base.launch else null end),
			job: (if .job and $base.rate then $base.rate / .job.bytes_per_s else null end)}
		| if .launch then .launch.decided_ms = (first($run[0].vamp[]
			| select(.scheme == $p.scheme and .job == $p.job and .repeat == $cell.repeat) | .decided_ns[]
			| (. - $cell.launch.key_ns) / 1e6 | select(. > 0 and . < 5000)) // null) else . end' --slurpfile run "$RUN/run.json"
}
