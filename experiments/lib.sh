# shellcheck shell=bash
# lib.sh - what every experiment shares: its options, its run folder, its cells in their order, its progress line.
#
# A driver sources this, sets EXPERIMENT, RATE, THRESHOLD_MS, calls exp_options "$@", exp_folder, measures with exp_cells_run (which
# calls the driver's exp_cell), and ends with exp_end. The run folder is valid at every instant: run.json is
# replaced whole, and a cell counts once its cell.json is there.

TP_TOOL=thinprobe
# shellcheck source=lab/lib.sh
. "$TP_HOME/lab/lib.sh"

# Defaults that a driver may change before exp_options.
PROTOCOL=vnc APPS=light,heavy LOADS=0,1,2,5,10,15,20 SECONDS_EACH=10 REPEATS=5 COST_MS=10 COST_PER=redraw IDLE_SECONDS=60
QUICK=0 SEED=1 LINK=100Mbit KEEP=0 RESUME='' OUT='' REGIME=session DEMO=0

# Options -------------------------------------------------------------------------------------------------------

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P] [--app A,...] [--loads L,...] [--seconds S] [--repeat R] [--quick]
         [--idle S] [--seed N] [--link RATE[,DELAY]] [--keep-captures] [--resume RUN] [-o DIR] [--on lab]
$EXPERIMENT_SAYS
  --protocol P      display protocol, NAME or NAME:VARIANT ($PROTOCOL)
  --app A,...       applications: light (vim in xterm), heavy (refecho, 10 ms of CPU a redraw) ($APPS)
  --loads L,...     numbers of sinks beside the session ($LOADS)
  --seconds S       length of each train of keys ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --cost TIME       CPU cost of a redraw of the heavy application (${COST_MS}ms)
  --cost-per WHAT   redraw, or key: an application that does not coalesce ($COST_PER)
  --regime R        session: sinks share the session's scheduling group; login: they are another login's ($REGIME)
  --quick           one train a cell, jittered, that serves latency and stalls
  --idle S          length of the key-free window for idle noise ($IDLE_SECONDS; with --quick 12)
  --seed N          of the random order and of the jitter ($SEED)
  --link RATE,DELAY rate of the emulated link, or none ($LINK); the delay needs netem
  --keep-captures   keep every capture (capture.pcap in each cell)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
  --on lab          where the two hosts come from: emulated on this machine
END
}

exp_bad() {
	echo "thinprobe: $* (see thinprobe run $EXPERIMENT --help)" >&2
	exit 2
}

exp_number() {	# exp_number OPTION TEXT MIN MAX
	[[ $2 =~ ^(0|[1-9][0-9]{0,9})$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || exp_bad "$1 $2: not a whole number from $3 to $4"
}

exp_list() {	# exp_list OPTION LIST: no empty places, nothing twice
	local twice
	[[ $2 =~ ^[^,]+(,[^,]+)*$ ]] || exp_bad "$1 $2: values with commas between"
	twice=$(tr , '\n' <<<"$2" | sort | uniq -d | head -n 1)
	[ -z "$twice" ] || exp_bad "$1 $2: $twice is there twice"
}

# Everything that can be wrong with the settings, whether they come from the command line or from a run to be resumed.
exp_check() {
	local load app
	exp_list --loads "$LOADS"
	for load in ${LOADS//,/ }; do exp_number --loads "$load" 0 1000; done
	exp_list --app "$APPS"
	exp_number --seconds "$SECONDS_EACH" 2 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	exp_number --idle "$IDLE_SECONDS" 1 3600
	[[ $COST_MS =~ ^[0-9]{1,4}(\.[0-9]+)?$ ]] || exp_bad "--cost $COST_MS: give milliseconds, such as 10ms"
	case $COST_PER in redraw | key) ;; *) exp_bad "--cost-per $COST_PER: redraw or key" ;; esac
	case $REGIME in session | login) ;; *) exp_bad "--regime $REGIME: session or login" ;; esac
	[[ $LINK =~ ^(none|[0-9]+(\.[0-9]+)?[KMGkmg]?bit)(,[0-9]+(\.[0-9]+)?(us|ms|s))?$ ]] || exp_bad "--link $LINK: a rate such as 10Mbit, with a delay such as 10Mbit,5ms, or none"
	case $PROTOCOL in *,*) exp_bad "--protocol $PROTOCOL: one protocol a run" ;; esac
	[ -f "$TP_HOME/lab/protocols/${PROTOCOL%%:*}.sh" ] || exp_bad "no protocol $PROTOCOL; thinprobe list --protocols names them"
	protocol_use "$PROTOCOL"
	# A protocol without a display for applications answers keys itself.
	[ "$(protocol_kind)" = display ] || APPS=own
	for app in ${APPS//,/ }; do
		case $app in light | heavy) ;; own) [ "$(protocol_kind)" != display ] || exp_bad "--app own: light or heavy" ;; *) exp_bad "--app $app: light or heavy" ;; esac
	done
}

