# shellcheck shell=bash
# shellcheck disable=SC2034,SC2153 # variables shared with the drivers
# lib.sh - what every experiment shares: its options, its run folder, its cells in their order, its progress line.
#
# A driver sources this, sets EXPERIMENT, calls exp_options "$@", exp_begin, exp_cells_run, exp_end.
# The run folder is valid at every instant: run.json is replaced whole, a cell counts once its cell.json is there.

TP_TOOL=thinprobe
. "$TP_HOME/lab/lib.sh"

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--app A,...] [--loads L,...] [--seconds S] [--repeat R] [--quick]
         [--idle S] [--seed N] [--link RATE[,DELAY]] [--keep-captures] [--resume RUN] [-o DIR] [--on lab]
$EXPERIMENT_SAYS
  --protocol P      display protocol, NAME or NAME:VARIANT ($PROTOCOL)
  --app A,...       applications: light (vim in xterm), heavy (refecho, 10 ms of CPU a redraw) ($APPS)
  --loads L,...     numbers of sinks beside the session ($LOADS)
  --seconds S       length of each train of keys ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --cost TIME       CPU cost of a redraw of the heavy application (${COST_MS}ms)
  --cost-per WHAT   redraw, or key: an application that does not coalesce (redraw)
  --regime R        session: sinks share the session's scheduling group; login: they are another login's (session)
  --quick           one train a cell, jittered, that serves latency and stalls
  --idle S          length of the key-free window for idle noise ($IDLE_SECONDS; with --quick 12)
  --seed N          of the random order and of the jitter ($SEED)
  --link RATE       rate of the emulated link, or none ($LINK)
  --keep-captures   keep every capture (capture.pcap in each cell)
  --resume RUN      redo only what RUN lacks
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

exp_number() {	# exp_number OPTION TEXT MIN MAX
	[[ $2 =~ ^[0-9]+$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || exp_bad "$1 $2: not a whole number from $3 to $4"
}

exp_bad() {
	echo "thinprobe: $* (see thinprobe run $EXPERIMENT --help)" >&2
	exit 2
}

# Defaults that a driver may change before exp_options.
PROTOCOL=vnc APPS=light,heavy LOADS=0,1,2,5,10,15,20 SECONDS_EACH=10 REPEATS=5 COST_MS=10 COST_PER=redraw IDLE_SECONDS=60
QUICK=0 SEED=1 LINK=100Mbit KEEP=0 RESUME='' OUT='' REGIME=session DEMO=0

exp_options() {
	EXP_COMMAND="thinprobe run $EXPERIMENT${*:+ $*}"
	EXP_COMMAND=${EXP_COMMAND/run $EXPERIMENT --demo/demo}
	while [ $# -gt 0 ]; do
		case $1 in
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		esac
		case $1 in
		--quick) QUICK=1 IDLE_SECONDS=12; shift; continue ;;
		--keep-captures) KEEP=1; shift; continue ;;
		--demo) DEMO=1; exp_demo; shift; continue ;;
		--help | -h) exp_usage; exit 0 ;;
		--protocol | --app | --loads | --seconds | --repeat | --cost | --cost-per | --regime | --idle | --seed | --link | --resume | -o | --on | --server-memory) ;;
		*) exp_bad "unexpected $1" ;;
		esac
		[ $# -gt 1 ] && [ -n "$2" ] || exp_bad "$1 needs a value"
		case $1 in
		--protocol) PROTOCOL=$2 ;;
		--app) APPS=$2 ;;
		--loads) LOADS=$2 ;;
		--seconds) SECONDS_EACH=${2%s}; exp_number "$1" "$SECONDS_EACH" 2 3600 ;;
		--repeat) REPEATS=$2; exp_number "$1" "$2" 1 1000 ;;
		--cost) COST_MS=${2%ms}; [[ $COST_MS =~ ^[0-9]+(\.[0-9]+)?$ ]] || exp_bad "--cost $2: give milliseconds, e.g. 10ms" ;;
		--cost-per) COST_PER=$2; case $2 in redraw | key) ;; *) exp_bad "--cost-per $2: redraw or key" ;; esac ;;
		--regime) REGIME=$2; case $2 in session | login) ;; *) exp_bad "--regime $2: session or login" ;; esac ;;
		--idle) IDLE_SECONDS=${2%s}; exp_number "$1" "$IDLE_SECONDS" 1 3600 ;;
		--seed) SEED=$2; exp_number "$1" "$2" 0 2147483647 ;;
		--link) LINK=$2 ;;
		--resume) RESUME=${2%/} ;;
		-o) OUT=$2 ;;
		--on) [ "$2" = lab ] || exp_bad "--on $2: only lab (two hosts emulated on this machine) is built" ;;
		--server-memory) exp_bad "--server-memory is not built" ;;
		esac
		shift 2
	done
	local load app
	for load in ${LOADS//,/ }; do exp_number --loads "$load" 0 1000; done
	[[ $LOADS =~ ^[0-9]+(,[0-9]+)*$ ]] || exp_bad "--loads $LOADS: numbers with commas between"
	for app in ${APPS//,/ }; do
		case $app in light | heavy) ;; *) exp_bad "--app $app: light or heavy" ;; esac
	done
	case $PROTOCOL in *,*) exp_bad "--protocol $PROTOCOL: one protocol a run" ;; esac
	protocol_use "$PROTOCOL"
}

