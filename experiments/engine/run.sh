#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh STEM OPTION... - runs the experiment of the folder experiments/STEM: its plan (question and options; plan.sh) and its
# cell.sh (how a cell is measured). Cells, their order and their states: cells.sh.
#
# The engine is in bash: it starts programs and waits for them, with shell functions of the lab and of protocol plug-ins. It times
# nothing: programs in C do that, and an engine in C would have to drive the same shell functions through pipes.
#
# The run folder is valid at every instant: run.json is replaced whole, and a cell counts once its cell.json is there.
#
# A sweep (sweep.sh) measures a run in parts. EXP_SWEEP=plan only makes the run folder, and asks the hosts where only they tell
# which cells there are; EXP_SWEEP=blind is a plan before there are hosts; EXP_SWEEP=sum only sums up the cells that there are; a
# number, or FROM-TO, measures only these repeats, without a report.
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/home.sh" || exit 1

# keep.sh takes the signals, and starts this script again with EXP_KEPT. If our parent is another process then, the keeper died
# before the death signal was set. (A run that is started by a run has its own keeper.)
case ${EXP_KEPT-} in
"$PPID") unset EXP_KEPT ;;
'') [[ " $* " == *" --help "* ]] || exec "$TP_HOME/experiments/engine/keep.sh" "$0" "$@" ;;	# (--help needs no keeper)
*) exit 130 ;;
esac

TP_TOOL=thinprobe
EXPERIMENT=$1
EXP_DIR=$(experiment_folder "$EXPERIMENT") || exit 2
shift
. "$TP_HOME/lab/lib.sh"
. "$TP_HOME/lab/calibration.sh"
. "$TP_HOME/experiments/engine/plan.sh"
. "$TP_HOME/experiments/engine/folder.sh"
. "$TP_HOME/experiments/engine/cells.sh"
. "$TP_HOME/experiments/engine/measure.sh"
. "$TP_HOME/experiments/engine/sure.sh"

# Defaults of the hooks (docs/experiment-hooks.md). exp_find has none.
exp_check() { :; }
exp_choose() { :; }
# shellcheck disable=SC2317 # plan.sh calls it
exp_settings() { echo '{}'; }
exp_begin() { :; }
exp_before_cells() { :; }
exp_end_lab() { :; }
exp_summed() { :; }
exp_judged() { :; }
RUN_SAYS=''	# what the experiment adds to the line on the lab

# The run folder ------------------------------------------------------------------------------------------------

put_json() { put_whole "$1" || exp_lost; }	# put_json FILE: standard input becomes the file, whole or not at all

# Results cannot be written any more, so continuing would waste the user's time.
exp_lost() {
	trap '' INT TERM HUP
	[ -d "$RUN" ] || [ "$BASHPID" = $$ ] || exit 1	# a part of a pipeline: the shell itself will see it, and say so once
	[ -d "$RUN" ] || die "somebody removed the run folder $RUN"
	[[ $EXP_SWEEP != [0-9]* ]] || die "cannot write to $RUN: is the disk full?"
	die "cannot write to $RUN: is the disk full? make room, then: $(exp_called) --resume $(printf %q "$RUN")"
}

run_set() {	# run_set JQ-FILTER [jq arguments]
	local filter=$1 new
	shift
	if ! new=$(jq "$@" "$filter" "$RUN/run.json" 2>/dev/null); then
		[ -f "$RUN/run.json" ] || exp_lost
		warn "cannot update run.json by this jq program: ${filter%%$'\n'*}"
		return 1
	fi
	put_json "$RUN/run.json" < <(printf '%s\n' "$new")	# (a long here-string would be a file in TMPDIR)
}