exp_options() {
	local given=()
	printf -v EXP_COMMAND ' %q' "$@"
	EXP_COMMAND="thinprobe run $EXPERIMENT${*:+$EXP_COMMAND}"
	EXP_COMMAND=${EXP_COMMAND/run $EXPERIMENT --demo/demo}
	while [ $# -gt 0 ]; do
		case $1 in
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		esac
		case $1 in
		--quick) QUICK=1 IDLE_SECONDS=12; given+=("$1"); shift; continue ;;
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
		--seconds) SECONDS_EACH=${2%s} ;;
		--repeat) REPEATS=$2 ;;
		--cost) COST_MS=${2%ms} ;;
		--cost-per) COST_PER=$2 ;;
		--regime) REGIME=$2 ;;
		--idle) IDLE_SECONDS=${2%s} ;;
		--seed) SEED=$2 ;;
		--link) LINK=$2 ;;
		--resume) RESUME=${2%/} ;;
		-o) OUT=$2 ;;
		--on) [ "$2" = lab ] || exp_bad "--on $2: only lab (two hosts emulated on this machine) is built" ;;
		--server-memory) exp_bad "--server-memory is not built" ;;
		esac
		[ "$1" = --resume ] || given+=("$1")
		shift 2
	done
	if [ -n "$RESUME" ]; then
		[ "${#given[@]}" = 0 ] || exp_bad "${given[0]} with --resume: a run goes on with its own settings"
		exp_read_settings
	fi
	exp_check
}

exp_read_settings() {
	[ -f "$RESUME/run.json" ] || exp_bad "--resume $RESUME: no run folder (it has no run.json)"
	jq -e . "$RESUME/run.json" >/dev/null 2>&1 || exp_bad "--resume $RESUME: its run.json cannot be read"
	[ "$(jq -r .experiment "$RESUME/run.json")" = "$EXPERIMENT" ] || exp_bad "--resume $RESUME: not a run of $EXPERIMENT"
	eval "$(jq -r '.settings | @sh "PROTOCOL=\(.protocol | tostring) APPS=\(.apps | join(",")) LOADS=\(.loads | map(tostring) | join(",")) SECONDS_EACH=\(.seconds | tostring)
		REPEATS=\(.repeats | tostring) COST_MS=\(.cost_ms | tostring) COST_PER=\(.cost_per | tostring) SEED=\(.seed | tostring) LINK=\(.link | tostring)
		REGIME=\(.regime | tostring) QUICK=\(if .quick then "1" else "0" end) IDLE_SECONDS=\(.idle_seconds | tostring)"' "$RESUME/run.json")"
}

# The run folder ------------------------------------------------------------------------------------------------

put_json() {	# put_json FILE: standard input becomes the file, whole or not at all
	cat >"$1.new" && sync "$1.new" && mv "$1.new" "$1"
}

run_set() {	# run_set JQ-FILTER [jq arguments]
	local filter=$1
	shift
	jq "$@" "$filter" "$RUN/run.json" | put_json "$RUN/run.json"
}

