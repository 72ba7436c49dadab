# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# lib.sh - what every experiment shares: its run folder, its cells in their order, its progress line, its end (options.sh: its options).
#
# A driver sources this, sets EXPERIMENT, RATE, THRESHOLD_MS, calls exp_options "$@", exp_folder, measures with exp_cells_run (which
# calls the driver's exp_cell), and ends with exp_end. The run folder is valid at every instant: run.json is
# replaced whole, and a cell counts once its cell.json is there.

# keep.sh takes the signals, and starts the driver once more. Who is kept and has another parent lost its keeper before the death
# signal was set. (A run started by a run has a keeper of its own.)
case ${EXP_KEPT-} in
"$PPID") unset EXP_KEPT ;;
'') exec "$TP_HOME/experiments/keep.sh" "$0" "$@" ;;
*) exit 130 ;;
esac

TP_TOOL=thinprobe
# shellcheck source=lab/lib.sh
. "$TP_HOME/lab/lib.sh"
# shellcheck source=lab/calibration.sh
. "$TP_HOME/lab/calibration.sh"

# shellcheck source=experiments/options.sh
. "$TP_HOME/experiments/options.sh"

# The run folder ------------------------------------------------------------------------------------------------

put_json() {	# put_json FILE: standard input becomes the file, whole or not at all
	{ cat >"$1.new" && [ -s "$1.new" ] && sync "$1.new" && mv "$1.new" "$1"; } 2>/dev/null && return
	rm -f "$1.new" 2>/dev/null
	exp_lost
}

# What was measured cannot be kept any more: going on would be a waste of the user's time.
exp_lost() {
	trap '' INT TERM HUP
	[ -d "$RUN" ] || die "the run folder $RUN is gone"
	die "cannot write to $RUN: is the disk full? make room, then: thinprobe run $EXPERIMENT --resume $(printf %q "$RUN")"
}

run_set() {	# run_set JQ-FILTER [jq arguments]
	local filter=$1
	shift
	local new
	if ! new=$(jq "$@" "$filter" "$RUN/run.json" 2>/dev/null); then
		[ -f "$RUN/run.json" ] || exp_lost
		warn "not recorded in run.json: $filter"
		return 1
	fi
	put_json "$RUN/run.json" <<<"$new"
}

# The record is this machine's (in front of a window, too); a probe on another one is not calibrated.
exp_calibration() {
	case ${ON:-lab} in
	lab | attach:*) calibration_record ;;
	*) echo null ;;
	esac
}

exp_folder() {
	local base stamp n=2
	need jq jq
	if [ -n "$RESUME" ]; then
		RUN=$(cd -- "$RESUME" && pwd) || exit 1
	elif [ -n "$OUT" ]; then
		[ ! -e "$OUT/run.json" ] || exp_bad "-o $OUT: holds a run already; choose another folder, or --resume it"
		mkdir -p -- "$OUT" 2>/dev/null || die "cannot make $OUT; give a folder of yours with -o DIR"
		RUN=$(cd -- "$OUT" && pwd) || exit 1
	else
		base=$PWD/thinprobe-results
		[ "$TP_CHECKOUT" = 1 ] && mkdir -p "$TP_HOME/results" 2>/dev/null && [ -w "$TP_HOME/results" ] && base=$TP_HOME/results
		stamp=$(date -u +%Y-%m-%dT%H-%M-%S)
		RUN=$base/$EXPERIMENT/$stamp
		while [ -e "$RUN" ]; do RUN=$base/$EXPERIMENT/$stamp.$((n++)); done
		{ mkdir -p "$base/$EXPERIMENT" && mkdir "$RUN"; } 2>/dev/null || die "cannot make $RUN; give a folder of yours with -o DIR"
	fi
	{ touch "$RUN/.write" && rm "$RUN/.write"; } 2>/dev/null || die "cannot write to $RUN; give a folder of yours with -o DIR"
	mkdir -p "$RUN/cells" "$RUN/log"
	[ -n "$RESUME" ] || jq -n --arg experiment "$EXPERIMENT" --arg version "${TP_VERSION:-unknown}" --arg command "$EXP_COMMAND" \
		--arg started "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --argjson settings "$(exp_settings)" --argjson calibration "$(exp_calibration)" '
		{schema: "thinprobe.run/1", experiment: $experiment, version: $version, started: $started, ended: null, state: "running", command: $command,
		settings: ($settings + (if $memory == "" then {} else {server_memory: $memory, swap: $swap, swap_size: $swapsize} | with_entries(select(.value != "")) end)
			+ if $queue == "" then {} else {queue: $queue} end), calibration: $calibration}' \
		--arg memory "$SERVER_MEMORY" --arg swap "$SWAP" --arg swapsize "$SWAP_SIZE" --arg queue "$QUEUE" |
		put_json "$RUN/run.json" || die "cannot write $RUN/run.json"
	if [ -n "$RESUME" ] && [ "$(exp_left)" = 0 ]; then
		echo "nothing is missing in $RUN"
		exp_end
	fi
	on_exit exp_abandoned
	exp_link
	LAB_SERVER_MEMORY=$SERVER_MEMORY LAB_SWAP=$SWAP LAB_SWAP_SIZE=$SWAP_SIZE
}