# The run folder ------------------------------------------------------------------------------------------------

run_set() {	# run_set JQ-FILTER [jq arguments]: changes run.json, which is whole at every instant
	local filter=$1
	shift
	jq "$@" "$filter" "$RUN/run.json" >"$RUN/run.json.new" && sync "$RUN/run.json.new" && mv "$RUN/run.json.new" "$RUN/run.json"
}

exp_folder() {
	local base stamp
	if [ -n "$RESUME" ]; then
		[ -f "$RESUME/run.json" ] || exp_bad "--resume $RESUME: no run folder (it has no run.json)"
		[ "$(jq -r .experiment "$RESUME/run.json")" = "$EXPERIMENT" ] || exp_bad "--resume $RESUME: not a run of $EXPERIMENT"
		RUN=$(cd "$RESUME" && pwd) || exit 1
		eval "$(jq -r '.settings | @sh "PROTOCOL=\(.protocol) APPS=\(.apps|join(",")) LOADS=\(.loads|map(tostring)|join(",")) SECONDS_EACH=\(.seconds)
			REPEATS=\(.repeats) COST_MS=\(.cost_ms) COST_PER=\(.cost_per) SEED=\(.seed) LINK=\(.link) REGIME=\(.regime) QUICK=\(if .quick then 1 else 0 end)"' "$RUN/run.json")"
		return
	fi
	if [ -n "$OUT" ]; then
		[ ! -e "$OUT/run.json" ] || exp_bad "-o $OUT: holds a run already; choose another folder, or --resume it"
		mkdir -p "$OUT" || die "cannot make $OUT"
		RUN=$(cd "$OUT" && pwd) || exit 1
	else
		base=$TP_HOME/results
		{ [ "$TP_CHECKOUT" = 1 ] && [ -w "$base" ]; } || base=$PWD/thinprobe-results
		stamp=$(date -u +%Y-%m-%dT%H-%M-%S)
		RUN=$base/$EXPERIMENT/$stamp
		mkdir -p "$base/$EXPERIMENT" && mkdir "$RUN" || die "cannot make $RUN; give a folder of yours with -o DIR"
	fi
	touch "$RUN/.write" 2>/dev/null && rm "$RUN/.write" || die "cannot write to $RUN; give a folder of yours with -o DIR"
	mkdir -p "$RUN/cells" "$RUN/log"
	jq -n --arg experiment "$EXPERIMENT" --arg version "$("$TP_HOME"/thinprobe --version 2>/dev/null || echo unknown)" --arg command "$EXP_COMMAND" \
		--arg started "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --arg protocol "$PROTOCOL" --arg apps "$APPS" --argjson loads "[$LOADS]" \
		--argjson repeats "$REPEATS" --argjson seconds "$SECONDS_EACH" --argjson cost "$COST_MS" --arg costper "$COST_PER" --argjson seed "$SEED" \
		--arg link "$LINK" --arg regime "$REGIME" --argjson quick "$QUICK" --argjson rate "$RATE" --argjson threshold "$THRESHOLD_MS" '
		{schema: "thinprobe.run/1", experiment: $experiment, version: $version, started: $started, ended: null, state: "running", command: $command,
		settings: {protocol: $protocol, apps: ($apps | split(",")), loads: $loads, repeats: $repeats, seconds: $seconds, rate_per_s: $rate,
			schedule: (if $quick == 1 then "jittered" else "jittered and periodic" end), series: (if $quick == 1 then ["latency"] else ["latency", "stall"] end),
			cost_ms: $cost, cost_per: $costper, regime: $regime, seed: $seed, link: $link, quick: ($quick == 1), threshold_ms: $threshold}}' \
		>"$RUN/run.json" || die "cannot write $RUN/run.json"
}

# Cells ---------------------------------------------------------------------------------------------------------