exp_folder() {
	local base stamp
	if [ -n "$RESUME" ]; then
		RUN=$(cd -- "$RESUME" && pwd) || exit 1
	elif [ -n "$OUT" ]; then
		[ ! -e "$OUT/run.json" ] || exp_bad "-o $OUT: holds a run already; choose another folder, or --resume it"
		mkdir -p -- "$OUT" || die "cannot make $OUT"
		RUN=$(cd -- "$OUT" && pwd) || exit 1
	else
		base=$PWD/thinprobe-results
		[ "$TP_CHECKOUT" = 1 ] && mkdir -p "$TP_HOME/results" 2>/dev/null && [ -w "$TP_HOME/results" ] && base=$TP_HOME/results
		stamp=$(date -u +%Y-%m-%dT%H-%M-%S)
		RUN=$base/$EXPERIMENT/$stamp
		mkdir -p "$base/$EXPERIMENT" && mkdir "$RUN" || die "cannot make $RUN; give a folder of yours with -o DIR"
	fi
	{ touch "$RUN/.write" && rm "$RUN/.write"; } 2>/dev/null || die "cannot write to $RUN; give a folder of yours with -o DIR"
	mkdir -p "$RUN/cells" "$RUN/log"
	[ -n "$RESUME" ] || jq -n --arg experiment "$EXPERIMENT" --arg version "${TP_VERSION:-unknown}" --arg command "$EXP_COMMAND" \
		--arg started "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --arg protocol "$PROTOCOL" --arg apps "$APPS" --argjson loads "[$LOADS]" \
		--argjson repeats "$REPEATS" --argjson seconds "$SECONDS_EACH" --argjson cost "$COST_MS" --arg costper "$COST_PER" --argjson seed "$SEED" \
		--arg link "$LINK" --arg regime "$REGIME" --argjson quick "$QUICK" --argjson rate "$RATE" --argjson threshold "$THRESHOLD_MS" --argjson idle "$IDLE_SECONDS" '
		{schema: "thinprobe.run/1", experiment: $experiment, version: $version, started: $started, ended: null, state: "running", command: $command,
		settings: {protocol: $protocol, apps: ($apps | split(",")), loads: $loads, repeats: $repeats, seconds: $seconds, rate_per_s: $rate,
			schedule: (if $quick == 1 then "jittered" else "jittered and periodic" end), series: (if $quick == 1 then ["latency"] else ["latency", "stall"] end),
			cost_ms: $cost, cost_per: $costper, regime: $regime, seed: $seed, link: $link, quick: ($quick == 1), threshold_ms: $threshold, idle_seconds: $idle}}' |
		put_json "$RUN/run.json" || die "cannot write $RUN/run.json"
	if [ -n "$RESUME" ] && [ "$(exp_left)" = 0 ]; then
		echo "nothing is missing in $RUN"
		exp_end
	fi
	on_exit exp_abandoned
}

# A run that ends before its end, by an error or a signal, says so.
exp_abandoned() {
	local state=failed
	# shellcheck disable=SC2154 # run_on_exit's
	[ "$status" != 130 ] || state=interrupted
	[ "$(jq -r .state "$RUN/run.json" 2>/dev/null)" != running ] || run_set '.state = $state | .ended = (now | todate)' --arg state "$state"
}