run_free() {
	[ ! -e "$RUN/run.json" ] || exp_bad "-o $OUT: contains a run; choose another folder, or --resume it"
	folder_empty "$RUN" || exp_bad "-o $OUT: is not empty; name a new folder"
}
RUN_MADE=()	# new folders in a run that is resumed, until it has begun
run_folder() {
	local name calibration=null how="give a folder of yours with -o DIR"
	RUN=${RESUME:-$OUT}
	[ -n "$RUN" ] || RUN=$(results_new "$EXPERIMENT") || die "$(folder_refused "$RUN")"
	[ -n "$RESUME" ] || run_free
	folder_made RUN "$RUN" || die "$(folder_refused "$RUN")"
	folder_lock "$RUN" 5 || exp_bad "$RUN: another run is in progress here; wait for its end"
	RUN_LOCK=$LOCK
	[ -n "$RESUME" ] || run_free	# (another may have begun since)
	[ -z "$RESUME" ] || find "$RUN/log/" -type l -delete 2>/dev/null	# (as of a run that was killed: log files are written by name)
	for name in cells log; do [ -d "$RUN/$name" ] || RUN_MADE+=("$RUN/$name"); done
	mkdir -p "$RUN/cells" "$RUN/log" 2>/dev/null && [ -w "$RUN" ] || die "cannot write to $RUN; $how"
	cells_sum
	if [ -n "${EXP_RUN_TOLD-}" ]; then
		printf '%s\0' "$RUN" "$(exp_called)" >&"$EXP_RUN_TOLD"
		exec {EXP_RUN_TOLD}>&-
	fi
	[ -z "$RESUME" ] || return 0
	# The record is of the probe's machine; another one is asked when the lab is up (run_calibration).
	[ "$ON_BACKEND" = ssh ] && [[ ! $ON_ARGS =~ ^[^,]*,[.](,|$) ]] || calibration=$(calibration_record)
	jq -n --arg experiment "$EXPERIMENT" --arg version "${TP_VERSION:-unknown}" --arg command "$EXP_COMMAND" \
		--arg started "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --argjson settings "$(plan_settings)" --argjson calibration \
			"$calibration" \
		--slurpfile cells <(printf '%s\n' "$CELLS_JSON") '
		{schema: "thinprobe.run/1", $experiment, $version, $started, ended: null, measured_s: 0, state: "running", $command,
		$settings} + $cells[0]
		+ {$calibration}' | put_json "$RUN/run.json"
}

run_ended() {	# run_ended STATE WHY; a resumed run without a new measurement keeps its time of end
	run_set '. + $sum[0] | .state = $state | (if $why == "" then del(.reason) else .reason = $why end) | .ended //= (now | todate)' \
		--arg state "$1" --arg why "$2" --slurpfile sum /dev/stdin < <(printf '%s\n' "${CELLS_JSON:-{\}}")
}

# Marks a run that an error or a signal ends early.
# shellcheck disable=SC2317 # on_exit calls it
run_abandoned() {
	local state=failed
	[ "$status" != 130 ] || state=interrupted	# `state` is run_on_exit's
	rm -f -- "$RUN"/*.password "$RUN"/*.known "$RUN/own-display.cookie"	# where no session ended
	if [ "$(jq -r .state "$RUN/run.json" 2>/dev/null)" != running ]; then
		# A run that could not be resumed stays unchanged.
		[ -z "$RESUME" ] || rm -rf ${RUN_MADE[@]+"${RUN_MADE[@]}"}
		return 0
	fi
	# Nothing was measured or logged (no connection, for example): there is nothing to resume.
	if [ "$state" = failed ] && [ -z "$RESUME" ] && [ -z "$(find "$RUN/cells" "$RUN/log" ! -type d -print -quit)" ]; then
		rm -rf "$RUN/cells" "$RUN/log" "$RUN/run.json"
		folder_gone "$RUN"
		return
	fi
	(cells_sum; run_ended "$state" "$DIED") 2>/dev/null
	[ -n "$EXP_SWEEP" ] || say_resume	# (else the sweep is resumed, not this run)
}

# The lab ---------------------------------------------------------------------------------------------------------

run_lab() {
	IFS=, read -r LAB_RATE LAB_DELAY LAB_JITTER LAB_LOSS <<<"${LINK-none}"
	LAB_LOSS=${LAB_LOSS%\%} LAB_QUEUE=${QUEUE-} LAB_DELAY=${LAB_DELAY:-${EXP_DELAY-}}
	export LAB_RATE LAB_QUEUE LAB_DELAY LAB_JITTER LAB_LOSS LAB_RUN=$RUN LAB_LOG=$RUN/log
	LAB_SERVER_MEMORY=${SERVER_MEMORY-} LAB_SWAP=${SWAP-} LAB_SWAP_SIZE=${SWAP_SIZE-} LAB_CLIENTS=${CLIENTS-} \
		LAB_SERVER_CPUS=${SERVER_CPUS-}
	: "${LAB_OWN_UID:=1}"	# (an experiment may have said 0)
	lab_use "$ON_BACKEND" "$ON_ARGS"
	case $ON_BACKEND in
	local) exp_step "starts the two hosts" ;;
	attach) exp_step "looks for the client's window" ;;
	*) exp_step "connects to the hosts" ;;
	esac
	lab_up
	[ "$ON_BACKEND" = attach ] ||
		{ LAB_NCPU_server=$(lab_exec server nproc | whole_numbers) && LAB_NCPU_client=$(lab_exec client nproc | whole_numbers); } ||
		die "a host does not say how many CPUs it has (nproc); see $RUN/log"
	run_reaches server
	run_reaches client
}

# run_reaches ROLE: dies unless this host finds, by its name, the program that `ab` was given
run_reaches() {
	local program=EXP_PROGRAM_$1
	program=${!program-}
	# shellcheck disable=SC2016 # another shell's
	[ -z "$program" ] ||
		[ "$(lab_exec "$1" sh -c 'command -v -- "$1"' sh "${program##*/}" </dev/null)" = "$program" ] ||
		die "-$EXIT_USAGE" "the emulated $1 does not reach $program: put it where every user may go, not below /tmp or /dev/shm"
}