# Lines "app load repeat": within each repeat every cell once, shuffled with the seed.
exp_order() {
	local repeat app load
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		for app in ${APPS//,/ }; do
			for load in ${LOADS//,/ }; do
				echo "$app $load $repeat"
			done
		done | awk -v seed="$((SEED * 1000 + repeat))" 'BEGIN { srand(seed) } { printf "%.9f %s\n", rand(), $0 }' | sort | cut -d' ' -f2-
	done
}

exp_cell_folder() {
	printf '%s/cells/%s-%03d/%s' "$RUN" "$1" "$2" "$3"
}

exp_clock() {	# seconds as m:ss
	printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

exp_progress() {	# exp_progress DONE TOTAL WORDS
	local bar left='' elapsed=$((SECONDS - EXP_SINCE))
	[ "$1" -gt 0 ] && left="$(exp_clock $((elapsed * ($2 - $1) / $1))) left"
	if [ -t 1 ]; then
		bar=$(printf '%*s' $(($1 * 16 / $2)) '' | tr ' ' '#')$(printf '%*s' $((16 - $1 * 16 / $2)) '' | tr ' ' '-')
		printf '\r%s  [%s]  %s, %s\033[K' "$EXPERIMENT" "$bar" "$3" "$left"
	else
		printf '%s  %d of %d  %s%s\n' "$EXPERIMENT" "$1" "$2" "$3" "${left:+, $left}"
	fi
}

# Runs exp_cell APP LOAD REPEAT FOLDER for every cell that is not there yet. A cell that foreign CPU time spoilt is
# measured once more at the end (the first try is kept beside it), in at most a quarter of the cells.
exp_cells_run() {
	local order=() again=() line app load repeat folder total
	mapfile -t order < <(exp_order)
	total=${#order[@]}
	EXP_SINCE=$SECONDS
	local i=0
	while [ "$i" -lt "${#order[@]}" ] && [ -z "$EXP_STOPPED" ]; do
		line=${order[i]}
		i=$((i + 1))
		read -r app load repeat <<<"$line"
		folder=$(exp_cell_folder "$app" "$load" "$repeat")
		exp_progress "$((i - 1))" "${#order[@]}" "$load sinks, $app, repeat $repeat of $REPEATS"
		if [ "$i" -gt "$total" ]; then
			rm -rf "$folder~" && mv "$folder" "$folder~"
		elif [ "$(jq -r .state "$folder/cell.json" 2>/dev/null)" = complete ]; then
			continue
		fi
		rm -rf "$folder"
		mkdir -p "$folder"
		exp_cell "$app" "$load" "$repeat" "$folder"
		if [ "$i" -gt "$total" ]; then
			exp_better "$folder"
		elif [ -n "$(jq -r '.marked // empty' "$folder/cell.json" 2>/dev/null)" ] && [ "${#again[@]}" -lt $(((total + 3) / 4)) ]; then
			again+=("$line")
			order+=("$line")
		fi
	done
	[ ! -t 1 ] || printf '\r\033[K'
}

# Of two tries of one cell the one with less foreign CPU time stays; the other keeps its name with a ~.
exp_better() {
	local first second
	first=$(jq -r 'select(.state == "complete") | .foreign_percent // 100' "$1~/cell.json" 2>/dev/null)
	second=$(jq -r 'select(.state == "complete") | .foreign_percent // 100' "$1/cell.json" 2>/dev/null)
	if awk -v a="${first:-100}" -v b="${second:-101}" 'BEGIN { exit !(a < b) }'; then
		mv "$1" "$1.swap" && mv "$1~" "$1" && mv "$1.swap" "$1~"
	fi
}

# The end -------------------------------------------------------------------------------------------------------

EXP_STOPPED=''
exp_catch_stop() {
	trap 'EXP_STOPPED=INT' INT
	trap 'EXP_STOPPED=TERM' TERM HUP
}

# Sums up, draws, reports; says where. The exit status of the run.
exp_end() {
	local state=complete cells status=0
	cells=$(find "$RUN/cells" -name cell.json -not -path '*~/*' -exec jq -c '{state, marked}' {} + |
		jq -s --argjson total "$(exp_order | wc -l)" '{total: $total, complete: map(select(.state == "complete")) | length,
			failed: map(select(.state == "failed")) | length, marked: map(select(.marked != "")) | length}')
	[ "$(jq '.complete < .total' <<<"$cells")" = true ] && state=failed status=3
	[ -z "$EXP_STOPPED" ] || state=interrupted status=130
	run_set '.state = $state | .cells = $cells | .ended = $ended' --arg state "$state" --argjson cells "$cells" --arg ended "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	if [ "$(jq .complete <<<"$cells")" = 0 ]; then
		echo "thinprobe: no cell was measured; see $RUN/log" >&2
		exit "$([ "$status" = 130 ] && echo 130 || echo 1)"
	fi
	"$TP_BIN/summarize" "$RUN" >"$RUN/log/summarize.out" || die "the samples are there, but summing up failed: thinprobe report $RUN"
	"$TP_HOME/report/report.sh" "$RUN" >"$RUN/log/report.out" || die "the summary is there, but the report failed: thinprobe report $RUN"
	echo
	"$TP_HOME/report/table.sh" "$RUN"
	"$TP_HOME/report/findings.sh" "$RUN"
	echo "report: $RUN/report.html   (again: thinprobe report $RUN)"
	[ "$state" = complete ] || echo "thinprobe: this run is $state: $(jq -r '"\(.complete) of \(.total) cells"' <<<"$cells"); go on with: thinprobe run $EXPERIMENT --resume $RUN" >&2
	exp_open "$RUN/report.html"
	exit "$status"
}

# Only where somebody sits in front of a desktop.
exp_open() {
	[ "$DEMO" = 1 ] && [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null || return 0
	setsid xdg-open "$1" >/dev/null 2>&1 &
}