# A run that ends before its end, by an error or a signal, says so.
exp_abandoned() {
	local state=failed why
	# shellcheck disable=SC2154 # run_on_exit's
	[ "$status" != 130 ] || state=interrupted
	[ "$(jq -r .state "$RUN/run.json" 2>/dev/null)" != running ] || {
		why=$(lab_lost 2>/dev/null)
		(run_set '.state = $state | .ended = (now | todate) | if $why == "" then . else .reason = $why end' --arg state "$state" --arg why "$why") 2>/dev/null
	}
}

# exp_lab MISSING: where it was measured, as JSON for exp_circumstances. MISSING: a list of what the hosts do not let us do.
exp_lab() {
	jq -n --arg on "$ON" --arg s "$LAB_CPUS_server" --arg c "$LAB_CPUS_client" --arg rate "$LINK" --argjson shared "$LAB_SHARED_CPUS" --argjson rootless "$LAB_ROOTLESS" \
		--arg tap "${LAB_TAP[*]}" --arg tapif "$LAB_TAP_IF" --argjson missing "$1" --argjson memory "$(lab_memory_facts)" \
		--arg link "${LAB_ADDR_client-} ${LAB_IF_client-} - ${LAB_IF_server-} ${LAB_ADDR_server-}" '
		{cpus_server: $s, cpus_client: $c, rate: $rate, shared_cpus: ($shared == 1), rootless: ($rootless == 1), missing: $missing}
		| if $on == "lab" then . elif ($on | startswith("attach:")) then {server: "not ours, unknown", cpus_client: $c, shared_cpus: false, rootless, missing,
			capture: (if $tapif == "" then "none" else "at the client" end)} else . + {server: ($on | sub("^[a-z]*:"; "") | split(",")[0]), client: ($on | split(",")[1]), link: $link,
			capture: (if $tapif == "" then "none" else "at the \($tap)" end)} end
		| if $memory == null then . else .memory = $memory end'
}

# exp_clocks before|after: how far the clocks of the roles are from ours, with the error of that. Who does not answer is most likely on
# a connection that is cut, which takes ssh up to ten seconds to tell: a train that failed of it must not be left without its reason.
exp_clocks() {
	local role clock clocks=''
	for role in server client; do
		if clock=$(lab_clock "$role"); then clocks+="$role $clock "; elif [ "$ON_BACKEND" = ssh ]; then wait_until 15 lab_lost >/dev/null; fi
	done
	[ -n "$EXP_LOST" ] || EXP_LOST=$(lab_lost)
	run_set '.clocks[$when] = ([$clocks | scan("([a-z]+) (-?[0-9]+) ([0-9]+)")] | map({key: .[0], value: {realtime_offset_ns: (.[1] | tonumber), error_ns: (.[2] | tonumber)}}) | from_entries)' \
		--arg when "$1" --arg clocks "$clocks"
}