# What the machine and the session are like goes into run.json; a run can only be resumed under the same.
exp_circumstances() {	# exp_circumstances FACTS PROTOCOL LAB (JSON each)
	local what
	if [ -n "$RESUME" ]; then
		what=$(jq -r --argjson host "$1" --argjson protocol "$2" --argjson lab "$3" '
			[if .protocol != null and .protocol != $protocol then "the protocol'\''s settings" else empty end,
			 if .host.kernel != null and .host.kernel != $host.kernel then "the kernel" else empty end,
			 if .lab != null and (.lab | {shared_cpus, rootless}) != ($lab | {shared_cpus, rootless}) then "root or shared CPUs" else empty end] | join(", ")' "$RUN/run.json")
		[ -z "$what" ] || die "not the same as when $RUN was begun: $what; start a new run"
	fi
	run_set '.host = $host | .protocol = $protocol | .lab = $lab | .state = "running" | .ended = null' --argjson host "$1" --argjson protocol "$2" --argjson lab "$3"
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

# Every train of a cell: the latency series in the cell's own folder, the stall series below it.
exp_trains() {
	printf '%s\n' "$1/cell.json"
	[ "$QUICK" = 1 ] || printf '%s\n' "$1/stall/cell.json"
}

exp_complete() {	# is every train of this cell measured?
	local train
	while IFS= read -r train; do
		[ "$(jq -r .state "$train" 2>/dev/null)" = complete ] || return 1
	done < <(exp_trains "$1")
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

exp_step() {	# what goes on before the first cell
	if [ -t 1 ]; then printf '\r%s  %s\033[K' "$EXPERIMENT" "$*"; fi
}

# Runs exp_cell APP LOAD REPEAT FOLDER for every cell that is not there yet. A cell that foreign CPU time spoilt is
# measured once more at the end (the quieter try stays, the other is kept beside it), in at most a quarter of the cells.
exp_cells_run() {
	local order=() again=0 line app load repeat folder total i=0 measured=0
	# From here on a signal ends the train that runs; what there is by then is summed up.
	trap 'EXP_STOPPED=INT' INT
	trap 'EXP_STOPPED=TERM' TERM HUP
	mapfile -t order < <(exp_order)
	total=${#order[@]}
	EXP_SINCE=$SECONDS
	while [ "$i" -lt "${#order[@]}" ] && [ -z "$EXP_STOPPED" ]; do
		line=${order[i]}
		i=$((i + 1))
		read -r app load repeat <<<"$line"
		folder=$(exp_cell_folder "$app" "$load" "$repeat")
		if [ "$i" -gt "$total" ]; then
			rm -rf "$folder~" && mv "$folder" "$folder~"
		elif exp_complete "$folder"; then
			continue
		fi
		exp_progress "$((i - 1))" "${#order[@]}" "$measured" "$load sinks, $app, repeat $repeat of $REPEATS"
		rm -rf "$folder"
		mkdir -p "$folder"
		exp_cell "$app" "$load" "$repeat" "$folder"
		measured=$((measured + 1))
		if [ "$i" -gt "$total" ]; then
			exp_keep_quieter "$folder"
		elif exp_marked "$folder" && [ "$again" -lt $(((total + 3) / 4)) ]; then
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

EXP_STOPPED=''
# Before the first cell there is nothing to sum up.
trap 'exit 130' INT TERM HUP

# Sums up, draws, reports; says where. The exit status of the run.
exp_end() {
	local state=complete status=0 total left marked=0 app load repeat
	total=$(exp_order | wc -l)
	left=$(exp_left)
	while read -r app load repeat; do
		! exp_marked "$(exp_cell_folder "$app" "$load" "$repeat")" || marked=$((marked + 1))
	done < <(exp_order)
	[ "$left" = 0 ] || state=failed status=3
	[ -z "$EXP_STOPPED" ] || state=interrupted status=130
	run_set '.state = $state | .cells = {total: $total, complete: ($total - $left), missing: $left, marked: $marked} | .ended = (now | todate)' \
		--arg state "$state" --argjson total "$total" --argjson left "$left" --argjson marked "$marked"
	if [ "$left" = "$total" ]; then
		echo "thinprobe: no cell was measured; see $RUN/log and the cells' .err files in $RUN/cells" >&2
		[ "$status" = 130 ] || status=1
		exit "$status"
	fi
	"$TP_HOME/report/report.sh" "$RUN" >"$RUN/log/report.out" 2>"$RUN/log/report.err" ||
		die "the samples are there, but the report failed ($(tail -n 1 "$RUN/log/report.err")); again: thinprobe report $RUN"
	echo
	"$TP_HOME/report/table.sh" "$RUN"
	"$TP_HOME/report/findings.sh" "$RUN"
	echo "report: $RUN/report.html   (again: thinprobe report $RUN)"
	[ "$state" = complete ] || echo "thinprobe: this run is $state: $((total - left)) of $total cells; go on with: thinprobe run $EXPERIMENT --resume $RUN" >&2
	exp_open "$RUN/report.html"
	exit "$status"
}

# Only where somebody sits in front of a desktop.
exp_open() {
	[ "$DEMO" = 1 ] && [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null || return 0
	setsid xdg-open "$1" >/dev/null 2>&1 &
}