run_calibration() {
	[ "$ON_BACKEND" = ssh ] && [ "$LAB_HOST_client" != . ] || return 0
	LAB_CALIBRATION_OF=$(lab_exec client bash -c "$(declare -f calibration_machine); calibration_machine" |
		grep -xE '[0-9a-f]{16}') || die "$LAB_HOST_client does not say which machine it is (sha256sum)"
	[ -n "$RESUME" ] || run_set '.calibration = $record' --argjson record "$(calibration_record)"
}

# lab_lacks LEVER...: prints the levers that this machine does not have, each with its effect on the figures.
lab_lacks() {
	local lever
	for lever; do
		case $lever-$ON_BACKEND in
		attach-attach) attach_missing ;;
		attach-* | pin-attach | shape-attach | autogroup-attach | capture-attach) ;;
		pin-*)
			if [ "$LAB_SHARED_CPUS" = 0 ] && lab_can server pin; then :
			elif lab_client_beside; then
				echo "CPUs of its own for the client: it has CPU $LAB_CPUS_client, one of the server's; what it took is" \
					"in every cell (client_percent), and a cell in which it took too much is flagged"
			elif [ "${LAB_CPUS_server-}" = "${LAB_CPUS_client-}" ]; then
				echo "CPUs of their own for server and client: they share them," \
					"${PLAN[pin-effect]-so load on the server starves the probe}"
			else
				echo "CPUs that no other lab has: they were not asked for (LAB_SHARED_CPUS), so the load of another may be in" \
					"the figures"
			fi
			;;
		shape-local)
			[ "${LINK-none}" = none ] || lab_can server shape ||
				echo "link rate: this kernel does not shape, the link is as fast as memory"
			;;
		shape-*) echo "link rate and delay: a real link is left as it is" ;;
		memory-local) ;;
		memory-*)
			[ -z "${SERVER_MEMORY-}" ] || [ -n "$LAB_MEMORY_GROUP" ] ||
				echo "server memory of $SERVER_MEMORY: without effect here, the server has all of the machine's memory"
			;;
		capture-*)
			[ "${LAB_TAP[0]-}" != listener ] ||
				echo "one clock for keys and packets: the listener has its own, so no latency is read" \
				"from the wire and no stages of a key"
			[ -n "$LAB_TAP_IF" ] || echo "capture: not allowed to the login at either end (root may, and an installed prototap with" \
				"cap_net_raw): no bytes, messages or times on the wire"
			;;
		autogroup-*)
			lab_exec server test -e /proc/sys/kernel/sched_autogroup_enabled ||
				echo "scheduling groups of sessions: no autogroup in this kernel"
			;;
		rt-*)
			lab_can client rt ||
				echo "real-time priority for the probe: not allowed here, so the tails hold its own delays too (as root it is)"
			;;
		esac
	done
}