# What the machine and the session are like goes into run.json; a run can only be resumed under the same.
exp_circumstances() {	# exp_circumstances FACTS PROTOCOL LAB (JSON each)
	local what
	if [ -n "$RESUME" ]; then
		what=$(jq -r --argjson host "$1" --argjson protocol "$2" --argjson lab "$3" '
			[if .protocol != null and .protocol != $protocol then "the protocol'\''s settings" else empty end,
			 if .host.kernel != null and .host.kernel != $host.kernel then "the kernel" else empty end,
			 if .host.client.kernel != null and .host.client.kernel != $host.client.kernel then "the client'\''s kernel" else empty end,
			 if .lab != null and (.lab | {shared_cpus, rootless}) != ($lab | {shared_cpus, rootless}) then "root or shared CPUs" else empty end] | join(", ")' "$RUN/run.json")
		[ -z "$what" ] || die "not the same as when $RUN was begun: $what; start a new run"
	fi
	# What some of the cells had to do without stays said when the run goes on.
	run_set '(.lab.missing // []) as $before | .host = $host | .protocol = $protocol | .lab = $lab | .state = "running" | .ended = null | del(.reason)
		| if $before == [] then . else .lab.missing = $before + ((.lab.missing // []) - $before) end' --argjson host "$1" --argjson protocol "$2" --argjson lab "$3"
}

# Cells ---------------------------------------------------------------------------------------------------------

shuffled() {	# shuffled SEED: lines
	awk -v seed="$1" 'BEGIN { srand(seed) } { printf "%.9f %s\n", rand(), $0 }' | sort | cut -d' ' -f2-
}

# Lines "app load repeat": within each repeat every cell once, shuffled with the seed.
exp_order() {
	local repeat app load
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for app in ${APPS//,/ }; do
			for load in ${LOADS//,/ }; do
				echo "$app $load $repeat"
			done
		done | shuffled "$((SEED * 1000 + repeat))"
	done
}

exp_cell_folder() {
	printf '%s/cells/%s-%03d/%s' "$RUN" "$1" "$2" "$3"
}

# Every train of a cell: the latency series in the cell's own folder, the others below it.
exp_trains() {
	printf '%s\n' "$1/cell.json"
	[ "$QUICK" = 1 ] || printf '%s\n' "$1/stall/cell.json"
	[ "$WIRE" = 0 ] || printf '%s\n' "$1/wire/cell.json"
}

exp_complete() {	# is every train of this cell measured?
	local train
	while IFS= read -r train; do
		[ "$(jq -r .state "$train" 2>/dev/null)" = complete ] || return 1
	done < <(exp_trains "$1")
}

# exp_not_apart WHAT: in words for "not on this machine", why the CPUs are not the hosts' own; WHAT that does where the two share them.
exp_not_apart() {
	if [ "${LAB_CPUS_server-}" = "${LAB_CPUS_client-}" ]; then
		echo "CPUs of their own for server and client: they share them, $1"
	else
		echo "CPUs that no other lab has: they were not asked for (LAB_SHARED_CPUS), so the load of another may be in the figures"
	fi
}

# exp_shares BEFORE AFTER CPUS: between two answers of lab_cpu, of those CPUs' time in percent: what tasks that are not the lab's took,
# what the hypervisor stole, and all that was busy.
exp_shares() {
	awk -v cpus="$3" -v a="$1" -v b="$2" 'BEGIN {	# now busy steal own, in ns
		split(a, x, " "); split(b, y, " "); wall = (y[1] - x[1]) * cpus
		foreign = (y[2] - x[2]) - (y[4] - x[4]); if (foreign < 0) foreign = 0
		printf "%.2f %.2f %.2f\n", 100 * foreign / wall, 100 * (y[3] - x[3]) / wall, 100 * (y[2] - x[2]) / wall }'
}

# exp_disturbed FOREIGN STEAL: the words on a cell in which these two, in percent, are too much; nothing where they are not.
exp_disturbed() {
	awk -v f="$1" -v s="$2" -v l="$FOREIGN_LIMIT" 'BEGIN { if (f + s > l) printf "foreign CPU time %s %%, stolen %s %%: over %s %%\n", f, s, l }'
}

exp_marked() {
	local train
	while IFS= read -r train; do
		[ -z "$(jq -r '.marked // empty' "$train" 2>/dev/null)" ] || return 0
	done < <(exp_trains "$1")
	return 1
}

# How much of the server's CPU others had, over all trains of a cell; 1000 for a cell that is not complete.
exp_disturbance() {
	exp_complete "$1" || { echo 1000; return; }
	while IFS= read -r train; do
		jq '(.foreign_percent // 100) + (.steal_percent // 0)' "$train"
	done < <(exp_trains "$1") | sort -g | tail -n 1
}

exp_left() {	# how many cells are not there yet
	local app load repeat left=0
	while read -r app load repeat; do
		exp_complete "$(exp_cell_folder "$app" "$load" "$repeat")" || left=$((left + 1))
	done < <(exp_order)
	echo "$left"
}

exp_clock() {	# seconds as m:ss
	printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

exp_progress() {	# exp_progress DONE TOTAL MEASURED WORDS: MEASURED of the DONE took time
	local bar left='' elapsed=$((SECONDS - EXP_SINCE))
	[ "$3" -gt 0 ] && left=", $(exp_clock $((elapsed * ($2 - $1) / $3))) left"
	if [ -t 1 ]; then
		bar=$(printf '%*s' $(($1 * 16 / $2)) '' | tr ' ' '#')$(printf '%*s' $((16 - $1 * 16 / $2)) '' | tr ' ' '-')
		printf '\r%s  [%s]  %s%s\033[K' "$EXPERIMENT" "$bar" "$4" "$left"
	else
		printf '%s  %d of %d  %s%s\n' "$EXPERIMENT" "$1" "$2" "$4" "$left"
	fi
}

exp_words() {	# exp_words LOAD APP: a cell in words
	echo "$1 sinks, $2"
}

exp_step() {	# what goes on before the first cell
	if [ -t 1 ]; then printf '\r%s  %s\033[K' "$EXPERIMENT" "$*"; fi
}

# Runs exp_cell APP LOAD REPEAT FOLDER for every cell that is not there yet. A cell that foreign CPU time spoilt is
# measured once more at the end (the quieter try stays, the other is kept beside it), in at most a part of the cells.
exp_cells_run() {
	local order=() again=0 line app load repeat folder total i=0 measured=0
	LAB_STOP_ENDS=''	# from here on a signal ends the train that runs; what there is by then is summed up
	mapfile -t order < <(exp_order)
	total=${#order[@]}
	EXP_SINCE=$SECONDS
	while ! EXP_LOST=$(lab_lost) && [ "$i" -lt "${#order[@]}" ] && ! stopped; do
		line=${order[i]}
		i=$((i + 1))
		read -r app load repeat <<<"$line"
		folder=$(exp_cell_folder "$app" "$load" "$repeat")
		if [ "$i" -gt "$total" ]; then
			rm -rf "$folder~" && mv "$folder" "$folder~"
		elif exp_complete "$folder"; then
			continue
		fi
		exp_progress "$((i - 1))" "${#order[@]}" "$measured" "$(exp_words "$load" "$app"), repeat $repeat of $REPEATS$([ "$i" -le "$total" ] || echo ' again: it was disturbed')"
		rm -rf "$folder"
		mkdir -p "$folder"
		exp_cell "$app" "$load" "$repeat" "$folder"
		measured=$((measured + 1))
		if [ "$i" -gt "$total" ]; then
			exp_keep_quieter "$folder"
		elif [ "$EXP_AGAIN_PART" -gt 0 ] && exp_marked "$folder" && [ "$again" -lt $(((total + EXP_AGAIN_PART - 1) / EXP_AGAIN_PART)) ]; then
			again=$((again + 1))
			order+=("$line")
		fi
	done
	[ ! -t 1 ] || printf '\r\033[K'
}

exp_keep_quieter() {
	if awk -v a="$(exp_disturbance "$1~")" -v b="$(exp_disturbance "$1")" 'BEGIN { exit !(a < b) }'; then
		mv "$1" "$1.swap" && mv "$1~" "$1" && mv "$1.swap" "$1~"
	fi
}

# The end -------------------------------------------------------------------------------------------------------

EXP_LOST=''	# why the hosts were lost

# Sums up, draws, reports; says where. The exit status of the run.
exp_end() {
	local state=complete status=0 total left marked=0 app load repeat why
	[ -d "$RUN" ] || exp_lost
	total=$(exp_order | wc -l)
	left=$(exp_left)
	while read -r app load repeat; do
		! exp_marked "$(exp_cell_folder "$app" "$load" "$repeat")" || marked=$((marked + 1))
	done < <(exp_order)
	[ "$left" = 0 ] || state=failed status=3
	! stopped || state=interrupted status=130
	[ -z "$EXP_LOST" ] || echo "thinprobe: $EXP_LOST" >&2
	run_set '.state = $state | (if $why == "" then del(.reason) else .reason = $why end) | .cells = {total: $total, complete: ($total - $left), missing: $left, marked: $marked} | .ended = (now | todate)' \
		--arg why "$EXP_LOST" --arg state "$state" --argjson total "$total" --argjson left "$left" --argjson marked "$marked"
	if [ "$left" = "$total" ]; then
		echo "thinprobe: no cell was measured; see $RUN/log and the cells' .err files in $RUN/cells" >&2
		[ "$status" = 130 ] || status=1
		exit "$status"
	fi
	why=$("$TP_HOME/report/report.sh" "$RUN" 2>&1 >/dev/null) ||
		die "the samples are there, but the report failed (${why##*$'\n'}); again: thinprobe report $(printf %q "$RUN")"
	exp_reported "$state"
	echo
	"$TP_HOME/report/table.sh" "$RUN"
	"$TP_HOME/report/findings.sh" "$RUN"
	printf 'report: %s   (again: thinprobe report %q)\n' "$RUN/report.html" "$RUN"
	[ "$state" = complete ] || printf 'thinprobe: this run is %s: %s of %s cells; go on with: thinprobe run %s --resume %q\n' "$state" "$((total - left))" "$total" "$EXPERIMENT" "$RUN" >&2
	exp_open "$RUN/report.html"
	exit "$status"
}

exp_reported() {	# exp_reported STATE: summary and report are there; for drivers that have more to do with them
	:
}

# Only where somebody sits in front of a desktop.
exp_open() {
	[ "$DEMO" = 1 ] && [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null || return 0
	setsid xdg-open "$1" >/dev/null 2>&1 &
}