# Prints where the run is measured, as JSON.
run_where() {
	local on=$ON
	[ "$ON_BACKEND" != ssh ] || on=ssh:$ON_ARGS
	jq -Rn --arg on "$on" --arg s "$LAB_CPUS_server" --arg c "$LAB_CPUS_client" --arg rate "${LINK-none}" \
		--argjson shared "$LAB_SHARED_CPUS" --argjson rootless "$LAB_ROOTLESS" --arg tap "${LAB_TAP[*]}" --arg tapif \
			"$LAB_TAP_IF" \
		--argjson memory "$(lab_memory_facts)" --arg here "$(uname -n)" \
		--arg root "${LAB_SERVER_ROOT:+$(realpath -- "$LAB_SERVER_ROOT")}" \
		--arg system "$([ -z "${LAB_SERVER_ROOT-}" ] || root_system "$LAB_SERVER_ROOT")" \
		--arg link "${LAB_ADDR_client-} ${LAB_IF_client-} - ${LAB_IF_server-} ${LAB_ADDR_server-}" '
		[inputs | select(. != "")] as $missing
		| {cpus_server: $s, cpus_client: $c, $rate, shared_cpus: ($shared == 1), rootless: ($rootless == 1), $missing}
		| if $on == "lab" then .
			elif ($on | startswith("attach:")) then {server: "not ours, unknown", cpus_client: $c, shared_cpus: false, rootless, missing,
				capture: (if $tapif == "" then "none" else "at the client" end)}
			else ($on | sub("^[a-z]*:"; "") | split(",") | map(if . == "." then $here else . end)) as [$server, $client, $listener]
				| . + {$server, $client, $link, capture: (if $tapif == "" then "none" else "at the \($tap)" end)}
				| if $listener then . + {$listener, capture: "at the listener, \($tapif)"} else . end end
		| if $memory == null then . else .memory = $memory end
		| if $root == "" then . else . + {server_root: $root, server_system: $system} end' < <(
			# shellcheck disable=SC2086 # words
			lab_lacks ${PLAN[lacks]-pin shape memory}
			printf '%s\n' "${ABSENT[@]}"
		)
}

# run_clocks before|after: notes the offset of each role's clock from ours, and its error. A role that does not answer is probably
# behind a cut connection. ssh reports that within ten seconds; a train that failed for it must get this reason.
run_clocks() {
	local role clock clocks=''
	for role in ${LAB_ROLES:-server client}; do
		if clock=$(lab_clock "$role"); then clocks+="$role $clock"$'\n'
		elif [ "$ON_BACKEND" = ssh ]; then wait_until 15 lab_lost >/dev/null; fi
	done
	run_set '.clocks[$when] = ([$clocks | splits("\n") / " " | select(length == 3)
		| {key: .[0], value: {realtime_offset_ns: (.[1] | tonumber), error_ns: (.[2] | tonumber)}}] | from_entries)' \
		--arg when "$1" --arg clocks "$clocks"
	[ -n "$EXP_LOST" ] || EXP_LOST=$(lab_lost)
}

# Writes facts of the machine and the sessions into run.json; a run can only be resumed with the same facts, by the same version.
run_record() {
	local what host where protocol=null protocols='' name
	host=$(lab_facts) where=$(run_where)
	# the memory that all cells have
	[[ -z ${PROTOCOL-} || $PROTOCOLS == *,* ]] || protocol=$(protocol_use "${PROTOCOLS:-$PROTOCOL}" && protocol_settings)
	for name in ${PROTOCOLS//,/ }; do
		protocol_use "$name"
		protocols+=$(jq -nc --arg name "$name" --argjson settings "$(protocol_settings)" '{($name): $settings}')
	done
	protocols=$(jq -cs add <<<"$protocols")
	if [ -n "$RESUME" ]; then
		what=$(jq -r --argjson host "$host" --argjson protocol "$protocol" --argjson protocols "$protocols" --argjson lab "$where" \
			--arg version "${TP_VERSION-}" --argjson calibration "$(calibration_record)" "$RUN_FACTS"'
			# (a client that we start has another window each time)
			def ours: ((.settings.on // "") | startswith("attach:own,")) as $own
				| facts + {protocols: (.protocols // {protocol} | map_values(if $own and . then .window = null else . end)),
				calibration: (if .host and .calibration then .calibration | {started, record: tojson} else null end)};
			. as $old | . + {$host, $protocol, $lab, protocols: ($protocols // .protocols), version: ($version | select(. != "") // null),
				calibration: (if .calibration and $calibration then $calibration else .calibration end)}
			| [ours | changed($old | ours) | (.what | join(".")) as $what | [.was, .is] | map(tostring)
				| $what + if all(length <= 60) then " (\(.[0]), now \(.[1]))" else "" end] | join(", ")' "$RUN/run.json") ||
			die "cannot resume $RUN: its facts cannot be compared"
		[ "$what" != "lab.shared_cpus (false, now true)" ] || die "cannot resume $RUN: the CPUs are taken; try again"
		[ -z "$what" ] || die "cannot resume $RUN: changed since its start: ${what//[[:cntrl:]]/?}; start a new run"
	fi
	RUN_MADE=()
	# A resumed run keeps its list of what was missing for earlier cells.
	run_set '(.lab.missing // []) as $before | .host = $host | .protocol = $protocol | .lab = $lab | .state = "running" | .ended = null
		| if $protocols then .protocols += $protocols else . end
		| del(.reason) | if $before == [] then . else .lab.missing = $before + ((.lab.missing // []) - $before) end' \
		--argjson host "$host" --argjson protocol "$protocol" --argjson protocols "$protocols" --argjson lab "$where"
}

run_says() {
	local link=${LINK-none} memory=${LAB_MEMORY_GROUP:+ with $SERVER_MEMORY of memory and swap ${LAB_SWAP_KIND-}}
	case $link in none) link="not shaped" ;; */*) ;; *) link=${link/Mbit/ Mbit/s} ;; esac
	[ ! -t 1 ] || printf '\r\033[K'
	if [ "$ON_BACKEND" != attach ] || ! attach_says; then
		echo "lab: server${LAB_AT_server-} on CPU $LAB_CPUS_server$memory," \
			"client${LAB_AT_client-} on CPU $LAB_CPUS_client, link $link$RUN_SAYS"
	fi
	jq -r '((.protocols // {} | if length > 1 then to_entries[] | "\(.key): \(.value.says // .value.server // "?")" else empty end),
		(.protocol | values | select(.window == null) | .says // .server),
		(.lab.missing[] | "not on this machine: " + .)) | tostring | gsub("[[:cntrl:]]"; "?")' "$RUN/run.json"
}

# The end -------------------------------------------------------------------------------------------------------

EXP_LOST=''	# why the hosts were lost

# After run_ended, with the `state` of the caller. (Before the hosts have told the conditions, no measurement is counted.)
say_resume() {
	local counts
	counts=$(jq -r '.counts | select((.total // 0) > 0) | ": \(.complete) of \(.total) measurements"' "$RUN/run.json" 2>/dev/null)
	printf 'thinprobe: this run is %s%s; resume it with: %s --resume %q\n' "$state" "$counts" "$(exp_called)" "$RUN" >&2
}

# Sums up, draws, reports, and prints where. Returns the exit status of the run.
run_end() {
	local state=complete status=${SURE:-0} why='' words
	[ -d "$RUN" ] || exp_lost
	cells_sum
	[ "$CELLS_LEFT" = 0 ] || state=failed status=3
	! stopped || state=interrupted status=130
	[ -z "$EXP_LOST" ] || echo "thinprobe: $EXP_LOST" >&2
	[ "$state" = failed ] || CELLS_WHY=''
	run_ended "$state" "${EXP_LOST:-$CELLS_WHY}"
	[[ $EXP_SWEEP != [0-9]* ]] || exit "$status"
	if [ "$CELLS_LEFT" = "$CELLS_TOTAL" ] && jq -e 'all(.cells[]; .state == "missing")' "$RUN/run.json" >/dev/null; then
		[ "$status" != 130 ] || { say_resume; exit 130; }
		echo "thinprobe: nothing was measured; see $RUN/log and the .err files in $RUN/cells" >&2
		exit 1
	fi
	exp_summed
	[ -f "$EXP_DIR/analysis.py" ] || {
		echo "samples: $RUN (${EXP_DIR#"$TP_HOME"/} has no analysis.py: no report yet)"
		exit "$status"
	}
	words=$("$TP_BIN/report" --end "$RUN" 2>"$RUN/log/report.err") || {
		! stopped || { say_resume; exit 130; }
		why=$(name_full_disk "$RUN" "${TMPDIR:-/tmp}") || why=$(<"$RUN/log/report.err")
		die "the samples are kept, but the report failed (${why##*$'\n'}); retry: thinprobe report $(printf %q "$RUN")"
	}
	rm -f "$RUN/log/report.err"
	printf '\n%s\nReport: %s\n' "$words" "$RUN/report.html"
	if [ -n "$FAIL_IF" ]; then
		"$TP_BIN/fail" judge "$RUN" "$FAIL_IF" || why=$?
		[ "$status" = 130 ] || [ -z "$why" ] || status=$why
	fi
	[ "$status" != 0 ] || exp_judged || status=$?
	[ "$state" = complete ] || [ -n "$EXP_SWEEP" ] || say_resume
	exec {RUN_LOCK}<&-
	# Only in a desktop session.
	if [ "$DEMO" = 1 ] && [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
		setsid xdg-open "$RUN/report.html" >/dev/null 2>&1 &
	fi
	exit "$status"
}

plan_read "$EXP_DIR"
. "$EXP_DIR/cell.sh"
plan_parse "$@"
plan_check
exp_check
[ "$EXP_ONLY" = 0 ] || exit 0
[ "$QUIET" = 0 ] || exec >/dev/null
need jq jq
: "${PROTOCOLS:=}"
[ -z "$PROTOCOLS" ] || [ "$ON_BACKEND" != local ] || [ "$EXP_SWEEP" = sum ] || plan_choose_protocols
AXIS=("${AXES[@]%%=*}")
late=''	# set if the cells are chosen when the lab is up: hosts or a window that --on names cannot be asked earlier
if { declare -F exp_find >/dev/null || [ -n "$ON_ARGS" ]; } &&
	{ [ -z "$RESUME" ] || jq -e '.cells == []' "$RESUME/run.json" >/dev/null; }; then late=1; fi
if [[ $EXP_SWEEP == @(plan|blind) ]]; then
	late=''
	! declare -F exp_find >/dev/null || late=1
	[ "$late$EXP_SWEEP" != 1blind ] || exp_bad "which conditions $EXPERIMENT has only the hosts tell, and Slurm chooses them later:" \
		"use --engine parallel"
fi
[ -n "$RESUME" ] || [ -n "$ON_ARGS" ] || exp_choose
[ -n "$late" ] || cells_choose
run_folder
run_planned() {
	run_set '.state = "planned" | .sweep = {missing: ($absent / "\n" - [""])}' --arg absent "$(printf '%s\n' "${ABSENT[@]}")"
}
case $EXP_SWEEP in
plan | blind) [ -n "$late" ] || { run_planned; exit; } ;;
sum) run_end ;;
esac
[ -z "$RESUME" ] || [ -n "$late" ] || [ "$CELLS_LEFT" != 0 ] || sure_open || { echo "nothing is missing in $RUN"; run_end; }
on_exit run_abandoned
run_lab
run_calibration
if [ -n "$PROTOCOLS" ] && [ "$ON_BACKEND" != local ]; then
	why=$PROTOCOLS
	plan_choose_protocols
	[ "$why" = "$PROTOCOLS" ] || late=1
fi
[ -z "$ON_ARGS" ] || [ -z "$late" ] || exp_choose
! declare -F exp_find >/dev/null || exp_find
if [ -n "$late" ]; then
	cells_choose
	cells_sum
	run_set '. + $cells[0] | .settings += $more' --slurpfile cells /dev/stdin --argjson more "$(plan_settings)" < <(
		printf '%s\n' "$CELLS_JSON")
fi
[ "$EXP_SWEEP" != plan ] || { run_planned || exit; lab_down; exit 0; }
if [ -z "$PROTOCOLS" ] && [ -n "${PROTOCOL-}" ]; then
	protocol_use "$PROTOCOL"
	why=$(protocol_can) || die "-$EXIT_MISSING" "$PROTOCOL cannot run here: $why"
fi
exp_begin
run_record
run_clocks before
run_says
turn_take	# it may measure
exp_before_cells
now_s
begun=$NOW_S
cells_run
sure_more "$begun"
run_clocks after
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
exp_end_lab
PROTOCOLS=${PROTOCOLS:-${PROTOCOL-}}
for name in ${PROTOCOLS//,/ }; do
	protocol_use "$name"
	protocol_stop
done
lab_down
run_end
